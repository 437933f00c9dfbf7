/* SPDX-License-Identifier: MIT */
/*
 * racecheck: a warp that accesses lines of memory, lane after lane, needs one cell for each line.  What may be a race is left
 * to those who look lane by lane.
 */
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"

#define WORDS	(RC_LINE / 4)

/* Is what was done to the line behind what me does to it? */
static bool is_behind(const struct rc_cta *c, const struct rc_seen *me, const struct rc_seen *s)
{
	struct rc_seen one = *s;

	if (!s->clock || rc_is_old(c->ctx, s))
		return true;
	if (s->cta != c->number && rc_task_behind(c->ctx, c->task, s))
		return true;
	if (s->cta == c->number && s->row == me->row && s->thread == me->thread)
		return true;
	for (unsigned w = 0; w < WORDS; w++) {
		one.thread = (uint16_t)(s->thread + (s->row ? w >> (s->row - 1) : 0));
		if (!rc_is_behind(c, me->thread + (w >> (me->row - 1)), &one))
			return false;
	}
	return true;
}

static const uint32_t *value_at(const struct ppu_seen_access *a, unsigned shift, unsigned first, unsigned word)
{
	return &a->value[word & ((1u << shift) - 1)][first + (word >> shift)];
}

static bool same_values(const struct rc_line *line, const struct ppu_seen_access *a, unsigned shift, unsigned first)
{
	if (!line->value || line->all.write.kind != PPU_SEEN_WRITE)
		return false;
	for (unsigned w = 0; w < WORDS; w++)
		if (line->value[w] != *value_at(a, shift, first, w))
			return false;
	return true;
}

static void read_line(const struct rc_cta *c, struct rc_line *line, const struct rc_seen *me)
{
	struct rc_seen *r = line->all.read;
	bool mine = r[0].cta == me->cta && r[0].thread == me->thread && r[0].row == me->row;

	r[mine || is_behind(c, me, &r[0]) ? 0 : 1] = *me;
}

static void write_line(struct rc_line *line, const struct ppu_seen_access *a, const struct rc_seen *me, unsigned shift, unsigned first)
{
	line->all.write = *me;
	memset(line->all.read, 0, sizeof(line->all.read));	/* they are behind */
	if (!line->value)
		line->value = malloc(WORDS * sizeof(*line->value));
	for (unsigned w = 0; line->value && w < WORDS; w++)
		line->value[w] = *value_at(a, shift, first, w);
}

bool rc_row(struct rc_cta *c, const struct ppu_seen_access *a, const struct rc_seen *me)
{
	unsigned shift = a->bytes == 4 ? 0 : a->bytes == 8 ? 1 : 2;
	struct rc_seen it = *me;

	it.row = 1 + shift;
	for (unsigned i = 0; i < a->bytes / 4; i++) {
		struct rc_line *line = rc_line(c->ctx, a->addr[0] + (uint64_t)i * RC_LINE);
		unsigned first = i * (WORDS >> shift);

		it.thread = (uint16_t)(me->thread + first);
		if (!line || line->cell)
			return false;
		if (!is_behind(c, &it, &line->all.write) &&
		    !(a->kind == PPU_SEEN_WRITE && same_values(line, a, shift, first)))
			return false;
		if (a->kind == PPU_SEEN_READ) {
			read_line(c, line, &it);
			continue;
		}
		if (!is_behind(c, &it, &line->all.read[0]) || !is_behind(c, &it, &line->all.read[1]))
			return false;
		write_line(line, a, &it, shift, first);
	}
	return true;
}
