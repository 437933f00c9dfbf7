/* SPDX-License-Identifier: MIT */
/* Fences of objects: what SUBMIT's bos wait for and leave behind. */
#include <linux/dma-buf.h>
#include <poll.h>
#include <pthread.h>

#include "fence.h"
#include "harness.h"

#define WRITE	DRM_PPU_SUBMIT_BO_WRITE

/* A kernel-submit channel; with a group it does not run before the group is enabled. */
struct kchan {
	int fd;
	uint32_t id, group;
	struct drm_ppu_entry nop;
};

static struct kchan kchan_new(int fd, bool disabled)
{
	struct drm_ppu_group_create g = { .flags = DRM_PPU_GROUP_START_DISABLED };
	struct drm_ppu_channel_create a = {
		.vm_id = vm_new(fd), .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 16, .timeout_ms = 30000,
	};
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = bo.map, .max = 16, .va = 0x10000000 };

	if (disabled)
		DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	a.group_id = g.group_id;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	vm_map(fd, a.vm_id, &bo, b.va);
	cmd_nop(&b, 1);
	return (struct kchan){
		.fd = fd, .id = a.channel_id, .group = g.group_id, .nop = { .va = b.va, .length = b.n },
	};
}

static void enable(struct kchan *k)
{
	struct drm_ppu_group_control c = { .group_id = k->group, .op = DRM_PPU_GROUP_ENABLE };

	DO(k->fd, DRM_IOCTL_PPU_GROUP_CONTROL, &c);
}

static int submit_err(struct kchan *k, struct drm_ppu_submit_bo *bos, unsigned n, uint32_t sync)
{
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = sync };
	struct drm_ppu_submit a = {
		.channel_id = k->id, .entries = DRM_PPU_ARRAY(1, &k->nop), .syncs = DRM_PPU_ARRAY(sync ? 1 : 0, &s),
		.bos = DRM_PPU_ARRAY(n, bos),
	};

	return try_ioctl(k->fd, DRM_IOCTL_PPU_SUBMIT, &a);
}

/* A job that names one object; the syncobj of its out-fence. */
static uint32_t job(struct kchan *k, uint32_t handle, uint32_t flags)
{
	struct drm_ppu_submit_bo b = { .handle = handle, .flags = flags };
	uint32_t sync = syncobj(k->fd);

	CHECK_EQ(submit_err(k, &b, 1, sync), 0);
	return sync;
}

/* Another channel has run a job from its queue to its end. */
static void others_run(int fd)
{
	struct kchan k = kchan_new(fd, false);
	uint32_t sync = syncobj(fd);

	CHECK_EQ(submit_err(&k, NULL, 0, sync), 0);
	CHECK_EQ(wait_sync(fd, sync, 20000), 0);
}

static bool done(int fd, uint32_t sync)
{
	return !drmSyncobjWait(fd, &sync, 1, 0, 0, NULL);
}

static int export(int fd, uint32_t handle)
{
	int dmabuf;

	CHECK(!drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	return dmabuf;
}

/* What poll() says of a dma-buf at once: POLLIN, nobody writes; POLLOUT, nobody uses it. */
static int ready(int dmabuf)
{
	struct pollfd p = { .fd = dmabuf, .events = POLLIN };
	int r = poll(&p, 1, 0) == 1 ? p.revents : 0;

	p.events = POLLOUT;
	return r | (poll(&p, 1, 0) == 1 ? p.revents : 0);
}

TEST(args, "SUBMIT refuses objects that are wrong")
{
	int fd = open_ppu();
	struct kchan k = kchan_new(fd, false);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_submit_bo b[257] = { { .handle = bo.handle }, { .handle = bo.handle, .flags = WRITE } };
	struct drm_ppu_submit a = { .channel_id = k.id, .bos = { 8, 1, BAD_PTR } };

	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, EFAULT);
	a.bos.stride = 4;
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &a, EINVAL);
	CHECK_EQ(submit_err(&k, b, 1, 0), 0);
	CHECK_EQ(submit_err(&k, b, 2, 0), EINVAL);
	CHECK_EQ(submit_err(&k, b, 257, 0), E2BIG);
	b[1].handle = 9999;
	CHECK_EQ(submit_err(&k, b, 2, 0), ENOENT);
	b[0].flags = 2;
	CHECK_EQ(submit_err(&k, b, 1, 0), EINVAL);
	b[0].flags = WRITE;
	CHECK_EQ(submit_err(&k, b, 1, 0), 0);
}

