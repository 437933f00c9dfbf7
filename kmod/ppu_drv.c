// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: module, PCI glue, ioctl table.
 */

#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_gate.h"
#include "base/ppu_irq.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_group.h"
#include "channel/ppu_runtime.h"
#include "channel/ppu_submit.h"
#include "fence/ppu_watch.h"
#include "memory/ppu_bind.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_gem_ioctl.h"
#include "memory/ppu_prime.h"
#include "memory/ppu_userptr.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "report/ppu_debugfs.h"
#include "report/ppu_fault.h"
#include "report/ppu_fdinfo.h"
#include "report/ppu_query.h"
#include "report/ppu_recentre.h"
#include "report/ppu_vm_state.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

static const struct drm_ioctl_desc ppu_ioctl_table[] = {
#define PPU_IOCTL(n, func) DRM_IOCTL_DEF_DRV(PPU_##n, ppu_ioctl_##func, DRM_RENDER_ALLOW)
	PPU_IOCTL(GET_PARAM, get_param),
	PPU_IOCTL(QUERY, query),
	PPU_IOCTL(GEM_CREATE, gem_create),
	PPU_IOCTL(GEM_MMAP_OFFSET, gem_mmap_offset),
	PPU_IOCTL(GEM_INFO, gem_info),
	PPU_IOCTL(VM_CREATE, vm_create),
	PPU_IOCTL(VM_DESTROY, vm_destroy),
	PPU_IOCTL(VM_BIND, vm_bind),
	PPU_IOCTL(VM_GET_STATE, vm_get_state),
	PPU_IOCTL(CHANNEL_CREATE, channel_create),
	PPU_IOCTL(CHANNEL_DESTROY, channel_destroy),
	PPU_IOCTL(CHANNEL_QUERY, channel_query),
	PPU_IOCTL(CHANNEL_SET_PROPERTY, channel_set_property),
	PPU_IOCTL(SUBMIT, submit),
	PPU_IOCTL(SEM_CREATE, sem_create),
	PPU_IOCTL(SEM_DESTROY, sem_destroy),
	PPU_IOCTL(SEM_READ, sem_read),
	PPU_IOCTL(SEM_SIGNAL, sem_signal),
	PPU_IOCTL(SEM_WAIT, sem_wait),
	PPU_IOCTL(EVENT_REGISTER, event_register),
	PPU_IOCTL(EVENT_UNREGISTER, event_unregister),
	PPU_IOCTL(VM_SET_PROPERTY, vm_set_property),
	PPU_IOCTL(GROUP_CREATE, group_create),
	PPU_IOCTL(GROUP_DESTROY, group_destroy),
	PPU_IOCTL(GROUP_CONTROL, group_control),
	PPU_IOCTL(GROUP_QUERY, group_query),
	PPU_IOCTL(SEM_IMPORT_FENCE, sem_import_fence),
	PPU_IOCTL(SEM_EXPORT_FENCE, sem_export_fence),
	PPU_IOCTL(GEM_USERPTR, gem_userptr),
#undef PPU_IOCTL
};

/*
 * The file is closed, perhaps because its process was killed, perhaps after the device went away.
 * Channels are closed before the objects that they use.  But waiters for the fences of channels
 * are closed first, because these fences are about to signal.
 */
static void ppu_postclose(struct drm_device *drm, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;

	ppu_eventfd_close_all(file);
	ppu_sem_fence_cancel(file, NULL);
	ppu_vm_close_binds(file);
	ppu_channel_close_all(file);
	ppu_group_close_all(file);
	ppu_sem_close_all(file);
	ppu_vm_close_all(file);
	ppu_file_free(file);
}

static const struct file_operations ppu_fops = {
	.owner = THIS_MODULE,
	DRM_GEM_FOPS,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = ppu_show_fdinfo,
#endif
};

static const struct drm_driver ppu_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = ppu_file_open,
	.postclose = ppu_postclose,
	.ioctls = ppu_ioctl_table,
	.num_ioctls = ARRAY_SIZE(ppu_ioctl_table),
	.fops = &ppu_fops,
	.name = "ppu",
	.desc = "PPU emulated GPU",
	.major = DRM_PPU_MAJOR,
	.minor = DRM_PPU_MINOR,
	.gem_create_object = ppu_gem_create_object,
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd,
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle,
	.gem_prime_import = ppu_gem_prime_import,
	.gem_prime_import_sg_table = ppu_gem_import_sg,
#ifdef CONFIG_DEBUG_FS
	.debugfs_init = ppu_debugfs_init,
#endif
	PPU_COMPAT_DRM_DRIVER
};

