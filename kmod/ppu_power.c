// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: the device is reset, sleeps, or has an error.
 *
 * The driver resets the device by itself when a channel does not stop.
 *
 * In each of these, what was on the device is lost: VMs and channels end with EIO, new ones work.
 * Files stay usable, and so do buffer objects.  A reset leaves VRAM as it is.  For a sleep, VRAM is
 * saved before and restored after it.
 *
 * While nobody needs the device (base/ppu_awake.h), it sleeps by itself: runtime power management,
 * if the function has the capability for it.  There is nothing on it then that could be lost.
 *
 * In between the device does not answer.  So nobody touches it: the gate is closed, and programs
 * that use a mapping wait in its fault handler.
 *
 * A device that never answers again is lost.  It is treated as if the driver had left it: nobody
 * waits any more, and all calls fail with ENODEV.  The driver stays bound until somebody removes
 * the function.
 */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_awake.h"
#include "base/ppu_device.h"
#include "base/ppu_gate.h"
#include "base/ppu_io.h"
#include "base/ppu_irq.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_runtime.h"
#include "fence/ppu_watch.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "memory/ppu_vram_save.h"
#include "ppu_power.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

/*
 * The kernel waits a minute for a device that it has reset.  Before 6.18 it does not tell drivers
 * that it failed, or gave up for another device's sake: no reset for so long means that.
 */
static unsigned int ppu_bus_error_timeout_ms = 100000;
module_param_named(bus_error_timeout_ms, ppu_bus_error_timeout_ms, uint, 0600);
MODULE_PARM_DESC(bus_error_timeout_ms, "after an error of the bus: how long to wait for the reset");

/* For how long nobody needs the device before it sleeps, unless sysfs says otherwise. */
#define PPU_AUTOSUSPEND_MS	1000

static void ppu_power_lost(struct ppu_device *ppu)
{
	ppu_vm_set_faulted_all(ppu);
	ppu_channel_fail_all(ppu, -EIO);
}

/* Has nobody reset the device since somebody wanted it? */
static bool ppu_power_reset_is_wanted(struct ppu_device *ppu)
{
	return atomic_read(&ppu->reset_count) < atomic_read(&ppu->reset_wanted);
}

/*
 * First the device stops: as soon as nobody enters a section any more, channels count as stopped,
 * and pages go that it may write to.  After drm_dev_unplug() user mappings are gone and new ioctls
 * give ENODEV.  What is left is to end what was in flight, and what sections began meanwhile; open
 * files are closed in their own time.
 */
static void ppu_power_leave(struct ppu_device *ppu)
{
	ppu_runtime_lost(ppu);
	ppu_device_quiesce(ppu);
	ppu_gate_leave(ppu);
	drm_dev_unplug(&ppu->drm);
	ppu_gate_unplug(ppu);
	ppu_evict_stop(ppu);
	ppu_irq_fini(ppu);
	ppu_device_quiesce(ppu);
	ppu_gem_unmap_all(ppu);
	ppu_channel_fail_all(ppu, -ENODEV);
	ppu_sem_fence_fail(ppu, NULL, -ENODEV);
	ppu_sem_wake_all(ppu);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_DEVICE_RESET, NULL);
}

/* Who resets the device has it awake, from the first step to the last. */
static void ppu_power_keep_awake(struct ppu_device *ppu)
{
	if (ppu->kept_awake)
		return;
	ppu->kept_awake = true;
	/* If it does not wake up, it does not answer, which the last step finds. */
	pm_runtime_get_sync(&ppu->pci->dev);
}

static void ppu_power_let_doze(struct ppu_device *ppu)
{
	if (!ppu->kept_awake)
		return;
	ppu->kept_awake = false;
	ppu_awake_put(ppu);
}

/* The device does not come back.  The caller has its device_lock(). */
static void ppu_power_gone(struct ppu_device *ppu, const char *why)
{
	drm_err(&ppu->drm, "the device is lost: %s\n", why);
	ppu->bus_error = false;
	/* It neither falls asleep nor wakes now: both touch interrupts, which go. */
	ppu_power_keep_awake(ppu);
	/* While there still is a node that the event can be about. */
	drm_dev_wedged_event(&ppu->drm, DRM_WEDGE_RECOVERY_BUS_RESET, NULL);
	ppu_power_leave(ppu);
	ppu_power_let_doze(ppu);
}

