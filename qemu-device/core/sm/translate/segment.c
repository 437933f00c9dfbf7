/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A segment: which value is in which vector register, and what goes between registers and rows. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/sm.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/segment.h"

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
	return s->looped ? M(RSI, row * 128, 32) : M(RBX, row * 128 + s->chunk * 32, 32);
}

void ppu_seg_lanes_of(struct ppu_seg *s, int base)
{
	if (s->looped) {
		EM(s->e, MOV, Q(RAX), Q(RSI));
		EM(s->e, SUB, Q(RAX), Q(RBX));
		EM(s->e, ADD, Q(RAX), Q(base));
	} else {
		EM(s->e, LEA, Q(RAX), M(base, 32 * s->chunk, 8));
	}
}

/* The byte with the current chunk's bits of a lane mask in struct ppu_warp. */
static struct ppu_opn byte_at(const struct ppu_seg *s, int32_t at)
{
	return s->looped ? M(RDI, at, 1) : M(RBP, at + (int32_t)s->chunk, 1);
}

static struct ppu_opn bits_of_lanes(struct ppu_seg *s)
{
	return M(R13, 0, 32);		/* the region puts them there first */
}

struct ppu_opn ppu_seg_const(struct ppu_seg *s, uint32_t v)
{
	return M(R13, ppu_emit_splat(s->e, v), 32);
}

/* ---- allocation ---- */

static bool uses(const struct ppu_dinsn *di, unsigned row)
{
	bool store = !di->fn && di->handler == PPU_H_st;

	return row - di->a < 2 || (!di->bi && row - di->b < (store ? 4 : 2)) || (!di->ci && row - di->c < 2) ||
	       (!di->always && row - di->d < 2);
}

/* Distance to the next use of a row in the segment, large when there is none. */
static uint32_t next_use(const struct ppu_seg *s, unsigned row)
{
	uint32_t i;

	for (i = s->at + 1; i < s->n; i++)
		if (uses(&s->code[s->list[i]], row) && !(s->fuse && s->fuse->group[i] == PPU_FUSE_WAY))
			return i - s->at;
	return 1000;
}

static void release(struct ppu_seg *s, int y)
{
	if (s->y[y].kind == PPU_Y_ROW)
		s->row[s->y[y].id] = -1;
	if (s->y[y].kind == PPU_Y_PRED)
		s->pred[s->y[y].id].y = -1;
	if (s->y[y].kind == PPU_Y_INDEX)
		s->index[s->y[y].id] = -1;
	s->y[y].kind = PPU_Y_FREE;
	s->y[y].dirty = s->y[y].nan = s->y[y].lock = 0;
}

/* Replaces the NaNs by the canonical one. */
static void canonical(struct ppu_seg *s, int y)
{
	if (!s->y[y].nan)
		return;
	s->y[y].nan = 0;
	EM(s->e, VCMPPS, Y(SCRATCH), Y(y), Y(y), IM(3));
	EM(s->e, VBLENDVPS, Y(y), Y(y), ppu_seg_const(s, 0x7fffffff), Y(SCRATCH));
}

/* Writes a changed row to memory. */
static void write_row(struct ppu_seg *s, int y)
{
	if (!s->y[y].dirty)
		return;
	canonical(s, y);
	if (s->masked)
		EM(s->e, VBLENDVPS, Y(y), Y(y), row_at(s, s->y[y].id), Y(s->inactive));
	EM(s->e, VMOVDQA, row_at(s, s->y[y].id), Y(y));
	s->y[y].dirty = 0;
}

static bool loads_left(const struct ppu_seg *s, unsigned group)
{
	uint32_t i;

	for (i = s->at + 1; i < s->n; i++)
		if (s->fuse->group[i] == (int)group)
			return true;
	return false;
}

static uint32_t cost_of_losing(const struct ppu_seg *s, int y)
{
	uint32_t far;

	if (s->y[y].kind == PPU_Y_PRED)
		return 900;
	if (s->y[y].kind == PPU_Y_INDEX)
		return loads_left(s, s->y[y].id) ? 1600 : 0;
	far = next_use(s, s->y[y].id);
	return 1000 - far + (s->y[y].dirty ? 500 : 0);
}

