/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks, and what lies between segments: control, memory, and every instruction that has no host code of its own.
 *
 * A block begins at a turn point and ends before the next one.  Each block exists twice: for a warp with all lanes
 * active (full), and for one with only some (masked).  Which lanes are active changes only in handlers, after which
 * host code looks w->pc up and goes on there.
 *
 *   rbx rows   rbp warp   r12 cycle   r13 pool   r14d active lanes   r15 SM
 *   [rsp] cycles of struct ppu_run, instructions, thread instructions, number of active lanes, struct ppu_run
 *
 * Cycles and instructions are constants that are added at the end of a block; before that, a site says how far it is
 * behind them.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/code_memory.h"
#include "core/sm/translate/region.h"
#include "core/sm/translate/segment.h"

/* On the host's stack. */
#define AT_TURN		0
#define AT_END		8
#define AT_INSNS	16
#define AT_THREADS	24
#define AT_LANES	32
#define AT_RUN		PPU_AT_RUN
#define FRAME		((PPU_AT_TOP + 15) / 16 * 16 + 8)	/* and 56 bytes below: aligned to 16 */

/* The pool begins with what all code uses. */
#define POOL_LANE_BITS	0
#define POOL_ENTER	32	/* enter[] */
#define POOL_CODE	40	/* the code itself */
#define POOL_HEAD	64

#define SEG_MAX		64	/* instructions of a segment */

#define WARP(field)	((int32_t)offsetof(struct ppu_warp, field))
#define SITE(field)	((int32_t)offsetof(struct ppu_site, field))

struct build {
	struct ppu_emit e;
	const struct ppu_program *prog;
	const struct ppu_dinsn *code;
	struct ppu_region *r;
	uint32_t *todo, todos;
	uint8_t *reached;		/* enum ppu_block */
	uint32_t (*label)[2];		/* of blocks, by PC; 0: none */
	uint32_t begin, dispatch, leave, stop;	/* labels */
	bool masked;

	/* of the block that is made */
	uint32_t pc;
	uint32_t cycles, insns, always;	/* not added yet */
	struct {
		uint16_t row;
		uint8_t bytes, wide;	/* bytes 0: nothing is known */
	} shape[PPU_SHAPES];
	unsigned next_shape;
	struct ppu_stubs stubs;
	uint32_t plain;			/* no fused segment begins before this PC */
	uint8_t *traced;		/* by PC: part of a trace of another block (bit 0, some lanes: bit 1) */
	uint32_t open[SEG_MAX], opens;	/* segment that is not made yet, by PC */
	struct ppu_live reads, writes;	/* of these */
	bool guards;			/* one of these has a guard */
};

/* ---- which blocks ---- */

static bool ends_block(const struct ppu_dinsn *di)
{
	if (di->fn)
		return false;
	switch (di->handler) {
	case PPU_H_nop: case PPU_H_s2r: case PPU_H_ld: case PPU_H_st: case PPU_H_atom: case PPU_H_membar:
	case PPU_H_push:
		return false;
	}
	return true;
}

static bool goes_on(const struct ppu_dinsn *di)
{
	if (di->fn || !di->always)
		return true;
	switch (di->handler) {
	case PPU_H_illegal: case PPU_H_badpc: case PPU_H_trap: case PPU_H_bra: case PPU_H_brx: case PPU_H_exit:
	case PPU_H_disable: case PPU_H_ret:
		return false;
	}
	return true;
}

static void reach(struct build *b, uint32_t pc)
{
	if (pc >= b->prog->n || b->reached[pc])
		return;
	b->reached[pc] = PPU_BLOCK_BEGINS;
	b->todo[b->todos++] = pc;
}

/* Marks the first instructions of all blocks that can be reached. */
static void find_blocks(struct build *b, uint32_t entry)
{
	uint32_t i;

	if (entry != PPU_REGION_ALL)
		reach(b, entry);
	for (i = 0; entry == PPU_REGION_ALL && i < b->prog->n; i++)
		if (b->code[i].turn)
			reach(b, i);
	while (b->todos) {
		uint32_t pc = b->todo[--b->todos];
		const struct ppu_dinsn *di;

		for (;; pc++) {
			di = &b->code[pc];
			if (pc >= b->prog->n)
				break;
			if (!di->fn)
				switch (di->handler) {
				case PPU_H_bra: case PPU_H_push: case PPU_H_disable: case PPU_H_cal:
					reach(b, di->imm);
					if (di->handler == PPU_H_bra && di->imm <= pc)
						b->reached[di->imm] = PPU_BLOCK_LOOP;
				}
			if (!goes_on(di))
				break;
			if (ends_block(di) || b->code[pc + 1].turn) {
				reach(b, pc + 1);
				break;
			}
		}
	}
}

/* ---- counting ---- */

static void count(struct build *b, const struct ppu_dinsn *di)
{
	b->cycles += di->cost;
	b->insns++;
	b->always += di->always;
}

