/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies, which are made at once, and the objects that tell when copies are complete.
 *
 * cp.async: groups are complete when they are committed, so waiting for them needs no code.  mbarrier objects
 * are calls of the device-side library (libruntime/compiler/devlib/async.cu).  Bulk copies: px_low_bulk.c.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_async.h"
#include "compiler/ptx/lower/px_low_call.h"

/* ---- mbarrier ---- */

struct px_opn px_reg_opn(const struct px_inst *in, px_val v, unsigned type)
{
	return (struct px_opn){ .kind = OP_REG, .type = (uint8_t)type, .v = v, .loc = in->loc };
}

struct px_opn px_word_opn(struct px_module *m, const struct px_inst *in, unsigned k)
{
	return px_reg_opn(in, px_force_reg(m, px_src(m, in, k, PT_B32), 1), PT_B32);
}

struct px_opn px_const_opn(const struct px_inst *in, uint32_t v)
{
	return (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .imm = v, .loc = in->loc };
}

static void move(struct px_module *m, px_val d, struct px_opnd s, unsigned t)
{
	struct px_insn *i = px_temp(m, PPU_OP_MOV, t);

	i->s[1] = s;
	i->d = d;
}

bool px_generic_opn(struct px_module *m, const struct px_inst *in, const struct px_opn *o, bool shared, struct px_opn *out)
{
	struct px_opn plain = *o;
	struct px_insn *i;
	px_val v, lo;

	if (o->kind != OP_ADDR || (o->has_base && px_type_bits(o->type) != 32 && px_type_bits(o->type) != 64)) {
		px_error(m->px, o->loc, "an address in [ ] was expected here");
		return false;
	}
	if (o->sym && (o->sym->kind != SY_VAR || o->sym->var->space != (shared ? SP_SHARED : SP_GLOBAL))) {
		px_error(m->px, o->loc, "'%s' is not in the state space that the instruction names", o->sym->name->s);
		return false;
	}
	if (!shared) {
		plain.kind = o->sym ? OP_SYM : o->has_base ? OP_REG : OP_IMM;
		v = px_force_reg(m, o->sym ? px_sym_addr(m, &plain, 2) : px_src_opn(m, &plain, PT_B64), 2);
		if (o->has_base && o->imm)
			v = px_binary(m, PPU_OP_ADD, PPU_T_U64, v, px_reg(px_force_reg(m, px_imm(o->imm), 2)));
		*out = px_reg_opn(in, v, PT_B64);
		return true;
	}
	if (o->sym)
		lo = px_force_reg(m, px_sym_addr(m, &plain, 1), 1);
	else if (o->has_base)
		lo = px_force_reg(m, px_sub(o->v, 0), 1);
	else
		lo = px_force_reg(m, px_imm((uint32_t)o->imm), 1);
	if (o->has_base && o->imm)
		lo = px_binary(m, PPU_OP_ADD, PPU_T_U32, lo, px_imm((uint32_t)o->imm));
	i = px_temp(m, PPU_OP_CVTA, PPU_T_NONE);
	i->m = PPU_SPACE_SHARED;
	i->s[0] = px_reg(lo);
	i->d = px_tmp(m, 2);
	*out = px_reg_opn(in, i->d, PT_B64);
	return true;
}

bool px_names_shared(const struct px_inst *in)
{
	return px_has(in, PM_shared) || px_has(in, PM_shared_cta) || px_has(in, PM_shared_cluster);
}

void px_arrive(struct px_module *m, const struct px_inst *in, struct px_opn object, struct px_opn count, struct px_opn drop,
	       struct px_opn tx, const struct px_opn *state)
{
	struct px_opn args[4] = { object, count, drop, tx };
	px_val result;

	px_call_library(m, in, "__ppu_mbarrier_arrive", args, 4, &result, 0);
	if (state && state->kind != OP_SINK)
		move(m, px_dst_opn(m, state, PT_B64), px_reg(result), PPU_T_U64);
}

struct px_opn px_negated(struct px_module *m, const struct px_inst *in, struct px_opn v)
{
	px_val zero = px_force_reg(m, px_imm(0), 1);

	return px_reg_opn(in, px_binary(m, PPU_OP_SUB, PPU_T_U32, zero, px_reg(v.v)), PT_B32);
}

