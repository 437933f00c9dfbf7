/* SPDX-License-Identifier: MIT */
/* Save and restore of running SMs: the same results wherever a run is interrupted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include <hw/ppu_tmd.h>
#include "bench.h"
#include "bench_main.h"
#include "core/sm/seat.h"
#include "cta_text.h"

/* Divergence, YIELD, barriers, shared and local memory, calls, atomics, sleeping. */
static const char kernel[] =
	"s2r r2, %tid.x\n"
	"s2r r3, %ctaid.x\n"
	"ld.param.u64 rd10, [0]\n"
	"mad.u32 r4, r3, 80, r2\n"
	"madw.u32 rd12, r4, 4, rd10\n"
	"mov.u32 r8, 0\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
	"and.u32 r6, r4, 15\n"
	"st.global.u32 [rd12+16384], r6\n"	/* waits in the buffer, where there is one */
	"loop: add.u32 r5, r5, 1\n"
	"atom.shared.add.u32 rz, [r8], r9\n"
	"yield\n"
	"setp.lt.u32 p1, r5, r6\n"
	"@p1 bra loop\n"
	"st.local.u32 [r8+16], r5\n"
	"bar.popc r7, 0, p1\n"
	"ssy L\n"
	"and.u32 r6, r2, 1\n"
	"setp.eq.u32 p1, r6, 0\n"
	"@p1 bra E\n"
	"cal r14, f\n"
	"sync L\n"
	"E: nanosleep 2500\n"
	"sync L\n"
	"L: ld.shared.u32 r6, [r8]\n"
	"ld.local.u32 r5, [r8+16]\n"
	"bar.sync 1\n"
	"shfl.bfly.full r7, r5, 1, 31\n"
	"add.u32 r6, r6, r7\n"
	"st.global.u32 [rd12], r6\n"
	"exit\n"
	"f: add.u32 r9, r9, 5\n"
	"yield\n"
	"add.u32 r9, r9, 5\n"
	"ret r14\n";

struct load {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *ch;
	uint64_t data;
};

static struct load load_new(const char *props)
{
	struct load l;
	struct ppu_image *img;
	struct ppu_log log;
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.regs_per_thread = 16, .grid = { 9, 1, 1 }, .block = { 80, 1, 1 },
		.shared_bytes = 64, .local_per_thread = 32, .param_bytes = 8, .num_barriers = 2,
	};
	uint64_t va;

	l.b = bench_new(props);
	l.c = bench_ctx_new(l.b);
	l.ch = bench_chan_new(l.c, PPU_CLASS_COMPUTE, 16);
	l.data = bench_alloc(l.c, 65536, BENCH_VRAM);
	va = bench_alloc(l.c, 4096, BENCH_VRAM);
	t.code_va = bench_alloc(l.c, 4096, BENCH_VRAM);
	ppu_log_init(&log);
	if (ppu_assemble(kernel, strlen(kernel), "kernel", &img, &log))
		ck_abort_msg("%s", log.text);
	t.code_insns = img->num_insns;
	bench_write(l.c, t.code_va, img->code, img->num_insns * sizeof(*img->code));
	ppu_image_free(img);
	ppu_log_free(&log);
	for (int i = 0; i < 2; i++) {
		t.id = 100 + i;
		t.param_va = va + 1024 + 16 * i;
		bench_wr64(l.c, t.param_va, l.data + 8192 * i);
		bench_write(l.c, va + 256 * i, &t, sizeof(t));
		bench_launch(l.ch, va + 256 * i);
	}
	bench_wfi(l.ch);
	bench_release(l.ch, 0, l.data + 32768, 77);
	bench_submit(l.ch);
	return l;
}

static void check_result(struct load *l)
{
	if (bench_rd64(l->c, l->data + 32768) != 77) {
		bench_dump(l->b);
		ck_abort_msg("the kernels did not end");
	}
	for (unsigned k = 0; k < 2; k++)
		for (unsigned c = 0; c < 9; c++) {
			uint32_t sum = 0, got;

			for (unsigned i = 0; i < 80; i++)
				sum += ((c * 80 + i) & 15) ? (c * 80 + i) & 15 : 1;
			for (unsigned i = 0; i < 80; i++) {
				uint32_t o = (c * 80 + (i ^ 1)) & 15;

				bench_read(l->c, l->data + 8192 * k + (c * 80 + i) * 4, &got, 4);
				if (got != sum + (o ? o : 1))
					ck_abort_msg("kernel %u CTA %u thread %u: %u", k, c, i, got);
			}
		}
}

