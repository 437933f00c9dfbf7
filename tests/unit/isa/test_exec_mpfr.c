/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic that is rounded once, against GNU MPFR (mpfr_ref.h): HW-46, HW-47.
 *
 * A sample of some seconds. On demand, tests/unit/isa/exec_mpfr.sh says how:
 *
 *   PPU_EXHAUSTIVE=1     all operands of one-operand f32 and of one- and two-operand f16 and bf16
 *   PPU_EXHAUSTIVE=N     every Nth of them; with PPU_PART=K from the Kth on: N runs, K from 0 to N - 1, try each once
 *   PPU_TEST_SCALE=N     N times as many random and structured operands of everything else
 */
#include "mpfr_ref.h"

static bool sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#else
	return false;
#endif
}
/* Steps through operands: an odd number, so that every pattern of low bits comes. */
static uint64_t every(uint64_t sample)
{
	const char *s = getenv("PPU_EXHAUSTIVE");

	return !s ? sample * (sanitized() ? 8 : 1) | 1 : atol(s) > 0 ? (uint64_t)atol(s) : 1;
}
/* Where that begins. */
static uint64_t first(uint64_t step)
{
	const char *s = getenv("PPU_PART");

	return (s ? strtoull(s, NULL, 0) : rnd32()) % step;
}
static long many(long n) { return scaled(sanitized() ? n / 8 : n); }

/* Which operations there are, by the instruction set's own rules. */
static const uint8_t ops[] = {
	PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_FMA, PPU_OP_DIV, PPU_OP_RCP, PPU_OP_SQRT, PPU_OP_MIN, PPU_OP_MAX,
	PPU_OP_NEG, PPU_OP_ABS,
};
static unsigned operands(unsigned op)
{
	return op == PPU_OP_FMA ? 3 : op == PPU_OP_RCP || op == PPU_OP_SQRT || op == PPU_OP_NEG || op == PPU_OP_ABS ? 1 : 2;
}
static struct ppu_dinsn insn(unsigned op, unsigned t)
{
	struct ppu_dinsn di = INSN(NOP, .t = (uint8_t)t);

	di.op = (uint8_t)op;
	return di;
}
/* The next legal combination of rounding, ftz, sat and y; false after the last. */
static bool next_form(struct ppu_dinsn *di)
{
	const struct ppu_isa_rule *rule = ppu_isa_rule(di->op);
	unsigned k = (di->rnd | di->ftz << 2 | di->sat << 3 | di->y << 4) + 1;

	for (; k < 64; k++) {
		di->rnd = k & 3;
		di->ftz = k >> 2 & 1;
		di->sat = k >> 3 & 1;
		di->y = k >> 4;
		if ((!di->rnd || rule->rnd >> di->t & 1) && (!di->ftz || rule->ftz >> di->t & 1) &&
		    (!di->sat || rule->sat >> di->t & 1) && !(di->y & ~rule->ymask) &&
		    (!di->ftz || di->t != PPU_T_F64) &&		/* only the approximations of f64 flush */
		    (!di->y || di->op != PPU_OP_FMA || PPU_TS_H >> di->t & 1))	/* relu */
			return true;
	}
	return false;
}
static bool has(unsigned op, unsigned t) { return ppu_isa_info(op)->types >> t & 1; }

/* In steps, all n operands: low bits a, the bits above them b. */
static void walk(struct ppu_dinsn di, ref_fn ref, unsigned bits, uint64_t n, uint64_t step)
{
	for (uint64_t k = first(step); k < n;) {
		struct lane x[PPU_LANES];

		for (unsigned l = 0; l < PPU_LANES; l++, k += step) {
			uint64_t v = k < n ? k : n - 1;

			x[l] = (struct lane){ v & ((1ull << bits) - 1), v >> bits, 0, 1, 0, 0, 0 };
			if (di.t == PPU_T_F16X2 || di.t == PPU_T_BF16X2) {
				x[l].a |= x[l].b << 16;	/* the upper halves: the operands changed over */
				x[l].b |= x[l].a << 16;
				x[l].b &= 0xffffffff;
			}
		}
		run_lanes(&di, ref, x, ~0u, 0);
	}
}

/* HW-46: one operand of 16 bits */
START_TEST(half_one_operand)
{
	for (unsigned i = 0; i < COUNT(ops); i++)
		FOR_TYPES(t, PPU_TS_H) {
			struct ppu_dinsn di = insn(ops[i], t);

			if (operands(ops[i]) == 1 && has(ops[i], t))
				do {
					walk(di, ref_mpfr, 16, 1 << 16, every(4));
				} while (next_form(&di));
		}
}
END_TEST

/* HW-46: two operands of 16 bits */
START_TEST(half_two_operands)
{
	unsigned op = ops[_i];

	FOR_TYPES(t, PPU_TS_H) {
		struct ppu_dinsn di = insn(op, t);

		if (operands(op) == 2 && has(op, t))
			do {
				walk(di, ref_mpfr, 16, 1ull << 32, every(1000000));
			} while (next_form(&di));
	}
}
END_TEST

/* HW-46: one operand of f32 */
START_TEST(f32_one_operand)
{
	struct ppu_dinsn di = insn(ops[_i], PPU_T_F32);

	if (operands(ops[_i]) == 1)
		do {
			walk(di, ref_mpfr, 32, 1ull << 32, every(200000));
		} while (next_form(&di));
}
END_TEST

