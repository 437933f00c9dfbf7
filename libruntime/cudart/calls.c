/* SPDX-License-Identifier: MIT */
/*
 * The exported functions: each calls its i_NAME and remembers an error for cudaGetLastError.  With
 * PPU_CUDA_LOG=FILE in the environment ("-": standard error) every call is logged with its arguments and
 * result, in the same file as the Driver API's calls below it.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cudart.h"
#include "unsupported.h"

#define EXPORT __attribute__((visibility("default")))

__thread bool crt_per_thread;

static FILE *log_file;
static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static void log_open(void)
{
	const char *path = getenv("PPU_CUDA_LOG");

	if (!path || !*path)
		return;
	log_file = path[0] == '-' && !path[1] ? stderr : fopen(path, "ae");
	if (!log_file)
		fprintf(stderr, "libcudart: PPU_CUDA_LOG: %s cannot be opened\n", path);
	else
		setvbuf(log_file, NULL, _IOLBF, 0);
}

static bool logging(void)
{
	pthread_once(&log_once, log_open);
	return log_file;
}

/* An argument as text. */
enum kind { K_INT, K_UINT, K_POINTER, K_STRING, K_DIM, K_OTHER };
struct arg {
	const char *name;
	enum kind kind;
	uint64_t value;
	dim3 dim;
};

static struct arg arg_int(const char *name, int64_t v)
{
	return (struct arg){ name, K_INT, (uint64_t)v, { 0 } };
}

static struct arg arg_uint(const char *name, uint64_t v)
{
	return (struct arg){ name, K_UINT, v, { 0 } };
}

static struct arg arg_pointer(const char *name, const void *v)
{
	return (struct arg){ name, K_POINTER, (uintptr_t)v, { 0 } };
}

static struct arg arg_string(const char *name, const char *v)
{
	return (struct arg){ name, K_STRING, (uintptr_t)v, { 0 } };
}

static struct arg arg_dim(const char *name, dim3 v)
{
	return (struct arg){ name, K_DIM, 0, v };
}

static struct arg arg_extent(const char *name, struct cudaExtent v)
{
	return (struct arg){ name, K_DIM, 0, { (unsigned int)v.width, (unsigned int)v.height, (unsigned int)v.depth } };
}

static struct arg arg_pitched(const char *name, struct cudaPitchedPtr v)
{
	return arg_pointer(name, v.ptr);
}

#define ARG(type, name, ...) _Generic(name, \
	int: arg_int, unsigned int: arg_uint, unsigned long: arg_uint, unsigned long long: arg_uint, \
	const char *: arg_string, dim3: arg_dim, struct cudaExtent: arg_extent, \
	struct cudaPitchedPtr: arg_pitched, default: arg_pointer)(#name, name)

static int format(char *line, size_t room, const struct arg *a)
{
	switch (a->kind) {
	case K_INT:
		return snprintf(line, room, "%s=%" PRId64, a->name, (int64_t)a->value);
	case K_UINT:
		return snprintf(line, room, a->value < 1u << 24 ? "%s=%" PRIu64 : "%s=%#" PRIx64, a->name, a->value);
	case K_STRING:
		if (a->value)
			return snprintf(line, room, "%s=\"%.60s\"", a->name, (const char *)(uintptr_t)a->value);
		/* fall through */
	case K_POINTER:
		return snprintf(line, room, a->value ? "%s=%#" PRIx64 : "%s=NULL", a->name, a->value);
	default:
		return snprintf(line, room, "%s=(%u,%u,%u)", a->name, a->dim.x, a->dim.y, a->dim.z);
	}
}

static void log_call(const char *symbol, cudaError_t r, unsigned int num, const struct arg *args)
{
	const char *name = crt_error_name(r);
	char line[1024];
	int n = snprintf(line, sizeof(line), "[%ld] %s(", syscall(SYS_gettid), symbol);

	for (unsigned int i = 0; i < num && n < (int)sizeof(line) - 160; i++) {
		if (i)
			n += snprintf(line + n, sizeof(line) - (size_t)n, ", ");
		n += format(line + n, sizeof(line) - (size_t)n, &args[i]);
	}
	fprintf(log_file, "%s) = %s\n", line, name ? name : "?");
}

#define CALL(symbol, ...) \
EXPORT cudaError_t symbol(CUDART_PARAMS(__VA_ARGS__)) \
{ \
	cudaError_t r = crt_finish(i_##symbol(CUDART_NAMES(__VA_ARGS__))); \
	if (logging()) { \
		const struct arg args[] = { CUDART_MAP(ARG, __VA_ARGS__) }; \
		log_call(#symbol, r, CUDART_COUNT(__VA_ARGS__), args); \
	} \
	return r; \
}
#define CALL_PT(suffix, symbol, ...) \
CALL(symbol, __VA_ARGS__) \
EXPORT cudaError_t symbol##suffix(CUDART_PARAMS(__VA_ARGS__)) \
{ \
	bool before = crt_per_thread; \
	cudaError_t r; \
	crt_per_thread = true; \
	r = symbol(CUDART_NAMES(__VA_ARGS__)); \
	crt_per_thread = before; \
	return r; \
}
#define CALL_Z(symbol, ...) CALL_PT(_ptsz, symbol, __VA_ARGS__)
#define CALL_D(symbol, ...) CALL_PT(_ptds, symbol, __VA_ARGS__)
#define CALL_V(symbol) \
EXPORT cudaError_t symbol(void) \
{ \
	cudaError_t r = crt_finish(i_##symbol()); \
	if (logging()) \
		log_call(#symbol, r, 0, NULL); \
	return r; \
}
CUDART_CALLS(CALL, CALL_Z, CALL_D, CALL_V)

/* What exists so that programs can be linked, and says that it does nothing. */
#define UNSUPPORTED(name) \
EXPORT cudaError_t name(void); \
cudaError_t name(void) \
{ \
	if (logging()) \
		log_call(#name, cudaErrorNotSupported, 0, NULL); \
	return crt_finish(cudaErrorNotSupported); \
}
CUDART_UNSUPPORTED(UNSUPPORTED)
