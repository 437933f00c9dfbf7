#!/bin/bash
# SPDX-License-Identifier: MIT
#
# HW-2: a machine with two PPUs of different size, and one driver for both. Then CUDA's peers, in such a machine with the
# host's files.
#
# "host_two_ppus.sh debug": with the kernel of check-debug and without CUDA. Here, too, the kernel must not complain.

cd "$(dirname "$0")/../.." || exit 1
kernel=()
scale=1
if [[ ${1:-} == debug ]]; then
	mapfile -t kernel < <(PYTHONPATH=scripts:tests/labs python3 -B -c '
from ppu_script import BUILD
from ppulab.run import DEBUG_SCALE, debug_driver
print(DEBUG_SCALE, *debug_driver(BUILD), sep="\n")')
	scale=${kernel[0]}
	kernel=("${kernel[@]:1}")
fi

machine()
{
	scripts/vm --timeout $((400 * scale)) "${kernel[@]}" --second-ppu gpcs=1,sms-per-gpc=2 "$@"
}

# Without the program's plan, which does not count what comes after it.
out=$(machine --prop gpcs=3 --prop sms-per-gpc=2 -- /src/scripts/guest/run-tests $((300 * scale)) /ppu/guest/two/two_ppus)
grep -vE '^(1\.\.[0-9]+$|##|$)' <<<"$out"
grep -q '^##end 0$' <<<"$out"
status=$?
[[ ${1:-} != debug ]] || exit $status
peers=$(realpath "${BUILD:-build}")/cuda-tests/peers
out=$(machine --prop gpcs=1 --host-root --env PPU_BACKEND=drm -- "$peers" 2>&1)
if [[ $? == 0 && $out == *"2 devices"* ]]; then
	echo "ok - two PPUs use each other's memory"
else
	echo "$out" | tail -20 | sed 's/^/# /'
	echo "not ok - two PPUs use each other's memory"
	status=1
fi
exit $status
