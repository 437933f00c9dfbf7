#!/bin/sh
# SPDX-License-Identifier: MIT
# Random kernels of several contexts at the same time on both engines, without sanitizers (test_engines_mix runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_MIX_PROGRAMS=${PPU_MIX_PROGRAMS:-${shared_out:+175}}
export PPU_MIX_PROGRAMS=${PPU_MIX_PROGRAMS:-350}
both "$BUILD/unit-fast/test_engines_mix"
