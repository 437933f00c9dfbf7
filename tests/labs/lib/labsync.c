// SPDX-License-Identifier: MIT
/* Syncobjs, sync files, other drivers' fences, and a set of buffers and channels (struct lw). See labsync.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <drm.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include "lab_uapi.h"
#include "lablib.h"
#include "labsync.h"

#ifdef DRM_IOCTL_LAB_SUBMIT		/* from lab 5 on */

static int call(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, cmd, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* --- syncobjs and sync files ----------------------------------------------------------------- */

int ls_new(int fd, uint32_t *handle)
{
	struct drm_syncobj_create args = { 0 };
	int ret = call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	*handle = args.handle;
	return ret;
}

int ls_close(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	return call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

int ls_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct timespec now;
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)&handle, .count_handles = 1, .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (timeout_ns)
		args.timeout_nsec = now.tv_sec * 1000000000ll + now.tv_nsec + timeout_ns;
	return call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

int ls_signal(int fd, uint32_t handle)
{
	struct drm_syncobj_array args = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	return call(fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &args);
}

int ls_export(int fd, uint32_t handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1,
	};
	int ret = call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

int ls_import(int fd, int sync, uint32_t *handle)
{
	struct drm_syncobj_handle args = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = sync,
	};
	int ret = ls_new(fd, handle);

	args.handle = *handle;
	return ret ? ret : call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
}

static int info(int sync, struct sync_fence_info *fence, int *status)
{
	struct sync_file_info args = { .num_fences = 1, .sync_fence_info = (uintptr_t)fence };
	int ret = call(sync, SYNC_IOC_FILE_INFO, &args);

	*status = args.status;
	return ret;
}

int ls_status(int sync)
{
	struct sync_fence_info fence = { 0 };
	int status, ret = info(sync, &fence, &status);

	return ret ? ret : status;
}

bool ls_names(int sync, char *driver, char *timeline)
{
	struct sync_fence_info fence = { 0 };
	int status;

	if (info(sync, &fence, &status))
		return false;
	memcpy(driver, fence.driver_name, 32);
	memcpy(timeline, fence.obj_name, 32);
	driver[31] = timeline[31] = 0;
	return true;
}

