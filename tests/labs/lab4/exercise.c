// SPDX-License-Identifier: MIT
/*
 * Lab 4's grader in the guest: buffers, mappings, the allocator. The grader maps BAR2 itself, and looks
 * there for what the driver and its mappings did. Before the driver is loaded it fills all of VRAM with
 * POISON, so that a buffer that was not cleared can be noticed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "lab_uapi.h"
#include "exercise.h"

#define POISON	0x5a5a5a5a5a5a5a5aull

volatile uint64_t *vram;
uint64_t vram_bytes;

uint64_t place(int fd, uint32_t handle)
{
	uint64_t va;

	return ld_va(fd, handle, &va) ? ~0ull : va - LAB_VA_VRAM;
}

int64_t first_other(uint64_t at, uint64_t n, uint64_t value)
{
	for (uint64_t i = 0; i < n; i++)
		if (vram[at / 8 + i] != value)
			return (int64_t)i;
	return -1;
}

void fill(uint64_t at, uint64_t bytes, uint64_t value)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		vram[at / 8 + i] = value;
}

static void take_vram(void)
{
	size_t bytes;

	lab_step("filling VRAM before the driver comes");
	lab_enable();
	vram = lab_bar_map(PPU_BAR_VRAM, &bytes);
	if (!vram)
		lab_fatal("BAR2 cannot be mapped from user space");
	vram_bytes = (uint64_t)lab_reg(PPU_REG_CAP_VRAM_MB) << 20;
	fill(OWN, vram_bytes - OWN, POISON);
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* obs size: size that was asked for, error, size that came back, whether there is a handle */
static void one_size(int fd, uint64_t size, uint32_t flags)
{
	struct lab_gem_create args = { .size = size, .flags = flags };
	int ret = ioctl(fd, DRM_IOCTL_LAB_GEM_CREATE, &args) ? -errno : 0;

	lab_obs("size", "%llu %u %d %llu %d", (unsigned long long)size, flags, ret,
		(unsigned long long)args.size, !ret && args.handle);
	if (!ret)
		ld_bo_close(fd, args.handle);
}

static void test_sizes(int fd)
{
	lab_step("creating buffers of all sizes");
	one_size(fd, 1, 0);
	one_size(fd, PAGE, 0);
	one_size(fd, PAGE + 1, 0);
	one_size(fd, 3 * MB, 0);
	one_size(fd, 0, 0);
	one_size(fd, vram_bytes, 0);
	one_size(fd, 1ull << 40, 0);
	one_size(fd, 1ull << 63, 0);
	one_size(fd, ~0ull, 0);
	one_size(fd, ~0ull - PAGE, 0);
	one_size(fd, PAGE, 1);
}

/* --- what is in a new buffer ------------------------------------------------------------------ */

/* obs fresh: what, error, place, bytes, first word that is not 0, or -1 */
static void fresh(int fd, const char *what, uint64_t bytes, uint32_t *handle)
{
	int ret = ld_bo(fd, bytes, handle);
	uint64_t at = ret ? 0 : place(fd, *handle);

	lab_obs("fresh", "%s %d %llu %llu %lld", what, ret, (unsigned long long)at, (unsigned long long)bytes,
		ret || at == ~0ull ? -1ll : (long long)first_other(at, bytes / 8, 0));
}

static void test_fresh(int fd)
{
	uint32_t a, b;
	uint64_t at;

	lab_step("looking into new buffers");
	fresh(fd, "poisoned", 2 * MB, &a);
	fresh(fd, "poisoned", 5 * PAGE, &b);
	/* Write data, then close the buffer: the next buffer may get the same memory. */
	at = place(fd, b);
	if (b && at != ~0ull)
		fill(at, 5 * PAGE, POISON);
	ld_bo_close(fd, b);
	fresh(fd, "reused", 5 * PAGE, &b);
	ld_bo_close(fd, b);
	at = place(fd, a);
	if (a && at != ~0ull)
		fill(at, 2 * MB, POISON);
	ld_bo_close(fd, a);
	fresh(fd, "reused", 2 * MB, &a);
	ld_bo_close(fd, a);
}

/* --- mappings --------------------------------------------------------------------------------- */

static uint64_t tag(uint32_t handle, uint64_t page)
{
	return 0x1234567800000000ull | (uint64_t)handle << 16 | page;
}

/* Each page of a mapping gets its own mark. obs marks: what, first page that is not in its place, or -1 */
static void check_marks(const char *what, uint64_t at, uint32_t handle, uint64_t from, uint64_t pages)
{
	int64_t bad = -1;

	for (uint64_t i = from; i < pages && bad < 0; i++)
		if (vram[(at + i * PAGE) / 8] != tag(handle, i))
			bad = (int64_t)i;
	lab_obs("marks", "%s %lld", what, (long long)bad);
}

static void mark(volatile uint64_t *map, uint32_t handle, uint64_t from, uint64_t pages)
{
	for (uint64_t i = pages; i-- > from; )
		map[i * PAGE / 8] = tag(handle, i);
}

/* obs map: what, whether mmap() gave a mapping, errno */
static void *map_obs(const char *what, int fd, uint64_t offset, uint64_t bytes, int flags)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset);
	int err = p == MAP_FAILED ? errno : 0;

	lab_obs("map", "%s %d %d", what, p != MAP_FAILED, err);
	return p == MAP_FAILED ? NULL : p;
}

