/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs: code fetched from GPU memory, checked and decoded once, shared by every task that runs
 * it with the same number of registers.
 *
 * A launch compares the code in memory with the copy taken when it was decoded, so new code at an
 * old address needs no command.  Tasks that run keep the program they started with.
 *
 * An instruction that is not legal, also because it names a register the kernel does not have,
 * decodes into one that faults when a thread executes it: one linked image holds kernels of
 * different sizes, and data between functions is nobody's business until it is executed.
 */
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "core/base/alloc.h"
#include "core/memory/mmu.h"
#include "core/sm/mem/cache.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/storebuf.h"
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

/* ---- decode ---------------------------------------------------------------------------------- */

static uint32_t cost_of(const struct ppu_core *core, const struct ppu_dinsn *di)
{
	bool f64 = di->t == PPU_T_F64 || (di->op == PPU_OP_CVT && di->u == PPU_T_F64);

	switch (di->xclass) {
	case PPU_XC_SFU:	return f64 ? 12 : 6;
	case PPU_XC_FP64:	return 3;
	case PPU_XC_MEM:	return core->cfg.cost_mem_cycles;
	case PPU_XC_WARP:	return 2;
	case PPU_XC_ALU:	return f64 ? 3 : 1;
	default:		return 1;
	}
}

/* Handler of an instruction that has no pure function; false: it has one. */
static bool handler_of(unsigned op, uint8_t *handler)
{
	switch (op) {
	case PPU_OP_NOP: case PPU_OP_BRKPT: case PPU_OP_PREFETCH:
		*handler = PPU_H_nop; break;
	case PPU_OP_BRA: case PPU_OP_JMP:
		*handler = PPU_H_bra; break;
	case PPU_OP_BRX: case PPU_OP_JMX:
		*handler = PPU_H_brx; break;
	case PPU_OP_SSY: case PPU_OP_PBRK: case PPU_OP_PCNT: case PPU_OP_PEXIT: case PPU_OP_PUSH:
		*handler = PPU_H_push; break;
	case PPU_OP_SYNC: case PPU_OP_BRK: case PPU_OP_CONT: case PPU_OP_LONGJMP:
	case PPU_OP_DISABLE:
		*handler = PPU_H_disable; break;
	case PPU_OP_EXIT:	*handler = PPU_H_exit; break;
	case PPU_OP_CAL:	*handler = PPU_H_cal; break;
	case PPU_OP_CALX:	*handler = PPU_H_calx; break;
	case PPU_OP_RET:	*handler = PPU_H_ret; break;
	case PPU_OP_YIELD:	*handler = PPU_H_yield; break;
	case PPU_OP_TRAP:	*handler = PPU_H_trap; break;
	case PPU_OP_NANOSLEEP:	*handler = PPU_H_nanosleep; break;
	case PPU_OP_TLAUNCH:	*handler = PPU_H_tlaunch; break;
	case PPU_OP_TSYNC:	*handler = PPU_H_tsync; break;
	case PPU_OP_BAR:	*handler = PPU_H_bar; break;
	case PPU_OP_CLARRIVE:	*handler = PPU_H_clarrive; break;
	case PPU_OP_CLWAIT:	*handler = PPU_H_clwait; break;
	case PPU_OP_WARPSYNC:	*handler = PPU_H_warpsync; break;
	case PPU_OP_VOTE:	*handler = PPU_H_vote; break;
	case PPU_OP_SHFL:	*handler = PPU_H_shfl; break;
	case PPU_OP_MATCH:	*handler = PPU_H_match; break;
	case PPU_OP_REDUX:	*handler = PPU_H_redux; break;
	case PPU_OP_S2R:	*handler = PPU_H_s2r; break;
	case PPU_OP_LD:		*handler = PPU_H_ld; break;
	case PPU_OP_ST:		*handler = PPU_H_st; break;
	case PPU_OP_ATOM:	*handler = PPU_H_atom; break;
	case PPU_OP_MEMBAR:	*handler = PPU_H_membar; break;
	default:
		return false;
	}
	return true;
}

/* Reason (= token type) that a control instruction pushes or disables with; x holds it afterwards,
 * as it does in the generic forms (SIMT-14). */
static unsigned reason_of(unsigned op, unsigned x)
{
	switch (op) {
	case PPU_OP_SSY: case PPU_OP_SYNC:	return PPU_REASON_SYNC;
	case PPU_OP_PBRK: case PPU_OP_BRK:	return PPU_REASON_BRK;
	case PPU_OP_PCNT: case PPU_OP_CONT:	return PPU_REASON_CONT;
	case PPU_OP_PEXIT:			return PPU_REASON_EXIT;
	case PPU_OP_LONGJMP:			return PPU_REASON_LONGJMP;
	default:				return x;
	}
}

