/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What memory costs an SM in device time.  See timing.h, and Documentation/hw/memory.md for the model.
 *
 * With the property, some instructions of each program are decoded into ppu_h_timed(): those that access memory, and those
 * at which a warp may come to another line of its code.  It does the instruction, and says afterwards how long the warp
 * waits.  All others are what they are without the property.  Who waits for memory is a timed warp (PPU_WARP_TIMED) like one
 * that sleeps, so that save, restore and eviction need to know nothing.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/memory/memsys.h"
#include "core/memory/mmu.h"
#include "core/memory/tags.h"
#include "core/sm/jobs.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/timing.h"
#include "core/sm/warp.h"

#define SMALL_WAYS	4
#define MAX_LINES	128		/* of an instruction: local memory, 4 words of a lane each in a line of its own */
#define PENDING		(1ull << 63)	/* a time that is known at the end of the round only; then the index in the log */
#define UNKNOWN		UINT64_MAX	/* ready_at of a warp until then */

enum { LOG_ACCESS, LOG_MERGE, LOG_FENCE };

struct miss {
	struct ppu_mem_access a;
	uint64_t done;
	struct ppu_tag *tag;	/* of an L1, filled by this; NULL: none */
	uint32_t ref;		/* MERGE: the entry that brings the line; a store under way: its slot */
	uint8_t kind;		/* LOG_* */
	uint8_t warp;
	bool waits;		/* the warp does */
	bool under_way;		/* a store that nobody waits for */
};

struct ppu_sm_timing {
	struct ppu_tags data, insn, cnst;
	uint64_t port_free;	/* cycle from which on the L1 for data takes the next line */
	uint64_t last_miss;	/* ns: what leaves the SM leaves in order */
	uint64_t stored;	/* ns: all stores of earlier rounds have arrived then */
	uint64_t *store;	/* ns: when the last stores arrive, in turn */
	uint32_t next_store;

	/* of this round */
	uint64_t waiting;	/* warps whose time is not known */
	uint64_t known[64];	/* cycle: not before */
	uint64_t since[64];
	struct miss *log;
	uint32_t n, cap;
	bool stores;		/* there are some among them */
};

struct ppu_timing {
	uint32_t *list, *pos;	/* SMs of a round, and how far their logs are done */
};

/* Until when the warp waits, as far as it is known. */
struct wait {
	uint64_t until;		/* cycle */
	bool pending;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- the log --------------------------------------------------------------------------------------------- */

/* NULL: it is full, which no program comes near. */
static struct miss *log_entry(struct ppu_sm *sm, const struct ppu_warp *w, unsigned kind, uint64_t cycle)
{
	struct ppu_sm_timing *t = sm->timing;
	struct miss *m = &t->log[t->n];

