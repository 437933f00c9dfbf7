/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: the structures its files share.
 *
 * Lock order, outermost first (locking.rst says what each protects):
 *
 *   ppu_channel.lock > ppu_vm.area_lock > ppu_vram.lock
 *   ppu_channel.lock > ppu_vm.lock
 *   ppu_channel.lock > ppu_device.drain_lock
 *   > ppu_device.chan_lock > ppu_device.events_lock > ppu_watches.lock
 *   > ppu_device.bridges_lock
 *   > ppu_bo.maps_lock > ppu_channel.fence_lock > dma_fence.lock
 *   > ppu_vm.fault_lock > ppu_device.hw_lock
 */
#ifndef __PPU_DRV_H__
#define __PPU_DRV_H__

#include <linux/bitmap.h>
#include <linux/dma-fence.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_buddy.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_mm.h>
#include <drm/drm_print.h>
#include <drm/gpu_scheduler.h>

#include <hw/ppu_counters.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_devq.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_save.h>
#include <uapi/drm/ppu_drm.h>

#include "core/channel.h"
#include "core/context.h"
#include "core/fault.h"
#include "core/pt.h"

#define PPU_MAX_FAULTS_KEPT	64
#define PPU_UNPRIV_QUEUE_PRIO	7
#define PPU_TIMESLICE_MIN_US	1u
#define PPU_TIMESLICE_MAX_US	10000u		/* without CAP_SYS_NICE */
#define PPU_TIMESLICE_LIMIT_US	1000000u
#define PPU_JOB_TIMEOUT_MS	10000u
#define PPU_JOB_TIMEOUT_MAX_MS	600000u
#define PPU_STOP_TIMEOUT_MS	5000u
#define PPU_NO_CHANNEL		(-1)
#define PPU_NUM_CHANNEL_TYPES	(DRM_PPU_CHANNEL_DEVICE_QUEUE + 1)

struct dma_fence_chain;
struct drm_syncobj;
struct ppu_device;
struct ppu_vm;
struct ppu_channel;

