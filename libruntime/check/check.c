/* SPDX-License-Identifier: MIT */
/*
 * The checker: which tool, which contexts, and what they have.  What is wrong with an access is memcheck.c's business.
 *
 * Kernels run in the thread that waits for them, with the device's lock; calls come from any thread, with any of the
 * runtime's locks.  chk_lock guards everything here and is the innermost lock of all.  Whoever is in dlopen() has the dynamic
 * loader's lock, and a constructor there may call CUDA and wait for ours: so nothing that is done with one of them asks the
 * loader for anything (stack.h).
 */
#define _GNU_SOURCE	/* asprintf */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/contents.h"
#include "check/float.h"
#include "check/host/host.h"
#include "check/init/init.h"
#include "check/race/race.h"
#include "check/state.h"
#include "check/symbol.h"
#include "check/sync.h"
#include "check/tools.h"
#include "compiler/obj/image.h"

#define RED_ZONE	512u		/* at least; and a part of large blocks, whose rows may be what is missed by one */
#define RED_ZONE_MAX	(64u << 10)
#define RED_ZONE_PART	16
#define QUARANTINE	(64ull << 20)

pthread_mutex_t chk_lock = PTHREAD_MUTEX_INITIALIZER;
bool (*chk_inside)(const void *p);

#define NUMBER(tool, name) tool,
static enum tool { NONE, CHK_TOOLS(NUMBER) CONTENTS, TOOLS } tool;	/* CONTENTS: contents.h */
#undef NUMBER
#define NAME(tool, name) [tool] = (name),
static const char *const names[TOOLS] = { CHK_TOOLS(NAME) [CONTENTS] = "contents" };
#undef NAME

static bool leaks, strict;
static struct ppu_observer watched;
static struct chk_ctx *all;
static unsigned contexts;		/* that there were */
static pid_t owner;			/* a child of fork() has our findings, but they are not its own */

static struct chk_ctx *ctx_of(uint64_t inst)
{
	for (struct chk_ctx *c = all; c; c = c->next)
		if (c->inst == inst)
			return c;
	return NULL;
}

/* ---- what is seen ------------------------------------------------------------------------------ */

/* What a tool looks at, and what it does with it. */
static const struct tool_ops {
	struct ppu_observer observer;
	void (*access)(struct chk_ctx *c, const struct ppu_seen_access *a);
	void (*fence)(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope);
	void (*barrier)(struct chk_ctx *c, const struct ppu_seen_barrier *b);
	void (*warp)(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes);
	void (*sync)(struct chk_ctx *c, const struct ppu_seen_sync *s);
	void (*stuck)(struct chk_ctx *c, const struct ppu_seen_stuck *s);
	void (*arithmetic)(struct chk_ctx *c, const struct ppu_seen_float *f);
	void (*choose)(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t first, uint32_t second);
	void (*call)(struct chk_ctx *c, const struct ppu_seen_call *s);
	void (*copy)(struct chk_ctx *c, const struct ppu_seen_copy *copy);
	void (*cta_end)(const struct ppu_seen_cta *c);
	void (*task_end)(const struct ppu_seen_task *t);
	void (*task_start)(struct chk_ctx *c, const struct ppu_seen_task *t);
	void (*task_over)(struct chk_ctx *c, const struct ppu_seen_task *t);
} tools[TOOLS];

/* What happens in a context that we know goes to the tool. */
#define SEE(member, context, ...) do { \
	struct chk_ctx *c; \
	pthread_mutex_lock(&chk_lock); \
	c = ctx_of(context); \
	if (c && tool) \
		tools[tool].member(c, __VA_ARGS__); \
	pthread_mutex_unlock(&chk_lock); \
} while (0)

static void see_access(void *arg, const struct ppu_seen_access *a)
{
	SEE(access, a->at.cta->task.inst, a);
}

static void see_fence(void *arg, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope)
{
	SEE(fence, at->cta->task.inst, at, lanes, scope);
}

static void see_barrier(void *arg, const struct ppu_seen_barrier *b)
{
	SEE(barrier, b->cta->task.inst, b);
}

static void see_warp(void *arg, const struct ppu_seen_warp *at, uint32_t lanes)
{
	SEE(warp, at->cta->task.inst, at, lanes);
}

