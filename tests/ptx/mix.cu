/* SPDX-License-Identifier: MIT */
/*
 * More kernels for solo.cu's test, with everything that kernels of programs have besides plain loops: structures
 * by value, 128-bit integers, tables of functions, byte arrays, unrolled code, odd widths.
 */
#include "dev.h"

#define ARGS	u32 *out, const u32 *in, u32 n
#define START	u32 i = THREAD; if (i >= n) return; u32 x = in[i]

typedef long long s64;
typedef int s32;
typedef unsigned __int128 u128;

struct vec3 { float x, y, z; };
struct mixed { u8 tag; u16 half; u32 word; u64 wide; u8 tail[5]; };
struct big { u32 v[20]; };

/* ---- 128 bits ---- */

KERNEL mx_wide(ARGS)
{
	START;
	u128 a = ((u128)x << 64) | (x * 0x9e3779b97f4a7c15ull), b = (u128)(x | 1) * 0x123456789abcdefull;
	u128 c = a * b + (a >> 7) - (b << 13);
	c ^= c >> (x & 127);
	c += (c << (x & 63)) | (a & b);
	u64 hi = (u64)(c >> 64), lo = (u64)c;
	out[i] = (u32)(hi ^ lo ^ (hi >> 32) ^ (lo >> 32)) + (a < b ? 7u : 3u) + ((s64)hi < (s64)lo);
}

/* ---- structures ---- */

FN struct vec3 cross(struct vec3 a, struct vec3 b)
{
	struct vec3 r = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
	return r;
}

KERNEL mx_vec3(ARGS)
{
	START;
	struct vec3 a = { (float)(x & 15), (float)(x >> 4 & 15), (float)(x >> 8 & 15) }, b = { 1, (float)(x & 3), 2 };
	for (u32 k = 0; k < (x & 3) + 1; k++) {
		struct vec3 c = cross(a, b);
		b = a;
		a.x = c.x / 16; a.y = c.y / 16; a.z = c.z / 16;
	}
	out[i] = (u32)(s32)(a.x + a.y * 2 + a.z * 3);
}

FN struct mixed change(struct mixed m, u32 x)
{
	m.tag += (u8)x;
	m.half ^= (u16)(x >> 3);
	m.word = m.word * 3 + m.tag;
	m.wide += (u64)m.word << 20;
	for (int k = 0; k < 5; k++)
		m.tail[k] = (u8)(m.tail[(k + x) % 5] + k);
	return m;
}

KERNEL mx_mixed(ARGS)
{
	START;
	struct mixed m = { (u8)x, (u16)(x >> 8), x, x * 5ull, { 1, 2, 3, 4, 5 } };
	for (u32 k = 0; k < 4; k++)
		m = change(m, x + k);
	u32 r = m.tag + m.half * 3u + m.word + (u32)(m.wide >> 9);
	for (int k = 0; k < 5; k++)
		r = r * 31 + m.tail[k];
	out[i] = r;
}

FN struct big spread(u32 x, u32 depth)
{
	struct big b;
	if (!depth) {
		for (u32 k = 0; k < 20; k++)
			b.v[k] = x + k;
		return b;
	}
	b = spread(x * 7, depth - 1);
	b.v[x % 20] ^= depth;
	return b;
}

KERNEL mx_big(ARGS)
{
	START;
	struct big b = spread(x, x & 3);
	u32 r = 0;
	for (u32 k = 0; k < 20; k++)
		r = r * 17 + b.v[k];
	out[i] = r;
}

/* ---- tables of functions ---- */

FN u32 f_add(u32 a, u32 b) { return a + b; }
FN u32 f_mul(u32 a, u32 b) { return a * b | 1; }
FN u32 f_rot(u32 a, u32 b) { return a << (b & 31) | a >> (31 & (0u - b)); }
FN u32 f_div(u32 a, u32 b) { return a / (b | 1) + a % (b | 1); }

KERNEL mx_table(ARGS)
{
	START;
	u32 (*const f[4])(u32, u32) = { f_add, f_mul, f_rot, f_div };
	u32 r = x;
	for (u32 k = 0; k < 6; k++)
		r = f[(r >> (k * 3)) & 3](r, x + k);
	out[i] = r;
}

/* ---- bytes, bits, odd widths ---- */

struct fields { u32 a : 3, b : 7, c : 13, d : 9; u64 e : 37, f : 27; };

KERNEL mx_fields(ARGS)
{
	START;
	struct fields s = { x & 7, x >> 3 & 127, x >> 10 & 8191, x >> 23, x * 12345ull & 0x1fffffffffull, x & 0x7ffffff };
	for (u32 k = 0; k < 5; k++) {
		s.a += k; s.b ^= s.a; s.c = s.c * 5 + s.b; s.d -= s.c;
		s.e = s.e * 3 + s.d; s.f ^= s.e >> 5;
	}
	out[i] = s.a + s.b * 8 + s.c * 1024 + ((u32)s.d << 23) + (u32)s.e + (u32)s.f;
}

