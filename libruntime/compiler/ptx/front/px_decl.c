/* SPDX-License-Identifier: MIT */
/* Declarations: registers, variables and their places. */
#include <string.h>
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_debug.h"
#include "compiler/ptx/front/px_decl.h"
#include "compiler/ptx/front/px_init.h"
#include "compiler/ptx/front/px_type.h"

/* ---- registers ---- */

static bool is_type(struct px_str *s)
{
	return s->mod && s->mod < PT_COUNT && !px_type_element(s->mod);
}

static void declare_reg(struct px_module *m, struct px_str *name, struct px_loc loc, unsigned pt,
			uint32_t vec)
{
	struct px_sym *s;
	int64_t count;
	uint32_t k;

	if (px_accept(m, TK('<'))) {
		count = px_const_count(m);
		px_expect(m, TK('>'), "'>' after the number of registers");
		if (count < 0 || count > (1 << 30)) {
			px_error(m->px, loc, "the number of registers is out of range");
			return;
		}
		s = px_declare(m, name, SY_REGS, loc);
		if (s) {
			s->type = (uint8_t)pt;
			s->count = (uint32_t)count;
		}
		return;
	}
	s = px_declare(m, name, SY_REG, loc);
	if (!s)
		return;
	s->type = (uint8_t)pt;
	s->vtype = vec;
	if (vec <= 1)
		s->val = px_new_val(m->func, px_bits_width(pt), name);
	for (k = 0; vec > 1 && k < vec; k++)
		s->velem[k] = px_new_val(m->func, px_bits_width(pt), name);
}

/* .reg [.v2|.v4] .type name[<n>], ...; */
void px_parse_reg(struct px_module *m)
{
	uint32_t vec = 1;
	unsigned pt;

	px_next(&m->lex);
	if (m->lex.tok.kind == TK_DOT && (m->lex.tok.str->mod == PM_v2 || m->lex.tok.str->mod == PM_v4)) {
		vec = m->lex.tok.str->mod == PM_v2 ? 2 : 4;
		px_next(&m->lex);
	}
	if (m->lex.tok.kind != TK_DOT || !is_type(m->lex.tok.str)) {
		px_error(m->px, m->lex.tok.loc, "a register needs a type, such as .b32");
		px_skip_statement(m);
		return;
	}
	pt = m->lex.tok.str->mod;
	px_next(&m->lex);
	if (!m->func) {
		px_error(m->px, m->lex.tok.loc, "registers at module level are not supported; declare them in the function");
		px_skip_statement(m);
		return;
	}
	do {
		struct px_str *name = m->lex.tok.str;
		struct px_loc loc = m->lex.tok.loc;

		if (!px_expect(m, TK_IDENT, "the name of a register")) {
			px_skip_statement(m);
			return;
		}
		declare_reg(m, name, loc, pt, vec);
	} while (px_accept(m, TK(',')));
	if (!px_expect(m, TK(';'), "';' after the declaration"))
		px_skip_statement(m);
}

/* ---- variables ---- */

struct decl {
	uint64_t dim[PX_MAX_DIMS];	/* of the variable read last; .v2 and .v4 count as one more */
	unsigned num_dims;
	unsigned pt, vec;
	uint64_t align;
	bool managed, ptr;
};

/* [.align n] [.v4] .type [.ptr ...] [.attribute(...)], in any order. */
static bool parse_decl_mods(struct px_module *m, struct decl *d)
{
	struct px_lex *lx = &m->lex;
	int64_t a;

	*d = (struct decl){ .vec = 1 };
	while (lx->tok.kind == TK_DOT) {
		struct px_str *s = lx->tok.str;
		struct px_loc loc = lx->tok.loc;

		px_next(lx);
		if (is_type(s) && s->mod != PT_PRED) {
			d->pt = s->mod;
		} else if (s->mod == PM_v2 || s->mod == PM_v4) {
			d->vec = s->mod == PM_v2 ? 2 : 4;
		} else if (!strcmp(s->s, "align")) {
			a = px_const_expr(m);
			if (a < 1 || a > 4096 || (a & (a - 1))) {
				px_error(m->px, loc, "an alignment must be a power of two up to 4096");
				a = 1;
			}
			if (!d->ptr)
				d->align = (uint64_t)a;
		} else if (!strcmp(s->s, "ptr")) {
			d->ptr = true;
		} else if (d->ptr && (s->mod == PM_global || s->mod == PM_shared ||
				      s->mod == PM_local || s->mod == PM_const)) {
			/* the space in which a pointer points, which does not matter here */
		} else if (!strcmp(s->s, "attribute")) {
			px_expect(m, TK('('), "'('");
			while (lx->tok.kind == TK_DOT || lx->tok.kind == TK(',')) {
				d->managed |= lx->tok.kind == TK_DOT && !strcmp(lx->tok.str->s, "managed");
				px_next(lx);
				if (lx->tok.kind == TK('(')) {
					while (lx->tok.kind != TK(')') && lx->tok.kind != TK_EOF)
						px_next(lx);
					px_next(lx);
				}
			}
			px_expect(m, TK(')'), "')'");
		} else if (!strcmp(s->s, "texref") || !strcmp(s->s, "surfref")) {
			d->pt = PT_B64;		/* holds the handle */
		} else if (!strcmp(s->s, "samplerref")) {
			px_error(m->px, loc, "separate samplers are not supported; compile for the unified texture mode");
			return false;
		} else {
			px_error(m->px, loc, "'.%s' is not supported in a declaration", s->s);
			return false;
		}
	}
	if (!d->pt) {
		px_error(m->px, lx->tok.loc, "a variable needs a type, such as .b32");
		return false;
	}
	return true;
}

