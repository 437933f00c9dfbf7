/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs: code fetched from GPU memory, checked and decoded once, shared by every task that runs
 * it with the same number of registers.
 *
 * A launch compares the code in memory with the copy taken when it was decoded, so new code at an
 * old address needs no command.  Tasks that run keep the program they started with.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/memory/mmu.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/making.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

/* Bounds of host memory that a guest can make the device use. */
#define KEEP_BYTES	(64u << 20)	/* programs that no task uses */
#define MAX_BYTES	(1024u << 20)	/* all */
#define OVERHEAD	1024		/* charged for a program besides its code */
/* Bytes of code that the launches of one SM window may read.  These launches come in one event, perhaps
 * thousands of them. */
#define WINDOW_BYTES	(256u << 20)
#define STEP_INSNS	(1u << 12)	/* that one event looks at for a launch by the CPU */

struct ppu_icache {
	struct ppu_core *core;
	struct ppu_program *list;
	uint64_t bytes, idle_bytes, stamp;
	uint64_t window, window_bytes;	/* number of the window whose launches are made, read so far */
	uint64_t translated;		/* bytes of host code made since then */
	bool in_window;
	struct ppu_making making;	/* for the launch that waits for it */
	uint64_t looked_at;		/* instructions, by all steps */
};

int ppu_icache_create(struct ppu_core *core)
{
	core->icache = ppu_alloc(1, sizeof(*core->icache));
	if (!core->icache)
		return -1;
	core->icache->core = core;
	return 0;
}

static void program_free(struct ppu_icache *ic, struct ppu_program *p)
{
	struct ppu_program **pp = &ic->list;

	while (*pp != p)
		pp = &(*pp)->next;
	*pp = p->next;
	ic->bytes -= p->bytes;
	if (!p->refs)
		ic->idle_bytes -= p->bytes;
	ppu_translate_free(ic->core, p);
	ppu_free(p->raw);
	ppu_free(p->code);
	ppu_free(p->flow.live);
	ppu_free(p);
}

/* No launch finds the program any more; tasks that run it keep it alive. */
static void drop(struct ppu_icache *ic, struct ppu_program *p)
{
	p->stale = true;
	if (!p->refs)
		program_free(ic, p);
}

/* The making is over.  ready: the program can be found from now on. */
static void end_making(struct ppu_icache *ic, struct ppu_making *m, bool ready)
{
	struct ppu_program *p = m->p;

	if (!p)
		return;
	p->stale |= !ready && !m->known;
	p->in_making = false;
	ppu_make_end(m);
	ppu_icache_put(ic->core, p);
}

void ppu_icache_reset(struct ppu_core *core)
{
	struct ppu_program *p, *next;

	end_making(core->icache, &core->icache->making, false);
	for (p = core->icache->list; p; p = next) {
		next = p->next;
		drop(core->icache, p);
	}
}

void ppu_icache_destroy(struct ppu_core *core)
{
	if (!core->icache)
		return;
	end_making(core->icache, &core->icache->making, false);
	while (core->icache->list)
		program_free(core->icache, core->icache->list);
	ppu_free(core->icache);
	core->icache = NULL;
}

static void shrink(struct ppu_icache *ic, uint64_t room)
{
	while (ic->idle_bytes && (ic->idle_bytes > KEEP_BYTES || ic->bytes + room > MAX_BYTES)) {
		struct ppu_program *p, *old = NULL;

		for (p = ic->list; p; p = p->next)
			if (!p->refs && (!old || p->stamp < old->stamp))
				old = p;
		if (!old)
			return;
		drop(ic, old);
	}
}

/* Memory for a program.  Idle programs are only there to be found again, so they go before a launch fails. */
void *ppu_icache_alloc(struct ppu_core *core, size_t n, size_t size)
{
	struct ppu_icache *ic = core->icache;
	void *mem = ppu_alloc(n, size);
	struct ppu_program *p, *next;

	if (mem || !ic->idle_bytes)
		return mem;
	for (p = ic->list; p; p = next) {
		next = p->next;
		if (!p->refs)
			program_free(ic, p);
	}
	return ppu_alloc(n, size);
}

