/* SPDX-License-Identifier: MIT */
/*
 * Video instructions: calls of the device-side library (libruntime/compiler/devlib/rare.cu) with the operands
 * and two words that say what to do with the operands (devabi/video.h).
 */
#include <string.h>
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_call.h"
#include "compiler/devabi/video.h"

static const struct {
	uint16_t px;
	uint8_t op, lanes;
	bool dtype;		/* the first type is the result's */
} ops[] = {
	{ PX_OP_vadd, PPU_VIDEO_ADD, 1, true }, { PX_OP_vsub, PPU_VIDEO_SUB, 1, true },
	{ PX_OP_vabsdiff, PPU_VIDEO_ABSDIFF, 1, true }, { PX_OP_vmin, PPU_VIDEO_MIN, 1, true },
	{ PX_OP_vmax, PPU_VIDEO_MAX, 1, true }, { PX_OP_vshl, PPU_VIDEO_SHL, 1, true },
	{ PX_OP_vshr, PPU_VIDEO_SHR, 1, true }, { PX_OP_vmad, PPU_VIDEO_MAD, 1, true },
	{ PX_OP_vset, PPU_VIDEO_SET, 1, false },
	{ PX_OP_vadd2, PPU_VIDEO_ADD, 2, true }, { PX_OP_vsub2, PPU_VIDEO_SUB, 2, true },
	{ PX_OP_vavrg2, PPU_VIDEO_AVRG, 2, true }, { PX_OP_vabsdiff2, PPU_VIDEO_ABSDIFF, 2, true },
	{ PX_OP_vmin2, PPU_VIDEO_MIN, 2, true }, { PX_OP_vmax2, PPU_VIDEO_MAX, 2, true },
	{ PX_OP_vset2, PPU_VIDEO_SET, 2, false },
	{ PX_OP_vadd4, PPU_VIDEO_ADD, 4, true }, { PX_OP_vsub4, PPU_VIDEO_SUB, 4, true },
	{ PX_OP_vavrg4, PPU_VIDEO_AVRG, 4, true }, { PX_OP_vabsdiff4, PPU_VIDEO_ABSDIFF, 4, true },
	{ PX_OP_vmin4, PPU_VIDEO_MIN, 4, true }, { PX_OP_vmax4, PPU_VIDEO_MAX, 4, true },
	{ PX_OP_vset4, PPU_VIDEO_SET, 4, false },
};

static void bad_part(struct px_module *m, const struct px_opn *o)
{
	px_error(m->px, o->loc, "'.%s' does not select a part of this operand", o->part->s);
}

/* The part of an operand of a scalar instruction: .b0 to .b3, .h0, .h1 are 1 to 6; none is 0. */
static uint32_t part(struct px_module *m, const struct px_opn *o)
{
	static const char *const names[] = { "b0", "b1", "b2", "b3", "h0", "h1" };
	uint32_t k;

	if (!o->part)
		return 0;
	for (k = 0; k < PX_ARRAY_SIZE(names); k++)
		if (!strcmp(o->part->s, names[k]))
			return k + 1;
	bad_part(m, o);
	return 0;
}

/* ".b3210", ".h32": for each lane, highest first, the lane of {a, b} from which it is made. */
static uint32_t lanes_of(struct px_module *m, const struct px_opn *o, unsigned lanes, unsigned first)
{
	uint32_t sel = 0, k;
	const char *s;

	for (k = 0; k < lanes; k++)
		sel |= (first + k) << (3 * k);
	if (!o->part)
		return sel;
	s = o->part->s;
	if (s[0] != (lanes == 2 ? 'h' : 'b') || o->part->len != lanes + 1) {
		bad_part(m, o);
		return sel;
	}
	for (k = 0, sel = 0; k < lanes; k++) {
		uint32_t digit = (uint32_t)(s[lanes - k] - '0');

		if (digit >= 2 * lanes) {
			bad_part(m, o);
			return 0;
		}
		sel |= digit << (3 * k);
	}
	return sel;
}

