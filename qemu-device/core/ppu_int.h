/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the core: what the units offer each other.  A unit's state is a struct of its own, defined
 * in its .c (or its own header when it has several files), reached through the opaque pointers of
 * struct ppu_core; no unit reaches into another's state, it calls the functions below.
 *
 *   ppu.c       create, reset, the run loop      config.c   properties by name
 *   regs.c      BAR0 decode                      event.c    the ordered event list
 *   hostif.c    host interface: ring + commands  mem.c      physical memory, watched pages
 *   hostsched.c host scheduler, slices           mmu.c      address translation
 *   runlist.c   who waits for an engine
 *   chan.c      channel state and configuration  ctx.c      contexts (instance blocks)
 *   sem.c       semaphores, waiters, watch table fault.c    fault ring, channel errors
 *   ce.c        copy engines                     trace.c    trace records
 *   tmu.c       task management unit             state.c    save/restore
 *   wdu.c       work distribution unit           intr.c     interrupt status and vectors
 *   inject.c    faults on purpose (fault-*)
 *   gpc.c       window driver: runs the SMs, applies their effects
 *   sm.c warp.c diverge.c tokq.c exec_*.c lsu.c storebuf.c icache.c   the SM
 *
 * Time: core->now in ns.  One event list ordered by (time, priority, sequence).  Nothing happens
 * outside an event or an MMIO access.
 */
#ifndef PPU_INT_H
#define PPU_INT_H

#include <stdarg.h>
#include "core/ppu_core.h"
#include <hw/ppu_cmd.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_save.h>
#include <hw/ppu_tmd.h>

struct ppu_io;

struct ppu_core {
	/* configuration, constant after create */
	struct ppu_config cfg;
	struct ppu_ports ports;
	uint8_t *vram;
	uint32_t num_sms;		/* gpcs * sms_per_gpc */

	uint64_t now;
	int stop_requested;		/* atomic */
	uint64_t ctr[PPU_CTR_COUNT];	/* SM-side ones are summed in at window ends */

	/* Bumped whenever a cached translation or host pointer may be stale (TLB invalidate, change
	 * of the set of watched pages, ppu_core_invalidate_maps).  TLBs compare and flush. */
	uint32_t xlat_gen;

	uint64_t task_steps;		/* what the task unit looked at in its searches: tests of its cost */

	struct ppu_events *events;
	struct ppu_mem *mem;
	struct ppu_mmu *mmu;
	struct ppu_ctxs *ctxs;
	struct ppu_chans *chans;
	struct ppu_host *host;
	struct ppu_sems *sems;
	struct ppu_ces *ces;
	struct ppu_faults *faults;
	struct ppu_intr *intr;
	struct ppu_inject *inject;
	struct ppu_smexcs *smexcs;
	struct ppu_ranks *ranks;
	struct ppu_tmu *tmu;
	struct ppu_orders *orders;
	struct ppu_ctas *ctas;
	struct ppu_wdu *wdu;
	struct ppu_gpcs *gpcs;
	struct ppu_sm *sms;		/* array of num_sms */
	struct ppu_icache *icache;
	struct ppu_caches *caches;	/* cache-model */
	struct ppu_regfile *regs;	/* regs.c: scratch, latches, selectors */
};

/* ---- event.c ---------------------------------------------------------------------------- */
/* Priorities of events at one time, lowest number first. */
enum ppu_evprio {
	PPU_EVP_SM_APPLY,	/* effects of an SM window */
	PPU_EVP_CE,		/* copy engine completion */
	PPU_EVP_TASK,
	PPU_EVP_HOST,		/* host interface and scheduler */
	PPU_EVP_SM_WINDOW,	/* start of the next SM window */
};
/* Embedded in its owner; at most once in the list. */
struct ppu_event {
	void (*fn)(struct ppu_core *core, void *arg);
	void *arg;
	uint64_t when, seq;
	uint32_t prio;
	int32_t index;		/* place in the heap, -1: not scheduled */
};
void ppu_event_init(struct ppu_event *ev, enum ppu_evprio prio,
		    void (*fn)(struct ppu_core *, void *), void *arg);
