/* SPDX-License-Identifier: MIT */
/*
 * The lists of the instruction set are consistent with each other: fields do not overlap, every instruction with every
 * legal modifier survives binary -> text -> binary, every unused bit is refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include "compiler/asm/text.h"
#include "run_suite.h"

static uint64_t rng = 1;

/* Optimised, because the generator takes most of the time and is not under test. */
#define FAST __attribute__((no_sanitize("address", "undefined")))

FAST static uint32_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 16);
}

FAST static uint32_t below(uint32_t n)
{
	return n ? rnd() % n : 0;
}

static const uint8_t all_ops[] = {
#define I(id, op, mn, fmt, types, xc, doc) op,
	PPU_ISA(I)
#undef I
};
#define NUM_OPS (sizeof(all_ops))

static uint32_t field_names(const char *s)
{
	static const char *const names[] = {
#define F(name, word, low, width) #name,
		PPU_FIELDS(F)
#undef F
	};
	char copy[128], *w, *save = NULL;
	uint32_t mask = 0;

	snprintf(copy, sizeof(copy), "%s", s);
	for (w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		unsigned i;

		for (i = 0; i < PPU_F_COUNT && strcmp(names[i], w); i++)
			;
		if (i < PPU_F_COUNT)
			mask |= 1u << i;
		else
			ck_assert_msg(!strcmp(w, "IMM64"), "field %s does not exist", w);
	}
	return mask;
}

START_TEST(fields_do_not_overlap)
{
	uint64_t used[2] = { 0, 0 };

#define F(name, word, low, width) do { \
	uint64_t mask = (width == 64 ? ~0ull : (1ull << (width)) - 1) << (low); \
	ck_assert_msg(!(used[word] & mask), "field " #name " overlaps another"); \
	used[word] |= mask; \
} while (0);
	PPU_FIELDS(F)
#undef F
	ck_assert_uint_eq(used[0], ~0ull);
	ck_assert_uint_eq(used[1], ~0ull);
}
END_TEST

/* Every operand of a syntax string has a field, and every operand field appears in the syntax. */
START_TEST(syntax_matches_fields)
{
	unsigned f;

	for (f = 0; f < PPU_FMT_COUNT; f++) {
		uint32_t have = field_names(ppu_format_fields(f)), seen = 0;
		const char *s;

		ck_assert_uint_eq(have | 1u << PPU_F_OP | 1u << PPU_F_GP | 1u << PPU_F_GN,
				  ppu_fmt_fields(f));
		for (s = ppu_format_syntax(f); *s; s++) {
			if (*s != '%')
				continue;
			switch (*++s) {
			case 'd': seen |= 1u << PPU_F_D; break;
			case 'a': case 'm': case 'P': seen |= 1u << PPU_F_A; break;
			case 'b': seen |= 1u << PPU_F_B; break;
			case 'c': seen |= 1u << PPU_F_C; break;
			case 'p': seen |= 1u << PPU_F_PD; break;
			case 'q': seen |= 1u << PPU_F_PE; break;
			case 's': seen |= 1u << PPU_F_PS; break;
			case 'i': case 'l': case 'S': break;
			default: ck_abort_msg("unknown operand %%%c", *s);
			}
		}
		ck_assert_msg((have & (1u << PPU_F_D | 1u << PPU_F_A | 1u << PPU_F_B | 1u << PPU_F_C |
				       1u << PPU_F_PD | 1u << PPU_F_PE | 1u << PPU_F_PS)) == seen,
			      "format %s: fields and syntax differ", ppu_format_name(f));
	}
}
END_TEST

