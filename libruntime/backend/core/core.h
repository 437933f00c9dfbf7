/* SPDX-License-Identifier: MIT */
/*
 * Backend `core`: what its files share.  With the device core it makes libppu-core.so, a plug-in of the runtime,
 * which as a whole is GPL-2.0-or-later, as the device is; these files alone are MIT.
 */
#ifndef PPU_BACKEND_CORE_H
#define PPU_BACKEND_CORE_H

#include <pthread.h>
#include <stdio.h>

#include <core/channel.h>
#include <core/context.h>
#include <core/fault.h>
#include <core/pt.h>
#include <hw/ppu_config.h>
#include <hw/ppu_mmu.h>
#include <core/ppu_core.h>
#include "backend/backend.h"
#include "common/range.h"
#include "common/workers.h"

#pragma GCC visibility push(hidden)

#define VRAM_SIZE		(8ull << 30)		/* unless PPU_PROPS says something else: memory only where it is used */
#define BUS_BASE	0x100000000ull		/* bus address of byte 0 of the memory file */
#define BUS_SIZE	(1ull << 36)
#define BUS_USER	(1ull << 48)		/* bus address of byte 0 of the process */
#define RING_VA_STRIDE	(1ull << 25)		/* kernel VA of channel n's ring: USER_END + n * this */
#define MAX_FAULTS	64

struct be_dev {
	/* A fair lock: a thread that waits for device time lets others take their turn in between. */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next_ticket, serving;
	struct ppu_core *core;
	struct ppu_config cfg;
	uint8_t *vram;
	int memfd;
	uint8_t *sys;
	struct ppu_range vram_range, bus_range;
	struct core_chan **chans;	/* by number; those that are enabled */
	struct be_vm *vms;
	struct be_bo *users;		/* with ->user */
	uint32_t next_context;
	bool error_irq, channel_irq;
	uint64_t error_gen;		/* counts error interrupts */
	FILE *trace;
	uint64_t acts;			/* counts what the program, or the driver for it, does to the device */
	const struct ppu_observer *observer;	/* of be_ops.observe() */
	struct record *record;		/* record.c; NULL: nobody debugs */
	bool recorded;			/* somebody may */
	struct ppu_workers *pool;
	struct {
		pthread_t thread;
		void (*fn)(void *arg);
		void *arg;
	} background;			/* background.c */
};

struct be_vm {
	struct be_dev *dev;
	struct be_vm *next;
	struct ppu_pt_tree pt;
	uint64_t inst;			/* VRAM address */
	bool has_areas;			/* if not, the areas have size 0 */
	struct core_areas {
		struct ppu_area local, tokq, save;
	} areas;
	uint32_t limit[BE_VM_LIMITS], context_id;
	struct ppu_fault_rec faults[MAX_FAULTS];
	unsigned num_faults;
	bool faulted;
};

struct be_bo {
	struct be_dev *dev;
	uint64_t addr, size;		/* VRAM offset, or offset in the memory file */
	enum be_place place;
	uint8_t *user;			/* if set: pages of the process */
	struct be_bo *origin;		/* if set: `user` is this object's memory, of another device */
	bool mapped;			/* `user` is a mapping of another process's file, and this object's */
	int file;			/* if set: the pages of VRAM are this file's (share.c) */
	unsigned users;
	struct be_bo *next_user;
};

struct core_chan {
	struct be_chan base;
	struct be_vm *vm;
	unsigned id;
	uint64_t ring_addr, ring_size, ring_va;
	bool in_vram;			/* ring_addr is in VRAM: a device-owned queue */
	struct core_chan *owner;	/* of a queue: the channel that stops with it */
	struct core_chan *queues, *next_queue;	/* queues that this channel owns */
	bool stopped;
};

extern const struct ppu_bus ppu_bc_bus;

static inline void wr(struct be_dev *dev, uint64_t off, uint32_t v)
{
	ppu_core_mmio_write(dev->core, off, 4, v);
}

static inline uint32_t rd(struct be_dev *dev, uint64_t off)
{
	return (uint32_t)ppu_core_mmio_read(dev->core, off, 4);
}

static inline void wr64(struct be_dev *dev, uint64_t off_lo, uint64_t v)
{
	wr(dev, off_lo, (uint32_t)v);
	wr(dev, off_lo + 4, (uint32_t)(v >> 32));
}

static inline uint64_t chcfg(const struct core_chan *c, uint32_t reg)
{
	return PPU_BAR0_CHCFG + (uint64_t)c->id * PPU_CHCFG_STRIDE + reg;
}

static inline uint64_t userd(const struct core_chan *c, uint32_t reg)
{
	return PPU_BAR0_USERD + (uint64_t)c->id * PPU_USERD_STRIDE + reg;
}

static inline uint64_t ppu_bc_page_round(uint64_t size)
{
	return (size + PPU_PAGE_SIZE - 1) & ~(PPU_PAGE_SIZE - 1);
}

/* Translation beside the device (background.c). */
void ppu_bc_background(struct ppu_ports *ports);

