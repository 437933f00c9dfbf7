/* SPDX-License-Identifier: MIT */
/* vprintf and __assertfail, as CUDA's compilers call them. */
#include "compiler/devabi/dev.h"

extern "C" {
__attribute__((device, weak)) struct ppu_print_state *__ppu_print;
}

#define MAX_STRING	4096u	/* bytes of a %s that are kept */

struct writer {
	u8 *data;
	u32 mask;
	u64 at;
};

DEV void put(struct writer *w, u8 v)
{
	w->data[w->at++ & w->mask] = v;
}

DEV void put32(struct writer *w, u32 v)		/* records and their parts are aligned */
{
	*(u32 *)(w->data + (w->at & w->mask)) = v;
	w->at += 4;
}

DEV u32 length(const char *s)	/* with the NUL; a null pointer counts as "(null)" */
{
	u32 n = 0;

	if (!s)
		return 7;
	while (n < MAX_STRING - 1 && s[n])
		n++;
	return n + 1;
}

DEV void put_string(struct writer *w, const char *s, u32 n)
{
	const char *null = "(null)";
	u32 i;

	if (!s)
		s = null;
	for (i = 0; i + 1 < n; i++)
		put(w, (u8)s[i]);
	put(w, 0);
}

DEV u32 up8(u32 v)
{
	return (v + 7) & ~7u;
}

/* Room for a record; 0: the ring is too small for it or there is none. */
DEV u32 reserve(struct writer *w, u32 bytes, u64 *entry)
{
	struct ppu_print_state *s = __ppu_print;

	if (!s || bytes > s->data_bytes)
		return 0;
	*entry = atom_add(&s->next_entry, 1);
	w->data = (u8 *)s->data;
	w->mask = s->data_bytes - 1;
	w->at = atom_add(&s->next_byte, bytes);
	return 1;
}

DEV void header(struct writer *w, u32 kind, u32 format_bytes, u32 arg_bytes, u32 string_bytes, u32 line)
{
	put32(w, kind);
	put32(w, format_bytes);
	put32(w, arg_bytes);
	put32(w, string_bytes);
	put32(w, line);
	put32(w, ctaid_x());
	put32(w, ctaid_y());
	put32(w, ctaid_z());
	put32(w, tid_x());
	put32(w, tid_y());
	put32(w, tid_z());
	put32(w, 0);
}

DEV void publish(u64 entry, u64 start, u32 bytes)
{
	struct ppu_print_state *s = __ppu_print;
	struct ppu_print_entry *e = (struct ppu_print_entry *)s->entries + (entry & (s->num_entries - 1));

	e->start = start;
	e->bytes = bytes;
	fence();
	*(volatile u32 *)&e->ready = (u32)entry + 1;
}

/* Where the value of a conversion is among the arguments; *at moves behind it. */
DEV u32 argument(const struct ppu_conversion *c, u32 *at)
{
	u32 value;

	*at += 4 * c->stars;
	if (c->bytes == 8)
		*at = up8(*at);
	value = *at;
	*at += c->bytes;
	return value;
}

LIBRARY int vprintf(const char *format, const char *args)
{
	struct ppu_conversion c;
	u32 format_bytes, arg_bytes = 0, string_bytes = 0, total, value, i;
	struct writer w;
	u64 entry, start;
	const char *p;
	int count = 0;

	if (!format)
		return -1;
	format_bytes = length(format);
	for (p = format; ppu_next_conversion(p, &c); p = c.end) {
		value = argument(&c, &arg_bytes);
		count += c.stars + (c.letter != 0);
		if (c.letter == 's')
			string_bytes += length(*(const char *const *)(args + value));
	}
	total = sizeof(struct ppu_print_record) + up8(format_bytes) + up8(arg_bytes) + up8(string_bytes);
	if (!reserve(&w, total, &entry))
		return -2;
	start = w.at;
	header(&w, PPU_PRINT_TEXT, format_bytes, arg_bytes, string_bytes, 0);
	put_string(&w, format, format_bytes);
	w.at = start + sizeof(struct ppu_print_record) + up8(format_bytes);
	for (i = 0; i < arg_bytes; i += 4)
		put32(&w, *(const u32 *)(args + i));
	w.at = start + sizeof(struct ppu_print_record) + up8(format_bytes) + up8(arg_bytes);
	arg_bytes = 0;
	for (p = format; string_bytes && ppu_next_conversion(p, &c); p = c.end) {
		value = argument(&c, &arg_bytes);
		if (c.letter == 's') {
			const char *s = *(const char *const *)(args + value);

			put_string(&w, s, length(s));
		}
	}
	publish(entry, start, total);
	return count;
}

LIBRARY void __assertfail(const char *message, const char *file, u32 line, const char *function, u64 char_bytes)
{
	u32 m = length(message), f = length(file), g = length(function), total;
	struct writer w;
	u64 entry, start;

	total = sizeof(struct ppu_print_record) + 8 + up8(m + f + g);
	if (reserve(&w, total, &entry)) {
		start = w.at;
		header(&w, PPU_PRINT_ASSERT, 1, 0, m + f + g, line);
		put(&w, 0);
		w.at = start + sizeof(struct ppu_print_record) + 8;
		put_string(&w, message, m);
		put_string(&w, file, f);
		put_string(&w, function, g);
		publish(entry, start, total);
		fence();
	}
	__builtin_trap();	/* the runtime recognises this TRAP by the function that contains it */
}
