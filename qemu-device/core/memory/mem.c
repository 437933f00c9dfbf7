/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory: VRAM and, through the owner's map port, system RAM; and the set of watched pages.
 *
 * Mapped ranges of system RAM are kept in a small cache until ppu_core_invalidate_maps().  SM workers
 * look things up in parallel, hence the lock; the set of watched pages changes only while no worker
 * runs.
 */
#include <stdatomic.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/memory/mem.h"
#include "core/memory/refmap.h"

#define NUM_RANGES 16
#define MAP_AHEAD (1ull << 30)		/* ask for this much; the port may give less */
#define IDLE_PAGES 256			/* pages without waiters that stay in the set: saves TLB flushes */

struct range {
	uint64_t bus, len;
	uint8_t *host;
};

struct ppu_mem {
	atomic_flag lock;
	struct range ranges[2][NUM_RANGES];	/* [write] */
	unsigned next[2];
	struct ppu_refmap pages, frames;	/* watched 4 KiB pages; 2 MiB frames that hold some */
	uint32_t idle;				/* pages with count 0 */
	/* 4 KiB pages of VRAM from which code was read at the time code_marked (NULL: the owner writes VRAM untold). */
	uint64_t *code;
	atomic_uint code_gen;
	uint32_t code_marked;
};

static void lock(struct ppu_mem *m)
{
	while (atomic_flag_test_and_set_explicit(&m->lock, memory_order_acquire))
		;
}

static void unlock(struct ppu_mem *m)
{
	atomic_flag_clear_explicit(&m->lock, memory_order_release);
}

static uint8_t *map_sys(struct ppu_core *core, uint64_t bus, uint64_t *len, bool write)
{
	struct ppu_mem *m = core->mem;
	struct range *r = m->ranges[write];
	uint64_t base, got;
	uint8_t *host;

	lock(m);
	for (unsigned i = 0; i < NUM_RANGES; i++) {
		if (bus - r[i].bus < r[i].len) {
			uint64_t off = bus - r[i].bus;

			host = r[i].host + off;
			if (*len > r[i].len - off)
				*len = r[i].len - off;
			unlock(m);
			return host;
		}
	}
	unlock(m);

	if (!core->ports.map)
		return NULL;
	base = bus & ~(PPU_PAGE_SIZE - 1);
	got = MAP_AHEAD;
	if (base + got < base)
		got = -base;
	host = core->ports.map(core->ports.opaque, base, &got, write);
	if (!host || got <= bus - base)
		return NULL;

	lock(m);
	/* A range that continues the new one is replaced by their union. */
	for (unsigned i = 0; i < NUM_RANGES; i++) {
		if (r[i].len && r[i].bus - base <= got && r[i].host == host + (r[i].bus - base)) {
			if (r[i].bus - base + r[i].len > got)
				got = r[i].bus - base + r[i].len;
			r[i].len = 0;
		}
	}
	r[m->next[write]] = (struct range){ base, got, host };
	m->next[write] = (m->next[write] + 1) % NUM_RANGES;
	unlock(m);
	if (*len > got - (bus - base))
		*len = got - (bus - base);
	return host + (bus - base);
}

uint8_t *ppu_mem_map(struct ppu_core *core, struct ppu_phys p, uint64_t *len, bool write)
{
	if (p.sys)
		return map_sys(core, p.addr, len, write);
	if (p.addr >= core->cfg.vram)
		return NULL;
	if (*len > core->cfg.vram - p.addr)
		*len = core->cfg.vram - p.addr;
	return core->vram + p.addr;
}

void ppu_mem_forget_maps(struct ppu_core *core)
{
	struct ppu_mem *m = core->mem;

	lock(m);
	memset(m->ranges, 0, sizeof(m->ranges));
	unlock(m);
}

/* ---- code that was read --------------------------------------------------------------------- */

uint32_t ppu_mem_code_gen(const struct ppu_core *core)
{
	return core->mem->code ? atomic_load_explicit(&core->mem->code_gen, memory_order_relaxed) : 0;
}

