/* SPDX-License-Identifier: MIT */
/* Who calls whom in a linked image, and which shared variables each function names. */
#ifndef PPU_ISA_GRAPH_H
#define PPU_ISA_GRAPH_H

#include "compiler/obj/image.h"

struct ppu_edge {
	uint32_t to, next;	/* function number, or symbol; index of the next edge + 1 */
};

struct ppu_graph {
	uint32_t n;		/* functions */
	uint32_t *sym;		/* symbol index of each */
	uint32_t *first;	/* first edge + 1: the functions that it calls */
	uint32_t *first_use;	/* first edge + 1: the shared variables it names */
	struct ppu_edge *edges;
	uint32_t num_edges;
	uint32_t *at;		/* instruction index -> function + 1 */
	uint32_t exit;		/* instruction index of the library's queue_exit; ~0: the image has none */
};

/*
 * Places the movable shared variables, writes their places into the code and sets every kernel's
 * shared_bytes.  A second call gives the same places again.  0 or negative errno.
 */
int ppu_place_shared(struct ppu_image *img, const struct ppu_graph *g, struct ppu_log *log);

#endif
