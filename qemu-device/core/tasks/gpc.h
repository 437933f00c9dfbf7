/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window driver: runs the SMs and applies what they did (also ppu_gpc_wake(), sm/sms.h).
 *
 * State: struct ppu_gpcs, private to gpc.c.
 * Thread safety: the thread that drives the core; it hands SMs to workers itself.
 * Time: ns of device time, in windows of cfg.window_ns.
 */
#ifndef PPU_GPC_H
#define PPU_GPC_H

#include "core/core.h"

struct ppu_task;

/* The driver has answered: the warp waits no more. */
void ppu_gpc_exception_done(struct ppu_core *core, unsigned sm, unsigned warp);
/* Warps of t that wait for the driver. */
bool ppu_gpc_has_exceptions(const struct ppu_core *core, const struct ppu_task *t);
/* The CTA in a slot of an SM is going to be saved: its warps do not wait for the driver any more. */
void ppu_gpc_withdraw(struct ppu_core *core, unsigned sm, unsigned slot);
/* t is aborted. */
void ppu_gpc_drop(struct ppu_core *core, struct ppu_task *t);

PPU_UNIT(gpcs);

#endif
