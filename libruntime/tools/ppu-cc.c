/* SPDX-License-Identifier: MIT */
/* ppu-cc: compile PTX into a native binary (.ppub), or show what the compiler makes of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "common/file.h"
#include "tool.h"

static const char help[] =
	"usage: ppu-cc [options] FILE.ptx [FILE.{ptx,ppus,ppub}...]\n"
	"  -o OUT           write the image there (default: the first file's name with .ppub)\n"
	"  -c               leave undefined symbols open, for a later link\n"
	"  -S               print the disassembly instead of writing an image\n"
	"  -O1, -O2         translate only; optimise (default)\n"
	"  --print-after P  print the IR after pass P to standard output (also --print-after=P)\n"
	"  --print-after-all  after every pass      --passes  print the names of the passes\n"
	"  --verify         check the IR after every pass\n"
	"  --max-regs N     most registers per thread\n"
	"  --no-yield       leave out YIELD (to see what goes wrong without it)\n"
	"  --help, --version\n"
	"Files are linked in order. Exit status: 0 done, 2 usage, 3 errors in the input.\n";

struct args {
	struct ppu_ptx_options opt;
	const char *out, *first;
	int list, open, passes;
};

static int known_pass(const char *name)
{
	unsigned i;

	for (i = 0; ppu_ptx_pass(i); i++)
		if (!strcmp(ppu_ptx_pass(i), name))
			return 1;
	return !strcmp(name, "all");
}

static void print_passes(void)
{
	unsigned i;

	for (i = 0; ppu_ptx_pass(i); i++)
		puts(ppu_ptx_pass(i));
}

static int is_ptx(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (strchr(" \t\r\n", text[i]) && text[i]) {
			i++;
		} else if (i + 1 < len && text[i] == '/' && text[i + 1] == '/') {
			while (i < len && text[i] != '\n')
				i++;
		} else if (i + 1 < len && text[i] == '/' && text[i + 1] == '*') {
			for (i += 2; i + 1 < len && !(text[i] == '*' && text[i + 1] == '/'); i++)
				;
			i += 2;
		} else {
			break;
		}
	}
	return i + 8 <= len && !memcmp(text + i, ".version", 8);
}

/* Says why a file cannot be code of any kind; NULL: it can be. */
static const char *no_code(const char *text, size_t len, const char *path)
{
	const char *dot = strrchr(path, '.');

	if (!len)
		return "is empty";
	if (dot && !strcmp(dot, ".cu"))
		return "is CUDA C++: make PTX of it first, with ppu-nvcc -ptx or clang";
	if (memchr(text, 0, len))
		return "is neither text nor an image of ppu-as or ppu-cc";
	return NULL;
}

#define UNREADABLE 2	/* no error of the compiler's: those are negative, or 1 */

static int add_file(const struct args *a, const char *path, struct ppu_image *out,
		    struct ppu_log *log)
{
	struct ppu_image *img = NULL;
	size_t len;
	char *text = ppu_read_file(path, &len);
	const char *why = NULL;
	int err;

	if (!text) {
		fprintf(stderr, "ppu-cc: %s: %s\n", path, strerror(errno));
		return UNREADABLE;
	}
	if (len >= 4 && !memcmp(text, "PPUB", 4))
		err = ppu_image_read((uint8_t *)text, len, &img, log);
	else if ((why = no_code(text, len, path)))
		err = 1;
	else if (is_ptx(text, len) || (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".ptx")))
		err = ppu_ptx_compile(text, len, path, &a->opt, &img, log);
	else
		err = ppu_assemble(text, len, path, &img, log);
	if (why)
		fprintf(stderr, "ppu-cc: %s %s\n", path, why);
	if (!err)
		err = ppu_image_link(out, img, log);
	if (img)
		ppu_image_free(img);
	free(text);
	return err;
}

