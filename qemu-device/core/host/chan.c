/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Channels: configuration registers, USERD pages, enable, stop, errors. */
#include <stdatomic.h>
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/fault.h"
#include "core/base/guest_error.h"
#include "core/base/inject.h"
#include "core/base/intr.h"
#include "core/base/trace.h"
#include "core/host/chan.h"
#include "core/host/group.h"
#include "core/host/hostif.h"
#include "core/host/hostsched.h"
#include "core/memory/ctx.h"
#include "core/tasks/tmu.h"

/* What ppu_core_userd_peek() reads from any thread. */
struct published {
	_Atomic uint32_t get, put, status, error;
};

struct ppu_chans {
	struct ppu_chan *v;
	struct published *pub;
};

struct ppu_chan *ppu_chan(struct ppu_core *core, unsigned chid)
{
	return &core->chans->v[chid];
}

static uint32_t status(const struct ppu_core *core, const struct ppu_chan *ch)
{
	uint32_t s = 0;

	if (ch->enabled) {
		s |= PPU_CHS_ENABLED;
		if (ch->state == CH_BUSY || ch->engine >= 0 || core->host->run == ch->waiter.id)
			s |= PPU_CHS_RUNNING;
		if (ppu_chan_has_work(ch))
			s |= PPU_CHS_PENDING;
		if (ch->state == CH_SEM)
			s |= PPU_CHS_SEM_BLOCKED;
		if (ch->state == CH_WFI)
			s |= PPU_CHS_WFI;
		if (ch->paused)
			s |= PPU_CHS_PAUSED;
	}
	if (ch->stopped)
		s |= PPU_CHS_STOPPED;
	if (ch->error)
		s |= PPU_CHS_FAULTED;
	return s;
}

void ppu_chan_publish(struct ppu_core *core, struct ppu_chan *ch)
{
	struct published *p = &core->chans->pub[ch->waiter.id];

	atomic_store_explicit(&p->put, ch->put, memory_order_relaxed);
	atomic_store_explicit(&p->error, ch->error, memory_order_relaxed);
	atomic_store_explicit(&p->status, status(core, ch), memory_order_relaxed);
	/* Release: a thread that sees the new GET also sees what the commands before GET wrote. */
	atomic_store_explicit(&p->get, ch->get, memory_order_release);
}

uint32_t ppu_core_userd_peek(const struct ppu_core *core, uint64_t off)
{
	uint64_t i = (off - PPU_BAR0_USERD) / PPU_USERD_STRIDE;
	struct published *p;

	if (off < PPU_BAR0_USERD || i >= core->cfg.channels)
		return 0;
	p = &core->chans->pub[i];
	switch (off % PPU_USERD_STRIDE) {
	case PPU_REG_USERD_GP_GET:
		return atomic_load_explicit(&p->get, memory_order_acquire);
	case PPU_REG_USERD_GP_PUT:
		return atomic_load_explicit(&p->put, memory_order_acquire);
	case PPU_REG_USERD_STATUS:
		return atomic_load_explicit(&p->status, memory_order_acquire);
	case PPU_REG_USERD_ERROR:
		return atomic_load_explicit(&p->error, memory_order_acquire);
	}
	return 0;
}

void ppu_chan_set_state(struct ppu_core *core, struct ppu_chan *ch, enum ppu_ch_state state)
{
	ch->state = state;
	ppu_chan_publish(core, ch);
}

bool ppu_chan_has_work(const struct ppu_chan *ch)
{
	return ch->have_entry || ch->get != ch->put;
}

/* WQ-7: PUT must lie inside the ring, and must not pass GET. */
bool ppu_chan_put_ok(const struct ppu_chan *ch, uint32_t put)
{
	uint64_t n = ch->entries;

	return put < n && (put + n - ch->put) % n <= (ch->get + 2 * n - ch->put - 1) % n;
}

struct ppu_ctx *ppu_chan_ctx(struct ppu_core *core, unsigned chid)
{
	return chid < core->cfg.channels ? ppu_chan(core, chid)->ctx : NULL;
}

