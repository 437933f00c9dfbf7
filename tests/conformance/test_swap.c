/* SPDX-License-Identifier: MIT */
/*
 * Memory is really short, and there is a disk to swap to: objects are written to it and read back.
 *
 * The disk is a zram.  Nearly all words of a page are the same, so it stays small, and the machine gets memory by it.
 */
#include <signal.h>
#include <sys/swap.h>
#include <sys/wait.h>

#include "copy_world.h"
#include "pcidev.h"
#include "sysfile.h"

#define MIB (1ull << 20)
#define VA 0x20000000ull
#define SYS_VA 0x40000000ull
#define DISK "/dev/zram0"
#define PAGE_WORDS 512

static uint64_t word(uint64_t seed, uint64_t i)
{
	uint64_t page = i / PAGE_WORDS;

	/* A few words tell each page from all others. */
	return (seed << 32 | (i % PAGE_WORDS < 4 ? i : page)) * 0x9e3779b97f4a7c15ull;
}

static void fill(uint64_t *p, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		p[i] = word(seed, i);
}

static void check(const uint64_t *p, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (p[i] != word(seed, i))
			FAIL("word %llu is %#llx, not %#llx", (unsigned long long)i, (unsigned long long)p[i],
			     (unsigned long long)word(seed, i));
}

static uint64_t number_in(const char *file, const char *name)
{
	char *text = file_text(file), *at = text ? strstr(text, name) : NULL;
	uint64_t value;

	if (!at)
		FAIL("no %s in %s", name, file);
	value = strtoull(at + strlen(name), NULL, 10);
	free(text);
	return value;
}

/* Bytes that are on the disk now. */
static uint64_t swapped(void)
{
	return (number_in("/proc/meminfo", "SwapTotal:") - number_in("/proc/meminfo", "SwapFree:")) << 10;
}

/* The kernel of check-debug does not count that. */
static bool counts(void)
{
	char *text = file_text("/proc/vmstat");
	bool yes = text && strstr(text, "pswpout ");

	free(text);
	return yes;
}

/* Bytes that were written to it, or read from it, since the machine started. */
static uint64_t written(void)
{
	return counts() ? number_in("/proc/vmstat", "pswpout ") * 4096 : 0;
}

static uint64_t read_back(void)
{
	return counts() ? number_in("/proc/vmstat", "pswpin ") * 4096 : 0;
}

static void run(const char *command)
{
	if (system(command))
		FAIL("%s", command);
}

static void disk_on(void)
{
	if (access("/sys/block/zram0", F_OK))
		run("modprobe zram");
	WAIT_FOR(!access(DISK, W_OK), 20000);
	file_write("/sys/block/zram0/disksize", "268435456");
	run("mkswap " DISK " >/dev/null");
	CHECK(!swapon(DISK, 0));
}

static void disk_off(void)
{
	CHECK(!swapoff(DISK));
	file_write("/sys/block/zram0/reset", "1");
}

/* A process that takes memory which nobody can have, until it is killed. */
static pid_t balloon(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	file_write("/proc/self/oom_score_adj", "1000");
	for (;;) {
		void *p = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || mlock(p, 4 * MIB))
			pause();
		/* What is wanted is written meanwhile. */
		usleep(number_in("/proc/meminfo", "MemFree:") < 65536 ? 50000 : 1000);
	}
}

static void burst(pid_t pid)
{
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, NULL, 0) == pid);
}

static uint64_t stat_of(const char *name)
{
	return debugfs_number("evict", name);
}

#define UNBOUND 24
#define SIZE (MIB * 2)

/* Objects that no VM shows, one that an idle VM shows, and one of VRAM. */
struct all {
	struct world w;
	struct bo sys, unbound[UNBOUND];
};

static struct all all_new(void)
{
	struct all a = { .w = world_new(2 * SIZE, VA) };

