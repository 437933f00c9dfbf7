/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads through an index that was just loaded, in a loop: what the next round will load is fetched ahead.
 *
 *   ld.global.u32 r10, [rd8]            the index; the loop adds to rd8
 *   madw.u32 rd10, r10, 4, rd3
 *   ld.global.u32 r12, [rd10]           the element, anywhere in its array: nothing but the index says where
 *
 * The host waits for the element, and what follows is too long for it to come to the next eight lanes by itself.  When the
 * index of the first active lane was loaded, mostly the next one is in the same line of the host's cache: it is read, too, and
 * says how far away the next element is.  As all host memory that a segment sees there is that of the window it has just
 * read, nothing is read that it must not; and to fetch a wrong line is no mistake.
 *
 * State: chase of struct ppu_seg, and one word in the stack frame.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_SELECT_CHASE_H
#define PPU_SELECT_CHASE_H

#include "core/sm/warp.h"
#include "core/sm/translate/segment.h"

/* The loop around the segment: up to the branch at *end that leads back to *begin.  False: none is near. */
bool ppu_chase_loop(const struct ppu_seg *s, const struct ppu_program *prog, uint32_t *begin, uint32_t *end);
/* In front of a segment with loads: looks for such a pair. */
void ppu_chase_begin(struct ppu_seg *s, const struct ppu_program *prog);
/* Behind the load that stands at s->at, of words in a window; rax: where the first active lane's is.  rcx and rdx are lost. */
void ppu_chase(struct ppu_seg *s);

/* Out of line, where a load of group `gi` has gathered words from an array; rdx: where that begins on the host. */
void ppu_chase_array(struct ppu_seg *s, unsigned gi);
/* The same, where a load of several with one address has gathered indices, at the offsets in a vector.  rax, rcx and rdx are lost. */
void ppu_chase_scattered(struct ppu_seg *s, unsigned gi, uint64_t imm, int offsets);

#endif
