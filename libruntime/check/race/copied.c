/* SPDX-License-Identifier: MIT */
/* racecheck: copies and fills are one thread's, which reads and writes all at once. */
#include "check/race/inner.h"
#include "check/race/race.h"

struct copying {
	struct chk_ctx *ctx;
	struct rc_task *task;
	const struct ppu_seen_copy *copy;
	struct rc_seen me;
	bool told;
};

static bool behind_copy(const struct copying *c, const struct rc_seen *s)
{
	const struct rc_entry *e;

	if (!s->clock || rc_is_old(c->ctx, s) || s->cta == c->me.cta || rc_task_behind(c->ctx, c->task, s))
		return true;
	e = rc_set_find(c->task->far, s->cta);
	return e && rc_entry_clock(e, s->thread) >= s->clock;
}

static void copied_cell(struct copying *c, struct rc_cell *cell, uint64_t va)
{
	bool writes = c->me.kind == RC_COPIED;
	const struct rc_seen *bad = NULL;

	if (!behind_copy(c, &cell->write) && !rc_both_strong(&c->me, &cell->write))
		bad = &cell->write;
	for (unsigned i = 0; i < 2 && !bad && writes; i++)
		if (!behind_copy(c, &cell->read[i]) && !rc_both_strong(&c->me, &cell->read[i]))
			bad = &cell->read[i];
	if (bad && !c->told) {
		rc_tell_copy(c->ctx, c->task, c->copy, &c->me, va, cell, bad);
		c->told = true;
	}
	if (writes)
		cell->write = c->me;
	else
		cell->read[behind_copy(c, &cell->read[0]) ? 0 : 1] = c->me;
}

/* A piece that does not leave a line. */
static void piece(struct copying *c, uint64_t va, uint64_t n)
{
	struct rc_line *line = rc_line(c->ctx, va);
	uint32_t num, step;

	if (line && !line->cell && n == RC_LINE && !line->all.write.row && !line->all.read[0].row && !line->all.read[1].row) {
		copied_cell(c, &line->all, va);
		return;
	}
	for (uint64_t k = 0; k < n; k += step) {
		struct rc_cell *cell;

		step = (va + k) % 4 || n - k < 4 ? 1 : 4;
		cell = rc_cells(c->ctx, va + k, step, &num);
		for (uint32_t i = 0; cell && i < num; i++)
			copied_cell(c, cell + i, va + k + i);
	}
	if (line && n == RC_LINE && c->me.kind == RC_COPIED) {
		rc_line_unite(line);
		line->all.write = c->me;
	}
}

static void row(struct copying *c, uint64_t va, uint64_t n)
{
	for (uint64_t part; n; va += part, n -= part) {
		part = RC_LINE - va % RC_LINE;
		if (part > n)
			part = n;
		if (chk_shadow_all(&c->ctx->valid, va, part))
			piece(c, va, part);
	}
}

/* Streams may wait for words that a copy or a fill of a few bytes writes: that is a release, for everybody. */
void chk_race_copy(struct chk_ctx *ctx, const struct ppu_seen_copy *copy)
{
	struct copying c = { .ctx = ctx, .copy = copy, .task = rc_copy_start(ctx, copy) };
	bool few = copy->rows == 1 && copy->width <= 8;

	c.me = (struct rc_seen){ .clock = 1, .strong = few ? 1 + PPU_SCOPE_SYS : 0 };
	if (!c.task)
		return;
	c.me.cta = rc_block_new(ctx, c.task, 0);
	c.me.stamp = rc_now(ctx);
	for (uint64_t r = 0; c.me.cta && r < copy->rows; r++) {
		c.me.kind = PPU_SEEN_READ;
		if (!copy->fill)
			row(&c, copy->src + r * copy->src_pitch, copy->width);
		c.me.kind = RC_COPIED;
		row(&c, copy->dst + r * copy->dst_pitch, copy->width);
	}
	if (few && c.me.cta)
		rc_word_told(ctx, copy->dst, copy->width, c.me.cta, 1, c.task);
	rc_copy_end(ctx, c.task);
}
