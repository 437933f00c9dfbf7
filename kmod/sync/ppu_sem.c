// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: semaphore objects.
 *
 * A semaphore is a word of a buffer object; the driver keeps no copy of its value.  Waits sleep
 * until the device's watch table, SEM_SIGNAL, or an error wakes them, and then look at the word
 * again.
 */

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "base/ppu_uobj.h"
#include "channel/ppu_channel.h"
#include "fence/ppu_watch.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_vm.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

/* A wait without an entry of the watch table has to look at the word now and then. */
#define PPU_SEM_POLL_NS		NSEC_PER_MSEC

static_assert(DRM_PPU_SEM_OP_EQ == PPU_SEM_OP_EQ);
static_assert(DRM_PPU_SEM_OP_GE == PPU_SEM_OP_GE);
static_assert(DRM_PPU_SEM_OP_ZERO == PPU_SEM_OP_ZERO);
static_assert(DRM_PPU_SEM_OP_NE == PPU_SEM_OP_NE);
static_assert(DRM_PPU_SEM_OP_CIRC_GE == PPU_SEM_OP_CIRC_GE);
static_assert(DRM_PPU_SEM_OP_ANYBIT == PPU_SEM_OP_ANYBIT);

/* The word */

/* VRAM behaves like memory: loads, stores and locked operations work on it. */
static void *ppu_sem_word(const struct ppu_sem *sem)
{
	struct ppu_device *ppu = sem->file->ppu;

	if (sem->vaddr)
		return sem->vaddr;
	return (void __force *)(ppu->vram_io + (sem->addr & ~PPU_APERTURE_MASK));
}

static u64 ppu_sem_load(const struct ppu_sem *sem)
{
	void *p = ppu_sem_word(sem);

	if (sem->is32) {
		/* Acquire: a reader of the value also sees what was written before the value. */
		return smp_load_acquire((u32 *)p);
	}
	/* As above. */
	return smp_load_acquire((u64 *)p);
}

static u64 ppu_sem_new_value(u32 op, u64 old, u64 value)
{
	switch (op) {
	case DRM_PPU_SEM_SIGNAL_ADD:
		return old + value;
	case DRM_PPU_SEM_SIGNAL_MAX:
		return max(old, value);
	default:
		return value;
	}
}

static u32 ppu_sem_update32(u32 *p, u32 op, u32 value)
{
	u32 old = READ_ONCE(*p);

	while (!try_cmpxchg(p, &old, (u32)ppu_sem_new_value(op, old, value)))
		;
	return old;
}

static u64 ppu_sem_update64(u64 *p, u32 op, u64 value)
{
	u64 old = READ_ONCE(*p);

	while (!try_cmpxchg64(p, &old, ppu_sem_new_value(op, old, value)))
		;
	return old;
}

/* Updates the word, atomically also with respect to the GPU.  Returns the old value. */
static u64 ppu_sem_update(const struct ppu_sem *sem, u32 op, u64 value)
{
	void *p = ppu_sem_word(sem);

	return sem->is32 ? ppu_sem_update32(p, op, value) : ppu_sem_update64(p, op, value);
}

static bool ppu_sem_compare(u32 op, u64 word, u64 value, bool is32)
{
	switch (op) {
	case DRM_PPU_SEM_OP_EQ:
		return word == value;
	case DRM_PPU_SEM_OP_GE:
		return word >= value;
	case DRM_PPU_SEM_OP_ZERO:
		return !word;
	case DRM_PPU_SEM_OP_NE:
		return word != value;
	case DRM_PPU_SEM_OP_CIRC_GE:
		if (is32)
			return (s32)((u32)word - (u32)value) >= 0;
		return (s64)(word - value) >= 0;
	case DRM_PPU_SEM_OP_ANYBIT:
		return word & value;
	default:
		return false;
	}
}

/** ppu_sem_test - does the condition hold now?  The device is entered. */
bool ppu_sem_test(const struct ppu_sem *sem, u32 op, u64 value)
{
	return ppu_sem_compare(op, ppu_sem_load(sem), value, sem->is32);
}

