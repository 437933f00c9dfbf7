/* SPDX-License-Identifier: MIT */
/* Declarations: registers, variables with initialisers, image symbols. */
#include <string.h>
#include "compiler/ptx/lower/lower.h"

/* ---- image symbols ---- */

uint32_t px_image_symbol(struct px_module *m, const char *name, unsigned kind)
{
	struct ppu_symbol s = { .name = (char *)name, .kind = kind };

	PX_PUSH(&m->px->arena, m->syms, m->num_syms, m->cap_syms, s);
	return m->num_syms - 1;
}

/* ---- registers ---- */

static bool is_type(struct px_str *s)
{
	return s->mod && s->mod < PT_COUNT;
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

#define MAX_DIMS	8	/* deeper ones are laid out without padding of inner lists */

struct decl {
	uint64_t dim[MAX_DIMS];	/* of the variable read last; .v2 and .v4 count as one more */
	unsigned num_dims;
	unsigned pt, vec;
	uint64_t align;
	bool managed, ptr;
};

/* [.align n] [.v4] .type [.ptr ...] [.attribute(...)], any order. */
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
			/* says where a pointer points to */
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

/* [n][m]...: sizes multiply; *unsized when the first is empty. */
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
			if (d->num_dims < MAX_DIMS)
				d->dim[d->num_dims++] = 0;
			continue;
		}
		n = px_const_expr(m);
		if (n < 0 || (n && *count > (1ull << 40) / (uint64_t)n)) {
			px_error(m->px, loc, "this array is too large");
			return false;
		}
		*count *= (uint64_t)n;
		if (d->num_dims < MAX_DIMS)
			d->dim[d->num_dims++] = (uint64_t)n;
		if (!px_expect(m, TK(']'), "']'"))
			return false;
	}
	if (d->vec > 1 && d->num_dims < MAX_DIMS)
		d->dim[d->num_dims++] = d->vec;
	return true;
}

/* ---- initialisers ---- */

struct init {
	uint8_t *at;		/* NULL: count only */
	uint64_t where, size, pos;	/* offset of the variable in the data, bytes, bytes done */
	uint64_t step[MAX_DIMS];	/* bytes of one element of a list, by nesting depth; 0: any */
	unsigned pt;
	bool unsized;
	uint8_t *buf;
	uint64_t cap;
};

static void init_room(struct px_module *m, struct init *in, uint64_t need)
{
	uint64_t cap = in->cap ? in->cap : 64;
	uint8_t *p;

	if (need <= in->cap)
		return;
	while (cap < need)
		cap *= 2;
	p = px_alloc(&m->px->arena, cap);
	if (in->pos)
		memcpy(p, in->buf, in->pos);
	in->buf = p;
	in->cap = cap;
}

static void init_ref(struct px_module *m, struct init *in, struct px_str *name, struct px_loc loc)
{
	struct px_reloc_ref r = { name, loc, in->pos, 0 };

	if (px_accept(m, TK('+')))
		r.addend = px_const_expr(m);
	else if (m->lex.tok.kind == TK('-'))
		r.addend = px_const_expr(m);
	if (px_type_bits(in->pt) != 64) {
		px_error(m->px, loc, "an address needs an element of 64 bits; use .u64");
		return;
	}
	PX_PUSH(&m->px->arena, m->late, m->num_late, m->cap_late, r);
}

static uint64_t float_bits(const struct px_token *t, unsigned pt)
{
	double d;
	float f;
	uint32_t u = (uint32_t)t->i;

	memcpy(&f, &u, 4);
	memcpy(&d, &t->i, 8);
	if (t->kind == TK_F32)
		d = f;
	else
		f = (float)d;
	if (px_type_bits(pt) == 64) {
		uint64_t w;

		memcpy(&w, &d, 8);
		return w;
	}
	memcpy(&u, &f, 4);
	return u;
}

