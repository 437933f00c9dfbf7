/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_save.h>
#include <hw/ppu_tmd.h>
#include "bench.h"
#include "ptmem.h"

#define GUARD 4096
#define CMD_BYTES (256u << 10)

static void die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	abort();
}

static void *zalloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		die("out of memory");
	return p;
}

/* ---- ports --------------------------------------------------------------------------------------- */

static void *port_map(void *opaque, uint64_t bus, uint64_t *len, bool write)
{
	struct bench *b = opaque;
	uint64_t off = bus - BENCH_RAM_BASE;

	(void)write;
	if (b->dma_off || bus < BENCH_RAM_BASE || off >= BENCH_RAM_BYTES)
		return NULL;
	if (*len > BENCH_RAM_BYTES - off)
		*len = BENCH_RAM_BYTES - off;
	if (b->map_max && *len > b->map_max)
		*len = b->map_max;
	if (b->ram_far && off < b->ram_far_to) {
		bool far = off >= b->ram_far_from;
		uint64_t end = far ? b->ram_far_to : b->ram_far_from;

		*len = *len < end - off ? *len : end - off;
		if (far)
			return b->ram_far + (off - b->ram_far_from);
	}
	return b->ram + off;
}

static void port_ram_dirty(void *opaque, uint64_t bus, uint64_t len)
{
	(void)bus;
	__atomic_fetch_add(&((struct bench *)opaque)->ram_dirty, len, __ATOMIC_RELAXED);
}

static void port_vram_dirty(void *opaque, uint64_t off, uint64_t len)
{
	struct bench *b = opaque;

	if (off > b->cfg.vram || len > b->cfg.vram - off)
		die("memory outside VRAM is reported dirty");
	__atomic_fetch_add(&b->vram_dirty, len, __ATOMIC_RELAXED);
	if (b->reported && len)
		memset(b->reported + off / PPU_PAGE_SIZE, 1, (off + len - 1) / PPU_PAGE_SIZE - off / PPU_PAGE_SIZE + 1);
}

static void port_irq(void *opaque, unsigned vector)
{
	((struct bench *)opaque)->irqs[vector]++;
}

/* ---- the direction of device priorities (SP-6) --------------------------------------------------------------------- */

static const struct bench *turned;	/* the newest device whose numbers go down behind the test's back */

unsigned bench_prio(unsigned prio)
{
	return turned && prio < turned->cfg.device_priorities ? turned->cfg.device_priorities - 1 - prio : prio;
}

static void turn(struct bench *b)
{
	const char *env = getenv("PPU_TURNED_DEVICE");

	turned = NULL;
	if (!env || *env != '1' || b->cfg.priority_order)
		return;
	b->cfg.priority_order = 1;
	turned = b;
}

static bool says_priority(unsigned event)
{
	return (event >= PPU_TR_TASK_ACCEPT && event <= PPU_TR_TASK_DONE) || event == PPU_TR_TASK_CEILING;
}

static void port_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	struct bench *b = opaque;

	if (b->num_trace == b->cap_trace) {
		b->cap_trace = b->cap_trace ? b->cap_trace * 2 : 1024;
		b->trace = realloc(b->trace, b->cap_trace * sizeof(*b->trace));
		if (!b->trace)
			die("out of memory");
	}
	b->trace[b->num_trace] = *rec;
	if (b == turned && says_priority(rec->event))
		b->trace[b->num_trace].a = bench_prio(rec->a);
	b->num_trace++;
}

static void port_guest_error(void *opaque, const char *sentence)
{
	struct bench *b = opaque;

	b->guest_errors++;
	snprintf(b->last_error, sizeof(b->last_error), "%s", sentence);
}

/* ---- bench ----------------------------------------------------------------------------------------- */

void bench_new_core(struct bench *b)
{
	char *err = NULL;

	ppu_core_destroy(b->core);
	b->core = ppu_core_create(&b->cfg, &b->ports, b->vram, &err);
	if (!b->core)
		die(err);
}

/* A property may have the same name; sections come behind properties. */
uint8_t *bench_section(uint8_t *state, size_t len, const char *tag)
{
	for (size_t at = len - 4; at > 0; at--)
		if (!memcmp(state + at, tag, 4))
			return state + at + 4;
	return NULL;
}