/* Adds what has been counted.  Uses rax. */
static void flush_counts(struct build *b)
{
	struct ppu_emit *e = &b->e;

	if (b->cycles)
		EM(e, ADD, Q(R12), IM(b->cycles));
	if (b->insns)
		EM(e, ADD, M(RSP, AT_INSNS, 8), IM(b->insns));
	if (b->always && !b->masked)
		EM(e, ADD, M(RSP, AT_THREADS, 8), IM(b->always * PPU_LANES));
	if (b->always && b->masked) {
		EM(e, IMUL, Q(RAX), M(RSP, AT_LANES, 8), IM(b->always));
		EM(e, ADD, M(RSP, AT_THREADS, 8), Q(RAX));
	}
	b->cycles = b->insns = b->always = 0;
}

/* ecx: the lanes that execute an instruction under a guard, which are counted. */
static void guard_lanes(struct build *b, const struct ppu_dinsn *di)
{
	struct ppu_emit *e = &b->e;

	EM(e, MOV, D(RCX), M(RBP, WARP(v.pred) + 4 * di->gp, 4));
	if (di->gn)
		EM(e, NOT, D(RCX));
	if (b->masked)
		EM(e, AND, D(RCX), D(R14));
	EM(e, POPCNT, D(RAX), D(RCX));
	EM(e, ADD, M(RSP, AT_THREADS, 8), Q(RAX));
}

/* ---- sites ---- */

/* Where a load finds or leaves what it knows of its addresses. */
static void place_shape(struct build *b, const struct ppu_dinsn *di, struct ppu_site *s)
{
	unsigned bytes = ppu_call_shape(di), wide = PPU_SPACE_IS_64(di->m), i;

	s->shape = PPU_SHAPES - 1;		/* which nobody shares */
	for (i = 0; bytes && i < PPU_SHAPES - 1; i++)
		if (b->shape[i].bytes == bytes && b->shape[i].row == di->a && b->shape[i].wide == wide) {
			s->shape = (uint8_t)i;
			s->known = 1;
			return;
		}
	if (!bytes)
		return;
	i = b->next_shape++ % (PPU_SHAPES - 1);
	b->shape[i].bytes = (uint8_t)bytes;
	b->shape[i].row = di->a;
	b->shape[i].wide = (uint8_t)wide;
	s->shape = (uint8_t)i;
}

/* The instructions [first, last) have written registers. */
static void forget_shapes(struct build *b, uint32_t first, uint32_t last)
{
	unsigned i, k;

	for (; first < last; first++) {
		const struct ppu_dinsn *di = &b->code[first];

		/* With a guard it writes, too; a wide result has at most eight registers. */
		for (i = 0; i < PPU_SHAPES; i++)
			for (k = 0; k < 8; k++)
				if (di->d + k == b->shape[i].row || di->d + k == b->shape[i].row + b->shape[i].wide)
					b->shape[i].bytes = 0;
	}
}

static uint32_t site(struct build *b, void *fn, const struct ppu_dinsn *di, uint32_t pc)
{
	struct ppu_site s = { .fn = fn, .di = di, .pc = pc, .next = pc + 1, .cycles = (int32_t)b->cycles,
			      .insns = b->insns + 1, .always = b->always + di->always,
			      .handler = di->fn ? NULL : ppu_warp_handler(di->handler) };

	place_shape(b, di, &s);
	forget_shapes(b, pc, pc + 1);

	return ppu_emit_pool(&b->e, &s, sizeof(s));
}

/* Calls fn(sm, w, site, lanes, cycle): lanes are in ecx when the instruction has a guard. */
static void call_site(struct build *b, const struct ppu_dinsn *di, uint32_t at)
{
	struct ppu_emit *e = &b->e;

	if (di->always)
		EM(e, MOV, D(RCX), D(R14));
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), Q(RBP));
	EM(e, LEA, Q(RDX), M(R13, at, 8));
	EM(e, MOV, Q(R8), Q(R12));
	EM(e, MOV, Q(R9), M(RSP, AT_RUN, 8));
	EM(e, CALL, M(R13, at + SITE(fn), 8));
}

/* An instruction that leaves the warp at the next one with the same lanes, or stops it. */
static void plain_call(struct build *b, const struct ppu_dinsn *di)
{
	uint32_t at = site(b, ppu_call_of(di, b->prog->nregs), di, b->pc), fine = ppu_emit_label(&b->e);
	struct ppu_emit *e = &b->e;

	if (!di->always) {
		guard_lanes(b, di);
		EM(e, TEST, D(RCX), D(RCX));
		JUMP(e, JZ, fine);
	}
	call_site(b, di, at);
	EM(e, TEST, D(RAX), D(RAX));
	JUMP(e, JZ, fine);
	EM(e, LEA, Q(RDX), M(R13, at, 8));
	JUMP(e, JMP, b->stop);
	ppu_emit_bind(e, fine);
	count(b, di);
}

