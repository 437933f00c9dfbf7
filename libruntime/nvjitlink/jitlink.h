/* SPDX-License-Identifier: MIT */
/* What the files of libnvJitLink share. */
#ifndef PPU_NVJITLINK_INT_H
#define PPU_NVJITLINK_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvJitLink.h>

#pragma GCC visibility push(hidden)

struct jl_options {
	uint32_t max_regs;	/* 0: as many as there are */
	bool arch, verbose, ptx;
};
/* False: an option that is not known, or has a value that it cannot have. */
bool jl_options_parse(struct jl_options *o, uint32_t num, const char *const *options);

/*
 * Calls found(opaque, fat binary, bytes) for each fat binary with code that is to be linked, or is complete, in an
 * object for the host.  found() returns 0 to go on.  Returns what found() returned last; -1: it is no such object.
 */
typedef int (*jl_found)(void *opaque, const uint8_t *data, size_t bytes);
int jl_object(const uint8_t *data, size_t bytes, jl_found found, void *opaque);
/* The same for each object in an archive. */
int jl_archive(const uint8_t *data, size_t bytes, jl_found found, void *opaque);

#pragma GCC visibility pop
#endif