static const char *const props[] = {
	"", "window-ns=1000 ctas-per-sm=2", "window-ns=300 token-queue-entries=16 sms-per-gpc=3",
	"yield-every=3 yield-random=30000 branch-first=1",
	"store-delay-ns=900 store-reorder=1 window-ns=300 cache-model=1",
	"memory-timing=1 window-ns=700 l1-bytes=1K l1-insn-bytes=1K l1-const-bytes=1K l15-bytes=2K l2-slice-bytes=4K "
	"stores-per-sm=4 dram-mbps=2000",
};

#define MAX_CTAS	64

/* Texts of the CTAs on all SMs. */
static unsigned ctas_text(struct bench *b, char *text[MAX_CTAS])
{
	unsigned i, k, n = 0;

	for (i = 0; i < b->core->num_sms; i++) {
		ppu_seat_warps(&b->core->sms[i]);
		for (k = 0; k < b->core->sms[i].num_ctas; k++)
			if (b->core->sms[i].cta[k].task) {
				ck_assert_uint_lt(n, MAX_CTAS);
				text[n++] = cta_text(&b->core->sms[i], &b->core->sms[i].cta[k]);
			}
	}
	return n;
}

static void save_and_load(struct bench *b)
{
	uint8_t *bytes = NULL, *again = NULL;
	size_t len = 0, len2 = 0;
	char *err = NULL, *before[MAX_CTAS], *after[MAX_CTAS];
	unsigned n = ctas_text(b, before), i;

	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	b->num_trace--;
	if (ppu_core_load(b->core, bytes, len, &err))
		ck_abort_msg("load: %s", err);
	ck_assert_int_eq(ppu_core_save(b->core, &again, &len2), 0);
	ck_assert_uint_eq(len, len2);
	ck_assert_int_eq(memcmp(bytes, again, len), 0);
	free(bytes);
	free(again);
	ck_assert_uint_eq(ctas_text(b, after), n);
	for (i = 0; i < n; i++) {
		ck_assert_msg(!*cta_text_differs(before[i], after[i]), "%s", cta_text_differs(before[i], after[i]));
		free(before[i]);
		free(after[i]);
	}
}

/* Gives parts of the state values that they seldom have. */
static void poke(struct bench *b)
{
	for (unsigned i = 0; i < b->core->num_sms; i++) {
		b->core->sms[i].cta[0].bar[5].busy = b->core->sms[i].cta[0].task;
		b->core->sms[i].cta[0].bar[5].count = b->core->sms[i].cta[0].task ? 64 : 0;
		for (unsigned k = 0; k < b->core->sms[i].num_warps; k++) {
			struct ppu_warp *w = &b->core->sms[i].warp[k];

			if (!w->cta)
				continue;
			w->v.pred[1] = 0x1234567;
			w->retried = true;
			w->ycount = 3 + k;
			w->sync_wait = w->live & 0xf0f0f;
			w->bar_rel = w->live & 0x333;
			for (unsigned l = 0; l < PPU_LANES; l++) {
				w->lane_ycount[l] = l * k + 1;
				w->bar_val[l] = ~l;
			}
		}
	}
}

/* Each part of what a CTA is comes back, and has been in use when the state was saved. */
START_TEST(every_part_is_in_the_state)
{
	for (unsigned i = 0; i < 32; i++) {
		uint64_t t = 4000 + (i & 1 ? 800 : 250) * i;
		struct load l = load_new(i & 1 ? "window-ns=100 sm-clock-khz=10000" : "window-ns=100 ctas-per-sm=2");


		bench_run_to(l.b, t);
		save_and_load(l.b);
		poke(l.b);
		save_and_load(l.b);
		bench_free(l.b);
	}
	ck_assert_msg(!*cta_text_unused(), "never in use: %s", cta_text_unused());
}
END_TEST

