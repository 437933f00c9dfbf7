/* SPDX-License-Identifier: MIT */
/* Parses one instruction (guard, opcode, modifiers, operands) and has it translated. */
#include <string.h>
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_decl.h"
#include "compiler/ptx/front/px_forms.h"
#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/lower/px_low.h"

static const struct {
	const char *name;
	px_lower_fn *fn;
	uint8_t min, max;
	const char *mods;
} ops[PX_NUM_OPS] = {
#define O(name, fn, min, max, mods) [PX_OP_##name] = { #name, fn, min, max, mods },
	PX_OPS(O)
#undef O
};

/* Instructions that are left out on purpose; the sentence says what to use. */
static const struct {
	const char *name, *advice;
} unsupported[] = {
	{ "sured", "surface reductions are not supported; use red.global" },
	{ "wgmma", "warp-group matrix instructions are not supported; use wmma or mma.sync" },
	{ "setmaxnreg", "setmaxnreg is not supported; use .maxnreg" },
	{ "alloca", "alloca is not supported; declare a .local array" },
	{ "stacksave", "stacksave is not supported; declare .local arrays" },
	{ "multimem", "multimem is not supported: there is one device" },
	{ "istypep", "opaque types cannot be asked for; textures are 64-bit handles" },
};

/* Forms that are left out on purpose, by the modifier that makes them. */
static const struct {
	const char *name, *mod, *advice;
} unsupported_forms[] = {
	{ "mma", "sp", "products of sparse matrices are not supported; use mma without .sp on the whole matrix" },
	{ "mma", "sp::ordered_metadata", "products of sparse matrices are not supported; use mma without .sp on the whole matrix" },
	{ "mma", "block_scale", "scaled matrices are of sm_120 and not supported; compile for compute_90" },
	{ "redux", "f32", "redux of floats is of sm_100 and not supported; use shfl and min or max" },
	{ "ldmatrix", "m16n16", "ldmatrix of this shape is of sm_100 and not supported; use .m8n8" },
	{ "ldmatrix", "m8n16", "ldmatrix of this shape is of sm_100 and not supported; use .m8n8" },
	{ "stmatrix", "m16n8", "stmatrix of this shape is of sm_100 and not supported; use .m8n8" },
	{ "cvt", "u2", "cvt.pack to 2 bits is not supported; use min, max and bfi" },
	{ "cvt", "s2", "cvt.pack to 2 bits is not supported; use min, max and bfi" },
	{ "cvt", "rs", "stochastic rounding is of sm_100 and not supported; use .rn" },
	{ "fma", "oob", "fma.oob is not supported; have boxes of tensors filled with zeros, and use fma" },
	{ "cp", "im2col::w", "im2col::w is of sm_100 and not supported; use .im2col" },
	{ "cp", "im2col::w::128", "im2col::w is of sm_100 and not supported; use .im2col" },
	{ "cp", "tile::gather4", "tile::gather4 is of sm_100 and not supported; use four copies" },
	{ "cp", "tile::scatter4", "tile::scatter4 is of sm_100 and not supported; use four copies" },
	{ "tensormap", "swizzle_atomicity", "swizzles of other chunks than 16 bytes are of sm_100 and not supported" },
	{ "st", "bulk", "st.bulk is of sm_100 and not supported; use st in a loop" },
};

static const char *why_not(const char *name, const char *mod)
{
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(unsupported_forms); k++)
		if (!strcmp(unsupported_forms[k].name, name) && !strcmp(unsupported_forms[k].mod, mod))
			return unsupported_forms[k].advice;
	return NULL;
}

/* ---- operands ---- */

/*
 * Special registers that PTX has and the ISA's table lacks.  Counters of the performance monitor, and environment registers without a meaning, read 0.
 */
static const struct {
	const char *name;
	uint16_t number;
} more_sregs[] = {
	{ "%globaltimer_lo", PX_SR_GLOBALTIMER_LO }, { "%globaltimer_hi", PX_SR_GLOBALTIMER_HI },
	{ "%current_graph_exec", PPU_SR_ENVREG0 }, { "%aggr_smem_size", PPU_SR_TOTAL_SMEM },
};

static int more_special(const char *name)
{
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(more_sregs); k++)
		if (!strcmp(name, more_sregs[k].name))
			return more_sregs[k].number;
	if ((!strncmp(name, "%pm", 3) && name[3] >= '0' && name[3] <= '7') ||
	    (!strncmp(name, "%envreg", 7) && name[7] >= '0' && name[7] <= '9'))
		return PX_SR_ZERO;
	return -1;
}

