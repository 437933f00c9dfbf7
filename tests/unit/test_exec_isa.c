/* SPDX-License-Identifier: MIT */
/*
 * All execution functions at once: which combinations exist, that every instruction set level gives
 * the same bits, that inactive lanes and other registers keep their values, and that registers may
 * overlap in any way.
 */
#include "test_exec.h"

static bool alu(unsigned op)
{
	const struct ppu_isa_info *i = ppu_isa_info(op);

	return i->fmt != PPU_FMT_COUNT && op != PPU_OP_S2R &&
	       (i->xclass == PPU_XC_ALU || i->xclass == PPU_XC_FP64 || i->xclass == PPU_XC_SFU);
}

/* Nearly always one of a set of types. */
static unsigned pick(__u32 types)
{
	for (unsigned i = 0; i < 200; i++) {
		unsigned t = rnd32() & 31;

		if (types >> t & 1)
			return t;
	}
	return rnd32() & 31;
}

/* An instruction word with random modifiers; legal when the checker says so. */
static bool random_insn(unsigned op, struct ppu_insn *in, struct ppu_dinsn *di)
{
	unsigned fmt = ppu_isa_info(op)->fmt;
	const struct ppu_isa_rule *rule = ppu_isa_rule(op);
	__u32 have = ppu_fmt_fields(fmt);
	uint64_t r = rnd64();

	memset(in, 0, sizeof(*in));
	memset(di, 0, sizeof(*di));
	PPU_SET(in, OP, op);
	PPU_SET(in, GP, 15);
	PPU_SET(in, T, fmt == PPU_FMT_D_I64 ? 0 : pick(ppu_isa_info(op)->types));
	if (fmt == PPU_FMT_D_I64) {
		in->hi = r;
	} else {
		PPU_SET(in, PD, 15);
		PPU_SET(in, PE, 15);
		PPU_SET(in, PS, 15);
		if (PPU_FMT_HAS(have, U) && rule->u != PPU_TS_NONE)
			PPU_SET(in, U, pick(rule->u));
#define MAYBE(f, sh, n) if (PPU_FMT_HAS(have, f) && (r >> (sh) & (n))) PPU_SET(in, f, rnd32())
		MAYBE(RND, 8, 1);
		MAYBE(FTZ, 9, 3);
		MAYBE(SAT, 11, 3);
		MAYBE(M, 13, 1);
		MAYBE(X, 14, 1);
		MAYBE(Y, 15, 1);
		MAYBE(NA, 16, 4);
		MAYBE(NB, 18, 4);
		MAYBE(NC, 20, 4);
		MAYBE(AA, 22, 4);
		MAYBE(AB, 24, 4);
		MAYBE(BI, 26, 4);
		MAYBE(CI, 28, 4);
		MAYBE(PD, 30, 1);
		MAYBE(PE, 31, 1);
		MAYBE(PS, 32, 1);
		MAYBE(PSN, 33, 1);
#undef MAYBE
		if (PPU_FMT_HAS(have, M) && rule->nm)
			PPU_SET(in, M, PPU_GET(in, M) % rule->nm);
		if (PPU_FMT_HAS(have, X) && rule->nx)
			PPU_SET(in, X, PPU_GET(in, X) % rule->nx);
		PPU_SET(in, Y, PPU_GET(in, Y) & rule->ymask);
		if (PPU_GET(in, BI) || PPU_GET(in, CI))
			PPU_SET(in, IMM, any32());
		if (op == PPU_OP_P2R || op == PPU_OP_R2P)
			PPU_SET(in, IMM, rnd32() & 0xffff);
	}
	if (fmt == PPU_FMT_PLOP)
		PPU_SET(in, A, rnd32() & 15);
	if (ppu_isa_check(in, 255))
		return false;
	di->op = (uint8_t)op;
	di->t = (uint8_t)PPU_GET(in, T);
	di->imm64 = in->hi;
	if (fmt == PPU_FMT_D_I64)
		return true;
	di->u = (uint8_t)PPU_GET(in, U);
	di->rnd = (uint8_t)PPU_GET(in, RND);
	di->m = (uint8_t)PPU_GET(in, M);
	di->x = (uint8_t)PPU_GET(in, X);
	di->y = (uint8_t)PPU_GET(in, Y);
	di->ftz = PPU_GET(in, FTZ);
	di->sat = PPU_GET(in, SAT);
	di->bi = PPU_GET(in, BI);
	di->ci = PPU_GET(in, CI);
	di->na = PPU_GET(in, NA);
	di->nb = PPU_GET(in, NB);
	di->nc = PPU_GET(in, NC);
	di->aa = PPU_GET(in, AA);
	di->ab = PPU_GET(in, AB);
	di->pd = (uint8_t)PPU_GET(in, PD);
	di->pe = (uint8_t)PPU_GET(in, PE);
	di->ps = (uint8_t)PPU_GET(in, PS);
	di->psn = PPU_GET(in, PSN);
	di->imm = PPU_GET(in, IMM);
	di->raw_a = (uint8_t)PPU_GET(in, A);
	return true;
}

