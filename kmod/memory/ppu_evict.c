// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: room in VRAM.
 *
 * The device can use all that is mapped in a VM for as long as the VM can run.  So a VM is on the
 * device, with all its objects, or it is held: its channels do not fetch, it has no task, and its
 * page tables show no object that can move.  Only objects that no VM on the device shows are moved
 * out.
 *
 * Who finds VRAM full moves the objects that are unused, the oldest first.  If that is not enough
 * it holds a VM: the one that was idle for longest.  If none is idle, it takes one that has work,
 * which comes back by itself after a while, whether there is a store to a doorbell or not.  A VM
 * whose work does not end in time is let go on, and left alone for a while.
 *
 * Everything here may allocate memory: no fence waits for it.  VMs with jobs are never held.
 */

#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_gate.h"
#include "base/ppu_patience.h"
#include "base/ppu_quota.h"
#include "base/ppu_quota_vram.h"
#include "base/ppu_trace.h"
#include "channel/ppu_hold.h"
#include "core/pt.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_move.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_sys.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"

/* A VM that came back stays so long, or two that need each other's room do nothing else. */
#define PPU_EVICT_STAY_NS	(50 * NSEC_PER_MSEC)
/* A VM that was held with work to do comes back after so long. */
#define PPU_EVICT_SLICE_MS	200
/* A VM whose work did not end in time is left alone for so long. */
#define PPU_EVICT_SPARE_NS	NSEC_PER_SEC
/*
 * Who brings a VM back, or maps a doorbell page, uses it for a moment; a VM with jobs is used for
 * long.  Nobody waits longer than this for one that is used.
 */
#define PPU_EVICT_USED_NS	(50 * NSEC_PER_MSEC)
/* The memory of a VM that just ends is free after so long, however busy the machine is. */
#define PPU_EVICT_END_NS	NSEC_PER_SEC
/* Who wants to import an object waits so long for jobs and binds that need it where it is. */
#define PPU_EVICT_SHARE_MS	1000
/* A VM that did nothing for so long is held when memory of the system is short. */
#define PPU_EVICT_IDLE_NS	NSEC_PER_SEC
/* Page tables for a VM that comes back are got in portions. */
#define PPU_EVICT_LEAVES	32
#define PPU_EVICT_DIRS		4

static void ppu_evict_lock(struct ppu_evict *ev)
{
	mutex_lock(&ev->lock);
	ev->holder = current;
}

/**
 * ppu_evict_trylock - objects may move, if nobody else moves some
 * @ppu: device
 *
 * For the shrinker, which may have been called by the holder itself, and allocates nothing.
 *
 * Return: false if somebody does.
 */
bool ppu_evict_trylock(struct ppu_device *ppu)
{
	return mutex_trylock(&ppu->evict->lock);
}

/** ppu_evict_tryunlock - undo ppu_evict_trylock() */
void ppu_evict_tryunlock(struct ppu_device *ppu)
{
	mutex_unlock(&ppu->evict->lock);
}

static void ppu_evict_unlock(struct ppu_evict *ev)
{
	ev->holder = NULL;
	mutex_unlock(&ev->lock);
}

/** ppu_evict_assert_held - lockdep: objects may move */
void ppu_evict_assert_held(struct ppu_device *ppu)
{
	lockdep_assert_held(&ppu->evict->lock);
}

/** ppu_evict_count - an object has moved */
void ppu_evict_count(struct ppu_device *ppu, u64 bytes, bool out, u64 ns)
{
	struct ppu_evict_stats *stats = &ppu->evict->stats;

	ppu_evict_assert_held(ppu);
	if (out) {
		stats->out_bytes += bytes;
		stats->out_ns += ns;
	} else {
		stats->in_bytes += bytes;
		stats->in_ns += ns;
	}
}

/* Objects */

/** ppu_evict_add - an object of user space got VRAM */
void ppu_evict_add(struct ppu_bo *bo)
{
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;

	spin_lock(&ev->bos_lock);
	list_move_tail(&bo->vram_link, &ev->bos);
	spin_unlock(&ev->bos_lock);
}

/** ppu_evict_remove - an object is freed; it may never have been added */
void ppu_evict_remove(struct ppu_bo *bo)
{
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;

	spin_lock(&ev->bos_lock);
	list_del_init(&bo->vram_link);
	spin_unlock(&ev->bos_lock);
}

/* Can the device not use the object?  It is claimed, so it gets no new mappings meanwhile. */
static bool ppu_evict_unused(struct ppu_evict *ev, struct ppu_bo *bo)
{
	struct ppu_mapping *map;
	bool unused = true;

	spin_lock(&bo->maps_lock);
	list_for_each_entry(map, &bo->maps, bo_link)
		if (!map->vm->evict.out || map->vm == ev->coming)
			unused = false;
	spin_unlock(&bo->maps_lock);
	return unused;
}