START_TEST(every_modifier_has_names)
{
	unsigned i, v;

	for (i = 0; i < NUM_OPS; i++) {
		const struct ppu_isa_rule *r = ppu_isa_rule(all_ops[i]);
		unsigned first, n = ppu_mods_of(all_ops[i], &first), k;
		unsigned m = 0, x = 0, y = 0;

		for (k = first; k < first + n; k++) {
			unsigned bits = ((1u << ppu_mods[k].width) - 1) << ppu_mods[k].low;

			switch (ppu_mods[k].field) {
			case PPU_F_M: m |= bits; break;
			case PPU_F_X: x |= bits; break;
			case PPU_F_Y: y |= bits; break;
			}
		}
		for (v = 0; v < r->nm; v++)
			ck_assert_msg(!(v & ~m), "%s: m = %u has no name", ppu_isa_info(all_ops[i])->mnemonic, v);
		for (v = 0; v < r->nx; v++)
			ck_assert_msg(!(v & ~x) || all_ops[i] == PPU_OP_BAR, "%s: x = %u has no name",
				      ppu_isa_info(all_ops[i])->mnemonic, v);
		ck_assert_msg(!(r->ymask & ~y) || all_ops[i] == PPU_OP_LOP3 || all_ops[i] == PPU_OP_SHFL,
			      "%s: bits of y without a name", ppu_isa_info(all_ops[i])->mnemonic);
	}
}
END_TEST

/* A random instruction in the canonical form (unused registers RZ), or one the checker refuses. */
FAST static void candidate(struct ppu_insn *in, unsigned op)
{
	const struct ppu_isa_info *info = ppu_isa_info(op);
	const struct ppu_isa_rule *rule = ppu_isa_rule(op);
	uint32_t have = ppu_fmt_fields(info->fmt);
	unsigned f, t;
	uint8_t w[4];

	in->lo = in->hi = 0;
	PPU_SET(in, OP, op);
	PPU_SET(in, GP, below(4) ? PPU_PT : below(16));
	PPU_SET(in, GN, !below(4));
	PPU_SET(in, D, PPU_RZ);
	PPU_SET(in, A, PPU_RZ);
	PPU_SET(in, B, PPU_RZ);
	PPU_SET(in, C, PPU_RZ);
	if (info->fmt == PPU_FMT_D_I64) {
		PPU_SET(in, D, below(254));
		in->hi = below(2) ? (uint64_t)rnd() << 32 | rnd() : below(100000);
		return;
	}
	PPU_SET(in, PD, PPU_PT);
	PPU_SET(in, PE, PPU_PT);
	PPU_SET(in, PS, PPU_PT);
	do
		t = below(PPU_T_COUNT);
	while (!(info->types >> t & 1));
	if (PPU_FMT_HAS(have, T))
		PPU_SET(in, T, t);
	for (f = PPU_F_U; f < PPU_F_COUNT; f++) {
		uint32_t v = rnd() & (uint32_t)((1ull << ppu_field_width(f)) - 1), zero = below(3);

		if (!(have >> f & 1))
			continue;
		switch (f) {
		case PPU_F_U:
			do
				v = below(32);
			while (!(rule->u >> v & 1));
			zero = 1;
			break;
		case PPU_F_RND: zero = rule->rnd >> t & 1; break;
		case PPU_F_FTZ: zero = rule->ftz >> t & 1; break;
		case PPU_F_SAT: zero = rule->sat >> t & 1; break;
		case PPU_F_M: v = below(rule->nm); zero = 1; break;
		case PPU_F_X: v = below(rule->nx); zero = 1; break;
		case PPU_F_Y: v &= rule->ymask; zero = 1; break;
		case PPU_F_NA: case PPU_F_NB: case PPU_F_NC: case PPU_F_AA: case PPU_F_AB:
			zero = op == PPU_OP_CVT || op == PPU_OP_PLOP ? below(2) :
			       rule->neg >> t & 1 && !below(3);
			break;
		case PPU_F_BI: case PPU_F_CI: zero = below(2); break;
		case PPU_F_PD: case PPU_F_PE: case PPU_F_PS:
			if (!zero)
				v = PPU_PT;
			zero = 1;
			break;
		case PPU_F_PSN: break;
		case PPU_F_IMM:
			v = below(3) ? rnd() >> below(32) : (uint32_t)-(int32_t)below(300);
			zero = 1;
			if (info->fmt == PPU_FMT_D_SR)
				v = below(PPU_SR_COUNT);
			else if (info->fmt == PPU_FMT_P2R || info->fmt == PPU_FMT_R2P)
				v &= 0xffff;
			else if (!strcmp(ppu_format_syntax(info->fmt), "%l") ||
				 info->fmt == PPU_FMT_CALL)
				v &= PPU_PC_MAX;
			break;
		}
		ppu_field_set(in, f, zero ? v : 0);
	}
	if (PPU_FMT_HAS(have, BI) && op != PPU_OP_SHFL) {
		if (PPU_GET(in, BI) && PPU_GET(in, CI))
			PPU_SET(in, CI, 0);
		if (!PPU_GET(in, BI) && !PPU_GET(in, CI) && op != PPU_OP_BAR)
			PPU_SET(in, IMM, 0);
	}
	if (op == PPU_OP_BAR) {
		PPU_SET(in, IMM, PPU_GET(in, IMM) & ((PPU_GET(in, BI) ? 0xffff : 0) |
						     (PPU_GET(in, X) ? 0xf0000000 : 0)));
	}
	if (op == PPU_OP_SHFL) {
		PPU_SET(in, IMM, PPU_GET(in, IMM) & ((PPU_GET(in, BI) ? 0xffff : 0) |
						     (PPU_GET(in, CI) ? 0xffff0000 : 0)));
		if (PPU_GET(in, X) != 1)
			PPU_SET(in, Y, 0);
	}
	ppu_isa_widths(in, w);
	for (f = 0; f < 4; f++)
		if (w[f])
			ppu_field_set(in, PPU_F_D + f, below(8) ? below(256u - w[f]) : PPU_RZ);
	if (info->fmt == PPU_FMT_PLOP)
		PPU_SET(in, A, below(16));
}

