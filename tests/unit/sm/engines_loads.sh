#!/bin/sh
# SPDX-License-Identifier: MIT
# Loads on both engines, a fifth of all shapes, without sanitizers (test_engines_loads runs fewer with them).
PPU_LOADS_EVERY=${PPU_LOADS_EVERY:-5} PPU_LOADS_BODIES=${PPU_LOADS_BODIES:-400} exec "$BUILD/unit-fast/test_engines_loads"
