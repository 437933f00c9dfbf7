#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154
RUN="/ppu/bin/ppu-run --backend drm"
# shellcheck disable=SC2034
SAMPLES=/ppu/samples
# shellcheck source=tests/system/lib/ppu_run_cases.sh
. /src/tests/system/lib/ppu_run_cases.sh
if /ppu/bin/ppu-info >"$dir/out" 2>&1 && grep -q 'BAR2 .*VRAM' "$dir/out" && grep -q 'backend drm' "$dir/out"; then
	echo "ok - ppu-info shows the PCI device and the driver's view"
else
	sed 's/^/# /' "$dir/out"
	echo "not ok - ppu-info shows the PCI device and the driver's view"
fi
