/* SPDX-License-Identifier: MIT */
/* Modules. */
#ifndef PPU_CUDA_MODULE_INT_H
#define PPU_CUDA_MODULE_INT_H

#include <stddef.h>
#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

struct CUfunc_st;
struct CUtexref_st;

/* Reads a file into memory that the caller frees, with a NUL behind the bytes. */
CUresult cu_read_file(const char *path, void **data, size_t *bytes);

struct CUmod_st {
	struct cu_obj obj;
	ppuModule ppu;
	struct CUfunc_st **functions;	/* handed out so far, each with a reference */
	unsigned int num_functions;
	struct CUtexref_st **refs;	/* the same for its texture and surface references */
	unsigned int num_refs;
};
CUresult cu_module_add_ref(struct CUmod_st *m, struct CUtexref_st *ref);

#pragma GCC visibility pop
#endif
