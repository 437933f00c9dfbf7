// SPDX-License-Identifier: MIT
/* What happens while a copy is under way: the device is stopped before the copy, and then let go. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <hw/ppu_counters.h>
#include "exercise.h"
#include "lablib.h"

#define SEED	501
#define BYTES	(PAGE - 100)	/* ends inside one page: MADV_FREE works on whole pages */

/* The program goes on writing its memory while the device reads it: in the end the program's bytes must be there. */
static void written_while_read(uint8_t *mem)
{
	struct copy c = { .user = mem, .bytes = BYTES, .to_vram = true };

	lab_step("a copy to VRAM, while the program writes the memory again");
	fill(mem, BYTES, SEED);
	if (!copy_held(&c)) {
		lab_obs("held", "0");
		return;
	}
	lab_obs("held", "%u", pinned());
	fill(mem, BYTES, SEED + 1);
	release();
	if (copy_wait(&c, 15))
		lab_obs("rewritten", "%d %zu", -c.ret, wrong_bytes(mem, BYTES, SEED + 1));
	else
		lab_fatal("a copy that was held up did not end");
}

/*
 * MADV_FREE: the kernel may drop these pages, unless somebody has written them since. The kernel learns that the device
 * wrote only if the driver says so. MADV_PAGEOUT makes the kernel drop pages now.
 */
static void dropped_when_clean(uint8_t *mem)
{
	struct copy c = { .user = mem, .bytes = BYTES, .to_vram = false };

	lab_step("a copy from VRAM to memory that the program does not need");
	fill(window, BYTES, SEED + 2);
	fill(mem, BYTES, SEED);
	if (!copy_held(&c))
		return;
	madvise(mem, PAGE, MADV_FREE);
	release();
	if (!copy_wait(&c, 15))
		lab_fatal("a copy that was held up did not end");
	/* A page on another CPU's private list cannot be dropped. Compaction makes all CPUs hand their pages over. */
	lab_write_file("/proc/sys/vm/compact_memory", "1");
	madvise(mem, PAGE, MADV_PAGEOUT);
	lab_obs("dirty", "%d %zu", -c.ret, wrong_bytes(mem, BYTES, SEED + 2));
}

void access_while_held(void)
{
	uint8_t *mem = memory(false);

	written_while_read(mem);
	dropped_when_clean(mem);
}

/* The second copy starts while the first one is with the device. */
void two_threads(void)
{
	uint8_t *mem = memory(false);
	struct copy a = { .user = mem, .bytes = PAGE, .to_vram = true };
	struct copy b = { .user = mem + PAGE, .vram = 2 * PAGE, .bytes = PAGE, .to_vram = true };
	uint64_t bells;

	lab_step("two copies by two threads at once");
	fill(mem, PAGE, SEED + 3);
	fill(mem + PAGE, PAGE, SEED + 4);
	nobody(window, 4 * PAGE);
	if (!copy_held(&a)) {
		lab_obs("two", "%d %d 1 1", -a.ret, -a.ret);
		return;
	}
	bells = lab_counter(PPU_CTR_DOORBELLS);
	copy_start(&b);
	/* A driver that lets the second copy pass does so soon. A driver that holds it back does nothing now. */
	for (int i = 0; i < 30 && lab_counter(PPU_CTR_DOORBELLS) == bells; i++)
		lab_sleep_ms(10);
	release();
	if (!copy_wait(&a, 15) || !copy_wait(&b, 15))
		lab_fatal("of two copies by two threads one did not end");
	lab_obs("two", "%d %d %zu %zu", -a.ret, -b.ret, wrong_bytes(window, PAGE, SEED + 3),
		wrong_bytes(window + 2 * PAGE, PAGE, SEED + 4));
}

/* The device does nothing, so the driver gives up. When the device wakes up, it must not copy any more. */
static void give_up(uint8_t *mem, bool to_vram)
{
	struct copy c = { .user = mem, .bytes = PAGE, .to_vram = to_vram };
	volatile uint8_t *to = to_vram ? window : mem;
	uint64_t moved;
	bool ended;
	int next;

	lab_step("a copy %s that the device does not start within the time limit", to_vram ? "to VRAM" : "from VRAM");
	nobody(mem, 2 * PAGE);
	nobody(window, 4 * PAGE);
	fill(to_vram ? mem : window, PAGE, SEED + 5);
	set_timeout(300);
	if (!copy_held(&c)) {
		lab_obs("limit", "%d %d 0 0 0 0", to_vram, -c.ret);
		return;
	}
	ended = copy_wait(&c, 8);
	set_timeout(patience);
	if (!ended) {
		release();
		if (!copy_wait(&c, 15))
			lab_fatal("a copy that was held up did not end");
		lab_obs("limit", "%d -1 0 0 0 0", to_vram);
		return;
	}
	if (c.ret == -ETIMEDOUT)
		nobody(to, PAGE);
	moved = lab_counter(PPU_CTR_CE_BYTES);
	release();
	/*
	 * A device that was not stopped copies soon. The next copy must not come before that: its command block would
	 * replace the old one, and the old copy would never be made.
	 */
	for (int i = 0; i < 30 && lab_counter(PPU_CTR_CE_BYTES) == moved; i++)
		lab_sleep_ms(10);
	/* When this copy is over, everything before it in the ring is over, too. */
	fill(mem + PAGE, PAGE, SEED + 6);
	next = dma(mem + PAGE, 2 * PAGE, PAGE, true);
	lab_obs("limit", "%d %d %zu %d %zu %u", to_vram, -c.ret, touched_bytes(to, PAGE), -next,
		wrong_bytes(window + 2 * PAGE, PAGE, SEED + 6), pinned());
}

void time_limit(void)
{
	uint8_t *mem = memory(false);

	give_up(mem, true);
	give_up(mem, false);
}
