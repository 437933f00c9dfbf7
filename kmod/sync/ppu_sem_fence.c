// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: bridges between fences and semaphores.
 *
 * Import: when a fence signals, the kernel writes a semaphore and kicks.
 *
 * Export: when a semaphore meets a condition, the kernel puts a fence that has
 * signalled into a syncobj.  Not before: a fence that waits for a semaphore
 * would depend on memory of user space, and might never signal.
 *
 * Fences and watches call in atomic context; the rest is done by a worker.
 */

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>

#include <uapi/drm/ppu_drm.h>

#include "channel/ppu_channel.h"
#include "device/ppu_device.h"
#include "device/ppu_quota.h"
#include "ppu_file.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"
#include "sync/ppu_sw_fence.h"
#include "sync/ppu_sync.h"
#include "sync/ppu_watch.h"

/* What ended an export; negative: an error. */
#define PPU_BRIDGE_PENDING	0
#define PPU_BRIDGE_HOLDS	1

/** struct ppu_bridge - one SEM_IMPORT_FENCE or SEM_EXPORT_FENCE that is not done */
struct ppu_bridge {
	/** @kref: one for the list, one for the ioctl. */
	struct kref kref;
	/** @lock: held while it is set up and while it is done. */
	struct mutex lock;
	/** @link: in ppu_device.bridges; empty: taken out. */
	struct list_head link;
	struct ppu_device *pdev;
	struct ppu_file *file;
	struct ppu_quota *quota;
	struct ppu_sem *sem;
	struct work_struct work;
	bool export;
	/** @op: DRM_PPU_SEM_SIGNAL_* of an import, DRM_PPU_SEM_OP_* of an export. */
	u32 op;
	u64 value;
	/** @fence: that is waited for, or that will be shown. */
	struct dma_fence *fence;

	/* Import. */
	u64 error_value;
	struct dma_fence_cb cb;

	/* Export. */
	struct ppu_signal signal;
	/** @chan: that is to release the word, or NULL. */
	struct ppu_channel *chan;
	struct ppu_watch watch;
	bool watched;
	/** @result: PPU_BRIDGE_* or an error; the first one counts. */
	int result;
	/** @shown: the syncobj has its fence, or is not to get it. */
	bool shown;
};

/* Doing what was asked for */

static void ppu_bridge_unwatch(struct ppu_bridge *b)
{
	if (!b->watched)
		return;
	ppu_watch_del(b->pdev, &b->watch);
	ppu_quota_release(b->quota, DRM_PPU_RES_WATCHES, 1);
	b->watched = false;
}

static void ppu_bridge_import(struct ppu_bridge *b)
{
	/* A timeline's node has no error of its own: what it contains has. */
	u64 value = dma_fence_chain_contained(b->fence)->error ? b->error_value : b->value;
	int idx;

	if (!drm_dev_enter(&b->pdev->drm, &idx))
		return;
	ppu_sem_do_signal(b->sem, b->op, value);
	drm_dev_exit(idx);
}

static bool ppu_bridge_holds(struct ppu_bridge *b)
{
	bool holds;
	int idx;

	if (!drm_dev_enter(&b->pdev->drm, &idx))
		return false;
	holds = ppu_sem_test(b->sem, b->op, b->value);
	drm_dev_exit(idx);
	return holds;
}

static void ppu_bridge_export(struct ppu_bridge *b)
{
	int result = READ_ONCE(b->result);

	ppu_bridge_unwatch(b);
	if (b->shown)
		return;
	/* A channel may release the word and then fail: that may be heard of first. */
	if (result == PPU_BRIDGE_HOLDS || ppu_bridge_holds(b))
		result = 0;
	ppu_sw_fence_signal(b->fence, result);
	ppu_signal_attach(&b->signal, b->fence);
	b->shown = true;
}

static void ppu_bridge_free(struct kref *kref)
{
	struct ppu_bridge *b = container_of(kref, struct ppu_bridge, kref);

	ppu_bridge_unwatch(b);
	if (b->signal.syncobj)
		ppu_signal_fini(&b->signal);
	ppu_channel_put(b->chan);
	ppu_sem_put(b->sem);
	dma_fence_put(b->fence);
	ppu_quota_release(b->quota, DRM_PPU_RES_FENCES, 1);
	ppu_quota_put(b->quota);
	mutex_destroy(&b->lock);
	kfree(b);
}

static void ppu_bridge_put(struct ppu_bridge *b)
{
	kref_put(&b->kref, ppu_bridge_free);
}

/* Takes it off the list, whose reference is dropped by the one who did. */
static void ppu_bridge_unlink(struct ppu_bridge *b)
{
	bool mine;

	spin_lock_irq(&b->pdev->bridges_lock);
	mine = !list_empty(&b->link);
	list_del_init(&b->link);
	spin_unlock_irq(&b->pdev->bridges_lock);
	if (mine)
		ppu_bridge_put(b);
}

static void ppu_bridge_do(struct ppu_bridge *b)
{
	lockdep_assert_held(&b->lock);

	if (b->export)
		ppu_bridge_export(b);
	else
		ppu_bridge_import(b);
}

