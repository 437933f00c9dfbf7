/* SPDX-License-Identifier: MIT */
/*
 * Sums, minima and maxima in one step, for dynamic programming ("DPX"), on the host and the device: of words, and of two halves
 * of a word. Sums wrap around. With _relu, a negative result becomes 0.
 */
#ifndef PPU_CRT_DPX_H
#define PPU_CRT_DPX_H

#define PPU_DPX_ static __inline__ __attribute__((host, device, unused))

namespace ppu_dpx {
template <class T> PPU_DPX_ T least(T a, T b) { return a < b ? a : b; }
template <class T> PPU_DPX_ T most(T a, T b) { return a < b ? b : a; }
template <class T> PPU_DPX_ T sum(T a, T b) { return (T)((unsigned int)a + (unsigned int)b); }
template <class T> PPU_DPX_ T lower(unsigned int w) { return (T)w; }
template <class T> PPU_DPX_ T upper(unsigned int w) { return (T)(w >> 16); }
PPU_DPX_ unsigned int pair(int upper, int lower) { return (unsigned int)upper << 16 | (unsigned short)lower; }
} /* namespace ppu_dpx */

/* A function of three values of a type, for words and for halves; `how` computes it of T's a, b and c. */
#define PPU_DPX_WORD3_(name, type, how) \
PPU_DPX_ type name(type a, type b, type c) \
{ \
	typedef type T; \
	using namespace ppu_dpx; \
	return how; \
}
#define PPU_DPX_HALVES3_(name, half, how) \
PPU_DPX_ unsigned int name(unsigned int a_, unsigned int b_, unsigned int c_) \
{ \
	typedef half T; \
	using namespace ppu_dpx; \
	T r[2]; \
	for (int i = 0; i < 2; i++) { \
		T a = (T)(a_ >> 16 * i), b = (T)(b_ >> 16 * i), c = (T)(c_ >> 16 * i); \
		r[i] = how; \
	} \
	return pair(r[1], r[0]); \
}
#define PPU_DPX_SIGNED3_(name, tail, how) \
	PPU_DPX_WORD3_(name##_s32##tail, int, how) \
	PPU_DPX_HALVES3_(name##_s16x2##tail, short, how)
#define PPU_DPX_ALL3_(name, how) \
	PPU_DPX_SIGNED3_(name, , how) \
	PPU_DPX_SIGNED3_(name, _relu, (most<T>(how, 0))) \
	PPU_DPX_WORD3_(name##_u32, unsigned int, how) \
	PPU_DPX_HALVES3_(name##_u16x2, unsigned short, how)
PPU_DPX_ALL3_(__vimax3, (most<T>(most<T>(a, b), c)))
PPU_DPX_ALL3_(__vimin3, (least<T>(least<T>(a, b), c)))
PPU_DPX_ALL3_(__viaddmax, (most<T>(sum<T>(a, b), c)))
PPU_DPX_ALL3_(__viaddmin, (least<T>(sum<T>(a, b), c)))

PPU_DPX_ int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
PPU_DPX_ int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
PPU_DPX_ unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vimax3_s16x2(a, b, 0); }
PPU_DPX_ unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vimin3_s16x2_relu(a, b, b); }

/* Which of two is it: true for the first, and if they are equal. */
#define PPU_DPX_WHICH_(name, word, half, type, half_type, before, take) \
PPU_DPX_ type name##_##word(type a, type b, bool *pred) \
{ \
	*pred = a before b; \
	return ppu_dpx::take<type>(a, b); \
} \
PPU_DPX_ unsigned int name##_##half(unsigned int a, unsigned int b, bool *pred_hi, bool *pred_lo) \
{ \
	typedef half_type T; \
	using namespace ppu_dpx; \
	*pred_hi = upper<T>(a) before upper<T>(b); \
	*pred_lo = lower<T>(a) before lower<T>(b); \
	return pair(take<T>(upper<T>(a), upper<T>(b)), take<T>(lower<T>(a), lower<T>(b))); \
}
PPU_DPX_WHICH_(__vibmax, s32, s16x2, int, short, >=, most)
PPU_DPX_WHICH_(__vibmin, s32, s16x2, int, short, <=, least)
PPU_DPX_WHICH_(__vibmax, u32, u16x2, unsigned int, unsigned short, >=, most)
PPU_DPX_WHICH_(__vibmin, u32, u16x2, unsigned int, unsigned short, <=, least)

#undef PPU_DPX_WHICH_
#undef PPU_DPX_ALL3_
#undef PPU_DPX_SIGNED3_
#undef PPU_DPX_HALVES3_
#undef PPU_DPX_WORD3_
#undef PPU_DPX_

#endif
