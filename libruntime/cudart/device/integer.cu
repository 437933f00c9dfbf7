/* SPDX-License-Identifier: MIT */
/* Functions of integers, also of several small integers in one word. */
#include "device.h"

FN int __nv_abs(int a) { return a < 0 ? -a : a; }
FN s64 __nv_llabs(s64 a) { return a < 0 ? -a : a; }
FN int __nv_min(int a, int b) { return a < b ? a : b; }
FN int __nv_max(int a, int b) { return a > b ? a : b; }
FN u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
FN u32 __nv_umax(u32 a, u32 b) { return a > b ? a : b; }
FN s64 __nv_llmin(s64 a, s64 b) { return a < b ? a : b; }
FN s64 __nv_llmax(s64 a, s64 b) { return a > b ? a : b; }
FN u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
FN u64 __nv_ullmax(u64 a, u64 b) { return a > b ? a : b; }

FN int __nv_brev(int a) { return (int)__builtin_bitreverse32((u32)a); }
FN s64 __nv_brevll(s64 a) { return (s64)__builtin_bitreverse64((u64)a); }
FN int __nv_clz(int a) { return a ? __builtin_clz((u32)a) : 32; }
FN int __nv_clzll(s64 a) { return a ? __builtin_clzll((u64)a) : 64; }
FN int __nv_ffs(int a) { return a ? __builtin_ctz((u32)a) + 1 : 0; }
FN int __nv_ffsll(s64 a) { return a ? __builtin_ctzll((u64)a) + 1 : 0; }
FN int __nv_popc(int a) { return __builtin_popcount((u32)a); }
FN int __nv_popcll(s64 a) { return __builtin_popcountll((u64)a); }

FN int __nv_byte_perm(int a, int b, int s)
{
	int r;

	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s & 0x7777));
	return r;
}

FN int __nv_mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
FN u32 __nv_umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
FN int __nv_mulhi(int a, int b) { return (int)((s64)a * b >> 32); }
FN u32 __nv_umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }

FN s64 __nv_mul64hi(s64 a, s64 b)
{
	s64 r;

	asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
	return r;
}

FN u64 __nv_umul64hi(u64 a, u64 b)
{
	u64 r;

	asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
	return r;
}

FN int __nv_hadd(int a, int b) { return (int)(((s64)a + b) >> 1); }
FN int __nv_rhadd(int a, int b) { return (int)(((s64)a + b + 1) >> 1); }
FN u32 __nv_uhadd(u32 a, u32 b) { return (u32)(((u64)a + b) >> 1); }
FN u32 __nv_urhadd(u32 a, u32 b) { return (u32)(((u64)a + b + 1) >> 1); }
FN int __nv_sad(int a, int b, int c) { return (int)((a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + (u32)c); }
FN u32 __nv_usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }

/* ---- two halves or four bytes --------------------------------------------------------------- */

IN int sat(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

/* Part i of a word, with and without a sign. */
IN int part_s(int a, int i, int bits) { return (int)((u32)a << (32 - bits - i * bits)) >> (32 - bits); }
IN int part_u(int a, int i, int bits) { return (int)((u32)a >> (i * bits) & ((1u << bits) - 1)); }

/* A function: its name, bits of a part, how parts are read, and the result for parts x and y. */
#define EACH_(name, bits, part, expr) \
FN int name(int a, int b) \
{ \
	u32 r = 0; \
	for (int i = 0; i < 32 / bits; i++) { \
		int x = part(a, i, bits), y = part(b, i, bits); \
		r |= ((u32)(expr) & ((1u << bits) - 1)) << (i * bits); \
	} \
	return (int)r; \
}
#define EACH(name, part, expr2, expr4) \
EACH_(name##2, 16, part, expr2) \
EACH_(name##4, 8, part, expr4)
EACH(__nv_vadd, part_u, x + y, x + y)
EACH(__nv_vsub, part_u, x - y, x - y)
EACH(__nv_vaddss, part_s, sat(x + y, -32768, 32767), sat(x + y, -128, 127))
EACH(__nv_vsubss, part_s, sat(x - y, -32768, 32767), sat(x - y, -128, 127))
EACH(__nv_vaddus, part_u, sat(x + y, 0, 65535), sat(x + y, 0, 255))
EACH(__nv_vsubus, part_u, sat(x - y, 0, 65535), sat(x - y, 0, 255))
EACH(__nv_vavgs, part_s, (x + y + (x + y >= 0)) >> 1, (x + y + (x + y >= 0)) >> 1)
EACH(__nv_vavgu, part_u, (x + y + 1) >> 1, (x + y + 1) >> 1)
EACH(__nv_vhaddu, part_u, (x + y) >> 1, (x + y) >> 1)
EACH(__nv_vabsdiffs, part_s, x > y ? x - y : y - x, x > y ? x - y : y - x)
EACH(__nv_vabsdiffu, part_u, x > y ? x - y : y - x, x > y ? x - y : y - x)
EACH(__nv_vmaxs, part_s, x > y ? x : y, x > y ? x : y)
EACH(__nv_vmaxu, part_u, x > y ? x : y, x > y ? x : y)
EACH(__nv_vmins, part_s, x < y ? x : y, x < y ? x : y)
EACH(__nv_vminu, part_u, x < y ? x : y, x < y ? x : y)
#define COMPARE(word, part, op) \
EACH(__nv_vcmp##word, part, x op y ? 0xffff : 0, x op y ? 0xff : 0) \
EACH(__nv_vset##word, part, x op y, x op y)
COMPARE(eq, part_u, ==)
COMPARE(ne, part_u, !=)
COMPARE(ges, part_s, >=)
COMPARE(geu, part_u, >=)
COMPARE(gts, part_s, >)
COMPARE(gtu, part_u, >)
COMPARE(les, part_s, <=)
COMPARE(leu, part_u, <=)
COMPARE(lts, part_s, <)
COMPARE(ltu, part_u, <)

FN int __nv_vneg2(int a) { return __nv_vsub2(0, a); }
FN int __nv_vneg4(int a) { return __nv_vsub4(0, a); }
FN int __nv_vnegss2(int a) { return __nv_vsubss2(0, a); }
FN int __nv_vnegss4(int a) { return __nv_vsubss4(0, a); }
FN int __nv_vabs2(int a) { return __nv_vabsdiffs2(a, 0); }
FN int __nv_vabs4(int a) { return __nv_vabsdiffs4(a, 0); }
FN int __nv_vabsss2(int a) { return __nv_vmaxs2(a, __nv_vnegss2(a)); }
FN int __nv_vabsss4(int a) { return __nv_vmaxs4(a, __nv_vnegss4(a)); }

#define SUM(name, bits, diff) \
FN int name(int a, int b) \
{ \
	int d = diff(a, b), r = 0; \
	for (int i = 0; i < 32 / bits; i++) \
		r += part_u(d, i, bits); \
	return r; \
}
SUM(__nv_vsads2, 16, __nv_vabsdiffs2)
SUM(__nv_vsads4, 8, __nv_vabsdiffs4)
SUM(__nv_vsadu2, 16, __nv_vabsdiffu2)
SUM(__nv_vsadu4, 8, __nv_vabsdiffu4)
