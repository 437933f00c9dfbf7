/* SPDX-License-Identifier: MIT */
/*
 * Contexts.  Each thread has a stack of contexts, and the top of its stack is the thread's current context.  A
 * context of a device is either one that the program created, or the device's primary context, which all its
 * users share and which exists while anybody has retained it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <hw/ppu_mmu.h>
#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/context/storage.h"
#include "cuda/graph/capture.h"
#include "cuda/memory/hostmem.h"
#include "cuda/memory/ipc.h"
#include "cuda/memory/managed.h"
#include "cuda/memory/pointer.h"
#include "cuda/memory/pool.h"

#define MAX_DEVICES 32

/* A thread's own default streams: one for each context in which the thread used such a stream. */
struct own_stream {
	unsigned long long ctx_id;
	ppuStream stream;
	struct own_stream *next;
};

struct thread_state {
	struct CUctx_st **stack;	/* with references */
	size_t depth, room;
	unsigned long long active;	/* id of libppu's current context in this thread */
	struct own_stream *own;
};

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st *primary[MAX_DEVICES];	/* made once, never freed */
static unsigned long long last_id;

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st *live;			/* contexts that have one of libppu's */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void thread_end(void *arg)
{
	struct thread_state *t = arg;
	struct own_stream *o;

	while (t->depth)
		cu_obj_put(t->stack[--t->depth]);
	while ((o = t->own)) {
		t->own = o->next;
		cu_capture_stream_gone(o->stream);
		ppuStreamDestroy(o->stream);
		free(o);
	}
	free(t->stack);
	free(t);
}

static void make_key(void)
{
	pthread_key_create(&key, thread_end);
}

static struct thread_state *thread(void)
{
	struct thread_state *t;

	pthread_once(&key_once, make_key);
	t = pthread_getspecific(key);
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (t)
			pthread_setspecific(key, t);
	}
	return t;
}

static struct CUctx_st *top(const struct thread_state *t)
{
	return t->depth ? t->stack[t->depth - 1] : NULL;
}

static bool is_dead(const struct CUctx_st *c)
{
	return __atomic_load_n(&c->dead, __ATOMIC_ACQUIRE);
}

CUresult cu_current(struct CUctx_st **ctx)
{
	struct thread_state *t = thread();
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c = top(t);
	if (!c)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (is_dead(c))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (t->active != c->id) {
		r = cu_result(ppuCtxSetCurrent(c->ppu));
		if (r)
			return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_CONTEXT_IS_DESTROYED : r;
		t->active = c->id;
	}
	cu_obj_ref(c);
	*ctx = c;
	return CUDA_SUCCESS;
}

/* The living context that ptr belongs to, with a reference; it is libppu's current one then. */
static struct CUctx_st *owner_of(CUdeviceptr ptr)
{
	struct thread_state *t = thread();
	struct CUctx_st *c;

	if (!t || !ptr)
		return NULL;
	pthread_mutex_lock(&live_lock);
	for (c = live; c; c = c->next_live) {
		if (ppuCtxSetCurrent(c->ppu))
			continue;
		t->active = c->id;
		if (cu_is_owned(ptr, c)) {
			cu_obj_ref(c);
			break;
		}
	}
	pthread_mutex_unlock(&live_lock);
	return c;
}

CUresult cu_current_of(struct CUctx_st **ctx, CUdeviceptr ptr)
{
	struct CUctx_st *owner;
	CUresult r = cu_current(ctx);

	if ((r && r != CUDA_ERROR_INVALID_CONTEXT) || (!r && (!ptr || cu_is_owned(ptr, *ctx))))
		return r;
	if (!r)
		cu_obj_put(*ctx);
	owner = owner_of(ptr);
	if (!owner)
		return cu_current(ctx);
	*ctx = owner;
	return CUDA_SUCCESS;
}

bool cu_go_to(const struct CUctx_st *ctx, unsigned long long id)
{
	struct thread_state *t = thread();

	if (!t || is_dead(ctx) || ctx->id != id || ppuCtxSetCurrent(ctx->ppu))
		return false;
	t->active = ctx->id;
	return true;
}

