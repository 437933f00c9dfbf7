/* SPDX-License-Identifier: MIT */
/* SUBMIT on kernel-submit channels: fences, order, errors, time-outs. */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "fence.h"
#include "harness.h"

struct kchan {
	int fd;
	uint32_t vm, id;
	struct bo blocks, out;	/* out: u64 words */
};

static struct kchan kchan_new_group(int fd, uint32_t vm, uint32_t entries, uint32_t timeout_ms,
				    uint32_t group)
{
	static unsigned n;
	struct kchan k = { .fd = fd, .vm = vm };
	struct drm_ppu_channel_create a = {
		.vm_id = vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = entries,
		.timeout_ms = timeout_ms, .group_id = group,
	};

	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	k.id = a.channel_id;
	k.blocks = bo_new(fd, 1 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	k.out = bo_new(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(fd, vm, &k.blocks, 0x100000000ull + n * 0x10000000ull);
	vm_map(fd, vm, &k.out, 0x108000000ull + n * 0x10000000ull);
	n++;
	return k;
}

static struct kchan kchan_new(int fd, uint32_t vm, uint32_t entries, uint32_t timeout_ms)
{
	return kchan_new_group(fd, vm, entries, timeout_ms, 0);
}

/* Block number i of 256 words. */
static struct cmds kblock(struct kchan *k, unsigned i)
{
	return (struct cmds){
		.p = (uint32_t *)k->blocks.map + i * 256, .max = 256,
		.va = k->blocks.va + i * 1024,
	};
}

static struct drm_ppu_entry entry(const struct cmds *b)
{
	return (struct drm_ppu_entry){ .va = b->va, .length = b->n };
}

static int submit_err(struct kchan *k, struct drm_ppu_entry *e, unsigned n,
		      struct drm_ppu_sync *s, unsigned ns, uint64_t *seqno)
{
	struct drm_ppu_submit a = {
		.channel_id = k->id, .entries = DRM_PPU_ARRAY(n, e), .syncs = DRM_PPU_ARRAY(ns, s),
	};
	int err = try_ioctl(k->fd, DRM_IOCTL_PPU_SUBMIT, &a);

	if (seqno)
		*seqno = a.seqno;
	return err;
}

static struct drm_ppu_channel_query query(struct kchan *k)
{
	struct drm_ppu_channel_query q = { .channel_id = k->id };

	DO(k->fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	return q;
}

TEST(args, "SUBMIT refuses bad arguments")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct chan u = chan_new(fd, k.vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = kblock(&k, 0);
	struct drm_ppu_entry e[16], good;
	struct drm_ppu_sync s;
	struct drm_ppu_submit a;

	cmd_nop(&b, 1);
	good = entry(&b);
	for (unsigned i = 0; i < 16; i++)
		e[i] = good;
	a = (struct drm_ppu_submit){ .channel_id = 99 };
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, ENOENT);
	a = (struct drm_ppu_submit){ .channel_id = k.id, .flags = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, EINVAL);
	a = (struct drm_ppu_submit){ .channel_id = u.id, .entries = DRM_PPU_ARRAY(1, e) };
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, EINVAL);
	a = (struct drm_ppu_submit){ .channel_id = k.id, .entries = { 16, 1, BAD_PTR } };
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, EFAULT);
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, (void *)BAD_PTR, EFAULT);
	CHECK_EQ(submit_err(&k, e, 13, NULL, 0, NULL), EINVAL);
	CHECK_EQ(submit_err(&k, e, 12, NULL, 0, NULL), 0);
	e[0].flags = 1;
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), EINVAL);
	e[0] = good;
	e[0].va++;
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), EINVAL);
	e[0] = good;
	e[0].length = 0;
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), EINVAL);
	e[0].length = PPU_BLOCK_MAX_WORDS + 1;
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), EINVAL);
	e[0] = good;
	e[0].va = PPU_VA_USER_END;	/* the driver's own blocks are none of the user's business */
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), EINVAL);
	e[0] = good;
	s = (struct drm_ppu_sync){ .flags = 2, .handle = syncobj(fd) };
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), EINVAL);
	s.flags = DRM_PPU_SYNC_BINARY;
	s.point = 1;
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), EINVAL);
	s.flags = DRM_PPU_SYNC_TIMELINE;
	s.point = 0;
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), EINVAL);
	s = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_SIGNAL, .handle = 99 };
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), ENOENT);
	s.flags = DRM_PPU_SYNC_BINARY;
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), ENOENT);
	s.handle = syncobj(fd);		/* has no fence yet */
	CHECK_EQ(submit_err(&k, e, 1, &s, 1, NULL), EINVAL);
}

