/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the decoder, the warp scheduler and the functions that compute.
 *
 * A decoded instruction names a function that performs it for all 32 lanes at once.  The functions
 * of exec_int.c, exec_bits.c, exec_fp.c ... (class ALU, FP64, SFU) are pure: registers and
 * predicates in, registers and predicates out, under a lane mask; they cannot fault, block or
 * change control flow.  Control, memory and warp-wide instructions are the business of warp.c,
 * diverge.c, lsu.c and exec_warp.c.
 *
 * Registers are lane-contiguous: row n = 32 consecutive uint32_t, 64-byte aligned.  Row numbers
 * in a decoded instruction are already remapped, so that no function tests for RZ:
 *   rows 0..nregs-1           R0..
 *   rows ZERO, ZERO+1         always zero (source RZ, also as 64-bit pair, also 4 rows for vectors)
 *   rows SINK..SINK+3         scratch (destination RZ)
 * A function may read and write the same row (d may equal a): it must read a lane before writing it.
 * Lanes outside the mask keep their value (blend).
 */
#ifndef PPU_EXEC_H
#define PPU_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <hw/ppu_isa.h>

#define PPU_LANES 32

struct ppu_dinsn;
/* What ALU functions see of a warp. */
struct ppu_vregs {
	uint32_t pred[16];		/* P0..P14 as lane masks; pred[15] = ~0 always */
	uint32_t (*row)[PPU_LANES];	/* register rows */
};
typedef void (*ppu_exec_fn)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask);

struct ppu_dinsn {
	ppu_exec_fn fn;			/* ALU classes; NULL otherwise */
	uint8_t op, xclass;
	uint8_t t, u, rnd, m, x;
	union {
		uint8_t y;
		uint8_t raw_a;		/* PLOP, which has no y: field a as it stands, the number of a predicate */
	};
	uint8_t ftz, sat, bi, ci;
	uint8_t na, nb, nc, aa, ab;
	uint8_t gp, gn;			/* guard */
	uint8_t pd, pe, ps, psn;	/* pd/pe 15: none */
	uint8_t always;			/* guard is PT, not negated */
	uint16_t d, a, b, c;		/* remapped rows */
	uint32_t imm;
	uint32_t block;			/* number of the block it is in (sm/flow.h) */
	uint64_t imm64;			/* immediate operand widened to its type / MOVI64 / branch target */
	uint32_t cost;			/* SM cycles */
	uint8_t below;			/* PPU_H_seen, PPU_H_step: the handler of what is seen (sm/observe.h); PPU_H_nop: inner_fn */
	uint8_t handler;		/* when fn is NULL: enum ppu_handler of sm.h */
	uint8_t inner;			/* cache-model, memory-timing: what the instruction does besides that */
	uint8_t turn;			/* a turn point (sm/flow.h) */
	ppu_exec_fn inner_fn;
};

/* Fill di->fn for an instruction whose fields are already in di.  false: this combination of
 * opcode, type and modifiers does not exist (illegal instruction) or the opcode is not an ALU one. */
bool ppu_exec_select(struct ppu_dinsn *di);

/* The functions exist once per host instruction set: 1 x86-64 or another host, 3 x86-64 with AVX2 and FMA,
 * 4 with AVX-512; all give the same bits.  ppu_exec_select() takes the best this host has; tests ask for each.
 * The functions expect the host's default floating-point mode (round to nearest, no flush to zero). */
unsigned ppu_exec_level(void);
bool ppu_exec_select_level(struct ppu_dinsn *di, unsigned level);

/* Scalar helpers shared with the LSU (atomics) and tests; bit-exact as PTX defines them. */
float ppu_f32_add(float a, float b, unsigned rnd, bool ftz, bool sat);
double ppu_f64_add(double a, double b, unsigned rnd);
uint16_t ppu_f32_to_f16(float f, unsigned rnd);
float ppu_f16_to_f32(uint16_t h);
uint16_t ppu_f32_to_bf16(float f, unsigned rnd);
float ppu_bf16_to_f32(uint16_t h);

static inline uint64_t ppu_pair_get(const struct ppu_vregs *v, unsigned row, unsigned lane)
{
	return v->row[row][lane] | (uint64_t)v->row[row + 1][lane] << 32;
}
static inline void ppu_pair_set(struct ppu_vregs *v, unsigned row, unsigned lane, uint64_t x)
{
	v->row[row][lane] = (uint32_t)x;
	v->row[row + 1][lane] = (uint32_t)(x >> 32);
}

#endif
