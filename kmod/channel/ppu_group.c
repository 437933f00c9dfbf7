// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: groups of channels.
 *
 * The device shares time slices among the members of a group that are in one
 * VM, and pauses and resumes them with one command (PPU_FEAT_GROUPS).  A group
 * may have channels in several VMs.  What is done to a group is done to each
 * VM's channels, or to each channel if the device knows no groups, under
 * ppu_device.chan_lock, so that no channel joins, leaves or changes in the middle.
 *
 * A channel fetches if its owner, its group and its VM let it: see
 * ppu_channel_update_pause().
 */

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_group.h"
#include "channel/ppu_runtime.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"

/* How often a wait looks whether the last command is done: no interrupt tells. */
#define PPU_GROUP_POLL_US	500

/* Life */

static void ppu_group_free(struct kref *kref)
{
	kfree(container_of(kref, struct ppu_group, kref));
}

/** ppu_group_put - drop a reference; NULL is fine */
void ppu_group_put(struct ppu_group *group)
{
	if (group)
		kref_put(&group->kref, ppu_group_free);
}

/** ppu_group_lookup - find a group by its id in the file; takes a reference */
struct ppu_group *ppu_group_lookup(struct ppu_file *file, u32 id)
{
	struct ppu_group *group;

	xa_lock(&file->groups);
	group = xa_load(&file->groups, id);
	if (group)
		kref_get(&group->kref);
	xa_unlock(&file->groups);
	return group;
}

/* The group's id is gone already, so no channel can join. */
static void ppu_group_release(struct ppu_file *file, struct ppu_group *group)
{
	cancel_work_sync(&group->stop_work);
	ppu_quota_release(file->quota, DRM_PPU_RES_GROUPS, 1);
	ppu_group_put(group);
}

/** ppu_group_close_all - the file is closed; its channels are gone */
void ppu_group_close_all(struct ppu_file *file)
{
	struct ppu_group *group;
	unsigned long id;

	xa_for_each(&file->groups, id, group) {
		xa_erase(&file->groups, id);
		ppu_group_release(file, group);
	}
}

/* Members */

/**
 * ppu_group_join - make a channel a member
 * @group: group
 * @chan: channel that is not published yet
 *
 * Return: 0, -EIO if the group was stopped, -ENOENT if it was destroyed.
 */
int ppu_group_join(struct ppu_group *group, struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	if (group->closed) {
		ret = -ENOENT;
	} else if (group->stopped) {
		ret = -EIO;
	} else {
		kref_get(&group->kref);
		chan->group = group;
		list_add_tail(&chan->group_link, &group->channels);
		if (!chan->timeslice_us)
			chan->timeslice_us = group->timeslice_us;
	}
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return ret;
}

/** ppu_group_leave - the channel is off the device */
void ppu_group_leave(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_group *group = chan->group;
	unsigned long flags;

	if (!group)
		return;
	spin_lock_irqsave(&ppu->chan_lock, flags);
	list_del_init(&chan->group_link);
	chan->group = NULL;
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	ppu_group_put(group);
}

/* The members in one VM are a group of the device. */
static void ppu_group_pause_vm(struct ppu_group *group, struct ppu_channel *member, bool pause)
{
	struct ppu_channel *chan;

	ppu_ch_wr(group->ppu, member->chid, PPU_REG_CH_CMD,
		  pause ? PPU_CH_CMD_GROUP_PAUSE : PPU_CH_CMD_GROUP_RESUME);
	list_for_each_entry(chan, &group->channels, group_link)
		if (chan->vm == member->vm && chan->enabled)
			chan->hw_group_paused = pause;
}

/**
 * ppu_group_update - let all channels fetch, or not, according to the state of the group
 * @group: group; ppu_device.chan_lock is held
 */
void ppu_group_update(struct ppu_group *group)
{
	bool hold = ppu_group_holds(group), groups = ppu_has_groups(group->ppu);
	struct ppu_channel *chan;
	int idx;

	lockdep_assert_held(&group->ppu->chan_lock);

	if (!ppu_try_enter(group->ppu, &idx))
		return;
	list_for_each_entry(chan, &group->channels, group_link)
		if (!groups)
			ppu_channel_update_pause(chan);
		else if (chan->enabled && !chan->dead && chan->hw_group_paused != hold)
			ppu_group_pause_vm(group, chan, hold);
	ppu_try_exit(group->ppu, idx);
}

