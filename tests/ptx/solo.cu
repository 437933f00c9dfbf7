/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose threads do not communicate: control flow in all shapes, calls, arithmetic.
 * Every kernel has the same parameters: out[i] belongs to thread i, in[] has n words.
 */
#include "dev.h"

#define ARGS	u32 *out, const u32 *in, u32 n
#define START	u32 i = THREAD; if (i >= n) return; u32 x = in[i]

INLINE u32 mix(u32 h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* ---- control flow ---- */

KERNEL cf_if(ARGS)
{
	START;
	u32 r = 1;
	if (x & 1) {
		for (u32 k = 0; k < (x & 7); k++)
			r = mix(r + k);
	}
	out[i] = r + x;
}

KERNEL cf_ifelse(ARGS)
{
	START;
	u32 r;
	if (x % 3 == 0) {
		r = mix(x) / 7;
		out[i] = r;
		r += out[i] * 3;
	} else {
		r = x * x + in[(i + 1) % n];
		out[i] = r / 5;
		r -= out[i];
	}
	out[i] = r;
}

KERNEL cf_nested(ARGS)
{
	START;
	u32 r = x;
	if (x & 1) {
		if (x & 2) {
			if (x & 4)
				r = in[r % n] + 11;
			else
				r = in[(r + 1) % n] * 13;
			r ^= in[(r + 2) % n];
		} else {
			r = in[(r + 3) % n] / 3;
			if (x & 8)
				r += in[r % n] % 17;
		}
		r = mix(r);
	} else if (x & 16) {
		r = in[(r + 5) % n] ^ 0x55;
	}
	out[i] = r + in[r % n];
}

KERNEL cf_whilebreak(ARGS)
{
	START;
	u32 r = 0, k = 0;
	while (k < 100) {
		r = mix(r + x);
		if (r % 11 == x % 11)
			break;
		if (r & 1) {
			k += 2;
			continue;
		}
		k++;
	}
	out[i] = r + k;
}

KERNEL cf_dowhile(ARGS)
{
	START;
	u32 r = x, k = 0;
	do {
		r = mix(r);
		k++;
	} while ((r & 15) && k < 50);
	out[i] = r ^ k;
}

KERNEL cf_nestedloops(ARGS)
{
	START;
	u32 r = 0;
	for (u32 a = 0; a < x % 5 + 1; a++)
		for (u32 b = a; b < x % 7; b++) {
			if (((a ^ b) & 1) && in[(i + b) % n] % 2)
				continue;
			for (u32 c = 0; c < 3; c++) {
				r += mix(a * 100 + b * 10 + c);
				if (r % 13 == 0)
					goto done;
			}
		}
done:
	out[i] = r;
}

/* A loop with two entries and jumps into its middle. */
KERNEL cf_irregular(ARGS)
{
	START;
	u32 r = x, k = 0;
	if (x & 1)
		goto middle;
top:
	r = mix(r + 1);
	if (k++ > 40)
		goto end;
	if (r % 5 == 0)
		goto other;
middle:
	r = r * 3 + in[(r + k) % n];
	if (r % 7 == 1)
		goto top;
	if (k++ > 40)
		goto end;
	if (r & 2)
		goto middle;
other:
	r ^= r >> 3;
	if (k++ < 60 && (r & 8))
		goto top;
end:
	out[i] = r + k;
}

KERNEL cf_earlyreturn(ARGS)
{
	START;
	out[i] = 0;
	if (x % 5 == 0) {
		out[i] = 5;
		return;
	}
	u32 r = 0;
	for (u32 k = 0; k < 20; k++) {
		r = mix(r + x);
		if (r % 9 == 0) {
			out[i] = k;
			return;
		}
	}
	out[i] = r;
}

KERNEL cf_switch(ARGS)
{
	START;
	u32 r = x;
	switch (x % 14) {
	case 0: r = in[r % n] + 1; break;
	case 1: r *= 17;	/* falls */
	case 2: r ^= 0x1234; break;
	case 3: for (u32 k = 0; k < 5; k++) r = mix(r + k); break;
	case 4: if (r & 32) r = 9; else r = mix(r); break;
	case 5: case 6: r = in[(r + 9) % n]; break;
	case 7: out[i] = 77; return;
	case 8: r /= 3; break;
	case 9: r %= 1000; break;
	case 10: r = mix(mix(r)); break;
	case 11: r = ~r; break;
	default: r += 5;
	}
	out[i] = r;
}

KERNEL cf_switchloop(ARGS)
{
	START;
	u32 r = 0, s = x;
	for (u32 k = 0; k < 32; k++) {
		s = mix(s + k);
		switch (s % 6) {
		case 0: r += 3; continue;
		case 1: r ^= s; break;
		case 2: if (r & 1) goto out_of_it; r++; break;
		case 3: r = r << 1 | r >> 31; break;
		case 4: r -= k; break;
		}
		r += s & 3;
	}
out_of_it:
	out[i] = r;
}

KERNEL cf_collatz(ARGS)
{
	START;
	u64 v = x % 10000 + 1;
	u32 steps = 0;
	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v >> 1;
		steps++;
	}
	out[i] = steps;
}

