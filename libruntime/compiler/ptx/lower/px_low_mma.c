/* SPDX-License-Identifier: MIT */
/*
 * mma and ldmatrix, in shuffles and multiply-adds.  PTX says what each lane holds.  With g = lane / 4, t = lane % 4,
 * and n elements in a register, all forms but one (px_low_mma_quad.c) follow one rule:
 *   register r of a has row g + 8 * (r % (M / 8)), columns (4 * (r / (M / 8)) + t) * n and the n - 1 next
 *   register r of b has rows (4 * r + t) * n and the n - 1 next, column g
 *   element e of c and d has row g + 8 * (e / 2), column 2t + e % 2
 * d = c + a[0] * b[0] + ... in ascending order (px_low_mat.c).
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_addr.h"
#include "compiler/ptx/lower/px_low_mat.h"
#include "compiler/ptx/lower/px_low_mma_quad.h"

#define QUAD	4u	/* lanes that hold one row of a, one column of b */
#define GROUPS	2u	/* at most, of eight rows */

struct mma {
	struct px_mat mat;
	unsigned groups;	/* of eight rows */
	unsigned words;		/* in a row of a: in registers of QUAD lanes */
	px_val a[PX_MAT_WORDS], b[PX_MAT_WORDS];
	px_val quad;		/* the first lane with this row of a */
	px_val column;		/* the first lane with column 2t of b */
};

/* All forms by the type of the factors (px_mat_class), with M and K. */
static const struct {
	uint8_t class;
	uint16_t shape;
	uint8_t m;
	uint16_t k;
} forms[] = {
	{ PT_F16, PM_m16n8k8, 16, 8 }, { PT_F16, PM_m16n8k16, 16, 16 }, { PT_BF16, PM_m16n8k8, 16, 8 },
	{ PT_BF16, PM_m16n8k16, 16, 16 }, { PT_TF32, PM_m16n8k4, 16, 4 }, { PT_TF32, PM_m16n8k8, 16, 8 },
	{ PT_F64, PM_m8n8k4, 8, 4 }, { PT_F64, PM_m16n8k4, 16, 4 }, { PT_F64, PM_m16n8k8, 16, 8 },
	{ PT_F64, PM_m16n8k16, 16, 16 }, { PT_S8, PM_m8n8k16, 8, 16 }, { PT_S8, PM_m16n8k16, 16, 16 },
	{ PT_S8, PM_m16n8k32, 16, 32 }, { PT_S4, PM_m8n8k32, 8, 32 }, { PT_S4, PM_m16n8k32, 16, 32 },
	{ PT_S4, PM_m16n8k64, 16, 64 }, { PT_B1, PM_m8n8k128, 8, 128 }, { PT_B1, PM_m16n8k128, 16, 128 },
	{ PT_B1, PM_m16n8k256, 16, 256 }, { PT_E4M3, PM_m16n8k16, 16, 16 }, { PT_E4M3, PM_m16n8k32, 16, 32 },
};

static bool form(struct px_module *m, const struct px_inst *in, struct mma *w)
{
	unsigned class = px_mat_class(w->mat.a), k;

	for (k = 0; k < PX_ARRAY_SIZE(forms); k++)
		if (forms[k].class == class && px_has(in, forms[k].shape))
			break;
	if (k == PX_ARRAY_SIZE(forms)) {
		px_error(m->px, in->loc, "'mma' with factors of .%s has no such shape", px_type_text(w->mat.a));
		return false;
	}
	if (in->layouts[0] != PM_row || in->layouts[1] != PM_col) {
		px_error(m->px, in->loc, "'mma' of this shape is .row.col");
		return false;
	}
	w->groups = forms[k].m / 8;
	w->words = forms[k].k / px_mat_per_register(class);
	return true;
}

static unsigned sum_registers(const struct mma *w, unsigned pt)
{
	return 2 * w->groups / (pt == PT_F16 ? 2 : 1);
}

static px_val other(const struct mma *w, px_val base, unsigned add)
{
	return add ? px_binary(w->mat.m, PPU_OP_ADD, PPU_T_U32, base, px_imm(add)) : base;
}

/* Adds the products of word k of the rows and columns that belong to the lane's elements of d. */
static void step(const struct mma *w, unsigned k, px_val *sum)
{
	struct px_module *m = w->mat.m;
	px_val a[GROUPS][PX_MAT_PARTS], b[2][PX_MAT_PARTS], word;
	unsigned reg = k / QUAD, lane = k % QUAD, e, p, n = 0;

	for (e = 0; e < w->groups; e++) {
		word = px_mat_from_lane(m, w->a[w->groups * reg + e], other(w, w->quad, lane));
		n = px_mat_unpack(m, w->mat.a, word, a[e]);
	}
	for (e = 0; e < 2; e++) {
		word = px_mat_from_lane(m, w->b[reg], other(w, w->column, e * QUAD + lane));
		px_mat_unpack(m, w->mat.b, word, b[e]);
	}
	for (e = 0; e < 2 * w->groups; e++)
		for (p = 0; p < n; p++)
			sum[e] = px_mat_add(&w->mat, a[e / 2][p], b[e % 2][p], sum[e]);
}

