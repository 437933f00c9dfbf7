/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the loads of a fused segment have in common: select_fixed.c (before the segment), select_load.c (in line),
 * select_narrow.c (bytes and halves), select_load_away.c (out of line), select_load_stubs.c (what all segments call).
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_SELECT_LOAD_H
#define PPU_SELECT_LOAD_H

#include "core/sm/translate/fuse.h"
#include "core/sm/translate/memory/select_mem.h"

#define APART_AT(g)	(PPU_AT_APART + 4 * (int32_t)(g))
#define FIXED_AT(space)	(PPU_AT_FIXED + ((space) == PPU_SPACE_SHARED ? 8 : 0))

/* One address for all lanes that is known now, of whole words. */
static inline bool ppu_mem_fixed(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return !global(g) && g->row == PPU_ROW_ZERO(s->nregs) && g->bytes >= 4;
}

/* It is in the bytes of host code then, so it is small (Documentation/hw/engines.md, Safety). */
static inline bool ppu_mem_fixed_early(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return ppu_fuse_fixed_early(g, s->nregs);
}

/* A vector of an indexed group holds indices, not bytes, where a permutation of words wants them. */
static inline bool ppu_mem_counts_words(const struct ppu_fuse_group *g)
{
	return g->indexed && g->bytes == 4;
}

static inline struct ppu_opn at(int32_t disp, unsigned bytes)
{
	return M(RAX, disp, bytes);
}

/* Where a near page is, behind what ppu_mem_near_index() finds. */
static inline struct ppu_opn near_at(unsigned at, bool write, size_t field)
{
	return M(at, (int32_t)((write ? offsetof(struct ppu_sm, near_written) : offsetof(struct ppu_sm, near)) + field), 8);
}
#define NEAR_PAGE(at, write)	near_at(at, write, offsetof(struct ppu_near, page))
#define NEAR_HOST(at, write)	near_at(at, write, offsetof(struct ppu_near, host))

/* `at` = the SM + 16 times the index of the page whose number is in `page`. */
static inline void ppu_mem_near_index(struct ppu_emit *e, unsigned at, unsigned page)
{
	_Static_assert(sizeof(struct ppu_near) == 16 && PPU_NEAR == 32, "index of a near page");

	EM(e, IMUL, D(at), D(page), IM((int)PPU_NEAR_HASH));
	EM(e, SHR, D(at), IM(27));
	EM(e, SHL, D(at), IM(4));
	EM(e, ADD, Q(at), Q(R15));
}

/* `at` = the SM + 32 times the index in the TLB of the page whose number is in `page`, which is lost. */
static inline void ppu_mem_tlb_entry(struct ppu_emit *e, unsigned page, unsigned at)
{
	_Static_assert(sizeof(struct ppu_tlbe) == 32 && PPU_TLB_ENTRIES == 2048, "index in the TLB");

	EM(e, MOV, Q(at), Q(page));
	EM(e, SHR, Q(at), IM(9));
	EM(e, IMUL, D(at), D(at), IM(213));
	EM(e, ADD, D(at), D(page));
	EM(e, SHR, Q(page), IM(18));
	EM(e, IMUL, D(page), D(page), IM(77));
	EM(e, ADD, D(at), D(page));
	EM(e, AND, D(at), IM(PPU_TLB_ENTRIES - 1));
	EM(e, SHL, Q(at), IM(5));
	EM(e, ADD, Q(at), Q(R15));
}

/* t: the first word of lo, becomes the distances to it; not zero in SCRATCH: another pattern.  counted: transactions are. */
void ppu_mem_lane_distances(struct ppu_seg *s, int t, int lo, unsigned bytes, bool counted);
/* The index vector of a group; the first lane's access is in its slot, or NULL: each of its loads gathers. */
int ppu_mem_address(struct ppu_seg *s, unsigned gi);
/* The register of the host with the first access of a group. */
int ppu_mem_pointer(struct ppu_seg *s, unsigned gi);
/* The load's rows get the n words in y, or what these are made of. */
void ppu_mem_put_words(struct ppu_seg *s, const struct ppu_dinsn *di, const int *y, unsigned n);
/* y = the words at rdx and the distances in PPU_AT_WORDS. */
void ppu_mem_call_gather(struct ppu_seg *s, int y);
/* Behind code out of line: registers as the main way has them. */
void ppu_mem_pointers_again(struct ppu_seg *s, const struct ppu_away *a);
/* In select_narrow.c: a load of bytes or halves, and what of it is out of line. */
void ppu_mem_narrow(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi, int32_t disp);
void ppu_mem_narrow_part(struct ppu_seg *s, const struct ppu_away *a);
/* Four words: all lanes the same, or lanes in a row. */
void ppu_mem_quads(struct ppu_seg *s, const struct ppu_dinsn *di, int t, int32_t disp);

#endif
