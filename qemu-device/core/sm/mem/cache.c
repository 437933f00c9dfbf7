/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the caches, as counters (HW-64..HW-66, HW-69): property cache-model.  Nothing is kept in a cache
 * and nothing takes longer; tags say what would have hit.
 *
 *   per SM    L1 for data (loads of global and local memory; stores write through and do not allocate;
 *             volatile and atomic accesses pass by), L1 for instructions, L1 for constants and parameters
 *   per GPC   L1.5 behind the instruction and constant caches of its SMs
 *   one L2    behind all; memory goes to the partition units in turn, PPU_PARTITION_BYTES to each
 *
 * All are PPU_CACHE_WAYS-way with LRU and lines of PPU_CACHE_LINE bytes.  An SM may run in a thread of its
 * own.  So its misses go into a log, and the shared levels see the logs at the end of the window in the order
 * of the SMs: counts do not depend on the number of workers.
 *
 * With the property set, programs are decoded so that every instruction goes through ppu_h_observed().
 * Without the property, no instruction takes notice of the model.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/sm/mem/cache.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/warp.h"

#define MAX_LOG		(1u << 20)	/* entries a window; the rest is not counted */

/* A log entry is a line number and these bits. */
#define LOG_NOWHERE	(1ull << 59)	/* named by something else than a physical address: no partition */
#define LOG_SYS		(1ull << 60)	/* of system memory */
#define LOG_WRITE	(1ull << 61)
#define LOG_FETCH	(1ull << 62)	/* from the instruction or constant cache: L1.5 first */

/* ---- tags ------------------------------------------------------------------------------------------ */

/* Looks a line up.  True: a hit.  The tags of a set are in order of use, the most recently used one first. */
static bool touch(uint64_t *tags, unsigned sets, uint64_t line, bool allocate)
{
	uint64_t *t = &tags[line % sets * PPU_CACHE_WAYS], want = line + 1;
	unsigned k;

	for (k = 0; k < PPU_CACHE_WAYS && t[k] != want; k++)
		;
	if (k == PPU_CACHE_WAYS) {
		if (!allocate)
			return false;
		memmove(t + 1, t, (PPU_CACHE_WAYS - 1) * sizeof(*t));
		t[0] = want;
		return false;
	}
	memmove(t + 1, t, k * sizeof(*t));
	t[0] = want;
	return true;
}

static void log_line(struct ppu_sm *sm, uint64_t entry)
{
	struct ppu_sm_caches *c = sm->caches;

	if (c->n == c->cap) {
		uint32_t cap = c->cap ? 2 * c->cap : 1024;
		uint64_t *v = cap <= MAX_LOG ? ppu_realloc(c->log, cap * sizeof(*v)) : NULL;

		if (!v)
			return;
		c->log = v;
		c->cap = cap;
	}
	c->log[c->n++] = entry;
}

/* ---- one instruction ----------------------------------------------------------------------------------- */

static void fetch(struct ppu_sm *sm, const struct ppu_warp *w)
{
	struct ppu_sm_caches *c = sm->caches;
	uint64_t line = (w->prog->va + (uint64_t)w->pc * PPU_INSN_BYTES) / PPU_CACHE_LINE;

	/* Programs are addressed by VA: contexts do not share lines here. */
	line = ((line ^ w->prog->ctx->inst << 20) & (LOG_NOWHERE - 1)) | LOG_NOWHERE;
	if (touch(c->insn, PPU_CACHE_SMALL_SETS, line, true)) {
		sm->ctr[PPU_CTR_ICACHE_HITS]++;
		return;
	}
	sm->ctr[PPU_CTR_ICACHE_MISSES]++;
	log_line(sm, line | LOG_FETCH);
}

/* The lines of the lanes, each once. */
struct lines {
	unsigned n;
	uint64_t line[PPU_LANES];	/* with LOG_SYS */
	bool constant;
};

static void add_line(struct lines *l, uint64_t line)
{
	unsigned i;

	for (i = 0; i < l->n; i++)
		if (l->line[i] == line)
			return;
	l->line[l->n++] = line;
}

static uint64_t phys_line(const struct ppu_sm *sm, const struct ppu_warp *w, uint64_t va)
{
	const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];
	uint64_t addr = va;
	bool sys = false;

	/* The instruction has been executed, so the page is in the TLB, unless other lanes have pushed it
	 * out. */
	if (e->page == va >> PPU_PAGE_SHIFT && e->ctx == w->cta->task->ctx) {
		struct ppu_phys p = ppu_tlb_phys(e);

		addr = p.addr + (va & PAGE_MASK);
		sys = p.sys;
	}
	return (addr / PPU_CACHE_LINE & (LOG_SYS - 1)) | (sys ? LOG_SYS : 0);
}

