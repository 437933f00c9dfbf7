/* SPDX-License-Identifier: MIT */
/*
 * Hostile use of the host interface by several contexts: channels of all classes that share few engines and meet at few
 * semaphores, so that they block, wake, lose their slices and wait for each other; large and pitched copies over memory
 * of both kinds that comes and goes; engines that inject faults. fuzz_cmd damages single words; here most commands are
 * legal, so that they get far. The device must not crash or hang, and is idle after a reset.
 *
 * The first byte chooses a machine; the rest is a list of actions.
 */
#include "../unit/lib/bench.c"
#include "refresh.h"
#include "insn_random.h"

enum { MACHINES = 5, CTXS = 4, CHANS = 3, WORDS = 4, AREA = 3 << 20, BLOCK_WORDS = 128 };

#define COMMON "vram=32M channels=16 watches=8 task-records=4 task-slots=2 gpcs=1 sms-per-gpc=1 warps-per-sm=2 " \
	"token-queue-entries=16 timeslice=2000 run-limit=4 cost-ce-mbps=1000000 "

static const char *const machines[MACHINES] = {
	COMMON "copy-engines=1",
	COMMON "copy-engines=3 x-gate-literal=1",
	COMMON "copy-engines=2 x-fault-irq-delay-ns=500 x-fault-irq-lose=3 x-fault-irq-spurious=2 x-fault-irq-race=1",
	COMMON "copy-engines=2 x-fault-ce-reorder=2 x-fault-ce-late-ns=3000 x-fault-dma-fail=5 x-fault-stop=3",
	COMMON "copy-engines=1 devq-assist=0 task-records=4",
};

struct channel {
	struct bench_chan *ch;
	struct ppu_gpfifo_entry *ring;
	uint32_t *block;
	uint64_t block_va;
};

struct context {
	struct bench_ctx *c;
	struct channel ch[CHANS];
	uint64_t vram, large, sys, ro, task;
};

static struct machine {
	struct bench *b;
	struct context x[CTXS];
	uint64_t shared;		/* physical: a page of semaphores that all contexts have */
} machine[MACHINES], *m;

#define SEMS_VA 0x7000000000ull
static uint64_t traced;

static void on_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	(void)opaque;
	traced += rec->event;
}

static void make_context(struct context *x)
{
	static const uint32_t cls[CHANS] = { PPU_CLASS_COPY, PPU_CLASS_DEVQ, PPU_CLASS_COMPUTE };

	x->c = bench_ctx_make(m->b);
	x->vram = bench_alloc(x->c, AREA, BENCH_VRAM);
	x->sys = bench_alloc(x->c, AREA, BENCH_SCATTER);
	x->ro = bench_alloc(x->c, 4096, BENCH_VRAM | PPU_PTE_READONLY);
	x->task = bench_sleep_task(x->c, 3000);
	bench_map(x->c, SEMS_VA, m->shared, 4096, 0);
	for (unsigned i = 0; i < CHANS; i++) {
		struct channel *k = &x->ch[i];

		k->ch = bench_chan_make(x->c, cls[i], 8);
		k->ring = bench_ptr(x->c, k->ch->ring);
		k->block_va = bench_alloc(x->c, 8 * BLOCK_WORDS * 4, BENCH_VRAM);
		k->block = bench_ptr(x->c, k->block_va);
	}
}

static void make_machine(unsigned kind)
{
	m = &machine[kind];
	if (m->b)
		return;
	m->b = bench_new(machines[kind]);
	m->b->ports.trace = on_trace;
	bench_new_core(m->b);
	m->shared = bench_vram(m->b, 4096);
	for (unsigned i = 0; i < CTXS; i++)
		make_context(&m->x[i]);
	refresh_keep(m->b->vram, m->b->cfg.vram);
}

static void start_channel(const struct channel *k, unsigned priority, unsigned slice, unsigned mask)
{
	struct bench_chan *ch = k->ch;

	bench_chan_setup(ch);
	bench_chan_set(ch, PPU_REG_CH_PRIORITY, priority);
	bench_chan_set(ch, PPU_REG_CH_ENGINE_MASK, ch->cls == PPU_CLASS_COPY ? mask : 0);
	bench_chan_set(ch, PPU_REG_CH_TIMESLICE_NS, slice);
	bench_chan_enable(ch);
	ch->put = 0;
}

static void start(struct irnd *r)
{
	refresh_back(m->b->vram, m->b->cfg.vram);
	refresh_zero(m->b->ram, 1 << 20);
	m->b->dma_off = false;
	m->b->map_max = irnd(r, 2) ? 0 : 4096;
	bench_set(m->b, PPU_REG_RESET, 1);
	bench_set(m->b, PPU_REG_INTR_ENABLE, ~0u);
	ppu_core_invalidate_maps(m->b->core);
	for (unsigned i = 0; i < CTXS; i++) {
		bench_ctx_cmd(m->x[i].c, PPU_CTX_CMD_LOAD);
		for (unsigned k = 0; k < CHANS; k++)
			start_channel(&m->x[i].ch[k], irnd(r, 4) ? 0 : irnd(r, 3), 1000 * (1 + irnd(r, 4)),
				      irnd(r, 2) ? 0 : irnd(r, 4));
	}
}