	a.sys = bo_new(a.w.fd, SIZE, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(a.w.fd, a.w.vm, &a.sys, SYS_VA);
	fill(a.sys.map, SIZE, 1);
	fill(a.w.bo.map, 2 * SIZE, 2);
	for (unsigned i = 0; i < UNBOUND; i++) {
		a.unbound[i] = bo_new(a.w.fd, SIZE, DRM_PPU_PLACEMENT_SYSTEM);
		fill(a.unbound[i].map, SIZE, 100 + i);
	}
	return a;
}

#define ALL_BYTES ((UNBOUND + 1) * SIZE + 2 * SIZE)

/* Until all of it is on the disk, but what other processes have there. */
static void all_out(struct all *a)
{
	uint64_t before = written();
	pid_t pid;

	debugfs_write("evict", "1");
	pid = balloon();
	/* What was read from there and not changed since needs not be written again. */
	WAIT_FOR(swapped() >= ALL_BYTES && (!counts() || written() - before >= ALL_BYTES * 3 / 4) &&
		 fdinfo_kib(a->w.fd, "drm-resident-memory:\t") == 0, 120000);
	printf("# %llu MiB written to swap\n", (unsigned long long)((written() - before) / MIB));
	burst(pid);
}

/* By the CPU, and by the device. */
static void all_in(struct all *a)
{
	uint64_t before = read_back();

	for (unsigned i = 0; i < UNBOUND; i++)
		check(a->unbound[i].map, SIZE, 100 + i);
	copy(&a->w, SYS_VA, VA, SIZE);
	check(a->w.bo.map, SIZE, 1);
	for (uint64_t i = SIZE / 8; i < 2 * SIZE / 8; i++)
		CHECK_EQ(((uint64_t *)a->w.bo.map)[i], word(2, i));
	check(a->sys.map, SIZE, 1);
	printf("# %llu MiB read from it\n", (unsigned long long)((read_back() - before) / MIB));
	CHECK(!counts() || read_back() - before >= ALL_BYTES / 2);
}

TEST_T(swapped, 600, "all kinds of objects are written to swap when memory is short, and are what they were when they are back")
{
	struct all a;

	disk_on();
	a = all_new();
	all_out(&a);
	all_in(&a);
	fill(a.w.bo.map, 2 * SIZE, 2);
	all_out(&a);
	all_in(&a);
}

TEST_T(dontneed, 600, "contents that nobody needs are dropped on the disk, too")
{
	struct drm_ppu_gem_madvise m = { .madv = DRM_PPU_MADV_DONTNEED };
	struct all a = all_new();
	uint64_t out, before;

	all_out(&a);
	out = swapped();
	before = read_back();
	for (unsigned i = 0; i < UNBOUND; i += 2) {
		m.handle = a.unbound[i].handle;
		DO(a.w.fd, DRM_IOCTL_PPU_GEM_MADVISE, &m);
		CHECK(m.retained);
	}
	WAIT_FOR((memory_press(), stat_of("dontneed_pages") == 0), 20000);
	printf("# %llu MiB less in swap\n", (unsigned long long)((out - swapped()) / MIB));
	CHECK(out - swapped() >= UNBOUND / 2 * SIZE * 3 / 4);
	CHECK(read_back() - before < SIZE);
	m.madv = DRM_PPU_MADV_WILLNEED;
	for (unsigned i = 0; i < UNBOUND; i++) {
		m.handle = a.unbound[i].handle;
		DO(a.w.fd, DRM_IOCTL_PPU_GEM_MADVISE, &m);
		CHECK_EQ(m.retained, i & 1);
		if (m.retained)
			check(a.unbound[i].map, SIZE, 100 + i);
		else
			CHECK_EQ(((uint64_t *)a.unbound[i].map)[PAGE_WORDS], 0);
	}
}

TEST_T(disk_goes, 600, "the disk goes while objects are on it: they come back")
{
	struct all a = all_new();

	all_out(&a);
	disk_off();
	CHECK_EQ(swapped(), 0);
	for (unsigned i = 0; i < UNBOUND; i++)
		check(a.unbound[i].map, SIZE, 100 + i);
	copy(&a.w, SYS_VA, VA, SIZE);
	check(a.w.bo.map, SIZE, 1);
}

HARNESS_MAIN