static void see_sync(void *arg, const struct ppu_seen_sync *s)
{
	SEE(sync, s->at.cta->task.inst, s);
}

static void see_stuck(void *arg, const struct ppu_seen_stuck *s)
{
	SEE(stuck, s->at.cta->task.inst, s);
}

static void see_float(void *arg, const struct ppu_seen_float *f)
{
	SEE(arithmetic, f->at.cta->task.inst, f);
}

static void see_choice(void *arg, const struct ppu_seen_warp *at, uint32_t first, uint32_t second)
{
	SEE(choose, at->cta->task.inst, at, first, second);
}

static void see_call(void *arg, const struct ppu_seen_call *s)
{
	SEE(call, s->at.cta->task.inst, s);
}

static void see_copy(void *arg, const struct ppu_seen_copy *copy)
{
	SEE(copy, copy->inst, copy);
}

static void see_cta_end(void *arg, const struct ppu_seen_cta *c)
{
	pthread_mutex_lock(&chk_lock);
	if (tool)
		tools[tool].cta_end(c);
	pthread_mutex_unlock(&chk_lock);
}

static void see_task_end(void *arg, const struct ppu_seen_task *t)
{
	pthread_mutex_lock(&chk_lock);
	if (tool)
		tools[tool].task_end(t);
	pthread_mutex_unlock(&chk_lock);
}

static void see_task_start(void *arg, const struct ppu_seen_task *t)
{
	SEE(task_start, t->inst, t);
}

static void see_task_over(void *arg, const struct ppu_seen_task *t)
{
	SEE(task_over, t->inst, t);
}

#define CTAS .cta_end = see_cta_end, .task_end = see_task_end
static const struct tool_ops tools[TOOLS] = {
	[MEMCHECK] = {
		.observer = { .spaces = 1 << PPU_SPACE_GLOBAL, .access = see_access },
		.access = chk_memcheck,
	},
	[RACECHECK] = {
		.observer = {
			.spaces = 1 << PPU_SPACE_GLOBAL | 1 << PPU_SPACE_SHARED, .access = see_access, .fence = see_fence,
			.barrier = see_barrier, .warp_sync = see_warp, .copy = see_copy, .cta_end = see_cta_end,
			.task_start = see_task_start, .task_end = see_task_over,
		},
		.access = chk_race_access, .fence = chk_race_fence, .barrier = chk_race_barrier, .warp = chk_race_warp,
		.copy = chk_race_copy, .cta_end = chk_race_cta_end, .task_start = chk_race_task_start,
		.task_over = chk_race_task_end,
	},
	[INITCHECK] = {
		.observer = {
			.spaces = 1 << PPU_SPACE_GLOBAL | 1 << PPU_SPACE_SHARED | 1 << PPU_SPACE_LOCAL, .access = see_access,
			.call = see_call, .copy = see_copy, CTAS,
		},
		.access = chk_init_access, .call = chk_init_call, .copy = chk_init_copy, .cta_end = chk_init_cta_end,
		.task_end = chk_init_task_end,
	},
	[SYNCCHECK] = {
		.observer = { .barrier = see_barrier, .warp_sync = see_warp, .sync = see_sync, .stuck = see_stuck, CTAS },
		.barrier = chk_sync_barrier, .warp = chk_sync_warp, .sync = chk_sync_reach, .stuck = chk_sync_stuck,
		.cta_end = chk_sync_cta_end, .task_end = chk_sync_task_end,
	},
	[FLOATCHECK] = {
		.observer = {
			.floats = PPU_SEEN_SPECIAL | PPU_SEEN_SUBNORMAL, .arithmetic = see_float, .choose = see_choice,
			.call = see_call, CTAS,
		},
		.arithmetic = chk_float_arithmetic, .choose = chk_float_choose, .call = chk_float_call,
		.cta_end = chk_float_cta_end, .task_end = chk_float_task_end,
	},
};
#undef CTAS

/* The last line before pc of the file in which the function begins; NULL: pc is in it, or that is not known. */
static const struct ppu_line *own_line(const struct ppu_image *img, const struct ppu_symbol *s, uint32_t pc)
{
	const struct ppu_line *own = NULL, *best = NULL, *here = ppu_image_line(img, pc);

	for (uint32_t i = 0; s && i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i];

		if (l->line && l->pc >= s->value && l->pc <= pc && l->file < img->num_files && (!own || l->pc < own->pc))
			own = l;
	}
	for (uint32_t i = 0; own && i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i];

		if (l->line && l->pc >= own->pc && l->pc <= pc && l->file == own->file && (!best || l->pc >= best->pc))
			best = l;
	}
	return here && best && here->file == best->file ? NULL : best;
}

