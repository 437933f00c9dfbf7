/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copy engines.  Documentation/hw/copy.md.
 *
 * A copy moves in chunks of at most PPU_COPY_CHUNK_BYTES, each at its own device time; the last one
 * is in memory before the done event.  Bytes go straight from page to page: memmove between host
 * pointers of VRAM and guest RAM.  A linear copy whose destination overlaps the source from above
 * runs from its end, so that it does what memmove does; a pitched one always runs from its first row.
 */
#include <string.h>
#include <hw/ppu_observe.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/inject.h"
#include "core/base/trace.h"
#include "core/host/ce.h"
#include "core/host/chan.h"
#include "core/host/hostsched.h"
#include "core/memory/ctx.h"
#include "core/memory/mem.h"
#include "core/memory/memsys.h"
#include "core/memory/mmu.h"
#include "core/memory/past_cache.h"
#include "core/memory/sem.h"

#define MAX_PIECES 8192			/* rows or pages one chunk may touch: bounds an event */
#define MIN_ROW_COST 32			/* bytes a row of a pitched copy is charged at least */
#define STREAM_BYTES (32ull << 20)	/* a cached copy this large would only flush the host's caches */
#define STREAM_PIECE (16 * PPU_PAGE_SIZE)	/* of such a copy: shorter pieces are faster through them */
#define AHEAD_BYTES (4ull << 20)	/* what is smaller lies in the host's caches */

struct engine {
	struct ppu_event event;		/* end of the current chunk */
	struct ppu_ctx *ctx;		/* NULL: free */
	struct ppu_copy c;
	uint64_t row, off;		/* next byte to move (counted from the end when backward) */
	uint64_t cost_bytes;		/* charged so far */
	uint64_t start;
	uint64_t late;			/* ns that x-fault-ce-reorder adds */
	bool sys;			/* x-fault-dma-fail: the copy has touched system memory */
	uint64_t waited;		/* ns: for ports (memory-timing) */
	uint64_t moved;
	uint64_t chunk_rows, chunk_bytes;	/* what the running chunk covers: whole rows or part of one */
	bool backward;
};

struct ppu_ces {
	struct engine *v;
};

static void chunk_end(struct ppu_core *core, void *arg);

static bool is_fill(const struct ppu_copy *c)
{
	return c->op == PPU_CMD_FILL || c->op == PPU_CMD_FILL_2D;
}

static uint64_t total_bytes(const struct ppu_copy *c)
{
	return c->width * c->rows;
}

static bool finished(const struct engine *e)
{
	return !e->c.width || e->row >= e->c.rows;
}

/* With memory-timing others share the ports, and wait at most for so much. */
static uint64_t chunk_bytes(const struct ppu_core *core)
{
	return core->memsys ? PPU_COPY_CHUNK_BYTES / 32 : PPU_COPY_CHUNK_BYTES;
}

/* Adds the bytes of the chunk at va to those of VRAM or of system memory.  What cannot be accessed passes no port. */
static void add_traffic(struct ppu_core *core, const struct engine *e, uint64_t va, unsigned acc, uint64_t n, uint64_t *bytes)
{
	struct ppu_xlat x;

	if (!ppu_mmu_translate(core, e->ctx, va, acc, 0, &x))
		bytes[x.phys.sys] += n;
}

/*
 * memory-timing: the chunk passes the ports where its first bytes are.  Returns when it has, which is not before `end`, when
 * the engine alone would be done.
 */
