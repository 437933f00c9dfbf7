/* SPDX-License-Identifier: MIT */
/* Values that libraries keep with a context, each under a key of its own. */
#ifndef PPU_CUDA_STORAGE_INT_H
#define PPU_CUDA_STORAGE_INT_H

#include "cuda/context/context.h"

#pragma GCC visibility push(hidden)

/* Told when the context ends; not when the value is removed. */
typedef void cu_stored_end(CUcontext ctx, void *key, void *value);

/* ctx NULL: the thread's current context. */
CUresult cu_store_put(CUcontext ctx, void *key, void *value, cu_stored_end *end);	/* replaces the key's value */
CUresult cu_store_get(void **value, CUcontext ctx, void *key);
CUresult cu_store_remove(CUcontext ctx, void *key);

/* Takes all values from a context that ends, and tells their owners, whose code may do anything: without locks. */
struct cu_stored *cu_store_take(struct CUctx_st *c);
void cu_store_end(CUcontext ctx, struct cu_stored *list);

#pragma GCC visibility pop
#endif
