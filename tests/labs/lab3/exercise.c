// SPDX-License-Identifier: MIT
/*
 * Lab 3 in the guest: copies between this program's memory and the window in VRAM. The program also sees
 * the window through BAR2.
 *
 *   exercise copies     shapes, access rights, two at once, time limit, failures in the kernel
 *   exercise bounce     shapes, while the kernel bounces all streaming DMA (swiotlb=force)
 *   exercise faults     the device fails every third copy
 *   exercise messages   interrupt messages get lost, or are switched off
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include "exercise.h"
#include "lablib.h"

#define LARGE		(2u << 20)
#define TRIES		5

volatile uint8_t *window;
unsigned int patience = 30000;
static int file = -1;

int dma(const void *user, uint64_t vram, uint64_t bytes, bool to_vram)
{
	struct lab_dma args = {
		.user = (uintptr_t)user, .vram = vram, .bytes = bytes, .to_vram = to_vram,
	};

	return ioctl(file, LAB_IOC_DMA, &args) ? -errno : 0;
}

/* The byte at i is pattern[i + seed]. It is never NOBODY, and its period is not that of pages or segments. */
static uint8_t pattern[LAB_DMA_BYTES + PAGE];

static void make_pattern(void)
{
	for (size_t i = 0; i < sizeof(pattern); i++) {
		pattern[i] = (i * 2654435761u >> 13) + i / PAGE;
		if (pattern[i] == NOBODY)
			pattern[i] = 0x11;
	}
}

void fill(volatile uint8_t *at, size_t bytes, unsigned int seed)
{
	memcpy((void *)at, pattern + seed % PAGE, bytes);
}

size_t wrong_bytes(const volatile uint8_t *at, size_t bytes, unsigned int seed)
{
	const uint8_t *want = pattern + seed % PAGE;
	size_t wrong = 0;

	if (!memcmp((const void *)at, want, bytes))
		return 0;
	for (size_t i = 0; i < bytes; i++)
		wrong += at[i] != want[i];
	return wrong;
}

void nobody(volatile uint8_t *at, size_t bytes)
{
	memset((void *)at, NOBODY, bytes);
}

size_t touched_bytes(const volatile uint8_t *at, size_t bytes)
{
	size_t touched = 0;

	for (size_t i = 0; i < bytes; i++)
		touched += at[i] != NOBODY;
	return touched;
}

uint8_t *memory(bool large)
{
	uint8_t *all = mmap(NULL, REGION + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at = (uint8_t *)(((uintptr_t)all + LARGE - 1) & ~(uintptr_t)(LARGE - 1));

	if (all == MAP_FAILED)
		lab_fatal("the exercise has no memory left");
	madvise(all, REGION + LARGE, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	/* The kernel takes a page when it is touched. Touched from the end, each page lies before the last one. */
	for (size_t i = REGION; i; i -= PAGE)
		at[large ? REGION - i : i - PAGE] = 1;
	return at;
}

/* Finds the window: the only place in VRAM where a copy of random bytes arrives. It is the simplest copy there is. */
void find_window(void)
{
	static uint8_t mark[PAGE] __attribute__((aligned(PAGE)));
	size_t bytes;
	volatile uint8_t *vram = lab_bar_map(2, &bytes);
	int ret = -1;

	lab_step("the first copy: a page to VRAM");
	for (size_t i = 0; i < sizeof(mark); i++)
		mark[i] = rand();
	for (int i = 0; i < TRIES && ret; i++) {
		ret = dma(mark, 0, sizeof(mark), true);
		if (!i)
			lab_obs("first", "%d", -ret);
	}
	for (size_t at = 0; vram && at + LAB_DMA_BYTES <= bytes && !window; at += PAGE)
		if (!memcmp((const void *)(vram + at), mark, sizeof(mark)))
			window = vram + at;
	lab_obs("window", "%d", window != NULL);
}

/* --- another thread --------------------------------------------------------------------------- */

static void *copy_thread(void *data)
{
	struct copy *c = data;

	c->ret = dma(c->user, c->vram, c->bytes, c->to_vram);
	c->done = true;
	return NULL;
}

void copy_start(struct copy *c)
{
	c->done = false;
	if (pthread_create(&c->thread, NULL, copy_thread, c))
		lab_fatal("the exercise cannot make a thread");
}

bool copy_wait(struct copy *c, unsigned int seconds)
{
	if (!lab_until(c->done, seconds))
		return false;
	pthread_join(c->thread, NULL);
	return true;
}

void hold(void)
{
	lab_reg_write(PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
}

void release(void)
{
	lab_reg_write(PPU_REG_SCHED_CTRL, 0);
}

bool copy_held(struct copy *c)
{
	uint64_t before;

	hold();
	before = lab_counter(PPU_CTR_DOORBELLS);
	copy_start(c);
	lab_until(c->done || lab_counter(PPU_CTR_DOORBELLS) != before, 10);
	if (lab_counter(PPU_CTR_DOORBELLS) != before)
		return true;
	release();
	copy_wait(c, 15);
	return false;
}

void set_timeout(unsigned int ms)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", ms);
	if (lab_write_file("/sys/module/lab/parameters/timeout_ms", text))
		lab_fatal("the exercise cannot set lab.ko's timeout_ms");
}

unsigned int pinned(void)
{
	struct lab_witness w;

	lab_witness_read(&w);
	return w.pinned;
}

/* --- the runs ------------------------------------------------------------------------------------ */

/* Has the copy channel sent an interrupt by now? */
static bool woken(void)
{
	struct lab_stats stats;

	return !ioctl(file, LAB_IOC_STATS, &stats) && stats.channel_events;
}

static void start(void)
{
	lab_witness_reset();
	lab_must_load(NULL);
	lab_obs("bound", "%d", !strcmp(lab_bound(), "lab"));
	lab_obs("coherent", "%u", lab_witness_calls("dma_alloc_coherent") + lab_witness_calls("dmam_alloc_coherent") +
		lab_witness_calls("dma_alloc_attrs"));
	lab_step("opening /dev/lab");
	file = open("/dev/lab", O_RDWR | O_CLOEXEC);
	if (file < 0)
		lab_fatal("/dev/lab cannot be opened (%s): did probe() work?", strerror(errno));
	find_window();
	/* A driver that nobody wakes finds its copies done when time is up; then do not wait 30 s for each. */
	if (!lab_until(woken(), 2))
		patience = 100;
	set_timeout(patience);
}

static void end(void)
{
	lab_obs("pinned", "%u", pinned());
	close(file);
	lab_must_unload();
	lab_witness_obs("unloaded");
}

int main(int argc, char **argv)
{
	const char *run = argc > 1 ? argv[1] : "";

	make_pattern();
	start();
	if (!strcmp(run, "messages")) {
		messages();
	} else if (!strcmp(run, "faults")) {
		failing_dma();
	} else if (window) {
		/* This run's traces are compared with the reference: segments must have the same lengths each time. */
		shapes(!strcmp(run, "copies"));
		access_while_held();
		if (!strcmp(run, "copies")) {
			rights();
			two_threads();
			time_limit();
			failing_kernel();
		}
	}
	/* This test needs no working copies: probe() is written before them. */
	if (!strcmp(run, "copies"))
		failing_probe();
	end();
	return 0;
}
