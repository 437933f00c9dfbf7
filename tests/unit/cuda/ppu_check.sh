#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-check: each mistake of planted.cu is found, as what it is, and only that one; without the mistake nothing is found.
# Then its options, and that programs which are right are silent and the device's time is the same.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
check=$build/bin/ppu-check
unset PPU_CHECK
limit=

"$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/planted" tests/unit/lib/planted.cu >"$tmp/out" 2>&1
result $? "the program with mistakes is built"

# finds NAME PATTERN...: with the mistake one finding, whose text has the patterns; without it none
finds()
{
	local name=$1 p status=0 options=--leak-check many=${many:-1}
	# two mistakes of one race: it is met from both sides
	[[ $name != race_* ]] || options='--tool racecheck' many='[12]'
	[[ $name != init_* ]] || options='--tool initcheck'
	[[ $name != float_* ]] || options="--tool floatcheck ${float:-}"
	[[ $name != sync_* ]] || options="--tool synccheck ${strict:-}"
	shift
	# shellcheck disable=SC2086
	$limit "$check" $options --error-exitcode 77 "$tmp/planted" "$name" >"$tmp/out" 2>&1
	[[ $? == 77 ]] && grep -q "^ppu-check: $many finding" "$tmp/out" || status=1
	for p; do
		grep -q -- "$p" "$tmp/out" || status=1
	done
	result $status "$name is found"
	# shellcheck disable=SC2086
	$limit "$check" $options --error-exitcode 77 "$tmp/planted" "$name" clean >"$tmp/out" 2>&1
	[[ $? == 0 ]] && grep -q '^ppu-check: 0 findings$' "$tmp/out"
	result $? "$name: nothing is found where nothing is wrong"
}

line()	# of planted.cu with this text
{
	grep -n -F -m1 -- "$1" tests/unit/lib/planted.cu | cut -d: -f1
}

finds overrun '^ppu-check: out-of-bounds: write of 4 bytes of global memory at 0x[0-9a-f]*3c$' \
	"in kernel fill(int\*, int), .*planted.cu:$(line 'p[i] = i;'), pc " 'thread (15,0,0) of block (0,0,0)$' \
	'is 0 bytes after the 60 bytes at 0x[0-9a-f]*00, allocation 1$' 'allocated by cudaMalloc$' 'planted in overrun()+0x'
finds one_byte 'write of 1 byte of global memory' 'is 0 bytes after the 13 bytes'
finds underrun 'out-of-bounds: write of 4 bytes' 'is 4 bytes before the 64 bytes'
finds in_a_cube "planted.cu:$(line '/* of a cube */'), pc [1-9][0-9]*" 'thread (3,3,2) of block (1,2,1)$'
finds read_overrun 'out-of-bounds: read of 4 bytes' 'is 0 bytes after the 400 bytes'
finds atomic_overrun 'out-of-bounds: atomic of 4 bytes' 'is 0 bytes after the 4 bytes' ' and 31 more of its warp'
finds null 'no-allocation: write of 4 bytes of global memory at 0x0$'
finds after_free 'use-after-free: write of 4 bytes' 'is 0 bytes inside the 64 bytes' 'freed by cudaFree$' ' and 15 more of its warp'
finds after_free_again 'use-after-free: write of 4 bytes' 'allocation 1$'
finds place_again 'out-of-bounds: write of 4 bytes' 'is 0 bytes after the 41943040 bytes at .*, allocation 3$'
finds large_after_free 'use-after-free: write of 4 bytes' 'is 0 bytes inside the 83886080 bytes'
finds short_of_memory 'out-of-bounds: write of 1 byte' 'is 0 bytes after the 1048576 bytes'
finds pool 'out-of-bounds: write of 1 byte' 'is 0 bytes after the 100 bytes' 'allocated by cudaMallocAsync$'
finds pool_after_free 'use-after-free: write of 1 byte' 'freed by cudaFreeAsync$'
finds misaligned 'misaligned: write of 4 bytes of global memory at 0x[0-9a-f]*02 is not a multiple of its size'
finds shared "out-of-bounds: read of 4 bytes of shared memory at 0x84 is outside the block's 132 bytes" 'thread (31,0,0)'
finds module_variable 'out-of-bounds: write of 4 bytes' 'is 0 bytes after the 20 bytes at 0x[0-9a-f]*, variable table$'
finds far_from_variable 'out-of-bounds: write of 4 bytes' 'is 256 bytes after the 20 bytes at 0x[0-9a-f]*, variable table$'
finds copy_range 'invalid-range: cudaMemcpy: write of 68 bytes' 'is 0 bytes inside the 64 bytes' 'planted in copy_range()'
finds copy_from_pool 'invalid-range: cudaMemcpy: read of 101 bytes' 'is 0 bytes inside the 100 bytes'
finds fill_range 'invalid-range: cudaMemset: write of 64 bytes'
finds double_free 'double-free: cudaFree of 0x' 'freed by cudaFree'
finds invalid_free 'invalid-free: cudaFree of 0x[0-9a-f]*4, which is not the start'
# it must not wait for the loader, for whom others may wait who wait for us
cat >"$tmp/load.c" <<'END'
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_for_others(void)
{
	char c = 0;

	if (write(atoi(getenv("PLANTED_GO")), &c, 1) == 1 && read(atoi(getenv("PLANTED_DONE")), &c, 1) != 1)
		abort();
}
END
${CC:-cc} -shared -fPIC -o "$tmp/load.so" "$tmp/load.c" >"$tmp/out" 2>&1
result $? "a file to load is built"
export PLANTED_LOAD=$tmp/load.so
limit="timeout -k 1 60"
finds loading 'out-of-bounds: write of 4 bytes' 'allocated by cudaMalloc$' 'planted in loading()+0x'
unset PLANTED_LOAD
limit=
finds leak 'leak: 64 bytes at 0x[0-9a-f]* were never freed (allocation 1)' 'planted in leak()'

