// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: channels.
 *
 * A channel is a ring of GPFIFO entries that the host interface fetches from.
 * Its ring lives in the kernel-owned range of its VM, where only the host
 * interface can read it; its GP_GET and GP_PUT live in a page of BAR0, which is
 * in no GPU address space.
 *
 * User-submit: ring and page are mapped to the owner.  Kernel-submit: neither is mapped, and
 * ppu_submit.c fills the ring.  Device-owned queues (ppu_devq.c) have their ring in VRAM, where
 * threads on the GPU fill it, and have no page.
 */

#include <linux/capability.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "base/ppu_uobj.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_group.h"
#include "channel/ppu_notifier.h"
#include "channel/ppu_runtime.h"
#include "channel/ppu_submit.h"
#include "channel/ppu_userd.h"
#include "core/channel.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"
#include "report/ppu_coredump.h"
#include "report/ppu_fault.h"
#include "sync/ppu_eventfd.h"

/* Look-up and references */

static void ppu_channel_free(struct kref *kref)
{
	struct ppu_channel *chan = container_of(kref, struct ppu_channel, kref);

	ppu_channel_put(chan->devq.owner);
	ppu_vm_put(chan->vm);
	mutex_destroy(&chan->lock);
	kfree(chan);
}

/** ppu_channel_put - drop a reference; NULL is fine */
void ppu_channel_put(struct ppu_channel *chan)
{
	if (chan)
		kref_put(&chan->kref, ppu_channel_free);
}

/** ppu_channel_type_name - for messages */
const char *ppu_channel_type_name(const struct ppu_channel *chan)
{
	switch (chan->type) {
	case DRM_PPU_CHANNEL_COMPUTE:
		return "compute";
	case DRM_PPU_CHANNEL_COPY:
		return "copy";
	default:
		return "queue";
	}
}

/** ppu_channel_submit_name - who fills it, for messages */
const char *ppu_channel_submit_name(const struct ppu_channel *chan)
{
	if (chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return "device";
	return chan->user_submit ? "user" : "kernel";
}

/** ppu_channel_lookup - find a channel by its id in the file; takes a reference */
struct ppu_channel *ppu_channel_lookup(struct ppu_file *file, u32 id)
{
	struct ppu_channel *chan;

	xa_lock(&file->channels);
	chan = xa_load(&file->channels, id);
	if (chan)
		kref_get(&chan->kref);
	xa_unlock(&file->channels);
	return chan;
}

/** ppu_channel_get_by_chid - find a channel by its hardware number; takes a reference */
struct ppu_channel *ppu_channel_get_by_chid(struct ppu_device *ppu, u32 chid)
{
	struct ppu_channel *chan = NULL;
	unsigned long flags;

	if (chid >= ppu->caps.channels)
		return NULL;
	spin_lock_irqsave(&ppu->chan_lock, flags);
	chan = ppu->chans[chid];
	if (chan)
		kref_get(&chan->kref);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return chan;
}

/**
 * ppu_channel_irq - the device executed an INTR command, or a job's end
 * @chan: channel; ppu_device.chan_lock is held
 */
void ppu_channel_irq(struct ppu_channel *chan)
{
	if (chan->user_submit)
		ppu_eventfd_notify(chan->ppu, DRM_PPU_EVENT_CHANNEL_INTR, chan);
	else
		ppu_submit_retire(chan);
}

/* Life */

static int ppu_channel_count(struct ppu_file *file, bool user)
{
	int ret = ppu_quota_charge(file->quota, DRM_PPU_RES_CHANNELS, 1);

	if (ret || user)
		return ret;
	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_KERNEL_CHANNELS, 1);
	if (ret)
		ppu_quota_release(file->quota, DRM_PPU_RES_CHANNELS, 1);
	return ret;
}

