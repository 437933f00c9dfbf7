/* SPDX-License-Identifier: MIT */
/*
 * Back in time: what a debugger has saved of the device, and of the memory that it writes.
 *
 * The program stands still while the device runs.  So the device's state can be saved between two of its events and be loaded
 * again, and from there it does the same again, up to where the program has done something to the device.
 */
#ifndef PPU_BACKEND_RECORD_H
#define PPU_BACKEND_RECORD_H

#include "core.h"

#pragma GCC visibility push(hidden)

/* PPU_DEBUG is set: somebody may attach. */
bool ppu_bc_record_wanted(void);
/* The device's ports for one that may be recorded. */
void ppu_bc_record_ports(struct ppu_ports *ports);
/* dev->observer has changed, or who debugs has. */
void ppu_bc_record_observe(struct be_dev *dev);
/* Runs the device up to that time, with the debugger's functions called. */
void ppu_bc_record_run(struct be_dev *dev, uint64_t until);
/* Somebody begins to wait, or looks how far the device is. */
void ppu_bc_record_enter(struct be_dev *dev);
/* A wait is over.  True: the debugger went back in time, so the wait goes on. */
bool ppu_bc_record_leave(struct be_dev *dev);
/* A trace record is written.  False: it was, the first time. */
bool ppu_bc_record_traced(struct be_dev *dev);
void ppu_bc_record_free(struct be_dev *dev);

extern const struct be_debug_ops ppu_bc_debug_ops;

#pragma GCC visibility pop
#endif
