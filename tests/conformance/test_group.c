/* SPDX-License-Identifier: MIT */
/* Channel groups: GROUP_CREATE, _DESTROY, _CONTROL, _QUERY; error notifiers. */
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "harness.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define COMPUTE DRM_PPU_CHANNEL_COMPUTE

static uint32_t group_new(int fd, uint32_t policy, uint32_t flags)
{
	struct drm_ppu_group_create g = { .flags = flags, .policy = policy };

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	CHECK(g.group_id);
	return g.group_id;
}

static struct drm_ppu_group_query group_query(int fd, uint32_t id)
{
	struct drm_ppu_group_query q = { .group_id = id };

	DO(fd, DRM_IOCTL_PPU_GROUP_QUERY, &q);
	return q;
}

static int control(int fd, uint32_t id, uint32_t op, uint64_t value, int64_t until)
{
	struct drm_ppu_group_control c = {
		.group_id = id, .op = op, .value = value, .timeout_ns = until,
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &c);
}

static struct chan member(int fd, uint32_t vm, uint32_t type, uint32_t group)
{
	struct drm_ppu_channel_create a = { .group_id = group };

	return chan_new_args(fd, vm, type, 8, &a);
}

static void inc(struct chan *c)
{
	struct cmds b = chan_block(c);

	cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(c, 0), 0);
	chan_submit(c, &b);
}

static int64_t in_ms(unsigned ms)
{
	return (int64_t)(now_ns() + ms * MS);
}

/* The channels that a second thread creates while the first thread does something else. */
struct creation {
	int fd, err;
	struct drm_ppu_channel_create args;
};

static void *create(void *arg)
{
	struct creation *k = arg;

	k->err = try_ioctl(k->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k->args);
	return NULL;
}

static struct creation creation_of(int fd, uint32_t vm, uint32_t group)
{
	struct creation k = {
		.fd = fd,
		.args = {
			.vm_id = vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
			.gpfifo_entries = 8, .group_id = group,
		},
	};

	return k;
}

TEST(args, "GROUP_* refuse bad arguments")
{
	int fd = open_ppu(), other = open_ppu();
	uint32_t id = group_new(fd, DRM_PPU_GROUP_ISOLATE, 0), vm = vm_new(fd);
	struct chan c = member(fd, vm, COPY, id);
	struct drm_ppu_group_create g;
	struct drm_ppu_group_destroy d;
	struct drm_ppu_group_query q = { .group_id = 99 };
	struct drm_ppu_channel_create a = {
		.vm_id = vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8, .group_id = 99,
	};

	g = (struct drm_ppu_group_create){ .flags = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g, EINVAL);
	g = (struct drm_ppu_group_create){ .policy = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g, EINVAL);
	g = (struct drm_ppu_group_create){ .timeslice_us = ~0u };
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_CREATE, (void *)BAD_PTR, EFAULT);

	CHECK_EQ(control(fd, 99, DRM_PPU_GROUP_ENABLE, 0, 0), ENOENT);
	CHECK_EQ(control(other, id, DRM_PPU_GROUP_ENABLE, 0, 0), ENOENT);
	CHECK_EQ(control(fd, id, 6, 0, 0), EINVAL);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 1, 0), EINVAL);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 0, 1), EINVAL);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_STOP, 0, 1), EINVAL);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_SET_POLICY, 2, 0), EINVAL);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_SET_TIMESLICE, 1ull << 40, 0), EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_QUERY, &q, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOENT);

	d = (struct drm_ppu_group_destroy){ .group_id = id, .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_DESTROY, &d, EINVAL);
	d.pad = 0;
	DO_ERR(other, DRM_IOCTL_PPU_GROUP_DESTROY, &d, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_DESTROY, &d, EBUSY);
	chan_free(&c);
	DO(fd, DRM_IOCTL_PPU_GROUP_DESTROY, &d);
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_DESTROY, &d, ENOENT);

	CHECK(!setgid(65534) && !setuid(65534));
	g = (struct drm_ppu_group_create){ .timeslice_us = 999999 };
	DO_ERR(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g, EACCES);
	id = group_new(fd, 0, 0);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_SET_TIMESLICE, 999999, 0), EACCES);
}

