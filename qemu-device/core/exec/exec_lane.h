/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of lane loops share; included once per level (exec_multi.h), so no include guard.
 *
 * LANES_R(put, body): the loop over 32 lanes, once for a full mask and once blending.  Reads of a
 * lane come before its writes, and lanes do not depend on each other, so "ivdep" holds also when
 * the destination is a source.
 */
#ifndef PPU_EXEC_LANE_ONCE
#define PPU_EXEC_LANE_ONCE

#if defined(__clang__)
#define PPU_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define PPU_IVDEP _Pragma("GCC ivdep")
#endif
#define LOOP PPU_IVDEP for (unsigned l = 0; l < PPU_LANES; l++)
#define ALIGNED __attribute__((aligned(64)))

#define ROW(n) ((uint32_t *)__builtin_assume_aligned(v->row[n], 64))
/* Immediate widened to 64 bits for integer types. */
#define IMM64S(di) ((uint64_t)(int64_t)(int32_t)(di)->imm)
/* The lower 16 bits, extended with zeros or the sign. */
#define ZX16(x) ((uint32_t)(uint16_t)(x))
#define SX16(x) ((uint32_t)(int32_t)(int16_t)(x))

#define FN(name) static PPU_NOSAN __attribute__((unused)) \
	void N(name)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask)

/* What a selector returns by the operation's type: NULL for types it does not have. */
#define BY_BITS(w16, w32, w64) \
	(di->t == PPU_T_U16 ? (w16) : di->t == PPU_T_U32 ? (w32) : di->t == PPU_T_U64 ? (w64) : NULL)
#define BY_TYPE(u16, s16, u32, s32, u64, s64) \
	(di->t == PPU_T_U16 ? (u16) : di->t == PPU_T_S16 ? (s16) : di->t == PPU_T_U32 ? (u32) : \
	 di->t == PPU_T_S32 ? (s32) : di->t == PPU_T_U64 ? (u64) : di->t == PPU_T_S64 ? (s64) : NULL)

/*
 * Operand kinds: W one row, D two rows.  DECL_x: pointers; LOAD_x: value of lane l.
 */
#define DECL_W(o) const uint32_t *o##0 = ROW(di->o);
#define DECL_D(o) const uint32_t *o##0 = ROW(di->o), *o##1 = ROW(di->o + 1);
#define LOAD_W(o) o##0[l]
#define LOAD_D(o) (o##0[l] | (uint64_t)o##1[l] << 32)
#define TYPE_W uint32_t
#define TYPE_D uint64_t
#define IMM_W (di->imm)
#define IMM_D IMM64S(di)
/* An operand that may be an immediate, for functions with one variant: broadcast into a buffer. */
#define DECLI_W(o, isimm) \
	uint32_t o##buf[PPU_LANES] ALIGNED; \
	const uint32_t *o##0 = N(operand)(v, di->o, isimm, di->imm, o##buf);
#define DECLI_D(o, isimm) \
	uint32_t o##buf[2][PPU_LANES] ALIGNED; \
	const uint32_t *o##0 = N(operand)(v, di->o, isimm, di->imm, o##buf[0]); \
	const uint32_t *o##1 = N(operand)(v, di->o + 1, isimm, (uint32_t)((int32_t)di->imm >> 31), o##buf[1]);
/* Kind F: f64, as D but the immediate is the upper half. */
#define TYPE_F uint64_t
#define DECL_F DECL_D
#define LOAD_F LOAD_D
#define IMM_F ((uint64_t)di->imm << 32)

#define DECLD_W uint32_t *d0 = ROW(di->d);
#define DECLD_D uint32_t *d0 = ROW(di->d), *d1 = ROW(di->d + 1);
#define PUT_W(x) do { d0[l] = (uint32_t)(x); } while (0)
#define PUT_D(x) do { \
	uint64_t x_ = (x); \
	d0[l] = (uint32_t)x_; \
	d1[l] = (uint32_t)(x_ >> 32); \
} while (0)
#define PUTM_W(x) do { \
	uint32_t x_ = (uint32_t)(x), o_ = d0[l]; \
	d0[l] = mask & ppu_lane_bit[l] ? x_ : o_; \
} while (0)
#define PUTM_D(x) do { \
	uint64_t x_ = (x); \
	uint32_t o0_ = d0[l], o1_ = d1[l], m_ = mask & ppu_lane_bit[l]; \
	d0[l] = m_ ? (uint32_t)x_ : o0_; \
	d1[l] = m_ ? (uint32_t)(x_ >> 32) : o1_; \
} while (0)

#define DECLD_F DECLD_D
#define PUT_F PUT_D
#define PUTM_F PUTM_D

#define FULL(mask) __builtin_expect((mask) == ~0u, 1)