	if (t->n == t->cap)
		return NULL;
	t->n++;
	t->last_miss = later(t->last_miss, ppu_sm_cycles_ns(sm->core, cycle));
	*m = (struct miss){ .kind = (uint8_t)kind, .warp = w->slot, .waits = true };
	m->a.time = t->last_miss;
	m->a.gpc = (uint16_t)(sm->id / sm->core->cfg.sms_per_gpc);
	return m;
}

static uint64_t pending(const struct ppu_sm_timing *t, const struct miss *m)
{
	return PENDING | (uint64_t)(m - t->log);
}

/* A line that an L1 has, or that is on its way to it. */
static void wait_fill(struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_tag *tag, uint64_t hit, struct wait *wait)
{
	struct miss *m;

	if (!(tag->fill & PENDING)) {
		wait->until = later(wait->until, later(hit, tag->fill));
		return;
	}
	m = log_entry(sm, w, LOG_MERGE, sm->cycle);
	if (!m)
		return;
	m->ref = (uint32_t)tag->fill;
	wait->pending = true;
	wait->until = later(wait->until, hit);
}

/* ---- lines of an access ------------------------------------------------------------------------------ */

struct line {
	uint64_t addr;
	uint8_t sectors;	/* as a set */
	uint8_t sys, kept, constant;
};

struct lines {
	unsigned n;
	struct line v[MAX_LINES];
	/* the page of the last lane */
	uint64_t page;
	struct ppu_phys phys;
	bool has_page;
};

static void add_bytes(const struct ppu_sm *sm, struct lines *l, struct line x, uint32_t bytes)
{
	uint64_t mask = sm->core->cfg.cache_line - 1;
	unsigned first = (unsigned)((x.addr & mask) / PPU_SECTOR_BYTES);
	unsigned last = (unsigned)(((x.addr & mask) + bytes - 1) / PPU_SECTOR_BYTES), i;

	x.addr &= ~mask;
	x.sectors = (uint8_t)((2u << last) - (1u << first));
	for (i = l->n; i-- > 0;) {
		struct line *v = &l->v[i];

		if (v->addr == x.addr && v->sys == x.sys && v->kept == x.kept && v->constant == x.constant) {
			v->sectors |= x.sectors;
			return;
		}
	}
	if (l->n < MAX_LINES)
		l->v[l->n++] = x;
}

/* Where a page is.  The instruction has been executed, so mostly the TLB knows.  False: there is no memory. */
static bool find_page(struct ppu_sm *sm, const struct ppu_warp *w, uint64_t va, struct lines *l)
{
	const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];
	struct ppu_ctx *ctx = w->cta->task->ctx;
	struct ppu_xlat x;

	if (l->has_page && l->page == va >> PPU_PAGE_SHIFT)
		return true;
	l->has_page = false;
	if (e->page == va >> PPU_PAGE_SHIFT && e->ctx == ctx) {
		l->phys = ppu_tlb_phys(e);
	} else {
		if (ppu_mmu_translate(sm->core, ctx, va & ~PAGE_MASK, PPU_ACC_READ, 0, &x))
			return false;
		l->phys = x.phys;
	}
	l->page = va >> PPU_PAGE_SHIFT;
	l->has_page = true;
	return true;
}

static void add_local(struct ppu_sm *sm, const struct ppu_warp *w, uint32_t off, uint32_t bytes, unsigned lane, struct lines *l)
{
	const struct ppu_inst_block *b = &w->cta->task->ctx->blk;
	uint64_t base = b->local_base +
			((uint64_t)sm->id * sm->core->cfg.warps_per_sm + w->slot) * PPU_LANES * b->local_per_thread;
	uint32_t k;

	/* As it lies in memory: words of the lanes next to each other. */
	for (k = off / 4; k <= (off + bytes - 1) / 4; k++)
		add_bytes(sm, l, (struct line){ .addr = base + ((uint64_t)k * PPU_LANES + lane) * 4 }, 4);
}

static void add_lane(struct ppu_sm *sm, const struct ppu_warp *w, const struct access *a, uint64_t va, unsigned lane,
		     struct lines *l)
{
	unsigned space = a->space;
	struct line x = { 0 };

	if (space == PPU_SPACE_GENERIC)
		switch (va >> 32) {
		case PPU_VA_SHARED_BASE >> 32:	space = PPU_SPACE_SHARED; break;
		case PPU_VA_LOCAL_BASE >> 32:	space = PPU_SPACE_LOCAL; break;
		case PPU_VA_PARAM_BASE >> 32:	space = PPU_SPACE_PARAM; break;
		default:			space = PPU_SPACE_GLOBAL;
		}
	switch (space) {
	case PPU_SPACE_SHARED:
		return;
	case PPU_SPACE_LOCAL:
		add_local(sm, w, (uint32_t)va, a->bytes, lane, l);
		return;
	case PPU_SPACE_PARAM:	/* in no memory: lines of its own for each task */
		x.addr = ppu_param_place(w->cta->task, (uint32_t)va) & ((1ull << 56) - 1);
		x.kept = x.constant = 1;
		break;
	default:
		if (!find_page(sm, w, va, l))
			return;
		x.addr = l->phys.addr + (va & PAGE_MASK);
		x.sys = l->phys.sys;
		x.constant = space == PPU_SPACE_CONST;
	}
	add_bytes(sm, l, x, a->bytes);
}

