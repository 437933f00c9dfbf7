/* SPDX-License-Identifier: MIT */
/*
 * The log of API calls: with PPU_CUDA_LOG=FILE in the environment ("-": standard error) each call of libcuda and
 * libcudart is a line with its thread, arguments and result.
 */
#ifndef PPU_CALLLOG_H
#define PPU_CALLLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* One per library. */
struct ppu_calllog {
	const char *library;		/* named in the message when the file cannot be opened */
	bool looked;
	FILE *file;
};

/* Is the log on?  The first call looks at the environment. */
bool ppu_calllog_on(struct ppu_calllog *log);

/* An argument as text. */
struct ppu_arg {
	const char *name;
	enum ppu_arg_kind {
		PPU_ARG_INT, PPU_ARG_UINT, PPU_ARG_FLOAT, PPU_ARG_POINTER, PPU_ARG_STRING, PPU_ARG_TRIPLE
	} kind;
	uint64_t value;
	unsigned int triple[3];
};

static inline struct ppu_arg ppu_arg_int(const char *name, int64_t v)
{
	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_INT, .value = (uint64_t)v };
}

static inline struct ppu_arg ppu_arg_uint(const char *name, uint64_t v)
{
	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_UINT, .value = v };
}

static inline struct ppu_arg ppu_arg_float(const char *name, float v)
{
	union {
		float f;
		uint32_t bits;
	} u = { v };

	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_FLOAT, .value = u.bits };
}

static inline struct ppu_arg ppu_arg_pointer(const char *name, const void *v)
{
	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_POINTER, .value = (uintptr_t)v };
}

static inline struct ppu_arg ppu_arg_string(const char *name, const char *v)
{
	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_STRING, .value = (uintptr_t)v };
}

static inline struct ppu_arg ppu_arg_triple(const char *name, unsigned int x, unsigned int y, unsigned int z)
{
	return (struct ppu_arg){ .name = name, .kind = PPU_ARG_TRIPLE, .triple = { x, y, z } };
}

/* For _Generic: the types that arguments of all libraries may have.  Each library adds its own types
 * before these. */
#define PPU_ARG_TYPES \
	int: ppu_arg_int, float: ppu_arg_float, \
	unsigned int: ppu_arg_uint, unsigned char: ppu_arg_uint, unsigned short: ppu_arg_uint, \
	unsigned long: ppu_arg_uint, unsigned long long: ppu_arg_uint, \
	const char *: ppu_arg_string, default: ppu_arg_pointer

/* result: name of the result, NULL is "?". why: more about the result, "": nothing. */
void ppu_calllog_write(struct ppu_calllog *log, const char *function, unsigned int num, const struct ppu_arg *args,
		       const char *result, const char *why);

#pragma GCC visibility pop
#endif