bool ppu_chan_copying(struct ppu_core *core, const struct ppu_ctx *ctx)
{
	for (unsigned i = 0; ctx->host->num_channels && i < core->cfg.channels; i++) {
		const struct ppu_chan *ch = ppu_chan(core, i);

		if (ch->ctx == ctx && ch->state == CH_BUSY && ch->op_class == PPU_CLASS_COPY)
			return true;
	}
	return false;
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Switches a channel off at once: out of all lists, its copy aborted.  The registers keep their values. */
static void off(struct ppu_core *core, struct ppu_chan *ch, unsigned why)
{
	unsigned chid = ppu_chid(core, ch);

	if (!ch->enabled)
		return;
	if (ch->state == CH_BUSY && ch->op_class == PPU_CLASS_COPY)
		ppu_ce_abort(core, chid);
	ppu_sem_unwait(core, &ch->waiter);
	ppu_event_cancel(core, &ch->wfi_event);
	ppu_sched_remove(core, ch);
	ch->enabled = false;
	ch->state = CH_OFF;
	if (core->host->run == chid)
		ppu_hostif_end_run(core, 0);
	ch->ctx->host->num_channels--;
	ch->ctx = NULL;
	ch->have_entry = false;
	ch->blk_va = 0;
	ch->blk_words = ch->pos = 0;
	ch->op_class = 0;
	ch->num_gates = 0;
	ch->blocked = false;
	ch->paused = 0;
	ch->block_va = 0;
	PPU_TRACE(core, CH_DISABLE, chid, why, 0, 0, 0);
	ppu_chan_publish(core, ch);
	/* This channel may have been woken to take the free task record: wake the next one that waits for
	 * a record. */
	ppu_sched_pool_next(core);
}

static void fail(struct ppu_core *core, struct ppu_chan *ch, unsigned err, uint64_t va,
		 struct ppu_fault_rec *rec)
{
	unsigned chid = ppu_chid(core, ch);

	if (!ch->error) {
		ch->error = err;
		ch->error_get = ch->get;
		ch->error_va = va;
	}
	PPU_TRACE(core, CH_ERROR, chid, err, ch->get, va, 0);
	if (rec) {
		rec->code = (uint16_t)err;
		rec->va = va;
		rec->inst = ch->inst;
		rec->channel = (uint16_t)chid;
		ppu_fault_record(core, rec);
	}
	off(core, ch, PPU_TRD_ERROR);
	ppu_chan_publish(core, ch);
	ppu_intr_bit(core, PPU_BM_CHERR, chid);
}

void ppu_chan_fault(struct ppu_core *core, unsigned chid, struct ppu_fault_rec *rec)
{
	struct ppu_chan *ch = ppu_chan(core, chid);

	if (ch->enabled)
		fail(core, ch, rec->code, rec->va, rec);
}

static struct ppu_fault_rec host_fault(void)
{
	return (struct ppu_fault_rec){ .unit = PPU_UNIT_HOST, .pc = ~0u,
				       .lane = PPU_FAULT_NO_LANE };
}

void ppu_chan_error(struct ppu_core *core, unsigned chid, unsigned err, uint64_t va)
{
	struct ppu_fault_rec rec = host_fault();

	if (chid < core->cfg.channels && ppu_chan(core, chid)->enabled)
		fail(core, ppu_chan(core, chid), err, va, &rec);
}

void ppu_chan_stop_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err)
{
	for (unsigned i = 0; ctx->host->num_channels && i < core->cfg.channels; i++) {
		struct ppu_chan *ch = ppu_chan(core, i);

		if (ch->enabled && ch->ctx == ctx)
			fail(core, ch, err, 0, NULL);
	}
}

/* Whoever forgets a context stops it first (machine/ctx_end.c), so the channels of ctx are off already. */
void ppu_chan_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx)
{
	ppu_chan_stop_ctx(core, ctx, PPU_ERR_CTX_STOPPED);
}

static const char *config_error(struct ppu_core *core, const struct ppu_chan *ch,
				struct ppu_ctx *ctx)
{
	uint32_t engines = core->cfg.copy_engines;

