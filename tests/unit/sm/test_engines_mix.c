/* SPDX-License-Identifier: MIT */
/*
 * Random kernels of several contexts at the same time on whole devices, one that interprets in one thread, and one that
 * translates, with workers, or beside what runs.  So warps of different programs take turns on an SM, blocks have two and
 * three dimensions, tasks of other priorities evict them, kernels have two entries and clusters, faults end contexts.  At
 * random times states are compared and exchanged, code is written over, contexts are stopped and forgotten, and
 * translations get ready.
 *
 *   PPU_MIX_PROGRAMS=10000 PPU_MIX_SEED=7 build/unit-fast/test_engines_mix
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <common/workers.h>
#include <core/context.h>
#include <hw/ppu_tmd.h>
#include <ppu_image.h>
#include "device_pair.h"
#include "engine_pair.h"
#include "insn_random.h"
#include "ptx_random.h"
#include "run_suite.h"
#include "core/core.h"
#include "core/sm/mem/icache.h"

#define CTXS		4
#define LAUNCHES	8		/* of a context, in all */
#define REGIONS		3		/* of memory for programs, of a context */
#define CODE_INSNS	2048
#define DATA_BYTES	(640u << 10)	/* as far as random instructions reach, at least */
#define OUT_BYTES	(PTX_RANDOM_THREADS * PTX_RANDOM_WORDS * 4)
#define LOCAL_BYTES	256
#define WORKERS		3
#define VRAM		(256u << 20)
#define ENOUGH_NS	2000000		/* of device time */

/* How the device that translates does it. */
enum { HERE, ANY_ORDER, THREADS, BESIDE };
static const struct {
	const char *props;
	int how;
} devices[] = {
	{ "gpcs=1 sms-per-gpc=1", HERE },
	{ "gpcs=1 sms-per-gpc=2 window-ns=400 task-slots=2 task-slice-ns=3000 timeslice=2000 cost-evict-ns=100", HERE },
	{ "gpcs=2 sms-per-gpc=2 window-ns=3000", ANY_ORDER },
	{ "gpcs=2 sms-per-gpc=2 window-ns=5000 window-halvings=2", THREADS },
	{ "gpcs=1 sms-per-gpc=2 window-ns=300 task-slots=3 task-slice-ns=2000", BESIDE },
	{ "gpcs=1 sms-per-gpc=2 window-ns=900 memory-timing=1 l1-bytes=1K l1-insn-bytes=1K l1-const-bytes=1K l15-bytes=2K "
	  "l2-slice-bytes=4K", ANY_ORDER },
	{ "gpcs=1 sms-per-gpc=1 sm-clock-khz=10000 window-ns=100 task-slots=1 task-slice-ns=40000", HERE },
};
#define DEVICES	(sizeof(devices) / sizeof(devices[0]))

static struct bench *pair[2];
static int how;
static struct irnd order;		/* what neither device may show */
static struct ppu_workers *threads;

/* ---- ports ---- */

/*
 * Pages of VRAM that were reported.  One that leaves the TLB may be reported once more when host code has given up a
 * segment.
 */
static uint8_t dirty[2][VRAM / PPU_PAGE_SIZE];

static void on_dirty(void *opaque, uint64_t off, uint64_t len)
{
	uint8_t *pages = dirty[opaque == pair[1]];

	for (uint64_t n = off / PPU_PAGE_SIZE; n * PPU_PAGE_SIZE < off + len; n++)
		__atomic_store_n(&pages[n], 1, __ATOMIC_RELAXED);
}

static bool same(void)
{
	if (!dpair_same(pair))
		return false;
	for (unsigned i = 0; i < sizeof(dirty[0]); i++)
		if (dirty[0][i] != dirty[1][i]) {
			snprintf(dpair_why, sizeof(dpair_why), "page 0x%x of VRAM is reported by device %u only", i, dirty[1][i]);
			return false;
		}
	return true;
}

static void run_workers(void *opaque, void (*fn)(void *, unsigned), void *arg)
{
	unsigned first = irnd(&order, WORKERS), n = 1 + irnd(&order, WORKERS);

	if (how == THREADS) {
		ppu_workers_run(threads, fn, arg);
		return;
	}
	/* All but number 0 may come too late. */
	for (unsigned i = 0; i < WORKERS; i++)
		if (!((first + i) % WORKERS) || i < n)
			fn(arg, (first + i) % WORKERS);
}

static struct {
	void (*fn)(void *arg);
	void *arg;
} beside;

