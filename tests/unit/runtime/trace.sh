#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The outputs of ppu-trace: lib/trace_test.py reads the same records by itself and compares.
exec python3 -B "$PPU_TOP/tests/unit/lib/trace_test.py"
