/* SPDX-License-Identifier: MIT */
/* SEM_CREATE, _DESTROY, _READ, _SIGNAL, _WAIT. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <hw/ppu_counters.h>

#include "harness.h"

#define FOREVER INT64_MAX

static struct drm_ppu_sem_create sem_new(int fd, uint32_t bo, uint64_t off, uint32_t flags,
					 uint64_t initial)
{
	struct drm_ppu_sem_create a = {
		.bo_handle = bo, .flags = flags, .bo_offset = off, .initial = initial,
	};

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &a);
	return a;
}

static uint64_t sem_read(int fd, uint32_t id)
{
	struct drm_ppu_sem_read a = { .sem_id = id };

	DO(fd, DRM_IOCTL_PPU_SEM_READ, &a);
	return a.value;
}

static uint64_t sem_signal(int fd, uint32_t id, uint32_t op, uint64_t value)
{
	struct drm_ppu_sem_signal a = { .sem_id = id, .op = op, .value = value };

	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &a);
	return a.old;
}

static int sem_wait_err(int fd, uint32_t id, uint32_t op, uint64_t value, int64_t until)
{
	struct drm_ppu_sem_cond c = { .sem_id = id, .op = op, .value = value };
	struct drm_ppu_sem_wait a = { .conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = until };

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_WAIT, &a);
}

static int64_t in_ms(unsigned ms)
{
	return (int64_t)(now_ns() + ms * MS);
}

TEST(create_args, "SEM_CREATE refuses bad arguments")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_sem_create a;

	a = (struct drm_ppu_sem_create){ .flags = 4 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .bo_offset = 16 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .flags = DRM_PPU_SEM_ADOPT };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .bo_handle = bo.handle, .bo_offset = 8 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .bo_handle = bo.handle, .bo_offset = 4096 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .bo_handle = 99 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, ENOENT);
	a = (struct drm_ppu_sem_create){ .bo_handle = bo.handle, .flags = DRM_PPU_SEM_ADOPT,
					 .initial = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_sem_create){ .flags = DRM_PPU_SEM_32BIT, .initial = 1ull << 32 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &a, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, (void *)BAD_PTR, EFAULT);
}

TEST(create, "semaphores in an object of the kernel's, in system memory and in VRAM")
{
	int fd = open_ppu();
	struct drm_ppu_sem_create s = sem_new(fd, 0, 0, 0, 17);
	uint64_t *w;

	CHECK(s.bo_handle);
	CHECK_EQ(sem_read(fd, s.sem_id), 17);
	w = bo_map(fd, s.bo_handle, 4096);
	CHECK_EQ(w[0], 17);

	for (uint32_t p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 16384, p);
		struct drm_ppu_gem_info i = { .handle = bo.handle };

		s = sem_new(fd, bo.handle, 8192 + 32, 0, 3);
		CHECK_EQ(((uint64_t *)bo.map)[(8192 + 32) / 8], 3);
		((uint64_t *)bo.map)[(8192 + 32) / 8] = 4;
		CHECK_EQ(sem_read(fd, s.sem_id), 4);
		s = sem_new(fd, bo.handle, 8192 + 32, DRM_PPU_SEM_ADOPT, 0);
		CHECK_EQ(sem_read(fd, s.sem_id), 4);
		DO(fd, DRM_IOCTL_PPU_GEM_INFO, &i);
		CHECK(i.extra & DRM_PPU_GEM_INFO_HAS_SEMS);
	}
}

TEST(signal, "SEM_SIGNAL: set, add, max, kick; 64 and 32 bits")
{
	int fd = open_ppu();
	uint32_t a = sem_new(fd, 0, 0, 0, 10).sem_id;
	uint32_t b = sem_new(fd, 0, 0, DRM_PPU_SEM_32BIT, 10).sem_id;
	struct drm_ppu_sem_signal s;

	CHECK_EQ(sem_signal(fd, a, DRM_PPU_SEM_SIGNAL_SET, 5), 10);
	CHECK_EQ(sem_signal(fd, a, DRM_PPU_SEM_SIGNAL_ADD, 1ull << 40), 5);
	CHECK_EQ(sem_signal(fd, a, DRM_PPU_SEM_SIGNAL_MAX, 3), (1ull << 40) + 5);
	CHECK_EQ(sem_signal(fd, a, DRM_PPU_SEM_SIGNAL_MAX, 1ull << 50), (1ull << 40) + 5);
	CHECK_EQ(sem_signal(fd, a, DRM_PPU_SEM_SIGNAL_KICK, 0), 1ull << 50);
	CHECK_EQ(sem_signal(fd, b, DRM_PPU_SEM_SIGNAL_SET, 0xffffffff), 10);
	CHECK_EQ(sem_signal(fd, b, DRM_PPU_SEM_SIGNAL_ADD, 2), 0xffffffff);
	CHECK_EQ(sem_read(fd, b), 1);

	s = (struct drm_ppu_sem_signal){ .sem_id = a, .op = 4 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s, EINVAL);
	s = (struct drm_ppu_sem_signal){ .sem_id = a, .op = DRM_PPU_SEM_SIGNAL_KICK, .value = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s, EINVAL);
	s = (struct drm_ppu_sem_signal){ .sem_id = b, .value = 1ull << 32 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s, EINVAL);
	s = (struct drm_ppu_sem_signal){ .sem_id = 99 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s, ENOENT);
	DO_ERR(open_ppu(), DRM_IOCTL_PPU_SEM_SIGNAL, &(struct drm_ppu_sem_signal){ .sem_id = a },
	       ENOENT);
}

static struct {
	int fd;
	uint32_t id;
} adder;

static void *add_many(void *arg)
{
	for (int i = 0; i < 2000; i++)
		sem_signal(adder.fd, adder.id, DRM_PPU_SEM_SIGNAL_ADD, 1);
	return arg;
}

TEST(signal_atomic, "SEM_SIGNAL ADD is atomic between threads and against SEM_INC of the device")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 64);
	pthread_t t[2];

	adder.fd = fd;
	adder.id = sem_new(fd, c.sems.handle, 0, DRM_PPU_SEM_ADOPT, 0).sem_id;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add_many, NULL);
	for (int i = 0; i < 2000; i++) {
		struct cmds b = chan_block(&c);

		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
		chan_submit(&c, &b);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 6000);
}

TEST(wait_args, "SEM_WAIT refuses bad arguments")
{
	int fd = open_ppu();
	uint32_t id = sem_new(fd, 0, 0, 0, 1).sem_id;
	uint32_t id32 = sem_new(fd, 0, 0, DRM_PPU_SEM_32BIT, 1).sem_id;
	struct drm_ppu_sem_cond c[65] = { { .sem_id = id, .op = 0, .value = 1 } };
	struct drm_ppu_sem_wait w;

	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(0, c) };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EINVAL);
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(65, c) };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, E2BIG);
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(1, c), .flags = 4 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EINVAL);
	/* of which VM? */
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(1, c), .flags = DRM_PPU_SEM_WAIT_VM };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EINVAL);
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(1, c), .pad = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EINVAL);
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(1, c), .channel_id = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ENOENT);
	w = (struct drm_ppu_sem_wait){ .conds = { 16, 1, BAD_PTR } };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EFAULT);
	w = (struct drm_ppu_sem_wait){ .conds = DRM_PPU_ARRAY(2, c) };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ENOENT);
	CHECK_EQ(sem_wait_err(fd, id, 6, 0, 0), EINVAL);
	CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_ZERO, 1, 0), EINVAL);
	CHECK_EQ(sem_wait_err(fd, id32, DRM_PPU_SEM_OP_EQ, 1ull << 32, 0), EINVAL);
}