TEST(limit, "the number of groups of a process is limited")
{
	int fd = open_ppu(), err = 0;

	for (unsigned n = 0; n < 100000 && !err; n++) {
		struct drm_ppu_group_create g = { 0 };

		err = try_ioctl(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	}
	CHECK_EQ(err, ENOSPC);
}

TEST(disable, "a disabled group runs nothing, whatever its channels say; enabled, all of it")
{
	int fd = open_ppu();
	uint32_t vm[2] = { vm_new(fd), vm_new(fd) };
	uint32_t id = group_new(fd, 0, DRM_PPU_GROUP_START_DISABLED);
	struct chan c[4], outside = member(fd, vm[0], COPY, 0);
	struct drm_ppu_channel_set_property p = { .property = DRM_PPU_CHANNEL_PROP_ENABLED };

	/* created before and after, of two VMs and types */
	for (unsigned i = 0; i < 4; i++)
		c[i] = member(fd, vm[i & 1], i & 2 ? COMPUTE : COPY, id);
	for (unsigned round = 0; round < 3; round++) {
		CHECK(!(group_query(fd, id).state & DRM_PPU_GROUP_STATE_ENABLED));
		for (unsigned i = 0; i < 4; i++)
			inc(&c[i]);
		/* a channel that is enabled itself is still held by its group */
		p.channel_id = c[0].id;
		p.value = 0;
		DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
		p.value = 1;
		DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
		inc(&outside);
		chan_wait_idle(&outside);
		for (unsigned i = 0; i < 4; i++) {
			CHECK_EQ(*chan_sem(&c[i], 0), round);
			CHECK(!(chan_query(&c[i]).state & DRM_PPU_CHANNEL_STATE_ENABLED));
		}
		CHECK(group_query(fd, id).state & DRM_PPU_GROUP_STATE_PENDING);

		/* and one that is disabled itself stays so when the group is enabled */
		p.channel_id = c[1].id;
		p.value = 0;
		DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
		CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 0, 0), 0);
		for (unsigned i = 0; i < 4; i++)
			if (i != 1)
				chan_wait_idle(&c[i]);
		inc(&outside);
		chan_wait_idle(&outside);
		CHECK_EQ(*chan_sem(&c[1], 0), round);
		p.value = 1;
		DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
		chan_wait_idle(&c[1]);
		for (unsigned i = 0; i < 4; i++)
			CHECK_EQ(*chan_sem(&c[i], 0), round + 1);
		CHECK_EQ(control(fd, id, DRM_PPU_GROUP_DISABLE, 0, INT64_MAX), 0);
	}
	CHECK_EQ(group_query(fd, id).channels, 4);
	CHECK_EQ(group_query(fd, id).dead, 0);
}

/* A block of copies that takes long, and waits for word 1 before it writes word 0. */
static void long_copies(struct chan *c, struct bo *bo)
{
	struct cmds b = chan_block(c);

	for (unsigned i = 0; i < 30; i++)
		cmd_copy(&b, bo->va, bo->va + bo->size / 2, bo->size / 2);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(c, 1), 1);
	cmd_release(&b, chan_sem_va(c, 0), 1);
	chan_submit(c, &b);
}

TEST(preempt, "DISABLE and PREEMPT return when no command executes; the work goes on later")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), id = group_new(fd, 0, 0);
	struct bo bo = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct chan c = member(fd, vm, COPY, id);
	uint64_t runtime;

	vm_map(fd, vm, &bo, 0x40000000);
	long_copies(&c, &bo);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_DISABLE, 0, INT64_MAX), 0);
	CHECK(!(group_query(fd, id).state & DRM_PPU_GROUP_STATE_RUNNING));
	/* nothing moves any more */
	runtime = chan_query(&c).runtime_ns;
	*chan_sem(&c, 1) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	sleep_ms(20);
	CHECK_EQ(chan_query(&c).runtime_ns, runtime);
	CHECK_EQ(group_query(fd, id).runtime_ns, runtime);
	CHECK_EQ(*chan_sem(&c, 0), 0);
	/* a preempted group that was disabled stays disabled */
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_PREEMPT, 0, INT64_MAX), 0);
	CHECK(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 0, 0), 0);
	for (unsigned i = 0; i < 5; i++)
		CHECK_EQ(control(fd, id, DRM_PPU_GROUP_PREEMPT, 0, limit_ms(20000)), 0);
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED);
	WAIT_FOR(*chan_sem(&c, 0), 30000);
}

