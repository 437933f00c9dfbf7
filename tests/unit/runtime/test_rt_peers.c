/* SPDX-License-Identifier: MIT */
/* Contexts that use each other's memory, on one device and on two; copies between contexts that do not. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench_main.h"
#include "rt_ok.h"
#include "run_suite.h"

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .entry add(.param .u64 to, .param .u64 from)\n{\n.reg .b64 %rd<3>; .reg .b32 %r<4>;\n"
	"ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2];\n"
	"add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;\n}\n"
	".visible .entry await(.param .u64 at)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
	"ld.param.u64 %rd1, [at];\nL: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;\n}\n";

static ppuCtx a, b;		/* on device 0, and on the last one */

static void start(const char *devices)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1 vram=256M" };

	setenv("PPU_DEVICES", devices, 1);
	OK(ppuInit(&o));
	OK(ppuCtxCreate(&b, 0, atoi(devices) - 1));
	OK(ppuCtxCreate(&a, 0, 0));
}

static void end(void)
{
	OK(ppuShutdown());
	unsetenv("PPU_DEVICES");
}

static uint32_t *memory(ppuCtx ctx, size_t bytes, uint32_t value)
{
	void *p;

	OK(ppuCtxSetCurrent(ctx));
	OK(ppuMalloc(&p, bytes));
	OK(ppuMemset(p, value, 4, 1));
	return p;
}

static uint32_t value_of(const uint32_t *p)
{
	uint32_t v;

	OK(ppuMemcpy(&v, p, 4));
	return v;
}

static ppuResult launch(const char *kernel, void **params)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .name = "peers" };
	ppuFunction f;
	ppuModule m;

	OK(ppuModuleLoadData(&m, ptx, sizeof(ptx) - 1, &o));
	OK(ppuModuleGetFunction(&f, m, kernel));
	return ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, params, NULL, 0);
}

static ppuResult add(uint32_t *to, uint32_t *from)
{
	void *params[] = { &to, &from };

	return launch("add", params);
}

/* Loop test: on one device, and on two. */
static void start_i(int i)
{
	start(i ? "2" : "1");
}

START_TEST(access)
{
	uint32_t *p, *q, *large;
	ppuPointerAttributes at;
	int can;

	start_i(_i);
	OK(ppuDeviceCanAccessPeer(&can, 0, _i));
	ck_assert_int_eq(can, _i);
	FAILS(PPU_ERROR_INVALID_DEVICE, ppuDeviceCanAccessPeer(&can, 0, 2));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuDeviceCanAccessPeer(NULL, 0, 0));
	q = memory(b, 4, 10);
	p = memory(a, 4, 1);
	FAILS(PPU_ERROR_INVALID_CONTEXT, ppuCtxEnablePeer(a));
	FAILS(PPU_ERROR_INVALID_CONTEXT, ppuCtxEnablePeer((ppuCtx)p));
	FAILS(PPU_ERROR_NOT_FOUND, ppuCtxDisablePeer(b));
	OK(ppuCtxEnablePeer(b));
	FAILS(PPU_ERROR_ALREADY, ppuCtxEnablePeer(b));
	OK(add(p, q));
	ck_assert_uint_eq(value_of(p), 11);
	OK(add(q, p));
	OK(ppuMemset(q + 1, 7, 4, 1));		/* not beyond the buffer, which is larger than what was asked for */
	OK(ppuPointerGetAttributes(&at, q));
	ck_assert(at.ctx == b && at.base == q && at.type == PPU_MEMORY_DEVICE);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuFree(q));
	/* what the peer allocates later */
	large = memory(b, 16 << 20, 100);
	ck_assert_uint_eq(value_of(q), 21);
	OK(ppuCtxSetCurrent(a));
	OK(add(p, large));
	ck_assert_uint_eq(value_of(p), 111);
	/* Its addresses are not used again before the peer knows that it is gone. */
	OK(ppuCtxSetCurrent(b));
	OK(ppuFree(large));
	ck_assert_ptr_ne(memory(b, 16 << 20, 5), large);
	OK(ppuCtxSetCurrent(a));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy(p, large, 4));
	ck_assert_ptr_eq(memory(b, 16 << 20, 5), large);
	/* and the end of the access */
	OK(ppuCtxSetCurrent(a));
	OK(ppuCtxDisablePeer(b));
	OK(add(p, q));
	FAILS(PPU_ERROR_ILLEGAL_ADDRESS, ppuCtxSynchronize());
	OK(ppuCtxSetCurrent(b));
	ck_assert_uint_eq(value_of(q), 21);
	end();
}
END_TEST

