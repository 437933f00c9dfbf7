/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * PPU register layout: what the device decodes and the driver programs.
 *
 * BAR0 (64-bit, not prefetchable): control registers, then one 4 KiB USERD page per channel.
 * BAR2 (64-bit, prefetchable):     VRAM, byte n of the BAR is VRAM physical address n.
 * BAR4 (32-bit):                   MSI-X table and PBA.
 *
 * Every register is 32 bits wide, little-endian, naturally aligned.  A 64-bit quantity is a
 * pair NAME_LO, NAME_HI; the write to _HI takes effect (write LO first), a read of _LO latches
 * _HI.  4-byte and 8-byte aligned accesses are accepted; anything else reads as 0 and
 * writes nothing, and is logged as a guest error.
 *
 * PPU_REGS() is the single list: name, offset, access, reset value, one sentence.
 * PPU_CHCFG_REGS(), PPU_USERD_REGS(), PPU_WATCH_REGS(): per channel / per watch entry,
 * offset inside one element of the array.
 */
#ifndef PPU_HW_REGS_H
#define PPU_HW_REGS_H

#include <linux/types.h>

#define PPU_PCI_VENDOR_ID	0x1b36	/* Red Hat, as other devices of QEMU */
#define PPU_PCI_DEVICE_ID	0x0050	/* "P" */
#define PPU_PCI_REVISION	1
#define PPU_PCI_CLASS		0x0302	/* 3D controller */

#define PPU_ID_MAGIC		0x00555050	/* "PPU" */
#define PPU_HW_VERSION		0x00010007	/* major << 16 | minor */

#define PPU_BAR_REGS		0
#define PPU_BAR_VRAM		2
#define PPU_BAR_MSIX		4

/* Regions of BAR0 (byte offsets). */
#define PPU_BAR0_CTRL		0x000000	/* PPU_REGS */
#define PPU_BAR0_WATCH		0x040000	/* watch table: PPU_WATCH_STRIDE bytes an entry */
#define PPU_BAR0_CHCFG		0x080000	/* channel configuration: PPU_CHCFG_STRIDE a channel */
#define PPU_BAR0_USERD		0x200000	/* one page a channel, may be mapped to its owner */
#define PPU_WATCH_STRIDE	0x20
#define PPU_CHCFG_STRIDE	0x80
#define PPU_USERD_STRIDE	0x1000
#define PPU_MAX_WATCHES		8192		/* (PPU_BAR0_CHCFG - PPU_BAR0_WATCH) / stride */
#define PPU_MAX_CHANNELS	4096
/* BAR0's size is the next power of two of PPU_BAR0_USERD + channels * PPU_USERD_STRIDE. */

/* MSI-X vectors. */
#define PPU_VEC_ERROR		0	/* channel stopped, context faulted, fatal error */
#define PPU_VEC_CHANNEL		1	/* INTR command, channel state change, ring low */
#define PPU_VEC_WATCH		2	/* a watch entry matched */
#define PPU_VEC_SM		3	/* SM exception for the driver (recentring, printf room) */
#define PPU_NUM_VECTORS		4

/*
 * An interrupt of vector v is sent when a bit of INTR_STATUS that belongs to v goes 0 -> 1
 * while set in INTR_ENABLE, and again when INTR_ENABLE is written with bits that are pending.
 * INTR_STATUS is write-1-to-clear.  Details are in the bitmaps (CHERR_PENDING..., W1C) and in the fault ring.
 * Even when the ring is full, the fact that something happened is never lost.
 */
#define PPU_INTR_CHERR		(1u << 0)	/* vec ERROR: CHERR_PENDING has a bit */
#define PPU_INTR_FAULT		(1u << 1)	/* vec ERROR: the fault ring is not empty */
#define PPU_INTR_CHINTR		(1u << 2)	/* vec CHANNEL: CHINTR_PENDING has a bit */
#define PPU_INTR_RINGLOW	(1u << 3)	/* vec CHANNEL: RINGLOW_PENDING has a bit */
#define PPU_INTR_WATCH		(1u << 4)	/* vec WATCH: WATCH_PENDING has a bit */
#define PPU_INTR_SMEXC		(1u << 5)	/* vec SM */
#define PPU_INTR_PREEMPT	(1u << 6)	/* vec CHANNEL: a STOP command finished */
#define PPU_INTR_ALL		0x7fu

