/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other store path: an SM with a store buffer (properties store-delay-ns and store-reorder).
 *
 * Stores to global memory wait in a bounded buffer of the SM and reach memory at a later device time,
 * in order or, with store-reorder, in a seeded random one.  Loads of the SM see the waiting stores (so a CTA,
 * which lives on one SM, notices nothing); everybody else sees memory only.  This is what shows which fences a
 * program needs (WQ-18, WQ-19).
 *
 * The buffer drains at fences, releases, atomics, device-side launches, when a CTA is saved or aborted, when a task
 * is complete for which another one waits, when translations become invalid, and one entry at a time when it is full
 * or an entry's time has come.  The end of a CTA does not drain it: its stores outlive the CTA, and WFI waits for them
 * (tmu.c, chan_idle).  Faults are found at the store itself.  Entries hold physical addresses: a store cannot end up in a
 * page that was mapped since.
 *
 * The handlers here replace those of lsu.c in programs that are decoded while one of the properties is set.
 * So the plain path does not test for the properties.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/storebuf.h"
#include "core/sm/warp.h"

#define ENTRIES 256

struct entry {
	struct ppu_phys phys;
	uint64_t due;		/* ns */
	uint8_t len;		/* power of two, at most 16; aligned */
	uint8_t data[16];
};

/* Oldest first. */
struct ppu_storebuf {
	uint32_t n;
	uint64_t rng;
	struct entry e[ENTRIES];
};

int ppu_storebuf_create(struct ppu_sm *sm)
{
	if (!sm->core->cfg.store_delay_ns && !sm->core->cfg.store_reorder)
		return 0;
	sm->sb = ppu_alloc(1, sizeof(*sm->sb));
	return sm->sb ? 0 : -1;
}

void ppu_storebuf_destroy(struct ppu_sm *sm)
{
	ppu_free(sm->sb);
	sm->sb = NULL;
}

void ppu_storebuf_reset(struct ppu_sm *sm)
{
	if (!sm->sb)
		return;
	sm->sb->n = 0;
	sm->sb->rng = sm->core->cfg.seed ^ (uint64_t)(sm->id + 1) << 32;
}

uint8_t ppu_storebuf_handler(uint8_t handler)
{
	switch (handler) {
	case PPU_H_ld:		return PPU_H_ld_buf;
	case PPU_H_st:		return PPU_H_st_buf;
	case PPU_H_atom:	return PPU_H_atom_buf;
	case PPU_H_membar:	return PPU_H_membar_buf;
	case PPU_H_tlaunch:	return PPU_H_tlaunch_buf;
	default:		return handler;
	}
}

/* ---- to memory ---------------------------------------------------------------------------------- */

/* False: there is no memory any more (it was unplugged): the store is lost. */
static bool write_entry(struct ppu_sm *sm, const struct entry *e)
{
	uint64_t len = e->len, v = 0;
	uint8_t *p = ppu_mem_map(sm->core, e->phys, &len, true);
	unsigned k, step = e->len > 8 ? 8 : e->len;

	if (!p || len < e->len)
		return false;
	for (k = 0; k < e->len; k += step) {
		memcpy(&v, e->data + k, step);
		store_mem(p + k, step, v);
	}
	ppu_mem_dirty(sm->core, e->phys, e->len);
	sm->ctr[PPU_CTR_PARTITION_WRITES]++;
	return true;
}

/* Writes entry i.  In a window, whoever waits for the word is told at the window's end, otherwise at once. */
static void drain_one(struct ppu_sm *sm, uint32_t i, bool in_window)
{
	struct ppu_storebuf *sb = sm->sb;
	struct entry e = sb->e[i];
	struct ppu_effect *x;

	memmove(&sb->e[i], &sb->e[i + 1], (--sb->n - i) * sizeof(sb->e[0]));
	if (!write_entry(sm, &e))
		return;
	if (!in_window) {
		ppu_sem_written(sm->core, e.phys, e.len, PPU_TRW_SM, sm->id);
	} else if (ppu_mem_watched(sm->core, e.phys)) {
		x = ppu_sm_effect(sm, PPU_FX_STORE, NULL);
		sm->fx.lost_stores |= !x;
		if (x) {
			x->phys = e.phys;
			x->len = e.len;
		}
	}
}