/**
 * ppu_evict_claim_unused - claim an object that the device cannot use
 * @bo: object that is not out, of whatever kind
 *
 * Return: true, and it can be moved out, or false.
 */
bool ppu_evict_claim_unused(struct ppu_bo *bo)
{
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;

	lockdep_assert_held(&ev->lock);

	if (!ppu_bo_claim(bo))
		return false;
	if (ppu_evict_unused(ev, bo))
		return true;
	ppu_bo_unclaim(bo);
	return false;
}

/* The first object of those that can be moved out, claimed, with a reference, or NULL. */
static struct ppu_bo *ppu_evict_next_of(struct ppu_evict *ev, bool dontneed)
{
	struct ppu_bo *bo, *found = NULL;

	lockdep_assert_held(&ev->lock);

	spin_lock(&ev->bos_lock);
	list_for_each_entry(bo, &ev->bos, vram_link) {
		if (READ_ONCE(bo->dontneed) != dontneed || !ppu_evict_claim_unused(bo))
			continue;
		if (kref_get_unless_zero(&ppu_bo_gem(bo)->refcount)) {
			found = bo;
			break;
		}
		ppu_bo_unclaim(bo);
	}
	spin_unlock(&ev->bos_lock);
	return found;
}

/* NULL: nothing can be moved out.  Contents that nobody needs go first, they are not copied. */
static struct ppu_bo *ppu_evict_next_bo(struct ppu_evict *ev)
{
	return ppu_evict_next_of(ev, true) ?: ppu_evict_next_of(ev, false);
}

/* The device is being reset: waits until that is over. */
static int ppu_evict_wait_reset(struct ppu_device *ppu)
{
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	ppu_exit(ppu, idx);
	return 0;
}

static int ppu_evict_bo(struct ppu_evict *ev, struct ppu_bo *bo)
{
	int ret;

	do {
		ret = ppu_move_out(bo);
	} while (ret == -EAGAIN && !ppu_evict_wait_reset(ev->ppu));
	if (ret)
		ppu_bo_unclaim(bo);
	return ret == -EAGAIN ? -ENODEV : ret;
}

static int ppu_evict_some(struct ppu_evict *ev, u64 size, int *ended);

/* Brings an object of VRAM back, whatever has to go for it. */
static int ppu_evict_bring_vram(struct ppu_evict *ev, struct ppu_bo *bo)
{
	int ended = ppu_evict_ended(ev->ppu), ret;

	lockdep_assert_held(&ev->lock);

	for (;;) {
		ret = ppu_move_in(bo);
		if (ret == -ENOSPC)
			ret = ppu_evict_some(ev, ppu_bo_gem(bo)->size, &ended);
		else if (ret == -EAGAIN)
			ret = ppu_evict_wait_reset(ev->ppu);
		else
			break;
		if (ret)
			return ret;
	}
	if (!ret)
		ppu_evict_add(bo);
	return ret;
}

/* Brings an object back.  It stays claimed, or as it was. */
static int ppu_evict_bring_bo(struct ppu_evict *ev, struct ppu_bo *bo)
{
	int ret;

	if (bo->placement == DRM_PPU_PLACEMENT_VRAM)
		return ppu_evict_bring_vram(ev, bo);
	ret = ppu_sys_in(bo);
	if (!ret)
		ppu_sys_add(bo);
	return ret;
}

/**
 * ppu_bo_pin - have an object on the device, and keep it where it is
 * @bo: object of any kind
 *
 * Not in a section of the gate.
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ENODEV.
 */
int ppu_bo_pin(struct ppu_bo *bo)
{
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;
	int ret = 0;

	if (!ppu_bo_moves(bo) || atomic_inc_unless_negative(&bo->pins))
		return 0;
	atomic64_add(ppu_move_fetch(bo), &ev->fetched);
	ppu_evict_lock(ev);
	if (bo->out) {
		ret = ppu_evict_bring_bo(ev, bo);
		if (!ret)
			ppu_bo_unclaim(bo);
	}
	if (!ret)
		atomic_inc(&bo->pins);
	ppu_evict_unlock(ev);
	return ret;
}

/* Others must be able to come back beside it.  Imported objects never come here. */
static int ppu_bo_pay_fixed(struct ppu_bo *bo)
{
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;
	int ret = 0;

	ppu_evict_lock(ev);
	/* Another device may have imported it meanwhile: then it is not in VRAM any more. */
	if (!bo->fixed && bo->placement == DRM_PPU_PLACEMENT_VRAM) {
		ret = ppu_quota_fix_vram(bo->quota, ppu_bo_gem(bo)->size);
		bo->fixed = !ret;
	}
	ppu_evict_unlock(ev);
	return ret;
}

/**
 * ppu_bo_fix - as ppu_bo_pin(), for as long as user space wants it
 * @bo: object of any kind
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ENODEV.
 */
int ppu_bo_fix(struct ppu_bo *bo)
{
	bool pays = ppu_bo_moves(bo) && bo->placement == DRM_PPU_PLACEMENT_VRAM;
	int ret = pays ? ppu_bo_pay_fixed(bo) : 0;

	return ret ?: ppu_bo_pin(bo);
}

