/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * uAPI of the PPU DRM driver.
 */
#ifndef _UAPI_PPU_DRM_H_
#define _UAPI_PPU_DRM_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Introduction
 *
 * The PPU driver offers GPU address spaces (VMs), buffer objects, channels,
 * semaphores and events on a render node.  Rules that hold for everything in
 * this file:
 *
 * - Only fixed-size types; every structure is a multiple of 8 bytes long; no
 *   unions, no bit-fields; user pointers are __u64.
 * - "MBZ" means must be zero.  Every pad and every unknown flag must be zero,
 *   otherwise the ioctl fails with EINVAL.
 * - Structures grow only at the end or into pads; zero in a new field keeps
 *   the old behaviour.  Every new field, flag, parameter or ioctl bumps
 *   DRM_PPU_MINOR: ask drmGetVersion(), since drm_ioctl() silently drops the
 *   bytes of a longer structure.
 * - Arrays carry the size of one element (struct drm_ppu_array), so that
 *   elements can grow too.
 * - Ioctl numbers, parameter numbers and enum values are never reused.
 * - Object ids (VM, channel, group, semaphore, event) are per open file, 32
 *   bits, never zero.
 * - Limits count what a process has in all the files it opened; a file that is
 *   handed to another process goes on counting for the one that opened it.  What
 *   the processes of one user have together is limited, too.
 * - On failure no output field is meaningful, unless said otherwise.
 *
 * Errors every ioctl may return: EINVAL (bad flag, pad, range or alignment),
 * EFAULT (bad user pointer), ENOENT (no object of that handle or id in this
 * file), ENOMEM, EINTR (a signal arrived; call again with the same argument),
 * ENODEV (the device was removed), EIO (the device, VM or channel is broken).
 * An unknown ioctl number gives EINVAL.
 *
 * There are two kinds of channels that the CPU fills, never mixed:
 *
 * *user-submit* (DRM_PPU_CHANNEL_USER_SUBMIT): the GPFIFO ring and the page
 * with GP_GET and GP_PUT are mapped into the owner's address space; a store to
 * GP_PUT is the submission and the kernel is not involved.  Synchronisation is
 * by semaphores only.
 *
 * *kernel-submit*: work enters by DRM_IOCTL_PPU_SUBMIT with in- and out-fences
 * (syncobjs).  Jobs are finite: a job that makes no progress is killed with its
 * channel after a time-out.
 *
 * A third kind, DRM_PPU_CHANNEL_DEVICE_QUEUE, is filled by threads on the GPU.
 *
 * Version history:
 *
 * - 0.1: initial version
 * - 0.2: channel groups (GROUP_*, group_id of CHANNEL_CREATE), error notifiers
 *   (notifier_* of CHANNEL_CREATE), DRM_PPU_VM_BIND_ASYNC, bind_* of
 *   VM_GET_STATE, SEM_IMPORT_FENCE, SEM_EXPORT_FENCE, the channel states LOST
 *   and STOPPED, limits count for a process and not for an open file,
 *   DRM_PPU_QUERY_LIMITS
 * - 0.3: device-owned queues (DRM_PPU_CHANNEL_DEVICE_QUEUE, devq_* of
 *   CHANNEL_CREATE and CHANNEL_QUERY, DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST),
 *   DRM_PPU_VM_PROP_MAX_PENDING.  DRM_PPU_RES_MAPPINGS and DRM_PPU_RES_ENTRIES
 *   came later without a number of their own: the size that
 *   DRM_PPU_QUERY_LIMITS returns tells whether they are there
 * - 0.4: GEM_USERPTR, export of VRAM objects, bos of SUBMIT, DRM_PPU_VM_BIND_NULL
 * - 1.0: stride of QUERY, DRM_PPU_QUERY_USER_LIMITS and limits of users,
 *   DRM_PPU_SYNC_WAIT_FOR_SUBMIT, queue of VM_BIND.  DRM_PPU_QUERY_COUNTERS needs
 *   CAP_PERFMON, GEM_FLINK gives EOPNOTSUPP
 * - 1.1: DRM_PPU_SEM_WAIT_VM
 * - 1.2: GEM_MADVISE
 *
 * Stability: from 1.0 on, what a program may rely on does not change as long as
 * DRM_PPU_MAJOR is 1.  That is everything that this file says: numbers, layouts,
 * meanings, which error a wrong argument gives, and in which state objects are
 * afterwards.  Programs that were built with the header of 1.N work with every
 * driver 1.M, M >= N, and also with those before if they use nothing newer.
 * Not promised: values that depend on the device, on limits or on time; ids and
 * handles; that something which is refused today is refused later, if it was
 * refused as unknown (flags, values of an enum, ioctls, non-zero pads); what the
 * driver takes from its debugfs, its tracepoints and its messages.  Calls of
 * 0.4 are answered as they were then, but for what the line about 1.0 says.
 */
#define DRM_PPU_MAJOR 1
#define DRM_PPU_MINOR 2

/**
 * struct drm_ppu_array - a user-space array whose elements may grow
 */
struct drm_ppu_array {
	/** @stride: in: size of one element as user space knows it; a multiple of 8. */
	__u32 stride;
	/** @count: in: number of elements. */
	__u32 count;
	/** @ptr: in: user pointer to the first element; ignored if @count is 0. */
	__u64 ptr;
};

/* Fills a struct drm_ppu_array. */
#define DRM_PPU_ARRAY(cnt, p) \
	{ .stride = sizeof((p)[0]), .count = (cnt), .ptr = (__u64)(unsigned long)(p) }

/**
 * enum drm_ppu_param - scalar device parameters
 */
enum drm_ppu_param {
	/** @DRM_PPU_PARAM_PCI_ID: PCI device id << 16 | vendor id. */
	DRM_PPU_PARAM_PCI_ID = 0,
	/** @DRM_PPU_PARAM_HW_VERSION: hardware version, major << 16 | minor. */
	DRM_PPU_PARAM_HW_VERSION = 1,
	/** @DRM_PPU_PARAM_HW_FEATURES: PPU_FEAT_* bits of the hardware. */
	DRM_PPU_PARAM_HW_FEATURES = 2,
	/** @DRM_PPU_PARAM_PCI_LOCATION: domain << 16 | bus << 8 | device << 3 | function. */
	DRM_PPU_PARAM_PCI_LOCATION = 3,
	/** @DRM_PPU_PARAM_VA_BITS: bits of a GPU virtual address. */
	DRM_PPU_PARAM_VA_BITS = 4,
	/** @DRM_PPU_PARAM_PAGE_SIZES: bit n set: the MMU has pages of 1 << n bytes. */
	DRM_PPU_PARAM_PAGE_SIZES = 5,
	/** @DRM_PPU_PARAM_VRAM_SIZE: bytes of VRAM. */
	DRM_PPU_PARAM_VRAM_SIZE = 6,
	/** @DRM_PPU_PARAM_VRAM_AVAIL: bytes of VRAM not allocated now. */
	DRM_PPU_PARAM_VRAM_AVAIL = 7,
	/** @DRM_PPU_PARAM_NUM_GPCS: processing clusters. */
	DRM_PPU_PARAM_NUM_GPCS = 8,
	/** @DRM_PPU_PARAM_NUM_SMS: SMs of the whole device. */
	DRM_PPU_PARAM_NUM_SMS = 9,
	/** @DRM_PPU_PARAM_NUM_COPY_ENGINES: copy engines. */
	DRM_PPU_PARAM_NUM_COPY_ENGINES = 10,
	/** @DRM_PPU_PARAM_MAX_CHANNELS: channels of the device. */
	DRM_PPU_PARAM_MAX_CHANNELS = 11,
	/** @DRM_PPU_PARAM_MAX_CHANNELS_PER_FILE: most channels one process may have. */
	DRM_PPU_PARAM_MAX_CHANNELS_PER_FILE = 12,
	/** @DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES: fewest entries of a ring. */
	DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES = 13,
	/** @DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES: most entries of a ring. */
	DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES = 14,
	/** @DRM_PPU_PARAM_TIMESLICE_MIN_US: shortest time slice. */
	DRM_PPU_PARAM_TIMESLICE_MIN_US = 15,
	/** @DRM_PPU_PARAM_TIMESLICE_MAX_US: longest time slice the caller may ask for. */
	DRM_PPU_PARAM_TIMESLICE_MAX_US = 16,
	/** @DRM_PPU_PARAM_TIMESLICE_DEFAULT_US: time slice of a channel that asks for 0. */
	DRM_PPU_PARAM_TIMESLICE_DEFAULT_US = 17,
	/** @DRM_PPU_PARAM_MAX_QUEUE_PRIORITY: highest queue priority the caller may ask for. */
	DRM_PPU_PARAM_MAX_QUEUE_PRIORITY = 18,
	/** @DRM_PPU_PARAM_NUM_DEVICE_PRIORITIES: device (task) priorities, 0: none. */
	DRM_PPU_PARAM_NUM_DEVICE_PRIORITIES = 19,
	/** @DRM_PPU_PARAM_TIMESTAMP_HZ: frequency of device time stamps. */
	DRM_PPU_PARAM_TIMESTAMP_HZ = 20,
	/**
	 * @DRM_PPU_PARAM_HAS_DEVICE_QUEUES: 1 if DRM_PPU_CHANNEL_DEVICE_QUEUE can
	 * be created; 0: CHANNEL_CREATE of that type gives EOPNOTSUPP.
	 */
	DRM_PPU_PARAM_HAS_DEVICE_QUEUES = 21,
	/** @DRM_PPU_PARAM_RESET_COUNT: times the driver had to reset the whole device. */
	DRM_PPU_PARAM_RESET_COUNT = 22,
	/** @DRM_PPU_PARAM_CLIENT_ID: number of this open file, unique since boot. */
	DRM_PPU_PARAM_CLIENT_ID = 23,
	/** @DRM_PPU_PARAM_MAX_NESTING_DEPTH: largest max_depth of a VM. */
	DRM_PPU_PARAM_MAX_NESTING_DEPTH = 24,
	/** @DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD: largest local_per_thread of a VM, bytes. */
	DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD = 25,
	/**
	 * @DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST: 1 if the device can refresh
	 * device-owned queues by itself (DRM_PPU_DEVQ_AUTO_REFRESH).
	 */
	DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST = 26,
};