static void assemble_back(const char *text, size_t len, const struct ppu_insn *want, unsigned n)
{
	struct ppu_image *img;
	struct ppu_log log;
	unsigned i;

	ppu_log_init(&log);
	if (ppu_assemble(text, len, NULL, &img, &log))
		ck_abort_msg("%s in\n%.300s", log.text, text);
	ck_assert_uint_eq(img->num_insns, n);
	for (i = 0; i < n; i++)
		if (img->code[i].lo != want[i].lo || img->code[i].hi != want[i].hi) {
			char buf[256], buf2[256];

			ppu_disasm_insn(&want[i], 0, buf, sizeof(buf));
			ppu_disasm_insn(&img->code[i], 0, buf2, sizeof(buf2));
			ck_abort_msg("%016llx %016llx '%s' came back as %016llx %016llx '%s'",
				     (unsigned long long)want[i].lo, (unsigned long long)want[i].hi, buf,
				     (unsigned long long)img->code[i].lo,
				     (unsigned long long)img->code[i].hi, buf2);
		}
	ppu_image_free(img);
	ppu_log_free(&log);
}

#define BATCH 1000

/* 800,000 legal instructions, every opcode among them. */
START_TEST(random_round_trips)
{
	static struct ppu_insn in[BATCH];
	unsigned total = 0, n = 0, tries = 0, per_op[256] = { 0 }, i;
	char *text = malloc(BATCH * 256);
	size_t len = 0;

	while (total < 800000) {
		unsigned op = all_ops[tries++ % NUM_OPS];

		candidate(&in[n], op);
		if (ppu_isa_check(&in[n], 255))
			continue;
		ck_assert_int_eq(ppu_insn_check(&in[n], NULL), 0);
		per_op[op]++;
		len += ppu_disasm_insn(&in[n], 0, text + len, 256);
		text[len++] = '\n';
		if (++n < BATCH)
			continue;
		assemble_back(text, len, in, n);
		total += n;
		n = 0;
		len = 0;
	}
	for (i = 0; i < NUM_OPS; i++)
		ck_assert_msg(per_op[all_ops[i]] > 500 || all_ops[i] == PPU_OP_TEX, "%s: only %u instances",
			      ppu_isa_info(all_ops[i])->mnemonic, per_op[all_ops[i]]);
	ck_assert_msg(total * 4 > tries, "%u of %u candidates were legal", total, tries);
	free(text);
}
END_TEST

