/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BAR0: which unit a register belongs to. */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/fault.h"
#include "core/base/guest_error.h"
#include "core/base/intr.h"
#include "core/base/io.h"
#include "core/host/chan.h"
#include "core/host/hostsched.h"
#include "core/machine/ctx_end.h"
#include "core/machine/regs.h"
#include "core/memory/ctx.h"
#include "core/memory/sem.h"
#include "core/memory/watch.h"
#include "core/sm/mem/storebuf.h"
#include "core/sm/smsave.h"
#include "core/tasks/smexc.h"
#include "core/tasks/tmu.h"

struct ppu_regfile {
	uint32_t scratch, sched_ctrl, dbg_sel, task_sel;
	union {
		struct ppu_task_info info;
		uint32_t word[PPU_TASK_INFO_WORDS];
	} task;				/* picture taken when TASK_SEL was written */
	uint64_t tlb_inst, ctx_inst;
	/* Reading X_LO latches X_HI. TIME and DBG_DATA have a latch each, the channels' registers share
	 * one. */
	uint32_t time_hi, dbg_hi, ch_hi, ch_off;
};

uint64_t ppu_core_bar0_size(const struct ppu_config *cfg)
{
	uint64_t need = PPU_BAR0_USERD + (uint64_t)cfg->channels * PPU_USERD_STRIDE, size = 1;

	while (size < need)
		size <<= 1;
	return size;
}

static uint32_t cap(const struct ppu_core *core, unsigned off)
{
	const struct ppu_config *c = &core->cfg;

	switch (off) {
	case PPU_REG_ID: return c->fault_id ? c->fault_id : PPU_ID_MAGIC;
	case PPU_REG_VERSION: return c->fault_version ? c->fault_version : PPU_HW_VERSION;
	case PPU_REG_CAP_CHANNELS: return c->channels;
	case PPU_REG_CAP_COPY_ENGINES: return c->copy_engines;
	case PPU_REG_CAP_GPCS: return c->gpcs;
	case PPU_REG_CAP_SMS_PER_GPC: return c->sms_per_gpc;
	case PPU_REG_CAP_WARPS_PER_SM: return c->warps_per_sm;
	case PPU_REG_CAP_WARP_SIZE: return 32;
	case PPU_REG_CAP_TASK_SLOTS: return c->task_slots;
	case PPU_REG_CAP_DEVICE_PRIORITIES: return c->device_priorities;
	case PPU_REG_CAP_TOKENQ_ENTRIES: return c->tokq_entries;
	case PPU_REG_CAP_VRAM_MB: return (uint32_t)(c->vram >> 20);
	case PPU_REG_CAP_SHARED_PER_SM: return c->shared_per_sm;
	case PPU_REG_CAP_SHARED_PER_CTA: return c->shared_per_cta ? c->shared_per_cta : c->shared_per_sm;
	case PPU_REG_CAP_REGS_PER_SM: return c->regs_per_sm;
	case PPU_REG_CAP_VA_BITS: return PPU_VA_BITS;
	case PPU_REG_CAP_RING_MAX: return c->ring_max;
	case PPU_REG_CAP_WATCHES: return c->watches;
	case PPU_REG_CAP_CORES_PER_SM: return 192;
	case PPU_REG_CAP_DP_UNITS_PER_SM: return 64;
	case PPU_REG_CAP_SFUS_PER_SM: return 32;
	case PPU_REG_CAP_LSUS_PER_SM: return 32;
	case PPU_REG_CAP_TEX_PER_SM: return 0;
	case PPU_REG_CAP_PARTITIONS: return c->partitions;
	case PPU_REG_CAP_CTAS_PER_SM: return c->ctas_per_sm;
	case PPU_REG_CAP_FEATURES:
		return PPU_FEAT_DEVQ | PPU_FEAT_PREEMPT | PPU_FEAT_ENGINE_STATS | PPU_FEAT_GROUPS |
		       PPU_FEAT_NULL_PAGES | PPU_FEAT_TASK_TIME | PPU_FEAT_OWNERS | PPU_FEAT_LARGE_PARAMS | PPU_FEAT_SEM_NOR |
		       PPU_FEAT_CLUSTERS |
		       (c->priority_order ? PPU_FEAT_PRIO_DOWN : 0) |
		       (c->devq_assist ? PPU_FEAT_DEVQ_ASSIST : 0);
	case PPU_REG_CAP_TIMESLICE_NS:
		return c->timeslice_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)c->timeslice_ns;
	case PPU_REG_CAP_WINDOW_NS: return (uint32_t)c->window_ns;
	case PPU_REG_CAP_TASK_RECORDS: return c->task_records;
	case PPU_REG_CAP_SM_CLOCK_KHZ: return c->sm_clock_khz;
	case PPU_REG_CAP_SAVE_BYTES_PER_SM: return ppu_sm_save_bytes(core);
	}
	return 0;
}

