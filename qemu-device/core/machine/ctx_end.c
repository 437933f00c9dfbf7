/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts as the whole machine sees them: the part of a context that each unit keeps, and the end of a
 * context, of which every unit has to be told.  The table of contexts is in memory/ctx.c.
 */
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/fault.h"
#include "core/base/guest_error.h"
#include "core/host/chan.h"
#include "core/host/host.h"
#include "core/machine/ctx_end.h"
#include "core/memory/ctx.h"
#include "core/sm/mem/icache.h"
#include "core/sm/mem/storebuf.h"
#include "core/tasks/ctas.h"
#include "core/tasks/rank.h"
#include "core/tasks/tmu.h"

bool ppu_ctx_parts_create(struct ppu_core *core, struct ppu_ctx *c)
{
	return ppu_host_ctx_create(core, c) && ppu_ctas_ctx_create(c);
}

bool ppu_owner_parts_grow(struct ppu_owner *o)
{
	return ppu_host_owner_grow(o);
}

void ppu_owner_parts_free(struct ppu_owner *o)
{
	ppu_host_owner_destroy(o);
}

void ppu_ctx_parts_free(struct ppu_ctx *c)
{
	ppu_free(c->host);
	ppu_ctas_forget_ctx(c);
}

void ppu_ctx_parts_io(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx *c)
{
	ppu_host_ctx_io(core, io, c);
}

static void stop(struct ppu_core *core, struct ppu_ctx *c)
{
	c->stopped = true;
	ppu_storebuf_settle_all(core);		/* its memory may soon be somebody else's */
	ppu_chan_stop_ctx(core, c, PPU_ERR_CTX_STOPPED);
	ppu_tmu_abort_ctx(core, c, PPU_ERR_CTX_STOPPED);
}

static void forget(struct ppu_core *core, struct ppu_ctx *c)
{
	stop(core, c);
	ppu_chan_forget_ctx(core, c);
	ppu_icache_forget_ctx(core, c);
	ppu_ctx_unlink(core, c);
	ppu_host_ctx_destroy(core, c);
	ppu_rank_forget_ctx(core, c);
	ppu_ctx_free(core, c);
}

void ppu_ctx_cmd(struct ppu_core *core, uint64_t inst, uint32_t cmd)
{
	struct ppu_ctx *c = ppu_ctx_find(core, inst);

	switch (cmd) {
	case PPU_CTX_CMD_LOAD:
		ppu_ctx_load(core, inst);
		break;
	case PPU_CTX_CMD_STOP:
		if (c)
			stop(core, c);
		break;
	case PPU_CTX_CMD_FORGET:
		if (c)
			forget(core, c);
		ppu_ctx_forgive(core, inst);
		break;
	default:
		ppu_guest_error(core, "CTX_CMD: unknown command %u", cmd);
	}
}

uint32_t ppu_ctx_status(struct ppu_core *core, uint64_t inst)
{
	const struct ppu_ctx *c = ppu_ctx_find(core, inst);
	uint32_t s = PPU_CTX_LOADED;

	if (!c)
		return ppu_ctx_refused(core, inst) ? PPU_CTX_BAD : 0;
	if (c->faulted)
		s |= PPU_CTX_FAULTED;
	if (c->stopped)
		s |= PPU_CTX_STOPPED;
	if (c->bad_load)
		s |= PPU_CTX_BAD;
	if (c->num_tasks || ppu_chan_copying(core, c))
		s |= PPU_CTX_BUSY;
	return s;
}

void ppu_ctx_fault(struct ppu_core *core, struct ppu_ctx *ctx, struct ppu_fault_rec *rec)
{
	rec->inst = ctx->inst;
	ppu_fault_record(core, rec);
	if (ctx->faulted)
		return;
	ctx->faulted = true;
	ppu_chan_stop_ctx(core, ctx, rec->code);
	ppu_tmu_abort_ctx(core, ctx, rec->code);
}