/* Every opcode with every type, second type and value of m, x and y: legal ones round-trip. */
START_TEST(every_modifier_class)
{
	static struct ppu_insn in[BATCH];
	char *text = malloc(BATCH * 256);
	size_t len = 0;
	unsigned i, t, m, x, y, u, n = 0, total = 0;

	for (i = 0; i < NUM_OPS; i++) {
		unsigned op = all_ops[i];
		const struct ppu_isa_rule *r = ppu_isa_rule(op);
		uint32_t have = ppu_fmt_fields(ppu_isa_info(op)->fmt);

		for (t = 0; t < PPU_T_COUNT; t++)
		for (u = 0; u < 32; u++)
		for (m = 0; m < (r->nm ? r->nm : 1u); m++)
		for (x = 0; x < (r->nx ? r->nx : 1u); x++)
		for (y = 0; y <= r->ymask; y++) {
			struct ppu_insn *v = &in[n];
			unsigned tries = 0;

			if (!(ppu_isa_info(op)->types >> t & 1) || !(r->u >> u & 1) || y & ~r->ymask)
				continue;
			if (op == PPU_OP_SHFL && y > 4)
				break;
			do {
				candidate(v, op);
				if (ppu_isa_info(op)->fmt == PPU_FMT_D_I64)
					break;
				if (PPU_FMT_HAS(have, T))
					PPU_SET(v, T, t);
				if (PPU_FMT_HAS(have, U))
					PPU_SET(v, U, u);
				if (PPU_FMT_HAS(have, M))
					PPU_SET(v, M, m);
				if (PPU_FMT_HAS(have, X))
					PPU_SET(v, X, x);
				if (PPU_FMT_HAS(have, Y))
					PPU_SET(v, Y, y);
			} while (ppu_isa_check(v, 255) && ++tries < 40);
			if (tries == 40)
				continue;
			/* registers that the new modifiers made unused */
			{
				uint8_t w[4];
				unsigned k;

				ppu_isa_widths(v, w);
				for (k = 0; k < 4; k++)
					if (!w[k] && ppu_isa_info(op)->fmt != PPU_FMT_PLOP)
						ppu_field_set(v, PPU_F_D + k, PPU_RZ);
			}
			len += ppu_disasm_insn(v, 0, text + len, 256);
			text[len++] = '\n';
			total++;
			if (++n == BATCH) {
				assemble_back(text, len, in, n);
				n = 0;
				len = 0;
			}
		}
	}
	assemble_back(text, len, in, n);
	free(text);
	ck_assert_uint_gt(total, 2000);
}
END_TEST

/* A legal instruction with one bit of a field that its format lacks is refused. */
START_TEST(unused_bits_are_refused)
{
	unsigned i, f, bit, flips = 0;

	for (i = 0; i < NUM_OPS; i++) {
		unsigned op = all_ops[i], tries = 0;
		uint32_t have = ppu_fmt_fields(ppu_isa_info(op)->fmt);
		struct ppu_insn in, bad;

		if (op == PPU_OP_TEX)
			continue;
		do
			candidate(&in, op);
		while (ppu_isa_check(&in, 255) && ++tries < 100000);
		ck_assert_ptr_null(ppu_isa_check(&in, 255));
		for (f = 0; f < PPU_F_COUNT; f++) {
			if (have >> f & 1)
				continue;
			if (op == PPU_OP_MOVI64 && f >= PPU_F_IMM)
				continue;
			for (bit = 0; bit < ppu_field_width(f); bit++) {
				const char *why;

				bad = in;
				ppu_field_set(&bad, f, ppu_field_get(&bad, f) ^ 1u << bit);
				why = ppu_isa_check(&bad, 255);
				ck_assert_msg(why, "%s: bit %u of field %u is accepted",
					      ppu_isa_info(op)->mnemonic, bit, f);
				ck_assert_int_lt(ppu_insn_check(&bad, NULL), 0);
				flips++;
			}
			/* zero instead of RZ is fine for registers */
			if (f >= PPU_F_D && f <= PPU_F_C) {
				bad = in;
				ppu_field_set(&bad, f, 0);
				ck_assert_ptr_null(ppu_isa_check(&bad, 255));
			}
		}
	}
	ck_assert_uint_gt(flips, 3000);
}
END_TEST

