#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/cache: what goes out comes back, and nothing else does.
exec python3 -B "$PPU_TOP/tests/unit/lib/cache_test.py"
