/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparison, predicates, what chooses by them, and addresses of the unified space, 32 lanes at a time.
 * Semantics: PTX; see Documentation/hw/arithmetic.md.
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_pred.c"
#include <hw/ppu_mmu.h>
#include "core/exec/exec_multi.h"
#else

/* ---- select by sign ------------------------------------------------------------------------------------------------------ */
/* c >= 0: for f32 also -0, not NaN; ftz makes a negative subnormal -0. */
PPU_INL uint32_t N(slct)(uint32_t c, bool flt, uint32_t tiny)
{
	return flt ? (c <= 0x7f800000) | (c - 0x80000000 <= tiny) : (int32_t)c >= 0;
}
#define SLCT(name, K, AND) \
FN(name) \
{ \
	const bool flt = di->u == PPU_T_F32; \
	const uint32_t tiny = di->ftz ? 0x007fffff : 0; \
	DECLD_##K DECL_##K(a) DECLI_##K(b, di->bi) DECLI_W(c, di->ci) \
	LOOP { \
		TYPE_##K A = LOAD_##K(a), B = LOAD_##K(b); \
		uint32_t C = c0[l]; \
		PUTM_##K((N(slct)(C, flt, tiny) ? A : B) AND); \
	} \
}
SLCT(slct_w, W, )
SLCT(slct_h, W, & 0xffff)
SLCT(slct_d, D, )

