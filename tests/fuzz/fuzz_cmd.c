/* SPDX-License-Identifier: MIT */
/*
 * A hostile guest: registers, rings, command blocks, page tables, instance blocks and save streams. Whatever the guest
 * does, the device must not crash, hang or use ever more memory; every event ends soon, and after a reset the device is
 * idle.
 *
 * The input is a list of actions, a byte each, followed by what the action reads.
 */
#include "../unit/lib/bench.c"
#include "refresh.h"

struct input {
	const uint8_t *p;
	size_t left;
};

static uint64_t take(struct input *in, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes && in->left; i++, in->left--)
		v |= (uint64_t)*in->p++ << (8 * i);
	return v;
}

enum { CHANS = 6, CTXS = 2 };

static struct {
	struct bench *b;
	struct bench_ctx *c[CTXS];
	struct bench_chan *ch[CHANS];
	uint64_t data[CTXS], sys[CTXS], ro[CTXS], task[CTXS];
	/* Addresses are looked up once, because the guest may change its page tables. */
	void *block[CHANS];
	struct ppu_gpfifo_entry *ring[CHANS];
} f;

static void entry(struct bench_chan *ch, uint32_t i, uint64_t va, uint32_t words, uint32_t flags)
{
	f.ring[ch->id][i] = (struct ppu_gpfifo_entry){ va, words, flags };
}

static void set_up(void)
{
	static const uint32_t cls[CHANS] = { 1, 1, 2, 2, 3, 1 };

	f.b = bench_new("vram=2M channels=8 copy-engines=2 watches=8 task-records=8 task-slots=4 "
			"sms-per-gpc=1 warps-per-sm=2 token-queue-entries=16 run-limit=16");
	f.b->ports.trace = NULL;
	bench_new_core(f.b);
	for (unsigned i = 0; i < CTXS; i++) {
		f.c[i] = bench_ctx_make(f.b);
		f.data[i] = bench_alloc(f.c[i], 16384, BENCH_VRAM);
		f.sys[i] = bench_alloc(f.c[i], 16384, BENCH_SCATTER);
		f.ro[i] = bench_alloc(f.c[i], 4096, BENCH_VRAM | PPU_PTE_READONLY);
		f.task[i] = bench_sleep_task(f.c[i], 500);
	}
	for (unsigned i = 0; i < CHANS; i++) {
		f.ch[i] = bench_chan_make(f.c[i % CTXS], cls[i], 4 + i);
		f.ring[i] = bench_ptr(f.c[i % CTXS], f.ch[i]->ring);
		f.block[i] = bench_ptr(f.c[i % CTXS], f.data[i % CTXS] + 8192 + i * 1024);
	}
	refresh_keep(f.b->vram, f.b->cfg.vram);
}

static void start(void)
{
	refresh_back(f.b->vram, f.b->cfg.vram);
	refresh_zero(f.b->ram, 1 << 20);
	f.b->dma_off = false;
	bench_set(f.b, PPU_REG_RESET, 1);
	ppu_core_invalidate_maps(f.b->core);
	for (unsigned i = 0; i < CTXS; i++)
		bench_ctx_cmd(f.c[i], PPU_CTX_CMD_LOAD);
	for (unsigned i = 0; i < CHANS; i++) {
		struct bench_chan *ch = f.ch[i];

		bench_chan_setup(ch);
		bench_chan_enable(ch);
		ch->put = 0;
	}
}

/* An address that is often a good one. */
static uint64_t address(struct input *in, unsigned k)
{
	uint8_t how = (uint8_t)take(in, 1);

	switch (how & 7) {
	case 0: return f.data[k] + (how >> 3) * 8;
	case 1: return f.sys[k] + (how >> 3) * 8;
	case 2: return f.data[k] + take(in, 2);
	case 3: return f.sys[k] + take(in, 2);
	case 4: return f.ro[k] + (how >> 3) * 8;
	case 5: return f.task[k];
	case 6: return (uint64_t)((int64_t)(f.data[k] + 16384) - (how >> 3));
	default: return take(in, 8);
	}
}

static void command(struct input *in, struct bench_chan *ch, uint32_t *w, uint32_t *n)
{
	static const uint8_t ops[] = {
#define C(name, op, size, flags, classes, doc) op,
		PPU_CMDS(C)
#undef C
	};
	static const uint8_t sizes[] = {
#define C(name, op, size, flags, classes, doc) size,
		PPU_CMDS(C)
#undef C
	};
	unsigned k = take(in, 1) % sizeof(ops), size = sizes[k] ? sizes[k] : 3;
	uint64_t v;

	w[0] = PPU_CMD_HDR(ops[k], size, take(in, 1) & (take(in, 1) & 1 ? 0xff : 0x1f));
	for (unsigned i = 1; i < size; i += 2) {
		uint8_t how = (uint8_t)take(in, 1);

		v = how & 1 ? address(in, ch->c == f.c[1]) : how & 2 ? how >> 2 : take(in, how >> 5);
		w[i] = (uint32_t)v;
		w[i + 1] = (uint32_t)(v >> 32);
	}
	*n = size;
}

