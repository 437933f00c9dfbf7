/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A segment: instructions of one block that only compute, done eight lanes at a time.
 *
 * The host code of a segment runs four times, once for each eight lanes (a chunk); inside a chunk, values stay in
 * the 16 vector registers of the host from one instruction to the next.  This is possible because no instruction of
 * a segment sees another lane.  Between segments all registers of the guest are in their rows.
 *
 *   rows in    ->  ymm  ->  ... instructions ...  ->  ymm  ->  rows that were written
 *
 * In a warp with inactive lanes these lanes compute, too (nothing can fault here), and what they computed is dropped
 * when a row is written.  Instructions under a guard merge at once.
 *
 * NaNs: the device has one NaN.  A float result is marked and made canonical only where its bits can be seen:
 * before it is written to its row, and before an instruction that is not float arithmetic uses it.
 *
 * Predicates: a comparison leaves a vector of lane masks, whose sign bits go to a general register of the host, eight
 * for each chunk; after the last chunk that register is the predicate.
 *
 * State: struct ppu_seg of the caller.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_SEGMENT_H
#define PPU_SEGMENT_H

#include "core/sm/mem/icache.h"
#include "core/exec/exec.h"
#include "core/sm/translate/emit.h"

#define PPU_SEG_ROWS	(PPU_NUM_REGS + 8)	/* with the rows of zeros and the scratch rows */
#define PPU_SEG_PREDS	4			/* predicates that a segment may write */

enum ppu_y_kind { PPU_Y_FREE, PPU_Y_ROW, PPU_Y_PRED, PPU_Y_TEMP };

struct ppu_seg {
	struct ppu_emit *e;
	const struct ppu_dinsn *code;
	struct ppu_live live;		/* what may be read behind the segment */
	const uint32_t *list;		/* its n instructions by PC */
	uint32_t n, at;			/* at: the current one */
	uint32_t nregs;
	bool masked;			/* some lanes may be inactive */
	bool looped;			/* one copy of the code in a loop, not four copies */
	unsigned chunk;			/* when not looped */

	struct {
		uint8_t kind, lock, dirty, nan;
		uint16_t id;		/* row or predicate */
	} y[16];
	int8_t row[PPU_SEG_ROWS];	/* in which ymm, or -1 */
	struct {
		int8_t y;		/* the lane masks, or -1 */
		int8_t acc;		/* general register with the bits, or -1: not written in this segment */
		bool invert;		/* y holds the complement */
		bool fresh;		/* written in this chunk */
	} pred[16];
	unsigned accs;
	int inactive;			/* ymm: lanes that are not active, when masked */
	int guard;			/* ymm of the guard of the current instruction, or -1 */
	bool guard_invert;
};

/* A vector of lane masks. */
struct ppu_lanes {
	int y;
	bool invert;
};

/* ---- what the segment calls for each instruction (select_int.c, select_float.c) ---- */

/* Can the instruction be part of a segment? */
bool ppu_select_can(const struct ppu_dinsn *di);
void ppu_select(struct ppu_seg *s, const struct ppu_dinsn *di);
bool ppu_select_float_can(const struct ppu_dinsn *di);
void ppu_select_float(struct ppu_seg *s, const struct ppu_dinsn *di);

/* ---- what these call ---- */

/* A ymm for a temporary value.  It is the caller's until the end of the instruction. */
int ppu_seg_temp(struct ppu_seg *s);
/* Gives a temporary back before the end of the instruction; nothing for another register. */
void ppu_seg_drop(struct ppu_seg *s, int y);
/* The row in a ymm, which must not be changed.  _raw: a NaN may not be the canonical one. */
int ppu_seg_reg(struct ppu_seg *s, unsigned row);
int ppu_seg_reg_raw(struct ppu_seg *s, unsigned row);
/* The row in a ymm or as memory, as a last source operand. */
struct ppu_opn ppu_seg_rm(struct ppu_seg *s, unsigned row);
struct ppu_opn ppu_seg_rm_raw(struct ppu_seg *s, unsigned row);
/* A constant in all lanes. */
struct ppu_opn ppu_seg_const(struct ppu_seg *s, uint32_t v);
/* The row becomes the value of temporary y; nan: a NaN in it may not be the canonical one. */
void ppu_seg_put(struct ppu_seg *s, unsigned row, int y, bool nan);
/* Predicate p, not PT. */
struct ppu_lanes ppu_seg_pred(struct ppu_seg *s, unsigned p, bool negate);
/* As a vector that is not inverted. */
int ppu_seg_true(struct ppu_seg *s, struct ppu_lanes l);
/* pd, pe = comparison and its complement, combined with ps as SETP says.  l.y: a temporary. */
void ppu_seg_setp(struct ppu_seg *s, const struct ppu_dinsn *di, struct ppu_lanes l);

/* ---- what the region calls ---- */

/* Can instruction pc follow the n of a list in one segment? */
bool ppu_seg_extends(const struct ppu_dinsn *code, const uint32_t *list, uint32_t n, uint32_t pc);
/* The list's instructions; the program goes on at next.  Host registers: rbx rows, rbp warp, r13 pool, r14d active lanes.  Uses all vector registers, and rax, rcx, rdx, rsi,
 * rdi, r8 to r11. */
void ppu_seg_emit(struct ppu_emit *e, const struct ppu_program *prog, const uint32_t *list, uint32_t n, uint32_t next,
		  bool masked);

#endif
