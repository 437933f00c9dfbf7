/* SPDX-License-Identifier: MIT */
/*
 * What is added up for each instruction, and so for lines, kernels and launches: the runtime counts it, ppu-prof tells it.
 * Documentation/runtime/ppu-prof.md says what each number means.
 */
#ifndef PPU_PROF_SUMS_H
#define PPU_PROF_SUMS_H

#include <stdint.h>

/* Of the SM's counts (hw/ppu_observe.h): name here and there. */
#define PROF_ISSUED(S) \
	S(warps, warps) S(threads, threads) S(off, off) S(away, away) S(cycles, cycles)
/* Branches at which the lanes of a warp part; what warps did between barriers, and how much less than the one that did most. */
#define PROF_WARPS(S) \
	S(parted) S(barrier_work) S(barrier_lack)
/* Of the device's counters. */
#define PROF_COUNTED(S) \
	S(divergent, DIVERGENT) S(yields, YIELDS) S(barriers, BARRIERS) S(atomics, ATOMICS) S(reads, PARTITION_READS) \
	S(writes, PARTITION_WRITES) S(tlb_misses, TLB_MISSES) S(memory_insns, MEM_INSNS) S(memory_lines, MEM_LINES) \
	S(l1_hits, L1_HITS) S(l1_misses, L1_MISSES) S(constant_hits, CONST_HITS) S(constant_misses, CONST_MISSES) \
	S(icache_hits, ICACHE_HITS) S(icache_misses, ICACHE_MISSES) S(memory_waits, MEMORY_WAITS)
/* Global memory, by warp instruction; shared memory; atomics of both; local memory. */
#define PROF_ACCESSES(S) \
	S(accesses) S(access_lanes) S(bytes) S(sectors) S(ideal_sectors) S(lines) S(ideal_lines) \
	S(shared) S(shared_bytes) S(passes) S(ideal_passes) \
	S(atomic_lanes) S(collisions) \
	S(local) S(local_bytes) S(local_sectors)
/* Cycles that warps could not issue, by reason. */
#define PROF_STALLS(S) \
	S(memory, "memory") S(sleep, "sleep") S(barrier, "barrier") S(lanes, "other lanes of the warp") \
	S(launch, "replies to launches") S(children, "kernels it launched") S(driver, "the driver") S(turn, "its turn")

enum prof_sum {
#define S(name, ...) PROF_##name,
	PROF_ISSUED(S)
	PROF_WARPS(S)
	PROF_COUNTED(S)
	PROF_ACCESSES(S)
#undef S
#define S(name, text) PROF_stall_##name,
	PROF_STALLS(S)
#undef S
	PROF_SUMS
};

/* The names, in order: for records and JSON. */
#define PROF_SUM_NAMES { \
	PROF_ISSUED(PROF_NAME_) PROF_WARPS(PROF_NAME_) PROF_COUNTED(PROF_NAME_) PROF_ACCESSES(PROF_NAME_) \
	PROF_STALLS(PROF_STALL_NAME_) \
}
#define PROF_NAME_(name, ...) #name,
#define PROF_STALL_NAME_(name, text) "stall_" #name,

/* What is the largest of an instruction's, and sets of lanes. */
#define PROF_MOSTS(S) S(most_ways) S(most_same)
struct prof_more {
#define S(name) uint32_t name;
	PROF_MOSTS(S)
#undef S
	uint32_t lanes, passed;		/* lanes that have executed it; that its guard kept from it */
	/* Neighbouring lanes were so far apart, in so many of the accesses that have neighbours. */
	int64_t stride;
	uint64_t strided, neighbours;
};

/* Of two strides the one that more neighbours had. */
static inline void prof_merge_strides(struct prof_more *to, const struct prof_more *m)
{
	to->neighbours += m->neighbours;
	if (to->stride == m->stride) {
		to->strided += m->strided;
	} else if (m->strided > to->strided) {
		to->stride = m->stride;
		to->strided = m->strided;
	}
}

#endif
