/* SPDX-License-Identifier: MIT */
/* Contexts: the instance block's checks, STOP, FORGET, faults that stop one context and no other. */
#include <stdlib.h>
#include <string.h>
#include "core/memory/ctx.h"
#include "bench.h"
#include "bench_main.h"

START_TEST(load_checks)
{
	for (unsigned i = 0;; i++) {
		struct bench *b = bench_new("device-priorities=4");
		struct bench_ctx *c = bench_ctx_make(b);
		uint32_t want = PPU_CTX_BAD;

		switch (i) {
		case 0: want = PPU_CTX_LOADED; break;
		case 1: c->blk->magic++; break;
		case 2: c->blk->version++; break;
		case 3: c->blk->flags = 1; break;
		case 4: c->blk->reserved[0] = 1; break;
		case 5: c->blk->reserved[498] = 1; break;
		case 6: c->blk->pt_root |= 2; break;
		case 7: c->blk->pt_root = 16 << 20; break;
		case 8: c->blk->max_depth = 0; break;
		case 9: c->blk->max_depth = PPU_MAX_DEPTH + 1; break;
		case 10: c->blk->prio_ceiling = 4; break;
		case 11: c->blk->local_per_thread = 8; break;
		case 12: c->blk->local_base = 16 << 20; c->blk->local_size = 16; break;
		case 13: c->blk->tokq_base = 0; c->blk->tokq_size = (16 << 20) + 16; break;
		case 14: c->blk->save_base = 8; c->blk->save_size = 16; break;
		case 15: c->blk->save_base = 16; c->blk->save_size = ~0ull; break;
		case 16: c->blk->save_base = ~15ull; c->blk->save_size = 32; break;
		case 17: c->blk->local_size = 0; break;		/* a base without a size */
		case 18: c->inst |= 2; break;
		case 19: c->inst = 16 << 20; break;
		case 20: c->inst = 0x10001; break;		/* no RAM there */
		case 21: c->blk->pt_root = 1; want = PPU_CTX_LOADED; break;	/* found out later */
		case 22: c->blk->save_base = (16 << 20) - 16; c->blk->save_size = 32; break;
		case 23: c->blk->owner = ~0ull; want = PPU_CTX_LOADED; break;
		default: bench_free(b); return;
		}
		ck_assert_msg(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD) == want, "case %u", i);
		ck_assert_uint_eq(b->guest_errors, want == PPU_CTX_BAD);
		ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_FORGET), 0);
		bench_free(b);
	}
}
END_TEST

/* In system memory; a refused re-load keeps the old one; a good one clears STOPPED. */
START_TEST(reload)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_make(b);
	uint64_t bus = bench_ram(b, 4096);

	memcpy(b->ram + (bus - BENCH_RAM_BASE), c->blk, 4096);
	c->blk = (struct ppu_inst_block *)(b->ram + (bus - BENCH_RAM_BASE));
	c->inst = bus | 1;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	c->blk->max_depth = 7;
	ck_assert_uint_eq(ppu_ctx_find(b->core, c->inst)->blk.max_depth, 4);
	c->blk->version = 9;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED | PPU_CTX_BAD);
	ck_assert_uint_eq(ppu_ctx_find(b->core, c->inst)->blk.max_depth, 4);
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_STOP),
			  PPU_CTX_LOADED | PPU_CTX_BAD | PPU_CTX_STOPPED);
	c->blk->version = PPU_INST_VERSION;
	c->blk->owner = 1;		/* a context keeps its owner */
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED | PPU_CTX_BAD | PPU_CTX_STOPPED);
	c->blk->owner = 0;
	ck_assert_uint_eq(bench_ctx_cmd(c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	ck_assert_uint_eq(ppu_ctx_find(b->core, c->inst)->blk.max_depth, 7);
	bench_ctx_cmd(c, 77);
	ck_assert_uint_eq(b->guest_errors, 3);
	bench_free(b);
}
END_TEST

struct two {
	struct bench *b;
	struct bench_ctx *c, *d;
	struct bench_chan *copy, *sem, *idle, *task, *other;
	uint64_t buf, s, os;
};

/* A context with a running copy, a blocked channel, a running task; and another one beside it. */
static struct two two_new(void)
{
	struct two t = { .b = bench_new("copy-engines=1") };

	t.c = bench_ctx_new(t.b);
	t.d = bench_ctx_new(t.b);
	t.buf = bench_alloc(t.c, 4 << 20, BENCH_VRAM);
	t.s = bench_alloc(t.c, 4096, BENCH_VRAM);
	t.os = bench_alloc(t.d, 4096, BENCH_VRAM);
	t.copy = bench_chan_new(t.c, PPU_CLASS_COPY, 8);
	t.sem = bench_chan_new(t.c, PPU_CLASS_COMPUTE, 8);
	t.idle = bench_chan_new(t.c, PPU_CLASS_COMPUTE, 8);
	t.task = bench_chan_new(t.c, PPU_CLASS_COMPUTE, 8);
	t.other = bench_chan_new(t.d, PPU_CLASS_COPY, 8);
	bench_fill(t.copy, 0, t.buf, 1, 4 << 20);
	bench_submit(t.copy);
	bench_acquire(t.sem, 0, t.s, 1);
	bench_release(t.sem, 0, t.s + 8, 1);
	bench_submit(t.sem);
	bench_launch(t.task, bench_sleep_task(t.c, 1000000));
	bench_submit(t.task);
	bench_run_for(t.b, 30000);
	bench_fill(t.other, 3, t.os, 5, 1);
	bench_inc(t.other, 0, t.os);
	bench_submit(t.other);
	ck_assert_uint_eq(bench_ctx_cmd(t.c, 0) & PPU_CTX_BUSY, PPU_CTX_BUSY);
	return t;
}

static void check_stopped(struct two *t, unsigned err)
{
	struct bench_chan *ch[] = { t->copy, t->sem, t->idle, t->task };

	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_ERROR), err);
		ck_assert(!(bench_chan_reg(ch[i], PPU_REG_CH_STATUS) &
			    (PPU_CHS_ENABLED | PPU_CHS_RUNNING)));
		ck_assert_uint_eq(bench_chan_reg(ch[i], PPU_REG_CH_TASKS), 0);
		ck_assert(bench_reg(t->b, PPU_REG_CHERR_PENDING) & 1u << ch[i]->id);
	}
	bench_wr64(t->c, t->s, 1);
	bench_kick(t->sem);
	ck_assert(bench_run(t->b));
	ck_assert_uint_eq(bench_rd64(t->c, t->s + 8), 0);
	ck_assert_uint_eq(bench_rd64(t->c, t->buf + (4 << 20) - 8), 0);
	ck_assert_uint_eq(bench_rd64(t->d, t->os), 6);
	ck_assert_uint_eq(bench_chan_reg(t->other, PPU_REG_CH_ERROR), 0);
	ck_assert_uint_eq(bench_count(t->b, PPU_TR_CE_ABORT, -1), 1);
}

