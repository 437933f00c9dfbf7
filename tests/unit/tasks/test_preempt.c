/* SPDX-License-Identifier: MIT */
/*
 * Preemption between instructions: whatever a task is doing when it loses its SM, it goes on as if nothing had
 * happened; parents that wait for children give way; images in memory are not trusted.
 */
#include <stdio.h>
#include <stddef.h>
#include <hw/ppu_save.h>
#include <core/channel.h>
#include "bench_main.h"
#include "ptmem.h"
#include "tasks.h"

/* One SM, one instruction per window: preemption can hit every instruction. */
#define STEP "gpcs=1 sms-per-gpc=1 sm-clock-khz=1000 window-ns=1000 cost-cta-ns=0 cost-evict-ns=0 cost-launch-ns=0 "

/* ---- everything an SM has --------------------------------------------------------------------- */

/*
 * Divergence, YIELD, barriers of all kinds, shared and local memory, calls, member masks, predicates,
 * atomics, parameters, sleeping.  Results must not depend on the order of warps.
 */
static const char everything[] =
	"s2r r2, %tid.x\n"
	"s2r r3, %ctaid.x\n"
	"ld.param.u64 rd10, [0]\n"
	"ld.param.u32 r16, [8]\n"
	"mad.u32 r4, r3, 80, r2\n"
	"madw.u32 rd12, r4, 8, rd10\n"
	"mov.u32 r8, 0\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
	"and.u32 r6, r4, 7\n"
	"loop: add.u32 r5, r5, 1\n"
	"atom.shared.add.u32 rz, [r8], r9\n"
	"yield\n"
	"setp.lt.u32 p1, r5, r6\n"
	"@p1 bra loop\n"
	"st.local.u32 [r8+16], r5\n"
	"setp.gt.u32 p2, r5, 3\n"
	"bar.popc r7, 0, p2\n"
	"st.local.u32 [r8+20], r7\n"
	"ssy L\n"
	"and.u32 r6, r2, 1\n"
	"setp.eq.u32 p1, r6, 0\n"
	"@p1 bra E\n"
	"cal r14, f\n"
	"sync L\n"
	"E: nanosleep 2500\n"
	"add.u32 r9, r9, 3\n"
	"sync L\n"
	"L: ld.shared.u32 r6, [r8]\n"
	"ld.local.u32 r5, [r8+16]\n"
	"bar.sync 1\n"
	"shfl.bfly.full r7, r5, 1, 31\n"
	"add.u32 r6, r6, r7\n"
	"ld.local.u32 r7, [r8+20]\n"
	"mad.u32 r6, r7, 1000, r6\n"
	"mad.u32 r6, r9, 100000, r6\n"
	"add.u32 r6, r6, r16\n"
	"and.u32 r7, r2, 3\n"
	"setp.eq.u32 p1, r7, 3\n"
	"@p1 exit\n"
	"yield\n"
	"bar.sync 2\n"
	"st.global.u32 [rd12], r6\n"
	"@p2 st.global.u32 [rd12+4], r5\n"
	"exit\n"
	"f: add.u32 r9, r9, 5\n"
	"yield\n"
	"add.u32 r9, r9, 5\n"
	"ret r14\n";

/* Runs a kernel with 3 CTAs of 80 threads; another task takes the only slot every `every` ns. */
static void run_cut(const char *props, const char *text, uint64_t every, uint64_t first, bool state,
		    uint8_t *out, unsigned bytes, uint64_t *evictions)
{
	struct bench *b = bench_new(props);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *hi = bench_chan_new(c, PPU_CLASS_COMPUTE, 4096);
	struct kern k = kern_load(c, text), quick = kern_load(c, "exit\n");
	uint64_t data = bench_alloc(c, 8192, BENCH_VRAM), va, hv;
	struct ppu_tmd *t, *h;

	va = tmd_new(c, &k, &t);
	t->grid[0] = 3;
	t->block[0] = 80;
	t->shared_bytes = 64;
	t->local_per_thread = 32;
	t->num_barriers = 3;
	tmd_param(t, 0, data);
	tmd_param(t, 1, 7000000);
	hv = tmd_new(c, &quick, &h);
	h->block[0] = 1;
	tmd_prio(h, 5);
	bench_launch(ch, va);
	bench_submit(ch);
	if (every) {
		bench_run_for(b, 3000 + first);
		for (unsigned i = 0; bench_chan_reg(ch, PPU_REG_CH_TASKS); i++) {
			ck_assert_uint_lt(i, 4000);
			bench_launch(hi, hv);
			bench_submit(hi);
			bench_run_for(b, every);
			if (state && i % 7 == 3) {	/* save and load the whole device in the middle of the run */
				uint8_t *saved = NULL;
				char *err = NULL;
				size_t len = 0;

				ck_assert_int_eq(ppu_core_save(b->core, &saved, &len), 0);
				bench_new_core(b);
				if (ppu_core_load(b->core, saved, len, &err))
					ck_abort_msg("load: %s", err);
				free(saved);
			}
		}
	}
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_read(c, data, out, bytes);
	*evictions = bench_ctr(b, PPU_CTR_EVICTIONS);
	bench_free(b);
}

static const char *const variants[] = {
	"", "token-queue-entries=12 ", "yield-every=3 branch-first=1 ", "yield-merge=0 ctas-per-sm=2 ",
};

