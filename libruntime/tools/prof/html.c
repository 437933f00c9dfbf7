/* SPDX-License-Identifier: MIT */
/* The page for a browser: page.html with the JSON in it. */
#include <string.h>
#include "tools/prof/data.h"

extern const char prof_page[];
extern const char prof_page_end[];
__asm__(".section .rodata\n"
	"prof_page: .incbin \"" PPU_PROF_PAGE "\"\n"
	"prof_page_end: .byte 0\n"
	".previous\n");

void write_html(FILE *f, const struct data *d)
{
	const char *data = strstr(prof_page, ">DATA<");

	fwrite(prof_page, 1, (size_t)(data + 1 - prof_page), f);
	write_json(f, d);
	fputs(data + strlen(">DATA"), f);
}
