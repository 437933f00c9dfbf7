/* SPDX-License-Identifier: MIT */
/*
 * SEM_CREATE while another thread of the same file guesses the handles and ids that it is about to give, closes them
 * and takes them for objects of its own: what SEM_CREATE takes back after an error is never somebody else's.
 *
 * Here its results cannot be told (EFAULT).  tests/debug/test_guess_failnth.c is the same with allocations that fail.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

#define ROUNDS 1000
#define GUESSES 24		/* handles and ids up to this one */
#define OWN_PAGES 7		/* nobody else has objects of this size */

static struct {
	int fd;
	atomic_bool over;
	uint64_t made, told, destroyed;	/* semaphores; told: whose SEM_CREATE said so */
	uint64_t kept;			/* handles that were taken and looked at */
} world;

static int sem_create(struct drm_ppu_sem_create *a)
{
	return try_ioctl(world.fd, DRM_IOCTL_PPU_SEM_CREATE, a);
}

#ifndef GUESS_FAILNTH
static void failnth_setup(void) { }
static void failnth_arm(unsigned n) { (void)n; }
static void failnth_disarm(void) { }
#endif

static void *create(void *arg)
{
	struct drm_ppu_sem_create *unwritable = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned failed = 0;

	CHECK(unwritable != MAP_FAILED);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct drm_ppu_sem_create a = { 0 };
		int err;

		/* A result that cannot be told: the semaphore is there, and its handle. */
		if (i % 4 == 0) {
			err = sem_create(unwritable);
			CHECK(err == EFAULT || err == ENOSPC);
			world.made += err == EFAULT;
			continue;
		}
		failnth_arm(1 + i % 16);
		err = sem_create(&a);
		failnth_disarm();
		/* EFAULT: it was the result, on its way back; what was made is there. Or the arguments: nothing is. */
		failed += err != 0;
		if (!err)
			world.told++;
		else
			CHECK(err == ENOMEM || err == EFAULT || err == ENOSPC);
	}
	world.over = true;
	printf("# %u calls failed\n", failed);
#ifdef GUESS_FAILNTH
	CHECK(failed > ROUNDS / 20);
#endif
	return arg;
}

static bool is_own(uint32_t handle)
{
	struct drm_ppu_gem_info info = { .handle = handle };

	return !try_ioctl(world.fd, DRM_IOCTL_PPU_GEM_INFO, &info) && info.size == OWN_PAGES * 4096;
}

/* Closes a handle that it guessed, and keeps the one that it gets for an object of its own for some time. */
static void take_handle(uint32_t guess)
{
	struct drm_ppu_gem_create c = { .size = OWN_PAGES * 4096, .placement = DRM_PPU_PLACEMENT_SYSTEM };

	if (try_ioctl(world.fd, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){ .handle = guess }))
		return;
	DO(world.fd, DRM_IOCTL_PPU_GEM_CREATE, &c);
	for (unsigned i = 0; i < 20; i++)
		if (!is_own(c.handle))
			FAIL("handle %u, guessed %u, is another's now", c.handle, guess);
	world.kept++;
	DO(world.fd, DRM_IOCTL_GEM_CLOSE, (&(struct drm_gem_close){ .handle = c.handle }));
}

static void *guess(void *arg)
{
	while (!world.over)
		for (uint32_t n = 1; n <= GUESSES; n++) {
			take_handle(n);
			if (!try_ioctl(world.fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = n }))
				world.destroyed++;
		}
	return arg;
}

static uint64_t sems_used(void)
{
	struct drm_ppu_limit l[DRM_PPU_RES_SEMS + 1];
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_LIMITS, .size = sizeof(l), .ptr = (uintptr_t)l };

	DO(world.fd, DRM_IOCTL_PPU_QUERY, &q);
	return l[DRM_PPU_RES_SEMS].used;
}

TEST(guessed_handles, "guessed handles and ids do no harm: an error of SEM_CREATE closes nobody's object, no semaphore is lost")
{
	uint64_t left = 0;
	pthread_t t[2];

	failnth_setup();
	world.fd = open_ppu();
	CHECK(!pthread_create(&t[0], NULL, create, NULL));
	CHECK(!pthread_create(&t[1], NULL, guess, NULL));
	for (unsigned i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("# %llu handles were taken, %llu semaphores destroyed by guessing\n", (unsigned long long)world.kept,
	       (unsigned long long)world.destroyed);
	CHECK(world.kept && world.destroyed);
	for (uint32_t n = 1; n <= 2 * ROUNDS; n++)
		left += !try_ioctl(world.fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = n });
	/* Each has an id under which it could be destroyed, once. */
	CHECK(world.destroyed + left >= world.made + world.told);
	CHECK_EQ(sems_used(), 0);
}

HARNESS_MAIN