/* ---- what an SM asks for ------------------------------------------------------------------------------- */

/* A line that an L1 does not have. */
static void miss(struct ppu_sm *sm, const struct ppu_warp *w, const struct line *x, unsigned what, unsigned bytes,
		 uint64_t cycle, struct ppu_tag *tag, struct wait *wait)
{
	struct miss *m = log_entry(sm, w, LOG_ACCESS, cycle);

	if (!m)
		return;
	m->a.addr = x->addr;
	m->a.sys = x->sys;
	m->a.kept = x->kept;
	m->a.what = (uint8_t)what;
	m->a.bytes = (uint16_t)bytes;
	m->tag = tag;
	if (tag)
		tag->fill = pending(sm->timing, m);
	wait->pending = true;
}

/* The line of code at pc, for an L1 that goes by virtual addresses. */
static void fetch(struct ppu_sm *sm, const struct ppu_warp *w, struct wait *wait)
{
	struct ppu_tags *insn = &sm->timing->insn;
	uint64_t size = sm->core->cfg.cache_line, va = w->prog->va + (uint64_t)w->pc * PPU_INSN_BYTES;
	uint64_t line = va / size, name = line | (w->prog->ctx->inst & 0xfffff) << 44;
	struct ppu_tag *tag = ppu_tags_find(insn, line, name);
	struct line x = { 0 };
	struct ppu_xlat xl;

	if (tag) {
		sm->ctr[PPU_CTR_ICACHE_HITS]++;
		wait_fill(sm, w, tag, sm->cycle, wait);
		return;
	}
	sm->ctr[PPU_CTR_ICACHE_MISSES]++;
	if (ppu_mmu_translate(sm->core, w->prog->ctx, va & ~(size - 1), PPU_ACC_EXEC, 0, &xl))
		return;		/* unmapped since: the decoded copy runs on */
	x.addr = xl.phys.addr;
	x.sys = xl.phys.sys;
	miss(sm, w, &x, PPU_MEM_FETCH, (unsigned)size, sm->cycle, ppu_tags_add(insn, line, name, NULL), wait);
}

static void constant(struct ppu_sm *sm, const struct ppu_warp *w, const struct line *x, struct wait *wait)
{
	struct ppu_tags *cnst = &sm->timing->cnst;
	uint64_t size = sm->core->cfg.cache_line, line = x->addr / size, name = line << 2 | x->kept << 1 | x->sys;
	struct ppu_tag *tag = ppu_tags_find(cnst, line, name);

	if (tag) {
		sm->ctr[PPU_CTR_CONST_HITS]++;
		wait_fill(sm, w, tag, sm->cycle, wait);
		return;
	}
	sm->ctr[PPU_CTR_CONST_MISSES]++;
	miss(sm, w, x, PPU_MEM_FETCH, (unsigned)size, sm->cycle, ppu_tags_add(cnst, line, name, NULL), wait);
}

/* The L1 for data passes some bytes of one line.  Returns the cycle in which it begins. */
static uint64_t pass(struct ppu_sm *sm, unsigned bytes)
{
	struct ppu_sm_timing *t = sm->timing;
	uint64_t start = later(sm->cycle, t->port_free);

	t->port_free = start + (bytes + sm->core->cfg.l1_width - 1) / sm->core->cfg.l1_width;
	return start;
}

