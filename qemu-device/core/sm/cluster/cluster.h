/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clusters: CTAs that are on one SM together, share a barrier and see each other's shared memory (ppu_tmd.cluster).  Since a
 * cluster never spans SMs, none of this crosses from one SM to another.  The order of CTAs: sms.h.
 *
 * State: what struct ppu_cta and struct ppu_warp have of it (sm.h).
 * Thread safety: the thread that runs the SM; join, leave: also the one that drives the core.
 * Time: none.
 */
#ifndef PPU_CLUSTER_UNIT_H
#define PPU_CLUSTER_UNIT_H

#include "core/sm/sm.h"

/* The CTA has a seat now, with its task and id; it is about to leave it. */
void ppu_cluster_join(struct ppu_sm *sm, struct ppu_cta *cta);
void ppu_cluster_leave(struct ppu_sm *sm, struct ppu_cta *cta);

/* Where an offset beyond the CTA's own shared memory leads; NULL: *err is PPU_ERR_*. */
uint8_t *ppu_cluster_shared(const struct ppu_sm *sm, const struct ppu_cta *cta, uint64_t off, uint32_t bytes, unsigned *err);

/* Lanes of w have ended, while somebody may wait at the barrier of its cluster. */
void ppu_cluster_lanes_ended(struct ppu_sm *sm, struct ppu_warp *w);
/* No warp of the CTA can run.  Does one wait at the cluster's barrier while a warp of another CTA can still do something? */
bool ppu_cluster_may_open(const struct ppu_sm *sm, const struct ppu_cta *cta);
/* The CTA has ended: do the others wait for good? */
void ppu_cluster_cta_ended(struct ppu_sm *sm, uint32_t peers);

#endif
