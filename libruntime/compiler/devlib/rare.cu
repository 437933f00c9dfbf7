/* SPDX-License-Identifier: MIT */
/*
 * What programs hardly ever use: the compiler calls these for the video instructions (compiler/ptx/lower/px_low_video.c)
 * and for fns (px_low_async.c); kernels of graphs call cudaGraphSetConditional().
 */
#include "compiler/devabi/dev.h"
#include "compiler/devabi/video.h"

typedef long long s64;

/* What a conditional node of a graph will decide by; the handle is the address of its word. */
LIBRARY void cudaGraphSetConditional(u64 handle, u32 value)
{
	*(volatile u32 *)handle = value;
}

DEV s64 clamp(s64 v, s64 low, s64 high)
{
	return v < low ? low : v > high ? high : v;
}

/* Clamps v to the range of a number of `bits` bits. */
DEV s64 saturate(s64 v, u32 bits, bool sign)
{
	s64 top = 1ll << (bits - sign);

	return clamp(v, sign ? -top : 0, top - 1);
}

DEV s64 extend(u32 v, u32 first, u32 bits, bool sign)
{
	s64 x = (s64)((u64)(v >> first) << (64 - bits));

	return sign ? x >> (64 - bits) : (s64)((u64)x >> (64 - bits));
}

/* Number of bits and first bit of a part.  1 to 6: b0 b1 b2 b3 h0 h1; 0: the whole word. */
DEV u32 part_bits(u32 part)
{
	return !part ? 32 : part < 5 ? 8 : 16;
}

DEV u32 part_first(u32 part)
{
	return !part ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5);
}

DEV bool compare(u32 cmp, s64 a, s64 b)
{
	switch (cmp) {
	case 0: return a == b;
	case 1: return a != b;
	case 2: return a < b;
	case 3: return a <= b;
	case 4: return a > b;
	default: return a >= b;
	}
}

DEV s64 shifted(u32 op, s64 a, u32 by)
{
	by = op & PPU_VIDEO_WRAP ? by & 31 : by > 32 ? 32 : by;
	return (op & PPU_VIDEO_OP) == PPU_VIDEO_SHL ? (s64)((u64)a << by) : a >> by;
}

DEV s64 operate(u32 op, s64 a, s64 b)
{
	switch (op & PPU_VIDEO_OP) {
	case PPU_VIDEO_ADD: return a + b;
	case PPU_VIDEO_SUB: return a - b;
	case PPU_VIDEO_ABSDIFF: return a > b ? a - b : b - a;
	case PPU_VIDEO_MIN: return a < b ? a : b;
	case PPU_VIDEO_MAX: return a > b ? a : b;
	case PPU_VIDEO_AVRG: return (a + b + (a + b >= 0)) >> 1;
	case PPU_VIDEO_SET: return compare(op >> PPU_VIDEO_CMP & 7, a, b);
	default: return shifted(op, a, (u32)b);
	}
}

/* a * b + c, at most 65 bits, cut to 32 after the shift. */
DEV u32 multiply_add(u32 op, s64 a, s64 b, u32 c)
{
	u32 scale = op >> PPU_VIDEO_SCALE & 15;
	bool sign = op & (PPU_VIDEO_A_SIGNED | PPU_VIDEO_B_SIGNED | PPU_VIDEO_NEG_PRODUCT | PPU_VIDEO_NEG_C);
	s64 add = sign ? (s64)(int)c : (s64)c;
	__int128 v = (__int128)a * b;

	if (op & PPU_VIDEO_NEG_PRODUCT)
		v = -v;
	v += op & PPU_VIDEO_NEG_C ? -(__int128)add : (__int128)add;
	if (op & PPU_VIDEO_PLUS_ONE)
		v += 1;
	v >>= scale;
	if (op & PPU_VIDEO_SAT) {
		s64 low = sign ? -0x80000000ll : 0, high = sign ? 0x7fffffff : 0xffffffffll;

		return (u32)(v < low ? low : v > high ? high : (s64)v);
	}
	return (u32)v;
}

