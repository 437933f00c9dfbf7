/* SPDX-License-Identifier: MIT */
/*
 * initcheck: reads of memory that nobody has written since it was allocated.
 *
 * Global memory: a set of bytes for each context, c->fresh.  An allocation puts its bytes in; a store of a thread, a copy or a
 * fill takes them out.  A copy of such bytes is no finding: those where it puts them are fresh, too, so the read that matters
 * is found.  c->valid has all bytes that can be fresh: memory that the CPU can write is not among them, because nobody
 * sees it do so.
 *
 * Shared memory: a flag for each byte of a block that runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hw/ppu_isa.h>
#include <hw/ppu_tmd.h>
#include "check/cta.h"
#include "check/init/init.h"

struct cta {
	struct chk_cta is;
	uint8_t written[];		/* by byte */
};

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

static unsigned fresh_bytes(struct chk_ctx *c, uint64_t va, unsigned bytes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n += chk_shadow_any(&c->fresh, va + i, 1);
	return n;
}

/* Lanes that read fresh bytes of one allocation are one finding. */
static void tell_global(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes)
{
	while (lanes) {
		unsigned first = (unsigned)__builtin_ctz(lanes);
		struct chk_finding f = { .kind = CHK_UNINITIALIZED, .block = chk_block_near(&c->blocks, a->addr[first]) };
		uint32_t same = 0, m;
		int n;

		for (m = lanes; m; m &= m - 1)
			if (chk_block_near(&c->blocks, a->addr[__builtin_ctz(m)]) == f.block)
				same |= m & -m;
		lanes &= ~same;
		f.same = f.block ? f.block->va : 0;
		n = chk_name_access(a, first, &f);
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, ", %u of which nobody has written",
			 fresh_bytes(c, a->addr[first], a->bytes));
		chk_tell(c, a, same, &f);
	}
}

static void global(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	uint32_t lanes = 0, m;

	for (m = done(a); m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		if (chk_shadow_any(&c->fresh, a->addr[i], a->bytes))
			lanes |= 1u << i;
	}
	if (a->kind != PPU_SEEN_WRITE && lanes)
		tell_global(c, a, lanes);
	for (m = a->kind == PPU_SEEN_READ ? 0 : lanes; m; m &= m - 1)
		chk_shadow_set(&c->fresh, a->addr[__builtin_ctz(m)], a->bytes, false);
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

static struct chk_ctas ctas;

static struct cta *cta_of(const struct ppu_seen_cta *s)
{
	return chk_cta_of(&ctas, s, sizeof(struct cta) + s->task.shared_bytes);
}

void chk_init_cta_end(const struct ppu_seen_cta *c)
{
	chk_cta_end(&ctas, c);
}

void chk_init_task_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

static unsigned missing(const uint8_t *written, unsigned bytes)
{
	static const uint8_t all[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	unsigned i, n = 0;

	if (!memcmp(written, all, bytes))
		return 0;
	for (i = 0; i < bytes; i++)
		n += !written[i];
	return n;
}

/* The usual case, at once: all that lies between the lowest and the highest byte is written. */
static bool all_written(const struct cta *cta, const struct ppu_seen_access *a)
{
	uint64_t at, bytes = chk_span(a, &at);

	return bytes && at < cta->is.shared_bytes && cta->is.shared_bytes - at >= bytes && !memchr(cta->written + at, 0, bytes);
}

static void shared(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	struct cta *cta = cta_of(a->at.cta);
	uint32_t lanes = 0, m;
	struct chk_finding f = { .kind = CHK_UNINITIALIZED };
	unsigned first = 0, n;

	/* Blocks of a cluster write each other's. */
	if (!cta || PPU_CLUSTER_CTAS(a->at.cta->task.cluster) > 1 || all_written(cta, a))
		return;
	for (m = done(a); m; m &= m - 1) {
		uint64_t at = a->addr[__builtin_ctz(m)];

		if (at >= cta->is.shared_bytes || cta->is.shared_bytes - at < a->bytes)
			continue;
		n = a->kind == PPU_SEEN_WRITE ? 0 : missing(cta->written + at, a->bytes);
		if (n && !lanes)
			first = n;
		lanes |= n ? m & -m : 0;
		if (a->kind != PPU_SEEN_READ)
			memset(cta->written + at, 1, a->bytes);
	}
	if (!lanes)
		return;
	n = (unsigned)chk_name_access(a, (unsigned)__builtin_ctz(lanes), &f);
	snprintf(f.what + n, sizeof(f.what) - n, ", %u of which no thread of the block has written", first);
	chk_tell(c, a, lanes, &f);
}

void chk_init_access(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	if (a->space == PPU_SPACE_GLOBAL)
		global(c, a);
	else if (a->space == PPU_SPACE_SHARED)
		shared(c, a);
}
