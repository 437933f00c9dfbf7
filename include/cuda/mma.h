/* SPDX-License-Identifier: MIT */
/*
 * Products of small matrices by a warp (nvcuda::wmma), over PTX's wmma: factors of __half, sums of __half or float, in
 * the shapes m16n16k16, m32n8k16 and m8n32k16.  Other types have no fragments here.
 */
#ifndef PPU_CUDA_MMA_H
#define PPU_CUDA_MMA_H
#define __CUDA_MMA_H__

#ifdef __cplusplus
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

/* A thread's part of a matrix.  Which elements these are is not said; it is the same for fragments of one type. */
template <class T, int number, int words> struct ppu_part {
	enum { num_elements = number, num_storage_elements = number };
	typedef T element_type, storage_element_type;
	union {
		T x[number];
		unsigned int ppu_words[words];
	};

	__attribute__((device)) ppu_part() { }
};

template <class use, int m, int n, int k, class T, class layout = void> class fragment;

/* v: fills a fragment. */
template <class T, int number, int words> PPU_MM_ void fill_fragment(ppu_part<T, number, words> &f, T v)
{
	for (int i = 0; i < number; i++)
		f.x[i] = v;
}

#define PPU_MM_W4_(c, w) c(w[0]), c(w[1]), c(w[2]), c(w[3])
#define PPU_MM_W8_(c, w) PPU_MM_W4_(c, w), c(w[4]), c(w[5]), c(w[6]), c(w[7])
#define PPU_MM_IN_ "r"
#define PPU_MM_OUT_ "=r"

/* ---- factors -------------------------------------------------------------------------------- */

#define PPU_MM_FACTOR_(use, m, n, k, layout) \
template <> class fragment<matrix_##use, m, n, k, __half, layout##_major> : public ppu_part<__half, 16, 8> { }; \
PPU_MM_ void load_matrix_sync(fragment<matrix_##use, m, n, k, __half, layout##_major> &f, const __half *p, \
			      unsigned int stride) \
{ \
	unsigned int *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.load." #use ".sync.aligned." #layout ".m" #m "n" #n "k" #k ".f16 " \
			 "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : PPU_MM_W8_(PPU_MM_OUT_, w) : "l"(p), "r"(stride) : "memory"); \
}

/* ---- sums ----------------------------------------------------------------------------------- */

#define PPU_MM_REGS4_ "{%0, %1, %2, %3}, [%4], %5;"
#define PPU_MM_REGS8_ "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define PPU_MM_STORE4_ "[%0], {%2, %3, %4, %5}, %1;"
#define PPU_MM_STORE8_ "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;"

#define PPU_MM_MOVE_(words, m, n, k, T, type, layout) \
PPU_MM_ void ppu_load_##layout(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned int stride) \
{ \
	unsigned int *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.load.c.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #type " " PPU_MM_REGS##words##_ \
			 : PPU_MM_W##words##_(PPU_MM_OUT_, w) : "l"(p), "r"(stride) : "memory"); \
} \
PPU_MM_ void ppu_store_##layout(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int stride) \
{ \
	const unsigned int *w = f.ppu_words; \
	\
	__asm__ volatile("wmma.store.d.sync.aligned." #layout ".m" #m "n" #n "k" #k "." #type " " PPU_MM_STORE##words##_ \
			 :: "l"(p), "r"(stride), PPU_MM_W##words##_(PPU_MM_IN_, w) : "memory"); \
}
#define PPU_MM_SUM_(words, m, n, k, T, type) \
template <> class fragment<accumulator, m, n, k, T, void> : public ppu_part<T, 8, words> { }; \
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
		      const fragment<matrix_b, m, n, k, __half, lb##_major> &b, const fragment<accumulator, m, n, k, C> &c) \
{ \
	unsigned int *w = d.ppu_words; \
	const unsigned int *v = a.ppu_words, *u = b.ppu_words, *s = c.ppu_words; \
	\
	__asm__ volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." #dtype "." #ctype " " \
			 PPU_MM_LIST_##dtype##_##ctype : PPU_MM_W##dwords##_(PPU_MM_OUT_, w) \
			 : PPU_MM_W8_(PPU_MM_IN_, v), PPU_MM_W8_(PPU_MM_IN_, u), PPU_MM_W##cwords##_(PPU_MM_IN_, s)); \
}
#define PPU_MM_LAYOUTS_(m, n, k, ...) \
PPU_MM_MMA_(m, n, k, row, row, __VA_ARGS__) PPU_MM_MMA_(m, n, k, row, col, __VA_ARGS__) \
PPU_MM_MMA_(m, n, k, col, row, __VA_ARGS__) PPU_MM_MMA_(m, n, k, col, col, __VA_ARGS__)
#define PPU_MM_SHAPE_(m, n, k) \
PPU_MM_FACTOR_(a, m, n, k, row) PPU_MM_FACTOR_(a, m, n, k, col) \
PPU_MM_FACTOR_(b, m, n, k, row) PPU_MM_FACTOR_(b, m, n, k, col) \
PPU_MM_SUM_(4, m, n, k, __half, f16) PPU_MM_SUM_(8, m, n, k, float, f32) \
PPU_MM_LAYOUTS_(m, n, k, __half, f16, 4, __half, f16, 4) PPU_MM_LAYOUTS_(m, n, k, __half, f16, 4, float, f32, 8) \
PPU_MM_LAYOUTS_(m, n, k, float, f32, 8, __half, f16, 4) PPU_MM_LAYOUTS_(m, n, k, float, f32, 8, float, f32, 8)
PPU_MM_SHAPE_(16, 16, 16)
PPU_MM_SHAPE_(32, 8, 16)
PPU_MM_SHAPE_(8, 32, 16)

} /* namespace wmma */
} /* namespace nvcuda */

#undef PPU_MM_
#undef PPU_MM_W4_
#undef PPU_MM_W8_
#undef PPU_MM_IN_
#undef PPU_MM_OUT_
#undef PPU_MM_FACTOR_
#undef PPU_MM_REGS4_
#undef PPU_MM_REGS8_
#undef PPU_MM_STORE4_
#undef PPU_MM_STORE8_
#undef PPU_MM_MOVE_
#undef PPU_MM_SUM_
#undef PPU_MM_LIST_f16_f16
#undef PPU_MM_LIST_f16_f32
#undef PPU_MM_LIST_f32_f16
#undef PPU_MM_LIST_f32_f32
#undef PPU_MM_MMA_
#undef PPU_MM_LAYOUTS_
#undef PPU_MM_SHAPE_
#endif /* __cplusplus */
#endif
