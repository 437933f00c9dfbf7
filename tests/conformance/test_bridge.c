/* SPDX-License-Identifier: MIT */
/* SEM_IMPORT_FENCE and SEM_EXPORT_FENCE: fences and semaphores, both ways. */
#include "fence.h"
#include "harness.h"
#include "sysfile.h"

static uint32_t sem_new(int fd, uint32_t bo, uint64_t initial, uint32_t flags)
{
	struct drm_ppu_sem_create s = {
		.bo_handle = bo, .flags = flags | (bo ? DRM_PPU_SEM_ADOPT : 0), .initial = initial,
	};

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	return s.sem_id;
}

static uint64_t sem_read(int fd, uint32_t id)
{
	struct drm_ppu_sem_read a = { .sem_id = id };

	DO(fd, DRM_IOCTL_PPU_SEM_READ, &a);
	return a.value;
}

static void sem_set(int fd, uint32_t id, uint64_t value)
{
	struct drm_ppu_sem_signal a = { .sem_id = id, .value = value };

	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &a);
}

static int sem_wait_eq(int fd, uint32_t id, uint64_t value)
{
	struct drm_ppu_sem_cond c = { .sem_id = id, .op = DRM_PPU_SEM_OP_EQ, .value = value };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = limit_ms(20000),
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
}

static int import(int fd, uint32_t sem, uint32_t op, uint64_t value, uint64_t error_value,
		  uint32_t sync, uint64_t point)
{
	struct drm_ppu_sem_import_fence a = {
		.sem_id = sem, .op = op, .value = value, .error_value = error_value,
		.sync = { point ? DRM_PPU_SYNC_TIMELINE : 0, sync, point },
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, &a);
}

static int export(int fd, uint32_t sem, uint32_t op, uint64_t value, uint32_t chan, uint32_t sync,
		  uint64_t point)
{
	struct drm_ppu_sem_export_fence a = {
		.sem_id = sem, .op = op, .value = value, .channel_id = chan,
		.sync = { DRM_PPU_SYNC_SIGNAL | (point ? DRM_PPU_SYNC_TIMELINE : 0), sync, point },
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &a);
}

static bool has_fence(int fd, uint32_t sync)
{
	int file;

	if (drmSyncobjExportSyncFile(fd, sync, &file))
		return false;
	close(file);
	return true;
}

static int wait_submit(int fd, uint32_t sync, unsigned ms)
{
	return drmSyncobjWait(fd, &sync, 1, limit_ms(ms),
			      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL);
}

TEST(import_args, "SEM_IMPORT_FENCE refuses bad arguments")
{
	int fd = open_ppu();
	uint32_t sem = sem_new(fd, 0, 0, 0), sem32 = sem_new(fd, 0, 0, DRM_PPU_SEM_32BIT);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_sem_import_fence a = { .sem_id = sem, .sync.handle = gate.sync };

	CHECK_EQ(import(fd, 99, 0, 1, 1, gate.sync, 0), ENOENT);
	CHECK_EQ(import(fd, sem, DRM_PPU_SEM_SIGNAL_KICK, 0, 0, gate.sync, 0), EINVAL);
	CHECK_EQ(import(fd, sem, 0, 1, 1, 99, 0), ENOENT);
	CHECK_EQ(import(fd, sem, 0, 1, 1, syncobj(fd), 0), EINVAL);	/* without a fence */
	CHECK_EQ(import(fd, sem32, 0, 1ull << 32, 0, gate.sync, 0), EINVAL);
	CHECK_EQ(import(fd, sem32, 0, 0, 1ull << 32, gate.sync, 0), EINVAL);
	CHECK_EQ(import(open_ppu(), sem, 0, 1, 1, gate.sync, 0), ENOENT);
	a.sync.flags = DRM_PPU_SYNC_SIGNAL;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, &a, EINVAL);
	a.sync.flags = 1u << 9;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, &a, EINVAL);
	a.sync.flags = 0;
	a.sync.point = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, &a, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, (void *)BAD_PTR, EFAULT);
}

