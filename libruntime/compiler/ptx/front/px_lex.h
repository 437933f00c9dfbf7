/* SPDX-License-Identifier: MIT */
#ifndef PX_LEX_H
#define PX_LEX_H

#include "compiler/ptx/ir/px_util.h"

enum px_tok {
	TK_EOF,
	TK_IDENT,	/* name, also %name and $name */
	TK_DOT,		/* .name: directive or modifier, without the dot */
	TK_INT,		/* i: value */
	TK_F32,		/* i: bits */
	TK_F64,		/* i: bits; also decimal literals */
	TK_STRING,
	TK_SHL, TK_SHR, TK_LE, TK_GE, TK_EQ, TK_NE, TK_LAND, TK_LOR,
	TK_BAD,		/* reported */
	TK_CHAR = 128,	/* + the character */
};
#define TK(c)	(TK_CHAR + (c))

struct px_token {
	unsigned kind;
	struct px_loc loc;
	struct px_str *str;
	uint64_t i;
	bool u;		/* integer with U suffix, or not representable as s64 */
};

struct px_lex {
	struct px *px;
	const char *p, *end, *line_start;
	uint32_t line;
	struct px_token tok;	/* current token */
};

void px_lex_init(struct px_lex *lx, struct px *px, const char *text, size_t len);
void px_next(struct px_lex *lx);

#endif