void cu_free_in(struct CUctx_st *ctx, unsigned long long id, void *mem)
{
	if (cu_go_to(ctx, id))
		ppuFree(mem);
}

void cu_free_host_in(struct CUctx_st *ctx, unsigned long long id, void *mem)
{
	if (cu_go_to(ctx, id))
		ppuFreeHost(mem);
}

CUresult cu_thread_stream(struct CUctx_st *ctx, ppuStream *stream)
{
	struct thread_state *t = thread();
	struct own_stream *o;
	CUresult r;

	for (o = t->own; o; o = o->next) {
		if (o->ctx_id == ctx->id) {
			*stream = o->stream;
			return CUDA_SUCCESS;
		}
	}
	o = calloc(1, sizeof(*o));
	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_result(ppuStreamCreate(&o->stream, PPU_STREAM_DEFAULT, 0));
	if (r) {
		free(o);
		return r;
	}
	o->ctx_id = ctx->id;
	o->next = t->own;
	t->own = o;
	*stream = o->stream;
	return CUDA_SUCCESS;
}

static CUresult push(struct CUctx_st *c)
{
	struct thread_state *t = thread();

	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (t->depth == t->room) {
		size_t room = t->room ? 2 * t->room : 8;
		struct CUctx_st **s = realloc(t->stack, room * sizeof(*s));

		if (!s)
			return CUDA_ERROR_OUT_OF_MEMORY;
		t->stack = s;
		t->room = room;
	}
	cu_obj_ref(c);
	t->stack[t->depth++] = c;
	return CUDA_SUCCESS;
}

static void pop(struct thread_state *t)
{
	if (t->depth)
		cu_obj_put(t->stack[--t->depth]);
}

/* ---- create and destroy --------------------------------------------------------------------- */

static bool flags_ok(unsigned int flags)
{
	unsigned int sched = flags & CU_CTX_SCHED_MASK;

	return !(flags & ~(unsigned int)CU_CTX_FLAGS_MASK) &&
	       (sched == CU_CTX_SCHED_AUTO || sched == CU_CTX_SCHED_SPIN || sched == CU_CTX_SCHED_YIELD ||
		sched == CU_CTX_SCHED_BLOCKING_SYNC);
}

/* Gives c a context of libppu's, which becomes that library's current one in this thread. */
static CUresult activate(struct CUctx_st *c)
{
	struct thread_state *t = thread();
	CUresult r;

	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_result(ppuCtxCreate(&c->ppu, 0, c->device));
	if (r)
		return r;
	c->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	t->active = c->id;
	__atomic_store_n(&c->dead, false, __ATOMIC_RELEASE);
	pthread_mutex_lock(&live_lock);
	c->next_live = live;
	live = c;
	pthread_mutex_unlock(&live_lock);
	return CUDA_SUCCESS;
}

/* The values that libraries keep with c are for cu_store_end(), when the caller holds no lock. */
static struct cu_stored *deactivate(struct CUctx_st *c)
{
	struct cu_stored *stored;

	pthread_mutex_lock(&live_lock);
	for (struct CUctx_st **p = &live; *p; p = &(*p)->next_live) {
		if (*p == c) {
			*p = c->next_live;
			break;
		}
	}
	pthread_mutex_unlock(&live_lock);
	__atomic_store_n(&c->dead, true, __ATOMIC_RELEASE);
	stored = cu_store_take(c);
	cu_obj_withdraw_all(c);
	cu_managed_forget(c);
	cu_host_forget(c);
	cu_pool_forget(c);
	cu_ipc_forget(c);
	ppuCtxDestroy(c->ppu);
	return stored;
}

CUresult i_cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice device)
{
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!ctx || !flags_ok(flags))
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_device(device, NULL);
	if (r)
		return r;
	c = cu_obj_new(CU_CTX, sizeof(*c), NULL, NULL);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->device = device;
	c->flags = flags;
	r = activate(c);
	if (!r) {
		r = push(c);
		if (r)
			deactivate(c);
	}
	if (r) {
		cu_obj_put(c);
		return r;
	}
	cu_obj_publish(c);
	*ctx = c;
	return CUDA_SUCCESS;
}

