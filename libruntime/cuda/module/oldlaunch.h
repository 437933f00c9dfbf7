/* SPDX-License-Identifier: MIT */
/* Launches as they were before CUDA 4.0. */
#ifndef PPU_CUDA_OLDLAUNCH_INT_H
#define PPU_CUDA_OLDLAUNCH_INT_H

#pragma GCC visibility push(hidden)

struct cu_old_launch;

void cu_old_launch_free(struct cu_old_launch *old);

#pragma GCC visibility pop
#endif
