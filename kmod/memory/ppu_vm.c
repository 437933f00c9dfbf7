// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: VMs.
 *
 * A VM is a GPU context: page tables, an instance block, and the areas of VRAM
 * that SMs need to run its tasks.  Its user range is bound by VM_BIND; the
 * driver puts rings into the kernel-owned range above it, where user space
 * cannot change them.
 */

#include <linux/interval_tree_generic.h>
#include <linux/io.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_save.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "base/ppu_quota_vram.h"
#include "base/ppu_trace.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "core/context.h"
#include "memory/ppu_bind.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "sync/ppu_eventfd.h"

#define PPU_MAP_START(m)	((m)->start)
#define PPU_MAP_LAST(m)		((m)->last)
INTERVAL_TREE_DEFINE(struct ppu_mapping, rb, u64, subtree_last, PPU_MAP_START, PPU_MAP_LAST,
		     static __maybe_unused, ppu_maps)

/* Instance block */

/* Runs a command on the context and returns its status. */
static u32 ppu_vm_ctx_cmd(struct ppu_vm *vm, u32 cmd)
{
	struct ppu_device *ppu = vm->ppu;
	unsigned long flags;
	u32 status = 0;
	int idx;

	if (!ppu_try_enter(ppu, &idx))
		return 0;
	/* The instance block is write-combined: it must be in VRAM before the command. */
	wmb();
	spin_lock_irqsave(&ppu->hw_lock, flags);
	status = ppu_context_cmd(&ppu_bus, ppu, vm->inst.addr, cmd);
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	ppu_try_exit(ppu, idx);
	return status;
}

/** ppu_vm_busy - does the VM have tasks or copies on the device? */
bool ppu_vm_busy(struct ppu_vm *vm)
{
	return ppu_vm_ctx_cmd(vm, 0) & PPU_CTX_BUSY;
}

static struct ppu_area ppu_vm_area(const struct ppu_vram_range *range)
{
	return (struct ppu_area){ .base = range->addr, .size = range->size };
}

/* Writes the instance block from the VM's state, and makes the device read it. */
static int ppu_vm_load_inst(struct ppu_vm *vm)
{
	const struct ppu_inst inst = {
		.root = vm->pt.root->addr,
		.context_id = vm->context_id,
		.max_depth = vm->max_depth,
		.max_pending = vm->max_pending,
		.prio_ceiling = vm->prio_ceiling,
		.local_per_thread = vm->local_per_thread,
		.watchdog_ns = (u64)vm->watchdog_ms * NSEC_PER_MSEC,
		/* Older devices refuse what they do not know: each VM has its own share. */
		.owner = vm->ppu->caps.features & PPU_FEAT_OWNERS ? vm->quota->id : 0,
		.local = ppu_vm_area(&vm->local),
		.tokq = ppu_vm_area(&vm->tokq),
		.save = ppu_vm_area(&vm->save),
	};
	struct ppu_device *ppu = vm->ppu;
	struct ppu_inst_block *blk;
	u32 status = 0;
	int idx;

	lockdep_assert_held(&vm->area_lock);

	blk = kmalloc(sizeof(*blk), GFP_KERNEL_ACCOUNT);
	if (!blk)
		return -ENOMEM;
	ppu_inst_fill(blk, &inst);

	if (ppu_enter(ppu, &idx)) {
		memcpy_toio(ppu->vram_io + vm->inst.addr, blk, sizeof(*blk));
		status = ppu_vm_ctx_cmd(vm, PPU_CTX_CMD_LOAD);
		ppu_exit(ppu, idx);
	}
	kfree(blk);

	if (status & PPU_CTX_BAD) {
		drm_err(&ppu->drm, "the device refused instance block %u\n", vm->context_id);
		return -EIO;
	}
	return 0;
}

static struct ppu_area_sizes ppu_vm_area_sizes(struct ppu_vm *vm, u32 depth, u32 local)
{
	const struct ppu_caps *c = &vm->ppu->caps;
	const struct ppu_machine m = {
		.sms = c->sms,
		.warps_per_sm = c->warps_per_sm,
		.tokq_entries = c->tokq_entries,
		.save_per_sm = c->save_per_sm,
	};
	struct ppu_area_sizes sizes;