#define PPU_REGS(R) \
/*   name               offset   access reset  */ \
R(ID,                   0x0000, RO, PPU_ID_MAGIC,  "Magic number, the letters PPU.") \
R(VERSION,              0x0004, RO, PPU_HW_VERSION, "Hardware version, major << 16 | minor.") \
R(SCRATCH,              0x0008, RW, 0, "Keeps what was written; no effect.") \
R(RESET,                0x000c, WO, 0, "Writing 1 resets the whole device except VRAM contents.") \
R(INTR_STATUS,          0x0010, W1C, 0, "Pending causes, PPU_INTR_*.") \
R(INTR_ENABLE,          0x0014, RW, 0, "Causes that send their vector.") \
R(INTR_TEST,            0x0018, WO, 0, "Sets the written bits of INTR_STATUS.") \
R(TIME_LO,              0x0020, RO, 0, "Device time in ns; reading LO latches HI.") \
R(TIME_HI,              0x0024, RO, 0, "High half of TIME.") \
R(CAP_CHANNELS,         0x0100, RO, 0, "Number of channels.") \
R(CAP_COPY_ENGINES,     0x0104, RO, 0, "Number of copy engines.") \
R(CAP_GPCS,             0x0108, RO, 0, "Number of GPCs.") \
R(CAP_SMS_PER_GPC,      0x010c, RO, 0, "SMs in each GPC.") \
R(CAP_WARPS_PER_SM,     0x0110, RO, 0, "Resident warps per SM.") \
R(CAP_WARP_SIZE,        0x0114, RO, 32, "Threads per warp.") \
R(CAP_TASK_SLOTS,       0x0118, RO, 0, "Slots of the task table.") \
R(CAP_DEVICE_PRIORITIES, 0x011c, RO, 0, "Number M of device (task) priorities, 0: none.") \
R(CAP_TOKENQ_ENTRIES,   0x0120, RO, 0, "Entries of a warp's divergence token queue.") \
R(CAP_VRAM_MB,          0x0124, RO, 0, "VRAM in MiB.") \
R(CAP_SHARED_PER_SM,    0x0128, RO, 0, "Shared memory per SM in bytes.") \
R(CAP_SHARED_PER_CTA,   0x012c, RO, 0, "Most shared memory one CTA may use, bytes.") \
R(CAP_REGS_PER_SM,      0x0130, RO, 0, "32-bit registers per SM.") \
R(CAP_VA_BITS,          0x0134, RO, 48, "Bits of a GPU virtual address.") \
R(CAP_RING_MAX,         0x0138, RO, 0, "Most entries of a GPFIFO ring.") \
R(CAP_WATCHES,          0x013c, RO, 0, "Entries of the watch table.") \
R(CAP_CORES_PER_SM,     0x0140, RO, 192, "Single-precision cores per SM (HW-50).") \
R(CAP_DP_UNITS_PER_SM,  0x0144, RO, 64, "Double-precision units per SM (HW-50).") \
R(CAP_SFUS_PER_SM,      0x0148, RO, 32, "Special function units per SM (HW-50).") \
R(CAP_LSUS_PER_SM,      0x014c, RO, 32, "Load/store units per SM (HW-50).") \
R(CAP_TEX_PER_SM,       0x0150, RO, 0, "Texture units per SM: there are none (HW-77).") \
R(CAP_PARTITIONS,       0x0154, RO, 6, "Memory partition units (HW-71).") \
R(CAP_CTAS_PER_SM,      0x0158, RO, 0, "Most resident CTAs per SM.") \
R(CAP_FEATURES,         0x015c, RO, 0, "PPU_FEAT_* bits.") \
R(CAP_TIMESLICE_NS,     0x0160, RO, 0, "Default time slice, ns of device time.") \
R(CAP_WINDOW_NS,        0x0164, RO, 0, "SM window W, ns of device time.") \
R(CAP_TASK_RECORDS,     0x0168, RO, 0, "Task records in the device's pool.") \
R(CAP_SM_CLOCK_KHZ,     0x016c, RO, 0, "SM clock, kHz of device time.") \
R(CAP_SAVE_BYTES_PER_SM, 0x0170, RO, 0, "Bytes of save area one SM needs (context save).") \
R(FAULT_GET,            0x0200, RW, 0, "Index of the oldest unread fault record; write to consume.") \
R(FAULT_PUT,            0x0204, RO, 0, "Index after the newest fault record.") \
R(FAULT_TOTAL,          0x0208, RO, 0, "Faults since reset, also those lost for lack of room.") \
R(FAULT_LOST,           0x020c, RO, 0, "Faults not recorded because the ring was full.") \
R(FAULT_SEL,            0x0210, RW, 0, "Word of the record at FAULT_GET that FAULT_DATA reads.") \
R(FAULT_DATA,           0x0214, RO, 0, "That word; FAULT_SEL then advances by one (struct ppu_fault_rec).") \
R(TLB_INV_INST_LO,      0x0300, RW, 0, "Instance block whose translations to drop (aperture in bit 0), LO.") \
R(TLB_INV_INST_HI,      0x0304, RW, 0, "HI.") \
R(TLB_INV,              0x0308, WO, 0, "1: drop translations of TLB_INV_INST; 2: drop all. Done when the write returns.") \
R(CTX_INST_LO,          0x0310, RW, 0, "Instance block CTX_CMD works on, LO.") \
R(CTX_INST_HI,          0x0314, RW, 0, "HI.") \
R(CTX_CMD,              0x0318, WO, 0, "PPU_CTX_CMD_*: reload the instance block, stop or forget the context.") \
R(CTX_STATUS,           0x031c, RO, 0, "PPU_CTX_* state of the context at CTX_INST.") \
R(SCHED_CTRL,           0x0400, RW, 0, "PPU_SCHED_*: pause host fetch / task scheduling (tests, HW-18).") \
R(SM_EXC_INST_LO,       0x0500, RO, 0, "SM exception waiting for the driver: context, LO.") \
R(SM_EXC_INST_HI,       0x0504, RO, 0, "HI.") \
R(SM_EXC_WARP,          0x0508, RO, 0, "SM id << 16 | warp slot.") \
R(SM_EXC_CAUSE,         0x050c, RO, 0, "PPU_SMEXC_*; 0: none waiting.") \
R(SM_EXC_TOKQ_LO,       0x0510, RO, 0, "VRAM address of that warp's token queue, LO.") \
R(SM_EXC_TOKQ_HI,       0x0514, RO, 0, "HI.") \
R(SM_EXC_HEAD,          0x0518, RW, 0, "Queue head (entry).") \
R(SM_EXC_TAIL,          0x051c, RW, 0, "Queue tail (entry, signed).") \
R(SM_EXC_DONE,          0x0520, WO, 0, "1: the driver has recentred; the warp retries its push. 2: kill.") \
R(DBG_SEL,              0x0600, RW, 0, "Debug counter that DBG_DATA reads, PPU_CTR_* order; from 0x10000 on statistics of the engine, PPU_ENG_* order.") \
R(DBG_DATA_LO,          0x0604, RO, 0, "Counter value LO.") \
R(DBG_DATA_HI,          0x0608, RO, 0, "Counter value HI.") \
R(TASK_SEL,             0x0610, RW, 0, "Writing n takes a picture of the first task record in use from n on; reads back n.") \
R(TASK_DATA,            0x0640, RO, 0, "16 words: that picture, struct ppu_task_info (ppu_tmd.h).") \
/* Bitmaps: PPU_MAX_CHANNELS bits = 128 words each; W1C. */ \
R(CHERR_PENDING,        0x1000, W1C, 0, "128 words: channels stopped by an error since last cleared.") \
R(CHINTR_PENDING,       0x1200, W1C, 0, "128 words: channels that executed INTR.") \
R(RINGLOW_PENDING,      0x1400, W1C, 0, "128 words: device-owned channels whose ring is low (WQ-59).") \
R(PREEMPT_PENDING,      0x1600, W1C, 0, "128 words: channels whose STOP finished.") \
R(WATCH_PENDING,        0x2000, W1C, 0, "256 words: watch entries that matched.")

