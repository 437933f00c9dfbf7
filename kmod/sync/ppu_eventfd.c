// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: events that signal an eventfd.
 */

#include <linux/eventfd.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "base/ppu_uobj.h"
#include "channel/ppu_channel.h"
#include "fence/ppu_watch.h"
#include "memory/ppu_vm.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"

/** struct ppu_eventfd - one registration */
struct ppu_eventfd {
	struct ppu_device *ppu;
	struct ppu_file *file;
	/** @link: in ppu_device.events; empty: taken out. */
	struct list_head link;
	u32 type;
	bool oneshot;
	bool fired;
	/** @object: channel, VM or semaphore; compared, and held by a reference. */
	void *object;
	struct eventfd_ctx *ctx;
	/* SEM */
	struct ppu_watch watch;
	bool watched;
	u32 op;
	u64 value;
};

/* Under events_lock, or the lock of the watch table for SEM. */
static void ppu_eventfd_fire(struct ppu_eventfd *ev)
{
	if (ev->oneshot && ev->fired)
		return;
	ev->fired = true;
	eventfd_signal(ev->ctx);
}

/* The device saw the condition hold (@matched), or the word was signalled: then look at it. */
static void ppu_eventfd_watch_fn(struct ppu_watch *watch)
{
	struct ppu_eventfd *ev = container_of(watch, struct ppu_eventfd, watch);

	if (watch->matched || ppu_sem_test(ev->object, ev->op, ev->value))
		ppu_eventfd_fire(ev);
}

/**
 * ppu_eventfd_notify - something happened
 * @ppu: device
 * @type: DRM_PPU_EVENT_*, not SEM
 * @object: channel or VM; NULL: of the device
 */
void ppu_eventfd_notify(struct ppu_device *ppu, u32 type, const void *object)
{
	struct ppu_eventfd *ev;
	unsigned long flags;

	spin_lock_irqsave(&ppu->events_lock, flags);
	list_for_each_entry(ev, &ppu->events, link)
		if (ev->type == type && ev->object == object)
			ppu_eventfd_fire(ev);
	spin_unlock_irqrestore(&ppu->events_lock, flags);
}

static void ppu_eventfd_put_object(u32 type, void *object)
{
	if (!object)
		return;
	switch (type) {
	case DRM_PPU_EVENT_SEM:
		ppu_sem_put(object);
		break;
	case DRM_PPU_EVENT_CHANNEL_ERROR:
	case DRM_PPU_EVENT_CHANNEL_INTR:
		ppu_channel_put(object);
		break;
	case DRM_PPU_EVENT_VM_FAULT:
		ppu_vm_put(object);
		break;
	}
}

/* The registration is in no table any more.  Whoever made it releases its charge. */
static void ppu_eventfd_destroy(struct ppu_eventfd *ev)
{
	struct ppu_device *ppu = ev->ppu;
	unsigned long flags;

	spin_lock_irqsave(&ppu->events_lock, flags);
	list_del_init(&ev->link);
	spin_unlock_irqrestore(&ppu->events_lock, flags);
	if (ev->watched) {
		ppu_watch_del(ppu, &ev->watch);
		ppu_quota_release(ev->file->quota, DRM_PPU_RES_WATCHES, 1);
	}
	ppu_eventfd_put_object(ev->type, ev->object);
	eventfd_ctx_put(ev->ctx);
	kfree(ev);
}

static void ppu_eventfd_free(struct ppu_eventfd *ev)
{
	struct ppu_file *file = ev->file;

	ppu_eventfd_destroy(ev);
	ppu_quota_release(file->quota, DRM_PPU_RES_EVENTS, 1);
}

/**
 * ppu_eventfd_drop_object - an object is destroyed: drop its registrations
 * @file: open file
 * @object: channel, VM or semaphore
 */
void ppu_eventfd_drop_object(struct ppu_file *file, const void *object)
{
	struct ppu_eventfd *ev, *found;
	unsigned long id;

	do {
		found = NULL;
		xa_lock(&file->events);
		xa_for_each(&file->events, id, ev) {
			if (ev->object == object) {
				found = ev;
				__xa_erase(&file->events, id);
				break;
			}
		}
		xa_unlock(&file->events);
		if (found)
			ppu_eventfd_free(found);
	} while (found);
}

/** ppu_eventfd_close_all - the file is closed */
void ppu_eventfd_close_all(struct ppu_file *file)
{
	struct ppu_eventfd *ev;
	unsigned long id;

	xa_for_each(&file->events, id, ev) {
		xa_erase(&file->events, id);
		ppu_eventfd_free(ev);
	}
}

static void *ppu_eventfd_get_object(struct ppu_file *file, u32 type, u32 id)
{
	switch (type) {
	case DRM_PPU_EVENT_SEM:
		return ppu_sem_lookup(file, id);
	case DRM_PPU_EVENT_CHANNEL_ERROR:
	case DRM_PPU_EVENT_CHANNEL_INTR:
		return ppu_channel_lookup(file, id);
	case DRM_PPU_EVENT_VM_FAULT:
		return ppu_vm_lookup(file, id);
	default:
		return NULL;
	}
}

static int ppu_eventfd_watch(struct ppu_eventfd *ev)
{
	struct ppu_device *ppu = ev->ppu;
	struct ppu_sem *sem = ev->object;
	int idx, ret = -ENOSPC;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	if (ppu_quota_charge(ev->file->quota, DRM_PPU_RES_WATCHES, 1))
		goto out;
	ev->watch.fn = ppu_eventfd_watch_fn;
	ppu_watch_add(ppu, &ev->watch, sem->addr, ev->op, ev->value, sem->is32);
	if (ev->watch.index < 0) {
		ppu_watch_del(ppu, &ev->watch);
		ppu_quota_release(ev->file->quota, DRM_PPU_RES_WATCHES, 1);
		goto out;
	}
	ev->watched = true;
	ret = 0;
out:
	ppu_exit(ppu, idx);
	return ret;
}

