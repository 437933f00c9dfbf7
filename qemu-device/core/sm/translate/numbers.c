/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of 64 bits in a segment. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/exec/exec_scalar.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/numbers.h"

/* For VSHUFPS of both halves: the low words, or the high ones. */
static const int words_of[2] = { 0x88, 0xdd };

struct ppu_opn ppu_number_const(struct ppu_seg *s, uint64_t v)
{
	return M(R13, ppu_emit_splat64(s->e, v), PPU_VEC);
}

static struct ppu_pair *find(struct ppu_seg *s, unsigned row)
{
	for (unsigned i = 0; i < PPU_SEG_PAIRS; i++)
		if (s->pair[i].used && s->pair[i].row == row)
			return &s->pair[i];
	return NULL;
}

/* Its registers are free, those of an operand at the end of the instruction. */
static void forget(struct ppu_seg *s, struct ppu_pair *p)
{
	p->used = false;
	for (unsigned i = 0; i < 2 && !p->constant; i++)
		s->y[p->half[i]].kind = s->y[p->half[i]].lock ? PPU_Y_TEMP : PPU_Y_FREE;
}

static void lock(struct ppu_seg *s, const struct ppu_pair *p)
{
	for (unsigned i = 0; i < 2 && !p->constant; i++)
		s->y[p->half[i]].lock = 1;
}

static void canonical(struct ppu_seg *s, struct ppu_pair *p)
{
	for (unsigned i = 0; i < 2 && p->nan; i++)
		ppu_lanes_canonical_f64(s, p->half[i], ppu_number_const(s, PPU_F64_NAN));
	p->nan = false;
}

/* y = the low or the high word of each of a pair's numbers. */
static void word(struct ppu_seg *s, struct ppu_pair *p, bool high, int y)
{
	if (p->constant) {
		EM(s->e, VMOVDQA, Y(y), ppu_seg_const(s, (uint32_t)(high ? p->value >> 32 : p->value)));
		return;
	}
	canonical(s, p);
	EM(s->e, VSHUFPS, Y(y), Y(p->half[0]), Y(p->half[1]), IM(words_of[high]));
}

static void to_rows(struct ppu_seg *s, struct ppu_pair *p)
{
	const bool operand = !p->constant && s->y[p->half[0]].lock;

	if (!s->e->evex && !p->constant && !operand) {		/* there may be no register left for words */
		ppu_numbers_leave(s, (unsigned)(p - s->pair));
		return;
	}
	lock(s, p);
	for (unsigned i = 0; i < 2; i++) {
		int y = ppu_seg_temp(s);

		word(s, p, i, y);
		ppu_seg_have_row(s, p->row + i, y, false);
		if (p->constant)
			ppu_seg_unlock(s, p->row + i);
	}
	p->dirty = false;
	for (unsigned i = 0; i < 2 && !p->constant; i++) {
		ppu_seg_unlock(s, p->row + i);
		s->y[p->half[i]].lock = operand;
	}
}

void ppu_numbers_read(struct ppu_seg *s, unsigned row)
{
	for (unsigned i = 0; i < PPU_SEG_PAIRS; i++)
		if (s->pair[i].used && s->pair[i].dirty && row - s->pair[i].row < 2)
			to_rows(s, &s->pair[i]);
}

void ppu_numbers_written(struct ppu_seg *s, unsigned row)
{
	for (unsigned i = 0; i < PPU_SEG_PAIRS; i++) {
		struct ppu_pair *p = &s->pair[i];
		bool high = row == p->row;		/* which one stays */

		if (!p->used || row - p->row >= 2)
			continue;
		if (p->dirty) {
			int y = p->constant ? ppu_seg_temp(s) : p->half[0];

			word(s, p, high, y);
			forget(s, p);
			ppu_seg_have_row(s, p->row + high, y, false);
		} else {
			forget(s, p);
		}
	}
}

/* The row to memory; y is lost. */
static void write(struct ppu_seg *s, struct ppu_pair *p, bool high, int y)
{
	word(s, p, high, y);
	ppu_seg_write(s, p->row + high, y);
}

/* No value is in it while a register is taken. */
static int scratch(const struct ppu_seg *s)
{
	return s->e->evex ? PPU_SEG_STUBS : PPU_SEG_SCRATCH;
}

void ppu_numbers_leave(struct ppu_seg *s, unsigned pair)
{
	struct ppu_pair *p = &s->pair[pair];

	for (unsigned i = 0; i < 2 && p->dirty; i++)
		write(s, p, i, i && !p->constant ? p->half[0] : scratch(s));
	forget(s, p);
	for (unsigned i = 0; i < 2 && !p->constant; i++) {
		s->y[p->half[i]].kind = PPU_Y_FREE;
		s->y[p->half[i]].lock = 0;
	}
}

void ppu_numbers_end(struct ppu_seg *s)
{
	for (unsigned i = 0; i < PPU_SEG_PAIRS; i++) {
		struct ppu_pair *p = &s->pair[i];

		for (unsigned k = 0; k < 2 && p->used && p->dirty; k++)
			if (ppu_live_reg(&s->live, p->row + k))
				write(s, p, k, scratch(s));
	}
}

/* A place for one more. */
static struct ppu_pair *place(struct ppu_seg *s)
{
	unsigned i, best = PPU_SEG_PAIRS;

