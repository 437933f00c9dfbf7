/* SPDX-License-Identifier: MIT */
/*
 * ppu-prof: runs a program with the profiler that is in the runtime (libruntime/prof), and tells what each kernel and each
 * line did: as text, JSON, a page for a browser, and coverage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

const char wrap_tool[] = "ppu-prof";

static const char help[] =
	"usage: ppu-prof [options] [--] PROGRAM [ARGUMENT...]\n"
	"  --lines N         how many of the hottest lines of each kernel to tell (default 8; 0: none)\n"
	"  --text FILE       write the text there (default: standard error; \"-\": standard output)\n"
	"  --json FILE       all numbers\n"
	"  --html FILE       a page for a browser, which needs no network\n"
	"  --lcov FILE       coverage of lines and branches, for genhtml\n"
	"  --by-lane         --lcov: branches by lane, too\n"
	"  --sources DIR     look for source files there first, by their names without directories\n"
	"  --memory          with the memory system in device time (the device's property memory-timing=1)\n"
	"  --caches          with the model of the caches (cache-model=1), which changes no time\n"
	"  --help, --version\n"
	"The program is any that uses CUDA's Driver or Runtime API or libppu; it runs on the device inside the process.\n"
	"Exit status: the program's, or 128 + the signal that ended it; 2 usage, 126 or 127 the program cannot be run.\n";

struct args {
	const char *text, *json, *html, *lcov, *sources;
	bool memory, caches;
	unsigned lines;
	char **program;
};

static void parse(char **argv, struct args *a)
{
	const char *v;
	char *end;
	int i;

	*a = (struct args){ .lines = 8 };
	for (i = 1; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else if (!strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			exit(0);
		} else if (!strcmp(argv[i], "--version")) {
			tool_version("ppu-prof");
			exit(0);
		} else if (!strcmp(argv[i], "--memory")) {
			a->memory = true;
		} else if (!strcmp(argv[i], "--caches")) {
			a->caches = true;
		} else if (!strcmp(argv[i], "--by-lane")) {
			lcov_lanes = true;
		} else if ((v = wrap_value(argv, &i, "--lines"))) {
			a->lines = (unsigned)strtoul(v, &end, 10);
			if (*end || end == v || *v == '-')
				wrap_usage("no number of lines: ", v);
		} else if ((v = wrap_value(argv, &i, "--text"))) {
			a->text = v;
		} else if ((v = wrap_value(argv, &i, "--json"))) {
			a->json = v;
		} else if ((v = wrap_value(argv, &i, "--html"))) {
			a->html = v;
		} else if ((v = wrap_value(argv, &i, "--lcov"))) {
			a->lcov = v;
		} else if ((v = wrap_value(argv, &i, "--sources"))) {
			a->sources = v;
		} else {
			wrap_usage("there is no option ", argv[i]);
		}
	}
	a->program = argv + i;
	if (!argv[i])
		wrap_usage("which program?", "");
	if (lcov_lanes && !a->lcov)
		wrap_usage("--by-lane is of --lcov", "");
}

/* Beside what the user wants of the device. */
static void add_property(const char *property)
{
	const char *old = getenv("PPU_PROPS");
	char *all;

	if (asprintf(&all, "%s%s%s", old ? old : "", old && *old ? "," : "", property) < 0)
		return;
	setenv("PPU_PROPS", all, 1);
	free(all);
}

static bool write_file(const char *path, void (*fn)(FILE *f, const struct data *d), const struct data *d)
{
	FILE *f = path ? fopen(path, "we") : NULL;
	bool ok = f;

	if (!path)
		return true;
	if (f)
		fn(f, d);
	if (f && fclose(f))
		ok = false;
	if (!ok)
		fprintf(stderr, "ppu-prof: %s: %s\n", path, strerror(errno));
	return ok;
}

static unsigned text_lines;

static void text(FILE *f, const struct data *d)
{
	write_text(f, d, text_lines);
}

static bool tell(const struct args *a, const struct data *d)
{
	bool ok = true;

	text_lines = a->lines;
	if (!a->text)
		text(stderr, d);
	else if (!strcmp(a->text, "-"))
		text(stdout, d);
	else
		ok = write_file(a->text, text, d);
	ok &= write_file(a->json, write_json, d);
	ok &= write_file(a->html, write_html, d);
	return ok & write_file(a->lcov, write_lcov, d);
}

/* What the numbers may lack. */
static void warn(const struct data *d)
{
	if (!d->starts)
		fputs("ppu-prof: nothing was counted: the program used no PPU by our libcuda, libcudart or libppu, or it "
		      "could not be opened\n", stderr);
	else if (d->starts > 1)
		fprintf(stderr, "ppu-prof: the device was opened %u times; device time is told as if it had gone on\n",
			d->starts);
	if (d->ends < d->starts)
		fputs("ppu-prof: the program, or a child, did not end as usual: what its kernels did is not known\n",
		      stderr);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/ppu-prof-XXXXXX";
	struct data d;
	struct args a;
	int status, fd;
	bool ok;

	(void)argc;
	parse(argv, &a);
	fd = mkstemp(path);
	if (fd < 0) {
		perror("ppu-prof: a file for records");
		return 126;
	}
	close(fd);
	setenv("PPU_PROF", path, 1);
	if (a.memory)
		add_property("memory-timing=1");
	if (a.caches)
		add_property("cache-model=1");
	wrap_library = "libnvToolsExt.so.1";	/* ranges of NVTX */
	wrap_library_variable = "NVTX_INJECTION64_PATH";	/* where the vendor's headers look for it */
	status = wrap_run(a.program);
	read_data(path, &d);
	unlink(path);
	d.program = (const char *const *)a.program;
	d.status = status;
	if (status == 126 || status == 127)
		return status;
	read_sources(&d, a.sources);
	merge_modules(&d);
	derive(&d);
	advise(&d);
	ok = tell(&a, &d);
	warn(&d);
	return ok ? status : 126;
}
