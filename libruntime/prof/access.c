/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses.  An instruction of a warp asks for bytes of its lanes; what it costs is how many pieces of memory they are
 * in: sectors of 32 bytes and lines of 128 in global memory, words of one bank in shared memory.  Against that stands how many
 * pieces the same bytes would be in if they lay side by side.
 */
#include <string.h>
#include <hw/ppu_isa.h>

#include "check/cta.h"
#include "prof/state.h"

#define SECTOR	5		/* bits of an address that are inside of it */
#define LINE	7
#define BANKS	32u
#define WORD	4u

static uint64_t pieces(uint64_t bytes, unsigned shift)
{
	return (bytes + (1u << shift) - 1) >> shift;
}

/* The same, if none is smaller than the one before it, as mostly; 0: one is. */
static unsigned different_in_order(const uint64_t *v, unsigned n, unsigned *most)
{
	unsigned num = 1, often = 1;

	*most = 1;
	for (unsigned i = 1; i < n; i++) {
		if (v[i] < v[i - 1])
			return 0;
		often = v[i] == v[i - 1] ? often + 1 : 1;
		num += often == 1;
		*most = often > *most ? often : *most;
	}
	return num;
}

/* How many different values there are, of at least one; *most: how often the most frequent one is there. */
static unsigned different(const uint64_t *v, unsigned n, unsigned *most)
{
	uint64_t seen[PPU_OBSERVE_LANES];
	unsigned often[PPU_OBSERVE_LANES], num = different_in_order(v, n, most), k;

	if (num)
		return num;
	*most = 0;
	for (unsigned i = 0; i < n; i++) {
		/* from the end on: mostly it is the last one */
		for (k = num; k > 0 && seen[k - 1] != v[i]; k--)
			;
		if (!k) {
			seen[num] = v[i];
			often[num] = 0;
			k = ++num;
		}
		if (++often[k - 1] > *most)
			*most = often[k - 1];
	}
	return num;
}

/* The addresses of the lanes, without the bits inside a piece. */
static unsigned gather(const struct ppu_seen_access *a, uint32_t lanes, unsigned shift, uint64_t *v)
{
	unsigned n = 0;

	FOR_LANES(i, lanes)
		v[n++] = a->addr[i] >> shift;
	return n;
}

/* How far apart neighbouring lanes are, if all are as far. */
static void note_stride(struct prof_more *m, const struct ppu_seen_access *a)
{
	uint32_t pairs = a->lanes & a->lanes >> 1;
	bool first = true, same = true;
	int64_t stride = 0;

	if (!pairs)
		return;
	FOR_LANES(i, pairs) {
		int64_t d = (int64_t)(a->addr[i + 1] - a->addr[i]);

		same = same && (first || d == stride);
		stride = d;
		first = false;
	}
	m->neighbours++;
	if (!same)
		return;
	if (!m->strided)
		m->stride = stride;
	m->strided += m->stride == stride;
}

static void global(struct prof_insn *p, const struct ppu_seen_access *a)
{
	uint64_t v[PPU_OBSERVE_LANES], need;
	unsigned n = gather(a, a->lanes, 0, v), most;

	need = (uint64_t)different(v, n, &most) * a->bytes;
	p->sum[PROF_accesses]++;
	p->sum[PROF_access_lanes] += n;
	p->sum[PROF_bytes] += (uint64_t)n * a->bytes;
	gather(a, a->lanes, SECTOR, v);
	p->sum[PROF_sectors] += different(v, n, &most);
	p->sum[PROF_ideal_sectors] += pieces(need, SECTOR);
	gather(a, a->lanes, LINE, v);
	p->sum[PROF_lines] += different(v, n, &most);
	p->sum[PROF_ideal_lines] += pieces(need, LINE);
	note_stride(&p->more, a);
}