/* Contexts end in any order. */
START_TEST(ends)
{
	uint32_t *p, *q;

	start_i(_i / 2);
	q = memory(b, 4, 10);
	p = memory(a, 4, 1);
	OK(ppuCtxEnablePeer(b));
	OK(ppuCtxSetCurrent(b));
	OK(ppuCtxEnablePeer(a));
	OK(add(q, p));
	OK(ppuCtxSynchronize());
	if (_i % 2) {
		OK(ppuCtxDestroy(a));
		ck_assert_uint_eq(value_of(q), 11);
		FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy(q, p, 4));
		FAILS(PPU_ERROR_INVALID_CONTEXT, ppuCtxDisablePeer(a));
	} else {
		OK(ppuCtxDestroy(b));
		OK(ppuCtxSetCurrent(a));
		ck_assert_uint_eq(value_of(p), 1);
		OK(add(p, p));
		ck_assert_uint_eq(value_of(p), 2);
	}
	end();
}
END_TEST

static void copied_rows(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t pitch, size_t width, size_t rows, const uint8_t *host)
{
	uint8_t behind, now;

	OK(ppuMemcpy(&behind, to + rows * to_pitch, 1));
	ck_assert_uint_ne(behind, host[rows * pitch]);
	OK(ppuMemcpy2D(to, to_pitch, from, pitch, width, rows));
	OK(ppuMemcpy(&now, to + rows * to_pitch, 1));
	ck_assert_uint_eq(now, behind);
	for (size_t row = 0; row < rows; row++)
		for (size_t col = 0; col < width; col += (width - 1) / 5) {
			uint8_t v;

			OK(ppuMemcpy(&v, to + row * to_pitch + col, 1));
			ck_assert_msg(v == host[row * pitch + col], "row %zu, byte %zu: %#x, not %#x", row, col, v,
				      host[row * pitch + col]);
		}
}

/* Without access, copies go through memory of the host: rows and bytes, larger than a piece, in the order of the stream. */
START_TEST(foreign_copies)
{
	const size_t bytes = (9 << 20) + 12;
	uint8_t *p, *q, *host = malloc(bytes), last;
	uint32_t *pinned;
	ppuStream s;

	ck_assert_ptr_nonnull(host);
	start_i(_i);
	q = (uint8_t *)memory(b, bytes, 1);
	p = (uint8_t *)memory(a, bytes, 1);
	for (size_t i = 0; i < bytes; i++)
		host[i] = (uint8_t)(i * 7 + i / 251);
	OK(ppuMemcpy(p, host, bytes));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuMemsetAsync(p, 0xab, 1, 3, s));
	OK(ppuMemcpyAsync(q, p, bytes, s));
	memset(host, 0xab, 3);
	OK(ppuCtxSetCurrent(b));
	OK(ppuMemcpy(host + 3, q + 3, 1));
	memset(host + 3, host[3], 1);
	OK(ppuCtxSetCurrent(a));
	for (size_t at = 0; at < bytes; at += 1234567) {
		uint8_t v;

		OK(ppuMemcpy(&v, q + at, 1));
		ck_assert_uint_eq(v, host[at]);
	}
	OK(ppuMemcpy2D(q, 100, p, 1000, 10, 9));
	for (unsigned row = 0; row < 9; row++) {
		uint8_t v[10];

		OK(ppuMemcpy(v, q + row * 100, 10));
		ck_assert_mem_eq(v, host + row * 1000, 10);
	}
	/* More rows than a piece has room for, and rows that are longer than a piece. */
	copied_rows(q, 1100000, p, 1400000, 1048581, 5, host);
	copied_rows(q, 4500000, p, 4600000, 4400000, 1, host);
	OK(ppuMemcpy2D(q, 4500000, p, 4600000, 4400000, 2));
	OK(ppuMemcpy(&last, q + 4500000 + 4399999, 1));
	ck_assert_uint_eq(last, host[4600000 + 4399999]);
	/* Pinned memory of another context is ordinary memory here. */
	OK(ppuCtxSetCurrent(b));
	OK(ppuMallocHost((void **)&pinned, 4096));
	*pinned = 77;
	OK(ppuCtxSetCurrent(a));
	OK(ppuMemcpy(p, pinned, 4));
	ck_assert_uint_eq(value_of((uint32_t *)p), 77);
	OK(ppuMemcpy(pinned + 1, p, 4));
	ck_assert_uint_eq(pinned[1], 77);
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy(q, p, bytes + (64 << 20)));
	OK(ppuCtxDestroy(b));
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuMemcpy(p, q, 4));
	end();
	free(host);
}
END_TEST

