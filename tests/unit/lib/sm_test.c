/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include <core/channel.h>
#include "core/sm/mem/storebuf.h"
#include "core/sm/smsave.h"
#include "ptmem.h"
#include "sm_test.h"

#define PT_BASE		0x100000u
#define TOKQ_BASE	0x400000u
#define LOCAL_BASE	0x1000000u
#define CODE_BASE	0x2000000u
#define DATA_BASE	0x2800000u
#define RO_BASE		0x3000000u
#define SAVE_BASE	0x3100000u
#define CODE_BYTES	(1u << 20)

static void die(const char *what)
{
	fprintf(stderr, "smt: %s\n", what);
	abort();
}

static void on_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	struct sm_test *s = opaque;

	if (!(s->num_trace & (s->num_trace - 1)))
		s->trace = realloc(s->trace, (s->num_trace ? 2 * s->num_trace : 1) * sizeof(*rec));
	s->trace[s->num_trace++] = *rec;
}

struct sm_test *smt_new(void)
{
	struct sm_test *s = calloc(1, sizeof(*s));

	ppu_config_init(&s->cfg);
	s->cfg.vram = SMT_VRAM;
	s->cfg.gpcs = 1;
	s->cfg.sms_per_gpc = 1;
	s->cfg.warps_per_sm = 32;
	s->ports.opaque = s;
	s->ports.trace = on_trace;
	s->limit = 100000000;
	return s;
}

static uint64_t table_page(void *opaque)
{
	struct sm_test *s = opaque;

	s->pt_next += PPU_PAGE_SIZE;
	return s->pt_next - PPU_PAGE_SIZE;
}

void smt_map(struct sm_test *s, uint64_t va, uint64_t phys, uint64_t len, uint64_t flags)
{
	ptmem_map(s->pt, va, phys, len, flags, false);
	if (s->core)
		s->core->xlat_gen++;
}

static void fill_context(struct ppu_ctx *ctx, struct ptmem *pt, uint64_t inst, uint32_t id)
{
	ctx->inst = inst;
	ppu_inst_fill(&ctx->blk, &(struct ppu_inst){
		.root = ptmem_root(pt), .context_id = id, .max_depth = 24, .local_per_thread = 1024,
		.local = { LOCAL_BASE, CODE_BASE - LOCAL_BASE }, .tokq = { TOKQ_BASE, LOCAL_BASE - TOKQ_BASE },
	});
}

void smt_other_context(struct sm_test *s, uint64_t off)
{
	s->other_pt = ptmem_new(s->vram, table_page, s);
	fill_context(&s->other, s->other_pt, 0x2000, 8);
	ptmem_map(s->other_pt, SMT_CODE, CODE_BASE, CODE_BYTES, 0, false);
	ptmem_map(s->other_pt, SMT_DATA, DATA_BASE + off, SMT_DATA_BYTES - off, 0, false);
	s->task.ctx = &s->other;
}

void smt_start(struct sm_test *s)
{
	char *err = NULL;

	/* pages nobody touches stay the system's zero page */
	s->vram_block = calloc(1, SMT_VRAM + 4096);
	s->vram = (uint8_t *)(((uintptr_t)s->vram_block + 4095) & ~(uintptr_t)4095);
	s->pt_next = PT_BASE;
	s->pt = ptmem_new(s->vram, table_page, s);
	s->core = ppu_core_create(&s->cfg, &s->ports, s->vram, &err);
	if (!s->core)
		die(err);
	s->num_trace = 0;
	fill_context(&s->ctx, s->pt, 0x1000, 7);
	smt_map(s, SMT_CODE, CODE_BASE, CODE_BYTES, 0);
	smt_map(s, SMT_DATA, DATA_BASE, SMT_DATA_BYTES, 0);
	smt_map(s, SMT_RO, RO_BASE, PPU_PAGE_SIZE, PPU_PTE_READONLY);
	s->data = s->vram + DATA_BASE;
	s->task.index = 3;
	s->task.gen = 1;
	s->task.ctx = &s->ctx;
	s->task.params = s->params;
	s->task.depth = 1;
	s->task.launch.id = 42;
	s->task.launch.param_bytes = 256;
	smt_param64(s, 0, SMT_DATA);
}

void smt_free(struct sm_test *s)
{
	if (s->task.prog)
		smt_finish(s);
	ppu_core_destroy(s->core);
	ptmem_free(s->pt);
	if (s->other_pt)
		ptmem_free(s->other_pt);
	free(s->vram_block);
	free(s->trace);
	free(s->text);
	free(s);
}

void smt_load_code(struct sm_test *s, const struct ppu_insn *code, uint32_t n)
{
	if (n * PPU_INSN_BYTES > CODE_BYTES)
		die("program is too long");
	memcpy(s->vram + CODE_BASE, code, n * PPU_INSN_BYTES);
	s->task.launch.code_va = SMT_CODE;
	s->task.launch.code_insns = n;
	s->task.launch.entry_pc = 0;
}

