/* SPDX-License-Identifier: MIT */
/*
 * Loading a state in which one field of a task, of a CTA, of a warp or of a channel has a value that it cannot have: each check
 * of tmu_io.c, ctas.c, sm_io.c, chan.c and host.c refuses its own.  The field is changed in the device that is saved; the rest of the state is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_save.h>
#include "core/host/chan.h"
#include "core/sm/sm.h"
#include "core/tasks/ctas.h"
#include "core/tasks/tmu_state.h"
#include "run_suite.h"
#include "tasks.h"

/*
 * Task 0: three CTAs of 80 threads, one after the other; the first is done, the second sleeps on the SM.  Task 1 waits for a
 * slot.
 */
struct scene {
	struct bench *b;
	struct ppu_tmu_record *task[2];
	struct ppu_warp *warp, *last;	/* of 32 lanes, and of 16 */
	struct ppu_cta_rec *cta;	/* that sleeps */
};

static struct scene scene_new(void)
{
	struct scene s = { .b = bench_new("sms-per-gpc=1 ctas-per-sm=1 task-slots=1 device-priorities=5") };
	struct bench_ctx *c = bench_ctx_new(s.b);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COMPUTE, 8);
	struct kern k = kern_load(c, "nanosleep 50000\nexit\n");
	struct ppu_cta *cta = &s.b->core->sms[0].cta[0];

	for (unsigned i = 0; i < 2; i++) {
		struct ppu_tmd *t;
		uint64_t va = tmd_new(c, &k, &t);

		t->grid[0] = 3 - i;
		t->block[0] = 80;
		bench_launch(ch, va);
	}
	bench_submit(ch);
	bench_run_to(s.b, 90000);
	for (unsigned i = 0; i < 2; i++)
		s.task[i] = &s.b->core->tmu->rec[i];
	ck_assert_uint_eq(s.task[0]->t.done_ctas, 1);
	ck_assert_uint_eq(s.task[0]->t.live_ctas, 1);
	ck_assert_int_eq(s.task[1]->t.state, PPU_TASK_PENDING);
	s.warp = &s.b->core->sms[0].warp[cta->warp[0]];
	s.last = &s.b->core->sms[0].warp[cta->warp[2]];
	s.cta = ppu_ctas_at(s.b->core, 0, 0);
	ck_assert(s.cta->image && s.cta->index == 1);
	ck_assert_uint_eq(s.warp->active, ~0u);
	ck_assert_uint_eq(s.last->live, 0xffff);
	return s;
}

/* What ppu_core_load() says, into a core of its own. */
static char *load(struct scene *s, const uint8_t *bytes, size_t len)
{
	struct bench *b = bench_new("sms-per-gpc=1 ctas-per-sm=1 task-slots=1 device-priorities=5");
	char *err = NULL;
	int failed;

	memcpy(b->vram, s->b->vram, b->cfg.vram);
	memcpy(b->ram, s->b->ram, BENCH_RAM_BYTES);
	failed = ppu_core_load(b->core, bytes, len, &err);
	ck_assert_int_eq(!failed, !err);
	bench_free(b);
	return err;
}

#define NO_TASK		"task 0 is not possible"
#define COUNTS(n)	"task " #n " has impossible counts"
#define PLACE		"a started CTA is in an impossible place"
#define IMAGE		"the images of two CTAs overlap"
#define WARP(n)		"SM 0: warp " #n " has an impossible state"