static void ppu_bridge_work(struct work_struct *work)
{
	struct ppu_bridge *b = container_of(work, struct ppu_bridge, work);

	mutex_lock(&b->lock);
	ppu_bridge_do(b);
	mutex_unlock(&b->lock);
	ppu_bridge_unlink(b);
}

/* Being told */

static void ppu_bridge_fence_cb(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ppu_bridge *b = container_of(cb, struct ppu_bridge, cb);

	queue_work(b->pdev->wq, &b->work);
}

static void ppu_bridge_end(struct ppu_bridge *b, int result)
{
	if (!cmpxchg(&b->result, PPU_BRIDGE_PENDING, result))
		queue_work(b->pdev->wq, &b->work);
}

/* The device saw the condition, or somebody signalled: then look. */
static void ppu_bridge_watch_fn(struct ppu_watch *watch)
{
	struct ppu_bridge *b = container_of(watch, struct ppu_bridge, watch);

	if (watch->matched || ppu_sem_test(b->sem, b->op, b->value))
		ppu_bridge_end(b, PPU_BRIDGE_HOLDS);
}

/**
 * ppu_bridge_fail - exports that wait for something will not get it
 * @pdev: device
 * @chan: channel that stopped; NULL: all
 * @err: negative error
 */
void ppu_bridge_fail(struct ppu_device *pdev, const struct ppu_channel *chan, int err)
{
	struct ppu_bridge *b;
	unsigned long flags;

	spin_lock_irqsave(&pdev->bridges_lock, flags);
	list_for_each_entry(b, &pdev->bridges, link)
		if (b->export && (!chan || b->chan == chan))
			ppu_bridge_end(b, err);
	spin_unlock_irqrestore(&pdev->bridges_lock, flags);
}

/* The end */

static struct ppu_bridge *ppu_bridge_claim_of(struct ppu_file *file, const struct ppu_sem *sem)
{
	struct ppu_device *pdev = file->pdev;
	struct ppu_bridge *b, *found = NULL;

	spin_lock_irq(&pdev->bridges_lock);
	list_for_each_entry(b, &pdev->bridges, link) {
		if (b->file == file && (!sem || b->sem == sem)) {
			found = b;
			list_del_init(&b->link);
			break;
		}
	}
	spin_unlock_irq(&pdev->bridges_lock);
	return found;
}

/**
 * ppu_bridge_cancel - a semaphore is destroyed, or a file is closed
 * @file: open file
 * @sem: semaphore; NULL: all
 *
 * Exports end with an error; imports do nothing.
 */
void ppu_bridge_cancel(struct ppu_file *file, const struct ppu_sem *sem)
{
	struct ppu_bridge *b;

	while ((b = ppu_bridge_claim_of(file, sem))) {
		mutex_lock(&b->lock);
		ppu_bridge_unwatch(b);
		if (!b->export)
			dma_fence_remove_callback(b->fence, &b->cb);
		mutex_unlock(&b->lock);
		/* Nobody starts the worker any more. */
		cancel_work_sync(&b->work);
		cmpxchg(&b->result, PPU_BRIDGE_PENDING, -ECANCELED);
		if (b->export && !b->shown)
			ppu_bridge_export(b);
		ppu_bridge_put(b);
	}
}

/* Ioctls */

/* Takes over the reference to @sem, also on error. */
static struct ppu_bridge *ppu_bridge_create(struct ppu_file *file, struct ppu_sem *sem, u32 op,
					    u64 value)
{
	struct ppu_bridge *b;
	int ret;

	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_FENCES, 1);
	if (ret)
		goto err_sem;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b) {
		ret = -ENOMEM;
		goto err_quota;
	}
	kref_init(&b->kref);
	mutex_init(&b->lock);
	INIT_LIST_HEAD(&b->link);
	INIT_LIST_HEAD(&b->cb.node);
	INIT_WORK(&b->work, ppu_bridge_work);
	b->pdev = file->pdev;
	b->file = file;
	b->quota = ppu_quota_get(file->quota);
	b->sem = sem;
	b->op = op;
	b->value = value;
	return b;

err_quota:
	ppu_quota_release(file->quota, DRM_PPU_RES_FENCES, 1);
err_sem:
	ppu_sem_put(sem);
	return ERR_PTR(ret);
}

/* From here on ppu_bridge_cancel() finds it. */
static int ppu_bridge_link(struct ppu_bridge *b)
{
	int ret = 0;

	spin_lock_irq(&b->pdev->bridges_lock);
	if (READ_ONCE(b->sem->dead))
		ret = -ENOENT;
	else
		list_add_tail(&b->link, &b->pdev->bridges);
	if (!ret)
		kref_get(&b->kref);
	spin_unlock_irq(&b->pdev->bridges_lock);
	return ret;
}

static int ppu_bridge_start_import(struct ppu_bridge *b)
{
	bool done = false;
	int ret;

	mutex_lock(&b->lock);
	ret = ppu_bridge_link(b);
	if (!ret && dma_fence_add_callback(b->fence, &b->cb, ppu_bridge_fence_cb)) {
		/* It has signalled already. */
		ppu_bridge_do(b);
		done = true;
	}
	mutex_unlock(&b->lock);
	if (done)
		ppu_bridge_unlink(b);
	return ret;
}

