/* SPDX-License-Identifier: MIT */
/*
 * wmma in shuffles and multiply-adds.
 *
 * What a fragment holds, which PTX leaves open but for the number of registers (M, N, K are those of the shape):
 *   a: lane l has row l mod M: of .f16 all K elements, else part l / M of 32 / M; k ascending, low bits first
 *   b: lane l has column l mod N, in the same way
 *   c, d: lane l has row l mod M, and of its columns M * N / 32, beginning with l / M times as many
 * The layouts .row and .col say how the matrix lies in memory; fragments do not depend on them.
 *
 * mma: d = c + a[0] * b[0] + ... in ascending order (px_low_mat.c).
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_addr.h"
#include "compiler/ptx/lower/px_low_mat.h"

#define MAX_SUMS 8u	/* elements of c and d in a lane */
#define MAX_PARTS 32u	/* of a row of a */

struct wmma {
	struct px_module *m;
	const struct px_inst *in;
	uint8_t rows, columns, k;
	bool col;
	unsigned space;		/* of load and store: PPU_SPACE_* */
};

/* All shapes, the types of factors (px_mat_class), and of c and d. */
static const struct shape {
	uint16_t mod;
	uint8_t m, n, k;
	uint8_t factors[3], sums[3];
} shapes[] = {
	{ PM_m16n16k16, 16, 16, 16, { PT_F16, PT_BF16, PT_S8 }, { PT_F16, PT_F32, PT_S32 } },
	{ PM_m32n8k16, 32, 8, 16, { PT_F16, PT_BF16, PT_S8 }, { PT_F16, PT_F32, PT_S32 } },
	{ PM_m8n32k16, 8, 32, 16, { PT_F16, PT_BF16, PT_S8 }, { PT_F16, PT_F32, PT_S32 } },
	{ PM_m16n16k8, 16, 16, 8, { PT_TF32 }, { PT_F32 } },
	{ PM_m8n8k4, 8, 8, 4, { PT_F64 }, { PT_F64 } },
	{ PM_m8n8k32, 8, 8, 32, { PT_S4 }, { PT_S32 } },
	{ PM_m8n8k128, 8, 8, 128, { PT_B1 }, { PT_S32 } },
};

/* The shape, if it has fragments of type pt: of factors, or of c and d. */
static bool shape(struct wmma *w, unsigned pt, bool sums)
{
	unsigned k, t;

	for (k = 0; k < PX_ARRAY_SIZE(shapes) && !px_has(w->in, shapes[k].mod); k++)
		;
	if (k == PX_ARRAY_SIZE(shapes)) {
		px_error(w->m->px, w->in->loc, "'wmma' needs a shape, such as .m16n16k16");
		return false;
	}
	w->rows = shapes[k].m;
	w->columns = shapes[k].n;
	w->k = shapes[k].k;
	for (t = 0; t < 3; t++)
		if (pt && (sums ? shapes[k].sums[t] == pt : shapes[k].factors[t] == px_mat_class(pt)))
			return true;
	px_error(w->m->px, w->in->loc, "'wmma' of this shape has no %s of type .%s", sums ? "c and d" : "a and b",
		 px_type_text(pt));
	return false;
}

/* The number of elements of a row of a (or column of b) that a lane has. */
static unsigned elements(const struct wmma *w, unsigned pt, unsigned lines)
{
	return pt == PT_F16 ? w->k : w->k * lines / 32;
}

static unsigned sums(const struct wmma *w)
{
	return (unsigned)w->rows * w->columns / 32;
}

/* Fragments of fewer than eight bits, and their products, have one layout. */
static bool one_layout(unsigned pt)
{
	return px_mat_class(pt) == PT_S4 || pt == PT_B1;
}

/* The first of the n elements that a lane has of its line, of which there are so many: n * (lane / lines). */
static px_val first_element(const struct wmma *w, px_val lane, unsigned lines, unsigned n)
{
	unsigned shift = (unsigned)__builtin_ctz(lines);

	return px_binary(w->m, PPU_OP_SHL, PPU_T_U32, px_binary(w->m, PPU_OP_SHR, PPU_T_U32, lane, px_imm(shift)),
			 px_imm(__builtin_ctz(n)));
}

/* ---- load and store ---- */

