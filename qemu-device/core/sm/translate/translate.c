/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a program is translated, and what host code may cost. */
#include "core/sm/translate/translate.h"
#ifdef PPU_TRANSLATE
#include "core/sm/translate/code_memory.h"
#include "core/sm/translate/emit.h"

#define MAX_CODE	(8u << 20)	/* bytes of host code of a program */
#define WINDOW_CODE	(1u << 20)	/* bytes of host code made in one window, after which other programs wait */
#define HOT_WARPS	64		/* warps that begin at an entry before it is translated */

const char *ppu_translate_missing(void)
{
	size_t size;
	void *p;

	/* The instructions that the functions here and host code need. */
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("popcnt"))
		return "this processor has no AVX2 and FMA";
	if (!ppu_emit_possible())
		return "libzydis of the version that the device was built with is not installed";
	p = ppu_code_memory("", 1, &size);
	if (!p)
		return "this process may not have executable memory";
	ppu_code_memory_free(p, size);
	return NULL;
}

static void translate(struct ppu_core *core, struct ppu_program *prog, uint32_t entry)
{
	struct ppu_region *r = ppu_region_build(prog, entry, MAX_CODE), *old = prog->region;
	int64_t bytes = r ? (int64_t)ppu_region_bytes(r) - (old ? (int64_t)ppu_region_bytes(old) : 0) : 0;

	ppu_icache_translated(core, r ? r->code_bytes : MAX_CODE);	/* it also took time for nothing */
	if (!r || !ppu_icache_charge(core, prog, bytes)) {
		ppu_region_free(r);
		prog->refused = true;
		return;
	}
	ppu_region_free(old);
	prog->region = r;
}

void ppu_translate_seat(struct ppu_core *core, struct ppu_program *prog, uint32_t entry, uint32_t warps)
{
	bool first = !prog->region;

	if (core->cfg.engine == PPU_ENGINE_INTERPRET || prog->refused || prog->whole ||
	    (!first && prog->region->enter[entry][0]))
		return;
	prog->heat += warps;
	/* Many programs may get hot in one window, which is one event of the host. */
	if (core->cfg.engine == PPU_ENGINE_AUTO &&
	    (prog->heat < HOT_WARPS || ppu_icache_translated(core, 0) >= WINDOW_CODE))
		return;
	prog->heat = 0;
	if (ppu_translate_missing()) {
		prog->refused = true;
		return;
	}
	/* A second entry of the same program: all of it, so that no program is translated more than twice. */
	prog->whole = !first;
	translate(core, prog, first ? entry : PPU_REGION_ALL);
}

void ppu_translate_window(struct ppu_sm *sm)
{
	uint32_t i;

	if (sm->core->cfg.engine == PPU_ENGINE_INTERPRET)
		return;
	for (i = 0; i < sm->num_ctas; i++) {
		const struct ppu_sm_task *t = sm->cta[i].task;

		if (t && t->prog)
			ppu_translate_seat(sm->core, t->prog, t->launch.entry_pc, 1);
	}
}

void ppu_translate_free(struct ppu_program *prog)
{
	ppu_region_free(prog->region);
	prog->region = NULL;
}
#endif

const char *ppu_config_engine_note(const struct ppu_config *cfg)
{
	return cfg->engine == PPU_ENGINE_TRANSLATE ? ppu_translate_missing() : NULL;
}