/* Reads [n][m]...; *count: the product of the sizes; *unsized: the first size is left out. */
static bool parse_dims(struct px_module *m, struct decl *d, uint64_t *count, bool *is_array,
		       bool *unsized)
{
	struct px_loc loc;
	int64_t n;

	d->num_dims = 0;
	*count = 1;
	*is_array = *unsized = false;
	while (m->lex.tok.kind == TK('[')) {
		loc = m->lex.tok.loc;
		px_next(&m->lex);
		*is_array = true;
		if (px_accept(m, TK(']'))) {
			*unsized = true;
			if (d->num_dims < PX_MAX_DIMS)
				d->dim[d->num_dims++] = 0;
			continue;
		}
		n = px_const_expr(m);
		if (n < 0 || (n && *count > (1ull << 40) / (uint64_t)n)) {
			px_error(m->px, loc, "this array is too large");
			return false;
		}
		*count *= (uint64_t)n;
		if (d->num_dims < PX_MAX_DIMS)
			d->dim[d->num_dims++] = (uint64_t)n;
		if (!px_expect(m, TK(']'), "']'"))
			return false;
	}
	if (d->vec > 1 && d->num_dims < PX_MAX_DIMS)
		d->dim[d->num_dims++] = d->vec;
	return true;
}

/* ---- placing variables ---- */

static uint64_t place_data(struct px_module *m, struct px_loc loc, uint64_t size, uint64_t align)
{
	uint64_t at = px_align(m->obj.data_bytes, align);
	uint8_t *p;

	if (size > PX_MAX_DATA || at + size > PX_MAX_DATA) {
		px_error(m->px, loc, "the variables of this module are larger than %llu bytes; allocate memory at run time",
			 PX_MAX_DATA);
		return 0;
	}
	if (at + size > m->obj.data_cap) {
		m->obj.data_cap = at + size > m->obj.data_cap * 2 ? at + size : m->obj.data_cap * 2;
		p = px_alloc(&m->px->arena, m->obj.data_cap);
		if (m->obj.data_bytes)
			memcpy(p, m->obj.data, m->obj.data_bytes);
		m->obj.data = p;
	}
	m->obj.data_bytes = at + size;
	if (align > m->obj.data_align)
		m->obj.data_align = align;
	return at;
}

/* Name of a function's own variable in the image. */
static const char *local_name(struct px_module *m, struct px_str *name)
{
	size_t n;
	char *s;

	if (!m->func)
		return name->s;
	n = (size_t)m->func->name->len + name->len + 2;
	s = px_alloc(&m->px->arena, n);
	snprintf(s, n, "%s$%s", m->func->name->s, name->s);
	return s;
}

static void place_shared(struct px_module *m, struct px_var *v, struct ppu_symbol *s,
			 struct px_loc loc)
{
	bool own = m->func && m->func->kernel;	/* the variable belongs to this kernel only */
	uint32_t *end = own ? &m->shared_kernel : &m->shared_module;
	uint64_t at = px_align(*end, v->align);