/* VMs: which one */

/** ppu_vm_evict_init - a new VM is on the device */
void ppu_vm_evict_init(struct ppu_vm *vm)
{
	atomic_set(&vm->evict.users, 0);
	vm->evict.idle_since = ktime_get_ns();
}

/** ppu_vm_evict_begin - a new VM is in the device's table */
void ppu_vm_evict_begin(struct ppu_vm *vm)
{
	atomic_inc(&vm->ppu->evict->vms);
}

/** ppu_vm_evict_end - all VRAM of a VM that was in the device's table is free */
void ppu_vm_evict_end(struct ppu_vm *vm)
{
	atomic_inc(&vm->ppu->evict->ended);
	atomic_dec(&vm->ppu->evict->vms);
}

/** ppu_evict_ended - how many VMs have ended, for ppu_evict_room() */
int ppu_evict_ended(struct ppu_device *ppu)
{
	return atomic_read(&ppu->evict->ended);
}

static void ppu_evict_mark_vms(struct ppu_evict *ev, struct ppu_bo *bo)
{
	struct ppu_mapping *map;

	lockdep_assert_held(&ev->lock);

	spin_lock(&bo->maps_lock);
	list_for_each_entry(map, &bo->maps, bo_link)
		map->vm->evict.scan = ev->scans;
	spin_unlock(&bo->maps_lock);
}

/**
 * ppu_evict_mark - mark the VMs that show an object, if it could move
 * @bo: object of any kind
 */
void ppu_evict_mark(struct ppu_bo *bo)
{
	if (!atomic_read(&bo->pins))
		ppu_evict_mark_vms(to_ppu(ppu_bo_gem(bo)->dev)->evict, bo);
}

/* Marks the VMs that show an object of VRAM which could move. */
static void ppu_evict_scan(struct ppu_evict *ev)
{
	struct ppu_bo *bo;

	ev->scans++;
	spin_lock(&ev->bos_lock);
	list_for_each_entry(bo, &ev->bos, vram_link)
		ppu_evict_mark(bo);
	spin_unlock(&ev->bos_lock);
}

/** struct ppu_victim - the VM that is best held */
struct ppu_victim {
	struct ppu_vm *vm;
	/** @work: it has something to do. */
	bool work;
	/** @since: idle since, or on the device since. */
	u64 since;
	/** @wait_ns: if there is none: how long until there may be one; 0: for ever. */
	u64 wait_ns;
	/** @used: there is one that somebody uses now. */
	bool used;
	/** @ends: there is one that just ends, and its memory will be free. */
	bool ends;
};

/* Looks at what a VM does, and since when it does nothing. */
static void ppu_evict_look(struct ppu_vm *vm, struct ppu_hold_look *look)
{
	struct ppu_vm_evict *e = &vm->evict;

	ppu_hold_look(vm, look);
	if (look->runtime_ns != e->runtime_ns || look->runs) {
		e->runtime_ns = look->runtime_ns;
		WRITE_ONCE(e->idle_since, ktime_get_ns());
	}
}

/* Takes over the reference to @vm if it is better than what was found so far; true if it did. */
static bool ppu_victim_consider(struct ppu_victim *best, struct ppu_vm *vm, bool patient)
{
	struct ppu_vm_evict *e = &vm->evict;
	u64 now = ktime_get_ns(), stay = e->in_since ? e->in_since + PPU_EVICT_STAY_NS : 0;
	struct ppu_hold_look look;
	u64 since;
	bool work;

	ppu_evict_look(vm, &look);
	if (patient && stay > now) {
		best->wait_ns = best->wait_ns ? min(best->wait_ns, stay - now) : stay - now;
		return false;
	}
	/* What did not end in time may have ended, or been stopped, since. */
	if (patient && look.runs && e->not_before > now)
		return false;
	work = look.work || look.runs;
	since = work ? e->in_since : READ_ONCE(e->idle_since);
	if (best->vm && (best->work < work ||
			 (best->work == work &&
			  (best->since < since ||
			   (best->since == since && best->vm->uid < vm->uid)))))
		return false;
	ppu_vm_put(best->vm);
	best->vm = vm;
	best->work = work;
	best->since = since;
	return true;
}

/*
 * Finds the VM to hold; it gets a reference.  Impatient: VMs that came back just now count, too,
 * and those whose work did not end in time.
 */
static void ppu_evict_find(struct ppu_evict *ev, struct ppu_victim *best, bool patient)
{
	unsigned long index = 0;
	struct ppu_vm *vm;
	bool can, used;
	int seen = 0;

	memset(best, 0, sizeof(*best));
	ppu_evict_scan(ev);
	while ((vm = ppu_vm_next(ev->ppu, &index))) {
		index++;
		seen++;
		can = vm != ev->coming && vm->evict.scan == ev->scans && !vm->evict.out;
		used = can && atomic_read(&vm->evict.users);
		best->used |= used;
		if (!can || used || !ppu_victim_consider(best, vm, patient))
			ppu_vm_put(vm);
	}
	best->ends = seen < atomic_read(&ev->vms);
}