TEST(run, "a job runs, its fence signals after the work, seqnos count")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };

	for (unsigned i = 0; i < 50; i++) {
		struct cmds b = kblock(&k, i);
		struct drm_ppu_entry e;
		uint64_t seqno;

		cmd_fill(&b, 3, k.out.va, i + 1, 4096);
		e = entry(&b);
		CHECK_EQ(submit_err(&k, &e, 1, &s, 1, &seqno), 0);
		CHECK_EQ(seqno, i + 1);
		CHECK(!wait_sync(fd, s.handle, 20000));
		CHECK_EQ(((uint64_t *)k.out.map)[4095], i + 1);
		CHECK_EQ(fence_error(fd, s.handle), 0);
	}
	CHECK_EQ(query(&k).seqno_completed, 50);
	CHECK_EQ(query(&k).seqno_submitted, 50);
}

TEST(queue, "hundreds of jobs without waiting run in order")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };

	for (unsigned i = 0; i < 700; i++) {
		struct cmds b = kblock(&k, i);
		struct drm_ppu_entry e;

		/* word i gets the number of jobs before it */
		cmd_sem(&b, PPU_CMD_SEM_INC, 0, k.out.va, 0);
		cmd_copy(&b, k.out.va, k.out.va + 8 * (i + 1), 8);
		e = entry(&b);
		CHECK_EQ(submit_err(&k, &e, 1, &s, 1, NULL), 0);
	}
	CHECK(!wait_sync(fd, s.handle, 30000));
	for (unsigned i = 0; i < 700; i++)
		CHECK_EQ(((uint64_t *)k.out.map)[i + 1], i + 1);
}

TEST(in_fence, "a job waits for the fence of another channel, binary and timeline")
{
	int fd = open_ppu();
	struct kchan a = kchan_new(fd, vm_new(fd), 16, 0), b = kchan_new(fd, a.vm, 16, 0);

	for (unsigned timeline = 0; timeline < 2; timeline++) {
		for (unsigned i = 0; i < 20; i++) {
			struct cmds x = kblock(&a, i), y = kblock(&b, i);
			struct drm_ppu_entry ex, ey;
			uint64_t point = timeline ? 10 * (i + 1) : 0;
			struct drm_ppu_sync out = {
				.flags = timeline | DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd),
				.point = point,
			}, in = { .flags = timeline, .handle = out.handle, .point = point };
			struct drm_ppu_sync both[2] = {
				in, { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) },
			};

			cmd_fill(&x, 3, a.out.va, 1000 * timeline + i, 8192);
			ex = entry(&x);
			cmd_copy(&y, a.out.va + 65528, b.out.va, 8);
			ey = entry(&y);
			CHECK_EQ(submit_err(&a, &ex, 1, &out, 1, NULL), 0);
			CHECK_EQ(submit_err(&b, &ey, 1, both, 2, NULL), 0);
			CHECK(!wait_sync(fd, both[1].handle, 20000));
			CHECK_EQ(*(uint64_t *)b.out.map, 1000 * timeline + i);
		}
	}
}

TEST(barrier, "a job without entries joins fences, and comes after the jobs before it")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	struct cmds b = kblock(&k, 0);
	struct drm_ppu_entry e;

	CHECK_EQ(submit_err(&k, NULL, 0, &s, 1, NULL), 0);
	CHECK(!wait_sync(fd, s.handle, 20000));
	for (unsigned i = 0; i < 30; i++)
		cmd_fill(&b, 3, k.out.va, i, 8192);
	e = entry(&b);
	CHECK_EQ(submit_err(&k, &e, 1, NULL, 0, NULL), 0);
	CHECK_EQ(submit_err(&k, NULL, 0, &s, 1, NULL), 0);
	CHECK(!wait_sync(fd, s.handle, 20000));
	CHECK_EQ(((uint64_t *)k.out.map)[8191], 29);
}

