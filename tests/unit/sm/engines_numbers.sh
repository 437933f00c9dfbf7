#!/bin/sh
# SPDX-License-Identifier: MIT
# Chains of f64 on both engines, without sanitizers (test_engines_numbers runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_NUMBERS_PROGRAMS=${PPU_NUMBERS_PROGRAMS:-${shared_out:+1500}}
export PPU_NUMBERS_PROGRAMS=${PPU_NUMBERS_PROGRAMS:-3000}
both "$BUILD/unit-fast/test_engines_numbers"
