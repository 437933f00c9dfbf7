/* SPDX-License-Identifier: MIT */
/* The explorer: depth first, a 128-bit hash tells which states are known; then backwards from the end states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "explore.h"

#define STACK_BYTES	(64 * 1024)
#define FRAME_SLACK	192	/* below the frame of park(): the compiler may still have data there */

struct step {
	unsigned thread, choice;	/* thread == num_threads: event number `choice` */
	const char *what;
	uint64_t number;
};

/* A thread between two of its steps. */
struct coro {
	jmp_buf at;
	char *low;			/* the stack is in use from here to its end */
	bool (*cond)(uint64_t arg);
	uint64_t cond_arg;
	unsigned choices;		/* how many choices, while the thread is in model_choose() */
	const char *what;
	uint64_t number;
	bool done;
};

struct frame {
	struct step *todo;
	unsigned num_todo, next;
	struct step now;		/* the step that is being explored, for the path */
	uint32_t id;
	char *saved;
	size_t bytes;
};

struct edge {
	uint32_t from, to;
};

static struct {
	const struct model *m;
	struct coro coro[MODEL_MAX_THREADS];
	unsigned self, choice;
	ucontext_t home_uc, start_uc;
	jmp_buf home;
	bool failed;
	char why[200];

	struct { uint64_t a, b; uint32_t id; } *seen;
	uint64_t seen_cap, states, steps;
	struct edge *edges;
	uint64_t num_edges, cap_edges;
	uint8_t *is_end;
	struct frame *frames;
	unsigned depth, cap_frames;
} x;

static char stacks[MODEL_MAX_THREADS][STACK_BYTES] __attribute__((aligned(64)));

static void *need(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "the model checker is out of memory: give it a smaller limit of states\n");
	exit(2);
}

/* ---- threads ---- */

static __attribute__((noinline)) void park(struct coro *c)
{
	c->low = (char *)__builtin_frame_address(0) - FRAME_SLACK;
	if (!_setjmp(c->at))
		_longjmp(x.home, 1);
}

static void begin(void)
{
	unsigned i = x.self;

	model_point("begin", 0);
	x.m->threads[i].run(x.m->threads[i].arg);
	x.coro[i].done = true;
	park(&x.coro[i]);
}

static void resume(unsigned i)
{
	x.self = i;
	if (!_setjmp(x.home))
		_longjmp(x.coro[i].at, 1);
}

static void start_thread(unsigned i)
{
	memset(stacks[i], 0, sizeof(stacks[i]));
	memset(&x.coro[i], 0, sizeof(x.coro[i]));
	x.self = i;
	if (_setjmp(x.home))
		return;
	if (getcontext(&x.start_uc))
		abort();
	x.start_uc.uc_stack.ss_sp = stacks[i];
	x.start_uc.uc_stack.ss_size = sizeof(stacks[i]);
	x.start_uc.uc_link = NULL;
	makecontext(&x.start_uc, begin, 0);
	setcontext(&x.start_uc);
}

unsigned model_self(void)
{
	return x.self;
}

static void stop_at(bool (*cond)(uint64_t), uint64_t arg, unsigned choices, const char *what, uint64_t number)
{
	struct coro *c = &x.coro[x.self];

	c->cond = cond;
	c->cond_arg = arg;
	c->choices = choices;
	c->what = what;
	c->number = number;
	park(c);
}

void model_point(const char *what, uint64_t number)
{
	stop_at(NULL, 0, 1, what, number);
}

void model_wait(bool (*cond)(uint64_t arg), uint64_t arg, const char *what)
{
	stop_at(cond, arg, 1, what, arg);
}

unsigned model_choose(unsigned n, const char *what)
{
	stop_at(NULL, 0, n, what, n);
	return x.choice;
}

void model_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x.why, sizeof(x.why), fmt, ap);
	va_end(ap);
	x.failed = true;
	_longjmp(x.home, 1);
}

/* ---- states ---- */

static size_t stack_bytes(unsigned i)
{
	return (size_t)(stacks[i] + STACK_BYTES - x.coro[i].low);
}