/* SP-4, HW-24: preempted at every k-th instruction, results equal to the undisturbed run. */
START_TEST(cut_at_every_kth_instruction)
{
	static uint8_t want[8192], got[8192];
	static const unsigned every[] = { 1, 2, 3, 5, 11, 37 };
	uint64_t ev;
	char props[300];

	for (unsigned v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
	snprintf(props, sizeof(props), STEP "task-slots=1 vram=32M %s", variants[v]);
	run_cut(props, everything, 0, 0, false, want, 8192, &ev);
	ck_assert_uint_eq(ev, 0);
	for (unsigned i = 0; i < sizeof(every) / sizeof(every[0]); i++) {
		/* the high-priority kernel itself takes about 2 windows */
		run_cut(props, everything, (every[i] + 3) * 1000, i * 1000, i % 2, got, 8192, &ev);
		ck_assert_uint_gt(ev, 5);
		for (unsigned k = 0; k < 2048; k++)
			if (memcmp(want + 4 * k, got + 4 * k, 4))
				ck_abort_msg("%s every %u: word %u", variants[v], every[i], k);
	}
	}
}
END_TEST

/* ---- parents that wait --------------------------------------------------------------------------- */

/* Each CTA: counts itself at word ctaid of parameter 0, launches the TMD in parameter 1, waits, adds
 * how many children are done to the launch's error number. */
static const char parent_text[] =
	"ld.param.u64 rd2, [0]\n"
	"ld.param.u64 rd4, [8]\n"
	"s2r r6, %ctaid_linear\n"
	"madw.u32 rd8, r6, 4, rd2\n"
	"mov.u32 r10, 1\n"
	"atom.global.add.u32 rz, [rd8], r10\n"
	"tlaunch r11, rd4\n"
	"tsync r12\n"
	"ld.global.volatile.u32 r13, [rd2+4096]\n"	/* children that are done: at least one */
	"add.u32 r11, r11, r13\n"
	"st.global.u32 [rd8+8192], r11\n"
	"exit\n";
static const char child_text[] =
	"ld.param.u64 rd2, [0]\n"
	"nanosleep 5000\n"
	"mov.u32 r4, 1\n"
	"atom.global.add.u32 rz, [rd2+4096], r4\n"
	"exit\n";

struct family {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	struct ppu_tmd *p, *k;
	uint64_t pv, kv, out;
};

static struct family family_new(const char *props, unsigned ctas)
{
	struct family f = { .b = bench_new(props) };
	struct kern parent, child;

	f.c = bench_ctx_new(f.b);
	f.ch = bench_chan_new(f.c, PPU_CLASS_COMPUTE, 8);
	parent = kern_load(f.c, parent_text);
	child = kern_load(f.c, child_text);
	f.out = bench_alloc(f.c, 16384, BENCH_VRAM);
	f.pv = tmd_new(f.c, &parent, &f.p);
	f.kv = tmd_new(f.c, &child, &f.k);
	f.p->block[0] = f.k->block[0] = 1;
	f.p->grid[0] = ctas;
	tmd_param(f.p, 0, f.out);
	tmd_param(f.p, 1, f.kv);
	tmd_param(f.k, 0, f.out);
	return f;
}

static void check_family(struct family *f, unsigned ctas)
{
	uint32_t ran[1024], got[1024], sum;

	ck_assert_uint_eq(bench_chan_reg(f->ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_chan_reg(f->ch, PPU_REG_CH_TASKS), 0);
	bench_read(f->c, f->out, ran, ctas * 4);
	bench_read(f->c, f->out + 8192, got, ctas * 4);
	bench_read(f->c, f->out + 4096, &sum, 4);
	ck_assert_uint_eq(sum, ctas);
	for (unsigned i = 0; i < ctas; i++) {
		ck_assert_msg(ran[i] == 1, "CTA %u ran %u times", i, ran[i]);
		ck_assert_msg(got[i] >= 1 && got[i] <= ctas, "CTA %u did not wait", i);
	}
	ck_assert_uint_eq(bench_ctr(f->b, PPU_CTR_TASKS), ctas + 1);
}

/* SP-14: parents fill every SM and every slot, each CTA launches a child and waits. */
START_TEST(parents_give_way)
{
	static const char *const props[] = {
		"task-slots=1 ctas-per-sm=2 vram=32M", "task-slots=2 ctas-per-sm=1 vram=32M",
		"task-slots=32 ctas-per-sm=2 vram=32M",
		/* the child's priority is not higher: the waiting parent leaves the SM nevertheless */
		"task-slots=1 ctas-per-sm=1 device-priorities=1 vram=32M",
		"task-slots=2 ctas-per-sm=2 device-priorities=0 vram=32M",
		"task-slots=1 ctas-per-sm=2 task-policy=1 vram=32M",
	};

	for (unsigned i = 0; i < sizeof(props) / sizeof(props[0]); i++)
		for (unsigned ctas = 1; ctas <= 60; ctas = ctas * 4 + 1) {
			struct family f = family_new(props[i], ctas);

			bench_launch(f.ch, f.pv);
			bench_submit(f.ch);
			ck_assert(bench_run(f.b));
			check_family(&f, ctas);
			bench_free(f.b);
		}
}
END_TEST

/*
 * The negative test of SP-14: if the child has the parent's priority and there is no preemption, the task hangs; a
 * watchdog, if set, ends it.
 */
START_TEST(hangs_without_child_priority)
{
	for (unsigned watchdog = 0; watchdog < 2; watchdog++) {
		struct family f = family_new("task-slots=1 ctas-per-sm=1 device-priorities=1 preempt-level=0 vram=32M", 4);

		if (watchdog) {
			f.c->blk->watchdog_ns = 3000000;
			bench_ctx_cmd(f.c, PPU_CTX_CMD_LOAD);
		}
		bench_launch(f.ch, f.pv);
		bench_submit(f.ch);
		bench_run_for(f.b, 50000000);
		ck_assert_uint_eq(bench_chan_reg(f.ch, PPU_REG_CH_TASKS), watchdog ? 0 : 3);
		ck_assert_uint_eq(bench_chan_reg(f.ch, PPU_REG_CH_ERROR), watchdog ? PPU_ERR_WATCHDOG : 0);
		bench_free(f.b);
	}
}
END_TEST

/* Task events in order: "event task-letter", for golden traces. */
static const char *task_story(struct bench *b, const uint64_t *tmds, unsigned n)
{
	static char text[2000];
	char *p = text;

	*p = 0;
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];
		const char *what = NULL;
		unsigned k;

		switch (r->event) {
		case PPU_TR_TASK_SCHED: what = "start"; break;
		case PPU_TR_TASK_EVICT: what = "evict"; break;
		case PPU_TR_TASK_SUSPEND: what = "suspend"; break;
		case PPU_TR_TASK_RESUME: what = "resume"; break;
		case PPU_TR_TASK_CODE_DONE: what = "code-done"; break;
		case PPU_TR_TASK_DONE: what = "done"; break;
		}
		for (k = 0; what && k < n; k++)
			if (r->b == tmds[k])
				p += sprintf(p, "%s%s %c", p == text ? "" : ", ", what, 'A' + (int)k);
		ck_assert_int_lt(p - text, 1900);
	}
	return text;
}

