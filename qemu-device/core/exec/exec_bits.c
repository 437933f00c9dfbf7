/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logic, shifts, bit fields, permutation of bytes and counting of bits, 32 lanes at a time.
 * Semantics: PTX; see Documentation/hw/arithmetic.md.
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_bits.c"
#include "core/exec/exec_multi.h"
#else

/* ---- logic -------------------------------------------------------------------------------------------------- */
OP2(and_w, W, W, W, A & B)
OP2(or_w, W, W, W, A | B)
OP2(xor_w, W, W, W, A ^ B)
OP2X(and_h, W, W, W, ZX16(A & B))
OP2X(or_h, W, W, W, ZX16(A | B))
OP2X(xor_h, W, W, W, ZX16(A ^ B))
OP2X(and_d, D, D, D, A & B)
OP2X(or_d, D, D, D, A | B)
OP2X(xor_d, D, D, D, A ^ B)
OP1(not_w, W, W, ~A)
OP1(not_h, W, W, ZX16(~A))
OP1(not_d, D, D, ~A)
OP1(cnot_w, W, W, A == 0)
OP1(cnot_h, W, W, ZX16(A) == 0)
OP1(cnot_d, D, D, A == 0 ? 1 : 0)

/* Truth table by Shannon expansion in a, b, c: bit 4a + 2b + c of y. */
FN(lop3)
{
	uint32_t k[8];
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)

	for (unsigned i = 0; i < 8; i++)
		k[i] = di->y >> i & 1 ? ~0u : 0;
	const uint32_t k0 = k[0], k2 = k[2], k4 = k[4], k6 = k[6];
	const uint32_t x0 = k[0] ^ k[1], x2 = k[2] ^ k[3], x4 = k[4] ^ k[5], x6 = k[6] ^ k[7];
	LOOP {
		uint32_t A = a0[l], B = b0[l], C = c0[l];
		uint32_t m0 = k0 ^ (x0 & C), m1 = k2 ^ (x2 & C);
		uint32_t m2 = k4 ^ (x4 & C), m3 = k6 ^ (x6 & C);
		uint32_t n0 = m0 ^ ((m0 ^ m1) & B), n1 = m2 ^ ((m2 ^ m3) & B);

		PUTM_W(n0 ^ ((n0 ^ n1) & A));
	}
}

/* ---- shifts ---------------------------------------------------------------------------------------------------- */
OP2(shl_w, W, W, W, B < 32 ? A << (B & 31) : 0)
OP2(shr_u32, W, W, W, B < 32 ? A >> (B & 31) : 0)
OP2(shr_s32, W, W, W, (int32_t)A >> (B < 32 ? B : 31))
OP2X(shl_h, W, W, W, B < 16 ? ZX16(A << (B & 15)) : 0)
OP2X(shr_u16, W, W, W, B < 16 ? ZX16(A) >> (B & 15) : 0)
OP2X(shr_s16, W, W, W, (int32_t)SX16(A) >> (B < 16 ? B : 15))
OP2X(shl_d, D, D, W, B < 64 ? A << (B & 63) : 0)
/* By 1 to 31: two words shifted by equal amounts. */
FN(shl_d_small)
{
	const uint32_t n = di->imm & 31, k = (32 - n) & 31;
	DECLD_D DECL_D(a)
	if (FULL(mask))
		LOOP {
			uint32_t lo = a0[l], hi = a1[l];

			d0[l] = lo << n;
			d1[l] = hi << n | lo >> k;
		}
	else
		LOOP {
			uint32_t lo = a0[l], hi = a1[l], o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l];

			d0[l] = m ? lo << n : o0;
			d1[l] = m ? hi << n | lo >> k : o1;
		}
}
OP2X(shr_u64, D, D, W, B < 64 ? A >> (B & 63) : 0)
OP2X(shr_s64, D, D, W, (int64_t)A >> (B < 64 ? B : 63))
OP3(shf_l, W, W, W, W, ((((uint64_t)B << 32 | A) << (C & 31)) >> 32))
OP3(shf_r, W, W, W, W, (((uint64_t)B << 32 | A) >> (C & 31)))
OP3X(shf_lc, W, W, W, W, ((((uint64_t)B << 32 | A) << (C < 32 ? C : 32)) >> 32))
OP3X(shf_rc, W, W, W, W, (((uint64_t)B << 32 | A) >> (C < 32 ? C : 32)))

