/* SPDX-License-Identifier: MIT */
/*
 * Functions that the samples of the CUDA Driver API share. These samples use nothing special to the PPU: they run with
 * any libcuda.so.1. Kernels come as PTX, from the directory named by PPU_SAMPLES or from ../samples beside the program.
 */
#ifndef CUDA_SAMPLE_H
#define CUDA_SAMPLE_H

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cuda.h>

#define CHECK(call) check((call), #call)
static inline void check(CUresult r, const char *what)
{
	const char *name = "?", *text = "?";

	if (!r)
		return;
	cuGetErrorName(r, &name);
	cuGetErrorString(r, &text);
	fprintf(stderr, "%s\n  %s: %s\n", what, name, text);
	exit(1);
}

/* A context of the first device, and a kernel from the file of the same name. */
static inline CUfunction start(const char *file, const char *kernel)
{
	char exe[PATH_MAX] = "", path[PATH_MAX + 64], name[64];
	const char *dir = getenv("PPU_SAMPLES");
	CUcontext ctx;
	CUdevice dev;
	CUfunction f;
	CUmodule mod;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&dev, 0));
	CHECK(cuDeviceGetName(name, sizeof(name), dev));
	CHECK(cuCtxCreate(&ctx, 0, dev));
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		exit(1);
	if (dir)
		snprintf(path, sizeof(path), "%s/%s.ptx", dir, file);
	else
		snprintf(path, sizeof(path), "%s/../samples/%s.ptx", dirname(exe), file);
	CHECK(cuModuleLoad(&mod, path));
	CHECK(cuModuleGetFunction(&f, mod, kernel));
	printf("%s: ", name);
	return f;
}

static inline unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif
