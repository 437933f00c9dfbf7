/* SPDX-License-Identifier: MIT */
/*
 * What to do about it: a sentence for each thing that costs much and need not.  The limits are those of
 * Documentation/runtime/ppu-prof.md; what is below them is not told, so that a kernel that is right has none.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

#define MOST_PIECES	1.5	/* times what would do */
#define LEAST_PART	0.05	/* of the kernel's: what is too many */
#define MOST_AWAY	0.1	/* of a kernel's lanes */
#define MOST_BARRIER	0.1	/* of the time that warps are there */
#define MOST_LACK	0.3	/* of what warps would do before a barrier, if all did as much */
#define MOST_MEMORY	0.3
#define LITTLE_WARPS	0.5	/* of those that an SM can have */
#define MOST_IDLE	0.2	/* of the device's time */
#define MANY_SAME	8	/* lanes that change one word */

__attribute__((format(printf, 6, 7)))
static void tell(struct kernel *k, const struct data *d, const char *kind, uint32_t pc, bool line, const char *fmt, ...)
{
	const struct code *c = &d->module[k->module].code[pc];
	struct finding f = { .kind = wrap_need(strdup(kind)), .pc = pc };
	va_list ap;
	int n;

	if (line && c->line) {
		f.file = d->module[k->module].file[c->after ? c->after_file : c->file];
		f.line = c->after ? c->after : c->line;
	}
	va_start(ap, fmt);
	n = vasprintf(&f.text, fmt, ap);
	va_end(ap);
	if (n < 0)
		f.text = NULL;
	wrap_need(f.text);
	/* A loop that was unrolled says it once. */
	for (uint32_t i = 0; i < k->num_findings; i++) {
		const struct finding *g = &k->finding[i];

		if (f.line && g->line == f.line && g->file == f.file && !strcmp(g->text, f.text)) {
			free(f.text);
			free(f.kind);
			return;
		}
	}
	*GROW(k->finding, k->num_findings) = f;
}

/* "line 14", of the kernel's own file if code of another one is compiled into it; where there are no lines "instruction 17". */
static const char *place(const struct kernel *k, const struct data *d, uint32_t pc)
{
	const struct module *m = &d->module[k->module];
	const struct code *c = &m->code[pc];
	static char text[256];

	if (c->after)
		snprintf(text, sizeof(text), "line %u (%s:%u)", c->after, base_name(m->file[c->file]->path), c->line);
	else
		snprintf(text, sizeof(text), c->line ? "line %u" : "instruction %u", c->line ? c->line : pc);
	return text;
}

/* 4, or 4.5 */
static const char *count(double v)
{
	static char text[4][32];
	static unsigned next;
	char *t = text[next++ % 4];

	snprintf(t, 32, v < 100 && v - (double)(uint64_t)v > 0.049 ? "%.1f" : "%.0f", v);
	return t;
}

static const char *percent(double v)
{
	static char text[4][32];
	static unsigned next;
	char *t = text[next++ % 4];

	snprintf(t, 32, "%.0f %%", 100 * v);
	return t;
}

/* Why the lanes of a warp are where they are; buf has what follows the colon. */
static void how_far(const struct counts *c, const char *does, char *buf, size_t len)
{
	if (c->more.neighbours && c->more.strided * 10 >= c->more.neighbours * 9)
		snprintf(buf, len, "%sneighbouring threads %s addresses %" PRIu64 " bytes apart",
			 c->more.strided == c->more.neighbours ? "" : "mostly ", does,
			 (uint64_t)(c->more.stride < 0 ? -c->more.stride : c->more.stride));
	else if (c->more.neighbours)
		snprintf(buf, len, "threads of a warp %s addresses that are scattered", does);
	else
		snprintf(buf, len, "the threads between those that %s take no part", does);
}

/* ---- by instruction ---------------------------------------------------------------------------------- */

static void about_sectors(struct data *d, struct kernel *k, const struct insn *in)
{
	const uint64_t *s = in->c.sum;
	const char *does = d->module[k->module].code[in->pc].does;
	double has = ratio(s[PROF_sectors], s[PROF_accesses]), ideal = ratio(s[PROF_ideal_sectors], s[PROF_accesses]);
	char why[160];

	if (!s[PROF_accesses] || has < MOST_PIECES * ideal || s[PROF_atomics] ||
	    (double)(s[PROF_sectors] - s[PROF_ideal_sectors]) < LEAST_PART * (double)k->c.sum[PROF_sectors])
		return;
	how_far(&in->c, does, why, sizeof(why));
	tell(k, d, "sectors", in->pc, true, "%s: each warp touches %s sectors where %s would do: %s",
	     place(k, d, in->pc), count(has),
	     count(ideal), why);
}

static void about_banks(struct data *d, struct kernel *k, const struct insn *in)
{
	const uint64_t *s = in->c.sum;
	const char *does = d->module[k->module].code[in->pc].does;
	double has = ratio(s[PROF_passes], s[PROF_shared]), ideal = ratio(s[PROF_ideal_passes], s[PROF_shared]);
	char why[160];

	if (!s[PROF_shared] || has < MOST_PIECES * ideal ||
	    (double)(s[PROF_passes] - s[PROF_ideal_passes]) < LEAST_PART * (double)k->c.sum[PROF_passes])
		return;
	how_far(&in->c, does, why, sizeof(why));
	tell(k, d, "banks", in->pc, true,
	     "%s: an access to shared memory takes %s passes where %s would do, up to %u words are in one "
	     "bank: %s", place(k, d, in->pc), count(has), count(ideal), in->c.more.most_ways, why);
}

static void about_atomics(struct data *d, struct kernel *k, const struct insn *in)
{
	const uint64_t *s = in->c.sum;

	if (in->c.more.most_same < MANY_SAME || s[PROF_collisions] * 2 < s[PROF_atomic_lanes])
		return;
	tell(k, d, "atomics", in->pc, true,
	     "%s: up to %u threads of a warp change the same word at once, and do so one after the other: "
	     "%s find it taken", place(k, d, in->pc), in->c.more.most_same, percent(ratio(s[PROF_collisions],
	     s[PROF_atomic_lanes])));
}

/* The sum of all instructions of its line, told once: of the first that has some. */
static uint64_t line_sum(const struct data *d, const struct kernel *k, const struct insn *in, enum prof_sum why)
{
	const struct code *code = d->module[k->module].code, *c = &code[in->pc];
	uint64_t sum = 0;

	if (!c->line)
		return in->c.sum[why];
	for (uint32_t i = 0; i < k->num_insns; i++) {
		const struct insn *other = &k->insn[i];

		if (code[other->pc].line != c->line || code[other->pc].file != c->file || !other->c.sum[why])
			continue;
		if (other->pc < in->pc)
			return 0;
		sum += other->c.sum[why];
	}
	return sum;
}

static void about_local(struct data *d, struct kernel *k, const struct insn *in)
{
	uint64_t bytes = in->c.sum[PROF_local_bytes] ? line_sum(d, k, in, PROF_local_bytes) : 0;

	if (!bytes || bytes * 10 < k->c.sum[PROF_bytes] + k->c.sum[PROF_local_bytes])
		return;
	tell(k, d, "local", in->pc, true, "%s: %" PRIu64
	     " bytes of local memory: an array that is indexed, or registers that were short",
	     place(k, d, in->pc), bytes);
}

/* Lanes that stand aside are counted behind the branch that parted them. */
static void about_branch(struct data *d, struct kernel *k, const struct insn *in)
{
	const uint64_t *s = in->c.sum, *all = k->c.sum;
	double away = ratio(all[PROF_away], all[PROF_threads] + all[PROF_off] + all[PROF_away]);

	if (s[PROF_parted] * 10 < s[PROF_warps] || s[PROF_parted] * 10 < all[PROF_parted] || away < MOST_AWAY)
		return;
	tell(k, d, "divergence", in->pc, true, "%s: threads of a warp part here in %" PRIu64 " of %" PRIu64
	     " times; while some execute, "
	     "the others wait: %s of all lanes of this kernel do", place(k, d, in->pc), s[PROF_parted], s[PROF_warps],
	     percent(away));
}

