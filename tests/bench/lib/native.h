/* SPDX-License-Identifier: MIT */
/* The bench kernels as plain C, compiled with -O3 -march=native: one call does the whole grid. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdint.h>

void native_vecadd(const float *a, const float *b, float *c, uint32_t n);
void native_sgemm(const float *a, const float *b, float *c, uint32_t n);
void native_mandelbrot(uint32_t *out, uint32_t n, uint32_t limit);
void native_histogram(const uint8_t *data, uint32_t n, uint32_t *bins);
void native_reduction(const uint32_t *data, uint32_t n, uint32_t *sum);
void native_nbody(const float *pos, float *acc, uint32_t n);
void native_spmv(const uint32_t *start, const uint32_t *col, const float *val, const float *x, float *y,
		 uint32_t rows);
void native_sha256(const uint32_t *in, uint32_t *out, uint32_t n);
void native_bfs(const uint32_t *start, const uint32_t *next, uint32_t *levels, uint32_t nodes, uint32_t level);
void native_black_scholes(const float *s, const float *t, const float *u, float *prices, uint32_t n);
void native_fft(const float *in, const float *roots, float *out, uint32_t n);
void native_transpose(const float *in, float *out, uint32_t n);
void native_stencil(const float *in, float *out, uint32_t n);
void native_dgemm(const double *a, const double *b, double *c, uint32_t n);

/* f32 fused multiply-adds a second of one core, in registers. */
double native_fma_rate(void);

#endif