/* Once the stream has done it, everybody sees the copy: also a stream of the other context that waits for nothing. */
START_TEST(foreign_copy_is_over)
{
	const size_t last = (4 << 20) / 4 - 1;
	uint32_t *p, *q, *seen, host = 9;
	ppuStream s, t;

	start_i(_i);
	q = memory(b, 4 << 20, 5);
	OK(ppuMemcpy(q + last, &host, 4));
	OK(ppuMallocHost((void **)&seen, 4096));
	OK(ppuStreamCreate(&t, PPU_STREAM_NON_BLOCKING, 0));
	p = memory(a, 4 << 20, 7);
	host = 3;
	OK(ppuMemcpy(p + last, &host, 4));
	OK(ppuStreamCreate(&s, PPU_STREAM_NON_BLOCKING, 0));
	OK(ppuMemcpyAsync(q, p, 4 << 20, s));
	OK(ppuStreamSynchronize(s));
	OK(ppuCtxSetCurrent(b));
	OK(ppuMemcpyAsync(seen, q + last, 4, t));
	OK(ppuStreamSynchronize(t));
	ck_assert_uint_eq(*seen, 3);
	end();
}
END_TEST

static void word(ppuCtx ctx, uint32_t *at, ppuWordKind kind, uint32_t value)
{
	ppuWordOp w = { (uintptr_t)at, value, kind, 4 };

	OK(ppuCtxSetCurrent(ctx));
	OK(ppuStreamWordOps(NULL, &w, 1));
}