static uint32_t ctrl_read(struct ppu_core *core, unsigned off)
{
	struct ppu_regfile *r = core->regs;

	switch (off) {
	case PPU_REG_SCRATCH: return r->scratch;
	case PPU_REG_TIME_LO:
		r->time_hi = (uint32_t)(core->now >> 32);
		return (uint32_t)core->now;
	case PPU_REG_TIME_HI: return r->time_hi;
	case PPU_REG_TLB_INV_INST_LO: return (uint32_t)r->tlb_inst;
	case PPU_REG_TLB_INV_INST_HI: return (uint32_t)(r->tlb_inst >> 32);
	case PPU_REG_CTX_INST_LO: return (uint32_t)r->ctx_inst;
	case PPU_REG_CTX_INST_HI: return (uint32_t)(r->ctx_inst >> 32);
	case PPU_REG_CTX_STATUS: return ppu_ctx_status(core, r->ctx_inst);
	case PPU_REG_SCHED_CTRL: return r->sched_ctrl;
	case PPU_REG_DBG_SEL: return r->dbg_sel;
	case PPU_REG_DBG_DATA_LO: {
		uint64_t v = r->dbg_sel < PPU_DBG_ENGINE ? ppu_core_counter(core, r->dbg_sel) :
			     ppu_core_engine_stat(core, r->dbg_sel - PPU_DBG_ENGINE);

		r->dbg_hi = (uint32_t)(v >> 32);
		return (uint32_t)v;
	}
	case PPU_REG_DBG_DATA_HI: return r->dbg_hi;
	case PPU_REG_TASK_SEL: return r->task_sel;
	}
	if (off >= PPU_REG_TASK_DATA && off < PPU_REG_TASK_DATA + sizeof(r->task))
		return r->task.word[(off - PPU_REG_TASK_DATA) / 4];
	if (off >= PPU_REG_INTR_STATUS && off <= PPU_REG_INTR_TEST)
		return ppu_intr_read(core, off);
	if (off >= PPU_REG_FAULT_GET && off <= PPU_REG_FAULT_DATA)
		return ppu_fault_read(core, off);
	if (off >= PPU_REG_SM_EXC_INST_LO && off <= PPU_REG_SM_EXC_DONE)
		return ppu_smexc_read(core, off);
	if (off >= PPU_REG_CHERR_PENDING)
		return ppu_intr_read(core, off);
	return cap(core, off);
}

static void set_half(uint64_t *v, bool hi, uint32_t val)
{
	if (hi)
		*v = (*v & 0xffffffffull) | (uint64_t)val << 32;
	else
		*v = (*v & ~0xffffffffull) | val;
}

static void tlb_invalidate(struct ppu_core *core, uint32_t what)
{
	struct ppu_ctx *ctx = NULL;

	if (what == 1) {
		ctx = ppu_ctx_find(core, core->regs->tlb_inst);
		if (!ctx)
			return;
	} else if (what != 2) {
		ppu_guest_error(core, "TLB_INV: %u is neither 1 nor 2", what);
		return;
	}
	ppu_storebuf_settle_all(core);
	core->xlat_gen++;
	ppu_mem_code_changed(core);
	ppu_sem_remap(core, ctx);
}

