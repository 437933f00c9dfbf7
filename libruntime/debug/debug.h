/* SPDX-License-Identifier: MIT */
/*
 * ppu-dbg: what the runtime tells its debugger (Documentation/runtime/ppu-dbg.md).  With PPU_DEBUG=FD in the environment, and
 * the device inside the process, commands come through that socket, and the device stops when they say so.
 *
 * All functions may be called with any of the runtime's locks held.  Those below dbg_on() are for when it says true.
 */
#ifndef PPU_DEBUG_H
#define PPU_DEBUG_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu_image.h>
#include "backend/backend.h"

/* What ppu-dbg sends before it starts the program, for one process to take. */
#define DBG_WORD "ppu-dbg\n"
/* The line that says that a command lets the device run: the next lines come when it has stopped. */
#define DBG_RUNS "*running"

#pragma GCC visibility push(hidden)

/* When a device was opened: the program stands still until the user lets it go on.  0; or -EINVAL and *err, a malloc'ed
 * sentence. */
int dbg_open(const struct be_ops *be, struct be_dev *dev, char **err);
/* Before the device is closed. */
void dbg_close(const struct be_ops *be, struct be_dev *dev);

bool dbg_on(void);
/* A kernel of this context (be_ops.vm_inst()) got a number, by which tasks name it; img NULL: it has gone. */
void dbg_kernel(uint64_t inst, uint32_t number, const struct ppu_image *img, const char *name);
/* A module's variables are there now; img's only ones: others have the same image no more. */
void dbg_module(uint64_t inst, const struct ppu_image *img, uint64_t data_va);
void dbg_module_gone(const struct ppu_image *img);

#pragma GCC visibility pop
#endif
