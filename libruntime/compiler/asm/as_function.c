/* SPDX-License-Identifier: MIT */
/* .kernel, .func, .param, and the end of a function. */
#include <stddef.h>
#include "compiler/asm/as_function.h"
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_map.h"
#include "compiler/asm/as_operand.h"
#include "compiler/asm/as_text.h"
#include "compiler/asm/text.h"

void as_close_function(struct as *a)
{
	struct ppu_symbol *s;
	uint32_t i;

	if (!a->scope)
		return;
	s = &a->img->symbols[a->scope - 1];
	if (!a->fn_insns)
		s->num_insns = a->img->num_insns - (uint32_t)s->value;
	else if (s->num_insns > a->img->num_insns - (uint32_t)s->value)
		AS_ERROR(a, a->p, "'%s' has fewer instructions than insns= says", s->name);
	if (!s->num_insns)
		AS_ERROR(a, a->p, "'%s' has no instructions", s->name);
	for (i = (uint32_t)s->value; i < a->img->num_insns; i++) {
		const struct ppu_insn *in = &a->img->code[i];
		int max = ppu_isa_max_reg(in);

		if (!a->fn_regs && max >= 0 && max < PPU_NUM_REGS && (uint32_t)max >= s->regs)
			s->regs = (uint32_t)max + 1;
		if (a->fn_regs && max >= (int)s->regs && i - s->value < s->num_insns) {
			AS_ERROR(a, a->p, "'%s' uses r%d but says regs=%u", s->name, max, s->regs);
			break;
		}
		if (!a->fn_bars && PPU_GET(in, OP) == PPU_OP_BAR) {
			uint32_t n = PPU_GET(in, X) & 1 ? (PPU_GET(in, IMM) >> 28) + 1 : 16;

			if (n > s->barriers)
				s->barriers = n;
		}
	}
	if (!a->fn_regs && s->regs < 2)
		s->regs = 2;	/* R1 holds the stack pointer at start */
	a->scope = 0;
}

/* Reads options `key=number`, and words, up to the end of the line. */
static int function_options(struct as *a, struct ppu_symbol *s)
{
	while (!as_end_of_statement(a)) {
		const char *at = a->p;
		struct as_span k = as_ident(a);
		static const struct {
			const char *key;
			size_t off;
			uint32_t max;
		} opts[] = {
			{ "insns", offsetof(struct ppu_symbol, num_insns), PPU_PC_MAX },
			{ "regs", offsetof(struct ppu_symbol, regs), PPU_NUM_REGS },
			{ "frame", offsetof(struct ppu_symbol, frame_bytes), 1u << 24 },
			{ "local", offsetof(struct ppu_symbol, local_bytes), 1u << 24 },
			{ "shared", offsetof(struct ppu_symbol, shared_bytes), PPU_IMAGE_SHARED_MAX },
			{ "fixed", offsetof(struct ppu_symbol, shared_fixed), PPU_IMAGE_SHARED_MAX },
			{ "barriers", offsetof(struct ppu_symbol, barriers), 16 },
			{ "threads", offsetof(struct ppu_symbol, max_threads), 1024 },
			{ "params", offsetof(struct ppu_symbol, param_bytes), PPU_IMAGE_PARAM_MAX },
			{ "reqntid", offsetof(struct ppu_symbol, reqntid), 1024 },
			{ "cluster", offsetof(struct ppu_symbol, cluster), UINT32_MAX },
		};
		unsigned i;
		uint64_t v;

		if (as_is(k, "weak")) {
			s->flags |= PPU_SYMF_WEAK;
			continue;
		}
		if (as_is(k, "static")) {
			s->flags &= ~PPU_SYMF_GLOBAL;
			continue;
		}
		if (as_is(k, "recursive")) {
			s->recursive = 1;
			continue;
		}
		for (i = 0; i < sizeof(opts) / sizeof(opts[0]) && !as_is(k, opts[i].key); i++)
			;
		if (i == sizeof(opts) / sizeof(opts[0]) || !as_accept(a, '=')) {
			AS_ERROR(a, at, "an option is expected: regs= shared= fixed= local= frame= barriers= threads= reqntid= cluster= params= weak static");
			return 0;
		}
		if (!as_natural(a, opts[i].max, &v))
			return 0;
		*(uint32_t *)((char *)s + opts[i].off) = (uint32_t)v;
		if (as_is(k, "regs"))
			a->fn_regs = 1;
		if (as_is(k, "barriers"))
			a->fn_bars = 1;
		if (as_is(k, "insns"))
			a->fn_insns = 1;
		if (as_is(k, "reqntid")) {
			if (!as_accept(a, ',') || !as_natural(a, 1024, &v))
				return 0;
			s->reqntid[1] = (uint32_t)v;
			if (!as_accept(a, ',') || !as_natural(a, 1024, &v))
				return 0;
			s->reqntid[2] = (uint32_t)v;
		}
	}
	return 1;
}

