/* SPDX-License-Identifier: MIT */
/*
 * Backend `core`: contexts.  An instance block in VRAM, as the kernel driver writes it, and the areas
 * SMs need to run tasks: local memory, token queues, the save area.  They come with the first compute
 * channel: a context that only copies has none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <hw/ppu_save.h>
#include "core.h"

static uint32_t ctx_cmd(struct be_vm *vm, uint32_t cmd)
{
	return ppu_context_cmd(&ppu_bc_bus, vm->dev, vm->inst, cmd);
}

static int inst_write(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;
	const struct ppu_inst inst = {
		.root = vm->pt.root->addr, .context_id = vm->context_id,
		.max_depth = vm->limit[BE_VM_DEPTH], .max_pending = vm->limit[BE_VM_PENDING],
		.prio_ceiling = ppu_prio_ceiling(0, dev->cfg.device_priorities,
						 ppu_bc_bus.rd(dev, PPU_REG_CAP_FEATURES)),
		.local_per_thread = vm->limit[BE_VM_LOCAL],
		.local = vm->areas.local, .tokq = vm->areas.tokq, .save = vm->areas.save,
	};

	ppu_inst_fill((struct ppu_inst_block *)(dev->vram + vm->inst), &inst);
	/* The block is right.  The device refuses it when it has no memory for the context. */
	return ctx_cmd(vm, PPU_CTX_CMD_LOAD) & PPU_CTX_BAD ? -ENOMEM : 0;
}

/* ---- areas ---------------------------------------------------------------------------------- */

/* Frees the areas in `now` that are not in `keep`. */
static void areas_free(struct be_dev *dev, const struct core_areas *now, const struct core_areas *keep)
{
	if (!keep || now->local.base != keep->local.base)
		ppu_bc_vram_free(dev, now->local.base, now->local.size);
	if (!keep || now->tokq.base != keep->tokq.base)
		ppu_bc_vram_free(dev, now->tokq.base, now->tokq.size);
	if (!keep || now->save.base != keep->save.base)
		ppu_bc_vram_free(dev, now->save.base, now->save.size);
}

/* Allocates an area.  One that has the right size already stays. */
static int area_alloc(struct be_dev *dev, uint64_t size, const struct ppu_area *was, struct ppu_area *area)
{
	uint64_t base;

	if (was->size == size) {
		*area = *was;
		return 0;
	}
	if (ppu_bc_vram_alloc(dev, size, &base))
		return -ENOSPC;
	/* A warp touches some bytes of its part, and the parts lie far apart: with large pages of the host the kernel
	 * would clear 2 MiB for a few words. */
	if (size >= PPU_LARGE_SIZE)
		madvise(dev->vram + base, size, MADV_NOHUGEPAGE);
	*area = (struct ppu_area){ .base = base, .size = size };
	return 0;
}

static int areas_alloc(struct be_dev *dev, const uint32_t *limit, const struct core_areas *was,
		       struct core_areas *areas)
{
	const struct ppu_machine m = {
		.sms = dev->cfg.gpcs * dev->cfg.sms_per_gpc, .warps_per_sm = dev->cfg.warps_per_sm,
		.tokq_entries = dev->cfg.tokq_entries, .save_per_sm = rd(dev, PPU_REG_CAP_SAVE_BYTES_PER_SM),
	};
	struct ppu_area_sizes sizes;

	ppu_area_sizes(&sizes, &m, limit[BE_VM_DEPTH], limit[BE_VM_LOCAL]);
	memset(areas, 0, sizeof(*areas));
	if (area_alloc(dev, sizes.tokq, &was->tokq, &areas->tokq) ||
	    area_alloc(dev, sizes.local, &was->local, &areas->local) ||
	    area_alloc(dev, sizes.save, &was->save, &areas->save)) {
		areas_free(dev, areas, was);
		memset(areas, 0, sizeof(*areas));	/* nobody frees them again */
		return -ENOSPC;
	}
	return 0;
}

