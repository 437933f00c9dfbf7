/* SPDX-License-Identifier: MIT */
/*
 * Operations on a value of 1, 2, 4 or 8 bytes at an address, relaxed and for all threads of a system: what cuda/atomic and the
 * __nv_atomic functions (ppu_nv_atomic.h) are made of.
 */
#ifndef PPU_CRT_ATOMIC_H
#define PPU_CRT_ATOMIC_H

#include <stddef.h>
#include <type_traits>

#define PPU_ATOMIC_ __inline__ __attribute__((host, device))

namespace ppu_at {

template <size_t bytes> struct word;
template <> struct word<1> { typedef unsigned char type; };
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned int type; };
template <> struct word<8> { typedef unsigned long long type; };
template <class T> using bits = typename word<sizeof(T)>::type;

template <class To, class From> PPU_ATOMIC_ To as(const From &v)
{
	static_assert(sizeof(To) == sizeof(From), "types of one size");
	To to;

	__builtin_memcpy(&to, &v, sizeof(to));
	return to;
}

/* The address as the device's operations take it: clang stops when it sees that the memory is a thread's own. */
template <class T> PPU_ATOMIC_ T *shown(T *p)
{
#ifdef __CUDA_ARCH__
	__asm__("" : "+l"(p));
#endif
	return p;
}

/* A thread's own memory, where the device has no atomic operations, and needs none. */
PPU_ATOMIC_ bool own(const void *p)
{
#ifdef __CUDA_ARCH__
	return __nvvm_isspacep_local(p);
#else
	(void)p;
	return false;
#endif
}

#ifdef __CUDA_ARCH__
/* Relaxed, and not volatile: for C++ only the first is a way by which threads may tell each other. */
#define PPU_ATOMIC_ACCESS_(W, suffix, letter) \
PPU_ATOMIC_ W relaxed_load(const W *p) \
{ \
	W v; \
	__asm__ volatile("ld.relaxed.sys." suffix " %0, [%1];" : "=" letter(v) : "l"(p) : "memory"); \
	return v; \
} \
PPU_ATOMIC_ void relaxed_store(W *p, W v) \
{ \
	__asm__ volatile("st.relaxed.sys." suffix " [%0], %1;" : : "l"(p), letter(v) : "memory"); \
}
PPU_ATOMIC_ACCESS_(unsigned short, "u16", "h")
PPU_ATOMIC_ACCESS_(unsigned int, "u32", "r")
PPU_ATOMIC_ACCESS_(unsigned long long, "u64", "l")
#undef PPU_ATOMIC_ACCESS_
PPU_ATOMIC_ unsigned char relaxed_load(const unsigned char *p)
{
	unsigned short v;

	__asm__ volatile("ld.relaxed.sys.u8 %0, [%1];" : "=h"(v) : "l"(p) : "memory");
	return (unsigned char)v;
}
PPU_ATOMIC_ void relaxed_store(unsigned char *p, unsigned char v)
{
	__asm__ volatile("st.relaxed.sys.u8 [%0], %1;" : : "l"(p), "h"((unsigned short)v) : "memory");
}
#endif

template <class W> PPU_ATOMIC_ W get(const W *p)
{
#ifdef __CUDA_ARCH__
	return own(p) ? *(const volatile W *)p : relaxed_load(p);
#else
	return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

template <class W> PPU_ATOMIC_ void put(W *p, W v)
{
#ifdef __CUDA_ARCH__
	if (own(p))
		*(volatile W *)p = v;
	else
		relaxed_store(p, v);
#else
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
#endif
}

/* Replaces `was` at p by v; returns what was there. */
template <class W> PPU_ATOMIC_ W replace(W *p, W was, W v)
{
#ifdef __CUDA_ARCH__
	if (own(p)) {
		W found = *p;

		*p = found == was ? v : found;
		return found;
	}
	if constexpr (sizeof(W) == 8) {
		return atomicCAS(shown(p), was, v);
	} else if constexpr (sizeof(W) == 4) {
		return atomicCAS(shown(p), was, v);
	} else {
		/* a part of a word of 4 bytes; the rest may change at the same time */
		unsigned int *whole = (unsigned int *)((unsigned long long)p & ~3ull);
		unsigned int shift = ((unsigned int)(unsigned long long)p & 3) * 8, mask = (unsigned int)(W)~0u << shift;
		unsigned int now = get(whole), found;

		for (;;) {
			if ((W)(now >> shift) != was)
				return (W)(now >> shift);
			found = atomicCAS(shown(whole), now, (now & ~mask) | (unsigned int)v << shift);
			if (found == now)
				return was;
			now = found;
		}
	}
#else
	__atomic_compare_exchange_n(p, &was, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return was;
#endif
}

/* Replaces the value at p by change(value); returns the value. */
template <class T, class F> PPU_ATOMIC_ T update(T *p, F change)
{
	typedef bits<T> W;
	W was = get((W *)p), found;

	for (;;) {
		found = replace((W *)p, was, as<W>((T)change(as<T>(was))));
		if (found == was)
			return as<T>(was);
		was = found;
	}
}

/* The device's own additions, where it has one for the type. */
template <class T> PPU_ATOMIC_ T add(T *p, T v)
{
#ifdef __CUDA_ARCH__
	if constexpr (::std::is_integral<T>::value && sizeof(T) >= 4) {
		if (!own(p))
			return (T)atomicAdd(shown((bits<T> *)p), (bits<T>)v);
	} else if constexpr (::std::is_same<T, float>::value || ::std::is_same<T, double>::value) {
		if (!own(p))
			return atomicAdd(shown(p), v);
	}
#endif
	return update(p, [v](T now) { return (T)(now + v); });
}

template <class T> PPU_ATOMIC_ T swap(T *p, T v)
{
#ifdef __CUDA_ARCH__
	if constexpr (sizeof(T) >= 4) {
		if (!own(p))
			return as<T>(atomicExch(shown((bits<T> *)p), as<bits<T>>(v)));
	}
#endif
	return update(p, [v](T) { return v; });
}

} /* namespace ppu_at */

#endif
