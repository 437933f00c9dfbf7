#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The samples of the CUDA Driver API run with nothing but a library path; each verifies itself.  The log names calls.

cd "$(dirname "$0")/../../.." || exit 1
build=${BUILD:-build}
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
export PPU_BACKEND=core PPU_PROPS="gpcs=1,sms-per-gpc=2" LD_LIBRARY_PATH=$build/lib/cuda
failed=0 n=0

for sample in "$build"/bin/cuda-*; do
	if out=$(timeout -s KILL 250 "$sample" 2>&1); then
		echo "ok - ${sample##*/}: $out"
	else
		echo "not ok - ${sample##*/}: $out"
		failed=1
	fi
	n=$((n + 1))
done
[[ $n -ge 4 ]] || { echo "not ok - only $n samples are built"; failed=1; }
PPU_CUDA_LOG=$log "$build/bin/cuda-matmul" >/dev/null
if grep -q 'cuLaunchKernel(.*grid_x=4, .*block_x=16,.*= CUDA_SUCCESS' "$log"; then
	echo "ok - the log has the launch with its arguments"
else
	echo "not ok - the log has no launch"
	failed=1
fi
exit $failed