/* name, what is said, the change */
#define CASES(C) \
C(nothing, NULL, ) \
C(no_context, NO_TASK, a->sm.ctx = NULL) \
C(no_channel, NO_TASK, a->sm.root_chid = s->b->cfg.channels) \
C(no_tmd, NO_TASK, a->sm.launch.magic++) \
C(order_of_a_child, NO_TASK, a->sm.launch.order = PPU_ORDER_CTA) \
C(aborting, NO_TASK, a->state = PPU_TASK_ABORTING) \
C(depth_0, NO_TASK, a->sm.depth = 0) \
C(too_deep, NO_TASK, a->sm.depth = PPU_MAX_DEPTH + 1) \
C(priority_m, NO_TASK, a->sm.priority = 5) \
C(runs_later, NO_TASK, s->task[0]->run_since = 90001) \
C(chosen_later, NO_TASK, s->task[0]->sched_time = 90001) \
C(more_started_than_are, COUNTS(0), a->next_cta = 4; a->done_ctas = 2; a->live_ctas = 2) \
C(one_is_nowhere, COUNTS(0), a->next_cta++) \
C(one_too_many_is_live, COUNTS(0), a->live_ctas++) \
C(live_without_slot, COUNTS(0), a->state = PPU_TASK_EVICTED) \
C(runs_without_ctas, COUNTS(1), s->task[1]->running = true) \
C(saved_before_the_start, COUNTS(1), b->saved_ctas = 1; b->next_cta = 1) \
C(code_not_done, COUNTS(1), b->state = PPU_TASK_CODE_DONE) \
C(code_is_done, COUNTS(1), b->next_cta = b->done_ctas = 2) \
C(odd_parent, "task 1 has no parent", b->parent = -2) \
C(child_of_nobody, "task 0 has no parent", a->sm.depth = 2) \
C(parent_is_not_there, "task 1 has the wrong parent", b->parent = 7) \
C(parent_of_the_same_depth, "task 1 has the wrong parent", b->parent = 0) \
C(a_child_too_many, "task 0 has the wrong number of children", a->live_children = 1) \
C(cta_behind_the_last, PLACE, r->index = a->next_cta) \
C(cta_of_nobody, "task 0 has lost CTAs", r->task = NULL) \
C(cta_of_a_task_that_waits, PLACE, r->task = b; r->index = 0) \
C(cta_behind_the_sms, PLACE, r->sm = (int32_t)s->b->core->num_sms) \
C(cta_behind_the_slots, PLACE, r->slot = 1) \
C(cta_runs_and_waits, PLACE, r->waiting = true) \
C(cta_waits_for_nobody, PLACE, r->sm = -1; r->waiting = true) \
C(odd_image, IMAGE, r->image++) \
C(image_before_its_area, IMAGE, r->image = 0) \
C(image_behind_its_area, IMAGE, r->image = 0ull - 4096) \
C(image_ends_behind_its_area, IMAGE, r->image = a->sm.ctx->blk.save_base + a->sm.ctx->blk.save_size - PPU_SAVE_ALIGN) \
C(free_warp, WARP(0), w->state = PPU_WARP_FREE) \
C(no_such_state, WARP(0), w->state = PPU_WARP_HALTED + 1) \
C(pc_behind_the_end, WARP(0), w->state = PPU_WARP_HALTED; w->pc = w->prog->n + 1) \
C(live_lane_that_is_not, WARP(2), l->live |= 1u << 31) \
C(active_lane_that_is_not, WARP(2), l->active |= 1u << 31) \
C(active_and_parked, WARP(0), w->parked = 1) \
C(parked_lane_that_is_not, WARP(2), l->parked = 1u << 31) \
C(barrier_of_no_lane, WARP(2), l->bar_wait = 1u << 31) \
C(sync_of_no_lane, WARP(2), l->sync_wait = 1u << 31) \
C(release_of_no_lane, WARP(2), l->bar_rel = 1u << 31) \
C(head_behind_the_queue, WARP(0), w->q.head = (int32_t)s->b->cfg.tokq_entries + 1) \
C(tail_before_the_queue, WARP(0), w->q.tail = -2) \
C(tail_behind_head, WARP(0), w->q.tail = w->q.head) \
C(nobody_active, WARP(0), w->active = 0) \
C(active_and_pops, WARP(0), w->pop = true) \
C(parked_without_lanes, WARP(0), w->state = PPU_WARP_PARKED) \
C(result_in_no_row, WARP(0), w->launch_d = 0xffff) \
C(launch_of_nobody, WARP(0), w->state = PPU_WARP_LAUNCH)

#define C(name, said, change) \
static void name(struct scene *s) \
{ \
	struct ppu_task *a = &s->task[0]->t, *b = &s->task[1]->t; \
	struct ppu_warp *w = s->warp, *l = s->last; \
	struct ppu_cta_rec *r = s->cta; \
\
	(void)a, (void)b, (void)w, (void)l, (void)r; \
	change; \
}
CASES(C)
#undef C

static const struct {
	const char *name, *said;
	void (*change)(struct scene *s);
} cases[] = {
#define C(name, said, change) { #name, said, name },
	CASES(C)
#undef C
};