int ppu_seg_temp(struct ppu_seg *s)
{
	int i, best = -1;
	uint32_t least = UINT32_MAX;

	for (i = 0; i < SCRATCH && least; i++) {
		uint32_t cost;

		if (s->y[i].lock)
			continue;
		cost = s->y[i].kind == PPU_Y_FREE ? 0 : 1 + cost_of_losing(s, i);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	if (best < 0) {		/* no instruction needs so many */
		s->e->failed = true;
		return 0;
	}
	write_row(s, best);
	release(s, best);
	s->y[best].kind = PPU_Y_TEMP;
	s->y[best].lock = 1;
	return best;
}

void ppu_seg_drop(struct ppu_seg *s, int y)
{
	if (s->y[y].kind != PPU_Y_TEMP || y == s->inactive || y == s->first || y == s->guard)
		return;
	s->y[y].kind = PPU_Y_FREE;
	s->y[y].lock = 0;
}

/* The operands are not needed any more, only y. */
static void keep_only(struct ppu_seg *s, int y)
{
	int i;

	for (i = 0; i < SCRATCH; i++) {
		if (i == y || i == s->guard || i == s->inactive || i == s->first)
			continue;
		ppu_seg_drop(s, i);
		s->y[i].lock = 0;
	}
}

/* The instruction is done: temporaries are free, values may be moved out. */
void ppu_seg_unlock_all(struct ppu_seg *s)
{
	int i;

	for (i = 0; i < 16; i++) {
		if (i == s->inactive || i == s->first)
			continue;
		s->y[i].lock = 0;
		if (s->y[i].kind == PPU_Y_TEMP)
			s->y[i].kind = PPU_Y_FREE;
	}
}

static int load(struct ppu_seg *s, unsigned row)
{
	int y = s->row[row];

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
	if (s->row[row] < 0 && next_use(s, row) >= 1000)
		return row_at(s, row);
	return Y(load(s, row));
}

struct ppu_opn ppu_seg_rm(struct ppu_seg *s, unsigned row)
{
	if (s->row[row] < 0 && next_use(s, row) >= 1000)
		return row_at(s, row);
	return Y(ppu_seg_reg(s, row));
}

void ppu_seg_put(struct ppu_seg *s, unsigned row, int y, bool nan)
{
	if (row >= PPU_ROW_SINK(s->nregs))
		return;
	if (s->guard >= 0) {
		int old, t;

		/* Other lanes may hold any bits, which must stay. */
		s->y[y].nan = nan;
		canonical(s, y);
		old = ppu_seg_reg(s, row);
		t = ppu_seg_temp(s);
		if (s->guard_invert)
			EM(s->e, VBLENDVPS, Y(t), Y(y), Y(old), Y(s->guard));
		else
			EM(s->e, VBLENDVPS, Y(t), Y(old), Y(y), Y(s->guard));
		nan = false;
		y = t;
	}
	if (s->row[row] >= 0) {
		/* The old value may still be an operand of this instruction: its register stays locked. */
		int old = s->row[row];

		s->y[old].kind = PPU_Y_TEMP;
		s->y[old].dirty = s->y[old].nan = 0;
		s->row[row] = -1;
	}
	s->y[y].kind = PPU_Y_ROW;
	s->y[y].id = (uint16_t)row;
	s->y[y].dirty = 1;
	s->y[y].nan = nan;
	s->y[y].lock = 1;
	s->row[row] = (int8_t)y;
}

void ppu_seg_changed(struct ppu_seg *s, int y, bool nan)
{
	s->y[y].dirty = 1;
	s->y[y].nan = nan;
}

/* ---- predicates ---- */

static void expand(struct ppu_seg *s, int y)
{
	EM(s->e, VPAND, Y(y), Y(y), bits_of_lanes(s));
	EM(s->e, VPCMPEQD, Y(y), Y(y), bits_of_lanes(s));
}

struct ppu_lanes ppu_seg_pred(struct ppu_seg *s, unsigned p, bool negate)
{
	int y = s->pred[p].y;

	if (y < 0) {
		y = ppu_seg_temp(s);
		if (!s->pred[p].fresh) {
			EM(s->e, VPBROADCASTB, Y(y), byte_at(s, PRED_AT + 4 * (int32_t)p));
		} else {
			EM(s->e, MOV, D(RAX), D(s->pred[p].acc));
			EM(s->e, SHR, D(RAX), IM(s->looped ? 24 : 8 * s->chunk));
			EM(s->e, VMOVD, X(y), D(RAX));
			EM(s->e, VPBROADCASTB, Y(y), X(y));
		}
		expand(s, y);
		s->y[y].kind = PPU_Y_PRED;
		s->y[y].id = (uint16_t)p;
		s->pred[p].y = (int8_t)y;
		s->pred[p].invert = false;
	}
	s->y[y].lock = 1;
	return (struct ppu_lanes){ y, s->pred[p].invert != negate };
}

int ppu_seg_true(struct ppu_seg *s, struct ppu_lanes l)
{
	int t;

	if (!l.invert)
		return l.y;
	t = ppu_seg_temp(s);
	EM(s->e, VPXOR, Y(t), Y(l.y), ppu_seg_const(s, ~0u));
	return t;
}

/* The sign bits of this chunk go to the predicate's general register. */
static void gather_bits(struct ppu_seg *s, unsigned p, struct ppu_lanes l)
{
	bool again = s->pred[p].fresh;
	int acc;

	if (s->pred[p].acc < 0)
		s->pred[p].acc = (int8_t)(R8 + s->accs++);
	acc = s->pred[p].acc;
	s->pred[p].fresh = true;
	if (!s->looped && !s->chunk) {
		EM(s->e, VMOVMSKPS, D(acc), Y(l.y));
		if (l.invert)
			EM(s->e, XOR, D(acc), IM(0xff));
		return;
	}
	EM(s->e, VMOVMSKPS, D(RAX), Y(l.y));
	if (l.invert)
		EM(s->e, XOR, D(RAX), IM(0xff));
	EM(s->e, SHL, D(RAX), IM(s->looped ? 24 : 8 * s->chunk));
	if (again && s->looped)
		EM(s->e, AND, D(acc), IM(0x00ffffff));
	else if (again)
		EM(s->e, AND, D(acc), IM((1u << 8 * s->chunk) - 1));
	else if (s->looped)
		EM(s->e, SHR, D(acc), IM(8));
	EM(s->e, OR, D(acc), D(RAX));
}

/* Predicate p = l; l.y is a temporary. */
void ppu_seg_put_pred(struct ppu_seg *s, unsigned p, struct ppu_lanes l)
{
	if (p == PPU_PT)
		return;
	if (s->guard >= 0) {
		int old = ppu_seg_true(s, ppu_seg_pred(s, p, false)), new = ppu_seg_true(s, l), t = ppu_seg_temp(s);

		if (s->guard_invert)
			EM(s->e, VBLENDVPS, Y(t), Y(new), Y(old), Y(s->guard));
		else
			EM(s->e, VBLENDVPS, Y(t), Y(old), Y(new), Y(s->guard));
		l = (struct ppu_lanes){ t, false };
	}
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
	struct ppu_lanes p = l, q = { l.y, !l.invert };

	keep_only(s, l.y);
	if (di->ps != PPU_PT || di->psn || di->x) {
		int r = ppu_seg_true(s, l), with, t = ppu_seg_temp(s), u = ppu_seg_temp(s);

		if (di->ps != PPU_PT) {
			with = ppu_seg_true(s, ppu_seg_pred(s, di->ps, di->psn));
		} else {
			with = ppu_seg_temp(s);
			EM(s->e, VMOVDQA, Y(with), ppu_seg_const(s, di->psn ? 0 : ~0u));
		}
		switch (di->x) {
		case PPU_BOOL_AND:
			EM(s->e, VPAND, Y(t), Y(r), Y(with));
			EM(s->e, VPANDN, Y(u), Y(r), Y(with));
			break;
		case PPU_BOOL_OR:
			EM(s->e, VPOR, Y(t), Y(r), Y(with));
			EM(s->e, VPXOR, Y(u), Y(r), ppu_seg_const(s, ~0u));
			EM(s->e, VPOR, Y(u), Y(u), Y(with));
			break;
		default:
			EM(s->e, VPXOR, Y(t), Y(r), Y(with));
			EM(s->e, VPXOR, Y(u), Y(t), ppu_seg_const(s, ~0u));
			break;
		}
		p = (struct ppu_lanes){ t, false };
		q = (struct ppu_lanes){ u, false };
	}
	/* Both may use one vector: the first to have it keeps it. */
	ppu_seg_put_pred(s, di->pd, p);
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
	EM(s->e, VMOVMSKPS, D(RAX), Y(g.y));
	if (!s->masked) {
		EM(s->e, CMP, D(RAX), IM(taken != g.invert ? 0xff : 0));
	} else {
		/* The lanes that go the other way. */
		if (taken != g.invert)
			EM(s->e, XOR, D(RAX), IM(0xff));
		EM(s->e, AND, D(RAX), M(RDI, ACTIVE_AT, 4));
	}
	JUMP(s->e, JNZ, s->bail);
}

static void one(struct ppu_seg *s)
{
	const struct ppu_dinsn *di = &s->code[s->list[s->at]];

	s->guard = -1;
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
		struct ppu_lanes g;

		if (di->gp == PPU_PT)
			return;		/* @!PT: nobody */
		g = ppu_seg_pred(s, di->gp, di->gn);
		s->guard = g.y;
		s->guard_invert = g.invert;
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
		struct ppu_opn to = M(R11, PPU_AT_UNDO + 128 * (int32_t)i, 32);

		if (i < UNDO_LOADS) {
			EM(s->e, VMOVDQU, to, Y(load(s, s->fuse->undo[i])));
			ppu_seg_unlock_all(s);
		} else {
			EM(s->e, VMOVDQA, Y(SCRATCH), row_at(s, s->fuse->undo[i]));
			EM(s->e, VMOVDQU, to, Y(SCRATCH));
		}
	}
}

