/* SPDX-License-Identifier: MIT */
/* Asynchronous VM_BIND: fences in and out, order, errors, limits. */
#include "fence.h"
#include "harness.h"
#include "sysfile.h"

#include <hw/ppu_tmd.h>

#define MAP DRM_PPU_VM_BIND_OP_MAP
#define UNMAP DRM_PPU_VM_BIND_OP_UNMAP
#define VA 0x10000000ull
#define M (1ull << 20)

static int bind_queue_err(int fd, uint32_t vm, uint32_t queue, struct drm_ppu_vm_bind_op *ops, unsigned n,
			  struct drm_ppu_sync *syncs, unsigned ns)
{
	struct drm_ppu_vm_bind b = {
		.vm_id = vm, .flags = DRM_PPU_VM_BIND_ASYNC, .ops = DRM_PPU_ARRAY(n, ops),
		.syncs = DRM_PPU_ARRAY(ns, syncs), .queue = queue,
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_VM_BIND, &b);
}

static int bind_err(int fd, uint32_t vm, struct drm_ppu_vm_bind_op *ops, unsigned n,
		    struct drm_ppu_sync *syncs, unsigned ns)
{
	return bind_queue_err(fd, vm, 0, ops, n, syncs, ns);
}

static struct drm_ppu_vm_get_state vm_state(int fd, uint32_t vm)
{
	struct drm_ppu_vm_get_state s = { .vm_id = vm };

	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	return s;
}

/* The word at @va as the device sees it; -1: not mapped. */
static int64_t peek(int fd, uint32_t vm, uint64_t va)
{
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&c);
	int64_t v = -1;

	cmd_copy(&b, va, chan_sem_va(&c, 1), 8);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	WAIT_FOR(*chan_sem(&c, 0) || chan_query(&c).error, 20000);
	if (*chan_sem(&c, 0))
		v = (int64_t)*chan_sem(&c, 1);
	else
		CHECK_EQ(chan_query(&c).error, PPU_ERR_COPY_FAULT);
	chan_free(&c);
	return v;
}

static struct bo marked(int fd, uint64_t size, uint32_t placement, uint64_t value)
{
	struct bo bo = bo_new(fd, size, placement);

	for (uint64_t i = 0; i < size / 8; i += 512)
		((uint64_t *)bo.map)[i] = value + (i >> 9 << 16);
	return bo;
}

TEST(args, "VM_BIND with ASYNC refuses bad arguments, at once")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	struct bo bo = bo_new(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_vm_bind_op op = { .op = MAP, .handle = bo.handle, .va = VA, .size = 4096 };
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = h };
	struct drm_ppu_vm_bind b = { .vm_id = vm, .syncs = DRM_PPU_ARRAY(1, &s) };

	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);	/* syncs without ASYNC */
	b.flags = DRM_PPU_VM_BIND_ASYNC | 2;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.flags = DRM_PPU_VM_BIND_ASYNC;
	b.syncs.ptr = BAD_PTR;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EFAULT);
	b.syncs.stride = 8;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.syncs = (struct drm_ppu_array)DRM_PPU_ARRAY(DRM_PPU_SUBMIT_MAX_SYNCS + 1, &s);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, E2BIG);
	CHECK_EQ(bind_err(fd, 99, &op, 1, &s, 1), ENOENT);
	op.va++;
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), EINVAL);
	op.va--;
	op.handle = 99;
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), ENOENT);
	op.handle = bo.handle;
	s.flags |= 2;
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), EINVAL);
	s.flags = DRM_PPU_SYNC_SIGNAL;
	s.point = 1;
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), EINVAL);
	s = (struct drm_ppu_sync){ .handle = h };	/* no fence to wait for */
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), EINVAL);
	s.handle = 99;
	CHECK_EQ(bind_err(fd, vm, &op, 1, &s, 1), ENOENT);
	/* the refused binds were not queued */
	CHECK_EQ(vm_state(fd, vm).binds_queued, 0);
	CHECK_EQ(bind_err(fd, vm, &op, 1, NULL, 0), 0);
	WAIT_FOR(vm_state(fd, vm).binds_done == 1, 20000);
	CHECK_EQ(vm_state(fd, vm).binds_queued, 1);
	CHECK_EQ(vm_state(fd, vm).bind_error, 0);
	CHECK_EQ(peek(fd, vm, VA), 0);
}