/** ppu_sem_op_valid - can this be waited for? */
bool ppu_sem_op_valid(const struct ppu_sem *sem, u32 op, u64 value)
{
	if (op > DRM_PPU_SEM_OP_ANYBIT)
		return false;
	if (op == DRM_PPU_SEM_OP_ZERO && value)
		return false;
	return !sem->is32 || value <= U32_MAX;
}

/* Life */

static void ppu_sem_free(struct kref *kref)
{
	struct ppu_sem *sem = container_of(kref, struct ppu_sem, kref);

	ppu_bo_unmap_page(sem->vaddr, sem->vmapped);
	atomic_dec(&sem->bo->num_sems);
	ppu_bo_unpin(sem->bo);
	ppu_bo_put(sem->bo);
	kfree(sem);
}

/** ppu_sem_put - drop a reference; NULL is fine */
void ppu_sem_put(struct ppu_sem *sem)
{
	if (sem)
		kref_put(&sem->kref, ppu_sem_free);
}

/** ppu_sem_lookup - find a semaphore by its id in the file; takes a reference */
struct ppu_sem *ppu_sem_lookup(struct ppu_file *file, u32 id)
{
	struct ppu_sem *sem;

	xa_lock(&file->sems);
	sem = xa_load(&file->sems, id);
	if (sem)
		kref_get(&sem->kref);
	xa_unlock(&file->sems);
	return sem;
}

/* Gives the driver a view of the word that agrees with the user's caching. */
static int ppu_sem_map(struct ppu_sem *sem)
{
	if (sem->bo->placement == DRM_PPU_PLACEMENT_VRAM)
		return 0;
	sem->vaddr = ppu_bo_map_page(sem->bo, sem->bo_offset, &sem->vmapped);
	if (sem->vaddr)
		return 0;
	sem->vmapped = false;
	return -ENOMEM;
}

/* Takes over the reference to @bo. */
static struct ppu_sem *ppu_sem_new(struct ppu_file *file, struct ppu_bo *bo, u64 bo_offset,
				   bool is32)
{
	struct ppu_sem *sem = kzalloc(sizeof(*sem), GFP_KERNEL_ACCOUNT);
	int ret;

	ret = sem ? ppu_bo_fix(bo) : -ENOMEM;
	if (ret) {
		kfree(sem);
		ppu_bo_put(bo);
		return ERR_PTR(ret);
	}
	kref_init(&sem->kref);
	sem->file = file;
	sem->bo = bo;
	sem->bo_offset = bo_offset;
	sem->is32 = is32;
	atomic_inc(&bo->num_sems);
	sem->addr = ppu_bo_addr(bo, bo_offset, NULL);
	if (bo->placement == DRM_PPU_PLACEMENT_SYSTEM)
		sem->addr |= PPU_APERTURE_SYS;

	ret = ppu_sem_map(sem);
	if (ret) {
		ppu_sem_put(sem);
		return ERR_PTR(ret);
	}
	return sem;
}

/* Marks the semaphore destroyed and wakes its waiters, which see the mark. */
static void ppu_sem_kill(struct ppu_sem *sem)
{
	struct ppu_device *ppu = sem->file->ppu;
	struct ppu_file *file = sem->file;
	unsigned long flags;

	spin_lock_irqsave(&ppu->watches->lock, flags);
	sem->dead = true;
	spin_unlock_irqrestore(&ppu->watches->lock, flags);
	ppu_eventfd_drop_object(file, sem);
	ppu_sem_fence_cancel(file, sem);
	ppu_sem_wake_all(ppu);
	ppu_quota_release(file->quota, DRM_PPU_RES_SEMS, 1);
	ppu_sem_put(sem);
}

/** ppu_sem_close_all - the file is closed */
void ppu_sem_close_all(struct ppu_file *file)
{
	struct ppu_sem *sem;
	unsigned long id;

	xa_for_each(&file->sems, id, sem) {
		xa_erase(&file->sems, id);
		ppu_sem_kill(sem);
	}
}

static int ppu_sem_check_bo(struct ppu_device *ppu, const struct ppu_bo *bo, u64 offset)
{
	if (PPU_CHECK(ppu, bo->imported) || PPU_CHECK(ppu, bo->kernel) ||
	    PPU_CHECK(ppu, bo->readonly))
		return -EPERM;
	if (PPU_CHECK(ppu, offset & 15) ||
	    PPU_CHECK(ppu, offset >= ppu_bo_gem((struct ppu_bo *)bo)->size))
		return -EINVAL;
	return 0;
}