	for (i = 0; i < PPU_SEG_PAIRS; i++) {
		struct ppu_pair *p = &s->pair[i];

		if (!p->used)
			return p;
		if (!p->constant && (s->y[p->half[0]].lock || s->y[p->half[1]].lock))
			continue;
		if (best == PPU_SEG_PAIRS || (s->pair[best].dirty && !p->dirty))
			best = i;
	}
	if (best == PPU_SEG_PAIRS)
		return NULL;
	ppu_numbers_leave(s, best);
	return &s->pair[best];
}

static struct ppu_pair *keep(struct ppu_seg *s, unsigned row, const int *half)
{
	struct ppu_pair *p = place(s);

	if (!p)
		return NULL;
	*p = (struct ppu_pair){ .row = (uint16_t)row, .used = true };
	for (unsigned i = 0; i < 2; i++) {
		p->half[i] = (int8_t)half[i];
		s->y[half[i]].kind = PPU_Y_HALF;
		s->y[half[i]].id = (uint16_t)(p - s->pair);
		s->y[half[i]].dirty = s->y[half[i]].nan = 0;
		s->y[half[i]].lock = 1;
	}
	return p;
}

static struct ppu_numbers of_rows(struct ppu_seg *s, unsigned row)
{
	int half[2] = { ppu_seg_temp(s), ppu_seg_temp(s) }, lo = ppu_seg_reg(s, row), hi = ppu_seg_reg(s, row + 1);
	struct ppu_numbers n = { { Y(half[0]), Y(half[1]) }, true, true };

	EM(s->e, VUNPCKLPS, Y(half[0]), Y(lo), Y(hi));
	EM(s->e, VUNPCKHPS, Y(half[1]), Y(lo), Y(hi));
	/* Three operands are many registers: the rows may go. */
	ppu_seg_unlock(s, row);
	ppu_seg_unlock(s, row + 1);
	if (ppu_seg_read_again(s, row))
		n.own = !keep(s, row, half);
	return n;
}

struct ppu_numbers ppu_numbers_of(struct ppu_seg *s, unsigned row, bool exact)
{
	struct ppu_pair *p = find(s, row);
	struct ppu_opn v;
	bool locked;

	if (!p)
		return of_rows(s, row);
	if (p->constant) {
		v = ppu_number_const(s, p->value);
		return (struct ppu_numbers){ .half = { v, v } };
	}
	locked = !s->y[p->half[0]].lock;
	lock(s, p);
	if (exact)
		canonical(s, p);
	return (struct ppu_numbers){ { Y(p->half[0]), Y(p->half[1]) }, false, locked };
}

struct ppu_numbers ppu_numbers_for(struct ppu_seg *s, unsigned row, unsigned d)
{
	struct ppu_numbers n = ppu_numbers_of(s, row, false);
	const struct ppu_pair *p = find(s, row);

	/* The last that reads what it overwrites, in all lanes. */
	if (row == d && s->guard.y < 0 && p && !p->constant)
		n.own = true;
	return n;
}

void ppu_numbers_drop(struct ppu_seg *s, const struct ppu_numbers *n)
{
	for (unsigned i = 0; i < 2 && n->locked; i++) {
		if (s->y[n->half[i].reg].kind == PPU_Y_HALF)
			s->y[n->half[i].reg].lock = 0;
		else
			ppu_seg_drop(s, n->half[i].reg);
	}
}

/* Whoever has a row of this pair has it no more. */
static void overwrite(struct ppu_seg *s, unsigned row)
{
	struct ppu_pair *same = find(s, row);

	if (same)
		forget(s, same);
	for (unsigned i = 0; i < 2; i++) {
		ppu_numbers_written(s, row + i);
		ppu_seg_lose_row(s, row + i);
	}
}

static void put_rows(struct ppu_seg *s, unsigned row, const int *half, bool nan)
{
	int y[2] = { ppu_seg_temp(s), ppu_seg_temp(s) };

	for (unsigned i = 0; i < 2 && nan; i++)
		ppu_lanes_canonical_f64(s, half[i], ppu_number_const(s, PPU_F64_NAN));
	for (unsigned i = 0; i < 2; i++)
		EM(s->e, VSHUFPS, Y(y[i]), Y(half[0]), Y(half[1]), IM(words_of[i]));
	for (unsigned i = 0; i < 2; i++)
		ppu_seg_drop(s, half[i]);
	for (unsigned i = 0; i < 2; i++)
		ppu_seg_put(s, row + i, y[i], false);
}

void ppu_numbers_put(struct ppu_seg *s, unsigned row, const int *half, bool nan)
{
	struct ppu_pair *p;

	if (row >= PPU_ROW_SINK(s->nregs))
		return;
	for (unsigned i = 0; i < PPU_SEG_REGS; i++)
		if (s->y[i].kind == PPU_Y_HALF)
			s->y[i].lock = 0;
	s->y[half[0]].lock = s->y[half[1]].lock = 1;
	if (s->guard.y >= 0) {
		put_rows(s, row, half, nan);
		return;
	}
	overwrite(s, row);
	p = keep(s, row, half);
	if (!p) {
		put_rows(s, row, half, nan);
		return;
	}
	p->dirty = true;
	p->nan = nan;
}

bool ppu_numbers_put_const(struct ppu_seg *s, unsigned row, uint64_t v)
{
	struct ppu_pair *p;

	if (s->guard.y >= 0 || row >= PPU_ROW_SINK(s->nregs))
		return false;
	overwrite(s, row);
	p = place(s);
	if (!p)
		return false;
	*p = (struct ppu_pair){ .row = (uint16_t)row, .used = true, .dirty = true, .constant = true, .value = v };
	return true;
}
#endif
