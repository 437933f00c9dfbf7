/* SPDX-License-Identifier: MIT */
/*
 * HW-2: two PPUs in one machine.  Run by tests/system/host_two_ppus.sh, in a
 * machine that has two, with 6 and 2 SMs.
 */
#include <pthread.h>
#include <signal.h>

#include "fence.h"
#include "harness.h"

#define JOB_BYTES (8u << 20)

struct half {
	int fd;
	struct chan c;
	uint32_t in, out;	/* handles of the shared objects */
};

/* Opens all render nodes of PPUs. */
static unsigned open_all(int *fds, unsigned max)
{
	unsigned n = 0;

	for (int i = 128; i < 192 && n < max; i++) {
		char path[32];
		drmVersionPtr v;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		v = drmGetVersion(fd);
		if (v && !strcmp(v->name, "ppu"))
			fds[n++] = fd;
		else
			close(fd);
		drmFreeVersion(v);
	}
	return n;
}

TEST(enumerated, "HW-2: two devices with different numbers of SMs are two render nodes")
{
	int fd[3];

	CHECK_EQ(open_all(fd, 3), 2);
	CHECK(get_param(fd[0], DRM_PPU_PARAM_PCI_LOCATION) !=
	      get_param(fd[1], DRM_PPU_PARAM_PCI_LOCATION));
	CHECK_EQ(get_param(fd[0], DRM_PPU_PARAM_NUM_SMS) + get_param(fd[1], DRM_PPU_PARAM_NUM_SMS),
		 8);
	CHECK(get_param(fd[0], DRM_PPU_PARAM_NUM_SMS) != get_param(fd[1], DRM_PPU_PARAM_NUM_SMS));
}

TEST(apart, "HW-2: what is on one device is not on the other, and an error stays where it is")
{
	int fd[2];
	struct chan bad, good;
	uint64_t avail;
	struct bo bo;

	CHECK_EQ(open_all(fd, 2), 2);
	avail = get_param(fd[1], DRM_PPU_PARAM_VRAM_AVAIL);
	bo = bo_new(fd[0], 4 << 20, DRM_PPU_PLACEMENT_VRAM);
	CHECK_EQ(get_param(fd[1], DRM_PPU_PARAM_VRAM_AVAIL), avail);
	bo_free(&bo);
	bad = chan_new(fd[0], vm_new(fd[0]), DRM_PPU_CHANNEL_COPY, 8);
	good = chan_new(fd[1], vm_new(fd[1]), DRM_PPU_CHANNEL_COPY, 8);
	CHECK_EQ(bad.hw, good.hw);	/* the same number on both */
	bad.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	WAIT_FOR(chan_query(&bad).state & DRM_PPU_CHANNEL_STATE_FAULTED, 10000);
	for (unsigned i = 0; i < 3; i++) {
		struct cmds b = chan_block(&good);

		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&good, 0), 0);
		chan_submit(&good, &b);
		chan_wait_idle(&good);
	}
	CHECK_EQ(*chan_sem(&good, 0), 3);
	CHECK_EQ(chan_query(&good).error, 0);
}

/* Copies part of the input to the output, in pieces, mirrored. */
static void part(struct half *h, uint32_t first, uint32_t end)
{
	const uint32_t piece = JOB_BYTES / 64;

	for (uint32_t i = first; i < end; i++) {
		struct cmds b = chan_block(&h->c);

		cmd_copy(&b, 0x20000000 + i * (uint64_t)piece,
			 0x30000000 + (63 - i) * (uint64_t)piece, piece);
		while (chan_full(&h->c))
			usleep(200);
		chan_submit(&h->c, &b);
	}
}

#define SHARED_BYTES (1u << 20)
#define SHARED_VA 0x40000000ull
#define LOCAL_VA 0x50000000ull

/* A device with a channel, and a VRAM object of its own at LOCAL_VA. */
struct side {
	int fd;
	struct chan c;
	struct bo local;
};

static struct side side_new(int fd)
{
	struct side s = { .fd = fd, .c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 16) };

	s.local = bo_new(fd, SHARED_BYTES, DRM_PPU_PLACEMENT_VRAM);
	vm_map(fd, s.c.vm, &s.local, LOCAL_VA);
	return s;
}

static void side_copy(struct side *s, uint64_t from, uint64_t to)
{
	struct cmds b = chan_block(&s->c);

	cmd_copy(&b, from, to, SHARED_BYTES);
	cmd_wfi(&b);
	chan_submit(&s->c, &b);
	chan_wait_idle(&s->c);
	CHECK_EQ(chan_query(&s->c).error, 0);
}

static void fill(uint32_t *p, uint32_t seed)
{
	for (uint32_t i = 0; i < SHARED_BYTES / 4; i++)
		p[i] = i * 2654435761u + seed;
}

