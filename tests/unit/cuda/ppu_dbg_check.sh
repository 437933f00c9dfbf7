#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-dbg with a checker: the mistakes of planted.cu stop the device where ppu-check finds them.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
unset PPU_CHECK PPU_DEBUG PPU_DEBUG_FORWARD

"$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/planted" tests/unit/lib/planted.cu >"$tmp/out" 2>&1
result $? "the program with mistakes is built"
python3 tests/unit/lib/dbg_check_test.py "$build/bin/ppu-dbg" "$tmp/planted" tests/unit/lib/planted.cu "$build/bin/ppu-check" || failed=1
exit $failed
