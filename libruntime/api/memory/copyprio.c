/* SPDX-License-Identifier: MIT */
/*
 * Copies that obey priorities.
 *
 * The device serves copy channels in turns and knows of no priority among them.  Priority comes from the
 * commands around a copy.  Each internal priority but the lowest has a semaphore.  It counts the copies of
 * this priority that could run but have not.  A copy of priority n is inserted as one block (CP-20..CP-24):
 *
 *     acquire ...            what the copy depends on
 *     acquire S(k) == 0      for each priority k above n, upwards; GATE: holds until the copy starts
 *     inc S(n)               unless n is the lowest
 *     copy
 *     dec S(n)
 *     release ...            the channel's timeline
 *
 * The dependencies come first: a copy that waits for something is not counted, so lower ones go on
 * (CP-23).  Once S(n) is up, the copy waits for nothing but higher copies, which are in the same
 * position: the highest one waits for none, so every semaphore comes down again, whatever lower
 * channels wait for.  The dec comes before the release: when a copy is seen to be complete its
 * semaphore is down.
 *
 * Three scales meet here, each may be larger than the next (CP-9): levels of streams, internal
 * priorities, channels.  spread() maps one to the other, keeping order and both ends.  Priorities
 * without channels take no part (A-CP-12).
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include "api/memory/copyprio.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/memory/copy.h"
#include "api/memory/va.h"
#include "api/stream/chan.h"
#include "api/stream/prio.h"
#include "api/stream/stream.h"
#include "backend/backend.h"

#define DEFAULT_CHANNELS	4u	/* per internal priority */
#define SEM_STRIDE		16u
#define SEM_BYTES		((RT_MAX_COPY + 1) * SEM_STRIDE)

/* Item i of m onto n: in order, evenly, the first onto the first and the last onto the last. */
static unsigned spread(unsigned i, unsigned m, unsigned n)
{
	if (m >= n)
		return i * n / m;
	return m > 1 ? i * (n - 1) / (m - 1) : 0;
}

/* ---- configuration -------------------------------------------------------------------------- */

static bool number(const char *text, unsigned long max, unsigned *out)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !v || v > max)
		return false;
	*out = (unsigned)v;
	return true;
}

/* "2:1:1" */
static bool parse_map(char *text, struct rt_copy_conf *c)
{
	char *save = NULL;
	unsigned v;

	c->channels = 0;
	for (char *t = strtok_r(text, ":", &save); t; t = strtok_r(NULL, ":", &save)) {
		if (c->channels == RT_MAX_COPY || !number(t, RT_MAX_COPY, &v))
			return false;
		c->of_channel[c->channels++] = (uint8_t)v;
	}
	return c->channels > 0;
}

static bool parse_option(const char *name, char *value, struct rt_copy_conf *c)
{
	if (!strcmp(name, "mode")) {
		static const char *const modes[] = { "on", "off", "inc-first" };

		for (unsigned i = 0; i < 3; i++) {
			c->mode = (enum rt_copy_mode)i;
			if (!strcmp(value, modes[i]))
				return true;
		}
		return false;
	}
	if (!strcmp(name, "internal"))
		return number(value, RT_MAX_COPY, &c->count);
	if (!strcmp(name, "channels"))
		return number(value, RT_MAX_COPY, &c->channels);
	if (!strcmp(name, "map")) {
		c->mapped = true;
		return parse_map(value, c);
	}
	if (!strcmp(name, "order")) {
		c->down = !strcmp(value, "down");
		return c->down || !strcmp(value, "up");
	}
	if (!strcmp(name, "memory")) {
		c->system = !strcmp(value, "system");
		return c->system || !strcmp(value, "vram");
	}
	return false;
}

static ppuResult finish(struct rt_copy_conf *c, unsigned levels)
{
	if (!c->count) {
		c->count = levels < RT_MAX_COPY ? levels : RT_MAX_COPY;
		/* A map of channels determines the number of priorities. */
		for (unsigned i = 0; c->mapped && i < c->channels; i++)
			if (!i || c->of_channel[i] > c->count)
				c->count = c->of_channel[i];
	}
	if (!c->channels)
		c->channels = c->count * DEFAULT_CHANNELS < RT_MAX_COPY ? c->count * DEFAULT_CHANNELS : RT_MAX_COPY;
	for (unsigned i = 0; i < c->channels; i++) {
		unsigned rank = spread(i, c->channels, c->count);

		if (!c->mapped)
			c->of_channel[i] = (uint8_t)(c->down ? c->count - rank : rank + 1);
		else if (c->of_channel[i] > c->count)
			return rt_fail(PPU_ERROR_CONFIGURATION,
				       "copy priorities: channel %u has priority %u of %u in the map", i,
				       c->of_channel[i], c->count);
	}
	return PPU_SUCCESS;
}

