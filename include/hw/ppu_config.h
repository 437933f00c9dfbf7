/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Device properties and the cost table: one list, from which come QEMU's -device properties,
 * ppu-run's --prop, the core's struct ppu_config and the documentation.
 *
 * PPU_PROPS(): C name, property name, type, default, min, max, sentence.  Types: u32, u64, size, and named, a u32
 * of which some values have names.
 * Costs are device time; they change timing and order, never a computed value.
 */
#ifndef PPU_HW_CONFIG_H
#define PPU_HW_CONFIG_H

#include <stdint.h>

#define PPU_PROPS(P) \
P(vram,             "vram",               size, 268435456, 1048576, 68719476736ull, "VRAM in bytes (K, M, G suffixes), a multiple of 1 MiB") \
P(gpcs,             "gpcs",               u32, 5, 1, 64, "GPCs") \
P(sms_per_gpc,      "sms-per-gpc",        u32, 3, 1, 64, "SMs per GPC") \
P(warps_per_sm,     "warps-per-sm",       u32, 64, 1, 64, "resident warps per SM") \
P(ctas_per_sm,      "ctas-per-sm",        u32, 16, 1, 32, "most resident CTAs per SM") \
P(task_slots,       "task-slots",         u32, 32, 1, 1024, "slots of the task table") \
P(task_records,     "task-records",       u32, 8192, 4, 1048576, "task records in the pool") \
P(copy_engines,     "copy-engines",       u32, 2, 1, 32, "copy engines") \
P(channels,         "channels",           u32, 256, 1, 4096, "channels") \
P(device_priorities,"device-priorities",  u32, 12, 0, 256, "number M of device (task) priorities") \
P(task_policy,      "task-policy",        u32, 0, 0, 1, "task selection: 0 priority, 1 round robin over the lists") \
P(timeslice_ns,     "timeslice",          u64, 1000000, 1000, 10000000000ull, "default channel time slice, ns") \
P(task_slice_ns,    "task-slice-ns",      u64, 2000000, 0, 10000000000ull, "fairness between contexts: hold of task slots while another context waits; 0: literal global priority order") \
P(window_ns,        "window-ns",          u64, 10000, 100, 10000000, "SM window W") \
P(tokq_entries,     "token-queue-entries",u32, 256, 4, 4096, "divergence token queue entries per warp") \
P(tokq_driver,      "token-queue-driver", u32, 0, 0, 1, "recentring exceptions: 0 device routine, 1 interrupt to the driver") \
P(branch_first,     "branch-first",       u32, 0, 0, 1, "side of a divergent branch that runs first: 0 fall-through, 1 taken") \
P(yield_merge,      "yield-merge",        u32, 1, 0, 1, "merge yield tokens of one address") \
P(yield_every,      "yield-every",        u32, 1, 0, 65535, "switch at every Nth YIELD of a group (0, 1: every time)") \
P(yield_random,     "yield-random",       u32, 65536, 0, 65536, "switch when a 16-bit random number is below this") \
P(yield_suppress,   "x-yield-suppress",     u32, 0, 0, 1, "treat YIELD as NOP (negative tests)") \
P(gate_literal,     "x-gate-literal",       u32, 0, 0, 1, "do not re-check gates at dispatch (CP-33)") \
P(run_limit,        "run-limit",          u32, 64, 1, 65536, "longest indivisible run of non-engine commands (A-CP-6)") \
P(shared_per_sm,    "shared-per-sm",      u32, 98304, 1024, 1048576, "shared memory per SM, bytes") \
P(shared_per_cta,   "shared-per-cta",     u32, 0, 0, 1048576, "most shared memory per CTA, bytes; 0: all of an SM's") \
P(regs_per_sm,      "regs-per-sm",        u32, 65536, 256, 1048576, "registers per SM") \
P(partitions,       "partitions",         u32, 6, 1, 64, "memory partition units") \
P(watches,          "watches",            u32, 1024, 1, 8192, "watch table entries") \
P(ring_max,         "ring-max",           u32, 65536, 3, 1048576, "most GPFIFO entries") \
P(sm_clock_khz,     "sm-clock-khz",       u32, 1000000, 1000, 10000000, "SM clock") \
P(trace_classes,    "trace-classes",      u32, 31, 0, 31, "events in the trace, a sum of: 1 host interface and copies, 2 tasks and CTAs, 4 start and end of warps, 8 divergence, 16 barriers") \
P(cache_model,      "cache-model",        u32, 0, 0, 1, "count hits and misses of a model of the caches; changes nothing else") \
P(devq_assist,      "devq-assist",        u32, 1, 0, 1, "device-owned queues may have PUT and shadow follow GET by themselves (WQ-59)") \
P(devq_laps,        "x-devq-laps",        u32, 0, 0, 1, "debug mode of device-owned queues: the host interface erases each entry that it leaves, so that to fetch an entry that was not written in this lap is an error, NULL_ENTRY (WQ-56)") \
P(engines,          "engines",            u32, 32, 1, 32, "processing engines of an SM: a warp instruction takes 32 / engines times its cycles") \
P(preempt_level,    "preempt-level",      u32, 1, 0, 1, "0: at CTA boundaries, 1: at instructions") \
P(store_delay_ns,   "store-delay-ns",     u64, 0, 0, 1000000000, "SM store buffer: delay") \
P(store_reorder,    "store-reorder",      u32, 0, 0, 1, "SM store buffer: seeded reordering") \
P(seed,             "seed",               u64, 1, 0, ~0ull, "seed of every random choice") \
P(engine,           "engine",             named, 0, 0, 2, "how SM code runs: 0 auto: what runs often is translated, 1 interpret, 2 translate; results and device times are the same") \
P(workers,          "workers",            named, 0, 0, 64, "SM worker threads, 0: serial; auto: one for each CPU that the host has for us, at most one for each SM") \
/* costs, ns of device time unless said */ \
P(cost_fetch_ns,    "cost-fetch-ns",      u32, 200, 0, 1000000, "fetch of a ring entry and its block") \
P(cost_cmd_ns,      "cost-cmd-ns",        u32, 20, 1, 1000000, "one host command") \
P(cost_switch_ns,   "cost-switch-ns",     u32, 100, 0, 1000000, "host switches channel") \
P(cost_ce_setup_ns, "cost-ce-setup-ns",   u32, 1000, 0, 1000000000, "copy engine set-up per copy") \
P(cost_ce_mbps,     "cost-ce-mbps",       u32, 12000, 1, 10000000, "copy engine bandwidth, 10^6 bytes/s") \
P(cost_launch_ns,   "cost-launch-ns",     u32, 1000, 0, 1000000000, "task unit accepts a TMD") \
P(cost_cta_ns,      "cost-cta-ns",        u32, 100, 0, 1000000, "start of a CTA") \
P(cost_mem_cycles,  "cost-mem-cycles",    u32, 4, 1, 100000, "SM cycles a memory instruction occupies its warp") \
P(cost_wfi_drain_ns,"cost-wfi-drain-ns",  u32, 500, 0, 1000000000, "drain of memory transactions at kernel end") \
P(cost_evict_ns,    "cost-evict-ns",      u32, 2000, 0, 1000000000, "context save or restore of one CTA") \
/* faults injected on purpose: Documentation/hw/faults.md */ \
P(fault_id,         "x-fault-id",           u32, 0, 0, 0xffffffff, "register ID reads this value; 0: what it should") \
P(fault_version,    "x-fault-version",      u32, 0, 0, 0xffffffff, "register VERSION reads this value; 0: what it should") \
P(fault_irq_delay_ns,"x-fault-irq-delay-ns", u64, 0, 0, 10000000000ull, "an interrupt message is sent so much later") \
P(fault_irq_lose,   "x-fault-irq-lose",     u32, 0, 0, 0xffffffff, "of each vector, every Nth message is not sent") \
P(fault_irq_spurious,"x-fault-irq-spurious", u32, 0, 0, 0xffffffff, "of each vector, after every Nth message one more is sent when its causes have been cleared") \
P(fault_irq_race,   "x-fault-irq-race",     u32, 0, 0, 1, "a bit for a bitmap whose cause is pending already comes just after the driver's next read of its word") \
P(fault_ce_reorder, "x-fault-ce-reorder",   u32, 0, 0, 0xffffffff, "every Nth copy or fill takes x-fault-ce-late-ns longer, so that later ones overtake it") \
P(fault_ce_late_ns, "x-fault-ce-late-ns",   u64, 1000000, 1, 10000000000ull, "how much longer") \
P(fault_dma_fail,   "x-fault-dma-fail",     u32, 0, 0, 0xffffffff, "every Nth copy or fill that touches system memory fails with DMA_FAULT") \
P(fault_stop,       "x-fault-stop",         u32, 0, 0, 0xffffffff, "every Nth enabled channel that is to stop (STOP, RESET, GROUP_STOP) does not, until the device is reset") \
/* for tools that run a program in other orders */ \
P(schedule,         "x-schedule",         u32, 0, 0, 0xffffffff, "0: warps take turns, and CTAs come in order; else the seed of another order, in which a turn may end at any instruction; nothing is translated") \
P(order,            "x-order",            u32, 0, 0, 0xffffffff, "0: as x-schedule says; else one more than the number of an order: the blocks of a grid of at most 6 and the warps of a block of at most 6 in one of all sequences (ppu_order.h); nothing is translated") \
P(order_switch,     "x-order-switch",     u32, 0, 0, 0xffffffff, "with x-order: so many cycles after it has started, the first warp of the first block goes behind all others; 0: never") \
/* for tests of the translator */ \
P(engine_without,   "x-engine-without",   u32, 0, 0, 2, "what the translator does as if the host did not have it: 1 AVX-512, 2 AVX2 either, so nothing is translated (tests)") \
/* the memory system in device time: Documentation/hw/memory.md */ \
P(memory_timing,    "memory-timing",      u32, 0, 0, 1, "caches, ports and DRAM cost device time; 0: each memory instruction costs cost-mem-cycles and nothing else") \
P(cache_line,       "cache-line",         u32, 128, 32, 256, "bytes of a line of all caches, a power of two") \
P(l1_bytes,         "l1-bytes",           size, 32768, 1024, 1048576, "L1 of an SM for data") \
P(l1_ways,          "l1-ways",            u32, 4, 1, 64, "lines of a set of it") \
P(l1_cycles,        "l1-latency-cycles",  u32, 28, 1, 10000, "from a load to the next instruction, when the L1 has the data") \
P(l1_width,         "l1-bytes-per-cycle", u32, 64, 32, 1024, "what the L1 passes in a cycle of the SM, of one line") \
P(l1i_bytes,        "l1-insn-bytes",      size, 8192, 1024, 1048576, "L1 of an SM for instructions, 4 ways") \
P(l1c_bytes,        "l1-const-bytes",     size, 8192, 1024, 1048576, "L1 of an SM for constants and parameters, 4 ways") \
P(l15_bytes,        "l15-bytes",          size, 131072, 1024, 16777216, "L1.5 of a GPC for instructions and constants, 4 ways") \
P(l15_ns,           "l15-latency-ns",     u32, 100, 20, 100000, "when the L1.5 has them") \
P(gpc_mbps,         "gpc-mbps",           u32, 96000, 100, 10000000, "port of a GPC, 10^6 bytes/s") \
P(l2_slice_bytes,   "l2-slice-bytes",     size, 262144, 1024, 16777216, "slice of the L2 at a partition unit") \
P(l2_ways,          "l2-ways",            u32, 16, 1, 64, "lines of a set of it") \
P(l2_ns,            "l2-latency-ns",      u32, 200, 20, 100000, "from a load to the next instruction, when the L2 has the data") \
P(partition_mbps,   "partition-mbps",     u32, 64000, 100, 10000000, "port of a partition unit, 10^6 bytes/s") \
P(dram_mbps,        "dram-mbps",          u32, 32000, 100, 10000000, "DRAM of a partition unit, 10^6 bytes/s") \
P(dram_ns,          "dram-latency-ns",    u32, 250, 0, 100000, "what DRAM takes besides l2-latency-ns") \
P(link_mbps,        "link-mbps",          u32, 12000, 100, 10000000, "port of the I/O unit to system memory, 10^6 bytes/s") \
P(link_ns,          "link-latency-ns",    u32, 1000, 20, 100000, "from a load to the next instruction, when system memory has the data") \
P(priority_order,   "priority-order",     u32, 0, 0, 1, "which device priority is the highest: 0 the greatest number (M - 1), 1 the smallest (0)") \
P(window_halvings,  "window-halvings",    u32, 0, 0, 10, "how often a window may be cut in half while CTAs begin or end, tasks are launched, or words that somebody waits for are written") \
P(stores_under_way, "stores-per-sm",      u32, 64, 1, 4096, "lines of stores of an SM that are under way before a warp has to wait")

typedef uint32_t ppu_prop_u32;
typedef uint32_t ppu_prop_named;
typedef uint64_t ppu_prop_u64;
typedef uint64_t ppu_prop_size;

struct ppu_config {
#define P(c, name, type, def, min, max, doc) ppu_prop_##type c;
	PPU_PROPS(P)
#undef P
};

/* workers=auto, until the device's owner has said how many CPUs there are: ppu_config_workers() */
#define PPU_WORKERS_AUTO	0xffffffffu

#endif
