/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loads through a loaded index will load next. */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_mem.h"

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
		    bytes <= 7ull * g->bytes && bytes % g->bytes == 0)
			return (unsigned)bytes;
	}
	return 0;
}

/* Of loads of words that share an address with others: those that are the indices of elements. */
static void find_scattered(struct ppu_seg *s, const struct ppu_program *prog, uint32_t begin, uint32_t end)
{
	for (uint32_t i = 0; i < s->n && s->scatters < PPU_SCATTERS; i++) {
		const struct ppu_fuse_group *g = s->fuse->group[i] < 0 ? NULL : &s->fuse->g[s->fuse->group[i]], *f;
		struct ppu_scatter *x = &s->scatter[s->scatters];
		uint32_t from;

		if (!g || !g->indexed || !loads_words(s, i))
			continue;
		from = source(s, i, g->index);
		if (from == s->n || s->fuse->group[from] < 0)
			continue;
		f = &s->fuse->g[s->fuse->group[from]];
		if (f->write || !global(f) || f->bytes != 4 || f->loads == 1)
			continue;
		x->step = (int32_t)step_of(prog, f, begin, end);
		if (!x->step)
			continue;
		x->from = (uint8_t)s->fuse->group[from];
		x->to = (uint8_t)s->fuse->group[i];
		x->imm = insn(s, from)->imm64;
		x->at = s->e->elements++ % PPU_ELEMENTS;
		s->scatters++;
	}
}

static struct ppu_opn array_of(const struct ppu_scatter *x)
{
	return M(R15, (int32_t)(offsetof(struct ppu_sm, elements) + 8ull * x->at), 8);
}

void ppu_chase_array(struct ppu_seg *s, unsigned gi)
{
	for (unsigned i = 0; i < s->scatters; i++)
		if (s->scatter[i].to == gi)
			EM(s->e, MOV, array_of(&s->scatter[i]), Q(RDX));
}

void ppu_chase_scattered(struct ppu_seg *s, unsigned gi, uint64_t imm, int offsets)
{
	const int off = PPU_SEG_STUBS, y = PPU_SEG_STUBS + 1;
	const struct ppu_scatter *x = s->scatter;
	struct ppu_emit *e = s->e;
	uint32_t none;

	while (x < s->scatter + s->scatters && (x->from != gi || x->imm != imm))
		x++;
	if (x == s->scatter + s->scatters || !e->evex)
		return;
	none = ppu_emit_label(e);
	/* In the same page, or in the first of a span. */
	EM(e, VPADDD, Y(off), Y(offsets), ppu_seg_const(s, (uint32_t)x->step + (uint32_t)(imm - s->fuse->g[gi].imm)));
	ppu_mem_no_bits(e, off, ppu_seg_const(s, ~0xffcu), none);
	EM(e, MOV, Q(RDX), SLOT_FAR(gi));
	ppu_mem_gather(e, y, RDX, off, PPU_SEG_SCRATCH);
	EM(e, VPSLLD, Y(y), Y(y), IM(2));
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_VEC), Y(y));
	EM(e, MOV, Q(RCX), array_of(x));
	for (unsigned i = 0; i < s->lanes; i++) {
		EM(e, MOV, D(RAX), M(RSP, PPU_AT_WORDS + 4 * (int32_t)i, 4));
		EM(e, PREFETCHT0, ((struct ppu_opn){ PPU_O_SUM, RCX, 1, RAX }));
	}
	ppu_emit_bind(e, none);
}

void ppu_chase_begin(struct ppu_seg *s, const struct ppu_program *prog)
{
	uint32_t begin, end;

	if (!ppu_chase_loop(s, prog, &begin, &end))
		return;
	find_scattered(s, prog, begin, end);
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
