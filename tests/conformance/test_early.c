/* SPDX-License-Identifier: MIT */
/* SUBMIT and VM_BIND before the fence that they wait for exists: DRM_PPU_SYNC_WAIT_FOR_SUBMIT. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "fence.h"
#include "harness.h"

#define VA 0x10000000ull
#define EARLY DRM_PPU_SYNC_WAIT_FOR_SUBMIT
#define TIMELINE DRM_PPU_SYNC_TIMELINE

/* One call on a thread of its own. */
struct call {
	int fd, err;
	uint32_t id, flags;
	bool bind;
	struct drm_ppu_sync sync[2];
	pthread_t thread;
	atomic_int tid;
	uint64_t ns;
};

static int make_call(struct call *c)
{
	struct drm_ppu_array syncs = DRM_PPU_ARRAY(2, c->sync);
	struct drm_ppu_submit s = { .channel_id = c->id, .flags = c->flags, .syncs = syncs };
	struct drm_ppu_vm_bind b = { .vm_id = c->id, .flags = DRM_PPU_VM_BIND_ASYNC, .syncs = syncs };

	return c->bind ? try_ioctl(c->fd, DRM_IOCTL_PPU_VM_BIND, &b) : try_ioctl(c->fd, DRM_IOCTL_PPU_SUBMIT, &s);
}

static void *call_thread(void *arg)
{
	struct call *c = arg;
	uint64_t start = now_ns();

	c->tid = gettid();
	c->err = make_call(c);
	c->ns = now_ns() - start;
	return NULL;
}

static void start(struct call *c)
{
	CHECK(!pthread_create(&c->thread, NULL, call_thread, c));
	WAIT_FOR(c->tid, 20000);
	wait_asleep(c->tid);
}

/* A job or a bind that waits for @handle, or for a point of it. */
static struct call call_new(int fd, bool bind, uint32_t handle, uint64_t point)
{
	struct drm_ppu_channel_create k = {
		.vm_id = vm_new(fd), .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
	};
	struct call c = {
		.fd = fd, .bind = bind, .id = k.vm_id, .sync = {
			{ .flags = EARLY | (point ? TIMELINE : 0), .handle = handle, .point = point },
			{ .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) },
		},
	};

	if (!bind) {
		DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
		c.id = k.channel_id;
	}
	return c;
}

static void check_coming(bool bind, uint64_t point)
{
	int fd = open_ppu();
	uint32_t late = syncobj(fd);
	struct call c = call_new(fd, bind, late, point);
	struct gate gate;

	start(&c);
	/* the fence comes, and has not signalled: the call returns, the work waits */
	gate = gate_new(fd, point);
	if (point)
		CHECK(!drmSyncobjTransfer(fd, late, point, gate.sync, point, 0));
	else
		CHECK(!drmSyncobjTransfer(fd, late, 0, gate.sync, 0, 0));
	pthread_join(c.thread, NULL);
	CHECK_EQ(c.err, 0);
	CHECK(wait_sync(fd, c.sync[1].handle, 20) == -ETIME);
	gate_open(&gate);
	CHECK(!wait_sync(fd, c.sync[1].handle, 20000));
	CHECK_EQ(fence_error(fd, c.sync[1].handle), 0);
	close(fd);
}

TEST(coming, "a job, a bind that waits for a fence which is not there yet: the call waits, then the work")
{
	for (int bind = 0; bind < 2; bind++) {
		check_coming(bind, 0);
		check_coming(bind, 7);
	}
}

TEST(there, "a fence that is there, or a point that has passed, is not waited for by the call")
{
	for (int bind = 0; bind < 2; bind++) {
		int fd = open_ppu();
		struct gate gate = gate_new(fd, 7);
		struct call c = call_new(fd, bind, gate.sync, 7), low = call_new(fd, bind, gate.sync, 3);

		CHECK_EQ(make_call(&c), 0);
		CHECK_EQ(make_call(&low), 0);
		CHECK(wait_sync(fd, c.sync[1].handle, 20) == -ETIME);
		gate_open(&gate);
		CHECK(!wait_sync(fd, c.sync[1].handle, 20000));
		CHECK(!wait_sync(fd, low.sync[1].handle, 20000));
	}
}