void bench_reload(struct bench *b)
{
	uint8_t *bytes = NULL;
	char *err = NULL;
	size_t len = 0;

	if (ppu_core_save(b->core, &bytes, &len))
		die("the state cannot be saved");
	bench_new_core(b);
	if (ppu_core_load(b->core, bytes, len, &err))
		die(err);
	free(bytes);
}

/* Zeroed, between pages that nobody may touch. */
static uint8_t *guarded(uint64_t bytes)
{
	uint8_t *p = mmap(NULL, bytes + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD, bytes, PROT_READ | PROT_WRITE))
		die("out of memory");
	return p + GUARD;
}

struct bench *bench_new(const char *props)
{
	struct bench *b = zalloc(sizeof(*b));
	char *copy = strdup(props ? props : ""), *save = NULL, *err = NULL;

	ppu_config_init(&b->cfg);
	b->cfg.vram = 16 << 20;
	b->cfg.channels = 64;
	b->cfg.gpcs = 1;
	b->cfg.sms_per_gpc = 2;
	b->cfg.warps_per_sm = 8;
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(p, '=');

		if (!eq)
			die("property without a value");
		*eq = 0;
		if (ppu_config_set(&b->cfg, p, eq + 1, &err))
			die(err);
	}
	free(copy);
	turn(b);
	b->vram = guarded(b->cfg.vram);
	b->ram = guarded(BENCH_RAM_BYTES);
	b->vram_next = 4096;
	b->ports = (struct ppu_ports){
		.opaque = b, .map = port_map, .mark_dirty = port_ram_dirty,
		.vram_dirty = port_vram_dirty, .raise_irq = port_irq, .trace = port_trace,
		.guest_error = port_guest_error,
	};
	bench_new_core(b);
	return b;
}

void bench_free(struct bench *b)
{
	if (b == turned)
		turned = NULL;
	ppu_core_destroy(b->core);
	while (b->ctxs) {
		struct bench_ctx *c = b->ctxs;

		b->ctxs = c->next;
		while (c->chans) {
			struct bench_chan *ch = c->chans;

			c->chans = ch->next;
			free(ch->w);
			free(ch);
		}
		ptmem_free(c->pt);
		free(c);
	}
	free(b->before);
	free(b->reported);
	munmap(b->vram - GUARD, b->cfg.vram + 2 * GUARD);
	munmap(b->ram - GUARD, BENCH_RAM_BYTES + 2 * GUARD);
	free(b->trace);
	free(b->text);
	free(b);
}

uint32_t bench_reg(struct bench *b, uint64_t off)
{
	return (uint32_t)ppu_core_mmio_read(b->core, off, 4);
}

void bench_set(struct bench *b, uint64_t off, uint32_t val)
{
	ppu_core_mmio_write(b->core, off, 4, val);
}

