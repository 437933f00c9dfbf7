/* SPDX-License-Identifier: MIT */
/* CHANNEL_CREATE, _DESTROY, _QUERY, _SET_PROPERTY; mappings; life and death. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "harness.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define COMPUTE DRM_PPU_CHANNEL_COMPUTE

static struct drm_ppu_channel_create args(uint32_t vm)
{
	return (struct drm_ppu_channel_create){
		.vm_id = vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};
}

#define BAD(field, value, err) do { \
	struct drm_ppu_channel_create a_ = args(vm); \
	a_.field = value; \
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a_, err); \
} while (0)

TEST(create_args, "CHANNEL_CREATE refuses bad arguments")
{
	int fd = open_ppu(), other = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_channel_create a;

	BAD(vm_id, 77, ENOENT);
	BAD(type, 3, EINVAL);
	BAD(type, DRM_PPU_CHANNEL_DEVICE_QUEUE, EINVAL);	/* with USER_SUBMIT */
	BAD(flags, DRM_PPU_CHANNEL_USER_SUBMIT | 1u << 7, EINVAL);
	BAD(flags, DRM_PPU_CHANNEL_START_DISABLED, EINVAL);
	BAD(priority, PPU_QUEUE_PRIO_MAX + 1, EINVAL);
	BAD(timeslice_us, ~0u, EINVAL);
	BAD(engine_mask, 1u << 31, EINVAL);
	BAD(gpfifo_entries, 2, EINVAL);
	BAD(gpfifo_entries, 0, EINVAL);
	BAD(gpfifo_entries, ~0u, EINVAL);
	BAD(timeout_ms, 1, EINVAL);
	BAD(devq_flags, 1, EINVAL);
	BAD(devq_initial_get, 1, EINVAL);
	BAD(devq_owner, 1, EINVAL);
	BAD(devq_pad, 1, EINVAL);
	a = args(vm);
	a.type = COMPUTE;
	a.engine_mask = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EINVAL);
	a = args(vm);
	DO_ERR(other, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, (void *)BAD_PTR, EFAULT);
}

/* Others may wait for the fence of a job, so a job may not take for ever. */
static void job_timeouts(int fd, uint32_t vm)
{
	struct drm_ppu_channel_create k = {
		.vm_id = vm, .type = COPY, .gpfifo_entries = 8, .timeout_ms = 30001,
	};
	struct drm_ppu_channel_set_property p = {
		.property = DRM_PPU_CHANNEL_PROP_TIMEOUT_MS, .value = 30001,
	};

	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k, EACCES);
	k.timeout_ms = 30000;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	p.channel_id = k.channel_id;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EACCES);
	p.value = 30000;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
}

TEST(privileges, "priority, time slice and time-out above the limits need CAP_SYS_NICE")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_channel_create a = args(vm);

	a.priority = PPU_QUEUE_PRIO_MAX;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	CHECK(!setgid(65534) && !setuid(65534));
	BAD(priority, PPU_QUEUE_PRIO_MAX, EACCES);
	BAD(timeslice_us, 999999, EACCES);
	job_timeouts(fd, vm);
	CHECK(get_param(fd, DRM_PPU_PARAM_MAX_QUEUE_PRIORITY) < PPU_QUEUE_PRIO_MAX);
	a = args(vm);
	a.priority = (uint32_t)get_param(fd, DRM_PPU_PARAM_MAX_QUEUE_PRIORITY);
	a.timeslice_us = (uint32_t)get_param(fd, DRM_PPU_PARAM_TIMESLICE_MAX_US);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
}

TEST(outputs, "CHANNEL_CREATE reports ring, page and number")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 100);
	struct drm_ppu_channel_query q = chan_query(&c);

	CHECK(c.id && c.hw < get_param(fd, DRM_PPU_PARAM_MAX_CHANNELS));
	CHECK_EQ(c.args.ring_size, 1600);
	CHECK(c.args.ring_va >= PPU_VA_USER_END && c.args.ring_va < PPU_VA_KERNEL_END);
	CHECK(c.args.ring_offset && c.args.userd_offset);
	CHECK(q.state == (DRM_PPU_CHANNEL_STATE_ENABLED | DRM_PPU_CHANNEL_STATE_USER_SUBMIT));
	CHECK_EQ(q.gp_get, 0);
	CHECK_EQ(q.gp_put, 0);
	CHECK_EQ(q.error, 0);
	CHECK(q.timeslice_us > 0);
	for (unsigned i = 0; i < 100; i++)
		CHECK(!c.ring[i].va && !c.ring[i].length && !c.ring[i].flags);
}

