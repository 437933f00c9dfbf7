/* SPDX-License-Identifier: MIT */
/*
 * wmma with f16 factors, in shuffles and multiply-adds.
 *
 * What a fragment holds, which PTX leaves open (M, N, K are those of the shape, K = 16):
 *   a: lane l has row l mod M, 16 halves in 8 registers, k ascending, low half first
 *   b: lane l has column l mod N, in the same way
 *   c, d: lane l has row l mod M, columns 8 * (l / M) to 8 * (l / M) + 7: 8 floats, or 4 registers
 *   of two halves
 * The layouts .row and .col say how the matrix lies in memory; fragments do not depend on them.
 *
 * mma: d = c + a[0] * b[0] + ... + a[15] * b[15] in this order, each step one f32 fma; c and d of
 * f16 are converted before and after.
 */
#include "compiler/ptx/lower/px_low.h"

#define K	16u
#define PER_LANE 8u	/* elements of c and d */
#define NUM_AB	8u	/* registers of a and b */

struct wmma {
	struct px_module *m;
	const struct px_inst *in;
	unsigned rows, columns;
	bool col;
};

/* First column of the lane's part of c and d. */
static px_val first_column(const struct wmma *w, px_val lane)
{
	unsigned shift = (unsigned)__builtin_ctz(w->rows);

	return px_binary(w->m, PPU_OP_SHL, PPU_T_U32,
		      px_binary(w->m, PPU_OP_SHR, PPU_T_U32, lane, px_imm(shift)), px_imm(3));
}

static bool shape(struct wmma *w)
{
	static const struct { uint16_t mod; uint8_t m, n; } shapes[] = {
		{ PM_m16n16k16, 16, 16 }, { PM_m32n8k16, 32, 8 }, { PM_m8n32k16, 8, 32 },
	};
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(shapes); k++)
		if (px_has(w->in, shapes[k].mod)) {
			w->rows = shapes[k].m;
			w->columns = shapes[k].n;
			return true;
		}
	px_error(w->m->px, w->in->loc, "'wmma' needs the shape .m16n16k16, .m32n8k16 or .m8n32k16; others are not supported");
	return false;
}

/* ---- load and store ---- */

/* The address operand as a 64-bit value. */
static px_val base_address(struct px_module *m, const struct px_opn *o)
{
	struct px_insn *i;
	px_val v;

	if (o->kind != OP_ADDR || (!o->sym && !o->has_base)) {
		px_error(m->px, o->loc, "an address in [ ] was expected here");
		return 0;
	}
	if (o->sym)
		return px_force_reg(m, px_sym_addr(m, o, 2), 2);
	v = o->v;
	if (px_type_bits(o->type) == 32) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = px_reg(v);
		i->d = v = px_tmp(m, 2);
	}
	return o->imm ? px_binary(m, PPU_OP_ADD, PPU_T_U64, v, px_imm(o->imm)) : v;
}

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
	static const uint16_t spaces[] = { PM_global, PM_shared, PM_shared_cta };
	unsigned k;

	mem.types[0] = (uint8_t)pt;
	for (k = 0; k < PX_ARRAY_SIZE(spaces); k++)
		if (px_has(w->in, spaces[k]))
			mem.mods[spaces[k] / 64] |= 1ull << (spaces[k] % 64);
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

/* Elements that lie next to each other: 16 bytes at a time. */
static void along(const struct wmma *w, px_val base, px_val index, unsigned bytes, struct px_opn *v, unsigned n)
{
	px_val at = element_address(w->m, base, index, bytes);
	unsigned k;

	for (k = 0; k < n; k += 4)
		access(w, at, 4 * (int64_t)k, PT_B32, v + k, 4);
}

/* Elements that lie a stride apart. */
static void across(const struct wmma *w, px_val base, px_val index, px_val stride, unsigned bytes,
		   struct px_opn *v, unsigned n)
{
	px_val at = element_address(w->m, base, index, bytes), pair[2];
	unsigned k;