void ppu_event_schedule(struct ppu_core *core, struct ppu_event *ev, uint64_t when); /* moves it if scheduled */
void ppu_event_cancel(struct ppu_core *core, struct ppu_event *ev);
static inline bool ppu_event_pending(const struct ppu_event *ev) { return ev->index >= 0; }

/* ---- mem.c: physical memory ---------------------------------------------------------------- */
/* phys = byte address | aperture in bit 0 only as a base; functions take address and aperture apart. */
struct ppu_phys {
	uint64_t addr;
	uint8_t sys;		/* 0 VRAM, 1 system memory */
};
/* Host pointer to [p, p + len) inside one 4 KiB page (or more when contiguous), NULL: nothing there.
 * Thread safe (SM workers). */
uint8_t *ppu_mem_map(struct ppu_core *core, struct ppu_phys p, uint64_t *len, bool write);
/* Copies across pages; 0 or PPU_ERR_DMA_FAULT. */
int ppu_mem_read(struct ppu_core *core, struct ppu_phys p, void *buf, uint64_t len);
int ppu_mem_write(struct ppu_core *core, struct ppu_phys p, const void *buf, uint64_t len);
void ppu_mem_dirty(struct ppu_core *core, struct ppu_phys p, uint64_t len);
/* Watched 4 KiB pages: pages with waiters.  Refcounted; 0 <-> 1 bumps xlat_gen. */
void ppu_mem_watch(struct ppu_core *core, struct ppu_phys p);
void ppu_mem_unwatch(struct ppu_core *core, struct ppu_phys p);
bool ppu_mem_watched(const struct ppu_core *core, struct ppu_phys p);
bool ppu_mem_watched_range(const struct ppu_core *core, struct ppu_phys p, uint64_t len);
void ppu_mem_forget_maps(struct ppu_core *core);

/* ---- ctx.c: contexts = instance blocks ------------------------------------------------------- */
struct ppu_ctx {
	uint64_t inst;			/* key: physical address | aperture */
	struct ppu_inst_block blk;	/* validated copy */
	bool faulted, stopped;
	uint32_t num_tasks, num_children;	/* tmu.c; of them, those that SMs launched */
	uint32_t num_channels;		/* chan.c: enabled channels naming it */
	uint32_t num_ready;		/* hostsched.c: channels with commands the host can run now */
	struct ppu_host_ctx *host;	/* hostsched.c: its part of the ready queues */
	struct ppu_rank_ctx *rank;	/* rank.c: its waiting tasks, NULL: had none */
	struct ppu_cta_levels *cta_levels;	/* ctas.c: its save area, NULL: nothing started */
	struct ppu_waiter *waiters, *waiters_tail;	/* sem.c: its blocked channels, oldest first */
	bool bad_load;			/* the last LOAD was refused */
	struct ppu_ctx *next;		/* ctx.c: hash chain */
};
/* NULL when not loaded. Pointers stay valid until CTX_CMD_FORGET. */
struct ppu_ctx *ppu_ctx_find(struct ppu_core *core, uint64_t inst);
void ppu_ctx_cmd(struct ppu_core *core, uint64_t inst, uint32_t cmd);	/* CTX_CMD register */
uint32_t ppu_ctx_status(struct ppu_core *core, uint64_t inst);
/* An SM fault: record it, stop every channel of the context, abort its tasks. */
void ppu_ctx_fault(struct ppu_core *core, struct ppu_ctx *ctx, struct ppu_fault_rec *rec);

