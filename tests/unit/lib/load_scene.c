/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include <ppu_image.h>
#include "load_scene.h"

/* Memory, from SMT_DATA on. */
#define BYTES		(160u << 10)	/* what a program may read or write */
#define TABLE		0x18000u	/* of each thread: three addresses, a mask, a word */
#define ROW		32u
#define OUT		0x1c000u	/* of each thread: registers */
#define THREADS		96u

/* Two pages at the end of a high word; the page behind them may only be read. */
#define EDGE		(SMT_RO - 2 * PPU_PAGE_SIZE)
/*
 * Where host code gets to from SMT_DATA if it makes a mistake with an index (there would be nothing, and the interpreter
 * would do it right): a sign or the wrap of 32 bits is lost, that of 31 bits, a carry.
 */
static const struct {
	uint64_t va;
	unsigned pages;
} away[] = {
	{ SMT_DATA + (4ull << 32) - PPU_PAGE_SIZE, 6 }, { SMT_DATA + (2ull << 32) - PPU_PAGE_SIZE, 6 },
	{ SMT_DATA - (1ull << 32) + 0x3000, 6 },
};
#define NOWHERE		0x0000000500000000ull
#define SHARED		4096u

struct sm_test *scene_pair[2];
unsigned scene_runs, scene_faults;

static struct sm_test *loads_machine(int kind, unsigned engine)
{
	struct sm_test *s = epair_machine(kind, engine);

	smt_map(s, EDGE, (uint64_t)(s->data - s->vram) + 0x4000, 2 * PPU_PAGE_SIZE, 0);
	for (unsigned i = 0; i < sizeof(away) / sizeof(away[0]); i++)
		smt_map(s, away[i].va, (uint64_t)(s->data - s->vram) + 0x7000, away[i].pages * PPU_PAGE_SIZE, 0);
	memset(s->vram + 0x3000000, 0x5a, PPU_PAGE_SIZE);
	return s;
}

void load_scene_start(int kind)
{
	scene_pair[0] = loads_machine(kind, EPAIR_INTERPRET);
	scene_pair[1] = loads_machine(kind, EPAIR_TRANSLATE);
	scene_runs = scene_faults = 0;
}

void load_scene_end(void)
{
	smt_free(scene_pair[0]);
	smt_free(scene_pair[1]);
}

/* ---- shapes ---- */

static const uint8_t mixed8[8] = { 0, 5, 2, 7, 7, 1, 3, 6 };

