/* SPDX-License-Identifier: MIT */
/*
 * Device-owned queues as the host's backend sets them up (tests/conformance/test_devq.c tests the kernel driver):
 * WQ-12, WQ-23, WQ-24, WQ-27..WQ-34, WQ-38, WQ-53..WQ-55, WQ-59, WQ-62, WQ-70.  SEM_RELEASE commands of the CPU-owned
 * channel make the stores that threads would make: each stores eight bytes, so that a whole insertion can be queued.
 */
#include <assert.h>
#define PPU_WRAP_ASSERT(holds)	assert(holds)
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include <backend/core/core.h>
#include "run_suite.h"

#define CODE_VA		0x10000000ull
#define CODE_BYTES	(4u << 20)
#define LOG_VA		0x20000000ull
#define LOG_BYTES	(64u << 10)
#define C_ENTRIES	1024u

static const struct be_ops *const be = &ppu_be_core;

/* A VM, a CPU-owned channel and a queue. */
struct world {
	struct be_dev *dev;
	struct be_vm *vm;
	struct be_chan *c;
	struct be_bo *code, *log;
	uint32_t *words;		/* of code */
	uint64_t *out;			/* of log; word 0: what sem_wait() waits for */
	struct be_sem *done;
	unsigned used, put;		/* words, entries of c */
	struct be_devq q;
	uint64_t soft;			/* what threads have reserved */
	unsigned launches;
};

static struct be_bo *make_bo(struct world *w, uint64_t bytes, uint64_t va, void **map)
{
	struct be_bo *bo;

	ck_assert_int_eq(be->bo_alloc(w->vm, bytes, BE_SYSTEM, &bo), 0);
	ck_assert_int_eq(be->bo_map(bo, NULL, map), 0);
	ck_assert_int_eq(be->bind(w->vm, bo, va, bytes, 0), 0);
	return bo;
}

static void world_vm(struct world *w)
{
	const uint32_t limits[BE_VM_LIMITS] = { [BE_VM_LOCAL] = 16, [BE_VM_DEPTH] = 1 };

	ck_assert_int_eq(be->vm_create(w->dev, limits, &w->vm), 0);
	ck_assert_int_eq(be->chan_create(w->vm, PPU_CLASS_COMPUTE, C_ENTRIES, 0, &w->c), 0);
	w->code = make_bo(w, CODE_BYTES, CODE_VA, (void **)&w->words);
	w->log = make_bo(w, LOG_BYTES, LOG_VA, (void **)&w->out);
	ck_assert_int_eq(be->sem_create(w->vm, w->log, 0, &w->done), 0);
}

static struct world world(const char *props)
{
	ppuInitOptions opt = { .props = props };
	struct world w = { 0 };
	char *err;

	ck_assert_int_eq(be->open(&opt, 0, &w.dev, &err), 0);
	world_vm(&w);
	return w;
}

static void world_vm_free(struct world *w)
{
	if (w->q.chan)
		be->chan_free(w->q.chan);
	be->chan_free(w->c);
	be->sem_destroy(w->done);
	munmap(w->words, CODE_BYTES);
	munmap(w->out, LOG_BYTES);
	be->unbind(w->vm, CODE_VA, CODE_BYTES);
	be->unbind(w->vm, LOG_VA, LOG_BYTES);
	be->bo_free(w->code);
	be->bo_free(w->log);
	be->vm_destroy(w->vm);
}

static void world_free(struct world *w)
{
	world_vm_free(w);
	be->close(w->dev);
}

static void queue(struct world *w, uint32_t entries, uint32_t get, unsigned flags)
{
	const struct be_devq_args args = {
		.entries = entries, .initial_get = get, .flags = flags, .owner = w->c,
	};

	ck_assert_int_eq(be->devq_create(w->vm, &args, &w->q), 0);
	w->soft = get + 1;
}

static uint64_t at(const struct world *w, uint64_t va)
{
	return *(volatile uint64_t *)((char *)w->q.cpu + (va - w->q.ring_va));
}

static uint32_t reg(const struct world *w, const struct be_chan *c, uint32_t r)
{
	return rd(w->dev, chcfg((const struct core_chan *)c, r));
}

