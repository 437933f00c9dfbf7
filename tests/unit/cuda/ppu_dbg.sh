#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-dbg: stops, steps, what is shown, and the way back, on a program whose source says what must be seen (debugged.cu). Then
# the Debug Adapter Protocol, with a client in Python.

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
export PPU_BACKEND=core PPU_PROPS=gpcs=1,sms-per-gpc=2
export LD_LIBRARY_PATH=$build/lib/cuda
unset PPU_CHECK PPU_DEBUG PPU_DEBUG_FORWARD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
source=tests/unit/lib/debugged.cu

if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/debugged" "$source"; then
	echo "not ok - the program is built"
	exit 1
fi
# A device that is opened twice.
cat >"$tmp/twice.c" <<'EOF'
#include <stdio.h>
#include <ppu.h>

int main(void)
{
	for (int i = 0; i < 2; i++)
		if (ppuInit(NULL) || ppuShutdown())
			return 3;
	puts("twice");
	return 0;
}
EOF
if ! ${CC:-cc} -Iinclude -o "$tmp/twice" "$tmp/twice.c" -L"$build/lib" -lppu -Wl,-rpath,"$build/lib"; then
	echo "not ok - the program with two devices is built"
	exit 1
fi
python3 tests/unit/lib/dbg_test.py "$build/bin/ppu-dbg" "$tmp/debugged" "$source" "$tmp/twice" || failed=1
python3 tests/unit/lib/dbg_freeze_test.py "$build/bin/ppu-dbg" "$tmp/debugged" "$source" || failed=1
python3 tests/unit/lib/dap_client.py "$build/bin/ppu-dbg" "$tmp/debugged" "$PWD/$source" || failed=1
exit $failed
