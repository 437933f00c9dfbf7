/* SPDX-License-Identifier: MIT */
/* The Driver API's handles and their owners. */
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/context/object.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"

static struct ppu_registry registry = PPU_REGISTRY_INIT;

void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *))
{
	struct cu_obj *o = calloc(1, size);

	if (!o)
		return NULL;
	ppu_handle_init(&o->handle, kind);
	o->ctx = ctx;
	o->release = release;
	if (ctx) {
		o->ctx_id = ctx->id;
		cu_obj_ref(ctx);
	}
	return o;
}

bool cu_obj_alive(const void *obj)
{
	const struct cu_obj *o = obj;

	return !__atomic_load_n(&o->ctx->dead, __ATOMIC_ACQUIRE) && o->ctx->id == o->ctx_id;
}

void cu_obj_ref(void *obj)
{
	ppu_handle_ref(obj);
}

void cu_obj_put(void *obj)
{
	struct cu_obj *o = obj;
	struct CUctx_st *ctx;

	if (!o || !ppu_handle_put(&o->handle))
		return;
	ctx = o->ctx;
	if (o->release)
		o->release(o);
	free(o);
	cu_obj_put(ctx);
}

void cu_obj_publish(void *obj)
{
	ppu_handle_publish(&registry, obj);
}

bool cu_obj_withdraw(void *obj)
{
	bool was = ppu_handle_withdraw(&registry, obj);

	if (was)
		cu_obj_put(obj);
	return was;
}

void *cu_obj_get(const void *handle, enum cu_kind kind)
{
	return ppu_handle_get(&registry, handle, kind);
}

CUresult cu_obj_find(const void *handle, enum cu_kind kind, void *obj)
{
	CUresult r = cu_ready();
	void *o;

	if (r)
		return r;
	o = cu_obj_get(handle, kind);
	memcpy(obj, &o, sizeof(o));
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cu_obj_destroy(const void *handle, enum cu_kind kind)
{
	struct cu_obj *o;
	CUresult r = cu_obj_find(handle, kind, &o);

	if (r)
		return r;
	r = cu_obj_withdraw(o) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(o);
	return r;
}

static bool is_of(const struct ppu_handle *h, const void *ctx)
{
	return ((const struct cu_obj *)h)->ctx == ctx;
}

void cu_obj_withdraw_all(const struct CUctx_st *ctx)
{
	struct ppu_handle *h, *next;

	for (h = ppu_handle_withdraw_all(&registry, is_of, ctx); h; h = next) {
		next = h->next;
		cu_obj_put(h);
	}
}