TEST(wait_now, "every condition, with a time-out that is past: looks and does not sleep")
{
	int fd = open_ppu();
	uint32_t id = sem_new(fd, 0, 0, 0, 10).sem_id;
	static const struct {
		uint32_t op;
		uint64_t value;
		int err;
	} t[] = {
		{ DRM_PPU_SEM_OP_EQ, 10, 0 }, { DRM_PPU_SEM_OP_EQ, 9, ETIME },
		{ DRM_PPU_SEM_OP_GE, 10, 0 }, { DRM_PPU_SEM_OP_GE, 9, 0 },
		{ DRM_PPU_SEM_OP_GE, 11, ETIME }, { DRM_PPU_SEM_OP_GE, ~0ull, ETIME },
		{ DRM_PPU_SEM_OP_ZERO, 0, ETIME },
		{ DRM_PPU_SEM_OP_NE, 10, ETIME }, { DRM_PPU_SEM_OP_NE, 11, 0 },
		{ DRM_PPU_SEM_OP_CIRC_GE, 10, 0 }, { DRM_PPU_SEM_OP_CIRC_GE, ~0ull, 0 },
		{ DRM_PPU_SEM_OP_CIRC_GE, 11, ETIME },
		{ DRM_PPU_SEM_OP_ANYBIT, 2, 0 }, { DRM_PPU_SEM_OP_ANYBIT, 5, ETIME },
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		CHECK_EQ(sem_wait_err(fd, id, t[i].op, t[i].value, 0), t[i].err);
		CHECK_EQ(sem_wait_err(fd, id, t[i].op, t[i].value, -5), t[i].err);
		CHECK_EQ(sem_wait_err(fd, id, t[i].op, t[i].value, 1), t[i].err);
	}
	id = sem_new(fd, 0, 0, DRM_PPU_SEM_32BIT, 5).sem_id;
	CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_CIRC_GE, 0xfffffff0, 0), 0);
}

