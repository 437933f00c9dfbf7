/* SPDX-License-Identifier: MIT */
/*
 * Lab 13: copy engines, and the device around them.
 *
 * The host interface of the device's core calls engine_...(), which you write.  They call dev_...(), which are given.
 * All of it runs in one thread, in device time: nothing takes time but what dev_at() waits for.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <hw/ppu_cmd.h>

#define ENGINES		4
#define CHUNK_BYTES	PPU_COPY_CHUNK_BYTES

/* What is to be copied.  The host interface has checked it: see Documentation/hw/copy.md, COPY_ARGS. */
struct ce_copy {
	uint32_t op;			/* PPU_CMD_COPY, PPU_CMD_COPY_2D, PPU_CMD_FILL, PPU_CMD_FILL_2D */
	uint32_t elem_bytes;		/* of a fill: 1, 2, 4 or 8 */
	uint64_t src, dst;		/* virtual addresses; src: not of a fill */
	uint64_t src_pitch, dst_pitch;	/* from one row to the next */
	uint64_t width, rows;		/* bytes of a row, also for fills; a COPY or FILL has one row */
	uint64_t value;			/* of a fill: the low elem_bytes bytes count */
};

/* ---- yours ---------------------------------------------------------------------------------------- */

/* Power on, and reset of the device: all engines are free. */
void engine_reset(void);
/* The engine, which is free, begins a copy. */
void engine_start(unsigned engine, const struct ce_copy *copy);
/* The time that dev_at() asked for has come. */
void engine_event(unsigned engine);
/* The engine's channel is stopped: the engine forgets its copy and is free.  Not called for a free engine. */
void engine_stop(unsigned engine);
bool engine_busy(unsigned engine);

/* ---- given ---------------------------------------------------------------------------------------- */

uint64_t dev_now(void);			/* ns */
uint64_t dev_setup_ns(void);		/* cost-cmd-ns + cost-ce-setup-ns */
uint64_t dev_mbps(void);		/* cost-ce-mbps: 10^6 bytes/s, so bytes * 1000 / mbps are ns */
/* Calls engine_event() at this time, not before now.  An engine has one such time: a second call replaces the first;
 * a stop and a reset take it back. */
void dev_at(unsigned engine, uint64_t ns);
/* Read or write memory at a virtual address of the copy's address space, at most CHUNK_BYTES.  Return how many bytes could be
 * read or written: if that is less than n, the address behind them is the one that fails. */
uint64_t dev_read(unsigned engine, uint64_t va, void *buf, uint64_t n);
uint64_t dev_write(unsigned engine, uint64_t va, const void *buf, uint64_t n);
/* The copy has failed at va, where dev_write() (write) or dev_read() stopped.  Stops the channel, and so calls engine_stop()
 * before it returns. */
void dev_fault(unsigned engine, uint64_t va, bool write);
/* The copy is done, with so many bytes moved.  The engine must be free already: it may get its next copy before this returns. */
void dev_done(unsigned engine, uint64_t bytes);

#endif
