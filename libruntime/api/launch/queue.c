/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues: one for each stream that launches kernels which put work into it.
 *
 * The backend makes the queue itself (method 400, WQ-27..WQ-34).  This file adds three things in device
 * memory: the structure that kernels read (struct ppu_queue), the state that the threads of a launch share,
 * and command memory for each entry.  A launch is, in the stream's channel:
 *
 *   an entry    what the stream waits for, QUEUE_REFRESH, the state set anew
 *   1 or 4      LAUNCH, WFI, SEM_RELEASE X = n, SEM_ACQUIRE Y = n     (WQ-29)
 *   an entry    the timeline's release, as behind every job
 *
 * Launches of one queue follow each other, whatever their streams: each waits for the last one.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_tmd.h>
#include "api/launch/queue.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/function.h"
#include "api/launch/module.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "api/stream/chan.h"
#include "api/stream/prio.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "compiler/devabi/queue.h"

#define ENTRIES_DEFAULT	1024u
#define BLOCK_DEFAULT	1024u
#define BLOCK_LEAST	512u
#define BLOCK_MOST	65536u
#define BLOCK_ALIGN	256u
#define FLAGS_ALL	(PPU_STREAM_QUEUE_SPLIT | PPU_STREAM_QUEUE_NO_SPARE | PPU_STREAM_QUEUE_NO_TERMINATOR | \
			 PPU_STREAM_QUEUE_NO_ASSIST)
#define STATE_OFFSET	256u	/* in the queue's memory; the block of struct ppu_queue comes first */
#define BLOCKS_OFFSET	512u

/* Two words that the host interface sets at once. */
#define PAIR(field)	offsetof(struct ppu_queue, field)
_Static_assert(sizeof(struct ppu_queue) <= STATE_OFFSET, "");
_Static_assert(!(PAIR(wait_entries) & 7) && PAIR(priority) == PAIR(wait_entries) + 4, "");
_Static_assert(!(PAIR(local_bytes) & 7) && PAIR(shared_bytes) == PAIR(local_bytes) + 4, "");

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* ---- life ------------------------------------------------------------------------------------ */

/* With the device's assist any group may wait for room.  Without it, the driver frees half of the ring at
 * a time. */
static uint32_t wait_entries(const struct rt_queue *q)
{
	return q->assist ? q->count - 2 : q->count - 1 - q->count / 2;
}

static struct ppu_queue describe(struct ppuCtx_st *ctx, const struct rt_queue *q)
{
	return (struct ppu_queue){
		.ring = q->be.ring_va, .soft = q->be.soft_va, .shadow = q->be.shadow_va, .sems = q->be.sem_va,
		.x = q->be.x_va, .y = q->be.y_va, .state = q->mem + STATE_OFFSET, .blocks = q->mem + BLOCKS_OFFSET,
		.count = q->count, .block_bytes = q->block_bytes, .log2 = ppu_wrap_log2(q->count),
		.flags = (q->flags & PPU_STREAM_QUEUE_NO_SPARE ? 0 : PPU_QUEUEF_SPARE) |
			 (q->flags & PPU_STREAM_QUEUE_NO_TERMINATOR ? 0 : PPU_QUEUEF_AUTO),
		.wait_entries = wait_entries(q), .shared_bytes = ctx->device->prop.shared_per_block,
	};
}

static int create(struct ppuCtx_st *ctx, struct rt_queue *q, uint32_t initial_get)
{
	struct be_devq_args args = { .entries = q->count, .initial_get = initial_get, .owner = q->chan->be };
	int rc;

	if (!(q->flags & PPU_STREAM_QUEUE_NO_ASSIST)) {
		args.flags = BE_DEVQ_ASSIST;
		rc = ctx->be->devq_create(ctx->vm, &args, &q->be);
		q->assist = !rc;
		if (rc != -EOPNOTSUPP)
			return rc;
		args.flags = 0;
	}
	return ctx->be->devq_create(ctx->vm, &args, &q->be);
}

static void queue_free(struct ppuCtx_st *ctx, struct rt_queue *q)
{
	if (q->be.chan)
		ctx->be->chan_free(q->be.chan);
	if (q->mem)
		rt_free(ctx, q->mem);
	free(q);
}

