/* SPDX-License-Identifier: MIT */
/* The seam for observers: what is shown of memory, barriers, and CTAs; and that nobody can tell that somebody looks. */
#include <check.h>
#include <hw/ppu_isa_check.h>
#include <hw/ppu_observe.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/translate/translate.h"
#include "one_cta.h"
#include "run_suite.h"

static char said[16384];
static size_t len;

__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	len += (size_t)vsnprintf(said + len, sizeof(said) - len, fmt, ap);
	va_end(ap);
	ck_assert_uint_lt(len, sizeof(said));
}

static void see_access(void *arg, const struct ppu_seen_access *a)
{
	static const char *const space[] = { "generic", "global", "shared", "local", "param", "const" };
	unsigned first = (unsigned)__builtin_ctz(a->lanes), last = 31 - (unsigned)__builtin_clz(a->lanes);

	ck_assert_ptr_eq(arg, said);
	say("%c %s.%u %08x %llx..%llx", "rwa"[a->kind], space[a->space], a->bytes, a->lanes,
	    (unsigned long long)a->addr[first], (unsigned long long)a->addr[last]);
	if (a->value)
		say(" =%u..%u", a->value[0][first], a->value[0][last]);
	if (a->order)
		say(" order %u scope %u", a->order, a->scope >> 3);
	if (a->fault)
		say(" fault %u lane %u", a->fault, a->fault_lane);
	say(" w%u pc%u\n", a->at.warp, a->at.pc);
}

static void see_fence(void *arg, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope)
{
	say("fence %08x scope %u w%u\n", lanes, scope >> 3, at->warp);
}

static void see_barrier(void *arg, const struct ppu_seen_barrier *b)
{
	say("bar %u %08x %08x waiting %08x %08x\n", b->number, b->arrived[0], b->arrived[1], b->waiting[0], b->waiting[1]);
}

static void see_warp(void *arg, const struct ppu_seen_warp *at, uint32_t lanes)
{
	say("sync %08x w%u pc%u\n", lanes, at->warp, at->pc);
}

static void see_sync(void *arg, const struct ppu_seen_sync *y)
{
	static const char *const name[] = { "bar", "arrive", "red", "warpsync", "vote", "shfl", "match", "redux" };
	unsigned first = (unsigned)__builtin_ctz(y->lanes), last = 31 - (unsigned)__builtin_clz(y->lanes);

	say("reach %s %08x of %08x %08x", name[y->kind], y->lanes, y->at.live, y->at.exist);
	if (y->kind <= PPU_SEEN_BAR_RED)
		say(" number %u..%u count %u..%u", y->number[first], y->number[last], y->count[first], y->count[last]);
	if (y->masked)
		say(" members %08x..%08x", y->members[first], y->members[last]);
	if (y->kind == PPU_SEEN_SHFL)
		say(" from %u..%u", y->from[first], y->from[last]);
	say(" w%u pc%u\n", y->at.warp, y->at.pc);
}

static void see_stuck(void *arg, const struct ppu_seen_stuck *t)
{
	say("stuck %u lane %u w%u pc%u", t->error, t->lane, t->at.warp, t->at.pc);
	for (unsigned i = 0; i < t->at.cta->warps; i++) {
		say(", %08x", t->live[i]);
		if (t->pc && t->live[i])
			say(" pc%u..%u", t->pc[i][__builtin_ctz(t->live[i])], t->pc[i][31 - __builtin_clz(t->live[i])]);
	}
	say("\n");
}

static void see_float(void *arg, const struct ppu_seen_float *f)
{
	unsigned l = (unsigned)__builtin_ctz(f->lanes);

	say("op %02x t%u of t%u %08x", f->op, f->type, f->from, f->lanes);
	for (unsigned i = 0; i < f->operands; i++)
		say(" %08x", f->operand[i][ppu_type_bits(f->from) == 64][l]);
	say(" = %08x", f->result[ppu_type_bits(f->type) == 64][l]);
	if (f->choice != PPU_SEEN_NO_CHOICE)
		say(" choice %u.%u", f->choice, f->second);
	say(" w%u pc%u\n", f->at.warp, f->at.pc);
}

static void see_choice(void *arg, const struct ppu_seen_warp *at, uint32_t first, uint32_t second)
{
	say("choose %08x %08x pc%u\n", first, second, at->pc);
}