	if (!ctx)
		return "its instance block is not loaded";
	if (ctx->faulted || ctx->stopped)
		return "its context is stopped";
	if (ch->cls < PPU_CLASS_COMPUTE || ch->cls > PPU_CLASS_DEVQ)
		return "unknown class";
	if (ch->entries < 3 || ch->entries > core->cfg.ring_max)
		return "impossible number of ring entries";
	if (ch->ring_va % 16 || ch->ring_va >= PPU_VA_KERNEL_END ||
	    PPU_VA_KERNEL_END - ch->ring_va < ch->entries * sizeof(struct ppu_gpfifo_entry))
		return "bad ring address";
	if (ch->priority > PPU_QUEUE_PRIO_MAX)
		return "queue priority too high";
	if (ch->flags & ~(PPU_CHF_AUTO_REFRESH | PPU_CHF_KERNEL_SUBMIT | PPU_CHF_TASK_TIME))
		return "unknown flags";
	if (ch->flags & PPU_CHF_AUTO_REFRESH && (ch->cls != PPU_CLASS_DEVQ || !core->cfg.devq_assist))
		return "automatic refresh is not there";
	if (ch->engine_mask && engines < 32 && !(ch->engine_mask & ((1u << engines) - 1)))
		return "its engine mask names no copy engine";
	if (ch->get >= ch->entries || ch->put >= ch->entries)
		return "GET or PUT is outside the ring";
	if (ch->shadow_va % 8)
		return "the shadow of GP_PUT is not aligned";
	return NULL;
}

static void enable(struct ppu_core *core, struct ppu_chan *ch)
{
	struct ppu_ctx *ctx = ppu_ctx_find(core, ch->inst);
	struct ppu_fault_rec rec = host_fault();
	unsigned chid = ppu_chid(core, ch);
	const char *why;

	if (ch->enabled || ch->error) {
		ppu_guest_error(core, "channel %u: enabled while %s", chid,
				ch->enabled ? "enabled" : "in error");
		return;
	}
	why = config_error(core, ch, ctx);
	if (why) {
		ppu_guest_error(core, "channel %u: %s", chid, why);
		fail(core, ch, PPU_ERR_BAD_CONFIG, 0, &rec);
		return;
	}
	ch->enabled = true;
	ch->stopped = false;
	ch->ctx = ctx;
	ch->paused = ppu_group_paused(core, ch) ? PPU_PAUSED_GROUP : 0;
	ctx->host->num_channels++;
	ch->engine = -1;
	ch->refresh_abs = ch->getabs;
	ch->ring_low = false;
	PPU_TRACE(core, CH_ENABLE, chid, ch->cls, ch->ring_va, ch->entries, ch->inst);
	ppu_chan_set_state(core, ch, CH_IDLE);
	if (ppu_chan_has_work(ch))
		ppu_sched_ready(core, ch);
}

/* False: the channel was made not to stop. */
static bool stop(struct ppu_core *core, struct ppu_chan *ch, unsigned why)
{
	if (core->cfg.fault_stop && ch->enabled && ppu_inject_stop(core, ppu_chid(core, ch)))
		return false;
	off(core, ch, why);
	ppu_tmu_abort_channel(core, ppu_chid(core, ch));
	ch->stopped = true;
	ppu_chan_publish(core, ch);
	return true;
}

void ppu_chan_stop(struct ppu_core *core, struct ppu_chan *ch)
{
	if (stop(core, ch, PPU_TRD_STOP))
		ppu_intr_bit(core, PPU_BM_PREEMPT, ppu_chid(core, ch));
}

void ppu_chan_pause(struct ppu_core *core, struct ppu_chan *ch, uint8_t why)
{
	uint8_t before = ch->paused;

	if (!ch->enabled)
		return;
	ch->paused |= why;
	if (before)
		return;
	if (ch->state != CH_BUSY)
		ppu_sched_remove(core, ch);
	PPU_TRACE(core, CH_DISABLE, ppu_chid(core, ch), PPU_TRD_PAUSE, 0, 0, 0);
	ppu_chan_publish(core, ch);
	ppu_sched_pool_next(core);
}

void ppu_chan_resume(struct ppu_core *core, struct ppu_chan *ch, uint8_t why)
{
	if (!ch->enabled || !(ch->paused & why))
		return;
	ch->paused &= (uint8_t)~why;
	if (ch->paused)
		return;
	ppu_sched_resume(core, ch);
	ppu_chan_publish(core, ch);
}