TEST(writer, "readers of another file wait for a writer, and the dma-buf tells of it")
{
	for (uint32_t p = 0; p < 2; p++) {
		int a = open_ppu(), b = open_ppu();
		struct bo bo = bo_new(a, 8192, p ? DRM_PPU_PLACEMENT_VRAM : DRM_PPU_PLACEMENT_SYSTEM);
		struct kchan w = kchan_new(a, true), r = kchan_new(b, false);
		int dmabuf = export(a, bo.handle);
		uint32_t theirs, wrote, has_read;

		CHECK(!drmPrimeFDToHandle(b, dmabuf, &theirs));
		CHECK_EQ(ready(dmabuf), POLLIN | POLLOUT);
		wrote = job(&w, bo.handle, WRITE);
		has_read = job(&r, theirs, 0);
		others_run(b);
		CHECK_EQ(ready(dmabuf), 0);
		CHECK(!done(a, wrote) && !done(b, has_read));
		enable(&w);
		CHECK_EQ(wait_sync(b, has_read, 20000), 0);
		CHECK(done(a, wrote));
		WAIT_FOR(ready(dmabuf) == (POLLIN | POLLOUT), 5000);
	}
}

TEST(readers, "readers do not wait for each other, a writer waits for them")
{
	int fd = open_ppu(), dmabuf;
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	struct kchan slow = kchan_new(fd, true), fast = kchan_new(fd, false), w = kchan_new(fd, false);
	uint32_t first, wrote;

	dmabuf = export(fd, bo.handle);
	first = job(&slow, bo.handle, 0);
	CHECK_EQ(wait_sync(fd, job(&fast, bo.handle, 0), 20000), 0);
	CHECK_EQ(ready(dmabuf), POLLIN);
	wrote = job(&w, bo.handle, WRITE);
	others_run(fd);
	CHECK(!done(fd, first) && !done(fd, wrote));
	/* Who does not name the object does not wait. */
	CHECK_EQ(submit_err(&fast, NULL, 0, first = syncobj(fd)), 0);
	CHECK_EQ(wait_sync(fd, first, 20000), 0);
	enable(&slow);
	CHECK_EQ(wait_sync(fd, wrote, 20000), 0);
}

TEST(foreign, "a fence that somebody else attached is waited for; ours can be exported")
{
	int fd = open_ppu(), dmabuf;
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	struct dma_buf_import_sync_file in = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_READ };
	struct kchan k = kchan_new(fd, false);
	struct gate gate = gate_new(fd, 0);
	struct pollfd p = { .events = POLLIN };
	uint32_t sync;

	dmabuf = export(fd, bo.handle);
	CHECK(!drmSyncobjExportSyncFile(fd, gate.sync, &in.fd));
	CHECK(!ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in));
	sync = job(&k, bo.handle, WRITE);
	CHECK(!ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out));
	p.fd = out.fd;
	others_run(fd);
	CHECK(!done(fd, sync));
	CHECK_EQ(poll(&p, 1, 0), 0);
	gate_open(&gate);
	CHECK_EQ(poll(&p, 1, PATIENCE(20000)), 1);
	CHECK(done(fd, sync));
}

struct rounds {
	struct kchan k;
	struct drm_ppu_submit_bo bos[2];
};

static void *submit_rounds(void *arg)
{
	struct rounds *r = arg;
	uint32_t sync = syncobj(r->k.fd);

	for (int i = 0; i < 300; i++)
		CHECK_EQ(submit_err(&r->k, r->bos, 2, sync), 0);
	CHECK_EQ(wait_sync(r->k.fd, sync, 60000), 0);
	return NULL;
}

TEST(orders, "two threads that name the same objects in different orders both come to an end")
{
	int fd = open_ppu();
	struct bo x = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM), y = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct rounds r[2] = {
		{ kchan_new(fd, false), { { x.handle, WRITE }, { y.handle, WRITE } } },
		{ kchan_new(fd, false), { { y.handle, WRITE }, { x.handle, 0 } } },
	};
	pthread_t t;

	CHECK(!pthread_create(&t, NULL, submit_rounds, &r[0]));
	submit_rounds(&r[1]);
	CHECK(!pthread_join(t, NULL));
}

TEST(killed, "the fence signals when the channel is destroyed before the job could run")
{
	int fd = open_ppu(), dmabuf;
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct kchan k = kchan_new(fd, true);
	struct drm_ppu_channel_destroy d = { .channel_id = k.id };

	dmabuf = export(fd, bo.handle);
	job(&k, bo.handle, WRITE);
	CHECK_EQ(ready(dmabuf), 0);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	WAIT_FOR(ready(dmabuf) == (POLLIN | POLLOUT), 20000);
}

HARNESS_MAIN