static void see_call(void *arg, const struct ppu_seen_call *c)
{
	say("%s %08x pc%u to %u, r4 %x\n", c->returns ? "return" : "call", c->lanes, c->at.pc, c->to[__builtin_ctz(c->lanes)],
	    c->reg[4][__builtin_ctz(c->lanes)]);
}

static void cta_start(void *arg, const struct ppu_seen_cta *c)
{
	say("start %llu (%u) of %u, block %u, %u warps\n", (unsigned long long)c->index, c->id[0], c->task.grid[0],
	    c->task.block[0], c->warps);
}

static void cta_end(void *arg, const struct ppu_seen_cta *c)
{
	say("end %llu\n", (unsigned long long)c->index);
}

static const struct ppu_observer all = {
	.arg = said, .spaces = ~0u, .access = see_access, .fence = see_fence, .barrier = see_barrier, .warp_sync = see_warp,
	.cta_start = cta_start, .cta_end = cta_end,
};

/* Runs the program and compares what was seen. */
static void sees(const char *text, uint32_t block, const char *want)
{
	if (!s->core)
		smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &all);
	smt_load(s, text);
	smt_run(s, 1, block);
	ck_assert_str_eq(said, want);
}

START_TEST(accesses)
{
	s->task.launch.shared_bytes = 256;
	s->task.launch.local_per_thread = 64;
	/* A load into its own address register, a store, and an atomic whose result is its operand. */
	sees(PROLOGUE "mov.u32 r3, 7\nst.shared.u32 [8], r3\nld.global.u32 r4, [rd4+4]\natom.global.add.u32 r3, [rd10], r3\n"
	     "st.local.u32 [16], r2\nexit\n", 2,
	     "start 0 (0) of 1, block 2, 1 warps\n"
	     "r param.8 00000003 0..0 w0 pc1\n"
	     "w shared.4 00000003 8..8 =7..7 w0 pc4\n"
	     "r global.4 00000003 200000004..200000008 w0 pc5\n"
	     "a global.4 00000003 200000000..200000000 =7..7 w0 pc6\n"
	     "w local.4 00000003 10..10 =0..1 w0 pc7\n"
	     "end 0\n");
}
END_TEST

/* Lanes of one generic instruction may go to different spaces. */
START_TEST(generic_spaces)
{
	s->task.launch.shared_bytes = 256;
	ck_assert_uint_eq(PPU_VA_SHARED_BASE, 0xfffe00000000);
	sees(PROLOGUE "movi64 rd12, 0xfffe00000020\nsetp.eq.u32 p1, r2, 1\n@p1 mov.u64 rd4, rd12\n"
	     "st.generic.u32 [rd4], r2\nexit\n", 3,
	     "start 0 (0) of 1, block 3, 1 warps\n"
	     "r param.8 00000007 0..0 w0 pc1\n"
	     "w global.4 00000005 200000000..200000008 =0..2 w0 pc6\n"
	     "w shared.4 00000002 20..20 =1..1 w0 pc6\n"
	     "end 0\n");
}
END_TEST

START_TEST(faults)
{
	sees(PROLOGUE "setp.eq.u32 p1, r2, 2\n@p1 add.u64 rd4, rd4, 1\nld.global.u32 r3, [rd4]\nexit\n", 4,
	     "start 0 (0) of 1, block 4, 1 warps\n"
	     "r param.8 0000000f 0..0 w0 pc1\n"
	     "r global.4 0000000f 200000000..20000000c fault 37 lane 2 w0 pc5\n");
	ck_assert(s->faulted);
}
END_TEST

/* Of spaces that the observer does not name, only faults are seen. */
START_TEST(some_spaces)
{
	struct ppu_observer few = all;

	few.spaces = 1 << PPU_SPACE_GLOBAL;
	s->task.launch.shared_bytes = 64;
	smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &few);
	smt_load(s, PROLOGUE "shl.u32 r3, r2, 2\nst.shared.u32 [r3], r2\nst.global.u32 [rd4], r2\nld.shared.u32 r3, [r3+56]\nexit\n");
	smt_run(s, 1, 3);
	ck_assert(s->faulted);
	ck_assert_str_eq(said, "start 0 (0) of 1, block 3, 1 warps\nw global.4 00000007 200000000..200000008 =0..2 w0 pc5\n"
			 "r shared.4 00000007 38..40 fault 38 lane 2 w0 pc6\n");
}
END_TEST

