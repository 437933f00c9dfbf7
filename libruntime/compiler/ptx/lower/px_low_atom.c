/* SPDX-License-Identifier: MIT */
/* Atomics, fences. */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_addr.h"
#include "compiler/ptx/lower/px_low_async.h"
#include "compiler/ptx/lower/px_low_vec.h"

static int atom_op(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t mods[] = { PM_add, PM_min, PM_max, PM_inc, PM_dec, PM_and, PM_or,
					 PM_xor, PM_exch, PM_cas };
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(mods); k++)
		if (px_has(in, mods[k]))
			return (int)k;
	px_error(m->px, in->loc, "'%s' needs an operation, such as .add", in->name->s);
	return -1;
}

static bool atom_type_ok(unsigned op, unsigned pt)
{
	const uint32_t i32 = PX_TB(U32) | PX_TB(S32), i64 = PX_TB(U64) | PX_TB(S64);

	switch (op) {
	case PPU_ATOM_ADD:
		return (1u << pt) & (i32 | i64 | PX_TS_F | PX_TS_H);
	case PPU_ATOM_MIN:
	case PPU_ATOM_MAX:
		return (1u << pt) & (i32 | i64 | PX_TS_H);
	case PPU_ATOM_INC:
	case PPU_ATOM_DEC:
		return pt == PT_U32;
	case PPU_ATOM_CAS:
		return (1u << pt) & (PX_TS_B | i32 | i64 | PX_TB(B128));
	case PPU_ATOM_EXCH:
		return (1u << pt) & (PX_TB(B32) | PX_TB(B64) | i32 | i64 | PX_TS_F | PX_TB(B128));
	default:
		return (1u << pt) & (PX_TB(B32) | PX_TB(B64) | i32 | i64);
	}
}

static void atomic(struct px_module *m, const struct px_inst *in, unsigned first, bool result)
{
	unsigned pt = px_one_type(m, in);
	int op = atom_op(m, in);
	struct px_opnd b, c = { 0 };
	struct px_insn *i;
	struct px_addr a;

	if (op < 0 || !pt)
		return;
	if (!atom_type_ok((unsigned)op, pt)) {
		px_bad_type(m, in, pt);
		return;
	}
	if ((in->n == first + 3) != (op == PPU_ATOM_CAS)) {
		px_error(m->px, in->loc, op == PPU_ATOM_CAS ? "'atom.cas' takes a value to compare and a new value" :
			 "only 'atom.cas' takes a third source");
		return;
	}
	if (!px_address(m, in, &in->o[first], &a))
		return;
	b = px_src(m, in, first + 1, pt);
	if (op == PPU_ATOM_CAS)
		c = px_src(m, in, first + 2, pt);
	i = px_emit(m, in, PPU_OP_ATOM, px_isa_type(pt));
	px_set_addr(i, &a);
	i->s[1] = b;
	i->s[2] = c;
	i->u = (uint8_t)op;
	i->y = (uint8_t)px_sem_scope(m, in, PPU_MO_RELAXED);
	if (result)
		i->d = px_dst(m, in, 0, pt);
}

void px_low_atom(struct px_module *m, const struct px_inst *in)
{
	if (!px_low_vector_atomic(m, in, px_low_atom, 1))
		atomic(m, in, 1, true);
}

void px_low_red(struct px_module *m, const struct px_inst *in)
{
	if (px_has(in, PM_async) || in->n > 2)
		px_low_async(m, in, px_low_red);
	else if (!px_low_vector_atomic(m, in, px_low_red, 0))
		atomic(m, in, 0, false);
}

void px_low_fence(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i;
	unsigned sem = px_has(in, PM_acq_rel) ? PPU_MO_ACQ_REL : px_has(in, PM_acquire) ?
		PPU_MO_ACQUIRE : px_has(in, PM_release) ? PPU_MO_RELEASE : PPU_MO_SC;

	/* fence.proxy.tensormap::generic.acquire.gpu [map], 128 */
	if (in->n != (px_has(in, PM_tensormap_generic) && px_has(in, PM_acquire) ? 2 : 0)) {
		px_error(m->px, in->loc, in->n ? "only 'fence.proxy.tensormap::generic.acquire' takes operands: [map], 128" :
			 "'fence.proxy.tensormap::generic.acquire' takes [map], 128");
		return;
	}
	i = px_emit(m, in, PPU_OP_MEMBAR, PPU_T_NONE);
	i->y = (uint8_t)(sem | (px_has(in, PM_cta) ? PPU_SCOPE_CTA :
				px_has(in, PM_sys) ? PPU_SCOPE_SYS : PPU_SCOPE_GPU));
}
