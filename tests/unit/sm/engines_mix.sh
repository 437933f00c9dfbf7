#!/bin/sh
# SPDX-License-Identifier: MIT
# Random kernels of several contexts at the same time on both engines, without sanitizers (test_engines_mix runs fewer with them).
PPU_MIX_PROGRAMS=${PPU_MIX_PROGRAMS:-350} exec "$BUILD/unit-fast/test_engines_mix"
