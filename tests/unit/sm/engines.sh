#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs on both engines, without sanitizers (test_engines runs some with them).
PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-20000} exec "$BUILD/unit-fast/test_engines"
