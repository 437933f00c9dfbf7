/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>
#include "tools/wrap/wrap.h"

/* How many bytes the character has that begins there; 0: none does, or one that XML has not. */
static unsigned utf8(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned n = u[0] < 0x80 ? 1 : u[0] >> 5 == 6 ? 2 : u[0] >> 4 == 14 ? 3 : u[0] >> 3 == 30 ? 4 : 0;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = n > 1 ? u[0] & (0x7fu >> n) : u[0];

	for (unsigned i = 1; i < n; i++) {
		if (u[i] >> 6 != 2)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c == 0xfffe || c == 0xffff ? 0 : n;
}

const char *wrap_put_char(FILE *f, const char *s)
{
	unsigned n = utf8(s);

	fwrite(n ? s : "\xef\xbf\xbd", 1, n ? n : 3, f);
	return s + (n ? n : 1);
}

void wrap_json(FILE *f, const char *s)
{
	fputc('"', f);
	while (*s) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s++);
		else if ((unsigned char)*s < 32 || strchr("<>&", *s))
			fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s++);
		else
			s = wrap_put_char(f, s);
	}
	fputc('"', f);
}