DEV u32 scalar(u32 a, u32 b, u32 c, u32 op, u32 sel)
{
	u32 pa = sel >> PPU_VIDEO_SEL_A & 7, pb = sel >> PPU_VIDEO_SEL_B & 7, pd = sel >> PPU_VIDEO_SEL_D & 7;
	s64 x = extend(a, part_first(pa), part_bits(pa), op & PPU_VIDEO_A_SIGNED);
	s64 y = extend(b, part_first(pb), part_bits(pb), op & PPU_VIDEO_B_SIGNED), v;
	bool sign = op & PPU_VIDEO_D_SIGNED;
	u32 mask = part_bits(pd) == 32 ? ~0u : (1u << part_bits(pd)) - 1, d;

	if ((op & PPU_VIDEO_OP) == PPU_VIDEO_MAD)
		return multiply_add(op, x, y, c);
	v = operate(op, x, y);
	if (op & PPU_VIDEO_SAT)
		v = saturate(v, part_bits(pd), sign);
	d = (u32)v;
	switch (op >> PPU_VIDEO_THEN & 7) {
	case PPU_VIDEO_THEN_ADD: return d + c;
	case PPU_VIDEO_THEN_MIN: return sign ? ((int)d < (int)c ? d : c) : d < c ? d : c;
	case PPU_VIDEO_THEN_MAX: return sign ? ((int)d > (int)c ? d : c) : d > c ? d : c;
	case PPU_VIDEO_MERGE: return (c & ~(mask << part_first(pd))) | (d & mask) << part_first(pd);
	default: return d;
	}
}

/* Lane i of {a, b}; each of a and b holds `lanes` lanes. */
DEV s64 lane(u32 a, u32 b, u32 i, u32 lanes, bool sign)
{
	u32 bits = 32 / lanes;

	return extend(i < lanes ? a : b, (i & (lanes - 1)) * bits, bits, sign);
}

DEV u32 lanes_of(u32 a, u32 b, u32 c, u32 op, u32 sel, u32 lanes)
{
	bool add = (op >> PPU_VIDEO_THEN & 7) == PPU_VIDEO_THEN_ADD;
	u32 bits = 32 / lanes, mask = (1u << bits) - 1, d = c, i;

	for (i = 0; i < lanes; i++) {
		s64 x = lane(a, b, sel >> (PPU_VIDEO_SEL_A + 3 * i) & 7, lanes, op & PPU_VIDEO_A_SIGNED);
		s64 y = lane(a, b, sel >> (PPU_VIDEO_SEL_B + 3 * i) & 7, lanes, op & PPU_VIDEO_B_SIGNED);
		s64 v = operate(op, x, y);

		if (op & PPU_VIDEO_SAT)
			v = saturate(v, bits, op & PPU_VIDEO_D_SIGNED);
		if (!(sel >> (PPU_VIDEO_SEL_D + i) & 1))
			continue;
		if (add)
			d += (u32)v;
		else
			d = (d & ~(mask << (bits * i))) | ((u32)v & mask) << (bits * i);
	}
	return d;
}

LIBRARY u64 __ppu_video(u32 a, u32 b, u32 c, u32 op, u32 sel)
{
	u32 lanes = 1u << (op >> PPU_VIDEO_LANES & 3);

	return lanes == 1 ? scalar(a, b, c, op, sel) : lanes_of(a, b, c, op, sel, lanes);
}

/* The position of the offset-th set bit of mask from base on, up or (offset < 0) down; ~0: none. */
LIBRARY u64 __ppu_fns(u32 mask, u32 base, u32 offset)
{
	int step = (int)offset < 0 ? -1 : 1;
	u32 left = (int)offset < 0 ? 0 - offset : offset, at;

	if (!offset)
		return base < 32 && (mask >> base & 1) ? base : ~0u;
	for (at = base; at < 32; at += (u32)step)
		if ((mask >> at & 1) && !--left)
			return at;
	return ~0u;
}
