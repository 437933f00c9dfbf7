/* SPDX-License-Identifier: MIT */
/*
 * Compiled PTX on the device core, compared with the same source compiled for the host
 * (tests/ptx/solo.cu) or with expected results from C.  Rows: SIMT-10, SIMT-17, SIMT-44.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"

#define PTX_HOST
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#include "../../ptx/solo.cu"
#undef ARGS
#undef START
#include "../../ptx/mix.cu"
#include "run_suite.h"
#include "rt_ok.h"
#pragma GCC diagnostic pop

#define THREADS	300

typedef void host_fn(u32 *out, const u32 *in, u32 n);

static const struct {
	const char *name;
	host_fn *fn;
} solo[] = {
#define K(name) { #name, name },
	K(cf_if) K(cf_ifelse) K(cf_nested) K(cf_whilebreak) K(cf_dowhile) K(cf_nestedloops)
	K(cf_irregular) K(cf_earlyreturn) K(cf_switch) K(cf_switchloop) K(cf_collatz) K(cf_search)
	K(cf_shortcircuit) K(call_loop) K(call_fib) K(call_ackermann) K(call_mutual) K(call_struct)
	K(call_many) K(call_indirect) K(call_queens) K(call_sort) K(ar_div) K(ar_wide) K(ar_narrow)
	K(ar_bits) K(ar_double) K(ar_float) K(ar_convert) K(pr_sha256) K(pr_mandelbrot)
	K(pr_heapsort) K(pr_spill) K(pr_spill64) K(pr_strings)
#undef K
};
#define NUM_SOLO	(int)(sizeof(solo) / sizeof(solo[0]))

/* tests/ptx/mix.cu */
static const struct {
	const char *name;
	host_fn *fn;
} mixed_kernels[] = {
#define K(name) { #name, name },
	K(mx_wide) K(mx_vec3) K(mx_mixed) K(mx_big) K(mx_table) K(mx_fields) K(mx_bytes) K(mx_crc)
	K(mx_newton) K(mx_convert) K(mx_machine) K(mx_matrix) K(mx_many)
#undef K
};
#define NUM_MIX		(int)(sizeof(mixed_kernels) / sizeof(mixed_kernels[0]))

static const char *const mix_makers[] = { "tests/ptx/mix.clang.ptx", "tests/ptx/mix-O0.clang.ptx" };

static const char *const makers[] = { "tests/ptx/solo.clang.ptx", "tests/ptx/solo.nvcc.ptx",
				      "tests/ptx/solo-O0.clang.ptx" };
#define NUM_MAKERS	3

static ppuCtx ctx;

static void start(const char *props)
{
	ppuInitOptions o = { .backend = "core", .props = props };

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 4096));
}

static void stop(void)
{
	OK(ppuCtxDestroy(ctx));
	OK(ppuShutdown());
}

static char *read_text(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *s;

	ck_assert_msg(f != NULL, "%s", path);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	s = malloc(*len + 1);
	ck_assert_uint_eq(fread(s, 1, *len, f), *len);
	s[*len] = 0;
	fclose(f);
	return s;
}

static ppuModule load(const char *path, uint32_t max_regs, bool no_yield)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .max_regs = max_regs, .no_yield = no_yield };
	size_t len;
	char *s = read_text(path, &len);
	ppuModule m;

	OK(ppuModuleLoadData(&m, s, len, &o));
	free(s);
	return m;
}

static void inputs(u32 *in, u32 seed)
{
	u32 s = seed, i;

	for (i = 0; i < THREADS; i++) {
		s = s * 1664525u + 1013904223u;
		in[i] = seed % 3 == 0 ? s >> 20 : seed % 3 == 1 ? s : i;
	}
}

static void expect(host_fn *fn, const u32 *in, u32 *want)
{
	memset(want, 0, THREADS * sizeof(*want));
	for (host_thread = 0; host_thread < THREADS; host_thread++)
		fn(want, in, THREADS);
}

