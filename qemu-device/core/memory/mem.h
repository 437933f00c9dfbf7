/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical memory: VRAM and system memory, and the set of watched pages.
 *
 * State: struct ppu_mem, private to mem.c.
 * Thread safety: any thread may map, read, write and ask whether a page is watched; the set of watched
 * pages changes only while no worker runs.
 * Time: none.
 */
#ifndef PPU_MEM_H
#define PPU_MEM_H

#include "core/core.h"
#include <hw/ppu_mmu.h>

/* A physical address.  Base addresses carry the aperture in bit 0; functions take address and aperture
 * apart. */
struct ppu_phys {
	uint64_t addr;
	uint8_t sys;		/* 0 VRAM, 1 system memory */
};
/* Host pointer to [p, p + len) inside one 4 KiB page (or more when contiguous), NULL: nothing there. */
uint8_t *ppu_mem_map(struct ppu_core *core, struct ppu_phys p, uint64_t *len, bool write);
/* Copies across pages; 0 or PPU_ERR_DMA_FAULT. */
int ppu_mem_read(struct ppu_core *core, struct ppu_phys p, void *buf, uint64_t len);
int ppu_mem_write(struct ppu_core *core, struct ppu_phys p, const void *buf, uint64_t len);
void ppu_mem_dirty(struct ppu_core *core, struct ppu_phys p, uint64_t len);
/* Watched 4 KiB pages: pages with waiters.  Refcounted; 0 <-> 1 bumps xlat_gen. */
/* At most ppu_mem_most_words() words are watched at one time: whoever waits has one, and commands of one run
 * (A-CP-6) may have written others. */
uint32_t ppu_mem_most_words(const struct ppu_core *core);
void ppu_mem_watch(struct ppu_core *core, struct ppu_phys p);
void ppu_mem_unwatch(struct ppu_core *core, struct ppu_phys p);
bool ppu_mem_watched(const struct ppu_core *core, struct ppu_phys p);
bool ppu_mem_watched_range(const struct ppu_core *core, struct ppu_phys p, uint64_t len);
void ppu_mem_forget_maps(struct ppu_core *core);

/*
 * Has code in VRAM changed since it was read?  Only when the owner tells what it writes (ports.vram_told).
 * ppu_mem_code_gen(): a number that changes with each write to a page that ppu_mem_code_page() has named since the last
 * change, and with ppu_mem_code_changed(); 0: nobody knows.  Any thread may write.
 */
uint32_t ppu_mem_code_gen(const struct ppu_core *core);
void ppu_mem_code_page(struct ppu_core *core, uint64_t addr, uint64_t len);
void ppu_mem_code_changed(struct ppu_core *core);

PPU_UNIT(mem);

#endif