TEST(kernel_submit_unmapped, "a kernel-submit channel has nothing to map")
{
	int fd = open_ppu();
	struct drm_ppu_channel_create a = args(vm_new(fd));

	a.flags = 0;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	CHECK_EQ(a.ring_offset, 0);
	CHECK_EQ(a.userd_offset, 0);
}

TEST(mmap_rights, "only the owner maps ring and page, and only as it is meant")
{
	int fd = open_ppu(), other = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	off_t o = (off_t)c.args.userd_offset;

	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, o) == MAP_FAILED && errno == EACCES);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, (off_t)c.args.ring_offset) ==
	      MAP_FAILED && errno == EACCES);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, o) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, o) == MAP_FAILED && errno == EINVAL);
}

static void store_put(void *arg)
{
	struct chan *c = arg;

	c->userd[PPU_REG_USERD_GP_PUT / 4] = 0;
}

TEST(not_inherited, "the page is not inherited by a child process")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	CHECK_EQ(signal_of(store_put, &c), SIGSEGV);
}

static void touch_userd(void *arg)
{
	struct chan *c = arg;
	struct drm_ppu_channel_destroy d;

	/* mappings are not inherited: everything in this process */
	*c = chan_new(c->fd, c->vm, COPY, 8);
	d = (struct drm_ppu_channel_destroy){ .channel_id = c->id };
	(void)chan_get(c);
	DO(c->fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	(void)chan_get(c);
}

static void touch_ring(void *arg)
{
	struct chan *c = arg;
	struct drm_ppu_channel_destroy d;

	*c = chan_new(c->fd, c->vm, COPY, 8);
	d = (struct drm_ppu_channel_destroy){ .channel_id = c->id };
	c->ring[0].va = 1;
	DO(c->fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	c->ring[0].va = 1;
}

TEST(revoked, "after CHANNEL_DESTROY an access to the page or the ring gives SIGBUS")
{
	struct chan c = { .fd = open_ppu() };

	c.vm = vm_new(c.fd);
	CHECK_EQ(signal_of(touch_userd, &c), SIGBUS);
	CHECK_EQ(signal_of(touch_ring, &c), SIGBUS);
}

TEST(revoked_map, "after CHANNEL_DESTROY the offsets map nothing")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	off_t o = (off_t)c.args.userd_offset;

	chan_free(&c);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, o) == MAP_FAILED);
}

TEST(destroy_args, "CHANNEL_DESTROY and _QUERY find only what is there")
{
	int fd = open_ppu(), other = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct drm_ppu_channel_destroy d = { .channel_id = c.id, .flags = 1 };
	struct drm_ppu_channel_query q = { .channel_id = c.id, .pad = 1 };

	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q, EINVAL);
	q.pad = 0;
	DO_ERR(other, DRM_IOCTL_PPU_CHANNEL_QUERY, &q, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d, EINVAL);
	d.flags = 0;
	DO_ERR(other, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d, ENOENT);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q, ENOENT);
}

TEST(recycled, "a recycled channel starts clean, whatever its last owner left (doorbell, error)")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), hw = 0;

	for (unsigned round = 0; round < 20; round++) {
		struct chan c = chan_new(fd, vm, COPY, 8);
		struct drm_ppu_channel_query q = chan_query(&c);
		struct cmds b;

		if (!round)
			hw = c.hw;
		CHECK_EQ(c.hw, hw);
		CHECK_EQ(q.gp_get, 0);
		CHECK_EQ(q.gp_put, 0);
		CHECK_EQ(q.error, 0);
		CHECK_EQ(q.runtime_ns, 0);
		CHECK_EQ(c.userd[PPU_REG_USERD_ERROR / 4], 0);
		/* nothing runs before the first submission; that one runs */
		b = chan_block(&c);
		cmd_release(&b, chan_sem_va(&c, 0), round + 1);
		chan_commit(&c, &b);
		CHECK_EQ(*chan_sem(&c, 0), 0);
		chan_doorbell(&c);
		chan_wait_idle(&c);
		CHECK_EQ(*chan_sem(&c, 0), round + 1);
		/* leave a blocked acquire behind, or an error, or both */
		if (round & 1) {
			b = chan_block(&c);
			cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 1), 1);
			chan_submit(&c, &b);
		}
		if (round & 2)
			c.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
		chan_free(&c);
	}
}

