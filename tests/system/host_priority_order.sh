#!/bin/bash
# SPDX-License-Identifier: MIT
#
# SP-6: a device of which 0 is the highest priority (property priority-order), through the driver: its ceiling of a context
# lets every priority pass, and maps, depths and fairness are as with the other direction.

cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cp "$BUILD/guest/system/priorities" "$tmp/" || exit 1
scripts/vm --timeout 400 --prop priority-order=1 --prop trace-classes=2 --trace "$tmp/trace" --share "$tmp" -- /mnt/share/priorities
status=$?
"$BUILD/bin/ppu-trace" "$tmp/trace" >"$tmp/text" || exit 1
# Level 3 of the map at depth 4 is priority 8 from below, and its children rise from there: 3, 2, 1, 0.
if grep -q '(0 is the highest)' "$tmp/text" && for p in 3 2 1 0; do grep -q "TASK_ACCEPT .*priority=$p " "$tmp/text" || exit 1; done; then
	echo "ok - the device's numbers go down"
else
	echo "not ok - the device's numbers go down"
	grep -m 5 TASK_ACCEPT "$tmp/text" | sed 's/^/# /'
	status=1
fi
exit $status
