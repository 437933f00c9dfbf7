/* SPDX-License-Identifier: MIT */
/*
 * Bulk copies, and those that reduce: calls of the device-side library (libruntime/compiler/devlib/async.cu, tensor.cu).
 * The thread that asks for a copy makes the copy itself, so all bytes are there when the call returns, and waiting for
 * groups needs no code.
 */
#include "compiler/devabi/tensor.h"
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_async.h"
#include "compiler/ptx/lower/px_low_call.h"

px_val px_cta_mask(struct px_module *m, const struct px_inst *in, unsigned k)
{
	return px_binary(m, PPU_OP_AND, PPU_T_U32, px_force_reg(m, px_src(m, in, k, PT_U16), 1), px_imm(0xffff));
}

unsigned px_reduce_op(const struct px_inst *in)
{
	static const uint16_t mods[] = {
		[PPU_REDUCE_ADD] = PM_add, [PPU_REDUCE_MIN] = PM_min, [PPU_REDUCE_MAX] = PM_max, [PPU_REDUCE_INC] = PM_inc,
		[PPU_REDUCE_DEC] = PM_dec, [PPU_REDUCE_AND] = PM_and, [PPU_REDUCE_OR] = PM_or, [PPU_REDUCE_XOR] = PM_xor,
	};
	unsigned k;

	for (k = 1; k < PX_ARRAY_SIZE(mods); k++)
		if (px_has(in, mods[k]))
			return k;
	return PPU_REDUCE_NONE;
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster} [to], [from], bytes, [object] {, mask};
 * cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [from], bytes, [object];
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes. */
static void bulk_copy(struct px_module *m, const struct px_inst *in)
{
	bool counted = px_has(in, PM_mbar_complete), many = px_has(in, PM_multicast);
	bool shared = px_has(in, PM_shared_cluster) && px_has(in, PM_shared_cta);
	struct px_opn args[5], object;
	px_val result;

	if (in->n != 3u + counted + many || !px_names_shared(in) || px_has(in, PM_global) == shared || ((shared || many) && !counted) ||
	    (shared && many) || !px_generic_opn(m, in, &in->o[0], counted, &args[0]) ||
	    !px_generic_opn(m, in, &in->o[1], !counted || shared, &args[1]) || (counted && !px_generic_opn(m, in, &in->o[3], true, &object))) {
		px_error(m->px, in->loc, "'cp.async.bulk' copies from .global to .shared with an mbarrier, or from .shared to .global in a bulk_group");
		return;
	}
	args[2] = px_word_opn(m, in, 2);
	if (many) {
		args[3] = object;
		args[4] = px_reg_opn(in, px_cta_mask(m, in, 4), PT_B32);
		px_call_library(m, in, "__ppu_multicast16", args, 5, &result, 0);
		return;
	}
	px_call_library(m, in, "__ppu_copy16", args, 3, &result, 0);
	if (counted)
		px_arrive(m, in, object, px_const_opn(in, 0), px_const_opn(in, 0), px_negated(m, in, args[2]), NULL);
}