#define PPU_BITMAP_WORDS_CH	128
#define PPU_BITMAP_WORDS_WATCH	256

#define PPU_FEAT_TEXTURE	(1u << 0)
#define PPU_FEAT_ROP		(1u << 1)
#define PPU_FEAT_DEVQ		(1u << 2)	/* device-owned work queues */
#define PPU_FEAT_PREEMPT	(1u << 3)	/* instruction-level preemption */
#define PPU_FEAT_DEVQ_ASSIST	(1u << 4)	/* PPU_CHF_AUTO_REFRESH */
#define PPU_FEAT_ENGINE_STATS	(1u << 5)	/* DBG_SEL from PPU_DBG_ENGINE on (ppu_engine_stats.h) */
#define PPU_FEAT_GROUPS		(1u << 6)	/* CH_GROUP, PPU_CH_CMD_GROUP_* */
#define PPU_FEAT_NULL_PAGES	(1u << 7)	/* PPU_PTE_NULL */
#define PPU_FEAT_PRIO_DOWN	(1u << 8)	/* of two device priorities the smaller number is the higher one */
#define PPU_FEAT_TASK_TIME	(1u << 9)	/* PPU_CHF_TASK_TIME */
#define PPU_FEAT_OWNERS		(1u << 10)	/* ppu_inst_block.owner */
#define PPU_FEAT_LARGE_PARAMS	(1u << 11)	/* PPU_PARAM_MAX bytes of parameters, not PPU_PARAM_FEW */
#define PPU_FEAT_SEM_NOR	(1u << 12)	/* PPU_SEM_OP_NOR */
#define PPU_FEAT_CLUSTERS	(1u << 13)	/* ppu_tmd.cluster */