START_TEST(unknown_opcodes_are_refused)
{
	unsigned op, i, known;

	for (op = 0; op < 256; op++) {
		struct ppu_insn in = { 0, 0 };

		for (known = i = 0; i < NUM_OPS; i++)
			known |= all_ops[i] == op;
		PPU_SET(&in, OP, op);
		PPU_SET(&in, GP, 15);
		PPU_SET(&in, PD, 15);
		PPU_SET(&in, PE, 15);
		PPU_SET(&in, PS, 15);
		if (!known)
			ck_assert_str_eq(ppu_isa_check(&in, 255), "no such opcode");
	}
}
END_TEST

/* Random words: those that are accepted survive the way through text, except for unused registers. */
START_TEST(random_words)
{
	unsigned i, ok = 0;

	for (i = 0; i < 300000; i++) {
		struct ppu_insn in = { (uint64_t)rnd() << 32 | rnd(), (uint64_t)rnd() << 32 | rnd() };
		char buf[256];

		PPU_SET(&in, OP, all_ops[below(NUM_OPS)]);
		ok += !ppu_isa_check(&in, 255);
		ck_assert_uint_gt(ppu_disasm_insn(&in, 0, buf, sizeof(buf)), 0);
		ck_assert_uint_lt(ppu_disasm_insn(&in, 0, buf, 5), 5);
		ppu_isa_max_reg(&in);
	}
	(void)ok;
}
END_TEST

static struct ppu_insn one(const char *text)
{
	struct ppu_image *img;
	struct ppu_log log;
	struct ppu_insn in;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_assemble(text, strlen(text), NULL, &img, &log), "%s", log.text);
	in = img->code[0];
	ppu_image_free(img);
	ppu_log_free(&log);
	return in;
}

START_TEST(register_bounds)
{
	struct ppu_insn in;

	in = one("add.u32 r9, r3, r4");
	ck_assert_int_eq(ppu_isa_max_reg(&in), 9);
	ck_assert_ptr_null(ppu_isa_check(&in, 10));
	ck_assert_ptr_nonnull(ppu_isa_check(&in, 9));
	in = one("add.u64 rd9, rd3, rd4");
	ck_assert_int_eq(ppu_isa_max_reg(&in), 10);
	ck_assert_ptr_nonnull(ppu_isa_check(&in, 10));
	in = one("ld.global.v4.u32 rq251, [rd3]");
	ck_assert_int_eq(ppu_isa_max_reg(&in), 254);
	PPU_SET(&in, D, 252);
	ck_assert_ptr_nonnull(ppu_isa_check(&in, 255));
	PPU_SET(&in, D, PPU_RZ);
	ck_assert_ptr_null(ppu_isa_check(&in, 255));
	in = one("exit");
	ck_assert_int_eq(ppu_isa_max_reg(&in), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("isa");
	TCase *tc = tcase_create("lists");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, fields_do_not_overlap);
	tcase_add_test(tc, syntax_matches_fields);
	tcase_add_test(tc, every_modifier_has_names);
	tcase_add_test(tc, random_round_trips);
	tcase_add_test(tc, every_modifier_class);
	tcase_add_test(tc, unused_bits_are_refused);
	tcase_add_test(tc, unknown_opcodes_are_refused);
	tcase_add_test(tc, random_words);
	tcase_add_test(tc, register_bounds);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
