/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What translations look like, for tools: the one with a number, and its host code beside the device's instructions.
 *
 * A region does not remember which of its bytes are for which instruction. Translation gives the same code each time,
 * so it is done once more, with marks, and compared.
 */
#include "core/sm/translate/translate.h"
#include "core/sm/mem/icache.h"
#include "core/sm/sm.h"
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/translate/emit.h"

/* The program with the first translation after `after`. */
static const struct ppu_program *find(const struct ppu_core *core, uint64_t after)
{
	const struct ppu_program *p, *best = NULL;

	for (p = ppu_icache_first(core); p; p = p->next)
		if (p->region && p->region->number > after && (!best || p->region->number < best->region->number))
			best = p;
	return best;
}

bool ppu_core_translation(const struct ppu_core *core, uint64_t after, struct ppu_translation *t)
{
	const struct ppu_program *p = find(core, after);
	const struct ppu_region *r;

	if (!p)
		return false;
	r = p->region;
	*t = (struct ppu_translation){
		.number = r->number, .code_va = p->va, .code_insns = p->n, .entry = r->entry, .insns = r->insns,
		.inlined = r->inlined, .segments = r->segments, .code_bytes = r->code_bytes,
		.memory_bytes = ppu_region_bytes(r), .host_ns = r->host_ns,
	};
	return true;
}

/* ---- code ---- */

/* The library's functions; which are there when the one that encodes is. */
struct decoder {
	ZyanStatus (*decoder_init)(ZydisDecoder *d, ZydisMachineMode m, ZydisStackWidth w);
	ZyanStatus (*formatter_init)(ZydisFormatter *f, ZydisFormatterStyle s);
	ZyanStatus (*decode)(const ZydisDecoder *d, const void *p, ZyanUSize n, ZydisDecodedInstruction *in,
			     ZydisDecodedOperand *o);
	ZyanStatus (*format)(const ZydisFormatter *f, const ZydisDecodedInstruction *in, const ZydisDecodedOperand *o,
			     ZyanU8 n, char *text, ZyanUSize size, ZyanU64 address, void *user);
	ZydisDecoder d;
	ZydisFormatter f;
};

static bool open_decoder(struct decoder *d)
{
	*(void **)&d->decoder_init = ppu_encode_symbol("ZydisDecoderInit");
	*(void **)&d->formatter_init = ppu_encode_symbol("ZydisFormatterInit");
	*(void **)&d->decode = ppu_encode_symbol("ZydisDecoderDecodeFull");
	*(void **)&d->format = ppu_encode_symbol("ZydisFormatterFormatInstruction");
	return d->decoder_init && d->formatter_init && d->decode && d->format &&
	       !ZYAN_FAILED(d->decoder_init(&d->d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
	       !ZYAN_FAILED(d->formatter_init(&d->f, ZYDIS_FORMATTER_STYLE_INTEL));
}

/* One instruction of the host. False: it is none. */
static bool say_host(const struct decoder *d, const struct ppu_region *r, uint32_t at, struct ppu_code_line *l)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	char text[160];

	if (ZYAN_FAILED(d->decode(&d->d, r->code + at, r->code_bytes - at, &in, o)) ||
	    ZYAN_FAILED(d->format(&d->f, &in, o, in.operand_count_visible, text, sizeof(text),
				  (uintptr_t)r->code + at, NULL)))
		return false;
	l->kind = PPU_CODE_HOST;
	l->address = (uintptr_t)r->code + at;
	l->bytes = r->code + at;
	l->len = in.length;
	l->text = text;
	l->say(l);
	return true;
}

/* A mark: the head of a block, or an instruction of the device. */
static void say_mark(const struct ppu_program *p, const struct ppu_mark *mark, struct ppu_code_line *l)
{
	l->pc = mark->pc & (PPU_MARK_BLOCK - 1);
	l->masked = mark->pc & PPU_MARK_MASKED ? 1 : 0;
	if (mark->pc == PPU_MARK_COMMON) {
		l->kind = PPU_CODE_COMMON;
	} else if (mark->pc & PPU_MARK_BLOCK) {
		l->kind = PPU_CODE_BLOCK;
	} else {
		l->kind = PPU_CODE_DEVICE;
		l->insn = &p->raw[mark->pc];
	}
	l->say(l);
}

static bool say_all(const struct ppu_program *p, const struct ppu_emit_with *w, struct ppu_code_line *l)
{
	struct decoder d;
	uint32_t at = 0, k = 0;

	if (!open_decoder(&d))
		return false;
	while (at < p->region->code_bytes) {
		for (; k < w->marks && w->mark[k].at <= at; k++)
			say_mark(p, &w->mark[k], l);
		if (!say_host(&d, p->region, at, l))
			return false;
		at += l->len;
	}
	return true;
}

int ppu_core_dump_code(const struct ppu_core *core, uint64_t number, void (*say)(const struct ppu_code_line *l), void *arg)
{
	const struct ppu_program *p = number ? find(core, number - 1) : NULL;
	struct ppu_code_line l = { .say = say, .arg = arg };
	struct ppu_emit_with with = { .marking = true };
	struct ppu_region *again;
	bool ok;

	if (!p || p->region->number != number)
		return -1;
	with.evex = p->region->evex;
	again = ppu_region_build(p, p->region->entry, PPU_MAX_CODE, &with);
	ok = again && again->code_bytes == p->region->code_bytes &&
	     !memcmp(again->code, p->region->code, again->code_bytes) && say_all(p, &with, &l);
	ppu_region_free(again);
	ppu_free(with.mark);
	return ok ? 0 : -1;
}
#else

bool ppu_core_translation(const struct ppu_core *core, uint64_t after, struct ppu_translation *t)
{
	return false;
}

int ppu_core_dump_code(const struct ppu_core *core, uint64_t number, void (*say)(const struct ppu_code_line *l), void *arg)
{
	return -1;
}
#endif