TEST(disable_no_wait, "with a time-out that is past DISABLE does not wait, but it disables")
{
	int fd = open_ppu(), err;
	uint32_t vm = vm_new(fd), id = group_new(fd, 0, 0);
	struct bo bo = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct chan c = member(fd, vm, COPY, id);

	vm_map(fd, vm, &bo, 0x40000000);
	long_copies(&c, &bo);
	err = control(fd, id, DRM_PPU_GROUP_DISABLE, 0, 0);
	CHECK(err == ETIME || !err);
	CHECK(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	*chan_sem(&c, 1) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	WAIT_FOR(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_RUNNING), 20000);
	CHECK_EQ(*chan_sem(&c, 0), 0);
}

TEST(stop, "STOP ends the work of all channels, for good; others go on")
{
	int fd = open_ppu(), e = eventfd(0, EFD_NONBLOCK);
	uint32_t vm = vm_new(fd), id = group_new(fd, 0, 0);
	struct chan a = member(fd, vm, COPY, id), b = member(fd, vm, COMPUTE, id);
	struct chan outside = member(fd, vm, COPY, 0);
	struct drm_ppu_event_register r = {
		.type = DRM_PPU_EVENT_CHANNEL_ERROR, .object_id = a.id, .eventfd = e,
		.flags = DRM_PPU_EVENT_ONESHOT,
	};
	struct drm_ppu_channel_create k = {
		.vm_id = vm, .type = COPY, .gpfifo_entries = 8, .group_id = id,
	};
	struct cmds x = chan_block(&a);
	uint64_t n;

	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	cmd_acquire(&x, PPU_SEM_OP_EQ, chan_sem_va(&a, 0), 1);
	cmd_release(&x, chan_sem_va(&a, 1), 1);
	chan_submit(&a, &x);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_STOP, 0, 0), 0);
	CHECK(chan_query(&a).state & DRM_PPU_CHANNEL_STATE_STOPPED);
	CHECK(chan_query(&b).state & DRM_PPU_CHANNEL_STATE_STOPPED);
	CHECK(!(chan_query(&a).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	CHECK(read(e, &n, 8) == 8);
	CHECK_EQ(group_query(fd, id).dead, 2);
	CHECK(group_query(fd, id).state & DRM_PPU_GROUP_STATE_STOPPED);
	CHECK_EQ(group_query(fd, id).first_channel, 0);
	*chan_sem(&a, 0) = 1;
	inc(&outside);			/* a doorbell is a kick */
	chan_wait_idle(&outside);
	CHECK_EQ(*chan_sem(&a, 1), 0);
	inc(&b);
	CHECK_EQ(*chan_sem(&b, 0), 0);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 0, 0), EIO);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_PREEMPT, 0, 0), EIO);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_STOP, 0, 0), 0);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k, EIO);
}

TEST(stop_ends_waits, "a wait for a VM ends with EIO when a group stops a channel of it, until the channel is destroyed")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), id = group_new(fd, 0, 0);
	struct chan a = member(fd, vm, COPY, id), outside = member(fd, vm, COPY, 0);
	struct drm_ppu_sem_create sem = { 0 };
	struct drm_ppu_sem_cond k = { .value = 1 };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &k), .channel_id = outside.id, .flags = DRM_PPU_SEM_WAIT_VM,
	};
	struct drm_ppu_channel_destroy gone = { .channel_id = a.id };

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &sem);
	k.sem_id = sem.sem_id;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_STOP, 0, 0), 0);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &gone);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
}

