// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: VM_GET_STATE, what user space asks about a VM.
 */

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_uobj.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"
#include "report/ppu_vm_state.h"

int ppu_ioctl_vm_get_state(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_vm_get_state *args = data;
	struct ppu_vm *vm;
	u32 i, room = args->faults.count, n;
	int idx, ret = 0;

	if (PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, room && (args->faults.stride < 16 || args->faults.stride % 8)))
		return -EINVAL;
	vm = ppu_vm_lookup(filp->driver_priv, args->vm_id);
	if (!vm)
		return -ENOENT;

	/* Count the records whose interrupt is still on its way, too. */
	if (ppu_enter(to_ppu(drm), &idx)) {
		ppu_fault_drain(ppu);
		ppu_exit(to_ppu(drm), idx);
	}
	args->state = READ_ONCE(vm->faulted) ? DRM_PPU_VM_STATE_FAULTED : 0;
	if (ppu_vm_busy(vm))
		args->state |= DRM_PPU_VM_STATE_BUSY;

	spin_lock_irq(&vm->bind_lock);
	args->binds_queued = vm->binds_queued;
	args->binds_done = vm->binds_done;
	args->bind_error = -vm->bind_error;
	spin_unlock_irq(&vm->bind_lock);

	spin_lock_irq(&vm->fault_lock);
	args->fault_total = vm->fault_total;
	n = min(room, vm->num_faults);
	spin_unlock_irq(&vm->fault_lock);

	/* Records are never changed once they are counted. */
	for (i = 0; i < n && !ret; i++) {
		struct drm_ppu_fault rec;

		ppu_fault_to_user(vm, i, &rec);
		ret = ppu_uobj_put(&args->faults, i, &rec, sizeof(rec));
	}
	args->faults.count = n;
	ppu_vm_put(vm);
	return ret;
}
