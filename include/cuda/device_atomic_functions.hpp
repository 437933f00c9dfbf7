/* SPDX-License-Identifier: MIT */
/* Atomic functions of CUDA C++, made of the functions of clang's headers. */
#ifndef PPU_DEVICE_ATOMIC_FUNCTIONS_HPP
#define PPU_DEVICE_ATOMIC_FUNCTIONS_HPP

#define CUDART_DEV_ static __inline__ __attribute__((device, always_inline, unused))

/* name, type, clang's name; atomic for the device, for a block, and for the system */
#define CUDART_ATOMIC_(name, type, word) \
CUDART_DEV_ type name(type *p, type v) { return __##word(p, v); } \
CUDART_DEV_ type name##_block(type *p, type v) { return __##word##_block(p, v); } \
CUDART_DEV_ type name##_system(type *p, type v) { return __##word##_system(p, v); }

CUDART_ATOMIC_(atomicAdd, int, iAtomicAdd)
CUDART_ATOMIC_(atomicAdd, unsigned int, uAtomicAdd)
CUDART_ATOMIC_(atomicAdd, unsigned long long, ullAtomicAdd)
CUDART_ATOMIC_(atomicAdd, float, fAtomicAdd)
CUDART_ATOMIC_(atomicAdd, double, dAtomicAdd)
CUDART_ATOMIC_(atomicExch, int, iAtomicExch)
CUDART_ATOMIC_(atomicExch, unsigned int, uAtomicExch)
CUDART_ATOMIC_(atomicExch, unsigned long long, ullAtomicExch)
CUDART_ATOMIC_(atomicExch, float, fAtomicExch)
CUDART_ATOMIC_(atomicMin, int, iAtomicMin)
CUDART_ATOMIC_(atomicMin, unsigned int, uAtomicMin)
CUDART_ATOMIC_(atomicMin, long long, illAtomicMin)
CUDART_ATOMIC_(atomicMin, unsigned long long, ullAtomicMin)
CUDART_ATOMIC_(atomicMax, int, iAtomicMax)
CUDART_ATOMIC_(atomicMax, unsigned int, uAtomicMax)
CUDART_ATOMIC_(atomicMax, long long, illAtomicMax)
CUDART_ATOMIC_(atomicMax, unsigned long long, ullAtomicMax)
CUDART_ATOMIC_(atomicInc, unsigned int, uAtomicInc)
CUDART_ATOMIC_(atomicDec, unsigned int, uAtomicDec)
CUDART_ATOMIC_(atomicAnd, int, iAtomicAnd)
CUDART_ATOMIC_(atomicAnd, unsigned int, uAtomicAnd)
CUDART_ATOMIC_(atomicAnd, unsigned long long, ullAtomicAnd)
CUDART_ATOMIC_(atomicOr, int, iAtomicOr)
CUDART_ATOMIC_(atomicOr, unsigned int, uAtomicOr)
CUDART_ATOMIC_(atomicOr, unsigned long long, ullAtomicOr)
CUDART_ATOMIC_(atomicXor, int, iAtomicXor)
CUDART_ATOMIC_(atomicXor, unsigned int, uAtomicXor)
CUDART_ATOMIC_(atomicXor, unsigned long long, ullAtomicXor)

#define CUDART_SUB_(suffix) \
CUDART_DEV_ int atomicSub##suffix(int *p, int v) { return atomicAdd##suffix(p, -v); } \
CUDART_DEV_ unsigned int atomicSub##suffix(unsigned int *p, unsigned int v) { return atomicAdd##suffix(p, 0u - v); }
CUDART_SUB_()
CUDART_SUB_(_block)
CUDART_SUB_(_system)

#define CUDART_CAS_(type, word, suffix) \
CUDART_DEV_ type atomicCAS##suffix(type *p, type compare, type v) { return __##word##suffix(p, compare, v); }
CUDART_CAS_(int, iAtomicCAS, )
CUDART_CAS_(int, iAtomicCAS, _block)
CUDART_CAS_(int, iAtomicCAS, _system)
CUDART_CAS_(unsigned int, uAtomicCAS, )
CUDART_CAS_(unsigned int, uAtomicCAS, _block)
CUDART_CAS_(unsigned int, uAtomicCAS, _system)
CUDART_CAS_(unsigned long long, ullAtomicCAS, )
CUDART_CAS_(unsigned long long, ullAtomicCAS, _block)
CUDART_CAS_(unsigned long long, ullAtomicCAS, _system)

#endif
