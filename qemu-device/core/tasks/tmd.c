/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task descriptors: the checks that need no more than the descriptor, its context and the machine. */
#include <hw/ppu_isa.h>
#include "core/sm/sms.h"
#include "core/tasks/taskq.h"
#include "core/tasks/tmd.h"

int ppu_tmd_check(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	uint64_t threads;
	unsigned i;

	if (t->magic != PPU_TMD_MAGIC || t->version != PPU_TMD_VERSION || t->size != PPU_TMD_SIZE ||
	    t->flags & ~PPU_TMDF_ALL || t->const_va)
		return PPU_ERR_TMD_BAD;
	for (i = 0; i < sizeof(t->reserved) / sizeof(t->reserved[0]); i++)
		if (t->reserved[i])
			return PPU_ERR_TMD_BAD;
	if (!ppu_taskq_tmd_ok(t))
		return PPU_ERR_TMD_BAD;
	if (t->code_va % PPU_INSN_BYTES || !t->code_insns || t->code_insns > PPU_PC_MAX + 1u ||
	    t->entry_pc >= t->code_insns || t->done_va % 8 ||
	    t->shared_dyn_bytes > t->shared_bytes)
		return PPU_ERR_TMD_BAD;
	for (i = 0; i < 3; i++)
		if (!t->grid[i] || !t->block[i])
			return PPU_ERR_TMD_BAD;
	if (!ppu_cluster_tmd_ok(t))
		return PPU_ERR_TMD_BAD;
	if (t->grid[0] > PPU_MAX_GRID_X || t->grid[1] > PPU_MAX_GRID_YZ || t->grid[2] > PPU_MAX_GRID_YZ ||
	    t->block[0] > PPU_MAX_THREADS_PER_CTA || t->block[1] > PPU_MAX_THREADS_PER_CTA)
		return PPU_ERR_TMD_LIMITS;
	threads = (uint64_t)t->block[0] * t->block[1] * t->block[2];
	if (threads > PPU_MAX_THREADS_PER_CTA || !t->regs_per_thread ||
	    t->regs_per_thread > PPU_NUM_REGS || t->num_barriers > PPU_NUM_BARRIERS ||
	    t->param_bytes > PPU_PARAM_MAX || t->local_per_thread > ctx->blk.local_per_thread)
		return PPU_ERR_TMD_LIMITS;
	return ppu_sm_limits(core, ctx, t);
}

uint64_t ppu_tmd_ctas(const struct ppu_tmd *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}
