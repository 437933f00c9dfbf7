// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fences and semaphores that wait for each other.
 *
 * Import: when a fence signals, the kernel writes a semaphore and kicks.
 *
 * Export: when a semaphore meets a condition, the kernel puts a fence that has signalled into a
 * syncobj.  The fence is not put there earlier: a fence that waits for a semaphore would depend on
 * memory of user space, and might never signal.
 *
 * Fences and watches call in atomic context, so a worker does the rest.
 */

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "channel/ppu_channel.h"
#include "fence/ppu_sw_fence.h"
#include "fence/ppu_syncobj.h"
#include "fence/ppu_watch.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

/* What ended an export; negative: an error. */
#define PPU_SEM_FENCE_PENDING	0
#define PPU_SEM_FENCE_HOLDS	1

/** struct ppu_sem_fence - one SEM_IMPORT_FENCE or SEM_EXPORT_FENCE that is not done */
struct ppu_sem_fence {
	/** @kref: one reference for the list, one for the ioctl. */
	struct kref kref;
	/** @lock: held during set-up, and while the worker acts. */
	struct mutex lock;
	/** @link: in ppu_device.sem_fences; empty: taken out. */
	struct list_head link;
	struct ppu_device *ppu;
	struct ppu_file *file;
	struct ppu_quota *quota;
	struct ppu_sem *sem;
	struct work_struct work;
	bool export;
	/** @op: DRM_PPU_SEM_SIGNAL_* of an import, DRM_PPU_SEM_OP_* of an export. */
	u32 op;
	u64 value;
	/** @fence: the one that is waited for, or that will be put into the syncobj. */
	struct dma_fence *fence;

	/* Import. */
	u64 error_value;
	struct dma_fence_cb cb;

	/* Export. */
	struct ppu_signal signal;
	/** @chan: channel that is to release the word, or NULL. */
	struct ppu_channel *chan;
	struct ppu_watch watch;
	bool watched;
	/** @result: PPU_SEM_FENCE_* or an error; the first one counts. */
	int result;
	/** @shown: the syncobj has its fence, or is not to get it. */
	bool shown;
};

/* Doing what was asked for */

static void ppu_sem_fence_unwatch(struct ppu_sem_fence *sf)
{
	if (!sf->watched)
		return;
	ppu_watch_del(sf->ppu, &sf->watch);
	ppu_quota_release(sf->quota, DRM_PPU_RES_WATCHES, 1);
	sf->watched = false;
}

static void ppu_sem_fence_import(struct ppu_sem_fence *sf)
{
	/* A node of a timeline has no error of its own: take that of the fence it contains. */
	u64 value = dma_fence_chain_contained(sf->fence)->error ? sf->error_value : sf->value;
	int idx;

	if (!ppu_enter(sf->ppu, &idx))
		return;
	ppu_sem_do_signal(sf->sem, sf->op, value);
	ppu_exit(sf->ppu, idx);
}

static bool ppu_sem_fence_holds(struct ppu_sem_fence *sf)
{
	bool holds;
	int idx;

	if (!ppu_enter(sf->ppu, &idx))
		return false;
	holds = ppu_sem_test(sf->sem, sf->op, sf->value);
	ppu_exit(sf->ppu, idx);
	return holds;
}

static void ppu_sem_fence_export(struct ppu_sem_fence *sf)
{
	int result = READ_ONCE(sf->result);

	ppu_sem_fence_unwatch(sf);
	if (sf->shown)
		return;
	/* A channel may release the word and then fail, and the failure may be noticed first. */
	if (result == PPU_SEM_FENCE_HOLDS || ppu_sem_fence_holds(sf))
		result = 0;
	ppu_sw_fence_signal(sf->fence, result);
	ppu_signal_attach(&sf->signal, sf->fence);
	sf->shown = true;
}

