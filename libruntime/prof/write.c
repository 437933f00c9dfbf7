/* SPDX-License-Identifier: MIT */
/*
 * The file that ppu-prof reads.  A line is a kind and "name=value" words; what is 0 may be left out, and text, which may have
 * spaces, stands last.  Numbers of modules, kernels, launches begin with 0, of ranges with 1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/symbol.h"
#include "compiler/obj/image.h"
#include "prof/state.h"

#define DISASM 160

static const char *const names[PROF_SUMS] = PROF_SUM_NAMES;

static void put_sums(FILE *f, const uint64_t *sum)
{
	for (unsigned i = 0; i < PROF_SUMS; i++)
		if (sum[i])
			fprintf(f, " %s=%" PRIu64, names[i], sum[i]);
	fputc('\n', f);
}

static void put_device(FILE *f, const uint64_t *counters)
{
	const ppuDeviceProp *p = &prof_device;

	fprintf(f, "device sms=%u warps=%u blocks=%u registers=%u shared=%u clock_khz=%u\n", p->sms, p->warps_per_sm,
		p->ctas_per_sm,
		p->regs_per_sm, p->shared_per_sm, p->clock_khz);
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		fprintf(f, "counter value=%" PRIu64 " name=%s\n", counters[i], ppu_be_counter_name(i));
}

/* ---- code ---------------------------------------------------------------------------------------- */

/* Operations of floating point that a lane does, by the type of the result; 0: none, or not arithmetic. */
static unsigned flops(const struct ppu_insn *in, const char **type)
{
	unsigned t = PPU_GET(in, T), n = 0;

	switch (PPU_GET(in, OP)) {
	case PPU_OP_FMA:
		n = 2;
		break;
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_DIV: case PPU_OP_RCP: case PPU_OP_SQRT:
	case PPU_OP_RSQRT: case PPU_OP_SIN: case PPU_OP_COS: case PPU_OP_EX2: case PPU_OP_LG2: case PPU_OP_TANH:
		n = 1;
		break;
	default:
		return 0;
	}
	switch (t) {
	case PPU_T_F64:
		*type = "f64";
		return n;
	case PPU_T_F32:
		*type = "f32";
		return n;
	case PPU_T_F16: case PPU_T_BF16:
		*type = "f16";
		return n;
	case PPU_T_F16X2: case PPU_T_BF16X2:
		*type = "f16";
		return 2 * n;
	default:
		return 0;
	}
}

static const char *kind_of(const struct ppu_insn *in)
{
	static const char *const spaces[] = {
		[PPU_SPACE_GENERIC] = "generic", [PPU_SPACE_GLOBAL] = "global", [PPU_SPACE_SHARED] = "shared",
		[PPU_SPACE_LOCAL] = "local", [PPU_SPACE_CONST] = "constant", [PPU_SPACE_PARAM] = "parameter",
	};
	unsigned m = PPU_GET(in, M);

	switch (PPU_GET(in, OP)) {
	case PPU_OP_LD: case PPU_OP_ST: case PPU_OP_ATOM:
		return m < sizeof(spaces) / sizeof(spaces[0]) ? spaces[m] : NULL;
	default:
		return NULL;
	}
}

static void put_insn(FILE *f, const struct prof_module *m, const struct ppu_line *l, uint32_t pc)
{
	const struct ppu_insn *in = &m->img->code[pc];
	const char *type, *kind = kind_of(in);
	unsigned n = flops(in, &type), op = PPU_GET(in, OP);
	char text[DISASM];

	ppu_disasm_insn(in, pc, text, sizeof(text));
	fprintf(f, "code pc=%u", pc);
	if (l)
		fprintf(f, " file=%u line=%u", l->file, l->line);
	if (n)
		fprintf(f, " %s=%u", type, n);
	if (prof_is_branch(in) && (PPU_GET(in, GP) != PPU_PT || PPU_GET(in, GN)))
		fputs(" branch=1", f);
	if (kind)
		fprintf(f, " space=%s does=%s", kind, op == PPU_OP_LD ? "read" : op == PPU_OP_ST ? "write" : "change");
	fprintf(f, " text=%s\n", text);
}

/* Where a function begins: it has a line of its own, also if its first instruction comes from somewhere else. */
static const struct ppu_line *first_line(const struct ppu_image *img, const struct ppu_symbol *s)
{
	for (uint32_t i = 0; i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i];

		if (l->pc >= s->value && l->pc < s->value + s->num_insns && l->line && l->file < img->num_files)
			return l;
	}
	return NULL;
}