static void init_value(struct px_module *m, struct init *in)
{
	unsigned bytes = px_type_bits(in->pt) / 8;
	struct px_lex *lx = &m->lex;
	struct px_loc loc = lx->tok.loc;
	bool neg = false;
	uint64_t v = 0;

	if (!in->unsized && in->pos + bytes > in->size) {
		px_error(m->px, loc, "there are more initial values than elements");
		px_next(lx);
		return;
	}
	if (in->pos + bytes > PX_MAX_DATA) {
		px_error(m->px, loc, "this initialiser is too large");
		m->px->give_up = true;
		return;
	}
	init_room(m, in, in->pos + 16);
	if (lx->tok.kind == TK_IDENT && strcmp(lx->tok.str->s, "WARP_SZ")) {
		struct px_str *name = lx->tok.str;

		px_next(lx);
		if (!strcmp(name->s, "generic") && px_accept(m, TK('('))) {
			name = lx->tok.str;
			if (!px_expect(m, TK_IDENT, "the name of a variable"))
				return;
			px_expect(m, TK(')'), "')'");
		}
		init_ref(m, in, name, loc);
	} else {
		if (lx->tok.kind == TK('-')) {
			neg = true;
			px_next(lx);
		}
		if (lx->tok.kind == TK_F32 || lx->tok.kind == TK_F64) {
			v = float_bits(&lx->tok, in->pt);
			if (neg)
				v ^= 1ull << (px_type_bits(in->pt) - 1);
			px_next(lx);
		} else {
			v = (uint64_t)(neg ? px_const_after_minus(m) : px_const_expr(m));
			if (lx->tok.kind == TK('(')) {
				px_error(m->px, loc, "a byte of an address, as in 0xff(symbol), is not supported; use elements of type .u64");
				px_skip_statement(m);
			}
		}
	}
	memcpy(in->buf + in->pos, &v, bytes > 8 ? 8 : bytes);
	in->pos += bytes;
}

/* As in C: what an inner list leaves out of its row is zero. */
static void init_list(struct px_module *m, struct init *in, unsigned depth)
{
	if (depth > 32) {
		px_error(m->px, m->lex.tok.loc, "this initialiser is nested too deeply");
		m->px->give_up = true;
		return;
	}
	do {
		if (m->lex.tok.kind == TK('}'))
			break;
		if (px_accept(m, TK('{'))) {
			uint64_t end = in->pos + (depth < MAX_DIMS ? in->step[depth] : 0);

			init_list(m, in, depth + 1);
			if (end > in->pos && end <= PX_MAX_DATA) {
				init_room(m, in, end);
				in->pos = end;
			}
		} else {
			init_value(m, in);
		}
	} while (px_accept(m, TK(',')) && !m->px->give_up);
	px_expect(m, TK('}'), "'}' after the initial values");
}

static uint64_t place_data(struct px_module *m, struct px_loc loc, uint64_t size, uint64_t align)
{
	uint64_t at = px_align(m->data_bytes, align);
	uint8_t *p;

	if (size > PX_MAX_DATA || at + size > PX_MAX_DATA) {
		px_error(m->px, loc, "the variables of this module are larger than %llu bytes; allocate memory at run time",
			 PX_MAX_DATA);
		return 0;
	}
	if (at + size > m->data_cap) {
		m->data_cap = at + size > m->data_cap * 2 ? at + size : m->data_cap * 2;
		p = px_alloc(&m->px->arena, m->data_cap);
		if (m->data_bytes)
			memcpy(p, m->data, m->data_bytes);
		m->data = p;
	}
	m->data_bytes = at + size;
	if (align > m->data_align)
		m->data_align = align;
	return at;
}

static void parse_init(struct px_module *m, struct px_var *v, const struct decl *d, struct init *in)
{
	uint64_t step = px_type_bits(v->type) / 8;
	unsigned k;

	*in = (struct init){ .size = v->size, .pt = v->type, .unsized = v->is_array && !v->size };
	for (k = d->num_dims; k-- > 0 && step <= PX_MAX_DATA; step *= d->dim[k])
		in->step[k] = step;
	if (px_accept(m, TK('{')))
		init_list(m, in, 0);
	else
		init_value(m, in);
	if (in->unsized)
		v->size = in->pos;
}