static uint64_t counter(struct world *w, unsigned which)
{
	uint64_t all[PPU_CTR_COUNT];

	ck_assert_int_eq(be->counters(w->dev, PPU_CTR_COUNT, all), 0);
	return all[which];
}

static void settle(struct world *w)
{
	uint64_t next;

	ppu_bc_lock(w->dev);
	while ((next = ppu_core_next_event(w->dev->core)) != PPU_TIME_NEVER)
		ppu_core_run(w->dev->core, next);
	ppu_bc_unlock(w->dev);
}

/* ---- commands ------------------------------------------------------------------------------------ */

static void word(struct world *w, uint32_t v)
{
	ck_assert_uint_lt(w->used, CODE_BYTES / 4);
	w->words[w->used++] = v;
}

static void word64(struct world *w, uint64_t v)
{
	word(w, (uint32_t)v);
	word(w, (uint32_t)(v >> 32));
}

static void sem(struct world *w, unsigned op, uint64_t va, uint64_t value)
{
	word(w, PPU_CMD_HDR(op, PPU_CMD_SIZE_SEM_ACQUIRE, 0));
	word64(w, va);
	word64(w, value);
}

static void release(struct world *w, uint64_t va, uint64_t value)
{
	sem(w, PPU_CMD_SEM_RELEASE, va, value);
}

static void acquire(struct world *w, uint64_t va, uint64_t value)
{
	sem(w, PPU_CMD_SEM_ACQUIRE, va, value);
}

static void wfi(struct world *w)
{
	word(w, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0));
}

static void refresh(struct world *w, uint32_t chid)
{
	word(w, PPU_CMD_HDR(PPU_CMD_QUEUE_REFRESH, PPU_CMD_SIZE_QUEUE_REFRESH, 0));
	word(w, chid);
}

static void copy(struct world *w, uint64_t src, uint64_t dst, uint64_t bytes)
{
	word(w, PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0));
	word64(w, src);
	word64(w, dst);
	word64(w, bytes);
}

/* The words since `from` are a block of c's next entry. */
static void push(struct world *w, unsigned from)
{
	w->c->ring[w->put].va = CODE_VA + 4 * from;
	w->c->ring[w->put].length = w->used - from;
	w->c->ring[w->put].flags = 0;
	w->put = (w->put + 1) % C_ENTRIES;
}

static void submit(struct world *w)
{
	be->chan_put(w->c, w->put);
}

static int wait_done(struct world *w, uint64_t value)
{
	const struct be_limits lim = { .device_ns = UINT64_MAX, .host_ns = UINT64_MAX };

	return be->sem_wait(w->done, &w->out[0], value, &lim, w->c, BE_WATCH_CHAN);
}

/* ---- insertion, as commands ----------------------------------------------------------------------- */

struct block {
	uint64_t va;
	uint32_t words;
};

/* The words since `from` are a block of the queue's. */
static struct block block(const struct world *w, unsigned from)
{
	return (struct block){ CODE_VA + 4 * from, w->used - from };
}

static void put_entry(struct world *w, uint64_t counter, struct block b)
{
	uint64_t va = w->q.ring_va + counter % w->q.chan->entries * sizeof(struct ppu_gpfifo_entry);

	release(w, va, b.va);
	release(w, va + 8, b.words);
}

static uint64_t element(const struct world *w, uint64_t counter)
{
	return w->q.sem_va + counter % w->q.chan->entries * 8;
}

static uint64_t lap(const struct world *w, uint64_t counter)
{
	return counter / w->q.chan->entries + 1;
}

/* Steps 460 to 466 (WQ-43..WQ-47) for n entries that are written already in `b`. */
static void insert(struct world *w, const struct block *b, unsigned n)
{
	release(w, w->q.soft_va, w->soft + n);
	for (unsigned i = 0; i < n; i++)
		put_entry(w, w->soft + i, b[i]);
	release(w, element(w, w->soft - 1), lap(w, w->soft - 1));
	w->soft += n;
}

/*
 * One nested launch of groups with `sizes` entries (each with its Acquire) and the terminator: its
 * blocks first, then the entries of c.  The first work copies the shadow to out[2 * n], the last counts
 * in out[1].
 */
