/* SPDX-License-Identifier: MIT */
/*
 * The runtime through the core backend: ppu.h, rings, page tables and SMs, no VM.
 * Rows: WQ-1..WQ-9, WQ-20, CP-1 (order inside a stream), HW-6, HW-9, HW-75.
 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ppu.h>
#include "run_suite.h"
#include "../../driver/programs.h"
#include "api/context/context.h"
#include "api/stream/slot.h"
#include "rt_ok.h"

static const char code[] =
	".global counter 8 8 = .word 5 0\n"
	PROGRAM_SCALE
	/* y[i] += x[i] */
	".kernel accumulate\n"
	".param y u64 ; .param x u64 ; .param n u32\n"
	"s2r r4, %ctaid.x ; s2r r5, %ntid.x ; s2r r6, %tid.x\n"
	"mad.u32 r4, r4, r5, r6\n"
	"ld.param.u32 r7, [n]\n"
	"setp.ge.u32 p0, r4, r7\n"
	"@p0 exit\n"
	"ld.param.u64 rd8, [y] ; ld.param.u64 rd12, [x]\n"
	"madw.u32 rd8, r4, 4, rd8\n"
	"madw.u32 rd12, r4, 4, rd12\n"
	"ld.global.u32 r10, [rd8] ; ld.global.u32 r11, [rd12]\n"
	"add.u32 r10, r10, r11\n"
	"st.global.u32 [rd8], r10\n"
	"exit\n"
	".kernel bad_store\n"
	".param p u64\n"
	"ld.param.u64 rd8, [p]\n"
	"st.global.u32 [rd8], r4\n"
	"exit\n"
	".kernel trapping\n"
	"trap\n"
	"exit\n"
	".kernel endless\n"
	"top: bra top\n"
	PROGRAM_DEEP
	".kernel slow\n"		/* stores a word after 1 ms of device time */
	".param p u64 ; .param v u32\n"
	"ld.param.u64 rd8, [p] ; ld.param.u32 r4, [v]\n"
	"nanosleep 1000000\n"
	"st.global.u32 [rd8], r4\n"
	"exit\n"
	".kernel bump\n"
	"movi64 rd8, counter\n"
	"mov.u32 r4, 1\n"
	"atom.global.add.u32 rz, [rd8], r4\n"
	"exit\n";

static ppuModule mod;

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

static void start_with(const char *props, uint32_t ring, const char *trace)
{
	ppuInitOptions o = { .backend = "core", .props = props, .ring_entries = ring, .trace = trace };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
}

static void start(void)
{
	start_with(NULL, 0, NULL);
}

static void stop(void)
{
	OK(ppuShutdown());
}

static void scale(void *p, uint32_t n, uint32_t k, ppuStream s)
{
	void *args[] = { &p, &n, &k };

	OK(ppuLaunchKernel(fn("scale"), ppuDim((n + 63) / 64, 1, 1), ppuDim(64, 1, 1), 0, s, args, NULL, 0));
}

static void accumulate(void *y, void *x, uint32_t n, ppuStream s)
{
	void *args[] = { &y, &x, &n };

	OK(ppuLaunchKernel(fn("accumulate"), ppuDim((n + 63) / 64, 1, 1), ppuDim(64, 1, 1), 0, s, args, NULL, 0));
}

static uint32_t rng(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

START_TEST(names)
{
	ck_assert_str_eq(ppuGetErrorName(PPU_SUCCESS), "PPU_SUCCESS");
	ck_assert_str_eq(ppuGetErrorName(PPU_ERROR_TRAP), "PPU_ERROR_TRAP");
	ck_assert_str_eq(ppuGetErrorName((ppuResult)12345), "PPU_ERROR_UNKNOWN");
#define R(name, code, text) ck_assert_str_eq(ppuGetErrorString(PPU_##name), text);
	PPU_RESULTS(R)
#undef R
}
END_TEST

START_TEST(options)
{
	ppuInitOptions o = { .backend = "nonsense" };

	FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
	o.backend = "core";
	o.props = "no-such-property=1";
	FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "no-such-property"));
	o.props = "gpcs=1000";
	FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
	o.props = "gpcs=2, sms-per-gpc=1 vram=64M";
	OK(ppuInit(&o));
	{
		ppuDeviceProp p;
		int n;

		OK(ppuDeviceGetCount(&n));
		ck_assert_int_eq(n, 1);
		OK(ppuDeviceGetProperties(&p, 0));
		ck_assert_uint_eq(p.sms, 2);
		ck_assert_uint_eq(p.vram_bytes, 64 << 20);
		ck_assert_uint_eq(p.warp_size, 32);
		ck_assert_str_eq(p.backend, "core");
		FAILS(PPU_ERROR_INVALID_DEVICE, ppuDeviceGetProperties(&p, 1));
		FAILS(PPU_ERROR_INVALID_DEVICE, ppuDeviceGetProperties(&p, -1));
	}
	stop();
}
END_TEST

START_TEST(memory)
{
	enum { N = 300 };
	void *p[N], *h;
	size_t size[N], before, after, total;
	uint32_t seed = 1;
	ppuPointerAttributes a;
	int local = 0;

	start();
	OK(ppuMalloc(&p[0], 16));	/* the first chunk is there */
	OK(ppuMemGetInfo(&before, &total));
	for (int i = 1; i < N; i++) {
		size[i] = rng(&seed) % (i % 20 ? 20000 : 5000000) + 1;
		OK(ppuMalloc(&p[i], size[i]));
		ck_assert_uint_eq((uintptr_t)p[i] % 256, 0);
		for (int k = 1; k < i; k++)
			ck_assert((char *)p[i] + size[i] <= (char *)p[k] || (char *)p[k] + size[k] <= (char *)p[i]);
	}
	OK(ppuPointerGetAttributes(&a, (char *)p[7] + size[7] - 1));
	ck_assert_int_eq(a.type, PPU_MEMORY_DEVICE);
	ck_assert_ptr_eq(a.base, p[7]);
	ck_assert_uint_eq(a.bytes, size[7]);
	OK(ppuPointerGetAttributes(&a, &local));
	ck_assert_int_eq(a.type, PPU_MEMORY_UNREGISTERED);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree((char *)p[7] + 1));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree(&local));
	for (int i = 1; i < N; i++) {
		int k = 1 + (i * 7) % (N - 1);

		if (p[k])
			OK(ppuFree(p[k]));
		p[k] = NULL;
	}
	for (int i = 1; i < N; i++)
		OK(ppuFree(p[i]));
	OK(ppuMemGetInfo(&after, &total));
	ck_assert_uint_le(before - after, 8 << 20);	/* at most a spare chunk and page tables stay allocated */
	FAILS(PPU_ERROR_OUT_OF_DEVICE_MEMORY, ppuMalloc(&h, total));
	OK(ppuMalloc(&h, 0));
	ck_assert_ptr_null(h);
	OK(ppuFree(NULL));
	OK(ppuMallocHost(&h, 10000));
	ck_assert_uint_eq((uintptr_t)h % 4096, 0);
	memset(h, 1, 10000);
	OK(ppuPointerGetAttributes(&a, h));
	ck_assert_int_eq(a.type, PPU_MEMORY_HOST);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree(h));
	OK(ppuFreeHost(h));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFreeHost(h));
	stop();
}
END_TEST

