#!/bin/sh
# SPDX-License-Identifier: MIT
# Words anywhere in many pages on both engines, without sanitizers (test_engines_spans runs fewer with them).
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_SPAN_PROGRAMS=${PPU_SPAN_PROGRAMS:-${shared_out:+1500}}
export PPU_SPAN_PROGRAMS=${PPU_SPAN_PROGRAMS:-3000}
both "$BUILD/unit-fast/test_engines_spans"