/* HW-28, HW-33: active, pending while the child uses its slot, active, done. */
START_TEST(pending_and_active_pools)
{
	struct family f = family_new("task-slots=1 device-priorities=1", 1);
	const uint64_t tmds[] = { f.pv, f.kv };

	bench_launch(f.ch, f.pv);
	bench_submit(f.ch);
	ck_assert(bench_run(f.b));
	ck_assert_str_eq(task_story(f.b, tmds, 2),
			 "start A, suspend A, start B, done B, resume A, done A");
	ck_assert_uint_eq(bench_find(f.b, PPU_TR_TASK_SCHED, -1, 1)->unit,
			  bench_find(f.b, PPU_TR_TASK_SUSPEND, -1, 0)->unit);
	ck_assert_uint_eq(bench_find(f.b, PPU_TR_CTA_SAVE, -1, 0)->d, PPU_TRC_CHILDREN);
	ck_assert_uint_eq(bench_count(f.b, PPU_TR_CTA_RESTORE, -1), 1);
	check_family(&f, 1);
	bench_free(f.b);
}
END_TEST

/* TSYNC waits for the children of its own CTA, not for those of others. */
START_TEST(tsync_is_per_cta)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	/*
	 * CTA 0 launches the short child, CTA 1 the endless one; CTA 0 lets the endless child end after its own child
	 * has.
	 */
	struct kern parent = kern_load(c, "ld.param.u64 rd2, [0]\ns2r r6, %ctaid.x\nsetp.eq.u32 p1, r6, 0\n"
		"ld.param.u64 rd4, [8]\n@p1 ld.param.u64 rd4, [16]\ntlaunch r8, rd4\ntsync r9\n"
		"mov.u32 r10, 1\n@p1 st.global.u32 [rd2], r10\nexit\n");
	struct kern waits = kern_load(c, "ld.param.u64 rd2, [0]\nL: ld.global.volatile.u32 r4, [rd2]\n"
		"setp.eq.u32 p1, r4, 0\n@p1 bra L\nexit\n");
	struct kern quick = kern_load(c, "nanosleep 20000\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), pv, wv, qv;
	struct ppu_tmd *p, *w, *q;

	pv = tmd_new(c, &parent, &p);
	wv = tmd_new(c, &waits, &w);
	qv = tmd_new(c, &quick, &q);
	p->grid[0] = 2;
	p->block[0] = w->block[0] = q->block[0] = 1;
	tmd_param(p, 0, out);
	tmd_param(p, 1, wv);
	tmd_param(p, 2, qv);
	tmd_param(w, 0, out);
	bench_launch(ch, pv);
	bench_submit(ch);
	bench_run_for(b, 3000000);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, qv, wv, pv);
	bench_free(b);
}
END_TEST

/* Time without a slot does not count: the watchdog's event comes while the task is evicted, and leaves it alone. */
START_TEST(watchdog_leaves_out_the_evicted)
{
	struct bench *b = bench_new("task-slots=2 gpcs=1 sms-per-gpc=1 ctas-per-sm=2");
	struct bench_ctx *c = bench_ctx_make(b), *d = bench_ctx_make(b);
	struct bench_chan *low, *high;
	struct ppu_tmd *t;
	uint64_t va, other, brief;
	struct kern k;

	c->blk->watchdog_ns = 60000;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	d->blk->watchdog_ns = 50000;	/* the event for its brief task comes although that one is done */
	bench_ctx_cmd(d, PPU_CTX_CMD_LOAD);
	low = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	high = bench_chan_new(d, PPU_CLASS_COMPUTE, 8);
	k = kern_load(d, "nanosleep 40000\nexit\n");
	other = tmd_new(d, &k, &t);
	tmd_prio(t, 6);
	k = kern_load(d, "nanosleep 20000\nexit\n");
	brief = tmd_new(d, &k, &t);
	tmd_prio(t, 6);
	k = kern_load(c, "nanosleep 20000\nnanosleep 25000\nexit\n");
	va = tmd_new(c, &k, &t);
	tmd_prio(t, 1);
	bench_launch(low, va);
	bench_submit(low);
	bench_run_to(b, 30000);
	bench_launch(high, brief);
	for (unsigned i = 0; i < 3; i++)
		bench_launch(high, other);
	bench_submit(high);
	ck_assert(bench_run(b));
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, brief, other, other, va, other);
	ck_assert_uint_ge(bench_count(b, PPU_TR_TASK_EVICT, -1), 1);
	ck_assert_uint_eq(bench_chan_reg(low, PPU_REG_CH_ERROR) | bench_chan_reg(high, PPU_REG_CH_ERROR), 0);
	bench_free(b);
}
END_TEST

/* ---- who is preempted ------------------------------------------------------------------------------- */

/*
 * SIMT-53, SIMT-54, A-SIMT-23: a warp whose push waits for the driver is saved for a more urgent task, and goes on
 * afterwards as if the driver had moved the tokens.  Once the driver has begun (it has read SM_EXC_CAUSE), the warp
 * stays until the answer.  An aborted task takes its exception along, and a late answer answers nothing.
 */