/* The address of a thread's lane in memory that is mapped, or nearly. */
static uint64_t global_at(enum scene_shape shape, unsigned lane, unsigned b)
{
	const uint64_t page = SMT_DATA + 0x3000, edge = SMT_RO;
	const unsigned mix = lane / 8 * 8 + mixed8[lane % 8];
	static const uint8_t cross[] = { 1, 3, 7, 8, 9, 15, 24, 31 };

	switch (shape) {
	case SH_EQUAL:		return page + 32 * b;
	case SH_ROW:		return page + 256 + lane * b;
	case SH_ODD_ROW:		return page + 256 + b + lane * b;
	case SH_ENDS_PAGE:		return page + 0x1000 - 32 * b + lane * b;
	case SH_CROSS_1: case SH_CROSS_3: case SH_CROSS_7: case SH_CROSS_8: case SH_CROSS_9: case SH_CROSS_15: case SH_CROSS_24: case SH_CROSS_31:
		return page + 0x1000 + lane * b - cross[shape - SH_CROSS_1] * b;
	case SH_CROSS_MIX:		return page + 0x1000 + mix * b - 13 * b;
	case SH_BACK:		return page + 512 + (31 - lane) * b;
	case SH_MIX:		return page + 512 + mix * b;
	case SH_MIX_8:		return page + 512 + mixed8[lane % 8] * b;
	case SH_LOWER:		return page + 512 + (lane ^ (lane % 8 == 0 || lane % 8 == 3 ? 3 : 0)) * b;
	case SH_BEYOND:		return page + 512 + (lane + (lane % 8 == 7)) * b;
	case SH_HALF:		return page + 512 + lane % 16 * b;
	case SH_WIDE:		return page + lane * 32;
	case SH_SCATTER:		return page + (lane * 113 * 16 + 48 * 16) % 2048;
	case SH_SCATTER_FIRST:	return SMT_DATA + lane * 97 % 128 * 16;
	case SH_SCATTER_EDGE:	return edge - 16 - lane * 97 % 128 * 16;
	case SH_SCATTER_PAGES:	return SMT_DATA + lane * 29 % 20 * 0x1000 + lane * 496;
	case SH_STRIDE:		return SMT_DATA + lane % 20 * 0x1000 + 256;
	case SH_EIGHTS:		return SMT_DATA + lane / 8 * 0x2000 + 128 + lane % 8 * b;
	case SH_EDGE_ROW:		return edge - 32 * b + lane * b;
	case SH_EDGE_CROSS:	return edge - 13 * b + lane * b;
	case SH_EDGE_CROSS_8:	return edge - 16 * b + lane * b;
	case SH_WRAP:		return (SMT_DATA & ~0xffffffffull) | (uint32_t)(lane * b - 13 * b);
	case SH_WRAP_8:		return (SMT_DATA & ~0xffffffffull) | (uint32_t)(lane * b - 16 * b);
	case SH_WRAP_FAR:	return (SMT_DATA & ~0xffffffffull) | (uint32_t)(lane * 97 % 128 * 16 - 16);
	case SH_LAST_EQUAL:	return page + 0x1000 - b;
	case SH_LAST_FEW:	return page + 0x1000 - 4 * b + lane % 4 * b;
	case SH_LAST_OFF:	return page + 0x1000 - b - (b + 1) / 2;
	case SH_TWO_HIGH:		return (lane & 1 ? SMT_RO : SMT_DATA) + lane * b;
	case SH_ONE_HIGH:		return (lane == 29 ? SMT_RO : SMT_DATA) + lane * b;
	case SH_READ_ONLY:		return SMT_RO + 64 + lane * b;
	case SH_PAGES_OF_EIGHT:	return SMT_DATA + lane / 8 * 0x1000 + (lane * 7 & 31) * 16;
	case SH_TWO_PAGES:		return SMT_DATA + lane % 8 / 4 * 0x1000 + lane * b;
	case SH_OFF_1:		return page + 256 + lane * b + 1;
	case SH_OFF_2:		return page + 256 + lane * b + 2;
	case SH_ONE_OFF_1:		return page + 256 + lane * b + (lane == 14);
	case SH_ONE_OFF_2:		return page + 256 + lane * b + 2 * (lane == 21);
	case SH_GONE:		return NOWHERE + lane * b;
	case SH_LAST_GONE:		return lane == 31 ? NOWHERE : page + lane * b;
	case SH_FIRST_GONE:	return lane % 8 == 0 && lane ? NOWHERE : page + lane * b;
	case SH_CARRY:		return PPU_VA_PARAM_BASE + lane * b;
	default:		return SMT_RO + PPU_PAGE_SIZE + lane * b - 11 * b;
	}
}

/* An offset in a window of `size` bytes. */
static uint32_t window_at(enum scene_shape shape, unsigned lane, unsigned b, uint32_t size)
{
	const unsigned mix = lane / 8 * 8 + mixed8[lane % 8];

	switch (shape) {
	case SH_EQUAL:		return size / 2 & ~15u;
	case SH_ROW:		return lane * b;
	case SH_ODD_ROW:		return b + lane * b;
	case SH_ENDS_PAGE:		return size - 32 * b + lane * b;	/* the last word is the last one */
	case SH_CROSS_1:		return size - b;			/* the last word, for all */
	case SH_CROSS_3:		return size - 2 * b + (lane & 1) * b;
	case SH_CROSS_7:		return size - 32 * b + mix * b;
	case SH_CROSS_8:		return size - 8 * b + lane % 8 * b;
	case SH_CROSS_9:		return size - b - lane * 97 % 16 * b;
	case SH_CROSS_15:		return lane % 8 ? 0 : size - b;
	case SH_CROSS_24:		return size - 8 * b + mixed8[lane % 8] * b;
	case SH_CROSS_31:		return lane / 8 * 8 % 2 ? 0 : size - b;
	case SH_BACK:		return (31 - lane) * b;
	case SH_MIX: case SH_CROSS_MIX: return mix * b;
	case SH_MIX_8:		return 16 + mixed8[lane % 8] * b;
	case SH_LOWER:		return (lane ^ (lane % 8 == 0 || lane % 8 == 3 ? 3 : 0)) * b;
	case SH_BEYOND:		return (lane + (lane % 8 == 7)) * b;
	case SH_HALF:		return lane % 16 * b;
	case SH_WIDE:		return lane * 2 * b % size;
	case SH_SCATTER: case SH_SCATTER_FIRST: case SH_SCATTER_EDGE: case SH_SCATTER_PAGES:
		return (lane * 113 + 48) * 16 % size;
	case SH_EIGHTS:		return lane / 8 * 64 % size + lane % 8 * b;
	case SH_OFF_1:		return lane * b + 1;
	case SH_OFF_2:		return lane * b + 2;
	case SH_ONE_OFF_1:		return lane * b + (lane == 14);
	case SH_ONE_OFF_2:		return lane * b + 2 * (lane == 21);
	case SH_GONE:		return size + lane * b;
	case SH_LAST_GONE:		return size - 31 * b + lane * b;	/* one word behind the end */
	case SH_FIRST_GONE:	return lane % 8 == 0 && lane ? ~0u - 3 : lane * b;
	case SH_STRIDE:		return size - 7 * b + lane % 8 * b;
	case SH_WRAP: case SH_WRAP_8:	return lane * b - 16;			/* an immediate brings it back */
	default:		return lane / 3 * b;
	}
}