static void about_waits(struct data *d, struct kernel *k, const struct insn *in)
{
	const uint64_t *s = in->c.sum;
	double barrier = ratio(s[PROF_stall_barrier], k->life),
		lack = ratio(s[PROF_barrier_lack], s[PROF_barrier_work]), memory = 0;

	if (in->c.sum[PROF_stall_memory])
		memory = ratio(line_sum(d, k, in, PROF_stall_memory), k->life);
	if (barrier >= MOST_BARRIER && lack >= MOST_LACK)
		tell(k, d, "barrier", in->pc, true,
		     "%s: at this barrier warps spend %s of their time: before it a warp had %s of the work of "
		     "the one that had most", place(k, d, in->pc), percent(barrier), percent(1 - lack));
	if (memory >= MOST_MEMORY)
		tell(k, d, "memory", in->pc, true,
		     "%s: warps spend %s of their time waiting for memory; an SM has %s warps at a time "
		     "to go on with", place(k, d, in->pc), percent(memory), count(ratio(k->life, k->active)));
}

/* ---- by kernel --------------------------------------------------------------------------------------- */

static void about_blocks(struct data *d, struct kernel *k)
{
	const struct launch *l = &d->launch[k->first];
	uint32_t threads = l->block[0] * l->block[1] * l->block[2], lanes = (threads + 31) / 32 * 32;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	if (threads % 32 && (lanes - threads) * 10 >= lanes)
		tell(k, d, "block", k->pc, false, "a block of %u threads leaves %u of %u lanes of its warps empty",
		     threads, lanes - threads,
		     lanes);
	if (blocks < d->sms)
		tell(k, d, "grid", k->pc, false, "a grid of %" PRIu64 " block%s gives work to %" PRIu64 " of %u SMs",
		     blocks,
		     blocks == 1 ? "" : "s", blocks, d->sms);
}

static void about_occupancy(struct data *d, struct kernel *k)
{
	const struct launch *l = &d->launch[k->first];
	const struct occupancy *o = &l->occupancy;
	char why[128];

	if (o->theoretical >= LITTLE_WARPS || o->limit == LIMIT_GRID)
		return;
	switch (o->limit) {
	case LIMIT_REGISTERS:
		snprintf(why, sizeof(why), "a thread has %u registers", l->registers);
		break;
	case LIMIT_SHARED:
		snprintf(why, sizeof(why), "a block has %u bytes of shared memory", l->shared);
		break;
	case LIMIT_BLOCKS:
		snprintf(why, sizeof(why), "an SM has no more, and a block has %u threads only",
			 l->block[0] * l->block[1] * l->block[2]);
		break;
	default:
		snprintf(why, sizeof(why), "a block has %u threads", l->block[0] * l->block[1] * l->block[2]);
	}
	tell(k, d, "occupancy", k->pc, false, "an SM has room for %u block%s of this kernel, %s of its warps: %s",
	     o->blocks,
	     o->blocks == 1 ? "" : "s", percent(o->theoretical), why);
}

/* Most of the time between the launches of a kernel nothing runs. */
static void about_gaps(struct data *d)
{
	const struct timeline *t = &d->timeline;
	uint32_t best = 0;

	if (!d->num_kernels || t->to == t->from || ratio(t->idle, t->to - t->from) < MOST_IDLE)
		return;
	for (uint32_t i = 1; i < d->num_kernels; i++)
		if (d->kernel[i].num_launches > d->kernel[best].num_launches)
			best = i;
	if (d->kernel[best].num_launches >= 10)
		tell(&d->kernel[best], d, "gaps", d->kernel[best].pc, false,
		     "the device has nothing to do in %s of the time: %u launches of "
		     "%s ns each; longer kernels, several streams or a graph would fill it",
		     percent(ratio(t->idle, t->to - t->from)),
		     d->kernel[best].num_launches, count(ratio(d->kernel[best].time, d->kernel[best].num_launches)));
}

void advise(struct data *d)
{
	/* What may be the reason for others comes first. */
	static void (*const about[])(struct data *d, struct kernel *k, const struct insn *in) = {
		about_sectors, about_banks, about_branch, about_atomics, about_local, about_waits,
	};

	for (uint32_t i = 0; i < d->num_kernels; i++) {
		struct kernel *k = &d->kernel[i];

		if (!k->num_launches)
			continue;
		for (unsigned n = 0; n < sizeof(about) / sizeof(about[0]); n++)
			for (uint32_t j = 0; j < k->num_insns; j++)
				about[n](d, k, &k->insn[j]);
		about_blocks(d, k);
		about_occupancy(d, k);
	}
	about_gaps(d);
}
