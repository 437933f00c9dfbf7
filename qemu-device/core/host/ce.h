/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copy engines.
 *
 * State: struct ppu_ces, private to ce.c.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_CE_H
#define PPU_CE_H

#include "core/base/io.h"
#include "core/core.h"

struct ppu_ctx;

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
/* Saves or loads a copy, all but its channel. */
void ppu_copy_io(struct ppu_io *io, struct ppu_copy *c);

PPU_UNIT(ces);

#endif
