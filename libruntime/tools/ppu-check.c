/* SPDX-License-Identifier: MIT */
/*
 * ppu-check: runs a program with the checker that is in the runtime (libruntime/check), and makes of its records an exit
 * status, JSON and XML.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check/tools.h"
#include "tool.h"
#include "tools/check/record.h"
#include "tools/check/schedules.h"
#include "tools/wrap/wrap.h"

#define MOST_SWITCHES	10000

const char wrap_tool[] = "ppu-check";

static const char help[] =
	"usage: ppu-check [options] [--] PROGRAM [ARGUMENT...]\n"
	"  --tool TOOL          memcheck: accesses outside allocations, the default; racecheck: races in shared and\n"
	"                       global memory;\n"
	"                       initcheck: reads of memory that nobody has written; synccheck: wrong use of barriers, masks\n"
	"                       and shuffles, deadlocks; floatcheck: where NaN, infinite and subnormal numbers come from\n"
	"  --leak-check [full|no]   memcheck: memory that is never freed, too\n"
	"  --strict             synccheck: masks and barriers without threads which have ended before, too;\n"
	"                       racecheck: flags that are read without an acquire or a fence\n"
	"  --plain-volatile     racecheck: volatile accesses are plain ones, as in C++, and order nothing\n"
	"  --loaded             floatcheck: NaNs that a kernel is given, too\n"
	"  --cancellation BITS  floatcheck: sums that lose so many bits, too\n"
	"  --schedules N        instead of a tool: run in N other orders of warps and blocks, and tell which give another output\n"
	"  --schedules all      the same in all orders of the blocks and warps of small launches, one after the other\n"
	"  --switches N         schedules all: each of them also with one change of mind, after 1, 2... N cycles of the first warp\n"
	"  --seed S             schedules: the first of these orders (default: 1)\n"
	"  --compare FILE       schedules: compare this file, too, which the program writes; may be given more than once\n"
	"  --memory             schedules: compare what is in the device's memory when it is freed or the program ends, too\n"
	"  --error-exitcode N   exit status when something was found (default: the program's own)\n"
	"  --suppressions FILE  lines KIND [KERNEL [FILE]], with * and ?: what not to tell\n"
	"  --json FILE, --xml FILE   write the findings there\n"
	"  --help, --version\n"
	"The program is any that uses CUDA's Driver or Runtime API or libppu; it runs on the device inside the process.\n"
	"Exit status: the program's, 128 + the signal that ended it, or that of --error-exitcode; 2 usage, 126 or 127 the\n"
	"program cannot be run.\n";

struct result {
	struct record *finding;
	unsigned n, starts, ends, suppressed;
	unsigned long long again, untold;
};

struct args {
	const char *tool, *json, *xml, *suppressions;
	bool leaks, strict, plain_volatile, loaded;
	unsigned bits;		/* of cancellation; 0: not wanted */
	struct schedules sched;	/* orders 0: not wanted */
	int exit_code;		/* -1: the program's */
	char **program;
};

/* --leak-check, and what may follow: "full" or "no", as the tool of others has it. */
static bool is_leak_check(char **argv, int *i, bool *on)
{
	static const char name[] = "--leak-check";
	const char *is = argv[*i], *next = argv[*i + 1];

	if (strncmp(is, name, sizeof(name) - 1) != 0)
		return false;
	is += sizeof(name) - 1;
	if (*is && *is != '=')
		return false;
	if (*is && strcmp(is, "=full") != 0 && strcmp(is, "=no") != 0)
		wrap_usage("--leak-check is full or no, not ", is + 1);
	if (!*is && next && (!strcmp(next, "full") || !strcmp(next, "no"))) {
		is = next;
		++*i;
	}
	*on = strcmp(is, "no") != 0 && strcmp(is, "=no") != 0;
	return true;
}

static bool is_tool(const char *name)
{
#define SAME(tool, its) || !strcmp(name, its)
	return false CHK_TOOLS(SAME);
#undef SAME
}

