/* SPDX-License-Identifier: MIT */
/*
 * The verifier of the compiler's IR: a function of two blocks that keeps all rules has no fault, and each rule that is
 * broken is told, once, with the pass and the instruction.  (Programs never break one: so other tests do not notice when
 * the verifier sees nothing.)
 */
#include <check.h>
#include <string.h>
#include "compiler/ptx/ir/px_verify.h"
#include "ppu_image.h"
#include "run_suite.h"

static const struct ppu_ptx_options options;
static struct ppu_log log_;
static struct px px;
static struct px_func *f;
static struct px_block *a, *b, *c;
static struct px_insn *ld, *add, *madw, *setp, *br, *st, *quad, *end;
static px_val p, q, word, pair, four, sum;

static struct px_insn *insn(struct px_block *to, unsigned op, unsigned t)
{
	struct px_insn *in = px_new_insn(f, op, t);

	px_append(to, in);
	return in;
}

/* a: a load, sums of 32 and 64 bits, a branch over b; b: a store and a load of four words; c: the end. */
static void setup(void)
{
	ppu_log_init(&log_);
	px = (struct px){ .file = "f", .opt = &options, .log = &log_ };
	f = px_alloc(&px.arena, sizeof(*f));
	f->px = &px;
	px_new_val(f, 1, NULL);			/* 0 is no value */
	p = px_new_val(f, 0, NULL);
	q = px_new_val(f, 0, NULL);
	word = px_new_val(f, 1, NULL);
	sum = px_new_val(f, 1, NULL);
	pair = px_new_val(f, 2, NULL);
	four = px_new_val(f, 4, NULL);
	a = px_new_block(f, NULL);
	b = px_new_block(f, NULL);
	c = px_new_block(f, NULL);
	px_place_block(f, a);
	px_place_block(f, b);
	px_place_block(f, c);
	ld = insn(a, PPU_OP_LD, PPU_T_U32);
	ld->m = PPU_SPACE_GLOBAL;
	ld->s[0] = px_reg(pair);
	ld->xd = px_alloc(&px.arena, 2 * sizeof(px_val));
	ld->xd[0] = word;
	ld->nxd = 1;
	add = insn(a, PPU_OP_ADD, PPU_T_U32);
	add->d = sum;
	add->s[0] = px_reg(word);
	add->s[1] = px_sub(pair, 1);
	madw = insn(a, PPU_OP_MADW, PPU_T_U32);
	madw->d = pair;
	madw->s[0] = px_reg(sum);
	madw->s[1] = px_imm(4);
	madw->s[2] = px_reg(pair);
	setp = insn(a, PPU_OP_SETP, PPU_T_U32);
	setp->pd = p;
	setp->s[0] = px_reg(sum);
	setp->s[1] = px_imm(5);
	br = insn(a, IR_BR, 0);
	br->guard.v = p;
	a->succ[0] = b;
	a->succ[1] = c;
	st = insn(b, PPU_OP_ST, PPU_T_U32);
	st->m = PPU_SPACE_GLOBAL;
	st->s[0] = px_reg(pair);
	st->xs = px_alloc(&px.arena, 2 * sizeof(px_val));
	st->xs[0] = sum;
	st->nxs = 1;
	quad = insn(b, PPU_OP_ADD, PPU_T_U32);
	quad->d = sum;
	quad->s[0] = px_sub(four, 3);
	quad->s[1] = px_imm(1);
	b->succ[0] = c;
	end = insn(c, PPU_OP_EXIT, 0);
}

static void teardown(void)
{
	px_arena_free(&px.arena);
	ppu_log_free(&log_);
}

#define NONE	"an operand names no value"
#define NARROW	"an operand is too narrow"
#define SIZE	"the result has another size"
#define PRED	"a predicate was expected"
#define ELEMENT	"a list element has another size"
#define LAST	"not at the end of its block"
#define ENDS	"a conditional branch has two successors, nothing else has"

