/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large pages of VRAM, and the words of the page tables that led there.
 *
 * Arrays lie in pages of 2 MiB mostly, but an entry of the SM's TLB is for 4 KiB of one.  When the next 4 KiB are missed, a
 * trail says where they are, if the words that were read the last time are still the same: then a walk through the page
 * tables would find the same large page.  So nothing of a trail can be seen.
 *
 * Trails are for host code, and only for what is simple: tables and page in VRAM, nobody waits at any of it.  All else,
 * and the interpreter, walks.
 *
 * State: trail[] in struct ppu_sm.
 * Thread safety: the thread that runs the SM.  Other SMs may write page tables meanwhile.
 * Time: none.
 */
#ifndef PPU_TRAIL_H
#define PPU_TRAIL_H

#include "core/sm/sm.h"

/*
 * Code that leaves the host's vector registers alone, whatever it is compiled for.  Tools that instrument code would call
 * functions that do not.
 */
#ifndef __x86_64__
#define PPU_NO_VECTORS
#elif defined(__clang__)
#define PPU_NO_VECTORS	__attribute__((target("general-regs-only"), \
				       no_sanitize("address", "undefined", "thread", "coverage")))
#else
#define PPU_NO_VECTORS	__attribute__((target("general-regs-only"), no_sanitize_address, no_sanitize_undefined, \
				       no_sanitize_thread, no_sanitize_coverage))
#endif

/* Keeps the trail to va, where there was a large page just now; nothing, if it is not simple. */
void ppu_trails_note(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va);
/* Whom pages belong to, where they are or who waits at them may have changed. */
void ppu_trails_clear(struct ppu_sm *sm);

/* Would a walk to va take the same way as the last time? */
static inline __attribute__((always_inline)) PPU_NO_VECTORS bool ppu_trail_holds(const struct ppu_trail *t,
										 const struct ppu_ctx *ctx, uint64_t va)
{
	return t->frame == va >> PPU_LARGE_SHIFT && t->ctx == ctx &&
	       __atomic_load_n(t->word[0], __ATOMIC_RELAXED) == t->was[0] &&
	       __atomic_load_n(t->word[1], __ATOMIC_RELAXED) == t->was[1] &&
	       __atomic_load_n(t->word[2], __ATOMIC_RELAXED) == t->was[2];
}

#endif
