/* SPDX-License-Identifier: MIT */
/*
 * Backend `core`: device-owned work queues, set up in the order of method 400
 * (WQ-27..WQ-38), as the kernel driver does it.
 *
 * The ring is opened by the write to GP_PUT (step 410), and only the last step, ENABLE, lets the host
 * interface look at it: wherever this stops, no entry that was not written can be fetched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

int (*ppu_bc_devq_step)(struct be_vm *vm, unsigned chid, unsigned step);

/* A step is done.  Not 0: the test wants it to be the last. */
static int step(const struct core_chan *c, unsigned number)
{
	return ppu_bc_devq_step ? ppu_bc_devq_step(c->vm, c->id, number) : 0;
}

/* Step 406 (WQ-30): the block that entry GP_GET will point to. */
static void write_start(struct core_chan *c, const struct ppu_devq_layout *l)
{
	uint32_t *w = (uint32_t *)((uint8_t *)c->base.ring + l->start);
	uint64_t x = c->ring_va + l->x;

	w[0] = PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ));
	w[1] = (uint32_t)x;
	w[2] = (uint32_t)(x >> 32);
	w[3] = PPU_DEVQ_FIRST_X;
	w[4] = 0;
}

/* Step 408 (WQ-31): the first free entry of a fresh ring is the one at GP_GET. */
static uint32_t write_entry(struct core_chan *c, const struct ppu_devq_layout *l)
{
	uint32_t get = rd(c->vm->dev, chcfg(c, PPU_REG_CH_GET));

	c->base.ring[get].va = c->ring_va + l->start;
	c->base.ring[get].length = PPU_CMD_SIZE_SEM_ACQUIRE;
	return get;
}

/* X and Y (405, WQ-28) are zero, as is all of the object. */
static int init(struct core_chan *c, const struct ppu_devq_layout *l, const struct be_devq_args *args)
{
	struct be_dev *dev = c->vm->dev;
	uint8_t *mem = (uint8_t *)c->base.ring;
	uint32_t get;
	int rc;

	ppu_bc_chan_program(c, PPU_CLASS_DEVQ, args->flags & BE_DEVQ_ASSIST ? PPU_CHF_AUTO_REFRESH : 0,
			    args->prio, args->initial_get);
	wr64(dev, chcfg(c, PPU_REG_CH_DEVQ_SHADOW_LO), c->ring_va + l->shadow);
	rc = step(c, 405);
	if (rc)
		return rc;
	write_start(c, l);
	rc = step(c, 406);
	if (rc)
		return rc;
	get = write_entry(c, l);
	rc = step(c, 408);
	if (rc)
		return rc;
	wr(dev, chcfg(c, PPU_REG_CH_PUT), ppu_devq_first_put(get, c->base.entries));
	rc = step(c, 410);
	if (rc)
		return rc;
	*(uint64_t *)(mem + l->soft) = ppu_devq_first_soft(get);
	*(uint64_t *)(mem + l->shadow) = ppu_devq_first_shadow(get, c->base.entries);
	rc = step(c, 412);
	return rc ? rc : ppu_bc_chan_enable(c);
}

static void link_owner(struct core_chan *c, struct core_chan *owner)
{
	c->owner = owner;
	if (!owner)
		return;
	c->next_queue = owner->queues;
	owner->queues = c;
}

void ppu_bc_devq_unlink(struct core_chan *c)
{
	for (struct core_chan *q = c->queues; q; q = q->next_queue)
		q->owner = NULL;
	c->queues = NULL;
	if (!c->owner)
		return;
	for (struct core_chan **p = &c->owner->queues; *p; p = &(*p)->next_queue) {
		if (*p == c) {
			*p = c->next_queue;
			break;
		}
	}
	c->owner = NULL;
}

int ppu_bc_devq_create(struct be_vm *vm, const struct be_devq_args *args, struct be_devq *q)
{
	struct ppu_devq_layout l = ppu_devq_layout(args->entries);
	struct be_dev *dev = vm->dev;
	struct core_chan *c;
	int rc = -ENOSPC;

	if (args->entries < PPU_DEVQ_MIN_ENTRIES || args->entries > dev->cfg.ring_max ||
	    args->initial_get >= args->entries || args->flags & ~BE_DEVQ_ASSIST)
		return -EINVAL;
	if (args->flags & BE_DEVQ_ASSIST && !dev->cfg.devq_assist)
		return -EOPNOTSUPP;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->vm = vm;
	c->base.entries = args->entries;
	c->in_vram = true;
	c->ring_size = l.bytes;
	ppu_bc_lock(dev);
	if (ppu_bc_chan_number(c) || ppu_bc_vram_alloc(dev, c->ring_size, &c->ring_addr))
		goto fail;
	c->base.ring = (volatile struct ppu_gpfifo_entry *)(dev->vram + c->ring_addr);
	rc = ppu_bc_vm_ensure_areas(vm);
	if (!rc)
		rc = ppu_bc_map(vm, c->ring_va, c->ring_size, c->ring_addr, PPU_PTE_NOEXEC);
	if (!rc)
		rc = init(c, &l, args);
	if (rc)
		goto fail_ring;
	link_owner(c, (struct core_chan *)args->owner);
	ppu_bc_unlock(dev);
	*q = (struct be_devq){
		.chan = &c->base, .ring_va = c->ring_va, .sem_va = c->ring_va + l.sems,
		.x_va = c->ring_va + l.x, .y_va = c->ring_va + l.y,
		.soft_va = c->ring_va + l.soft, .shadow_va = c->ring_va + l.shadow,
		.size = l.bytes, .cpu = dev->vram + c->ring_addr,
	};
	return 0;
fail_ring:
	ppu_bc_map(vm, c->ring_va, c->ring_size, 0, PPU_BC_UNMAP);
	ppu_bc_vram_free(dev, c->ring_addr, c->ring_size);
fail:
	ppu_bc_unlock(dev);
	free(c);
	return rc;
}
