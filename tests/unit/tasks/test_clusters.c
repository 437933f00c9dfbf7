/* SPDX-License-Identifier: MIT */
/*
 * Clusters: CTAs that are on one SM together, whatever becomes of them, see each other's shared memory, and meet at a barrier.
 */
#include <stdio.h>
#include "bench_main.h"
#include "tasks.h"

#define WORDS	16			/* of a thread's results */
#define SMALL	"vram=32M warps-per-sm=16 "

/* Shared memory of the next CTA of the cluster, by an offset and by a generic address; a sum in that of rank 0. */
static const char ring[] =
	"s2r r2, %tid.x\n"
	"s2r r3, %ctaid_linear\n"
	"s2r r4, %cluster_ctarank\n"
	"s2r r5, %cluster_nctarank\n"
	"ld.param.u64 rd10, [0]\n"
	"mad.u32 r6, r3, 1000, r2\n"
	"shl.u32 r7, r2, 2\n"
	"st.shared.u32 [r7], r6\n"
	"clarrive\n"
	"mov.u32 r30, 0\n"
	"and.u32 r31, r2, 7\n"
	"loop: add.u32 r30, r30, 1\n"
	"yield\n"
	"setp.lt.u32 p1, r30, r31\n"
	"@p1 bra loop\n"
	"clwait\n"
	"add.u32 r8, r4, 1\n"
	"rem.u32 r8, r8, r5\n"
	"add.u32 r8, r8, 1\n"
	"shl.u32 r9, r8, 24\n"
	"or.u32 r9, r9, r7\n"
	"ld.shared.u32 r12, [r9]\n"
	"mov.u32 r14, r9\n"
	"mov.u32 r15, 0xfffe\n"
	"ld.u32 r13, [rd14]\n"
	"mov.u32 r16, 0x010003e8\n"
	"mov.u32 r17, 1\n"
	"atom.shared.add.u32 rz, [r16], r17\n"
	"bar.sync 0\n"
	"st.shared.u32 [r9+400], r6\n"
	"clarrive\n"
	"clwait\n"
	"ld.shared.u32 r18, [r16]\n"
	"ld.shared.u32 r19, [r7+400]\n"
	"mad.u32 r20, r3, 64, r2\n"
	"madw.u32 rd20, r20, 64, rd10\n"
	"st.global.u32 [rd20], r12\n"
	"st.global.u32 [rd20+4], r13\n"
	"st.global.u32 [rd20+8], r18\n"
	"st.global.u32 [rd20+12], r19\n"
	"s2r r22, %cluster_ctaid.x\ns2r r23, %cluster_ctaid.y\ns2r r24, %cluster_ctaid.z\n"
	"mad.u32 r22, r23, 16, r22\nmad.u32 r22, r24, 256, r22\n"
	"st.global.u32 [rd20+16], r22\n"
	"s2r r22, %clusterid.x\ns2r r23, %clusterid.y\ns2r r24, %clusterid.z\n"
	"mad.u32 r22, r23, 16, r22\nmad.u32 r22, r24, 256, r22\n"
	"st.global.u32 [rd20+20], r22\n"
	"s2r r22, %nclusterid.x\ns2r r23, %nclusterid.y\ns2r r24, %nclusterid.z\n"
	"mad.u32 r22, r23, 16, r22\nmad.u32 r22, r24, 256, r22\n"
	"st.global.u32 [rd20+24], r22\n"
	"s2r r22, %cluster_nctaid.x\ns2r r23, %cluster_nctaid.y\ns2r r24, %cluster_nctaid.z\n"
	"mad.u32 r22, r23, 16, r22\nmad.u32 r22, r24, 256, r22\n"
	"st.global.u32 [rd20+28], r22\n"
	"st.global.u32 [rd20+32], r4\n"
	"s2r r22, %is_explicit_cluster\n"
	"st.global.u32 [rd20+36], r22\n"
	"s2r r22, %ctaid.x\ns2r r23, %ctaid.y\ns2r r24, %ctaid.z\n"
	"mad.u32 r22, r23, 16, r22\nmad.u32 r22, r24, 256, r22\n"
	"st.global.u32 [rd20+40], r22\n"
	"clarrive\n"
	"clwait\n"
	"exit\n";