static int write_out(const struct args *a, const struct ppu_image *img)
{
	char made[4096];
	const char *name = a->out, *dot = strrchr(a->first, '.');
	uint8_t *bytes = NULL;
	size_t len = 0;
	FILE *f;

	if (!name) {
		snprintf(made, sizeof(made), "%.*s.ppub", dot && !strchr(dot, '/') ?
			 (int)(dot - a->first) : (int)strlen(a->first), a->first);
		name = made;
	}
	if (ppu_image_write(img, &bytes, &len)) {
		fprintf(stderr, "ppu-cc: out of memory\n");
		return 2;
	}
	f = strcmp(name, "-") ? fopen(name, "wb") : stdout;
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f)) {
		fprintf(stderr, "ppu-cc: %s: %s\n", name, strerror(errno));
		free(bytes);
		return 2;
	}
	free(bytes);
	return 0;
}

static int finish(const struct args *a, struct ppu_image *out, struct ppu_log *log, int err)
{
	char *text = NULL;

	if (!err && !a->open)
		err = ppu_image_finish(out, &ppu_device_library, log);
	if (log->text)
		fputs(log->text, stderr);
	if (err)
		return err == UNREADABLE ? 2 : 3;
	if (!a->list)
		return a->opt.print_after && !a->out ? 0 : write_out(a, out);
	if (ppu_disassemble(out, &text))
		return 2;
	fputs(text, stdout);
	free(text);
	return 0;
}

/* Handles one option. Returns the number of arguments it used, 0: the option is unknown. */
static int option(struct args *a, char **v, int left)
{
	if (!strcmp(v[0], "-c"))
		return a->open = 1;
	if (!strcmp(v[0], "-S"))
		return a->list = 1;
	if (!strcmp(v[0], "-O1") || !strcmp(v[0], "-O2")) {
		a->opt.opt_level = (uint32_t)(v[0][2] - '0');
		return 1;
	}
	if (!strcmp(v[0], "--verify"))
		return (int)(a->opt.verify = 1);
	if (!strcmp(v[0], "--no-yield"))
		return (int)(a->opt.no_yield = 1);
	if (!strcmp(v[0], "--print-after-all")) {
		a->opt.print_after = "all";
		return 1;
	}
	if (!strncmp(v[0], "--print-after=", 14)) {
		a->opt.print_after = v[0] + 14;
		return 1;
	}
	if (!strcmp(v[0], "--passes"))
		return a->passes = 1;
	if (left < 2)
		return 0;
	if (!strcmp(v[0], "-o"))
		a->out = v[1];
	else if (!strcmp(v[0], "--print-after"))
		a->opt.print_after = v[1];
	else if (!strcmp(v[0], "--max-regs"))
		a->opt.max_regs = (uint32_t)strtoul(v[1], NULL, 0);
	else
		return 0;
	return 2;
}

int main(int argc, char **argv)
{
	struct args a = { .opt.print_to = stdout };
	struct ppu_image *out = ppu_image_new();
	struct ppu_log log;
	int i, n, err = 0, rc;

	ppu_log_init(&log);
	for (i = 1; i < argc; i += n) {
		n = 1;
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "--version"))
			return tool_version("ppu-cc");
		if (argv[i][0] == '-' && argv[i][1]) {
			n = option(&a, argv + i, argc - i);
			if (!n) {
				fprintf(stderr, "ppu-cc: %s is no option, or lacks its argument; --help lists them\n",
					argv[i]);
				return 2;
			}
			continue;
		}
		if (!a.first)
			a.first = argv[i];
		if (!err)
			err = add_file(&a, argv[i], out, &log);
	}
	if (a.passes) {
		print_passes();
		return 0;
	}
	if (a.opt.print_after && !known_pass(a.opt.print_after)) {
		fprintf(stderr, "ppu-cc: there is no pass '%s'; --passes prints their names\n", a.opt.print_after);
		return 2;
	}
	if (!a.first) {
		fputs(help, stderr);
		return 2;
	}
	rc = finish(&a, out, &log, err);
	ppu_image_free(out);
	ppu_log_free(&log);
	return rc;
}