static void ppu_channel_uncount(struct ppu_file *file, bool user)
{
	if (!user)
		ppu_quota_release(file->quota, DRM_PPU_RES_KERNEL_CHANNELS, 1);
	ppu_quota_release(file->quota, DRM_PPU_RES_CHANNELS, 1);
}

/* Makes the channel visible to interrupts and kicks. */
static void ppu_channel_publish(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	ppu->chans[chan->chid] = chan;
	ppu->chan_top = max_t(unsigned int, ppu->chan_top, chan->chid + 1);
	list_add_tail(&chan->vm_link, &chan->vm->channels);
	WRITE_ONCE(chan->vm->kick_chid, chan->chid);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
}

static void ppu_channel_unpublish(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_vm *vm = chan->vm;
	struct ppu_channel *other;
	unsigned long flags;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	ppu->chans[chan->chid] = NULL;
	list_del_init(&chan->vm_link);
	other = list_first_entry_or_null(&vm->channels, struct ppu_channel, vm_link);
	WRITE_ONCE(vm->kick_chid, other ? other->chid : PPU_CHID_NONE);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
}

/*
 * Frees the memory that the device has read; the channel must have stopped.  A channel that not
 * even a reset of the device has stopped keeps its number and memory: losing them is better than
 * DMA into pages that belong to somebody else by then.
 */
static void ppu_channel_release_hw(struct ppu_channel *chan, bool stopped)
{
	struct ppu_device *ppu = chan->ppu;
	int resets;

	if (!stopped) {
		/* The device is reset first, if that is what it needs. */
		ppu_device_wait_reset(ppu);
		stopped = ppu_channel_stop(chan, PPU_CH_CMD_RESET, &resets);
	}
	if (!stopped) {
		drm_err(&ppu->drm, "channel %d survives a reset of the device: lost\n",
			chan->chid);
		kref_get(&chan->vm->kref);
		drm_dev_wedged_event(&ppu->drm, DRM_WEDGE_RECOVERY_REBIND |
				     DRM_WEDGE_RECOVERY_BUS_RESET, NULL);
		return;
	}
	if (chan->tail_map)
		ppu_vm_unmap_kernel(chan->vm, chan->tail_map);
	if (chan->ring_map)
		ppu_vm_unmap_kernel(chan->vm, chan->ring_map);
	ppu_bo_put(chan->tail);
	ppu_bo_put(chan->ring);
	if (chan->chid != PPU_CHID_NONE)
		ida_free(&ppu->chids, chan->chid);
	chan->chid = PPU_CHID_NONE;
}

/* An acquire that nobody released is often the reason why a process was killed. */
static void ppu_channel_tell_blocked(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	int chid = chan->chid, idx;
	u64 va;

	if (!ppu_try_enter(ppu, &idx))
		return;
	va = ppu_rd64(ppu, ppu_ch_off(chid, PPU_REG_CH_BLOCK_VA_LO));
	if (va && !ppu_devq_rests(chan, va))
		dev_info_ratelimited(ppu->drm.dev,
				     "channel %d of %s[%d] ends while it waits for the semaphore at %#llx, GP_GET %u\n",
				     chid, chan->vm->quota->comm, pid_nr(chan->vm->quota->owner),
				     va, ppu_ch_rd(ppu, chid, PPU_REG_CH_GET));
	ppu_try_exit(ppu, idx);
}

/* Removes the CPU's mappings of the ring, and of the USERD page if there is one. */
static void ppu_channel_revoke(struct ppu_channel *chan)
{
	if (!chan->user_submit || !chan->ring)
		return;
	if (chan->userd)
		ppu_userd_revoke(chan->userd, chan->file->drm);
	ppu_bo_user_revoke(chan->ring, chan->file->drm);
}

/* Its work ends here, whatever happened to it; then nobody waits for its error. */
static void ppu_channel_cancel(struct ppu_channel *chan)
{
	const struct ppu_failure cancelled = { .err = -ECANCELED };

	lockdep_assert_held(&chan->lock);

	ppu_channel_fail(chan, &cancelled);
	if (chan->failure.cause)
		atomic_dec(&chan->vm->failed_channels);
}

/* Takes the channel off the device, and ends its work with an error. */
static void ppu_channel_halt(struct ppu_channel *chan)
{
	int resets;

	/*
	 * Finish the dump first, or a process that ends at the first error takes the evidence
	 * along.
	 */
	flush_work(&chan->dump_work);
	flush_work(&chan->devq.stop_work);
	mutex_lock(&chan->lock);
	if (chan->destroyed)
		goto out;
	ppu_channel_tell_blocked(chan);
	trace_ppu_channel_destroy(chan->chid, chan->vm->context_id);
	ppu_channel_revoke(chan);
	ppu_runtime_end(chan);
	chan->destroyed = true;
	chan->stopped = ppu_channel_stop(chan, PPU_CH_CMD_RESET, &resets);
	if (!chan->stopped) {
		/* Before the reset, which takes the evidence along. */
		ppu_coredump_now(chan);
		ppu_channel_stuck(chan, resets);
	}
	ppu_fault_settle(chan);
	ppu_channel_cancel(chan);
out:
	mutex_unlock(&chan->lock);
}

static void ppu_channel_destroy(struct ppu_channel *chan)
{
	struct ppu_file *file = chan->file;

	ppu_channel_halt(chan);
	if (!chan->user_submit)
		ppu_submit_fini(chan);
	ppu_eventfd_drop_object(file, chan);
	ppu_channel_unpublish(chan);
	ppu_group_leave(chan);
	ppu_notifier_fini(chan);
	if (chan->userd)
		drm_gem_object_put(&chan->userd->base);
	ppu_channel_release_hw(chan, chan->stopped);
	ppu_channel_uncount(file, chan->user_submit);
	chan->file = NULL;
	ppu_channel_put(chan);
}

/** ppu_channel_close_all - the file is closed */
void ppu_channel_close_all(struct ppu_file *file)
{
	struct ppu_channel *chan;
	unsigned long id;

	/* Stop all channels before waiting for any: their jobs may depend on each other. */
	xa_for_each(&file->channels, id, chan)
		ppu_channel_halt(chan);
	xa_for_each(&file->channels, id, chan) {
		xa_erase(&file->channels, id);
		ppu_channel_destroy(chan);
	}
}

/* Kernel-submit rings have room for several jobs of the largest size. */
static u32 ppu_channel_ring_entries(struct ppu_device *ppu, u32 gpfifo_entries, bool user)
{
	if (user)
		return gpfifo_entries;
	return min_t(u64, 8ull * gpfifo_entries, ppu->caps.ring_max);
}

static int ppu_channel_map_ring(struct ppu_channel *chan)
{
	bool devq = chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE;
	u64 bytes = devq ? chan->devq.layout.bytes :
			   (u64)chan->ring_entries * sizeof(struct ppu_gpfifo_entry);

	chan->ring = ppu_bo_create(chan->file, bytes, devq ? DRM_PPU_PLACEMENT_VRAM :
						      DRM_PPU_PLACEMENT_SYSTEM, 0);
	if (IS_ERR(chan->ring)) {
		int ret = PTR_ERR(chan->ring);

		chan->ring = NULL;
		return ret;
	}
	if (devq) {
		int ret = ppu_bo_fix(chan->ring);

		if (ret)
			return ret;
	}
	chan->ring->kernel = true;

	chan->ring_map = ppu_vm_map_kernel(chan->vm, chan->ring,
					   devq ? PPU_DEVQ_PTE_FLAGS : PPU_RING_PTE_FLAGS);
	if (IS_ERR(chan->ring_map)) {
		int ret = PTR_ERR(chan->ring_map);

		chan->ring_map = NULL;
		return ret;
	}
	return 0;
}