CUresult i_cuCtxCreate_v3(CUcontext *ctx, CUexecAffinityParam *affinity, int num, unsigned int flags,
			  CUdevice device)
{
	return affinity || num ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : i_cuCtxCreate_v2(ctx, flags, device);
}

CUresult i_cuCtxCreate_v4(CUcontext *ctx, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
	if (params && params->cigParams)
		return CUDA_ERROR_NOT_SUPPORTED;
	return i_cuCtxCreate_v3(ctx, params ? params->execAffinityParams : NULL,
				params ? params->numExecAffinityParams : 0, flags, device);
}

CUresult i_cuCtxDestroy_v2(CUcontext ctx)
{
	struct thread_state *t = thread();
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	c = cu_obj_get(ctx, CU_CTX);
	if (!c || c->primary || !cu_obj_withdraw(c)) {
		cu_obj_put(c);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	if (t && top(t) == c)
		pop(t);
	cu_store_end(c, deactivate(c));
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

/* ---- current -------------------------------------------------------------------------------- */

CUresult i_cuCtxPushCurrent_v2(CUcontext ctx)
{
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	c = cu_obj_get(ctx, CU_CTX);
	if (!c)
		return CUDA_ERROR_INVALID_CONTEXT;
	r = push(c);
	cu_obj_put(c);
	return r;
}

CUresult i_cuCtxPopCurrent_v2(CUcontext *ctx)
{
	struct thread_state *t = thread();
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!t || !top(t))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (ctx)
		*ctx = top(t);
	pop(t);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxSetCurrent(CUcontext ctx)
{
	struct thread_state *t = thread();
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!ctx) {
		pop(t);
		return CUDA_SUCCESS;
	}
	c = cu_obj_get(ctx, CU_CTX);
	if (!c)
		return CUDA_ERROR_INVALID_CONTEXT;
	pop(t);
	r = push(c);
	cu_obj_put(c);
	return r;
}

CUresult i_cuCtxGetCurrent(CUcontext *ctx)
{
	struct thread_state *t = thread();
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = t ? top(t) : NULL;
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetDevice(CUdevice *device)
{
	struct CUctx_st *c;
	CUresult r;

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	*device = c->device;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
	struct CUctx_st *c;
	CUresult r;

	if (!ctx)
		return i_cuCtxGetDevice(device);
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_named(ctx, &c);
	if (r)
		return r;
	*device = c->device;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetFlags(unsigned int *flags)
{
	struct CUctx_st *c;
	CUresult r;

	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	*flags = c->flags;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

/* The only flag that can be changed in a living context is how a thread waits. */
CUresult i_cuCtxSetFlags(unsigned int flags)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!flags_ok(flags))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		c->flags = flags;
	cu_obj_put(c);
	return r;
}

/* Attach and detach counted the users of a context before CUDA 4: one more, and one less. */
CUresult i_cuCtxAttach(CUcontext *ctx, unsigned int flags)
{
	struct CUctx_st *c;
	CUresult r;

	if (!ctx || flags)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	__atomic_add_fetch(&c->attached, 1, __ATOMIC_RELAXED);
	*ctx = c;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxDetach(CUcontext ctx)
{
	struct CUctx_st *c;
	bool last;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	last = c == ctx && !c->attached;
	if (c != ctx)
		r = CUDA_ERROR_INVALID_CONTEXT;
	else if (!last)
		__atomic_sub_fetch(&c->attached, 1, __ATOMIC_RELAXED);
	cu_obj_put(c);
	return last ? i_cuCtxDestroy_v2(ctx) : r;
}

CUresult i_cuCtxResetPersistingL2Cache(void)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (!r)
		cu_obj_put(c);		/* nothing to do: no cache line is persistent */
	return r;
}

CUresult cu_named(CUcontext ctx, struct CUctx_st **c)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!ctx)
		return cu_current(c);
	*c = cu_obj_get(ctx, CU_CTX);
	return *c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult i_cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
	struct CUctx_st *c;
	CUresult r;

	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_named(ctx, &c);
	if (r)
		return r;
	*id = c->id;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	struct CUctx_st *c;
	CUresult r;

	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_named(ctx, &c);
	if (r)
		return r;
	*version = 3020;	/* the version of the context's interface, which is the second; not CUDA's version */
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxSynchronize(void)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = cu_capture_unsafe();
	if (!r)
		r = cu_result(ppuCtxSynchronize());
	if (!r)
		cu_pool_idle(c);
	cu_obj_put(c);
	return r;
}

