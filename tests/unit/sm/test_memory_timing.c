/* SPDX-License-Identifier: MIT */
/*
 * The memory system in device time (property memory-timing).  Small kernels measure sizes, lines, latencies and bandwidths
 * as one would on a machine that one does not know, and find what is configured: HW-44, HW-50, HW-64, HW-65, HW-66, HW-69,
 * HW-71, HW-73.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/ppu_core.h"
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

#define KB	1024u

/*
 * chase: 16 * warm loads, then 16 * n loads by the same instructions, whose time counts; each load says where the next one
 * is.  read: `reps` times the CTA's part of a buffer, 16 bytes a thread, 4 KiB at a time.  write: the same.  Both note when
 * the CTA began and ended.
 */
#define LD	"ld.global.u64 %p, [%p];\n"
#define CLOCKS	"mov.u64 %t1, %clock64; mov.u32 %r0, %ctaid.x; mul.wide.u32 %o1, %r0, 16; add.u64 %o, %o, %o1;\n" \
		"setp.eq.u32 %q0, %r13, 12345; @%q0 st.global.u32 [%b], %r13;\n" \
		"red.global.min.u64 [%o], %t0; red.global.max.u64 [%o+8], %t1; ret;\n}\n"
#define STREAM(name, body) \
".visible .entry " name "(.param .u64 buf, .param .u32 steps, .param .u32 reps, .param .u64 out)\n{\n" \
".reg .b64 %b, %p, %o, %o1, %t0, %t1, %x; .reg .b32 %r<16>; .reg .pred %q<2>;\n" \
"ld.param.u64 %b, [buf]; ld.param.u32 %r1, [steps]; ld.param.u32 %r2, [reps]; ld.param.u64 %o, [out];\n" \
"mov.u32 %r0, %tid.x; mul.wide.u32 %x, %r0, 16; add.u64 %b, %b, %x; mov.u32 %r0, %ctaid.x; mul.lo.u32 %r3, %r1, 16384;\n" \
"mul.wide.u32 %x, %r0, %r3; add.u64 %b, %b, %x; mov.u32 %r8, 1; mov.u32 %r13, 0;\n" \
"bar.sync 0; mov.u64 %t0, %clock64;\n" \
"$again: mov.u64 %p, %b; mov.u32 %r4, %r1;\n" \
"$step: " body "add.u64 %p, %p, 16384; sub.u32 %r4, %r4, 1; setp.ne.u32 %q0, %r4, 0; @%q0 bra $step;\n" \
"sub.u32 %r2, %r2, 1; setp.ne.u32 %q1, %r2, 0; @%q1 bra $again;\n" CLOCKS
#define TWICE(access, at) access " xor.b32 %r1, %r1, %r0; mov.u64 %t0, %clock64; " access " mov.u64 %t1, %clock64;\n" \
		"xor.b32 %r1, %r1, %r0; sub.u64 %t1, %t1, %t0; st.global.u64 [%o+" at "], %t1; add.u64 %p, %p, 4096;\n"
