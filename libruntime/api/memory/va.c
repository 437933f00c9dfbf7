/* SPDX-License-Identifier: MIT */
/*
 * The window of virtual addresses that device and pinned memory of all contexts come from.
 *
 * The window is reserved in the process once, without access rights: nothing else gets an address there, a
 * CPU access to device memory faults at once, and the place of a pointer tells what it points to.  The base
 * of the window is the same in every run, so traces are the same too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <ppu.h>
#include "api/memory/va.h"
#include "common/range.h"

#ifdef __SANITIZE_THREAD__
#define WINDOW_BASE	0x1000000000ull		/* it keeps most of the others for itself */
#else
#define WINDOW_BASE	0x200000000000ull
#endif
#define WINDOW_MAX	(1ull << 40)
#define WINDOW_MIN	(1ull << 30)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ppu_range range;
static uint64_t base, size;

/* Who has which buffer. */
struct owned {
	struct owned *next;
	uint64_t va, bytes;
	const struct ppuCtx_st *ctx;
	bool mapped;
};
static struct owned *all_owned;

static int reserve(void)
{
	for (uint64_t n = WINDOW_MAX; n >= WINDOW_MIN; n /= 4) {
		for (uint64_t at = WINDOW_BASE; at < 2 * WINDOW_BASE; at += WINDOW_BASE / 8) {
			void *p = mmap((void *)(uintptr_t)at, n, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				       MAP_FIXED_NOREPLACE, -1, 0);

			if (p == MAP_FAILED)
				continue;
			if ((uintptr_t)p != at) {	/* kernels without MAP_FIXED_NOREPLACE */
				munmap(p, n);
				continue;
			}
			madvise(p, n, MADV_DONTDUMP);
			if (ppu_range_init(&range, at, n))
				return -ENOMEM;
			base = at;
			size = n;
			return 0;
		}
	}
	return -ENOMEM;
}

int rt_va_alloc(uint64_t bytes, uint64_t align, uint64_t *va)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!size)
		rc = reserve();
	if (!rc)
		rc = ppu_range_alloc(&range, bytes, align, va);
	pthread_mutex_unlock(&lock);
	return rc;
}

int rt_va_own(const struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes, bool mapped)
{
	struct owned *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	*o = (struct owned){ all_owned, va, bytes, ctx, mapped };
	all_owned = o;
	pthread_mutex_unlock(&lock);
	return 0;
}

void rt_va_disown(uint64_t va)
{
	pthread_mutex_lock(&lock);
	for (struct owned **p = &all_owned, *o; (o = *p); p = &o->next) {
		if (o->va == va) {
			*p = o->next;
			free(o);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

const struct ppuCtx_st *rt_va_owner(uint64_t va, uint64_t bytes, bool *mapped)
{
	const struct ppuCtx_st *ctx = NULL;

	pthread_mutex_lock(&lock);
	for (const struct owned *o = all_owned; o; o = o->next) {
		if (va >= o->va && va - o->va <= o->bytes && o->bytes - (va - o->va) >= bytes) {
			ctx = o->ctx;
			*mapped = o->mapped;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return ctx;
}

void rt_va_free(uint64_t va, uint64_t bytes, bool mapped)
{
	pthread_mutex_lock(&lock);
	if (!mapped || mmap((void *)(uintptr_t)va, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
			    MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		ppu_range_free(&range, va, bytes);
	pthread_mutex_unlock(&lock);
}

bool rt_va_inside(const void *p)
{
	return (uintptr_t)p - __atomic_load_n(&base, __ATOMIC_RELAXED) <
	       __atomic_load_n(&size, __ATOMIC_RELAXED);
}
