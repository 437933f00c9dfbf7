/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host interface: fetches ring entries, decodes and executes the commands of a block.
 * Documentation/hw/channels.md and commands.md.
 *
 * One step (a fetch or a command) is one event.  Commands are read from memory when they are
 * reached, not when the entry is fetched, so a block may be changed up to then; a command that had to
 * wait is read again when the channel goes on.  Nothing the guest writes can make a step long.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/intr.h"
#include "core/base/trace.h"
#include "core/host/hostif.h"
#include "core/host/hostsched.h"
#include "core/memory/mmu.h"
#include "core/tasks/tmu.h"

#define MAX_OPERANDS 10

static const struct command {
	uint16_t flags;
	uint8_t size, classes;
	bool exists;
} commands[256] = {
#define C(name, op, size_, flags_, classes_, doc) \
	[op] = { .flags = flags_, .size = size_, .classes = classes_, .exists = true },
	PPU_CMDS(C)
#undef C
};

struct decoded {
	uint64_t va;
	uint32_t op, words, flags;
	uint32_t w[MAX_OPERANDS];
	unsigned access;		/* PPU_XL_PRIV: the command may touch privileged pages */
};

static uint64_t pair(const struct decoded *c, unsigned i)
{
	return c->w[i] | (uint64_t)c->w[i + 1] << 32;
}

/* The error for an address, given by the guest, that could not be used. */
static unsigned fault_code(int mmu_err, unsigned code)
{
	return mmu_err == PPU_ERR_SM_DMA ? PPU_ERR_DMA_FAULT : code;
}

/* ---- blocking ------------------------------------------------------------------------------------ */

void ppu_hostif_block(struct ppu_core *core, struct ppu_chan *ch, unsigned reason, uint64_t va,
		      uint64_t value)
{
	if (ch->blocked && ch->block_reason == reason && ch->block_va == va &&
	    ch->block_value == value)
		return;
	ppu_hostif_unblock(core, ch);
	ch->blocked = true;
	ch->block_reason = (uint8_t)reason;
	ch->block_va = va;
	ch->block_value = value;
	PPU_TRACE(core, BLOCK, ppu_chid(core, ch), reason, va, value, 0);
}

void ppu_hostif_unblock(struct ppu_core *core, struct ppu_chan *ch)
{
	if (!ch->blocked)
		return;
	ch->blocked = false;
	PPU_TRACE(core, UNBLOCK, ppu_chid(core, ch), ch->block_reason, ch->block_va,
		  ch->block_value, 0);
}

/* ---- semaphores ------------------------------------------------------------------------------------ */

/* Translates a semaphore word; alignment makes it lie in one page. */
static int sem_word(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, unsigned bytes,
		    unsigned acc, unsigned flags, struct ppu_xlat *x)
{
	int err;

	if (va % bytes)
		return PPU_ERR_SEM_ALIGN;
	err = ppu_mmu_lookup(core, ch->ctx, va, acc, flags, x);
	if (err)
		return (int)fault_code(err, PPU_ERR_SEM_FAULT);
	return x->len < bytes ? PPU_ERR_SEM_FAULT : 0;
}

int ppu_hostif_sem_read(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, bool is32,
			unsigned flags, uint64_t *value, struct ppu_phys *p)
{
	struct ppu_xlat x;
	int err = sem_word(core, ch, va, is32 ? 4 : 8, PPU_ACC_READ, flags, &x);

	if (err)
		return err;
	*p = x.phys;
	*value = is32 ? __atomic_load_n((uint32_t *)x.host, __ATOMIC_ACQUIRE)
		      : __atomic_load_n((uint64_t *)x.host, __ATOMIC_ACQUIRE);
	return 0;
}

enum sem_write { SEM_SET, SEM_ADD };

