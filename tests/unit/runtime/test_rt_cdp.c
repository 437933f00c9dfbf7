/* SPDX-License-Identifier: MIT */
/*
 * Kernels that launch kernels, in PTX as CUDA's compiler writes it for <<< >>> in device code: shapes, streams,
 * events, tails, errors, limits.  Rows: SP-8..SP-12, SP-36, SP-39, SP-42, SP-45.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>
#include "run_suite.h"
#include "rt_ok.h"

/* cudaError */
enum { INVALID_VALUE = 1, CONFIGURATION = 9, DEPTH = 65, PENDING = 69, FUNCTION = 98, HANDLE = 400, RESOURCES = 701 };

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n" \
	".extern .func (.param .b64 func_retval0) __cudaCDP2GetParameterBufferV2(.param .b64 a, .param .align 4 .b8 b[12], " \
	".param .align 4 .b8 c[12], .param .b32 d);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2GetLastError();\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2PeekAtLastError();\n" \
	".extern .func (.param .b32 func_retval0) cudaDeviceSynchronize();\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2StreamCreateWithFlags(.param .b64 a, .param .b32 b);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2StreamDestroy(.param .b64 a);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2StreamWaitEvent_ptsz(.param .b64 a, .param .b64 b, .param .b32 c);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2EventCreateWithFlags(.param .b64 a, .param .b32 b);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2EventRecord(.param .b64 a, .param .b64 b);\n" \
	".extern .func (.param .b32 func_retval0) __cudaCDP2EventDestroy(.param .b64 a);\n"
#define REGS "\t.reg .pred %p<9>;\n\t.reg .b32 %r<40>;\n\t.reg .b64 %rd<40>;\n"

#define KERNEL(name, params) ".visible .entry " name "(" params ")\n{\n" REGS
#define END "\tret;\n}\n"
#define DIM(name, x, y, z) \
	"\t.param .align 4 .b8 " name "[12];\n\tst.param.b32 [" name "+0], " x ";\n\tst.param.b32 [" name "+4], " y ";\n" \
	"\tst.param.b32 [" name "+8], " z ";\n"
/* %rd30 = buffer for a launch of the kernel at %rd31. */
#define BUFFER_AT(gx, gy, gz, bx, by, bz, shared) \
	"\t{ // callseq 0, 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], %rd31;\n" \
	DIM("param1", gx, gy, gz) DIM("param2", bx, by, bz) \
	"\t.param .b32 param3;\n\tst.param.b32 [param3+0], " shared ";\n\t.param .b64 retval0;\n" \
	"\tcall.uni (retval0), \n\t__cudaCDP2GetParameterBufferV2, \n\t(\n\tparam0, \n\tparam1, \n\tparam2, \n\tparam3\n\t);\n" \
	"\tld.param.b64 %rd30, [retval0+0];\n\t} // callseq 0\n"
#define BUFFER(kernel, ...) "\tmov.u64 %rd31, " kernel ";\n" BUFFER_AT(__VA_ARGS__)
#define ONE "1", "1", "1"
/* %r30 = launch of buffer %rd30 into a stream. */
#define LAUNCH(stream) \
	"\t{ // callseq 1, 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], %rd30;\n" \
	"\t.param .b64 param1;\n\tst.param.b64 [param1+0], " stream ";\n\t.param .b32 retval0;\n" \
	"\tcall.uni (retval0), \n\t__cudaCDP2LaunchDeviceV2, \n\t(\n\tparam0, \n\tparam1\n\t);\n" \
	"\tld.param.b32 %r30, [retval0+0];\n\t} // callseq 1\n"
#define NULL_STREAM		"0"
#define TAIL			"3"
#define FIRE_AND_FORGET		"4"
/* reg = f() */
#define CALL0(f, reg) "\t{\n\t.param .b32 retval0;\n\tcall.uni (retval0), " f ", ();\n\tld.param.b32 " reg ", [retval0+0];\n\t}\n"
#define CALL64(f, a, reg) "\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], " a ";\n\t.param .b32 retval0;\n" \
	"\tcall.uni (retval0), " f ", (param0);\n\tld.param.b32 " reg ", [retval0+0];\n\t}\n"
#define CALL6432(f, a, b, reg) "\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], " a ";\n\t.param .b32 param1;\n" \
	"\tst.param.b32 [param1+0], " b ";\n\t.param .b32 retval0;\n" \
	"\tcall.uni (retval0), " f ", (param0, param1);\n\tld.param.b32 " reg ", [retval0+0];\n\t}\n"
#define CALL6464(f, a, b, reg) "\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], " a ";\n\t.param .b64 param1;\n" \
	"\tst.param.b64 [param1+0], " b ";\n\t.param .b32 retval0;\n" \
	"\tcall.uni (retval0), " f ", (param0, param1);\n\tld.param.b32 " reg ", [retval0+0];\n\t}\n"
#define CALL646432(f, a, b, c, reg) "\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0+0], " a ";\n\t.param .b64 param1;\n" \
	"\tst.param.b64 [param1+0], " b ";\n\t.param .b32 param2;\n\tst.param.b32 [param2+0], " c ";\n\t.param .b32 retval0;\n" \
	"\tcall.uni (retval0), " f ", (param0, param1, param2);\n\tld.param.b32 " reg ", [retval0+0];\n\t}\n"
#define THREAD0 "\tmov.u32 %r0, %tid.x;\n\tsetp.ne.u32 %p0, %r0, 0;\n\t@%p0 ret;\n"

static ppuModule module;

static void start(const char *props, const char *ptx)
{
	ppuInitOptions o = { .backend = "core", .props = props };
	ppuModuleOptions mo = { .kind = PPU_MODULE_PTX, .name = "test.ptx" };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&module, ptx, 0, &mo));
}

static void end(void)
{
	ppuShutdown();
}

static void launch(const char *name, ppuDim3 grid, ppuDim3 block, void *p)
{
	ppuFunction f;
	void *params[] = { &p };

	OK(ppuModuleGetFunction(&f, module, name));
	OK(ppuLaunchKernel(f, grid, block, 0, NULL, params, NULL, 0));
}

static void run(const char *name, unsigned blocks, unsigned threads, void *p)
{
	launch(name, (ppuDim3){ blocks, 1, 1 }, (ppuDim3){ threads, 1, 1 }, p);
	OK(ppuCtxSynchronize());
}

