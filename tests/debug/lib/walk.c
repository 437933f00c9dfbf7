/* SPDX-License-Identifier: MIT */
#include <sys/eventfd.h>

#include "failnth.h"
#include "walk.h"

#define MAX_POINTS 5000

/* ---- the world of one call ---- */

static uint32_t syncobj_new(int fd, uint32_t flags)
{
	uint32_t handle;

	CHECK(!drmSyncobjCreate(fd, flags, &handle));
	return handle;
}

static void kern_new(struct world *w)
{
	struct drm_ppu_channel_create a = {
		.vm_id = w->vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
	};
	struct cmds b = { .p = w->bo.map, .max = 64, .va = WORLD_VA };

	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	w->kern = a.channel_id;
	cmd_release(&b, WORLD_VA + 4096, 1);
	w->code = (struct drm_ppu_entry){ .va = WORLD_VA, .length = b.n };
}

static void world_open(struct world *w, unsigned needs)
{
	memset(w, 0, sizeof(*w));
	w->fd = w->other = w->eventfd = -1;
	if (!(needs & ~W_PATH))
		return;
	w->fd = open_ppu();
	if (needs & (W_BO | W_VRAM | W_USER | W_KERN))
		needs |= W_VM;
	if (needs & W_VM)
		w->vm = vm_new(w->fd);
	if (needs & (W_BO | W_KERN)) {
		w->bo = bo_new(w->fd, WORLD_BO_SIZE, DRM_PPU_PLACEMENT_SYSTEM);
		vm_map(w->fd, w->vm, &w->bo, WORLD_VA);
	}
	if (needs & W_VRAM) {
		w->vram = bo_new(w->fd, WORLD_BO_SIZE, DRM_PPU_PLACEMENT_VRAM);
		vm_map(w->fd, w->vm, &w->vram, WORLD_VRAM_VA);
	}
	if (needs & W_USER)
		w->user = chan_new(w->fd, w->vm, DRM_PPU_CHANNEL_COPY, 8);
	if (needs & W_KERN)
		kern_new(w);
	if (needs & W_SEM) {
		struct drm_ppu_sem_create a = { 0 };

		DO(w->fd, DRM_IOCTL_PPU_SEM_CREATE, &a);
		w->sem = a.sem_id;
	}
	if (needs & W_SYNC) {
		w->signalled = syncobj_new(w->fd, DRM_SYNCOBJ_CREATE_SIGNALED);
		w->syncobj = syncobj_new(w->fd, 0);
	}
	if (needs & W_EVENT)
		w->eventfd = eventfd(0, EFD_NONBLOCK);
	if (needs & W_GROUP) {
		struct drm_ppu_group_create a = { 0 };

		DO(w->fd, DRM_IOCTL_PPU_GROUP_CREATE, &a);
		w->group = a.group_id;
	}
}

static void unmap(void *p, uint64_t size)
{
	if (p)
		CHECK(!munmap(p, size));
}

static void world_close(struct world *w)
{
	unmap(w->map, w->map_size);
	unmap(w->bo.map, w->bo.size);
	unmap(w->vram.map, w->vram.size);
	if (w->user.id) {
		unmap((void *)w->user.ring, w->user.args.ring_size);
		unmap((void *)w->user.userd, PPU_USERD_STRIDE);
		unmap(w->user.blocks.map, w->user.blocks.size);
		unmap(w->user.sems.map, w->user.sems.size);
	}
	if (w->fd >= 0)
		close(w->fd);
	if (w->other >= 0)
		close(w->other);
	if (w->eventfd >= 0)
		close(w->eventfd);
}

/* ---- walking ---- */

#define MAX_RESOURCES 32

struct usage {
	uint64_t vram;
	struct drm_ppu_limit of[MAX_RESOURCES];
};

/* The driver's accounts of this process and of the device. */
static struct usage usage(int fd)
{
	struct usage u = { .vram = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) };
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(u.of), .ptr = (uintptr_t)u.of,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return u;
}

/*
 * Checks that nothing is left behind. (More VRAM than before may be free: the memory of an earlier test is freed late.)
 */
static bool same(int fd, const struct usage *was)
{
	struct usage now = usage(fd);

	return now.vram >= was->vram && !memcmp(now.of, was->of, sizeof(now.of));
}

static void device_works(void)
{
	struct world w;
	struct cmds b;

	world_open(&w, W_USER);
	b = chan_block(&w.user);
	cmd_release(&b, chan_sem_va(&w.user, 0), 5);
	chan_submit(&w.user, &b);
	chan_wait_idle(&w.user);
	CHECK_EQ(*chan_sem(&w.user, 0), 5);
	world_close(&w);
}

static bool expected(int err, unsigned needs)
{
	if (!err || err == ENOMEM || err == EFAULT)
		return true;
	return needs & W_PATH && (err == ENOENT || err == ENOSPC || err == ENFILE || err == EAGAIN);
}

/* The call with its Nth point failing. Returns true if there was one. */
static bool walk_point(struct world *w, unsigned needs, unsigned n, int (*call)(struct world *), int *err)
{
	bool injected;

	w->soon = (int64_t)(now_ns() + 20 * MS);
	failnth_arm(n);
	*err = call(w);
	injected = failnth_disarm();
	if (!injected && *err)
		FAIL("fails with nothing injected: %s", strerror(*err));
	if (!expected(*err, needs))
		FAIL("point %u: %s", n, strerror(*err));
	return injected;
}

void walk(unsigned needs, void (*prepare)(struct world *), int (*call)(struct world *))
{
	int witness = open_ppu(), err = 0;
	unsigned n, failed = 0;
	struct usage before, prepared;
	bool injected = true, have_world = false;
	struct world w;

	failnth_setup();
	before = usage(witness);
	for (n = 1; injected; n++) {
		if (n > MAX_POINTS)
			FAIL("still failing after %u points", n);
		if (!have_world) {
			world_open(&w, needs);
			if (prepare)
				prepare(&w);
			prepared = usage(witness);
		}
		injected = walk_point(&w, needs, n, call, &err);
		failed += err != 0;
		/*
		 * Without memory nothing happened: the next call finds what this one
		 * did. Other calls may have done something before they failed.
		 */
		have_world = err == ENOMEM && !(needs & W_KEEPS);
		if (have_world) {
			WAIT_FOR(same(witness, &prepared), 20000);
		} else {
			world_close(&w);
			WAIT_FOR(same(witness, &before), 20000);
		}
	}
	printf("# %u points, %u calls failed\n", n - 2, failed);
	/* Most calls at least copy an argument: otherwise nothing was injected. */
	CHECK(n > 2 || needs & W_NONE_OK);
	device_works();
	close(witness);
}

#define MAX_WALKS 128

static const char *noted[MAX_WALKS];
static unsigned num_noted;

void walk_note(const char *what)
{
	if (num_noted < MAX_WALKS)
		noted[num_noted++] = what;
}

bool walked(const char *what)
{
	for (unsigned i = 0; i < num_noted; i++)
		if (!strcmp(noted[i], what))
			return true;
	return false;
}