/* mbarrier.arrive state, [a] {, count}; with .expect_tx the last operand is a number of bytes. */
static void mbarrier_arrive(struct px_module *m, const struct px_inst *in)
{
	bool expect = px_has(in, PM_expect_tx), drop = px_has(in, PM_arrive_drop);
	unsigned first = in->o[0].kind == OP_ADDR ? 0 : 1;
	struct px_opn a, count = px_const_opn(in, 1), tx = px_const_opn(in, 0);

	if (in->n < first + 1u + expect || in->n > first + 2u || !px_generic_opn(m, in, &in->o[first], px_names_shared(in), &a)) {
		px_error(m->px, in->loc, "'mbarrier.arrive' has the form mbarrier.arrive.shared.b64 state, [object], count");
		return;
	}
	if (in->n == first + 2)
		*(expect ? &tx : &count) = px_word_opn(m, in, first + 1);
	px_arrive(m, in, a, count, drop ? count : px_const_opn(in, 0), tx, first ? &in->o[0] : NULL);
}

/* mbarrier.test_wait p, [a], state; with .parity the last operand is the parity of the phase. */
static void mbarrier_wait(struct px_module *m, const struct px_inst *in)
{
	bool parity = px_has(in, PM_parity);
	struct px_opn args[2];
	struct px_insn *i;
	px_val result;

	if (in->n < 3 || in->n > 4 || !px_generic_opn(m, in, &in->o[1], px_names_shared(in), &args[0])) {
		px_error(m->px, in->loc, "'mbarrier.test_wait' has the form mbarrier.test_wait.shared.b64 p, [object], state");
		return;
	}
	if (parity) {
		args[1] = px_word_opn(m, in, 2);
	} else {	/* the phase is the state's highest bit */
		px_val state = px_force_reg(m, px_src(m, in, 2, PT_B64), 2), hi;

		i = px_temp(m, PPU_OP_SHR, PPU_T_U32);
		i->s[0] = px_sub(state, 1);
		i->s[1] = px_imm(31);
		i->d = hi = px_tmp(m, 1);
		args[1] = px_reg_opn(in, hi, PT_B32);
	}
	px_call_library(m, in, "__ppu_mbarrier_test", args, 2, &result, 0);
	i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_NE;
	i->s[0] = px_sub(result, 0);
	i->s[1] = px_imm(0);
	i->pd = px_pred_dst(m, &in->o[0]);
}

/* mbarrier.pending_count d, state */
static void pending_count(struct px_module *m, const struct px_inst *in)
{
	px_val state = px_force_reg(m, px_src(m, in, 1, PT_B64), 2);
	struct px_insn *i = px_emit(m, in, PPU_OP_AND, PPU_T_U32);

	i->s[0] = px_sub(state, 0);
	i->s[1] = px_imm(0xfffff);
	i->d = px_dst(m, in, 0, PT_B32);
}

static void mbarrier(struct px_module *m, const struct px_inst *in)
{
	struct px_opn a, args[2], none = px_const_opn(in, 0);
	px_val result;

	if (px_has(in, PM_arrive) || px_has(in, PM_arrive_drop)) {
		mbarrier_arrive(m, in);
		return;
	}
	if (px_has(in, PM_test_wait) || px_has(in, PM_try_wait)) {
		mbarrier_wait(m, in);
		return;
	}
	if (px_has(in, PM_pending_count)) {
		pending_count(m, in);
		return;
	}
	if (!px_generic_opn(m, in, &in->o[0], px_names_shared(in), &a) || px_has(in, PM_inval))
		return;
	if (in->n != 2) {
		px_error(m->px, in->loc, "'mbarrier' of this form takes [object] and a number");
	} else if (px_has(in, PM_init)) {
		args[0] = a;
		args[1] = px_word_opn(m, in, 1);
		px_call_library(m, in, "__ppu_mbarrier_init", args, 2, &result, 0);
	} else if (px_has(in, PM_expect_tx)) {
		px_arrive(m, in, a, none, none, px_word_opn(m, in, 1), NULL);
	} else if (px_has(in, PM_complete_tx)) {
		px_arrive(m, in, a, none, none, px_negated(m, in, px_word_opn(m, in, 1)), NULL);
	} else {
		px_error(m->px, in->loc, "'mbarrier' needs an operation, such as .init or .arrive");
	}
}

