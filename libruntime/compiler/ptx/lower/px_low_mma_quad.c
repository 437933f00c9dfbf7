/* SPDX-License-Identifier: MIT */
/*
 * mma m8n8k4 on f16: four products at once, each of eight lanes.  Product p belongs to lanes 4p to 4p + 3 and the same
 * plus 16; lane number i of these (0 to 7) is lane 4p + i % 4 + 16 * (i / 4).
 *   a .row: lane i has row i, its four elements
 *     .col: lane i has column i % 4, rows 4 * (i / 4) to 4 * (i / 4) + 3
 *   b .col: lane i has column i, its four elements
 *     .row: lane i has row i % 4, columns 4 * (i / 4) to 4 * (i / 4) + 3
 *   c and d of f16: lane i has row i, its eight elements
 *     of f32: element e of lane i has row i % 2 + 4 * (i / 4) + e % 4 / 2 * 2, column e / 4 * 4 + i % 4 / 2 * 2 + e % 2
 * The sum is formed as in the other forms.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_mma_quad.h"

#define K	4u
#define SUMS	8u

struct quad {
	struct px_mat mat;
	bool acol, brow;
	px_val a[2], b[2];	/* four halves each */
	px_val lane, first;	/* first: lane 4p */
};

static px_val and(struct px_module *m, px_val v, uint32_t with)
{
	return px_binary(m, PPU_OP_AND, PPU_T_U32, v, px_imm(with));
}

static px_val add(struct px_module *m, px_val v, px_val w)
{
	return px_binary(m, PPU_OP_ADD, PPU_T_U32, v, px_reg(w));
}

static px_val plus(struct px_module *m, px_val v, uint32_t n)
{
	return n ? px_binary(m, PPU_OP_ADD, PPU_T_U32, v, px_imm(n)) : v;
}

/* Half number `which` (0 to 3, a value) of the four in v, as f32. */
static px_val half_of(struct px_module *m, const px_val *v, px_val which)
{
	px_val sel = plus(m, px_binary(m, PPU_OP_MUL, PPU_T_U32, which, px_imm(0x22)), 0x10);
	struct px_insn *i;

	i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = px_reg(v[0]);
	i->s[1] = px_reg(v[1]);
	i->s[2] = px_reg(sel);
	i->d = px_tmp(m, 1);
	return px_half_to_float(m, i->d, 0, PPU_T_F16);
}

/*
 * Element k of line number `line` (row of a, column of b): line, a value, is the number of the lane that has it if lines
 * lie in lanes.  Otherwise lane k of the line's group has it, at place line % 4.
 */
static px_val element(const struct quad *q, const px_val *v, bool along, px_val line, unsigned k)
{
	struct px_module *m = q->mat.m;
	px_val high = px_binary(m, PPU_OP_SHL, PPU_T_U32, and(m, line, 4), px_imm(2)), from, two[2];
	unsigned r;

	from = add(m, q->first, high);		/* the group of four lanes */
	if (along) {
		from = add(m, from, and(m, line, 3));
		return px_half_to_float(m, px_from_lane(m, v[k / 2], from), k % 2, PPU_T_F16);
	}
	from = plus(m, from, k);
	for (r = 0; r < 2; r++)
		two[r] = px_from_lane(m, v[r], from);
	return half_of(m, two, and(m, line, 3));
}

/* Row and column of element e of d. */
static void place(const struct quad *q, unsigned e, px_val *row, px_val *column)
{
	struct px_module *m = q->mat.m;
	px_val high = px_binary(m, PPU_OP_SHR, PPU_T_U32, and(m, q->lane, 16), px_imm(2));

	if (q->mat.d == PT_F16) {
		*row = add(m, and(m, q->lane, 3), high);
		*column = px_force_reg(m, px_imm(e), 1);
		return;
	}
	*row = plus(m, add(m, and(m, q->lane, 1), high), e % 4 / 2 * 2);
	*column = plus(m, and(m, q->lane, 2), e / 4 * 4 + e % 2);
}

static void products(const struct quad *q, px_val *sum)
{
	px_val row, column, a, b;
	unsigned e, k;

	for (e = 0; e < SUMS; e++) {
		place(q, e, &row, &column);
		for (k = 0; k < K; k++) {
			a = element(q, q->a, !q->acol, row, k);
			b = element(q, q->b, !q->brow, column, k);
			sum[e] = px_mat_add(&q->mat, a, b, sum[e]);
		}
	}
}

static bool layouts(struct px_module *m, const struct px_inst *in, struct quad *q)
{
	if (!in->layouts[0] || !in->layouts[1]) {
		px_error(m->px, in->loc, "'mma' needs the layouts of a and b, such as .row.col");
		return false;
	}
	q->acol = in->layouts[0] == PM_col;
	q->brow = in->layouts[1] == PM_row;
	return true;
}

void px_low_mma_quad(struct px_module *m, const struct px_inst *in, const struct px_mat *mat)
{
	struct px_inst plain = *in;
	struct quad q = { .mat = *mat };
	struct px_block *after;
	px_val c[SUMS], sum[SUMS];
	unsigned e;

	if (mat->c != mat->d) {
		px_error(m->px, in->loc, "'mma' of this shape has c of the type of d");
		return;
	}
	if (!layouts(m, in, &q) || !px_mat_fragment(m, &in->o[0], mat->d, SUMS / px_mat_per_register(mat->d), NULL))
		return;
	after = px_begin_guard(m, &plain);
	if (!px_mat_fragment(m, &in->o[1], PT_F16, 2, q.a) || !px_mat_fragment(m, &in->o[2], PT_F16, 2, q.b) ||
	    !px_mat_fragment(m, &in->o[3], mat->c, SUMS / px_mat_per_register(mat->c), c))
		return;
	q.lane = px_lane_number(m);
	q.first = and(m, q.lane, 12);
	for (e = 0; e < SUMS; e++)
		sum[e] = px_mat_first(mat, c, e);
	products(&q, sum);
	px_mat_store(mat, &in->o[0], c, sum, SUMS);
	px_end_guard(m, after);
}
