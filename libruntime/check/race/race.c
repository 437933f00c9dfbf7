/* SPDX-License-Identifier: MIT */
/*
 * racecheck: data races in shared and global memory.  Two accesses of different threads to one byte race if one of them
 * writes, neither happens before the other, and not both are strong (atomic, volatile, relaxed and so on) with scopes that
 * name the other's thread.
 *
 * What happens before what: each thread has a clock, which moves on whenever others may have got to know what it did.
 * An access is (block, thread, clock).  A thread knows of each thread up to which clock it is behind it: from barriers, from
 * lanes of its warp that wait for each other, from words (word.c), and of other tasks, from the order of streams and of the
 * host (order.c).
 *
 * Kept for each word, or for each byte of words that somebody accessed in part: the last write and two reads.  So of three
 * threads that read, and a fourth that writes, one pair is found for sure, not each.  Two writes of the same value are no
 * finding.
 */
#include <stdlib.h>

#include "check/host/host.h"
#include "check/race/inner.h"
#include "check/race/race.h"

bool chk_race_plain_volatile;

/*
 * A plain read and an atomic: the other one may be a loop that reads first and then compares and swaps, as CUDA's own guide has
 * it.  What it read does no harm.
 */
static bool forgiven(const struct rc_seen *a, const struct rc_seen *b)
{
	return !chk_race_strict && ((a->kind == PPU_SEEN_READ && b->kind == PPU_SEEN_ATOMIC) ||
				    (a->kind == PPU_SEEN_ATOMIC && b->kind == PPU_SEEN_READ)) &&
	       (a->cta == b->cta || ((!a->strong || a->strong > 1 + PPU_SCOPE_CTA) && (!b->strong || b->strong > 1 + PPU_SCOPE_CTA)));
}

bool rc_both_strong(const struct rc_seen *a, const struct rc_seen *b)
{
	return a->strong && b->strong && (a->cta == b->cta || (a->strong > 1 + PPU_SCOPE_CTA && b->strong > 1 + PPU_SCOPE_CTA));
}

/* Byte k of what a lane writes. */
static uint8_t value_of(const struct ppu_seen_access *a, uint32_t lane, uint32_t k)
{
	uint32_t row = a->element < 4 ? k / a->element : k / 4, byte = a->element < 4 ? k % a->element : k % 4;

	return (uint8_t)(a->value[row][lane] >> 8 * byte);
}

static uint32_t word_of(const struct ppu_seen_access *a, uint32_t lane, uint32_t k, uint32_t n)
{
	uint32_t value = 0;

	if (n == 4 && a->element >= 4)
		return a->value[k / 4][lane];
	for (uint32_t i = 0; i < n; i++)
		value |= (uint32_t)value_of(a, lane, k + i) << 8 * i;
	return value;
}

static void note_read(const struct rc_cta *c, struct rc_cell *cell, const struct rc_seen *me)
{
	/* A read that is behind this one says no more than this one does. */
	unsigned i = (cell->read[0].thread == me->thread && cell->read[0].cta == me->cta) ||
		     rc_is_behind(c, me->thread, &cell->read[0]) ? 0 : 1;

	cell->read[i] = *me;
}

/* n: bytes of the cell; k: of the access, where it begins.  True: a race was told. */
static bool one_cell(const struct rc_cta *c, const struct ppu_seen_access *a, uint32_t lane, uint32_t k, uint32_t n,
		     const struct rc_seen *me, struct rc_cell *cell)
{
	const struct rc_seen *bad = NULL;
	bool writes = a->kind == PPU_SEEN_WRITE;
	uint32_t value = writes ? word_of(a, lane, k, n) : 0;

	if (!rc_is_behind(c, me->thread, &cell->write) && !rc_both_strong(me, &cell->write) && !forgiven(me, &cell->write) &&
	    !(writes && cell->write.kind == PPU_SEEN_WRITE && cell->value == value))
		bad = &cell->write;
	for (unsigned i = 0; i < 2 && !bad && a->kind != PPU_SEEN_READ; i++)
		if (!rc_is_behind(c, me->thread, &cell->read[i]) && !rc_both_strong(me, &cell->read[i]) &&
		    !forgiven(me, &cell->read[i]))
			bad = &cell->read[i];
	if (bad)
		rc_tell(c, a, lane, me, cell, bad, n);
	if (a->kind == PPU_SEEN_READ) {
		note_read(c, cell, me);
	} else {
		cell->write = *me;
		cell->value = value;
	}
	return bad;
}

/* ---- shared memory ----------------------------------------------------------------------------- */

/* From now on each byte of the word has its own cell. */
static struct rc_cell *split(struct rc_cta *c, uint64_t word)
{
	struct rc_cell *b = c->bytes[word];

	if (b)
		return b;
	b = c->bytes[word] = malloc(4 * sizeof(*b));
	for (uint32_t i = 0; b && i < 4; i++) {
		b[i] = c->cell[word];
		b[i].value = c->cell[word].value >> 8 * i & 0xff;
	}
	return b;
}

