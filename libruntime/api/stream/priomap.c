/* SPDX-License-Identifier: MIT */
/*
 * The mapping of stream priorities to device priorities, for M device priorities and nesting depth N.
 *
 * K = M / N device priorities are for streams, each with the N - 1 above it for children of N levels
 * (the CPU's kernel is the first).  Levels count from the least stream priority, 0.
 *
 *   bottom            level i has device priority i * N; levels from K - 1 on share the last (SP-20)
 *   top               the j-th level from the top has M - N - j * N; the rest share the lowest (SP-26)
 *   bottom, merge low as bottom, but the lowest levels share the lowest (A-SP-4)
 */
#include <ppu.h>
#include "api/stream/priomap.h"

static uint32_t bottom(uint32_t m, uint32_t n, uint32_t levels, uint32_t level)
{
	uint32_t k = m / n;

	return (level < k ? level : k - 1) * n;
}

static uint32_t top(uint32_t m, uint32_t n, uint32_t levels, uint32_t level)
{
	uint32_t k = m / n, j = levels - 1 - level;

	return m - n - (j < k ? j : k - 1) * n;
}

static uint32_t bottom_merge_low(uint32_t m, uint32_t n, uint32_t levels, uint32_t level)
{
	uint32_t k = m / n, used = levels < k ? levels : k, j = levels - 1 - level;

	return (j < used ? used - 1 - j : 0) * n;
}

const rt_prio_map_fn rt_prio_policies[RT_PRIO_POLICIES] = {
	[RT_PRIO_BOTTOM] = bottom, [RT_PRIO_TOP] = top, [RT_PRIO_BOTTOM_MERGE_LOW] = bottom_merge_low,
};

bool rt_prio_map(rt_prio_map_fn map, uint32_t m, uint32_t n, uint32_t levels, uint32_t level, uint32_t *device)
{
	if (!n || n > m || level >= levels)
		return false;
	*device = map(m, n, levels, level);
	return true;
}
