#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-check --tool racecheck, the host's side: each mistake of hosts.cu is found, each twin without it is silent, and the
# program's results are what they are without the checker.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
check=("$build/bin/ppu-check" --tool racecheck --error-exitcode 77)
unset PPU_CHECK

if [[ $(uname -m) != x86_64 ]]; then
	echo "ok - # SKIP accesses of the host are seen on x86-64 only"
	exit 0
fi
"$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/hosts" tests/unit/lib/hosts.cu >"$tmp/out" 2>&1
result $? "the programs are built"
while read -r name; do
	timeout -k 1 60 "${check[@]}" "$tmp/hosts" "$name" >"$tmp/out" 2>&1
	[[ $? == 77 ]] && grep -q '^ppu-check: race: .* by the host of\|against: .* by the host that is not ordered' "$tmp/out" &&
		! grep -q 'against: .* by the host.*; it is' "$tmp/out"
	result $? "$name is found"
	timeout -k 1 60 "${check[@]}" "$tmp/hosts" "$name" clean >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out"
	result $? "$name: nothing is found where nothing is wrong"
done < <("$tmp/hosts")

says()	# WHAT NAME PATTERN...
{
	local what=$1 p status=0
	"${check[@]}" "$tmp/hosts" "$2" >"$tmp/out" 2>&1
	shift 2
	for p; do
		grep -q -- "$p" "$tmp/out" || status=1
	done
	result $status "$what"
}
says "who accessed, and the kernel" write_early 'race: read of 4 bytes of global memory at 0x[0-9a-f]*14$' 'in kernel add(int const\*, int\*)' \
	'against: write by the host that is not ordered with it$' '^    by the program$' '^        hosts in write_early()+0x' \
	'is 20 bytes inside the 16384 bytes at ' 'allocated by cudaMallocManaged$'
says "the host comes last" other_stream 'race: read by the host of global memory at 0x' 'against: write that is not ordered with it; the word became 0x65$' \
	'in kernel fill(int\*, int)' '^        hosts in other_stream()+0x'
says "a copy" copy_from 'race: read by a copy of 16384 bytes' 'called by cudaMemcpyAsync$' 'hosts in copy_from()+0x'
says "a system call" read_call 'against: write by the host' 'libppu-hostcalls.so.0 in read+0x' 'hosts in read_call()+0x'
"$build/bin/ppu-check" --tool racecheck --json "$tmp/json" "$tmp/hosts" read_early >"$tmp/out" 2>&1
python3 -B - "$tmp/json" >>"$tmp/out" 2>&1 <<'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    one = json.load(f)["findings"][0]
assert one["kind"] == "race" and "other_called_by" not in one and "other_thread" not in one, one
assert any("read_early()" in frame for frame in one["other_called"]), one
PY
result $? "JSON has where the host was"
PPU_BACKEND=core PPU_CHECK=racecheck LD_LIBRARY_PATH="$build/lib/cuda" timeout -k 1 60 "$tmp/hosts" read_call >"$tmp/out" 2>&1 &&
	[[ ! -s $tmp/out ]]
result $? "without the command the host is not watched, and system calls do not fail"

# programs that have the signals themselves
"$build/cuda/bin/ppu-nvcc" -std=c++17 -o "$tmp/signals" tests/unit/lib/hosts_signals.cu >"$tmp/out" 2>&1 &&
	timeout -k 1 60 "${check[@]}" "$tmp/signals" before >"$tmp/out" 2>&1 && grep -q '^caught 1$' "$tmp/out"
result $? "a handler that was there before gets the program's own faults"
timeout -k 1 60 "${check[@]}" "$tmp/signals" after >"$tmp/out" 2>&1 && grep -q '^caught 1$' "$tmp/out"
result $? "a handler that comes later has the signal, and nothing is closed from then on"
timeout -k 1 60 "${check[@]}" "$tmp/signals" fork >"$tmp/out" 2>&1 && grep -q '^child 5$' "$tmp/out"
result $? "a child may use what is closed"
timeout -k 1 60 "${check[@]}" "$tmp/signals" none >"$tmp/out" 2>&1
[[ $? == @(77|139) ]] && ! grep -q '^survived$' "$tmp/out"
result $? "a fault of the program ends it as ever"
exit $failed