static const char two_groups[] =	/* lanes 0..3 and 4..7 yield in turn, 40 times each */
	"s2r r2, %tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd4, r2, 4, rd10\nsetp.ge.u32 p1, r2, 4\n"
	"mov.u32 r3, 0\n@p1 bra P2\n"
	"P1: yield\nadd.u32 r3, r3, 1\nsetp.lt.u32 p2, r3, 40\n@p2 bra P1\nbra End\n"
	"P2: yield\nadd.u32 r3, r3, 1\nsetp.lt.u32 p2, r3, 40\n@p2 bra P2\n"
	"End: st.global.u32 [rd4], r3\nexit\n";

#define TWO_GROUPS "token-queue-entries=8 yield-every=2 task-slots=1 gpcs=1 sms-per-gpc=1"

static uint64_t two_groups_task(struct bench_ctx *c, uint64_t *out)
{
	struct kern k = kern_load(c, two_groups);
	struct ppu_tmd *t;
	uint64_t va = tmd_new(c, &k, &t);

	*out = bench_alloc(c, 4096, BENCH_VRAM);
	t->block[0] = 8;
	tmd_prio(t, 1);
	tmd_param(t, 0, *out);
	return va;
}

/* Every token that a YIELD pushed, and where, is as when the device moves the tokens and nobody preempts. */
static void same_as_undisturbed(struct bench *b)
{
	struct bench *u = bench_new(TWO_GROUPS);
	struct bench_ctx *c = bench_ctx_new(u);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	unsigned n;
	uint64_t out;

	bench_launch(ch, two_groups_task(c, &out));
	bench_submit(ch);
	ck_assert(bench_run(u));
	n = bench_count(u, PPU_TR_DIV_YIELD_PUSH, -1);
	ck_assert_uint_gt(n, 30);
	ck_assert_uint_gt(bench_count(u, PPU_TR_DIV_RECENTRE, -1), 5);
	ck_assert_uint_eq(bench_count(b, PPU_TR_DIV_YIELD_PUSH, -1), n);
	ck_assert_uint_eq(bench_count(b, PPU_TR_DIV_RECENTRE, -1), bench_count(u, PPU_TR_DIV_RECENTRE, -1));
	for (unsigned i = 0; i < n; i++) {
		const struct ppu_trace_rec *x = bench_find(b, PPU_TR_DIV_YIELD_PUSH, -1, i);
		const struct ppu_trace_rec *y = bench_find(u, PPU_TR_DIV_YIELD_PUSH, -1, i);

		ck_assert_uint_eq(x->a & 0xffffff, y->a & 0xffffff);
		ck_assert_uint_eq(x->b, y->b);
		ck_assert_uint_eq(x->c, y->c);
		ck_assert_uint_eq(x->d, y->d);
	}
	for (unsigned i = 0; i < bench_count(u, PPU_TR_DIV_RECENTRE, -1); i++) {
		const struct ppu_trace_rec *x = bench_find(b, PPU_TR_DIV_RECENTRE, -1, i);
		const struct ppu_trace_rec *y = bench_find(u, PPU_TR_DIV_RECENTRE, -1, i);

		ck_assert_uint_eq(x->a & 0xffffff, y->a & 0xffffff);
		ck_assert_uint_eq(x->unit, y->unit);
		ck_assert_uint_eq(x->b, y->b);
		ck_assert_uint_eq(x->c, y->c);
		ck_assert_uint_eq(x->d, y->d);
	}
	bench_free(u);
}

/* As the driver does: moves the tokens to the middle of the queue. */
static void answer(struct bench *b, bool retry)
{
	struct ppu_token_queue q = {
		.base = bench_reg(b, PPU_REG_SM_EXC_TOKQ_LO) | (uint64_t)bench_reg(b, PPU_REG_SM_EXC_TOKQ_HI) << 32,
		.size = b->cfg.tokq_entries, .head = bench_reg(b, PPU_REG_SM_EXC_HEAD),
		.tail = bench_reg(b, PPU_REG_SM_EXC_TAIL),
	};

	ck_assert(ppu_token_queue_centre(&ptmem_bus, b->vram, b->cfg.vram, &q));
	bench_set(b, PPU_REG_SM_EXC_HEAD, q.head);
	bench_set(b, PPU_REG_SM_EXC_TAIL, q.tail);
	bench_set(b, PPU_REG_SM_EXC_DONE, retry ? 1 : 2);
}

/* reload: the device's state is saved and loaded between any two steps of the driver. */
static void waits_for_the_driver(bool begun, bool reload)
{
	struct bench *b = bench_new("token-queue-driver=1 " TWO_GROUPS);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *low = bench_chan_new(c, PPU_CLASS_COMPUTE, 8), *high = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern u = kern_load(c, "nanosleep 50000\nexit\n");
	uint64_t out, kv, uv;
	unsigned asked = 0;
	struct ppu_tmd *t;

	kv = two_groups_task(c, &out);
	uv = tmd_new(c, &u, &t);
	tmd_prio(t, 5);
	bench_launch(low, kv);
	bench_submit(low);
	bench_run_for(b, 100000);
	if (reload)
		bench_reload(b);
	if (begun)			/* the driver begins */
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_CAUSE), PPU_SMEXC_RECENTRE);
	if (reload)
		bench_reload(b);
	bench_launch(high, uv);
	bench_submit(high);
	bench_run_for(b, 30000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_SAVE, -1), !begun);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), 0);
	if (!begun)		/* the driver is not asked any more */
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_CAUSE), 0);
	bench_run_for(b, 200000);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), !begun);
	if (begun) {
		answer(b, true);
		bench_run_for(b, 200000);
		ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_DONE, -1), 1);
	}
	while (bench_count(b, PPU_TR_TASK_DONE, -1) < 2 && asked++ < 100) {
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_CAUSE), PPU_SMEXC_RECENTRE);
		if (reload)
			bench_reload(b);
		answer(b, true);
		bench_run_for(b, 200000);
	}
	ck_assert_uint_gt(asked, 3);
	same_as_undisturbed(b);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(bench_rd64(c, out + 4 * (i & ~1u)), 40 | 40ull << 32);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_CAUSE), 0);
	bench_free(b);
}