/* Runs kernels that nest to the limit and beyond: they end, and the context has the error. */
static void run_too_deep(const char *name, void *p)
{
	ppuDim3 one = { 1, 1, 1 };

	launch(name, one, one, p);
	FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
	FAILS(PPU_ERROR_LAUNCH_DEPTH, ppuCtxSynchronize());
}

/* Host memory as words, zeroed: can be read when the context has an error. */
static uint32_t *host_words(unsigned n)
{
	void *p;

	OK(ppuMallocHost(&p, n * 4));
	memset(p, 0, n * 4);
	return p;
}

/* Device memory as words, zeroed; read back. */
static uint32_t *words(unsigned n)
{
	void *p;

	OK(ppuMalloc(&p, n * 4));
	OK(ppuMemset(p, 0, 4, n));
	return p;
}

static uint32_t word(const uint32_t *p, unsigned i)
{
	uint32_t v;

	OK(ppuMemcpy(&v, p + i, 4));
	return v;
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* { u64 out; u8 c; u32 s[3]; f64 d } at 0, 8, 12, 24: stored in memory together with the launch's dimensions. */
static const char shapes[] = HEAD
KERNEL("kid", ".param .u64 a, .param .u8 b, .param .align 4 .b8 c[12], .param .f64 d")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n"
"	mov.u32 %r1, %ctaid.x;\n	mov.u32 %r2, %ctaid.y;\n	mov.u32 %r3, %ctaid.z;\n"
"	or.b32 %r1, %r1, %r2;\n	or.b32 %r1, %r1, %r3;\n"
"	mov.u32 %r4, %tid.x;\n	mov.u32 %r5, %tid.y;\n	mov.u32 %r6, %tid.z;\n"
"	or.b32 %r1, %r1, %r4;\n	or.b32 %r1, %r1, %r5;\n	or.b32 %r1, %r1, %r6;\n"
"	atom.global.add.u32 %r7, [%rd1], 1;\n"
"	setp.ne.u32 %p1, %r1, 0;\n	@%p1 ret;\n"
"	mov.u32 %r1, %nctaid.x;\n	st.global.u32 [%rd1+4], %r1;\n"
"	mov.u32 %r1, %nctaid.y;\n	st.global.u32 [%rd1+8], %r1;\n"
"	mov.u32 %r1, %nctaid.z;\n	st.global.u32 [%rd1+12], %r1;\n"
"	mov.u32 %r1, %ntid.x;\n	st.global.u32 [%rd1+16], %r1;\n"
"	mov.u32 %r1, %ntid.y;\n	st.global.u32 [%rd1+20], %r1;\n"
"	mov.u32 %r1, %ntid.z;\n	st.global.u32 [%rd1+24], %r1;\n"
"	mov.u32 %r1, %dynamic_smem_size;\n	st.global.u32 [%rd1+28], %r1;\n"
"	ld.param.u8 %r1, [b];\n	st.global.u32 [%rd1+32], %r1;\n"
"	ld.param.u32 %r1, [c+8];\n	st.global.u32 [%rd1+36], %r1;\n"
"	ld.param.u32 %r1, [d+4];\n	st.global.u32 [%rd1+40], %r1;\n"
END
KERNEL("parent", ".param .u64 parent_param_0")
"	ld.param.u64 %rd1, [parent_param_0];\n"
BUFFER("kid", "3", "4", "5", "8", "2", "6", "1000")
"	setp.eq.s64 %p1, %rd30, 0;\n	@%p1 bra $L__BB0_2;\n"
"	st.u64 [%rd30], %rd1;\n	mov.u32 %r1, 200;\n	st.u8 [%rd30+8], %r1;\n"
"	mov.u32 %r1, 7;\n	st.u32 [%rd30+12], %r1;\n	st.u32 [%rd30+16], %r1;\n	mov.u32 %r1, 77;\n"
"	st.u32 [%rd30+20], %r1;\n	mov.f64 %rd2, 0d4000000000000000;\n	st.f64 [%rd30+24], %rd2;\n"
LAUNCH(NULL_STREAM)
"	cvta.to.global.u64 %rd1, %rd1;\n	st.global.u32 [%rd1+44], %r30;\n"
"$L__BB0_2:\n"
END;

START_TEST(shape_and_parameters)
{
	static const uint32_t want[] = { 3 * 4 * 5 * 8 * 2 * 6, 3, 4, 5, 8, 2, 6, 1000, 200, 77, 0x40000000, 0 };
	uint32_t *out;

	start(NULL, shapes);
	out = words(12);
	OK(ppuMemset(out + 11, 0xff, 1, 4));
	run("parent", 1, 1, out);
	for (unsigned i = 0; i < 12; i++)
		ck_assert_msg(word(out, i) == want[i], "word %u is %u", i, word(out, i));
	end();
}
END_TEST

/* Parameters of the largest size: 8 bytes of address, 4088 bytes that are summed up by 64 threads. */
static const char large[] = HEAD
KERNEL("kid", ".param .u64 a, .param .align 4 .b8 b[4088]")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	mov.b64 %rd2, b;\n	mov.u32 %r1, 0;\n	mov.u32 %r2, 0;\n"
"LOOP:\n	ld.param.u32 %r3, [%rd2];\n	add.u32 %r1, %r1, %r3;\n	add.u64 %rd2, %rd2, 4;\n	add.u32 %r2, %r2, 1;\n"
"	setp.lt.u32 %p1, %r2, 1022;\n	@%p1 bra LOOP;\n	atom.global.add.u32 %r4, [%rd1], %r1;\n"
END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n"
BUFFER("kid", ONE, "64", "1", "1", "0")
"	st.u64 [%rd30], %rd1;\n	mov.u32 %r1, 0;\n	add.u64 %rd2, %rd30, 8;\n"
"LOOP:\n	st.u32 [%rd2], %r1;\n	add.u64 %rd2, %rd2, 4;\n	add.u32 %r1, %r1, 1;\n"
"	setp.lt.u32 %p1, %r1, 1022;\n	@%p1 bra LOOP;\n"
LAUNCH(FIRE_AND_FORGET)
"	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r3, [%rd1+4], %r30;\n"
END;

START_TEST(largest_parameters)
{
	uint32_t *out;

	start(NULL, large);
	out = words(2);
	run("parent", 2, 40, out);		/* there may be more launches than buffers in the heap */
	ck_assert_uint_eq(word(out, 1), 0);
	ck_assert_uint_eq(word(out, 0), 2u * 40 * 64 * (1021 * 1022 / 2));
	end();
}
END_TEST

/* SP-8: the parent waits and reads what the child wrote. */
static const char sync_text[] = HEAD
KERNEL("kid", ".param .u64 a")
"	nanosleep.u32 100000;\n	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	mov.u32 %r1, 42;\n	st.global.u32 [%rd1], %r1;\n"
END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n"
BUFFER("kid", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(NULL_STREAM) CALL0("cudaDeviceSynchronize", "%r2")
"	cvta.to.global.u64 %rd1, %rd1;\n	ld.global.u32 %r1, [%rd1];\n	add.u32 %r1, %r1, 1;\n	add.u32 %r1, %r1, %r2;\n"
"	st.global.u32 [%rd1], %r1;\n"
END;

/* SP-8 */
START_TEST(waits_and_reads)
{
	uint32_t *out;

	start(NULL, sync_text);
	out = words(1);
	run("parent", 1, 1, out);
	ck_assert_uint_eq(word(out, 0), 43);
	end();
}
END_TEST

/* ---- order ------------------------------------------------------------------------------------ */

/* Adds 1 without an atomic, with a pause between reading and writing: right only one after the other. */
#define ADDER KERNEL("adder", ".param .u64 a") \
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	ld.volatile.global.u32 %r1, [%rd1];\n" \
"	nanosleep.u32 20000;\n	add.u32 %r1, %r1, 1;\n	st.volatile.global.u32 [%rd1], %r1;\n" END

/* Each block has its word; its threads launch into the block's own stream. */
static const char null_stream[] = HEAD ADDER
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r1, %ctaid.x;\n	mul.wide.u32 %rd2, %r1, 4;\n	add.u64 %rd1, %rd1, %rd2;\n"
BUFFER("adder", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(NULL_STREAM)
END
KERNEL("racing", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n"
BUFFER("adder", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
END;

START_TEST(null_stream_is_the_blocks)
{
	uint32_t *out;

	start(NULL, null_stream);
	out = words(5);
	run("parent", 4, 40, out);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(word(out, i), 40);
	/* without an order the sum is wrong: so the test above can fail */
	run("racing", 1, 40, out + 4);
	ck_assert_uint_lt(word(out, 4), 40);
	end();
}
END_TEST

/* Thread 0 makes two streams, threads launch into them by turns (words 0 and 1); handles at words 4..7. */
static const char named[] = HEAD ADDER
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r1, %tid.x;\n	setp.ne.u32 %p1, %r1, 0;\n	@%p1 bra WAIT;\n"
"	add.u64 %rd2, %rd1, 16;\n" CALL6432("__cudaCDP2StreamCreateWithFlags", "%rd2", "1", "%r2")
"	add.u64 %rd2, %rd1, 24;\n" CALL6432("__cudaCDP2StreamCreateWithFlags", "%rd2", "1", "%r3")
"WAIT:\n	bar.sync 0;\n	and.b32 %r2, %r1, 1;\n	mul.wide.u32 %rd3, %r2, 8;\n	add.u64 %rd3, %rd1, %rd3;\n"
"	ld.u64 %rd4, [%rd3+16];\n	mul.wide.u32 %rd3, %r2, 4;\n	add.u64 %rd5, %rd1, %rd3;\n"
BUFFER("adder", ONE, ONE, "0") "	st.u64 [%rd30], %rd5;\n" LAUNCH("%rd4")
"	bar.sync 0;\n" CALL64("__cudaCDP2StreamDestroy", "%rd4", "%r5") "	add.u32 %r30, %r30, %r5;\n"
"	atom.add.u32 %r6, [%rd1+8], %r30;\n"
END;

START_TEST(named_streams)
{
	uint32_t *out;

	start(NULL, named);
	out = words(8);
	run("parent", 1, 64, out);
	ck_assert_uint_eq(word(out, 0), 32);
	ck_assert_uint_eq(word(out, 1), 32);
	ck_assert_uint_eq(word(out, 2), 0);
	end();
}
END_TEST

/* A slow kernel in one stream, an event, a kernel in another that waits for it and reads (word 1 := word 0). */
static const char events[] = HEAD
KERNEL("slow", ".param .u64 a")
"	nanosleep.u32 500000;\n	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	mov.u32 %r1, 9;\n	st.global.u32 [%rd1], %r1;\n"
END
KERNEL("reader", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	ld.global.u32 %r1, [%rd1];\n	add.u32 %r1, %r1, 100;\n	st.global.u32 [%rd1+4], %r1;\n"
END
#define TWO_STREAMS(name, between) KERNEL(name, ".param .u64 a") \
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r10, 0;\n" \
"	add.u64 %rd2, %rd1, 16;\n" CALL6432("__cudaCDP2StreamCreateWithFlags", "%rd2", "1", "%r2") \
"	add.u64 %rd2, %rd1, 24;\n" CALL6432("__cudaCDP2StreamCreateWithFlags", "%rd2", "1", "%r3") \
"	add.u64 %rd2, %rd1, 32;\n" CALL6432("__cudaCDP2EventCreateWithFlags", "%rd2", "2", "%r4") \
"	ld.u64 %rd3, [%rd1+16];\n	ld.u64 %rd4, [%rd1+24];\n	ld.u64 %rd5, [%rd1+32];\n" \
"	or.b32 %r10, %r2, %r3;\n	or.b32 %r10, %r10, %r4;\n" \
BUFFER("slow", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH("%rd3") "	or.b32 %r10, %r10, %r30;\n" \
between \
BUFFER("reader", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH("%rd4") "	or.b32 %r10, %r10, %r30;\n" \
CALL64("__cudaCDP2EventDestroy", "%rd5", "%r5") "	or.b32 %r10, %r10, %r5;\n	st.u32 [%rd1+8], %r10;\n" END
TWO_STREAMS("with_event", CALL6464("__cudaCDP2EventRecord", "%rd5", "%rd3", "%r5") "	or.b32 %r10, %r10, %r5;\n"
	    CALL646432("__cudaCDP2StreamWaitEvent_ptsz", "%rd4", "%rd5", "0", "%r5") "	or.b32 %r10, %r10, %r5;\n")
TWO_STREAMS("without", "")
TWO_STREAMS("not_recorded", CALL646432("__cudaCDP2StreamWaitEvent_ptsz", "%rd4", "%rd5", "0", "%r5") "	or.b32 %r10, %r10, %r5;\n");

START_TEST(events_between_streams)
{
	static const struct {
		const char *kernel;
		uint32_t want;
	} cases[] = { { "with_event", 109 }, { "without", 100 }, { "not_recorded", 100 } };

	start(NULL, events);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t *out = words(10);

		run(cases[i].kernel, 1, 1, out);
		ck_assert_msg(word(out, 1) == cases[i].want, "%s: %u", cases[i].kernel, word(out, 1));
		ck_assert_uint_eq(word(out, 2), 0);
	}
	end();
}
END_TEST

/* SP-9: two tails after a fire-and-forget child of a child; the next kernel of the stream after all. */
static const char tails[] = HEAD
KERNEL("grand", ".param .u64 a")
"	nanosleep.u32 500000;\n	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	mov.u32 %r1, 5;\n	st.global.u32 [%rd1], %r1;\n"
END
KERNEL("kid", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n" BUFFER("grand", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
END
/* x := 10 x + 1 */
KERNEL("tail", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	ld.volatile.global.u32 %r1, [%rd1];\n	nanosleep.u32 20000;\n"
"	mul.lo.u32 %r1, %r1, 10;\n	add.u32 %r1, %r1, 1;\n	st.volatile.global.u32 [%rd1], %r1;\n"
END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n"
BUFFER("tail", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(TAIL)
BUFFER("kid", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
BUFFER("tail", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(TAIL)
END
KERNEL("next", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	ld.global.u32 %r1, [%rd1];\n	st.global.u32 [%rd1+4], %r1;\n"
END;

/* SP-9 */
START_TEST(parent_completes_after_children)
{
	uint32_t *out;

	start(NULL, tails);
	out = words(2);
	launch("parent", (ppuDim3){ 1, 1, 1 }, (ppuDim3){ 1, 1, 1 }, out);
	run("next", 1, 1, out);
	ck_assert_uint_eq(word(out, 0), 511);
	ck_assert_uint_eq(word(out, 1), 511);
	end();
}
END_TEST

/* ---- depth, limits, errors ---------------------------------------------------------------------- */

/* Launches itself; counts in word 0; what failed: the error, GetLastError, again, and the level, from word 4 on. */
static const char recursion[] = HEAD
KERNEL("chain", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd2, %rd1;\n	atom.global.add.u32 %r1, [%rd2], 1;\n"
BUFFER("chain", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(NULL_STREAM)
"	setp.eq.u32 %p1, %r30, 0;\n	@%p1 ret;\n	st.global.u32 [%rd2+16], %r30;\n"
CALL0("__cudaCDP2PeekAtLastError", "%r5") "	st.global.u32 [%rd2+20], %r5;\n"
CALL0("__cudaCDP2GetLastError", "%r5") "	st.global.u32 [%rd2+24], %r5;\n"
CALL0("__cudaCDP2GetLastError", "%r5") "	st.global.u32 [%rd2+28], %r5;\n"
"	mov.u32 %r5, %depth;\n	st.global.u32 [%rd2+32], %r5;\n	mov.u32 %r5, %priority;\n	st.global.u32 [%rd2+36], %r5;\n"
END;

/* SP-10..SP-12, SP-36, SP-37: to the depth limit and one beyond; the thread has the error, and the context has it. */
START_TEST(recursion_to_the_limit)
{
	for (unsigned n = 1; n <= 6; n++) {
		uint32_t *out;

		start(NULL, recursion);
		out = host_words(10);
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, n));
		run_too_deep("chain", out);
		ck_assert_uint_eq(out[0], n);
		ck_assert_uint_eq(out[4], DEPTH);
		ck_assert_uint_eq(out[5], DEPTH);
		ck_assert_uint_eq(out[6], DEPTH);
		ck_assert_uint_eq(out[7], 0);
		ck_assert_uint_eq(out[8], n);
		ck_assert_uint_eq(rt_turn_device(out[9]), n - 1);	/* the default priority is the lowest */
		end();
	}
}
END_TEST

/*
 * SP-17: the program has not chosen a depth: CUDA's 24 levels, and stream priorities mean what they meant before. A depth
 * that the program has fixed stays (SP-43).
 */
START_TEST(depth_of_programs_that_do_not_choose)
{
	static const struct {
		const char *props, *conf;
		unsigned chosen, priority, want, second;
	} cases[] = {
		{ NULL, NULL, 0, 0, 24, 4 }, { "device-priorities=5", NULL, 0, 0, 24, 2 },
		{ "device-priorities=64", NULL, 0, 0, 24, 4 }, { "device-priorities=0", NULL, 0, 0, 24, 0 },
		{ NULL, NULL, 3, 0, 3, 3 }, { NULL, NULL, 0, 1, 24, 4 }, { NULL, "depth=2", 0, 0, 2, 2 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ppuInitOptions o = { .backend = "core", .props = cases[i].props, .task_priorities = cases[i].conf };
		uint64_t depth = 0;
		uint32_t *out, device = 99;
		ppuStream s;

		OK(ppuInit(&o));
		if (cases[i].chosen)
			OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, cases[i].chosen));
		if (cases[i].priority) {
			OK(ppuStreamCreate(&s, 0, 0));
			OK(ppuStreamSetPriority(s, 0));
		}
		OK(ppuModuleLoadData(&module, recursion, 0, NULL));
		OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &depth));
		ck_assert_uint_eq(depth, cases[i].want);
		OK(ppuStreamCreate(&s, 0, -1));
		OK(ppuStreamGetDevicePriority(s, &device));
		ck_assert_uint_eq(device, cases[i].second);
		out = host_words(10);
		run_too_deep("chain", out);
		ck_assert_uint_eq(out[0], cases[i].want);
		ck_assert_uint_eq(out[4], DEPTH);
		end();
	}
}
END_TEST

/* One thread launches six that sleep, results from word 1 on; they count in word 0. */
static const char six[] = HEAD
KERNEL("kid", ".param .u64 a")
"	nanosleep.u32 900000;\n	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r1, [%rd1], 1;\n"
END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r1, 0;\n	mov.u64 %rd2, %rd1;\n"
"LOOP:\n" BUFFER("kid", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
"	st.u32 [%rd2+4], %r30;\n	add.u64 %rd2, %rd2, 4;\n	add.u32 %r1, %r1, 1;\n	setp.lt.u32 %p1, %r1, 6;\n	@%p1 bra LOOP;\n"
END;

/* The context's limit of pending launches, and the device's pool: refused without any effect. */
START_TEST(pending_launches)
{
	for (unsigned pool = 0; pool < 2; pool++) {
		uint32_t *out;

		start(pool ? "task-records=5 task-slots=5" : NULL, six);
		out = words(7);
		if (!pool)
			OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 4));
		for (unsigned round = 1; round < 4; round++) {
			run("parent", 1, 1, out);
			ck_assert_uint_eq(word(out, 0), 4 * round);
			for (unsigned i = 0; i < 6; i++)
				ck_assert_uint_eq(word(out, 1 + i), i < 4 ? 0 : PENDING);
		}
		end();
	}
}
END_TEST

/* One impossible launch per block; its error to word block, GetLastError to word block + 16. */
static const char impossible[] = HEAD
KERNEL("kid", ".param .u64 a") "	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r1, [%rd1+128], 1;\n" END
".visible .entry strict(.param .u64 a) .reqntid 32, 2\n{\n" REGS
"	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r1, [%rd1+128], 1;\n" END
".func (.param .b32 r) no_kernel()\n{\n" REGS "	mov.u32 %r1, 1;\n	st.param.b32 [r], %r1;\n	ret;\n}\n"
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r20, %ctaid.x;\n	mov.u64 %rd9, 4;\n	mov.u64 %rd31, kid;\n"
"	mov.u32 %r11, 1;\n	mov.u32 %r12, 1;\n	mov.u32 %r13, 0;\n	mov.u32 %r14, 1;\n"
"	setp.eq.u32 %p1, %r20, 0;\n	@%p1 mov.u32 %r11, 0;\n"		/* grid of 0 */
"	setp.eq.u32 %p1, %r20, 1;\n	@%p1 mov.u32 %r12, 1025;\n"		/* block too large */
"	setp.eq.u32 %p1, %r20, 2;\n	@%p1 mov.u32 %r13, 0x7fffffff;\n"	/* shared memory */
"	setp.eq.u32 %p1, %r20, 3;\n	@%p1 mov.u64 %rd9, 1234;\n"		/* no stream */
"	setp.eq.u32 %p1, %r20, 4;\n	@%p1 mov.u64 %rd31, no_kernel;\n"
"	setp.eq.u32 %p1, %r20, 5;\n	@%p1 mov.u64 %rd31, 0xffffffffff;\n"
"	setp.eq.u32 %p1, %r20, 6;\n	@%p1 mov.u64 %rd31, strict;\n"	/* wants 32 x 2 */
"	setp.eq.u32 %p1, %r20, 7;\n	@%p1 mov.u32 %r14, 70000;\n"	/* grid y */
BUFFER_AT("%r11", "%r14", "1", "%r12", "1", "1", "%r13") "	st.u64 [%rd30], %rd1;\n" LAUNCH("%rd9")
"	mul.wide.u32 %rd2, %r20, 4;\n	add.u64 %rd1, %rd1, %rd2;\n	st.u32 [%rd1], %r30;\n"
CALL0("__cudaCDP2GetLastError", "%r5") "	st.u32 [%rd1+64], %r5;\n"
END;

START_TEST(impossible_launches)
{
	static const uint32_t want[] = { CONFIGURATION, CONFIGURATION, CONFIGURATION, HANDLE, FUNCTION, FUNCTION,
					 CONFIGURATION, CONFIGURATION, 0 };
	uint32_t *out;

	start(NULL, impossible);
	out = words(33);
	run("parent", 9, 1, out);
	for (unsigned i = 0; i < 9; i++) {
		ck_assert_msg(word(out, i) == want[i], "case %u: %u", i, word(out, i));
		ck_assert_uint_eq(word(out, 16 + i), want[i]);
	}
	ck_assert_uint_eq(word(out, 32), 1);		/* the last one is possible */
	end();
}
END_TEST

/* Errors are each thread's own. */
static const char own_errors[] = HEAD
KERNEL("kid", "") END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, %ntid.x;\n	mov.u32 %r3, %tid.y;\n	mad.lo.u32 %r1, %r2, %r3, %r1;\n"
"	rem.u32 %r2, %r1, 3;\n"			/* every third launches nothing at all: a grid of 0 */
BUFFER("kid", "%r2", "1", "1", ONE, "0") LAUNCH(FIRE_AND_FORGET) "	bar.sync 0;\n"
CALL0("__cudaCDP2GetLastError", "%r5") "	mul.wide.u32 %rd2, %r1, 4;\n	add.u64 %rd1, %rd1, %rd2;\n	st.u32 [%rd1], %r5;\n"
END;

START_TEST(errors_are_the_threads)
{
	uint32_t *out;

	start(NULL, own_errors);
	out = words(96);
	launch("parent", (ppuDim3){ 1, 1, 1 }, (ppuDim3){ 24, 4, 1 }, out);
	OK(ppuCtxSynchronize());
	for (unsigned i = 0; i < 96; i++)
		ck_assert_uint_eq(word(out, i), i % 3 ? 0 : CONFIGURATION);
	end();
}
END_TEST

/*
 * The last error overlaps neither dynamic shared memory nor the stack down to its end, and it does not outlive its
 * thread.  512 words of stack and 64 of shared memory per thread; sums at words 0 and 1, errors at 2 and 3.
 */
static const char in_the_way[] = HEAD
".extern .shared .align 4 .b8 dynamic[];\n"
KERNEL("kid", "") END
".func (.param .b32 r) sum_of_stack(.param .b32 x)\n{\n	.local .align 16 .b8 d[2048];\n" REGS
"	ld.param.u32 %r1, [x];\n	mov.u64 %rd1, d;\n	mov.u32 %r2, 0;\n"
"FILL:\n	st.local.u32 [%rd1], %r1;\n	add.u64 %rd1, %rd1, 4;\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, 512;\n	@%p1 bra FILL;\n"
CALL0("__cudaCDP2PeekAtLastError", "%r6")
"	mov.u64 %rd1, d;\n	mov.u32 %r2, 0;\n	mov.u32 %r3, 0;\n"
"SUM:\n	ld.local.u32 %r4, [%rd1];\n	add.u32 %r3, %r3, %r4;\n	add.u64 %rd1, %rd1, 4;\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, 512;\n	@%p1 bra SUM;\n"
"	add.u32 %r3, %r3, %r6;\n	st.param.b32 [r], %r3;\n	ret;\n}\n"
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n" CALL0("__cudaCDP2PeekAtLastError", "%r11") "	atom.add.u32 %r12, [%rd1+12], %r11;\n"
"	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, dynamic;\n	mad.lo.u32 %r2, %r1, 256, %r2;\n	mov.u32 %r3, 0;\n"
"FILL:\n	st.shared.u32 [%r2], %r1;\n	add.u32 %r2, %r2, 4;\n	add.u32 %r3, %r3, 1;\n	setp.lt.u32 %p1, %r3, 64;\n	@%p1 bra FILL;\n"
BUFFER("kid", "0", "1", "1", ONE, "0") LAUNCH(FIRE_AND_FORGET)
"	{\n	.param .b32 param0;\n	st.param.b32 [param0], %r1;\n	.param .b32 retval0;\n	call.uni (retval0), sum_of_stack, (param0);\n"
"	ld.param.b32 %r7, [retval0];\n	}\n	sub.u32 %r7, %r7, 9;\n	atom.add.u32 %r8, [%rd1], %r7;\n"
"	sub.u32 %r2, %r2, 256;\n	mov.u32 %r3, 0;\n	mov.u32 %r9, 0;\n"
"SUM:\n	ld.shared.u32 %r4, [%r2];\n	add.u32 %r9, %r9, %r4;\n	add.u32 %r2, %r2, 4;\n	add.u32 %r3, %r3, 1;\n	setp.lt.u32 %p1, %r3, 64;\n	@%p1 bra SUM;\n"
"	atom.add.u32 %r8, [%rd1+4], %r9;\n" CALL0("__cudaCDP2PeekAtLastError", "%r11") "	atom.add.u32 %r12, [%rd1+8], %r11;\n"
END;

START_TEST(last_error_is_in_nobodys_way)
{
	uint32_t *out, ids = 40 * 39 / 2;
	ppuFunction f;
	void *params[] = { &out };

	start(NULL, in_the_way);
	out = words(4);
	OK(ppuModuleGetFunction(&f, module, "parent"));
	for (unsigned round = 1; round <= 3; round++) {
		OK(ppuLaunchKernel(f, (ppuDim3){ 30, 1, 1 }, (ppuDim3){ 40, 1, 1 }, 40 * 256, NULL, params, NULL, 0));
		OK(ppuCtxSynchronize());
		ck_assert_uint_eq(word(out, 0), round * 30 * 512 * ids);
		ck_assert_uint_eq(word(out, 1), round * 30 * 64 * ids);
		ck_assert_uint_eq(word(out, 2), round * 30 * 40 * CONFIGURATION);
		ck_assert_uint_eq(word(out, 3), 0);
	}
	end();
}
END_TEST

/* A child's fault reaches the host with the child's name and line. */
static const char faulty[] = HEAD
".file 1 \"kids.cu\"\n"
KERNEL("broken_kid", ".param .u64 a") "	.loc 1 17 3\n	ld.param.u64 %rd1, [a];\n	.loc 1 18 3\n	mov.u64 %rd2, 64;\n	st.u32 [%rd2], %r1;\n" END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n" BUFFER("broken_kid", ONE, ONE, "0") "	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
END;

START_TEST(faults_of_children)
{
	ppuResult res;

	start(NULL, faulty);
	launch("parent", (ppuDim3){ 1, 1, 1 }, (ppuDim3){ 1, 1, 1 }, words(1));
	res = ppuCtxSynchronize();
	ck_assert_msg(res == PPU_ERROR_ILLEGAL_ADDRESS, "%s", ppuGetErrorName(res));
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "broken_kid") && strstr(ppuGetLastErrorDetail(), "kids.cu:18"),
		      "%s", ppuGetLastErrorDetail());
	end();
}
END_TEST

/* ---- many ---------------------------------------------------------------------------------------- */

static const char many[] = HEAD
KERNEL("kid", ".param .u64 a") "	ld.param.u64 %rd1, [a];\n	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r1, [%rd1], 1;\n" END
KERNEL("parent", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n" BUFFER("kid", ONE, ONE, "0")
"	setp.eq.s64 %p1, %rd30, 0;\n	@%p1 bra NONE;\n	st.u64 [%rd30], %rd1;\n" LAUNCH(FIRE_AND_FORGET)
"	atom.add.u32 %r1, [%rd1+4], %r30;\n	ret;\nNONE:\n	atom.add.u32 %r1, [%rd1+8], 1;\n"
END;

/* 10^5 children of a parent of 1000 blocks. */
START_TEST(many_children)
{
	uint32_t *out;

	start("task-records=120000 cost-launch-ns=10 cost-cta-ns=1 cost-evict-ns=1 window-ns=2000", many);
	OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 200000));
	out = words(3);
	run("parent", 1000, 100, out);
	ck_assert_uint_eq(word(out, 1), 0);
	ck_assert_uint_eq(word(out, 2), 0);
	ck_assert_uint_eq(word(out, 0), 100000);
	end();
}
END_TEST

/* ---- the rest of the interface ----------------------------------------------------------------------- */

static const char rest[] = HEAD
".extern .func (.param .b32 func_retval0) __cudaCDP2MemcpyAsync(.param .b64 a, .param .b64 b, .param .b64 c, .param .b32 d, .param .b64 e);\n"
".extern .func (.param .b32 func_retval0) __cudaCDP2Memset2DAsync(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e, .param .b64 f);\n"
".extern .func (.param .b32 func_retval0) __cudaCDP2DeviceGetAttribute(.param .b64 a, .param .b32 b, .param .b32 c);\n"
".extern .func (.param .b32 func_retval0) __cudaCDP2DeviceGetLimit(.param .b64 a, .param .b32 b);\n"
".extern .func (.param .b64 func_retval0) __cudaCDP2GetErrorString(.param .b32 a);\n"
".extern .func (.param .b64 func_retval0) cudaGetParameterBuffer(.param .b64 a, .param .b64 b);\n"
".extern .func (.param .b32 func_retval0) cudaLaunchDevice(.param .b64 a, .param .b64 b, .param .align 4 .b8 c[12], "
".param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);\n"
/* 1000 bytes to 4096 + 3, then 5 rows of 7 bytes each 16 bytes at 8192, in the block's stream */
KERNEL("copies", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	add.u64 %rd2, %rd1, 4099;\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd2;\n	.param .b64 param1;\n	st.param.b64 [param1], %rd1;\n"
"	.param .b64 param2;\n	st.param.b64 [param2], 1000;\n	.param .b32 param3;\n	st.param.b32 [param3], 3;\n"
"	.param .b64 param4;\n	st.param.b64 [param4], 0;\n	.param .b32 retval0;\n"
"	call.uni (retval0), __cudaCDP2MemcpyAsync, (param0, param1, param2, param3, param4);\n	ld.param.b32 %r1, [retval0];\n	}\n"
"	add.u64 %rd2, %rd1, 8192;\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd2;\n	.param .b64 param1;\n	st.param.b64 [param1], 16;\n"
"	.param .b32 param2;\n	st.param.b32 [param2], 0x1a5;\n	.param .b64 param3;\n	st.param.b64 [param3], 7;\n"
"	.param .b64 param4;\n	st.param.b64 [param4], 5;\n	.param .b64 param5;\n	st.param.b64 [param5], 0;\n	.param .b32 retval0;\n"
"	call.uni (retval0), __cudaCDP2Memset2DAsync, (param0, param1, param2, param3, param4, param5);\n	ld.param.b32 %r2, [retval0];\n	}\n"
"	or.b32 %r1, %r1, %r2;\n	st.u32 [%rd1+12288], %r1;\n"
END
/* word 0: threads of a block; word 1: result for a device that is not there; 2: pending limit; 3: "n" of "no error" */
KERNEL("queries", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd1;\n	.param .b32 param1;\n	st.param.b32 [param1], 1;\n"
"	.param .b32 param2;\n	st.param.b32 [param2], 0;\n	.param .b32 retval0;\n"
"	call.uni (retval0), __cudaCDP2DeviceGetAttribute, (param0, param1, param2);\n	}\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd1;\n	.param .b32 param1;\n	st.param.b32 [param1], 1;\n"
"	.param .b32 param2;\n	st.param.b32 [param2], 1;\n	.param .b32 retval0;\n"
"	call.uni (retval0), __cudaCDP2DeviceGetAttribute, (param0, param1, param2);\n	ld.param.b32 %r1, [retval0];\n	}\n"
"	st.u32 [%rd1+4], %r1;\n	add.u64 %rd2, %rd1, 8;\n" CALL6432("__cudaCDP2DeviceGetLimit", "%rd2", "4", "%r1")
"	{\n	.param .b32 param0;\n	st.param.b32 [param0], 0;\n	.param .b64 retval0;\n"
"	call.uni (retval0), __cudaCDP2GetErrorString, (param0);\n	ld.param.b64 %rd3, [retval0];\n	}\n"
"	ld.u8 %r1, [%rd3];\n	st.u32 [%rd1+12], %r1;\n"
END
KERNEL("kid", ".param .u64 a, .param .u32 b")
"	ld.param.u64 %rd1, [a];\n	ld.param.u32 %r1, [b];\n	cvta.to.global.u64 %rd1, %rd1;\n	atom.global.add.u32 %r2, [%rd1], %r1;\n"
END
KERNEL("older", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u64 %rd4, kid;\n	mov.u64 %rd3, 0;\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], 8;\n	.param .b64 param1;\n	st.param.b64 [param1], 12;\n	.param .b64 retval0;\n"
"	call.uni (retval0), cudaGetParameterBuffer, (param0, param1);\n	ld.param.b64 %rd2, [retval0];\n	}\n"
"	st.u64 [%rd2], %rd1;\n	mov.u32 %r1, 3;\n	st.u32 [%rd2+8], %r1;\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd4;\n	.param .b64 param1;\n	st.param.b64 [param1], %rd2;\n"
DIM("param2", "2", "1", "1") DIM("param3", "16", "1", "1")
"	.param .b32 param4;\n	st.param.b32 [param4], 0;\n	.param .b64 param5;\n	st.param.b64 [param5], %rd3;\n	.param .b32 retval0;\n"
"	call.uni (retval0), cudaLaunchDevice, (param0, param1, param2, param3, param4, param5);\n	ld.param.b32 %r1, [retval0];\n	}\n"
"	st.u32 [%rd1+4], %r1;\n"
END;

START_TEST(copies_and_queries)
{
	uint8_t host[12292];
	ppuDeviceProp prop;
	uint32_t *out;
	void *p;

	start(NULL, rest);
	for (unsigned i = 0; i < sizeof(host); i++)
		host[i] = (uint8_t)(i * 7 + 1);
	OK(ppuMalloc(&p, sizeof(host)));
	OK(ppuMemcpy(p, host, sizeof(host)));
	run("copies", 1, 1, p);
	memmove(host + 4099, host, 1000);
	for (unsigned row = 0; row < 5; row++)
		memset(host + 8192 + row * 16, 0xa5, 7);
	memset(host + 12288, 0, 4);
	for (unsigned i = 0; i < sizeof(host); i += 4)
		ck_assert_msg(!memcmp(&(uint32_t){ word(p, i / 4) }, host + i, 4), "byte %u", i);
	out = words(4);
	OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 777));
	run("queries", 1, 1, out);
	OK(ppuDeviceGetProperties(&prop, 0));
	ck_assert_uint_eq(word(out, 0), prop.max_threads_per_block);
	ck_assert_uint_eq(word(out, 1), 101);
	ck_assert_uint_eq(word(out, 2), 777);
	ck_assert_uint_eq(word(out, 3), 'n');
	out = words(2);
	run("older", 1, 1, out);
	ck_assert_uint_eq(word(out, 0), 2 * 16 * 3);
	ck_assert_uint_eq(word(out, 1), 0);
	end();
}
END_TEST

/* word 2 i: attribute i, word 2 i + 1: the call's result; from word 512 on 4 words for each limit: two of its value, result */
static const char queries[] = HEAD
".extern .func (.param .b32 func_retval0) __cudaCDP2DeviceGetAttribute(.param .b64 a, .param .b32 b, .param .b32 c);\n"
".extern .func (.param .b32 func_retval0) __cudaCDP2DeviceGetLimit(.param .b64 a, .param .b32 b);\n"
KERNEL("all", ".param .u64 a")
"	ld.param.u64 %rd1, [a];\n	mov.u32 %r2, 0;\nA:\n	mul.wide.u32 %rd3, %r2, 8;\n	add.u64 %rd2, %rd1, %rd3;\n"
"	{\n	.param .b64 param0;\n	st.param.b64 [param0], %rd2;\n	.param .b32 param1;\n	st.param.b32 [param1], %r2;\n"
"	.param .b32 param2;\n	st.param.b32 [param2], 0;\n	.param .b32 retval0;\n"
"	call.uni (retval0), __cudaCDP2DeviceGetAttribute, (param0, param1, param2);\n	ld.param.b32 %r1, [retval0];\n	}\n"
"	st.u32 [%rd2+4], %r1;\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, 130;\n	@%p1 bra A;\n"
"	add.u64 %rd1, %rd1, 2048;\n	mov.u32 %r2, 0;\nB:\n	mul.wide.u32 %rd3, %r2, 16;\n	add.u64 %rd2, %rd1, %rd3;\n"
CALL6432("__cudaCDP2DeviceGetLimit", "%rd2", "%r2", "%r1")
"	st.u32 [%rd2+8], %r1;\n	add.u32 %r2, %r2, 1;\n	setp.lt.u32 %p1, %r2, 9;\n	@%p1 bra B;\n"
END;

static void check_queries(const uint64_t *limits)
{
	ppuDeviceProp p;
	uint32_t *out = words(1024);

	OK(ppuMemset(out, 0xee, 1, 4096));
	run("all", 1, 1, out);
	OK(ppuDeviceGetProperties(&p, 0));
	for (unsigned i = 0; i < 130; i++) {
		const struct { unsigned number; uint64_t value; } known[] = {	/* enum cudaDeviceAttr */
			{ 1, p.max_threads_per_block }, { 2, p.max_block[0] }, { 3, p.max_block[1] }, { 4, p.max_block[2] },
			{ 5, p.max_grid[0] }, { 6, p.max_grid[1] }, { 7, p.max_grid[2] }, { 8, p.shared_per_block },
			{ 9, 65536 }, { 10, 32 }, { 11, INT32_MAX }, { 12, p.regs_per_sm }, { 13, p.clock_khz }, { 16, p.sms },
			{ 31, 1 }, { 39, p.max_threads_per_sm }, { 41, 1 }, { 75, 7 }, { 76, 5 }, { 81, p.shared_per_sm },
			{ 82, p.regs_per_sm }, { 97, p.shared_per_block }, { 106, p.ctas_per_sm },
		};
		uint64_t want = 0;

		for (unsigned k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (known[k].number == i)
				want = known[k].value < INT32_MAX ? known[k].value : INT32_MAX;
		ck_assert_msg(word(out, 2 * i + 1) == (i && i < 128 ? 0 : 1), "attribute %u: result %u", i, word(out, 2 * i + 1));
		if (i && i < 128)
			ck_assert_msg(word(out, 2 * i) == want, "attribute %u: %u instead of %llu", i, word(out, 2 * i),
				      (unsigned long long)want);
	}
	for (unsigned i = 0; i < 9; i++) {
		ck_assert_msg(word(out, 512 + 4 * i + 2) == (i < 8 ? 0 : 1), "limit %u: result %u", i, word(out, 512 + 4 * i + 2));
		if (i < 8)
			ck_assert_msg((word(out, 512 + 4 * i) | (uint64_t)word(out, 512 + 4 * i + 1) << 32) == limits[i],
				      "limit %u: %u", i, word(out, 512 + 4 * i));
	}
}

/* Every attribute and limit, as the module finds them when it is loaded, and after they were changed. */
START_TEST(attributes_and_limits)
{
	static const ppuLimit order[] = {	/* enum cudaLimit */
		PPU_LIMIT_LOCAL_BYTES, PPU_LIMIT_PRINTF_BYTES, PPU_LIMIT_HEAP_BYTES, PPU_LIMIT_NESTING_DEPTH,
		PPU_LIMIT_PENDING_LAUNCHES,
	};
	uint64_t limits[8] = { 0 };

	start(NULL, queries);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 5; i++) {
			OK(ppuCtxGetLimit(order[i], &limits[i]));
			ck_assert_uint_ne(limits[i], 0);
		}
		check_queries(limits);
		OK(ppuCtxSetLimit(PPU_LIMIT_PENDING_LAUNCHES, 99));
		OK(ppuCtxSetLimit(PPU_LIMIT_PRINTF_BYTES, limits[1] * 2));
		OK(ppuCtxSetLimit(PPU_LIMIT_LOCAL_BYTES, limits[0] + 256));
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 7));
	}
	ck_assert_uint_eq(limits[4], 99);
	ck_assert_uint_eq(limits[3], 7);
	end();
}
END_TEST

/* Names that the library adds to a module are not visible to the program. */
START_TEST(library_stays_out_of_sight)
{
	ppuFunctionAttributes a;
	const char *name;
	unsigned n = 0;
	ppuFunction f;

	start(NULL, rest);
	while (!ppuModuleGetFunctionName(module, n, &name)) {
		ck_assert_msg(strncmp(name, "__ppu", 5) != 0, "%s", name);
		n++;
	}
	ck_assert_uint_eq(n, 4);
	/* and a kernel that launches nothing has no extra cost */
	OK(ppuModuleGetFunction(&f, module, "kid"));
	OK(ppuFunctionGetAttributes(&a, f));
	ck_assert_uint_eq(a.shared_bytes, 0);
	ck_assert_uint_eq(a.local_bytes, 0);
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		shape_and_parameters, largest_parameters, waits_and_reads, null_stream_is_the_blocks, named_streams,
		events_between_streams, parent_completes_after_children, recursion_to_the_limit,
		depth_of_programs_that_do_not_choose, pending_launches, impossible_launches,
		errors_are_the_threads, last_error_is_in_nobodys_way, faults_of_children, many_children, copies_and_queries, attributes_and_limits,
		library_stays_out_of_sight,
	};
	Suite *s = suite_create("rt_cdp");
	TCase *t = tcase_create("rt_cdp");

	tcase_set_timeout(t, 600);
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return run_suite(s);
}
