/* SPDX-License-Identifier: MIT */
/*
 * Translation in the background (engine=auto): the test is the port that runs the jobs, so they are ready when it says
 * so, or in a thread, or never. Kernels run on meanwhile, with the same results.
 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <hw/ppu_regs.h>
#include "run_suite.h"
#include "sm_test.h"
#include "core/sm/translate/region.h"

/* ---- the port ---- */

static struct {
	void (*fn)(void *arg);
	void *arg;
	unsigned asked, started, ended;
	bool refuse, threads, done;
	pthread_t thread;
} port;

static void *thread(void *arg)
{
	port.fn(port.arg);
	__atomic_store_n(&port.done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void await_thread(void)
{
	while (!__atomic_load_n(&port.done, __ATOMIC_ACQUIRE))
		usleep(100);
}

static bool start(void *opaque, void (*fn)(void *arg), void *arg)
{
	/* One at a time. */
	ck_assert_uint_eq(port.started, port.ended);
	port.asked++;
	if (port.refuse)
		return false;
	port.started++;
	port.fn = fn;
	port.arg = arg;
	port.done = false;
	if (port.threads)
		ck_assert_int_eq(pthread_create(&port.thread, NULL, thread, NULL), 0);
	return true;
}

/* The thread of the job, if there were one. */
static void do_job(void)
{
	ck_assert_ptr_nonnull(port.fn);
	port.fn(port.arg);
	port.fn = NULL;
}

static void end(void *opaque)
{
	port.ended++;
	ck_assert_uint_eq(port.started, port.ended);
	if (port.threads)
		pthread_join(port.thread, NULL);
	else if (port.fn)
		do_job();
}

static uint64_t clock_ns(void *opaque)
{
	static uint64_t now;

	return __atomic_add_fetch(&now, 1000, __ATOMIC_RELAXED);
}

/* A host that refuses executable memory: stands before the C library's. */
static bool no_code;
static unsigned executable;		/* times that memory became that */

int mprotect(void *addr, size_t len, int prot)
{
	if (no_code && (prot & PROT_EXEC))
		return -1;
	if (prot & PROT_EXEC)
		__atomic_add_fetch(&executable, 1, __ATOMIC_RELAXED);
	return (int)syscall(SYS_mprotect, addr, len, prot);
}

/* ---- a kernel that takes a while ---- */

#define CTAS	8
#define THREADS	64

static const char text[] =
	"s2r r2, %tid.x\ns2r r3, %ctaid.x\nshl.u32 r3, r3, 6\nadd.u32 r2, r2, r3\nld.param.u64 rd10, [0]\n"
	"madw.u32 rd4, r2, 4, rd10\nmov.u32 r6, 0\nmov.u32 r7, 0\n"
	"loop: mad.u32 r7, r7, 3, r2\nadd.u32 r6, r6, 1\nsetp.lt.u32 p1, r6, 400\n@p1 bra loop\n"
	"st.global.u32 [rd4], r7\nexit\n";

static uint64_t stat(const struct sm_test *s, enum ppu_engine_stat which)
{
	return ppu_core_engine_stat(s->core, which);
}

static struct sm_test *machine(const char *engine)
{
	struct sm_test *s = smt_new();

	memset(&port, 0, sizeof(port));
	s->cfg.window_ns = 300;
	s->ports.start_background = start;
	s->ports.end_background = end;
	s->ports.host_ns = clock_ns;
	ck_assert_int_eq(ppu_config_set(&s->cfg, "engine", engine, &(char *){ NULL }), 0);
	smt_start(s);
	smt_param64(s, 0, SMT_DATA);
	smt_load(s, text);
	return s;
}

/* Until the kernel is hot, and the port knows of it. */
static void heat(struct sm_test *s)
{
	unsigned before = port.started;

	smt_launch(s, CTAS, THREADS);
	ck_assert_ptr_nonnull(s->task.prog);
	while (port.started == before)
		ck_assert(smt_window(s));
}

static void finish(struct sm_test *s)
{
	while (smt_window(s))
		;
	smt_finish(s);
	ck_assert(!s->faulted);
	ck_assert_uint_eq(s->done_ctas, CTAS);
	for (uint32_t i = 0; i < CTAS * THREADS; i++) {
		uint32_t x = 0;

		for (int k = 0; k < 400; k++)
			x = x * 3 + i;
		ck_assert_uint_eq(smt_u32(s)[i], x);
	}
	memset(smt_u32(s), 0, 4 * CTAS * THREADS);
}

/* ---- */

/* Interpreted until the job is done and a window has passed, host code from then on. */
START_TEST(between_windows)
{
	struct sm_test *s = machine("auto");
	struct ppu_translation t;
	struct ppu_program *p;
	uint64_t bytes, entered;

	heat(s);
	p = s->task.prog;
	bytes = p->bytes;
	ck_assert_uint_eq(p->refs, 2);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(smt_window(s));
		ck_assert_ptr_null(p->region);
	}
	ck_assert_uint_eq(port.started, 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_WARP_INSNS), 0);
	do_job();
	ck_assert_ptr_null(p->region);
	ck_assert(smt_window(s));
	ck_assert_ptr_nonnull(p->region);
	ck_assert_uint_eq(port.ended, 1);
	ck_assert_uint_eq(p->refs, 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_WARP_INSNS), 0);
	ck_assert(smt_window(s));
	entered = stat(s, PPU_ENG_ENTERED);
	ck_assert_uint_gt(entered, 0);
	ck_assert_uint_gt(stat(s, PPU_ENG_WARP_INSNS), 10 * entered);

	/* What it costs is charged to the program. */
	ck_assert(ppu_core_translation(s->core, 0, &t));
	ck_assert_uint_gt(t.memory_bytes, p->region->code_size + p->region->pool_bytes);
	ck_assert_uint_eq(p->bytes - bytes, t.memory_bytes);
	ck_assert_uint_eq(stat(s, PPU_ENG_MEMORY_BYTES), t.memory_bytes);
	ck_assert(!ppu_core_translation(s->core, t.number, &t));
	ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_INSNS), 14);
	ck_assert_uint_gt(stat(s, PPU_ENG_INLINED), 6);
	ck_assert_uint_lt(stat(s, PPU_ENG_INLINED), 14);
	ck_assert_uint_ge(stat(s, PPU_ENG_SEGMENTS), 2);
	ck_assert_uint_eq(stat(s, PPU_ENG_CODE_BYTES), p->region->code_bytes);
	ck_assert_uint_eq(ppu_core_engine_ns(s->core), 1000);
	ck_assert_uint_eq(t.host_ns, 1000);
	ck_assert_uint_eq(t.entry, 0);
	ck_assert_uint_eq(t.code_va, SMT_CODE);
	finish(s);

	/* The next launch finds it. */
	entered = stat(s, PPU_ENG_ENTERED);
	smt_launch(s, CTAS, THREADS);
	ck_assert_ptr_eq(s->task.prog, p);
	finish(s);
	ck_assert_uint_gt(stat(s, PPU_ENG_ENTERED), entered);
	ck_assert_uint_eq(port.started, 1);
	smt_free(s);
}
END_TEST