static int ppu_sem_set_initial(struct ppu_sem *sem, u64 value)
{
	struct ppu_device *ppu = sem->file->ppu;
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	ppu_sem_update(sem, DRM_PPU_SEM_SIGNAL_SET, value);
	ppu_exit(ppu, idx);
	return 0;
}

/* Finds the object that holds the word, or makes one. */
static struct ppu_bo *ppu_sem_get_bo(struct ppu_device *ppu, struct drm_file *filp,
				     const struct drm_ppu_sem_create *args)
{
	struct ppu_bo *bo;
	int ret;

	if (!args->bo_handle)
		return ppu_bo_create(filp->driver_priv, PAGE_SIZE, DRM_PPU_PLACEMENT_SYSTEM, 0);
	bo = ppu_bo_lookup(filp, args->bo_handle);
	if (!bo)
		return ERR_PTR(-ENOENT);
	ret = ppu_sem_check_bo(ppu, bo, args->bo_offset);
	if (ret) {
		ppu_bo_put(bo);
		return ERR_PTR(ret);
	}
	return bo;
}

static int ppu_sem_create(struct ppu_device *ppu, struct drm_file *filp,
			  struct drm_ppu_sem_create *args)
{
	struct ppu_file *file = filp->driver_priv;
	struct ppu_sem *sem;
	struct ppu_bo *bo;
	int ret;

	bo = ppu_sem_get_bo(ppu, filp, args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	sem = ppu_sem_new(file, bo, args->bo_offset, args->flags & DRM_PPU_SEM_32BIT);
	if (IS_ERR(sem))
		return PTR_ERR(sem);
	if (!(args->flags & DRM_PPU_SEM_ADOPT)) {
		ret = ppu_sem_set_initial(sem, args->initial);
		if (ret)
			goto err_sem;
	}
	ret = xa_alloc(&file->sems, &args->sem_id, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret)
		goto err_sem;
	/*
	 * The handle comes last: another thread may guess it, close it, and get it for another
	 * object, so nobody could take it back.
	 */
	if (!args->bo_handle) {
		ret = drm_gem_handle_create(filp, ppu_bo_gem(bo), &args->bo_handle);
		if (ret)
			goto err_id;
	}
	xa_store(&file->sems, args->sem_id, sem, GFP_KERNEL);
	return 0;

err_id:
	xa_release(&file->sems, args->sem_id);
err_sem:
	ppu_sem_put(sem);
	return ret;
}

int ppu_ioctl_sem_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	const u32 known = DRM_PPU_SEM_ADOPT | DRM_PPU_SEM_32BIT;
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_sem_create *args = data;
	bool adopt = args->flags & DRM_PPU_SEM_ADOPT;
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~known) || PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, adopt && args->initial) ||
	    PPU_CHECK(ppu, !args->bo_handle && (args->bo_offset || adopt)) ||
	    PPU_CHECK(ppu, args->flags & DRM_PPU_SEM_32BIT && args->initial > U32_MAX))
		return -EINVAL;

	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_SEMS, 1);
	if (ret)
		return ret;
	ret = ppu_sem_create(ppu, filp, args);
	if (ret)
		ppu_quota_release(file->quota, DRM_PPU_RES_SEMS, 1);
	return ret;
}

int ppu_ioctl_sem_destroy(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_sem_destroy *args = data;
	struct ppu_sem *sem;

	if (PPU_CHECK(to_ppu(drm), args->pad))
		return -EINVAL;
	sem = ppu_uobj_take(&file->sems, args->sem_id);
	if (!sem)
		return -ENOENT;
	ppu_sem_kill(sem);
	return 0;
}