static unsigned number_from_1(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 0);

	if (*end || end == text || *text == '-' || !n || n > 1000000000)
		wrap_usage("no number from 1 on: ", text);
	return (unsigned)n;
}

static void parse(char **argv, struct args *a)
{
	const char *v;
	bool tool = false, schedules;
	char *end;
	int i;

	*a = (struct args){ .tool = "memcheck", .exit_code = -1 };
	for (i = 1; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else if (!strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			exit(0);
		} else if (!strcmp(argv[i], "--version")) {
			tool_version("ppu-check");
			exit(0);
		} else if (is_leak_check(argv, &i, &a->leaks)) {
			;
		} else if (!strcmp(argv[i], "--strict")) {
			a->strict = true;
		} else if (!strcmp(argv[i], "--plain-volatile")) {
			a->plain_volatile = true;
		} else if (!strcmp(argv[i], "--loaded")) {
			a->loaded = true;
		} else if ((v = wrap_value(argv, &i, "--cancellation"))) {
			long n = strtol(v, &end, 10);

			if (*end || end == v || n < 1 || n > CHK_MOST_BITS)
				wrap_usage("no number of bits: ", v);
			a->bits = (unsigned)n;
		} else if ((v = wrap_value(argv, &i, "--schedules"))) {
			a->sched.all = !strcmp(v, "all");
			a->sched.orders = a->sched.all ? 0 : number_from_1(v);
		} else if (!strcmp(argv[i], "--memory")) {
			a->sched.memory = true;
		} else if ((v = wrap_value(argv, &i, "--switches"))) {
			a->sched.switches = number_from_1(v);
			if (a->sched.switches > MOST_SWITCHES)
				wrap_usage("too many switches: ", v);
		} else if ((v = wrap_value(argv, &i, "--seed"))) {
			a->sched.seed = number_from_1(v);
		} else if ((v = wrap_value(argv, &i, "--compare"))) {
			a->sched.files = wrap_need(realloc(a->sched.files, (a->sched.num_files + 1) * sizeof(v)));
			a->sched.files[a->sched.num_files++] = v;
		} else if ((v = wrap_value(argv, &i, "--tool"))) {
			if (!is_tool(v))
				wrap_usage("there is no tool ", v);
			a->tool = v;
			tool = true;
		} else if ((v = wrap_value(argv, &i, "--error-exitcode"))) {
			long n = strtol(v, &end, 0);

			if (*end || end == v || n < 0 || n > 255)
				wrap_usage("no exit status: ", v);
			a->exit_code = (int)n;
		} else if ((v = wrap_value(argv, &i, "--json"))) {
			a->json = v;
		} else if ((v = wrap_value(argv, &i, "--xml"))) {
			a->xml = v;
		} else if ((v = wrap_value(argv, &i, "--suppressions"))) {
			a->suppressions = v;
		} else {
			wrap_usage("there is no option ", argv[i]);
		}
	}
	a->program = argv + i;
	schedules = a->sched.orders || a->sched.all;
	if (a->sched.seed && !a->sched.orders)
		wrap_usage("--seed is of --schedules N", "");
	if (a->sched.switches && !a->sched.all)
		wrap_usage("--switches is of --schedules all", "");
	if (a->sched.num_files && !schedules)
		wrap_usage("--compare is of --schedules", "");
	if (a->sched.memory && !schedules)
		wrap_usage("--memory is of --schedules", "");
	if (schedules && (tool || a->leaks || a->strict || a->plain_volatile || a->loaded || a->bits || a->json || a->xml || a->suppressions))
		wrap_usage("--schedules has no tool, and of the options only --seed, --switches, --compare, --memory and --error-exitcode", "");
	if (!argv[i])
		wrap_usage("which program?", "");
	if (a->leaks && strcmp(a->tool, "memcheck") != 0)
		wrap_usage("--leak-check is of memcheck, not of ", a->tool);
	if (a->strict && strcmp(a->tool, "synccheck") != 0 && strcmp(a->tool, "racecheck") != 0)
		wrap_usage("--strict is of synccheck and racecheck, not of ", a->tool);
	if (a->plain_volatile && strcmp(a->tool, "racecheck") != 0)
		wrap_usage("--plain-volatile is of racecheck, not of ", a->tool);
	if ((a->loaded || a->bits) && strcmp(a->tool, "floatcheck") != 0)
		wrap_usage(a->bits ? "--cancellation is of floatcheck, not of " : "--loaded is of floatcheck, not of ", a->tool);
}