static void run_kernel(ppuModule m, const char *path, const char *name, host_fn *fn, u32 block)
{
	static u32 in[THREADS], got[THREADS], want[THREADS];
	ppuFunction f;
	void *din, *dout;
	u32 seed, i, n = THREADS;

	OK(ppuModuleGetFunction(&f, m, name));
	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, sizeof(got)));
	for (seed = 1; seed <= 3; seed++) {
		void *args[] = { &dout, &din, &n };
		ppuDim3 g = { (THREADS + block - 1) / block, 1, 1 }, b = { block, 1, 1 };

		inputs(in, seed);
		expect(fn, in, want);
		OK(ppuMemcpy(din, in, sizeof(in)));
		OK(ppuMemset(dout, 0, 4, THREADS));
		OK(ppuLaunchKernel(f, g, b, 0, NULL, args, NULL, 0));
		OK(ppuMemcpy(got, dout, sizeof(got)));
		for (i = 0; i < THREADS; i++)
			ck_assert_msg(got[i] == want[i], "%s of %s, seed %u, thread %u of %u-thread blocks: input %08x, got %08x, expected %08x",
				      name, path, seed, i, block, in[i], got[i], want[i]);
	}
	OK(ppuFree(din));
	OK(ppuFree(dout));
}

static void run_solo(ppuModule m, const char *path, int k, u32 block)
{
	run_kernel(m, path, solo[k].name, solo[k].fn, block);
}

/* Kernels of mix.cu, with plenty of registers and with few. */
START_TEST(test_mix)
{
	const char *path = mix_makers[_i >> 1];
	ppuModule m;
	int k;

	start(_i & 1 ? "branch-first=1" : NULL);
	m = load(path, _i & 1 ? 48 : 0, false);
	for (k = 0; k < NUM_MIX; k++)
		run_kernel(m, path, mixed_kernels[k].name, mixed_kernels[k].fn, _i & 1 ? 32 : 96);
	OK(ppuModuleUnload(m));
	stop();
}
END_TEST

/* Every kernel of solo.cu, as clang (also without optimisation) and nvcc compiled it. */
START_TEST(test_solo)
{
	const char *path = makers[_i / NUM_SOLO];
	ppuModule m;

	start(NULL);
	m = load(path, 0, false);
	run_solo(m, path, _i % NUM_SOLO, 96);
	OK(ppuModuleUnload(m));
	stop();
}
END_TEST

/* The same with few registers, and the other side of branches first. */
START_TEST(test_solo_tight)
{
	ppuModule m;
	int k;

	start("branch-first=1 gpcs=1");
	m = load(makers[_i], 32, false);
	for (k = 0; k < NUM_SOLO; k++)
		run_solo(m, makers[_i], k, 32);
	OK(ppuModuleUnload(m));
	stop();
}
END_TEST

/* ---- threads that work together (tests/ptx/coop.cu) ---- */

static const char *const coop_makers[] = { "tests/ptx/coop.clang.ptx", "tests/ptx/coop.nvcc.ptx",
					   "tests/ptx/coop-O0.clang.ptx" };

static void *upload(const void *p, size_t n)
{
	void *d;

	OK(ppuMalloc(&d, n));
	OK(ppuMemcpy(d, p, n));
	return d;
}

static void run(ppuModule m, const char *name, u32 grid, u32 block, u32 dynamic, void *a, void *b,
		u32 n)
{
	void *args[] = { &a, &b, &n };
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, m, name));
	OK(ppuLaunchKernel(f, (ppuDim3){ grid, 1, 1 }, (ppuDim3){ block, 1, 1 }, dynamic, NULL, args,
			   NULL, 0));
}

static u32 rnd_state;
static u32 rnd(void)
{
	return rnd_state = rnd_state * 1664525u + 1013904223u, rnd_state >> 3;
}

START_TEST(test_reduce_histogram)
{
	static u32 in[5000], bins[64], got[64];
	u32 i, sum = 0, zero = 0;
	ppuModule m;
	void *din, *dout;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	rnd_state = 5;
	memset(bins, 0, sizeof(bins));
	for (i = 0; i < 5000; i++) {
		in[i] = rnd();
		sum += in[i];
		bins[in[i] % 64]++;
	}
	din = upload(in, sizeof(in));
	dout = upload(&zero, sizeof(zero));
	run(m, "co_reduce", 4, 160, 0, dout, din, 5000);
	OK(ppuMemcpy(got, dout, 4));
	ck_assert_uint_eq(got[0], sum);
	memset(got, 0, sizeof(got));
	dout = upload(got, sizeof(got));
	run(m, "co_histogram", 3, 96, 0, dout, din, 5000);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	ck_assert_mem_eq(got, bins, sizeof(got));
	stop();
}
END_TEST