static int ppu_bridge_check_import(struct ppu_device *pdev,
				   const struct drm_ppu_sem_import_fence *args)
{
	if (PPU_CHECK(pdev, args->op >= DRM_PPU_SEM_SIGNAL_KICK) ||
	    PPU_CHECK(pdev, args->sync.flags & DRM_PPU_SYNC_SIGNAL))
		return -EINVAL;
	return ppu_sync_check(pdev, &args->sync);
}

int ppu_ioctl_sem_import_fence(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_sem_import_fence *args = data;
	struct ppu_device *pdev = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct ppu_bridge *b;
	struct ppu_sem *sem;
	int ret;

	ret = ppu_bridge_check_import(pdev, args);
	if (ret)
		return ret;
	sem = ppu_sem_lookup(file, args->sem_id);
	if (!sem)
		return -ENOENT;
	if (PPU_CHECK(pdev, sem->is32 && max(args->value, args->error_value) > U32_MAX)) {
		ppu_sem_put(sem);
		return -EINVAL;
	}
	b = ppu_bridge_create(file, sem, args->op, args->value);
	if (IS_ERR(b))
		return PTR_ERR(b);
	b->error_value = args->error_value;
	ret = drm_syncobj_find_fence(filp, args->sync.handle, args->sync.point, 0, &b->fence);
	if (!ret)
		ret = ppu_bridge_start_import(b);
	ppu_bridge_put(b);
	return ret;
}

/* Arms the watch, which looks at once. */
static int ppu_bridge_watch(struct ppu_bridge *b)
{
	int ret = ppu_quota_charge(b->quota, DRM_PPU_RES_WATCHES, 1);

	if (ret)
		return ret;
	b->watch.fn = ppu_bridge_watch_fn;
	b->watched = true;
	ppu_watch_add(b->pdev, &b->watch, b->sem->addr, b->op, b->value, b->sem->is32);
	return b->watch.index < 0 ? -ENOSPC : 0;
}

/* It is linked: from now on any error reaches it.  1: done; 0: pending; or an error. */
static int ppu_bridge_arm_export(struct ppu_bridge *b)
{
	int idx, ret;

	lockdep_assert_held(&b->lock);

	if (!drm_dev_enter(&b->pdev->drm, &idx))
		return -ENODEV;
	if (ppu_sem_test(b->sem, b->op, b->value)) {
		b->result = PPU_BRIDGE_HOLDS;
		ppu_bridge_do(b);
		ret = 1;
	} else {
		ret = ppu_bridge_watch(b);
		if (!ret && b->chan && READ_ONCE(b->chan->dead))
			ppu_bridge_end(b, -EIO);
	}
	drm_dev_exit(idx);
	return ret;
}

static int ppu_bridge_start_export(struct ppu_bridge *b)
{
	bool linked;
	int ret;

	mutex_lock(&b->lock);
	ret = ppu_bridge_link(b);
	linked = !ret;
	if (linked)
		ret = ppu_bridge_arm_export(b);
	/* What is refused must not be done by anybody. */
	if (ret < 0) {
		ppu_bridge_unwatch(b);
		b->shown = true;
	}
	mutex_unlock(&b->lock);
	if (linked && ret) {
		ppu_bridge_unlink(b);
		cancel_work_sync(&b->work);
	}
	return min(ret, 0);
}

static int ppu_bridge_get_export(struct ppu_bridge *b, struct drm_file *filp,
				 const struct drm_ppu_sem_export_fence *args)
{
	b->export = true;
	if (args->channel_id) {
		b->chan = ppu_channel_lookup(b->file, args->channel_id);
		if (!b->chan)
			return -ENOENT;
	}
	b->fence = ppu_sw_fence_create("ppu-sem", dma_fence_context_alloc(1), 1);
	if (!b->fence)
		return -ENOMEM;
	return ppu_signal_init(&b->signal, filp, &args->sync);
}

int ppu_ioctl_sem_export_fence(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_sem_export_fence *args = data;
	struct ppu_device *pdev = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct ppu_bridge *b;
	struct ppu_sem *sem;
	int ret;

	if (PPU_CHECK(pdev, args->pad) ||
	    PPU_CHECK(pdev, !(args->sync.flags & DRM_PPU_SYNC_SIGNAL)))
		return -EINVAL;
	ret = ppu_sync_check(pdev, &args->sync);
	if (ret)
		return ret;
	sem = ppu_sem_lookup(file, args->sem_id);
	if (!sem)
		return -ENOENT;
	if (PPU_CHECK(pdev, !ppu_sem_op_valid(sem, args->op, args->value))) {
		ppu_sem_put(sem);
		return -EINVAL;
	}
	b = ppu_bridge_create(file, sem, args->op, args->value);
	if (IS_ERR(b))
		return PTR_ERR(b);
	ret = ppu_bridge_get_export(b, filp, args);
	if (!ret)
		ret = ppu_bridge_start_export(b);
	ppu_bridge_put(b);
	return ret;
}
