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
#include "core/sm/mem/cache.h"
#include "core/sm/mem/decode.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/timing.h"
#include "core/sm/observe.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

/* Bounds of host memory that a guest can make the device use. */
#define KEEP_BYTES	(64u << 20)	/* programs that no task uses */
#define MAX_BYTES	(1024u << 20)	/* all */
#define OVERHEAD	1024		/* charged for a program besides its code */
/* Bytes of code that the launches of one SM window may read.  These launches come in one event, perhaps
 * thousands of them. */
#define WINDOW_BYTES	(256u << 20)

struct ppu_icache {
	struct ppu_core *core;
	struct ppu_program *list;
	uint64_t bytes, idle_bytes, stamp;
	uint64_t window, window_bytes;	/* number of the window whose launches are made, read so far */
	uint64_t translated;		/* bytes of host code made since then */
	bool in_window;
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

void ppu_icache_reset(struct ppu_core *core)
{
	struct ppu_program *p, *next;

	for (p = core->icache->list; p; p = next) {
		next = p->next;
		drop(core->icache, p);
	}
}

void ppu_icache_destroy(struct ppu_core *core)
{
	if (!core->icache)
		return;
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
static void *program_alloc(struct ppu_icache *ic, size_t n, size_t size)
{
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

/* ---- the whole program ---------------------------------------------------------------------------- */

static bool decode_all(const struct ppu_core *core, struct ppu_program *p)
{
	uint32_t i;

	p->code = program_alloc(core->icache, (size_t)p->n + 1, sizeof(*p->code));
	if (!p->code)
		return false;
	for (i = 0; i < p->n; i++) {
		ppu_decode(core, &p->raw[i], p->n, p->nregs, &p->code[i]);
		if (core->caches)
			ppu_cache_observe(&p->code[i]);
	}
	p->code[p->n].handler = PPU_H_badpc;
	p->code[p->n].always = 1;
	p->code[p->n].gp = PPU_PT;
	p->code[p->n].cost = 1;
	return true;
}

/* Turn points and liveness, and the memory for them. */
static int analyse(struct ppu_icache *ic, struct ppu_program *p)
{
	struct ppu_live *scratch;
	uint64_t bytes;

	p->flow.num = ppu_flow_mark(p);
	if (ic->core->memsys)
		p->flow.num = ppu_timing_decode(ic->core, p);
	bytes = p->flow.num * sizeof(*p->flow.live);
	if (ic->bytes + bytes > MAX_BYTES)
		return PPU_ERR_TMD_LIMITS;
	p->flow.live = program_alloc(ic, p->flow.num, sizeof(*p->flow.live));
	scratch = program_alloc(ic, 2 * (size_t)p->flow.num, sizeof(*scratch));
	if (p->flow.live && scratch)
		ppu_flow_solve(p, scratch);
	ppu_free(scratch);
	p->bytes += bytes;
	ic->bytes += bytes;
	return p->flow.live && scratch ? 0 : PPU_ERR_HOST_MEMORY;
}

/* ---- fetch ------------------------------------------------------------------------------------- */

/* Compares the code in memory with that of p, or copies it.  Returns 0, PPU_ERR_* with the address at fault in
 * *bad, or -1: the code differs. */
static int fetch(struct ppu_core *core, struct ppu_program *p, bool copy, uint64_t *bad)
{
	struct ppu_icache *ic = core->icache;
	uint64_t done = 0, bytes = (uint64_t)p->n * PPU_INSN_BYTES, va = p->va;
	uint8_t *have = (uint8_t *)p->raw;
	uint32_t gen = ppu_mem_code_gen(core);

	if (ic->in_window && ic->window_bytes > WINDOW_BYTES)
		return PPU_ERR_TMD_LIMITS;
	ic->window_bytes += bytes;
	if (!copy && gen && p->code_gen == gen)
		return 0;
	p->code_gen = 0;
	while (done < bytes) {
		struct ppu_xlat x;
		uint64_t n = bytes - done;
		int err = ppu_mmu_translate(core, p->ctx, va + done, PPU_ACC_EXEC, 0, &x);

		if (err) {
			*bad = va + done;
			return err;
		}
		if (n > x.len)
			n = x.len;
		if (!n) {
			*bad = va + done;
			return PPU_ERR_SM_DMA;
		}
		if (copy)
			memcpy(have + done, x.host, n);
		else if (memcmp(have + done, x.host, n))
			return -1;
		done += n;
		if (x.phys.sys)
			gen = 0;
		else
			ppu_mem_code_page(core, x.phys.addr, n);
	}
	p->code_gen = gen;
	return 0;
}

int ppu_icache_get(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t,
		   struct ppu_program **prog, uint64_t *va)
{
	struct ppu_icache *ic = core->icache;
	struct ppu_program *p, *next;
	uint64_t bytes = (uint64_t)t->code_insns * PPU_INSN_BYTES, total;
	int err;

	*va = t->code_va;
	*prog = NULL;
	if (!t->code_insns || t->code_insns > PPU_PC_MAX + 1 || t->code_va % PPU_INSN_BYTES ||
	    t->entry_pc >= t->code_insns || t->code_va + bytes < t->code_va)
		return PPU_ERR_BAD_PC;
	if (!t->regs_per_thread || t->regs_per_thread > PPU_NUM_REGS)
		return PPU_ERR_TMD_LIMITS;

	for (p = ic->list; p; p = next) {
		next = p->next;
		if (p->stale || p->ctx != ctx || p->va != t->code_va || p->n != t->code_insns ||
		    p->nregs != t->regs_per_thread)
			continue;
		err = ic->in_window && p->checked == ic->window ? 0 :
		      fetch(core, p, false, va);
		if (err > 0)
			return err;
		if (!err) {
			ppu_icache_hold(core, p);
			p->stamp = ++ic->stamp;
			p->checked = ic->window;
			*prog = p;
			return 0;
		}
		drop(ic, p);
	}

	total = bytes + ((uint64_t)t->code_insns + 1) * sizeof(struct ppu_dinsn) + OVERHEAD;
	shrink(ic, total);
	if (ic->bytes + total > MAX_BYTES)
		return PPU_ERR_TMD_LIMITS;
	p = program_alloc(ic, 1, sizeof(*p));
	if (!p)
		return PPU_ERR_HOST_MEMORY;
	p->ctx = ctx;
	p->va = t->code_va;
	p->n = t->code_insns;
	p->nregs = t->regs_per_thread;
	p->bytes = total;
	p->refs = 1;
	p->stamp = ++ic->stamp;
	p->checked = ic->window;
	p->next = ic->list;
	ic->list = p;
	ic->bytes += total;
	p->raw = program_alloc(ic, 1, bytes);
	err = p->raw ? fetch(core, p, true, va) : PPU_ERR_HOST_MEMORY;
	if (!err && !decode_all(core, p))
		err = PPU_ERR_HOST_MEMORY;
	if (!err)
		err = analyse(ic, p);
	if (err) {
		program_free(ic, p);
		return err;
	}
	ppu_observe_program(core, p);
	*prog = p;
	return 0;
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

	for (p = core->icache->list; p; p = next) {
		next = p->next;
		if (p->ctx == ctx)
			drop(core->icache, p);
	}
	/* The memory of ctx may soon hold another context, so no TLB entry may keep this pointer. */
	for (i = 0; i < core->num_sms; i++)
		ppu_lsu_flush(&core->sms[i]);
}
