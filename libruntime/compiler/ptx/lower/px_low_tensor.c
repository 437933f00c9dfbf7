/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes of tensors, and changes of the maps that describe tensors: calls of the device-side library
 * (libruntime/compiler/devlib/tensor.cu), which reads the map when the copy is made.
 */
#include "compiler/devabi/tensor.h"
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_async.h"
#include "compiler/ptx/lower/px_low_call.h"

static unsigned rank_of(const struct px_inst *in)
{
	static const uint16_t mods[PPU_TENSOR_DIMS] = { PM_1d, PM_2d, PM_3d, PM_4d, PM_5d };
	unsigned k, found = 0;

	for (k = 0; k < PPU_TENSOR_DIMS; k++)
		if (px_has(in, mods[k])) {
			if (found)
				return 0;
			found = k + 1;
		}
	return found;
}

static px_val half(struct px_module *m, const struct px_opn *o)
{
	return px_binary(m, PPU_OP_AND, PPU_T_U32, px_force_reg(m, px_src_opn(m, o, PT_U16), 1), px_imm(0xffff));
}

/* {w, h, d}: 16 bits each, in two words. */
static void offsets(struct px_module *m, const struct px_inst *in, const struct px_opn *o, struct px_opn *words)
{
	px_val low;

	words[0] = words[1] = px_const_opn(in, 0);
	if (!o)
		return;
	low = half(m, &o->vec[0]);
	if (o->nvec > 1)
		low = px_binary(m, PPU_OP_OR, PPU_T_U32, low, px_reg(px_binary(m, PPU_OP_SHL, PPU_T_U32, half(m, &o->vec[1]), px_imm(16))));
	words[0] = px_reg_opn(in, low, PT_B32);
	if (o->nvec > 2)
		words[1] = px_reg_opn(in, half(m, &o->vec[2]), PT_B32);
}

/* How the operands of a copy stand. */
struct form {
	bool load, prefetch, im2col, many;
	unsigned rank, map, shared, n;
};

static bool form_of(struct px_module *m, const struct px_inst *in, struct form *f)
{
	bool reduce = px_has(in, PM_reduce), no_offsets = px_has(in, PM_im2col_no_offs), shared = px_names_shared(in);
	bool global = px_has(in, PM_global), counted = px_has(in, PM_mbar_complete), group = px_has(in, PM_bulk_group);

	f->prefetch = px_has(in, PM_prefetch_);
	f->load = !f->prefetch && counted;
	f->im2col = px_has(in, PM_im2col) || no_offsets;
	f->many = px_has(in, PM_multicast);
	f->rank = rank_of(in);
	f->map = f->load;
	f->shared = !f->load;
	f->n = (f->prefetch ? 1 : f->load ? 3 : 2) + px_has(in, PM_im2col) + f->many;
	if (!global || in->num_types || (f->prefetch ? shared || counted || group || !px_has(in, PM_L2) : !shared || counted == group || px_has(in, PM_L2)) ||
	    (f->many && !f->load) || (reduce && (!group || !px_reduce_op(in))) || (!reduce && px_reduce_op(in)) ||
	    (px_has(in, PM_tile) && f->im2col) || (px_has(in, PM_im2col) && (group || no_offsets)) || (no_offsets && !group)) {
		px_error(m->px, in->loc, "'%s.async.bulk' has the form cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
			 "[to], [map, {x, y}], [object]; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [from]; with "
			 "cp.reduce and an operation; or cp.async.bulk.prefetch.tensor.2d.L2.global [map, {x, y}]", reduce ? "cp.reduce" : "cp");
		return false;
	}
	if (!f->rank || (f->im2col && f->rank < 3)) {
		px_error(m->px, in->loc, "copies of tensors need one of .1d to .5d, with .im2col one of .3d to .5d");
		return false;
	}
	if (in->n != f->n) {
		px_error(m->px, in->loc, "this copy of a tensor takes %u operands, not %u", f->n, in->n);
		return false;
	}
	return true;
}

static bool vector_of(struct px_module *m, const struct px_opn *o, uint32_t n, const char *what)
{
	if (o->nvec == n)
		return true;
	px_error(m->px, o->loc, "here are %u %s, and the instruction needs %u", o->nvec, what, n);
	return false;
}

void px_low_tensor(struct px_module *m, const struct px_inst *in)
{
	struct px_opn args[11], plain, *to = args;
	const struct px_opn *map, *off;
	struct form f;
	px_val result;
	uint32_t how;
	unsigned k;

	if (!form_of(m, in, &f))
		return;
	map = &in->o[f.map];
	off = px_has(in, PM_im2col) ? &in->o[f.prefetch ? 1 : 3] : NULL;
	if (!vector_of(m, map, f.rank, "coordinates") || (off && !vector_of(m, off, f.rank - 2, "offsets")) || f.prefetch)
		return;
	plain = *map;
	plain.nvec = 0;
	how = f.rank | (f.load ? 0 : PPU_TENSOR_STORE) | (f.im2col ? PPU_TENSOR_IM2COL : 0) | px_reduce_op(in) << PPU_TENSOR_OP_SHIFT;
	if (!px_generic_opn(m, in, &plain, false, to++) || !px_generic_opn(m, in, &in->o[f.shared ? 1 : 0], true, to++))
		return;
	if (!f.load)	/* no object: any address */
		*to = args[1];
	else if (!px_generic_opn(m, in, &in->o[2], true, to))
		return;
	to++;
	*to = px_const_opn(in, how);
	if (f.many)
		*to = px_reg_opn(in, px_binary(m, PPU_OP_OR, PPU_T_U32, px_binary(m, PPU_OP_SHL, PPU_T_U32,
				 px_cta_mask(m, in, f.n - 1), px_imm(PPU_TENSOR_MASK_SHIFT)), px_imm(how)), PT_B32);
	to++;
	offsets(m, in, off, to);
	to += 2;
	for (k = 0; k < PPU_TENSOR_DIMS; k++)
		*to++ = k < f.rank ? px_reg_opn(in, px_force_reg(m, px_src_opn(m, &map->vec[k], PT_B32), 1), PT_B32) :
				     px_const_opn(in, 0);
	px_call_library(m, in, "__ppu_tensor", args, (uint32_t)(to - args), &result, 0);
}

