/* SPDX-License-Identifier: MIT */
/*
 * The exported functions: each calls its i_NAME.  With PPU_CUDA_LOG=FILE in the environment ("-": standard error)
 * every call is logged with its arguments and result.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cu.h"
#include "unsupported.h"

#define EXPORT __attribute__((visibility("default")))

__thread bool cu_per_thread;

static FILE *log_file;
static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static void log_open(void)
{
	const char *path = getenv("PPU_CUDA_LOG");

	if (!path || !*path)
		return;
	log_file = path[0] == '-' && !path[1] ? stderr : fopen(path, "ae");
	if (!log_file)
		fprintf(stderr, "libcuda: PPU_CUDA_LOG: %s cannot be opened\n", path);
	else
		setvbuf(log_file, NULL, _IOLBF, 0);
}

/* An argument as text. */
enum kind { K_INT, K_UINT, K_FLOAT, K_POINTER, K_STRING };
struct arg {
	const char *name;
	enum kind kind;
	uint64_t value;
};

static struct arg arg_int(const char *name, int64_t v)
{
	return (struct arg){ name, K_INT, (uint64_t)v };
}

static struct arg arg_uint(const char *name, uint64_t v)
{
	return (struct arg){ name, K_UINT, v };
}

static struct arg arg_float(const char *name, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return (struct arg){ name, K_FLOAT, bits };
}

static struct arg arg_location(const char *name, CUmemLocation v)
{
	return (struct arg){ name, K_UINT, (uint64_t)v.type << 16 | (uint16_t)v.id };
}

static struct arg arg_pointer(const char *name, const void *v)
{
	return (struct arg){ name, K_POINTER, (uintptr_t)v };
}

static struct arg arg_string(const char *name, const char *v)
{
	return (struct arg){ name, K_STRING, (uintptr_t)v };
}

#define ARG(type, name) _Generic(*(type *)0, \
	int: arg_int, float: arg_float, CUmemLocation: arg_location, \
	unsigned int: arg_uint, unsigned char: arg_uint, unsigned short: arg_uint, \
	unsigned long: arg_uint, unsigned long long: arg_uint, \
	const char *: arg_string, \
	default: arg_pointer)(#name, name)

static void log_call(const char *symbol, CUresult r, unsigned int num, const struct arg *args)
{
	const char *name = cu_error_name(r);
	const char *why = r && r != CUDA_ERROR_NOT_READY ? cu_why() : "";
	char line[1024];
	float f;
	int n = snprintf(line, sizeof(line), "[%ld] %s(", syscall(SYS_gettid), symbol);

	for (unsigned int i = 0; i < num && n < (int)sizeof(line) - 160; i++) {
		const struct arg *a = &args[i];

		n += snprintf(line + n, sizeof(line) - (size_t)n, "%s%s=", i ? ", " : "", a->name);
		switch (a->kind) {
		case K_INT:
			n += snprintf(line + n, sizeof(line) - (size_t)n, "%" PRId64, (int64_t)a->value);
			break;
		case K_UINT:
			n += snprintf(line + n, sizeof(line) - (size_t)n, a->value < 1u << 24 ? "%" PRIu64 : "%#" PRIx64,
				      a->value);
			break;
		case K_FLOAT:
			memcpy(&f, &a->value, sizeof(f));
			n += snprintf(line + n, sizeof(line) - (size_t)n, "%g", (double)f);
			break;
		case K_POINTER:
			n += snprintf(line + n, sizeof(line) - (size_t)n, a->value ? "%#" PRIx64 : "NULL", a->value);
			break;
		case K_STRING:
			n += snprintf(line + n, sizeof(line) - (size_t)n, a->value ? "\"%.60s\"" : "NULL",
				      (const char *)(uintptr_t)a->value);
			break;
		}
	}
	fprintf(log_file, "%s) = %s%s%s\n", line, name ? name : "?", *why ? ": " : "", why);
}

static bool logging(void)
{
	pthread_once(&log_once, log_open);
	return log_file;
}

#define CALL(symbol, base, since, ...) \
EXPORT CUresult symbol(CU_PARAMS(__VA_ARGS__)) \
{ \
	CUresult r = (cu_why_forget(), i_##symbol(CU_NAMES(__VA_ARGS__))); \
	if (logging()) { \
		const struct arg args[] = { CU_MAP(ARG, __VA_ARGS__) }; \
		log_call(#symbol, r, CU_COUNT(__VA_ARGS__), args); \
	} \
	return r; \
}
#define CALL_PT(symbol, pt, base, since, ...) \
CALL(symbol, base, since, __VA_ARGS__) \
EXPORT CUresult pt(CU_PARAMS(__VA_ARGS__)) \
{ \
	bool before = cu_per_thread; \
	CUresult r; \
	cu_per_thread = true; \
	r = symbol(CU_NAMES(__VA_ARGS__)); \
	cu_per_thread = before; \
	return r; \
}
#define CALL_V(symbol, base, since) \
EXPORT CUresult symbol(void) \
{ \
	CUresult r = (cu_why_forget(), i_##symbol()); \
	if (logging()) \
		log_call(#symbol, r, 0, NULL); \
	return r; \
}
CU_CALLS(CALL, CALL_PT, CALL_V)

#define ALIAS(name, symbol) EXPORT extern __typeof__(symbol) name __attribute__((alias(#symbol)));
CU_ALIASES(ALIAS)

/* What exists so that programs can be linked, and says that it does nothing. */
#define UNSUPPORTED(name) \
EXPORT CUresult name(void); \
CUresult name(void) \
{ \
	if (logging()) \
		log_call(#name, CUDA_ERROR_NOT_SUPPORTED, 0, NULL); \
	return CUDA_ERROR_NOT_SUPPORTED; \
}
CU_UNSUPPORTED(UNSUPPORTED)

#define SYMBOL(symbol, base, since, ...) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_PT(symbol, pt, base, since, ...) \
	{ #symbol, #base, since, false, (void *)symbol }, { #pt, #base, since, true, (void *)pt },
#define SYMBOL_V(symbol, base, since) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_UNSUPPORTED(name) { #name, #name, 2000, false, (void *)name },
#define SYMBOL_PROC(base, since, symbol) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_PROC_PT(base, since, symbol) \
	{ #symbol, #base, since, false, (void *)symbol }, { #symbol "_ptsz", #base, since, true, (void *)symbol##_ptsz },
const struct cu_symbol cu_symbols[] = {
	CU_CALLS(SYMBOL, SYMBOL_PT, SYMBOL_V)
	CU_PROCS(SYMBOL_PROC) CU_PROCS_PT(SYMBOL_PROC_PT)
	CU_UNSUPPORTED(SYMBOL_UNSUPPORTED)
	{ 0 }
};