void chk_place_of(const struct chk_ctx *c, const struct ppu_seen_warp *w, uint32_t lanes, struct chk_place *p)
{
	const struct ppu_seen_cta *cta = w->cta;
	const uint32_t *block = cta->task.block;
	uint32_t number = (uint32_t)(cta->task.id >> 32), t = w->warp * PPU_OBSERVE_LANES;
	const struct ppu_image *img = NULL;
	const struct ppu_line *l;
	const struct ppu_symbol *s;

	memset(p, 0, sizeof(*p));
	p->pc = w->pc;
	memcpy(p->block, cta->id, sizeof(p->block));
	if (lanes) {
		t += (uint32_t)__builtin_ctz(lanes);
		p->others = (uint32_t)__builtin_popcount(lanes) - 1;
	}
	p->thread[0] = t % block[0];
	p->thread[1] = t / block[0] % block[1];
	p->thread[2] = t / block[0] / block[1];
	if (number < c->num_kernels) {
		img = c->kernels[number].img;
		p->kernel = c->kernels[number].name;
	}
	if (!img)
		return;
	s = ppu_image_function(img, w->pc);
	l = ppu_image_line(img, w->pc);
	p->function = s ? s->name : NULL;
	if (l) {
		p->file = img->files[l->file];
		p->line = l->line;
	}
	l = own_line(img, s, w->pc);
	if (l) {
		p->after_file = img->files[l->file];
		p->after_line = l->line;
	}
}

/* ---- settings ---------------------------------------------------------------------------------- */

/* "cancellation=20". */
static bool parse_bits(const char *word)
{
	static const char name[] = "cancellation=";
	unsigned long n;
	char *end;

	if (strncmp(word, name, sizeof(name) - 1) != 0)
		return false;
	n = strtoul(word + sizeof(name) - 1, &end, 10);
	if (*end || n < 1 || n > CHK_MOST_BITS)
		return false;
	chk_float_bits = (unsigned)n;
	return true;
}

/* Words of PPU_CHECK behind the tool, and whose they are. */
static const struct {
	const char *name;
	enum tool of, also;		/* also: NONE, or another one */
	bool *on;
} options[] = {
	{ "leaks", MEMCHECK, NONE, &leaks }, { "strict", SYNCCHECK, RACECHECK, &strict },
	{ "plain-volatile", RACECHECK, NONE, &chk_race_plain_volatile }, { "loaded", FLOATCHECK, NONE, &chk_float_loaded },
};
#define NUM_OPTIONS (sizeof(options) / sizeof(options[0]))

#define IN_A_LIST(tool, name) " " name
#define ALL_TOOLS CHK_TOOLS(IN_A_LIST)

/* NULL, or what is wrong with the word. */
static char *parse_word(const char *word, enum tool *found)
{
	char *err = NULL;
	unsigned i;

	for (i = MEMCHECK; i < TOOLS && strcmp(word, names[i]) != 0; i++)
		;
	if (i < TOOLS && !*found) {
		*found = i;
		return NULL;
	}
	if (parse_bits(word))
		return NULL;
	for (i = 0; i < NUM_OPTIONS && strcmp(word, options[i].name) != 0; i++)
		;
	if (i < NUM_OPTIONS)
		*options[i].on = true;
	else if (asprintf(&err, "PPU_CHECK: there is no \"%s\" (one of" ALL_TOOLS "; leaks; strict; plain-volatile; loaded, cancellation=BITS)",
			  word) < 0)
		err = NULL;
	return err;
}

static char *of_another(const char *option, enum tool of, enum tool also)
{
	char *err;

	return asprintf(&err, "PPU_CHECK: \"%s\" is of %s%s%s only", option, names[of], also ? " and " : "",
			also ? names[also] : "") < 0 ? NULL : err;
}