START_TEST(stop)
{
	struct two t = two_new();

	ck_assert_uint_eq(bench_ctx_cmd(t.c, PPU_CTX_CMD_STOP), PPU_CTX_LOADED | PPU_CTX_STOPPED);
	check_stopped(&t, PPU_ERR_CTX_STOPPED);
	bench_free(t.b);
}
END_TEST

START_TEST(forget)
{
	struct two t = two_new();
	uint64_t inst = t.c->inst;

	ck_assert_uint_eq(bench_ctx_cmd(t.c, PPU_CTX_CMD_FORGET), 0);
	ck_assert_ptr_null(ppu_ctx_find(t.b->core, inst));
	check_stopped(&t, PPU_ERR_CTX_STOPPED);
	/* The memory of the block may be used for other things; the same address may become a context again. */
	ck_assert_uint_eq(bench_ctx_cmd(t.c, PPU_CTX_CMD_LOAD), PPU_CTX_LOADED);
	bench_chan_set(t.sem, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	bench_chan_enable(t.sem);
	t.sem->put = 0;
	bench_inc(t.sem, 0, t.s + 8);
	bench_submit(t.sem);
	ck_assert(bench_run(t.b));
	ck_assert_uint_eq(bench_rd64(t.c, t.s + 8), 1);
	bench_free(t.b);
}
END_TEST

START_TEST(fault_stops_its_context_only)
{
	struct two t = two_new();
	struct ppu_fault_rec rec = { .code = PPU_ERR_MMU_UNMAPPED, .unit = PPU_UNIT_SM,
				     .channel = (uint16_t)t.task->id, .va = 0x1234 };

	ppu_ctx_fault(t.b->core, ppu_ctx_find(t.b->core, t.c->inst), &rec);
	ck_assert_uint_eq(bench_reg(t.b, PPU_REG_FAULT_TOTAL), 1);
	ck_assert_uint_eq(bench_ctx_cmd(t.c, 0), PPU_CTX_LOADED | PPU_CTX_FAULTED);
	check_stopped(&t, PPU_ERR_MMU_UNMAPPED);
	ck_assert_uint_eq(bench_reg(t.b, PPU_REG_FAULT_TOTAL), 1);
	bench_free(t.b);
}
END_TEST

/* The fault ring: the first faults are kept, the others counted; reading consumes. */
START_TEST(fault_ring)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	uint32_t get;

	bench_set(b, PPU_REG_INTR_ENABLE, PPU_INTR_FAULT);
	for (unsigned i = 0; i < 100; i++) {
		bench_doorbell(ch, 8 + i);
		ck_assert_uint_eq(bench_chan_reg(ch, PPU_REG_CH_ERROR), PPU_ERR_PUT_RANGE);
		bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
		bench_chan_enable(ch);
	}
	ck_assert_uint_eq(b->irqs[PPU_VEC_ERROR], 1);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_TOTAL), 100);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_LOST), 100 - 63);
	for (unsigned i = 0; i < 63; i++) {
		get = bench_reg(b, PPU_REG_FAULT_GET);
		ck_assert_uint_ne(get, bench_reg(b, PPU_REG_FAULT_PUT));
		bench_set(b, PPU_REG_FAULT_SEL, offsetof(struct ppu_fault_rec, seq) / 4);
		ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_DATA), i);
		bench_set(b, PPU_REG_FAULT_SEL, PPU_FAULT_REC_WORDS);	/* behind the record there is nothing */
		for (unsigned k = 0; k < PPU_FAULT_REC_WORDS; k++)
			ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_DATA), 0);
		bench_set(b, PPU_REG_FAULT_GET, get + 1);	/* counted modulo the ring */
	}
	get = bench_reg(b, PPU_REG_FAULT_GET);
	ck_assert_uint_eq(get, bench_reg(b, PPU_REG_FAULT_PUT));
	bench_set(b, PPU_REG_FAULT_GET, get + 1);		/* not past PUT */
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_GET), get);
	bench_set(b, PPU_REG_FAULT_SEL, offsetof(struct ppu_fault_rec, code) / 4);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_FAULT_DATA), 0);
	bench_free(b);
}
END_TEST