int ppu_ioctl_sem_read(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_sem_read *args = data;
	struct ppu_sem *sem;
	int idx, ret = 0;

	if (PPU_CHECK(to_ppu(drm), args->pad))
		return -EINVAL;
	sem = ppu_sem_lookup(filp->driver_priv, args->sem_id);
	if (!sem)
		return -ENOENT;

	if (ppu_enter(to_ppu(drm), &idx)) {
		args->value = ppu_sem_load(sem);
		args->gpu_ns = READ_ONCE(*(u64 *)(ppu_sem_word(sem) + 8));
		ppu_exit(to_ppu(drm), idx);
	} else {
		ret = -ENODEV;
	}
	ppu_sem_put(sem);
	return ret;
}

/**
 * ppu_sem_do_signal - change the word and wake everybody who waits for it
 * @sem: semaphore; the device is entered
 * @op: DRM_PPU_SEM_SIGNAL_*
 * @value: operand
 *
 * Return: the word before.
 */
u64 ppu_sem_do_signal(struct ppu_sem *sem, u32 op, u64 value)
{
	struct ppu_device *ppu = sem->file->ppu;
	u64 old;

	if (op == DRM_PPU_SEM_SIGNAL_KICK) {
		old = ppu_sem_load(sem);
	} else {
		old = ppu_sem_update(sem, op, value);
		WRITE_ONCE(*(u64 *)(ppu_sem_word(sem) + 8), ppu_device_time(ppu));
	}
	/* The word must be in memory before the kick. */
	wmb();
	trace_ppu_sem_signal(sem->addr, op, value, old);
	ppu_watch_poke(ppu, sem->addr);
	ppu_vm_kick_bo(sem->bo);
	return old;
}

int ppu_ioctl_sem_signal(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_sem_signal *args = data;
	bool kick = args->op == DRM_PPU_SEM_SIGNAL_KICK;
	struct ppu_sem *sem;
	int idx, ret = 0;

	if (PPU_CHECK(ppu, args->op > DRM_PPU_SEM_SIGNAL_KICK) ||
	    PPU_CHECK(ppu, kick && args->value))
		return -EINVAL;
	sem = ppu_sem_lookup(filp->driver_priv, args->sem_id);
	if (!sem)
		return -ENOENT;

	if (PPU_CHECK(ppu, sem->is32 && args->value > U32_MAX)) {
		ret = -EINVAL;
	} else if (ppu_enter(to_ppu(drm), &idx)) {
		args->old = ppu_sem_do_signal(sem, args->op, args->value);
		ppu_exit(to_ppu(drm), idx);
	} else {
		ret = -ENODEV;
	}
	ppu_sem_put(sem);
	return ret;
}

/* Waits */

/** struct ppu_waiter - one SEM_WAIT in progress; on the stack of its task */
struct ppu_waiter {
	/** @link: in ppu_watches.waiters. */
	struct list_head link;
	struct task_struct *task;
	bool woken;
};

/** struct ppu_cond - one condition of a wait */
struct ppu_cond {
	struct ppu_watch watch;
	struct ppu_waiter *waiter;
	struct ppu_sem *sem;
	u32 op;
	u64 value;
	bool watched;
};

/** struct ppu_wait - all of a wait */
struct ppu_wait {
	struct ppu_device *ppu;
	struct ppu_file *file;
	struct ppu_waiter waiter;
	struct ppu_cond *conds;
	u32 count;
	bool all;
	/** @poll: some condition has no entry of the watch table. */
	bool poll;
	struct ppu_channel *chan;
	/** @vm: the other channels of @chan's VM count, too. */
	bool vm;
	s64 timeout_ns;
	u32 first;
};

static void ppu_waiter_wake(struct ppu_waiter *waiter)
{
	WRITE_ONCE(waiter->woken, true);
	wake_up_process(waiter->task);
}

static void ppu_cond_fn(struct ppu_watch *watch)
{
	ppu_waiter_wake(container_of(watch, struct ppu_cond, watch)->waiter);
}

/** ppu_sem_wake_all - something happened that any wait may depend on */
void ppu_sem_wake_all(struct ppu_device *ppu)
{
	struct ppu_watches *w = ppu->watches;
	struct ppu_waiter *waiter;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	list_for_each_entry(waiter, &w->waiters, link)
		ppu_waiter_wake(waiter);
	spin_unlock_irqrestore(&w->lock, flags);
}