START_TEST(who_waits_for_whom)
{
	sees("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 4\nmembar\nbar.sync 1\nwarpsync 0xffffffff\nshfl.bfly.full r3, r2, 1, 31\n"
	     "exit\n", 40,
	     "start 0 (0) of 1, block 40, 2 warps\n"
	     "fence ffffffff scope 0 w0\n"
	     "fence 000000ff scope 0 w1\n"
	     "bar 1 ffffffff 000000ff waiting ffffffff 000000ff\n"
	     "sync 000000ff w1 pc4\n"
	     "sync 000000ff w1 pc5\n"
	     "sync ffffffff w0 pc4\n"
	     "sync ffffffff w0 pc5\n"
	     "end 0\n");
}
END_TEST

/* Runs the program for who looks at these results. */
static void computes(const char *text, uint32_t floats, const char *want)
{
	struct ppu_observer only = { .floats = floats, .arithmetic = see_float, .choose = see_choice, .call = see_call };

	smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &only);
	smt_load(s, text);
	smt_run(s, 1, 2);
	ck_assert_msg(!s->faulted, "fault %u", s->fault.code);
	ck_assert_str_eq(said, want);
}

/* A result in its own operand's register, an immediate, and modifiers; results of no interest are not shown. */
START_TEST(numbers)
{
	computes("mov.u32 r3, 0x7f000000\nmul.f32 r4, r3, 0x3f800000\nmul.f32 r3, r3, 0x40800000\nmov.u32 r5, 0x3f800000\n"
		 "sub.f32 r6, -r5, |r3|\nmovi64 rd8, 0x7fe0000000000000\nadd.f64 rd8, rd8, rd8\n"
		 "mov.u32 r5, 0x7bff0001\nadd.f16x2 r10, r5, r5\ncvt.f16.f32 r5, r3\nexit\n",
		 PPU_SEEN_SPECIAL,
		 "op 07 t13 of t13 00000003 7f000000 40800000 = 7f800000 w0 pc2\n"
		 "op 06 t13 of t13 00000003 bf800000 7f800000 = ff800000 w0 pc4\n"
		 "op 05 t14 of t14 00000003 7fe00000 7fe00000 = 7ff00000 w0 pc6\n"
		 "op 05 t10 of t10 00000003 7bff0001 7bff0001 = 7c000002 w0 pc8\n"
		 "op 40 t9 of t13 00000003 7f800000 = 00007c00 w0 pc9\n");
}
END_TEST

START_TEST(small_numbers)
{
	computes("mov.u32 r3, 0x00800000\nmul.f32 r3, r3, 0x3f000000\nmov.u32 r4, 1\nadd.f16x2 r4, r4, 0\nexit\n", PPU_SEEN_SUBNORMAL,
		 "op 07 t13 of t13 00000003 00800000 3f000000 = 00400000 w0 pc1\n"
		 "op 05 t10 of t10 00000003 00000001 00000000 = 00000001 w0 pc3\n");
}
END_TEST

/* Each sum, whatever it gives. */
START_TEST(sums)
{
	computes("mov.u32 r3, 0x3f800000\nadd.f32 r4, r3, r3\nmul.f32 r4, r3, r3\nfma.f32 r4, r3, r3, r3\nexit\n", PPU_SEEN_SUMS,
		 "op 05 t13 of t13 00000003 3f800000 3f800000 = 40000000 w0 pc1\n"
		 "op 0f t13 of t13 00000003 3f800000 3f800000 3f800000 = 40000000 w0 pc3\n");
}
END_TEST

/* Only a SEL uses it, at once or after another instruction; or somebody else does, too. */
START_TEST(choices)
{
	computes("s2r r2, %tid.x\nmov.u32 r3, 0x7f000000\nmul.f32 r4, r3, r3\nmul.f32 r4, r4, r4\nsetp.eq.u32 p1, r2, 1\n"
		 "sel.u32 r5, r2, r4, p1\nmul.f32 r6, r3, r3\nadd.u32 r8, r6, r6\nsel.u32 r7, r6, r2, p1\nexit\n",
		 PPU_SEEN_SPECIAL,
		 "op 07 t13 of t13 00000003 7f000000 7f000000 = 7f800000 choice 5.1 w0 pc2\n"
		 "op 07 t13 of t13 00000003 7f800000 7f800000 = 7f800000 choice 5.1 w0 pc3\n"
		 "choose 00000002 00000001 pc5\n"
		 "op 07 t13 of t13 00000003 7f000000 7f000000 = 7f800000 w0 pc6\n");
}
END_TEST

