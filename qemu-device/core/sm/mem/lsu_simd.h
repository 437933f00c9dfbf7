/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 32-bit words of the lanes of one instruction, moved with host vectors: lsu_simd.c has each function
 * once per host instruction set, with the same results.  Offsets are below 2^31 and multiples of 4.  And what
 * their addresses cost.
 */
#ifndef PPU_LSU_SIMD_H
#define PPU_LSU_SIMD_H

#include "core/exec/exec.h"

struct ppu_lsu_simd {
	/* off[i] = lo[i] + imm.  False: the offset of a lane in mask is not a multiple of 4, or is above
	 * last. */
	bool (*offsets)(const uint32_t *lo, uint32_t imm, uint32_t last, uint32_t mask, uint32_t *off);
	/* d[i] = word at base + off[i] for the lanes in mask; no other memory is touched. */
	void (*load)(uint32_t *d, const uint8_t *base, const uint32_t *off, uint32_t mask);
	/* Word at base + off[i] = s[i] for the lanes in mask, the highest lane of an address last. */
	void (*store)(const uint32_t *s, uint8_t *base, const uint32_t *off, uint32_t mask);
	/* Transactions of the lanes in mask, `bytes` each, at addresses of two words (hw/sm.md, Memory). */
	unsigned (*transactions)(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t bytes);
};

/* The functions for a level of ppu_exec_level().  The host has to support this level. */
const struct ppu_lsu_simd *ppu_lsu_simd(unsigned level);

#endif
