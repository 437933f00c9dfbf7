/* SPDX-License-Identifier: MIT */
/*
 * Finds the branches that may send the lanes of a warp different ways.
 *
 * A value is divergent when its definition reads a divergent value or something that differs by
 * lane, when it is written on only one side of a divergent branch, or when it is defined in a loop
 * that lanes leave at different times and used after that loop.  A mistake here costs convergence, but no
 * result is wrong: every branch handles divergence by itself.
 */
#include "compiler/ptx/middle/px_leave.h"
#include "compiler/ptx/middle/px_pass.h"

/* A set of places of which the least is taken out first. */
struct heap {
	uint32_t *v, n;
};

/*
 * Rounds: what follows from data, in the order of the code; then branches, in the order of the layout; then the loops
 * that were left. A round looks only at what the marks before it can have changed. What a mark changes behind the place
 * that is looked at belongs to the same round, the rest to the next.
 */
struct dv {
	struct px_func *f;
	struct px_insn **insn;		/* by place: all instructions in reverse postorder */
	uint32_t num;
	uint32_t *first, *reader;	/* by value: the places of instructions that are divergent if it is */
	uint32_t *first_br, *branch;	/* by value: ids of the blocks with branches under it */
	struct px_block **by_id;
	uint8_t *listed;		/* by place: is or was in a heap */
	struct heap now, later;		/* places */
	uint32_t place;			/* what is before it waits for the next round */
	struct heap br_now, br_later;	/* ids */
	uint32_t id;			/* the same for branches */
	struct px_loop **left;		/* loops with a divergent exit that are new in this round */
	uint32_t num_left;
	struct px_leave leave;
	uint32_t *stamp;	/* by block */
	uint32_t stamped;
	uint8_t *done;		/* by block: was walked, and its values are marked */
	struct px_block **stack;
	uint64_t budget;	/* steps left for walking regions */
};