TEST(sync_file, "the out-fence as a sync_file can be polled")
{
	int fd = open_ppu(), file;
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	struct cmds b = kblock(&k, 0);
	struct drm_ppu_entry e;
	struct pollfd p = { .events = POLLIN };

	cmd_fill(&b, 3, k.out.va, 3, 8192);
	e = entry(&b);
	CHECK_EQ(submit_err(&k, &e, 1, &s, 1, NULL), 0);
	CHECK(!drmSyncobjExportSyncFile(fd, s.handle, &file));
	p.fd = file;
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
}

TEST(acquire, "SEM_ACQUIRE is a channel error; the fence says EIO; the channel is final")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s[2] = {
		{ .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) },
		{ .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) },
	};
	struct cmds b = kblock(&k, 0);
	struct drm_ppu_entry e;

	cmd_acquire(&b, PPU_SEM_OP_EQ, k.out.va, 1);
	e = entry(&b);
	CHECK_EQ(submit_err(&k, &e, 1, &s[0], 1, NULL), 0);
	submit_err(&k, &e, 1, &s[1], 1, NULL);
	CHECK(!wait_sync(fd, s[0].handle, 20000));
	CHECK_EQ(-fence_error(fd, s[0].handle), EIO);
	WAIT_FOR(query(&k).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(query(&k).error, PPU_ERR_ACQUIRE_DENIED);
	CHECK_EQ(submit_err(&k, &e, 1, NULL, 0, NULL), EIO);
}

/* @held: the job does not even begin, since its group is disabled; otherwise it is long, and may be done in time. */
static void time_out(bool held)
{
	int fd = open_ppu(), status;
	uint32_t vm = vm_new(fd);
	struct drm_ppu_group_create g = { .flags = held ? DRM_PPU_GROUP_START_DISABLED : 0 };
	struct kchan k, other = kchan_new(fd, vm, 16, 0);
	struct bo big = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	struct drm_ppu_entry e[12];
	struct cmds b;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	k = kchan_new_group(fd, vm, 16, 50, g.group_id);
	vm_map(fd, vm, &big, 0x40000000);
	for (unsigned i = 0; i < 12; i++) {
		b = kblock(&k, i);
		for (unsigned c = 0; c < 36; c++)
			cmd_copy(&b, big.va, big.va + (32 << 20), 32 << 20);
		e[i] = entry(&b);
	}
	CHECK_EQ(submit_err(&k, e, 12, &s, 1, NULL), 0);
	CHECK(!wait_sync(fd, s.handle, 30000));
	status = -fence_error(fd, s.handle);
	CHECK(status == ETIME || (!held && !status));
	CHECK_EQ(!!(query(&k).state & DRM_PPU_CHANNEL_STATE_TIMEDOUT), status == ETIME);
	CHECK_EQ(submit_err(&k, e, 1, NULL, 0, NULL), status ? EIO : 0);

	b = kblock(&other, 0);
	cmd_fill(&b, 3, other.out.va, 5, 1);
	e[0] = entry(&b);
	CHECK_EQ(submit_err(&other, e, 1, &s, 1, NULL), 0);
	CHECK(!wait_sync(fd, s.handle, 20000));
	CHECK_EQ(fence_error(fd, s.handle), 0);
	CHECK_EQ(*(volatile uint64_t *)other.out.map, 5);
}

TEST(timeout, "a job that takes too long is killed with its channel, others go on")
{
	time_out(true);
	time_out(false);
}

static void group_op(int fd, uint32_t group, uint32_t op)
{
	struct drm_ppu_group_control c = { .group_id = group, .op = op };

	if (op == DRM_PPU_GROUP_DISABLE)
		c.timeout_ns = limit_ms(40000);
	DO(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &c);
}