static int special(struct px_module *m, struct px_str *name)
{
	char text[48];
	struct px_str *s;
	int more;

	if (name->sreg)
		return name->sreg - 1;
	if (m->lex.tok.kind == TK_DOT) {
		snprintf(text, sizeof(text), "%.30s.%.10s", name->s, m->lex.tok.str->s);
		s = px_intern(m->px, text, strlen(text));
		more = s->sreg ? s->sreg - 1 : more_special(text);
		if (more >= 0) {
			px_next(&m->lex);
			return more;
		}
	}
	return more_special(name->s);
}

static bool parse_vec(struct px_module *m, struct px_opn *o)
{
	struct px_opn e[8];
	uint32_t n = 0;

	do {
		if (n == PX_ARRAY_SIZE(e)) {
			px_error(m->px, m->lex.tok.loc, "a vector operand has at most 8 elements");
			return false;
		}
		if (m->lex.tok.kind == TK('{') || m->lex.tok.kind == TK('[')) {
			px_error(m->px, m->lex.tok.loc, "a vector element must be a register or a constant");
			return false;
		}
		if (!px_parse_opn(m, &e[n]))
			return false;
		n++;
	} while (px_accept(m, TK(',')));
	o->kind = OP_VEC;
	o->nvec = n;
	o->vec = px_alloc(&m->px->arena, n * sizeof(*e));
	memcpy(o->vec, e, n * sizeof(*e));
	return px_expect(m, TK('}'), "'}' after the vector's elements");
}

/* What ends an address: ']', or coordinates before it, as copies of tensors have them. */
static bool end_addr(struct px_module *m, struct px_opn *o)
{
	struct px_opn v = { 0 };

	if (px_accept(m, TK(','))) {
		if (!px_expect(m, TK('{'), "'{' before the coordinates") || !parse_vec(m, &v))
			return false;
		o->vec = v.vec;
		o->nvec = v.nvec;
	}
	return px_expect(m, TK(']'), "']' after the address");
}

static bool parse_addr(struct px_module *m, struct px_opn *o)
{
	struct px_opn base;

	o->kind = OP_ADDR;
	if (m->lex.tok.kind == TK_IDENT) {
		if (m->lex.tok.str->sym || px_lookup(m, m->lex.tok.str) ||
		    strcmp(m->lex.tok.str->s, "WARP_SZ")) {
			if (!px_parse_opn(m, &base))
				return false;
			if (base.kind == OP_REG) {
				o->has_base = true;
				o->v = base.v;
				o->type = base.type;
			} else if (base.kind == OP_SYM) {
				o->sym = base.sym;
				o->imm = base.imm;
				o->index = base.index;
				o->index_type = base.index_type;
				o->step = base.step;
			} else {
				px_error(m->px, base.loc, base.kind == OP_NAME ?
					 "'%s' is not declared" : "'%s' is not an address",
					 base.name ? base.name->s : "this");
				return false;
			}
			if (px_accept(m, TK('+')))
				o->imm = px_add(o->imm, px_const_expr(m));
			else if (m->lex.tok.kind == TK('-'))
				o->imm = px_add(o->imm, px_const_expr(m));
			return end_addr(m, o);
		}
	}
	o->imm = px_const_expr(m);
	return end_addr(m, o);
}

/*
 * %reserved_smem_offset_begin, _end, _cap and _<n>: shared memory that is set aside for the compilers' own
 * libraries (cooperative groups of several warps).  A module that reads one of these registers gets such memory.
 */
static bool reserved_shared(struct px_module *m, struct px_opn *o)
{
	static const char prefix[] = "%reserved_smem_offset_";
	const char *which = o->name->s + sizeof(prefix) - 1;

	if (strncmp(o->name->s, prefix, sizeof(prefix) - 1))
		return false;
	o->kind = OP_SYM;
	o->sym = px_reserved_shared(m);
	if (!strcmp(which, "end") || !strcmp(which, "cap"))
		o->imm = PX_RESERVED_SHARED;
	return true;
}

