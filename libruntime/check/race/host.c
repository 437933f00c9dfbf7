/* SPDX-License-Identifier: MIT */
/*
 * racecheck: accesses of the host, as check/host/ sees them.  Each is that of one byte, where it begins: how wide it is nobody
 * knows.  All threads of the host are taken for one.
 *
 * The host's accesses count as strong with the scope of the system: its loads and stores are not taken apart by their order, and
 * what it tells and is told by words of memory may be an atomic.
 */
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"
#include "check/race/race.h"

#define PLACES	2048u

struct rc_host {
	struct place {
		uint64_t pc, frame;		/* 0, 0: none */
		struct chk_stack stack;
	} v[PLACES];
	uint32_t n, clock;
};

/* The number of a place in the program; of those that are too many: that of another one. */
static uint32_t place_of(struct rc_host *h, uint64_t pc, uint64_t frame)
{
	uint32_t i = (uint32_t)((pc * 0x9e3779b97f4a7c15ull ^ frame * 0xc2b2ae3d27d4eb4full) >> 40) % PLACES;
	struct place *p = &h->v[i];

	while (p->pc && (p->pc != pc || p->frame != frame) && h->n < PLACES / 2) {
		i = (i + 1) % PLACES;
		p = &h->v[i];
	}
	if (!p->pc && h->n < PLACES / 2) {
		h->n++;
		p->pc = pc;
		p->frame = frame;
		chk_stack_behind(&p->stack, pc);
	}
	return i;
}

const struct chk_stack *rc_host_stack(const struct chk_ctx *c, uint32_t number)
{
	return &c->host->v[number].stack;
}

void rc_host_free(struct chk_ctx *c)
{
	free(c->host);
	c->host = NULL;
}

/* True: a race was told. */
static bool one_cell(struct chk_ctx *c, struct rc_cell *cell, const struct rc_seen *me, uint64_t va, uint64_t bytes)
{
	bool writes = me->kind == RC_COPIED;
	const struct rc_seen *bad = NULL;

	if (!rc_host_behind(c, &cell->write)) {
		if (!cell->write.strong)
			bad = &cell->write;
		else if (!writes)
			rc_host_learns(c);
	}
	for (unsigned i = 0; i < 2 && !bad && writes; i++)
		if (!rc_host_behind(c, &cell->read[i]) && !cell->read[i].strong)
			bad = &cell->read[i];
	if (bad)
		rc_tell_host(c, me, va, bytes, cell, bad);
	if (writes)
		cell->write = *me;
	else
		cell->read[rc_host_behind(c, &cell->read[0]) ? 0 : 1] = *me;
	return bad;
}

/* The bytes of one word. */
static bool one_word(struct chk_ctx *c, struct rc_seen *me, uint64_t va, uint64_t bytes, uint64_t all)
{
	uint64_t first = va % 4;
	uint32_t num;
	struct rc_cell *cell = rc_cells(c, va - first, 4, &num);

	me->thread = bytes == 4 ? RC_WORD : (uint16_t)first;
	if (!cell)
		return false;
	if (num == 1)
		return one_cell(c, cell, me, va, all);
	for (uint64_t i = 0; i < bytes; i++)
		if (one_cell(c, cell + first + i, me, va + i, all))
			return true;
	return false;
}

void chk_race_host_access(struct chk_ctx *c, uint64_t va, uint64_t bytes, bool writes, uint64_t pc, uint64_t frame)
{
	struct rc_task *t = rc_host_task(c);
	struct rc_seen me = { .kind = writes ? RC_COPIED : PPU_SEEN_READ, .host = 1, .strong = 1 + PPU_SCOPE_SYS };
	uint64_t part, all = bytes;

	if (!c->host)
		c->host = calloc(1, sizeof(*c->host));
	if (!t || !c->host || !chk_shadow_all(&c->valid, va, 1))
		return;
	if (!t->block)
		t->block = rc_block_new(c, t, 0);
	me.cta = t->block;
	me.clock = ++c->host->clock;
	me.stamp = rc_now(c);
	me.pc = place_of(c->host, pc, frame);
	if (!writes && rc_word_tells(c, va))
		rc_host_learns(c);
	for (uint64_t at = va, n = bytes; n && me.cta; at += part, n -= part) {
		part = 4 - at % 4;
		if (part > n)
			part = n;
		if (one_word(c, &me, at, part, all))
			break;
	}
	if (writes && bytes <= 8 && me.cta)
		rc_word_told(c, va, bytes, me.cta, me.clock, t);
}
