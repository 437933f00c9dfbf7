/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 7 file
/* Lab 7: an address space, one for each open file. */
#ifndef LAB_VM_H
#define LAB_VM_H

#include "lab.h"

/* The driver's own part of VRAM begins here in each address space; no user can map anything here. */
#define LAB_VA_KERNEL		PPU_VA_USER_END

struct lab_vm {
	struct lab_dev *ldev;
	struct lab_ctx ctx;		/* instance block and root table */
	struct mutex lock;		/* protects the page tables and mappings; taken before ldev->ctx_lock */
	struct list_head mappings;	/* struct lab_mapping */
	struct list_head link;		/* in ldev->vms */
	struct lab_vm_fault faults[16];	/* oldest first; protected by ldev->vm_lock */
	u32 num_faults;
//LAB 8 given
	u64 counters;			/* lab 8: VRAM offset of a page: word n counts the copies of priority n */
	u32 counting;			/* lab 8: how many copy channels use the counters */
//LAB end
//LAB 12 given
	u64 lost;			/* lab 12: submissions that resets ended; changes with the gate closed */
//LAB end
//LAB 11 given
	struct list_head spots;		/* lab 11: struct lab_spot, what is bound here; protected by place.lock */
//LAB end
};

int lab_vm_find(struct lab_vm *vm, struct lab_bo *bo, u64 offset, u64 bytes, u64 *va);
int lab_vm_map(struct lab_vm *vm, u64 va, u64 offset, u64 bytes, u64 flags);
/* Map pages of the driver's own part of VRAM at LAB_VA_KERNEL + offset; flags: PPU_PTE_*. */
int lab_vm_map_own(struct lab_vm *vm, u64 offset, u64 bytes, u64 flags);
void lab_vm_unmap_own(struct lab_vm *vm, u64 offset, u64 bytes);

#endif