/*
 * Operands of an fma, an addition, a division that are hard to round: c near -a * b and b near -a; quotients near a
 * number or the middle of two; sums of numbers far apart.
 */
static void structure(struct lane *x, const struct ppu_dinsn *di)
{
	const struct fmt *f = fmt_of(di->t);
	uint64_t sign = 1ull << (f->exp + f->mant), r = rnd64(), all = sign | (sign - 1);
	uint64_t nudge = (r & 7) - 3, shift = r >> 3 & 63;

	if (di->op == PPU_OP_FMA) {
		struct ppu_dinsn mul = insn(PPU_OP_MUL, di->t);

		x->c = mpfr_scalar(&mul, f, x->a, x->b, 0) ^ sign;
		if (r >> 9 & 1)
			x->c -= shift << f->mant;
		x->c += nudge;
	} else if (di->op == PPU_OP_DIV) {
		struct ppu_dinsn mul = insn(PPU_OP_MUL, di->t);

		x->a = mpfr_scalar(&mul, f, x->a, x->b, 0) + nudge;
	} else if (di->op == PPU_OP_SQRT) {
		struct ppu_dinsn mul = insn(PPU_OP_MUL, di->t);

		x->a = mpfr_scalar(&mul, f, x->a, x->a, 0) + nudge;
	} else {
		x->b = (x->a ^ sign) + nudge - (r >> 9 & 1 ? shift << f->mant : 0);
	}
	x->a &= all;
	x->b &= all;
	x->c &= all;
}
static void random_operands(struct ppu_dinsn di, ref_fn ref, long n)
{
	for (long k = 0; k < n; k += PPU_LANES) {
		struct lane x[PPU_LANES];

		for (unsigned l = 0; l < PPU_LANES; l++) {
			x[l] = (struct lane){ any_of(di.t), any_of(di.t), any_of(di.t), 1, 0, 0, 0 };
			if (ppu_type_bits(di.t) > 16 || di.t <= PPU_T_BF16)
				if (l & 1 && di.t != PPU_T_F16X2)
					structure(&x[l], &di);
		}
		run_lanes(&di, ref, x, ~0u, 0);
	}
}
/* HW-46, HW-47: f32 and f64 in every form, fma of halves */
START_TEST(random_arithmetic)
{
	unsigned op = ops[_i];

	FOR_TYPES(t, PPU_TS_F | PPU_TBIT(F16) | PPU_TBIT(BF16)) {
		struct ppu_dinsn di = insn(op, t);

		if (!has(op, t))
			continue;
		do {
			if (operands(op) > 1)
				run_special(di, ref_mpfr);
			random_operands(di, ref_mpfr, many(4000));
			di.na = operands(op) < 3 && rnd32() & 1;
			di.nb = operands(op) > 1 && rnd32() & 1;
			random_operands(di, ref_mpfr, many(1000));
			di.na = di.nb = 0;
		} while (next_form(&di));
	}
}
END_TEST

/* HW-46: conversions with a float on either side: all of 16 bits, some of the others */
START_TEST(conversions)
{
	static const uint8_t types[] = {
		PPU_T_U8, PPU_T_S8, PPU_T_U16, PPU_T_S16, PPU_T_U32, PPU_T_S32, PPU_T_U64, PPU_T_S64,
		PPU_T_F16, PPU_T_BF16, PPU_T_F32, PPU_T_F64,
	};
	unsigned u = types[_i];

	for (unsigned i = 0; i < COUNT(types); i++)
		for (unsigned k = 0; k < 32; k++) {
			unsigned t = types[i], bits = ppu_type_bits(u);
			bool tf = fmt_of(t) != NULL, uf = fmt_of(u) != NULL, f32 = t == PPU_T_F32 || u == PPU_T_F32;
			struct ppu_dinsn di = INSN(CVT, .t = (uint8_t)t, .u = (uint8_t)u, .rnd = k & 3, .sat = k >> 2 & 1,
						   .ftz = k >> 3 & 1, .y = k >> 4 & 1);

			if ((!tf && !uf) || (di.y && (!tf || !uf)) || (di.ftz && !f32))
				continue;
			if (bits <= 16)
				walk(di, ref_mpfr_cvt, bits, 1ull << bits, every(bits == 8 ? 1 : k < 4 ? 4 : 64));
			else if (bits == 32)
				walk(di, ref_mpfr_cvt, 32, 1ull << 32, every(5000000));
			run_special(di, ref_mpfr_cvt);
			run_random(di, ref_mpfr_cvt, many(200));
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_mpfr");
	TCase *all = tcase_create("operands"), *some = tcase_create("mpfr");
	int limit = getenv("PPU_EXHAUSTIVE") || getenv("PPU_TEST_SCALE") ? 1000000 : 600;

	tcase_set_timeout(all, limit);
	tcase_add_test(all, half_one_operand);
	tcase_add_loop_test(all, half_two_operands, 0, COUNT(ops));
	tcase_add_loop_test(all, f32_one_operand, 0, COUNT(ops));
	tcase_add_loop_test(all, conversions, 0, 12);
	suite_add_tcase(s, all);
	tcase_set_timeout(some, limit);
	tcase_add_loop_test(some, random_arithmetic, 0, COUNT(ops));
	suite_add_tcase(s, some);
	return run_suite(s);
}