/* Legal words that no function stands for: PTX has no such instruction. */
static bool known_hole(const struct ppu_dinsn *di)
{
	bool f64 = di->t == PPU_T_F64;

	switch (di->op) {
	case PPU_OP_DIV:	/* approximate forms have no rounding */
		return di->m && di->rnd;
	case PPU_OP_RCP:	/* f64: full without ftz, approximate with it */
		return (di->m && di->rnd) || (f64 && di->ftz != di->m);
	case PPU_OP_SQRT:
		return di->m && (di->rnd || f64);
	}
	return false;
}

/* One instruction on random registers: all levels agree; only what may change does. */
static void compare_levels(struct ppu_dinsn *di)
{
	static uint32_t first[ROWS][PPU_LANES];
	struct shape s = shape_of(di);
	uint32_t pred[16], first_pred[16], mask = rnd32() & 1 ? ~0u : rnd32();
	bool have_first = false;

	di->a = (uint16_t)(rnd32() % 8);
	di->b = (uint16_t)(rnd32() % 8);
	di->c = (uint16_t)(rnd32() % 8);
	di->d = (uint16_t)(rnd32() % 8);
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned l = 0; l < PPU_LANES; l++)
			before[i][l] = any32();
	if (s.wa == 2 && rnd32() & 1)
		for (unsigned l = 0; l < PPU_LANES; l++) {
			uint64_t v = any64();

			before[di->a][l] = (uint32_t)v;
			before[di->a + 1][l] = (uint32_t)(v >> 32);
		}
	for (unsigned i = 0; i < 15; i++)
		pred[i] = rnd32();
	pred[15] = ~0u;
	for (unsigned n = 0; n < COUNT(levels); n++) {
		struct ppu_vregs v = { .row = rows };

		if (!have_level(levels[n]))
			continue;
		if (!ppu_exec_select_level(di, levels[n]))
			ck_abort_msg("not selected: %s", describe(di, levels[n]));
		memcpy(rows, before, sizeof(rows));
		memcpy(v.pred, pred, sizeof(pred));
		di->fn(&v, di, mask);
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned l = 0; l < PPU_LANES; l++)
				if (rows[i][l] != before[i][l] &&
				    (!(mask >> l & 1) || i < di->d || i >= di->d + s.wd))
					ck_abort_msg("%s changes row %u (d=%u) lane %u under %08x",
						     describe(di, levels[n]), i, di->d, l, mask);
		for (unsigned i = 0; i < 16; i++)
			if ((v.pred[i] ^ pred[i]) & ~mask || (i == 15 && v.pred[i] != ~0u) ||
			    (v.pred[i] != pred[i] && i != di->pd && i != di->pe && di->op != PPU_OP_R2P))
				ck_abort_msg("%s changes predicate %u", describe(di, levels[n]), i);
		if (!have_first) {
			memcpy(first, rows, sizeof(rows));
			memcpy(first_pred, v.pred, sizeof(pred));
			have_first = true;
			continue;
		}
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned l = 0; l < PPU_LANES; l++)
				if (rows[i][l] != first[i][l])
					ck_abort_msg("%s a=%u b=%u c=%u d=%u row %u lane %u: %08x, level 1 gives %08x",
						     describe(di, levels[n]), di->a, di->b, di->c, di->d, i, l,
						     rows[i][l], first[i][l]);
		ck_assert_msg(!memcmp(first_pred, v.pred, sizeof(pred)), "%s: predicates differ from level 1",
			      describe(di, levels[n]));
	}
}