static bool ppu_cond_holds(struct ppu_wait *wait, struct ppu_cond *cond)
{
	/*
	 * A condition that the device saw hold counts, even if the word has changed since: a
	 * value must not be missed because this task was slow.  Only an ALL wait needs all
	 * conditions at one instant.
	 */
	if (!wait->all && READ_ONCE(cond->watch.matched))
		return true;
	return ppu_sem_test(cond->sem, cond->op, cond->value);
}

static bool ppu_wait_done(struct ppu_wait *wait)
{
	u32 i;

	for (i = 0; i < wait->count; i++) {
		bool holds = ppu_cond_holds(wait, &wait->conds[i]);

		if (holds && !wait->all) {
			wait->first = i;
			return true;
		}
		if (!holds && wait->all)
			return false;
	}
	wait->first = 0;
	return wait->all;
}

/* Reasons other than a condition to stop waiting. */
static int ppu_wait_error(struct ppu_wait *wait)
{
	u32 i;

	for (i = 0; i < wait->count; i++)
		if (READ_ONCE(wait->conds[i].sem->dead))
			return -ECANCELED;
	if (wait->chan && (ppu_channel_dead(wait->chan) || READ_ONCE(wait->chan->vm->faulted)))
		return -EIO;
	if (wait->vm && atomic_read(&wait->chan->vm->failed_channels))
		return -EIO;
	return 0;
}

static void ppu_cond_unwatch(struct ppu_wait *wait, struct ppu_cond *cond)
{
	if (!cond->watched)
		return;
	if (cond->watch.index >= 0)
		ppu_quota_release(wait->file->quota, DRM_PPU_RES_WATCHES, 1);
	ppu_watch_del(wait->ppu, &cond->watch);
	cond->watched = false;
}

/*
 * Arms, or arms again, the conditions that are not armed: a match of an earlier round has
 * disarmed its entry.
 */
static void ppu_wait_arm(struct ppu_wait *wait)
{
	u32 i;

	wait->poll = false;
	for (i = 0; i < wait->count; i++) {
		struct ppu_cond *cond = &wait->conds[i];

		if (cond->watched && cond->watch.index >= 0 && !cond->watch.matched)
			continue;
		ppu_cond_unwatch(wait, cond);
		/* In an ALL wait, a condition that holds now needs no entry. */
		if (wait->all && ppu_sem_test(cond->sem, cond->op, cond->value))
			continue;
		/* One process may not use up the table: beyond its share it polls. */
		if (ppu_quota_charge(wait->file->quota, DRM_PPU_RES_WATCHES, 1)) {
			wait->poll = true;
			continue;
		}
		cond->watch.fn = ppu_cond_fn;
		cond->waiter = &wait->waiter;
		ppu_watch_add(wait->ppu, &cond->watch, cond->sem->addr, cond->op, cond->value,
			      cond->sem->is32);
		cond->watched = true;
		if (cond->watch.index < 0) {
			ppu_quota_release(wait->file->quota, DRM_PPU_RES_WATCHES, 1);
			wait->poll = true;
		}
	}
}

/* One look, with the device entered: 0 go on waiting, 1 done, or an error. */
static int ppu_wait_look(struct ppu_wait *wait, bool arm)
{
	int idx, ret;

	if (!ppu_enter(wait->ppu, &idx))
		return -ENODEV;
	if (ppu_wait_done(wait)) {
		ret = 1;
	} else {
		ret = ppu_wait_error(wait);
		if (!ret && arm)
			ppu_wait_arm(wait);
	}
	ppu_exit(wait->ppu, idx);
	return ret;
}

static void ppu_wait_sleep(struct ppu_wait *wait)
{
	ktime_t until = ns_to_ktime(wait->timeout_ns);

	if (wait->poll)
		until = min(until, ktime_add_ns(ktime_get(), PPU_SEM_POLL_NS));
	if (until == KTIME_MAX)
		schedule();
	else
		schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS);
}

