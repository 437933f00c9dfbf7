/* SPDX-License-Identifier: MIT */
/*
 * The approximate functions: PTX's bound and the largest error among all operands. test_exec_worst.c checks the numbers, test_hwdoc.c makes the manual's table of them.
 *
 * A(name, opcode, type, reference, measure, symmetry, smallest and largest |operand|, range as text,
 *   bound of PTX, the same as text, largest error, operand that has it)
 *
 * Measures: relative error (a result below the normal numbers: relative to the smallest of these), absolute error, ulp
 * of the type. Symmetry: f(-x) = -f(x), f(-x) = f(x), f(-x) is NaN, or none of them.
 */
#ifndef APPROX_LIST_H
#define APPROX_LIST_H

enum approx_measure { APPROX_REL, APPROX_ABS, APPROX_ULP };
enum approx_symmetry { APPROX_ODD, APPROX_EVEN, APPROX_POSITIVE, APPROX_NONE };

#define APPROX_FUNCTIONS(A) \
A("rcp.approx.f32", RCP, F32, rcp, ULP, ODD, 0, INFINITY, "", 1, "1 ulp", 0.5, 0x2f7fffff) \
A("sqrt.approx.f32", SQRT, F32, sqrt, REL, POSITIVE, 0, INFINITY, "", 0x1p-23, "2^-23", 5.96046e-08, 0x31800001) \
A("rsqrt.approx.f32", RSQRT, F32, rsqrt, REL, POSITIVE, 0, INFINITY, "", 0x1.12p-23, "2^-22.9", 8.9407e-08, 0x2f7fffff) \
A("ex2.approx.f32", EX2, F32, exp2, ULP, NONE, 0, INFINITY, "", 2, "2 ulp", 1.15096, 0x3f006dd7) \
A("lg2.approx.f32", LG2, F32, log2, ABS, POSITIVE, 0x1.000002p-1, 0x1.fffffep0, "(0.5, 2)", 0x1p-22, "2^-22", 1.11445e-07, 0x3f323023) \
A("lg2.approx.f32", LG2, F32, log2, REL, POSITIVE, 0, 0.5, "up to 0.5", 0x1p-22, "2^-22", 9.30796e-08, 0x3eb4ddb7) \
A("lg2.approx.f32", LG2, F32, log2, REL, POSITIVE, 2, INFINITY, "from 2", 0x1p-22, "2^-22", 9.66822e-08, 0x40261e4f) \
A("sin.approx.f32", SIN, F32, sin, ABS, ODD, 0, 6.28318548f, "[-2 pi, 2 pi]", 0x1.6ap-21, "2^-20.5", 1.08316e-07, 0x3f49f9c7) \
A("sin.approx.f32", SIN, F32, sin, ABS, ODD, 6.28318548f, INFINITY, "beyond", 0x1.3bp-15, "2^-14.7", 1.17954e-07, 0x7c4b4808) \
A("cos.approx.f32", COS, F32, cos, ABS, EVEN, 0, 6.28318548f, "[-2 pi, 2 pi]", 0x1.6ap-21, "2^-20.5", 1.16159e-07, 0x407b4a30) \
A("cos.approx.f32", COS, F32, cos, ABS, EVEN, 6.28318548f, INFINITY, "beyond", 0x1.3bp-15, "2^-14.7", 1.17959e-07, 0x5920f7d5) \
A("tanh.approx.f32", TANH, F32, tanh, REL, ODD, 0, INFINITY, "", 0x1p-11, "2^-11", 2.13501e-07, 0x3e83c2b7) \
A("ex2.approx.f16", EX2, F16, exp2, REL, NONE, 0, INFINITY, "", 0x1.12p-10, "2^-9.9", 0.000488281, 0xce40) \
A("ex2.approx.ftz.bf16", EX2, BF16, exp2, REL, NONE, 0, INFINITY, "", 0x1p-7, "2^-7", 0.00390625, 0xc306) \
A("tanh.approx.f16", TANH, F16, tanh, ABS, ODD, 0, INFINITY, "", 0x1.02p-11, "2^-10.987", 0.000244057, 0x3ec4) \
A("tanh.approx.bf16", TANH, BF16, tanh, REL, ODD, 0, INFINITY, "", 0x1p-8, "2^-8", 0.00370472, 0x3f10)

#endif