static uint64_t pass_ports(struct ppu_core *core, struct engine *e, uint64_t setup, uint64_t end)
{
	const struct ppu_copy *c = &e->c;
	uint64_t n = e->chunk_rows ? e->chunk_rows * c->width : e->chunk_bytes, bytes[2] = { 0, 0 }, done;
	uint64_t at = e->backward ? c->width - e->off - n : e->off, begin = e->start + setup + e->late;

	add_traffic(core, e, c->dst + e->row * c->dst_pitch + at, PPU_ACC_WRITE, n, bytes);
	if (!is_fill(c))
		add_traffic(core, e, c->src + e->row * c->src_pitch + at, PPU_ACC_READ, n, bytes);
	end += e->waited;
	done = ppu_memsys_copy(core, begin > core->now ? begin : core->now, bytes[0], bytes[1]);
	if (done > end) {
		e->waited += done - end;
		end = done;
	}
	return end;
}

/* Plans the next chunk and schedules its end. */
static void next_chunk(struct ppu_core *core, struct engine *e)
{
	const struct ppu_copy *c = &e->c;
	uint64_t setup = core->cfg.cost_cmd_ns + (uint64_t)core->cfg.cost_ce_setup_ns, most = chunk_bytes(core), end;

	e->chunk_rows = e->chunk_bytes = 0;
	if (!finished(e)) {
		if (e->off || c->width > most / 2 || c->rows == 1) {
			e->chunk_bytes = c->width - e->off;
			if (e->chunk_bytes > most)
				e->chunk_bytes = most;
			e->cost_bytes += e->chunk_bytes;
		} else {
			uint64_t cost = c->width < MIN_ROW_COST ? MIN_ROW_COST : c->width;

			e->chunk_rows = most / cost;
			if (e->chunk_rows > MAX_PIECES)
				e->chunk_rows = MAX_PIECES;
			if (e->chunk_rows > c->rows - e->row)
				e->chunk_rows = c->rows - e->row;
			e->cost_bytes += e->chunk_rows * cost;
		}
	}
	/* The end is computed from the start of the copy, so that the rounding of chunks does not add up.
	 * cost_bytes < 2^80 / mbps never overflows in practice: 2^54 bytes take longer than 2^63 ns at the
	 * highest bandwidth allowed. */
	end = e->start + setup + e->late + (uint64_t)((unsigned __int128)e->cost_bytes * 1000 / core->cfg.cost_ce_mbps);
	if (core->memsys)
		end = pass_ports(core, e, setup, end);
	ppu_event_schedule(core, &e->event, end);
}

int ppu_ce_free(struct ppu_core *core, uint32_t mask)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++)
		if (!core->ces->v[i].ctx && (!mask || (mask & 1u << i)))
			return (int)i;
	return -1;
}

bool ppu_ce_busy(const struct ppu_core *core, unsigned engine)
{
	return core->ces->v[engine].ctx != NULL;
}

void ppu_ce_start(struct ppu_core *core, unsigned engine, struct ppu_ctx *ctx,
		  const struct ppu_copy *copy)
{
	struct engine *e = &core->ces->v[engine];

	e->ctx = ctx;
	e->c = *copy;
	e->row = e->off = e->cost_bytes = e->moved = 0;
	e->start = core->now;
	e->backward = copy->op == PPU_CMD_COPY && copy->dst > copy->src &&
		      copy->dst - copy->src < copy->width;
	PPU_TRACE(core, CE_START, engine, copy->chid, copy->id, total_bytes(copy), copy->dst);
	e->sys = false;
	e->waited = 0;
	e->late = core->cfg.fault_ce_reorder ? ppu_inject_copy(core, engine) : 0;
	next_chunk(core, e);
}

static void stop(struct ppu_core *core, struct engine *e)
{
	ppu_event_cancel(core, &e->event);
	core->ctr[PPU_CTR_CE_BUSY_NS] += core->now - e->start;
	e->ctx = NULL;
}

void ppu_ce_abort(struct ppu_core *core, unsigned chid)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++) {
		struct engine *e = &core->ces->v[i];

		if (!e->ctx || e->c.chid != chid)
			continue;
		PPU_TRACE(core, CE_ABORT, i, chid, e->c.id, 0, 0);
		stop(core, e);
	}
}

