// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: recentring of divergence token queues.
 *
 * A warp's token queue is an array in VRAM, used from both ends: the next token
 * at the front goes to entry HEAD, the next one at the back to entry TAIL, and
 * tokens stand in TAIL + 1 .. HEAD - 1.  When a push would leave the array, the
 * device (if told so by a property) asks the driver to move the tokens to the
 * middle, and retries the push.
 */

#include <hw/ppu_regs.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_trace.h"
#include "report/ppu_recentre.h"

#define PPU_SM_EXC_RETRY	1
#define PPU_SM_EXC_KILL		2
#define PPU_TOKEN_BYTES		8

/* Where a queue's tokens are. */
struct ppu_tokq {
	u64 base;
	s32 head;
	s32 tail;
};

static bool ppu_tokq_valid(struct ppu_device *ppu, const struct ppu_tokq *q)
{
	s32 size = ppu->caps.tokq_entries;

	return q->tail >= -1 && q->head <= size && q->head > q->tail &&
	       !(q->base & (PPU_TOKEN_BYTES - 1)) && q->base < ppu->vram_size &&
	       (u64)size * PPU_TOKEN_BYTES <= ppu->vram_size - q->base;
}

/* Order and contents of the tokens stay.  False: the queue is full. */
static bool ppu_tokq_recentre(struct ppu_device *ppu, struct ppu_tokq *q)
{
	u8 __iomem *base = (u8 __iomem *)ppu->vram_io + q->base;
	s32 size = ppu->caps.tokq_entries;
	s32 n = q->head - q->tail - 1, from = q->tail + 1;
	s32 to = (size - n) / 2, i;

	if (n >= size)
		return false;
	for (i = 0; i < n; i++) {
		/* Away from the direction of the move, as memmove() does. */
		s32 k = to < from ? i : n - 1 - i;

		writeq(readq(base + (from + k) * PPU_TOKEN_BYTES),
		       base + (to + k) * PPU_TOKEN_BYTES);
	}
	q->tail = to - 1;
	q->head = to + n;
	return true;
}

/** ppu_recentre - serve the SM exceptions that wait; from the interrupt's thread */
void ppu_recentre(struct ppu_device *ppu)
{
	unsigned int budget = ppu->caps.sms * ppu->caps.warps_per_sm;

	while (ppu_rd(ppu, PPU_REG_SM_EXC_CAUSE) != PPU_SMEXC_NONE) {
		struct ppu_tokq q = {
			.base = ppu_rd64(ppu, PPU_REG_SM_EXC_TOKQ_LO),
			.head = ppu_rd(ppu, PPU_REG_SM_EXC_HEAD),
			.tail = ppu_rd(ppu, PPU_REG_SM_EXC_TAIL),
		};
		u32 done = PPU_SM_EXC_KILL;

		if (ppu_rd(ppu, PPU_REG_SM_EXC_CAUSE) == PPU_SMEXC_RECENTRE &&
		    ppu_tokq_valid(ppu, &q) && ppu_tokq_recentre(ppu, &q)) {
			ppu_wr(ppu, PPU_REG_SM_EXC_HEAD, q.head);
			ppu_wr(ppu, PPU_REG_SM_EXC_TAIL, q.tail);
			done = PPU_SM_EXC_RETRY;
		}
		trace_ppu_recentre(ppu_rd(ppu, PPU_REG_SM_EXC_WARP), q.head, q.tail, done);
		/* Tokens are write-combined: they are there before the warp goes on. */
		wmb();
		ppu_wr(ppu, PPU_REG_SM_EXC_DONE, done);

		if (!budget--) {
			cond_resched();
			budget = ppu->caps.sms * ppu->caps.warps_per_sm;
		}
	}
}