/* ".b20": the lanes of the result that are written. */
static uint32_t mask_of(struct px_module *m, const struct px_opn *o, unsigned lanes)
{
	uint32_t mask = 0, k;

	if (!o->part)
		return (1u << lanes) - 1;
	for (k = 1; k < o->part->len; k++) {
		uint32_t digit = (uint32_t)(o->part->s[k] - '0');

		if (o->part->s[0] != (lanes == 2 ? 'h' : 'b') || digit >= lanes) {
			bad_part(m, o);
			return 0;
		}
		mask |= 1u << digit;
	}
	return mask;
}

static int comparison(const struct px_inst *in)
{
	static const uint16_t cmps[] = { PM_eq, PM_ne, PM_lt, PM_le, PM_gt, PM_ge };
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(cmps); k++)
		if (px_has(in, cmps[k]))
			return (int)k;
	return -1;
}

/* What happens to the result and c.  A part of d means that they are merged. */
static uint32_t second(const struct px_inst *in, unsigned lanes)
{
	if (px_has(in, PM_add))
		return PPU_VIDEO_THEN_ADD;
	if (lanes == 1 && (px_has(in, PM_min) || px_has(in, PM_max)))
		return px_has(in, PM_min) ? PPU_VIDEO_THEN_MIN : PPU_VIDEO_THEN_MAX;
	return lanes > 1 || in->o[0].part ? PPU_VIDEO_MERGE : PPU_VIDEO_ONLY;
}

static bool check(struct px_module *m, const struct px_inst *in, unsigned row)
{
	unsigned types = ops[row].dtype ? 3 : 2, k;
	uint32_t then = second(in, ops[row].lanes);
	bool c = ops[row].op == PPU_VIDEO_MAD || then != PPU_VIDEO_ONLY;

	for (k = 0; k < in->num_types; k++)
		if (in->types[k] != PT_U32 && in->types[k] != PT_S32)
			break;
	if (in->num_types != types || k != types) {
		px_error(m->px, in->loc, "'%s' needs %u types, each .u32 or .s32", in->name->s, types);
		return false;
	}
	if (in->n != 3u + c) {
		px_error(m->px, in->loc, c ? "'%s' of this form takes a, b and c" :
			 "'%s' takes c only with a second operation or a part of d", in->name->s);
		return false;
	}
	if (ops[row].op == PPU_VIDEO_SET && comparison(in) < 0) {
		px_error(m->px, in->loc, "'%s' needs a comparison: .eq .ne .lt .le .gt .ge", in->name->s);
		return false;
	}
	if ((ops[row].op == PPU_VIDEO_SHL || ops[row].op == PPU_VIDEO_SHR) &&
	    px_has(in, PM_wrap) == px_has(in, PM_clamp)) {
		px_error(m->px, in->loc, "'%s' needs .clamp or .wrap", in->name->s);
		return false;
	}
	return true;
}

static uint32_t operation(const struct px_inst *in, unsigned row)
{
	unsigned first = ops[row].dtype ? 1 : 0;
	uint32_t op = ops[row].op, then = second(in, ops[row].lanes);

	if (op == PPU_VIDEO_SET)
		op |= (uint32_t)comparison(in) << PPU_VIDEO_CMP;
	if (op == PPU_VIDEO_MAD)
		then = PPU_VIDEO_ONLY;
	op |= then << PPU_VIDEO_THEN;
	op |= (ops[row].lanes == 1 ? 0u : ops[row].lanes == 2 ? 1u : 2u) << PPU_VIDEO_LANES;
	if (ops[row].dtype && in->types[0] == PT_S32)
		op |= PPU_VIDEO_D_SIGNED;
	if (in->types[first] == PT_S32)
		op |= PPU_VIDEO_A_SIGNED;
	if (in->types[first + 1] == PT_S32)
		op |= PPU_VIDEO_B_SIGNED;
	if (px_has(in, PM_sat))
		op |= PPU_VIDEO_SAT;
	if (px_has(in, PM_wrap))
		op |= PPU_VIDEO_WRAP;
	if (px_has(in, PM_po))
		op |= PPU_VIDEO_PLUS_ONE;
	if (in->o[1].neg != in->o[2].neg)
		op |= PPU_VIDEO_NEG_PRODUCT;
	if (in->n == 4 && in->o[3].neg)
		op |= PPU_VIDEO_NEG_C;
	return op | (px_has(in, PM_shr7) ? 7u : px_has(in, PM_shr15) ? 15u : 0) << PPU_VIDEO_SCALE;
}