ppuResult rt_copyprio_parse(const char *text, unsigned channels, unsigned levels, struct rt_copy_conf *c)
{
	char *copy = strdup(text ? text : ""), *save = NULL;
	ppuResult res = PPU_SUCCESS;

	if (!copy)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	memset(c, 0, sizeof(*c));
	c->channels = channels < RT_MAX_COPY ? channels : RT_MAX_COPY;
	for (char *t = strtok_r(copy, " ,\t\n", &save); t && !res; t = strtok_r(NULL, " ,\t\n", &save)) {
		char *eq = strchr(t, '=');

		if (eq)
			*eq = 0;
		if (!eq || !parse_option(t, eq + 1, c))
			res = rt_fail(PPU_ERROR_CONFIGURATION, "copy priorities: \"%s=%s\" is not understood (mode=on|off|"
				      "inc-first internal=1..%u order=up|down channels=1..%u map=1:2:... "
				      "memory=vram|system)", t, eq ? eq + 1 : "", RT_MAX_COPY, RT_MAX_COPY);
	}
	free(copy);
	return res ? res : finish(c, levels);
}

/* ---- a context's priorities ----------------------------------------------------------------- */

static ppuResult sems_new(struct ppuCtx_st *ctx)
{
	struct rt_copyprio *p = &ctx->copy;
	uint64_t va;
	void *ptr;
	int rc;

	/* Zero-filled: all semaphores start at 0. */
	rc = ctx->be->bo_alloc(ctx->vm, SEM_BYTES, p->conf.system ? BE_SYSTEM : BE_VRAM, &p->bo);
	if (rc)
		goto fail;
	rc = rt_va_alloc(SEM_BYTES, PPU_PAGE_SIZE, &va);
	if (rc)
		goto fail_bo;
	if (p->conf.system)
		rc = ctx->be->bo_map(p->bo, (void *)(uintptr_t)va, &ptr);
	if (!rc)
		rc = ctx->be->bind(ctx->vm, p->bo, va, SEM_BYTES, BE_BIND_NOEXEC);
	if (rc) {
		rt_va_free(va, SEM_BYTES, p->conf.system);
		goto fail_bo;
	}
	p->va = va;
	for (int n = p->lowest; n != p->highest; ) {
		n += p->step;
		if (!p->level[n].channels)
			continue;
		rc = ctx->be->sem_create(ctx->vm, p->bo, (uint64_t)n * SEM_STRIDE, &p->level[n].sem);
		if (rc)
			return rt_errno(rc, "creating semaphores of copies");
		p->level[n].sem_va = va + (uint64_t)n * SEM_STRIDE;
		p->semaphores++;
	}
	return PPU_SUCCESS;
fail_bo:
	ctx->be->bo_free(p->bo);
	p->bo = NULL;
fail:
	return rt_errno(rc, "allocating semaphores of copies");
}

ppuResult rt_copyprio_new(struct ppuCtx_st *ctx, bool off)
{
	struct rt_copyprio *p = &ctx->copy;
	int first, last;

	p->conf = rt_copy_conf;
	if (off)
		p->conf.mode = RT_COPY_OFF;
	p->step = p->conf.down ? -1 : 1;
	first = p->conf.down ? (int)p->conf.count : 1;
	last = p->conf.down ? 1 : (int)p->conf.count;
	for (unsigned i = 0; i < p->conf.channels; i++)
		p->level[p->conf.of_channel[i]].channels++;
	for (int n = first; n != last + p->step; n += p->step) {
		if (!p->level[n].channels)
			continue;
		if (!p->used++)
			p->lowest = n;
		p->highest = n;
		p->level[n].stage = rt_stage_new();
		if (!p->level[n].stage)
			return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	return p->used > 1 && p->conf.mode != RT_COPY_OFF ? sems_new(ctx) : PPU_SUCCESS;
}

void rt_copyprio_free(struct ppuCtx_st *ctx)
{
	struct rt_copyprio *p = &ctx->copy;

	for (unsigned n = 0; n <= RT_MAX_COPY; n++) {
		if (p->level[n].sem)
			ctx->be->sem_destroy(p->level[n].sem);
		rt_stage_free(p->level[n].stage);
	}
	if (p->bo) {
		ctx->be->unbind(ctx->vm, p->va, SEM_BYTES);
		rt_va_free(p->va, SEM_BYTES, p->conf.system);
		ctx->be->bo_free(p->bo);
	}
}

/* ---- from a stream to its channel ----------------------------------------------------------- */

/* The internal priority of a level: the wanted one, or the next lower one with channels. */
static int internal(const struct rt_copyprio *p, unsigned level, unsigned levels)
{
	int rank = (int)spread(level, levels, p->conf.count);
	int n = p->conf.down ? (int)p->conf.count - rank : 1 + rank;

	/* No priority below the lowest one in use has channels. */
	if ((n - p->lowest) * p->step < 0)
		return p->lowest;
	while (!p->level[n].channels)
		n -= p->step;
	return n;
}

void rt_copyprio_alias(struct ppuStream_st *s)
{
	struct rt_copyprio *p = &s->ctx->copy;
	int n = internal(p, s->level, rt_prio_levels(&s->ctx->device->prop));
	unsigned skip = p->level[n].next++ % p->level[n].channels, i = 0;

	while (p->conf.of_channel[i] != n || skip--)
		i++;
	s->copy_chan = i;
}

/* ---- insertion ------------------------------------------------------------------------------ */

static void inc(struct rt_job *job, int n)
{
	uint64_t sem = job->stream->ctx->copy.level[n].sem_va;

	if (sem)
		rt_emit_va(job, PPU_CMD_HDR(PPU_CMD_SEM_INC, PPU_CMD_SIZE_SEM_INC, 0), sem);
}

/* CP-21: the copy must not start before all higher copies that could run are done. */
static void gates(struct rt_job *job, int n)
{
	const struct rt_copyprio *p = &job->stream->ctx->copy;

	for (int current = n; current != p->highest; ) {
		current += p->step;
		if (!p->level[current].sem_va)
			continue;
		rt_emit_va(job, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
					    PPU_CMDF_SEM_OP(PPU_SEM_OP_ZERO) | PPU_CMDF_SEM_GATE),
			   p->level[current].sem_va);
		rt_emit64(job, 0);
	}
}

