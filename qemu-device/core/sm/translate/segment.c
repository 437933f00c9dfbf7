/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A segment: which value is in which vector register, and what goes between registers and rows. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/sm.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/numbers.h"
#include "core/sm/translate/segment.h"
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_rows.h"

#define UNROLL_MAX	6	/* instructions of a segment whose code is repeated instead of looped */
#define SCRATCH		PPU_SEG_SCRATCH
#define UNDO_LOADS	6	/* so many rows may be kept in registers from their being saved on */
#define PRED_AT		((int32_t)offsetof(struct ppu_warp, v.pred))
#define FILLS_AT	((int32_t)(offsetof(struct ppu_run, fills) + offsetof(struct ppu_fills, n)))
#define USED_AT(field)	(PPU_AT_USED + (int32_t)offsetof(struct ppu_used, field))
#define ACTIVE_AT	((int32_t)offsetof(struct ppu_warp, active))

/* ---- places ---- */

static struct ppu_opn row_at(const struct ppu_seg *s, unsigned row)
{
	return s->looped ? M(RSI, row * 128, PPU_VEC) : M(RBX, row * 128 + s->chunk * 4 * s->lanes, PPU_VEC);
}

void ppu_seg_lanes_of(struct ppu_seg *s, int base)
{
	if (s->looped) {
		EM(s->e, MOV, Q(RAX), Q(RSI));
		EM(s->e, SUB, Q(RAX), Q(RBX));
		EM(s->e, ADD, Q(RAX), Q(base));
	} else {
		EM(s->e, LEA, Q(RAX), M(base, 4 * s->lanes * s->chunk, 8));
	}
}

/* The current chunk's bits of a lane mask in struct ppu_warp. */
static struct ppu_opn bits_at(const struct ppu_seg *s, int32_t at)
{
	const uint8_t bytes = (uint8_t)(s->lanes / 8);

	return s->looped ? M(RDI, at, bytes) : M(RBP, at + (int32_t)(bytes * s->chunk), bytes);
}

struct ppu_opn ppu_seg_const(struct ppu_seg *s, uint32_t v)
{
	return M(R13, ppu_emit_splat(s->e, v), PPU_VEC);
}

/* ---- allocation ---- */

static bool uses(const struct ppu_dinsn *di, unsigned row)
{
	bool store = !di->fn && di->handler == PPU_H_st;

	return row - di->a < 2 || (!di->bi && row - di->b < (store ? 4 : 2)) || (!di->ci && row - di->c < 2) ||
	       (!di->always && row - di->d < 2);
}

/* Does instruction i of the segment need the row? */
static bool needs(const struct ppu_seg *s, uint32_t i, unsigned row)
{
	const struct ppu_fuse *f = s->fuse;

	if (f && (f->group[i] == PPU_FUSE_WAY || f->omit[i]))
		return false;
	if (f && f->group[i] >= 0 && f->g[f->group[i]].indexed) {
		const struct ppu_fuse_group *g = &f->g[f->group[i]];

		return row == g->index || (g->product && row == g->index + 1u) ||
		       (g->write && row == s->code[s->list[i]].b);
	}
	return uses(&s->code[s->list[i]], row);
}

/* Distance to the next use of a row in the segment, large when there is none. */
static uint32_t next_use(const struct ppu_seg *s, unsigned row)
{
	uint32_t i;

	for (i = s->at + 1; i < s->n; i++)
		if (needs(s, i, row))
			return i - s->at;
	return 1000;
}

bool ppu_seg_read_again(const struct ppu_seg *s, unsigned row)
{
	return next_use(s, row) < 1000 || next_use(s, row + 1) < 1000;
}

/* Bytes of a predicate in a chunk's part of PPU_AT_PREDS. */
#define PRED_BITS	8
_Static_assert(PPU_SEG_PREDS * PRED_BITS <= 4 * 8, "a chunk of eight lanes must have room for all predicates");

/* The bits of a predicate that a fused segment has written. */
static struct ppu_opn kept_bits(const struct ppu_seg *s, unsigned p)
{
	return M(R11, PPU_AT_PREDS + PRED_BITS * s->pred[p].acc, (uint8_t)(s->lanes / 8));
}

