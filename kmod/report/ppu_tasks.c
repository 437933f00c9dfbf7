// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: the tasks on the device, for debugfs and for their owners.
 */

#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <hw/ppu_tmd.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "memory/ppu_vm.h"
#include "report/ppu_tasks.h"

/* Reads the first record in use from number @from on.  False: there is none. */
static bool ppu_task_read(struct ppu_device *ppu, u32 from, struct ppu_task_info *info)
{
	u32 *word = (u32 *)info;
	unsigned long flags;
	unsigned int i;

	BUILD_BUG_ON(sizeof(*info) != PPU_TASK_INFO_WORDS * sizeof(u32));
	spin_lock_irqsave(&ppu->hw_lock, flags);
	ppu_wr(ppu, PPU_REG_TASK_SEL, from);
	for (i = 0; i < PPU_TASK_INFO_WORDS; i++)
		word[i] = ppu_rd(ppu, PPU_REG_TASK_DATA + 4 * i);
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	/*
	 * A device that was pulled out reads as all ones, or as zero: whoever looks for the next
	 * record must get on.
	 */
	return info->record >= from && info->record < ppu->caps.task_records;
}

static const char *ppu_task_state_name(u32 state)
{
	static const struct {
		u32 code;
		const char *name;
	} list[] = {
#define S(name, code, text) { code, #name },
		PPU_TASK_STATES(S)
#undef S
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i].code == state)
			return list[i].name;
	return "?";
}

/**
 * ppu_tasks_print - a line for each task on the device
 * @p: where to
 * @ppu: device, entered
 */
void ppu_tasks_print(struct drm_printer *p, struct ppu_device *ppu)
{
	struct ppu_task_info t;
	u32 from;

	drm_puts(p, "record parent slot state     prio depth context chid ");
	drm_puts(p, "running saved     done/ctas id\n");
	for (from = 0; from < ppu->caps.task_records && ppu_task_read(ppu, from, &t);
	     from = t.record + 1) {
		drm_printf(p, "%6u %6d %4d %-9s %4u %5u %7u %4u ", t.record, (int)t.parent,
			   (int)t.slot, ppu_task_state_name(t.state), t.priority, t.depth,
			   t.context, t.channel);
		drm_printf(p, "%7u %5u %8llu/", t.ctas_running, t.ctas_saved, t.ctas_done);
		if (t.ctas == U64_MAX)
			drm_puts(p, "open");
		else
			drm_printf(p, "%llu", t.ctas);
		drm_printf(p, " %#llx\n", t.id);
		cond_resched();
	}
}

/* Does a VM of the file have this number on the device? */
static bool ppu_task_is_ours(struct ppu_file *file, u32 context)
{
	struct ppu_vm *vm;
	unsigned long id;
	bool ours = false;

	/* The table holds a reference to each VM in it, so under its lock no VM goes away. */
	xa_lock(&file->vms);
	xa_for_each(&file->vms, id, vm) {
		ours = vm->context_id == context;
		if (ours)
			break;
	}
	xa_unlock(&file->vms);
	return ours;
}

/**
 * ppu_tasks_list - the tasks of a file's VMs
 * @ppu: device
 * @file: file
 * @list: room for @max tasks; gets the first ones, in the order of their records
 * @max: no more than these are stored
 *
 * Return: how many tasks there are, also those for which there is no room, or a negative error.
 */
int ppu_tasks_list(struct ppu_device *ppu, struct ppu_file *file, struct drm_ppu_task *list,
		   u32 max)
{
	struct ppu_task_info t;
	u32 n = 0, from;
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	for (from = 0; from < ppu->caps.task_records && ppu_task_read(ppu, from, &t);
	     from = t.record + 1) {
		if (ppu_task_is_ours(file, t.context) && n++ < max)
			list[n - 1] = (struct drm_ppu_task){
				.record = t.record, .state = t.state, .slot = t.slot,
				.priority = t.priority, .depth = t.depth, .parent = t.parent,
				.context_id = t.context, .hw_channel = t.channel, .id = t.id,
				.ctas = t.ctas, .ctas_done = t.ctas_done,
				.ctas_running = t.ctas_running, .ctas_saved = t.ctas_saved,
			};
		cond_resched();
	}
	ppu_exit(ppu, idx);
	return n;
}
