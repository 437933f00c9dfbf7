// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: module, PCI glue, ioctl table.
 */

#include <linux/module.h>
#include <linux/rcupdate.h>

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
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_gem_ioctl.h"
#include "memory/ppu_prime.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_userptr.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "ppu_power.h"
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
	PPU_IOCTL(GEM_MADVISE, gem_madvise),
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

/*
 * Names of objects (GEM_FLINK) are small numbers, which every client of the primary node may open.
 * They would give away what cannot be exported: objects that are private to a VM, and memory of
 * processes.  Who shares objects has dma-bufs for that.
 */
static bool ppu_is_refused(unsigned int cmd)
{
	return _IOC_TYPE(cmd) == DRM_IOCTL_BASE && _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_GEM_FLINK);
}

static long ppu_fops_ioctl(struct file *f, unsigned int cmd, unsigned long arg)
{
	return ppu_is_refused(cmd) ? -EOPNOTSUPP : drm_ioctl(f, cmd, arg);
}

#ifdef CONFIG_COMPAT
static long ppu_fops_compat_ioctl(struct file *f, unsigned int cmd, unsigned long arg)
{
	return ppu_is_refused(cmd) ? -EOPNOTSUPP : drm_compat_ioctl(f, cmd, arg);
}
#endif

/* DRM_GEM_FOPS, with ioctls of our own. */
static const struct file_operations ppu_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = ppu_fops_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = ppu_fops_compat_ioctl,
#endif
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = drm_gem_mmap,
	PPU_COMPAT_GEM_FOPS
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
	ppu_power_init(ppu);

	ret = ppu_device_init(ppu);
	if (ret)
		return ret;

	ret = ppu_vram_init(ppu);
	if (ret)
		return ret;

	ret = ppu_shrink_init(ppu);
	if (ret)
		return ret;

	ret = ppu_evict_init(ppu);
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
	ppu_power_start(ppu);
	return 0;

err_irq:
	ppu_irq_fini(ppu);
err_quiesce:
	ppu_device_quiesce(ppu);
	return ret;
}

static void ppu_remove(struct pci_dev *pci)
{
	ppu_power_remove(pci_get_drvdata(pci));
}

static void ppu_shutdown(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	ppu_device_quiesce(ppu);
}

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
	.driver.pm = pm_ptr(&ppu_pm_ops),
};

static int __init ppu_init(void)
{
	return pci_register_driver(&ppu_pci_driver);
}
module_init(ppu_init);

/*
 * Fences that outlive the device hold the module, and give it up in their release functions: on the
 * last instructions of such a function the module has no users.  So let these end: those of tasks
 * that were preempted there, and those of interrupts.
 */
static void __exit ppu_exit_module(void)
{
	pci_unregister_driver(&ppu_pci_driver);
	synchronize_rcu_tasks();
	synchronize_rcu();
}
module_exit(ppu_exit_module);

MODULE_DESCRIPTION("DRM driver of the PPU emulated GPU");
MODULE_LICENSE("GPL");
