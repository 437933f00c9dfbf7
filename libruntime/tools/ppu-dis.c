/* SPDX-License-Identifier: MIT */
/* ppu-dis: print a native binary (.ppub) as text that ppu-as accepts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "tool.h"

int main(int argc, char **argv)
{
	struct ppu_image *img = NULL;
	uint8_t *v = NULL;
	size_t len = 0, cap = 0, n;
	struct ppu_log log;
	char *text;
	FILE *f;
	int err;

	if (argc == 2 && !strcmp(argv[1], "--version"))
		return tool_version("ppu-dis");
	if (argc != 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		fputs("usage: ppu-dis FILE.ppub     (- for standard input)\n"
		      "  --help, --version\n"
		      "Exit status: 0 done, 2 usage, 3 not a usable binary.\n", argc == 2 ? stdout : stderr);
		return argc == 2 ? 0 : 2;
	}
	f = strcmp(argv[1], "-") ? fopen(argv[1], "rb") : stdin;
	if (!f) {
		fprintf(stderr, "ppu-dis: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	do {
		if (len == cap) {
			uint8_t *w = realloc(v, cap = cap ? cap * 2 : 65536);

			if (!w)
				return 2;
			v = w;
		}
		n = fread(v + len, 1, cap - len, f);
		len += n;
	} while (n);
	if (f != stdin)
		fclose(f);
	ppu_log_init(&log);
	err = ppu_image_read(v, len, &img, &log);
	free(v);
	if (!err)
		err = ppu_disassemble(img, &text);
	if (err) {
		fprintf(stderr, "%s: %s", argv[1], log.text ? log.text : strerror(-err));
		ppu_log_free(&log);
		return 3;
	}
	fputs(text, stdout);
	free(text);
	ppu_image_free(img);
	return 0;
}