KERNEL cf_search(ARGS)
{
	START;
	u32 lo = 0, hi = 1u << 20;
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		if ((u64)mid * mid < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	out[i] = lo;
}

KERNEL cf_shortcircuit(ARGS)
{
	START;
	u32 r = 0;
	if ((x & 1) && in[(i + 1) % n] % 3 && (in[(i + 2) % n] % 5 || (x & 64)))
		r = 1;
	else if (!(x & 128) || (in[(i + 3) % n] & 4 && x % 7))
		r = 2;
	for (u32 k = 0; k < 10 && (r < 100 || x % 2) && in[(i + k) % n] % 10; k++)
		r = r * 3 + k;
	out[i] = r;
}

/* ---- calls ---- */

FN u32 twice(u32 a, u32 b)
{
	u32 r = a;
	for (u32 k = 0; k < (b & 3); k++)
		r = mix(r + b);
	if (r & 1)
		return r * 2;
	return r + 7;
}

KERNEL call_loop(ARGS)
{
	START;
	u32 r = 0;
	for (u32 k = 0; k < 8; k++)
		if ((x >> k) & 1)
			r += twice(r + k, x);
	out[i] = r;
}

FN u32 fib(u32 a)
{
	if (a < 2)
		return a;
	return fib(a - 1) + fib(a - 2);
}

KERNEL call_fib(ARGS)
{
	START;
	out[i] = fib(x % 11);
}

FN u32 ackermann(u32 a, u32 b)
{
	if (!a)
		return b + 1;
	if (!b)
		return ackermann(a - 1, 1);
	return ackermann(a - 1, ackermann(a, b - 1));
}

KERNEL call_ackermann(ARGS)
{
	START;
	out[i] = ackermann(x % 3, x % 4);
}

FN u32 is_odd(u32 a);
FN u32 is_even(u32 a)
{
	return a == 0 ? 1 : is_odd(a - 1);
}
FN u32 is_odd(u32 a)
{
	return a == 0 ? 0 : is_even(a - 1) ^ (a == 77);
}

KERNEL call_mutual(ARGS)
{
	START;
	out[i] = is_even(x % 19) * 2 + is_odd(x % 7);
}

struct pair { u32 a; u64 b; double c; u8 d[5]; };

FN struct pair make_pair(struct pair p, u32 k)
{
	struct pair q = p;
	q.a += k;
	q.b *= p.a | 1;
	q.c = p.c * 0.5 + k;
	for (u32 j = 0; j < 5; j++)
		q.d[j] = (u8)(p.d[(j + 1) % 5] + k);
	return q;
}

KERNEL call_struct(ARGS)
{
	START;
	struct pair p = { x, (u64)x << 7 | 3, x % 100 * 1.25, { 1, 2, 3, 4, (u8)x } };
	for (u32 k = 0; k < x % 4 + 1; k++)
		p = make_pair(p, k + x % 3);
	out[i] = p.a + (u32)(p.b >> 5) + (u32)p.c + p.d[0] * 7 + p.d[4];
}

FN u32 many(u32 a0, u64 a1, u32 a2, double a3, u32 a4, u64 a5, u32 a6, u32 a7, u32 a8, u64 a9,
	    u32 a10, u32 a11, u64 a12, u32 a13, u8 a14, u16 a15)
{
	return a0 + (u32)a1 * 3 + a2 * 5 + (u32)a3 + a4 * 7 + (u32)(a5 >> 3) + a6 * 11 + a7 * 13 +
	       a8 * 17 + (u32)a9 * 19 + a10 * 23 + a11 * 29 + (u32)(a12 >> 9) + a13 * 31 + a14 * 37 +
	       a15 * 41;
}

KERNEL call_many(ARGS)
{
	START;
	u32 r = many(x, x + 1, x + 2, x % 1000, x + 4, (u64)x << 5, x + 6, x + 7, x + 8,
		     (u64)x * x, x + 10, x + 11, (u64)x << 20, x + 13, (u8)x, (u16)(x >> 3));
	out[i] = r + many(1, 2, 3, 4, 5, 6, r, r, r, r, r, r, r, r, (u8)r, (u16)r);
}

FN u32 op_add(u32 a, u32 b) { return a + b; }
FN u32 op_mix(u32 a, u32 b) { return mix(a) ^ b; }
FN u32 op_loop(u32 a, u32 b) { for (u32 k = 0; k < (b & 7); k++) a = a * 3 + 1; return a; }
FN u32 op_div(u32 a, u32 b) { return a / (b | 1); }

typedef u32 (*op_fn)(u32, u32);
#ifdef PTX_HOST
static const op_fn op_table[4] = { op_add, op_mix, op_loop, op_div };
#else
__device__ op_fn op_table[4] = { op_add, op_mix, op_loop, op_div };
#endif

KERNEL call_indirect(ARGS)
{
	START;
	u32 r = x;
	for (u32 k = 0; k < 6; k++)
		r = op_table[(r + k) % 4](r, x + k);
	out[i] = r;
}

/* Eight queens; each thread tries one place in the first column. */
FN u32 queens(u32 row, u32 cols, u32 left, u32 right, u32 size)
{
	u32 count = 0;
	if (row == size)
		return 1;
	for (u32 c = 0; c < size; c++) {
		u32 bit = 1u << c;
		if (cols & bit || left & bit || right & bit)
			continue;
		count += queens(row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1, size);
	}
	return count;
}

KERNEL call_queens(ARGS)
{
	START;
	u32 c = x % 6, bit = 1u << c;
	out[i] = i < 64 ? queens(1, bit, bit << 1, bit >> 1, 6) : 0;
}

/* Quicksort of a private array, recursion on parts of it. */
FN void quick(u32 *a, int lo, int hi)
{
	if (lo >= hi)
		return;
	u32 p = a[(lo + hi) / 2];
	int l = lo, r = hi;
	while (l <= r) {
		while (a[l] < p)
			l++;
		while (a[r] > p)
			r--;
		if (l <= r) {
			u32 t = a[l];
			a[l++] = a[r];
			a[r--] = t;
		}
	}
	quick(a, lo, r);
	quick(a, l, hi);
}

KERNEL call_sort(ARGS)
{
	START;
	u32 a[24], h = 0;
	for (u32 k = 0; k < 24; k++)
		a[k] = mix(x + k) % 100;
	quick(a, 0, 23);
	for (u32 k = 0; k < 24; k++)
		h = h * 31 + a[k];
	out[i] = h;
}

/* ---- arithmetic ---- */

KERNEL ar_div(ARGS)
{
	START;
	u32 d = in[(i + 1) % n] % 1000 + 1;
	int s = (int)x, t = (int)(d * 3) - 1500;
	u64 w = (u64)x << 21 | d;
	long long v = (long long)(w * 0x9e3779b97f4a7c15ull);
	if (!t)
		t = 1;
	u32 r = x / d + x % d * 3;
	r += (u32)(s / t) * 5 + (u32)(s % t) * 7;
	r += (u32)(w / d) + (u32)(w % (d * 77777ull));
	r += (u32)(v / t) * 11 + (u32)(v % t) * 13;
	r += x / 10 + x % 10 + (u32)(s / 7) + (u32)(s % 1000) + (u32)(v / 1000000007) + (u32)(w % 10);
	out[i] = r;
}

KERNEL ar_wide(ARGS)
{
	START;
	u64 a = (u64)x * 0x123456789abcdefull, b = a ^ (a >> 29);
	long long s = (long long)b;
	u32 sh = x & 63;
	u64 r = (a << sh) + (b >> sh) + (u64)(s >> sh) + a * b;
	r ^= (u64)(u32)a * (u32)b + (u64)((long long)(int)a * (int)b);
	r += a > b ? a - b : b - a;
	r += (u64)(s < 0 ? -s : s);
	out[i] = (u32)r ^ (u32)(r >> 32);
}

KERNEL ar_narrow(ARGS)
{
	START;
	u8 a = (u8)x, b = (u8)(x >> 8);
	signed char c = (signed char)(x >> 16), d = (signed char)(x >> 24);
	u16 e = (u16)x;
	short f = (short)(x >> 16);
	u8 m[8];
	short q[4];
	for (u32 k = 0; k < 8; k++)
		m[k] = (u8)(a * k + b);
	for (u32 k = 0; k < 4; k++)
		q[k] = (short)(f * (int)k - e);
	u32 r = (u8)(a + b) + (u32)(signed char)(c * d) + (u16)(e * 3) + (u32)(short)(f >> 2);
	r += m[x & 7] * 256u + (u32)q[x & 3] + (u32)(c < d) + (u32)(a > b) * 2 + (u32)(f / (d ? d : 1));
	out[i] = r + (u32)(e / (u16)(a + 1)) + (u32)(a % (b + 1));
}

KERNEL ar_bits(ARGS)
{
	START;
	u32 y = in[(i + 3) % n];
	u32 r = POPC(x) + CLZ(x) * 3 + MULHI(x, y);
	r ^= (x << (y & 31)) | (x >> ((32 - (y & 31)) & 31));
	r += ((x >> 5) & 0xfff) | (y & 0xff) << 20;
	r ^= (x & y) ^ (x | ~y) ^ (x & 0xf0f0f0f0u);
	u32 v = x, c = 0;
	while (v) {
		v &= v - 1;
		c++;
	}
	out[i] = r + c;
}

KERNEL ar_double(ARGS)
{
	START;
	double a = x * 0.001 - 1000.0, b = (double)in[(i + 1) % n] + 0.5, s = 0;
	for (u32 k = 1; k <= 20; k++) {
		s += a / (b + k);
		a = a * 1.0625 - s * 0.25;
		if (s > 1e6 || s < -1e6)
			s *= 0.5;
	}
	double q = a < 0 ? -a : a;
	out[i] = (u32)(int)(s * 16) + (u32)(u64)(q < 1e15 ? q : 7) + (u32)(long long)(s * 1000);
}

KERNEL ar_float(ARGS)
{
	START;
	float a = (float)(x % 4096) * 0.125f, b = (float)(int)(x % 77) - 30.5f, s = 0.25f;
	for (u32 k = 0; k < 12; k++) {
		s = s * 0.75f + a / (b * b + 1.0f);
		a -= s * 0.5f;
		b = s > 10.0f ? -b : b + 0.5f;
	}
	union { float f; u32 u; } v;
	v.f = s + a * b;
	out[i] = v.u;
}

KERNEL ar_convert(ARGS)
{
	START;
	float f = (float)(int)x;
	double d = (double)x * 1.5;
	u64 w = (u64)x * x;
	union { float f; u32 u; } v;
	v.f = (float)w + (float)(long long)(w - (1ull << 40)) + f;
	u32 r = v.u;
	r += (u32)(f > 0 ? f * 0.001f : 3.0f) + (u32)(u64)d + (u32)(int)(f * 0.37f);
	r += (u32)(u8)(u32)(d * 0.01) + (u32)(short)(int)(f * 0.0001f);
	v.f = (float)(d * 1e-3);
	out[i] = r ^ v.u;
}

/* ---- whole programs ---- */

CONST u32 sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROR(v, k)	((v) >> (k) | (v) << (32 - (k)))

KERNEL pr_sha256(ARGS)
{
	START;
	u32 w[64], h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], q = h[7];
	for (u32 k = 0; k < 16; k++)
		w[k] = k == 0 ? x : k == 1 ? 0x80000000u : k == 15 ? 32 : 0;
	for (u32 k = 16; k < 64; k++)
		w[k] = w[k - 16] + w[k - 7] +
		       (ROR(w[k - 15], 7) ^ ROR(w[k - 15], 18) ^ w[k - 15] >> 3) +
		       (ROR(w[k - 2], 17) ^ ROR(w[k - 2], 19) ^ w[k - 2] >> 10);
	for (u32 k = 0; k < 64; k++) {
		u32 t1 = q + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[k] + w[k];
		u32 t2 = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		q = g; g = f; f = e; e = d + t1;
		d = c; c = b; b = a; a = t1 + t2;
	}
	out[i] = (h[0] + a) ^ (h[3] + d) ^ (h[7] + q) ^ (h[4] + e);
}

