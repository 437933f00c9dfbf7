/* SPDX-License-Identifier: MIT */
/* Memory for other processes, and of other processes. */
#ifndef PPU_CUDA_IPC_INT_H
#define PPU_CUDA_IPC_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/offer.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;

/* May the allocation have a handle?  a: what is known of ptr. */
bool cu_ipc_can(CUdeviceptr ptr, const ppuPointerAttributes *a);
/* Memory is freed: its handle is one of nothing from now on. */
void cu_ipc_freed(CUdeviceptr ptr);
void cu_ipc_forget(const struct CUctx_st *ctx);	/* the context ends, and its memory with it */

/* Others may have the allocation at ptr, by the offer. */
CUresult cu_export(enum cu_offer_kind kind, void *ptr, struct cu_offer *offer);

/* Memory of another process in the current context; the file stays the caller's. */
struct cu_import {
	ppuMem mem;
	void *at;
	size_t bytes;
};
CUresult cu_import(struct cu_import *i, int fd, size_t bytes);
void cu_import_end(const struct cu_import *i, const struct CUctx_st *ctx, unsigned long long id);	/* of its context */

#pragma GCC visibility pop
#endif