/* base + index * bytes */
static px_val element_address(struct px_module *m, px_val base, px_val index, unsigned bytes)
{
	struct px_insn *i = px_temp(m, PPU_OP_MADW, PPU_T_U32);

	i->s[0] = px_reg(index);
	i->s[1] = px_imm(bytes);
	i->s[2] = px_reg(base);
	i->d = px_tmp(m, 2);
	return i->d;
}

/* One memory instruction on registers of type pt. */
static void access(const struct wmma *w, px_val address, int64_t offset, unsigned pt, struct px_opn *v, unsigned n)
{
	bool load = px_has(w->in, PM_load);
	struct px_inst mem = { .name = w->in->name, .loc = w->in->loc, .n = 2, .num_types = 1 };
	unsigned space = w->space == PPU_SPACE_SHARED ? PM_shared : PM_global;

	mem.types[0] = (uint8_t)pt;
	if (w->space != PPU_SPACE_GENERIC)
		mem.mods[space / 64] |= 1ull << (space % 64);
	if (n == 4)
		mem.mods[PM_v4 / 64] |= 1ull << (PM_v4 % 64);
	mem.o[load] = (struct px_opn){ .kind = OP_ADDR, .type = PT_B64, .has_base = true, .v = address,
				       .imm = offset, .loc = w->in->loc };
	mem.o[!load] = n == 1 ? *v : (struct px_opn){ .kind = OP_VEC, .vec = v, .nvec = n, .loc = w->in->loc };
	(load ? px_low_ld : px_low_st)(w->m, &mem);
}

static struct px_opn reg_opn(px_val v, unsigned type)
{
	return (struct px_opn){ .kind = OP_REG, .type = (uint8_t)type, .v = v };
}

/* Loads or stores two halves that are in one register, and at two addresses in memory. */
static void access_pair(const struct wmma *w, px_val at[2], struct px_opn *v)
{
	struct px_module *m = w->m;
	struct px_opn half[2];
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < 2; k++)
		half[k] = reg_opn(px_tmp(m, 1), PT_B16);
	for (k = 0; k < 2 && px_has(w->in, PM_load); k++)
		access(w, at[k], 0, PT_B16, &half[k], 1);
	if (px_has(w->in, PM_load)) {
		i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
		i->s[0] = px_reg(half[0].v);
		i->s[1] = px_reg(half[1].v);
		i->s[2] = px_imm(0x5410);
		i->d = px_dst_opn(m, v, PT_B32);
		return;
	}
	half[0].v = px_force_reg(m, px_src_opn(m, v, PT_B32), 1);
	half[1].v = px_binary(m, PPU_OP_SHR, PPU_T_U32, half[0].v, px_imm(16));
	for (k = 0; k < 2; k++)
		access(w, at[k], 0, PT_B16, &half[k], 1);
}

/* Loads four bytes, from four addresses, into one register. */
static void load_bytes(const struct wmma *w, const px_val at[4], struct px_opn *v)
{
	struct px_module *m = w->m;
	struct px_opn byte[4];
	struct px_insn *i;
	px_val half[2];
	unsigned k;

	for (k = 0; k < 4; k++) {
		byte[k] = reg_opn(px_tmp(m, 1), PT_B32);
		access(w, at[k], 0, PT_U8, &byte[k], 1);
	}
	for (k = 0; k < 3; k++) {
		i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
		i->s[0] = px_reg(k < 2 ? byte[2 * k].v : half[0]);
		i->s[1] = px_reg(k < 2 ? byte[2 * k + 1].v : half[1]);
		i->s[2] = px_imm(k < 2 ? 0x5540 : 0x5410);
		i->d = k < 2 ? half[k] = px_tmp(m, 1) : px_dst_opn(m, v, PT_B32);
	}
}

/* Elements that lie next to each other: 16 bytes at a time if there are so many. */
static void along(const struct wmma *w, px_val base, px_val index, unsigned bits, struct px_opn *v, unsigned n)
{
	unsigned k, step = bits < 64 && n % 4 == 0 ? 4 : 1, bytes = bits == 64 ? 8 : 4;
	px_val at;

	if (bits < 8)
		index = px_binary(w->m, PPU_OP_SHR, PPU_T_U32, index, px_imm(bits == 4 ? 1 : 3));
	at = element_address(w->m, base, index, bits < 8 ? 1 : bits / 8);
	for (k = 0; k < n; k += step)
		access(w, at, bytes * (int64_t)k, bits == 64 ? PT_B64 : PT_B32, v + k, step);
}