static void launch(struct world *w, const unsigned *sizes, unsigned groups, bool with_refresh)
{
	struct block b[8][8], term;
	unsigned n = ++w->launches, from;
	uint64_t counter = w->soft;

	for (unsigned g = 0; g < groups; g++) {
		for (unsigned i = 0; i < sizes[g]; i++, counter++) {
			from = w->used;
			if (i + 1 == sizes[g])
				acquire(w, element(w, counter), lap(w, counter));
			else if (!g && !i)
				copy(w, w->q.shadow_va, LOG_VA + 16 * n, 8);
			else
				word(w, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
			b[g][i] = block(w, from);
		}
	}
	from = w->used;
	wfi(w);
	sem(w, PPU_CMD_SEM_RELEASE, LOG_VA + 8, n);
	release(w, w->q.y_va, n);
	acquire(w, w->q.x_va, n + 1);
	term = block(w, from);

	if (with_refresh) {
		from = w->used;
		refresh(w, w->q.chan->hw_channel);
		push(w, from);
	}
	from = w->used;
	for (unsigned g = 0; g < groups; g++)
		insert(w, b[g], sizes[g]);
	insert(w, &term, 1);
	wfi(w);
	release(w, w->q.x_va, n);
	acquire(w, w->q.y_va, n);
	push(w, from);
}

/* ---- set-up ----------------------------------------------------------------------------------------- */

static const uint32_t counts[] = { 3, 5, 6, 7, 8, 13, 64, 100, 4096, 65536 };

/* WQ-23, WQ-24, WQ-27..WQ-34: the contents of the object when the queue is made, for every count and GP_GET. */
START_TEST(initial_state)
{
	struct world w = world(NULL);

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint32_t n = counts[i], gets[] = { 0, n / 2, n - 1 };

		for (unsigned g = 0; g < 3; g++) {
			uint32_t get = gets[g], put = get ? get - 1 : n - 1;
			const uint32_t *blk;
			const struct ppu_gpfifo_entry *e;

			queue(&w, n, get, 0);
			settle(&w);
			/* WQ-31, WQ-30: the entry at GP_GET is one Acquire of X == 1, and the host is at it. */
			e = (const struct ppu_gpfifo_entry *)w.q.cpu + get;
			ck_assert_uint_eq(e->length, PPU_CMD_SIZE_SEM_ACQUIRE);
			ck_assert_uint_eq(e->flags, 0);
			blk = (const uint32_t *)((char *)w.q.cpu + (e->va - w.q.ring_va));
			ck_assert_uint_eq(blk[0], PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, 5, PPU_SEM_OP_EQ));
			ck_assert_uint_eq(blk[1] | (uint64_t)blk[2] << 32, w.q.x_va);
			ck_assert_uint_eq(blk[3] | (uint64_t)blk[4] << 32, 1);
			ck_assert_uint_eq(be->chan_get(w.q.chan), get);
			ck_assert(reg(&w, w.q.chan, PPU_REG_CH_STATUS) & PPU_CHS_SEM_BLOCKED);
			ck_assert_uint_eq(reg(&w, w.q.chan, PPU_REG_CH_BLOCK_VA_LO), (uint32_t)w.q.x_va);
			/* WQ-32: the ring is open; WQ-33, WQ-34: soft is the entry after, shadow that of PUT. */
			ck_assert_uint_eq(reg(&w, w.q.chan, PPU_REG_CH_PUT), put);
			ck_assert_uint_eq(at(&w, w.q.soft_va), get + 1);
			ck_assert_uint_eq(at(&w, w.q.soft_va) % n, (get + 1) % n);
			ck_assert_uint_eq(at(&w, w.q.shadow_va), (uint64_t)get + n - 1);
			ck_assert_uint_eq(at(&w, w.q.shadow_va) % n, put);
			/*
			 * WQ-24, WQ-28: X and Y are zero and are not elements; WQ-23: there is an element for each
			 * entry.
			 */
			ck_assert_uint_eq(at(&w, w.q.x_va), 0);
			ck_assert_uint_eq(at(&w, w.q.y_va), 0);
			ck_assert_uint_ne(w.q.x_va, w.q.y_va);
			ck_assert(w.q.x_va + 16 <= w.q.sem_va || w.q.x_va >= w.q.sem_va + 8ull * n);
			ck_assert(w.q.y_va + 16 <= w.q.sem_va || w.q.y_va >= w.q.sem_va + 8ull * n);
			ck_assert_uint_le(w.q.sem_va + 8ull * n, w.q.ring_va + w.q.size);
			ck_assert(w.q.soft_va >= w.q.ring_va + 16ull * n && w.q.shadow_va > w.q.soft_va);
			/* Nothing else is written: no entry, no element. */
			for (uint32_t k = 0; k < n; k++) {
				ck_assert_uint_eq(at(&w, w.q.sem_va + 8ull * k), 0);
				if (k != get)
					ck_assert_uint_eq(at(&w, w.q.ring_va + 16ull * k) |
							  at(&w, w.q.ring_va + 16ull * k + 8), 0);
			}
			be->chan_free(w.q.chan);
			w.q.chan = NULL;
		}
	}
	world_free(&w);
}
END_TEST

