/* SPDX-License-Identifier: MIT */
/*
 * Inside initcheck.
 *
 *   init.c	accesses: which of their bytes nobody has written, in which memory; findings
 *   local.c	local memory
 *   copied.c	values that a thread loads and only stores somewhere else
 */
#ifndef PPU_CHECK_INIT_INNER_H
#define PPU_CHECK_INIT_INNER_H

#include <stdint.h>
#include "check/cta.h"
#include "check/init/init.h"

#pragma GCC visibility push(hidden)

struct ci_stack;
struct ci_value;

struct ci_cta {
	struct chk_cta is;
	struct ci_stack *stack;		/* local memory by thread; NULL: nobody has accessed any */
	struct ci_value *values;	/* that are on their way from memory to memory */
	uint8_t written[];		/* shared memory by byte */
};

/* Bytes of an access as bits: byte 0 is bit 0. */
#define CI_ALL(bytes) ((uint32_t)((1ull << (bytes)) - 1))

/* ---- init.c ------------------------------------------------------------------------------------ */

/* These lanes read unwritten bytes. */
void ci_tell(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes, const uint32_t *unwritten);

/* ---- local.c ----------------------------------------------------------------------------------- */

/* Of these bytes of a thread's local memory, those that it has not written. */
uint32_t ci_local_unwritten(const struct ci_cta *c, const struct ppu_seen_access *a, unsigned lane);
/* The access writes all its bytes, but leaves `unwritten` as they are. */
void ci_local_write(struct ci_cta *c, const struct ppu_seen_access *a, unsigned lane, uint32_t unwritten);
/* What functions had below the stack pointer is nobody's any more. */
void ci_local_return(struct ci_cta *c, const struct ppu_seen_call *s);
void ci_local_free(struct ci_cta *c);

/* ---- copied.c ---------------------------------------------------------------------------------- */

/* A load has read these unwritten bytes, by lane.  True: all of them go to memory again, or nowhere, and are remembered. */
bool ci_copies(struct ci_cta *c, const struct ppu_seen_access *a, const uint32_t *unwritten);
/* Bytes of what a store writes that nobody has written where they come from, by lane; asked for once. */
void ci_copied(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a, uint32_t *unwritten);
void ci_copied_free(struct ci_cta *c);

#pragma GCC visibility pop
#endif
