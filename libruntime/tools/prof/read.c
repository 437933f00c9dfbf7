/* SPDX-License-Identifier: MIT */
/* Reads what the runtime has written (libruntime/prof/write.c): a kind and words "name=value", text at the end of a line. */
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

#define WORDS (PROF_SUMS + 64)
#define MOST_NUMBER (1u << 20)	/* of a module or kernel: what is beyond is damage */

const char *const sum_names[PROF_SUMS] = PROF_SUM_NAMES;
const char *const flop_names[FLOPS] = { "f16", "f32", "f64" };

struct record {
	const char *kind, *key[WORDS], *value[WORDS];
	unsigned n;
};

static bool is_text(const char *key)
{
	return !strcmp(key, "text") || !strcmp(key, "name") || !strcmp(key, "path");
}

static void split(char *line, struct record *r)
{
	char *at, *equals;

	line[strcspn(line, "\n")] = 0;
	r->kind = strsep(&line, " ");
	for (r->n = 0; line && r->n < WORDS; r->n++) {
		equals = strchr(line, '=');
		if (!equals)
			return;
		*equals = 0;
		r->key[r->n] = line;
		at = equals + 1;
		r->value[r->n] = at;
		if (is_text(r->key[r->n])) {
			r->n++;
			return;
		}
		line = at;
		strsep(&line, " ");
	}
}

static const char *get(const struct record *r, const char *key)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->key[i], key))
			return r->value[i];
	return NULL;
}

static uint64_t number(const struct record *r, const char *key)
{
	const char *v = get(r, key);

	return v ? strtoull(v, NULL, 10) : 0;
}

static char *text(const struct record *r, const char *key)
{
	const char *v = get(r, key);

	return wrap_need(strdup(v ? v : ""));
}

static void three(const struct record *r, const char *key, uint32_t *v)
{
	const char *is = get(r, key);

	if (is)
		sscanf(is, "%u,%u,%u", &v[0], &v[1], &v[2]);
}

/* Sums have the names of their list, so each is looked for once, from where the last one was. */
static void read_sums(const struct record *r, uint64_t *sum)
{
	unsigned at = 0;

	for (unsigned i = 0; i < r->n; i++) {
		for (unsigned k = 0; k < PROF_SUMS; k++, at = (at + 1) % PROF_SUMS) {
			if (!strcmp(r->key[i], sum_names[at])) {
				sum[at] = strtoull(r->value[i], NULL, 10);
				break;
			}
		}
	}
}

/* ---- kinds ----------------------------------------------------------------------------------------- */

static struct source *source_of(struct data *d, const char *path)
{
	struct source **s;

	for (uint32_t i = 0; i < d->num_sources; i++)
		if (!strcmp(d->source[i]->path, path))
			return d->source[i];
	s = GROW(d->source, d->num_sources);
	*s = wrap_need(calloc(1, sizeof(**s)));
	(*s)->path = wrap_need(strdup(path));
	return *s;
}

/* Of the last module. */
static void read_module(struct data *d, const struct record *r)
{
	struct module *m = d->num_modules ? &d->module[d->num_modules - 1] : NULL;
	const char *path = get(r, "path");

	if (!m)
		return;
	if (!strcmp(r->kind, "file")) {
		*GROW(m->file, m->num_files) = source_of(d, path ? path : "");
	} else if (!strcmp(r->kind, "function")) {
		*GROW(m->function, m->num_functions) = (struct function){
			.pc = (uint32_t)number(r, "pc"), .insns = (uint32_t)number(r, "insns"),
			.kernel = number(r, "kernel"),
			.file = (uint32_t)number(r, "file"), .line = (uint32_t)number(r, "line"),
			.name = text(r, "name"),
		};
	} else if (!strcmp(r->kind, "code")) {
		struct code *c = GROW(m->code, m->num_code);

		c->file = (uint32_t)number(r, "file");
		c->line = (uint32_t)number(r, "line");
		for (unsigned i = 0; i < FLOPS; i++)
			c->flops[i] = (uint32_t)number(r, flop_names[i]);
		c->branch = number(r, "branch");
		c->space = text(r, "space");
		c->does = text(r, "does");
		c->text = text(r, "text");
	}
}

/* Of the last kernel. */
static void read_insn(struct data *d, const struct record *r)
{
	struct kernel *k = d->num_kernels ? &d->kernel[d->num_kernels - 1] : NULL;
	struct insn *i = k ? GROW(k->insn, k->num_insns) : NULL;

	if (!i)
		return;
	i->pc = (uint32_t)number(r, "pc");
	read_sums(r, i->c.sum);
#define S(name) i->c.more.name = (uint32_t)number(r, #name);
	PROF_MOSTS(S)
#undef S
	i->c.more.lanes = (uint32_t)number(r, "lane_set");
	i->c.more.passed = (uint32_t)number(r, "passed_set");
	i->c.more.stride = (int64_t)strtoll(get(r, "stride") ? get(r, "stride") : "0", NULL, 10);
	i->c.more.strided = number(r, "strided");
	i->c.more.neighbours = number(r, "neighbours");
}

