/* SPDX-License-Identifier: MIT */
/*
 * mma and ldmatrix on halves, in shuffles and multiply-adds.  PTX says what each lane holds: with
 * g = lane / 4 and t = lane % 4, register r of
 *   a has row g + 8 (r % 2), columns 2t + 8 (r / 2) and the next
 *   b has rows 2t + 8r and the next, column g
 *   c and d have row g + 8 (e / 2), column 2t + e % 2, for element e
 * d = c + a[0] * b[0] + ... in ascending order, each step one f32 fma.
 */
#include "compiler/ptx/lower/px_low.h"

#define QUAD	4u	/* lanes that hold one row of a, one column of b */

struct mma {
	struct px_module *m;
	unsigned type;		/* PPU_T_F16, PPU_T_BF16 */
	unsigned steps;		/* 8 columns of a each */
	px_val a[4], b[2];
	px_val lane, quad;	/* quad: the first lane with this row of a */
	px_val column;		/* the first lane with column 2t of b */
};

static px_val other(const struct mma *w, px_val base, unsigned add)
{
	return add ? px_binary(w->m, PPU_OP_ADD, PPU_T_U32, base, px_imm(add)) : base;
}

/* Adds eight products to sum: columns 8s..8s+7 of row g + 8 * high of a, times these rows of column 2t + odd of b. */
static px_val step(const struct mma *w, px_val sum, unsigned s, unsigned high, unsigned odd)
{
	unsigned j, half;

	for (j = 0; j < QUAD; j++) {
		px_val a = px_from_lane(w->m, w->a[2 * s + high], other(w, w->quad, j));
		px_val b = px_from_lane(w->m, w->b[s], other(w, w->column, odd * QUAD + j));

		for (half = 0; half < 2; half++)
			sum = px_fma32(w->m, px_half_to_float(w->m, a, half, w->type),
				       px_half_to_float(w->m, b, half, w->type), sum);
	}
	return sum;
}

static bool registers(struct px_module *m, const struct px_opn *o, unsigned n, px_val *v)
{
	const struct px_opn *e = o->kind == OP_VEC ? o->vec : o;
	unsigned have = o->kind == OP_VEC ? o->nvec : 1, k;

	if (have != n) {
		px_error(m->px, o->loc, "this fragment has %u registers", n);
		return false;
	}
	for (k = 0; v && k < n; k++)
		v[k] = px_force_reg(m, px_src_opn(m, &e[k], PT_B32), 1);
	return true;
}

static bool forms(struct px_module *m, const struct px_inst *in, struct mma *w)
{
	unsigned d = in->types[0], ab = in->types[1], c = in->types[3];

	if (in->num_types != 4 || ab != in->types[2] || (ab != PT_F16 && ab != PT_BF16) ||
	    (d != PT_F32 && (d != PT_F16 || ab != PT_F16)) || (c != PT_F32 && (c != PT_F16 || ab != PT_F16)) ||
	    px_has(in, PM_m16n8k8) == px_has(in, PM_m16n8k16) || !px_has(in, PM_row) || !px_has(in, PM_col)) {
		px_error(m->px, in->loc, "'mma' is supported as m16n8k8 and m16n8k16, .row.col, with factors of .f16 or .bf16");
		return false;
	}
	w->type = ab == PT_F16 ? PPU_T_F16 : PPU_T_BF16;
	w->steps = px_has(in, PM_m16n8k16) ? 2 : 1;
	return true;
}

static void products(const struct mma *w, const struct px_inst *in, const px_val *c, px_val *sum)
{
	unsigned e, s;

	for (e = 0; e < 4; e++) {
		sum[e] = in->types[3] == PT_F16 ? px_half_to_float(w->m, c[e / 2], e & 1, PPU_T_F16) : c[e];
		for (s = 0; s < w->steps; s++)
			sum[e] = step(w, sum[e], s, e / 2, e & 1);
	}
}