TEST(waits, "the operations are done after the in-fence and before the out-fence")
{
	for (uint64_t point = 0; point < 8; point += 7) {
		int fd = open_ppu();
		uint32_t vm = vm_new(fd);
		struct bo bo = marked(fd, 4 * M, DRM_PPU_PLACEMENT_VRAM, 5);
		struct gate gate = gate_new(fd, point);
		struct drm_ppu_vm_bind_op op = {
			.op = MAP, .handle = bo.handle, .va = VA, .size = bo.size,
		};
		uint32_t type = point ? DRM_PPU_SYNC_TIMELINE : DRM_PPU_SYNC_BINARY;
		struct drm_ppu_sync s[2] = {
			{ .flags = type, .handle = gate.sync, .point = point },
			{ .flags = type | DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd),
			  .point = point * 2 },
		};

		CHECK_EQ(bind_err(fd, vm, &op, 1, s, 2), 0);
		if (point) {
			uint64_t p = point * 2;

			CHECK(drmSyncobjTimelineWait(fd, &s[1].handle, &p, 1,
						     (int64_t)(now_ns() + 20 * MS), 0, NULL) ==
			      -ETIME);
		} else {
			CHECK(wait_sync(fd, s[1].handle, 20) == -ETIME);
		}
		CHECK_EQ(vm_state(fd, vm).binds_queued, 1);
		CHECK_EQ(vm_state(fd, vm).binds_done, 0);
		CHECK_EQ(peek(fd, vm, VA), -1);
		gate_open(&gate);
		if (point) {
			uint64_t p = point * 2, last;

			CHECK(!drmSyncobjTimelineWait(fd, &s[1].handle, &p, 1,
						      limit_ms(20000), 0, NULL));
			CHECK(!drmSyncobjQuery(fd, &s[1].handle, &last, 1));
			CHECK_EQ(last, p);
		} else {
			CHECK(!wait_sync(fd, s[1].handle, 20000));
			CHECK_EQ(fence_error(fd, s[1].handle), 0);
		}
		CHECK_EQ(vm_state(fd, vm).binds_done, 1);
		CHECK_EQ(peek(fd, vm, VA), 5);
		CHECK_EQ(peek(fd, vm, VA + 3 * M), 5 + (3ll * 256 << 16));
	}
}

TEST(order, "binds of a VM are done in order; a synchronous one does not wait")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo a = marked(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM, 1);
	struct bo b = marked(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM, 2);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_vm_bind_op first = {
		.op = MAP, .handle = a.handle, .va = VA, .size = 65536,
	}, second = {
		.op = MAP, .handle = b.handle, .va = VA, .size = 4096,
	}, third = { .op = UNMAP, .va = VA + 8192, .size = 4096 };
	struct drm_ppu_sync in = { .handle = gate.sync };
	struct drm_ppu_sync out = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };

	CHECK_EQ(bind_err(fd, vm, &first, 1, &in, 1), 0);
	CHECK_EQ(bind_err(fd, vm, &second, 1, NULL, 0), 0);
	CHECK_EQ(bind_err(fd, vm, &third, 1, &out, 1), 0);
	/* another address, now */
	CHECK_EQ(vm_try_op(fd, vm, MAP, b.handle, 4096, VA + 65536, 4096, 0), 0);
	CHECK_EQ(peek(fd, vm, VA + 65536), 2 + (1 << 16));
	CHECK_EQ(vm_state(fd, vm).binds_done, 0);
	CHECK_EQ(peek(fd, vm, VA), -1);
	/* handles are not needed any more */
	bo_free(&a);
	bo_free(&b);
	gate_open(&gate);
	CHECK(!wait_sync(fd, out.handle, 20000));
	CHECK_EQ(vm_state(fd, vm).binds_done, 3);
	CHECK_EQ(peek(fd, vm, VA), 2);
	CHECK_EQ(peek(fd, vm, VA + 4096), 1 + (1 << 16));
	CHECK_EQ(peek(fd, vm, VA + 8192), -1);
	CHECK_EQ(peek(fd, vm, VA + 12288), 1 + (3 << 16));
}