static void read_launch(struct data *d, const struct record *r)
{
	struct launch *l = GROW(d->launch, d->num_launches);

	l->number = (uint32_t)number(r, "number");
	l->context = (uint32_t)number(r, "context");
	l->stream = (uint32_t)number(r, "stream");
	l->depth = (uint32_t)number(r, "depth");
	l->range = (uint32_t)number(r, "range");
	l->begun = number(r, "begun");
	l->over = number(r, "over");
	l->unknown = number(r, "unknown") || !get(r, "kernel");
	l->kernel = (uint32_t)number(r, "kernel");
	three(r, "grid", l->grid);
	three(r, "block", l->block);
	l->registers = (uint32_t)number(r, "registers");
	l->shared = (uint32_t)number(r, "shared");
	l->local = (uint32_t)number(r, "local");
	l->accepted = number(r, "accepted");
	l->done = number(r, "done");
	l->begin = number(r, "begin");
	l->end = number(r, "end");
	l->blocks = number(r, "blocks");
	l->warps = number(r, "warps_begun");
	l->life = number(r, "life");
	l->issue = number(r, "issue");
	l->sms = number(r, "sms");
	l->active = number(r, "active");
	read_sums(r, l->c.sum);
}

static void read_device(struct data *d, const struct record *r)
{
	d->sms = (uint32_t)number(r, "sms");
	d->warps = (uint32_t)number(r, "warps");
	d->blocks = (uint32_t)number(r, "blocks");
	d->registers = (uint32_t)number(r, "registers");
	d->shared = (uint32_t)number(r, "shared");
	d->clock_khz = number(r, "clock_khz");
}

/* Kinds that are not known are damage, as are records that belong to nothing: they are left out. */
static void read_record(struct data *d, const struct record *r)
{
	if (!strcmp(r->kind, "open")) {
		d->starts++;
	} else if (!strcmp(r->kind, "device")) {
		read_device(d, r);
	} else if (!strcmp(r->kind, "counter")) {
		*GROW(d->counter, d->num_counters) = (struct counter){ text(r, "name"), number(r, "value") };
	} else if (!strcmp(r->kind, "module")) {
		GROW(d->module, d->num_modules);
	} else if (!strcmp(r->kind, "kernel")) {
		*GROW(d->kernel, d->num_kernels) = (struct kernel){
			.module = (uint32_t)number(r, "module"), .pc = (uint32_t)number(r, "pc"),
			.symbol = text(r, "symbol"),
			.name = text(r, "name"),
		};
	} else if (!strcmp(r->kind, "launch")) {
		read_launch(d, r);
	} else if (!strcmp(r->kind, "insn")) {
		read_insn(d, r);
	} else if (!strcmp(r->kind, "copy")) {
		*GROW(d->copy, d->num_copies) = (struct copy){
			.begin = number(r, "begin"), .end = number(r, "end"), .bytes = number(r, "bytes"),
			.fill = number(r, "fill"),
		};
	} else if (!strcmp(r->kind, "range")) {
		*GROW(d->range, d->num_ranges) = (struct range){
			.parent = (uint32_t)number(r, "parent"), .kind = (uint32_t)number(r, "kind"),
			.count = number(r, "count"),
			.text = text(r, "text"),
		};
	} else if (!strcmp(r->kind, "end")) {
		d->ends++;
	} else {
		read_module(d, r);
	}
}

/*
 * What one device did, from when it was opened: a program may open it again, and so may its children.  Its numbers
 * count from 0, and so does its time, which is told as if it went on.
 */
struct part {
	uint32_t *module, *kernel;	/* places of those with these numbers */
	uint32_t *range;		/* new numbers, by the old ones - 1 */
	uint32_t num_modules, num_kernels, num_range;
	uint32_t first_kernel, first_launch, first_copy, first_range, first_counter;
	uint32_t contexts;		/* of parts before */
	uint64_t base;			/* ns */
};

static void read_numbers(const struct record *r, uint32_t **of, uint32_t *n, uint32_t place)
{
	uint32_t i = (uint32_t)number(r, "number");

	if (i >= MOST_NUMBER)
		return;
	while (*n <= i)
		*GROW(*of, *n) = UINT32_MAX;
	(*of)[i] = place;
}

static uint32_t place(const uint32_t *of, uint32_t n, uint32_t i)
{
	return i < n ? of[i] : UINT32_MAX;
}

static uint64_t latest(const struct data *d)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < d->num_launches; i++)
		ns = d->launch[i].end > ns ? d->launch[i].end : ns;
	for (uint32_t i = 0; i < d->num_copies; i++)
		ns = d->copy[i].end > ns ? d->copy[i].end : ns;
	return ns;
}

static void begin_part(const struct data *d, struct part *p)
{
	*p = (struct part){
		.first_kernel = d->num_kernels, .first_launch = d->num_launches, .first_copy = d->num_copies,
		.first_range = d->num_ranges, .first_counter = d->num_counters, .base = latest(d),
	};
	for (uint32_t i = 0; i < d->num_launches; i++)
		if (d->launch[i].context >= p->contexts)
			p->contexts = d->launch[i].context + 1;
}