/* Unlocked. */
static ppuResult tell_kernels(struct ppuCtx_st *ctx, const struct rt_queue *q)
{
	struct ppu_queue desc = describe(ctx, q);
	struct rt_rect r = { q->mem, (uintptr_t)&desc, sizeof(desc), sizeof(desc), sizeof(desc), 1 };

	return rt_copy(ctx->load_stream, &r, true);
}

/* Locked.  Frees the queues that were made with options, lost their stream and are done: nobody else may
 * use these. */
static void reap(struct ppuCtx_st *ctx)
{
	struct rt_queue **p = &ctx->queues, *q;

	while ((q = *p)) {
		if (q->special && !q->owner && rt_done(ctx, &q->last)) {
			*p = q->next;
			queue_free(ctx, q);
		} else {
			p = &q->next;
		}
	}
}

/* Unlocked.  The queue in *out is not in any list. */
static ppuResult queue_new(struct ppuStream_st *s, const ppuQueueOptions *o, struct rt_queue **out)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_queue *q = calloc(1, sizeof(*q));
	ppuResult res;
	int rc;

	if (!q)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	q->count = o->entries;
	q->block_bytes = o->block_bytes;
	q->flags = o->flags;
	res = rt_enter(ctx);
	if (res) {
		free(q);
		return res;
	}
	reap(ctx);
	res = rt_chan_pick(s, PPU_CLASS_COMPUTE, &q->chan);
	if (!res)
		res = rt_alloc(ctx, RT_HEAP_DATA, BLOCKS_OFFSET + (uint64_t)q->count * q->block_bytes,
			       PPU_TMD_ALIGN, RT_MEMORY_MODULE, &q->mem);
	if (!res) {
		rc = create(ctx, q, o->initial_get);
		if (rc)
			res = rc == -ENOSPC ? rt_fail(PPU_ERROR_OUT_OF_RESOURCES, "no channel is left for a device-owned queue") :
			      rt_errno(rc, "creating a device-owned queue");
	}
	rt_leave(ctx);
	if (!res)
		res = tell_kernels(ctx, q);
	if (res) {
		pthread_mutex_lock(&ctx->lock);
		queue_free(ctx, q);
		pthread_mutex_unlock(&ctx->lock);
		return res;
	}
	*out = q;
	return PPU_SUCCESS;
}

static void settle(const struct ppuCtx_st *ctx, ppuQueueOptions *o)
{
	if (!o->entries)
		o->entries = ENTRIES_DEFAULT < ctx->device->prop.ring_max ? ENTRIES_DEFAULT : ctx->device->prop.ring_max;
	if (!o->block_bytes)
		o->block_bytes = BLOCK_DEFAULT;
	o->block_bytes = (o->block_bytes + BLOCK_ALIGN - 1) & ~(BLOCK_ALIGN - 1);
}

/* Locked.  A queue for a stream that has none: one without an owner, made for the stream's channel.  With
 * `anybodys`, when no more queues can be made, any queue that was not made with options. */
static struct rt_queue *borrow(struct ppuStream_st *s, bool anybodys)
{
	struct rt_chan *c;

	if (rt_chan_pick(s, PPU_CLASS_COMPUTE, &c))
		return NULL;
	for (struct rt_queue *q = s->ctx->queues; q; q = q->next)
		if (((!q->owner && q->chan == c) || anybodys) && !q->special)
			return q;
	return NULL;
}

ppuResult rt_queue_prepare(struct ppuStream_st *s)
{
	struct ppuCtx_st *ctx = s->ctx;
	ppuQueueOptions o = { 0 };
	struct rt_queue *q;
	ppuResult res;

	settle(ctx, &o);
	pthread_mutex_lock(&making);
	res = rt_enter(ctx);
	if (!res) {
		if (!s->queue && (q = borrow(s, false))) {
			q->owner = s;
			s->queue = q;
		}
		q = s->queue;
		rt_leave(ctx);
		if (!q) {
			res = queue_new(s, &o, &q);
			pthread_mutex_lock(&ctx->lock);
			if (!res) {
				q->owner = s;
				q->next = ctx->queues;
				ctx->queues = q;
			} else if (res == PPU_ERROR_OUT_OF_RESOURCES && borrow(s, true)) {
				q = borrow(s, true);
				res = PPU_SUCCESS;
			}
			if (!res)
				s->queue = q;
			pthread_mutex_unlock(&ctx->lock);
		}
	}
	pthread_mutex_unlock(&making);
	return res;
}