void px_low_mbarrier(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after = px_begin_guard(m, &plain);

	mbarrier(m, &plain);
	px_end_guard(m, after);
}

static void without(struct px_inst *in, unsigned mod)
{
	in->mods[mod / 64] &= ~(1ull << (mod % 64));
}

void px_low_async(struct px_module *m, const struct px_inst *in, px_lower_fn *plain)
{
	struct px_inst now = *in;
	struct px_block *after;
	struct px_opn object;
	unsigned bytes = px_type_bits(in->types[0]) / 8;

	if (!px_has(in, PM_async) && !px_has(in, PM_mbar_complete)) {
		px_error(m->px, in->loc, "'%s' takes 2 operands, this one has %u", in->name->s, in->n);
		return;
	}
	if (in->n != 3 || !px_has(in, PM_async) || !px_has(in, PM_mbar_complete)) {
		px_error(m->px, in->loc, "'%s' with an mbarrier has the form %s.async.shared::cluster.mbarrier::complete_tx::bytes "
			 "[address], value, [object]", in->name->s, in->name->s);
		return;
	}
	if (in->o[1].kind == OP_VEC)
		bytes *= in->o[1].nvec;
	after = px_begin_guard(m, &now);
	now.n = 2;
	without(&now, PM_async);
	without(&now, PM_mbar_complete);
	if (!px_has(&now, PM_shared_cluster))	/* they are nowhere else */
		now.mods[PM_shared_cluster / 64] |= 1ull << (PM_shared_cluster % 64);
	plain(m, &now);
	if (px_generic_opn(m, in, &in->o[2], true, &object))
		px_arrive(m, &now, object, px_const_opn(in, 0), px_const_opn(in, 0), px_const_opn(in, -bytes), NULL);
	px_end_guard(m, after);
}

/* The copies are complete already.  Without .noinc the instruction adds one to the pending arrivals and then takes it
 * away again: nothing is left to do. */
static void copies_arrive(struct px_module *m, const struct px_inst *in)
{
	struct px_opn a, none = px_const_opn(in, 0);

	if (in->n != 1 || !px_generic_opn(m, in, &in->o[0], px_names_shared(in), &a))
		px_error(m->px, in->loc, "'cp.async.mbarrier.arrive' takes [object]");
	else if (px_has(in, PM_noinc))
		px_arrive(m, in, a, px_const_opn(in, 1), none, none, NULL);
}

/* ---- cp.async ---- */

#define MAX_WORDS	4u	/* 16 bytes */

/* ld or st of one word or a vector of 2 or 4. */
static void access(struct px_module *m, const struct px_inst *in, const struct px_opn *address, bool load,
		   unsigned space, const px_val *v, unsigned n, int64_t offset)
{
	struct px_inst mem = { .name = in->name, .loc = in->loc, .n = 2, .num_types = 1, .types = { PT_B32 },
			       .guard = in->guard };
	struct px_opn *e = px_alloc(&m->px->arena, n * sizeof(*e));
	unsigned k;

	for (k = 0; k < n; k++)
		e[k] = (struct px_opn){ .kind = OP_REG, .type = PT_B32, .v = v[k], .loc = in->loc };
	mem.mods[space / 64] |= 1ull << (space % 64);
	if (n > 1)
		mem.mods[(n == 4 ? PM_v4 : PM_v2) / 64] |= 1ull << ((n == 4 ? PM_v4 : PM_v2) % 64);
	mem.o[load] = *address;
	mem.o[load].imm = px_add(address->imm, offset);
	mem.o[!load] = n == 1 ? e[0] : (struct px_opn){ .kind = OP_VEC, .vec = e, .nvec = n, .loc = in->loc };
	(load ? px_low_ld : px_low_st)(m, &mem);
}

/* Reads only the first `size` bytes; the rest is zero.  Word k is read if one of these bytes is in it, and its other
 * bytes are cleared. */