/* A pure function of exec/. */
static void pure_call(struct build *b, const struct ppu_dinsn *di)
{
	uint32_t at = site(b, (void *)di->fn, di, b->pc), skip = ppu_emit_label(&b->e);
	struct ppu_emit *e = &b->e;

	if (!di->always) {
		guard_lanes(b, di);
		EM(e, TEST, D(RCX), D(RCX));
		JUMP(e, JZ, skip);
		EM(e, MOV, D(RDX), D(RCX));
	} else {
		EM(e, MOV, D(RDX), D(R14));
	}
	EM(e, LEA, Q(RDI), M(RBP, WARP(v), 8));
	EM(e, MOV, Q(RSI), M(R13, at + SITE(di), 8));
	EM(e, CALL, M(R13, at + SITE(fn), 8));
	ppu_emit_bind(e, skip);
	count(b, di);
}

/* An instruction that ends the block: the warp goes on wherever the handler says. */
static void last_call(struct build *b, const struct ppu_dinsn *di)
{
	uint32_t at = site(b, (void *)ppu_call_handler, di, b->pc), next = ppu_emit_label(&b->e);
	uint32_t fine = ppu_emit_label(&b->e);
	struct ppu_emit *e = &b->e;

	if (!di->always) {
		guard_lanes(b, di);
		EM(e, TEST, D(RCX), D(RCX));
		JUMP(e, JZ, next);
	}
	call_site(b, di, at);
	EM(e, TEST, D(RAX), D(RAX));
	JUMP(e, JZ, fine);
	EM(e, LEA, Q(RDX), M(R13, at, 8));
	JUMP(e, JMP, b->stop);
	ppu_emit_bind(e, fine);
	/* Mostly with the same lanes at the next instruction. */
	count(b, di);
	if (goes_on(di)) {
		uint32_t away = ppu_emit_label(e);

		EM(e, MOV, D(RAX), M(RBP, WARP(pc), 4));
		EM(e, CMP, D(RAX), M(R13, at + SITE(next), 4));
		JUMP(e, JNZ, away);
		EM(e, CMP, M(RBP, WARP(active), 4), D(R14));
		JUMP(e, JZ, next);
		ppu_emit_bind(e, away);
	}
	{
		uint32_t cycles = b->cycles, insns = b->insns, always = b->always;

		flush_counts(b);
		JUMP(e, JMP, b->dispatch);
		b->cycles = cycles;
		b->insns = insns;
		b->always = always;
	}
	ppu_emit_bind(e, next);
}

/* A vote: in host code, or by the handler. */
static void vote(struct build *b, const struct ppu_dinsn *di)
{
	uint32_t other = ppu_emit_label(&b->e), done = ppu_emit_label(&b->e);

	ppu_cross_vote(&b->e, di, other);
	JUMP(&b->e, JMP, done);
	ppu_emit_bind(&b->e, other);
	last_call(b, di);
	ppu_emit_bind(&b->e, done);
}

/* ---- branches ---- */

/* Goes to a block, or where none is, to the interpreter. */
static void go_to(struct build *b, uint32_t pc)
{
	struct ppu_emit *e = &b->e;

	if (pc < b->prog->n && b->label[pc][b->masked]) {
		JUMP(e, JMP, b->label[pc][b->masked]);
	} else {
		struct ppu_site s = { .pc = pc };
		uint32_t at = ppu_emit_pool(e, &s, sizeof(s));

		EM(e, MOV, D(RAX), M(R13, at + SITE(pc), 4));
		EM(e, MOV, M(RBP, WARP(pc), 4), D(RAX));
		JUMP(e, JMP, b->leave);
	}
}

static void bra(struct build *b, const struct ppu_dinsn *di)
{
	struct ppu_emit *e = &b->e;
	uint32_t at, taken, none;

	if (di->always) {
		count(b, di);
		flush_counts(b);
		go_to(b, di->imm);
		return;
	}
	taken = ppu_emit_label(e);
	none = ppu_emit_label(e);
	guard_lanes(b, di);
	at = site(b, (void *)ppu_call_handler, di, b->pc);
	EM(e, TEST, D(RCX), D(RCX));
	JUMP(e, JZ, none);
	EM(e, CMP, D(RCX), D(R14));
	JUMP(e, JZ, taken);
	call_site(b, di, at);
	EM(e, TEST, D(RAX), D(RAX));
	count(b, di);
	{
		uint32_t fine = ppu_emit_label(e), cycles = b->cycles, insns = b->insns, always = b->always;

		JUMP(e, JZ, fine);
		EM(e, LEA, Q(RDX), M(R13, at, 8));
		JUMP(e, JMP, b->stop);
		ppu_emit_bind(e, fine);
		flush_counts(b);
		JUMP(e, JMP, b->dispatch);
		b->cycles = cycles;
		b->insns = insns;
		b->always = always;
		ppu_emit_bind(e, taken);
		flush_counts(b);
		go_to(b, di->imm);
		b->cycles = cycles;
		b->insns = insns;
		b->always = always;
	}
	ppu_emit_bind(e, none);
}

/* ---- blocks ---- */

/*
 * A segment stays open while loads follow that have nothing to do with it: they are made first.  So sums of products
 * that are loaded one after the other become one segment.  The counts of its instructions are added where these stand,
 * so nobody can see the order: a load that faults ends the warp.
 */