/* Elements that lie a stride apart. */
static void across(const struct wmma *w, px_val base, px_val index, px_val stride, unsigned bits,
		   struct px_opn *v, unsigned n)
{
	px_val at[5] = { element_address(w->m, base, index, bits / 8) };
	unsigned k, e, per = bits < 32 ? 32 / bits : 1;

	for (k = 0; k < n; k++) {
		for (e = 0; e < per; e++)
			at[e + 1] = element_address(w->m, at[e], stride, bits / 8);
		if (per == 1)
			access(w, at[0], 0, bits == 64 ? PT_B64 : PT_B32, &v[k], 1);
		else if (per == 2)
			access_pair(w, at, &v[k]);
		else
			load_bytes(w, at, &v[k]);
		at[0] = at[per];
	}
}

/* a * b + c: row * stride + column, or column * stride + row. */
static px_val mad(struct px_module *m, px_val a, px_val b, px_val c)
{
	struct px_insn *i = px_temp(m, PPU_OP_MAD, PPU_T_U32);

	i->s[0] = px_reg(a);
	i->s[1] = px_reg(b);
	i->s[2] = c ? px_reg(c) : px_imm(0);
	i->d = px_tmp(m, 1);
	return i->d;
}

/* Looks whether there is such a fragment; *n: the registers that it has, *per: the elements of a line in a lane. */
static bool fragment_form(struct wmma *w, bool a, bool b, bool cd, unsigned *n, unsigned *per)
{
	const struct px_inst *in = w->in;
	unsigned pt = in->types[0];

	if (a + b + cd != 1 || in->num_types != 1 || px_has(in, PM_row) == px_has(in, PM_col)) {
		px_error(w->m->px, in->loc, "this form of 'wmma' is not supported: .load of .a, .b or .c, .store of .d, one type, .row or .col");
		return false;
	}
	if (in->n > 3) {
		px_error(w->m->px, in->loc, "'wmma.load' and 'wmma.store' take a fragment, an address, and a stride");
		return false;
	}
	if (!shape(w, pt, cd))
		return false;
	if (!cd && one_layout(pt) && w->col != b) {
		px_error(w->m->px, in->loc, "'wmma' of .%s needs a of .row and b of .col", px_type_text(pt));
		return false;
	}
	*per = cd ? sums(w) : elements(w, pt, b ? w->columns : w->rows);
	*n = *per / px_mat_per_register(pt);
	return true;
}

static void load_store(struct wmma *w)
{
	struct px_module *m = w->m;
	const struct px_inst *in = w->in;
	bool load = px_has(in, PM_load), a = px_has(in, PM_a), b = px_has(in, PM_b);
	bool cd = load ? px_has(in, PM_c) : px_has(in, PM_d);
	const struct px_opn *data = &in->o[load ? 0 : 1], *address = &in->o[load ? 1 : 0];
	unsigned bits = px_type_bits(in->types[0]), lines, n, per, lead;
	struct px_opn one = *data, *v = data->kind == OP_VEC ? data->vec : &one;
	px_val base, lane, own, first = 0, stride;
	struct px_insn *i;
	bool func_param;

	if (!fragment_form(w, a, b, cd, &n, &per) || !px_mat_fragment(m, data, in->types[0], n, NULL))
		return;
	/* the stride if none is given: the length of a row, or with .col of a column */
	lead = cd ? w->col ? w->rows : w->columns : a ? w->col ? w->rows : w->k : w->col ? w->k : w->columns;
	stride = px_force_reg(m, in->n == 3 ? px_src_opn(m, &in->o[2], PT_B32) : px_imm(lead), 1);
	if (in->n == 3) {	/* the register may be a destination, too */
		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->s[1] = px_reg(stride);
		i->d = stride = px_tmp(m, 1);
	}
	w->space = px_space_of(m, in, &func_param);
	base = px_address_value(m, address, 2, &w->space);
	if (!base)
		return;
	lines = b ? w->columns : w->rows;
	lane = px_lane_number(m);
	own = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(lines - 1));
	if (cd || per < w->k)
		first = first_element(w, lane, lines, per);
	if (w->col == b)	/* a lane's elements are neighbours */
		along(w, base, mad(m, own, stride, first), bits, v, n);
	else
		across(w, base, first ? mad(m, first, stride, own) : own, stride, bits, v, n);
}