static void forget(struct ppu_chan *ch)
{
	ch->stopped = false;
	ch->error = ch->error_get = 0;
	ch->error_va = 0;
	ch->get = ch->put = 0;
	ch->getabs = ch->refresh_abs = 0;
	ch->ring_low = false;
	ch->tmd_va = ch->op_start = 0;
	memset(&ch->copy, 0, sizeof(ch->copy));
	memset(ch->gates, 0, sizeof(ch->gates));
	ch->block_va = ch->block_value = 0;
	ch->block_reason = 0;
	ch->runtime = ch->copies = 0;
	ch->slices = ch->preempts = ch->cookie = 0;
}

static void command(struct ppu_core *core, struct ppu_chan *ch, uint32_t cmd)
{
	unsigned chid = ppu_chid(core, ch);

	switch (cmd) {
	case PPU_CH_CMD_ENABLE:
		enable(core, ch);
		break;
	case PPU_CH_CMD_STOP:
		ppu_chan_stop(core, ch);
		break;
	case PPU_CH_CMD_RESET:
		if (!stop(core, ch, PPU_TRD_RESET))
			break;
		forget(ch);
		ppu_tmu_channel_forget(core, chid);
		ppu_chan_publish(core, ch);
		break;
	case PPU_CH_CMD_PAUSE:
		ppu_chan_pause(core, ch, PPU_PAUSED_SELF);
		break;
	case PPU_CH_CMD_RESUME:
		ppu_chan_resume(core, ch, PPU_PAUSED_SELF);
		break;
	case PPU_CH_CMD_GROUP_PAUSE:
	case PPU_CH_CMD_GROUP_RESUME:
	case PPU_CH_CMD_GROUP_STOP:
		ppu_group_command(core, ch, cmd);
		break;
	case PPU_CH_CMD_REFRESH:
		if (!ppu_hostif_refresh_queue(core, ch))
			ppu_guest_error(core, "channel %u: refresh of what is no live device-owned channel",
					chid);
		break;
	default:
		ppu_guest_error(core, "channel %u: unknown command %u", chid, cmd);
	}
}

/* ---- GP_PUT ------------------------------------------------------------------------------------ */

static void set_put(struct ppu_core *core, struct ppu_chan *ch, uint32_t put)
{
	if (!ppu_chan_put_ok(ch, put)) {
		ppu_chan_error(core, ppu_chid(core, ch), PPU_ERR_PUT_RANGE, 0);
		return;
	}
	ch->put = put;
	PPU_TRACE(core, DOORBELL, ppu_chid(core, ch), put, ch->get, 0, 0);
	if (ch->cls == PPU_CLASS_DEVQ) {
		ch->refresh_abs = ch->getabs;
		ch->ring_low = false;
	}
	if (ch->state == CH_IDLE && ppu_chan_has_work(ch))
		ppu_sched_ready(core, ch);
	else
		ppu_chan_publish(core, ch);
}

/*
 * A doorbell of a channel that is not enabled is forgotten: a recycled channel starts with what its
 * new owner submits.  A doorbell is also a kick (WQ-17).
 */
static void doorbell(struct ppu_core *core, struct ppu_chan *ch, uint32_t put)
{
	core->ctr[PPU_CTR_DOORBELLS]++;
	if (!ch->enabled)
		return;
	ppu_sem_kick(core, ch->ctx, ppu_chid(core, ch));
	if (ch->cls != PPU_CLASS_DEVQ)
		set_put(core, ch, put);
}

/* ---- registers ----------------------------------------------------------------------------------- */

uint32_t ppu_chan_userd_read(struct ppu_core *core, unsigned chid, unsigned reg)
{
	const struct ppu_chan *ch = ppu_chan(core, chid);

	switch (reg) {
	case PPU_REG_USERD_GP_GET: return ch->get;
	case PPU_REG_USERD_GP_PUT: return ch->put;
	case PPU_REG_USERD_STATUS: return status(core, ch);
	case PPU_REG_USERD_ERROR: return ch->error;
	}
	return 0;
}

void ppu_chan_userd_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val)
{
	struct ppu_chan *ch = ppu_chan(core, chid);

	switch (reg) {
	case PPU_REG_USERD_GP_PUT:
		doorbell(core, ch, val);
		break;
	case PPU_REG_USERD_KICK:
		core->ctr[PPU_CTR_KICKS]++;
		if (ch->enabled)
			ppu_sem_kick(core, ch->ctx, chid);
		break;
	}
}