void smt_load(struct sm_test *s, const char *text)
{
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	if (ppu_assemble(text, strlen(text), "test", &img, &log))
		die(log.text);
	smt_load_code(s, img->code, img->num_insns);
	ppu_image_free(img);
	ppu_log_free(&log);
}

void smt_launch(struct sm_test *s, uint32_t grid, uint32_t block)
{
	struct ppu_tmd *t = &s->task.launch;
	uint64_t va;
	int err;

	if (!t->regs_per_thread)
		t->regs_per_thread = 32;
	if (grid) {
		t->grid[0] = grid;
		t->grid[1] = t->grid[2] = 1;
	}
	if (block) {
		t->block[0] = block;
		t->block[1] = t->block[2] = 1;
	}
	s->num_ctas = (uint64_t)t->grid[0] * t->grid[1] * t->grid[2];
	s->next_cta = s->done_ctas = 0;
	s->faulted = s->timed_out = false;
	s->num_stores = s->num_launches = s->num_exceptions = 0;
	s->num_trace = 0;
	err = ppu_icache_get(s->core, &s->ctx, t, &s->task.prog, &va);
	if (err) {
		s->faulted = true;
		s->fault.code = err;
		s->fault.va = va;
	}
}

void smt_finish(struct sm_test *s)
{
	ppu_sm_abort_task(s->core, &s->task);
	ppu_icache_put(s->core, s->task.prog);
	s->task.prog = NULL;
}

static void apply(struct sm_test *s, unsigned sm)
{
	struct ppu_effects *fx = ppu_sm_effects(s->core, sm);
	uint64_t last = 0;

	for (uint32_t i = 0; i < fx->n; i++) {
		const struct ppu_effect e = fx->v[i];

		if (e.time < last)
			die("effects are not in order");
		last = e.time;
		switch (e.kind) {
		case PPU_FX_TRACE:
			on_trace(s, &e.trace);
			break;
		case PPU_FX_CTA_DONE:
			s->done_ctas++;
			break;
		case PPU_FX_WAITS:
			break;
		case PPU_FX_FAULT:
			if (!s->faulted)
				s->fault = e.rec;
			s->faulted = true;
			break;
		case PPU_FX_STORE:
			if (s->num_stores < 256)
				s->stores[s->num_stores++] = e;
			break;
		case PPU_FX_LAUNCH:
			if (s->num_launches < 64)
				s->launches[s->num_launches++] = e;
			ppu_sm_launch_reply(s->core, sm, e.arg[1], e.arg[2], s->launch_error, NULL);
			break;
		case PPU_FX_EXCEPTION: {
			/* the driver's part of SIMT-53 */
			struct ppu_token_queue q = {
				.size = (int32_t)s->cfg.tokq_entries, .head = (int32_t)e.arg[1],
				.tail = (int32_t)e.arg[2],
			};

			q.base = TOKQ_BASE + (sm * (uint64_t)s->cfg.warps_per_sm + e.arg[0]) * (uint64_t)q.size * 8;
			if (!ppu_token_queue_centre(&ptmem_bus, s->vram, SMT_VRAM, &q))
				die("a token queue cannot be centred");
			s->num_exceptions++;
			ppu_sm_exception_done(s->core, sm, e.arg[0], q.head, q.tail, false);
			break;
		}
		}
	}
	fx->n = 0;
}

static uint32_t cut_random(struct sm_test *s, uint32_t n)
{
	s->cut_random ^= s->cut_random << 13;
	s->cut_random ^= s->cut_random >> 7;
	s->cut_random ^= s->cut_random << 17;
	return (uint32_t)(s->cut_random >> 20) % n;
}