static void check(const uint32_t *p, uint32_t seed)
{
	for (uint32_t i = 0; i < SHARED_BYTES / 4; i++)
		if (p[i] != i * 2654435761u + seed)
			FAIL("word %u is %#x, not %#x", i, p[i], i * 2654435761u + seed);
}

static uint32_t placement(int fd, uint32_t handle)
{
	struct drm_ppu_gem_info info = { .handle = handle };

	DO(fd, DRM_IOCTL_PPU_GEM_INFO, &info);
	return info.placement;
}

/* The object is in use on both sides of the move: by a VM, by two mappings of the CPU, and by the importer. */
TEST(vram_moves, "VRAM that another device imports moves to memory of the system, and is the same for everybody")
{
	struct side a, b;
	struct bo vram;
	uint32_t import, *other;
	uint64_t avail;
	int fd[2], dmabuf;

	CHECK_EQ(open_all(fd, 2), 2);
	a = side_new(fd[0]);
	b = side_new(fd[1]);
	vram = bo_new(a.fd, SHARED_BYTES, DRM_PPU_PLACEMENT_VRAM);
	vm_map(a.fd, a.c.vm, &vram, SHARED_VA);
	CHECK(!drmPrimeHandleToFD(a.fd, vram.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	other = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	CHECK(other != MAP_FAILED);
	fill(a.local.map, 1);
	side_copy(&a, LOCAL_VA, SHARED_VA);
	check(vram.map, 1);
	check(other, 1);
	CHECK_EQ(placement(a.fd, vram.handle), DRM_PPU_PLACEMENT_VRAM);
	avail = get_param(a.fd, DRM_PPU_PARAM_VRAM_AVAIL);

	CHECK(!drmPrimeFDToHandle(b.fd, dmabuf, &import));
	CHECK_EQ(placement(a.fd, vram.handle), DRM_PPU_PLACEMENT_SYSTEM);
	CHECK(get_param(a.fd, DRM_PPU_PARAM_VRAM_AVAIL) >= avail + SHARED_BYTES);
	check(vram.map, 1);
	check(other, 1);
	CHECK_EQ(vm_try_op(b.fd, b.c.vm, DRM_PPU_VM_BIND_OP_MAP, import, 0, SHARED_VA, SHARED_BYTES, 0), 0);
	side_copy(&b, SHARED_VA, LOCAL_VA);
	check(b.local.map, 1);
	fill(b.local.map, 2);
	side_copy(&b, LOCAL_VA, SHARED_VA);
	check(vram.map, 2);
	check(other, 2);
	/* The exporter's VM was held; its doorbell brings it back. */
	side_copy(&a, SHARED_VA, LOCAL_VA);
	check(a.local.map, 2);
	fill(other, 3);
	side_copy(&a, SHARED_VA, LOCAL_VA);
	check(a.local.map, 3);
	side_copy(&b, SHARED_VA, LOCAL_VA);
	check(b.local.map, 3);
	/* It outlives its owner, and moves no more. */
	bo_free(&vram);
	close(dmabuf);
	side_copy(&b, SHARED_VA, LOCAL_VA);
	check(b.local.map, 3);
	check(other, 3);
}

TEST(vram_in_use, "VRAM with a semaphore cannot be imported by another device, until the semaphore is gone")
{
	struct drm_ppu_sem_create s = { .flags = DRM_PPU_SEM_ADOPT };
	int fd[2], dmabuf;
	uint32_t handle;
	struct bo bo;

	CHECK_EQ(open_all(fd, 2), 2);
	bo = bo_new(fd[0], 8192, DRM_PPU_PLACEMENT_VRAM);
	*(uint64_t *)bo.map = 42;
	s.bo_handle = bo.handle;
	DO(fd[0], DRM_IOCTL_PPU_SEM_CREATE, &s);
	CHECK(!drmPrimeHandleToFD(fd[0], bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(drmPrimeFDToHandle(fd[1], dmabuf, &handle) && errno == EBUSY);
	CHECK(!drmPrimeFDToHandle(fd[0], dmabuf, &handle) && handle == bo.handle);
	CHECK_EQ(placement(fd[0], bo.handle), DRM_PPU_PLACEMENT_VRAM);
	DO(fd[0], DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = s.sem_id });
	CHECK(!drmPrimeFDToHandle(fd[1], dmabuf, &handle));
	CHECK_EQ(placement(fd[0], bo.handle), DRM_PPU_PLACEMENT_SYSTEM);
	CHECK_EQ(*(uint64_t *)bo.map, 42);
	/* Now there can be one: its word is that of the mapping which was made when it was VRAM. */
	DO(fd[0], DRM_IOCTL_PPU_SEM_CREATE, &s);
	DO(fd[0], DRM_IOCTL_PPU_SEM_SIGNAL, (&(struct drm_ppu_sem_signal){ .sem_id = s.sem_id, .op = DRM_PPU_SEM_SIGNAL_ADD,
									   .value = 1 }));
	CHECK_EQ(*(uint64_t *)bo.map, 43);
}

TEST(vram_waits, "a channel that waits goes on after its object has moved")
{
	struct side a;
	struct cmds blk;
	struct bo vram;
	uint32_t import;
	int fd[2], dmabuf;

	CHECK_EQ(open_all(fd, 2), 2);
	a = side_new(fd[0]);
	vram = bo_new(a.fd, SHARED_BYTES, DRM_PPU_PLACEMENT_VRAM);
	vm_map(a.fd, a.c.vm, &vram, SHARED_VA);
	fill(vram.map, 4);
	blk = chan_block(&a.c);
	cmd_acquire(&blk, PPU_SEM_OP_EQ, chan_sem_va(&a.c, 0), 1);
	cmd_copy(&blk, SHARED_VA, LOCAL_VA, SHARED_BYTES);
	cmd_wfi(&blk);
	chan_submit(&a.c, &blk);
	CHECK(!drmPrimeHandleToFD(a.fd, vram.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!drmPrimeFDToHandle(fd[1], dmabuf, &import));
	*chan_sem(&a.c, 0) = 1;
	chan_doorbell(&a.c);
	chan_wait_idle(&a.c);
	check(a.local.map, 4);
}

/* Opens a gate a while later, from a thread of its own. */
static void *open_later(void *arg)
{
	sleep_ms(100);
	gate_open(arg);
	return NULL;
}

/* The object is imported while something holds on to it, which ends a while later. */
static void import_meanwhile(int to, struct bo *bo, struct gate *gate)
{
	pthread_t opener;
	uint32_t handle;
	int dmabuf, ret;

	CHECK(!drmPrimeHandleToFD(bo->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!pthread_create(&opener, NULL, open_later, gate));
	ret = drmPrimeFDToHandle(to, dmabuf, &handle);
	CHECK_EQ(ret ? errno : 0, 0);
	CHECK(!pthread_join(opener, NULL));
	CHECK_EQ(placement(bo->fd, bo->handle), DRM_PPU_PLACEMENT_SYSTEM);
	close(dmabuf);
}

/* A job that waits for the gate, in a VM that shows the object. */
static void queue_job(struct bo *bo, struct gate *gate)
{
	struct bo code = bo_new(bo->fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_channel_create k = {
		.vm_id = vm_new(bo->fd), .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8, .timeout_ms = 600000,
	};
	struct cmds b = { .p = code.map, .max = 16, .va = LOCAL_VA };
	struct drm_ppu_sync wait = { .handle = gate->sync };
	struct drm_ppu_entry e;
	struct drm_ppu_submit sub;

	vm_map(bo->fd, k.vm_id, bo, SHARED_VA);
	vm_map(bo->fd, k.vm_id, &code, LOCAL_VA);
	cmd_nop(&b, 1);
	e = (struct drm_ppu_entry){ .va = LOCAL_VA, .length = b.n };
	DO(bo->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	sub = (struct drm_ppu_submit){
		.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(1, &e), .syncs = DRM_PPU_ARRAY(1, &wait),
	};
	DO(bo->fd, DRM_IOCTL_PPU_SUBMIT, &sub);
}

/* A bind of the object that waits for the gate. */
static void queue_bind(struct bo *bo, struct gate *gate)
{
	struct drm_ppu_vm_bind_op op = {
		.op = DRM_PPU_VM_BIND_OP_MAP, .handle = bo->handle, .va = SHARED_VA, .size = SHARED_BYTES,
	};
	struct drm_ppu_sync s[] = { { .handle = gate->sync },
				    { .handle = syncobj(bo->fd), .flags = DRM_PPU_SYNC_SIGNAL } };
	struct drm_ppu_vm_bind b = {
		.vm_id = vm_new(bo->fd), .flags = DRM_PPU_VM_BIND_ASYNC,
		.ops = DRM_PPU_ARRAY(1, &op), .syncs = DRM_PPU_ARRAY(2, s),
	};

	DO(bo->fd, DRM_IOCTL_PPU_VM_BIND, &b);
}

static void vram_soon(void (*queue)(struct bo *, struct gate *))
{
	struct gate gate;
	struct bo bo;
	int fd[2];

	CHECK_EQ(open_all(fd, 2), 2);
	gate = gate_new(fd[0], 0);
	bo = bo_new(fd[0], SHARED_BYTES, DRM_PPU_PLACEMENT_VRAM);
	fill(bo.map, 5);
	queue(&bo, &gate);
	import_meanwhile(fd[1], &bo, &gate);
	check(bo.map, 5);
}

TEST(vram_job_ends, "an import waits for a job that ends soon, in a VM that shows the object")
{
	vram_soon(queue_job);
}

TEST(vram_bind_ends, "an import waits for a bind of the object that ends soon")
{
	vram_soon(queue_bind);
}

static void interrupt(int sig)
{
	(void)sig;
}

TEST(vram_interrupted, "who waits for a job that does not end can be interrupted, and is told in the end")
{
	struct drm_prime_handle args = { 0 };
	struct sigaction sa = { .sa_handler = interrupt };
	struct timespec soon = { .tv_nsec = 20 * MS };
	struct itimerspec when = { .it_value = soon, .it_interval = soon };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct gate gate;
	timer_t timer;
	struct bo bo;
	int fd[2];

	CHECK_EQ(open_all(fd, 2), 2);
	gate = gate_new(fd[0], 0);
	bo = bo_new(fd[0], SHARED_BYTES, DRM_PPU_PLACEMENT_VRAM);
	queue_job(&bo, &gate);
	CHECK(!drmPrimeHandleToFD(fd[0], bo.handle, DRM_CLOEXEC | DRM_RDWR, &args.fd));
	CHECK(!sigaction(SIGUSR1, &sa, NULL) && !timer_create(CLOCK_MONOTONIC, &ev, &timer));
	CHECK(!timer_settime(timer, 0, &when, NULL));
	CHECK(ioctl(fd[1], DRM_IOCTL_PRIME_FD_TO_HANDLE, &args) && errno == EINTR);
	CHECK(!timer_delete(timer));
	CHECK(ioctl(fd[1], DRM_IOCTL_PRIME_FD_TO_HANDLE, &args) && errno == EBUSY);
	gate_open(&gate);
	CHECK(!ioctl(fd[1], DRM_IOCTL_PRIME_FD_TO_HANDLE, &args));
	CHECK_EQ(placement(fd[0], bo.handle), DRM_PPU_PLACEMENT_SYSTEM);
}

TEST(split, "HW-2: one job split over both devices gives the result that one device gives")
{
	int fd[2], in_file, out_file;
	struct bo in, out;
	struct half h[2];
	uint8_t *one = malloc(JOB_BYTES);

	CHECK(one);
	CHECK_EQ(open_all(fd, 2), 2);
	in = bo_new(fd[0], JOB_BYTES, DRM_PPU_PLACEMENT_SYSTEM);
	out = bo_new(fd[0], JOB_BYTES, DRM_PPU_PLACEMENT_SYSTEM);
	for (uint32_t i = 0; i < JOB_BYTES / 4; i++)
		((uint32_t *)in.map)[i] = i * 2654435761u;
	CHECK(!drmPrimeHandleToFD(fd[0], in.handle, DRM_CLOEXEC | DRM_RDWR, &in_file));
	CHECK(!drmPrimeHandleToFD(fd[0], out.handle, DRM_CLOEXEC | DRM_RDWR, &out_file));
	for (unsigned i = 0; i < 2; i++) {
		h[i].fd = fd[i];
		h[i].c = chan_new(fd[i], vm_new(fd[i]), DRM_PPU_CHANNEL_COPY, 16);
		CHECK(!drmPrimeFDToHandle(fd[i], in_file, &h[i].in));
		CHECK(!drmPrimeFDToHandle(fd[i], out_file, &h[i].out));
		CHECK_EQ(vm_try_op(fd[i], h[i].c.vm, DRM_PPU_VM_BIND_OP_MAP, h[i].in, 0, 0x20000000,
				   JOB_BYTES, DRM_PPU_VM_BIND_READONLY), 0);
		CHECK_EQ(vm_try_op(fd[i], h[i].c.vm, DRM_PPU_VM_BIND_OP_MAP, h[i].out, 0, 0x30000000,
				   JOB_BYTES, 0), 0);
	}

	part(&h[0], 0, 64);
	chan_wait_idle(&h[0].c);
	memcpy(one, out.map, JOB_BYTES);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(!memcmp(one + (63 - i) * (JOB_BYTES / 64),
			      (char *)in.map + i * (JOB_BYTES / 64), JOB_BYTES / 64));

	memset(out.map, 0, JOB_BYTES);
	part(&h[0], 0, 23);
	part(&h[1], 23, 64);
	chan_wait_idle(&h[0].c);
	chan_wait_idle(&h[1].c);
	CHECK(!memcmp(one, out.map, JOB_BYTES));
	CHECK(chan_query(&h[0].c).runtime_ns && chan_query(&h[1].c).runtime_ns);
}

HARNESS_MAIN