START_TEST(test_matmul)
{
	enum { DIM = 48 };
	static float a[DIM * DIM], b[DIM * DIM], got[DIM * DIM];
	u32 i, j, k, dim = DIM;
	void *da, *db, *dc;
	ppuFunction f;
	ppuModule m;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	rnd_state = 6;
	for (i = 0; i < DIM * DIM; i++) {
		a[i] = (float)(rnd() % 100) * 0.25f;
		b[i] = (float)(rnd() % 100) * 0.5f - 20;
	}
	da = upload(a, sizeof(a));
	db = upload(b, sizeof(b));
	dc = upload(got, sizeof(got));
	{
		void *args[] = { &dc, &da, &db, &dim };

		OK(ppuModuleGetFunction(&f, m, "co_matmul"));
		OK(ppuLaunchKernel(f, (ppuDim3){ 9, 1, 1 }, (ppuDim3){ 256, 1, 1 }, 0, NULL, args, NULL, 0));
	}
	OK(ppuMemcpy(got, dc, sizeof(got)));
	for (i = 0; i < DIM; i++)
		for (j = 0; j < DIM; j++) {
			float s = 0;

			for (k = 0; k < DIM; k++)
				s += a[i * DIM + k] * b[k * DIM + j];
			ck_assert_float_eq(got[i * DIM + j], s);
		}
	stop();
}
END_TEST

static int by_value(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : *(const u32 *)a > *(const u32 *)b;
}

START_TEST(test_shared)
{
	static u32 in[512], got[512], want[512];
	ppuModule m;
	void *din, *dout;
	u32 i, b;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	rnd_state = 7;
	for (i = 0; i < 512; i++)
		in[i] = want[i] = rnd() % 10000;
	din = upload(in, sizeof(in));
	dout = upload(in, sizeof(in));
	qsort(want, 256, 4, by_value);
	qsort(want + 256, 256, 4, by_value);
	run(m, "co_bitonic", 2, 256, 1024, dout, din, 512);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	ck_assert_mem_eq(got, want, sizeof(got));
	for (b = 0; b < 4; b++)
		for (i = 0; i < 128; i++)
			want[b * 128 + i] = in[b * 128 + i] + (i ? want[b * 128 + i - 1] : 0);
	run(m, "co_scan", 4, 128, 1024, dout, din, 512);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	ck_assert_mem_eq(got, want, sizeof(got));
	stop();
}
END_TEST

START_TEST(test_nbody)
{
	static double pos[150], got[150];
	void *dp, *df;
	ppuModule m;
	u32 i, k;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	rnd_state = 8;
	for (i = 0; i < 150; i++)
		pos[i] = rnd() % 1000 * 0.125;
	dp = upload(pos, sizeof(pos));
	df = upload(got, sizeof(got));
	run(m, "co_nbody", 3, 64, 0, df, dp, 150);
	OK(ppuMemcpy(got, df, sizeof(got)));
	for (i = 0; i < 150; i++) {
		double f = 0;

		for (k = 0; k < 150; k++) {
			double d = pos[k] - pos[i], q = d * d + 0.01;

			f += d / (q * q);
		}
		ck_assert_double_eq(got[i], f);
	}
	stop();
}
END_TEST

/* A-SIMT-25: after a loop with YIELD, member-mask instructions see all lanes. */
START_TEST(test_together)
{
	static u32 in[64], got[64], steps[64];
	void *din, *dout;
	ppuModule m;
	u32 i, v;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	rnd_state = 9;
	for (i = 0; i < 64; i++) {
		in[i] = rnd();
		steps[i] = 0;
		for (v = in[i] % 1000 + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
			steps[i]++;
	}
	din = upload(in, sizeof(in));
	dout = upload(in, sizeof(in));
	run(m, "co_together", 1, 64, 0, dout, din, 64);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	for (i = 0; i < 64; i++) {
		u32 votes = 0, k;

		for (k = 0; k < 32; k++)
			votes |= (steps[i / 32 * 32 + k] & 1) << k;
		ck_assert_uint_eq(got[i], votes + steps[i ^ 1]);
	}
	stop();
}
END_TEST

/* SIMT-44: a lock that all lanes of a warp want, a lane that waits for another. */
START_TEST(test_progress)
{
	u32 zero[64] = { 0 }, got[2];
	void *out, *lock;
	ppuModule m;

	start(NULL);
	m = load(coop_makers[_i], 0, false);
	out = upload(zero, sizeof(zero));
	lock = upload(zero, sizeof(zero));
	run(m, "co_lock", 2, 64, 0, out, lock, 0);
	OK(ppuMemcpy(got, out, 4));
	ck_assert_uint_eq(got[0], 128);
	out = upload(zero, sizeof(zero));
	run(m, "co_wait", 1, 64, 0, out, lock, 0);
	OK(ppuMemcpy(got, out, 8));
	ck_assert_uint_eq(got[0], 7);
	ck_assert_uint_eq(got[1], 7);
	stop();
}
END_TEST

/* ---- hand-written PTX (tests/ptx/hand.ptx) ---- */

static u32 bfe(u64 v, u32 pos, u32 len, bool sign, u32 width)
{
	u64 r = 0;
	u32 k, msb = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;

	for (k = 0; k < width; k++) {
		u64 bit = k < len && pos + k < width ? v >> (pos + k) & 1 :
			  sign && len ? v >> msb & 1 : 0;

		r |= bit << k;
	}
	return (u32)r;
}

static u64 bfi(u64 a, u64 b, u32 pos, u32 len, u32 width)
{
	u32 k;

	for (k = 0; k < len && pos + k < width; k++)
		b = (b & ~(1ull << (pos + k))) | (a >> k & 1) << (pos + k);
	return b;
}

static u32 rev(u32 v)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k++)
		r |= (v >> k & 1) << (31 - k);
	return r;
}

