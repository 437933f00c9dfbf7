// SPDX-License-Identifier: GPL-2.0-only
//LAB 12 file
/*
 * Lab 12: a device that is reset, or goes, while it works.
 *
 * lab_hot.c calls these functions. lab_hot.h says what may be called when.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <drm/drm_managed.h>
#include "lab_chan.h"
#include "lab_hot.h"
#include "lab_vm.h"

/* --- the gate --------------------------------------------------------------------------------- */

//LAB 12 write: Whoever uses the device does so between enter and exit; many threads at a time. While a reset goes on,
//LAB      enter waits. ldev->gate is a rw_semaphore.
void lab_gate_enter(struct lab_dev *ldev)
{
	down_read(&ldev->gate);
}

void lab_gate_exit(struct lab_dev *ldev)
{
	up_read(&ldev->gate);
}

//LAB instead
void lab_gate_enter(struct lab_dev *ldev)
{
}

void lab_gate_exit(struct lab_dev *ldev)
{
}

//LAB end
/* --- who loses what --------------------------------------------------------------------------- */

//LAB 12 write: The channel is about to be lost in a reset. Look once more how far the device is
//LAB      (lab_chan_look(), chan->lock), and add the submissions that will never complete to
//LAB      chan->vm->lost. A channel that had failed before loses nothing in the reset.
void lab_reset_lost(struct lab_chan *chan)
{
	mutex_lock(&chan->lock);
	lab_chan_look(chan);
	if (!chan->error)
		chan->vm->lost += chan->submitted - chan->completed;
	mutex_unlock(&chan->lock);
}

//LAB instead
void lab_reset_lost(struct lab_chan *chan)
{
}

//LAB end
//LAB 12 write: Tell a file how many resets there were since it was opened (lfile->resets is what ldev->resets was
//LAB      then), and how many of its submissions were lost in them. No other file's.
void lab_reset_tell(struct lab_file *lfile, struct lab_reset_info *out)
{
	out->resets = lfile->ldev->resets - lfile->resets;
	out->lost = lfile->vm->lost;
}

//LAB instead
void lab_reset_tell(struct lab_file *lfile, struct lab_reset_info *out)
{
}

//LAB end
/* --- the reset -------------------------------------------------------------------------------- */

//LAB 12 write: The device will be reset as soon as this function returns. Wait until nobody uses it, and let nobody
//LAB      begin (the gate stays closed until lab_reset_done()). Take the pages of VRAM away from all processes
//LAB      (unmap_mapping_range() of the whole of ldev->drm.anon_inode->i_mapping): a store during the
//LAB      reset would be lost. End all channels of programs with -EIO (lab_chan_lose_all()). Then no
//LAB      interrupt may come any more (lab_irq_mask()).
void lab_reset_prepare(struct lab_dev *ldev)
{
	down_write(&ldev->gate);
	unmap_mapping_range(ldev->drm.anon_inode->i_mapping, 0, 0, 1);
	lab_chan_lose_all(ldev, -EIO);
	lab_irq_mask(ldev, true);
}

//LAB instead
void lab_reset_prepare(struct lab_dev *ldev)
{
}

//LAB end
//LAB 12 write: The reset is over: registers and contexts are gone, VRAM is as it was. Make the device as
//LAB      the driver needs it: the kernel's context and those of all address spaces (lab_ctx_load(),
//LAB      ldev->vms under ldev->vm_lock), the driver's own channel (lab_ce_restart() under ce.lock), interrupts,
//LAB      LAB_SCRATCH_READY in SCRATCH. Count the reset. Open the gate.
static int lab_reset_contexts(struct lab_dev *ldev)
{
	struct lab_vm *vm;
	int ret = lab_ctx_load(ldev, &ldev->ctx);

	mutex_lock(&ldev->vm_lock);
	list_for_each_entry(vm, &ldev->vms, link)
		if (!ret)
			ret = lab_ctx_load(ldev, &vm->ctx);
	mutex_unlock(&ldev->vm_lock);
	return ret;
}

void lab_reset_done(struct lab_dev *ldev)
{
	if (lab_reset_contexts(ldev))
		dev_err(&ldev->pdev->dev, "no contexts after the reset\n");
	mutex_lock(&ldev->ce.lock);
	lab_ce_restart(ldev);
	mutex_unlock(&ldev->ce.lock);
	lab_irq_mask(ldev, false);
	lab_write(ldev, PPU_REG_SCRATCH, LAB_SCRATCH_READY);
	ldev->resets++;
	up_write(&ldev->gate);
}

//LAB instead
void lab_reset_done(struct lab_dev *ldev)
{
}

//LAB end
/* --- a device that is gone -------------------------------------------------------------------- */

//LAB 12 write: A program touches a page of a buffer, and the device is gone. Map a page of zeroes that belongs to
//LAB      nobody else: alloc_page(), vmf_insert_pfn(). The page must live as long as somebody may have it mapped, that
//LAB      is until the DRM device goes: drmm_add_action_or_reset(). No memory: VM_FAULT_OOM.
static void lab_gone_free(struct drm_device *drm, void *page)
{
	__free_page(page);
}

vm_fault_t lab_gone_fault(struct lab_dev *ldev, struct vm_fault *vmf)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

	if (!page || drmm_add_action_or_reset(&ldev->drm, lab_gone_free, page))
		return VM_FAULT_OOM;
	return vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(page));
}
//LAB instead
vm_fault_t lab_gone_fault(struct lab_dev *ldev, struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}
//LAB end