/* Lanes with at most one word each, and no bank has two of them? */
static bool no_conflict(const struct ppu_seen_access *a, uint32_t lanes)
{
	uint64_t word[BANKS], first = a->addr[__builtin_ctz(lanes)];
	uint32_t used = 0, same = 1;

	if (a->bytes > WORD)
		return false;
	FOR_LANES(l, lanes)
		same &= a->addr[l] == first;
	if (same)
		return true;
	FOR_LANES(i, lanes) {
		uint64_t x = a->addr[i] / WORD;

		if (used >> x % BANKS & 1 && word[x % BANKS] != x)
			return false;
		used |= 1u << x % BANKS;
		word[x % BANKS] = x;
	}
	return true;
}

/* The passes that these lanes need: of one bank, a pass has one word. */
static unsigned ways(const struct ppu_seen_access *a, uint32_t lanes)
{
	uint32_t words = a->bytes < WORD ? 1 : a->bytes / WORD;
	uint64_t word[4 * PPU_OBSERVE_LANES];
	unsigned in[BANKS] = { 0 }, n = 0, most = 0, k;

	if (no_conflict(a, lanes))
		return 1;
	FOR_LANES(i, lanes) {
		for (uint32_t w = 0; w < words; w++) {
			uint64_t x = a->addr[i] / WORD + w;

			for (k = n; k > 0 && word[k - 1] != x; k--)
				;
			if (k)
				continue;
			word[n++] = x;
			if (++in[x % BANKS] > most)
				most = in[x % BANKS];
		}
	}
	return most;
}

/* 32 lanes with one word at a time, 16 with two, 8 with four. */
static void shared(struct prof_insn *p, const struct ppu_seen_access *a)
{
	unsigned step = a->bytes <= WORD ? PPU_OBSERVE_LANES : PPU_OBSERVE_LANES * WORD / a->bytes;
	uint32_t group = step == PPU_OBSERVE_LANES ? ~0u : (1u << step) - 1;

	p->sum[PROF_shared]++;
	p->sum[PROF_shared_bytes] += (uint64_t)(unsigned)__builtin_popcount(a->lanes) * a->bytes;
	for (unsigned i = 0; i < PPU_OBSERVE_LANES; i += step) {
		uint32_t lanes = a->lanes & group << i;
		unsigned n = lanes ? ways(a, lanes) : 0;

		p->sum[PROF_passes] += n;
		p->sum[PROF_ideal_passes] += n > 0;
		if (n > p->more.most_ways)
			p->more.most_ways = n;
	}
	note_stride(&p->more, a);
}

static void atomic(struct prof_insn *p, const struct ppu_seen_access *a)
{
	uint64_t v[PPU_OBSERVE_LANES];
	unsigned n = gather(a, a->lanes, 0, v), most;

	p->sum[PROF_atomic_lanes] += n;
	p->sum[PROF_collisions] += n - different(v, n, &most);
	if (most > p->more.most_same)
		p->more.most_same = most;
}

/* A lane's words lie 32 words apart in memory, those of the lanes beside each other. */
static void local(struct prof_insn *p, const struct ppu_seen_access *a)
{
	uint32_t words = a->bytes < WORD ? 1 : a->bytes / WORD;
	uint64_t v[PPU_OBSERVE_LANES];
	unsigned n = (unsigned)__builtin_popcount(a->lanes), most;

	p->sum[PROF_local]++;
	p->sum[PROF_local_bytes] += (uint64_t)n * a->bytes;
	for (uint32_t w = 0; w < words; w++) {
		n = 0;
		FOR_LANES(i, a->lanes)
			v[n++] = ((a->addr[i] / WORD + w) * PPU_OBSERVE_LANES + i) * WORD >> SECTOR;
		p->sum[PROF_local_sectors] += different(v, n, &most);
	}
}

void prof_access(struct prof_launch *l, const struct ppu_seen_access *a)
{
	struct prof_insn *p;

	if (a->fault || a->at.pc >= l->live->n)
		return;
	p = &l->live->insn[a->at.pc];
	if (a->space == PPU_SPACE_GLOBAL)
		global(p, a);
	else if (a->space == PPU_SPACE_SHARED)
		shared(p, a);
	else if (a->space == PPU_SPACE_LOCAL)
		local(p, a);
	if (a->kind == PPU_SEEN_ATOMIC)
		atomic(p, a);
}