/* The registers show the same numbers. */
START_TEST(registers)
{
	struct sm_test *s = machine("auto");
	uint64_t v;

	ck_assert(ppu_core_mmio_read(s->core, PPU_REG_CAP_FEATURES, 4) & PPU_FEAT_ENGINE_STATS);
	heat(s);
	do_job();
	finish(s);
	for (unsigned i = 0; i < PPU_ENG_COUNT + 2; i++) {
		ppu_core_mmio_write(s->core, PPU_REG_DBG_SEL, 4, PPU_DBG_ENGINE + i);
		v = ppu_core_mmio_read(s->core, PPU_REG_DBG_DATA_LO, 4);
		v |= ppu_core_mmio_read(s->core, PPU_REG_DBG_DATA_HI, 4) << 32;
		ck_assert_uint_eq(v, i < PPU_ENG_COUNT ? stat(s, i) : 0);
		ck_assert(v || i == PPU_ENG_REFUSED || i == PPU_ENG_DROPPED || i >= PPU_ENG_COUNT);
	}
	ppu_core_reset(s->core);
	for (unsigned i = 0; i < PPU_ENG_COUNT; i++)
		ck_assert_uint_eq(stat(s, i), i == PPU_ENG_AVAILABLE);
	ck_assert_uint_eq(ppu_core_engine_ns(s->core), 0);
	smt_free(s);
}
END_TEST

