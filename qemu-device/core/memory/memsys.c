/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timing of the memory system behind the SMs.  See memsys.h.
 *
 *   SM -- port of its GPC -+- partition unit: port, slice of the L2, DRAM      (VRAM, PPU_PARTITION_BYTES to each in turn)
 *   copy engine -----------+- I/O unit: port to system memory
 *
 * An access passes ports one after the other and waits at each until there is room.  What it costs besides is a latency for
 * where it ends.  A port that passes a line delays what comes behind it, not the line itself: that time is part of the
 * latency.  So an access to an idle machine takes the latency and nothing else.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/memory/memsys.h"
#include "core/memory/port.h"
#include "core/memory/tags.h"

#define L15_WAYS	4

struct gpc {
	struct ppu_port port;
	struct ppu_tags l15;
};

struct partition {
	struct ppu_port port, dram;
	struct ppu_tags l2;
};

struct ppu_memsys {
	struct gpc *gpc;
	struct partition *part;
	struct ppu_port link;
};

uint64_t ppu_memsys_round(const struct ppu_core *core)
{
	const struct ppu_config *c = &core->cfg;
	uint64_t least = c->l15_ns < c->l2_ns ? c->l15_ns : c->l2_ns;

	return least < c->link_ns ? least : c->link_ns;
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* At the partition unit, from time t on. */
static uint64_t at_partition(struct ppu_core *core, const struct ppu_mem_access *a, uint64_t t)
{
	const struct ppu_config *cfg = &core->cfg;
	uint64_t block = a->addr / PPU_PARTITION_BYTES, n = block % cfg->partitions, line, done;
	struct partition *p = &core->memsys->part[n];
	bool write = a->what == PPU_MEM_WRITE;
	struct ppu_tag *tag, old;

	core->ctr[PPU_CTR_PARTITION0 + n % PPU_PARTITION_COUNTERS]++;
	t = ppu_port_pass(&p->port, t, a->bytes, NULL);
	/* Lines are numbered inside the slice, so that what is in it fills all its sets. */
	line = (block / cfg->partitions * PPU_PARTITION_BYTES + a->addr % PPU_PARTITION_BYTES) / cfg->cache_line;
	done = t + cfg->l2_ns;
	tag = ppu_tags_find(&p->l2, line, line);
	if (tag) {
		core->ctr[PPU_CTR_L2_HITS]++;
		done = later(done, tag->fill);
	} else {
		core->ctr[PPU_CTR_L2_MISSES]++;
		tag = ppu_tags_add(&p->l2, line, line, &old);
		if (!write) {	/* a store brings what it writes, and nothing is read */
			done += cfg->dram_ns + ppu_port_pass(&p->dram, t, cfg->cache_line, NULL) - t;
			core->ctr[PPU_CTR_DRAM_BYTES] += cfg->cache_line;
		}
		if (old.line && old.dirty) {	/* a store waits until there is room for it */
			uint64_t room = ppu_port_pass(&p->dram, t, cfg->cache_line, NULL);

			done += write ? room - t : 0;
			core->ctr[PPU_CTR_DRAM_BYTES] += cfg->cache_line;
		}
		tag->fill = done;
	}
	tag->dirty |= a->what >= PPU_MEM_WRITE;
	return done;
}

static uint64_t through_port(struct ppu_core *core, const struct ppu_mem_access *a)
{
	uint64_t t = ppu_port_pass(&core->memsys->gpc[a->gpc].port, a->time, a->bytes, NULL);

	if (a->kept) {
		core->ctr[PPU_CTR_L2_HITS]++;
		return t + core->cfg.l2_ns;
	}
	if (!a->sys)
		return at_partition(core, a, t);
	core->ctr[PPU_CTR_SYS_LINES]++;
	return ppu_port_pass(&core->memsys->link, t, a->bytes, NULL) + core->cfg.link_ns;
}

uint64_t ppu_memsys_access(struct ppu_core *core, const struct ppu_mem_access *a)
{
	struct ppu_tags *l15 = &core->memsys->gpc[a->gpc].l15;
	/* Three kinds of addresses in one cache. */
	uint64_t set = a->addr / core->cfg.cache_line, line = set << 2 | a->kept << 1 | a->sys;
	struct ppu_tag *tag;

	if (a->what != PPU_MEM_FETCH)
		return through_port(core, a);
	tag = ppu_tags_find(l15, set, line);
	if (tag) {
		core->ctr[PPU_CTR_L15_HITS]++;
		return later(a->time + core->cfg.l15_ns, tag->fill);
	}
	core->ctr[PPU_CTR_L15_MISSES]++;
	tag = ppu_tags_add(l15, set, line, NULL);
	tag->fill = through_port(core, a);
	return tag->fill;
}

void ppu_memsys_advance(struct ppu_core *core, uint64_t time)
{
	uint32_t i;

	for (i = 0; i < core->cfg.gpcs; i++)
		ppu_port_advance(&core->memsys->gpc[i].port, time);
	for (i = 0; i < core->cfg.partitions; i++) {
		ppu_port_advance(&core->memsys->part[i].port, time);
		ppu_port_advance(&core->memsys->part[i].dram, time);
	}
	ppu_port_advance(&core->memsys->link, time);
}

uint64_t ppu_memsys_copy(struct ppu_core *core, uint64_t time, uint64_t vram, uint64_t sys)
{
	uint64_t each = (vram + core->cfg.partitions - 1) / core->cfg.partitions, end, done = time;
	uint32_t i;

	/* SMs may run no windows meanwhile.  The next one that they can run contains this time, or comes later. */
	ppu_memsys_advance(core, core->now / core->cfg.window_ns * core->cfg.window_ns);
	for (i = 0; each && i < core->cfg.partitions; i++) {
		struct partition *p = &core->memsys->part[i];

		ppu_port_pass(&p->port, time, each, &end);
		done = later(done, end);
		ppu_port_pass(&p->dram, time, each, &end);
		done = later(done, end);
	}
	core->ctr[PPU_CTR_DRAM_BYTES] += vram;
	if (sys) {
		ppu_port_pass(&core->memsys->link, time, sys, &end);
		done = later(done, end);
	}
	return done;
}

/* ---- unit ---------------------------------------------------------------------------------------- */

int ppu_memsys_create(struct ppu_core *core)
{
	const struct ppu_config *cfg = &core->cfg;
	struct ppu_memsys *m;
	uint32_t i;

	if (!cfg->memory_timing)
		return 0;
	m = core->memsys = ppu_alloc(1, sizeof(*m));
	if (!m)
		return -1;
	m->gpc = ppu_alloc(cfg->gpcs, sizeof(*m->gpc));
	m->part = ppu_alloc(cfg->partitions, sizeof(*m->part));
	if (!m->gpc || !m->part || ppu_port_create(&m->link, cfg->link_mbps))
		return -1;
	for (i = 0; i < cfg->gpcs; i++)
		if (ppu_port_create(&m->gpc[i].port, cfg->gpc_mbps) ||
		    ppu_tags_create(&m->gpc[i].l15, cfg->l15_bytes / cfg->cache_line / L15_WAYS, L15_WAYS))
			return -1;
	for (i = 0; i < cfg->partitions; i++)
		if (ppu_port_create(&m->part[i].port, cfg->partition_mbps) ||
		    ppu_port_create(&m->part[i].dram, cfg->dram_mbps) ||
		    ppu_tags_create(&m->part[i].l2, cfg->l2_slice_bytes / cfg->cache_line / cfg->l2_ways, cfg->l2_ways))
			return -1;
	return 0;
}

void ppu_memsys_destroy(struct ppu_core *core)
{
	struct ppu_memsys *m = core->memsys;
	uint32_t i;

	if (!m)
		return;
	for (i = 0; m->gpc && i < core->cfg.gpcs; i++) {
		ppu_port_destroy(&m->gpc[i].port);
		ppu_tags_destroy(&m->gpc[i].l15);
	}
	for (i = 0; m->part && i < core->cfg.partitions; i++) {
		ppu_port_destroy(&m->part[i].port);
		ppu_port_destroy(&m->part[i].dram);
		ppu_tags_destroy(&m->part[i].l2);
	}
	ppu_port_destroy(&m->link);
	ppu_free(m->gpc);
	ppu_free(m->part);
	ppu_free(m);
	core->memsys = NULL;
}

void ppu_memsys_reset(struct ppu_core *core)
{
	struct ppu_memsys *m = core->memsys;
	uint32_t i;

	if (!m)
		return;
	for (i = 0; i < core->cfg.gpcs; i++) {
		ppu_port_reset(&m->gpc[i].port);
		ppu_tags_reset(&m->gpc[i].l15);
	}
	for (i = 0; i < core->cfg.partitions; i++) {
		ppu_port_reset(&m->part[i].port);
		ppu_port_reset(&m->part[i].dram);
		ppu_tags_reset(&m->part[i].l2);
	}
	ppu_port_reset(&m->link);
}

void ppu_memsys_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_memsys *m = core->memsys;
	uint32_t i;

	if (!m)
		return;
	ppu_io_section(io, "MSYS");
	for (i = 0; i < core->cfg.gpcs && !io->failed; i++) {
		ppu_port_io(core, &m->gpc[i].port, io);
		ppu_tags_io(&m->gpc[i].l15, io);
	}
	for (i = 0; i < core->cfg.partitions && !io->failed; i++) {
		ppu_port_io(core, &m->part[i].port, io);
		ppu_port_io(core, &m->part[i].dram, io);
		ppu_tags_io(&m->part[i].l2, io);
	}
	ppu_port_io(core, &m->link, io);
}