START_TEST(saved_before_the_driver_began)
{
	waits_for_the_driver(false, false);
	waits_for_the_driver(false, true);
}
END_TEST

START_TEST(stays_while_the_driver_serves)
{
	waits_for_the_driver(true, false);
	waits_for_the_driver(true, true);
}
END_TEST

/* Two contexts' warps wait; the first one's context is stopped while the driver serves it, or before. */
static void late_answer(bool begun)
{
	struct bench *b = bench_new("token-queue-driver=1 token-queue-entries=8");
	uint64_t out[2], tokq = 0;
	struct bench_chan *ch[2];
	struct bench_ctx *c[2];

	for (unsigned i = 0; i < 2; i++) {
		c[i] = bench_ctx_new(b);
		ch[i] = bench_chan_new(c[i], PPU_CLASS_COMPUTE, 8);
		bench_launch(ch[i], two_groups_task(c[i], &out[i]));
		bench_submit(ch[i]);
		bench_run_for(b, 100000);
	}
	tokq = bench_reg(b, PPU_REG_SM_EXC_TOKQ_LO);
	if (begun)
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_CAUSE), PPU_SMEXC_RECENTRE);
	bench_ctx_cmd(c[0], PPU_CTX_CMD_STOP);
	if (begun) {
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SM_EXC_TOKQ_LO), tokq);
		bench_set(b, PPU_REG_SM_EXC_DONE, 2);		/* kills nobody */
	}
	ck_assert_uint_ne(bench_reg(b, PPU_REG_SM_EXC_TOKQ_LO), tokq);
	for (unsigned n = 0; bench_reg(b, PPU_REG_SM_EXC_CAUSE) && n < 100; n++) {
		answer(b, true);
		bench_run_for(b, 200000);
	}
	ck_assert_uint_eq(bench_chan_reg(ch[1], PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_rd64(c[1], out[1]), 40 | 40ull << 32);
	bench_free(b);
}

START_TEST(stopped_before_the_driver_began)
{
	late_answer(false);
}
END_TEST

START_TEST(stopped_while_the_driver_serves)
{
	late_answer(true);
}
END_TEST

/*
 * SP-4: Klow counts to 10^6 in memory, Khigh sets a flag; then Klow goes on, and none of its instructions runs twice.
 */
START_TEST(klow_khigh)
{
	struct bench *b = bench_new("task-slots=1 gpcs=1 sms-per-gpc=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern low = kern_load(c, "ld.param.u64 rd2, [0]\nmov.u32 r4, 0\n"
		"L: ld.global.volatile.u32 r5, [rd2]\nadd.u32 r5, r5, 1\nst.global.u32 [rd2], r5\n"
		"add.u32 r4, r4, 1\nsetp.lt.u32 p1, r4, 1000000\n@p1 bra L\nst.global.u32 [rd2+8], r4\nexit\n");
	struct kern high = kern_load(c, "ld.param.u64 rd2, [0]\nld.global.volatile.u32 r5, [rd2]\n"
		"st.global.u32 [rd2+4], r5\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM), lv, hv;
	uint32_t v[3];
	struct ppu_tmd *l, *h;

	lv = tmd_new(c, &low, &l);
	hv = tmd_new(c, &high, &h);
	l->block[0] = h->block[0] = 1;
	tmd_prio(h, 3);
	tmd_param(l, 0, out);
	tmd_param(h, 0, out);
	bench_launch(ch, lv);
	bench_submit(ch);
	bench_run_for(b, 40000);
	bench_launch(ch, hv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_str_eq(task_story(b, (uint64_t[]){ lv, hv }, 2),
			 "start A, evict A, start B, done B, resume A, done A");
	bench_read(c, out, v, sizeof(v));
	ck_assert_uint_eq(v[0], 1000000);
	ck_assert_uint_eq(v[2], 1000000);
	ck_assert_uint_gt(v[1], 0);		/* in the middle of it */
	ck_assert_uint_lt(v[1], 1000000);
	bench_free(b);
}
END_TEST

/* SP-38: Klow at 0 running, parent at 4 launches its child at 5, all slots taken: Klow goes first. */
START_TEST(child_preempts_unrelated)
{
	struct bench *b = bench_new("task-slots=2");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern low = kern_load(c, "mov.u32 r2, 0\nL: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 200000\n@p1 bra L\nexit\n");
	struct kern parent = kern_load(c, "ld.param.u64 rd4, [0]\nnanosleep 30000\ntlaunch r6, rd4\nnanosleep 100000\nexit\n");
	struct kern child = kern_load(c, "nanosleep 20000\nexit\n");
	struct ppu_tmd *l, *p, *k;
	uint64_t tmds[3] = { tmd_new(c, &low, &l), tmd_new(c, &parent, &p), tmd_new(c, &child, &k) };

	p->block[0] = 1;
	tmd_prio(p, 4);
	tmd_param(p, 0, tmds[2]);
	bench_launch(ch, tmds[0]);
	bench_launch(ch, tmds[1]);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_str_eq(task_story(b, tmds, 3),
			 "start A, start B, evict A, start C, done C, resume A, done B, done A");
	ck_assert_uint_eq(bench_find(b, PPU_TR_TASK_SCHED, -1, 2)->a, 5);
	bench_free(b);
}
END_TEST

/* Slots are free but the SMs are full: only as many CTAs leave as the new task needs. */
START_TEST(room_on_an_sm)
{
	struct bench *b = bench_new("task-slots=8 gpcs=1 sms-per-gpc=2 ctas-per-sm=4");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern low = kern_load(c, "ld.param.u64 rd2, [0]\ns2r r6, %ctaid.x\nmadw.u32 rd8, r6, 4, rd2\n"
		"mov.u32 r2, 0\nL: add.u32 r2, r2, 1\nsetp.lt.u32 p1, r2, 100000\n@p1 bra L\n"
		"mov.u32 r5, 1\natom.global.add.u32 rz, [rd8], r5\nexit\n");
	struct kern high = kern_load(c, "nanosleep 20000\nexit\n");
	uint64_t out = bench_alloc(c, 4096, BENCH_VRAM);
	struct ppu_tmd *l, *h;
	uint64_t lv = tmd_new(c, &low, &l), hv = tmd_new(c, &high, &h);
	uint32_t v[16];

	l->grid[0] = 16;
	l->block[0] = 1;
	tmd_param(l, 0, out);
	h->grid[0] = 3;
	tmd_prio(h, 1);
	bench_launch(ch, lv);
	bench_submit(ch);
	bench_run_for(b, 100000);
	bench_launch(ch, hv);
	bench_submit(ch);
	bench_run_for(b, 100000);
	ASSERT_TMDS(b, PPU_TR_TASK_DONE, hv);		/* while the other would run much longer */
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_SAVE, -1), 3);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_RESTORE, -1), 3);
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_EVICT, -1), 0);
	ck_assert(bench_run(b));
	bench_read(c, out, v, sizeof(v));
	for (unsigned i = 0; i < 16; i++)
		ck_assert_uint_eq(v[i], 1);
	bench_free(b);
}
END_TEST

