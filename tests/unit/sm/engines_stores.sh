#!/bin/sh
# SPDX-License-Identifier: MIT
# Stores on both engines, a fifth of all shapes, without sanitizers (test_engines_stores runs fewer with them).
PPU_STORES_EVERY=${PPU_STORES_EVERY:-5} exec "$BUILD/unit-fast/test_engines_stores"
