// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: what can be looked at in debugfs.
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <drm/drm_buddy.h>
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <hw/ppu_engine_stats.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_runtime.h"
#include "core/driver.h"
#include "core/pt.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_vm.h"
#include "report/ppu_debugfs.h"
#include "report/ppu_fault.h"
#include "report/ppu_tasks.h"

#ifdef CONFIG_DEBUG_FS

static struct ppu_device *ppu_seq_device(struct seq_file *m)
{
	struct drm_info_node *node = m->private;

	return to_ppu(node->minor->dev);
}

static void ppu_show_channel(struct seq_file *m, struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	int chid = chan->chid, idx;

	mutex_lock(&chan->lock);
	if (!chan->destroyed && ppu_enter(ppu, &idx)) {
		seq_printf(m, "%4d %7u %-7s %-6s %4u %8u/%-8u %8u %#6x %5u %-14s %12llu %#llx\n",
			   chid, chan->vm->context_id,
			   ppu_channel_type_name(chan), ppu_channel_submit_name(chan),
			   chan->priority,
			   ppu_ch_rd(ppu, chid, PPU_REG_CH_GET),
			   ppu_ch_rd(ppu, chid, PPU_REG_CH_PUT), chan->ring_entries,
			   ppu_ch_rd(ppu, chid, PPU_REG_CH_STATUS),
			   ppu_ch_rd(ppu, chid, PPU_REG_CH_TASKS),
			   ppu_err_name(ppu_ch_rd(ppu, chid, PPU_REG_CH_ERROR)),
			   ppu_runtime(chan),
			   ppu_rd64(ppu, ppu_ch_off(chid, PPU_REG_CH_BLOCK_VA_LO)));
		ppu_exit(ppu, idx);
	}
	mutex_unlock(&chan->lock);
}

static void ppu_show_queue(struct seq_file *m, struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_devq_look look;
	unsigned long flags;
	u64 refreshes;
	int idx;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	refreshes = chan->devq.refreshes;
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	mutex_lock(&chan->lock);
	if (!chan->destroyed && ppu_enter(ppu, &idx)) {
		ppu_devq_look(chan, &look);
		seq_printf(m, "%4d %7u %8u %-6s %10llu %8u %10llu %10llu %6llu %6llu %llu\n",
			   chan->chid, chan->vm->context_id, chan->ring_entries,
			   chan->devq.flags & DRM_PPU_DEVQ_AUTO_REFRESH ? "device" : "irq",
			   look.get, ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_PUT), look.soft,
			   look.shadow, look.x, look.y, refreshes);
		ppu_exit(ppu, idx);
	}
	mutex_unlock(&chan->lock);
}

static int ppu_show_queues(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	u32 chid;

	if (drm_dev_is_unplugged(&ppu->drm))
		return -ENODEV;
	seq_puts(m, "chid context  entries refresh       get      put       soft     shadow      x      y irq_refreshes\n");
	for (chid = 0; chid < ppu->caps.channels; chid++) {
		struct ppu_channel *chan = ppu_channel_get_by_chid(ppu, chid);

		if (chan && chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE)
			ppu_show_queue(m, chan);
		ppu_channel_put(chan);
	}
	return 0;
}

static int ppu_show_channels(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	u32 chid;

	if (drm_dev_is_unplugged(&ppu->drm))
		return -ENODEV;
	seq_puts(m, "chid context type    submit prio      get/put       entries status tasks error           runtime_ns blocked_va\n");
	for (chid = 0; chid < ppu->caps.channels; chid++) {
		struct ppu_channel *chan = ppu_channel_get_by_chid(ppu, chid);

		if (chan)
			ppu_show_channel(m, chan);
		ppu_channel_put(chan);
	}
	return 0;
}

static int ppu_show_vms(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	struct drm_printer p = drm_seq_file_printer(m);
	unsigned long index = 0;
	struct ppu_vm *vm;

	while ((vm = ppu_vm_next(ppu, &index))) {
		ppu_vm_print(&p, vm);
		ppu_vm_put(vm);
		index++;
	}
	return 0;
}

static void ppu_show_run(void *to, const struct ppu_pt_run *run)
{
	struct seq_file *m = to;

	seq_printf(m, "  %012llx-%012llx%s%s%s%s%s%s%s\n", run->va, run->va + run->size - 1,
		   run->level ? " large" : "", run->flags & PPU_PTE_SYS ? " sys" : "",
		   run->flags & PPU_PTE_NULL ? " null" : "",
		   run->flags & PPU_PTE_READONLY ? " ro" : "",
		   run->flags & PPU_PTE_NOEXEC ? " nx" : "",
		   run->flags & PPU_PTE_PRIV ? " priv" : "",
		   run->flags & PPU_PTE_UNCACHED ? " uncached" : "");
}