static void submit_copies(struct kchan *k, unsigned block, unsigned n, const struct bo *big, uint32_t sync)
{
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = sync };
	struct cmds b = kblock(k, block);
	struct drm_ppu_entry e[64];

	cmd_copy(&b, big->va, big->va + (16 << 20), 16 << 20);
	for (unsigned i = 0; i < n; i++)
		e[i] = entry(&b);
	CHECK_EQ(submit_err(k, e, n, &s, 1, NULL), 0);
}

/*
 * Two jobs are queued together.  Each is held back for seven tenths of the wall-clock time it may take.
 * False: the second was done before it could be held back.
 */
static bool two_held_jobs(int fd, uint32_t vm, const struct bo *big)
{
	const unsigned timeout_ms = 2000 * time_scale(), held_ms = timeout_ms * 2 * 7 / 10;
	struct drm_ppu_group_create g = { .flags = DRM_PPU_GROUP_START_DISABLED };
	uint32_t first = syncobj(fd), second = syncobj(fd);
	struct kchan k;
	bool early;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	k = kchan_new_group(fd, vm, 80, timeout_ms, g.group_id);
	submit_copies(&k, 0, 1, big, first);
	submit_copies(&k, 1, 60, big, second);
	sleep_ms(held_ms);
	group_op(fd, g.group_id, DRM_PPU_GROUP_ENABLE);
	CHECK(!wait_sync(fd, first, 20000));
	group_op(fd, g.group_id, DRM_PPU_GROUP_DISABLE);
	early = !drmSyncobjWait(fd, &second, 1, 0, 0, NULL);
	if (!early)
		sleep_ms(held_ms);
	group_op(fd, g.group_id, DRM_PPU_GROUP_ENABLE);
	CHECK(!wait_sync(fd, second, 20000));
	CHECK_EQ(-fence_error(fd, first), 0);
	CHECK_EQ(-fence_error(fd, second), 0);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &(struct drm_ppu_channel_destroy){ .channel_id = k.id });
	return !early;
}

TEST(timeout_queued, "a job's time begins when the job before it is done")
{
	int fd = open_ppu(), tries = 10;
	uint32_t vm = vm_new(fd);
	struct bo big = bo_new(fd, 32 << 20, DRM_PPU_PLACEMENT_VRAM);

	vm_map(fd, vm, &big, 0x40000000);
	while (!two_held_jobs(fd, vm, &big))
		CHECK(tries--);
}

#define QUEUED 40

/*
 * Submits QUEUED jobs with a fence each.  From the one called @held on they cannot run: when they were
 * submitted the channel's group was disabled.  @wait: those before it are done.
 */
static void submit_queued(struct kchan *k, uint32_t group, const struct bo *big, unsigned held,
			  bool wait, uint32_t *h)
{
	struct drm_ppu_group_control off = {
		.group_id = group, .op = DRM_PPU_GROUP_DISABLE, .timeout_ns = limit_ms(40000),
	};

	for (unsigned i = 0; i < QUEUED; i++) {
		struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(k->fd) };
		struct cmds b = kblock(k, i);
		struct drm_ppu_entry e;

		if (i == held && wait && i)
			CHECK(!wait_sync(k->fd, h[i - 1], 20000));
		if (i == held)
			DO(k->fd, DRM_IOCTL_PPU_GROUP_CONTROL, &off);
		cmd_copy(&b, big->va, big->va + (16 << 20), 16 << 20);
		e = entry(&b);
		h[i] = s.handle;
		CHECK_EQ(submit_err(k, &e, 1, &s, 1, NULL), 0);
	}
}

/* In some rounds nothing is held back, and all jobs may be done when the channel goes, or none. */
TEST(destroy_queued, "destroying a channel with queued jobs signals their fences, those not done with an error")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo big = bo_new(fd, 32 << 20, DRM_PPU_PLACEMENT_VRAM);

	vm_map(fd, vm, &big, 0x40000000);
	for (unsigned round = 0; round < 12; round++) {
		unsigned held = round % 3 == 2 ? QUEUED : round * 3, failed = QUEUED;
		struct drm_ppu_group_create g = { 0 };
		uint32_t h[QUEUED];
		struct kchan k;

		DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
		k = kchan_new_group(fd, vm, 16, 0, g.group_id);
		submit_queued(&k, g.group_id, &big, held, round % 3 == 1, h);
		DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &(struct drm_ppu_channel_destroy){ .channel_id = k.id });
		for (unsigned i = 0; i < QUEUED; i++) {
			int status;

			CHECK(!wait_sync(fd, h[i], 20000));
			status = fence_error(fd, h[i]);
			if (status && failed == QUEUED)
				failed = i;
			/* What is not done comes after what is done. */
			CHECK_EQ(-status, i < failed ? 0 : ECANCELED);
		}
		CHECK(failed <= held);
		if (round % 3 == 1)
			CHECK_EQ(failed, held);
	}
}