/* ---- masks ---- */

const uint32_t scene_masks[SCENE_MASKS] = { ~0u, 0x00001fff, 0xffff00ff, 0x80000000, 0xa5a5a5a5, 0x00ff0000, 0xfffffffe, 0x01010100,
				  0x7fffffff, 0x00100000 };

/* ---- a program and its table ---- */

const char *const scene_space_name[SCENE_SPACES] = { "global", "generic", "generic", "generic", "generic", "const", "shared", "param" };

unsigned scene_fill(enum scene_space sp)
{
	return sp == SP_SHARED || sp == SP_GENERIC_SHARED || sp == SP_GENERIC_LOCAL ? SCENE_FILL : 0;
}

bool scene_narrow(enum scene_space sp)
{
	return sp == SP_SHARED || sp == SP_PARAM;
}

static uint64_t address(const struct scene_table *t, unsigned lane, const struct load_scene *sc)
{
	switch (t->space) {
	case SP_GENERIC_SHARED:
		return PPU_VA_SHARED_BASE + window_at(t->shape, lane, t->bytes, sc->shared) - t->imm;
	case SP_GENERIC_PARAM:
		return PPU_VA_PARAM_BASE + window_at(t->shape, lane, t->bytes, sc->params) - t->imm;
	case SP_GENERIC_LOCAL:
		return PPU_VA_LOCAL_BASE + window_at(t->shape, lane, t->bytes, 1024) - t->imm;
	case SP_SHARED:
		return (uint32_t)(window_at(t->shape, lane, t->bytes, sc->shared) - t->imm);
	case SP_PARAM:
		return (uint32_t)(window_at(t->shape, lane, t->bytes, sc->params) - t->imm);
	default:
		return global_at(t->shape, lane, t->bytes) - t->imm;
	}
}

static uint8_t *data_at(struct sm_test *s, uint32_t off)
{
	return s->data + (off ^ PPU_PAGE_SIZE);		/* as epair_machine() maps it */
}

/* Lanes that take no part have addresses that nobody may use. */
static void tables(struct sm_test *s, const struct load_scene *sc)
{
	for (unsigned i = 0; i < sc->threads; i++) {
		bool active = sc->mask[i / 32 % 3] >> i % 32 & 1;
		uint64_t row[4];

		for (unsigned k = 0; k < 3; k++)
			row[k] = active ? address(&sc->t[k], i % 32, sc) : 0xdeadbeefcafe0001ull * (i + 1);
		row[3] = active | (uint64_t)(i * 0x9e3779b9u) << 32;
		memcpy(data_at(s, TABLE + ROW * i), row, ROW);
	}
}