	ppu_area_sizes(&sizes, &m, depth, local);
	return sizes;
}

/**
 * ppu_vm_ensure_areas - allocate what SMs need to run the VM's tasks
 * @vm: VM
 *
 * Called for the first compute channel: a VM that only copies needs no areas.
 *
 * Return: 0 or a negative error.
 */
int ppu_vm_ensure_areas(struct ppu_vm *vm)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_area_sizes sizes;
	int ret = 0;

	mutex_lock(&vm->area_lock);
	if (vm->has_areas)
		goto out;

	sizes = ppu_vm_area_sizes(vm, vm->max_depth, vm->local_per_thread);
	ret = ppu_vram_alloc(ppu, vm->quota, sizes.local, &vm->local);
	if (ret)
		goto out;
	ret = ppu_vram_alloc(ppu, vm->quota, sizes.tokq, &vm->tokq);
	if (ret)
		goto err_local;
	ret = ppu_vram_alloc(ppu, vm->quota, sizes.save, &vm->save);
	if (ret)
		goto err_tokq;
	ret = ppu_vm_load_inst(vm);
	if (ret)
		goto err_save;
	vm->has_areas = true;
	goto out;

err_save:
	ppu_vram_free(ppu, &vm->save);
err_tokq:
	ppu_vram_free(ppu, &vm->tokq);
err_local:
	ppu_vram_free(ppu, &vm->local);
out:
	mutex_unlock(&vm->area_lock);
	return ret;
}

/* Mappings */

/* Mappings that a bind has replaced are charged until they are freed, which may come later. */
static int ppu_map_charge(struct ppu_vm *vm)
{
	int ret = ppu_quota_charge(vm->quota, DRM_PPU_RES_MAPPINGS, 1);

	if (!ret)
		return 0;
	flush_workqueue(vm->ppu->bind_free_wq);
	return ppu_quota_charge(vm->quota, DRM_PPU_RES_MAPPINGS, 1);
}

/** ppu_map_alloc - make a mapping that is nowhere yet, or ERR_PTR; no lock is held */
struct ppu_mapping *ppu_map_alloc(struct ppu_vm *vm)
{
	struct ppu_mapping *map;
	int ret = ppu_map_charge(vm);

	if (ret)
		return ERR_PTR(ret);
	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map) {
		ppu_quota_release(vm->quota, DRM_PPU_RES_MAPPINGS, 1);
		return ERR_PTR(-ENOMEM);
	}
	map->vm = vm;
	return map;
}

/** ppu_map_free - free a mapping that is nowhere any more; NULL is fine */
void ppu_map_free(struct ppu_mapping *map)
{
	if (!map)
		return;
	ppu_quota_release(map->vm->quota, DRM_PPU_RES_MAPPINGS, 1);
	kfree(map);
}

/* The mapping that stands for all of the VM's in the object's list, or NULL. */
static struct ppu_mapping *ppu_map_first_of_vm(struct ppu_bo *bo, const struct ppu_vm *vm)
{
	struct ppu_mapping *map;

	lockdep_assert_held(&bo->maps_lock);

	list_for_each_entry(map, &bo->maps, bo_link)
		if (map->vm == vm)
			return map;
	return NULL;
}

/** ppu_map_link - put a mapping into the address space and its object's list; the VM is locked */
void ppu_map_link(struct ppu_vm *vm, struct ppu_mapping *map)
{
	struct ppu_bo *bo = map->bo;
	struct ppu_mapping *first;

	ppu_maps_insert(map, &vm->mappings);
	INIT_LIST_HEAD(&map->bo_link);
	INIT_LIST_HEAD(&map->peers);
	if (!bo)
		return;
	spin_lock(&bo->maps_lock);
	first = ppu_map_first_of_vm(bo, vm);
	if (first)
		list_add(&map->peers, &first->peers);
	else
		list_add(&map->bo_link, &bo->maps);
	spin_unlock(&bo->maps_lock);
}

/*
 * Takes a mapping out of its object's list.  Not before the TLB was flushed: until then the device
 * may reach the object, and who looks for objects that no VM shows must see it.
 */