static void *seven_later(void *words)
{
	const struct timespec wait = { .tv_nsec = 20000000 };
	uint32_t **w = words;

	nanosleep(&wait, NULL);
	OK(ppuCtxSetCurrent(b));
	OK(ppuMemset(w[0], 7, 4, 1));
	__atomic_store_n(w[1], 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* The default stream waits for a word, so a copy in a blocking stream may not even read before. */
START_TEST(foreign_copy_after_the_default_stream)
{
	uint32_t *p, *w[2];
	pthread_t th;
	ppuStream s;

	start_i(_i);
	w[0] = memory(b, 4, 5);
	p = memory(a, 4, 0);
	OK(ppuMallocHost((void **)&w[1], 4096));
	*w[1] = 0;
	OK(ppuStreamCreate(&s, 0, 0));
	word(a, w[1], PPU_WORD_WAIT_EQ, 1);
	ck_assert_int_eq(pthread_create(&th, NULL, seven_later, w), 0);
	OK(ppuMemcpyAsync(p, w[0], 4, s));
	OK(ppuStreamSynchronize(s));
	pthread_join(th, NULL);
	ck_assert_uint_eq(value_of(p), 7);
	end();
}
END_TEST

/* A kernel, and a stream, that wait for what the other device does; whoever is asked first. */
START_TEST(two_devices_at_once)
{
	ppuWordOp w = { .kind = PPU_WORD_WAIT_EQ, .value = 1, .bytes = 4 };
	uint32_t *p, *q, one = 1;
	void *params[] = { &p };

	start("2");
	q = memory(b, 8, 1);
	p = memory(a, 8, 0);
	if (_i < 2) {
		OK(launch("await", params));
	} else {
		w.address = (uintptr_t)p;
		OK(ppuStreamWordOps(NULL, &w, 1));
	}
	OK(ppuCtxSetCurrent(b));
	OK(ppuCtxEnablePeer(a));
	OK(add(p, q));
	if (_i % 2)
		OK(ppuCtxSynchronize());
	OK(ppuCtxSetCurrent(a));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(value_of(p), one);
	end();
}
END_TEST

/* Two devices, or contexts of one, tell each other several times; the program asks for one of them only. */
START_TEST(they_tell_each_other)
{
	uint32_t *p, *q, *cpu, *done, *done_b;
	ppuResult r;
	ppuEvent e;

	start_i(_i / 3);
	q = memory(b, 4, 0);
	p = memory(a, 4, 0);
	OK(ppuCtxEnablePeer(b));
	OK(ppuMallocHost((void **)&done, 4096));
	OK(ppuCtxSetCurrent(b));
	OK(ppuCtxEnablePeer(a));
	OK(ppuMallocHost((void **)&cpu, 4096));
	done_b = cpu + 1;
	word(b, cpu, PPU_WORD_WAIT_EQ, 1);
	for (uint32_t i = 1; i < 5; i++) {
		word(b, p, PPU_WORD_WRITE, i);
		word(b, q, PPU_WORD_WAIT_EQ, i);
		word(a, p, PPU_WORD_WAIT_EQ, i);
		word(a, q, PPU_WORD_WRITE, i);
	}
	word(b, done_b, PPU_WORD_WRITE, 1);
	word(a, done, PPU_WORD_WRITE, 1);
	OK(ppuEventCreate(&e, 0));
	OK(ppuEventRecord(e, NULL));
	FAILS(PPU_ERROR_NOT_READY, ppuStreamQuery(NULL));
	ck_assert_uint_eq(*done + *done_b, 0);
	*cpu = 1;
	switch (_i % 3) {
	case 0:
		OK(ppuCtxSynchronize());
		break;
	case 1:
		while ((r = ppuStreamQuery(NULL)) == PPU_ERROR_NOT_READY)
			;
		OK(r);
		break;
	default:
		while ((r = ppuEventQuery(e)) == PPU_ERROR_NOT_READY)
			;
		OK(r);
	}
	ck_assert_uint_eq(*done, 1);
	OK(ppuCtxSetCurrent(b));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(*done_b, 1);
	end();
}
END_TEST

START_TEST(too_many_devices)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1" };
	static const char *wrong[] = { "0", "9", "two", "2 " };

	for (unsigned i = 0; i < 4; i++) {
		setenv("PPU_DEVICES", wrong[i], 1);
		FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
		ck_assert(strstr(ppuGetLastErrorDetail(), "PPU_DEVICES"));
	}
	unsetenv("PPU_DEVICES");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_peers");
	TCase *c = tcase_create("peers");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, access, 0, 2);
	tcase_add_loop_test(c, ends, 0, 4);
	tcase_add_loop_test(c, foreign_copies, 0, 2);
	tcase_add_loop_test(c, foreign_copy_is_over, 0, 2);
	tcase_add_loop_test(c, foreign_copy_after_the_default_stream, 0, 2);
	tcase_add_loop_test(c, two_devices_at_once, 0, 4);
	tcase_add_loop_test(c, they_tell_each_other, 0, 6);
	tcase_add_test(c, too_many_devices);
	suite_add_tcase(s, c);
	return run_suite(s);
}
