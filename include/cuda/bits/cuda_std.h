/* SPDX-License-Identifier: MIT */
/*
 * cuda::std: names of the C++ library that kernels may use.  What is constexpr there clang takes as a function of both
 * sides, so most names are the library's own.  What is not is here: swap, exchange, array.
 */
#ifndef PPU_CUDA_STD_H
#define PPU_CUDA_STD_H
#ifdef __cplusplus
#include <stddef.h>
#include <type_traits>
#include <utility>

#define PPU_STD_	__inline__ __attribute__((host, device))

namespace cuda {
namespace std {
using namespace ::std;

template <class T> PPU_STD_ constexpr void swap(T &a, T &b)
{
	T t(::std::move(a));

	a = ::std::move(b);
	b = ::std::move(t);
}

template <class T, size_t n> PPU_STD_ constexpr void swap(T (&a)[n], T (&b)[n])
{
	for (size_t i = 0; i < n; i++)
		cuda::std::swap(a[i], b[i]);
}

template <class T, class U = T> PPU_STD_ constexpr T exchange(T &a, U &&b)
{
	T old(::std::move(a));

	a = ::std::forward<U>(b);
	return old;
}

} /* namespace std */
} /* namespace cuda */

#undef PPU_STD_
#endif
#endif