KERNEL mx_bytes(ARGS)
{
	START;
	u8 a[64];
	signed char s = (signed char)x;
	short h = (short)(x >> 5);
	for (u32 k = 0; k < 64; k++)
		a[k] = (u8)(x >> (k & 24)) + (u8)k;
	for (u32 k = 0; k < 64; k++)
		a[(k * 7 + x) & 63] ^= a[k] >> 1;
	u32 r = 0;
	for (u32 k = 0; k < 64; k += 4)
		r = r * 33 + (a[k] | a[k + 1] << 8 | a[k + 2] << 16 | (u32)a[k + 3] << 24);
	out[i] = r + (u32)(s / 3) + (u32)(h % 7) + (u32)((s >> 2) * h) + (u8)(s + h);
}

KERNEL mx_crc(ARGS)
{
	START;
	u32 c = ~x;
	for (u32 k = 0; k < 8; k++) {
		c ^= in[(i + k) % n] & 0xff;
#pragma unroll
		for (u32 b = 0; b < 8; b++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	out[i] = ~c;
}

/* ---- doubles ---- */

KERNEL mx_newton(ARGS)
{
	START;
	double v = (double)(x & 0xffff) + 1.5, r = v;
	for (int k = 0; k < 30; k++) {
		double next = 0.5 * (r + v / r);
		if (next == r)
			break;
		r = next;
	}
	s64 q = (s64)(r * 1e6);
	out[i] = (u32)q ^ (u32)(q >> 32) ^ (u32)(float)v ^ (u32)(r > 100.0 ? 1 : 2);
}

KERNEL mx_convert(ARGS)
{
	START;
	float f = (float)(s32)x * 0.37f;
	double d = (double)x * -1.25;
	u64 w = (u64)x << 20 | x;
	u32 r = (u32)(s32)f ^ (u32)(s64)d ^ (u32)(s64)(double)(s64)w ^ (u32)(float)(u16)x;
	r += (u32)(u8)(s32)(f / 1e8f) + (u32)(short)(x >> 3) + (u32)((u64)(float)w / 3);
	r ^= (u32)(u64)((double)w * 0.5);
	out[i] = r + (f < -5.0f) + (d != d) + (f >= d);
}

/* ---- control ---- */

KERNEL mx_machine(ARGS)	/* a small interpreter: a switch in a loop with fall through and continue */
{
	START;
	u32 stack[16], sp = 0, pc = 0, r = x, steps = 0;
	while (steps++ < 60) {
		switch ((x >> (pc & 31)) % 9) {
		case 0: if (sp < 15) stack[sp++] = r; pc += 1; continue;
		case 1: if (sp) r += stack[--sp]; pc += 2; break;
		case 2: r *= 5; /* fall through */
		case 3: r ^= pc; pc += 3; break;
		case 4: if (r & 1) { pc += 5; continue; } pc++; break;
		case 5: if (r == x) goto done; pc += 7; break;
		case 6: { u32 t = r % 13; while (t--) r += t; pc += 2; break; }
		case 7: for (u32 k = 0; k < sp; k++) { if (stack[k] == r) goto done; r -= stack[k]; } pc += 4; break;
		default: pc += 11; if (pc > 200) return; break;
		}
		r = r << 3 | r >> 29;
	}
done:
	out[i] = r + sp * 100 + steps;
}

KERNEL mx_matrix(ARGS)	/* fixed size, unrolled, all in registers */
{
	START;
	u32 a[4][4], b[4][4];
#pragma unroll
	for (int r = 0; r < 4; r++)
#pragma unroll
		for (int c = 0; c < 4; c++) {
			a[r][c] = x * (r + 1) + c;
			b[r][c] = x ^ (r * 4 + c);
		}
	for (int k = 0; k < 3; k++) {
		u32 t[4][4];
#pragma unroll
		for (int r = 0; r < 4; r++)
#pragma unroll
			for (int c = 0; c < 4; c++)
				t[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c] + a[r][3] * b[3][c];
#pragma unroll
		for (int r = 0; r < 4; r++)
#pragma unroll
			for (int c = 0; c < 4; c++)
				a[r][c] = t[c][r];
	}
	u32 r = 0;
	for (int k = 0; k < 16; k++)
		r = r * 3 + a[k / 4][k % 4];
	out[i] = r;
}

FN u32 many_args(u64 a, u32 b, u16 c, u8 d, double e, float f, u64 g, u32 h, u64 p, u64 q, u32 r, u8 s, double t)
{
	return (u32)a + b * 2 + c * 3 + d * 5 + (u32)(s32)e * 7 + (u32)(s32)f * 11 + (u32)(g >> 3) * 13 + h * 17 + (u32)p +
	       (u32)(q >> 32) + r * 19 + s * 23 + (u32)(s32)t * 29;
}

KERNEL mx_many(ARGS)
{
	START;
	u32 r = many_args(x * 3ull, x, (u16)x, (u8)x, x & 1023, (float)(x & 255), x * 77ull, ~x, x + 5ull, (u64)x << 33, x / 3, (u8)(x >> 4), x & 63);
	out[i] = r + many_args(r, r + 1, (u16)(r + 2), (u8)(r + 3), r & 15, (float)(r & 31), r * 9ull, r, x, (u64)r << 31, 4, 5, 6);
}
