/* SPDX-License-Identifier: MIT */
/* All of it as JSON; Documentation/runtime/ppu-prof.md says what is there.  Counts that are 0 are left out. */
#include <inttypes.h>
#include <string.h>
#include "ppu_version.h"
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

static void put_counts(FILE *f, const struct counts *c)
{
	const char *comma = "";

	fputc('{', f);
	for (unsigned i = 0; i < PROF_SUMS; i++)
		if (c->sum[i]) {
			fprintf(f, "%s\"%s\":%" PRIu64, comma, sum_names[i], c->sum[i]);
			comma = ",";
		}
	for (unsigned i = 0; i < FLOPS; i++)
		if (c->flops[i]) {
			fprintf(f, "%s\"flops_%s\":%" PRIu64, comma, flop_names[i], c->flops[i]);
			comma = ",";
		}
#define S(name) \
	if (c->more.name) { \
		fprintf(f, "%s\"" #name "\":%u", comma, c->more.name); \
		comma = ","; \
	}
	PROF_MOSTS(S)
#undef S
	fputc('}', f);
}

static uint32_t number_of(const struct data *d, const struct source *s)
{
	uint32_t i = 0;

	while (d->source[i] != s)
		i++;
	return i;
}

static void put_line(FILE *f, const struct data *d, const struct line *l)
{
	fprintf(f, "{\"file\":%u,\"line\":%u,\"times\":%" PRIu64 ",\"counts\":", number_of(d, l->file), l->line,
		l->issued_most);
	put_counts(f, &l->c);
	fputc('}', f);
}

static void put_insn(FILE *f, const struct data *d, const struct kernel *k, const struct insn *in)
{
	const struct module *m = &d->module[k->module];
	const struct code *c = &m->code[in->pc];

	fprintf(f, "{\"pc\":%u,", in->pc);
	if (c->line)
		fprintf(f, "\"file\":%u,\"line\":%u,", number_of(d, m->file[c->file]), c->line);
	fputs("\"text\":", f);
	wrap_json(f, c->text);
	if (c->branch)
		fprintf(f, ",\"taken\":%" PRIu64 ",\"not_taken\":%" PRIu64, in->c.sum[PROF_threads],
			in->c.sum[PROF_off]);
	if (in->c.more.strided)
		fprintf(f, ",\"stride\":%" PRId64 ",\"strided\":%" PRIu64 ",\"neighbours\":%" PRIu64, in->c.more.stride,
			in->c.more.strided, in->c.more.neighbours);
	fprintf(f, ",\"lanes\":\"%08x\",\"counts\":", in->c.more.lanes);
	put_counts(f, &in->c);
	fputc('}', f);
}

static void put_finding(FILE *f, const struct data *d, const struct finding *n)
{
	fprintf(f, "{\"kind\":\"%s\",", n->kind);
	if (n->line)
		fprintf(f, "\"file\":%u,\"line\":%u,", number_of(d, n->file), n->line);
	fprintf(f, "\"pc\":%u,\"text\":", n->pc);
	wrap_json(f, n->text);
	fputc('}', f);
}

#define LIST(f, name, n, put) do { \
	fprintf(f, ",\n\"" name "\":["); \
	for (uint32_t i_ = 0; i_ < (n); i_++) { \
		fputs(i_ ? ",\n" : "\n", f); \
		put; \
	} \
	fputc(']', f); \
} while (0)

static void put_kernel(FILE *f, const struct data *d, const struct kernel *k)
{
	fputs("{\"name\":", f);
	wrap_json(f, k->name);
	fputs(",\"symbol\":", f);
	wrap_json(f, k->symbol);
	fprintf(f, ",\"launches\":%u,\"time_ns\":%" PRIu64 ",\"warp_cycles\":%" PRIu64 ",\"issue_cycles\":%" PRIu64
		",\"sm_cycles\":%" PRIu64, k->num_launches, k->time, k->life, k->issue, k->active);
	if (k->num_launches)
		fprintf(f, ",\"first_launch\":%u,\"occupancy\":%.4f", d->launch[k->first].number,
			ratio(k->life, k->active * d->warps));
	fputs(",\"counts\":", f);
	put_counts(f, &k->c);
	LIST(f, "findings", k->num_findings, put_finding(f, d, &k->finding[i_]));
	LIST(f, "lines", k->num_lines, put_line(f, d, &k->line[i_]));
	LIST(f, "instructions", k->num_insns, put_insn(f, d, k, &k->insn[i_]));
	fputc('}', f);
}

static void put_occupancy(FILE *f, const struct occupancy *o)
{
	static const char *const keys[LIMITS] = { "warps", "blocks", "registers", "shared", "grid" };
	const char *comma = "";

	fprintf(f,
		",\"occupancy\":%.4f,\"theoretical_occupancy\":%.4f,\"blocks_per_sm\":%u,\"limit\":\"%s\",\"limits\":{",
		o->achieved,
		o->theoretical, o->blocks, limit_names[o->limit]);
	for (unsigned i = 0; i < LIMITS; i++) {
		if (o->by[i] != UINT32_MAX) {
			fprintf(f, "%s\"%s\":%u", comma, keys[i], o->by[i]);
			comma = ",";
		}
	}
	fputc('}', f);
}

