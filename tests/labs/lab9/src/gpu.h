/* SPDX-License-Identifier: MIT */
/* Lab 9, given: the basis of code for the GPU. clang compiles such code as CUDA, without any SDK. */
#ifndef GPU_H
#define GPU_H

typedef unsigned int u32;
typedef unsigned long long u64;

#define DEV	static inline __attribute__((device, always_inline))
#define KERNEL	extern "C" __attribute__((global)) void
#define THREAD	((u32)__nvvm_read_ptx_sreg_ctaid_x() * (u32)__nvvm_read_ptx_sreg_ntid_x() + \
		 (u32)__nvvm_read_ptx_sreg_tid_x())

/* Reads memory at this moment, not a register. */
DEV u64 load(u64 address)
{
	u64 v;

	asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(address) : "memory");
	return v;
}

/* Writes to memory at some later time; other threads may see the stores in another order. */
DEV void store(u64 address, u64 v)
{
	asm volatile("st.volatile.global.u64 [%0], %1;" :: "l"(address), "l"(v) : "memory");
}

/* Everybody sees all earlier stores of this thread before all of its later ones. */
DEV void fence(void)
{
	asm volatile("membar.sys;" ::: "memory");
}

/* *address += v in one step; returns the value from before. */
DEV u64 atomic_add(u64 address, u64 v)
{
	u64 old;

	asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(address), "l"(v) : "memory");
	return old;
}

/* If *address == expected, then *address = v, in one step; returns the value from before in both cases. */
DEV u64 atomic_cas(u64 address, u64 expected, u64 v)
{
	u64 old;

	asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(address), "l"(expected), "l"(v) : "memory");
	return old;
}

/* Command words in memory, one after the other, from an address that is a multiple of 8. */
struct out {
	u64 to;
	u32 words;
};

DEV void put(struct out *o, u32 word)
{
	asm volatile("st.volatile.global.u32 [%0], %1;" :: "l"(o->to + 4ull * o->words), "r"(word) : "memory");
	o->words++;
}

DEV void put64(struct out *o, u64 v)
{
	put(o, (u32)v);
	put(o, (u32)(v >> 32));
}

#endif
