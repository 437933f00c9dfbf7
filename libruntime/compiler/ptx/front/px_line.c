/* SPDX-License-Identifier: MIT */
/* .file and .loc, which become the line table; .pragma, which is skipped. */
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_line.h"

#define MAX_FILES	4096u	/* files that .loc may name before they are declared */

static char *copy_string(struct px_module *m, struct px_str *s)
{
	return (char *)s->s;
}

static uint32_t file_index(struct px_module *m, uint64_t id)
{
	uint32_t i;

	/* newest first: a .loc mostly names a file that was declared not long before */
	for (i = m->obj.num_files; i-- > 0;)
		if (m->obj.file_ids[i] == id)
			return i;
	return UINT32_MAX;
}

static uint32_t add_file(struct px_module *m, uint32_t id, char *name)
{
	PX_PUSH(&m->px->arena, m->obj.files, m->obj.num_files, m->obj.cap_files, name);
	PX_PUSH(&m->px->arena, m->obj.file_ids, m->obj.num_file_ids, m->obj.cap_file_ids, id);
	return m->obj.num_files - 1;
}

/* .file n "name" [, time, size]; it may come after the .loc directives that name it */
void px_parse_file(struct px_module *m)
{
	struct px_loc loc = m->lex.tok.loc;
	uint32_t known;
	int64_t id;

	px_next(&m->lex);
	id = px_const_expr(m);
	if (m->lex.tok.kind != TK_STRING || id < 0 || id > UINT32_MAX) {
		px_error(m->px, loc, ".file needs a number and a name");
		return;
	}
	known = file_index(m, (uint64_t)id);
	if (known != UINT32_MAX && !m->obj.files[known])
		m->obj.files[known] = copy_string(m, m->lex.tok.str);
	else
		add_file(m, (uint32_t)id, copy_string(m, m->lex.tok.str));
	px_next(&m->lex);
	while (px_accept(m, TK(',')))
		px_const_expr(m);
}

/* The first .loc says where the function is: its first instruction may be another file's, which was put in its place. */
static void note_first(struct px_module *m)
{
	struct px_func *f = m->func;

	if (!f || f->line || !m->line)
		return;
	f->file = m->file;
	f->line = m->line;
	f->col = m->col;
}

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
void px_parse_loc(struct px_module *m)
{
	int64_t file, line, col;

	px_next(&m->lex);
	if (m->lex.tok.kind != TK_INT) {
		px_error(m->px, m->lex.tok.loc, ".loc needs file, line and column");
		return;
	}
	file = (int64_t)m->lex.tok.i;
	px_next(&m->lex);
	line = m->lex.tok.kind == TK_INT ? (int64_t)m->lex.tok.i : 0;
	px_accept(m, TK_INT);
	col = m->lex.tok.kind == TK_INT ? (int64_t)m->lex.tok.i : 0;
	px_accept(m, TK_INT);
	while (px_accept(m, TK(','))) {
		px_expect(m, TK_IDENT, "function_name or inlined_at");
		px_accept(m, TK_IDENT);
		if (px_accept(m, TK('+')))
			px_accept(m, TK_INT);
		while (px_accept(m, TK_INT))
			;
	}
	m->line = (uint32_t)line;
	m->col = (uint32_t)col;
	if (m->file == UINT32_MAX || m->file >= m->obj.num_files || m->obj.file_ids[m->file] != (uint64_t)file)
		m->file = file_index(m, (uint64_t)file);
	if (m->file == UINT32_MAX && file <= UINT32_MAX && m->obj.num_files < MAX_FILES)
		m->file = add_file(m, (uint32_t)file, NULL);
	if (m->file == UINT32_MAX)
		m->line = 0;
	note_first(m);
}

void px_skip_pragma(struct px_module *m)
{
	px_next(&m->lex);
	do {
		px_expect(m, TK_STRING, "a string");
	} while (px_accept(m, TK(',')));
	px_expect(m, TK(';'), "';'");
}