/**
 * ppu_group_channel_failed - a channel stopped with an error
 * @chan: channel; ppu_device.chan_lock is held
 *
 * A member that did nothing wrong may be noticed first, but the group names the guilty one.
 *
 * With DRM_PPU_GROUP_STOP_ALL the other channels stop fetching now.  A worker stops them, since
 * stopping takes their locks.
 */
void ppu_group_channel_failed(struct ppu_channel *chan)
{
	struct ppu_group *group = chan->group;
	bool innocent;

	lockdep_assert_held(&chan->ppu->chan_lock);

	if (!group)
		return;
	innocent = chan->failure.cause == DRM_PPU_CHANNEL_STATE_INNOCENT;
	if (!group->first_channel || (group->first_innocent && !innocent)) {
		group->first_channel = chan->id;
		group->first_error = chan->failure.error;
		group->first_innocent = innocent;
	}
	if (group->policy != DRM_PPU_GROUP_STOP_ALL || group->stopped)
		return;
	group->stopped = true;
	ppu_group_update(group);
	queue_work(group->ppu->wq, &group->stop_work);
}

/* A living member, with a reference; NULL: there is none. */
static struct ppu_channel *ppu_group_next_alive(struct ppu_group *group)
{
	struct ppu_device *ppu = group->ppu;
	struct ppu_channel *chan, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	list_for_each_entry(chan, &group->channels, group_link) {
		if (!chan->dead) {
			found = chan;
			kref_get(&chan->kref);
			break;
		}
	}
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return found;
}

/* An error of the member's own that the driver has not noticed yet says more than the stop. */
static bool ppu_group_member_lives(struct ppu_channel *chan)
{
	bool lives = true;
	int idx;

	lockdep_assert_held(&chan->lock);

	if (!chan->destroyed && ppu_enter(chan->ppu, &idx)) {
		lives = !ppu_fault_catch_up(chan);
		ppu_exit(chan->ppu, idx);
	}
	return lives;
}

/* Ends the work of all members.  The caller holds no lock: this takes the members' locks. */
static void ppu_group_stop_members(struct ppu_group *group)
{
	const struct ppu_failure stopped = {
		.err = -ECANCELED,
		.cause = DRM_PPU_CHANNEL_STATE_STOPPED,
	};
	struct ppu_channel *chan;

	while ((chan = ppu_group_next_alive(group))) {
		mutex_lock(&chan->lock);
		if (ppu_group_member_lives(chan))
			ppu_channel_end(chan, &stopped);
		mutex_unlock(&chan->lock);
		ppu_channel_put(chan);
	}
}

static void ppu_group_stop_work(struct work_struct *work)
{
	ppu_group_stop_members(container_of(work, struct ppu_group, stop_work));
}

/* Ioctls */

static int ppu_group_check_timeslice(struct ppu_device *ppu, u64 us)
{
	if (PPU_CHECK(ppu, us > PPU_TIMESLICE_LIMIT_US))
		return -EINVAL;
	if (PPU_CHECK(ppu, us > ppu_max_timeslice_us()))
		return -EACCES;
	return 0;
}

int ppu_ioctl_group_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_group_create *args = data;
	struct ppu_group *group;
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~DRM_PPU_GROUP_START_DISABLED) ||
	    PPU_CHECK(ppu, args->policy > DRM_PPU_GROUP_STOP_ALL))
		return -EINVAL;
	ret = ppu_group_check_timeslice(ppu, args->timeslice_us);
	if (ret)
		return ret;
	ret = ppu_quota_charge(file->quota, DRM_PPU_RES_GROUPS, 1);
	if (ret)
		return ret;

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group) {
		ret = -ENOMEM;
		goto err_quota;
	}
	kref_init(&group->kref);
	group->ppu = ppu;
	group->policy = args->policy;
	group->timeslice_us = args->timeslice_us;
	group->disabled = args->flags & DRM_PPU_GROUP_START_DISABLED;
	INIT_LIST_HEAD(&group->channels);
	INIT_WORK(&group->stop_work, ppu_group_stop_work);
	/* Published when it is complete. */
	ret = xa_alloc(&file->groups, &group->id, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret)
		goto err_group;
	args->group_id = group->id;
	xa_store(&file->groups, group->id, group, GFP_KERNEL);
	return 0;

err_group:
	ppu_group_put(group);
