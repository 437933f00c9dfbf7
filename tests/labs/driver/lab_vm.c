// SPDX-License-Identifier: GPL-2.0-only
//LAB 7 file
/*
 * Lab 7: GPU virtual memory. Each open file has an address space of its own: an instance block
 * and page tables in VRAM, the pieces of buffers that are mapped, and the faults.
 */
#include <linux/list.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include "lab_chan.h"
#include "lab_vm.h"

/* --- page tables ---------------------------------------------------------------------------- */

//LAB 7 write: Return in *slot the VRAM offset of the entry of `va` in the table of the lowest
//LAB      level (4 KiB pages). With `make`, make tables that are missing on the way
//LAB      (lab_vram_alloc() gives zeroes); without `make`, a missing table is -ENOENT.
/* The VRAM offset of the level-0 entry of va. */
static int lab_vm_slot(struct lab_vm *vm, u64 va, bool make, u64 *slot)
{
	struct lab_dev *ldev = vm->ldev;
	u64 table = vm->ctx.root, at, pde;
	int level, ret;

	for (level = PPU_PT_LEVELS - 1; level > 0; level--) {
		at = table + (va >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES * 8;
		pde = lab_vram_read64(ldev, at);
		if (!(pde & PPU_PTE_VALID)) {
			if (!make)
				return -ENOENT;
			ret = lab_vram_alloc(ldev, PAGE_SIZE, &table);
			if (ret)
				return ret;
			lab_vram_write64(ldev, at, table | PPU_PTE_VALID);
		} else {
			table = pde & PPU_PTE_ADDR;
		}
	}
	*slot = table + (va >> PPU_PAGE_SHIFT) % PPU_PT_ENTRIES * 8;
	return 0;
}

//LAB instead
static int __maybe_unused lab_vm_slot(struct lab_vm *vm, u64 va, bool make, u64 *slot)
{
	return -ENOSYS;
}

//LAB end
//LAB 7 write: Make the device forget the translations that it keeps of this address space. Only one thread
//LAB      at a time may use the registers: ldev->ctx_lock. What was written to the tables
//LAB      must be in VRAM before.
static void lab_vm_flush(struct lab_vm *vm)
{
	struct lab_dev *ldev = vm->ldev;

	wmb();	/* the entries are in VRAM before the device reads them again */
	mutex_lock(&ldev->ctx_lock);
	lab_write64(ldev, PPU_REG_TLB_INV_INST_LO, vm->ctx.inst);
	lab_write(ldev, PPU_REG_TLB_INV, 1);
	mutex_unlock(&ldev->ctx_lock);
}

//LAB instead
static void __maybe_unused lab_vm_flush(struct lab_vm *vm)
{
}

//LAB end
//LAB 7 write: Make the pages of [va, va + bytes) invalid, then make the device forget them. Pages in
//LAB      that range may be unmapped already: skip those.
/* Called with vm->lock held. */
static void lab_vm_unmap(struct lab_vm *vm, u64 va, u64 bytes)
{
	u64 end = va + bytes, slot;

	for (; va < end; va += PPU_PAGE_SIZE)
		if (!lab_vm_slot(vm, va, false, &slot))
			lab_vram_write64(vm->ldev, slot, 0);
	lab_vm_flush(vm);
}

//LAB instead
static void lab_vm_unmap(struct lab_vm *vm, u64 va, u64 bytes)
{
}

//LAB end
//LAB 7 write: Map the VRAM from byte `offset` on at [va, va + bytes), page by page, with these flags
//LAB      (PPU_PTE_*; VALID is for you to add). If a table cannot be made, no page may stay mapped.
/* Called with vm->lock held. */
int lab_vm_map(struct lab_vm *vm, u64 va, u64 offset, u64 bytes, u64 flags)
{
	u64 done, slot;
	int ret;

	for (done = 0; done < bytes; done += PPU_PAGE_SIZE) {
		ret = lab_vm_slot(vm, va + done, true, &slot);
		if (ret) {
			lab_vm_unmap(vm, va, done);
			return ret;
		}
		lab_vram_write64(vm->ldev, slot, (offset + done) | flags | PPU_PTE_VALID);
	}
	/* The device keeps no entries that were not valid, so it has nothing to forget. */
	wmb();
	return 0;
}

//LAB instead
int lab_vm_map(struct lab_vm *vm, u64 va, u64 offset, u64 bytes, u64 flags)
{
	return -ENOSYS;
}

//LAB end
/* Maps the driver's own pages (rings, semaphores), above all addresses that a user can map. */
int lab_vm_map_own(struct lab_vm *vm, u64 offset, u64 bytes, u64 flags)
{
	int ret;

	mutex_lock(&vm->lock);
	ret = lab_vm_map(vm, LAB_VA_KERNEL + offset, offset, PAGE_ALIGN(bytes), flags);
	mutex_unlock(&vm->lock);
	return ret;
}

void lab_vm_unmap_own(struct lab_vm *vm, u64 offset, u64 bytes)
{
	mutex_lock(&vm->lock);
	lab_vm_unmap(vm, LAB_VA_KERNEL + offset, PAGE_ALIGN(bytes));
	mutex_unlock(&vm->lock);
}

/* --- what is mapped --------------------------------------------------------------------------- */

/* A piece of a buffer, mapped in an address space. The mapping holds a reference to the buffer. */
struct lab_mapping {
	struct list_head link;		/* in vm->mappings */
	u64 va, bytes;
	struct lab_bo *bo;
	u64 offset;			/* where the piece begins in the buffer */
};

/* Finds the address at which this piece of a buffer is mapped; -EFAULT: nowhere. */
int lab_vm_find(struct lab_vm *vm, struct lab_bo *bo, u64 offset, u64 bytes, u64 *va)
{
	struct lab_mapping *m;
	int ret = -EFAULT;

	mutex_lock(&vm->lock);
	list_for_each_entry(m, &vm->mappings, link) {
		if (m->bo != bo || offset < m->offset || offset - m->offset > m->bytes ||
		    bytes > m->bytes - (offset - m->offset))
			continue;
		*va = m->va + (offset - m->offset);
		ret = 0;
		break;
	}
	mutex_unlock(&vm->lock);
	return ret;
}

//LAB 7 write: Is this a range that a user may map? Multiples of the page size, not empty, inside
//LAB      [PPU_VA_USER_START, PPU_VA_USER_END). The numbers come from a program: sums can overflow.
static bool lab_vm_range_ok(u64 va, u64 bytes)
{
	return bytes && PAGE_ALIGNED(va | bytes) && va >= PPU_VA_USER_START &&
	       va < PPU_VA_USER_END && bytes <= PPU_VA_USER_END - va;
}

//LAB instead
static bool lab_vm_range_ok(u64 va, u64 bytes)
{
	return true;
}

//LAB end
//LAB 7 write: Map a piece of a buffer. args->offset and args->bytes must lie in the buffer; no page of the
//LAB      range may be mapped yet (-EEXIST). The mapping holds a reference to the buffer
//LAB      (drm_gem_object_get()), so that nobody else can get the buffer's memory.
static int lab_vm_bind(struct lab_vm *vm, struct lab_bo *bo, const struct lab_vm_bind *args)
{
	u64 flags = args->flags & LAB_VM_READONLY ? PPU_PTE_READONLY : 0;
	struct lab_mapping *m;
	int ret;

	if (!PAGE_ALIGNED(args->offset) || args->offset > bo->base.size ||
	    args->bytes > bo->base.size - args->offset)
		return -EINVAL;
	list_for_each_entry(m, &vm->mappings, link)
		if (args->va < m->va + m->bytes && m->va < args->va + args->bytes)
			return -EEXIST;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	ret = lab_vm_map(vm, args->va, bo->node.start + args->offset, args->bytes, flags);
	if (ret) {
		kfree(m);
		return ret;
	}
	m->va = args->va;
	m->bytes = args->bytes;
	m->offset = args->offset;
	m->bo = bo;
	drm_gem_object_get(&bo->base);
	list_add(&m->link, &vm->mappings);
	return 0;
}

//LAB instead
static int lab_vm_bind(struct lab_vm *vm, struct lab_bo *bo, const struct lab_vm_bind *args)
{
	return -ENOSYS;
}

//LAB end
//LAB 7 write: Take a mapping away. The order matters: when may the buffer's memory be used for
//LAB      something else?
static void lab_vm_drop(struct lab_vm *vm, struct lab_mapping *m)
{
	list_del(&m->link);
	lab_vm_unmap(vm, m->va, m->bytes);
	drm_gem_object_put(&m->bo->base);
	kfree(m);
}

//LAB instead
static void __maybe_unused lab_vm_drop(struct lab_vm *vm, struct lab_mapping *m)
{
	list_del(&m->link);
}

//LAB end
//LAB 7 write: Unmap what was mapped by one call with exactly this va and bytes; -ENOENT if there is
//LAB      no such mapping.
static int lab_vm_unbind(struct lab_vm *vm, const struct lab_vm_bind *args)
{
	struct lab_mapping *m;

	list_for_each_entry(m, &vm->mappings, link) {
		if (m->va == args->va && m->bytes == args->bytes) {
			lab_vm_drop(vm, m);
			return 0;
		}
	}
	return -ENOENT;
}

//LAB instead
static int lab_vm_unbind(struct lab_vm *vm, const struct lab_vm_bind *args)
{
	return -ENOENT;
}

//LAB end
int lab_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_file *lfile = file->driver_priv;
	struct lab_vm_bind *args = data;
	struct lab_vm *vm = lfile->vm;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags & ~(LAB_VM_READONLY | LAB_VM_UNMAP) || !lab_vm_range_ok(args->va, args->bytes))
		return -EINVAL;
	if (args->flags & LAB_VM_UNMAP) {
		if (args->handle || args->offset || args->flags != LAB_VM_UNMAP)
			return -EINVAL;
		mutex_lock(&vm->lock);
		ret = lab_vm_unbind(vm, args);
		mutex_unlock(&vm->lock);
		return ret;
	}
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	mutex_lock(&vm->lock);
	ret = lab_vm_bind(vm, to_lab_bo(obj), args);
	mutex_unlock(&vm->lock);
	drm_gem_object_put(obj);
	return ret;
}

