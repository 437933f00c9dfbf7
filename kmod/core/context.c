// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PPU driver core: contexts.
 */

#include "context.h"

/**
 * ppu_inst_fill - make an instance block
 * @blk: gets all of the instance block
 * @inst: what it says
 */
void ppu_inst_fill(struct ppu_inst_block *blk, const struct ppu_inst *inst)
{
	unsigned int i;

	blk->magic = PPU_INST_MAGIC;
	blk->version = PPU_INST_VERSION;
	blk->pt_root = inst->root | PPU_APERTURE_VRAM;
	blk->context_id = inst->context_id;
	blk->max_depth = inst->max_depth;
	blk->prio_ceiling = inst->prio_ceiling;
	blk->flags = 0;
	blk->local_base = inst->local.base;
	blk->local_size = inst->local.size;
	blk->tokq_base = inst->tokq.base;
	blk->tokq_size = inst->tokq.size;
	blk->save_base = inst->save.base;
	blk->save_size = inst->save.size;
	blk->local_per_thread = inst->local_per_thread;
	blk->max_pending = inst->max_pending;
	blk->watchdog_ns = inst->watchdog_ns;
	blk->owner = inst->owner;
	for (i = 0; i < ARRAY_SIZE(blk->reserved); i++)
		blk->reserved[i] = 0;
}

static u64 ppu_area_pages(u64 bytes)
{
	return (bytes + PPU_PAGE_SIZE - 1) & ~(PPU_PAGE_SIZE - 1);
}

/**
 * ppu_area_sizes - how large a context's areas are
 * @sizes: gets the sizes
 * @m: the device
 * @depth: nesting depth, ppu_depth_ok()
 * @local_per_thread: bytes, rounded
 */
void ppu_area_sizes(struct ppu_area_sizes *sizes, const struct ppu_machine *m, u32 depth,
		    u32 local_per_thread)
{
	sizes->local = ppu_area_pages(PPU_LOCAL_AREA_BYTES(m->sms, m->warps_per_sm,
							   local_per_thread));
	sizes->tokq = ppu_area_pages(PPU_TOKQ_AREA_BYTES(m->sms, m->warps_per_sm,
							 m->tokq_entries));
	sizes->save = ppu_area_pages(PPU_SAVE_AREA_BYTES(m->sms, m->save_per_sm, depth,
							 local_per_thread));
}

/**
 * ppu_context_cmd - run a command on a context
 * @bus: how to reach the device
 * @dev: device; the CTX_* registers are the caller's
 * @inst: VRAM address of its instance block
 * @cmd: PPU_CTX_CMD_*; 0: none
 *
 * Return: status of the context, PPU_CTX_*.
 */
u32 ppu_context_cmd(const struct ppu_bus *bus, void *dev, u64 inst, u32 cmd)
{
	inst |= PPU_APERTURE_VRAM;
	bus->wr(dev, PPU_REG_CTX_INST_LO, (u32)inst);
	bus->wr(dev, PPU_REG_CTX_INST_HI, (u32)(inst >> 32));
	if (cmd)
		bus->wr(dev, PPU_REG_CTX_CMD, cmd);
	return bus->rd(dev, PPU_REG_CTX_STATUS);
}

/**
 * ppu_context_invalidate - make the device forget a context's translations
 * @bus: how to reach the device
 * @dev: device; the TLB_INV_* registers are the caller's
 * @inst: VRAM address of its instance block
 *
 * The write may be posted: the device has done it once a later read has returned.
 */
void ppu_context_invalidate(const struct ppu_bus *bus, void *dev, u64 inst)
{
	inst |= PPU_APERTURE_VRAM;
	bus->wr(dev, PPU_REG_TLB_INV_INST_LO, (u32)inst);
	bus->wr(dev, PPU_REG_TLB_INV_INST_HI, (u32)(inst >> 32));
	bus->wr(dev, PPU_REG_TLB_INV, 1);
}
