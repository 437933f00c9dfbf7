/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam for observers.  A memory instruction is done first, as always, and shown afterwards: then it is known whether
 * it faulted.  Addresses and operands are taken before, because the destination may be the same register.  What waits for other
 * lanes is shown before it is done: it may let others go, or the CTA may fault.
 */
#include <string.h>
#include <hw/ppu_observe.h>
#include "core/sm/exec_warp.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/observe.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

_Static_assert(PPU_OBSERVE_LANES == PPU_LANES, "lanes");
_Static_assert(PPU_OBSERVE_WARPS == PPU_MAX_CTA_WARPS, "warps");

static void task_of(const struct ppu_sm_task *t, struct ppu_seen_task *s)
{
	const struct ppu_tmd *l = &t->launch;

	*s = (struct ppu_seen_task){
		.serial = PPU_SM_TASK_ID(t), .id = l->id, .inst = t->ctx->inst, .shared_bytes = l->shared_bytes,
		.local_bytes = l->local_per_thread, .depth = t->depth, .regs = l->regs_per_thread, .insns = l->code_insns,
		.cluster = l->cluster,
	};
	memcpy(s->grid, l->grid, sizeof(s->grid));
	memcpy(s->block, l->block, sizeof(s->block));
}

void ppu_observe_cta_of(const struct ppu_cta *cta, struct ppu_seen_cta *s)
{
	task_of(cta->task, &s->task);
	s->index = cta->index;
	memcpy(s->id, cta->id, sizeof(s->id));
	s->warps = cta->num_warps;
	s->sm = 0;
	s->cycle = 0;
}

static void warp_of(const struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_seen_cta *cta,
		    struct ppu_seen_warp *s)
{
	*s = (struct ppu_seen_warp){
		.cta = cta, .warp = w->index, .pc = w->pc, .sm = sm->id, .exist = w->lanes, .live = w->live,
	};
}

void ppu_observe_place(const struct ppu_sm *sm, const struct ppu_warp *w, struct ppu_seen_cta *cta, struct ppu_seen_warp *at)
{
	ppu_observe_cta_of(w->cta, cta);
	warp_of(sm, w, cta, at);
}

/* ---- events --------------------------------------------------------------------------------------------- */

void ppu_observe_task(struct ppu_core *core, const struct ppu_sm_task *t, bool end)
{
	const struct ppu_observer *o = core->observer;
	struct ppu_seen_task s;

	if (!o)
		return;
	task_of(t, &s);
	s.time = core->now;
	if (end && o->task_end)
		o->task_end(o->arg, &s);
	else if (!end && o->task_start)
		o->task_start(o->arg, &s);
}

void ppu_observe_cta_(const struct ppu_sm *sm, const struct ppu_cta *cta, bool end)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_cta s;

	ppu_observe_cta_of(cta, &s);
	s.sm = sm->id;
	s.cycle = end ? sm->cycle : cta->start;
	if (end && o->cta_end)
		o->cta_end(o->arg, &s);
	else if (!end && o->cta_start)
		o->cta_start(o->arg, &s);
}

void ppu_observe_barrier_(const struct ppu_sm *sm, const struct ppu_cta *cta, unsigned n)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_barrier b = { .number = n, .cycle = sm->cycle };
	struct ppu_seen_cta s;
	unsigned i;

	if (!o->barrier)
		return;
	ppu_observe_cta_of(cta, &s);
	b.cta = &s;
	if (n == PPU_CLUSTER_BARRIER) {
		for (i = 0; i < cta->num_warps; i++)
			b.arrived[i] = b.waiting[i] = sm->warp[cta->warp[i]].cl_arrived;
	} else {
		memcpy(b.arrived, cta->bar[n].arrived, sizeof(b.arrived));
		memcpy(b.waiting, cta->bar[n].waiting, sizeof(b.waiting));
	}
	o->barrier(o->arg, &b);
}

void ppu_observe_warp_(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t lanes)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_warp at;
	struct ppu_seen_cta s;

	if (!o->warp_sync)
		return;
	ppu_observe_cta_of(w->cta, &s);
	warp_of(sm, w, &s, &at);
	o->warp_sync(o->arg, &at, lanes);
}

