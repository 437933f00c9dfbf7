/* SPDX-License-Identifier: MIT */
/*
 * The profiler: when there is one, which contexts, and what is seen of them.
 *
 * Kernels run in the thread that waits for them, with the device's lock; calls come from any thread, with any of the
 * runtime's locks.  prof_lock guards everything here and is the innermost lock of all, and the dynamic loader is asked for
 * nothing with it.
 */
#define _GNU_SOURCE	/* asprintf */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "check/symbol.h"
#include "prof/state.h"

pthread_mutex_t prof_lock = PTHREAD_MUTEX_INITIALIZER;
ppuDeviceProp prof_device;

static struct prof_ctx *all;
static uint32_t num_ctxs;
static bool on;
static pid_t owner;			/* a child of fork() has our counts, but they are not its own */
static const struct be_ops *device_ops;
static struct be_dev *device;
static FILE *out;

static struct prof_ctx *ctx_of(uint64_t inst)
{
	for (struct prof_ctx *c = all; c; c = c->next)
		if (c->inst == inst)
			return c;
	return NULL;
}

/* ---- what is seen ------------------------------------------------------------------------------ */

static void see_task_start(void *arg, const struct ppu_seen_task *t)
{
	struct prof_ctx *c;

	pthread_mutex_lock(&prof_lock);
	c = on ? ctx_of(t->inst) : NULL;
	if (c)
		prof_launch_start(c, t);
	pthread_mutex_unlock(&prof_lock);
}

static void see_task_end(void *arg, const struct ppu_seen_task *t)
{
	pthread_mutex_lock(&prof_lock);
	if (on) {
		prof_turns_end(t);
		prof_launch_end(t);
	}
	pthread_mutex_unlock(&prof_lock);
}

/* What happens in a task that counts goes to its launch. */
#define SEE(fn, task, what) do { \
	struct prof_launch *l; \
	pthread_mutex_lock(&prof_lock); \
	l = on ? prof_launch_running((task)->serial) : NULL; \
	if (l && prof_launch_counts(l, (task)->insns)) \
		fn(l, what); \
	pthread_mutex_unlock(&prof_lock); \
} while (0)

static void see_cta_start(void *arg, const struct ppu_seen_cta *c)
{
	SEE(prof_cta_start, &c->task, c);
}

static void see_cta_end(void *arg, const struct ppu_seen_cta *c)
{
	SEE(prof_cta_end, &c->task, c);
}

static void see_access(void *arg, const struct ppu_seen_access *a)
{
	SEE(prof_access, &a->at.cta->task, a);
}

static void see_barrier(void *arg, const struct ppu_seen_barrier *b)
{
	SEE(prof_turn_barrier, &b->cta->task, b);
}

static struct ppu_seen_count *see_turn(void *arg, const struct ppu_seen_turn *t)
{
	struct ppu_seen_count *count = NULL;
	struct prof_launch *l;

	pthread_mutex_lock(&prof_lock);
	l = on ? prof_launch_running(t->at.cta->task.serial) : NULL;
	if (l && prof_launch_counts(l, t->at.cta->task.insns)) {
		prof_turn_begin(l, t);
		count = l->live->count;
	}
	pthread_mutex_unlock(&prof_lock);
	return count;
}

static void see_turn_end(void *arg, const struct ppu_seen_turn *t)
{
	SEE(prof_turn_end, &t->at.cta->task, t);
}

static void see_awake(void *arg, const struct ppu_seen_warp *at, uint64_t cycle)
{
	pthread_mutex_lock(&prof_lock);
	if (on)
		prof_turn_awake(at, cycle);
	pthread_mutex_unlock(&prof_lock);
}

static void see_copy(void *arg, const struct ppu_seen_copy *c)
{
	pthread_mutex_lock(&prof_lock);
	if (on && ctx_of(c->inst))
		prof_launch_copy(c);
	pthread_mutex_unlock(&prof_lock);
}

static const struct ppu_observer watched = {
	.spaces = 1 << PPU_SPACE_GLOBAL | 1 << PPU_SPACE_SHARED | 1 << PPU_SPACE_LOCAL,
	.task_start = see_task_start, .task_end = see_task_end, .cta_start = see_cta_start, .cta_end = see_cta_end,
	.access = see_access, .barrier = see_barrier, .turn_begin = see_turn, .turn_end = see_turn_end,
	.awake = see_awake, .copy = see_copy,
};

/* ---- begin and end ------------------------------------------------------------------------------- */

static void make_ready(void)
{
	chk_symbol_ready();
	prof_range_ready();
}

/* The loader's part early, when nobody can have a lock of ours. */
__attribute__((constructor))
static void prepare(void)
{
	const char *path = getenv("PPU_PROF");

	if (path && *path)
		make_ready();
}