static int sem_write(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, bool is32,
		     unsigned flags, enum sem_write how, uint64_t v)
{
	unsigned bytes = is32 ? 4 : 8;
	struct ppu_xlat x;
	uint64_t old;
	int err = sem_word(core, ch, va, bytes, PPU_ACC_WRITE, flags, &x);

	if (err)
		return err;
	if (is32) {
		uint32_t *host = (uint32_t *)x.host;

		v = (uint32_t)v;
		old = how == SEM_SET ? __atomic_exchange_n(host, (uint32_t)v, __ATOMIC_ACQ_REL)
				     : __atomic_fetch_add(host, (uint32_t)v, __ATOMIC_ACQ_REL);
		if (how == SEM_ADD)
			v = (uint32_t)(old + v);
	} else {
		uint64_t *host = (uint64_t *)x.host;

		old = how == SEM_SET ? __atomic_exchange_n(host, v, __ATOMIC_ACQ_REL)
				     : __atomic_fetch_add(host, v, __ATOMIC_ACQ_REL);
		if (how == SEM_ADD)
			v += old;
	}
	ppu_mem_dirty(core, x.phys, bytes);
	PPU_TRACE(core, SEM_WRITE, ppu_chid(core, ch), PPU_TRW_COMMAND, va, old, v);
	ppu_sem_written(core, x.phys, bytes, PPU_TRW_COMMAND, ppu_chid(core, ch));
	return 0;
}

/* Writes a timestamp.  A timestamp is not a semaphore by itself, but somebody may wait for its word. */
static int put_time(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, unsigned flags)
{
	struct ppu_xlat x;
	int err = sem_word(core, ch, va, 8, PPU_ACC_WRITE, flags, &x);

	if (err)
		return err;
	__atomic_store_n((uint64_t *)x.host, core->now, __ATOMIC_RELEASE);
	ppu_mem_dirty(core, x.phys, 8);
	ppu_sem_written(core, x.phys, 8, PPU_TRW_COMMAND, ppu_chid(core, ch));
	return 0;
}

/* ---- ring -------------------------------------------------------------------------------------------- */

bool ppu_hostif_refresh(struct ppu_core *core, struct ppu_chan *ch)
{
	uint64_t shadow = ch->getabs + ch->entries - 1;
	unsigned chid = ppu_chid(core, ch);
	int err;

	ch->put = ch->get ? ch->get - 1 : ch->entries - 1;
	ch->refresh_abs = ch->getabs;
	ch->ring_low = false;
	PPU_TRACE(core, DOORBELL, chid, ch->put, ch->get, 0, 0);
	if (ch->shadow_va) {
		err = ppu_mmu_store(core, ch->ctx, ch->shadow_va, &shadow, 8, 0, PPU_TRW_COMMAND,
				    chid);
		if (err) {
			ppu_chan_error(core, chid, fault_code(err, PPU_ERR_SEM_FAULT),
				       ch->shadow_va);
			return false;
		}
	}
	ppu_chan_publish(core, ch);
	return true;
}

/* A command or the driver asks for a refresh.  False: there is nothing to refresh, the channel is no
 * enabled device-owned queue. */
bool ppu_hostif_refresh_queue(struct ppu_core *core, struct ppu_chan *ch)
{
	if (!ch->enabled || ch->cls != PPU_CLASS_DEVQ)
		return false;
	if (ppu_hostif_refresh(core, ch) && ch->state == CH_IDLE && ppu_chan_has_work(ch))
		ppu_sched_ready(core, ch);
	return true;
}

/*
 * WQ-56, the lap stamp of debug mode: what stands in an entry was written since the host interface left it, that is in
 * this lap.  Threads may write it again only after GET has moved.
 */
static bool erase_entry(struct ppu_core *core, struct ppu_chan *ch)
{
	const uint64_t none[sizeof(struct ppu_gpfifo_entry) / 8] = { 0 };
	uint64_t va = ch->ring_va + (uint64_t)ch->get * sizeof(none);
	unsigned chid = ppu_chid(core, ch);
	int err = ppu_mmu_store(core, ch->ctx, va, none, sizeof(none), PPU_XL_PRIV, PPU_TRW_COMMAND, chid);

	if (err)
		ppu_chan_error(core, chid, fault_code(err, PPU_ERR_RING_FAULT), va);
	return !err;
}

