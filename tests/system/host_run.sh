#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What `make run` does in the end, scripts/run: it says "verified" only when the driver did the work.  With a driver
# that does not take the device, without the driver, and without a device it fails and says why.  Runs on the host.

cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

result()	# NAME, by the status of the last command
{
	# shellcheck disable=SC2181 # it is the caller's
	if [[ $? == 0 ]]; then
		echo "ok - $1"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok - $1"
		failed=1
	fi
}
refuses()	# NAME, SENTENCE, OPTION of scripts/vm...
{
	local name=$1 sentence=$2
	shift 2
	! RUN_TIMEOUT=400 scripts/run "$@" >"$tmp/out" 2>&1 && grep -q "$sentence" "$tmp/out" && ! grep -qE '^ok|samples verified' "$tmp/out"
	result "$name"
}

refuses "a driver that cannot use the device" "the driver ppu, which is loaded, has not taken it" --prop x-fault-version=1
refuses "no driver" "ppu.ko is not loaded, so nothing can be verified" --no-module
refuses "no device" "there is no PPU: no render node in /dev/dri, and none on the PCI bus" --no-ppu
printf '#!/bin/sh\n[ "$*" = "-device help" ] || echo "a machine was started"\n' >"$tmp/qemu"
chmod +x "$tmp/qemu"
refuses "a QEMU without the device" "has no ppu device; .make qemu. builds one" --qemu "$tmp/qemu"

RUN_TIMEOUT=400 scripts/run >"$tmp/out" 2>&1
result "with nothing wrong it passes"
grep -qx "All $(find "${BUILD:-build}/bin" -name 'sample-*' | wc -l) samples verified their results\." "$tmp/out" &&
	grep -q 'backend drm' "$tmp/out" && ! grep -q 'backend core' "$tmp/out"
result "with all samples, and through the driver"
exit $failed