static const uint32_t grids[][6] = {	/* grid, cluster */
	{ 8, 1, 1, 4, 1, 1 }, { 4, 4, 2, 2, 2, 2 }, { 6, 3, 2, 3, 1, 2 }, { 3, 2, 4, 1, 2, 4 }, { 4, 2, 1, 1, 1, 1 },
	{ 3, 2, 1, 0, 0, 0 },
};

static uint32_t packed(const uint32_t *v)
{
	return v[0] + 16 * v[1] + 256 * v[2];
}

static void check_ring(const uint32_t *out, const uint32_t *g, uint32_t threads)
{
	uint32_t one[3] = { 1, 1, 1 }, id[3], n = g[0] * g[1] * g[2];
	const uint32_t *c = g[3] ? g + 3 : one;
	uint32_t ctas = c[0] * c[1] * c[2];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t of[3], in[3], clusters[3], rank, next, before, k;

		id[0] = i % g[0];
		id[1] = i / g[0] % g[1];
		id[2] = i / g[0] / g[1];
		for (k = 0; k < 3; k++) {
			of[k] = id[k] / c[k];
			in[k] = id[k] % c[k];
			clusters[k] = g[k] / c[k];
		}
		rank = in[0] + c[0] * (in[1] + c[1] * in[2]);
#define LINEAR(r) (of[0] * c[0] + (r) % c[0] + g[0] * (of[1] * c[1] + (r) / c[0] % c[1] + g[1] * (of[2] * c[2] + (r) / c[0] / c[1])))
		next = LINEAR((rank + 1) % ctas);
		before = LINEAR((rank + ctas - 1) % ctas);
		for (k = 0; k < threads; k++) {
			const uint32_t *got = out + (64 * i + k) * WORDS;
			const uint32_t want[] = { 1000 * next + k, 1000 * next + k, ctas * threads, 1000 * before + k, packed(in),
						  packed(of), packed(clusters), packed(c), rank, g[3] != 0, packed(id) };

			for (unsigned w = 0; w < sizeof(want) / 4; w++)
				ck_assert_msg(got[w] == want[w], "CTA %u thread %u word %u: %u, not %u", i, k, w, got[w], want[w]);
		}
	}
}

/* All CTAs of a cluster are placed, saved and restored in a row, on one SM. */
static void check_together(struct bench *b, unsigned event, const uint32_t *g)
{
	uint32_t ctas = g[3] ? g[3] * g[4] * g[5] : 1, n = 0, sm = 0;
	uint64_t cluster = 0;

	for (size_t i = 0; i < b->num_trace && g[3]; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];
		uint64_t of;

		if (r->event != event)
			continue;
		of = r->a % g[0] / g[3] + 100 * (r->a / g[0] % g[1] / g[4]) + 10000 * (r->a / g[0] / g[1] / g[5]);
		if (n % ctas)
			ck_assert_msg(of == cluster && r->unit == sm, "CTA %u is not with its cluster", (unsigned)r->a);
		cluster = of;
		sm = r->unit;
		n++;
	}
	ck_assert_uint_eq(n % ctas, 0);
}

struct launched {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t data, va;
	struct ppu_tmd *t;
};

static struct launched prepare(const char *props, const char *text, const uint32_t *g, uint32_t threads)
{
	struct launched l = { .b = bench_new(props) };
	struct kern k;

	l.c = bench_ctx_new(l.b);
	l.ch = bench_chan_new(l.c, PPU_CLASS_COMPUTE, 8);
	k = kern_load(l.c, text);
	l.data = bench_alloc(l.c, 1 << 20, BENCH_VRAM);
	l.va = tmd_new(l.c, &k, &l.t);
	memcpy(l.t->grid, g, 12);
	l.t->cluster = PPU_CLUSTER(g[3], g[4], g[5]);
	l.t->block[0] = threads;
	l.t->shared_bytes = 1024;
	l.t->num_barriers = 1;
	tmd_param(l.t, 0, l.data);
	return l;
}

static void go(struct launched *l)
{
	bench_launch(l->ch, l->va);
	bench_submit(l->ch);
}

static uint32_t *results(struct launched *l)
{
	static uint32_t out[(1 << 20) / 4];

	bench_read(l->c, l->data, out, sizeof(out));
	return out;
}

