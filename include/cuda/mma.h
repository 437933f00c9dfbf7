/* SPDX-License-Identifier: MIT */
/*
 * Products of small matrices by a warp (nvcuda::wmma), over PTX's wmma:
 *
 *	factors				sums		shapes
 *	__half				__half, float	m16n16k16, m32n8k16, m8n32k16
 *	__nv_bfloat16			float		the same
 *	signed char, unsigned char	int		the same
 *	precision::tf32			float		m16n16k8
 *	double				double		m8n8k4
 *	experimental::precision::s4, u4	int		m8n8k32, a row_major, b col_major
 *	experimental::precision::b1	int		m8n8k128, the same, with bmma_sync()
 *
 * Documentation/runtime/compiler.md says how they are computed.
 */
#ifndef PPU_CUDA_MMA_H
#define PPU_CUDA_MMA_H
#define __CUDA_MMA_H__

#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define PPU_MM_	static __inline__ __attribute__((device, unused))

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

/* Types of factors that C++ does not have. */
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

/* A register of PTX, as a place in memory that elements of any type share. */
typedef unsigned int ppu_word __attribute__((may_alias));

/*
 * A thread's part of a matrix.  Which elements these are is not said; it is the same for fragments of one type.  The
 * elements stand in x[], several in one where they are smaller than a byte.
 */
template <class T, int number, int words, class E = T, int elements = number> struct ppu_part {
	enum { num_elements = elements, num_storage_elements = number };
	typedef E element_type;
	typedef T storage_element_type;
	union {
		T x[number];
		ppu_word ppu_words[words];
	};

	__attribute__((device)) ppu_part() { }
};

template <class use, int m, int n, int k, class T, class layout = void> class fragment;

/* v: fills a fragment. */
template <class T, int number, int words, class E, int elements>
PPU_MM_ void fill_fragment(ppu_part<T, number, words, E, elements> &f,
			   typename ppu_part<T, number, words, E, elements>::storage_element_type v)
{
	for (int i = 0; i < number; i++)
		f.x[i] = v;
}

#define PPU_MM_W1_(c, w) c(w[0])
#define PPU_MM_W2_(c, w) c(w[0]), c(w[1])
#define PPU_MM_W4_(c, w) c(w[0]), c(w[1]), c(w[2]), c(w[3])
#define PPU_MM_W8_(c, w) PPU_MM_W4_(c, w), c(w[4]), c(w[5]), c(w[6]), c(w[7])
#define PPU_MM_IN_ "r"
#define PPU_MM_OUT_ "=r"

/* ---- factors -------------------------------------------------------------------------------- */

#define PPU_MM_REGS1_ "{%0}, [%1], %2;"
#define PPU_MM_REGS2_ "{%0, %1}, [%2], %3;"
#define PPU_MM_REGS4_ "{%0, %1, %2, %3}, [%4], %5;"
#define PPU_MM_REGS8_ "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"

/*
 * frag: the type that names the fragment; T: that of the memory; type: PTX's; words: 32-bit registers; ...: what its
 * ppu_part is made of.
 */
#define PPU_MM_FACTOR_(use, m, n, k, layout, frag, T, type, words, ...) \
template <> class fragment<matrix_##use, m, n, k, frag, layout##_major> : public ppu_part<__VA_ARGS__> { }; \
PPU_MM_ void load_matrix_sync(fragment<matrix_##use, m, n, k, frag, layout##_major> &f, const T *p, \
			      unsigned int stride) \
{ \
	ppu_word *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.load." #use ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." #type " " \
			 PPU_MM_REGS##words##_ : PPU_MM_W##words##_(PPU_MM_OUT_, w) : "l"(p), "r"(stride) : "memory"); \
}

/* ---- sums ----------------------------------------------------------------------------------- */

#define PPU_MM_STORE2_ "[%0], {%2, %3}, %1;"
#define PPU_MM_STORE4_ "[%0], {%2, %3, %4, %5}, %1;"
#define PPU_MM_STORE8_ "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;"