uint64_t ppu_chan_read64(struct ppu_core *core, unsigned chid, unsigned reg_lo)
{
	const struct ppu_chan *ch = ppu_chan(core, chid);

	switch (reg_lo) {
	case PPU_REG_CH_RUNTIME_LO:
		return ch->runtime + (ch->flags & PPU_CHF_TASK_TIME ? ppu_tmu_channel_time(core, chid) : 0);
	case PPU_REG_CH_ERROR_VA_LO: return ch->error_va;
	case PPU_REG_CH_BLOCK_VA_LO: return ch->state == CH_SEM ? ch->block_va : 0;
	case PPU_REG_CH_GETABS_LO: return ch->getabs;
	}
	return 0;
}

uint32_t ppu_chan_read(struct ppu_core *core, unsigned chid, unsigned reg)
{
	const struct ppu_chan *ch = ppu_chan(core, chid);

	switch (reg) {
	case PPU_REG_CH_INST_LO: return (uint32_t)ch->inst;
	case PPU_REG_CH_INST_HI: return (uint32_t)(ch->inst >> 32);
	case PPU_REG_CH_RING_LO: return (uint32_t)ch->ring_va;
	case PPU_REG_CH_RING_HI: return (uint32_t)(ch->ring_va >> 32);
	case PPU_REG_CH_RING_ENTRIES: return ch->entries;
	case PPU_REG_CH_CLASS: return ch->cls;
	case PPU_REG_CH_PRIORITY: return ch->priority;
	case PPU_REG_CH_TIMESLICE_NS: return ch->timeslice;
	case PPU_REG_CH_ENGINE_MASK: return ch->engine_mask;
	case PPU_REG_CH_FLAGS: return ch->flags;
	case PPU_REG_CH_GROUP: return ch->group;
	case PPU_REG_CH_GET: return ch->get;
	case PPU_REG_CH_PUT: return ch->put;
	case PPU_REG_CH_STATUS: return status(core, ch);
	case PPU_REG_CH_ERROR: return ch->error;
	case PPU_REG_CH_ERROR_INFO: return ch->error_get;
	case PPU_REG_CH_SLICES: return ch->slices;
	case PPU_REG_CH_PREEMPTS: return ch->preempts;
	case PPU_REG_CH_COOKIE: return ch->cookie;
	case PPU_REG_CH_TASKS: return ppu_tmu_channel_tasks(core, chid);
	case PPU_REG_CH_DEVQ_SHADOW_LO: return (uint32_t)ch->shadow_va;
	case PPU_REG_CH_DEVQ_SHADOW_HI: return (uint32_t)(ch->shadow_va >> 32);
	}
	return 0;
}

static void set_lo(uint64_t *v, uint32_t val)
{
	*v = (*v & ~0xffffffffull) | val;
}

static void set_hi(uint64_t *v, uint32_t val)
{
	*v = (*v & 0xffffffffull) | (uint64_t)val << 32;
}

void ppu_chan_write(struct ppu_core *core, unsigned chid, unsigned reg, uint32_t val)
{
	struct ppu_chan *ch = ppu_chan(core, chid);

	switch (reg) {
	case PPU_REG_CH_CMD:
		command(core, ch, val);
		return;
	case PPU_REG_CH_TIMESLICE_NS:	/* takes effect with the next slice */
		ch->timeslice = val;
		return;
	case PPU_REG_CH_PUT:
		if (ch->enabled && ch->cls == PPU_CLASS_DEVQ) {
			set_put(core, ch, val);
			return;
		}
		break;
	}
	if (ch->enabled) {
		ppu_guest_error(core, "channel %u: configuration written while enabled", chid);
		return;
	}
	switch (reg) {
	case PPU_REG_CH_INST_LO: set_lo(&ch->inst, val); break;
	case PPU_REG_CH_INST_HI: set_hi(&ch->inst, val); break;
	case PPU_REG_CH_RING_LO: set_lo(&ch->ring_va, val); break;
	case PPU_REG_CH_RING_HI: set_hi(&ch->ring_va, val); break;
	case PPU_REG_CH_RING_ENTRIES: ch->entries = val; break;
	case PPU_REG_CH_CLASS: ch->cls = val; break;
	case PPU_REG_CH_PRIORITY: ch->priority = val; break;
	case PPU_REG_CH_ENGINE_MASK: ch->engine_mask = val; break;
	case PPU_REG_CH_FLAGS: ch->flags = val; break;
	case PPU_REG_CH_GROUP: ch->group = val; break;
	case PPU_REG_CH_DEVQ_SHADOW_LO: set_lo(&ch->shadow_va, val); break;
	case PPU_REG_CH_DEVQ_SHADOW_HI: set_hi(&ch->shadow_va, val); break;
	case PPU_REG_CH_GET:
		ch->get = val;
		ch->getabs = val;
		break;
	case PPU_REG_CH_PUT: ch->put = val; break;
	}
	ppu_chan_publish(core, ch);
}

