/* SPDX-License-Identifier: MIT */
/* Profiles: differences of the device's counters, and numbers made of them. */
#include <math.h>
#include <string.h>

#include <ppu.h>
#include "api/context/error.h"
#include "backend/backend.h"

_Static_assert(PPU_CTR_COUNT <= PPU_PROFILE_COUNTERS, "ppuProfile is too small for the counters");

/* Waits until the context is idle, then reads the clock and the counters. */
static ppuResult sample(uint64_t *now, uint64_t *counters)
{
	ppuDevice device;
	ppuResult res = ppuCtxSynchronize();

	if (!res)
		res = ppuCtxGetDevice(&device);
	if (!res)
		res = ppuDeviceGetTime(device, now);
	return res ? res : ppuDeviceGetCounters(device, counters, PPU_CTR_COUNT);
}

ppuResult ppuProfileBegin(ppuProfile *profile)
{
	if (!profile)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	memset(profile, 0, sizeof(*profile));
	profile->count = PPU_CTR_COUNT;
	return sample(&profile->device_ns, profile->counter);
}

ppuResult ppuProfileEnd(ppuProfile *profile)
{
	uint64_t now, counters[PPU_CTR_COUNT];
	ppuResult res;

	if (!profile || profile->count != PPU_CTR_COUNT)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = sample(&now, counters);
	if (res)
		return res;
	profile->device_ns = now - profile->device_ns;
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		profile->counter[i] = counters[i] - profile->counter[i];
	return PPU_SUCCESS;
}

/* ---- ratios ------------------------------------------------------------------------------------- */

/* (a + b) / (c + d + e), PPU_CTR_COUNT: nothing, NS: device_ns. */
#define NONE	PPU_CTR_COUNT
#define NS	(PPU_CTR_COUNT + 1)
static const struct {
	const char *name;
	unsigned over[2], under[3];
} ratios[] = {
	{ "lanes_per_instruction", { PPU_CTR_THREAD_INSNS, NONE }, { PPU_CTR_WARP_INSNS, NONE, NONE } },
	{ "divergence", { PPU_CTR_DIVERGENT, NONE }, { PPU_CTR_WARP_INSNS, NONE, NONE } },
	{ "lines_per_access", { PPU_CTR_MEM_LINES, NONE }, { PPU_CTR_MEM_INSNS, NONE, NONE } },
	{ "l1_hit_rate", { PPU_CTR_L1_HITS, NONE }, { PPU_CTR_L1_HITS, PPU_CTR_L1_MISSES, NONE } },
	{ "l2_hit_rate", { PPU_CTR_L2_HITS, NONE }, { PPU_CTR_L2_HITS, PPU_CTR_L2_MISSES, NONE } },
	{ "constant_hit_rate", { PPU_CTR_CONST_HITS, NONE }, { PPU_CTR_CONST_HITS, PPU_CTR_CONST_MISSES, NONE } },
	{ "instruction_hit_rate", { PPU_CTR_ICACHE_HITS, NONE }, { PPU_CTR_ICACHE_HITS, PPU_CTR_ICACHE_MISSES, NONE } },
	{ "sm_busy", { PPU_CTR_SM_BUSY_NS, NONE }, { NS, NONE, NONE } },
	{ "stall_rate", { PPU_CTR_STALL_TIMED_NS, PPU_CTR_STALL_OTHER_NS },
	  { PPU_CTR_STALL_TIMED_NS, PPU_CTR_STALL_OTHER_NS, PPU_CTR_SM_BUSY_NS } },
};

static double sum(const ppuProfile *p, const unsigned *which, unsigned n)
{
	double v = 0;

	for (unsigned i = 0; i < n; i++)
		v += which[i] == NS ? (double)p->device_ns : which[i] == NONE ? 0 : (double)p->counter[which[i]];
	return v;
}

ppuResult ppuProfileGet(const ppuProfile *profile, const char *name, double *value)
{
	const char *n;
	double under;

	if (!profile || !name || !value || profile->count != PPU_CTR_COUNT)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	for (unsigned i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++)
		if (!strcmp(name, ratios[i].name)) {
			under = sum(profile, ratios[i].under, 3);
			*value = under > 0 ? sum(profile, ratios[i].over, 2) / under : NAN;
			return PPU_SUCCESS;
		}
	for (unsigned i = 0; (n = ppu_be_counter_name(i)); i++)
		if (!strcmp(name, n)) {
			*value = (double)profile->counter[i];
			return PPU_SUCCESS;
		}
	return rt_fail(PPU_ERROR_NOT_FOUND, "there is no counter \"%s\"", name);
}
