/* SPDX-License-Identifier: MIT */
/* What the program called things (program.c): kernels with their source lines, streams. */
#ifndef PPU_TRACE_PROGRAM_H
#define PPU_TRACE_PROGRAM_H

#include "trace.h"

struct source_at {
	uint32_t pc, file, line;	/* file: in struct program */
};

struct module {
	char *id;
	uint32_t *file;			/* its numbers of files -> those of struct program */
	size_t num_files, cap_files;
	struct source_at *line;		/* by pc */
	size_t num_lines, cap_lines;
};

struct kernel {
	char *name;
	uint32_t module, pc;
};

struct job {
	uint32_t channel, ring, first, entries;
	int stream;			/* 0: the default one; -1: the runtime's own */
	uint32_t of, kernel;		/* module + 1, kernel + 1; 0: launches nothing */
	uint64_t tmd;
};

struct program {
	struct module *module;
	size_t num_modules, cap_modules;
	struct kernel *kernel;
	size_t num_kernels, cap_kernels;
	char **file;
	size_t num_files, cap_files;
	struct job *job;
	size_t num_jobs, cap_jobs;
	uint32_t *job_at;		/* by record: job + 1 */
	struct map *tasks, *task_jobs;	/* task -> kernel + 1, job + 1 */
};

/* must: a file that is not there is an error, and an error was printed; else nothing has a name. */
int program_load(struct program *p, const char *path, bool must);
void program_match(struct program *p, const struct trace *t);
void program_free(struct program *p);
/* NULL, all: nobody knows. */
const struct kernel *program_task(const struct program *p, uint64_t task);
const struct job *program_task_job(const struct program *p, uint64_t task);
const struct job *program_job(const struct program *p, uint32_t rec);
const struct source_at *program_line(const struct program *p, uint32_t module, uint32_t pc);
uint32_t program_kernel(const struct program *p, uint32_t module, uint32_t pc);	/* + 1; 0: none */

#endif
