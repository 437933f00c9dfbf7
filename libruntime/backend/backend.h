/* SPDX-License-Identifier: MIT */
/*
 * What the runtime needs from below: one small table.
 *
 *   drm   the kernel driver (libdrm, ppu_drm.h)
 *   core  plays the driver inside this process, over the device core: the same page tables,
 *         rings and instance blocks; device time advances only while somebody waits.  It is a
 *         plug-in (plugin.h)
 *
 * Nothing above the table knows which backend is used.  Functions return 0 or a negative errno.
 * Objects are opaque and owned by the caller, who keeps the order: BOs are unbound before they are
 * freed, channels and semaphores freed before their VM, everything before the device.
 * Thread safe, except that calls on one channel (ring, put) are the caller's to serialise.
 */
#ifndef PPU_BACKEND_H
#define PPU_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_engine_stats.h>
#include <hw/ppu_devq.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_look.h>
#include <hw/ppu_observe.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include "common/clock.h"

#pragma GCC visibility push(hidden)

struct be_dev;
struct be_vm;
struct be_bo;
struct be_sem;

/* First member of each backend's channel. */
struct be_chan {
	volatile struct ppu_gpfifo_entry *ring;
	uint32_t entries;
	uint32_t hw_channel;	/* the device's number, for traces and messages */
};

enum be_place { BE_SYSTEM, BE_VRAM };

#define BE_BIND_READONLY	1u
#define BE_BIND_NOEXEC		2u

/* Limits of the tasks of a VM.  Each limit but the last costs device memory. */
enum be_vm_limit {
	BE_VM_LOCAL,		/* bytes of local memory of a thread, 1 to 512 KiB; rounded up */
	BE_VM_DEPTH,		/* nesting depth of device-side launches, 1..PPU_MAX_DEPTH */
	BE_VM_PENDING,		/* device-side launches not complete; 0: what the device has room for */
	BE_VM_LIMITS
};

struct be_chan_state {
	uint32_t error;		/* PPU_ERR_*, 0: none */
	uint32_t get;
	uint64_t va;
	bool gone;		/* the device was removed or reset */
};

/*
 * Device-owned work queues (WQ-12, WQ-23..WQ-38, WQ-59).
 *
 * devq_create() does method 400's steps 404..412 in their order: the object of <hw/ppu_devq.h> in
 * VRAM, zeroed (404, 405); the block SEM_ACQUIRE X == PPU_DEVQ_FIRST_X (406); GP_GET's entry points to
 * it (408); GP_PUT := wrap(GP_GET - 1) (410); soft := GP_GET + 1, shadow := GP_GET + entries - 1 (412);
 * then the channel is enabled, and the host interface stands on X.  This is left to the layer above:
 *
 *   in the CPU-owned channel, for launch number n = 1, 2, ... of this queue:
 *     an entry with QUEUE_REFRESH {chan->hw_channel} of its own, then (1..4 entries)
 *     LAUNCH, WFI, SEM_RELEASE {x_va, n}, SEM_ACQUIRE {y_va, n}
 *   in the queue, as the last insertion of launch n (made by threads or the library on the GPU):
 *     WFI, SEM_RELEASE {y_va, n}, SEM_ACQUIRE {x_va, n + 1}
 *   element i of the semaphores, awaited by the Acquire that stands in entry i in lap L: L + 1.
 *
 * Refresh, besides the command: with BE_DEVQ_ASSIST the device refreshes whenever GP_GET moves, and no "ring
 * low" interrupts come (needs PPU_FEAT_DEVQ_ASSIST, else -EOPNOTSUPP).  Without it the driver refreshes at
 * each "ring low" interrupt (GP_GET moved by entries / 2 since the last refresh).  A command block of the
 * queue itself may hold QUEUE_REFRESH of its own channel, too.
 *
 * The channel that is returned is stopped, freed and queried like any other; chan_put() and
 * chan_kick() have no effect on it.  An error of the queue stops its `owner`, the CPU-owned channel that would wait for Y
 * for ever: sem_wait() on the owner ends with -EIO, its chan_state() says PPU_ERR_CTX_STOPPED, and
 * chan_state() of the queue says why.  Device memory is write-combined for the CPU: what the CPU stores
 * there needs chan_kick() (of any channel of the VM) to be noticed.
 */
#define BE_DEVQ_ASSIST		1u

/* How often somebody looks for an error of which nobody tells. */
#define BE_LOOK_NS	500000000ull

/* Whose errors end a wait: those of the channel named and of its VM, or those of all channels of that VM. */
enum be_watch { BE_WATCH_CHAN, BE_WATCH_VM };

struct be_devq_args {
	uint32_t entries;	/* 3..ring_max, any count */
	uint32_t initial_get;	/* GP_GET to start at, < entries; 0 unless a test wants it (WQ-31) */
	unsigned prio;		/* queue priority (WQ-10) */
	unsigned flags;		/* BE_DEVQ_* */
	struct be_chan *owner;	/* CPU-owned channel of this VM that stops with the queue; NULL: none */
};