ppuResult rt_copy_begin(struct rt_job *job, struct ppuStream_st *s)
{
	bool early = s->ctx->copy.conf.mode == RT_COPY_INC_FIRST;
	ppuResult res = rt_job_open(job, s, PPU_CLASS_COPY, 0);

	if (res)
		return res;
	if (early)
		inc(job, job->chan->priority);
	rt_job_depend(job);
	gates(job, job->chan->priority);
	if (!early)
		inc(job, job->chan->priority);
	return PPU_SUCCESS;
}

void rt_copy_end(struct rt_job *job)
{
	uint64_t sem = job->stream->ctx->copy.level[job->chan->priority].sem_va;

	if (sem)
		rt_emit_va(job, PPU_CMD_HDR(PPU_CMD_SEM_DEC, PPU_CMD_SIZE_SEM_DEC, 0), sem);
	rt_job_end(job);
}

/* ---- the calls ------------------------------------------------------------------------------ */

ppuResult ppuCtxGetCopyConfig(ppuCopyConfig *config)
{
	const struct rt_copyprio *p;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!config)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	p = &ctx->copy;		/* does not change */
	*config = (ppuCopyConfig){
		.enabled = p->conf.mode != RT_COPY_OFF, .priorities = p->conf.count,
		.priorities_used = p->used, .channels = p->conf.channels,
		.lowest = p->lowest, .highest = p->highest,
		.semaphores = p->semaphores, .in_vram = !p->conf.system,
	};
	rt_obj_put(&ctx->obj);
	return PPU_SUCCESS;
}

ppuResult ppuCtxGetCopySemaphore(int priority, void **address, uint64_t *value)
{
	const struct rt_copyprio *p;
	struct ppuCtx_st *ctx;
	ppuResult res = rt_current(&ctx);

	if (res)
		return res;
	p = &ctx->copy;
	pthread_mutex_lock(&ctx->lock);
	if (ctx->dead)
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	else if (priority < 1 || priority > (int)p->conf.count)
		res = rt_fail(PPU_ERROR_INVALID_VALUE, "internal priorities are 1 to %u, not %d", p->conf.count,
			      priority);
	else if (!p->level[priority].sem_va)
		res = rt_fail(PPU_ERROR_NOT_FOUND, "internal priority %d has no semaphore", priority);
	if (!res && value)
		res = rt_errno(ctx->be->sem_read(p->level[priority].sem, value), "reading a semaphore");
	if (!res && address)
		*address = (void *)(uintptr_t)p->level[priority].sem_va;
	pthread_mutex_unlock(&ctx->lock);
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuStreamGetCopyInfo(ppuStream handle, ppuStreamCopyInfo *info)
{
	struct ppuStream_st *s;
	struct rt_chan *c;
	ppuResult res;

	if (!info)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		res = rt_chan_pick(s, PPU_CLASS_COPY, &c);
		if (!res)
			*info = (ppuStreamCopyInfo){
				.channel = c->number, .hw_channel = c->be->hw_channel, .priority = c->priority,
			};
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}