#define CODE4	"xor.b32 %r1, %r1, %r0; add.u32 %r1, %r1, %r1; xor.b32 %r1, %r1, 77; add.u32 %r1, %r1, %r0;\n"
#define CODE16	CODE4 CODE4 CODE4 CODE4
#define LDV(off) "ld.global.v4.u32 {%r9,%r10,%r11,%r12}, [%p+" off "]; xor.b32 %r13, %r13, %r9;\n"
#define STV(off) "st.global.v4.u32 [%p+" off "], {%r8,%r8,%r8,%r8};\n"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
".visible .entry chase(.param .u64 p, .param .u32 warm, .param .u32 n, .param .u64 out)\n{\n"
".reg .b64 %p, %o, %t0, %t1; .reg .b32 %r<4>; .reg .pred %q<2>;\n"
"ld.param.u64 %p, [p]; ld.param.u32 %r0, [warm]; ld.param.u32 %r1, [n]; ld.param.u64 %o, [out]; mov.u32 %r2, 0;\n"
"$pass: mov.u64 %t0, %clock64;\n"
"$loop: " LD LD LD LD LD LD LD LD LD LD LD LD LD LD LD LD
"sub.u32 %r0, %r0, 1; setp.ne.u32 %q0, %r0, 0; @%q0 bra $loop;\n"
"mov.u64 %t1, %clock64; setp.ne.u32 %q1, %r2, 0; mov.u32 %r2, 1; mov.u32 %r0, %r1; @!%q1 bra $pass; sub.u64 %t1, %t1, %t0; st.global.u64 [%o], %t1; st.global.u64 [%o+8], %p; ret;\n}\n"
STREAM("read", LDV("0") LDV("4096") LDV("8192") LDV("12288"))
STREAM("write", STV("0") STV("4096") STV("8192") STV("12288"))
/* n stores of one thread, each to a line of its own; then a fence, if asked for; then an atomic, if asked for. */
".visible .entry stores(.param .u64 p, .param .u32 n, .param .u32 fence, .param .u32 atom, .param .u64 out)\n{\n"
".reg .b64 %p, %o, %t0, %t1; .reg .b32 %r<6>; .reg .pred %q<4>;\n"
"ld.param.u64 %p, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [fence]; ld.param.u32 %r2, [atom]; ld.param.u64 %o, [out];\n"
"setp.ne.u32 %q1, %r1, 0; setp.ne.u32 %q2, %r2, 0; mov.u32 %r5, 0; mov.u32 %r4, 2;\n"
"$pass: mov.u32 %r3, %r0; bar.sync 0; mov.u64 %t0, %clock64;\n"
"$loop: st.global.u32 [%p], %r0; add.u64 %p, %p, 256; sub.u32 %r3, %r3, 1; setp.ne.u32 %q0, %r3, 0; @%q0 bra $loop;\n"
"@%q1 membar.gl; @%q2 atom.global.add.u32 %r5, [%p], 1; add.u32 %r5, %r5, 1; mov.u64 %t1, %clock64;\n"
"nanosleep.u32 20000; sub.u32 %r4, %r4, 1; setp.ne.u32 %q3, %r4, 0; @%q3 bra $pass;\n"
"sub.u64 %t1, %t1, %t0; st.global.u64 [%o], %t1; st.global.u32 [%o+8], %r5; ret;\n}\n"
/* matmul_tiles of the sample memory, of the first 48 rows. */
".visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 t, .param .u64 out)\n{\n"
".reg .b64 %a, %b, %c, %o, %x, %pa, %pb, %pc, %t0, %t1, %w; .reg .b32 %n, %t, %j, %k, %i, %s, %y, %e; .reg .f32 %f<4>; .reg .pred %q;\n"
"ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; ld.param.u32 %n, [n]; ld.param.u32 %t, [t];\n"
"ld.param.u64 %o, [out]; mov.u32 %s, %ntid.y; mul.wide.u32 %w, %n, 4; mov.u64 %t0, %clock64; mov.u32 %j, %tid.x;\n"
"$j: mov.u32 %k, 0;\n"
"$k: mov.u32 %i, %tid.y;\n"
"$i: mad.lo.u32 %y, %i, %n, %j; mul.wide.u32 %x, %y, 4; add.u64 %pc, %c, %x; ld.global.f32 %f0, [%pc];\n"
"mad.lo.u32 %y, %i, %n, %k; mul.wide.u32 %x, %y, 4; add.u64 %pa, %a, %x;\n"
"mad.lo.u32 %y, %k, %n, %j; mul.wide.u32 %x, %y, 4; add.u64 %pb, %b, %x; mov.u32 %e, %t;\n"
"$e: ld.global.f32 %f1, [%pa]; ld.global.f32 %f2, [%pb]; fma.rn.f32 %f0, %f1, %f2, %f0; add.u64 %pa, %pa, 4;\n"
"add.u64 %pb, %pb, %w; sub.u32 %e, %e, 1; setp.ne.u32 %q, %e, 0; @%q bra $e;\n"
"st.global.f32 [%pc], %f0; add.u32 %i, %i, %s; setp.lt.u32 %q, %i, 48; @%q bra $i;\n"
"add.u32 %k, %k, %t; setp.lt.u32 %q, %k, %n; @%q bra $k;\n"
"add.u32 %j, %j, %t; setp.lt.u32 %q, %j, %n; @%q bra $j;\n"
"mov.u64 %t1, %clock64; sub.u64 %t1, %t1, %t0; st.global.u64 [%o], %t1; ret;\n}\n";

