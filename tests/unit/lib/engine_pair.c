/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include "engine_pair.h"
#include "insn_random.h"
#include "core/sm/translate/region.h"

char epair_why[256];
uint64_t epair_mixed;

/* Pages of VRAM that the device said it has written, by engine. */
static uint8_t dirty[3][SMT_VRAM / PPU_PAGE_SIZE];

static void on_dirty(void *opaque, uint64_t off, uint64_t len)
{
	const struct sm_test *s = opaque;

	memset(dirty[s->cfg.engine] + off / PPU_PAGE_SIZE, 1, (off % PPU_PAGE_SIZE + len + PPU_PAGE_SIZE - 1) / PPU_PAGE_SIZE);
}

/* What was begun in the background is done when the test says so. */
static struct {
	void (*fn)(void *arg);
	void *arg;
	unsigned windows;		/* until then; 0: never */
	bool cannot;
	bool keep;			/* past the end of the program */
} late;

static bool late_start(void *opaque, void (*fn)(void *arg), void *arg)
{
	late.fn = late.cannot ? NULL : fn;
	late.arg = arg;
	return late.fn;
}

static void late_do(void)
{
	if (late.fn)
		late.fn(late.arg);
	late.fn = NULL;
}

static void late_end(void *opaque)
{
	late_do();
}

/* When what is translated in the background is ready. */
static void choose_late(uint64_t seed)
{
	seed = seed * 0x9e3779b97f4a7c15ull >> 40;
	late.windows = seed % 11 ? 1 + seed % 7 : 0;
	late.cannot = seed % 13 == 0;
	late.keep = seed % 3 == 0;
}

uint32_t epair_without(void)
{
	const char *without = getenv("PPU_ENGINE_WITHOUT");

	return without ? (uint32_t)strtoul(without, NULL, 0) : 0;
}

bool epair_translates(void)
{
	return epair_without() < 2;
}

struct sm_test *epair_machine(int kind, unsigned engine)
{
	struct sm_test *s = smt_new();

	if (kind == EPAIR_LATE && engine == EPAIR_TRANSLATE) {
		engine = EPAIR_AUTO;
		s->ports.start_background = late_start;
		s->ports.end_background = late_end;
	}
	s->cfg.engine = engine;
	s->cfg.engine_without = epair_without();
	s->cfg.tokq_entries = kind == EPAIR_QUEUE ? 64 : 256;
	s->cfg.tokq_driver = kind == EPAIR_QUEUE;
	if (kind == EPAIR_SMALL_WINDOWS || kind == EPAIR_MIXED || kind == EPAIR_LATE)
		s->cfg.window_ns = 300;
	if (kind == EPAIR_CUT) {
		s->cfg.sms_per_gpc = 2;
		s->cfg.sm_clock_khz = 10000;	/* 100 ns are one cycle */
	}
	if (kind == EPAIR_TIMED) {
		s->cfg.memory_timing = 1;
		s->cfg.window_ns = 700;
		s->cfg.l1_bytes = s->cfg.l1i_bytes = s->cfg.l1c_bytes = 1024;
		s->cfg.l2_slice_bytes = s->cfg.l15_bytes = 4096;
		s->cfg.stores_under_way = 5;
	}
	s->ports.vram_dirty = on_dirty;
	smt_start(s);
	/* Pages that follow one another do not lie side by side in the host's memory. */
	for (uint64_t at = 0; at < SMT_DATA_BYTES; at += PPU_PAGE_SIZE)
		smt_map(s, SMT_DATA + at, (uint64_t)(s->data - s->vram) + (at ^ PPU_PAGE_SIZE), PPU_PAGE_SIZE, 0);
	return s;
}

/* What has to be equal. */
#define SAME(what, x, y, bytes) do { \
	const uint8_t *x_ = (const void *)(x), *y_ = (const void *)(y); \
	size_t n_ = (bytes), i_ = 0; \
	if (memcmp(x_, y_, n_)) { \
		while (x_[i_] == y_[i_]) \
			i_++; \
		snprintf(epair_why, sizeof(epair_why), "%s differ, byte 0x%zx: %02x and %02x", what, i_, x_[i_], y_[i_]); \
		return false; \
	} \
} while (0)
#define EQUAL(what, x, y) do { \
	unsigned long long x_ = (x), y_ = (y); \
	if (x_ != y_) { \
		snprintf(epair_why, sizeof(epair_why), "%s: %llu and %llu", what, x_, y_); \
		return false; \
	} \
} while (0)

