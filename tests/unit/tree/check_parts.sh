#!/bin/sh
# SPDX-License-Identifier: MIT
# The test runner's own parts: the watch for stalls, second tries, the table of minutes, shares.
exec python3 -B "$PPU_TOP/tests/unit/lib/check_test.py"