static int ppu_wait_loop(struct ppu_wait *wait)
{
	int ret;

	for (;;) {
		WRITE_ONCE(wait->waiter.woken, false);
		/*
		 * Clear @woken before reading the word, so that a wake after this look is not
		 * lost.
		 */
		smp_mb();
		ret = ppu_wait_look(wait, true);
		if (ret)
			return ret;
		if (ktime_get_ns() >= wait->timeout_ns)
			return -ETIME;
		if (signal_pending(current))
			return -ERESTARTSYS;

		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(wait->waiter.woken) && !signal_pending(current))
			ppu_wait_sleep(wait);
		__set_current_state(TASK_RUNNING);
	}
}

static int ppu_wait_run(struct ppu_wait *wait)
{
	struct ppu_watches *w = wait->ppu->watches;
	unsigned long flags;
	u32 i;
	int ret;

	/* Most waits succeed at once, or only look. */
	ret = ppu_wait_look(wait, false);
	if (ret)
		return ret;
	if (wait->timeout_ns <= 0 || ktime_get_ns() >= wait->timeout_ns)
		return -ETIME;

	wait->waiter.task = current;
	spin_lock_irqsave(&w->lock, flags);
	list_add(&wait->waiter.link, &w->waiters);
	spin_unlock_irqrestore(&w->lock, flags);

	trace_ppu_sem_wait(wait->conds[0].sem->addr, wait->conds[0].op, wait->conds[0].value,
			   wait->count);
	ret = ppu_wait_loop(wait);
	trace_ppu_sem_wake(wait->conds[0].sem->addr, ret);

	for (i = 0; i < wait->count; i++)
		ppu_cond_unwatch(wait, &wait->conds[i]);
	spin_lock_irqsave(&w->lock, flags);
	list_del(&wait->waiter.link);
	spin_unlock_irqrestore(&w->lock, flags);
	return ret;
}

static int ppu_wait_get_conds(struct ppu_wait *wait, const struct drm_ppu_array *in)
{
	struct drm_ppu_sem_cond *conds;
	u32 i, n = in->count;
	int ret = 0;

	conds = ppu_uobj_get_array(in, sizeof(*conds), sizeof(*conds), DRM_PPU_SEM_WAIT_MAX);
	if (IS_ERR(conds))
		return PTR_ERR(conds);
	wait->conds = kcalloc(n, sizeof(*wait->conds), GFP_KERNEL_ACCOUNT);
	if (!wait->conds)
		ret = -ENOMEM;

	for (i = 0; i < n && !ret; i++) {
		struct ppu_cond *cond = &wait->conds[i];

		cond->sem = ppu_sem_lookup(wait->file, conds[i].sem_id);
		if (!cond->sem) {
			ret = -ENOENT;
			break;
		}
		wait->count++;
		cond->op = conds[i].op;
		cond->value = conds[i].value;
		if (PPU_CHECK(wait->ppu, !ppu_sem_op_valid(cond->sem, cond->op, cond->value)))
			ret = -EINVAL;
	}
	kvfree(conds);
	return ret;
}

int ppu_ioctl_sem_wait(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_sem_wait *args = data;
	struct ppu_wait wait = {
		.ppu = ppu,
		.file = filp->driver_priv,
		.all = args->flags & DRM_PPU_SEM_WAIT_ALL,
		.vm = args->flags & DRM_PPU_SEM_WAIT_VM,
		.timeout_ns = args->timeout_ns,
	};
	u32 i;
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~(DRM_PPU_SEM_WAIT_ALL | DRM_PPU_SEM_WAIT_VM)) ||
	    PPU_CHECK(ppu, args->flags & DRM_PPU_SEM_WAIT_VM && !args->channel_id) ||
	    PPU_CHECK(ppu, args->pad) || PPU_CHECK(ppu, !args->conds.count))
		return -EINVAL;

	ret = ppu_wait_get_conds(&wait, &args->conds);
	if (ret)
		goto out;
	if (args->channel_id) {
		wait.chan = ppu_channel_lookup(wait.file, args->channel_id);
		if (!wait.chan) {
			ret = -ENOENT;
			goto out;
		}
	}

	ret = ppu_wait_run(&wait);
	if (ret > 0) {
		args->first = wait.first;
		ret = 0;
	}
out:
	for (i = 0; i < wait.count; i++)
		ppu_sem_put(wait.conds[i].sem);
	kfree(wait.conds);
	ppu_channel_put(wait.chan);
	return ret;
}
