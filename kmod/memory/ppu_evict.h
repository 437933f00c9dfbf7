/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: room in VRAM.
 */
#ifndef __PPU_EVICT_H__
#define __PPU_EVICT_H__

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct address_space;
struct drm_printer;
struct ppu_bo;
struct ppu_device;
struct ppu_vm;

/**
 * struct ppu_vm_evict - what a VM knows of its being held
 */
struct ppu_vm_evict {
	/**
	 * @users: who needs the VM on the device; PPU_VM_HELD: it is held, or about to be, or comes
	 * back.  It becomes PPU_VM_HELD from 0, and changes from it, under ppu_evict.lock only.
	 */
	atomic_t users;
	/** @out: page tables show no object that can move; under ppu_vm.lock and ppu_evict.lock. */
	bool out;
	/** @stop: no channel may fetch; under ppu_device.chan_lock. */
	bool stop;
	/** @resume: it was held with work to do, and must come back by itself; ppu_evict.lock. */
	bool resume;
	/** @idle_since: when it was seen to do something for the last time, ns. */
	u64 idle_since;
	/** @runtime_ns: engine time of its channels then; under ppu_evict.lock. */
	u64 runtime_ns;
	/** @in_since: when it came back, ns; 0: it was never held; under ppu_evict.lock. */
	u64 in_since;
	/** @held_since: when it was held, ns; under ppu_evict.lock. */
	u64 held_since;
	/** @not_before: work that did not end in time is let alone until then; likewise. */
	u64 not_before;
	/** @scan: the last look at all objects that found one of this VM; likewise. */
	u64 scan;
};

#define PPU_VM_HELD	(-1)

/**
 * struct ppu_evict_stats - what was moved, since the driver came
 */
struct ppu_evict_stats {
	/** @out_bytes: moved to pages. */
	u64 out_bytes;
	/** @in_bytes: moved back. */
	u64 in_bytes;
	/** @out_ns: time it took. */
	u64 out_ns;
	/** @in_ns: time it took. */
	u64 in_ns;
	/** @holds: VMs that were held. */
	u64 holds;
	/** @let_go: VMs whose work did not end in time. */
	u64 let_go;
	/** @resumes: VMs that came back. */
	u64 resumes;
};

/**
 * struct ppu_evict - makes room in VRAM
 */
struct ppu_evict {
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @lock: objects move, and VMs are held, under it. */
	struct mutex lock;
	/** @holder: task that has @lock, and may come back for page tables. */
	struct task_struct *holder;
	/** @coming: VM that comes back: its objects stay. */
	struct ppu_vm *coming;
	/** @vms: VMs whose memory is not free yet; those that just end are in no table any more. */
	atomic_t vms;
	/** @ended: VMs whose memory is free by now. */
	atomic_t ended;
	/** @scans: looks at all objects. */
	u64 scans;
	/** @fetched: pages that were read before somebody took @lock. */
	atomic64_t fetched;
	/** @stats: under @lock. */
	struct ppu_evict_stats stats;
	/** @resume_wq: for @resume_work and @idle_work. */
	struct workqueue_struct *resume_wq;
	/** @resume_work: lets VMs go that were held with work to do. */
	struct delayed_work resume_work;
	/** @idle_work: holds VMs that are idle, on @resume_wq. */
	struct work_struct idle_work;
	/** @bos_lock: protects @bos. */
	spinlock_t bos_lock;
	/** @bos: objects of VRAM that can move: ppu_bo.vram_link; the newest at the end. */
	struct list_head bos;
};

int ppu_evict_init(struct ppu_device *ppu);
void ppu_evict_stop(struct ppu_device *ppu);
void ppu_evict_assert_held(struct ppu_device *ppu);
void ppu_evict_count(struct ppu_device *ppu, u64 bytes, bool out, u64 ns);
void ppu_evict_add(struct ppu_bo *bo);
void ppu_evict_remove(struct ppu_bo *bo);
int ppu_evict_ended(struct ppu_device *ppu);
int ppu_evict_room(struct ppu_device *ppu, u64 size, int *ended);
int ppu_evict_all(struct ppu_device *ppu);
void ppu_evict_print(struct drm_printer *p, struct ppu_device *ppu);
bool ppu_evict_trylock(struct ppu_device *ppu);
void ppu_evict_tryunlock(struct ppu_device *ppu);
bool ppu_evict_claim_unused(struct ppu_bo *bo);
void ppu_evict_mark(struct ppu_bo *bo);
void ppu_evict_want_idle(struct ppu_device *ppu);
int ppu_evict_share(struct ppu_bo *bo);
int ppu_bo_pin(struct ppu_bo *bo);
int ppu_bo_fix(struct ppu_bo *bo);
void ppu_vm_evict_init(struct ppu_vm *vm);
void ppu_vm_evict_begin(struct ppu_vm *vm);
void ppu_vm_evict_end(struct ppu_vm *vm);
int ppu_vm_use(struct ppu_vm *vm);
bool ppu_vm_try_use(struct ppu_vm *vm);
void ppu_vm_unuse(struct ppu_vm *vm);
void ppu_vm_wanted(struct ppu_vm *vm);

#endif