/* The entry at GET is complete. */
static void advance(struct ppu_core *core, struct ppu_chan *ch)
{
	unsigned chid = ppu_chid(core, ch);

	if (core->cfg.devq_laps && ch->cls == PPU_CLASS_DEVQ && !erase_entry(core, ch))
		return;
	ch->have_entry = false;
	ch->blk_va = 0;
	ch->blk_words = ch->pos = 0;
	ch->get = ch->get + 1 == ch->entries ? 0 : ch->get + 1;
	ch->getabs++;
	PPU_TRACE(core, GET, chid, ch->get, 0, 0, 0);
	ppu_chan_publish(core, ch);
	if (ch->cls == PPU_CLASS_DEVQ) {
		if (ch->flags & PPU_CHF_AUTO_REFRESH) {
			if (!ppu_hostif_refresh(core, ch))
				return;
		} else if (!ch->ring_low && ch->getabs - ch->refresh_abs >= ch->entries / 2) {
			ch->ring_low = true;
			ppu_intr_bit(core, PPU_BM_RINGLOW, chid);
		}
	}
	if (ch->get == ch->put)
		PPU_TRACE(core, EMPTY, chid, ch->get, 0, 0, 0);
}

bool ppu_hostif_command_done(struct ppu_core *core, struct ppu_chan *ch, uint32_t words)
{
	ch->pos += words;
	if (ch->pos >= ch->blk_words)
		advance(core, ch);
	return ch->enabled && ppu_chan_has_work(ch);
}

/* Fetches the entry at GET.  Returns 0, or PPU_ERR_* with the address at fault in *va. */
static unsigned fetch(struct ppu_core *core, struct ppu_chan *ch, uint64_t *va)
{
	struct ppu_gpfifo_entry e;
	struct ppu_xlat x;
	int err;

	*va = ch->ring_va + (uint64_t)ch->get * sizeof(e);
	err = ppu_mmu_lookup(core, ch->ctx, *va, PPU_ACC_READ, PPU_XL_PRIV, &x);
	if (err)
		return fault_code(err, PPU_ERR_RING_FAULT);
	if (x.len < sizeof(e))
		return PPU_ERR_RING_FAULT;
	memcpy(&e, x.host, sizeof(e));
	if (!e.va || !e.length)
		return PPU_ERR_NULL_ENTRY;
	*va = e.va;
	if (e.flags || e.length > PPU_BLOCK_MAX_WORDS || e.va % 4 || e.va >= PPU_VA_KERNEL_END ||
	    e.length > (PPU_VA_KERNEL_END - e.va) / 4)
		return PPU_ERR_BAD_ENTRY;
	ch->have_entry = true;
	ch->blk_va = e.va;
	ch->blk_words = e.length;
	ch->pos = 0;
	core->ctr[PPU_CTR_ENTRIES]++;
	PPU_TRACE(core, ENTRY, ppu_chid(core, ch), ch->get, e.va, e.length, 0);
	return 0;
}

/* ---- commands ------------------------------------------------------------------------------------------ */

static unsigned read_words(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, uint32_t *w,
			   unsigned n, unsigned flags, uint64_t *pte, uint64_t *bad)
{
	uint8_t *b = (uint8_t *)w;
	uint64_t left = n * 4ull;

	while (left) {
		struct ppu_xlat x;
		int err = ppu_mmu_lookup(core, ch->ctx, va, PPU_ACC_READ, flags, &x);
		uint64_t part;

		if (err) {
			*bad = va;
			return fault_code(err, PPU_ERR_BLOCK_FAULT);
		}
		if (pte)
			*pte = x.pte;
		part = x.len < left ? x.len : left;
		memcpy(b, x.host, part);
		b += part;
		va += part;
		left -= part;
	}
	return 0;
}

/*
 * Kernel-submit channels may fetch blocks from PPU_PTE_PRIV pages, and the commands of such a block
 * may touch such pages: that is how a driver writes fences that its users cannot.
 */
static unsigned decode(struct ppu_core *core, struct ppu_chan *ch, struct decoded *c, uint64_t *bad)
{
	unsigned flags = ch->flags & PPU_CHF_KERNEL_SUBMIT ? PPU_XL_PRIV : 0, err;
	const struct command *k;
	uint32_t head;
	uint64_t pte = 0;

	c->va = ch->blk_va + ch->pos * 4ull;
	err = read_words(core, ch, c->va, &head, 1, flags, &pte, bad);
	if (err)
		return err;
	*bad = c->va;
	c->op = PPU_CMD_OP(head);
	c->words = PPU_CMD_SIZE(head);
	c->flags = PPU_CMD_FLAGS(head);
	c->access = pte & PPU_PTE_PRIV ? flags : 0;
	k = &commands[c->op];
	if (!k->exists)
		return PPU_ERR_BAD_OPCODE;
	if (!c->words || (k->size && c->words != k->size) || c->words > ch->blk_words - ch->pos)
		return PPU_ERR_BAD_SIZE;
	if (c->flags & ~(uint32_t)k->flags)
		return PPU_ERR_BAD_FLAGS;
	if (!(k->classes & 1u << ch->cls))
		return PPU_ERR_WRONG_CLASS;
	memset(c->w, 0, sizeof(c->w));
	if (k->size > 1)
		return read_words(core, ch, c->va + 4, c->w, k->size - 1u, c->access, NULL, bad);
	return 0;
}

