/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a debugger sees of the SMs (hw/ppu_look.h).  Nothing is changed here. */
#include <string.h>
#include <hw/ppu_look.h>
#include "core/memory/mmu.h"
#include "core/sm/diverge.h"
#include "core/sm/observe.h"
#include "core/sm/seat.h"

#define S(name, number, words) _Static_assert((int)PPU_LOOK_##name == (int)PPU_WARP_##name, #name);
PPU_LOOK_STATES(S)
#undef S

static const struct ppu_cta *cta_at(const struct ppu_core *core, uint32_t sm, uint32_t slot)
{
	struct ppu_sm *s = sm < core->num_sms ? &core->sms[sm] : NULL;

	if (!s || slot >= s->num_ctas || !s->cta[slot].task)
		return NULL;
	ppu_seat_warps(s);	/* what the SM does itself before it runs: barriers are those of the CTA before until then */
	return &s->cta[slot];
}

static const struct ppu_warp *warp_at(const struct ppu_core *core, uint32_t sm, uint32_t slot)
{
	struct ppu_sm *s = sm < core->num_sms ? &core->sms[sm] : NULL;
	const struct ppu_warp *w;

	if (!s || slot >= s->num_warps)
		return NULL;
	ppu_seat_warps(s);	/* what the SM does itself before it runs */
	w = &s->warp[slot];
	return w->state != PPU_WARP_FREE && w->cta && w->cta->task ? w : NULL;
}

bool ppu_core_look_cta(const struct ppu_core *core, uint32_t sm, uint32_t slot, struct ppu_look_cta *c)
{
	const struct ppu_cta *cta = cta_at(core, sm, slot);

	if (!cta)
		return false;
	memset(c, 0, sizeof(*c));
	ppu_observe_cta_of(cta, &c->seen);
	c->code_va = cta->task->launch.code_va;
	c->faulted = cta->faulted;
	c->regs = cta->task->launch.regs_per_thread;
	c->shared_bytes = cta->shared_bytes;
	c->local_bytes = cta->local_bytes;
	c->param_bytes = cta->param_bytes;
	c->children = cta->children;
	memcpy(c->warp, cta->warp, sizeof(c->warp));
	for (unsigned i = 0; i < PPU_NUM_BARRIERS; i++) {
		c->bar[i].busy = cta->bar[i].busy;
		c->bar[i].count = cta->bar[i].count;
		memcpy(c->bar[i].arrived, cta->bar[i].arrived, sizeof(c->bar[i].arrived));
	}
	return true;
}

static void tokens_of(const struct ppu_warp *w, struct ppu_look_warp *l)
{
	struct ppu_tokq q = w->q;

	l->tokens = q.ent ? ppu_tokq_count(&q) : 0;
	for (unsigned i = 0; i < PPU_LOOK_TOKENS && i < l->tokens; i++)
		if (!ppu_tokq_pop(&q, &l->token[i]))
			break;
}

bool ppu_core_look_warp(const struct ppu_core *core, uint32_t sm, uint32_t slot, struct ppu_look_warp *l)
{
	const struct ppu_warp *w = warp_at(core, sm, slot);

	if (!w)
		return false;
	memset(l, 0, sizeof(*l));
	l->cta = (uint32_t)(w->cta - core->sms[sm].cta);
	l->index = w->index;
	l->state = w->state;
	l->pc = w->pc;
	l->active = w->active;
	l->live = w->live;
	l->exist = w->lanes;
	l->parked = w->parked;
	l->bar_wait = w->bar_wait;
	l->sync_wait = w->sync_wait;
	memcpy(l->pred, w->v.pred, sizeof(l->pred));
	for (unsigned i = 0; i < PPU_LANES; i++) {
		l->reason[i] = (uint8_t)ppu_warp_reason(w, i);
		l->addr[i] = w->active >> i & 1 ? w->pc : PPU_WAIT_ADDR(w->wait[i]);
	}
	tokens_of(w, l);
	l->ready_at = w->ready_at;
	l->cycle = core->sms[sm].cycle;
	return true;
}

bool ppu_core_look_register(const struct ppu_core *core, uint32_t sm, uint32_t slot, uint32_t reg, uint32_t *lanes)
{
	const struct ppu_warp *w = warp_at(core, sm, slot);

	if (!w || reg >= w->prog->nregs)
		return false;
	memcpy(lanes, w->v.row[reg], PPU_LANES * sizeof(*lanes));
	return true;
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static uint64_t look_global(struct ppu_core *core, const struct ppu_look_place *at, uint8_t *buf, uint64_t len)
{
	struct ppu_ctx *ctx = ppu_ctx_find(core, at->inst);
	uint64_t done = 0;

	while (ctx && done < len) {
		struct ppu_xlat x;
		uint64_t n = len - done;

		if (ppu_mmu_translate(core, ctx, at->addr + done, PPU_ACC_READ, PPU_XL_NULL, &x) || !x.len)
			break;
		n = n < x.len ? n : x.len;
		memcpy(buf + done, x.host, n);
		done += n;
	}
	return done;
}

static uint64_t part(const uint8_t *from, uint64_t size, uint64_t at, void *buf, uint64_t len)
{
	if (!from || at >= size)
		return 0;
	len = len < size - at ? len : size - at;
	memcpy(buf, from + at, len);
	return len;
}

/* Words of the lanes lie side by side. */
static uint64_t look_local(const struct ppu_warp *w, const struct ppu_look_place *at, uint8_t *buf, uint64_t len)
{
	uint64_t i, off;

	for (i = 0; w->local && i < len && at->addr + i < w->cta->local_bytes; i++) {
		off = at->addr + i;
		buf[i] = w->local[((off >> 2) * PPU_LANES + at->lane) * 4 + (off & 3)];
	}
	return i;
}

uint64_t ppu_core_look_memory(struct ppu_core *core, const struct ppu_look_place *at, void *buf, uint64_t len)
{
	const struct ppu_warp *w;

	if (at->space == PPU_SPACE_GLOBAL || at->space == PPU_SPACE_CONST)
		return look_global(core, at, buf, len);
	w = warp_at(core, at->sm, at->slot);
	if (!w || at->lane >= PPU_LANES)
		return 0;
	switch (at->space) {
	case PPU_SPACE_SHARED:
		return part(w->cta->shared, w->cta->shared_bytes, at->addr, buf, len);
	case PPU_SPACE_PARAM:
		return part(w->cta->params, w->cta->param_bytes, at->addr, buf, len);
	case PPU_SPACE_LOCAL:
		return look_local(w, at, buf, len);
	default:
		return 0;
	}
}
