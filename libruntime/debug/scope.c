/* SPDX-License-Identifier: MIT */
/* Which variables there are at a place of the code, and where they are in memory. */
#include <hw/ppu_isa.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/obj/image.h"
#include "debug/scope.h"

#define OP_ADDR		0x03
#define OP_PLUS_UCONST	0x23
#define MOST_DEEP	48u		/* blocks in blocks */

/* ---- places of code ------------------------------------------------------------------------------------------------ */

static uint64_t mark_word(uint32_t mark)
{
	return (uint64_t)PPU_DEBUG_MARK << PPU_DEBUG_KIND | mark;
}

/* The mark of an instruction, as a word. */
static uint64_t mark_of(const struct ppu_debug *d, uint32_t pc)
{
	uint32_t low = 0, high = d->num_marks;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (d->marks[mid].pc <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return mark_word(low ? d->marks[low - 1].mark : 0);
}

static bool is_around(const struct dw_die *die, uint64_t mark)
{
	return die->low && die->low <= mark && mark < die->high;
}

/* The function whose marks these are. */
static bool function_at(const struct ppu_debug *d, uint64_t mark, struct dw_die *function)
{
	struct dw_die unit, die;

	for (uint32_t at = 0; dw_unit(d, &at, &unit);)
		for (bool is = dw_child(d, &unit, &die); is; is = dw_brother(d, &die))
			if (die.tag == DW_SUBPROGRAM && is_around(&die, mark)) {
				*function = die;
				return true;
			}
	return false;
}

/* The instructions that come before a function's first label belong to it, too. */
bool scope_function(const struct ppu_image *img, uint32_t pc, struct dw_die *function, uint64_t *mark)
{
	const struct ppu_symbol *s = ppu_image_function(img, pc);
	uint64_t before = 0;		/* looked for in vain */

	for (uint32_t i = pc; s && i < s->value + s->num_insns; i++) {
		*mark = mark_of(img->debug, i);
		if (*mark != before && function_at(img->debug, *mark, function))
			return true;
		before = *mark;
	}
	return false;
}

/* The beginning has the line and column of the function, and the first statement has others. */
uint32_t dbg_body(const struct ppu_image *img, uint32_t first, uint32_t insns)
{
	const struct ppu_line *head = NULL, *l;

	for (uint32_t pc = first; img->debug && pc < first + insns; pc++) {
		l = ppu_image_line(img, pc);
		head = head ? head : l;
		if (l && (l->line != head->line || l->column != head->column || l->file != head->file))
			return pc;
	}
	return first;
}

/* ---- places of variables --------------------------------------------------------------------------------------------- */

static uint32_t stack_pointer(const struct scope *s)
{
	uint32_t lanes[DBG_LANES] = { 0 };

	dbg.ops->look_register(dbg.dev, s->w->sm, s->w->slot, PPU_SP, lanes);
	return lanes[s->lane];
}

/* The copy of a PTX register, whose letters are a number here. */
static void find_home(const struct scope *s, uint64_t letters, struct dbg_object *o)
{
	char name[9];

	ppu_debug_letters(letters, name);
	for (uint32_t i = 0; i < s->img->debug->num_homes; i++) {
		const struct ppu_debug_home *h = &s->img->debug->homes[i];

		if (h->first <= s->pc && s->pc < h->end && !strcmp(h->name, name)) {
			o->at = (struct dbg_address){ PPU_SPACE_LOCAL, stack_pointer(s) + h->offset };
			return;
		}
	}
	o->missing = "it has no value in the code";
}

static void find_word(const struct scope *s, uint64_t word, uint64_t more, struct dbg_object *o)
{
	uint64_t n = word & ((1ull << PPU_DEBUG_KIND) - 1), bytes;

	switch (word >> PPU_DEBUG_KIND) {
	case PPU_DEBUG_FRAME:
		o->at = (struct dbg_address){ PPU_SPACE_LOCAL, stack_pointer(s) + n + more };
		return;
	case PPU_DEBUG_PARAM:
		o->at = (struct dbg_address){ PPU_SPACE_PARAM, n + more };
		return;
	case PPU_DEBUG_NAME:
		if (n < s->img->debug->num_names && dbg_symbol(s->w->c.seen.task.inst, s->img, s->img->debug->names[n], &o->at.space,
							       &o->at.addr, &bytes)) {
			o->at.addr += more;
			return;
		}
	}
	o->missing = "it is not in the code";
}

/* A kernel's parameter that the compiler has not given a place is still in parameter memory, as it came. */
static bool find_parameter(const struct scope *s, const struct dw_die *var, struct dbg_object *o)
{
	const struct ppu_symbol *k = ppu_image_function(s->img, s->pc);
	struct dw_die die;
	uint32_t n = 0;

	if (var->tag != DW_FORMAL || !k || k->kind != PPU_SYM_KERNEL)
		return false;
	for (bool is = dw_child(s->img->debug, &s->function, &die); is; is = dw_brother(s->img->debug, &die)) {
		if (die.tag != DW_FORMAL)
			continue;
		if (die.at == var->at && n < k->num_params) {
			o->at = (struct dbg_address){ PPU_SPACE_PARAM, k->params[n].offset };
			return true;
		}
		n++;
	}
	return false;
}

void scope_locate(const struct scope *s, const struct dw_die *var, struct dbg_object *o)
{
	struct dw_block b = var->location;
	const uint8_t *p, *end;
	uint64_t n, more = 0;

	*o = (struct dbg_object){ .d = s->img->debug, .type = var->type };
	if (!b.p && var->has_value) {
		o->constant = true;
		o->number = var->value;
		return;
	}
	if (var->has_list && !dw_listed(s->img->debug, var->list, 0, s->mark, &b)) {
		if (!find_parameter(s, var, o))
			o->missing = "it has no value here";
		return;
	}
	p = b.p;
	end = b.p + b.n;
	if (b.p && b.n >= 9 && *p == OP_ADDR) {
		n = dw_word(p + 1, 8);
		p += 9;
		if (p < end && *p++ == OP_PLUS_UCONST)
			more = dw_uleb(&p, end);
		find_word(s, n, more, o);
	} else if (b.p && b.n > 1 && *p == PPU_DW_OP_REGX) {
		p++;
		find_home(s, dw_uleb(&p, end), o);
	} else if ((b.p && b.n) || !find_parameter(s, var, o)) {
		o->missing = b.p && b.n ? "its place cannot be told" : "the compiler has optimised it away";
	}
}

/* Name and type may stand at the entry that this one is a copy of. */
static void complete(const struct ppu_debug *d, struct dw_die *var)
{
	struct dw_die of;

	if (!var->origin || !dw_read(d, var->origin, &of))
		return;
	if (!var->name)
		var->name = of.name;
	if (!var->type)
		var->type = of.type;
}

/* ---- walks ------------------------------------------------------------------------------------------------------------ */

/* Inner blocks first: their names hide others.  Until fn returns true. */
static bool walk(const struct scope *s, const struct dw_die *block, unsigned deep, scope_fn *fn, void *arg)
{
	struct dw_die die, named;

	if (deep > MOST_DEEP)
		return false;
	for (bool is = dw_child(s->img->debug, block, &die); is; is = dw_brother(s->img->debug, &die))
		if ((die.tag == DW_BLOCK || die.tag == DW_INLINED) && (!die.low || is_around(&die, s->mark)) &&
		    walk(s, &die, deep + 1, fn, arg))
			return true;
	for (bool is = dw_child(s->img->debug, block, &die); is; is = dw_brother(s->img->debug, &die)) {
		named = die;
		complete(s->img->debug, &named);
		if ((die.tag == DW_FORMAL || die.tag == DW_VARIABLE) && named.name && !die.declaration && fn(s, &named, arg))
			return true;
	}
	return false;
}

bool scope_begin(const struct dbg_warp *w, uint32_t lane, struct scope *s)
{
	if (!w || !w->code.img || !w->code.img->debug)
		return false;
	*s = (struct scope){ .w = w, .img = w->code.img, .lane = lane, .pc = w->w.addr[lane] };
	return scope_function(s->img, s->pc, &s->function, &s->mark);
}

bool scope_walk(const struct scope *s, scope_fn *fn, void *arg)
{
	return walk(s, &s->function, 0, fn, arg);
}

/* Variables that belong to no function, and those of namespaces. */
static bool outside(const struct scope *s, const struct dw_die *parent, unsigned deep, scope_fn *fn, void *arg)
{
	struct dw_die die, named;

	for (bool is = deep < MOST_DEEP && dw_child(s->img->debug, parent, &die); is; is = dw_brother(s->img->debug, &die)) {
		named = die;
		complete(s->img->debug, &named);
		if (die.tag == DW_VARIABLE && named.name && die.location.p && fn(s, &named, arg))
			return true;
		if (die.tag == DW_NAMESPACE && outside(s, &die, deep + 1, fn, arg))
			return true;
	}
	return false;
}

bool scope_outside(const struct scope *s, scope_fn *fn, void *arg)
{
	struct dw_die unit;

	for (uint32_t at = 0; dw_unit(s->img->debug, &at, &unit);)
		if (outside(s, &unit, 0, fn, arg))
			return true;
	return false;
}
