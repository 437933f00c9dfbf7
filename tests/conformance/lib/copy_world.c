/* SPDX-License-Identifier: MIT */
#include "copy_world.h"

struct world world_new(uint64_t size, uint64_t va)
{
	struct world w = { .fd = open_ppu() };

	w.vm = vm_new(w.fd);
	w.c = chan_new(w.fd, w.vm, DRM_PPU_CHANNEL_COPY, 16);
	w.bo = bo_new(w.fd, size, DRM_PPU_PLACEMENT_VRAM);
	vm_map(w.fd, w.vm, &w.bo, va);
	return w;
}

void start_copy(struct world *w, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct cmds b = chan_block(&w->c);

	cmd_copy(&b, from, to, bytes);
	cmd_wfi(&b);
	chan_submit(&w->c, &b);
}

void copy(struct world *w, uint64_t from, uint64_t to, uint64_t bytes)
{
	start_copy(w, from, to, bytes);
	chan_wait_idle(&w->c);
}
