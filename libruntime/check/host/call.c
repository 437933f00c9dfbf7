/* SPDX-License-Identifier: MIT */
/* System calls: the kernel accesses memory for the program, and would not ask us. */
#include "check/host/host.h"
#include "check/race/race.h"
#include "hostcalls/host_calls.h"

static bool watches;

static void begin(const void *p, size_t bytes, bool writes)
{
	uint64_t va = (uintptr_t)p, end = va + bytes;
	uint64_t here = (uintptr_t)__builtin_return_address(0), frame = (uintptr_t)__builtin_frame_address(0);
	struct ppu_host_thread *t = ppu_host_calls.thread();

	if (!host_near(va, bytes) || t->num_using == PPU_HOST_PIECES)
		return;
	pthread_mutex_lock(&chk_lock);
	t->using[t->num_using].va = va;
	t->using[t->num_using++].end = end;
	while (va < end) {
		struct host_range *r = host_range(va);
		uint64_t last = end;

		if (!r) {
			va = host_next_page(va);
			continue;
		}
		if (last > host_range_end(r))
			last = host_range_end(r);
		if (!t->quiet && host_is_closed(r, va))
			chk_race_host_access(host_context(r), va, last - va, writes, here, frame);
		for (; va < last; va = host_next_page(va))
			host_let(r, va, true);
	}
	pthread_mutex_unlock(&chk_lock);
}

static void end(void)
{
	struct ppu_host_thread *t = ppu_host_calls.thread();

	if (!t->num_using)
		return;
	pthread_mutex_lock(&chk_lock);
	for (unsigned i = t->num_using; i--;)
		for (uint64_t va = t->using[i].va; va < t->using[i].end; va = host_next_page(va))
			host_close_again(va, true);
	t->num_using = 0;
	pthread_mutex_unlock(&chk_lock);
}

void chk_host_ready(void)
{
	watches = &ppu_host_calls != NULL;
	if (!watches)
		return;
	ppu_host_calls.begin = begin;
	ppu_host_calls.end = end;
}

bool chk_host_watches(void)
{
	return watches;
}