/* Nobody can begin: the kernel is interpreted, and it is tried again when it has got hot once more. */
START_TEST(no_thread)
{
	struct sm_test *s = machine("auto");

	port.refuse = true;
	smt_launch(s, CTAS, THREADS);
	for (unsigned i = 0; i < 40; i++)
		ck_assert(smt_window(s));
	ck_assert_uint_eq(port.started, 0);
	/* 64 CTAs that are there for a window make it hot, and each time it is asked for once. */
	ck_assert_uint_ge(port.asked, 2);
	ck_assert_uint_le(port.asked, 1 + 41 * CTAS / 64);
	ck_assert(!s->task.prog->refused);
	ck_assert_uint_eq(s->task.prog->refs, 1);
	port.refuse = false;
	for (unsigned i = 0; i < 20; i++)
		ck_assert(smt_window(s));
	ck_assert_uint_eq(port.started, 1);
	do_job();
	finish(s);
	ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), 1);
	smt_free(s);
}
END_TEST

/* The job fails: there will be no second one for this program. */
START_TEST(failed_job)
{
	struct sm_test *s = machine("auto");
	struct ppu_program *p;

	heat(s);
	p = s->task.prog;
	no_code = true;
	do_job();
	no_code = false;
	ck_assert(smt_window(s));
	ck_assert(p->refused);
	ck_assert_ptr_null(p->region);
	finish(s);
	ck_assert_uint_eq(port.started, 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_REFUSED), 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_MEMORY_BYTES), 0);
	ck_assert_uint_eq(p->refs, 0);
	smt_free(s);
}
END_TEST

/* Other code at the address, and the task is gone: the program waits for its job, whose result nobody wants. */
START_TEST(overwritten)
{
	struct sm_test *s = machine("auto");
	struct ppu_program *p;

	heat(s);
	p = s->task.prog;
	finish(s);
	ck_assert_uint_eq(p->refs, 1);		/* the job's */
	s->vram[0x2000000 + 13 * PPU_INSN_BYTES + 8] ^= 1;
	smt_launch(s, CTAS, THREADS);
	ck_assert_ptr_ne(s->task.prog, p);
	ck_assert(p->stale);
	ck_assert_uint_eq(port.ended, 0);
	smt_window(s);
	ck_assert_uint_eq(port.ended, 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_DROPPED), 1);
	ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), 0);
	ck_assert_uint_eq(stat(s, PPU_ENG_MEMORY_BYTES), 0);
	smt_free(s);
}
END_TEST

/* Other code at the address, but a task still runs the old one: that one gets its translation. */
START_TEST(old_code_runs)
{
	struct sm_test *s = machine("auto");
	struct ppu_program *p, *other;
	uint64_t va;

	heat(s);
	p = s->task.prog;
	s->vram[0x2000000 + 13 * PPU_INSN_BYTES + 8] ^= 1;
	ck_assert_int_eq(ppu_icache_get(s->core, s->task.ctx, &s->task.launch, &other, &va), 0);
	ck_assert_ptr_ne(other, p);
	ck_assert(p->stale);
	do_job();
	ck_assert(smt_window(s));
	ck_assert_ptr_nonnull(p->region);
	ck_assert_uint_gt(stat(s, PPU_ENG_MEMORY_BYTES), 0);
	finish(s);
	ck_assert_uint_eq(stat(s, PPU_ENG_MEMORY_BYTES), 0);	/* and it went with the program */
	ppu_icache_put(s->core, other);
	smt_free(s);
}
END_TEST