/* ---- make ------------------------------------------------------------------------------------- */

/* The program that a launch asks for, as it was when it was decoded. */
static struct ppu_program *find(struct ppu_icache *ic, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	struct ppu_program *p;

	for (p = ic->list; p; p = p->next)
		if (!p->stale && !p->in_making && p->ctx == ctx && p->va == t->code_va && p->n == t->code_insns &&
		    p->nregs == t->regs_per_thread)
			return p;
	return NULL;
}

/* The code of one more launch is read. */
static int read_more(struct ppu_icache *ic, uint64_t insns)
{
	if (ic->in_window && ic->window_bytes > WINDOW_BYTES)
		return PPU_ERR_TMD_LIMITS;
	ic->window_bytes += insns * PPU_INSN_BYTES;
	return 0;
}

/* Begins to compare a program with memory; or there is no need to, and it is ready. */
static int begin_known(struct ppu_core *core, struct ppu_program *p, struct ppu_making *m)
{
	struct ppu_icache *ic = core->icache;
	uint32_t gen = ppu_mem_code_gen(core);
	bool same = ic->in_window && p->checked == ic->window;
	int err = same ? 0 : read_more(ic, p->n);

	if (err)
		return err;
	ppu_icache_hold(core, p);
	m->p = p;
	m->known = true;
	m->gen = gen;
	if (same || (gen && p->code_gen == gen)) {
		m->gen = p->code_gen;
		m->pass = PPU_MAKE_READY;
	} else {
		p->code_gen = 0;
	}
	return 0;
}

static int begin_new(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t, struct ppu_making *m)
{
	struct ppu_icache *ic = core->icache;
	uint64_t bytes = (uint64_t)t->code_insns * PPU_INSN_BYTES, total;
	struct ppu_program *p;

	total = bytes + ((uint64_t)t->code_insns + 1) * sizeof(struct ppu_dinsn) + OVERHEAD;
	shrink(ic, total);
	if (ic->bytes + total > MAX_BYTES)
		return PPU_ERR_TMD_LIMITS;
	p = ppu_icache_alloc(core, 1, sizeof(*p));
	if (!p)
		return PPU_ERR_HOST_MEMORY;
	p->ctx = ctx;
	p->va = t->code_va;
	p->n = t->code_insns;
	p->nregs = t->regs_per_thread;
	p->bytes = total;
	p->refs = 1;
	p->in_making = true;
	p->next = ic->list;
	ic->list = p;
	ic->bytes += total;
	m->p = p;
	m->gen = ppu_mem_code_gen(core);
	p->raw = ppu_icache_alloc(core, 1, bytes);
	return p->raw ? read_more(ic, p->n) : PPU_ERR_HOST_MEMORY;
}

static bool is_for(const struct ppu_making *m, const struct ppu_ctx *ctx, const struct ppu_tmd *t)
{
	return m->p && m->p->ctx == ctx && m->p->va == t->code_va && m->p->n == t->code_insns &&
	       m->p->nregs == t->regs_per_thread && !m->p->stale;
}

static int begin(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t, struct ppu_making *m)
{
	uint64_t bytes = (uint64_t)t->code_insns * PPU_INSN_BYTES;
	struct ppu_program *p;

	if (!t->code_insns || t->code_insns > PPU_PC_MAX + 1 || t->code_va % PPU_INSN_BYTES ||
	    t->entry_pc >= t->code_insns || t->code_va + bytes < t->code_va)
		return PPU_ERR_BAD_PC;
	if (!t->regs_per_thread || t->regs_per_thread > PPU_NUM_REGS)
		return PPU_ERR_TMD_LIMITS;
	p = find(core->icache, ctx, t);
	return p ? begin_known(core, p, m) : begin_new(core, ctx, t, m);
}

