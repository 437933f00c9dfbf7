/* SPDX-License-Identifier: MIT */
/* ppu-as: assemble PPU text (.ppus) and link with other modules into one native binary (.ppub). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "common/file.h"
#include "tool.h"

static void usage(FILE *to)
{
	fputs("usage: ppu-as [-o OUT.ppub] [-c] FILE.{ppus,ppub}...\n"
	      "  -o OUT  write the image there (default: the first file's name with .ppub)\n"
	      "  -c      leave undefined symbols open, for a later link\n"
	      "  --help, --version\n"
	      "Files are linked in order. Exit status: 0 done, 2 usage, 3 errors in the input.\n", to);
}

int main(int argc, char **argv)
{
	struct ppu_image *out = ppu_image_new();
	const char *out_name = NULL, *first = NULL;
	char *made = NULL;
	struct ppu_log log;
	int i, open = 0, err = 0;
	uint8_t *bytes;
	size_t len;
	FILE *f;

	ppu_log_init(&log);
	for (i = 1; i < argc && !err; i++) {
		struct ppu_image *img = NULL;
		char *text;

		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			usage(stdout);
			return 0;
		}
		if (!strcmp(argv[i], "--version"))
			return tool_version("ppu-as");
		if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			out_name = argv[++i];
			continue;
		}
		if (!strcmp(argv[i], "-c")) {
			open = 1;
			continue;
		}
		if (argv[i][0] == '-' && argv[i][1]) {
			usage(stderr);
			return 2;
		}
		if (!first)
			first = argv[i];
		text = ppu_read_file(argv[i], &len);
		if (!text) {
			fprintf(stderr, "ppu-as: %s: %s\n", argv[i], strerror(errno));
			return 2;
		}
		if (len >= 4 && !memcmp(text, "PPUB", 4))
			err = ppu_image_read((uint8_t *)text, len, &img, &log);
		else
			err = ppu_assemble(text, len, argv[i], &img, &log);
		if (!err)
			err = ppu_image_link(out, img, &log);
		ppu_image_free(img);
		free(text);
	}
	if (!first) {
		usage(stderr);
		return 2;
	}
	if (!err && !open)
		err = ppu_image_finish(out, &ppu_device_library, &log);
	if (!err)
		err = ppu_image_write(out, &bytes, &len);
	if (log.text)
		fputs(log.text, stderr);
	ppu_image_free(out);
	if (err) {
		if (!log.errors)
			fprintf(stderr, "ppu-as: %s\n", strerror(-err));
		ppu_log_free(&log);
		return 3;
	}
	ppu_log_free(&log);
	if (!out_name) {
		const char *dot = strrchr(first, '.');
		int n = dot && !strchr(dot, '/') ? (int)(dot - first) : (int)strlen(first);

		made = malloc((size_t)n + 6);
		if (!made)
			return 2;
		sprintf(made, "%.*s.ppub", n, first);
		out_name = made;
	}
	f = strcmp(out_name, "-") ? fopen(out_name, "wb") : stdout;
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f)) {
		fprintf(stderr, "ppu-as: %s: %s\n", out_name, strerror(errno));
		return 2;
	}
	free(bytes);
	free(made);
	return 0;
}