/* Kernels of the tests of single accesses: a module of their own, so that the others stay where they are. */
static const char text_of_accesses[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
/* The same cold line of data, then the same cold lines of code, in two CTAs that begin at about the same time. */
".visible .entry twins(.param .u64 p, .param .u64 out)\n{\n"
".reg .b64 %p, %o, %x, %t0, %t1; .reg .b32 %r<3>; .reg .pred %q;\n"
"ld.param.u64 %p, [p]; ld.param.u64 %o, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %x, %r0, 16; add.u64 %o, %o, %x;\n"
"mov.u64 %t0, %clock64; ld.global.u32 %r1, [%p]; mov.u64 %t1, %clock64; sub.u64 %t1, %t1, %t0; st.global.u64 [%o], %t1;\n"
"mov.u64 %t0, %clock64;\n" CODE16 CODE16 "mov.u64 %t1, %clock64; sub.u64 %t1, %t1, %t0; st.global.u64 [%o+8], %t1;\n"
"setp.eq.u32 %q, %r1, 12345; @%q st.global.u32 [%p], %r1; ret;\n}\n"
/* A constant. */
".const .align 4 .u32 seven = 7;\n"
".visible .entry constant(.param .u64 out)\n{\n"
".reg .b64 %o; .reg .b32 %r; ld.param.u64 %o, [out]; ld.const.u32 %r, [seven]; st.global.u32 [%o], %r; ret;\n}\n"
/* Four kinds of accesses, twice each to a line of its own; the second time counts, and the second pass, whose code is there. */
".visible .entry again(.param .u64 p, .param .u64 out)\n{\n"
".reg .b64 %p, %o, %t0, %t1; .reg .b32 %r<3>; .reg .pred %q;\n"
"ld.param.u64 %p, [p]; ld.param.u64 %o, [out]; mov.u32 %r1, 0; mov.u32 %r2, 2;\n$pass:\n"
TWICE("atom.global.add.u32 %r0, [%p], 1;", "0") TWICE("ld.volatile.global.u32 %r0, [%p];", "8")
TWICE("ld.acquire.gpu.global.u32 %r0, [%p];", "16") TWICE("ld.global.u32 %r0, [%p];", "24")
/* A fence some time after a store, and a store that releases just after one. */
"st.global.u32 [%p], %r2; nanosleep.u32 150; mov.u64 %t0, %clock64; membar.gl; mov.u64 %t1, %clock64;\n"
"sub.u64 %t1, %t1, %t0; st.global.u64 [%o+32], %t1; membar.gl; add.u64 %p, %p, 4096;\n"
"st.global.u32 [%p], %r2; mov.u64 %t0, %clock64; st.release.gpu.global.u32 [%p+2048], %r2; mov.u64 %t1, %clock64;\n"
"sub.u64 %t1, %t1, %t0; st.global.u64 [%o+40], %t1; membar.gl; add.u64 %p, %p, 4096;\n"
"sub.u32 %r2, %r2, 1; setp.ne.u32 %q, %r2, 0; @%q bra $pass;\n"
"setp.eq.u32 %q, %r1, 12345; @%q st.global.u32 [%p], %r1; ret;\n}\n"
/*
 * Three warps load at the same time: the first a line that is in the L2, because an atomic was there, the other two another
 * one, which is not.
 */
".visible .entry three(.param .u64 p, .param .u64 out)\n{\n"
".reg .b64 %p, %o, %x, %t0, %t1; .reg .b32 %r<4>; .reg .pred %q, %q1;\n"
"ld.param.u64 %p, [p]; ld.param.u64 %o, [out]; mov.u32 %r0, %tid.x; shr.u32 %r0, %r0, 5; setp.eq.u32 %q, %r0, 0;\n"
"mul.wide.u32 %x, %r0, 8; add.u64 %o, %o, %x; @!%q add.u64 %p, %p, 4096; mov.u32 %r2, 2;\n"
/* The first pass brings the code. */
"$pass: @%q red.global.add.u32 [%p], 1; membar.gl; nanosleep.u32 20000; bar.sync 0;\n"
"mov.u64 %t0, %clock64; ld.global.u32 %r1, [%p]; add.u32 %r1, %r1, %r1; mov.u64 %t1, %clock64;\n"
"sub.u64 %t1, %t1, %t0; st.global.u64 [%o], %t1; bar.sync 0;\n"
"mov.u64 %t0, %clock64; ld.global.u32 %r1, [%p]; add.u32 %r1, %r1, %r1; mov.u64 %t1, %clock64;\n"
"sub.u64 %t1, %t1, %t0; st.global.u64 [%o+24], %t1; add.u64 %p, %p, 8192;\n"
"sub.u32 %r2, %r2, 1; setp.ne.u32 %q1, %r2, 0; @%q1 bra $pass;\n"
"setp.eq.u32 %q, %r1, 12345; @%q st.global.u32 [%p], %r1; ret;\n}\n"
/* Each thread changes n words, a KiB of threads further on each time, by atomics. */
".visible .entry atoms(.param .u64 p, .param .u32 n)\n{\n"
".reg .b64 %p, %x; .reg .b32 %r<3>; .reg .pred %q;\n"
"ld.param.u64 %p, [p]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %x, %r1, 256; add.u64 %p, %p, %x;\n"
"$loop: red.global.add.u32 [%p], 1; add.u64 %p, %p, 16384; sub.u32 %r0, %r0, 1; setp.ne.u32 %q, %r0, 0; @%q bra $loop; ret;\n}\n";

static const char *const configs[] = {
	"memory-timing=1 gpcs=2 sms-per-gpc=2 partitions=4",
	"memory-timing=1 gpcs=3 sms-per-gpc=1 partitions=3 sm-clock-khz=1500000 cache-line=64 l1-bytes=24K l1-ways=6 "
	"l1-latency-cycles=40 l1-bytes-per-cycle=32 l2-slice-bytes=96K l2-ways=8 l2-latency-ns=300 dram-latency-ns=400 "
	"gpc-mbps=30000 partition-mbps=20000 dram-mbps=9000 link-mbps=5000 link-latency-ns=1500 l15-latency-ns=120",
};
#define CONFIGS	2

static struct ppu_config cfg;
static ppuModule mod;
static char *buf;
static uint64_t *out, out_now[6];
static uint32_t num_sms;

/* Properties as the device reads them. */
static void parse(const char *props)
{
	char *copy = strdup(props), *save, *p, *err = NULL;

	ppu_config_init(&cfg);
	for (p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		*strchr(p, '=') = 0;
		ck_assert_msg(!ppu_config_set(&cfg, p, p + strlen(p) + 1, &err), "%s", err);
	}
	ck_assert_msg(!ppu_config_check(&cfg, &err), "%s", err);
	free(copy);
	num_sms = cfg.gpcs * cfg.sms_per_gpc;
}

static void begin(const char *props, const char *more)
{
	char all[1024];
	ppuInitOptions o = { .backend = "core", .props = all };

	snprintf(all, sizeof(all), "%s %s", props, more);
	parse(all);
	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, text, 0, NULL));
	OK(ppuMalloc((void **)&buf, 16 << 20));
	OK(ppuMalloc((void **)&out, 4096));
}

static ppuFunction access_kernel(const char *name)
{
	ppuModule m;
	ppuFunction f;

	OK(ppuModuleLoadData(&m, text_of_accesses, 0, NULL));
	OK(ppuModuleGetFunction(&f, m, name));
	return f;
}

static void end(void)
{
	OK(ppuShutdown());
}

static void close_to(double got, double want, const char *what)
{
	ck_assert_msg(got >= 0.98 * want && got <= 1.02 * want, "%s: %g, configured %g (%s)", what, got, want,
		      configs[0]);
}