static uint32_t range_in(const struct part *p, uint32_t number)
{
	return number && number <= p->num_range ? p->range[number - 1] : 0;
}

/* The number of the same range in a part before, from the one after `hint` on; 0: it is new. */
static uint32_t same_range(const struct data *d, const struct part *p, const struct range *r, uint32_t hint)
{
	for (uint32_t i = 0; i < p->first_range; i++) {
		uint32_t k = (hint + i) % p->first_range;
		const struct range *s = &d->range[k];

		if (s->parent == r->parent && s->kind == r->kind && !strcmp(s->text, r->text))
			return k + 1;
	}
	return 0;
}

/* A range that parts before have, too, is one; a process tells it each time that it closes a device, mostly in the same order. */
static void place_ranges(struct data *d, struct part *p)
{
	uint32_t n = p->first_range, is = 0;

	for (uint32_t i = n; i < d->num_ranges; i++) {
		struct range r = d->range[i];
		uint32_t before;

		r.parent = range_in(p, r.parent);
		before = same_range(d, p, &r, is);
		if (before) {
			d->range[before - 1].count += r.count;
			free(r.text);
			is = before;
		} else {
			d->range[n++] = r;
		}
		*GROW(p->range, p->num_range) = before ? before : n;
	}
	d->num_ranges = n;
}

static void place_launch(const struct part *p, struct launch *l)
{
	l->kernel = l->unknown ? UINT32_MAX : place(p->kernel, p->num_kernels, l->kernel);
	l->unknown = l->kernel == UINT32_MAX;
	l->number += p->first_launch;
	l->context += p->contexts;
	l->range = range_in(p, l->range);
	l->accepted += p->base;
	l->done += p->base;
	l->begin += p->base;
	l->end += p->base;
}

/* Kernels get the places of their modules; those whose module or code is not there are left out. */
static void place_kernels(struct data *d, struct part *p)
{
	uint32_t n = p->first_kernel;

	for (uint32_t i = n; i < d->num_kernels; i++) {
		struct kernel *k = &d->kernel[i];
		uint32_t module = place(p->module, p->num_modules, k->module);
		bool known = module < d->num_modules && k->pc < d->module[module].num_code;

		k->module = module;
		for (uint32_t j = 0; j < p->num_kernels; j++)
			if (p->kernel[j] == i)
				p->kernel[j] = known ? n : UINT32_MAX;
		if (known)
			d->kernel[n++] = *k;
	}
	d->num_kernels = n;
}

static void end_part(struct data *d, struct part *p)
{
	place_kernels(d, p);
	place_ranges(d, p);
	for (uint32_t i = p->first_launch; i < d->num_launches; i++)
		place_launch(p, &d->launch[i]);
	for (uint32_t i = p->first_copy; i < d->num_copies; i++) {
		d->copy[i].begin += p->base;
		d->copy[i].end += p->base;
	}
	for (uint32_t i = p->first_counter; p->first_counter && i < d->num_counters; i++)
		d->counter[i - p->first_counter].value += d->counter[i].value;
	if (p->first_counter)
		d->num_counters = p->first_counter;
	free(p->module);
	free(p->kernel);
	free(p->range);
	begin_part(d, p);
}

/* What names a file or an instruction that is not there, names none. */
static void mend(struct data *d)
{
	for (uint32_t i = 0; i < d->num_modules; i++) {
		struct module *m = &d->module[i];

		for (uint32_t k = 0; k < m->num_code; k++)
			if (m->code[k].file >= m->num_files)
				m->code[k].line = 0;
		for (uint32_t k = 0; k < m->num_functions; k++)
			if (m->function[k].file >= m->num_files)
				m->function[k].line = 0;
	}
	for (uint32_t i = 0; i < d->num_kernels; i++) {
		struct kernel *k = &d->kernel[i];
		uint32_t n = 0;

		for (uint32_t j = 0; j < k->num_insns; j++)
			if (k->insn[j].pc < d->module[k->module].num_code)
				k->insn[n++] = k->insn[j];
		k->num_insns = n;
	}
}

void read_data(const char *path, struct data *d)
{
	struct part p = { 0 };
	FILE *f = fopen(path, "re");
	struct record r;
	char *line = NULL;
	size_t cap = 0;

	memset(d, 0, sizeof(*d));
	while (f && getline(&line, &cap, f) >= 0) {
		split(line, &r);
		if (!strcmp(r.kind, "device"))		/* the part before may have no end */
			end_part(d, &p);
		if (!strcmp(r.kind, "module"))
			read_numbers(&r, &p.module, &p.num_modules, d->num_modules);
		if (!strcmp(r.kind, "kernel"))
			read_numbers(&r, &p.kernel, &p.num_kernels, d->num_kernels);
		read_record(d, &r);
		if (!strcmp(r.kind, "end"))
			end_part(d, &p);
	}
	end_part(d, &p);
	mend(d);
	free(line);
	if (f)
		fclose(f);
}