/** ppu_power_start - the device works: from now on it may sleep */
void ppu_power_start(struct ppu_device *ppu)
{
	struct device *dev = &ppu->pci->dev;

	if (!ppu->pci->pm_cap)
		return;
	/*
	 * It is there as soon as its port has been reset.  The kernel would wait for the link of
	 * the port, which a port of QEMU never shows as active if ACPI plugs its devices.
	 */
	ppu->pci->d3cold_delay = 0;
	/* The driver before may have left it because it did not wake up, which is remembered. */
	pm_runtime_set_active(dev);
	ppu->can_doze = true;
	pm_runtime_set_autosuspend_delay(dev, PPU_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_allow(dev);
	/* The kernel has it awake for probe, until the driver says otherwise. */
	ppu_awake_put(ppu);
}

/** ppu_power_remove - the driver leaves the device, which is awake if it can be */
void ppu_power_remove(struct ppu_device *ppu)
{
	struct device *dev = &ppu->pci->dev;

	if (ppu->can_doze) {
		pm_runtime_get_noresume(dev);
		pm_runtime_forbid(dev);
		pm_runtime_dont_use_autosuspend(dev);
	}
	if (!drm_dev_is_unplugged(&ppu->drm))
		ppu_power_leave(ppu);
	cancel_delayed_work_sync(&ppu->bus_error_work);
	ppu_power_let_doze(ppu);
}

static void ppu_bus_error_is_over(struct ppu_device *ppu)
{
	ppu->bus_error = false;
	cancel_delayed_work(&ppu->bus_error_work);
}

/* Ends everything, and closes the gate.  Of a device that is lost there is nothing to end. */
static void ppu_power_down(struct ppu_device *ppu)
{
	ppu_power_keep_awake(ppu);
	if (ppu->bus_error) {
		/* It is down already, and is what the caller resets. */
		ppu_bus_error_is_over(ppu);
		ppu_gate_take_over(ppu);
		return;
	}
	/* First the sections that may wait for memory, which may wait for interrupts. */
	ppu_gate_drain(ppu);
	if (drm_dev_is_unplugged(&ppu->drm))
		return;
	ppu_irq_stop(ppu);
	ppu_runtime_lost(ppu);
	ppu_device_reset(ppu);
	/* What does not hear of its reset must not write to pages that are given away now. */
	if (ppu_rd(ppu, PPU_REG_ID) != PPU_ID_MAGIC)
		pci_clear_master(ppu->pci);
	/* Count the reset before anybody hears of it. */
	atomic_inc(&ppu->reset_count);
	ppu_power_lost(ppu);
	ppu_gate_close(ppu);
	/* Sections that did not wait may have started something meanwhile. */
	ppu_device_reset(ppu);
	ppu_gem_user_unmap_all(ppu);
}

/* The device was reset, and should answer; false: it is lost. */
static bool ppu_power_up(struct ppu_device *ppu, const char *why)
{
	/* For one that did not wake for its reset the kernel will not try again. */
	if (drm_dev_is_unplugged(&ppu->drm) || READ_ONCE(ppu->no_wake) ||
	    ppu_rd(ppu, PPU_REG_ID) != PPU_ID_MAGIC) {
		ppu_gate_hand_over(ppu);
		if (!drm_dev_is_unplugged(&ppu->drm))
			ppu_power_gone(ppu, "it does not answer after a reset");
		ppu_power_let_doze(ppu);
		return false;
	}
	/* An error of the bus while the machine slept, if there was one. */
	ppu_bus_error_is_over(ppu);
	/* What was restored may be from when it was down. */
	pci_set_master(ppu->pci);
	/* What was published since the gate was drained is lost, too: there was a reset since. */
	ppu_power_lost(ppu);
	ppu_irq_restart(ppu);
	ppu_gate_wake(ppu);
	ppu_watch_rearm_all(ppu);
	ppu_gate_open(ppu);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_DEVICE_RESET, NULL);
	drm_warn(&ppu->drm, "the device %s\n", why);
	/* The worker does nothing while the gate is closed. */
	if (ppu_power_reset_is_wanted(ppu))
		queue_work(ppu->wq, &ppu->reset_work);
	ppu_power_let_doze(ppu);
	return true;
}

/*
 * Takes the lock of the PCI function.  The driver that leaves the device has it, and may have to
 * wait for the worker that calls this; false: it has left.
 */