/* The set of a predicate loses its register: its bits go to memory, if they are nowhere else.  No other register is lost. */
static void leave_pred(struct ppu_seg *s, unsigned p)
{
	struct ppu_lanes l = { s->pred[p].y, false };

	if (s->fuse && s->pred[p].fresh && !s->pred[p].kept) {
		ppu_lanes_keep_bits(s, kept_bits(s, p), l);
		s->pred[p].kept = true;
		s->pred[p].kept_invert = s->pred[p].invert;
	}
	s->pred[p].y = -1;
}

static void release(struct ppu_seg *s, int y)
{
	if (s->y[y].kind == PPU_Y_ROW)
		s->row[s->y[y].id] = -1;
	if (s->y[y].kind == PPU_Y_PRED)
		leave_pred(s, s->y[y].id);
	if (s->y[y].kind == PPU_Y_INDEX)
		s->index[s->y[y].id] = -1;
	if (s->y[y].kind == PPU_Y_HALF)
		ppu_numbers_leave(s, s->y[y].id);
	s->y[y].kind = PPU_Y_FREE;
	s->y[y].dirty = s->y[y].nan = s->y[y].lock = 0;
}

/* Replaces the NaNs by the canonical one. */
static void canonical(struct ppu_seg *s, int y)
{
	if (!s->y[y].nan)
		return;
	s->y[y].nan = 0;
	ppu_lanes_canonical_f32(s, y);
}

void ppu_seg_write(struct ppu_seg *s, unsigned row, int y)
{
	/* Not a store under a mask: a load behind it would have to wait until it is in the cache. */
	if (s->masked)
		ppu_lanes_blend(s, y, Y(y), row_at(s, row), s->active);
	EM(s->e, VMOVDQA, row_at(s, row), Y(y));
}

/* Writes a changed row to memory. */
static void write_row(struct ppu_seg *s, int y)
{
	if (!s->y[y].dirty)
		return;
	canonical(s, y);
	ppu_seg_write(s, s->y[y].id, y);
	s->y[y].dirty = 0;
}

static bool loads_left(const struct ppu_seg *s, unsigned group)
{
	uint32_t i;

	for (i = s->at + 1; i < s->n; i++)
		if (s->fuse->group[i] >= 0 && s->fuse->g[s->fuse->group[i]].like == group)
			return true;
	return false;
}

static uint32_t cost_of_pair(const struct ppu_seg *s, const struct ppu_pair *p)
{
	uint32_t low = next_use(s, p->row), high = next_use(s, p->row + 1u);

	return 1000 - (low < high ? low : high) + (p->dirty ? 500 : 0);
}

/* Of a pair both registers go, or none. */
static bool locked(const struct ppu_seg *s, int y)
{
	const int8_t *half;

	if (s->y[y].kind != PPU_Y_HALF)
		return s->y[y].lock;
	half = s->pair[s->y[y].id].half;
	return s->y[half[0]].lock || s->y[half[1]].lock;
}

static uint32_t cost_of_losing(const struct ppu_seg *s, int y)
{
	uint32_t far;

	if (s->y[y].kind == PPU_Y_PRED)
		return 900;
	if (s->y[y].kind == PPU_Y_INDEX)
		return loads_left(s, s->y[y].id) ? 1600 : 0;
	if (s->y[y].kind == PPU_Y_HALF)
		return cost_of_pair(s, &s->pair[s->y[y].id]);
	far = next_use(s, s->y[y].id);
	return 1000 - far + (s->y[y].dirty ? 500 : 0);
}

/* Is the register one that has values? */
static bool usable(const struct ppu_seg *s, int y)
{
	if (y >= PPU_SEG_MASKS)
		return y > PPU_SEG_MASKS && y < PPU_SEG_REGS - 1;
	return y != SCRATCH && y != PPU_SEG_STUBS && y != PPU_SEG_STUBS + 1 && y < (s->e->evex ? 32 : 16);
}