/* Small pieces lie side by side: of a device, each begins at 256 bytes; of the host, at a page. */
START_TEST(units_of_memory)
{
	void *p[2];

	start();
	OK(ppuMalloc(&p[0], 1));
	OK(ppuMalloc(&p[1], 1));
	ck_assert_int_eq(llabs((char *)p[1] - (char *)p[0]), 256);
	OK(ppuFree(p[0]));
	OK(ppuFree(p[1]));
	OK(ppuMalloc(&p[0], 257));
	OK(ppuMalloc(&p[1], 1));
	ck_assert_int_eq(llabs((char *)p[1] - (char *)p[0]), 512);
	OK(ppuMallocHost(&p[0], 1));
	OK(ppuMallocHost(&p[1], 1));
	ck_assert_int_eq(llabs((char *)p[1] - (char *)p[0]), 4096);
	ck_assert_uint_eq((uintptr_t)p[0] % 4096, 0);
	OK(ppuFreeHost(p[0]));
	OK(ppuFreeHost(p[1]));
	stop();
}
END_TEST

START_TEST(copies)
{
	static const size_t sizes[] = { 1, 3, 4095, 4096, 4097, 65536, (1 << 20) - 1, (1 << 20) + 3, 5000001 };
	enum { BIG = 5000001 + 64 };
	uint8_t *a = malloc(BIG), *b = malloc(BIG), *ref = malloc(BIG);
	void *d1, *d2, *h;
	uint32_t seed = 3;

	start();
	OK(ppuMalloc(&d1, BIG));
	OK(ppuMalloc(&d2, BIG));
	OK(ppuMallocHost(&h, BIG));
	for (size_t i = 0; i < BIG; i++)
		a[i] = (uint8_t)rng(&seed);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i], o = i % 7;

		memset(b, 0, BIG);
		OK(ppuMemcpy((char *)d1 + o, a + 1, n));	/* ordinary -> device */
		OK(ppuMemcpy((char *)h + 5, (char *)d1 + o, n));	/* device -> pinned */
		OK(ppuMemcpy((char *)d2 + 3, (char *)h + 5, n));	/* pinned -> device */
		OK(ppuMemcpy((char *)d1 + 11, (char *)d2 + 3, n));	/* device -> device */
		OK(ppuMemcpy(b + 2, (char *)d1 + 11, n));	/* device -> ordinary */
		ck_assert_int_eq(memcmp(b + 2, a + 1, n), 0);
		ck_assert_int_eq(b[1] | b[n + 2], 0);
	}
	/* past the end, or past the end of the address space */
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy((char *)d1 + 65, a, BIG - 64));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy(b, (char *)d1 + BIG, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemcpy(NULL, a, 1));
	OK(ppuMemcpy(NULL, NULL, 0));
	/* fills */
	memset(ref, 0, 4096);
	OK(ppuMemset(d1, 0, 1, 4096));
	OK(ppuMemset((char *)d1 + 3, 0xab, 1, 100));
	memset(ref + 3, 0xab, 100);
	OK(ppuMemset((char *)d1 + 256, 0x1122334455667788, 8, 10));
	for (int i = 0; i < 10; i++)
		memcpy(ref + 256 + 8 * i, &(uint64_t){ 0x1122334455667788 }, 8);
	OK(ppuMemset2D((char *)d1 + 1024, 64, 0x1234, 2, 5, 7));
	for (int r = 0; r < 7; r++)
		for (int i = 0; i < 5; i++)
			memcpy(ref + 1024 + 64 * r + 2 * i, &(uint16_t){ 0x1234 }, 2);
	OK(ppuMemcpy(b, d1, 4096));
	ck_assert_int_eq(memcmp(b, ref, 4096), 0);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemset((char *)d1 + 1, 0, 4, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemset(d1, 0, 3, 1));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemset(a, 0, 1, 1));
	/* 2-D through every pair of places */
	for (int from = 0; from < 3; from++) {
		for (int to = 0; to < 3; to++) {
			void *src = from == 0 ? (void *)a : from == 1 ? h : d1;
			void *dst = to == 0 ? (void *)ref : to == 1 ? (char *)h + 2000000 : d2;

			OK(ppuMemcpy(src, a, 200 * 1000));
			memset(b, 0x5a, 300 * 1000);
			if (to == 0)
				memset(dst, 0x5a, 300 * 1000);
			else
				OK(ppuMemset(dst, 0x5a, 1, 300 * 1000));
			OK(ppuMemcpy2D(dst, 300, src, 200, 123, 1000));
			for (int r = 0; r < 1000; r++)
				memcpy(b + r * 300, a + r * 200, 123);
			if (to != 0)
				OK(ppuMemcpy(ref, dst, 300 * 1000));
			ck_assert_int_eq(memcmp(ref, b, 300 * 1000), 0);
		}
	}
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemcpy2D(d1, 10, d2, 20, 11, 2));
	/* Rows so far apart that their addresses wrap around to the first rows again. */
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemcpy2D(d1, (size_t)1 << 60, d2, 20, 11, 17));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemcpy2D(d1, 20, d2, (size_t)1 << 60, 11, 17));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemset2D(d1, (size_t)1 << 60, 0, 1, 11, 17));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuMemset2D(d1, SIZE_MAX, 0, 1, 1, 2));
	stop();
	free(a);
	free(b);
	free(ref);
}
END_TEST

START_TEST(launches)
{
	static const uint32_t huge[] = { 1025, INT32_MAX, 1u << 31, UINT32_MAX - 30, UINT32_MAX };
	enum { N = 1000 };
	uint32_t h[N], n = N, k = 3;
	void *d;
	ppuFunctionAttributes at;
	ppuFunction f;
	size_t off, size;
	uint8_t packed[16];
	const char *name;
	int blocks;
	ppuDeviceProp p;

	start();
	OK(ppuDeviceGetProperties(&p, 0));
	OK(ppuMalloc(&d, sizeof(h)));
	for (uint32_t i = 0; i < N; i++)
		h[i] = i ^ 5;
	OK(ppuMemcpy(d, h, sizeof(h)));
	scale(d, n, k, NULL);
	/* the same with a packed buffer */
	f = fn("scale");
	memcpy(packed, &d, 8);
	memcpy(packed + 8, &n, 4);
	memcpy(packed + 12, &k, 4);
	OK(ppuLaunchKernel(f, ppuDim(8, 1, 2), ppuDim(128, 1, 1), 0, NULL, NULL, packed, 16));
	OK(ppuCtxSynchronize());
	OK(ppuMemcpy(h, d, sizeof(h)));
	/* grid z = 2 ran the second launch twice over: only check the untouched property */
	OK(ppuMemset(d, 0, 4, N));
	scale(d, n, k, NULL);
	scale(d, n, k, NULL);
	OK(ppuMemcpy(h, d, sizeof(h)));
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(h[i], i * 4);

	OK(ppuFunctionGetAttributes(&at, f));
	ck_assert_uint_eq(at.num_params, 3);
	ck_assert_uint_eq(at.param_bytes, 16);
	ck_assert_uint_ge(at.regs, 12);
	ck_assert_uint_eq(at.max_threads_per_block, 1024);
	OK(ppuFunctionGetParam(f, 2, &off, &size));
	ck_assert_uint_eq(off, 12);
	ck_assert_uint_eq(size, 4);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuFunctionGetParam(f, 3, &off, &size));
	ck_assert_str_eq(ppuFunctionGetName(f), "scale");
	OK(ppuModuleGetFunctionName(mod, 0, &name));
	ck_assert_str_eq(name, "scale");
	FAILS(PPU_ERROR_INVALID_VALUE, ppuModuleGetFunctionName(mod, 99, &name));
	OK(ppuOccupancyMaxActiveBlocks(&blocks, f, 256, 0));
	ck_assert_int_eq(blocks, 8);
	OK(ppuOccupancyMaxActiveBlocks(&blocks, f, 32, p.shared_per_block));
	ck_assert_int_eq(blocks, (int)(p.shared_per_sm / p.shared_per_block));
	/* Numbers that must be checked before they are used in arithmetic. */
	for (unsigned i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		OK(ppuOccupancyMaxActiveBlocks(&blocks, f, huge[i], 0));
		ck_assert_int_eq(blocks, 0);
	}
	OK(ppuOccupancyMaxActiveBlocks(&blocks, f, 32, SIZE_MAX));
	ck_assert_int_eq(blocks, 0);

	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuLaunchKernel(f, ppuDim(0, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, packed, 16));
	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1025, 1, 1), 0, NULL, NULL, packed, 16));
	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(32, 32, 2), 0, NULL, NULL, packed, 16));
	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuLaunchKernel(f, ppuDim(1, 65536, 1), ppuDim(1, 1, 1), 0, NULL, NULL, packed, 16));
	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), p.shared_per_block + 1, NULL, NULL, packed, 16));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, packed, 17));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, NULL, 0));
	FAILS(PPU_ERROR_NOT_FOUND, ppuModuleGetFunction(&f, mod, "nothing"));
	stop();
}
END_TEST

