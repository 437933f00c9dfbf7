/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/report.h"
#include "check/symbol.h"

#define MAX_FINDINGS 1000		/* that are told */
#define TEXT(n) #n
#define TEXT_OF(n) TEXT(n)

static const char too_many[] = "ppu-check: more than " TEXT_OF(MAX_FINDINGS) " findings; the others are counted only\n";

struct rule {
	char *pattern[3];		/* kind, kernel, file */
	struct rule *next;
};

/* What was told already. */
struct told {
	enum chk_kind kind;
	const char *kernel;
	uint64_t same;
	uint32_t pc;
	const char *file, *after_file;	/* by line: instead of the pc */
	uint32_t line, after_line;
};

void (*chk_told)(const char *kind, const struct chk_finding *f);

static FILE *records;
static struct rule *rules;
static struct told *told;
static unsigned num_told, findings, suppressed;
static uint64_t again, untold;

/* ---- suppressions ------------------------------------------------------------------------------ */

#define NAME(kind, name) [CHK_##kind] = (name),
static const char *const kinds[CHK_NUM_KINDS] = { CHK_KINDS(NAME) };
#undef NAME

static bool is_kind(const char *pattern)
{
	for (unsigned i = CHK_NOTHING + 1; i < CHK_NUM_KINDS; i++)
		if (!fnmatch(pattern, kinds[i], 0))
			return true;
	return false;
}

/* A line: patterns for kind, kernel and file; what is left out matches everything.  NULL, or the kind that is none. */
static const char *add_rule(char *line)
{
	struct rule *r;
	char *save, *word = strtok_r(line, " \t\n", &save);

	if (!word || *word == '#')
		return NULL;
	if (!is_kind(word))
		return word;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	for (int i = 0; i < 3 && word; i++, word = strtok_r(NULL, " \t\n", &save))
		r->pattern[i] = strdup(word);
	r->next = rules;
	rules = r;
	return NULL;
}

static char *read_rules(const char *path)
{
	char *err = NULL, *line = NULL;
	const char *bad = NULL;
	unsigned number = 0;
	size_t cap = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return asprintf(&err, "PPU_CHECK_SUPPRESSIONS: %s: %s", path, strerror(errno)) < 0 ? NULL : err;
	for (; !bad && getline(&line, &cap, f) >= 0; number++)
		bad = add_rule(line);
	if (bad && asprintf(&err, "PPU_CHECK_SUPPRESSIONS: %s:%u: there is no kind \"%s\"", path, number, bad) < 0)
		err = NULL;
	else if (ferror(f) && asprintf(&err, "PPU_CHECK_SUPPRESSIONS: %s: %s", path, strerror(errno)) < 0)
		err = NULL;
	free(line);
	fclose(f);
	return err;
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || !fnmatch(pattern, text ? text : "", 0);
}

static bool matches(const struct rule *r, const struct chk_finding *f)
{
	static const struct chk_place nowhere;
	const struct chk_place *p = f->place ? f->place : &nowhere;

	return fits(r->pattern[0], kinds[f->kind]) && fits(r->pattern[1], p->kernel) &&
	       (fits(r->pattern[2], p->file) || (p->after_file && fits(r->pattern[2], p->after_file)));
}

