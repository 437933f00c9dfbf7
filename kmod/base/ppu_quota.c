// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: what one process, and one user, may have.
 *
 * All files that a process has opened share one account.  What is charged is released when the
 * object is freed.  This may be after the file was closed and the process is gone, so accounts are
 * reference counted.
 *
 * A process that forks gets a new account with each child.  So what is charged to a process is
 * charged to its user as well.  A user may have as much as some processes may have.  The limits of
 * a process stay below that, so that one process of a user cannot starve the others.
 *
 * Not the memory cgroup: it has no limits for what is not memory, and not every system gives each
 * user one.  Not the mm: it is made by fork(), too.
 */

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include <drm/drm_print.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_quota.h"

#define PPU_LIMIT(name, value, text) \
	static unsigned int ppu_##name = value; \
	module_param_named(name, ppu_##name, uint, 0644); \
	MODULE_PARM_DESC(name, text)

PPU_LIMIT(max_vms, 64, "VMs of a process");
PPU_LIMIT(max_channels, 256, "channels of a process");
PPU_LIMIT(max_kernel_channels, 16, "kernel-submit channels of a process");
PPU_LIMIT(max_groups, 256, "channel groups of a process");
PPU_LIMIT(max_sems, 16384, "semaphores of a process");
PPU_LIMIT(max_events, 1024, "registered events of a process");
PPU_LIMIT(max_fences, 1024, "pending SEM_IMPORT_FENCE and SEM_EXPORT_FENCE of a process");
PPU_LIMIT(max_binds, 1024, "pending asynchronous VM_BINDs of a process");
PPU_LIMIT(max_watches, 256, "entries of the device's watch table of a process");
PPU_LIMIT(max_system_mb, 0, "MiB of system memory of a process, 0: three quarters of all");
PPU_LIMIT(max_vram_mb, 0, "MiB of VRAM of a process, 0: all");
PPU_LIMIT(max_mappings, 262144, "mappings of a process");
PPU_LIMIT(max_entries, 1048576, "entries of queued jobs of a process");
PPU_LIMIT(user_processes, 4, "a user may have what so many processes may have, 0: no limits of users");

static u64 ppu_system_share(void)
{
	return ((u64)totalram_pages() << PAGE_SHIFT) / 4 * 3;
}

static u64 ppu_limit_system(void)
{
	return ppu_max_system_mb ? (u64)ppu_max_system_mb << 20 : ppu_system_share();
}

/** ppu_quota_limit - how much of a resource a process may have */
u64 ppu_quota_limit(struct ppu_device *ppu, enum drm_ppu_resource res)
{
	switch (res) {
	case DRM_PPU_RES_VMS:
		return ppu_max_vms;
	case DRM_PPU_RES_CHANNELS:
		return min(ppu_max_channels, ppu->caps.channels);
	case DRM_PPU_RES_KERNEL_CHANNELS:
		return ppu_max_kernel_channels;
	case DRM_PPU_RES_GROUPS:
		return ppu_max_groups;
	case DRM_PPU_RES_SEMS:
		return ppu_max_sems;
	case DRM_PPU_RES_EVENTS:
		return ppu_max_events;
	case DRM_PPU_RES_FENCES:
		return ppu_max_fences;
	case DRM_PPU_RES_BINDS:
		return ppu_max_binds;
	case DRM_PPU_RES_WATCHES:
		return min(ppu_max_watches, ppu->caps.watches);
	case DRM_PPU_RES_SYSTEM:
		return ppu_limit_system();
	case DRM_PPU_RES_VRAM:
		return ppu_max_vram_mb ? (u64)ppu_max_vram_mb << 20 : ppu->vram_size;
	case DRM_PPU_RES_MAPPINGS:
		return ppu_max_mappings;
	case DRM_PPU_RES_ENTRIES:
		return ppu_max_entries;
	}
	return 0;
}

/*
 * All that there is: no number of processes may have more.  Of VRAM each process may have all, and
 * processes together more than that, if the driver finds room for it.
 */
static u64 ppu_quota_all(struct ppu_device *ppu, enum drm_ppu_resource res)
{
	switch (res) {
	case DRM_PPU_RES_CHANNELS:
	case DRM_PPU_RES_KERNEL_CHANNELS:
		return ppu->caps.channels;
	case DRM_PPU_RES_WATCHES:
		return ppu->caps.watches;
	case DRM_PPU_RES_SYSTEM:
		return ppu_system_share();
	default:
		return U64_MAX;
	}
}

/** ppu_quota_user_limit - how much of a resource the processes of a user may have together */
u64 ppu_quota_user_limit(struct ppu_device *ppu, enum drm_ppu_resource res)
{
	u64 limit = ppu_quota_limit(ppu, res), sum;
	u64 processes = READ_ONCE(ppu_user_processes);

	if (!processes || check_mul_overflow(limit, processes, &sum))
		return U64_MAX;
	/* An administrator may have given one process more than what counts as all. */
	return max(limit, min(sum, ppu_quota_all(ppu, res)));
}

/*
 * Whose account pays.  Who makes a user namespace has many user ids there, and may make more
 * namespaces in it: all that is in such a namespace counts for its maker.  The namespaces that
 * root makes are containers, of different users: each counts for its own root.
 */
static kuid_t ppu_quota_uid(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t root;

	if (ns == &init_user_ns)
		return current_uid();
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return ns->owner;
	root = make_kuid(ns, 0);
	return uid_valid(root) ? root : ns->owner;
}

static struct ppu_quota_user *ppu_quota_user_get(struct ppu_device *ppu)
{
	kuid_t uid = ppu_quota_uid();
	struct ppu_quota_user *user;

	lockdep_assert_held(&ppu->quota_lock);

	list_for_each_entry(user, &ppu->quota_users, link)
		if (uid_eq(user->uid, uid))
			goto found;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	user->uid = uid;
	list_add(&user->link, &ppu->quota_users);
found:
	user->processes++;
	return user;
}

static void ppu_quota_user_put(struct ppu_quota_user *user)
{
	if (--user->processes)
		return;
	list_del(&user->link);
	kfree(user);
}

static void ppu_quota_free(struct kref *kref)
{
	struct ppu_quota *quota = container_of(kref, struct ppu_quota, kref);
	unsigned int i;

	list_del(&quota->link);
	ppu_quota_user_put(quota->user);
	mutex_unlock(&quota->ppu->quota_lock);
	for (i = 0; i < PPU_NUM_RESOURCES; i++)
		drm_WARN_ON(&quota->ppu->drm, atomic64_read(&quota->used[i]));
	put_pid(quota->owner);
	kfree(quota);
}

/** ppu_quota_put - drop a reference; NULL is fine */
void ppu_quota_put(struct ppu_quota *quota)
{
	if (quota)
		kref_put_mutex(&quota->kref, ppu_quota_free, &quota->ppu->quota_lock);
}

/** ppu_quota_get - take another reference */
struct ppu_quota *ppu_quota_get(struct ppu_quota *quota)
{
	kref_get(&quota->kref);
	return quota;
}

/**
 * ppu_quota_open - the account of the calling process
 * @ppu: device
 *
 * Return: account with a reference, or NULL if there is no memory.
 */
struct ppu_quota *ppu_quota_open(struct ppu_device *ppu)
{
	struct pid *owner = task_tgid(current);
	struct ppu_quota *quota;

	mutex_lock(&ppu->quota_lock);
	list_for_each_entry(quota, &ppu->quotas, link) {
		if (quota->owner == owner) {
			kref_get(&quota->kref);
			goto out;
		}
	}
	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (!quota)
		goto out;
	quota->user = ppu_quota_user_get(ppu);
	if (!quota->user) {
		kfree(quota);
		quota = NULL;
		goto out;
	}
	kref_init(&quota->kref);
	quota->ppu = ppu;
	quota->id = ++ppu->quota_ids;
	quota->owner = get_pid(owner);
	get_task_comm(quota->comm, current->group_leader);
	list_add(&quota->link, &ppu->quotas);
out:
	mutex_unlock(&ppu->quota_lock);
	return quota;
}

/* False: the limit does not allow it. */
static bool ppu_quota_add(atomic64_t *used, u64 amount, u64 limit)
{
	if ((u64)atomic64_add_return(amount, used) <= limit)
		return true;
	atomic64_sub(amount, used);
	return false;
}

/**
 * ppu_quota_charge - charge for an object that is to be made
 * @quota: account; NULL: nobody pays
 * @res: what
 * @amount: how much
 *
 * Return: 0, or -ENOSPC at the limit of the process or of its user.
 */
int ppu_quota_charge(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount)
{
	const char *whose = "process";

	if (!quota)
		return 0;
	if (ppu_quota_add(&quota->used[res], amount, ppu_quota_limit(quota->ppu, res))) {
		if (ppu_quota_add(&quota->user->used[res], amount,
				  ppu_quota_user_limit(quota->ppu, res)))
			return 0;
		atomic64_sub(amount, &quota->used[res]);
		whose = "user";
	}
	drm_dbg_driver(&quota->ppu->drm, "resource %u: at the limit of the %s\n", res, whose);
	return -ENOSPC;
}

/** ppu_quota_release - undo a charge: the object is gone, or could not be made */
void ppu_quota_release(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount)
{
	if (!quota)
		return;
	atomic64_sub(amount, &quota->used[res]);
	atomic64_sub(amount, &quota->user->used[res]);
}