finds leak_at_end 'leak: 64 bytes'
many=2 finds leaks_of_contexts 'leak: 64 bytes .*allocation 1)$' 'allocated by cuMemAlloc$'
many=1000 finds many_leaks '^ppu-check: more than 1000 findings; the others are counted only$' \
	'^ppu-check: 1000 findings, 5 more that were not told$'
finds in_a_loop 'invalid-free' '1 finding, 49 times again$'

finds race_neighbours '^ppu-check: race: write of 4 bytes of shared memory at 0x80, value 0x20$' \
	"in kernel neighbours(int\*, bool), .*planted.cu:$(line 's[t] = t;')," 'thread (32,0,0) of block (0,0,0)$' \
	'^  against: read that is not ordered with it$' "planted.cu:$(line 'out[t] = s[(t + 32) % 64];')," 'thread (0,0,0) of block'
finds race_again 'race: read of 4 bytes of shared memory at 0xfc' 'against: write that is not ordered with it; the word became 0x40'
finds race_one_warp 'race: read of 4 bytes of shared memory at 0x7c' 'against: write .*; the word became 0x1f' 'thread (31,0,0)'
finds race_one_word 'race: write of 4 bytes of shared memory at 0x0' 'against: write that is not ordered'
finds race_flag 'race: read of 4 bytes' 'thread (32,0,0)' 'against: write .*; the word became 0x7'
finds race_late_data 'race: read of 4 bytes of shared memory' "against: write .*; the word became 0x2" "planted.cu:$(line '/* after the fence */'),"
finds race_by_byte 'race: write of 1 byte of shared memory at 0x0, value 0x1' 'against: write .*; the byte became 0x0'
grep -q '^ppu-check: 0 findings$' "$tmp/out"
result $? "bytes of one word may be different threads'"

finds init_never '^ppu-check: uninitialized: read of 4 bytes of global memory at 0x[0-9a-f]*, 4 of which nobody has written$' \
	"in kernel sum(int const\*, int, int\*), .*planted.cu:$(line 'atomicAdd(out, p[i]);')," 'thread (0,0,0) of block (0,0,0), ' \
	'and 31 more of its warp' 'is 0 bytes inside the 256 bytes at 0x[0-9a-f]*00, allocation 1$' 'planted in new_ints(int)+0x'
