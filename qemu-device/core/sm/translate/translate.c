/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a program is translated and by whom, what host code may cost, and what was done. */
#include "core/sm/translate/translate.h"
#include "core/sm/sm.h"
#include "core/sm/sm_order.h"
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/translate/code_memory.h"
#include "core/sm/translate/emit.h"

#define WINDOW_CODE	(1u << 20)	/* bytes of host code made in one window, after which other programs wait */
#define HOT_WARPS	64		/* warps that begin at an entry before it is translated */

/* One translation.  Who makes it reads the first part and writes the second. */
struct translation {
	struct ppu_core *core;		/* its ports and properties only */
	const struct ppu_program *prog;
	uint32_t entry;
	bool cancel;			/* atomic */

	struct ppu_region *region;	/* NULL: there is none */
	uint64_t ns;
	bool done;			/* atomic, last of all */
};

struct ppu_translator {
	struct translation job;		/* in the background */
	struct ppu_program *prog;	/* that it is for, with a reference; NULL: there is no job */
	struct ppu_encoder *encoder;	/* of whoever translates, one at a time */
	uint64_t stat[PPU_ENG_COUNT], ns, number;
};

bool ppu_translate_evex(unsigned without)
{
	return !without && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

const char *ppu_translate_missing(unsigned without)
{
	size_t size;
	void *p;

	if (without >= PPU_WITHOUT_AVX2)
		return "this processor is to be used as if it had no AVX2";
	/* The instructions that the functions here and host code need. */
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("popcnt"))
		return "this processor has no AVX2 and FMA";
	if (!ppu_encode_possible())
		return "libzydis of the version that the device was built with is not installed";
	p = ppu_code_memory("", 1, &size);
	if (!p)
		return "this process may not have executable memory";
	ppu_code_memory_free(p, size);
	return NULL;
}

/* ---- making one, any thread ---- */

static uint64_t host_ns(const struct ppu_core *core)
{
	return core->ports.host_ns ? core->ports.host_ns(core->ports.opaque) : 0;
}

static void make(void *arg)
{
	struct translation *t = arg;
	unsigned without = t->core->cfg.engine_without;
	struct ppu_emit_with with = { .cancel = &t->cancel, .evex = ppu_translate_evex(without),
				      .workers = t->core->cfg.workers,
				      .encoder = t->core->translator->encoder };
	uint64_t begun = host_ns(t->core);

	if (!ppu_translate_missing(without))
		t->region = ppu_region_build(t->prog, t->entry, PPU_MAX_CODE, &with);
	t->ns = host_ns(t->core) - begun;
	__atomic_store_n(&t->done, true, __ATOMIC_RELEASE);
}

/* ---- giving it to the program ---- */

static void replace(struct ppu_translator *tr, struct ppu_program *prog, struct ppu_region *r)
{
	if (prog->region)
		tr->stat[PPU_ENG_MEMORY_BYTES] -= ppu_region_bytes(prog->region);
	if (r)
		tr->stat[PPU_ENG_MEMORY_BYTES] += ppu_region_bytes(r);
	ppu_region_free(prog->region);
	prog->region = r;
}

static void publish(struct ppu_core *core, struct ppu_program *prog, const struct translation *t)
{
	struct ppu_translator *tr = core->translator;
	struct ppu_region *r = t->region, *old = prog->region;
	int64_t bytes = r ? (int64_t)ppu_region_bytes(r) - (old ? (int64_t)ppu_region_bytes(old) : 0) : 0;

	tr->ns += t->ns;
	ppu_icache_translated(core, r ? r->code_bytes : PPU_MAX_CODE);	/* it also took time for nothing */
	if (!r || !ppu_icache_charge(core, prog, bytes)) {
		ppu_region_free(r);
		prog->refused = true;
		tr->stat[PPU_ENG_REFUSED]++;
		return;
	}
	r->number = ++tr->number;
	r->host_ns = t->ns;
	tr->stat[PPU_ENG_TRANSLATIONS]++;
	tr->stat[PPU_ENG_INSNS] += r->insns;
	tr->stat[PPU_ENG_INLINED] += r->inlined;
	tr->stat[PPU_ENG_SEGMENTS] += r->segments;
	tr->stat[PPU_ENG_CODE_BYTES] += r->code_bytes;
	replace(tr, prog, r);
}

/* ---- in the background ---- */

/* Does nobody run the program, and will nobody find it? */
static bool unwanted(const struct ppu_program *prog)
{
	return prog->stale && prog->refs == 1;		/* the job's own */
}

/* The job has come to its end, or does so now.  keep: its result may be of use. */
static void end_job(struct ppu_core *core, bool keep)
{
	struct ppu_translator *tr = core->translator;
	struct ppu_program *prog = tr->prog;

	if (!keep)
		__atomic_store_n(&tr->job.cancel, true, __ATOMIC_RELAXED);
	core->ports.end_background(core->ports.opaque);
	if (keep && !unwanted(prog)) {
		publish(core, prog, &tr->job);
	} else {
		tr->ns += tr->job.ns;
		tr->stat[PPU_ENG_DROPPED]++;
		ppu_region_free(tr->job.region);
	}
	tr->prog = NULL;
	ppu_icache_put(core, prog);
}

