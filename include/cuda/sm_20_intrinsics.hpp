/* SPDX-License-Identifier: MIT */
/*
 * What the headers of clang 19 call and expect an SDK to have; the function behind it is theirs.
 */
#ifndef PPU_SM_20_INTRINSICS_HPP
#define PPU_SM_20_INTRINSICS_HPP

extern "C" __device__ size_t __nv_cvta_generic_to_shared_impl(const void *p);

static inline __device__ __attribute__((unused)) size_t __cvta_generic_to_shared(const void *p)
{
	return __nv_cvta_generic_to_shared_impl(p);
}

#endif
