/* SPDX-License-Identifier: MIT */
/*
 * The device's mathematics: compilers call __nv_NAME for CUDA's functions.  The functions use the machine's own
 * instructions where it has them, else series; Documentation/runtime/cudart.md says how exact they are.
 */
#ifndef PPU_CUDA_DEVICE_H
#define PPU_CUDA_DEVICE_H

#define FN extern "C" __attribute__((device))
#define IN static inline __attribute__((device, always_inline))

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

IN u64 bits_of(double x) { return __builtin_bit_cast(u64, x); }
IN double double_of(u64 v) { return __builtin_bit_cast(double, v); }
IN u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
IN float float_of(u32 v) { return __builtin_bit_cast(float, v); }

#define SIGN	0x8000000000000000ull
#define INF	__builtin_inf()
#define NOT_A	__builtin_nan("")

FN double __nv_fma(double a, double b, double c);
FN double __nv_fabs(double a);
FN double __nv_rint(double a);
FN double __nv_trunc(double a);
FN double __nv_floor(double a);
FN double __nv_sqrt(double a);
FN double __nv_copysign(double a, double b);
FN double __nv_ldexp(double a, int n);
FN double __nv_exp(double a);
FN double __nv_log(double a);
FN double __nv_pow(double a, double b);
FN double __nv_fmod(double a, double b);
FN double __nv_sin(double a);
FN double __nv_cos(double a);
FN double __nv_tan(double a);

#endif