void as_function(struct as *a, unsigned kind)
{
	const char *at;
	int64_t i;
	char *n;

	as_close_function(a);
	as_skip(a);
	at = a->p;
	n = as_name(a);
	if (!n || (i = as_new_symbol(a, n, at, kind)) < 0) {
		as_skip_statement(a);
		return;
	}
	a->fn_regs = a->fn_bars = a->fn_insns = 0;
	a->next_param = 0;
	a->img->symbols[i].value = a->img->num_insns;
	a->img->symbols[i].shared_fixed = UINT32_MAX;
	a->scope = (uint32_t)i + 1;
	if (!function_options(a, &a->img->symbols[i]))
		as_skip_statement(a);
}

void as_param(struct as *a)
{
	struct ppu_symbol *s;
	struct ppu_param *p;
	const char *at;
	struct as_span n, t;
	uint64_t size, align, off;
	int type;

	as_skip(a);
	at = a->p;
	if (!a->scope) {
		AS_ERROR(a, at, ".param stands inside a kernel");
		goto bad;
	}
	n = as_ident(a);
	if (!n.n) {
		AS_ERROR(a, at, "a name is expected");
		goto bad;
	}
	as_skip(a);
	if (as_is_digit(as_peek(a))) {
		if (!as_natural(a, PPU_IMAGE_PARAM_MAX, &size))
			goto bad;
		align = 1;
	} else {
		t = as_ident(a);
		type = ppu_type_value(t.s, t.n);
		if (type < 0) {
			AS_ERROR(a, t.s, "a size or a type is expected");
			goto bad;
		}
		size = align = ppu_type_bits((unsigned)type) / 8;
	}
	if (!as_end_of_statement(a) && !as_natural(a, 4096, &align))
		goto bad;
	if (!align || align & (align - 1)) {
		AS_ERROR(a, at, "alignment is not a power of two");
		goto bad;
	}
	off = (a->next_param + align - 1) & ~(align - 1);
	if (!as_end_of_statement(a) && !as_natural(a, PPU_IMAGE_PARAM_MAX, &off))
		goto bad;
	if (off + size > PPU_IMAGE_PARAM_MAX) {
		AS_ERROR(a, at, "more than %u bytes of parameters", PPU_IMAGE_PARAM_MAX);
		goto bad;
	}
	if (as_map_get(&a->params, n, a->scope)) {
		AS_ERROR(a, at, "parameter '%.*s' is defined twice", (int)n.n, n.s);
		goto bad;
	}
	as_map_put(a, &a->params, n, a->scope, (uint32_t)off);
	s = &a->img->symbols[a->scope - 1];
	if (PPU_GROW(s->params, s->num_params)) {
		a->oom = 1;
		return;
	}
	p = &s->params[s->num_params - 1];
	p->offset = (uint32_t)off;
	p->size = (uint32_t)size;
	p->align = (uint32_t)align;
	a->next_param = (uint32_t)(off + size);
	if (s->param_bytes < off + size)
		s->param_bytes = (uint32_t)(off + size);
	return;
bad:
	as_skip_statement(a);
}
