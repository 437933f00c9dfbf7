/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <linux/types.h>

#include "devq_world.h"

static uint64_t mem_load(unsigned long long *p);
static void mem_store(unsigned long long *p, uint64_t v);
static uint64_t mem_add(unsigned long long *p, uint64_t v);
static uint64_t mem_or(unsigned long long *p, uint64_t v);
static uint64_t mem_cas(unsigned long long *p, uint64_t cmp, uint64_t v);
static void mem_fence(void);

#define PPUQ_LOAD(p)		mem_load(p)
#define PPUQ_STORE(p, v)	mem_store(p, v)
#define PPUQ_ADD(p, v)		mem_add(p, v)
#define PPUQ_OR(p, v)		mem_or(p, v)
#define PPUQ_CAS(p, cmp, v)	mem_cas(p, cmp, v)
#define PPUQ_FENCE()		mem_fence()
#define PPUQ_FN			static inline __attribute__((unused))
#define PPUQ_FAR		static __attribute__((unused, noinline))
#include <assert.h>
#define PPU_WRAP_ASSERT(holds)	assert(holds)
#include <compiler/devabi/insert.h>

/* The words of the model's memory have numbers. */
enum {
	SOFT, SHADOW, X, Y, STATE, STATE_END = STATE + 1, START, SEMS = START + 3,
	RING = SEMS + MAX_COUNT,
	BLOCKS = RING + 2 * MAX_COUNT,
	NUM_WORDS = BLOCKS + PIECE_WORDS * MAX_COUNT,
};

/* Threads of the model, in this order. */
enum { HOST, CPU, KERNEL };	/* then threads of the launching kernel, then those of the nested kernel */

const char *const mistake_names[NUM_MISTAKES] = {
	"none", "stall-all", "no-refresh", "shadow-first", "shadow-far", "wait-for-room", "wfi-no-children",
	"get-early", "count-32", "open-first",
};

/* A store that has not reached memory. */
struct late {
	unsigned long long *p;
	uint64_t v;
};

static struct world {
	unsigned long long mem[NUM_WORDS];
	bool fresh[NUM_WORDS];
	struct late late[MODEL_MAX_THREADS];
	uint64_t get, put;		/* counted without wrapping; the host sees them modulo count */
	bool standing;			/* the queue's channel waits in an Acquire */
	unsigned launch, kernel_done, nested_asked, nested_done;
	/* For each thread, the groups that it inserted: a bit for each (launch, group). */
	uint32_t accepted[MODEL_MAX_THREADS], ran[MODEL_MAX_THREADS];
	unsigned last_block;		/* id of the block that ran last */
	struct ppu_queue q;
} w;

static const struct scenario *sc;
static enum mistake wrong;

static unsigned first_nested(void)
{
	return KERNEL + sc->kernel;
}

/* ---- memory ---- */

static unsigned word_of(const unsigned long long *p)
{
	if (p < w.mem || p >= w.mem + NUM_WORDS)
		model_fail("a store or load outside of the queue's memory");
	return (unsigned)(p - w.mem);
}

static void commit(unsigned long long *p, uint64_t v)
{
	unsigned i = word_of(p);

	if (i >= RING && w.fresh[i])
		model_fail("word %u of the ring or its blocks is written although the host has not left its entry", i);
	w.mem[i] = v;
	w.fresh[i] = true;
}

static void commit_late(unsigned thread)
{
	struct late l = w.late[thread];

	w.late[thread] = (struct late){ 0 };
	commit(l.p, l.v);
}

/* Late stores of one thread to one word reach the word in the order in which they were made. */
static void settle(const unsigned long long *p)
{
	if (w.late[model_self()].p == p)
		commit_late(model_self());
}

static uint64_t mem_load(unsigned long long *p)
{
	model_point("load", word_of(p));
	return w.late[model_self()].p == p ? w.late[model_self()].v : *p;
}

static void mem_store(unsigned long long *p, uint64_t v)
{
	bool late = false;

	if (sc->weak && !w.late[model_self()].p)
		late = model_choose(2, "store (late?)");
	else
		model_point("store", word_of(p));
	settle(p);
	if (late)
		w.late[model_self()] = (struct late){ p, v };
	else
		commit(p, v);
}

