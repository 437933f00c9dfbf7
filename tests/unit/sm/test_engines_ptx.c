/* SPDX-License-Identifier: MIT */
/*
 * Random PTX on both engines, on whole devices.  At random times the state of both is saved, which must give the same
 * bytes, and sometimes each goes on from the state that the other one saved.  In the end memory, device time, counters and
 * traces are the same.
 *
 *   PPU_PTX_PROGRAMS=100000 PPU_PTX_SEED=7 build/unit-fast/test_engines_ptx
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include <hw/ppu_tmd.h>
#include "device_pair.h"
#include "engine_pair.h"
#include "ptx_random.h"
#include "run_suite.h"

#define PROGRAMS	64	/* of a pair of devices: their rings and memory for commands have an end */
#define CODE_BYTES	(128u << 10)
#define MAX_GRID	3
#define OUT_BYTES	(MAX_GRID * PTX_RANDOM_THREADS * PTX_RANDOM_WORDS * 4)

static const char *const devices[] = {
	"vram=4M",
	"vram=4M window-ns=300 token-queue-entries=64 sms-per-gpc=3",
	"vram=4M window-ns=100 sm-clock-khz=10000",		/* a window is a cycle */
	"vram=4M yield-every=3 yield-random=30000 branch-first=1",
	"vram=4M memory-timing=1 window-ns=700 l1-bytes=1K l1-insn-bytes=1K l1-const-bytes=1K l15-bytes=2K l2-slice-bytes=4K",
};
#define DEVICES	(sizeof(devices) / sizeof(devices[0]))

struct side {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t code, in, out, tmd;
};

static struct side side[2];
static struct bench *pair[2];

static void start(unsigned device)
{
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];
		char props[300];

		snprintf(props, sizeof(props), "%s engine=%u x-engine-without=%u", devices[device],
			 k ? EPAIR_TRANSLATE : EPAIR_INTERPRET, epair_without());
		s->b = pair[k] = bench_new(props);
		s->c = bench_ctx_new(s->b);
		s->ch = bench_chan_new(s->c, PPU_CLASS_COMPUTE, 2 * PROGRAMS);
		s->code = bench_alloc(s->c, CODE_BYTES, BENCH_VRAM);
		s->in = bench_alloc(s->c, PTX_RANDOM_THREADS * 32, BENCH_VRAM);
		s->out = bench_alloc(s->c, OUT_BYTES, BENCH_VRAM);
		s->tmd = bench_alloc(s->c, 4096, BENCH_VRAM);
	}
}

static struct ppu_image *compile(uint32_t seed, uint32_t *in)
{
	const struct ppu_ptx_options opt = { .opt_level = seed % 3 ? 0 : 1, .max_regs = seed % 5 ? 0 : 16 };
	char *text = ptx_random(seed * 7919, in);
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	if (ppu_ptx_compile(text, strlen(text), "random.ptx", &opt, &img, &log) || ppu_image_finish(img, &ppu_device_library, &log))
		ck_abort_msg("%s", log.text);
	/* Calls of functions of the same image. */
	for (uint32_t i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *r = &img->relocs[i];

		ck_assert_uint_eq(r->kind, PPU_REL_CODE_PC);
		PPU_SET(&img->code[r->where], IMM, (uint32_t)(img->symbols[r->symbol].value + (uint64_t)r->addend));
	}
	ppu_log_free(&log);
	free(text);
	return img;
}

static void launch(struct side *s, const struct ppu_image *img, const uint32_t *in, uint32_t seed)
{
	const struct ppu_symbol *sym = ppu_image_find(img, "k");
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .id = 1,
		.grid = { 1 + seed % MAX_GRID, 1, 1 }, .block = { 1 + seed * 13 % PTX_RANDOM_THREADS, 1, 1 }, .param_bytes = 16,
	};

	ck_assert(sym && img->num_insns * sizeof(*img->code) <= CODE_BYTES);
	t.entry_pc = (uint32_t)sym->value;
	t.code_insns = img->num_insns;
	t.code_va = s->code;
	t.regs_per_thread = (uint16_t)sym->regs;
	t.local_per_thread = sym->local_bytes;
	t.shared_bytes = sym->shared_bytes;
	t.param_va = s->tmd + 1024;
	bench_write(s->c, s->code, img->code, img->num_insns * sizeof(*img->code));
	bench_write(s->c, s->in, in, PTX_RANDOM_THREADS * 32);
	for (unsigned i = 0; i < OUT_BYTES; i += 4096)
		memset(bench_ptr(s->c, s->out + i), 0, 4096);
	bench_wr64(s->c, t.param_va, s->in);
	bench_wr64(s->c, t.param_va + 8, s->out);
	bench_write(s->c, s->tmd, &t, sizeof(t));
	bench_clear(s->b);
	bench_launch(s->ch, s->tmd);
	bench_wfi(s->ch);
	bench_submit(s->ch);
}

static bool program(uint32_t seed)
{
	static uint32_t in[PTX_RANDOM_THREADS * 8];
	struct ppu_image *img = compile(seed, in);
	unsigned cuts = seed * 11 % 7, every = 100 + seed * 37 % (seed % 2 ? 3000 : 30000), n = 0;
	uint64_t at = ppu_core_time(side[0].b->core);
	bool ok = true;

	for (unsigned k = 0; k < 2; k++)
		launch(&side[k], img, in, seed);
	while (ok && n < cuts) {
		at += 1 + (seed * 2654435761u >> n) % every;
		bench_run_to(side[0].b, at);
		bench_run_to(side[1].b, at);
		ok = dpair_states(pair, (seed + n++) % 3 == 0);
	}
	ck_assert(!ok || (bench_run(side[0].b) && bench_run(side[1].b)));
	ppu_image_free(img);
	return ok && dpair_same(pair);
}

/* _i: the device */
START_TEST(random_programs)
{
	const char *n = getenv("PPU_PTX_PROGRAMS"), *first = getenv("PPU_PTX_SEED");
	uint64_t want = (n ? strtoull(n, NULL, 0) : 60) / DEVICES + 1, from = first ? strtoull(first, NULL, 0) : 1;

	for (uint64_t i = 0; i < want; i++) {
		uint32_t seed = (uint32_t)(from + i * DEVICES + (uint64_t)_i);

		if (i % PROGRAMS == 0) {
			if (i)
				dpair_free(pair);
			start((unsigned)_i);
		}
		ck_assert_msg(program(seed), "seed %u, device %d: %s", seed, _i, dpair_why);
	}
	dpair_free(pair);
	ck_assert_uint_ge(dpair_translated, epair_translates() ? want : 0);
	ck_assert_uint_ge(dpair_stops, want < 10 ? 0 : want);
	ck_assert_uint_ge(dpair_loads, want < 10 ? 0 : want / 2);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_ptx");
	TCase *t = tcase_create("random");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, random_programs, 0, (int)DEVICES);
	suite_add_tcase(su, t);
	return run_suite(su);
}
