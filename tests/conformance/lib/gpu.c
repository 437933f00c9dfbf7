/* SPDX-License-Identifier: MIT */
#include "gpu.h"

struct gpu gpu_new_in(int fd, uint32_t vm)
{
	struct gpu g = { .fd = fd, .vm = vm };

	g.c = chan_new(fd, vm, DRM_PPU_CHANNEL_COMPUTE, 16);
	g.code = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	g.data = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	vm_map(fd, vm, &g.code, GPU_CODE_VA);
	vm_map(fd, vm, &g.data, GPU_DATA_VA);
	return g;
}

struct gpu gpu_new(int fd)
{
	return gpu_new_in(fd, vm_new(fd));
}

uint64_t gpu_program(struct gpu *g, const uint64_t *words, unsigned insns)
{
	struct ppu_tmd *t = (struct ppu_tmd *)((char *)g->code.map + 4096);

	memcpy(g->code.map, words, insns * 16);
	*t = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.kind = PPU_TMD_GRID, .regs_per_thread = 8, .id = 0xabcd, .code_va = GPU_CODE_VA,
		.code_insns = insns, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
	};
	return GPU_CODE_VA + 4096;
}

void gpu_launch(struct gpu *g, uint64_t tmd)
{
	struct cmds b = chan_block(&g->c);

	cmd_launch(&b, tmd);
	cmd_wfi(&b);
	cmd_release(&b, chan_sem_va(&g->c, 0), 1);
	chan_submit(&g->c, &b);
}
