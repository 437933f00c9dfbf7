/* SPDX-License-Identifier: MIT */
/* What graphs keep alive: user objects. */
#ifndef PPU_CUDA_USEROBJ_INT_H
#define PPU_CUDA_USEROBJ_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUuserObject_st;

struct cu_held {			/* references to user objects */
	struct CUuserObject_st *object;
	unsigned int count;
	struct cu_held *next;
};

/* Not locked: it may call the program's destructors. */
void cu_held_free(struct cu_held *held);
CUresult cu_held_copy(struct cu_held **to, const struct cu_held *from);

#pragma GCC visibility pop
#endif