/* ---- fairness ------------------------------------------------------------------------------------- */

struct two {
	struct bench *b;
	struct bench_ctx *c[2];
	struct bench_chan *ch[2];
	uint64_t va[2], out;
};

/* Context 0: an endless kernel of the highest priority on the whole machine; context 1: a finite one of
 * the lowest. */
static struct two two_new(const char *props)
{
	struct two x = { .b = bench_new(props) };

	for (unsigned i = 0; i < 2; i++) {
		struct ppu_tmd *t;
		struct kern k;

		x.c[i] = bench_ctx_new(x.b);
		x.ch[i] = bench_chan_new(x.c[i], PPU_CLASS_COMPUTE, 8);
		x.out = bench_alloc(x.c[i], 4096, BENCH_VRAM);
		k = kern_load(x.c[i], i ? "ld.param.u64 rd2, [0]\nmov.u32 r4, 0\n"
			"L: add.u32 r4, r4, 1\nsetp.lt.u32 p1, r4, 30000\n@p1 bra L\nmov.u32 r5, 1\n"
			"atom.global.add.u32 rz, [rd2], r5\nexit\n" :
			"ld.param.u64 rd2, [0]\nmov.u32 r5, 1\nL: atom.global.add.u32 rz, [rd2], r5\nbra L\n");
		x.va[i] = tmd_new(x.c[i], &k, &t);
		t->block[0] = 32;
		t->grid[0] = i ? 4 : 100;
		tmd_prio(t, i ? 0 : 11);
		tmd_param(t, 0, x.out);
	}
	return x;
}

START_TEST(fairness_between_contexts)
{
	static const char *const props[] = {
		"task-slots=1 task-slice-ns=200000", "task-slots=32 task-slice-ns=200000",
		"task-slots=2 task-slice-ns=50000 ctas-per-sm=1", "task-slots=1 task-slice-ns=1",
		"task-slots=1 task-slice-ns=100000 task-policy=1",
	};

	for (unsigned i = 0; i < sizeof(props) / sizeof(props[0]); i++) {
		struct two x = two_new(props[i]);
		const struct ppu_trace_rec *r;
		uint64_t before, after;
		size_t slices;

		bench_launch(x.ch[0], x.va[0]);
		bench_submit(x.ch[0]);
		bench_run_for(x.b, 1000000);
		before = x.b->num_trace;
		bench_launch(x.ch[1], x.va[1]);
		bench_submit(x.ch[1]);
		for (unsigned k = 0; k < 60 && (!k || bench_chan_reg(x.ch[1], PPU_REG_CH_TASKS)); k++)
			bench_run_for(x.b, 500000);
		if (bench_rd64(x.c[1], x.out) != 128) bench_dump(x.b);
		ck_assert_msg(bench_rd64(x.c[1], x.out) == 4 * 32, "%s: %llu", props[i],
			      (unsigned long long)bench_rd64(x.c[1], x.out));
		ASSERT_TMDS(x.b, PPU_TR_TASK_DONE, x.va[1]);
		/* and not before the other context has used up its slice */
		r = bench_find(x.b, PPU_TR_SLICE_TASKS, -1, 0);
		ck_assert_ptr_nonnull(r);
		ck_assert_uint_ge(r->b, x.b->cfg.task_slice_ns);
		for (uint64_t k = before; k < x.b->num_trace && &x.b->trace[k] != r; k++)
			ck_assert(x.b->trace[k].event != PPU_TR_CTA_SAVE);
		/* the endless kernel goes on alone, without slices, because no task waits */
		before = bench_ctr(x.b, PPU_CTR_THREAD_INSNS);
		slices = bench_count(x.b, PPU_TR_SLICE_TASKS, -1);
		bench_run_for(x.b, 1000000);
		ck_assert_uint_eq(bench_count(x.b, PPU_TR_SLICE_TASKS, -1), slices);
		after = bench_ctr(x.b, PPU_CTR_THREAD_INSNS);
		ck_assert_uint_gt(after, before);
		ck_assert_uint_eq(bench_chan_reg(x.ch[0], PPU_REG_CH_TASKS), 1);
		bench_free(x.b);
	}
}
END_TEST