static bool start_background(void *opaque, void (*fn)(void *arg), void *arg)
{
	if (!irnd(&order, 9))
		return false;
	beside.fn = fn;
	beside.arg = arg;
	return true;
}

/* What runs is hot by any measure. */
static void heat(struct ppu_core *core)
{
	for (struct ppu_program *p = (struct ppu_program *)ppu_icache_first(core); p; p = p->next)
		p->heat = 1u << 20;
}

static void be_ready(void)
{
	if (beside.fn)
		beside.fn(beside.arg);
	beside.fn = NULL;
}

static void end_background(void *opaque)
{
	be_ready();
}

/* ---- contexts ---- */

/* What both devices have alike. */
struct program {
	struct ppu_insn code[CODE_INSNS];
	uint32_t n, entry[2], entries, regs, shared, local;
	uint32_t in[PTX_RANDOM_THREADS * 8];
	bool ptx;
};

struct place {
	struct bench_ctx *c[2];
	struct bench_chan *ch[2];
	uint64_t code[REGIONS], data[REGIONS], out[REGIONS], tmd;
	unsigned region, launched;
	bool over, fresh;		/* fresh: nothing of the program was launched yet */
};

static struct place place[CTXS];
static struct program prog[CTXS];

/* With room for CTAs that have local memory. */
static struct bench_ctx *context(struct bench *b)
{
	const struct ppu_machine m = {
		.sms = b->cfg.gpcs * b->cfg.sms_per_gpc, .warps_per_sm = b->cfg.warps_per_sm,
		.tokq_entries = b->cfg.tokq_entries, .save_per_sm = bench_reg(b, PPU_REG_CAP_SAVE_BYTES_PER_SM),
	};
	struct bench_ctx *c = bench_ctx_make(b);
	struct ppu_area_sizes sizes;

	ppu_area_sizes(&sizes, &m, 4, LOCAL_BYTES);
	c->blk->save_base = bench_vram(b, sizes.save);
	c->blk->save_size = sizes.save;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	return c;
}

static void make_places(struct irnd *r)
{
	static const uint64_t where[] = { BENCH_VRAM, BENCH_VRAM, BENCH_LARGE, BENCH_SCATTER };

	for (unsigned i = 0; i < CTXS; i++) {
		struct place *p = &place[i];
		uint64_t data = where[irnd(r, 4)];

		*p = (struct place){ .over = false };
		for (unsigned k = 0; k < 2; k++) {
			p->c[k] = context(pair[k]);
			p->ch[k] = bench_chan_new(p->c[k], PPU_CLASS_COMPUTE, 2 * LAUNCHES);
			p->tmd = bench_alloc(p->c[k], 4096 * LAUNCHES, BENCH_VRAM);
			for (unsigned n = 0; n < REGIONS; n++) {
				p->code[n] = bench_alloc(p->c[k], sizeof(prog[0].code), BENCH_VRAM);
				p->out[n] = bench_alloc(p->c[k], OUT_BYTES, BENCH_VRAM);
				p->data[n] = bench_alloc(p->c[k], DATA_BYTES, data);
			}
		}
	}
}

/* ---- programs ---- */

static void random_insns(struct irnd *r, struct program *p)
{
	p->n = 0;
	p->entries = 1 + irnd(r, 2);
	for (unsigned e = 0; e < p->entries; e++) {
		uint32_t n = irnd_program(r, p->code + p->n);

		for (uint32_t i = p->n; i < p->n + n; i++)
			if (PPU_GET(&p->code[i], OP) == PPU_OP_BRA)
				PPU_SET(&p->code[i], IMM, PPU_GET(&p->code[i], IMM) + p->n);
		p->entry[e] = p->n;
		p->n += n;
	}
	p->regs = IRND_REGS;
	p->shared = IRND_SHARED;
	p->local = LOCAL_BYTES;
	p->ptx = false;
}

static void random_ptx(struct irnd *r, struct program *p)
{
	const struct ppu_ptx_options opt = { .opt_level = irnd(r, 2), .max_regs = irnd(r, 3) ? 0 : 16 };
	char *text = ptx_random(irnd(r, 1u << 30), p->in);
	const struct ppu_symbol *sym;
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	if (ppu_ptx_compile(text, strlen(text), "random.ptx", &opt, &img, &log) || ppu_image_finish(img, &ppu_device_library, &log))
		ck_abort_msg("%s", log.text);
	for (uint32_t i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *rel = &img->relocs[i];

		PPU_SET(&img->code[rel->where], IMM, (uint32_t)(img->symbols[rel->symbol].value + (uint64_t)rel->addend));
	}
	sym = ppu_image_find(img, "k");
	ck_assert(sym && img->num_insns <= CODE_INSNS);
	memcpy(p->code, img->code, img->num_insns * sizeof(*p->code));
	p->n = img->num_insns;
	p->entries = 1;
	p->entry[0] = (uint32_t)sym->value;
	p->regs = sym->regs;
	p->shared = sym->shared_bytes;
	p->local = sym->local_bytes;
	p->ptx = true;
	ppu_log_free(&log);
	ppu_image_free(img);
	free(text);
}

