#!/bin/sh
# SPDX-License-Identifier: MIT
# Loads on both engines, a fifth of all shapes, without sanitizers (test_engines_loads runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_LOADS_EVERY=${PPU_LOADS_EVERY:-${shared_out:+10}} PPU_LOADS_BODIES=${PPU_LOADS_BODIES:-${shared_out:+200}}
export PPU_LOADS_EVERY=${PPU_LOADS_EVERY:-5} PPU_LOADS_BODIES=${PPU_LOADS_BODIES:-400}
both "$BUILD/unit-fast/test_engines_loads"