/* Shows the instance block as it is in VRAM. */
static void ppu_show_inst(struct seq_file *m, struct ppu_vm *vm)
{
	struct ppu_inst_block *blk = kzalloc(sizeof(*blk), GFP_KERNEL);
	int idx;

	if (!blk)
		return;
	if (ppu_enter(vm->ppu, &idx)) {
		memcpy_fromio(blk, vm->ppu->vram_io + vm->inst.addr, sizeof(*blk));
		ppu_exit(vm->ppu, idx);
	}
	seq_printf(m, "context %u: depth %u pending %u ceiling %u local %u watchdog %llu areas%s%s%s%s\n",
		   blk->context_id, blk->max_depth, blk->max_pending, blk->prio_ceiling,
		   blk->local_per_thread, blk->watchdog_ns, blk->local_size ? " local" : "",
		   blk->tokq_size ? " tokq" : "", blk->save_size ? " save" : "",
		   blk->local_size || blk->tokq_size || blk->save_size ? "" : " none");
	kfree(blk);
}

static void ppu_show_vm_memory(struct seq_file *m, struct ppu_vm *vm)
{
	struct ppu_pt_look look = {
		.bus = &ppu_bus,
		.dev = vm->ppu,
		.run = ppu_show_run,
		.to = m,
	};

	mutex_lock(&vm->area_lock);
	ppu_show_inst(m, vm);
	mutex_unlock(&vm->area_lock);
	mutex_lock(&vm->lock);
	ppu_pt_look(&look, vm->pt.root->addr);
	mutex_unlock(&vm->lock);
	seq_printf(m, "  tables %u %u %u %u\n", look.tables[0], look.tables[1], look.tables[2],
		   look.tables[3]);
}

/* What the device reads: instance blocks and page tables. */
static int ppu_show_page_tables(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	unsigned long index = 0;
	struct ppu_vm *vm;

	if (drm_dev_is_unplugged(&ppu->drm))
		return -ENODEV;
	while ((vm = ppu_vm_next(ppu, &index))) {
		ppu_show_vm_memory(m, vm);
		ppu_vm_put(vm);
		index++;
	}
	return 0;
}

static int ppu_show_faults(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	struct drm_printer p = drm_seq_file_printer(m);
	unsigned long index = 0;
	struct ppu_vm *vm;

	while ((vm = ppu_vm_next(ppu, &index))) {
		ppu_fault_print_all(&p, vm);
		ppu_vm_put(vm);
		index++;
	}
	return 0;
}

enum ppu_access { RO, RW, W1C, WO };

static const struct {
	const char *name;
	u32 off;
	enum ppu_access access;
} ppu_reg_list[] = {
#define R(name, off, access, reset, doc) { #name, off, access },
	PPU_REGS(R)
#undef R
};

static int ppu_show_regs(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	unsigned long flags;
	unsigned int i;
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(ppu_reg_list); i++) {
		u32 val;

		/*
		 * Reading FAULT_DATA would advance FAULT_SEL while the interrupt's thread uses
		 * it.
		 */
		if (ppu_reg_list[i].access == WO || ppu_reg_list[i].off == PPU_REG_FAULT_DATA)
			continue;
		spin_lock_irqsave(&ppu->hw_lock, flags);
		val = ppu_rd(ppu, ppu_reg_list[i].off);
		spin_unlock_irqrestore(&ppu->hw_lock, flags);
		seq_printf(m, "%04x %-22s %08x\n", ppu_reg_list[i].off, ppu_reg_list[i].name, val);
	}
	ppu_exit(ppu, idx);
	return 0;
}

static int ppu_show_vram(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	struct drm_printer p = drm_seq_file_printer(m);

	mutex_lock(&ppu->vram->lock);
	drm_buddy_print(&ppu->vram->mm, &p);
	mutex_unlock(&ppu->vram->lock);
	return 0;
}

static int ppu_show_tasks(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	struct drm_printer p = drm_seq_file_printer(m);
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	ppu_tasks_print(&p, ppu);
	ppu_exit(ppu, idx);
	return 0;
}

static int ppu_show_irqs(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = ppu_seq_device(m);
	unsigned int i;

	seq_puts(m, "vector  interrupts held_back\n");
	for (i = 0; i < PPU_NUM_VECTORS; i++)
		seq_printf(m, "%6u %11llu %9llu\n", i, READ_ONCE(ppu->pace[i].total),
			   READ_ONCE(ppu->pace[i].held));
	return 0;
}