TEST(never, "a fence that never comes: ETIME after some seconds, and nothing has happened")
{
	int fd = open_ppu();
	struct call c[2] = {
		call_new(fd, false, syncobj(fd), 7), call_new(fd, true, syncobj(fd), 0),
	};

	for (int i = 0; i < 2; i++)
		start(&c[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(c[i].thread, NULL);
		CHECK_EQ(c[i].err, ETIME);
		CHECK(c[i].ns >= 4000 * MS);
		/* the out-fence was not attached */
		CHECK(wait_sync(fd, c[i].sync[1].handle, 1) == -EINVAL);
	}
}

static void nothing(int sig)
{
	(void)sig;
}

TEST(interrupted, "a signal ends the waiting; the same call can be made again")
{
	struct sigaction a = { .sa_handler = nothing };
	int fd = open_ppu();

	CHECK(!sigaction(SIGUSR1, &a, NULL));
	for (int bind = 0; bind < 2; bind++) {
		uint32_t late = syncobj(fd);
		struct call c = call_new(fd, bind, late, 0);

		start(&c);
		CHECK(!pthread_kill(c.thread, SIGUSR1));
		pthread_join(c.thread, NULL);
		CHECK_EQ(c.err, EINTR);
		CHECK(!drmSyncobjSignal(fd, &late, 1));
		CHECK_EQ(make_call(&c), 0);
		CHECK(!wait_sync(fd, c.sync[1].handle, 20000));
	}
}

TEST(others, "while one call waits, its channel and its VM are free for others, also to be destroyed")
{
	int fd = open_ppu();
	uint32_t late = syncobj(fd);
	struct call job = call_new(fd, false, late, 0), bind = call_new(fd, true, late, 0);
	struct drm_ppu_channel_query q = { .channel_id = job.id };
	struct drm_ppu_submit plain = { .channel_id = job.id };
	struct drm_ppu_channel_destroy d = { .channel_id = job.id };
	struct drm_ppu_vm_destroy v = { .vm_id = bind.id };

	start(&job);
	start(&bind);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &plain);
	CHECK_EQ(vm_try_op(fd, bind.id, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, VA, 4096, 0), 0);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &v);
	CHECK(!drmSyncobjSignal(fd, &late, 1));
	pthread_join(job.thread, NULL);
	pthread_join(bind.thread, NULL);
	CHECK_EQ(job.err, ENOENT);
	CHECK_EQ(bind.err, ENOENT);
}

TEST(refused, "without the flag a missing fence is EINVAL; NONBLOCK does not wait; fences to signal are not waited for")
{
	int fd = open_ppu();
	struct call job = call_new(fd, false, syncobj(fd), 0), bind = call_new(fd, true, syncobj(fd), 9);
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sem_import_fence in = { 0 };
	struct drm_ppu_sem_export_fence out = { 0 };

	job.flags = DRM_PPU_SUBMIT_NONBLOCK;
	CHECK_EQ(make_call(&job), EAGAIN);
	job.flags = 0;
	job.sync[0].flags &= ~EARLY;
	CHECK_EQ(make_call(&job), EINVAL);
	bind.sync[0].flags &= ~EARLY;
	CHECK_EQ(make_call(&bind), EINVAL);
	job.sync[0] = job.sync[1];
	job.sync[1].flags |= EARLY;
	CHECK_EQ(make_call(&job), EINVAL);
	/* these return at once, whatever they wait for */
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	in.sem_id = out.sem_id = s.sem_id;
	in.sync = (struct drm_ppu_sync){ .flags = EARLY, .handle = syncobj(fd) };
	out.sync = (struct drm_ppu_sync){ .flags = EARLY | DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_IMPORT_FENCE, &in, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &out, EINVAL);
}

TEST(exported, "a job waits for a semaphore: SEM_EXPORT_FENCE brings the fence when the condition holds")
{
	int fd = open_ppu();
	struct drm_ppu_sem_create s = { 0 };
	uint32_t late = syncobj(fd);
	struct drm_ppu_sem_export_fence x = {
		.op = DRM_PPU_SEM_OP_EQ, .value = 5, .sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = late },
	};
	struct drm_ppu_sem_signal sig = { .op = DRM_PPU_SEM_SIGNAL_SET, .value = 5 };
	struct call c = call_new(fd, false, late, 0);

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	x.sem_id = sig.sem_id = s.sem_id;
	DO(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &x);
	start(&c);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	pthread_join(c.thread, NULL);
	CHECK_EQ(c.err, 0);
	CHECK(!wait_sync(fd, c.sync[1].handle, 20000));
}

HARNESS_MAIN
