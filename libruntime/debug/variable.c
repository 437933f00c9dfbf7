/* SPDX-License-Identifier: MIT */
/* Variables of the source: the C expressions that name them or parts of them, and their values. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_mmu.h>

#include "debug/scope.h"

#define MOST_MEMBERS	20000u
#define INDEX_DEPTH	8u		/* few indices in indices: what is behind "(" may be read twice, each time */

struct parse {
	const struct dbg_warp *w;
	uint32_t lane;
	const char *p, *err;
	unsigned deep, depth;		/* in itself; the expression around it */
};

static void blanks(struct parse *p)
{
	while (isspace((unsigned char)*p->p))
		p->p++;
}

static bool wrong(struct parse *p, const char *why)
{
	if (!p->err)
		p->err = why;
	return true;
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

struct wanted {
	const char *name;
	size_t n;
	struct dbg_object *o;
};

static bool is_wanted(const struct scope *s, const struct dw_die *var, void *arg)
{
	struct wanted *want = arg;

	if (strlen(var->name) != want->n || memcmp(var->name, want->name, want->n) != 0)
		return false;
	scope_locate(s, var, want->o);
	return true;
}

/* What the device has by name is not a variable of the debug sections, where clang lists it. */
static bool is_builtin(const char *name, size_t n)
{
	static const char *const names[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

static bool take_name(struct parse *p, struct dbg_object *o)
{
	const char *name = p->p, *last;
	struct wanted want = { .o = o };
	struct scope s;
	size_t n = 0;

	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)name[n]) || name[n] == '_' || name[n] == ':')
		n++;
	if (is_builtin(name, n) || name[n] == '(' || !scope_begin(p->w, p->lane, &s))
		return false;
	last = memrchr(name, ':', n);
	want.name = last ? last + 1 : name;
	want.n = n - (size_t)(want.name - name);
	if ((last || !scope_walk(&s, is_wanted, &want)) && !scope_outside(&s, is_wanted, &want))
		return false;
	p->p += n;
	return true;
}

/* ---- parts ---------------------------------------------------------------------------------------------------- */

static bool is_reference(uint32_t tag)
{
	return tag == DW_REFERENCE || tag == DW_RVALUE;
}

static uint64_t read_number(struct parse *p, const struct dbg_object *o, unsigned bytes)
{
	uint8_t b[8] = { 0 };

	if (o->constant)
		return (uint64_t)o->number;
	if (dbg_read(&o->at, p->w, p->lane, b, bytes) < bytes)
		wrong(p, "no memory that can be read is at that address");
	return dw_word(b, bytes);
}

/* What a pointer or a reference points to. */
static void follow(struct parse *p, struct dbg_object *o)
{
	struct dw_die t;

	if (o->missing) {
		wrong(p, o->missing);
		return;
	}
	if (!dw_plain(o->d, o->type, &t) || (t.tag != DW_POINTER && !is_reference(t.tag))) {
		wrong(p, "this is no pointer");
		return;
	}
	o->at = dbg_address_of(read_number(p, o, 8));
	o->type = t.type;
	o->constant = false;
}

static void plain_object(struct parse *p, struct dbg_object *o)
{
	struct dw_die t;

	if (!p->err && dw_plain(o->d, o->type, &t) && is_reference(t.tag))
		follow(p, o);
}

/* The type of an array's elements is the rest of its dimensions, which has no entry: the product is taken at once. */
static void index_object(struct parse *p, struct dbg_object *o)
{
	struct dbg_value v;
	uint64_t size, stride = 1, count;
	struct dw_die t;
	unsigned k = 0;

	plain_object(p, o);
	if (p->err || !dw_plain(o->d, o->type, &t) || (t.tag != DW_ARRAY && t.tag != DW_POINTER)) {
		wrong(p, o->missing ? o->missing : "this is no array");
		return;
	}
	if (t.tag == DW_POINTER)
		follow(p, o);
	size = dw_size(o->d, t.type);
	do {
		uint64_t at = 0;

		p->p++;
		p->err = p->err ? p->err : dbg_eval_inner(p->p, p->w, p->lane, p->depth + INDEX_DEPTH, &v, &p->p);
		if (p->err)
			return;
		if (*p->p != ']') {
			wrong(p, "] is missing");
			return;
		}
		p->p++;
		at = (uint64_t)v.i;
		if (t.tag == DW_ARRAY && dw_dimension(o->d, &t, k, &count) && count && at >= count && k)
			wrong(p, "there is no such element");
		for (unsigned more = k + 1; t.tag == DW_ARRAY && dw_dimension(o->d, &t, more, &count); more++)
			at *= count;
		o->at.addr += at * size * stride;
		k++;
		blanks(p);
	} while (*p->p == '[' && t.tag == DW_ARRAY && dw_dimension(o->d, &t, k, &count));
	if (t.tag == DW_ARRAY && dw_dimension(o->d, &t, k, &count))
		wrong(p, "say all of its indices");
	o->type = t.type;
}

/* left: members to look at, since types may be parts of themselves in a damaged file. */
static bool find_member(const struct ppu_debug *d, const struct dw_die *of, const char *name, size_t n, unsigned deep,
			unsigned *left, struct dw_die *found, uint64_t *offset)
{
	struct dw_die m, base;

	for (bool is = deep < 16 && dw_child(d, of, &m); is && *left; is = dw_brother(d, &m)) {
		--*left;
		if (m.tag == DW_MEMBER && m.name && strlen(m.name) == n && !memcmp(m.name, name, n)) {
			*found = m;
			*offset += m.member;
			return true;
		}
		/* Those of a base class, or of a member without a name. */
		if ((m.tag == DW_INHERITANCE || (m.tag == DW_MEMBER && !m.name)) && dw_plain(d, m.type, &base) &&
		    find_member(d, &base, name, n, deep + 1, left, found, offset)) {
			*offset += m.member;
			return true;
		}
	}
	return false;
}