static void fault(struct ppu_core *core, struct engine *e, unsigned err, uint64_t va, unsigned acc)
{
	struct ppu_fault_rec rec = {
		.va = va, .access = (uint8_t)acc, .unit = PPU_UNIT_CE,
		.unit_index = (uint16_t)(e - core->ces->v), .pc = ~0u, .lane = PPU_FAULT_NO_LANE,
		.code = err == PPU_ERR_SM_DMA ? PPU_ERR_DMA_FAULT : PPU_ERR_COPY_FAULT,
	};

	/* This call stops the channel, and so aborts the copy on this engine. */
	ppu_chan_fault(core, e->c.chid, &rec);
}

static void written(struct ppu_core *core, struct engine *e, uint64_t addr, bool sys, bool real, uint64_t n)
{
	struct ppu_phys p = { addr, sys };

	if (!real)
		return;
	ppu_mem_dirty(core, p, n);
	ppu_sem_written(core, p, n, PPU_TRW_CE, (unsigned)(e - core->ces->v));
}

/* Would this much data only flush the host's caches?  A piece does not say: what counts is the copy. */
static bool streams(const struct ppu_copy *c, uint64_t n)
{
	return n >= STREAM_PIECE && total_bytes(c) >= STREAM_BYTES;
}

/* Fills n bytes at host.  A piece begins at a whole element, because pages and chunks are multiples of the
 * element size. */
static void pattern(const struct ppu_copy *c, uint8_t *host, uint64_t n)
{
	unsigned size = 1u << c->elem_log2;
	uint8_t p[32];

	for (unsigned i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)(c->value >> (8 * (i % size)));
	if (streams(c, n)) {
		uint64_t done = -(uintptr_t)host % PPU_LINE;

		for (uint64_t i = 0; i < done; i++)
			host[i] = p[i % 8];
		memmove(p, p + done % 8, 16);
		done += ppu_past_cache_fill(host + done, p, n - done);
		host += done;
		n -= done;
	}
	if (!memcmp(p, p + 1, 15)) {
		memset(host, p[0], n);
		return;
	}
	for (; n >= 16; host += 16, n -= 16)
		memcpy(host, p, 16);
	memcpy(host, p, n);
}

/*
 * Moves a piece of a copy.  For a huge move, memmove() writes past the host's caches.  But memmove() sees only
 * a piece at a time, so this function writes past the caches for the long pieces of a huge copy.
 */
static void move_piece(const struct ppu_copy *c, uint8_t *dst, const uint8_t *src, uint64_t n)
{
	if (streams(c, n) && (dst >= src + n || src >= dst + n)) {
		uint64_t done = -(uintptr_t)dst % PPU_LINE;

		memcpy(dst, src, done);
		done += ppu_past_cache_copy(dst + done, src + done, n - done);
		dst += done;
		src += done;
		n -= done;
	}
	memmove(dst, src, n);
}

/* Has the host fetch what is moved next: short pieces do not tell it by themselves what follows. */
static void fetch_ahead(const struct ppu_copy *c, uint8_t *dst, const uint8_t *src, uint64_t n)
{
	if (n > PPU_PAGE_SIZE || total_bytes(c) < AHEAD_BYTES)
		return;
	for (uint64_t i = 0; i < n; i += PPU_LINE) {
		__builtin_prefetch(src + i);
		__builtin_prefetch(dst + i, 1);
	}
}

/* A page that was just looked up, so that rows in it need not ask again. */
struct view {
	uint64_t va, len;		/* len 0: none */
	uint64_t misses;		/* of the TLB so far, then */
	uint32_t gen;
	struct ppu_xlat x;
};

/* Host memory in one piece.  Members of 8 bytes each: what is read wider than it was written waits until the stores
 * before it, which may be many that go past the caches, have left the host's core. */
struct span {
	uint8_t *host;
	uint64_t addr, sys, len;	/* addr, sys: physical */
	uint64_t pte;			/* of the first page */
};