uint64_t bench_ctr(struct bench *b, enum ppu_counter c)
{
	return ppu_core_counter(b->core, c);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static uint64_t bump(uint64_t *next, uint64_t bytes, uint64_t align, uint64_t limit)
{
	uint64_t at = (*next + align - 1) & ~(align - 1);

	if (at + bytes > limit)
		die("out of device or system memory");
	*next = (at + bytes + 4095) & ~4095ull;
	return at;
}

uint64_t bench_vram(struct bench *b, uint64_t bytes)
{
	return bump(&b->vram_next, bytes, 4096, b->cfg.vram);
}

uint64_t bench_ram(struct bench *b, uint64_t bytes)
{
	return BENCH_RAM_BASE + bump(&b->ram_next, bytes, 4096, BENCH_RAM_BYTES);
}

static uint8_t *phys_ptr(struct bench *b, uint64_t addr, bool sys)
{
	if (sys) {
		if (addr < BENCH_RAM_BASE || addr >= BENCH_RAM_BASE + BENCH_RAM_BYTES)
			die("bus address outside RAM");
		return b->ram + (addr - BENCH_RAM_BASE);
	}
	if (addr >= b->cfg.vram)
		die("address outside VRAM");
	return b->vram + addr;
}

/* Walks the tables in memory, because a test may have changed them. */
uint64_t *bench_pte(struct bench_ctx *c, uint64_t va, unsigned level)
{
	uint64_t table = c->blk->pt_root & ~1ull;
	bool sys = c->blk->pt_root & 1;

	if (c->blk->pt_root == ptmem_root(c->pt))
		ptmem_make(c->pt, va, level);
	for (unsigned l = PPU_PT_LEVELS - 1;; l--) {
		uint64_t *pte = (uint64_t *)phys_ptr(c->b, table, sys) +
				(va >> PPU_PT_SHIFT(l)) % PPU_PT_ENTRIES;

		if (l == level)
			return pte;
		if (!(*pte & PPU_PTE_VALID))
			die("there is no table");
		table = *pte & PPU_PTE_ADDR;
		sys = *pte & PPU_PTE_SYS;
	}
}

void bench_map(struct bench_ctx *c, uint64_t va, uint64_t phys, uint64_t bytes, uint64_t flags)
{
	bool large = flags & PPU_PTE_LARGE;
	uint64_t page = large ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;

	if ((va | phys) & (page - 1))
		die("a mapping that is not aligned");
	ptmem_map(c->pt, va, phys, (bytes + page - 1) & ~(page - 1), flags, large);
}

void bench_invalidate(struct bench_ctx *c)
{
	bench_set(c->b, PPU_REG_TLB_INV_INST_LO, (uint32_t)c->inst);
	bench_set(c->b, PPU_REG_TLB_INV_INST_HI, (uint32_t)(c->inst >> 32));
	bench_set(c->b, PPU_REG_TLB_INV, 1);
}

void bench_unmap(struct bench_ctx *c, uint64_t va, uint64_t bytes)
{
	for (uint64_t off = 0; off < bytes; off += 4096)
		*bench_pte(c, va + off, 0) = 0;
	bench_invalidate(c);
}

uint64_t bench_alloc(struct bench_ctx *c, uint64_t bytes, uint64_t where)
{
	uint64_t flags = where & (PPU_PTE_READONLY | PPU_PTE_NOEXEC | PPU_PTE_PRIV);
	uint64_t page = where & BENCH_LARGE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;
	uint64_t size = (bytes + page - 1) & ~(page - 1), va = (c->va_next + page - 1) & ~(page - 1);

	/* Leave an unmapped page after each allocation. */
	c->va_next = va + size + 16 * page;
	if (where & BENCH_SCATTER) {
		uint64_t n = size / 4096, base = bench_ram(c->b, size);

		/* Page i goes to position i * s mod n', with s odd: mixed, and each position is used once. */
		for (uint64_t i = 0, at = 0, pow2 = 1; i < n; at++) {
			while (pow2 < n)
				pow2 *= 2;
			uint64_t place = at * 5 % pow2;

			if (place < n)
				bench_map(c, va + 4096 * i++, base + 4096 * (n - 1 - place), 4096,
					  flags | PPU_PTE_SYS);
		}
	} else if (where & BENCH_SYS) {
		bench_map(c, va, bench_ram(c->b, size), size, flags | PPU_PTE_SYS);
	} else if (where & BENCH_LARGE) {
		bench_map(c, va, bump(&c->b->vram_next, size, page, c->b->cfg.vram), size,
			  flags | PPU_PTE_LARGE);
	} else {
		bench_map(c, va, bench_vram(c->b, size), size, flags);
	}
	return va;
}

uint64_t bench_phys(struct bench_ctx *c, uint64_t va, bool *sys)
{
	uint64_t pte = *bench_pte(c, va, 1), page = PPU_LARGE_SIZE;

	if (!(pte & PPU_PTE_LARGE)) {
		pte = *bench_pte(c, va, 0);
		page = PPU_PAGE_SIZE;
	}
	if (!(pte & PPU_PTE_VALID))
		die("address is not mapped");
	*sys = pte & PPU_PTE_SYS;
	return (pte & PPU_PTE_ADDR) + va % page;
}

void *bench_ptr(struct bench_ctx *c, uint64_t va)
{
	bool sys;
	uint64_t p = bench_phys(c, va, &sys);

	return phys_ptr(c->b, p, sys);
}

static void each(struct bench_ctx *c, uint64_t va, uint8_t *buf, uint64_t len, bool write)
{
	while (len) {
		uint64_t n = 4096 - va % 4096;

		if (n > len)
			n = len;
		memcpy(write ? bench_ptr(c, va) : buf, write ? buf : bench_ptr(c, va), n);
		va += n;
		buf += n;
		len -= n;
	}
}

void bench_read(struct bench_ctx *c, uint64_t va, void *buf, uint64_t len)
{
	each(c, va, buf, len, false);
}

void bench_write(struct bench_ctx *c, uint64_t va, const void *buf, uint64_t len)
{
	each(c, va, (uint8_t *)(uintptr_t)buf, len, true);
}

uint64_t bench_rd64(struct bench_ctx *c, uint64_t va)
{
	uint64_t v;

	bench_read(c, va, &v, 8);
	return v;
}

void bench_wr64(struct bench_ctx *c, uint64_t va, uint64_t v)
{
	bench_write(c, va, &v, 8);
}

/* ---- contexts -------------------------------------------------------------------------------------------- */

static uint64_t table_page(void *b)
{
	return bench_vram(b, PPU_PAGE_SIZE);
}

static struct ppu_area area(struct bench *b, uint64_t bytes)
{
	return (struct ppu_area){ .base = bench_vram(b, bytes), .size = bytes };
}

struct bench_ctx *bench_ctx_make(struct bench *b)
{
	const struct ppu_machine m = {
		.sms = b->cfg.gpcs * b->cfg.sms_per_gpc, .warps_per_sm = b->cfg.warps_per_sm,
		.tokq_entries = b->cfg.tokq_entries, .save_per_sm = bench_reg(b, PPU_REG_CAP_SAVE_BYTES_PER_SM),
	};
	struct ppu_inst i = {
		.context_id = 1, .max_depth = 4, .local_per_thread = 256,
		.prio_ceiling = ppu_prio_ceiling(0, b->cfg.device_priorities,
						 bench_reg(b, PPU_REG_CAP_FEATURES)),
	};
	struct bench_ctx *c = zalloc(sizeof(*c)), *k;
	struct ppu_area_sizes sizes;

	for (k = b->ctxs; k; k = k->next)
		i.context_id++;
	c->b = b;
	c->next = b->ctxs;
	b->ctxs = c;
	c->inst = bench_vram(b, PPU_INST_SIZE);
	c->blk = (struct ppu_inst_block *)(b->vram + c->inst);
	c->pt = ptmem_new(b->vram, table_page, b);
	i.root = ptmem_root(c->pt);
	ppu_area_sizes(&sizes, &m, i.max_depth, i.local_per_thread);
	i.local = area(b, sizes.local);
	i.tokq = area(b, sizes.tokq);
	/* Small: it need only hold saved CTAs of kernels without local memory. */
	ppu_area_sizes(&sizes, &m, i.max_depth, 16);
	if (b->cfg.vram >= 16 << 20 && m.save_per_sm)
		i.save = area(b, sizes.save);
	ppu_inst_fill(c->blk, &i);
	c->va_next = 0x100000000ull;
	return c;
}

/* The image of a kernel that sleeps and ends, and a TMD for one CTA of 32 threads. */
uint64_t bench_sleep_task(struct bench_ctx *c, uint32_t ns)
{
	const uint64_t guard = 15ull << 8, preds = 15ull << 32 | 15ull << 36 | 15ull << 40;
	struct ppu_insn code[2] = {
		{ PPU_OP_NANOSLEEP | guard, preds | 1ull << 45 | ns },
		{ PPU_OP_EXIT | guard, preds },
	};
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.regs_per_thread = 8, .code_insns = 2, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
	};
	uint64_t va = bench_alloc(c, 4096, BENCH_VRAM);

	t.code_va = va + 1024;
	bench_write(c, va, &t, sizeof(t));
	bench_write(c, va + 1024, code, sizeof(code));
	return va;
}