/* --- faults -------------------------------------------------------------------------------------- */

/* The address space to which an instance block belongs. Called with ldev->vm_lock held. */
static __maybe_unused struct lab_vm *lab_vm_of(struct lab_dev *ldev, u64 inst)
{
	struct lab_vm *vm;

	list_for_each_entry(vm, &ldev->vms, link)
		if (vm->ctx.inst == inst)
			return vm;
	return NULL;
}

/* Keep a fault for the file's next LAB_VM_FAULT; if there is no room, this one is lost. ldev->vm_lock is held. */
static void __maybe_unused lab_vm_note(struct lab_vm *vm, u32 code, u32 chid, u64 va)
{
	u32 id = lab_chan_id(vm->ldev, chid);

	if (vm->num_faults == ARRAY_SIZE(vm->faults))
		return;
	vm->faults[vm->num_faults++] = (struct lab_vm_fault){ .code = code, .chan = id, .va = va };
}

//LAB 7 write: Read all records of the fault ring (registers.md tells how; struct ppu_fault_rec),
//LAB      give each to the address space it belongs to (lab_vm_of(), lab_vm_note()), and consume
//LAB      the record. Bit 0 of the instance block's address is the aperture. Lock: ldev->vm_lock.
/* Called by an interrupt thread. */
void lab_vm_on_fault(struct lab_dev *ldev)
{
	union {
		struct ppu_fault_rec rec;
		u32 word[PPU_FAULT_REC_WORDS];
	} f;
	struct lab_vm *vm;
	u32 get;
	int i;

	mutex_lock(&ldev->vm_lock);
	for (get = lab_read(ldev, PPU_REG_FAULT_GET); get != lab_read(ldev, PPU_REG_FAULT_PUT);
	     get = lab_read(ldev, PPU_REG_FAULT_GET)) {
		lab_write(ldev, PPU_REG_FAULT_SEL, 0);
		for (i = 0; i < PPU_FAULT_REC_WORDS; i++)
			f.word[i] = lab_read(ldev, PPU_REG_FAULT_DATA);
		lab_write(ldev, PPU_REG_FAULT_GET, get + 1);
		vm = lab_vm_of(ldev, f.rec.inst & ~1ull);
		if (vm)
			lab_vm_note(vm, f.rec.code, f.rec.channel, f.rec.va);
	}
	mutex_unlock(&ldev->vm_lock);
}

