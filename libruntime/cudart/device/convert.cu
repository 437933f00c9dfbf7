/* SPDX-License-Identifier: MIT */
/* Conversions, and arithmetic with a given rounding: one instruction each. */
#include "device.h"

#define OP1(name, to, out, from, in, text) \
FN to name(from a) { to r; asm(text " %0, %1;" : "=" out(r) : in(a)); return r; }
#define OP2(name, type, c, text) \
FN type name(type a, type b) { type r; asm(text " %0, %1, %2;" : "=" c(r) : c(a), c(b)); return r; }
#define OP3(name, type, c, text) \
FN type name(type a, type b, type d) { type r; asm(text " %0, %1, %2, %3;" : "=" c(r) : c(a), c(b), c(d)); return r; }

/* to an integer: rounding down, to nearest, up, to zero */
#define TO_INTEGER(name, to, out, from, in, types) \
OP1(name##_rd, to, out, from, in, "cvt.rmi." types) \
OP1(name##_rn, to, out, from, in, "cvt.rni." types) \
OP1(name##_ru, to, out, from, in, "cvt.rpi." types) \
OP1(name##_rz, to, out, from, in, "cvt.rzi." types)
TO_INTEGER(__nv_float2int, int, "r", float, "f", "s32.f32")
TO_INTEGER(__nv_float2uint, u32, "r", float, "f", "u32.f32")
TO_INTEGER(__nv_float2ll, s64, "l", float, "f", "s64.f32")
TO_INTEGER(__nv_float2ull, u64, "l", float, "f", "u64.f32")
TO_INTEGER(__nv_double2int, int, "r", double, "d", "s32.f64")
TO_INTEGER(__nv_double2uint, u32, "r", double, "d", "u32.f64")
TO_INTEGER(__nv_double2ll, s64, "l", double, "d", "s64.f64")
TO_INTEGER(__nv_double2ull, u64, "l", double, "d", "u64.f64")

#define TO_FLOAT(name, to, out, from, in, types) \
OP1(name##_rd, to, out, from, in, "cvt.rm." types) \
OP1(name##_rn, to, out, from, in, "cvt.rn." types) \
OP1(name##_ru, to, out, from, in, "cvt.rp." types) \
OP1(name##_rz, to, out, from, in, "cvt.rz." types)
TO_FLOAT(__nv_double2float, float, "f", double, "d", "f32.f64")
TO_FLOAT(__nv_int2float, float, "f", int, "r", "f32.s32")
TO_FLOAT(__nv_uint2float, float, "f", u32, "r", "f32.u32")
TO_FLOAT(__nv_ll2float, float, "f", s64, "l", "f32.s64")
TO_FLOAT(__nv_ull2float, float, "f", u64, "l", "f32.u64")
TO_FLOAT(__nv_ll2double, double, "d", s64, "l", "f64.s64")
TO_FLOAT(__nv_ull2double, double, "d", u64, "l", "f64.u64")
OP1(__nv_int2double_rn, double, "d", int, "r", "cvt.rn.f64.s32")
OP1(__nv_uint2double_rn, double, "d", u32, "r", "cvt.rn.f64.u32")

FN int __nv_double2hiint(double a) { return (int)(bits_of(a) >> 32); }
FN int __nv_double2loint(double a) { return (int)(u32)bits_of(a); }
FN double __nv_hiloint2double(int hi, int lo) { return double_of((u64)(u32)hi << 32 | (u32)lo); }
FN u64 __nv_double_as_longlong(double a) { return bits_of(a); }
FN double __nv_longlong_as_double(s64 a) { return double_of((u64)a); }
FN int __nv_float_as_int(float a) { return (int)bits_of(a); }
FN u32 __nv_float_as_uint(float a) { return bits_of(a); }
FN float __nv_int_as_float(int a) { return float_of((u32)a); }
FN float __nv_uint_as_float(u32 a) { return float_of(a); }

FN u16 __nv_float2half_rn(float a)
{
	u16 r;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
	return r;
}

FN float __nv_half2float(u16 h)
{
	float r;

	asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
	return r;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

#define ROUNDED2(name, type, c, op, t) \
OP2(name##_rd, type, c, op ".rm." t) \
OP2(name##_rn, type, c, op ".rn." t) \
OP2(name##_ru, type, c, op ".rp." t) \
OP2(name##_rz, type, c, op ".rz." t)
ROUNDED2(__nv_fadd, float, "f", "add", "f32")
ROUNDED2(__nv_fsub, float, "f", "sub", "f32")
ROUNDED2(__nv_fmul, float, "f", "mul", "f32")
ROUNDED2(__nv_fdiv, float, "f", "div", "f32")
ROUNDED2(__nv_dadd, double, "d", "add", "f64")
ROUNDED2(__nv_dsub, double, "d", "sub", "f64")
ROUNDED2(__nv_dmul, double, "d", "mul", "f64")
ROUNDED2(__nv_ddiv, double, "d", "div", "f64")

#define ROUNDED1(name, type, c, op, t) \
OP1(name##_rd, type, c, type, c, op ".rm." t) \
OP1(name##_rn, type, c, type, c, op ".rn." t) \
OP1(name##_ru, type, c, type, c, op ".rp." t) \
OP1(name##_rz, type, c, type, c, op ".rz." t)
ROUNDED1(__nv_frcp, float, "f", "rcp", "f32")
ROUNDED1(__nv_fsqrt, float, "f", "sqrt", "f32")
ROUNDED1(__nv_drcp, double, "d", "rcp", "f64")
ROUNDED1(__nv_dsqrt, double, "d", "sqrt", "f64")

#define ROUNDED3(name, type, c, t) \
OP3(name##_rd, type, c, "fma.rm." t) \
OP3(name##_rn, type, c, "fma.rn." t) \
OP3(name##_ru, type, c, "fma.rp." t) \
OP3(name##_rz, type, c, "fma.rz." t)
ROUNDED3(__nv_fmaf, float, "f", "f32")
ROUNDED3(__nv_fmaf_ieee, float, "f", "f32")
ROUNDED3(__nv_fma, double, "d", "f64")
OP3(__nv_fma, double, "d", "fma.rn.f64")
OP3(__nv_fmaf, float, "f", "fma.rn.f32")

OP1(__nv_fabs, double, "d", double, "d", "abs.f64")
OP1(__nv_fabsf, float, "f", float, "f", "abs.f32")
OP1(__nv_sqrt, double, "d", double, "d", "sqrt.rn.f64")
OP1(__nv_sqrtf, float, "f", float, "f", "sqrt.rn.f32")
OP1(__nv_saturatef, float, "f", float, "f", "cvt.sat.f32.f32")
OP1(__nv_floor, double, "d", double, "d", "cvt.rmi.f64.f64")
OP1(__nv_floorf, float, "f", float, "f", "cvt.rmi.f32.f32")
OP1(__nv_ceil, double, "d", double, "d", "cvt.rpi.f64.f64")
OP1(__nv_ceilf, float, "f", float, "f", "cvt.rpi.f32.f32")
OP1(__nv_trunc, double, "d", double, "d", "cvt.rzi.f64.f64")
OP1(__nv_truncf, float, "f", float, "f", "cvt.rzi.f32.f32")
OP1(__nv_rint, double, "d", double, "d", "cvt.rni.f64.f64")
OP1(__nv_rintf, float, "f", float, "f", "cvt.rni.f32.f32")
OP1(__nv_nearbyint, double, "d", double, "d", "cvt.rni.f64.f64")
OP1(__nv_nearbyintf, float, "f", float, "f", "cvt.rni.f32.f32")
OP1(__nv_llrint, s64, "l", double, "d", "cvt.rni.s64.f64")
OP1(__nv_llrintf, s64, "l", float, "f", "cvt.rni.s64.f32")
OP2(__nv_fmin, double, "d", "min.f64")
OP2(__nv_fminf, float, "f", "min.f32")
OP2(__nv_fmax, double, "d", "max.f64")
OP2(__nv_fmaxf, float, "f", "max.f32")

/* Fast functions, which are as exact as the instructions. */
OP1(__nv_rsqrt, double, "d", double, "d", "rsqrt.approx.f64")
OP1(__nv_rsqrtf, float, "f", float, "f", "rsqrt.approx.f32")
OP1(__nv_rcp64h, double, "d", double, "d", "rcp.approx.ftz.f64")
OP1(__nv_fast_sinf, float, "f", float, "f", "sin.approx.f32")
OP1(__nv_fast_cosf, float, "f", float, "f", "cos.approx.f32")
OP1(__nv_fast_log2f, float, "f", float, "f", "lg2.approx.f32")
OP1(fast_exp2f, float, "f", float, "f", "ex2.approx.f32")
OP2(__nv_fast_fdividef, float, "f", "div.approx.f32")
FN float __nv_frsqrt_rn(float a) { return (float)(1.0 / __nv_sqrt((double)a)); }
FN float __nv_fast_expf(float a) { return fast_exp2f(a * 1.4426950409f); }
FN float __nv_fast_exp10f(float a) { return fast_exp2f(a * 3.3219280949f); }
FN float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0.6931471806f; }
FN float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0.3010299957f; }
FN float __nv_fast_powf(float a, float b) { return fast_exp2f(b * __nv_fast_log2f(a)); }
FN float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
FN void __nv_fast_sincosf(float a, float *s, float *c) { *s = __nv_fast_sinf(a); *c = __nv_fast_cosf(a); }