static void ctrl_write(struct ppu_core *core, unsigned off, uint32_t val)
{
	struct ppu_regfile *r = core->regs;
	uint32_t changed;

	switch (off) {
	case PPU_REG_SCRATCH:
		r->scratch = val;
		return;
	case PPU_REG_RESET:
		if (val == 1)
			ppu_core_reset(core);
		return;
	case PPU_REG_TLB_INV_INST_LO:
	case PPU_REG_TLB_INV_INST_HI:
		set_half(&r->tlb_inst, off == PPU_REG_TLB_INV_INST_HI, val);
		return;
	case PPU_REG_TLB_INV:
		tlb_invalidate(core, val);
		return;
	case PPU_REG_CTX_INST_LO:
	case PPU_REG_CTX_INST_HI:
		set_half(&r->ctx_inst, off == PPU_REG_CTX_INST_HI, val);
		return;
	case PPU_REG_CTX_CMD:
		ppu_ctx_cmd(core, r->ctx_inst, val);
		return;
	case PPU_REG_SCHED_CTRL:
		val &= PPU_SCHED_PAUSE_HOST | PPU_SCHED_PAUSE_TASKS;
		changed = val ^ r->sched_ctrl;
		r->sched_ctrl = val;
		if (changed & PPU_SCHED_PAUSE_HOST)
			ppu_host_pause(core, val & PPU_SCHED_PAUSE_HOST);
		if (changed & PPU_SCHED_PAUSE_TASKS)
			ppu_tmu_pause(core, val & PPU_SCHED_PAUSE_TASKS);
		return;
	case PPU_REG_DBG_SEL:
		r->dbg_sel = val;
		return;
	case PPU_REG_TASK_SEL:
		r->task_sel = val;
		ppu_tmu_show(core, val, &r->task.info);
		return;
	}
	if (off >= PPU_REG_INTR_STATUS && off <= PPU_REG_INTR_TEST)
		ppu_intr_write(core, off, val);
	else if (off >= PPU_REG_FAULT_GET && off <= PPU_REG_FAULT_DATA)
		ppu_fault_write(core, off, val);
	else if (off >= PPU_REG_SM_EXC_INST_LO && off <= PPU_REG_SM_EXC_DONE)
		ppu_smexc_write(core, off, val);
	else if (off >= PPU_REG_CHERR_PENDING)
		ppu_intr_write(core, off, val);
}

static uint32_t chcfg_read(struct ppu_core *core, unsigned chid, unsigned reg)
{
	struct ppu_regfile *r = core->regs;
	uint64_t v;

	switch (reg) {
	case PPU_REG_CH_RUNTIME_LO:
	case PPU_REG_CH_ERROR_VA_LO:
	case PPU_REG_CH_BLOCK_VA_LO:
	case PPU_REG_CH_GETABS_LO:
		v = ppu_chan_read64(core, chid, reg);
		r->ch_off = chid * PPU_CHCFG_STRIDE + reg + 4;
		r->ch_hi = (uint32_t)(v >> 32);
		return (uint32_t)v;
	case PPU_REG_CH_RUNTIME_HI:
	case PPU_REG_CH_ERROR_VA_HI:
	case PPU_REG_CH_BLOCK_VA_HI:
	case PPU_REG_CH_GETABS_HI:
		if (r->ch_off == chid * PPU_CHCFG_STRIDE + reg)
			return r->ch_hi;
		return (uint32_t)(ppu_chan_read64(core, chid, reg - 4) >> 32);
	}
	return ppu_chan_read(core, chid, reg);
}

