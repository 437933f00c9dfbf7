/* SPDX-License-Identifier: MIT */
/* The passes over one function, in order. */
#include <string.h>
#include "compiler/ptx/px_func.h"
#include "compiler/ptx/back/px_encode.h"
#include "compiler/ptx/back/px_frame.h"
#include "compiler/ptx/back/px_ra.h"
#include "compiler/ptx/ir/px_print.h"
#include "compiler/ptx/ir/px_verify.h"
#include "compiler/ptx/middle/px_pass.h"

struct pass {
	const char *name;
	void (*run)(struct px_func *f);
	unsigned level;		/* lowest opt_level with this pass: 1 translates only, 2 optimises */
};

static const struct pass passes[] = {
	{ "cfg", px_pass_cfg, 0 },
	{ "exits", px_pass_exits, 2 },
	{ "dom", px_pass_dom, 0 },
	{ "ssa", px_pass_ssa, 0 },
	{ "fold", px_pass_fold, 2 },
	{ "dce", px_pass_dce, 2 },
	{ "ifconv", px_pass_ifconv, 2 },
	{ "loops", px_pass_loops, 0 },
	{ "bounds", px_pass_bounds, 0 },
	{ "yield", px_pass_yield, 0 },
	{ "preheaders", px_pass_preheaders, 0 },
	{ "pdom", px_pass_pdom, 0 },
	{ "diverge", px_pass_diverge, 0 },
	{ "exits2", px_pass_exits_late, 2 },
	{ "reconv", px_pass_reconv, 0 },
	{ "legal", px_pass_legal, 0 },
};

const char *ppu_ptx_pass(unsigned index)
{
	static const char *const last[] = { "regalloc", "frame" };

	if (!index)
		return "parse";
	if (index <= PX_ARRAY_SIZE(passes))
		return passes[index - 1].name;
	index -= PX_ARRAY_SIZE(passes) + 1;
	return index < PX_ARRAY_SIZE(last) ? last[index] : NULL;
}

static bool after(struct px_func *f, const char *name)
{
	const struct ppu_ptx_options *o = f->px->opt;

	if (o->print_after && o->print_to &&
	    (!strcmp(o->print_after, name) || !strcmp(o->print_after, "all")))
		px_print_func(o->print_to, f, name);
	return !o->verify || !px_verify(f, name);
}

static void limits(struct px_func *f)
{
	uint32_t most = f->px->opt->max_regs ? f->px->opt->max_regs : PPU_NUM_REGS;
	uint32_t least = f->has_calls || !f->kernel ? 48 : 16;

	if (f->max_regs && f->max_regs < most)
		most = f->max_regs;
	if (most < least)
		most = least;
	f->max_regs = most > PPU_NUM_REGS ? PPU_NUM_REGS : most;
}

void px_compile_func(struct px_func *f, struct px_object *o)
{
	const struct ppu_ptx_options *opt = f->px->opt;
	unsigned level = f->exact ? 1 : opt->opt_level ? opt->opt_level : 2, i;

	if (!after(f, "parse"))
		return;
	for (i = 0; i < PX_ARRAY_SIZE(passes); i++) {
		if (passes[i].level > level || (passes[i].run == px_pass_yield && opt->no_yield))
			continue;
		passes[i].run(f);
		if (!after(f, passes[i].name))
			return;
	}
	limits(f);
	if (!px_pass_regalloc(f) || !after(f, "regalloc"))
		return;
	px_pass_frame(f);
	if (after(f, "frame"))
		px_encode(f, o);
}
