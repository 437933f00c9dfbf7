/* SPDX-License-Identifier: MIT */
/*
 * memcheck: is each byte that a thread accesses inside an allocation of its context, and still?  And what does a fault
 * of the device mean?  The device goes on as always: what it would do, it does.
 */
#include <stdio.h>
#include <string.h>

#include <hw/ppu_fault.h>
#include <hw/ppu_isa.h>
#include "check/state.h"

static const char *const access_text[] = {
	[PPU_SEEN_READ] = "read", [PPU_SEEN_WRITE] = "write", [PPU_SEEN_ATOMIC] = "atomic",
};

static const char *space_text(unsigned space)
{
	return space == PPU_SPACE_SHARED ? "shared" : space == PPU_SPACE_LOCAL ? "local" :
	       space == PPU_SPACE_PARAM ? "param" : "global";
}

/* Whoever is this far from any allocation did not miss one by a little. */
#define FAR (1ull << 30)

const struct chk_block *chk_suspect(const struct chk_ctx *c, uint64_t va, bool *dead)
{
	const struct chk_block *d = chk_block_dead(&c->blocks, va), *n = chk_block_near(&c->blocks, va);
	bool inside = n && va - n->va < n->bytes;

	*dead = d && !inside;
	if (*dead || !n)
		return d;
	return inside || (va < n->va ? n->va - va : va - n->va - n->bytes) < FAR ? n : NULL;
}

void chk_tell(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes, struct chk_finding *f)
{
	struct chk_place place;

	chk_place_of(c, &a->at, lanes, &place);
	f->place = &place;
	f->access = access_text[a->kind];
	f->space = space_text(a->space);
	f->bytes = a->bytes;
	f->address = a->addr[__builtin_ctz(lanes)];
	chk_report(f);
}

int chk_name_access(const struct ppu_seen_access *a, unsigned lane, struct chk_finding *f)
{
	return snprintf(f->what, sizeof(f->what), "%s of %u byte%s of %s memory at 0x%llx", access_text[a->kind], a->bytes,
			a->bytes == 1 ? "" : "s", space_text(a->space), (unsigned long long)a->addr[lane]);
}

/* These lanes access global memory that is in no allocation. */
static void tell_outside(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes)
{
	while (lanes) {
		unsigned first = (unsigned)__builtin_ctz(lanes);
		struct chk_finding f = { .kind = CHK_OUT_OF_BOUNDS };
		uint32_t same = 0, m;
		bool dead, d;

		f.block = chk_suspect(c, a->addr[first], &dead);
		/* Lanes that miss the same block are one finding. */
		for (m = lanes; m; m &= m - 1)
			if (chk_suspect(c, a->addr[__builtin_ctz(m)], &d) == f.block && d == dead)
				same |= m & -m;
		lanes &= ~same;
		if (dead)
			f.kind = CHK_USE_AFTER_FREE;
		else if (!f.block)
			f.kind = CHK_NO_ALLOCATION;
		f.same = f.block ? f.block->va : 0;
		chk_name_access(a, first, &f);
		chk_tell(c, a, same, &f);
	}
}

/* The block that has this byte, if it was freed in the order of a stream and this launch came later. */
static const struct chk_block *late_block(const struct chk_ctx *c, const struct ppu_seen_access *a, uint64_t va)
{
	const struct chk_block *b = chk_block_near(&c->blocks, va);

	return b && b->late && va - b->va < b->bytes && (uint32_t)a->at.cta->task.id > b->launch ? b : NULL;
}

static void late(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	uint32_t lanes = a->lanes, m;

	while (lanes) {
		unsigned first = (unsigned)__builtin_ctz(lanes);
		struct chk_finding f = { .kind = CHK_USE_AFTER_FREE, .block = late_block(c, a, a->addr[first]) };
		uint32_t same = 0;

		for (m = lanes; m; m &= m - 1)
			if (late_block(c, a, a->addr[__builtin_ctz(m)]) == f.block)
				same |= m & -m;
		lanes &= ~same;
		if (!f.block)
			continue;
		f.same = f.block->va;
		chk_name_access(a, first, &f);
		chk_tell(c, a, same, &f);
	}
}