START_TEST(neighbours_on_both_engines)
{
	static const char *const props[] = { "engine=1", "engine=2", "engine=2 gpcs=1 sms-per-gpc=1 yield-every=3",
					     "engine=2 gpcs=2 sms-per-gpc=4 workers=3", "store-delay-ns=20000", "memory-timing=1",
					     "engine=1 memory-timing=1", "cache-model=1",
					     "x-schedule=3", "x-schedule=4", "x-order=5 x-order-switch=40" };
	char text[200];

	for (unsigned p = 0; p < sizeof(props) / sizeof(props[0]); p++)
		for (unsigned i = 0; i < sizeof(grids) / sizeof(grids[0]); i++)
			for (uint32_t threads = 32; threads <= 64; threads += 13) {
				struct launched l;

				snprintf(text, sizeof(text), SMALL "%s", props[p]);
				l = prepare(text, ring, grids[i], threads);
				go(&l);
				ck_assert(bench_run(l.b));
				ck_assert_msg(!bench_chan_reg(l.ch, PPU_REG_CH_ERROR), "%s grid %u: error %u", props[p], i,
					      bench_chan_reg(l.ch, PPU_REG_CH_ERROR));
				check_ring(results(&l), grids[i], threads);
				check_together(l.b, PPU_TR_CTA_START, grids[i]);
				bench_free(l.b);
			}
}
END_TEST

#define STEP "gpcs=1 sms-per-gpc=2 sm-clock-khz=1000 window-ns=1000 cost-cta-ns=0 cost-evict-ns=0 cost-launch-ns=0 "

/* Taken off the SMs again and again, and the whole device saved and loaded between. */
static void cut_ring(const char *props, const uint32_t *g, uint64_t every)
{
	struct launched l = prepare(props, ring, g, 45);
	struct bench_chan *hi = bench_chan_new(l.c, PPU_CLASS_COMPUTE, 4096);
	struct kern quick = kern_load(l.c, "exit\n");
	struct ppu_tmd *h;
	uint64_t hv = tmd_new(l.c, &quick, &h);

	h->block[0] = 1;
	tmd_prio(h, 5);
	go(&l);
	bench_run_for(l.b, 3000);
	for (unsigned i = 0; bench_chan_reg(l.ch, PPU_REG_CH_TASKS); i++) {
		ck_assert_uint_lt(i, 4000);
		bench_launch(hi, hv);
		bench_submit(hi);
		bench_run_for(l.b, every);
		if (i % 16 == 3)
			bench_reload(l.b);
	}
	ck_assert(bench_run(l.b));
	ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_gt(bench_ctr(l.b, PPU_CTR_EVICTIONS), 5);
	check_ring(results(&l), g, 45);
	bench_free(l.b);
}

START_TEST(cut_at_every_kth_instruction)
{
	static const unsigned every[] = { 5, 9, 16, 40 };

	for (unsigned i = 0; i < 2; i++)
		for (unsigned e = 0; e < sizeof(every) / sizeof(every[0]); e++) {
			cut_ring(SMALL STEP "task-slots=1", grids[i], every[e] * 1000);
			cut_ring(SMALL STEP "task-slots=1 engine=2", grids[i], every[e] * 1000);
		}
}
END_TEST

/* A task of higher priority needs an SM: a cluster leaves as a whole, the others stay, and it comes back as a whole. */
START_TEST(leaves_and_comes_back_as_one)
{
	const uint32_t g[] = { 16, 1, 1, 4, 1, 1 };
	struct launched l = prepare("vram=32M warps-per-sm=8 gpcs=1 sms-per-gpc=2 task-slots=4", ring, g, 64);
	struct bench_chan *hi = bench_chan_new(l.c, PPU_CLASS_COMPUTE, 64);
	struct kern sleep = kern_load(l.c, "nanosleep 3000\nexit\n");
	struct ppu_tmd *h;
	uint64_t hv = tmd_new(l.c, &sleep, &h);

	tmd_prio(h, 5);
	go(&l);
	bench_run_for(l.b, 4000);
	for (unsigned i = 0; i < 20; i++) {
		bench_launch(hi, hv);
		bench_submit(hi);
		bench_run_for(l.b, 5000);
	}
	ck_assert(bench_run(l.b));
	check_ring(results(&l), g, 64);
	ck_assert_uint_ge(bench_count(l.b, PPU_TR_CTA_SAVE, -1), 4);
	bench_free(l.b);
}
END_TEST

/* ---- the barrier ----------------------------------------------------------------------------------- */