static uint32_t read32(struct ppu_core *core, uint64_t off)
{
	uint64_t i;

	if (off >= PPU_BAR0_USERD) {
		i = (off - PPU_BAR0_USERD) / PPU_USERD_STRIDE;
		core->ctr[PPU_CTR_ACCESS_HOST]++;
		return i < core->cfg.channels ?
			ppu_chan_userd_read(core, (unsigned)i, off % PPU_USERD_STRIDE) : 0;
	}
	if (off >= PPU_BAR0_CHCFG) {
		i = (off - PPU_BAR0_CHCFG) / PPU_CHCFG_STRIDE;
		return i < core->cfg.channels ?
			chcfg_read(core, (unsigned)i, off % PPU_CHCFG_STRIDE) : 0;
	}
	if (off >= PPU_BAR0_WATCH) {
		i = (off - PPU_BAR0_WATCH) / PPU_WATCH_STRIDE;
		return i < core->cfg.watches ?
			ppu_watch_read(core, (unsigned)i, off % PPU_WATCH_STRIDE) : 0;
	}
	return ctrl_read(core, (unsigned)off);
}

static void write32(struct ppu_core *core, uint64_t off, uint32_t val)
{
	uint64_t i;

	if (off >= PPU_BAR0_USERD) {
		i = (off - PPU_BAR0_USERD) / PPU_USERD_STRIDE;
		core->ctr[PPU_CTR_ACCESS_HOST]++;
		if (i < core->cfg.channels)
			ppu_chan_userd_write(core, (unsigned)i, off % PPU_USERD_STRIDE, val);
	} else if (off >= PPU_BAR0_CHCFG) {
		i = (off - PPU_BAR0_CHCFG) / PPU_CHCFG_STRIDE;
		if (i < core->cfg.channels)
			ppu_chan_write(core, (unsigned)i, off % PPU_CHCFG_STRIDE, val);
	} else if (off >= PPU_BAR0_WATCH) {
		i = (off - PPU_BAR0_WATCH) / PPU_WATCH_STRIDE;
		if (i < core->cfg.watches)
			ppu_watch_write(core, (unsigned)i, off % PPU_WATCH_STRIDE, val);
	} else {
		ctrl_write(core, (unsigned)off, val);
	}
}

static bool valid(struct ppu_core *core, uint64_t off, unsigned size)
{
	if ((size == 4 || size == 8) && off % size == 0)
		return true;
	ppu_guest_error(core, "%u-byte register access at 0x%llx", size, (unsigned long long)off);
	return false;
}

uint64_t ppu_core_mmio_read(struct ppu_core *core, uint64_t off, unsigned size)
{
	uint64_t v;

	core->ctr[PPU_CTR_MMIO_READS]++;
	if (!valid(core, off, size))
		return 0;
	v = read32(core, off);
	if (size == 8)
		v |= (uint64_t)read32(core, off + 4) << 32;
	return v;
}

void ppu_core_mmio_write(struct ppu_core *core, uint64_t off, unsigned size, uint64_t val)
{
	core->ctr[PPU_CTR_MMIO_WRITES]++;
	if (!valid(core, off, size))
		return;
	write32(core, off, (uint32_t)val);
	if (size == 8)
		write32(core, off + 4, (uint32_t)(val >> 32));
}

int ppu_regs_create(struct ppu_core *core)
{
	core->regs = ppu_alloc(1, sizeof(*core->regs));
	return core->regs ? 0 : -1;
}

void ppu_regs_destroy(struct ppu_core *core)
{
	ppu_free(core->regs);
	core->regs = NULL;
}

_Static_assert(sizeof(struct ppu_task_info) == 4 * PPU_TASK_INFO_WORDS, "TASK_DATA is that many words");

void ppu_regs_reset(struct ppu_core *core)
{
	memset(core->regs, 0, sizeof(*core->regs));
}

void ppu_regs_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_regfile *r = core->regs;

	ppu_io_u32(io, &r->scratch);
	ppu_io_u32(io, &r->sched_ctrl);
	ppu_io_u32(io, &r->dbg_sel);
	ppu_io_u32(io, &r->task_sel);
	for (unsigned i = 0; i < PPU_TASK_INFO_WORDS; i++)
		ppu_io_u32(io, &r->task.word[i]);
	ppu_io_u64(io, &r->tlb_inst);
	ppu_io_u64(io, &r->ctx_inst);
	ppu_io_u32(io, &r->time_hi);
	ppu_io_u32(io, &r->dbg_hi);
	ppu_io_u32(io, &r->ch_hi);
	ppu_io_u32(io, &r->ch_off);
}