/* An ioctl argument is wrong: say which check failed, at debug level. */
#define PPU_CHECK(pdev, cond) \
	((cond) && \
	 (drm_dbg_driver(&(pdev)->drm, "%s:%d: refused: %s\n", __func__, __LINE__, #cond), 1))

/** struct ppu_caps - CAP_* registers */
struct ppu_caps {
	u32 channels;
	u32 copy_engines;
	u32 gpcs;
	u32 sms_per_gpc;
	u32 sms;
	u32 warps_per_sm;
	u32 warp_size;
	u32 ctas_per_sm;
	u32 task_slots;
	u32 task_records;
	u32 device_priorities;
	u32 tokq_entries;
	u32 shared_per_sm;
	u32 shared_per_cta;
	u32 regs_per_sm;
	u32 ring_max;
	u32 watches;
	u32 features;
	u32 timeslice_ns;
	u32 window_ns;
	u32 sm_clock_khz;
	u32 save_per_sm;
	u32 version;
};

/** struct ppu_vram - allocator of device memory */
struct ppu_vram {
	/** @lock: protects @mm. */
	struct mutex lock;
	/** @mm: the buddy allocator. */
	struct drm_buddy mm;
	/** @size: bytes of VRAM. */
	u64 size;
	/** @ready: @mm is initialised. */
	bool ready;
};

/** struct ppu_vram_range - a contiguous piece of VRAM the driver owns */
struct ppu_vram_range {
	/** @quota: account that pays; NULL: nobody; outlives the range. */
	struct ppu_quota *quota;
	struct list_head blocks;
	u64 addr;
	u64 size;
};

/**
 * struct ppu_watch - one word the device or SEM_SIGNAL wakes someone for
 *
 * Lives in its owner; between ppu_watch_add() and ppu_watch_del() @fn is called
 * with the table's lock held, interrupts off.
 */
struct ppu_watch {
	/** @node: in ppu_watches.by_addr. */
	struct hlist_node node;
	/** @addr: physical address of the word | aperture. */
	u64 addr;
	/** @fn: the word matched (@matched), or was signalled: look again. */
	void (*fn)(struct ppu_watch *watch);
	/** @op: condition, PPU_SEM_OP_*. */
	u32 op;
	/** @value: operand. */
	u64 value;
	/** @is32: the word has 32 bits. */
	bool is32;
	/** @index: entry of the device's table; -1: none was free. */
	int index;
	/** @matched: the device saw the condition hold. */
	bool matched;
};

/** struct ppu_watches - the device's watch table */
struct ppu_watches {
	/** @lock: protects everything here, and waiters' lists. */
	spinlock_t lock;
	/** @used: entries in use. */
	DECLARE_BITMAP(used, PPU_MAX_WATCHES);
	/** @slot: whose entry it is. */
	struct ppu_watch **slot;
	/** @by_addr: all watches, also those without an entry. */
	DECLARE_HASHTABLE(by_addr, 8);
	/** @waiters: SEM_WAIT calls in progress. */
	struct list_head waiters;
	/** @top: one past the highest entry ever used. */
	unsigned int top;
};

/** struct ppu_pace - how often an interrupt vector comes */
struct ppu_pace {
	struct ppu_device *pdev;
	/** @mask: causes of the vector, PPU_INTR_*. */
	u32 mask;
	/** @due: when the next would come if all so far had kept the rate, ktime in ns. */
	u64 due;
	/** @timer: lets held causes through again. */
	struct hrtimer timer;
	/** @total: interrupts; @held: times they were held back. */
	u64 total;
	u64 held;
};

/** struct ppu_device - one PPU */
struct ppu_device {
	struct drm_device drm;
	struct pci_dev *pdev;
	/** @regs: BAR0. */
	void __iomem *regs;
	/** @vram_io: BAR2, write-combined. */
	void __iomem *vram_io;
	phys_addr_t regs_phys;
	phys_addr_t vram_phys;
	struct ppu_caps caps;
	struct ppu_vram vram;
	struct ppu_watches watches;

	/** @hw_lock: registers that work in pairs: CTX_*, TLB_INV_*, TIME, FAULT_*. */
	spinlock_t hw_lock;

	/** @chan_lock: protects @chans, ppu_vm.channels, ppu_channel.dead. */
	spinlock_t chan_lock;
	struct ppu_channel **chans;
	/** @chan_top: one past the highest channel ever used. */
	unsigned int chan_top;
	struct ida chids;
	/** @drain_lock: reading the device's fault records, in order. */
	struct mutex drain_lock;
	/** @stop_wq: woken when a channel's STOP or RESET finished. */
	wait_queue_head_t stop_wq;

	/** @quota_lock: protects @quotas. */
	struct mutex quota_lock;
	/** @quotas: struct ppu_quota.link. */
	struct list_head quotas;

	/** @mapped_lock: protects @mapped. */
	struct mutex mapped_lock;
	/** @mapped: objects that are mapped for DMA: struct ppu_bo.mapped_link. */
	struct list_head mapped;

	/** @vms: by address of the instance block >> 12. */
	struct xarray vms;

	/** @events_lock: protects @events and struct ppu_event.armed. */
	spinlock_t events_lock;
	struct list_head events;

	/** @bridges_lock: protects @bridges. */
	spinlock_t bridges_lock;
	/** @bridges: struct ppu_bridge.link. */
	struct list_head bridges;

	/** @bind_wq: asynchronous binds, for which fences wait. */
	struct workqueue_struct *bind_wq;
	/** @wq: what cannot be done where it is noticed. */
	struct workqueue_struct *wq;
	/** @sched_wq: job time-outs of all channels, one after the other. */
	struct workqueue_struct *sched_wq;
	/** @jobs_wq: woken when a job is freed. */
	wait_queue_head_t jobs_wq;

	atomic_t reset_count;
	bool irqs_on;
	/** @intr_lock: protects the next two, and INTR_ENABLE. */
	spinlock_t intr_lock;
	/** @intr_enabled: the device may interrupt; @intr_held: but not for these. */
	bool intr_enabled;
	u32 intr_held;
	struct ppu_pace pace[PPU_NUM_VECTORS];

	/** @dumped: there was a coredump, at @last_dump (jiffies); events_lock. */
	bool dumped;
	unsigned long last_dump;
};

#define to_ppu(d) container_of(d, struct ppu_device, drm)

#define PPU_NUM_RESOURCES	(DRM_PPU_RES_VRAM + 1)

/** struct ppu_quota - what one process has, in all the files it opened */
struct ppu_quota {
	struct kref kref;
	struct ppu_device *pdev;
	/** @link: in ppu_device.quotas. */
	struct list_head link;
	/** @owner: the process, and its name when it came, for messages. */
	struct pid *owner;
	char comm[TASK_COMM_LEN];
	/** @used: by enum drm_ppu_resource. */
	atomic64_t used[PPU_NUM_RESOURCES];
};

/** struct ppu_file - one open file */
struct ppu_file {
	struct ppu_device *pdev;
	struct drm_file *drm;
	u64 client_id;
	struct xarray vms;
	struct xarray channels;
	struct xarray groups;
	struct xarray sems;
	struct xarray events;
	/** @quota: account of the process that opened it. */
	struct ppu_quota *quota;
	/** @runtime_ns: engine time of destroyed channels, by type (fdinfo). */
	atomic64_t runtime_ns[PPU_NUM_CHANNEL_TYPES];
};

/** struct ppu_seg - a piece of a buffer object that is contiguous for the device */
struct ppu_seg {
	u64 offset;
	u64 addr;
	u64 size;
};

/** struct ppu_bo - buffer object */
struct ppu_bo {
	/** @base: GEM object; the shmem part is used by system objects only. */
	struct drm_gem_shmem_object base;
	u32 placement;
	u32 flags;
	/** @vm_uid: the only VM it may be bound in, 0: any. */
	u64 vm_uid;
	/** @imported: memory of another driver. */
	bool imported;
	/** @kernel: owned by the driver (rings): never bound by user space. */
	bool kernel;
	/** @revoked: CPU mappings give SIGBUS. */
	bool revoked;
	/** @quota: account that pays for it; NULL: imported. */
	struct ppu_quota *quota;
	/** @num_sems: semaphore objects that name it. */
	atomic_t num_sems;
	/** @segs: where it is. */
	struct ppu_seg *segs;
	unsigned int num_segs;
	/** @blocks: VRAM. */
	struct list_head blocks;
	/** @maps_lock: protects @maps. */
	spinlock_t maps_lock;
	/** @maps: struct ppu_mapping.bo_link. */
	struct list_head maps;
	/** @mapped_link: in ppu_device.mapped; system objects of our own. */
	struct list_head mapped_link;
};

#define to_ppu_bo(o) container_of(to_drm_gem_shmem_obj(o), struct ppu_bo, base)
#define ppu_bo_gem(bo) (&(bo)->base.base)

/** struct ppu_mapping - a range of an address space that shows a buffer object */
struct ppu_mapping {
	struct rb_node rb;
	u64 start;
	u64 last;
	u64 subtree_last;
	struct ppu_vm *vm;
	struct ppu_bo *bo;
	u64 bo_offset;
	u64 pte_flags;
	struct list_head bo_link;
	/** @node: address in the kernel-owned range, if it is there. */
	struct drm_mm_node node;
};

/** struct ppu_pt_page - one page table and its page */
struct ppu_pt_page {
	struct ppu_vram_range mem;
	struct list_head link;
	struct ppu_pt pt;
	/** @child: of @pt, if it is for the levels above 0. */
	struct ppu_pt *child[];
};

/** struct ppu_pt_pool - page tables that are in no address space */
struct ppu_pt_pool {
	/** @leaves: for level 0: struct ppu_pt_page.link. */
	struct list_head leaves;
	/** @dirs: for the levels above. */
	struct list_head dirs;
	/** @garbage: taken out of an address space. */
	struct list_head garbage;
};

/** struct ppu_vm - GPU context: address space and instance block */
struct ppu_vm {
	struct kref kref;
	struct ppu_device *pdev;
	/** @quota: account that pays for its VRAM. */
	struct ppu_quota *quota;
	/** @uid: never used again. */
	u64 uid;
	u32 context_id;

	/**
	 * @lock: protects mappings and page tables.  Fences wait for its holders:
	 * nothing is allocated while it is held.
	 */
	struct mutex lock;
	struct rb_root_cached mappings;
	struct ppu_pt_tree pt;
	/** @pt_free: unlinked page tables, freed after the TLB is invalidated. */
	struct list_head pt_free;
	struct drm_mm kernel_va;

	/** @area_lock: protects areas, instance block and properties. */
	struct mutex area_lock;
	struct ppu_vram_range inst;
	struct ppu_vram_range local;
	struct ppu_vram_range tokq;
	struct ppu_vram_range save;
	/** @retired: replaced areas a task may still use; freed with the VM. */
	struct list_head retired;
	u64 retired_size;
	bool has_areas;
	u32 max_depth;
	u32 max_pending;
	u32 prio_ceiling;
	u32 local_per_thread;
	u32 watchdog_ms;

	/** @bind_mutex: who queues asynchronous binds; @bind_closed. */
	struct mutex bind_mutex;
	/** @bind_lock: protects the queue and its counters. */
	spinlock_t bind_lock;
	/** @binds: struct ppu_bind.link. */
	struct list_head binds;
	/** @bind_closed: destroyed, nothing can be queued. */
	bool bind_closed;
	struct work_struct bind_work;
	u64 binds_queued;
	u64 binds_done;
	/** @bind_error: negative error of the first that failed. */
	int bind_error;

	/** @channels: struct ppu_channel.vm_link, under ppu_device.chan_lock. */
	struct list_head channels;
	/** @held: its channels must not fetch; under ppu_device.chan_lock. */
	bool held;
	/** @kick_chid: some channel of this VM, PPU_NO_CHANNEL: none. */
	int kick_chid;
	/** @faulted: final. */
	bool faulted;

	/** @fault_lock: protects the fault records. */
	spinlock_t fault_lock;
	struct ppu_fault_rec faults[PPU_MAX_FAULTS_KEPT];
	u64 fault_cpu_ns[PPU_MAX_FAULTS_KEPT];
	unsigned int num_faults;
	u64 fault_total;
};

/** struct ppu_userd - GEM object of a channel's USERD page */
struct ppu_userd {
	struct drm_gem_object base;
	phys_addr_t phys;
	bool revoked;
};

/** struct ppu_failure - why a channel's work ended */
struct ppu_failure {
	/** @err: negative error its fences get. */
	int err;
	/** @cause: bit of DRM_PPU_CHANNEL_STATE_* that says so, 0: destroyed. */
	u32 cause;
	/** @error: PPU_ERR_* code of the device, 0 if none. */
	u32 error;
	/** @get: GP_GET of the failing entry. */
	u32 get;
	/** @va: address @error is about. */
	u64 va;
};

/**
 * struct ppu_group - channels that are controlled together
 *
 * Everything but @kref and @stop_work is protected by ppu_device.chan_lock.
 */
struct ppu_group {
	struct kref kref;
	struct ppu_device *pdev;
	/** @channels: struct ppu_channel.group_link. */
	struct list_head channels;
	/** @policy: enum drm_ppu_group_policy. */
	u32 policy;
	u32 timeslice_us;
	/** @disabled: its channels must not fetch. */
	bool disabled;
	/** @preempting: PREEMPTs in progress: nor then. */
	unsigned int preempting;
	/** @stopped: final. */
	bool stopped;
	/** @closed: destroyed. */
	bool closed;
	/** @first_channel: id of the one that failed first, 0: none. */
	u32 first_channel;
	u32 first_error;
	/** @stop_work: stops the members after an error. */
	struct work_struct stop_work;
};

/** struct ppu_notifier - where an error of a channel is written down */
struct ppu_notifier {
	/** @bo: object, NULL: the channel has none. */
	struct ppu_bo *bo;
	/** @slot: the driver's view. */
	struct drm_ppu_notification *slot;
	/** @vmapped: @slot is a mapping of its own. */
	bool vmapped;
};

/** struct ppu_devq - what makes a channel a device-owned queue */
struct ppu_devq {
	/** @layout: of the object, struct ppu_channel.ring. */
	struct ppu_devq_layout layout;
	u32 initial_get;
	/** @flags: DRM_PPU_DEVQ_*. */
	u32 flags;
	/** @owner: channel that is stopped when an error stops this one; or NULL. */
	struct ppu_channel *owner;
	/** @stop_work: stops @owner; holds a reference to its channel while queued. */
	struct work_struct stop_work;
	/** @refreshes: by the interrupt; under ppu_device.chan_lock. */
	u64 refreshes;
};

/** struct ppu_devq_look - counters of a queue */
struct ppu_devq_look {
	/** @get: GP_GET that does not wrap. */
	u64 get;
	u64 soft;
	u64 shadow;
	u64 x;
	u64 y;
};

/** struct ppu_channel - one channel */
struct ppu_channel {
	struct kref kref;
	struct ppu_device *pdev;
	struct ppu_file *file;
	struct ppu_vm *vm;
	struct list_head vm_link;
	/** @id: in its file. */
	u32 id;
	int chid;
	u32 type;
	u32 hw_class;
	/** @user_submit: not kernel-submit; device-owned queues, too. */
	bool user_submit;
	u32 priority;
	u32 timeslice_us;
	u32 engine_mask;
	u32 timeout_ms;
	u32 entries;

	/** @lock: life cycle, properties, and order of submission. */
	struct mutex lock;
	/** @enabled: for the first time; written under ppu_device.chan_lock, too. */
	bool enabled;
	/** @paused: by its owner; written under ppu_device.chan_lock, too. */
	bool paused;
	/** @hw_paused: what the device was told; under ppu_device.chan_lock. */
	bool hw_paused;
	/** @group: or NULL; under ppu_device.chan_lock, as is @group_link. */
	struct ppu_group *group;
	struct list_head group_link;
	struct ppu_notifier notifier;
	/** @dump_work: makes a coredump; holds a reference while it is queued. */
	struct work_struct dump_work;
	/** @destroyed: no longer on the device. */
	bool destroyed;
	/** @stopped: it obeyed; otherwise its memory is never freed. */
	bool stopped;

	struct ppu_bo *ring;
	struct ppu_mapping *ring_map;
	/** @userd: only channels that the CPU fills without the driver have one. */
	struct ppu_userd *userd;
	struct ppu_devq devq;

	/** @dead: 0 or the negative error its work ends with; final. */
	int dead;
	/** @failure: why; set together with @dead, under ppu_device.chan_lock. */
	struct ppu_failure failure;
	/** @guilty: a fault record of an SM named it. */
	bool guilty;
	u64 last_runtime_ns;

	/* Kernel-submit. */
	/** @tail: the blocks the driver appends to each job. */
	struct ppu_bo *tail;
	struct ppu_mapping *tail_map;
	u32 job_entries;
	u32 ring_entries;
	/** @ring_vaddr: the driver's view of the ring. */
	void *ring_vaddr;
	/** @put_abs: entries written since creation. */
	u64 put_abs;
	struct drm_gpu_scheduler sched;
	struct drm_sched_entity entity;
	bool sched_ready;
	atomic_t jobs;
	u64 seqno_submitted;
	u64 seqno_completed;
	u64 fence_context;
	/** @out_context: of the fences that user space gets. */
	u64 out_context;
	/** @fence_lock: protects @fences, @put_abs and the ring. */
	spinlock_t fence_lock;
	struct list_head fences;
};

/** struct ppu_signal - a syncobj that gets a fence */
struct ppu_signal {
	struct drm_syncobj *syncobj;
	/** @chain: node for a point of a timeline; NULL: binary, or used. */
	struct dma_fence_chain *chain;
	u64 point;
};

/** struct ppu_syncs - the syncobjs of one ioctl */
struct ppu_syncs {
	struct ppu_signal *signals;
	u32 num_signals;
	/** @waits: fences to wait for; NULL: taken over by somebody. */
	struct dma_fence **waits;
	u32 num_waits;
};

/** struct ppu_sem - semaphore object */
struct ppu_sem {
	struct kref kref;
	struct ppu_file *file;
	struct ppu_bo *bo;
	u64 bo_offset;
	/** @addr: physical address | aperture, as the device names it. */
	u64 addr;
	/** @vaddr: word in system memory; NULL: VRAM. */
	void *vaddr;
	/** @vmapped: @vaddr is a mapping of its own. */
	bool vmapped;
	bool is32;
	/** @dead: destroyed; under ppu_watches.lock. */
	bool dead;
};

/* ppu_device.c */
extern const struct ppu_bus ppu_bus;
int ppu_device_init(struct ppu_device *pdev);
void ppu_device_quiesce(struct ppu_device *pdev);
void ppu_device_reset(struct ppu_device *pdev);
u64 ppu_device_time(struct ppu_device *pdev);
u32 ppu_max_priority(void);
u32 ppu_max_timeslice_us(void);
int ppu_ioctl_get_param(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp);

static inline u32 ppu_rd(struct ppu_device *pdev, u32 reg)
{
	return readl(pdev->regs + reg);
}

static inline void ppu_wr(struct ppu_device *pdev, u32 reg, u32 val)
{
	writel(val, pdev->regs + reg);
}

static inline u32 ppu_ch_off(int chid, u32 reg)
{
	return PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg;
}

static inline u32 ppu_ch_rd(struct ppu_device *pdev, int chid, u32 reg)
{
	return ppu_rd(pdev, ppu_ch_off(chid, reg));
}

static inline void ppu_ch_wr(struct ppu_device *pdev, int chid, u32 reg, u32 val)
{
	ppu_wr(pdev, ppu_ch_off(chid, reg), val);
}

static inline void ppu_ch_wr64(struct ppu_device *pdev, int chid, u32 reg, u64 val)
{
	ppu_ch_wr(pdev, chid, reg, lower_32_bits(val));
	ppu_ch_wr(pdev, chid, reg + 4, upper_32_bits(val));
}

/* LO latches HI: one reader of a pair at a time. */
static inline u64 ppu_rd64_locked(struct ppu_device *pdev, u32 reg)
{
	u32 lo;

	lockdep_assert_held(&pdev->hw_lock);
	lo = ppu_rd(pdev, reg);
	return lo | (u64)ppu_rd(pdev, reg + 4) << 32;
}

static inline u64 ppu_rd64(struct ppu_device *pdev, u32 reg)
{
	unsigned long flags;
	u64 val;

	spin_lock_irqsave(&pdev->hw_lock, flags);
	val = ppu_rd64_locked(pdev, reg);
	spin_unlock_irqrestore(&pdev->hw_lock, flags);
	return val;
}

static inline void ppu_userd_wr(struct ppu_device *pdev, int chid, u32 reg, u32 val)
{
	ppu_wr(pdev, PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + reg, val);
}

/* ppu_quota.c */
u64 ppu_quota_limit(struct ppu_device *pdev, enum drm_ppu_resource res);
struct ppu_quota *ppu_quota_open(struct ppu_device *pdev);
struct ppu_quota *ppu_quota_get(struct ppu_quota *quota);
void ppu_quota_put(struct ppu_quota *quota);
int ppu_quota_charge(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount);
void ppu_quota_release(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount);

/* ppu_irq.c */
int ppu_irq_init(struct ppu_device *pdev);
void ppu_irq_fini(struct ppu_device *pdev);
void ppu_irq_enable(struct ppu_device *pdev);
void ppu_irq_disable(struct ppu_device *pdev);

/* ppu_uobj.c */
void *ppu_uobj_get_array(const struct drm_ppu_array *in, u32 min_stride, u32 obj_size, u32 max);
int ppu_uobj_put(const struct drm_ppu_array *out, u32 index, const void *obj, u32 obj_size);
void *ppu_uobj_take(struct xarray *table, u32 id);

/* ppu_vram.c */
int ppu_vram_init(struct ppu_device *pdev);
void ppu_vram_fini(struct ppu_device *pdev);
u64 ppu_vram_avail(struct ppu_device *pdev);
int ppu_vram_alloc_list(struct ppu_device *pdev, u64 size, struct list_head *blocks);
void ppu_vram_free_list(struct ppu_device *pdev, struct list_head *blocks);
int ppu_vram_alloc(struct ppu_device *pdev, struct ppu_quota *quota, u64 size,
		   struct ppu_vram_range *range);
void ppu_vram_free(struct ppu_device *pdev, struct ppu_vram_range *range);
void ppu_vram_zero(struct ppu_device *pdev, u64 addr, u64 size);

/* ppu_gem.c */
struct drm_gem_object *ppu_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *ppu_gem_import_sg(struct drm_device *drm,
					 struct dma_buf_attachment *attach, struct sg_table *sgt);
struct ppu_bo *ppu_bo_create(struct ppu_file *file, u64 size, u32 placement, u32 flags);
void ppu_gem_unmap_all(struct ppu_device *pdev);
void *ppu_bo_map_page(struct ppu_bo *bo, u64 offset, bool *vmapped);
void ppu_bo_unmap_page(void *vaddr, bool vmapped);
struct ppu_bo *ppu_bo_lookup(struct drm_file *filp, u32 handle);
u64 ppu_bo_addr(const struct ppu_bo *bo, u64 offset, u64 *contig);
int ppu_bo_user_map(struct ppu_bo *bo, struct drm_file *filp, u64 *offset);
void ppu_bo_user_revoke(struct ppu_bo *bo, struct drm_file *filp);
struct ppu_userd *ppu_userd_create(struct ppu_device *pdev, int chid);
int ppu_userd_user_map(struct ppu_userd *userd, struct drm_file *filp, u64 *offset);
void ppu_userd_revoke(struct ppu_userd *userd, struct drm_file *filp);
int ppu_ioctl_gem_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_gem_mmap_offset(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_gem_info(struct drm_device *drm, void *data, struct drm_file *filp);

static inline void ppu_bo_put(struct ppu_bo *bo)
{
	if (bo)
		drm_gem_object_put(ppu_bo_gem(bo));
}

static inline void ppu_bo_get(struct ppu_bo *bo)
{
	drm_gem_object_get(ppu_bo_gem(bo));
}

/* ppu_mmu.c */
int ppu_mmu_init(struct ppu_vm *vm);
void ppu_mmu_fini(struct ppu_vm *vm);
void ppu_pt_pool_init(struct ppu_pt_pool *pool);
int ppu_pt_pool_fill(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_pt_need *need);
void ppu_pt_pool_drain(struct ppu_vm *vm, struct ppu_pt_pool *pool);
struct ppu_backing ppu_mmu_backing(const struct ppu_bo *bo);
int ppu_mmu_prepare(struct ppu_vm *vm, struct ppu_pt_pool *pool, const struct ppu_bo *bo,
		    u64 bo_offset, u64 va, u64 size, bool force);
void ppu_mmu_map(struct ppu_vm *vm, const struct ppu_bo *bo, u64 bo_offset, u64 va, u64 size,
		 u64 pte_flags);
void ppu_mmu_unmap(struct ppu_vm *vm, u64 va, u64 size);
void ppu_mmu_prune(struct ppu_vm *vm, u64 va, u64 size);
void ppu_mmu_flush(struct ppu_vm *vm, struct ppu_pt_pool *pool);

/* ppu_vm.c */
struct ppu_vm *ppu_vm_lookup(struct ppu_file *file, u32 id);
struct ppu_vm *ppu_vm_get_by_inst(struct ppu_device *pdev, u64 inst);
void ppu_vm_put(struct ppu_vm *vm);
void ppu_vm_set_faulted(struct ppu_vm *vm);
void ppu_vm_set_faulted_all(struct ppu_device *pdev);
bool ppu_vm_busy(struct ppu_vm *vm);
int ppu_vm_ensure_areas(struct ppu_vm *vm);
struct ppu_mapping *ppu_map_alloc(void);
void ppu_map_link(struct ppu_vm *vm, struct ppu_mapping *map);
void ppu_map_free_list(struct list_head *dead);
void ppu_vm_cut(struct ppu_vm *vm, u64 start, u64 last, struct ppu_mapping **spare,
		struct list_head *dead);
struct ppu_mapping *ppu_vm_map_kernel(struct ppu_vm *vm, struct ppu_bo *bo, u64 pte_flags);
void ppu_vm_unmap_kernel(struct ppu_vm *vm, struct ppu_mapping *map);
void ppu_vm_kick_bo(struct ppu_bo *bo);
void ppu_vm_print(struct drm_printer *p, struct ppu_vm *vm);

/* ppu_tasks.c */
void ppu_tasks_print(struct drm_printer *p, struct ppu_device *pdev);
int ppu_tasks_list(struct ppu_device *pdev, struct ppu_file *file, struct drm_ppu_task **out,
		   u32 max);
void ppu_vm_close_binds(struct ppu_file *file);
void ppu_vm_close_all(struct ppu_file *file);
int ppu_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_vm_get_state(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_vm_set_property(struct drm_device *drm, void *data, struct drm_file *filp);

static inline u64 ppu_vm_inst(const struct ppu_vm *vm)
{
	return vm->inst.addr | PPU_APERTURE_VRAM;
}

/* ppu_bind.c */
void ppu_bind_init(struct ppu_vm *vm);
void ppu_bind_close(struct ppu_vm *vm);
int ppu_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_channel.c */
struct ppu_channel *ppu_channel_lookup(struct ppu_file *file, u32 id);
struct ppu_channel *ppu_channel_get_by_chid(struct ppu_device *pdev, u32 chid);
void ppu_channel_put(struct ppu_channel *chan);
bool ppu_channel_fail(struct ppu_channel *chan, const struct ppu_failure *failure);
bool ppu_channel_stop(struct ppu_channel *chan, u32 cmd);
int ppu_channel_dead(struct ppu_channel *chan);
void ppu_channel_update_pause(struct ppu_channel *chan);
u64 ppu_channel_runtime(struct ppu_channel *chan);
const char *ppu_channel_type_name(const struct ppu_channel *chan);
const char *ppu_channel_submit_name(const struct ppu_channel *chan);
void ppu_channel_close_all(struct ppu_file *file);
void ppu_channel_fail_all(struct ppu_device *pdev, int err);
int ppu_ioctl_channel_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_channel_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_channel_query(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_channel_set_property(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_devq.c */
int ppu_devq_check(struct ppu_device *pdev, const struct drm_ppu_channel_create *args);
int ppu_devq_alloc(struct ppu_channel *chan, const struct drm_ppu_channel_create *args);
int ppu_devq_init(struct ppu_channel *chan);
void ppu_devq_failed(struct ppu_channel *chan);
void ppu_devq_ring_low(struct ppu_channel *chan);
void ppu_devq_to_user(const struct ppu_channel *chan, struct drm_ppu_channel_create *args);
void ppu_devq_look(struct ppu_channel *chan, struct ppu_devq_look *look);
bool ppu_devq_rests(const struct ppu_channel *chan, u64 blocked_va);

/* ppu_group.c */
struct ppu_group *ppu_group_lookup(struct ppu_file *file, u32 id);
void ppu_group_put(struct ppu_group *group);
void ppu_group_close_all(struct ppu_file *file);
int ppu_group_join(struct ppu_group *group, struct ppu_channel *chan);
void ppu_group_leave(struct ppu_channel *chan);
void ppu_group_channel_failed(struct ppu_channel *chan);
int ppu_ioctl_group_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_control(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_query(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_notifier.c */
int ppu_notifier_init(struct ppu_channel *chan, struct drm_file *filp, u32 handle, u64 offset);
void ppu_notifier_fini(struct ppu_channel *chan);
void ppu_notifier_write(struct ppu_channel *chan);

/* ppu_fence.c */
struct dma_fence *ppu_sw_fence_create(const char *timeline, u64 context, u64 seqno);
void ppu_sw_fence_follow(struct dma_fence *fence, struct dma_fence *leader);
void ppu_sw_fence_signal(struct dma_fence *fence, int err);

/* ppu_sync.c */
int ppu_sync_check(struct ppu_device *pdev, const struct drm_ppu_sync *sync);
int ppu_signal_init(struct ppu_signal *sig, struct drm_file *filp,
		    const struct drm_ppu_sync *sync);
void ppu_signal_attach(struct ppu_signal *sig, struct dma_fence *fence);
void ppu_signal_fini(struct ppu_signal *sig);
int ppu_syncs_get(struct ppu_syncs *syncs, struct ppu_device *pdev, struct drm_file *filp,
		  const struct drm_ppu_array *in);
void ppu_syncs_attach(struct ppu_syncs *syncs, struct dma_fence *fence);
void ppu_syncs_fini(struct ppu_syncs *syncs);

/* ppu_submit.c */
int ppu_submit_init(struct ppu_channel *chan);
void ppu_submit_fini(struct ppu_channel *chan);
void ppu_submit_retire(struct ppu_channel *chan);
void ppu_submit_fail(struct ppu_channel *chan, int err);
int ppu_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_watch.c */
int ppu_watch_init(struct ppu_device *pdev);
void ppu_watch_add(struct ppu_device *pdev, struct ppu_watch *watch, u64 addr, u32 op, u64 value,
		   bool is32);
void ppu_watch_del(struct ppu_device *pdev, struct ppu_watch *watch);
void ppu_watch_poke(struct ppu_device *pdev, u64 addr);
void ppu_watch_irq(struct ppu_device *pdev);
void ppu_watch_rearm_all(struct ppu_device *pdev);

/* ppu_sem.c */
struct ppu_sem *ppu_sem_lookup(struct ppu_file *file, u32 id);
void ppu_sem_put(struct ppu_sem *sem);
bool ppu_sem_test(const struct ppu_sem *sem, u32 op, u64 value);
bool ppu_sem_op_valid(const struct ppu_sem *sem, u32 op, u64 value);
u64 ppu_sem_do_signal(struct ppu_sem *sem, u32 op, u64 value);
void ppu_sem_wake_all(struct ppu_device *pdev);
void ppu_sem_close_all(struct ppu_file *file);
int ppu_ioctl_sem_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_read(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_signal(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_wait(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_bridge.c */
void ppu_bridge_fail(struct ppu_device *pdev, const struct ppu_channel *chan, int err);
void ppu_bridge_cancel(struct ppu_file *file, const struct ppu_sem *sem);
int ppu_ioctl_sem_import_fence(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_export_fence(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_event.c */
void ppu_event_notify(struct ppu_device *pdev, u32 type, const void *object);
void ppu_event_drop_object(struct ppu_file *file, const void *object);
void ppu_event_close_all(struct ppu_file *file);
int ppu_ioctl_event_register(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_event_unregister(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_fault.c */
void ppu_fault_drain(struct ppu_device *pdev);
void ppu_fault_channels(struct ppu_device *pdev);
void ppu_fault_print_all(struct drm_printer *p, struct ppu_vm *vm);
int ppu_fault_catch_up(struct ppu_channel *chan);
const char *ppu_err_name(u32 code);
const char *ppu_err_text(u32 code);
void ppu_fault_to_user(struct ppu_file *file, const struct ppu_fault_rec *rec, u64 cpu_ns,
		       struct drm_ppu_fault *out);

/* ppu_coredump.c */
void ppu_coredump_init(struct ppu_channel *chan);
void ppu_coredump_queue(struct ppu_channel *chan);

/* ppu_recentre.c */
void ppu_recentre(struct ppu_device *pdev);

/* ppu_debugfs.c */
#ifdef CONFIG_DEBUG_FS
void ppu_debugfs_init(struct drm_minor *minor);
#endif

/* ppu_fdinfo.c */
void ppu_show_fdinfo(struct seq_file *m, struct file *f);

#endif