/* Eight lanes without an active one are left out: there would be no address. Returns the label where they go. */
static uint32_t start_masked(struct ppu_seg *s)
{
	uint32_t skip = ppu_emit_label(s->e);

	EM(s->e, MOVZX, D(RAX), byte_at(s, ACTIVE_AT));
	EM(s->e, TEST, D(RAX), D(RAX));
	JUMP(s->e, JZ, skip);
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
	uint32_t on = ppu_emit_label(s->e);
	unsigned i;

	JUMP(s->e, JMP, on);
	ppu_emit_bind(s->e, skip);
	/* The bits of predicates move on; write_preds() takes active lanes only. */
	for (i = 0; i < s->accs; i++)
		EM(s->e, SHR, D(R8 + i), IM(8));
	ppu_emit_bind(s->e, on);
}

static void chunk(struct ppu_seg *s)
{
	uint32_t skip = 0;
	int i;

	memset(s->y, 0, sizeof(s->y));
	memset(s->row, -1, sizeof(s->row));
	memset(s->index, -1, sizeof(s->index));
	memset(s->ptr, -1, sizeof(s->ptr));
	s->placed = 0;
	for (i = 0; i < 16; i++) {
		s->pred[i].y = -1;
		s->pred[i].fresh = false;
	}
	s->inactive = s->first = -1;
	if (s->masked) {
		int t;

		s->inactive = ppu_seg_temp(s);
		t = ppu_seg_temp(s);
		EM(s->e, VPBROADCASTB, Y(s->inactive), byte_at(s, ACTIVE_AT));
		EM(s->e, VPAND, Y(s->inactive), Y(s->inactive), bits_of_lanes(s));
		EM(s->e, VPXOR, Y(t), Y(t), Y(t));
		EM(s->e, VPCMPEQD, Y(s->inactive), Y(s->inactive), Y(t));
		ppu_seg_unlock_all(s);
	}
	s->at = 0;
	if (s->fuse)
		save_old(s);
	if (s->fuse && s->masked)
		skip = start_masked(s);
	for (s->at = 0; s->at < s->n; s->at++)
		one(s);
	ppu_emit_mark(s->e, PPU_MARK_COMMON);
	for (i = 0; i < 16; i++)
		if (s->y[i].dirty && ppu_live_reg(&s->live, s->y[i].id))
			write_row(s, i);
	if (s->fuse && s->masked)
		end_masked(s, skip);
}