#define CASES(C) \
C(all_right, NULL, ) \
C(operand_0, "add: " NONE, add->s[0].v = 0) \
C(operand_behind_the_last, "add: " NONE, add->s[1].v = f->num_vals) \
C(last_operand, NULL, add->s[1].v = four) \
C(predicate_as_operand, "add: " NARROW, add->s[0].v = p) \
C(behind_the_last_word, "add: " NARROW, add->s[1].sub = 2) \
C(behind_four_words, "add: " NARROW, quad->s[0].sub = 4) \
C(word_as_pair, "madw: " NARROW, madw->s[2].v = word) \
C(half_of_a_pair, "madw: " NARROW, madw->s[2].sub = 1) \
C(pair_of_four, NULL, (madw->s[2].v = four, madw->s[2].sub = 2)) \
C(fourth_operand, "add: " NONE, add->s[3] = px_reg(0)) \
C(fourth_operand_is_a_word, NULL, add->s[3] = px_reg(word)) \
C(fourth_operand_is_a_predicate, "add: " NARROW, add->s[3] = px_reg(p)) \
C(result_behind_the_last, "add: " SIZE, add->d = f->num_vals) \
C(result_is_a_pair, "add: " SIZE, add->d = pair) \
C(result_is_a_word, "madw: " SIZE, madw->d = word) \
C(no_result, NULL, add->d = 0) \
C(call_of_anything, NULL, (add->op = PPU_OP_CAL, add->d = 0, add->s[1].sub = 2)) \
C(ssy_of_anything, NULL, (add->op = PPU_OP_SSY, add->d = 0, add->s[1].sub = 2)) \
C(guard_is_a_word, "add: " PRED, add->guard.v = word) \
C(guard_behind_the_last, "add: " PRED, add->guard.v = f->num_vals) \
C(guarded, NULL, add->guard.v = q) \
C(ps_is_a_word, "add: " PRED, add->ps.v = word) \
C(pq_is_a_word, "add: " PRED, add->pq.v = word) \
C(pd_is_a_word, "setp: " PRED, setp->pd = word) \
C(pe_is_a_word, "setp: " PRED, setp->pe = word) \
C(two_predicates, NULL, setp->pe = q) \
C(branch_of_nothing, "a branch without a condition", br->guard.v = 0) \
C(load_of_nothing, "ld: a load without a destination", ld->nxd = 0) \
C(load_into_a_pair, "ld: " ELEMENT, ld->xd[0] = pair) \
C(load_into_no_value, "ld: " ELEMENT, ld->xd[0] = 0) \
C(second_element, "ld: " ELEMENT, (ld->nxd = 2, ld->xd[1] = pair)) \
C(two_elements, NULL, (ld->nxd = 2, ld->xd[1] = sum)) \
C(store_of_zero, NULL, st->xs[0] = 0) \
C(store_of_a_pair, "st: " ELEMENT, st->xs[0] = pair) \
C(store_of_two_zeroes, "st: " ELEMENT, (st->nxs = 2, st->xs[1] = 0)) \
C(end_in_the_middle, "exit: " LAST, px_insert_before(c, end, px_new_insn(f, PPU_OP_EXIT, 0))) \
C(broken_list, "the list is broken", madw->prev = ld) \
C(another_last, "the last instruction is wrong", c->last = (px_append(c, px_new_insn(f, PPU_OP_NOP, 0)), end)) \
C(branch_to_one, ENDS, a->succ[1] = NULL) \
C(two_ways_without_a_branch, ENDS, b->succ[1] = a) \
C(goes_on_behind_the_end, "a successor after the end", c->succ[0] = a)

#define C(name, said, change) static void name(void) { change; }
CASES(C)
#undef C

static const struct {
	const char *name, *said;
	void (*change)(void);
} cases[] = {
#define C(name, said, change) { #name, said, name },
	CASES(C)
#undef C
};

START_TEST(rules)
{
	unsigned faults;

	cases[_i].change();
	faults = px_verify(f, "pass 7");
	ck_assert_msg(faults == (cases[_i].said != NULL), "%s: %u faults: %s", cases[_i].name, faults, log_.text);
	if (cases[_i].said) {
		ck_assert_msg(strstr(log_.text, "internal error after pass 7: block ") != NULL, "%s", log_.text);
		ck_assert_msg(strstr(log_.text, cases[_i].said) != NULL, "%s: %s", cases[_i].name, log_.text);
	}
}
END_TEST

/* All are counted, five are told. */
START_TEST(many)
{
	for (unsigned i = 0; i < 6; i++)
		insn(b, PPU_OP_ADD, PPU_T_U32)->d = pair;
	ck_assert_uint_eq(px_verify(f, "pass 7"), 6);
	ck_assert_uint_eq(log_.errors, 5);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_verify");
	TCase *t = tcase_create("verify");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, rules, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, many);
	suite_add_tcase(s, t);
	return run_suite(s);
}