/* What follows the '[' of var[index]: a constant, a register, a register and a constant. The index counts elements. */
static bool parse_index(struct px_module *m, struct px_opn *o, uint64_t step)
{
	struct px_sym *s = m->lex.tok.kind == TK_IDENT ? px_lookup(m, m->lex.tok.str) : NULL;
	int64_t n = 0;

	if (s && s->kind == SY_REG) {
		unsigned bits = px_type_bits(s->type);

		if (s->type == PT_PRED || s->vtype > 1 || (bits != 32 && bits != 64) || o->index) {
			px_error(m->px, m->lex.tok.loc, o->index ? "only one index can be a register" :
				 "an index must be a register of 32 or 64 bits, or a constant");
			return false;
		}
		o->index = s->val;
		o->index_type = s->type;
		o->step = step;
		px_next(&m->lex);
		if (px_accept(m, TK('+')) || m->lex.tok.kind == TK('-'))
			n = px_const_expr(m);
	} else {
		n = px_const_expr(m);
	}
	o->imm = px_add(o->imm, (int64_t)((uint64_t)n * step));
	return px_expect(m, TK(']'), "']' after the index");
}

/* An element of an array, or a part of an array of several dimensions. */
static bool parse_element(struct px_module *m, struct px_opn *o)
{
	const struct px_var *v = o->sym->var;
	unsigned dim = 0;

	o->elem = true;
	do {
		uint64_t step = v->elem;

		if (dim && dim >= v->num_dims) {
			px_error(m->px, m->lex.tok.loc, "'%s' has fewer dimensions", o->sym->name->s);
			return false;
		}
		for (unsigned k = dim + 1; k < v->num_dims; k++)
			step *= v->dim[k];
		dim++;
		px_next(&m->lex);
		if (!parse_index(m, o, step))
			return false;
	} while (m->lex.tok.kind == TK('['));
	return true;
}

static bool parse_name(struct px_module *m, struct px_opn *o)
{
	struct px_str *name = m->lex.tok.str;
	struct px_sym *s = px_lookup(m, name);
	int sr;

	px_next(&m->lex);
	o->name = name;
	if (s && s->kind == SY_REG) {
		o->kind = OP_REG;
		o->v = s->val;
		o->type = s->type;
		if (s->vtype > 1) {
			static const char comp[] = "xyzwrgba";
			const char *c = m->lex.tok.kind == TK_DOT && m->lex.tok.str->len == 1 ?
				strchr(comp, m->lex.tok.str->s[0]) : NULL;

			if (c && (unsigned)(c - comp) % 4 < s->vtype) {
				o->v = s->velem[(c - comp) % 4];
				px_next(&m->lex);
			} else {
				unsigned i;

				o->kind = OP_VEC;
				o->nvec = s->vtype;
				o->vec = px_alloc(&m->px->arena, s->vtype * sizeof(*o));
				for (i = 0; i < s->vtype; i++)
					o->vec[i] = (struct px_opn){ .kind = OP_REG, .type = s->type,
								     .v = s->velem[i], .loc = o->loc };
			}
		}
		return true;
	}
	if (s && (s->kind == SY_VAR || s->kind == SY_FUNC)) {
		o->kind = OP_SYM;
		o->sym = s;
		if (s->kind == SY_VAR && m->lex.tok.kind == TK('[') && !parse_element(m, o))
			return false;
		while (s->kind == SY_VAR && (m->lex.tok.kind == TK('+') || m->lex.tok.kind == TK('-'))) {
			px_accept(m, TK('+'));	/* a '-' belongs to the constant */
			o->imm = px_add(o->imm, px_const_expr(m));
		}
		return true;
	}
	if (name->s[0] == '_' && name->len == 1) {
		o->kind = OP_SINK;
		return true;
	}
	if (!s && reserved_shared(m, o))
		return true;
	if (!s && name->s[0] == '%') {
		sr = special(m, name);
		if (sr < 0) {
			px_error(m->px, o->loc, "register '%s' is not declared", name->s);
			return false;
		}
		o->kind = OP_SREG;
		o->sreg = (unsigned)sr;
		return true;
	}
	o->kind = OP_NAME;
	o->sym = s;
	return true;
}

static bool parse_float(struct px_module *m, struct px_opn *o, bool neg)
{
	o->kind = OP_FLOAT;
	o->single = m->lex.tok.kind == TK_F32;
	o->imm = (int64_t)m->lex.tok.i;
	if (neg)
		o->imm ^= o->single ? (int64_t)0x80000000 : INT64_MIN;
	px_next(&m->lex);
	return true;
}