/* The predicates of all lanes. */
static void write_preds(struct ppu_seg *s)
{
	int i;

	for (i = 0; i < 15; i++) {
		struct ppu_opn at = M(RBP, PRED_AT + 4 * i, 4);

		if (s->pred[i].acc < 0)
			continue;
		if (!s->masked) {
			EM(s->e, MOV, at, D(s->pred[i].acc));
			continue;
		}
		EM(s->e, MOV, D(RAX), at);
		EM(s->e, XOR, D(s->pred[i].acc), D(RAX));
		EM(s->e, AND, D(s->pred[i].acc), D(R14));
		EM(s->e, XOR, D(RAX), D(s->pred[i].acc));
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
	EM(e, ADD, Q(RSI), IM(32));
	EM(e, ADD, Q(RDI), IM(1));
	if (s->fuse)
		EM(e, ADD, Q(R11), IM(32));
	EM(e, CMP, Q(RDI), M(RSP, PPU_AT_LIMIT, 8));
	JUMP(e, JNZ, again);
}

static void seg_init(struct ppu_seg *s, const struct ppu_program *prog, uint32_t next)
{
	unsigned i;

	for (i = 0; i < 16; i++)
		s->pred[i].acc = -1;
	ppu_flow_live(prog, next, &s->live);
}

void ppu_seg_emit(struct ppu_emit *e, const struct ppu_program *prog, const uint32_t *list, uint32_t n, uint32_t next,
		  bool masked)
{
	struct ppu_seg s = { .e = e, .code = prog->code, .list = list, .n = n, .nregs = prog->nregs, .masked = masked };

	seg_init(&s, prog, next);
	s.looped = n > UNROLL_MAX;
	if (s.looped)
		loop(&s);
	else
		for (s.chunk = 0; s.chunk < 4; s.chunk++)
			chunk(&s);
	write_preds(&s);
}

/* ---- with loads ---- */

void ppu_seg_emit_fused(struct ppu_emit *e, const struct ppu_program *prog, const struct ppu_fuse *f, bool masked,
			uint32_t good, uint32_t bail, const struct ppu_stubs *stubs)
{
	const int32_t reads = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_PARTITION_READS;
	const int32_t atomics = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_ATOMICS;
	const int32_t writes = (int32_t)offsetof(struct ppu_sm, ctr) + 8 * (int32_t)PPU_CTR_PARTITION_WRITES;
	struct ppu_seg s = { .e = e, .code = prog->code, .list = f->list, .n = f->n, .nregs = prog->nregs, .fuse = f,
			     .looped = true, .masked = masked, .bail = bail, .stubs = stubs };
	unsigned i;

	seg_init(&s, prog, f->next);
	for (i = 0; i < f->groups; i++)
		if (PPU_SPACE_IS_64(f->g[i].space))
			EM(e, MOV, M(RSP, PPU_AT_SLOTS + PPU_SLOT * (int32_t)i, 8), IM(-1));
	if (f->reads || f->writes) {
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_RUN, 8));
		EM(e, MOV, M(RAX, FILLS_AT, 4), IM(0));
		EM(e, MOV, M(RSP, USED_AT(bytes), 8), IM(0));
		EM(e, MOV, M(RSP, USED_AT(gathered), 8), IM(0));
	}
	if (f->reads)
		EM(e, MOV, M(RSP, PPU_AT_EXTRA, 8), IM(masked ? 0 : PPU_LANES / 8 * (int)f->reads));
	if (f->writes) {
		EM(e, MOV, M(RSP, PPU_AT_WRITES, 8), IM(masked ? 0 : PPU_LANES / 8 * (int)f->writes));
		EM(e, MOV, M(RSP, PPU_AT_CLEAN, 8), IM(0));
	}
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
	JUMP(e, JMP, good);
	ppu_emit_mark(e, PPU_MARK_COMMON);
	ppu_select_load_aways(&s);
}

void ppu_seg_undo(struct ppu_emit *e, const struct ppu_fuse *f)
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
	if (f->undos) {
		EM(e, MOV, Q(RAX), Q(RSP));
		EM(e, MOV, Q(RDX), Q(RBX));
		ppu_emit_bind(e, again);
		for (i = 0; i < f->undos; i++) {
			EM(e, VMOVDQU, Y(0), M(RAX, PPU_AT_UNDO + 128 * (int32_t)i, 32));
			EM(e, VMOVDQA, M(RDX, 128 * (int32_t)f->undo[i], 32), Y(0));
		}
		EM(e, ADD, Q(RAX), IM(32));
		EM(e, ADD, Q(RDX), IM(32));
		EM(e, CMP, Q(RDX), Q(RSI));
		JUMP(e, JBE, again);
	}
	EM0(e, VZEROUPPER);
}
#endif