static void ppu_sem_fence_free(struct kref *kref)
{
	struct ppu_sem_fence *sf = container_of(kref, struct ppu_sem_fence, kref);

	ppu_sem_fence_unwatch(sf);
	if (sf->signal.syncobj)
		ppu_signal_fini(&sf->signal);
	ppu_channel_put(sf->chan);
	ppu_sem_put(sf->sem);
	dma_fence_put(sf->fence);
	ppu_quota_release(sf->quota, DRM_PPU_RES_FENCES, 1);
	ppu_quota_put(sf->quota);
	mutex_destroy(&sf->lock);
	kfree(sf);
}

static void ppu_sem_fence_put(struct ppu_sem_fence *sf)
{
	kref_put(&sf->kref, ppu_sem_fence_free);
}

/* Takes @sf off the list.  Whoever does this drops the list's reference. */
static void ppu_sem_fence_unlink(struct ppu_sem_fence *sf)
{
	bool mine;

	spin_lock_irq(&sf->ppu->sem_fences_lock);
	mine = !list_empty(&sf->link);
	list_del_init(&sf->link);
	spin_unlock_irq(&sf->ppu->sem_fences_lock);
	if (mine)
		ppu_sem_fence_put(sf);
}

static void ppu_sem_fence_do(struct ppu_sem_fence *sf)
{
	lockdep_assert_held(&sf->lock);

	if (sf->export)
		ppu_sem_fence_export(sf);
	else
		ppu_sem_fence_import(sf);
}

static void ppu_sem_fence_work(struct work_struct *work)
{
	struct ppu_sem_fence *sf = container_of(work, struct ppu_sem_fence, work);

	mutex_lock(&sf->lock);
	ppu_sem_fence_do(sf);
	mutex_unlock(&sf->lock);
	ppu_sem_fence_unlink(sf);
}

/* Being told */

static void ppu_sem_fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ppu_sem_fence *sf = container_of(cb, struct ppu_sem_fence, cb);

	queue_work(sf->ppu->wq, &sf->work);
}

static void ppu_sem_fence_end(struct ppu_sem_fence *sf, int result)
{
	if (!cmpxchg(&sf->result, PPU_SEM_FENCE_PENDING, result))
		queue_work(sf->ppu->wq, &sf->work);
}

/* The device saw the condition hold (@matched), or the word was signalled: then look at it. */
static void ppu_sem_fence_watch_fn(struct ppu_watch *watch)
{
	struct ppu_sem_fence *sf = container_of(watch, struct ppu_sem_fence, watch);

	if (watch->matched || ppu_sem_test(sf->sem, sf->op, sf->value))
		ppu_sem_fence_end(sf, PPU_SEM_FENCE_HOLDS);
}

/**
 * ppu_sem_fence_fail - exports that wait for something will not get it
 * @ppu: device
 * @chan: channel that stopped; NULL: all
 * @err: negative error
 */
void ppu_sem_fence_fail(struct ppu_device *ppu, const struct ppu_channel *chan, int err)
{
	struct ppu_sem_fence *sf;
	unsigned long flags;

	spin_lock_irqsave(&ppu->sem_fences_lock, flags);
	list_for_each_entry(sf, &ppu->sem_fences, link)
		if (sf->export && (!chan || sf->chan == chan))
			ppu_sem_fence_end(sf, err);
	spin_unlock_irqrestore(&ppu->sem_fences_lock, flags);
}

/* The end */

static struct ppu_sem_fence *ppu_sem_fence_claim(struct ppu_file *file, const struct ppu_sem *sem)
{
	struct ppu_device *ppu = file->ppu;
	struct ppu_sem_fence *sf, *found = NULL;

	spin_lock_irq(&ppu->sem_fences_lock);
	list_for_each_entry(sf, &ppu->sem_fences, link) {
		if (sf->file == file && (!sem || sf->sem == sem)) {
			found = sf;
			list_del_init(&sf->link);
			break;
		}
	}
	spin_unlock_irq(&ppu->sem_fences_lock);
	return found;
}

/**
 * ppu_sem_fence_cancel - a semaphore is destroyed, or a file is closed
 * @file: open file
 * @sem: semaphore; NULL: all
 *
 * Exports end with an error; imports do nothing.
 */
