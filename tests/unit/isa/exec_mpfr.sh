#!/bin/sh
# SPDX-License-Identifier: MIT
# Arithmetic compared with GNU MPFR, without sanitizers: a sample of some seconds (a smaller one runs with them).
#
#   PPU_EXHAUSTIVE=1 BUILD=build tests/unit/isa/exec_mpfr.sh      all operands of 16 bits and pairs of them, of one f32: days
#   PPU_EXHAUSTIVE=1009 ...                                       every 1009th of them
#   CK_RUN_CASE=operands PPU_EXHAUSTIVE=1009 PPU_PART=K ...       the same in 1009 parts, K from 0 to 1008
#   PPU_TEST_SCALE=100000 CK_RUN_CASE=mpfr ...                    10^9 random and structured operands of the rest
exec "$BUILD/unit-fast/test_exec_mpfr"
