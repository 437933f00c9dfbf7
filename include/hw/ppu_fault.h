/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Error and fault codes, and the fault record.
 *
 * PPU_ERRS(): name, code, scope, sentence.  Scope CH: stops the channel.  Scope CTX: stops every channel of the
 * instance block whose task faulted, and aborts the tasks of that block, nothing else.  Scope NOTE: stops nothing; the
 * context gets one record of it.
 */
#ifndef PPU_HW_FAULT_H
#define PPU_HW_FAULT_H

#include <linux/types.h>

#define PPU_ERRS(E) \
E(NONE,             0,  CH,  "no error") \
/* ring and command errors: the channel stops */ \
E(PUT_RANGE,        1,  CH,  "GP_PUT was set to a value outside the ring or past GP_GET") \
E(NULL_ENTRY,       2,  CH,  "the ring entry at GP_GET was never written (null entry)") \
E(BAD_ENTRY,        3,  CH,  "the ring entry at GP_GET has a bad length, alignment or non-zero flags") \
E(RING_FAULT,       4,  CH,  "the ring itself is not mapped in the channel's address space") \
E(BLOCK_FAULT,      5,  CH,  "the command block is not mapped in the channel's address space") \
E(BAD_OPCODE,       6,  CH,  "unknown command opcode") \
E(BAD_SIZE,         7,  CH,  "the command's size does not fit its opcode or runs past its block") \
E(BAD_FLAGS,        8,  CH,  "the command has flags that do not exist") \
E(WRONG_CLASS,      9,  CH,  "the command does not belong in a channel of this class") \
E(SEM_ALIGN,       10,  CH,  "the semaphore address is not aligned to its word") \
E(SEM_FAULT,       11,  CH,  "the semaphore address is not mapped or not writable") \
E(ACQUIRE_DENIED,  12,  CH,  "SEM_ACQUIRE on a kernel-submit channel") \
E(COPY_FAULT,      13,  CH,  "a copy touched an address that is not mapped or not writable") \
E(COPY_ARGS,       14,  CH,  "a copy or fill has impossible sizes or alignment") \
E(DMA_FAULT,       15,  CH,  "system memory could not be reached (bus master off, no RAM there)") \
E(TMD_FAULT,       16,  CH,  "the TMD is not mapped") \
E(TMD_BAD,         17,  CH,  "the TMD has a bad magic, version, size, alignment or reserved bits") \
E(TMD_LIMITS,      18,  CH,  "the TMD asks for more threads, registers, shared or local memory than there is") \
E(TMD_PRIORITY,    19,  CH,  "the TMD's priority is above the context's ceiling") \
E(BAD_QUEUE,       20,  CH,  "QUEUE_REFRESH names no device-owned channel of this context") \
E(BAD_CONFIG,      21,  CH,  "the channel's configuration is not usable") \
E(CTX_STOPPED,     22,  CH,  "the channel's context was stopped") \
E(RUN_LIMIT,       23,  CH,  "a run of commands exceeded its bound") \
E(HOST_MEMORY,     24,  CH,  "the host that runs the device has no memory left for a command") \
E(LAUNCH_DEPTH,    25, NOTE, "a task at the greatest nesting depth of its context launched a task") \
/* SM faults: the context stops */ \
E(MMU_UNMAPPED,    32, CTX,  "a thread accessed an address that is not mapped") \
E(MMU_READONLY,    33, CTX,  "a thread wrote to read-only memory") \
E(MMU_PRIV,        34, CTX,  "a thread accessed memory reserved for the host interface") \
E(MMU_NOEXEC,      35, CTX,  "instructions were fetched from memory that may not be executed") \
E(MMU_BAD_PTE,     36, CTX,  "a page table entry has reserved bits set or points outside memory") \
E(MISALIGNED,      37, CTX,  "a thread accessed an address that is not aligned to its size") \
E(WINDOW_RANGE,    38, CTX,  "a shared, local or parameter access is outside its space") \
E(PARAM_WRITE,     39, CTX,  "a thread stored to parameter memory") \
E(ILLEGAL_INSN,    40, CTX,  "illegal instruction") \
E(BAD_PC,          41, CTX,  "the program counter left the program") \
E(STACK_OVERFLOW,  42, CTX,  "a thread's stack left its local memory") \
E(TOKQ_OVERFLOW,   43, CTX,  "divergence queue overflow") \
E(TOKQ_CORRUPT,    44, CTX,  "a divergence token has reserved bits set or impossible fields") \
E(WATCHDOG,        45, CTX,  "the task ran longer than its watchdog allows") \
E(TRAP,            46, CTX,  "the program executed TRAP") \
E(ASSERT,          47, CTX,  "an assertion failed in the program") \
E(BAD_BARRIER,     48, CTX,  "a barrier number or thread count is impossible") \
E(NO_TOKQ,         49, CTX,  "the instance block gives no token queue or local memory for this SM") \
E(SM_DMA,          50, CTX,  "system memory could not be reached by an SM") \
E(DEADLOCK,        51, CTX,  "every thread of a CTA waits and none can be released") \
E(ATOMIC_SPACE,    52, CTX,  "atomic operation on local or parameter memory") \
E(TASK_DONE_FAULT, 53, CTX,  "the TMD's completion address is not writable") \
E(SAVE_CORRUPT,    54, CTX,  "the saved image of a CTA is not what the device wrote") \
E(TASK_QUEUE,      55, CTX,  "a task queue is not mapped, or its put counter went back or past its capacity") \
E(TASK_MEMORY,     56, CTX,  "the host that runs the device has no memory left for a task") \
E(CLUSTER_CTA,     57, CTX,  "shared memory of a CTA that the cluster does not have, or that has ended")

enum ppu_err {
#define E(name, code, scope, text) PPU_ERR_##name = (code),
	PPU_ERRS(E)
#undef E
};

/* Access kinds and units of a fault record. */
#define PPU_ACC_READ	0
#define PPU_ACC_WRITE	1
#define PPU_ACC_ATOMIC	2
#define PPU_ACC_EXEC	3

#define PPU_UNIT_HOST	0
#define PPU_UNIT_CE	1
#define PPU_UNIT_SM	2
#define PPU_UNIT_TASK	3

#define PPU_FAULT_NO_LANE	0xff
#define PPU_FAULT_NO_CHANNEL	0xffff
#define PPU_FAULT_RING		64	/* records kept */

/* 64 bytes, read word by word through FAULT_SEL/FAULT_DATA. */
struct ppu_fault_rec {
	__u64 time_ns;		/* device time */
	__u64 va;		/* address, 0 if none */
	__u64 inst;		/* instance block (aperture in bit 0) */
	__u64 task_id;		/* TMD id, 0 if none */
	__u32 seq;		/* fault number since reset */
	__u16 code;		/* PPU_ERR_* */
	__u8  access;		/* PPU_ACC_* */
	__u8  unit;		/* PPU_UNIT_* */
	__u16 unit_index;	/* SM id, copy engine number */
	__u16 channel;		/* root channel; PPU_FAULT_NO_CHANNEL: none */
	__u32 pc;		/* instruction index, ~0: none */
	__u8  lane;		/* PPU_FAULT_NO_LANE: none */
	__u8  level;		/* page table level of an MMU fault */
	__u16 warp;		/* warp slot */
	__u32 cta[3];		/* CTA index in its grid */
};
#define PPU_FAULT_REC_WORDS 16

#endif