static u32 want_bits(u32 x, u32 t)
{
	u32 y = ~x, s = t & 31, v[25], r = 0, k, n = 0;
	u64 xy = x | (u64)y << 32, e = xy >> 13 & 0x7fffffff, f = bfi(e, xy, 7, 40, 64);
	int dot = (int)t, first;

	v[n++] = ((y >> 16 & 0xff) | (x & 0xff) << 8 | (y >> 24) << 16 | (x >> 24) << 24);
	v[n++] = (x >> 16) | (x & 0xffff0000u);
	v[n++] = (x & y) | (~x & t);
	v[n++] = bfe(x, s, 7, false, 32);
	v[n++] = bfe(x, 4, s, true, 32);
	v[n++] = (u32)bfi(x, y, s, 9, 32);
	v[n++] = s ? y << s | x >> (32 - s) : y;
	v[n++] = s ? x >> s | y << (32 - s) : x;
	v[n++] = rev(x);
	v[n++] = (u32)__builtin_popcount(x);
	v[n++] = x ? (u32)__builtin_clz(x) : 32;
	v[n++] = x ? 31 - (u32)__builtin_clz(x) : ~0u;
	v[n++] = t + (x > y ? x - y : y - x);
	v[n++] = s == 0;
	v[n++] = (u32)((u64)(x & 0xffffff) * (y & 0xffffff));
	for (k = 0; k < 4; k++)
		dot += (int)(x >> (8 * k) & 0xff) * (signed char)(y >> (8 * k) & 0xff);
	v[n++] = (u32)dot;
	v[n++] = (int)x >= 0 ? s : t;
	v[n++] = (int)x < (int)y ? ~0u : 0;
	v[n++] = (u32)(31ull << s);
	for (k = 0, v[n] = t; k < 4; k++)
		v[n] += (u32)abs((int)(x >> (8 * k) & 0xff) - (int)(y >> (8 * k) & 0xff));
	n++;
	v[n++] = (u32)__builtin_popcountll(xy);
	v[n++] = e ? (u32)__builtin_clzll(e) : 64;
	v[n++] = (u32)f;
	v[n++] = (u32)(f >> 32);
	first = (int)x > 0;
	v[n] = s == 5 && !first ? 3 : 5;
	v[n++] += first ? 100 : 0;
	for (k = 0; k < n; k++)
		r = r * 31 + v[k];
	return r;
}

static u32 want_carry(u32 x)
{
	u32 a = x, b = x * 0x9e3779b9u, c = ~x;
	unsigned __int128 v = ((u64)a << 32 | b);

	v += (u64)b << 32 | c;
	v -= (u64)c << 32 | a;
	v += (u64)a * b;
	/* the product's two halves and the carries out of 64 bits, modulo 2^32 of limb 2 */
	return ((u32)v ^ (u32)(v >> 32)) + (u32)(v >> 64) * 77;
}

static u32 want_memory(const u32 *in, u32 t)
{
	u32 x = in[t], b[4], k, r;

	for (k = 0; k < 4; k++)
		b[k] = x >> (8 * k) & 0xff;
	r = (b[1] | b[0] << 16) + (b[3] | b[2] << 8 | b[1] << 16 | b[0] << 24);
	return r + 0x28 + 20 + 222 + (u32)-1 + 2 + 2 + 1000 + t * 4;
}

