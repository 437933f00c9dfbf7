/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Channels: configuration registers, USERD pages, enable, stop, errors.
 *
 * State: struct ppu_chan of each channel, which the files of host/ share: chan.c has its configuration and
 * life, hostif.c its ring, hostsched.c and runlist.c its place in their lists.
 * Thread safety: the thread that drives the core; ppu_core_userd_peek(): any thread.
 * Time: ns of device time.
 */
#ifndef PPU_CHAN_H
#define PPU_CHAN_H

#include "core/base/event.h"
#include "core/host/ce.h"
#include "core/memory/sem.h"
#include <hw/ppu_fault.h>

#define PPU_MAX_GATES 64
#define PPU_NO_CH UINT32_MAX

enum ppu_ch_state {
	CH_OFF,		/* not enabled */
	CH_IDLE,	/* nothing submitted */
	CH_READY,	/* commands for the host to execute: in a ready queue or in the current run */
	CH_SEM,		/* waits for a semaphore word */
	CH_WFI,
	CH_POOL,	/* waits for a free task record */
	CH_ENGINE,	/* its next command needs an engine: holds one, or is in a runlist */
	CH_BUSY,	/* an engine executes its command */
	CH_TURN,	/* an engine command is done, the next ones wait for the channel's turn */
	CH_STATES
};

/* Who paused a channel: itself, its group. */
#define PPU_PAUSED_SELF		1u
#define PPU_PAUSED_GROUP	2u

enum ppu_ch_where { CH_NOWHERE, CH_IN_READY, CH_IN_RUNLIST, CH_IN_POOL, CH_WHERES };

struct ppu_gate {
	uint64_t va, value;
	uint8_t op, is32;
};

struct ppu_chan {
	/* configuration registers */
	uint64_t inst, ring_va, shadow_va;
	uint32_t entries, cls, priority, timeslice, engine_mask, flags, group;

	bool enabled, stopped;
	uint8_t paused;			/* PPU_PAUSED_*, 0: no */
	uint8_t state, where;
	uint32_t error, error_get;
	uint64_t error_va;
	struct ppu_ctx *ctx;		/* while enabled */
	uint32_t get, put;
	uint64_t getabs, refresh_abs;	/* GET without wrapping: now, at the last refresh (WQ-59) */
	bool ring_low;			/* reported since the last refresh */

	/* The entry being executed: latched when fetched. */
	bool have_entry;
	uint64_t blk_va;
	uint32_t blk_words, pos;

	/* The engine command the channel has reached: latched when decoded. */
	uint8_t op_class, op_words;	/* class of the engine, 0: none */
	uint64_t tmd_va;
	struct ppu_copy copy;
	uint64_t op_start;

	uint32_t num_gates;		/* acquires since the last engine command (CP-33) */
	struct ppu_gate gates[PPU_MAX_GATES];

	bool blocked;			/* a BLOCK was traced, no UNBLOCK yet */
	uint8_t block_reason;
	uint64_t block_va, block_value;
	struct ppu_waiter waiter;
	struct ppu_event wfi_event;

	int32_t engine;			/* the engine that the channel holds, -1: none */
	uint8_t run_class;		/* class of the runlist the channel waits in */
	uint64_t stamp;			/* order in the list that the channel is in */
	uint32_t prev, next;

	uint64_t runtime, copies;
	uint32_t slices, preempts, cookie;
};

struct ppu_chan *ppu_chan(struct ppu_core *core, unsigned chid);
static inline unsigned ppu_chid(struct ppu_core *core, const struct ppu_chan *ch)
{
	return ch->waiter.id;
}
struct ppu_ctx *ppu_chan_ctx(struct ppu_core *core, unsigned chid);
/* why: PPU_PAUSED_*.  A channel goes on when nobody pauses it. */
void ppu_chan_pause(struct ppu_core *core, struct ppu_chan *ch, uint8_t why);
void ppu_chan_resume(struct ppu_core *core, struct ppu_chan *ch, uint8_t why);
/* The command STOP: off at once, its tasks aborted; PREEMPT_PENDING tells. */
void ppu_chan_stop(struct ppu_core *core, struct ppu_chan *ch);
void ppu_chan_set_state(struct ppu_core *core, struct ppu_chan *ch, enum ppu_ch_state state);
void ppu_chan_publish(struct ppu_core *core, struct ppu_chan *ch);
bool ppu_chan_put_ok(const struct ppu_chan *ch, uint32_t put);
bool ppu_chan_has_work(const struct ppu_chan *ch);
/* Stop a channel with an error (trace, fault record, CHERR_PENDING, interrupt). */
void ppu_chan_error(struct ppu_core *core, unsigned chid, unsigned err, uint64_t va);
/* The same with the fault record given (code, va, unit, access; the rest is filled in). */
void ppu_chan_fault(struct ppu_core *core, unsigned chid, struct ppu_fault_rec *rec);

/* For the registers: CHCFG, USERD. */
uint32_t ppu_chan_read(struct ppu_core *core, unsigned chid, unsigned reg);
uint64_t ppu_chan_read64(struct ppu_core *core, unsigned chid, unsigned reg_lo);
void ppu_chan_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val);
uint32_t ppu_chan_userd_read(struct ppu_core *core, unsigned chid, unsigned reg);
void ppu_chan_userd_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val);

/* For the end of a context. ppu_chan_stop_ctx(): all channels of the context stop with PPU_ERR_CTX_STOPPED
 * or the given fault code. ppu_chan_copying(): does a copy of the context still run?
 * ppu_chan_forget_ctx(): the context is gone. */
void ppu_chan_stop_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err);
bool ppu_chan_copying(struct ppu_core *core, const struct ppu_ctx *ctx);
void ppu_chan_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);

PPU_UNIT(chans);

#endif