CUresult i_cuCtxSynchronize_v2(CUcontext ctx)
{
	CUresult r = ctx ? i_cuCtxPushCurrent_v2(ctx) : CUDA_SUCCESS;

	if (r)
		return r;
	r = i_cuCtxSynchronize();
	if (ctx)
		i_cuCtxPopCurrent_v2(NULL);
	return r;
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool limit_of(CUlimit limit, ppuLimit *l)
{
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		*l = PPU_LIMIT_LOCAL_BYTES;
		return true;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		*l = PPU_LIMIT_PRINTF_BYTES;
		return true;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		*l = PPU_LIMIT_HEAP_BYTES;
		return true;
	case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
		*l = PPU_LIMIT_NESTING_DEPTH;
		return true;
	case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
		*l = PPU_LIMIT_PENDING_LAUNCHES;
		return true;
	default:
		return false;
	}
}

/*
 * Programs ask for the 16 or 24 levels that CUDA has everywhere, and may have given streams priorities before.  So what
 * stream priorities mean stays as it is.
 */
static ppuResult set_depth(uint64_t depth)
{
	uint64_t reserve;
	ppuResult r = ppuCtxGetLimit(PPU_LIMIT_NESTING_RESERVE, &reserve);

	if (!r)
		r = ppuCtxSetLimit(PPU_LIMIT_NESTING_RESERVE, reserve);
	return r ? r : ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, depth > PPU_MAX_DEPTH ? PPU_MAX_DEPTH : depth);
}

CUresult i_cuCtxSetLimit(CUlimit limit, size_t value)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);
	ppuLimit l;

	if (r)
		return r;
	if ((int)limit < 0 || limit >= CU_LIMIT_MAX)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (!limit_of(limit, &l))
		r = CUDA_ERROR_UNSUPPORTED_LIMIT;
	else
		r = cu_result(l == PPU_LIMIT_NESTING_DEPTH ? set_depth(value) : ppuCtxSetLimit(l, value));
	cu_obj_put(c);
	return r == CUDA_ERROR_NOT_SUPPORTED ? CUDA_ERROR_UNSUPPORTED_LIMIT : r;
}

CUresult i_cuCtxGetLimit(size_t *value, CUlimit limit)
{
	struct CUctx_st *c;
	uint64_t v = 0;
	CUresult r = cu_current(&c);
	ppuLimit l;

	if (r)
		return r;
	if (!value || (int)limit < 0 || limit >= CU_LIMIT_MAX)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (!limit_of(limit, &l))
		r = CUDA_ERROR_UNSUPPORTED_LIMIT;
	else
		r = cu_result(ppuCtxGetLimit(l, &v));
	if (!r)
		*value = v;
	cu_obj_put(c);
	return r;
}