/* Rejects sizes that make no sense, and everything that could overflow later. */
static unsigned check_copy(const struct ppu_copy *c)
{
	const uint64_t end = 1ull << PPU_VA_BITS;
	bool fill = c->op == PPU_CMD_FILL || c->op == PPU_CMD_FILL_2D;
	uint64_t size = 1ull << c->elem_log2;

	if (c->rows > 1 && (c->dst_pitch < c->width || (!fill && c->src_pitch < c->width)))
		return PPU_ERR_COPY_ARGS;
	if (c->width > end || c->dst > end || c->src > end || c->dst_pitch > end ||
	    c->src_pitch > end)
		return PPU_ERR_COPY_ARGS;
	/* rows < 2^32 and pitch <= 2^48: compare by division */
	if (c->width && c->rows) {
		if (c->dst + c->width > end || (!fill && c->src + c->width > end))
			return PPU_ERR_COPY_ARGS;
		if (c->rows > 1 && (c->rows - 1 > (end - c->width - c->dst) / c->dst_pitch ||
				    (!fill && c->rows - 1 > (end - c->width - c->src) / c->src_pitch)))
			return PPU_ERR_COPY_ARGS;
	}
	if (fill && (c->dst % size || (c->rows > 1 && c->dst_pitch % size)))
		return PPU_ERR_COPY_ARGS;
	return 0;
}

/* Latches an engine command in the channel. */
static unsigned latch(struct ppu_chan *ch, const struct decoded *c)
{
	struct ppu_copy *k = &ch->copy;

	ch->op_words = (uint8_t)c->words;
	if (c->op == PPU_CMD_LAUNCH) {
		ch->op_class = PPU_CLASS_COMPUTE;
		ch->tmd_va = pair(c, 0);
		return 0;
	}
	ch->op_class = PPU_CLASS_COPY;
	memset(k, 0, sizeof(*k));
	k->chid = ch->waiter.id;
	k->op = (uint8_t)c->op;
	k->rows = 1;
	switch (c->op) {
	case PPU_CMD_COPY:
		k->src = pair(c, 0);
		k->dst = pair(c, 2);
		k->width = pair(c, 4);
		break;
	case PPU_CMD_COPY_2D:
		k->src = pair(c, 0);
		k->dst = pair(c, 2);
		k->src_pitch = pair(c, 4);
		k->dst_pitch = pair(c, 6);
		k->width = c->w[8];
		k->rows = c->w[9];
		break;
	case PPU_CMD_FILL:
	case PPU_CMD_FILL_2D:
		k->elem_log2 = c->flags & PPU_CMDF_FILL_SIZE_MASK;
		if (k->elem_log2 > 3)
			return PPU_ERR_COPY_ARGS;
		k->dst = pair(c, 0);
		if (c->op == PPU_CMD_FILL) {
			k->value = pair(c, 2);
			k->width = pair(c, 4);
		} else {
			k->dst_pitch = pair(c, 2);
			k->value = pair(c, 4);
			k->width = c->w[6];
			k->rows = c->w[7];
		}
		if (k->width > 1ull << PPU_VA_BITS)
			return PPU_ERR_COPY_ARGS;
		k->width <<= k->elem_log2;
		break;
	}
	return check_copy(k);
}

static void trace_cmd(struct ppu_core *core, struct ppu_chan *ch, const struct decoded *c)
{
	core->ctr[PPU_CTR_HOST_CMDS]++;
	PPU_TRACE(core, CMD, ppu_chid(core, ch), ch->get, c->op, pair(c, 0), pair(c, 2));
}

enum outcome { DONE, HELD };