TEST(limit, "all channels of the device can be had; one more is ENOSPC")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), n = (uint32_t)get_param(fd, DRM_PPU_PARAM_MAX_CHANNELS_PER_FILE);
	struct drm_ppu_channel_create a;

	for (uint32_t i = 0; i < n; i++) {
		a = args(vm);
		DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	}
	a = args(vm);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOSPC);
	close(fd);
	fd = open_ppu();
	a = args(vm_new(fd));
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
}

TEST(disabled, "WQ-3: a channel created disabled runs when it is enabled, and pauses")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COPY, 8);
	struct drm_ppu_channel_set_property p = {
		.channel_id = c.id, .property = DRM_PPU_CHANNEL_PROP_ENABLED, .value = 0,
	};
	struct cmds b = chan_block(&c);

	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	sleep_ms(20);
	CHECK_EQ(*chan_sem(&c, 0), 0);
	CHECK(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	p.value = 1;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 1);

	c.args = args(vm);
	c.args.flags |= DRM_PPU_CHANNEL_START_DISABLED;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &c.args);
	p = (struct drm_ppu_channel_set_property){
		c.args.channel_id, DRM_PPU_CHANNEL_PROP_PRIORITY, 5,
	};
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
	p.property = DRM_PPU_CHANNEL_PROP_ENABLED;
	p.value = 1;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
	p.property = DRM_PPU_CHANNEL_PROP_PRIORITY;
	p.value = 6;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EBUSY);
}

TEST(set_property_args, "CHANNEL_SET_PROPERTY refuses bad values")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct drm_ppu_channel_set_property p;

	p = (struct drm_ppu_channel_set_property){ c.id, 4, 0 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	p = (struct drm_ppu_channel_set_property){ 99, 0, 0 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, ENOENT);
	p = (struct drm_ppu_channel_set_property){ c.id, DRM_PPU_CHANNEL_PROP_PRIORITY, 16 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	p = (struct drm_ppu_channel_set_property){ c.id, DRM_PPU_CHANNEL_PROP_TIMESLICE_US, 1 << 30 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	p.value = 5000;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p);
	CHECK_EQ(chan_query(&c).timeslice_us, 5000);
	p = (struct drm_ppu_channel_set_property){ c.id, DRM_PPU_CHANNEL_PROP_ENABLED, 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	p = (struct drm_ppu_channel_set_property){ c.id, DRM_PPU_CHANNEL_PROP_TIMEOUT_MS, 100 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	p = (struct drm_ppu_channel_set_property){ c.id, DRM_PPU_CHANNEL_PROP_TIMESLICE_US, 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EIO);
}

/* Ends when @q shows an error; without sleeping, so as to see it as early as possible. */
static void watch_error(int fd, struct drm_ppu_channel_query *q)
{
	uint64_t end = now_ns() + 20000 * MS * time_scale();

	do {
		DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, q);
		CHECK(now_ns() < end);
	} while (!q->error && !(q->state & DRM_PPU_CHANNEL_STATE_FAULTED));
	CHECK(q->error && q->state & DRM_PPU_CHANNEL_STATE_FAULTED);
}

TEST_T(faulted_is_final, 120, "whoever has seen FAULTED cannot set a property any more, nor submit")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = bo.map, .max = 1024, .va = 0x40000000 };
	struct drm_ppu_entry e;

	vm_map(fd, vm, &bo, b.va);
	cmd_raw(&b, PPU_CMD_HDR(0xee, 1, 0));
	e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	for (unsigned i = 0; i < 40; i++) {
		struct chan c = chan_new(fd, vm, COPY, 8);
		struct drm_ppu_channel_create k = { .vm_id = vm, .type = COPY, .gpfifo_entries = 8 };
		struct drm_ppu_channel_query q = { .channel_id = c.id };
		struct drm_ppu_channel_set_property p = {
			c.id, DRM_PPU_CHANNEL_PROP_TIMESLICE_US, 100 + i,
		};
		struct drm_ppu_channel_destroy d;
		struct drm_ppu_submit s;

		/* seen in the driver's answer, and in the USERD page, which shows the error earlier */
		c.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
		if (i & 1)
			watch_error(fd, &q);
		else
			WAIT_FOR(c.userd[PPU_REG_USERD_ERROR / 4], 20000);
		DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EIO);
		DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
		CHECK(q.state & DRM_PPU_CHANNEL_STATE_FAULTED);
		CHECK_EQ(q.error, PPU_ERR_PUT_RANGE);
		chan_free(&c);

		DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
		s = (struct drm_ppu_submit){
			.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		};
		DO(fd, DRM_IOCTL_PPU_SUBMIT, &s);
		q.channel_id = k.channel_id;
		watch_error(fd, &q);
		CHECK_EQ(q.error, PPU_ERR_BAD_OPCODE);
		DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &s, EIO);
		p.channel_id = k.channel_id;
		DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EIO);
		d = (struct drm_ppu_channel_destroy){ .channel_id = k.channel_id };
		DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	}
}