static uint64_t mem_add(unsigned long long *p, uint64_t v)
{
	uint64_t old;

	model_point("add", word_of(p));
	settle(p);
	old = *p;
	if (word_of(p) == SOFT && old > w.mem[SHADOW] + 2 * MAX_COUNT * MODEL_MAX_THREADS)
		model_fail("soft runs away: nobody takes back what was refused");
	*p = wrong == COUNT_32 && word_of(p) <= SHADOW ? (uint32_t)(old + v) : old + v;
	return old;
}

static uint64_t mem_or(unsigned long long *p, uint64_t v)
{
	uint64_t old;

	model_point("or", word_of(p));
	settle(p);
	old = *p;
	*p |= v;
	return old;
}

static uint64_t mem_cas(unsigned long long *p, uint64_t cmp, uint64_t v)
{
	uint64_t old;

	model_point("cas", word_of(p));
	settle(p);
	old = *p;
	if (old == cmp)
		*p = v;
	return old;
}

static bool nothing_late(uint64_t thread)
{
	return !w.late[thread].p;
}

static void mem_fence(void)
{
	model_wait(nothing_late, model_self(), "fence");
}

static unsigned num_events(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MODEL_MAX_THREADS; i++)
		n += !!w.late[i].p;
	return n;
}

static void event(unsigned which)
{
	for (unsigned i = 0; i < MODEL_MAX_THREADS; i++)
		if (w.late[i].p && !which--) {
			commit_late(i);
			return;
		}
}

/* ---- the host interface, at the queue ---- */

/* Shadow must never allow an entry that the host would not reach. */
static void check_shadow(void)
{
	if (wrong != COUNT_32 && w.mem[SHADOW] > w.put)
		model_fail("shadow is %llu, beyond PUT %llu", w.mem[SHADOW], (unsigned long long)w.put);
}

static void refresh(void)
{
	uint64_t put = w.get + sc->count - 1, shadow = put;

	if (wrong == NO_REFRESH)
		return;
	if (wrong == SHADOW_FAR)
		shadow++;
	if (wrong == COUNT_32)
		shadow = (uint32_t)shadow;
	if (wrong == SHADOW_FIRST) {
		w.mem[SHADOW] = shadow;
		check_shadow();
	}
	w.put = put;
	if (wrong != SHADOW_FIRST) {
		model_point("refresh: shadow", shadow);
		w.mem[SHADOW] = shadow;
		check_shadow();
	}
}

static bool has_entry(uint64_t unused)
{
	return w.get != w.put;
}

static bool released(uint64_t word)
{
	return w.mem[word >> 32] == (uint32_t)word;
}

static bool no_children(uint64_t unused)
{
	return wrong == WFI_NO_CHILDREN || w.nested_asked * sc->nested == w.nested_done;
}

static uint32_t read32(uint64_t va, unsigned at)
{
	unsigned i = word_of((unsigned long long *)va) + at / 2;

	if (i >= RING && !w.fresh[i])
		model_fail("the host runs word %u of a block that nobody has written in this lap", at);
	return (uint32_t)(w.mem[i] >> (at & 1 ? 32 : 0));
}

static uint64_t read64(uint64_t va, unsigned at)
{
	return read32(va, at) | (uint64_t)read32(va, at + 1) << 32;
}

/* A work block runs.  It must be the next one of its group, or the first one of a group that has not run. */
static void work(unsigned id)
{
	unsigned thread = id >> 16, group = id >> 8 & 0xff, block = id & 0xff, bit = group % 32;

	if (block ? id != w.last_block + 1 : w.ran[thread] >> bit & 1)
		model_fail("block %u of group %u of thread %u runs out of turn or twice", block, group, thread);
	w.last_block = id;
	w.ran[thread] |= 1u << bit;
	if (thread < first_nested() && sc->thread[thread - KERNEL].spawn && !block && group % MAX_GROUPS == 0)
		w.nested_asked++;
}

static void acquire(uint64_t word, uint64_t value)
{
	w.standing = true;
	if (wrong == GET_EARLY)
		w.get++;
	model_wait(released, (uint64_t)word_of((unsigned long long *)word) << 32 | (uint32_t)value, "acquire");
	if (wrong == GET_EARLY)
		w.get--;
	w.standing = false;
}

static void release(uint64_t word, uint64_t value)
{
	unsigned i = word_of((unsigned long long *)word);

	if (i == Y && (memcmp(w.accepted, w.ran, sizeof(w.ran)) || w.mem[STATE]))
		model_fail("Y is released before all of the launch's work has run");
	if (i == Y && w.nested_asked * sc->nested != w.nested_done)
		model_fail("Y is released before the nested threads are done");
	w.mem[i] = value;
}

