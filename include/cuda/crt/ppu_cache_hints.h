/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores that name a cache: __ldcg, __stcs and so on. The device's caches have no such hints, so these are plain
 * accesses, which happen where they stand in the program: who waits for a word looks at the word each time.
 */
#ifndef PPU_CRT_CACHE_HINTS_H
#define PPU_CRT_CACHE_HINTS_H

namespace ppu_cached {
template <class T> struct same { typedef T type; };
} /* namespace ppu_cached */

#define PPU_LOAD_(name) \
template <class T> static __inline__ __attribute__((device, unused)) T name(const T *p) \
{ \
	__asm__ volatile("" ::: "memory"); \
	T v = *p; \
	__asm__ volatile("" ::: "memory"); \
	return v; \
}
#define PPU_STORE_(name) \
template <class T> static __inline__ __attribute__((device, unused)) void name(T *p, typename ppu_cached::same<T>::type v) \
{ \
	__asm__ volatile("" ::: "memory"); \
	*p = v; \
	__asm__ volatile("" ::: "memory"); \
}
PPU_LOAD_(__ldca)
PPU_LOAD_(__ldcg)
PPU_LOAD_(__ldcs)
PPU_LOAD_(__ldcv)
PPU_LOAD_(__ldlu)
PPU_STORE_(__stcg)
PPU_STORE_(__stcs)
PPU_STORE_(__stwb)
PPU_STORE_(__stwt)
#undef PPU_LOAD_
#undef PPU_STORE_

#endif