#define NEAR 4096

uint64_t chk_span(const struct ppu_seen_access *a, uint64_t *at)
{
	uint64_t lo = UINT64_MAX, hi = 0;
	uint32_t m;

	for (m = a->lanes; m; m &= m - 1) {
		uint64_t va = a->addr[__builtin_ctz(m)];

		lo = va < lo ? va : lo;
		hi = va > hi ? va : hi;
	}
	*at = lo;
	return hi - lo <= NEAR ? hi - lo + a->bytes : 0;
}

static bool all_valid(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	uint64_t at, bytes = chk_span(a, &at);

	return bytes && chk_shadow_all(&c->valid, at, bytes);
}

static void global(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	uint32_t bad = 0, m;

	if (!c->num_late && !a->fault && all_valid(c, a))
		return;

	for (m = a->lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		if (__builtin_expect(!chk_shadow_all(&c->valid, a->addr[i], a->bytes), 0))
			bad |= 1u << i;
	}
	if (c->num_late)
		late(c, a);
	/* Where nothing was ever registered, only the device knows what is there: the rings of queues, for example. */
	for (m = bad; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		if (!(a->fault && a->fault_lane == i) && !chk_inside((const void *)(uintptr_t)a->addr[i]) &&
		    chk_shadow_empty(&c->valid, a->addr[i]))
			bad &= ~(1u << i);
	}
	if (a->fault == PPU_ERR_MISALIGNED)
		bad &= ~(1u << a->fault_lane);
	if (bad)
		tell_outside(c, a, bad);
}

/* What the device's fault means for who wrote the kernel. */
static const struct {
	uint32_t code;
	enum chk_kind kind;
	const char *text;
} faults[] = {
	{ PPU_ERR_MISALIGNED, CHK_MISALIGNED, "is not a multiple of its size" },
	{ PPU_ERR_WINDOW_RANGE, CHK_OUT_OF_BOUNDS, "is outside" },
	{ PPU_ERR_CLUSTER_CTA, CHK_OUT_OF_BOUNDS, "is in a block that has ended, or that the cluster does not have" },
	{ PPU_ERR_STACK_OVERFLOW, CHK_STACK_OVERFLOW, "is below the stack" },
	{ PPU_ERR_PARAM_WRITE, CHK_READ_ONLY, "writes parameters" },
	{ PPU_ERR_MMU_READONLY, CHK_READ_ONLY, "is read-only" },
	{ PPU_ERR_ATOMIC_SPACE, CHK_ATOMIC_SPACE, "is where no atomics are" },
};

static void fault(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	const struct ppu_seen_task *t = &a->at.cta->task;
	unsigned lane = a->fault_lane;
	struct chk_finding f = { 0 };
	const char *text = NULL;
	bool dead;
	int n;

	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (faults[i].code == a->fault) {
			f.kind = faults[i].kind;
			text = faults[i].text;
		}
	}
	if (!f.kind)
		return;			/* unmapped: told already, as what it is */
	n = chk_name_access(a, lane, &f);
	n += snprintf(f.what + n, sizeof(f.what) - (size_t)n, " %s", text);
	if (a->fault == PPU_ERR_WINDOW_RANGE && a->space == PPU_SPACE_SHARED)
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, " the block's %u bytes", t->shared_bytes);
	else if (a->fault == PPU_ERR_WINDOW_RANGE && a->space == PPU_SPACE_LOCAL)
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, " the thread's %u bytes", t->local_bytes);
	else if (a->fault == PPU_ERR_WINDOW_RANGE)
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, " the kernel's parameters");
	if (a->space == PPU_SPACE_GLOBAL)
		f.block = chk_suspect(c, a->addr[lane], &dead);
	chk_tell(c, a, 1u << lane, &f);
}

void chk_memcheck(struct chk_ctx *c, const struct ppu_seen_access *a)
{
	if (a->space == PPU_SPACE_GLOBAL)
		global(c, a);
	if (a->fault && a->lanes >> a->fault_lane & 1)
		fault(c, a);
}