/*
 * ppu_mmu_lookup(), or without asking what it would answer.  Since the TLB missed last, it has filled no entry; so a
 * page that it had then is there still, and asking would count nothing.
 */
static inline int look(struct ppu_core *core, struct engine *e, struct view *w, uint64_t va, unsigned acc, struct span *s)
{
	uint64_t off = va - w->va, misses = core->ctr[PPU_CTR_TLB_MISSES];

	if (off >= w->len || w->misses != misses || w->gen != core->xlat_gen) {
		int err = ppu_mmu_lookup(core, e->ctx, va, acc, PPU_XL_NULL, &w->x);

		w->len = 0;
		if (err)
			return err;
		w->va = va;
		w->misses = core->ctr[PPU_CTR_TLB_MISSES];
		w->gen = core->xlat_gen;
		/* A page that did not fit into the TLB would miss again; what begins at the page's start fits. */
		if (w->misses == misses || !(va % (1ull << PPU_PT_SHIFT(w->x.level))))
			w->len = w->x.len;
		off = 0;
	}
	s->host = w->x.host + off;
	s->addr = w->x.phys.addr + off;
	s->sys = w->x.phys.sys;
	s->len = w->x.len - off;
	s->pte = w->x.pte;
	return 0;
}

/* Translates [va, va + n) as far as it is one piece of host memory, because a few long moves are faster
 * than many short ones. */
static int extent(struct ppu_core *core, struct engine *e, struct view *w, uint64_t va, unsigned acc, uint64_t n,
		  struct span *s)
{
	int err = look(core, e, w, va, acc, s);
	struct span next;

	if (err)
		return err;
	while (s->len < n && !look(core, e, w, va + s->len, acc, &next)) {
		if (next.host != s->host + s->len || next.sys != s->sys || next.addr != s->addr + s->len ||
		    (next.pte & PPU_PTE_NULL))
			break;
		s->len += next.len;
	}
	return 0;
}

/* x-fault-dma-fail: does the copy fail here?  This is asked once for each copy, when the copy first reaches
 * system memory. */
static bool dma_fails(struct ppu_core *core, struct engine *e, bool sys)
{
	if (!core->cfg.fault_dma_fail || !sys || e->sys)
		return false;
	e->sys = true;
	return ppu_inject_dma(core, (unsigned)(e - core->ces->v));
}

/*
 * Pieces whose translations are known, to be moved in this order: so the host can fetch one while it moves another.  What was
 * written is told when all are moved, once for neighbours: who is told may wait until all stores have left the host's core.
 */
struct pieces {
	unsigned n;
	struct piece {
		uint8_t *to;
		const uint8_t *from;	/* NULL: a fill */
		uint64_t len, addr, sys;
		bool real;		/* not a page that drops what is written to it */
	} v[16];
};

static void move_pieces(struct ppu_core *core, struct engine *e, struct pieces *q)
{
	struct piece *first = q->v, *end = q->v + q->n, *p;

	for (p = q->v; p < end; p++) {
		if (p->from && p + 1 < end)
			fetch_ahead(&e->c, p[1].to, p[1].from, p[1].len);
		if (p->from)
			move_piece(&e->c, p->to, p->from, p->len);
		else
			pattern(&e->c, p->to, p->len);
	}
	for (p = q->v + 1; p < end; p++) {
		if (p->sys == first->sys && p->addr == first->addr + first->len && p->real == first->real) {
			first->len += p->len;
			continue;
		}
		written(core, e, first->addr, first->sys, first->real, first->len);
		first = p;
	}
	if (q->n)
		written(core, e, first->addr, first->sys, first->real, first->len);
	q->n = 0;
}

