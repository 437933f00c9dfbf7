#!/bin/sh
# SPDX-License-Identifier: MIT
# The largest errors of the approximate functions, without sanitizers: every 8191st operand of f32, all of f16 and bf16.
# PPU_EXHAUSTIVE=1 BUILD=build tests/unit/isa/exec_worst.sh tries all, in some minutes.
exec "$BUILD/unit-fast/test_exec_worst"
