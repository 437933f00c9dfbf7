/* SPDX-License-Identifier: MIT */
/* ppu-prof: what the runtime has counted, and what follows from it. */
#ifndef PPU_PROF_DATA_H
#define PPU_PROF_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "prof/sums.h"

enum { F16, F32, F64, FLOPS };
extern const char *const flop_names[FLOPS];
extern const char *const sum_names[PROF_SUMS];

struct code {
	uint32_t file, line;		/* line 0: not known */
	uint32_t after, after_file;	/* the last line before it of its function's file; 0: it is in that, or not known */
	uint32_t flops[FLOPS];		/* of a lane */
	bool branch;
	char *space, *does, *text;	/* of memory instructions: "global", "read" */
};

struct function {
	uint32_t pc, insns, file, line;	/* line 0: not known */
	bool kernel;
	char *name;
};

struct source {
	char *path;
	char **text;			/* lines, from 1 on; NULL: it cannot be read */
	uint32_t num_lines;
};

struct module {
	struct code *code;
	uint32_t num_code, num_files, num_functions;
	struct source **file;
	struct function *function;
};

struct counts {
	uint64_t sum[PROF_SUMS];
	uint64_t flops[FLOPS];
	struct prof_more more;
};

struct insn {
	uint32_t pc;
	struct counts c;
};

/* Of one file, all its instructions in this kernel together. */
struct line {
	const struct source *file;
	uint32_t line;
	struct counts c;
	uint64_t issued_most;		/* the most of its instructions was issued so often */
};

struct finding {
	char *kind, *text;
	const struct source *file;	/* NULL: of the kernel */
	uint32_t line, pc;		/* pc: of line 0 */
};

enum limit { LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_GRID, LIMITS };
extern const char *const limit_names[LIMITS];

struct occupancy {
	uint32_t by[LIMITS];		/* blocks of an SM */
	uint32_t blocks;		/* the least */
	enum limit limit;
	double theoretical, achieved;	/* of the warps of an SM */
};

struct launch {
	uint32_t number, context, stream, depth, range, kernel;
	bool begun, over, unknown;
	uint32_t grid[3], block[3], registers, shared, local;
	uint64_t accepted, done, begin, end;	/* ns */
	uint64_t blocks, warps, life, issue, sms, active;
	struct counts c;
	struct occupancy occupancy;
	bool critical;
};

struct kernel {
	uint32_t module, pc;
	char *symbol, *name;
	struct insn *insn;
	uint32_t num_insns;
	struct line *line;
	uint32_t num_lines;
	struct counts c;
	uint32_t num_launches, first;	/* the first launch that has run */
	uint64_t time, life, issue, active;
	struct finding *finding;
	uint32_t num_findings;
};

struct copy {
	uint64_t begin, end, bytes;
	bool fill, critical;
};

struct range {
	uint32_t parent, kind;
	uint64_t count;
	char *text;
};

struct counter {
	char *name;
	uint64_t value;
};

struct timeline {
	uint64_t from, to;		/* the first kernel or copy begins, the last ends */
	uint64_t kernels, copies, idle;	/* time in which one runs; in which none of both does */
	uint64_t path_kernels, path_copies, path_gaps;	/* of the critical path */
	uint64_t gaps;			/* between launches of a stream, added up */
};

struct data {
	uint32_t sms, warps, blocks, registers, shared;
	uint64_t clock_khz;
	struct counter *counter;
	struct module *module;
	struct source **source;		/* of all modules, each once */
	struct kernel *kernel;
	struct launch *launch;
	struct copy *copy;
	struct range *range;
	uint32_t num_counters, num_modules, num_sources, num_kernels, num_launches, num_copies, num_ranges;
	struct counts c;
	struct timeline timeline;
	double peak[FLOPS], loads;	/* operations, and bytes of words that are loaded, in a ns */
	uint32_t starts, ends;		/* how often a device was opened, and how often its counts were written */
	const char *const *program;
	int status;
};

/* read.c */
void read_data(const char *path, struct data *d);
/* merge.c: a module that was loaded several times is one, and so are its kernels */
void merge_modules(struct data *d);
/* derive.c */
void add_counts(struct counts *to, const struct counts *c);
void derive(struct data *d);
uint64_t counter_of(const struct data *d, const char *name);
/* source.c: reads the texts; dir: where else to look, or NULL */
void read_sources(struct data *d, const char *dir);
const char *source_line(const struct source *s, uint32_t line);	/* NULL: it is not known */
const char *base_name(const char *path);
/* advice.c */
void advise(struct data *d);
/* text.c, json.c, html.c, lcov.c */
void write_text(FILE *f, const struct data *d, unsigned lines);
void write_json(FILE *f, const struct data *d);
void write_html(FILE *f, const struct data *d);
void write_lcov(FILE *f, const struct data *d);
extern bool lcov_lanes;

#define GROW(array, n) ((array) = wrap_need(realloc((array), ((n) + 1) * sizeof(*(array)))), \
			memset(&(array)[n], 0, sizeof(*(array))), &(array)[(n)++])

static inline double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

#endif
