/* SPDX-License-Identifier: MIT */
/* OpenCL by the few functions that are needed, declared here: see opencl.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "opencl.h"

/* Numbers of the OpenCL specification. */
#define DEVICE_TYPE_CPU		(1ull << 1)
#define MEM_READ_WRITE		(1ull << 0)
#define MEM_COPY_HOST_PTR	(1ull << 5)
#define PLATFORM_VERSION	0x0901u
#define PROGRAM_BUILD_LOG	0x1183u
#define MAX_ARRAYS		6

/* name, result, parameters */
#define FUNCTIONS(F) \
	F(clGetPlatformIDs, int32_t, uint32_t, void **, uint32_t *) \
	F(clGetPlatformInfo, int32_t, void *, uint32_t, size_t, void *, size_t *) \
	F(clGetDeviceIDs, int32_t, void *, uint64_t, uint32_t, void **, uint32_t *) \
	F(clCreateContext, void *, const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *) \
	F(clCreateCommandQueue, void *, void *, void *, uint64_t, int32_t *) \
	F(clCreateProgramWithSource, void *, void *, uint32_t, const char **, const size_t *, int32_t *) \
	F(clBuildProgram, int32_t, void *, uint32_t, void *const *, const char *, void *, void *) \
	F(clGetProgramBuildInfo, int32_t, void *, void *, uint32_t, size_t, void *, size_t *) \
	F(clCreateKernel, void *, void *, const char *, int32_t *) \
	F(clCreateBuffer, void *, void *, uint64_t, size_t, void *, int32_t *) \
	F(clSetKernelArg, int32_t, void *, uint32_t, size_t, const void *) \
	F(clEnqueueNDRangeKernel, int32_t, void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, \
	  uint32_t, void *, void *) \
	F(clEnqueueReadBuffer, int32_t, void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *) \
	F(clEnqueueWriteBuffer, int32_t, void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *, void *) \
	F(clFinish, int32_t, void *) \
	F(clReleaseMemObject, int32_t, void *) \
	F(clReleaseKernel, int32_t, void *) \
	F(clReleaseProgram, int32_t, void *) \
	F(clReleaseCommandQueue, int32_t, void *) \
	F(clReleaseContext, int32_t, void *)

struct ocl {
	void *lib;
#define POINTER(name, ret, ...) ret (*name)(__VA_ARGS__);
	FUNCTIONS(POINTER)
#undef POINTER
	void *device, *context, *queue, *program;
	char name[128];
};

static bool load(struct ocl *o)
{
	o->lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!o->lib)
		return false;
#define LOOK_UP(name, ret, ...) \
	*(void **)&o->name = dlsym(o->lib, #name); \
	if (!o->name) \
		return false;
	FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return true;
}

