/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the execution functions: operands, and a harness. The harness runs one decoded instruction on
 * every instruction set level of this host, under full and partial masks and with overlapping registers, and compares
 * each lane with a scalar reference.
 */
#ifndef TEST_EXEC_H
#define TEST_EXEC_H

#pragma GCC diagnostic ignored "-Woverride-init"	/* INSN() */
#pragma GCC diagnostic ignored "-Wunused-function"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/exec/exec.h"
#include "run_suite.h"
#include <hw/ppu_isa_check.h>

/* PPU_TEST_SCALE=N: N times as many random operands. */
static inline long scaled(long n)
{
	const char *s = getenv("PPU_TEST_SCALE");
	long k = s ? atol(s) : 1;

	return n * (k > 0 ? k : 1);
}

static uint64_t seed = 0x9e3779b97f4a7c15ull;
static inline uint64_t rnd64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dull;
}
static inline uint32_t rnd32(void) { return (uint32_t)(rnd64() >> 32); }

static inline float f_of(uint64_t x) { uint32_t u = (uint32_t)x; float f; memcpy(&f, &u, 4); return f; }
static inline double d_of(uint64_t x) { double f; memcpy(&f, &x, 8); return f; }
static inline uint32_t u_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline uint64_t l_of(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }

/* Special values as operands. */
static const uint32_t special32[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
	0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0xc0000000, 0x3f000000,
	0x3fc00000, 0x40200000, 0xc0200000, 0x4b000000, 0x4b000001, 0x4affffff, 0x4b7fffff, 0x4b800000,
	0x4f000000, 0xcf000000, 0x4effffff, 0x4f7fffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000,
	0x7f7fffff, 0xff7fffff, 0x7f000000, 0x7e800000, 0x7e800001, 0x7f800000, 0xff800000, 0x7fc00000,
	0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fffffff, 0x33800000, 0x33800001,
	0x477fefff, 0x477ff000, 0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x7f7f7fff, 0x7f7f8000,
	0x0000007f, 0x00008000, 0x00018000, 0x40490fdb, 0x3fc90fdb, 0x12345678, 0x0000ffff, 0x00010000,
};
static const uint64_t special64[] = {
	0, 1ull << 63, 1, 0x8000000000000001ull, 0x000fffffffffffffull, 0x800fffffffffffffull,
	0x0010000000000000ull, 0x8010000000000000ull, 0x3ff0000000000000ull, 0xbff0000000000000ull,
	0x3ff0000000000001ull, 0x3fefffffffffffffull, 0x4000000000000000ull, 0x3fe0000000000000ull,
	0x3ff8000000000000ull, 0x4330000000000000ull, 0x4330000000000001ull, 0x432fffffffffffffull,
	0x41dfffffffc00000ull, 0x41e0000000000000ull, 0xc1e0000000000000ull, 0x41efffffffe00000ull,
	0x41f0000000000000ull, 0x43dfffffffffffffull, 0x43e0000000000000ull, 0xc3e0000000000000ull,
	0x43efffffffffffffull, 0x43f0000000000000ull, 0x7fefffffffffffffull, 0xffefffffffffffffull,
	0x7ff0000000000000ull, 0xfff0000000000000ull, 0x7ff8000000000000ull, 0xfff8000000000000ull,
	0x7ff0000000000001ull, 0x7fffffffffffffffull, 0xffffffffffffffffull, 0x7ff0000000000000ull >> 1,
	0x47efffffe0000000ull, 0x47effffff0000000ull, 0x47efffffefffffffull, 0x36a0000000000000ull,
	0x3690000000000000ull, 0x3690000000000001ull, 0x380fffffffffffffull, 0x3810000000000000ull,
	0x3ff0000010000000ull, 0x3ff0000030000000ull, 0x3ff0000010000001ull, 0x123456789abcdef0ull,
	0x40effc0000000000ull, 0x40effe0000000000ull, 0x3e70000000000000ull, 0x3e60000000000000ull,
	0x3e60000000000001ull, 0x00000000ffffffffull, 0x0000000100000000ull, 0x00000000ffffffffull << 32,
};
#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

