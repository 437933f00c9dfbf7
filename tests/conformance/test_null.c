/* SPDX-License-Identifier: MIT */
/* DRM_PPU_VM_BIND_NULL: mappings of no memory. */
#include "copy_world.h"
#include "fence.h"
#include "gpu.h"
#include "harness.h"

#define HOLE	0x400000000ull		/* at a multiple of 2 MiB */
#define BO_VA	0x50000000ull
#define PAGE	4096ull
#define LARGE	(2ull << 20)

static int try_null(int fd, uint32_t vm, uint64_t va, uint64_t size, uint32_t flags)
{
	return vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, 0, 0, va, size, DRM_PPU_VM_BIND_NULL | flags);
}

TEST(args, "a MAP of no memory names no object, and is not too large")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, PAGE, DRM_PPU_PLACEMENT_VRAM);
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	const uint64_t most = DRM_PPU_VM_BIND_MAX_PAGES * LARGE;

	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, bo.handle, 0, HOLE, PAGE, DRM_PPU_VM_BIND_NULL), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, 0, PAGE, HOLE, PAGE, DRM_PPU_VM_BIND_NULL), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, HOLE, PAGE, DRM_PPU_VM_BIND_NULL), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, 0, 0, HOLE, PAGE, 0), ENOENT);
	CHECK_EQ(try_null(fd, vm, HOLE, 0, 0), EINVAL);
	CHECK_EQ(try_null(fd, vm, HOLE + 1, PAGE, 0), EINVAL);
	CHECK_EQ(try_null(fd, vm, PPU_VA_USER_START, PPU_VA_USER_END - PPU_VA_USER_START, 0), E2BIG);
	CHECK_EQ(try_null(fd, vm, HOLE, most + PAGE, 0), E2BIG);
	CHECK_EQ(try_null(fd, vm, HOLE + PAGE, most, 0), E2BIG);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
	/* As much as may be: a table for each GiB, and no more. */
	CHECK_EQ(try_null(fd, vm, HOLE, most / 16, 0), 0);
	CHECK(before - get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) <= (most / 16 / (1ull << 30) + 2) * PAGE);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, HOLE, most / 16, 0), 0);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
}

TEST(copies, "copies from there bring zeroes, copies to there are lost; both kinds of leaves")
{
	const uint64_t size = 2 * LARGE + 5 * PAGE;
	struct world w = world_new(size, BO_VA);
	uint8_t *p = w.bo.map;

	CHECK_EQ(try_null(w.fd, w.vm, HOLE, size, 0), 0);
	memset(p, 0x5a, size);
	copy(&w, BO_VA, HOLE, size);
	copy(&w, HOLE + 3, BO_VA + 1000, size - 2000);
	for (uint64_t i = 0; i < size; i++)
		CHECK_EQ(p[i], i < 1000 || i >= size - 1000 ? 0x5a : 0);
	CHECK_EQ(try_null(w.fd, w.vm, HOLE, PAGE, DRM_PPU_VM_BIND_READONLY), 0);
	copy(&w, BO_VA, HOLE + PAGE, PAGE);
	start_copy(&w, BO_VA, HOLE, PAGE);
	WAIT_FOR(chan_query(&w.c).error, 5000);
}

