/* SPDX-License-Identifier: MIT */
/*
 * A bench on the host: a core with VRAM and simulated system RAM, and what a driver would do: page tables, instance
 * blocks, channels, command blocks. It captures the trace and counts interrupts.
 *
 *   struct bench *b = bench_new("vram=16M copy-engines=1");   // properties, may be NULL
 *   struct bench_ctx *c = bench_ctx_new(b);                     // instance block + page tables, loaded
 *   uint64_t buf = bench_alloc(c, 65536, BENCH_VRAM);           // GPU virtual address
 *   struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
 *   bench_copy(ch, src, dst, n); bench_release(ch, 0, sem, 1);  // commands of one block
 *   bench_submit(ch);                                           // block -> ring entry -> GP_PUT
 *   bench_run(b);                                               // until idle
 *   ck_assert_uint_eq(bench_rd64(c, sem), 1);
 *   bench_free(b);                                              // and everything made from it
 *
 * Mistakes in the use of the bench itself abort.
 */
#ifndef BENCH_H
#define BENCH_H

#include "core/ppu_core.h"
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>

#define BENCH_RAM_BASE	0x0000000040000000ull	/* bus address of the simulated system RAM */
#define BENCH_RAM_BYTES	(64ull << 20)

/* Where bench_alloc() takes memory from, | PPU_PTE_READONLY, PPU_PTE_NOEXEC, PPU_PTE_PRIV. */
#define BENCH_VRAM	(1ull << 60)
#define BENCH_SYS	(1ull << 61)	/* system RAM, contiguous */
#define BENCH_SCATTER	(1ull << 62)	/* system RAM, 4 KiB pages in mixed order */
#define BENCH_LARGE	(1ull << 59)	/* VRAM in 2 MiB pages */

struct bench_ctx;
struct bench_chan;
struct ptmem;

struct bench {
	struct ppu_config cfg;
	struct ppu_ports ports;
	struct ppu_core *core;
	uint8_t *vram, *ram;
	uint64_t vram_next, ram_next;	/* bump allocators, offsets */
	bool dma_off;			/* system memory cannot be reached */
	uint64_t map_max;		/* the map port gives at most this much, 0: no limit */
	uint8_t *ram_far;		/* not NULL: where RAM from bus offset ram_far_from to ram_far_to is */
	uint64_t ram_far_from, ram_far_to;
	uint64_t vram_dirty, ram_dirty;	/* bytes reported dirty */
	uint8_t *before;		/* bench_watch(): VRAM as it was when the device began to run */
	uint8_t *reported;		/* and for each page whether it was reported since */

	struct ppu_trace_rec *trace;
	size_t num_trace, cap_trace;
	unsigned irqs[PPU_NUM_VECTORS];
	unsigned guest_errors;
	char last_error[200];

	struct bench_ctx *ctxs;
	unsigned num_chans;
	char *text;			/* result of the last bench_*_text() */
};

struct bench_ctx {
	struct bench *b;
	struct bench_ctx *next;
	uint64_t inst;			/* physical address | aperture */
	struct ptmem *pt;
	struct ppu_inst_block *blk;	/* host pointer: change it, then bench_ctx_cmd(LOAD) */
	uint64_t va_next;
	uint64_t cmd_va, cmd_left;	/* memory for command blocks */
	struct bench_chan *chans;
};

struct bench_chan {
	struct bench_ctx *c;
	struct bench_chan *next;
	unsigned id;
	uint32_t cls, entries, put;	/* put: next entry to fill */
	uint64_t ring;
	uint32_t *w;			/* commands of the block being built */
	uint32_t n, cap;
};

/* Properties "name=value ...", on top of: 16 MiB VRAM, 64 channels, 1 GPC with 2 SMs of 8 warps. */
struct bench *bench_new(const char *props);
void bench_free(struct bench *b);
/* The same bench with a new core, for save/restore: the state of the old core is lost. */
void bench_new_core(struct bench *b);
/* Saves the device's state and loads it into a new core. */
void bench_reload(struct bench *b);
/* The section of a unit in a saved state, behind its tag of four letters; NULL if there is none. */
uint8_t *bench_section(uint8_t *state, size_t len, const char *tag);
/* From now on, each page of VRAM that changes while the device runs has to be reported by the end of the run, as live
 * migration needs it. */
void bench_watch(struct bench *b);

uint32_t bench_reg(struct bench *b, uint64_t off);
void bench_set(struct bench *b, uint64_t off, uint32_t val);
uint64_t bench_ctr(struct bench *b, enum ppu_counter c);

/*
 * SP-6: with PPU_TURNED_DEVICE=1 in the environment device priorities go down (property priority-order), and nobody notices:
 * tests say bench_prio(7) where the device must see the number of the 8th from below, and the numbers in the trace are
 * turned back.  tests/unit/tasks/turned_device.sh runs them.
 */
unsigned bench_prio(unsigned prio);
/* A context with empty page tables. bench_ctx_make() does everything but CTX_CMD_LOAD. */
struct bench_ctx *bench_ctx_make(struct bench *b);
struct bench_ctx *bench_ctx_new(struct bench *b);
uint32_t bench_ctx_cmd(struct bench_ctx *c, uint32_t cmd);	/* returns CTX_STATUS */

