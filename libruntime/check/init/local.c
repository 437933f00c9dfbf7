/* SPDX-License-Identifier: MIT */
/*
 * initcheck in local memory: a bit for each byte that a thread has written.  A stack grows down from the end of local
 * memory, and threads use little of it: so bits are counted from there, up to the deepest byte that was written.
 */
#include <stdlib.h>
#include <string.h>

#include "check/init/inner.h"

struct ci_stack {
	uint8_t *bit;
	uint32_t bytes;			/* of memory that there are bits for: a multiple of 8 */
};

static uint32_t num_threads(const struct ppu_seen_cta *s)
{
	return s->warps * PPU_OBSERVE_LANES;
}

/* The number of the byte, from the end; and whether it exists. */
static bool depth_of(const struct ppu_seen_access *a, uint64_t at, uint32_t *depth)
{
	uint32_t all = a->at.cta->task.local_bytes;

	if (at >= all)
		return false;
	*depth = all - 1 - (uint32_t)at;
	return true;
}

static bool has(const struct ci_stack *s, uint32_t depth)
{
	return depth < s->bytes && s->bit[depth / 8] >> depth % 8 & 1;
}

static bool grow(struct ci_stack *s, uint32_t depth)
{
	uint32_t bytes = depth < 120 ? 128 : (depth / 8 + 1) * 16;	/* twice as deep */
	uint8_t *bit;

	if (depth < s->bytes)
		return true;
	bit = realloc(s->bit, bytes / 8);
	if (!bit)
		return false;
	memset(bit + s->bytes / 8, 0, (bytes - s->bytes) / 8);
	s->bit = bit;
	s->bytes = bytes;
	return true;
}

uint32_t ci_local_unwritten(const struct ci_cta *c, const struct ppu_seen_access *a, unsigned lane)
{
	const struct ci_stack *s = c->stack ? &c->stack[a->at.warp * PPU_OBSERVE_LANES + lane] : NULL;
	uint32_t found = 0, depth;

	for (unsigned i = 0; i < a->bytes; i++)
		if (depth_of(a, a->addr[lane] + i, &depth) && !(s && has(s, depth)))
			found |= 1u << i;
	return found;
}

void ci_local_write(struct ci_cta *c, const struct ppu_seen_access *a, unsigned lane, uint32_t unwritten)
{
	struct ci_stack *s;
	uint32_t depth;

	if (!c->stack)
		c->stack = calloc(num_threads(a->at.cta), sizeof(*c->stack));
	if (!c->stack)
		return;
	s = &c->stack[a->at.warp * PPU_OBSERVE_LANES + lane];
	for (unsigned i = 0; i < a->bytes; i++) {
		if (!depth_of(a, a->addr[lane] + i, &depth) || !grow(s, depth))
			continue;
		if (unwritten >> i & 1)
			s->bit[depth / 8] &= (uint8_t)~(1u << depth % 8);
		else
			s->bit[depth / 8] |= (uint8_t)(1u << depth % 8);
	}
}

void ci_local_return(struct ci_cta *c, const struct ppu_seen_call *call)
{
	uint32_t all = call->at.cta->task.local_bytes;

	FOR_LANES(i, c->stack && call->regs > PPU_SP ? call->lanes : 0) {
		struct ci_stack *s = &c->stack[call->at.warp * PPU_OBSERVE_LANES + i];
		uint32_t sp = call->reg[PPU_SP][i], keep = sp < all ? all - sp : 0;

		if (keep >= s->bytes)
			continue;
		s->bit[keep / 8] &= (uint8_t)((1u << keep % 8) - 1);
		memset(s->bit + keep / 8 + 1, 0, s->bytes / 8 - keep / 8 - 1);
	}
}

void ci_local_free(struct ci_cta *c)
{
	for (uint32_t i = 0; c->stack && i < c->is.warps * PPU_OBSERVE_LANES; i++)
		free(c->stack[i].bit);
	free(c->stack);
}
