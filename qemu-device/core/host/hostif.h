/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host interface: takes entries from rings and executes commands.
 *
 * State: a channel's place in its ring (chan.h), the current run (host.h).
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_HOSTIF_H
#define PPU_HOSTIF_H

#include "core/host/host.h"

void ppu_hostif_event(struct ppu_core *core, void *arg);
/* One command of `words` words is done: move on in the block, and move GET at its end.  False: no work is
 * left. */
bool ppu_hostif_command_done(struct ppu_core *core, struct ppu_chan *ch, uint32_t words);
void ppu_hostif_end_run(struct ppu_core *core, uint64_t cost);
/* PUT := wrap(GET - 1), then shadow := GETabs + count - 1 (WQ-59). False: the channel faulted. */
bool ppu_hostif_refresh(struct ppu_core *core, struct ppu_chan *ch);
bool ppu_hostif_refresh_queue(struct ppu_core *core, struct ppu_chan *ch);
void ppu_hostif_block(struct ppu_core *core, struct ppu_chan *ch, unsigned reason, uint64_t va,
		      uint64_t value);
void ppu_hostif_unblock(struct ppu_core *core, struct ppu_chan *ch);
/* Reads the word at va; *p is its physical address, which a waiter needs.  Returns 0 or PPU_ERR_SEM_*. */
int ppu_hostif_sem_read(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, bool is32,
			unsigned flags, uint64_t *value, struct ppu_phys *p);

#endif