START_TEST(arguments)
{
	struct world w = world("devq-assist=0 ring-max=1024");
	const struct be_devq_args bad[] = {
		{ .entries = 2 }, { .entries = 1025 }, { .entries = 0 }, { .entries = ~0u },
		{ .entries = 8, .initial_get = 8 }, { .entries = 8, .initial_get = ~0u },
		{ .entries = 8, .flags = 2 }, { .entries = 8, .prio = PPU_QUEUE_PRIO_MAX + 1 },
	};
	struct be_devq_args assist = { .entries = 8, .flags = BE_DEVQ_ASSIST };
	uint64_t before, after, total;

	queue(&w, 1024, 0, 0);	/* the VM has the areas that its first tasks need */
	be->chan_free(w.q.chan);
	w.q.chan = NULL;
	be->mem_info(w.dev, &before, &total);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(be->devq_create(w.vm, &bad[i], &w.q), -EINVAL);
	ck_assert_int_eq(be->devq_create(w.vm, &assist, &w.q), -EOPNOTSUPP);
	be->mem_info(w.dev, &after, &total);
	ck_assert_uint_eq(before, after);
	world_free(&w);
}
END_TEST

/* ---- WQ-38 ------------------------------------------------------------------------------------------ */

static struct {
	struct world *w;
	unsigned fail_at, get, steps;
	uint64_t entries;
} between;

static const unsigned order[] = { 405, 406, 408, 410, 412 };

/* A long pause: the device runs as far as it can, and another channel even asks for a refresh of this queue. */
static int pause_between(struct be_vm *vm, unsigned chid, unsigned step)
{
	const struct core_chan c = { .id = chid };
	struct be_dev *dev = vm->dev;
	uint32_t n = 8, put = (between.get + n - 1) % n;

	ck_assert_uint_eq(step, order[between.steps++]);
	ppu_core_run(dev->core, ppu_core_time(dev->core) + 10000000);
	ck_assert_uint_eq(ppu_core_counter(dev->core, PPU_CTR_ENTRIES), between.entries);
	ck_assert_uint_eq(rd(dev, chcfg(&c, PPU_REG_CH_GET)), between.get);
	ck_assert_uint_eq(rd(dev, chcfg(&c, PPU_REG_CH_ERROR)), 0);
	/* The ring is closed until the entry at GP_GET is there. */
	ck_assert_uint_eq(rd(dev, chcfg(&c, PPU_REG_CH_PUT)), step < 410 ? between.get : put);
	wr(dev, chcfg(&c, PPU_REG_CH_CMD), PPU_CH_CMD_REFRESH);
	ck_assert_uint_eq(rd(dev, chcfg(&c, PPU_REG_CH_PUT)), step < 410 ? between.get : put);
	return step == between.fail_at ? -EIO : 0;
}