static uint64_t place(struct irnd *r, const struct context *x)
{
	switch (irnd(r, 8)) {
	case 0: return x->ro;
	case 1: return x->vram + AREA - irnd(r, 5000);
	case 2: return irnd(r, 4) ? SEMS_VA + 16 * irnd(r, WORDS) : (uint64_t)irnd(r, 0xffffffff) << irnd(r, 32);
	case 3: case 4: return x->sys + irnd(r, 1 << 16);
	default: return x->vram + irnd(r, 1 << 16);
	}
}

static void put64(uint32_t **w, uint64_t v)
{
	*(*w)++ = (uint32_t)v;
	*(*w)++ = (uint32_t)(v >> 32);
}

static uint64_t length(struct irnd *r)
{
	return irnd(r, 3) ? irnd(r, 600) : irnd(r, 6) ? irnd(r, 2 << 20) : irnd(r, 0xffffffff);
}

static void sem_command(struct irnd *r, uint32_t **w, unsigned op)
{
	uint64_t va = SEMS_VA + 16 * irnd(r, WORDS);
	unsigned flags = irnd(r, 4) ? 0 : PPU_CMDF_SEM_32;

	if (op == PPU_CMD_SEM_ACQUIRE)
		flags |= irnd(r, 6) | (irnd(r, 2) ? PPU_CMDF_SEM_GATE : 0);
	if (op == PPU_CMD_SEM_RELEASE)
		flags |= irnd(r, 2) ? PPU_CMDF_SEM_TIME : 0;
	*(*w)++ = PPU_CMD_HDR(op, op <= PPU_CMD_SEM_RELEASE ? 5 : 3, flags);
	put64(w, va);
	if (op <= PPU_CMD_SEM_RELEASE)
		put64(w, irnd(r, 4));
}

static void copy_command(struct irnd *r, const struct context *x, uint32_t **w)
{
	unsigned log2 = irnd(r, 4);

	switch (irnd(r, 4)) {
	case 0:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0);
		put64(w, place(r, x));
		put64(w, place(r, x));
		put64(w, length(r));
		break;
	case 1:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_COPY_2D, PPU_CMD_SIZE_COPY_2D, 0);
		put64(w, place(r, x));
		put64(w, place(r, x));
		put64(w, irnd(r, 4) ? irnd(r, 9000) : length(r));
		put64(w, irnd(r, 4) ? irnd(r, 9000) : length(r));
		*(*w)++ = irnd(r, 300);
		*(*w)++ = irnd(r, 20) ? irnd(r, 400) : irnd(r, 0xffffffff);
		break;
	case 2:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_FILL, PPU_CMD_SIZE_FILL, log2);
		put64(w, place(r, x) & ~7ull);
		put64(w, irnd(r, 0xffffffff));
		put64(w, length(r) >> log2);
		break;
	default:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_FILL_2D, PPU_CMD_SIZE_FILL_2D, log2);
		put64(w, place(r, x) & ~7ull);
		put64(w, 8ull * irnd(r, 1000));
		put64(w, irnd(r, 0xffffffff));
		*(*w)++ = irnd(r, 100);
		*(*w)++ = irnd(r, 300);
	}
}

static void other_command(struct irnd *r, const struct context *x, uint32_t **w)
{
	switch (irnd(r, 7)) {
	case 0:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
		*(*w)++ = irnd(r, 256);
		break;
	case 1:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0);
		put64(w, place(r, x) & ~7ull);
		break;
	case 2:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);
		break;
	case 3:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_MEMBAR, PPU_CMD_SIZE_MEMBAR, 0);
		break;
	case 4:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_QUEUE_REFRESH, PPU_CMD_SIZE_QUEUE_REFRESH, 0);
		*(*w)++ = irnd(r, 20);
		break;
	case 5:
		*(*w)++ = PPU_CMD_HDR(PPU_CMD_NOP, 1 + irnd(r, 3), 0);
		*w += PPU_CMD_SIZE((*w)[-1]) - 1;
		break;
	default:
		*(*w)++ = irnd(r, 30) ? PPU_CMD_HDR(PPU_CMD_WFI, 1, 0) : irnd(r, 0xffffffff);
	}
}

