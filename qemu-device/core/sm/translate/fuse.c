/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instructions make a segment with loads. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/warp.h"
#include "core/sm/translate/fuse.h"
#include "core/sm/translate/segment.h"

#define FUSED_PREDS	3	/* predicates that it may write; its frame has room for PPU_SEG_PREDS */

/* A sum in shared memory of which nobody reads the old value.  RZ as the destination is a row that no source names. */
static bool adds(const struct ppu_program *prog, const struct ppu_dinsn *di)
{
	return !di->fn && di->handler == PPU_H_atom && di->always && di->m == PPU_SPACE_SHARED && di->u == PPU_ATOM_ADD &&
	       (di->t == PPU_T_U32 || di->t == PPU_T_S32) && di->d >= PPU_ROW_SINK(prog->nregs);
}

bool ppu_fuse_fixed_early(const struct ppu_fuse_group *g, uint32_t nregs)
{
	return !PPU_SPACE_IS_64(g->space) && g->row == PPU_ROW_ZERO(nregs) && g->bytes >= 4 &&
	       (uint32_t)g->imm + (uint64_t)g->span + g->bytes <= PPU_FUSE_SPAN && g->imm % g->bytes == 0;
}

/* Bytes of each lane of a load or store that can be part of a segment, or 0. */
static unsigned bytes_of(const struct ppu_dinsn *di)
{
	if (di->fn || (di->handler != PPU_H_ld && di->handler != PPU_H_st) || !di->always)
		return 0;
	switch (di->m) {
	case PPU_SPACE_GENERIC: case PPU_SPACE_GLOBAL: case PPU_SPACE_SHARED:
		break;
	case PPU_SPACE_CONST: case PPU_SPACE_PARAM:
		if (di->handler == PPU_H_ld)
			break;
		return 0;
	default:
		return 0;
	}
	switch (di->t) {
	case PPU_T_U8: case PPU_T_S8:
		return di->x <= 2 ? 1u << di->x : 0;
	case PPU_T_U16: case PPU_T_S16:
		return di->x <= 2 ? 2u << di->x : 0;
	case PPU_T_U32: case PPU_T_S32:
		return di->x <= 2 ? 4u << di->x : 0;
	case PPU_T_U64: case PPU_T_S64:
		return di->x <= 1 ? 8u << di->x : 0;
	case PPU_T_B128:
		return di->x ? 0 : 16;
	default:
		return 0;
	}
}

/* What an address in a row begins with: the start of an array, if an offset was added in the segment. */
static uint16_t base_of(const struct ppu_fuse *f, const struct ppu_program *prog, uint16_t row)
{
	for (uint32_t i = f->n; i-- > 0;) {
		const struct ppu_dinsn *di = &prog->code[f->list[i]];

		if (di->d != row || !di->fn)
			continue;
		if (di->op == PPU_OP_MADW && !di->ci)
			return di->c;
		return di->op == PPU_OP_ADD && di->a != row ? di->a : row;
	}
	return row;
}

/* The group that the load or store joins, or a new one; -1: there are too many. */
static int join(struct ppu_fuse *f, const struct ppu_dinsn *di, unsigned bytes)
{
	struct ppu_fuse_group *g;
	bool write = di->handler != PPU_H_ld;
	unsigned i;

	for (i = 0; i < f->groups; i++) {
		int64_t away;
		uint64_t span;

		g = &f->g[i];
		away = (int64_t)(di->imm64 - g->imm);
		if (!g->open || g->row != di->a || g->space != di->m || g->bytes != bytes || g->write != write ||
		    away % bytes ||
		    away > PPU_FUSE_SPAN || away < -PPU_FUSE_SPAN)
			continue;
		span = away < 0 ? g->span + (uint64_t)-away : (uint64_t)away > g->span ? (uint64_t)away : g->span;
		if (span > PPU_FUSE_SPAN)
			continue;
		g->span = (uint32_t)span;
		if (away < 0)
			g->imm = di->imm64;
		g->loads++;
		return (int)i;
	}
	if (f->groups == PPU_FUSE_GROUPS || (write && f->places == PPU_FUSE_STORES))
		return -1;
	g = &f->g[f->groups];
	*g = (struct ppu_fuse_group){ .row = di->a, .space = di->m, .bytes = (uint8_t)bytes, .loads = 1, .open = true,
				      .imm = di->imm64, .write = write, .place = (uint8_t)f->places };
	f->places += write;
	return (int)f->groups++;
}