/* ---- chases ------------------------------------------------------------------------------------------ */

/* Cycles of a load in a ring of `lines` places that are `stride` bytes apart, when it has gone round before. */
static double chase(char *mem, char *device, uint32_t lines, uint32_t stride)
{
	static uint64_t ring[(16 << 20) / 8];
	uint64_t result[2];
	uint32_t i, warm = (lines + 15) / 16, n = warm < 8 ? 8 : warm;
	ppuFunction f;

	for (i = 0; i < lines; i++)
		ring[(uint64_t)i * stride / 8] = (uint64_t)(uintptr_t)device + (uint64_t)((i + 1) % lines) * stride;
	if (mem)
		memcpy(mem, ring, (uint64_t)lines * stride);
	else
		OK(ppuMemcpy(device, ring, (uint64_t)lines * stride));
	OK(ppuModuleGetFunction(&f, mod, "chase"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &device, &warm, &n, &out }, NULL, 0));
	OK(ppuMemcpy(result, out, 16));
	return (double)result[0] / (16.0 * n);
}

static double cycles(double ns)
{
	return ns * cfg.sm_clock_khz / 1e6;
}

static double l2_bytes(void)
{
	return (double)cfg.l2_slice_bytes * cfg.partitions;
}

START_TEST(latencies)
{
	uint32_t line;
	void *host;

	begin(configs[_i], "");
	line = cfg.cache_line;
	close_to(chase(NULL, buf, 16, line), cfg.l1_cycles, "L1 latency");
	close_to(chase(NULL, buf, (uint32_t)(4 * cfg.l1_bytes / line), line), cycles(cfg.l2_ns), "L2 latency");
	close_to(chase(NULL, buf, (uint32_t)(2 * l2_bytes() / line), line), cycles(cfg.l2_ns + cfg.dram_ns), "DRAM latency");
	OK(ppuMallocHost(&host, 1 << 20));
	close_to(chase(host, host, (uint32_t)(4 * cfg.l1_bytes / line), line), cycles(cfg.link_ns), "system memory");
	close_to(chase(host, host, 16, line), cfg.l1_cycles, "system memory in the L1");
	end();
}
END_TEST