/* Every second CTA ends at once, and half of the lanes of the others: who is left is who the barrier waits for. */
START_TEST(threads_that_have_ended_do_not_count)
{
	static const char text[] =
		"s2r r2, %tid.x\ns2r r3, %ctaid.x\nld.param.u64 rd10, [0]\n"
		"and.u32 r4, r3, 1\nsetp.eq.u32 p1, r4, 1\n@p1 nanosleep 20000\n@p1 exit\n"
		"and.u32 r4, r2, 1\nsetp.eq.u32 p1, r4, 1\n@p1 exit\n"
		"clarrive\nclwait\nclarrive\nclwait\n"
		"s2r rd6, %globaltimer\nmad.u32 r20, r3, 64, r2\nmadw.u32 rd20, r20, 8, rd10\nst.global.u64 [rd20], rd6\nexit\n";
	const uint32_t g[] = { 4, 1, 1, 4, 1, 1 };
	struct launched l = prepare(SMALL, text, g, 64);
	const struct ppu_trace_rec *start;
	uint64_t *out;

	go(&l);
	ck_assert(bench_run(l.b));
	ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_ERROR), 0);
	start = bench_find(l.b, PPU_TR_CTA_START, -1, 0);
	out = (uint64_t *)results(&l);
	for (unsigned i = 0; i < 256; i++)
		if (i / 64 % 2 || i % 2)
			ck_assert_uint_eq(out[i], 0);
		else
			ck_assert_uint_ge(out[i], start->time + 20000);
	bench_free(l.b);
}
END_TEST

/* A wait for a barrier of the CTA and one for that of the cluster cross; lanes that are apart meet again. */
START_TEST(apart_and_together)
{
	static const char text[] =
		"s2r r2, %tid.x\ns2r r3, %ctaid.x\nld.param.u64 rd10, [0]\n"
		"mov.u32 r8, 0x010003e8\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
		"loop: and.u32 r4, r2, 3\n"
		"setp.eq.u32 p1, r4, 0\n"
		"@p1 bra other\n"
		"atom.shared.add.u32 rz, [r8], r9\nclarrive\nbar.sync 0\nclwait\nbra joined\n"
		"other: nanosleep 500\natom.shared.add.u32 rz, [r8], r9\nclarrive\nbar.sync 0\nclwait\n"
		"joined: ld.shared.volatile.u32 r6, [r8]\n"
		"clarrive\nclwait\n"
		"add.u32 r5, r5, 1\nsetp.lt.u32 p2, r5, 9\n@p2 bra loop\n"
		"mad.u32 r20, r3, 64, r2\nmadw.u32 rd20, r20, 4, rd10\nst.global.u32 [rd20], r6\nclarrive\nclwait\nexit\n";
	const uint32_t g[] = { 6, 1, 1, 3, 1, 1 };
	struct launched l = prepare(SMALL, text, g, 50);
	uint32_t *out;

	go(&l);
	ck_assert(bench_run(l.b));
	ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_ERROR), 0);
	out = results(&l);
	for (unsigned i = 0; i < 6 * 64; i++)
		ck_assert_uint_eq(out[i], i % 64 < 50 ? 9 * 150 : 0);
	bench_free(l.b);
}
END_TEST

