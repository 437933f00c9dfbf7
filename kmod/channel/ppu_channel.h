/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: channels.
 */
#ifndef __PPU_CHANNEL_H__
#define __PPU_CHANNEL_H__

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <uapi/drm/ppu_drm.h>

#include "channel/ppu_devq.h"
#include "channel/ppu_notifier.h"

struct drm_device;
struct drm_file;
struct ppu_bo;
struct ppu_device;
struct ppu_file;
struct ppu_group;
struct ppu_mapping;
struct ppu_userd;
struct ppu_vm;

#define PPU_STOP_TIMEOUT_MS	5000u

/**
 * struct ppu_failure - why a channel's work ended
 */
struct ppu_failure {
	/** @err: negative error its fences get. */
	int err;
	/** @cause: the DRM_PPU_CHANNEL_STATE_* bit of the failure, 0: destroyed. */
	u32 cause;
	/** @error: PPU_ERR_* code of the device, 0 if none. */
	u32 error;
	/** @get: GP_GET of the failing entry. */
	u32 get;
	/** @va: address that @error is about. */
	u64 va;
};

/**
 * struct ppu_channel - one channel
 */
struct ppu_channel {
	/** @kref: references. */
	struct kref kref;
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @file: file it was created in; NULL: destroyed. */
	struct ppu_file *file;
	/** @vm: its address space; holds a reference. */
	struct ppu_vm *vm;
	/** @vm_link: in ppu_vm.channels. */
	struct list_head vm_link;
	/** @id: in its file. */
	u32 id;
	/** @chid: number on the device. */
	int chid;
	/** @type: enum drm_ppu_channel_type. */
	u32 type;
	/** @hw_class: PPU_CLASS_* of the device. */
	u32 hw_class;
	/** @user_submit: not kernel-submit; device-owned queues, too. */
	bool user_submit;
	/** @priority: queue priority. */
	u32 priority;
	/** @timeslice_us: time slice; 0: the default of the device. */
	u32 timeslice_us;
	/** @engine_mask: copy engines it may run on. */
	u32 engine_mask;
	/** @timeout_ms: longest a job may take. */
	u32 timeout_ms;
	/** @entries: size of the ring that its creator asked for. */
	u32 entries;

	/** @lock: life cycle, properties, and order of submission. */
	struct mutex lock;
	/** @enabled: was enabled before; written under ppu_device.chan_lock, too. */
	bool enabled;
	/** @paused: by its owner; written under ppu_device.chan_lock, too. */
	bool paused;
	/** @hw_paused: what the device was told; under ppu_device.chan_lock. */
	bool hw_paused;
	/** @hw_group_paused: its group was paused; likewise. */
	bool hw_group_paused;
	/** @group: or NULL; under ppu_device.chan_lock. */
	struct ppu_group *group;
	/** @group_link: in ppu_group.channels. */
	struct list_head group_link;
	/** @notifier: where its error is written down. */
	struct ppu_notifier notifier;
	/** @dump_work: makes a coredump; holds a reference while it is queued. */
	struct work_struct dump_work;
	/** @destroyed: no longer on the device. */
	bool destroyed;
	/** @stopped: by the device; otherwise its memory must stay until a reset. */
	bool stopped;

	/** @ring: GPFIFO entries, or all of a device-owned queue. */
	struct ppu_bo *ring;
	/** @ring_map: where the VM has @ring. */
	struct ppu_mapping *ring_map;
	/** @userd: only channels that the CPU fills without the driver have one. */
	struct ppu_userd *userd;
	/** @devq: of a device-owned queue. */
	struct ppu_devq devq;

	/** @dead: 0 or the negative error its work ends with; final. */
	int dead;
	/** @failure: why; set together with @dead, under ppu_device.chan_lock. */
	struct ppu_failure failure;
	/** @guilty: a fault record of an SM named it. */
	bool guilty;
	/** @runtime_link: in ppu_file.running. */
	struct list_head runtime_link;
	/** @runtime_ns: engine time when it was last read; under ppu_device.hw_lock. */
	u64 runtime_ns;
	/** @runtime_final: the device no longer has the engine time; under ppu_device.hw_lock. */
	bool runtime_final;

	/* Kernel-submit. */
	/** @tail: the blocks the driver appends to each job. */
	struct ppu_bo *tail;
	/** @tail_map: where the VM has @tail. */
	struct ppu_mapping *tail_map;
	/** @job_entries: entries of the largest job. */
	u32 job_entries;
	/** @ring_entries: size of the ring. */
	u32 ring_entries;
	/** @ring_vaddr: the driver's view of the ring. */
	void *ring_vaddr;
	/** @put_abs: entries written since creation. */
	u64 put_abs;
	/** @sched: scheduler of this channel alone. */
	struct drm_gpu_scheduler sched;
	/** @entity: the queue of jobs in front of @sched. */
	struct drm_sched_entity entity;
	/** @sched_ready: @sched and @entity are there. */
	bool sched_ready;
	/** @jobs: jobs that are not freed. */
	atomic_t jobs;
	/** @seqno_submitted: number of the last job. */
	u64 seqno_submitted;
	/** @seqno_completed: number of the last job that completed. */
	u64 seqno_completed;
	/** @fence_context: of the fences that the scheduler sees. */
	u64 fence_context;
	/** @out_context: of the fences that user space gets. */
	u64 out_context;
	/** @fence_lock: protects @fences, @turn_*, @put_abs and the ring. */
	spinlock_t fence_lock;
	/** @fences: of jobs on the ring, oldest first. */
	struct list_head fences;
	/** @queued: struct ppu_job.link: jobs that wait for in-fences; under @fence_lock. */
	struct list_head queued;
	/** @turn_started: jiffies when the first of @fences came to be the first. */
	unsigned long turn_started;
	/** @turn_runtime_ns: engine time of the channel then. */
	u64 turn_runtime_ns;
};

struct ppu_channel *ppu_channel_lookup(struct ppu_file *file, u32 id);
struct ppu_channel *ppu_channel_get_by_chid(struct ppu_device *ppu, u32 chid);
void ppu_channel_put(struct ppu_channel *chan);
void ppu_channel_irq(struct ppu_channel *chan);
const char *ppu_channel_type_name(const struct ppu_channel *chan);
const char *ppu_channel_submit_name(const struct ppu_channel *chan);
u32 ppu_channel_max_timeout_ms(void);
void ppu_channel_close_all(struct ppu_file *file);
int ppu_ioctl_channel_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_channel_destroy(struct drm_device *drm, void *data, struct drm_file *filp);

/* ppu_channel_error.c */
bool ppu_channel_fail(struct ppu_channel *chan, const struct ppu_failure *failure);
void ppu_channel_end(struct ppu_channel *chan, const struct ppu_failure *failure);
int ppu_channel_dead(struct ppu_channel *chan);
void ppu_channel_fail_all(struct ppu_device *ppu, int err);

/* ppu_channel_prop.c */
int ppu_ioctl_channel_query(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_channel_set_property(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