static void note_lane(const struct ppu_sm *sm, const struct ppu_warp *w, const struct access *a, uint64_t va,
		      unsigned lane, struct lines *l)
{
	const struct ppu_inst_block *b = &w->cta->task->ctx->blk;
	unsigned space = a->space;

	if (space == PPU_SPACE_GENERIC)
		switch (va >> 32) {
		case PPU_VA_SHARED_BASE >> 32:	space = PPU_SPACE_SHARED; break;
		case PPU_VA_LOCAL_BASE >> 32:	space = PPU_SPACE_LOCAL; break;
		case PPU_VA_PARAM_BASE >> 32:	space = PPU_SPACE_PARAM; break;
		default:			space = PPU_SPACE_GLOBAL;
		}
	l->constant = space == PPU_SPACE_CONST || space == PPU_SPACE_PARAM;
	switch (space) {
	case PPU_SPACE_SHARED:
		return;
	case PPU_SPACE_LOCAL:	/* as it lies in memory: words of the lanes next to each other */
		va = b->local_base + ((uint64_t)sm->id * sm->core->cfg.warps_per_sm + w->slot) * PPU_LANES *
		     b->local_per_thread + ((uint64_t)((uint32_t)va / 4) * PPU_LANES + lane) * 4;
		add_line(l, va / PPU_CACHE_LINE);
		return;
	case PPU_SPACE_PARAM:	/* in no memory: a line of its own for each task */
		add_line(l, (ppu_param_place(w->cta->task, (uint32_t)va) / PPU_CACHE_LINE & (LOG_NOWHERE - 1)) | LOG_NOWHERE);
		return;
	default:
		add_line(l, phys_line(sm, w, va));
	}
}

static void count_access(struct ppu_sm *sm, const struct ppu_dinsn *di, const struct lines *l)
{
	struct ppu_sm_caches *c = sm->caches;
	unsigned sem = di->y & 7, i;
	bool write = di->op != PPU_OP_LD, by = di->op == PPU_OP_ATOM || sem == PPU_MO_VOLATILE || sem == PPU_MO_ACQUIRE;

	if (!l->n)
		return;
	if (!l->constant) {
		sm->ctr[PPU_CTR_MEM_INSNS]++;
		sm->ctr[PPU_CTR_MEM_LINES] += l->n;
	}
	for (i = 0; i < l->n; i++) {
		uint64_t line = l->line[i] & (LOG_SYS - 1);

		if (l->constant) {
			if (touch(c->cnst, PPU_CACHE_SMALL_SETS, line, true)) {
				sm->ctr[PPU_CTR_CONST_HITS]++;
			} else {
				sm->ctr[PPU_CTR_CONST_MISSES]++;
				log_line(sm, l->line[i] | LOG_FETCH);
			}
			continue;
		}
		if (!by && touch(c->data, PPU_CACHE_L1_SETS, line, !write)) {
			sm->ctr[PPU_CTR_L1_HITS] += !write;
			if (!write)
				continue;
		} else if (!by && !write) {
			sm->ctr[PPU_CTR_L1_MISSES]++;
		}
		log_line(sm, l->line[i] | (write ? LOG_WRITE : 0));
	}
}

enum ppu_step ppu_h_observed(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	bool mem = di->op == PPU_OP_LD || di->op == PPU_OP_ST || di->op == PPU_OP_ATOM;
	uint64_t va[PPU_LANES];
	struct lines l = { 0 };
	struct access a;
	enum ppu_step step;
	uint32_t m;

	fetch(sm, w);
	if (di->inner_fn) {
		di->inner_fn(&w->v, di, mask);
		w->pc++;
		return PPU_GO;
	}
	if (!mem)
		return ppu_warp_handler(di->inner)(sm, w, di, mask);
	/* Compute the addresses first: the destination register may hold the address. */
	access_of(w, di, PPU_ACC_READ, &a);
	for (m = mask; m; m &= m - 1)
		va[__builtin_ctz(m)] = lane_va(&a, (unsigned)__builtin_ctz(m));
	step = ppu_warp_handler(di->inner)(sm, w, di, mask);
	if (step == PPU_GO) {
		for (m = mask; m; m &= m - 1)
			note_lane(sm, w, &a, va[__builtin_ctz(m)], (unsigned)__builtin_ctz(m), &l);
		count_access(sm, di, &l);
	}
	return step;
}

