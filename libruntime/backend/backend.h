/* SPDX-License-Identifier: MIT */
/*
 * What the runtime needs from below: one small table.
 *
 *   drm   the kernel driver (libdrm, ppu_drm.h)
 *   core  plays the driver inside this process, over the device core: the same page tables,
 *         rings and instance blocks; device time advances only while somebody waits
 *
 * Nothing above the table knows which one it is.  Functions return 0 or a negative errno.
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
#include <hw/ppu_fault.h>
#include <hw/ppu_regs.h>

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

struct be_chan_state {
	uint32_t error;		/* PPU_ERR_*, 0: none */
	uint32_t get;
	uint64_t va;
	bool gone;		/* the device was removed or reset */
};

struct be_limits {	/* when to give up waiting; UINT64_MAX: never */
	uint64_t device_ns;	/* absolute device time */
	uint64_t host_ns;	/* absolute CLOCK_MONOTONIC */
};

struct be_ops {
	const char *name;
	/* Number of devices there are; opening number `index`.  *err: malloc'ed sentence or NULL. */
	int (*count)(const ppuInitOptions *opt);
	int (*open)(const ppuInitOptions *opt, unsigned index, struct be_dev **dev, char **err);
	void (*close)(struct be_dev *dev);
	/* Everything of *prop except name, backend and the stream priorities. */
	int (*props)(struct be_dev *dev, ppuDeviceProp *prop);
	int (*time)(struct be_dev *dev, uint64_t *ns);
	/* The first n counters; n <= PPU_CTR_COUNT.  -EOPNOTSUPP when the driver has none. */
	int (*counters)(struct be_dev *dev, unsigned n, uint64_t *values);
	int (*mem_info)(struct be_dev *dev, uint64_t *avail, uint64_t *total);

	int (*vm_create)(struct be_dev *dev, struct be_vm **vm);
	void (*vm_destroy)(struct be_vm *vm);
	uint32_t (*vm_local)(struct be_vm *vm);		/* bytes of local memory per thread */
	int (*vm_set_local)(struct be_vm *vm, uint32_t bytes);	/* -EBUSY while tasks run */
	/* Fault records so far, oldest first; *n in: room, out: copied.  Returns 1 when an SM fault
	 * stopped the VM, else 0. */
	int (*vm_faults)(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n);

	/* Zero-filled memory; size is rounded up to pages. */
	int (*bo_alloc)(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **bo);
	/* Pages of the process itself, at a page's start; they stay where they are until bo_free().
	 * NULL: cannot. */
	int (*bo_user)(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **bo);
	void (*bo_free)(struct be_bo *bo);
	/* CPU mapping of the whole object; at != NULL: there, replacing what is mapped.  The caller
	 * unmaps it. */
	int (*bo_map)(struct be_bo *bo, void *at, void **ptr);
	int (*bind)(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags);
	int (*unbind)(struct be_vm *vm, uint64_t va, uint64_t size);

	/* cls: PPU_CLASS_*; prio: queue priority (WQ-10). */
	int (*chan_create)(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio,
			   struct be_chan **chan);
	/* The device stops it, waits for it end with -EIO or -ECANCELED; the struct stays, and its
	 * ring and registers must not be touched any more. */
	void (*chan_stop)(struct be_chan *chan);
	void (*chan_free)(struct be_chan *chan);
	uint32_t (*chan_get)(struct be_chan *chan);		/* GP_GET */
	void (*chan_put)(struct be_chan *chan, uint32_t put);	/* GP_PUT: submits */
	void (*chan_kick)(struct be_chan *chan);		/* KICK */
	int (*chan_state)(struct be_chan *chan, struct be_chan_state *st);

	/* A name for the 16-byte slot at bo + off, to wait on. */
	int (*sem_create)(struct be_vm *vm, struct be_bo *bo, uint64_t off, struct be_sem **sem);
	void (*sem_destroy)(struct be_sem *sem);
	int (*sem_read)(struct be_sem *sem, uint64_t *value);
	/* Sleep until *word >= value, where word is the CPU's view of the slot.  -ETIME: a limit
	 * passed; -EIO: chan (or its VM) is in error; -EDEADLK: nothing can happen any more. */
	int (*sem_wait)(struct be_sem *sem, const volatile uint64_t *word, uint64_t value,
			const struct be_limits *lim, struct be_chan *chan);
	/* Let the device work a little, for callers that poll (core); may be NULL. */
	void (*poll)(struct be_dev *dev);
};

extern const struct be_ops ppu_be_drm, ppu_be_core;

/* Names of the counters, in their order; NULL past the last. */
const char *ppu_be_counter_name(unsigned n);
uint64_t ppu_be_now(void);	/* CLOCK_MONOTONIC, ns */

#pragma GCC visibility pop
#endif