static void submit(struct irnd *r, const struct context *x, unsigned i)
{
	const struct channel *k = &x->ch[i];
	uint32_t at = k->ch->put, *first = k->block + at * BLOCK_WORDS, *w = first;

	for (unsigned n = 1 + irnd(r, 8); n; n--) {
		if (irnd(r, 2)) {
			sem_command(r, &w, PPU_CMD_SEM_ACQUIRE + irnd(r, 4));
		} else if (k->ch->cls != PPU_CLASS_COMPUTE && irnd(r, 4)) {
			copy_command(r, x, &w);
		} else if (k->ch->cls != PPU_CLASS_COPY && irnd(r, 2)) {
			*w++ = PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0);
			put64(&w, x->task);
		} else {
			other_command(r, x, &w);
		}
	}
	k->ring[at] = (struct ppu_gpfifo_entry){ k->block_va + at * BLOCK_WORDS * 4, (uint32_t)(w - first), 0 };
	k->ch->put = (at + 1) % k->ch->entries;
	bench_doorbell(k->ch, k->ch->put);
}

/* Reads the records of faults as a driver does, and acknowledges some interrupts. */
static void serve(struct irnd *r)
{
	bench_reg(m->b, PPU_REG_INTR_STATUS);
	bench_reg(m->b, PPU_REG_FAULT_TOTAL);
	bench_set(m->b, PPU_REG_FAULT_SEL, irnd(r, 4));
	for (unsigned i = 0; i < 20; i++)
		bench_reg(m->b, PPU_REG_FAULT_DATA);
	for (uint64_t off = 0x20; off < 0x300; off += 4)
		bench_reg(m->b, off);
	if (irnd(r, 2))
		bench_set(m->b, PPU_REG_FAULT_GET, irnd(r, 8));
	bench_set(m->b, PPU_REG_INTR_STATUS, ~0u);
}

/* A page is mapped read-only, or not at all, or as before. */
static void change_page(struct irnd *r, const struct context *x)
{
	uint64_t *pte = bench_pte(x->c, (irnd(r, 2) ? x->vram : x->sys) + 4096ull * irnd(r, 20), 0);

	switch (irnd(r, 3)) {
	case 0: *pte ^= PPU_PTE_VALID; break;
	case 1: *pte ^= PPU_PTE_READONLY; break;
	default: *pte ^= 1ull << irnd(r, 64);
	}
	if (irnd(r, 4))
		bench_set(m->b, PPU_REG_TLB_INV, 1 + irnd(r, 2));
}

static void save_and_load(struct irnd *r)
{
	bool damage = irnd(r, 2);
	uint8_t *bytes = NULL;
	size_t len = 0;
	char *err = NULL;

	if (ppu_core_save(m->b->core, &bytes, &len))
		abort();
	for (unsigned n = damage ? 1 + irnd(r, 3) : 0; n; n--)
		bytes[irnd(r, (uint32_t)len)] = (uint8_t)irnd(r, 256);
	if (ppu_core_load(m->b->core, bytes, len, &err)) {
		if (!damage || !err)
			abort();
		free(err);
	}
	free(bytes);
}

static void action(struct irnd *r)
{
	struct context *x = &m->x[irnd(r, CTXS)];
	unsigned i = irnd(r, CHANS);
	uint64_t v = irnd(r, 4);

	switch (irnd(r, 16)) {
	case 0:
		serve(r);
		break;
	case 1:
		change_page(r, x);
		break;
	case 2:
		save_and_load(r);
		break;
	case 3:
		m->b->dma_off = !irnd(r, 3);
		ppu_core_invalidate_maps(m->b->core);
		break;
	case 4:
		bench_chan_set(x->ch[i].ch, PPU_REG_CH_CMD, 1 + irnd(r, 5));
		if (irnd(r, 2))
			start_channel(&x->ch[i], irnd(r, 3), 1000, irnd(r, 3));
		break;
	case 5:
		bench_ctx_cmd(x->c, 1 + irnd(r, 3));
		break;
	case 6:	/* the CPU writes a semaphore, and kicks */
		memcpy(m->b->vram + m->shared + 16 * irnd(r, WORDS), &v, 8);
		bench_kick(x->ch[i].ch);
		break;
	case 7:
		bench_doorbell(x->ch[i].ch, irnd(r, 10));
		break;
	default:
		submit(r, x, i);
	}
	ppu_core_run(m->b->core, ppu_core_time(m->b->core) + (irnd(r, 2) ? irnd(r, 1024) : irnd(r, 20000)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct irnd r = { .state = 0x9e3779b97f4a7c15ull, .p = data + 1, .left = size ? size - 1 : 0 };

	if (size < 8)
		return -1;
	make_machine(data[0] % MACHINES);
	start(&r);
	for (unsigned i = 0; i < 200 && r.left; i++)
		action(&r);
	ppu_core_run(m->b->core, ppu_core_time(m->b->core) + 50000);
	bench_set(m->b, PPU_REG_RESET, 1);
	if (ppu_core_next_event(m->b->core) != PPU_TIME_NEVER)
		abort();
	return 0;
}