static void ppu_map_unlink_bo(struct ppu_mapping *map)
{
	struct ppu_bo *bo = map->bo;

	if (!bo)
		return;
	spin_lock(&bo->maps_lock);
	/* Another one stands for the VM from now on. */
	if (!list_empty(&map->bo_link) && !list_empty(&map->peers))
		list_add(&list_first_entry(&map->peers, struct ppu_mapping, peers)->bo_link,
			 &map->bo_link);
	list_del_init(&map->bo_link);
	list_del_init(&map->peers);
	spin_unlock(&bo->maps_lock);
}

/** ppu_map_free_list - drop mappings after the TLB was flushed; the VM is not locked */
void ppu_map_free_list(struct list_head *dead)
{
	struct ppu_mapping *map, *next;

	list_for_each_entry_safe(map, next, dead, dead_link) {
		ppu_map_unlink_bo(map);
		ppu_bo_put(map->bo);
		ppu_map_free(map);
		cond_resched();
	}
}

/** ppu_vm_map_from - the first mapping that ends at @from or later; the VM is locked */
struct ppu_mapping *ppu_vm_map_from(struct ppu_vm *vm, u64 from)
{
	lockdep_assert_held(&vm->lock);
	return ppu_maps_iter_first(&vm->mappings, from, U64_MAX);
}

/**
 * ppu_vm_cut - take [@start, @last] out of the mappings
 * @vm: VM, locked
 * @start: first address
 * @last: last address
 * @spare: mapping for the case that one is split in two; NULL afterwards if it was used
 * @dead: gets mappings that are gone
 */
void ppu_vm_cut(struct ppu_vm *vm, u64 start, u64 last, struct ppu_mapping **spare,
		struct list_head *dead)
{
	struct ppu_mapping *map;

	while ((map = ppu_maps_iter_first(&vm->mappings, start, last))) {
		u64 old_last = map->last;

		ppu_maps_remove(map, &vm->mappings);
		if (map->start < start && old_last > last) {
			struct ppu_mapping *tail = *spare;

			*spare = NULL;
			*tail = *map;
			tail->start = last + 1;
			tail->bo_offset += tail->start - map->start;
			if (tail->bo)
				ppu_bo_get(tail->bo);
			map->last = start - 1;
			ppu_map_link(vm, tail);
			ppu_maps_insert(map, &vm->mappings);
		} else if (map->start < start) {
			map->last = start - 1;
			ppu_maps_insert(map, &vm->mappings);
		} else if (old_last > last) {
			map->bo_offset += last + 1 - map->start;
			map->start = last + 1;
			ppu_maps_insert(map, &vm->mappings);
		} else {
			list_add(&map->dead_link, dead);
		}
		cond_resched();
	}
	ppu_mmu_unmap(vm, start, last - start + 1);
}

/**
 * ppu_vm_map_kernel - map an object of the driver's into the kernel-owned range
 * @vm: VM
 * @bo: object; the mapping takes a reference
 * @pte_flags: PPU_PTE_*
 *
 * Return: the mapping, or ERR_PTR.
 */
struct ppu_mapping *ppu_vm_map_kernel(struct ppu_vm *vm, struct ppu_bo *bo, u64 pte_flags)
{
	u64 size = ppu_bo_gem(bo)->size;
	struct ppu_pt_need need = { .leaves = size / PPU_LARGE_SIZE };
	struct ppu_backing mem = ppu_mmu_backing(bo);
	struct ppu_mapping *map;
	struct ppu_pt_pool pool;
	int ret;

	map = ppu_map_alloc(vm);
	if (IS_ERR(map))
		return map;
	/* The address is not known yet, so the mapping may cross one boundary at every level. */
	ppu_pt_need_cuts(&need);
	ppu_pt_pool_init(&pool);
	ret = ppu_pt_pool_fill(vm, &pool, &need);
	if (ret)
		goto err_pool;

	mutex_lock(&vm->lock);
	ret = drm_mm_insert_node(&vm->kernel_va, &map->node, size);
	if (ret)
		goto err_unlock;
	map->start = map->node.start;
	map->last = map->start + size - 1;
	map->bo = bo;
	map->pte_flags = pte_flags;