/* PPU_CHECK: the tool, and words behind it. */
static char *parse(const char *text, enum tool *found)
{
	char *copy = strdup(text), *save, *word, *err = NULL;

	for (unsigned i = 0; i < NUM_OPTIONS; i++)
		*options[i].on = false;
	chk_float_bits = 0;
	*found = NONE;
	for (word = copy ? strtok_r(copy, ", ", &save) : NULL; word && !err; word = strtok_r(NULL, ", ", &save))
		err = parse_word(word, found);
	free(copy);
	if (!err && !*found)
		err = strdup("PPU_CHECK names no tool (one of" ALL_TOOLS ")");
	for (unsigned i = 0; i < NUM_OPTIONS && !err; i++)
		if (*options[i].on && options[i].of != *found && options[i].also != *found)
			err = of_another(options[i].name, options[i].of, options[i].also);
	if (chk_float_bits && *found != FLOATCHECK && !err)
		err = of_another("cancellation", FLOATCHECK, NONE);
	return err;
}

static void tell_leaks(struct chk_ctx *c)
{
	for (size_t i = 0; leaks && !c->leaks_told && i < c->blocks.n; i++) {
		const struct chk_block *b = &c->blocks.v[i];
		struct chk_finding f = { .kind = CHK_LEAK, .block = b };

		if (b->what != CHK_USER || b->late)
			continue;
		snprintf(f.what, sizeof(f.what), "%llu bytes at 0x%llx were never freed (allocation %u)",
			 (unsigned long long)b->bytes, (unsigned long long)b->va, b->number);
		chk_report(&f);
	}
	c->leaks_told = true;
}

static void close_report(void)
{
	for (struct chk_ctx *c = all; c && tool == CONTENTS; c = c->next)
		chk_contents_all(c);
	if (tool == CONTENTS)
		chk_contents_close();
	chk_report_close();
}

/* The program's end: contexts that it did not destroy.  By now its own destructors have run, which may free memory. */
__attribute__((destructor))
static void at_end(void)
{
	if (!tool || getpid() != owner)
		return;
	pthread_mutex_lock(&chk_lock);
	for (struct chk_ctx *c = all; c; c = c->next)
		tell_leaks(c);
	close_report();
	pthread_mutex_unlock(&chk_lock);
}

static void make_ready(void)
{
	chk_stack_ready();
	chk_symbol_ready();
}

/* The loader's part early, when nobody can have a lock of ours. */
__attribute__((constructor))
static void prepare(void)
{
	const char *text = getenv("PPU_CHECK");

	if (text && *text)
		make_ready();
}

int chk_open(const struct be_ops *be, struct be_dev *dev, bool (*inside)(const void *p), char **err)
{
	const char *text = getenv("PPU_CHECK");
	enum tool asked;
	int rc;

	*err = NULL;
	if (!text || !*text)
		return 0;
	*err = parse(text, &asked);
	if (!*err && !be->observe)
		*err = strdup("PPU_CHECK: only the device inside the process can be checked (PPU_BACKEND=core)");
	if (!*err && tool)		/* contexts are told apart by their instances, which are those of one device */
		*err = strdup("PPU_CHECK: one device can be checked, and there are more");
	if (!*err)
		*err = chk_report_open(names[asked]);
	if (*err)
		return -EINVAL;
	make_ready();
	if (asked == RACECHECK)
		chk_host_ready();
	tool = asked;
	chk_sync_strict = chk_race_strict = strict;
	owner = getpid();
	chk_inside = inside;
	if (tool == CONTENTS) {
		chk_contents_open(be, dev);
		return 0;
	}
	watched = tools[tool].observer;
	if (chk_float_bits)
		watched.floats |= PPU_SEEN_SUMS;
	rc = be->observe(dev, &watched);
	if (rc)
		chk_close(be, dev);
	return rc;
}

void chk_close(const struct be_ops *be, struct be_dev *dev)
{
	if (!tool)
		return;
	be->observe(dev, NULL);
	pthread_mutex_lock(&chk_lock);
	close_report();
	tool = NONE;
	pthread_mutex_unlock(&chk_lock);
}

bool chk_on(void)
{
	return tool == MEMCHECK;
}

bool chk_wants_unwritten(void)
{
	return tool == INITCHECK;
}

/* ---- contexts ---------------------------------------------------------------------------------- */