/* ---- unit ------------------------------------------------------------------------------------------ */

static void wfi_again(struct ppu_core *core, void *arg)
{
	struct ppu_chan *ch = arg;

	if (ch->state == CH_WFI)
		ppu_sched_ready(core, ch);
}

int ppu_chans_create(struct ppu_core *core)
{
	struct ppu_chans *s = ppu_alloc(1, sizeof(*s));

	core->chans = s;
	if (!s)
		return -1;
	s->v = ppu_alloc(core->cfg.channels, sizeof(*s->v));
	s->pub = ppu_alloc(core->cfg.channels, sizeof(*s->pub));
	if (!s->v || !s->pub || !ppu_events_reserve(core, core->cfg.channels))
		return -1;
	for (unsigned i = 0; i < core->cfg.channels; i++)
		ppu_event_init(&s->v[i].wfi_event, PPU_EVP_HOST, wfi_again, &s->v[i]);
	return 0;
}

void ppu_chans_destroy(struct ppu_core *core)
{
	if (!core->chans)
		return;
	for (unsigned i = 0; core->chans->v && i < core->cfg.channels; i++)
		ppu_sem_unwait(core, &core->chans->v[i].waiter);
	ppu_free(core->chans->v);
	ppu_free(core->chans->pub);
	ppu_free(core->chans);
	core->chans = NULL;
}

/* Makes a channel as if it had never been touched, except for its event. */
static void blank(struct ppu_chan *ch, unsigned chid)
{
	memset(ch, 0, sizeof(*ch));
	ch->waiter.id = chid;
	ch->waiter.wake = ppu_sched_wake;
	ch->engine = -1;
	ch->prev = ch->next = PPU_NO_CH;
}

void ppu_chans_reset(struct ppu_core *core)
{
	for (unsigned i = 0; i < core->cfg.channels; i++) {
		struct ppu_chan *ch = ppu_chan(core, i);

		ppu_sem_unwait(core, &ch->waiter);
		ppu_event_cancel(core, &ch->wfi_event);
		blank(ch, i);
		ppu_event_init(&ch->wfi_event, PPU_EVP_HOST, wfi_again, ch);
		ppu_chan_publish(core, ch);
	}
}