/* What the device has translated into code of its host: it depends on the host. */
static int ppu_show_engine(struct seq_file *m, void *data)
{
	static const char *const names[] = {
#define S(name, text, doc) text,
		PPU_ENGINE_STATS(S)
#undef S
	};
	struct ppu_device *ppu = ppu_seq_device(m);
	u64 value[PPU_ENG_COUNT];
	unsigned long flags;
	unsigned int i;
	int idx;

	if (!(ppu->caps.features & PPU_FEAT_ENGINE_STATS)) {
		seq_puts(m, "the device does not tell\n");
		return 0;
	}
	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ppu->hw_lock, flags);
	for (i = 0; i < PPU_ENG_COUNT; i++) {
		ppu_wr(ppu, PPU_REG_DBG_SEL, PPU_DBG_ENGINE + i);
		value[i] = ppu_rd64_locked(ppu, PPU_REG_DBG_DATA_LO);
	}
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	ppu_exit(ppu, idx);
	for (i = 0; i < PPU_ENG_COUNT; i++)
		seq_printf(m, "%-20s %llu\n", names[i], value[i]);
	return 0;
}

/* Moves all out of VRAM that can be moved now: whoever uses it next brings it back. */
static ssize_t ppu_evict_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct ppu_device *ppu = ((struct seq_file *)file->private_data)->private;
	int ret = ppu_evict_all(ppu);

	return ret ?: len;
}

static int ppu_evict_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	ppu_evict_print(&p, m->private);
	return 0;
}

static int ppu_evict_open(struct inode *inode, struct file *file)
{
	return single_open(file, ppu_evict_show, inode->i_private);
}

static const struct file_operations ppu_evict_fops = {
	.owner = THIS_MODULE,
	.open = ppu_evict_open,
	.read = seq_read,
	.write = ppu_evict_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* Where the set-up of a queue is to stand, and what the device has of one that does. */
static int ppu_devq_stand_show(struct seq_file *m, void *data)
{
	struct ppu_device *ppu = m->private;
	u32 chid = READ_ONCE(ppu->devq_stand.chid);
	int idx;

	if (chid && ppu_enter(ppu, &idx)) {
		seq_printf(m, "chid %u get %u put %u status %#x\n", chid - 1,
			   ppu_ch_rd(ppu, chid - 1, PPU_REG_CH_GET),
			   ppu_ch_rd(ppu, chid - 1, PPU_REG_CH_PUT),
			   ppu_ch_rd(ppu, chid - 1, PPU_REG_CH_STATUS));
		ppu_exit(ppu, idx);
	}
	return 0;
}

static int ppu_devq_stand_open(struct inode *inode, struct file *file)
{
	return single_open(file, ppu_devq_stand_show, inode->i_private);
}

static ssize_t ppu_devq_stand_write(struct file *file, const char __user *buf, size_t len,
				    loff_t *pos)
{
	struct ppu_device *ppu = ((struct seq_file *)file->private_data)->private;
	struct ppu_devq_stand *stand = &ppu->devq_stand;
	u32 val;
	int ret = kstrtou32_from_user(buf, len, 0, &val);

	if (ret)
		return ret;
	if (val > 1 && READ_ONCE(stand->chid))
		return -EBUSY;
	WRITE_ONCE(stand->fail, val == 1);
	WRITE_ONCE(stand->after, val > 1 ? val : 0);
	if (val <= 1) {
		/* Who stands reads @fail after it has read @chid. */
		smp_store_release(&stand->chid, 0);
	}
	return len;
}

static const struct file_operations ppu_devq_stand_fops = {
	.owner = THIS_MODULE,
	.open = ppu_devq_stand_open,
	.read = seq_read,
	.write = ppu_devq_stand_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct drm_info_list ppu_debugfs_list[] = {
	{ "irqs", ppu_show_irqs, 0, NULL },
	{ "channels", ppu_show_channels, 0, NULL },
	{ "queues", ppu_show_queues, 0, NULL },
	{ "tasks", ppu_show_tasks, 0, NULL },
	{ "vms", ppu_show_vms, 0, NULL },
	{ "page_tables", ppu_show_page_tables, 0, NULL },
	{ "faults", ppu_show_faults, 0, NULL },
	{ "regs", ppu_show_regs, 0, NULL },
	{ "vram", ppu_show_vram, 0, NULL },
	{ "engine", ppu_show_engine, 0, NULL },
};

/** ppu_debugfs_init - &drm_driver.debugfs_init */
void ppu_debugfs_init(struct drm_minor *minor)
{
	drm_debugfs_create_files(ppu_debugfs_list, ARRAY_SIZE(ppu_debugfs_list),
				 minor->debugfs_root, minor);
	debugfs_create_file("evict", 0600, minor->debugfs_root, to_ppu(minor->dev),
			    &ppu_evict_fops);
	debugfs_create_file("devq_stand", 0600, minor->debugfs_root, to_ppu(minor->dev),
			    &ppu_devq_stand_fops);
}

#endif
