/* SPDX-License-Identifier: MIT */
/*
 * Device memory in several processes. A handle says where a file is to be had that stands for the whole buffer around an
 * allocation (context/offer.c), and where the allocation lies in it. Who opens the handle maps the whole buffer.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/memory/ipc.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/graph.h"
#include "cuda/memory/pointer.h"
#include "cuda/memory/pool.h"

struct given {
	struct given *next;
	CUdeviceptr ptr;
	unsigned long long ctx_id;
	struct cu_offer offer;
};

struct opened {
	struct opened *next;
	CUdeviceptr ptr;
	struct CUctx_st *ctx;		/* with a reference */
	unsigned long long ctx_id;
	unsigned int users;
	struct cu_offer offer;
	struct cu_import import;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct given *all_given;
static struct opened *all_opened;

/* ---- giving --------------------------------------------------------------------------------- */

CUresult cu_export(enum cu_offer_kind kind, void *ptr, struct cu_offer *offer)
{
	size_t offset, buffer;
	int fd;
	CUresult r = cu_result(ppuPointerExport(ptr, &fd, &offset, &buffer, &offer->bytes));

	if (r)
		return r;
	offer->offset = offset;
	offer->buffer = buffer;
	return cu_offer_new(kind, fd, offer);
}

/* Locked. The allocation has a handle already, or gets one. */
static CUresult give(const struct CUctx_st *c, CUdeviceptr ptr, struct cu_offer *offer)
{
	struct given *g = all_given;
	CUresult r;

	while (g && (g->ptr != ptr || g->ctx_id != c->id))
		g = g->next;
	if (!g) {
		g = calloc(1, sizeof(*g));
		if (!g)
			return CUDA_ERROR_OUT_OF_MEMORY;
		r = cu_export(CU_OFFER_MEMORY, (void *)(uintptr_t)ptr, &g->offer);
		if (r) {
			free(g);
			return r;
		}
		g->ptr = ptr;
		g->ctx_id = c->id;
		g->next = all_given;
		all_given = g;
	}
	*offer = g->offer;
	return CUDA_SUCCESS;
}

/* CUDA's rule: only what cuMemAlloc() gave.  Pools and graphs have rules of their own when memory is free again. */
bool cu_ipc_can(CUdeviceptr ptr, const ppuPointerAttributes *a)
{
	return a->type == PPU_MEMORY_DEVICE && !cu_pool_of(ptr) && !cu_graph_owns((uintptr_t)a->base);
}

CUresult i_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
	struct cu_offer offer;
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	if (!handle || !cu_is_owned(ptr, c) || !cu_is_ours(ptr, &a) || !cu_ipc_can(ptr, &a)) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		pthread_mutex_lock(&lock);
		r = give(c, (uintptr_t)a.base, &offer);
		pthread_mutex_unlock(&lock);
	}
	if (!r) {
		memset(handle, 0, sizeof(*handle));
		memcpy(handle, &offer, sizeof(offer));
	}
	cu_obj_put(c);
	return r;
}

static void drop(struct given *g)
{
	cu_offer_end(&g->offer);
	free(g);
}

void cu_ipc_freed(CUdeviceptr ptr)
{
	struct given **p, *g;

	pthread_mutex_lock(&lock);
	for (p = &all_given; (g = *p) && g->ptr != ptr; p = &g->next)
		;
	if (g) {
		*p = g->next;
		drop(g);
	}
	pthread_mutex_unlock(&lock);
}

void cu_ipc_forget(const struct CUctx_st *c)
{
	struct given **p = &all_given, *g;

	pthread_mutex_lock(&lock);
	while ((g = *p)) {
		if (g->ctx_id == c->id) {
			*p = g->next;
			drop(g);
		} else {
			p = &g->next;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* ---- taking --------------------------------------------------------------------------------- */

CUresult cu_import(struct cu_import *i, int fd, size_t bytes)
{
	CUresult r = cu_result(ppuMemImport(&i->mem, fd, bytes));

	i->bytes = bytes;
	if (r)
		return r;
	r = cu_result(ppuAddressReserve(&i->at, bytes, 0));
	if (!r) {
		r = cu_result(ppuMemMap(i->at, bytes, i->mem, 0));
		if (r)
			ppuAddressFree(i->at, bytes);
	}
	if (r)
		ppuMemRelease(i->mem);
	return r;
}

void cu_import_end(const struct cu_import *i, const struct CUctx_st *c, unsigned long long id)
{
	/* The memory ends with its context; the addresses do not. */
	if (!c->dead && c->id == id) {
		ppuMemUnmap(i->at, i->mem);
		ppuMemRelease(i->mem);
	}
	ppuAddressFree(i->at, i->bytes);
}

static CUresult open_it(struct CUctx_st *c, const struct cu_offer *offer, struct opened **out)
{
	struct opened *o = calloc(1, sizeof(*o));
	CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
	int fd;

	if (!o)
		return r;
	r = cu_offer_take(offer, &fd);
	if (!r) {
		r = cu_import(&o->import, fd, offer->buffer);
		close(fd);
	}
	if (r) {
		free(o);
		return r;
	}
	cu_obj_ref(c);
	o->ctx = c;
	o->ctx_id = c->id;
	o->offer = *offer;
	o->ptr = (uintptr_t)o->import.at + offer->offset;
	*out = o;
	return CUDA_SUCCESS;
}

/* Locked.  What the context has opened already. */
static struct opened *find(const struct CUctx_st *c, const struct cu_offer *offer)
{
	struct opened *o = all_opened;

	while (o && (o->ctx != c || o->ctx_id != c->id || memcmp(&o->offer, offer, sizeof(*offer))))
		o = o->next;
	return o;
}

CUresult i_cuIpcOpenMemHandle_v2(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned int flags)
{
	struct cu_offer offer;
	struct opened *o;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	memcpy(&offer, &handle, sizeof(offer));
	pthread_mutex_lock(&lock);
	o = find(c, &offer);
	if (!ptr || flags & ~(unsigned int)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || !cu_offer_is(CU_OFFER_MEMORY, &offer))
		r = CUDA_ERROR_INVALID_VALUE;
	else if (cu_offer_is_mine(&offer))
		r = CUDA_ERROR_INVALID_CONTEXT;		/* CUDA's rule: not in the process that gave it away */
	else if (!o) {
		/* Who gives it may take its time, and others want to free memory meanwhile. */
		pthread_mutex_unlock(&lock);
		r = open_it(c, &offer, &o);
		pthread_mutex_lock(&lock);
		if (!r) {
			o->next = all_opened;
			all_opened = o;
		}
	}
	if (!r) {
		o->users++;
		*ptr = o->ptr;
	}
	pthread_mutex_unlock(&lock);
	cu_obj_put(c);
	return r;
}

CUresult i_cuIpcCloseMemHandle(CUdeviceptr ptr)
{
	struct opened **p, *o, *last = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	for (p = &all_opened; (o = *p) && o->ptr != ptr; p = &o->next)
		;
	if (!o) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else if (!--o->users) {
		*p = o->next;
		last = o;
	}
	pthread_mutex_unlock(&lock);
	if (last) {		/* that waits for work */
		cu_import_end(&last->import, last->ctx, last->ctx_id);
		cu_obj_put(last->ctx);
		free(last);
	}
	cu_obj_put(c);
	return r;
}
