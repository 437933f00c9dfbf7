/* SPDX-License-Identifier: MIT */
/* Entries of debug sections.  Names of forms and attributes are DWARF's. */
#include <stdio.h>
#include <string.h>

#include "debug/dwarf.h"

#define HEADER_BYTES	11u		/* of a unit: length 4, version 2, abbreviations 4, bytes of an address 1 */
#define MOST_DEEP	32u		/* types of types */

enum at {
	AT_LOCATION = 0x02, AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_BIT_OFFSET = 0x0c, AT_BIT_SIZE = 0x0d, AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12, AT_CONST_VALUE = 0x1c, AT_UPPER_BOUND = 0x2f, AT_ABSTRACT_ORIGIN = 0x31, AT_COUNT = 0x37,
	AT_MEMBER_LOCATION = 0x38, AT_DECLARATION = 0x3c, AT_ENCODING = 0x3e, AT_SPECIFICATION = 0x47, AT_TYPE = 0x49,
	AT_DATA_BIT_OFFSET = 0x6b,
};

enum form {
	FORM_ADDR = 0x01, FORM_BLOCK2 = 0x03, FORM_BLOCK4 = 0x04, FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07,
	FORM_STRING = 0x08, FORM_BLOCK = 0x09, FORM_BLOCK1 = 0x0a, FORM_DATA1 = 0x0b, FORM_FLAG = 0x0c, FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_REF_ADDR = 0x10, FORM_REF1 = 0x11, FORM_REF2 = 0x12, FORM_REF4 = 0x13,
	FORM_REF8 = 0x14, FORM_REF_UDATA = 0x15, FORM_SEC_OFFSET = 0x17, FORM_EXPRLOC = 0x18, FORM_FLAG_PRESENT = 0x19,
};

/* ---- bytes ---------------------------------------------------------------------------------------------------- */

