/* SPDX-License-Identifier: MIT */
/*
 * Takes back the names that cuda_fp16.h and cuda_bf16.h define for ppu_small_float.h, so that both can be included. No
 * guard: each of them needs it.
 */
#undef PPU_SF
#undef PPU_SF2
#undef PPU_SF_RAW
#undef PPU_SF_RAW2
#undef PPU_SF_FROM
#undef PPU_SF_TO
#undef PPU_SF_INF
#undef PPU_SF_NAN
#undef PPU_SF_PTX
#undef PPU_SF_WORD
#undef PPU_SF_BITS_
#undef PPU_SF_F_