/* Time this process has spent in the kernel. */
static uint64_t system_us(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (uint64_t)r.ru_stime.tv_sec * 1000000 + (uint64_t)r.ru_stime.tv_usec;
}

TEST(wait_timeout, "a wait ends at its time, not before and not much later, without burning CPU")
{
	int fd = open_ppu();
	uint32_t id = sem_new(fd, 0, 0, 0, 0).sem_id;
	bool slept = false;

	/* what a busy machine does to us counts as our time, too: but not always */
	for (unsigned i = 0; i < 20 && !slept; i++) {
		uint64_t t = now_ns(), cpu = system_us();

		CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 1, in_ms(300)), ETIME);
		t = now_ns() - t;
		CHECK(t >= 300 * MS && t < 20000 * MS * time_scale());
		slept = system_us() - cpu < t / 1000 / 2;
	}
	CHECK(slept);
}

static uint64_t kicks(int fd)
{
	uint64_t all[PPU_CTR_COUNT];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_COUNTERS, .size = sizeof(all), .ptr = (uintptr_t)all,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return all[PPU_CTR_KICKS];
}

TEST(signal_kicks, "SEM_SIGNAL kicks each VM that maps the word once, however often it is mapped")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	uint32_t id = sem_new(fd, bo.handle, 0, 0, 0).sem_id, vm[3];
	struct chan c[3];
	uint64_t before;

	for (unsigned i = 0; i < 3; i++) {
		vm[i] = vm_new(fd);
		c[i] = chan_new(fd, vm[i], DRM_PPU_CHANNEL_COPY, 8);
	}
	before = kicks(fd);
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 1);
	CHECK_EQ(kicks(fd), before);
	for (unsigned i = 0; i < 300; i++)
		CHECK(!vm_try_op(fd, vm[i % 3], DRM_PPU_VM_BIND_OP_MAP, bo.handle, 0,
				 0x10000000 + i * 0x10000ull, 8192, 0));
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 2);
	CHECK_EQ(kicks(fd), before + 3);

	/* In parts: the middle of a mapping, the first one, all but one, all. */
	CHECK(!vm_try_op(fd, vm[0], DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10000000 + 150 * 0x10000ull, 4096, 0));
	CHECK(!vm_try_op(fd, vm[0], DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10000000, 8192, 0));
	CHECK(!vm_try_op(fd, vm[1], DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10010000 + 0x10000, 299 * 0x10000ull, 0));
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 3);
	CHECK_EQ(kicks(fd), before + 6);
	CHECK(!vm_try_op(fd, vm[1], DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10000000, 300 * 0x10000ull, 0));
	CHECK(!vm_try_op(fd, vm[2], DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10000000, 300 * 0x10000ull, 0));
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 4);
	CHECK_EQ(kicks(fd), before + 7);
	chan_free(&c[0]);
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 5);
	CHECK_EQ(kicks(fd), before + 7);
}

static struct {
	struct chan c;
	int fd;
	uint32_t id;
	int how;
	pid_t waiter;
} waker;