static char *read_file(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	size_t cap = 0;

	if (f && getdelim(&text, &cap, 0, f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static const char *build(struct ocl *o, const char *file)
{
	char *text = read_file(file), log[4096] = "";
	const char *source = text;
	int32_t rc;

	if (!text)
		return "the kernels cannot be read";
	o->program = o->clCreateProgramWithSource(o->context, 1, &source, NULL, &rc);
	if (!rc)
		rc = o->clBuildProgram(o->program, 1, &o->device, "", NULL, NULL);
	free(text);
	if (!rc)
		return NULL;
	if (o->program)
		o->clGetProgramBuildInfo(o->program, o->device, PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	fprintf(stderr, "%s", log);
	return "the kernels do not compile";
}

static const char *start(struct ocl *o, const char *file)
{
	void *platforms[8];
	uint32_t n = 0, count, i;
	int32_t rc;

	if (o->clGetPlatformIDs(8, platforms, &n))
		n = 0;
	for (i = 0; i < n && i < 8; i++)
		if (!o->clGetDeviceIDs(platforms[i], DEVICE_TYPE_CPU, 1, &o->device, &count) && count)
			break;
	if (i == n || i == 8)
		return "there is no OpenCL for the CPU";
	o->clGetPlatformInfo(platforms[i], PLATFORM_VERSION, sizeof(o->name) - 1, o->name, NULL);
	o->context = o->clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc);
	if (!rc)
		o->queue = o->clCreateCommandQueue(o->context, o->device, 0, &rc);
	return rc ? "OpenCL does not start" : build(o, file);
}

struct ocl *ocl_open(const char *file, const char **why)
{
	struct ocl *o = calloc(1, sizeof(*o));

	setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);	/* one thread; the name since PoCL 5 is the other one */
	setenv("POCL_CPU_MAX_CU_COUNT", "1", 1);
	*why = o && load(o) ? start(o, file) : "libOpenCL.so.1 is not installed";
	if (!*why)
		return o;
	ocl_close(o);
	return NULL;
}

const char *ocl_name(const struct ocl *o)
{
	return o->name;
}

void ocl_close(struct ocl *o)
{
	if (!o)
		return;
	if (o->program)
		o->clReleaseProgram(o->program);
	if (o->queue)
		o->clReleaseCommandQueue(o->queue);
	if (o->context)
		o->clReleaseContext(o->context);
	free(o);	/* the library stays: threads of its may still be there */
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int32_t set_args(struct ocl *o, void *kernel, const struct ocl_run *r, void **buffers)
{
	uint32_t at = 0, i;
	int32_t rc = 0;

	for (i = 0; i < r->arrays; i++) {
		if (r->n_before && i + 1 == r->arrays)
			rc |= o->clSetKernelArg(kernel, at++, 4, &r->n);
		rc |= o->clSetKernelArg(kernel, at++, sizeof(void *), &buffers[i]);
	}
	if (!r->n_before)
		rc |= o->clSetKernelArg(kernel, at++, 4, &r->n);
	if (r->has_scalar)
		rc |= o->clSetKernelArg(kernel, at++, 4, &r->scalar);
	return rc;
}

/* Once, from the first state of the result on: some kernels add to it. */
static double once(struct ocl *o, void *kernel, const struct ocl_run *r, void *last)
{
	size_t bytes = r->bytes[r->arrays - 1];
	size_t global[2] = { r->grid[0] * r->block[0], r->grid[1] * r->block[1] };
	double t;
	int32_t rc;

	rc = o->clEnqueueWriteBuffer(o->queue, last, 1, 0, bytes, r->host[r->arrays - 1], 0, NULL, NULL);
	t = cpu_time();
	rc |= o->clEnqueueNDRangeKernel(o->queue, kernel, 2, NULL, global, r->block, 0, NULL, NULL);
	rc |= o->clFinish(o->queue);
	return rc ? -1 : cpu_time() - t;
}

double ocl_run(struct ocl *o, const struct ocl_run *r, void *result)
{
	void *buffers[MAX_ARRAYS] = { 0 }, *kernel;
	double best = -1, t;
	int32_t rc, sum = 0;
	unsigned i;

	kernel = o->clCreateKernel(o->program, r->kernel, &rc);
	if (rc)
		return -1;
	for (i = 0; i < r->arrays; i++) {
		buffers[i] = o->clCreateBuffer(o->context, MEM_READ_WRITE | MEM_COPY_HOST_PTR, r->bytes[i], r->host[i], &rc);
		sum |= rc;
	}
	sum |= set_args(o, kernel, r, buffers);
	for (i = 0; i < 4 && !sum; i++) {	/* the first one compiles for this size of the groups */
		t = once(o, kernel, r, buffers[r->arrays - 1]);
		sum |= t < 0;
		if (i && (best < 0 || t < best))
			best = t;
	}
	if (!sum)
		sum = o->clEnqueueReadBuffer(o->queue, buffers[r->arrays - 1], 1, 0, r->bytes[r->arrays - 1], result, 0, NULL,
					     NULL);
	for (i = 0; i < r->arrays; i++)
		if (buffers[i])
			o->clReleaseMemObject(buffers[i]);
	o->clReleaseKernel(kernel);
	return sum ? -1 : best;
}