TEST(queue_args, "a queue has a number that exists, and only an asynchronous bind has a queue")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_vm_bind b = { .vm_id = vm, .queue = 1 };

	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.flags = DRM_PPU_VM_BIND_ASYNC;
	b.pad = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.pad = 0;
	b.queue = DRM_PPU_VM_BIND_MAX_QUEUES;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.queue = UINT32_MAX;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	for (b.queue = 0; b.queue < DRM_PPU_VM_BIND_MAX_QUEUES; b.queue++)
		DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	WAIT_FOR(vm_state(fd, vm).binds_done == DRM_PPU_VM_BIND_MAX_QUEUES, 20000);
}

TEST(queues, "queues do not wait for each other; in each of them the order is kept")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = marked(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM, 1);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_sync in = { .handle = gate.sync }, out[3];

	/* queue 1 is held by the gate, queues 2 and 3 are not; each has three binds of one address, the last one stays */
	for (uint32_t q = 1; q <= 3; q++) {
		struct drm_ppu_vm_bind_op op = {
			.op = MAP, .handle = bo.handle, .va = VA + q * M, .size = 4096,
		};

		out[q - 1] = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
		for (unsigned i = 0; i < 3; i++) {
			op.bo_offset = (q + i) * 4096;
			CHECK_EQ(bind_queue_err(fd, vm, q, &op, 1, i ? &out[q - 1] : &in, i ? i == 2 : q == 1), 0);
		}
	}
	for (uint32_t q = 2; q <= 3; q++) {
		CHECK(!wait_sync(fd, out[q - 1].handle, 20000));
		CHECK_EQ(peek(fd, vm, VA + q * M), 1 + ((q + 2) << 16));
	}
	CHECK(wait_sync(fd, out[0].handle, 20) == -ETIME);
	CHECK_EQ(peek(fd, vm, VA + M), -1);
	CHECK_EQ(vm_state(fd, vm).binds_queued, 9);
	CHECK_EQ(vm_state(fd, vm).binds_done, 6);
	gate_open(&gate);
	CHECK(!wait_sync(fd, out[0].handle, 20000));
	CHECK_EQ(peek(fd, vm, VA + M), 1 + (3 << 16));
	CHECK_EQ(vm_state(fd, vm).binds_done, 9);
}

TEST(queues_destroy, "binds of queues that wait for each other end with the VM, in any order")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned round = 0; round < 20; round++) {
		struct drm_ppu_vm_destroy d = { .vm_id = vm_new(fd) };
		struct bo bo = bo_new(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM);
		struct drm_ppu_vm_bind_op op = { .op = MAP, .handle = bo.handle, .va = VA, .size = 65536 };
		uint32_t last = gate.sync, h[DRM_PPU_VM_BIND_MAX_QUEUES];

		/* a chain through all queues, upwards or downwards */
		for (uint32_t i = 0; i < DRM_PPU_VM_BIND_MAX_QUEUES; i++) {
			struct drm_ppu_sync s[2] = {
				{ .handle = last }, { DRM_PPU_SYNC_SIGNAL, h[i] = syncobj(fd), 0 },
			};
			uint32_t q = round % 2 ? i : DRM_PPU_VM_BIND_MAX_QUEUES - 1 - i;

			CHECK_EQ(bind_queue_err(fd, d.vm_id, q, &op, 1, s, 2), 0);
			last = h[i];
		}
		bo_free(&bo);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
		for (unsigned i = 0; i < DRM_PPU_VM_BIND_MAX_QUEUES; i++) {
			CHECK(!wait_sync(fd, h[i], 20000));
			CHECK_EQ(-fence_error(fd, h[i]), ECANCELED);
		}
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

TEST(many_waits, "several in-fences, signalled in any order; several out-fences")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = marked(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM, 9);
	struct gate gate[3];
	struct drm_ppu_sync s[5] = { 0 };
	struct drm_ppu_vm_bind_op op = {
		.op = MAP, .handle = bo.handle, .va = VA, .size = 4096,
	};
	static const unsigned order[3] = { 2, 0, 1 };

	for (unsigned i = 0; i < 3; i++) {
		gate[i] = gate_new(fd, 0);
		s[i].handle = gate[i].sync;
	}
	for (unsigned i = 3; i < 5; i++)
		s[i] = (struct drm_ppu_sync){ DRM_PPU_SYNC_SIGNAL, syncobj(fd), 0 };
	CHECK_EQ(bind_err(fd, vm, &op, 1, s, 5), 0);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(vm_state(fd, vm).binds_done, 0);
		gate_open(&gate[order[i]]);
		CHECK(!wait_sync(fd, gate[order[i]].sync, 20000));
	}
	CHECK(!wait_sync(fd, s[3].handle, 20000));
	CHECK(!wait_sync(fd, s[4].handle, 20000));
	CHECK_EQ(peek(fd, vm, VA), 9);
}