static const struct ppu_irq_handlers ppu_irq_handlers = {
	.error = ppu_fault_irq,
	.channel = ppu_channel_irq,
	.ring_low = ppu_devq_ring_low,
	.watch = ppu_watch_irq,
	.sm = ppu_recentre,
};

static int ppu_probe(struct pci_dev *pci, const struct pci_device_id *ent)
{
	struct ppu_device *ppu;
	int ret;

	ppu = devm_drm_dev_alloc(&pci->dev, &ppu_drm_driver, struct ppu_device, drm);
	if (IS_ERR(ppu))
		return PTR_ERR(ppu);

	ppu->pci = pci;
	pci_set_drvdata(pci, ppu);

	ret = ppu_device_init(ppu);
	if (ret)
		return ret;

	ret = ppu_vram_init(ppu);
	if (ret)
		return ret;

	ret = ppu_watch_init(ppu);
	if (ret)
		return ret;

	ret = ppu_device_start(ppu);
	if (ret)
		return ret;

	ret = ppu_irq_init(ppu, &ppu_irq_handlers);
	if (ret)
		goto err_quiesce;

	ret = drm_dev_register(&ppu->drm, 0);
	if (ret)
		goto err_irq;

	drm_info(&ppu->drm, "%u MiB VRAM, %u GPCs x %u SMs, %u copy engines, %u channels\n",
		 (u32)(ppu->vram_size >> 20), ppu->caps.gpcs, ppu->caps.sms_per_gpc,
		 ppu->caps.copy_engines, ppu->caps.channels);
	return 0;

err_irq:
	ppu_irq_fini(ppu);
err_quiesce:
	ppu_device_quiesce(ppu);
	return ret;
}

/*
 * After drm_dev_unplug() nobody enters a section that touches the device, user
 * mappings are gone and new ioctls give ENODEV.  What is left is to end what
 * was in flight; open files are closed in their own time.
 */
static void ppu_remove(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	drm_dev_unplug(&ppu->drm);
	ppu_gate_unplug(ppu);
	ppu_irq_fini(ppu);
	ppu_runtime_lost(ppu);
	ppu_device_quiesce(ppu);
	ppu_gem_unmap_all(ppu);
	ppu_channel_fail_all(ppu, -ENODEV);
	ppu_sem_fence_fail(ppu, NULL, -ENODEV);
	ppu_sem_wake_all(ppu);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_DEVICE_RESET, NULL);
}

static void ppu_shutdown(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	ppu_device_quiesce(ppu);
}

/*
 * A function level reset (sysfs, vfio): what was on the device is lost, but files stay usable, and
 * VRAM keeps its contents.  VMs and channels end with EIO; new ones work.
 *
 * From prepare to done, the device does not answer.  So nobody touches it: the gate is closed, and
 * programs that use a mapping wait in its fault handler.
 */
static void ppu_reset_lost(struct ppu_device *ppu)
{
	ppu_vm_set_faulted_all(ppu);
	ppu_channel_fail_all(ppu, -EIO);
}

static void ppu_reset_prepare(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	/* First the sections that may wait for memory, which may wait for interrupts. */
	ppu_gate_drain(ppu);
	ppu_irq_stop(ppu);
	ppu_runtime_lost(ppu);
	ppu_device_reset(ppu);
	/* Count the reset before anybody hears of it. */
	atomic_inc(&ppu->reset_count);
	ppu_reset_lost(ppu);
	ppu_gate_close(ppu);
	ppu_gem_user_unmap_all(ppu);
}

static void ppu_reset_done(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	/* What was published since prepare is lost, too: the device has none of it. */
	ppu_reset_lost(ppu);
	ppu_irq_restart(ppu);
	ppu_watch_rearm_all(ppu);
	ppu_gate_open(ppu);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_DEVICE_RESET, NULL);
	drm_warn(&ppu->drm, "the device was reset\n");
}

static const struct pci_error_handlers ppu_err_handlers = {
	.reset_prepare = ppu_reset_prepare,
	.reset_done = ppu_reset_done,
};

static const struct pci_device_id ppu_pci_ids[] = {
	{ PCI_DEVICE(PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, ppu_pci_ids);

static struct pci_driver ppu_pci_driver = {
	.name = "ppu",
	.id_table = ppu_pci_ids,
	.probe = ppu_probe,
	.remove = ppu_remove,
	.shutdown = ppu_shutdown,
	.err_handler = &ppu_err_handlers,
};
module_pci_driver(ppu_pci_driver);

MODULE_DESCRIPTION("DRM driver of the PPU emulated GPU");
MODULE_LICENSE("GPL");
