#!/bin/sh
# SPDX-License-Identifier: MIT
# Large pages on both engines, without sanitizers (test_engines_trails runs fewer with them).
PPU_TRAIL_PROGRAMS=${PPU_TRAIL_PROGRAMS:-3000} exec "$BUILD/unit-fast/test_engines_trails"