void rt_queue_disown(struct ppuStream_st *s)
{
	if (s->queue && s->queue->owner == s)
		s->queue->owner = NULL;
	s->queue = NULL;
}

bool rt_queue_has(const struct ppuCtx_st *ctx, uint32_t hw_channel)
{
	for (const struct rt_queue *q = ctx->queues; q; q = q->next)
		if (q->be.chan->hw_channel == hw_channel)
			return true;
	return false;
}

void rt_queues_stop(struct ppuCtx_st *ctx)
{
	for (struct rt_queue *q = ctx->queues; q; q = q->next)
		ctx->be->chan_stop(q->be.chan);
}

void rt_queues_free(struct ppuCtx_st *ctx)
{
	struct rt_queue *q;

	while ((q = ctx->queues)) {
		ctx->queues = q->next;
		queue_free(ctx, q);
	}
}

/* ---- launches -------------------------------------------------------------------------------- */

static void emit_word(struct rt_job *j, uint64_t va, uint64_t value)
{
	rt_emit_va(j, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0), va);
	rt_emit64(j, value);
}

/* Sets a word of struct ppu_queue, if its value differs from that at the last launch. */
static void emit_pair(struct rt_job *j, struct rt_queue *q, unsigned which, size_t offset, uint32_t low, uint32_t high)
{
	uint64_t value = (uint64_t)high << 32 | low;

	if (q->pair_known[which] && q->pair[which] == value)
		return;
	emit_word(j, q->mem + offset, value);
	q->pair[which] = value;
	q->pair_known[which] = true;
}

/* The task priority in the form of struct ppu_queue. */
static uint32_t task_priority(const struct ppuStream_st *s)
{
	return rt_prio_explicit(s) ? s->device_priority + 1 : 0;
}

unsigned rt_queue_parts(const struct rt_queue *q)
{
	return q->flags & PPU_STREAM_QUEUE_SPLIT ? 6 : 3;
}

void rt_queue_tmd(const struct rt_queue *q, struct ppu_tmd *t)
{
	t->envreg[0] = q->mem;
	t->envreg[1] |= (uint64_t)PPU_QUEUE_ENV_COUNTED << PPU_QUEUE_ENV_SHIFT;
}

void rt_queue_before(struct rt_job *j, struct rt_queue *q, uint64_t threads)
{
	struct ppuCtx_st *ctx = j->stream->ctx;
	uint32_t chid = q->be.chan->hw_channel;
	uint64_t state = q->mem + STATE_OFFSET;

	q->launches++;
	rt_emit(j, PPU_CMD_HDR(PPU_CMD_QUEUE_REFRESH, PPU_CMD_SIZE_QUEUE_REFRESH, 0), &chid, 1);
	emit_word(j, state + offsetof(struct ppu_queue_state, live), threads);
	emit_word(j, state + offsetof(struct ppu_queue_state, gate), 0);
	emit_word(j, q->mem + offsetof(struct ppu_queue, launch), q->launches);
	emit_pair(j, q, 0, PAIR(wait_entries), wait_entries(q), task_priority(j->stream));
	emit_pair(j, q, 1, PAIR(local_bytes), ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL),
		  ctx->device->prop.shared_per_block);
	rt_job_cut(j);
}

static void split(struct rt_job *j, const struct rt_queue *q)
{
	if (q->flags & PPU_STREAM_QUEUE_SPLIT)
		rt_job_cut(j);
}

void rt_queue_launch(struct rt_job *j, struct rt_queue *q, uint64_t tmd_va)
{
	rt_emit_va(j, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0), tmd_va);
	split(j, q);
	rt_emit(j, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0), NULL, 0);
	split(j, q);
	emit_word(j, q->be.x_va, q->launches);
	split(j, q);
	rt_emit_va(j, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)),
		   q->be.y_va);
	rt_emit64(j, q->launches);
	rt_job_cut(j);
}

/* ---- kernels that threads may launch ----------------------------------------------------------- */

static int by_pc(const void *a, const void *b)
{
	const struct ppu_queue_kernel *x = a, *y = b;

	return x->entry_pc < y->entry_pc ? -1 : x->entry_pc > y->entry_pc;
}

