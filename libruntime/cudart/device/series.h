/* SPDX-License-Identifier: MIT */
/*
 * What functions of doubles (math.cu) and of floats (float_series.cu) have in common: constants, and the later terms of series,
 * which each of them begins as far out as it needs.
 */
#ifndef PPU_CUDA_SERIES_H
#define PPU_CUDA_SERIES_H

#include "device.h"

#define PI_1	0x1.921fb54442d18p+1
#define HALF_PI_1	0x1.921fb54442d18p+0
#define HALF_PI_2	0x1.1a62633145c07p-54
#define LN2		0x1.62e42fefa39efp-1
#define LN10		0x1.26bb1bbb55516p+1
#define LOG2_E		0x1.71547652b82fep+0
#define LOG10_E		0x1.bcb7b1526e50ep-2
#define LOG2_10		0x1.a934f0979a371p+1

IN double fma_(double a, double b, double c) { return __nv_fma(a, b, c); }

/* (e^r - 1 - r) / r^2; p: the terms from r^9 / 11! on */
IN double exp_terms(double p, double r)
{
	p = fma_(p, r, 1.0 / 3628800.0);
	p = fma_(p, r, 1.0 / 362880.0);
	p = fma_(p, r, 1.0 / 40320.0);
	p = fma_(p, r, 1.0 / 5040.0);
	p = fma_(p, r, 1.0 / 720.0);
	p = fma_(p, r, 1.0 / 120.0);
	p = fma_(p, r, 1.0 / 24.0);
	p = fma_(p, r, 1.0 / 6.0);
	return fma_(p, r, 0.5);
}

/* (sin(r) / r - 1) / z, z = r^2; p: the terms from z^5 / 13! on */
IN double sin_terms(double p, double z)
{
	p = fma_(p, z, -1.0 / 39916800.0);
	p = fma_(p, z, 1.0 / 362880.0);
	p = fma_(p, z, -1.0 / 5040.0);
	p = fma_(p, z, 1.0 / 120.0);
	return fma_(p, z, -1.0 / 6.0);
}

/* (cos(r) - 1 + z / 2) / z^2, z = r^2; p: the terms from z^5 / 14! on */
IN double cos_terms(double p, double z)
{
	p = fma_(p, z, 1.0 / 479001600.0);
	p = fma_(p, z, -1.0 / 3628800.0);
	p = fma_(p, z, 1.0 / 40320.0);
	p = fma_(p, z, -1.0 / 720.0);
	return fma_(p, z, 1.0 / 24.0);
}

/* 2 / 5 + 2 z / 7 + ..., of 2 atanh(s) with z = s^2; p: the terms from 2 z^8 / 21 on */
IN double log_terms(double p, double z)
{
	p = fma_(p, z, 2.0 / 19.0);
	p = fma_(p, z, 2.0 / 17.0);
	p = fma_(p, z, 2.0 / 15.0);
	p = fma_(p, z, 2.0 / 13.0);
	p = fma_(p, z, 2.0 / 11.0);
	p = fma_(p, z, 2.0 / 9.0);
	p = fma_(p, z, 2.0 / 7.0);
	return fma_(p, z, 2.0 / 5.0);
}

#endif