uint32_t bench_ctx_cmd(struct bench_ctx *c, uint32_t cmd)
{
	bench_set(c->b, PPU_REG_CTX_INST_LO, (uint32_t)c->inst);
	bench_set(c->b, PPU_REG_CTX_INST_HI, (uint32_t)(c->inst >> 32));
	bench_set(c->b, PPU_REG_CTX_CMD, cmd);
	return bench_reg(c->b, PPU_REG_CTX_STATUS);
}

struct bench_ctx *bench_ctx_new(struct bench *b)
{
	struct bench_ctx *c = bench_ctx_make(b);

	if (bench_ctx_cmd(c, PPU_CTX_CMD_LOAD) != PPU_CTX_LOADED)
		die("the context was refused");
	return c;
}

/* ---- channels ---------------------------------------------------------------------------------------------- */

void bench_chan_set(struct bench_chan *ch, unsigned reg, uint32_t val)
{
	bench_set(ch->c->b, PPU_BAR0_CHCFG + ch->id * PPU_CHCFG_STRIDE + reg, val);
}

uint32_t bench_chan_reg(struct bench_chan *ch, unsigned reg)
{
	return bench_reg(ch->c->b, PPU_BAR0_CHCFG + ch->id * PPU_CHCFG_STRIDE + reg);
}

