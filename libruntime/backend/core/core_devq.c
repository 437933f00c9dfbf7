/* SPDX-License-Identifier: MIT */
/*
 * Backend `core`: device-owned work queues, set up in the order of method 400 (WQ-27..WQ-38) by the driver core, as in the kernel.
 *
 * The write to GP_PUT (step 410) opens the ring, but only the last step, ENABLE, lets the host interface look
 * at it.  So wherever the set-up stops, no entry that was not written can be fetched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

int (*ppu_bc_devq_step)(struct be_vm *vm, unsigned chid, unsigned step);

/* Nothing happens between the steps, unless a test acts there or makes one step the last. */
static int init(struct core_chan *c, const struct ppu_devq_layout *l, const struct be_devq_args *args)
{
	struct ppu_devq_setup setup = {
		.bus = &ppu_bc_bus, .dev = c->vm->dev, .chid = c->id, .count = c->base.entries,
		.va = c->ring_va, .layout = l, .mem = ppu_bc_backing(&c->ring_addr),
	};
	int rc = 0;

	ppu_bc_chan_program(c, &(struct ppu_chan_config){
		.hw_class = PPU_CLASS_DEVQ, .flags = args->flags & BE_DEVQ_ASSIST ? PPU_CHF_AUTO_REFRESH : 0,
		.priority = args->prio, .get = args->initial_get, .shadow_va = c->ring_va + l->shadow,
	});
	for (unsigned i = 0; i < PPU_DEVQ_NUM_STEPS && !rc; i++) {
		rc = ppu_devq_step(&setup, ppu_devq_steps[i]);
		if (!rc && ppu_bc_devq_step)
			rc = ppu_bc_devq_step(c->vm, c->id, ppu_devq_steps[i]);
	}
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
	if (vm->faulted) {
		rc = -EIO;
		goto fail;
	}
	if (ppu_bc_chan_number(c) || ppu_bc_vram_alloc(dev, c->ring_size, &c->ring_addr))
		goto fail;
	c->base.ring = (volatile struct ppu_gpfifo_entry *)(dev->vram + c->ring_addr);
	rc = ppu_bc_vm_ensure_areas(vm);
	if (!rc)
		rc = ppu_bc_map(vm, c->ring_va, c->ring_size, c->ring_addr, PPU_DEVQ_PTE_FLAGS);
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