START_TEST(modules)
{
	uint64_t v;
	void *p;
	size_t bytes;
	uint32_t got;
	char log[256];
	ppuModule m2;
	ppuModuleOptions o = { .name = "bad.ppus", .log = log, .log_bytes = sizeof(log) };
	ppuFunction f;
	uint64_t limit;

	start();
	OK(ppuModuleGetGlobal(&p, &bytes, mod, "counter"));
	ck_assert_uint_eq(bytes, 8);
	OK(ppuLaunchKernel(fn("bump"), ppuDim(3, 1, 1), ppuDim(40, 1, 1), 0, NULL, NULL, NULL, 0));
	OK(ppuMemcpy(&v, p, 8));
	ck_assert_uint_eq(v, 5 + 120);
	FAILS(PPU_ERROR_NOT_FOUND, ppuModuleGetGlobal(&p, &bytes, mod, "scale"));
	OK(ppuModuleGetGlobal(&p, NULL, mod, "counter"));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree(p));
	/* local memory grows to what the kernel needs */
	OK(ppuMalloc(&p, 4));
	OK(ppuLaunchKernel(fn("deep"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &p }, NULL, 0));
	OK(ppuMemcpy(&got, p, 4));
	ck_assert_uint_eq(got, 77);
	OK(ppuCtxGetLimit(PPU_LIMIT_LOCAL_BYTES, &limit));
	ck_assert_uint_ge(limit, 4096);
	OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 100));
	OK(ppuCtxGetLimit(PPU_LIMIT_LOCAL_BYTES, &limit));
	ck_assert_uint_eq(limit, 112);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, (512u << 10) + 1));
	OK(ppuCtxGetLimit(PPU_LIMIT_LOCAL_BYTES, &limit));
	ck_assert_uint_eq(limit, 112);
	/* compile errors name the place */
	FAILS(PPU_ERROR_COMPILE, ppuModuleLoadData(&m2, "nop\nfoo r1\n", 0, &o));
	ck_assert_ptr_nonnull(strstr(log, "bad.ppus:2:"));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "bad.ppus:2:"));
	FAILS(PPU_ERROR_INVALID_IMAGE, ppuModuleLoadData(&m2, "PPUB....", 8, NULL));
	FAILS(PPU_ERROR_FILE, ppuModuleLoad(&m2, "/nonexistent.ptx", NULL));
	/* unload ends the function's handle */
	f = fn("scale");
	OK(ppuModuleUnload(mod));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, NULL, 0));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuModuleUnload(mod));
	stop();
}
END_TEST

START_TEST(events)
{
	ppuStream a, b;
	ppuEvent e0, e1, quiet;
	void *d;
	uint64_t t0, t1, now;
	int64_t ns;
	float ms;
	uint32_t *h;

	start();
	OK(ppuMalloc(&d, 4 << 20));
	OK(ppuMallocHost((void **)&h, 4 << 20));
	OK(ppuStreamCreate(&a, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuStreamCreate(&b, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuEventCreate(&e0, 0));
	OK(ppuEventCreate(&e1, 0));
	OK(ppuEventCreate(&quiet, PPU_EVENT_DISABLE_TIMING));
	OK(ppuEventQuery(e0));		/* not recorded: complete */
	OK(ppuEventSynchronize(e0));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuEventGetTime(e0, &t0));
	OK(ppuEventRecord(e0, a));
	h[0] = 1;
	OK(ppuMemcpyAsync(d, h, 4 << 20, a));
	OK(ppuEventRecord(e1, a));
	OK(ppuEventRecord(quiet, a));
	OK(ppuStreamWaitEvent(b, quiet));
	scale(d, 1, 7, b);
	FAILS(PPU_ERROR_NOT_READY, ppuEventQuery(e1));
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(b));
	FAILS(PPU_ERROR_NOT_READY, ppuEventGetTime(e1, &t0));
	OK(ppuStreamSynchronize(b));
	OK(ppuEventQuery(e1));
	OK(ppuStreamQuery(a));
	OK(ppuEventGetTime(e0, &t0));
	OK(ppuEventGetTime(e1, &t1));
	OK(ppuDeviceGetTime(0, &now));
	ck_assert_uint_lt(t0, t1);
	ck_assert_uint_le(t1, now);
	OK(ppuEventElapsedNs(&ns, e0, e1));
	/* 4 MiB at 12000 MB/s */
	ck_assert_int_gt(ns, 340000);
	ck_assert_int_lt(ns, 380000);
	OK(ppuEventElapsedTime(&ms, e1, e0));
	ck_assert(ms < 0);
	FAILS(PPU_ERROR_NOT_SUPPORTED, ppuEventGetTime(quiet, &t0));
	/* around one kernel, in its own command block */
	OK(ppuLaunchKernelTimed(fn("bump"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, b, NULL, NULL, 0, e0, e1));
	OK(ppuEventSynchronize(e1));
	OK(ppuEventElapsedNs(&ns, e0, e1));
	ck_assert_int_gt(ns, 1000);
	ck_assert_int_lt(ns, 60000);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuLaunchKernelTimed(fn("bump"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, b, NULL,
							     NULL, 0, e0, quiet));
	/* recording again moves the mark */
	OK(ppuEventRecord(e0, b));
	OK(ppuEventSynchronize(e0));
	OK(ppuEventElapsedNs(&ns, e1, e0));
	ck_assert_int_gt(ns, 0);
	OK(ppuMemcpy(h, d, 4));
	ck_assert_uint_eq(h[0], 7);
	for (int i = 0; i < 10000; i++)		/* slots are reused */
		OK(ppuEventRecord(e0, a));
	OK(ppuStreamSynchronize(a));
	OK(ppuEventDestroy(e0));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuEventRecord(e0, a));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuEventDestroy(e0));
	OK(ppuStreamDestroy(a));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuStreamSynchronize(a));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuStreamQuery((ppuStream)d));
	stop();
}
END_TEST

