/* SPDX-License-Identifier: MIT */
/*
 * Large PTX programs, each of one shape that is hard for some part of the compiler. How much work a program of twice
 * the lines takes is what test_ptx_cost and bench_compile are about.
 */
#ifndef PTX_LARGE_H
#define PTX_LARGE_H

#include <stddef.h>

/* Name of a shape, NULL: there are no more. */
const char *ptx_large_name(unsigned shape);

/* A program of about `lines` lines. The caller frees the text. */
char *ptx_large(unsigned shape, unsigned lines, size_t *len);

#endif