static void load(struct ppu_sm *sm, const struct ppu_warp *w, const struct line *x, bool by, struct wait *wait)
{
	struct ppu_tags *data = &sm->timing->data;
	unsigned bytes = (unsigned)__builtin_popcount(x->sectors) * PPU_SECTOR_BYTES;
	uint64_t size = sm->core->cfg.cache_line, line = x->addr / size, name = line << 1 | x->sys, start = pass(sm, bytes);
	struct ppu_tag *tag = by ? NULL : ppu_tags_find(data, line, name);

	if (tag) {
		sm->ctr[PPU_CTR_L1_HITS]++;
		wait_fill(sm, w, tag, start + sm->core->cfg.l1_cycles, wait);
		return;
	}
	if (!by) {
		sm->ctr[PPU_CTR_L1_MISSES]++;
		tag = ppu_tags_add(data, line, name, NULL);
		bytes = (unsigned)size;
	}
	miss(sm, w, x, PPU_MEM_READ, bytes, start, tag, wait);
}

/* Are so many of the places for stores under way free? */
static bool has_room(const struct ppu_sm *sm, unsigned n)
{
	const struct ppu_sm_timing *t = sm->timing;
	uint32_t places = sm->core->cfg.stores_under_way, i;
	uint64_t now = ppu_sm_cycles_ns(sm->core, sm->cycle);

	for (i = 0; i < n && n <= places; i++)
		if (t->store[(t->next_store + i) % places] > now)
			return false;
	return n <= places;
}

/* One line of a store that nobody waits for, if wait is NULL. */
static void store(struct ppu_sm *sm, const struct ppu_warp *w, const struct line *x, struct wait *wait)
{
	struct ppu_sm_timing *t = sm->timing;
	unsigned bytes = (unsigned)__builtin_popcount(x->sectors) * PPU_SECTOR_BYTES;
	struct wait nobody = { 0 };
	uint32_t at = t->n;

	t->stores = true;
	miss(sm, w, x, PPU_MEM_WRITE, bytes, pass(sm, bytes), NULL, wait ? wait : &nobody);
	if (wait || t->n == at)
		return;
	t->log[at].waits = false;
	t->log[at].under_way = true;
	t->log[at].ref = t->next_store;
	t->store[t->next_store] = pending(t, &t->log[at]);
	t->next_store = (t->next_store + 1) % sm->core->cfg.stores_under_way;
}

static void access_lines(struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_dinsn *di, const struct lines *l,
			 struct wait *wait)
{
	unsigned order = di->y & 7, i;
	bool room = di->op == PPU_OP_ST && has_room(sm, l->n);

	sm->ctr[PPU_CTR_MEM_INSNS] += l->n && !l->v[0].constant;
	for (i = 0; i < l->n; i++) {
		const struct line *x = &l->v[i];
		unsigned bytes = (unsigned)__builtin_popcount(x->sectors) * PPU_SECTOR_BYTES;

		if (x->constant) {
			constant(sm, w, x, wait);
			continue;
		}
		sm->ctr[PPU_CTR_MEM_LINES]++;
		if (di->op == PPU_OP_ST)
			store(sm, w, x, room ? NULL : wait);
		else if (di->op == PPU_OP_ATOM)
			miss(sm, w, x, PPU_MEM_ATOMIC, bytes, pass(sm, bytes), NULL, wait);
		else
			load(sm, w, x, order == PPU_MO_VOLATILE || order == PPU_MO_ACQUIRE, wait);
	}
}

/* All stores of the SM so far. */
static void fence(struct ppu_sm *sm, const struct ppu_warp *w, struct wait *wait)
{
	if (sm->timing->stores) {
		wait->pending = log_entry(sm, w, LOG_FENCE, sm->cycle) || wait->pending;
		return;
	}
	wait->until = later(wait->until, ppu_sm_cycle_at(sm->core, sm->timing->stored));
}

/* The instruction is done.  Has the warp to wait? */
static enum ppu_step pause_warp(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, const struct wait *wait)
{
	struct ppu_sm_timing *t = sm->timing;