bool px_parse_opn(struct px_module *m, struct px_opn *o)
{
	struct px_lex *lx = &m->lex;

	memset(o, 0, sizeof(*o));
	o->loc = lx->tok.loc;
	switch (lx->tok.kind) {
	case TK('{'):
		px_next(lx);
		return parse_vec(m, o);
	case TK('['):
		px_next(lx);
		return parse_addr(m, o);
	case TK_F32:
	case TK_F64:
		return parse_float(m, o, false);
	case TK('!'):
		px_next(lx);
		if (lx->tok.kind != TK_IDENT || !parse_name(m, o) || o->kind != OP_REG) {
			px_error(m->px, o->loc, "'!' must be followed by a predicate register");
			return false;
		}
		o->neg = true;
		return true;
	case TK_IDENT:
		if (!strcmp(lx->tok.str->s, "WARP_SZ") && !px_lookup(m, lx->tok.str)) {
			o->kind = OP_IMM;
			o->imm = px_const_expr(m);
			return true;
		}
		if (!parse_name(m, o))
			return false;
		if (lx->tok.kind == TK('|') && (o->kind == OP_REG || o->kind == OP_SINK)) {
			px_next(lx);
			o->pipe = px_alloc(&m->px->arena, sizeof(*o));
			o->pipe->loc = lx->tok.loc;
			if (lx->tok.kind != TK_IDENT) {
				px_error(m->px, lx->tok.loc, "'|' must be followed by a register");
				return false;
			}
			return parse_name(m, o->pipe);
		}
		return true;
	case TK('-'):
		px_next(lx);
		if (lx->tok.kind == TK_F32 || lx->tok.kind == TK_F64)
			return parse_float(m, o, true);
		o->kind = OP_IMM;
		o->imm = px_const_after_minus(m);
		return true;
	case TK_INT:
	case TK('('):
	case TK('~'):
	case TK('+'):
		o->kind = OP_IMM;
		o->imm = px_const_expr(m);
		return true;
	default:
		px_error(m->px, lx->tok.loc, "an operand was expected here");
		return false;
	}
}

/* ---- modifiers ---- */

static bool word_in(const char *list, const char *word, size_t len)
{
	const char *p = list;

	while (*p) {
		const char *q = strchr(p, ' ');
		size_t n = q ? (size_t)(q - p) : strlen(p);

		if (n == len && !memcmp(p, word, n))
			return true;
		p += n + (q != NULL);
	}
	return false;
}

static bool allowed(const char *list, struct px_str *s)
{
	if (!s->mod)
		return false;
	if (s->mod < PT_COUNT && !px_type_element(s->mod))
		return word_in(list, "T", 1) || word_in(list, s->s, s->len);
	return word_in(list, s->s, s->len);
}

static bool add_mod(struct px_module *m, struct px_inst *in, struct px_str *s, struct px_loc loc)
{
	const char *name = in->name->s, *why;

	if (!allowed(ops[in->op].mods, s)) {
		why = why_not(name, s->s);
		if (why) {
			px_error(m->px, loc, "%s", why);
			return false;
		}
		px_error(m->px, loc, s->mod ? "'%s' does not take '.%s' here; see the supported forms in the compiler's manual" :
			 "'%s' has an unknown modifier '.%s'; remove it or use a supported form",
			 name, s->s);
		return false;
	}
	in->num_mods++;
	if (s->mod < PT_COUNT) {
		if (in->num_types == PX_ARRAY_SIZE(in->types)) {
			px_error(m->px, loc, "'%s' has too many types", name);
			return false;
		}
		in->types[in->num_types++] = (uint8_t)s->mod;
	}
	if (s->mod == PM_row || s->mod == PM_col)
		in->layouts[in->layouts[0] != 0] = s->mod;
	in->mods[s->mod / 64] |= 1ull << (s->mod % 64);
	return true;
}

static bool parse_mods(struct px_module *m, struct px_inst *in)
{
	while (m->lex.tok.kind == TK_DOT) {
		if (!add_mod(m, in, m->lex.tok.str, m->lex.tok.loc))
			return false;
		px_next(&m->lex);
	}
	return true;
}

static bool parse_guard(struct px_module *m, struct px_inst *in)
{
	bool neg;

	px_next(&m->lex);
	neg = px_accept(m, TK('!'));
	if (m->lex.tok.kind != TK_IDENT) {
		px_error(m->px, m->lex.tok.loc, "'@' must be followed by a predicate register");
		return false;
	}
	in->guard.loc = m->lex.tok.loc;
	if (!parse_name(m, &in->guard))
		return false;
	if (in->guard.kind != OP_REG || in->guard.type != PT_PRED) {
		px_error(m->px, in->guard.loc, "'%s' is not a predicate register",
			 in->guard.name ? in->guard.name->s : "this");
		return false;
	}
	in->guard.neg = neg;
	return true;
}

