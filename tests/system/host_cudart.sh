#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in CUDA C++ (tests/cuda, built by ppu-nvcc) through the driver: one machine with the host's files, as
# Documentation/runtime/cudart.md says. Runs on the host.

cd "$(dirname "$0")/../.." || exit 1
programs=$(realpath "${BUILD:-build}")/cuda-tests
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# large_params: all threads of the device need room for the parameters that one of its kernels passes on.
scripts/vm --vram 1G --host-root --timeout 1500 --env PPU_BACKEND=drm -- /bin/bash -c '
	for program in "$0"/*; do
		[[ -x $program && ! -d $program ]] || continue
		timeout -s KILL 400 "$program" >/tmp/out 2>&1
		status=$?
		echo "$(basename "$program") ended with $status"
		sed "s/^/  /" /tmp/out
	done' "$programs" >"$tmp/out" 2>"$tmp/err"
status=$?
[[ $status == 0 ]] && echo "ok - the machine ran" || { failed=1; cat "$tmp/err"; echo "not ok - the machine: $status"; }
for source in tests/cuda/*.cu; do
	name=$(basename "$source" .cu)
	if grep -qx "$name ended with 0" "$tmp/out"; then
		echo "ok - $name"
	else
		sed -n "/^$name ended/,/^[^ ]/p" "$tmp/out" | sed 's/^/# /'
		echo "not ok - $name"
		failed=1
	fi
done
exit $failed