static ppuResult list_kernels(struct ppuModule_st *m, struct ppu_queue_kernels *all)
{
	const struct ppu_image *img = m->img;
	ppuResult res = rt_enter(m->ctx);

	if (res)
		return res;
	all->code_va = m->code_va;
	all->code_insns = img->num_insns;
	for (uint32_t i = 0; i < img->num_symbols && !res; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		struct ppu_queue_kernel *k = &all->kernel[all->count];

		if (s->kind != PPU_SYM_KERNEL)
			continue;
		*k = (struct ppu_queue_kernel){
			.entry_pc = (uint32_t)s->value, .regs = s->regs ? s->regs : 1, .barriers = s->barriers,
			.shared_bytes = s->shared_bytes, .local_bytes = s->local_bytes, .param_bytes = s->param_bytes,
			/* A queue's launches have no clusters: no block is small enough for a kernel that wants them. */
			.max_threads = PPU_SYM_CLUSTER_DIMS(s->cluster) ? 0 : rt_max_threads(s, &m->ctx->device->prop),
			.reqntid = { s->reqntid[0], s->reqntid[1], s->reqntid[2] }, .recursive = s->recursive,
			.creates = !!(s->flags & PPU_SYMF_QUEUE),
		};
		/* .reqntid x leaves y and z 1 */
		for (unsigned n = 1; n < 3 && k->reqntid[0]; n++)
			if (!k->reqntid[n])
				k->reqntid[n] = 1;
		res = rt_module_number(m, s, &k->number);
		all->count++;
	}
	rt_leave(m->ctx);
	qsort(all->kernel, all->count, sizeof(all->kernel[0]), by_pc);
	return res;
}

ppuResult rt_queue_bind(struct ppuModule_st *m, uint8_t *data)
{
	const struct ppu_symbol *s = ppu_image_find(m->img, PPU_QUEUE_KERNELS);
	struct ppu_queue_kernels *all;
	struct rt_rect r;
	size_t bytes;
	ppuResult res;

	if (!s || s->kind != PPU_SYM_GLOBAL || s->size < sizeof(m->kernels_va) || s->value > m->img->data_bytes ||
	    m->img->data_bytes - s->value < sizeof(m->kernels_va))
		return PPU_SUCCESS;
	bytes = sizeof(*all) + m->img->num_symbols * sizeof(all->kernel[0]);
	all = calloc(1, bytes);
	if (!all)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	res = list_kernels(m, all);
	bytes = sizeof(*all) + all->count * sizeof(all->kernel[0]);
	if (!res)
		res = rt_enter(m->ctx);
	if (!res) {
		res = rt_alloc(m->ctx, RT_HEAP_DATA, bytes, 0, RT_MEMORY_MODULE, &m->kernels_va);
		rt_leave(m->ctx);
	}
	if (!res) {
		r = (struct rt_rect){ m->kernels_va, (uintptr_t)all, bytes, bytes, bytes, 1 };
		res = rt_copy(m->ctx->load_stream, &r, true);
		memcpy(data + s->value, &m->kernels_va, sizeof(m->kernels_va));
	}
	free(all);
	return res;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static ppuResult check(const struct ppuCtx_st *ctx, const ppuQueueOptions *o)
{
	uint32_t most = ctx->device->prop.ring_max;

	if (o->entries < PPU_DEVQ_MIN_ENTRIES || o->entries > most)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "a device-owned queue has %u to %u entries, not %u",
			       PPU_DEVQ_MIN_ENTRIES, most, o->entries);
	if (o->block_bytes < BLOCK_LEAST || o->block_bytes > BLOCK_MOST)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "command memory of an entry has %u to %u bytes, not %u",
			       BLOCK_LEAST, BLOCK_MOST, o->block_bytes);
	if (o->initial_get >= o->entries)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "a queue of %u entries cannot begin with entry %u",
			       o->entries, o->initial_get);
	if (o->flags & ~FLAGS_ALL)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "flags %#x are none of a queue's (PPU_STREAM_QUEUE_*)",
			       o->flags & ~FLAGS_ALL);
	for (unsigned i = 0; i < sizeof(o->reserved) / sizeof(o->reserved[0]); i++)
		if (o->reserved[i])
			return rt_fail(PPU_ERROR_INVALID_VALUE, "reserved[%u] of the queue's options is not 0", i);
	return PPU_SUCCESS;
}

