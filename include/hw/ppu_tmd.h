/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * TMD: task metadata.  Written by untrusted code (runtime or SM thread) in memory, named by its
 * GPU virtual address in a LAUNCH command or device-side launch, read once by the task unit when
 * accepted.  Unknown versions, set reserved bits and impossible sizes are errors
 * (PPU_ERR_TMD_*).  Depth, parent, root channel and launched-by are not here: the device keeps
 * them in its own task record (HW-15, SP-2, SP-10).
 */
#ifndef PPU_HW_TMD_H
#define PPU_HW_TMD_H

#include <linux/types.h>

#define PPU_TMD_SIZE		256
#define PPU_TMD_ALIGN		256
#define PPU_TMD_MAGIC		0x30444d54	/* "TMD0" */
#define PPU_TMD_VERSION		1

struct ppu_tmd {
	__u32 magic;
	__u16 version;
	__u16 size;		/* PPU_TMD_SIZE */
	__u32 flags;		/* PPU_TMDF_* */
	__u8  kind;		/* PPU_TMD_GRID or PPU_TMD_QUEUE */
	__u8  priority;		/* device priority; used when PPU_TMDF_PRIO_VALID */
	__u16 regs_per_thread;	/* 1..255 */
	__u64 id;		/* task identifier, free for the launcher; special register TMDID */
	__u64 code_va;		/* base of the linked image's code, 16-byte aligned */
	__u32 code_insns;	/* length of the image in instructions, 1..2^22 */
	__u32 entry_pc;		/* instruction index of the kernel's first instruction */
	__u32 grid[3];		/* CTAs in x, y, z: each >= 1; y, z <= 65535; x < 2^31 */
	__u32 block[3];		/* threads in x, y, z: product 1..1024 */
	__u32 shared_bytes;	/* static + dynamic */
	__u32 shared_dyn_bytes;	/* the dynamic part (special register DYN_SMEM) */
	__u32 local_per_thread;	/* what the kernel needs; <= the context's local_per_thread */
	__u32 num_barriers;	/* 0..16 */
	__u64 param_va;		/* parameters, copied into parameter memory before the first CTA */
	__u32 param_bytes;	/* 0..PPU_PARAM_MAX */
	__u32 cluster;		/* CTAs of a cluster in x 7:0, y 15:8, z 23:16; 0: no clusters (PPU_CLUSTER) */
	__u64 const_va;		/* reserved for a constant bank; 0 */
	__u64 data_va;		/* grid: pointer to the task's data (HW-29), not used by the device */
	__u64 done_va;		/* on completion store done_value here (64 bit); 0: no store */
	__u64 done_value;
	/* Queue TMD (HW-30..HW-32): the grid is 1, 1, 1.  In a grid TMD all zero. */
	__u64 queue_va;		/* struct ppu_task_queue, 16-byte aligned; 0: with QUEUE_INLINE */
	__u32 queue_capacity;	/* entries */
	__u32 queue_entry_bytes;/* 16..256, multiple of 16 */
	__u64 envreg[4];	/* special registers ENVREG0..3 */
	/* Task launched by a thread: the tasks it waits for.  In a TMD for LAUNCH both fields are 0. */
	__u64 order;		/* PPU_ORDER_* or any other number: waits for tasks launched into it before */
	__u64 after;		/* waits also for the last task launched into this order; 0: none */
	__u64 reserved[8];
};

#define PPU_TMD_GRID		0
#define PPU_TMD_QUEUE		1
/* Each launching task has orders of its own: the same number in another task names another order. */
#define PPU_ORDER_NONE		0		/* at once */
#define PPU_ORDER_CTA		1		/* of the launching CTA */
#define PPU_ORDER_TAIL		2		/* begins when the launching task is complete but for its tail */
#define PPU_TMDF_PRIO_VALID	(1u << 0)	/* else the default priority, lowest (SP-35) */
#define PPU_TMDF_ADD_HEAD	(1u << 1)	/* insert at the head of its list (HW-20) */
#define PPU_TMDF_QUEUE_INLINE	(1u << 2)	/* the queue follows the TMD: at its address + PPU_TMD_SIZE */
#define PPU_TMDF_ALL		0x7u
#define PPU_PARAM_MAX		32764	/* PPU_PARAM_FEW without PPU_FEAT_LARGE_PARAMS */
#define PPU_PARAM_FEW		4096
#define PPU_QUEUE_ENTRY_MAX	256
#define PPU_MAX_THREADS_PER_CTA	1024
#define PPU_MAX_GRID_X		0x7fffffff	/* CTAs */
#define PPU_MAX_GRID_YZ		65535
#define PPU_NUM_BARRIERS	16		/* of a CTA */
/*
 * Clusters (PPU_FEAT_CLUSTERS): the CTAs of a cluster are on one SM, start, leave and come back together, share a barrier and
 * see each other's shared memory.  The grid is a multiple of the cluster in each direction.  A queue TMD has none.
 */