/* Adds a piece.  Whoever waits for a word in it goes on before anything else is looked up. */
static void add_piece(struct ppu_core *core, struct engine *e, struct pieces *q, const struct span *d, const uint8_t *from,
		      uint64_t n)
{
	struct ppu_phys p = { d->addr, d->sys };

	q->v[q->n++] = (struct piece){ d->host, from, n, d->addr, d->sys, !(d->pte & PPU_PTE_NULL) };
	if (q->n == sizeof(q->v) / sizeof(q->v[0]) || e->backward || ppu_mem_watched_range(core, p, n))
		move_pieces(core, e, q);
	e->moved += n;
	core->ctr[PPU_CTR_CE_BYTES] += n;
}

/* Moves n bytes of one row, starting `at` bytes into it.  view: of the destination, of the source. */
static bool move(struct ppu_core *core, struct engine *e, struct view *view, struct pieces *q, uint64_t row, uint64_t at,
		 uint64_t n)
{
	const struct ppu_copy *c = &e->c;
	uint64_t dst = c->dst + row * c->dst_pitch + at, src = c->src + row * c->src_pitch + at;
	struct span d, s;
	int err;

	while (n) {
		uint64_t part = n, skip = 0;

		/* Backward: the last piece that lies in one 4 KiB page on both sides. */
		if (e->backward) {
			uint64_t a = (dst + n - 1) % PPU_PAGE_SIZE + 1;
			uint64_t b = (src + n - 1) % PPU_PAGE_SIZE + 1;

			part = a < b ? a : b;
			if (part > n)
				part = n;
			skip = n - part;
		}
		err = extent(core, e, &view[0], dst + skip, PPU_ACC_WRITE, part, &d);
		if (!err && dma_fails(core, e, d.sys))
			err = PPU_ERR_SM_DMA;
		if (err) {
			move_pieces(core, e, q);
			fault(core, e, (unsigned)err, dst + skip, PPU_ACC_WRITE);
			return false;
		}
		if (part > d.len)
			part = d.len;
		s.host = NULL;
		if (!is_fill(c)) {
			err = extent(core, e, &view[1], src + skip, PPU_ACC_READ, part, &s);
			if (!err && dma_fails(core, e, s.sys))
				err = PPU_ERR_SM_DMA;
			if (err) {
				move_pieces(core, e, q);
				fault(core, e, (unsigned)err, src + skip, PPU_ACC_READ);
				return false;
			}
			if (part > s.len)
				part = s.len;
		}
		add_piece(core, e, q, &d, s.host, part);
		n -= part;
		if (!e->backward) {
			dst += part;
			src += part;
		}
	}
	return true;
}

/* Host memory of n bytes at va, if the view has them all. */
static uint8_t *seen(const struct ppu_core *core, const struct view *w, uint64_t va, uint64_t n)
{
	uint64_t off = va - w->va;

	if (off >= w->len || w->len - off < n || w->misses != core->ctr[PPU_CTR_TLB_MISSES] || w->gen != core->xlat_gen)
		return NULL;
	return w->x.host + off;
}

/* Of `most` rows n bytes long, from va on: how many lie in the view.  The first one does. */
static uint64_t rows_seen(const struct view *w, uint64_t va, uint64_t pitch, uint64_t n, uint64_t most)
{
	uint64_t more = pitch ? (w->len - (va - w->va) - n) / pitch : most - 1;

	return more < most - 1 ? more + 1 : most;
}

/*
 * Rows of which both ends were just seen; does what move() would do.  Between rows are gaps, and nobody waits at a page of
 * them: if no gap is as large as a page, all pages from the first row to the last have been written.  Returns how many
 * rows were moved; 0: the next one is not such a row.
 */