/* rd34 data, rd36 where results go, rd38 the row of the table, r43 counts, p6: takes part. */
static unsigned prologue(char *p, size_t n, unsigned first, uint32_t shared)
{
	unsigned len = (unsigned)snprintf(p, n, "s2r r32, %%tid.z\ns2r r40, %%ntid.y\ns2r r41, %%tid.y\nmad.u32 r32, r32, r40, r41\n"
					  "s2r r40, %%ntid.x\ns2r r41, %%tid.x\nmad.u32 r32, r32, r40, r41\nld.param.u64 rd34, [0]\nadd.u64 rd36, rd34, %u\n"
					  "madw.u32 rd36, r32, 128, rd36\nadd.u64 rd38, rd34, %u\nmadw.u32 rd38, r32, 32, rd38\n",
					  OUT, TABLE);

	for (unsigned i = 0; i < 30; i++)
		len += (unsigned)snprintf(p + len, n - len, "mad.u32 r%u, r32, %u, r32\n", i, 0x3f834567 * i + i % 3);
	if (first & SCENE_WARM)
		len += (unsigned)snprintf(p + len, n - len,
			"and.u32 r40, r32, 31\nmadw.u32 rd60, r40, 4096, rd34\nld.global.u8 r42, [rd60]\nmovi64 rd60, %llu\n"
			"ld.global.u8 r42, [rd60]\nld.global.u8 r42, [rd60+4096]\nld.global.u8 r42, [rd60+8192]\n", EDGE);
	if (first & SCENE_FILL)
		len += (unsigned)snprintf(p + len, n - len,
			"shl.u32 r40, r32, 2\nmad.u32 r41, r32, 77777, r32\nsetp.lt.u32 p4, r32, 32\n"
			"mov.u32 r42, 0\nfill: st.local.u32 [r42], r41\n"
			"setp.lt.u32 p5, r40, %u\n@p5 st.shared.u32 [r40], r41\nadd.u32 r40, r40, 128\nadd.u32 r42, r42, 4\n"
			"add.u32 r41, r41, 0x1234567\nsetp.lt.u32 p5, r42, 128\n@p5 bra fill\nbar.sync 0\n", shared);
	return len + (unsigned)snprintf(p + len, n - len, "ld.global.u32 r62, [rd38+24]\nsetp.ne.u32 p6, r62, 0\n"
		"mov.u32 r43, 0\n@!p6 bra out\nagain: ld.global.u64 rd56, [rd38]\nld.global.u64 rd58, [rd38+8]\n"
		"ld.global.u64 rd60, [rd38+16]\nbra body\nbody:\n");
}

/* A sum over shared and local memory. */
static unsigned show(char *p, size_t n, uint32_t shared)
{
	return (unsigned)snprintf(p, n, "mov.u32 r40, 0\nmov.u32 r41, 0\nlook: setp.lt.u32 p5, r40, %u\n@p5 ld.shared.u32 r42, [r40]\n"
				  "mad.u32 r41, r41, 0x01000193, r42\nsetp.lt.u32 p5, r40, 1024\n@p5 ld.local.u32 r42, [r40]\n"
				  "mad.u32 r41, r41, 0x01000193, r42\nadd.u32 r40, r40, 4\nsetp.lt.u32 p5, r40, %u\n@p5 bra look\n"
				  "st.global.u32 [rd36+124], r41\n", shared / 4 * 4, shared > 1024 ? shared : 1024);
}

static void epilogue(char *p, size_t n, unsigned times, unsigned first, uint32_t shared)
{
	unsigned len = (unsigned)snprintf(p, n, "\nbra next\nnext: add.u32 r43, r43, 1\nsetp.lt.u32 p7, r43, %u\n@p7 bra again\n"
					  "out: p2r r62, 0xff\n", times);

	for (unsigned i = 0; i < 30; i++)
		len += (unsigned)snprintf(p + len, n - len, "st.global.u32 [rd36+%u], r%u\n", 4 * i, i);
	if (first & SCENE_SHOW)
		len += show(p + len, n - len, shared);
	snprintf(p + len, n - len, "st.global.u32 [rd36+120], r62\nexit\n");
}

void load_scene_program(char *text, unsigned first, uint32_t shared, unsigned times, const char *body)
{
	unsigned len = prologue(text, SCENE_TEXT, first, shared);

	len += (unsigned)snprintf(text + len, SCENE_TEXT - len, "%s", body);
	epilogue(text + len, SCENE_TEXT - len, times, first, shared);
}