TEST(submit_after, "a job waits for a bind, a bind for a job, in one chain of fences")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_channel_create k = {
		.vm_id = vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
		.timeout_ms = 600000,
	};
	struct bo code = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = code.map, .max = 1024, .va = 0x50000000 };
	struct drm_ppu_vm_bind_op map = {
		.op = MAP, .handle = bo.handle, .va = VA, .size = 4096,
	}, unmap = { .op = UNMAP, .va = VA, .size = 4096 };
	struct drm_ppu_entry e;
	uint32_t h[3] = { syncobj(fd), syncobj(fd), syncobj(fd) };
	struct drm_ppu_sync s[2];
	struct drm_ppu_submit sub;

	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	vm_map(fd, vm, &code, b.va);
	cmd_release(&b, VA, 77);
	e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	s[0] = (struct drm_ppu_sync){ 0, gate.sync, 0 };
	s[1] = (struct drm_ppu_sync){ DRM_PPU_SYNC_SIGNAL, h[0], 0 };
	CHECK_EQ(bind_err(fd, vm, &map, 1, s, 2), 0);
	sub = (struct drm_ppu_submit){
		.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		.syncs = DRM_PPU_ARRAY(2, s),
	};
	s[0].handle = h[0];
	s[1].handle = h[1];
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	s[0].handle = h[1];
	s[1].handle = h[2];
	CHECK_EQ(bind_err(fd, vm, &unmap, 1, s, 2), 0);
	gate_open(&gate);
	CHECK(!wait_sync(fd, h[2], 20000));
	CHECK_EQ(fence_error(fd, h[1]), 0);
	CHECK_EQ(*(volatile uint64_t *)bo.map, 77);
	CHECK_EQ(peek(fd, vm, VA), -1);
}

/* Faults a VM: an SM fetches code from nowhere. */
static void fault_vm(int fd, uint32_t vm)
{
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COMPUTE, 8);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct ppu_tmd *t = bo.map;
	struct cmds b = chan_block(&c);

	vm_map(fd, vm, &bo, 0x70000000);
	*t = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.regs_per_thread = 8, .code_va = 0x6660000, .code_insns = 1,
		.grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
	};
	cmd_launch(&b, bo.va);
	chan_submit(&c, &b);
	WAIT_FOR(vm_state(fd, vm).state & DRM_PPU_VM_STATE_FAULTED, 20000);
}

TEST(error, "a MAP whose VM has faulted meanwhile ends with EIO and does nothing; UNMAP works")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h[2] = { syncobj(fd), syncobj(fd) };
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_vm_bind_op map = {
		.op = MAP, .handle = bo.handle, .va = VA, .size = 4096,
	}, unmap = { .op = UNMAP, .va = VA, .size = 4096 };
	struct drm_ppu_sync s[2] = {
		{ .handle = gate.sync }, { DRM_PPU_SYNC_SIGNAL, h[0], 0 },
	}, t = { DRM_PPU_SYNC_SIGNAL, h[1], 0 };

	CHECK_EQ(bind_err(fd, vm, &map, 1, s, 2), 0);
	CHECK_EQ(bind_err(fd, vm, &unmap, 1, &t, 1), 0);
	fault_vm(fd, vm);
	CHECK_EQ(bind_err(fd, vm, &map, 1, NULL, 0), EIO);
	gate_open(&gate);
	CHECK(!wait_sync(fd, h[1], 20000));
	CHECK_EQ(-fence_error(fd, h[0]), EIO);
	CHECK_EQ(fence_error(fd, h[1]), 0);
	CHECK_EQ(vm_state(fd, vm).bind_error, EIO);
	CHECK_EQ(vm_state(fd, vm).binds_done, 2);
}

