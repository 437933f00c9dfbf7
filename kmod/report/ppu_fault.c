// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fault records and stopped channels.
 */

#include <linux/ktime.h>

#include <drm/drm_print.h>

#include <hw/ppu_fault.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "channel/ppu_channel.h"
#include "core/fault.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"
#include "sync/ppu_eventfd.h"

static const struct ppu_err_desc {
	u32 code;
	const char *name;
	const char *text;
} ppu_errs[] = {
#define E(name, code, scope, text) { code, #name, text },
	PPU_ERRS(E)
#undef E
};

static const struct ppu_err_desc *ppu_err_find(u32 code)
{
	static const struct ppu_err_desc unknown = { 0, "UNKNOWN", "unknown error" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ppu_errs); i++)
		if (ppu_errs[i].code == code)
			return &ppu_errs[i];
	return &unknown;
}

/** ppu_err_name - name of a PPU_ERR_* code */
const char *ppu_err_name(u32 code)
{
	return ppu_err_find(code)->name;
}

/** ppu_err_text - sentence of a PPU_ERR_* code */
const char *ppu_err_text(u32 code)
{
	return ppu_err_find(code)->text;
}

static const char *ppu_access_name(u8 access)
{
	static const char * const name[] = { "read", "write", "atomic", "execute" };

	return access < ARRAY_SIZE(name) ? name[access] : "?";
}

static const char *ppu_unit_name(u8 unit)
{
	static const char * const name[] = { "host", "copy engine", "SM", "task unit" };

	return unit < ARRAY_SIZE(name) ? name[unit] : "?";
}

/**
 * ppu_fault_print_all - say all recorded faults of a VM
 * @p: where to
 * @vm: VM
 */
void ppu_fault_print_all(struct drm_printer *p, struct ppu_vm *vm)
{
	unsigned int i, n;

	/* Records are never changed once they are counted. */
	spin_lock_irq(&vm->fault_lock);
	n = vm->num_faults;
	spin_unlock_irq(&vm->fault_lock);
	for (i = 0; i < n; i++) {
		const struct ppu_fault_rec *f = &vm->faults[i];

		drm_printf(p, "%u: %llu ns context %u channel %u %s va %#llx unit %u.%u warp %u lane %u pc %u cta %u,%u,%u: %s\n",
			   f->seq, f->time_ns, vm->context_id, f->channel, ppu_err_name(f->code),
			   f->va, f->unit, f->unit_index, f->warp, f->lane, f->pc, f->cta[0],
			   f->cta[1], f->cta[2], ppu_err_text(f->code));
	}
}

static void ppu_fault_print(struct ppu_device *ppu, const struct ppu_fault_rec *rec, u32 ctx)
{
	struct drm_device *drm = &ppu->drm;

	if (rec->unit == PPU_UNIT_SM)
		dev_warn_ratelimited(drm->dev,
				     "fault %u: context %u channel %u: %s (%s) %s at %#llx, SM %u warp %u lane %d pc %u CTA %u,%u,%u task %#llx\n",
				     rec->seq, ctx, rec->channel, ppu_err_name(rec->code),
				     ppu_err_text(rec->code), ppu_access_name(rec->access),
				     rec->va, rec->unit_index, rec->warp,
				     rec->lane == PPU_FAULT_NO_LANE ? -1 : rec->lane, rec->pc,
				     rec->cta[0], rec->cta[1], rec->cta[2], rec->task_id);
	else
		dev_warn_ratelimited(drm->dev,
				     "fault %u: context %u channel %u: %s (%s) %s at %#llx, %s %u\n",
				     rec->seq, ctx, rec->channel, ppu_err_name(rec->code),
				     ppu_err_text(rec->code), ppu_access_name(rec->access),
				     rec->va, ppu_unit_name(rec->unit), rec->unit_index);
}