static bool is_record(uint32_t tag)
{
	return tag == DW_STRUCT || tag == DW_CLASS || tag == DW_UNION;
}

/* Damaged sections may say anything: a field of more than 64 bits, or outside of its storage, has no place. */
static void place_bits(struct dbg_object *o, const struct dw_die *m)
{
	uint64_t storage = 8 * (m->size ? m->size : dw_size(o->d, m->type)), first = m->bit_offset;

	if (m->bit_size > 64 || first > 1u << 30 || (!m->from_start && (storage > 128 || first + m->bit_size > storage))) {
		o->missing = "its place cannot be told";
		return;
	}
	if (!m->from_start)
		first = storage - first - m->bit_size;
	o->at.addr += first / 8;
	o->first_bit = first % 8;
	o->bits = (unsigned)m->bit_size;
}

void dbg_object_member(struct dbg_object *o, const struct dw_die *m, uint64_t more)
{
	o->type = m->type;
	o->at.addr += more + m->member;
	o->bits = o->first_bit = 0;
	if (m->bit_size)
		place_bits(o, m);
}

static uint64_t read_bits(struct parse *p, const struct dbg_object *o)
{
	uint64_t n = (o->first_bit + o->bits + 7) / 8, x;
	uint8_t b[9] = { 0 };

	if (dbg_read(&o->at, p->w, p->lane, b, n) < n)
		wrong(p, "no memory that can be read is at that address");
	x = dw_word(b, 8) >> o->first_bit;
	if (o->first_bit)
		x |= (uint64_t)b[8] << (64 - o->first_bit);
	return o->bits < 64 ? x & ((1ull << o->bits) - 1) : x;
}

static void take_member(struct parse *p, struct dbg_object *o)
{
	struct dw_die t, m;
	unsigned left = MOST_MEMBERS;
	uint64_t offset = 0;
	size_t n = 0;

	blanks(p);
	while (isalnum((unsigned char)p->p[n]) || p->p[n] == '_')
		n++;
	plain_object(p, o);
	if (p->err)
		return;
	if (!dw_plain(o->d, o->type, &t) || !is_record(t.tag)) {
		wrong(p, "this is no structure");
	} else if (!find_member(o->d, &t, p->p, n, 0, &left, &m, &offset)) {
		wrong(p, "the structure has no such member");
	} else {
		dbg_object_member(o, &m, offset - m.member);
	}
	p->p += n;
}

static void take_parts(struct parse *p, struct dbg_object *o)
{
	while (!p->err) {
		blanks(p);
		if (*p->p == '[') {
			index_object(p, o);
		} else if (p->p[0] == '-' && p->p[1] == '>') {
			p->p += 2;
			follow(p, o);
			take_member(p, o);
		} else if (*p->p == '.') {
			p->p++;
			take_member(p, o);
		} else {
			break;
		}
		if (o->missing)
			wrong(p, o->missing);
	}
}

static bool take_object(struct parse *p, struct dbg_object *o)
{
	if (++p->deep > 32)
		return false;
	blanks(p);
	if (*p->p == '*') {
		p->p++;
		if (!take_object(p, o))
			return false;
		plain_object(p, o);
		if (!p->err)
			follow(p, o);
		return true;
	}
	if (*p->p == '(') {
		p->p++;
		if (!take_object(p, o))
			return false;
		blanks(p);
		if (*p->p != ')')
			return false;
		p->p++;
	} else if (!take_name(p, o)) {
		return false;
	}
	take_parts(p, o);
	return true;
}

bool dbg_object_of(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_object *o,
		   const char **rest, const char **err)
{
	struct parse p = { .w = w, .lane = lane, .p = text, .depth = depth };

	*err = NULL;
	if (!take_object(&p, o))
		return false;
	blanks(&p);
	*err = p.err;
	*rest = p.p;
	return true;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

const char *dbg_object_value(const struct dbg_object *o, const struct dbg_warp *w, uint32_t lane, struct dbg_value *v)
{
	struct parse p = { .w = w, .lane = lane };
	struct dbg_object at = *o;
	struct dw_die t;
	uint64_t x, bytes;
	unsigned width;
	float f;

	if (o->missing)
		return o->missing;
	plain_object(&p, &at);
	bytes = dw_size(at.d, at.type);
	if (p.err || !dw_plain(at.d, at.type, &t))
		return p.err ? p.err : "its type is not known";
	/* The address of an array is its value, as in C. */
	if (t.tag == DW_ARRAY || is_record(t.tag) || !bytes || bytes > 8)
		return "this is no number: \"print\" shows it alone";
	x = at.bits ? read_bits(&p, &at) : read_number(&p, &at, (unsigned)bytes);
	width = at.bits ? at.bits : 8 * (unsigned)bytes;
	v->real = t.tag == DW_BASE && t.encoding == DW_FLOAT;
	v->i = (int64_t)x;
	if ((t.tag == DW_ENUM && !at.bits) || (t.tag == DW_BASE && (t.encoding == DW_SIGNED || t.encoding == DW_SIGNED_CHAR)))
		v->i = (int64_t)(x << (64 - width)) >> (64 - width);
	v->f = (double)v->i;
	if (v->real && bytes == 4) {
		memcpy(&f, &x, sizeof(f));
		v->f = (double)f;
	} else if (v->real) {
		memcpy(&v->f, &x, sizeof(x));
	}
	if (v->real)
		v->i = v->f > -9e18 && v->f < 9e18 ? (int64_t)v->f : 0;
	return p.err;
}
