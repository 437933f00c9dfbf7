/* SPDX-License-Identifier: MIT */
/* Complex numbers as CUDA programs in C use them: cuFloatComplex, cuDoubleComplex and their functions, on host and device. */
#ifndef PPU_CUCOMPLEX_H
#define PPU_CUCOMPLEX_H
#define CU_COMPLEX_H_	/* programs and their helper headers ask for this name */

#include <math.h>
#include "vector_types.h"
#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/*
 * f: what the names end with, and those of the functions of mathematics.  A quotient is computed of numbers that are
 * divided by the divisor's size first, so that nothing overflows that fits at the end.
 */
#define CUDART_COMPLEX_(type, real, f) \
	CUDART_MAKE_ type make_##type(real x, real y) { type z; z.x = x; z.y = y; return z; } \
	CUDART_MAKE_ real cuCreal##f(type z) { return z.x; } \
	CUDART_MAKE_ real cuCimag##f(type z) { return z.y; } \
	CUDART_MAKE_ type cuConj##f(type z) { return make_##type(z.x, -z.y); } \
	CUDART_MAKE_ type cuCadd##f(type a, type b) { return make_##type(a.x + b.x, a.y + b.y); } \
	CUDART_MAKE_ type cuCsub##f(type a, type b) { return make_##type(a.x - b.x, a.y - b.y); } \
	CUDART_MAKE_ type cuCmul##f(type a, type b) \
	{ \
		return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
	} \
	CUDART_MAKE_ type cuCdiv##f(type a, type b) \
	{ \
		real size = fabs##f(b.x) + fabs##f(b.y), x = b.x / size, y = b.y / size; \
		real square = x * x + y * y; \
		\
		a = make_##type(a.x / size, a.y / size); \
		return make_##type((a.x * x + a.y * y) / square, (a.y * x - a.x * y) / square); \
	} \
	CUDART_MAKE_ real cuCabs##f(type z) { return hypot##f(z.x, z.y); } \
	CUDART_MAKE_ type cuCfma##f(type a, type b, type c) { return cuCadd##f(cuCmul##f(a, b), c); }
CUDART_COMPLEX_(cuFloatComplex, float, f)
CUDART_COMPLEX_(cuDoubleComplex, double,)
#undef CUDART_COMPLEX_

CUDART_MAKE_ cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
CUDART_MAKE_ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
CUDART_MAKE_ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }

#endif