/* Random bits, special values, values near each other. */
static inline uint32_t any32(void)
{
	uint64_t r = rnd64();

	switch (r & 15) {
	case 0: case 1: case 2:
		return special32[(r >> 8) % COUNT(special32)];
	case 3:
		return special32[(r >> 8) % COUNT(special32)] + (uint32_t)((r >> 40) % 5) - 2;
	case 4:
		return (uint32_t)(r >> 8) % 40;
	case 5:
		return ~((uint32_t)(r >> 8) % 40);
	case 6: case 7: case 8:	/* floats of moderate size */
		return (uint32_t)(r >> 32 & 0x807fffff) | (100 + (uint32_t)(r >> 8) % 55) << 23;
	case 9: {		/* few bits: exact and halfway results */
		uint32_t m = (uint32_t)(r >> 8) & 0x7ff000;

		return (uint32_t)(r >> 32 & 0x80000000) | (120 + (uint32_t)(r >> 40) % 16) << 23 | m;
	}
	case 10:		/* tiny */
		return (uint32_t)(r >> 32 & 0x807fffff) | (uint32_t)((r >> 8) % 30) << 23;
	default:
		return (uint32_t)(r >> 32);
	}
}
static inline uint64_t any64(void)
{
	uint64_t r = rnd64(), s = rnd64();

	switch (r & 15) {
	case 0: case 1: case 2:
		return special64[(r >> 8) % COUNT(special64)];
	case 3:
		return special64[(r >> 8) % COUNT(special64)] + (s % 5) - 2;
	case 4:
		return s % 70;
	case 5:
		return ~(s % 70);
	case 6: case 7: case 8:
		return (s & 0x800fffffffffffffull) | (990 + (r >> 8) % 66) << 52;
	case 9:
		return (s & 0x800fffffe0000000ull) | (1000 + (r >> 8) % 40) << 52;
	case 10:
		return (s & 0x800fffffffffffffull) | (r >> 8) % 120 << 52;
	case 11:
		return (s & 0x800fffffffffffffull) | (870 + (r >> 8) % 60) << 52;	/* f32's tiny ones */
	default:
		return s;
	}
}
/* An operand of a type. */
static inline uint64_t any_of(unsigned t)
{
	switch (ppu_type_bits(t)) {
	case 64:
		return any64();
	case 16: case 8:
		if (rnd32() & 1)
			return any32();
		return rnd32();
	}
	return any32();
}

/* ---- the harness --------------------------------------------------------------------------------- */
struct lane {
	uint64_t a, b, c;	/* in: operands, widened; immediates too */
	unsigned ps;		/* in: source predicate, psn applied */
	uint64_t d;		/* out */
	unsigned pd, pe;	/* out */
};
typedef void (*ref_fn)(const struct ppu_dinsn *di, struct lane *x);

/* The results of an instruction, and the width of its operands in registers. */
struct shape {
	unsigned wd, wa, wb, wc;
	bool pd, pe;
};
static inline struct shape shape_of(const struct ppu_dinsn *di)
{
	struct ppu_insn in = { 0, 0 };
	struct shape s;
	__u8 w[4];

	PPU_SET(&in, OP, di->op);
	PPU_SET(&in, T, di->t);
	PPU_SET(&in, U, di->u);
	PPU_SET(&in, M, di->m);
	PPU_SET(&in, Y, di->y);
	ppu_isa_widths(&in, w);
	s.wd = w[0];
	s.wa = w[1];
	s.wb = w[2];
	s.wc = w[3];
	if (di->op == PPU_OP_R2P || di->op == PPU_OP_PLOP || di->op == PPU_OP_P2R)
		s.wb = s.wc = 0;
	s.pd = di->op == PPU_OP_SETP || di->op == PPU_OP_TESTP || di->op == PPU_OP_ISSPACE ||
	       di->op == PPU_OP_PLOP ||
	       ((di->op == PPU_OP_ADD || di->op == PPU_OP_SUB || di->op == PPU_OP_MAD ||
		 di->op == PPU_OP_MADHI) && (di->m & PPU_CARRY_OUT));
	s.pe = di->op == PPU_OP_SETP;
	return s;
}

