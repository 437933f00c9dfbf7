#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The samples of the CUDA Driver API through the driver, by the library path alone; then two at once.
export PPU_BACKEND=drm LD_LIBRARY_PATH=/ppu/lib/cuda
n=0
for sample in /ppu/bin/cuda-*; do
	name=${sample##*/}
	if out=$(timeout -s KILL 250 "$sample" 2>&1); then
		echo "ok - $name: $out"
	else
		echo "$out" | sed 's/^/# /'
		echo "not ok - $name"
	fi
	n=$((n + 1))
done
[ $n -ge 4 ] || echo "not ok - only $n samples are built"
timeout -s KILL 250 /ppu/bin/cuda-matmul >/tmp/cuda-first 2>&1 &
first=$!
timeout -s KILL 250 /ppu/bin/cuda-reduction >/tmp/cuda-second 2>&1
second=$?
wait $first && [ $second -eq 0 ] || echo "not ok - two at once: $(cat /tmp/cuda-first /tmp/cuda-second)"
echo "ok - two programs at once"