	if (!wait->pending && wait->until <= sm->cycle + di->cost)
		return PPU_GO;
	sm->ctr[PPU_CTR_MEMORY_WAITS]++;
	w->ready_at = wait->until;
	if (wait->pending) {
		t->known[w->slot] = wait->until;
		t->since[w->slot] = sm->cycle;
		t->waiting |= 1ull << w->slot;
		w->ready_at = UNKNOWN;
	} else {
		sm->ctr[PPU_CTR_MEMORY_WAIT_NS] += ppu_sm_cycles_ns(sm->core, wait->until - sm->cycle);
	}
	ppu_sm_set_state(sm, w, PPU_WARP_TIMED);
	return PPU_SWITCH;
}

enum ppu_step ppu_h_timed(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	bool mem = di->op == PPU_OP_LD || di->op == PPU_OP_ST || di->op == PPU_OP_ATOM;
	struct wait wait = { 0 };
	uint64_t va[PPU_LANES];
	enum ppu_step step;
	struct access a;
	struct lines l;
	uint32_t m;

	fetch(sm, w, &wait);
	if (di->inner_fn) {
		di->inner_fn(&w->v, di, mask);
		w->pc++;
		return pause_warp(sm, w, di, &wait);
	}
	if (mem) {	/* before the destination, which may hold the address, changes */
		access_of(w, di, di->op == PPU_OP_ATOM ? PPU_ACC_ATOMIC : PPU_ACC_READ, &a);
		for (m = mask; m; m &= m - 1)
			va[__builtin_ctz(m)] = lane_va(&a, (unsigned)__builtin_ctz(m));
	}
	step = ppu_warp_handler(di->inner)(sm, w, di, mask);
	if (step != PPU_GO)
		return step;
	if (di->op == PPU_OP_MEMBAR || (di->op == PPU_OP_ST && (di->y & 7) == PPU_MO_RELEASE))
		fence(sm, w, &wait);
	if (mem) {
		l.n = 0;
		l.has_page = false;
		for (m = mask; m; m &= m - 1)
			add_lane(sm, w, &a, va[__builtin_ctz(m)], (unsigned)__builtin_ctz(m), &l);
		access_lines(sm, w, di, &l, &wait);
	}
	return pause_warp(sm, w, di, &wait);
}

/*
 * Where a warp comes to a line of code that it was not in: where the line begins, and at turn points, which are all
 * targets of branches.  What follows such an instruction is a turn point too, because the warp may wait there.
 */
void ppu_timing_decode(const struct ppu_core *core, struct ppu_program *p, uint32_t from, uint32_t to)
{
	uint32_t i, size = core->cfg.cache_line;

	for (i = from; i < to; i++) {
		struct ppu_dinsn *di = &p->code[i];

		if (!di->turn && (p->va + (uint64_t)i * PPU_INSN_BYTES) % size && di->op != PPU_OP_LD &&
		    di->op != PPU_OP_ST && di->op != PPU_OP_ATOM && di->op != PPU_OP_MEMBAR)
			continue;
		di->inner_fn = di->fn;
		di->inner = di->handler;
		di->fn = NULL;
		di->handler = PPU_H_timed;
	}
}

void ppu_timing_turns(struct ppu_program *p, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = from; i < to; i++)
		p->code[i + 1].turn |= p->code[i].handler == PPU_H_timed;
}

/* ---- between rounds ------------------------------------------------------------------------------------ */

static void settle(struct ppu_core *core, struct ppu_sm *sm, uint32_t i)
{
	struct ppu_sm_timing *t = sm->timing;
	struct miss *m = &t->log[i];
	uint64_t cycle;

	switch (m->kind) {
	case LOG_MERGE:	m->done = t->log[m->ref].done; break;
	case LOG_FENCE:	m->done = t->stored; break;
	default:	m->done = ppu_memsys_access(core, &m->a); break;
	}
	cycle = ppu_sm_cycle_at(core, m->done);
	if (m->tag && m->tag->fill == pending(t, m))
		m->tag->fill = cycle;
	if (m->under_way && t->store[m->ref] == pending(t, m))
		t->store[m->ref] = m->done;
	if (m->kind == LOG_ACCESS && m->a.what == PPU_MEM_WRITE)
		t->stored = later(t->stored, m->done);
	if (m->waits)
		t->known[m->warp] = later(t->known[m->warp], cycle);
}

