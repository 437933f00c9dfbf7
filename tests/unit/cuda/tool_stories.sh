#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The stories of Documentation/tools: their programs are built, their commands are run, and they print what the pages say.

cd "$(dirname "$0")/../../.." || exit 1
unset LD_LIBRARY_PATH PPU_CHECK PPU_PROF PPU_PROPS PPU_TRACE PPU_TRACE_NAMES
exec python3 -B tests/unit/lib/stories_test.py "${BUILD:-build}" Documentation/tools/*.md