/* WQ-13: the four writers of a word */
static void *wake_later(void *arg)
{
	struct cmds b;

	wait_asleep(waker.waiter);
	switch (waker.how) {
	case 0:		/* CPU and kick register */
		*chan_sem(&waker.c, 0) = 5;
		waker.c.userd[PPU_REG_USERD_KICK / 4] = 1;
		break;
	case 1:		/* release command */
		b = chan_block(&waker.c);
		cmd_release(&b, chan_sem_va(&waker.c, 0), 5);
		chan_submit(&waker.c, &b);
		break;
	case 2:		/* ioctl */
		sem_signal(waker.fd, waker.id, DRM_PPU_SEM_SIGNAL_SET, 5);
		break;
	case 3:		/* CPU and kick ioctl */
		*chan_sem(&waker.c, 0) = 5;
		sem_signal(waker.fd, waker.id, DRM_PPU_SEM_SIGNAL_KICK, 0);
		break;
	case 4:		/* copy engine */
		b = chan_block(&waker.c);
		cmd_fill(&b, 3, chan_sem_va(&waker.c, 0), 5, 1);
		chan_submit(&waker.c, &b);
		break;
	}
	return arg;
}

TEST(wait_wake, "WQ-13, WQ-17: a wait wakes for a write of the CPU, the host, a copy, the ioctl")
{
	int fd = open_ppu();
	pthread_t t;

	waker.waiter = getpid();
	waker.fd = fd;
	waker.c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	waker.id = sem_new(fd, waker.c.sems.handle, 0, DRM_PPU_SEM_ADOPT, 0).sem_id;
	for (waker.how = 0; waker.how < 5; waker.how++) {
		uint64_t start = now_ns();

		*chan_sem(&waker.c, 0) = 0;
		pthread_create(&t, NULL, wake_later, NULL);
		/* at its limit a wait looks once more: it must have woken before */
		CHECK_EQ(sem_wait_err(fd, waker.id, DRM_PPU_SEM_OP_EQ, 5, limit_ms(20000)), 0);
		CHECK(now_ns() - start < 18000 * MS * time_scale());
		pthread_join(t, NULL);
	}
}

TEST(wait_vram, "the same with the word in VRAM")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	uint32_t id = sem_new(fd, bo.handle, 64, 0, 0).sem_id;
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&c);

	vm_map(fd, c.vm, &bo, 0x10000000);
	cmd_acquire(&b, PPU_SEM_OP_GE, bo.va + 64, 1);
	cmd_release(&b, bo.va + 64, 2);
	chan_submit(&c, &b);
	CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 2, in_ms(50)), ETIME);
	sem_signal(fd, id, DRM_PPU_SEM_SIGNAL_SET, 1);
	CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 2, limit_ms(20000)), 0);
}