static void close_segment(struct build *b)
{
	uint32_t i;

	if (!b->opens)
		return;
	for (i = 0; i < b->opens; i++) {
		const struct ppu_dinsn *di = &b->code[b->open[i]];

		if (!di->always && di->gp != PPU_PT) {
			ppu_emit_mark(&b->e, b->open[i]);
			guard_lanes(b, di);
		}
		forget_shapes(b, b->open[i], b->open[i] + 1);
	}
	ppu_emit_mark(&b->e, PPU_MARK_COMMON);
	ppu_seg_emit(&b->e, b->prog, b->open, b->opens, b->pc, b->masked);
	EM0(&b->e, VZEROUPPER);
	b->r->inlined += b->masked ? 0 : b->opens;
	b->r->segments += !b->masked;
	ppu_emit_mark(&b->e, PPU_MARK_COMMON);
	b->opens = 0;
}

static void join(struct ppu_live *to, const struct ppu_live *more)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		to->reg[i] |= more->reg[i];
	to->pred |= more->pred;
}

static bool meet(const struct ppu_live *a, const struct ppu_live *b)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		if (a->reg[i] & b->reg[i])
			return true;
	return a->pred & b->pred;
}

/* The instruction at b->pc becomes part of the open segment.  False: it cannot be part of any. */
static bool compute(struct build *b)
{
	const struct ppu_dinsn *di = &b->code[b->pc];
	struct ppu_live reads, writes;

	if (!ppu_seg_extends(b->code, b->open, 0, b->pc, PPU_SEG_PREDS))
		return false;
	if (b->opens == SEG_MAX || !ppu_seg_extends(b->code, b->open, b->opens, b->pc, PPU_SEG_PREDS))
		close_segment(b);
	if (!b->opens) {
		memset(&b->reads, 0, sizeof(b->reads));
		memset(&b->writes, 0, sizeof(b->writes));
		b->guards = false;
	}
	ppu_flow_effects(b->prog, b->pc, &reads, &writes);
	join(&b->reads, &reads);
	join(&b->writes, &writes);
	b->guards |= !di->always;
	b->open[b->opens++] = b->pc;
	count(b, di);
	return true;
}

/* May the load at b->pc be made before the open segment? */
static bool passes(const struct build *b)
{
	const struct ppu_dinsn *di = &b->code[b->pc];
	struct ppu_live reads, writes;

	if (di->fn || di->handler != PPU_H_ld || !di->always || b->guards)
		return false;
	ppu_flow_effects(b->prog, b->pc, &reads, &writes);
	return !meet(&reads, &b->writes) && !meet(&writes, &b->reads) && !meet(&writes, &b->writes);
}

/* The instruction at b->pc; *on: what follows is part of the block.  False: the block ends with it. */
static bool instruction(struct build *b, bool *on)
{
	const struct ppu_dinsn *di = &b->code[b->pc];

	if (compute(b)) {
		b->r->tids |= !di->fn;
		return true;
	}
	if (!passes(b))
		close_segment(b);
	ppu_emit_mark(&b->e, b->pc);
	if (di->fn) {
		pure_call(b, di);
	} else if (di->handler == PPU_H_bra) {
		bra(b, di);
	} else if (di->handler == PPU_H_nop) {
		if (!di->always)
			guard_lanes(b, di);
		count(b, di);
	} else if (!b->masked && ppu_cross_shuffles(di)) {
		ppu_cross_shuffle(&b->e, di);
		count(b, di);
	} else if (!b->masked && ppu_cross_votes(di)) {
		vote(b, di);
	} else if (ends_block(di)) {
		last_call(b, di);
	} else {
		plain_call(b, di);
	}
	*on = goes_on(di);
	return *on && !ends_block(di);
}

/* ---- segments with loads ---- */

/*
 * A fused segment that fails costs time for nothing.  Each failure adds BAIL_COST to its count, each success takes as much
 * off.  While the count is above BAIL_LIMIT, the segment is left out, which takes 1 off: one that always fails is tried
 * once in BAIL_COST times.  Each worker counts for itself: a line of the host's cache that two write would cost more than
 * the segment does.
 */
#define BAIL_COST	8
#define BAIL_LIMIT	256
/* A trace gains less than it loses: it must succeed eight times as often as it fails. */
#define TRACE_GAIN	4
#define TRACE_COST	32

/* Before the segment: is it worth trying? */
static void try_fused(struct build *b, int32_t note, uint32_t skip)
{
	struct ppu_emit *e = &b->e;

	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_NOTES, 8));
	EM(e, CMP, M(RAX, note, 4), IM(BAIL_LIMIT));
	JUMP(e, JNBE, skip);
}

/* Behind the segment. */
static void fused_well(struct build *b, int32_t note, int gain, uint32_t done)
{
	struct ppu_emit *e = &b->e;

	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_NOTES, 8));
	EM(e, CMP, M(RAX, note, 4), IM(0));
	JUMP(e, JZ, done);
	EM(e, SUB, M(RAX, note, 4), IM(gain));
	JUMP(e, JNB, done);
	EM(e, MOV, M(RAX, note, 4), IM(0));
}