#define PPU_SCHED_PAUSE_HOST	(1u << 0)
#define PPU_SCHED_PAUSE_TASKS	(1u << 1)

#define PPU_CTX_CMD_LOAD	1	/* (re)read the instance block; needed before a channel names it */
#define PPU_CTX_CMD_STOP	2	/* stop the context's channels, abort its tasks; done when the write returns */
#define PPU_CTX_CMD_FORGET	3	/* drop all device state of the context; its memory may be reused */
#define PPU_CTX_LOADED		(1u << 0)
#define PPU_CTX_FAULTED		(1u << 1)
#define PPU_CTX_BUSY		(1u << 2)	/* has tasks or running copies */
#define PPU_CTX_STOPPED		(1u << 3)
#define PPU_CTX_BAD		(1u << 4)	/* last CTX_CMD_LOAD refused the instance block */

#define PPU_SMEXC_NONE		0
#define PPU_SMEXC_RECENTRE	1

/* One channel's configuration, BAR0 + PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE. Driver only. */
#define PPU_CHCFG_REGS(R) \
R(CH_INST_LO,      0x00, RW, 0, "Instance block, physical, bit 0 = aperture (0 VRAM, 1 system); LO.") \
R(CH_INST_HI,      0x04, RW, 0, "HI.") \
R(CH_RING_LO,      0x08, RW, 0, "GPU virtual address of the GPFIFO ring, 16-byte aligned; LO.") \
R(CH_RING_HI,      0x0c, RW, 0, "HI.") \
R(CH_RING_ENTRIES, 0x10, RW, 0, "Entries of the ring, 3..CAP_RING_MAX, any count.") \
R(CH_CLASS,        0x14, RW, 0, "PPU_CLASS_*.") \
R(CH_PRIORITY,     0x18, RW, 0, "Queue priority 0..PPU_QUEUE_PRIO_MAX, higher first (WQ-10).") \
R(CH_TIMESLICE_NS, 0x1c, RW, 0, "Time slice in ns of device time, 0: CAP_TIMESLICE_NS.") \
R(CH_ENGINE_MASK,  0x20, RW, 0, "Copy engines it may use, 0: any.") \
R(CH_FLAGS,        0x24, RW, 0, "PPU_CHF_*.") \
R(CH_GET,          0x28, RW, 0, "GP_GET; may be written while the channel is disabled.") \
R(CH_PUT,          0x2c, RW, 0, "GP_PUT; may be written while disabled, or for a device-owned channel.") \
R(CH_CMD,          0x30, WO, 0, "PPU_CH_CMD_*.") \
R(CH_STATUS,       0x34, RO, 0, "PPU_CHS_* bits.") \
R(CH_ERROR,        0x38, RO, 0, "First error: PPU_ERR_* code, 0 none.") \
R(CH_ERROR_INFO,   0x3c, RO, 0, "GP_GET of the failing entry.") \
R(CH_RUNTIME_LO,   0x40, RO, 0, "Engine time used, ns; LO.") \
R(CH_RUNTIME_HI,   0x44, RO, 0, "HI.") \
R(CH_SLICES,       0x48, RO, 0, "Times scheduled in.") \
R(CH_PREEMPTS,     0x4c, RO, 0, "Times switched out by slice expiry or priority.") \
R(CH_COOKIE,       0x50, RO, 0, "Cookie of the last INTR command.") \
R(CH_ERROR_VA_LO,  0x54, RO, 0, "Address the error is about, LO.") \
R(CH_ERROR_VA_HI,  0x58, RO, 0, "HI.") \
R(CH_TASKS,        0x5c, RO, 0, "Tasks launched from it that are not complete.") \
R(CH_BLOCK_VA_LO,  0x60, RO, 0, "Semaphore address the channel waits on, LO (0: not waiting).") \
R(CH_BLOCK_VA_HI,  0x64, RO, 0, "HI.") \
R(CH_DEVQ_SHADOW_LO, 0x68, RW, 0, "Device-owned: GPU VA of shadow GP_PUT (64-bit counter), LO.") \
R(CH_DEVQ_SHADOW_HI, 0x6c, RW, 0, "HI.") \
R(CH_GETABS_LO,    0x70, RO, 0, "GP_GET counted without wrapping, LO.") \
R(CH_GETABS_HI,    0x74, RO, 0, "HI.") \
R(CH_GROUP,        0x78, RW, 0, "Number of its group among the channels of its context, 0: none.")

