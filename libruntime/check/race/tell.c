/* SPDX-License-Identifier: MIT */
/* racecheck: findings.  Races of the same two instructions are one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"

#define PAIRS	4096u

static const char *const does[] = {
	[PPU_SEEN_READ] = "read", [PPU_SEEN_WRITE] = "write", [PPU_SEEN_ATOMIC] = "atomic", [RC_COPIED] = "write",
};

/* ---- pairs that were told ------------------------------------------------------------------------ */

struct rc_pairs {
	struct pair {
		uint64_t pcs, kernels;	/* 0, 0: none */
		bool suppressed;
	} v[PAIRS];
	uint32_t n;
};

/* The same for both orders. */
static uint64_t both(uint32_t one, uint32_t two)
{
	return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

static uint32_t kernel_of(const struct rc_task *t)
{
	return t->copy ? ~0u : (uint32_t)(t->seen.id >> 32);
}

/* Where the pair is, or is to be; NULL: there is no room. */
static struct pair *pair_of(struct chk_ctx *c, uint64_t pcs, uint64_t kernels)
{
	uint64_t i = (pcs * 0x9e3779b97f4a7c15ull ^ kernels * 0xc2b2ae3d27d4eb4full) >> 40;

	if (!c->pairs)
		c->pairs = calloc(1, sizeof(*c->pairs));
	for (; c->pairs && c->pairs->n < PAIRS / 2; i++) {
		struct pair *p = &c->pairs->v[i % PAIRS];

		if ((p->pcs == pcs && p->kernels == kernels) || !(p->pcs | p->kernels))
			return p;
	}
	return NULL;
}

void rc_pairs_free(struct chk_ctx *c)
{
	free(c->pairs);
	c->pairs = NULL;
}

/* True: this is another one of a pair that was told. */
static bool again(struct chk_ctx *c, const struct pair *p)
{
	if (!p || !(p->pcs | p->kernels))
		return false;
	chk_report_again(p->suppressed);
	return true;
}

static void report(struct chk_ctx *c, struct pair *p, uint64_t pcs, uint64_t kernels, const struct chk_finding *f)
{
	bool told = chk_report(f);

	if (!p)
		return;
	*p = (struct pair){ .pcs = pcs, .kernels = kernels, .suppressed = !told };
	c->pairs->n++;
}

/* ---- words -------------------------------------------------------------------------------------- */

static void place_of(const struct chk_ctx *ctx, const struct rc_seen *s, struct chk_place *p)
{
	const struct rc_block *b = rc_block(ctx, s->cta);
	const uint32_t *grid = b->task->seen.grid;
	struct ppu_seen_cta cta = { .task = b->task->seen, .index = b->index };
	struct ppu_seen_warp at = { .cta = &cta, .warp = s->thread / PPU_OBSERVE_LANES, .pc = s->pc };

	cta.id[0] = (uint32_t)(b->index % grid[0]);
	cta.id[1] = (uint32_t)(b->index / grid[0] % grid[1]);
	cta.id[2] = (uint32_t)(b->index / grid[0] / grid[1]);
	/* The task of a queue has more blocks than its grid: they are in a row. */
	if (cta.id[2] >= grid[2]) {
		cta.id[0] = (uint32_t)b->index;
		cta.id[1] = cta.id[2] = 0;
	}
	chk_place_of(ctx, &at, 1u << s->thread % PPU_OBSERVE_LANES, p);
}

/* What would have to be different. */
static const char *hint(const struct rc_cta *c, const struct rc_seen *me, const struct rc_seen *other, enum chk_kind *kind)
{
	const struct rc_entry *e = rc_set_find(c->thread[me->thread].would, other->cta);

	if (me->strong && other->strong) {
		*kind = CHK_RACE_SCOPE;
		return "; the scope of one of them is its block, and they are of different blocks";
	}
	if (e && rc_entry_clock(e, other->thread) >= other->clock) {
		*kind = CHK_RACE_SCOPE;
		return "; what is between them has the scope of a block, and they are of different blocks";
	}
	if ((me->strong || other->strong) && !other->host)
		return me->strong ? "; it is neither atomic nor volatile, but the other is" :
				    "; it is atomic or volatile, but the other is not";
	return "";
}

static void against_whom(char *buf, size_t len, const struct rc_task *t, const struct rc_cell *cell, const struct rc_seen *other,
			 uint32_t bytes, const char *why)
{
	int n = other->host ? snprintf(buf, len, "%s by the host that is not ordered with it", does[other->kind]) :
		t->copy ? snprintf(buf, len, "%s by a %s that is not ordered with it", does[other->kind], t->copy) :
			  snprintf(buf, len, "%s that is not ordered with it", does[other->kind]);

	if (other == &cell->write && other->kind == PPU_SEEN_WRITE)
		n += snprintf(buf + n, len - (size_t)n, "; %s became 0x%x", bytes == 1 ? "the byte" : "the word", cell->value);
	snprintf(buf + n, len - (size_t)n, "%s", why);
}

/* The other side: a place, or who asked for the copy. */
static void other_side(const struct chk_ctx *ctx, const struct rc_seen *other, struct chk_finding *f, struct chk_place *two)
{
	const struct rc_task *t = rc_block(ctx, other->cta)->task;

	if (t->copy) {
		f->other_call = other->host ? rc_host_stack(ctx, other->pc) : &t->called;
		return;
	}
	place_of(ctx, other, two);
	f->other = two;
}

void rc_tell(const struct rc_cta *c, const struct ppu_seen_access *a, uint32_t lane, const struct rc_seen *me,
	     const struct rc_cell *cell, const struct rc_seen *other, uint32_t bytes)
{
	const struct rc_task *task = rc_block(c->ctx, other->cta)->task;
	const char *space = a->space == PPU_SPACE_SHARED ? "shared" : "global";
	uint64_t pcs, kernels = both(kernel_of(c->task), kernel_of(task)) + 1;
	struct chk_place one, two;
	struct chk_finding f = {
		.kind = CHK_RACE, .place = &one, .access = does[a->kind], .space = space, .address = a->addr[lane],
		.bytes = a->bytes,
	};
	char against[256];
	const char *why = hint(c, me, other, &f.kind);
	struct pair *p;
	int n;

	pcs = both(me->pc, other->pc) ^ (uint64_t)(f.kind == CHK_RACE_SCOPE) << 63;
	p = pair_of(c->ctx, pcs, kernels);
	if (again(c->ctx, p))
		return;
	f.same = pcs;
	f.other_does = against;
	chk_place_of(c->ctx, &a->at, 1u << lane, &one);
	other_side(c->ctx, other, &f, &two);
	n = snprintf(f.what, sizeof(f.what), "%s of %u byte%s of %s memory at 0x%llx", does[a->kind], a->bytes,
		     a->bytes == 1 ? "" : "s", space, (unsigned long long)a->addr[lane]);
	if (a->kind == PPU_SEEN_WRITE)
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, ", value 0x%x", a->value[0][lane]);
	against_whom(against, sizeof(against), task, cell, other, bytes, why);
	if (a->space == PPU_SPACE_GLOBAL)
		f.block = chk_block_near(&c->ctx->blocks, f.address);
	report(c->ctx, p, pcs, kernels, &f);
}

