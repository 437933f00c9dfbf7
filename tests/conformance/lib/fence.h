/* SPDX-License-Identifier: MIT */
/* Fences for tests: syncobjs, and a fence that signals when the test wants it to. */
#ifndef PPU_CONFORMANCE_FENCE_H
#define PPU_CONFORMANCE_FENCE_H

#include "harness.h"

uint32_t syncobj(int fd);
/* 0: the syncobj's fence signalled in time. */
int wait_sync(int fd, uint32_t h, unsigned ms);
/* Of a fence that has signalled: 0, or its (negative) error. */
int fence_error(int fd, uint32_t h);

/* The fence of a job whose channel is in a disabled group. */
struct gate {
	int fd;
	uint32_t group, channel, sync;
	struct bo code;
};

struct gate gate_new(int fd, uint64_t point);	/* point: of a timeline, 0: binary */
struct gate gate_new_timeout(int fd, uint32_t timeout_ms);
void gate_open(struct gate *gate);

#endif