#define PPU_CLASS_COMPUTE	1	/* launches */
#define PPU_CLASS_COPY		2	/* copies and fills */
#define PPU_CLASS_DEVQ		3	/* device-owned: launches and copies, filled by SM threads */
#define PPU_QUEUE_PRIO_MAX	15

#define PPU_CHF_AUTO_REFRESH	(1u << 0)	/* device-owned: WQ-59's device assist (PPU_FEAT_DEVQ_ASSIST) */
#define PPU_CHF_KERNEL_SUBMIT	(1u << 1)	/* SEM_ACQUIRE is an error on this channel */
#define PPU_CHF_TASK_TIME	(1u << 2)	/* CH_RUNTIME counts the time that its tasks run, too (PPU_FEAT_TASK_TIME) */

#define PPU_CH_CMD_ENABLE	1	/* from DISABLED; checks the configuration */
#define PPU_CH_CMD_STOP		2	/* fetch no more; abort its running copy between chunks and its
					 * tasks; PREEMPT_PENDING when done; bounded time */
#define PPU_CH_CMD_RESET	3	/* STOP, then forget everything: latch, GET, PUT, error, counters */
#define PPU_CH_CMD_PAUSE	4	/* fetch no more after the current command; keeps everything */
#define PPU_CH_CMD_RESUME	5
#define PPU_CH_CMD_REFRESH	6	/* enabled device-owned channel: PUT, then shadow, in one step (WQ-59) */

