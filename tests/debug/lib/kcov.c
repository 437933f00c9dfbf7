/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kcov.h"

#define COVER_WORDS	(64u << 10)	/* points of one call; further points are lost */
#define SEEN_BITS	(1u << 20)	/* by hash: a collision hides a point */

static _Thread_local volatile uint64_t *cover;
static _Thread_local int cover_fd;

/* Shared with the processes that are forked later. */
static struct seen {
	uint8_t bits[SEEN_BITS / 8];
	unsigned total;
} *seen;

void kcov_share(void)
{
	if (seen)
		return;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		abort();
}

bool kcov_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *p = MAP_FAILED;

	kcov_share();
	cover = NULL;
	if (fd < 0)
		return false;
	if (!ioctl(fd, KCOV_INIT_TRACE, (unsigned long)COVER_WORDS))
		p = mmap(NULL, COVER_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || ioctl(fd, KCOV_ENABLE, (unsigned long)KCOV_TRACE_PC)) {
		close(fd);
		return false;
	}
	cover = p;
	cover_fd = fd;
	return true;
}

void kcov_close(void)
{
	if (!cover)
		return;
	ioctl(cover_fd, KCOV_DISABLE, 0);
	munmap((void *)cover, COVER_WORDS * 8);
	close(cover_fd);
	cover = NULL;
}

void kcov_start(void)
{
	if (cover)
		__atomic_store_n(&cover[0], 0, __ATOMIC_RELAXED);
}

unsigned kcov_stop(void)
{
	uint64_t n = cover ? __atomic_load_n(&cover[0], __ATOMIC_RELAXED) : 0;
	unsigned fresh = 0;

	for (uint64_t i = 1; i <= n && i < COVER_WORDS; i++) {
		unsigned hash = (unsigned)(cover[i] * 0x9e3779b97f4a7c15ull >> 44);

		uint8_t bit = (uint8_t)(1u << hash % 8);

		if (!(__atomic_load_n(&seen->bits[hash / 8], __ATOMIC_RELAXED) & bit))
			fresh += !(__atomic_fetch_or(&seen->bits[hash / 8], bit, __ATOMIC_RELAXED) & bit);
	}
	if (fresh)
		__atomic_fetch_add(&seen->total, fresh, __ATOMIC_RELAXED);
	return fresh;
}

unsigned kcov_total(void)
{
	return seen ? seen->total : 0;
}