/* The most lines whose ring takes less than `limit` cycles a load, between lo and hi. */
static uint32_t knee(uint32_t lo, uint32_t hi, double limit, uint32_t step)
{
	while (hi - lo > step) {
		uint32_t mid = (lo + hi) / 2;

		if (chase(NULL, buf, mid, cfg.cache_line) < limit)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* HW-64, HW-66: how much the L1 and the L2 hold */
START_TEST(sizes)
{
	uint32_t line, n;

	begin(configs[_i], "");
	line = cfg.cache_line;
	n = knee(4, (uint32_t)(4 * cfg.l1_bytes / line), cfg.l1_cycles * 1.02, 1);
	close_to((double)n * line, (double)cfg.l1_bytes, "L1 size");
	n = (uint32_t)(l2_bytes() / line);
	n = knee(n / 2, 2 * n, cycles(cfg.l2_ns) * 1.005, n / 128);
	close_to((double)n * line, l2_bytes(), "L2 size");
	end();
}
END_TEST

/* Of words in a row each line's first one is slow. */
START_TEST(line_length)
{
	uint32_t n;
	double per;

	begin(configs[_i], "");
	n = (uint32_t)(4 * cfg.l1_bytes / 8);
	per = chase(NULL, buf, n, 8);
	close_to(8 * (cycles(cfg.l2_ns) - cfg.l1_cycles) / (per - cfg.l1_cycles), cfg.cache_line, "line");
	end();
}
END_TEST

/* Lines of one set: as many as it has ways are there, with one more none is. */
START_TEST(associativity)
{
	uint32_t stride, l2_stride;
	uint64_t lines;

	begin(configs[_i], "");
	stride = (uint32_t)cfg.l1_bytes / cfg.l1_ways;
	close_to(chase(NULL, buf, cfg.l1_ways, stride), cfg.l1_cycles, "a full set of the L1");
	close_to(chase(NULL, buf, cfg.l1_ways + 1, stride), cycles(cfg.l2_ns), "one more");
	/* Of the L2: as far apart as a way of all slices is long; the L1 has another number of ways. */
	l2_stride = (uint32_t)cfg.l2_slice_bytes / cfg.l2_ways * cfg.partitions;
	lines = cfg.l2_ways;
	close_to(chase(NULL, buf, (uint32_t)lines, l2_stride), cycles(cfg.l2_ns), "a full set of the L2");
	close_to(chase(NULL, buf, (uint32_t)lines + 1, l2_stride), cycles(cfg.l2_ns + cfg.dram_ns), "one more");
	end();
}
END_TEST

/* ---- bandwidths ---------------------------------------------------------------------------------------- */

/* Cycles that `ctas` CTAs of 256 threads need to go through `bytes` of memory each, `reps` times. */
static uint64_t stream_cycles(const char *kernel, char *mem, uint32_t ctas, uint32_t bytes, uint32_t reps)
{
	uint64_t clock[256], first = ~0ull, last = 0;
	uint32_t steps = bytes / (16 * KB), i;
	ppuFunction f;

	ck_assert(steps && ctas <= 128);
	for (i = 0; i < ctas; i++) {
		clock[2 * i] = ~0ull;
		clock[2 * i + 1] = 0;
	}
	OK(ppuMemcpy(out, clock, 16 * ctas));
	OK(ppuModuleGetFunction(&f, mod, kernel));
	OK(ppuLaunchKernel(f, ppuDim(ctas, 1, 1), ppuDim(256, 1, 1), 0, NULL, (void *[]){ &mem, &steps, &reps, &out }, NULL, 0));
	OK(ppuMemcpy(clock, out, 16 * ctas));
	for (i = 0; i < ctas; i++) {
		first = clock[2 * i] < first ? clock[2 * i] : first;
		last = clock[2 * i + 1] > last ? clock[2 * i + 1] : last;
	}
	return last - first;
}

/* 10^6 bytes/s, once it is under way. */
static double stream(const char *kernel, char *mem, uint32_t ctas, uint32_t bytes, uint32_t reps)
{
	uint64_t begin, all;

	stream_cycles(kernel, mem, ctas, bytes, 1);	/* what the L2 can keep it has from now on */
	begin = stream_cycles(kernel, mem, ctas, bytes, reps);
	all = stream_cycles(kernel, mem, ctas, bytes, 3 * reps);
	return 2.0 * ctas * bytes * reps / ((double)(all - begin) / cfg.sm_clock_khz) / 1000;
}

START_TEST(l1_bandwidth)
{
	/* The SM and its L2 shall not be what limits. */
	begin(configs[_i], "cost-mem-cycles=1 gpcs=1 sms-per-gpc=1 l1-bytes=96K");
	close_to(stream("read", buf, 4, 16 * KB, 32) / cfg.sm_clock_khz * 1000, cfg.l1_width, "bytes a cycle");
	end();
}
END_TEST

/* The data are in the L2 and not in an L1.  Twice: with the memory configured, and all GPCs or half of the partitions. */
START_TEST(l2_bandwidth)
{
#define WIDE "l1-bytes-per-cycle=1024 l2-slice-bytes=512K "
	static const char *const more[] = { WIDE "partition-mbps=1000000", WIDE "gpc-mbps=1000000",
					    WIDE "gpc-mbps=1000000 partitions=2", WIDE "partition-mbps=1000000 gpcs=1" };
	uint32_t each;
	double want;

	for (unsigned i = 0; i < 4; i++) {
		begin(configs[_i], more[i]);
		each = (uint32_t)(l2_bytes() / 2 / (8 * num_sms)) / (16 * KB) * (16 * KB);
		want = i % 3 ? (double)cfg.partitions * cfg.partition_mbps : (double)cfg.gpcs * cfg.gpc_mbps;
		close_to(stream("read", buf, 8 * num_sms, each, 8), want, i % 3 ? "ports of partitions" : "ports of GPCs");
		end();
	}
}
END_TEST

/* HW-71: more than the L2 holds, read and written; and with fewer partitions */
START_TEST(dram_bandwidth)
{
	static const char *const more[] = { "", "partitions=1" };

	for (unsigned i = 0; i < 2; i++) {
		begin(configs[_i], more[i]);
		close_to(stream("read", buf, 4 * num_sms, 256 * KB, 2), (double)cfg.partitions * cfg.dram_mbps, "DRAM, read");
		close_to(stream("write", buf, 4 * num_sms, 256 * KB, 2), (double)cfg.partitions * cfg.dram_mbps, "DRAM, written");
		end();
	}
}
END_TEST

/* HW-73: each GPC reaches system memory through the port of the I/O unit */
START_TEST(link_bandwidth)
{
	void *host;

	begin(configs[_i], "");
	OK(ppuMallocHost(&host, 8 << 20));
	close_to(stream("read", host, 4 * num_sms, 128 * KB, 2), cfg.link_mbps, "system memory");
	end();
}
END_TEST

/* HW-69: of 64 KiB in a row each partition unit gets its share. */
START_TEST(partitions_in_turn)
{
	char name[32];
	double lines;
	ppuProfile p;

	begin(configs[_i], "");
	OK(ppuProfileBegin(&p));
	stream_cycles("write", buf, 1, 64 * KB, 1);
	OK(ppuProfileEnd(&p));
	for (unsigned i = 0; i < cfg.partitions; i++) {
		snprintf(name, sizeof(name), "partition%u_lines", i);
		OK(ppuProfileGet(&p, name, &lines));
		/* and a few lines of code and of what the CTA says in the end */
		ck_assert_double_ge(lines, 64 * KB / cfg.cache_line / cfg.partitions);
		ck_assert_double_le(lines, 64 * KB / cfg.cache_line / cfg.partitions + 24);
	}
	end();
}
END_TEST

/* ---- stores and atomics ------------------------------------------------------------------------------ */

static double store_cycles(uint32_t n, uint32_t fence, uint32_t atom)
{
	uint64_t result;
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, "stores"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &buf, &n, &fence, &atom, &out }, NULL, 0));
	OK(ppuMemcpy(&result, out, 8));
	return (double)result;
}

/* A store does not stop its warp, a fence behind it waits for it; an atomic waits for itself. */
START_TEST(stores_and_fences)
{
	double alone, many;

	begin(configs[_i], "");
	alone = store_cycles(1, 0, 0);
	ck_assert_double_lt(alone, 20);
	many = store_cycles(1, 1, 0) - alone;
	ck_assert_msg(many > cycles(cfg.l2_ns) - alone && many < cycles(cfg.l2_ns) * 1.02, "a fence: %g", many);
	close_to(store_cycles(1, 0, 1) - alone, cycles(cfg.l2_ns + cfg.dram_ns), "an atomic whose line is in DRAM");
	many = store_cycles(60, 0, 0);
	ck_assert_double_lt(many, 60 * alone);
	end();
	/* With 4 places for stores, each fifth one waits. */
	begin(configs[_i], "stores-per-sm=4");
	ck_assert_double_gt(store_cycles(60, 0, 0), many + 11 * cycles(cfg.l2_ns));
	end();
}
END_TEST

