/* SPDX-License-Identifier: MIT */
/* Kernel nodes that kernels change: where device code has them. */
#ifndef PPU_CUDA_UPDATABLE_INT_H
#define PPU_CUDA_UPDATABLE_INT_H

#include <stdint.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct cu_updatable;
struct cu_kernel;

/* The node becomes one, for good. */
CUresult cu_updatable_make(struct cu_kernel *k);
uint64_t cu_updatable_node(const struct cu_updatable *u);	/* address in device memory; 0 for NULL */
/* Its graph leaves the device. */
void cu_updatable_leave(struct cu_updatable *u);

#pragma GCC visibility pop
#endif