void ppu_observe_stuck_(const struct ppu_sm *sm, const struct ppu_warp *w, unsigned error, unsigned lane)
{
	const struct ppu_observer *o = sm->core->observer;
	uint32_t pc[PPU_MAX_CTA_WARPS][PPU_LANES] = { { 0 } }, i, l;
	struct ppu_seen_stuck s = { .error = error, .lane = lane };
	const struct ppu_cta *cta = w->cta;
	struct ppu_seen_cta seen;

	if (!o->stuck)
		return;
	ppu_observe_cta_of(cta, &seen);
	warp_of(sm, w, &seen, &s.at);
	for (i = 0; i < cta->num_warps; i++) {
		const struct ppu_warp *v = &sm->warp[cta->warp[i]];

		s.live[i] = v->state == PPU_WARP_DONE ? 0 : v->live;
		for (l = 0; l < PPU_LANES; l++)
			pc[i][l] = s.live[i] >> l & 1 ? PPU_WAIT_ADDR(v->wait[l]) : 0;
	}
	s.pc = error == PPU_ERR_DEADLOCK ? (const uint32_t (*)[PPU_LANES])pc : NULL;
	o->stuck(o->arg, &s);
}

void ppu_observe_fault_(const struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_fault_rec *r)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_fault f = {
		.va = r->va, .sm = sm->id, .slot = w->slot, .pc = r->pc, .error = r->code, .lane = r->lane,
	};

	if (o->fault)
		o->fault(o->arg, &f);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* The space that a lane's address is in, and where in it. */
static unsigned space_of(unsigned space, uint64_t *va)
{
	if (space == PPU_SPACE_CONST)
		return PPU_SPACE_GLOBAL;
	if (space != PPU_SPACE_GENERIC)
		return space;
	switch (*va >> 32) {
	case PPU_VA_SHARED_BASE >> 32:	space = PPU_SPACE_SHARED; break;
	case PPU_VA_LOCAL_BASE >> 32:	space = PPU_SPACE_LOCAL; break;
	case PPU_VA_PARAM_BASE >> 32:	space = PPU_SPACE_PARAM; break;
	default:			return PPU_SPACE_GLOBAL;
	}
	*va = (uint32_t)*va;
	return space;
}

/* What the lanes write, before the instruction can change it. */
static void copy_operand(const struct ppu_warp *w, const struct ppu_dinsn *di, const struct access *a,
			 uint32_t (*to)[PPU_LANES])
{
	unsigned k, rows = a->n * a->regs;

	for (k = 0; k < rows; k++)
		memcpy(to[k], w->v.row[di->b + k], sizeof(to[k]));
}

static void show(const struct ppu_observer *o, struct ppu_seen_access *s, unsigned space, uint32_t mask)
{
	uint8_t in[PPU_LANES];
	uint32_t m, left = mask;

	if (space != PPU_SPACE_GENERIC) {	/* all lanes go to one */
		s->space = space == PPU_SPACE_CONST ? PPU_SPACE_GLOBAL : space;
		s->lanes = mask;
		if (o->spaces >> s->space & 1 || s->fault)
			o->access(o->arg, s);
		return;
	}
	for (m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		in[i] = (uint8_t)space_of(space, &s->addr[i]);
	}
	while (left) {
		s->space = in[__builtin_ctz(left)];
		s->lanes = 0;
		for (m = left; m; m &= m - 1)
			if (in[__builtin_ctz(m)] == s->space)
				s->lanes |= m & -m;
		left &= ~s->lanes;
		if (o->spaces >> s->space & 1 || (s->fault && s->lanes >> s->fault_lane & 1))
			o->access(o->arg, s);
	}
}

/* The fault that the instruction has just noted. */
static void last_fault(const struct ppu_sm *sm, struct ppu_seen_access *s)
{
	const struct ppu_effect *e = sm->fx.n ? &sm->fx.v[sm->fx.n - 1] : NULL;

	if (e && e->kind == PPU_FX_FAULT) {
		s->fault = e->rec.code;
		s->fault_lane = e->rec.lane;
	}
}

/* ---- what comes of a value --------------------------------------------------------------------------------- */

#define FAR		64		/* instructions */

static bool has_row(const struct ppu_live *l, unsigned row, unsigned n)
{
	return ppu_live_reg(l, row) || (n > 1 && ppu_live_reg(l, row + 1));
}

/* Up to which the same lanes go on: not over branches, and not over what they may have to wait at. */
static bool goes_on(const struct ppu_program *p, uint32_t i, uint32_t from)
{
	unsigned class = p->code[i].xclass;

	return i < p->n && i - from < FAR && class != PPU_XC_CTRL && class != PPU_XC_WARP;
}