static const unsigned levels[] = { 1, 3, 4 };
#define ROWS 16
static uint32_t rows[ROWS][PPU_LANES] __attribute__((aligned(64)));
static uint32_t before[ROWS][PPU_LANES];

static inline const char *describe(const struct ppu_dinsn *di, unsigned level)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 "%s t=%u u=%u m=%u x=%u y=%02x rnd=%u ftz=%u sat=%u bi=%u ci=%u neg=%u%u%u abs=%u%u imm=%08x level %u",
		 ppu_isa_info(di->op)->mnemonic, di->t, di->u, di->m, di->x, di->y, di->rnd, di->ftz, di->sat,
		 di->bi, di->ci, di->na, di->nb, di->nc, di->aa, di->ab, di->imm, level);
	return text;
}
static inline uint64_t get_row(unsigned row, unsigned w, unsigned l)
{
	return rows[row][l] | (w == 2 ? (uint64_t)rows[row + 1][l] << 32 : 0);
}
static inline void set_row(unsigned row, unsigned w, unsigned l, uint64_t x)
{
	rows[row][l] = (uint32_t)x;
	if (w == 2)
		rows[row + 1][l] = (uint32_t)(x >> 32);
}
/* Immediate of an operand with w registers. */
static inline uint64_t imm_value(const struct ppu_dinsn *di, unsigned w)
{
	if (w != 2)
		return di->imm;
	return di->t == PPU_T_F64 ? (uint64_t)di->imm << 32 : (uint64_t)(int64_t)(int32_t)di->imm;
}

/* The highest level of this host; levels above it are skipped. */
static inline bool have_level(unsigned level) { return level <= ppu_exec_level(); }

/*
 * One set of 32 operands: fills in x[].d, pd, pe by the reference and compares every level.
 * place: 0 separate registers, 1 d = a, 2 d = b, 3 d = a + 1 (half overlapping pairs), 4 d = c.
 */
static inline void run_lanes(const struct ppu_dinsn *insn, ref_fn ref, struct lane x[PPU_LANES],
			     uint32_t mask, unsigned place)
{
	static const unsigned drow[5] = { 8, 2, 4, 3, 6 };
	struct shape s = shape_of(insn);
	struct ppu_dinsn di = *insn;
	uint32_t pred[16], want_pd = 0, want_pe = 0, ps_mask = 0;
	unsigned l, i, n;

	di.a = 2;
	di.b = 4;
	di.c = 6;
	di.d = (uint16_t)drow[place];
	for (l = 0; l < PPU_LANES; l++) {
		if (di.bi)
			x[l].b = imm_value(&di, s.wb);
		if (di.ci)
			x[l].c = imm_value(&di, s.wc);
		ref(&di, &x[l]);
		want_pd |= (uint32_t)(x[l].pd & 1) << l;
		want_pe |= (uint32_t)(x[l].pe & 1) << l;
		ps_mask |= (uint32_t)(x[l].ps & 1) << l;
	}
	for (i = 0; i < 15; i++)
		pred[i] = rnd32();
	pred[15] = ~0u;
	if (di.ps != PPU_PT)
		pred[di.ps] = di.psn ? ~ps_mask : ps_mask;
	for (n = 0; n < COUNT(levels); n++) {
		struct ppu_vregs v = { .row = rows };

		if (!have_level(levels[n]))
			continue;
		if (!ppu_exec_select_level(&di, levels[n]))
			ck_abort_msg("not selected: %s", describe(&di, levels[n]));
		for (i = 0; i < ROWS; i++)
			for (l = 0; l < PPU_LANES; l++)
				rows[i][l] = i * 0x01010101 + l;
		for (l = 0; l < PPU_LANES; l++) {
			set_row(2, s.wa, l, x[l].a);
			if (s.wb && !di.bi)
				set_row(4, s.wb, l, x[l].b);
			if (s.wc && !di.ci)
				set_row(6, s.wc, l, x[l].c);
		}
		memcpy(before, rows, sizeof(rows));
		memcpy(v.pred, pred, sizeof(pred));
		di.fn(&v, &di, mask);
		for (i = 0; i < ROWS; i++) {
			bool isd = s.wd && i >= di.d && i < di.d + s.wd;

			for (l = 0; l < PPU_LANES; l++) {
				uint32_t want = before[i][l];

				if (isd && mask >> l & 1)
					want = (uint32_t)(x[l].d >> 32 * (i - di.d));
				if (rows[i][l] != want)
					ck_abort_msg("%s\nmask %08x place %u lane %u row d+%d: a=%016llx b=%016llx c=%016llx: got %08x, want %08x (d=%016llx)",
						     describe(&di, levels[n]), mask, place, l, (int)i - di.d,
						     (unsigned long long)x[l].a, (unsigned long long)x[l].b,
						     (unsigned long long)x[l].c, rows[i][l], want,
						     (unsigned long long)x[l].d);
			}
		}
		for (i = 0; i < 16; i++) {
			uint32_t want = pred[i];

			if (s.pe && i == di.pe && i != PPU_PT)
				want = (want & ~mask) | (want_pe & mask);
			if (s.pd && i == di.pd && i != PPU_PT)
				want = (want & ~mask) | (want_pd & mask);
			if (v.pred[i] != want)
				ck_abort_msg("%s\nmask %08x: predicate %u is %08x, should be %08x (lane %d a=%016llx b=%016llx)",
					     describe(&di, levels[n]), mask, i, v.pred[i], want,
					     __builtin_ctz(v.pred[i] ^ want),
					     (unsigned long long)x[__builtin_ctz(v.pred[i] ^ want)].a,
					     (unsigned long long)x[__builtin_ctz(v.pred[i] ^ want)].b);
		}
	}
}

