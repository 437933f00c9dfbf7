/* SPDX-License-Identifier: MIT */
/*
 * The error paths of what is done with the device's file other than the ioctls
 * of the uAPI, and of the calls that DRM's core passes to the driver: see
 * lib/walk.h.
 */
#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>

#include "walk.h"

/* ---- open and close ---- */

static void node_path(struct world *w)
{
	int fd = open_ppu();
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, w->path, sizeof(w->path) - 1);
	CHECK(n > 0);
	w->path[n] = 0;
	close(fd);
}

WALK(open, "open", W_PATH, node_path)
{
	w->other = open(w->path, O_RDWR | O_CLOEXEC);
	return w->other < 0 ? errno : 0;
}

/* A file with all kinds of objects: also queued work, waits and events. */
static void traffic(struct world *w)
{
	struct drm_ppu_event_register e = {
		.type = DRM_PPU_EVENT_SEM, .object_id = w->sem, .value = 4,
		.flags = DRM_PPU_EVENT_ONESHOT, .eventfd = w->eventfd,
	};
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->syncobj };
	struct drm_ppu_submit s = {
		.channel_id = w->kern, .entries = DRM_PPU_ARRAY(1, &w->code),
		.syncs = DRM_PPU_ARRAY(1, &sync),
	};
	struct cmds b = chan_block(&w->user);

	DO(w->fd, DRM_IOCTL_PPU_EVENT_REGISTER, &e);
	DO(w->fd, DRM_IOCTL_PPU_SUBMIT, &s);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&w->user, 0), 1);
	chan_submit(&w->user, &b);
}

WALK(close, "close", W_ALL | W_NONE_OK, traffic)
{
	int fd = w->fd;

	w->fd = -1;
	return close(fd) ? errno : 0;
}

/* ---- mappings ---- */

static void bo_offset(struct world *w, uint32_t handle)
{
	struct drm_ppu_gem_mmap_offset a = { .handle = handle };

	DO(w->fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &a);
	w->offset = a.offset;
	w->map_size = WORLD_BO_SIZE;
}

static void system_offset(struct world *w)
{
	bo_offset(w, w->bo.handle);
}

static void vram_offset(struct world *w)
{
	bo_offset(w, w->vram.handle);
}

static void ring_offset(struct world *w)
{
	w->offset = w->user.args.ring_offset;
	w->map_size = w->user.args.ring_size;
}

static void userd_offset(struct world *w)
{
	w->offset = w->user.args.userd_offset;
	w->map_size = PPU_USERD_STRIDE;
}

/* Far from everything: there are no page tables yet. */
#define MAP_ADDR ((void *)0x200000000000)

static int map(struct world *w)
{
	void *p = mmap(MAP_ADDR, w->map_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, w->fd,
		       (off_t)w->offset);

	if (p == MAP_FAILED)
		return errno;
	w->map = p;
	return 0;
}

WALK(mmap_system, "mmap", W_BO, system_offset)
{
	return map(w);
}

WALK(mmap_vram, "mmap", W_VRAM, vram_offset)
{
	return map(w);
}

WALK(mmap_ring, "mmap", W_USER, ring_offset)
{
	return map(w);
}

WALK(mmap_userd, "mmap", W_USER, userd_offset)
{
	return map(w);
}

/* A page fault tries again when it gets no memory: the access works in the end. */
static int touch(struct world *w)
{
	volatile uint32_t *p = w->map;

	p[w->map_size / 8] = 7;
	return p[w->map_size / 8] == 7 ? 0 : EIO;
}

static void mapped_system(struct world *w)
{
	system_offset(w);
	CHECK(!map(w));
}

static void mapped_vram(struct world *w)
{
	vram_offset(w);
	CHECK(!map(w));
}

WALK(fault_system, "page fault", W_BO, mapped_system)
{
	return touch(w);
}

WALK(fault_vram, "page fault", W_VRAM, mapped_vram)
{
	return touch(w);
}

