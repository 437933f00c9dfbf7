/* SPDX-License-Identifier: MIT */
/* Files that other processes of the same user may have, who know their number. */
#ifndef PPU_CUDA_OFFER_INT_H
#define PPU_CUDA_OFFER_INT_H

#include <stdbool.h>
#include <stdint.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

enum cu_offer_kind { CU_OFFER_MEMORY = 0x50505501, CU_OFFER_EVENT, CU_OFFER_POOL };

/* What goes to the other process: a handle of CUDA's 64 bytes. */
struct cu_offer {
	uint32_t kind, pid;
	uint64_t server, token[2];	/* random: nobody guesses them */
	uint64_t offset, bytes;		/* what it is about, in the file's memory */
	uint64_t buffer;		/* bytes of the file's memory */
};
_Static_assert(sizeof(struct cu_offer) <= CU_IPC_HANDLE_SIZE, "it fits into a handle");

/* The file is this function's; it stays open until the offer ends.  Fills in the first three rows. */
CUresult cu_offer_new(enum cu_offer_kind kind, int fd, struct cu_offer *offer);
void cu_offer_end(const struct cu_offer *offer);
bool cu_offer_is_mine(const struct cu_offer *offer);
/* Has somebody made it up?  What it is about must lie in the file's memory. */
bool cu_offer_is(enum cu_offer_kind kind, const struct cu_offer *offer);
CUresult cu_offer_take(const struct cu_offer *offer, int *fd);

#pragma GCC visibility pop
#endif
