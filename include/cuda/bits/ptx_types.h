/* SPDX-License-Identifier: MIT */
/* The words that functions of cuda::ptx take: order, scope, state space, operation, number. */
#ifndef PPU_CUDA_PTX_TYPES_H
#define PPU_CUDA_PTX_TYPES_H

#include <stdint.h>

namespace cuda {
namespace ptx {

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_space { global, cluster, shared };

template <dot_sem S> struct sem_t { static constexpr dot_sem value = S; };
template <dot_scope S> struct scope_t { static constexpr dot_scope value = S; };
template <dot_space S> struct space_t { static constexpr dot_space value = S; };
template <int N> struct n32_t { static constexpr int value = N; };

#define PPU_WORD_(kind, name) typedef kind##_t<dot_##kind::name> kind##_##name##_t; static constexpr kind##_##name##_t kind##_##name{};
PPU_WORD_(sem, acq_rel) PPU_WORD_(sem, acquire) PPU_WORD_(sem, relaxed) PPU_WORD_(sem, release) PPU_WORD_(sem, sc) PPU_WORD_(sem, weak)
PPU_WORD_(scope, cta) PPU_WORD_(scope, cluster) PPU_WORD_(scope, gpu) PPU_WORD_(scope, sys)
PPU_WORD_(space, global) PPU_WORD_(space, cluster) PPU_WORD_(space, shared)
#undef PPU_WORD_

#define PPU_OP_(name) struct op_##name##_t {}; static constexpr op_##name##_t op_##name{};
PPU_OP_(add) PPU_OP_(min) PPU_OP_(max) PPU_OP_(inc) PPU_OP_(dec) PPU_OP_(and_op) PPU_OP_(or_op) PPU_OP_(xor_op)
#undef PPU_OP_

} /* namespace ptx */
} /* namespace cuda */

#endif
