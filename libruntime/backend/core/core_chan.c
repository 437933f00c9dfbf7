/* SPDX-License-Identifier: MIT */
/* Backend `core`: channels. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* ---- channels ------------------------------------------------------------------------------- */

int ppu_bc_chan_number(struct core_chan *c)
{
	struct be_dev *dev = c->vm->dev;

	while (c->id < dev->cfg.channels && dev->chans[c->id])
		c->id++;
	c->ring_va = PPU_VA_USER_END + c->id * RING_VA_STRIDE;
	return c->id == dev->cfg.channels ? -ENOSPC : 0;
}

void ppu_bc_chan_program(struct core_chan *c, const struct ppu_chan_config *config)
{
	struct ppu_chan_config all = *config;

	all.inst = c->vm->inst;
	all.ring_va = c->ring_va;
	all.entries = c->base.entries;
	ppu_chan_configure(&ppu_bc_bus, c->vm->dev, c->id, &all);
}

int ppu_bc_chan_enable(struct core_chan *c)
{
	struct be_dev *dev = c->vm->dev;

	wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_ENABLE);
	if (!(rd(dev, chcfg(c, PPU_REG_CH_STATUS)) & PPU_CHS_ENABLED)) {
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
		return c->vm->faulted ? -EIO : -EINVAL;
	}
	dev->chans[c->id] = c;
	c->base.hw_channel = c->id;
	return 0;
}

int ppu_bc_chan_create(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio,
		       struct be_chan **out)
{
	struct be_dev *dev = vm->dev;
	struct core_chan *c;
	int rc;

	if (entries < 3 || entries > dev->cfg.ring_max)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->vm = vm;
	c->base.entries = entries;
	c->ring_size = ppu_bc_page_round((uint64_t)entries * sizeof(struct ppu_gpfifo_entry));
	ppu_bc_lock(dev);
	rc = vm->faulted ? -EIO : cls == PPU_CLASS_COMPUTE ? ppu_bc_vm_ensure_areas(vm) : 0;
	if (rc)
		goto fail;
	rc = -ENOSPC;
	if (ppu_bc_chan_number(c) || ppu_bc_bus_alloc(dev, c->ring_size, &c->ring_addr))
		goto fail;
	c->base.ring = (volatile struct ppu_gpfifo_entry *)(dev->sys + c->ring_addr);
	rc = ppu_bc_map(vm, c->ring_va, c->ring_size, c->ring_addr + BUS_BASE,
			PPU_PTE_SYS | PPU_RING_PTE_FLAGS);
	if (rc)
		goto fail_ring;
	ppu_bc_chan_program(c, &(struct ppu_chan_config){ .hw_class = cls, .priority = prio });
	rc = ppu_bc_chan_enable(c);
	if (rc)
		goto fail_ring;
	ppu_bc_unlock(dev);
	*out = &c->base;
	return 0;
fail_ring:
	ppu_bc_map(vm, c->ring_va, c->ring_size, 0, PPU_BC_UNMAP);
	ppu_bc_bus_free(dev, c->ring_addr, c->ring_size);
fail:
	ppu_bc_unlock(dev);
	free(c);
	return rc;
}

void ppu_bc_chan_stop(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;
	struct be_dev *dev = c->vm->dev;

	ppu_bc_lock(dev);
	if (!c->stopped) {
		c->stopped = true;
		ppu_bc_devq_unlink(c);
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_STOP);
		/* Copies stop between chunks, so this loop takes bounded device time. */
		while (!(rd(dev, chcfg(c, PPU_REG_CH_STATUS)) & PPU_CHS_STOPPED)) {
			uint64_t next = ppu_core_next_event(dev->core);

			if (next == PPU_TIME_NEVER)
				break;
			ppu_bc_run_to(dev, next);
		}
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
		ppu_bc_map(c->vm, c->ring_va, c->ring_size, 0, PPU_BC_UNMAP);
		if (c->in_vram)
			ppu_bc_vram_free(dev, c->ring_addr, c->ring_size);
		else
			ppu_bc_bus_free(dev, c->ring_addr, c->ring_size);
		dev->chans[c->id] = NULL;
		dev->error_gen++;
		ppu_bc_serve_errors(dev);
	}
	ppu_bc_unlock(dev);
}

void ppu_bc_chan_free(struct be_chan *base)
{
	ppu_bc_chan_stop(base);
	free(base);
}

uint32_t ppu_bc_chan_get(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;

	return ppu_core_userd_peek(c->vm->dev->core, userd(c, PPU_REG_USERD_GP_GET));
}

void ppu_bc_chan_put(struct be_chan *base, uint32_t put)
{
	struct core_chan *c = (struct core_chan *)base;

	ppu_bc_lock(c->vm->dev);
	wr(c->vm->dev, userd(c, PPU_REG_USERD_GP_PUT), put);
	ppu_bc_unlock(c->vm->dev);
}

void ppu_bc_chan_kick(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;

	ppu_bc_lock(c->vm->dev);
	wr(c->vm->dev, userd(c, PPU_REG_USERD_KICK), 1);
	ppu_bc_unlock(c->vm->dev);
}

/* An error of a queue that this channel owns counts as an error of the channel. */
uint32_t ppu_bc_chan_error(struct core_chan *c)
{
	struct ppu_core *core = c->vm->dev->core;
	uint32_t error;

	if (c->stopped)
		return PPU_ERR_CTX_STOPPED;
	error = ppu_core_userd_peek(core, userd(c, PPU_REG_USERD_ERROR));
	for (struct core_chan *q = c->queues; q && !error; q = q->next_queue) {
		enum ppu_end end = ppu_err_channel_end(ppu_core_userd_peek(core, userd(q, PPU_REG_USERD_ERROR)), true);

		if (ppu_err_owner_end(end) == PPU_END_STOPPED)
			error = PPU_ERR_CTX_STOPPED;
	}
	return error;
}

int ppu_bc_chan_state(struct be_chan *base, struct be_chan_state *st)
{
	struct core_chan *c = (struct core_chan *)base;
	struct be_dev *dev = c->vm->dev;

	memset(st, 0, sizeof(*st));
	ppu_bc_lock_idle(dev);
	if (!c->stopped) {
		st->error = rd(dev, chcfg(c, PPU_REG_CH_ERROR));
		st->get = rd(dev, chcfg(c, PPU_REG_CH_ERROR_INFO));
		st->va = rd(dev, chcfg(c, PPU_REG_CH_ERROR_VA_LO));
		st->va |= (uint64_t)rd(dev, chcfg(c, PPU_REG_CH_ERROR_VA_HI)) << 32;
		if (!st->error)
			st->error = ppu_bc_chan_error(c);
	}
	ppu_bc_unlock(dev);
	return 0;
}