void ppu_mem_code_changed(struct ppu_core *core)
{
	/* 0 is no generation. */
	if (atomic_fetch_add_explicit(&core->mem->code_gen, 1, memory_order_relaxed) == UINT32_MAX)
		atomic_fetch_add_explicit(&core->mem->code_gen, 1, memory_order_relaxed);
}

static size_t code_words(const struct ppu_core *core)
{
	return (core->cfg.vram >> PPU_PAGE_SHIFT) / 64 + 1;
}

void ppu_mem_code_page(struct ppu_core *core, uint64_t addr, uint64_t len)
{
	struct ppu_mem *m = core->mem;
	uint32_t gen = ppu_mem_code_gen(core);

	if (!m->code)
		return;
	/* Who read code before the last change has to read it again, and names its pages then. */
	if (m->code_marked != gen)
		memset(m->code, 0, code_words(core) * sizeof(*m->code));
	m->code_marked = gen;
	for (uint64_t i = addr >> PPU_PAGE_SHIFT; i <= (addr + len - 1) >> PPU_PAGE_SHIFT; i++)
		m->code[i / 64] |= 1ull << i % 64;
}

/* Workers ask, too: the set changes between windows only. */
static bool holds_code(const struct ppu_mem *m, uint64_t addr, uint64_t len)
{
	if (!len)
		return false;
	for (uint64_t i = addr >> PPU_PAGE_SHIFT; i <= (addr + len - 1) >> PPU_PAGE_SHIFT; i++)
		if (m->code[i / 64] >> i % 64 & 1)
			return true;
	return false;
}

void ppu_mem_dirty(struct ppu_core *core, struct ppu_phys p, uint64_t len)
{
	if (p.sys) {
		if (core->ports.mark_dirty)
			core->ports.mark_dirty(core->ports.opaque, p.addr, len);
	} else {
		if (core->ports.vram_dirty)
			core->ports.vram_dirty(core->ports.opaque, p.addr, len);
		if (core->mem->code && holds_code(core->mem, p.addr, len))
			ppu_mem_code_changed(core);
	}
}

static int access(struct ppu_core *core, struct ppu_phys p, void *buf, uint64_t len, bool write)
{
	uint8_t *b = buf;

	while (len) {
		uint64_t n = len;
		uint8_t *host = ppu_mem_map(core, p, &n, write);

		if (!host || !n)
			return PPU_ERR_DMA_FAULT;
		if (write) {
			memcpy(host, b, n);
			ppu_mem_dirty(core, p, n);
		} else {
			memcpy(b, host, n);
		}
		b += n;
		len -= n;
		p.addr += n;
	}
	return 0;
}

int ppu_mem_read(struct ppu_core *core, struct ppu_phys p, void *buf, uint64_t len)
{
	return access(core, p, buf, len, false);
}

int ppu_mem_write(struct ppu_core *core, struct ppu_phys p, const void *buf, uint64_t len)
{
	return access(core, p, (void *)(uintptr_t)buf, len, true);
}

/* ---- watched pages ------------------------------------------------------------------------ */

static uint64_t page_key(struct ppu_phys p)
{
	return p.addr >> PPU_PAGE_SHIFT << 1 | p.sys;
}

static uint64_t frame_key(uint64_t page)
{
	return page >> (PPU_LARGE_SHIFT - PPU_PAGE_SHIFT + 1) << 1 | (page & 1);
}

static void drop_idle(struct ppu_core *core)
{
	struct ppu_mem *m = core->mem;

	for (uint32_t i = 0; i < m->pages.cap;) {
		struct ppu_refmap_slot *s = &m->pages.v[i];

		if (s->key && !s->ref) {
			struct ppu_refmap_slot *f = ppu_refmap_find(&m->frames,
								    frame_key(s->key - 1));

			if (!--f->ref)
				ppu_refmap_del(&m->frames, f);
			ppu_refmap_del(&m->pages, s);	/* the slot of another page may move here */
		} else {
			i++;
		}
	}
	m->idle = 0;
	core->xlat_gen++;
}