/* ---- instructions and constants ------------------------------------------------------------------------ */

static double counter(const ppuProfile *p, const char *name)
{
	double v;

	OK(ppuProfileGet(p, name, &v));
	return v;
}

/* HW-65: what one SM of a GPC has fetched is in the L1.5 for the other; another GPC fetches it itself. */
START_TEST(code_is_shared)
{
	static const char *const more[] = { "gpcs=1 sms-per-gpc=1", "gpcs=1 sms-per-gpc=2", "gpcs=2 sms-per-gpc=1" };
	double missed[3], l15[3];
	ppuProfile p;

	for (unsigned i = 0; i < 3; i++) {
		begin(configs[_i], more[i]);
		OK(ppuProfileBegin(&p));
		stream_cycles("read", buf, i ? 2 : 1, 16 * KB, 1);
		OK(ppuProfileEnd(&p));
		missed[i] = counter(&p, "icache_misses") + counter(&p, "constant_misses");
		l15[i] = counter(&p, "l15_misses");
		end();
	}
	ck_assert_double_ge(missed[0], 4);
	ck_assert_double_eq(missed[1], 2 * missed[0]);
	ck_assert_double_eq(missed[2], 2 * missed[0]);
	ck_assert_double_eq(l15[1], l15[0]);
	ck_assert_double_eq(l15[2], 2 * l15[0]);
}
END_TEST

/*
 * HW-66, HW-65: who finds a line that is still on its way waits until it is there, in the L2 and in the L1.5: of two CTAs on
 * two SMs the second begins a little later and waits that much less, and no less than that.
 */
START_TEST(lines_on_their_way)
{
	static const char *const more[] = { "gpcs=2 sms-per-gpc=1", "gpcs=1 sms-per-gpc=2" };

	for (unsigned i = 0; i < 2; i++) {
		double got[4], late = cycles(100) + 40;		/* cost-cta-ns, and what is not the same in both */
		ppuFunction f;
		char *cold;

		begin(configs[_i], more[i]);
		cold = buf + (8 << 20);
		f = access_kernel("twins");
		OK(ppuLaunchKernel(f, ppuDim(2, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &cold, &out }, NULL, 0));
		OK(ppuMemcpy(out_now, out, sizeof(out_now)));
		for (unsigned k = 0; k < 4; k++)
			got[k] = (double)out_now[k];
		end();
		ck_assert_double_ge(got[0], cycles(cfg.l2_ns + cfg.dram_ns) - 1);
		ck_assert_msg(got[2] >= got[0] - late, "config %u: data: %g, and %g cycles", i, got[0], got[2]);
		if (i)
			ck_assert_msg(got[3] >= got[1] - late, "config %u: code: %g, and %g cycles", i, got[1], got[3]);
	}
}
END_TEST

/* Two warps of an SM that want a line wait for that line, and not for another one that came before it; then it is there. */
START_TEST(one_line_for_two_warps)
{
	ppuFunction f;
	char *cold;
	double got[6];

	begin(configs[_i], "");
	cold = buf + (8 << 20);
	f = access_kernel("three");
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(96, 1, 1), 0, NULL, (void *[]){ &cold, &out }, NULL, 0));
	OK(ppuMemcpy(out_now, out, sizeof(out_now)));
	end();
	for (unsigned k = 0; k < 6; k++)
		got[k] = (double)out_now[k];
	ck_assert_msg(got[0] >= cycles(cfg.l2_ns) - 1 && got[0] < cycles(cfg.l2_ns + cfg.dram_ns / 2), "L2: %g cycles", got[0]);
	for (unsigned k = 1; k < 3; k++)
		ck_assert_msg(got[k] >= cycles(cfg.l2_ns + cfg.dram_ns) - 20 && got[k] < cycles(cfg.l2_ns + cfg.dram_ns) + 60,
			      "warp %u: %g cycles", k, got[k]);
	for (unsigned k = 3; k < 6; k++)
		ck_assert_msg(got[k] < cfg.l1_cycles + 40, "L1, warp %u: %g cycles", k - 3, got[k]);
}
END_TEST

/* What other SMs must see, or have seen, is done at the L2 each time: atomics, volatile loads, loads that acquire. */
START_TEST(not_in_the_l1)
{
	char *cold;
	ppuFunction f;

	begin(configs[_i], "");
	cold = buf + (8 << 20);
	f = access_kernel("again");
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &cold, &out }, NULL, 0));
	OK(ppuMemcpy(out_now, out, sizeof(out_now)));
	end();
	for (unsigned k = 0; k < 3; k++)
		ck_assert_msg((double)out_now[k] >= cycles(cfg.l2_ns), "access %u: %u cycles", k, (unsigned)out_now[k]);
	ck_assert_uint_lt(out_now[3], cfg.l1_cycles + 10);
	/* The store takes as long as the L2 from its beginning on, whenever the fence comes. */
	ck_assert_double_ge((double)out_now[4], cycles(cfg.l2_ns - 150) - 30);
	ck_assert_double_le((double)out_now[4], cycles(cfg.l2_ns - 150) + 10);
	ck_assert_double_ge((double)out_now[5], cycles(cfg.l2_ns) - 20);
}
END_TEST

