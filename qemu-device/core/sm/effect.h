/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outward effects of an SM during a window, in order of device time; the window driver applies them at the
 * window's end in (time, SM id, sequence) order.
 *
 * State: a list belongs to its SM; the window driver empties it.
 * Thread safety: filled by the thread that runs the SM; read between windows by the one that drives the core.
 * Time: ns of device time, inside the window.
 */
#ifndef PPU_EFFECT_H
#define PPU_EFFECT_H

#include "core/memory/mem.h"
#include <hw/ppu_fault.h>
#include <hw/ppu_trace.h>

struct ppu_sm_task;

enum ppu_effect_kind {
	PPU_FX_STORE,		/* store to a watched page: phys, len; arg: va */
	PPU_FX_CTA_DONE,	/* task; arg: CTA index, slot of its first warp, CTA slot, when the last store that
				 * the SM holds back will be in memory (0: none) */
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
	struct ppu_sm_task *task;
	union {
		struct {
			struct ppu_phys phys;
			uint64_t len;
			uint64_t arg[4];
		};
		struct ppu_fault_rec rec;	/* PPU_FX_FAULT */
		struct ppu_trace_rec trace;	/* PPU_FX_TRACE */
	};
};
/* Growable, owned by the SM, cleared by the window driver after application. */
struct ppu_effects {
	struct ppu_effect *v;
	uint32_t n, cap;
	bool lost_stores;	/* some were not noted for want of host memory: look at every word with waiters */
};

#endif
