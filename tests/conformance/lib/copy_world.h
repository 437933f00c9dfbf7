/* SPDX-License-Identifier: MIT */
/* A VM with a copy channel and an object in VRAM, to copy to and from. */
#ifndef PPU_CONFORMANCE_COPY_WORLD_H
#define PPU_CONFORMANCE_COPY_WORLD_H

#include "harness.h"

struct world {
	int fd;
	uint32_t vm;
	struct chan c;
	struct bo bo;
};

/* The object is mapped at va. */
struct world world_new(uint64_t size, uint64_t va);

/* A copy and a WFI in the channel; copy() waits until the channel is idle. */
void start_copy(struct world *w, uint64_t from, uint64_t to, uint64_t bytes);
void copy(struct world *w, uint64_t from, uint64_t to, uint64_t bytes);

#endif
