/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program in the making.  It is fetched, decoded and analysed in passes over its code; each step does a part of one.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/memory/mmu.h"
#include "core/sm/mem/cache.h"
#include "core/sm/mem/decode.h"
#include "core/sm/mem/making.h"
#include "core/sm/mem/timing.h"
#include "core/sm/observe.h"
#include "core/sm/warp.h"

/* Compares the code in memory with the copy, or copies it. */
static int fetch(struct ppu_core *core, struct ppu_making *m, uint32_t from, uint32_t to, uint64_t *bad)
{
	uint64_t done = (uint64_t)from * PPU_INSN_BYTES, end = (uint64_t)to * PPU_INSN_BYTES;
	struct ppu_program *p = m->p;
	uint8_t *have = (uint8_t *)p->raw;

	while (done < end) {
		struct ppu_xlat x;
		uint64_t n = end - done;
		int err = ppu_mmu_translate(core, p->ctx, p->va + done, PPU_ACC_EXEC, 0, &x);

		*bad = p->va + done;
		if (err)
			return err;
		if (n > x.len)
			n = x.len;
		if (!n)
			return PPU_ERR_SM_DMA;
		if (!m->known)
			memcpy(have + done, x.host, n);
		else if (memcmp(have + done, x.host, n))
			return PPU_MAKE_DIFFERS;
		done += n;
		if (x.phys.sys)
			m->gen = 0;
		else
			ppu_mem_code_page(core, x.phys.addr, n);
	}
	return 0;
}

static int decode(struct ppu_core *core, struct ppu_program *p, uint32_t from, uint32_t to)
{
	struct ppu_dinsn *end;
	uint32_t i;

	if (!p->code)
		p->code = ppu_icache_alloc(core, (size_t)p->n + 1, sizeof(*p->code));
	if (!p->code)
		return PPU_ERR_HOST_MEMORY;
	for (i = from; i < to; i++) {
		ppu_decode(core, &p->raw[i], p->n, p->nregs, &p->code[i]);
		if (core->caches)
			ppu_cache_observe(&p->code[i]);
	}
	end = &p->code[p->n];
	end->handler = PPU_H_badpc;
	end->always = 1;
	end->gp = PPU_PT;
	end->cost = 1;
	return 0;
}

/* Memory for the analysis, when the number of blocks is known. */
static int room(struct ppu_core *core, struct ppu_making *m)
{
	struct ppu_flow *f = &m->p->flow;

	if (!ppu_icache_charge(core, m->p, (int64_t)(f->num * sizeof(*f->live))))
		return PPU_ERR_TMD_LIMITS;
	f->live = ppu_icache_alloc(core, f->num, sizeof(*f->live));
	m->work.sum = ppu_icache_alloc(core, 2 * (size_t)f->num, sizeof(*m->work.sum));
	return f->live && m->work.sum ? 0 : PPU_ERR_HOST_MEMORY;
}

enum pass { FETCH, DECODE, TURNS, BLOCKS, TIMED, TIMED_TURNS, TIMED_BLOCKS, SUMS, SOLVE };

static int part(struct ppu_core *core, struct ppu_making *m, uint32_t from, uint32_t to, uint64_t *bad)
{
	struct ppu_program *p = m->p;

	switch (m->pass) {
	case FETCH:
		return fetch(core, m, from, to, bad);
	case DECODE:
		return decode(core, p, from, to);
	case TIMED_TURNS:
		ppu_timing_turns(p, from, to);
		/* fallthrough */
	case TURNS:
		ppu_flow_turns(p, from, to);
		return 0;
	case TIMED_BLOCKS:
	case BLOCKS:
		ppu_flow_blocks(p, &m->work, from, to);
		return 0;
	case TIMED:
		ppu_timing_decode(core, p, from, to);
		return 0;
	case SUMS:
		if (!m->work.sum) {
			int err = room(core, m);

			if (err)
				return err;
		}
		ppu_flow_sums(p, &m->work, from, to);
		return 0;
	case SOLVE:
		ppu_flow_solve(p, &m->work, from, to);
		return 0;
	}
	return 0;
}

static unsigned pass_after(const struct ppu_core *core, struct ppu_making *m)
{
	switch (m->pass) {
	case FETCH:
		return m->known ? PPU_MAKE_READY : DECODE;
	case BLOCKS:
		return core->memsys ? TIMED : SUMS;
	case SOLVE:
		return ppu_flow_solved(m->p, &m->work) ? PPU_MAKE_READY : SOLVE;
	default:
		return m->pass + 1;
	}
}

int ppu_make(struct ppu_core *core, struct ppu_making *m, uint64_t *insns, uint64_t *bad)
{
	struct ppu_program *p = m->p;

	while (m->pass != PPU_MAKE_READY) {
		uint32_t n = p->n - m->at, from;
		int err;

		if (!*insns)
			return PPU_MAKE_MORE;
		n = n < *insns ? n : (uint32_t)*insns;
		*insns -= n;
		from = m->pass >= SUMS ? p->n - m->at - n : m->at;
		err = part(core, m, from, from + n, bad);
		if (err)
			return err;
		m->at += n;
		if (m->at < p->n)
			continue;
		m->at = 0;
		m->pass = pass_after(core, m);
	}
	p->code_gen = m->gen;
	if (!m->known)
		ppu_observe_program(core, p);
	return 0;
}

void ppu_make_end(struct ppu_making *m)
{
	ppu_free(m->work.sum);
	memset(m, 0, sizeof(*m));
}