/* Lanes that do not execute the SEL would never choose. */
START_TEST(guarded_choice)
{
	computes("s2r r2, %tid.x\nmov.u32 r3, 0x7f000000\nmov.u32 r5, 0\nsetp.eq.u32 p1, r2, 1\nmul.f32 r4, r3, r3\n"
		 "@p1 sel.u32 r5, r2, r4, p1\nmov.u32 r4, r5\nexit\n",
		 PPU_SEEN_SPECIAL, "op 07 t13 of t13 00000003 7f000000 7f000000 = 7f800000 w0 pc4\n");
}
END_TEST

START_TEST(calls)
{
	computes("mov.u32 r4, 7\ncal r2, F\nexit\nF: mov.u32 r4, 8\nret r2\n", 0,
		 "call 00000003 pc1 to 3, r4 7\nreturn 00000003 pc4 to 2, r4 8\n");
}
END_TEST

static unsigned looked, met, added;

static void look(void *arg, const struct ppu_seen_access *a)
{
	looked++;
}

/* Only these. */
static void syncs(const char *text, uint32_t block, const char *want)
{
	static const struct ppu_observer only = {
		.barrier = see_barrier, .warp_sync = see_warp, .sync = see_sync, .stuck = see_stuck,
	};

	smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &only);
	smt_load(s, text);
	smt_run(s, 1, block);
	ck_assert_str_eq(said, want);
}

/* A barrier that a warp waits at is reached once, although its lanes execute it again when it opens. */
START_TEST(reaches_once)
{
	syncs("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 32\n@p1 bar.sync 1, 64\n@!p1 bar.popc r3, 1, 64\nexit\n", 64,
	      "reach bar ffffffff of ffffffff ffffffff number 1..1 count 64..64 w0 pc2\n"
	      "reach red ffffffff of ffffffff ffffffff number 1..1 count 64..64 w1 pc3\n"
	      "bar 1 ffffffff ffffffff waiting ffffffff ffffffff\n");
}
END_TEST

START_TEST(member_masks)
{
	syncs("s2r r2, %laneid\nmov.u32 r3, 0x0f\nsetp.lt.u32 p1, r2, 4\n@p1 exit\nwarpsync r3\n"
	      "shfl.down.full r4, r2, 2, 31\nshfl.bfly r4, r2, 9, 31\nvote.ballot r4, r3, p1\nvote.ballot.active r4, p1\nexit\n", 8,
	      "reach warpsync 000000f0 of 000000f0 000000ff members 0000000f..0000000f w0 pc4\n"
	      "sync 000000f0 w0 pc4\n"
	      "reach shfl 000000f0 of 000000f0 000000ff members ffffffff..ffffffff from 6..9 w0 pc5\n"
	      "sync 000000f0 w0 pc5\n"
	      "reach shfl 000000f0 of 000000f0 000000ff from 13..14 w0 pc6\n"
	      "reach vote 000000f0 of 000000f0 000000ff members 0000000f..0000000f w0 pc7\n"
	      "sync 000000f0 w0 pc7\n"
	      "reach vote 000000f0 of 000000f0 000000ff w0 pc8\n");
}
END_TEST

START_TEST(nobody_goes_on)
{
	syncs("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 32\nsetp.eq.u32 p2, r2, 33\n@p2 exit\n@p1 bar.sync 1\n@!p1 bar.sync 2\nexit\n", 64,
	      "reach bar ffffffff of ffffffff ffffffff number 1..1 count 0..0 w0 pc4\n"
	      "reach bar fffffffd of fffffffd ffffffff number 2..2 count 0..0 w1 pc5\n"
	      "stuck 51 lane 0 w0 pc4, ffffffff pc4..4, fffffffd pc5..5\n");
	ck_assert_uint_eq(s->fault.code, PPU_ERR_DEADLOCK);
}
END_TEST

START_TEST(wrong_barrier)
{
	syncs("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 32\n@p1 bar.sync 1, 64\n@!p1 bar.sync 1, 96\nexit\n", 64,
	      "reach bar ffffffff of ffffffff ffffffff number 1..1 count 64..64 w0 pc2\n"
	      "reach bar ffffffff of ffffffff ffffffff number 1..1 count 96..96 w1 pc3\n"
	      "stuck 48 lane 0 w1 pc3, ffffffff, ffffffff\n");
	ck_assert_uint_eq(s->fault.code, PPU_ERR_BAD_BARRIER);
}
END_TEST