static void unknown_opcode(struct px_module *m, struct px_inst *in)
{
	const char *s = in->name->s;
	unsigned i;

	for (i = 0; i < PX_ARRAY_SIZE(unsupported); i++)
		if (!strcmp(s, unsupported[i].name)) {
			px_error(m->px, in->loc, "%s", unsupported[i].advice);
			return;
		}
	px_error(m->px, in->loc, "'%s' is not a PTX instruction this compiler knows", s);
}

/* Video instructions have -a, and parts of registers: a.b0, a.h10. */
static bool parse_video_opn(struct px_module *m, struct px_opn *o)
{
	bool neg = px_accept(m, TK('-'));

	if (!px_parse_opn(m, o))
		return false;
	if (neg && o->kind == OP_IMM)
		o->imm = (int64_t)(0 - (uint64_t)o->imm);
	else
		o->neg = neg;
	if (o->kind == OP_REG && m->lex.tok.kind == TK_DOT) {
		o->part = m->lex.tok.str;
		px_next(&m->lex);
	}
	return true;
}

/* An instruction that accesses memory: var[index] is an address to it, and the address's value to all others. */
static bool accesses_memory(unsigned op)
{
	const char *mods = ops[op].mods;

	return op != PX_OP_cvta && op != PX_OP_isspacep && (word_in(mods, "shared", 6) || word_in(mods, "global", 6));
}

static bool parse_operands(struct px_module *m, struct px_inst *in)
{
	bool video = ops[in->op].fn == px_low_video;

	if (m->lex.tok.kind == TK(';'))
		return true;
	do {
		if (in->n == PX_MAX_OPNS) {
			px_error(m->px, m->lex.tok.loc, "'%s' has too many operands", in->name->s);
			return false;
		}
		if (!(video ? parse_video_opn : px_parse_opn)(m, &in->o[in->n]))
			return false;
		if (in->o[in->n].kind == OP_ADDR && in->o[in->n].nvec && !px_has(in, PM_tensor)) {
			px_error(m->px, in->o[in->n].loc, "only copies of tensors take coordinates");
			return false;
		}
		if (in->o[in->n].elem && accesses_memory(in->op))
			in->o[in->n].kind = OP_ADDR;
		in->n++;
	} while (px_accept(m, TK(',')));
	return true;
}

static void bad_count(struct px_module *m, const struct px_inst *in)
{
	unsigned min = ops[in->op].min, max = ops[in->op].max;

	if (min == max)
		px_error(m->px, in->loc, "'%s' takes %u operand%s, this one has %u", in->name->s, min,
			 min == 1 ? "" : "s", in->n);
	else
		px_error(m->px, in->loc, "'%s' takes %u to %u operands, this one has %u", in->name->s,
			 min, max, in->n);
}

static bool parse_rest(struct px_module *m, struct px_inst *in)
{
	if (in->op == PX_OP_call || ops[in->op].fn == px_low_texture) {
		if (!(in->op == PX_OP_call ? px_parse_call : px_parse_texture)(m, in))
			return false;
		ops[in->op].fn(m, in);
		return true;
	}
	if (!parse_operands(m, in) || !px_expect(m, TK(';'), "';' after the instruction"))
		return false;
	if (px_has(in, PM_L2_hint) && in->n > ops[in->op].min)
		in->n--;	/* the last operand is the cache policy, a hint that is ignored */
	if (in->n < ops[in->op].min || in->n > ops[in->op].max) {
		bad_count(m, in);
		return true;	/* the statement is consumed */
	}
	ops[in->op].fn(m, in);
	return true;
}

void px_parse_inst(struct px_module *m)
{
	struct px_inst in;

	memset(&in, 0, sizeof(in));
	if (m->lex.tok.kind == TK('@') && !parse_guard(m, &in)) {
		px_skip_statement(m);
		return;
	}
	in.loc = m->src = m->lex.tok.loc;
	if (m->lex.tok.kind != TK_IDENT) {
		px_error(m->px, in.loc, "an instruction was expected here");
		px_skip_statement(m);
		return;
	}
	in.name = m->lex.tok.str;
	if (!in.name->op) {
		unknown_opcode(m, &in);
		px_skip_statement(m);
		return;
	}
	in.op = in.name->op - 1u;
	px_next(&m->lex);
	if (!parse_mods(m, &in) || !parse_rest(m, &in))
		px_skip_statement(m);
}
