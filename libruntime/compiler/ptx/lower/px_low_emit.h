/* SPDX-License-Identifier: MIT */
/* Emitting IR: instructions, temporaries, jumps, and short sequences that several translations use. */
#ifndef PX_LOW_EMIT_H
#define PX_LOW_EMIT_H

#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/ir/px_ir.h"

/* Both emit an instruction: px_emit() gives it the PTX instruction's guard, px_temp() does not. */
struct px_insn *px_emit(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t);
struct px_insn *px_temp(struct px_module *m, unsigned op, unsigned t);
px_val px_tmp(struct px_module *m, unsigned width);
void px_end_block(struct px_module *m);
/* Puts an operand into a register of the given width. */
px_val px_force_reg(struct px_module *m, struct px_opnd o, unsigned width);
/* Emits a load or store in a slot of the function's frame. */
struct px_insn *px_slot_mem(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t,
			    uint32_t slot, int64_t off);
/* Set the one destination of a load, and the one source of a store. */
void px_ld_into(struct px_module *m, struct px_insn *ld, px_val d);
void px_st_from(struct px_module *m, struct px_insn *st, px_val v);

/* Emits a jump to target under a condition; what comes next goes into a new block. */
void px_branch(struct px_module *m, struct px_predref guard, struct px_block *target);
/* For a PTX instruction that becomes several: they are jumped over unless the guard holds, and `in` loses its guard. */
struct px_block *px_begin_guard(struct px_module *m, struct px_inst *in);
void px_end_guard(struct px_module *m, struct px_block *after);

/* PPU_T_U16, U32, U64 by size. */
unsigned px_unsigned_type(unsigned bits);
/* d = s */
struct px_insn *px_copy(struct px_module *m, const struct px_inst *in, px_val d, struct px_opnd s, unsigned t);
px_val px_carry(struct px_module *m);
/* d = v, extended as type `from` says.  d is a register of type dt, which may be wider than `from`. */
void px_widen(struct px_module *m, const struct px_inst *in, px_val d, unsigned dt, px_val v,
	      unsigned from);
/* a op b; the lane's number. */
px_val px_binary(struct px_module *m, unsigned op, unsigned t, px_val a, struct px_opnd b);
px_val px_lane_number(struct px_module *m);
/* For the matrix instructions: one half of a pair as f32 (t: PPU_T_F16 or BF16); the v of another lane, where all
 * lanes take part; a * b + c in f32. */
px_val px_half_to_float(struct px_module *m, px_val pair, unsigned high, unsigned t);
px_val px_from_lane(struct px_module *m, px_val v, px_val lane);
px_val px_fma32(struct px_module *m, px_val a, px_val b, px_val c);
/* Half `which` of a as a number of 32 bits, of type t. */
px_val px_half(struct px_module *m, unsigned t, struct px_opnd a, unsigned which);

#endif
