/* SPDX-License-Identifier: MIT */
/*
 * The tables of Documentation/hw/{registers,channels,commands,trace,timing}.md are made from the lists in include/hw,
 * that of arithmetic.md from the list of the tests that measure, those of Documentation/runtime/cuda.md from include/cuda and the library's list: this test fails when a table differs
 * from its list, and writes the tables when it is run with PPU_UPDATE_DOCS=1.  A table stands between <!-- table:NAME
 * --> and <!-- end -->.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_trace.h>
#include <cuda/cuda.h>
#include <cuda/context/unsupported.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"
#include "../isa/approx_list.h"

static char *made;
static size_t made_len;
static FILE *out;

/* If a text begins with the name of a row or a reading of the specification: the length of the name, and its page. */
static size_t row_name(const char *text, const char **page)
{
	static const char *const chapters[][3] = {	/* name, page of rows, page of readings */
		{ "WQ", "wq", "wq-notes" }, { "SIMT", "simt", "simt-notes" }, { "CP", "cp", "cp" },
		{ "SP", "sp", "sp" }, { "HW", "hw", "hw" },
	};
	size_t reading = !strncmp(text, "A-", 2) ? 2 : 0;

	for (size_t i = 0; i < sizeof(chapters) / sizeof(chapters[0]); i++) {
		size_t len = strlen(chapters[i][0]), at = reading + len + 1;

		if (strncmp(text + reading, chapters[i][0], len) || text[reading + len] != '-' || !isdigit(text[at]))
			continue;
		while (isdigit(text[at]))
			at++;
		*page = chapters[i][reading ? 2 : 1];
		return at;
	}
	return 0;
}

/* A bar in a sentence would end the table's cell; rows of the specification are links. */
static const char *esc(const char *text)
{
	static char buf[700];
	char *to = buf;
	const char *page;

	for (const char *from = text; *from && to < buf + sizeof(buf) - 100;) {
		size_t n = from == text || !isalnum(from[-1]) ? row_name(from, &page) : 0;

		if (n) {
			to += sprintf(to, "[%.*s](../spec/%s.md#", (int)n, from, page);
			for (; n; n--)
				*to++ = (char)tolower(*from++);
			*to++ = ')';
			continue;
		}
		if (*from == '|')
			*to++ = '\\';
		*to++ = *from++;
	}
	*to = 0;
	return buf;
}

static void reg(const char *name, unsigned off, const char *access, const char *doc)
{
	fprintf(out, "| `%s` | 0x%04x | %s | %s |\n", name, off, access, esc(doc));
}

static void head(const char *cols)
{
	fprintf(out, "%s\n", cols);
	for (const char *p = cols; *p; p++)
		fputs(*p == '|' ? p[1] ? "|---" : "|" : "", out);
	fputc('\n', out);
}

#define REG(name, off, access, reset, doc) reg(#name, off, #access, doc);
static void ctrl(void) { head("| Register | Offset | Access | |"); PPU_REGS(REG) }
static void chcfg(void) { head("| Register | Offset | Access | |"); PPU_CHCFG_REGS(REG) }
static void userd(void) { head("| Register | Offset | Access | |"); PPU_USERD_REGS(REG) }
static void watch(void) { head("| Register | Offset | Access | |"); PPU_WATCH_REGS(REG) }
#undef REG

static void errors(void)
{
	head("| Code | Name | Stops | |");
#define E(name, code, scope, text) \
	fprintf(out, "| %u | `%s` | %s | %s |\n", code, #name, \
		!code || #scope[0] == 'N' ? "-" : #scope[1] == 'H' ? "channel" : "context", text);
	PPU_ERRS(E)
#undef E
}

static void commands(void)
{
	head("| Command | Opcode | Words | Flags | Classes | |");
#define C(name, op, size, flags, classes, doc) { \
	char words[12]; \
	if (size) \
		snprintf(words, sizeof(words), "%u", size); \
	else \
		strcpy(words, "1..255"); \
	fprintf(out, "| `%s` | 0x%02x | %s | 0x%x | %s%s%s | %s |\n", #name, op, words, \
		(unsigned)(flags), (classes) & 2 ? "compute " : "", (classes) & 4 ? "copy " : "", \
		(classes) & 8 ? "devq" : "", esc(doc)); }
	PPU_CMDS(C)
#undef C
}

