#!/bin/sh
# SPDX-License-Identifier: MIT
# Large pages on both engines, without sanitizers (test_engines_trails runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_TRAIL_PROGRAMS=${PPU_TRAIL_PROGRAMS:-${shared_out:+1500}}
export PPU_TRAIL_PROGRAMS=${PPU_TRAIL_PROGRAMS:-3000}
both "$BUILD/unit-fast/test_engines_trails"
