#!/bin/sh
# SPDX-License-Identifier: MIT
# Stores on both engines, a fifth of all shapes, without sanitizers (test_engines_stores runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_STORES_EVERY=${PPU_STORES_EVERY:-${shared_out:+10}}
export PPU_STORES_EVERY=${PPU_STORES_EVERY:-5}
both "$BUILD/unit-fast/test_engines_stores"