	if (v->size > PX_MAX_SHARED || at + v->size > PX_MAX_SHARED) {
		px_error(m->px, loc, "static shared memory is larger than %u bytes; use dynamic shared memory",
			 PX_MAX_SHARED);
		return;
	}
	s->value = at;
	*end = (uint32_t)(at + v->size);
	if (own)	/* the module's part comes before v; its size is not known yet */
		PX_PUSH(&m->px->arena, m->own_shared, m->num_own_shared, m->cap_own_shared, v->symbol);
	if (v->align > m->shared_align)
		m->shared_align = v->align;
}

static void place_var(struct px_module *m, struct px_sym *sym, struct decl *d, struct px_init *in,
		      bool is_extern, bool weak, bool visible, uint32_t first_late)
{
	struct px_var *v = sym->var;
	struct ppu_symbol *s;
	uint64_t at;
	uint32_t k;

	s = &m->obj.syms[v->symbol];
	s->size = v->size;
	s->align = v->align;
	s->flags = (visible || is_extern || weak ? PPU_SYMF_GLOBAL : 0) |
		   (weak ? PPU_SYMF_WEAK : 0) | (d->managed ? PPU_SYMF_MANAGED : 0);
	if (v->space == SP_SHARED && is_extern && v->size) {	/* dynamic shared memory if no module defines v */
		s->flags |= PPU_SYMF_MOVABLE;
		s->size = 0;
		v->is_extern = true;
		return;
	}
	if (v->space == SP_SHARED) {
		s->kind = PPU_SYM_SHARED;
		if (is_extern || !v->size) {	/* dynamic shared memory: placed at the end */
			s->flags = 0;
			v->is_extern = true;
		} else {
			place_shared(m, v, s, sym->loc);
		}
		return;
	}
	if (is_extern)
		return;
	at = place_data(m, sym->loc, v->size, v->align);
	s = &m->obj.syms[v->symbol];
	s->kind = v->space == SP_CONST ? PPU_SYM_CONST : PPU_SYM_GLOBAL;
	s->value = at;
	if (in && in->pos && at + in->pos <= m->obj.data_bytes)
		memcpy(m->obj.data + at, in->buf, in->pos);
	for (k = first_late; k < m->num_late; k++)
		m->late[k].where += at;
}

struct px_sym *px_reserved_shared(struct px_module *m)
{
	struct decl d = { .pt = PT_B8 };
	struct px_func *func = m->func;
	struct px_sym *s = m->reserved;

	if (s)
		return s;
	m->reserved = s = px_alloc(&m->px->arena, sizeof(*s));
	s->kind = SY_VAR;
	s->name = px_intern(m->px, "$reserved", 9);
	s->loc = m->src;
	s->var = px_alloc(&m->px->arena, sizeof(*s->var));
	*s->var = (struct px_var){ .space = SP_SHARED, .type = PT_B8, .size = PX_RESERVED_SHARED, .align = 16, .is_array = true };
	m->func = NULL;		/* one variable for all functions */
	s->var->symbol = px_image_symbol(m, local_name(m, s->name), PPU_SYM_UNDEF);
	place_var(m, s, &d, NULL, false, false, false, 0);
	m->func = func;
	return s;
}

void px_new_var(struct px_module *m, struct px_var *v)
{
	if (v->space == SP_LOCAL || (v->space == SP_FPARAM && (v->is_array || v->size > 8)))
		v->slot = px_new_slot(m->func, SLOT_LOCAL, (uint32_t)v->size, v->align);
	else if (v->space == SP_FPARAM)
		v->val = px_new_val(m->func, v->size > 4 ? 2 : 1, NULL);
}

/* ---- declarations of variables ---- */

static unsigned space_number(struct px_str *s)
{
	switch (s->mod) {
	case PM_global: return SP_GLOBAL;
	case PM_const: return SP_CONST;
	case PM_shared: return SP_SHARED;
	case PM_local: return SP_LOCAL;
	default: return SP_FPARAM;
	}
}

bool px_is_var_space(struct px_str *s)
{
	return s->mod == PM_global || s->mod == PM_const || s->mod == PM_shared ||
	       s->mod == PM_local || s->mod == PM_param;
}

static bool var_size(struct px_module *m, struct px_var *v, struct decl *d, struct px_loc loc)
{
	uint64_t count, elem = px_type_bits(d->pt) / 8 * d->vec;
	bool unsized;

	if (!parse_dims(m, d, &count, &v->is_array, &unsized))
		return false;
	v->type = (uint8_t)d->pt;
	v->elem = (uint32_t)elem;
	v->num_dims = d->num_dims - (d->vec > 1 && d->num_dims);
	memcpy(v->dim, d->dim, sizeof(v->dim));
	v->size = unsized ? 0 : count * elem;
	v->is_array |= d->vec > 1;
	v->align = (uint32_t)(d->align > elem || (d->align && elem > 16) ? d->align : d->align ? d->align : elem);
	if ((v->space == SP_LOCAL || v->space == SP_FPARAM) && v->size > PX_MAX_FRAME) {
		px_error(m->px, loc, "this array is larger than the %u bytes a function may have of local memory",
			 PX_MAX_FRAME);
		return false;
	}
	return true;
}

