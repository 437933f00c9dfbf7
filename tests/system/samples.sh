#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every sample verifies itself and shows what it claims, through the driver.  HW-75; copy-priority: CP-35; quicksort and
# mandelbrot-adaptive: kernels that launch kernels, SP-8..SP-11.
export PPU_BACKEND=drm
# shellcheck disable=SC2034
BIN=/ppu/bin
# shellcheck source=tests/system/lib/samples_cases.sh
. /src/tests/system/lib/samples_cases.sh