/*
 * A program in the place of the one before, which may still run, or be launched already and find this one in its code.  Of PTX
 * several may run at a time and would race then, so what comes after PTX has memory of its own.
 */
static void new_program(struct irnd *r, unsigned i)
{
	static uint32_t words[64 << 10];
	struct program *p = &prog[i];
	struct place *at = &place[i];

	if (at->launched && p->ptx && ++at->region == REGIONS) {
		at->over = true;
		return;
	}
	at->fresh = true;
	if (irnd(r, 3))
		random_insns(r, p);
	else
		random_ptx(r, p);
	for (unsigned w = 0; w < sizeof(words) / 4 && !p->ptx; w += 2) {
		uint64_t x = (r->state + w) * 0x9e3779b97f4a7c15ull;

		words[w] = x >> 61 ? (uint32_t)(x >> 20) : (uint32_t)(x >> 58 & 1) - 1;
		words[w + 1] = (uint32_t)x >> (x >> 59);
	}
	for (unsigned k = 0; k < 2; k++) {
		bench_write(at->c[k], at->code[at->region], p->code, p->n * sizeof(*p->code));
		if (p->ptx)
			bench_write(at->c[k], at->data[at->region], p->in, sizeof(p->in));
		else
			bench_write(at->c[k], at->data[at->region], words, sizeof(words));
	}
}

/*
 * One more launch in the context.  Random instructions race with themselves, so they are one CTA, and after the last one; another
 * program would race with the one before.
 */
static void launch(struct irnd *r, unsigned i)
{
	struct place *p = &place[i];
	const struct program *g = &prog[i];
	const uint64_t va = p->tmd + 4096 * p->launched;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .id = 1 + p->launched,
		.flags = irnd(r, 3) ? PPU_TMDF_PRIO_VALID : 0, .priority = (uint8_t)irnd(r, 4), .code_va = p->code[p->region % REGIONS], .code_insns = g->n,
		.entry_pc = g->entry[irnd(r, g->entries)], .regs_per_thread = (uint16_t)g->regs, .shared_bytes = g->shared,
		.local_per_thread = g->local, .param_va = va + 1024, .param_bytes = 16,
		.grid = { g->ptx ? 1 + irnd(r, 4) : 1, 1, 1 }, .block = { 1 + irnd(r, PTX_RANDOM_THREADS), 1, 1 },
	};

	if (p->over || p->launched == LAUNCHES)
		return;
	p->launched++;
	if (!irnd(r, 3)) {
		t.block[1] = 1 + irnd(r, 5);
		t.block[2] = 1 + irnd(r, 3);
		t.block[0] = 1 + irnd(r, 128 / t.block[1] / t.block[2] < PTX_RANDOM_THREADS ? 128 / t.block[1] / t.block[2] :
				  PTX_RANDOM_THREADS);
	}
	if (!g->ptx && !irnd(r, 3)) {	/* on one SM, so they may race */
		t.grid[0] = 2 + 2 * irnd(r, 2);
		t.cluster = PPU_CLUSTER(t.grid[0], 1, 1);
	}
	for (unsigned k = 0; k < 2; k++) {
		bench_wr64(p->c[k], t.param_va, p->data[p->region]);
		bench_wr64(p->c[k], t.param_va + 8, p->out[p->region]);
		bench_write(p->c[k], va, &t, sizeof(t));
		if (p->fresh || !g->ptx)
			bench_wfi(p->ch[k]);
		bench_launch(p->ch[k], va);
		bench_submit(p->ch[k]);
	}
	p->fresh = false;
}

/* ---- what happens meanwhile ---- */

static void end_context(unsigned i, bool forget)
{
	place[i].over = true;
	for (unsigned k = 0; k < 2; k++) {
		bench_ctx_cmd(place[i].c[k], PPU_CTX_CMD_STOP);
		if (forget)
			bench_ctx_cmd(place[i].c[k], PPU_CTX_CMD_FORGET);
	}
}

