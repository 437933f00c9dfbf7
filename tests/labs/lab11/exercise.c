// SPDX-License-Identifier: MIT
/*
 * Lab 11 in the guest: more buffers than VRAM has room for. The device has 32 MiB of VRAM, half of which is
 * the driver's own.
 *
 *   exercise place    contents, order of use, sizes, the books
 *   exercise busy     buffers that jobs use
 *   exercise end      allocations that fail, a driver that leaves
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include <hw/ppu_counters.h>
#include "exercise.h"

#define STRIDE	8		/* words */

int info(int fd, uint32_t handle, struct lab_place_info *out)
{
	*out = (struct lab_place_info){ .handle = handle };
	return ioctl(fd, DRM_IOCTL_LAB_PLACE_INFO, out) ? -errno : 0;
}

void parameter(const char *name, unsigned int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "/sys/module/lab/parameters/%s", name);
	snprintf(text, sizeof(text), "%u", value);
	if (lab_write_file(path, text))
		lab_fatal("the parameter %s of the module cannot be set", name);
}

static uint64_t pattern(uint32_t key, uint64_t i)
{
	return ((uint64_t)key << 32 | 0x5eed0000u) + i;
}

int buf_new(int fd, struct buf *b, uint64_t bytes)
{
	static uint32_t keys;
	int ret = ld_bo(fd, bytes, &b->handle);

	if (ret)
		return ret;
	b->bytes = bytes;
	b->key = ++keys;
	b->p = ld_map(fd, b->handle, bytes);
	if (!b->p)
		lab_fatal("a buffer cannot be mapped into the process: lab 4 has to work first");
	return 0;
}

void buf_fill(struct buf *b)
{
	for (uint64_t i = 0; i < b->bytes / 8; i += STRIDE)
		b->p[i] = pattern(b->key, i);
}

bool buf_holds(const struct buf *b, const struct buf *of)
{
	for (uint64_t i = 0; i < of->bytes / 8; i += STRIDE)
		if (b->p[i] != pattern(of->key, i))
			return false;
	return true;
}

void buf_close(int fd, struct buf *b)
{
	munmap((void *)b->p, b->bytes);
	ld_bo_close(fd, b->handle);
	b->p = NULL;
}

uint64_t buf_place(const struct buf *b)
{
	volatile uint64_t *vram = lab_bar_map(PPU_BAR_VRAM, NULL);

	for (uint64_t at = OWN; vram && at < OWN + ROOM; at += PAGE)
		if (vram[at / 8] == pattern(b->key, 0))
			return at;
	return 0;
}