static uint64_t move_seen_rows(struct ppu_core *core, struct engine *e, const struct view *view, struct pieces *q)
{
	const struct ppu_copy *c = &e->c;
	uint64_t dst = c->dst + e->row * c->dst_pitch, src = c->src + e->row * c->src_pitch, n = c->width, rows, i, len;
	uint8_t *to = seen(core, &view[0], dst, n), *from = is_fill(c) ? NULL : seen(core, &view[1], src, n);
	const struct ppu_xlat *x = &view[0].x;
	struct span d = { to, x->phys.addr + (dst - view[0].va), x->phys.sys, n, x->pte };
	struct ppu_phys p = { d.addr, x->phys.sys };

	if (!to || (!from && !is_fill(c)) || core->cfg.fault_dma_fail)
		return 0;
	rows = rows_seen(&view[0], dst, c->dst_pitch, n, e->chunk_rows);
	if (from)
		rows = rows_seen(&view[1], src, c->src_pitch, n, rows);
	len = (rows - 1) * c->dst_pitch + n;
	if (c->dst_pitch < n || c->dst_pitch - n >= PPU_PAGE_SIZE || ppu_mem_watched_range(core, p, len)) {
		add_piece(core, e, q, &d, from, n);
		return 1;
	}
	move_pieces(core, e, q);
	for (i = 0; i < rows && !from; i++, to += c->dst_pitch)
		pattern(c, to, n);
	for (; i < rows; i++, to += c->dst_pitch, from += c->src_pitch) {
		if (i + 1 < rows)
			fetch_ahead(c, to + c->dst_pitch, from + c->src_pitch, n);
		move_piece(c, to, from, n);
	}
	e->moved += rows * n;
	core->ctr[PPU_CTR_CE_BYTES] += rows * n;
	written(core, e, p.addr, p.sys, !(x->pte & PPU_PTE_NULL), len);
	return rows;
}

/* Moves what the chunk covers.  False: the copy has failed, and is gone. */
static bool move_chunk(struct ppu_core *core, struct engine *e)
{
	struct view view[2] = { 0 };
	struct pieces q;

	q.n = 0;
	if (e->chunk_rows) {
		while (e->chunk_rows) {
			uint64_t rows = move_seen_rows(core, e, view, &q);

			if (!rows && !move(core, e, view, &q, e->row, 0, e->c.width))
				return false;
			rows += !rows;
			e->chunk_rows -= rows;
			e->row += rows;
		}
	} else if (e->chunk_bytes) {
		uint64_t at = e->backward ? e->c.width - e->off - e->chunk_bytes : e->off;

		if (!move(core, e, view, &q, e->row, at, e->chunk_bytes))
			return false;
		e->off += e->chunk_bytes;
		if (e->off >= e->c.width) {
			e->off = 0;
			e->row++;
		}
	}
	move_pieces(core, e, &q);
	return true;
}

static void show(const struct ppu_core *core, const struct engine *e)
{
	const struct ppu_observer *o = core->observer;
	const struct ppu_copy *c = &e->c;

	if (!o || !o->copy)
		return;
	o->copy(o->arg, &(struct ppu_seen_copy){
		.inst = e->ctx->inst, .src = c->src, .dst = c->dst, .src_pitch = c->src_pitch, .dst_pitch = c->dst_pitch,
		.width = c->width, .rows = c->rows, .fill = is_fill(c),
		.begin = e->start, .end = core->now, .chan = e->c.chid,
	});
}

static void chunk_end(struct ppu_core *core, void *arg)
{
	struct engine *e = arg;
	unsigned i = (unsigned)(e - core->ces->v), chid = e->c.chid;
	bool ok = move_chunk(core, e);

	ppu_past_cache_settle();
	if (!ok)
		return;
	if (!finished(e)) {
		next_chunk(core, e);
		return;
	}
	PPU_TRACE(core, CE_DONE, i, chid, e->c.id, e->moved, 0);
	core->ctr[PPU_CTR_CE_COPIES]++;
	show(core, e);
	stop(core, e);
	ppu_host_copy_done(core, chid);
}

