#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ppu-trace --compare: equal traces, the first difference of others, and the picture of both.
exec python3 -B "$PPU_TOP/tests/unit/lib/trace_compare.py"