	for (k = 0; k < n; k++) {
		pair[0] = at;
		at = element_address(w->m, at, stride, bytes);
		if (bytes == 4) {
			access(w, pair[0], 0, PT_B32, &v[k], 1);
			continue;
		}
		pair[1] = at;
		at = element_address(w->m, at, stride, bytes);
		access_pair(w, pair, &v[k]);
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

static void load_store(struct wmma *w)
{
	struct px_module *m = w->m;
	const struct px_inst *in = w->in;
	bool load = px_has(in, PM_load), a = px_has(in, PM_a), b = px_has(in, PM_b);
	bool cd = load ? px_has(in, PM_c) : px_has(in, PM_d), narrow = in->types[0] == PT_F16;
	const struct px_opn *data = &in->o[load ? 0 : 1], *address = &in->o[load ? 1 : 0];
	unsigned n = cd && narrow ? PER_LANE / 2 : 8, lead;
	px_val base, lane, own, column, stride;

	if (a + b + cd != 1 || in->num_types != 1 || (!narrow && (in->types[0] != PT_F32 || !cd)) ||
	    px_has(in, PM_row) == px_has(in, PM_col)) {
		px_error(m->px, in->loc, "this form of 'wmma' is not supported: factors of .f16, .f16 or .f32 for the others, .row or .col");
		return;
	}
	if (data->kind != OP_VEC || data->nvec != n) {
		px_error(m->px, data->loc, "this fragment has %u registers", n);
		return;
	}
	/* the stride if none is given: the length of a row, or with .col of a column */
	lead = cd ? w->col ? w->rows : w->columns : a ? w->col ? w->rows : K : w->col ? K : w->columns;
	stride = px_force_reg(m, in->n == 3 ? px_src_opn(m, &in->o[2], PT_B32) : px_imm(lead), 1);
	base = base_address(m, address);
	if (!base)
		return;
	lane = px_lane_number(m);
	own = px_binary(m, PPU_OP_AND, PPU_T_U32, lane, px_imm((b ? w->columns : w->rows) - 1));
	column = cd ? first_column(w, lane) : 0;
	if (w->col == b)	/* a lane's elements are neighbours */
		along(w, base, mad(m, own, stride, column), narrow ? 2 : 4, data->vec, n);
	else
		across(w, base, column ? mad(m, column, stride, own) : own, stride, narrow ? 2 : 4, data->vec, n);
}

/* ---- mma ---- */

static bool fragment(struct px_module *m, const struct px_opn *o, unsigned n, px_val *v)
{
	unsigned k;

	if (o->kind != OP_VEC || o->nvec != n) {
		px_error(m->px, o->loc, "this fragment has %u registers", n);
		return false;
	}
	for (k = 0; v && k < n; k++)
		v[k] = px_force_reg(m, px_src_opn(m, &o->vec[k], PT_B32), 1);
	return true;
}

static void store_result(struct px_module *m, const struct px_opn *o, bool narrow, const px_val *sum)
{
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < (narrow ? PER_LANE / 2 : PER_LANE); k++) {
		if (narrow) {
			i = px_temp(m, PPU_OP_CVT2, PPU_T_F16X2);
			i->u = PPU_T_F32;
			i->s[0] = px_reg(sum[2 * k + 1]);
			i->s[1] = px_reg(sum[2 * k]);
		} else {
			i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
			i->s[1] = px_reg(sum[k]);
		}
		i->d = px_dst_opn(m, &o->vec[k], PT_B32);
	}
}

static void mma(struct wmma *w)
{
	struct px_module *m = w->m;
	const struct px_inst *in = w->in;
	bool dn = in->types[0] == PT_F16, cn = in->types[1] == PT_F16;
	px_val a[NUM_AB], b[NUM_AB], c[PER_LANE], af[K], sum[PER_LANE], column;
	unsigned e, k;

	if (in->num_types != 2 || (!dn && in->types[0] != PT_F32) || (!cn && in->types[1] != PT_F32) || in->n != 4) {
		px_error(m->px, in->loc, "'wmma.mma' is supported with factors of .f16, and d and c of .f16 or .f32");
		return;
	}
	if (!fragment(m, &in->o[0], dn ? PER_LANE / 2 : PER_LANE, NULL) || !fragment(m, &in->o[1], NUM_AB, a) ||
	    !fragment(m, &in->o[2], NUM_AB, b) || !fragment(m, &in->o[3], cn ? PER_LANE / 2 : PER_LANE, c))
		return;
	for (k = 0; k < K; k++)
		af[k] = px_half_to_float(m, a[k / 2], k & 1, PPU_T_F16);
	column = first_column(w, px_lane_number(m));
	for (e = 0; e < PER_LANE; e++) {
		px_val lane = e ? px_binary(m, PPU_OP_ADD, PPU_T_U32, column, px_imm(e)) : column;

		sum[e] = cn ? px_half_to_float(m, c[e / 2], e & 1, PPU_T_F16) : c[e];
		for (k = 0; k < NUM_AB; k++) {
			px_val pair = px_from_lane(m, b[k], lane);

			sum[e] = px_fma32(m, af[2 * k], px_half_to_float(m, pair, 0, PPU_T_F16), sum[e]);
			sum[e] = px_fma32(m, af[2 * k + 1], px_half_to_float(m, pair, 1, PPU_T_F16), sum[e]);
		}
	}
	store_result(m, &in->o[0], dn, sum);
}

void px_low_wmma(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct wmma w = { .m = m, .in = &plain, .col = px_has(in, PM_col) };
	struct px_block *after;

	if (!shape(&w))
		return;
	after = px_begin_guard(m, &plain);
	if (px_has(in, PM_mma))
		mma(&w);
	else if (px_has(in, PM_load) != px_has(in, PM_store))
		load_store(&w);
	else
		px_error(m->px, in->loc, "'wmma' needs .load, .store or .mma");
	px_end_guard(m, after);
}
