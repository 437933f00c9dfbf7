/* SPDX-License-Identifier: MIT */
/*
 * Page tables in plain memory that is a device's VRAM, made by the driver core (kmod/core/pt.h): for
 * benches, which have no driver.
 */
#ifndef PTMEM_H
#define PTMEM_H

#include <stdint.h>
#include <core/context.h>
#include <core/pt.h>

struct ptmem;

/* The bus of the driver core for VRAM at `dev`; there are no registers. */
extern const struct ppu_bus ptmem_bus;

/* An address space; alloc() gives the VRAM address of a page of zeroes. */
struct ptmem *ptmem_new(uint8_t *vram, uint64_t (*alloc)(void *opaque), void *opaque);
void ptmem_free(struct ptmem *m);	/* NULL is fine */
uint64_t ptmem_root(const struct ptmem *m);
/* Map [va, va + size) to phys; large: where va and phys allow it, in 2 MiB pages. */
void ptmem_map(struct ptmem *m, uint64_t va, uint64_t phys, uint64_t size, uint64_t flags, bool large);
/* Make the tables above the entry of va at level 0, or at level 1 (and those of the levels above, too). */
void ptmem_make(struct ptmem *m, uint64_t va, unsigned level);

#endif