static u32 want_warp(const u32 *in, u32 t)
{
	u32 ballot = 0, match = 0, sum = 0, k, r;
	int most = (int)in[0];

	for (k = 0; k < 32; k++) {
		ballot |= (u32)((in[k] & 3) == 1) << k;
		match |= (u32)((in[k] & 3) == (in[t] & 3)) << k;
		sum += in[k] & 3;
		if ((int)in[k] > most)
			most = (int)in[k];
	}
	r = ballot + match + sum + (u32)most + in[t >= 3 ? t - 3 : t] + (t >= 3) + in[in[t] & 3];
	r += 0xffffffffu + (u32)__builtin_popcount(ballot);
	return r + (ballot ? 10 : 0) + (ballot == ~0u) + (ballot != ~0u ? 100 : 0);
}

static u32 want_preds(u32 x, u32 t)
{
	u32 p = x & 0xfffff, r = 0, k, j;

	for (j = 0; j < 3; j++) {
		for (k = 0; k < 20; k++)
			r += p >> k & 1 ? k * k + 1 : 0;
		r += t * 4;
		p ^= (p >> 17 & 1) << 3;
		p ^= 1u << 5;
		p = (p & ~(1u << 7)) | ((p >> 8 & 1) & (p >> 9 & 1)) << 7;
	}
	return r;
}

static u32 want_half(u32 t)
{
	u32 r;
	float twice = 2.0f * (float)t + 2.0f * (1.5f * (float)t + 1.5f);
	int clipped = ((int)t - 16) * 20;

	r = (u32)(int)twice;
	r += 1.5f * (float)t + 1.5f > 16.0f ? 1000 : 0;
	r += t * 20 > 255 ? 255 : t * 20;
	r += (u32)(clipped > 127 ? 127 : clipped < -128 ? -128 : clipped);
	return r + (t > 0);
}

static void check_hand(ppuModule m, const char *name, const u32 *in, const u32 *want)
{
	u32 got[32] = { 0 }, i;
	void *din = upload(in, 128), *dout = upload(got, 128);

	run(m, name, 1, 32, 0, dout, din, 0);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	for (i = 0; i < 32; i++)
		ck_assert_msg(got[i] == want[i], "%s, thread %u: input %08x, got %08x, expected %08x",
			      name, i, in[i], got[i], want[i]);
}

static void check_atomics(ppuModule m, const u32 *in)
{
	u32 v[16] = { 0, 1000, 5, ~0u, 0, 7, 0, 3, 0, 0, 0, 0, 0, 0, 5, 9 }, got[16], i;
	void *din = upload(in, 128), *dout = upload(v, 64);
	u64 wide = 0;
	double d;
	float f;

	run(m, "h_atomics", 1, 32, 0, dout, din, 0);
	OK(ppuMemcpy(got, dout, sizeof(got)));
	for (i = 0; i < 32; i++) {
		v[0] += in[i];
		v[1] = (u32)((int)in[i] < (int)v[1] ? (int)in[i] : (int)v[1]);
		v[2] = in[i] > v[2] ? in[i] : v[2];
		v[3] &= in[i];
		v[4] |= in[i];
		v[5] ^= in[i];
		v[6] = v[6] >= 20 ? 0 : v[6] + 1;
		v[7] = !v[7] || v[7] > 20 ? 20 : v[7] - 1;
		wide += (u64)in[i] << 20;
	}
	for (i = 0; i < 8; i++)
		ck_assert_uint_eq(got[i], v[i]);
	ck_assert_uint_eq(got[8] | (u64)got[9] << 32, wide);
	memcpy(&f, got + 10, 4);
	memcpy(&d, got + 12, 8);
	ck_assert_float_eq(f, 16);
	ck_assert_double_eq(d, 16);
	ck_assert(got[14] != 5);
	ck_assert_uint_eq(got[15], 42);
}

START_TEST(test_hand)
{
	u32 in[32], want[32], i, seed, level;

	for (level = 0; level < 2; level++) {
		ppuModule m;

		start(level ? "branch-first=1" : NULL);
		m = load("tests/ptx/hand.ptx", 0, false);
		for (seed = 1; seed < 4; seed++) {
			rnd_state = seed;
			for (i = 0; i < 32; i++)
				in[i] = seed == 3 ? i : rnd() * 2654435761u;
#define EACH(name, expr) do { \
	for (i = 0; i < 32; i++) \
		want[i] = (expr); \
	check_hand(m, name, in, want); \
} while (0)
			EACH("h_bits", want_bits(in[i], i));
			EACH("h_carry", want_carry(in[i]));
			EACH("h_memory", want_memory(in, i));
			EACH("h_warp", want_warp(in, i));
			EACH("h_calls", 3 * (3 * in[i] + 4 * i));
			EACH("h_brx", ((in[i] & 3) == 0 ? in[i] + 1 : (in[i] & 3) == 1 ? in[i] * 3 :
				       (in[i] & 3) == 2 ? ~in[i] ^ (in[i] ^ 0x55) ^ ~in[i] : in[i] ^ 0x55) ^ ~0u);
			EACH("h_half", want_half(i));
			EACH("h_preds", want_preds(in[i], i));
			check_atomics(m, in);
		}
		stop();
	}
}
END_TEST

