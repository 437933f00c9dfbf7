/* SPDX-License-Identifier: MIT */
/* User objects, which graphs keep alive. */
#ifndef PPU_CUDA_USEROBJ_INT_H
#define PPU_CUDA_USEROBJ_INT_H

#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUuserObject_st;

struct cu_held {			/* a graph's references to one user object */
	struct CUuserObject_st *object;
	unsigned int count;
	struct cu_held *next;
};

/* Not locked, because this may call the program's destructors. */
void cu_held_free(struct cu_held *held);
CUresult cu_held_copy(struct cu_held **to, const struct cu_held *from);

#pragma GCC visibility pop
#endif
