/* SPDX-License-Identifier: MIT */
/* Shared by the programs: each ends with status 0 only if all its checks passed. */
#ifndef TEST_H
#define TEST_H

#include <cstdio>
#include <cstdlib>

#define OK(call) do { \
	cudaError_t e_ = (call); \
	if (e_ != cudaSuccess) { \
		printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); \
		exit(1); \
	} \
} while (0)
#define CHECK(what) do { \
	if (!(what)) { \
		printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
		exit(1); \
	} \
} while (0)

#endif