	ret = ppu_mmu_prepare(vm, &pool, &mem, 0, map->start, size, false);
	if (drm_WARN_ON(&vm->ppu->drm, ret))
		goto err_prune;
	ppu_bo_get(bo);
	ppu_map_link(vm, map);
	ppu_mmu_map(vm, bo, 0, map->start, size, pte_flags);
	ppu_mmu_flush(vm, &pool);
	mutex_unlock(&vm->lock);
	ppu_pt_pool_drain(vm, &pool);
	return map;

err_prune:
	ppu_mmu_prune(vm, map->start, size);
	ppu_mmu_flush(vm, &pool);
	drm_mm_remove_node(&map->node);
err_unlock:
	mutex_unlock(&vm->lock);
err_pool:
	ppu_pt_pool_drain(vm, &pool);
	ppu_map_free(map);
	return ERR_PTR(ret);
}

/**
 * ppu_vm_unmap_kernel - undo ppu_vm_map_kernel()
 * @vm: VM
 * @map: the mapping; freed
 */
void ppu_vm_unmap_kernel(struct ppu_vm *vm, struct ppu_mapping *map)
{
	u64 size = map->last - map->start + 1;
	struct ppu_pt_pool pool;

	ppu_pt_pool_init(&pool);
	mutex_lock(&vm->lock);
	ppu_maps_remove(map, &vm->mappings);
	ppu_mmu_unmap(vm, map->start, size);
	ppu_mmu_prune(vm, map->start, size);
	ppu_mmu_flush(vm, &pool);
	ppu_map_unlink_bo(map);
	drm_mm_remove_node(&map->node);
	mutex_unlock(&vm->lock);
	ppu_pt_pool_drain(vm, &pool);
	ppu_bo_put(map->bo);
	ppu_map_free(map);
}

/**
 * ppu_vm_kick_bo - make the device look again at words of an object
 * @bo: object the CPU stored to
 *
 * Kicks every VM in which the object is mapped, once.  The device is entered.
 */
void ppu_vm_kick_bo(struct ppu_bo *bo)
{
	struct ppu_device *ppu = to_ppu(ppu_bo_gem(bo)->dev);
	DECLARE_BITMAP(chids, PPU_MAX_CHANNELS) = {};
	struct ppu_mapping *map;
	unsigned int chid;

	/* The device takes its time for a write: no lock is held then. */
	spin_lock(&bo->maps_lock);
	list_for_each_entry(map, &bo->maps, bo_link) {
		int any = READ_ONCE(map->vm->kick_chid);

		if (any != PPU_CHID_NONE)
			__set_bit(any, chids);
		ppu_vm_wanted(map->vm);
	}
	spin_unlock(&bo->maps_lock);
	/* If the channel is another VM's by now, that VM looks at its words in vain. */
	for_each_set_bit(chid, chids, ppu->caps.channels)
		ppu_userd_wr(ppu, chid, PPU_REG_USERD_KICK, 1);
}

/* Life */

static void ppu_vm_free(struct kref *kref)
{
	struct ppu_vm *vm = container_of(kref, struct ppu_vm, kref);
	struct ppu_device *ppu = vm->ppu;
	struct ppu_mapping *spare = NULL;
	LIST_HEAD(dead);

	/* Nobody else has the VM; the lock is for the assertions below. */
	xa_erase(&ppu->vms, vm->inst.addr >> PPU_PAGE_SHIFT);
	ppu_vm_ctx_cmd(vm, PPU_CTX_CMD_STOP);
	ppu_vm_ctx_cmd(vm, PPU_CTX_CMD_FORGET);
	/* The interrupt's thread may just move tokens of the context; no more of them follow. */
	mutex_lock(&ppu->recentre_lock);
	mutex_unlock(&ppu->recentre_lock);

	mutex_lock(&vm->lock);
	ppu_vm_cut(vm, 0, PPU_VA_KERNEL_END - 1, &spare, &dead);
	mutex_unlock(&vm->lock);
	ppu_map_free_list(&dead);

	ppu_mmu_fini(vm);
	ppu_vram_free_list(ppu, &vm->retired);
	ppu_quota_release_vram(vm->quota, vm->retired_size, true);
	ppu_vram_free(ppu, &vm->save);
	ppu_vram_free(ppu, &vm->tokq);
	ppu_vram_free(ppu, &vm->local);
	ppu_vram_free(ppu, &vm->inst);
	drm_mm_takedown(&vm->kernel_va);
	ppu_bind_fini(vm);
	mutex_destroy(&vm->area_lock);
	mutex_destroy(&vm->lock);
	ppu_quota_put(vm->quota);
	ppu_vm_evict_end(vm);
	kfree(vm);
}