/* Shapes of control flow; each lane leaves the active mask that it has at the end. */
static const char *const meet[] = { "m_if", "m_ifelse", "m_whilebreak", "m_dowhile", "m_nested", "m_irregular", "m_continue",
				    "m_shortcircuit", "m_rareexit", "m_switch" };
#define MEET	(sizeof(meet) / sizeof(meet[0]))

/* SIMT-10: all lanes are together at the immediate post-dominator, whatever the shape. */
START_TEST(test_meet)
{
	u32 in[32], want[32], i, k, level;

	for (level = 0; level < 2; level++) {
		ppuModule m;

		start(level ? "branch-first=1" : NULL);
		/* lanes that YIELD do not take part in a convergence (SIMT-42): so no YIELD is inserted here */
		m = load("tests/ptx/meet.ptx", 0, true);
		for (k = 0; k < MEET; k++) {
			rnd_state = k;
			for (i = 0; i < 32; i++) {
				in[i] = rnd();
				want[i] = ~0u;
			}
			check_hand(m, meet[k], in, want);
		}
		stop();
	}
}
END_TEST

/*
 * SIMT-10, SIMT-42 with the YIELDs that the compiler inserts.  In loops, lanes that have yielded come to the end in groups of
 * their own: each lane in one group, all lanes of a group together, and nothing but YIELD parts lanes: where the program
 * has none, and where the device ignores it, all lanes meet.
 */
START_TEST(test_meet_with_yield)
{
	u32 in[32], want[32], parted = 0;

	for (u32 suppress = 0; suppress < 2; suppress++) {
		ppuModule m;

		start(suppress ? "x-yield-suppress=1" : NULL);
		m = load("tests/ptx/meet.ptx", 0, false);
		for (u32 k = 0; k < MEET; k++) {
			u32 got[32] = { 0 };
			void *din, *dout;
			bool loop = k == 2 || k == 3 || k == 5 || k == 6 || k == 8;

			rnd_state = k;
			for (u32 i = 0; i < 32; i++) {
				in[i] = rnd();
				want[i] = ~0u;
			}
			if (suppress || !loop) {
				check_hand(m, meet[k], in, want);
				continue;
			}
			din = upload(in, 128);
			dout = upload(got, 128);
			run(m, meet[k], 1, 32, 0, dout, din, 0);
			OK(ppuMemcpy(got, dout, sizeof(got)));
			for (u32 i = 0; i < 32; i++) {
				ck_assert_msg(got[i] >> i & 1, "%s, thread %u: mask %08x", meet[k], i, got[i]);
				for (u32 j = 0; j < 32; j++)
					ck_assert_msg((got[i] >> j & 1) == (got[i] == got[j]), "%s: threads %u, %u: %08x, %08x",
						      meet[k], i, j, got[i], got[j]);
				parted += got[i] != ~0u;
			}
		}
		stop();
	}
	ck_assert_uint_gt(parted, 0);		/* YIELDs were inserted */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_exec");
	TCase *t = tcase_create("solo");

	tcase_set_timeout(t, 100);
	tcase_add_loop_test(t, test_solo, 0, NUM_MAKERS * NUM_SOLO);
	tcase_add_loop_test(t, test_solo_tight, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_mix, 0, 4);
	suite_add_tcase(s, t);
	t = tcase_create("together");
	tcase_set_timeout(t, 100);
	tcase_add_loop_test(t, test_reduce_histogram, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_matmul, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_shared, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_nbody, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_together, 0, NUM_MAKERS);
	tcase_add_loop_test(t, test_progress, 0, NUM_MAKERS);
	tcase_add_test(t, test_hand);
	tcase_add_test(t, test_meet);
	tcase_add_test(t, test_meet_with_yield);
	suite_add_tcase(s, t);
	return run_suite(s);
}