static bool ppu_power_lock(struct ppu_device *ppu)
{
	while (!device_trylock(&ppu->pci->dev)) {
		if (drm_dev_is_unplugged(&ppu->drm))
			return false;
		fsleep(USEC_PER_MSEC);
	}
	if (!drm_dev_is_unplugged(&ppu->drm))
		return true;
	device_unlock(&ppu->pci->dev);
	return false;
}

/*
 * A channel does not stop.  The lock of the PCI function keeps away the resets that others ask for,
 * and the callbacks of sleep and of errors of the bus, and the driver on the device.
 */
static void ppu_reset_work(struct work_struct *work)
{
	struct ppu_device *ppu = container_of(work, struct ppu_device, reset_work);

	if (!ppu_power_lock(ppu))
		return;
	/*
	 * The lock is not held from the first callback of a sleep, or of an error of the bus, to
	 * the last one.  In between the gate is closed, and nothing of the device goes on.
	 */
	if (!ppu_gate_is_closed(ppu) && ppu_power_reset_is_wanted(ppu)) {
		ppu_power_down(ppu);
		if (ppu_power_up(ppu, "was reset, because a channel did not stop"))
			drm_dev_wedged_event(&ppu->drm, DRM_WEDGE_RECOVERY_NONE, NULL);
	}
	device_unlock(&ppu->pci->dev);
}

/* After an error of the bus, nobody has reset the device for long.  Or it did not wake up. */
static void ppu_bus_error_work(struct work_struct *work)
{
	struct ppu_device *ppu = container_of(to_delayed_work(work), struct ppu_device,
					      bus_error_work);

	if (!ppu_power_lock(ppu))
		return;
	if (ppu->bus_error)
		ppu_power_gone(ppu, "there was no reset after an error of the bus");
	else if (READ_ONCE(ppu->no_wake))
		ppu_power_gone(ppu, "it does not wake up");
	device_unlock(&ppu->pci->dev);
}

/** ppu_power_init - make it possible to want a reset, and to wait for one */
void ppu_power_init(struct ppu_device *ppu)
{
	INIT_WORK(&ppu->reset_work, ppu_reset_work);
	INIT_DELAYED_WORK(&ppu->bus_error_work, ppu_bus_error_work);
}

/* Function level reset (sysfs, vfio) */

static void ppu_reset_prepare(struct pci_dev *pci)
{
	ppu_power_down(pci_get_drvdata(pci));
}

static void ppu_reset_done(struct pci_dev *pci)
{
	ppu_power_up(pci_get_drvdata(pci), "was reset");
}

/*
 * Errors of the bus (AER).  One that the hardware has corrected, or after which the function
 * still answers, concerns the device's own work, which reports it by itself.  After any other, the
 * port resets the function: it is as after a function level reset.  If that fails, or is not done
 * since a driver of another function does not want it, the device is lost.
 */

/* The device is down until the port has reset it, which another task may tell. */
static void ppu_bus_error(struct ppu_device *ppu)
{
	/* Waking makes it a master again. */
	ppu_power_keep_awake(ppu);
	/* It may not hear of its reset, and pages go as soon as it counts as stopped. */
	pci_clear_master(ppu->pci);
	ppu_power_down(ppu);
	ppu_gate_hand_over(ppu);
	ppu->bus_error = true;
	queue_delayed_work(ppu->wq, &ppu->bus_error_work,
			   msecs_to_jiffies(READ_ONCE(ppu_bus_error_timeout_ms)));
}

static pci_ers_result_t ppu_error_detected(struct pci_dev *pci, pci_channel_state_t state)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	if (drm_dev_is_unplugged(&ppu->drm))
		return PCI_ERS_RESULT_DISCONNECT;
	switch (state) {
	case pci_channel_io_normal:
		return PCI_ERS_RESULT_CAN_RECOVER;
	case pci_channel_io_frozen:
		drm_err(&ppu->drm, "the bus has an error: the device will be reset\n");
		ppu_bus_error(ppu);
		return PCI_ERS_RESULT_NEED_RESET;
	default:
		ppu_power_gone(ppu, "the bus has an error for good");
		return PCI_ERS_RESULT_DISCONNECT;
	}
}

static pci_ers_result_t ppu_error_mmio_enabled(struct pci_dev *pci)
{
	return PCI_ERS_RESULT_RECOVERED;
}

