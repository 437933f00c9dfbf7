/* SPDX-License-Identifier: MIT */
/*
 * The tables of Documentation/hw/isa.md come from the lists of the instruction set.  This program
 * makes them and fails when the page differs; with PPU_DOC_UPDATE=1 it writes them into the page.
 * Every example in the page's text must assemble.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include "compiler/obj/image.h"
#include "compiler/asm/text.h"
#include "run_suite.h"

#define PAGE "Documentation/hw/isa.md"

static char *out;
static size_t out_len, out_cap;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;
	int n;

	for (;;) {
		va_start(ap, fmt);
		n = vsnprintf(out ? out + out_len : NULL, out_cap - out_len, fmt, ap);
		va_end(ap);
		if (out_len + (size_t)n + 1 <= out_cap)
			break;
		out_cap = (out_cap + (size_t)n) * 2 + 4096;
		out = realloc(out, out_cap);
	}
	out_len += (size_t)n;
}

static const uint8_t all_ops[] = {
#define I(id, op, mn, fmt, types, xc, doc) op,
	PPU_ISA(I)
#undef I
};

static void say_types(uint32_t mask)
{
	const char *sep = "";
	unsigned t;

	for (t = 1; t < PPU_T_COUNT; t++)
		if (mask >> t & 1) {
			say("%s%s", sep, ppu_type_text(t));
			sep = " ";
		}
}

static void fields_table(void)
{
	say("| field | word | bits | meaning when set by the assembler |\n|---|---|---|---|\n");
	static const char *const meaning[PPU_F_COUNT] = {
		"opcode", "guard predicate, 15 = pt", "guard negated", "destination register",
		"source register a", "source register b", "source register c", "type",
		"second type, or operation", "rounding", ".ftz", ".sat", "modifier m",
		"immediate, branch target or memory offset", "predicate destination, 15 = none",
		"second predicate destination, 15 = none", "predicate source, 15 = pt",
		"predicate source negated", "operand b is imm", "operand c is imm", "-a", "-b", "-c",
		"\\|a\\|", "\\|b\\|", "modifier x", "modifier y",
	};
#define F(name, word, low, width) say("| %s | %s | %d:%d | %s |\n", #name, word ? "hi" : "lo", \
	low + width - 1, low, meaning[PPU_F_##name]);
	PPU_FIELDS(F)
#undef F
}

static void formats_table(void)
{
	unsigned i;

	say("| format | operands | fields besides OP GP GN |\n|---|---|---|\n");
	for (i = 0; i < PPU_FMT_COUNT; i++)
		say("| %s | %s%s%s | %s |\n", ppu_format_name(i), *ppu_format_syntax(i) ? "`" : "",
		    ppu_format_syntax(i), *ppu_format_syntax(i) ? "`" : "none", ppu_format_fields(i));
}

static void types_table(void)
{
	unsigned i;

	say("| code | suffix | bits | registers |\n|---|---|---|---|\n");
	for (i = 1; i < PPU_T_COUNT; i++)
		say("| %u | .%s | %u | %u |\n", i, ppu_type_text(i), ppu_type_bits(i), ppu_type_regs(i));
}

static const char *const widths_text[] = { "d", "a", "b", "c" };

static void instructions_table(void)
{
	static const char *const classes[] = { "alu", "fp64", "sfu", "mem", "ctrl", "warp" };
	unsigned i, k;

	for (i = 0; i < sizeof(all_ops); i++) {
		const struct ppu_isa_info *info = ppu_isa_info(all_ops[i]);
		const struct ppu_isa_rule *r = ppu_isa_rule(all_ops[i]);
		uint32_t have = ppu_fmt_fields(info->fmt);
		unsigned first, n = ppu_mods_of(all_ops[i], &first);
		int any = 0;

		say("**%s** (0x%02x, %s, %s)", info->mnemonic, all_ops[i], ppu_format_name(info->fmt),
		    classes[info->xclass]);
		if (*ppu_format_syntax(info->fmt))
			say(" `%s`", ppu_format_syntax(info->fmt));
		say("\n- %s", info->doc);
		if (info->types & ~PPU_TS_NONE) {
			say("\n- Types: ");
			say_types(info->types);
			say(".");
		}
		if (r->u & ~PPU_TS_NONE && all_ops[i] != PPU_OP_ATOM && all_ops[i] != PPU_OP_REDUX) {
			say(" Second type: ");
			say_types(r->u);
			say(".");
		}
		if (n || r->rnd || r->ftz || r->sat || r->neg)
			say("\n- Suffixes:");
		for (k = first; k < first + n; k++) {
			unsigned v, shown = 0;

			say("%s ", any ? ";" : "");
			any = 1;
			for (v = 0; v < 1u << ppu_mods[k].width; v++) {
				const char *text = ppu_group_text(ppu_mods[k].group, v);

				if (!text || v == ppu_mods[k].def ||
				    (all_ops[i] == PPU_OP_REDUX && !(r->u >> v & 1)))
					continue;
				say("%s.%s", shown++ ? " " : "", text);
			}
			if (ppu_mods[k].def == PPU_MOD_REQUIRED)
				say(" (one must be given)");
		}
		if (r->rnd) {
			say("%s .rn .rz .rm .rp (", any ? ";" : "");
			say_types(r->rnd);
			say(")");
			any = 1;
		}
		if (r->ftz) {
			say("%s .ftz (", any ? ";" : "");
			say_types(r->ftz);
			say(")");
			any = 1;
		}
		if (r->sat) {
			say("%s .sat (", any ? ";" : "");
			say_types(r->sat);
			say(")");
			any = 1;
		}
		if (r->neg) {
			say("%s -r and, where the format has AA, AB, \\|r\\| (", any ? ";" : "");
			say_types(r->neg);
			say(")");
		}
		if (n || r->rnd || r->ftz || r->sat || r->neg)
			say(".");
		if (strcmp(r->widths, "tttt") && (have >> PPU_F_D & 0xf)) {
			say("\n- Registers:");
			for (k = 0; k < 4; k++) {
				const char *what = NULL;

				if (!(have >> (PPU_F_D + k) & 1))
					continue;
				switch (r->widths[k]) {
				case 't': what = "of the type"; break;
				case 'u': what = "of the second type"; break;
				case 'w': what = "of twice the type's width"; break;
				case '1': what = "one"; break;
				case '2': what = "a pair"; break;
				case 'p': what = "address: a pair, for shared, local and param one"; break;
				case 'v': what = "a vector of the type"; break;
				case 's': what = "one, or a pair for 64-bit special registers"; break;
				case 'y': what = "a pair; with .to one for shared, local and param"; break;
				case 'z': what = "one for shared, local and param, else a pair; with .to a pair"; break;
				}
				if (what)
					say(" %s %s;", widths_text[k], what);
			}
			out_len--;
			say(".");
		}
		say("\n\n");
	}
	out_len--;
	out[out_len] = '\0';
}

static void sregs_table(void)
{
	unsigned i;

	say("| number | name | bits |\n|---|---|---|\n");
	for (i = 0; i < PPU_SR_COUNT; i++)
		say("| %u | %%%s | %u |\n", i, ppu_sreg_text(i), ppu_sreg_is64(i) ? 64 : 32);
}

static void names_table(void)
{
	static const uint8_t shown[] = { PPU_NG_CMP, PPU_NG_SPACE, PPU_NG_ATOM, PPU_NG_REASON, PPU_NG_MO,
					 PPU_NG_SCOPE, PPU_NG_RND };
	unsigned i, v;

	say("| group | values |\n|---|---|\n");
	for (i = 0; i < sizeof(shown); i++) {
		say("| %s |", ppu_group_title(shown[i]));
		for (v = 0; v < 32; v++)
			if (ppu_group_text(shown[i], v))
				say(" %u .%s", v, ppu_group_text(shown[i], v));
		say(" |\n");
	}
}

static void sections_table(void)
{
	unsigned i = 0;

	say("| number | section | contents |\n|---|---|---|\n");
#define S(name, doc) say("| %u | %s | %s |\n", i++, #name, doc);
	PPUB_SECTIONS(S)
#undef S
}

static const struct {
	const char *name;
	void (*make)(void);
} tables[] = {
	{ "fields", fields_table }, { "formats", formats_table }, { "types", types_table },
	{ "names", names_table }, { "special registers", sregs_table },
	{ "instructions", instructions_table }, { "sections", sections_table },
};

static char *read_page(void)
{
	FILE *f = fopen(PAGE, "r");
	char *v = calloc(1, 1 << 20);

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(v, 1, (1 << 20) - 1, f), 0);
	fclose(f);
	return v;
}

START_TEST(page_is_up_to_date)
{
	char *page = read_page(), *at = page, *whole;
	unsigned i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char mark[80], *from, *to;

		snprintf(mark, sizeof(mark), "<!-- table: %s -->\n", tables[i].name);
		from = strstr(at, mark);
		ck_assert_msg(from != NULL, "the page has no table of %s", tables[i].name);
		from += strlen(mark);
		to = strstr(from, "<!-- end of table -->");
		ck_assert_ptr_nonnull(to);
		say("%.*s", (int)(from - at), at);
		tables[i].make();
		at = to;
	}
	say("%s", at);
	whole = out;
	if (getenv("PPU_DOC_UPDATE")) {
		FILE *f = fopen(PAGE, "w");

		ck_assert_ptr_nonnull(f);
		fwrite(whole, 1, out_len, f);
		fclose(f);
	} else {
		ck_assert_msg(!strcmp(whole, page),
			      PAGE " is not up to date: run this test with PPU_DOC_UPDATE=1");
	}
	free(page);
	free(out);
	out = NULL;
	out_len = out_cap = 0;
}
END_TEST

/* Blocks marked ```ppus assemble, and disassemble to something that assembles to the same. */
START_TEST(examples_assemble)
{
	char *page = read_page(), *at = page;
	unsigned n = 0;

	while ((at = strstr(at, "```ppus\n"))) {
		char *end = strstr(at + 8, "```"), *text, *text2;
		struct ppu_image *img, *again;
		struct ppu_log log;

		ck_assert_ptr_nonnull(end);
		at += 8;
		ppu_log_init(&log);
		ck_assert_msg(!ppu_assemble(at, (size_t)(end - at), "isa.md", &img, &log), "%s", log.text);
		ck_assert_int_eq(ppu_disassemble(img, &text), 0);
		ck_assert_msg(!ppu_assemble(text, strlen(text), "again", &again, &log), "%s", log.text);
		ck_assert_int_eq(ppu_disassemble(again, &text2), 0);
		ck_assert_str_eq(text, text2);
		free(text);
		free(text2);
		ppu_image_free(img);
		ppu_image_free(again);
		ppu_log_free(&log);
		at = end + 3;
		n++;
	}
	ck_assert_uint_ge(n, 2);
	free(page);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("isa_doc");
	TCase *tc = tcase_create("doc");

	tcase_add_test(tc, page_is_up_to_date);
	tcase_add_test(tc, examples_assemble);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