void bench_chan_setup(struct bench_chan *ch)
{
	bench_chan_set(ch, PPU_REG_CH_INST_LO, (uint32_t)ch->c->inst);
	bench_chan_set(ch, PPU_REG_CH_INST_HI, (uint32_t)(ch->c->inst >> 32));
	bench_chan_set(ch, PPU_REG_CH_RING_LO, (uint32_t)ch->ring);
	bench_chan_set(ch, PPU_REG_CH_RING_HI, (uint32_t)(ch->ring >> 32));
	bench_chan_set(ch, PPU_REG_CH_RING_ENTRIES, ch->entries);
	bench_chan_set(ch, PPU_REG_CH_CLASS, ch->cls);
}

struct bench_chan *bench_chan_make(struct bench_ctx *c, uint32_t cls, uint32_t entries)
{
	struct bench_chan *ch = zalloc(sizeof(*ch));

	ch->c = c;
	ch->next = c->chans;
	c->chans = ch;
	ch->id = c->b->num_chans++;
	ch->cls = cls;
	ch->entries = entries;
	ch->ring = bench_alloc(c, entries * sizeof(struct ppu_gpfifo_entry), BENCH_VRAM);
	bench_chan_setup(ch);
	return ch;
}

void bench_chan_enable(struct bench_chan *ch)
{
	bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
}

struct bench_chan *bench_chan_new(struct bench_ctx *c, uint32_t cls, uint32_t entries)
{
	struct bench_chan *ch = bench_chan_make(c, cls, entries);

