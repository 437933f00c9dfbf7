/* SPDX-License-Identifier: MIT */
/* What the device-side library needs so that clang compiles it for nvptx64 without any SDK. */
#ifndef DEV_H
#define DEV_H

#define __device__	__attribute__((device))
/* Weak: an image that holds the library already may be linked with another one. */
#define LIBRARY		extern "C" __attribute__((device, weak, noinline))
#define DEV		static inline __attribute__((device, always_inline))

#define tid_x()		((u32)__nvvm_read_ptx_sreg_tid_x())
#define tid_y()		((u32)__nvvm_read_ptx_sreg_tid_y())
#define tid_z()		((u32)__nvvm_read_ptx_sreg_tid_z())
#define ctaid_x()	((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define ctaid_y()	((u32)__nvvm_read_ptx_sreg_ctaid_y())
#define ctaid_z()	((u32)__nvvm_read_ptx_sreg_ctaid_z())

#include "compiler/devabi/devlib.h"

DEV u64 atom_add(u64 *p, u64 v)
{
	u64 old;

	asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
	return old;
}

DEV u64 atom_cas(u64 *p, u64 cmp, u64 v)
{
	u64 old;

	asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(p), "l"(cmp), "l"(v) : "memory");
	return old;
}

DEV u64 atom_or(u64 *p, u64 v)
{
	u64 old;

	asm volatile("atom.global.or.b64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
	return old;
}

DEV u32 atom_exch32(u32 *p, u32 v)
{
	u32 old;

	asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
	return old;
}

DEV u64 load_now(const u64 *p)
{
	u64 v;

	asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

DEV void store_now(u64 *p, u64 v)
{
	asm volatile("st.volatile.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

DEV void fence(void)
{
	asm volatile("membar.sys;" ::: "memory");
}

#endif
