#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The same submission gives the same trace, byte for byte: on the host core, and with the whole
# virtual machine under -icount.

cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT
kernel=tests/system/lib/mixed.ppus
args=(mixed 40 96 buf:16384 u32:5)
status=0

result()	# NAME, by the status of the last command
{
	if [[ $? == 0 ]]; then echo "ok - $1"; else echo "not ok - $1"; status=1; fi
}

for i in 1 2; do
	"$BUILD/bin/ppu-run" --backend core --quiet --repeat 3 --trace "$tmp/host$i" "$kernel" "${args[@]}"
done
[[ $("$BUILD/bin/ppu-trace" "$tmp/host1" | grep -c DIV_) -gt 10000 ]]
result "the host trace holds the divergence of three launches"
cmp "$tmp/host1" "$tmp/host2"
result "two runs on the host: the same trace"

for i in 1 2; do
	scripts/vm --sealed --icount --timeout 400 --trace "$tmp/vm$i" --pack "$kernel" -- \
		ppu-run --backend drm --counters --quiet --repeat 3 "/src/$kernel" "${args[@]}" >"$tmp/out$i"
	result "run $i in the machine under -icount"
done
[[ $("$BUILD/bin/ppu-trace" "$tmp/vm1" | grep -c DIV_) -gt 10000 ]]
result "the trace from the machine holds the divergence of three launches"
cmp "$tmp/vm1" "$tmp/vm2"
result "two runs in the machine: the same trace"
cmp "$tmp/out1" "$tmp/out2"
result "and the same times, of the device and of the CPU"
exit $status