#define PPU_CLUSTER(x, y, z)	((x) | (y) << 8 | (z) << 16)
#define PPU_CLUSTER_DIM(c, i)	((c) ? (c) >> 8 * (i) & 0xff : 1u)
#define PPU_CLUSTER_CTAS(c)	(PPU_CLUSTER_DIM(c, 0) * PPU_CLUSTER_DIM(c, 1) * PPU_CLUSTER_DIM(c, 2))
#define PPU_CLUSTER_MAX		16		/* CTAs of a cluster */
/*
 * An offset in shared memory from PPU_CLUSTER_BYTES on names the shared memory of a CTA of the cluster: its rank + 1 stands
 * in bits 31:24.  So it does in generic addresses, behind PPU_VA_SHARED_BASE.
 */
#define PPU_CLUSTER_SHIFT	24
#define PPU_CLUSTER_BYTES	(1u << PPU_CLUSTER_SHIFT)
#define PPU_CLUSTER_OFFSET(rank, offset) \
	(((rank) + 1u) << PPU_CLUSTER_SHIFT | ((offset) & (PPU_CLUSTER_BYTES - 1)))
#define PPU_CLUSTER_BARRIER	PPU_NUM_BARRIERS	/* number of the cluster's barrier in traces */

/*
 * The queue of a queue TMD, followed by queue_capacity entries of queue_entry_bytes.  Entry number n
 * (0, 1, ...) lies in place n % capacity.  A producer waits until put - get < capacity, writes the
 * entry, makes it visible, then adds 1 to put.  Each entry becomes one CTA, which finds a copy of it in
 * its parameter memory behind the parameters (at param_bytes rounded up to 16) and its number in special
 * register QUEUE_INDEX.  When the queue is empty the task waits, without a slot, until put changes: a
 * store by any unit of the device is noticed at once, one by the CPU at a kick of the context.
 * The task is complete when the queue is closed and all entries are done.
 */
struct ppu_task_queue {
	__u64 put;		/* entries written so far | PPU_TASKQ_CLOSED */
	__u64 get;		/* entries taken so far; written by the device */
	__u64 reserved[6];	/* not looked at */
};
#define PPU_TASKQ_CLOSED	(1ull << 63)	/* no more entries will come */
#define PPU_TASKQ_CAPACITY_MAX	(1u << 24)

/* What a task is doing: name, number, sentence. */
#define PPU_TASK_STATES(S) \
S(PENDING,   1, "accepted, has not started") \
S(RUNNING,   2, "has a slot") \
S(EVICTED,   3, "has started, lost its slot and waits for one") \
S(SUSPENDED, 4, "cannot go on: waits for children, or for entries of its queue") \
S(CODE_DONE, 5, "its own CTAs are done, children are not")
enum ppu_task_shown {
#define S(name, code, text) PPU_TASK_IS_##name = (code),
	PPU_TASK_STATES(S)
#undef S
};

/* A task record, as registers TASK_SEL and TASK_DATA show it. */
struct ppu_task_info {
	__u32 record;		/* number; PPU_TASK_NONE: no record in use from TASK_SEL on */
	__u32 state;		/* PPU_TASK_IS_* */
	__u32 slot;		/* of the task table, or PPU_TASK_NONE */
	__u32 priority, depth;
	__u32 parent;		/* record, or PPU_TASK_NONE */
	__u32 context, channel;	/* context_id of the instance block; the root channel */
	__u64 id;		/* of the TMD */
	__u64 ctas, ctas_done;	/* ctas: all ones while a queue is open */
	__u32 ctas_running, ctas_saved;
};
#define PPU_TASK_NONE		0xffffffffu
#define PPU_TASK_INFO_WORDS	16

/*
 * What TLAUNCH returns: name, number, sentence.  Errors are negative; after an error nothing has happened, except that
 * the first DEPTH of a context leaves a fault record (PPU_ERR_LAUNCH_DEPTH).
 */
#define PPU_LAUNCH_ERRS(E) \
E(OK,       0, "launched") \
E(DEPTH,   -1, "the launching task has the greatest nesting depth of its context") \
E(POOL,    -2, "no task record is free") \
E(TMD,     -3, "the TMD is not mapped, not aligned or not valid") \
E(LIMITS,  -4, "the TMD asks for more threads, registers, shared or local memory than there is") \
E(CODE,    -5, "the program is not mapped or not executable") \
E(STOPPED, -6, "the context is being stopped") \
E(PENDING, -7, "as many launches are pending as the context may have")
enum ppu_launch_err {
#define E(name, code, text) PPU_LAUNCH_##name = (code),
	PPU_LAUNCH_ERRS(E)
#undef E
};

#endif