/* TMD of a kernel that sleeps `ns` of device time and ends: one CTA, 32 threads. */
uint64_t bench_sleep_task(struct bench_ctx *c, uint32_t ns);

/* Physical memory: byte offset in VRAM / bus address, page aligned. */
uint64_t bench_vram(struct bench *b, uint64_t bytes);
uint64_t bench_ram(struct bench *b, uint64_t bytes);
/* Map [va, va + bytes) to phys with PTE flags (PPU_PTE_SYS...; VALID is added). */
void bench_map(struct bench_ctx *c, uint64_t va, uint64_t phys, uint64_t bytes, uint64_t flags);
void bench_unmap(struct bench_ctx *c, uint64_t va, uint64_t bytes);	/* and invalidate */
void bench_invalidate(struct bench_ctx *c);
/* Pointer to the PTE of va at a level (tables are made as needed). */
uint64_t *bench_pte(struct bench_ctx *c, uint64_t va, unsigned level);
/* Allocate and map, zeroed. Returns the virtual address. */
uint64_t bench_alloc(struct bench_ctx *c, uint64_t bytes, uint64_t where);
/* Access through the context's page tables, ignoring permissions. */
void *bench_ptr(struct bench_ctx *c, uint64_t va);		/* valid to the end of the 4 KiB page */
void bench_read(struct bench_ctx *c, uint64_t va, void *buf, uint64_t len);
void bench_write(struct bench_ctx *c, uint64_t va, const void *buf, uint64_t len);
uint64_t bench_rd64(struct bench_ctx *c, uint64_t va);
void bench_wr64(struct bench_ctx *c, uint64_t va, uint64_t v);
uint64_t bench_phys(struct bench_ctx *c, uint64_t va, bool *sys);

/* A channel: registers written, not enabled (change registers by bench_chan_set()), or enabled. */
struct bench_chan *bench_chan_make(struct bench_ctx *c, uint32_t cls, uint32_t entries);
struct bench_chan *bench_chan_new(struct bench_ctx *c, uint32_t cls, uint32_t entries);
void bench_chan_setup(struct bench_chan *ch);	/* writes the registers again, after a reset */
void bench_chan_enable(struct bench_chan *ch);
void bench_chan_set(struct bench_chan *ch, unsigned reg, uint32_t val);	/* PPU_REG_CH_* */
uint32_t bench_chan_reg(struct bench_chan *ch, unsigned reg);
uint32_t bench_get(struct bench_chan *ch);		/* USERD_GP_GET */
void bench_doorbell(struct bench_chan *ch, uint32_t put);
void bench_kick(struct bench_chan *ch);
void bench_entry(struct bench_chan *ch, uint32_t index, uint64_t va, uint32_t words, uint32_t flags);

/* Commands are collected until bench_block(). */
void bench_words(struct bench_chan *ch, const uint32_t *w, uint32_t n);
void bench_nop(struct bench_chan *ch, uint32_t words);
void bench_acquire(struct bench_chan *ch, uint32_t flags, uint64_t va, uint64_t value);
void bench_release(struct bench_chan *ch, uint32_t flags, uint64_t va, uint64_t value);
void bench_inc(struct bench_chan *ch, uint32_t flags, uint64_t va);
void bench_dec(struct bench_chan *ch, uint32_t flags, uint64_t va);
void bench_wfi(struct bench_chan *ch);
void bench_timestamp(struct bench_chan *ch, uint64_t va);
void bench_intr(struct bench_chan *ch, uint32_t cookie);
void bench_launch(struct bench_chan *ch, uint64_t tmd);
void bench_refresh(struct bench_chan *ch, uint32_t chid);
void bench_copy(struct bench_chan *ch, uint64_t src, uint64_t dst, uint64_t bytes);
void bench_copy2d(struct bench_chan *ch, uint64_t src, uint64_t dst, uint64_t src_pitch,
		  uint64_t dst_pitch, uint32_t width, uint32_t rows);
void bench_fill(struct bench_chan *ch, unsigned log2, uint64_t dst, uint64_t value, uint64_t count);
void bench_fill2d(struct bench_chan *ch, unsigned log2, uint64_t dst, uint64_t pitch,
		  uint64_t value, uint32_t width, uint32_t rows);
/* Put the block into memory; returns its address and length. */
uint64_t bench_block(struct bench_chan *ch, uint32_t *words);
/* Block -> next ring entry, without doorbell. */
void bench_push(struct bench_chan *ch);
/* The same, then GP_PUT. */
void bench_submit(struct bench_chan *ch);

/* Run until idle (false: still busy after 100 s of device time), for some time, up to a time. */
bool bench_run(struct bench *b);
void bench_run_for(struct bench *b, uint64_t ns);
void bench_run_to(struct bench *b, uint64_t t);

/* Trace. */
void bench_clear(struct bench *b);
size_t bench_count(struct bench *b, unsigned event, int unit);		/* unit -1: any */
const struct ppu_trace_rec *bench_find(struct bench *b, unsigned event, int unit, unsigned nth);
/* "0 1 0": values of the semaphore at va, first the one before the first write. */
const char *bench_sem_text(struct bench *b, uint64_t va);
/* "2.0 1.0": channel.copy of CE_DONE events in order. */
const char *bench_copies_text(struct bench *b);
void bench_dump(struct bench *b);					/* to stderr */

#endif
