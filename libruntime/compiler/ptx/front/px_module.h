/* SPDX-License-Identifier: MIT */
/* The module that is being read, and what all its readers need: tokens, and symbols of the image. */
#ifndef PX_MODULE_H
#define PX_MODULE_H

#include "compiler/ptx/front/px_lex.h"
#include "compiler/ptx/ir/px_ir.h"
#include "compiler/ptx/ir/px_object.h"

struct px_sym;

struct px_reloc_ref {		/* initialiser that names a symbol defined later */
	struct px_str *name;
	struct px_loc loc;
	uint64_t where;
	int64_t addend;
};

struct px_alias {
	uint32_t from, to;	/* image symbols */
};

struct px_module {
	struct px *px;
	/* Called with each function whose body has been read. */
	void (*finished)(struct px_func *f, struct px_object *o);
	struct px_alias *aliases;
	uint32_t num_aliases, cap_aliases;
	struct px_sym *reserved;	/* see px_reserved_shared() */
	struct px_lex lex;
	struct px_sym *scope[64];	/* symbols by depth, for popping */
	uint32_t depth;
	struct px_func *func;	/* being compiled, or NULL */
	struct px_sym *func_sym;
	struct px_block *cur;	/* instructions go here */
	px_val cc;		/* carry flag of the function */
	struct px_block *ret_block;	/* functions return through one block */
	uint32_t line, file, col;	/* from .loc */
	uint32_t mark;		/* labels so far, with debug sections */
	struct px_debug *debug;	/* NULL: there are no debug sections, or nobody wants them */
	struct px_loc src;	/* of the instruction at hand */
	/* image */
	struct px_object obj;
	struct px_reloc_ref *late;
	uint32_t num_late, cap_late;
	/* shared memory: module part first, each kernel's own part after it */
	uint32_t shared_module, shared_kernel, shared_align;
	uint32_t *own_shared;	/* symbols of kernels' own variables */
	uint32_t num_own_shared, cap_own_shared;
	bool seen_target;
	uint32_t target;		/* 90 of sm_90a */
	uint32_t version;		/* 83 of 8.3 */
	/* the kernel being compiled */
	uint32_t maxntid[3], reqntid[3], minnctas, maxnreg, cluster;
};

/* Reads the next token if it is of this kind; false: it is another. */
bool px_accept(struct px_module *m, unsigned kind);
/* The same, but another token is an error: "`what` was expected". */
bool px_expect(struct px_module *m, unsigned kind, const char *what);
/* After an error, skips all up to the next ';', but does not leave the block.  The braces of a vector operand
 * are skipped as well. */
void px_skip_statement(struct px_module *m);
/* Is the next token the directive or modifier .s? */
bool px_dot_is(struct px_module *m, const char *s);
bool px_accept_dot(struct px_module *m, const char *s);
uint32_t px_image_symbol(struct px_module *m, const char *name, unsigned kind);

#endif