TEST(policy, "an error of one channel stops its group, or only itself, by policy")
{
	for (unsigned policy = 0; policy < 2; policy++) {
		int fd = open_ppu();
		uint32_t vm = vm_new(fd), id = group_new(fd, !policy, 0);
		struct chan bad = member(fd, vm, COPY, id), good = member(fd, vm, COPY, id);
		struct chan outside = member(fd, vm, COPY, 0);
		struct drm_ppu_group_query q;

		CHECK_EQ(control(fd, id, DRM_PPU_GROUP_SET_POLICY, policy, 0), 0);
		CHECK_EQ(group_query(fd, id).policy, policy);
		bad.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
		WAIT_FOR(chan_query(&bad).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		if (policy == DRM_PPU_GROUP_STOP_ALL) {
			/* the channel fetches nothing from now on */
			inc(&good);
			WAIT_FOR(chan_query(&good).state & DRM_PPU_CHANNEL_STATE_STOPPED, 20000);
			CHECK_EQ(*chan_sem(&good, 0), 0);
		} else {
			inc(&good);
			chan_wait_idle(&good);
			CHECK_EQ(*chan_sem(&good, 0), 1);
			CHECK(chan_query(&good).state & DRM_PPU_CHANNEL_STATE_ENABLED);
		}
		q = group_query(fd, id);
		CHECK_EQ(q.dead, policy == DRM_PPU_GROUP_STOP_ALL ? 2 : 1);
		CHECK_EQ(q.first_channel, bad.id);
		CHECK_EQ(q.first_error, PPU_ERR_PUT_RANGE);
		inc(&outside);
		chan_wait_idle(&outside);
		CHECK_EQ(*chan_sem(&outside, 0), 1);
	}
}

TEST(timeslice, "a group's time slice is that of its channels, old and new")
{
	int fd = open_ppu();
	struct drm_ppu_group_create g = { .timeslice_us = 3000 };
	uint32_t vm = vm_new(fd);
	struct chan a, b;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	a = member(fd, vm, COPY, g.group_id);
	CHECK_EQ(chan_query(&a).timeslice_us, 3000);
	CHECK_EQ(control(fd, g.group_id, DRM_PPU_GROUP_SET_TIMESLICE, 4000, 0), 0);
	b = member(fd, vm, COPY, g.group_id);
	CHECK_EQ(chan_query(&a).timeslice_us, 4000);
	CHECK_EQ(chan_query(&b).timeslice_us, 4000);
	CHECK_EQ(group_query(fd, g.group_id).timeslice_us, 4000);
}

/* Copies that begin when word 0 of the first channel is 1, and a time stamp in word 2 behind them. */
static void timed_copies(struct chan *c, const struct chan *first, const struct bo *bo)
{
	struct cmds b = chan_block(c);

	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(first, 0), 1);
	for (unsigned i = 0; i < 30; i++)
		cmd_copy(&b, bo->va, bo->va + bo->size / 2, bo->size / 2);
	cmd_timestamp(&b, chan_sem_va(c, 2));
	chan_submit(c, &b);
}

/*
 * Device time that a channel of its own takes for its copies, for 100 of the two channels beside it: with a group it
 * has half of the engine, without a third.
 */
static unsigned percent_beside(int fd, uint32_t id)
{
	struct drm_ppu_channel_create a = { .group_id = id, .engine_mask = 1, .timeslice_us = 500 };
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 2 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct chan c[3], start = member(fd, vm, COPY, 0);
	uint64_t t[3], begin;
	struct cmds b;

	vm_map(fd, vm, &bo, 0x40000000);
	for (unsigned i = 0; i < 3; i++) {
		c[i] = chan_new_args(fd, vm, COPY, 8, &a);
		timed_copies(&c[i], &start, &bo);
		a.group_id = i ? 0 : id;	/* the last one is no member */
	}
	b = chan_block(&start);
	cmd_timestamp(&b, chan_sem_va(&start, 2));
	cmd_release(&b, chan_sem_va(&start, 0), 1);
	chan_submit(&start, &b);
	chan_wait_idle(&start);
	begin = *chan_sem(&start, 2);
	for (unsigned i = 0; i < 3; i++) {
		chan_wait_idle(&c[i]);
		t[i] = *chan_sem(&c[i], 2) - begin;
	}
	return (unsigned)(100 * t[2] / (t[0] > t[1] ? t[0] : t[1]));
}