/* To all enabled channels of the group that CH_INST and CH_GROUP name; this channel need not be enabled. */
#define PPU_CH_CMD_GROUP_PAUSE	7	/* besides PAUSE: a member goes on when neither pauses it */
#define PPU_CH_CMD_GROUP_RESUME	8
#define PPU_CH_CMD_GROUP_STOP	9

#define PPU_CHS_ENABLED		(1u << 0)
#define PPU_CHS_RUNNING		(1u << 1)	/* holds an engine or executes */
#define PPU_CHS_PENDING		(1u << 2)	/* GET != PUT */
#define PPU_CHS_SEM_BLOCKED	(1u << 3)
#define PPU_CHS_WFI		(1u << 4)
#define PPU_CHS_PAUSED		(1u << 5)
#define PPU_CHS_STOPPED		(1u << 6)	/* STOP finished */
#define PPU_CHS_FAULTED		(1u << 8)	/* CH_ERROR != 0 */

/* USERD page of a channel, BAR0 + PPU_BAR0_USERD + chid * PPU_USERD_STRIDE. May be user-mapped. */
#define PPU_USERD_REGS(R) \
R(USERD_GP_GET, 0x00, RO, 0, "Index of the entry the host is at (WQ-2).") \
R(USERD_GP_PUT, 0x04, RW, 0, "Index after the last written entry; the store is the submission (WQ-3, WQ-8). Ignored on device-owned channels.") \
R(USERD_KICK,   0x08, WO, 0, "Any write: re-evaluate the waiters of this channel's address space (WQ-17).") \
R(USERD_STATUS, 0x0c, RO, 0, "CH_STATUS of this channel.") \
R(USERD_ERROR,  0x10, RO, 0, "CH_ERROR of this channel.")

/* One watch entry, BAR0 + PPU_BAR0_WATCH + i * PPU_WATCH_STRIDE. Driver only. */
#define PPU_WATCH_REGS(R) \
R(WATCH_ADDR_LO,  0x00, RW, 0, "Physical address, bit 0 = aperture; LO.") \
R(WATCH_ADDR_HI,  0x04, RW, 0, "HI.") \
R(WATCH_VALUE_LO, 0x08, RW, 0, "Value to compare with; LO.") \
R(WATCH_VALUE_HI, 0x0c, RW, 0, "HI.") \
R(WATCH_CTRL,     0x10, RW, 0, "bit 0 arm, bit 1: 32-bit word, bits 7:4 PPU_SEM_OP_*. Arming evaluates at once; a match disarms, sets WATCH_PENDING.")

#define PPU_WATCH_ARM		(1u << 0)
#define PPU_WATCH_32BIT		(1u << 1)
#define PPU_WATCH_OP_SHIFT	4

#define PPU_REG_ENUM(name, off, access, reset, doc) PPU_REG_##name = (off),
enum ppu_reg { PPU_REGS(PPU_REG_ENUM) };
enum ppu_chcfg_reg { PPU_CHCFG_REGS(PPU_REG_ENUM) };
enum ppu_userd_reg { PPU_USERD_REGS(PPU_REG_ENUM) };
enum ppu_watch_reg { PPU_WATCH_REGS(PPU_REG_ENUM) };
#undef PPU_REG_ENUM

/* Physical addresses as the device sees them: bit 0 selects the aperture, bits 11:1 zero. */
#define PPU_APERTURE_VRAM	0ull
#define PPU_APERTURE_SYS	1ull
#define PPU_APERTURE_MASK	1ull

#endif