TEST(destroy, "VM_DESTROY ends queued binds with ECANCELED; their memory comes back")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned round = 0; round < 10; round++) {
		struct drm_ppu_vm_destroy d = { .vm_id = vm_new(fd) };
		struct bo bo = bo_new(fd, 8 * M, DRM_PPU_PLACEMENT_VRAM);
		struct drm_ppu_vm_bind_op op = {
			.op = MAP, .handle = bo.handle, .va = VA + 4096, .size = bo.size,
		};
		uint32_t h[3];

		for (unsigned i = 0; i < 3; i++) {
			struct drm_ppu_sync s[2] = {
				{ DRM_PPU_SYNC_SIGNAL, h[i] = syncobj(fd), 0 },
				{ .handle = gate.sync },
			};

			CHECK_EQ(bind_err(fd, d.vm_id, &op, 1, s, i ? 1 : 2), 0);
		}
		bo_free(&bo);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
		for (unsigned i = 0; i < 3; i++) {
			CHECK(!wait_sync(fd, h[i], 20000));
			CHECK_EQ(-fence_error(fd, h[i]), ECANCELED);
		}
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

TEST(close_queued, "a file is closed with binds queued: their fences outlive it, nothing is left")
{
	int keep = open_ppu();
	uint64_t before = get_param(keep, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned round = 0; round < 10; round++) {
		int fd = open_ppu(), file;
		uint32_t vm = vm_new(fd), handle;
		struct gate gate = gate_new(fd, 0);
		struct bo bo = bo_new(fd, 4 * M, DRM_PPU_PLACEMENT_SYSTEM);
		struct drm_ppu_vm_bind_op op = {
			.op = MAP, .handle = bo.handle, .va = VA, .size = bo.size,
		};
		struct drm_ppu_sync s[2] = {
			{ DRM_PPU_SYNC_SIGNAL, syncobj(fd), 0 }, { .handle = gate.sync },
		};

		CHECK_EQ(bind_err(fd, vm, &op, 1, s, 2), 0);
		CHECK(!drmSyncobjExportSyncFile(fd, s[0].handle, &file));
		if (round & 1)
			gate_open(&gate);
		/* mappings keep a file open */
		munmap(bo.map, bo.size);
		munmap(gate.code.map, gate.code.size);
		close(fd);
		CHECK(!drmSyncobjCreate(keep, 0, &handle));
		CHECK(!drmSyncobjImportSyncFile(keep, handle, file));
		CHECK(!wait_sync(keep, handle, 20000));
		if (!(round & 1))
			CHECK_EQ(-fence_error(keep, handle), ECANCELED);
		drmSyncobjDestroy(keep, handle);
		close(file);
		WAIT_FOR(get_param(keep, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

TEST(limit, "the number of queued binds of a process is limited; done ones do not count")
{
	int fd = open_ppu(), err = 0;
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_sync in = { .handle = gate.sync }, out = { DRM_PPU_SYNC_SIGNAL, h, 0 };
	struct drm_ppu_vm_bind_op op = { .op = UNMAP, .va = VA, .size = 4096 };

	CHECK_EQ(bind_err(fd, vm, NULL, 0, &in, 1), 0);
	for (unsigned n = 0; n < 100000 && !err; n++)
		err = bind_err(fd, vm, &op, 1, &out, 1);
	CHECK_EQ(err, ENOSPC);
	gate_open(&gate);
	CHECK(!wait_sync(fd, h, 20000));
	WAIT_FOR(!bind_err(fd, vm, &op, 1, &out, 1), 20000);
}

TEST(limit_at_once, "a bind whose out-fence has signalled does not count any more, at once")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	uint64_t value = modparam("max_binds");
	struct bo bo = bo_new(fd, 1 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_sync out = { DRM_PPU_SYNC_SIGNAL, h, 0 };

	modparam_set("max_binds", 1);
	for (unsigned i = 0; i < 300; i++) {
		struct drm_ppu_vm_bind_op op = {
			.op = i % 2 ? UNMAP : MAP, .handle = i % 2 ? 0 : bo.handle, .va = VA, .size = bo.size,
		};

		CHECK_EQ(bind_err(fd, vm, &op, 1, &out, 1), 0);
		CHECK(!wait_sync(fd, h, 20000));
	}
	modparam_set("max_binds", value);
}

TEST(memory_at_once, "memory that a bind unmapped can be had again as soon as its out-fence has signalled")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	uint64_t value = modparam("max_vram_mb");
	struct drm_ppu_sync out = { DRM_PPU_SYNC_SIGNAL, h, 0 };

	modparam_set("max_vram_mb", 5);
	for (unsigned i = 0; i < 200; i++) {
		struct drm_ppu_gem_create c = { .size = 4 * M, .placement = DRM_PPU_PLACEMENT_VRAM };
		struct drm_ppu_vm_bind_op op = { .op = MAP, .va = VA, .size = c.size };

		DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &c);
		op.handle = c.handle;
		CHECK_EQ(bind_err(fd, vm, &op, 1, NULL, 0), 0);
		CHECK(!drmCloseBufferHandle(fd, c.handle));
		op = (struct drm_ppu_vm_bind_op){ .op = UNMAP, .va = VA, .size = c.size };
		CHECK_EQ(bind_err(fd, vm, &op, 1, &out, 1), 0);
		CHECK(!wait_sync(fd, h, 20000));
	}
	modparam_set("max_vram_mb", value);
}

/* xorshift: the same sequence everywhere. */
static uint32_t rnd(void)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

TEST_T(random, 120, "hundreds of random binds, large pages and small, match a model of the pages")
{
	enum { PAGES = 3 * 512 };
	static int64_t model[PAGES];
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	struct bo bo[2] = {
		marked(fd, PAGES * 4096, DRM_PPU_PLACEMENT_VRAM, 1),
		marked(fd, PAGES * 4096, DRM_PPU_PLACEMENT_SYSTEM, 2),
	};

	for (unsigned i = 0; i < PAGES; i++)
		model[i] = -1;
	for (unsigned round = 0; round < 300; round++) {
		struct drm_ppu_vm_bind_op ops[4];
		struct drm_ppu_sync out = { DRM_PPU_SYNC_SIGNAL, h, 0 };
		struct drm_ppu_vm_bind b = { .vm_id = vm, .ops = DRM_PPU_ARRAY(4, ops) };

		for (unsigned i = 0; i < 4; i++) {
			unsigned first = rnd() % PAGES, n = 1 + rnd() % (PAGES - first);
			unsigned which = rnd() % 3, from;

			if (rnd() % 3 == 0) {	/* whole 2 MiB slots */
				first = first / 512 * 512;
				n = 512;
			}
			from = which == 2 ? 0 : rnd() % 2 ? first : rnd() % (PAGES - n + 1);
			ops[i] = (struct drm_ppu_vm_bind_op){
				.op = which == 2 ? UNMAP : MAP,
				.handle = which == 2 ? 0 : bo[which].handle,
				.bo_offset = from * 4096ull, .va = VA + first * 4096ull,
				.size = n * 4096ull,
			};
			for (unsigned k = 0; k < n; k++)
				model[first + k] = which == 2 ? -1 :
					(int64_t)(which + 1 + ((uint64_t)(from + k) << 16));
		}
		if (rnd() % 4)
			CHECK_EQ(bind_err(fd, vm, ops, 4, &out, 1), 0);
		else if (!drmSyncobjReset(fd, &h, 1) && !bind_err(fd, vm, NULL, 0, &out, 1) &&
			 !wait_sync(fd, h, 20000))
			DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
		else
			FAIL("the queue does not drain");
		if (round % 20 == 19) {
			CHECK_EQ(bind_err(fd, vm, NULL, 0, &out, 1), 0);
			CHECK(!wait_sync(fd, h, 20000));
			for (unsigned k = 0; k < 12; k++) {
				unsigned page = rnd() % PAGES;

				CHECK_EQ(peek(fd, vm, VA + page * 4096ull), model[page]);
			}
		}
	}
	CHECK_EQ(vm_state(fd, vm).bind_error, 0);
}

HARNESS_MAIN
