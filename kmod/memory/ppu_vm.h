/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: GPU contexts.
 */
#ifndef __PPU_VM_H__
#define __PPU_VM_H__

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>

#include <hw/ppu_fault.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "core/pt.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_vram.h"

struct drm_device;
struct drm_file;
struct drm_printer;
struct ppu_bind_queue;
struct ppu_bo;
struct ppu_device;
struct ppu_file;
struct ppu_quota;

#define PPU_MAX_FAULTS_KEPT	64

/**
 * struct ppu_mapping - a range of an address space that shows a buffer object
 */
struct ppu_mapping {
	/** @rb: in ppu_vm.mappings. */
	struct rb_node rb;
	/** @start: first address. */
	u64 start;
	/** @last: last address. */
	u64 last;
	/** @subtree_last: for the interval tree. */
	u64 subtree_last;
	/** @vm: the address space. */
	struct ppu_vm *vm;
	/** @bo: the object; holds a reference.  NULL: no memory. */
	struct ppu_bo *bo;
	/** @bo_offset: of @start. */
	u64 bo_offset;
	/** @pte_flags: PPU_PTE_*. */
	u64 pte_flags;
	/** @bo_link: in ppu_bo.maps, which has one mapping of each VM; empty for the others. */
	struct list_head bo_link;
	/** @dead_link: in a list of mappings that are gone; they stay in ppu_bo.maps. */
	struct list_head dead_link;
	/** @peers: ring of this VM's mappings of the same object; under ppu_bo.maps_lock. */
	struct list_head peers;
	/** @node: address in the kernel-owned range, if the mapping is there. */
	struct drm_mm_node node;
};

/**
 * struct ppu_vm - GPU context: address space and instance block
 */
struct ppu_vm {
	/** @kref: references. */
	struct kref kref;
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @quota: account that pays for its VRAM. */
	struct ppu_quota *quota;
	/** @uid: never used again. */
	u64 uid;
	/** @context_id: number of the context in the device's records. */
	u32 context_id;
	/** @failed_channels: how many of its channels have ended, and not by destruction. */
	atomic_t failed_channels;

	/**
	 * @lock: protects mappings and page tables.  Fences wait for its holders:
	 * nothing is allocated while it is held.
	 */
	struct mutex lock;
	/** @mappings: struct ppu_mapping.rb. */
	struct rb_root_cached mappings;
	/** @pt: page tables. */
	struct ppu_pt_tree pt;
	/** @pt_free: unlinked page tables, freed after the TLB is invalidated. */
	struct list_head pt_free;
	/** @kernel_va: addresses of the kernel-owned range. */
	struct drm_mm kernel_va;

	/** @area_lock: protects areas, instance block and properties. */
	struct mutex area_lock;
	/** @inst: instance block. */
	struct ppu_vram_range inst;
	/** @local: local memory of threads. */
	struct ppu_vram_range local;
	/** @tokq: token queues of warps. */
	struct ppu_vram_range tokq;
	/** @save: where CTAs are saved. */
	struct ppu_vram_range save;
	/** @retired: replaced areas a task may still use; freed with the VM. */
	struct list_head retired;
	/** @retired_size: bytes of @retired. */
	u64 retired_size;
	/** @has_areas: @local, @tokq and @save are there. */
	bool has_areas;
	/** @max_depth: nesting depth of tasks. */
	u32 max_depth;
	/** @max_pending: tasks that may be pending; 0: no limit. */
	u32 max_pending;
	/** @prio_ceiling: highest device priority of its tasks. */
	u32 prio_ceiling;
	/** @local_per_thread: bytes of local memory. */
	u32 local_per_thread;
	/** @watchdog_ms: longest a task may take; 0: no limit. */
	u32 watchdog_ms;

	/** @bind_mutex: order of queueing binds; protects @bind_closed, @bind_queues. */
	struct mutex bind_mutex;
	/** @bind_lock: protects what is in queues, their counters and @binds_gone. */
	spinlock_t bind_lock;
	/** @bind_queues: by number; NULL: never used. */
	struct ppu_bind_queue *bind_queues[DRM_PPU_VM_BIND_MAX_QUEUES];
	/** @bind_closed: destroyed, nothing can be queued. */
	bool bind_closed;
	/** @binds_gone: struct ppu_bind.link, done and not freed. */
	struct list_head binds_gone;
	/** @bind_free_work: frees what is done. */
	struct work_struct bind_free_work;
	/** @binds_queued: since it was created. */
	u64 binds_queued;
	/** @binds_done: since it was created. */
	u64 binds_done;
	/** @bind_error: negative error of the first bind that failed. */
	int bind_error;

	/** @channels: struct ppu_channel.vm_link, under ppu_device.chan_lock. */
	struct list_head channels;
	/** @held: its channels must not fetch; under ppu_device.chan_lock. */
	bool held;
	/** @evict: on the device or not. */
	struct ppu_vm_evict evict;
	/** @kick_chid: some channel of this VM, PPU_CHID_NONE: none. */
	int kick_chid;
	/** @faulted: final. */
	bool faulted;

	/** @fault_lock: protects the fault records. */
	spinlock_t fault_lock;
	/** @faults: the first records. */
	struct ppu_fault_rec faults[PPU_MAX_FAULTS_KEPT];
	/** @fault_cpu_ns: when the driver read them. */
	u64 fault_cpu_ns[PPU_MAX_FAULTS_KEPT];
	/** @fault_channel: id of the channel; 0: none, or destroyed since. */
	u32 fault_channel[PPU_MAX_FAULTS_KEPT];
	/** @num_faults: entries of @faults. */
	unsigned int num_faults;
	/** @fault_total: records, also those that are not in @faults. */
	u64 fault_total;
};

struct ppu_vm *ppu_vm_lookup(struct ppu_file *file, u32 id);
struct ppu_vm *ppu_vm_get_by_inst(struct ppu_device *ppu, u64 inst);
struct ppu_vm *ppu_vm_next(struct ppu_device *ppu, unsigned long *index);
struct ppu_mapping *ppu_vm_map_from(struct ppu_vm *vm, u64 from);
void ppu_vm_put(struct ppu_vm *vm);
void ppu_vm_set_faulted(struct ppu_vm *vm);
void ppu_vm_set_faulted_all(struct ppu_device *ppu);
bool ppu_vm_busy(struct ppu_vm *vm);
int ppu_vm_ensure_areas(struct ppu_vm *vm);
struct ppu_mapping *ppu_map_alloc(struct ppu_vm *vm);
void ppu_map_free(struct ppu_mapping *map);
void ppu_map_link(struct ppu_vm *vm, struct ppu_mapping *map);
void ppu_map_free_list(struct list_head *dead);
void ppu_vm_cut(struct ppu_vm *vm, u64 start, u64 last, struct ppu_mapping **spare,
		struct list_head *dead);
struct ppu_mapping *ppu_vm_map_kernel(struct ppu_vm *vm, struct ppu_bo *bo, u64 pte_flags);
void ppu_vm_unmap_kernel(struct ppu_vm *vm, struct ppu_mapping *map);
void ppu_vm_kick_bo(struct ppu_bo *bo);
void ppu_vm_print(struct drm_printer *p, struct ppu_vm *vm);
void ppu_vm_close_binds(struct ppu_file *file);
void ppu_vm_close_all(struct ppu_file *file);
int ppu_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_vm_set_property(struct drm_device *drm, void *data, struct drm_file *filp);

static inline u64 ppu_vm_inst(const struct ppu_vm *vm)
{
	return vm->inst.addr | PPU_APERTURE_VRAM;
}

#endif