/* Adds the rows that an instruction writes.  False: too many old values count. */
static bool wrote(struct ppu_fuse *f, const struct ppu_program *prog, uint32_t pc, const struct ppu_live *before)
{
	const struct ppu_dinsn *di = &prog->code[pc];
	struct ppu_live reads, writes;
	unsigned row, i;

	ppu_flow_effects(prog, pc, &reads, &writes);
	/* Under a guard nothing is written for certain, but it may be. */
	for (row = di->d; !di->always && row < di->d + 2u && row < prog->nregs; row++)
		writes.reg[row / 64] |= 1ull << row % 64;
	for (row = 0; row < prog->nregs; row++) {
		if (!ppu_live_reg(&writes, row))
			continue;
		for (i = 0; i < f->groups; i++)
			if (row == f->g[i].row || (PPU_SPACE_IS_64(f->g[i].space) && row == f->g[i].row + 1u))
				f->g[i].open = false;
		if (!ppu_live_reg(before, row))
			continue;
		for (i = 0; i < f->undos && f->undo[i] != row; i++)
			;
		if (i == PPU_FUSE_UNDO)
			return false;
		f->undo[i] = (uint16_t)row;
		if (i == f->undos)
			f->undos++;
	}
	return true;
}

/* Might a load read what a store of the segment keeps?  In a segment generic addresses are those of global memory. */
static bool reads_stored(const struct ppu_fuse *f, const struct ppu_dinsn *di)
{
	return PPU_SPACE_IS_64(di->m) ? f->stored_global : di->m == PPU_SPACE_SHARED && f->stored_shared;
}

/* Loads and stores, except for what they write. */
static bool extend_memory(struct ppu_fuse *f, const struct ppu_dinsn *di, unsigned bytes, int *group)
{
	bool global = PPU_SPACE_IS_64(di->m);

	if (di->handler == PPU_H_ld) {
		*group = reads_stored(f, di) ? -1 : join(f, di, bytes);
		f->reads += global;
		return *group >= 0;
	}
	if (f->stores == PPU_FUSE_STORES || f->kept + (bytes + 3) / 4 > PPU_FUSE_KEPT)
		return false;
	*group = join(f, di, bytes);
	if (*group < 0)
		return false;
	f->store[f->stores++] = (struct ppu_fuse_store){ .group = (uint8_t)*group, .row = (uint8_t)f->kept,
							.add = di->handler == PPU_H_atom, .imm = di->imm64 };
	f->kept += (bytes + 3) / 4;
	f->writes += global;
	f->adds += di->handler == PPU_H_atom;
	f->stored_global |= global;
	f->stored_shared |= !global;
	return true;
}

bool ppu_fuse_extend(struct ppu_fuse *f, const struct ppu_program *prog, uint32_t pc, const struct ppu_live *before)
{
	const struct ppu_dinsn *di = &prog->code[pc];
	unsigned bytes = adds(prog, di) ? 4 : bytes_of(di);
	int group = -1;

	if (f->n == PPU_FUSE_MAX)
		return false;
	if (bytes) {
		if (!extend_memory(f, di, bytes, &group))
			return false;
		f->g[group].base = base_of(f, prog, di->a);
	} else if (!ppu_seg_extends(prog->code, f->list, f->n, pc, FUSED_PREDS)) {
		return false;
	}
	if (!wrote(f, prog, pc, before))
		return false;
	f->guards |= !di->always;
	f->group[f->n] = (int8_t)group;
	f->list[f->n++] = pc;
	return true;
}

bool ppu_fuse_plan(const struct ppu_program *prog, uint32_t pc, struct ppu_fuse *f)
{
	struct ppu_live before;
	uint32_t first = pc;

	memset(f, 0, sizeof(*f));
	ppu_flow_live(prog, pc, &before);
	for (; pc < prog->n && (pc == first || !prog->code[pc].turn); pc++) {
		struct ppu_fuse was = *f;

		if (!ppu_fuse_extend(f, prog, pc, &before)) {
			*f = was;
			break;
		}
	}
	f->next = pc;
	ppu_fuse_finish(prog, f);
	return f->groups;
}
#endif