struct chk_ctx *chk_ctx_new(const struct be_ops *be, struct be_vm *vm)
{
	struct chk_ctx *c = tool ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->inst = be->vm_inst(vm);
	pthread_mutex_lock(&chk_lock);
	c->number = ++contexts;
	c->next = all;
	all = c;
	pthread_mutex_unlock(&chk_lock);
	return c;
}

void chk_ctx_end(struct chk_ctx *c)
{
	pthread_mutex_lock(&chk_lock);
	for (struct chk_ctx **p = &all; *p; p = &(*p)->next) {
		if (*p == c) {
			*p = c->next;
			break;
		}
	}
	if (tool && getpid() == owner)
		tell_leaks(c);
	if (tool == CONTENTS && getpid() == owner)
		chk_contents_all(c);
	chk_race_free(c);
	chk_host_forget(c);
	pthread_mutex_unlock(&chk_lock);
	chk_shadow_free(&c->valid);
	chk_shadow_free(&c->fresh);
	chk_blocks_free(&c->blocks);
	free(c->kernels);
	free(c);
}

/* ---- memory ------------------------------------------------------------------------------------ */

uint64_t chk_red_zone(const struct chk_ctx *c, uint64_t bytes)
{
	uint64_t zone = bytes / RED_ZONE_PART;

	return !c || tool != MEMCHECK ? 0 : zone < RED_ZONE ? RED_ZONE : zone > RED_ZONE_MAX ? RED_ZONE_MAX : zone;
}

uint64_t chk_quarantine(const struct chk_ctx *c)
{
	return c && tool == MEMCHECK ? QUARANTINE : 0;
}

/* The runtime's own memory begins and ends with a block, too, but nobody wants to know who asked for it. */
static void add(struct chk_ctx *c, uint64_t va, uint64_t bytes, uint64_t room, enum chk_what what,
		const struct chk_stack *stack)
{
	struct chk_block *b = chk_block_add(&c->blocks, va, bytes, room, what);

	if (b && stack)
		b->made = *stack;
	if (tool == MEMCHECK || (tool == RACECHECK && what != CHK_INTERNAL))
		chk_shadow_set(&c->valid, va, bytes, true);
}

/* Tools that know allocations. */
static bool has_blocks(void)
{
	return tool == MEMCHECK || tool == INITCHECK || tool == RACECHECK || tool == CONTENTS;
}

void chk_fresh(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	pthread_mutex_lock(&chk_lock);
	if (tool == INITCHECK)
		chk_init_fresh(c, va, bytes);
	pthread_mutex_unlock(&chk_lock);
}

void chk_alloc(struct chk_ctx *c, uint64_t va, uint64_t bytes, uint64_t room, enum chk_what what)
{
	struct chk_stack s;

	if (!has_blocks())
		return;
	if (what != CHK_INTERNAL)
		chk_stack_take(&s);
	pthread_mutex_lock(&chk_lock);
	add(c, va, bytes, room, what, what == CHK_INTERNAL ? NULL : &s);
	pthread_mutex_unlock(&chk_lock);
}

void chk_shared_with_host(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	pthread_mutex_lock(&chk_lock);
	if (tool == RACECHECK)
		chk_host_add(c, va, bytes);
	pthread_mutex_unlock(&chk_lock);
}

void chk_host_functions(void)
{
	chk_host_quiet();
}

void chk_free(struct chk_ctx *c, uint64_t va)
{
	struct chk_block *b;
	struct chk_stack s;

	if (!has_blocks())
		return;
	chk_stack_take(&s);
	pthread_mutex_lock(&chk_lock);
	b = chk_block_at(&c->blocks, va);
	if (b && tool == CONTENTS)
		chk_contents_block(c, b);
	if (b) {
		chk_init_gone(c, va, b->bytes);
		chk_host_remove(va);
		c->num_late -= b->late;
		chk_block_end(&c->blocks, b, &s);
	}
	pthread_mutex_unlock(&chk_lock);
}

static void name_call(const struct chk_stack *s, const char *otherwise, char *buf, size_t len)
{
	chk_stack_api(s, buf, len);
	if (!*buf)
		snprintf(buf, len, "%s", otherwise);
}

/* The same mistake is that of the same call of the program. */
static uint64_t call_of(const struct chk_stack *s)
{
	return s->n ? (uintptr_t)s->frame[0] : 1;
}

