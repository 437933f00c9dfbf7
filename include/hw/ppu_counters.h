/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Counters of the device since its reset: read by number through DBG_SEL and DBG_DATA, or from tools
 * by name.  PPU_COUNTERS(): name, text, sentence.  New counters go at the end.  Counters are only observed:
 * nothing that the device does depends on them.
 */
#ifndef PPU_HW_COUNTERS_H
#define PPU_HW_COUNTERS_H

#define PPU_COUNTERS(C) \
C(WARP_INSNS, "warp_instructions", "warp instructions executed") \
C(THREAD_INSNS, "thread_instructions", "instructions times active lanes") \
C(HOST_CMDS, "host_commands", "commands executed by the host interface") \
C(ENTRIES, "ring_entries", "ring entries fetched") \
C(DOORBELLS, "doorbells", "GP_PUT writes") \
C(KICKS, "kicks", "KICK writes") \
C(MMIO_READS, "mmio_reads", "register reads") \
C(MMIO_WRITES, "mmio_writes", "register writes") \
C(IRQS, "interrupts", "interrupt messages sent") \
C(CE_BYTES, "copy_bytes", "bytes moved by copy engines") \
C(CE_COPIES, "copies", "copies and fills done") \
C(TASKS, "tasks", "tasks completed") \
C(CHILD_TASKS, "child_tasks", "device-side launches accepted") \
C(CTAS, "ctas", "CTAs completed") \
C(EVICTIONS, "evictions", "tasks evicted") \
C(TLB_MISSES, "tlb_misses", "TLB misses of SMs and engines") \
C(DIVERGENT, "divergent_branches", "branches that diverged") \
C(YIELDS, "yields", "YIELDs that switched") \
C(RECENTRES, "recentres", "token queues recentred") \
C(SEM_OPS, "semaphore_ops", "semaphore commands executed") \
C(SEM_WAKES, "semaphore_wakes", "waiters woken") \
C(SM_BUSY_NS, "sm_busy_ns", "sum over SMs of busy device time") \
C(CE_BUSY_NS, "copy_busy_ns", "sum over copy engines of busy device time") \
C(ACCESS_HOST, "mmio_userd_accesses", "accesses to USERD pages") \
C(PARTITION_READS, "memory_reads", "memory transactions of SMs, reads") \
C(PARTITION_WRITES, "memory_writes", "memory transactions of SMs, writes") \
C(L1_HITS, "l1_hits", "loads that the L1 of an SM would have had (cache-model)") \
C(L1_MISSES, "l1_misses", "loads that it would not have had, by line") \
C(ICACHE_HITS, "icache_hits", "instruction fetches that the SM's L1 for instructions would have had") \
C(ICACHE_MISSES, "icache_misses", "and those it would not have had") \
C(CONST_HITS, "constant_hits", "loads of constants and parameters that the SM's L1 for them would have had") \
C(CONST_MISSES, "constant_misses", "and those it would not have had") \
C(L15_HITS, "l15_hits", "misses of both that the L1.5 of the GPC would have had") \
C(L15_MISSES, "l15_misses", "and those it would not have had") \
C(L2_HITS, "l2_hits", "lines that the L2 would have had") \
C(L2_MISSES, "l2_misses", "lines that come from or go to memory") \
C(MEM_INSNS, "memory_instructions", "warp instructions that access global or local memory (cache-model)") \
C(MEM_LINES, "memory_lines", "lines of 128 bytes they touched: 1 to 32 each") \
C(SYS_LINES, "system_lines", "lines of system memory that passed the L2") \
C(PARTITION0, "partition0_lines", "lines of VRAM at partition unit 0, and at every 8th after it") \
C(PARTITION1, "partition1_lines", "lines of VRAM at partition unit 1, 8 + 1, ...") \
C(PARTITION2, "partition2_lines", "lines of VRAM at partition unit 2, 8 + 2, ...") \
C(PARTITION3, "partition3_lines", "lines of VRAM at partition unit 3, 8 + 3, ...") \
C(PARTITION4, "partition4_lines", "lines of VRAM at partition unit 4, 8 + 4, ...") \
C(PARTITION5, "partition5_lines", "lines of VRAM at partition unit 5, 8 + 5, ...") \
C(PARTITION6, "partition6_lines", "lines of VRAM at partition unit 6, 8 + 6, ...") \
C(PARTITION7, "partition7_lines", "lines of VRAM at partition unit 7, 8 + 7, ...") \
C(BARRIERS, "barrier_waits", "warps that waited at a barrier") \
C(ATOMICS, "atomic_instructions", "warp instructions that are atomics") \
C(STALL_TIMED_NS, "stall_timed_ns", "sum over SMs of device time in which all resident warps waited for a time: start, nanosleep") \
C(STALL_OTHER_NS, "stall_other_ns", "the same, but some waited for something else: barrier, reply to a launch, driver") \
C(GPC0_INSNS, "gpc0_warp_instructions", "warp instructions of GPC 0, and of every 8th after it") \
C(GPC1_INSNS, "gpc1_warp_instructions", "warp instructions of GPC 1, 8 + 1, ...") \
C(GPC2_INSNS, "gpc2_warp_instructions", "warp instructions of GPC 2, 8 + 2, ...") \
C(GPC3_INSNS, "gpc3_warp_instructions", "warp instructions of GPC 3, 8 + 3, ...") \
C(GPC4_INSNS, "gpc4_warp_instructions", "warp instructions of GPC 4, 8 + 4, ...") \
C(GPC5_INSNS, "gpc5_warp_instructions", "warp instructions of GPC 5, 8 + 5, ...") \
C(GPC6_INSNS, "gpc6_warp_instructions", "warp instructions of GPC 6, 8 + 6, ...") \
C(GPC7_INSNS, "gpc7_warp_instructions", "warp instructions of GPC 7, 8 + 7, ...") \
C(GPC0_MEMORY, "gpc0_memory", "memory transactions of the SMs of GPC 0, and of every 8th after it") \
C(GPC1_MEMORY, "gpc1_memory", "memory transactions of the SMs of GPC 1, 8 + 1, ...") \
C(GPC2_MEMORY, "gpc2_memory", "memory transactions of the SMs of GPC 2, 8 + 2, ...") \
C(GPC3_MEMORY, "gpc3_memory", "memory transactions of the SMs of GPC 3, 8 + 3, ...") \
C(GPC4_MEMORY, "gpc4_memory", "memory transactions of the SMs of GPC 4, 8 + 4, ...") \
C(GPC5_MEMORY, "gpc5_memory", "memory transactions of the SMs of GPC 5, 8 + 5, ...") \
C(GPC6_MEMORY, "gpc6_memory", "memory transactions of the SMs of GPC 6, 8 + 6, ...") \
C(GPC7_MEMORY, "gpc7_memory", "memory transactions of the SMs of GPC 7, 8 + 7, ...") \
C(FAULTS_INJECTED, "faults_injected", "faults that happened because a fault- property asked for them") \
C(DRAM_BYTES, "dram_bytes", "bytes that the DRAM of all partition units passed (memory-timing)") \
C(MEMORY_WAITS, "memory_waits", "times that a warp waited for the memory system (memory-timing)") \
C(MEMORY_WAIT_NS, "memory_wait_ns", "sum over warps of device time they waited for it")
#define PPU_PARTITION_COUNTERS 8
#define PPU_GPC_COUNTERS 8
enum ppu_counter {
#define C(name, text, doc) PPU_CTR_##name,
	PPU_COUNTERS(C)
#undef C
	PPU_CTR_COUNT
};

#endif
