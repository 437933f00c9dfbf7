/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The GPU as a library: deterministic, no threads, no clock, no I/O, no globals of its own.
 *
 * The owner (QEMU glue, unit test, fuzzer, ppu-run's host backend) creates a core, feeds it MMIO
 * accesses and device time, and serves its ports.  All calls on one core must come from one
 * thread at a time, except those marked "any thread".
 *
 *   core = ppu_core_create(&cfg, &ports, vram, &err);
 *   ppu_core_mmio_write(core, off, 4, val);
 *   while (ppu_core_next_event(core) != PPU_TIME_NEVER)
 *           ppu_core_run(core, ppu_core_next_event(core));
 */
#ifndef PPU_CORE_H
#define PPU_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_config.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_engine_stats.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_look.h>
#include <hw/ppu_observe.h>
#include <hw/ppu_trace.h>

struct ppu_core;

#define PPU_TIME_NEVER UINT64_MAX

/*
 * What the core needs from outside.  map() and mark_dirty() may be called from worker threads
 * inside run_workers(); everything else only from the thread that called into the core.
 */
struct ppu_ports {
	void *opaque;
	/* Host pointer to system RAM [bus, bus + *len); may shorten *len (not below one page when
	 * the page is RAM).  NULL: no RAM there, or DMA is off.  The pointer stays valid until
	 * ppu_core_invalidate_maps() is called or the core is destroyed. */
	void *(*map)(void *opaque, uint64_t bus, uint64_t *len, bool write);
	/* The core wrote system RAM / VRAM through a pointer.  May be NULL. */
	void (*mark_dirty)(void *opaque, uint64_t bus, uint64_t len);
	void (*vram_dirty)(void *opaque, uint64_t off, uint64_t len);
	/* Send MSI-X vector v.  Called inside core calls; must not call back into the core. */
	void (*raise_irq)(void *opaque, unsigned vector);
	/* One trace record; NULL: tracing off (costs nothing). */
	void (*trace)(void *opaque, const struct ppu_trace_rec *rec);
	/* Run fn(arg, i) once for each of the workers below cfg.workers, side by side or in any order, and always the
	 * same one in the same thread, for the host's caches; 0 in this one.  Each looks itself for what is left to do, so
	 * all but 0 may be left out, as are those that come too late.  Return when all are done.  NULL: no workers. */
	void (*run_workers)(void *opaque, void (*fn)(void *arg, unsigned worker), void *arg);
	/*
	 * Run fn(arg) in another thread, beside whatever the core does; false: not possible.  end_background() comes
	 * once for each that was started, before the next: it returns when fn has returned.  The core tells fn
	 * beforehand to come to an end, unless it has.  Both NULL: translation is done where the core is driven.
	 */
	bool (*start_background)(void *opaque, void (*fn)(void *arg), void *arg);
	void (*end_background)(void *opaque);
	/* A clock of the host in ns, for statistics only; any thread.  NULL: nothing is measured. */
	uint64_t (*host_ns)(void *opaque);
	/* VRAM changes only through the core, and where the owner says so with ppu_core_vram_changed(); page tables only
	 * before a TLB invalidation.  Then code is not compared at each launch. */
	bool vram_told;
	/* Guest misuse worth a log line (QEMU: LOG_GUEST_ERROR). May be NULL. */
	void (*guest_error)(void *opaque, const char *sentence);
};

/* Fill with defaults; set one property by name and text ("64M", "0x10"); check all together.
 * On failure *err is a malloc'ed sentence, or NULL when there is no memory for one; so everywhere below. */
void ppu_config_init(struct ppu_config *cfg);
int ppu_config_set(struct ppu_config *cfg, const char *name, const char *text, char **err);
int ppu_config_check(const struct ppu_config *cfg, char **err);
/* workers=auto: as many as the host has CPUs for the device, at most one for each SM.  Call it before the check; the core
 * does not ask the host. */
void ppu_config_workers(struct ppu_config *cfg, unsigned cpus);
/* Why a core of this configuration will not do what its property engine asks for, but interpret programs: a sentence
 * that its owner should say once.  NULL: it will, or nothing in particular was asked for.  Any thread. */
const char *ppu_config_engine_note(const struct ppu_config *cfg);

/* vram: cfg->vram bytes owned by the caller, outliving the core.  NULL on error, *err a sentence. */
struct ppu_core *ppu_core_create(const struct ppu_config *cfg, const struct ppu_ports *ports,
				 void *vram, char **err);
void ppu_core_destroy(struct ppu_core *core);
/* Power-on state; VRAM contents stay. */
void ppu_core_reset(struct ppu_core *core);
const struct ppu_config *ppu_core_config(const struct ppu_core *core);

uint64_t ppu_core_bar0_size(const struct ppu_config *cfg);
uint64_t ppu_core_mmio_read(struct ppu_core *core, uint64_t off, unsigned size);
void ppu_core_mmio_write(struct ppu_core *core, uint64_t off, unsigned size, uint64_t val);
/* Any thread, lock-free: reads of USERD pages (GP_GET, GP_PUT, STATUS, ERROR) as of the last time
 * the core updated them. */
uint32_t ppu_core_userd_peek(const struct ppu_core *core, uint64_t off);

uint64_t ppu_core_time(const struct ppu_core *core);
/* Time of the next internal event, PPU_TIME_NEVER when idle. */
uint64_t ppu_core_next_event(const struct ppu_core *core);
/* Process events up to and including time `until`, then set the time to `until` (if that is later
 * than now).  Stops early when `stop` was requested: then the time is that of the last event.
 * Returns the new time. */
uint64_t ppu_core_run(struct ppu_core *core, uint64_t until);
/* Any thread: make a running ppu_core_run() return at the next event boundary (bounded slice). */
void ppu_core_request_stop(struct ppu_core *core);
/* Run until idle or time limit; true when idle. */
bool ppu_core_run_idle(struct ppu_core *core, uint64_t limit);
/* Every pointer that ports.map() has returned is invalid from now on. */
void ppu_core_invalidate_maps(struct ppu_core *core);
/* The owner has written VRAM (ports.vram_told). */
void ppu_core_vram_changed(struct ppu_core *core);

/* Complete state (without VRAM and configuration) as a versioned byte stream; malloc'ed. */
int ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len);
/* The same, for debuggers.  EXACT: with the values of registers that no thread will read any more.  ANY_TIME: called by an
 * observer's function, in the midst of a window; such bytes can be compared, but not loaded. */