/* Takes what is ready.  True: nothing is being made. */
static bool collect(struct ppu_core *core)
{
	struct ppu_translator *tr = core->translator;

	if (!tr->prog)
		return true;
	if (unwanted(tr->prog))
		end_job(core, false);
	else if (__atomic_load_n(&tr->job.done, __ATOMIC_ACQUIRE))
		end_job(core, true);
	return !tr->prog;
}

static void start_job(struct ppu_core *core, struct ppu_program *prog, uint32_t entry)
{
	struct ppu_translator *tr = core->translator;

	tr->job = (struct translation){ .core = core, .prog = prog, .entry = entry };
	if (!core->ports.start_background(core->ports.opaque, make, &tr->job))
		return;			/* perhaps when it has got hot once more */
	ppu_icache_hold(core, prog);
	tr->prog = prog;
	prog->whole = entry == PPU_REGION_ALL;
}

/* ---- when ---- */

/* A second entry of the same program: all of it, so that no program is translated more than twice. */
static uint32_t what(const struct ppu_program *prog, uint32_t entry)
{
	return prog->region ? PPU_REGION_ALL : entry;
}

static void translate_now(struct ppu_core *core, struct ppu_program *prog, uint32_t entry)
{
	struct translation t = { .core = core, .prog = prog, .entry = entry };

	prog->whole = entry == PPU_REGION_ALL;
	make(&t);
	publish(core, prog, &t);
}

void ppu_translate_seat(struct ppu_core *core, struct ppu_program *prog, uint32_t entry, uint32_t warps)
{
	bool eager = core->cfg.engine == PPU_ENGINE_TRANSLATE;
	bool aside = !eager && core->ports.start_background;

	if (core->cfg.engine == PPU_ENGINE_INTERPRET || ppu_order_other(&core->cfg) || core->observer)
		return;
	collect(core);
	if (prog->refused || prog->whole || prog == core->translator->prog ||
	    (prog->region && prog->region->enter[entry][0]))
		return;
	prog->heat += prog->heat < HOT_WARPS ? warps : 0;
	if (!eager && prog->heat < HOT_WARPS)
		return;
	/* Many programs may get hot in one window, which is one event of the host. */
	if (aside ? core->translator->prog != NULL : !eager && ppu_icache_translated(core, 0) >= WINDOW_CODE)
		return;
	prog->heat = 0;
	if (aside)
		start_job(core, prog, what(prog, entry));
	else
		translate_now(core, prog, what(prog, entry));
}

void ppu_translate_window(struct ppu_sm *sm)
{
	uint32_t i;

	if (sm->core->cfg.engine == PPU_ENGINE_INTERPRET || ppu_order_other(&sm->core->cfg) || sm->core->observer)
		return;
	collect(sm->core);
	for (i = 0; i < sm->num_ctas; i++) {
		const struct ppu_sm_task *t = sm->cta[i].task;

		if (t && t->prog)
			ppu_translate_seat(sm->core, t->prog, t->launch.entry_pc, 1);
	}
}

void ppu_translate_free(struct ppu_core *core, struct ppu_program *prog)
{
	replace(core->translator, prog, NULL);
}

/* ---- unit ---- */

int ppu_translate_create(struct ppu_core *core)
{
	core->translator = ppu_alloc(1, sizeof(*core->translator));
	if (core->translator)
		core->translator->encoder = ppu_alloc(1, sizeof(*core->translator->encoder));
	return core->translator && core->translator->encoder ? 0 : -1;
}

void ppu_translate_stop(struct ppu_core *core)
{
	if (core->translator && core->translator->prog)
		end_job(core, false);
}

void ppu_translate_reset(struct ppu_core *core)
{
	struct ppu_translator *tr = core->translator;
	uint64_t bytes;

	ppu_translate_stop(core);
	bytes = tr->stat[PPU_ENG_MEMORY_BYTES];
	memset(tr->stat, 0, sizeof(tr->stat));
	tr->stat[PPU_ENG_MEMORY_BYTES] = bytes;		/* programs of tasks may still be there */
	tr->ns = 0;
}

void ppu_translate_destroy(struct ppu_core *core)
{
	if (core->translator)
		ppu_free(core->translator->encoder);
	ppu_free(core->translator);
	core->translator = NULL;
}
#endif

/* ---- what was done ---- */

uint64_t ppu_core_engine_stat(const struct ppu_core *core, enum ppu_engine_stat s)
{
	uint64_t v = 0;
	uint32_t i;

	if (s == PPU_ENG_ENTERED || s == PPU_ENG_WARP_INSNS) {
		for (i = 0; i < core->num_sms; i++)
			v += s == PPU_ENG_ENTERED ? core->sms[i].host_entered : core->sms[i].host_insns;
		return v;
	}
#ifdef PPU_TRANSLATE
	if (s == PPU_ENG_AVAILABLE)
		v = 1;
	else if (s < PPU_ENG_COUNT)
		v = core->translator->stat[s];
#endif
	return v;
}

uint64_t ppu_core_engine_ns(const struct ppu_core *core)
{
#ifdef PPU_TRANSLATE
	return core->translator->ns;
#else
	return 0;
#endif
}

const char *ppu_config_engine_note(const struct ppu_config *cfg)
{
	return cfg->engine == PPU_ENGINE_TRANSLATE ? ppu_translate_missing(cfg->engine_without) : NULL;
}
