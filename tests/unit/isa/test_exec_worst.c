/* SPDX-License-Identifier: MIT */
/*
 * The largest errors of the approximate functions, as approx_list.h and the manual say: the error of the operand that
 * the list names, and that no other operand has a larger one. HW-46 (transcendentals within a stated bound).
 *
 * All operands of f16 and bf16, a sample of those of f32; PPU_EXHAUSTIVE=1 tries all, =N every Nth. The C library's
 * double precision functions find candidates: their errors are far below 2^-20 of the errors that are looked for.
 * GNU MPFR, with 160 bits, measures the candidates. PPU_VERBOSE=1 prints what was found.
 */
#include "mpfr_ref.h"
#include "approx_list.h"

struct row {
	const char *name;
	uint8_t op, type;
	double (*near)(double);
	int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
	enum approx_measure measure;
	enum approx_symmetry symmetry;
	double lo, hi, bound, worst;
	uint32_t at;
};
static double rcp(double x) { return 1 / x; }
static double rsqrt(double x) { return 1 / sqrt(x); }
static int mpfr_rcp(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) { return mpfr_ui_div(r, 1, x, rnd); }
#define mpfr_rsqrt mpfr_rec_sqrt

static const struct row rows_of[] = {
#define A(name, op, type, ref, measure, sym, lo, hi, range, bound, text, worst, at) \
	{ name, PPU_OP_##op, PPU_T_##type, ref, mpfr_##ref, APPROX_##measure, APPROX_##sym, lo, hi, bound, worst, at },
	APPROX_FUNCTIONS(A)
#undef A
};

static uint64_t every(void)
{
	const char *s = getenv("PPU_EXHAUSTIVE");

	return !s ? 8191 : atol(s) > 0 ? (uint64_t)atol(s) : 1;
}

/* The instruction on 32 operands: on every instruction set level, with the same bits, or on the last one only. */
static void run(const struct row *row, const uint32_t *a, uint32_t *r, bool all)
{
	unsigned last = COUNT(levels) - 1;

	while (!have_level(levels[last]))
		last--;
	for (unsigned n = all ? 0 : last; n <= last; n++) {
		struct ppu_dinsn di = INSN(NOP, .t = row->type, .m = PPU_FN_APPROX, .a = 2, .d = 8);
		struct ppu_vregs v = { .row = rows };

		di.op = row->op;
		if (!ppu_exec_select_level(&di, levels[n]))
			ck_abort_msg("%s: not selected", row->name);
		memcpy(rows[2], a, sizeof(rows[2]));
		di.fn(&v, &di, ~0u);
		if (all && n && memcmp(r, rows[8], sizeof(rows[8])))
			ck_abort_msg("%s: levels differ at %08x...", row->name, a[0]);
		memcpy(r, rows[8], sizeof(rows[8]));
	}
}

/* The unit in which an error is measured at a result. */
static double unit_at(const struct row *row, const struct fmt *f, double want)
{
	double least = ldexp(1, 1 - fmt_bias(f)), mag = fabs(want);

	if (row->measure == APPROX_ABS)
		return 1;
	if (mag < least)
		mag = least;
	/* of an ulp: the power of two below, without the mantissa's bits */
	return row->measure == APPROX_REL ? mag : d_of((l_of(mag) >> 52 << 52) - ((uint64_t)f->mant << 52));
}
static double value_of(const struct fmt *f, uint32_t x)
{
	return f->type == PPU_T_F32 ? f_of(x) : f->type == PPU_T_BF16 ? f_of((uint64_t)x << 16) : ppu_f16_to_f32((uint16_t)x);
}
/* The error of a result, measured with MPFR. */
static double error_of(const struct row *row, uint32_t a, uint32_t r)
{
	static mpfr_t x, y, z;
	double want;

	if (!x[0]._mpfr_prec)
		mpfr_inits2(160, x, y, z, (mpfr_ptr)0);
	range_wide();
	num_of_bits(x, fmt_of(row->type), a);
	num_of_bits(z, fmt_of(row->type), r);
	row->exact(y, x, MPFR_RNDN);
	want = mpfr_get_d(y, MPFR_RNDN);
	mpfr_sub(z, z, y, MPFR_RNDN);
	return fabs(mpfr_get_d(z, MPFR_RNDN)) / unit_at(row, fmt_of(row->type), want);
}
/* A result that has no error to be measured: infinite, not a number, or beyond the smallest number. True if right. */
static bool special(const struct row *row, const struct fmt *f, double want, uint32_t r, bool *right)
{
	double got = value_of(f, r), largest = f->type == PPU_T_F16 ? 65504 : f->type == PPU_T_F32 ? 0x1.fffffep127 : 0x1.fep127;

	*right = true;
	if (isnan(want) || isnan(got)) {
		*right = isnan(want) && r == f->nan;
		return true;
	}
	if (!isinf(want) && !isinf(got))
		return false;
	/* The last number may be infinity and the other way round. */
	*right = isinf(want) && isinf(got) ? want == got : fabs(isinf(got) ? want : got) >= largest * (1 - row->bound);
	return true;
}
/* An operand below zero: what the symmetry says, from the result of the one above zero. */
static uint32_t mirrored(const struct row *row, const struct fmt *f, uint32_t a, uint32_t r)
{
	bool nan = value_of(f, r) != value_of(f, r);

	if (row->symmetry == APPROX_POSITIVE && a && a <= fmt_inf(f))
		return (uint32_t)f->nan;
	if (row->symmetry == APPROX_EVEN || nan)
		return r;
	if (row->symmetry == APPROX_POSITIVE && row->op == PPU_OP_LG2)
		return r;			/* zeros */
	return r ^ 1u << (fmt_bits(f) - 1);
}

/* What was found so far. */
struct found {
	double worst;
	uint32_t at;
};
/* One operand and its result: if the error may be the largest so far, it is measured. */
static void look(const struct row *row, const struct fmt *f, uint32_t a, uint32_t r, struct found *found)
{
	double v = value_of(f, a), want, err;
	bool right;

	if (!(fabs(v) >= row->lo && fabs(v) <= row->hi) && v == v)
		return;
	want = row->near(v);
	if (special(row, f, want, r, &right)) {
		if (!right)
			ck_abort_msg("%s(%08x) = %08x, should be about %g", row->name, a, r, want);
		return;
	}
	if (fabs(value_of(f, r) - want) < found->worst * (1 - 0x1p-20) * unit_at(row, f, want))
		return;
	err = error_of(row, a, r);
	if (err > found->worst)
		*found = (struct found){ err, a };
}
/* 32 operands from x on, in steps. All: on all levels, and the same below zero. */
static void look_at_lanes(const struct row *row, const struct fmt *f, uint64_t x, uint64_t step, bool all, struct found *found)
{
	uint32_t a[PPU_LANES], r[PPU_LANES], below[PPU_LANES], neg[PPU_LANES];
	unsigned bits = fmt_bits(f), l;

	for (l = 0; l < PPU_LANES; l++, x += step) {
		a[l] = (uint32_t)(x >> bits || (row->symmetry != APPROX_NONE && x >> (bits - 1)) ? 0 : x);
		below[l] = a[l] | 1u << (bits - 1);
	}
	if (!all && (value_of(f, a[0]) > row->hi || value_of(f, a[PPU_LANES - 1]) < row->lo))
		return;
	run(row, a, r, all);
	for (l = 0; l < PPU_LANES; l++)
		look(row, f, a[l], r[l], found);
	if (row->symmetry == APPROX_NONE || !all)
		return;
	run(row, below, neg, all);
	for (l = 0; l < PPU_LANES; l++)
		if (neg[l] != mirrored(row, f, a[l], r[l]))
			ck_abort_msg("%s(-x) = %08x, x = %08x, f(x) = %08x", row->name, neg[l], a[l], r[l]);
}

/* HW-46 */
START_TEST(largest_errors)
{
	const struct row *row = &rows_of[_i];
	const struct fmt *f = fmt_of(row->type);
	unsigned bits = fmt_bits(f);
	uint64_t step = bits == 32 ? every() : 1, end = 1ull << (row->symmetry == APPROX_NONE ? bits : bits - 1), k = 0;
	uint32_t a[PPU_LANES] = { row->at }, r[PPU_LANES];
	struct found found = { 0, 0 };

	run(row, a, r, true);
	look(row, f, row->at, r[0], &found);
	if (!getenv("PPU_VERBOSE") && fabs(found.worst - row->worst) > row->worst * 1e-4)
		ck_abort_msg("%s(%08x) has an error of %.5g, the list says %.5g", row->name, row->at, found.worst, row->worst);
	/* When all operands are tried, the other instruction set levels and the symmetry are looked at now and then. */
	for (uint64_t x = 0; x < end; x += step * PPU_LANES, k++)
		look_at_lanes(row, f, x, step, step > 1 || k % 16 == 0, &found);
	if (getenv("PPU_VERBOSE"))
		printf("%-20s %.6g (2^%.2f) of %.5g at 0x%08x\n", row->name, found.worst, log2(found.worst), row->bound, found.at);
	ck_assert_msg(found.worst <= row->bound, "%s: error %g at %08x, PTX allows %g", row->name, found.worst, found.at,
		      row->bound);
	ck_assert_msg(found.worst <= row->worst * (1 + 1e-4), "%s: error %g at %08x, the list says %g", row->name, found.worst,
		      found.at, row->worst);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_worst");
	TCase *tc = tcase_create("worst");

	tcase_set_timeout(tc, getenv("PPU_EXHAUSTIVE") ? 1000000 : 600);
	tcase_add_loop_test(tc, largest_errors, 0, COUNT(rows_of));
	suite_add_tcase(s, tc);
	return run_suite(s);
}