/* Goes on with m, or begins.  Returns what ppu_make() does, or a positive error. */
static int make(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t, struct ppu_making *m,
		uint64_t insns, struct ppu_program **prog, uint64_t *va)
{
	struct ppu_icache *ic = core->icache;
	uint64_t had = insns;
	int err;

	*va = t->code_va;
	*prog = NULL;
	if (!is_for(m, ctx, t)) {
		end_making(ic, m, false);
		err = begin(core, ctx, t, m);
		if (err)
			goto fail;
	}
	err = ppu_make(core, m, &insns, va);
	if (err == PPU_MAKE_DIFFERS) {
		m->p->stale = true;
		end_making(ic, m, false);
		*va = t->code_va;
		err = begin_new(core, ctx, t, m);
		if (!err)
			err = ppu_make(core, m, &insns, va);
	}
	ic->looked_at += had - insns;
	if (err == PPU_MAKE_MORE)
		return err;
	if (err)
		goto fail;
	*prog = m->p;
	(*prog)->stamp = ++ic->stamp;
	(*prog)->checked = ic->window;
	ppu_icache_hold(core, *prog);
	end_making(ic, m, true);
	return 0;
fail:
	end_making(ic, m, false);
	return err;
}

int ppu_icache_get(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t,
		   struct ppu_program **prog, uint64_t *va)
{
	struct ppu_making m = { 0 };

	return make(core, ctx, t, &m, UINT64_MAX, prog, va);
}

bool ppu_icache_prepare(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, const struct ppu_tmd *t,
			struct ppu_program **prog, int *err)
{
	struct ppu_icache *ic = core->icache;
	uint64_t va;

	if (ic->making.chid != chid)
		end_making(ic, &ic->making, false);
	*err = make(core, ctx, t, &ic->making, STEP_INSNS, prog, &va);
	ic->making.chid = chid;
	return *err != PPU_MAKE_MORE;
}

bool ppu_icache_prepares(const struct ppu_core *core, unsigned chid)
{
	const struct ppu_making *m = &core->icache->making;

	return m->p && m->chid == chid;
}

void ppu_icache_unprepare(struct ppu_core *core, unsigned chid)
{
	struct ppu_icache *ic = core->icache;

	if (ic && (chid == ~0u || chid == ic->making.chid))
		end_making(ic, &ic->making, false);
}

uint64_t ppu_icache_looked_at(const struct ppu_core *core)
{
	return core->icache->looked_at;
}

bool ppu_icache_charge(struct ppu_core *core, struct ppu_program *p, int64_t bytes)
{
	struct ppu_icache *ic = core->icache;

	if (bytes > 0 && ic->bytes + (uint64_t)bytes > MAX_BYTES)
		return false;
	p->bytes += (uint64_t)bytes;
	ic->bytes += (uint64_t)bytes;
	if (!p->refs)
		ic->idle_bytes += (uint64_t)bytes;
	return true;
}

uint64_t ppu_icache_translated(struct ppu_core *core, uint64_t bytes)
{
	return core->icache->translated += bytes;
}

const struct ppu_program *ppu_icache_first(const struct ppu_core *core)
{
	return core->icache->list;
}

void ppu_icache_window(struct ppu_core *core, bool begin)
{
	struct ppu_icache *ic = core->icache;

	ic->in_window = begin;
	ic->window++;
	ic->window_bytes = 0;
	if (begin)
		ic->translated = 0;
}

void ppu_icache_hold(struct ppu_core *core, struct ppu_program *p)
{
	if (!p->refs++)
		core->icache->idle_bytes -= p->bytes;
}

void ppu_icache_put(struct ppu_core *core, struct ppu_program *p)
{
	struct ppu_icache *ic = core->icache;

	/* ppu_core_destroy() destroys the SMs, and with them this cache and all programs, before the TMU releases
	 * the programs of its tasks. */
	if (!ic || !p || --p->refs)
		return;
	ic->idle_bytes += p->bytes;
	if (p->stale)
		program_free(ic, p);
	else
		shrink(ic, 0);
}

void ppu_icache_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_program *p, *next;
	uint32_t i;

	end_making(core->icache, &core->icache->making, false);
	for (p = core->icache->list; p; p = next) {
		next = p->next;
		if (p->ctx == ctx)
			drop(core->icache, p);
	}
	/* The memory of ctx may soon hold another context, so no TLB entry may keep this pointer. */
	for (i = 0; i < core->num_sms; i++)
		ppu_lsu_flush(&core->sms[i]);
}