uint64_t dw_word(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* A number in 7-bit pieces; *p becomes NULL if it does not end before end. */
uint64_t dw_uleb(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	*p = NULL;
	return 0;
}

static int64_t sleb(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (*p && *p < end) {
		uint8_t byte = *(*p)++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			v |= ~(uint64_t)0 << shift;
		return (int64_t)v;
	}
	*p = NULL;
	return 0;
}

/* ---- units ---------------------------------------------------------------------------------------------------- */

struct unit {
	uint32_t start, end;		/* in the section */
	uint32_t abbrev;
};

static bool unit_at(const struct ppu_debug *d, uint32_t start, struct unit *u)
{
	const uint8_t *p = d->section[PPU_DEBUG_INFO] + start;
	uint32_t n = d->bytes[PPU_DEBUG_INFO];
	uint64_t len;

	if (start > n || n - start < HEADER_BYTES)
		return false;
	len = dw_word(p, 4);
	if (len < HEADER_BYTES - 4 || len > n - start - 4 || dw_word(p + 4, 2) < 2 || dw_word(p + 4, 2) > 4 || p[10] != 8)
		return false;
	*u = (struct unit){ start, start + 4 + (uint32_t)len, (uint32_t)dw_word(p + 6, 4) };
	return u->abbrev <= d->bytes[PPU_DEBUG_ABBREV];
}

/* The unit of an entry. */
static bool unit_of(const struct ppu_debug *d, uint32_t at, struct unit *u)
{
	for (uint32_t start = 0; unit_at(d, start, u); start = u->end)
		if (at < u->end)
			return at >= u->start + HEADER_BYTES;
	return false;
}

bool dw_unit(const struct ppu_debug *d, uint32_t *unit, struct dw_die *die)
{
	struct unit u;

	if (!unit_at(d, *unit, &u))
		return false;
	*unit = u.end;
	return dw_read(d, u.start + HEADER_BYTES, die);
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

/* Where the attributes of an abbreviation are listed, or NULL. */
static const uint8_t *abbreviation(const struct ppu_debug *d, const struct unit *u, uint64_t code, uint32_t *tag, bool *children)
{
	const uint8_t *p = d->section[PPU_DEBUG_ABBREV] + u->abbrev;
	const uint8_t *end = d->section[PPU_DEBUG_ABBREV] + d->bytes[PPU_DEBUG_ABBREV];
	uint64_t this, name, form;

	for (;;) {
		this = dw_uleb(&p, end);
		if (!p || !this)
			return NULL;
		*tag = (uint32_t)dw_uleb(&p, end);
		if (!p || p >= end)
			return NULL;
		*children = *p++ != 0;
		if (this == code)
			return p;
		do {
			name = dw_uleb(&p, end);
			form = dw_uleb(&p, end);
			if (!p)
				return NULL;
		} while (name || form);
	}
}

struct value {
	uint64_t n;
	const char *text;
	struct dw_block block;
	bool reference, offset;
};

static const char *text_at(const uint8_t *p, const uint8_t *end)
{
	return p < end && memchr(p, 0, (size_t)(end - p)) ? (const char *)p : NULL;
}

static const uint8_t *take_block(const uint8_t *p, const uint8_t *end, uint64_t n, struct value *v)
{
	if (!p || n > (uint64_t)(end - p))
		return NULL;
	v->block = (struct dw_block){ p, (uint32_t)n };
	return p + n;
}

static unsigned fixed_bytes(uint64_t form)
{
	switch (form) {
	case FORM_DATA1: case FORM_FLAG: case FORM_REF1: case FORM_BLOCK1:
		return 1;
	case FORM_DATA2: case FORM_REF2: case FORM_BLOCK2:
		return 2;
	case FORM_DATA4: case FORM_REF4: case FORM_STRP: case FORM_SEC_OFFSET: case FORM_BLOCK4: case FORM_REF_ADDR:
		return 4;
	case FORM_DATA8: case FORM_REF8: case FORM_ADDR:
		return 8;
	default:
		return 0;
	}
}

/* One value of an entry; returns what follows, or NULL. */
static const uint8_t *take(const struct ppu_debug *d, const uint8_t *p, const uint8_t *end, uint64_t form, struct value *v)
{
	unsigned fixed = fixed_bytes(form);
	const uint8_t *str = d->section[PPU_DEBUG_STR];

	*v = (struct value){ .n = 0 };
	if (fixed) {
		if ((size_t)(end - p) < fixed)
			return NULL;
		v->n = dw_word(p, fixed);
		p += fixed;
	}
	switch (form) {
	case FORM_STRING:
		v->text = text_at(p, end);
		return v->text ? p + strlen(v->text) + 1 : NULL;
	case FORM_STRP:
		v->text = v->n < d->bytes[PPU_DEBUG_STR] ? text_at(str + v->n, str + d->bytes[PPU_DEBUG_STR]) : NULL;
		return p;
	case FORM_BLOCK1: case FORM_BLOCK2: case FORM_BLOCK4:
		return take_block(p, end, v->n, v);
	case FORM_BLOCK: case FORM_EXPRLOC:
		v->n = dw_uleb(&p, end);
		return take_block(p, end, v->n, v);
	case FORM_SDATA:
		v->n = (uint64_t)sleb(&p, end);
		return p;
	case FORM_UDATA:
		v->n = dw_uleb(&p, end);
		return p;
	case FORM_REF_UDATA:
		v->n = dw_uleb(&p, end);
		v->reference = true;
		return p;
	case FORM_REF1: case FORM_REF2: case FORM_REF4: case FORM_REF8:
		v->reference = true;
		return p;
	case FORM_DATA4: case FORM_DATA8: case FORM_SEC_OFFSET:
		v->offset = true;
		return p;
	case FORM_FLAG_PRESENT:
		v->n = 1;
		return p;
	default:
		return fixed ? p : NULL;
	}
}

/* The offset of a member: a number, or the expression "plus that number". */
static uint64_t member_offset(const struct value *v)
{
	const uint8_t *p = v->block.p ? v->block.p + 1 : NULL, *end = v->block.p ? v->block.p + v->block.n : NULL;

	return !v->block.p ? v->n : v->block.n > 1 ? dw_uleb(&p, end) : 0;
}

static void keep(struct dw_die *die, uint64_t name, const struct value *v, uint64_t form)
{
	switch (name) {
	case AT_NAME:		die->name = v->text; break;
	case AT_BYTE_SIZE:	die->size = v->n; break;
	case AT_BIT_SIZE:	die->bit_size = v->n; break;
	case AT_BIT_OFFSET:	die->bit_offset = v->n; break;
	case AT_DATA_BIT_OFFSET:
		die->bit_offset = v->n;
		die->from_start = true;
		break;
	case AT_ENCODING:	die->encoding = v->n; break;
	case AT_LOW_PC:		die->low = v->n; break;
	case AT_HIGH_PC:	die->high = form == FORM_ADDR ? v->n : die->low + v->n; break;
	case AT_TYPE:		die->type = (uint32_t)v->n; break;
	case AT_DECLARATION:	die->declaration = v->n; break;
	case AT_ABSTRACT_ORIGIN: case AT_SPECIFICATION:
		die->origin = (uint32_t)v->n;
		break;
	case AT_MEMBER_LOCATION:
		die->member = member_offset(v);
		break;
	case AT_UPPER_BOUND:
		die->count = v->n + 1;
		die->has_count = !v->block.p && !v->reference;
		break;
	case AT_COUNT:
		die->count = v->n;
		die->has_count = !v->block.p && !v->reference;
		break;
	case AT_CONST_VALUE:
		die->has_value = !v->block.p && !v->text;
		die->value = form == FORM_DATA1 ? (int8_t)v->n : form == FORM_DATA2 ? (int16_t)v->n : form == FORM_DATA4 ?
			     (int32_t)v->n : (int64_t)v->n;
		break;
	case AT_LOCATION:
		die->location = v->block;
		die->has_list = v->offset;
		die->list = v->n;
		break;
	}
}

bool dw_read(const struct ppu_debug *d, uint32_t at, struct dw_die *die)
{
	const uint8_t *info = d->section[PPU_DEBUG_INFO], *p = info + at, *end, *a;
	const uint8_t *abbrev_end = d->section[PPU_DEBUG_ABBREV] + d->bytes[PPU_DEBUG_ABBREV];
	uint64_t code, name, form;
	struct value v;
	struct unit u;

	if (!unit_of(d, at, &u))
		return false;
	*die = (struct dw_die){ .at = at };
	end = info + u.end;
	code = dw_uleb(&p, end);
	if (!p)
		return false;
	die->next = (uint32_t)(p - info);
	if (!code)
		return true;
	a = abbreviation(d, &u, code, &die->tag, &die->children);
	if (!a || !die->tag)
		return false;
	for (;;) {
		name = dw_uleb(&a, abbrev_end);
		form = dw_uleb(&a, abbrev_end);
		if (!a)
			return false;
		if (!name && !form)
			break;
		p = take(d, p, end, form, &v);
		if (!p)
			return false;
		if (v.reference)
			v.n += u.start;
		keep(die, name, &v, form);
	}
	die->next = (uint32_t)(p - info);
	return true;
}

/* ---- from one to others ------------------------------------------------------------------------------------------ */

/* DW_AT_sibling is not believed: one that leads to its own entry's child would have walks go over the same again and again. */
bool dw_skip(const struct ppu_debug *d, const struct dw_die *die, struct dw_die *next)
{
	unsigned depth = die->children;
	uint32_t at = die->next;

	while (depth) {			/* offsets grow, so this ends */
		if (!dw_read(d, at, next))
			return false;
		at = next->next;
		depth += next->tag ? next->children : -1u;
	}
	return dw_read(d, at, next);
}

bool dw_child(const struct ppu_debug *d, const struct dw_die *parent, struct dw_die *child)
{
	return parent->children && dw_read(d, parent->next, child) && child->tag;
}

bool dw_brother(const struct ppu_debug *d, struct dw_die *child)
{
	struct dw_die next;

	if (!dw_skip(d, child, &next) || !next.tag)
		return false;
	*child = next;
	return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_qualifier(uint32_t tag)
{
	return tag == DW_TYPEDEF || tag == DW_CONST || tag == DW_VOLATILE || tag == DW_RESTRICT;
}

bool dw_plain(const struct ppu_debug *d, uint32_t type, struct dw_die *die)
{
	for (unsigned i = 0; type && i < MOST_DEEP; i++) {
		if (!dw_read(d, type, die))
			return false;
		if (!is_qualifier(die->tag))
			return die->tag != 0;
		type = die->type;
	}
	return false;
}

bool dw_dimension(const struct ppu_debug *d, const struct dw_die *array, unsigned which, uint64_t *count)
{
	struct dw_die sub;

	for (bool is = which < MOST_DEEP && dw_child(d, array, &sub); is; is = dw_brother(d, &sub))
		if (sub.tag == DW_SUBRANGE && !which--) {
			*count = sub.has_count ? sub.count : 0;
			return true;
		}
	return false;
}

static uint64_t size_of(const struct ppu_debug *d, uint32_t type, unsigned deep)
{
	struct dw_die die;
	uint64_t n, count;

	if (deep > MOST_DEEP || !dw_plain(d, type, &die))
		return 0;
	if (die.tag == DW_POINTER || die.tag == DW_REFERENCE || die.tag == DW_RVALUE)
		return 8;
	if (die.tag != DW_ARRAY)
		return die.size;
	n = size_of(d, die.type, deep + 1);
	for (unsigned i = 0; dw_dimension(d, &die, i, &count); i++)
		n = count && n > (1ull << 40) / count ? 0 : n * count;
	return n;
}

uint64_t dw_size(const struct ppu_debug *d, uint32_t type)
{
	return size_of(d, type, 0);
}

const char *dw_type_text(const struct ppu_debug *d, uint32_t type, char *buf, size_t len)
{
	char tail[96] = "", part[96];
	struct dw_die die;
	uint64_t count;

	snprintf(buf, len, "void");
	for (unsigned i = 0; type && i < MOST_DEEP && dw_read(d, type, &die); i++) {
		if (die.name) {
			snprintf(buf, len, "%s%s", die.name, tail);
			return buf;
		}
		part[0] = 0;
		if (die.tag == DW_POINTER || die.tag == DW_REFERENCE || die.tag == DW_RVALUE)
			snprintf(part, sizeof(part), "%s%s", *tail == '*' || *tail == '&' ? "" : " ", die.tag == DW_POINTER ? "*" :
				 die.tag == DW_REFERENCE ? "&" : "&&");
		else if (die.tag == DW_CONST || die.tag == DW_VOLATILE)
			snprintf(part, sizeof(part), " %s", die.tag == DW_CONST ? "const" : "volatile");
		for (unsigned k = 0; die.tag == DW_ARRAY && dw_dimension(d, &die, k, &count); k++)
			snprintf(part + strlen(part), sizeof(part) - strlen(part), "%s[%llu]", k ? "" : " ", (unsigned long long)count);
		if (die.tag == DW_STRUCT || die.tag == DW_UNION || die.tag == DW_CLASS || die.tag == DW_ENUM) {
			snprintf(buf, len, "{...}%s", tail);
			return buf;
		}
		memmove(tail + strlen(part), tail, strlen(part) + strlen(tail) < sizeof(tail) ? strlen(tail) + 1 : 0);
		if (strlen(part) + strlen(tail) < sizeof(tail))
			memcpy(tail, part, strlen(part));
		type = die.type;
	}
	snprintf(buf, len, "void%s", tail);
	return buf;
}

/* ---- lists of locations --------------------------------------------------------------------------------------------- */

bool dw_listed(const struct ppu_debug *d, uint64_t list, uint64_t low, uint64_t mark, struct dw_block *location)
{
	uint64_t n = d->bytes[PPU_DEBUG_LOC], begin, end, len;
	const uint8_t *loc = d->section[PPU_DEBUG_LOC];

	while (list <= n && n - list >= 18) {
		begin = dw_word(loc + list, 8);
		end = dw_word(loc + list + 8, 8);
		if (!begin && !end)
			return false;
		if (begin == UINT64_MAX) {	/* from here on others begin at that */
			low = end;
			list += 16;
			continue;
		}
		if (!(begin >> PPU_DEBUG_KIND)) {
			begin += low;
			end += low;
		}
		len = dw_word(loc + list + 16, 2);
		if (len > n - list - 18)
			return false;
		if (begin <= mark && mark < end) {
			*location = (struct dw_block){ loc + list + 18, (uint32_t)len };
			return true;
		}
		list += 18 + len;
	}
	return false;
}