static pci_ers_result_t ppu_error_slot_reset(struct pci_dev *pci)
{
	struct ppu_device *ppu = pci_get_drvdata(pci);

	if (drm_dev_is_unplugged(&ppu->drm))
		return PCI_ERS_RESULT_DISCONNECT;
	/* It is down, unless another device below the port asked for the reset. */
	ppu_power_down(ppu);
	/*
	 * What probe has saved is still there, but a function level reset or a sleep since then,
	 * which restored it, says that nothing is.  It has the function enabled.
	 */
	pci->state_saved = true;
	pci_restore_state(pci);
	pci_save_state(pci);
	ppu_device_reset(ppu);
	return ppu_power_up(ppu, "was reset after an error of the bus") ?
		PCI_ERS_RESULT_RECOVERED : PCI_ERS_RESULT_DISCONNECT;
}

const struct pci_error_handlers ppu_err_handlers = {
	.error_detected = ppu_error_detected,
	.mmio_enabled = ppu_error_mmio_enabled,
	.slot_reset = ppu_error_slot_reset,
	.reset_prepare = ppu_reset_prepare,
	.reset_done = ppu_reset_done,
};

/*
 * Sleep of the machine.  VRAM is saved when programs do not run any more, but all other devices
 * do: what is saved needs memory, and may need swap space.
 */

static int ppu_prepare(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));
	struct ppu_vram_save *save;

	/* It would save what a dead bus says, and restore that over what the port's reset did. */
	if (ppu->bus_error)
		return -EBUSY;
	ppu_power_down(ppu);
	if (drm_dev_is_unplugged(&ppu->drm))
		return 0;
	save = ppu_vram_save(ppu);
	if (IS_ERR(save)) {
		ppu_power_up(ppu, "cannot sleep: no memory for the contents of VRAM");
		return PTR_ERR(save);
	}
	ppu->vram_save = save;
	return 0;
}

static void ppu_complete(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));

	ppu_vram_save_free(ppu->vram_save);
	ppu->vram_save = NULL;
	ppu_power_up(ppu, "has slept");
}

/*
 * VRAM is cleared: nobody can read it out of a machine that sleeps, and that its contents come back
 * does not depend on how much power the device keeps.
 */
static int ppu_suspend(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));

	if (drm_dev_is_unplugged(&ppu->drm))
		return 0;
	ppu_vram_zero(ppu, 0, round_down(ppu->vram_size, PAGE_SIZE));
	ppu_device_quiesce(ppu);
	return 0;
}

static int ppu_resume(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));
	int ret;

	if (drm_dev_is_unplugged(&ppu->drm))
		return 0;
	ppu_device_reset(ppu);
	pci_set_master(ppu->pci);
	ret = ppu_vram_restore(ppu, ppu->vram_save);
	if (ret)
		drm_err(&ppu->drm, "VRAM has lost contents (%d)\n", ret);
	return 0;
}

/* Nobody needs the device: there is no VRAM in use, and no section that waits. */
static int ppu_runtime_suspend(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));

	if (drm_dev_is_unplugged(&ppu->drm))
		return 0;
	ppu_gate_close(ppu);
	ppu_irq_stop(ppu);
	/* Else who waits would not hear of it before somebody else wakes the device. */
	ppu_irq_last_watches(ppu);
	ppu_device_quiesce(ppu);
	return 0;
}

/* The device knows nothing any more but device time, and the bus has been set up again. */
static int ppu_runtime_resume(struct device *dev)
{
	struct ppu_device *ppu = pci_get_drvdata(to_pci_dev(dev));

	if (drm_dev_is_unplugged(&ppu->drm))
		return 0;
	if (ppu_rd(ppu, PPU_REG_ID) != PPU_ID_MAGIC) {
		/* Whoever wakes it may hold any lock. */
		WRITE_ONCE(ppu->no_wake, true);
		mod_delayed_work(ppu->wq, &ppu->bus_error_work, 0);
		return -EIO;
	}
	ppu_device_reset(ppu);
	pci_set_master(ppu->pci);
	ppu_irq_restart(ppu);
	ppu_gate_wake(ppu);
	ppu_watch_rearm_all(ppu);
	return 0;
}

const struct dev_pm_ops ppu_pm_ops = {
	.prepare = ppu_prepare,
	.complete = ppu_complete,
	SYSTEM_SLEEP_PM_OPS(ppu_suspend, ppu_resume)
	RUNTIME_PM_OPS(ppu_runtime_suspend, ppu_runtime_resume, NULL)
};
