#!/bin/sh
# SPDX-License-Identifier: MIT
# The group igt without IGT: what its programs print, the list of what is expected, what is said when IGT is missing.
exec python3 -B "$PPU_TOP/tests/unit/lib/igt_test.py"