/* The context ends while the job is under way: the device may reuse its memory at once. */
START_TEST(context_ends)
{
	struct sm_test *s = machine("auto");

	heat(s);
	smt_finish(s);
	ppu_icache_forget_ctx(s->core, &s->ctx);
	memset(&s->ctx.blk, 0xee, sizeof(s->ctx.blk));
	do_job();
	smt_free(s);
	ck_assert_uint_eq(port.ended, 1);
}
END_TEST

/* Reset, and the end of the device, wait for the job, which is told to come to an end. */
START_TEST(reset)
{
	struct sm_test *s = machine("auto");

	heat(s);
	smt_finish(s);
	ppu_core_reset(s->core);
	ck_assert_uint_eq(port.ended, 1);
	ck_assert_ptr_null(port.fn);
	ck_assert_uint_eq(ppu_core_engine_ns(s->core), 0);
	s->core->xlat_gen++;
	heat(s);			/* fetched and hot again */
	ck_assert_uint_eq(port.started, 2);
	smt_free(s);
	ck_assert_uint_eq(port.ended, 2);
}
END_TEST

/* A job that is cancelled makes no code; one that is not does. */
START_TEST(cancelled)
{
	for (unsigned cancel = 0; cancel < 2; cancel++) {
		struct sm_test *s = machine("auto");

		heat(s);
		smt_finish(s);
		executable = 0;
		if (!cancel)
			do_job();
		ppu_core_reset(s->core);
		ck_assert_uint_eq(port.ended, 1);
		ck_assert_uint_eq(executable, cancel ? 1 : 2);	/* the first only asks whether it is possible */
		smt_free(s);
	}
}
END_TEST

/* A second kernel that is hot waits for the first one's job. */
START_TEST(one_at_a_time)
{
	struct sm_test *s = machine("auto");
	struct ppu_program *first, *second;
	uint64_t va;

	heat(s);
	first = s->task.prog;
	s->task.launch.regs_per_thread++;
	ck_assert_int_eq(ppu_icache_get(s->core, s->task.ctx, &s->task.launch, &second, &va), 0);
	s->task.launch.regs_per_thread--;
	s->task.prog = second;
	second->heat = 1000;
	ppu_sm_effects(s->core, 0);
	ck_assert_uint_eq(port.started, 1);
	do_job();
	ppu_sm_effects(s->core, 0);
	ck_assert_ptr_nonnull(first->region);
	ck_assert_uint_eq(port.started, 2);
	do_job();
	ppu_sm_effects(s->core, 0);
	ck_assert_ptr_nonnull(second->region);
	s->task.prog = first;
	ppu_icache_put(s->core, second);
	finish(s);
	smt_free(s);
}
END_TEST