void ppu_sem_fence_cancel(struct ppu_file *file, const struct ppu_sem *sem)
{
	struct ppu_sem_fence *sf;

	while ((sf = ppu_sem_fence_claim(file, sem))) {
		mutex_lock(&sf->lock);
		ppu_sem_fence_unwatch(sf);
		if (!sf->export)
			dma_fence_remove_callback(sf->fence, &sf->cb);
		mutex_unlock(&sf->lock);
		/* From here on nobody starts the worker. */
		cancel_work_sync(&sf->work);
		cmpxchg(&sf->result, PPU_SEM_FENCE_PENDING, -ECANCELED);
		if (sf->export && !sf->shown)
			ppu_sem_fence_export(sf);
		ppu_sem_fence_put(sf);
	}
}

/* Ioctls */

/* Takes over the reference to @sem, also on error. */
static struct ppu_sem_fence *ppu_sem_fence_create(struct ppu_file *file, struct ppu_sem *sem,
						  u32 op, u64 value)
{
	struct ppu_sem_fence *sf;
	int ret;

	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_FENCES, 1);
	if (ret)
		goto err_sem;
	sf = kzalloc(sizeof(*sf), GFP_KERNEL_ACCOUNT);
	if (!sf) {
		ret = -ENOMEM;
		goto err_quota;
	}
	kref_init(&sf->kref);
	mutex_init(&sf->lock);
	INIT_LIST_HEAD(&sf->link);
	INIT_LIST_HEAD(&sf->cb.node);
	INIT_WORK(&sf->work, ppu_sem_fence_work);
	sf->ppu = file->ppu;
	sf->file = file;
	sf->quota = ppu_quota_get(file->quota);
	sf->sem = sem;
	sf->op = op;
	sf->value = value;
	return sf;

err_quota:
	ppu_quota_release(file->quota, DRM_PPU_RES_FENCES, 1);
err_sem:
	ppu_sem_put(sem);
	return ERR_PTR(ret);
}

/* From here on ppu_sem_fence_cancel() finds it. */
static int ppu_sem_fence_link(struct ppu_sem_fence *sf)
{
	int ret = 0;

	spin_lock_irq(&sf->ppu->sem_fences_lock);
	if (READ_ONCE(sf->sem->dead))
		ret = -ENOENT;
	else
		list_add_tail(&sf->link, &sf->ppu->sem_fences);
	if (!ret)
		kref_get(&sf->kref);
	spin_unlock_irq(&sf->ppu->sem_fences_lock);
	return ret;
}

static int ppu_sem_fence_start_import(struct ppu_sem_fence *sf)
{
	bool done = false;
	int ret;

	mutex_lock(&sf->lock);
	ret = ppu_sem_fence_link(sf);
	if (!ret && dma_fence_add_callback(sf->fence, &sf->cb, ppu_sem_fence_signalled)) {
		/* The fence has signalled already. */
		ppu_sem_fence_do(sf);
		done = true;
	}
	mutex_unlock(&sf->lock);
	if (done)
		ppu_sem_fence_unlink(sf);
	return ret;
}

static int ppu_sem_fence_check_import(struct ppu_device *ppu,
				      const struct drm_ppu_sem_import_fence *args)
{
	if (PPU_CHECK(ppu, args->op >= DRM_PPU_SEM_SIGNAL_KICK) ||
	    PPU_CHECK(ppu, args->sync.flags & ~DRM_PPU_SYNC_TYPE_MASK))
		return -EINVAL;
	return ppu_sync_check(ppu, &args->sync);
}

int ppu_ioctl_sem_import_fence(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_sem_import_fence *args = data;
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct ppu_sem_fence *sf;
	struct ppu_sem *sem;
	int ret;

	ret = ppu_sem_fence_check_import(ppu, args);
	if (ret)
		return ret;
	sem = ppu_sem_lookup(file, args->sem_id);
	if (!sem)
		return -ENOENT;
	if (PPU_CHECK(ppu, sem->is32 && max(args->value, args->error_value) > U32_MAX)) {
		ppu_sem_put(sem);
		return -EINVAL;
	}
	sf = ppu_sem_fence_create(file, sem, args->op, args->value);
	if (IS_ERR(sf))
		return PTR_ERR(sf);
	sf->error_value = args->error_value;
	ret = drm_syncobj_find_fence(filp, args->sync.handle, args->sync.point, 0, &sf->fence);
	if (!ret)
		ret = ppu_sem_fence_start_import(sf);
	ppu_sem_fence_put(sf);
	return ret;
}