START_TEST(stop_save_load_continue)
{
	for (unsigned k = 0; k < sizeof(props) / sizeof(props[0]); k++) {
		struct load ref = load_new(props[k]), l = load_new(props[k]);
		unsigned seed = k, stops = 0;
		uint64_t end;

		bench_watch(l.b);
		ck_assert(bench_run(ref.b));
		check_result(&ref);
		end = ppu_core_time(ref.b->core);
		for (uint64_t t = 0; t < end; stops++) {
			t += 1 + (unsigned)rand_r(&seed) % 1500;
			bench_run_to(l.b, t < end ? t : end);
			save_and_load(l.b);
		}
		ck_assert_uint_gt(stops, 10);
		check_result(&l);
		for (size_t i = 0; i < ref.b->num_trace && i < l.b->num_trace; i++)
			if (memcmp(&ref.b->trace[i], &l.b->trace[i], sizeof(*l.b->trace)))
				ck_abort_msg("props %u: trace differs at record %zu, time %llu: event %u, was %u", k,
					     i, (unsigned long long)ref.b->trace[i].time,
					     l.b->trace[i].event, ref.b->trace[i].event);
		ck_assert_uint_eq(ref.b->num_trace, l.b->num_trace);
		ck_assert_int_eq(memcmp(ref.b->vram, l.b->vram, ref.b->cfg.vram), 0);
		bench_free(ref.b);
		bench_free(l.b);
	}
}
END_TEST

START_TEST(damaged_state)
{
	unsigned refused = 0;

	for (unsigned k = 0; k < 5; k += 1 + (k == 2)) {
		struct load l = load_new(props[k]);
		uint8_t *bytes = NULL, *bad;
		size_t len = 0;
		unsigned seed = k;

		bench_run_to(l.b, 8000 + 3000 * k);
		ck_assert_int_eq(ppu_core_save(l.b->core, &bytes, &len), 0);
		bad = malloc(len);
		l.b->ports.trace = NULL;
		for (unsigned i = 0; i < 150; i++) {
			char *err = NULL;

			memcpy(bad, bytes, len);
			for (unsigned n = 1 + i % 3; n; n--)
				bad[(size_t)rand_r(&seed) % len] = (uint8_t)(i % 2 ? rand_r(&seed)
						: "\0\1\377\200"[rand_r(&seed) % 4]);
			bench_new_core(l.b);
			if (ppu_core_load(l.b->core, bad, i % 10 ? len : (size_t)rand_r(&seed) % len, &err)) {
				free(err);
				refused++;
			}
			ppu_core_run_idle(l.b->core, ppu_core_time(l.b->core) + 30000);
		}
		free(bad);
		free(bytes);
		bench_free(l.b);
	}
	ck_assert_uint_gt(refused, 40);
}
END_TEST

static unsigned class_of(unsigned event)
{
	switch (event) {
	case PPU_TR_WARP_START: case PPU_TR_WARP_DONE:
		return 4;
	case PPU_TR_BAR_ARRIVE: case PPU_TR_BAR_RELEASE:
		return 16;
	default:
		return event >= 64 ? 8 : event >= 32 ? 2 : 1;
	}
}

/* trace-classes leaves events out of the trace and changes nothing else. */
START_TEST(trace_classes)
{
	static const unsigned masks[] = { 0, 1, 2, 4, 8, 16, 7, 31 };
	struct load ref = load_new("");
	unsigned seen = 0;

	ck_assert(bench_run(ref.b));
	for (unsigned k = 0; k < sizeof(masks) / sizeof(masks[0]); k++) {
		char with[40];
		struct load l;
		size_t i, n = 0;

		snprintf(with, sizeof(with), "trace-classes=%u", masks[k]);
		l = load_new(with);
		ck_assert(bench_run(l.b));
		check_result(&l);
		for (i = 0; i < ref.b->num_trace; i++) {
			unsigned class = class_of(ref.b->trace[i].event);

			seen |= class;
			if (!(class & masks[k]))
				continue;
			ck_assert_uint_lt(n, l.b->num_trace);
			ck_assert(!memcmp(&l.b->trace[n++], &ref.b->trace[i], sizeof(*l.b->trace)));
		}
		ck_assert_uint_eq(n, l.b->num_trace);
		ck_assert_uint_eq(ppu_core_time(l.b->core), ppu_core_time(ref.b->core));
		ck_assert(!memcmp(ref.b->vram, l.b->vram, ref.b->cfg.vram));
		bench_free(l.b);
	}
	ck_assert_uint_eq(seen, 31);
	bench_free(ref.b);
}
END_TEST

BENCH_MAIN("sm_state", stop_save_load_continue, every_part_is_in_the_state, damaged_state, trace_classes)
