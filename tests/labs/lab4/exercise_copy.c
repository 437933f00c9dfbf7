// SPDX-License-Identifier: MIT
/* Lab 4: copies. */
#include <errno.h>
#include <pthread.h>
#include <lablib.h>
#include <labdrm.h>
#include <hw/ppu_counters.h>
#include "exercise.h"

#define BYTES	(64 * KB)

static uint32_t src, dst;
static uint64_t src_at, dst_at;

static uint8_t pattern(uint64_t i)
{
	return (uint8_t)(i * 7 + (i >> 8) + 1);
}

/* VRAM byte by byte, because copies have odd lengths. */
static volatile uint8_t *bytes_at(uint64_t at)
{
	return (volatile uint8_t *)vram + at;
}

static int make_buffers(int fd)
{
	if (ld_bo(fd, BYTES, &src) || ld_bo(fd, BYTES, &dst))
		return -1;
	src_at = place(fd, src);
	dst_at = place(fd, dst);
	return src_at == ~0ull || dst_at == ~0ull ? -1 : 0;
}

static void reset_buffers(void)
{
	for (uint64_t i = 0; i < BYTES; i++)
		bytes_at(src_at)[i] = pattern(i);
	fill(dst_at, BYTES, 0);
}

/* obs copy: what, error, wrong bytes in the destination, copies that the device made, bytes that it moved */
static void one_copy(int fd, const char *what, uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t copies, moved, wrong = 0;
	int ret;

	reset_buffers();
	copies = lab_counter(PPU_CTR_CE_COPIES);
	moved = lab_counter(PPU_CTR_CE_BYTES);
	ret = ld_copy(fd, src, from, dst, to, n);
	for (uint64_t i = 0; i < BYTES; i++)
		wrong += bytes_at(dst_at)[i] != (i >= to && i < to + n ? pattern(i - to + from) : 0);
	lab_obs("copy", "%s %d %llu %llu %llu", what, ret, (unsigned long long)wrong,
		(unsigned long long)(lab_counter(PPU_CTR_CE_COPIES) - copies),
		(unsigned long long)(lab_counter(PPU_CTR_CE_BYTES) - moved));
}

/* Source and destination overlap in one buffer, the destination further on. memmove() would do that right. */
static void overlapping(int fd)
{
	uint64_t wrong = 0;
	int ret;

	reset_buffers();
	ret = ld_copy(fd, src, 0, src, 1000, 30000);
	for (uint64_t i = 0; i < 30000; i++)
		wrong += bytes_at(src_at)[1000 + i] != pattern(i);
	lab_obs("overlapping", "%d %llu", ret, (unsigned long long)wrong);
}

void test_copy(int fd)
{
	lab_step("copying between buffers");
	if (make_buffers(fd))
		return;
	one_copy(fd, "whole", 0, 0, BYTES);
	one_copy(fd, "odd", 3, 12345, 777);
	one_copy(fd, "end", BYTES - 1, BYTES - 1, 1);
	one_copy(fd, "from_end", BYTES - 5000, 0, 5000);
	one_copy(fd, "to_end", 0, BYTES - 4097, 4097);
	overlapping(fd);
}

/* obs range: source and destination offset, bytes, error, words that changed in the buffers and around them */
static void one_range(int fd, uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t before = lab_counter(PPU_CTR_CE_BYTES);
	int ret = ld_copy(fd, src, from, dst, to, n);

	lab_obs("range", "%lld %lld %lld %d %llu", (long long)from, (long long)to, (long long)n, ret,
		(unsigned long long)(lab_counter(PPU_CTR_CE_BYTES) - before));
}

void test_ranges(int fd)
{
	uint32_t other;
	uint64_t at;

	lab_step("copying what is outside of the buffers");
	if (!src || !dst)
		return;
	/* A neighbour that no copy may touch, wherever the allocator puts it. */
	at = ld_bo(fd, 4 * BYTES, &other) ? ~0ull : place(fd, other);
	one_range(fd, 0, 0, BYTES + 1);
	one_range(fd, 0, 1, BYTES);
	one_range(fd, 1, 0, BYTES);
	one_range(fd, BYTES, 0, 1);
	one_range(fd, 0, BYTES, 1);
	one_range(fd, BYTES + 1, 0, 0);
	/* Sums that overflow. */
	one_range(fd, ~0ull, 0, 2);
	one_range(fd, 0, ~0ull, 2);
	one_range(fd, 8192, 0, ~0ull - 4095);
	one_range(fd, 0, 8192, ~0ull - 4095);
	one_range(fd, ~0ull - PAGE + 1, 0, PAGE);
	one_range(fd, 0, ~0ull - PAGE + 1, PAGE);
	lab_obs("nobody", "%d %d", ld_copy(fd, 0xfff1, 0, dst, 0, 8), ld_copy(fd, src, 0, 0xfff1, 0, 8));
	lab_obs("neighbour", "%lld", at == ~0ull ? -1ll : (long long)first_other(at, 4 * BYTES / 8, 0));
	ld_bo_close(fd, other);
}

/* --- a copy that is still to be done while its buffers are closed ------------------------------ */

static void *copier(void *arg)
{
	static int ret;

	ret = ld_copy(*(int *)arg, src, 0, dst, 0, BYTES);
	return &ret;
}

/* Makes more new buffers than there were. Returns how many got memory that the copy still uses. */
static int taken(int fd, uint32_t *made, int n)
{
	int hits = 0;

	for (int i = 0; i < n; i++) {
		uint64_t at = ld_bo(fd, BYTES, &made[i]) ? ~0ull : place(fd, made[i]);

		hits += at == src_at || at == dst_at;
	}
	return hits;
}

/*
 * The device fetches nothing while SCHED_CTRL says so: the copy is under way, and stays so until this
 * test lets the device go on. obs references: whether the copy was seen to wait; its error; how many new buffers got
 * its memory while it was under way; how many words of new buffers are not 0 afterwards. obs kept: error of a
 * buffer as large as the whole buffers' part of VRAM, made after all copies, also those that were refused.
 */
void test_references(int fd)
{
	uint64_t bells = lab_counter(PPU_CTR_DOORBELLS), copies = lab_counter(PPU_CTR_CE_COPIES);
	uint32_t made[6] = { 0 };
	pthread_t thread;
	int hits, dirty = 0;
	bool waits;
	void *ret;

	lab_step("closing both buffers of a copy while another thread waits for it");
	if (!src || !dst)
		return;
	reset_buffers();
	lab_reg_write(PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	if (pthread_create(&thread, NULL, copier, &fd))
		lab_fatal("the exercise cannot make a thread");
	waits = lab_until(lab_counter(PPU_CTR_DOORBELLS) != bells, 5) && lab_counter(PPU_CTR_CE_COPIES) == copies;
	ld_bo_close(fd, src);
	ld_bo_close(fd, dst);
	hits = taken(fd, made, 6);
	lab_reg_write(PPU_REG_SCHED_CTRL, 0);
	pthread_join(thread, &ret);
	for (int i = 0; i < 6; i++) {
		uint64_t at = made[i] ? place(fd, made[i]) : ~0ull;

		dirty += at != ~0ull && first_other(at, BYTES / 8, 0) >= 0;
		ld_bo_close(fd, made[i]);
	}
	lab_obs("references", "%d %d %d %d", waits, *(int *)ret, hits, dirty);
	lab_obs("kept", "%d", ld_bo(fd, vram_bytes - OWN, &made[0]));
	ld_bo_close(fd, made[0]);
}