/* ---- running it ----------------------------------------------------------------------------------------- */

/* The program's exit status. */
static int run(const struct args *a, const char *records)
{
	char words[64], bits[32] = "";

	if (a->bits)
		snprintf(bits, sizeof(bits), ",cancellation=%u", a->bits);
	snprintf(words, sizeof(words), "%s%s%s%s%s%s", a->tool, a->leaks ? ",leaks" : "", a->strict ? ",strict" : "",
		 a->plain_volatile ? ",plain-volatile" : "", a->loaded ? ",loaded" : "", bits);
	setenv("PPU_CHECK", words, 1);
	setenv("PPU_CHECK_RECORDS", records, 1);
	if (!strcmp(a->tool, "racecheck"))
		wrap_library = "libppu-hostcalls.so.0";
	if (a->suppressions)
		setenv("PPU_CHECK_SUPPRESSIONS", a->suppressions, 1);
	return wrap_run(a->program);
}

/* ---- records --------------------------------------------------------------------------------------------- */

static bool take(void *arg, const struct record *r)
{
	struct result *res = arg;
	const char *what = record_get(r, "record");

	if (!strcmp(what, "start")) {
		res->starts++;
	} else if (!strcmp(what, "end")) {
		res->ends++;
		res->suppressed += (unsigned)strtoul(record_get(r, "suppressed"), NULL, 10);
		res->again += strtoull(record_get(r, "again"), NULL, 10);
		res->untold += strtoull(record_get(r, "untold"), NULL, 10);
	} else if (!strcmp(what, "finding")) {
		res->finding = wrap_need(realloc(res->finding, (res->n + 1) * sizeof(*res->finding)));
		res->finding[res->n++] = *r;
		return true;
	}
	return false;
}

static void read_records(const char *path, struct result *res)
{
	memset(res, 0, sizeof(*res));
	record_read(path, take, res);
}

/* Which keys are lists even with one value, and which are numbers. */
static bool among(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (!strcmp(key, *keys))
			return true;
	return false;
}

static const char *const lists[] = { "allocated", "freed", "called", "other_called", "waits", NULL };
static const char *const numbers[] = {
	"line", "after_line", "pc", "bytes", "more_threads", "other_line", "other_after_line", "other_pc", "other_more_threads", NULL
};

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void json_finding(FILE *f, const struct record *r)
{
	const char *comma = "";

	fputs("    {", f);
	for (unsigned i = 0; i < r->n; i++) {
		const char *key = r->pair[i].key;
		bool list = among(key, lists), more = i && !strcmp(r->pair[i - 1].key, key);

		if (!strcmp(key, "record"))
			continue;
		if (!more) {
			fprintf(f, "%s\n      ", comma);
			wrap_json(f, key);
			fputs(list ? ": [" : ": ", f);
		} else {
			fputs(", ", f);
		}
		if (among(key, numbers))
			fputs(r->pair[i].value, f);
		else
			wrap_json(f, r->pair[i].value);
		if (list && (i + 1 == r->n || strcmp(r->pair[i + 1].key, key) != 0))
			fputc(']', f);
		comma = ",";
	}
	fputs("\n    }", f);
}

static void json(FILE *f, const struct result *res, const char *tool, int status)
{
	fprintf(f, "{\n  \"tool\": \"%s\",\n  \"program_status\": %d,\n  \"checked\": %s,\n  \"suppressed\": %u,\n"
		"  \"again\": %llu,\n  \"untold\": %llu,\n  \"findings\": [", tool, status, res->starts ? "true" : "false",
		res->suppressed, res->again, res->untold);
	for (unsigned i = 0; i < res->n; i++) {
		fputs(i ? ",\n" : "\n", f);
		json_finding(f, &res->finding[i]);
	}
	fputs(res->n ? "\n  ]\n}\n" : "]\n}\n", f);
}