/* The first half of the mapping is unmapped before any page is touched. */
static void test_split(int fd, uint64_t offset, uint64_t at, uint32_t handle)
{
	char *p = map_obs("split", fd, offset, 16 * PAGE, MAP_SHARED);

	if (!p)
		return;
	munmap(p, 8 * PAGE);
	fill(at, 16 * PAGE, 0);
	mark((volatile uint64_t *)p, handle, 8, 16);
	check_marks("split", at, handle, 8, 16);
	munmap(p + 8 * PAGE, 8 * PAGE);
}

static void test_refused_maps(int fd, uint64_t offset)
{
	void *p;

	p = map_obs("too_large", fd, offset, 17 * PAGE, MAP_SHARED);
	if (p)
		munmap(p, 17 * PAGE);
	/* Do not touch these pages: the kernel would not survive that. */
	p = map_obs("private", fd, offset, 16 * PAGE, MAP_PRIVATE);
	if (p)
		munmap(p, 16 * PAGE);
	/* The file is open for writing, so mprotect() could make this mapping as bad as the last one. */
	p = mmap(NULL, 16 * PAGE, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
	lab_obs("private_read", "%d", p != MAP_FAILED);
	if (p != MAP_FAILED)
		munmap(p, 16 * PAGE);
}

static void test_mmap(int fd)
{
	uint32_t a, b;
	uint64_t at, offset;
	struct lab_gem_mmap args = { .handle = 0xfff1 };
	volatile uint64_t *p, *q;

	lab_step("mapping buffers");
	lab_obs("mmap_unknown", "%d", ioctl(fd, DRM_IOCTL_LAB_GEM_MMAP, &args) ? -errno : 0);
	if (ld_bo(fd, 16 * PAGE, &a) || ld_bo(fd, 16 * PAGE, &b))
		return;
	at = place(fd, a);
	lab_obs("mmap_offset", "%d", ld_mmap_offset(fd, a, &offset));
	p = map_obs("buffer", fd, offset, 16 * PAGE, MAP_SHARED);
	q = ld_map(fd, b, 16 * PAGE);
	if (p && q) {
		mark(p, a, 0, 16);
		mark(q, b, 0, 16);
		check_marks("first", at, a, 0, 16);
		check_marks("second", place(fd, b), b, 0, 16);
		vram[at / 8 + 3] = 77;
		lab_obs("seen", "%d", p[3] == 77);
		test_split(fd, offset, at, a);
		test_refused_maps(fd, offset);
		/* The buffer is closed, but the mapping keeps the memory. */
		ld_bo_close(fd, a);
		fill(at, PAGE, 0);
		p[0] = 99;
		lab_obs("after_close", "%d", vram[at / 8] == 99);
	} else {
		ld_bo_close(fd, a);
	}
	/* Whatever went wrong, nothing is left for the tests that follow. */
	if (p)
		munmap((void *)p, 16 * PAGE);
	if (q)
		munmap((void *)q, 16 * PAGE);
	ld_bo_close(fd, b);
}

/* --- the allocator ------------------------------------------------------------------------------ */

static uint32_t handles[256];

/* obs overlap: the number of pairs of buffers that share memory, or that lie outside the buffers' part of VRAM */
static void check_places(int fd, unsigned int n, uint64_t bytes)
{
	static uint64_t at[256];
	unsigned int bad = 0;

	for (unsigned int i = 0; i < n; i++) {
		at[i] = place(fd, handles[i]);
		bad += at[i] < OWN || at[i] > vram_bytes - bytes || at[i] % PAGE;
		for (unsigned int j = 0; j < i; j++)
			bad += at[i] < at[j] + bytes && at[j] < at[i] + bytes;
	}
	lab_obs("overlap", "%u", bad);
}

static unsigned int fill_up(int fd, const char *what, uint64_t bytes)
{
	unsigned int n = 0;
	int ret = 0;

	while (n < 256 && !(ret = ld_bo(fd, bytes, &handles[n])))
		n++;
	/* obs full: what, how many, how many there should be, error of the buffer that did not fit */
	lab_obs("full", "%s %u %llu %d", what, n, (unsigned long long)((vram_bytes - OWN) / bytes), ret);
	return n;
}

static void test_full(int fd)
{
	uint32_t all;
	unsigned int n;
	int ret = 0;

	lab_step("using up VRAM");
	n = fill_up(fd, "first", MB);
	check_places(fd, n, MB);
	for (unsigned int i = 0; i < n; i++)
		ld_bo_close(fd, handles[i]);
	lab_step("creating and closing 300 buffers of 1 MiB");
	for (unsigned int i = 0; i < 300 && !ret; i++) {
		ret = ld_bo(fd, MB, &all);
		if (!ret)
			ld_bo_close(fd, all);
	}
	lab_obs("again", "%d", ret);
	ret = ld_bo(fd, vram_bytes - OWN, &all);
	lab_obs("whole", "%d", ret);
	if (!ret)
		ld_bo_close(fd, all);
}

int main(void)
{
	int fd;

	take_vram();
	lab_must_load("");
	if (strcmp(lab_bound(), "lab"))
		lab_fatal("lab.ko was loaded, but its probe() did not take the device (dmesg tells more)");
	fd = ld_must_open();
	test_sizes(fd);
	test_fresh(fd);
	test_mmap(fd);
	test_full(fd);
	test_copy(fd);
	test_ranges(fd);
	test_references(fd);
	test_failures(fd);
	close(fd);
	test_removal();
	return 0;
}