/* Reads one or more variables from ".space" up to ';'. */
struct px_sym *px_parse_var(struct px_module *m, bool is_extern, bool weak, bool visible)
{
	unsigned space = space_number(m->lex.tok.str);
	struct px_sym *sym = NULL;
	struct decl d;

	px_next(&m->lex);
	if (!parse_decl_mods(m, &d)) {
		px_skip_statement(m);
		return NULL;
	}
	if (!m->func && (space == SP_LOCAL || space == SP_FPARAM)) {
		px_error(m->px, m->lex.tok.loc, "this state space is not allowed outside functions");
		px_skip_statement(m);
		return NULL;
	}
	do {
		struct px_str *name = m->lex.tok.str;
		struct px_loc loc = m->lex.tok.loc;
		uint32_t first_late = m->num_late;
		struct px_var *v = px_alloc(&m->px->arena, sizeof(*v));
		struct px_init in = { 0 };

		v->space = (uint8_t)space;
		if (!px_expect(m, TK_IDENT, "the name of a variable") || !var_size(m, v, &d, loc)) {
			px_skip_statement(m);
			return NULL;
		}
		if (px_accept(m, TK('='))) {
			if (space != SP_GLOBAL && space != SP_CONST)
				px_error(m->px, loc, "only global and constant variables can have initial values");
			px_parse_init(m, v, d.dim, d.num_dims, &in);
		}
		if (name->sym && name->sym->kind == SY_VAR && name->sym->depth == m->depth &&
		    name->sym->var->is_extern) {	/* defined after an extern declaration */
			sym = name->sym;
			v->symbol = sym->var->symbol;
			sym->var = v;
		} else {
			sym = px_declare(m, name, SY_VAR, loc);
			if (!sym)
				continue;
			sym->var = v;
			if (space != SP_LOCAL && space != SP_FPARAM)
				v->symbol = px_image_symbol(m, local_name(m, name), PPU_SYM_UNDEF);
		}
		v->is_extern = is_extern;
		if (space == SP_LOCAL || space == SP_FPARAM)
			px_new_var(m, v);
		else
			place_var(m, sym, &d, &in, is_extern, weak, visible, first_late);
		px_debug_variable(m, name, v);
	} while (px_accept(m, TK(',')));
	if (!px_expect(m, TK(';'), "';' after the declaration"))
		px_skip_statement(m);
	return sym;
}

/* A formal parameter: ".param ..." or ".reg ...".  A parameter with the name "_" is not declared. */
struct px_sym *px_parse_param(struct px_module *m, unsigned space)
{
	bool reg = m->lex.tok.kind == TK_DOT && m->lex.tok.str->mod == PM_reg;
	struct px_sym *sym;
	struct px_var *v = px_alloc(&m->px->arena, sizeof(*v));
	struct px_str *name;
	struct px_loc loc;
	struct decl d;

	if (m->lex.tok.kind != TK_DOT || (!reg && m->lex.tok.str->mod != PM_param) ||
	    (reg && space == SP_KPARAM)) {
		px_error(m->px, m->lex.tok.loc, "a parameter starts with .param");
		return NULL;
	}
	px_next(&m->lex);
	if (!parse_decl_mods(m, &d))
		return NULL;
	name = m->lex.tok.str;
	loc = m->lex.tok.loc;
	v->space = (uint8_t)space;
	v->formal = true;
	if (!px_expect(m, TK_IDENT, "the name of a parameter") || !var_size(m, v, &d, loc))
		return NULL;
	if (v->is_array && !v->size) {
		px_error(m->px, loc, "parameters of unknown size (variadic functions) are not supported");
		return NULL;
	}
	if (name->len == 1 && name->s[0] == '_') {
		sym = px_alloc(&m->px->arena, sizeof(*sym));
		sym->kind = SY_VAR;
		sym->name = name;
	} else {
		sym = px_declare(m, name, reg ? SY_REG : SY_VAR, loc);
		if (!sym)
			return NULL;
	}
	sym->var = v;
	sym->type = (uint8_t)d.pt;
	return sym;
}