err_quota:
	ppu_quota_release(file->quota, DRM_PPU_RES_GROUPS, 1);
	return ret;
}

int ppu_ioctl_group_destroy(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_group_destroy *args = data;
	struct ppu_group *group;
	int ret = 0;

	if (PPU_CHECK(ppu, args->pad))
		return -EINVAL;
	group = ppu_group_lookup(file, args->group_id);
	if (!group)
		return -ENOENT;

	spin_lock_irq(&ppu->chan_lock);
	if (group->closed)
		ret = -ENOENT;
	else if (!list_empty(&group->channels))
		ret = -EBUSY;
	else
		group->closed = true;
	spin_unlock_irq(&ppu->chan_lock);
	if (!ret) {
		xa_erase(&file->groups, args->group_id);
		ppu_group_release(file, group);
	}
	ppu_group_put(group);
	return ret;
}

static bool ppu_group_executes(struct ppu_group *group)
{
	struct ppu_device *ppu = group->ppu;
	struct ppu_channel *chan;
	bool executes = false;

	spin_lock_irq(&ppu->chan_lock);
	list_for_each_entry(chan, &group->channels, group_link)
		if (ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS) & PPU_CHS_RUNNING)
			executes = true;
	spin_unlock_irq(&ppu->chan_lock);
	return executes;
}

/* Waits until the commands that the channels execute are done; they fetch no more. */
static int ppu_group_wait(struct ppu_group *group, s64 timeout_ns)
{
	int idx;

	for (;;) {
		bool executes;

		if (!ppu_enter(group->ppu, &idx))
			return -ENODEV;
		executes = ppu_group_executes(group);
		ppu_exit(group->ppu, idx);
		if (!executes)
			return 0;
		if (timeout_ns <= 0 || ktime_get_ns() >= timeout_ns)
			return -ETIME;
		if (signal_pending(current))
			return -ERESTARTSYS;
		usleep_range(PPU_GROUP_POLL_US, 2 * PPU_GROUP_POLL_US);
	}
}

/* Holds the group's channels back or lets them go.  False: the group was stopped. */
static bool ppu_group_set(struct ppu_group *group, bool *hold, bool value)
{
	struct ppu_device *ppu = group->ppu;
	bool alive;

	spin_lock_irq(&ppu->chan_lock);
	alive = !group->stopped;
	if (alive) {
		*hold = value;
		ppu_group_update(group);
	}
	spin_unlock_irq(&ppu->chan_lock);
	return alive;
}

static int ppu_group_enable(struct ppu_group *group, bool enable)
{
	return ppu_group_set(group, &group->disabled, !enable) ? 0 : -EIO;
}

/*
 * PREEMPTs in progress are counted, and the channels stay held back until the last one
 * is done: what one PREEMPT lets go must not be what another one waits for.
 */
static int ppu_group_preempt(struct ppu_group *group, s64 timeout_ns)
{
	struct ppu_device *ppu = group->ppu;
	int ret;

	spin_lock_irq(&ppu->chan_lock);
	ret = group->stopped ? -EIO : 0;
	if (!ret) {
		group->preempting++;
		ppu_group_update(group);
	}
	spin_unlock_irq(&ppu->chan_lock);
	if (ret)
		return ret;

	ret = ppu_group_wait(group, timeout_ns);

	spin_lock_irq(&ppu->chan_lock);
	group->preempting--;
	ppu_group_update(group);
	spin_unlock_irq(&ppu->chan_lock);
	return ret;
}

static int ppu_group_stop(struct ppu_group *group)
{
	struct ppu_device *ppu = group->ppu;

	spin_lock_irq(&ppu->chan_lock);
	group->stopped = true;
	ppu_group_update(group);
	spin_unlock_irq(&ppu->chan_lock);
	ppu_group_stop_members(group);
	return drm_dev_is_unplugged(&ppu->drm) ? -ENODEV : 0;
}

static int ppu_group_set_timeslice(struct ppu_group *group, u64 us)
{
	struct ppu_device *ppu = group->ppu;
	struct ppu_channel *chan;
	int ret = ppu_group_check_timeslice(ppu, us);

	if (ret)
		return ret;
	spin_lock_irq(&ppu->chan_lock);
	group->timeslice_us = us;
	list_for_each_entry(chan, &group->channels, group_link) {
		chan->timeslice_us = us;
		ppu_ch_wr(ppu, chan->chid, PPU_REG_CH_TIMESLICE_NS, us * NSEC_PER_USEC);
	}
	spin_unlock_irq(&ppu->chan_lock);
	return 0;
}

