/* SPDX-License-Identifier: MIT */
/*
 * The functions __nv_atomic_* of device code, which are part of the compiler in nvcc since 12.8. An order is a fence of the scope
 * before or after the operation, as in cuda/atomic.
 */
#ifndef PPU_CRT_NV_ATOMIC_H
#define PPU_CRT_NV_ATOMIC_H

#include "ppu_atomic.h"

#define __NV_ATOMIC_RELAXED	0
#define __NV_ATOMIC_CONSUME	1
#define __NV_ATOMIC_ACQUIRE	2
#define __NV_ATOMIC_RELEASE	3
#define __NV_ATOMIC_ACQ_REL	4
#define __NV_ATOMIC_SEQ_CST	5
#define __NV_THREAD_SCOPE_SYSTEM	0
#define __NV_THREAD_SCOPE_DEVICE	1
#define __NV_THREAD_SCOPE_CLUSTER	2
#define __NV_THREAD_SCOPE_BLOCK		3
#define __NV_THREAD_SCOPE_THREAD	4

#define PPU_NV_	static __inline__ __attribute__((device, unused))

PPU_NV_ void __nv_atomic_signal_fence(int)
{
	__asm__ volatile("" ::: "memory");
}

PPU_NV_ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	if (order == __NV_ATOMIC_RELAXED)
		return;
	if (scope == __NV_THREAD_SCOPE_SYSTEM)
		__threadfence_system();
	else if (scope == __NV_THREAD_SCOPE_DEVICE || scope == __NV_THREAD_SCOPE_CLUSTER)
		__threadfence();
	else if (scope == __NV_THREAD_SCOPE_BLOCK)
		__threadfence_block();
	else
		__nv_atomic_signal_fence(order);
}

namespace ppu_at {

PPU_NV_ void fence_before(int order, int scope)
{
	if (order >= __NV_ATOMIC_RELEASE)
		__nv_atomic_thread_fence(order, scope);
}

PPU_NV_ void fence_after(int order, int scope)
{
	if (order != __NV_ATOMIC_RELEASE)
		__nv_atomic_thread_fence(order, scope);
}

/* The type of what is there, to which other operands convert. */
template <class T> using value = typename ::std::remove_cv<T>::type;

} /* namespace ppu_at */

template <class T> PPU_NV_ ppu_at::value<T> __nv_atomic_load_n(T *p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	if (order == __NV_ATOMIC_SEQ_CST)
		__nv_atomic_thread_fence(order, scope);
	ppu_at::value<T> v = ppu_at::as<ppu_at::value<T>>(ppu_at::get((const ppu_at::bits<T> *)p));
	ppu_at::fence_after(order, scope);
	return v;
}

template <class T> PPU_NV_ void __nv_atomic_load(T *p, ppu_at::value<T> *found, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	*found = __nv_atomic_load_n(p, order, scope);
}

template <class T> PPU_NV_ void __nv_atomic_store_n(T *p, ppu_at::value<T> v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	ppu_at::fence_before(order, scope);
	ppu_at::put((ppu_at::bits<T> *)p, ppu_at::as<ppu_at::bits<T>>(v));
	if (order == __NV_ATOMIC_SEQ_CST)
		__nv_atomic_thread_fence(order, scope);
}

template <class T> PPU_NV_ void __nv_atomic_store(T *p, ppu_at::value<T> *v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	__nv_atomic_store_n(p, *v, order, scope);
}

/* An operation that changes the value at p, and its result is the value before. */
#define PPU_NV_CHANGE_(name, how) \
template <class T> PPU_NV_ ppu_at::value<T> name(T *p, ppu_at::value<T> v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) \
{ \
	typedef ppu_at::value<T> V; \
	ppu_at::fence_before(order, scope); \
	V was = how; \
	ppu_at::fence_after(order, scope); \
	return was; \
}
#define PPU_NV_UPDATE_(op, next) \
PPU_NV_CHANGE_(__nv_atomic_fetch_##op, (ppu_at::update((V *)p, [v](V now) { return (V)(next); }))) \
PPU_NV_NO_RESULT_(op)
#define PPU_NV_NO_RESULT_(op) \
template <class T> PPU_NV_ void __nv_atomic_##op(T *p, ppu_at::value<T> v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) \
{ \
	__nv_atomic_fetch_##op(p, v, order, scope); \
}

PPU_NV_CHANGE_(__nv_atomic_exchange_n, ppu_at::swap((V *)p, v))
PPU_NV_CHANGE_(__nv_atomic_fetch_add, ppu_at::add((V *)p, v))
PPU_NV_NO_RESULT_(add)
PPU_NV_CHANGE_(__nv_atomic_fetch_sub, ppu_at::add((V *)p, (V)(0 - v)))
PPU_NV_NO_RESULT_(sub)
PPU_NV_UPDATE_(and, now & v)
PPU_NV_UPDATE_(or, now | v)
PPU_NV_UPDATE_(xor, now ^ v)
PPU_NV_UPDATE_(min, v < now ? v : now)
PPU_NV_UPDATE_(max, now < v ? v : now)

template <class T> PPU_NV_ void __nv_atomic_exchange(T *p, ppu_at::value<T> *v, ppu_at::value<T> *was, int order,
						     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	*was = __nv_atomic_exchange_n(p, *v, order, scope);
}

template <class T> PPU_NV_ bool __nv_atomic_compare_exchange_n(T *p, ppu_at::value<T> *expected, ppu_at::value<T> v, bool weak,
							       int success, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	typedef ppu_at::bits<T> W;
	int order = success > failure ? success : failure;
	W was = ppu_at::as<W>(*expected), found;

	(void)weak;
	ppu_at::fence_before(order, scope);
	found = ppu_at::replace((W *)p, was, ppu_at::as<W>(v));
	ppu_at::fence_after(order, scope);
	if (found != was)
		*expected = ppu_at::as<ppu_at::value<T>>(found);
	return found == was;
}

template <class T> PPU_NV_ bool __nv_atomic_compare_exchange(T *p, ppu_at::value<T> *expected, ppu_at::value<T> *v, bool weak,
							     int success, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
	return __nv_atomic_compare_exchange_n(p, expected, *v, weak, success, failure, scope);
}

#undef PPU_NV_CHANGE_
#undef PPU_NV_UPDATE_
#undef PPU_NV_NO_RESULT_
#undef PPU_NV_

#endif