/* One of the registers [first, end), as a temporary. */
static int take(struct ppu_seg *s, int first, int end)
{
	int i, best = -1;
	uint32_t least = UINT32_MAX;

	for (i = first; i < end && least; i++) {
		uint32_t cost;

		if (locked(s, i) || !usable(s, i))
			continue;
		cost = s->y[i].kind == PPU_Y_FREE ? 0 : 1 + cost_of_losing(s, i);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	if (best < 0) {		/* no instruction needs so many */
		s->e->failed = true;
		return first;
	}
	write_row(s, best);
	release(s, best);
	s->y[best].kind = PPU_Y_TEMP;
	s->y[best].lock = 1;
	return best;
}

int ppu_seg_temp(struct ppu_seg *s)
{
	return take(s, 0, PPU_SEG_MASKS);
}

int ppu_seg_mask(struct ppu_seg *s)
{
	return s->e->evex ? take(s, PPU_SEG_MASKS, PPU_SEG_REGS) : ppu_seg_temp(s);
}

/* Does it keep its value until the end of the chunk, or of the instruction? */
static bool lasts(const struct ppu_seg *s, int y)
{
	return y == s->active.y || y == s->first;
}

void ppu_seg_drop(struct ppu_seg *s, int y)
{
	if (s->y[y].kind != PPU_Y_TEMP || lasts(s, y) || y == s->guard.y)
		return;
	s->y[y].kind = PPU_Y_FREE;
	s->y[y].lock = 0;
}

void ppu_seg_keep_only(struct ppu_seg *s, int y, int z)
{
	int i;

	for (i = 0; i < PPU_SEG_REGS; i++) {
		if (i == y || i == z || lasts(s, i) || i == s->guard.y)
			continue;
		ppu_seg_drop(s, i);
		s->y[i].lock = 0;
	}
}

/* The instruction is done: temporaries are free, values may be moved out. */
void ppu_seg_unlock_all(struct ppu_seg *s)
{
	int i;

	for (i = 0; i < PPU_SEG_REGS; i++) {
		if (lasts(s, i))
			continue;
		s->y[i].lock = 0;
		if (s->y[i].kind == PPU_Y_TEMP)
			s->y[i].kind = PPU_Y_FREE;
	}
}

static int load(struct ppu_seg *s, unsigned row)
{
	int y;

	ppu_numbers_read(s, row);
	y = s->row[row];
	if (y < 0) {
		y = ppu_seg_temp(s);
		EM(s->e, VMOVDQA, Y(y), row_at(s, row));
		s->y[y].kind = PPU_Y_ROW;
		s->y[y].id = (uint16_t)row;
		s->row[row] = (int8_t)y;
	}
	s->y[y].lock = 1;
	return y;
}

int ppu_seg_reg_raw(struct ppu_seg *s, unsigned row)
{
	return load(s, row);
}

int ppu_seg_reg(struct ppu_seg *s, unsigned row)
{
	int y = load(s, row);

	canonical(s, y);
	return y;
}

void ppu_seg_unlock(struct ppu_seg *s, unsigned row)
{
	if (s->row[row] >= 0)
		s->y[s->row[row]].lock = 0;
}

struct ppu_opn ppu_seg_rm_raw(struct ppu_seg *s, unsigned row)
{
	ppu_numbers_read(s, row);
	if (s->row[row] < 0 && next_use(s, row) >= 1000)
		return row_at(s, row);
	return Y(load(s, row));
}

struct ppu_opn ppu_seg_rm(struct ppu_seg *s, unsigned row)
{
	ppu_numbers_read(s, row);
	if (s->row[row] < 0 && next_use(s, row) >= 1000)
		return row_at(s, row);
	return Y(ppu_seg_reg(s, row));
}

void ppu_seg_lose_row(struct ppu_seg *s, unsigned row)
{
	int y = s->row[row];

	if (y < 0)
		return;
	s->y[y].kind = PPU_Y_TEMP;
	s->y[y].dirty = s->y[y].nan = 0;
	s->row[row] = -1;
}

void ppu_seg_have_row(struct ppu_seg *s, unsigned row, int y, bool nan)
{
	s->y[y].kind = PPU_Y_ROW;
	s->y[y].id = (uint16_t)row;
	s->y[y].dirty = 1;
	s->y[y].nan = nan;
	s->y[y].lock = 1;
	s->row[row] = (int8_t)y;
}

void ppu_seg_put(struct ppu_seg *s, unsigned row, int y, bool nan)
{
	if (row >= PPU_ROW_SINK(s->nregs))
		return;
	if (s->guard.y >= 0) {
		int old, t;

		/* Other lanes may hold any bits, which must stay. */
		s->y[y].nan = nan;
		canonical(s, y);
		old = ppu_seg_reg(s, row);
		t = ppu_seg_temp(s);
		ppu_lanes_blend(s, t, Y(y), Y(old), s->guard);
		nan = false;
		y = t;
	}
	ppu_numbers_written(s, row);
	ppu_seg_lose_row(s, row);
	ppu_seg_have_row(s, row, y, nan);
}

void ppu_seg_changed(struct ppu_seg *s, int y, bool nan)
{
	ppu_numbers_written(s, s->y[y].id);
	s->y[y].dirty = 1;
	s->y[y].nan = nan;
}

/* ---- predicates ---- */

struct ppu_lanes ppu_seg_pred(struct ppu_seg *s, unsigned p, bool negate)
{
	int y = s->pred[p].y;

	if (y < 0) {
		bool invert = false;

		if (s->pred[p].fresh && s->fuse) {
			y = ppu_lanes_from(s, kept_bits(s, p)).y;
			invert = s->pred[p].kept_invert;
		} else if (s->pred[p].fresh) {
			EM(s->e, MOV, D(RAX), D(s->pred[p].acc));
			EM(s->e, SHR, D(RAX), IM(s->looped ? PPU_LANES - s->lanes : s->lanes * s->chunk));
			y = ppu_lanes_from(s, D(RAX)).y;
		} else {
			y = ppu_lanes_from(s, bits_at(s, PRED_AT + 4 * (int32_t)p)).y;
		}
		s->y[y].kind = PPU_Y_PRED;
		s->y[y].id = (uint16_t)p;
		s->pred[p].y = (int8_t)y;
		s->pred[p].invert = invert;
	}
	s->y[y].lock = 1;
	return (struct ppu_lanes){ y, s->pred[p].invert != negate };
}

/* All bits of a chunk. */
static int all_bits(const struct ppu_seg *s)
{
	return (1 << s->lanes) - 1;
}

/* The bits of this chunk go to the predicate's general register, or to memory. */
static void gather_bits(struct ppu_seg *s, unsigned p, struct ppu_lanes l)
{
	bool again = s->pred[p].fresh;
	int acc;

	if (s->pred[p].acc < 0)
		s->pred[p].acc = (int)((s->fuse ? 0 : R8) + s->accs++);
	acc = s->pred[p].acc;
	s->pred[p].fresh = true;
	if (s->fuse) {
		/* In a mask register they can wait: mostly nobody asks. */
		s->pred[p].kept = !(s->e->evex && s->y[l.y].kind == PPU_Y_TEMP);
		s->pred[p].kept_invert = false;
		if (s->pred[p].kept)
			ppu_lanes_keep_bits(s, kept_bits(s, p), l);
		return;
	}
	if (!s->looped && !s->chunk) {
		ppu_lanes_bits(s, (unsigned)acc, l);
		if (l.invert)
			EM(s->e, XOR, D(acc), IM(all_bits(s)));
		return;
	}
	ppu_lanes_bits(s, RAX, l);
	if (l.invert)
		EM(s->e, XOR, D(RAX), IM(all_bits(s)));
	EM(s->e, SHL, D(RAX), IM(s->looped ? PPU_LANES - s->lanes : s->lanes * s->chunk));
	if (again && s->looped)
		EM(s->e, AND, D(acc), IM((1u << (PPU_LANES - s->lanes)) - 1));
	else if (again)
		EM(s->e, AND, D(acc), IM((1u << s->lanes * s->chunk) - 1));
	else if (s->looped)
		EM(s->e, SHR, D(acc), IM(s->lanes));
	EM(s->e, OR, D(acc), D(RAX));
}

/* Predicate p = l; l.y is a temporary. */
void ppu_seg_put_pred(struct ppu_seg *s, unsigned p, struct ppu_lanes l)
{
	if (p == PPU_PT)
		return;
	if (s->guard.y >= 0)
		l = ppu_lanes_merge(s, s->guard, l, ppu_seg_pred(s, p, false));
	gather_bits(s, p, l);
	if (s->pred[p].y >= 0) {
		s->y[s->pred[p].y].kind = PPU_Y_TEMP;
		s->pred[p].y = -1;
	}
	if (s->y[l.y].kind != PPU_Y_TEMP)
		return;
	s->y[l.y].kind = PPU_Y_PRED;
	s->y[l.y].id = (uint16_t)p;
	s->pred[p].y = (int8_t)l.y;
	s->pred[p].invert = l.invert;
}

void ppu_seg_setp(struct ppu_seg *s, const struct ppu_dinsn *di, struct ppu_lanes l)
{
	enum ppu_lanes_op op = di->x == PPU_BOOL_AND ? PPU_LANES_AND : di->x == PPU_BOOL_OR ? PPU_LANES_OR : PPU_LANES_XOR;
	struct ppu_lanes p = l, q = { l.y, !l.invert };

	ppu_seg_keep_only(s, l.y, l.y);
	if (di->ps != PPU_PT || di->psn || di->x) {
		struct ppu_lanes with = di->ps != PPU_PT ? ppu_seg_pred(s, di->ps, di->psn) : ppu_lanes_all(s, !di->psn);

		p = ppu_lanes_op(s, op, p, with);
		q = ppu_lanes_op(s, op, q, with);
		ppu_seg_keep_only(s, p.y, q.y);
	}
	/* Both may use one set: the first to have it keeps it. */
	ppu_seg_put_pred(s, di->pd, p);
	ppu_seg_keep_only(s, q.y, q.y);
	ppu_seg_put_pred(s, di->pe, q);
}

/* ---- a segment ---- */

static unsigned preds_written(const struct ppu_dinsn *di)
{
	unsigned m = 0;

	if (di->op == PPU_OP_SETP) {
		m |= di->pd != PPU_PT ? 1u << di->pd : 0;
		m |= di->pe != PPU_PT ? 1u << di->pe : 0;
	}
	if (di->op == PPU_OP_PLOP && di->pd != PPU_PT)
		m |= 1u << di->pd;
	return m;
}

bool ppu_seg_extends(const struct ppu_dinsn *code, const uint32_t *list, uint32_t n, uint32_t pc, unsigned preds)
{
	const struct ppu_dinsn *di = &code[pc];
	unsigned written = 0;
	uint32_t i;

	if (di->fn ? !ppu_select_can(di) : !ppu_select_special_can(di))
		return false;
	for (i = 0; i < n; i++)
		written |= preds_written(&code[list[i]]);
	/* Lanes of a guard are counted before the segment, so it must not change inside. */
	if (!di->always && di->gp != PPU_PT && written >> di->gp & 1)
		return false;
	return __builtin_popcount(written | preds_written(di)) <= (int)preds;
}

/* A branch inside of a trace: the lanes must all go the way that was planned. */
static void way(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	bool taken = s->fuse->taken[s->at];
	struct ppu_lanes g;

	if (di->always)
		return;
	g = ppu_seg_pred(s, di->gp, di->gn);
	ppu_lanes_bits(s, RAX, g);
	if (!s->masked) {
		EM(s->e, CMP, D(RAX), IM(taken != g.invert ? all_bits(s) : 0));
	} else {
		/* The lanes that go the other way. */
		if (taken != g.invert)
			EM(s->e, XOR, D(RAX), IM(all_bits(s)));
		EM(s->e, AND, D(RAX), M(RDI, ACTIVE_AT, 4));
	}
	JUMP(s->e, JNZ, s->bail);
}

static void one(struct ppu_seg *s)
{
	const struct ppu_dinsn *di = &s->code[s->list[s->at]];

	s->guard.y = -1;
	if (s->fuse && s->fuse->omit[s->at])
		return;
	ppu_emit_mark(s->e, s->list[s->at]);
	if (s->fuse && s->fuse->group[s->at] == PPU_FUSE_WAY) {
		way(s, di);
		ppu_seg_unlock_all(s);
		return;
	}
	if (s->fuse && s->fuse->group[s->at] >= 0) {
		if (s->fuse->g[s->fuse->group[s->at]].write)
			ppu_select_store(s, di, (unsigned)s->fuse->group[s->at]);
		else
			ppu_select_load(s, di, (unsigned)s->fuse->group[s->at]);
		ppu_seg_unlock_all(s);
		return;
	}
	if (!di->always) {
		if (di->gp == PPU_PT)
			return;		/* @!PT: nobody */
		s->guard = ppu_seg_pred(s, di->gp, di->gn);
	}
	if (di->fn)
		ppu_select(s, di);
	else
		ppu_select_special(s, di);
	ppu_seg_unlock_all(s);
}

/* Old values to where ppu_seg_undo() finds them. */
static void save_old(struct ppu_seg *s)
{
	unsigned i;

	for (i = 0; i < s->fuse->undos; i++) {
		struct ppu_opn to = M(R11, PPU_AT_UNDO + 128 * (int32_t)i, PPU_VEC);

		if (i < UNDO_LOADS) {
			EM(s->e, VMOVDQU, to, Y(load(s, s->fuse->undo[i])));
			ppu_seg_unlock_all(s);
		} else {
			EM(s->e, VMOVDQA, Y(SCRATCH), row_at(s, s->fuse->undo[i]));
			EM(s->e, VMOVDQU, to, Y(SCRATCH));
		}
	}
}

/* A chunk without an active lane is left out: there would be no address.  Returns the label where it goes. */
static uint32_t start_masked(struct ppu_seg *s)
{
	uint32_t skip = ppu_emit_label(s->e);

	EM(s->e, MOVZX, D(RAX), bits_at(s, ACTIVE_AT));
	EM(s->e, TEST, D(RAX), D(RAX));
	JUMP(s->e, JZ, skip);
	if (!s->fuse->groups)
		return skip;
	EM(s->e, BSF, D(RAX), D(RAX));
	s->first = ppu_seg_temp(s);
	EM(s->e, VMOVD, X(s->first), D(RAX));
	EM(s->e, VPBROADCASTD, Y(s->first), X(s->first));
	if (s->fuse->reads)
		EM(s->e, ADD, M(RSP, PPU_AT_EXTRA, 8), IM((int)s->fuse->reads));
	if (s->fuse->writes)
		EM(s->e, ADD, M(RSP, PPU_AT_WRITES, 8), IM((int)s->fuse->writes));
	ppu_seg_unlock_all(s);
	return skip;
}

static void end_masked(struct ppu_seg *s, uint32_t skip)
{
	/* The bits of predicates may be anything: write_preds() takes active lanes only. */
	ppu_emit_bind(s->e, skip);
}

static void active_lanes(struct ppu_seg *s)
{
	/* The others: as the last operand of a blend, memory has what is for them. */
	if (s->e->evex) {
		s->active = ppu_lanes_from(s, bits_at(s, ACTIVE_AT));
		s->active.invert = true;
		EM(s->e, KNOTW, ppu_lanes_k(s->active.y), ppu_lanes_k(s->active.y));
	} else {
		int t = ppu_seg_temp(s);

		EM(s->e, VPXOR, Y(t), Y(t), Y(t));
		s->active = (struct ppu_lanes){ ppu_seg_temp(s), true };
		EM(s->e, VPBROADCASTB, Y(s->active.y), bits_at(s, ACTIVE_AT));
		EM(s->e, VPAND, Y(s->active.y), Y(s->active.y), M(R13, 0, 32));
		EM(s->e, VPCMPEQD, Y(s->active.y), Y(s->active.y), Y(t));
	}
	ppu_seg_unlock_all(s);
}

/* The bits of predicates that are live behind the segment, as they are, to memory. */
static void keep_live_preds(struct ppu_seg *s)
{
	for (unsigned p = 0; p < PPU_PT; p++) {
		struct ppu_lanes l = { s->pred[p].y, s->pred[p].invert };

		if (!s->pred[p].fresh || !(s->live.pred >> p & 1) || (s->pred[p].kept && !s->pred[p].kept_invert))
			continue;
		if (l.y < 0)
			l = ppu_seg_pred(s, p, false);
		ppu_lanes_keep_bits(s, kept_bits(s, p), l);
		ppu_seg_unlock_all(s);
	}
}

static void chunk(struct ppu_seg *s)
{
	uint32_t skip = 0;
	int i;

	memset(s->y, 0, sizeof(s->y));
	memset(s->row, -1, sizeof(s->row));
	memset(s->index, -1, sizeof(s->index));
	memset(s->ptr, -1, sizeof(s->ptr));
	memset(s->pair, 0, sizeof(s->pair));
	s->placed = 0;
	for (i = 0; i < 16; i++) {
		s->pred[i].y = -1;
		s->pred[i].fresh = false;
	}
	s->active.y = s->first = s->guard.y = -1;
	if (s->masked)
		active_lanes(s);
	s->at = 0;
	if (s->fuse)
		save_old(s);
	if (s->fuse && s->masked)
		skip = start_masked(s);
	for (s->at = 0; s->at < s->n; s->at++)
		one(s);
	ppu_emit_mark(s->e, PPU_MARK_COMMON);
	for (i = 0; i < PPU_SEG_REGS; i++)
		if (s->y[i].dirty && ppu_live_reg(&s->live, s->y[i].id))
			write_row(s, i);
	ppu_numbers_end(s);
	if (s->fuse)
		keep_live_preds(s);
	if (s->fuse && s->masked)
		end_masked(s, skip);
}

/* r8d = the bits that the chunks of a fused segment have left. */
static void collect_bits(struct ppu_seg *s, int acc)
{
	for (unsigned i = PPU_LANES / s->lanes; i-- > 0;) {
		int32_t at = PPU_AT_PREDS + PRED_BITS * acc + 4 * (int32_t)(s->lanes * i);

		EM(s->e, MOVZX, D(RAX), M(RSP, at, (uint8_t)(s->lanes / 8)));
		if (s->lanes * (i + 1) == PPU_LANES) {
			EM(s->e, MOV, D(R8), D(RAX));
			continue;
		}
		EM(s->e, SHL, D(R8), IM(s->lanes));
		EM(s->e, OR, D(R8), D(RAX));
	}
}

/* The predicates of all lanes. */
static void write_preds(struct ppu_seg *s)
{
	int i;

	for (i = 0; i < 15; i++) {
		struct ppu_opn at = M(RBP, PRED_AT + 4 * i, 4);
		int acc = s->pred[i].acc;

		if (acc < 0 || (s->fuse && !(s->live.pred >> i & 1)))
			continue;
		if (s->fuse) {
			collect_bits(s, acc);
			acc = R8;
		}
		if (!s->masked) {
			EM(s->e, MOV, at, D(acc));
			continue;
		}
		EM(s->e, MOV, D(RAX), at);
		EM(s->e, XOR, D(acc), D(RAX));
		EM(s->e, AND, D(acc), D(R14));
		EM(s->e, XOR, D(RAX), D(acc));
		EM(s->e, MOV, at, D(RAX));
	}
}

/* The code of a segment once, in a loop over all lanes. */
static void loop(struct ppu_seg *s)
{
	struct ppu_emit *e = s->e;
	uint32_t again = ppu_emit_label(e);

	EM(e, MOV, Q(RSI), Q(RBX));
	EM(e, MOV, Q(RDI), Q(RBP));
	EM(e, LEA, Q(RCX), M(RBP, 4, 8));
	EM(e, MOV, M(RSP, PPU_AT_LIMIT, 8), Q(RCX));
	if (s->fuse)
		EM(e, MOV, Q(R11), Q(RSP));
	ppu_emit_bind(e, again);
	chunk(s);
	EM(e, ADD, Q(RSI), IM(4 * s->lanes));
	EM(e, ADD, Q(RDI), IM(s->lanes / 8));
	if (s->fuse)
		EM(e, ADD, Q(R11), IM(4 * s->lanes));
	EM(e, CMP, Q(RDI), M(RSP, PPU_AT_LIMIT, 8));
	JUMP(e, JNZ, again);
}

/* wide: code for 16 lanes at a time, if the host can. */
static void seg_init(struct ppu_seg *s, const struct ppu_program *prog, uint32_t next, bool wide)
{
	unsigned i;

	s->e->wide = wide && s->e->evex;
	s->lanes = s->e->wide ? 16 : 8;
	for (i = 0; i < 16; i++)
		s->pred[i].acc = -1;
	ppu_flow_live(prog, next, &s->live);
}

void ppu_seg_emit(struct ppu_emit *e, const struct ppu_program *prog, const uint32_t *list, uint32_t n, uint32_t next,
		  bool masked)
{
	struct ppu_seg s = { .e = e, .code = prog->code, .list = list, .n = n, .nregs = prog->nregs, .masked = masked };

	seg_init(&s, prog, next, true);
	s.looped = n > UNROLL_MAX;
	if (s.looped)
		loop(&s);
	else
		for (s.chunk = 0; s.chunk < PPU_LANES / s.lanes; s.chunk++)
			chunk(&s);
	write_preds(&s);
	e->wide = false;
}

/* ---- with loads ---- */

/* Which lanes of eight have addresses is known when all are active; what only computes need not know. */
static bool wide_fused(const struct ppu_fuse *f, bool masked)
{
	return !masked || !f->groups;
}

void ppu_seg_emit_fused(struct ppu_emit *e, const struct ppu_program *prog, const struct ppu_fuse *f, bool masked,
			const struct ppu_seg_ends *ends, const struct ppu_stubs *stubs)
{
	const int32_t reads = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_PARTITION_READS;
	const int32_t atomics = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_ATOMICS;
	const int32_t writes = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_PARTITION_WRITES;
	struct ppu_seg s = { .e = e, .code = prog->code, .list = f->list, .n = f->n, .nregs = prog->nregs, .fuse = f,
			     .looped = true, .masked = masked, .bail = ends->bail, .stubs = stubs };
	unsigned i;

	seg_init(&s, prog, f->next, wide_fused(f, masked));
	for (i = 0; i < f->groups; i++)
		if (PPU_SPACE_IS_64(f->g[i].space) && f->g[i].page == i)
			EM(e, MOV, M(RSP, PPU_AT_SLOTS + PPU_SLOT * (int32_t)i, 8), IM(-1));
	if (f->reads || f->writes) {
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_RUN, 8));
		EM(e, MOV, M(RAX, FILLS_AT, 4), IM(0));
		EM(e, MOV, M(RSP, USED_AT(bytes), 8), IM(0));
		EM(e, MOV, M(RSP, USED_AT(more), 8), IM(0));
	}
	if (f->reads)
		EM(e, MOV, M(RSP, PPU_AT_EXTRA, 8), IM(masked ? 0 : PPU_LANES / 8 * (int)f->reads));
	if (f->writes) {
		EM(e, MOV, M(RSP, PPU_AT_WRITES, 8), IM(masked ? 0 : PPU_LANES / 8 * (int)f->writes));
		EM(e, MOV, M(RSP, PPU_AT_CLEAN, 8), IM(0));
	}
	ppu_select_fixed(&s, ends->early);
	ppu_chase_begin(&s, prog);
	ppu_rows_begin(&s, prog);
	loop(&s);
	write_preds(&s);
	if (f->reads) {
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_EXTRA, 8));
		EM(e, ADD, M(R15, reads, 8), Q(RAX));
	}
	if (f->writes) {
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_WRITES, 8));
		EM(e, ADD, M(R15, writes, 8), Q(RAX));
	}
	if (f->adds)
		EM(e, ADD, M(R15, atomics, 8), IM((int)f->adds));
	ppu_select_store_kept(&s);
	EM0(e, VZEROUPPER);
	JUMP(e, JMP, ends->good);
	ppu_emit_mark(e, PPU_MARK_COMMON);
	ppu_select_load_aways(&s);
	e->wide = false;
}

