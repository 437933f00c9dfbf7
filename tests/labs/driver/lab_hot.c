// SPDX-License-Identifier: GPL-2.0-only
//LAB 12 file
/*
 * Lab 12: where resets and page faults come in. You need not change this file.
 */
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include "lab_hot.h"

/* --- resets ----------------------------------------------------------------------------------- */

/* The PCI core calls these two before and after a function level reset; it holds the device's lock. */
static void lab_hot_prepare(struct pci_dev *pdev)
{
	struct lab_dev *ldev = pci_get_drvdata(pdev);

	if (ldev)
		lab_reset_prepare(ldev);
}

static void lab_hot_done(struct pci_dev *pdev)
{
	struct lab_dev *ldev = pci_get_drvdata(pdev);

	if (ldev)
		lab_reset_done(ldev);
}

const struct pci_error_handlers lab_hot_handlers = {
	.reset_prepare = lab_hot_prepare,
	.reset_done = lab_hot_done,
};

int lab_reset_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_reset_info *args = data;

	if (args->pad)
		return -EINVAL;
	lab_reset_tell(file->driver_priv, args);
	return 0;
}

/* --- mappings --------------------------------------------------------------------------------- */

static vm_fault_t lab_hot_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct lab_dev *ldev = container_of(obj->dev, struct lab_dev, drm);
	vm_fault_t ret;
	int idx;

	if (!drm_dev_enter(&ldev->drm, &idx))
		return lab_gone_fault(ldev, vmf);
	lab_gate_enter(ldev);
	ret = obj->funcs->vm_ops->fault(vmf);
	lab_gate_exit(ldev);
	drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct lab_hot_vm_ops = {
	.fault = lab_hot_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

int lab_hot_mmap(struct file *filp, struct vm_area_struct *vma)
{
	int ret = drm_gem_mmap(filp, vma);

	if (!ret)
		vma->vm_ops = &lab_hot_vm_ops;
	return ret;
}