START_TEST(one_impossible_field)
{
	struct scene s = scene_new();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ppu_tmu_record task[2] = { *s.task[0], *s.task[1] };
		const struct ppu_warp warp = *s.warp, last = *s.last;
		const struct ppu_cta_rec cta = *s.cta;
		uint8_t *bytes = NULL;
		size_t len = 0;
		char *err;

		cases[i].change(&s);
		ck_assert_int_eq(ppu_core_save(s.b->core, &bytes, &len), 0);
		*s.task[0] = task[0];
		*s.task[1] = task[1];
		*s.warp = warp;
		*s.last = last;
		*s.cta = cta;
		err = load(&s, bytes, len);
		ck_assert_msg(!err == !cases[i].said && (!err || strstr(err, cases[i].said)), "%s: \"%s\" instead of \"%s\"",
			      cases[i].name, err ? err : "loaded", cases[i].said ? cases[i].said : "loaded");
		free(err);
		free(bytes);
	}
	bench_free(s.b);
}
END_TEST

/* ---- channels -------------------------------------------------------------------------------------- */

/* One copies, one waits for the engine, one for a semaphore; one has nothing to do, and one is off. */
struct channels {
	struct bench *b;
	struct ppu_chan *busy, *queued, *waits, *idle, *off;
};

#define ONE_ENGINE "copy-engines=1"

static struct channels channels_new(void)
{
	struct channels s = { .b = bench_new(ONE_ENGINE) };
	struct bench_ctx *c = bench_ctx_new(s.b);
	uint64_t buf = bench_alloc(c, 1 << 20, BENCH_VRAM), sem = bench_alloc(c, 4096, BENCH_VRAM);
	struct bench_chan *ch[5];

	for (unsigned i = 0; i < 4; i++)
		ch[i] = bench_chan_new(c, PPU_CLASS_COPY, 8);
	ch[4] = bench_chan_make(c, PPU_CLASS_COPY, 8);
	for (unsigned i = 0; i < 2; i++) {
		bench_copy(ch[i], buf, buf + (1 << 19), 1 << 19);
		bench_submit(ch[i]);
		bench_run_for(s.b, 3000);
	}
	bench_acquire(ch[2], PPU_SEM_OP_GE, sem, 5);
	bench_submit(ch[2]);
	bench_run_for(s.b, 3000);
	s.busy = ppu_chan(s.b->core, ch[0]->id);
	s.queued = ppu_chan(s.b->core, ch[1]->id);
	s.waits = ppu_chan(s.b->core, ch[2]->id);
	s.idle = ppu_chan(s.b->core, ch[3]->id);
	s.off = ppu_chan(s.b->core, ch[4]->id);
	ck_assert_int_eq(s.busy->state, CH_BUSY);
	ck_assert_int_eq(s.queued->where, CH_IN_RUNLIST);
	ck_assert_int_eq(s.waits->state, CH_SEM);
	ck_assert(s.idle->enabled && !s.off->enabled);
	return s;
}

#define STATE(n)	"channel " #n " is not in a possible state"
#define LIST(n)		"channel " #n " is in a list it cannot be in"

#define CHANNELS(C) \
C(all_right, NULL, ) \
C(busy_and_off, STATE(0), s->busy->enabled = false) \
C(off_and_on, STATE(4), s->off->enabled = true) \
C(off_and_ready, STATE(4), s->off->state = CH_READY) \
C(paused_by_nobody, STATE(3), s->idle->paused = 4) \
C(paused_by_no_group, STATE(3), s->idle->paused = PPU_PAUSED_GROUP) \
C(paused_and_off, STATE(4), s->off->paused = PPU_PAUSED_SELF) \
C(state_that_is_none, STATE(3), s->idle->state = CH_STATES) \
C(place_that_is_none, STATE(3), s->idle->where = CH_WHERES) \
C(entry_of_no_words, STATE(0), s->busy->blk_words = 0) \
C(words_of_no_entry, STATE(3), s->idle->blk_words = 1) \
C(long_entry, STATE(0), s->busy->blk_words = PPU_BLOCK_MAX_WORDS + 1) \
C(behind_the_entry, STATE(0), s->busy->pos = s->busy->blk_words + 1) \
C(engine_of_no_class, STATE(0), s->busy->op_class = PPU_CLASS_COPY + 1) \
C(busy_with_nothing, STATE(0), s->busy->op_class = 0) \
C(waits_for_nothing, STATE(1), s->queued->op_class = 0) \
C(runlist_of_no_class, STATE(1), s->queued->run_class = PPU_CLASS_COPY + 1) \
C(semaphore_that_is_none, STATE(3), s->idle->state = CH_SEM) \
C(waits_for_a_semaphore_and_goes_on, STATE(2), s->waits->state = CH_IDLE) \
C(engine_before_the_first, STATE(3), s->idle->engine = -2) \
C(engine_behind_the_last, STATE(3), s->idle->engine = 2) \
C(idle_in_a_list, LIST(3), s->idle->where = CH_IN_RUNLIST) \
C(ready_in_the_runlist, LIST(1), s->queued->state = CH_READY) \
C(listed_in_the_future, LIST(1), s->queued->stamp = 1ull << 62) \
C(listed_and_paused, LIST(1), s->queued->paused = PPU_PAUSED_SELF) \
C(queued_for_nothing, "channel 1 waits for no engine", s->queued->run_class = 0) \
C(engine_of_another, "channel 3 holds an engine it cannot hold", s->idle->engine = 1) \
C(engine_twice, "channel 1 holds an engine it cannot hold", s->queued->engine = 1)