TEST(destroy_busy, "a channel is destroyed in the middle of a copy, quickly")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);

	vm_map(fd, vm, &bo, 0x10000000);
	for (int i = 0; i < 20; i++) {
		struct chan c = chan_new(fd, vm, COPY, 8);
		struct cmds b = chan_block(&c);
		uint64_t t;

		for (int k = 0; k < 30; k++)
			cmd_copy(&b, bo.va, bo.va + (32 << 20), 32 << 20);
		chan_submit(&c, &b);
		usleep(1000 * (unsigned)i);
		t = now_ns();
		chan_free(&c);
		CHECK(now_ns() - t < 20000 * MS * time_scale());
	}
}

static void busy_child(void)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan a = chan_new(fd, vm, COPY, 8), b = chan_new(fd, vm, COMPUTE, 8);
	struct bo bo = bo_new(fd, 32 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds x = chan_block(&a), y = chan_block(&b);

	vm_map(fd, vm, &bo, 0x10000000);
	for (int k = 0; k < 30; k++)
		cmd_copy(&x, bo.va, bo.va + (16 << 20), 16 << 20);
	chan_submit(&a, &x);
	cmd_acquire(&y, PPU_SEM_OP_EQ, chan_sem_va(&b, 0), 1);
	chan_submit(&b, &y);
	raise(SIGSTOP);
	_exit(0);
}

TEST_T(kill9, 120, "kill -9 with work in flight: everything comes back")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			busy_child();
		CHECK(waitpid(pid, &status, WUNTRACED) == pid);
		if (!WIFSTOPPED(status))
			FAIL("the child failed");
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
	chan_new(fd, vm_new(fd), COPY, 8);
}

/* ---- ids of objects that are being created ---- */

static struct {
	int fd;
	uint32_t vm;
	atomic_bool stop;
} guess;

static void *destroy_guessed(void *arg)
{
	(void)arg;
	while (!guess.stop) {
		for (uint32_t id = 1; id < 4; id++) {
			struct drm_ppu_channel_destroy a = { .channel_id = id };

			try_ioctl(guess.fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &a);
		}
	}
	return NULL;
}

static void *create_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		struct drm_ppu_channel_create a = {
			.vm_id = guess.vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
			.gpfifo_entries = 8,
		};

		DO(guess.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	}
	return NULL;
}

TEST(guessed_ids, "a thread that destroys ids another one is being given loses nobody's channel")
{
	uint64_t channels = get_param(open_ppu(), DRM_PPU_PARAM_MAX_CHANNELS);
	pthread_t maker[2], destroyer;

	guess.fd = open_ppu();
	guess.vm = vm_new(guess.fd);
	CHECK(!pthread_create(&destroyer, NULL, destroy_guessed, NULL));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&maker[i], NULL, create_many, NULL));
	for (int i = 0; i < 2; i++)
		pthread_join(maker[i], NULL);
	guess.stop = true;
	pthread_join(destroyer, NULL);
	close(guess.fd);
	/* If two channels got one id, one of them would never be destroyed. So all channels must be available again. */
	guess.fd = open_ppu();
	guess.vm = vm_new(guess.fd);
	for (uint64_t i = 0; i < channels; i++) {
		struct drm_ppu_channel_create a = {
			.vm_id = guess.vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
			.gpfifo_entries = 8,
		};

		DO(guess.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	}
}

HARNESS_MAIN
