#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-check --tool racecheck, global memory: each race of races.cu and races.ptx is found, and without its mistake no program
# has a finding.  Then what a finding says, and programs that are right.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
check=$build/bin/ppu-check
unset PPU_CHECK

"$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/races" tests/unit/lib/races.cu >"$tmp/out" 2>&1
result $? "the programs are built"

# found CLASS COMMAND...: exactly races, of the class's kind
found()
{
	local kinds='race'
	# an atomic of the scope of a block is no order either, so a plain race may be told beside it
	[[ $1 != *scope ]] || kinds='race-scope'
	shift
	timeout -k 1 60 "$@" >"$tmp/out" 2>&1
	[[ $? == 77 ]] && grep -q "^ppu-check: $kinds: .* of global memory at 0x" "$tmp/out"
}

silent()
{
	timeout -k 1 60 "$@" >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out"
}

race=("$check" --tool racecheck --error-exitcode 77)
while read -r name class; do
	strict=()
	[[ $class != strict* ]] || strict=(--strict)
	[[ $class != volatile ]] || strict=(--plain-volatile)
	found "$class" "${race[@]}" "${strict[@]}" "$tmp/races" "$name"
	result $? "$class: $name is found"
	silent "${race[@]}" --strict "${strict[@]}" "$tmp/races" "$name" clean || [[ $name == @(last_block|told_without_barrier) ]] &&
		silent "${race[@]}" "$tmp/races" "$name" clean
	result $? "$name: nothing is found where nothing is wrong"
done < <("$tmp/races")
silent "${race[@]}" "$tmp/races" no_fence_behind
result $? "who reads a flag is behind it, unless --strict"
for name in narrow_fence_behind lock_narrow_fence_behind; do
	silent "${race[@]}" "$tmp/races" "$name"
	result $? "$name: the same with a fence for the own block only"
done
for name in volatile_data volatile_beside_atomic relaxed_flag; do
	silent "${race[@]}" --strict "$tmp/races" "$name"
	result $? "$name: volatile accesses are no race, unless --plain-volatile"
done
for name in system_fence weak_flag; do
	found race "${race[@]}" --plain-volatile "$tmp/races" "$name" clean
	result $? "--plain-volatile: $name, whose flag is volatile"
done
silent "${race[@]}" --plain-volatile "$tmp/races" grid clean
result $? "--plain-volatile: the barrier of a grid is the runtime's, and counts"
silent "${race[@]}" "$tmp/races" mixed
result $? "a plain read of what is changed by atomics only is no race, unless --strict"

kernel()	# NAME BLOCKS
{
	echo "${race[@]}" "$build/bin/ppu-run" --quiet --backend core tests/unit/lib/races.ptx "$1" "$2" 64 buf:4096
}
for name in release scope reader fence narrow membar atom red weak barrier warp shuffle; do
	class= blocks=2
	[[ $name != @(barrier|warp|shuffle) ]] || blocks=1
	[[ $name != @(scope|reader|narrow|membar) ]] || class=scope
	# shellcheck disable=SC2046
	found "$class" $(kernel "${name}_wrong" $blocks)
	result $? "PTX, $name: the race is found"
	# shellcheck disable=SC2046
	silent $(kernel "${name}_right" $blocks)
	result $? "PTX, $name: nothing is found where nothing is wrong"
done

line()	# of races.cu with this text
{
	grep -n -F -m1 -- "$1" tests/unit/lib/races.cu | cut -d: -f1
}

says()	# NAME OF-A-RACE PATTERN...
{
	local what=$1 p status=0
	"${race[@]}" "$tmp/races" "$2" >"$tmp/out" 2>&1
	shift 2
	for p; do
		grep -q -- "$p" "$tmp/out" || status=1
	done
	result $status "$what"
}
says "both sides, values and the memory" one_word '^ppu-check: race: write of 4 bytes of global memory at 0x[0-9a-f]*, value 0x2$' \
	"in kernel one_word(int\*, bool), .*races.cu:$(line 'p[wrong ? 0 : blockIdx.x]'), pc " 'thread (0,0,0) of block (1,0,0)$' \
	'^  against: write that is not ordered with it; the word became 0x1$' 'thread (0,0,0) of block (0,0,0)$' \
	'is 0 bytes inside the 16384 bytes at ' 'allocated by cudaMalloc$' 'races in ints(int)+0x'
says "one is atomic and the other is not" weak_flag 'against: .*; it is neither atomic nor volatile, but the other is$\|; it is atomic or volatile, but the other is not$'
says "the scope of an atomic" atomic_scope 'race-scope: .*' 'the scope of one of them is its block, and they are of different blocks$'
says "the scope of a fence" fence_scope 'against: .*; what is between them has the scope of a block, and they are of different blocks$'
says "a copy, and who asked for it" copy_in 'against: write by a copy that is not ordered with it$' 'called by cudaMemcpyAsync$' \
	'races in copy_in()+0x' "in kernel add(int\*, int, int)"
says "a copy that comes later" copy_later '^ppu-check: race: read by a copy of 8192 bytes of global memory' 'against: write that is not' \
	'called by cudaMemcpyAsync$' '^ppu-check: 1 finding$'
says "a fill" fill 'against: write by a fill that is not ordered with it$' 'called by cudaMemsetAsync$'
"$check" --tool racecheck --json "$tmp/json" "$tmp/races" fill >"$tmp/out" 2>&1
python3 -B - "$tmp/json" >>"$tmp/out" 2>&1 <<'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    one = json.load(f)["findings"][0]
assert one["kind"] == "race" and one["space"] == "global" and one["other_called_by"] == "cudaMemsetAsync", one
assert "other_thread" not in one and any("fill()" in frame for frame in one["other_called"]), one
PY
result $? "JSON has the call of the other side"
printf 'race *add*\n' >"$tmp/known"
"${race[@]}" --suppressions "$tmp/known" "$tmp/races" streams >"$tmp/out" 2>&1 && grep -q '0 findings, 512 suppressed' "$tmp/out"
result $? "each race that is suppressed counts"

# the device's queues, and kernels that launch kernels
for program in bfs quicksort histogram reduction pipeline; do
	silent "${race[@]}" "$build/bin/sample-$program"
	result $? "no false alarm in sample-$program"
done
exit $failed