static unsigned acquire(struct ppu_core *core, struct ppu_chan *ch, const struct decoded *c,
			enum outcome *out)
{
	bool is32 = c->flags & PPU_CMDF_SEM_32;
	unsigned op = c->flags & PPU_CMDF_SEM_OP_MASK;
	uint64_t va = pair(c, 0), value = pair(c, 2), word;
	struct ppu_phys p;
	int err;

	if (op > PPU_SEM_OP_MAX)
		return PPU_ERR_BAD_FLAGS;
	if (ch->flags & PPU_CHF_KERNEL_SUBMIT)
		return PPU_ERR_ACQUIRE_DENIED;
	err = ppu_hostif_sem_read(core, ch, va, is32, c->access, &word, &p);
	if (err)
		return (unsigned)err;
	if (!ppu_sem_compare(op, word, value, is32)) {
		ch->waiter.ctx = ch->ctx;
		ch->waiter.op = (uint8_t)op;
		ch->waiter.is32 = is32;
		ch->waiter.value = value;
		if (ppu_sem_wait(core, &ch->waiter, p, va)) {
			ppu_hostif_block(core, ch, PPU_TRB_ACQUIRE, va, value);
			ppu_sched_release(core, ch);
			ppu_chan_set_state(core, ch, CH_SEM);
			*out = HELD;
			return 0;
		}
	}
	if (c->flags & PPU_CMDF_SEM_GATE) {
		if (ch->num_gates == PPU_MAX_GATES)
			return PPU_ERR_RUN_LIMIT;
		ch->gates[ch->num_gates++] = (struct ppu_gate){ va, value, (uint8_t)op, is32 };
	}
	return 0;
}

static unsigned refresh_command(struct ppu_core *core, struct ppu_chan *ch, uint32_t chid)
{
	struct ppu_chan *queue = chid < core->cfg.channels ? ppu_chan(core, chid) : NULL;

	if (!queue || queue->ctx != ch->ctx || !ppu_hostif_refresh_queue(core, queue))
		return PPU_ERR_BAD_QUEUE;
	return 0;
}

/* Executes a decoded command.  Returns 0, or PPU_ERR_* with the address at fault in *bad. */
static unsigned execute(struct ppu_core *core, struct ppu_chan *ch, const struct decoded *c,
			enum outcome *out, uint64_t *bad)
{
	bool is32 = c->flags & PPU_CMDF_SEM_32;
	unsigned chid = ppu_chid(core, ch), err = 0;
	uint64_t when;