/* Arms the watch, which looks at once. */
static int ppu_sem_fence_watch(struct ppu_sem_fence *sf)
{
	int ret = ppu_quota_charge(sf->quota, DRM_PPU_RES_WATCHES, 1);

	if (ret)
		return ret;
	sf->watch.fn = ppu_sem_fence_watch_fn;
	sf->watched = true;
	ppu_watch_add(sf->ppu, &sf->watch, sf->sem->addr, sf->op, sf->value, sf->sem->is32);
	return sf->watch.index < 0 ? -ENOSPC : 0;
}

/* @sf is linked, so any error reaches it from now on. 1: done; 0: pending; or an error. */
static int ppu_sem_fence_arm_export(struct ppu_sem_fence *sf)
{
	int idx, ret;

	lockdep_assert_held(&sf->lock);

	if (!ppu_enter(sf->ppu, &idx))
		return -ENODEV;
	if (ppu_sem_test(sf->sem, sf->op, sf->value)) {
		sf->result = PPU_SEM_FENCE_HOLDS;
		ppu_sem_fence_do(sf);
		ret = 1;
	} else {
		ret = ppu_sem_fence_watch(sf);
		if (!ret && sf->chan && READ_ONCE(sf->chan->dead))
			ppu_sem_fence_end(sf, -EIO);
	}
	ppu_exit(sf->ppu, idx);
	return ret;
}

static int ppu_sem_fence_start_export(struct ppu_sem_fence *sf)
{
	bool linked;
	int ret;

	mutex_lock(&sf->lock);
	ret = ppu_sem_fence_link(sf);
	linked = !ret;
	if (linked)
		ret = ppu_sem_fence_arm_export(sf);
	/* An export that is refused must not be done by anybody. */
	if (ret < 0) {
		ppu_sem_fence_unwatch(sf);
		sf->shown = true;
	}
	mutex_unlock(&sf->lock);
	if (linked && ret) {
		ppu_sem_fence_unlink(sf);
		cancel_work_sync(&sf->work);
	}
	return min(ret, 0);
}

static int ppu_sem_fence_get_export(struct ppu_sem_fence *sf, struct drm_file *filp,
				    const struct drm_ppu_sem_export_fence *args)
{
	sf->export = true;
	if (args->channel_id) {
		sf->chan = ppu_channel_lookup(sf->file, args->channel_id);
		if (!sf->chan)
			return -ENOENT;
	}
	sf->fence = ppu_sw_fence_create("ppu-sem", dma_fence_context_alloc(1), 1);
	if (!sf->fence)
		return -ENOMEM;
	return ppu_signal_init(&sf->signal, filp, &args->sync);
}

int ppu_ioctl_sem_export_fence(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_sem_export_fence *args = data;
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct ppu_sem_fence *sf;
	struct ppu_sem *sem;
	int ret;

	if (PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, !(args->sync.flags & DRM_PPU_SYNC_SIGNAL)))
		return -EINVAL;
	ret = ppu_sync_check(ppu, &args->sync);
	if (ret)
		return ret;
	sem = ppu_sem_lookup(file, args->sem_id);
	if (!sem)
		return -ENOENT;
	if (PPU_CHECK(ppu, !ppu_sem_op_valid(sem, args->op, args->value))) {
		ppu_sem_put(sem);
		return -EINVAL;
	}
	sf = ppu_sem_fence_create(file, sem, args->op, args->value);
	if (IS_ERR(sf))
		return PTR_ERR(sf);
	ret = ppu_sem_fence_get_export(sf, filp, args);
	if (!ret)
		ret = ppu_sem_fence_start_export(sf);
	ppu_sem_fence_put(sf);
	return ret;
}