static unsigned command(uint64_t va, unsigned at)
{
	uint32_t h = read32(va, at);

	model_point("command", h);
	switch (PPU_CMD_OP(h)) {
	case PPU_CMD_NOP:
		work(read32(va, at + 1));
		break;
	case PPU_CMD_WFI:
		model_wait(no_children, 0, "wfi");
		break;
	case PPU_CMD_SEM_RELEASE:
		release(read64(va, at + 1), read64(va, at + 3));
		break;
	case PPU_CMD_SEM_ACQUIRE:
		acquire(read64(va, at + 1), read64(va, at + 3));
		break;
	default:
		model_fail("the host runs the header %#x", h);
	}
	return PPU_CMD_SIZE(h);
}

static void leave_entry(unsigned index)
{
	for (unsigned i = 0; i < 2; i++)
		w.fresh[RING + 2 * index + i] = false;
	for (unsigned i = 0; i < PIECE_WORDS; i++)
		w.fresh[BLOCKS + PIECE_WORDS * index + i] = false;
	w.get++;
}

static void run_host(unsigned unused)
{
	for (;;) {
		unsigned index, words;
		uint64_t va;

		model_wait(has_entry, 0, "fetch");
		index = (unsigned)(w.get % sc->count);
		if (!w.fresh[RING + 2 * index] || !w.fresh[RING + 2 * index + 1])
			model_fail("the host fetches entry %u, which nobody has written in this lap", index);
		va = w.mem[RING + 2 * index];
		words = (unsigned)w.mem[RING + 2 * index + 1];
		for (unsigned at = 0; at < words; )
			at += command(va, at);
		leave_entry(index);
		if (sc->assist)
			refresh();
	}
}

/* ---- the CPU's channel: [refresh, Launch, WFI, Release X, Acquire Y] for each launch ---- */

static bool kernel_idle(uint64_t unused)
{
	return w.kernel_done == sc->kernel && (wrong != STALL_ALL || !w.standing);
}

static bool is_y(uint64_t n)
{
	return w.mem[Y] == n;
}

static void put_start(void)
{
	uint32_t cmd[] = { PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, 0) };
	uint64_t va = (uintptr_t)&w.mem[X], value = PPU_DEVQ_FIRST_X;
	unsigned index = (unsigned)(w.get % sc->count);

	w.mem[START] = cmd[0] | va << 32;
	w.mem[START + 1] = va >> 32 | value << 32;
	w.mem[START + 2] = value >> 32;
	w.mem[RING + 2 * index] = (uintptr_t)&w.mem[START];
	w.mem[RING + 2 * index + 1] = PPU_CMD_SIZE_SEM_ACQUIRE;
	w.fresh[RING + 2 * index] = w.fresh[RING + 2 * index + 1] = true;
}

/* Method 400, from step 406 on (WQ-30..WQ-34). */
static void set_up(void)
{
	if (wrong == OPEN_FIRST) {
		w.put = w.get + sc->count - 1;
		model_point("ring is open", w.put);
	}
	put_start();
	model_point("first Acquire is there", w.get);
	w.put = w.get + sc->count - 1;
	w.mem[SOFT] = w.get + 1;
	w.mem[SHADOW] = w.put;
}

static void check_after_launch(void)
{
	if (wrong != COUNT_32 && w.mem[SOFT] != w.get + 1)
		model_fail("soft is %llu after the launch, GET %llu: entries are lost", w.mem[SOFT], (unsigned long long)w.get);
	if (w.mem[STATE])
		model_fail("%llu threads count as alive after the launch", w.mem[STATE]);
}

static void run_cpu(unsigned unused)
{
	set_up();
	for (unsigned n = 1; n <= sc->launches; n++) {
		model_point("refresh", n);
		refresh();
		w.mem[STATE] = sc->kernel;
		w.mem[STATE_END] = 0;
		w.q.launch = n;
		w.kernel_done = 0;
		model_point("launch", n);
		w.launch = n;
		model_wait(kernel_idle, 0, "wfi");
		w.mem[X] = n;
		model_wait(is_y, n, "acquire Y");
		check_after_launch();
	}
}

/* ---- threads on the GPU ---- */

