#!/bin/bash
# SPDX-License-Identifier: MIT
#
# HW-2: a machine with two PPUs of different size, and one driver for both. Then CUDA's peers, in such a machine with the
# host's files.

cd "$(dirname "$0")/../.." || exit 1
machine()
{
	scripts/vm --timeout 400 --second-ppu gpcs=1,sms-per-gpc=2 "$@"
}

# Without the program's plan, which does not count what comes after it.
machine "$@" --prop gpcs=3 --prop sms-per-gpc=2 -- /ppu/guest/two/two_ppus | grep -v '^1\.\.[0-9]*$'
status=${PIPESTATUS[0]}
peers=$(realpath "${BUILD:-build}")/cuda-tests/peers
out=$(machine "$@" --prop gpcs=1 --host-root --env PPU_BACKEND=drm -- "$peers" 2>&1)
if [[ $? == 0 && $out == *"2 devices"* ]]; then
	echo "ok - two PPUs use each other's memory"
else
	echo "$out" | tail -20 | sed 's/^/# /'
	echo "not ok - two PPUs use each other's memory"
	status=1
fi
exit $status