unsigned ppu_observe_readers(const struct ppu_program *p, uint32_t pc, unsigned row, unsigned n, uint32_t *reader)
{
	struct ppu_live reads, writes;
	unsigned count = 0;
	uint32_t i, from = pc;

	for (i = from + 1; goes_on(p, i, from); i++) {
		ppu_flow_effects(p, i, &reads, &writes);
		if (has_row(&reads, row, n)) {
			if (count++)
				return count;
			*reader = i;
		}
		if (ppu_live_reg(&writes, row) && (n < 2 || ppu_live_reg(&writes, row + 1)))
			return count;
	}
	ppu_flow_live(p, i, &reads);
	return count + (has_row(&reads, row, n) ? PPU_OBSERVE_MANY : 0);
}

/* Where the word goes that a load has put into the row. */
static uint32_t word_goes_to(const struct ppu_seen_access *a, uint32_t word, uint32_t *as)
{
	const struct ppu_program *p = a->program;
	unsigned row = p->code[a->at.pc].d + word, count;
	const struct ppu_dinsn *st;
	struct access to;
	uint32_t pc = 0;

	if (row >= p->nregs)
		return PPU_SEEN_UNUSED;
	count = ppu_observe_readers(p, a->at.pc, row, 1, &pc);
	if (count != 1)
		return count ? PPU_SEEN_NO_PC : PPU_SEEN_UNUSED;
	st = &p->code[pc];
	if (st->op != PPU_OP_ST || row < st->b || row == st->a || (PPU_SPACE_IS_64(st->m) && row == st->a + 1u))
		return PPU_SEEN_NO_PC;
	access_shape(st, PPU_ACC_WRITE, &to);
	*as = row - st->b;
	return *as < (uint32_t)to.n * to.regs ? pc : PPU_SEEN_NO_PC;
}

/* Nobody wants to see this access, unless it faults. */
static bool is_dull(const struct ppu_observer *o, unsigned space)
{
	return space != PPU_SPACE_GENERIC && !(o->spaces >> (space == PPU_SPACE_CONST ? PPU_SPACE_GLOBAL : space) & 1);
}

static enum ppu_step see_access(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	unsigned acc = di->op == PPU_OP_LD ? PPU_ACC_READ : di->op == PPU_OP_ST ? PPU_ACC_WRITE : PPU_ACC_ATOMIC;
	struct ppu_cta *cta = w->cta;
	bool faulted = cta->faulted;
	struct ppu_seen_access s;
	struct ppu_seen_cta seen;
	uint32_t value[4][PPU_LANES], m;
	enum ppu_step step = PPU_GO;
	bool dull = is_dull(sm->core->observer, di->m);
	struct access a;

	if (dull) {
		step = ppu_warp_handler(di->below)(sm, w, di, mask);
		if (!cta->faulted || faulted)
			return step;
		/* The lane that faults has changed no register. */
	}
	access_of(w, di, acc, &a);
	ppu_observe_cta_of(cta, &seen);
	warp_of(sm, w, &seen, &s.at);
	for (m = mask; m; m &= m - 1)
		s.addr[__builtin_ctz(m)] = lane_va(&a, (unsigned)__builtin_ctz(m));
	s.kind = acc == PPU_ACC_READ ? PPU_SEEN_READ : acc == PPU_ACC_WRITE ? PPU_SEEN_WRITE : PPU_SEEN_ATOMIC;
	s.value = NULL;
	s.program = w->prog;
	s.goes_to = acc == PPU_ACC_READ ? word_goes_to : NULL;
	if (acc != PPU_ACC_READ) {
		copy_operand(w, di, &a, value);
		s.value = (const uint32_t (*)[PPU_LANES])value;
	}
	s.order = di->y & 7;
	s.scope = di->y & 0x18;
	s.bytes = a.bytes;
	s.element = a.esz;
	s.fault = s.fault_lane = 0;
	if (!dull)
		step = ppu_warp_handler(di->below)(sm, w, di, mask);
	if (cta->faulted && !faulted)
		last_fault(sm, &s);
	show(sm->core->observer, &s, di->m, mask);
	return step;
}