TEST(share, "the channels of a group in one VM have the share of one channel, and pass on its time slice")
{
	int fd = open_ppu();

	CHECK(percent_beside(fd, group_new(fd, 0, 0)) < 80);
	CHECK(percent_beside(fd, 0) > 90);
}

TEST(kernel_submit, "jobs of a disabled group wait, and run when it is enabled")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), id = group_new(fd, 0, DRM_PPU_GROUP_START_DISABLED), h;
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = bo.map, .max = 512, .va = 0x40000000 };
	struct drm_ppu_channel_create k = {
		.vm_id = vm, .type = COPY, .gpfifo_entries = 8, .group_id = id,
		.timeout_ms = 600000,
	};
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL };
	struct drm_ppu_entry e;
	struct drm_ppu_submit sub;

	vm_map(fd, vm, &bo, b.va);
	cmd_release(&b, b.va + 4096, 5);
	e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	CHECK(!drmSyncobjCreate(fd, 0, &h));
	s.handle = h;
	sub = (struct drm_ppu_submit){
		.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		.syncs = DRM_PPU_ARRAY(1, &s),
	};
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK(drmSyncobjWait(fd, &h, 1, in_ms(30), 0, NULL) == -ETIME);
	CHECK_EQ(((volatile uint64_t *)bo.map)[512], 0);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_ENABLE, 0, 0), 0);
	CHECK(!drmSyncobjWait(fd, &h, 1, limit_ms(20000), 0, NULL));
	CHECK_EQ(((volatile uint64_t *)bo.map)[512], 5);
}

static void busy_child(void)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), id = group_new(fd, DRM_PPU_GROUP_STOP_ALL, 0);
	struct chan c[3];

	for (unsigned i = 0; i < 3; i++) {
		c[i] = member(fd, vm, COPY, id);
		inc(&c[i]);
	}
	c[1].userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	_exit(0);
}

TEST_T(close_busy, 120, "files are closed in the middle of a group's stop: nothing is left")
{
	int fd = open_ppu(), status;
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid)
			busy_child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
		/* the thread of the error interrupt may be the last to let go */
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

/* ---- notifiers ---- */

TEST(notifier_args, "CHANNEL_CREATE refuses bad notifiers")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct bo vram = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_channel_create a, good = {
		.vm_id = vm_new(fd), .type = COPY, .gpfifo_entries = 8,
		.flags = DRM_PPU_CHANNEL_USER_SUBMIT,
	};

	a = good;
	a.notifier_offset = 64;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
	a = good;
	a.notifier_handle = 99;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOENT);
	a = good;
	a.notifier_handle = bo.handle;
	a.notifier_offset = 32;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
	a.notifier_offset = 4096;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
	a.notifier_offset = ~63ull;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
	a.notifier_offset = 4096 - 64;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	a = good;
	a.notifier_handle = vram.handle;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
}