#define PPU_MM_MOVE_(words, m, n, k, T, type, layout) \
PPU_MM_ void ppu_load_##layout(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int stride) \
{ \
	ppu_word *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.load.c.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #type " " PPU_MM_REGS##words##_ \
			 : PPU_MM_W##words##_(PPU_MM_OUT_, w) : "l"(p), "r"(stride) : "memory"); \
} \
PPU_MM_ void ppu_store_##layout(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int stride) \
{ \
	const ppu_word *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.store.d.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #type " " PPU_MM_STORE##words##_ \
			 :: "l"(p), "r"(stride), PPU_MM_W##words##_(PPU_MM_IN_, w) : "memory"); \
}
#define PPU_MM_SUM_(words, m, n, k, T, type, number) \
template <> class fragment<accumulator, m, n, k, T, void> : public ppu_part<T, number, words> { }; \
PPU_MM_MOVE_(words, m, n, k, T, type, row) \
PPU_MM_MOVE_(words, m, n, k, T, type, col) \
PPU_MM_ void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int stride, layout_t layout) \
{ \
	if (layout == mem_row_major) \
		ppu_load_row(f, p, stride); \
	else \
		ppu_load_col(f, p, stride); \
} \
PPU_MM_ void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int stride, layout_t layout) \
{ \
	if (layout == mem_row_major) \
		ppu_store_row(p, f, stride); \
	else \
		ppu_store_col(p, f, stride); \
}

/* ---- products ------------------------------------------------------------------------------- */

/* What `satf` asks for: infinities become the largest finite number, and NaNs 0. */
template <class D> PPU_MM_ void ppu_finite(D &d)
{
	typedef typename D::element_type T;
	const float most = sizeof(T) == 2 ? 65504.0f : 3.402823466e+38f;

	for (int i = 0; i < D::num_elements; i++) {
		float v = (float)d.x[i];

		d.x[i] = (T)(v != v ? 0.0f : v > most ? most : v < -most ? -most : v);
	}
}

#define PPU_MM_SYNC_(m, n, k, la, lb, frag, D) \
PPU_MM_ void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, frag, la##_major> &a, \
		      const fragment<matrix_b, m, n, k, frag, lb##_major> &b, const fragment<accumulator, m, n, k, D> &c, \
		      bool satf = false)
#define PPU_MM_WORDS_ \
	ppu_word *w = d.ppu_words; \
	const ppu_word *v = a.ppu_words, *u = b.ppu_words, *s = c.ppu_words

#define PPU_MM_LIST_f16_f16 \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, " \
	"{%20, %21, %22, %23};"
#define PPU_MM_LIST_f16_f32 \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, " \
	"{%20, %21, %22, %23, %24, %25, %26, %27};"
#define PPU_MM_LIST_f32_f16 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
	"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};"
#define PPU_MM_LIST_f32_f32 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
	"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};"

