#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ppu-trace --compare: what is the same, what is the first difference, and the picture of both.
exec python3 -B "$PPU_TOP/tests/unit/lib/trace_compare.py"
