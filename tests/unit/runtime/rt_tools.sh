#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ppu-run, ppu-trace and ppu-info on the host, without a VM.
B=${BUILD:-build}
[ -d "$B" ] || B=$PPU_TOP/$B
# shellcheck disable=SC2034
RUN="$B/bin/ppu-run --backend core"
# shellcheck disable=SC2034
SAMPLES=$B/samples
# shellcheck source=tests/system/lib/ppu_run_cases.sh
. "$PPU_TOP/tests/system/lib/ppu_run_cases.sh"

# The same run writes the same trace, whatever the addresses of the process.
for i in 1 2; do
	$RUN --trace "$dir/trace$i" --quiet "$SAMPLES/reduction.ptx" reduction 4 64 buf:4000,iota32 u32:1000 buf:4 ||
		echo "not ok - run $i"
done
cmp -s "$dir/trace1" "$dir/trace2" && echo "ok - traces are byte-identical" || echo "not ok - traces are byte-identical"
"$B/bin/ppu-trace" "$dir/trace1" >"$dir/out" 2>"$dir/err"
has "opcode=LAUNCH" "ppu-trace prints the launch"
has "CTA_DONE" "and the blocks"
"$B/bin/ppu-trace" --svg "$dir/t.svg" "$dir/trace1" && grep -q "SM 0" "$dir/t.svg" &&
	echo "ok - and draws them" || echo "not ok - and draws them"
"$B/bin/ppu-trace" "$T" 2>/dev/null && echo "not ok - ppu-trace refuses other files" ||
	echo "ok - ppu-trace refuses other files"
"$B/bin/ppu-trace" --from 99999999999999 --svg "$dir/t.svg" "$dir/trace1" >"$dir/out" 2>"$dir/err" || echo "not ok - --from"
has "nothing is there: .*trace1 is from 0 to " "and says when a choice of time has nothing in it"
for pair in "empty.ptx:is empty" "k.cu:is CUDA C++: make PTX of it first" "elf:is neither text nor an image"; do
	"$B/bin/ppu-cc" -o "$dir/x.ppub" "$dir/${pair%%:*}" >"$dir/out" 2>"$dir/err"
	[ $? -eq 3 ] || echo "not ok - ppu-cc of ${pair%%:*}: exit status"
	has "${pair%%:*} ${pair#*:}" "ppu-cc: ${pair%%:*} ${pair#*:}"
done
for tool in ppu-as ppu-cc; do
	"$B/bin/$tool" "$dir/nowhere.ptx" >"$dir/out" 2>"$dir/err"
	[ $? -eq 2 ] && echo "ok - $tool of no file: exit status 2" || echo "not ok - $tool of no file: exit status"
	has "$tool: .*nowhere.ptx: No such file" "$tool of no file says so"
done
"$B/bin/ppu-cc" --frobnicate >"$dir/out" 2>"$dir/err"
has "--frobnicate is no option" "ppu-cc names an option it does not know"
PPU_BACKEND=core "$B/bin/ppu-info" >"$dir/out" 2>"$dir/err" || echo "not ok - ppu-info"
has "backend core" "ppu-info shows the in-process device"