#define PPU_MM_MMA_(m, n, k, la, lb, D, dtype, dwords, C, ctype, cwords) \
PPU_MM_ void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, __half, la##_major> &a, \
		      const fragment<matrix_b, m, n, k, __half, lb##_major> &b, const fragment<accumulator, m, n, k, C> &c, \
		      bool satf = false) \
{ \
	PPU_MM_WORDS_; \
	\
	__asm__ volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." #dtype "." #ctype " " \
			 PPU_MM_LIST_##dtype##_##ctype : PPU_MM_W##dwords##_(PPU_MM_OUT_, w) \
			 : PPU_MM_W8_(PPU_MM_IN_, v), PPU_MM_W8_(PPU_MM_IN_, u), PPU_MM_W##cwords##_(PPU_MM_IN_, s)); \
	if (satf) \
		ppu_finite(d); \
}
#define PPU_MM_LAYOUTS_(m, n, k, ...) \
PPU_MM_MMA_(m, n, k, row, row, __VA_ARGS__) PPU_MM_MMA_(m, n, k, row, col, __VA_ARGS__) \
PPU_MM_MMA_(m, n, k, col, row, __VA_ARGS__) PPU_MM_MMA_(m, n, k, col, col, __VA_ARGS__)
#define PPU_MM_FACTORS_(use, ...) PPU_MM_FACTOR_(use, __VA_ARGS__)
#define PPU_MM_HALF_	__half, __half, f16, 8, __half, 16, 8
#define PPU_MM_SHAPE_(m, n, k) \
PPU_MM_FACTORS_(a, m, n, k, row, PPU_MM_HALF_) PPU_MM_FACTORS_(a, m, n, k, col, PPU_MM_HALF_) \
PPU_MM_FACTORS_(b, m, n, k, row, PPU_MM_HALF_) PPU_MM_FACTORS_(b, m, n, k, col, PPU_MM_HALF_) \
PPU_MM_SUM_(4, m, n, k, __half, f16, 8) PPU_MM_SUM_(8, m, n, k, float, f32, 8) \
PPU_MM_LAYOUTS_(m, n, k, __half, f16, 4, __half, f16, 4) PPU_MM_LAYOUTS_(m, n, k, __half, f16, 4, float, f32, 8) \
PPU_MM_LAYOUTS_(m, n, k, float, f32, 8, __half, f16, 4) PPU_MM_LAYOUTS_(m, n, k, float, f32, 8, float, f32, 8)
PPU_MM_SHAPE_(16, 16, 16)
PPU_MM_SHAPE_(32, 8, 16)
PPU_MM_SHAPE_(8, 32, 16)

/* ---- products of bytes, bf16 and tf32 ------------------------------------------------------- */

/* The operands of d and c in 8 registers, and of a and b in as many as the name says. */
#define PPU_MM_D8_ "{%0, %1, %2, %3, %4, %5, %6, %7}, "
#define PPU_MM_OPS_2_2 PPU_MM_D8_ "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
#define PPU_MM_OPS_4_1 PPU_MM_D8_ "{%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define PPU_MM_OPS_1_4 PPU_MM_D8_ "{%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define PPU_MM_OPS_4_4 PPU_MM_D8_ "{%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};"
#define PPU_MM_OPS_8_2 PPU_MM_D8_ "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, " \
	"{%18, %19, %20, %21, %22, %23, %24, %25};"
#define PPU_MM_OPS_2_8 PPU_MM_D8_ "{%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, " \
	"{%18, %19, %20, %21, %22, %23, %24, %25};"

#define PPU_MM_ISSUE_(m, n, k, la, lb, types, aw, bw) \
	__asm__ volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k types PPU_MM_OPS_##aw##_##bw \
			 : PPU_MM_W8_(PPU_MM_OUT_, w) : PPU_MM_W##aw##_(PPU_MM_IN_, v), PPU_MM_W##bw##_(PPU_MM_IN_, u), \
			   PPU_MM_W8_(PPU_MM_IN_, s))