/* ---- mma ---- */

/* Word k of a line: which register of which lane, if a lane has n registers of each line. */
static px_val word(struct px_module *m, const px_val *v, unsigned n, unsigned k, px_val lane, unsigned lines)
{
	if (k / n)
		lane = px_binary(m, PPU_OP_ADD, PPU_T_U32, lane, px_imm(k / n * lines));
	return px_mat_from_lane(m, v[k % n], lane);
}

static void products(const struct wmma *w, const struct px_mat *mat, const px_val *a, const px_val *b, px_val *sum)
{
	struct px_module *m = w->m;
	unsigned per = px_mat_per_register(mat->a), words = w->k / per, e, k, p, parts = 0;
	unsigned na = elements(w, mat->a, w->rows) / per, nb = elements(w, mat->b, w->columns) / per;
	px_val af[MAX_PARTS], bf[PX_MAT_PARTS], lane = px_lane_number(m), row = 0, column;

	if (na < words)
		row = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm(w->rows - 1));
	for (k = 0; k < words; k++)
		parts = px_mat_unpack(m, mat->a, row ? word(m, a, na, k, row, w->rows) : a[k], &af[parts * k]);
	column = first_element(w, lane, w->rows, sums(w));
	for (e = 0; e < sums(w); e++) {
		px_val from = e ? px_binary(m, PPU_OP_ADD, PPU_T_U32, column, px_imm(e)) : column;

		for (k = 0; k < words; k++) {
			px_mat_unpack(m, mat->b, word(m, b, nb, k, from, w->columns), bf);
			for (p = 0; p < parts; p++)
				sum[e] = px_mat_add(mat, af[parts * k + p], bf[p], sum[e]);
		}
	}
}

static unsigned sum_registers(const struct wmma *w, unsigned pt)
{
	return sums(w) / px_mat_per_register(pt);
}

static void mma(struct wmma *w)
{
	struct px_module *m = w->m;
	const struct px_inst *in = w->in;
	struct px_mat mat;
	px_val a[PX_MAT_WORDS], b[PX_MAT_WORDS], c[MAX_SUMS], sum[MAX_SUMS];
	unsigned e, per;

	if (in->n != 4) {
		px_error(m->px, in->loc, "'wmma.mma' takes 4 operands, this one has %u", in->n);
		return;
	}
	if (!px_mat_types(m, in, &mat) || !shape(w, mat.a, false))
		return;
	if ((!px_has(in, PM_row) && !px_has(in, PM_col)) ||
	    (one_layout(mat.a) && !(px_has(in, PM_row) && px_has(in, PM_col)))) {
		px_error(m->px, in->loc, "'wmma.mma' needs the layouts of a and b, such as .row.col");
		return;
	}
	per = px_mat_per_register(mat.a);
	if (!px_mat_fragment(m, &in->o[0], mat.d, sum_registers(w, mat.d), NULL) ||
	    !px_mat_fragment(m, &in->o[1], mat.a, elements(w, mat.a, w->rows) / per, a) ||
	    !px_mat_fragment(m, &in->o[2], mat.b, elements(w, mat.b, w->columns) / per, b) ||
	    !px_mat_fragment(m, &in->o[3], mat.c, sum_registers(w, mat.c), c))
		return;
	for (e = 0; e < sums(w); e++)
		sum[e] = px_mat_first(&mat, c, e);
	products(w, &mat, a, b, sum);
	px_mat_store(&mat, &in->o[0], c, sum, sums(w));
}

void px_low_wmma(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct wmma w = { .m = m, .in = &plain, .col = px_has(in, PM_col) };
	struct px_block *after = px_begin_guard(m, &plain);

	if (!px_mat_one_each(m, in))
		return;
	if (px_has(in, PM_mma))
		mma(&w);
	else if (px_has(in, PM_load) != px_has(in, PM_store))
		load_store(&w);
	else
		px_error(m->px, in->loc, "'wmma' needs .load, .store or .mma");
	px_end_guard(m, after);
}
