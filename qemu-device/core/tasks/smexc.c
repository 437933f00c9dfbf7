/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SM exceptions for the driver: a queue of which SM_EXC_* shows the first.  A warp has at most one,
 * so there are never more than SMs times warps, and one more that is gone.
 *
 * By reading SM_EXC_CAUSE the driver begins to serve the first exception: until SM_EXC_DONE it may move the warp's
 * tokens in VRAM.  So the warp keeps its place on the SM.  If its task is aborted all the same, the exception stays the
 * first, without effect, up to the driver's answer or next look: otherwise the answer would be taken for an answer to
 * the exception behind.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/guest_error.h"
#include "core/base/intr.h"
#include "core/base/io.h"
#include "core/sm/sms.h"
#include "core/tasks/gpc.h"
#include "core/tasks/smexc.h"

struct ppu_smexcs {
	struct ppu_smexc *v;
	uint32_t n, cap;
	uint32_t head, tail;		/* what the driver wrote for the first */
	bool served;			/* the driver has begun with the first */
};

#define SERVED	0x80000000		/* in a saved cause */
#define GONE	UINT64_MAX		/* inst of an exception whose warp is gone */

static void show_next(struct ppu_core *core)
{
	struct ppu_smexcs *s = core->smexcs;

	s->served = false;
	if (!s->n)
		return;
	s->head = s->v[0].head;
	s->tail = (uint32_t)s->v[0].tail;
	ppu_intr_raise(core, PPU_INTR_SMEXC);
}

void ppu_smexc_post(struct ppu_core *core, const struct ppu_smexc *x)
{
	struct ppu_smexcs *s = core->smexcs;

	ppu_smexc_cancel(core, x->sm, x->warp);
	s->v[s->n++] = *x;
	if (s->n == 1)
		show_next(core);
}

static void drop(struct ppu_core *core, uint32_t i)
{
	struct ppu_smexcs *s = core->smexcs;

	s->n--;
	memmove(&s->v[i], &s->v[i + 1], (s->n - i) * sizeof(s->v[0]));
	if (!i)
		show_next(core);
}

void ppu_smexc_cancel(struct ppu_core *core, unsigned sm, unsigned warp)
{
	struct ppu_smexcs *s = core->smexcs;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->v[i].sm != sm || s->v[i].warp != warp || s->v[i].inst == GONE)
			continue;
		if (!i && s->served)
			s->v[0].inst = GONE;
		else
			drop(core, i);
		return;
	}
}

bool ppu_smexc_served(const struct ppu_core *core, unsigned *sm, unsigned *warp)
{
	const struct ppu_smexcs *s = core->smexcs;

	if (!s->n || !s->served || s->v[0].inst == GONE)
		return false;
	*sm = s->v[0].sm;
	*warp = s->v[0].warp;
	return true;
}

/* The driver looks for the next exception to serve. */
static uint32_t serve(struct ppu_core *core)
{
	struct ppu_smexcs *s = core->smexcs;

	if (s->n && s->v[0].inst == GONE)
		drop(core, 0);
	if (!s->n)
		return 0;
	s->served = true;
	return s->v[0].cause;
}

uint32_t ppu_smexc_read(struct ppu_core *core, unsigned reg)
{
	const struct ppu_smexcs *s = core->smexcs;
	const struct ppu_smexc *x = &s->v[0];

	if (!s->n)
		return 0;
	switch (reg) {
	case PPU_REG_SM_EXC_INST_LO: return (uint32_t)x->inst;
	case PPU_REG_SM_EXC_INST_HI: return (uint32_t)(x->inst >> 32);
	case PPU_REG_SM_EXC_WARP: return x->sm << 16 | x->warp;
	case PPU_REG_SM_EXC_CAUSE: return serve(core);
	case PPU_REG_SM_EXC_TOKQ_LO: return (uint32_t)x->tokq;
	case PPU_REG_SM_EXC_TOKQ_HI: return (uint32_t)(x->tokq >> 32);
	case PPU_REG_SM_EXC_HEAD: return s->head;
	case PPU_REG_SM_EXC_TAIL: return s->tail;
	}
	return 0;
}

void ppu_smexc_write(struct ppu_core *core, unsigned reg, uint32_t val)
{
	struct ppu_smexcs *s = core->smexcs;
	struct ppu_smexc x;

	if (!s->n)
		return;
	switch (reg) {
	case PPU_REG_SM_EXC_HEAD:
		s->head = val;
		break;
	case PPU_REG_SM_EXC_TAIL:
		s->tail = val;
		break;
	case PPU_REG_SM_EXC_DONE:
		if (val != 1 && val != 2) {
			ppu_guest_error(core, "SM_EXC_DONE: %u is neither 1 nor 2", val);
			break;
		}
		x = s->v[0];
		x.head = s->head;
		x.tail = (int32_t)s->tail;
		drop(core, 0);
		if (x.inst == GONE)
			break;
		ppu_gpc_exception_done(core, x.sm, x.warp);
		ppu_sm_exception_done(core, x.sm, x.warp, x.head, x.tail, val == 2);
		break;
	}
}

int ppu_smexcs_create(struct ppu_core *core)
{
	struct ppu_smexcs *s = ppu_alloc(1, sizeof(*s));

	core->smexcs = s;
	if (!s)
		return -1;
	s->cap = core->num_sms * core->cfg.warps_per_sm;
	s->v = ppu_alloc(s->cap + 2, sizeof(*s->v));
	return s->v ? 0 : -1;
}

void ppu_smexcs_destroy(struct ppu_core *core)
{
	if (core->smexcs)
		ppu_free(core->smexcs->v);
	ppu_free(core->smexcs);
	core->smexcs = NULL;
}

void ppu_smexcs_reset(struct ppu_core *core)
{
	core->smexcs->n = 0;
	core->smexcs->served = false;
	core->smexcs->head = core->smexcs->tail = 0;
}

void ppu_smexcs_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_smexcs *s = core->smexcs;

	uint8_t *seen = io->loading ? ppu_alloc(s->cap, 1) : NULL;	/* a warp has one at most */

	ppu_io_u32(io, &s->n);
	ppu_io_u32(io, &s->head);
	ppu_io_u32(io, &s->tail);
	if (io->loading && !seen)
		ppu_io_fail(io, "out of memory");
	if (s->n > s->cap + 1)
		ppu_io_fail(io, "too many SM exceptions");
	if (io->failed)
		s->n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		struct ppu_smexc *x = &s->v[i];
		uint32_t tail = (uint32_t)x->tail, cause = x->cause | (!i && s->served ? SERVED : 0);

		ppu_io_u64(io, &x->inst);
		ppu_io_u64(io, &x->tokq);
		ppu_io_u32(io, &x->sm);
		ppu_io_u32(io, &x->warp);
		ppu_io_u32(io, &cause);
		ppu_io_u32(io, &x->head);
		ppu_io_u32(io, &tail);
		x->tail = (int32_t)tail;
		x->cause = cause & ~SERVED;
		if (io->loading && !i)
			s->served = cause & SERVED;
		if (x->inst == GONE)
			continue;
		if (x->sm >= core->num_sms || x->warp >= core->cfg.warps_per_sm)
			ppu_io_fail(io, "SM exception of a warp that does not exist");
		else if (seen && seen[x->sm * core->cfg.warps_per_sm + x->warp]++)
			ppu_io_fail(io, "a warp has two SM exceptions");
	}
	ppu_free(seen);
	if (io->failed)
		s->n = 0;
}