/** ppu_vm_put - drop a reference; NULL is fine */
void ppu_vm_put(struct ppu_vm *vm)
{
	if (vm)
		kref_put(&vm->kref, ppu_vm_free);
}

/** ppu_vm_lookup - find a VM by its id in the file; takes a reference */
struct ppu_vm *ppu_vm_lookup(struct ppu_file *file, u32 id)
{
	struct ppu_vm *vm;

	xa_lock(&file->vms);
	vm = xa_load(&file->vms, id);
	if (vm)
		kref_get(&vm->kref);
	xa_unlock(&file->vms);
	return vm;
}

/** ppu_vm_get_by_inst - find a VM by its instance block; takes a reference */
struct ppu_vm *ppu_vm_get_by_inst(struct ppu_device *ppu, u64 inst)
{
	struct ppu_vm *vm;

	if (inst & PPU_APERTURE_MASK)
		return NULL;
	xa_lock(&ppu->vms);
	vm = xa_load(&ppu->vms, inst >> PPU_PAGE_SHIFT);
	if (vm && !kref_get_unless_zero(&vm->kref))
		vm = NULL;
	xa_unlock(&ppu->vms);
	return vm;
}

/** ppu_vm_next - the next VM of the device at or after *@index, with a reference */
struct ppu_vm *ppu_vm_next(struct ppu_device *ppu, unsigned long *index)
{
	struct ppu_vm *vm;

	xa_lock(&ppu->vms);
	vm = xa_find(&ppu->vms, index, ULONG_MAX, XA_PRESENT);
	while (vm && !kref_get_unless_zero(&vm->kref))
		vm = xa_find_after(&ppu->vms, index, ULONG_MAX, XA_PRESENT);
	xa_unlock(&ppu->vms);
	return vm;
}

/** ppu_vm_set_faulted - the context is dead: no new channels and mappings */
void ppu_vm_set_faulted(struct ppu_vm *vm)
{
	WRITE_ONCE(vm->faulted, true);
}

/** ppu_vm_set_faulted_all - the device was reset: no context survived */
void ppu_vm_set_faulted_all(struct ppu_device *ppu)
{
	unsigned long index;
	struct ppu_vm *vm;

	xa_lock(&ppu->vms);
	xa_for_each(&ppu->vms, index, vm)
		ppu_vm_set_faulted(vm);
	xa_unlock(&ppu->vms);
}

/** ppu_vm_close_binds - the file is closed: nothing queued is done any more */
void ppu_vm_close_binds(struct ppu_file *file)
{
	struct ppu_vm *vm;
	unsigned long id;

	xa_for_each(&file->vms, id, vm)
		ppu_bind_close(vm);
}

/** ppu_vm_close_all - the file is closed; its channels are gone */
void ppu_vm_close_all(struct ppu_file *file)
{
	struct ppu_vm *vm;
	unsigned long id;

	xa_for_each(&file->vms, id, vm) {
		xa_erase(&file->vms, id);
		ppu_quota_release(file->quota, DRM_PPU_RES_VMS, 1);
		ppu_vm_put(vm);
	}
}