/* Jobs that wait for a fence of another channel, which is closed for long. */
static struct kchan waiting_jobs(int fd, const struct gate *gate, uint32_t *out)
{
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct drm_ppu_sync s[2] = {
		{ .handle = gate->sync }, { .flags = DRM_PPU_SYNC_SIGNAL, .handle = *out = syncobj(fd) },
	};

	for (unsigned i = 0; i < 20; i++) {
		struct cmds b = kblock(&k, i);
		struct drm_ppu_entry e;

		cmd_fill(&b, 3, k.out.va, 3, 16);
		e = entry(&b);
		CHECK_EQ(submit_err(&k, &e, 1, s, 2, NULL), 0);
	}
	return k;
}

TEST_T(destroy_waiting, 30, "destroying a channel, or closing its file, does not wait for others' fences")
{
	int fd = open_ppu(), other = open_ppu(), gate_file, out_file;
	struct gate gate = gate_new(fd, 0);
	struct gate there = gate;
	struct pollfd p = { .events = POLLIN };
	struct kchan k;
	uint32_t out;

	k = waiting_jobs(fd, &gate, &out);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &(struct drm_ppu_channel_destroy){ .channel_id = k.id });
	CHECK(!wait_sync(fd, out, 20000));
	CHECK_EQ(-fence_error(fd, out), ECANCELED);

	CHECK(!drmSyncobjExportSyncFile(fd, gate.sync, &gate_file));
	there.sync = syncobj(other);
	CHECK(!drmSyncobjImportSyncFile(other, there.sync, gate_file));
	k = waiting_jobs(other, &there, &out);
	CHECK(!drmSyncobjExportSyncFile(other, out, &out_file));
	close(other);
	munmap(k.out.map, k.out.size);
	munmap(k.blocks.map, k.blocks.size);
	p.fd = out_file;
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);

	/* Only now does their in-fence signal. */
	p.fd = gate_file;
	CHECK(poll(&p, 1, 0) == 0);
	gate_open(&gate);
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
	close(gate_file);
	close(out_file);
}

TEST(close_queued, "closing the file with queued jobs; a sync_file of them outlives it")
{
	for (unsigned round = 0; round < 5; round++) {
		int fd = open_ppu(), file;
		struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
		struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
		struct pollfd p = { .events = POLLIN };

		for (unsigned i = 0; i < 20; i++) {
			struct cmds b = kblock(&k, i);
			struct drm_ppu_entry e;

			cmd_fill(&b, 3, k.out.va, 3, 8192);
			e = entry(&b);
			CHECK_EQ(submit_err(&k, &e, 1, &s, 1, NULL), 0);
		}
		CHECK(!drmSyncobjExportSyncFile(fd, s.handle, &file));
		close(fd);
		munmap(k.out.map, k.out.size);
		munmap(k.blocks.map, k.blocks.size);
		p.fd = file;
		CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
		close(file);
	}
}

