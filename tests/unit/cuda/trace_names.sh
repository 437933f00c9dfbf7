#!/bin/bash
# SPDX-License-Identifier: MIT
#
# PPU_TRACE_NAMES and the page of ppu-trace --html: kernels, streams, lines, commands, two runs (lib/trace_names_test.py).

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
unset LD_LIBRARY_PATH PPU_CHECK PPU_PROF PPU_PROPS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/traced" "$PWD/tests/unit/lib/traced.cu" >"$tmp/out" 2>&1; then
	sed 's/^/# /' "$tmp/out"
	echo "not ok - the program is built"
	exit 1
fi
echo "ok - the program is built"
BUILD=$build python3 -B tests/unit/lib/trace_names_test.py "$tmp/traced" "$PWD/tests/unit/lib/traced.cu" "$tmp"
