/* SPDX-License-Identifier: MIT */
/* Resets of the function while others use the device: nothing reaches a device that is not there. */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"
#include "pcidev.h"

#define RESETS 5
#define OBJECT (16u << 10)
#define BATCH 100
#define DIRT 0xa5c35a3c0f1e2d4bull

static struct {
	int fd;
	atomic_bool stop;
	atomic_uint rounds[4];
	atomic_uint resets;	/* odd: one is going on */
} busy;

/* Starts the threads, resets the device some times while each makes progress, and joins them. */
static void reset_beside(void *(*const *fn)(void *), unsigned n)
{
	pthread_t t[4];

	busy.fd = open_ppu();
	for (unsigned i = 0; i < n; i++)
		CHECK(!pthread_create(&t[i], NULL, fn[i], &busy.rounds[i]));
	for (int k = 0; k < RESETS; k++) {
		unsigned before[4];

		for (unsigned i = 0; i < n; i++)
			before[i] = busy.rounds[i];
		busy.resets++;
		pci_write("reset");
		busy.resets++;
		for (unsigned i = 0; i < n; i++)
			WAIT_FOR(busy.rounds[i] > before[i] + 1, 20000);
	}
	busy.stop = true;
	for (unsigned i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void check_clean(const struct bo *bo)
{
	const uint64_t *word = bo->map;

	for (unsigned i = 0; i < OBJECT / 8; i++)
		if (word[i])
			FAIL("new memory: word %u is %#llx", i, (unsigned long long)word[i]);
}

/* Memory that was dirty when it was freed is clean when it comes back, whenever somebody looks. */
static void *take_memory(void *arg)
{
	static atomic_uint seen;
	struct bo bo[BATCH];

	while (!busy.stop) {
		unsigned resets = busy.resets;

		for (unsigned i = 0; i < BATCH; i++)
			bo[i] = bo_new(busy.fd, OBJECT, DRM_PPU_PLACEMENT_VRAM);
		seen += busy.resets != resets;
		for (unsigned i = 0; i < BATCH; i++)
			check_clean(&bo[i]);
		for (unsigned i = 0; i < BATCH; i++) {
			for (unsigned k = 0; k < OBJECT / 8; k++)
				((uint64_t *)bo[i].map)[k] = DIRT;
			bo_free(&bo[i]);
		}
		++*(atomic_uint *)arg;
	}
	printf("# %u times during a reset\n", seen);
	return NULL;
}

/* What the CPU stores through a mapping is there afterwards. */
static void *keep_memory(void *arg)
{
	struct bo bo = bo_new(busy.fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	volatile uint64_t *word = bo.map;

	for (uint64_t n = 1; !busy.stop; n++) {
		for (unsigned i = 0; i < 512; i++)
			word[i] = n;
		for (unsigned i = 0; i < 512; i++)
			CHECK_EQ(word[i], n);
		++*(atomic_uint *)arg;
	}
	return NULL;
}

/* Registers are read from the device, and not from a bus on which nobody answers. */
static void *read_time(void *arg)
{
	while (!busy.stop) {
		struct drm_ppu_timestamps ts = { 0 };
		struct drm_ppu_query q = {
			.type = DRM_PPU_QUERY_TIMESTAMPS, .ptr = (uint64_t)(uintptr_t)&ts,
			.size = sizeof(ts),
		};

		DO(busy.fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK(ts.gpu_ns != UINT64_MAX);
		++*(atomic_uint *)arg;
	}
	return NULL;
}

/* Semaphores in memory of the device survive, and count all signals. */
static void *signal_often(void *arg)
{
	struct bo bo = bo_new(busy.fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_sem_create s = { .bo_handle = bo.handle };

	DO(busy.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	for (uint64_t n = 0; !busy.stop; n++) {
		struct drm_ppu_sem_signal sig = {
			.sem_id = s.sem_id, .op = DRM_PPU_SEM_SIGNAL_ADD, .value = 1,
		};

		DO(busy.fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
		CHECK_EQ(sig.old, n);
		++*(atomic_uint *)arg;
	}
	return NULL;
}

TEST(clean_memory, "memory that is allocated during a reset is zero")
{
	reset_beside((void *(*const[])(void *)){ take_memory, take_memory }, 2);
}

TEST(device_answers, "stores, registers and semaphores during a reset wait until it is over")
{
	reset_beside((void *(*const[])(void *)){ keep_memory, read_time, signal_often }, 3);
}

HARNESS_MAIN