/* WQ-38 */
START_TEST(stopped_after_each_step)
{
	struct world w = world(NULL);
	uint64_t before, after, total;

	between.w = &w;
	for (unsigned get = 0; get < 8; get++) {
		for (unsigned f = 0; f <= 5; f++) {
			const struct be_devq_args args = { .entries = 8, .initial_get = get };
			unsigned chid;

			ppu_bc_devq_step = NULL;
			queue(&w, 8, get, 0);
			chid = w.q.chan->hw_channel;
			be->chan_free(w.q.chan);
			w.q.chan = NULL;
			settle(&w);
			be->mem_info(w.dev, &before, &total);

			between.get = get;
			between.steps = 0;
			between.fail_at = f < 5 ? order[f] : 0;
			between.entries = counter(&w, PPU_CTR_ENTRIES);
			ppu_bc_devq_step = pause_between;
			if (f < 5) {
				ck_assert_int_eq(be->devq_create(w.vm, &args, &w.q), -EIO);
				ck_assert_uint_eq(between.steps, f + 1);
				be->mem_info(w.dev, &after, &total);
				ck_assert_uint_eq(before, after);
				/* Nothing is left for the next one either. */
				between.fail_at = between.steps = 0;
			}
			ck_assert_int_eq(be->devq_create(w.vm, &args, &w.q), 0);
			ppu_bc_devq_step = NULL;
			ck_assert_uint_eq(w.q.chan->hw_channel, chid);
			settle(&w);
			/* One entry was fetched: the one that waits for X. */
			ck_assert_uint_eq(counter(&w, PPU_CTR_ENTRIES), between.entries + 1);
			ck_assert_uint_eq(be->chan_get(w.q.chan), get);
			ck_assert(reg(&w, w.q.chan, PPU_REG_CH_STATUS) & PPU_CHS_SEM_BLOCKED);
			ck_assert_uint_eq(reg(&w, w.q.chan, PPU_REG_CH_BLOCK_VA_LO), (uint32_t)w.q.x_va);
			be->chan_free(w.q.chan);
			w.q.chan = NULL;
		}
	}
	world_free(&w);
}
END_TEST

/* ---- refresh ---------------------------------------------------------------------------------------- */

static const unsigned two_groups[] = { 2, 3 };	/* with the terminator 6 entries */

/* WQ-59, WQ-70: 100 launches of 6 entries on a ring of 8, all queued before the first one runs. */
START_TEST(hundred_queued)
{
	for (unsigned count = 8; count < 11; count++) {
		struct world w = world(NULL);
		unsigned from = 0;

		queue(&w, count, 0, 0);
		/* Only the command refreshes. */
		wr(w.dev, PPU_REG_INTR_ENABLE, PPU_INTR_CHERR | PPU_INTR_FAULT);
		acquire(&w, LOG_VA + 8 * 1000, 1);
		push(&w, from);
		for (unsigned n = 0; n < 100; n++)
			launch(&w, two_groups, 2, true);
		from = w.used;
		release(&w, LOG_VA, 1);
		push(&w, from);
		submit(&w);
		settle(&w);
		ck_assert_uint_eq(be->chan_get(w.c), 0);
		ck_assert_uint_eq(at(&w, w.q.soft_va), 1);
		w.out[1000] = 1;
		be->chan_kick(w.c);
		ck_assert_int_eq(wait_done(&w, 1), 0);
		ck_assert_uint_eq(w.out[1], 100);
		ck_assert_uint_eq(at(&w, w.q.x_va), 100);
		ck_assert_uint_eq(at(&w, w.q.y_va), 100);
		ck_assert_uint_eq(at(&w, w.q.soft_va), 601);
		ck_assert_uint_eq(reg(&w, w.q.chan, PPU_REG_CH_GETABS_LO), 600);
		/* The shadow that each launch found: GP_GET, unwrapped, and count - 1; never more. */
		for (unsigned n = 1; n <= 100; n++)
			ck_assert_uint_eq(w.out[2 * n], 6 * (n - 1) + count - 1);
		world_free(&w);
	}
}
END_TEST

/* TRAP-10: without any refresh the second launch hangs, and the backend reports that nothing can make progress. */
START_TEST(no_refresh_hangs)
{
	struct world w = world(NULL);

	queue(&w, 8, 0, 0);
	wr(w.dev, PPU_REG_INTR_ENABLE, PPU_INTR_CHERR | PPU_INTR_FAULT);
	launch(&w, two_groups, 2, false);
	launch(&w, two_groups, 2, false);
	submit(&w);
	ck_assert_int_eq(wait_done(&w, 1), -EDEADLK);
	ck_assert_uint_eq(w.out[1], 1);
	ck_assert_uint_eq(at(&w, w.q.y_va), 1);
	ck_assert_uint_eq(be->chan_get(w.q.chan), reg(&w, w.q.chan, PPU_REG_CH_PUT));
	world_free(&w);
}
END_TEST