	*out = DONE;
	switch ((enum ppu_cmd)c->op) {	/* no default: the compiler names a command that is missing */
	case PPU_CMD_NOP:
	case PPU_CMD_MEMBAR:	/* the host's writes are in order, and the engines have finished theirs */
		break;
	case PPU_CMD_SEM_ACQUIRE:
	case PPU_CMD_SEM_RELEASE:
	case PPU_CMD_SEM_INC:
	case PPU_CMD_SEM_DEC:
		*bad = pair(c, 0);
		core->ctr[PPU_CTR_SEM_OPS]++;
		if (c->op == PPU_CMD_SEM_ACQUIRE) {
			err = acquire(core, ch, c, out);
			break;
		}
		if (c->op != PPU_CMD_SEM_RELEASE) {
			err = (unsigned)sem_write(core, ch, *bad, is32, c->access, SEM_ADD,
						  c->op == PPU_CMD_SEM_INC ? 1 : ~0ull);
			break;
		}
		/* Write the time first: whoever sees the value then also sees the time. */
		if (c->flags & PPU_CMDF_SEM_TIME)
			err = *bad % 8 ? PPU_ERR_SEM_ALIGN
				       : (unsigned)put_time(core, ch, *bad + 8, c->access);
		if (!err)
			err = (unsigned)sem_write(core, ch, *bad, is32, c->access, SEM_SET,
						  pair(c, 2));
		break;
	case PPU_CMD_TIMESTAMP:
		*bad = pair(c, 0);
		err = (unsigned)put_time(core, ch, *bad, c->access);
		break;
	case PPU_CMD_WFI:
		if (ppu_tmu_channel_idle(core, chid, &when))
			break;
		if (when != PPU_TIME_NEVER)
			ppu_event_schedule(core, &ch->wfi_event, when);
		ppu_hostif_block(core, ch, PPU_TRB_WFI, 0, 0);
		ppu_sched_release(core, ch);
		ppu_chan_set_state(core, ch, CH_WFI);
		*out = HELD;
		break;
	case PPU_CMD_INTR:
		ch->cookie = c->w[0];
		ppu_intr_bit(core, PPU_BM_CHINTR, chid);
		break;
	case PPU_CMD_QUEUE_REFRESH:
		err = refresh_command(core, ch, c->w[0]);
		break;
	case PPU_CMD_LAUNCH:	/* commands for an engine */
	case PPU_CMD_COPY:
	case PPU_CMD_COPY_2D:
	case PPU_CMD_FILL:
	case PPU_CMD_FILL_2D:
		err = latch(ch, c);
		if (err)
			break;
		ppu_sched_reached_engine(core, ch);
		*out = HELD;
		return 0;
	}
	if (err || *out == HELD)
		return err;
	ppu_hostif_unblock(core, ch);
	trace_cmd(core, ch, c);
	return 0;
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

/* The host is busy for another `cost` ns, then looks for the next channel. */
void ppu_hostif_end_run(struct ppu_core *core, uint64_t cost)
{
	struct ppu_host *h = core->host;
	struct ppu_chan *ch = ppu_chan(core, h->run);
	struct ppu_ctx *ctx = ch->ctx;

	h->run = PPU_NO_CH;
	h->run_count = 0;
	h->free_at = core->now + cost;
	ppu_event_schedule(core, &h->event, h->free_at);
	ppu_chan_publish(core, ch);
	ppu_sched_run_ended(core, ctx);
	ppu_sem_flush(core);
}

static void step(struct ppu_core *core)
{
	struct ppu_host *h = core->host;
	struct ppu_chan *ch = ppu_chan(core, h->run);
	unsigned chid = ppu_chid(core, ch), err;
	enum outcome out = DONE;
	uint64_t cost, bad = 0;
	struct decoded c;

	if (ch->paused || h->run_count >= core->cfg.run_limit) {
		ppu_hostif_end_run(core, 0);
		ppu_sched_ready(core, ch);
		return;
	}
	h->run_count++;
	if (!ch->have_entry) {
		cost = core->cfg.cost_fetch_ns;
		err = fetch(core, ch, &bad);
	} else {
		cost = core->cfg.cost_cmd_ns;
		err = decode(core, ch, &c, &bad);
		if (!err)
			err = execute(core, ch, &c, &out, &bad);
		/* The command itself may have stopped its channel (QUEUE_REFRESH of its own queue). */
		if (!ch->enabled)
			return;
		if (!err && out == DONE && !ppu_hostif_command_done(core, ch, c.words)) {
			ch->runtime += cost;
			if (!ch->enabled)
				return;
			ppu_sched_release(core, ch);
			ppu_chan_set_state(core, ch, CH_IDLE);
			ppu_hostif_end_run(core, cost);
			return;
		}
	}
	ch->runtime += cost;
	if (err)
		ppu_chan_error(core, chid, err, bad);	/* ends the run */
	else if (out == HELD)
		ppu_hostif_end_run(core, cost);
	else
		ppu_event_schedule(core, &h->event, core->now + cost);
}

void ppu_hostif_event(struct ppu_core *core, void *arg)
{
	struct ppu_host *h = core->host;
	struct ppu_chan *ch;

	(void)arg;
	if (h->run == PPU_NO_CH) {
		if (h->paused)
			return;
		switch (ppu_sched_pass(core)) {
		case PPU_SCHED_LATER:
			ppu_event_schedule(core, &h->event, core->now);
			return;
		case PPU_SCHED_AGAIN:
			ppu_event_again(core, &h->event);
			return;
		case PPU_SCHED_DONE:
			break;
		}
		ch = ppu_sched_pick(core);
		if (!ch)
			return;
		h->run = ppu_chid(core, ch);
		h->run_count = 0;
		ppu_chan_publish(core, ch);
		if (h->last != h->run && core->cfg.cost_switch_ns) {
			h->last = h->run;
			ppu_event_schedule(core, &h->event, core->now + core->cfg.cost_switch_ns);
			return;
		}
		h->last = h->run;
	}
	step(core);
}