static void submit(struct input *in, struct bench_chan *ch)
{
	uint32_t w[1024], n = 0, m;
	unsigned commands = 1 + take(in, 1) % 24;
	uint64_t at = f.data[ch->c == f.c[1]] + 8192 + ch->id * 1024;

	while (commands-- && n + 260 < 1024) {
		if (take(in, 1) & 0x80) {
			w[n++] = (uint32_t)take(in, 4);
		} else {
			command(in, ch, w + n, &m);
			n += m;
		}
	}
	if (n > 256)
		n = 256;
	memcpy(f.block[ch->id], w, n * 4);
	entry(ch, ch->put % ch->entries, at, n, 0);
	ch->put = (ch->put + 1) % ch->entries;
	bench_doorbell(ch, ch->put);
}

static void action(struct input *in)
{
	struct bench *b = f.b;
	uint8_t op = (uint8_t)take(in, 1);
	struct bench_chan *ch = f.ch[(op >> 4) % CHANS];
	uint64_t off, v;

	switch (op & 15) {
	case 0: case 1: case 2: case 3: case 4:
		submit(in, ch);
		break;
	case 5:		/* any register */
		off = take(in, 3) & ~3ull;
		ppu_core_mmio_write(b->core, off, op & 16 ? 8 : 4, take(in, 4));
		ppu_core_mmio_read(b->core, off, 4);
		break;
	case 6:		/* a register with an effect */
		off = (take(in, 1) & 63) * 4 + ((uint64_t[]){ 0, 0x300, PPU_BAR0_WATCH,
			PPU_BAR0_CHCFG + 4 * PPU_CHCFG_STRIDE })[op >> 4 & 3];
		ppu_core_mmio_write(b->core, off, 4, take(in, op & 0x40 ? 4 : 1));
		break;
	case 7:		/* channel configuration and commands */
		bench_chan_set(ch, take(in, 1) & 0x7c, (uint32_t)take(in, 2));
		break;
	case 8:
		bench_chan_set(ch, PPU_REG_CH_CMD, 1 + take(in, 1) % 5);
		break;
	case 9:		/* a raw entry */
		v = address(in, ch->c == f.c[1]);
		entry(ch, take(in, 1) % ch->entries, v, (uint32_t)take(in, 3), op & 0x80);
		bench_doorbell(ch, (uint32_t)take(in, 1));
		break;
	case 10:	/* any word of VRAM: page tables, rings, instance blocks, commands */
		off = (take(in, 3) % b->cfg.vram) & ~7ull;
		v = take(in, 8);
		memcpy(b->vram + off, &v, 8);
		if (op & 16)
			bench_set(b, PPU_REG_TLB_INV, 2);
		break;
	case 11:
		bench_kick(ch);
		break;
	case 12:
		ppu_core_run(b->core, ppu_core_time(b->core) + take(in, 2));
		break;
	case 13:
		bench_ctx_cmd(ch->c, 1 + take(in, 1) % 3);
		break;
	case 14:
		b->dma_off = op & 16;
		ppu_core_invalidate_maps(b->core);
		break;
	case 15: {	/* save, damage, load */
		uint8_t *bytes = NULL;
		size_t len = 0;
		char *err = NULL;

		if (ppu_core_save(b->core, &bytes, &len))
			abort();
		if (op & 0x10)
			bytes[take(in, 3) % len] ^= (uint8_t)take(in, 1);
		if (ppu_core_load(b->core, bytes, len, &err)) {
			if (!(op & 0x10) || !err)
				abort();
			free(err);
		}
		free(bytes);
		break;
	}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	if (!f.b)
		set_up();
	start();
	for (unsigned i = 0; in.left && i < 200; i++) {
		action(&in);
		ppu_core_run(f.b->core, ppu_core_time(f.b->core) + 300);
	}
	ppu_core_run(f.b->core, ppu_core_time(f.b->core) + 50000);
	bench_set(f.b, PPU_REG_RESET, 1);
	if (ppu_core_next_event(f.b->core) != PPU_TIME_NEVER)
		abort();
	return 0;
}
