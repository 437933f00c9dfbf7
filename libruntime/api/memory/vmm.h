/* SPDX-License-Identifier: MIT */
/* Reserved addresses and what is mapped there. */
#ifndef PPU_API_VMM_H
#define PPU_API_VMM_H

#include <stdint.h>
#include "api/context/object.h"

#pragma GCC visibility push(hidden)

struct be_bo;
struct ppuCtx_st;
struct rt_alloc;

/* rt_unmap(): a mapping ends, whose entry in the context is gone already. rt_mems_fini(): frees all
 * memory, which is mapped nowhere by then. */
void rt_unmap(struct ppuCtx_st *ctx, const struct rt_alloc *a);
void rt_mems_fini(struct ppuCtx_st *ctx);
struct ppuMem_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;		/* no reference */
	struct ppuMem_st *next;
	struct be_bo *bo;
	uint64_t bytes;
	unsigned users;			/* the handle and mappings */
	bool imported;			/* another process has it, too */
};

#pragma GCC visibility pop
#endif
