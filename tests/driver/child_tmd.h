/* SPDX-License-Identifier: MIT */
/* A TMD in device memory, made by the host, for launches by kernels. The includer defines OK(call). */
#ifndef TESTS_DRIVER_CHILD_TMD_H
#define TESTS_DRIVER_CHILD_TMD_H

#include <stdint.h>
#include <ppu.h>
#include <hw/ppu_tmd.h>

/*
 * One CTA of one thread of @f. The kernel's parameters are @out and, if it takes a second, the address of this
 * TMD, so that a kernel can launch itself. The memory (512 bytes) is freed with the context.
 */
static inline void *child_tmd(ppuFunction f, void *out)
{
	ppuFunctionAttributes a;
	uint64_t params[2];
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .kind = PPU_TMD_GRID,
		.grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
	};
	char *mem;

	OK(ppuFunctionGetAttributes(&a, f));
	OK(ppuMalloc((void **)&mem, 512));
	params[0] = (uintptr_t)out;
	params[1] = (uintptr_t)mem;
	t.code_va = a.code_address;
	t.entry_pc = a.entry_pc;
	t.code_insns = a.entry_pc + a.code_insns;
	t.regs_per_thread = (uint16_t)a.regs;
	t.param_bytes = a.param_bytes;
	t.param_va = (uintptr_t)mem + 256;
	OK(ppuMemcpy(mem, &t, sizeof(t)));
	OK(ppuMemcpy(mem + 256, params, sizeof(params)));
	return mem;
}

#endif
