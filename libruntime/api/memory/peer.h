/* SPDX-License-Identifier: MIT */
/* Memory of another context that a context may use. */
#ifndef PPU_API_PEER_H
#define PPU_API_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

struct be_bo;
struct ppuCtx_st;
struct rt_peer;

/* Unlocked. Takes over what the peers have allocated and freed since. */
ppuResult rt_peers_pull(struct ppuCtx_st *ctx);
static inline bool rt_peers_any(struct rt_peer *const *peers) { return __atomic_load_n(peers, __ATOMIC_ACQUIRE); }
/* Locked. The peer that the bytes belong to, NULL: none. */
struct ppuCtx_st *rt_peer_of(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes);
/* Unlocked: the context ends, for others and for itself. */
void rt_peers_end(struct ppuCtx_st *ctx);
/* Addresses of memory that ends: they are used again when no other context has it any more. */
void rt_peer_va_free(uint64_t va, uint64_t bytes, bool mapped);

#pragma GCC visibility pop
#endif
