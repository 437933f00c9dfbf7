/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the event list, for the run loop (ppu.c) and save/restore (state.c). */
#ifndef PPU_EVENT_H
#define PPU_EVENT_H

#include "core/ppu_int.h"

struct ppu_events {
	struct ppu_event **heap;
	uint32_t n, cap;
	uint64_t next_seq;
};

struct ppu_event *ppu_event_first(const struct ppu_core *core);
/* Puts an event whose when and seq are already set into the list. */
void ppu_event_insert(struct ppu_core *core, struct ppu_event *ev);

#endif