static void meet(void *arg, const struct ppu_seen_sync *y)
{
	met++;
}

static void sum(void *arg, const struct ppu_seen_float *f)
{
	added++;
}

static const struct ppu_observer looker = {
	.spaces = ~0u, .access = look, .sync = meet, .floats = PPU_SEEN_SUMS, .arithmetic = sum,
};

/* With an observer that sees each access, barrier and sum, and so without translation: the same trace, counters, time and memory. */
START_TEST(changes_nothing)
{
	static const char text[] = PROLOGUE "shl.u32 r7, r2, 2\nst.shared.u32 [r7], r2\nmov.u32 r20, 0\nadd.f32 r21, r2, r2\nL:\nld.global.u32 r3, [rd4]\nadd.u32 r3, r3, r2\n"
		STORE3 "bar.sync 0\natom.global.add.u32 r6, [rd10], r3\nadd.u32 r20, r20, 1\nsetp.lt.u32 p1, r20, 20\n@p1 bra L\nexit\n";
	struct ppu_trace_rec *trace[2];
	uint64_t ctr[2][PPU_CTR_COUNT], now[2];
	uint32_t n[2], word[2][64];

	for (int k = 0; k < 2; k++) {
		if (k)
			setup();
		s->task.launch.shared_bytes = 1024;
		s->cfg.engine = PPU_ENGINE_TRANSLATE;
		smt_start(s);
		if (k)
			ppu_core_observe(s->core, &looker);
		smt_load(s, text);
		smt_run(s, 4, 64);
		ck_assert_msg(!s->faulted, "fault %u", s->fault.code);
		memcpy(ctr[k], s->core->ctr, sizeof(ctr[k]));
		memcpy(word[k], s->data, sizeof(word[k]));
		now[k] = s->now;
		n[k] = s->num_trace;
		trace[k] = malloc(n[k] * sizeof(*trace[k]) + 1);
		memcpy(trace[k], s->trace, n[k] * sizeof(*trace[k]));
		if (!k)
			teardown();
	}
	ck_assert_uint_eq(looked, 8 * (2 + 20 * 3));
	ck_assert_uint_eq(met, 8 * 20);
	ck_assert_uint_eq(added, 8);
	ck_assert_uint_gt(n[0], 100);
	ck_assert_uint_eq(n[0], n[1]);
	ck_assert_mem_eq(trace[0], trace[1], n[0] * sizeof(*trace[0]));
	ck_assert_mem_eq(ctr[0], ctr[1], sizeof(ctr[0]));
	ck_assert_mem_eq(word[0], word[1], sizeof(word[0]));
	ck_assert_uint_eq(now[0], now[1]);
	free(trace[0]);
	free(trace[1]);
}
END_TEST

/* The observer goes: programs that were decoded for it do what they did. */
START_TEST(goes_again)
{
	sees(PROLOGUE STORE3 "exit\n", 1, "start 0 (0) of 1, block 1, 1 warps\nr param.8 00000001 0..0 w0 pc1\n"
	     "w global.4 00000001 200000000..200000000 =0..0 w0 pc3\nend 0\n");
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, NULL);
	smt_run(s, 1, 1);
	ck_assert(!s->faulted);
	ck_assert_str_eq(said, "");
}
END_TEST


/* ---- counts of instructions ------------------------------------------------------------------------------------ */

static struct ppu_seen_count counts[32];

static struct ppu_seen_count *turn_begin(void *arg, const struct ppu_seen_turn *t)
{
	ck_assert_uint_lt(t->at.cta->task.insns, 32);
	return counts;
}

static void turn_end(void *arg, const struct ppu_seen_turn *t)
{
	static const char *const why[] = { "turn", "time", "lanes", "reply", "children", "driver", "end", "fault" };

	say("w%u %llu cycles, %s", t->at.warp, (unsigned long long)(t->end - t->begin), why[t->stop]);
	if (t->last != PPU_SEEN_NO_PC)
		say(" at pc%u", t->last);
	say("\n");
}

static void awake(void *arg, const struct ppu_seen_warp *at, uint64_t cycle)
{
	say("w%u awake\n", at->warp);
}

