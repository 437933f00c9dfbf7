/* SPDX-License-Identifier: MIT */
/* Handles: which addresses are handles, and how long the objects live. */
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
	CU_KERNEL, CU_GRAPH, CU_NODE, CU_EXEC, CU_USER_OBJECT, CU_COND, CU_UPDATABLE,
	CU_MIPMAP
};
struct cu_obj {
	struct ppu_handle handle;	/* has the kind, enum cu_kind; the registry holds one reference */
	struct CUctx_st *ctx;		/* the owner, with a reference; NULL for contexts themselves */
	unsigned long long ctx_id;	/* the owner's id at that time: a primary context may end and restart */
	void (*release)(void *obj);	/* frees what the struct points to; may be NULL */
};
/* A zeroed struct of `size` bytes with one reference, which is not yet a handle; NULL: no memory. */
void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *));
void cu_obj_publish(void *obj);
bool cu_obj_withdraw(void *obj);	/* drops the registry's reference; false: obj was no handle any more */
void *cu_obj_get(const void *handle, enum cu_kind kind);	/* with a reference; NULL: no such handle */
/* The same, with the errors of the API's calls: NOT_INITIALIZED, or INVALID_HANDLE. */
CUresult cu_obj_find(const void *handle, enum cu_kind kind, void *obj);	/* obj: where the pointer goes */
CUresult cu_obj_destroy(const void *handle, enum cu_kind kind);	/* looks the handle up and withdraws it */
void cu_obj_ref(void *obj);
void cu_obj_put(void *obj);
/* Does the context in which obj was made still exist?  Then libppu's object behind obj exists, too. */
bool cu_obj_alive(const void *obj);
/* Withdraws all handles of a context. */
void cu_obj_withdraw_all(const struct CUctx_st *ctx);

#pragma GCC visibility pop
#endif
