/* SPDX-License-Identifier: MIT */
/*
 * Peers: a context uses the device memory of another one, of the same or another device, at the same addresses. (All
 * contexts share one window of addresses.)
 *
 * What the peer allocates is parts of large buffers (mem.c). A context takes over the peer's buffers when it is given
 * access, and looks for new ones and for those that are gone whenever it is entered. So nobody who allocates or frees
 * needs a lock of another context. Until everybody has seen that a buffer is gone, its addresses stay unused.
 *
 * Locks: that of this file is outside of those of contexts, and only one of the latter is held at a time. That of `kept`
 * is innermost.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <ppu.h>
#include "api/memory/peer.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/memory/mem.h"
#include "api/memory/va.h"
#include "backend/backend.h"
#include "check/check.h"

struct window {			/* a buffer of the peer */
	struct window *next;
	struct be_bo *bo;
	uint64_t va, size;
	bool bound, seen;
};

struct rt_peer {
	struct rt_peer *next;
	struct ppuCtx_st *ctx;	/* with a reference */
	uint64_t changes;	/* its ctx->chunk_changes as far as it was taken over */
	struct window *windows;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ppuCtx_st *with_peers;	/* contexts that were ever given access to another one */

/* ---- addresses ------------------------------------------------------------------------------ */

struct kept {
	struct kept *next;
	uint64_t va, bytes;
	unsigned users;		/* contexts that have the buffer besides its owner */
	bool gone, mapped;	/* its owner has freed it; as rt_va_free() wants to know */
};
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *all_kept;

static struct kept *kept_at(uint64_t va)
{
	struct kept *k = all_kept;

	while (k && (k->va != va || k->gone))
		k = k->next;
	return k;
}

static int va_use(uint64_t va, uint64_t bytes)
{
	struct kept *k;

	pthread_mutex_lock(&kept_lock);
	k = kept_at(va);
	if (!k && (k = calloc(1, sizeof(*k)))) {
		k->va = va;
		k->bytes = bytes;
		k->next = all_kept;
		all_kept = k;
	}
	if (k)
		k->users++;
	pthread_mutex_unlock(&kept_lock);
	return k ? 0 : -ENOMEM;
}

static void va_unuse(uint64_t va)
{
	struct kept **p, *k;

	pthread_mutex_lock(&kept_lock);
	for (p = &all_kept; (k = *p) && k->va != va; p = &k->next)
		;
	if (k && !--k->users) {
		*p = k->next;
		if (k->gone)
			rt_va_free(k->va, k->bytes, k->mapped);
		free(k);
	}
	pthread_mutex_unlock(&kept_lock);
}

void rt_peer_va_free(uint64_t va, uint64_t bytes, bool mapped)
{
	struct kept *k;

	pthread_mutex_lock(&kept_lock);
	k = kept_at(va);
	if (k) {
		k->gone = true;
		k->mapped = mapped;
	}
	pthread_mutex_unlock(&kept_lock);
	if (!k)
		rt_va_free(va, bytes, mapped);
}

/* ---- windows -------------------------------------------------------------------------------- */

struct search {
	struct ppuCtx_st *ctx;
	struct rt_peer *peer;
	int err;
};

/* One buffer of the peer, whose lock is held. */
static void found(void *arg, uint64_t va, uint64_t size, struct be_bo *theirs)
{
	struct search *s = arg;
	struct window *w;

	for (w = s->peer->windows; w; w = w->next) {
		if (w->va == va) {
			w->seen = true;
			return;
		}
	}
	if (s->err)
		return;
	w = calloc(1, sizeof(*w));
	s->err = w ? va_use(va, size) : -ENOMEM;
	if (!s->err) {
		s->err = s->ctx->be->bo_peer(s->ctx->vm, theirs, &w->bo);
		if (s->err)
			va_unuse(va);
	}
	if (s->err) {
		free(w);
		return;
	}
	w->va = va;
	w->size = size;
	w->seen = true;
	w->next = s->peer->windows;
	__atomic_store_n(&s->peer->windows, w, __ATOMIC_RELEASE);	/* rt_peer_of() has another lock */
}

/* The context is locked, or nobody uses it any more. */
static void close_window(struct ppuCtx_st *ctx, struct window *w)
{
	if (w->bound) {
		if (ctx->check)
			chk_free(ctx->check, w->va);
		ctx->be->unbind(ctx->vm, w->va, w->size);
	}
	ctx->be->bo_free(w->bo);
	va_unuse(w->va);
	free(w);
}

static int open_window(struct ppuCtx_st *ctx, struct window *w)
{
	int rc = ctx->be->bind(ctx->vm, w->bo, w->va, w->size, BE_BIND_NOEXEC);

	w->bound = !rc;
	if (w->bound && ctx->check)
		chk_alloc(ctx->check, w->va, w->size, w->size, CHK_MAPPED);
	return rc;
}

static int pull_one(struct ppuCtx_st *ctx, struct rt_peer *peer)
{
	struct search s = { .ctx = ctx, .peer = peer };
	struct window **p, *w;
	uint64_t changes;

	for (w = peer->windows; w; w = w->next)
		w->seen = false;
	pthread_mutex_lock(&peer->ctx->lock);
	changes = peer->ctx->chunk_changes;
	rt_chunks(peer->ctx, found, &s);
	pthread_mutex_unlock(&peer->ctx->lock);
	pthread_mutex_lock(&ctx->lock);
	for (p = &peer->windows; (w = *p);) {
		if (!w->seen) {
			*p = w->next;
			close_window(ctx, w);
			continue;
		}
		if (!w->bound && !s.err)
			s.err = open_window(ctx, w);
		p = &w->next;
	}
	pthread_mutex_unlock(&ctx->lock);
	if (!s.err)
		peer->changes = changes;
	return s.err;
}

static ppuResult result_of(int rc)
{
	return rc == -EBUSY ? rt_fail(PPU_ERROR_BUSY, "the peer's memory cannot move to memory of the system while a kernel of the "
				      "peer runs for longer than a second") :
	       rc ? rt_errno(rc, "mapping a peer's memory") : PPU_SUCCESS;
}

ppuResult rt_peers_pull(struct ppuCtx_st *ctx)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	for (struct rt_peer *p = ctx->peers; p && !rc; p = p->next)
		if (!ctx->dead && __atomic_load_n(&p->ctx->chunk_changes, __ATOMIC_ACQUIRE) != p->changes)
			rc = pull_one(ctx, p);
	pthread_mutex_unlock(&lock);
	return result_of(rc);
}