/* The default stream waits for blocking streams, and they for it; not so with NON_BLOCKING. */
START_TEST(default_stream)
{
	ppuStream s, n;
	void *d;
	uint32_t v;
	int least, greatest, prio;
	unsigned flags;

	start();
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	ck_assert_int_eq(least, 0);
	ck_assert_int_lt(greatest, 0);
	OK(ppuStreamCreate(&s, PPU_STREAM_DEFAULT, greatest));
	OK(ppuStreamCreate(&n, PPU_STREAM_NON_BLOCKING, 0));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&n, 0, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuStreamCreate(&n, 0, greatest - 1));
	OK(ppuStreamGetPriority(s, &prio));
	ck_assert_int_eq(prio, greatest);
	OK(ppuStreamGetFlags(n, &flags));
	ck_assert_uint_eq(flags, PPU_STREAM_NON_BLOCKING);
	OK(ppuMalloc(&d, 1 << 20));
	for (int i = 0; i < 20; i++) {
		OK(ppuMemsetAsync(d, 2, 4, 1 << 18, s));
		scale(d, 1, 10, NULL);			/* 20 */
		scale(d, 1, 3, s);			/* 60 */
		OK(ppuMemcpyAsync(&v, d, 4, NULL));
		ck_assert_uint_eq(v, 60);
	}
	/* work of a destroyed stream still counts */
	OK(ppuMemsetAsync(d, 4, 4, 1 << 18, s));
	OK(ppuStreamDestroy(s));
	OK(ppuMemcpy(&v, d, 4));
	ck_assert_uint_eq(v, 4);
	/* the non-blocking one is not waited for */
	OK(ppuMemsetAsync(d, 4, 4, 1 << 18, n));
	OK(ppuStreamSynchronize(NULL));
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(n));
	stop();
}
END_TEST

static void slow(void *p, uint32_t v, ppuStream s)
{
	OK(ppuLaunchKernel(fn("slow"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, (void *[]){ &p, &v }, NULL, 0));
}

/* A blocking stream that is destroyed while it works: all that concerns the default stream still waits for this work. */
START_TEST(work_of_destroyed_streams)
{
	enum { COPY, SYNC, QUERY, EVENT, TIMED, OTHER, HOST, WAYS };

	start();
	for (int how = 0; how < WAYS; how++) {
		uint32_t *h, v = 0;
		ppuStream s, other;
		ppuEvent e;
		void *d;

		OK(ppuMalloc(&d, 4096));
		OK(ppuMemset(d, 0, 4, 1024));
		OK(ppuMallocHost((void **)&h, 4096));
		OK(ppuEventCreate(&e, how == TIMED ? 0 : PPU_EVENT_DISABLE_TIMING));
		OK(ppuStreamCreate(&s, 0, 0));
		slow(d, 7, s);
		OK(ppuStreamDestroy(s));
		OK(ppuStreamCreate(&other, how == OTHER ? 0 : PPU_STREAM_NON_BLOCKING, 0));
		switch (how) {
		case COPY:
			OK(ppuMemcpyAsync(h, d, 4, NULL));
			OK(ppuStreamSynchronize(NULL));
			v = h[0];
			break;
		case QUERY:
			FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(NULL));
			/* fall through */
		case SYNC:
			OK(ppuStreamSynchronize(NULL));
			break;
		case EVENT:
		case TIMED:
			OK(ppuEventRecord(e, NULL));
			OK(ppuEventSynchronize(e));
			break;
		case OTHER:	/* waits for the default stream, and so for what that one waits for */
			OK(ppuMemsetAsync(h + 8, 0, 4, 1, NULL));
			OK(ppuMemcpyAsync(h, d, 4, other));
			OK(ppuStreamSynchronize(other));
			v = h[0];
			break;
		case HOST:
			OK(ppuMemcpy(&v, d, 4));
			break;
		}
		if (how != COPY && how != OTHER && how != HOST) {
			OK(ppuMemcpyAsync(h, d, 4, other));	/* waits for nothing by itself */
			OK(ppuStreamSynchronize(other));
			v = h[0];
		}
		ck_assert_msg(v == 7, "way %d: %u", how, v);
		OK(ppuStreamDestroy(other));
		OK(ppuEventDestroy(e));
	}
	stop();
}
END_TEST

/*
 * An event in a stream without work of its own: in a blocking stream it stands for the work of the default stream, which
 * the next job there would wait for; in a non-blocking one for nothing.
 */
START_TEST(events_of_idle_streams)
{
	start();
	for (int how = 0; how < 4; how++) {
		bool blocking = how & 1;
		ppuStream s, other;
		ppuEvent e;
		uint32_t *h;
		void *d;

		OK(ppuMalloc(&d, 4096));
		OK(ppuMemset(d, 0, 4, 1024));
		OK(ppuMallocHost((void **)&h, 4096));
		OK(ppuStreamCreate(&s, blocking ? 0 : PPU_STREAM_NON_BLOCKING, 0));
		OK(ppuStreamCreate(&other, PPU_STREAM_NON_BLOCKING, 0));
		OK(ppuEventCreate(&e, how & 2 ? 0 : PPU_EVENT_DISABLE_TIMING));
		slow(d, 5, NULL);
		OK(ppuEventRecord(e, s));
		OK(ppuStreamWaitEvent(other, e));
		OK(ppuMemcpyAsync(h, d, 4, other));
		OK(ppuStreamSynchronize(other));
		ck_assert_msg(h[0] == (blocking ? 5 : 0), "way %d: %u", how, h[0]);
		OK(ppuCtxSynchronize());
	}
	stop();
}
END_TEST

/* An event that is recorded again gives its slot back, whichever call records it. */
START_TEST(events_keep_one_slot)
{
	size_t before[2], after[2], total;
	struct ppuCtx_st *c;
	ppuEvent e, f;
	ppuStream s;

	start();
	OK(ppuCtxGetCurrent(&c));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuEventCreate(&e, 0));
	OK(ppuEventCreate(&f, 0));
	for (unsigned round = 0; round < 2; round++) {
		size_t *n = round ? after : before;

		for (unsigned i = 0; i < 20; i++) {
			OK(ppuEventRecord(e, s));
			OK(ppuLaunchKernelTimed(fn("bump"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, NULL, NULL, 0, e, f));
			OK(ppuEventRecord(f, NULL));
			OK(ppuCtxSynchronize());
		}
		n[0] = 0;
		for (const struct rt_slots *p = c->slots; p; p = p->next)
			n[0] += p->num_free;
		for (const struct rt_retired_slot *p = c->retired; p; p = p->next)
			n[0]++;
		OK(ppuMemGetInfo(&n[1], &total));
	}
	ck_assert_uint_eq(before[0], after[0]);
	ck_assert_uint_eq(before[1], after[1]);
	stop();
}
END_TEST

/* A packed buffer that ends before the parameters do: the rest is zero, not what an earlier launch had there. */
START_TEST(short_packed_arguments)
{
	ppuInitOptions o = { .backend = "core", .ring_entries = 8, .pushbuf_bytes = 4096 };
	uint32_t h[4], n = 4, k = 0xdeadbeef;
	uint8_t packed[16];
	void *d;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
	OK(ppuMalloc(&d, sizeof(h)));
	memcpy(packed, &d, 8);
	memcpy(packed + 8, &n, 4);
	memcpy(packed + 12, &k, 4);
	for (unsigned i = 0; i < 60; i++) {
		bool whole = i % 4;

		OK(ppuMemset(d, 1, 4, n));
		OK(ppuLaunchKernel(fn("scale"), ppuDim(1, 1, 1), ppuDim(64, 1, 1), 0, NULL, NULL, packed, whole ? 16 : 12));
		OK(ppuMemcpy(h, d, sizeof(h)));
		for (uint32_t j = 0; j < n; j++)
			ck_assert_msg(h[j] == (whole ? k : 0) + j, "launch %u: %x", i, h[j]);
	}
	stop();
}
END_TEST

/*
 * Random copies, fills and kernels in random streams, ordered only by events, compared with the same work done one
 * after the other.  WQ-1, WQ-4: rings of any size wrap many times.
 */