/* What is host code (engine.c). */
int ppu_bc_engine_stats(struct be_dev *dev, unsigned n, uint64_t *values);
int ppu_bc_translation(struct be_dev *dev, uint64_t after, ppuTranslation *t);
int ppu_bc_dump_code(struct be_dev *dev, uint64_t number, void (*say)(void *arg, const struct be_code *c), void *arg);

extern const struct be_ops ppu_be_core;

void ppu_bc_lock(struct be_dev *dev);
/* For who changes nothing of the device but its time. */
void ppu_bc_lock_idle(struct be_dev *dev);
void ppu_bc_unlock(struct be_dev *dev);

/* With the lock held. */
int ppu_bc_vram_alloc(struct be_dev *dev, uint64_t size, uint64_t *addr);
void ppu_bc_vram_free(struct be_dev *dev, uint64_t addr, uint64_t size);
int ppu_bc_bus_alloc(struct be_dev *dev, uint64_t size, uint64_t *off);
void ppu_bc_bus_free(struct be_dev *dev, uint64_t off, uint64_t size);
int ppu_bc_pt_init(struct be_vm *vm);
void ppu_bc_pt_fini(struct be_vm *vm);
/* Contiguous memory, for the driver core; *addr stays where it is. */
struct ppu_backing ppu_bc_backing(const uint64_t *addr);
/* Maps all of the range or nothing: -ENOSPC or -ENOMEM. phys: address in its aperture; flags: leaf flags
 * besides VALID and LARGE, or PPU_BC_UNMAP. */
#define PPU_BC_UNMAP	(~0ull)
int ppu_bc_map(struct be_vm *vm, uint64_t va, uint64_t size, uint64_t phys, uint64_t flags);
/* A free channel number; the ring's address follows from it.  -ENOSPC: none. */
int ppu_bc_chan_number(struct core_chan *c);
/* Writes the configuration of a channel that is off: its context, ring and what *config says besides. */
void ppu_bc_chan_program(struct core_chan *c, const struct ppu_chan_config *config);
int ppu_bc_chan_enable(struct core_chan *c);

/* Its PPU_ERR_* code, 0: none. */
uint32_t ppu_bc_chan_error(struct core_chan *c);
/* Device time goes on to `time`. */
void ppu_bc_run_to(struct be_dev *dev, uint64_t time);

/* The driver's interrupt handler for vector ERROR: fault records go to their VMs. */
void ppu_bc_serve_errors(struct be_dev *dev);

/* core_vm.c */
/* With the lock held: makes the areas that SMs need to run tasks, for the first compute channel. */
int ppu_bc_vm_ensure_areas(struct be_vm *vm);
int ppu_bc_vm_create(struct be_dev *dev, const uint32_t *limits, struct be_vm **vm);
void ppu_bc_vm_destroy(struct be_vm *vm);
uint32_t ppu_bc_vm_limit(struct be_vm *vm, enum be_vm_limit which);
int ppu_bc_vm_set_limit(struct be_vm *vm, enum be_vm_limit which, uint32_t value);
int ppu_bc_vm_faults(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n);
int ppu_bc_vm_tasks(struct be_vm *vm, struct ppu_task_info *tasks, unsigned *n);

/* core_memory.c */
int ppu_bc_bo_user(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **bo);
int ppu_bc_bo_alloc(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **out);
void ppu_bc_bo_free(struct be_bo *bo);
int ppu_bc_bo_peer(struct be_vm *vm, struct be_bo *theirs, struct be_bo **out);
int ppu_bc_bo_map(struct be_bo *bo, void *at, void **ptr);
int ppu_bc_bind(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags);
int ppu_bc_unbind(struct be_vm *vm, uint64_t va, uint64_t size);

/* core_chan.c */
int ppu_bc_chan_create(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio, struct be_chan **out);
void ppu_bc_chan_stop(struct be_chan *base);
void ppu_bc_chan_free(struct be_chan *base);
uint32_t ppu_bc_chan_get(struct be_chan *base);
void ppu_bc_chan_put(struct be_chan *base, uint32_t put);
void ppu_bc_chan_kick(struct be_chan *base);
int ppu_bc_chan_state(struct be_chan *base, struct be_chan_state *st);

/* share.c */
int ppu_bc_bo_export(struct be_bo *bo, int *fd);
int ppu_bc_bo_import(struct be_vm *vm, int fd, uint64_t size, struct be_bo **bo);
/* With the lock held: the pages are VRAM of this process alone again, or, if not, must not be used any more. */
bool ppu_bc_bo_unshare(struct be_bo *bo);

/* core_devq.c */
int ppu_bc_devq_create(struct be_vm *vm, const struct be_devq_args *args, struct be_devq *q);
/* A queue or an owner ends: they forget each other. */
void ppu_bc_devq_unlink(struct core_chan *c);
/*
 * For tests, NULL otherwise: called after each step of method 400 (WQ-27..WQ-34) with the step's number, the
 * lock held.  The function may run the device.  If it returns anything but 0, the set-up ends there with that
 * error.
 */
extern int (*ppu_bc_devq_step)(struct be_vm *vm, unsigned chid, unsigned step);

#pragma GCC visibility pop
#endif