#define C(name, said, change) static void name(struct channels *s) { (void)s; change; }
CHANNELS(C)
#undef C

static const struct {
	const char *name, *said;
	void (*change)(struct channels *s);
} of_channels[] = {
#define C(name, said, change) { #name, said, name },
	CHANNELS(C)
#undef C
};

START_TEST(one_impossible_channel)
{
	struct channels s = channels_new();

	for (unsigned i = 0; i < sizeof(of_channels) / sizeof(of_channels[0]); i++) {
		struct ppu_chan *const ch[] = { s.busy, s.queued, s.waits, s.idle, s.off };
		struct ppu_chan was[5];
		struct bench *b = bench_new(ONE_ENGINE);
		uint8_t *bytes = NULL;
		size_t len = 0;
		char *err = NULL;

		for (unsigned k = 0; k < 5; k++)
			was[k] = *ch[k];
		of_channels[i].change(&s);
		ck_assert_int_eq(ppu_core_save(s.b->core, &bytes, &len), 0);
		for (unsigned k = 0; k < 5; k++)
			*ch[k] = was[k];
		memcpy(b->vram, s.b->vram, b->cfg.vram);
		memcpy(b->ram, s.b->ram, BENCH_RAM_BYTES);
		ck_assert_int_eq(!ppu_core_load(b->core, bytes, len, &err), !err);
		ck_assert_msg(!err == !of_channels[i].said && (!err || strstr(err, of_channels[i].said)),
			      "%s: \"%s\" instead of \"%s\"", of_channels[i].name, err ? err : "loaded",
			      of_channels[i].said ? of_channels[i].said : "loaded");
		bench_free(b);
		free(err);
		free(bytes);
	}
	bench_free(s.b);
}
END_TEST

/*
 * A copy under way: its fields as they lie in a state, from the source's address on.  In some an impossible value is refused,
 * and the largest or smallest possible one is not.
 */
#define TIMED "copy-engines=1 memory-timing=1"
#define WIDTH (4u << 20)
#define FIELDS(F) \
F(chid, -14, 4) F(op, -10, 1) F(elem, -9, 1) F(src, 0, 8) F(width, 32, 8) F(rows, 40, 8) F(row, 56, 8) F(off, 64, 8) \
F(start, 80, 8) F(late, 88, 8) F(sys, 96, 1) F(chunk_rows, 105, 8) F(chunk_bytes, 113, 8) F(backward, 121, 1) F(waited, 122, 8)

enum field {
#define F(name, at, bytes) FIELD_##name,
	FIELDS(F)
#undef F
};

