/* SPDX-License-Identifier: MIT */
/*
 * Tasks for tests over the bench: kernels from assembly text, TMDs with up to 64 parameters.
 *
 *   struct kern k = kern_load(c, "...\nexit\n");
 *   struct ppu_tmd *t;
 *   uint64_t va = tmd_new(c, &k, &t);          // one CTA of 32 threads; change *t before launching
 *   tmd_param(t, 0, buffer);                   // 64-bit parameter 0
 *   bench_launch(ch, va);
 */
#ifndef TASKS_H
#define TASKS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_tmd.h>
#include <hw/ppu_trace.h>
#include "bench.h"
#include "ppu_image.h"

struct kern {
	uint64_t va;
	uint32_t insns, regs;
};

static inline struct kern kern_load(struct bench_ctx *c, const char *text)
{
	struct ppu_image *img;
	struct ppu_log log;
	struct kern k;
	char *whole = malloc(strlen(text) + 32);

	ppu_log_init(&log);
	strcpy(whole, ".kernel test_kernel\n");
	strcat(whole, text);
	ck_assert_msg(!ppu_assemble(whole, strlen(whole), "test", &img, &log), "%s", log.text);
	k.insns = img->num_insns;
	k.regs = ppu_image_find(img, "test_kernel")->regs;
	k.va = bench_alloc(c, k.insns * 16, BENCH_VRAM);
	bench_write(c, k.va, img->code, k.insns * 16);
	ppu_image_free(img);
	ppu_log_free(&log);
	free(whole);
	return k;
}

#define TMD_PARAMS 1024		/* offset of the parameters behind the TMD */

static inline uint64_t tmd_new_in(struct bench_ctx *c, const struct kern *k, struct ppu_tmd **out,
				  uint64_t where)
{
	uint64_t va = bench_alloc(c, 4096, where);
	struct ppu_tmd *t = bench_ptr(c, va);

	t->magic = PPU_TMD_MAGIC;
	t->version = PPU_TMD_VERSION;
	t->size = PPU_TMD_SIZE;
	t->regs_per_thread = (uint16_t)k->regs;
	t->code_va = k->va;
	t->code_insns = k->insns;
	t->grid[0] = t->grid[1] = t->grid[2] = 1;
	t->block[0] = 32;
	t->block[1] = t->block[2] = 1;
	t->param_va = va + TMD_PARAMS;
	*out = t;
	return va;
}

static inline uint64_t tmd_new(struct bench_ctx *c, const struct kern *k, struct ppu_tmd **out)
{
	return tmd_new_in(c, k, out, BENCH_VRAM);
}

static inline void tmd_param(struct ppu_tmd *t, unsigned i, uint64_t v)
{
	memcpy((char *)t + TMD_PARAMS + i * 8, &v, 8);
	if (t->param_bytes < (i + 1) * 8)
		t->param_bytes = (i + 1) * 8;
}

static inline void tmd_prio(struct ppu_tmd *t, unsigned prio)
{
	t->flags |= PPU_TMDF_PRIO_VALID;
	t->priority = (uint8_t)bench_prio(prio);
}

/* The TMD addresses of all events of a kind, in order. */
static inline unsigned trace_tmds(struct bench *b, unsigned event, uint64_t *v, unsigned max)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == event && n < max)
			v[n++] = b->trace[i].b;
	return n;
}

/* The n events of a kind name exactly these TMDs, in order. */
#define ASSERT_TMDS(b, event, ...) do { \
	const uint64_t want_[] = { __VA_ARGS__ }; \
	uint64_t got_[64]; \
	unsigned n_ = sizeof(want_) / sizeof(want_[0]); \
	ck_assert_uint_eq(trace_tmds(b, event, got_, 64), n_); \
	for (unsigned i_ = 0; i_ < n_; i_++) \
		ck_assert_msg(got_[i_] == want_[i_], "event %u of its kind is about another task", i_); \
} while (0)

#endif