/* HW-71: lines that atomics have changed are written back to DRAM, when there is no room for them any more. */
START_TEST(atomics_are_written_back)
{
	uint32_t lines, n, held;
	ppuFunction f;
	ppuProfile p;
	double bytes;

	begin(configs[_i], "");
	n = (12 << 20) / (64 * 256);		/* 12 MiB, of each 256 bytes a word */
	lines = n * 64;
	held = (uint32_t)(cfg.l2_slice_bytes / cfg.cache_line) * cfg.partitions;
	ck_assert_uint_gt(lines, 2 * held);
	f = access_kernel("atoms");
	OK(ppuProfileBegin(&p));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(64, 1, 1), 0, NULL, (void *[]){ &buf, &n }, NULL, 0));
	OK(ppuCtxSynchronize());
	OK(ppuProfileEnd(&p));
	bytes = counter(&p, "dram_bytes");
	/* Each line is read; each but those that are still in the L2 is written. */
	ck_assert_msg(bytes >= (2.0 * lines - held) * cfg.cache_line && bytes <= (2.0 * lines + 64) * cfg.cache_line,
		      "%g bytes for %u lines of %u, %u of them in the L2", bytes, lines, cfg.cache_line, held);
	end();
}
END_TEST

/* HW-64: a task begins with an empty cache for constants, so it finds what is stored there between two tasks. */
START_TEST(constants_of_each_task)
{
	double missed[2];
	ppuFunction f;
	ppuProfile p;

	begin(configs[_i], "gpcs=1 sms-per-gpc=1");
	f = access_kernel("constant");
	for (unsigned i = 0; i < 2; i++) {
		OK(ppuProfileBegin(&p));
		OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &out }, NULL, 0));
		OK(ppuCtxSynchronize());
		OK(ppuProfileEnd(&p));
		missed[i] = counter(&p, "constant_misses");
	}
	end();
	ck_assert_double_ge(missed[0], 2);		/* the parameter, and the constant */
	ck_assert_double_eq(missed[1], missed[0]);
}
END_TEST

/* ---- copy engines -------------------------------------------------------------------------------------- */

/* 10^6 bytes/s. */
static double copy_rate(void *dst, const void *src)
{
	int64_t ns[2];
	ppuEvent e[2];

	for (unsigned i = 0; i < 2; i++) {
		OK(ppuEventCreate(&e[0], 0));
		OK(ppuEventCreate(&e[1], 0));
		OK(ppuEventRecord(e[0], NULL));
		OK(ppuMemcpyAsync(dst, src, (i + 1) << 20, NULL));
		OK(ppuEventRecord(e[1], NULL));
		OK(ppuEventSynchronize(e[1]));
		OK(ppuEventElapsedNs(&ns[i], e[0], e[1]));
		OK(ppuEventDestroy(e[0]));
		OK(ppuEventDestroy(e[1]));
	}
	return (1 << 20) * 1000.0 / (double)(ns[1] - ns[0]);
}

/* Copies pass the same ports: what is slower limits, the engine, DRAM, or the port to system memory. */
START_TEST(copies_pass_ports)
{
	void *host;

	begin(configs[_i], "link-mbps=100000");
	OK(ppuMallocHost(&host, 2 << 20));
	close_to(copy_rate(buf, buf + (8 << 20)), cfg.cost_ce_mbps, "copy engine");
	close_to(copy_rate(buf, host), cfg.cost_ce_mbps, "copy engine, from system memory");
	end();
	begin(configs[_i], "dram-mbps=1000 link-mbps=3000");
	OK(ppuMallocHost(&host, 2 << 20));
	close_to(copy_rate(buf, buf + (8 << 20)), cfg.partitions * 1000 / 2.0, "copies in VRAM");
	close_to(copy_rate(buf, host), cfg.partitions < 3 ? cfg.partitions * 1000 : 3000, "copies from system memory");
	close_to(copy_rate(host, buf), cfg.partitions < 3 ? cfg.partitions * 1000 : 3000, "copies to system memory");
	end();
}
END_TEST

/* A kernel that reads DRAM is slower while a copy takes its share, by that share. */
START_TEST(copies_and_kernels_share)
{
	double alone, beside, share;
	ppuStream s;

	begin(configs[_i], "");
	share = 2.0 * cfg.cost_ce_mbps / ((double)cfg.partitions * cfg.dram_mbps);
	if (share > 0.5) {
		end();
		begin(configs[_i], "cost-ce-mbps=3000");
		share = 2.0 * cfg.cost_ce_mbps / ((double)cfg.partitions * cfg.dram_mbps);
	}
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	stream_cycles("read", buf, 4 * num_sms, 128 * KB, 1);
	alone = (double)stream_cycles("read", buf, 4 * num_sms, 128 * KB, 4);
	for (unsigned i = 0; i < 8; i++)
		OK(ppuMemcpyAsync(buf + (12 << 20), buf + (8 << 20), 4 << 20, s));
	beside = (double)stream_cycles("read", buf, 4 * num_sms, 128 * KB, 4);
	ck_assert_msg(beside > alone * (1 + 0.8 * share) && beside < alone / (1 - share) * 1.1, "%g cycles alone, %g beside a copy of %g",
		      alone, beside, share);
	end();
}
END_TEST