/* Warps that wait know until when. */
static void release(struct ppu_core *core, struct ppu_sm *sm)
{
	struct ppu_sm_timing *t = sm->timing;
	uint64_t set;

	for (set = t->waiting; set; set &= set - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(set);
		struct ppu_warp *w = &sm->warp[slot];

		if (w->state != PPU_WARP_TIMED || w->ready_at != UNKNOWN)	/* its CTA has faulted */
			continue;
		w->ready_at = t->known[slot];
		core->ctr[PPU_CTR_MEMORY_WAIT_NS] += ppu_sm_cycles_ns(core, w->ready_at - t->since[slot]);
		sm->next_timed = 0;
	}
	t->waiting = 0;
	t->n = 0;
	t->stores = false;
}

/* Makes the accesses of the round, in order: the SM whose next one is first, and of those the one with the lowest number. */
static void settle_all(struct ppu_core *core, const uint32_t *id, uint32_t n)
{
	uint32_t i, k, *pos = core->timing->pos;

	for (i = 0; i < n; i++)
		pos[i] = 0;
	for (;;) {
		uint64_t first = UINT64_MAX, second = UINT64_MAX;
		struct ppu_sm_timing *t;

		k = n;
		for (i = 0; i < n; i++) {
			uint64_t at;

			t = core->sms[id[i]].timing;
			if (pos[i] == t->n)
				continue;
			at = t->log[pos[i]].a.time;
			if (at < first) {
				second = first;
				first = at;
				k = i;
			} else if (at < second) {
				second = at;
			}
		}
		if (k == n)
			break;
		t = core->sms[id[k]].timing;
		do
			settle(core, &core->sms[id[k]], pos[k]++);
		while (pos[k] < t->n && t->log[pos[k]].a.time < second);
	}
	for (i = 0; i < n; i++)
		release(core, &core->sms[id[i]]);
}

/* Not after anything that the SM does next. */
static uint64_t next_time(struct ppu_core *core, uint32_t id)
{
	return core->sms[id].ready ? ppu_sm_cycles_ns(core, core->sms[id].cycle) : ppu_sm_next_time(core, id);
}

void ppu_timing_run(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1)
{
	uint32_t *list = core->timing->list, i, num;
	uint64_t t = t0, end;

	while (t < t1) {
		uint64_t first = t1;

		for (i = 0; i < n; i++) {
			uint64_t next = next_time(core, id[i]);

			first = next < first ? next : first;
		}
		end = later(t, first) + ppu_memsys_round(core);
		end = end < t1 ? end : t1;
		/* The last round brings all SMs to the end of the window. */
		for (i = num = 0; i < n; i++)
			if (end == t1 || next_time(core, id[i]) < end)
				list[num++] = id[i];
		ppu_memsys_advance(core, later(t, first));
		ppu_sms_round(core, list, num, t0, end);
		settle_all(core, list, num);
		t = end;
	}
}

void ppu_timing_task_begins(struct ppu_core *core)
{
	uint32_t i;

	for (i = 0; i < core->num_sms; i++) {
		ppu_tags_reset(&core->sms[i].timing->data);
		ppu_tags_reset(&core->sms[i].timing->cnst);
	}
}

uint64_t ppu_sm_stored(const struct ppu_core *core, unsigned id)
{
	return core->timing ? core->sms[id].timing->stored : 0;
}

/* ---- unit ---------------------------------------------------------------------------------------------- */