/* ---- mmu.c ------------------------------------------------------------------------------------ */
struct ppu_xlat {
	uint8_t *host;		/* host pointer of va (not of the page) */
	struct ppu_phys phys;	/* of va */
	uint64_t len;		/* bytes from va to the end of the leaf page that host covers */
	uint64_t pte;		/* leaf flags */
	uint8_t level;		/* leaf level, or level where a fault was found */
	bool watched;		/* the 4 KiB page has waiters */
};
#define PPU_XL_PRIV	1	/* may use PPU_PTE_PRIV leaves (ring fetch only) */
/* acc: PPU_ACC_*.  0 or PPU_ERR_MMU_*, PPU_ERR_SM_DMA; fills x->level also on error.
 * Thread safe with respect to other translations. */
int ppu_mmu_translate(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		      unsigned flags, struct ppu_xlat *x);
/* The same through the TLB of host interface and copy engines; not from worker threads. */
int ppu_mmu_lookup(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		   unsigned flags, struct ppu_xlat *x);
/* Thread safe; ppu_mmu_write() reports to sem.c nothing: for stores to words somebody may await
 * use ppu_mmu_store(), which does (main thread only). */
int ppu_mmu_store(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags, unsigned writer, unsigned unit);
int ppu_mmu_read(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, void *buf, uint64_t len,
		 unsigned flags);
int ppu_mmu_write(struct ppu_core *core, struct ppu_ctx *ctx, uint64_t va, const void *buf,
		  uint64_t len, unsigned flags);

/* ---- sem.c ------------------------------------------------------------------------------------ */
/* A word or a range in a watched page was written by `writer` (PPU_TRW_*): trace if old/new known,
 * wake channels and watch entries whose condition now holds. */
void ppu_sem_written(struct ppu_core *core, struct ppu_phys p, uint64_t len, unsigned writer,
		     unsigned unit);
bool ppu_sem_compare(unsigned op, uint64_t word, uint64_t value, bool is32);
/* KICK: re-evaluate every waiter of a context (NULL: all) and the watch table. */
void ppu_sem_kick(struct ppu_core *core, struct ppu_ctx *ctx, unsigned unit);
/* A channel waiting for a word; embedded in the channel, in at most one list. */
struct ppu_sem_word;
struct ppu_waiter {
	struct ppu_sem_word *word;	/* NULL: not waiting */
	struct ppu_waiter *prev, *next;	/* of the same word */
	struct ppu_waiter *ctx_prev, *ctx_next;
	struct ppu_ctx *ctx;		/* NULL: an entry of the watch table */
	uint64_t addr;			/* physical, word aligned */
	uint64_t value, stamp;
	uint32_t id;			/* channel or watch */
	uint8_t op, is32;
	bool task;			/* a queue task: id is its record */
};
/* Fill op, is32, value, id, ctx first.  va: for traces.  False: the condition holds already (the CPU
 * may have stored just now), w does not wait. */
bool ppu_sem_wait(struct ppu_core *core, struct ppu_waiter *w, struct ppu_phys p, uint64_t va);
void ppu_sem_io_waiter(struct ppu_core *core, struct ppu_io *io, struct ppu_waiter *w);
void ppu_sem_unwait(struct ppu_core *core, struct ppu_waiter *w);
/* Evaluate what was written while a run of commands was indivisible (A-CP-6). */
void ppu_sem_flush(struct ppu_core *core);
/* Translations of ctx (NULL: all) changed: blocked channels look at their word anew. */
void ppu_sem_remap(struct ppu_core *core, struct ppu_ctx *ctx);
uint32_t ppu_watch_read(struct ppu_core *core, unsigned watch, unsigned reg);
void ppu_watch_write(struct ppu_core *core, unsigned watch, unsigned reg, uint32_t val);