struct be_devq {
	struct be_chan *chan;
	uint64_t ring_va;	/* struct ppu_gpfifo_entry[entries]; also where the object begins */
	uint64_t sem_va;	/* u64[entries], element i belongs to entry i */
	uint64_t x_va, y_va;	/* u64, 16-byte aligned, with room for the time of PPU_CMDF_SEM_TIME */
	uint64_t soft_va, shadow_va;	/* u64 */
	uint64_t size;		/* bytes of the object */
	void *cpu;		/* the CPU's view of the object: *_va is at cpu + (*_va - ring_va) */
};

/* A piece of a translation: a heading, or an instruction of the host. */
struct be_code {
	enum { BE_CODE_COMMON, BE_CODE_BLOCK, BE_CODE_DEVICE, BE_CODE_HOST } kind;
	uint32_t pc;			/* of the block or the instruction of the device */
	unsigned masked, len;		/* the block is for some lanes; bytes of the host's instruction */
	const struct ppu_insn *insn;	/* the instruction of the device */
	uint64_t address;
	const uint8_t *bytes;
	const char *text;		/* the instruction of the host */
};

struct be_limits {	/* when to give up waiting; UINT64_MAX: never */
	uint64_t device_ns;	/* absolute device time */
	uint64_t host_ns;	/* absolute CLOCK_MONOTONIC */
};

/*
 * A debugger of a device.  Its functions are called with the device's lock, by the thread that drives the device, which
 * stands still while they run.  Those of the observer may only look; the others may also save and go back.
 */
struct be_debugger {
	void *arg;
	struct ppu_observer observer;
	void (*begin)(void *arg);	/* the program has done something to the device: there is no way back behind this */
	void (*event)(void *arg);	/* between two events of the device */
	void (*leave)(void *arg);	/* the program goes on */
	/* Somebody else observes the device (be_ops.observe()), or nobody any more: who attaches or has attached passes on to them what
	 * it sees, and changes the observer accordingly. */
	void (*also)(void *arg, const struct ppu_observer *o);
};

/* NULL among be_ops: this backend's device cannot be debugged.  PPU_DEBUG must be set when it is opened. */
struct be_debug_ops {
	int (*attach)(struct be_dev *dev, const struct be_debugger *d);	/* it stays the caller's; NULL: nobody any more */
	/* Saves are numbered from 0 on.  restore() drops those behind it, forget() drops one that is not the first. */
	int (*save)(struct be_dev *dev);
	int (*restore)(struct be_dev *dev, unsigned number);
	void (*forget)(struct be_dev *dev, unsigned number);
	/* A number of all that the device and its memory are; equal states have equal ones.  0: no memory. */
	uint64_t (*digest)(struct be_dev *dev);
	bool (*look_cta)(struct be_dev *dev, uint32_t sm, uint32_t slot, struct ppu_look_cta *c);
	bool (*look_warp)(struct be_dev *dev, uint32_t sm, uint32_t slot, struct ppu_look_warp *w);
	bool (*look_register)(struct be_dev *dev, uint32_t sm, uint32_t slot, uint32_t reg, uint32_t *lanes);
	uint64_t (*look_memory)(struct be_dev *dev, const struct ppu_look_place *at, void *buf, uint64_t len);
	uint64_t (*now)(struct be_dev *dev);
	/* Only these threads run (ppu_core_only()); NULL: all.  Not saved. */
	void (*only)(struct be_dev *dev, const struct ppu_only *only);
};

struct be_ops {
	const char *name;
	/* Number of devices there are, 0 only if there is none, a negative errno if one cannot be used; opening
	 * number `index`.  *err: malloc'ed sentence or NULL. */
	int (*count)(const ppuInitOptions *opt, char **err);
	int (*open)(const ppuInitOptions *opt, unsigned index, struct be_dev **dev, char **err);
	void (*close)(struct be_dev *dev);
	/* Everything of *prop except name, backend and the stream priorities. */
	int (*props)(struct be_dev *dev, ppuDeviceProp *prop);
	int (*time)(struct be_dev *dev, uint64_t *ns);
	/* The first n counters; n <= PPU_CTR_COUNT.  -EOPNOTSUPP when the driver has none. */
	int (*counters)(struct be_dev *dev, unsigned n, uint64_t *values);
	/* The first n of PPU_ENGINE_STATS and host_ns (ppu_be_engine_stat_name()); a translation, -ENOENT; its code.
	 * A backend that has none of these has NULL in all three. */
	int (*engine_stats)(struct be_dev *dev, unsigned n, uint64_t *values);
	int (*translation)(struct be_dev *dev, uint64_t after, ppuTranslation *t);
	int (*dump_code)(struct be_dev *dev, uint64_t number, void (*say)(void *arg, const struct be_code *c), void *arg);
	/* Somebody observes the tasks that are launched from now on (NULL: nobody); a task names its VM by vm_inst(). NULL, both:
	 * this backend's device cannot be observed. */
	int (*observe)(struct be_dev *dev, const struct ppu_observer *o);
	uint64_t (*vm_inst)(const struct be_vm *vm);
	/* Reads the memory of a VM as its threads see it.  Returns how many bytes there are.  NULL: as observe(). */
	uint64_t (*peek)(struct be_dev *dev, uint64_t inst, uint64_t va, void *buf, uint64_t len);
	const struct be_debug_ops *debug;
	int (*mem_info)(struct be_dev *dev, uint64_t *avail, uint64_t *total);