/* Where it fails: everything is as it was in front of it, and goes on at `plain`.  At `skip` it has not been tried. */
static void fused_badly(struct build *b, const struct ppu_fuse *f, int32_t note, int cost, uint32_t early, uint32_t skip,
			uint32_t plain)
{
	struct ppu_emit *e = &b->e;

	ppu_seg_undo(e, f, b->masked);
	ppu_emit_bind(e, early);
	if (f->guards) {
		EM(e, MOV, Q(RAX), M(RSP, PPU_AT_THREADS, 8));
		EM(e, MOV, M(RSP, AT_THREADS, 8), Q(RAX));
	}
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_NOTES, 8));
	EM(e, ADD, M(RAX, note, 4), IM(cost));
	JUMP(e, JMP, plain);
	ppu_emit_bind(e, skip);
	EM(e, SUB, M(RAX, note, 4), IM(1));
	ppu_emit_bind(e, plain);
}

static struct ppu_seg_ends seg_ends(struct ppu_emit *e)
{
	struct ppu_seg_ends to;

	to.good = ppu_emit_label(e);
	to.bail = ppu_emit_label(e);
	to.early = ppu_emit_label(e);
	return to;
}

/* The lanes of all guards. */
static void fused_guards(struct build *b, const struct ppu_fuse *f)
{
	struct ppu_emit *e = &b->e;
	uint32_t i;

	if (f->guards) {
		EM(e, MOV, Q(RAX), M(RSP, AT_THREADS, 8));
		EM(e, MOV, M(RSP, PPU_AT_THREADS, 8), Q(RAX));
	}
	for (i = 0; i < f->n; i++) {
		const struct ppu_dinsn *di = &b->code[f->list[i]];

		if (f->group[i] == PPU_FUSE_WAY)
			continue;
		b->r->tids |= !di->fn && f->group[i] < 0;
		if (!di->always && di->gp != PPU_PT)
			guard_lanes(b, di);
	}
}

static void plain_again(struct build *b, const struct ppu_fuse *f)
{
	uint32_t inlined = b->r->inlined, segments = b->r->segments;
	bool on;

	b->pc = f->list[0];
	b->plain = f->next;
	for (; b->pc < f->next; b->pc++)
		instruction(b, &on);
	close_segment(b);
	b->r->inlined = inlined;	/* they count once, as part of the fused segment */
	b->r->segments = segments;
	memset(b->shape, 0, sizeof(b->shape));
}

/* A fused segment at b->pc, if one begins there. */
static bool fused(struct build *b)
{
	struct ppu_emit *e = &b->e;
	struct ppu_fuse f;
	uint32_t done, skip, plain, cycles = b->cycles, insns = b->insns, always = b->always, i;
	struct ppu_seg_ends to;
	int32_t note;

	if (b->opens || b->pc < b->plain)
		return false;
	if (!ppu_fuse_plan(b->prog, b->pc, &f)) {
		b->plain = f.next;
		return false;
	}
	note = (int32_t)ppu_emit_note(e);
	done = ppu_emit_label(e);
	to = seg_ends(e);
	skip = ppu_emit_label(e);
	plain = ppu_emit_label(e);
	ppu_emit_mark(e, PPU_MARK_COMMON);
	try_fused(b, note, skip);
	fused_guards(b, &f);
	ppu_seg_emit_fused(e, b->prog, &f, b->masked, &to, &b->stubs);

	ppu_emit_mark(e, PPU_MARK_COMMON);
	ppu_emit_bind(e, to.good);
	fused_well(b, note, BAIL_COST, done);
	JUMP(e, JMP, done);
	ppu_emit_bind(e, to.bail);
	fused_badly(b, &f, note, BAIL_COST, to.early, skip, plain);
	plain_again(b, &f);
	ppu_emit_bind(e, done);
	/* Both ways count the same. */
	for (i = 0, b->cycles = cycles, b->insns = insns, b->always = always; i < f.n; i++)
		count(b, &b->code[f.list[i]]);
	b->r->inlined += b->masked ? 0 : f.n;
	b->r->segments += !b->masked;
	return true;
}

/* The code of one block; b->pc is behind it afterwards.  False: what follows is not part of it. */
static bool instructions(struct build *b)
{
	uint32_t first = b->pc;
	bool more = true, on = true;

	while (more && b->pc < b->prog->n && (b->pc == first || !b->code[b->pc].turn)) {
		if (fused(b))
			continue;
		more = instruction(b, &on);
		b->pc++;
	}
	close_segment(b);
	return on;
}

/* ---- traces ---- */

/* The end of a block from b->pc on. */
static void rest(struct build *b)
{
	if (!b->code[b->pc].turn && !instructions(b))
		return;
	ppu_emit_mark(&b->e, PPU_MARK_COMMON);
	flush_counts(b);
	go_to(b, b->pc);
}

static void count_trace(struct build *b, const struct ppu_fuse *f)
{
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		const struct ppu_dinsn *di = &b->code[f->list[i]];

		count(b, di);
		b->always += f->group[i] == PPU_FUSE_WAY && f->taken[i] && !di->always;
	}
}