START_TEST(every_legal_word_has_a_function)
{
	unsigned long legal = 0, illegal = 0;

	for (unsigned op = 0; op < 256; op++) {
		if (ppu_isa_info(op)->fmt == PPU_FMT_COUNT)
			continue;
		if (!alu(op)) {
			struct ppu_dinsn di = { .op = (uint8_t)op };

			ck_assert_msg(!ppu_exec_select(&di) && !di.fn, "opcode %02x is not ours", op);
			continue;
		}
		for (long i = 0; i < scaled(20000); i++) {
			struct ppu_insn in;
			struct ppu_dinsn di;

			if (!random_insn(op, &in, &di))
				continue;
			if (ppu_exec_select(&di) == known_hole(&di))
				ck_abort_msg("%s: select says %d", describe(&di, 0), !!di.fn);
			legal += !!di.fn;
			illegal += !di.fn;
		}
	}
	ck_assert(legal > 100000);
}
END_TEST

/* Fields outside what the checker allows: refused, whatever they are; never a crash. */
START_TEST(illegal_fields_are_refused)
{
	for (long i = 0; i < scaled(300000); i++) {
		struct ppu_dinsn di;

		for (unsigned k = 0; k < sizeof(di); k++)
			((uint8_t *)&di)[k] = (uint8_t)rnd32();
		di.op = (uint8_t)(rnd32() % 0x48);
		if (ppu_exec_select(&di)) {
			ck_assert(di.t < PPU_T_COUNT && di.fn);
			ck_assert(alu(di.op));
		}
	}
	struct ppu_dinsn di = INSN(ADD, .t = PPU_T_U8);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(ADD, .t = PPU_T_U32, .sat = 1);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(ADD, .t = PPU_T_F16, .rnd = PPU_RND_RZ);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(ADD, .t = PPU_T_U32, .na = 1);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(ADD, .t = PPU_T_F64, .ftz = 1);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(SETP, .t = PPU_T_U32, .m = PPU_CMP_NAN);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(SIN, .t = PPU_T_F64);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(CVT, .t = PPU_T_F16X2, .u = PPU_T_F32);
	ck_assert(!ppu_exec_select(&di));
	di = INSN(LOP3, .t = PPU_T_U64);
	ck_assert(!ppu_exec_select(&di));
}
END_TEST

START_TEST(levels_give_the_same_bits)
{
	for (unsigned op = 0; op < 0x48; op++)
		for (long i = 0; alu(op) && i < scaled(op == PPU_OP_CVT ? 20000 : 3000);) {
			struct ppu_insn in;
			struct ppu_dinsn di;

			if (!random_insn(op, &in, &di) || known_hole(&di) || (di.pd == di.pe && di.pd != 15)) {
				if (!(rnd32() & 15))
					i++;
				continue;
			}
			compare_levels(&di);
			i++;
		}
}
END_TEST

START_TEST(best_level_is_chosen)
{
	struct ppu_dinsn di = INSN(ADD, .t = PPU_T_F32), ref = di;

	ck_assert(ppu_exec_select(&di));
	ck_assert(ppu_exec_select_level(&ref, ppu_exec_level()));
	ck_assert(di.fn == ref.fn);
	if (getenv("PPU_VERBOSE"))
		printf("level of this host: %u\n", ppu_exec_level());
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_isa");
	TCase *tc = tcase_create("isa");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, every_legal_word_has_a_function);
	tcase_add_test(tc, illegal_fields_are_refused);
	tcase_add_test(tc, levels_give_the_same_bits);
	tcase_add_test(tc, best_level_is_chosen);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
