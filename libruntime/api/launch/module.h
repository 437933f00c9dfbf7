/* SPDX-License-Identifier: MIT */
/* Modules and functions. */
#ifndef PPU_API_MODULE_H
#define PPU_API_MODULE_H

#include <stdbool.h>
#include <ppu.h>
#include <ppu_image.h>
#include "api/context/object.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;

struct ppuFunction_st {
	struct rt_obj obj;
	struct ppuModule_st *mod;	/* lives at least as long as this function is published */
	struct ppuFunction_st *next;
	const struct ppu_symbol *sym;
	uint32_t number;		/* in ctx->funcs */
};
struct ppuModule_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuModule_st *next;
	struct ppu_image *img;
	uint64_t code_va, data_va, kernels_va, cdp_va;
	struct ppuFunction_st *funcs;
	bool launches;			/* its code can launch kernels */
	unsigned named;			/* its number in the file of names, 0: not there */
	char *name;
};
/* Locked.  Frees the module's code and variables, and ends its functions' handles. */
void rt_module_unload(struct ppuModule_st *mod);
/* Locked.  The number by which faults name a kernel. */
ppuResult rt_module_number(struct ppuModule_st *mod, const struct ppu_symbol *kernel, uint32_t *number);
/* "file:line" of an instruction, or "" */
void rt_module_where(const struct ppuModule_st *mod, uint32_t pc, char *buf, size_t len);
/* The kernel or function that an instruction is in, NULL: none. */
const char *rt_module_function(const struct ppuModule_st *mod, uint32_t pc);

#pragma GCC visibility pop
#endif