static struct ppu_vm *ppu_vm_alloc(struct ppu_device *ppu, struct ppu_quota *quota)
{
	static atomic64_t last_uid;
	struct ppu_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (!vm)
		return NULL;
	kref_init(&vm->kref);
	vm->ppu = ppu;
	vm->quota = ppu_quota_get(quota);
	vm->uid = atomic64_inc_return(&last_uid);
	vm->context_id = vm->uid;
	vm->kick_chid = PPU_CHID_NONE;
	vm->mappings = RB_ROOT_CACHED;
	mutex_init(&vm->lock);
	mutex_init(&vm->area_lock);
	ppu_bind_init(vm);
	spin_lock_init(&vm->fault_lock);
	INIT_LIST_HEAD(&vm->channels);
	INIT_LIST_HEAD(&vm->retired);
	ppu_vm_evict_init(vm);
	drm_mm_init(&vm->kernel_va, PPU_VA_USER_END, PPU_VA_KERNEL_END - PPU_VA_USER_END);
	return vm;
}

static struct ppu_vm *ppu_vm_create(struct ppu_device *ppu, struct ppu_quota *quota,
				    const struct drm_ppu_vm_create *args)
{
	struct ppu_vm *vm = ppu_vm_alloc(ppu, quota);
	int ret;

	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->max_depth = args->max_depth ?: 1;
	vm->prio_ceiling = ppu_prio_ceiling(args->prio_levels, ppu->caps.device_priorities,
					    ppu->caps.features);
	vm->local_per_thread = ppu_local_round(args->local_per_thread ?: PPU_LOCAL_DEFAULT);
	vm->watchdog_ms = args->watchdog_ms;

	ret = ppu_vram_alloc(ppu, vm->quota, PPU_INST_SIZE, &vm->inst);
	if (ret)
		goto err_vm;
	ret = ppu_mmu_init(vm);
	if (ret)
		goto err_inst;
	ret = xa_err(xa_store(&ppu->vms, vm->inst.addr >> PPU_PAGE_SHIFT, vm, GFP_KERNEL));
	if (ret)
		goto err_mmu;
	ppu_vm_evict_begin(vm);

	mutex_lock(&vm->area_lock);
	ret = ppu_vm_load_inst(vm);
	mutex_unlock(&vm->area_lock);
	if (ret) {
		ppu_vm_put(vm);
		return ERR_PTR(ret);
	}
	return vm;

err_mmu:
	ppu_mmu_fini(vm);
err_inst:
	ppu_vram_free(ppu, &vm->inst);
err_vm:
	drm_mm_takedown(&vm->kernel_va);
	ppu_bind_fini(vm);
	mutex_destroy(&vm->area_lock);
	mutex_destroy(&vm->lock);
	ppu_quota_put(vm->quota);
	kfree(vm);
	return ERR_PTR(ret);
}

int ppu_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_vm_create *args = data;
	struct ppu_vm *vm;
	int ret;

	if (PPU_CHECK(ppu, args->flags) || PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, args->max_depth && !ppu_depth_ok(args->max_depth)) ||
	    PPU_CHECK(ppu, args->prio_levels > ppu->caps.device_priorities) ||
	    PPU_CHECK(ppu, args->local_per_thread && !ppu_local_ok(args->local_per_thread)))
		return -EINVAL;

	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_VMS, 1);
	if (ret)
		return ret;

	vm = ppu_vm_create(ppu, file->quota, args);
	if (IS_ERR(vm)) {
		ret = PTR_ERR(vm);
		goto err_count;
	}

	args->va_start = PPU_VA_USER_START;
	args->va_end = PPU_VA_USER_END;
	args->context_id = vm->context_id;
	ret = xa_alloc(&file->vms, &args->vm_id, vm, xa_limit_31b, GFP_KERNEL);
	if (ret) {
		ppu_vm_put(vm);
		goto err_count;
	}
	return 0;

err_count:
	ppu_quota_release(file->quota, DRM_PPU_RES_VMS, 1);
	return ret;
}

int ppu_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_vm_destroy *args = data;
	struct ppu_vm *vm;

	if (PPU_CHECK(to_ppu(drm), args->pad))
		return -EINVAL;
	vm = xa_erase(&file->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	ppu_quota_release(file->quota, DRM_PPU_RES_VMS, 1);
	ppu_eventfd_drop_object(file, vm);
	ppu_bind_close(vm);
	ppu_vm_put(vm);
	return 0;
}

/* Properties */

