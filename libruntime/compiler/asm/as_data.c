/* SPDX-License-Identifier: MIT */
/* .global, .const, .shared: variables and their values. */
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_data.h"
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_operand.h"
#include "compiler/asm/as_text.h"

/* The list of values after a variable's '='. */
struct items {
	uint64_t at, room, pos;	/* offset in the data; bytes there, bytes filled so far */
	unsigned bytes;		/* of one value */
	enum { I_INT, I_FLOAT, I_ADDR, I_CODE, I_ZERO, I_ASCII } kind;
};

static int ascii(struct as *a, struct items *it, const char *from)
{
	size_t len;
	char *s;

	as_skip(a);
	if (as_peek(a) != '"') {
		AS_ERROR(a, a->p, "a string is expected");
		return 0;
	}
	s = as_string(a, &len);
	if (!s)
		return 0;
	if (len > it->room - it->pos) {
		AS_ERROR(a, from, "more values than the variable has room for");
		free(s);
		return 0;
	}
	memcpy(a->img->data + it->at + it->pos, s, len);
	it->pos += len;
	free(s);
	return 1;
}

/* Reads .word and the like: the kind and the size of the values that follow. */
static int item_kind(struct as *a, struct items *it)
{
	static const struct {
		const char *name;
		unsigned bytes, kind;
	} kinds[] = {
		{ "byte", 1, I_INT }, { "half", 2, I_INT }, { "word", 4, I_INT }, { "quad", 8, I_INT },
		{ "float", 4, I_FLOAT }, { "double", 8, I_FLOAT }, { "addr", 8, I_ADDR }, { "code", 8, I_CODE },
		{ "zero", 0, I_ZERO }, { "ascii", 0, I_ASCII },
	};
	const char *from = a->p;
	struct as_span d;
	uint64_t v;
	unsigned i;

	a->p++;
	d = as_ident(a);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !as_is(d, kinds[i].name); i++)
		;
	if (i == sizeof(kinds) / sizeof(kinds[0])) {
		AS_ERROR(a, from, "no such kind of data");
		return 0;
	}
	if (kinds[i].bytes) {
		it->bytes = kinds[i].bytes;
		it->kind = kinds[i].kind;
		return 1;
	}
	it->kind = I_INT;
	if (kinds[i].kind == I_ASCII)
		return ascii(a, it, from);
	if (!as_natural(a, it->room - it->pos, &v))
		return 0;
	it->pos += v;
	return 1;
}

/* An address or a function's index: the value is filled in by a relocation. */
static int item_symbol(struct as *a, struct items *it)
{
	struct as_operand o;

	memset(&o, 0, sizeof(o));
	if (!as_symbol_ref(a, &o))
		return 0;
	as_add_fixup(a, it->kind == I_ADDR ? AS_FIX_DATA_ADDR : AS_FIX_DATA_CODE, 0, o.sym, o.quoted, o.addend, o.at);
	/* where the value goes: an offset in the data, which has at most PPU_IMAGE_DATA_MAX bytes */
	memset(a->img->data + it->at + it->pos, 0, 8);
	if (a->num_fixups)
		a->fixups[a->num_fixups - 1].pc = (uint32_t)(it->at + it->pos);
	it->pos += 8;
	return 1;
}

static int item_number(struct as *a, struct items *it)
{
	const char *from = a->p;
	struct as_operand o;
	uint64_t v;
	unsigned k;

	if (!as_number(a, &o))
		return 0;
	v = o.value;
	if (it->kind == I_FLOAT || o.kind == AS_O_FLOAT) {
		double f = o.kind == AS_O_FLOAT ? o.f : (double)(int64_t)o.value;
		float g = (float)f;
		uint32_t w;

		if (it->kind != I_FLOAT) {
			AS_ERROR(a, from, "an integer is expected");
			return 0;
		}
		/* a hexadecimal number gives the bits of the value */
		if (o.kind == AS_O_INT && a->p - from > 2 && (from[1] == 'x' || from[2] == 'x')) {
			v = o.value;
		} else if (it->bytes == 8) {
			memcpy(&v, &f, 8);
		} else {
			memcpy(&w, &g, 4);
			v = w;
		}
	} else if (it->bytes < 8 && (o.negative ? (int64_t)v < -(1ll << (8 * it->bytes - 1)) :
						  v >> 8 * it->bytes)) {
		AS_ERROR(a, from, "value does not fit in %u bytes", it->bytes);
		return 0;
	}
	for (k = 0; k < it->bytes; k++)
		a->img->data[it->at + it->pos + k] = (uint8_t)(v >> 8 * k);
	it->pos += it->bytes;
	return 1;
}

