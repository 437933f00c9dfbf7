/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loads through a loaded index will load next. */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/select_chase.h"
#include "core/sm/translate/select_mem.h"

#define LOOK_AROUND	256	/* instructions: where the loop may begin and end */

static const struct ppu_dinsn *insn(const struct ppu_seg *s, uint32_t i)
{
	return &s->code[s->list[i]];
}

/* Is it the only load of words from global memory with its address? */
static bool loads_words(const struct ppu_seg *s, uint32_t i)
{
	const struct ppu_fuse_group *g;

	if (s->fuse->group[i] < 0)
		return false;
	g = &s->fuse->g[s->fuse->group[i]];
	return !g->write && global(g) && g->bytes == 4 && g->loads == 1;
}

/* The instruction before i that writes the row as its first one, without a guard; or n. */
static uint32_t source(const struct ppu_seg *s, uint32_t i, unsigned row)
{
	while (i-- > 0)
		if (insn(s, i)->d == row)
			return insn(s, i)->always ? i : s->n;
	return s->n;
}

/* The row with the index of an element, times the size of it added to something.  False: the address is made in another way. */
static bool index_row(const struct ppu_seg *s, uint32_t i, unsigned *row, uint32_t *at)
{
	const struct ppu_fuse_group *g = &s->fuse->g[s->fuse->group[i]];
	const struct ppu_dinsn *di;

	if (g->indexed) {
		*row = g->index;
		*at = i;
		return true;
	}
	*at = source(s, i, g->row);
	di = *at < s->n ? insn(s, *at) : NULL;
	if (!di || !di->fn || di->op != PPU_OP_MADW || !di->bi || di->ci || di->imm != g->bytes)
		return false;
	*row = di->a;
	return true;
}

bool ppu_chase_loop(const struct ppu_seg *s, const struct ppu_program *prog, uint32_t *begin, uint32_t *end)
{
	const uint32_t first = s->list[0], last = s->list[s->n - 1];

	for (uint32_t pc = last; pc < prog->n && pc - last < LOOK_AROUND; pc++) {
		const struct ppu_dinsn *di = &prog->code[pc];

		if (di->fn || di->handler != PPU_H_bra || di->imm > first || first - di->imm >= LOOK_AROUND)
			continue;
		*begin = di->imm;
		*end = pc;
		return true;
	}
	return false;
}

/* What the loop adds to the address of a load, if that is a few words, or 0. */
static unsigned step_of(const struct ppu_program *prog, const struct ppu_fuse_group *g, uint32_t begin, uint32_t end)
{
	const unsigned row = g->indexed ? g->index : g->row;

	for (uint32_t pc = begin; pc <= end; pc++) {
		const struct ppu_dinsn *di = &prog->code[pc];
		uint64_t bytes = g->indexed ? (uint64_t)di->imm * g->bytes : di->imm64;

		if (di->fn && di->op == PPU_OP_ADD && di->d == row && di->a == row && di->bi && bytes > 0 &&
		    bytes <= 7 * g->bytes && bytes % g->bytes == 0)
			return (unsigned)bytes;
	}
	return 0;
}

void ppu_chase_begin(struct ppu_seg *s, const struct ppu_program *prog)
{
	uint32_t begin, end;

	if (!ppu_chase_loop(s, prog, &begin, &end))
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t from, at;
		unsigned row;

		if (!loads_words(s, i) || !index_row(s, i, &row, &at))
			continue;
		from = source(s, at, row);
		if (from == s->n || !loads_words(s, from))
			continue;
		s->chase.step = (int32_t)step_of(prog, &s->fuse->g[s->fuse->group[from]], begin, end);
		if (!s->chase.step)
			continue;
		s->chase.from = from;
		s->chase.to = i;
		/* Until there is one, something that may be read. */
		EM(s->e, MOV, M(RSP, PPU_AT_CHASED, 8), Q(RSP));
		return;
	}
}

void ppu_chase(struct ppu_seg *s)
{
	struct ppu_emit *e = s->e;

	if (!s->chase.step)
		return;
	if (s->at == s->chase.from)
		EM(e, MOV, M(RSP, PPU_AT_CHASED, 8), Q(RAX));
	if (s->at != s->chase.to)
		return;
	EM(e, MOV, Q(RCX), M(RSP, PPU_AT_CHASED, 8));
	EM(e, MOV, D(RDX), M(RCX, s->chase.step, 4));
	EM(e, PREFETCHT0, M(RCX, 64, 1));
	EM(e, MOV, D(RCX), M(RCX, 0, 4));
	EM(e, SUB, Q(RDX), Q(RCX));
	EM(e, SHL, Q(RDX), IM(2));
	EM(e, ADD, Q(RAX), Q(RDX));
	EM(e, PREFETCHT0, M(RAX, 0, 1));
}
#endif