/* The entry that is due first.  Of two overlapping entries the older one is never due later. */
static uint32_t first_due(const struct ppu_storebuf *sb)
{
	uint32_t i, best = 0;

	for (i = 1; i < sb->n; i++)
		if (sb->e[i].due < sb->e[best].due)
			best = i;
	return best;
}

void ppu_storebuf_drain(struct ppu_sm *sm)
{
	while (sm->sb->n)
		drain_one(sm, first_due(sm->sb), true);
}

void ppu_storebuf_settle(struct ppu_sm *sm)
{
	while (sm->sb->n)
		drain_one(sm, first_due(sm->sb), false);
}

void ppu_storebuf_settle_all(struct ppu_core *core)
{
	uint32_t i;

	if (!core->sms[0].sb)		/* all SMs have a buffer, or none */
		return;
	for (i = 0; i < core->num_sms; i++)
		ppu_storebuf_settle(&core->sms[i]);
}

void ppu_storebuf_window(struct ppu_sm *sm, uint64_t t1)
{
	while (ppu_storebuf_next(sm) < t1)
		drain_one(sm, first_due(sm->sb), true);
}

uint64_t ppu_storebuf_next(const struct ppu_sm *sm)
{
	return sm->sb->n ? sm->sb->e[first_due(sm->sb)].due : PPU_TIME_NEVER;
}

uint64_t ppu_storebuf_last(const struct ppu_sm *sm)
{
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < sm->sb->n; i++)
		if (sm->sb->e[i].due > last)
			last = sm->sb->e[i].due;
	return last;
}

/* ---- into the buffer ------------------------------------------------------------------------------ */

static bool overlaps(const struct entry *e, struct ppu_phys p, uint32_t len)
{
	return e->phys.sys == p.sys && p.addr < e->phys.addr + e->len && e->phys.addr < p.addr + len;
}

