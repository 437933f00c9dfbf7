/* SPDX-License-Identifier: MIT */
/* Values of the source's variables as text, and the command that shows all of a function. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_mmu.h>

#include "debug/scope.h"

#define MOST_ELEMENTS	64u
#define MOST_DEEP	6u

struct writer {
	const struct dbg_warp *w;
	uint32_t lane;
	char how, *buf;
	size_t len, n;
};

__attribute__((format(printf, 2, 3)))
static void put(struct writer *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->n, t->len - t->n, fmt, ap);
	va_end(ap);
	t->n = n < 0 || (size_t)n >= t->len - t->n ? t->len - 1 : t->n + (size_t)n;
}

static bool is_full(const struct writer *t)
{
	return t->n + 1 >= t->len;
}

static void put_enum(struct writer *t, const struct dbg_object *o, const struct dw_die *type, int64_t value)
{
	struct dw_die e;

	for (bool is = dw_child(o->d, type, &e); is; is = dw_brother(o->d, &e))
		if (e.tag == DW_ENUMERATOR && e.value == value && e.name) {
			put(t, "%s", e.name);
			return;
		}
	put(t, "%" PRId64, value);
}

static void put_base(struct writer *t, const struct dbg_object *o, const struct dw_die *type)
{
	struct dbg_value v;
	const char *err = dbg_object_value(o, t->w, t->lane, &v);
	uint64_t bits = o->bits ? o->bits : 8 * type->size, mask = bits && bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;

	if (err)
		put(t, "<%s>", err);
	else if (t->how == 'x')
		put(t, "0x%" PRIx64, (uint64_t)v.i & mask);
	else if (t->how == 'u')
		put(t, "%" PRIu64, (uint64_t)v.i & mask);
	else if (t->how == 'f' || (v.real && t->how != 'd'))
		put(t, "%.9g", v.f);
	else if (type->tag == DW_ENUM && !t->how)
		put_enum(t, o, type, v.i);
	else if (type->encoding == DW_BOOL && !t->how && (uint64_t)v.i < 2)
		put(t, "%s", v.i ? "true" : "false");
	else if ((type->encoding == DW_SIGNED_CHAR || type->encoding == DW_UNSIGNED_CHAR) && !t->how && v.i >= 32 && v.i < 127)
		put(t, "%" PRId64 " '%c'", v.i, (char)v.i);
	else if (type->encoding == DW_UNSIGNED)
		put(t, "%" PRIu64, (uint64_t)v.i);
	else
		put(t, "%" PRId64, v.i);
}

static void put_object(struct writer *t, const struct dbg_object *o, unsigned deep);

/* One dimension of an array, from its element first on, with all those inside of it. */
static void put_dimension(struct writer *t, const struct dbg_object *o, const struct dw_die *array, unsigned which, uint64_t first,
			  unsigned deep)
{
	struct dbg_object one = *o;
	uint64_t count = 0, inner, size = dw_size(o->d, array->type);
	bool more = dw_dimension(o->d, array, which + 1, &inner);

	dw_dimension(o->d, array, which, &count);
	put(t, "{");
	for (uint64_t i = 0; i < count && !is_full(t); i++) {
		if (i == MOST_ELEMENTS) {
			put(t, ", ...");
			break;
		}
		put(t, "%s", i ? ", " : "");
		one.type = array->type;
		one.at.addr = o->at.addr + (first * count + i) * size;
		if (more && which < MOST_DEEP)
			put_dimension(t, o, array, which + 1, first * count + i, deep);
		else
			put_object(t, &one, deep + 1);
	}
	put(t, "}");
}

static void put_record(struct writer *t, const struct dbg_object *o, const struct dw_die *type, unsigned deep)
{
	struct dbg_object one;
	const char *between = "";
	struct dw_die m;

	put(t, "{");
	for (bool is = dw_child(o->d, type, &m); is && !is_full(t); is = dw_brother(o->d, &m)) {
		if ((m.tag != DW_MEMBER && m.tag != DW_INHERITANCE) || m.declaration)
			continue;
		one = *o;
		dbg_object_member(&one, &m, 0);
		put(t, "%s%s%s", between, m.name ? m.name : "", m.name ? " = " : "");
		between = ", ";
		put_object(t, &one, deep + 1);
	}
	put(t, "}");
}

static void put_object(struct writer *t, const struct dbg_object *o, unsigned deep)
{
	struct dw_die type;

	if (is_full(t))
		return;
	if (o->missing || !dw_plain(o->d, o->type, &type))
		put(t, "<%s>", o->missing ? o->missing : "its type is not known");
	else if (deep > MOST_DEEP)
		put(t, "...");
	else if (type.tag == DW_ARRAY)
		put_dimension(t, o, &type, 0, 0, deep);
	else if (type.tag == DW_STRUCT || type.tag == DW_CLASS || type.tag == DW_UNION)
		put_record(t, o, &type, deep);
	else if (type.tag == DW_POINTER && !t->how) {
		struct writer hex = *t;

		hex.how = 'x';
		put_base(&hex, o, &type);
		t->n = hex.n;
	} else {
		put_base(t, o, &type);
	}
}

const char *dbg_object_text(const struct dbg_object *o, const struct dbg_warp *w, uint32_t lane, char how, char *buf, size_t len)
{
	struct writer t = { .w = w, .lane = lane, .how = how, .buf = buf, .len = len };

	*buf = 0;
	put_object(&t, o, 0);
	return buf;
}

/* ---- all of a function ------------------------------------------------------------------------------------------- */

struct each {
	bool parameters;
	void (*fn)(const char *name, bool parameter, const struct dbg_object *o, void *arg);
	void *arg;
};

static bool one_of_them(const struct scope *s, const struct dw_die *var, void *arg)
{
	struct each *e = arg;
	struct dbg_object o;

	if ((var->tag == DW_FORMAL) == e->parameters) {
		scope_locate(s, var, &o);
		e->fn(var->name, e->parameters, &o, e->arg);
	}
	return false;
}

void dbg_each_variable(const struct dbg_warp *w, uint32_t lane,
		       void (*fn)(const char *name, bool parameter, const struct dbg_object *o, void *arg), void *arg)
{
	struct each e = { true, fn, arg };
	struct scope s;

	if (!scope_begin(w, lane, &s))
		return;
	scope_walk(&s, one_of_them, &e);
	e.parameters = false;
	scope_walk(&s, one_of_them, &e);
}

struct shown {
	const struct dbg_warp *w;
	unsigned n;
};

static void show(const char *name, bool parameter, const struct dbg_object *o, void *arg)
{
	struct shown *s = arg;
	char value[2048], type[160];

	s->n++;
	dbg_say("%s = %s  (%s)", name, dbg_object_text(o, s->w, dbg.focus.lane, 0, value, sizeof(value)),
		dw_type_text(o->d, o->type, type, sizeof(type)));
}

void dbg_cmd_locals(const char *args)
{
	struct shown s = { NULL, 0 };
	struct dbg_warp f;

	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus.");
		return;
	}
	s.w = &f;
	dbg_each_variable(&f, dbg.focus.lane, show, &s);
	if (!s.n)
		dbg_say(f.code.img && f.code.img->debug ? "No variables are known here." :
			"The module has no debug sections: build it with -G.");
}
