/* SPDX-License-Identifier: MIT */
/* Device priorities of stream priorities. */
#ifndef PPU_API_PRIOMAP_H
#define PPU_API_PRIOMAP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Device priority of a level (0: the least) out of `levels`, for M device priorities and nesting depth N;
 * any function will do (SP-27).  False: N is 0 or above M, or there is no such level. */
typedef uint32_t (*rt_prio_map_fn)(uint32_t m, uint32_t n, uint32_t levels, uint32_t level);
enum rt_prio_policy { RT_PRIO_BOTTOM, RT_PRIO_TOP, RT_PRIO_BOTTOM_MERGE_LOW, RT_PRIO_POLICIES };
extern const rt_prio_map_fn rt_prio_policies[RT_PRIO_POLICIES];
bool rt_prio_map(rt_prio_map_fn map, uint32_t m, uint32_t n, uint32_t levels, uint32_t level, uint32_t *device);

#pragma GCC visibility pop
#endif
