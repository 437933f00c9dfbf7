#!/bin/sh
# SPDX-License-Identifier: MIT
# Words anywhere in many pages on both engines, without sanitizers (test_engines_spans runs fewer with them).
PPU_SPAN_PROGRAMS=${PPU_SPAN_PROGRAMS:-3000} exec "$BUILD/unit-fast/test_engines_spans"