int prof_open(const struct be_ops *be, struct be_dev *dev, const ppuDeviceProp *prop, char **err)
{
	const char *path = getenv("PPU_PROF"), *check = getenv("PPU_CHECK");
	int rc;

	*err = NULL;
	if (!path || !*path)
		return 0;
	if (check && *check)
		*err = strdup("PPU_PROF and PPU_CHECK: one of them can watch the device");
	else if (!be->observe)
		*err = strdup("PPU_PROF: only the device inside the process can be watched (PPU_BACKEND=core)");
	else if (on)		/* contexts are told apart by their instances, which are those of one device */
		*err = strdup("PPU_PROF: one device can be watched, and there are more");
	else
		out = fopen(path, "ae");
	if (!*err && !out && asprintf(err, "PPU_PROF: %s: %s", path, strerror(errno)) < 0)
		*err = NULL;
	if (!out || *err)
		return -EINVAL;
	make_ready();
	prof_device = *prop;
	device_ops = be;
	device = dev;
	owner = getpid();
	on = true;
	flock(fileno(out), LOCK_EX);	/* not between another process's records */
	fputs("open\n", out);		/* so that it is known if nothing follows */
	fflush(out);
	flock(fileno(out), LOCK_UN);
	rc = be->observe(dev, &watched);
	if (rc)
		prof_close(be, dev);
	return rc;
}

/* Not while a kernel may be counting: arrays stay, if the process ends. */
static void finish(bool free_all)
{
	uint64_t counters[PPU_CTR_COUNT] = { 0 };

	device_ops->counters(device, PPU_CTR_COUNT, counters);	/* has the device's lock, so it comes before ours */
	pthread_mutex_lock(&prof_lock);
	if (on) {
		on = false;
		flock(fileno(out), LOCK_EX);	/* children may write theirs */
		prof_write(out, counters);
		fclose(out);
		out = NULL;
		if (free_all) {
			prof_launches_free();
			prof_modules_free();
		}
	}
	pthread_mutex_unlock(&prof_lock);
}

void prof_close(const struct be_ops *be, struct be_dev *dev)
{
	if (!on || dev != device)
		return;
	be->observe(dev, NULL);
	finish(true);
}

/* The program's end, if it did not close the device. */
__attribute__((destructor))
static void at_end(void)
{
	if (on && getpid() == owner)
		finish(false);
}

/* ---- contexts ---------------------------------------------------------------------------------- */

struct prof_ctx *prof_ctx_new(const struct be_ops *be, struct be_vm *vm)
{
	struct prof_ctx *c = on ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->inst = be->vm_inst(vm);
	pthread_mutex_lock(&prof_lock);
	c->number = num_ctxs++;
	c->next = all;
	all = c;
	pthread_mutex_unlock(&prof_lock);
	return c;
}

void prof_ctx_end(struct prof_ctx *c)
{
	pthread_mutex_lock(&prof_lock);
	for (struct prof_ctx **p = &all; *p; p = &(*p)->next) {
		if (*p == c) {
			*p = c->next;
			break;
		}
	}
	for (uint32_t i = 0; i < c->num_kernels; i++)
		if (c->kernel[i])
			prof_module_gone(c->kernel[i]->mod->of);
	free(c->kernel);
	free(c->stream);
	free(c);
	pthread_mutex_unlock(&prof_lock);
}

void prof_kernel(struct prof_ctx *c, uint32_t number, const struct ppu_image *img, const struct ppu_symbol *sym)
{
	pthread_mutex_lock(&prof_lock);
	if (number >= c->num_kernels && img) {
		uint32_t n = number + 64;
		struct prof_kernel **k = realloc(c->kernel, n * sizeof(struct prof_kernel *));

		if (k) {
			memset(k + c->num_kernels, 0, (n - c->num_kernels) * sizeof(struct prof_kernel *));
			c->kernel = k;
			c->num_kernels = n;
		}
	}
	if (number < c->num_kernels) {
		if (!img && c->kernel[number])
			prof_module_gone(c->kernel[number]->mod->of);
		c->kernel[number] = img ? prof_module_kernel(img, sym) : NULL;
	}
	pthread_mutex_unlock(&prof_lock);
}

/* ---- launches ----------------------------------------------------------------------------------- */

/* The number of a stream: 0 the default one, then in the order of their first launches. */
static uint32_t stream_number(struct prof_ctx *c, const void *stream)
{
	struct prof_stream *v;

	if (!stream)
		return 0;
	for (uint32_t i = 0; i < c->num_streams; i++)
		if (c->stream[i].stream == stream)
			return i + 1;
	v = realloc(c->stream, (c->num_streams + 1) * sizeof(*v));
	if (!v)
		return 0;
	c->stream = v;
	v[c->num_streams].stream = stream;
	return ++c->num_streams;
}

void prof_launch(struct prof_ctx *c, uint32_t launch, uint32_t kernel, const void *stream)
{
	pthread_mutex_lock(&prof_lock);
	if (on)
		prof_launch_add(c, launch, kernel, stream_number(c, stream));
	pthread_mutex_unlock(&prof_lock);
}

void prof_stream_gone(struct prof_ctx *c, const void *stream)
{
	pthread_mutex_lock(&prof_lock);
	for (uint32_t i = 0; i < c->num_streams; i++)
		if (c->stream[i].stream == stream)
			c->stream[i].stream = NULL;
	pthread_mutex_unlock(&prof_lock);
}
