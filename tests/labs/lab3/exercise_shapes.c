// SPDX-License-Identifier: MIT
/* Copies of all shapes, each in both directions, and the bytes around them. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include "exercise.h"
#include "lablib.h"

#define AROUND	64		/* bytes that are checked before and behind a copy */

static const struct shape {
	uint32_t user, vram, bytes;
} all[] = {
	{ 0, 0, PAGE },
	{ 0, 128, 1 },
	{ 1, 3, 1 },
	{ PAGE - 1, 512, 2 },
	{ 17, PAGE - 5, PAGE },
	{ 123, 777, 65536 + 3 },
	{ PAGE - 6, 1, 10 },
	{ 5, 7, 1 << 20 },
	{ 0, 0, LAB_DMA_BYTES },
	{ 2048, LAB_DMA_BYTES - 1, 1 },
};

/* How many of the bytes before and behind a range, AROUND on each side at most, were touched. */
static size_t around(const volatile uint8_t *base, size_t size, size_t at, size_t bytes)
{
	size_t before = at < AROUND ? at : AROUND, left = size - at - bytes;

	return touched_bytes(base + at - before, before) + touched_bytes(base + at + bytes, left < AROUND ? left : AROUND);
}

static void surround(volatile uint8_t *base, size_t size, size_t at, size_t bytes)
{
	size_t before = at < AROUND ? at : AROUND, left = size - at - bytes;

	nobody(base + at - before, before);
	nobody(base + at + bytes, left < AROUND ? left : AROUND);
}

/*
 * The pages of a program may lie anywhere in memory. These pages certainly do not lie one behind the other: they
 * are one page, mapped several times. (Other pages lie elsewhere in each run, so traces of them cannot be compared.)
 */
#define TIMES	5

static void scattered(void)
{
	int fd = memfd_create("page", MFD_CLOEXEC), ret;
	uint8_t *at = mmap(NULL, TIMES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t wrong = 0;

	if (fd < 0 || at == MAP_FAILED || ftruncate(fd, PAGE))
		lab_fatal("the exercise has no memory left");
	for (int i = 0; i < TIMES; i++)
		mmap(at + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	lab_step("a copy to VRAM of pages that do not lie side by side");
	fill(at, PAGE, 77);
	nobody(window, TIMES * PAGE);
	ret = dma(at, 0, TIMES * PAGE, true);
	for (int i = 0; i < TIMES; i++)
		wrong += wrong_bytes(window + i * PAGE, PAGE, 77);
	lab_obs("scattered", "1 %d %zu", -ret, wrong);
	if (ret || wrong)
		return;
	lab_step("a copy from VRAM to pages that do not lie side by side");
	nobody(at, PAGE);
	ret = dma(at, 0, TIMES * PAGE, false);
	lab_obs("scattered", "0 %d %zu", -ret, wrong_bytes(at, PAGE, 77));
}

static void one(const struct shape *s, uint8_t *mem, bool to_vram, unsigned int seed)
{
	uint8_t *user = mem + PAGE + s->user;
	uint64_t moved;
	int ret;

	lab_step("a copy of %u bytes %s, offset %u in a page, offset %u in the window", s->bytes,
		 to_vram ? "to VRAM" : "from VRAM", s->user, s->vram);
	nobody(to_vram ? window + s->vram : user, s->bytes);
	surround(window, LAB_DMA_BYTES, s->vram, s->bytes);
	surround(mem, REGION, user - mem, s->bytes);
	fill(to_vram ? user : window + s->vram, s->bytes, seed);
	moved = lab_counter(PPU_CTR_CE_BYTES);
	ret = dma(user, s->vram, s->bytes, to_vram);
	moved = lab_counter(PPU_CTR_CE_BYTES) - moved;
	lab_obs("shape", "%u %u %u %d %d %zu %zu %zu %llu", s->user, s->vram, s->bytes, to_vram, -ret,
		wrong_bytes(to_vram ? window + s->vram : user, s->bytes, seed),
		wrong_bytes(to_vram ? user : window + s->vram, s->bytes, seed),
		around(window, LAB_DMA_BYTES, s->vram, s->bytes) + around(mem, REGION, user - mem, s->bytes),
		(unsigned long long)moved);
}

void shapes(bool compared)
{
	/* Large pages make segments longer than a bounce buffer, unless the driver limits them. */
	uint8_t *mem = memory(true);

	/* The longest copy does not fit in one large page, and the next large page may lie anywhere. */
	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (int to_vram = 1; to_vram >= 0; to_vram--)
			if (!compared || all[i].bytes < LAB_DMA_BYTES)
				one(&all[i], mem, to_vram, 7 * i + to_vram + 1);
	/* The debug kernel complains when one page is mapped twice at the same time. That is not the driver's fault. */
	if (lab_scale() == 1)
		scattered();
	lab_obs("shapes_pinned", "%u", pinned());
}
