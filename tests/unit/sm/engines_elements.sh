#!/bin/sh
# SPDX-License-Identifier: MIT
# Elements of arrays on both engines, without sanitizers: the host code that is tested has none anyway.
# shellcheck source=tests/unit/lib/both_widths.sh
. "${0%/*}/../lib/both_widths.sh"
both "$BUILD/unit-fast/test_engines_elements"