TEST(signal_kicks_gpu, "WQ-13d, WQ-17: SEM_SIGNAL lets a blocked channel go on, also of another file")
{
	int a = open_ppu(), b = open_ppu(), dmabuf;
	struct chan c = chan_new(a, vm_new(a), DRM_PPU_CHANNEL_COPY, 8);
	struct cmds blk = chan_block(&c);
	uint32_t handle, id;

	CHECK(!drmPrimeHandleToFD(a, c.sems.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!drmPrimeFDToHandle(b, dmabuf, &handle));
	id = sem_new(b, handle, 0, DRM_PPU_SEM_ADOPT, 0).sem_id;
	cmd_acquire(&blk, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	cmd_release(&blk, chan_sem_va(&c, 1), 1);
	chan_submit(&c, &blk);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	sem_signal(b, id, DRM_PPU_SEM_SIGNAL_SET, 1);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 1);
}

TEST(wait_any_all, "any and all of several conditions")
{
	int fd = open_ppu();
	uint32_t id[3];
	struct drm_ppu_sem_cond c[3];
	struct drm_ppu_sem_wait w = { .conds = DRM_PPU_ARRAY(3, c) };

	for (unsigned i = 0; i < 3; i++) {
		id[i] = sem_new(fd, 0, 0, 0, 0).sem_id;
		c[i] = (struct drm_ppu_sem_cond){ id[i], DRM_PPU_SEM_OP_GE, 1 };
	}
	w.timeout_ns = in_ms(20);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	sem_signal(fd, id[1], DRM_PPU_SEM_SIGNAL_SET, 1);
	w.timeout_ns = limit_ms(20000);
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	CHECK_EQ(w.first, 1);
	w.flags = DRM_PPU_SEM_WAIT_ALL;
	w.timeout_ns = in_ms(20);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	sem_signal(fd, id[0], DRM_PPU_SEM_SIGNAL_SET, 1);
	sem_signal(fd, id[2], DRM_PPU_SEM_SIGNAL_SET, 1);
	w.timeout_ns = limit_ms(20000);
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	CHECK_EQ(w.first, 0);
}

static void *signal_all(void *arg)
{
	uint32_t *id = arg;

	for (unsigned i = 0; i < 3; i++) {
		wait_asleep(getpid());
		sem_signal(adder.fd, id[i], DRM_PPU_SEM_SIGNAL_SET, 1);
	}
	return NULL;
}

TEST(wait_all_sleeps, "an ALL wait sleeps until the last one")
{
	int fd = open_ppu();
	uint32_t id[3];
	struct drm_ppu_sem_cond c[3];
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(3, c), .flags = DRM_PPU_SEM_WAIT_ALL, .timeout_ns = FOREVER,
	};
	pthread_t t;

	adder.fd = fd;
	for (unsigned i = 0; i < 3; i++) {
		id[i] = sem_new(fd, 0, 0, 0, 0).sem_id;
		c[i] = (struct drm_ppu_sem_cond){ id[i], DRM_PPU_SEM_OP_EQ, 1 };
	}
	pthread_create(&t, NULL, signal_all, id);
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(sem_read(fd, id[i]), 1);
	pthread_join(t, NULL);
}

static void *destroy_later(void *arg)
{
	struct drm_ppu_sem_destroy d = { .sem_id = waker.id };

	wait_asleep(waker.waiter);
	DO(waker.fd, DRM_IOCTL_PPU_SEM_DESTROY, &d);
	return arg;
}

TEST(destroy, "SEM_DESTROY ends waits with ECANCELED; the id is gone")
{
	int fd = open_ppu();
	struct drm_ppu_sem_destroy d;
	pthread_t t;

	waker.waiter = getpid();
	waker.fd = fd;
	waker.id = sem_new(fd, 0, 0, 0, 0).sem_id;
	d = (struct drm_ppu_sem_destroy){ .sem_id = waker.id, .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_DESTROY, &d, EINVAL);
	pthread_create(&t, NULL, destroy_later, NULL);
	CHECK_EQ(sem_wait_err(fd, waker.id, DRM_PPU_SEM_OP_EQ, 1, FOREVER), ECANCELED);
	pthread_join(t, NULL);
	d.pad = 0;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_DESTROY, &d, ENOENT);
	CHECK_EQ(sem_wait_err(fd, waker.id, DRM_PPU_SEM_OP_EQ, 1, 0), ENOENT);
}

static void *break_channel(void *arg)
{
	struct chan *c = arg;

	wait_asleep(getpid());
	c->userd[PPU_REG_USERD_GP_PUT / 4] = 1000;
	return NULL;
}

TEST(wait_channel_error, "a wait that names a channel ends with EIO when the channel stops")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct drm_ppu_sem_cond k = { .sem_id = sem_new(fd, 0, 0, 0, 0).sem_id, .value = 1 };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &k), .timeout_ns = FOREVER, .channel_id = c.id,
	};
	pthread_t t;

	pthread_create(&t, NULL, break_channel, &c);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	pthread_join(t, NULL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	/* a condition that holds wins */
	sem_signal(fd, k.sem_id, DRM_PPU_SEM_SIGNAL_SET, 1);
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
}

