/* SPDX-License-Identifier: MIT */
/*
 * Streams that wait for a word in memory, or write one: the semaphore commands of the host interface do it, and no SM
 * is occupied.
 *
 * The device does not notice when the CPU stores a word (WQ-17). So the context keeps a list of what its streams wait
 * for, and somebody looks at those words that the CPU can reach, and kicks a channel when one compares true: who waits
 * for work of the context if the device works only while somebody waits, else a thread. A word of device memory is
 * stored by the device itself.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <ppu.h>
#include <hw/ppu_cmd.h>
#include "api/stream/word.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/context/wait.h"
#include "api/memory/mem.h"
#include "api/memory/peer.h"
#include "api/memory/vmm.h"
#include "api/stream/chan.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "check/check.h"

#define MOST		(RT_JOB_COMMANDS / PPU_CMD_SIZE_SEM_ACQUIRE)	/* commands of one job */
_Static_assert(PPU_CMD_SIZE_SEM_RELEASE <= PPU_CMD_SIZE_SEM_ACQUIRE, "MOST fit whatever they are");
#define SOON_NS		100000ull

struct rt_word {
	struct rt_word *next;
	const struct rt_chan *chan;
	uint64_t seq;		/* when the channel has it, the wait is over */
	bool by_cpu;		/* the CPU can reach the word */
	bool foreign;		/* another device may store it, of which this one hears nothing */
	ppuWordOp op;
};

struct rt_words {
	struct rt_word *first;
	struct rt_words *next;	/* of another context */
	struct ppuCtx_st *ctx;
	pthread_t thread;
	bool has_thread;
};

/* Of all contexts that live. Inside the contexts' locks. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_words *all;

static unsigned sem_op(ppuWordKind kind)
{
	switch (kind) {
	case PPU_WORD_WAIT_EQ:
		return PPU_SEM_OP_EQ;
	case PPU_WORD_WAIT_AND:
		return PPU_SEM_OP_ANYBIT;
	case PPU_WORD_WAIT_NOR:
		return PPU_SEM_OP_NOR;
	default:
		return PPU_SEM_OP_CIRC_GE;
	}
}

/* What the device would say of the word. */
static bool holds(const ppuWordOp *op)
{
	const volatile void *at = (const volatile void *)(uintptr_t)op->address;
	uint64_t word, value = op->value;

	if (op->bytes == 8) {
		word = __atomic_load_n((const volatile uint64_t *)at, __ATOMIC_ACQUIRE);
	} else {
		/* In the upper half the sign is the highest bit, and no carry comes from below. */
		word = (uint64_t)__atomic_load_n((const volatile uint32_t *)at, __ATOMIC_ACQUIRE) << 32;
		value <<= 32;
	}
	switch (op->kind) {
	case PPU_WORD_WAIT_EQ:
		return word == value;
	case PPU_WORD_WAIT_AND:
		return word & value;
	case PPU_WORD_WAIT_NOR:
		return ~(word | value) >> (op->bytes == 8 ? 0 : 32);
	default:
		return (int64_t)(word - value) >= 0;
	}
}

/* ---- looking at words ----------------------------------------------------------------------- */

/* The memory is there as long as the wait is not over: who frees it waits, unless the context is broken. */
static bool look(struct ppuCtx_st *ctx, bool *stored)
{
	struct rt_word **p = ctx->words ? &ctx->words->first : NULL;
	bool kick = false, holding = false;

	while (p && *p) {
		struct rt_word *w = *p;

		if (rt_chan_done(w->chan, w->seq) || ctx->broken) {
			*p = w->next;
			free(w);
			continue;
		}
		holding |= w->by_cpu && holds(&w->op);
		kick |= w->foreign || ctx->peers_elsewhere;
		p = &w->next;
	}
	if (kick || holding)
		rt_chan_kick_any(ctx);
	*stored |= holding;
	return ctx->words && ctx->words->first;
}

bool rt_words_look(struct ppuCtx_st *ctx)
{
	bool stored = false;

	return look(ctx, &stored);
}

/* Whose lock is taken is looked at by who has it, or the next time: one context's lock must not wait for another one's. */
bool rt_words_look_others(const struct ppuCtx_st *ctx, bool *stored)
{
	bool any = false;

	*stored = false;
	pthread_mutex_lock(&all_lock);
	for (struct rt_words *w = all; w; w = w->next) {
		if (w->ctx == ctx || pthread_mutex_trylock(&w->ctx->lock))
			continue;
		any |= !w->ctx->dead && look(w->ctx, stored);
		pthread_mutex_unlock(&w->ctx->lock);
	}
	pthread_mutex_unlock(&all_lock);
	return any;
}

static void doze(struct ppuCtx_st *ctx, uint64_t ns)
{
	uint64_t until = ppu_be_now() + ns;
	struct timespec ts = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };

	pthread_cond_timedwait(&ctx->host_cond, &ctx->lock, &ts);
}

bool rt_words_may_go_on(struct ppuCtx_st *ctx)
{
	if (!rt_words_look(ctx))
		return false;
	doze(ctx, SOON_NS);
	return true;
}

/* For a device that works by itself. */
static void *look_thread(void *arg)
{
	struct ppuCtx_st *ctx = arg;

	pthread_mutex_lock(&ctx->lock);
	while (!ctx->dead) {
		if (rt_words_look(ctx))
			doze(ctx, RT_WORD_LOOK_NS);
		else
			pthread_cond_wait(&ctx->host_cond, &ctx->lock);
	}
	pthread_mutex_unlock(&ctx->lock);
	return NULL;
}