static void tell_call(struct chk_ctx *c, struct chk_finding *f, const struct chk_stack *s)
{
	bool dead;

	f->call = s;
	f->same = call_of(s);
	f->block = chk_suspect(c, f->address, &dead);
	chk_report(f);
}

void chk_bad_free(struct chk_ctx *c, uint64_t va)
{
	struct chk_finding f = { .address = va, .bytes = 1 };
	const struct chk_block *d;
	struct chk_stack s;
	char call[32];

	if (!chk_on())
		return;
	chk_stack_take(&s);
	name_call(&s, "free", call, sizeof(call));
	pthread_mutex_lock(&chk_lock);
	d = chk_block_dead(&c->blocks, va);
	f.kind = d && d->va == va ? CHK_DOUBLE_FREE : CHK_INVALID_FREE;
	snprintf(f.what, sizeof(f.what), "%s of 0x%llx, %s", call, (unsigned long long)va,
		 d && d->va == va ? "which was freed before" : "which is not the start of an allocation");
	tell_call(c, &f, &s);
	pthread_mutex_unlock(&chk_lock);
}

bool chk_range_ok(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	const struct chk_block *b;
	bool ok = true;

	pthread_mutex_lock(&chk_lock);
	b = tool == MEMCHECK ? chk_block_below(&c->blocks, va) : NULL;
	if (b && b->what == CHK_USER)
		ok = va - b->va <= b->bytes && bytes <= b->bytes - (va - b->va);
	pthread_mutex_unlock(&chk_lock);
	return ok;
}

void chk_bad_range(struct chk_ctx *c, const char *access, uint64_t va, uint64_t bytes)
{
	struct chk_finding f = { .kind = CHK_INVALID_RANGE, .access = access, .address = va, .bytes = bytes };
	struct chk_stack s;
	char call[32];

	if (!chk_on())
		return;
	chk_stack_take(&s);
	name_call(&s, "call", call, sizeof(call));
	pthread_mutex_lock(&chk_lock);
	snprintf(f.what, sizeof(f.what), "%s: %s of %llu bytes at 0x%llx, which are not inside one allocation",
		 call, access, (unsigned long long)bytes, (unsigned long long)va);
	tell_call(c, &f, &s);
	pthread_mutex_unlock(&chk_lock);
}

/* ---- pools ------------------------------------------------------------------------------------- */

static struct chk_block *block_of_any(uint64_t va, struct chk_ctx **ctx)
{
	struct chk_block *b = NULL;

	for (*ctx = all; *ctx && !b; ) {
		b = chk_block_at(&(*ctx)->blocks, va);
		if (!b)
			*ctx = (*ctx)->next;
	}
	return b;
}

void chk_pool_alloc(uint64_t va, uint64_t bytes)
{
	struct chk_block *b;
	struct chk_ctx *c;

	pthread_mutex_lock(&chk_lock);
	b = block_of_any(va, &c);
	if (b && b->bytes > bytes) {
		chk_shadow_set(&c->valid, va + bytes, b->bytes - bytes, false);
		b->bytes = bytes;
	}
	pthread_mutex_unlock(&chk_lock);
}

void chk_pool_again(uint64_t va, uint64_t bytes, uint64_t room)
{
	struct chk_block *b;
	struct chk_stack s;
	struct chk_ctx *c;

	chk_stack_take(&s);
	pthread_mutex_lock(&chk_lock);
	b = block_of_any(va, &c);
	if (b) {
		b->made = s;
		b->bytes = bytes;
		chk_init_gone(c, va, room);
		chk_init_fresh(c, va, bytes);
	}
	pthread_mutex_unlock(&chk_lock);
}

void chk_pool_free(uint64_t va)
{
	struct chk_block *b;
	struct chk_stack s;
	struct chk_ctx *c;

	chk_stack_take(&s);
	pthread_mutex_lock(&chk_lock);
	b = block_of_any(va, &c);
	if (b && !b->late) {
		b->late = true;
		b->launch = c->launch;
		b->freed = s;
		c->num_late++;
	}
	pthread_mutex_unlock(&chk_lock);
}

/* ---- order ------------------------------------------------------------------------------------- */

bool chk_orders(void)
{
	return tool == RACECHECK;
}