static void says_counts(void)
{
	for (unsigned i = 0; i < 32; i++)
		if (counts[i].warps)
			say("pc%u %llu: %llu+%llu+%llu, parted %llu, %llu cycles, lanes %08x and not %08x, divergent %llu, barriers %llu, "
			    "yields %llu\n", i, (unsigned long long)counts[i].warps, (unsigned long long)counts[i].threads,
			    (unsigned long long)counts[i].off, (unsigned long long)counts[i].away,
			    (unsigned long long)counts[i].parted, (unsigned long long)counts[i].cycles, counts[i].lanes, counts[i].passed,
			    (unsigned long long)counts[i].by[PPU_SEEN_CTR_DIVERGENT],
			    (unsigned long long)counts[i].by[PPU_SEEN_CTR_BARRIERS],
			    (unsigned long long)counts[i].by[PPU_SEEN_CTR_YIELDS]);
}

/* Runs the program for who counts; what it counts is what the device does. */
static void counts_as(const char *text, uint32_t block, const char *want)
{
	static const struct ppu_observer counting = { .turn_begin = turn_begin, .turn_end = turn_end, .awake = awake };
	uint64_t warps = 0, threads = 0, divergent = 0;

	smt_start(s);
	len = 0;
	*said = 0;
	memset(counts, 0, sizeof(counts));
	ppu_core_observe(s->core, &counting);
	smt_load(s, text);
	smt_run(s, 1, block);
	ck_assert(!s->faulted);
	says_counts();
	ck_assert_str_eq(said, want);
	for (unsigned i = 0; i < 32; i++) {
		warps += counts[i].warps;
		threads += counts[i].threads;
		divergent += counts[i].by[PPU_SEEN_CTR_DIVERGENT];
	}
	ck_assert_uint_eq(warps, s->core->ctr[PPU_CTR_WARP_INSNS]);
	ck_assert_uint_eq(threads, s->core->ctr[PPU_CTR_THREAD_INSNS]);
	ck_assert_uint_eq(divergent, s->core->ctr[PPU_CTR_DIVERGENT]);
}

/* Lanes 0 to 9 of 40 branch over an instruction, and meet the others again. */
START_TEST(counts_lanes)
{
	counts_as("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 10\nssy 6\n@p1 bra 5\nadd.u32 r3, r2, 1\nsync 6\n@p1 mov.u32 r4, 5\nexit\n",
		  40,
		  "w0 9 cycles, end at pc7\n"
		  "w1 8 cycles, end at pc7\n"
		  "pc0 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc1 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc2 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc3 2: 10+30+0, parted 1, 2 cycles, lanes 000003ff and not fffffcff, divergent 1, barriers 0, yields 0\n"
		  "pc4 2: 30+0+10, parted 0, 2 cycles, lanes fffffcff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc5 3: 40+0+32, parted 0, 3 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc6 2: 10+30+0, parted 1, 2 cycles, lanes 000003ff and not fffffcff, divergent 0, barriers 0, yields 0\n"
		  "pc7 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n");
}
END_TEST

/* The first warp waits for the second, which yields before; the barrier is issued again by who has waited. */
START_TEST(counts_waits)
{
	counts_as("s2r r2, %tid.x\nsetp.lt.u32 p1, r2, 32\n@!p1 yield\n@p1 nanosleep 0\nbar.sync 0\nexit\n", 40,
		  "w0 4 cycles, time at pc3\n"
		  "w0 2 cycles, lanes at pc4\n"
		  "w0 awake\n"
		  "w1 7 cycles, end at pc5\n"
		  "w0 3 cycles, end at pc5\n"
		  "pc0 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc1 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n"
		  "pc2 2: 8+32+0, parted 0, 2 cycles, lanes 000000ff and not ffffffff, divergent 0, barriers 0, yields 1\n"
		  "pc3 2: 32+8+0, parted 0, 2 cycles, lanes ffffffff and not 000000ff, divergent 0, barriers 0, yields 0\n"
		  "pc4 3: 72+0+0, parted 0, 6 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 2, yields 0\n"
		  "pc5 2: 40+0+0, parted 0, 2 cycles, lanes ffffffff and not 00000000, divergent 0, barriers 0, yields 0\n");
}
END_TEST

/* ---- who alone runs ---------------------------------------------------------------------------------------- */

static uint32_t only_warp;		/* that runs while others stand still */