/* Types of the operands, for the choice of values. */
static inline void operand_types(const struct ppu_dinsn *di, unsigned *ta, unsigned *tb, unsigned *tc)
{
	*ta = *tb = *tc = di->t;
	switch (di->op) {
	case PPU_OP_CVT:
		*ta = di->u;
		break;
	case PPU_OP_CVT2:
		*ta = *tb = PPU_T_F32;
		break;
	case PPU_OP_SHL: case PPU_OP_SHR: case PPU_OP_BFE:
		*tb = PPU_T_U32;
		break;
	case PPU_OP_BFI:
		*tc = PPU_T_U32;
		break;
	case PPU_OP_SLCT:
		*tc = di->u;
		break;
	case PPU_OP_CVTA: case PPU_OP_ISSPACE:
		*ta = PPU_T_U64;
		break;
	case PPU_OP_MADW:
		*tc = ppu_type_bits(di->t) == 32 ? PPU_T_U64 : PPU_T_U32;
		break;
	}
}
/* n random operands (in sets of 32), masks and placements taking turns. */
static inline void run_random(struct ppu_dinsn di, ref_fn ref, long n)
{
	unsigned ta, tb, tc;
	struct shape s = shape_of(&di);
	long k;

	operand_types(&di, &ta, &tb, &tc);
	for (k = 0; k * PPU_LANES < n; k++) {
		struct lane x[PPU_LANES];
		unsigned l, place = k % 4 == 3 ? (unsigned)(k / 4) % 5 : 0;

		if ((place == 2 && (di.bi || !s.wb)) || (place == 4 && (di.ci || !s.wc)))
			place = 0;
		if (di.bi || di.ci)
			di.imm = any32();
		for (l = 0; l < PPU_LANES; l++)
			x[l] = (struct lane){ any_of(ta), any_of(tb), any_of(tc),
					      di.ps != PPU_PT ? rnd32() & 1 : !di.psn, 0, 0, 0 };
		run_lanes(&di, ref, x, k % 3 ? ~0u : rnd32(), place);
	}
}
/* With registers, with an immediate b and with an immediate c, as far as the format has them. */
static inline void run_forms(struct ppu_dinsn di, ref_fn ref, long n)
{
	unsigned fmt = ppu_isa_info(di.op)->fmt;
	__u32 have = ppu_fmt_fields(fmt);
	const char *w = ppu_isa_rule(di.op)->widths;

	run_random(di, ref, n);
	if (PPU_FMT_HAS(have, BI) && w[2] != '-') {
		di.bi = 1;
		run_random(di, ref, n);
		di.bi = 0;
	}
	if (PPU_FMT_HAS(have, CI) && w[3] != '-') {
		di.ci = 1;
		run_random(di, ref, n);
	}
}
/* Every pair of special values (unary: every value) of the operand types. */
static inline void run_special(struct ppu_dinsn di, ref_fn ref)
{
	unsigned ta, tb, tc, na, nb;
	struct lane x[PPU_LANES];
	unsigned i, j, l = 0;

	operand_types(&di, &ta, &tb, &tc);
	na = ppu_type_bits(ta) == 64 ? COUNT(special64) : COUNT(special32);
	nb = shape_of(&di).wb ? ppu_type_bits(tb) == 64 ? COUNT(special64) : COUNT(special32) : 1;
	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++) {
			x[l] = (struct lane){ ppu_type_bits(ta) == 64 ? special64[i] : special32[i],
					      ppu_type_bits(tb) == 64 ? special64[j] : special32[j],
					      any_of(tc), di.ps != PPU_PT ? rnd32() & 1 : !di.psn, 0, 0, 0 };
			if (++l == PPU_LANES) {
				run_lanes(&di, ref, x, ~0u, 0);
				l = 0;
			}
		}
	if (l) {
		for (i = l; i < PPU_LANES; i++)
			x[i] = x[0];
		run_lanes(&di, ref, x, ~0u, 0);
	}
}