#define PPU_MM_FLOATS_(m, n, k, la, lb, frag, type, aw, bw) \
PPU_MM_SYNC_(m, n, k, la, lb, frag, float) \
{ \
	PPU_MM_WORDS_; \
	\
	PPU_MM_ISSUE_(m, n, k, la, lb, ".f32." #type "." #type ".f32 ", aw, bw); \
	if (satf) \
		ppu_finite(d); \
}
#define PPU_MM_WHOLE_(m, n, k, la, lb, frag, type, aw, bw) \
PPU_MM_SYNC_(m, n, k, la, lb, frag, int) \
{ \
	PPU_MM_WORDS_; \
	\
	if (satf) \
		PPU_MM_ISSUE_(m, n, k, la, lb, ".s32." #type "." #type ".s32.satfinite ", aw, bw); \
	else \
		PPU_MM_ISSUE_(m, n, k, la, lb, ".s32." #type "." #type ".s32 ", aw, bw); \
}
#define PPU_MM_FOUR_(kind, m, n, k, ...) \
PPU_MM_##kind##_(m, n, k, row, row, __VA_ARGS__) PPU_MM_##kind##_(m, n, k, row, col, __VA_ARGS__) \
PPU_MM_##kind##_(m, n, k, col, row, __VA_ARGS__) PPU_MM_##kind##_(m, n, k, col, col, __VA_ARGS__)
#define PPU_MM_BOTH_(use, m, n, k, ...) \
PPU_MM_FACTOR_(use, m, n, k, row, __VA_ARGS__) PPU_MM_FACTOR_(use, m, n, k, col, __VA_ARGS__)

#define PPU_MM_BYTES_(m, n, k, T, type, aw, an, bw, bn) \
PPU_MM_BOTH_(a, m, n, k, T, T, type, aw, T, an, aw) PPU_MM_BOTH_(b, m, n, k, T, T, type, bw, T, bn, bw) \
PPU_MM_FOUR_(WHOLE, m, n, k, T, type, aw, bw)
#define PPU_MM_INTS_(m, n, k, ...) \
PPU_MM_SUM_(8, m, n, k, int, s32, 8) \
PPU_MM_BYTES_(m, n, k, signed char, s8, __VA_ARGS__) PPU_MM_BYTES_(m, n, k, unsigned char, u8, __VA_ARGS__)
PPU_MM_INTS_(16, 16, 16, 2, 8, 2, 8)
PPU_MM_INTS_(32, 8, 16, 4, 16, 1, 4)
PPU_MM_INTS_(8, 32, 16, 1, 4, 4, 16)

#define PPU_MM_BF16_(m, n, k, aw, an, bw, bn) \
PPU_MM_BOTH_(a, m, n, k, __nv_bfloat16, __nv_bfloat16, bf16, aw, __nv_bfloat16, an, aw) \
PPU_MM_BOTH_(b, m, n, k, __nv_bfloat16, __nv_bfloat16, bf16, bw, __nv_bfloat16, bn, bw) \
PPU_MM_FOUR_(FLOATS, m, n, k, __nv_bfloat16, bf16, aw, bw)
PPU_MM_BF16_(16, 16, 16, 4, 8, 4, 8)
PPU_MM_BF16_(32, 8, 16, 8, 16, 2, 4)
PPU_MM_BF16_(8, 32, 16, 2, 4, 8, 16)

/* A float as a factor: of its fraction 10 bits, rounded to the nearest, away from zero when two are as near. */
PPU_MM_ float __float_to_tf32(float v)
{
	unsigned int t;

	__asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(t) : "f"(v));
	return __uint_as_float(t);
}

PPU_MM_BOTH_(a, 16, 16, 8, precision::tf32, float, tf32, 4, float, 4, 4, precision::tf32)
PPU_MM_BOTH_(b, 16, 16, 8, precision::tf32, float, tf32, 4, float, 4, 4, precision::tf32)
PPU_MM_SUM_(8, 16, 16, 8, float, f32, 8)
PPU_MM_FOUR_(FLOATS, 16, 16, 8, precision::tf32, tf32, 4, 4)

/* ---- of bits and half bytes ----------------------------------------------------------------- */

#define PPU_MM_SMALL_(k, type) \
PPU_MM_FACTOR_(a, 8, 8, k, row, experimental::precision::type, void, type, 1, int, 1, 1, experimental::precision::type, k / 4) \
PPU_MM_FACTOR_(b, 8, 8, k, col, experimental::precision::type, void, type, 1, int, 1, 1, experimental::precision::type, k / 4)
#define PPU_MM_TINY_(k, kind, types) \
	__asm__ volatile("wmma.mma" kind ".sync.aligned.row.col.m8n8k" #k types "{%0, %1}, {%2}, {%3}, {%4, %5};" \
			 : "=r"(w[0]), "=r"(w[1]) : "r"(v[0]), "r"(u[0]), "r"(s[0]), "r"(s[1]))

PPU_MM_SUM_(2, 8, 8, 32, int, s32, 2)
PPU_MM_SUM_(2, 8, 8, 128, int, s32, 2)
PPU_MM_SMALL_(32, s4)
PPU_MM_SMALL_(32, u4)
PPU_MM_SMALL_(128, b1)

#define PPU_MM_NIBBLES_(type) \
PPU_MM_SYNC_(8, 8, 32, row, col, experimental::precision::type, int) \
{ \
	PPU_MM_WORDS_; \
	\
	if (satf) \
		PPU_MM_TINY_(32, "", ".s32." #type "." #type ".s32.satfinite "); \
	else \
		PPU_MM_TINY_(32, "", ".s32." #type "." #type ".s32 "); \
}
PPU_MM_NIBBLES_(s4)
PPU_MM_NIBBLES_(u4)

/* d = c + the number of ones in the rows of a and the columns of b, combined by `op`. */
PPU_MM_ void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
		       const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
		       const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
		       const fragment<accumulator, 8, 8, 128, int> &c,
		       experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
		       experimental::bmmaAccumulateOp how = experimental::bmmaAccumulateOpPOPC)
{
	PPU_MM_WORDS_;

	(void)how;
	if (op == experimental::bmmaBitOpAND)
		PPU_MM_TINY_(128, ".and.popc", ".s32.b1.b1.s32 ");
	else
		PPU_MM_TINY_(128, ".xor.popc", ".s32.b1.b1.s32 ");
}
namespace experimental {
using nvcuda::wmma::bmma_sync;
}

/* ---- of doubles ----------------------------------------------------------------------------- */

#define PPU_MM_REAL_(use, layout) \
template <> class fragment<matrix_##use, 8, 8, 4, double, layout##_major> : public ppu_part<double, 1, 2> { }; \
PPU_MM_ void load_matrix_sync(fragment<matrix_##use, 8, 8, 4, double, layout##_major> &f, const double *p, \
			      unsigned int stride) \
{ \
	__asm__ volatile("wmma.load." #use ".sync.aligned." #layout ".m8n8k4.f64 {%0}, [%1], %2;" \
			 : "=d"(f.x[0]) : "l"(p), "r"(stride) : "memory"); \
}
PPU_MM_REAL_(a, row)
PPU_MM_REAL_(a, col)
PPU_MM_REAL_(b, row)
PPU_MM_REAL_(b, col)

template <> class fragment<accumulator, 8, 8, 4, double, void> : public ppu_part<double, 2, 4> { };
PPU_MM_ void load_matrix_sync(fragment<accumulator, 8, 8, 4, double> &f, const double *p, unsigned int stride, layout_t layout)
{
	if (layout == mem_row_major)
		__asm__ volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;"
				 : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(p), "r"(stride) : "memory");
	else
		__asm__ volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;"
				 : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(p), "r"(stride) : "memory");
}

PPU_MM_ void store_matrix_sync(double *p, const fragment<accumulator, 8, 8, 4, double> &f, unsigned int stride, layout_t layout)
{
	if (layout == mem_row_major)
		__asm__ volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1, %2}, %3;"
				 :: "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(stride) : "memory");
	else
		__asm__ volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%1, %2}, %3;"
				 :: "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(stride) : "memory");
}