/* ---- faults -------------------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	uint32_t ctas, threads;
	unsigned err;
} faults[] = {
	/* behind the other's shared memory; the last word of it; a CTA that is not there; one that has ended */
	{ "mov.u32 r4, 0x020003fe\nld.shared.u16 r5, [r4]\nclarrive\nclwait\nexit\n", 2, 32, 0 },
	{ "mov.u32 r4, 0x02000400\nld.shared.u8 r5, [r4]\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_WINDOW_RANGE },
	{ "mov.u32 r4, 0x020003fc\nld.shared.u64 rd6, [r4]\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_MISALIGNED },
	{ "mov.u32 r4, 0x03000000\nst.shared.u32 [r4], r5\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_CLUSTER_CTA },
	{ "mov.u32 r4, 0x10000000\natom.shared.add.u32 rz, [r4], r5\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_CLUSTER_CTA },
	{ "mov.u32 r4, 0x12000000\nst.shared.u32 [r4], r5\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_WINDOW_RANGE },
	{ "mov.u32 r4, 0xff000000\nst.shared.u32 [r4], r5\nclarrive\nclwait\nexit\n", 2, 32, PPU_ERR_WINDOW_RANGE },
	{ "mov.u32 r6, 0x01000008\nmov.u32 r7, 0xfffe\nst.u32 [rd6], r5\nexit\n", 1, 32, 0 },
	{ "mov.u32 r6, 0x02000008\nmov.u32 r7, 0xfffe\nst.u32 [rd6], r5\nexit\n", 1, 32, PPU_ERR_CLUSTER_CTA },
	{ "s2r r2, %cluster_ctarank\nsetp.eq.u32 p1, r2, 1\n@p1 exit\nnanosleep 9000\nmov.u32 r4, 0x02000000\nld.shared.u32 r5, [r4]\nexit\n",
	  2, 32, PPU_ERR_CLUSTER_CTA },
	/* the barrier: twice, and without having arrived */
	{ "clarrive\nclarrive\nexit\n", 2, 32, PPU_ERR_BAD_BARRIER },
	{ "clwait\nexit\n", 2, 32, PPU_ERR_BAD_BARRIER },
	{ "clarrive\nclwait\nclwait\nexit\n", 1, 32, PPU_ERR_BAD_BARRIER },
	{ "clarrive\nexit\n", 2, 32, 0 },
	/* nobody can go on: another CTA waits at its own barrier, part of a CTA does when the other one ends */
	{ "s2r r2, %cluster_ctarank\nsetp.eq.u32 p1, r2, 1\n@p1 bra own\nclarrive\nclwait\nexit\nown: bar.sync 0, 64\nexit\n", 2, 32,
	  PPU_ERR_DEADLOCK },
	{ "s2r r2, %cluster_ctarank\ns2r r3, %tid.x\nsetp.eq.u32 p1, r2, 1\n@p1 bra end\nsetp.gt.u32 p1, r3, 31\n@p1 bar.sync 0, 96\n"
	  "clarrive\nclwait\nexit\nend: nanosleep 9000\nexit\n", 2, 64, PPU_ERR_DEADLOCK },
	{ "s2r r2, %cluster_ctarank\ns2r r3, %tid.x\nsetp.eq.u32 p1, r2, 1\n@p1 bra end\nsetp.gt.u32 p1, r3, 31\n@p1 bar.sync 0, 96\n"
	  "clarrive\nclwait\nexit\nend: setp.gt.u32 p1, r3, 31\n@p1 bra late\nclarrive\nclwait\nexit\nlate: nanosleep 9000\nclarrive\nclwait\nexit\n",
	  2, 64, PPU_ERR_DEADLOCK },
};

START_TEST(faults_have_a_cause)
{
	for (unsigned engine = 1; engine <= 2; engine++)
		for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
			const uint32_t g[] = { faults[i].ctas, 1, 1, faults[i].ctas, 1, 1 };
			char props[100];
			struct launched l;

			snprintf(props, sizeof(props), SMALL "engine=%u", engine);
			l = prepare(props, faults[i].text, g, faults[i].threads);
			go(&l);
			ck_assert_msg(bench_run(l.b), "%s", faults[i].text);
			ck_assert_msg(bench_chan_reg(l.ch, PPU_REG_CH_ERROR) == faults[i].err, "error %u, not %u: %s",
				      bench_chan_reg(l.ch, PPU_REG_CH_ERROR), faults[i].err, faults[i].text);
			ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_TASKS), 0);
			bench_free(l.b);
		}
}
END_TEST

/* ---- room ----------------------------------------------------------------------------------------------- */

static unsigned error_of(const char *props, uint32_t ctas, uint32_t threads, uint32_t shared)
{
	const uint32_t g[] = { 2 * ctas, 1, 1, ctas, 1, 1 };
	struct launched l = prepare(props, ring, g, threads);
	unsigned err;

	l.t->shared_bytes = shared;
	go(&l);
	ck_assert(bench_run(l.b));
	err = bench_chan_reg(l.ch, PPU_REG_CH_ERROR);
	if (!err)
		check_ring(results(&l), g, threads);
	bench_free(l.b);
	return err;
}

/* A cluster fits one SM: warps, CTAs, registers.  Of shared memory each CTA may have as much as a CTA alone. */
START_TEST(limits)
{
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=8", 8, 32, 1024), 0);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=8", 8, 33, 1024), PPU_ERR_TMD_LIMITS);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=64 ctas-per-sm=16", 16, 32, 1024), 0);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=64 ctas-per-sm=7", 8, 32, 1024), PPU_ERR_TMD_LIMITS);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=64 ctas-per-sm=32", 17, 32, 1024), PPU_ERR_TMD_BAD);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=8 regs-per-sm=8192", 4, 32, 1024), 0);
	ck_assert_uint_eq(error_of("vram=32M warps-per-sm=8 regs-per-sm=4096", 4, 64, 1024), PPU_ERR_TMD_LIMITS);
	ck_assert_uint_eq(error_of("vram=64M warps-per-sm=8 shared-per-sm=16384", 4, 64, 16384), 0);
	ck_assert_uint_eq(error_of("vram=64M warps-per-sm=8 shared-per-sm=16384", 4, 64, 16400), PPU_ERR_TMD_LIMITS);
	ck_assert_uint_eq(error_of("vram=64M warps-per-sm=8 shared-per-sm=16384 shared-per-cta=8192", 2, 64, 8208), PPU_ERR_TMD_LIMITS);
}
END_TEST

