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

/* Serves the first exception.  False: there is none. */
static bool ppu_recentre_one(struct ppu_device *ppu)
{
	u32 cause = ppu_rd(ppu, PPU_REG_SM_EXC_CAUSE), done = PPU_SM_EXC_KILL;
	struct ppu_token_queue q = {};

	/* A device that was pulled out reads as all ones, for ever. */
	if (cause == PPU_SMEXC_NONE || cause == U32_MAX)
		return false;
	q.base = ppu_rd64(ppu, PPU_REG_SM_EXC_TOKQ_LO);
	q.size = ppu->caps.tokq_entries;
	q.head = ppu_rd(ppu, PPU_REG_SM_EXC_HEAD);
	q.tail = ppu_rd(ppu, PPU_REG_SM_EXC_TAIL);
	if (cause == PPU_SMEXC_RECENTRE &&
	    ppu_token_queue_centre(&ppu_bus, ppu, ppu->vram_size, &q)) {
		ppu_wr(ppu, PPU_REG_SM_EXC_HEAD, q.head);
		ppu_wr(ppu, PPU_REG_SM_EXC_TAIL, q.tail);
		done = PPU_SM_EXC_RETRY;
	}
	trace_ppu_recentre(ppu_rd(ppu, PPU_REG_SM_EXC_WARP), q.head, q.tail, done);
	/* Tokens are write-combined: they must be in VRAM before the warp goes on. */
	wmb();
	ppu_wr(ppu, PPU_REG_SM_EXC_DONE, done);
	return true;
}

/** ppu_recentre - serve the SM exceptions that wait; from the interrupt's thread */
void ppu_recentre(struct ppu_device *ppu)
{
	bool more;

	do {
		mutex_lock(&ppu->recentre_lock);
		more = ppu_recentre_one(ppu);
		mutex_unlock(&ppu->recentre_lock);
		cond_resched();
	} while (more);
}
