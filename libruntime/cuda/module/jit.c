/* SPDX-License-Identifier: MIT */
/* The options of cuModuleLoadDataEx and of the linker, and the logs for which these options ask. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "cuda/module/jit.h"
#include "cuda/context/error.h"


/* A number is passed in place of the pointer. */
static unsigned int number(void *const *value)
{
	return (unsigned int)(uintptr_t)*value;
}

static CUresult option(struct cu_jit *jit, CUjit_option o, void **value)
{
	switch (o) {
	case CU_JIT_MAX_REGISTERS:
		jit->max_regs = number(value);
		break;
	case CU_JIT_THREADS_PER_BLOCK:
		jit->threads = value;
		break;
	case CU_JIT_WALL_TIME:
		jit->wall_time = value;
		break;
	case CU_JIT_INFO_LOG_BUFFER:
		jit->info = *value;
		break;
	case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
		jit->info_bytes = number(value);
		jit->info_used = value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER:
		jit->error = *value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
		jit->error_bytes = number(value);
		jit->error_used = value;
		break;
	case CU_JIT_LOG_VERBOSE:
		jit->verbose = number(value);
		break;
	case CU_JIT_OPTIMIZATION_LEVEL:
		return number(value) <= 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_JIT_GLOBAL_SYMBOL_NAMES:
	case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
	case CU_JIT_GLOBAL_SYMBOL_COUNT:
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		/* The other options only advise, and are ignored. */
		break;
	}
	return (int)o < 0 || o >= CU_JIT_NUM_OPTIONS ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cu_jit_parse(struct cu_jit *jit, unsigned int num, const CUjit_option *options, void **values)
{
	CUresult r = CUDA_SUCCESS;

	memset(jit, 0, sizeof(*jit));
	if (num && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; !r && i < num; i++)
		r = option(jit, options[i], &values[i]);
	if (jit->max_regs > 255)
		jit->max_regs = 255;
	clock_gettime(CLOCK_MONOTONIC, &jit->start);
	return r;
}

static void give(char *buf, size_t bytes, void **used, const char *text)
{
	size_t n = strlen(text);

	if (buf && bytes)
		snprintf(buf, bytes, "%s", text);
	if (used)
		*used = (void *)(uintptr_t)(!buf || !bytes || !n ? 0 : n + 1 < bytes ? n + 1 : bytes);
}

void cu_jit_done(struct cu_jit *jit, CUresult res, const char *text)
{
	struct timespec now;
	float ms;

	give(jit->error, jit->error_bytes, jit->error_used, !res ? "" : *text ? text : cu_why());
	give(jit->info, jit->info_bytes, jit->info_used, res ? "" : *text ? text : jit->verbose ? "no messages\n" : "");
	if (jit->wall_time) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ms = (float)(now.tv_sec - jit->start.tv_sec) * 1e3f + (float)(now.tv_nsec - jit->start.tv_nsec) * 1e-6f;
		memcpy(jit->wall_time, &ms, sizeof(ms));
	}
}