finds init_last_byte 'uninitialized: read of 1 byte .*, 1 of which nobody' 'is 13 bytes inside the 16 bytes'
finds init_word 'uninitialized: read of 4 bytes .*, 1 of which nobody'
finds init_copied 'uninitialized: read of 4 bytes .*, 4 of which nobody' 'is 19996 bytes inside the 20000 bytes at .*, allocation 2$'
finds init_overlap 'uninitialized: read of 4 bytes' 'is 192 bytes inside the 256 bytes'
finds init_between_rows 'uninitialized: read of 4 bytes' 'is 40 bytes inside the 48 bytes'
finds init_atomic 'uninitialized: atomic of 4 bytes of global memory' 'is 0 bytes inside the 4 bytes'
finds init_after_free 'uninitialized: read of 4 bytes' 'is 252 bytes inside the 256 bytes' 'allocation 3$'
finds init_shared 'uninitialized: read of 4 bytes of shared memory at 0xfc, 4 of which no thread of the block has written' \
	"planted.cu:$(line 'out[t] = s[63 - t];')," 'thread (0,0,0) of block' 'and 31 more of its warp'
finds init_managed 'uninitialized: read of 4 bytes' 'is 4 bytes inside the 8 bytes'

finds sync_exited 'barrier-exited: barrier 0 opens without 24 threads of the block, from (40,0,0) on, which ended without' \
	"in kernel early(int\*, bool), .*planted.cu:$(($(line 'out[t] = s[t ^ 1];') - 1)), pc " \
	'thread (0,0,0) of block (0,0,0), and 31 more of its warp$' '1 finding, 1 times again$'
finds sync_exited_of_some 'barrier-exited: barrier 1 opens without 16 threads of the block, from (48,0,0) on' \
	"planted.cu:$(line '/* of two warps */'), pc "
strict=--strict finds sync_warp_exited 'barrier-exited: barrier 0 opens without 32 threads of the block, from (32,0,0) on' \
	"planted.cu:$(line '/* of who has not ended */'), pc "
"$check" --tool synccheck "$tmp/planted" sync_warp_exited >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out"
result $? "a warp may end before a barrier"
finds sync_round_more 'barrier-exited: barrier 0 opens without 32 threads of the block, from (0,0,0) on' \
	"planted.cu:$(line '/* of a round more */'), pc "
finds sync_branches 'barrier-divergent: barrier 0 is reached by threads of a warp at different instructions' \
	"planted.cu:$(line '/* one half of the warp */'), pc .*" 'thread (0,0,0) of block (0,0,0)$' \
	'against: waits at the same barrier at another instruction' "planted.cu:$(line '/* the other half */'), pc " 'thread (16,0,0)'
finds sync_rounds 'barrier-divergent: barrier 0 is reached by threads of a block at different instructions' \
	"planted.cu:$(line '/* of a round */'), pc .*" 'thread (32,0,0) of block (0,0,0)$'
finds sync_counts 'barrier-mismatch: barrier 1 of 96 threads: others wait there for another number of threads' \
	'against: waits at it for 64 threads' 'thread (32,0,0)'
finds sync_odd_count 'barrier-mismatch: barrier 1 of 48 threads, which is no multiple of 32$' 'thread (0,0,0) of block (0,0,0), and 31 more of' \
	"planted.cu:$(line '/* by a register */'), pc "
finds sync_number 'barrier-mismatch: barrier 16 of all threads: there is none' 'thread (0,0,0)'
finds sync_mixed 'barrier-mismatch: barrier 0 is reached by a reduction, and by others that do not reduce'
finds sync_not_me 'mask-without-self: warp barrier with mask 0xff, which does not name lane 8 that executes it' 'thread (8,0,0)' \
	"after .*planted.cu:$(line 'if (t < 9)'), pc "
finds sync_half_a_vote 'mask-exited: vote with mask 0xffffffff waited for lanes 0xffff0000, which ended without it' \
	'thread (0,0,0) of block (0,0,0), and 15 more of its warp$'
strict=--strict finds sync_strict 'mask-exited: vote with mask 0xffffffff, whose lanes 0xffff0000 had ended before'
"$check" --tool synccheck "$tmp/planted" sync_strict >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out"
result $? "a mask may name who has ended before"
finds sync_outside 'shuffle-source: shuffle reads the value of lane 8, which does not take part' \
	'thread (4,0,0) of block (0,0,0), and 3 more of its warp$'