/* ---- bit fields ------------------------------------------------------------------------------------------------- */
/* Low len bits set, len 0..255 clamps. */
#define ONES32(len) ((len) < 32 ? (1u << ((len) & 31)) - 1 : ~0u)
#define ONES64(len) ((len) < 64 ? (1ull << ((len) & 63)) - 1 : ~0ull)
PPU_INL uint32_t N(bfe32)(uint32_t a, uint32_t b, bool sgn)
{
	uint32_t pos = b & 0xff, len = b >> 8 & 0xff, last = pos + len - 1;
	uint32_t m = ONES32(len);
	uint32_t sh = pos < 32 ? a >> (pos & 31) : 0;
	uint32_t lim = last < 31 ? last : 31;
	uint32_t sbit = sgn && len ? 0 - (a >> (lim & 31) & 1) : 0;
	/* bits of the field beyond bit 31 of a, and bits beyond the field, are the sign */
	uint32_t have = pos < 32 ? ~0u >> (pos & 31) : 0;

	return (sh & m & have) | (sbit & ~(m & have));
}
PPU_INL uint64_t N(bfe64)(uint64_t a, uint32_t b, bool sgn)
{
	uint64_t pos = b & 0xff, len = b >> 8 & 0xff, last = pos + len - 1;
	uint64_t m = ONES64(len);
	uint64_t sh = pos < 64 ? a >> (pos & 63) : 0;
	uint64_t lim = last < 63 ? last : 63;
	uint64_t sbit = sgn && len ? 0 - (a >> (lim & 63) & 1) : 0;
	uint64_t have = pos < 64 ? ~0ull >> (pos & 63) : 0;

	return (sh & m & have) | (sbit & ~(m & have));
}
OP2(bfe_u32, W, W, W, N(bfe32)(A, B, false))
OP2X(bfe_s32, W, W, W, N(bfe32)(A, B, true))
OP2X(bfe_u64, D, D, W, N(bfe64)(A, B, false))
OP2X(bfe_s64, D, D, W, N(bfe64)(A, B, true))

PPU_INL uint32_t N(bfi32)(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t pos = c & 0xff, len = c >> 8 & 0xff;
	uint32_t m = pos < 32 ? ONES32(len) << (pos & 31) : 0;

	return (b & ~m) | (a << (pos & 31) & m);
}
PPU_INL uint64_t N(bfi64)(uint64_t a, uint64_t b, uint32_t c)
{
	uint64_t pos = c & 0xff, len = c >> 8 & 0xff;
	uint64_t m = pos < 64 ? ONES64(len) << (pos & 63) : 0;

	return (b & ~m) | (a << (pos & 63) & m);
}
OP3X(bfi_w, W, W, W, W, N(bfi32)(A, B, C))
OP3X(bfi_d, D, D, D, W, N(bfi64)(A, B, C))

/* ---- byte permute ------------------------------------------------------------------------------------------------ */
/* One result byte: nibble s picks a byte of b:a, bit 3 replicates its sign. */
PPU_INL uint32_t N(prmt_byte)(uint32_t a, uint32_t b, uint32_t s)
{
	uint32_t w = s & 4 ? b : a, byte = w >> (8 * (s & 3)) & 0xff;
	uint32_t sign = byte & 0x80 ? 0xff : 0;

	return s & 8 ? sign : byte;
}
PPU_INL uint32_t N(permute)(uint32_t a, uint32_t b, uint32_t s)
{
	return N(prmt_byte)(a, b, s) | N(prmt_byte)(a, b, s >> 4) << 8 |
	       N(prmt_byte)(a, b, s >> 8) << 16 | N(prmt_byte)(a, b, s >> 12) << 24;
}
OP3(prmt, W, W, W, W, N(permute)(A, B, C))
/* The other modes: four selectors, by bits 1:0 of c. */
FN(prmt_mode)
{
	static const uint16_t table[7][4] = {
		[PPU_PRMT_F4E] = { 0x3210, 0x4321, 0x5432, 0x6543 },
		[PPU_PRMT_B4E] = { 0x5670, 0x6701, 0x7012, 0x0123 },
		[PPU_PRMT_RC8] = { 0x0000, 0x1111, 0x2222, 0x3333 },
		[PPU_PRMT_ECL] = { 0x3210, 0x3211, 0x3222, 0x3333 },
		[PPU_PRMT_ECR] = { 0x0000, 0x1110, 0x2210, 0x3210 },
		[PPU_PRMT_RC16] = { 0x1010, 0x3232, 0x1010, 0x3232 },
	};
	const uint16_t *s = table[di->m];
	const uint32_t s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)

	LOOP {
		uint32_t A = a0[l], B = b0[l], C = c0[l];
		uint32_t even = C & 2 ? s2 : s0, odd = C & 2 ? s3 : s1;

		PUTM_W(N(permute)(A, B, C & 1 ? odd : even));
	}
}

/* ---- counting ------------------------------------------------------------------------------------------------------ */
PPU_INL uint32_t N(popc32)(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	x += x >> 8;
	x += x >> 16;
	return x & 0x3f;
}
PPU_INL uint32_t N(clz32)(uint32_t x)
{
#if PPU_EXEC_LEVEL == 4
	return x ? (uint32_t)__builtin_clz(x) : 32;
#else
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	return 32 - N(popc32)(x);
#endif
}
PPU_INL uint32_t N(clz64)(uint32_t lo, uint32_t hi)
{
	uint32_t h = N(clz32)(hi), w = N(clz32)(lo);

	return hi ? h : 32 + w;
}
PPU_INL uint32_t N(brev32)(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
	return x >> 16 | x << 16;
}
#define HI(x) ((uint32_t)((x) >> 32))
#define LO(x) ((uint32_t)(x))
OP1(popc_w, W, W, N(popc32)(A))
OP1(popc_d, W, D, N(popc32)(LO(A)) + N(popc32)(HI(A)))
OP1(clz_w, W, W, N(clz32)(A))
OP1(clz_d, W, D, N(clz64)(LO(A), HI(A)))
OP1(brev_w, W, W, N(brev32)(A))
OP1(brev_d, D, D, (uint64_t)N(brev32)(LO(A)) << 32 | N(brev32)(HI(A)))

