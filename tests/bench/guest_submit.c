/* SPDX-License-Identifier: MIT */
/*
 * The cost of a submission for the guest, through the doorbell and through the ioctl.  bench_submit.py runs it under
 * -icount shift=0, where the time-stamp counter counts instructions, and counts the accesses to the device from
 * outside; stores of MARK + n to a register tell it where it is.
 *
 * Output: lines "name value".
 */
#include <sched.h>
#include <x86intrin.h>
#include "harness.h"

#define TIMES	200u		/* submissions of a kind */
#define ENTRIES	(TIMES + 8)	/* nothing ever waits for room in a ring */
#define MARK	0xbe000000u

static struct chan marker;

/* Tells the outside that part n begins; part n + 1 begins where it ends. */
static void mark(unsigned n)
{
	marker.userd[PPU_REG_USERD_KICK / 4] = MARK + n;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[n / 2];
}

/* Checks that the counter counts instructions: 1000 of them, and the few around them. */
static void check_clock(void)
{
	uint64_t took[9];

	for (unsigned i = 0; i < 9; i++) {
		uint64_t t = __rdtsc();

		__asm__ volatile(".rept 1000\nnop\n.endr");
		took[i] = __rdtsc() - t;
	}
	printf("thousand_nops %llu\n", (unsigned long long)median(took, 9));
}

/* ---- the doorbell: a ring and a register in the program's own address space -------------------------- */

static void doorbell(int fd, uint32_t vm)
{
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, ENTRIES);
	static uint64_t took[TIMES];
	struct cmds b = chan_block(&c);
	uint64_t t, all;

	/* The same block each time: only the submission is measured. */
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	mark(1);
	all = __rdtsc();
	for (unsigned i = 0; i < TIMES; i++) {
		t = __rdtsc();
		chan_submit(&c, &b);
		took[i] = __rdtsc() - t;
	}
	mark(2);
	/* The device needs longer than the guest: that time must not count, and reading GET would be an access. */
	while (chan_get(&c) != c.put)
		sched_yield();
	all = __rdtsc() - all;
	printf("doorbell_call %llu\n", (unsigned long long)median(took, TIMES));
	printf("doorbell_all %llu\n", (unsigned long long)all / TIMES);
	chan_free(&c);
}

/* ---- the ioctl: jobs with fences, which the kernel puts into the ring ------------------------------------ */

struct door {
	int fd;
	uint32_t channel;
	struct bo blocks, out;
	struct drm_ppu_entry entry;
	volatile uint64_t *word;	/* what the block stores to */
};

static struct door ioctl_door(int fd, uint32_t vm, unsigned n)
{
	struct drm_ppu_channel_create a = { .vm_id = vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = ENTRIES };
	struct door d = { .fd = fd };
	struct cmds b;

	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	d.channel = a.channel_id;
	d.blocks = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	d.out = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(fd, vm, &d.blocks, 0x100000000ull + n * 0x1000000ull);
	vm_map(fd, vm, &d.out, 0x100100000ull + n * 0x1000000ull);
	b = (struct cmds){ .p = d.blocks.map, .max = 256, .va = d.blocks.va };
	cmd_release(&b, d.out.va, 1);
	d.entry = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	d.word = d.out.map;
	return d;
}

static void submit(const struct door *d, struct drm_ppu_sync *out)
{
	struct drm_ppu_submit a = {
		.channel_id = d->channel, .entries = DRM_PPU_ARRAY(1, &d->entry),
		.syncs = DRM_PPU_ARRAY(out ? 1 : 0, out),
	};

	DO(d->fd, DRM_IOCTL_PPU_SUBMIT, &a);
}

static uint32_t syncobj(int fd)
{
	uint32_t h;

	CHECK(!drmSyncobjCreate(fd, 0, &h));
	return h;
}

static void wait_for(int fd, uint32_t h)
{
	CHECK(!drmSyncobjWait(fd, &h, 1, (int64_t)(now_ns() + 20000 * MS), 0, NULL));
}

/* fence: every job signals a syncobj; else only the last one does. */
static void through_ioctl(int fd, uint32_t vm, unsigned n, bool fence, unsigned part, const char *name)
{
	struct door d = ioctl_door(fd, vm, n);
	struct drm_ppu_sync s = { .handle = syncobj(fd), .flags = DRM_PPU_SYNC_BINARY | DRM_PPU_SYNC_SIGNAL };
	static uint64_t took[TIMES];
	uint64_t t, all;

	submit(&d, &s);
	wait_for(fd, s.handle);
	mark(part);
	all = __rdtsc();
	for (unsigned i = 0; i < TIMES; i++) {
		t = __rdtsc();
		submit(&d, fence || i == TIMES - 1 ? &s : NULL);
		took[i] = __rdtsc() - t;
	}
	wait_for(fd, s.handle);
	all = __rdtsc() - all;
	mark(part + 1);
	printf("%s_call %llu\n", name, (unsigned long long)median(took, TIMES));
	printf("%s_all %llu\n", name, (unsigned long long)all / TIMES);
}

int main(void)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);

	marker = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	check_clock();
	doorbell(fd, vm);
	through_ioctl(fd, vm, 0, false, 3, "ioctl");
	through_ioctl(fd, vm, 1, true, 5, "fence");
	return 0;
}