static void random_graph(uint32_t ring, const char *props, uint32_t seed, unsigned ops)
{
	enum { BUFS = 6, STREAMS = 5, N = 3000 };
	static uint32_t model[BUFS][N], got[N];
	ppuStream st[STREAMS];
	ppuEvent last[BUFS];
	int recorded[BUFS] = { 0 };
	void *d[BUFS];
	uint32_t *pin;

	start_with(props, ring, NULL);
	memset(model, 0, sizeof(model));
	OK(ppuMallocHost((void **)&pin, N * 4));
	for (uint32_t i = 0; i < N; i++)
		pin[i] = i * 3;
	for (int i = 0; i < STREAMS; i++)
		OK(ppuStreamCreate(&st[i], i & 1, 0));
	for (int i = 0; i < BUFS; i++) {
		OK(ppuMalloc(&d[i], N * 4));
		OK(ppuMemset(d[i], 0, 4, N));
		OK(ppuEventCreate(&last[i], i & 1));
	}
	for (unsigned op = 0; op < ops; op++) {
		unsigned s = rng(&seed) % STREAMS, x = rng(&seed) % BUFS, y = rng(&seed) % BUFS;
		uint32_t n = rng(&seed) % N + 1, k = rng(&seed);

		if (x == y)
			y = (x + 1) % BUFS;
		if (recorded[x])
			OK(ppuStreamWaitEvent(st[s], last[x]));
		if (recorded[y])
			OK(ppuStreamWaitEvent(st[s], last[y]));
		switch (rng(&seed) % 5) {
		case 0:
			OK(ppuMemcpyAsync(d[y], d[x], n * 4, st[s]));
			memcpy(model[y], model[x], n * 4);
			break;
		case 1:
			OK(ppuMemsetAsync(d[y], k, 4, n, st[s]));
			for (uint32_t i = 0; i < n; i++)
				model[y][i] = k;
			break;
		case 2:
			scale(d[y], n, k, st[s]);
			for (uint32_t i = 0; i < n; i++)
				model[y][i] = model[y][i] * k + i;
			break;
		case 3:
			accumulate(d[y], d[x], n, st[s]);
			for (uint32_t i = 0; i < n; i++)
				model[y][i] += model[x][i];
			break;
		default:
			OK(ppuMemcpyAsync(d[y], pin, n * 4, st[s]));
			memcpy(model[y], pin, n * 4);
			break;
		}
		OK(ppuEventRecord(last[x], st[s]));
		OK(ppuEventRecord(last[y], st[s]));
		recorded[x] = recorded[y] = 1;
	}
	OK(ppuCtxSynchronize());
	for (int i = 0; i < BUFS; i++) {
		OK(ppuMemcpy(got, d[i], N * 4));
		ck_assert_msg(!memcmp(got, model[i], N * 4), "buffer %d differs, ring %u, seed %u", i, ring, seed);
	}
	stop();
}

START_TEST(graph)
{
	static const struct {
		uint32_t ring;
		const char *props;
	} cases[] = {
		{ 0, NULL }, { 3, NULL }, { 6, NULL }, { 8, "copy-engines=1" }, { 5, "gpcs=1 sms-per-gpc=1" },
		{ 8, "workers=3" }, { 7, "timeslice=3000 window-ns=1000" },
	};

	random_graph(cases[_i].ring, cases[_i].props, 1000u + (uint32_t)_i, 250);
}
END_TEST

/* More streams than channels, more contexts than one: shared channels keep every order. */
START_TEST(many)
{
	enum { STREAMS = 40, CTXS = 6 };
	ppuStream st[STREAMS];
	ppuCtx ctx[CTXS];
	uint32_t *h;
	void *d;

	start();
	OK(ppuMallocHost((void **)&h, STREAMS * 4));
	OK(ppuMalloc(&d, STREAMS * 256));
	for (int i = 0; i < STREAMS; i++) {
		OK(ppuStreamCreate(&st[i], i % 3 == 0, 0));
		OK(ppuMemsetAsync((char *)d + 256 * i, (uint64_t)i, 4, 1, st[i]));
	}
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < STREAMS; i++)
			scale((char *)d + 256 * i, 1, 3, st[i]);
	for (int i = 0; i < STREAMS; i++)
		OK(ppuMemcpyAsync(&h[i], (char *)d + 256 * i, 4, st[i]));
	OK(ppuCtxSynchronize());
	for (uint32_t i = 0; i < STREAMS; i++)
		ck_assert_uint_eq(h[i], i * 27);
	for (int i = 0; i < CTXS; i++) {
		OK(ppuCtxCreate(&ctx[i], 0, 0));
		OK(ppuMalloc(&d, 4096));
		OK(ppuMemset(d, (uint64_t)i, 4, 10));
	}
	for (int i = 0; i < CTXS; i++)
		OK(ppuCtxDestroy(ctx[i]));
	FAILS(PPU_ERROR_NOT_FOUND, ppuModuleGetFunction(&(ppuFunction){ NULL }, mod, "none"));
	stop();
}
END_TEST

/* A kernel's fault is reported at the next wait, with details; it is sticky, and other contexts do not notice it. */
START_TEST(fault)
{
	ppuCtx good, bad;
	ppuModule m_good;
	void *d, *dg;
	uint64_t wild = 0x123456789000;
	uint32_t v = 0;
	const char *story;
	ppuStream s;
	void *range;
	ppuMem mem;

	start();
	m_good = mod;
	OK(ppuCtxGetCurrent(&good));
	OK(ppuMalloc(&dg, 4096));
	OK(ppuCtxCreate(&bad, 0, 0));
	OK(ppuModuleLoadData(&mod, code, 0, &(ppuModuleOptions){ .name = "test.ppus" }));
	OK(ppuMalloc(&d, 4096));
	OK(ppuStreamCreate(&s, 0, 0));
	OK(ppuMemCreate(&mem, 4096));
	OK(ppuAddressReserve(&range, 4096, 0));
	OK(ppuLaunchKernel(fn("bad_store"), ppuDim(2, 1, 1), ppuDim(33, 1, 1), 0, NULL, (void *[]){ &wild }, NULL, 0));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuCtxSynchronize());
	story = ppuGetLastErrorDetail();
	ck_assert_msg(strstr(story, "bad_store") && strstr(story, "0x123456789000") && strstr(story, "pc ") &&
		      strstr(story, "lane ") && strstr(story, "block ("), "%s", story);
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuMemset(d, 0, 4, 1));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuStreamSynchronize(s));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuMalloc(&d, 1));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuMemMap(range, 4096, mem, 0));
	/* the other context */
	OK(ppuCtxSetCurrent(good));
	mod = m_good;
	OK(ppuMemset(dg, 5, 4, 1));
	scale(dg, 1, 3, NULL);
	OK(ppuMemcpy(&v, dg, 4));
	ck_assert_uint_eq(v, 15);
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuMemcpy(&v, d, 4));	/* the memory is the broken context's */
	OK(ppuCtxDestroy(bad));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuStreamSynchronize(s));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuCtxDestroy(bad));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuCtxSetCurrent(bad));
	/* a new one works */
	OK(ppuCtxCreate(&bad, 0, 0));
	OK(ppuMalloc(&d, 4096));
	OK(ppuMemset(d, 5, 4, 1));
	OK(ppuMemcpy(&v, d, 4));
	ck_assert_uint_eq(v, 5);
	/* objects of one context are refused in the other */
	FAILS(PPU_ERROR_INVALID_CONTEXT, ({
		ppuEvent e;

		OK(ppuEventCreate(&e, 0));
		OK(ppuCtxSetCurrent(good));
		ppuEventRecord(e, NULL);
	}));
	stop();
}
END_TEST