static uint64_t random64(struct ppu_storebuf *sb)
{
	uint64_t x = sb->rng += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Device time at which a store made now reaches memory.  With store-reorder alone, stores spread over a
 * window. */
static uint64_t due_time(struct ppu_sm *sm)
{
	const struct ppu_config *cfg = &sm->core->cfg;
	uint64_t delay = cfg->store_delay_ns ? cfg->store_delay_ns : cfg->window_ns;

	return ppu_sm_time(sm) + (cfg->store_reorder ? random64(sm->sb) % (delay + 1) : delay);
}

static void insert(struct ppu_sm *sm, struct ppu_phys phys, const void *data, uint32_t len)
{
	struct ppu_storebuf *sb = sm->sb;
	uint64_t due = due_time(sm);
	struct entry *e;
	uint32_t i;

	if (sb->n == ENTRIES)
		drain_one(sm, first_due(sb), true);
	/* Stores to one place stay in order. */
	for (i = 0; i < sb->n; i++)
		if (overlaps(&sb->e[i], phys, len) && sb->e[i].due > due)
			due = sb->e[i].due;
	e = &sb->e[sb->n++];
	memset(e, 0, sizeof(*e));
	e->phys = phys;
	e->due = due;
	e->len = (uint8_t)len;
	memcpy(e->data, data, len);
}

/* Global memory that is not PPU_PTE_NULL: stores to it are buffered. */
static bool has_memory(const struct ref *r)
{
	return r->e && !(r->e->flags & PPU_TLB_NULL);
}

static struct ppu_phys phys_of(const struct ref *r)
{
	struct ppu_phys p = ppu_tlb_phys(r->e);

	p.addr += r->va & PAGE_MASK;
	return p;
}

/* Reads memory and lays the waiting stores over it, oldest first.  False: no store waits for these bytes. */
static bool forward(const struct ppu_storebuf *sb, const struct ref *r, const struct access *a, uint8_t *out)
{
	struct ppu_phys p = phys_of(r);
	uint32_t i, k, step = a->esz > 8 ? 8 : a->esz;
	bool found = false;

	for (i = 0; i < sb->n; i++) {
		const struct entry *e = &sb->e[i];

		if (!overlaps(e, p, a->bytes))
			continue;
		for (k = 0; !found && k < a->bytes; k += step) {
			uint64_t v = load_mem(r->p + k, step);

			memcpy(out + k, &v, step);
		}
		found = true;
		for (k = 0; k < a->bytes; k++)
			if (p.addr + k - e->phys.addr < e->len)
				out[k] = e->data[p.addr + k - e->phys.addr];
	}
	return found;
}

/* ---- handlers -------------------------------------------------------------------------------------- */

enum ppu_step ppu_h_ld_buf(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t out[PPU_LANES][4], m;
	struct access a;
	unsigned k, n;

	if (!sm->sb->n)
		return ppu_h_ld(sm, w, di, mask);
	access_of(w, di, PPU_ACC_READ, &a);
	n = ppu_lsu_transactions(sm, &a, mask);
	/* Do all loads first, because the destination may hold the addresses. */
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint8_t bytes[16] __attribute__((aligned(16)));
		struct ref r;

		if (ppu_lsu_ref(sm, w, &a, lane, &r) != PPU_GO)
			return PPU_SWITCH;
		if (has_memory(&r) && forward(sm->sb, &r, &a, bytes))
			r.p = bytes;
		lane_load(&a, &r, lane, out[lane]);
	}
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);

		for (k = 0; k < (unsigned)a.n * a.regs; k++)
			w->v.row[di->d + k][lane] = out[lane][k];
	}
	sm->ctr[PPU_CTR_PARTITION_READS] += n;
	host_acquire(di);
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_st_buf(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct access a;
	uint32_t m, in[4];
	unsigned k;

	access_of(w, di, PPU_ACC_WRITE, &a);
	if ((di->y & 7) == PPU_MO_RELEASE)
		ppu_storebuf_drain(sm);
	host_release(di);
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint8_t bytes[16] __attribute__((aligned(16)));
		struct ref r, to;

		if (ppu_lsu_ref(sm, w, &a, lane, &r) != PPU_GO)
			return PPU_SWITCH;
		for (k = 0; k < (unsigned)a.n * a.regs; k++)
			in[k] = w->v.row[di->b + k][lane];
		to = r;
		if (r.e)
			to.p = bytes;
		lane_store(&a, &to, lane, in);
		if (has_memory(&r))
			insert(sm, phys_of(&r), bytes, a.bytes);
	}
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_atom_buf(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	ppu_storebuf_drain(sm);
	return ppu_h_atom(sm, w, di, mask);
}

enum ppu_step ppu_h_membar_buf(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	ppu_storebuf_drain(sm);
	return ppu_h_membar(sm, w, di, mask);
}

/* A child sees what its parent wrote before. */
enum ppu_step ppu_h_tlaunch_buf(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	ppu_storebuf_drain(sm);
	return ppu_h_tlaunch(sm, w, di, mask);
}

/* ---- save and restore -------------------------------------------------------------------------------- */

void ppu_storebuf_io(struct ppu_sm *sm, struct ppu_io *io)
{
	struct ppu_storebuf *sb = sm->sb;
	uint32_t i;

	ppu_io_u32(io, &sb->n);
	ppu_io_u64(io, &sb->rng);
	if (sb->n > ENTRIES) {
		sb->n = 0;
		ppu_io_fail(io, "SM %u: the store buffer holds too much", sm->id);
	}
	for (i = 0; i < sb->n && !io->failed; i++) {
		struct entry *e = &sb->e[i];

		ppu_io_u64(io, &e->phys.addr);
		ppu_io_u8(io, &e->phys.sys);
		ppu_io_u64(io, &e->due);
		ppu_io_u8(io, &e->len);
		ppu_io_bytes(io, e->data, sizeof(e->data));
		if (io->loading && (e->phys.sys > 1 || !e->len || e->len > 16 || (e->len & (e->len - 1)) ||
				    e->phys.addr % e->len))
			ppu_io_fail(io, "SM %u: impossible entry %u of the store buffer", sm->id, i);
	}
}