TEST(import, "a fence writes the word when it signals, wakes waits and the device")
{
	for (uint64_t point = 0; point < 10; point += 9) {
		int fd = open_ppu();
		struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
		uint32_t sem = sem_new(fd, c.sems.handle, 0, 0), other = sem_new(fd, 0, 100, 0);
		struct gate gate = gate_new(fd, point);
		struct cmds b = chan_block(&c);

		cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 7);
		cmd_release(&b, chan_sem_va(&c, 1), 1);
		chan_submit(&c, &b);
		CHECK_EQ(import(fd, sem, DRM_PPU_SEM_SIGNAL_SET, 7, 8, gate.sync, point), 0);
		CHECK_EQ(import(fd, other, DRM_PPU_SEM_SIGNAL_ADD, 5, 50, gate.sync, point), 0);
		CHECK_EQ(import(fd, other, DRM_PPU_SEM_SIGNAL_MAX, 9, 90, gate.sync, point), 0);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
		CHECK_EQ(sem_read(fd, sem), 0);
		CHECK_EQ(sem_read(fd, other), 100);
		gate_open(&gate);
		CHECK_EQ(sem_wait_eq(fd, sem, 7), 0);
		CHECK_EQ(sem_wait_eq(fd, other, 105), 0);
		chan_wait_idle(&c);
		CHECK_EQ(*chan_sem(&c, 1), 1);
		CHECK(*chan_sem(&c, 0) == 7);
		/* a fence that has signalled already: done when the ioctl returns */
		CHECK_EQ(import(fd, sem, DRM_PPU_SEM_SIGNAL_ADD, 20, 0, gate.sync, point), 0);
		CHECK_EQ(sem_read(fd, sem), 27);
	}
}

TEST(import_error, "a fence with an error writes the other value")
{
	for (uint64_t point = 0; point < 10; point += 9) {
		int fd = open_ppu();
		uint32_t sem = sem_new(fd, 0, 0, 0);
		struct gate gate = gate_new(fd, point);
		struct drm_ppu_channel_destroy d = { .channel_id = gate.channel };

		CHECK_EQ(import(fd, sem, DRM_PPU_SEM_SIGNAL_SET, 7, 666, gate.sync, point), 0);
		DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
		/* accept either value, so that a wrong one fails the check instead of being waited for */
		WAIT_FOR(sem_read(fd, sem), 20000);
		CHECK_EQ(sem_read(fd, sem), 666);
		CHECK_EQ(import(fd, sem, DRM_PPU_SEM_SIGNAL_SET, 7, 667, gate.sync, point), 0);
		CHECK_EQ(sem_read(fd, sem), 667);
	}
}

TEST(import_cancel, "a semaphore that is destroyed first is not written; its memory may go")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);

	for (unsigned i = 0; i < 20; i++) {
		struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
		struct drm_ppu_sem_destroy d = { .sem_id = sem_new(fd, bo.handle, 0, 0) };

		for (unsigned k = 0; k < 3; k++)
			CHECK_EQ(import(fd, d.sem_id, 0, 7, 8, gate.sync, 0), 0);
		DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &d);
		if (i == 19)
			gate_open(&gate);
		CHECK(i < 19 || !wait_sync(fd, gate.sync, 20000));
		CHECK_EQ(*(volatile uint64_t *)bo.map, 0);
		bo_free(&bo);
	}
}