/* scale: x[i] = x[i] * k + i in a context, with its module. */
static void right(ppuCtx ctx, ppuModule m, uint32_t k)
{
	uint32_t h[1000];
	void *d;

	OK(ppuCtxSetCurrent(ctx));
	mod = m;
	OK(ppuMalloc(&d, sizeof(h)));
	for (uint32_t i = 0; i < 1000; i++)
		h[i] = i;
	OK(ppuMemcpy(d, h, sizeof(h)));
	scale(d, 1000, k, NULL);
	OK(ppuMemcpy(h, d, sizeof(h)));
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(h[i], i * k + i);
	OK(ppuFree(d));
}
static void refused(ppuResult res, const char *why)
{
	ck_assert_int_eq(res, PPU_ERROR_OUT_OF_DEVICE_MEMORY);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), why) != NULL, "%s", ppuGetLastErrorDetail());
}
/*
 * Local memory that cannot be had is refused, with the reason, when the limit is set and when a kernel is launched.
 * After any such failure both contexts are right.
 */
START_TEST(no_room_for_local_memory)
{
	ppuModule m[2];
	ppuCtx ctx[2];
	size_t avail, total;
	uint64_t limit;
	void *p, *all;

	start_with("vram=64M", 0, NULL);
	OK(ppuCtxGetCurrent(&ctx[0]));
	m[0] = mod;
	/* before the context has any local memory */
	refused(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 16 << 10), "16384 bytes of local memory");
	OK(ppuCtxGetLimit(PPU_LIMIT_LOCAL_BYTES, &limit));
	ck_assert_uint_lt(limit, 16 << 10);
	/* the first launch of a context, when another one has the memory */
	OK(ppuMemGetInfo(&avail, &total));
	OK(ppuMalloc(&all, avail - (4 << 20)));
	OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 16));
	OK(ppuCtxCreate(&ctx[1], 0, 0));
	OK(ppuModuleLoadData(&m[1], code, 0, NULL));
	mod = m[1];
	OK(ppuMalloc(&p, 4));
	for (int i = 0; i < 3; i++)
		refused(ppuLaunchKernel(fn("deep"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &p }, NULL, 0),
			"local memory");
	OK(ppuCtxSetCurrent(ctx[0]));
	OK(ppuFree(all));
	for (uint32_t k = 2; k < 6; k++)
		right(ctx[k & 1], m[k & 1], k);
	/* now that both have some */
	for (int i = 0; i < 2; i++) {
		OK(ppuCtxSetCurrent(ctx[i]));
		refused(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, 16 << 10), "16384 bytes of local memory");
	}
	for (uint32_t k = 2; k < 6; k++)
		right(ctx[k & 1], m[k & 1], k);
	stop();
}
END_TEST

START_TEST(trap)
{
	start();
	OK(ppuLaunchKernel(fn("trapping"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, NULL, 0));
	FAILS(PPU_ERROR_TRAP, ppuStreamSynchronize(NULL));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "trapping"));
	stop();
}
END_TEST

START_TEST(endless)
{
	uint64_t now;
	ppuCtx ctx;
	ppuStream s;
	void *d;

	start();
	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuLaunchKernel(fn("endless"), ppuDim(1, 1, 1), ppuDim(64, 1, 1), 0, s, NULL, NULL, 0));
	OK(ppuDeviceGetTime(0, &now));
	FAILS(PPU_ERROR_TIMEOUT, ppuStreamSynchronizeUntil(s, now + 1000000, UINT64_MAX));
	FAILS(PPU_ERROR_TIMEOUT, ppuStreamSynchronizeUntil(s, UINT64_MAX, 20000000));
	/* other streams go on */
	OK(ppuMalloc(&d, 4096));
	OK(ppuMemset(d, 0, 4, 1));
	scale(d, 1, 2, NULL);
	OK(ppuStreamSynchronize(NULL));
	OK(ppuCtxDestroy(ctx));
	/* and so does the device, in a new primary context */
	OK(ppuMalloc(&d, 4096));
	OK(ppuMemset(d, 0, 4, 1));
	stop();
}
END_TEST

static void *waiter(void *arg)
{
	ppuResult *res = arg;

	*res = ppuStreamSynchronize(NULL);
	return NULL;
}

/* Destroying a context wakes the threads that wait in it. */
START_TEST(destroy_wakes)
{
	ppuResult res = PPU_SUCCESS;
	pthread_t t;
	ppuCtx ctx;
	int refs;

	start();
	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuLaunchKernel(fn("endless"), ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, NULL, NULL, 0));
	refs = __atomic_load_n(&ctx->obj.handle.refs, __ATOMIC_RELAXED);
	ck_assert_int_eq(pthread_create(&t, NULL, waiter, &res), 0);
	/* Before it has this context, the thread would wait in the next one. */
	while (__atomic_load_n(&ctx->obj.handle.refs, __ATOMIC_RELAXED) == refs)
		usleep(1000);
	usleep(50000);		/* a shorter time only makes the test weaker */
	OK(ppuCtxDestroy(ctx));
	pthread_join(t, NULL);
	ck_assert_int_eq(res, PPU_ERROR_INVALID_CONTEXT);
	stop();
}
END_TEST

static void *thread(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, *h = malloc(4096), n = 1000;
	ppuStream s;
	ppuEvent e;
	void *d;

	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuEventCreate(&e, 0));
	OK(ppuMalloc(&d, 4096));
	for (uint32_t round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < n; i++)
			h[i] = id + round;
		OK(ppuMemcpyAsync(d, h, n * 4, s));
		scale(d, n, 5, s);
		OK(ppuEventRecord(e, s));
		OK(ppuEventSynchronize(e));
		OK(ppuMemcpyAsync(h, d, n * 4, s));
		OK(ppuStreamSynchronize(s));
		for (uint32_t i = 0; i < n; i++)
			ck_assert_uint_eq(h[i], (id + round) * 5 + i);
	}
	OK(ppuFree(d));
	OK(ppuStreamDestroy(s));
	OK(ppuEventDestroy(e));
	free(h);
	return NULL;
}

START_TEST(threads)
{
	pthread_t t[4];

	start_with(NULL, 8, NULL);
	for (uintptr_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, thread, (void *)(i * 100)), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	stop();
}
END_TEST

/* The same program writes the same trace, byte for byte. */
static void workload(const char *trace)
{
	ppuStream s[3];
	ppuEvent e;
	void *d, *d2;
	uint32_t h[500];

	start_with("gpcs=2 sms-per-gpc=2", 16, trace);
	OK(ppuMalloc(&d, 100000));
	OK(ppuMalloc(&d2, 100000));
	OK(ppuEventCreate(&e, 0));
	for (int i = 0; i < 3; i++)
		OK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, 0));
	memset(h, 3, sizeof(h));
	for (int i = 0; i < 30; i++) {
		OK(ppuMemcpyAsync(d, h, sizeof(h), s[i % 3]));
		scale(d, 500, 3, s[i % 3]);
		OK(ppuEventRecord(e, s[i % 3]));
		OK(ppuStreamWaitEvent(s[(i + 1) % 3], e));
		accumulate(d2, d, 300, s[(i + 1) % 3]);
	}
	OK(ppuCtxSynchronize());
	stop();
}