uint32_t ppu_mem_most_words(const struct ppu_core *core)
{
	return core->cfg.channels + core->cfg.watches + core->cfg.task_records + core->cfg.run_limit;
}

void ppu_mem_watch(struct ppu_core *core, struct ppu_phys p)
{
	struct ppu_mem *m = core->mem;
	uint64_t key = page_key(p);
	struct ppu_refmap_slot *s = ppu_refmap_find(&m->pages, key);

	if (s) {
		if (!s->ref++)
			m->idle--;
		return;
	}
	ppu_refmap_add(&m->pages, key)->ref = 1;
	ppu_refmap_add(&m->frames, frame_key(key))->ref++;
	core->xlat_gen++;
}

void ppu_mem_unwatch(struct ppu_core *core, struct ppu_phys p)
{
	struct ppu_mem *m = core->mem;
	struct ppu_refmap_slot *s = ppu_refmap_find(&m->pages, page_key(p));

	if (s && s->ref && !--s->ref && ++m->idle > IDLE_PAGES)
		drop_idle(core);
}

bool ppu_mem_watched(const struct ppu_core *core, struct ppu_phys p)
{
	return ppu_refmap_find(&core->mem->pages, page_key(p)) != NULL;
}

bool ppu_mem_watched_range(const struct ppu_core *core, struct ppu_phys p, uint64_t len)
{
	struct ppu_phys end = { p.addr + (len ? len - 1 : 0), p.sys };
	const struct ppu_mem *m = core->mem;

	if (!m->frames.n)
		return false;
	for (uint64_t f = frame_key(page_key(p)); f <= frame_key(page_key(end)); f += 2) {
		uint64_t first, last;

		if (!ppu_refmap_find(&m->frames, f))
			continue;
		first = (f >> 1 << (PPU_LARGE_SHIFT - PPU_PAGE_SHIFT + 1)) | p.sys;
		last = first + (((PPU_LARGE_SIZE >> PPU_PAGE_SHIFT) - 1) << 1);
		if (first < page_key(p))
			first = page_key(p);
		if (last > page_key(end))
			last = page_key(end);
		for (uint64_t k = first; k <= last; k += 2)
			if (ppu_refmap_find(&m->pages, k))
				return true;
	}
	return false;
}

/* ---- unit ---------------------------------------------------------------------------------- */

int ppu_mem_create(struct ppu_core *core)
{
	uint32_t most;

	core->mem = ppu_alloc(1, sizeof(*core->mem));
	if (!core->mem)
		return -1;
	atomic_flag_clear(&core->mem->lock);
	atomic_init(&core->mem->code_gen, 1);
	if (core->ports.vram_told) {
		core->mem->code = ppu_alloc(code_words(core), sizeof(*core->mem->code));
		if (!core->mem->code)
			return -1;
	}
	most = ppu_mem_most_words(core) + IDLE_PAGES + 2;
	return ppu_refmap_create(&core->mem->pages, most) && ppu_refmap_create(&core->mem->frames, most) ? 0 : -1;
}

void ppu_mem_destroy(struct ppu_core *core)
{
	if (!core->mem)
		return;
	ppu_refmap_destroy(&core->mem->pages);
	ppu_refmap_destroy(&core->mem->frames);
	ppu_free(core->mem->code);
	ppu_free(core->mem);
	core->mem = NULL;
}

void ppu_mem_reset(struct ppu_core *core)
{
	ppu_refmap_clear(&core->mem->pages);
	ppu_refmap_clear(&core->mem->frames);
	core->mem->idle = 0;
	ppu_mem_forget_maps(core);
}

/* Watched pages follow from the waiters: sem.c builds them again. */
void ppu_mem_io(struct ppu_core *core, struct ppu_io *io)
{
	(void)core;
	(void)io;
}