static void die(const char *what)
{
	fprintf(stderr, "scene: %s\n", what);
	abort();
}

uint32_t load_scene_code(struct ppu_insn *code, unsigned first, uint32_t shared, unsigned times, const struct ppu_insn *body,
			 uint32_t n)
{
	static char text[SCENE_TEXT], nops[4 * SCENE_BODY + 1];
	struct ppu_image *img;
	struct ppu_log log;
	uint32_t at = 0, all;

	for (uint32_t i = 0; i < n; i++)
		strcpy(nops + 4 * i, "nop\n");
	nops[4 * n] = 0;
	load_scene_program(text, first, shared, times, nops);
	ppu_log_init(&log);
	if (ppu_assemble(text, strlen(text), "scene", &img, &log))
		die(log.text);
	all = img->num_insns;
	if (all > SCENE_CODE)
		die("too many instructions");
	memcpy(code, img->code, all * sizeof(*code));
	while (n && PPU_GET(&code[at], OP) != PPU_OP_NOP)
		at++;
	memcpy(code + at, body, n * sizeof(*code));
	ppu_image_free(img);
	ppu_log_free(&log);
	return all;
}

static void run_one(struct sm_test *s, const struct load_scene *sc, bool *ok)
{
	epair_prepare(s, sc->seed, BYTES);
	tables(s, sc);
	s->task.launch.shared_bytes = sc->shared;
	s->task.launch.param_bytes = sc->params;
	s->task.launch.local_per_thread = 1024;
	for (unsigned i = 8; i < 256; i++)
		s->params[i] = (uint8_t)(i * 37);
	if (sc->base)
		smt_param64(s, 8, sc->base);
	if (sc->limit)
		s->limit = sc->limit;
	if (sc->window_ns)
		s->cfg.window_ns = sc->window_ns;
	s->cut = sc->cut;
	s->cut_random = sc->seed + 1;
	if (sc->code)
		smt_load_code(s, sc->code, sc->n);
	else
		smt_load(s, sc->text);
	if (sc->block[0]) {
		memcpy(s->task.launch.block, sc->block, sizeof(sc->block));
		memcpy(s->task.launch.grid, sc->grid, sizeof(sc->grid));
	}
	*ok &= epair_run(s, sc->block[0] ? 0 : 1, sc->block[0] ? 0 : sc->threads, sc->after);
}

/* Somebody begins or ends to wait at pages. */
static void watch(struct sm_test *s, uint32_t pages, void (*fn)(struct ppu_core *core, struct ppu_phys p))
{
	for (unsigned i = 0; i < 32; i++)
		if (pages >> i & 1)
			fn(s->core, (struct ppu_phys){ (uint64_t)(data_at(s, i * PPU_PAGE_SIZE) - s->vram), 0 });
}

bool load_scene_run(const struct load_scene *sc)
{
	bool ok = true;

	for (int k = 0; k < 2; k++) {
		watch(scene_pair[k], sc->watch, ppu_mem_watch);
		run_one(scene_pair[k], sc, &ok);
		watch(scene_pair[k], sc->watch, ppu_mem_unwatch);
	}
	scene_runs++;
	scene_faults += scene_pair[0]->faulted;
	if (!ok || !epair_same(scene_pair[0], scene_pair[1], BYTES))
		return false;
	/* Else both would be the interpreter. */
	if (scene_pair[1]->task.prog && scene_pair[1]->task.prog->refused)
		snprintf(epair_why, sizeof(epair_why), "the translator refused the program");
	return !scene_pair[1]->task.prog || !scene_pair[1]->task.prog->refused;
}

const char *load_scene_say(const struct load_scene *sc)
{
	static char line[400];

	snprintf(line, sizeof(line), "spaces %d %d %d, shapes %d %d %d, masks %x %x %x, %u threads, immediates %lld %lld %lld, "
		 "shared %u, parameters %u, watched %x", sc->t[0].space, sc->t[1].space, sc->t[2].space, sc->t[0].shape, sc->t[1].shape,
		 sc->t[2].shape, sc->mask[0], sc->mask[1], sc->mask[2], sc->threads, (long long)sc->t[0].imm,
		 (long long)sc->t[1].imm, (long long)sc->t[2].imm, sc->shared, sc->params, sc->watch);
	return line;
}

/* ---- random bodies ---- */