static int create_sm(struct ppu_core *core, struct ppu_sm *sm)
{
	const struct ppu_config *cfg = &core->cfg;
	struct ppu_sm_timing *t = sm->timing = ppu_alloc(1, sizeof(*t));

	if (!t)
		return -1;
	/* Each warp waits for one instruction at most, which has MAX_LINES lines, its code and a fence. */
	t->cap = cfg->warps_per_sm * (MAX_LINES + 2) + 2 * cfg->stores_under_way + MAX_LINES;
	t->log = ppu_alloc(t->cap, sizeof(*t->log));
	t->store = ppu_alloc(cfg->stores_under_way, sizeof(*t->store));
	return t->log && t->store &&
	       !ppu_tags_create(&t->data, (uint32_t)cfg->l1_bytes / cfg->cache_line / cfg->l1_ways, cfg->l1_ways) &&
	       !ppu_tags_create(&t->insn, (uint32_t)cfg->l1i_bytes / cfg->cache_line / SMALL_WAYS, SMALL_WAYS) &&
	       !ppu_tags_create(&t->cnst, (uint32_t)cfg->l1c_bytes / cfg->cache_line / SMALL_WAYS, SMALL_WAYS) ? 0 : -1;
}

int ppu_timing_create(struct ppu_core *core)
{
	uint32_t i;

	if (!core->memsys)
		return 0;
	core->timing = ppu_alloc(1, sizeof(*core->timing));
	if (!core->timing)
		return -1;
	core->timing->list = ppu_alloc(core->num_sms, sizeof(*core->timing->list));
	core->timing->pos = ppu_alloc(core->num_sms, sizeof(*core->timing->pos));
	if (!core->timing->list || !core->timing->pos)
		return -1;
	for (i = 0; i < core->num_sms; i++)
		if (create_sm(core, &core->sms[i]))
			return -1;
	return 0;
}

void ppu_timing_destroy(struct ppu_core *core)
{
	uint32_t i;

	if (!core->timing)
		return;
	for (i = 0; core->sms && i < core->num_sms; i++) {
		struct ppu_sm_timing *t = core->sms[i].timing;

		if (!t)
			continue;
		ppu_tags_destroy(&t->data);
		ppu_tags_destroy(&t->insn);
		ppu_tags_destroy(&t->cnst);
		ppu_free(t->log);
		ppu_free(t->store);
		ppu_free(t);
	}
	ppu_free(core->timing->list);
	ppu_free(core->timing->pos);
	ppu_free(core->timing);
	core->timing = NULL;
}

void ppu_timing_reset(struct ppu_core *core)
{
	uint32_t i;

	if (!core->timing)
		return;
	for (i = 0; i < core->num_sms; i++) {
		struct ppu_sm_timing *t = core->sms[i].timing;

		ppu_tags_reset(&t->data);
		ppu_tags_reset(&t->insn);
		ppu_tags_reset(&t->cnst);
		t->port_free = t->last_miss = t->stored = t->waiting = 0;
		t->n = t->next_store = 0;
		t->stores = false;
		memset(t->store, 0, core->cfg.stores_under_way * sizeof(*t->store));
	}
}

/* Logs are empty between windows, and all times are known. */
void ppu_timing_io(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t i, k;

	if (!core->timing)
		return;
	ppu_io_section(io, "TIME");
	for (i = 0; i < core->num_sms && !io->failed; i++) {
		struct ppu_sm_timing *t = core->sms[i].timing;

		ppu_tags_io(&t->data, io);
		ppu_tags_io(&t->insn, io);
		ppu_tags_io(&t->cnst, io);
		ppu_io_u64(io, &t->port_free);
		ppu_io_u64(io, &t->last_miss);
		ppu_io_u64(io, &t->stored);
		ppu_io_u32(io, &t->next_store);
		for (k = 0; k < core->cfg.stores_under_way; k++) {
			ppu_io_u64(io, &t->store[k]);
			if (t->store[k] >> 62)
				ppu_io_fail(io, "SM %u: a store arrives at an impossible time", i);
		}
		if ((t->port_free | t->last_miss | t->stored) >> 62 || t->next_store >= core->cfg.stores_under_way)
			ppu_io_fail(io, "SM %u: impossible times of its memory accesses", i);
	}
}