static int ppu_group_set_policy(struct ppu_group *group, u64 policy)
{
	if (PPU_CHECK(group->ppu, policy > DRM_PPU_GROUP_STOP_ALL))
		return -EINVAL;
	spin_lock_irq(&group->ppu->chan_lock);
	group->policy = policy;
	spin_unlock_irq(&group->ppu->chan_lock);
	return 0;
}

/* Does the operations that write registers, which must not take long. */
static int ppu_group_op(struct ppu_group *group, const struct drm_ppu_group_control *args)
{
	switch (args->op) {
	case DRM_PPU_GROUP_ENABLE:
		return ppu_group_enable(group, true);
	case DRM_PPU_GROUP_DISABLE:
		return ppu_group_enable(group, false);
	case DRM_PPU_GROUP_SET_TIMESLICE:
		return ppu_group_set_timeslice(group, args->value);
	case DRM_PPU_GROUP_SET_POLICY:
		return ppu_group_set_policy(group, args->value);
	default:
		return -EINVAL;
	}
}

static int ppu_group_control(struct ppu_group *group, const struct drm_ppu_group_control *args)
{
	int idx, ret;

	if (args->op == DRM_PPU_GROUP_PREEMPT)
		return ppu_group_preempt(group, args->timeout_ns);
	if (args->op == DRM_PPU_GROUP_STOP)
		return ppu_group_stop(group);
	if (!ppu_enter(group->ppu, &idx))
		return -ENODEV;
	ret = ppu_group_op(group, args);
	ppu_exit(group->ppu, idx);
	if (!ret && args->op == DRM_PPU_GROUP_DISABLE)
		ret = ppu_group_wait(group, args->timeout_ns);
	return ret;
}

int ppu_ioctl_group_control(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_group_control *args = data;
	bool waits = args->op == DRM_PPU_GROUP_DISABLE || args->op == DRM_PPU_GROUP_PREEMPT;
	struct ppu_group *group;
	int ret;

	if (PPU_CHECK(ppu, args->op > DRM_PPU_GROUP_SET_POLICY) ||
	    PPU_CHECK(ppu, args->value && args->op < DRM_PPU_GROUP_SET_TIMESLICE) ||
	    PPU_CHECK(ppu, args->timeout_ns && !waits))
		return -EINVAL;
	group = ppu_group_lookup(filp->driver_priv, args->group_id);
	if (!group)
		return -ENOENT;
	ret = ppu_group_control(group, args);
	ppu_group_put(group);
	return ret;
}

/* Sums over the channels of the group; the device is entered. */
static void ppu_group_query(struct ppu_group *group, struct drm_ppu_group_query *args)
{
	struct ppu_device *ppu = group->ppu;
	struct ppu_channel *chan;

	lockdep_assert_held(&ppu->chan_lock);

	args->state = group->disabled || group->stopped ? 0 : DRM_PPU_GROUP_STATE_ENABLED;
	if (group->stopped)
		args->state |= DRM_PPU_GROUP_STATE_STOPPED;
	list_for_each_entry(chan, &group->channels, group_link) {
		u32 hw = ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS);

		if (hw & PPU_CHS_RUNNING)
			args->state |= DRM_PPU_GROUP_STATE_RUNNING;
		if (hw & PPU_CHS_PENDING)
			args->state |= DRM_PPU_GROUP_STATE_PENDING;
		args->channels++;
		args->dead += !!chan->dead;
		args->runtime_ns += ppu_runtime(chan);
	}
	args->policy = group->policy;
	args->timeslice_us = group->timeslice_us;
	args->first_channel = group->first_channel;
	args->first_error = group->first_error;
}

int ppu_ioctl_group_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_group_query *args = data;
	struct ppu_group *group = ppu_group_lookup(filp->driver_priv, args->group_id);
	int idx, ret = 0;

	if (!group)
		return -ENOENT;
	args->channels = 0;
	args->dead = 0;
	args->runtime_ns = 0;
	if (ppu_enter(ppu, &idx)) {
		spin_lock_irq(&ppu->chan_lock);
		ppu_group_query(group, args);
		spin_unlock_irq(&ppu->chan_lock);
		ppu_exit(ppu, idx);
	} else {
		ret = -ENODEV;
	}
	ppu_group_put(group);
	return ret;
}
