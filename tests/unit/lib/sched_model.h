/* SPDX-License-Identifier: MIT */
/*
 * A second host scheduler, for test_sched_random.c. It is small and slow, and was written from the rules
 * (Documentation/spec/cp.md: A-CP-6, A-CP-9, CP-33, WQ-10; Documentation/hw/channels.md and timing.md), not from the
 * device's source.  For each decision it examines all channels: it has no queue and no heap.
 *
 * A workload is channels, and actions at given times.  The model gives the trace records the device
 * must give, in order and at their times.
 */
#ifndef SCHED_MODEL_H
#define SCHED_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <hw/ppu_trace.h>

enum { SW_CTXS = 3, SW_CHANS = 12, SW_SEMS = 5, SW_ENGINES = 4, SW_ENTRIES = 40, SW_CMDS = 12,
       SW_ACTIONS = 400 };

struct sw_cmd {
	uint8_t op;			/* PPU_CMD_*: NOP, SEM_*, FILL, LAUNCH */
	uint8_t sem_op, gate;		/* SEM_ACQUIRE */
	int8_t sem;			/* semaphore commands; FILL: it writes this one, -1: a buffer */
	uint32_t bytes;			/* FILL */
	uint64_t value, va;		/* va: destination, TMD */
};

struct sw_entry {
	struct sw_cmd cmd[SW_CMDS];
	unsigned n;
	uint64_t va;			/* of its block, and the words in it */
	uint32_t words;
};

struct sw_chan {
	unsigned ctx, cls, prio, slice, mask, group, start;	/* start: first ring entry used */
	struct sw_entry entry[SW_ENTRIES];
	unsigned n;
};

enum sw_kind { SW_SUBMIT, SW_STORE, SW_PAUSE, SW_RESUME, SW_GROUP_PAUSE, SW_GROUP_RESUME };

struct sw_action {
	uint64_t time;
	enum sw_kind kind;
	unsigned chan, put;		/* submit: PUT moves to entry `put` */
	int sem;			/* the CPU stores value in it, channel `chan` kicks */
	uint64_t value;
};

struct workload {
	unsigned ctxs, chans, actions, engines, ring;
	unsigned timeslice, run_limit, literal;
	unsigned cost_fetch, cost_cmd, cost_switch, cost_setup, mbps, cost_launch;
	uint64_t sem_va[SW_CTXS][SW_SEMS];
	unsigned owner[SW_CTXS];	/* of each context, below SW_CTXS */
	struct sw_chan chan[SW_CHANS];
	struct sw_action action[SW_ACTIONS];
};

struct sw_trace {
	struct ppu_trace_rec *v;
	unsigned n, cap;
};

/* What registers must show in the end. */
struct sw_end {
	uint64_t sem[SW_CTXS][SW_SEMS], runtime[SW_CHANS];
	unsigned get[SW_CHANS], slices[SW_CHANS], preempts[SW_CHANS];
};

void sched_model(const struct workload *w, struct sw_trace *t, struct sw_end *end);

#endif