/* WQ-59 (b): the driver refreshes at "ring low"; and the assist does without interrupts. */
static void self_refreshing(unsigned flags)
{
	struct world w = world(NULL);
	uint64_t irqs;
	unsigned from;

	queue(&w, 8, 0, flags);
	irqs = counter(&w, PPU_CTR_IRQS);
	for (unsigned n = 0; n < 100; n++)
		launch(&w, two_groups, 2, false);
	from = w.used;
	release(&w, LOG_VA, 1);
	push(&w, from);
	submit(&w);
	ck_assert_int_eq(wait_done(&w, 1), 0);
	ck_assert_uint_eq(w.out[1], 100);
	ck_assert_uint_eq(at(&w, w.q.soft_va), 601);
	if (flags) {
		ck_assert_uint_eq(counter(&w, PPU_CTR_IRQS), irqs);
		ck_assert_uint_eq(at(&w, w.q.shadow_va), 600 + 7);
		ck_assert_uint_eq(reg(&w, w.q.chan, PPU_REG_CH_PUT), 600 % 8 + 7);
	} else {
		/* At every half of the ring at least, and never beyond GP_GET + count - 1. */
		ck_assert_uint_gt(at(&w, w.q.shadow_va), 600 + 7 - 4);
		ck_assert_uint_le(at(&w, w.q.shadow_va), 600 + 7);
		ck_assert_uint_ge(counter(&w, PPU_CTR_IRQS), irqs + 600 / 8);
	}
	world_free(&w);
}

/* WQ-59 */
START_TEST(ring_low_interrupt_refreshes)
{
	self_refreshing(0);
}
END_TEST

/* WQ-59 */
START_TEST(device_assist_refreshes)
{
	self_refreshing(BE_DEVQ_ASSIST);
}
END_TEST

/* ---- errors ----------------------------------------------------------------------------------------- */

/* WQ-62: X without a terminator: "null entry" stops the queue, and its owner does not wait for ever. */
START_TEST(null_entry)
{
	struct world w = world(NULL), v = { .dev = w.dev };
	struct be_chan_state st;
	struct be_chan *other;
	unsigned from = 0;

	ck_assert_int_eq(be->chan_create(w.vm, PPU_CLASS_COPY, 8, 0, &other), 0);
	queue(&w, 8, 0, 0);
	release(&w, w.q.x_va, 1);
	acquire(&w, w.q.y_va, 1);
	push(&w, from);
	submit(&w);
	ck_assert_int_eq(wait_done(&w, 1), -EIO);
	be->chan_state(w.q.chan, &st);
	ck_assert_uint_eq(st.error, PPU_ERR_NULL_ENTRY);
	ck_assert_uint_eq(st.get, 1);
	be->chan_state(w.c, &st);
	ck_assert_uint_eq(st.error, PPU_ERR_CTX_STOPPED);
	/* Another channel of the VM, and another VM with its queue, go on. */
	be->chan_state(other, &st);
	ck_assert_uint_eq(st.error, 0);
	be->chan_free(other);
	world_vm(&v);
	queue(&v, 8, 3, 0);
	launch(&v, two_groups, 2, true);
	from = v.used;
	release(&v, LOG_VA, 1);
	push(&v, from);
	submit(&v);
	ck_assert_int_eq(wait_done(&v, 1), 0);
	ck_assert_uint_eq(v.out[1], 1);
	world_vm_free(&v);
	world_free(&w);
}
END_TEST

