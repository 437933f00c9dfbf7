/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What loads and stores of a fused segment have in common: their places in the stack frame, and addresses of the lanes in work.
 *
 * State: none.
 * Thread safety: any thread.
 * Time: none.
 */
#ifndef PPU_SELECT_MEM_H
#define PPU_SELECT_MEM_H

#include <string.h>
#include <hw/ppu_mmu.h>
#include "core/sm/sm.h"
#include "core/sm/translate/segment.h"

#define CTA_AT		((int32_t)offsetof(struct ppu_warp, cta))
#define USED_AT(field)	(PPU_AT_USED + (int32_t)offsetof(struct ppu_used, field))
#define TLBE(field)	((int32_t)offsetof(struct ppu_tlbe, field))
#define PPU_SPAN_AT(k, field) ((int32_t)(offsetof(struct ppu_sm, span) + sizeof(struct ppu_span) * (k) + \
					 offsetof(struct ppu_span, field)))
#define WINDOWS		(PPU_VA_PARAM_BASE >> 32)	/* high words from here on are not global memory */

/* Of a group, on the stack.  Page and host are those of the group whose number is in `page` of this one. */
#define SLOT_FIELD(g, field, n) \
	M(RSP, PPU_AT_SLOTS + PPU_SLOT * (int32_t)(g) + (int32_t)offsetof(struct ppu_slot, field), n)
#define SLOT_PAGE(g)	SLOT_FIELD(g, page, 8)
#define SLOT_HOST(g)	SLOT_FIELD(g, host, 8)
#define SLOT_START(g)	SLOT_FIELD(g, start, 8)
#define SLOT_PTR(g)	SLOT_FIELD(g, ptr, 8)
#define SLOT_FAR(g)	SLOT_FIELD(g, far, 8)
#define SLOT_BASE(g)	SLOT_FIELD(g, base, 8)
#define SLOT_EXTRA(g)	SLOT_FIELD(g, extra, 8)
#define SLOT_WORDS(g)	SLOT_FIELD(g, words, PPU_VEC)

static inline bool global(const struct ppu_fuse_group *g)
{
	return PPU_SPACE_IS_64(g->space);
}

/* An immediate of the program, of which an instruction uses `bytes`. */
static inline struct ppu_opn imm(struct ppu_seg *s, uint64_t v, unsigned bytes)
{
	return M(R13, ppu_emit_pool(s->e, &v, 8), (uint8_t)bytes);
}

/* Emitted behind the segment, when all registers of the main way are known. */
static inline struct ppu_away *away(struct ppu_seg *s, unsigned kind, unsigned g)
{
	struct ppu_away *a;

	if (s->aways == PPU_SEG_AWAYS) {
		s->e->failed = true;
		return &s->away[0];
	}
	a = &s->away[s->aways++];
	memset(a, 0, sizeof(*a));
	a->kind = (uint8_t)kind;
	a->group = (uint8_t)g;
	a->index = -1;
	a->label = ppu_emit_label(s->e);
	return a;
}

/* rax is an address; edx is lost.  Windows of the generic space are not global memory. */
static inline void bail_on_window(struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	if (g->space != PPU_SPACE_GENERIC)
		return;
	EM(s->e, MOV, Q(RDX), Q(RAX));
	EM(s->e, SHR, Q(RDX), IM(32));
	EM(s->e, CMP, D(RDX), IM(WINDOWS));
	JUMP(s->e, JNB, s->bail);
}

/* Distances that lanes may have to the first one, when they cost one transaction. */
uint32_t ppu_mem_window_bits(unsigned bytes);
/* t = the lowest active lane's word of y, in all lanes. */
void ppu_mem_first_word(struct ppu_seg *s, int t, int y);
/* Goes on at `no` if a bit of y that is set in the constant is set. */
void ppu_mem_no_bits(struct ppu_emit *e, int y, struct ppu_opn bits, uint32_t no);
/* 0 in inactive lanes. */
void ppu_mem_active_only(struct ppu_seg *s, int y);
/* t = 0 in the lanes that lie in the window of eight that the first of them begins; y: distances. */
void ppu_mem_far_lanes(struct ppu_seg *s, int t, int y, unsigned bytes);
/* y = the words at the offsets from the address in a register; t: lost, if the host has no AVX-512. */
void ppu_mem_gather(struct ppu_emit *e, int y, unsigned base, int offsets, int t);
/* rax = transactions more than one for eight lanes, of scattered ones; of 16, far: not 0 where lanes are (rcx, rdx: lost). */
void ppu_mem_scattered_extra(struct ppu_seg *s, int far);

/* An element of an array that begins at a whole one is a whole one, unless an immediate says otherwise. */
static inline bool ppu_mem_whole(const struct ppu_fuse_group *g)
{
	return g->bytes == 1 || (g->indexed && g->imm % g->bytes == 0);
}

/* Where the last window of a page begins. */
static inline int32_t ppu_mem_last_window(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return (int32_t)(PPU_PAGE_SIZE - (uint64_t)s->lanes * g->bytes - g->span);
}

/*
 * Of a group with an index: the vector for the distances of lanes to the first one, locked.  Another group may have found them:
 * *shared.  To be called before other registers are taken.
 */
int ppu_mem_distances(struct ppu_seg *s, unsigned gi, bool *shared);
/* rax = the first lane's address without the immediate; d: what ppu_mem_distances() gave.  t: lost.  Goes on at `scattered` if
 * the lanes do not lie in a window. */
void ppu_mem_first_of_index(struct ppu_seg *s, unsigned gi, int d, bool shared, int index, int t, uint32_t scattered);
/* The addresses of all lanes, in a->lo and a->hi, from their indices.  t[1] is lost. */
void ppu_mem_make_words(struct ppu_seg *s, const struct ppu_away *a);

/* How many elements smaller than a word the lane's words are made of.  0: rows are words, or there is one element. */
static inline unsigned ppu_mem_parts(const struct ppu_dinsn *di)
{
	return di->x && (di->t == PPU_T_U8 || di->t == PPU_T_S8 || di->t == PPU_T_U16 || di->t == PPU_T_S16) ? 1u << di->x : 0;
}

/* Of elements smaller than a word: they extend their sign. */
static inline bool ppu_mem_signed(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_S8 || di->t == PPU_T_S16;
}

/* In select_parts.c: the elements go from the words in y to their rows, and from there to the words in y, temporaries. */
void ppu_mem_take_apart(struct ppu_seg *s, const struct ppu_dinsn *di, const int *y);
void ppu_mem_put_together(struct ppu_seg *s, const struct ppu_dinsn *di, int *y);

/* Where struct ppu_cta has the size and the start of a window. */
struct ppu_mem_window {
	int32_t size, base;
};
struct ppu_mem_window ppu_mem_window_of(const struct ppu_fuse_group *g);

#endif