/* ---- placing variables ---- */

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
	bool own = m->func && m->func->kernel;	/* of this kernel only */
	uint32_t *end = own ? &m->shared_kernel : &m->shared_module;
	uint64_t at = px_align(*end, v->align);

	if (v->size > PX_MAX_SHARED || at + v->size > PX_MAX_SHARED) {
		px_error(m->px, loc, "static shared memory is larger than %u bytes; use dynamic shared memory",
			 PX_MAX_SHARED);
		return;
	}
	s->value = at;
	*end = (uint32_t)(at + v->size);
	if (own)	/* the module's part comes before it, when its size is known */
		PX_PUSH(&m->px->arena, m->own_shared, m->num_own_shared, m->cap_own_shared, v->symbol);
	if (v->align > m->shared_align)
		m->shared_align = v->align;
}

static void place_var(struct px_module *m, struct px_sym *sym, struct decl *d, struct init *in,
		      bool is_extern, bool weak, bool visible, uint32_t first_late)
{
	struct px_var *v = sym->var;
	struct ppu_symbol *s;
	uint64_t at;
	uint32_t k;

	v->symbol = px_image_symbol(m, local_name(m, sym->name), PPU_SYM_UNDEF);
	s = &m->syms[v->symbol];
	s->size = v->size;
	s->align = v->align;
	s->flags = (visible || is_extern || weak ? PPU_SYMF_GLOBAL : 0) |
		   (weak ? PPU_SYMF_WEAK : 0) | (d->managed ? PPU_SYMF_MANAGED : 0);
	if (v->space == SP_SHARED && is_extern && v->size) {	/* dynamic if no module defines it */
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
	s = &m->syms[v->symbol];
	s->kind = v->space == SP_CONST ? PPU_SYM_CONST : PPU_SYM_GLOBAL;
	s->value = at;
	if (in && in->pos && at + in->pos <= m->data_bytes)
		memcpy(m->data + at, in->buf, in->pos);
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
	m->func = NULL;		/* the same for all functions */
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

/* At ".space"; one or more variables up to ';'. */
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
		struct init in = { 0 };

		v->space = (uint8_t)space;
		if (!px_expect(m, TK_IDENT, "the name of a variable") || !var_size(m, v, &d, loc)) {
			px_skip_statement(m);
			return NULL;
		}
		if (px_accept(m, TK('='))) {
			if (space != SP_GLOBAL && space != SP_CONST)
				px_error(m->px, loc, "only global and constant variables can have initial values");
			parse_init(m, v, &d, &in);
		}
		if (name->sym && name->sym->kind == SY_VAR && name->sym->depth == m->depth &&
		    name->sym->var->is_extern) {	/* defined after an extern declaration */
			sym = name->sym;
			m->syms[sym->var->symbol].flags = 0;
			v->symbol = sym->var->symbol;
			sym->var = v;
		} else {
			sym = px_declare(m, name, SY_VAR, loc);
			if (!sym)
				continue;
			sym->var = v;
		}
		v->is_extern = is_extern;
		if (space == SP_LOCAL || space == SP_FPARAM)
			px_new_var(m, v);
		else
			place_var(m, sym, &d, &in, is_extern, weak, visible, first_late);
	} while (px_accept(m, TK(',')));
	if (!px_expect(m, TK(';'), "';' after the declaration"))
		px_skip_statement(m);
	return sym;
}

/* A formal parameter: ".param ..." or ".reg ..."; "_" when `anonymous` names are allowed. */
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

/* Initialisers that name symbols. */
void px_resolve_late(struct px_module *m)
{
	uint32_t k;

	for (k = 0; k < m->num_late; k++) {
		struct px_reloc_ref *r = &m->late[k];
		struct px_sym *s = r->name->sym;
		struct ppu_reloc rel = { .where = r->where, .addend = r->addend };

		if (!s || (s->kind != SY_FUNC && (s->kind != SY_VAR || s->var->space > SP_SHARED))) {
			px_error(m->px, r->loc, "'%s' in an initialiser is not declared at module level",
				 r->name->s);
			continue;
		}
		rel.kind = s->kind == SY_FUNC ? PPU_REL_DATA_PC64 : PPU_REL_DATA_ABS64;
		rel.symbol = s->kind == SY_FUNC ? s->symbol : s->var->symbol;
		PX_PUSH(&m->px->arena, m->relocs, m->num_relocs, m->cap_relocs, rel);
	}
}
