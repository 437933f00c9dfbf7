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

/* Nearly always a type from the set. */
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
	if (di->op == PPU_OP_PLOP)
		di->raw_a = (uint8_t)PPU_GET(in, A);
	return true;
}

/* One instruction on random registers: all levels agree, and nothing changes but the results. */
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

/* A word of neutral registers and predicates with these modifiers. */
static struct ppu_insn word_of(const struct ppu_isa_mods *i)
{
	struct ppu_insn in = { 0, 0 };

	PPU_SET(&in, OP, i->op);
	PPU_SET(&in, GP, PPU_PT);
	PPU_SET(&in, T, i->t);
	if (ppu_isa_info(i->op)->fmt == PPU_FMT_D_I64)
		return in;
	PPU_SET(&in, PD, PPU_PT);
	PPU_SET(&in, PE, PPU_PT);
	PPU_SET(&in, PS, PPU_PT);
	PPU_SET(&in, U, i->u);
	PPU_SET(&in, RND, i->rnd);
	PPU_SET(&in, M, i->m);
	PPU_SET(&in, X, i->x);
	PPU_SET(&in, Y, i->y);
	PPU_SET(&in, FTZ, i->ftz);
	PPU_SET(&in, SAT, i->sat);
	PPU_SET(&in, BI, i->bi);
	PPU_SET(&in, CI, i->ci);
	PPU_SET(&in, NA, i->na);
	PPU_SET(&in, NB, i->nb);
	PPU_SET(&in, NC, i->nc);
	PPU_SET(&in, AA, i->aa);
	PPU_SET(&in, AB, i->ab);
	return in;
}

static unsigned long legal_words, illegal_words;

/* The checker accepts an instruction if and only if a function is chosen for it, on every level. */
static void check_word(const struct ppu_isa_mods *i)
{
	const struct ppu_insn in = word_of(i);
	const char *why = ppu_isa_check(&in, 255);

	for (unsigned n = 0; n < COUNT(levels); n++) {
		struct ppu_dinsn di = { .op = i->op, .t = i->t, .u = i->u, .rnd = i->rnd, .m = i->m,
					.x = i->x, .y = i->y, .ftz = i->ftz, .sat = i->sat, .bi = i->bi,
					.ci = i->ci, .na = i->na, .nb = i->nb, .nc = i->nc, .aa = i->aa,
					.ab = i->ab, .pd = 15, .pe = 15, .ps = 15 };

		if (have_level(levels[n]) && ppu_exec_select_level(&di, levels[n]) != !why)
			ck_abort_msg("%s m=%u x=%u y=%u: the check says '%s', the choice of a function %s",
				     describe(&di, levels[n]), i->m, i->x, i->y, why ? why : "legal",
				     di.fn ? "finds one" : "finds none");
	}
	*(why ? &illegal_words : &legal_words) += 1;
}

/* Does the format have the fields of these flags (in the order of flags_of)? */
static bool have_flags(__u32 have, unsigned flags)
{
	static const unsigned field[] = { PPU_F_FTZ, PPU_F_SAT, PPU_F_BI, PPU_F_CI, PPU_F_NA, PPU_F_NB,
					  PPU_F_NC, PPU_F_AA, PPU_F_AB };

	for (unsigned k = 0; k < COUNT(field); k++)
		if (flags >> k & 1 && !(have >> field[k] & 1))
			return false;
	return true;
}
#define FLAGS (1u << 9)

static struct ppu_isa_mods flags_of(struct ppu_isa_mods i, unsigned flags)
{
	i.ftz = flags & 1;
	i.sat = flags >> 1 & 1;
	i.bi = flags >> 2 & 1;
	i.ci = flags >> 3 & 1;
	i.na = flags >> 4 & 1;
	i.nb = flags >> 5 & 1;
	i.nc = flags >> 6 & 1;
	i.aa = flags >> 7 & 1;
	i.ab = flags >> 8 & 1;
	return i;
}

/*
 * Every combination of modifiers an opcode has fields for, and one value beyond each range; for an illegal type one
 * word is enough.
 */
static void check_types(unsigned op, unsigned t, unsigned u)
{
	const struct ppu_isa_rule *rule = ppu_isa_rule(op);
	__u32 have = ppu_fmt_fields(ppu_isa_info(op)->fmt);
	bool some = ppu_isa_info(op)->types >> t & 1 && rule->u >> u & 1;
	unsigned nrnd = some && PPU_FMT_HAS(have, RND) ? 4 : 1;
	unsigned nm = some && PPU_FMT_HAS(have, M) ? rule->nm + 1u : 1;
	unsigned nx = some && PPU_FMT_HAS(have, X) ? rule->nx + 1u : 1;
	/* y beyond bit 1 is a table (LOP3) or illegal */
	unsigned ny = !some || !PPU_FMT_HAS(have, Y) ? 1 : rule->ymask > 3 ? 256 : 8;

	for (unsigned flags = 0; flags < (some ? FLAGS : 1); flags++) {
		if (!have_flags(have, flags))
			continue;
		for (unsigned k = 0; k < nrnd * nm * nx * ny; k++) {
			struct ppu_isa_mods i = {
				.op = op, .t = t, .u = u, .rnd = k % nrnd, .m = k / nrnd % nm,
				.x = k / nrnd / nm % nx, .y = k / nrnd / nm / nx };

			i = flags_of(i, flags);
			check_word(&i);
		}
	}
}

static void check_opcode(unsigned op)
{
	unsigned nu = PPU_FMT_HAS(ppu_fmt_fields(ppu_isa_info(op)->fmt), U) ? 32 : 1;

	for (unsigned t = 0; t < 32; t++)
		for (unsigned u = 0; u < nu; u++)
			check_types(op, t, u);
}

START_TEST(check_and_choice_agree)
{
	struct ppu_isa_mods hole[] = {
		{ .op = PPU_OP_DIV, .t = PPU_T_F32, .m = 1, .rnd = 1 },
		{ .op = PPU_OP_RCP, .t = PPU_T_F32, .m = 1, .rnd = 2 },
		{ .op = PPU_OP_RCP, .t = PPU_T_F64, .m = 1 },
		{ .op = PPU_OP_RCP, .t = PPU_T_F64, .ftz = 1 },
		{ .op = PPU_OP_SQRT, .t = PPU_T_F64, .m = 1 },
		{ .op = PPU_OP_SQRT, .t = PPU_T_F32, .m = 1, .rnd = 3 },
	};

	for (unsigned op = 0; op < 256; op++) {
		if (ppu_isa_info(op)->fmt == PPU_FMT_COUNT)
			continue;
		if (alu(op)) {
			check_opcode(op);
		} else {
			struct ppu_dinsn di = { .op = (uint8_t)op };

			ck_assert_msg(!ppu_exec_select(&di) && !di.fn, "opcode %02x is not ours", op);
		}
	}
	ck_assert_msg(legal_words > 20000 && illegal_words > 100000, "%lu legal, %lu illegal words", legal_words,
		      illegal_words);
	for (unsigned i = 0; i < COUNT(hole); i++) {
		struct ppu_insn in = word_of(&hole[i]);

		ck_assert(ppu_isa_check(&in, 255) != NULL);
	}
}
END_TEST

/* Any values that the checker does not allow are refused, without a crash. */
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

			if (!random_insn(op, &in, &di) || (di.pd == di.pe && di.pd != 15)) {
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
	tcase_add_test(tc, check_and_choice_agree);
	tcase_add_test(tc, illegal_fields_are_refused);
	tcase_add_test(tc, levels_give_the_same_bits);
	tcase_add_test(tc, best_level_is_chosen);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