void ppu_cache_observe(struct ppu_dinsn *di)
{
	di->inner_fn = di->fn;
	di->inner = di->handler;
	di->fn = NULL;
	di->handler = PPU_H_observed;
}

/* ---- what is shared ------------------------------------------------------------------------------------- */

void ppu_cache_apply(struct ppu_core *core, unsigned id)
{
	struct ppu_sm_caches *c = core->sms[id].caches;
	uint64_t *l15 = core->caches->l15 + id / core->cfg.sms_per_gpc * PPU_CACHE_L15_SETS * PPU_CACHE_WAYS;
	uint32_t i;

	for (i = 0; i < c->n; i++) {
		uint64_t e = c->log[i], line = e & (LOG_SYS | (LOG_SYS - 1));
		unsigned part;

		if (e & LOG_FETCH) {
			bool hit = touch(l15, PPU_CACHE_L15_SETS, line, true);

			core->ctr[hit ? PPU_CTR_L15_HITS : PPU_CTR_L15_MISSES]++;
			if (hit)
				continue;
		}
		core->ctr[touch(core->caches->l2, PPU_CACHE_L2_SETS, line, true) ? PPU_CTR_L2_HITS
										 : PPU_CTR_L2_MISSES]++;
		if (e & LOG_SYS) {
			core->ctr[PPU_CTR_SYS_LINES]++;
			continue;
		}
		if (e & LOG_NOWHERE)
			continue;
		part = (unsigned)(line * PPU_CACHE_LINE / PPU_PARTITION_BYTES % core->cfg.partitions);
		core->ctr[PPU_CTR_PARTITION0 + part % PPU_PARTITION_COUNTERS]++;
	}
	c->n = 0;
}

int ppu_caches_create(struct ppu_core *core)
{
	uint32_t i;

	if (!core->cfg.cache_model || core->cfg.memory_timing)	/* which counts by itself */
		return 0;
	core->caches = ppu_alloc(1, sizeof(*core->caches));
	if (!core->caches)
		return -1;
	core->caches->l15 = ppu_alloc((size_t)core->cfg.gpcs * PPU_CACHE_L15_SETS * PPU_CACHE_WAYS, 8);
	for (i = 0; i < core->num_sms; i++) {
		core->sms[i].caches = ppu_alloc(1, sizeof(*core->sms[i].caches));
		if (!core->sms[i].caches)
			return -1;
	}
	return core->caches->l15 ? 0 : -1;
}

void ppu_caches_destroy(struct ppu_core *core)
{
	uint32_t i;

	if (!core->caches)
		return;
	for (i = 0; core->sms && i < core->num_sms; i++)
		if (core->sms[i].caches) {
			ppu_free(core->sms[i].caches->log);
			ppu_free(core->sms[i].caches);
		}
	ppu_free(core->caches->l15);
	ppu_free(core->caches);
	core->caches = NULL;
}

static size_t l15_bytes(const struct ppu_core *core)
{
	return (size_t)core->cfg.gpcs * PPU_CACHE_L15_SETS * PPU_CACHE_WAYS * 8;
}

void ppu_caches_reset(struct ppu_core *core)
{
	uint32_t i;

	if (!core->caches)
		return;
	memset(core->caches->l2, 0, sizeof(core->caches->l2));
	memset(core->caches->l15, 0, l15_bytes(core));
	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm_caches *c = core->sms[i].caches;

		memset(c->data, 0, sizeof(c->data));
		memset(c->insn, 0, sizeof(c->insn));
		memset(c->cnst, 0, sizeof(c->cnst));
		c->n = 0;
	}
}

/* Logs are empty between windows.  Any value of a tag is possible, so none is checked. */
void ppu_caches_io(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t i, k;

	if (!core->caches)
		return;
	ppu_io_section(io, "CACH");
	for (k = 0; k < sizeof(core->caches->l2) / 8; k++)
		ppu_io_u64(io, &core->caches->l2[k]);
	for (k = 0; k < l15_bytes(core) / 8; k++)
		ppu_io_u64(io, &core->caches->l15[k]);
	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm_caches *c = core->sms[i].caches;

		for (k = 0; k < sizeof(c->data) / 8; k++)
			ppu_io_u64(io, &c->data[k]);
		for (k = 0; k < sizeof(c->insn) / 8; k++)
			ppu_io_u64(io, &c->insn[k]);
		for (k = 0; k < sizeof(c->cnst) / 8; k++)
			ppu_io_u64(io, &c->cnst[k]);
	}
}