static void events(void)
{
	head("| Event | Number | unit | a | b | c | d | |");
#define T(name, num, u, a, b, c, d, doc) \
	fprintf(out, "| `%s` | %u | %s | %s | %s | %s | %s | %s |\n", #name, num, u, a, b, c, d, esc(doc));
	PPU_TRACE_EVENTS(T)
#undef T
}

static void properties(void)
{
	head("| Property | Default | From | To | |");
#define P(c, name, type, def, min, max, doc) \
	fprintf(out, "| `%s` | %llu | %llu | %llu | %s |\n", name, (unsigned long long)(def), \
		(unsigned long long)(min), (unsigned long long)(max), esc(doc));
	PPU_PROPS(P)
#undef P
}

static void counters(void)
{
	unsigned n = 0;

	head("| `DBG_SEL` | Name | |");
#define C(name, text, doc) fprintf(out, "| %u | `%s` | %s |\n", n++, text, esc(doc));
	PPU_COUNTERS(C)
#undef C
}

static void engine_stats(void)
{
	unsigned n = PPU_DBG_ENGINE;

	head("| `DBG_SEL` | Name | |");
#define S(name, text, doc) fprintf(out, "| %#x | `%s` | %s |\n", n++, text, esc(doc));
	PPU_ENGINE_STATS(S)
#undef S
}

/* An error as the manual says it. */
static const char *error_text(enum approx_measure measure, double error)
{
	static char text[40];

	if (measure == APPROX_ULP)
		snprintf(text, sizeof(text), "%.4f ulp", error);
	else
		snprintf(text, sizeof(text), "2^%.2f %s", log2(error), measure == APPROX_REL ? "relative" : "absolute");
	return text;
}
static void approximations(void)
{
	head("| function | operands | PTX allows | largest error | at |");
#define A(name, op, type, ref, measure, sym, lo, hi, range, bound, text, worst, at) \
	fprintf(out, "| `%s` | %s | %s | %s | `%0*x` |\n", name, *range ? range : "all", text, \
		error_text(APPROX_##measure, worst), #type[0] == 'F' && #type[1] == '3' ? 8 : 4, at);
	APPROX_FUNCTIONS(A)
#undef A
}

static void cuda_calls(void)
{
	head("| Function | Exported as | Since |");
#define C(symbol, base, since, ...) fprintf(out, "| `%s` | `%s` | %d.%d |\n", #base, #symbol, since / 1000, since % 1000 / 10);
#define P(symbol, pt, base, since, ...) \
	fprintf(out, "| `%s` | `%s`, `%s` | %d.%d |\n", #base, #symbol, #pt, since / 1000, since % 1000 / 10);
	CU_CALLS(C, P, C)
#undef C
#undef P
}

static void cuda_unsupported(void)
{
	const char *sep = "";

#define U(name) fprintf(out, "%s`%s`", sep, #name); sep = ",\n";
	CU_UNSUPPORTED(U)
#undef U
	fputs("\n", out);
}

static const struct { const char *file, *name; void (*make)(void); } tables[] = {
	{ "hw/registers.md", "ctrl", ctrl }, { "hw/registers.md", "chcfg", chcfg },
	{ "hw/registers.md", "userd", userd }, { "hw/registers.md", "watch", watch },
	{ "hw/registers.md", "errors", errors }, { "hw/registers.md", "counters", counters },
	{ "hw/registers.md", "engine", engine_stats },
	{ "hw/commands.md", "commands", commands }, { "hw/trace.md", "events", events },
	{ "hw/timing.md", "properties", properties }, { "hw/arithmetic.md", "approximations", approximations },
	{ "runtime/cuda.md", "calls", cuda_calls }, { "runtime/cuda.md", "unsupported", cuda_unsupported },
};

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	ck_assert_msg(f != NULL, "%s is missing", path);
	ck_assert(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

START_TEST(tables_are_true)
{
	char path[200], mark[80], *text, *from, *to;
	FILE *f;

	snprintf(path, sizeof(path), "Documentation/%s", tables[_i].file);
	snprintf(mark, sizeof(mark), "<!-- table:%s -->\n", tables[_i].name);
	text = read_file(path);
	from = strstr(text, mark);
	ck_assert_msg(from != NULL, "%s: no %s", path, mark);
	from += strlen(mark);
	to = strstr(from, "<!-- end -->");
	ck_assert(to != NULL);
	out = open_memstream(&made, &made_len);
	tables[_i].make();
	fclose(out);
	if (made_len != (size_t)(to - from) || memcmp(made, from, made_len)) {
		ck_assert_msg(getenv("PPU_UPDATE_DOCS") != NULL,
			      "%s: table %s is not what the lists say (PPU_UPDATE_DOCS=1 writes it)",
			      path, tables[_i].name);
		f = fopen(path, "w");
		ck_assert(f != NULL);
		fwrite(text, 1, from - text, f);
		fwrite(made, 1, made_len, f);
		fputs(to, f);
		fclose(f);
	}
	free(made);
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hwdoc");
	TCase *t = tcase_create("hwdoc");

	tcase_add_loop_test(t, tables_are_true, 0, sizeof(tables) / sizeof(tables[0]));
	suite_add_tcase(s, t);
	return run_suite(s);
}