TEST(export_args, "SEM_EXPORT_FENCE refuses bad arguments")
{
	int fd = open_ppu();
	uint32_t sem = sem_new(fd, 0, 0, 0), sem32 = sem_new(fd, 0, 0, DRM_PPU_SEM_32BIT);
	uint32_t h = syncobj(fd);
	struct drm_ppu_sem_export_fence a = {
		.sem_id = sem, .value = 1, .sync = { 0, h, 0 },
	};

	DO_ERR(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &a, EINVAL);	/* not to signal */
	a.sync.flags = DRM_PPU_SYNC_SIGNAL;
	a.pad = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &a, EINVAL);
	a.pad = 0;
	a.sync.point = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &a, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, (void *)BAD_PTR, EFAULT);
	CHECK_EQ(export(fd, 99, 0, 1, 0, h, 0), ENOENT);
	CHECK_EQ(export(fd, sem, 6, 1, 0, h, 0), EINVAL);
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_ZERO, 1, 0, h, 0), EINVAL);
	CHECK_EQ(export(fd, sem32, 0, 1ull << 32, 0, h, 0), EINVAL);
	CHECK_EQ(export(fd, sem, 0, 1, 99, h, 0), ENOENT);
	CHECK_EQ(export(fd, sem, 0, 1, 0, 99, 0), ENOENT);
	CHECK(!has_fence(fd, h));
}

TEST(export, "the syncobj gets its fence when the value is reached, and has none before")
{
	for (uint64_t point = 0; point < 10; point += 9) {
		int fd = open_ppu();
		struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
		uint32_t sem = sem_new(fd, c.sems.handle, 0, 0), h[2] = { syncobj(fd), syncobj(fd) };
		struct cmds b = chan_block(&c);
		uint64_t p = point;

		/* released by the device, with nobody waiting in the kernel */
		CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_GE, 5, c.id, h[0], point), 0);
		CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_GE, 6, c.id, h[1], point), 0);
		CHECK(!has_fence(fd, h[0]));
		CHECK(wait_sync(fd, h[0], 10) == -EINVAL);
		CHECK(wait_submit(fd, h[0], 10) == -ETIME);
		cmd_release(&b, chan_sem_va(&c, 0), 4);
		cmd_release(&b, chan_sem_va(&c, 0), 5);
		chan_submit(&c, &b);
		if (point)
			CHECK(!drmSyncobjTimelineWait(fd, h, &p, 1,
						      limit_ms(20000),
						      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL));
		else
			CHECK(!wait_submit(fd, h[0], 20000));
		CHECK(!has_fence(fd, h[1]));
		/* by the ioctl */
		sem_set(fd, sem, 100);
		CHECK(!wait_submit(fd, h[1], 20000));
		if (!point)
			CHECK_EQ(fence_error(fd, h[1]), 0);
		/* the condition holds: the fence is there when the ioctl returns */
		CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 100, 0, h[1], point ? 20 : 0), 0);
		CHECK(has_fence(fd, h[1]));
	}
}

TEST(export_job, "a job of a kernel-submit channel waits for a semaphore by a bridge")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);	/* the same channel can run a second job */
	uint32_t sem = sem_new(fd, 0, 0, 0), h = syncobj(fd), out = syncobj(fd);
	struct drm_ppu_sync s[2] = { { .handle = h }, { DRM_PPU_SYNC_SIGNAL, out, 0 } };
	struct drm_ppu_submit sub = { .channel_id = gate.channel, .syncs = DRM_PPU_ARRAY(2, s) };

	gate_open(&gate);
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_NE, 0, 0, h, 0), 0);
	/* the kernel does not let a job depend on a fence that may never come */
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, EINVAL);
	sem_set(fd, sem, 1);
	CHECK(!wait_submit(fd, h, 20000));
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK(!wait_sync(fd, out, 20000));
}