//LAB instead
void lab_vm_on_fault(struct lab_dev *ldev)
{
}

//LAB end
int lab_vm_fault_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_file *lfile = file->driver_priv;
	struct lab_dev *ldev = lfile->ldev;
	struct lab_vm *vm = lfile->vm;
	struct lab_vm_fault *out = data;
	int ret = -ENOENT;

	/* A record may still be in the ring, and its interrupt on the way. */
	lab_vm_on_fault(ldev);
	mutex_lock(&ldev->vm_lock);
	if (vm->num_faults) {
		*out = vm->faults[0];
		memmove(vm->faults, vm->faults + 1, --vm->num_faults * sizeof(*out));
		ret = 0;
	}
	mutex_unlock(&ldev->vm_lock);
	return ret;
}

/* --- life ------------------------------------------------------------------------------------------ */

//LAB 7 write: Make an address space: memory for the struct, the instance block and the root table
//LAB      (lab_vram_alloc()), a context id of its own (ldev->next_ctx_id, under ldev->vm_lock). Make
//LAB      the device load it (lab_ctx_load()), and put it into ldev->vms. Undo everything on errors.
struct lab_vm *lab_vm_create(struct lab_dev *ldev)
{
	struct lab_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL);
	int ret;

	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->ldev = ldev;
	mutex_init(&vm->lock);
	INIT_LIST_HEAD(&vm->mappings);
	ret = lab_vram_alloc(ldev, PPU_INST_SIZE, &vm->ctx.inst);
	if (ret)
		goto err_free;
	ret = lab_vram_alloc(ldev, PAGE_SIZE, &vm->ctx.root);
	if (ret)
		goto err_inst;
	mutex_lock(&ldev->vm_lock);
	vm->ctx.id = ldev->next_ctx_id++;
	mutex_unlock(&ldev->vm_lock);
	ret = lab_ctx_load(ldev, &vm->ctx);
	if (ret)
		goto err_root;
	mutex_lock(&ldev->vm_lock);
	list_add(&vm->link, &ldev->vms);
	mutex_unlock(&ldev->vm_lock);
	return vm;