/**
 * struct drm_ppu_get_param - DRM_IOCTL_PPU_GET_PARAM
 */
struct drm_ppu_get_param {
	/** @param: in: enum drm_ppu_param; EINVAL if unknown. */
	__u32 param;
	/** @index: in: MBZ; for parameters that may become arrays. */
	__u32 index;
	/** @value: out: the value. */
	__u64 value;
};

/**
 * enum drm_ppu_query_type - structured queries
 */
enum drm_ppu_query_type {
	/** @DRM_PPU_QUERY_ENGINES: array of struct drm_ppu_engine_info. */
	DRM_PPU_QUERY_ENGINES = 0,
	/** @DRM_PPU_QUERY_MEM_REGIONS: array of struct drm_ppu_mem_region. */
	DRM_PPU_QUERY_MEM_REGIONS = 1,
	/** @DRM_PPU_QUERY_SM_CONFIG: one struct drm_ppu_sm_config. */
	DRM_PPU_QUERY_SM_CONFIG = 2,
	/** @DRM_PPU_QUERY_TIMESTAMPS: one struct drm_ppu_timestamps. */
	DRM_PPU_QUERY_TIMESTAMPS = 3,
	/**
	 * @DRM_PPU_QUERY_COUNTERS: array of __u64: the device's counters since its
	 * reset, over all clients, in the order of PPU_COUNTERS (ppu_counters.h).
	 * EACCES: the caller lacks CAP_PERFMON, and the module's parameter
	 * counters_paranoid is set, as it is at first.  The size is told to everybody.
	 */
	DRM_PPU_QUERY_COUNTERS = 4,
	/**
	 * @DRM_PPU_QUERY_LIMITS: array of struct drm_ppu_limit, indexed by enum
	 * drm_ppu_resource.
	 */
	DRM_PPU_QUERY_LIMITS = 5,
	/**
	 * @DRM_PPU_QUERY_TASKS: array of struct drm_ppu_task: the tasks of the
	 * file's VMs that are on the device; each as it was at some moment.  The
	 * returned size tells how many there are; more may be there a moment later.
	 */
	DRM_PPU_QUERY_TASKS = 6,
	/**
	 * @DRM_PPU_QUERY_USER_LIMITS: as DRM_PPU_QUERY_LIMITS, for all processes of
	 * the caller's user together; a limit of all ones: there is none.
	 */
	DRM_PPU_QUERY_USER_LIMITS = 7,
};

/** struct drm_ppu_task - a task that was accepted and is not complete */
struct drm_ppu_task {
	/** @record: number of its record in the device; used again later. */
	__u32 record;
	/** @state: PPU_TASK_IS_* (ppu_tmd.h); 0 behind the last task. */
	__u32 state;
	/** @slot: slot of the task table it runs in, or all ones. */
	__u32 slot;
	/** @priority: device priority. */
	__u32 priority;
	/** @depth: nesting depth, 1 if the CPU launched it. */
	__u32 depth;
	/** @parent: record of the task that launched it, or all ones. */
	__u32 parent;
	/** @context_id: as in struct drm_ppu_vm_create. */
	__u32 context_id;
	/** @hw_channel: the device's number of the channel it came from, by way of its parents. */
	__u32 hw_channel;
	/** @id: what its TMD says. */
	__u64 id;
	/** @ctas: CTAs it has; all ones while its queue is open. */
	__u64 ctas;
	/** @ctas_done: CTAs that ended. */
	__u64 ctas_done;
	/** @ctas_running: CTAs on SMs. */
	__u32 ctas_running;
	/** @ctas_saved: CTAs that were taken off them. */
	__u32 ctas_saved;
};

/**
 * enum drm_ppu_resource - what the driver limits for each process and each user
 *
 * ENOSPC when a limit is reached.  The limits are parameters of the module.
 */
enum drm_ppu_resource {
	/** @DRM_PPU_RES_VMS: VMs. */
	DRM_PPU_RES_VMS = 0,
	/** @DRM_PPU_RES_CHANNELS: channels. */
	DRM_PPU_RES_CHANNELS = 1,
	/** @DRM_PPU_RES_KERNEL_CHANNELS: kernel-submit channels. */
	DRM_PPU_RES_KERNEL_CHANNELS = 2,
	/** @DRM_PPU_RES_GROUPS: channel groups. */
	DRM_PPU_RES_GROUPS = 3,
	/** @DRM_PPU_RES_SEMS: semaphores. */
	DRM_PPU_RES_SEMS = 4,
	/** @DRM_PPU_RES_EVENTS: registered events. */
	DRM_PPU_RES_EVENTS = 5,
	/** @DRM_PPU_RES_FENCES: SEM_IMPORT_FENCE and SEM_EXPORT_FENCE that are not done. */
	DRM_PPU_RES_FENCES = 6,
	/** @DRM_PPU_RES_BINDS: asynchronous VM_BINDs that are not done. */
	DRM_PPU_RES_BINDS = 7,
	/**
	 * @DRM_PPU_RES_WATCHES: entries of the device's watch table; waits beyond
	 * that look at the word once in a millisecond.
	 */
	DRM_PPU_RES_WATCHES = 8,
	/** @DRM_PPU_RES_SYSTEM: bytes of system memory, rings included. */
	DRM_PPU_RES_SYSTEM = 9,
	/** @DRM_PPU_RES_VRAM: bytes of VRAM, page tables and areas of VMs included. */
	DRM_PPU_RES_VRAM = 10,
	/**
	 * @DRM_PPU_RES_MAPPINGS: mappings of objects in VMs.  A VM_BIND counts two for each
	 * operation until it is done.
	 */
	DRM_PPU_RES_MAPPINGS = 11,
	/** @DRM_PPU_RES_ENTRIES: entries of the jobs that are queued or run. */
	DRM_PPU_RES_ENTRIES = 12,
};

/** struct drm_ppu_limit - one limit of the calling process, or of its user */
struct drm_ppu_limit {
	/** @limit: most there may be. */
	__u64 limit;
	/** @used: what there is. */
	__u64 used;
};

/**
 * struct drm_ppu_query - DRM_IOCTL_PPU_QUERY
 *
 * Copies the answer to a buffer of any size: a shorter buffer gets the first
 * bytes, the rest of a longer one is filled with zeroes.  The same holds for each
 * element of an array if @stride says how large an element of the buffer is.
 */
