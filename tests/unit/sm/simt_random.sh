#!/bin/sh
# SPDX-License-Identifier: MIT
# 10^5 random programs, without sanitizers (test_simt_random runs some thousands with them).
PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-100000} exec "$BUILD/unit-fast/test_simt_random"