static void in_shared(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t lane, const struct rc_seen *me)
{
	uint32_t n;

	for (uint32_t k = 0; k < a->bytes; k += n) {
		uint64_t at = a->addr[lane] + k, word = at / 4;
		struct rc_cell *bytes = a->bytes < 4 ? split(c, word) : c->bytes[word];

		n = bytes ? 1 : 4;
		if (one_cell(c, a, lane, k, n, me, bytes ? &bytes[at % 4] : &c->cell[word]))
			return;
	}
}

/* ---- global memory ----------------------------------------------------------------------------- */

static void in_global(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t lane, const struct rc_seen *me)
{
	uint32_t step = a->bytes < 4 ? a->bytes : 4, num;

	for (uint32_t k = 0; k < a->bytes; k += step) {
		struct rc_cell *cell = rc_cells(c->ctx, a->addr[lane] + k, step, &num);

		for (uint32_t i = 0; cell && i < num; i++)
			if (one_cell(c, a, lane, k + i, num == 1 && step == 4 ? 4 : 1, me, cell + i))
				return;
	}
}

/* Lanes that access memory of the program: not that of the runtime, which has rules of its own. */
static uint32_t watched(struct chk_ctx *ctx, const struct ppu_seen_access *a)
{
	uint64_t at, bytes = chk_span(a, &at);
	uint32_t lanes = 0;

	if (bytes && chk_shadow_all(&ctx->valid, at, bytes))
		return a->lanes;
	FOR_LANES(l, a->lanes)
		if (chk_shadow_all(&ctx->valid, a->addr[l], a->bytes))
			lanes |= 1u << l;
	return lanes;
}

/* Most warps do this. */
static bool in_row(struct rc_cta *c, const struct ppu_seen_access *a)
{
	uint32_t t = a->at.warp * PPU_OBSERVE_LANES;
	struct rc_seen me = {
		.clock = c->thread[t].now.clock, .cta = c->number, .stamp = rc_now(c->ctx), .pc = a->at.pc, .thread = (uint16_t)t,
		.kind = a->kind & 3,
	};

	if (a->bytes < 4 || a->element < 4 || a->addr[0] % RC_LINE)
		return false;
	for (unsigned l = 1; l < PPU_OBSERVE_LANES; l++)
		if (a->addr[l] != a->addr[0] + (uint64_t)l * a->bytes || c->thread[t + l].now.clock != me.clock)
			return false;
	return rc_row(c, a, &me);
}

/* Not those that look into the shared memory of another block of the cluster. */
static uint32_t own_lanes(const struct ppu_seen_access *a)
{
	uint32_t lanes = 0;

	FOR_LANES(l, a->lanes)
		lanes |= (uint32_t)(a->addr[l] < a->at.cta->task.shared_bytes) << l;
	return lanes;
}

/* By memory that both access, and nobody sees what the host does: each may have told the other. */
static void meets_host(struct rc_cta *c)
{
	rc_host_learns(c->ctx);
	rc_task_heard_host(c->ctx, c->task);
}

/* Lanes whose access is strong.  Memory of the runtime is not the program's, so its volatile accesses stay what they are. */
static uint32_t strong_lanes(const struct ppu_seen_access *a, uint32_t watched)
{
	if (a->kind == PPU_SEEN_ATOMIC)
		return a->lanes;
	if (a->order == PPU_MO_WEAK)
		return 0;
	return chk_race_plain_volatile && a->order == PPU_MO_VOLATILE ? a->lanes & ~watched : a->lanes;
}

void chk_race_access(struct chk_ctx *ctx, const struct ppu_seen_access *a)
{
	bool global = a->space == PPU_SPACE_GLOBAL;
	struct rc_cta *c = (global || a->space == PPU_SPACE_SHARED) && !a->fault ? rc_cta_of(ctx, a->at.cta) : NULL;
	uint32_t lanes, all_strong;

	if (!c)
		return;
	lanes = global ? watched(ctx, a) : own_lanes(a);
	all_strong = strong_lanes(a, lanes);
	if (global && !all_strong && lanes == ~0u && in_row(c, a))
		return;
	FOR_LANES(l, global ? a->lanes : lanes) {
		uint32_t t = a->at.warp * PPU_OBSERVE_LANES + l;
		bool strong = all_strong >> l & 1;
		struct rc_seen me = {
			.clock = c->thread[t].now.clock, .cta = c->number, .stamp = rc_now(ctx), .pc = a->at.pc,
			.thread = (uint16_t)t, .kind = a->kind & 3, .strong = (uint8_t)(strong ? 1 + a->scope : 0),
		};

		if (strong && global && chk_host_unseen(a->addr[l]))
			meets_host(c);
		if (strong && a->kind != PPU_SEEN_WRITE)	/* what it reads is told before */
			rc_through_word(c, a, t, a->addr[l]);
		if (!(lanes >> l & 1))
			;
		else if (global)
			in_global(c, a, l, &me);
		else
			in_shared(c, a, l, &me);
		if (strong && a->kind == PPU_SEEN_WRITE)
			rc_through_word(c, a, t, a->addr[l]);
	}
}