/* A cluster that needs a whole SM waits for one, and others wait for it. */
START_TEST(waits_for_room)
{
	const uint32_t g[] = { 8, 1, 1, 4, 1, 1 };
	struct launched l = prepare("vram=32M warps-per-sm=8 gpcs=1 sms-per-gpc=1", ring, g, 64);
	struct bench_chan *other = bench_chan_new(l.c, PPU_CLASS_COMPUTE, 8);
	struct kern sleep = kern_load(l.c, "nanosleep 20000\nexit\n");
	const struct ppu_trace_rec *first, *start;
	struct ppu_tmd *t;
	uint64_t va = tmd_new(l.c, &sleep, &t);

	bench_launch(other, va);
	bench_submit(other);
	bench_run_for(l.b, 5000);
	go(&l);
	ck_assert(bench_run(l.b));
	check_ring(results(&l), g, 64);
	first = bench_find(l.b, PPU_TR_CTA_DONE, -1, 0);
	start = bench_find(l.b, PPU_TR_CTA_START, -1, 1);
	ck_assert_uint_ge(start->time, first->time);
	check_together(l.b, PPU_TR_CTA_START, (const uint32_t[]){ 1, 1, 1, 0, 0, 0 });
	bench_free(l.b);
}
END_TEST

/*
 * Parents of a cluster stay where they are while they wait, if the children find room beside them; where there is none, the
 * children, of higher priority, get room.
 */
START_TEST(parents_in_clusters)
{
	static const struct { unsigned slots, ctas; bool stay; } m[] = { { 1, 4, false }, { 4, 4, false }, { 16, 16, true } };
	static const char parent[] =
		"ld.param.u64 rd2, [0]\nld.param.u64 rd4, [8]\ns2r r6, %ctaid_linear\nmadw.u32 rd8, r6, 4, rd2\n"
		"tlaunch r11, rd4\nclarrive\ntsync r12\nclwait\nld.global.volatile.u32 r13, [rd2+4096]\n"
		"st.global.u32 [rd8], r13\nexit\n";
	static const char child[] =
		"ld.param.u64 rd2, [0]\nnanosleep 5000\nmov.u32 r4, 1\natom.global.add.u32 rz, [rd2+4096], r4\nexit\n";
	const uint32_t g[] = { 8, 1, 1, 4, 1, 1 };

	for (unsigned v = 0; v < sizeof(m) / sizeof(m[0]); v++) {
		char props[100];
		struct launched l;
		struct ppu_tmd *k;
		struct kern kid;
		uint64_t kv;
		uint32_t *out;

		snprintf(props, sizeof(props), "vram=32M ctas-per-sm=%u task-slots=%u", m[v].ctas, m[v].slots);
		l = prepare(props, parent, g, 1);
		kid = kern_load(l.c, child);
		kv = tmd_new(l.c, &kid, &k);
		k->block[0] = 1;
		tmd_param(k, 0, l.data);
		tmd_param(l.t, 1, kv);
		go(&l);
		ck_assert(bench_run(l.b));
		ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_ERROR), 0);
		ck_assert_uint_eq(bench_chan_reg(l.ch, PPU_REG_CH_TASKS), 0);
		out = results(&l);
		ck_assert_uint_eq(out[1024], 8);
		for (unsigned i = 0; i < 8; i++)
			ck_assert_uint_ge(out[i], 1);
		ck_assert_uint_eq(bench_count(l.b, PPU_TR_CTA_SAVE, -1) == 0, m[v].stay);
		bench_free(l.b);
	}
}
END_TEST

BENCH_MAIN("clusters", neighbours_on_both_engines, cut_at_every_kth_instruction, leaves_and_comes_back_as_one,
	   threads_that_have_ended_do_not_count, apart_and_together, faults_have_a_cause, limits, waits_for_room, parents_in_clusters)
