/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The save area of a context, and what the device writes there when it takes a CTA off an SM.
 *
 * The area (save_base, save_size of the instance block) is cut into parts, one size each.  CTAs of
 * tasks the CPU launched (nesting level 1) have their images in the first PPU_SAVE_FIRST_PARTS, those
 * of level d in part PPU_SAVE_FIRST_PARTS + d - 2: a level never waits for room that a level above it
 * holds, so children always run.  A CTA gets the room for its image before it starts and keeps it
 * until it ends (no room, no start).
 *
 * An image, little-endian, PPU_SAVE_ALIGN aligned:
 *
 *   struct ppu_save_cta
 *   struct ppu_save_bar [PPU_SAVE_BARRIERS]
 *   __u32 [PPU_SAVE_BARRIERS][warps][3]         lanes arrived, waiting, with a true predicate
 *   shared memory, rounded up to 16
 *   for each warp:
 *     struct ppu_save_warp
 *     __u32 [regs][32]                          registers, lane by lane; 0 where no thread will read it
 *     __u64 [tokq_entries]                      token queue; entries tail + 1 .. head - 1 count
 *     local memory, 32 * local_per_thread, as it lies in the local area
 *
 * The device writes images and believes nothing it reads back: every field is checked, and a
 * damaged image ends its context with PPU_ERR_SAVE_CORRUPT.
 */
#ifndef PPU_HW_SAVE_H
#define PPU_HW_SAVE_H

#include <linux/types.h>

#define PPU_SAVE_MAGIC		0x45564153	/* "SAVE" */
#define PPU_SAVE_VERSION	1
#define PPU_SAVE_ALIGN		64
#define PPU_SAVE_BARRIERS	16
#define PPU_SAVE_LANES		32
#define PPU_SAVE_MAX_THREADS	1024		/* of a CTA */

struct ppu_save_cta {
	__u32 magic;
	__u16 version;
	__u16 warps;
	__u64 task;		/* number (31:0) and generation (63:32) of its record */
	__u64 index;		/* of the CTA in its grid or queue */
	__u64 bytes;		/* of the image */
	__u32 regs;		/* registers of a thread */
	__u32 shared_bytes;
	__u32 local_per_thread;
	__u32 tokq_entries;
	__u32 entry_bytes;	/* queue entry of the CTA, behind the parameters; 0: a grid */
	__u32 reserved;
	__u8 entry[256];	/* of a grid: struct ppu_save_cluster of each warp */
	__u64 reserved2;
};

/* Lanes that have arrived at the barrier of the cluster; that it lets pass. */
struct ppu_save_cluster {
	__u32 arrived, passed;
};

struct ppu_save_bar {
	__u32 busy;		/* 0 or 1 */
	__u32 count;		/* threads, 0: all of the CTA */
};

struct ppu_save_warp {
	__u32 state;		/* PPU_SAVE_W_* */
	__u32 flags;		/* PPU_SAVE_WF_* */
	__u32 pc;
	__u32 active, live;	/* lanes that execute; that have not ended */
	__u32 parked;		/* wait for other lanes at an instruction */
	__u32 bar_wait, sync_wait, bar_rel;	/* counted at BAR, at WARPSYNC; released since */
	__u32 ycount;		/* YIELDs of the active group since its last switch */
	__u32 head, tail;	/* token queue; tail signed */
	__u64 rng;		/* random choices at YIELD */
	__u64 ready_at;		/* PPU_SAVE_W_TIMED: SM cycle at which it goes on */
	__u32 pred[16];
	__u32 bar_val[PPU_SAVE_LANES];	/* result of BAR, member mask of WARPSYNC */
	__u32 wait[PPU_SAVE_LANES];	/* why a lane is disabled: reason 3:0, address 31:4 */
	__u32 lane_ycount[PPU_SAVE_LANES];
};

#define PPU_SAVE_W_READY	0
#define PPU_SAVE_W_TIMED	1
#define PPU_SAVE_W_PARKED	2
#define PPU_SAVE_W_SYNC		3	/* in TSYNC */
#define PPU_SAVE_W_DONE		4

#define PPU_SAVE_WF_POP		(1u << 0)	/* no lane is active: a token is popped first */
#define PPU_SAVE_WF_RETRIED	(1u << 1)	/* the driver has recentred its queue */
#define PPU_SAVE_WF_NO_QUEUE	(1u << 2)	/* the driver gave the queue up */
#define PPU_SAVE_WF_ALL		0x7u

/* ---- sizes ------------------------------------------------------------------------------------ */
#define PPU_SAVE_ROUND(x, to)	(((__u64)(x) + (to) - 1) / (to) * (to))
#define PPU_SAVE_WARP_BYTES(regs, local, tokq) \
	(sizeof(struct ppu_save_warp) + (__u64)(regs) * PPU_SAVE_LANES * 4 + (__u64)(tokq) * 8 + \
	 (__u64)PPU_SAVE_LANES * (local))
#define PPU_SAVE_CTA_FIXED \
	(sizeof(struct ppu_save_cta) + PPU_SAVE_BARRIERS * sizeof(struct ppu_save_bar))
/* Image of a CTA with this many warps. */
#define PPU_SAVE_CTA_BYTES(warps, regs, shared, local, tokq) \
	PPU_SAVE_ROUND(PPU_SAVE_CTA_FIXED + (__u64)(warps) * PPU_SAVE_BARRIERS * 12 + \
		       PPU_SAVE_ROUND(shared, 16) + \
		       (__u64)(warps) * PPU_SAVE_WARP_BYTES(regs, local, tokq), PPU_SAVE_ALIGN)
/* CAP_SAVE_BYTES_PER_SM: images of all CTAs that an SM can hold at once, without local memory. */
#define PPU_SAVE_SM_BYTES(warps, ctas, regs, shared, tokq) \
	PPU_SAVE_ROUND((__u64)(ctas) * (PPU_SAVE_CTA_FIXED + 16 + PPU_SAVE_ALIGN) + \
		       (__u64)(warps) * (PPU_SAVE_BARRIERS * 12 + PPU_SAVE_WARP_BYTES(0, 0, tokq)) + \
		       (__u64)(regs) * 4 + (shared), 4096)

#define PPU_SAVE_FIRST_PARTS	5	/* of level 1 */
#define PPU_SAVE_PARTS(depth)	(PPU_SAVE_FIRST_PARTS + (__u64)(depth) - 1)
/* Bytes of one part: images of an eighth of the SMs, and the local memory of the largest CTA. */
#define PPU_SAVE_PART_BYTES(sms, per_sm, local) \
	PPU_SAVE_ROUND((((__u64)(sms) + 7) / 8) * (per_sm) + (__u64)PPU_SAVE_MAX_THREADS * (local), 4096)
/* So many CTAs one task has at once, if all parts of its level have `room` bytes and an image has `image`: not all of the
 * room, so that another task can begin, but one CTA always. */
#define PPU_SAVE_MOST_CTAS(room, image) \
	((__u64)(room) * 2 / 3 / (image) ? (__u64)(room) * 2 / 3 / (image) : 1)
/* Size of the save area a driver allocates: SMs, CAP_SAVE_BYTES_PER_SM, max_depth, local_per_thread. */
#define PPU_SAVE_AREA_BYTES(sms, per_sm, depth, local) \
	(PPU_SAVE_PARTS(depth) * PPU_SAVE_PART_BYTES(sms, per_sm, local))

#endif