	bench_chan_enable(ch);
	if (!(bench_chan_reg(ch, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED))
		die("the channel could not be enabled");
	return ch;
}

static uint64_t userd(const struct bench_chan *ch)
{
	return PPU_BAR0_USERD + (uint64_t)ch->id * PPU_USERD_STRIDE;
}

uint32_t bench_get(struct bench_chan *ch)
{
	return bench_reg(ch->c->b, userd(ch) + PPU_REG_USERD_GP_GET);
}

void bench_doorbell(struct bench_chan *ch, uint32_t put)
{
	bench_set(ch->c->b, userd(ch) + PPU_REG_USERD_GP_PUT, put);
}

void bench_kick(struct bench_chan *ch)
{
	bench_set(ch->c->b, userd(ch) + PPU_REG_USERD_KICK, 1);
}

void bench_entry(struct bench_chan *ch, uint32_t index, uint64_t va, uint32_t words, uint32_t flags)
{
	struct ppu_gpfifo_entry e = { va, words, flags };

	bench_write(ch->c, ch->ring + index * sizeof(e), &e, sizeof(e));
}

/* ---- commands ------------------------------------------------------------------------------------------------ */

void bench_words(struct bench_chan *ch, const uint32_t *w, uint32_t n)
{
	if (ch->n + n > ch->cap) {
		ch->cap = (ch->n + n) * 2;
		ch->w = realloc(ch->w, ch->cap * 4ull);
		if (!ch->w)
			die("out of memory");
	}
	memcpy(ch->w + ch->n, w, n * 4ull);
	ch->n += n;
}

/* Operands: "6"4 = 64 or "3"2 = 32 bits. */
static void cmd(struct bench_chan *ch, uint32_t op, uint32_t flags, const char *kinds, ...)
{
	uint32_t w[16], n = 1;
	va_list ap;

	va_start(ap, kinds);
	for (; *kinds; kinds++) {
		uint64_t v = va_arg(ap, uint64_t);

		w[n++] = (uint32_t)v;
		if (*kinds == '6')
			w[n++] = (uint32_t)(v >> 32);
	}
	va_end(ap);
	w[0] = PPU_CMD_HDR(op, n, flags);
	bench_words(ch, w, n);
}

void bench_nop(struct bench_chan *ch, uint32_t words)
{
	uint32_t w[255] = { PPU_CMD_HDR(PPU_CMD_NOP, words, 0) };

	bench_words(ch, w, words);
}

void bench_acquire(struct bench_chan *ch, uint32_t flags, uint64_t va, uint64_t value)
{
	cmd(ch, PPU_CMD_SEM_ACQUIRE, flags, "66", va, value);
}

void bench_release(struct bench_chan *ch, uint32_t flags, uint64_t va, uint64_t value)
{
	cmd(ch, PPU_CMD_SEM_RELEASE, flags, "66", va, value);
}

void bench_inc(struct bench_chan *ch, uint32_t flags, uint64_t va)
{
	cmd(ch, PPU_CMD_SEM_INC, flags, "6", va);
}

void bench_dec(struct bench_chan *ch, uint32_t flags, uint64_t va)
{
	cmd(ch, PPU_CMD_SEM_DEC, flags, "6", va);
}

void bench_wfi(struct bench_chan *ch)
{
	cmd(ch, PPU_CMD_WFI, 0, "");
}

void bench_timestamp(struct bench_chan *ch, uint64_t va)
{
	cmd(ch, PPU_CMD_TIMESTAMP, 0, "6", va);
}

void bench_intr(struct bench_chan *ch, uint32_t cookie)
{
	cmd(ch, PPU_CMD_INTR, 0, "3", (uint64_t)cookie);
}

void bench_launch(struct bench_chan *ch, uint64_t tmd)
{
	cmd(ch, PPU_CMD_LAUNCH, 0, "6", tmd);
}

void bench_refresh(struct bench_chan *ch, uint32_t chid)
{
	cmd(ch, PPU_CMD_QUEUE_REFRESH, 0, "3", (uint64_t)chid);
}

void bench_copy(struct bench_chan *ch, uint64_t src, uint64_t dst, uint64_t bytes)
{
	cmd(ch, PPU_CMD_COPY, 0, "666", src, dst, bytes);
}

void bench_copy2d(struct bench_chan *ch, uint64_t src, uint64_t dst, uint64_t src_pitch,
		  uint64_t dst_pitch, uint32_t width, uint32_t rows)
{
	cmd(ch, PPU_CMD_COPY_2D, 0, "666633", src, dst, src_pitch, dst_pitch, (uint64_t)width,
	    (uint64_t)rows);
}

void bench_fill(struct bench_chan *ch, unsigned log2, uint64_t dst, uint64_t value, uint64_t count)
{
	cmd(ch, PPU_CMD_FILL, log2, "666", dst, value, count);
}

void bench_fill2d(struct bench_chan *ch, unsigned log2, uint64_t dst, uint64_t pitch,
		  uint64_t value, uint32_t width, uint32_t rows)
{
	cmd(ch, PPU_CMD_FILL_2D, log2, "66633", dst, pitch, value, (uint64_t)width, (uint64_t)rows);
}

uint64_t bench_block(struct bench_chan *ch, uint32_t *words)
{
	struct bench_ctx *c = ch->c;
	uint64_t bytes = ch->n * 4ull, va;

	if (!ch->n)
		die("empty block");
	if (c->cmd_left < bytes) {
		c->cmd_left = bytes > CMD_BYTES ? bytes : CMD_BYTES;
		c->cmd_va = bench_alloc(c, c->cmd_left, BENCH_VRAM);
	}
	va = c->cmd_va;
	bench_write(c, va, ch->w, bytes);
	c->cmd_va += bytes;
	c->cmd_left -= bytes;
	*words = ch->n;
	ch->n = 0;
	return va;
}

void bench_push(struct bench_chan *ch)
{
	uint32_t words;
	uint64_t va = bench_block(ch, &words);

	bench_entry(ch, ch->put, va, words, 0);
	ch->put = (ch->put + 1) % ch->entries;
}

void bench_submit(struct bench_chan *ch)
{
	if (ch->n)
		bench_push(ch);
	bench_doorbell(ch, ch->put);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

void bench_watch(struct bench *b)
{
	b->before = malloc(b->cfg.vram);
	b->reported = malloc(b->cfg.vram / PPU_PAGE_SIZE);
	if (!b->before || !b->reported)
		die("out of memory");
}

/* The device begins to run.  What the test has written itself is nobody's business. */
static void watch(struct bench *b)
{
	if (!b->before)
		return;
	memcpy(b->before, b->vram, b->vram_next);
	memset(b->reported, 0, b->cfg.vram / PPU_PAGE_SIZE);
}

static void watched_pages(struct bench *b)
{
	char what[80];

	for (uint64_t at = 0; b->before && at < b->vram_next; at += PPU_PAGE_SIZE) {
		if (b->reported[at / PPU_PAGE_SIZE] || !memcmp(b->before + at, b->vram + at, PPU_PAGE_SIZE))
			continue;
		snprintf(what, sizeof(what), "the page at %llx was written and not reported", (unsigned long long)at);
		die(what);
	}
}

bool bench_run(struct bench *b)
{
	bool idle;

	watch(b);
	idle = ppu_core_run_idle(b->core, ppu_core_time(b->core) + 100000000000ull);
	watched_pages(b);
	return idle;
}

void bench_run_to(struct bench *b, uint64_t t)
{
	watch(b);
	while (ppu_core_run(b->core, t) < t)
		;
	watched_pages(b);
}

void bench_run_for(struct bench *b, uint64_t ns)
{
	bench_run_to(b, ppu_core_time(b->core) + ns);
}

/* ---- trace -------------------------------------------------------------------------------------------------------- */

void bench_clear(struct bench *b)
{
	b->num_trace = 0;
}

const struct ppu_trace_rec *bench_find(struct bench *b, unsigned event, int unit, unsigned nth)
{
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == event && (unit < 0 || b->trace[i].unit == unit) && !nth--)
			return &b->trace[i];
	return NULL;
}

size_t bench_count(struct bench *b, unsigned event, int unit)
{
	size_t n = 0;

	for (size_t i = 0; i < b->num_trace; i++)
		n += b->trace[i].event == event && (unit < 0 || b->trace[i].unit == unit);
	return n;
}

static FILE *text_open(struct bench *b, size_t *len)
{
	FILE *f;

	free(b->text);
	b->text = NULL;
	f = open_memstream(&b->text, len);
	if (!f)
		die("out of memory");
	return f;
}

const char *bench_sem_text(struct bench *b, uint64_t va)
{
	bool first = true;
	size_t len;
	FILE *f = text_open(b, &len);

	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event != PPU_TR_SEM_WRITE || r->b != va)
			continue;
		if (first)
			fprintf(f, "%llu", (unsigned long long)r->c);
		fprintf(f, " %llu", (unsigned long long)r->d);
		first = false;
	}
	fclose(f);
	return b->text;
}

const char *bench_copies_text(struct bench *b)
{
	const char *sep = "";
	size_t len;
	FILE *f = text_open(b, &len);

	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event != PPU_TR_CE_DONE)
			continue;
		fprintf(f, "%s%u.%llu", sep, r->a, (unsigned long long)r->b);
		sep = " ";
	}
	fclose(f);
	return b->text;
}

void bench_dump(struct bench *b)
{
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];
		const char *name = "?";

		switch (r->event) {
#define T(n, num, u, a, b_, c, d, doc) case num: name = #n; break;
		PPU_TRACE_EVENTS(T)
#undef T
		}
		fprintf(stderr, "%10llu %-12s unit %-3u a %-4u b %llx c %llx d %llx\n",
			(unsigned long long)r->time, name, r->unit, r->a, (unsigned long long)r->b,
			(unsigned long long)r->c, (unsigned long long)r->d);
	}
}