/* Maps the ring and the USERD page for the owner alone, if the owner is to have them. */
static int ppu_channel_map_user(struct ppu_channel *chan, struct drm_file *filp,
				struct drm_ppu_channel_create *args)
{
	int ret;

	if (chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return ppu_gem_user_map(ppu_bo_gem(chan->ring), filp, &args->ring_offset);
	chan->userd = ppu_userd_create(chan->vm, chan->chid);
	if (IS_ERR(chan->userd)) {
		ret = PTR_ERR(chan->userd);
		chan->userd = NULL;
		return ret;
	}
	ret = ppu_gem_user_map(ppu_bo_gem(chan->ring), filp, &args->ring_offset);
	if (ret)
		return ret;
	return ppu_gem_user_map(&chan->userd->base, filp, &args->userd_offset);
}

static bool ppu_channel_kernel_submit(const struct drm_ppu_channel_create *args)
{
	return args->type != DRM_PPU_CHANNEL_DEVICE_QUEUE &&
	       !(args->flags & DRM_PPU_CHANNEL_USER_SUBMIT);
}

static struct ppu_channel *ppu_channel_alloc(struct ppu_vm *vm, struct ppu_file *file,
					     const struct drm_ppu_channel_create *args)
{
	static const u32 classes[PPU_NUM_CHANNEL_TYPES] = {
		[DRM_PPU_CHANNEL_COMPUTE] = PPU_CLASS_COMPUTE,
		[DRM_PPU_CHANNEL_COPY] = PPU_CLASS_COPY,
		[DRM_PPU_CHANNEL_DEVICE_QUEUE] = PPU_CLASS_DEVQ,
	};
	struct ppu_channel *chan = kzalloc(sizeof(*chan), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!chan)
		return ERR_PTR(-ENOMEM);
	kref_init(&chan->kref);
	ppu_coredump_init(chan);
	mutex_init(&chan->lock);
	spin_lock_init(&chan->fence_lock);
	INIT_LIST_HEAD(&chan->fences);
	INIT_LIST_HEAD(&chan->queued);
	INIT_LIST_HEAD(&chan->vm_link);
	INIT_LIST_HEAD(&chan->runtime_link);
	INIT_LIST_HEAD(&chan->group_link);
	chan->ppu = file->ppu;
	chan->file = file;
	kref_get(&vm->kref);
	chan->vm = vm;
	chan->chid = PPU_CHID_NONE;
	chan->type = args->type;
	chan->hw_class = classes[args->type];
	chan->user_submit = !ppu_channel_kernel_submit(args);
	chan->priority = args->priority;
	chan->timeslice_us = args->timeslice_us;
	chan->engine_mask = args->engine_mask;
	chan->timeout_ms = args->timeout_ms ?: PPU_JOB_TIMEOUT_MS;
	chan->entries = args->gpfifo_entries;
	chan->ring_entries = ppu_channel_ring_entries(file->ppu, chan->entries,
						      chan->user_submit);
	ret = ppu_devq_alloc(chan, args);
	if (ret) {
		ppu_channel_put(chan);
		return ERR_PTR(ret);
	}
	return chan;
}

static int ppu_channel_join_group(struct ppu_channel *chan, u32 group_id)
{
	struct ppu_group *group;
	int ret;

	if (!group_id)
		return 0;
	group = ppu_group_lookup(chan->file, group_id);
	if (!group)
		return -ENOENT;
	ret = ppu_group_join(group, chan);
	ppu_group_put(group);
	return ret;
}

/* Does everything up to the channel's first fetch. */
static int ppu_channel_setup(struct ppu_channel *chan, struct drm_file *filp,
			     struct drm_ppu_channel_create *args)
{
	struct ppu_device *ppu = chan->ppu;
	int ret;

	if (chan->type != DRM_PPU_CHANNEL_COPY) {
		ret = ppu_vm_ensure_areas(chan->vm);
		if (ret)
			return ret;
	}