/* Property 0: the literal global order of priorities; the other context waits for good. */
START_TEST(literal_global_order)
{
	struct two x = two_new("task-slots=1 task-slice-ns=0");

	bench_launch(x.ch[0], x.va[0]);
	bench_submit(x.ch[0]);
	bench_run_for(x.b, 1000000);
	bench_launch(x.ch[1], x.va[1]);
	bench_submit(x.ch[1]);
	bench_run_for(x.b, 10000000);
	ck_assert_uint_eq(bench_count(x.b, PPU_TR_TASK_DONE, -1), 0);
	ck_assert_uint_eq(bench_count(x.b, PPU_TR_CTA_SAVE, -1), 0);
	bench_free(x.b);
}
END_TEST

/* Until its slice is used up, the context with the higher priority goes first; then both contexts share. */
START_TEST(shares_are_equal)
{
	struct two x = two_new("task-slots=1 task-slice-ns=100000");
	struct ppu_tmd *t = bench_ptr(x.c[1], x.va[1]);
	uint64_t held[2] = { 0, 0 }, since = 0;
	int who = -1;

	/* two endless ones */
	t->code_va = ((struct ppu_tmd *)bench_ptr(x.c[0], x.va[0]))->code_va;
	{
		struct kern k = kern_load(x.c[1], "L: bra L\n");

		t->code_va = k.va;
		t->code_insns = k.insns;
	}
	for (int i = 0; i < 2; i++) {
		bench_launch(x.ch[i], x.va[i]);
		bench_submit(x.ch[i]);
	}
	bench_run_for(x.b, 10000000);
	for (size_t i = 0; i < x.b->num_trace; i++) {
		const struct ppu_trace_rec *r = &x.b->trace[i];

		if (r->event != PPU_TR_TASK_SCHED && r->event != PPU_TR_TASK_RESUME)
			continue;
		if (who >= 0)
			held[who] += r->time - since;
		since = r->time;
		who = r->b == x.va[1] && r->a == 0;
	}
	ck_assert_uint_gt(held[0], 3000000);
	ck_assert_uint_gt(held[1], 3000000);
	ck_assert_uint_gt(held[0] * 10, held[1] * 7);
	ck_assert_uint_gt(held[1] * 10, held[0] * 7);
	bench_free(x.b);
}
END_TEST

/* ---- room in the save area ------------------------------------------------------------------------- */

/* More tasks than the save area has images for: slots are free, and tasks without room wait in their list. */
START_TEST(waiting_for_room)
{
	enum { TASKS = 24 };
	struct bench *b = bench_new("task-slots=32");
	struct bench_ctx *c = bench_ctx_make(b);
	struct bench_chan *ch;
	uint64_t flag, va[TASKS];
	struct kern k;
	size_t began;

	c->blk->save_size = 64 * 1024;	/* level 1 has five eighths of it: some images of one warp */
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 64);
	k = kern_load(c, "ld.param.u64 rd2, [0]\nL: ld.global.volatile.u32 r4, [rd2]\nsetp.eq.u32 p1, r4, 0\n"
		"@p1 bra L\nexit\n");
	flag = bench_alloc(c, 4096, BENCH_VRAM);
	for (unsigned i = 0; i < TASKS; i++) {
		struct ppu_tmd *t;

		va[i] = tmd_new(c, &k, &t);
		tmd_param(t, 0, flag);
		bench_launch(ch, va[i]);
	}
	bench_submit(ch);
	bench_run_for(b, 500000);
	began = bench_count(b, PPU_TR_TASK_SCHED, -1);
	ck_assert_uint_gt(began, 2);
	ck_assert_uint_lt(began, TASKS);
	ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_START, -1), began);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), TASKS);
	*(volatile uint32_t *)bench_ptr(c, flag) = 1;
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_count(b, PPU_TR_TASK_SCHED, -1), TASKS);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), TASKS);
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	bench_free(b);
}
END_TEST

/* ---- hostile memory ---------------------------------------------------------------------------------- */

/*
 * Images are damaged while a task is evicted: its context ends with SAVE_CORRUPT, unless the damage was in data of its
 * own threads. Nothing else may happen, and the other context's task completes.
 */
START_TEST(damaged_images)
{
	unsigned corrupt = 0, seed = 1;

	for (unsigned n = 0; n < 100; n++) {
		struct bench *b = bench_new("task-slots=1 ctas-per-sm=2 vram=32M gpcs=1 sms-per-gpc=1");
		struct bench_ctx *c = bench_ctx_make(b), *other = bench_ctx_new(b);
		struct bench_chan *ch, *oc = bench_chan_new(other, PPU_CLASS_COMPUTE, 8);
		struct kern k, nap = kern_load(other, "nanosleep 60000\nexit\n");
		const struct ppu_trace_rec *saved;
		struct ppu_tmd *t, *o;
		uint64_t va, ov, data;
		uint8_t *image;

		c->blk->watchdog_ns = 300000;
		bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
		ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		k = kern_load(c, everything);
		data = bench_alloc(c, 8192, BENCH_VRAM);
		va = tmd_new(c, &k, &t);
		t->grid[0] = 2;
		t->block[0] = 80;
		t->shared_bytes = 64;
		t->local_per_thread = 32;
		t->num_barriers = 3;
		tmd_param(t, 0, data);
		tmd_param(t, 1, 7);
		ov = tmd_new(other, &nap, &o);
		tmd_prio(o, 4);
		bench_launch(ch, va);
		bench_submit(ch);
		bench_run_for(b, 1100 + (unsigned)rand_r(&seed) % 2500);
		bench_launch(oc, ov);
		bench_submit(oc);
		bench_run_for(b, 15000);
		saved = bench_find(b, PPU_TR_CTA_SAVE, -1, 0);
		ck_assert_ptr_nonnull(saved);
		image = b->vram + c->blk->save_base;
		image += (64 - c->blk->save_base % 64) % 64;
		ck_assert(*(uint32_t *)image == PPU_SAVE_MAGIC);
		for (unsigned i = 1 + n % 4; i; i--) {
			/* header, barriers, the fixed part of the first warp; sometimes anything */
			unsigned span = n % 8 == 7 ? 20000 : n % 2 ? 384 + 128 + 576 + 64 + 512 : 384;

			image[(unsigned)rand_r(&seed) % span] = (uint8_t)(n % 3 ? rand_r(&seed) : "\0\1\377\200"[rand_r(&seed) % 4]);
		}
		bench_run_for(b, 3000000);
		ck_assert_uint_eq(bench_chan_reg(oc, PPU_REG_CH_ERROR), 0);
		ck_assert_uint_eq(bench_chan_reg(oc, PPU_REG_CH_TASKS), 0);
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_TASKS), 0);
		corrupt += bench_chan_reg(ch, PPU_REG_CH_ERROR) == PPU_ERR_SAVE_CORRUPT;
		bench_free(b);
	}
	ck_assert_uint_gt(corrupt, 30);
}
END_TEST