/* A PPU's shared memory is no part of a cache: the two settings below are kept, but have no effect. */
CUresult i_cuCtxSetCacheConfig(CUfunc_cache config)
{
	struct CUctx_st *c;
	CUresult r;

	if ((int)config < 0 || config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	c->cache = config;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetCacheConfig(CUfunc_cache *config)
{
	struct CUctx_st *c;
	CUresult r;

	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	*config = c->cache;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	struct CUctx_st *c;
	CUresult r;

	if ((int)config < 0 || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	c->shared = config;
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	struct CUctx_st *c;
	CUresult r;

	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_current(&c);
	if (r)
		return r;
	*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;	/* the banks' width, whatever the program asked for */
	cu_obj_put(c);
	return CUDA_SUCCESS;
}

CUresult i_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	struct CUctx_st *c;
	int l, g;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = cu_result(ppuStreamGetPriorityRange(&l, &g));
	if (!r && least)
		*least = l;
	if (!r && greatest)
		*greatest = g;
	cu_obj_put(c);
	return r;
}

static CUresult change_peer(CUcontext peer, ppuResult (*change)(ppuCtx), ppuResult no, CUresult why)
{
	struct CUctx_st *c, *p;
	ppuResult res;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	p = cu_obj_get(peer, CU_CTX);
	if (!p || p == c || is_dead(p)) {
		r = CUDA_ERROR_INVALID_CONTEXT;
	} else {
		res = change(p->ppu);
		r = res == no ? why : cu_result(res);
	}
	cu_obj_put(p);
	cu_obj_put(c);
	return r;
}

CUresult i_cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE :
	       change_peer(peer, ppuCtxEnablePeer, PPU_ERROR_ALREADY, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
}

CUresult i_cuCtxDisablePeerAccess(CUcontext peer)
{
	return change_peer(peer, ppuCtxDisablePeer, PPU_ERROR_NOT_FOUND, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

/* ---- primary contexts ----------------------------------------------------------------------- */

/* Locked.  Returns the struct of a device's primary context, which may be inactive. */
static CUresult primary_of(CUdevice device, struct CUctx_st **c)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (device >= MAX_DEVICES)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!primary[device]) {
		primary[device] = cu_obj_new(CU_CTX, sizeof(**c), NULL, NULL);
		if (!primary[device])
			return CUDA_ERROR_OUT_OF_MEMORY;
		primary[device]->device = device;
		primary[device]->primary = primary[device]->dead = true;
		cu_obj_publish(primary[device]);
	}
	*c = primary[device];
	return CUDA_SUCCESS;
}

CUresult i_cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice device)
{
	struct thread_state *t;
	struct CUctx_st *c;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	t = thread();
	pthread_mutex_lock(&primary_lock);
	r = primary_of(device, &c);
	if (!r && is_dead(c)) {
		r = activate(c);
		/* To retain a context does not make it current.  The next call sets libppu's current context again. */
		if (!r && t)
			t->active = 0;
	}
	if (!r) {
		c->retained++;
		*ctx = c;
	}
	pthread_mutex_unlock(&primary_lock);
	return r;
}

CUresult i_cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	struct cu_stored *stored = NULL;
	struct CUctx_st *c;
	CUresult r;

	pthread_mutex_lock(&primary_lock);
	r = primary_of(device, &c);
	if (!r && !c->retained)
		r = CUDA_ERROR_INVALID_CONTEXT;
	if (!r && !--c->retained && !is_dead(c))
		stored = deactivate(c);
	pthread_mutex_unlock(&primary_lock);
	if (stored)
		cu_store_end(c, stored);
	return r;
}

CUresult i_cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	struct cu_stored *stored = NULL;
	struct CUctx_st *c;
	CUresult r;

	pthread_mutex_lock(&primary_lock);
	r = primary_of(device, &c);
	if (!r && !is_dead(c))
		stored = deactivate(c);
	/* Users who have retained the context get a new, empty one under the same handle. */
	if (!r && c->retained)
		r = activate(c);
	pthread_mutex_unlock(&primary_lock);
	if (stored)
		cu_store_end(c, stored);
	return r;
}

CUresult i_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	struct CUctx_st *c;
	CUresult r;

	if (!flags_ok(flags))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&primary_lock);
	r = primary_of(device, &c);
	if (!r)
		c->flags = flags;
	pthread_mutex_unlock(&primary_lock);
	return r;
}

CUresult i_cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	struct CUctx_st *c;
	CUresult r;

	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&primary_lock);
	r = primary_of(device, &c);
	if (!r) {
		*flags = c->flags;
		*active = !is_dead(c);
	}
	pthread_mutex_unlock(&primary_lock);
	return r;
}