finds sync_ended 'shuffle-source: shuffle reads the value of lane 15, which has ended' 'thread (14,0,0)'
finds sync_no_thread 'shuffle-source: shuffle reads the value of lane 31, which does not exist' 'thread (30,0,0)'
many=2 finds sync_half_a_sum 'shuffle-source: shuffle reads the value of lane 20, which does not take part' \
	"after .*planted.cu:$(line 'v += __shfl_down_sync(m, v, i);'), pc "
finds sync_elsewhere 'shuffle-source: shuffle reads the value of lane 1, which does something else'
many=2 finds sync_not_named 'shuffle-source: shuffle reads the value of lane 4, which is not in the mask' 'mask-without-self'
first=$(line 'asm volatile("bar.sync 2;"')
finds sync_crossed 'deadlock: no thread of the block can go on: they wait for each other' 'in kernel crossed(int\*, bool)' \
	"^  waits: thread (0,0,0) and 31 more at barrier 1 of all threads, .*:$((first + 1)), pc .*, for thread (32,0,0) and 31 more$" \
	"^  waits: thread (32,0,0) and 31 more at barrier 2 of all threads, .*:$first, pc .*, for thread (0,0,0) and 31 more$"
finds sync_lane_and_block 'deadlock: ' "^  waits: thread (0,0,0) at warp barrier with mask 0x3 .*, for thread (1,0,0)$" \
	"^  waits: thread (1,0,0) at barrier 0 of all threads, .*:$(line '/* lane 1 */'), pc .*, for thread (0,0,0)$"
finds sync_too_few 'deadlock: no thread of the block can go on: they wait for threads that cannot come' \
	'^  waits: thread (0,0,0) and 31 more at barrier 1 of 64 threads, .*, for more threads, but there are none$'

finds float_divide 'infinity: reciprocal of f32 gives inf from 0$' "in kernel divide(.*planted.cu:$(line 'out[t] = 1 / v[t];'), pc " \
	'thread (5,0,0) of block (0,0,0)$'
finds float_guarded 'infinity: reciprocal of f32 gives inf from 0$' 'and 31 more of its warp$'
finds float_root 'nan: square root of f32 gives NaN from -4$' "after .*planted.cu:$(line 'out[t] = sqrtf(v[t]) + 1;'), pc "
finds float_fused 'infinity: multiplication and addition of f32 gives inf from 9.99999968e+37, 10 and 1$'
finds float_in_double 'infinity: multiplication of f64 gives inf from 1e+160 and 1e+160$'
finds float_to_half 'infinity: conversion of f32 to f16 gives inf from 65520$'
finds float_half_fused 'infinity: multiplication and addition of f16 gives inf from 300, 300 and 0$'
finds float_brain_fused 'infinity: multiplication and addition of bf16 gives inf from 2.0032e+19, 2.0032e+19 and 0$'
finds float_halves 'infinity: addition of f16x2 gives inf from 40000 and 40000$'
finds float_brains 'infinity: multiplication of f32 gives inf from 2.0032'
finds float_tiny 'subnormal: multiplication of f32 gives 9.9999461e-41 from 1.00000001e-10 and 1e-30$'
finds float_logarithm 'infinity: log of f32 gives -inf from 0$' "after .*planted.cu:$(line 'out[t] = logf(v[t]);'), pc "
finds float_large_logarithm 'nan: log of f64 gives NaN from -1$'
many=3 finds float_lines "planted.cu:$(line '/* the first line */'), pc " "planted.cu:$(line '/* the second line */'), pc " \
	"after .*planted.cu:$(line '/* the third line */'), pc "
many=2 finds float_header "planted.h:8, after .*planted.cu:$(line '/* of the header */'), pc " \
	"planted.h:10, after .*planted.cu:$(line '/* of the header */'), pc "
finds float_several 'nan: remquo of f32 gives NaN$' "after .*planted.cu:$(line 'out[t] += remquo(d, 3, &n)'), pc "
finds float_power 'infinity: pow of f32 gives inf$'
finds float_masked 'nan: subtraction of f32 gives NaN from -inf and -inf$'
finds float_follow 'nan: square root of f32 gives NaN from -0.5$' "after .*planted.cu:$(($(line '/* here */') - 2)), pc "
finds float_tile 'infinity: conversion of f32 to f16x2 gives inf from 160000$' 'and 31 more of its warp$'
float=--loaded finds float_given 'nan-loaded: addition of f32 gives NaN from NaN and 1; this thread has computed no NaN before' \
	"planted.cu:$(line '/* the first that computes with it */'), pc "
"$check" --tool floatcheck "$tmp/planted" float_given >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out"
result $? "what a kernel is given is told on demand"
float='--cancellation 20' finds float_difference \
	'cancellation: addition of f32 loses 20 bits: gives 0.5 from 1000000.5 and -1000000$'
"$check" --tool floatcheck --cancellation 21 "$tmp/planted" float_difference >"$tmp/out" 2>&1 &&
	grep -q '^ppu-check: 0 findings$' "$tmp/out"
result $? "fewer bits than were asked for"

# options
"$check" "$tmp/planted" leak >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings' "$tmp/out"
result $? "leaks are told on demand only"
"$check" "$tmp/planted" overrun >"$tmp/out" 2>&1
result $? "without --error-exitcode the status is the program's"
"$check" --error-exitcode 5 -- sh -c 'exit 3' >"$tmp/out" 2>&1
[[ $? == 3 ]] && grep -q 'nothing was checked' "$tmp/out"
result $? "a program that uses no PPU"
"$check" "$tmp/missing" >"$tmp/out" 2>&1
[[ $? == 127 ]]
result $? "a program that is not there"
"$check" --tool lifecheck true >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q 'there is no tool lifecheck' "$tmp/out"
result $? "what is not built is not offered"
"$check" --strict true >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q -- '--strict is of synccheck and racecheck, not of memcheck' "$tmp/out"
result $? "an option of another tool"
"$check" --plain-volatile true >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q -- '--plain-volatile is of racecheck, not of memcheck' "$tmp/out"
result $? "an option of racecheck"
for words in --loaded '--cancellation 9'; do
	# shellcheck disable=SC2086
	"$check" $words true >"$tmp/out" 2>&1
	[[ $? == 2 ]] && grep -q -- "${words% *} is of floatcheck, not of memcheck" "$tmp/out"
	result $? "$words: an option of floatcheck"
done
"$check" --tool floatcheck --cancellation 0 true >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q 'no number of bits: 0' "$tmp/out"
result $? "no number of bits"
PPU_CHECK=floatcheck,cancellation=x "$tmp/planted" float_divide clean >"$tmp/out" 2>&1
grep -q 'PPU_CHECK: there is no "cancellation=x"' "$tmp/out"
result $? "nor in the environment"
PPU_CHECK=memcheck,strict "$tmp/planted" overrun clean >"$tmp/out" 2>&1
grep -q 'PPU_CHECK: "strict" is of synccheck and racecheck only' "$tmp/out"
result $? "and in the environment"
"$check" >"$tmp/out" 2>&1
[[ $? == 2 ]]
result $? "no program"
PPU_CHECK=nonsense "$tmp/planted" >"$tmp/out" 2>&1
grep -q 'PPU_CHECK: there is no "nonsense"' "$tmp/out" && ! grep -q '^done' "$tmp/out"
result $? "a tool that does not exist is an error of the first call"

for word in --leak-check=full '--leak-check full'; do
	# shellcheck disable=SC2086
	"$check" $word --error-exitcode 7 "$tmp/planted" leak >"$tmp/out" 2>&1
	[[ $? == 7 ]]
	result $? "$word"
done
"$check" --leak-check no --error-exitcode 7 "$tmp/planted" leak >"$tmp/out" 2>&1
result $? "--leak-check no"
"$check" --suppressions "$tmp" "$tmp/planted" leak >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q 'Is a directory' "$tmp/out"
result $? "a directory is no file of rules"
printf '# known\nout-of-bound *fill*\n' >"$tmp/known"
"$check" --suppressions "$tmp/known" "$tmp/planted" overrun >"$tmp/out" 2>&1
grep -q 'known:2: there is no kind "out-of-bound"' "$tmp/out" && grep -q 'or it could not be opened$' "$tmp/out"
result $? "a rule for a kind that does not exist is refused"
strange=$tmp/$(printf 'a\377\303\244\355\240\200')
cp "$tmp/planted" "$strange"
"$check" --json "$tmp/json" --xml "$tmp/xml" "$strange" overrun >"$tmp/out" 2>&1
python3 -B - "$tmp/json" "$tmp/xml" >>"$tmp/out" 2>&1 <<'END'
import json
import sys
import xml.etree.ElementTree as tree

with open(sys.argv[1], encoding="utf-8") as f:
    one, = json.load(f)["findings"]
texts = [e.text for e in tree.parse(sys.argv[2]).getroot().find("finding").findall("allocated")]
assert texts == one["allocated"] and texts[0].startswith("a\ufffd\u00e4\ufffd\ufffd\ufffd in "), texts
END
result $? "names that are no UTF-8"

printf '# known\nout-of-bounds *fill* *planted.cu\n' >"$tmp/known"
"$check" --error-exitcode 7 --suppressions "$tmp/known" "$tmp/planted" overrun >"$tmp/out" 2>&1 &&
	grep -q '0 findings, 1 suppressed' "$tmp/out"
result $? "a finding is suppressed"
printf 'out-of-bounds *other*\nleak\n' >"$tmp/known"
"$check" --error-exitcode 7 --suppressions "$tmp/known" "$tmp/planted" overrun >"$tmp/out" 2>&1
[[ $? == 7 ]]
result $? "that of another kernel is not"

"$check" --json "$tmp/json" --xml "$tmp/xml" "$tmp/planted" after_free >"$tmp/out" 2>&1
python3 -B - "$tmp/json" "$tmp/xml" >>"$tmp/out" 2>&1 <<'END'
import json
import sys
import xml.etree.ElementTree as tree

with open(sys.argv[1], encoding="utf-8") as f:
    whole = json.load(f)
one, = whole["findings"]
assert whole["tool"] == "memcheck" and whole["checked"] and whole["program_status"] == 0, whole
assert one["kind"] == "use-after-free" and one["kernel"] == "_Z4fillPii" and one["access"] == "write", one
assert one["bytes"] == 4 and one["line"] > 0 and one["thread"] == "0,0,0" and one["more_threads"] == 15, one
assert one["allocated_by"] == "cudaMalloc" and one["freed_by"] == "cudaFree", one
assert any("after_free" in frame for frame in one["freed"]) and len(one["allocated"]) > 2, one
root = tree.parse(sys.argv[2]).getroot()
again, = root.findall("finding")
for key, value in one.items():
    texts = [e.text for e in again.findall(key)]
    assert texts == (value if isinstance(value, list) else [str(value)]), (key, value, texts)
END
result $? "JSON and XML say the same as the text"
"$check" --tool racecheck --json "$tmp/json" "$tmp/planted" race_one_warp >"$tmp/out" 2>&1
python3 -B - "$tmp/json" >>"$tmp/out" 2>&1 <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    whole = json.load(f)
one, = whole["findings"]
assert whole["tool"] == "racecheck" and whole["again"] == 63, whole
assert one["kind"] == "race" and one["access"] == "read" and one["other_access"].startswith("write"), one
assert one["thread"] == "0,0,0" and one["other_thread"] == "31,0,0" and one["line"] == one["other_line"] + 3, one
END
result $? "JSON has both sides of a race"

printf 'barrier-* *early* *planted.cu\n' >"$tmp/known"
"$check" --tool synccheck --error-exitcode 7 --suppressions "$tmp/known" "$tmp/planted" sync_exited >"$tmp/out" 2>&1 &&
	grep -q '0 findings, 2 suppressed' "$tmp/out"
result $? "a finding of synccheck is suppressed"
printf 'shuffle-source *outside* *planted.cu\n' >"$tmp/known"	# the file of the call
"$check" --tool synccheck --error-exitcode 7 --suppressions "$tmp/known" "$tmp/planted" sync_outside >"$tmp/out" 2>&1 &&
	grep -q '0 findings, 2 suppressed' "$tmp/out"
result $? "and by the file that calls"
"$check" --tool synccheck --json "$tmp/json" --xml "$tmp/xml" "$tmp/planted" sync_crossed >"$tmp/out" 2>&1
python3 -B - "$tmp/json" "$tmp/xml" >>"$tmp/out" 2>&1 <<'END'
import json
import sys
import xml.etree.ElementTree as tree

with open(sys.argv[1], encoding="utf-8") as f:
    one, = json.load(f)["findings"]
assert one["kind"] == "deadlock" and one["thread"] == "0,0,0" and one["more_threads"] == 31, one
assert len(one["waits"]) == 2 and one["waits"][0].startswith("thread (0,0,0) and 31 more at barrier 1"), one
texts = [e.text for e in tree.parse(sys.argv[2]).getroot().find("finding").findall("waits")]
assert texts == one["waits"], texts
END
result $? "JSON and XML have who waits for whom"