static void results(struct px_module *m, const struct px_inst *in, const px_val *sum)
{
	bool narrow = in->types[0] == PT_F16;
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < (narrow ? 2u : 4u); k++) {
		i = px_temp(m, narrow ? PPU_OP_CVT2 : PPU_OP_MOV, narrow ? PPU_T_F16X2 : PPU_T_U32);
		if (narrow) {
			i->u = PPU_T_F32;
			i->s[0] = px_reg(sum[2 * k + 1]);
			i->s[1] = px_reg(sum[2 * k]);
		} else {
			i->s[1] = px_reg(sum[k]);
		}
		i->d = px_dst_opn(m, &in->o[0].vec[k], PT_B32);
	}
}

void px_low_mma(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct mma w = { .m = m };
	struct px_block *after;
	px_val c[4], sum[4];

	if (!forms(m, in, &w) || !registers(m, &in->o[0], in->types[0] == PT_F16 ? 2 : 4, NULL))
		return;
	after = px_begin_guard(m, &plain);
	if (!registers(m, &in->o[1], 2 * w.steps, w.a) || !registers(m, &in->o[2], w.steps, w.b) ||
	    !registers(m, &in->o[3], in->types[3] == PT_F16 ? 2 : 4, c))
		return;
	w.lane = px_lane_number(m);
	w.quad = px_binary(m, PPU_OP_AND, PPU_T_U32, w.lane, px_imm(32 - QUAD));
	w.column = px_binary(m, PPU_OP_SHL, PPU_T_U32,
			     px_binary(m, PPU_OP_AND, PPU_T_U32, w.lane, px_imm(QUAD - 1)), px_imm(3));
	products(&w, in, c, sum);
	results(m, in, sum);
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

/* The address operand as an offset in shared memory. */
static px_val shared_address(struct px_module *m, const struct px_opn *o)
{
	struct px_opnd a;

	if (o->kind != OP_ADDR || (!o->sym && !o->has_base)) {
		px_error(m->px, o->loc, "an address in shared memory was expected here");
		return 0;
	}
	if (o->sym)
		return px_force_reg(m, px_sym_addr(m, o, 1), 1);
	a = px_sub(o->v, 0);
	if (!o->imm && px_type_bits(o->type) == 32)
		return o->v;
	return px_binary(m, PPU_OP_ADD, PPU_T_U32, px_force_reg(m, a, 1), px_imm(o->imm));
}

void px_low_ldmatrix(struct px_module *m, const struct px_inst *in)
{
	unsigned n = px_has(in, PM_x4) ? 4 : px_has(in, PM_x2) ? 2 : 1, k;
	const struct px_opn *d = in->o[0].kind == OP_VEC ? in->o[0].vec : &in->o[0];
	struct px_inst plain = *in;
	struct px_block *after;
	px_val address, lane, g, t, offset;

	if (!px_has(in, PM_m8n8) || !registers(m, &in->o[0], n, NULL)) {
		px_error(m->px, in->loc, "'ldmatrix' has the form ldmatrix.sync.aligned.m8n8.x1 (x2, x4) .b16");
		return;
	}
	after = px_begin_guard(m, &plain);
	address = shared_address(m, &in->o[1]);
	if (!address)
		return;
	lane = px_lane_number(m);
	g = px_binary(m, PPU_OP_SHR, PPU_T_U32, lane, px_imm(2));
	t = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(QUAD - 1));
	offset = px_binary(m, PPU_OP_SHL, PPU_T_U32, t, px_imm(2));
	for (k = 0; k < n; k++) {
		px_val to = px_dst_opn(m, &d[k], PT_B32);

		if (!to)
			to = px_tmp(m, 1);
		if (px_has(in, PM_trans))
			transposed(m, address, g, t, k, to);
		else
			shared_load(m, row_element(m, address, g, k, offset), PPU_T_U32, to);
	}
	px_end_guard(m, after);
}