static void insn(struct ppu_insn *in, unsigned op)
{
	memset(in, 0, sizeof(*in));
	PPU_SET(in, OP, op);
	PPU_SET(in, GP, PPU_PT);
	PPU_SET(in, PD, PPU_PT);
	PPU_SET(in, PE, PPU_PT);
	PPU_SET(in, PS, PPU_PT);
}

static int32_t some_imm(struct irnd *r, unsigned b)
{
	static const int16_t step[] = { 0, 0, 0, 1, 1, 2, 3, -1, -1, -2, 4, 8, 16 };

	switch (irnd(r, 60)) {
	case 0:	return 2048;
	case 1:	return 2048 + (int32_t)b;
	case 2: return -1024;
	case 3:	return 1024;
	default: return step[irnd(r, sizeof(step) / 2)] * (int32_t)b;
	}
}

/* Part of memory that begins at 0. */
static bool window(enum scene_space sp)
{
	return sp >= SP_GENERIC_SHARED && sp != SP_CONST;
}

/* A load from one of the three addresses, or a store to it. */
static bool some_access(struct ppu_insn *in, unsigned op, const struct load_scene *sc, struct irnd *r)
{
	static const struct { uint8_t t, x, bytes; } kinds[] = {
		{ PPU_T_U8, 0, 1 }, { PPU_T_S8, 0, 1 }, { PPU_T_U16, 0, 2 }, { PPU_T_S16, 0, 2 }, { PPU_T_U32, 0, 4 },
		{ PPU_T_U32, 0, 4 }, { PPU_T_S32, 0, 4 }, { PPU_T_U64, 0, 8 }, { PPU_T_U32, 1, 8 }, { PPU_T_B128, 0, 16 },
		{ PPU_T_U32, 2, 16 }, { PPU_T_U64, 1, 16 },
	};
	static const uint8_t space[SCENE_SPACES] = { PPU_SPACE_GLOBAL, PPU_SPACE_GENERIC, PPU_SPACE_GENERIC, PPU_SPACE_GENERIC,
						     PPU_SPACE_GENERIC, PPU_SPACE_CONST, PPU_SPACE_SHARED, PPU_SPACE_PARAM };
	unsigned base = irnd(r, 3), i, b = sc->t[base].bytes, rz = irnd(r, 12);
	int32_t imm;

	do
		i = irnd(r, sizeof(kinds) / sizeof(kinds[0]));
	while (kinds[i].bytes > b || (kinds[i].bytes < b && irnd(r, 4)));
	insn(in, op);
	PPU_SET(in, T, kinds[i].t);
	PPU_SET(in, X, kinds[i].x);
	PPU_SET(in, M, space[sc->t[base].space]);
	PPU_SET(in, A, !rz && scene_narrow(sc->t[base].space) ? PPU_RZ : 56 + 2 * base);
	if (op == PPU_OP_ST)
		PPU_SET(in, B, irnd(r, 20) ? irnd(r, kinds[i].bytes > 4 ? 26 : 30) : PPU_RZ);
	else
		PPU_SET(in, D, irnd(r, 14) ? irnd(r, kinds[i].bytes > 4 ? 26 : 30) : irnd(r, 12) ? PPU_RZ : 56 + irnd(r, 4));
	imm = some_imm(r, b);
	PPU_SET(in, IMM, (uint32_t)(window(sc->t[base].space) && irnd(r, 30) ? abs(imm) : imm));
	if (!rz && scene_narrow(sc->t[base].space))
		PPU_SET(in, IMM, irnd(r, 16) * b % 96);
	if (!irnd(r, 30)) {
		PPU_SET(in, GP, irnd(r, 6));
		PPU_SET(in, GN, irnd(r, 2));
	}
	return !ppu_isa_check(in, IRND_REGS);
}

