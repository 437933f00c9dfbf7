#!/bin/sh
# SPDX-License-Identifier: MIT
# The runtime's benchmark in the guest, through the driver.
exec "$PPU_TOP/scripts/vm" --timeout 300 -- /ppu/bench/bench_runtime drm
