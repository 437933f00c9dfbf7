/* SPDX-License-Identifier: MIT */
/*
 * Exhausted host memory (Documentation/hw/host-memory.md): the n-th allocation of the core fails, or all from the
 * n-th on, for n = 1, 2, 3, ... until nothing fails any more.  Whatever fails, it is one channel or one context that
 * ends with a cause; all others have the right results, no memory is lost, and the machine can be used.
 *
 * The program is linked with --wrap for the functions of core/base/alloc.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"
#include "core/base/alloc.h"
#include "core/sm/sm.h"

/* ---- the allocator ---------------------------------------------------------------------------------- */

static struct {
	bool armed, for_good;	/* for_good: all allocations fail from the n-th on */
	unsigned nth, count, failed;
	long live;		/* allocations that were not freed */
} mem;

void *__real_ppu_alloc(size_t n, size_t size);
void *__real_ppu_alloc_aligned(size_t align, size_t bytes);
void *__real_ppu_realloc(void *p, size_t bytes);
void __real_ppu_free(void *p);
char *__real_ppu_vsentence(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
void *__wrap_ppu_alloc(size_t n, size_t size);
void *__wrap_ppu_alloc_aligned(size_t align, size_t bytes);
void *__wrap_ppu_realloc(void *p, size_t bytes);
void __wrap_ppu_free(void *p);
char *__wrap_ppu_vsentence(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
char *__wrap_ppu_sentence(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static bool fails(void)
{
	if (!mem.armed || ++mem.count < mem.nth || (mem.count > mem.nth && !mem.for_good))
		return false;
	mem.failed++;
	return true;
}

static void *counted(void *p)
{
	mem.live += p != NULL;
	return p;
}

void *__wrap_ppu_alloc(size_t n, size_t size)
{
	return fails() ? NULL : counted(__real_ppu_alloc(n, size));
}

void *__wrap_ppu_alloc_aligned(size_t align, size_t bytes)
{
	return fails() ? NULL : counted(__real_ppu_alloc_aligned(align, bytes));
}

void *__wrap_ppu_realloc(void *p, size_t bytes)
{
	if (fails())
		return NULL;
	if (p)
		return __real_ppu_realloc(p, bytes);
	return counted(__real_ppu_realloc(p, bytes));
}

void __wrap_ppu_free(void *p)
{
	mem.live -= p != NULL;
	__real_ppu_free(p);
}

/* Sentences belong to the caller, who frees them: they are not counted. */
char *__wrap_ppu_vsentence(const char *fmt, va_list ap)
{
	return fails() ? NULL : __real_ppu_vsentence(fmt, ap);
}

char *__wrap_ppu_sentence(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = fails() ? NULL : __real_ppu_vsentence(fmt, ap);
	va_end(ap);
	return s;
}

static void arm(unsigned nth, bool for_good)
{
	mem.nth = nth;
	mem.for_good = for_good;
	mem.count = mem.failed = 0;
	mem.armed = true;
}

static bool disarm(void)		/* did any fail? */
{
	mem.armed = false;
	return mem.failed;
}

/* All of the first ones, then some: the later ones are of kinds that came before. */
static unsigned next(unsigned n, unsigned step)
{
	return n < 250 ? n + step : n + step + n / 20;
}

/* ---- the workload: contexts that know nothing of each other ------------------------------------------- */

enum { KERNEL, FAMILY, QUEUE, SIGNALS, COPIES, BROKEN, JOBS };

struct job {
	struct bench_ctx *c;		/* NULL: the context could not be made */
	struct bench_chan *ch[3];
	uint64_t out;			/* results, and how many bytes */
	unsigned bytes;
	uint64_t queue;
};

struct scene {
	struct bench *b;
	struct job job[JOBS];
	struct ppu_fault_rec fault[PPU_FAULT_RING];
	unsigned faults;
};

/* Divergence, YIELD, barriers, shared and local memory; for 3 CTAs of 80 threads. */
static const char everything[] =
	"s2r r2, %tid.x\n"
	"s2r r3, %ctaid.x\n"
	"ld.param.u64 rd10, [0]\n"
	"mad.u32 r4, r3, 80, r2\n"
	"madw.u32 rd12, r4, 4, rd10\n"
	"mov.u32 r8, 0\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
	"and.u32 r6, r4, 7\n"
	"loop: add.u32 r5, r5, 1\n"
	"atom.shared.add.u32 rz, [r8], r9\n"
	"yield\n"
	"setp.lt.u32 p1, r5, r6\n"
	"@p1 bra loop\n"
	"st.local.u32 [r8+16], r5\n"
	"ssy L\n"
	"and.u32 r6, r2, 1\n"
	"setp.eq.u32 p1, r6, 0\n"
	"@p1 bra E\n"
	"sync L\n"
	"E: nanosleep 2500\n"
	"add.u32 r9, r9, 3\n"
	"sync L\n"
	"L: bar.sync 0\n"
	"ld.shared.u32 r6, [r8]\n"
	"ld.local.u32 r5, [r8+16]\n"
	"mad.u32 r6, r5, 1000, r6\n"
	"mad.u32 r6, r9, 100000, r6\n"
	"st.global.u32 [rd12], r6\n"
	"exit\n";

/* 32 threads launch, wait, and note what the launches said. */
static const char parent[] =
	"ld.param.u64 rd4, [0]\n"
	"ld.param.u64 rd10, [8]\n"
	"tlaunch r6, rd4\n"
	"tsync r7\n"
	"mul.u32 r6, r6, 100000\nadd.u32 r6, r6, 1000\n"
	"atom.global.add.u32 rz, [rd10], r6\n"
	"exit\n";

static const char child[] = "ld.param.u64 rd10, [0]\nmov.u32 r6, 1\natom.global.add.u32 rz, [rd10], r6\nexit\n";

/* Each entry has a value and a place. */
static const char worker[] =
	"ld.param.u64 rd2, [0]\n"
	"ld.param.u32 r4, [16]\n"
	"ld.param.u32 r5, [20]\n"
	"madw.u32 rd6, r5, 16, rd2\n"
	"atom.global.add.u32 rz, [rd6], r4\n"
	"nanosleep 3000\n"
	"exit\n";

/* Each thread counts up a word of its own, in a page where a channel waits. */
static const char signals[] =
	"s2r r2, %tid.x\n"
	"ld.param.u64 rd10, [0]\n"
	"madw.u32 rd12, r2, 64, rd10\n"
	"mov.u32 r5, 0\n"
	"loop: add.u32 r5, r5, 1\n"
	"st.global.u32 [rd12], r5\n"
	"setp.lt.u32 p1, r5, 8\n"
	"@p1 bra loop\n"
	"exit\n";

static void kernel_job(struct job *j)
{
	struct kern k = kern_load(j->c, everything), quick = kern_load(j->c, "exit\n");
	struct ppu_tmd *t, *h;
	uint64_t va = tmd_new(j->c, &k, &t), hv = tmd_new(j->c, &quick, &h);

	j->bytes = 3 * 80 * 4;
	t->grid[0] = 3;
	t->block[0] = 80;
	t->shared_bytes = 64;
	t->local_per_thread = 32;
	t->num_barriers = 3;
	tmd_param(t, 0, j->out);
	h->block[0] = 1;
	tmd_prio(h, 5);
	bench_launch(j->ch[0], va);
	bench_submit(j->ch[0]);
	for (unsigned i = 0; i < 3; i++) {	/* somebody more important, now and then */
		bench_acquire(j->ch[1], PPU_SEM_OP_GE, j->out + 2048, i + 1);
		bench_launch(j->ch[1], hv);
		bench_submit(j->ch[1]);
	}
}

static void family_job(struct job *j)
{
	struct kern p = kern_load(j->c, parent), k = kern_load(j->c, child);
	struct ppu_tmd *t, *u;
	uint64_t va = tmd_new(j->c, &p, &t), cv = tmd_new(j->c, &k, &u);

	j->bytes = 8;
	tmd_param(t, 0, cv);
	tmd_param(t, 1, j->out);
	tmd_param(u, 0, j->out);
	u->block[0] = 1;
	u->shared_bytes = 32;
	bench_launch(j->ch[0], va);
	bench_submit(j->ch[0]);
}

static void queue_push(struct job *j, unsigned from, unsigned n, uint64_t closed)
{
	struct ppu_task_queue *h = bench_ptr(j->c, j->queue);

	for (unsigned i = from; i < from + n; i++) {
		uint32_t e[8] = { 100 + i, i };

		bench_write(j->c, j->queue + sizeof(*h) + i * sizeof(e), e, sizeof(e));
	}
	h->put = (from + n) | closed;
	bench_kick(j->ch[0]);
}

static void queue_job(struct job *j)
{
	struct kern k = kern_load(j->c, worker);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(j->c, &k, &t);

	j->bytes = 7 * 16;
	j->queue = bench_alloc(j->c, 4096, BENCH_VRAM);
	t->kind = PPU_TMD_QUEUE;
	t->block[0] = 1;
	t->queue_capacity = 8;
	t->queue_entry_bytes = 32;
	t->queue_va = j->queue;
	tmd_param(t, 0, j->out);
	queue_push(j, 0, 3, 0);
	bench_launch(j->ch[0], va);
	bench_submit(j->ch[0]);
}

static void signals_job(struct job *j)
{
	struct kern k = kern_load(j->c, signals);
	uint64_t words = bench_alloc(j->c, 4096, BENCH_SYS), va;
	struct ppu_tmd *t;

	j->bytes = 16;
	va = tmd_new(j->c, &k, &t);
	tmd_param(t, 0, words);
	for (unsigned i = 0; i < 2; i++) {
		bench_acquire(j->ch[1 + i], PPU_SEM_OP_GE | PPU_CMDF_SEM_32, words + (31 - i) * 64, 8);
		bench_release(j->ch[1 + i], 0, j->out + i * 8, 77 + i);
		bench_submit(j->ch[1 + i]);
	}
	bench_nop(j->ch[0], 1);
	bench_launch(j->ch[0], va);
	bench_submit(j->ch[0]);
}

static void copies_job(struct job *j)
{
	uint64_t a = bench_alloc(j->c, 65536, BENCH_SCATTER), s = bench_alloc(j->c, 4096, BENCH_VRAM);
	struct bench_chan *q = j->ch[2];

	j->bytes = 4096;
	bench_fill(j->ch[0], 2, a, 0x1234567, 16384);
	bench_acquire(j->ch[0], PPU_SEM_OP_EQ | PPU_CMDF_SEM_GATE, s + 8, 0);
	bench_copy(j->ch[0], a + 8192, j->out, 2048);
	bench_release(j->ch[0], 0, s, 1);
	bench_submit(j->ch[0]);
	bench_acquire(j->ch[1], PPU_SEM_OP_GE, s, 1);
	bench_copy(j->ch[1], j->out, j->out + 2048, 1024);
	bench_inc(j->ch[1], 0, s);
	bench_submit(j->ch[1]);
	/* a device-owned queue: PUT is the device's */
	bench_chan_set(q, PPU_REG_CH_PUT, 7);
	bench_acquire(q, PPU_SEM_OP_GE, s, 2);
	bench_push(q);
	bench_release(q, 0, j->out + 4088, 9);
	bench_push(q);
	bench_acquire(q, PPU_SEM_OP_EQ, s, 100);
	bench_push(q);
	bench_chan_enable(q);
}

static void broken_job(struct job *j)
{
	struct kern k = kern_load(j->c, "mov.u64 rd4, 0x7000\nst.global.u32 [rd4], r6\nexit\n");
	struct ppu_tmd *t;

	bench_launch(j->ch[0], tmd_new(j->c, &k, &t));
	bench_submit(j->ch[0]);
}

static void (*const start_job[JOBS])(struct job *) = {
	[KERNEL] = kernel_job, [FAMILY] = family_job, [QUEUE] = queue_job, [SIGNALS] = signals_job,
	[COPIES] = copies_job, [BROKEN] = broken_job,
};

/* ---- one run --------------------------------------------------------------------------------------------- */

static uint32_t ctx_status(struct bench_ctx *c)
{
	bench_set(c->b, PPU_REG_CTX_INST_LO, (uint32_t)c->inst);
	bench_set(c->b, PPU_REG_CTX_INST_HI, (uint32_t)(c->inst >> 32));
	return bench_reg(c->b, PPU_REG_CTX_STATUS);
}

static uint32_t error_of(struct bench_chan *ch)
{
	return bench_chan_reg(ch, PPU_REG_CH_ERROR);
}

/* A context is there, or LOAD was refused and the device said why. */
static bool load_ctx(struct bench_ctx *c)
{
	unsigned before = mem.failed;
	uint32_t s = bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);

	if (s == PPU_CTX_LOADED)
		return true;
	ck_assert_uint_eq(s, PPU_CTX_BAD);
	ck_assert_uint_gt(mem.failed, before);
	ck_assert_ptr_nonnull(strstr(c->b->last_error, "no memory left"));
	return false;
}

static struct scene scene_new(const char *props, bool traced)
{
	struct scene s = { .b = bench_new(props) };

	if (!traced) {
		s.b->ports.trace = NULL;
		bench_new_core(s.b);
	}
	return s;
}

static void scene_start(struct scene *s)
{
	for (unsigned i = 0; i < JOBS; i++) {
		struct job *j = &s->job[i];
		struct bench_ctx *c = bench_ctx_make(s->b);

		/* A driver may try again; when that fails as well, there is no such context. */
		if (!load_ctx(c) && !load_ctx(c))
			continue;
		j->c = c;
		j->out = bench_alloc(c, 8192, BENCH_VRAM);
		for (unsigned k = 0; k < 3; k++)
			if (i == COPIES && k == 2)
				j->ch[k] = bench_chan_make(c, PPU_CLASS_DEVQ, 8);
			else
				j->ch[k] = bench_chan_new(c, i == COPIES ? PPU_CLASS_COPY : PPU_CLASS_COMPUTE, 8);
		start_job[i](j);
	}
}

/* Runs until nothing moves; answers exceptions of SMs as a driver that lets the device do it. */
static void settle(struct bench *b)
{
	ck_assert(bench_run(b));
	while (bench_reg(b, PPU_REG_SM_EXC_CAUSE)) {
		bench_set(b, PPU_REG_SM_EXC_DONE, 1);
		ck_assert(bench_run(b));
	}
}

static void scene_feed(struct scene *s)
{
	for (unsigned i = 1; i <= 3; i++) {
		bench_run_for(s->b, 6000);
		if (s->job[KERNEL].c) {
			bench_wr64(s->job[KERNEL].c, s->job[KERNEL].out + 2048, i);
			bench_kick(s->job[KERNEL].ch[1]);
		}
	}
	if (s->job[QUEUE].c)
		queue_push(&s->job[QUEUE], 3, 4, PPU_TASKQ_CLOSED);
}

/* Is there a fault record of the context with this cause? */
static bool recorded(struct scene *s, const struct bench_ctx *c, unsigned code)
{
	struct bench *b = s->b;

	for (uint32_t get; (get = bench_reg(b, PPU_REG_FAULT_GET)) != bench_reg(b, PPU_REG_FAULT_PUT);) {
		uint32_t *w = (uint32_t *)&s->fault[s->faults++];

		ck_assert_uint_le(s->faults, PPU_FAULT_RING);
		bench_set(b, PPU_REG_FAULT_SEL, 0);
		for (unsigned k = 0; k < PPU_FAULT_REC_WORDS; k++)
			w[k] = bench_reg(b, PPU_REG_FAULT_DATA);
		bench_set(b, PPU_REG_FAULT_GET, (get + 1) % PPU_FAULT_RING);
	}
	for (unsigned i = 0; i < s->faults; i++)
		if (s->fault[i].inst == c->inst && s->fault[i].code == code)
			return true;
	return false;
}

/* What has become of job i: true: what should; false: it ended for want of memory, as the policy says. */
static bool judge(struct scene *s, unsigned i, const uint8_t *want)
{
	struct job *j = &s->job[i];
	unsigned lost = 0, k;
	uint8_t got[4096];

	if (!j->c)
		return false;
	for (k = 0; k < 3; k++)
		lost += error_of(j->ch[k]) == PPU_ERR_HOST_MEMORY;
	if (ctx_status(j->c) & PPU_CTX_FAULTED) {
		unsigned code = i == BROKEN && recorded(s, j->c, PPU_ERR_MMU_UNMAPPED) ? PPU_ERR_MMU_UNMAPPED :
											    PPU_ERR_TASK_MEMORY;

		ck_assert_msg(code == PPU_ERR_MMU_UNMAPPED || recorded(s, j->c, code), "job %u ended without a cause", i);
		for (k = 0; k < 3; k++)
			ck_assert(error_of(j->ch[k]) == code || error_of(j->ch[k]) == PPU_ERR_HOST_MEMORY);
		return code == PPU_ERR_MMU_UNMAPPED;
	}
	for (k = 0; k < 3; k++)
		ck_assert(!error_of(j->ch[k]) || error_of(j->ch[k]) == PPU_ERR_HOST_MEMORY);
	if (lost)
		return false;
	ck_assert_msg(i != BROKEN, "the broken kernel did not fault");
	bench_read(j->c, j->out, got, j->bytes);
	for (k = 0; k < j->bytes; k++)
		ck_assert_msg(got[k] == want[i * 4096 + k], "job %u: byte %u is %u, not %u", i, k, got[k],
			      want[i * 4096 + k]);
	return true;
}

/* Nothing runs: no SM keeps accounts of anything. */
static void check_idle(struct bench *b)
{
	for (uint32_t i = 0; i < b->core->num_sms; i++) {
		const struct ppu_sm *sm = &b->core->sms[i];

		ck_assert_uint_eq(ppu_sm_num_ctas(sm->core, sm->id), 0);
		ck_assert_uint_eq(sm->used_warps, 0);
		ck_assert_uint_eq(sm->used_regs, 0);
		ck_assert_uint_eq(sm->used_shared, 0);
	}
	for (unsigned i = 0; i < b->num_chans; i++)
		ck_assert_uint_eq(bench_reg(b, PPU_BAR0_CHCFG + i * PPU_CHCFG_STRIDE + PPU_REG_CH_TASKS), 0);
}

#define MACHINE "vram=64M task-slots=3 warps-per-sm=16 run-limit=8 watches=16 task-records=256 token-queue-entries=16 "

/* The results of an undisturbed run. */
static void expected(uint8_t want[JOBS * 4096])
{
	struct scene s = scene_new(MACHINE, true);

	mem.armed = false;
	scene_start(&s);
	scene_feed(&s);
	settle(s.b);
	memset(want, 0, JOBS * 4096);
	for (unsigned i = 0; i < JOBS; i++)
		bench_read(s.job[i].c, s.job[i].out, want + i * 4096, s.job[i].bytes);
	for (unsigned i = 0; i < JOBS; i++)
		ck_assert(judge(&s, i, want));
	/* and these are what the kernels should compute */
	ck_assert_uint_eq(bench_rd64(s.job[FAMILY].c, s.job[FAMILY].out), 32 + 32 * 1000);
	ck_assert_uint_eq(bench_rd64(s.job[QUEUE].c, s.job[QUEUE].out + 6 * 16), 106);
	ck_assert_uint_eq(bench_rd64(s.job[SIGNALS].c, s.job[SIGNALS].out + 8), 78);
	ck_assert_uint_eq(bench_rd64(s.job[COPIES].c, s.job[COPIES].out + 2048), 0x0123456701234567ull);
	ck_assert_uint_eq(bench_rd64(s.job[COPIES].c, s.job[COPIES].out + 4088), 9);
	ck_assert_uint_eq(bench_ctr(s.b, PPU_CTR_EVICTIONS) > 0, 1);
	check_idle(s.b);
	bench_free(s.b);
}

/* After the failure: the same work again, in contexts made anew. */
static void all_again(struct scene *s, const uint8_t *want)
{
	for (struct bench_ctx *c = s->b->ctxs; c; c = c->next) {
		bench_ctx_cmd(c, PPU_CTX_CMD_FORGET);
		ck_assert_uint_eq(ctx_status(c), 0);
	}
	memset(s->job, 0, sizeof(s->job));
	s->faults = 0;
	memset(s->b->vram, 0, s->b->vram_next);
	s->b->vram_next = 4096;
	ppu_core_invalidate_maps(s->b->core);
	scene_start(s);
	scene_feed(s);
	settle(s->b);
	for (unsigned i = 0; i < JOBS; i++)
		ck_assert(judge(s, i, want));
	check_idle(s->b);
}

static void run_all(const char *props, bool traced, bool for_good, unsigned step)
{
	static uint8_t want[JOBS * 4096];
	unsigned n, runs = 0, causes = 0;
	bool failed = true;

	expected(want);
	for (n = 1; failed; n = next(n, step), runs++) {
		long live = mem.live;
		struct scene s = scene_new(props, traced);
		unsigned ended = 0;

		arm(n, for_good);
		scene_start(&s);
		scene_feed(&s);
		settle(s.b);
		failed = disarm();
		for (unsigned i = 0; i < JOBS; i++)
			ended += !judge(&s, i, want);
		ck_assert_uint_le(ended, !failed ? 0 : for_good ? JOBS : 1);
		check_idle(s.b);
		causes += ended;
		if (runs % 5 == 0)
			all_again(&s, want);
		bench_free(s.b);
		ck_assert_int_eq(mem.live, live);
	}
	ck_assert_uint_gt(causes, runs / 2);
	fprintf(stderr, "# %s%s%s: %u runs, up to allocation %u, %u ends\n", props, traced ? "traced, " : "",
		for_good ? "for good" : "one", runs, n, causes);
}

START_TEST(one_fails)
{
	run_all(MACHINE, true, false, 1);
}
END_TEST

/* Without a trace, effects are few, and it is not a trace record that is lost first. */
START_TEST(one_fails_untraced)
{
	run_all(MACHINE "token-queue-driver=1 ", false, false, 1);
}
END_TEST

START_TEST(all_fail)
{
	run_all(MACHINE "token-queue-driver=1 ", true, true, 2);
}
END_TEST

START_TEST(all_fail_untraced)
{
	run_all(MACHINE "store-delay-ns=700 cache-model=1 ", false, true, 3);
}
END_TEST

/* ---- the machine itself ------------------------------------------------------------------------------ */

START_TEST(creation)
{
	struct bench *b = bench_new(MACHINE "store-delay-ns=700 cache-model=1");
	struct ppu_core *core = NULL;
	unsigned n = 0, told = 0;

	while (!core) {
		long live = mem.live;
		char *err = NULL;

		arm(++n, false);
		core = ppu_core_create(&b->cfg, &b->ports, b->vram, &err);
		ck_assert_int_eq(!core, disarm());
		if (core)
			break;
		ck_assert_ptr_nonnull(strstr(err, "out of memory"));
		free(err);
		told++;
		ck_assert_int_eq(mem.live, live);
		/* and there is none for the sentence either */
		err = NULL;
		arm(n, true);
		ck_assert_ptr_null(ppu_core_create(&b->cfg, &b->ports, b->vram, &err));
		ck_assert(disarm());
		ck_assert_ptr_null(err);
		ck_assert_int_eq(mem.live, live);
	}
	ck_assert_uint_gt(told, 50);
	ppu_core_destroy(core);
	bench_free(b);
	ck_assert_int_eq(mem.live, 0);
}
END_TEST

START_TEST(property)
{
	struct ppu_config cfg;
	char *err = (char *)"", *text = err;

	ppu_config_init(&cfg);
	arm(1, true);
	ck_assert_int_eq(ppu_config_set(&cfg, "vram", "none", &err), -1);
	ck_assert(disarm());
	ck_assert_ptr_null(err);
	ck_assert_ptr_nonnull(text);
}
END_TEST

/* Saved bytes belong to the owner. */
static void free_bytes(uint8_t *bytes)
{
	free(bytes);
	mem.live--;
}

START_TEST(save_and_load)
{
	static uint8_t want[JOBS * 4096];
	uint8_t *bytes = NULL, *again;
	size_t len = 0, len2;
	char *err;
	long live;
	struct scene s;
	unsigned n, refused = 0;

	expected(want);
	s = scene_new(MACHINE, true);
	scene_start(&s);
	bench_run_for(s.b, 7000);
	ck_assert_int_eq(ppu_core_save(s.b->core, &bytes, &len), 0);
	for (n = 1, live = mem.live;; n++) {
		int rc;

		again = NULL;
		arm(n, false);
		rc = ppu_core_save(s.b->core, &again, &len2);
		ck_assert_int_eq(rc, disarm() ? -1 : 0);
		if (!rc)
			break;
		ck_assert_ptr_null(again);
		ck_assert_int_eq(mem.live, live);
	}
	ck_assert_uint_gt(n, 5);
	ck_assert_uint_eq(len, len2);
	ck_assert_int_eq(memcmp(bytes, again, len), 0);
	free_bytes(again);
	for (n = 1;; n++) {
		int rc;

		bench_new_core(s.b);
		live = mem.live;
		err = NULL;
		arm(n, n % 2);
		rc = ppu_core_load(s.b->core, bytes, len, &err);
		ck_assert_int_eq(rc, disarm() ? -1 : 0);
		if (!rc)
			break;
		ck_assert_msg(n % 2 ? !err : !strcmp(err, "out of memory"), "n = %u: %s", n, err);
		free(err);
		refused++;
	}
	ck_assert_uint_gt(refused, 30);
	/* the last one was loaded, and goes on */
	scene_feed(&s);
	settle(s.b);
	for (unsigned i = 0; i < JOBS; i++)
		ck_assert(judge(&s, i, want));
	free_bytes(bytes);
	bench_free(s.b);
	ck_assert_int_eq(mem.live, 0);
}
END_TEST

BENCH_MAIN("hostmem", creation, property, save_and_load, one_fails, one_fails_untraced, all_fail, all_fail_untraced)
