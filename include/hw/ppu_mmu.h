/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * GPU virtual memory: page tables, the special windows of the unified address space, and the
 * instance block that ties a context together.
 *
 * A virtual address has 48 bits.  Four levels of 512 eight-byte entries (root = level 3, index
 * bits 47:39; level 0 index bits 20:12), each table one 4 KiB page in VRAM or system memory.
 * A leaf stands at level 0 (4 KiB) or, with PPU_PTE_LARGE, at level 1 (2 MiB, address 2 MiB
 * aligned).  Reserved bits must be zero: an entry that breaks this faults.
 */
#ifndef PPU_HW_MMU_H
#define PPU_HW_MMU_H

#include <linux/types.h>

#define PPU_PAGE_SHIFT		12
#define PPU_PAGE_SIZE		(1ull << PPU_PAGE_SHIFT)
#define PPU_LARGE_SHIFT		21
#define PPU_LARGE_SIZE		(1ull << PPU_LARGE_SHIFT)
#define PPU_PT_LEVELS		4
#define PPU_PT_ENTRIES		512
#define PPU_PT_SHIFT(level)	(12 + 9 * (level))

#define PPU_PTE_VALID		(1ull << 0)
#define PPU_PTE_SYS		(1ull << 1)	/* target in system memory (else VRAM) */
#define PPU_PTE_READONLY	(1ull << 2)	/* leaf */
#define PPU_PTE_NOEXEC		(1ull << 3)	/* leaf */
#define PPU_PTE_LARGE		(1ull << 4)	/* leaf at level 1 */
#define PPU_PTE_PRIV		(1ull << 5)	/* leaf: host interface only; SMs and copy engines fault */
#define PPU_PTE_UNCACHED	(1ull << 6)	/* leaf: not kept in L1 models */
/* leaf, address and SYS 0: no memory.  Loads give 0, what is stored is lost, atomics find 0.  For SMs and copy
 * engines; other units find it unmapped.  Needs PPU_FEAT_NULL_PAGES. */
#define PPU_PTE_NULL		(1ull << 7)
#define PPU_PTE_ADDR		0x000ffffffffff000ull
#define PPU_PTE_RESERVED	(~(PPU_PTE_ADDR | 0xffull))
#define PPU_PDE_RESERVED	(~(PPU_PTE_ADDR | 0x3ull))	/* non-leaf: VALID, SYS, address only */

/*
 * Unified address space.  User mappings live below PPU_VA_USER_END, kernel-owned ones (rings of
 * kernel-submit channels) between USER_END and KERNEL_END.  The top 16 GiB are windows onto
 * on-chip spaces for generic accesses: never in the page tables.
 */
#define PPU_VA_BITS		48
#define PPU_VA_USER_START	0x0000000000010000ull
#define PPU_VA_USER_END		0x0000800000000000ull
#define PPU_VA_KERNEL_END	0x0000f00000000000ull
#define PPU_VA_PARAM_BASE	0x0000fffd00000000ull	/* + offset in the task's parameter memory */
#define PPU_VA_SHARED_BASE	0x0000fffe00000000ull	/* + offset in the CTA's shared memory */
#define PPU_VA_LOCAL_BASE	0x0000ffff00000000ull	/* + offset in the thread's local memory */
#define PPU_VA_WINDOW_SIZE	0x0000000100000000ull

/*
 * Instance block: one 4 KiB page per context, written by the kernel driver only, never mapped to
 * user space.  Reserved words zero.  Read at CTX_CMD_LOAD; later changes need another LOAD.
 */
#define PPU_INST_MAGIC		0x54534e49	/* "INST" */
#define PPU_INST_VERSION	1
#define PPU_INST_SIZE		4096

struct ppu_inst_block {
	__u32 magic;
	__u32 version;
	__u64 pt_root;		/* physical address of the level-3 table | aperture bit 0 */
	__u32 context_id;	/* any number the driver likes; shows up in traces and faults */
	__u32 max_depth;	/* N of SP-11, 1..PPU_MAX_DEPTH */
	__u32 prio_ceiling;	/* highest device priority its tasks may carry */
	__u32 flags;		/* must be zero */
	/* Areas in VRAM: byte address and size. 0, 0: the area is absent, and no CTA that needs it starts. */
	__u64 local_base;	/* local memory: see PPU_LOCAL_AREA_BYTES */
	__u64 local_size;
	__u64 tokq_base;	/* divergence token queues: PPU_TOKQ_AREA_BYTES */
	__u64 tokq_size;
	__u64 save_base;	/* context save area for preemption */
	__u64 save_size;
	__u32 local_per_thread;	/* bytes of local memory each thread has, multiple of 16 */
	__u32 max_pending;	/* device launches not complete at any time; 0: as many as there are records */
	__u64 watchdog_ns;	/* a task running longer (device time on SMs) faults; 0: no limit */
	/* Contexts with the same number here have one share of the machine together; it never changes.  0: this context
	 * has a share of its own.  Needs PPU_FEAT_OWNERS. */
	__u64 owner;
	__u64 reserved[499];
};
#define PPU_MAX_DEPTH		64

#define PPU_LOCAL_MAX		(512u << 10)	/* most bytes of local memory of a thread */
/* Local memory of warp w (SM-major: sm * warps_per_sm + slot) starts at w * 32 * local_per_thread;
 * inside it 4-byte word i of lane l lies at (i * 32 + l) * 4. */
#define PPU_LOCAL_AREA_BYTES(sms, warps, per_thread) \
	((__u64)(sms) * (warps) * 32 * (per_thread))
/* Token queue of warp w starts at w * entries * 8. */
#define PPU_TOKQ_AREA_BYTES(sms, warps, entries) ((__u64)(sms) * (warps) * (entries) * 8)
/* Save area: PPU_SAVE_AREA_BYTES in ppu_save.h. */

#endif