TEST(wait_vm_error, "a wait for a VM ends with EIO when another channel of it stops, until that one is destroyed")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan mine = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct chan beside = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct chan idle = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct chan foreign = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct drm_ppu_sem_cond k = { .sem_id = sem_new(fd, 0, 0, 0, 0).sem_id, .value = 1 };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &k), .channel_id = mine.id, .flags = DRM_PPU_SEM_WAIT_VM,
	};
	struct drm_ppu_channel_destroy gone = { .channel_id = beside.id };
	pthread_t t;

	/* an error of another VM is none of ours */
	foreign.userd[PPU_REG_USERD_GP_PUT / 4] = 1000;
	WAIT_FOR(chan_query(&foreign).error, 20000);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	w.timeout_ns = FOREVER;
	pthread_create(&t, NULL, break_channel, &beside);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	pthread_join(t, NULL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	/* who does not ask hears nothing of it */
	w.timeout_ns = 0;
	w.flags = 0;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	/* destroyed without an error, and with one */
	w.flags = DRM_PPU_SEM_WAIT_VM;
	gone.channel_id = idle.id;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &gone);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	gone.channel_id = beside.id;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &gone);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, ETIME);
	/* a condition that holds wins */
	mine.userd[PPU_REG_USERD_GP_PUT / 4] = 1000;
	WAIT_FOR(chan_query(&mine).error, 20000);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_WAIT, &w, EIO);
	sem_signal(fd, k.sem_id, DRM_PPU_SEM_SIGNAL_SET, 1);
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void storm(int restart)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = restart ? SA_RESTART : 0 };
	struct itimerval it = { { 0, 3000 }, { 0, 3000 } };

	alarms = 0;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
}

TEST(wait_signals, "signals: EINTR, or restarted with SA_RESTART and the same end")
{
	int fd = open_ppu();
	uint32_t id = sem_new(fd, 0, 0, 0, 0).sem_id;
	uint64_t start;
	int64_t until;
	int e;

	storm(0);
	for (int n = 0; n < 20; n++)
		CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 1, FOREVER), EINTR);
	until = in_ms(100);
	while ((e = sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 1, until)) == EINTR)
		;
	CHECK_EQ(e, ETIME);
	CHECK((int64_t)now_ns() >= until);
	storm(1);
	start = now_ns();
	CHECK_EQ(sem_wait_err(fd, id, DRM_PPU_SEM_OP_EQ, 1, in_ms(400)), ETIME);
	CHECK(alarms > 0);
	CHECK(now_ns() - start >= 390 * MS);
}

TEST(eintr_storm, "other ioctls under a storm of signals: they work, or say EINTR and work then")
{
	int fd = open_ppu();

	storm(0);
	for (int i = 0; i < 60; i++) {
		struct drm_ppu_vm_create v = { 0 };
		struct drm_ppu_gem_create g = { .size = 1 << 20, .placement = i & 1 };
		struct drm_ppu_vm_destroy d = { 0 };
		struct drm_gem_close c = { 0 };
		int e;

		while ((e = try_ioctl(fd, DRM_IOCTL_PPU_VM_CREATE, &v)) == EINTR)
			;
		CHECK_EQ(e, 0);
		while ((e = try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &g)) == EINTR)
			g.size = 1 << 20;
		CHECK_EQ(e, 0);
		while ((e = vm_try_op(fd, v.vm_id, DRM_PPU_VM_BIND_OP_MAP, g.handle, 0, 1 << 24,
				      1 << 20, 0)) == EINTR)
			;
		CHECK_EQ(e, 0);
		d.vm_id = v.vm_id;
		c.handle = g.handle;
		CHECK_EQ(try_ioctl(fd, DRM_IOCTL_PPU_VM_DESTROY, &d), 0);
		CHECK_EQ(try_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &c), 0);
	}
}

static void *one_wait(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg;

	CHECK_EQ(sem_wait_err(adder.fd, id, DRM_PPU_SEM_OP_GE, 1, FOREVER), 0);
	return NULL;
}

TEST_T(many_waiters, 240, "hundreds of waits at once, more than a file may watch: all wake")
{
	enum { N = 400 };
	int fd = open_ppu();
	static pthread_t t[N];
	static uint32_t id[N];
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	pthread_attr_t attr;

	adder.fd = fd;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (unsigned i = 0; i < N; i++) {
		id[i] = sem_new(fd, bo.handle, 16 * i, 0, 0).sem_id;
		CHECK(!pthread_create(&t[i], &attr, one_wait, (void *)(uintptr_t)id[i]));
	}
	sleep_ms(100);
	for (unsigned i = 0; i < N; i++)
		sem_signal(fd, id[i], DRM_PPU_SEM_SIGNAL_SET, 1);
	for (unsigned i = 0; i < N; i++)
		pthread_join(t[i], NULL);
}

HARNESS_MAIN