/* d = expr(A) */
#define OP1(name, DK, AK, expr) \
FN(name) \
{ \
	DECLD_##DK DECL_##AK(a) \
	if (FULL(mask)) \
		LOOP { TYPE_##AK A = LOAD_##AK(a); PUT_##DK(expr); } \
	else \
		LOOP { TYPE_##AK A = LOAD_##AK(a); PUTM_##DK(expr); } \
}
/* d = expr(A, B), with variants for register and immediate b */
#define OP2(name, DK, AK, BK, expr) \
FN(name##_r) \
{ \
	DECLD_##DK DECL_##AK(a) DECL_##BK(b) \
	if (FULL(mask)) \
		LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); PUT_##DK(expr); } \
	else \
		LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); PUTM_##DK(expr); } \
} \
FN(name##_i) \
{ \
	const TYPE_##BK B = IMM_##BK; \
	DECLD_##DK DECL_##AK(a) \
	if (FULL(mask)) \
		LOOP { TYPE_##AK A = LOAD_##AK(a); PUT_##DK(expr); } \
	else \
		LOOP { TYPE_##AK A = LOAD_##AK(a); PUTM_##DK(expr); } \
}
/* d = expr(A, B, C), with variants for immediate b and c */
#define OP3(name, DK, AK, BK, CK, expr) \
FN(name##_r) \
{ \
	DECLD_##DK DECL_##AK(a) DECL_##BK(b) DECL_##CK(c) \
	if (FULL(mask)) \
		LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); \
		       TYPE_##CK C = LOAD_##CK(c); PUT_##DK(expr); } \
	else \
		LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); \
		       TYPE_##CK C = LOAD_##CK(c); PUTM_##DK(expr); } \
} \
FN(name##_i) \
{ \
	const TYPE_##BK B = IMM_##BK; \
	DECLD_##DK DECL_##AK(a) DECL_##CK(c) \
	LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##CK C = LOAD_##CK(c); PUTM_##DK(expr); } \
} \
FN(name##_c) \
{ \
	const TYPE_##CK C = IMM_##CK; \
	DECLD_##DK DECL_##AK(a) DECL_##BK(b) \
	LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); PUTM_##DK(expr); } \
}
/* The same with one variant only, for what is rare or slow anyway. */
#define OP2X(name, DK, AK, BK, expr) \
FN(name) \
{ \
	DECLD_##DK DECL_##AK(a) DECLI_##BK(b, di->bi) \
	LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); PUTM_##DK(expr); } \
}
#define OP3X(name, DK, AK, BK, CK, expr) \
FN(name) \
{ \
	DECLD_##DK DECL_##AK(a) DECLI_##BK(b, di->bi) DECLI_##CK(c, di->ci) \
	LOOP { TYPE_##AK A = LOAD_##AK(a); TYPE_##BK B = LOAD_##BK(b); \
	       TYPE_##CK C = LOAD_##CK(c); PUTM_##DK(expr); } \
}

/* Pickers for the selectors. */
#define P1(name) N(name)
#define P2(name) (di->bi ? N(name##_i) : N(name##_r))
#define P3(name) (di->bi ? N(name##_i) : di->ci ? N(name##_c) : N(name##_r))

#endif /* PPU_EXEC_LANE_ONCE */

PPU_INL const uint32_t *N(operand)(struct ppu_vregs *v, unsigned row, bool isimm, uint32_t imm,
				   uint32_t *buf)
{
	if (!isimm)
		return v->row[row];
	LOOP buf[l] = imm;
	return buf;
}

/* Lane mask of the sign bits. */
PPU_INL uint32_t N(movemask)(const uint32_t *t)
{
#if PPU_EXEC_LEVEL == 4
	return _mm512_movepi32_mask(_mm512_load_si512(t)) |
	       (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t + 16)) << 16;
#elif PPU_EXEC_LEVEL == 3
	uint32_t r = 0;

	for (unsigned i = 0; i < 4; i++)
		r |= (uint32_t)_mm256_movemask_ps(
			_mm256_castsi256_ps(_mm256_load_si256((const __m256i *)t + i))) << 8 * i;
	return r;
#elif defined(PPU_EXEC_X86)
	uint32_t r = 0;

	for (unsigned i = 0; i < 8; i++)
		r |= (uint32_t)_mm_movemask_ps(
			_mm_castsi128_ps(_mm_load_si128((const __m128i *)t + i))) << 4 * i;
	return r;
#else
	uint32_t r = 0;

	LOOP r |= (uint32_t)((int32_t)t[l] >> 31) & ppu_lane_bit[l];
	return r;
#endif
}

/* pd = new under mask; PT stays. */
PPU_INL void N(put_pred)(struct ppu_vregs *v, unsigned p, uint32_t val, uint32_t mask)
{
	if (p != PPU_PT)
		v->pred[p] = (v->pred[p] & ~mask) | (val & mask);
}

PPU_INL uint32_t N(get_pred)(const struct ppu_vregs *v, unsigned p, unsigned neg)
{
	return v->pred[p] ^ (neg ? ~0u : 0);
}

/* SETP: pd, pe = comparison r and its complement, combined with ps by x. */
PPU_INL void N(setp_out)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint32_t r)
{
	uint32_t p = r, q = ~r;

	if (di->ps != PPU_PT || di->psn || di->x) {
		uint32_t s = N(get_pred)(v, di->ps, di->psn);

		switch (di->x) {
		case PPU_BOOL_AND:
			p &= s;
			q &= s;
			break;
		case PPU_BOOL_OR:
			p |= s;
			q |= s;
			break;
		default:
			p ^= s;
			q ^= s;
			break;
		}
	}
	N(put_pred)(v, di->pd, p, mask);
	N(put_pred)(v, di->pe, q, mask);
}
/* SET: d = r, combined with ps by x, as a value of type u. */
PPU_INL void N(set_out)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint32_t r)
{
	const uint32_t s = N(get_pred)(v, di->ps, di->psn);
	const uint32_t t = di->x == PPU_BOOL_AND ? r & s : di->x == PPU_BOOL_OR ? r | s : r ^ s;
	const uint32_t yes = di->u == PPU_T_F32 ? 0x3f800000 : di->u == PPU_T_F16 ? 0x3c00 :
			     di->u == PPU_T_BF16 ? 0x3f80 : ~0u;
	DECLD_W

	LOOP PUTM_W(t & ppu_lane_bit[l] ? yes : 0);
}