KERNEL pr_mandelbrot(ARGS)
{
	START;
	double cr = (double)(x % 300) / 100.0 - 2.0, ci = (double)(x / 300 % 200) / 100.0 - 1.0;
	double zr = 0, zi = 0;
	u32 k = 0;
	while (k < 200 && zr * zr + zi * zi < 4.0) {
		double t = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = t;
		k++;
	}
	out[i] = k;
}

KERNEL pr_heapsort(ARGS)
{
	START;
	u32 a[32], h = 0;
	for (u32 k = 0; k < 32; k++)
		a[k] = mix(x * 33 + k);
	for (u32 end = 32, start = 16; end > 1;) {
		if (start) {
			start--;
		} else {
			end--;
			u32 t = a[end];
			a[end] = a[0];
			a[0] = t;
		}
		u32 root = start;
		while (root * 2 + 1 < end) {
			u32 c = root * 2 + 1;
			if (c + 1 < end && a[c] < a[c + 1])
				c++;
			if (a[root] >= a[c])
				break;
			u32 t = a[root];
			a[root] = a[c];
			a[c] = t;
			root = c;
		}
	}
	for (u32 k = 0; k < 32; k++)
		h = h * 131 + a[k];
	out[i] = h;
}

/* Twenty by twenty sums that are all live at the same time: far more than there are registers. */
KERNEL pr_spill(ARGS)
{
	START;
	u32 v[400], r = 0;
#pragma unroll
	for (u32 k = 0; k < 400; k++)
		v[k] = in[(i + k) % n];
#pragma unroll
	for (u32 k = 0; k < 400; k++)
		v[k] = v[k] * v[(k * 7 + 3) % 400] + v[(k * 13 + 5) % 400];
#pragma unroll
	for (u32 k = 0; k < 400; k++)
		r = r * 3 + v[(k * 11) % 400];
	out[i] = r;
}

KERNEL pr_spill64(ARGS)
{
	START;
	u64 v[160], r = 0;
#pragma unroll
	for (u32 k = 0; k < 160; k++)
		v[k] = (u64)in[(i + k) % n] << 16 | x;
	for (u32 j = 0; j < 3; j++) {
#pragma unroll
		for (u32 k = 0; k < 160; k++)
			v[k] = v[k] * 3 + v[(k * 7 + 3) % 160];
	}
#pragma unroll
	for (u32 k = 0; k < 160; k++)
		r = r * 5 + v[(k * 11) % 160];
	out[i] = (u32)(r >> 7);
}

GLOBAL u32 table_word = 12345;
GLOBAL const char text[] = "the quick brown fox jumps over the lazy dog";

KERNEL pr_strings(ARGS)
{
	START;
	u32 r = table_word, best = 0;
	for (u32 k = 0; text[k]; k++) {
		u32 len = 0;
		while (text[k + len] && text[k + len] == text[(x + len) % 40])
			len++;
		if (len > best)
			best = len;
		r = r * 33 + (u8)text[(k + x) % 43];
	}
	out[i] = r + best;
}
