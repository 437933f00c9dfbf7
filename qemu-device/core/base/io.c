/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte stream of save and restore: little-endian, the same calls in both directions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"

void ppu_io_fail(struct ppu_io *io, const char *fmt, ...)
{
	va_list ap;

	if (io->failed)
		return;
	io->failed = true;
	va_start(ap, fmt);
	vsnprintf(io->why, sizeof(io->why), fmt, ap);
	va_end(ap);
}

void ppu_io_bytes(struct ppu_io *io, void *p, size_t n)
{
	if (!n)
		return;
	if (io->failed) {
		if (io->loading && n)
			memset(p, 0, n);
		return;
	}
	if (io->loading) {
		if (n > io->len - io->pos) {
			ppu_io_fail(io, "the saved state is cut short");
			memset(p, 0, n);
			return;
		}
		if (n)
			memcpy(p, io->buf + io->pos, n);
		io->pos += n;
		return;
	}
	if (n > io->cap - io->pos) {
		size_t cap = (io->cap + n) * 2;
		uint8_t *buf = ppu_realloc(io->buf, cap);

		if (!buf) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		io->buf = buf;
		io->cap = cap;
	}
	memcpy(io->buf + io->pos, p, n);
	io->pos += n;
	io->len = io->pos;
}

void ppu_io_u8(struct ppu_io *io, uint8_t *v)
{
	ppu_io_bytes(io, v, 1);
}

#define IO_INT(bits) \
void ppu_io_u##bits(struct ppu_io *io, uint##bits##_t *v) \
{ \
	uint8_t b[bits / 8]; \
	for (unsigned i = 0; i < bits / 8; i++) \
		b[i] = (uint8_t)(*v >> (8 * i)); \
	ppu_io_bytes(io, b, sizeof(b)); \
	if (!io->loading) \
		return; \
	*v = 0; \
	for (unsigned i = 0; i < bits / 8; i++) \
		*v = (uint##bits##_t)(*v | (uint##bits##_t)b[i] << (8 * i)); \
}
IO_INT(16)
IO_INT(32)
IO_INT(64)

void ppu_io_bool(struct ppu_io *io, bool *v)
{
	uint8_t b = *v;

	ppu_io_u8(io, &b);
	if (b > 1)
		ppu_io_fail(io, "a flag is neither 0 nor 1");
	*v = b == 1;
}

void ppu_io_section(struct ppu_io *io, const char tag[4])
{
	char t[4];

	memcpy(t, tag, 4);
	ppu_io_bytes(io, t, 4);
	if (io->loading && memcmp(t, tag, 4))
		ppu_io_fail(io, "section %.4s expected", tag);
}