START_TEST(determinism)
{
	char a[] = "/tmp/ppu-rt-XXXXXX", b[] = "/tmp/ppu-rt-XXXXXX";
	int fa = mkstemp(a), fb = mkstemp(b);
	static char ba[65536], bb[65536];
	ssize_t n, total = 0;

	ck_assert(fa >= 0 && fb >= 0);
	workload(a);
	workload(b);
	do {
		n = read(fa, ba, sizeof(ba));
		ck_assert_int_eq(read(fb, bb, sizeof(bb)), n);
		ck_assert_int_eq(memcmp(ba, bb, (size_t)n), 0);
		total += n;
	} while (n > 0);
	ck_assert_int_gt(total, 10000);
	close(fa);
	close(fb);
	unlink(a);
	unlink(b);
}
END_TEST

#define NONE(call) FAILS(PPU_ERROR_INVALID_VALUE, call)

/* Each place for a result that is missing, alone, and each number just outside of its range. */
START_TEST(arguments)
{
	ppuTextureDesc desc = { .format = PPU_TEXTURE_U8 };
	ppuFunction f;
	ppuTexture texture;
	ppuEvent e, begin, end;
	ppuStream s;
	ppuMem mem;
	ppuCtx ctx;
	int least, greatest;
	uint64_t values[PPU_CTR_COUNT], word;
	size_t bytes, offset;
	const char *name;
	unsigned some;
	int64_t ns;
	double d;
	void *p;
	ppuProfile profile;

	start();
	f = fn("scale");
	NONE(ppuGetVersion(NULL));
	OK(ppuGetVersion(&least));
	ck_assert_int_eq(least, PPU_VERSION_MAJOR * 1000 + PPU_VERSION_MINOR);
	NONE(ppuDeviceGetCount(NULL));
	NONE(ppuDeviceGetProperties(NULL, 0));
	NONE(ppuDeviceGetTime(0, NULL));
	NONE(ppuCtxCreate(NULL, 0, 0));
	NONE(ppuCtxCreate(&ctx, ~0u, 0));
	NONE(ppuCtxGetCurrent(NULL));
	NONE(ppuCtxGetDevice(NULL));
	NONE(ppuCtxGetLimit(PPU_LIMIT_COUNT, &word));
	NONE(ppuCtxGetLimit(0, NULL));
	NONE(ppuCtxSetLimit(PPU_LIMIT_COUNT, 1));
	NONE(ppuCtxGetTasks(NULL, NULL));
	some = 1;
	NONE(ppuCtxGetTasks(NULL, &some));
	some = 0;
	OK(ppuCtxGetTasks(NULL, &some));

	NONE(ppuStreamCreate(NULL, 0, 0));
	NONE(ppuStreamCreate(&s, 2, 0));
	NONE(ppuStreamGetPriorityRange(&least, NULL));
	NONE(ppuStreamGetPriorityRange(NULL, &greatest));
	NONE(ppuStreamGetPriority(NULL, NULL));
	NONE(ppuStreamGetDevicePriority(NULL, NULL));
	NONE(ppuStreamGetFlags(NULL, NULL));
	NONE(ppuLaunchHostFunc(NULL, NULL, NULL));
	NONE(ppuEventCreate(NULL, 0));
	NONE(ppuEventCreate(&e, PPU_EVENT_DISABLE_TIMING << 1));
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	OK(ppuStreamCreate(&s, 0, least));
	OK(ppuStreamDestroy(s));
	OK(ppuStreamCreate(&s, 0, greatest));
	NONE(ppuStreamSetPriority(s, least + (least > greatest ? 1 : -1)));
	NONE(ppuStreamSetPriority(s, greatest - (least > greatest ? 1 : -1)));
	OK(ppuStreamSetPriority(s, least));
	OK(ppuStreamDestroy(s));
	OK(ppuEventCreate(&begin, 0));
	OK(ppuEventCreate(&end, 0));
	OK(ppuEventRecord(begin, NULL));
	OK(ppuEventRecord(end, NULL));
	OK(ppuEventSynchronize(end));
	NONE(ppuEventGetTime(begin, NULL));
	NONE(ppuEventElapsedNs(NULL, begin, end));
	NONE(ppuEventElapsedTime(NULL, begin, end));
	OK(ppuEventElapsedNs(&ns, begin, end));

	NONE(ppuMalloc(NULL, 4));
	NONE(ppuMallocHost(NULL, 4));
	NONE(ppuMallocPitch(&p, NULL, 4, 4));
	NONE(ppuMemGetInfo(NULL, &bytes));
	NONE(ppuMemGetInfo(&bytes, NULL));
	NONE(ppuPointerGetAttributes(NULL, &p));
	NONE(ppuTextureCreate(NULL, &desc));
	NONE(ppuTextureCreate(&texture, NULL));
	NONE(ppuHostRegister(NULL, 4096, 0));
	NONE(ppuHostRegister(&p, 0, 0));
	NONE(ppuHostRegister(&p, 4, 1));

	NONE(ppuAddressReserve(NULL, 4096, 0));
	NONE(ppuAddressReserve(&p, 0, 0));
	NONE(ppuAddressReserve(&p, 4097, 0));
	NONE(ppuAddressReserve(&p, 4096, 3));
	NONE(ppuMemCreate(NULL, 4096));
	NONE(ppuMemCreate(&mem, 0));
	NONE(ppuMemCreate(&mem, 100));
	OK(ppuMemCreate(&mem, 8192));
	OK(ppuAddressReserve(&p, 16384, 65536));
	ck_assert_uint_eq((uintptr_t)p % 65536, 0);
	NONE(ppuMemMap((char *)p + 8, 8192, mem, 0));
	NONE(ppuMemMap(p, 100, mem, 0));
	NONE(ppuMemMap(NULL, 8192, mem, 0));
	OK(ppuMemMap(p, 8192, mem, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemMap((char *)p + 4096, 8192, mem, 0));	/* partly mapped */
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemMap((char *)p + 12288, 8192, mem, 0));	/* partly reserved */
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemUnmap((char *)p + 4096, mem));
	OK(ppuMemset(p, 0x5a, 1, 8192));
	OK(ppuMemMap((char *)p + 8192, 8192, mem, 1));		/* the same memory a second time, to be read */
	OK(ppuMemcpy(&word, (char *)p + 8192 + 8184, 8));
	ck_assert_uint_eq(word, 0x5a5a5a5a5a5a5a5aull);
	OK(ppuMemUnmap(p, mem));
	OK(ppuMemUnmap((char *)p + 8192, mem));
	OK(ppuMemRelease(mem));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuMemMap(p, 8192, mem, 0));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuAddressFree(p, 8192));
	OK(ppuAddressFree(p, 16384));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuAddressFree(p, 16384));

	NONE(ppuModuleLoadData(NULL, code, 0, NULL));
	NONE(ppuModuleLoadData(&mod, NULL, 0, NULL));
	NONE(ppuModuleLoad(NULL, "/dev/null", NULL));
	NONE(ppuModuleLoad(&mod, NULL, NULL));
	NONE(ppuModuleGetFunction(NULL, mod, "scale"));
	NONE(ppuModuleGetFunction(&f, mod, NULL));
	NONE(ppuModuleGetGlobal(&p, &bytes, mod, NULL));
	NONE(ppuModuleGetFunctionName(mod, 0, NULL));
	OK(ppuModuleGetGlobal(NULL, &bytes, mod, "counter"));
	OK(ppuModuleGetGlobal(&p, NULL, mod, "counter"));
	ck_assert_uint_eq(bytes, 8);
	NONE(ppuFunctionGetAttributes(NULL, f));
	NONE(ppuFunctionGetParam(f, 0, NULL, &bytes));
	NONE(ppuFunctionGetParam(f, 0, &offset, NULL));
	NONE(ppuFunctionGetParam(f, 3, &offset, &bytes));
	OK(ppuFunctionGetParam(f, 2, &offset, &bytes));
	ck_assert(offset == 12 && bytes == 4);
	NONE(ppuOccupancyMaxActiveBlocks(NULL, f, 32, 0));
	NONE(ppuOccupancyMaxActiveBlocks(&least, f, 0, 0));

	NONE(ppuDeviceGetCounterName(0, 0, NULL));
	NONE(ppuDeviceGetCounterName(0, -1, &name));
	NONE(ppuDeviceGetCounterName(0, PPU_CTR_COUNT, &name));
	NONE(ppuDeviceGetCounters(0, NULL, 1));
	NONE(ppuDeviceGetCounters(0, values, -1));
	NONE(ppuDeviceGetCounters(0, values, PPU_CTR_COUNT + 1));
	NONE(ppuDeviceGetCounter(0, NULL, &word));
	NONE(ppuDeviceGetCounter(0, "copies", NULL));
	FAILS(PPU_ERROR_NOT_FOUND, ppuDeviceGetCounter(0, "copy", &word));
	NONE(ppuProfileBegin(NULL));
	NONE(ppuProfileEnd(NULL));
	OK(ppuProfileBegin(&profile));
	OK(ppuProfileEnd(&profile));
	NONE(ppuProfileGet(NULL, "copies", &d));
	NONE(ppuProfileGet(&profile, NULL, &d));
	NONE(ppuProfileGet(&profile, "copies", NULL));
	stop();
}
END_TEST