static int insert(unsigned thread, unsigned group, unsigned blocks, bool spawns)
{
	unsigned bit = (unsigned)(w.q.launch - 1) * MAX_GROUPS + group;
	struct ppuq_place first;
	int err = ppuq_begin(&w.q, blocks, &first);

	if ((err == PPU_QUEUE_TOO_LARGE) != (blocks + 1 > sc->count - 2 - !sc->no_spare))
		model_fail("a group of %u blocks is %stoo large", blocks, err ? "" : "not ");
	if (err)
		return err;
	w.accepted[thread] |= 1u << bit;
	if (spawns)
		ppuq_threads_in(&w.q, sc->nested);
	for (unsigned i = 0; i < blocks; i++) {
		struct ppuq_place p = ppuq_step(&w.q, first, i);
		struct ppuq_out o = ppuq_block(&w.q, p);
		uint64_t va = (uintptr_t)o.to;

		ppuq_put32(&o, PPU_CMD_HDR(PPU_CMD_NOP, 2, 0));
		ppuq_put32(&o, thread << 16 | bit << 8 | i);
		ppuq_flush(&o);
		ppuq_point(&w.q, p, va, o.words);
	}
	ppuq_end(&w.q, blocks, first);
	return PPU_QUEUE_OK;
}

static void run_script(unsigned thread, const struct script *s)
{
	for (unsigned g = 0; g < MAX_GROUPS && s->groups[g]; g++)
		while (insert(thread, g, s->groups[g], s->spawn && !g) == PPU_QUEUE_FULL && wrong == WAIT_FOR_ROOM)
			;
	if (s->finish)
		ppuq_finish(&w.q);
	ppuq_thread_out(&w.q);
	model_wait(nothing_late, thread, "end");
}

static bool launched(uint64_t n)
{
	return w.launch >= n;
}

static void run_kernel(unsigned thread)
{
	for (unsigned n = 1; n <= sc->launches; n++) {
		model_wait(launched, n, "start");
		run_script(thread, &sc->thread[thread - KERNEL]);
		w.kernel_done++;
	}
}

static bool asked(uint64_t n)
{
	return w.nested_asked >= n;
}

static void run_nested(unsigned thread)
{
	for (unsigned n = 1; n <= sc->launches; n++) {
		model_wait(asked, n, "start");
		run_script(thread, &sc->child[thread - first_nested()]);
		w.nested_done++;
	}
}

/* ---- all of it ---- */

/* All launches are complete; only the queue is left, in the Acquire of X. */
static bool at_end(void)
{
	return w.launch == sc->launches && w.mem[Y] == sc->launches && w.standing && !num_events();
}

static void init_world(void)
{
	memset(&w, 0, sizeof(w));
	w.get = w.put = sc->first;
	/* The ring's initial contents count as written in an earlier lap. */
	w.q = (struct ppu_queue){
		.ring = (uintptr_t)&w.mem[RING], .soft = (uintptr_t)&w.mem[SOFT],
		.shadow = (uintptr_t)&w.mem[SHADOW], .sems = (uintptr_t)&w.mem[SEMS],
		.x = (uintptr_t)&w.mem[X], .y = (uintptr_t)&w.mem[Y], .state = (uintptr_t)&w.mem[STATE],
		.blocks = (uintptr_t)&w.mem[BLOCKS], .block_bytes = PIECE_WORDS * sizeof(w.mem[0]),
		.count = sc->count, .log2 = ppu_wrap_log2(sc->count),
		.flags = (sc->no_spare ? 0 : PPU_QUEUEF_SPARE) | (sc->no_auto ? 0 : PPU_QUEUEF_AUTO),
	};
}

struct model_result devq_check(const struct scenario *s, enum mistake mistake, uint64_t max_states, bool path)
{
	static const char *const names[] = { "T1", "T2", "T3", "T4", "T5" };
	struct model_thread t[MODEL_MAX_THREADS] = {
		[HOST] = { "host", run_host, 0 }, [CPU] = { "cpu", run_cpu, 0 },
	};
	struct model m = { .state = &w, .bytes = sizeof(w), .threads = t, .at_end = at_end,
			   .num_events = num_events, .event = event };
	unsigned n = KERNEL;

	sc = s;
	wrong = mistake;
	init_world();
	for (; n < KERNEL + s->kernel; n++)
		t[n] = (struct model_thread){ names[n - KERNEL], run_kernel, n };
	for (; n < KERNEL + s->kernel + s->nested; n++)
		t[n] = (struct model_thread){ names[n - KERNEL], run_nested, n };
	m.num_threads = n;
	return model_explore(&m, max_states, path);
}