static bool words_new(struct ppuCtx_st *ctx)
{
	struct rt_words *w = calloc(1, sizeof(*w));

	if (!w)
		return false;
	w->ctx = ctx;
	pthread_mutex_lock(&all_lock);
	w->next = all;
	all = w;
	pthread_mutex_unlock(&all_lock);
	ctx->words = w;
	return true;
}

/* Room for `waits` waits on the list, and somebody who looks at it. */
static ppuResult prepare(struct ppuCtx_st *ctx, size_t waits, struct rt_word **room)
{
	*room = NULL;
	if (!waits)
		return PPU_SUCCESS;
	if (!ctx->words && !words_new(ctx))
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	if (!ctx->be->poll && !ctx->words->has_thread) {
		/* It cannot start early: it first takes the lock, which is held here. */
		if (pthread_create(&ctx->words->thread, NULL, look_thread, ctx))
			return rt_error(PPU_ERROR_OUT_OF_RESOURCES);
		ctx->words->has_thread = true;
	}
	while (waits--) {
		struct rt_word *w = calloc(1, sizeof(*w));

		if (!w)
			return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
		w->next = *room;
		*room = w;
	}
	return PPU_SUCCESS;
}

static void drop(struct rt_word *w)
{
	while (w) {
		struct rt_word *next = w->next;

		free(w);
		w = next;
	}
}

/* ---- the call ------------------------------------------------------------------------------- */

static void emit(struct rt_job *job, const ppuWordOp *op)
{
	unsigned flags = op->bytes == 4 ? PPU_CMDF_SEM_32 : 0;

	if (op->kind == PPU_WORD_WRITE)
		rt_emit_va(job, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, flags), op->address);
	else
		rt_emit_va(job, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
					    flags | PPU_CMDF_SEM_OP(sem_op(op->kind))), op->address);
	rt_emit64(job, op->value);
}

static bool is_pinned(struct ppuCtx_st *ctx, const ppuWordOp *op)
{
	ppuMemoryType type;

	return !rt_classify(ctx, (const void *)(uintptr_t)op->address, op->bytes, &type) && type == PPU_MEMORY_HOST;
}

static bool is_foreign(struct ppuCtx_st *ctx, const ppuWordOp *op)
{
	const struct rt_alloc *a = rt_find(ctx, (const void *)(uintptr_t)op->address);

	return rt_peer_of(ctx, op->address, op->bytes) || (a && a->mem && a->mem->imported);
}

/* Up to MOST of them, in one job. */
static ppuResult some(struct ppuStream_st *s, const ppuWordOp *ops, size_t count)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_word *room;
	struct rt_job job;
	size_t waits = 0;
	ppuResult res;

	for (size_t i = 0; i < count; i++)
		waits += ops[i].kind != PPU_WORD_WRITE;
	res = prepare(ctx, waits, &room);
	/* Always a compute channel: there are more of them, and a wait at the head of a channel holds up who shares it. */
	if (!res)
		res = rt_job_begin(&job, s, PPU_CLASS_COMPUTE, 0);
	if (res) {
		drop(room);
		return res;
	}
	for (size_t i = 0; i < count; i++)
		emit(&job, &ops[i]);
	rt_job_end(&job);
	for (size_t i = 0; i < count; i++) {
		struct rt_word *w = room;

		if (ctx->check && chk_orders())
			chk_word(ctx->check, job.chan->index, job.chan->seq, ops[i].address, ops[i].bytes,
				 ops[i].kind != PPU_WORD_WRITE);
		if (ops[i].kind == PPU_WORD_WRITE)
			continue;
		room = w->next;
		*w = (struct rt_word){ ctx->words->first, job.chan, job.chan->seq, is_pinned(ctx, &ops[i]),
				       is_foreign(ctx, &ops[i]), ops[i] };
		ctx->words->first = w;
	}
	if (waits)
		pthread_cond_broadcast(&ctx->host_cond);
	return PPU_SUCCESS;
}

static ppuResult check(struct ppuCtx_st *ctx, const ppuWordOp *op)
{
	ppuMemoryType type;
	ppuResult res;

	if (op->kind > PPU_WORD_WAIT_NOR || (op->bytes != 4 && op->bytes != 8) || op->address % op->bytes)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (op->kind == PPU_WORD_WAIT_NOR && !(ctx->device->prop.features & PPU_FEAT_SEM_NOR))
		return rt_fail(PPU_ERROR_NOT_SUPPORTED, "this device cannot wait for a bit that neither word nor value has");
	res = rt_classify(ctx, (const void *)(uintptr_t)op->address, op->bytes, &type);
	if (!res && type == PPU_MEMORY_UNREGISTERED)
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%#llx is neither device nor pinned memory",
			      (unsigned long long)op->address);
	return res;
}

ppuResult ppuStreamWordOps(ppuStream stream, const ppuWordOp *ops, size_t count)
{
	struct ppuStream_st *s;
	ppuResult res;

	if (!ops && count)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(stream, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		for (size_t i = 0; i < count && !res; i++)
			res = check(s->ctx, &ops[i]);
		for (size_t i = 0; i < count && !res; i += MOST)
			res = some(s, ops + i, count - i < MOST ? count - i : MOST);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

/* ---- the end -------------------------------------------------------------------------------- */

void rt_words_join(struct ppuCtx_st *ctx)
{
	struct rt_words **p;

	pthread_mutex_lock(&all_lock);
	for (p = &all; *p && (*p)->ctx != ctx; p = &(*p)->next)
		;
	if (*p)
		*p = (*p)->next;
	pthread_mutex_unlock(&all_lock);
	if (ctx->words && ctx->words->has_thread)
		pthread_join(ctx->words->thread, NULL);
}

void rt_words_free(struct ppuCtx_st *ctx)
{
	if (ctx->words)
		drop(ctx->words->first);
	free(ctx->words);
}