bool ls_poll(int sync, int timeout_ms)
{
	struct pollfd p = { .fd = sync, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}

/* --- vgem -------------------------------------------------------------------------------------- */

struct vgem_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_signal {
	uint32_t fence, flags;
};

#define VGEM_WRITE	1
#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_signal)

static int vgem_open(void)
{
	char path[64], name[16];

	for (int i = 0; i < 64; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(name, 0, sizeof(name));
		if (!call(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

int ls_foreign(struct ls_foreign *f)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 16, .bpp = 32 };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct vgem_attach attach = { .flags = VGEM_WRITE };
	int ret;

	f->fd = vgem_open();
	if (f->fd < 0)
		return f->fd;
	ret = call(f->fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	f->handle = attach.handle = prime.handle = dumb.handle;
	if (!ret)
		ret = call(f->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	f->dmabuf = prime.fd;
	if (!ret)
		ret = call(f->fd, VGEM_ATTACH, &attach);
	f->fence = attach.out_fence;
	if (!ret)
		ret = call(f->dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export);
	return ret ? ret : export.fd;
}

void ls_foreign_signal(struct ls_foreign *f)
{
	struct vgem_signal args = { .fence = f->fence };

	call(f->fd, VGEM_SIGNAL, &args);
}

void ls_foreign_end(struct ls_foreign *f)
{
	close(f->dmabuf);
	close(f->fd);
}

/* --- a submission in a thread ------------------------------------------------------------------- */

static void *submit_thread(void *arg)
{
	struct ls_thread *t = arg;

	t->tid = (int)syscall(SYS_gettid);
	t->ret = ld_submit_sync(t->fd, t->chan, t->handle, t->offset, (uint32_t)t->words, t->in, t->out, NULL);
	t->done = 1;
	return NULL;
}

void ls_submit_start(struct ls_thread *t)
{
	t->tid = t->done = 0;
	if (pthread_create(&t->thread, NULL, submit_thread, t))
		lab_fatal("the exercise cannot make a thread");
}

/* The thread's state, a letter as in ps(1), if the thread is in this system call; otherwise 0. */
static char state_in(int tid, int syscall_nr)
{
	const char *stat = strrchr(lab_read_file("/proc/self/task/%d/stat", tid), ')');

	if (!stat || !stat[1] || atoi(lab_read_file("/proc/self/task/%d/syscall", tid)) != syscall_nr)
		return 0;
	return stat[2];
}

enum ls_state ls_submit_state(struct ls_thread *t)
{
	/* A thread in state S at three looks sleeps for good. State D, as for a lock, must last 100 looks to count. */
	for (int asleep = 0, deaf = 0; !t->done; lab_sleep_ms(5)) {
		char state = t->tid ? state_in(t->tid, SYS_ioctl) : 0;

		asleep = state == 'S' ? asleep + 1 : 0;
		deaf = state == 'D' ? deaf + 1 : 0;
		if (asleep == 3)
			return LS_ASLEEP;
		if (deaf == 100)
			return LS_DEAF;
	}
	return LS_DONE;
}

int ls_submit_end(struct ls_thread *t)
{
	pthread_join(t->thread, NULL);
	return t->ret;
}

/* --- a sleeper ---------------------------------------------------------------------------------- */

static void *sleeper_thread(void *arg)
{
	struct ls_sleeper *s = arg;

	s->tid = (int)syscall(SYS_gettid);
	/* No time-out: at its end the kernel would look at the fence once more, as if it had been woken. */
	ls_poll(s->sync, -1);
	s->done = 1;
	return NULL;
}

void ls_sleep_start(struct ls_sleeper *s, int sync)
{
	*s = (struct ls_sleeper){ .sync = sync };
	if (pthread_create(&s->thread, NULL, sleeper_thread, s))
		lab_fatal("the exercise cannot make a thread");
	while (!s->done && !(s->tid && state_in(s->tid, SYS_poll) == 'S'))
		lab_sleep_ms(1);
}

bool ls_sleep_end(struct ls_sleeper *s)
{
	bool woken = lab_until(s->done, 10);

	if (!woken)
		pthread_cancel(s->thread);
	pthread_join(s->thread, NULL);
	return woken;
}

/* --- buffers and channels ------------------------------------------------------------------------- */

/* Each struct lw has its commands at other addresses, so that a trace tells them apart. */
static uint32_t used, worlds;

#define FIRST_VA	0x0000000100000000ull
#define BLOCK_BYTES	65536u
#define WORDS_BYTES	4096u

static void map(struct lw *w, struct lw_buf *b)
{
	int ret;

	b->p = ld_map(w->fd, b->handle, b->bytes);
	if (!b->p)
		lab_fatal("a buffer cannot be mapped into the process: lab 4 has to work first");
#ifdef DRM_IOCTL_LAB_VM_BIND
	b->va = w->next_va;
	w->next_va += (b->bytes + 0xfffff) & ~0xfffffull;
	ret = ld_bind(w->fd, b->handle, b->va, 0, b->bytes, 0);
#else
	ret = ld_va(w->fd, b->handle, &b->va);
#endif
	if (ret)
		lab_fatal("a buffer has no address for the device: %s", strerror(-ret));
}

struct lw_buf lw_buf(struct lw *w, size_t bytes, uint32_t fill)
{
	struct lw_buf b = { .bytes = bytes };
	int ret = ld_bo(w->fd, bytes, &b.handle);

	if (ret)
		lab_fatal("GEM_CREATE of %zu bytes failed: %s", bytes, strerror(-ret));
	map(w, &b);
	if (w->num == sizeof(w->all) / sizeof(w->all[0]))
		lab_fatal("the exercise has too many buffers");
	w->all[w->num++] = b;
	for (size_t i = 0; i < bytes / 4; i++)
		b.p[i] = fill;
	return b;
}

void lw_open(struct lw *w)
{
	memset(w, 0, sizeof(*w));
	w->fd = ld_must_open();
	w->next_va = FIRST_VA + worlds++ * 0x100000000ull;
	w->block = lw_buf(w, BLOCK_BYTES, 0);
	w->b.words = w->block.p;
	w->b.used = used;
	w->words = lw_buf(w, WORDS_BYTES, 0);
}

/* The mappings keep the file open, so they go first. */
void lw_close(struct lw *w)
{
	used = w->b.used;
	while (w->num--)
		munmap((void *)w->all[w->num].p, w->all[w->num].bytes);
	close(w->fd);
}

uint32_t lw_chan(struct lw *w, uint32_t class, uint32_t priority, uint32_t slice_us)
{
	uint32_t id;
	int ret = ld_chan_with(w->fd, class, 64, priority, slice_us, &id);

	if (ret)
		lab_fatal("CHAN_CREATE (class %u, priority %u, time slice %u us) failed: %s", class, priority,
			  slice_us, strerror(-ret));
	return id;
}

uint64_t lw_word(struct lw *w, unsigned int i)
{
	return w->words.va + i * 8;
}

/* The device does not see plain stores of the CPU, so every channel is told to look. */
void lw_set(struct lw *w, unsigned int i, uint64_t value)
{
	*(volatile uint64_t *)(w->words.p + i * 2) = value;
	__sync_synchronize();
	for (uint32_t chid = 1; chid < 64; chid++)
		lab_reg_write(PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + PPU_REG_USERD_KICK, 1);
}

void lw_begin(struct lw *w)
{
	w->begin = w->b.used;
	if (w->begin + 256 > BLOCK_BYTES / 4)
		lab_fatal("the exercise has no room for more commands");
}

uint64_t lw_block_va(struct lw *w)
{
	return w->block.va + w->begin * 4ull;
}

int lw_submit(struct lw *w, uint32_t chan, uint32_t in, uint32_t out, uint64_t *seqno)
{
	return ld_submit_sync(w->fd, chan, w->block.handle, w->begin * 4ull, w->b.used - w->begin, in, out, seqno);
}

unsigned int lw_blocked(void)
{
	unsigned int n = 0;

	for (uint32_t chid = 1; chid < 64; chid++)
		n += !!(lab_reg(PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + PPU_REG_USERD_STATUS) &
			PPU_CHS_SEM_BLOCKED);
	return n;
}

#endif
