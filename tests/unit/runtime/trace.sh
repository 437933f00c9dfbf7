#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What ppu-trace makes of traces: lib/trace_test.py reads the same records by itself and compares.
exec python3 -B "$PPU_TOP/tests/unit/lib/trace_test.py"