/* m 0: position = msb - clz, ~0 for none; m 1: clz itself, ~0 for none. */
FN(bfind_w)
{
	const bool sgn = di->t == PPU_T_S32;
	const uint32_t base = di->m ? 0 : 31, flip = di->m ? 0 : ~0u;
	DECLD_W DECL_W(a)
	LOOP {
		uint32_t A = a0[l], x = A ^ (sgn ? (uint32_t)((int32_t)A >> 31) : 0);
		uint32_t n = N(clz32)(x);

		PUTM_W(x ? base + (n ^ flip) - flip : ~0u);
	}
}
FN(bfind_d)
{
	const bool sgn = di->t == PPU_T_S64;
	const uint32_t base = di->m ? 0 : 63, flip = di->m ? 0 : ~0u;
	DECLD_W DECL_D(a)
	LOOP {
		uint32_t lo = a0[l], hi = a1[l], s = sgn ? (uint32_t)((int32_t)hi >> 31) : 0;
		uint32_t n = N(clz64)(lo ^ s, hi ^ s);

		PUTM_W(n < 64 ? base + (n ^ flip) - flip : ~0u);
	}
}

PPU_INL uint32_t N(bmsk)(uint32_t a, uint32_t b, bool clamp)
{
	uint32_t a1 = a & 31, b1 = b & 31, sum = a1 + b1;
	uint32_t m0 = ~0u << a1, m1 = sum < 32 ? ~0u << (sum & 31) : 0;

	m0 = clamp && a >= 32 ? 0 : m0;
	m1 = clamp && (a >= 32 || b >= 32) ? 0 : m1;
	return m0 & ~m1;
}
OP2X(bmsk_clamp, W, W, W, N(bmsk)(A, B, true))
OP2X(bmsk_wrap, W, W, W, N(bmsk)(A, B, false))

/* ---- selection -------------------------------------------------------------------------------------- */
ppu_exec_fn N(ppu_sel_bits)(const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_AND:
		return BY_BITS(N(and_h), P2(and_w), N(and_d));
	case PPU_OP_OR:
		return BY_BITS(N(or_h), P2(or_w), N(or_d));
	case PPU_OP_XOR:
		return BY_BITS(N(xor_h), P2(xor_w), N(xor_d));
	case PPU_OP_NOT:
		return BY_BITS(N(not_h), N(not_w), N(not_d));
	case PPU_OP_CNOT:
		return BY_BITS(N(cnot_h), N(cnot_w), N(cnot_d));
	case PPU_OP_LOP3:
		return N(lop3);
	case PPU_OP_SHL:
		return BY_BITS(N(shl_h), P2(shl_w),
			       di->bi && di->imm - 1 < 31 ? N(shl_d_small) : N(shl_d));
	case PPU_OP_SHR:
		return BY_TYPE(N(shr_u16), N(shr_s16), P2(shr_u32), P2(shr_s32), N(shr_u64), N(shr_s64));
	case PPU_OP_SHF:
		switch (di->m) {
		case PPU_SHF_L:
			return P3(shf_l);
		case PPU_SHF_R:
			return P3(shf_r);
		case PPU_SHF_L | PPU_SHF_CLAMP:
			return N(shf_lc);
		case PPU_SHF_R | PPU_SHF_CLAMP:
			return N(shf_rc);
		}
		return NULL;
	case PPU_OP_BFE:
		return BY_TYPE(NULL, NULL, P2(bfe_u32), N(bfe_s32), N(bfe_u64), N(bfe_s64));
	case PPU_OP_BFI:
		return BY_BITS(NULL, N(bfi_w), N(bfi_d));
	case PPU_OP_PRMT:
		return di->m == PPU_PRMT_IDX ? P3(prmt) : di->m <= PPU_PRMT_RC16 ? N(prmt_mode) : NULL;
	case PPU_OP_POPC:
		return BY_BITS(NULL, N(popc_w), N(popc_d));
	case PPU_OP_CLZ:
		return BY_BITS(NULL, N(clz_w), N(clz_d));
	case PPU_OP_BFIND:
		return BY_TYPE(NULL, NULL, N(bfind_w), N(bfind_w), N(bfind_d), N(bfind_d));
	case PPU_OP_BREV:
		return BY_BITS(NULL, N(brev_w), N(brev_d));
	case PPU_OP_BMSK:
		return di->m ? N(bmsk_wrap) : N(bmsk_clamp);
	}
	return NULL;
}

#endif
