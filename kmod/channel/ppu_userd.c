// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: the objects that stand for USERD pages in the mmap space of the
 * DRM file.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include <hw/ppu_regs.h>

#include "base/ppu_device.h"
#include "channel/ppu_userd.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"

#define to_ppu_userd(o) container_of(o, struct ppu_userd, base)

/* How long to wait before the next try to bring a VM back. */
#define PPU_USERD_RETRY	msecs_to_jiffies(10)

/* The VM of a page that is not revoked, with a reference, or NULL. */
static struct ppu_vm *ppu_userd_vm(struct ppu_userd *userd)
{
	struct drm_gem_object *obj = &userd->base;
	struct ppu_vm *vm = NULL;

	dma_resv_lock(obj->resv, NULL);
	if (!userd->revoked) {
		vm = userd->vm;
		kref_get(&vm->kref);
	}
	dma_resv_unlock(obj->resv);
	return vm;
}

/* The VM is on the device, and stays there meanwhile; or it never runs again. */
static vm_fault_t ppu_userd_insert(struct vm_fault *vmf, struct ppu_userd *userd)
{
	struct drm_gem_object *obj = &userd->base;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	if (!ppu_enter(to_ppu(obj->dev), &idx))
		return VM_FAULT_SIGBUS;
	dma_resv_lock(obj->resv, NULL);
	if (!userd->revoked)
		ret = vmf_insert_pfn(vmf->vma, vmf->address, userd->phys >> PAGE_SHIFT);
	dma_resv_unlock(obj->resv);
	ppu_exit(to_ppu(obj->dev), idx);
	return ret;
}

/*
 * To bring a VM back takes long, so the process's address space is not locked meanwhile.  If there
 * is no room now, its threads wait here for as long as they are not interrupted.
 */
static vm_fault_t ppu_userd_wait(struct vm_fault *vmf, struct ppu_vm *vm)
{
	bool unlock = fault_flag_allow_retry_first(vmf->flags);
	int ret;

	if (unlock && vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (unlock)
		mmap_read_unlock(vmf->vma->vm_mm);
	ret = ppu_vm_use(vm);
	if (!ret)
		ppu_vm_unuse(vm);
	else
		schedule_timeout_interruptible(PPU_USERD_RETRY);
	return unlock ? VM_FAULT_RETRY : VM_FAULT_NOPAGE;
}

/* An access to the page is how a process gives work to a channel. */
static vm_fault_t ppu_userd_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct drm_device *drm = obj->dev;
	struct ppu_vm *vm = ppu_userd_vm(to_ppu_userd(obj));
	vm_fault_t ret;

	if (!vm)
		return VM_FAULT_SIGBUS;
	/* The VM's end may be the end of the file, and of the device. */
	drm_dev_get(drm);
	if (ppu_vm_try_use(vm)) {
		ret = ppu_userd_insert(vmf, to_ppu_userd(obj));
		ppu_vm_unuse(vm);
	} else if (READ_ONCE(vm->faulted) || drm_dev_is_unplugged(drm)) {
		ret = ppu_userd_insert(vmf, to_ppu_userd(obj));
	} else {
		ret = ppu_userd_wait(vmf, vm);
	}
	ppu_vm_put(vm);
	drm_dev_put(drm);
	return ret;
}

static const struct vm_operations_struct ppu_userd_vm_ops = {
	.fault = ppu_userd_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/* The page belongs to the process that mapped it: it does not follow fork(). */
static int ppu_userd_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	vma->vm_page_prot = pgprot_noncached(vm_get_page_prot(vma->vm_flags));
	return 0;
}

static void ppu_userd_free(struct drm_gem_object *obj)
{
	drm_gem_object_release(obj);
	kfree(to_ppu_userd(obj));
}

static const struct drm_gem_object_funcs ppu_userd_funcs = {
	.free = ppu_userd_free,
	.mmap = ppu_userd_mmap,
	.vm_ops = &ppu_userd_vm_ops,
};

/**
 * ppu_userd_create - make the object of a channel's USERD page
 * @vm: the channel's; outlives the page, unless that is revoked
 * @chid: channel number
 *
 * Return: object with one reference, or ERR_PTR.
 */
struct ppu_userd *ppu_userd_create(struct ppu_vm *vm, int chid)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_userd *userd = kzalloc(sizeof(*userd), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!userd)
		return ERR_PTR(-ENOMEM);
	userd->vm = vm;
	userd->phys = ppu->regs_phys + PPU_BAR0_USERD + (u64)chid * PPU_USERD_STRIDE;
	userd->base.funcs = &ppu_userd_funcs;
	drm_gem_private_object_init(&ppu->drm, &userd->base, PAGE_SIZE);

	ret = drm_gem_create_mmap_offset(&userd->base);
	if (ret) {
		drm_gem_object_put(&userd->base);
		return ERR_PTR(ret);
	}
	return userd;
}

/**
 * ppu_userd_revoke - take all mappings of a USERD page away
 * @userd: the page
 * @filp: open file that was allowed to map it
 *
 * When it returns no CPU reaches the page, and none will.
 */
void ppu_userd_revoke(struct ppu_userd *userd, struct drm_file *filp)
{
	struct drm_gem_object *obj = &userd->base;

	dma_resv_lock(obj->resv, NULL);
	userd->revoked = true;
	dma_resv_unlock(obj->resv);
	ppu_gem_user_unmap(obj, filp);
}