	ret = ida_alloc_max(&ppu->chids, ppu->caps.channels - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	chan->chid = ret;

	ret = ppu_channel_map_ring(chan);
	if (ret)
		return ret;
	ret = ppu_channel_join_group(chan, args->group_id);
	if (ret)
		return ret;
	if (args->notifier_handle) {
		ret = ppu_notifier_init(chan, filp, args->notifier_handle, args->notifier_offset);
		if (ret)
			return ret;
	}
	if (chan->user_submit)
		ret = ppu_channel_map_user(chan, filp, args);
	else
		ret = ppu_submit_init(chan);
	if (ret)
		return ret;
	ret = ppu_channel_program(chan);
	if (!ret && chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE)
		ret = ppu_devq_init(chan);
	return ret;
}

/*
 * The channel was published, but will not run.  An interrupt may have found it: it must be dead,
 * and count as destroyed, before anything that it uses is freed.
 */
static void ppu_channel_abandon(struct ppu_channel *chan)
{
	ppu_channel_unpublish(chan);
	mutex_lock(&chan->lock);
	ppu_runtime_end(chan);
	chan->destroyed = true;
	ppu_channel_cancel(chan);
	mutex_unlock(&chan->lock);
}

static void ppu_channel_undo_setup(struct ppu_channel *chan)
{
	bool stopped;
	int resets;

	/* Somebody may just stop its group: from here on that does not touch the device. */
	mutex_lock(&chan->lock);
	if (!chan->destroyed) {
		chan->destroyed = true;
		ppu_channel_cancel(chan);
	}
	mutex_unlock(&chan->lock);
	stopped = chan->chid == PPU_CHID_NONE || ppu_channel_stop(chan, PPU_CH_CMD_RESET, &resets);
	if (!stopped)
		ppu_channel_stuck(chan, resets);
	ppu_channel_revoke(chan);
	if (chan->userd)
		drm_gem_object_put(&chan->userd->base);
	if (chan->sched_ready)
		ppu_submit_fini(chan);
	ppu_group_leave(chan);
	ppu_notifier_fini(chan);
	ppu_channel_release_hw(chan, stopped);
	ppu_channel_put(chan);
}

/** ppu_channel_max_timeout_ms - the longest time-out of a job that the caller may ask for */
u32 ppu_channel_max_timeout_ms(void)
{
	return capable(CAP_SYS_NICE) ? PPU_JOB_TIMEOUT_MAX_MS : PPU_JOB_TIMEOUT_UNPRIV_MS;
}

static int ppu_channel_check(struct ppu_device *ppu, const struct drm_ppu_channel_create *args)
{
	const u32 known = DRM_PPU_CHANNEL_USER_SUBMIT | DRM_PPU_CHANNEL_START_DISABLED;
	bool kernel = ppu_channel_kernel_submit(args);
	u32 engines = GENMASK(ppu->caps.copy_engines - 1, 0);
	int ret;

	if (PPU_CHECK(ppu, args->type > DRM_PPU_CHANNEL_DEVICE_QUEUE) ||
	    PPU_CHECK(ppu, args->flags & ~known) ||
	    PPU_CHECK(ppu, kernel && args->flags) ||
	    PPU_CHECK(ppu, !kernel && args->timeout_ms) ||
	    PPU_CHECK(ppu, !args->notifier_handle && args->notifier_offset) ||
	    PPU_CHECK(ppu, args->notifier_offset % sizeof(struct drm_ppu_notification)) ||
	    PPU_CHECK(ppu, args->timeout_ms > PPU_JOB_TIMEOUT_MAX_MS) ||
	    PPU_CHECK(ppu, args->priority > PPU_QUEUE_PRIO_MAX) ||
	    PPU_CHECK(ppu, args->timeslice_us > PPU_TIMESLICE_LIMIT_US) ||
	    PPU_CHECK(ppu, args->gpfifo_entries < (kernel ? 5 : 3)) ||
	    PPU_CHECK(ppu, args->gpfifo_entries > ppu->caps.ring_max) ||
	    PPU_CHECK(ppu, args->type != DRM_PPU_CHANNEL_COPY && args->engine_mask) ||
	    PPU_CHECK(ppu, args->engine_mask & ~engines))
		return -EINVAL;
	ret = ppu_devq_check(ppu, args);
	if (ret)
		return ret;
	if (PPU_CHECK(ppu, args->priority > ppu_max_priority()) ||
	    PPU_CHECK(ppu, args->timeslice_us > ppu_max_timeslice_us()) ||
	    PPU_CHECK(ppu, args->timeout_ms > ppu_channel_max_timeout_ms()))
		return -EACCES;
	return 0;
}

static int ppu_channel_create(struct ppu_file *file, struct ppu_vm *vm, struct drm_file *filp,
			      struct drm_ppu_channel_create *args)
{
	struct ppu_channel *chan;
	u32 id;
	int ret;