void px_low_mma(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct mma w = { .groups = 0 };
	struct px_block *after;
	px_val c[2 * GROUPS], sum[2 * GROUPS], lane;
	unsigned k, regs;

	if (!px_mat_one_each(m, in) || !px_mat_types(m, in, &w.mat))
		return;
	if (w.mat.a == PT_F16 && px_has(in, PM_m8n8k4)) {
		px_low_mma_quad(m, in, &w.mat);
		return;
	}
	if (!form(m, in, &w) ||
	    !px_mat_fragment(m, &in->o[0], w.mat.d, sum_registers(&w, w.mat.d), NULL))
		return;
	after = px_begin_guard(m, &plain);
	regs = w.words / QUAD;
	if (!px_mat_fragment(m, &in->o[1], w.mat.a, w.groups * regs, w.a) ||
	    !px_mat_fragment(m, &in->o[2], w.mat.b, regs, w.b) ||
	    !px_mat_fragment(m, &in->o[3], w.mat.c, sum_registers(&w, w.mat.c), c))
		return;
	lane = px_lane_number(m);
	w.quad = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(32 - QUAD));
	w.column = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(QUAD - 1));
	w.column = px_binary(m, PPU_OP_SHL, PPU_T_U32, w.column, px_imm(3));
	for (k = 0; k < 2 * w.groups; k++)
		sum[k] = px_mat_first(&w.mat, c, k);
	for (k = 0; k < w.words; k++)
		step(&w, k, sum);
	px_mat_store(&w.mat, &in->o[0], c, sum, 2 * w.groups);
	px_end_guard(m, after);
}

/* ---- ldmatrix: lane 8i + r has the address of row r of matrix i ---- */

static void shared_load(struct px_module *m, px_val address, unsigned type, px_val d)
{
	struct px_insn *i = px_temp(m, PPU_OP_LD, type);

	i->m = PPU_SPACE_SHARED;
	i->s[0] = px_reg(address);
	px_ld_into(m, i, d);
}

static px_val row_element(struct px_module *m, px_val address, px_val row, unsigned matrix, px_val offset)
{
	px_val lane = matrix ? px_binary(m, PPU_OP_ADD, PPU_T_U32, row, px_imm(8 * matrix)) : row;

	return px_binary(m, PPU_OP_ADD, PPU_T_U32, px_from_lane(m, address, lane), px_reg(offset));
}

/* Rows 2t and 2t + 1 of column g, in one register. */
static void transposed(struct px_module *m, px_val address, px_val g, px_val t, unsigned matrix, px_val d)
{
	px_val row = px_binary(m, PPU_OP_SHL, PPU_T_U32, t, px_imm(1));
	px_val offset = px_binary(m, PPU_OP_SHL, PPU_T_U32, g, px_imm(1)), half[2];
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < 2; k++) {
		px_val r = k ? px_binary(m, PPU_OP_ADD, PPU_T_U32, row, px_imm(1)) : row;

		half[k] = px_tmp(m, 1);
		shared_load(m, row_element(m, address, r, matrix, offset), PPU_T_U16, half[k]);
	}
	i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = px_reg(half[0]);
	i->s[1] = px_reg(half[1]);
	i->s[2] = px_imm(0x5410);
	i->d = d;
}

struct matrices {
	px_val address;
	px_val g, t, offset;	/* offset: of a lane's two elements, in its row */
	unsigned n;
};

/* Reads what ldmatrix and stmatrix have in common.  False: reported. */
static bool matrices(struct px_module *m, const struct px_inst *in, const struct px_opn *regs, const struct px_opn *address,
		     struct matrices *x)
{
	unsigned space;
	px_val lane;

	if (!px_mat_one_each(m, in))
		return false;
	x->n = px_has(in, PM_x4) ? 4 : px_has(in, PM_x2) ? 2 : 1;
	if (!px_has(in, PM_m8n8) || !px_mat_fragment(m, regs, PT_B32, x->n, NULL)) {
		px_error(m->px, in->loc, "'%s' has the form %s.sync.aligned.m8n8.x1 (x2, x4) .b16", in->name->s, in->name->s);
		return false;
	}
	space = px_has(in, PM_shared) || px_has(in, PM_shared_cta) ? PPU_SPACE_SHARED : PPU_SPACE_GENERIC;
	x->address = px_address_value(m, address, 1, &space);
	if (!x->address)
		return false;
	lane = px_lane_number(m);
	x->g = px_binary(m, PPU_OP_SHR, PPU_T_U32, lane, px_imm(2));
	x->t = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(QUAD - 1));
	x->offset = px_binary(m, PPU_OP_SHL, PPU_T_U32, x->t, px_imm(2));
	return true;
}