/* Its functions and instructions; the line table is in order. */
static void put_module(FILE *f, const struct prof_module *m)
{
	const struct ppu_image *img = m->img;
	const struct ppu_line *l;
	uint32_t next = 0;
	char name[1024];

	fprintf(f, "module number=%u\n", m->number);
	for (uint32_t i = 0; i < img->num_files; i++)
		fprintf(f, "file number=%u path=%s\n", i, img->files[i]);
	for (uint32_t i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];

		if (s->kind != PPU_SYM_KERNEL && s->kind != PPU_SYM_FUNC)
			continue;
		chk_demangle(s->name, name, sizeof(name));
		fprintf(f, "function pc=%" PRIu64 " insns=%u kernel=%u", s->value, s->num_insns,
			s->kind == PPU_SYM_KERNEL);
		l = first_line(img, s);
		if (l)
			fprintf(f, " file=%u line=%u", l->file, l->line);
		fprintf(f, " name=%s\n", name);
	}
	l = NULL;
	for (uint32_t pc = 0; pc < img->num_insns; pc++) {
		while (next < img->num_lines && img->lines[next].pc <= pc)
			l = &img->lines[next++];
		put_insn(f, m, l && l->line && l->file < img->num_files ? l : NULL, pc);
	}
}

/* ---- counts -------------------------------------------------------------------------------------- */

static void put_more(FILE *f, const struct prof_more *m)
{
#define S(name) if (m->name) fprintf(f, " " #name "=%u", m->name);
	PROF_MOSTS(S)
#undef S
	fprintf(f, " lane_set=%u passed_set=%u", m->lanes, m->passed);
	if (m->neighbours)
		fprintf(f, " stride=%" PRId64 " strided=%" PRIu64 " neighbours=%" PRIu64, m->stride, m->strided,
			m->neighbours);
}

static void put_kernel(FILE *f, const struct prof_kernel *k)
{
	char name[1024];

	chk_demangle(k->name, name, sizeof(name));
	fprintf(f, "kernel number=%u module=%u pc=%u registers=%u shared=%u local=%u symbol=%s name=%s\n", k->number,
		k->mod->number,
		k->entry, k->regs, k->shared, k->local, k->name, name);
	for (uint32_t pc = 0; pc < k->mod->img->num_insns; pc++) {
		const struct prof_insn *p = &k->insn[pc];

		if (!p->sum[PROF_warps])
			continue;
		fprintf(f, "insn pc=%u", pc);
		put_more(f, &p->more);
		put_sums(f, p->sum);
	}
}

static uint64_t ns_of(uint64_t cycles)
{
	return (uint64_t)((unsigned __int128)cycles * 1000000 / prof_device.clock_khz);
}

static void put_launch(FILE *f, const struct prof_launch *l)
{
	fprintf(f, "launch number=%u context=%u stream=%u depth=%u range=%u begun=%u over=%u unknown=%u", l->number,
		l->context,
		l->stream, l->depth, l->range, l->begun, l->over, l->unknown);
	if (l->kernel)
		fprintf(f, " kernel=%u", l->kernel->number);
	fprintf(f, " grid=%u,%u,%u block=%u,%u,%u registers=%u shared=%u local=%u accepted=%" PRIu64 " done=%" PRIu64,
		l->grid[0],
		l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->regs, l->shared, l->local,
		l->accepted, l->done);
	if (l->blocks)
		fprintf(f, " begin=%" PRIu64 " end=%" PRIu64 " blocks=%" PRIu64 " warps_begun=%" PRIu64 " life=%" PRIu64
			" issue=%" PRIu64
			" sms=%" PRIu64 " active=%" PRIu64, ns_of(l->first), ns_of(l->last), l->blocks, l->warps,
			l->life, l->issue,
			l->sms, l->active);
	put_sums(f, l->sum);
}

/* A kernel of it has run. */
static bool has_run(const struct prof_module *m)
{
	for (const struct prof_kernel *k = prof_kernels; k; k = k->next)
		if (k->mod == m && k->insn)
			return true;
	return false;
}

void prof_write(FILE *f, const uint64_t *counters)
{
	put_device(f, counters);
	for (const struct prof_module *m = prof_modules; m; m = m->next)
		if (has_run(m))
			put_module(f, m);
	for (const struct prof_kernel *k = prof_kernels; k; k = k->next)
		if (k->insn)
			put_kernel(f, k);
	for (const struct prof_launch *l = prof_launches; l; l = l->next)
		put_launch(f, l);
	for (size_t i = 0; i < prof_num_copies; i++)
		fprintf(f, "copy begin=%" PRIu64 " end=%" PRIu64 " bytes=%" PRIu64 " fill=%u\n", prof_copies[i].begin,
			prof_copies[i].end,
			prof_copies[i].bytes, prof_copies[i].fill);
	prof_ranges_write(f);
	fputs("end\n", f);
}