/* Reads the oldest record and gives its place back.  False: there is none. */
static bool ppu_fault_pop(struct ppu_device *ppu, struct ppu_fault_rec *rec)
{
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&ppu->hw_lock, flags);
	any = ppu_fault_next(&ppu_bus, ppu, rec);
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	return any;
}

static void ppu_fault_keep(struct ppu_vm *vm, const struct ppu_fault_rec *rec, u32 channel_id)
{
	spin_lock_irq(&vm->fault_lock);
	if (vm->num_faults < PPU_MAX_FAULTS_KEPT) {
		vm->faults[vm->num_faults] = *rec;
		vm->fault_channel[vm->num_faults] = channel_id;
		vm->fault_cpu_ns[vm->num_faults] = ktime_get_ns();
		vm->num_faults++;
	}
	vm->fault_total++;
	spin_unlock_irq(&vm->fault_lock);
}

static void ppu_fault_handle(struct ppu_device *ppu, const struct ppu_fault_rec *rec)
{
	struct ppu_vm *vm = ppu_vm_get_by_inst(ppu, rec->inst);
	struct ppu_channel *chan;
	u32 channel_id = 0;

	trace_ppu_fault(rec->seq, rec->code, rec->channel, rec->unit, rec->unit_index, rec->va,
			rec->pc);
	ppu_fault_print(ppu, rec, vm ? vm->context_id : 0);
	if (!vm)
		return;

	if (ppu_err_ends_context(rec->code))
		ppu_vm_set_faulted(vm);
	chan = ppu_channel_get_by_chid(ppu, rec->channel);
	if (chan && chan->vm == vm) {
		channel_id = chan->id;
		if (ppu_err_ends_context(rec->code))
			chan->guilty = true;
	}
	ppu_channel_put(chan);
	ppu_fault_keep(vm, rec, channel_id);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_VM_FAULT, vm);
	ppu_vm_put(vm);
}

/** ppu_fault_drain - read all fault records; the device is entered; may sleep */
void ppu_fault_drain(struct ppu_device *ppu)
{
	struct ppu_fault_rec rec;
	unsigned int budget;

	/* With the lock: a caller that finds no record knows that all have been handled. */
	mutex_lock(&ppu->drain_lock);
	/* A client that faults without end must not keep this thread busy. */
	for (budget = 4 * PPU_FAULT_RING; budget; budget--) {
		if (!ppu_fault_pop(ppu, &rec))
			break;
		ppu_fault_handle(ppu, &rec);
	}
	mutex_unlock(&ppu->drain_lock);
	/* The next interrupt handles the rest. */
	if (!budget)
		ppu_wr(ppu, PPU_REG_INTR_TEST, PPU_INTR_FAULT);
}

static const u32 ppu_fault_cause[] = {
	[PPU_END_FAULTED] = DRM_PPU_CHANNEL_STATE_FAULTED,
	[PPU_END_INNOCENT] = DRM_PPU_CHANNEL_STATE_INNOCENT,
};

/* The device stopped the channel. */
static void ppu_fault_channel(struct ppu_channel *chan, u32 chid)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_failure failure = {
		.err = -EIO,
		.error = ppu_ch_rd(ppu, chid, PPU_REG_CH_ERROR),
		.get = ppu_ch_rd(ppu, chid, PPU_REG_CH_ERROR_INFO),
		.va = ppu_rd64(ppu, ppu_ch_off(chid, PPU_REG_CH_ERROR_VA_LO)),
	};
	enum ppu_end end = ppu_err_channel_end(failure.error, chan->guilty);

	if (end == PPU_END_NONE)
		return;
	failure.cause = ppu_fault_cause[end];
	if (ppu_err_ends_context(failure.error))
		ppu_vm_set_faulted(chan->vm);
	if (ppu_channel_fail(chan, &failure))
		dev_warn_ratelimited(ppu->drm.dev,
				     "channel %u of %s[%d] stopped: %s (%s), GP_GET %u%s\n", chid,
				     chan->vm->quota->comm, pid_nr(chan->vm->quota->owner),
				     ppu_err_name(failure.error), ppu_err_text(failure.error),
				     failure.get, end == PPU_END_INNOCENT ? ", innocent" : "");
}