void shuffle(unsigned int *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = (unsigned int)rand() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

/* --- contents --------------------------------------------------------------------------------- */

#define MOST	160

static struct buf bufs[MOST];
static unsigned int num;

static void close_all(int fd)
{
	while (num)
		buf_close(fd, &bufs[--num]);
}

/* Makes buffers of several sizes, `bytes` bytes in all. Returns the first error. */
static int make(int fd, uint64_t bytes)
{
	static const uint64_t sizes[] = { MB, 512 * KB + PAGE, MB - PAGE, 256 * KB, 768 * KB + 3 * PAGE };
	uint64_t sum = 0;
	int ret = 0;

	for (num = 0; sum < bytes && num < MOST && !ret; sum += sizes[num++ % 5]) {
		ret = buf_new(fd, &bufs[num], sizes[num % 5]);
		if (ret)
			break;
		buf_fill(&bufs[num]);
	}
	return ret;
}

/* Copies each buffer to `to`, and looks there. Returns how many are wrong; *ret: the first error. */
static unsigned int wrong_by_copy(int fd, const struct buf *to, const unsigned int *order, int *ret)
{
	unsigned int bad = 0;

	*ret = 0;
	for (unsigned int i = 0; i < num && !*ret; i++) {
		struct buf *b = &bufs[order[i]];

		*ret = ld_copy(fd, b->handle, 0, to->handle, 0, b->bytes);
		bad += !*ret && !buf_holds(to, b);
	}
	return bad;
}

/* obs over: factor, buffers made, error, buffers that are wrong for the CPU, error of copies, buffers wrong for copies */
static void test_over(unsigned int factor)
{
	unsigned int order[MOST], bad = 0;
	int fd = ld_must_open(), ret, copied = 0;
	struct buf to;

	lab_step("making buffers for %u times the VRAM there is", factor);
	lab_limit(60);
	ret = buf_new(fd, &to, MB);
	if (!ret)
		ret = make(fd, factor * ROOM);
	lab_step("reading %u buffers, in another order", num);
	shuffle(order, num);
	for (unsigned int i = 0; i < num; i++)
		bad += !buf_holds(&bufs[order[i]], &bufs[order[i]]);
	lab_obs("over", "%u %u %d %u", factor, num, ret, bad);
	lab_step("copying %u buffers, in another order", num);
	shuffle(order, num);
	bad = ret ? 0 : wrong_by_copy(fd, &to, order, &copied);
	lab_obs("copied", "%u %d %u", factor, copied, bad);
	close_all(fd);
	if (to.p)
		buf_close(fd, &to);
	close(fd);
}

/* A new buffer takes the place of one that was moved out. obs zero: error, whether all of it is 0 */
static void test_zero(void)
{
	int fd = ld_must_open(), ret = make(fd, ROOM);
	struct buf fresh;

	lab_step("looking into a buffer that was made where another one had been");
	for (unsigned int i = 0; i < 6 && !ret; i++) {
		bool zero = true;

		ret = buf_new(fd, &fresh, MB);
		for (uint64_t k = 0; !ret && k < MB / 8; k += STRIDE)
			zero = zero && !fresh.p[k];
		lab_obs("zero", "%d %d", ret, zero);
		if (!ret)
			buf_close(fd, &fresh);
	}
	close_all(fd);
	close(fd);
}

/* --- the order of use ------------------------------------------------------------------------- */

#define FULL	16

/* A copy inside the buffer: the device's trace shows when. */
static int use(int fd, const struct buf *b)
{
	return ld_copy(fd, b->handle, 1024, b->handle, 2048, 64);
}

static int more(int fd)
{
	int ret = buf_new(fd, &bufs[num], MB);

	num += !ret;
	return ret;
}

/*
 * VRAM is exactly full. obs place: buffer, its place. obs used: buffers in the order in which they were used last. obs
 * goes: buffers in the order in which they should go.
 */
static void test_order(void)
{
	unsigned int order[FULL];
	int fd = ld_must_open(), ret = 0;

	lab_step("using buffers in some order, and then making more");
	for (num = 0; num < FULL && !ret; num++) {
		ret = buf_new(fd, &bufs[num], MB);
		if (ret)
			break;
		buf_fill(&bufs[num]);
	}
	shuffle(order, FULL);
	for (unsigned int i = 0; i < FULL && !ret; i++)
		ret = use(fd, &bufs[order[i]]);
	for (unsigned int i = 0; i < FULL && !ret; i++)
		lab_obs("place", "%u %#llx", i, (unsigned long long)buf_place(&bufs[i]));
	for (unsigned int i = 0; i < FULL; i++)
		lab_obs("used", "%u", order[i]);
	if (!ret)
		ret = more(fd);
	if (!ret)
		ret = more(fd);
	/* The next one to go is used once more, so the one behind it goes. */
	if (!ret)
		ret = use(fd, &bufs[order[2]]);
	if (!ret)
		ret = more(fd);
	if (!ret)
		ret = more(fd);
	lab_obs("goes", "%u %u %u %u", order[0], order[1], order[3], order[4]);
	lab_obs("ordered", "%d", ret);
	close_all(fd);
	close(fd);
}

/* --- what cannot fit, and the books ------------------------------------------------------------- */

/* obs large: error, copies that the device made meanwhile. obs limit: MiB made, error, buffers that are wrong */
static void test_fit(void)
{
	int fd = ld_must_open(), ret = make(fd, ROOM);
	uint64_t copies = lab_counter(PPU_CTR_CE_COPIES);
	unsigned int bad = 0;
	struct buf b;

	lab_step("making a buffer that is larger than VRAM");
	if (!ret)
		ret = buf_new(fd, &b, ROOM + PAGE);
	lab_obs("large", "%d %llu", ret, (unsigned long long)(lab_counter(PPU_CTR_CE_COPIES) - copies));
	close_all(fd);
	lab_step("making buffers until there is no system memory for more");
	parameter("sys_mb", 20);
	for (num = 0; num < MOST; num++) {
		ret = buf_new(fd, &bufs[num], MB);
		if (ret)
			break;
		buf_fill(&bufs[num]);
	}
	parameter("sys_mb", 256);
	for (unsigned int i = 0; i < num; i++)
		bad += !buf_holds(&bufs[i], &bufs[i]);
	lab_obs("limit", "%u %d %u", num, ret, bad);
	close_all(fd);
	close(fd);
}

/* obs books: when, error, bytes in VRAM, in system memory, evictions, restores, all since the first look; bytes copied */
static void books(int fd, const char *when)
{
	static struct lab_place_info first;
	static uint64_t copied;
	struct lab_place_info now;
	int ret = info(fd, 0, &now);

	if (!copied) {
		first = now;
		copied = lab_counter(PPU_CTR_CE_BYTES);
	}
	lab_obs("books", "%s %d %lld %lld %lld %lld %llu", when, ret, (long long)now.vram_bytes,
		(long long)now.sys_bytes, (long long)(now.evictions - first.evictions),
		(long long)(now.restores - first.restores),
		(unsigned long long)(lab_counter(PPU_CTR_CE_BYTES) - copied));
}

static void test_books(void)
{
	int fd = ld_must_open(), ret = 0;
	struct lab_place_info in, out;

	lab_step("comparing the driver's books with what the device copied");
	books(fd, "first");
	for (num = 0; num < 24 && !ret; num++)
		ret = buf_new(fd, &bufs[num], MB);
	books(fd, "made");
	if (!ret) {
		bufs[0].p[0] = 1;
		bufs[1].p[0] = 1;
	}
	books(fd, "touched");
	ret = info(fd, bufs[0].handle, &in);
	if (!ret)
		ret = info(fd, bufs[5].handle, &out);
	lab_obs("where", "%d %u %u", ret, in.in_vram, out.in_vram);
	close_all(fd);
	books(fd, "closed");
	close(fd);
}

/* --- the end ------------------------------------------------------------------------------------ */

/* obs failed: number of the acquisition that failed, error, buffers that are wrong afterwards */
static void test_failures(void)
{
	int fd = ld_must_open(), ret = make(fd, ROOM + 4 * MB);
	struct buf fresh;

	lab_step("making a buffer and reading another while the driver's allocations fail");
	lab_limit(60);
	for (unsigned int n = 1; n <= 12 && !ret; n++) {
		unsigned int bad = 0;
		uint32_t handle;

		lab_witness_fail(n);
		int made = ld_bo(fd, MB, &handle);

		lab_witness_fail(0);
		if (!made)
			ld_bo_close(fd, handle);
		for (unsigned int i = 0; i < num; i++)
			bad += !buf_holds(&bufs[i], &bufs[i]);
		lab_obs("failed", "%u %d %u", n, made, bad);
	}
	ret = buf_new(fd, &fresh, MB);
	lab_obs("after_failures", "%d", ret);
	if (!ret)
		buf_close(fd, &fresh);
	close_all(fd);
	close(fd);
}

static void test_removal(void)
{
	int fd = ld_must_open(), ret = make(fd, 2 * ROOM);

	lab_step("unbinding the driver while buffers are in system memory");
	int gone = lab_unbind("lab");

	lab_obs("unbind", "%d %d", ret, gone);
	lab_step("closing the file of a device that is gone");
	close_all(fd);
	close(fd);
	lab_step("binding the driver again");
	ret = lab_bind("lab");
	fd = ld_must_open();
	int made = make(fd, 2 * ROOM);

	lab_obs("rebind", "%d %d", ret, made);
	close_all(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "place", *seed = getenv("LAB_SEED");

	srand(seed ? (unsigned int)atoi(seed) : 1);
	lab_must_load("");
	lab_witness_reset();
	if (!strcmp(what, "place")) {
		test_over(2);
		test_over(3);
		test_zero();
		test_order();
		test_fit();
		test_books();
	} else if (!strcmp(what, "busy")) {
		test_busy();
		test_waiting();
		test_spaces();
		test_large_set();
	} else {
		lab_complaints("before");
		test_failures();
		test_removal();
	}
	lab_step("unloading the module");
	lab_must_unload();
	lab_complaints("end");
	lab_witness_obs("left");
	return 0;
}