static void ppu_vm_swap_areas(struct ppu_vram_range *a, struct ppu_vram_range *b)
{
	LIST_HEAD(blocks);

	/* The list heads are inside the structures, so move the blocks. */
	list_splice_init(&a->blocks, &blocks);
	list_splice_init(&b->blocks, &a->blocks);
	list_splice_init(&blocks, &b->blocks);
	swap(a->addr, b->addr);
	swap(a->size, b->size);
}

/* Puts a new area in the place of @old, unless the VM has work. */
static int ppu_vm_replace_area(struct ppu_vm *vm, struct ppu_vram_range *old, u64 size, u32 *prop,
			       u32 value)
{
	struct ppu_vram_range area;
	u32 was = *prop;
	int ret;

	lockdep_assert_held(&vm->area_lock);

	ret = ppu_vram_alloc(vm->ppu, vm->quota, vm->has_areas ? size : 0, &area);
	if (ret)
		return ret;
	if (ppu_vm_busy(vm)) {
		ret = -EBUSY;
		goto out;
	}

	if (vm->has_areas)
		ppu_vm_swap_areas(&area, old);
	*prop = value;
	ret = ppu_vm_load_inst(vm);
	if (ret) {
		*prop = was;
		if (vm->has_areas)
			ppu_vm_swap_areas(&area, old);
	} else if (area.size && ppu_vm_busy(vm)) {
		/*
		 * Work of the VM has started in between and may use the old area: keep the area
		 * until the VM goes.
		 */
		list_splice_tail_init(&area.blocks, &vm->retired);
		vm->retired_size += area.size;
		area.size = 0;
	}
out:
	ppu_vram_free(vm->ppu, &area);
	return ret;
}

/*
 * Saved CTAs hold their local memory, so the save area follows the size of local memory.  It is
 * never the smaller of the two, even when the second step fails.
 */
static int ppu_vm_set_local(struct ppu_vm *vm, u32 value)
{
	struct ppu_area_sizes sizes = ppu_vm_area_sizes(vm, vm->max_depth, value);
	bool grow = value > vm->local_per_thread;
	int ret = 0;

	if (grow)
		ret = ppu_vm_replace_area(vm, &vm->save, sizes.save, &vm->max_depth,
					  vm->max_depth);
	if (!ret)
		ret = ppu_vm_replace_area(vm, &vm->local, sizes.local, &vm->local_per_thread,
					  value);
	if (!ret && !grow)
		ret = ppu_vm_replace_area(vm, &vm->save, sizes.save, &vm->max_depth,
					  vm->max_depth);
	return ret;
}

/* Sets a property on which no area depends. */
static int ppu_vm_set_word(struct ppu_vm *vm, u32 *prop, u64 value)
{
	u32 was = *prop;
	int ret;

	if (value > U32_MAX)
		return -EINVAL;
	if (ppu_vm_busy(vm))
		return -EBUSY;
	*prop = value;
	ret = ppu_vm_load_inst(vm);
	if (ret)
		*prop = was;
	return ret;
}

static int ppu_vm_set_property(struct ppu_vm *vm, u32 property, u64 value)
{
	struct ppu_area_sizes sizes;

	lockdep_assert_held(&vm->area_lock);

	switch (property) {
	case DRM_PPU_VM_PROP_LOCAL_PER_THREAD:
		if (!ppu_local_ok(value))
			return -EINVAL;
		return ppu_vm_set_local(vm, ppu_local_round(value));
	case DRM_PPU_VM_PROP_MAX_DEPTH:
		if (!ppu_depth_ok(value))
			return -EINVAL;
		sizes = ppu_vm_area_sizes(vm, value, vm->local_per_thread);
		return ppu_vm_replace_area(vm, &vm->save, sizes.save, &vm->max_depth, value);
	case DRM_PPU_VM_PROP_WATCHDOG_MS:
		return ppu_vm_set_word(vm, &vm->watchdog_ms, value);
	case DRM_PPU_VM_PROP_MAX_PENDING:
		return ppu_vm_set_word(vm, &vm->max_pending, value);
	default:
		return -EINVAL;
	}
}

/*
 * Channels of the VM do not fetch while the VM changes, so that nothing starts between the look
 * at its state and the new instance block.
 */