/* A second entry of the same code: everything is translated, and that was the last time. */
START_TEST(entries)
{
	static const char three[] =
		"mov.u32 r2, 0\na: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 3000\n@p1 bra a\nexit\n"
		"mov.u32 r2, 0\nb: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 3000\n@p1 bra b\nexit\n"
		"mov.u32 r2, 0\nc: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 3000\n@p1 bra c\nexit\n";
	struct sm_test *s = machine("auto");
	struct ppu_translation t;
	struct ppu_program *p;
	uint64_t first;

	smt_load(s, three);
	for (uint32_t i = 0; i < 3; i++) {
		s->task.launch.entry_pc = 5 * i;
		smt_launch(s, CTAS, THREADS);
		p = s->task.prog;
		for (unsigned k = 0; k < 30 && port.started < i + 1; k++)
			ck_assert(smt_window(s));
		ck_assert_uint_eq(port.started, i < 2 ? i + 1 : 2);
		if (i < 2) {
			ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), i);
			do_job();
			ck_assert(smt_window(s));
		}
		ck_assert_int_eq(p->whole, i > 0);
		ck_assert_uint_ne(p->region->enter[5 * i][0], 0);
		ck_assert(ppu_core_translation(s->core, 0, &t));
		ck_assert_uint_eq(t.entry, i ? UINT32_MAX : 0);
		ck_assert_uint_eq(t.number, i ? 2 : 1);
		ck_assert_uint_eq(t.insns, i ? 15 : 5);
		/* The old one went, and is not charged any more. */
		ck_assert_uint_eq(stat(s, PPU_ENG_MEMORY_BYTES), t.memory_bytes);
		if (!i)
			first = p->bytes - t.memory_bytes;
		ck_assert_uint_eq(p->bytes, first + t.memory_bytes);
		while (smt_window(s))
			;
		ck_assert_uint_eq(s->done_ctas, CTAS);
		smt_finish(s);
	}
	smt_free(s);
}
END_TEST

/* engine=translate translates at once, engine=interpret never; neither asks the port. */
START_TEST(others)
{
	static const char *const names[] = { "interpret", "translate" };

	for (unsigned i = 0; i < 2; i++) {
		struct sm_test *s = machine(names[i]);

		smt_launch(s, CTAS, THREADS);
		smt_window(s);
		ck_assert_int_eq(s->task.prog->region != NULL, i);
		finish(s);
		ck_assert_uint_eq(port.started, 0);
		ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), i);
		smt_free(s);
	}
}
END_TEST

/* Nothing of it is in the state of the device. */
START_TEST(state)
{
	struct sm_test *s = machine("auto");
	uint8_t *a, *b;
	size_t n, m;

	heat(s);
	finish(s);
	ck_assert_int_eq(ppu_core_save(s->core, &a, &n), 0);
	do_job();
	ppu_sm_effects(s->core, 0);
	ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), 1);
	ck_assert_int_eq(ppu_core_save(s->core, &b, &m), 0);
	ck_assert_uint_eq(n, m);
	ck_assert_mem_eq(a, b, n);
	free(a);
	free(b);
	smt_free(s);
}
END_TEST

/* Threads, as the owners of the device have them; at the end there may be one under way. */
START_TEST(in_threads)
{
	for (unsigned i = 0; i < 40; i++) {
		struct sm_test *s = machine("auto");

		port.threads = true;
		heat(s);
		if (i % 4 == 0) {
			smt_finish(s);
		} else {
			for (unsigned k = 0; k < 1 + i % 3; k++) {
				finish(s);
				smt_launch(s, CTAS, THREADS);
			}
			if (i % 4 == 1) {
				/* The kernel has 86 windows: a thread that is not let run must not miss them all. */
				for (unsigned n = 0; !s->task.prog->region && smt_window(s); n++) {
					if (n == 20)
						await_thread();
					usleep(100);
				}
				ck_assert_uint_eq(stat(s, PPU_ENG_TRANSLATIONS), 1);
			}
			finish(s);
		}
		if (i % 8 < 4)
			ppu_core_reset(s->core);
		smt_free(s);
		ck_assert_uint_eq(port.started, port.ended);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { between_windows, registers, no_thread, failed_job, overwritten, old_code_runs,
		context_ends, reset, cancelled, one_at_a_time, entries, others, state, in_threads };
	struct ppu_config cfg = { .engine = 2 };
	Suite *su;
	TCase *t;

	/* test_engine_missing looks whether that may be. */
	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to translate: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	su = suite_create("background");
	t = tcase_create("jobs");
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	tcase_set_timeout(t, 120);
	suite_add_tcase(su, t);
	return run_suite(su);
}