TEST(notifier, "the notifier tells why and when, before the event does, and only once")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	uint32_t vm = vm_new(fd);

	for (unsigned i = 0; i < 20; i++) {
		struct drm_ppu_channel_create a = {
			.notifier_handle = bo.handle, .notifier_offset = 4096 + 64 * i,
		};
		volatile struct drm_ppu_notification *n =
			(void *)((char *)bo.map + a.notifier_offset);
		struct drm_ppu_event_register r = {
			.type = DRM_PPU_EVENT_CHANNEL_ERROR, .eventfd = eventfd(0, 0),
			.flags = DRM_PPU_EVENT_ONESHOT,
		};
		uint64_t start = now_ns(), v;
		struct chan c;
		struct cmds b;

		memset((void *)n, 0x55, sizeof(*n));
		c = chan_new_args(fd, vm, COPY, 8, &a);
		CHECK_EQ(n->state, 0);
		CHECK_EQ(n->error_va, 0);
		r.object_id = c.id;
		DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
		inc(&c);
		b = chan_block(&c);
		cmd_release(&b, 0x5550000000ull, 1);
		chan_submit(&c, &b);
		CHECK(read(r.eventfd, &v, 8) == 8);
		CHECK_EQ(n->state, DRM_PPU_CHANNEL_STATE_FAULTED);
		CHECK_EQ(n->error, PPU_ERR_SEM_FAULT);
		CHECK_EQ(n->error_get, 1);
		CHECK_EQ(n->error_va, 0x5550000000ull);
		CHECK_EQ(n->channel_id, c.id);
		CHECK(n->cpu_ns >= start && n->cpu_ns <= now_ns());
		CHECK(n->gpu_ns > 0);
		close(r.eventfd);
		/* the destruction of the channel is not an error, and does not hide one */
		chan_free(&c);
		CHECK_EQ(n->error, PPU_ERR_SEM_FAULT);
		memset((void *)n, 0, sizeof(*n));
		c = chan_new_args(fd, vm, COPY, 8, &a);
		chan_free(&c);
		CHECK_EQ(n->state, 0);
	}
}

TEST(notifier_stop, "a channel that its group stops says so; its notifier outlives the handle")
{
	int fd = open_ppu();
	uint32_t id = group_new(fd, 0, 0);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	volatile struct drm_ppu_notification *n = bo.map;
	struct drm_ppu_channel_create a = { .notifier_handle = bo.handle, .group_id = id };
	struct drm_gem_close gc = { .handle = bo.handle };

	chan_new_args(fd, vm_new(fd), COPY, 8, &a);
	DO(fd, DRM_IOCTL_GEM_CLOSE, &gc);
	CHECK_EQ(control(fd, id, DRM_PPU_GROUP_STOP, 0, 0), 0);
	CHECK_EQ(n->state, DRM_PPU_CHANNEL_STATE_STOPPED);
	CHECK_EQ(n->error, 0);
}

TEST(notifier_first, "whoever has read of an error in the notifier waits no more: SEM_WAIT says EIO")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_channel_create a = { .notifier_handle = bo.handle };
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sem_cond cond = { .value = 1 };
	struct drm_ppu_sem_wait w = { .conds = DRM_PPU_ARRAY(1, &cond) };
	volatile struct drm_ppu_notification *n = bo.map;

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	cond.sem_id = s.sem_id;
	for (unsigned i = 0; i < 40; i++) {
		struct chan c = chan_new_args(fd, vm, COPY, 8, &a);
		uint64_t end = now_ns() + 20000 * MS * time_scale();

		w.channel_id = c.id;
		DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);	/* the time-out has passed */
		c.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
		/* without sleeping, so as to see it as early as possible */
		while (!n->state)
			CHECK(now_ns() < end);
		DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
		chan_free(&c);
	}
}

TEST(stop_create, "a channel that is created while its group is stopped does not run")
{
	int fd = open_ppu(), delay = 200;
	uint32_t vm = vm_new(fd);

	for (unsigned i = 0; i < 300; i++) {
		struct creation k = creation_of(fd, vm, group_new(fd, 0, 0));
		struct chan c = { .fd = fd };
		struct drm_ppu_channel_destroy d;
		struct drm_ppu_group_destroy g = { .group_id = k.args.group_id };
		pthread_t t;

		CHECK(!pthread_create(&t, NULL, create, &k));
		usleep((unsigned)delay);
		CHECK_EQ(control(fd, k.args.group_id, DRM_PPU_GROUP_STOP, 0, 0), 0);
		CHECK(!pthread_join(t, NULL));
		CHECK(!k.err || k.err == EIO);
		/* move towards the moment at which the result changes, because that is where a race may show */
		delay += k.err ? 5 : delay ? -5 : 0;
		if (!k.err) {
			c.id = d.channel_id = k.args.channel_id;
			d.flags = 0;
			CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_STOPPED);
			CHECK(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED));
			DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
		}
		/* a refused channel is not a member of the group */
		DO(fd, DRM_IOCTL_PPU_GROUP_DESTROY, &g);
	}
}

HARNESS_MAIN