struct ppuCtx_st *rt_peer_of(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes)
{
	for (const struct rt_peer *p = ctx->peers; p; p = p->next)
		for (const struct window *w = __atomic_load_n(&p->windows, __ATOMIC_ACQUIRE); w; w = w->next)
			if (w->bound && va >= w->va && va - w->va <= w->size && w->size - (va - w->va) >= bytes)
				return p->ctx;
	return NULL;
}

/* ---- who is whose peer ---------------------------------------------------------------------- */

static struct rt_peer **find(struct ppuCtx_st *ctx, const struct ppuCtx_st *peer)
{
	struct rt_peer **p = &ctx->peers;

	while (*p && (*p)->ctx != peer)
		p = &(*p)->next;
	return p;
}

/* With this file's lock. */
static void drop(struct ppuCtx_st *ctx, struct rt_peer **at)
{
	struct rt_peer *p = *at;
	struct window *w;

	pthread_mutex_lock(&ctx->lock);
	__atomic_store_n(at, p->next, __ATOMIC_RELEASE);
	while ((w = p->windows)) {
		p->windows = w->next;
		close_window(ctx, w);
	}
	pthread_mutex_unlock(&ctx->lock);
	rt_obj_put(&p->ctx->obj);
	free(p);
}

static ppuResult add(struct ppuCtx_st *ctx, struct ppuCtx_st *peer)
{
	struct rt_peer *p = calloc(1, sizeof(*p));
	struct ppuCtx_st *c = with_peers;
	ppuResult res;

	if (!p)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	while (c && c != ctx)
		c = c->next_with_peers;
	if (!c) {
		ctx->next_with_peers = with_peers;
		with_peers = ctx;
	}
	rt_obj_ref(&peer->obj);
	p->ctx = peer;
	if (ctx->device != peer->device) {
		pthread_mutex_lock(&peer->lock);
		peer->peers_elsewhere = true;
		pthread_mutex_unlock(&peer->lock);
	}
	pthread_mutex_lock(&ctx->lock);
	p->next = ctx->peers;
	__atomic_store_n(&ctx->peers, p, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&ctx->lock);
	res = result_of(pull_one(ctx, p));
	if (res)
		drop(ctx, find(ctx, peer));
	return res;
}

static ppuResult change(ppuCtx handle, bool enable)
{
	struct ppuCtx_st *ctx, *peer;
	ppuResult res = rt_current(&ctx);

	if (res)
		return res;
	peer = rt_obj_get(handle, RT_CTX);
	if (!peer || peer == ctx)
		res = rt_fail(PPU_ERROR_INVALID_CONTEXT, "%p is not another context", (void *)handle);
	pthread_mutex_lock(&lock);
	if (!res && (ctx->dead || peer->dead))
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	if (!res && enable)
		res = *find(ctx, peer) ? rt_fail(PPU_ERROR_ALREADY, "the peer's memory may be used already") : add(ctx, peer);
	else if (!res && !*find(ctx, peer))
		res = rt_fail(PPU_ERROR_NOT_FOUND, "the peer's memory may not be used anyway");
	else if (!res)
		drop(ctx, find(ctx, peer));
	pthread_mutex_unlock(&lock);
	if (peer)
		rt_obj_put(&peer->obj);
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuCtxEnablePeer(ppuCtx peer)
{
	return change(peer, true);
}

ppuResult ppuCtxDisablePeer(ppuCtx peer)
{
	return change(peer, false);
}

ppuResult ppuDeviceCanAccessPeer(int *can, ppuDevice device, ppuDevice peer)
{
	struct rt_device *d;
	ppuResult res = rt_device(device, &d);

	if (!res)
		res = rt_device(peer, &d);
	if (!res && !can)
		res = rt_error(PPU_ERROR_INVALID_VALUE);
	if (!res)
		*can = device != peer;
	return res;
}

void rt_peers_end(struct ppuCtx_st *ctx)
{
	struct ppuCtx_st **p;

	pthread_mutex_lock(&lock);
	for (p = &with_peers; *p; p = &(*p)->next_with_peers) {
		struct rt_peer **at = find(*p, ctx);

		if (*at)
			drop(*p, at);
	}
	while (ctx->peers)
		drop(ctx, &ctx->peers);
	for (p = &with_peers; *p && *p != ctx; p = &(*p)->next_with_peers)
		;
	if (*p)
		*p = ctx->next_with_peers;
	pthread_mutex_unlock(&lock);
}