/* ---- records ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3)))
static void put(const char *key, const char *fmt, ...)
{
	char *text, *c;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	for (c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	fprintf(records, "%s %s\n", key, text);
	free(text);
}

static void put_place(const char *prefix, const struct chk_place *p)
{
	char key[32];

#define KEY(name) (snprintf(key, sizeof(key), "%s" name, prefix), key)
	if (p->kernel)
		put(KEY("kernel"), "%s", p->kernel);
	if (p->function)
		put(KEY("function"), "%s", p->function);
	if (p->file) {
		put(KEY("file"), "%s", p->file);
		put(KEY("line"), "%u", p->line);
	}
	if (p->after_file) {
		put(KEY("after_file"), "%s", p->after_file);
		put(KEY("after_line"), "%u", p->after_line);
	}
	put(KEY("pc"), "%u", p->pc);
	put(KEY("thread"), "%u,%u,%u", p->thread[0], p->thread[1], p->thread[2]);
	put(KEY("block"), "%u,%u,%u", p->block[0], p->block[1], p->block[2]);
	if (p->others)
		put(KEY("more_threads"), "%u", p->others);
#undef KEY
}

static void put_stack(const char *key, const struct chk_stack *s)
{
	char call[32], frame[512];

	snprintf(call, sizeof(call), "%s_by", key);
	chk_stack_api(s, frame, sizeof(frame));
	if (*frame)
		put(call, "%s", frame);
	for (unsigned i = 0; i < s->n; i++) {
		chk_stack_text(s, i, frame, sizeof(frame));
		put(key, "%s", frame);
	}
}

static void record(const struct chk_finding *f, const char *relation)
{
	put("record", "finding");
	put("kind", "%s", kinds[f->kind]);
	put("what", "%s", f->what);
	if (f->place)
		put_place("", f->place);
	if (f->access)
		put("access", "%s", f->access);
	if (f->space)
		put("space", "%s", f->space);
	if (f->bytes) {
		put("address", "0x%" PRIx64, f->address);
		put("bytes", "%" PRIu64, f->bytes);
	}
	if (f->other_does)
		put("other_access", "%s", f->other_does);
	if (f->other)
		put_place("other_", f->other);
	if (f->other_call)
		put_stack("other_called", f->other_call);
	for (unsigned i = 0; i < f->num_waits; i++)
		put("waits", "%s", f->waits[i]);
	if (f->block) {
		put("memory", "%s", relation);
		put_stack("allocated", &f->block->made);
		put_stack("freed", &f->block->freed);
	}
	if (f->call)
		put_stack("called", f->call);
	fputc('\n', records);
	fflush(records);
}

/* ---- text -------------------------------------------------------------------------------------- */

static void say_place(FILE *o, const struct chk_place *p)
{
	char name[512];

	chk_demangle(p->kernel ? p->kernel : "?", name, sizeof(name));
	fprintf(o, "    in kernel %s", name);
	if (p->function && p->kernel && strcmp(p->function, p->kernel) != 0) {
		chk_demangle(p->function, name, sizeof(name));
		fprintf(o, ", function %s", name);
	}
	if (p->file)
		fprintf(o, ", %s:%u", p->file, p->line);
	if (p->after_file)
		fprintf(o, ", after %s:%u", p->after_file, p->after_line);
	fprintf(o, ", pc %u\n    thread (%u,%u,%u) of block (%u,%u,%u)", p->pc, p->thread[0], p->thread[1], p->thread[2],
		p->block[0], p->block[1], p->block[2]);
	if (p->others)
		fprintf(o, ", and %u more of its warp", p->others);
	fputc('\n', o);
}

static void say_stack(FILE *o, const char *what, const struct chk_stack *s)
{
	char frame[512];

	if (!s->n)
		return;
	chk_stack_api(s, frame, sizeof(frame));
	fprintf(o, "    %s%s%s\n", what, *frame ? " by " : s->access ? " the program" : "", frame);
	for (unsigned i = 0; i < s->n; i++) {
		chk_stack_text(s, i, frame, sizeof(frame));
		fprintf(o, "        %s\n", frame);
	}
}

/* Not by stderr, whose lock somebody may have who waits for one of ours. */
static void write_all(const char *text, size_t len)
{
	ssize_t n;

	do {
		n = write(STDERR_FILENO, text, len);
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	} while (len && (n > 0 || (n < 0 && errno == EINTR)));
}

static void say(const struct chk_finding *f, const char *relation)
{
	char *text = NULL;
	size_t len;
	FILE *o = open_memstream(&text, &len);

	if (!o)
		return;
	fprintf(o, "ppu-check: %s: %s\n", kinds[f->kind], f->what);
	if (f->place)
		say_place(o, f->place);
	if (f->other_does)
		fprintf(o, "  against: %s\n", f->other_does);
	if (f->other)
		say_place(o, f->other);
	if (f->other_call)
		say_stack(o, f->other_call->access ? "by" : "called", f->other_call);
	for (unsigned i = 0; i < f->num_waits; i++)
		fprintf(o, "  waits: %s\n", f->waits[i]);
	if (f->block) {
		if (*relation)
			fprintf(o, "    0x%" PRIx64 " is %s\n", f->address, relation);
		say_stack(o, "allocated", &f->block->made);
		say_stack(o, "freed", &f->block->freed);
	}
	if (f->call)
		say_stack(o, f->call->access ? "by" : "called", f->call);
	if (!fclose(o))
		write_all(text, len);
	free(text);
}