/*
 * In front of the code of a block: the block and what mostly follows it, as one segment.  It is left out if the turn
 * might end inside.  If it fails, the block is done alone.
 */
static void trace(struct build *b)
{
	uint32_t inlined = b->r->inlined, segments = b->r->segments, good, skip, single, i;
	uint8_t bit = (uint8_t)(1u << b->masked);
	struct ppu_emit *e = &b->e;
	struct ppu_seg_ends to;
	struct ppu_fuse f;
	int32_t note;

	if (!ppu_fuse_trace(b->prog, b->pc, b->reached, &f) || (b->traced[b->pc] & bit && !f.loops))
		return;
	for (i = 0; i < f.n; i++)
		b->traced[f.list[i]] |= bit;
	note = (int32_t)ppu_emit_note(e);
	to = seg_ends(e);
	skip = ppu_emit_label(e);
	single = ppu_emit_label(e);
	ppu_emit_mark(e, PPU_MARK_COMMON);
	EM(e, LEA, Q(RAX), M(R12, f.turns, 8));
	EM(e, CMP, Q(RAX), M(RSP, AT_TURN, 8));
	JUMP(e, JNB, single);
	try_fused(b, note, skip);
	fused_guards(b, &f);
	ppu_seg_emit_fused(e, b->prog, &f, b->masked, &to, &b->stubs);
	ppu_emit_mark(e, PPU_MARK_COMMON);
	ppu_emit_bind(e, to.good);
	good = ppu_emit_label(e);
	fused_well(b, note, TRACE_GAIN, good);
	ppu_emit_bind(e, good);
	count_trace(b, &f);
	b->pc = f.next;
	rest(b);
	b->cycles = b->insns = b->always = 0;
	ppu_emit_mark(e, PPU_MARK_COMMON);
	ppu_emit_bind(e, to.bail);
	fused_badly(b, &f, note, TRACE_COST, to.early, skip, single);
	b->r->inlined = inlined;	/* they count once, as part of their blocks */
	b->r->segments = segments;
}

static void block(struct build *b, uint32_t pc)
{
	struct ppu_emit *e = &b->e;
	struct ppu_site here = { .pc = pc };
	uint32_t at = ppu_emit_pool(e, &here, sizeof(here)), go = ppu_emit_label(e);

	ppu_emit_bind(e, b->label[pc][b->masked]);
	b->r->enter[pc][b->masked] = e->len;
	ppu_emit_mark(e, pc | PPU_MARK_BLOCK | (b->masked ? PPU_MARK_MASKED : 0));
	EM(e, CMP, Q(R12), M(RSP, b->code[pc].turn ? AT_TURN : AT_END, 8));
	JUMP(e, JB, go);
	EM(e, MOV, D(RAX), M(R13, at + SITE(pc), 4));
	EM(e, MOV, M(RBP, WARP(pc), 4), D(RAX));
	JUMP(e, JMP, b->leave);
	ppu_emit_bind(e, go);
	b->pc = pc;
	b->plain = 0;
	b->cycles = b->insns = b->always = 0;
	memset(b->shape, 0, sizeof(b->shape));
	trace(b);
	b->pc = pc;
	b->plain = 0;
	memset(b->shape, 0, sizeof(b->shape));
	if (!instructions(b))
		return;
	ppu_emit_mark(e, PPU_MARK_COMMON);
	flush_counts(b);
	go_to(b, b->pc);
}

/* ---- what all blocks share ---- */

/* Uses rdx. */
static void active_lanes(struct build *b)
{
	struct ppu_emit *e = &b->e;

	EM(e, MOV, D(R14), M(RBP, WARP(active), 4));
	EM(e, POPCNT, D(RDX), D(R14));
	EM(e, MOV, M(RSP, AT_LANES, 8), Q(RDX));
}

