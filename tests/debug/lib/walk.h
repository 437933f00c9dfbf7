/* SPDX-License-Identifier: MIT */
/*
 * Walks the error paths of one system call: the call is repeated with the 1st, 2nd, 3rd, ... allocation or user copy in
 * it failing, until no further one is left. A call that fails must return the reason and leave nothing behind: the
 * driver's accounts of this process must be the same as before, and the device must work. (kmemleak, KASAN and lockdep
 * look for anything else that a call may leave behind.)
 */
#ifndef PPU_DEBUG_WALK_H
#define PPU_DEBUG_WALK_H

#include "harness.h"

#define WORLD_VA	0x10000000ull
#define WORLD_VRAM_VA	0x20000000ull
#define WORLD_BO_SIZE	0x10000ull

/* The objects that a call needs. */
#define W_FILE	0x001
#define W_VM	0x002
#define W_BO	0x004	/* system object, bound at WORLD_VA */
#define W_VRAM	0x008	/* VRAM object, bound at WORLD_VRAM_VA */
#define W_USER	0x010	/* user-submit copy channel */
#define W_KERN	0x020	/* kernel-submit copy channel, a block of code */
#define W_SEM	0x040
#define W_SYNC	0x080	/* signalled syncobj, and one without a fence */
#define W_EVENT	0x100	/* eventfd */
#define W_GROUP	0x200
#define W_ALL	0x3ff
/* A failed call may keep memory for its object: do not compare the accounts before the object is destroyed. */
#define W_KEEPS	0x400
/* Perhaps there is nothing in the call that can fail. */
#define W_NONE_OK	0x800
/* On the way to the driver the kernel reports lack of memory with other errors: a path that is not found, no inode. */
#define W_PATH	0x1000

/* The objects for a call; they are closed after each call, with everything that the call added. */
struct world {
	int fd, eventfd;
	uint32_t vm, kern, sem, group, signalled, syncobj;
	struct bo bo, vram;
	struct chan user;
	struct drm_ppu_entry code;
	/*
	 * A limit for waits, some milliseconds from now.  The call must not look at the clock itself: where that is
	 * a system call, it is the one that fails.
	 */
	int64_t soon;
	/* For the call, and what prepares it: a file, an object, a mapping, a path. */
	int other;
	uint32_t object;
	uint64_t offset;
	void *map;
	uint64_t map_size;
	char path[256];
};

void walk(unsigned needs, void (*prepare)(struct world *), int (*call)(struct world *));

/*
 * One test:  WALK(its name, "ioctl", needs, prepare) { return 0 or errno of one call; } walked() says whether there is
 * a test for an ioctl.
 */
#define WALK(id, what, needs, prepare) \
	static int call_##id(struct world *w); \
	TEST_T(id, 120, "error paths of " what) { walk(needs, prepare, call_##id); } \
	__attribute__((constructor)) static void note_##id(void) { walk_note(what); } \
	static int call_##id(struct world *w)

void walk_note(const char *what);
bool walked(const char *what);

#endif
