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
#include "core/channel.h"
#include "report/ppu_recentre.h"

#define PPU_SM_EXC_RETRY	1
#define PPU_SM_EXC_KILL		2

/** ppu_recentre - serve the SM exceptions that wait; from the interrupt's thread */
void ppu_recentre(struct ppu_device *ppu)
{
	unsigned int budget = ppu->caps.sms * ppu->caps.warps_per_sm;

	while (ppu_rd(ppu, PPU_REG_SM_EXC_CAUSE) != PPU_SMEXC_NONE) {
		struct ppu_token_queue q = {
			.base = ppu_rd64(ppu, PPU_REG_SM_EXC_TOKQ_LO),
			.size = ppu->caps.tokq_entries,
			.head = ppu_rd(ppu, PPU_REG_SM_EXC_HEAD),
			.tail = ppu_rd(ppu, PPU_REG_SM_EXC_TAIL),
		};
		u32 done = PPU_SM_EXC_KILL;

		if (ppu_rd(ppu, PPU_REG_SM_EXC_CAUSE) == PPU_SMEXC_RECENTRE &&
		    ppu_token_queue_centre(&ppu_bus, ppu, ppu->vram_size, &q)) {
			ppu_wr(ppu, PPU_REG_SM_EXC_HEAD, q.head);
			ppu_wr(ppu, PPU_REG_SM_EXC_TAIL, q.tail);
			done = PPU_SM_EXC_RETRY;
		}
		trace_ppu_recentre(ppu_rd(ppu, PPU_REG_SM_EXC_WARP), q.head, q.tail, done);
		/* Tokens are write-combined: they must be in VRAM before the warp goes on. */
		wmb();
		ppu_wr(ppu, PPU_REG_SM_EXC_DONE, done);

		if (!budget--) {
			cond_resched();
			budget = ppu->caps.sms * ppu->caps.warps_per_sm;
		}
	}
}