TEST(export_errors, "a bridge that cannot be fulfilled ends with an error")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct drm_ppu_sem_destroy d = { .sem_id = sem_new(fd, 0, 0, 0) };
	uint32_t sem = sem_new(fd, 0, 0, 0), h[4];

	for (unsigned i = 0; i < 4; i++)
		h[i] = syncobj(fd);
	CHECK_EQ(export(fd, d.sem_id, DRM_PPU_SEM_OP_EQ, 5, 0, h[0], 0), 0);
	DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &d);
	CHECK(!wait_submit(fd, h[0], 20000));
	CHECK_EQ(-fence_error(fd, h[0]), ECANCELED);

	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 5, c.id, h[1], 0), 0);
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 5, 0, h[2], 0), 0);
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	CHECK(!wait_submit(fd, h[1], 20000));
	CHECK_EQ(-fence_error(fd, h[1]), EIO);
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED);
	CHECK(!has_fence(fd, h[2]));
	/* late */
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 5, c.id, h[3], 0), 0);
	CHECK(!wait_submit(fd, h[3], 20000));
	CHECK_EQ(-fence_error(fd, h[3]), EIO);
	sem_set(fd, sem, 5);
	CHECK(!wait_submit(fd, h[2], 20000));
	CHECK_EQ(fence_error(fd, h[2]), 0);
	/* a condition that holds takes precedence over a dead channel */
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 5, c.id, h[3], 0), 0);
	CHECK_EQ(fence_error(fd, h[3]), 0);
}

TEST_T(export_released, 120, "a channel that releases the word and then fails has released it")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), sem, h = syncobj(fd);
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b;

	/* the interrupts of these watches come late: the first interrupts use up the burst that is allowed at once */
	modparam_set("irq_rate", 1);
	sem = sem_new(fd, c.sems.handle, 0, 0);
	for (uint64_t i = 1; i <= 36; i++) {
		uint32_t burn = syncobj(fd);

		CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_GE, i, c.id, burn, 0), 0);
		b = chan_block(&c);
		cmd_release(&b, chan_sem_va(&c, 0), i);
		chan_submit(&c, &b);
		CHECK(!wait_submit(fd, burn, 40000));
	}
	CHECK_EQ(export(fd, sem, DRM_PPU_SEM_OP_EQ, 100, c.id, h, 0), 0);
	b = chan_block(&c);
	cmd_release(&b, chan_sem_va(&c, 0), 100);
	cmd_release(&b, 0x5550000000ull, 1);
	chan_submit(&c, &b);
	CHECK(!wait_submit(fd, h, 40000));
	CHECK_EQ(fence_error(fd, h), 0);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
}

TEST(limit, "pending bridges of a process are limited, by number or by watches; done ones free")
{
	int fd = open_ppu(), err = 0;
	uint32_t sem = sem_new(fd, 0, 0, 0), h = syncobj(fd);
	struct gate gate = gate_new(fd, 0);

	for (unsigned n = 0; n < 100000 && !err; n++)
		err = import(fd, sem, DRM_PPU_SEM_SIGNAL_ADD, 1, 1, gate.sync, 0);
	CHECK_EQ(err, ENOSPC);
	gate_open(&gate);
	WAIT_FOR(!export(fd, sem, DRM_PPU_SEM_OP_EQ, ~0ull, 0, h, 0), 20000);
	err = 0;
	for (unsigned n = 0; n < 100000 && !err; n++)
		err = export(fd, sem, DRM_PPU_SEM_OP_EQ, ~0ull, 0, h, 0);
	CHECK_EQ(err, ENOSPC);
	CHECK(!has_fence(fd, h));
}

TEST(close, "a file with pending bridges is closed: exports end, nothing is written")
{
	int keep = open_ppu();

	for (unsigned i = 0; i < 10; i++) {
		int fd = open_ppu(), file;
		struct gate gate = gate_new(fd, 0);
		uint32_t sem = sem_new(fd, 0, 0, 0), h = syncobj(fd), handle;

		CHECK_EQ(import(fd, sem, 0, 1, 1, gate.sync, 0), 0);
		CHECK_EQ(export(fd, sem, 0, 9, 0, h, 0), 0);
		CHECK(!drmSyncobjHandleToFD(fd, h, &file));
		munmap(gate.code.map, gate.code.size);
		close(fd);
		CHECK(!drmSyncobjFDToHandle(keep, file, &handle));
		CHECK(!wait_submit(keep, handle, 20000));
		CHECK_EQ(-fence_error(keep, handle), ECANCELED);
		drmSyncobjDestroy(keep, handle);
		close(file);
	}
}

HARNESS_MAIN