static enum ppu_step see_fence(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_warp at;
	struct ppu_seen_cta s;

	ppu_observe_cta_of(w->cta, &s);
	warp_of(sm, w, &s, &at);
	o->fence(o->arg, &at, mask, di->y & 0x18);
	return ppu_warp_handler(di->below)(sm, w, di, mask);
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static enum ppu_step see_sync(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_sync s;
	struct ppu_seen_cta seen;

	ppu_warp_see_sync(w, di, mask, &s);
	if (s.lanes) {
		ppu_observe_cta_of(w->cta, &seen);
		warp_of(sm, w, &seen, &s.at);
		o->sync(o->arg, &s);
	}
	return ppu_warp_handler(di->below)(sm, w, di, mask);
}

static enum ppu_step see_call(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	struct ppu_seen_call c = {
		.lanes = mask, .returns = di->op == PPU_OP_RET, .regs = w->prog->nregs,
		.reg = (const uint32_t (*)[PPU_LANES])w->v.row,
	};
	struct ppu_seen_cta seen;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		c.to[i] = di->op == PPU_OP_CAL ? di->imm : w->v.row[di->a][i];
	ppu_observe_place(sm, w, &seen, &c.at);
	o->call(o->arg, &c);
	return ppu_warp_handler(di->below)(sm, w, di, mask);
}

/* Who sees an instruction, if the observer wants to. */
typedef enum ppu_step (*see_fn)(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask);

static see_fn who_sees(const struct ppu_observer *o, const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_LD: case PPU_OP_ST: case PPU_OP_ATOM:
		return o->access ? see_access : NULL;
	case PPU_OP_MEMBAR:
		return o->fence ? see_fence : NULL;
	case PPU_OP_BAR: case PPU_OP_WARPSYNC: case PPU_OP_VOTE: case PPU_OP_SHFL: case PPU_OP_MATCH: case PPU_OP_REDUX:
		return o->sync ? see_sync : NULL;
	case PPU_OP_SEL:
		return o->choose ? ppu_observe_choice : NULL;
	case PPU_OP_CAL: case PPU_OP_CALX: case PPU_OP_RET:
		return o->call ? see_call : NULL;
	default:
		return o->arithmetic && ppu_observe_is_float(di) ? ppu_observe_float : NULL;
	}
}

enum ppu_step ppu_observe_unseen(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	if (!di->inner_fn || di->below != PPU_H_nop)
		return ppu_warp_handler(di->below)(sm, w, di, mask);
	di->inner_fn(&w->v, di, mask);
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_seen(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	/* The observer may have gone since the program was decoded, and one that sees all instructions sees illegal ones. */
	see_fn see = o && di->below != PPU_H_illegal ? who_sees(o, di) : NULL;

	return (see ? see : ppu_observe_unseen)(sm, w, di, mask);
}

enum ppu_step ppu_h_step(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	const struct ppu_sm_task *t = w->cta->task;
	struct ppu_seen_insn s = {
		.task_id = t->launch.id, .inst = t->ctx->inst, .serial = PPU_SM_TASK_ID(t), .cta = w->cta->index,
		.sm = sm->id, .slot = w->slot, .warp = w->index, .pc = w->pc, .op = di->op, .lanes = mask,
	};

	/* Its turn goes on for an instruction that is not done: nothing has changed, so it comes again. */
	if (!(ppu_observe_may(sm) >> w->slot & 1))
		return PPU_SWITCH;
	if (o && o->insn)
		o->insn(o->arg, &s);
	if (!(ppu_observe_may(sm) >> w->slot & 1))
		return PPU_SWITCH;
	return ppu_h_seen(sm, w, di, mask);
}

void ppu_observe_program(const struct ppu_core *core, struct ppu_program *p)
{
	uint32_t i;

	if (!core->observer)
		return;
	/* Not before the program was analysed: what computes looks like what does nothing.  SEL: watch_choice(). */
	for (i = 0; i < p->n; i++) {
		struct ppu_dinsn *di = &p->code[i];
		bool all = core->observer->insn;

		if (!all && ((!di->fn && di->handler == PPU_H_illegal) || di->op == PPU_OP_SEL || !who_sees(core->observer, di)))
			continue;
		di->below = di->handler;
		di->handler = all ? PPU_H_step : PPU_H_seen;
		if (di->fn) {
			di->below = PPU_H_nop;
			di->inner_fn = di->fn;
			di->fn = NULL;
		}
	}
}

void ppu_core_observe(struct ppu_core *core, const struct ppu_observer *observer)
{
	core->observer = observer;
	core->only_on = false;
	/* Launches decode their programs anew; what is being translated is of no use any more. */
	ppu_translate_stop(core);
	ppu_icache_reset(core);
}