/* Every field of the header and the fixed part of a warp that must have one value, or one of a few. */
START_TEST(every_checked_field)
{
	static const struct { uint32_t off; uint32_t value; } bad[] = {
#define H(f, v) { offsetof(struct ppu_save_cta, f), v }
		H(magic, 0), H(version, 0x30002), H(task, 77), H(index, 1), H(bytes, 64), H(regs, 255), H(shared_bytes, 1 << 30),
		H(local_per_thread, 1 << 30), H(tokq_entries, 4096), H(entry_bytes, 256), H(reserved, 1),
		H(reserved2, 1),
#undef H
#define W(f, v) { sizeof(struct ppu_save_cta) + 128 + 3 * 192 + 64 + offsetof(struct ppu_save_warp, f), v }
		W(state, 5), W(state, ~0u), W(flags, 8), W(pc, 1000), W(live, 0), W(parked, ~0u),
		W(head, 257), W(head, ~0u), W(tail, 300), W(tail, 0x80000000), { sizeof(struct ppu_save_cta) + 128 + 3 * 192 + 64 + offsetof(struct ppu_save_warp, ready_at) + 4, 0x7fffffff },
		W(pred[15], 0), W(wait[3], ~0u),
#undef W
	};

	for (unsigned n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
		struct bench *b = bench_new("task-slots=1 vram=32M gpcs=1 sms-per-gpc=1");
		struct bench_ctx *c = bench_ctx_new(b);
		struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
		struct kern k = kern_load(c, everything), nap = kern_load(c, "nanosleep 50000\nexit\n");
		uint64_t data = bench_alloc(c, 8192, BENCH_VRAM), addr;
		struct ppu_tmd *t, *o;
		uint64_t va = tmd_new(c, &k, &t), ov = tmd_new(c, &nap, &o);

		t->block[0] = 80;
		t->shared_bytes = 64;
		t->local_per_thread = 32;
		tmd_param(t, 0, data);
		tmd_param(t, 1, 7);
		tmd_prio(o, 4);
		bench_launch(ch, va);
		bench_submit(ch);
		bench_run_for(b, 1200 + 1500);
		bench_launch(ch, ov);
		bench_submit(ch);
		bench_run_for(b, 15000);
		ck_assert_uint_eq(bench_count(b, PPU_TR_CTA_SAVE, -1), 1);
		addr = (c->blk->save_base + 63) & ~63ull;
		ck_assert(((struct ppu_save_cta *)(b->vram + addr))->magic == PPU_SAVE_MAGIC);
		memcpy(b->vram + addr + bad[n].off, &bad[n].value, 4);
		ck_assert(bench_run(b));
		ck_assert_msg(bench_chan_reg(ch, PPU_REG_CH_ERROR) == PPU_ERR_SAVE_CORRUPT,
			      "offset %u value %x: error %u", bad[n].off, bad[n].value,
			      bench_chan_reg(ch, PPU_REG_CH_ERROR));
		bench_free(b);
	}
}
END_TEST

/* A warp slot in which a kernel launched another into a high register, and then a kernel of few registers that is
 * preempted: nothing of the first is left in the second one's image. */
START_TEST(after_a_launch)
{
	struct bench *b = bench_new("task-slots=1 vram=32M gpcs=1 sms-per-gpc=1");
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern parent = kern_load(c, "ld.param.u64 rd4, [0]\ntlaunch r70, rd4\ntsync r7\nexit\n");
	struct kern few = kern_load(c, "nanosleep 30000\nexit\n"), nap = kern_load(c, "nanosleep 50000\nexit\n");
	struct ppu_tmd *t, *o;
	uint64_t pv = tmd_new(c, &parent, &t), fv = tmd_new(c, &few, &o), nv;

	t->block[0] = 1;
	tmd_param(t, 0, fv);
	nv = tmd_new(c, &nap, &o);
	tmd_prio(o, 4);
	bench_launch(ch, pv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 2);
	bench_launch(ch, fv);
	bench_submit(ch);
	bench_run_for(b, 15000);
	bench_launch(ch, nv);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_ge(bench_count(b, PPU_TR_CTA_RESTORE, -1), 1);
	ck_assert_uint_eq(bench_ctr(b, PPU_CTR_TASKS), 4);
	bench_free(b);
}
END_TEST

BENCH_MAIN("preempt", cut_at_every_kth_instruction, parents_give_way, hangs_without_child_priority,
	   pending_and_active_pools, tsync_is_per_cta, saved_before_the_driver_began, stays_while_the_driver_serves,
	   stopped_before_the_driver_began, stopped_while_the_driver_serves, klow_khigh, child_preempts_unrelated, room_on_an_sm,
	   fairness_between_contexts, literal_global_order, shares_are_equal, waiting_for_room,
	   damaged_images, every_checked_field, after_a_launch, watchdog_leaves_out_the_evicted)