/* Reads the values of a variable into the data at offset `at`, at most `room` bytes. */
static int items(struct as *a, uint64_t at, uint64_t room)
{
	struct items it = { .at = at, .room = room, .bytes = 1, .kind = I_INT };

	while (!as_end_of_statement(a)) {
		if (as_accept(a, ','))
			continue;
		if (as_peek(a) == '.') {
			if (!item_kind(a, &it))
				return 0;
			continue;
		}
		if (it.room - it.pos < it.bytes) {
			AS_ERROR(a, a->p, "more values than the variable has room for");
			return 0;
		}
		if (!(it.kind == I_ADDR || it.kind == I_CODE ? item_symbol : item_number)(a, &it))
			return 0;
	}
	return 1;
}

static int grow_data(struct as *a, uint64_t bytes)
{
	if (bytes > a->cap_data) {
		uint64_t cap = bytes * 2 < 4096 ? 4096 : bytes > PPU_IMAGE_DATA_MAX / 2 ? bytes : bytes * 2;
		uint8_t *v = calloc(cap, 1);

		if (!v) {
			a->oom = 1;
			return 0;
		}
		if (a->img->data_bytes)
			memcpy(v, a->img->data, a->img->data_bytes);
		free(a->img->data);
		a->img->data = v;
		a->cap_data = cap;
	}
	if (bytes > a->img->data_bytes)
		a->img->data_bytes = bytes;
	return 1;
}

void as_variable(struct as *a, unsigned kind)
{
	int shared = kind == PPU_SYM_SHARED;
	uint64_t size, align = 1, off, top = shared ? PPU_IMAGE_SHARED_MAX : PPU_IMAGE_DATA_MAX;
	struct ppu_symbol *s;
	const char *at;
	int64_t i;
	char *n;

	as_skip(a);
	at = a->p;
	n = as_name(a);
	if (!n || (i = as_new_symbol(a, n, at, kind)) < 0)
		goto bad;
	if (!as_natural(a, top, &size))
		goto bad;
	as_skip(a);
	if (as_is_digit(as_peek(a)) && !as_natural(a, PPU_IMAGE_ALIGN_MAX, &align))
		goto bad;
	if (!align || align & (align - 1)) {
		AS_ERROR(a, at, "alignment is not a power of two");
		goto bad;
	}
	s = &a->img->symbols[i];
	off = shared ? a->img->shared_module_bytes : a->img->data_bytes;
	off = (off + align - 1) & ~(align - 1);
	while (!as_end_of_statement(a) && as_peek(a) != '=') {
		const char *w = a->p;
		struct as_span k = as_ident(a);

		if (as_is(k, "static")) {
			s->flags &= ~PPU_SYMF_GLOBAL;
		} else if (as_is(k, "weak")) {
			s->flags |= PPU_SYMF_WEAK;
		} else if (as_is(k, "movable") && shared) {
			s->flags |= PPU_SYMF_MOVABLE;
		} else if (as_is(k, "managed")) {
			s->flags |= PPU_SYMF_MANAGED;
		} else if (as_is(k, "at") && as_accept(a, '=')) {
			if (!as_natural(a, top, &off))
				goto bad;
		} else {
			AS_ERROR(a, w, "static, weak, managed, movable (.shared), at= or '=' is expected");
			goto bad;
		}
	}
	if (off > top || size > top - off) {
		AS_ERROR(a, at, "too much memory");
		goto bad;
	}
	s->value = off;
	s->size = size;
	s->align = (uint32_t)align;
	if (shared) {
		if (!(s->flags & PPU_SYMF_MOVABLE) && off + size > a->img->shared_module_bytes)
			a->img->shared_module_bytes = (uint32_t)(off + size);
		if (!as_end_of_statement(a)) {
			AS_ERROR(a, a->p, "shared variables have no initial value");
			goto bad;
		}
		return;
	}
	if (!grow_data(a, off + size))
		return;
	if (align > a->img->data_align)
		a->img->data_align = align;
	if (as_accept(a, '=') && !items(a, off, size))
		goto bad;
	return;
bad:
	as_skip_statement(a);
}