/* Each counter by its number and by its name. */
START_TEST(counters)
{
	uint64_t all[PPU_CTR_COUNT], one[PPU_CTR_COUNT], v;
	ppuTranslation translation;
	const char *name, *other;
	int stats;
	void *p;

	start();
	OK(ppuMalloc(&p, 4096));
	OK(ppuMemset(p, 1, 1, 4096));
	OK(ppuCtxSynchronize());
	OK(ppuDeviceGetCounters(0, all, PPU_CTR_COUNT));
	ck_assert_uint_gt(all[PPU_CTR_CE_BYTES], 0);
	ck_assert_uint_ne(all[PPU_CTR_CE_BYTES], all[PPU_CTR_CE_COPIES]);
	for (int i = 0; i < PPU_CTR_COUNT; i++) {
		OK(ppuDeviceGetCounterName(0, i, &name));
		for (int k = 0; k < i; k++) {
			OK(ppuDeviceGetCounterName(0, k, &other));
			ck_assert_str_ne(name, other);
		}
		if (i == PPU_CTR_MMIO_READS || i == PPU_CTR_MMIO_WRITES)	/* reading them counts */
			continue;
		OK(ppuDeviceGetCounter(0, name, &v));
		ck_assert_msg(v == all[i], "%s", name);
	}
	memset(one, 0xee, sizeof(one));
	OK(ppuDeviceGetCounters(0, one, PPU_CTR_CE_BYTES + 1));
	ck_assert_uint_eq(one[PPU_CTR_CE_BYTES], all[PPU_CTR_CE_BYTES]);
	ck_assert_uint_eq(one[PPU_CTR_CE_BYTES + 1], 0xeeeeeeeeeeeeeeeeull);

	/* what the translator has done: as many numbers as names */
	for (stats = 0; !ppuDeviceGetEngineStatName(0, stats, &name); stats++)
		ck_assert_uint_gt(strlen(name), 0);
	ck_assert_int_gt(stats, 3);
	memset(one, 0xee, sizeof(one));
	OK(ppuDeviceGetEngineStats(0, one, stats));
	ck_assert_uint_ne(one[stats - 1], 0xeeeeeeeeeeeeeeeeull);
	ck_assert_uint_eq(one[stats], 0xeeeeeeeeeeeeeeeeull);
	OK(ppuDeviceGetEngineStats(0, one, 0));
	NONE(ppuDeviceGetEngineStats(0, one, stats + 1));
	NONE(ppuDeviceGetEngineStats(0, one, -1));
	NONE(ppuDeviceGetEngineStats(0, NULL, 1));
	NONE(ppuDeviceGetEngineStatName(0, -1, &name));
	NONE(ppuDeviceGetEngineStatName(0, 0, NULL));
	NONE(ppuDeviceGetTranslation(0, 0, NULL));
	FAILS(PPU_ERROR_NOT_FOUND, ppuDeviceGetTranslation(0, UINT64_MAX - 1, &translation));
	stop();
}
END_TEST

/* With engine=auto a kernel that is launched again and again is translated beside the device, and how long that took is known. */
START_TEST(translated_beside_the_device)
{
	enum { N = 4096 };
	static const uint32_t ones[N] = { [0 ... N - 1] = 1 };
	uint64_t stat[PPU_ENG_COUNT];
	ppuTranslation t = { 0 };
	uint32_t got[N], times;
	void *x, *y;

	start_with("engine=auto", 0, NULL);
	OK(ppuDeviceGetEngineStats(0, stat, PPU_ENG_COUNT));
	if (!stat[PPU_ENG_AVAILABLE]) {		/* a build without a translator: test_engine_missing */
		stop();
		return;
	}
	OK(ppuMalloc(&x, sizeof(got)));
	OK(ppuMalloc(&y, sizeof(got)));
	OK(ppuMemcpy(x, ones, sizeof(ones)));
	OK(ppuMemset(y, 0, 4, N));
	ck_assert_int_eq(ppuDeviceGetTranslation(0, 0, &t), PPU_ERROR_NOT_FOUND);
	/* The host says when it is ready; on a very slow one not before a minute. */
	for (times = 1; times < 60000; times++) {
		accumulate(y, x, N, NULL);
		OK(ppuCtxSynchronize());
		if (!ppuDeviceGetTranslation(0, 0, &t))
			break;
		usleep(1000);
	}
	ck_assert_uint_lt(times, 60000);
	ck_assert_uint_gt(t.host_ns, 0);
	ck_assert_uint_gt(t.instructions, 5);
	/* The host's code is used, too, and gives the same. */
	accumulate(y, x, N, NULL);
	OK(ppuMemcpy(got, y, sizeof(got)));
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(got[i], times + 1);
	OK(ppuDeviceGetEngineStats(0, stat, PPU_ENG_COUNT));
	ck_assert_uint_gt(stat[PPU_ENG_ENTERED], 0);
	stop();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("runtime");
	TCase *c = tcase_create("api");

	tcase_set_timeout(c, 120);
	tcase_add_test(c, names);
	tcase_add_test(c, options);
	tcase_add_test(c, arguments);
	tcase_add_test(c, counters);
	tcase_add_test(c, translated_beside_the_device);
	tcase_add_test(c, memory);
	tcase_add_test(c, units_of_memory);
	tcase_add_test(c, copies);
	tcase_add_test(c, launches);
	tcase_add_test(c, modules);
	tcase_add_test(c, events);
	tcase_add_test(c, default_stream);
	tcase_add_test(c, work_of_destroyed_streams);
	tcase_add_test(c, events_of_idle_streams);
	tcase_add_test(c, events_keep_one_slot);
	tcase_add_test(c, short_packed_arguments);
	tcase_add_loop_test(c, graph, 0, 7);
	tcase_add_test(c, many);
	tcase_add_test(c, fault);
	tcase_add_test(c, no_room_for_local_memory);
	tcase_add_test(c, trap);
	tcase_add_test(c, endless);
	tcase_add_test(c, destroy_wakes);
	tcase_add_test(c, threads);
	tcase_add_test(c, determinism);
	suite_add_tcase(s, c);
	return run_suite(s);
}