err_root:
	lab_vram_free(ldev, vm->ctx.root, PAGE_SIZE);
err_inst:
	lab_vram_free(ldev, vm->ctx.inst, PPU_INST_SIZE);
err_free:
	kfree(vm);
	return ERR_PTR(ret);
}

//LAB instead
struct lab_vm *lab_vm_create(struct lab_dev *ldev)
{
	return ERR_PTR(-ENOSYS);
}

//LAB end
//LAB 7 write: Take an address space off the device: take it out of ldev->vms, make the device forget the
//LAB      context (lab_ctx_forget()), and only then give its tables (lab_pt_free()) and its instance
//LAB      block back. Called with ldev->vm_lock held.
static void lab_vm_detach(struct lab_vm *vm)
{
	struct lab_dev *ldev = vm->ldev;

	list_del_init(&vm->link);
	lab_ctx_forget(ldev, &vm->ctx);
	lab_pt_free(ldev, vm->ctx.root, PPU_PT_LEVELS - 1);
	lab_vram_free(ldev, vm->ctx.inst, PPU_INST_SIZE);
}

//LAB instead
static void lab_vm_detach(struct lab_vm *vm)
{
	list_del_init(&vm->link);
}

//LAB end
//LAB 7 write: The file is closed, its channels are gone. Take the address space off the device, unless that
//LAB      is done already (if the driver left before, vm->link is empty). Then let go of the buffers that
//LAB      are mapped (not by lab_vm_drop(): the tables are gone, and perhaps the device). Free the struct.
void lab_vm_destroy(struct lab_dev *ldev, struct lab_vm *vm)
{
	struct lab_mapping *m, *next;

	mutex_lock(&ldev->vm_lock);
	if (!list_empty(&vm->link))
		lab_vm_detach(vm);
	mutex_unlock(&ldev->vm_lock);
	list_for_each_entry_safe(m, next, &vm->mappings, link) {
		drm_gem_object_put(&m->bo->base);
		kfree(m);
	}
	kfree(vm);
}

//LAB instead
void lab_vm_destroy(struct lab_dev *ldev, struct lab_vm *vm)
{
}

//LAB end
int lab_vm_init(struct lab_dev *ldev)
{
	mutex_init(&ldev->vm_lock);
	INIT_LIST_HEAD(&ldev->vms);
	ldev->next_ctx_id = ldev->ctx.id + 1;
	return 0;
}

/* The driver leaves; files may still be open, and are closed later. */
void lab_vm_fini(struct lab_dev *ldev)
{
	struct lab_vm *vm, *next;

	mutex_lock(&ldev->vm_lock);
	list_for_each_entry_safe(vm, next, &ldev->vms, link)
		lab_vm_detach(vm);
	mutex_unlock(&ldev->vm_lock);
}
