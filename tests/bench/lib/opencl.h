/* SPDX-License-Identifier: MIT */
/*
 * The same kernels by an OpenCL compiler for the CPU (PoCL), one thread. The library is opened when the program runs,
 * so building needs nothing of OpenCL, and without it there is just nothing to compare with.
 */
#ifndef OPENCL_H
#define OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ocl_run {
	const char *kernel;
	unsigned arrays;		/* the result is the last one */
	void *const *host;
	const size_t *bytes;
	uint32_t n, scalar;
	/* parameters: the arrays, n, the scalar; n_before: n stands before the result */
	bool has_scalar, n_before;
	size_t grid[2], block[2];	/* groups, threads of a group */
};

/* Compiles the file of kernels; NULL: there is no OpenCL for the CPU, or it cannot be used; *why says what is missing. */
struct ocl *ocl_open(const char *file, const char **why);
const char *ocl_name(const struct ocl *o);	/* of the implementation, with its version */
void ocl_close(struct ocl *o);

/* Runs the kernel four times. Returns the least CPU time of the last three in s; -1: it failed. */
double ocl_run(struct ocl *o, const struct ocl_run *r, void *result);

#endif
