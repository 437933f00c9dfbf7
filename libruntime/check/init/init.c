/* SPDX-License-Identifier: MIT */
/*
 * initcheck: reads of memory that nobody has written since it was allocated.
 *
 * Global memory: a set of bytes for each context, c->fresh.  An allocation puts its bytes in; a store of a thread, a copy or a
 * fill takes them out.  A copy of such bytes is no finding: those where it puts them are fresh, too, so the read that matters
 * is found; copied.c does the same for threads.  c->valid has all bytes that can be fresh: memory that the CPU can write is
 * not among them, because nobody sees it do so.
 *
 * Shared memory: a flag for each byte of a block that runs.  Local memory: local.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hw/ppu_isa.h>
#include <hw/ppu_tmd.h>
#include "check/init/inner.h"

/* Lanes that have done the access. */
static uint32_t done(const struct ppu_seen_access *a)
{
	return a->fault ? a->lanes & ((1u << a->fault_lane) - 1) : a->lanes;
}

/* ---- global memory ----------------------------------------------------------------------------- */

void chk_init_fresh(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	chk_shadow_set(&c->valid, va, bytes, true);
	chk_shadow_set(&c->fresh, va, bytes, true);
}

void chk_init_gone(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	chk_shadow_set(&c->valid, va, bytes, false);
	chk_shadow_set(&c->fresh, va, bytes, false);
}

static uint32_t global_unwritten(struct chk_ctx *c, const struct ppu_seen_access *a, unsigned lane)
{
	uint32_t found = 0;

	if (!chk_shadow_any(&c->fresh, a->addr[lane], a->bytes))
		return 0;
	for (unsigned i = 0; i < a->bytes; i++)
		found |= (uint32_t)chk_shadow_any(&c->fresh, a->addr[lane] + i, 1) << i;
	return found;
}

static void global_write(struct chk_ctx *c, const struct ppu_seen_access *a, unsigned lane, uint32_t unwritten)
{
	uint64_t va = a->addr[lane];

	if (chk_shadow_any(&c->fresh, va, a->bytes))
		chk_shadow_set(&c->fresh, va, a->bytes, false);
	for (; unwritten; unwritten &= unwritten - 1) {
		uint64_t at = va + (unsigned)__builtin_ctz(unwritten);

		if (chk_shadow_any(&c->valid, at, 1))
			chk_shadow_set(&c->fresh, at, 1, true);
	}
}

/* A piece of a row that lies in one page on both sides. */
static void copy_piece(struct chk_ctx *c, uint64_t dst, uint64_t src, uint64_t n)
{
	bool any = chk_shadow_any(&c->valid, dst, n) && chk_shadow_any(&c->fresh, src, n);

	if (!any || (chk_shadow_all(&c->valid, dst, n) && chk_shadow_all(&c->fresh, src, n))) {
		chk_shadow_set(&c->fresh, dst, n, any);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		chk_shadow_set(&c->fresh, dst + i, 1,
			       chk_shadow_any(&c->fresh, src + i, 1) && chk_shadow_any(&c->valid, dst + i, 1));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Pieces of a row in the order in which the device moves them, so that it may overlap itself. */
static void copy_row(struct chk_ctx *c, uint64_t dst, uint64_t src, uint64_t n)
{
	bool backward = dst > src && dst - src < n;

	while (n) {
		uint64_t off = 0, part;

		if (backward) {
			part = least(n, least((dst + n - 1) % CHK_PAGE + 1, (src + n - 1) % CHK_PAGE + 1));
			part = least(part, dst - src);
			off = n - part;
		} else {
			part = least(n, least(CHK_PAGE - dst % CHK_PAGE, CHK_PAGE - src % CHK_PAGE));
		}
		copy_piece(c, dst + off, src + off, part);
		n -= part;
		dst += backward ? 0 : part;
		src += backward ? 0 : part;
	}
}

void chk_init_copy(struct chk_ctx *c, const struct ppu_seen_copy *copy)
{
	for (uint64_t r = 0; r < copy->rows; r++) {
		uint64_t dst = copy->dst + r * copy->dst_pitch;

		if (copy->fill)
			chk_shadow_set(&c->fresh, dst, copy->width, false);
		else
			copy_row(c, dst, copy->src + r * copy->src_pitch, copy->width);
	}
}

/* ---- shared memory ----------------------------------------------------------------------------- */

static void drop(struct chk_cta *c)
{
	ci_local_free((struct ci_cta *)c);
	ci_copied_free((struct ci_cta *)c);
	free(c);
}

static struct chk_ctas ctas = { .drop = drop };

static struct ci_cta *cta_of(const struct ppu_seen_cta *s)
{
	return chk_cta_of(&ctas, s, sizeof(struct ci_cta) + s->task.shared_bytes);
}

void chk_init_cta_end(const struct ppu_seen_cta *c)
{
	chk_cta_end(&ctas, c);
}

void chk_init_task_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

/* Of its access to the block's memory; beside it there is nothing. */
static uint8_t *shared_at(struct ci_cta *cta, const struct ppu_seen_access *a, unsigned lane)
{
	uint64_t at = a->addr[lane];

	return at >= cta->is.shared_bytes || cta->is.shared_bytes - at < a->bytes ? NULL : cta->written + at;
}

static uint32_t shared_unwritten(struct ci_cta *cta, const struct ppu_seen_access *a, unsigned lane)
{
	static const uint8_t all[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const uint8_t *written = shared_at(cta, a, lane);
	uint32_t found = 0;

	if (!written || !memcmp(written, all, a->bytes))
		return 0;
	for (unsigned i = 0; i < a->bytes; i++)
		found |= (uint32_t)!written[i] << i;
	return found;
}

static void shared_write(struct ci_cta *cta, const struct ppu_seen_access *a, unsigned lane, uint32_t unwritten)
{
	uint8_t *written = shared_at(cta, a, lane);

	for (unsigned i = 0; written && i < a->bytes; i++)
		written[i] = !(unwritten >> i & 1);
}

/* The usual case, at once: all that lies between the lowest and the highest byte is written. */
static bool all_written(const struct ci_cta *cta, const struct ppu_seen_access *a)
{
	uint64_t at, bytes = chk_span(a, &at);

	return bytes && at < cta->is.shared_bytes && cta->is.shared_bytes - at >= bytes && !memchr(cta->written + at, 0, bytes);
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static uint32_t lane_unwritten(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a, unsigned lane)
{
	return a->space == PPU_SPACE_GLOBAL ? global_unwritten(c, a, lane) :
	       a->space == PPU_SPACE_SHARED ? shared_unwritten(cta, a, lane) : ci_local_unwritten(cta, a, lane);
}

/* Lanes that read what nobody has written, and which bytes. */
static uint32_t all_unwritten(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a, uint32_t *unwritten)
{
	uint32_t lanes = 0;

	if (a->space == PPU_SPACE_SHARED && all_written(cta, a))
		return 0;
	FOR_LANES(i, done(a)) {
		unwritten[i] = lane_unwritten(c, cta, a, i);
		lanes |= (uint32_t)!!unwritten[i] << i;
	}
	return lanes;
}

static const char *who(unsigned space)
{
	return space == PPU_SPACE_GLOBAL ? "nobody has" : space == PPU_SPACE_SHARED ? "no thread of the block has" :
	       "the thread has not";
}

/* Functions of the device's library keep a thread's state in local memory, and look at it to see whether it is theirs; and they
 * copy a program's arguments with what is between them. */
static bool is_of_library(const struct chk_ctx *c, const struct ppu_seen_access *a)
{
	struct chk_place place;

	if (a->space != PPU_SPACE_LOCAL)
		return false;
	chk_place_of(c, &a->at, a->lanes, &place);
	return place.function && (!strncmp(place.function, "__ppu_", 6) || !strcmp(place.function, "vprintf"));
}

/* Lanes that read unwritten bytes of one allocation are one finding. */
void ci_tell(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes, const uint32_t *unwritten)
{
	if (is_of_library(c, a))
		return;
	while (lanes) {
		unsigned first = (unsigned)__builtin_ctz(lanes);
		struct chk_finding f = { .kind = CHK_UNINITIALIZED };
		uint32_t same = lanes;
		int n;

		if (a->space == PPU_SPACE_GLOBAL) {
			f.block = chk_block_near(&c->blocks, a->addr[first]);
			f.same = f.block ? f.block->va : 0;
			FOR_LANES(i, lanes)
				if (chk_block_near(&c->blocks, a->addr[i]) != f.block)
					same &= ~(1u << i);
		}
		lanes &= ~same;
		n = chk_name_access(a, first, &f);
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, ", %u of which %s written",
			 (unsigned)__builtin_popcount(unwritten[first]), who(a->space));
		chk_tell(c, a, same, &f);
	}
}

/*
 * Compilers that do not optimise read and write whole words of local memory for bit-fields, and pass the byte of a structure
 * without members.
 */
static uint32_t without_dull(const struct ppu_seen_access *a, uint32_t lanes, const uint32_t *unwritten)
{
	FOR_LANES(i, a->space == PPU_SPACE_LOCAL ? lanes : 0)
		if (a->bytes == 1 || unwritten[i] != CI_ALL(a->bytes))
			lanes &= ~(1u << i);
	return lanes;
}

static void reads(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a)
{
	uint32_t unwritten[PPU_OBSERVE_LANES] = { 0 }, lanes = all_unwritten(c, cta, a, unwritten);

	if (a->kind == PPU_SEEN_READ && (lanes || cta->values) && ci_copies(cta, a, unwritten))
		return;
	lanes = without_dull(a, lanes, unwritten);
	if (lanes)
		ci_tell(c, a, lanes, unwritten);
}

static void writes(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a)
{
	uint32_t unwritten[PPU_OBSERVE_LANES] = { 0 };

	if (a->kind == PPU_SEEN_WRITE && cta->values)
		ci_copied(c, cta, a, unwritten);
	FOR_LANES(i, done(a)) {
		if (a->space == PPU_SPACE_GLOBAL)
			global_write(c, a, i, unwritten[i]);
		else if (a->space == PPU_SPACE_SHARED)
			shared_write(cta, a, i, unwritten[i]);
		else
			ci_local_write(cta, a, i, unwritten[i]);
	}
}

void chk_init_access(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	struct ci_cta *cta;

	if (a->space == PPU_SPACE_PARAM)
		return;
	/* Blocks of a cluster write each other's. */
	if (a->space == PPU_SPACE_SHARED && PPU_CLUSTER_CTAS(a->at.cta->task.cluster) > 1)
		return;
	cta = cta_of(a->at.cta);
	if (!cta)
		return;
	if (a->kind != PPU_SEEN_WRITE)
		reads(c, cta, a);
	if (a->kind != PPU_SEEN_READ)
		writes(c, cta, a);
}

void chk_init_call(struct chk_ctx *c, const struct ppu_seen_call *s)
{
	struct ci_cta *cta = s->returns ? cta_of(s->at.cta) : NULL;

	if (cta)
		ci_local_return(cta, s);
}