/* Something between loads. */
static bool other(struct ppu_insn *in, struct irnd *r)
{
	static const uint8_t ops[] = { PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_MAD, PPU_OP_FMA, PPU_OP_MADW, PPU_OP_SETP,
		PPU_OP_SETP, PPU_OP_SEL, PPU_OP_MOV, PPU_OP_AND, PPU_OP_XOR, PPU_OP_LOP3, PPU_OP_SHL, PPU_OP_SHF, PPU_OP_CVT,
		PPU_OP_MIN, PPU_OP_NEG, PPU_OP_MOVI64, PPU_OP_SQRT, PPU_OP_DIV, PPU_OP_S2R, PPU_OP_BFE, PPU_OP_POPC };

	if (r->p && !irnd(r, 4))
		return irnd_raw(r, in);
	if (irnd(r, 30))
		return irnd_insn(r, ops[irnd(r, sizeof(ops))], in);
	/* An address goes on by some words. */
	insn(in, PPU_OP_ADD);
	PPU_SET(in, T, PPU_T_U64);
	PPU_SET(in, A, 56);
	PPU_SET(in, D, 56);
	PPU_SET(in, BI, 1);
	PPU_SET(in, IMM, 16 * irnd(r, 4));
	return !ppu_isa_check(in, IRND_REGS);
}

void load_scene_random(struct load_scene *sc, struct irnd *r, struct ppu_insn code[SCENE_CODE])
{
	static const uint8_t sizes[] = { 4, 4, 4, 4, 1, 2, 8, 16 };
	struct ppu_insn body[SCENE_BODY];
	uint32_t n = 0, want = 2 + irnd(r, irnd(r, 3) ? 24 : 76), loads = 1 + irnd(r, 4), stores = irnd(r, 3);
	unsigned first = irnd(r, 2) ? SCENE_WARM : 0;

	memset(sc, 0, sizeof(*sc));
	for (unsigned k = 0; k < 3; k++) {
		struct scene_table *t = &sc->t[k];

		t->space = irnd(r, 3) ? irnd(r, 2) * SP_SHARED : irnd(r, SCENE_SPACES);
		t->shape = irnd(r, irnd(r, 40) ? SCENE_FINE : SCENE_SHAPES);
		if (irnd(r, 2))
			t->shape = irnd(r, 4) ? SH_ROW : SH_SCATTER;
		t->bytes = sizes[irnd(r, sizeof(sizes))];
		t->imm = irnd(r, 3) ? 0 : (uint64_t)some_imm(r, t->bytes);
		first |= scene_fill(t->space);
		sc->mask[k] = irnd(r, 2) ? ~0u : scene_masks[irnd(r, SCENE_MASKS)];
	}
	sc->threads = irnd(r, 3) ? 64 : 1 + irnd(r, 96);
	sc->shared = irnd(r, 6) ? SHARED : 4 * (1 + irnd(r, 200));
	sc->params = irnd(r, 4) ? 256 : 8 + irnd(r, 240);
	while (n < want)
		n += irnd(r, 5) < loads ? some_access(&body[n], irnd(r, 5) < stores ? PPU_OP_ST : PPU_OP_LD, sc, r) : other(&body[n], r);
	if (stores && irnd(r, 2))
		first |= SCENE_SHOW;
	if (stores && !irnd(r, 6))
		sc->watch = 1u << irnd(r, 20);
	sc->seed = 1 + irnd(r, 1000);
	sc->code = code;
	sc->n = load_scene_code(code, first, sc->shared, 1 + irnd(r, 4), body, n);
}

int scene_bytes(int step, unsigned access_bytes)
{
	int b = (int)access_bytes;

	return abs(step) == SCENE_FAR ? step / SCENE_FAR * (2040 / b * b) : step * b;
}

uint64_t scene_anchor(enum scene_space sp, enum scene_shape shape, const int step[SCENE_GROUP], unsigned access_bytes)
{
	bool end = shape == SH_ENDS_PAGE || (shape >= SH_CROSS_1 && shape <= SH_CROSS_31);
	int at = step[0];

	if (shape == SH_WRAP || shape == SH_WRAP_8 || shape == SH_WRAP_FAR)
		return 0;
	for (unsigned i = 1; sp > SP_GENERIC && sp != SP_CONST && i < SCENE_GROUP && step[i] != SCENE_END; i++)
		at = end == (step[i] > at) ? step[i] : at;
	return (uint64_t)(int64_t)scene_bytes(at, access_bytes);
}

bool scene_left_out(const char *variable)
{
	const char *v = getenv(variable);
	static uint32_t n;

	/* In no step with the caller's loops. */
	n = n * 1664525 + 1013904223;
	return (n >> 8) % (v ? (unsigned)atoi(v) : 40);
}