static void io_chan(struct ppu_core *core, struct ppu_io *io, struct ppu_chan *ch, unsigned chid)
{
	uint32_t engine = (uint32_t)ch->engine;

	ppu_io_u64(io, &ch->inst);
	ppu_io_u64(io, &ch->ring_va);
	ppu_io_u64(io, &ch->shadow_va);
	ppu_io_u32(io, &ch->entries);
	ppu_io_u32(io, &ch->cls);
	ppu_io_u32(io, &ch->priority);
	ppu_io_u32(io, &ch->timeslice);
	ppu_io_u32(io, &ch->engine_mask);
	ppu_io_u32(io, &ch->flags);
	ppu_io_bool(io, &ch->enabled);
	ppu_io_u8(io, &ch->paused);
	if (io->version >= 10)
		ppu_io_u32(io, &ch->group);
	ppu_io_bool(io, &ch->stopped);
	ppu_io_u8(io, &ch->state);
	ppu_io_u8(io, &ch->where);
	ppu_io_u32(io, &ch->error);
	ppu_io_u32(io, &ch->error_get);
	ppu_io_u64(io, &ch->error_va);
	ppu_io_ctx(core, io, &ch->ctx);
	ppu_io_u32(io, &ch->get);
	ppu_io_u32(io, &ch->put);
	ppu_io_u64(io, &ch->getabs);
	ppu_io_u64(io, &ch->refresh_abs);
	ppu_io_bool(io, &ch->ring_low);
	ppu_io_bool(io, &ch->have_entry);
	ppu_io_u64(io, &ch->blk_va);
	ppu_io_u32(io, &ch->blk_words);
	ppu_io_u32(io, &ch->pos);
	ppu_io_u8(io, &ch->op_class);
	ppu_io_u8(io, &ch->op_words);
	ppu_io_u64(io, &ch->tmd_va);
	ppu_copy_io(io, &ch->copy);
	ppu_io_u64(io, &ch->op_start);
	ppu_io_u32(io, &ch->num_gates);
	if (ch->num_gates > PPU_MAX_GATES) {
		ppu_io_fail(io, "channel %u: too many gates", chid);
		ch->num_gates = 0;
	}
	for (unsigned i = 0; i < ch->num_gates; i++) {
		ppu_io_u64(io, &ch->gates[i].va);
		ppu_io_u64(io, &ch->gates[i].value);
		ppu_io_u8(io, &ch->gates[i].op);
		ppu_io_u8(io, &ch->gates[i].is32);
	}
	ppu_io_bool(io, &ch->blocked);
	ppu_io_u8(io, &ch->block_reason);
	ppu_io_u64(io, &ch->block_va);
	ppu_io_u64(io, &ch->block_value);
	ppu_io_u32(io, &engine);
	ch->engine = (int32_t)engine;
	ppu_io_u8(io, &ch->run_class);
	ppu_io_u64(io, &ch->stamp);
	ppu_io_u64(io, &ch->runtime);
	ppu_io_u64(io, &ch->copies);
	ppu_io_u32(io, &ch->slices);
	ppu_io_u32(io, &ch->preempts);
	ppu_io_u32(io, &ch->cookie);
	ppu_io_event(core, io, &ch->wfi_event);
	ch->waiter.ctx = ch->ctx;
	ppu_sem_io_waiter(core, io, &ch->waiter);
	if (!io->loading || io->failed)
		return;
	if (ch->enabled != (ch->ctx != NULL) || ch->enabled != (ch->state != CH_OFF) ||
	    (ch->enabled && (ch->inst != ch->ctx->inst || config_error(core, ch, ch->ctx))) ||
	    ch->paused > (PPU_PAUSED_SELF | PPU_PAUSED_GROUP) ||
	    (ch->paused && !ch->enabled) || (ch->paused & PPU_PAUSED_GROUP && !ch->group) ||
	    ch->state >= CH_STATES || ch->where >= CH_WHERES ||
	    ch->have_entry != (ch->blk_words != 0) || ch->blk_words > PPU_BLOCK_MAX_WORDS ||
	    ch->pos > ch->blk_words || ch->op_class > PPU_CLASS_COPY ||
	    ch->run_class > PPU_CLASS_COPY || (ch->state == CH_SEM) != (ch->waiter.word != NULL) ||
	    ch->engine < -1 || ch->engine > (int32_t)core->cfg.copy_engines ||
	    ((ch->state == CH_ENGINE || ch->state == CH_BUSY) && !ch->op_class)) {
		ppu_io_fail(io, "channel %u is not in a possible state", chid);
		return;
	}
	if (ch->ctx)
		ch->ctx->host->num_channels++;
	ch->copy.chid = chid;
}

void ppu_chans_io(struct ppu_core *core, struct ppu_io *io)
{
	for (unsigned i = 0; i < core->cfg.channels && !io->failed; i++) {
		/* A channel that was never touched is saved as one byte. */
		struct ppu_chan *ch = ppu_chan(core, i), untouched;
		bool used;

		blank(&untouched, i);
		untouched.wfi_event = ch->wfi_event;
		used = ch->enabled || memcmp(ch, &untouched, sizeof(untouched));
		ppu_io_bool(io, &used);
		if (used)
			io_chan(core, io, ch, i);
		if (io->loading)
			ppu_chan_publish(core, ch);
	}
}