	/* limits: BE_VM_LIMITS values. */
	int (*vm_create)(struct be_dev *dev, const uint32_t *limits, struct be_vm **vm);
	void (*vm_destroy)(struct be_vm *vm);
	uint32_t (*vm_limit)(struct be_vm *vm, enum be_vm_limit which);
	/* -EBUSY while tasks run, -ENOSPC when there is no room for the areas.  In both cases nothing is
	 * changed. */
	int (*vm_set_limit)(struct be_vm *vm, enum be_vm_limit which, uint32_t value);
	/* Fault records so far, oldest first; *n in: room, out: copied.  Returns 1 when an SM fault
	 * stopped the VM, else 0. */
	int (*vm_faults)(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n);

	/* Tasks of the VM on the device now; *n in: room, out: how many there are, at most that. */
	int (*vm_tasks)(struct be_vm *vm, struct ppu_task_info *tasks, unsigned *n);

	/* Zero-filled memory; size is rounded up to pages. */
	int (*bo_alloc)(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **bo);
	/* Pages of the process itself, from the start of a page on; they stay where they are until
	 * bo_free().  -EOPNOTSUPP: not this kind of memory, or the driver is too old. */
	int (*bo_user)(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **bo);
	/* The last user's call frees it. */
	void (*bo_free)(struct be_bo *bo);
	/* The memory of another VM's object, perhaps of another device, as one that can be bound in this VM. It lives until
	 * both are freed. -EBUSY: the other VM would have to stand still, and does not; it can be tried again. */
	int (*bo_peer)(struct be_vm *vm, struct be_bo *theirs, struct be_bo **bo);
	/* A file that stands for the memory in any process, and the way back, in another one. NULL, both: this backend's memory
	 * cannot leave the process. */
	int (*bo_export)(struct be_bo *bo, int *fd);
	int (*bo_import)(struct be_vm *vm, int fd, uint64_t size, struct be_bo **bo);
	/* CPU mapping of the whole object. at != NULL: map it at this address, in place of what is mapped
	 * there.  The caller unmaps it. */
	int (*bo_map)(struct be_bo *bo, void *at, void **ptr);
	int (*bind)(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags);
	int (*unbind)(struct be_vm *vm, uint64_t va, uint64_t size);

	/* cls: PPU_CLASS_*; prio: queue priority (WQ-10). */
	int (*chan_create)(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio,
			   struct be_chan **chan);
	/* The device stops the channel, and waits for it end with -EIO or -ECANCELED.  The struct stays,
	 * but its ring and registers must not be touched any more. */
	void (*chan_stop)(struct be_chan *chan);
	void (*chan_free)(struct be_chan *chan);
	uint32_t (*chan_get)(struct be_chan *chan);		/* GP_GET */
	void (*chan_put)(struct be_chan *chan, uint32_t put);	/* GP_PUT: submits */
	void (*chan_kick)(struct be_chan *chan);		/* KICK */
	int (*chan_state)(struct be_chan *chan, struct be_chan_state *st);

	/* A device-owned queue; see above.  It ends with chan_free(q->chan). */
	int (*devq_create)(struct be_vm *vm, const struct be_devq_args *args, struct be_devq *q);

	/* Makes a semaphore of the 16-byte slot at bo + off, so that callers can wait for it. */
	int (*sem_create)(struct be_vm *vm, struct be_bo *bo, uint64_t off, struct be_sem **sem);
	void (*sem_destroy)(struct be_sem *sem);
	int (*sem_read)(struct be_sem *sem, uint64_t *value);
	/* Sleep until *word >= value, where word is the CPU's view of the slot.  -ETIME: a limit
	 * passed; -EIO: chan or its VM is in error, with BE_WATCH_VM also: another channel of the VM is, and
	 * was not stopped by chan_stop(); -EDEADLK: nothing can happen any more; -EAGAIN, with BE_WATCH_VM
	 * only: look at the other channels and wait again, this driver does not (uAPI 1.0). */
	int (*sem_wait)(struct be_sem *sem, const volatile uint64_t *word, uint64_t value,
			const struct be_limits *lim, struct be_chan *chan, enum be_watch watch);
	/* Let the device work a little, for callers that poll (core); may be NULL. False: it has nothing to do. */
	bool (*poll)(struct be_dev *dev);
	/* What another device shall reach must lie in memory of the system, and is best allocated there. */
	bool peers_in_system;
};

extern const struct be_ops ppu_be_drm;		/* the other one is a plug-in: plugin.h */

/* Names of the counters, in their order; NULL past the last. */
const char *ppu_be_counter_name(unsigned n);
const char *ppu_be_engine_stat_name(unsigned n);

#pragma GCC visibility pop
#endif