void rc_tell_copy(struct chk_ctx *ctx, const struct rc_task *t, const struct ppu_seen_copy *copy, const struct rc_seen *me,
		  uint64_t va, const struct rc_cell *cell, const struct rc_seen *other)
{
	const struct rc_task *task = rc_block(ctx, other->cta)->task;
	uint64_t from = t->called.n ? (uintptr_t)t->called.frame[0] : 1, kernels = both(kernel_of(t), kernel_of(task)) + 1;
	struct pair *p = pair_of(ctx, from ^ (uint64_t)other->pc << 48, kernels);
	struct chk_place two;
	struct chk_finding f = {
		.kind = CHK_RACE, .access = does[me->kind], .space = "global", .address = va, .bytes = 4, .call = &t->called,
		.block = chk_block_near(&ctx->blocks, va), .same = from ^ (uint64_t)other->pc << 48,
	};
	char against[256];

	if (again(ctx, p))
		return;
	f.other_does = against;
	other_side(ctx, other, &f, &two);
	snprintf(f.what, sizeof(f.what), "%s by a %s of %llu bytes of global memory at 0x%llx", does[me->kind], t->copy,
		 (unsigned long long)(copy->width * copy->rows), (unsigned long long)va);
	against_whom(against, sizeof(against), task, cell, other, 4, "");
	report(ctx, p, f.same, kernels, &f);
}

void rc_tell_host(struct chk_ctx *ctx, const struct rc_seen *me, uint64_t va, uint64_t bytes, const struct rc_cell *cell,
		  const struct rc_seen *other)
{
	const struct rc_task *task = rc_block(ctx, other->cta)->task;
	uint64_t pcs = (uint64_t)(me->pc + 1) << 32 | other->pc, kernels = both(~0u, kernel_of(task)) + 1;
	struct pair *p = pair_of(ctx, pcs, kernels);
	struct chk_place two;
	struct chk_finding f = {
		.kind = CHK_RACE, .access = does[me->kind], .space = "global", .address = va, .bytes = bytes,
		.call = rc_host_stack(ctx, me->pc), .block = chk_block_near(&ctx->blocks, va), .same = pcs,
	};
	char against[256];

	if (again(ctx, p))
		return;
	f.other_does = against;
	other_side(ctx, other, &f, &two);
	snprintf(f.what, sizeof(f.what), "%s by the host of global memory at 0x%llx", does[me->kind], (unsigned long long)va);
	against_whom(against, sizeof(against), task, cell, other, 4, "");
	report(ctx, p, pcs, kernels, &f);
}