WALK(munmap_bo, "munmap", W_BO, mapped_system)
{
	void *p = w->map;
	int err = munmap(p, w->map_size) ? errno : 0;

	if (!err)
		w->map = NULL;
	return err;
}

/* ---- poll, read ---- */

WALK(poll, "poll", W_FILE, NULL)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? errno : 0;
}

/* No event is ever queued on the file: read() reports that, or fails before. */
static void read_nonblock(struct world *w)
{
	CHECK(!fcntl(w->fd, F_SETFL, O_NONBLOCK));
}

WALK(read, "read", W_FILE, read_nonblock)
{
	char event[64];
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	/* read() itself allocates nothing here: poll() shows that the walk works. */
	if (poll(&p, 1, 0) < 0)
		return errno;
	return read(w->fd, event, sizeof(event)) < 0 && errno == EAGAIN ? 0 : EIO;
}

static int read_file(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	while (!err) {
		ssize_t n = read(fd, text, sizeof(text));

		if (n < 0)
			err = errno;
		else if (!n)
			break;
	}
	close(fd);
	return err;
}

static void fdinfo_path(struct world *w)
{
	snprintf(w->path, sizeof(w->path), "/proc/self/fdinfo/%d", w->fd);
}

WALK(fdinfo, "reading fdinfo", W_ALL | W_PATH, fdinfo_path)
{
	return read_file(w->path);
}

/* The directory that has our files. */
static void debugfs_path(struct world *w, const char *file)
{
	for (int i = 0; i < 192; i++) {
		snprintf(w->path, sizeof(w->path), "/sys/kernel/debug/dri/%d/vram", i);
		if (!access(w->path, R_OK)) {
			snprintf(w->path, sizeof(w->path), "/sys/kernel/debug/dri/%d/%s", i, file);
			return;
		}
	}
	FAIL("no debugfs files");
}

#define DEBUGFS(file) \
	static void path_##file(struct world *w) { debugfs_path(w, #file); } \
	WALK(debugfs_##file, "reading debugfs", W_ALL | W_PATH, path_##file) { return read_file(w->path); }

DEBUGFS(channels)
DEBUGFS(vms)
DEBUGFS(page_tables)
DEBUGFS(faults)
DEBUGFS(regs)
DEBUGFS(vram)
DEBUGFS(engine)

/* ---- calls that come through the DRM core ---- */

WALK(gem_close, "GEM_CLOSE", W_BO, NULL)
{
	struct drm_gem_close a = { .handle = w->bo.handle };

	return try_ioctl(w->fd, DRM_IOCTL_GEM_CLOSE, &a);
}

WALK(prime_export, "PRIME_HANDLE_TO_FD", W_BO | W_PATH, NULL)
{
	struct drm_prime_handle a = { .handle = w->bo.handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int err = try_ioctl(w->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &a);

	if (!err)
		w->other = a.fd;
	return err;
}

/* A buffer of another driver. */
static void foreign_buffer(struct world *w)
{
	struct drm_mode_create_dumb dumb = { .width = 256, .height = 64, .bpp = 32 };
	int fd = -1;

	for (int i = 0; i < 16 && fd < 0; i++) {
		drmVersionPtr v;

		snprintf(w->path, sizeof(w->path), "/dev/dri/card%d", i);
		fd = open(w->path, O_RDWR | O_CLOEXEC);
		v = fd < 0 ? NULL : drmGetVersion(fd);
		if (fd >= 0 && (!v || strcmp(v->name, "vgem"))) {
			close(fd);
			fd = -1;
		}
		drmFreeVersion(v);
	}
	CHECK(fd >= 0);
	DO(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	CHECK(!drmPrimeHandleToFD(fd, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &w->other));
	close(fd);
}

WALK(prime_import, "PRIME_FD_TO_HANDLE", W_FILE | W_PATH, foreign_buffer)
{
	struct drm_prime_handle a = { .fd = w->other };

	return try_ioctl(w->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &a);
}

HARNESS_MAIN