printf 'infinity *divide* *planted.cu\n' >"$tmp/known"
"$check" --tool floatcheck --error-exitcode 7 --suppressions "$tmp/known" --json "$tmp/json" "$tmp/planted" float_divide \
	>"$tmp/out" 2>&1 && grep -q '0 findings, 1 suppressed' "$tmp/out" && grep -q '"tool": "floatcheck"' "$tmp/json"
result $? "a finding of floatcheck is suppressed"

# programs that are right; each line of the log is a call, so its number of lines is the program's way
silent=0 fair=0 written=0 together=0 exact=0
for program in "$build"/cuda-tests/{atomic,barrier,constant,cooperative_groups,graph,launch,managed,print,queue,reduction,streams,texture,warps} \
		"$build"/bin/cuda-{matmul,reduction,vector-add}; do
	"$check" --error-exitcode 77 "$program" >"$tmp/out" 2>&1 && grep -q '^ppu-check: 0 findings$' "$tmp/out" || break
	silent=$((silent + 1))
	"$check" --tool racecheck --error-exitcode 77 "$program" >"$tmp/out" 2>&1 &&
		grep -q '^ppu-check: 0 findings$' "$tmp/out" && fair=$((fair + 1))
	"$check" --tool initcheck --error-exitcode 77 "$program" >"$tmp/out" 2>&1 &&
		grep -q '^ppu-check: 0 findings$' "$tmp/out" && written=$((written + 1))
	"$check" --tool synccheck --strict --error-exitcode 77 "$program" >"$tmp/out" 2>&1 &&
		grep -q '^ppu-check: 0 findings$' "$tmp/out" && together=$((together + 1))
	"$check" --tool floatcheck --loaded --error-exitcode 77 "$program" >"$tmp/out" 2>&1 &&
		grep -q '^ppu-check: 0 findings$' "$tmp/out" && exact=$((exact + 1))
done
[[ $silent == 16 && $fair == 16 && $written == 16 && $together == 16 && $exact == 16 ]]
result $? "no false alarm in 16 programs (silent: memcheck $silent, racecheck $fair, initcheck $written, synccheck $together, floatcheck $exact)"

# The same events at the same device times, whoever looks; only addresses differ.
export LD_LIBRARY_PATH=$build/lib/cuda
PPU_TRACE=$tmp/trace1 "$build/bin/cuda-reduction" >"$tmp/out" 2>&1 &&
	PPU_TRACE=$tmp/trace2 "$check" "$build/bin/cuda-reduction" >"$tmp/out" 2>&1 &&
	python3 -B - "$tmp/trace1" "$tmp/trace2" >>"$tmp/out" 2>&1 <<'END'
import sys

one, two = (open(name, "rb").read() for name in sys.argv[1:])
assert len(one) == len(two) > 40 * 50, (len(one), len(two))
for i in range(len(one) % 40, len(one), 40):	# a record begins with its time, event and unit
    assert one[i:i + 12] == two[i:i + 12], (i, one[i:i + 40], two[i:i + 40])
END
result $? "the trace is that of the program alone"
PPU_TRACE=$tmp/trace2 "$check" --tool racecheck "$build/bin/cuda-reduction" >"$tmp/out" 2>&1 && cmp "$tmp/trace1" "$tmp/trace2" >>"$tmp/out" 2>&1
result $? "racecheck changes not even addresses"
PPU_TRACE=$tmp/trace2 "$check" --tool synccheck "$build/bin/cuda-reduction" >"$tmp/out" 2>&1 && cmp "$tmp/trace1" "$tmp/trace2" >>"$tmp/out" 2>&1
result $? "nor does synccheck"
PPU_TRACE=$tmp/trace1 "$build/bin/cuda-matmul" >"$tmp/out" 2>&1 &&
	PPU_TRACE=$tmp/trace2 "$check" --tool floatcheck --cancellation 3 "$build/bin/cuda-matmul" >"$tmp/out" 2>&1 &&
	cmp "$tmp/trace1" "$tmp/trace2" >>"$tmp/out" 2>&1
result $? "nor does floatcheck"
exit $failed