/* ---- comparison ---------------------------------------------------------------------------------------------------------- */
#define CMPW(name, expr) \
PPU_INL uint32_t N(name##_mask)(struct ppu_vregs *v, const struct ppu_dinsn *di) \
{ \
	uint32_t t[PPU_LANES] ALIGNED; \
	DECL_W(a) \
	if (di->bi) { \
		const uint32_t B = di->imm; \
		LOOP { uint32_t A = a0[l]; t[l] = expr ? ~0u : 0; } \
	} else { \
		DECL_W(b) \
		LOOP { uint32_t A = a0[l], B = b0[l]; t[l] = expr ? ~0u : 0; } \
	} \
	return N(movemask)(t); \
}
#define CMPD(name, expr) \
PPU_INL uint32_t N(name##_mask)(struct ppu_vregs *v, const struct ppu_dinsn *di) \
{ \
	uint32_t t[PPU_LANES] ALIGNED; \
	DECL_D(a) DECLI_D(b, di->bi) \
	LOOP { \
		uint32_t al = a0[l], bl = b0[l]; \
		int32_t ah = (int32_t)a1[l], bh = (int32_t)b1[l]; \
		t[l] = expr ? ~0u : 0; \
	} \
	return N(movemask)(t); \
}
/* The complementary comparisons come from the same mask: ~r. */
#define SETP(name, not) \
FN(setp_##name##_##not) \
{ \
	N(setp_out)(v, di, mask, N(cmp_##name##_mask)(v, di) ^ not); \
}
#define SETP2(name) SETP(name, 0) SETP(name, 0xffffffff)
CMPW(cmp_eq_w, (A == B))
CMPW(cmp_lt_u32, (A < B))
CMPW(cmp_gt_u32, (A > B))
CMPW(cmp_lt_s32, ((int32_t)A < (int32_t)B))
CMPW(cmp_gt_s32, ((int32_t)A > (int32_t)B))
CMPW(cmp_eq_h, (ZX16(A) == ZX16(B)))
CMPW(cmp_lt_u16, (ZX16(A) < ZX16(B)))
CMPW(cmp_gt_u16, (ZX16(A) > ZX16(B)))
CMPW(cmp_lt_s16, ((int16_t)A < (int16_t)B))
CMPW(cmp_gt_s16, ((int16_t)A > (int16_t)B))
CMPD(cmp_eq_d, (al == bl && ah == bh))
CMPD(cmp_lt_u64, ((uint32_t)ah < (uint32_t)bh || (ah == bh && al < bl)))
CMPD(cmp_gt_u64, ((uint32_t)ah > (uint32_t)bh || (ah == bh && al > bl)))
CMPD(cmp_lt_s64, (ah < bh || (ah == bh && al < bl)))
CMPD(cmp_gt_s64, (ah > bh || (ah == bh && al > bl)))
SETP2(eq_w) SETP2(lt_u32) SETP2(gt_u32) SETP2(lt_s32) SETP2(gt_s32)
SETP2(eq_h) SETP2(lt_u16) SETP2(gt_u16) SETP2(lt_s16) SETP2(gt_s16)
SETP2(eq_d) SETP2(lt_u64) SETP2(gt_u64) SETP2(lt_s64) SETP2(gt_s64)

static ppu_exec_fn N(pick_setp)(const struct ppu_dinsn *di)
{
#define PAIR(f) { N(setp_##f##_0), N(setp_##f##_0xffffffff) }
	static const ppu_exec_fn table[][3][2] = {
		[PPU_T_U16] = { PAIR(eq_h), PAIR(lt_u16), PAIR(gt_u16) },
		[PPU_T_S16] = { PAIR(eq_h), PAIR(lt_s16), PAIR(gt_s16) },
		[PPU_T_U32] = { PAIR(eq_w), PAIR(lt_u32), PAIR(gt_u32) },
		[PPU_T_S32] = { PAIR(eq_w), PAIR(lt_s32), PAIR(gt_s32) },
		[PPU_T_U64] = { PAIR(eq_d), PAIR(lt_u64), PAIR(gt_u64) },
		[PPU_T_S64] = { PAIR(eq_d), PAIR(lt_s64), PAIR(gt_s64) },
	};
#undef PAIR
	static const uint8_t which[6][2] = {
		[PPU_CMP_EQ] = { 0, 0 }, [PPU_CMP_NE] = { 0, 1 }, [PPU_CMP_LT] = { 1, 0 },
		[PPU_CMP_GE] = { 1, 1 }, [PPU_CMP_GT] = { 2, 0 }, [PPU_CMP_LE] = { 2, 1 },
	};

	if (di->t < PPU_T_U16 || di->t > PPU_T_S64 || di->m > PPU_CMP_GE)
		return NULL;
	return table[di->t][which[di->m][0]][which[di->m][1]];
}

/* SET: computes the mask of the same function through scratch predicates, then expands it. */
FN(set_int)
{
	struct ppu_dinsn tmp = *di;
	uint32_t r, saved = v->pred[0];

	tmp.pd = 0;
	tmp.pe = PPU_PT;
	tmp.ps = PPU_PT;
	tmp.psn = 0;
	tmp.x = 0;
	N(pick_setp)(&tmp)(v, &tmp, ~0u);
	r = v->pred[0];
	v->pred[0] = saved;
	N(set_out)(v, di, mask, r);
}

/* ---- predicates ------------------------------------------------------------------------------------------------------------ */
FN(plop)
{
	uint32_t s = N(get_pred)(v, di->ps, di->psn);
	uint32_t a = N(get_pred)(v, di->raw_a & 15, di->na);

	switch (di->m) {
	case PPU_PLOP_AND:
		s &= a;
		break;
	case PPU_PLOP_OR:
		s |= a;
		break;
	case PPU_PLOP_XOR:
		s ^= a;
		break;
	}
	N(put_pred)(v, di->pd, s, mask);
}
FN(p2r)
{
	uint32_t r[PPU_LANES] ALIGNED = { 0 };
	DECLD_W

	for (unsigned p = 0; p < PPU_NUM_PREDS; p++) {
		const uint32_t s = v->pred[p], bit = di->imm & 1u << p;

		if (bit && s)
			LOOP r[l] |= s & ppu_lane_bit[l] ? bit : 0;
	}
	LOOP PUTM_W(r[l]);
}
FN(r2p)
{
	DECL_W(a)

	for (unsigned p = 0; p < PPU_NUM_PREDS; p++) {
		uint32_t t[PPU_LANES] ALIGNED;
		const uint32_t sh = 31 - p;

		if (!(di->imm >> p & 1))
			continue;
		LOOP t[l] = a0[l] << sh;
		N(put_pred)(v, p, N(movemask)(t), mask);
	}
}

/* ---- generic addresses -------------------------------------------------------------------------------------------------------- */
/* Windows of the unified address space lie on 4 GiB boundaries: the upper half of an address tells its
 * window. */
PPU_INL uint32_t N(window)(unsigned space)
{
	return space == PPU_SPACE_SHARED ? (uint32_t)(PPU_VA_SHARED_BASE >> 32) :
	       space == PPU_SPACE_LOCAL ? (uint32_t)(PPU_VA_LOCAL_BASE >> 32) :
	       (uint32_t)(PPU_VA_PARAM_BASE >> 32);
}
FN(cvta_to_generic)
{
	const uint32_t hi = N(window)(di->m);
	DECLD_D DECL_W(a)
	LOOP PUTM_D((uint64_t)hi << 32 | a0[l]);
}
FN(cvta_from_generic)
{
	DECLD_W DECL_W(a)
	LOOP PUTM_W(a0[l]);
}
FN(cvta_copy)
{
	DECLD_D DECL_D(a)
	LOOP { uint64_t A = LOAD_D(a); PUTM_D(A); }
}
FN(isspace_window)
{
	const uint32_t hi = N(window)(di->m);
	uint32_t t[PPU_LANES] ALIGNED;
	DECLD_W
	const uint32_t *a1 = ROW(di->a + 1);

	(void)d0;
	LOOP t[l] = a1[l] == hi ? ~0u : 0;
	N(put_pred)(v, di->pd, N(movemask)(t), mask);
}
/* Global: whatever is in none of the windows.  Constant data is ordinary memory. */
FN(isspace_global)
{
	const uint32_t lo = (uint32_t)(PPU_VA_PARAM_BASE >> 32);
	const uint32_t n = (uint32_t)((PPU_VA_LOCAL_BASE - PPU_VA_PARAM_BASE) >> 32);
	uint32_t t[PPU_LANES] ALIGNED;
	const uint32_t *a1 = ROW(di->a + 1);

	LOOP t[l] = a1[l] - lo > n ? ~0u : 0;
	N(put_pred)(v, di->pd, N(movemask)(t), mask);
}

/* ---- selection -------------------------------------------------------------------------------------- */
ppu_exec_fn N(ppu_sel_pred)(const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_SLCT:
		return BY_BITS(N(slct_h), N(slct_w), N(slct_d));
	case PPU_OP_SETP:
		return N(pick_setp)(di);
	case PPU_OP_SET:
		return N(pick_setp)(di) ? N(set_int) : NULL;
	case PPU_OP_PLOP:
		return di->m <= PPU_PLOP_MOV ? N(plop) : NULL;
	case PPU_OP_P2R:
		return N(p2r);
	case PPU_OP_R2P:
		return N(r2p);
	case PPU_OP_CVTA:
		switch (di->m) {
		case PPU_SPACE_GLOBAL: case PPU_SPACE_CONST:
			return N(cvta_copy);
		case PPU_SPACE_SHARED: case PPU_SPACE_LOCAL: case PPU_SPACE_PARAM:
			return di->y ? N(cvta_from_generic) : N(cvta_to_generic);
		}
		return NULL;
	case PPU_OP_ISSPACE:
		switch (di->m) {
		case PPU_SPACE_GLOBAL: case PPU_SPACE_CONST:
			return N(isspace_global);
		case PPU_SPACE_SHARED: case PPU_SPACE_LOCAL: case PPU_SPACE_PARAM:
			return N(isspace_window);
		}
		return NULL;
	}
	return NULL;
}

#endif