/**
 * ppu_fault_catch_up - handle an error of a channel whose interrupt is on its way
 * @chan: channel, locked and not destroyed; the device is entered
 *
 * The owner reads the device's view of the channel in its USERD page, ahead of the interrupt.  So
 * what the driver answers must not contradict that view.
 *
 * Return: ppu_channel.dead; if it is not 0, ppu_channel.failure is valid.
 */
int ppu_fault_catch_up(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;

	lockdep_assert_held(&chan->lock);

	if (!READ_ONCE(chan->dead) &&
	    ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS) & PPU_CHS_FAULTED) {
		/* Records first: they say who is innocent. */
		ppu_fault_drain(ppu);
		ppu_fault_channel(chan, chan->chid);
	}
	return ppu_channel_dead(chan);
}

/* Handles stopped channels. */
static void ppu_fault_channels(struct ppu_device *ppu)
{
	unsigned int word, words = DIV_ROUND_UP(READ_ONCE(ppu->chan_top), 32);
	unsigned int bit;

	for (word = 0; word < words; word++) {
		unsigned long bits = ppu_rd(ppu, PPU_REG_CHERR_PENDING + word * 4);

		if (bits)
			ppu_wr(ppu, PPU_REG_CHERR_PENDING + word * 4, bits);
		for_each_set_bit(bit, &bits, 32) {
			u32 chid = word * 32 + bit;
			struct ppu_channel *chan = ppu_channel_get_by_chid(ppu, chid);

			if (chan)
				ppu_fault_channel(chan, chid);
			ppu_channel_put(chan);
		}
	}
}

/** ppu_fault_irq - errors of the device; from the error interrupt's thread */
void ppu_fault_irq(struct ppu_device *ppu)
{
	/* Records first: they say why the channels stopped. */
	ppu_fault_drain(ppu);
	ppu_fault_channels(ppu);
}

/**
 * ppu_fault_settle - the channel was reset: nothing is left that its successors could be blamed for
 * @chan: channel, locked; its number and its id may become others'
 */
void ppu_fault_settle(struct ppu_channel *chan)
{
	struct ppu_vm *vm = chan->vm;
	unsigned int i;
	int idx;

	lockdep_assert_held(&chan->lock);

	if (ppu_try_enter(chan->ppu, &idx)) {
		ppu_fault_drain(chan->ppu);
		ppu_try_exit(chan->ppu, idx);
	}
	spin_lock_irq(&vm->fault_lock);
	for (i = 0; i < vm->num_faults; i++)
		if (vm->fault_channel[i] == chan->id)
			vm->fault_channel[i] = 0;
	spin_unlock_irq(&vm->fault_lock);
}

/**
 * ppu_fault_to_user - convert a record of the hardware's
 * @vm: VM that has it
 * @i: its number, less than ppu_vm.num_faults
 * @out: gets it
 */
void ppu_fault_to_user(struct ppu_vm *vm, unsigned int i, struct drm_ppu_fault *out)
{
	const struct ppu_fault_rec *rec = &vm->faults[i];

	*out = (struct drm_ppu_fault){
		.va = rec->va,
		.gpu_ns = rec->time_ns,
		.cpu_ns = vm->fault_cpu_ns[i],
		.task_id = rec->task_id,
		.seq = rec->seq,
		.code = rec->code,
		.channel_id = READ_ONCE(vm->fault_channel[i]),
		.hw_channel = rec->channel == PPU_FAULT_NO_CHANNEL ? U32_MAX : rec->channel,
		.pc = rec->pc,
		.unit = rec->unit,
		.unit_index = rec->unit_index,
		.access = rec->access,
		.level = rec->level,
		.lane = rec->lane,
		.warp = rec->warp,
		.cta = { rec->cta[0], rec->cta[1], rec->cta[2] },
	};
}
