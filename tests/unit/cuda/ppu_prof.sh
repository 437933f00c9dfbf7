#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-prof: the numbers of profiled.cu against those that follow from its text and from the device's counters; each thing that
# costs too much is told, and nothing of its twin; then outputs and options.

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
export PPU_BACKEND=core
unset LD_LIBRARY_PATH PPU_CHECK PPU_PROF PPU_PROPS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/profiled" tests/unit/lib/profiled.cu >"$tmp/out" 2>&1; then
	sed 's/^/# /' "$tmp/out"
	echo "not ok - the program is built"
	exit 1
fi
echo "ok - the program is built"
BUILD=$build python3 -B tests/unit/lib/prof_test.py "$tmp"
