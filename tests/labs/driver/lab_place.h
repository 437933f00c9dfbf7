/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 11 file
/*
 * Lab 11: buffers that move. lab_evict.c (yours) decides which buffer goes, and moves buffers. lab_place.c (given) is
 * around it: the ioctls, system memory, and where address spaces have each buffer.
 *
 * Locks, outer first: place.lock, lab_vm.lock, lab_chan.lock, place.list_lock. ce.lock is taken by lab_ce_copy().
 */
#ifndef LAB_PLACE_H
#define LAB_PLACE_H

#include <linux/ktime.h>
#include "lab.h"

/* The system memory of a buffer comes in pieces of this size; the last one may be smaller. */
#define LAB_PIECE_BYTES		(256u << 10)

struct lab_piece {
	void *cpu;
	dma_addr_t dma;			/* for the device at LAB_VA_SYS + dma, in the kernel's context */
	u32 bytes;
};

/* A range of an address space that is bound to a piece of a buffer. Protected by place.lock. */
struct lab_spot {
	struct list_head bo_link;	/* in lab_bo.spots */
	struct list_head vm_link;	/* in lab_vm.spots */
	struct lab_vm *vm;
	struct lab_bo *bo;
	u64 va, offset, bytes;		/* offset in the buffer */
	u64 flags;			/* PPU_PTE_*, for lab_vm_map() */
};

static inline struct lab_dev *lab_bo_dev(struct lab_bo *bo)
{
	return container_of(bo->base.dev, struct lab_dev, drm);
}

static inline u32 lab_bo_num_pieces(struct lab_bo *bo)
{
	return DIV_ROUND_UP(bo->base.size, LAB_PIECE_BYTES);
}

/* lab_place.c */
/* System memory for a buffer; *pieces gets lab_bo_num_pieces() pieces. -ENOMEM; -ENOSPC: more than sys_mb allows. */
int lab_pieces_alloc(struct lab_bo *bo, struct lab_piece **pieces);
void lab_pieces_free(struct lab_bo *bo, struct lab_piece *pieces);
/* Take away the pages that processes have of the buffer. They fault when they touch it again, and wait for place.lock. */
void lab_bo_unmap(struct lab_bo *bo);
/*
 * The buffer behind `bo` in the order of use; behind NULL: the first. The result has a reference, `bo` loses its own;
 * NULL at the end. Who leaves such a loop early has to put the reference (drm_gem_object_put()).
 */
struct lab_bo *lab_place_next(struct lab_dev *ldev, struct lab_bo *bo);

/* lab_evict.c; all are called with place.lock held, and have it when they return */
void lab_bo_used(struct lab_bo *bo);
struct lab_chan *lab_bo_busy(struct lab_bo *bo, u64 *seqno);
int lab_bo_evict(struct lab_bo *bo);
int lab_bo_restore(struct lab_bo *bo);
int lab_place_evict_one(struct lab_dev *ldev);
int lab_place_room(struct lab_dev *ldev, u64 bytes);
int lab_place_hold(struct lab_bo **bos, u32 num);
void lab_place_release(struct lab_bo **bos, u32 num);
int lab_place_wait(struct lab_dev *ldev, ktime_t end);

#endif
