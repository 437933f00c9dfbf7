/* SPDX-License-Identifier: MIT */
/*
 * Launches.  While a task runs, it counts in arrays of its own, with an entry for each instruction of its module; when it
 * ends, they are added to its kernel's and summed up for the launch.  Copies are noted, too: what is on the device's time.
 */
#include <stdlib.h>
#include <string.h>

#include "prof/state.h"

struct prof_launch *prof_launches;
struct prof_copy *prof_copies;
size_t prof_num_copies;

static struct prof_launch **last = &prof_launches, *running, *found;
static struct prof_launch **waiting = &prof_launches;	/* before it, none waits to begin */
static struct prof_live *spare;
static uint32_t num_launches;
static size_t cap_copies;

static struct prof_launch *add(struct prof_ctx *c, uint32_t id, uint32_t kernel)
{
	struct prof_launch *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->context = c->number;
	l->id = id;
	l->number = num_launches++;
	l->kernel = kernel < c->num_kernels ? c->kernel[kernel] : NULL;
	l->depth = 1;
	*last = l;
	last = &l->next;
	return l;
}

void prof_launch_add(struct prof_ctx *c, uint32_t id, uint32_t kernel, uint32_t stream)
{
	struct prof_launch *l = add(c, id, kernel);

	if (!l)
		return;
	l->stream = stream;
	l->range = prof_range();
}

/* ---- what a task counts ------------------------------------------------------------------------- */

static void live_free(struct prof_live *v)
{
	free(v->count);
	free(v->insn);
	free(v);
}

static struct prof_live *live_new(uint32_t n)
{
	struct prof_live *v;

	for (struct prof_live **p = &spare; (v = *p); p = &v->next) {
		if (v->n == n) {
			*p = v->next;
			return v;
		}
	}
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->n = n;
	/* One more for a program that runs off its end. */
	v->count = calloc((size_t)n + 1, sizeof(*v->count));
	v->insn = calloc((size_t)n + 1, sizeof(*v->insn));
	if (v->count && v->insn)
		return v;
	live_free(v);
	return NULL;
}

static void merge_more(struct prof_more *to, const struct prof_more *m)
{
#define S(name) to->name = m->name > to->name ? m->name : to->name;
	PROF_MOSTS(S)
#undef S
	to->lanes |= m->lanes;
	to->passed |= m->passed;
	prof_merge_strides(to, m);
}

/* One instruction: what the SM has counted joins what was seen, and all goes to kernel and launch. */
static void merge_insn(struct prof_launch *l, uint32_t pc)
{
	struct ppu_seen_count *c = &l->live->count[pc];
	struct prof_insn *from = &l->live->insn[pc], *to = &l->kernel->insn[pc];

#define S(name, as) from->sum[PROF_##name] = c->as;
	PROF_ISSUED(S)
#undef S
#define S(name, as) from->sum[PROF_##name] = c->by[PPU_SEEN_CTR_##as];
	PROF_COUNTED(S)
#undef S
	if (prof_is_branch(&l->kernel->mod->img->code[pc]))
		from->sum[PROF_parted] = c->parted;
	else	/* by a register */
		from->sum[PROF_parted] = from->sum[PROF_divergent];
	from->more.lanes = c->lanes;
	from->more.passed = c->passed;
	for (unsigned i = 0; i < PROF_SUMS; i++) {
		to->sum[i] += from->sum[i];
		l->sum[i] += from->sum[i];
	}
	merge_more(&to->more, &from->more);
	memset(c, 0, sizeof(*c));
	memset(from, 0, sizeof(*from));
}

static void stop(struct prof_launch *l)
{
	struct prof_live *v = l->live;

	if (!v)
		return;
	for (uint32_t pc = 0; pc < v->n; pc++)
		if (v->count[pc].warps)
			merge_insn(l, pc);
	v->next = spare;
	spare = v;
	l->live = NULL;
	for (uint32_t i = 0; i < prof_device.sms; i++) {
		if (l->sm[i].ctas)	/* aborted: as if its blocks had ended with the last that did */
			l->sm[i].active += l->last > l->sm[i].since ? l->last - l->sm[i].since : 0;
		l->active += l->sm[i].active;
		l->sms += l->sm[i].since || l->sm[i].active;
	}
	free(l->sm);
	l->sm = NULL;
}

/* ---- tasks -------------------------------------------------------------------------------------- */

static struct prof_launch *launch_of(struct prof_ctx *c, const struct ppu_seen_task *t)
{
	while (*waiting && (*waiting)->begun)
		waiting = &(*waiting)->next;
	for (struct prof_launch *l = t->depth == 1 ? *waiting : NULL; l; l = l->next)
		if (l->context == c->number && l->id == (uint32_t)t->id && !l->begun)
			return l;
	return add(c, (uint32_t)t->id, (uint32_t)(t->id >> 32));
}

void prof_launch_start(struct prof_ctx *c, const struct ppu_seen_task *t)
{
	struct prof_launch *l = launch_of(c, t);

	if (!l)
		return;
	l->begun = true;
	l->depth = t->depth;
	l->accepted = t->time;
	memcpy(l->grid, t->grid, sizeof(l->grid));
	memcpy(l->block, t->block, sizeof(l->block));
	l->regs = t->regs;
	l->shared = t->shared_bytes;
	l->local = t->local_bytes;
	l->first = UINT64_MAX;
	l->serial = t->serial;
	l->running = running;
	running = l;
}

/* Many tasks may wait; few have blocks on SMs. */
bool prof_launch_counts(struct prof_launch *l, uint32_t insns)
{
	struct prof_kernel *k = l->kernel;

	if (l->live || l->unknown)
		return l->live;
	if (k && k->mod->img->num_insns != insns)
		k = NULL;
	if (k && !k->insn)
		k->insn = calloc(insns, sizeof(*k->insn));
	l->sm = calloc(prof_device.sms, sizeof(*l->sm));
	l->live = k && k->insn && l->sm ? live_new(insns) : NULL;
	l->unknown = !l->live;		/* code that is no kernel of a module, or no memory */
	return l->live;
}

struct prof_launch *prof_launch_running(uint64_t serial)
{
	if (found && found->serial == serial)
		return found;
	found = running;
	while (found && found->serial != serial)
		found = found->running;
	return found;
}

void prof_launch_end(const struct ppu_seen_task *t)
{
	for (struct prof_launch **p = &running, *l; (l = *p); p = &l->running) {
		if (l->serial != t->serial)
			continue;
		*p = l->running;
		found = NULL;
		l->done = t->time;
		l->over = true;
		stop(l);
		return;
	}
}

void prof_launch_copy(const struct ppu_seen_copy *c)
{
	if (prof_num_copies == cap_copies) {
		size_t cap = cap_copies ? 2 * cap_copies : 64;
		struct prof_copy *v = realloc(prof_copies, cap * sizeof(*v));

		if (!v)
			return;
		prof_copies = v;
		cap_copies = cap;
	}
	prof_copies[prof_num_copies++] = (struct prof_copy){
		.begin = c->begin, .end = c->end, .bytes = c->width * c->rows, .fill = c->fill,
	};
}

void prof_launches_free(void)
{
	struct prof_launch *l;
	struct prof_live *v;

	while ((l = prof_launches)) {
		prof_launches = l->next;
		if (l->live)
			live_free(l->live);
		free(l->sm);
		free(l);
	}
	while ((v = spare)) {
		spare = v->next;
		live_free(v);
	}
	last = waiting = &prof_launches;
	running = found = NULL;
	num_launches = 0;
	free(prof_copies);
	prof_copies = NULL;
	prof_num_copies = cap_copies = 0;
}
