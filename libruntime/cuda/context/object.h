/* SPDX-License-Identifier: MIT */
/* Handles: what is one, who may still use it. */
#ifndef PPU_CUDA_OBJECT_INT_H
#define PPU_CUDA_OBJECT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include "cuda/context/calls.h"
#include "common/handle.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

/*
 * A handle is the address of a struct that begins with struct cu_obj.  Handles are looked up in a registry before use
 * (common/handle.h), so that a stale or invented one gives CUDA_ERROR_INVALID_HANDLE (or _CONTEXT).
 */
enum cu_kind {
	CU_CTX = 1, CU_STREAM, CU_EVENT, CU_MODULE, CU_FUNCTION, CU_LINK, CU_ARRAY, CU_TEXREF, CU_POOL, CU_LIBRARY,
	CU_KERNEL, CU_GRAPH, CU_NODE, CU_EXEC, CU_USER_OBJECT
};
struct cu_obj {
	struct ppu_handle handle;	/* its kind: enum cu_kind; one reference is the registry's */
	struct CUctx_st *ctx;		/* its owner, with a reference; NULL for contexts themselves */
	unsigned long long ctx_id;	/* the owner's id then: a primary context may have another life */
	void (*release)(void *obj);	/* frees what the struct points to, may be NULL */
};
/* A zeroed struct of `size` bytes that is not yet a handle; NULL: no memory. */
void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *));
void cu_obj_publish(void *obj);
bool cu_obj_withdraw(void *obj);	/* false: was no handle any more.  Drops the registry's reference */
void *cu_obj_get(const void *handle, enum cu_kind kind);	/* with a reference; NULL: no such handle */
/* The same as the calls do it: NOT_INITIALIZED, or INVALID_HANDLE for what is none. */
CUresult cu_obj_find(const void *handle, enum cu_kind kind, void *obj);	/* obj: where the pointer goes */
CUresult cu_obj_destroy(const void *handle, enum cu_kind kind);	/* withdraws it */
void cu_obj_ref(void *obj);
void cu_obj_put(void *obj);
/* The context it was made in still exists, so what libppu has behind it does. */
bool cu_obj_alive(const void *obj);
/* All handles of a context end. */
void cu_obj_withdraw_all(const struct CUctx_st *ctx);

#pragma GCC visibility pop
#endif
