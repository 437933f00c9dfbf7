/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: what launches, graph nodes and functions say of them. */
#ifndef PPU_CUDA_CLUSTER_INT_H
#define PPU_CUDA_CLUSTER_INT_H

#include "cuda/graph/work.h"
#include "cuda/module/function.h"

#pragma GCC visibility push(hidden)

/* The launch attribute of a kernel's launch: can the kernel have such clusters? */
CUresult cu_cluster_set(struct cu_kernel *k, const CUlaunchAttributeValue *value);
void cu_cluster_get(const ppuDim3 *cluster, CUlaunchAttributeValue *value);
/* Attributes of a function; INVALID_VALUE: this one is not about clusters. */
CUresult cu_cluster_function_get(int *value, CUfunction_attribute what, const struct CUfunc_st *f, const ppuFunctionAttributes *a);
CUresult cu_cluster_function_set(int value, CUfunction_attribute what, struct CUfunc_st *f, const ppuFunctionAttributes *a);

#pragma GCC visibility pop
#endif