static void put(struct heap *h, uint32_t x)
{
	uint32_t i = h->n++;

	for (; i && h->v[(i - 1) / 2] > x; i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = x;
}

static uint32_t take(struct heap *h)
{
	uint32_t least = h->v[0], x = h->v[--h->n], i = 0, k;

	for (; (k = 2 * i + 1) < h->n; i = k) {
		if (k + 1 < h->n && h->v[k + 1] < h->v[k])
			k++;
		if (h->v[k] >= x)
			break;
		h->v[i] = h->v[k];
	}
	h->v[i] = x;
	return least;
}

static void next_round(struct heap *now, struct heap *later)
{
	struct heap h = *now;

	*now = *later;		/* the places in it are no heap yet */
	*later = h;
	h = *now;
	for (now->n = 0; now->n < h.n;)
		put(now, h.v[now->n]);
}

static void look_at(struct dv *d, uint32_t place)
{
	if (d->listed[place])
		return;
	d->listed[place] = 1;
	if (place >= d->place)
		put(&d->now, place);
	else
		d->later.v[d->later.n++] = place;
}

static void mark(struct dv *d, px_val v)
{
	uint32_t i;

	if (!v || px_value(d->f, v)->divergent)
		return;
	px_value(d->f, v)->divergent = true;
	for (i = d->first[v]; i < d->first[v + 1]; i++)
		look_at(d, d->reader[i]);
	for (i = d->first_br[v]; i < d->first_br[v + 1]; i++)
		if (d->branch[i] >= d->id)
			put(&d->br_now, d->branch[i]);
		else
			d->br_later.v[d->br_later.n++] = d->branch[i];
}

static bool divergent_sreg(int64_t sr)
{
	switch (sr) {
	case PPU_SR_TID_X: case PPU_SR_TID_Y: case PPU_SR_TID_Z: case PPU_SR_LANEID:
	case PPU_SR_LANEMASK_EQ: case PPU_SR_LANEMASK_LE: case PPU_SR_LANEMASK_LT:
	case PPU_SR_LANEMASK_GE: case PPU_SR_LANEMASK_GT:
		return true;
	default:
		return false;
	}
}

static bool source(const struct px_insn *in)
{
	switch (in->op) {
	case PPU_OP_S2R:
		return divergent_sreg(in->s[1].imm);
	case PPU_OP_ATOM:
	case PPU_OP_CAL:
	case PPU_OP_CALX:
	case PPU_OP_TLAUNCH:
	case PPU_OP_MATCH:
		return true;
	case PPU_OP_SHFL:
		return true;
	case PPU_OP_LD:
		return in->m == PPU_SPACE_LOCAL || in->m == PPU_SPACE_GENERIC;
	default:
		return false;
	}
}

/* Do all lanes get the same answer, as from votes and barriers? */
static bool same_for_all(const struct px_insn *in)
{
	return in->op == PPU_OP_VOTE || in->op == PPU_OP_REDUX ||
	       (in->op == PPU_OP_BAR && in->m >= PPU_BAR_RED_POPC);
}

static void spread_data(struct dv *d)
{
	px_val *w[PX_MAX_REFS];
	unsigned n, k;

	while (d->now.n) {
		d->place = take(&d->now) + 1;
		n = px_writes(d->insn[d->place - 1], w);
		for (k = 0; k < n; k++)
			mark(d, *w[k]);
	}
	d->place = UINT32_MAX;		/* all that follows is for the next round */
}

/* Marks the values that a block in the region of a divergent branch writes, and that are also written elsewhere. */
static void mark_block(struct dv *d, struct px_block *b)
{
	px_val *w[PX_MAX_REFS];
	unsigned n, k;

	PX_FOR_INSNS(b, in) {
		n = px_writes(in, w);
		for (k = 0; k < n; k++)
			if (px_value(d->f, *w[k])->defs > 1 && px_value(d->f, *w[k])->fixed < 0)
				mark(d, *w[k]);
	}
}

/* No steps are left: what more than one block writes counts as written in the region of a divergent branch. */
static void mark_rest(struct dv *d)
{
	px_val v;

	for (v = 1; v < d->f->num_vals; v++)
		if (px_value(d->f, v)->defs > 1 && px_value(d->f, v)->fixed < 0)
			mark(d, v);
}

/*
 * Walks the blocks from the branch at b to its post-dominator.  When one side leaves a loop, the lanes that
 * stay are still together, so only the side outside of the loop is walked.
 */
static void spread_region(struct dv *d, struct px_block *b)
{
	struct px_block *j = b->ipdom, *s;
	uint32_t top = 0, k;
	bool one_leaves = b->loop && px_in_loop(b->loop, b->succ[0]) != px_in_loop(b->loop, b->succ[1]);

	if (!d->budget || d->done[b->rpo])	/* b lies in the region of another branch, which was walked */
		return;
	d->stamped++;
	d->stamp[b->rpo] = d->stamped;
	for (k = 0; k < 2; k++) {
		s = b->succ[k];
		if (!s || s == j || d->stamp[s->rpo] == d->stamped || (one_leaves && px_in_loop(b->loop, s)))
			continue;
		d->stamp[s->rpo] = d->stamped;
		d->stack[top++] = s;
	}
	while (top) {
		struct px_block *x = d->stack[--top];

		if (!--d->budget) {
			mark_rest(d);
			return;
		}
		if (!d->done[x->rpo])
			mark_block(d, x);
		d->done[x->rpo] = 1;
		for (k = 0; k < 2; k++) {
			s = x->succ[k];
			if (!s || s == j || d->stamp[s->rpo] == d->stamped ||
			    (b->loop && s == b->loop->header))
				continue;
			d->stamp[s->rpo] = d->stamped;
			d->stack[top++] = s;
		}
	}
}

static void spread_branches(struct dv *d)
{
	while (d->br_now.n) {
		struct px_block *b;
		struct px_loop *l;

		d->id = take(&d->br_now) + 1;
		b = d->by_id[d->id - 1];
		if (b->divergent)
			continue;
		b->divergent = true;
		spread_region(d, b);
		l = px_loop_without(b->loop, b->ipdom);	/* that the branch may leave for good */
		if (l && !l->divergent_exit) {
			l->divergent_exit = true;
			d->left[d->num_left++] = l;
		}
	}
	d->id = UINT32_MAX;
}

/* Marks the values of a loop with a divergent exit that are used outside of it. */
static void spread_exits(struct dv *d)
{
	px_val v;

	while (d->num_left) {
		const struct px_loop *l = d->left[--d->num_left];

		while ((v = px_leave_next(&d->leave, l)))
			mark(d, v);
	}
}

/* ---- who depends on a value ---- */

/* The values whose divergence makes the instruction's results divergent. */
static unsigned depends_on(struct px_insn *in, px_val **r)
{
	if (!same_for_all(in))
		return px_reads(in, r);
	r[0] = &in->guard.v;
	return in->guard.v != 0;
}

static void find_readers(struct dv *d)
{
	struct px_arena *a = &d->f->px->arena;
	px_val *r[PX_MAX_REFS];
	uint32_t i, *at;
	unsigned n, k, sweep;

	d->first = px_alloc(a, (d->f->num_vals + 2) * sizeof(*d->first));
	at = px_alloc(a, (d->f->num_vals + 2) * sizeof(*at));
	for (sweep = 0; sweep < 2; sweep++) {
		for (i = 0; i < d->num; i++) {
			n = depends_on(d->insn[i], r);
			for (k = 0; k < n; k++)
				if (!sweep)
					d->first[*r[k] + 1]++;
				else
					d->reader[at[*r[k]]++] = i;
		}
		for (i = 0; i < d->f->num_vals && !sweep; i++) {
			d->first[i + 1] += d->first[i];
			at[i + 1] = d->first[i + 1];
		}
		if (!sweep)
			d->reader = px_alloc(a, (d->first[d->f->num_vals] + 1) * sizeof(*d->reader));
	}
}

static void find_branches(struct dv *d)
{
	struct px_arena *a = &d->f->px->arena;
	uint32_t i, *at;

	d->first_br = px_alloc(a, (d->f->num_vals + 2) * sizeof(*d->first_br));
	at = px_alloc(a, (d->f->num_vals + 2) * sizeof(*at));
	d->branch = px_alloc(a, (d->f->num_blocks + 1) * sizeof(*d->branch));
	PX_FOR_BLOCKS(d->f, b)
		if (b->last && b->last->op == IR_BR)
			d->first_br[b->last->guard.v + 1]++;
	for (i = 0; i < d->f->num_vals; i++) {
		d->first_br[i + 1] += d->first_br[i];
		at[i + 1] = d->first_br[i + 1];
	}
	PX_FOR_BLOCKS(d->f, b) {
		d->by_id[b->id] = b;
		if (b->last && b->last->op == IR_BR)
			d->branch[at[b->last->guard.v]++] = b->id;
	}
}

static void init(struct dv *d)
{
	struct px_func *f = d->f;
	struct px_arena *a = &f->px->arena;
	uint32_t i, n = f->num_blocks;

	for (i = 0; i < f->num_order; i++)
		PX_FOR_INSNS(f->order[i], in)
			d->num++;
	d->insn = px_alloc(a, (d->num + 1) * sizeof(*d->insn));
	d->num = 0;
	for (i = 0; i < f->num_order; i++)
		PX_FOR_INSNS(f->order[i], in)
			d->insn[d->num++] = in;
	d->listed = px_alloc(a, d->num + 1);
	d->now.v = px_alloc(a, (d->num + 1) * sizeof(*d->now.v));
	d->later.v = px_alloc(a, (d->num + 1) * sizeof(*d->later.v));
	d->by_id = px_alloc(a, (n + 1) * sizeof(*d->by_id));
	d->br_now.v = px_alloc(a, (n + 1) * sizeof(*d->br_now.v));
	d->br_later.v = px_alloc(a, (n + 1) * sizeof(*d->br_later.v));
	d->left = px_alloc(a, (f->num_loops + 1) * sizeof(*d->left));
	d->stamp = px_alloc(a, (f->num_order + 1) * sizeof(*d->stamp));
	d->stack = px_alloc(a, (f->num_order + 1) * sizeof(*d->stack));
	d->done = px_alloc(a, f->num_order + 1);
	d->budget = 100000 + 100ull * f->num_order;
	find_readers(d);
	find_branches(d);
	px_leave_init(f, &d->leave);
}

/* What is divergent whatever the code: registers of the ABI, and what sources define. */
static void start(struct dv *d)
{
	struct px_func *f = d->f;
	uint32_t i, k;

	d->id = d->place = UINT32_MAX;
	for (i = 0; i < f->num_vals; i++)
		f->vals[i].divergent = false;
	for (i = 0; i < f->num_vals; i++)
		if (f->vals[i].fixed >= 0 && i != f->sp) {
			f->vals[i].divergent = true;
			for (k = d->first[i]; k < d->first[i + 1]; k++)
				look_at(d, d->reader[k]);
			for (k = d->first_br[i]; k < d->first_br[i + 1]; k++)
				d->br_later.v[d->br_later.n++] = d->branch[k];
		}
	for (i = 0; i < d->num; i++)
		if (source(d->insn[i]))
			look_at(d, i);
	for (i = 0; i < f->num_order; i++)
		f->order[i]->divergent = false;
}

void px_pass_diverge(struct px_func *f)
{
	struct dv d = { .f = f };

	init(&d);
	start(&d);
	do {
		next_round(&d.now, &d.later);
		d.place = 0;
		next_round(&d.br_now, &d.br_later);
		d.id = 0;
		spread_data(&d);
		spread_branches(&d);
		spread_exits(&d);
	} while (d.later.n || d.br_later.n);
}