static void hash_image(struct sm_test *s, const uint8_t *p, uint64_t bytes)
{
	uint64_t word, h = s->image_hash;

	for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
		memcpy(&word, p + i, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	s->image_hash = h;
}

/* Every CTA leaves its SM and comes back, perhaps to another one. */
static void cut(struct sm_test *s)
{
	uint64_t bytes = ppu_sm_image_bytes(s->core, &s->task.launch), index[64];
	uint32_t n = 0, i, k, sm;

	for (i = 0; i < s->core->num_sms; i++)
		for (k = 0; k < s->cfg.ctas_per_sm; k++) {
			if (!s->core->sms[i].cta[k].task || !ppu_sm_can_save(s->core, i, k))
				continue;
			if (n == 64 || SAVE_BASE + (n + 1) * bytes > SMT_VRAM)
				die("too many CTAs to save");
			index[n] = s->core->sms[i].cta[k].index;
			ppu_sm_save_cta(s->core, i, k, SAVE_BASE + n * bytes, 0);
			hash_image(s, s->vram + SAVE_BASE + n++ * bytes, bytes);
		}
	while (n--) {
		for (sm = cut_random(s, s->core->num_sms); !ppu_sm_can_start(s->core, sm, &s->task);)
			sm = (sm + 1) % s->core->num_sms;
		if (ppu_sm_restore_cta(s->core, sm, &s->task, index[n], 0, SAVE_BASE + n * bytes, s->now) < 0)
			die("an image was refused");
		memset(s->vram + SAVE_BASE + n * bytes, 0xee, bytes);
		s->num_cuts++;
	}
}

/* Stores that outlive their CTAs (store-delay-ns, store-reorder) are under way. */
static bool stores_wait(const struct sm_test *s)
{
	for (unsigned i = 0; i < s->core->num_sms; i++)
		if (s->core->sms[i].sb && ppu_storebuf_last(&s->core->sms[i]))
			return true;
	return false;
}

bool smt_window(struct sm_test *s)
{
	static uint32_t id[64 * 64];		/* most SMs there can be */
	struct ppu_sm_task *t = &s->task;
	bool busy = false;
	unsigned i;

	if (s->faulted || (s->done_ctas == s->num_ctas && !stores_wait(s)))
		return false;
	for (i = 0; i < s->core->num_sms; i++)
		while (s->next_cta < s->num_ctas && ppu_sm_can_start(s->core, i, t))
			ppu_sm_start_cta(s->core, i, t, s->next_cta++, s->now, NULL);
	for (i = 0; i < s->core->num_sms; i++) {
		busy |= ppu_sm_busy(s->core, i);
		id[i] = i;
	}
	ppu_sms_run(s->core, id, i, s->now, s->now + s->cfg.window_ns);
	s->now += s->cfg.window_ns;
	for (i = 0; i < s->core->num_sms; i++)
		apply(s, i);
	if (s->cut && !s->faulted && !cut_random(s, (uint32_t)s->cut))
		cut(s);
	if (!busy && !s->faulted && s->done_ctas < s->num_ctas) {
		s->timed_out = true;	/* asleep for good */
		return false;
	}
	return !s->faulted && (s->done_ctas < s->num_ctas || stores_wait(s));
}

bool smt_run(struct sm_test *s, uint32_t grid, uint32_t block)
{
	uint64_t end = s->now + s->limit;

	smt_launch(s, grid, block);
	while (smt_window(s))
		if (s->now >= end) {
			s->timed_out = true;
			break;
		}
	smt_finish(s);
	return !s->faulted && !s->timed_out;
}

static const char *reason_name(unsigned r)
{
	static const char *const names[16] = {
#define R(name, code, text) text,
		PPU_REASONS(R)
#undef R
	};
	return names[r & 15];
}

const char *smt_ops(struct sm_test *s)
{
	size_t len = 0;
	FILE *f;

	free(s->text);
	f = open_memstream(&s->text, &len);
	for (uint32_t i = 0; i < s->num_trace; i++) {
		const struct ppu_trace_rec *t = &s->trace[i];
		int head = (int)(uint32_t)t->d, tail = (int)(t->d >> 32);
		const char *op = NULL;
		int entry = head;

		switch (t->event) {
		case PPU_TR_DIV_PUSH: op = "push"; entry = head - 1; break;
		case PPU_TR_DIV_YIELD_PUSH: op = "yield"; entry = tail + 1; break;
		case PPU_TR_DIV_MERGE: op = "merge"; break;
		case PPU_TR_DIV_POP: op = "pop"; break;
		case PPU_TR_DIV_DISCARD: op = "discard"; break;
		case PPU_TR_DIV_DISABLE:
			fprintf(f, "disable %s %x left=%x\n", reason_name((unsigned)t->b),
				(uint32_t)t->c, (uint32_t)t->d);
			continue;
		case PPU_TR_DIV_FALLBACK:
			fprintf(f, "fallback %u %x\n", (uint32_t)t->b, (uint32_t)t->c);
			continue;
		case PPU_TR_DIV_RECENTRE:
			fprintf(f, "recentre %u h=%d t=%d\n", (uint32_t)t->b, head, tail);
			continue;
		default:
			continue;
		}
		fprintf(f, "%s %s %x %u/%x", op, reason_name(PPU_TOK_TYPE(t->b)), PPU_TOK_MASK(t->b),
			PPU_TOK_ADDR(t->b), (unsigned)(t->b >> 58 & 0xf));
		if (t->event == PPU_TR_DIV_PUSH || t->event == PPU_TR_DIV_YIELD_PUSH)
			fprintf(f, " @%d", entry);
		if (t->event == PPU_TR_DIV_POP)
			fprintf(f, " -> %x", (uint32_t)t->c);
		fprintf(f, " h=%d t=%d\n", head, tail);
	}
	fclose(f);
	return s->text;
}
