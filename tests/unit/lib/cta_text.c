/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cta_text.h"

#define PARTS(P) \
P(index) P(id) P(done_warps) P(shared) P(params) P(bar_busy) P(bar_count) P(bar_arrived) P(bar_waiting) P(bar_value) \
P(state) P(pc) P(active) P(live) P(lanes) P(pop) P(retried) P(parked) P(bar_wait) P(bar_rel) P(sync_wait) P(bar_val) \
P(wait) P(ycount) P(lane_ycount) P(rng) P(ready_at) P(tokens) P(queue) P(head) P(preds) P(regs) P(local)
enum part {
#define P(name) PART_##name,
	PARTS(P)
#undef P
	NUM_PARTS
};
static const char *const names[] = {
#define P(name) #name,
	PARTS(P)
#undef P
};

static bool used[NUM_PARTS];

static uint64_t hash(uint64_t h, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n--)
		h = (h ^ *b++) * 0x100000001b3ull;
	return h;
}

static bool all_zero(const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n && !*b) {
		b++;
		n--;
	}
	return !n;
}

static void bytes(FILE *f, enum part part, unsigned i, const void *p, size_t n)
{
	used[part] |= !all_zero(p, n);
	fprintf(f, "%s %u: %016" PRIx64 "\n", names[part], i, hash(1, p, n));
}

static void value(FILE *f, enum part part, uint64_t v)
{
	used[part] |= v != 0;
	fprintf(f, "%s: %" PRIx64 "\n", names[part], v);
}

static void lanes(FILE *f, enum part part, unsigned i, const uint32_t *v, uint32_t keep)
{
	uint32_t out[PPU_LANES];
	unsigned k;

	for (k = 0; k < PPU_LANES; k++)
		out[k] = keep >> k & 1 ? v[k] : 0;
	bytes(f, part, i, out, sizeof(out));
}

static void barrier_text(FILE *f, const struct ppu_cta *cta, unsigned n)
{
	const struct ppu_barrier *b = &cta->bar[n];
	size_t size = cta->num_warps * sizeof(b->arrived[0]);

	fprintf(f, "barrier %u\n", n);
	value(f, PART_bar_busy, b->busy);
	value(f, PART_bar_count, b->count);
	bytes(f, PART_bar_arrived, n, b->arrived, size);
	bytes(f, PART_bar_waiting, n, b->waiting, size);
	bytes(f, PART_bar_value, n, b->value, size);
}

static void queue_text(FILE *f, const struct ppu_warp *w)
{
	const struct ppu_tokq *q = &w->q;

	value(f, PART_queue, q->ent != NULL);
	value(f, PART_head, (uint64_t)(uint32_t)q->head << 32 | (uint32_t)q->tail);
	if (q->ent)
		bytes(f, PART_tokens, 0, q->ent + q->tail + 1, 8 * ppu_tokq_count(q));
}

static void warp_text(FILE *f, const struct ppu_sm *sm, const struct ppu_warp *w)
{
	bool sleeps = w->state == PPU_WARP_TIMED && w->ready_at > sm->cycle;
	struct ppu_canon keep;
	unsigned i;

	ppu_flow_canon(w, &keep);
	fprintf(f, "warp %u\n", w->index);
	value(f, PART_state, w->state == PPU_WARP_READY || sleeps ? PPU_WARP_TIMED : w->state);
	value(f, PART_ready_at, sleeps ? w->ready_at : 0);
	value(f, PART_pc, w->pc);
	value(f, PART_active, w->active);
	value(f, PART_live, w->live);
	value(f, PART_lanes, w->lanes);
	value(f, PART_pop, w->pop);
	value(f, PART_retried, w->retried);
	value(f, PART_parked, w->parked);
	value(f, PART_bar_wait, w->bar_wait);
	value(f, PART_bar_rel, w->bar_rel);
	value(f, PART_sync_wait, w->sync_wait);
	value(f, PART_ycount, w->ycount);
	value(f, PART_rng, w->rng);
	lanes(f, PART_bar_val, 0, w->bar_val, keep.bar_val);
	lanes(f, PART_wait, 0, w->wait, keep.wait);
	bytes(f, PART_lane_ycount, 0, w->lane_ycount, sizeof(w->lane_ycount));
	for (i = 0; i < PPU_PT; i++) {
		uint32_t p = w->v.pred[i] & keep.pred[i];

		bytes(f, PART_preds, i, &p, sizeof(p));
	}
	for (i = 0; i < w->prog->nregs; i++)
		lanes(f, PART_regs, i, w->v.row[i], keep.reg[i]);
	if (w->local)
		bytes(f, PART_local, 0, w->local, (size_t)w->cta->local_bytes * PPU_LANES);
	queue_text(f, w);
}

char *cta_text(const struct ppu_sm *sm, const struct ppu_cta *cta)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	unsigned i;

	value(f, PART_index, cta->index);
	bytes(f, PART_id, 0, cta->id, sizeof(cta->id));
	value(f, PART_done_warps, cta->done_warps);
	bytes(f, PART_shared, 0, cta->shared, cta->shared_bytes);
	bytes(f, PART_params, 0, cta->params, cta->param_bytes);
	for (i = 0; i < PPU_NUM_BARRIERS; i++)
		barrier_text(f, cta, i);
	for (i = 0; i < cta->num_warps; i++)
		warp_text(f, sm, &sm->warp[cta->warp[i]]);
	fclose(f);
	return text;
}

const char *cta_text_differs(const char *a, const char *b)
{
	static char out[512];

	out[0] = 0;
	while (*a && *b) {
		size_t m = strcspn(a, "\n") + 1, n = strcspn(b, "\n") + 1;

		if (m != n || memcmp(a, b, n))
			break;
		a += m;
		b += n;
	}
	if (*a || *b)
		snprintf(out, sizeof(out), "'%.*s', not '%.*s'", (int)strcspn(b, "\n"), b, (int)strcspn(a, "\n"), a);
	return out;
}

const char *cta_text_unused(void)
{
	static char out[512];
	unsigned i;

	out[0] = 0;
	for (i = 0; i < NUM_PARTS; i++)
		if (!used[i])
			snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s ", names[i]);
	return out;
}
