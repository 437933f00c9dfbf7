/* SPDX-License-Identifier: MIT */
/*
 * cp.async: copies from global to shared memory, done at once.  Groups are complete when they are
 * committed, so waiting for them is nothing.
 */
#include "compiler/ptx/lower/lower.h"

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
	mem.o[load].imm += offset;
	mem.o[!load] = n == 1 ? e[0] : (struct px_opn){ .kind = OP_VEC, .vec = e, .nvec = n, .loc = in->loc };
	(load ? px_low_ld : px_low_st)(m, &mem);
}

/* The first `size` bytes only, then zeros: word k is read when it has one, and its rest cleared. */
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
		i = px_temp(m, PPU_OP_SEL, PPU_T_U32);	/* past the end left wraps round */
		i->s[0] = px_reg(v[k]);
		i->s[1] = px_imm(0);
		i->ps.v = guarded.guard.v;
		i->d = v[k] = px_tmp(m, 1);
	}
}

static void copy(struct px_module *m, struct px_inst *in)
{
	int64_t bytes = in->n >= 3 && in->o[2].kind == OP_IMM ? in->o[2].imm : 0;
	unsigned words = (unsigned)(bytes / 4), k;
	px_val v[MAX_WORDS];

	if ((bytes != 4 && bytes != 8 && bytes != 16) || in->n > 4 || !px_has(in, PM_global) ||
	    (!px_has(in, PM_shared) && !px_has(in, PM_shared_cta)) || in->o[0].kind != OP_ADDR || in->o[1].kind != OP_ADDR) {
		px_error(m->px, in->loc, "'cp.async' copies 4, 8 or 16 bytes: cp.async.ca.shared.global [to], [from], bytes; bulk and tensor copies are not supported");
		return;
	}
	for (k = 0; k < words; k++)
		v[k] = px_tmp(m, 1);
	if (in->n == 4 && in->o[3].kind == OP_REG && in->o[3].type == PT_PRED) {
		px_error(m->px, in->o[3].loc, "'cp.async' with an ignore-src predicate is not supported; use src-size");
		return;
	}
	if (in->n == 4)
		partial(m, in, px_force_reg(m, px_src(m, in, 3, PT_U32), 1), v, words);
	else
		access(m, in, &in->o[1], true, PM_global, v, words, 0);
	access(m, in, &in->o[0], false, PM_shared, v, words, 0);
}

void px_low_cp(struct px_module *m, const struct px_inst *in)
{
	struct px_inst plain = *in;
	struct px_block *after;

	if (px_has(in, PM_bulk) || px_has(in, PM_mbarrier)) {
		after = px_begin_guard(m, &plain);
		px_low_bulk(m, &plain);
		px_end_guard(m, after);
		return;
	}
	if (px_has(in, PM_commit_group) || px_has(in, PM_wait_all) || px_has(in, PM_wait_group)) {
		if (in->n != px_has(in, PM_wait_group))
			px_error(m->px, in->loc, "'cp.async.wait_group' takes the number of groups, the others nothing");
		return;
	}
	if (!px_has(in, PM_async)) {
		px_error(m->px, in->loc, "'cp' is supported as cp.async only");
		return;
	}
	after = px_begin_guard(m, &plain);
	copy(m, &plain);
	px_end_guard(m, after);
}