static void partial(struct px_module *m, const struct px_inst *in, px_val size, px_val *v, unsigned words)
{
	struct px_inst guarded = *in;
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < words; k++) {
		px_val left, word = v[k];

		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->s[1] = px_imm(0);
		i->d = word;
		i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
		i->m = PPU_CMP_GT;
		i->s[0] = px_reg(size);
		i->s[1] = px_imm(4 * k);
		i->pd = guarded.guard.v = px_tmp(m, 0);
		guarded.guard.neg = false;
		access(m, &guarded, &in->o[1], true, PM_global, &word, 1, 4 * k);
		left = k ? px_binary(m, PPU_OP_SUB, PPU_T_U32, size, px_imm(4 * k)) : size;
		left = px_binary(m, PPU_OP_MIN, PPU_T_U32, left, px_imm(4));
		left = px_binary(m, PPU_OP_SHL, PPU_T_U32, left, px_imm(11));	/* bits, as the length of a field */
		v[k] = px_binary(m, PPU_OP_BFE, PPU_T_U32, word, px_reg(left));
		i = px_temp(m, PPU_OP_SEL, PPU_T_U32);	/* for words past the end, `left` is wrong: it wrapped around */
		i->s[0] = px_reg(v[k]);
		i->s[1] = px_imm(0);
		i->ps.v = guarded.guard.v;
		i->d = v[k] = px_tmp(m, 1);
	}
}

/* Operand 3: how many bytes are read, or a predicate: read none. */
static px_val source_bytes(struct px_module *m, const struct px_inst *in, int64_t bytes)
{
	struct px_insn *i;
	px_val none;

	if (in->o[3].kind != OP_REG || in->o[3].type != PT_PRED)
		return px_force_reg(m, px_src(m, in, 3, PT_U32), 1);
	none = px_force_reg(m, px_imm(0), 1);
	i = px_temp(m, PPU_OP_SEL, PPU_T_U32);
	i->s[0] = px_reg(none);
	i->s[1] = px_imm(bytes);
	i->ps = px_pred_src(m, &in->o[3]);
	i->d = px_tmp(m, 1);
	return i->d;
}

static void copy(struct px_module *m, struct px_inst *in)
{
	int64_t bytes = in->n >= 3 && in->o[2].kind == OP_IMM ? in->o[2].imm : 0;
	unsigned words = (unsigned)(bytes / 4), k;
	px_val v[MAX_WORDS];

	if ((bytes != 4 && bytes != 8 && bytes != 16) || in->n > 4 || !px_has(in, PM_global) ||
	    (!px_has(in, PM_shared) && !px_has(in, PM_shared_cta)) || in->o[0].kind != OP_ADDR || in->o[1].kind != OP_ADDR) {
		px_error(m->px, in->loc, "'cp.async' copies 4, 8 or 16 bytes: cp.async.ca.shared.global [to], [from], bytes");
		return;
	}
	for (k = 0; k < words; k++)
		v[k] = px_tmp(m, 1);
	if (in->n == 4)
		partial(m, in, source_bytes(m, in, bytes), v, words);
	else
		access(m, in, &in->o[1], true, PM_global, v, words, 0);
	access(m, in, &in->o[0], false, PM_shared, v, words, 0);
}

void px_low_cp(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after;

	if (px_has(in, PM_bulk) || px_has(in, PM_mbarrier) || px_has(in, PM_tensor) || px_has(in, PM_reduce)) {
		after = px_begin_guard(m, &plain);
		(px_has(in, PM_mbarrier) ? copies_arrive : px_low_bulk)(m, &plain);
		px_end_guard(m, after);
		return;
	}
	if (px_has(in, PM_commit_group) || px_has(in, PM_wait_all) || px_has(in, PM_wait_group)) {
		if (in->n != px_has(in, PM_wait_group))
			px_error(m->px, in->loc, "'cp.async.wait_group' takes the number of groups, the others nothing");
		return;
	}
	if (!px_has(in, PM_async) || in->num_types) {
		px_error(m->px, in->loc, "'cp' is supported as cp.async only, with a type if it reduces");
		return;
	}
	after = px_begin_guard(m, &plain);
	copy(m, &plain);
	px_end_guard(m, after);
}

void px_low_fns(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after = px_begin_guard(m, &plain);
	struct px_opn args[3] = { px_word_opn(m, in, 1), px_word_opn(m, in, 2), px_word_opn(m, in, 3) };
	px_val result;

	px_call_library(m, &plain, "__ppu_fns", args, 3, &result, 0);
	move(m, px_dst(m, in, 0, PT_B32), px_sub(result, 0), PPU_T_U32);
	px_end_guard(m, after);
}
