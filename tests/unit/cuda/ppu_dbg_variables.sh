#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-dbg: variables of the source, on a program whose source says what they are (variables.cu), built with -G and, as the
# clean twin, with -lineinfo.

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
export PPU_BACKEND=core PPU_PROPS=gpcs=1,sms-per-gpc=2
export LD_LIBRARY_PATH=$build/lib/cuda
unset PPU_CHECK PPU_DEBUG PPU_DEBUG_FORWARD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
source=tests/unit/lib/variables.cu

for how in -G -lineinfo; do
	if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 "$how" -o "$tmp/variables$how" "$source"; then
		echo "not ok - the program is built with $how"
		exit 1
	fi
done
if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 -o "$tmp/variables-predicate" tests/unit/lib/predicate.cu -lcuda; then
	echo "not ok - the program with PTX is built"
	exit 1
fi
python3 tests/unit/lib/variables_test.py "$build/bin/ppu-dbg" "$tmp/variables" "$source"
