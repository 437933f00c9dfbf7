/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: one PPU, and what there is once for all of it.
 *
 * What its locks protect, and in which order they are taken: locking.rst.
 */
#ifndef __PPU_DEVICE_H__
#define __PPU_DEVICE_H__

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include <hw/ppu_regs.h>

#include "base/ppu_gate.h"
#include "base/ppu_irq.h"
#include "base/ppu_platform.h"

struct ppu_bus;
struct ppu_channel;
struct ppu_evict;
struct ppu_irq_handlers;
struct ppu_shrink;
struct ppu_vram;
struct ppu_vram_save;
struct ppu_watches;
struct workqueue_struct;

#define PPU_CHID_NONE		(-1)		/* no channel has this number */
#define PPU_UNPRIV_QUEUE_PRIO	7		/* without CAP_SYS_NICE */
#define PPU_TIMESLICE_MIN_US	1u
#define PPU_TIMESLICE_MAX_US	10000u		/* without CAP_SYS_NICE */
#define PPU_TIMESLICE_LIMIT_US	1000000u

/* An ioctl argument is wrong: say which check failed, at debug level. */
#define PPU_CHECK(ppu, cond) \
	((cond) && \
	 (drm_dbg_driver(&(ppu)->drm, "%s:%d: refused: %s\n", __func__, __LINE__, #cond), 1))

/**
 * struct ppu_caps - CAP_* registers
 */
struct ppu_caps {
	/** @channels: CAP_CHANNELS. */
	u32 channels;
	/** @copy_engines: CAP_COPY_ENGINES. */
	u32 copy_engines;
	/** @gpcs: CAP_GPCS. */
	u32 gpcs;
	/** @sms_per_gpc: CAP_SMS_PER_GPC. */
	u32 sms_per_gpc;
	/** @sms: of all GPCs together. */
	u32 sms;
	/** @warps_per_sm: CAP_WARPS_PER_SM. */
	u32 warps_per_sm;
	/** @warp_size: CAP_WARP_SIZE. */
	u32 warp_size;
	/** @ctas_per_sm: CAP_CTAS_PER_SM. */
	u32 ctas_per_sm;
	/** @task_slots: CAP_TASK_SLOTS. */
	u32 task_slots;
	/** @task_records: CAP_TASK_RECORDS. */
	u32 task_records;
	/** @device_priorities: CAP_DEVICE_PRIORITIES. */
	u32 device_priorities;
	/** @tokq_entries: CAP_TOKENQ_ENTRIES. */
	u32 tokq_entries;
	/** @shared_per_sm: CAP_SHARED_PER_SM. */
	u32 shared_per_sm;
	/** @shared_per_cta: CAP_SHARED_PER_CTA. */
	u32 shared_per_cta;
	/** @regs_per_sm: CAP_REGS_PER_SM. */
	u32 regs_per_sm;
	/** @ring_max: CAP_RING_MAX. */
	u32 ring_max;
	/** @watches: CAP_WATCHES. */
	u32 watches;
	/** @features: CAP_FEATURES, PPU_FEAT_*. */
	u32 features;
	/** @timeslice_ns: CAP_TIMESLICE_NS. */
	u32 timeslice_ns;
	/** @window_ns: CAP_WINDOW_NS. */
	u32 window_ns;
	/** @sm_clock_khz: CAP_SM_CLOCK_KHZ. */
	u32 sm_clock_khz;
	/** @save_per_sm: CAP_SAVE_BYTES_PER_SM. */
	u32 save_per_sm;
	/** @version: VERSION. */
	u32 version;
};

/**
 * struct ppu_devq_stand - where the next set-up of a queue is to stand still, for tests
 */
struct ppu_devq_stand {
	/** @after: one of ppu_devq_steps; 0: nowhere.  Who stands there sets it to 0. */
	u32 after;
	/** @chid: the channel that stands, plus 1; 0: none does, or it may go on. */
	u32 chid;
	/** @fail: whoever stands fails when it goes on. */
	bool fail;
};

/**
 * struct ppu_device - one PPU
 */
struct ppu_device {
	/** @drm: DRM device. */
	struct drm_device drm;
	/** @pci: PCI function. */
	struct pci_dev *pci;
	/** @regs: BAR0. */
	void __iomem *regs;
	/** @vram_io: BAR2, write-combined. */
	void __iomem *vram_io;
	/** @regs_phys: of @regs. */
	phys_addr_t regs_phys;
	/** @vram_phys: of @vram_io. */
	phys_addr_t vram_phys;
	/** @caps: what the device has. */
	struct ppu_caps caps;
	/** @vram_size: bytes of VRAM. */
	u64 vram_size;
	/** @vram: allocator of device memory. */
	struct ppu_vram *vram;
	/** @vram_save: contents of VRAM while the machine sleeps. */
	struct ppu_vram_save *vram_save;
	/** @evict: makes room in VRAM. */
	struct ppu_evict *evict;
	/** @shrink: gives back pages of objects that are out. */
	struct ppu_shrink *shrink;
	/** @watches: watch table. */
	struct ppu_watches *watches;
	/** @devq_stand: where the set-up of a queue stands still, for tests. */
	struct ppu_devq_stand devq_stand;

	/** @gate: who touches the device. */
	struct ppu_gate gate;
	/** @hw_lock: registers that work in pairs: CTX_*, TLB_INV_*, TIME, FAULT_*, DBG_*. */
	spinlock_t hw_lock;

	/** @chan_lock: protects @chans, ppu_vm.channels, ppu_channel.dead. */
	spinlock_t chan_lock;
	/** @chans: channels by number; NULL: free. */
	struct ppu_channel **chans;
	/** @chan_top: one past the highest channel ever used. */
	unsigned int chan_top;
	/** @chids: numbers that are taken. */
	struct ida chids;
	/** @drain_lock: reading the device's fault records, in order. */
	struct mutex drain_lock;
	/** @recentre_lock: an SM exception is served. */
	struct mutex recentre_lock;
	/** @stop_wq: woken when a channel's STOP or RESET finished. */
	wait_queue_head_t stop_wq;

	/** @quota_lock: protects @quotas, @quota_users, and changes of what they have of VRAM. */
	struct mutex quota_lock;
	/** @quotas: struct ppu_quota.link. */
	struct list_head quotas;
	/** @quota_ids: the last struct ppu_quota.id that was given; under @quota_lock. */
	u64 quota_ids;
	/** @quota_users: struct ppu_quota_user.link. */
	struct list_head quota_users;
	/** @vram_fixed: of all processes' VRAM, what cannot be moved out; under @quota_lock. */
	u64 vram_fixed;

	/** @mapped_lock: protects @mapped. */
	struct mutex mapped_lock;
	/** @mapped: objects that are mapped for DMA: struct ppu_bo.mapped_link. */
	struct list_head mapped;

	/** @vms: by address of the instance block >> 12. */
	struct xarray vms;

	/** @events_lock: protects @events. */
	spinlock_t events_lock;
	/** @events: struct ppu_eventfd.link, all but those of semaphores. */
	struct list_head events;

	/** @sem_fences_lock: protects @sem_fences. */
	spinlock_t sem_fences_lock;
	/** @sem_fences: struct ppu_sem_fence.link. */
	struct list_head sem_fences;

	/** @bind_wq: asynchronous binds, for which fences wait. */
	struct workqueue_struct *bind_wq;
	/** @bind_free_wq: frees asynchronous binds; no fence waits for it. */
	struct workqueue_struct *bind_free_wq;
	/** @wq: what cannot be done where it is noticed. */
	struct workqueue_struct *wq;
	/** @sched_wq: job time-outs of all channels, one after the other. */
	struct workqueue_struct *sched_wq;
	/** @jobs_wq: woken when a job is freed. */
	wait_queue_head_t jobs_wq;

	/** @reset_count: resets since the driver came. */
	atomic_t reset_count;
	/** @reset_wanted: what @reset_count must reach; less is wanted by nobody. */
	atomic_t reset_wanted;
	/** @reset_work: resets the device until it does. */
	struct work_struct reset_work;
	/** @bus_error: the bus has had an error, and has not been reset; under device_lock(). */
	bool bus_error;
	/** @bus_error_work: takes the device for lost if it stays so. */
	struct delayed_work bus_error_work;
	/** @kept_awake: it is down, and must not sleep as well; under device_lock(). */
	bool kept_awake;
	/** @can_doze: there is runtime power management, and the driver has not left. */
	bool can_doze;
	/** @no_wake: it did not wake up. */
	bool no_wake;
	/** @handlers: of interrupts. */
	const struct ppu_irq_handlers *handlers;
	/** @irqs_on: the vectors are requested. */
	bool irqs_on;
	/** @intr_lock: protects @intr_enabled, @intr_held and INTR_ENABLE. */
	spinlock_t intr_lock;
	/** @intr_enabled: the device may interrupt. */
	bool intr_enabled;
	/** @intr_held: causes that are held back. */
	u32 intr_held;
	/** @pace: by vector. */
	struct ppu_pace pace[PPU_NUM_VECTORS];

	/** @dumped: there was a coredump; under @events_lock. */
	bool dumped;
	/** @last_dump: when it was, jiffies; under @events_lock. */
	unsigned long last_dump;
};

#define to_ppu(d) container_of(d, struct ppu_device, drm)

/* For the driver core: @dev is the struct ppu_device. */
extern const struct ppu_bus ppu_bus;
int ppu_device_init(struct ppu_device *ppu);
int ppu_device_start(struct ppu_device *ppu);
void ppu_device_quiesce(struct ppu_device *ppu);
void ppu_device_reset(struct ppu_device *ppu);
void ppu_device_want_reset(struct ppu_device *ppu, int since);
void ppu_device_wait_reset(struct ppu_device *ppu);
u64 ppu_device_time(struct ppu_device *ppu);
u32 ppu_max_priority(void);
u32 ppu_max_timeslice_us(void);

#endif