#define INSN(o, ...) ((struct ppu_dinsn){ .op = PPU_OP_##o, .pd = 15, .pe = 15, .ps = 15, __VA_ARGS__ })

/* The first n types of a mask, one after the other: for (unsigned t; ...). */
#define FOR_TYPES(t, mask) \
	for (unsigned t = 1; t < PPU_T_COUNT; t++) \
		if ((mask) >> t & 1)

static inline bool is_signed_type(unsigned t)
{
	return t == PPU_T_S8 || t == PPU_T_S16 || t == PPU_T_S32 || t == PPU_T_S64;
}
/* The low bits of x as a value of an integer type. */
static inline __int128 int_of(uint64_t x, unsigned t)
{
	unsigned bits = ppu_type_bits(t);
	__int128 r = 0;

	for (unsigned i = 0; i < bits; i++)
		if (x >> i & 1)
			r += (__int128)1 << i;
	if (is_signed_type(t) && (x >> (bits - 1) & 1))
		r -= (__int128)1 << bits;
	return r;
}
/* How a value of an integer type lies in its register(s). */
static inline uint64_t reg_of(__int128 x, unsigned t)
{
	unsigned bits = ppu_type_bits(t);
	__int128 v = int_of((uint64_t)x, t);

	return bits == 64 ? (uint64_t)v : (uint32_t)v;
}

static const int fe_of[4] __attribute__((unused)) = {
	[PPU_RND_RN] = FE_TONEAREST, [PPU_RND_RZ] = FE_TOWARDZERO,
	[PPU_RND_RM] = FE_DOWNWARD, [PPU_RND_RP] = FE_UPWARD,
};

/* PPU_CMP_*, PPU_BOOL_*: what a comparison of floating-point numbers says, and its combination with a predicate. */
static inline unsigned compare_fp(unsigned m, double a, double b)
{
	bool un = isnan(a) || isnan(b);

	switch (m) {
	case PPU_CMP_EQ: return !un && a == b;
	case PPU_CMP_NE: return !un && a != b;
	case PPU_CMP_LT: return !un && a < b;
	case PPU_CMP_LE: return !un && a <= b;
	case PPU_CMP_GT: return !un && a > b;
	case PPU_CMP_GE: return !un && a >= b;
	case PPU_CMP_EQU: return un || a == b;
	case PPU_CMP_NEU: return un || a != b;
	case PPU_CMP_LTU: return un || a < b;
	case PPU_CMP_LEU: return un || a <= b;
	case PPU_CMP_GTU: return un || a > b;
	case PPU_CMP_GEU: return un || a >= b;
	case PPU_CMP_NUM: return !un;
	default: return un;
	}
}
static inline unsigned combine_bool(unsigned how, unsigned r, unsigned s)
{
	return how == PPU_BOOL_AND ? r && s : how == PPU_BOOL_OR ? r || s : r != s;
}

#endif
