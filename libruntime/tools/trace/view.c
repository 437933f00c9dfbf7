/* SPDX-License-Identifier: MIT */
/* Which lanes the user wants to see, and the names of lanes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

const char *const lane_kind_names[LANE_KINDS] = {
	[LANE_CHANNEL] = "channel", [LANE_FRONT] = "front", [LANE_ENGINE] = "engine", [LANE_SLOT] = "task", [LANE_SM] = "sm",
	[LANE_SEM] = "sem",
};

/* "sm", "sms", "sm:3", "sms:0-7"; the kind at *text, which moves behind it.  -1: none. */
static int kind_of(const char **text)
{
	for (int k = 0; k < LANE_KINDS; k++) {
		size_t n = strlen(lane_kind_names[k]);

		if (strncmp(*text, lane_kind_names[k], n))
			continue;
		if ((*text)[n] == 's')
			n++;
		if ((*text)[n] && (*text)[n] != ':' && (*text)[n] != ',')
			continue;
		*text += n;
		return k;
	}
	return -1;
}

static bool id_of(const char **text, uint64_t *id)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*id = strtoull(*text, &end, 0);
	*text = end;
	return !errno;
}

static bool refuse(const char *what, const char *all)
{
	fprintf(stderr, "ppu-trace: --lanes %s: \"%s\" is none of channel, front, engine, task, sm, sem, each perhaps "
		"with :NUMBER or :FIRST-LAST\n", all, what);
	return false;
}

bool choice_parse(struct choice *c, const char *text)
{
	const char *all = text;
	size_t cap = 0;

	memset(c, 0, sizeof(*c));
	for (;;) {
		const char *item = text;
		struct range r;
		int kind = kind_of(&text);

		if (kind < 0)
			return refuse(item, all);
		if (*text != ':') {
			c->kind[kind] = true;
		} else {
			text++;
			r.kind = (enum lane_kind)kind;
			if (!id_of(&text, &r.lo))
				return refuse(item, all);
			r.hi = r.lo;
			if (*text == '-') {
				text++;
				if (!id_of(&text, &r.hi))
					return refuse(item, all);
			}
			c->range = grow(c->range, &cap, c->num_ranges + 1, sizeof(*c->range));
			c->range[c->num_ranges++] = r;
		}
		if (!*text)
			return true;
		if (*text++ != ',')
			return refuse(item, all);
	}
}

static bool between(const struct range *r, uint64_t id)
{
	return id >= r->lo && id <= r->hi;
}

bool choice_has(const struct choice *c, enum lane_kind kind, uint64_t id)
{
	if (c->kind[kind])
		return true;
	for (size_t i = 0; i < c->num_ranges; i++)
		if (c->range[i].kind == kind &&
		    (between(&c->range[i], id) || (kind == LANE_SEM && between(&c->range[i], SEM_ADDR(id)))))
			return true;
	return false;
}

bool choice_is_exact(const struct choice *c, enum lane_kind kind)
{
	return !c->kind[kind];
}

bool label_parse(struct label *l, const char *text)
{
	const char *at = text;
	int kind = kind_of(&at);

	if (kind >= 0 && *at == ':') {
		at++;
		l->kind = (enum lane_kind)kind;
		if (id_of(&at, &l->id) && *at == '=' && at[1]) {
			l->text = at + 1;
			return true;
		}
	}
	fprintf(stderr, "ppu-trace: --label %s: not of the form LANE:NUMBER=TEXT, such as channel:1=low\n", text);
	return false;
}

const char *view_label(const struct view *v, const struct lane *l)
{
	for (size_t i = 0; i < v->num_labels; i++)
		if (v->label[i].kind == l->kind &&
		    (v->label[i].id == l->id || (l->kind == LANE_SEM && v->label[i].id == SEM_ADDR(l->id))))
			return v->label[i].text;
	return NULL;
}