/* ---- all --------------------------------------------------------------------------------------- */

static bool is_same(const struct told *a, const struct told *b)
{
	return a->kind == b->kind && a->kernel == b->kernel && a->same == b->same && a->pc == b->pc && a->file == b->file &&
	       a->line == b->line && a->after_file == b->after_file && a->after_line == b->after_line;
}

/* Is this the same mistake as one before, or one too many? */
static bool known(const struct chk_finding *f)
{
	static const struct chk_place nowhere;
	const struct chk_place *p = f->place ? f->place : &nowhere;
	struct told t = { .kind = f->kind, .kernel = p->kernel, .same = f->same };
	bool folds = f->place || f->same;

	if (f->by_line && (p->after_file || p->file)) {
		t.file = p->file;
		t.line = p->line;
		t.after_file = p->after_file;
		t.after_line = p->after_line;
	} else if (!f->other_does) {
		t.pc = p->pc;
	}
	for (unsigned i = 0; folds && i < num_told; i++)
		if (is_same(&told[i], &t)) {
			again++;
			return true;
		}
	if (!told)
		told = calloc(MAX_FINDINGS, sizeof(*told));
	if (!told || num_told == MAX_FINDINGS) {
		if (!untold++)
			write_all(too_many, sizeof(too_many) - 1);
		return true;
	}
	told[num_told++] = t;
	return false;
}

bool chk_report(const struct chk_finding *f)
{
	char relation[256] = "";

	for (const struct rule *r = rules; r; r = r->next) {
		if (matches(r, f)) {
			suppressed++;
			return false;
		}
	}
	if (known(f))
		return true;
	findings++;
	if (f->block && f->bytes)
		chk_block_relation(f->block, f->address, relation, sizeof(relation));
	say(f, relation);
	if (records)
		record(f, relation);
	if (chk_told)
		chk_told(kinds[f->kind], f);
	return true;
}

void chk_report_again(bool is_suppressed)
{
	if (is_suppressed)
		suppressed++;
	else
		again++;
}

unsigned chk_reported(void)
{
	return findings;
}

void chk_report_contents(unsigned ctx, const struct chk_block *b, const char *text)
{
	if (!records)
		return;
	put("record", "contents");
	put("context", "%u", ctx);
	put("number", "%u", b->number);
	put("bytes", "%" PRIu64, b->bytes);
	if (b->name)
		put("name", "%s", b->name);
	put_stack("allocated", &b->made);
	put("contents", "%s", text);
	fputc('\n', records);
}

void chk_report_orders(uint64_t orders)
{
	if (!records)
		return;
	put("record", "orders");
	put("orders", "%" PRIu64, orders);
	fputc('\n', records);
}

char *chk_report_open(const char *tool)
{
	const char *path = getenv("PPU_CHECK_RECORDS"), *rule_file = getenv("PPU_CHECK_SUPPRESSIONS");
	char *err = rule_file && *rule_file ? read_rules(rule_file) : NULL;

	if (err || !path || !*path)
		return err;
	records = fopen(path, "ae");
	if (!records)
		return asprintf(&err, "PPU_CHECK_RECORDS: %s: %s", path, strerror(errno)) < 0 ? NULL : err;
	put("record", "start");
	put("tool", "%s", tool);
	fputc('\n', records);
	fflush(records);
	return NULL;
}

void chk_report_close(void)
{
	struct rule *r;

	if (records) {
		put("record", "end");
		put("findings", "%u", findings);
		put("suppressed", "%u", suppressed);
		put("again", "%" PRIu64, again);
		put("untold", "%" PRIu64, untold);
		fputc('\n', records);
		fclose(records);
	}
	records = NULL;
	while ((r = rules)) {
		rules = r->next;
		for (int i = 0; i < 3; i++)
			free(r->pattern[i]);
		free(r);
	}
	free(told);
	told = NULL;
	num_told = findings = suppressed = 0;
	again = untold = 0;
}