START_TEST(one_impossible_copy)
{
	static const struct { int at; unsigned bytes; } fields[] = {
#define F(name, at, bytes) [FIELD_##name] = { at, bytes },
		FIELDS(F)
#undef F
	};
	struct bench *a = bench_new(TIMED);
	struct bench_ctx *c = bench_ctx_new(a);
	struct bench_chan *ch = bench_chan_new(c, PPU_CLASS_COPY, 8);
	uint64_t buf = bench_alloc(c, 2 * WIDTH, BENCH_VRAM), now, off;
	uint8_t *bytes = NULL, *at = NULL;
	size_t len = 0;

	bench_copy(ch, buf, buf + WIDTH, WIDTH);
	bench_submit(ch);
	bench_run_for(a, 3000);
	ck_assert_int_eq(ppu_core_save(a->core, &bytes, &len), 0);
	for (uint8_t *p = bench_section(bytes, len, "ces "); p + 8 < bytes + len && !at; p++)
		if (!memcmp(p, &buf, 8))
			at = p;
	ck_assert_ptr_nonnull(at);
	now = ppu_core_time(a->core);
	memcpy(&off, at + fields[FIELD_off].at, 8);
	ck_assert_uint_lt(off, WIDTH);
	{
		const struct { enum field field; uint64_t v; bool fine; } change[] = {
			{ FIELD_src, buf, true },		/* nothing */
			{ FIELD_chid, a->cfg.channels, false }, { FIELD_chid, 1, false },
			{ FIELD_op, PPU_CMD_COPY - 1, false }, { FIELD_op, PPU_CMD_FILL_2D + 1, false }, { FIELD_op, PPU_CMD_FILL_2D, true },
			{ FIELD_elem, 3, true }, { FIELD_elem, 4, false },
			{ FIELD_row, 1, true }, { FIELD_row, 2, false }, { FIELD_rows, 0, true },
			{ FIELD_off, WIDTH + 1, false }, { FIELD_off, ~0ull, false },
			{ FIELD_start, now, true }, { FIELD_start, now + 1, false },
			{ FIELD_late, 1, false }, { FIELD_sys, 1, false },
			{ FIELD_chunk_rows, 1, false }, { FIELD_chunk_rows, ~0ull, false },
			{ FIELD_chunk_bytes, PPU_COPY_CHUNK_BYTES, true }, { FIELD_chunk_bytes, PPU_COPY_CHUNK_BYTES + 1, false },
			{ FIELD_backward, 1, true },
			{ FIELD_waited, now + (1ull << 60), true }, { FIELD_waited, now + (1ull << 60) + 1, false },
			{ FIELD_waited, ~0ull, false },
		};

		for (unsigned i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
			uint8_t was[8], *field = at + fields[change[i].field].at;
			struct bench *b = bench_new(TIMED);
			char *err = NULL;

			memcpy(was, field, 8);
			memcpy(field, &change[i].v, fields[change[i].field].bytes);
			memcpy(b->vram, a->vram, b->cfg.vram);
			memcpy(b->ram, a->ram, BENCH_RAM_BYTES);
			ck_assert_int_eq(!ppu_core_load(b->core, bytes, len, &err), !err);
			ck_assert_msg(!err == change[i].fine && (!err || strstr(err, "copy engine 0 is not in a possible state")),
				      "change %u: %s", i, err ? err : "loaded");
			memcpy(field, was, 8);
			bench_free(b);
			free(err);
		}
	}
	free(bytes);
	bench_free(a);
}
END_TEST

/* The state, and where a 1 more in a byte of the first task is. */
static size_t state_and_place(struct scene *s, uint8_t *field, uint8_t **bytes, size_t *len)
{
	uint8_t *other = NULL;
	size_t other_len, at = 0, n = 0;

	*bytes = NULL;
	ck_assert_int_eq(ppu_core_save(s->b->core, bytes, len), 0);
	++*field;
	ck_assert_int_eq(ppu_core_save(s->b->core, &other, &other_len), 0);
	--*field;
	ck_assert_uint_eq(*len, other_len);
	for (size_t i = 0; i < *len; i++)
		if ((*bytes)[i] != other[i])
			n++, at = i;
	ck_assert_uint_eq(n, 1);
	free(other);
	return at;
}

/*
 * What a device cannot even save: a record in use with the state of one that is not; a CTA that can go on and is not there
 * (the number follows those of CTAs on SMs and of saved ones, 32 bits each).
 */
START_TEST(impossible_bytes)
{
	struct scene s = scene_new();
	struct ppu_task *t = &s.task[0]->t;
	uint8_t *bytes;
	size_t len, at;
	char *err;

	at = state_and_place(&s, _i ? (uint8_t *)&t->live_ctas : (uint8_t *)&t->state, &bytes, &len);
	bytes[at + (_i ? 8 : 0)] = _i ? 1 : PPU_TASK_FREE;
	err = load(&s, bytes, len);
	ck_assert_ptr_nonnull(err);
	ck_assert_msg(strstr(err, _i ? COUNTS(0) : NO_TASK) != NULL, "%s", err);
	free(err);
	free(bytes);
	bench_free(s.b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("state_checks");
	TCase *t = tcase_create("state_checks");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, one_impossible_field);
	tcase_add_test(t, one_impossible_channel);
	tcase_add_test(t, one_impossible_copy);
	tcase_add_loop_test(t, impossible_bytes, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