bool epair_same(const struct sm_test *a, const struct sm_test *b, uint32_t bytes)
{
	EQUAL("fault", a->faulted, b->faulted);
	if (a->faulted) {
		EQUAL("fault code", a->fault.code, b->fault.code);
		EQUAL("fault pc", a->fault.pc, b->fault.pc);
		EQUAL("fault lane", a->fault.lane, b->fault.lane);
		EQUAL("fault va", a->fault.va, b->fault.va);
		EQUAL("fault warp", a->fault.warp, b->fault.warp);
		EQUAL("fault time", a->fault.time_ns, b->fault.time_ns);
	}
	EQUAL("timed out", a->timed_out, b->timed_out);
	EQUAL("device time", a->now, b->now);
	EQUAL("CTAs", a->done_ctas, b->done_ctas);
	EQUAL("cuts", a->num_cuts, b->num_cuts);
	EQUAL("images", a->image_hash, b->image_hash);
	EQUAL("exceptions", a->num_exceptions, b->num_exceptions);
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		if (a->core->ctr[i] != b->core->ctr[i]) {
			snprintf(epair_why, sizeof(epair_why), "counter %u: %llu and %llu", i,
				 (unsigned long long)a->core->ctr[i], (unsigned long long)b->core->ctr[i]);
			return false;
		}
	for (unsigned i = 0; i < a->core->num_sms; i++)
		for (unsigned k = 0; k < PPU_TLB_ENTRIES; k++)
			EQUAL("page in a TLB", a->core->sms[i].tlb[k].page, b->core->sms[i].tlb[k].page);
	for (unsigned i = 0; i < a->core->num_sms; i++)
		EQUAL("cycle", a->core->sms[i].cycle, b->core->sms[i].cycle);
	SAME("dirty pages", dirty[a->cfg.engine], dirty[b->cfg.engine], sizeof(dirty[0]));
	SAME("memory", a->data, b->data, bytes);
	SAME("token queues", a->vram + 0x400000, b->vram + 0x400000, 128 << 10);
	SAME("local memory", a->vram + 0x1000000, b->vram + 0x1000000, 256 << 10);
	EQUAL("stores to watched pages", a->num_stores, b->num_stores);
	for (unsigned i = 0; i < a->num_stores; i++) {
		EQUAL("address of a watched store", a->stores[i].phys.addr, b->stores[i].phys.addr);
		EQUAL("length of a watched store", a->stores[i].len, b->stores[i].len);
		EQUAL("time of a watched store", a->stores[i].time, b->stores[i].time);
		EQUAL("VA of a watched store", a->stores[i].arg[0], b->stores[i].arg[0]);
	}
	EQUAL("trace records", a->num_trace, b->num_trace);
	SAME("traces", a->trace, b->trace, a->num_trace * sizeof(*a->trace));
	return true;
}

/* The program that was loaded, window by window.  True: it was run as it should be. */
bool epair_run(struct sm_test *s, uint32_t grid, uint32_t threads, uint64_t after)
{
	uint64_t end = s->now + s->limit;
	bool translated, after_ = after;

	if (after)
		s->core->cfg.engine = EPAIR_INTERPRET;
	smt_launch(s, grid, threads);
	if (s->ports.start_background && s->task.prog) {
		s->task.prog->heat = 1u << 20;		/* hot by any measure */
		after_ = true;
	}
	while (smt_window(s)) {
		if (s->ports.start_background && late.windows && !--late.windows)
			late_do();
		if (after && !--after)
			s->core->cfg.engine = s->cfg.engine;
		if (s->now >= end) {
			s->timed_out = true;
			break;
		}
	}
	translated = s->task.prog && s->task.prog->region;
	if (s->task.prog)
		smt_finish(s);
	if (s->ports.start_background && !late.keep)
		late_do();
	epair_mixed += translated && after_;
	if (translated != (s->cfg.engine == EPAIR_TRANSLATE && epair_translates()) && !after_) {
		snprintf(epair_why, sizeof(epair_why), translated ? "the interpreter translated" : "no host code");
		return false;
	}
	return true;
}

/* One of eight words is special.  Half of a trial's time went here when irnd() gave each word. */
static void numbers(uint32_t *d, uint32_t n, uint64_t seed)
{
	static const uint32_t special[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000, 0xff800000,
					    0x7fc00000, 0xffc00000, 0x7f800001, 1, 0x00400000, 2, 31, 0x80000001 };

	for (uint32_t i = 0; i < n; i += 8) {
		uint64_t x = (seed * n + i + 1) * 0x9e3779b97f4a7c15ull;

		for (uint32_t k = 0; k < 8; k += 2) {
			x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
			memcpy(&d[i + k], &x, 8);
		}
		d[i + (x >> 33) % 8] = special[(x >> 40) % 16];
	}
}

void epair_prepare(struct sm_test *s, uint64_t seed, uint32_t bytes)
{
	static uint8_t full[SMT_DATA_BYTES];
	static uint64_t full_of;		/* seed * 2 + 1 */
	static uint32_t full_bytes;

	choose_late(seed);
	/* Both machines get the same numbers. */
	if (full_of != seed * 2 + 1 || full_bytes < bytes)
		numbers((uint32_t *)full, bytes / 4, seed);
	full_of = seed * 2 + 1;
	full_bytes = bytes;
	memcpy(s->data, full, bytes);
	/* The rest, as far as the program before has changed it. */
	for (uint64_t at = bytes; at < SMT_DATA_BYTES; at += PPU_PAGE_SIZE)
		if (dirty[s->cfg.engine][((uint64_t)(s->data - s->vram) + at) / PPU_PAGE_SIZE])
			memset(s->data + at, 0, PPU_PAGE_SIZE);
	memset(s->vram + 0x400000, 0, 128 << 10);
	memset(s->vram + 0x1000000, 0, 256 << 10);
	memset(s->core->ctr, 0, sizeof(s->core->ctr));
	memset(dirty[s->cfg.engine], 0, sizeof(dirty[0]));
	s->core->xlat_gen++;		/* the TLBs forget, so that pages get dirty again */
	s->task.launch.regs_per_thread = IRND_REGS;
	s->task.launch.local_per_thread = 1024;
	s->task.launch.shared_bytes = IRND_SHARED;
	s->image_hash = 0;
	s->num_cuts = 0;
	s->num_stores = 0;
	s->limit = s->cfg.sm_clock_khz < 1000000 ? 400000000 : 4000000;
}

void epair_show(const struct ppu_insn *code, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		char line[200];

		ppu_disasm_insn(&code[i], i, line, sizeof(line));
		fprintf(stderr, "%4u  %s\n", i, line);
	}
}