int ppu_ces_create(struct ppu_core *core)
{
	core->ces = ppu_alloc(1, sizeof(*core->ces));
	if (!core->ces)
		return -1;
	core->ces->v = ppu_alloc(core->cfg.copy_engines, sizeof(struct engine));
	if (!core->ces->v || !ppu_events_reserve(core, core->cfg.copy_engines))
		return -1;
	for (unsigned i = 0; i < core->cfg.copy_engines; i++)
		ppu_event_init(&core->ces->v[i].event, PPU_EVP_CE, chunk_end, &core->ces->v[i]);
	return 0;
}

void ppu_ces_destroy(struct ppu_core *core)
{
	if (core->ces)
		ppu_free(core->ces->v);
	ppu_free(core->ces);
	core->ces = NULL;
}

void ppu_ces_reset(struct ppu_core *core)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++) {
		struct engine *e = &core->ces->v[i];

		ppu_event_cancel(core, &e->event);
		e->ctx = NULL;
	}
}

void ppu_copy_io(struct ppu_io *io, struct ppu_copy *c)
{
	ppu_io_u8(io, &c->op);
	ppu_io_u8(io, &c->elem_log2);
	ppu_io_u64(io, &c->id);
	ppu_io_u64(io, &c->src);
	ppu_io_u64(io, &c->dst);
	ppu_io_u64(io, &c->src_pitch);
	ppu_io_u64(io, &c->dst_pitch);
	ppu_io_u64(io, &c->width);
	ppu_io_u64(io, &c->rows);
	ppu_io_u64(io, &c->value);
}

void ppu_ces_io(struct ppu_core *core, struct ppu_io *io)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++) {
		struct engine *e = &core->ces->v[i];
		struct ppu_copy *c = &e->c;

		ppu_io_ctx(core, io, &e->ctx);
		if (!e->ctx) {
			if (io->loading && ppu_host_owner(core, i) != PPU_NO_CH)
				ppu_io_fail(io, "copy engine %u has lost its copy", i);
			continue;
		}
		ppu_io_event(core, io, &e->event);
		ppu_io_u32(io, &c->chid);
		ppu_copy_io(io, c);
		ppu_io_u64(io, &e->row);
		ppu_io_u64(io, &e->off);
		ppu_io_u64(io, &e->cost_bytes);
		ppu_io_u64(io, &e->start);
		ppu_io_u64(io, &e->late);
		ppu_io_bool(io, &e->sys);
		ppu_io_u64(io, &e->moved);
		ppu_io_u64(io, &e->chunk_rows);
		ppu_io_u64(io, &e->chunk_bytes);
		ppu_io_bool(io, &e->backward);
		if (core->cfg.memory_timing)
			ppu_io_u64(io, &e->waited);
		if (!io->loading)
			continue;
		if (io->failed || !ppu_event_pending(&e->event) || c->elem_log2 > 3 ||
		    c->op < PPU_CMD_COPY || c->op > PPU_CMD_FILL_2D || e->row > c->rows ||
		    c->chid >= core->cfg.channels || ppu_host_owner(core, i) != c->chid ||
		    e->ctx != ppu_chan_ctx(core, c->chid) ||
		    e->chunk_rows > c->rows - e->row || e->chunk_rows > MAX_PIECES ||
		    e->off > c->width || e->chunk_bytes > c->width - e->off ||
		    e->chunk_bytes > PPU_COPY_CHUNK_BYTES || e->start > core->now ||
		    (e->late && (!core->cfg.fault_ce_reorder || e->late != core->cfg.fault_ce_late_ns)) ||
		    (e->sys && !core->cfg.fault_dma_fail) || e->waited > core->now + (1ull << 60) ||
		    (e->chunk_rows && c->width > PPU_COPY_CHUNK_BYTES) ||
		    (e->backward && (c->rows != 1 || c->op != PPU_CMD_COPY))) {
			ppu_io_fail(io, "copy engine %u is not in a possible state", i);
			e->ctx = NULL;
			ppu_event_cancel(core, &e->event);
			return;
		}
	}
}
