/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions into a buffer: operands, labels, and the data pool that code refers to.
 *
 * A value that comes from a program of the guest goes into the pool, never into an immediate of the code: otherwise a
 * guest could choose bytes that become executable.  The pool is ordinary memory, which cannot be executed.
 *
 * State: struct ppu_emit of the caller.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_EMIT_H
#define PPU_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/sm/translate/encode.h"

/* Registers of the host by number. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* A vector of as many lanes as the code is for: ymm, or zmm if `wide` of struct ppu_emit; its lower half; what memory of
 * both has as its bytes. */
#define Y(n)		((struct ppu_opn){ PPU_O_YMM, (uint8_t)(n), PPU_VEC, 0 })
#define Z(n)		((struct ppu_opn){ PPU_O_ZMM, (uint8_t)(n), 64, 0 })
#define H(n)		((struct ppu_opn){ PPU_O_HALF, (uint8_t)(n), PPU_HALF, 0 })
#define PPU_VEC		0xff
#define PPU_HALF	0xfe
#define K(n)		((struct ppu_opn){ PPU_O_MASK, (uint8_t)(n), 8, 0 })	/* k0 to k7 */
#define X(n)		((struct ppu_opn){ PPU_O_XMM, (uint8_t)(n), 16, 0 })
#define D(n)		((struct ppu_opn){ PPU_O_R32, (uint8_t)(n), 4, 0 })
#define Q(n)		((struct ppu_opn){ PPU_O_R64, (uint8_t)(n), 8, 0 })
#define M(base, disp, n) ((struct ppu_opn){ PPU_O_MEM, (uint8_t)(base), (n), (int32_t)(disp) })
#define IM(v)		((struct ppu_opn){ PPU_O_IMM, 0, 4, (int32_t)(v) })

struct ppu_label {
	int32_t at;		/* -1: not bound */
};
struct ppu_fixup {
	uint32_t at, label;	/* the 4 bytes before `at` */
};

/* From byte `at` on, the code is for instruction pc of the guest. */
struct ppu_mark {
	uint32_t at, pc;
};
#define PPU_MARK_COMMON UINT32_MAX	/* as a pc: for no instruction in particular */
#define PPU_MARK_BLOCK	(1u << 30)	/* added to a pc: the block begins; with PPU_MARK_MASKED, the one for some lanes */
#define PPU_MARK_MASKED	(1u << 31)

/* What whoever has code made may want besides. */
struct ppu_emit_with {
	bool evex;			/* the host has AVX-512 and it is wanted */
	const bool *cancel;		/* set by another thread: nobody wants the code any more.  May be NULL */
	struct ppu_mark *mark;		/* in order of `at`; to be freed */
	uint32_t marks, mark_cap;
	bool marking;			/* marks are wanted */
	uint32_t workers;		/* 0, too: one */
	struct ppu_encoder *encoder;	/* that knows what others asked; nobody else may use it now.  May be NULL */
};

struct ppu_emit {
	struct ppu_emit_with *with;	/* may be NULL */
	uint8_t *code;
	uint32_t len, cap, max;
	uint8_t *pool;
	uint32_t pool_len, pool_cap;
	struct ppu_label *label;
	uint32_t labels, label_cap;
	struct ppu_fixup *fixup;
	uint32_t fixups, fixup_cap;
	uint32_t looks;			/* loads that look for pages (select_load_away.c) */
	uint32_t elements;		/* arrays whose elements are fetched ahead (select_chase.c) */
	uint32_t notes;			/* 8-byte cells that host code may write: ppu_emit_note() */
	bool evex;			/* the host has AVX-512: masks, 32 registers */
	bool wide;			/* code is for 16 lanes at a time, not 8 */
	uint16_t constant[1024];	/* hash of constants: offset in the pool / 32 + 1 */
	struct ppu_encoder *encoder, *own;	/* whom to ask; own: to be freed */
	bool failed;			/* no memory, or more than max bytes */
};

/* The code that follows is for instruction pc; costs nothing where marks are not wanted. */
void ppu_emit_mark(struct ppu_emit *e, uint32_t pc);

/* with: may be NULL. */
void ppu_emit_init(struct ppu_emit *e, uint32_t max_bytes, struct ppu_emit_with *with);
/* Frees what the caller has not taken. */
void ppu_emit_free(struct ppu_emit *e);

/*
 * Where AVX-512 has another name for an instruction than AVX2, mn is the one of AVX2.  An instruction that takes a mask has
 * it as second operand; without one it is done for all lanes.
 */
void ppu_emit_ops(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n);
/* The same; the lanes that are not in the mask, which is the second operand, become 0. */
void ppu_emit_zeroing(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n);
#define EM(e, mn, ...) \
	ppu_emit_ops(e, ZYDIS_MNEMONIC_##mn, (const struct ppu_opn[]){ __VA_ARGS__ }, \
		     sizeof((const struct ppu_opn[]){ __VA_ARGS__ }) / sizeof(struct ppu_opn))
#define EMZ(e, mn, ...) \
	ppu_emit_zeroing(e, ZYDIS_MNEMONIC_##mn, (const struct ppu_opn[]){ __VA_ARGS__ }, \
			 sizeof((const struct ppu_opn[]){ __VA_ARGS__ }) / sizeof(struct ppu_opn))
#define EM0(e, mn) ppu_emit_ops(e, ZYDIS_MNEMONIC_##mn, NULL, 0)

uint32_t ppu_emit_label(struct ppu_emit *e);
void ppu_emit_bind(struct ppu_emit *e, uint32_t label);
void ppu_emit_jump(struct ppu_emit *e, ZydisMnemonic mn, uint32_t label);
#define JUMP(e, mn, label) ppu_emit_jump(e, ZYDIS_MNEMONIC_##mn, label)
/* Does a jump or call go there? */
bool ppu_emit_used(const struct ppu_emit *e, uint32_t label);
/* Fills in the distances of all jumps.  False: the code is not usable. */
bool ppu_emit_finish(struct ppu_emit *e);

/* Offset of a new cell of 8 bytes, 0 at first, in memory that host code may write.  Only what cannot change a result may be
 * kept there. Each worker has cells of its own: what one notes, the others do not see. */
uint32_t ppu_emit_note(struct ppu_emit *e);
/* Offset of `bytes` new bytes in the pool; 32-byte aligned when `bytes` is a multiple of 32, 64-byte aligned when of 64. */
uint32_t ppu_emit_pool(struct ppu_emit *e, const void *data, uint32_t bytes);
/* Offset of a vector of eight words, 16 where the host has AVX-512; word[] has 16. */
uint32_t ppu_emit_vector(struct ppu_emit *e, const uint32_t *word);
/* Offset of a vector of copies of v.  Equal ones are mostly one. */
uint32_t ppu_emit_splat64(struct ppu_emit *e, uint64_t v);
uint32_t ppu_emit_splat(struct ppu_emit *e, uint32_t v);

#endif