/* ---- chan.c, hostif.c, hostsched.c --------------------------------------------------------------- */
#define PPU_NO_CHANNEL 0xffffu
/* Stop a channel with an error (trace, fault record, CHERR_PENDING, interrupt). */
void ppu_chan_error(struct ppu_core *core, unsigned chid, unsigned err, uint64_t va);
/* The same with the fault record given (code, va, unit, access; the rest is filled in). */
void ppu_chan_fault(struct ppu_core *core, unsigned chid, struct ppu_fault_rec *rec);
/* Stop all channels of a context with PPU_ERR_CTX_STOPPED or the given fault code. */
void ppu_chan_stop_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err);
struct ppu_ctx *ppu_chan_ctx(struct ppu_core *core, unsigned chid);
uint32_t ppu_chan_read(struct ppu_core *core, unsigned chid, unsigned reg);	/* CHCFG */
uint64_t ppu_chan_read64(struct ppu_core *core, unsigned chid, unsigned reg_lo);
void ppu_chan_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val);
uint32_t ppu_chan_userd_read(struct ppu_core *core, unsigned chid, unsigned reg);
void ppu_chan_userd_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val);
bool ppu_chan_copying(struct ppu_core *core, const struct ppu_ctx *ctx);
void ppu_chan_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);
/* ctx.c: the scheduler's part of a new context; its end. */
bool ppu_host_ctx_create(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_host_ctx_destroy(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_host_ctx_io(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx *ctx);
void ppu_host_wake(struct ppu_core *core, unsigned chid);	/* sem.c: its condition holds */
bool ppu_host_in_run(const struct ppu_core *core);
void ppu_host_pause(struct ppu_core *core, bool paused);	/* SCHED_CTRL */
/* Channel whose command copy engine `engine` executes, PPU_NO_CHANNEL: none (save/restore checks). */
unsigned ppu_host_owner(struct ppu_core *core, unsigned engine);
/* Engine completions and task completions come back here. */
void ppu_host_copy_done(struct ppu_core *core, unsigned chid);
void ppu_host_tasks_changed(struct ppu_core *core, unsigned chid);	/* chid's task count fell */
void ppu_host_pool_freed(struct ppu_core *core);			/* a task record is free again */

/* ---- ce.c ----------------------------------------------------------------------------------------- */
struct ppu_copy {
	uint32_t chid;
	uint8_t op;		/* PPU_CMD_COPY, COPY_2D, FILL, FILL_2D */
	uint8_t elem_log2;
	uint64_t id;		/* running number of the channel, for traces */
	uint64_t src, dst, src_pitch, dst_pitch, width, rows;	/* width in bytes */
	uint64_t value;
};
/* A free engine in mask (0: any), or -1. */
int ppu_ce_free(struct ppu_core *core, uint32_t mask);
void ppu_ce_start(struct ppu_core *core, unsigned engine, struct ppu_ctx *ctx, const struct ppu_copy *copy);
void ppu_ce_abort(struct ppu_core *core, unsigned chid);
bool ppu_ce_busy(const struct ppu_core *core, unsigned engine);

/* ---- fault.c, intr.c, trace.c ----------------------------------------------------------------------- */
void ppu_fault_record(struct ppu_core *core, struct ppu_fault_rec *rec);	/* fills seq, time */
const char *ppu_err_text(unsigned err);
const char *ppu_err_name(unsigned err);
void ppu_intr_raise(struct ppu_core *core, uint32_t bits);			/* PPU_INTR_* */
uint32_t ppu_intr_read(struct ppu_core *core, unsigned reg);		/* INTR_* and the bitmaps */
void ppu_intr_write(struct ppu_core *core, unsigned reg, uint32_t val);
enum ppu_bitmap { PPU_BM_CHERR, PPU_BM_CHINTR, PPU_BM_RINGLOW, PPU_BM_PREEMPT, PPU_BM_WATCH, PPU_BM_COUNT };
/* Set bit n of a pending bitmap and raise its cause. */
void ppu_intr_bit(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);
void ppu_intr_bit_now(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);	/* inject.c: not held any more */
void ppu_intr_message(struct ppu_core *core, unsigned vector);			/* inject.c: send it now */
uint32_t ppu_fault_read(struct ppu_core *core, unsigned reg);
void ppu_fault_write(struct ppu_core *core, unsigned reg, uint32_t val);
/* smexc.c: SM exceptions for the driver (token queue recentring), shown one at a time in SM_EXC_*.
 * gpc.c posts them; the driver's SM_EXC_DONE comes back as ppu_sm_exception_done(). At most one per
 * warp.  cancel: the warp is gone (task aborted). */
struct ppu_smexc {
	uint64_t inst, tokq;		/* VRAM address of the warp's token queue */
	uint32_t sm, warp, cause, head;
	int32_t tail;
};
void ppu_smexc_post(struct ppu_core *core, const struct ppu_smexc *x);
void ppu_smexc_cancel(struct ppu_core *core, unsigned sm, unsigned warp);
uint32_t ppu_smexc_read(struct ppu_core *core, unsigned reg);
void ppu_smexc_write(struct ppu_core *core, unsigned reg, uint32_t val);
void ppu_guest_error(struct ppu_core *core, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ppu_trace_emit(struct ppu_core *core, unsigned event, unsigned unit, uint32_t a, uint64_t b,
		    uint64_t c, uint64_t d);
static inline bool ppu_tracing(const struct ppu_core *core) { return core->ports.trace != NULL; }
#define PPU_TRACE(core, event, unit, a, b, c, d) do { \
	if (__builtin_expect(ppu_tracing(core), 0)) \
		ppu_trace_emit(core, PPU_TR_##event, unit, a, b, c, d); \
} while (0)

/* ---- inject.c: faults on purpose; each is called only when its property asks for it ------------------- */
/* A message is due.  True: it is not sent now. */
bool ppu_inject_message(struct ppu_core *core, unsigned vector);
void ppu_inject_sent(struct ppu_core *core, unsigned vector);
/* The driver has cleared the last cause of a vector. */
void ppu_inject_cleared(struct ppu_core *core, unsigned vector);
void ppu_inject_hold(struct ppu_core *core, enum ppu_bitmap bm, unsigned n);
void ppu_inject_read(struct ppu_core *core, enum ppu_bitmap bm, unsigned word);	/* after the read */
/* ns that the copy starting on an engine takes longer; does this one, now at system memory, fail? */
uint64_t ppu_inject_copy(struct ppu_core *core, unsigned engine);
bool ppu_inject_dma(struct ppu_core *core, unsigned engine);

/* ---- tasks: tmu.c, wdu.c ------------------------------------------------------------------------- */
/*
 * A task record: everything the device knows of one launched TMD.  Pool of cfg.task_records,
 * owned by tmu.c.  The SM reads `launch`, `ctx`, `params`, `prog`; it writes nothing here.
 */
enum ppu_task_state {
	PPU_TASK_FREE, PPU_TASK_PENDING, PPU_TASK_ACTIVE, PPU_TASK_EVICTED,
	PPU_TASK_SUSPENDED,	/* started, cannot go on now, in no list: task.h */
	PPU_TASK_CODE_DONE,	/* own CTAs done, children run */
	PPU_TASK_ABORTING,
};
struct ppu_task {
	uint32_t index;			/* in the pool; generation in the upper half of task ids */
	uint32_t gen;
	enum ppu_task_state state;
	struct ppu_ctx *ctx;
	struct ppu_tmd launch;		/* validated copy */
	uint64_t tmd_va;
	uint8_t *params;		/* launch.param_bytes, copied at acceptance; zero padded to 16 */
	struct ppu_program *prog;	/* icache.c: decoded code, referenced while the task lives */
	uint32_t root_chid;
	uint32_t depth;			/* 1: launched by the CPU */
	uint32_t priority;
	int32_t parent;			/* task index, -1 */
	uint32_t live_children;
	int32_t slot;			/* task table slot, -1 */
	uint64_t num_ctas, next_cta, done_ctas;
	uint32_t live_ctas;		/* resident on SMs */
	uint32_t saved_ctas;		/* in the save area */
	uint32_t ready_ctas;		/* of those: can go on */
	uint64_t avail_ctas;		/* that may start: num_ctas, or what a queue holds so far */
	struct ppu_taskq *queue;	/* taskq.c; NULL: a grid */
	int32_t ctas, ctas_ready, ctas_ready_tail;	/* ctas.c: records of started CTAs */
	uint32_t parent_cta, parent_cta_gen;	/* ctas.c: CTA that launched it */
	int32_t list_prev, list_next;	/* scheduler table list */
	uint32_t rank;			/* rank.c: where it waits, and behind whom */
	int64_t order;
	int32_t rank_prev, rank_next;
	uint64_t sched_time;		/* when it got its slot */
};
#define PPU_TASK_ID(t) ((uint64_t)(t)->gen << 32 | (t)->index)

enum ppu_submit_result { PPU_SUBMIT_OK, PPU_SUBMIT_FULL, PPU_SUBMIT_ERROR };
/* LAUNCH command: read and check the TMD, take a record.  FULL: hold the channel until
 * ppu_host_pool_freed().  ERROR: *err = PPU_ERR_TMD_*. */
enum ppu_submit_result ppu_tmu_launch(struct ppu_core *core, unsigned chid, uint64_t tmd_va,
				      unsigned *err);
/* Device-side launch from a running task, applied at a window end. 0 or PPU_LAUNCH_*. */
unsigned ppu_tmu_launch_child(struct ppu_core *core, struct ppu_task *parent, uint64_t tmd_va,
			      struct ppu_task **child);
uint32_t ppu_tmu_channel_tasks(struct ppu_core *core, unsigned chid);
/* True when chid has no task and the drain time after its last one has passed; else *when = time
 * to ask again or PPU_TIME_NEVER (ppu_host_tasks_changed will come). */
bool ppu_tmu_channel_idle(struct ppu_core *core, unsigned chid, uint64_t *when);
void ppu_tmu_abort_channel(struct ppu_core *core, unsigned chid);
void ppu_tmu_abort_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err);
void ppu_tmu_pause(struct ppu_core *core, bool paused);		/* SCHED_CTRL */
struct ppu_task *ppu_tmu_task(struct ppu_core *core, uint32_t index);
/* The first record in use from a number on, as the registers show it. */
void ppu_tmu_show(struct ppu_core *core, uint32_t from, struct ppu_task_info *info);
/* The scheduler table for looking at: first task of a priority's list (after NULL), the one after. */
const struct ppu_task *ppu_tmu_listed(struct ppu_core *core, uint32_t priority, const struct ppu_task *after);
/* taskq.c: the put counter of its queue may have changed. */
void ppu_taskq_wake(struct ppu_core *core, uint32_t task);
/* wdu.c: slots changed or SM resources were freed; place CTAs. */
void ppu_wdu_kick(struct ppu_core *core);
/* gpc.c calls these while applying effects. */
void ppu_wdu_cta_done(struct ppu_core *core, struct ppu_task *task, unsigned sm, unsigned slot);
/* ctas.c: is this what the records say?  (Loading the device's state.) */
bool ppu_ctas_check(struct ppu_core *core, unsigned sm, unsigned slot, const struct ppu_task *t,
		    uint64_t index, uint32_t children);
void ppu_ctas_forget_ctx(struct ppu_ctx *ctx);
void ppu_tmu_task_fault(struct ppu_core *core, struct ppu_task *task, struct ppu_fault_rec *rec);

/* ---- gpc.c: the window driver ----------------------------------------------------------------------- */
/* Some SM has work: make sure a window is scheduled at the next multiple of window_ns. */
void ppu_gpc_wake(struct ppu_core *core);
/* The driver has answered: the warp waits no more. */
void ppu_gpc_exception_done(struct ppu_core *core, unsigned sm, unsigned warp);

/*
 * Outward effects of an SM during a window, in order of device time; applied at the window's end
 * in (time, SM id, sequence) order.
 */
enum ppu_effect_kind {
	PPU_FX_STORE,		/* store to a watched page: phys, len; arg: va */
	PPU_FX_CTA_DONE,	/* task; arg: CTA index, slot of its first warp, CTA slot */
	PPU_FX_WAITS,		/* task; every warp of the CTA waits, for children; arg: CTA slot */
	PPU_FX_FAULT,		/* task, rec */
	PPU_FX_LAUNCH,		/* device-side launch: task = parent; arg: TMD VA, then warp and lane for
				 * the reply */
	PPU_FX_TRACE,		/* a trace record emitted by the SM */
	PPU_FX_EXCEPTION,	/* token queue wants the driver; arg: warp, head, tail (signed), bit 0:
				 * push is on the back, bits 63:1: tokens to be pushed */
};
struct ppu_effect {
	uint64_t time;
	enum ppu_effect_kind kind;
	struct ppu_task *task;
	struct ppu_phys phys;
	uint64_t len;
	uint64_t arg[4];
	struct ppu_fault_rec rec;
	struct ppu_trace_rec trace;
};
/* Growable, owned by the SM, cleared by gpc.c after application. */
struct ppu_effects {
	struct ppu_effect *v;
	uint32_t n, cap;
};

/* ---- the SM ------------------------------------------------------------------------------------------ */
/* Also adds the SM's counters to core->ctr: called between windows by the thread that drives the core. */
struct ppu_effects *ppu_sm_effects(struct ppu_core *core, unsigned sm);
/* Decode and check the code of a launch (memcmp with the cached copy: code that changed is decoded
 * again).  0 or PPU_ERR_* (MMU_*, ILLEGAL_INSN, BAD_PC) with *va / *pc of the culprit. */
int ppu_icache_get(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t,
		   struct ppu_program **prog, uint64_t *va);
/* Launches of one window come from here to the next call: they see the code at one time. */
void ppu_icache_window(struct ppu_core *core, bool begin);
void ppu_icache_put(struct ppu_core *core, struct ppu_program *prog);
void ppu_icache_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);
/* Free warp slots, CTA slots, registers and shared memory suffice for one CTA of t? */
bool ppu_sm_can_start(struct ppu_core *core, unsigned sm, const struct ppu_task *t);
/* False also when the instance block's areas do not cover this SM: *err = PPU_ERR_NO_TOKQ. */
int ppu_sm_limits(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t);
/* The same if the CTAs in these slots were gone. */
bool ppu_sm_can_start_without(struct ppu_core *core, unsigned sm, const struct ppu_task *t, uint32_t slots);
/* entry: of a queue task, else NULL.  Returns the CTA slot, -1: there was no room. */
int ppu_sm_start_cta(struct ppu_core *core, unsigned sm, struct ppu_task *t, uint64_t cta,
		     uint64_t start_time, const uint8_t *entry);
/* Resident CTAs. */
uint32_t ppu_sm_num_ctas(const struct ppu_core *core, unsigned sm);
/* Has a warp that can run, now or at a known time?  False: none resident, or all asleep on something
 * outside (replies) or stopped by a fault. */
bool ppu_sm_busy(struct ppu_core *core, unsigned sm);
/* That time: not after core->now when one can run at once, PPU_TIME_NEVER when not busy. */
uint64_t ppu_sm_next_time(struct ppu_core *core, unsigned sm);
/* Advance to time t1 (exclusive).  May run in a worker thread: touches only this SM, memory, and
 * thread-safe services (ppu_mmu_translate, ppu_mem_map). */
void ppu_sm_run(struct ppu_core *core, unsigned sm, uint64_t t0, uint64_t t1);
/* Stores that wait in store buffers go to memory: before translations or memory go away. */
void ppu_storebuf_settle_all(struct ppu_core *core);
/* Remove every CTA of a task at once, no effects. */
void ppu_sm_abort_task(struct ppu_core *core, struct ppu_task *t);
/* Reply to PPU_FX_LAUNCH (awaited: there is a child that TSYNC waits for) / PPU_FX_EXCEPTION. */
void ppu_sm_launch_reply(struct ppu_core *core, unsigned sm, unsigned warp, unsigned lane,
			 uint32_t error, bool awaited);
void ppu_sm_exception_done(struct ppu_core *core, unsigned sm, unsigned warp, uint32_t head,
			   int32_t tail, bool kill);
/* CTA slot of a warp, -1: none. */
int ppu_sm_warp_cta(const struct ppu_core *core, unsigned sm, unsigned warp);
/* Does the CTA wait for children, all of it? */
bool ppu_sm_cta_waits(const struct ppu_core *core, unsigned sm, unsigned slot);
/* A child of the CTA is complete; so many are left. */
void ppu_sm_child_done(struct ppu_core *core, unsigned sm, unsigned slot, uint32_t left);
/* Can any of its warps run, now or at a known time? */
bool ppu_sm_task_runs(const struct ppu_core *core, const struct ppu_task *t);

/* ---- smsave.c: save areas (include/hw/ppu_save.h); not while a window runs --------------------------- */
uint32_t ppu_sm_save_bytes(const struct ppu_core *core);	/* CAP_SAVE_BYTES_PER_SM */
uint64_t ppu_sm_image_bytes(const struct ppu_core *core, const struct ppu_tmd *t);
/* Not while a warp waits for an answer. */
bool ppu_sm_can_save(const struct ppu_core *core, unsigned sm, unsigned slot);
/* To addr in VRAM, which the caller has checked; the CTA slot is free then. */
void ppu_sm_save_cta(struct ppu_core *core, unsigned sm, unsigned slot, uint64_t addr, unsigned reason);
/* The CTA slot, or -1: that is not what was saved, nothing has happened.  There is room (can_start). */
int ppu_sm_restore_cta(struct ppu_core *core, unsigned sm, struct ppu_task *t, uint64_t index,
		       uint32_t children, uint64_t addr, uint64_t start_time);

/* ---- save/restore (state.c) ------------------------------------------------------------------------ */
/* One walker for both directions; every unit has one function that visits its whole state.
 * On load the unit validates what it got: ppu_io_fail() with a sentence. */
struct ppu_io {
	bool loading;
	bool failed;
	char why[160];
	uint8_t *buf;
	size_t len, pos, cap;
};
void ppu_io_bytes(struct ppu_io *io, void *p, size_t n);
void ppu_io_u8(struct ppu_io *io, uint8_t *v);
void ppu_io_u16(struct ppu_io *io, uint16_t *v);
void ppu_io_u32(struct ppu_io *io, uint32_t *v);
void ppu_io_u64(struct ppu_io *io, uint64_t *v);
void ppu_io_bool(struct ppu_io *io, bool *v);
/* Saves whether an event is scheduled, when, and its sequence number (order is kept). */
void ppu_io_event(struct ppu_core *core, struct ppu_io *io, struct ppu_event *ev);
void ppu_io_section(struct ppu_io *io, const char tag[4]);	/* writes / expects a tag */
void ppu_io_fail(struct ppu_io *io, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Task pointer as index; ctx pointer as inst. */
void ppu_io_task(struct ppu_core *core, struct ppu_io *io, struct ppu_task **t);
void ppu_io_ctx(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx **c);

/* Each unit: create/destroy/reset/io; the core calls them in this order. */
#define PPU_UNITS(U) \
U(events) U(mem) U(mmu) U(intr) U(inject) U(faults) U(smexcs) U(regs) U(ctxs) U(sems) U(chans) U(host) U(ces) U(ranks) U(tmu) U(orders) U(ctas) U(wdu) U(gpcs) U(sms)
#define U(name) \
	int ppu_##name##_create(struct ppu_core *core); \
	void ppu_##name##_destroy(struct ppu_core *core); \
	void ppu_##name##_reset(struct ppu_core *core); \
	void ppu_##name##_io(struct ppu_core *core, struct ppu_io *io);
PPU_UNITS(U)
#undef U

#endif