void chk_chan(struct chk_ctx *c, unsigned index, uint32_t hw, const volatile uint64_t *done)
{
	pthread_mutex_lock(&chk_lock);
	chk_race_chan(c, index, hw, done);
	pthread_mutex_unlock(&chk_lock);
}

void chk_work(struct chk_ctx *c, const uint64_t *need, unsigned n, unsigned index, uint64_t seq, bool stack)
{
	struct chk_stack s;

	if (stack)
		chk_stack_take(&s);
	pthread_mutex_lock(&chk_lock);
	chk_race_work(c, need, n, index, seq, stack ? &s : NULL);
	pthread_mutex_unlock(&chk_lock);
}

void chk_work_launch(struct chk_ctx *c, uint64_t id, unsigned index, uint64_t seq)
{
	pthread_mutex_lock(&chk_lock);
	chk_race_launch(c, id, index, seq);
	pthread_mutex_unlock(&chk_lock);
}

void chk_word(struct chk_ctx *c, unsigned index, uint64_t seq, uint64_t at, uint64_t bytes, bool waits)
{
	pthread_mutex_lock(&chk_lock);
	chk_race_word(c, index, seq, at, bytes, waits);
	pthread_mutex_unlock(&chk_lock);
}

void chk_host_knows(struct chk_ctx *c, const uint64_t *done, unsigned n)
{
	pthread_mutex_lock(&chk_lock);
	chk_race_host(c, done, n);
	pthread_mutex_unlock(&chk_lock);
}

/* ---- kernels and modules ----------------------------------------------------------------------- */

void chk_launch(struct chk_ctx *c, uint32_t launch, uint64_t blocks, uint32_t threads)
{
	pthread_mutex_lock(&chk_lock);
	c->launch = launch;
	if (tool == CONTENTS)
		chk_contents_launch(blocks, threads);
	pthread_mutex_unlock(&chk_lock);
}

void chk_kernel(struct chk_ctx *c, uint32_t number, const struct ppu_image *img, const char *name)
{
	struct chk_kernel *k;

	pthread_mutex_lock(&chk_lock);
	if (number >= c->num_kernels && img) {
		uint32_t n = number + 64;

		k = realloc(c->kernels, n * sizeof(*k));
		if (k) {
			memset(k + c->num_kernels, 0, (n - c->num_kernels) * sizeof(*k));
			c->kernels = k;
			c->num_kernels = n;
		}
	}
	if (number < c->num_kernels) {
		c->kernels[number].img = img;
		c->kernels[number].name = name;
	}
	pthread_mutex_unlock(&chk_lock);
}

static bool is_variable(const struct ppu_symbol *s)
{
	return (s->kind == PPU_SYM_GLOBAL || s->kind == PPU_SYM_CONST) && s->size;
}

void chk_variables(struct chk_ctx *c, const struct ppu_image *img, uint64_t data_va)
{
	struct chk_block *data;

	if (!chk_on() && !chk_orders() && tool != CONTENTS)
		return;
	pthread_mutex_lock(&chk_lock);
	data = chk_block_at(&c->blocks, data_va);
	if (data) {
		chk_shadow_set(&c->valid, data->va, data->bytes, false);
		chk_block_forget(&c->blocks, data);
	}
	for (uint32_t i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		struct chk_block *b;

		/* Two names of one place are one block. */
		if (!is_variable(s) || chk_block_at(&c->blocks, data_va + s->value))
			continue;
		b = chk_block_add(&c->blocks, data_va + s->value, s->size, s->size, CHK_VARIABLE);
		if (b)
			b->name = strdup(s->name);
		chk_shadow_set(&c->valid, data_va + s->value, s->size, true);
	}
	pthread_mutex_unlock(&chk_lock);
}

void chk_variables_gone(struct chk_ctx *c, const struct ppu_image *img, uint64_t data_va)
{
	pthread_mutex_lock(&chk_lock);
	for (uint32_t i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		struct chk_block *b = is_variable(s) ? chk_block_at(&c->blocks, data_va + s->value) : NULL;

		if (!b || b->what != CHK_VARIABLE)
			continue;
		if (tool == CONTENTS)
			chk_contents_block(c, b);
		chk_shadow_set(&c->valid, b->va, b->bytes, false);
		chk_block_end(&c->blocks, b, &(struct chk_stack){ 0 });
	}
	pthread_mutex_unlock(&chk_lock);
}