void ppu_seg_undo(struct ppu_emit *e, const struct ppu_fuse *f, bool masked)
{
	uint32_t again = ppu_emit_label(e), none = ppu_emit_label(e), at;
	void (*fn)(struct ppu_sm *sm, struct ppu_run *run) = ppu_calls_unfill;
	unsigned i;

	if (f->reads || f->writes) {
		at = ppu_emit_pool(e, &fn, sizeof(fn));
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_RUN, 8));
		EM(e, CMP, M(RAX, FILLS_AT, 4), IM(0));
		JUMP(e, JZ, none);
		EM(e, MOV, M(RSP, PPU_AT_WORDS, 8), Q(RSI));
		EM(e, MOV, Q(RDI), Q(R15));
		EM(e, MOV, Q(RSI), Q(RAX));
		EM0(e, VZEROUPPER);
		EM(e, CALL, M(R13, at, 8));
		EM(e, MOV, Q(RSI), M(RSP, PPU_AT_WORDS, 8));
		ppu_emit_bind(e, none);
	}
	e->wide = e->evex && wide_fused(f, masked);
	if (f->undos) {
		const int bytes = e->wide ? 64 : 32;

		EM(e, MOV, Q(RAX), Q(RSP));
		EM(e, MOV, Q(RDX), Q(RBX));
		ppu_emit_bind(e, again);
		for (i = 0; i < f->undos; i++) {
			EM(e, VMOVDQU, Y(0), M(RAX, PPU_AT_UNDO + 128 * (int32_t)i, PPU_VEC));
			EM(e, VMOVDQA, M(RDX, 128 * (int32_t)f->undo[i], PPU_VEC), Y(0));
		}
		EM(e, ADD, Q(RAX), IM(bytes));
		EM(e, ADD, Q(RDX), IM(bytes));
		EM(e, CMP, Q(RDX), Q(RSI));
		JUMP(e, JBE, again);
	}
	e->wide = false;
	EM0(e, VZEROUPPER);
}
#endif