static void ppu_vm_hold_channels(struct ppu_vm *vm, bool hold)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_channel *chan;
	unsigned long flags;
	int idx;

	if (!ppu_enter(ppu, &idx))
		return;
	spin_lock_irqsave(&ppu->chan_lock, flags);
	vm->held = hold;
	list_for_each_entry(chan, &vm->channels, vm_link)
		ppu_channel_update_pause(chan);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	ppu_exit(ppu, idx);
}

int ppu_ioctl_vm_set_property(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_vm_set_property *args = data;
	struct ppu_vm *vm = ppu_vm_lookup(filp->driver_priv, args->vm_id);
	int ret;

	if (!vm)
		return -ENOENT;

	mutex_lock(&vm->area_lock);
	if (vm->faulted) {
		ret = -EIO;
	} else {
		ppu_vm_hold_channels(vm, true);
		ret = ppu_vm_set_property(vm, args->property, args->value);
		ppu_vm_hold_channels(vm, false);
	}
	mutex_unlock(&vm->area_lock);
	ppu_vm_put(vm);
	return ret;
}

/* What a line about a mapping says. */
struct ppu_map_line {
	u64 start;
	u64 last;
	u64 bo_offset;
	u64 pte_flags;
	/** @where: what memory it is. */
	const char *where;
};

static const char *ppu_map_where(const struct ppu_mapping *map)
{
	if (!map->bo)
		return "null";
	return map->bo->placement == DRM_PPU_PLACEMENT_VRAM ? "vram" : "sys ";
}

#define PPU_MAP_LINES	16

/* Notes the first mappings from @from on; returns their number. */
static unsigned int ppu_vm_note_maps(struct ppu_vm *vm, u64 from, struct ppu_map_line *line)
{
	struct ppu_mapping *map;
	unsigned int n = 0;

	mutex_lock(&vm->lock);
	for (map = ppu_maps_iter_first(&vm->mappings, from, U64_MAX); map && n < PPU_MAP_LINES;
	     map = ppu_maps_iter_next(map, from, U64_MAX))
		line[n++] = (struct ppu_map_line){
			.start = map->start, .last = map->last, .bo_offset = map->bo_offset,
			.pte_flags = map->pte_flags, .where = ppu_map_where(map),
		};
	mutex_unlock(&vm->lock);
	return n;
}

/*
 * Printing may allocate, and the holder of vm->lock must not: so some mappings are noted, and
 * printed without the lock.  A bind in between may change those that come after them.
 */
static void ppu_vm_print_maps(struct drm_printer *p, struct ppu_vm *vm)
{
	struct ppu_map_line line[PPU_MAP_LINES];
	unsigned int i, n;
	u64 from = 0;

	do {
		n = ppu_vm_note_maps(vm, from, line);
		for (i = 0; i < n; i++) {
			const struct ppu_map_line *l = &line[i];

			drm_printf(p, "  %012llx-%012llx %s +%#llx%s%s%s\n", l->start, l->last,
				   l->where,
				   l->bo_offset, l->pte_flags & PPU_PTE_READONLY ? " ro" : "",
				   l->pte_flags & PPU_PTE_NOEXEC ? " nx" : "",
				   l->pte_flags & PPU_PTE_PRIV ? " priv" : "");
			from = l->last + 1;
		}
		cond_resched();
	} while (n == PPU_MAP_LINES);
}

/**
 * ppu_vm_print - say what is known about a VM: its areas and all its mappings
 * @p: where to; may allocate
 * @vm: VM, not locked
 */
void ppu_vm_print(struct drm_printer *p, struct ppu_vm *vm)
{
	drm_printf(p, "context %u: %s[%d], instance %#llx, root %#llx, depth %u, launches %u, local %u, watchdog %u ms%s%s%s\n",
		   vm->context_id, vm->quota->comm, pid_nr(vm->quota->owner), vm->inst.addr,
		   vm->pt.root->addr, vm->max_depth, vm->max_pending, vm->local_per_thread,
		   vm->watchdog_ms,
		   vm->has_areas ? "" : ", no areas", READ_ONCE(vm->evict.out) ? ", held" : "",
		   READ_ONCE(vm->faulted) ? ", FAULTED" : "");
	ppu_vm_print_maps(p, vm);
}