TEST(limit, "the number of kernel-submit channels of a file is limited")
{
	int fd = open_ppu(), err = 0;
	uint32_t vm = vm_new(fd);

	for (unsigned n = 0; n < 1000 && !err; n++) {
		struct drm_ppu_channel_create a = {
			.vm_id = vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
		};

		err = try_ioctl(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	}
	CHECK_EQ(err, ENOSPC);
}

/* ---- arguments that take their time ---- */

/* A page of which a read waits until page_fill(); -1: this kernel cannot do that. */
static int page_late(void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = {
		.range = { (uintptr_t)page, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int u = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (u < 0 && errno == ENOSYS)
		return -1;
	CHECK(u >= 0 && !ioctl(u, UFFDIO_API, &api) && !ioctl(u, UFFDIO_REGISTER, &r));
	return u;
}

static void page_fill(int u, void *page, void *with)
{
	struct uffdio_copy c = { .dst = (uintptr_t)page, .src = (uintptr_t)with, .len = 4096 };

	CHECK(!ioctl(u, UFFDIO_COPY, &c));
}

struct late_submit {
	struct kchan *k;
	struct drm_ppu_entry *e;
	uint32_t flags;
	pthread_t thread;
	int err;
};

static void *submit_late(void *arg)
{
	struct late_submit *l = arg;
	struct drm_ppu_submit a = {
		.channel_id = l->k->id, .flags = l->flags, .entries = DRM_PPU_ARRAY(1, l->e),
	};

	l->err = try_ioctl(l->k->fd, DRM_IOCTL_PPU_SUBMIT, &a);
	return NULL;
}

TEST(late_arguments, "while SUBMIT waits for a page of its arguments its channel can be queried, and destroyed")
{
	static _Alignas(4096) char with[4096];
	int fd = open_ppu(), u;
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct cmds b = kblock(&k, 0);
	struct late_submit l = { .k = &k };
	struct uffd_msg msg;
	pthread_t t;

	cmd_nop(&b, 1);
	*(struct drm_ppu_entry *)with = entry(&b);
	l.e = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(l.e != MAP_FAILED);
	u = page_late(l.e);
	if (u < 0)
		memcpy(l.e, with, sizeof(with));
	CHECK(!pthread_create(&t, NULL, submit_late, &l));
	/* Where nothing can be held back it is just a race. */
	if (u >= 0)
		CHECK(read(u, &msg, sizeof(msg)) == sizeof(msg) && msg.event == UFFD_EVENT_PAGEFAULT);
	CHECK(query(&k).seqno_submitted == 0 || u < 0);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &(struct drm_ppu_channel_destroy){ .channel_id = k.id });
	if (u >= 0)
		page_fill(u, l.e, with);
	pthread_join(t, NULL);
	CHECK(l.err == ENOENT || (u < 0 && !l.err));
}

#define MAX_QUEUED 256

TEST(last_place, "many SUBMITs at once want the last place in the queue: one gets it")
{
	static _Alignas(4096) char with[4096];
	int fd = open_ppu(), u;
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_sync in = { .handle = gate.sync };
	struct kchan k = kchan_new(fd, vm_new(fd), 16, 0);
	struct late_submit l[6];
	struct cmds b = kblock(&k, 0);
	struct drm_ppu_entry e, *late;
	struct uffd_msg msg;
	unsigned got = 0;

	cmd_nop(&b, 1);
	e = entry(&b);
	for (unsigned i = 0; i < MAX_QUEUED - 1; i++)
		CHECK_EQ(submit_err(&k, &e, 1, &in, 1, NULL), 0);
	memcpy(with, &e, sizeof(e));
	late = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(late != MAP_FAILED);
	u = page_late(late);
	if (u < 0)
		memcpy(late, with, sizeof(with));
	for (unsigned i = 0; i < 6; i++) {
		l[i] = (struct late_submit){ .k = &k, .e = late, .flags = DRM_PPU_SUBMIT_NONBLOCK };
		CHECK(!pthread_create(&l[i].thread, NULL, submit_late, &l[i]));
	}
	/* All of them have found room. */
	for (unsigned i = 0; i < 6 && u >= 0; i++)
		CHECK(read(u, &msg, sizeof(msg)) == sizeof(msg));
	if (u >= 0)
		page_fill(u, late, with);
	for (unsigned i = 0; i < 6; i++) {
		pthread_join(l[i].thread, NULL);
		CHECK(!l[i].err || l[i].err == EAGAIN);
		got += !l[i].err;
	}
	CHECK_EQ(got, 1);
	CHECK_EQ(query(&k).seqno_submitted, MAX_QUEUED);
	gate_open(&gate);
	WAIT_FOR(query(&k).seqno_completed == MAX_QUEUED, 20000);
}

HARNESS_MAIN