int ppu_bc_vm_ensure_areas(struct be_vm *vm)
{
	static const struct core_areas none;
	int rc;

	if (vm->has_areas)
		return 0;
	rc = areas_alloc(vm->dev, vm->limit, &none, &vm->areas);
	if (rc)
		return rc;
	rc = inst_write(vm);
	if (rc) {
		areas_free(vm->dev, &vm->areas, NULL);
		vm->areas = none;
	}
	vm->has_areas = !rc;
	return rc;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void vm_free(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;

	areas_free(dev, &vm->areas, NULL);
	ppu_bc_pt_fini(vm);
	if (vm->inst)
		ppu_bc_vram_free(dev, vm->inst, PPU_INST_SIZE);
	free(vm);
}

static uint32_t rounded(enum be_vm_limit which, uint32_t value)
{
	return which == BE_VM_LOCAL ? ppu_local_round(value) : value;
}

static bool limit_ok(enum be_vm_limit which, uint32_t value)
{
	switch (which) {
	case BE_VM_LOCAL:
		return ppu_local_ok(value);
	case BE_VM_DEPTH:
		return ppu_depth_ok(value);
	default:
		return true;
	}
}

int ppu_bc_vm_create(struct be_dev *dev, const uint32_t *limits, struct be_vm **out)
{
	struct be_vm *vm;
	int rc;

	for (unsigned i = 0; i < BE_VM_LIMITS; i++)
		if (!limit_ok(i, limits[i]))
			return -EINVAL;
	vm = calloc(1, sizeof(*vm));
	if (!vm)
		return -ENOMEM;
	vm->dev = dev;
	for (unsigned i = 0; i < BE_VM_LIMITS; i++)
		vm->limit[i] = rounded(i, limits[i]);
	ppu_bc_lock(dev);
	vm->context_id = ++dev->next_context;
	rc = ppu_bc_vram_alloc(dev, PPU_INST_SIZE, &vm->inst);
	if (!rc)
		rc = ppu_bc_pt_init(vm);
	if (!rc)
		rc = inst_write(vm);
	if (rc) {
		vm_free(vm);
	} else {
		vm->next = dev->vms;
		dev->vms = vm;
		*out = vm;
	}
	ppu_bc_unlock(dev);
	return rc;
}

void ppu_bc_vm_destroy(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;

	ppu_bc_lock(dev);
	ctx_cmd(vm, PPU_CTX_CMD_STOP);
	ctx_cmd(vm, PPU_CTX_CMD_FORGET);
	ppu_bc_serve_errors(dev);
	for (struct be_vm **p = &dev->vms; *p; p = &(*p)->next) {
		if (*p == vm) {
			*p = vm->next;
			break;
		}
	}
	vm_free(vm);
	ppu_bc_unlock(dev);
}

/* ---- limits, faults ------------------------------------------------------------------------- */

uint32_t ppu_bc_vm_limit(struct be_vm *vm, enum be_vm_limit which)
{
	return vm->limit[which];
}

/* With the lock held.  Allocates other areas, then writes a new instance block.  If that fails, the old
 * ones are put back. */
static int change(struct be_vm *vm, const uint32_t *limit)
{
	struct core_areas was_areas = vm->areas, areas = { 0 };
	uint32_t was[BE_VM_LIMITS];
	int rc;

	if (ctx_cmd(vm, 0) & PPU_CTX_BUSY)
		return -EBUSY;
	rc = vm->has_areas ? areas_alloc(vm->dev, limit, &was_areas, &areas) : 0;
	if (rc)
		return rc;
	memcpy(was, vm->limit, sizeof(was));
	memcpy(vm->limit, limit, sizeof(was));
	vm->areas = areas;
	rc = inst_write(vm);
	if (!rc) {
		areas_free(vm->dev, &was_areas, &areas);
		return 0;
	}
	memcpy(vm->limit, was, sizeof(was));
	vm->areas = was_areas;
	areas_free(vm->dev, &areas, &was_areas);
	inst_write(vm);
	return rc;
}

int ppu_bc_vm_set_limit(struct be_vm *vm, enum be_vm_limit which, uint32_t value)
{
	uint32_t limit[BE_VM_LIMITS];
	int rc;

	if (!limit_ok(which, value))
		return -EINVAL;
	ppu_bc_lock(vm->dev);
	memcpy(limit, vm->limit, sizeof(limit));
	limit[which] = rounded(which, value);
	rc = vm->faulted ? -EIO : change(vm, limit);
	ppu_bc_unlock(vm->dev);
	return rc;
}

int ppu_bc_vm_faults(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n)
{
	int faulted;

	ppu_bc_lock(vm->dev);
	ppu_bc_serve_errors(vm->dev);
	if (*n > vm->num_faults)
		*n = vm->num_faults;
	memcpy(recs, vm->faults, *n * sizeof(*recs));
	faulted = vm->faulted;
	ppu_bc_unlock(vm->dev);
	return faulted;
}

int ppu_bc_vm_tasks(struct be_vm *vm, struct ppu_task_info *tasks, unsigned *n)
{
	struct be_dev *dev = vm->dev;
	unsigned room = *n;
	union {
		struct ppu_task_info info;
		uint32_t word[PPU_TASK_INFO_WORDS];
	} t;

	*n = 0;
	ppu_bc_lock(dev);
	for (uint32_t from = 0; *n < room; from = t.info.record + 1) {
		wr(dev, PPU_REG_TASK_SEL, from);
		for (unsigned i = 0; i < PPU_TASK_INFO_WORDS; i++)
			t.word[i] = rd(dev, PPU_REG_TASK_DATA + 4 * i);
		if (t.info.record == PPU_TASK_NONE)
			break;
		if (t.info.context == vm->context_id)
			tasks[(*n)++] = t.info;
	}
	ppu_bc_unlock(dev);
	return 0;
}