/* Registers the event with whatever tells it to fire.  Fires now if its cause came before. */
static int ppu_eventfd_start(struct ppu_eventfd *ev)
{
	struct ppu_device *ppu = ev->ppu;
	unsigned long flags;

	if (ev->type == DRM_PPU_EVENT_SEM)
		return ppu_eventfd_watch(ev);

	spin_lock_irqsave(&ppu->events_lock, flags);
	list_add_tail(&ev->link, &ppu->events);
	if (ev->type == DRM_PPU_EVENT_CHANNEL_ERROR &&
	    READ_ONCE(((struct ppu_channel *)ev->object)->dead))
		ppu_eventfd_fire(ev);
	spin_unlock_irqrestore(&ppu->events_lock, flags);
	return 0;
}

static int ppu_eventfd_check(struct ppu_device *ppu, const struct drm_ppu_event_register *args)
{
	bool oneshot = args->flags & DRM_PPU_EVENT_ONESHOT;

	if (PPU_CHECK(ppu, args->type > DRM_PPU_EVENT_CHANNEL_INTR) ||
	    PPU_CHECK(ppu, args->flags & ~DRM_PPU_EVENT_ONESHOT))
		return -EINVAL;
	if (args->type != DRM_PPU_EVENT_SEM &&
	    (PPU_CHECK(ppu, args->op) || PPU_CHECK(ppu, args->value)))
		return -EINVAL;
	if (PPU_CHECK(ppu, args->type <= DRM_PPU_EVENT_CHANNEL_ERROR && !oneshot))
		return -EINVAL;
	if (PPU_CHECK(ppu, args->type == DRM_PPU_EVENT_DEVICE_RESET && args->object_id))
		return -EINVAL;
	return 0;
}

/* Does the object still have its id?  @object is only compared. */
static bool ppu_eventfd_object_lives(struct ppu_file *file, u32 type, u32 id, const void *object)
{
	void *now = ppu_eventfd_get_object(file, type, id);

	ppu_eventfd_put_object(type, now);
	return now == object;
}

static int ppu_eventfd_register(struct ppu_device *ppu, struct ppu_file *file,
				struct drm_ppu_event_register *args)
{
	struct ppu_eventfd *ev = kzalloc(sizeof(*ev), GFP_KERNEL_ACCOUNT);
	const void *object;
	u32 id;
	int ret;

	if (!ev)
		return -ENOMEM;
	ev->ppu = ppu;
	ev->file = file;
	ev->type = args->type;
	ev->oneshot = args->flags & DRM_PPU_EVENT_ONESHOT;
	ev->op = args->op;
	ev->value = args->value;
	INIT_LIST_HEAD(&ev->link);

	ev->ctx = eventfd_ctx_fdget(args->eventfd);
	if (IS_ERR(ev->ctx)) {
		ret = PTR_ERR(ev->ctx) == -EINVAL ? -EBADF : PTR_ERR(ev->ctx);
		goto err_free;
	}
	if (args->type != DRM_PPU_EVENT_DEVICE_RESET) {
		ev->object = ppu_eventfd_get_object(file, args->type, args->object_id);
		if (!ev->object) {
			ret = -ENOENT;
			goto err_ctx;
		}
	}
	if (args->type == DRM_PPU_EVENT_SEM &&
	    PPU_CHECK(ppu, !ppu_sem_op_valid(ev->object, ev->op, ev->value))) {
		ret = -EINVAL;
		goto err_object;
	}

	/* Reserve the id first: once user space knows it, it may be unregistered. */
	ret = xa_alloc(&file->events, &id, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret)
		goto err_object;
	ret = ppu_eventfd_start(ev);
	if (ret)
		goto err_id;
	args->event_id = id;
	object = ev->object;
	/* From here on another thread may unregister the event. */
	xa_store(&file->events, id, ev, GFP_KERNEL);
	/* Who destroys an object takes its id, then drops what is stored here: or came too late. */
	if (ppu_eventfd_object_lives(file, args->type, args->object_id, object) ||
	    xa_cmpxchg(&file->events, id, ev, NULL, GFP_KERNEL) != ev)
		return 0;
	ppu_eventfd_destroy(ev);
	return -ENOENT;

err_id:
	xa_release(&file->events, id);
err_object:
	ppu_eventfd_put_object(ev->type, ev->object);
err_ctx:
	eventfd_ctx_put(ev->ctx);
err_free:
	kfree(ev);
	return ret;
}

int ppu_ioctl_event_register(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_event_register *args = data;
	int ret;

	ret = ppu_eventfd_check(ppu, args);
	if (ret)
		return ret;
	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_EVENTS, 1);
	if (ret)
		return ret;
	ret = ppu_eventfd_register(ppu, file, args);
	if (ret)
		ppu_quota_release(file->quota, DRM_PPU_RES_EVENTS, 1);
	return ret;
}

int ppu_ioctl_event_unregister(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_event_unregister *args = data;
	struct ppu_eventfd *ev;

	if (PPU_CHECK(to_ppu(drm), args->pad))
		return -EINVAL;
	ev = ppu_uobj_take(&file->events, args->event_id);
	if (!ev)
		return -ENOENT;
	ppu_eventfd_free(ev);
	return 0;
}