static void prologue(struct build *b)
{
	static const uint8_t saved[] = { RBX, RBP, R12, R13, R14, R15 };
	struct ppu_emit *e = &b->e;
	unsigned i;

	/* run(sm, w, run, target, pool, notes) */
	for (i = 0; i < 6; i++)
		EM(e, PUSH, Q(saved[i]));
	EM(e, SUB, Q(RSP), IM(FRAME));
	EM(e, MOV, Q(R15), Q(RDI));
	EM(e, MOV, Q(RBP), Q(RSI));
	EM(e, MOV, Q(R13), Q(R8));
	EM(e, MOV, M(RSP, AT_RUN, 8), Q(RDX));
	EM(e, MOV, M(RSP, PPU_AT_NOTES, 8), Q(R9));
	EM(e, MOV, Q(RAX), M(RDX, offsetof(struct ppu_run, end), 8));
	EM(e, MOV, M(RSP, AT_END, 8), Q(RAX));

	EM(e, XOR, D(RAX), D(RAX));
	EM(e, MOV, M(RSP, AT_INSNS, 8), Q(RAX));
	EM(e, MOV, M(RSP, AT_THREADS, 8), Q(RAX));
	EM(e, MOV, Q(R12), M(R15, offsetof(struct ppu_sm, cycle), 8));

	/* The warp in rbp goes on at rcx; rdx: struct ppu_run. */
	ppu_emit_bind(e, b->begin);
	EM(e, MOV, Q(RAX), M(RDX, offsetof(struct ppu_run, turn), 8));
	EM(e, MOV, M(RSP, AT_TURN, 8), Q(RAX));
	EM(e, MOV, Q(RBX), M(RBP, WARP(v.row), 8));
	EM(e, MOV, Q(RAX), M(RBP, WARP(cta), 8));
	EM(e, MOV, Q(RAX), M(RAX, offsetof(struct ppu_cta, task), 8));
	EM(e, MOV, Q(RAX), M(RAX, offsetof(struct ppu_sm_task, ctx), 8));
	EM(e, MOV, M(RSP, PPU_AT_CTX, 8), Q(RAX));
	active_lanes(b);
	EM(e, JMP, Q(RCX));

	/* The warp may be anywhere. */
	ppu_emit_bind(e, b->dispatch);
	active_lanes(b);
	EM(e, MOV, D(RAX), M(RBP, WARP(pc), 4));
	EM(e, XOR, D(RDX), D(RDX));
	EM(e, CMP, D(R14), IM(-1));
	EM(e, SETNZ, ((struct ppu_opn){ PPU_O_R8, RDX, 1, 0 }));
	EM(e, LEA, Q(RAX), ((struct ppu_opn){ PPU_O_INDEX, RDX, 8, RAX }));	/* rdx + 2 * rax */
	EM(e, SHL, Q(RAX), IM(2));
	EM(e, ADD, Q(RAX), M(R13, POOL_ENTER, 8));
	EM(e, MOV, D(RAX), M(RAX, 0, 4));
	EM(e, TEST, D(RAX), D(RAX));
	JUMP(e, JZ, b->leave);
	EM(e, ADD, Q(RAX), M(R13, POOL_CODE, 8));
	EM(e, JMP, Q(RAX));
}

static void epilogue(struct build *b)
{
	static const uint8_t saved[] = { R15, R14, R13, R12, RBP, RBX };
	struct ppu_warp *(*next)(struct ppu_sm *sm, struct ppu_run *run, const struct ppu_program *prog) = ppu_sm_next_turn;
	struct ppu_emit *e = &b->e;
	uint32_t out = ppu_emit_label(e);
	unsigned i;

	/* rdx: the site at which the warp stops.  The next one may go on. */
	ppu_emit_bind(e, b->stop);
	EM(e, MOVSXD, Q(RAX), M(RDX, SITE(cycles), 4));
	EM(e, ADD, Q(R12), Q(RAX));
	EM(e, MOV, Q(RCX), M(RDX, SITE(di), 8));
	EM(e, MOV, D(RAX), M(RCX, offsetof(struct ppu_dinsn, cost), 4));
	EM(e, ADD, Q(R12), Q(RAX));
	EM(e, MOV, D(RAX), M(RDX, SITE(insns), 4));
	EM(e, ADD, M(RSP, AT_INSNS, 8), Q(RAX));
	EM(e, MOV, D(RAX), M(RDX, SITE(always), 4));
	EM(e, IMUL, Q(RAX), M(RSP, AT_LANES, 8));
	EM(e, ADD, M(RSP, AT_THREADS, 8), Q(RAX));
	EM(e, MOV, M(R15, offsetof(struct ppu_sm, cycle), 8), Q(R12));
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), M(RSP, AT_RUN, 8));
	EM(e, MOV, Q(RDX), M(RBP, WARP(prog), 8));
	EM(e, CALL, M(R13, ppu_emit_pool(e, &next, sizeof(next)), 8));
	EM(e, MOV, Q(RDX), M(RSP, AT_RUN, 8));
	EM(e, MOV, Q(RCX), M(RDX, offsetof(struct ppu_run, target), 8));
	EM(e, MOV, Q(RBP), Q(RAX));
	EM(e, TEST, Q(RAX), Q(RAX));
	JUMP(e, JNZ, b->begin);
	EM(e, MOV, D(RAX), IM(PPU_SWITCH));
	JUMP(e, JMP, out);

	ppu_emit_bind(e, b->leave);
	EM(e, MOV, D(RAX), IM(PPU_GO));
	ppu_emit_bind(e, out);
	EM(e, MOV, M(R15, offsetof(struct ppu_sm, cycle), 8), Q(R12));
	EM(e, MOV, Q(RDX), M(RSP, AT_RUN, 8));
	EM(e, MOV, Q(RCX), M(RSP, AT_INSNS, 8));
	EM(e, MOV, M(RDX, offsetof(struct ppu_run, insns), 8), Q(RCX));
	EM(e, MOV, Q(RCX), M(RSP, AT_THREADS, 8));
	EM(e, MOV, M(RDX, offsetof(struct ppu_run, threads), 8), Q(RCX));
	EM(e, ADD, Q(RSP), IM(FRAME));
	for (i = 0; i < 6; i++)
		EM(e, POP, Q(saved[i]));
	EM0(e, RET);
}

