/* SPDX-License-Identifier: MIT */
/*
 * writes: is a write lost when the guest is moved? scripts/trials moves it meanwhile.
 *
 *	writes [-v] [-t SECONDS] [-s SEED] NAME
 *
 * One process writes the number of its pass into every page, and in the next pass looks whether it is there. It has a CPU
 * of its own, which forgets what it knows of the pages (its TLB) only now and then, when the process says so. Half of the
 * pages are memory, half are VRAM if there is a PPU. From time to time "round NAME NUMBER PASSES" is printed. The options
 * are those of tests/storm/trial.c.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uapi/drm/ppu_drm.h>

#define PAGES	32		/* of each kind: fewer than a TLB has */
#define PAGE	4096
#define ROUND_MS	200
#define STUCK_ROUNDS	50	/* without a pass: something else than a page was lost */
#define FLUSH_PAGES	64	/* Linux empties the TLB rather than to name so many pages */
#define FLUSH_PASSES	4096	/* some milliseconds */

struct told {
	uint64_t passes;
	uint64_t kind, page, found, wanted;	/* the first write that was lost */
};

static volatile struct told *told;		/* shared */

static volatile uint64_t *map_memory(void)
{
	void *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* NULL: there is no PPU. */
static volatile uint64_t *map_vram(void)
{
	struct drm_ppu_gem_create c = { .size = PAGES * PAGE, .placement = DRM_PPU_PLACEMENT_VRAM };
	struct drm_ppu_gem_mmap_offset o = { 0 };
	int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	void *p;

	if (fd < 0)
		return NULL;
	if (ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &c))
		exit(1);
	o.handle = c.handle;
	if (ioctl(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o))
		exit(1);
	p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, o.offset);
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static void flush_tlb(void)
{
	void *p = mmap(NULL, FLUSH_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED || munmap(p, FLUSH_PAGES * PAGE))
		_exit(1);
}

static void write_on(volatile uint64_t *kinds[2])
{
	for (uint64_t pass = 1;; pass++) {
		for (unsigned k = 0; k < 2; k++)
			for (unsigned i = 0; kinds[k] && i < PAGES; i++) {
				volatile uint64_t *w = &kinds[k][i * (PAGE / 8)];

				if (*w != pass - 1) {
					told->kind = k;
					told->page = i;
					told->found = *w;
					told->wanted = pass - 1;
					_exit(1);
				}
				*w = pass;
			}
		told->passes = pass;
		if (pass % FLUSH_PASSES == 0)
			flush_tlb();
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* The process that writes; it has mapped VRAM itself, and so has one address space from begin to end. */
static void writer(void)
{
	volatile uint64_t *kinds[2] = { map_memory(), map_vram() };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	if (!kinds[0])
		_exit(1);
	write_on(kinds);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[argc - 1] : "writes";
	uint64_t seconds = 60, passes = 0;
	int c, status, stuck = 0;
	time_t end;

	while ((c = getopt(argc, argv, "vt:s:")) != -1) {
		if (c == 't')
			seconds = strtoull(optarg, NULL, 0);
		else if (c != 's' && c != 'v')
			return 2;
	}
	end = time(NULL) + (time_t)seconds;
	setvbuf(stdout, NULL, _IOLBF, 0);
	told = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
	pin(0);
	if (!fork())
		writer();
	for (unsigned long n = 0; time(NULL) < end; n++) {
		usleep(ROUND_MS * 1000);
		if (waitpid(-1, &status, WNOHANG)) {
			printf("not ok - %s: page %llu of %s has pass %llu, not %llu (status %#x)\n", name,
			       (unsigned long long)told->page, told->kind ? "VRAM" : "memory",
			       (unsigned long long)told->found, (unsigned long long)told->wanted, (unsigned)status);
			return 1;
		}
		stuck = told->passes == passes ? stuck + 1 : 0;
		passes = told->passes;
		if (stuck > STUCK_ROUNDS) {
			printf("not ok - %s: the process that writes does not go on\n", name);
			return 1;
		}
		printf("round %s %lu %llu\n", name, n, (unsigned long long)passes);
	}
	return 0;
}
