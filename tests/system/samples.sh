#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every sample verifies itself, through the driver.  HW-75; copy-priority: CP-35; quicksort and mandelbrot-adaptive:
# kernels that launch kernels, SP-8..SP-11.
export PPU_BACKEND=drm
n=0
for sample in /ppu/bin/sample-*; do
	[ -x "$sample" ] || continue
	name=${sample##*/}
	if out=$(cd /tmp && timeout -s KILL 250 "$sample" 2>&1); then
		echo "ok - $name"
	else
		echo "$out" | sed 's/^/# /'
		echo "not ok - $name"
	fi
	n=$((n + 1))
done
[ $n -ge 10 ] || echo "not ok - only $n samples are built"
