/* SPDX-License-Identifier: MIT */
/*
 * Random programs of single instructions: every opcode, type and modifier that the ISA has, guards, loads and stores of
 * all spaces and patterns, forward branches and loops.  Tokens and calls are what simt_prog.h makes.
 */
#ifndef INSN_RANDOM_H
#define INSN_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_isa.h>

#define IRND_REGS	64	/* of a thread */
#define IRND_MAX	400	/* instructions */
#define IRND_DATA	(512u << 10)	/* bytes of memory that a program may change */
#define IRND_SHARED	4096

struct irnd {
	uint64_t state;		/* not 0 */
	const uint8_t *p;	/* not NULL: these bytes decide, as long as there are any (fuzzers) */
	size_t left;
};
uint32_t irnd(struct irnd *r, uint32_t n);
/* The next bytes as an instruction.  False: it is not legal. */
bool irnd_raw(struct irnd *r, struct ppu_insn *in);

/* A legal instruction of this opcode with registers below 32 and predicates below 6.  False: none was found. */
bool irnd_insn(struct irnd *r, unsigned op, struct ppu_insn *in);
/* A program.  Parameter 0 is the address of IRND_DATA bytes.  Returns its length. */
uint32_t irnd_program(struct irnd *r, struct ppu_insn *code);

#endif
