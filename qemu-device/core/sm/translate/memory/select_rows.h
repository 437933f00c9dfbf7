/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of where rows begin: the rows are fetched ahead.
 *
 *   ld.global.u32 r0, [rd2]             where the lane's row begins
 *   ...
 *   shl.u64 rd15, rd15, 2
 *   add.s64 rd17, rd13, rd15            rd13: a parameter
 *   ld.global.u32 r4, [rd17]            the first element of the row
 *
 * Each lane then has its own lines, eight at a time, and the host waits for each eight.  But the rows of lanes in a row mostly
 * lie in a row as well, as in a sparse matrix or in the lists of a graph: from where the first lane's row begins up to where
 * the last one's does.  So these lines are fetched as soon as the begins are known.  Where only some lanes are active, the first
 * one's are.
 *
 * The begins are read from the window that the load has just read.  To fetch a wrong line is no mistake, and cannot be noticed.
 *
 * State: rows of struct ppu_seg.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_SELECT_ROWS_H
#define PPU_SELECT_ROWS_H

#include "core/sm/warp.h"
#include "core/sm/translate/segment.h"

/* In front of a segment with loads, which is in no loop: looks for such a load. */
void ppu_rows_begin(struct ppu_seg *s, const struct ppu_program *prog);
/* Behind the load that stands at s->at, of words in a window; base: a register, from which disp on the first active lane's is.
 * True: there is code, and rax, rcx, rdx, r8 and r9 are lost. */
bool ppu_rows(struct ppu_seg *s, unsigned base, int32_t disp);

#endif