/* Locked; may wait.  Frees the stream's queue, if it is the stream's own. */
static ppuResult drop(struct ppuStream_st *s)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_queue *q = s->queue;
	ppuResult res;

	if (!q)
		return PPU_SUCCESS;
	res = rt_wait(ctx, &q->last, &rt_no_limit);
	if (res || s->queue != q)
		return res;
	rt_queue_disown(s);
	if (q->owner)		/* borrowed */
		return PPU_SUCCESS;
	for (struct ppuStream_st *o = ctx->streams; o; o = o->next)
		if (o->queue == q)
			return PPU_SUCCESS;
	if (ctx->null_stream->queue == q)
		return PPU_SUCCESS;
	for (struct rt_queue **p = &ctx->queues; *p; p = &(*p)->next) {
		if (*p == q) {
			*p = q->next;
			break;
		}
	}
	queue_free(ctx, q);
	return PPU_SUCCESS;
}

ppuResult ppuStreamSetQueue(ppuStream handle, const ppuQueueOptions *options)
{
	ppuQueueOptions o = { 0 };
	struct rt_queue *q = NULL;
	struct ppuStream_st *s;
	ppuResult res = rt_stream(handle, &s);

	if (res)
		return res;
	if (options)
		o = *options;
	settle(s->ctx, &o);
	res = check(s->ctx, &o);
	if (!res)
		res = rt_enter(s->ctx);
	if (!res) {	/* not with `making` held: others need it */
		if (s->queue)
			res = rt_wait(s->ctx, &s->queue->last, &rt_no_limit);
		rt_leave(s->ctx);
	}
	if (!res) {
		pthread_mutex_lock(&making);
		res = queue_new(s, &o, &q);
		if (!res) {
			pthread_mutex_lock(&s->ctx->lock);
			res = s->ctx->dead ? rt_error(PPU_ERROR_INVALID_CONTEXT) : drop(s);
			if (res) {
				queue_free(s->ctx, q);
			} else {
				q->special = options != NULL;
				q->owner = s;
				q->next = s->ctx->queues;
				s->ctx->queues = q;
				s->queue = q;
			}
			pthread_mutex_unlock(&s->ctx->lock);
		}
		pthread_mutex_unlock(&making);
	}
	rt_stream_put(s);
	return res;
}

static uint64_t word(const struct rt_queue *q, uint64_t va)
{
	return __atomic_load_n((const uint64_t *)((const uint8_t *)q->be.cpu + (va - q->be.ring_va)), __ATOMIC_ACQUIRE);
}

ppuResult ppuStreamGetQueue(ppuStream handle, ppuQueueInfo *info)
{
	const struct rt_queue *q;
	struct ppuStream_st *s;
	ppuResult res;

	if (!info)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		q = s->queue;
		if (!q)
			res = rt_fail(PPU_ERROR_NOT_FOUND, "the stream has no device-owned queue: it launched no kernel that needs one");
		else
			*info = (ppuQueueInfo){
				.entries = q->count, .block_bytes = q->block_bytes, .flags = q->flags,
				.channel = q->be.chan->hw_channel, .launches = q->launches,
				.get = s->ctx->be->chan_get(q->be.chan), .assist = q->assist,
				.launch_channel = q->chan->be->hw_channel, .launch_put = q->chan->put,
				.launch_get = s->ctx->be->chan_get(q->chan->be),
				.soft = word(q, q->be.soft_va), .shadow = word(q, q->be.shadow_va),
				.x = word(q, q->be.x_va), .y = word(q, q->be.y_va),
				.ring_address = q->be.ring_va, .blocks_address = q->mem + BLOCKS_OFFSET,
				.semaphores_address = q->be.sem_va, .x_address = q->be.x_va, .y_address = q->be.y_va,
				.soft_address = q->be.soft_va, .shadow_address = q->be.shadow_va,
			};
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

ppuResult ppuStreamReadQueue(ppuStream handle, uint64_t address, void *to, size_t bytes)
{
	const struct rt_queue *q;
	struct ppuStream_st *s;
	ppuResult res;

	if (!to && bytes)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		q = s->queue;
		if (!q || address < q->be.ring_va || address - q->be.ring_va > q->be.size ||
		    bytes > q->be.size - (address - q->be.ring_va))
			res = rt_error(PPU_ERROR_INVALID_ADDRESS);
		else
			memcpy(to, (const uint8_t *)q->be.cpu + (address - q->be.ring_va), bytes);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

ppuResult ppuCtxGetQueueCount(int *count)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!count)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		*count = 0;
		for (struct rt_queue *q = ctx->queues; q; q = q->next)
			++*count;
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}