static bool has_target(unsigned op)
{
	switch (ppu_isa_info(op)->fmt) {
	case PPU_FMT_BR: case PPU_FMT_PUSHL: case PPU_FMT_DISL: case PPU_FMT_CALL:
		return true;
	default:
		return false;
	}
}

static void decode(const struct ppu_core *core, const struct ppu_insn *in, uint32_t n,
		   uint32_t nregs, struct ppu_dinsn *di)
{
	const struct ppu_isa_info *info = ppu_isa_info(PPU_GET(in, OP));
	unsigned zero = PPU_ROW_ZERO(nregs), sink = PPU_ROW_SINK(nregs);
	uint8_t w[4];

	memset(di, 0, sizeof(*di));
	di->op = PPU_GET(in, OP);
	di->xclass = info->xclass;
	di->always = 1;
	di->gp = PPU_PT;
	di->cost = 1;
	di->handler = PPU_H_illegal;
	if (ppu_isa_check(in, nregs))
		return;

	di->gp = PPU_GET(in, GP);
	di->gn = PPU_GET(in, GN);
	di->always = di->gp == PPU_PT && !di->gn;
	ppu_isa_widths(in, w);
#define REG(field, i, rz) (w[i] && PPU_GET(in, field) != PPU_RZ ? PPU_GET(in, field) : (rz))
	di->d = REG(D, 0, sink);
	di->a = REG(A, 1, zero);
	di->b = REG(B, 2, zero);
	di->c = REG(C, 3, zero);
#undef REG
	di->pd = di->pe = di->ps = PPU_PT;
	if (di->op == PPU_OP_MOVI64) {
		di->imm64 = in->hi;
		di->imm = (uint32_t)in->hi;
	} else {
		di->t = PPU_GET(in, T);
		di->u = PPU_GET(in, U);
		di->rnd = PPU_GET(in, RND);
		di->m = PPU_GET(in, M);
		di->x = PPU_GET(in, X);
		if (di->op == PPU_OP_PLOP)
			di->raw_a = PPU_GET(in, A);
		else
			di->y = PPU_GET(in, Y);
		di->ftz = PPU_GET(in, FTZ);
		di->sat = PPU_GET(in, SAT);
		di->bi = PPU_GET(in, BI);
		di->ci = PPU_GET(in, CI);
		di->na = PPU_GET(in, NA);
		di->nb = PPU_GET(in, NB);
		di->nc = PPU_GET(in, NC);
		di->aa = PPU_GET(in, AA);
		di->ab = PPU_GET(in, AB);
		di->pd = PPU_GET(in, PD);
		di->pe = PPU_GET(in, PE);
		di->ps = PPU_GET(in, PS);
		di->psn = PPU_GET(in, PSN);
		di->imm = PPU_GET(in, IMM);
		if (di->t == PPU_T_F64 && di->xclass != PPU_XC_MEM)
			di->imm64 = (uint64_t)di->imm << 32;
		else if (ppu_type_bits(di->t) == 64 || di->xclass == PPU_XC_MEM ||
			 di->op == PPU_OP_MADW)
			di->imm64 = (uint64_t)(int64_t)(int32_t)di->imm;
		else
			di->imm64 = di->imm;
	}
	di->cost = cost_of(core, di) * ((PPU_LANES + core->cfg.engines - 1) / core->cfg.engines);
	if (handler_of(di->op, &di->handler)) {
		di->x = reason_of(di->op, di->x);
		if (core->cfg.store_delay_ns || core->cfg.store_reorder)
			di->handler = ppu_storebuf_handler(di->handler);
		if (di->op == PPU_OP_SHFL && di->x == 1)
			di->imm64 = di->y == PPU_RZ ? zero : di->y;
		if (has_target(di->op) && di->imm >= n)
			di->handler = PPU_H_badpc;
		return;
	}
	if (!ppu_exec_select(di) || !di->fn) {
		di->fn = NULL;
		di->handler = PPU_H_illegal;
		di->always = 1;
	}
}

static bool decode_all(const struct ppu_core *core, struct ppu_program *p)
{
	uint32_t i;

	p->code = program_alloc(core->icache, (size_t)p->n + 1, sizeof(*p->code));
	if (!p->code)
		return false;
	for (i = 0; i < p->n; i++) {
		decode(core, &p->raw[i], p->n, p->nregs, &p->code[i]);
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