	/* Reserve the id now, so that nothing fails once the channel runs. */
	ret = xa_alloc_cyclic(&file->channels, &id, NULL, xa_limit_31b, &file->next_channel,
			      GFP_KERNEL);
	if (ret < 0)
		return ret;

	chan = ppu_channel_alloc(vm, file, args);
	if (IS_ERR(chan)) {
		ret = PTR_ERR(chan);
		goto err_id;
	}
	chan->id = id;

	ret = ppu_channel_setup(chan, filp, args);
	if (ret)
		goto err_chan;

	ppu_runtime_begin(chan);
	ppu_channel_publish(chan);
	if (!(args->flags & DRM_PPU_CHANNEL_START_DISABLED)) {
		ret = ppu_channel_start(chan);
		if (ret) {
			ppu_channel_abandon(chan);
			goto err_chan;
		}
	}

	args->channel_id = id;
	args->hw_channel = chan->chid;
	args->ring_size = (u64)chan->ring_entries * sizeof(struct ppu_gpfifo_entry);
	args->ring_va = chan->ring_map->start;
	ppu_devq_to_user(chan, args);
	trace_ppu_channel_create(chan->chid, vm->context_id, chan->hw_class, chan->ring_entries,
				 chan->user_submit);
	/* From here on another thread may use and destroy the channel. */
	xa_store(&file->channels, id, chan, GFP_KERNEL);
	return 0;

err_chan:
	ppu_channel_undo_setup(chan);
err_id:
	xa_release(&file->channels, id);
	return ret;
}

int ppu_ioctl_channel_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_channel_create *args = data;
	struct ppu_vm *vm;
	bool user;
	int ret;

	ret = ppu_channel_check(ppu, args);
	if (ret)
		return ret;
	user = !ppu_channel_kernel_submit(args);
	args->ring_offset = 0;
	args->userd_offset = 0;
	args->devq_ring_va = 0;
	args->devq_sem_va = 0;
	args->devq_soft_va = 0;
	args->devq_shadow_va = 0;
	args->devq_x_va = 0;
	args->devq_y_va = 0;

	vm = ppu_vm_lookup(file, args->vm_id);
	if (!vm)
		return -ENOENT;
	if (PPU_CHECK(ppu, READ_ONCE(vm->faulted))) {
		ret = -EIO;
		goto out;
	}
	ret = ppu_channel_count(file, user);
	if (ret)
		goto out;
	ret = ppu_channel_create(file, vm, filp, args);
	if (ret)
		ppu_channel_uncount(file, user);
out:
	ppu_vm_put(vm);
	return ret;
}

int ppu_ioctl_channel_destroy(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_channel_destroy *args = data;
	struct ppu_channel *chan;

	if (PPU_CHECK(to_ppu(drm), args->flags))
		return -EINVAL;
	chan = ppu_uobj_take(&file->channels, args->channel_id);
	if (!chan)
		return -ENOENT;
	ppu_channel_destroy(chan);
	return 0;
}