void px_low_ldmatrix(struct px_module *m, const struct px_inst *in)
{
	const struct px_opn *d = in->o[0].kind == OP_VEC ? in->o[0].vec : &in->o[0];
	struct px_inst plain = *in;
	struct px_block *after = px_begin_guard(m, &plain);
	struct matrices x;
	unsigned k;

	if (!matrices(m, in, &in->o[0], &in->o[1], &x))
		return;
	for (k = 0; k < x.n; k++) {
		px_val to = px_dst_opn(m, &d[k], PT_B32);

		if (!to)
			to = px_tmp(m, 1);
		if (px_has(in, PM_trans))
			transposed(m, x.address, x.g, x.t, k, to);
		else
			shared_load(m, row_element(m, x.address, x.g, k, x.offset), PPU_T_U32, to);
	}
	px_end_guard(m, after);
}

/* ---- stmatrix, movmatrix ---- */

static void shared_store(struct px_module *m, px_val address, unsigned type, px_val v)
{
	struct px_insn *i = px_temp(m, PPU_OP_ST, type);

	i->m = PPU_SPACE_SHARED;
	i->s[0] = px_reg(address);
	px_st_from(m, i, v);
}

/* The halves of v to rows 2t and 2t + 1, column g. */
static void store_transposed(struct px_module *m, const struct matrices *x, unsigned matrix, px_val v)
{
	px_val row = px_binary(m, PPU_OP_SHL, PPU_T_U32, x->t, px_imm(1));
	px_val offset = px_binary(m, PPU_OP_SHL, PPU_T_U32, x->g, px_imm(1));

	shared_store(m, row_element(m, x->address, row, matrix, offset), PPU_T_U16, v);
	row = px_binary(m, PPU_OP_ADD, PPU_T_U32, row, px_imm(1));
	v = px_binary(m, PPU_OP_SHR, PPU_T_U32, v, px_imm(16));
	shared_store(m, row_element(m, x->address, row, matrix, offset), PPU_T_U16, v);
}

void px_low_stmatrix(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after = px_begin_guard(m, &plain);
	struct matrices x;
	px_val v[4];
	unsigned k;

	if (!matrices(m, in, &in->o[1], &in->o[0], &x) || !px_mat_fragment(m, &in->o[1], PT_B32, x.n, v))
		return;
	for (k = 0; k < x.n; k++)
		if (px_has(in, PM_trans))
			store_transposed(m, &x, k, v[k]);
		else
			shared_store(m, row_element(m, x.address, x.g, k, x.offset), PPU_T_U32, v[k]);
	px_end_guard(m, after);
}

/* movmatrix: elements [g][2t] and [g][2t + 1] of the transposed matrix are [2t][g] and [2t + 1][g]. */
void px_low_movmatrix(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after;
	px_val v, lane, column, from, half[2], which;
	struct px_insn *i;

	if (!px_has(in, PM_m8n8) || !px_has(in, PM_trans)) {
		px_error(m->px, in->loc, "'movmatrix' has the form movmatrix.sync.aligned.m8n8.trans.b16");
		return;
	}
	after = px_begin_guard(m, &plain);
	v = px_force_reg(m, px_src(m, in, 1, PT_B32), 1);
	lane = px_lane_number(m);
	column = px_binary(m, PPU_OP_SHR, PPU_T_U32, lane, px_imm(2));
	from = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(QUAD - 1));
	from = px_binary(m, PPU_OP_SHL, PPU_T_U32, from, px_imm(3));
	from = px_binary(m, PPU_OP_ADD, PPU_T_U32, from, px_reg(px_binary(m, PPU_OP_SHR, PPU_T_U32, column, px_imm(1))));
	half[0] = px_from_lane(m, v, from);
	half[1] = px_from_lane(m, v, px_binary(m, PPU_OP_ADD, PPU_T_U32, from, px_imm(QUAD)));
	which = px_binary(m, PPU_OP_AND, PPU_T_U32, column, px_imm(1));
	which = px_binary(m, PPU_OP_MUL, PPU_T_U32, which, px_imm(0x2222));
	which = px_binary(m, PPU_OP_ADD, PPU_T_U32, which, px_imm(0x5410));	/* both low halves, or both high ones */
	i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = px_reg(half[0]);
	i->s[1] = px_reg(half[1]);
	i->s[2] = px_reg(which);
	i->d = px_dst(m, in, 0, PT_B32);
	px_end_guard(m, after);
}