/* VMs: out */

/* Takes what can move out of the page tables, which stay. */
static void ppu_evict_unmap_vm(struct ppu_vm *vm)
{
	struct ppu_pt_pool pool;
	struct ppu_mapping *map;

	ppu_pt_pool_init(&pool);
	mutex_lock(&vm->lock);
	vm->evict.out = true;
	for (map = ppu_vm_map_from(vm, 0); map; map = ppu_vm_map_from(vm, map->last + 1))
		if (map->bo && ppu_bo_moves(map->bo))
			ppu_mmu_unmap(vm, map->start, map->last - map->start + 1);
	ppu_mmu_flush(vm, &pool);
	mutex_unlock(&vm->lock);
	ppu_pt_pool_drain(vm, &pool);
}

/* Holds the VM.  -EAGAIN: somebody uses it; -EBUSY: its work does not end. */
static int ppu_evict_hold(struct ppu_evict *ev, struct ppu_vm *vm)
{
	struct ppu_vm_evict *e = &vm->evict;
	struct ppu_hold_look look;

	lockdep_assert_held(&ev->lock);

	if (atomic_cmpxchg(&e->users, 0, PPU_VM_HELD))
		return -EAGAIN;
	if (!ppu_hold_stop(vm)) {
		atomic_set(&e->users, 0);
		e->not_before = ktime_get_ns() + PPU_EVICT_SPARE_NS;
		ev->stats.let_go++;
		trace_ppu_hold(vm->context_id, false, true);
		return -EBUSY;
	}
	/* Now that nobody can give it work, and none of it is in progress. */
	ppu_hold_look(vm, &look);
	e->resume = look.work;
	e->held_since = ktime_get_ns();
	ppu_evict_unmap_vm(vm);
	ev->stats.holds++;
	trace_ppu_hold(vm->context_id, true, look.work);
	if (look.work)
		queue_delayed_work(ev->resume_wq, &ev->resume_work,
				   msecs_to_jiffies(PPU_EVICT_SLICE_MS));
	return 0;
}

/* There may be a victim, or free memory, in a moment; somebody waits since @begin. */
static bool ppu_victim_soon(const struct ppu_victim *victim, u64 begin)
{
	u64 waited = ktime_get_ns() - begin;

	return (victim->used && waited < PPU_EVICT_USED_NS) ||
	       (victim->ends && waited < PPU_EVICT_END_NS);
}