/* Copies of the tables on the way to va; returns the root and the entry of va's page in it. */
static uint64_t clone_tables(struct bench_ctx *c, uint64_t va, uint64_t **leaf)
{
	uint64_t root = 0, *parent = NULL;

	for (unsigned level = PPU_PT_LEVELS; level-- > 0;) {
		uint64_t *entry = bench_pte(c, va, level);
		uint64_t index = (va >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES;
		uint64_t page = bench_vram(c->b, 4096), *table = (uint64_t *)(c->b->vram + page);

		memcpy(table, entry - index, 4096);
		if (parent)
			*parent = page | PPU_PTE_VALID;
		else
			root = page;
		parent = &table[index];
	}
	*leaf = parent;
	return root;
}

/* LOAD with other page tables: old translations are not used any more, not even for channels that wait. */
START_TEST(load_again_with_other_tables)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b);
	uint64_t s = bench_alloc(c, 4096, BENCH_VRAM), page, root, *leaf;
	struct bench_chan *waits = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);

	bench_acquire(waits, PPU_SEM_OP_EQ, s, 7);
	bench_submit(waits);
	bench_inc(ch, 0, s + 8);
	bench_submit(ch);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_rd64(c, s + 8), 1);
	bench_inc(ch, 0, s + 8);		/* write the block before the tables are copied */
	bench_push(ch);
	page = bench_vram(b, 4096);
	root = clone_tables(c, s, &leaf);
	*leaf = page | PPU_PTE_VALID;
	*(uint64_t *)(b->vram + page) = 7;
	c->blk->pt_root = root;
	bench_ctx_cmd(c, PPU_CTX_CMD_LOAD);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_get(waits), 1);	/* without a kick */
	bench_doorbell(ch, ch->put);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(*(uint64_t *)(b->vram + page + 8), 1);
	bench_free(b);
}
END_TEST

/* CTX_STATUS says that a copy of the context is in progress: its memory is in use. */
START_TEST(busy_while_copying)
{
	struct bench *b = bench_new(NULL);
	struct bench_ctx *c = bench_ctx_new(b), *other = bench_ctx_new(b);
	uint64_t buf = bench_alloc(c, 1 << 20, BENCH_VRAM);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);

	bench_fill(ch, 0, buf, 1, 1 << 20);
	bench_submit(ch);
	bench_run_for(b, 20000);
	bench_set(b, PPU_REG_CTX_INST_LO, (uint32_t)other->inst);
	bench_set(b, PPU_REG_CTX_INST_HI, (uint32_t)(other->inst >> 32));
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CTX_STATUS), PPU_CTX_LOADED);
	bench_set(b, PPU_REG_CTX_INST_LO, (uint32_t)c->inst);
	bench_set(b, PPU_REG_CTX_INST_HI, (uint32_t)(c->inst >> 32));
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CTX_STATUS), PPU_CTX_LOADED | PPU_CTX_BUSY);
	ck_assert(bench_run(b));
	ck_assert_uint_eq(bench_reg(b, PPU_REG_CTX_STATUS), PPU_CTX_LOADED);
	bench_free(b);
}
END_TEST

BENCH_MAIN("ctx", load_again_with_other_tables, busy_while_copying, load_checks, reload, stop, forget,
	   fault_stops_its_context_only, fault_ring)