/* When the first warp comes to pc 1, another one alone goes on, up to pc 3. */
static void see_insn(void *arg, const struct ppu_seen_insn *i)
{
	struct ppu_only only = { .serial = i->serial, .cta = i->cta, .warp = only_warp };

	say("w%u pc%u\n", i->warp, i->pc);
	if (!i->warp && i->pc == 1 && arg && !*(bool *)arg) {
		*(bool *)arg = true;
		ppu_core_only(s->core, &only);
	}
	if (i->warp && i->pc == 3)
		ppu_core_only(s->core, NULL);
}

static void runs_alone(uint32_t warp, const char *want)
{
	bool held = false;
	struct ppu_observer o = { .arg = &held, .insn = see_insn };

	only_warp = warp;
	smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &o);
	smt_load(s, "mov.u32 r2, 1\nmov.u32 r3, 2\nadd.u32 r2, r2, r3\nexit\n");
	smt_run(s, 1, 96);
	ck_assert(!s->faulted && !s->timed_out);
	ck_assert_str_eq(said, want);
	ppu_core_observe(s->core, NULL);
}

/* The instruction that was about to be done is shown again. */
START_TEST(one_warp_alone)
{
	runs_alone(2, "w0 pc0\nw0 pc1\nw2 pc0\nw2 pc1\nw2 pc2\nw2 pc3\n"
		   "w0 pc1\nw0 pc2\nw0 pc3\nw1 pc0\nw1 pc1\nw1 pc2\nw1 pc3\n");
}
END_TEST

/* A block is all of its warps. */
START_TEST(one_block_alone)
{
	runs_alone(PPU_ONLY_BLOCK, "w0 pc0\nw0 pc1\nw0 pc2\nw0 pc3\nw1 pc0\nw1 pc1\nw1 pc2\nw1 pc3\n"
		   "w2 pc0\nw2 pc1\nw2 pc2\nw2 pc3\n");
}
END_TEST

/* Warps that nobody has are none. */
START_TEST(nobody_alone)
{
	struct ppu_observer o = { .insn = see_insn };
	struct ppu_only only = { .serial = ~0ull };

	smt_start(s);
	len = 0;
	*said = 0;
	ppu_core_observe(s->core, &o);
	ppu_core_only(s->core, &only);
	smt_load(s, "exit\n");
	smt_run(s, 1, 32);
	ck_assert(s->timed_out);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Who sees all instructions sees illegal ones: they have no operands that anybody could look at. */
START_TEST(illegal_ones)
{
	static const char *const text[] = { "add.f32 r200, r201, r202\nexit\n", "st.global.u32 [rd200], r202\nexit\n" };
	struct ppu_observer o = {
		.insn = see_insn, .arithmetic = see_float, .floats = PPU_SEEN_SPECIAL, .spaces = ~0u, .access = see_access,
	};

	smt_start(s);
	ppu_core_observe(s->core, &o);
	s->task.launch.regs_per_thread = 8;
	for (unsigned i = 0; i < 2; i++) {
		len = 0;
		*said = 0;
		smt_load(s, text[i]);
		smt_run(s, 1, 32);
		ck_assert(s->faulted);
		ck_assert_uint_eq(s->fault.code, PPU_ERR_ILLEGAL_INSN);
		ck_assert_str_eq(said, "w0 pc0\n");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("observe");
	TCase *tc = tcase_create("observe");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, accesses);
	tcase_add_test(tc, generic_spaces);
	tcase_add_test(tc, faults);
	tcase_add_test(tc, some_spaces);
	tcase_add_test(tc, who_waits_for_whom);
	tcase_add_test(tc, reaches_once);
	tcase_add_test(tc, member_masks);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, small_numbers);
	tcase_add_test(tc, sums);
	tcase_add_test(tc, choices);
	tcase_add_test(tc, guarded_choice);
	tcase_add_test(tc, calls);
	tcase_add_test(tc, nobody_goes_on);
	tcase_add_test(tc, wrong_barrier);
	tcase_add_test(tc, changes_nothing);
	tcase_add_test(tc, goes_again);
	tcase_add_test(tc, counts_lanes);
	tcase_add_test(tc, counts_waits);
	tcase_add_test(tc, one_warp_alone);
	tcase_add_test(tc, one_block_alone);
	tcase_add_test(tc, nobody_alone);
	tcase_add_test(tc, illegal_ones);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