/* ---- XML -------------------------------------------------------------------------------------------------- */

static void xml_text(FILE *f, const char *s)
{
	while (*s) {
		const char *as = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : *s == '"' ? "&quot;" : NULL;

		if (as)
			fputs(as, f);
		else if ((unsigned char)*s >= 32 || *s == '\t')
			s = wrap_put_char(f, s) - 1;
		s++;
	}
}

static void xml(FILE *f, const struct result *res, const char *tool, int status)
{
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ppu-check tool=\"%s\" program_status=\"%d\" checked=\"%s\" "
		"suppressed=\"%u\" again=\"%llu\" untold=\"%llu\">\n", tool, status, res->starts ? "true" : "false",
		res->suppressed, res->again, res->untold);
	for (unsigned i = 0; i < res->n; i++) {
		const struct record *r = &res->finding[i];

		fputs("  <finding>\n", f);
		for (unsigned k = 0; k < r->n; k++) {
			if (!strcmp(r->pair[k].key, "record"))
				continue;
			fprintf(f, "    <%s>", r->pair[k].key);
			xml_text(f, r->pair[k].value);
			fprintf(f, "</%s>\n", r->pair[k].key);
		}
		fputs("  </finding>\n", f);
	}
	fputs("</ppu-check>\n", f);
}

static bool write_file(const char *path, void (*fn)(FILE *f, const struct result *res, const char *tool, int status),
		       const struct result *res, const char *tool, int status)
{
	FILE *f = path ? fopen(path, "we") : NULL;
	bool ok = f;

	if (!path)
		return true;
	if (f)
		fn(f, res, tool, status);
	if (f && fclose(f))
		ok = false;
	if (!ok)
		fprintf(stderr, "ppu-check: %s: %s\n", path, strerror(errno));
	return ok;
}

/* ---- */

static void tell(const struct result *res)
{
	if (!res->starts) {
		fputs("ppu-check: nothing was checked: the program used no PPU by our libcuda, libcudart or libppu, or it could "
		      "not be opened\n", stderr);
		return;
	}
	fprintf(stderr, "ppu-check: %u finding%s", res->n, res->n == 1 ? "" : "s");
	if (res->again)
		fprintf(stderr, ", %llu times again", res->again);
	if (res->untold)
		fprintf(stderr, ", %llu more that were not told", res->untold);
	if (res->suppressed)
		fprintf(stderr, ", %u suppressed", res->suppressed);
	fputs(res->ends < res->starts ? "; the program did not end as usual, so what is told at the end is missing\n" : "\n", stderr);
}

static bool is_directory(const char *path)
{
	struct stat st;
	bool is = !stat(path, &st) && S_ISDIR(st.st_mode);

	if (is)
		errno = EISDIR;
	return is;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/ppu-check-XXXXXX";
	struct result res;
	struct args a;
	int status, fd;
	bool ok;

	(void)argc;
	parse(argv, &a);
	if (a.sched.orders || a.sched.all) {
		unsigned differ;

		a.sched.program = a.program;
		a.sched.seed += !a.sched.seed;
		status = schedules_run(&a.sched, &differ);
		return differ && a.exit_code >= 0 ? a.exit_code : status;
	}
	if (a.suppressions && (access(a.suppressions, R_OK) || is_directory(a.suppressions))) {
		fprintf(stderr, "ppu-check: %s: %s\n", a.suppressions, strerror(errno));
		return 2;
	}
	fd = mkstemp(path);
	if (fd < 0) {
		perror("ppu-check: a file for records");
		return 126;
	}
	close(fd);
	status = run(&a, path);
	read_records(path, &res);
	unlink(path);
	ok = write_file(a.json, json, &res, a.tool, status);
	ok &= write_file(a.xml, xml, &res, a.tool, status);
	if (status != 126 && status != 127)
		tell(&res);
	if (!ok)
		return 126;
	return res.n && a.exit_code >= 0 ? a.exit_code : status;
}