/* Holds one VM more.  0, or -ENOSPC: there is none; -EINTR: the process is killed. */
static int ppu_evict_hold_one(struct ppu_evict *ev, bool patient)
{
	u64 begin = ktime_get_ns();
	struct ppu_victim victim;
	bool held;

	for (;;) {
		ppu_evict_find(ev, &victim, patient);
		if (patient && !victim.wait_ns && ppu_victim_soon(&victim, begin))
			victim.wait_ns = NSEC_PER_MSEC;
		if (!victim.vm && !victim.wait_ns)
			return -ENOSPC;
		if (victim.vm) {
			held = !ppu_evict_hold(ev, victim.vm);
			ppu_vm_put(victim.vm);
			if (held)
				return 0;
			/* Otherwise the next look does not find it any more. */
			if (!patient)
				return -ENOSPC;
		} else {
			schedule_timeout_killable(nsecs_to_jiffies(victim.wait_ns) + 1);
		}
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/*
 * Moves at least one object out, and so many that @size bytes are free, if that can be.  If none
 * can move, it is as good if a VM has ended since *@ended was read, which is read again.
 */
static int ppu_evict_some(struct ppu_evict *ev, u64 size, int *ended)
{
	bool some = false;
	int ret = 0;

	lockdep_assert_held(&ev->lock);

	while (!ret && !(some && ppu_vram_avail(ev->ppu) >= size)) {
		struct ppu_bo *bo = ppu_evict_next_bo(ev);

		if (!bo) {
			ret = ppu_evict_hold_one(ev, true);
			continue;
		}
		ret = ppu_evict_bo(ev, bo);
		some |= !ret;
		ppu_bo_put(bo);
	}
	if (ret == -ENOSPC && *ended != ppu_evict_ended(ev->ppu)) {
		*ended = ppu_evict_ended(ev->ppu);
		some = true;
	}
	return some ? 0 : ret;
}

/**
 * ppu_evict_room - VRAM is full: move something out
 * @ppu: device
 * @size: bytes that are wanted
 * @ended: ppu_evict_ended() of before it was found full; changed if that alone is worth another try
 *
 * Not in a section of the gate.
 *
 * Return: 0: it is worth while to try again; -ENOSPC: nothing can move; another negative error.
 */
int ppu_evict_room(struct ppu_device *ppu, u64 size, int *ended)
{
	struct ppu_evict *ev = ppu->evict;
	int ret;

	/* Page tables of the VM that comes back. */
	if (READ_ONCE(ev->holder) == current)
		return ppu_evict_some(ev, size, ended);
	ppu_evict_lock(ev);
	/* Somebody else may have made room meanwhile; then this moves one object in vain. */
	ret = ppu_evict_some(ev, size, ended);
	ppu_evict_unlock(ev);
	return ret;
}

/* VMs: back */

/*
 * The next object from *@from on that the VM shows and that is out, with a reference, or NULL.
 * @once: only at the mapping that stands for the object, of however many the VM has.
 */
static struct ppu_bo *ppu_evict_next_out(struct ppu_vm *vm, u64 *from, bool once)
{
	struct ppu_mapping *map;
	struct ppu_bo *bo = NULL;

	mutex_lock(&vm->lock);
	for (map = ppu_vm_map_from(vm, *from); map && !bo; map = ppu_vm_map_from(vm, *from)) {
		*from = map->last + 1;
		/* Which mapping stands for it may change: it is met twice, or not at all. */
		if (map->bo && READ_ONCE(map->bo->out) && !(once && list_empty(&map->bo_link))) {
			bo = map->bo;
			ppu_bo_get(bo);
		}
	}
	mutex_unlock(&vm->lock);
	return bo;
}

/* Before a VM comes back: others need not wait until its objects are read from swap. */
static void ppu_evict_fetch_vm(struct ppu_evict *ev, struct ppu_vm *vm)
{
	struct ppu_bo *bo;
	u64 from = 0;

	lockdep_assert_not_held(&ev->lock);

	while (!fatal_signal_pending(current) && !drm_dev_is_unplugged(&ev->ppu->drm) &&
	       (bo = ppu_evict_next_out(vm, &from, true))) {
		atomic64_add(ppu_move_fetch(bo), &ev->fetched);
		ppu_bo_put(bo);
	}
}

/* Brings one object back that the VM shows.  1: there was none. */
static int ppu_evict_bring_next(struct ppu_evict *ev, struct ppu_vm *vm, u64 *from)
{
	struct ppu_bo *bo = ppu_evict_next_out(vm, from, false);
	int ret = 1;

	if (bo) {
		ret = ppu_evict_bring_bo(ev, bo);
		if (!ret)
			ppu_bo_unclaim(bo);
		ppu_bo_put(bo);
	}
	return ret;
}

static int ppu_evict_bring_objects(struct ppu_evict *ev, struct ppu_vm *vm)
{
	u64 from = 0;
	int ret;

	do {
		ret = ppu_evict_bring_next(ev, vm, &from);
		/* It may take long, and others wait for the lock. */
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
	} while (!ret);
	return ret == 1 ? 0 : ret;
}

/* Puts in the tables for all objects.  -EAGAIN: one is out; -EXFULL: the pool has too few. */
static int ppu_evict_prepare_vm(struct ppu_vm *vm, struct ppu_pt_pool *pool)
{
	struct ppu_mapping *map;

	for (map = ppu_vm_map_from(vm, 0); map; map = ppu_vm_map_from(vm, map->last + 1)) {
		struct ppu_backing mem;

		if (!map->bo || !ppu_bo_moves(map->bo))
			continue;
		if (READ_ONCE(map->bo->out))
			return -EAGAIN;
		mem = ppu_mmu_backing(map->bo);
		if (ppu_mmu_prepare(vm, pool, &mem, map->bo_offset, map->start,
				    map->last - map->start + 1, true))
			return -EXFULL;
	}
	return 0;
}

static void ppu_evict_map_vm(struct ppu_vm *vm, struct ppu_pt_pool *pool)
{
	struct ppu_mapping *map;

	for (map = ppu_vm_map_from(vm, 0); map; map = ppu_vm_map_from(vm, map->last + 1))
		if (map->bo && ppu_bo_moves(map->bo))
			ppu_mmu_map(vm, map->bo, map->bo_offset, map->start,
				    map->last - map->start + 1, map->pte_flags);
	vm->evict.out = false;
	ppu_mmu_flush(vm, pool);
}

/* -EAGAIN: an object was mapped meanwhile that is out. */
static int ppu_evict_remap_vm(struct ppu_vm *vm)
{
	const struct ppu_pt_need need = { .leaves = PPU_EVICT_LEAVES, .dirs = PPU_EVICT_DIRS };
	struct ppu_pt_pool pool;
	int ret;

	ppu_pt_pool_init(&pool);
	do {
		mutex_lock(&vm->lock);
		ret = ppu_evict_prepare_vm(vm, &pool);
		if (!ret)
			ppu_evict_map_vm(vm, &pool);
		mutex_unlock(&vm->lock);
		if (ret != -EXFULL)
			break;
		ret = ppu_pt_pool_fill(vm, &pool, &need);
	} while (!ret);
	ppu_pt_pool_drain(vm, &pool);
	return ret;
}

/* Brings a held VM back, whatever has to go for it. */
static int ppu_evict_resume(struct ppu_evict *ev, struct ppu_vm *vm)
{
	struct ppu_vm_evict *e = &vm->evict;
	int ret;

	lockdep_assert_held(&ev->lock);

	/* It will never run again. */
	if (READ_ONCE(vm->faulted))
		return -EIO;
	ev->coming = vm;
	do {
		ret = ppu_evict_bring_objects(ev, vm);
		if (!ret)
			ret = ppu_evict_remap_vm(vm);
	} while (ret == -EAGAIN);
	ev->coming = NULL;
	if (ret)
		return ret;

	e->resume = false;
	e->in_since = ktime_get_ns();
	WRITE_ONCE(e->idle_since, e->in_since);
	ev->stats.resumes++;
	trace_ppu_resume(vm->context_id, e->in_since - e->held_since);
	ppu_hold_go(vm);
	/* Only now others may use it, or hold it again. */
	atomic_set_release(&e->users, 0);
	return 0;
}

/** ppu_vm_try_use - as ppu_vm_use(), for a VM that is not held; in any context */
bool ppu_vm_try_use(struct ppu_vm *vm)
{
	return atomic_inc_unless_negative(&vm->evict.users);
}

/**
 * ppu_vm_use - have a VM on the device until ppu_vm_unuse()
 * @vm: VM
 *
 * Not in a section of the gate.
 *
 * Return: 0; -EIO: it has faulted while it was held; -ENOSPC, -ENOMEM, -ENODEV, -EINTR.
 */
int ppu_vm_use(struct ppu_vm *vm)
{
	struct ppu_evict *ev = vm->ppu->evict;
	int ret = 0;

	if (ppu_vm_try_use(vm))
		return 0;
	ppu_evict_fetch_vm(ev, vm);
	ppu_evict_lock(ev);
	if (atomic_read(&vm->evict.users) == PPU_VM_HELD)
		ret = ppu_evict_resume(ev, vm);
	if (!ret)
		atomic_inc(&vm->evict.users);
	ppu_evict_unlock(ev);
	return ret;
}

/** ppu_vm_unuse - undo ppu_vm_use(); in any context */
void ppu_vm_unuse(struct ppu_vm *vm)
{
	WRITE_ONCE(vm->evict.idle_since, ktime_get_ns());
	atomic_dec(&vm->evict.users);
}

/** ppu_vm_wanted - what a VM waits for may have come; in any context */
void ppu_vm_wanted(struct ppu_vm *vm)
{
	struct ppu_evict *ev = vm->ppu->evict;

	if (READ_ONCE(vm->evict.resume) && !drm_dev_is_unplugged(&ev->ppu->drm))
		mod_delayed_work(ev->resume_wq, &ev->resume_work, 0);
}

/* The VM with work that is held for longest, with a reference; NULL: there is none. */
static struct ppu_vm *ppu_evict_next_resume(struct ppu_evict *ev, u64 before)
{
	struct ppu_vm *vm, *best = NULL;
	unsigned long index = 0;

	while ((vm = ppu_vm_next(ev->ppu, &index))) {
		index++;
		if (vm->evict.resume && !READ_ONCE(vm->faulted) &&
		    vm->evict.held_since < before &&
		    (!best || vm->evict.held_since < best->evict.held_since))
			swap(best, vm);
		ppu_vm_put(vm);
	}
	return best;
}

/* Lets one VM go that has waited since before @before.  1: there was none. */
static int ppu_evict_resume_next(struct ppu_evict *ev, u64 before)
{
	struct ppu_vm *vm;
	int ret = 0;

	ppu_evict_lock(ev);
	vm = ppu_evict_next_resume(ev, before);
	ppu_evict_unlock(ev);
	if (!vm)
		return 1;
	ppu_evict_fetch_vm(ev, vm);
	ppu_evict_lock(ev);
	/* Somebody else may have let it go meanwhile, and held it again, or it has faulted. */
	if (vm->evict.resume && vm->evict.held_since < before && !READ_ONCE(vm->faulted))
		ret = ppu_evict_resume(ev, vm);
	ppu_evict_unlock(ev);
	ppu_vm_put(vm);
	return ret;
}

/* Lets all VMs go that wait.  Those that are held for their sake come the next time. */
static void ppu_evict_resume_work(struct work_struct *work)
{
	struct ppu_evict *ev = container_of(work, struct ppu_evict, resume_work.work);
	u64 now = ktime_get_ns();
	int ret;

	do {
		ret = ppu_evict_resume_next(ev, now);
	} while (!ret);
	if (ret < 0 && ret != -ENODEV)
		queue_delayed_work(ev->resume_wq, &ev->resume_work,
				   msecs_to_jiffies(PPU_EVICT_SLICE_MS));
}

/* Idle VMs */

static bool ppu_evict_is_idle(struct ppu_vm *vm)
{
	/* Before the clock is read: a VM that is used just now is not idle since the future. */
	u64 since = smp_load_acquire(&vm->evict.idle_since);
	struct ppu_hold_look look;

	if (vm->evict.out || atomic_read(&vm->evict.users))
		return false;
	/* It did not stop in time, whatever it does: nobody waits for it again so soon. */
	if (vm->evict.not_before > ktime_get_ns())
		return false;
	ppu_evict_look(vm, &look);
	return !look.work && !look.runs && ktime_get_ns() - since >= PPU_EVICT_IDLE_NS;
}

/*
 * Holds all VMs that have nothing to do and show system memory which could be given back.  The
 * shrinker takes it the next time.
 */
static void ppu_evict_idle_work(struct work_struct *work)
{
	struct ppu_evict *ev = container_of(work, struct ppu_evict, idle_work);
	unsigned long index = 0;
	struct ppu_vm *vm;
	u64 scan;

	ppu_evict_lock(ev);
	scan = ++ev->scans;
	ppu_shrink_mark_sys(ev->ppu);
	ppu_evict_unlock(ev);
	while ((vm = ppu_vm_next(ev->ppu, &index))) {
		index++;
		/* For each VM anew: to stop one may take long, and others wait. */
		ppu_evict_lock(ev);
		/* Who needs VRAM has marked VMs again, perhaps this one. */
		if (vm->evict.scan >= scan && ppu_evict_is_idle(vm))
			ppu_evict_hold(ev, vm);
		ppu_evict_unlock(ev);
		ppu_vm_put(vm);
	}
}

/** ppu_evict_want_idle - memory is short: hold VMs that are idle, soon; in any context */
void ppu_evict_want_idle(struct ppu_device *ppu)
{
	if (!drm_dev_is_unplugged(&ppu->drm))
		queue_work(ppu->evict->resume_wq, &ppu->evict->idle_work);
}

/* The whole */

/**
 * ppu_evict_all - hold all VMs that can be held, and move out all that can move
 * @ppu: device
 *
 * Return: 0 or a negative error.
 */
int ppu_evict_all(struct ppu_device *ppu)
{
	struct ppu_evict *ev = ppu->evict;
	struct ppu_bo *bo;
	int ret;

	ppu_evict_lock(ev);
	do {
		ret = ppu_evict_hold_one(ev, false);
	} while (!ret);
	if (ret == -ENOSPC)
		ret = 0;
	while (!ret && (bo = ppu_evict_next_bo(ev))) {
		ret = ppu_evict_bo(ev, bo);
		ppu_bo_put(bo);
	}
	ppu_evict_unlock(ev);
	return ret;
}

/** ppu_evict_print - say what was moved, and what is out */
void ppu_evict_print(struct drm_printer *p, struct ppu_device *ppu)
{
	struct ppu_evict *ev = ppu->evict;
	struct ppu_evict_stats stats;
	u64 objects = 0, bytes = 0;
	unsigned long index = 0;
	unsigned int vms = 0;
	struct ppu_vm *vm;
	struct ppu_bo *bo;

	ppu_evict_lock(ev);
	stats = ev->stats;
	spin_lock(&ev->bos_lock);
	list_for_each_entry(bo, &ev->bos, vram_link) {
		objects += bo->out;
		bytes += bo->out ? ppu_bo_gem(bo)->size : 0;
	}
	spin_unlock(&ev->bos_lock);
	while ((vm = ppu_vm_next(ppu, &index))) {
		index++;
		vms += vm->evict.out;
		ppu_vm_put(vm);
	}
	ppu_evict_unlock(ev);
	drm_printf(p, "held_vms %u\nout_objects %llu\nout_bytes %llu\n", vms, objects, bytes);
	drm_printf(p, "moved_out_bytes %llu\nmoved_out_ns %llu\n", stats.out_bytes, stats.out_ns);
	drm_printf(p, "moved_in_bytes %llu\nmoved_in_ns %llu\n", stats.in_bytes, stats.in_ns);
	drm_printf(p, "fetched_pages %lld\n", (s64)atomic64_read(&ev->fetched));
	drm_printf(p, "holds %llu\nlet_go %llu\nresumes %llu\n", stats.holds, stats.let_go,
		   stats.resumes);
	ppu_shrink_print(p, ppu);
}

/* Objects that other devices reach */

/* Holds all VMs that show the object.  -EAGAIN: one is used; -EBUSY: its work does not end. */
static int ppu_evict_hold_users(struct ppu_evict *ev, struct ppu_bo *bo)
{
	unsigned long index = 0;
	struct ppu_vm *vm;
	int ret = 0;

	ev->scans++;
	ppu_evict_mark_vms(ev, bo);
	while (!ret && (vm = ppu_vm_next(ev->ppu, &index))) {
		index++;
		if (vm->evict.scan == ev->scans && !vm->evict.out)
			ret = ppu_evict_hold(ev, vm);
		ppu_vm_put(vm);
	}
	return ret;
}

/* The object is claimed. */
static int ppu_evict_share_claimed(struct ppu_evict *ev, struct ppu_bo *bo)
{
	u64 size = ppu_bo_gem(bo)->size;
	int ret;

	/* A VM that just ends is in no table, and was not held. */
	if (!ppu_evict_unused(ev, bo))
		return -EAGAIN;
	ret = ppu_quota_charge(bo->quota, DRM_PPU_RES_SYSTEM, size);
	if (ret)
		return ret;
	do {
		ret = ppu_move_share(bo);
	} while (ret == -EAGAIN && !ppu_evict_wait_reset(ev->ppu));
	if (ret) {
		ppu_quota_release(bo->quota, DRM_PPU_RES_SYSTEM, size);
		return ret == -EAGAIN ? -ENODEV : ret;
	}
	ppu_evict_remove(bo);
	ppu_quota_release_vram(bo->quota, size, bo->fixed);
	bo->fixed = false;
	return 0;
}

static int ppu_evict_share_locked(struct ppu_evict *ev, struct ppu_bo *bo)
{
	int ret;

	lockdep_assert_held(&ev->lock);

	if (bo->placement == DRM_PPU_PLACEMENT_SYSTEM)
		return 0;
	/* They use its address for as long as user space wants it. */
	if (atomic_read(&bo->num_sems))
		return -EBUSY;
	/* The export has pinned it.  Who else has needs it where it is: a bind that is not done. */
	if (atomic_read(&bo->pins) != 1)
		return -EAGAIN;
	ret = ppu_evict_hold_users(ev, bo);
	if (ret)
		return ret;
	if (atomic_cmpxchg(&bo->pins, 1, PPU_BO_AWAY) != 1)
		return -EAGAIN;
	ret = ppu_evict_share_claimed(ev, bo);
	atomic_set_release(&bo->pins, 1);
	return ret;
}

/**
 * ppu_evict_share - make an object of VRAM one of system memory, for good
 * @bo: object that was exported, of VRAM or not any more
 *
 * Waits a while for jobs of VMs that show it, and for who uses one of them for a moment.  Others
 * have the lock meanwhile: a VM may come back for them.
 *
 * Return: 0, -EBUSY: a VM that shows it does not stop, or a semaphore is there; -ENOSPC, -ENOMEM,
 * -ENODEV or -ERESTARTSYS.
 */
int ppu_evict_share(struct ppu_bo *bo)
{
	struct ppu_patience patience = ppu_patience_begin(PPU_EVICT_SHARE_MS);
	struct ppu_evict *ev = to_ppu(ppu_bo_gem(bo)->dev)->evict;

	for (;;) {
		bool late = ppu_patience_over(&patience);
		int ret;

		ppu_evict_lock(ev);
		ret = ppu_evict_share_locked(ev, bo);
		ppu_evict_unlock(ev);
		if (ret != -EAGAIN)
			return ret;
		if (late)
			return -EBUSY;
		schedule_timeout_interruptible(1);
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
}

static void ppu_evict_fini(struct drm_device *drm, void *data)
{
	struct ppu_evict *ev = data;

	cancel_delayed_work_sync(&ev->resume_work);
	cancel_work_sync(&ev->idle_work);
	destroy_workqueue(ev->resume_wq);
	drm_WARN_ON(drm, !list_empty(&ev->bos));
	mutex_destroy(&ev->lock);
}

/** ppu_evict_init - nothing is out */
int ppu_evict_init(struct ppu_device *ppu)
{
	struct ppu_evict *ev = drmm_kzalloc(&ppu->drm, sizeof(*ev), GFP_KERNEL);

	if (!ev)
		return -ENOMEM;
	ev->ppu = ppu;
	/* Frozen while the machine sleeps: pages of objects may be on a disk that sleeps, too. */
	ev->resume_wq = alloc_workqueue("ppu-resume", WQ_UNBOUND | WQ_FREEZABLE, 1);
	if (!ev->resume_wq)
		return -ENOMEM;
	mutex_init(&ev->lock);
	spin_lock_init(&ev->bos_lock);
	INIT_LIST_HEAD(&ev->bos);
	INIT_DELAYED_WORK(&ev->resume_work, ppu_evict_resume_work);
	INIT_WORK(&ev->idle_work, ppu_evict_idle_work);
	ppu->evict = ev;

	/* Tell lockdep: memory is allocated under this lock, so no fence may wait for it. */
	mutex_lock(&ev->lock);
	might_alloc(GFP_KERNEL);
	mutex_unlock(&ev->lock);
	return drmm_add_action_or_reset(&ppu->drm, ppu_evict_fini, ev);
}

/** ppu_evict_stop - the driver leaves the device, which was unplugged */
void ppu_evict_stop(struct ppu_device *ppu)
{
	cancel_delayed_work_sync(&ppu->evict->resume_work);
	cancel_work_sync(&ppu->evict->idle_work);
}