#define PPU_MM_REALS_(la, lb) \
PPU_MM_SYNC_(8, 8, 4, la, lb, double, double) \
{ \
	(void)satf;	/* for integers and halves */ \
	__asm__ volatile("wmma.mma.sync.aligned." #la "." #lb ".m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" \
			 : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1])); \
}
PPU_MM_REALS_(row, row)
PPU_MM_REALS_(row, col)
PPU_MM_REALS_(col, row)
PPU_MM_REALS_(col, col)

} /* namespace wmma */
} /* namespace nvcuda */

#undef PPU_MM_
#undef PPU_MM_W1_
#undef PPU_MM_W2_
#undef PPU_MM_W4_
#undef PPU_MM_W8_
#undef PPU_MM_IN_
#undef PPU_MM_OUT_
#undef PPU_MM_REGS1_
#undef PPU_MM_REGS2_
#undef PPU_MM_REGS4_
#undef PPU_MM_REGS8_
#undef PPU_MM_FACTOR_
#undef PPU_MM_STORE2_
#undef PPU_MM_STORE4_
#undef PPU_MM_STORE8_
#undef PPU_MM_MOVE_
#undef PPU_MM_SUM_
#undef PPU_MM_SYNC_
#undef PPU_MM_WORDS_
#undef PPU_MM_LIST_f16_f16
#undef PPU_MM_LIST_f16_f32
#undef PPU_MM_LIST_f32_f16
#undef PPU_MM_LIST_f32_f32
#undef PPU_MM_MMA_
#undef PPU_MM_LAYOUTS_
#undef PPU_MM_FACTORS_
#undef PPU_MM_HALF_
#undef PPU_MM_SHAPE_
#undef PPU_MM_D8_
#undef PPU_MM_OPS_2_2
#undef PPU_MM_OPS_4_1
#undef PPU_MM_OPS_1_4
#undef PPU_MM_OPS_4_4
#undef PPU_MM_OPS_8_2
#undef PPU_MM_OPS_2_8
#undef PPU_MM_ISSUE_
#undef PPU_MM_FLOATS_
#undef PPU_MM_WHOLE_
#undef PPU_MM_FOUR_
#undef PPU_MM_BOTH_
#undef PPU_MM_BYTES_
#undef PPU_MM_INTS_
#undef PPU_MM_BF16_
#undef PPU_MM_SMALL_
#undef PPU_MM_TINY_
#undef PPU_MM_NIBBLES_
#undef PPU_MM_REAL_
#undef PPU_MM_REALS_
#endif /* __cplusplus */
#endif
