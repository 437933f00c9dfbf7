/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The byte stream of save and restore.  One walker serves both directions; every unit has one function that
 * visits its whole state.  On load, the unit checks every value that it has read, and calls ppu_io_fail() with
 * a sentence when a value is wrong.  References to tasks, contexts and events are written by the units that
 * own these (ppu_io_task(), ppu_io_ctx(), ppu_io_event()).
 *
 * State: struct ppu_io belongs to the caller (machine/state.c).
 * Thread safety: the thread that drives the core only.
 * Time: none of its own; units write times in ns of device time.
 */
#ifndef PPU_IO_H
#define PPU_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppu_io {
	bool loading;
	bool failed;
	bool exact;			/* saving: also what no thread can notice (PPU_SAVE_EXACT) */
	bool any_time;			/* saving: to compare, not to load (PPU_SAVE_ANY_TIME) */
	uint32_t version;		/* of the state that is loaded, or of what is saved (machine/state.c) */
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
void ppu_io_section(struct ppu_io *io, const char tag[4]);	/* writes / expects a tag */
void ppu_io_fail(struct ppu_io *io, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