#define PPU_SAVE_EXACT		1u
#define PPU_SAVE_ANY_TIME	2u
int ppu_core_save_as(struct ppu_core *core, unsigned how, uint8_t **bytes, size_t *len);
/* Into a freshly created core of equal configuration; validates everything. 0 or -1 and *err. */
int ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err);

/*
 * From now on somebody observes the programs that are launched (NULL: nobody).  Those that run already are not seen.  The
 * table is the caller's and stays as long as it is given.  A core with workers uses one thread while it is observed.
 */
void ppu_core_observe(struct ppu_core *core, const struct ppu_observer *observer);

/*
 * From now on only this warp or block issues instructions, and all others stand still, also those that come later; NULL: all
 * issue again.  Needs an observer that sees instructions (insn), from whose functions it may be called, too: a warp that is
 * about to do the instruction that is shown does it when it may go on, and then it is shown again.  Time passes, copies
 * are done, blocks are placed.  Nothing of it is saved: who loads a state says again who runs.
 */
void ppu_core_only(struct ppu_core *core, const struct ppu_only *only);

/*
 * What observers may look at (hw/ppu_look.h), from their functions and between calls.  False: there is no such CTA, warp or
 * register.  memory: how many bytes could be read, from the first on.
 */
bool ppu_core_look_cta(const struct ppu_core *core, uint32_t sm, uint32_t slot, struct ppu_look_cta *c);
bool ppu_core_look_warp(const struct ppu_core *core, uint32_t sm, uint32_t slot, struct ppu_look_warp *w);
bool ppu_core_look_register(const struct ppu_core *core, uint32_t sm, uint32_t slot, uint32_t reg, uint32_t *lanes);
uint64_t ppu_core_look_memory(struct ppu_core *core, const struct ppu_look_place *at, void *buf, uint64_t len);

/* What the translator has done (ppu_engine_stats.h), by number (registers DBG_SEL/DBG_DATA) and for tools; and how long
 * it took by the clock of the ports, in whichever thread: for tools of the host only. */
uint64_t ppu_core_engine_stat(const struct ppu_core *core, enum ppu_engine_stat s);
uint64_t ppu_core_engine_ns(const struct ppu_core *core);

/* A translation that a program has now. */
struct ppu_translation {
	uint64_t number;		/* 1 is the first that this core made */
	uint64_t code_va;		/* the program: GPU address and instructions */
	uint32_t code_insns;
	uint32_t entry;			/* what can be reached from here; UINT32_MAX: all of it */
	uint32_t insns, inlined, segments, code_bytes;	/* as in PPU_ENGINE_STATS */
	uint64_t memory_bytes, host_ns;
};
/* The first one with a number above `after`; false: there is none. */
bool ppu_core_translation(const struct ppu_core *core, uint64_t after, struct ppu_translation *t);

/* What say() is called for, in the order of the host's addresses. */
struct ppu_insn;
struct ppu_code_line {
	enum {
		PPU_CODE_COMMON,	/* what follows is for no instruction in particular */
		PPU_CODE_BLOCK,		/* of the block that begins at pc, for warps with all lanes or (masked) some */
		PPU_CODE_DEVICE,	/* of instruction pc, which is *insn. Perhaps nothing, and perhaps there is more */
		PPU_CODE_HOST,		/* an instruction of the host: address, bytes, len, text */
	} kind;
	uint32_t pc;
	unsigned masked, len;
	const struct ppu_insn *insn;
	uint64_t address;
	const uint8_t *bytes;
	const char *text;
	void (*say)(const struct ppu_code_line *l);
	void *arg;
};
/* The code of a translation by number.  0, or -1: there is no such translation, or no memory. */
int ppu_core_dump_code(const struct ppu_core *core, uint64_t number, void (*say)(const struct ppu_code_line *l), void *arg);
/* Counters (ppu_counters.h), by number (registers DBG_SEL/DBG_DATA) and for tools. */
uint64_t ppu_core_counter(const struct ppu_core *core, enum ppu_counter c);

#endif