/* ---- maps ---- */

/* tensormap.replace.tile.FIELD.b1024.TYPE [map], value, and with the number of a dimension before the value. */
static const struct {
	uint16_t mod;
	uint8_t field;
	bool dim, wide;
} fields[] = {
	{ PM_global_address, PPU_TENSOR_SET_ADDRESS, false, true }, { PM_rank, PPU_TENSOR_SET_RANK, false, false },
	{ PM_box_dim, PPU_TENSOR_SET_BOX, true, false }, { PM_global_dim, PPU_TENSOR_SET_DIM, true, false },
	{ PM_global_stride, PPU_TENSOR_SET_STRIDE, true, true }, { PM_element_stride, PPU_TENSOR_SET_STEP, true, false },
	{ PM_elemtype, PPU_TENSOR_SET_TYPE, false, false }, { PM_interleave_layout, PPU_TENSOR_SET_INTERLEAVE, false, false },
	{ PM_swizzle_mode, PPU_TENSOR_SET_SWIZZLE, false, false }, { PM_fill_mode, PPU_TENSOR_SET_FILL, false, false },
};

/* In PTX 8.3 and 8.4, which brought the instruction, strides had lost their lowest four bits, which are 0. */
#define OLD_STRIDES(version)	((version) == 83 || (version) == 84)

static struct px_opn wide(struct px_module *m, const struct px_inst *in, unsigned k, bool is64, unsigned shift)
{
	px_val v = px_force_reg(m, px_src(m, in, k, is64 ? PT_B64 : PT_B32), is64 ? 2 : 1);
	struct px_insn *i;

	if (!is64) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = px_reg(v);
		i->d = v = px_tmp(m, 2);
	}
	if (shift)
		v = px_binary(m, PPU_OP_SHL, PPU_T_U64, v, px_imm(shift));
	return px_reg_opn(in, v, PT_B64);
}

static void replace(struct px_module *m, const struct px_inst *in)
{
	unsigned k, found = PX_ARRAY_SIZE(fields);
	struct px_opn args[4];
	px_val result;

	for (k = 0; k < PX_ARRAY_SIZE(fields); k++)
		if (px_has(in, fields[k].mod))
			found = k;
	if (found == PX_ARRAY_SIZE(fields) || !px_has(in, PM_tile) || !px_has(in, PM_b1024) || in->num_types != 1 ||
	    in->types[0] != (fields[found].wide ? PT_B64 : PT_B32) || in->n != 2u + fields[found].dim) {
		px_error(m->px, in->loc, "'tensormap.replace' has the form tensormap.replace.tile.box_dim.global.b1024.b32 [map], dimension, value; "
			 "other fields have no dimension; .global_address and .global_stride are .b64");
		return;
	}
	if (!px_generic_opn(m, in, &in->o[0], px_names_shared(in), &args[0]))
		return;
	args[1] = px_const_opn(in, fields[found].field);
	args[2] = fields[found].dim ? px_word_opn(m, in, 1) : px_const_opn(in, 0);
	args[3] = wide(m, in, in->n - 1, fields[found].wide, fields[found].field == PPU_TENSOR_SET_STRIDE && OLD_STRIDES(m->version) ? 4 : 0);
	px_call_library(m, in, "__ppu_tensor_replace", args, 4, &result, 0);
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to], [from], 128: each thread copies. */
static void copy_map(struct px_module *m, const struct px_inst *in)
{
	struct px_opn args[3];
	px_val result;

	if (in->n != 3 || !px_has(in, PM_global) || !px_has(in, PM_shared_cta) || !px_has(in, PM_release) || in->o[2].kind != OP_IMM ||
	    in->o[2].imm != sizeof(struct ppu_tensor_map)) {
		px_error(m->px, in->loc, "'tensormap.cp_fenceproxy' has the form tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
			 "[to], [from], 128");
		return;
	}
	if (!px_generic_opn(m, in, &in->o[0], false, &args[0]) || !px_generic_opn(m, in, &in->o[1], true, &args[1]))
		return;
	args[2] = px_const_opn(in, sizeof(struct ppu_tensor_map));
	px_call_library(m, in, "__ppu_copy16", args, 3, &result, 0);
}

void px_low_tensormap(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after = px_begin_guard(m, &plain);

	if (px_has(in, PM_replace) == px_has(in, PM_cp_fenceproxy))
		px_error(m->px, in->loc, "'tensormap' is tensormap.replace or tensormap.cp_fenceproxy");
	else
		(px_has(in, PM_replace) ? replace : copy_map)(m, &plain);
	px_end_guard(m, after);
}
