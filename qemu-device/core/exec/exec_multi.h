/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles a file of lane loops once per host instruction set.
 *
 * A file of lane loops (exec_int.c, ...) starts with
 *
 *   #ifndef PPU_EXEC_LEVEL
 *   #define PPU_EXEC_TEMPLATE "exec_int.c"
 *   #include "core/exec/exec_multi.h"
 *   #else
 *
 * and is then included again by this header for every level, with N(name) giving the functions of
 * each level a name of their own.  Levels:
 *   1  plain x86-64 (SSE2), or any other host
 *   3  AVX2 and FMA
 *   4  AVX-512 F, BW, CD, DQ, VL
 * The loops are written for the compiler's vectorizer, with few intrinsics.  Level 1 has plain C beside each of
 * them.  Hosts other than x86-64 compile that, and so does x86-64 with -DPPU_PORTABLE, for tests.
 *
 * The bits of a result must not depend on the level: no contraction of a * b + c, no reassociation,
 * no library function whose last bit may differ.  __builtin_fma is used where the operation is a
 * fused one, with an exact replacement on level 1.
 *
 * Other compilers than GCC get level 1 only.
 */
#ifndef PPU_EXEC_MULTI_H
#define PPU_EXEC_MULTI_H

#if defined(__x86_64__) && !defined(PPU_PORTABLE)
#define PPU_EXEC_X86 1
#include <immintrin.h>
#ifndef __clang__
#define PPU_EXEC_LEVELS 1	/* 3 and 4 exist */
#endif
#endif
#include <string.h>
#include "core/exec/exec.h"
#include "core/exec/lane_bit.h"

/* One selector per file and level: the function of a decoded instruction, or NULL. */
#define PPU_EXEC_SELECTORS(S) S(int) S(bits) S(pred) S(fp) S(cvt) S(half)
#define S(file) \
ppu_exec_fn ppu_sel_##file##_v1(const struct ppu_dinsn *di); \
ppu_exec_fn ppu_sel_##file##_v3(const struct ppu_dinsn *di); \
ppu_exec_fn ppu_sel_##file##_v4(const struct ppu_dinsn *di);
PPU_EXEC_SELECTORS(S)
#undef S

#endif

#if defined(PPU_EXEC_TEMPLATE) && !defined(PPU_EXEC_LEVEL)

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wbitwise-conditional-parentheses"
#pragma clang diagnostic ignored "-Wpointer-type-mismatch"
#else
#pragma GCC push_options
#pragma GCC optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-trapping-math", "fp-contract=off", "no-tree-loop-distribute-patterns")
#endif
#include "core/exec/exec_scalar.h"

#define PPU_CAT2(a, b) a##b
#define PPU_CAT(a, b) PPU_CAT2(a, b)
#define N(name) PPU_CAT(name, PPU_EXEC_SUFFIX)

#define PPU_EXEC_LEVEL 1
#define PPU_EXEC_SUFFIX _v1
#include "core/exec/exec_lane.h"
#include PPU_EXEC_TEMPLATE
#undef PPU_EXEC_LEVEL
#undef PPU_EXEC_SUFFIX

#ifdef PPU_EXEC_LEVELS
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,movbe")
#define PPU_EXEC_LEVEL 3
#define PPU_EXEC_SUFFIX _v3
#include "core/exec/exec_lane.h"
#include PPU_EXEC_TEMPLATE
#undef PPU_EXEC_LEVEL
#undef PPU_EXEC_SUFFIX
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,prefer-vector-width=512")
#define PPU_EXEC_LEVEL 4
#define PPU_EXEC_SUFFIX _v4
#include "core/exec/exec_lane.h"
#include PPU_EXEC_TEMPLATE
#undef PPU_EXEC_LEVEL
#undef PPU_EXEC_SUFFIX
#pragma GCC pop_options
#endif

#ifndef __clang__
#pragma GCC pop_options
#endif

#endif