static uint32_t selection(struct px_module *m, const struct px_inst *in, unsigned lanes)
{
	if (lanes == 1)
		return part(m, &in->o[1]) << PPU_VIDEO_SEL_A | part(m, &in->o[2]) << PPU_VIDEO_SEL_B |
		       part(m, &in->o[0]) << PPU_VIDEO_SEL_D;
	return lanes_of(m, &in->o[1], lanes, 0) << PPU_VIDEO_SEL_A |
	       lanes_of(m, &in->o[2], lanes, lanes) << PPU_VIDEO_SEL_B |
	       mask_of(m, &in->o[0], lanes) << PPU_VIDEO_SEL_D;
}

/* Is this the common form: whole registers, one type, no saturation? */
static bool common(const struct px_inst *in)
{
	bool whole = !in->o[0].part && !in->o[1].part && !in->o[2].part;

	return whole && !px_has(in, PM_sat) && in->types[0] == in->types[1] && in->types[0] == in->types[2];
}

static struct px_opn word(const struct px_inst *in, uint32_t v)
{
	return (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .imm = v, .loc = in->loc };
}

static void vabsdiff4(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32),
		       c = px_src(m, in, 3, PT_B32);
	unsigned k;

	for (k = 1; k < in->num_types; k++)
		if (in->types[k] != in->types[0]) {
			px_error(m->px, in->loc, "'vabsdiff4' needs three equal types");
			return;
		}
	px_ternary(m, in, PPU_OP_VABSDIFF4, px_isa_type(in->types[0]), a, b, c, PT_B32);
	m->cur->last->m = px_has(in, PM_add);
}

/* |a - b| of the two halves: side by side, or with .add their sum plus c. */
static void vabsdiff2(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 1, PT_B32), b = px_src(m, in, 2, PT_B32), c = px_src(m, in, 3, PT_B32);
	unsigned t = px_isa_type(in->types[0]), k;
	bool add = px_has(in, PM_add);
	struct px_opnd part[2];
	struct px_insn *i;

	if (in->num_types != 3 || in->types[0] != in->types[1] || in->types[0] != in->types[2]) {
		px_error(m->px, in->loc, "'vabsdiff2' needs three equal types");
		return;
	}
	for (k = 0; k < 2; k++) {
		struct px_opnd x = px_reg(px_half(m, t, a, k)), y = px_reg(px_half(m, t, b, k));

		i = px_temp(m, PPU_OP_SAD, t);
		i->s[0] = x;
		i->s[1] = y;
		i->s[2] = !add ? px_imm(0) : k ? part[0] : c;
		i->d = px_tmp(m, 1);
		part[k] = px_reg(i->d);
	}
	i = px_emit(m, in, add ? PPU_OP_MOV : PPU_OP_PRMT, PPU_T_U32);
	i->s[add] = part[add];
	if (!add) {
		i->s[1] = part[1];
		i->s[2] = px_imm(0x5410);
	}
	i->d = px_dst(m, in, 0, PT_B32);
}

void px_low_video(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after;
	struct px_opn args[5];
	struct px_insn *i;
	unsigned row, k;
	px_val result;

	for (row = 0; ops[row].px != in->op; row++)
		;
	if (!check(m, in, row))
		return;
	if (ops[row].op == PPU_VIDEO_ABSDIFF && ops[row].lanes > 1 && common(in)) {
		(ops[row].lanes == 2 ? vabsdiff2 : vabsdiff4)(m, in);
		return;
	}
	after = px_begin_guard(m, &plain);
	for (k = 0; k < 3; k++) {
		struct px_opnd s = k + 1 < in->n ? px_src(m, in, k + 1, PT_B32) : px_imm(0);

		args[k] = (struct px_opn){ .kind = OP_REG, .type = PT_B32, .v = px_force_reg(m, s, 1), .loc = in->loc };
	}
	args[3] = word(in, operation(in, row));
	args[4] = word(in, selection(m, in, ops[row].lanes));
	px_call_library(m, &plain, "__ppu_video", args, 5, &result, 0);
	i = px_emit(m, &plain, PPU_OP_MOV, PPU_T_U32);
	i->s[1] = px_sub(result, 0);
	i->d = px_dst(m, in, 0, PT_B32);
	px_end_guard(m, after);
}
