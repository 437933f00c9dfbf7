/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Counters of the device since its reset: read by number through DBG_SEL and DBG_DATA, or from tools
 * by name.  PPU_COUNTERS(): name, text, sentence.  New ones go at the end.  They are only observed:
 * nothing the device does depends on them.
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
C(PARTITION_WRITES, "memory_writes", "memory transactions of SMs, writes")
enum ppu_counter {
#define C(name, text, doc) PPU_CTR_##name,
	PPU_COUNTERS(C)
#undef C
	PPU_CTR_COUNT
};

#endif