/* ---- a program ------------------------------------------------------------------------------------------- */

#define N	192u		/* of the matrices */

static uint64_t matmul_cycles(uint32_t t)
{
	void *a = buf, *b = buf + N * N * 4, *c = buf + 2 * N * N * 4;
	uint32_t n = N;
	uint64_t result;
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, "matmul"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(t, 384 / t, 1), 0, NULL, (void *[]){ &a, &b, &c, &n, &t, &out }, NULL, 0));
	OK(ppuMemcpy(&result, out, 8));
	return result;
}

/* The larger the tile the less is loaded, up to where it does not fit into the L1. */
START_TEST(matmul_has_a_knee)
{
	static const uint32_t tile[] = { 32, 64, 96, 192 };
	static const char *const l1[] = { "l1-bytes=12K l1-ways=6 cache-line=64", "l1-bytes=20K l1-ways=5 cache-line=64",
					  "l1-bytes=64K l1-ways=8 cache-line=64" };
	static const unsigned fits[] = { 1, 2, 3 };		/* of these tiles: 4, 16, 36, 144 KiB */
	uint64_t c[4];

	for (unsigned i = 0; i < 3; i++) {
		begin("memory-timing=1 gpcs=1 sms-per-gpc=1", l1[i]);
		matmul_cycles(192);
		for (unsigned k = 0; k < 4; k++)
			c[k] = matmul_cycles(tile[k]);
		for (unsigned k = 1; k < 4; k++)
			ck_assert_msg(k < fits[i] ? c[k] < c[0] * 1.1 : c[k] > c[fits[i] - 1] * 1.1,
				      "%s: tiles %u: %llu cycles, of %u: %llu", l1[i], tile[k], (unsigned long long)c[k], tile[0],
				      (unsigned long long)c[0]);
		end();
	}
}
END_TEST

/* ---- the same everywhere --------------------------------------------------------------------------------- */

struct result {
	uint64_t cycles[4];
	double counter[6];
};

static struct result all_of(const char *how)
{
	static const char *const names[] = { "l1_hits", "l2_misses", "l15_hits", "dram_bytes", "memory_waits", "memory_wait_ns" };
	struct result r;
	ppuProfile p;

	begin("memory-timing=1 gpcs=2 sms-per-gpc=2 partitions=3 l1-bytes=4K l2-slice-bytes=32K stores-per-sm=8", how);
	OK(ppuProfileBegin(&p));
	r.cycles[0] = stream_cycles("read", buf, 12, 64 * KB, 2);
	r.cycles[1] = stream_cycles("write", buf, 12, 64 * KB, 2);
	r.cycles[2] = matmul_cycles(64);
	r.cycles[3] = stream_cycles("read", buf, 3, 16 * KB, 4);
	OK(ppuProfileEnd(&p));
	for (unsigned i = 0; i < 6; i++)
		r.counter[i] = counter(&p, names[i]);
	end();
	return r;
}

START_TEST(same_with_engines_and_workers)
{
	static const char *const how[] = { "engine=2", "engine=1 workers=3", "engine=2 workers=2", "engine=0 workers=1" };
	struct result want = all_of("engine=1 workers=0");

	for (unsigned i = 0; i < 4; i++) {
		struct result r = all_of(how[i]);

		for (unsigned k = 0; k < 4; k++)
			ck_assert_msg(r.cycles[k] == want.cycles[k], "%s: kernel %u took %llu cycles, not %llu", how[i], k,
				      (unsigned long long)r.cycles[k], (unsigned long long)want.cycles[k]);
		for (unsigned k = 0; k < 6; k++)
			ck_assert_double_eq(r.counter[k], want.counter[k]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("memory_timing");
	TCase *tc = tcase_create("memory_timing");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, latencies, 0, CONFIGS);
	tcase_add_loop_test(tc, sizes, 0, CONFIGS);
	tcase_add_loop_test(tc, line_length, 0, CONFIGS);
	tcase_add_loop_test(tc, associativity, 0, CONFIGS);
	tcase_add_loop_test(tc, l1_bandwidth, 0, CONFIGS);
	tcase_add_loop_test(tc, l2_bandwidth, 0, CONFIGS);
	tcase_add_loop_test(tc, dram_bandwidth, 0, CONFIGS);
	tcase_add_loop_test(tc, link_bandwidth, 0, CONFIGS);
	tcase_add_loop_test(tc, partitions_in_turn, 0, CONFIGS);
	tcase_add_loop_test(tc, stores_and_fences, 0, CONFIGS);
	tcase_add_loop_test(tc, code_is_shared, 0, CONFIGS);
	tcase_add_loop_test(tc, constants_of_each_task, 0, CONFIGS);
	tcase_add_loop_test(tc, lines_on_their_way, 0, CONFIGS);
	tcase_add_loop_test(tc, one_line_for_two_warps, 0, CONFIGS);
	tcase_add_loop_test(tc, not_in_the_l1, 0, CONFIGS);
	tcase_add_loop_test(tc, atomics_are_written_back, 0, CONFIGS);
	tcase_add_loop_test(tc, copies_pass_ports, 0, CONFIGS);
	tcase_add_loop_test(tc, copies_and_kernels_share, 0, CONFIGS);
	tcase_add_test(tc, matmul_has_a_knee);
	tcase_add_test(tc, same_with_engines_and_workers);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