static void save(struct frame *f)
{
	size_t n = x.m->bytes + sizeof(x.coro[0]) * x.m->num_threads;
	char *p;

	for (unsigned i = 0; i < x.m->num_threads; i++)
		n += stack_bytes(i);
	f->bytes = n;
	p = f->saved = need(malloc(n));
	memcpy(p, x.m->state, x.m->bytes);
	p += x.m->bytes;
	for (unsigned i = 0; i < x.m->num_threads; i++) {
		memcpy(p, &x.coro[i], sizeof(x.coro[i]));
		p += sizeof(x.coro[i]);
		memcpy(p, x.coro[i].low, stack_bytes(i));
		p += stack_bytes(i);
	}
}

static void restore(const struct frame *f)
{
	const char *p = f->saved;

	memcpy(x.m->state, p, x.m->bytes);
	p += x.m->bytes;
	for (unsigned i = 0; i < x.m->num_threads; i++) {
		memcpy(&x.coro[i], p, sizeof(x.coro[i]));
		p += sizeof(x.coro[i]);
		memcpy(x.coro[i].low, p, stack_bytes(i));
		p += stack_bytes(i);
	}
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	__uint128_t m = (__uint128_t)(h ^ v) * 0x9e3779b97f4a7c15ull;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static void hash(const struct frame *f, uint64_t *a, uint64_t *b)
{
	uint64_t ha = 0x243f6a8885a308d3ull, hb = 0x13198a2e03707344ull, v;
	size_t i;

	for (i = 0; i + 8 <= f->bytes; i += 8) {
		memcpy(&v, f->saved + i, 8);
		ha = mix(ha + i, v);
		hb = mix(hb ^ v, 0xa4093822299f31d0ull + i);
	}
	for (; i < f->bytes; i++)
		ha = mix(ha, (unsigned char)f->saved[i]);
	*a = ha;
	*b = hb | 1;
}

static void grow_seen(void)
{
	uint64_t old_cap = x.seen_cap, cap = old_cap ? old_cap * 2 : 1 << 16;
	__typeof__(x.seen) old = x.seen, new = need(calloc(cap, sizeof(*new)));

	for (uint64_t i = 0; i < old_cap; i++) {
		uint64_t at = old[i].a & (cap - 1);

		if (!old[i].b)
			continue;
		while (new[at].b)
			at = (at + 1) & (cap - 1);
		new[at] = old[i];
	}
	free(old);
	x.seen = new;
	x.seen_cap = cap;
	x.is_end = need(realloc(x.is_end, cap));
}

/* The number of the state; *is_new: the state was not reached before. */
static uint32_t number_of(const struct frame *f, bool *is_new)
{
	uint64_t a, b, at;

	if (x.states * 2 >= x.seen_cap)
		grow_seen();
	hash(f, &a, &b);
	for (at = a & (x.seen_cap - 1); x.seen[at].b; at = (at + 1) & (x.seen_cap - 1))
		if (x.seen[at].a == a && x.seen[at].b == b) {
			*is_new = false;
			return x.seen[at].id;
		}
	x.seen[at].a = a;
	x.seen[at].b = b;
	x.seen[at].id = (uint32_t)x.states;
	*is_new = true;
	return (uint32_t)x.states++;
}

static void edge(uint32_t from, uint32_t to)
{
	if (x.num_edges == x.cap_edges) {
		x.cap_edges = x.cap_edges ? x.cap_edges * 2 : 1 << 16;
		x.edges = need(realloc(x.edges, x.cap_edges * sizeof(*x.edges)));
	}
	x.edges[x.num_edges++] = (struct edge){ from, to };
}

/* ---- exploring ---- */

static void add_todo(struct frame *f, unsigned thread, unsigned choice, const struct coro *c)
{
	struct step s = { thread, choice, c ? c->what : "reaches memory", c ? c->number : choice };

	f->todo = need(realloc(f->todo, (f->num_todo + 1) * sizeof(s)));
	f->todo[f->num_todo++] = s;
}

static void find_steps(struct frame *f)
{
	unsigned n = x.m->num_threads, events;

	for (unsigned i = 0; i < n; i++) {
		struct coro *c = &x.coro[i];

		x.self = i;
		if (!c->done && (!c->cond || c->cond(c->cond_arg)))
			for (unsigned k = 0; k < c->choices; k++)
				add_todo(f, i, k, c);
	}
	x.self = n;
	events = x.m->num_events ? x.m->num_events() : 0;
	for (unsigned k = 0; k < events; k++)
		add_todo(f, n, k, NULL);
}

/* Puts the present state on the pile, if the state is new. */
static void push(void)
{
	struct frame f = { 0 };
	bool is_new;

	save(&f);
	f.id = number_of(&f, &is_new);
	if (x.depth)
		edge(x.frames[x.depth - 1].id, f.id);
	if (!is_new) {
		free(f.saved);
		return;
	}
	x.is_end[f.id] = x.m->at_end();
	find_steps(&f);
	if (!f.num_todo && !x.is_end[f.id]) {
		snprintf(x.why, sizeof(x.why), "deadlock: nothing can go on");
		x.failed = true;
	}
	if (x.depth == x.cap_frames) {
		x.cap_frames = x.cap_frames ? x.cap_frames * 2 : 256;
		x.frames = need(realloc(x.frames, x.cap_frames * sizeof(*x.frames)));
	}
	x.frames[x.depth++] = f;
}

static void take(struct step s)
{
	x.steps++;
	x.choice = s.choice;
	if (s.thread < x.m->num_threads) {
		resume(s.thread);
		return;
	}
	x.self = x.m->num_threads;
	if (!_setjmp(x.home))
		x.m->event(s.choice);
}

static void print_path(void)
{
	for (unsigned i = 0; i < x.depth; i++) {
		struct step *s = &x.frames[i].now;

		if (!s->what)
			break;
		printf("  # %3u %-10s %s %#llx", i,
		       s->thread < x.m->num_threads ? x.m->threads[s->thread].name : "memory",
		       s->what, (unsigned long long)s->number);
		if (s->choice)
			printf(" [%u]", s->choice);
		printf("\n");
	}
}

/* Searches backwards from the end states: from which states can no end be reached? */
static uint64_t count_trapped(uint32_t *example)
{
	bool changed = true;
	uint64_t trapped = 0;

	while (changed) {
		changed = false;
		for (uint64_t i = x.num_edges; i--; )
			if (x.is_end[x.edges[i].to] && !x.is_end[x.edges[i].from]) {
				x.is_end[x.edges[i].from] = true;
				changed = true;
			}
	}
	for (uint64_t i = 0; i < x.states; i++)
		if (!x.is_end[i] && !trapped++)
			*example = (uint32_t)i;
	return trapped;
}

static void walk(uint64_t max_states)
{
	push();
	while (x.depth && !x.failed && x.states < max_states) {
		struct frame *f = &x.frames[x.depth - 1];

		if (f->next == f->num_todo) {
			free(f->saved);
			free(f->todo);
			x.depth--;
			continue;
		}
		restore(f);
		f->now = f->todo[f->next++];
		take(f->now);
		if (!x.failed)
			push();
	}
}

static void clean_up(void)
{
	while (x.depth--) {
		free(x.frames[x.depth].saved);
		free(x.frames[x.depth].todo);
	}
	free(x.frames);
	free(x.seen);
	free(x.edges);
	free(x.is_end);
}

struct model_result model_explore(const struct model *m, uint64_t max_states, bool path)
{
	struct model_result r = { 0 };
	uint64_t trapped;
	uint32_t example = 0;

	memset(&x, 0, sizeof(x));
	x.m = m;
	for (unsigned i = 0; i < m->num_threads; i++)
		start_thread(i);
	walk(max_states);
	r.states = x.states;
	r.steps = x.steps;
	r.complete = !x.depth;
	if (x.failed && path)
		print_path();
	if (!x.failed && r.complete && (trapped = count_trapped(&example)))
		snprintf(x.why, sizeof(x.why), "livelock: from %llu states, the first is number %u, no end can be reached",
			 (unsigned long long)trapped, example), x.failed = true;
	r.failed = x.failed;
	memcpy(r.why, x.why, sizeof(r.why));
	clean_up();
	return r;
}