TEST(partly, "memory comes and goes in the middle: what is beside it stays without")
{
	struct world w = world_new(3 * LARGE, BO_VA);
	struct bo part = bo_new(w.fd, 16 * PAGE, DRM_PPU_PLACEMENT_SYSTEM);
	uint8_t *p = w.bo.map;

	memset(part.map, 0x77, part.size);
	CHECK_EQ(try_null(w.fd, w.vm, HOLE, 3 * LARGE, 0), 0);
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_MAP, part.handle, 0, HOLE + LARGE + 8 * PAGE, 16 * PAGE, 0), 0);
	memset(p, 1, 3 * LARGE);
	copy(&w, HOLE, BO_VA, 3 * LARGE);
	for (uint64_t i = 0; i < 3 * LARGE; i++)
		CHECK_EQ(p[i], i >= LARGE + 8 * PAGE && i < LARGE + 24 * PAGE ? 0x77 : 0);
	/* Half of it goes back. */
	CHECK_EQ(try_null(w.fd, w.vm, HOLE + LARGE + 8 * PAGE, 8 * PAGE, 0), 0);
	memset(p, 1, 3 * LARGE);
	copy(&w, BO_VA, HOLE, LARGE + 20 * PAGE);
	copy(&w, HOLE, BO_VA, 3 * LARGE);
	for (uint64_t i = 0; i < 3 * LARGE; i++)
		CHECK_EQ(p[i], i < LARGE + 16 * PAGE || i >= LARGE + 24 * PAGE ? 0 : i < LARGE + 20 * PAGE ? 1 : 0x77);
	CHECK_EQ(((uint8_t *)part.map)[0], 0x77);
	/* UNMAP leaves nothing: that faults. */
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, HOLE + PAGE, PAGE, 0), 0);
	copy(&w, HOLE, BO_VA, PAGE);
	start_copy(&w, HOLE, BO_VA, 2 * PAGE);
	WAIT_FOR(chan_query(&w.c).error, 5000);
}

TEST(threads, "a thread loads zeroes, and what it stores is lost")
{
	struct gpu g = gpu_new(open_ppu());
	volatile uint64_t *data = g.data.map;

	CHECK_EQ(try_null(g.fd, g.vm, HOLE, PAGE, 0), 0);
	data[0] = 1;
	gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(HOLE), I_MOVI64_RD4(0x1111111122222222ull), I_ST64_RD2_RD4,
				   I_LD32_RD2, I_MOVI64_RD2(GPU_DATA_VA), I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&g.c);
	WAIT_FOR(*chan_sem(&g.c, 0) == 1, 10000);
	CHECK_EQ(data[0], 0x1111111100000000ull);
}

TEST(commands, "command blocks and semaphores need memory")
{
	for (int i = 0; i < 2; i++) {
		int fd = open_ppu();
		struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
		struct cmds b = chan_block(&c);

		CHECK_EQ(try_null(fd, c.vm, HOLE, PAGE, 0), 0);
		if (i)
			b.va = HOLE;
		cmd_release(&b, HOLE, 1);
		chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).error, 5000);
		CHECK_EQ(chan_query(&c).error, i ? PPU_ERR_BLOCK_FAULT : PPU_ERR_SEM_FAULT);
	}
}

TEST(later, "an asynchronous bind, after a fence")
{
	struct world w = world_new(PAGE, BO_VA);
	struct gate gate = gate_new(w.fd, 0);
	struct drm_ppu_vm_bind_op op = {
		.op = DRM_PPU_VM_BIND_OP_MAP, .flags = DRM_PPU_VM_BIND_NULL, .va = BO_VA, .size = PAGE,
	};
	struct drm_ppu_sync s[2] = { { .handle = gate.sync }, { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(w.fd) } };
	struct drm_ppu_vm_bind b = {
		.vm_id = w.vm, .flags = DRM_PPU_VM_BIND_ASYNC, .ops = DRM_PPU_ARRAY(1, &op), .syncs = DRM_PPU_ARRAY(2, s),
	};
	struct bo out = bo_new(w.fd, PAGE, DRM_PPU_PLACEMENT_SYSTEM);

	vm_map(w.fd, w.vm, &out, HOLE);
	((uint32_t *)w.bo.map)[1] = 5;
	DO(w.fd, DRM_IOCTL_PPU_VM_BIND, &b);
	copy(&w, BO_VA, HOLE, PAGE);
	CHECK_EQ(((uint32_t *)out.map)[1], 5);
	gate_open(&gate);
	CHECK_EQ(wait_sync(w.fd, s[1].handle, 20000), 0);
	copy(&w, BO_VA, HOLE, PAGE);
	CHECK_EQ(((uint32_t *)out.map)[1], 0);
}

HARNESS_MAIN