static bool something(struct irnd *r)
{
	unsigned i = irnd(r, CTXS);

	if (how == BESIDE)
		heat(pair[1]->core);
	if (!irnd(&order, 3))
		be_ready();
	switch (irnd(r, 12)) {
	case 0: case 1:
		if (!place[i].over)
			new_program(r, i);
		launch(r, i);
		break;
	case 2: case 3:
		launch(r, i);
		break;
	case 4:
		end_context(i, irnd(r, 2));
		break;
	case 5:
		for (unsigned k = 0; k < 2 && !place[i].over; k++)
			bench_invalidate(place[i].c[k]);
		break;
	case 6:
		return dpair_states(pair, true);
	default:
		return dpair_states(pair, false);
	}
	return true;
}

/* ---- a mix ---- */

static void start(unsigned device)
{
	how = devices[device].how;
	for (unsigned k = 0; k < 2; k++) {
		bool workers = k && (how == ANY_ORDER || how == THREADS);
		char props[400];

		snprintf(props, sizeof(props), "vram=%u warps-per-sm=16 %s engine=%u x-engine-without=%u workers=%u", VRAM, devices[device].props,
			 !k ? EPAIR_INTERPRET : how == BESIDE ? EPAIR_AUTO : EPAIR_TRANSLATE, epair_without(), workers ? WORKERS : 0);
		pair[k] = bench_new(props);
		if (workers)
			pair[k]->ports.run_workers = run_workers;
		if (k && how == BESIDE) {
			pair[k]->ports.start_background = start_background;
			pair[k]->ports.end_background = end_background;
		}
		pair[k]->ports.vram_dirty = on_dirty;
		pair[k]->ports.mark_dirty = NULL;	/* may come twice, too */
		memset(dirty[k], 0, sizeof(dirty[k]));
		bench_new_core(pair[k]);
		pair[k]->num_trace--;
	}
}

static bool mix(unsigned device, uint64_t seed)
{
	struct irnd r = { .state = seed * 0x9e3779b97f4a7c15ull | 1 };
	uint64_t at = 0, every = irnd(&r, 2) ? 3000 : 20000;
	unsigned stops = irnd(&r, 9);
	bool ok = true;

	if (pair[0]->cfg.sm_clock_khz < 1000000)
		every *= 100;
	order.state = r.state ^ 0x5555;
	make_places(&r);
	for (unsigned i = 0; i < CTXS; i++) {
		new_program(&r, i);
		for (unsigned n = 1 + irnd(&r, 3); n--;)
			launch(&r, i);
	}
	while (ok && stops--) {
		at += 1 + irnd(&r, (uint32_t)every);
		bench_run_to(pair[0], at);
		bench_run_to(pair[1], at);
		ok = something(&r);
	}
	if (!ok)
		return false;
	/* Some programs have no end. */
	at += pair[0]->cfg.sm_clock_khz < 1000000 ? ENOUGH_NS * 100 : ENOUGH_NS;
	for (unsigned k = 0; k < 2; k++)
		bench_run_to(pair[k], at);
	ok = same();
	for (unsigned i = 0; i < CTXS; i++)
		end_context(i, false);
	ck_assert(bench_run(pair[0]) && bench_run(pair[1]));
	return ok && same();
}

/* _i: the device */
START_TEST(random_mixes)
{
	const char *n = getenv("PPU_MIX_PROGRAMS"), *first = getenv("PPU_MIX_SEED");
	uint64_t want = (n ? strtoull(n, NULL, 0) : 70) / DEVICES + 1, from = first ? strtoull(first, NULL, 0) : 1, evicted = 0;

	if (devices[_i].how == THREADS)
		threads = ppu_workers_new(WORKERS);
	for (uint64_t i = 0; i < want; i++) {
		uint64_t seed = from + i * DEVICES + (uint64_t)_i;

		start((unsigned)_i);
		ck_assert_msg(mix((unsigned)_i, seed), "seed %llu, device %d: %s", (unsigned long long)seed, _i, dpair_why);
		evicted += bench_ctr(pair[1], PPU_CTR_EVICTIONS);
		dpair_free(pair);
		be_ready();
	}
	ppu_workers_free(threads);
	ck_assert_uint_ge(dpair_translated, epair_translates() && want >= 10 ? want / 4 : 0);
	ck_assert_uint_ge(dpair_stops, want < 10 ? 0 : want / 2);
	/* Slots of tasks are few on some of the devices. */
	ck_assert(evicted || want < 10 || !strstr(devices[_i].props, "task-slots"));
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_mix");
	TCase *t = tcase_create("random");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, random_mixes, 0, (int)DEVICES);
	suite_add_tcase(su, t);
	return run_suite(su);
}