static void emit_all(struct build *b)
{
	uint8_t head[POOL_HEAD] = { 0 };
	uint32_t i, bits;

	for (i = 0; i < 8; i++) {
		bits = 1u << i;
		memcpy(head + POOL_LANE_BITS + 4 * i, &bits, 4);
	}
	ppu_emit_pool(&b->e, head, sizeof(head));
	b->begin = ppu_emit_label(&b->e);
	b->dispatch = ppu_emit_label(&b->e);
	b->leave = ppu_emit_label(&b->e);
	b->stop = ppu_emit_label(&b->e);
	b->stubs.find_page = ppu_emit_label(&b->e);
	b->stubs.find_written = ppu_emit_label(&b->e);
	b->stubs.find_gathered = ppu_emit_label(&b->e);
	b->stubs.gather = ppu_emit_label(&b->e);
	b->stubs.locate = ppu_emit_label(&b->e);
	for (i = 0; i < 12; i++)
		b->stubs.scatter[i / 6][i % 6] = ppu_emit_label(&b->e);
	for (i = 0; i < b->prog->n; i++)
		if (b->reached[i]) {
			b->label[i][0] = ppu_emit_label(&b->e);
			b->label[i][1] = ppu_emit_label(&b->e);
		}
	ppu_emit_mark(&b->e, PPU_MARK_COMMON);
	prologue(b);
	epilogue(b);
	for (i = 0; i < b->prog->n && !b->e.failed; i++)
		for (b->masked = false; b->reached[i]; b->masked = true) {
			block(b, i);
			b->r->insns += b->masked ? 0 : b->pc - i;
			if (b->masked)
				break;
		}
	ppu_emit_mark(&b->e, PPU_MARK_COMMON);
	ppu_select_load_stubs(&b->e, &b->stubs);
	ppu_select_span_stubs(&b->e, &b->stubs);
	ppu_select_store_stubs(&b->e, &b->stubs);
}

/* ---- the region ---- */

size_t ppu_region_bytes(const struct ppu_region *r)
{
	return sizeof(*r) + r->code_size + r->pool_bytes + ((size_t)r->n + 1) * sizeof(*r->enter) +
	       (size_t)r->workers * r->num_notes * sizeof(*r->notes);
}

void ppu_region_free(struct ppu_region *r)
{
	if (!r)
		return;
	ppu_code_memory_free(r->code, r->code_size);
	ppu_free(r->pool);
	ppu_free(r->enter);
	ppu_free(r->notes);
	ppu_free(r);
}

/* Code and pool to where they stay. */
static bool settle(struct build *b)
{
	struct ppu_region *r = b->r;
	uint64_t p;

	if (!ppu_emit_finish(&b->e))
		return false;
	r->code_bytes = b->e.len;
	r->pool_bytes = (b->e.pool_len + 63) / 64 * 64;
	r->pool = ppu_alloc_aligned(64, r->pool_bytes);
	r->code = ppu_code_memory(b->e.code, b->e.len, &r->code_size);
	r->num_notes = b->e.notes / 8 * 8 + 8;	/* whole lines of the host's cache, at least one */
	r->workers = b->e.with && b->e.with->workers ? b->e.with->workers : 1;
	r->notes = ppu_alloc_lines(r->workers, r->num_notes * sizeof(*r->notes));
	if (!r->pool || !r->code || !r->notes)
		return false;
	memset(r->pool, 0, r->pool_bytes);
	memcpy(r->pool, b->e.pool, b->e.pool_len);
	p = (uintptr_t)r->enter;
	memcpy(r->pool + POOL_ENTER, &p, 8);
	p = (uintptr_t)r->code;
	memcpy(r->pool + POOL_CODE, &p, 8);
	return true;
}

struct ppu_region *ppu_region_build(const struct ppu_program *prog, uint32_t entry, uint32_t max_bytes,
				    struct ppu_emit_with *with)
{
	struct build *b = ppu_alloc(1, sizeof(*b));
	struct ppu_region *r = ppu_alloc(1, sizeof(*r));
	bool ok = false;

	if (b && r) {
		ppu_emit_init(&b->e, max_bytes, with);
		b->prog = prog;
		b->code = prog->code;
		b->r = r;
		r->n = prog->n;
		r->entry = entry;
		r->evex = b->e.evex;
		r->enter = ppu_alloc((size_t)prog->n + 1, sizeof(*r->enter));
		b->todo = ppu_alloc((size_t)prog->n + 1, sizeof(*b->todo));
		b->reached = ppu_alloc((size_t)prog->n + 1, 1);
		b->label = ppu_alloc((size_t)prog->n + 1, sizeof(*b->label));
		b->traced = ppu_alloc((size_t)prog->n + 1, 1);
		if (r->enter && b->todo && b->reached && b->label && b->traced) {
			find_blocks(b, entry);
			emit_all(b);
			ok = settle(b);
		}
		ppu_emit_free(&b->e);
		ppu_free(b->todo);
		ppu_free(b->reached);
		ppu_free(b->label);
		ppu_free(b->traced);
	}
	ppu_free(b);
	if (ok)
		return r;
	ppu_region_free(r);
	return NULL;
}
#endif
