/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ports with a bandwidth.  See port.h. */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/memory/port.h"

#define BUCKET_BYTES	1024

int ppu_port_create(struct ppu_port *p, uint32_t mbps)
{
	p->width = (BUCKET_BYTES * 1000 + mbps - 1) / mbps;
	p->cap = mbps * p->width;
	p->used = ppu_alloc(PPU_PORT_BUCKETS, sizeof(*p->used));
	return p->used ? 0 : -1;
}

void ppu_port_destroy(struct ppu_port *p)
{
	ppu_free(p->used);
	p->used = NULL;
}

void ppu_port_reset(struct ppu_port *p)
{
	p->base = p->full = p->end = 0;
	memset(p->used, 0, PPU_PORT_BUCKETS * sizeof(*p->used));
}

void ppu_port_advance(struct ppu_port *p, uint64_t t)
{
	uint64_t base = t / p->width;

	for (; p->base < base && p->base < p->end; p->base++)
		p->used[p->base % PPU_PORT_BUCKETS] = 0;
	if (p->base < base)
		p->base = base;
	p->full = p->full < p->base ? p->base : p->full;
	p->end = p->end < p->base ? p->base : p->end;
}

/* The time at which bucket b has passed what it holds. */
static uint64_t filled_at(const struct ppu_port *p, uint64_t b)
{
	return b * p->width + (uint64_t)p->used[b % PPU_PORT_BUCKETS] * p->width / p->cap;
}

/*
 * What does not fit into the buckets is not charged.  They hold 8 MiB, which is more than all warps of a machine of the
 * default size can ask one port for at a time, except for words that are all in different lines of system memory.
 */
uint64_t ppu_port_pass(struct ppu_port *p, uint64_t t, uint64_t bytes, uint64_t *end)
{
	uint64_t b = t / p->width, need = bytes * 1000, last = p->base + PPU_PORT_BUCKETS, start = t, done = t;
	bool begun = false;

	if (b < p->full)
		b = p->full;
	for (; need && b < last; b++) {
		uint32_t *used = &p->used[b % PPU_PORT_BUCKETS], room = p->cap - *used;
		uint64_t at = filled_at(p, b);

		if (!room)
			continue;
		if (!begun)
			start = at > t ? at : t;
		begun = true;
		room = need < room ? (uint32_t)need : room;
		*used += room;
		need -= room;
		done = filled_at(p, b);
		p->end = p->end > b ? p->end : b + 1;
		if (*used == p->cap && b == p->full)
			p->full = b + 1;
	}
	if (need) {
		done = last * p->width > t ? last * p->width : t;
		start = begun ? start : done;
	}
	if (end)
		*end = done > start ? done : start;
	return start;
}

void ppu_port_io(struct ppu_core *core, struct ppu_port *p, struct ppu_io *io)
{
	uint64_t b;

	ppu_io_u64(io, &p->base);
	ppu_io_u64(io, &p->full);
	ppu_io_u64(io, &p->end);
	if (p->base > core->now / p->width || p->full < p->base || p->full - p->base > PPU_PORT_BUCKETS ||
	    p->end < p->base || p->end - p->base > PPU_PORT_BUCKETS) {
		ppu_io_fail(io, "a memory port is busy at an impossible time");
		p->base = p->full = p->end = 0;
	}
	for (b = p->base; b < p->end && !io->failed; b++) {
		ppu_io_u32(io, &p->used[b % PPU_PORT_BUCKETS]);
		if (p->used[b % PPU_PORT_BUCKETS] > p->cap) {
			p->used[b % PPU_PORT_BUCKETS] = 0;
			ppu_io_fail(io, "a memory port passes more than it can");
		}
	}
}