/* The element type of a reduction that PTX has, or PPU_TENSOR_NUM_TYPES. */
static unsigned reduced_type(const struct px_inst *in, unsigned op, bool to_shared)
{
	static const struct { uint8_t pt, type; uint16_t ops; } types[] = {
#define OPS(...)	(uint16_t)(__VA_ARGS__)
#define OP(op)		1u << PPU_REDUCE_##op
#define BITS		OP(AND) | OP(OR) | OP(XOR)
		{ PT_U32, PPU_TENSOR_U32, OPS(OP(ADD) | OP(MIN) | OP(MAX) | OP(INC) | OP(DEC)) },
		{ PT_S32, PPU_TENSOR_S32, OPS(OP(ADD) | OP(MIN) | OP(MAX)) },
		{ PT_U64, PPU_TENSOR_U64, OPS(OP(ADD) | OP(MIN) | OP(MAX)) },
		{ PT_S64, PPU_TENSOR_S64, OPS(OP(ADD) | OP(MIN) | OP(MAX)) },
		{ PT_B32, PPU_TENSOR_U32, OPS(BITS) },
		{ PT_B64, PPU_TENSOR_U64, OPS(BITS) },
		{ PT_F16, PPU_TENSOR_F16, OPS(OP(ADD) | OP(MIN) | OP(MAX)) },
		{ PT_BF16, PPU_TENSOR_BF16, OPS(OP(ADD) | OP(MIN) | OP(MAX)) },
		{ PT_F32, PPU_TENSOR_F32, OPS(OP(ADD)) },
		{ PT_F64, PPU_TENSOR_F64, OPS(OP(ADD)) },
	};
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(types); k++)
		if (types[k].pt == in->types[0])
			return types[k].ops >> op & 1 && !(to_shared && px_type_float(in->types[0])) ? types[k].type : PPU_TENSOR_NUM_TYPES;
	return PPU_TENSOR_NUM_TYPES;
}

/* cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [to], [from], bytes, [object];
 * cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [to], [from], bytes. */
static void bulk_reduction(struct px_module *m, const struct px_inst *in)
{
	bool counted = px_has(in, PM_mbar_complete), half = in->types[0] == PT_F16 || in->types[0] == PT_BF16;
	unsigned op = px_reduce_op(in), type;
	struct px_opn args[4], object;
	px_val result;

	if (in->n != 3u + counted || !px_has(in, PM_shared_cta) || counted != px_has(in, PM_shared_cluster) ||
	    counted == px_has(in, PM_global) || counted == px_has(in, PM_bulk_group)) {
		px_error(m->px, in->loc, "'cp.reduce.async.bulk' reduces .shared::cta into .shared::cluster with an mbarrier, or into .global in a bulk_group");
		return;
	}
	if (!op || in->num_types != 1) {
		px_error(m->px, in->loc, "'cp.reduce.async.bulk' needs an operation and a type, such as .add.u32");
		return;
	}
	type = reduced_type(in, op, counted);
	if (type == PPU_TENSOR_NUM_TYPES || px_has(in, PM_noftz) != (half && op == PPU_REDUCE_ADD)) {
		px_error(m->px, in->loc, "'cp.reduce.async.bulk' has no such operation of this type%s", half ? "; .add takes .noftz" : "");
		return;
	}
	if (!px_generic_opn(m, in, &in->o[0], counted, &args[0]) || !px_generic_opn(m, in, &in->o[1], true, &args[1]) ||
	    (counted && !px_generic_opn(m, in, &in->o[3], true, &object)))
		return;
	args[2] = px_word_opn(m, in, 2);
	args[3] = px_const_opn(in, op << 8 | type);
	px_call_library(m, in, "__ppu_reduce_bulk", args, 4, &result, 0);
	if (counted)
		px_arrive(m, in, object, px_const_opn(in, 0), px_const_opn(in, 0), px_negated(m, in, args[2]), NULL);
}

void px_low_bulk(struct px_module *m, const struct px_inst *in)
{
	if (!px_has(in, PM_async) || !px_has(in, PM_bulk))
		px_error(m->px, in->loc, "'cp' with .%s is cp.%sasync.bulk", px_has(in, PM_reduce) ? "reduce" : px_has(in, PM_bulk) ?
			 "bulk" : "tensor", px_has(in, PM_reduce) ? "reduce." : "");
	else if (px_has(in, PM_tensor))
		px_low_tensor(m, in);
	else if (px_has(in, PM_reduce))
		bulk_reduction(m, in);
	else if (in->num_types || px_reduce_op(in))
		px_error(m->px, in->loc, "'cp.async.bulk' takes no operation and no type; cp.reduce.async.bulk does");
	else if (!px_has(in, PM_commit_group) && !px_has(in, PM_wait_group) && !px_has(in, PM_prefetch_))
		bulk_copy(m, in);
}