static void put_launch(FILE *f, const struct launch *l)
{
	fprintf(f, "{\"number\":%u,\"kernel\":", l->number);
	if (l->unknown)
		fputs("null", f);
	else
		fprintf(f, "%u", l->kernel);
	fprintf(f, ",\"context\":%u,\"stream\":%u,\"depth\":%u,\"range\":%u", l->context, l->stream, l->depth,
		l->range);
	if (l->begun)
		fprintf(f,
			",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"registers\":%u,\"shared\":%u,\"local\":%u"
			",\"accepted_ns\":%" PRIu64,
			l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->registers,
			l->shared, l->local,
			l->accepted);
	if (l->over)
		fprintf(f, ",\"done_ns\":%" PRIu64, l->done);
	if (l->blocks) {
		fprintf(f, ",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"blocks\":%" PRIu64 ",\"warps\":%" PRIu64
			",\"warp_cycles\":%" PRIu64 ",\"issue_cycles\":%" PRIu64 ",\"sms\":%" PRIu64 ",\"sm_cycles\":%"
			PRIu64
			",\"critical\":%s", l->begin, l->end, l->blocks, l->warps, l->life, l->issue, l->sms, l->active,
			l->critical ? "true" : "false");
		if (!l->unknown)
			put_occupancy(f, &l->occupancy);
	}
	fputs(",\"counts\":", f);
	put_counts(f, &l->c);
	fputc('}', f);
}

static void put_copy(FILE *f, const struct copy *c)
{
	fprintf(f, "{\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"fill\":%s,\"critical\":%s}", c->begin,
		c->end, c->bytes, c->fill ? "true" : "false", c->critical ? "true" : "false");
}

static void put_range(FILE *f, const struct data *d, uint32_t i)
{
	static const char *const kinds[] = { "push", "start", "mark" };
	const struct range *r = &d->range[i];

	fprintf(f, "{\"number\":%u,\"parent\":%u,\"kind\":\"%s\",\"count\":%" PRIu64 ",\"text\":", i + 1,
		r->parent, kinds[r->kind % 3], r->count);
	wrap_json(f, r->text);
	fputc('}', f);
}

static void put_source(FILE *f, const struct source *s)
{
	fputs("{\"path\":", f);
	wrap_json(f, s->path);
	fputs(",\"text\":", f);
	if (!s->num_lines)
		fputs("null", f);
	for (uint32_t i = 0; i < s->num_lines; i++) {
		fputc(i ? ',' : '[', f);
		wrap_json(f, s->text[i]);
	}
	fputs(s->num_lines ? "]}" : "}", f);
}

static void put_device(FILE *f, const struct data *d)
{
	const struct timeline *t = &d->timeline;

	fprintf(f,
		",\n\"device\":{\"sms\":%u,\"warps_per_sm\":%u,\"blocks_per_sm\":%u,\"registers_per_sm\":%u,"
		"\"shared_per_sm\":%u,"
		"\"clock_khz\":%" PRIu64, d->sms, d->warps, d->blocks, d->registers, d->shared, d->clock_khz);
	for (unsigned i = 0; i < FLOPS; i++)
		fprintf(f, ",\"peak_%s_per_ns\":%.3f", flop_names[i], d->peak[i]);
	fprintf(f, ",\"word_bytes_per_ns\":%.3f}", d->loads);
	fprintf(f, ",\n\"timeline\":{\"from_ns\":%" PRIu64 ",\"to_ns\":%" PRIu64 ",\"kernels_ns\":%" PRIu64
		",\"copies_ns\":%" PRIu64
		",\"idle_ns\":%" PRIu64 ",\"stream_gaps_ns\":%" PRIu64 ",\"path_kernels_ns\":%" PRIu64
		",\"path_copies_ns\":%" PRIu64
		",\"path_gaps_ns\":%" PRIu64 "}", t->from, t->to, t->kernels, t->copies, t->idle, t->gaps,
		t->path_kernels, t->path_copies,
		t->path_gaps);
	fputs(",\n\"counters\":{", f);
	for (uint32_t i = 0; i < d->num_counters; i++)
		fprintf(f, "%s\"%s\":%" PRIu64, i ? "," : "", d->counter[i].name, d->counter[i].value);
	fputs("},\n\"counts\":", f);
	put_counts(f, &d->c);
}

void write_json(FILE *f, const struct data *d)
{
	fputs("{\"tool\":\"ppu-prof " PPU_VERSION_STRING "\",\"program\":[", f);
	for (unsigned i = 0; d->program[i]; i++) {
		fputs(i ? "," : "", f);
		wrap_json(f, d->program[i]);
	}
	fprintf(f, "],\"program_status\":%d,\"complete\":%s", d->status,
		d->starts && d->ends == d->starts ? "true" : "false");
	put_device(f, d);
	LIST(f, "kernels", d->num_kernels, put_kernel(f, d, &d->kernel[i_]));
	LIST(f, "launches", d->num_launches, put_launch(f, &d->launch[i_]));
	LIST(f, "copies", d->num_copies, put_copy(f, &d->copy[i_]));
	LIST(f, "ranges", d->num_ranges, put_range(f, d, i_));
	LIST(f, "files", d->num_sources, put_source(f, d->source[i_]));
	fputs("}\n", f);
}