struct drm_ppu_query {
	/** @type: in: enum drm_ppu_query_type; EINVAL if unknown. */
	__u32 type;
	/**
	 * @size: in: bytes at @ptr; out: bytes of the kernel's whole answer,
	 * in elements of @stride bytes, whatever was copied.
	 */
	__u32 size;
	/** @ptr: in: user buffer; 0: only @size is returned. */
	__u64 ptr;
	/**
	 * @stride: in: size of one element of an array as user space knows it, a multiple
	 * of 8; 0: that of version 1.0.  MBZ if the answer is no array.
	 */
	__u32 stride;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * enum drm_ppu_channel_type - what a channel may do
 */
enum drm_ppu_channel_type {
	/** @DRM_PPU_CHANNEL_COMPUTE: launches, and the commands of every channel. */
	DRM_PPU_CHANNEL_COMPUTE = 0,
	/** @DRM_PPU_CHANNEL_COPY: copies and fills, and the commands of every channel. */
	DRM_PPU_CHANNEL_COPY = 1,
	/**
	 * @DRM_PPU_CHANNEL_DEVICE_QUEUE: device-owned work queue, filled by
	 * threads on the GPU; launches, copies, fills, and the commands of every
	 * channel.  See DRM_PPU_PARAM_HAS_DEVICE_QUEUES.
	 */
	DRM_PPU_CHANNEL_DEVICE_QUEUE = 2,
};

/** struct drm_ppu_engine_info - one kind of engine */
struct drm_ppu_engine_info {
	/** @channel_type: enum drm_ppu_channel_type that uses it. */
	__u32 channel_type;
	/** @count: engines of this kind; bit i of engine_mask is engine i. */
	__u32 count;
	/** @queue_priorities: queue priorities 0..n-1, higher first. */
	__u32 queue_priorities;
	/** @pad: 0. */
	__u32 pad;
};

/**
 * enum drm_ppu_placement - where a buffer object lives
 */
enum drm_ppu_placement {
	/** @DRM_PPU_PLACEMENT_SYSTEM: system memory (shmem pages). */
	DRM_PPU_PLACEMENT_SYSTEM = 0,
	/** @DRM_PPU_PLACEMENT_VRAM: device memory, until another device imports the object. */
	DRM_PPU_PLACEMENT_VRAM = 1,
};

/** struct drm_ppu_mem_region - one kind of memory */
struct drm_ppu_mem_region {
	/** @placement: enum drm_ppu_placement. */
	__u32 placement;
	/** @flags: 0. */
	__u32 flags;
	/** @size: bytes; 0 for system memory: no limit of the driver's. */
	__u64 size;
	/** @avail: bytes not allocated now. */
	__u64 avail;
	/** @min_page: smallest allocation. */
	__u64 min_page;
};

/** struct drm_ppu_sm_config - what one SM has */
struct drm_ppu_sm_config {
	/** @gpcs: processing clusters. */
	__u32 gpcs;
	/** @sms_per_gpc: SMs in each cluster. */
	__u32 sms_per_gpc;
	/** @warps_per_sm: resident warps. */
	__u32 warps_per_sm;
	/** @warp_size: threads of a warp. */
	__u32 warp_size;
	/** @ctas_per_sm: resident CTAs. */
	__u32 ctas_per_sm;
	/** @regs_per_sm: 32-bit registers. */
	__u32 regs_per_sm;
	/** @shared_per_sm: bytes of shared memory. */
	__u32 shared_per_sm;
	/** @shared_per_cta: most bytes of shared memory one CTA may use. */
	__u32 shared_per_cta;
	/** @token_queue_entries: entries of a warp's divergence token queue. */
	__u32 token_queue_entries;
	/** @task_slots: slots of the task table. */
	__u32 task_slots;
	/** @task_records: tasks the device can hold at once. */
	__u32 task_records;
	/** @sm_clock_khz: clock of the SMs, kHz of device time. */
	__u32 sm_clock_khz;
	/** @cores_per_sm: single-precision cores. */
	__u32 cores_per_sm;
	/** @dp_units_per_sm: double-precision units. */
	__u32 dp_units_per_sm;
	/** @sfus_per_sm: special function units. */
	__u32 sfus_per_sm;
	/** @lsus_per_sm: load/store units. */
	__u32 lsus_per_sm;
	/** @partitions: memory partition units. */
	__u32 partitions;
	/** @window_ns: SM window, ns of device time. */
	__u32 window_ns;
};

/** struct drm_ppu_timestamps - one instant on two clocks */
struct drm_ppu_timestamps {
	/** @gpu_ns: device time, ns. */
	__u64 gpu_ns;
	/** @cpu_ns: CLOCK_MONOTONIC just before @gpu_ns was read, ns. */
	__u64 cpu_ns;
	/** @delta_ns: CPU time that reading took: the uncertainty of the pair. */
	__u64 delta_ns;
};

/* Flags of DRM_IOCTL_PPU_GEM_CREATE. */
/* The object is never mapped by the CPU: GEM_MMAP_OFFSET gives EPERM. */
#define DRM_PPU_GEM_NO_MMAP	(1u << 0)
/* CPU mappings of a system object are write-combined.  VRAM mappings always are. */
#define DRM_PPU_GEM_CPU_WC	(1u << 1)

/**
 * struct drm_ppu_gem_create - DRM_IOCTL_PPU_GEM_CREATE
 *
 * Allocates a buffer object, filled with zeroes.  Freed with the core's
 * GEM_CLOSE once nothing maps it any more.
 *
 * ENOSPC: no VRAM left.
 */
struct drm_ppu_gem_create {
	/** @size: in: bytes, not 0; out: rounded up to the page size (4096). */
	__u64 size;
	/** @placement: in: enum drm_ppu_placement. */
	__u32 placement;
	/** @flags: in: DRM_PPU_GEM_*. */
	__u32 flags;
	/**
	 * @vm_id: in: 0, or the only VM this object may be bound in; such an
	 * object cannot be exported (EPERM).
	 */
	__u32 vm_id;
	/** @handle: out: GEM handle. */
	__u32 handle;
};

/**
 * struct drm_ppu_gem_mmap_offset - DRM_IOCTL_PPU_GEM_MMAP_OFFSET
 *
 * Mappings must be MAP_SHARED.  EPERM: created with DRM_PPU_GEM_NO_MMAP.
 */
struct drm_ppu_gem_mmap_offset {
	/** @handle: in: GEM handle. */
	__u32 handle;
	/** @flags: in: MBZ. */
	__u32 flags;
	/** @offset: out: offset for mmap() on this DRM file. */
	__u64 offset;
};

/* Bits of drm_ppu_gem_info.extra. */
#define DRM_PPU_GEM_INFO_IMPORTED	(1u << 0)	/* memory of another driver */
#define DRM_PPU_GEM_INFO_HAS_SEMS	(1u << 1)	/* at least one semaphore object names it */
#define DRM_PPU_GEM_INFO_USERPTR	(1u << 2)	/* made by GEM_USERPTR */
#define DRM_PPU_GEM_INFO_READONLY	(1u << 3)	/* with DRM_PPU_GEM_USERPTR_READONLY */

/** struct drm_ppu_gem_info - DRM_IOCTL_PPU_GEM_INFO */
struct drm_ppu_gem_info {
	/** @handle: in: GEM handle. */
	__u32 handle;
	/** @placement: out: enum drm_ppu_placement. */
	__u32 placement;
	/** @size: out: bytes. */
	__u64 size;
	/** @flags: out: DRM_PPU_GEM_* it was created with; 0 for imported memory. */
	__u32 flags;
	/** @extra: out: DRM_PPU_GEM_INFO_*. */
	__u32 extra;
};

/* Flags of DRM_IOCTL_PPU_GEM_USERPTR. */
/*
 * The device only reads: VM_BIND must say DRM_PPU_VM_BIND_READONLY (EACCES), and no semaphore
 * or notifier can be there (EPERM).  Needed for memory that the caller cannot write.
 */
#define DRM_PPU_GEM_USERPTR_READONLY	(1u << 0)

/**
 * struct drm_ppu_gem_userptr - DRM_IOCTL_PPU_GEM_USERPTR
 *
 * Makes an object of memory that the caller has already.  The pages are pinned
 * until the object is freed (handle closed, nothing maps it).  So the object shows what the
 * caller had there when the ioctl was called, also after munmap(); it does not
 * follow what is mapped there later.  A child gets copies at fork(), the parent
 * keeps the pages.
 *
 * The memory must be the process's own (private mappings, whatever they are of),
 * or of tmpfs, memfd_create(), shared anonymous or of huge pages.  Pages that a file
 * system writes back cannot be used: EOPNOTSUPP.
 *
 * The object is in system memory (DRM_PPU_RES_SYSTEM), its pages count for RLIMIT_MEMLOCK.
 * It has no mmap offset and cannot be exported (EPERM).
 *
 * EINVAL: @addr or @size is not a multiple of 4096.  EFAULT: nothing is mapped in part of
 * the range, or it may not be read, or (unless READONLY) written; or it is a mapping of a
 * device.  ENOMEM: also, RLIMIT_MEMLOCK.  ENOSPC: the process's limit.
 */
struct drm_ppu_gem_userptr {
	/** @addr: in: first byte, a multiple of 4096. */
	__u64 addr;
	/** @size: in: bytes, a multiple of 4096, not 0. */
	__u64 size;
	/** @flags: in: DRM_PPU_GEM_USERPTR_*. */
	__u32 flags;
	/** @vm_id: in: 0, or the only VM this object may be bound in. */
	__u32 vm_id;
	/** @handle: out: GEM handle. */
	__u32 handle;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/* What DRM_IOCTL_PPU_GEM_MADVISE says about the contents of an object. */
#define DRM_PPU_MADV_WILLNEED	0	/* they are needed, as at first */
#define DRM_PPU_MADV_DONTNEED	1	/* they may be lost when memory is short */

/**
 * struct drm_ppu_gem_madvise - DRM_IOCTL_PPU_GEM_MADVISE
 *
 * Says whether the contents of an object are needed.  Those of a DONTNEED object may be dropped
 * when VRAM or memory of the system is short, in one piece, while no VM can use them.  The object
 * itself stays: handle, mappings and size.  Its contents are what they were, or zeroes; so they
 * are for who looks before WILLNEED, and what is stored before WILLNEED may be dropped, too.
 *
 * After WILLNEED they are not dropped.  Objects that stay where they are keep them whatever is
 * said: exported and imported ones, memory of the process, those with semaphores or notifiers.
 */
struct drm_ppu_gem_madvise {
	/** @handle: in: GEM handle. */
	__u32 handle;
	/** @madv: in: DRM_PPU_MADV_*. */
	__u32 madv;
	/** @retained: out: 0: the contents were dropped since the last WILLNEED; else 1. */
	__u32 retained;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * struct drm_ppu_vm_create - DRM_IOCTL_PPU_VM_CREATE
 *
 * A VM is a GPU context: an address space, and what the device needs to run
 * tasks in it (local memory, token queues, save area).  Faults of an SM stop
 * the channels of the VM the task ran in, and nothing else.
 *
 * ENOSPC: too many VMs in this file, or no VRAM.
 */
struct drm_ppu_vm_create {
	/** @flags: in: MBZ. */
	__u32 flags;
	/** @max_depth: in: nesting depth of device-side launches; 0: 1. */
	__u32 max_depth;
	/**
	 * @prio_levels: in: the VM's tasks may carry the lowest @prio_levels
	 * device (task) priorities; 0: all of them.
	 */
	__u32 prio_levels;
	/**
	 * @local_per_thread: in: bytes of local memory (stack, spills) of each
	 * thread; rounded up to a multiple of 16; 0: 1024.
	 */
	__u32 local_per_thread;
	/**
	 * @watchdog_ms: in: a task that ran longer on the SMs (device time)
	 * faults with PPU_ERR_WATCHDOG; 0: no limit.
	 */
	__u32 watchdog_ms;
	/** @vm_id: out: id. */
	__u32 vm_id;
	/** @va_start: out: first GPU virtual address VM_BIND accepts. */
	__u64 va_start;
	/** @va_end: out: one past the last one. */
	__u64 va_end;
	/** @context_id: out: number the device's traces and faults use for this VM. */
	__u32 context_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * enum drm_ppu_vm_property - properties DRM_IOCTL_PPU_VM_SET_PROPERTY changes
 */
enum drm_ppu_vm_property {
	/** @DRM_PPU_VM_PROP_LOCAL_PER_THREAD: as in struct drm_ppu_vm_create; not 0. */
	DRM_PPU_VM_PROP_LOCAL_PER_THREAD = 0,
	/** @DRM_PPU_VM_PROP_MAX_DEPTH: as in struct drm_ppu_vm_create; not 0. */
	DRM_PPU_VM_PROP_MAX_DEPTH = 1,
	/** @DRM_PPU_VM_PROP_WATCHDOG_MS: as in struct drm_ppu_vm_create; 0: no limit. */
	DRM_PPU_VM_PROP_WATCHDOG_MS = 2,
	/**
	 * @DRM_PPU_VM_PROP_MAX_PENDING: device-side launches of the VM that are
	 * not complete at any time, further ones fail; 0, as at first: as many
	 * as the device has records.
	 */
	DRM_PPU_VM_PROP_MAX_PENDING = 3,
};

/**
 * struct drm_ppu_vm_set_property - DRM_IOCTL_PPU_VM_SET_PROPERTY
 *
 * The VM must have no task on the device: EBUSY otherwise.  (Wait for your
 * work first.)  ENOSPC: no VRAM for the larger area; nothing is changed.
 */
struct drm_ppu_vm_set_property {
	/** @vm_id: in: id. */
	__u32 vm_id;
	/** @property: in: enum drm_ppu_vm_property. */
	__u32 property;
	/** @value: in: new value. */
	__u64 value;
};

/**
 * struct drm_ppu_vm_destroy - DRM_IOCTL_PPU_VM_DESTROY
 *
 * Drops the name.  The VM itself lives until its last channel is destroyed.
 */
struct drm_ppu_vm_destroy {
	/** @vm_id: in: id. */
	__u32 vm_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/* Type of a struct drm_ppu_sync, bits 7:0 of flags. */
#define DRM_PPU_SYNC_BINARY	0	/* binary syncobj */
#define DRM_PPU_SYNC_TIMELINE	1	/* timeline syncobj, a point on it */
#define DRM_PPU_SYNC_TYPE_MASK	0xffu
/*
 * SUBMIT and VM_BIND: if there is no fence to wait for yet, the ioctl itself waits until somebody
 * puts one there, for at most 5 seconds (ETIME), or until a signal comes.  With
 * DRM_PPU_SUBMIT_NONBLOCK: EAGAIN at once.  Jobs and binds wait for fences only, since fences
 * come in bounded time, and what a program will do does not.
 */
#define DRM_PPU_SYNC_WAIT_FOR_SUBMIT	(1u << 30)
/* Attach the out-fence to it (without: wait for its fence first). */
#define DRM_PPU_SYNC_SIGNAL	(1u << 31)

/** struct drm_ppu_sync - one in- or out-fence */
struct drm_ppu_sync {
	/** @flags: in: type; DRM_PPU_SYNC_SIGNAL or DRM_PPU_SYNC_WAIT_FOR_SUBMIT. */
	__u32 flags;
	/**
	 * @handle: in: syncobj handle; one to wait for has a fence (EINVAL), unless
	 * WAIT_FOR_SUBMIT.
	 */
	__u32 handle;
	/** @point: in: point on the timeline, not 0; MBZ for binary ones. */
	__u64 point;
};

/* Operations of a struct drm_ppu_vm_bind_op. */
#define DRM_PPU_VM_BIND_OP_MAP		0
#define DRM_PPU_VM_BIND_OP_UNMAP	1
/* Flags of a MAP operation. */
#define DRM_PPU_VM_BIND_READONLY	(1u << 0)	/* writes of the GPU fault */
#define DRM_PPU_VM_BIND_NOEXEC		(1u << 1)	/* instruction fetches fault */
#define DRM_PPU_VM_BIND_UNCACHED	(1u << 2)	/* not kept in L1 models */
/*
 * No memory: loads of threads and copies give 0, what they store is lost, atomics find 0.  Other
 * uses (command blocks, instructions, semaphore commands, TMDs) fault.  @handle and @bo_offset
 * MBZ.  EOPNOTSUPP unless PPU_FEAT_NULL_PAGES.
 */
#define DRM_PPU_VM_BIND_NULL		(1u << 3)

/**
 * struct drm_ppu_vm_bind_op - one change of an address space
 *
 * MAP replaces whatever it overlaps.  UNMAP may split mappings and may cover
 * addresses where nothing is mapped.  @va, @size and @bo_offset are multiples
 * of 4096; 2 MiB pages are used where address and memory allow it.
 */
struct drm_ppu_vm_bind_op {
	/** @op: in: DRM_PPU_VM_BIND_OP_*. */
	__u32 op;
	/** @flags: in: DRM_PPU_VM_BIND_*; MBZ for UNMAP. */
	__u32 flags;
	/** @handle: in: GEM handle; MBZ for UNMAP and NULL. */
	__u32 handle;
	/** @pad: in: MBZ. */
	__u32 pad;
	/** @bo_offset: in: offset in the object; MBZ for UNMAP and NULL. */
	__u64 bo_offset;
	/** @va: in: first GPU virtual address. */
	__u64 va;
	/** @size: in: bytes, not 0. */
	__u64 size;
};

/* Flags of DRM_IOCTL_PPU_VM_BIND. */
#define DRM_PPU_VM_BIND_ASYNC	(1u << 0)	/* queue the operations: after and before fences */

/* Queues of a VM for DRM_PPU_VM_BIND_ASYNC. */
#define DRM_PPU_VM_BIND_MAX_QUEUES	16
/* Most operations of one DRM_IOCTL_PPU_VM_BIND. */
#define DRM_PPU_VM_BIND_MAX_OPS	4096
/*
 * Most pages that the MAPs of one DRM_IOCTL_PPU_VM_BIND map, if it has more than
 * one operation, or a MAP with NULL; a 2 MiB page counts as one.
 */
#define DRM_PPU_VM_BIND_MAX_PAGES	(1u << 20)

/**
 * struct drm_ppu_vm_bind - DRM_IOCTL_PPU_VM_BIND
 *
 * Does the operations in order, all or none of them.  When the ioctl returns
 * the device uses no translation that was replaced.  It does not wait for work
 * that uses the old mappings: unmapping under running work makes it fault.
 *
 * ENOSPC: no VRAM for page tables.  EIO: the VM faulted (see
 * DRM_IOCTL_PPU_VM_GET_STATE); UNMAP alone still works.  EPERM: the object is
 * private to another VM.  EACCES: a MAP without READONLY of an object that the
 * device may only read.  E2BIG: an operation has non-zero bytes this kernel
 * does not know, or there are too many of them, or too many pages to map.
 * EINTR: the process is being killed; nothing has changed.
 *
 * With DRM_PPU_VM_BIND_ASYNC the ioctl checks everything, allocates everything
 * and queues the operations: they are done when the in-fences have signalled,
 * after everything put into the same queue of the VM before; then the out-fences
 * signal.  Queues do not wait for each other, and have no order among them.  An
 * in-fence that signals an error counts as signalled.  If the VM has faulted by
 * then nothing is mapped and the out-fences signal EIO; VM_DESTROY ends what is
 * queued with ECANCELED.  VM_GET_STATE tells the first such error, too.  A
 * VM_BIND without the flag does not wait for queued ones.
 *
 * ENOSPC: also, too many ASYNC binds queued by this process.
 */
struct drm_ppu_vm_bind {
	/** @vm_id: in: id. */
	__u32 vm_id;
	/** @flags: in: DRM_PPU_VM_BIND_ASYNC or 0. */
	__u32 flags;
	/** @ops: in: array of struct drm_ppu_vm_bind_op; count 0 does nothing. */
	struct drm_ppu_array ops;
	/**
	 * @syncs: in: array of at most DRM_PPU_SUBMIT_MAX_SYNCS struct
	 * drm_ppu_sync; count MBZ unless ASYNC.
	 */
	struct drm_ppu_array syncs;
	/**
	 * @queue: in: ASYNC: which of the VM's queues, less than
	 * DRM_PPU_VM_BIND_MAX_QUEUES; else MBZ.
	 */
	__u32 queue;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * struct drm_ppu_fault - one recorded fault
 *
 * Codes, accesses and units are those of the hardware (ppu_fault.h).
 */
struct drm_ppu_fault {
	/** @va: GPU virtual address the fault is about, 0 if none. */
	__u64 va;
	/** @gpu_ns: device time. */
	__u64 gpu_ns;
	/** @cpu_ns: CLOCK_MONOTONIC when the driver read the record. */
	__u64 cpu_ns;
	/** @task_id: id field of the TMD, 0 if none. */
	__u64 task_id;
	/** @seq: number of the fault since device reset; gaps show lost records. */
	__u32 seq;
	/** @code: PPU_ERR_*. */
	__u32 code;
	/** @channel_id: channel of this file the work came from, 0 if none, or destroyed since. */
	__u32 channel_id;
	/** @hw_channel: the device's channel number, 0xffffffff if none. */
	__u32 hw_channel;
	/** @pc: instruction index in the linked image, 0xffffffff if none. */
	__u32 pc;
	/** @unit: PPU_UNIT_*: host interface, copy engine, SM, task unit. */
	__u16 unit;
	/** @unit_index: number of the SM or copy engine. */
	__u16 unit_index;
	/** @access: PPU_ACC_*: read, write, atomic, execute. */
	__u8 access;
	/** @level: page table level of an MMU fault. */
	__u8 level;
	/** @lane: lane of the warp, 0xff if none. */
	__u8 lane;
	/** @pad: 0. */
	__u8 pad;
	/** @warp: warp slot of the SM. */
	__u16 warp;
	/** @pad2: 0. */
	__u16 pad2;
	/** @cta: index of the CTA in its grid. */
	__u32 cta[3];
	/** @pad3: 0. */
	__u32 pad3;
};

/* Bits of drm_ppu_vm_get_state.state. */
/*
 * An SM fault or a failed stop made the VM unusable: its channels are stopped,
 * CHANNEL_CREATE and MAP give EIO.  Final: create another VM.
 */
#define DRM_PPU_VM_STATE_FAULTED	(1u << 0)
#define DRM_PPU_VM_STATE_BUSY		(1u << 1)	/* tasks or copies on the device now */

/**
 * struct drm_ppu_vm_get_state - DRM_IOCTL_PPU_VM_GET_STATE
 *
 * Returns the oldest fault records of the VM (at most 64 are kept, the first
 * ones), without removing them.
 */
struct drm_ppu_vm_get_state {
	/** @vm_id: in: id. */
	__u32 vm_id;
	/** @state: out: DRM_PPU_VM_STATE_*. */
	__u32 state;
	/** @fault_total: out: faults of this VM since its creation. */
	__u64 fault_total;
	/**
	 * @faults: in: room for struct drm_ppu_fault, count may be 0;
	 * out: count = records copied, oldest first.
	 */
	struct drm_ppu_array faults;
	/** @binds_queued: out: ASYNC binds accepted since its creation, in all queues. */
	__u64 binds_queued;
	/** @binds_done: out: how many of them are done, or ended with an error. */
	__u64 binds_done;
	/** @bind_error: out: errno the first one that failed ended with; 0: none. */
	__u32 bind_error;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * struct drm_ppu_notification - error notifier of a channel
 *
 * Written by the driver, to memory the owner names in CHANNEL_CREATE, when the
 * channel stops with an error.  It is complete when @state is not 0, which is
 * before any event, fence or wait tells of the error.
 */
struct drm_ppu_notification {
	/** @state: why it stopped: a final DRM_PPU_CHANNEL_STATE_* bit; 0: it has not. */
	__u32 state;
	/** @error: PPU_ERR_* code, 0 if none. */
	__u32 error;
	/** @error_get: GP_GET of the failing entry. */
	__u32 error_get;
	/** @channel_id: the channel. */
	__u32 channel_id;
	/** @error_va: address @error is about, 0 if none. */
	__u64 error_va;
	/** @cpu_ns: CLOCK_MONOTONIC when the driver handled it. */
	__u64 cpu_ns;
	/** @gpu_ns: device time then; 0: the device is gone. */
	__u64 gpu_ns;
	/** @pad: 0. */
	__u64 pad[3];
};

/* Flags of DRM_IOCTL_PPU_CHANNEL_CREATE. */
#define DRM_PPU_CHANNEL_USER_SUBMIT	(1u << 0)	/* map ring and USERD page */
/*
 * The channel is not enabled: nothing is fetched until
 * DRM_PPU_CHANNEL_PROP_ENABLED is set to 1.
 */
#define DRM_PPU_CHANNEL_START_DISABLED	(1u << 1)

/* devq_flags of DRM_IOCTL_PPU_CHANNEL_CREATE. */
/*
 * The device refreshes the queue whenever GP_GET moves, and never interrupts
 * for it.  Without, the driver refreshes it when it is low.  EOPNOTSUPP unless
 * DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST.
 */
#define DRM_PPU_DEVQ_AUTO_REFRESH	(1u << 0)

/**
 * struct drm_ppu_channel_create - DRM_IOCTL_PPU_CHANNEL_CREATE
 *
 * The ring is an array of struct ppu_gpfifo_entry in memory of the driver's,
 * zero-filled.  GP_GET and GP_PUT start at 0.  A user-submit channel gets two
 * mappable ranges, both private to this open file and revoked when the channel
 * is destroyed (an access then gives SIGBUS):
 *
 * - the ring (read/write, @ring_size bytes rounded up to pages);
 * - the USERD page (4096 bytes, MAP_SHARED): PPU_REG_USERD_GP_GET (read),
 *   PPU_REG_USERD_GP_PUT (a 32-bit store submits), PPU_REG_USERD_KICK (a store
 *   makes the device look again at the semaphores that work of this VM waits
 *   for), PPU_REG_USERD_STATUS and PPU_REG_USERD_ERROR (read).
 *
 * Neither is reachable for threads on the GPU.
 *
 * A DEVICE_QUEUE takes no flag but START_DISABLED.  Its ring, its semaphores
 * and its counters are one object in VRAM, zero-filled, that threads on the GPU
 * read and write at the addresses devq_*_va; nobody can unmap it, and it goes
 * with the channel.  The CPU may map it, too: @ring_offset, @ring_size and
 * @ring_va are those of the whole object, write-combined.  There is no USERD
 * page: GP_GET and GP_PUT are nobody's but the host interface's.  The queue is
 * set up in this order: a block that waits until X is 1; the entry at GP_GET
 * points to it; GP_PUT is the entry before GP_GET; soft GP_PUT is GP_GET + 1,
 * shadow GP_PUT is GP_GET + @gpfifo_entries - 1; the channel is enabled.  Who
 * stores to the object:
 *
 * - ring: threads on the GPU.  Read by the host interface;
 * - semaphores: threads release the one of the entry before their first;
 * - X: SEM_RELEASE of the channel that launches the work; Y: the last entry of
 *   the queue's work;
 * - soft GP_PUT: threads, by atomic addition;
 * - shadow GP_PUT: the device's refresh, and nobody else.
 *
 * EACCES: priority, timeslice or time-out above what the caller may ask for.  ENOSPC: no
 * channel left in the device, the process's limit, or no VRAM.  EIO: the VM
 * faulted, or the group was stopped.  EOPNOTSUPP: DEVICE_QUEUE, or its assist,
 * is not there.  ENOENT: VM, group, notifier or @devq_owner.  EINVAL: the
 * owner has another VM.
 * EPERM: the notifier is in memory of another driver.
 */
struct drm_ppu_channel_create {
	/** @vm_id: in: VM its addresses are in. */
	__u32 vm_id;
	/** @type: in: enum drm_ppu_channel_type. */
	__u32 type;
	/** @flags: in: DRM_PPU_CHANNEL_*; kernel-submit takes none. */
	__u32 flags;
	/**
	 * @priority: in: queue priority, 0 (default) is the lowest.  The host
	 * scheduler prefers channels with a higher one.  It is not a device
	 * (task) priority.  See DRM_PPU_PARAM_MAX_QUEUE_PRIORITY.
	 */
	__u32 priority;
	/** @timeslice_us: in: time slice in us of device time, 0: default. */
	__u32 timeslice_us;
	/** @engine_mask: in: copy engines it may use, 0: any; MBZ for other types. */
	__u32 engine_mask;
	/**
	 * @gpfifo_entries: in: entries of the ring, any count within the limits;
	 * kernel-submit: at least 5, and 4 more than the blocks of a job.
	 */
	__u32 gpfifo_entries;
	/**
	 * @timeout_ms: in: time-out of one job, 0: default; MBZ for user-submit.  At most 30000
	 * without CAP_SYS_NICE.
	 */
	__u32 timeout_ms;
	/** @channel_id: out: id. */
	__u32 channel_id;
	/** @hw_channel: out: the device's channel number (traces, QUEUE_REFRESH). */
	__u32 hw_channel;
	/** @ring_offset: out: mmap offset of the ring; 0 if kernel-submit. */
	__u64 ring_offset;
	/** @ring_size: out: bytes of the ring. */
	__u64 ring_size;
	/** @ring_va: out: GPU virtual address of the ring (information only). */
	__u64 ring_va;
	/** @userd_offset: out: mmap offset of the USERD page; 0 if kernel-submit. */
	__u64 userd_offset;
	/** @devq_initial_get: in: DEVICE_QUEUE: GP_GET to start at; else MBZ. */
	__u32 devq_initial_get;
	/** @devq_flags: in: DRM_PPU_DEVQ_*; MBZ for other types. */
	__u32 devq_flags;
	/** @devq_ring_va: out: DEVICE_QUEUE: ring, writable by threads; else 0. */
	__u64 devq_ring_va;
	/** @devq_sem_va: out: DEVICE_QUEUE: semaphore array, one u64 an entry; else 0. */
	__u64 devq_sem_va;
	/** @devq_soft_va: out: DEVICE_QUEUE: soft GP_PUT, u64; else 0. */
	__u64 devq_soft_va;
	/** @group_id: in: group it joins for life, 0: none. */
	__u32 group_id;
	/** @notifier_handle: in: GEM handle of a system object, 0: no notifier. */
	__u32 notifier_handle;
	/**
	 * @notifier_offset: in: offset of a struct drm_ppu_notification, a
	 * multiple of its size; it is cleared.  MBZ without a notifier.
	 */
	__u64 notifier_offset;
	/** @devq_shadow_va: out: DEVICE_QUEUE: shadow GP_PUT, u64; else 0. */
	__u64 devq_shadow_va;
	/**
	 * @devq_x_va: out: DEVICE_QUEUE: X, u64, with room for a time stamp
	 * behind it; else 0.
	 */
	__u64 devq_x_va;
	/** @devq_y_va: out: DEVICE_QUEUE: Y, likewise; else 0. */
	__u64 devq_y_va;
	/**
	 * @devq_owner: in: DEVICE_QUEUE: id of a user-submit channel of the same
	 * VM that is stopped (DRM_PPU_CHANNEL_STATE_STOPPED) when an error stops
	 * the queue, since it waits for Y; 0: none.  MBZ for other types.
	 */
	__u32 devq_owner;
	/** @devq_pad: in: MBZ. */
	__u32 devq_pad;
};

/**
 * struct drm_ppu_channel_destroy - DRM_IOCTL_PPU_CHANNEL_DESTROY
 *
 * Stops the channel in bounded time, aborts its tasks, signals its out-fences
 * with an error, ends waits that named it and revokes its CPU mappings.
 */
struct drm_ppu_channel_destroy {
	/** @channel_id: in: id. */
	__u32 channel_id;
	/** @flags: in: MBZ. */
	__u32 flags;
};

/* Bits of drm_ppu_channel_query.state. */
#define DRM_PPU_CHANNEL_STATE_ENABLED		(1u << 0)
#define DRM_PPU_CHANNEL_STATE_RUNNING		(1u << 1)	/* executes now */
#define DRM_PPU_CHANNEL_STATE_PENDING		(1u << 2)	/* GP_GET != GP_PUT */
#define DRM_PPU_CHANNEL_STATE_SEM_BLOCKED	(1u << 3)	/* held by SEM_ACQUIRE */
#define DRM_PPU_CHANNEL_STATE_WFI		(1u << 4)	/* held by WFI */
#define DRM_PPU_CHANNEL_STATE_USER_SUBMIT	(1u << 5)
/* Stopped by its own error; final. */
#define DRM_PPU_CHANNEL_STATE_FAULTED		(1u << 8)
/* Stopped by a time-out of one of its jobs; final. */
#define DRM_PPU_CHANNEL_STATE_TIMEDOUT		(1u << 9)
/* Stopped by a fault of its VM that other work caused; final. */
#define DRM_PPU_CHANNEL_STATE_INNOCENT		(1u << 10)
/* Ended by a reset or the removal of the device; final. */
#define DRM_PPU_CHANNEL_STATE_LOST		(1u << 11)
/* Stopped together with its group, or with its device-owned queue; final. */
#define DRM_PPU_CHANNEL_STATE_STOPPED		(1u << 12)

/** struct drm_ppu_channel_query - DRM_IOCTL_PPU_CHANNEL_QUERY */
struct drm_ppu_channel_query {
	/** @channel_id: in: id. */
	__u32 channel_id;
	/** @state: out: DRM_PPU_CHANNEL_STATE_*. */
	__u32 state;
	/** @gp_get: out: GP_GET. */
	__u32 gp_get;
	/** @gp_put: out: GP_PUT. */
	__u32 gp_put;
	/** @runtime_ns: out: engine time used, kernels' included, device time. */
	__u64 runtime_ns;
	/** @seqno_submitted: out: last accepted submission; 0 if user-submit. */
	__u64 seqno_submitted;
	/** @seqno_completed: out: last completed submission; 0 if user-submit. */
	__u64 seqno_completed;
	/** @timeslices: out: times scheduled in. */
	__u32 timeslices;
	/** @preemptions: out: times switched out by slice expiry or priority. */
	__u32 preemptions;
	/** @priority: out: queue priority. */
	__u32 priority;
	/** @timeslice_us: out: time slice. */
	__u32 timeslice_us;
	/** @tasks: out: tasks launched from it that are not complete. */
	__u32 tasks;
	/** @error: out: PPU_ERR_* that stopped it, 0 if none. */
	__u32 error;
	/** @error_va: out: address @error is about, 0 if none. */
	__u64 error_va;
	/** @error_get: out: GP_GET of the failing entry. */
	__u32 error_get;
	/** @pad: in: MBZ. */
	__u32 pad;
	/** @blocked_va: out: semaphore address it waits on, 0: not waiting. */
	__u64 blocked_va;
	/** @devq_soft: out: DEVICE_QUEUE: soft GP_PUT; else 0. */
	__u64 devq_soft;
	/** @devq_shadow: out: DEVICE_QUEUE: shadow GP_PUT; else 0. */
	__u64 devq_shadow;
	/** @devq_x: out: DEVICE_QUEUE: X; else 0. */
	__u64 devq_x;
	/** @devq_y: out: DEVICE_QUEUE: Y; else 0. */
	__u64 devq_y;
	/** @devq_get: out: DEVICE_QUEUE: GP_GET counted without wrapping; else 0. */
	__u64 devq_get;
};

/**
 * enum drm_ppu_channel_property - properties of a channel
 */
enum drm_ppu_channel_property {
	/** @DRM_PPU_CHANNEL_PROP_PRIORITY: queue priority; before the channel is enabled. */
	DRM_PPU_CHANNEL_PROP_PRIORITY = 0,
	/** @DRM_PPU_CHANNEL_PROP_TIMESLICE_US: time slice, 0: default. */
	DRM_PPU_CHANNEL_PROP_TIMESLICE_US = 1,
	/** @DRM_PPU_CHANNEL_PROP_ENABLED: 1: fetch entries; 0: stop fetching after this command. */
	DRM_PPU_CHANNEL_PROP_ENABLED = 2,
	/** @DRM_PPU_CHANNEL_PROP_TIMEOUT_MS: job time-out; kernel-submit only; not 0. */
	DRM_PPU_CHANNEL_PROP_TIMEOUT_MS = 3,
};

/**
 * struct drm_ppu_channel_set_property - DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY
 *
 * EACCES: value above what the caller may ask for.  EBUSY: the priority of a
 * channel that has been enabled.  EIO: channel in error.
 */
struct drm_ppu_channel_set_property {
	/** @channel_id: in: id. */
	__u32 channel_id;
	/** @property: in: enum drm_ppu_channel_property. */
	__u32 property;
	/** @value: in: new value. */
	__u64 value;
};

/**
 * enum drm_ppu_group_policy - what an error of one channel means to its group
 */
enum drm_ppu_group_policy {
	/** @DRM_PPU_GROUP_ISOLATE: nothing. */
	DRM_PPU_GROUP_ISOLATE = 0,
	/**
	 * @DRM_PPU_GROUP_STOP_ALL: the others fetch nothing more and are stopped
	 * (DRM_PPU_CHANNEL_STATE_STOPPED); the group takes no new channels.
	 */
	DRM_PPU_GROUP_STOP_ALL = 1,
};

/* Flags of DRM_IOCTL_PPU_GROUP_CREATE. */
#define DRM_PPU_GROUP_START_DISABLED	(1u << 0)	/* as after DRM_PPU_GROUP_DISABLE */

/**
 * struct drm_ppu_group_create - DRM_IOCTL_PPU_GROUP_CREATE
 *
 * A group is a set of channels of one file, of any VMs and types, that are
 * enabled, disabled, preempted and stopped together.  Channels join when they
 * are created and leave when they are destroyed.  A channel runs if it is
 * enabled itself and its group is.  The time-out of a kernel-submit channel runs
 * also while its group holds it back.  Members in one VM share time slices:
 * together they have the share of one channel.
 *
 * ENOSPC: the process's limit.  EACCES: time slice above what the caller may
 * ask for.
 */
struct drm_ppu_group_create {
	/** @flags: in: DRM_PPU_GROUP_START_DISABLED or 0. */
	__u32 flags;
	/** @policy: in: enum drm_ppu_group_policy. */
	__u32 policy;
	/** @timeslice_us: in: time slice of channels that ask for 0; 0: default. */
	__u32 timeslice_us;
	/** @group_id: out: id. */
	__u32 group_id;
};

/**
 * struct drm_ppu_group_destroy - DRM_IOCTL_PPU_GROUP_DESTROY
 *
 * EBUSY: it has channels.
 */
struct drm_ppu_group_destroy {
	/** @group_id: in: id. */
	__u32 group_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * enum drm_ppu_group_op - what DRM_IOCTL_PPU_GROUP_CONTROL does
 */
enum drm_ppu_group_op {
	/** @DRM_PPU_GROUP_ENABLE: its channels may fetch. */
	DRM_PPU_GROUP_ENABLE = 0,
	/**
	 * @DRM_PPU_GROUP_DISABLE: its channels fetch nothing more; waits until
	 * none of them executes a command.  Tasks they launched go on.
	 */
	DRM_PPU_GROUP_DISABLE = 1,
	/** @DRM_PPU_GROUP_PREEMPT: as DISABLE, and then as it was. */
	DRM_PPU_GROUP_PREEMPT = 2,
	/**
	 * @DRM_PPU_GROUP_STOP: ends its channels' work, their copies and tasks
	 * included; they are DRM_PPU_CHANNEL_STATE_STOPPED.  Final: the group
	 * takes no new channels.
	 */
	DRM_PPU_GROUP_STOP = 3,
	/** @DRM_PPU_GROUP_SET_TIMESLICE: @value us for its channels, now and later. */
	DRM_PPU_GROUP_SET_TIMESLICE = 4,
	/** @DRM_PPU_GROUP_SET_POLICY: @value is an enum drm_ppu_group_policy. */
	DRM_PPU_GROUP_SET_POLICY = 5,
};

/**
 * struct drm_ppu_group_control - DRM_IOCTL_PPU_GROUP_CONTROL
 *
 * ETIME: a command was still executing at @timeout_ns: DISABLE and PREEMPT have
 * done what they do but for the waiting.  EIO: the group was stopped.  EACCES:
 * time slice above what the caller may ask for.
 */
struct drm_ppu_group_control {
	/** @group_id: in: id. */
	__u32 group_id;
	/** @op: in: enum drm_ppu_group_op. */
	__u32 op;
	/** @value: in: see enum drm_ppu_group_op; else MBZ. */
	__u64 value;
	/**
	 * @timeout_ns: in: DISABLE and PREEMPT: absolute, CLOCK_MONOTONIC; 0 or
	 * past: do not wait; INT64_MAX: no time-out.  Else MBZ.
	 */
	__s64 timeout_ns;
};

/* Bits of drm_ppu_group_query.state. */
#define DRM_PPU_GROUP_STATE_ENABLED	(1u << 0)
#define DRM_PPU_GROUP_STATE_RUNNING	(1u << 1)	/* some channel executes now */
#define DRM_PPU_GROUP_STATE_PENDING	(1u << 2)	/* some channel has work */
#define DRM_PPU_GROUP_STATE_STOPPED	(1u << 3)	/* by STOP, or by an error; final */

/** struct drm_ppu_group_query - DRM_IOCTL_PPU_GROUP_QUERY */
struct drm_ppu_group_query {
	/** @group_id: in: id. */
	__u32 group_id;
	/** @state: out: DRM_PPU_GROUP_STATE_*. */
	__u32 state;
	/** @policy: out: enum drm_ppu_group_policy. */
	__u32 policy;
	/** @timeslice_us: out: as set, 0: default. */
	__u32 timeslice_us;
	/** @channels: out: its channels. */
	__u32 channels;
	/** @dead: out: how many of them are in a final state. */
	__u32 dead;
	/** @first_channel: out: channel that stopped first with an error, 0: none. */
	__u32 first_channel;
	/** @first_error: out: its PPU_ERR_* code. */
	__u32 first_error;
	/** @runtime_ns: out: engine time of the channels it has. */
	__u64 runtime_ns;
};

/** struct drm_ppu_entry - one command block of a submission */
struct drm_ppu_entry {
	/** @va: in: GPU virtual address, a multiple of 4. */
	__u64 va;
	/** @length: in: length in 32-bit words, 1..PPU_BLOCK_MAX_WORDS. */
	__u32 length;
	/** @flags: in: MBZ. */
	__u32 flags;
};

/* Flags of DRM_IOCTL_PPU_SUBMIT. */
/* EAGAIN instead of sleeping when the channel has too many jobs queued. */
#define DRM_PPU_SUBMIT_NONBLOCK	(1u << 0)

/* Most syncs of one submission. */
#define DRM_PPU_SUBMIT_MAX_SYNCS	256

/* Flag of struct drm_ppu_submit_bo: the job may write to the object. */
#define DRM_PPU_SUBMIT_BO_WRITE	(1u << 0)

/* Most objects of one submission. */
#define DRM_PPU_SUBMIT_MAX_BOS	256

/**
 * struct drm_ppu_submit_bo - one object whose implicit fences the job obeys
 *
 * The job waits for the object's fences of writers, with WRITE of readers, too; its own
 * fence is added to them.  So it takes its turn with other drivers that share the object,
 * and poll() of the dma-buf waits for it.
 */
struct drm_ppu_submit_bo {
	/** @handle: in: GEM handle. */
	__u32 handle;
	/** @flags: in: DRM_PPU_SUBMIT_BO_WRITE. */
	__u32 flags;
};

/**
 * struct drm_ppu_submit - DRM_IOCTL_PPU_SUBMIT
 *
 * Queues one job on a kernel-submit channel: it waits for the in-fences, runs
 * its command blocks in order, and signals the out-fences when the last
 * command is done and the tasks launched by the job are complete.  A job with
 * no entries only joins fences.  Jobs of a channel run in submission order.
 *
 * The blocks must not contain SEM_ACQUIRE (channel error).
 *
 * EINVAL: the channel is user-submit, or more entries than the ring has room
 * for (gpfifo_entries - 4), or an object is named twice.  EIO: the channel is in error.
 */
struct drm_ppu_submit {
	/** @channel_id: in: id. */
	__u32 channel_id;
	/** @flags: in: DRM_PPU_SUBMIT_*. */
	__u32 flags;
	/** @entries: in: array of struct drm_ppu_entry. */
	struct drm_ppu_array entries;
	/** @syncs: in: array of struct drm_ppu_sync. */
	struct drm_ppu_array syncs;
	/** @seqno: out: number of the submission on its channel, from 1. */
	__u64 seqno;
	/** @bos: in: array of struct drm_ppu_submit_bo; others are not looked at. */
	struct drm_ppu_array bos;
};

/* Flags of DRM_IOCTL_PPU_SEM_CREATE. */
/* Do not write the initial value: the word is in use already. */
#define DRM_PPU_SEM_ADOPT	(1u << 0)
/* The word has 32 bits (the second half of the slot's first 8 bytes is not touched). */
#define DRM_PPU_SEM_32BIT	(1u << 1)

/**
 * struct drm_ppu_sem_create - DRM_IOCTL_PPU_SEM_CREATE
 *
 * Names a semaphore: a 16-byte slot {u64 payload, u64 timestamp in ns of device
 * time} in a buffer object (system memory or VRAM).  GPU commands, threads and
 * the CPU may use the word as they like; the object gives it sleeping waits and
 * events.  To share one, share the buffer object (PRIME or the same file) and
 * create a semaphore with DRM_PPU_SEM_ADOPT on it.
 *
 * ENOSPC: the process's limit.  EPERM: memory of another driver.
 */
struct drm_ppu_sem_create {
	/**
	 * @bo_handle: in: GEM handle; 0: the kernel makes a one-page system
	 * object; out: the handle.
	 */
	__u32 bo_handle;
	/** @flags: in: DRM_PPU_SEM_*. */
	__u32 flags;
	/** @bo_offset: in: offset of the slot, a multiple of 16; MBZ if @bo_handle is 0. */
	__u64 bo_offset;
	/** @initial: in: value written, unless ADOPT (MBZ then). */
	__u64 initial;
	/** @sem_id: out: id. */
	__u32 sem_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * struct drm_ppu_sem_destroy - DRM_IOCTL_PPU_SEM_DESTROY
 *
 * Waits on it end with ECANCELED; its events are dropped.  The word stays.
 */
struct drm_ppu_sem_destroy {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/** struct drm_ppu_sem_read - DRM_IOCTL_PPU_SEM_READ */
struct drm_ppu_sem_read {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @pad: in: MBZ. */
	__u32 pad;
	/** @value: out: the word. */
	__u64 value;
	/** @gpu_ns: out: timestamp of the slot: device time of the last release that wrote it. */
	__u64 gpu_ns;
};

/* What DRM_IOCTL_PPU_SEM_SIGNAL does. */
#define DRM_PPU_SEM_SIGNAL_SET	0	/* word = value */
#define DRM_PPU_SEM_SIGNAL_ADD	1	/* word += value */
#define DRM_PPU_SEM_SIGNAL_MAX	2	/* word = max(word, value), unsigned */
#define DRM_PPU_SEM_SIGNAL_KICK	3	/* no store: the CPU stored by itself; value MBZ */

/**
 * struct drm_ppu_sem_signal - DRM_IOCTL_PPU_SEM_SIGNAL
 *
 * Updates the word atomically (also with respect to the GPU), stores the
 * device time to the slot's timestamp (not for KICK), then wakes whoever waits
 * for it: SEM_WAIT calls, events, and channels of every VM the buffer object is
 * bound in.
 */
struct drm_ppu_sem_signal {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @op: in: DRM_PPU_SEM_SIGNAL_*. */
	__u32 op;
	/** @value: in: operand. */
	__u64 value;
	/** @old: out: the word before. */
	__u64 old;
};

/**
 * struct drm_ppu_sem_import_fence - DRM_IOCTL_PPU_SEM_IMPORT_FENCE
 *
 * Fence to semaphore: when the fence in @sync signals, the kernel does what
 * DRM_IOCTL_PPU_SEM_SIGNAL would.  Returns at once.  If the semaphore is
 * destroyed, or the file closed, first, nothing happens to the word.
 *
 * A sync_file becomes a syncobj by DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE.
 *
 * ENOSPC: the process's limit.
 */
struct drm_ppu_sem_import_fence {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @op: in: DRM_PPU_SEM_SIGNAL_*, not KICK. */
	__u32 op;
	/** @value: in: operand. */
	__u64 value;
	/** @error_value: in: operand if the fence signals an error. */
	__u64 error_value;
	/** @sync: in: fence to wait for, without DRM_PPU_SYNC_SIGNAL. */
	struct drm_ppu_sync sync;
};

/**
 * struct drm_ppu_sem_export_fence - DRM_IOCTL_PPU_SEM_EXPORT_FENCE
 *
 * Semaphore to fence: once the condition holds, the kernel puts a signalled
 * fence into the syncobj.  Until then the syncobj has no fence, or keeps the
 * one it had: a fence never depends on memory of user space.  To wait for both,
 * use DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT.  Returns at once.
 *
 * If the semaphore is destroyed or the file closed first the fence has the
 * error ECANCELED; if channel @channel_id stops with an error, EIO.
 *
 * ENOSPC: the process's limit, or the device's watch table is full.
 */
struct drm_ppu_sem_export_fence {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @op: in: DRM_PPU_SEM_OP_*. */
	__u32 op;
	/** @value: in: operand. */
	__u64 value;
	/** @channel_id: in: 0, or the channel that is to release the word. */
	__u32 channel_id;
	/** @pad: in: MBZ. */
	__u32 pad;
	/** @sync: in: syncobj, with DRM_PPU_SYNC_SIGNAL. */
	struct drm_ppu_sync sync;
};

/* Conditions, the same as those of SEM_ACQUIRE (PPU_SEM_OP_*). */
#define DRM_PPU_SEM_OP_EQ	0	/* word == value */
#define DRM_PPU_SEM_OP_GE	1	/* word >= value, unsigned */
#define DRM_PPU_SEM_OP_ZERO	2	/* word == 0; value MBZ */
#define DRM_PPU_SEM_OP_NE	3	/* word != value */
#define DRM_PPU_SEM_OP_CIRC_GE	4	/* (signed)(word - value) >= 0 */
#define DRM_PPU_SEM_OP_ANYBIT	5	/* (word & value) != 0 */

/** struct drm_ppu_sem_cond - one condition of a wait */
struct drm_ppu_sem_cond {
	/** @sem_id: in: id. */
	__u32 sem_id;
	/** @op: in: DRM_PPU_SEM_OP_*. */
	__u32 op;
	/** @value: in: operand; at most 32 bits for a 32-bit semaphore. */
	__u64 value;
};

/* Flags of DRM_IOCTL_PPU_SEM_WAIT. */
#define DRM_PPU_SEM_WAIT_ALL	(1u << 0)	/* all conditions at once (else any) */
/* With @channel_id: EIO also when any other channel of its VM is in error, or was stopped. */
#define DRM_PPU_SEM_WAIT_VM	(1u << 1)

/* Most conditions of one wait. */
#define DRM_PPU_SEM_WAIT_MAX	64

/**
 * struct drm_ppu_sem_wait - DRM_IOCTL_PPU_SEM_WAIT
 *
 * Sleeps until the condition holds.  Nobody polls: the device watches the
 * words and interrupts.  A plain CPU store is noticed at the next KICK (the
 * register or DRM_PPU_SEM_SIGNAL_KICK) or store to GP_PUT.
 *
 * Any: a condition that the device saw hold while the call slept counts, even if
 * the word has changed since.  All: the conditions hold at once.
 *
 * ETIME: not before @timeout_ns.  EINTR: a signal (restarted by the kernel with
 * SA_RESTART).  ECANCELED: a semaphore was destroyed meanwhile.  EIO: channel
 * @channel_id has ended, or its VM, or, with DRM_PPU_SEM_WAIT_VM, any channel
 * of that VM that has not been destroyed.  A condition that already holds wins
 * over all of these.
 */
struct drm_ppu_sem_wait {
	/** @conds: in: 1..DRM_PPU_SEM_WAIT_MAX struct drm_ppu_sem_cond. */
	struct drm_ppu_array conds;
	/**
	 * @timeout_ns: in: absolute, CLOCK_MONOTONIC; 0 or past: only look
	 * (ETIME if it does not hold); INT64_MAX: no time-out.
	 */
	__s64 timeout_ns;
	/** @flags: in: DRM_PPU_SEM_WAIT_*. */
	__u32 flags;
	/** @channel_id: in: 0, or: fail with EIO when this channel stops with an error. */
	__u32 channel_id;
	/** @first: out: index of the first condition that holds (0 with ALL). */
	__u32 first;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/**
 * enum drm_ppu_event_type - what an eventfd can be signalled for
 */
enum drm_ppu_event_type {
	/** @DRM_PPU_EVENT_SEM: a semaphore's condition holds.  One shot. */
	DRM_PPU_EVENT_SEM = 0,
	/** @DRM_PPU_EVENT_CHANNEL_ERROR: the channel stopped with an error.  One shot. */
	DRM_PPU_EVENT_CHANNEL_ERROR = 1,
	/** @DRM_PPU_EVENT_VM_FAULT: a fault record was added to the VM. */
	DRM_PPU_EVENT_VM_FAULT = 2,
	/** @DRM_PPU_EVENT_DEVICE_RESET: the whole device was reset or removed. */
	DRM_PPU_EVENT_DEVICE_RESET = 3,
	/** @DRM_PPU_EVENT_CHANNEL_INTR: the channel executed an INTR command. */
	DRM_PPU_EVENT_CHANNEL_INTR = 4,
};

/* Flags of DRM_IOCTL_PPU_EVENT_REGISTER. */
#define DRM_PPU_EVENT_ONESHOT	(1u << 0)	/* signalled once, then idle until unregistered */

/**
 * struct drm_ppu_event_register - DRM_IOCTL_PPU_EVENT_REGISTER
 *
 * Adds 1 to an eventfd each time the event happens.  An event whose condition
 * holds already (SEM, CHANNEL_ERROR) is signalled at once.
 *
 * EBADF: not an eventfd.  ENOSPC: the process's limit.
 */
struct drm_ppu_event_register {
	/** @type: in: enum drm_ppu_event_type. */
	__u32 type;
	/** @object_id: in: semaphore, channel or VM id; MBZ for DEVICE_RESET. */
	__u32 object_id;
	/** @op: in: SEM: DRM_PPU_SEM_OP_*; else MBZ. */
	__u32 op;
	/** @eventfd: in: file descriptor of an eventfd. */
	__s32 eventfd;
	/** @value: in: SEM: operand; else MBZ. */
	__u64 value;
	/** @flags: in: DRM_PPU_EVENT_ONESHOT; needed for the one-shot types. */
	__u32 flags;
	/** @event_id: out: id. */
	__u32 event_id;
};

/** struct drm_ppu_event_unregister - DRM_IOCTL_PPU_EVENT_UNREGISTER */
struct drm_ppu_event_unregister {
	/** @event_id: in: id. */
	__u32 event_id;
	/** @pad: in: MBZ. */
	__u32 pad;
};

/* Ioctl numbers: never reorder, never reuse. */
#define DRM_PPU_GET_PARAM		0x00
#define DRM_PPU_QUERY			0x01
#define DRM_PPU_GEM_CREATE		0x02
#define DRM_PPU_GEM_MMAP_OFFSET		0x03
#define DRM_PPU_GEM_INFO		0x04
#define DRM_PPU_VM_CREATE		0x05
#define DRM_PPU_VM_DESTROY		0x06
#define DRM_PPU_VM_BIND			0x07
#define DRM_PPU_VM_GET_STATE		0x08
#define DRM_PPU_CHANNEL_CREATE		0x09
#define DRM_PPU_CHANNEL_DESTROY		0x0a
#define DRM_PPU_CHANNEL_QUERY		0x0b
#define DRM_PPU_CHANNEL_SET_PROPERTY	0x0c
#define DRM_PPU_SUBMIT			0x0d
#define DRM_PPU_SEM_CREATE		0x0e
#define DRM_PPU_SEM_DESTROY		0x0f
#define DRM_PPU_SEM_READ		0x10
#define DRM_PPU_SEM_SIGNAL		0x11
#define DRM_PPU_SEM_WAIT		0x12
#define DRM_PPU_EVENT_REGISTER		0x13
#define DRM_PPU_EVENT_UNREGISTER	0x14
#define DRM_PPU_VM_SET_PROPERTY		0x15
#define DRM_PPU_GROUP_CREATE		0x16
#define DRM_PPU_GROUP_DESTROY		0x17
#define DRM_PPU_GROUP_CONTROL		0x18
#define DRM_PPU_GROUP_QUERY		0x19
#define DRM_PPU_SEM_IMPORT_FENCE	0x1a
#define DRM_PPU_SEM_EXPORT_FENCE	0x1b
#define DRM_PPU_GEM_USERPTR		0x1c
#define DRM_PPU_GEM_MADVISE		0x1d

/* All are DRM_IOWR: a structure that later gains an output keeps its number. */
#define DRM_IOCTL_PPU(nr, type) \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_PPU_##nr, struct drm_ppu_##type)

#define DRM_IOCTL_PPU_GET_PARAM		DRM_IOCTL_PPU(GET_PARAM, get_param)
#define DRM_IOCTL_PPU_QUERY		DRM_IOCTL_PPU(QUERY, query)
#define DRM_IOCTL_PPU_GEM_CREATE	DRM_IOCTL_PPU(GEM_CREATE, gem_create)
#define DRM_IOCTL_PPU_GEM_MMAP_OFFSET	DRM_IOCTL_PPU(GEM_MMAP_OFFSET, gem_mmap_offset)
#define DRM_IOCTL_PPU_GEM_INFO		DRM_IOCTL_PPU(GEM_INFO, gem_info)
#define DRM_IOCTL_PPU_VM_CREATE		DRM_IOCTL_PPU(VM_CREATE, vm_create)
#define DRM_IOCTL_PPU_VM_DESTROY	DRM_IOCTL_PPU(VM_DESTROY, vm_destroy)
#define DRM_IOCTL_PPU_VM_BIND		DRM_IOCTL_PPU(VM_BIND, vm_bind)
#define DRM_IOCTL_PPU_VM_GET_STATE	DRM_IOCTL_PPU(VM_GET_STATE, vm_get_state)
#define DRM_IOCTL_PPU_CHANNEL_CREATE	DRM_IOCTL_PPU(CHANNEL_CREATE, channel_create)
#define DRM_IOCTL_PPU_CHANNEL_DESTROY	DRM_IOCTL_PPU(CHANNEL_DESTROY, channel_destroy)
#define DRM_IOCTL_PPU_CHANNEL_QUERY	DRM_IOCTL_PPU(CHANNEL_QUERY, channel_query)
#define DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY \
	DRM_IOCTL_PPU(CHANNEL_SET_PROPERTY, channel_set_property)
#define DRM_IOCTL_PPU_SUBMIT		DRM_IOCTL_PPU(SUBMIT, submit)
#define DRM_IOCTL_PPU_SEM_CREATE	DRM_IOCTL_PPU(SEM_CREATE, sem_create)
#define DRM_IOCTL_PPU_SEM_DESTROY	DRM_IOCTL_PPU(SEM_DESTROY, sem_destroy)
#define DRM_IOCTL_PPU_SEM_READ		DRM_IOCTL_PPU(SEM_READ, sem_read)
#define DRM_IOCTL_PPU_SEM_SIGNAL	DRM_IOCTL_PPU(SEM_SIGNAL, sem_signal)
#define DRM_IOCTL_PPU_SEM_WAIT		DRM_IOCTL_PPU(SEM_WAIT, sem_wait)
#define DRM_IOCTL_PPU_EVENT_REGISTER	DRM_IOCTL_PPU(EVENT_REGISTER, event_register)
#define DRM_IOCTL_PPU_EVENT_UNREGISTER	DRM_IOCTL_PPU(EVENT_UNREGISTER, event_unregister)
#define DRM_IOCTL_PPU_VM_SET_PROPERTY	DRM_IOCTL_PPU(VM_SET_PROPERTY, vm_set_property)
#define DRM_IOCTL_PPU_GROUP_CREATE	DRM_IOCTL_PPU(GROUP_CREATE, group_create)
#define DRM_IOCTL_PPU_GROUP_DESTROY	DRM_IOCTL_PPU(GROUP_DESTROY, group_destroy)
#define DRM_IOCTL_PPU_GROUP_CONTROL	DRM_IOCTL_PPU(GROUP_CONTROL, group_control)
#define DRM_IOCTL_PPU_GROUP_QUERY	DRM_IOCTL_PPU(GROUP_QUERY, group_query)
#define DRM_IOCTL_PPU_SEM_IMPORT_FENCE	DRM_IOCTL_PPU(SEM_IMPORT_FENCE, sem_import_fence)
#define DRM_IOCTL_PPU_SEM_EXPORT_FENCE	DRM_IOCTL_PPU(SEM_EXPORT_FENCE, sem_export_fence)
#define DRM_IOCTL_PPU_GEM_USERPTR	DRM_IOCTL_PPU(GEM_USERPTR, gem_userptr)
#define DRM_IOCTL_PPU_GEM_MADVISE	DRM_IOCTL_PPU(GEM_MADVISE, gem_madvise)

#if defined(__cplusplus)
}
#endif

#endif
