#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs on both engines, without sanitizers (test_engines runs some with them): with all that the host has, and
# as on a host without AVX-512.  Each way has half of the programs if there are two.
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-${shared_out:+10000}}
export PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-20000}
both "$BUILD/unit-fast/test_engines"