/* WQ-12: two queues and their owners, of two VMs, live together; one ends in the middle of its work. */
START_TEST(two_queues)
{
	struct world w = world(NULL), v = { .dev = w.dev };
	unsigned from;

	world_vm(&v);
	queue(&w, 8, 0, 0);
	queue(&v, 6, 5, 0);
	for (unsigned i = 0; i < 20; i++)
		launch(&w, two_groups, 2, true);
	for (unsigned i = 0; i < 20; i++)
		launch(&v, two_groups, 1, true);
	from = w.used;
	release(&w, LOG_VA, 1);
	push(&w, from);
	from = v.used;
	release(&v, LOG_VA, 1);
	push(&v, from);
	submit(&w);
	submit(&v);
	ck_assert_int_eq(wait_done(&w, 1), 0);
	ck_assert_int_eq(wait_done(&v, 1), 0);
	ck_assert_uint_eq(w.out[1], 20);
	ck_assert_uint_eq(v.out[1], 20);
	/* The queue is destroyed while its owner waits for Y: the owner never goes on, the other VM does. */
	launch(&v, two_groups, 1, true);
	launch(&w, two_groups, 2, true);
	be->chan_free(w.q.chan);
	w.q.chan = NULL;
	submit(&w);
	from = v.used;
	release(&v, LOG_VA, 2);
	push(&v, from);
	submit(&v);
	ck_assert_int_eq(wait_done(&v, 2), 0);
	ck_assert_int_eq(wait_done(&w, 2), -EIO);	/* its QUEUE_REFRESH names no queue */
	world_vm_free(&v);
	world_free(&w);
}
END_TEST

/* ---- wrap() ----------------------------------------------------------------------------------------- */

/* WQ-53: form 1 with its domain, and what it gives outside. */
START_TEST(wrap_form1)
{
	static const int x[] = { -6, -1, 0, 5, 6, 11, -7, 12 }, y[] = { 0, 5, 0, 5, 0, 5, -1, 6 };

	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(ppu_wrap_any(x[i], 6), y[i]);
}
END_TEST

/* WQ-53: the callers of form 1 assert its range; a count that is a power of two has none. */
START_TEST(wrap_range)
{
	static const struct { long long x; unsigned count; } bad[] = { { -7, 6 }, { 12, 6 }, { -4, 3 }, { 6, 3 } };

	ck_assert_uint_eq(ppu_wrap(-1000, 8), 0);
	ck_assert_uint_eq(ppu_wrap(-6, 6) + ppu_wrap(11, 6), 5);
	ck_assert_uint_eq(ppu_wrap(bad[_i].x, bad[_i].count), 0);	/* does not return */
}
END_TEST

/* WQ-54: form 2, any value. */
START_TEST(wrap_form2)
{
	static const int x[] = { -9, -1, 0, 7, 8, 15, 16 }, y[] = { 7, 7, 0, 7, 0, 7, 0 };

	for (unsigned i = 0; i < 7; i++)
		ck_assert_int_eq(ppu_wrap_pow2(x[i], 3), y[i]);
}
END_TEST

/* WQ-55: both forms agree for a power of two; a count in place of its logarithm is noticed. */
START_TEST(wrap_choice)
{
	for (int x = -8; x <= 15; x++) {
		ck_assert_int_eq(ppu_wrap_any(x, 8), ppu_wrap_pow2(x, 3));
		ck_assert_int_eq(ppu_wrap(x, 8), ppu_wrap_pow2(x, 3));
	}
	ck_assert_int_eq(ppu_wrap(8, 8), 0);
	ck_assert_int_eq(ppu_wrap_pow2(8, 8), 8);	/* the mistake */
	for (int x = -6; x <= 11; x++)
		ck_assert_int_eq(ppu_wrap(x, 6), ppu_wrap_any(x, 6));
	ck_assert_int_eq(ppu_wrap_log2(8), 3);
	ck_assert_int_eq(ppu_wrap_log2(1), 0);
	ck_assert_int_eq(ppu_wrap_log2(1u << 31), 31);
	ck_assert_int_eq(ppu_wrap_log2(6), -1);
	ck_assert_int_eq(ppu_wrap_log2(0), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("devq_backend");
	TCase *t = tcase_create("core");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, initial_state);
	tcase_add_test(t, arguments);
	tcase_add_test(t, stopped_after_each_step);
	tcase_add_test(t, hundred_queued);
	tcase_add_test(t, no_refresh_hangs);
	tcase_add_test(t, ring_low_interrupt_refreshes);
	tcase_add_test(t, device_assist_refreshes);
	tcase_add_test(t, null_entry);
	tcase_add_test(t, two_queues);
	tcase_add_test(t, wrap_form1);
	tcase_add_loop_test_raise_signal(t, wrap_range, SIGABRT, 0, 4);
	tcase_add_test(t, wrap_form2);
	tcase_add_test(t, wrap_choice);
	suite_add_tcase(s, t);
	return run_suite(s);
}
