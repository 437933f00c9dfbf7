#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-check --schedules: output that depends on the order of warps and blocks is found, and the seed repeats it; programs that
# are right print the same in each order.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
check=$build/bin/ppu-check
unset PPU_CHECK
mkdir "$tmp/dir"

"$build/cuda/bin/ppu-nvcc" -std=c++17 -o "$tmp/orders" tests/unit/lib/orders.cu >"$tmp/out" 2>&1
result $? "the programs are built"
for name in last_block first_warp lost_update no_barrier; do
	"$check" --schedules 12 --error-exitcode 77 "$tmp/orders" $name >"$tmp/out" 2>&1
	[[ $? == 77 ]] && grep -q '^ppu-check: order [0-9]*: another output$' "$tmp/out" &&
		grep -q '^ppu-check: [1-9][0-9]* of 12 orders give another output$' "$tmp/out" && grep -q '^  instead of  ' "$tmp/out"
	result $? "$name: the output depends on the order"
	seed=$(sed -n 's/^  again with PPU_PROPS=\([^ ]*\), or --schedules 1 --seed [0-9]*$/\1/p' "$tmp/out" | head -1)
	said=$(sed -n 's/^  line [0-9]* is   //p' "$tmp/out" | head -1)
	for i in 1 2; do
		env PPU_PROPS="$PPU_PROPS,$seed" LD_LIBRARY_PATH="$build/lib/cuda" "$tmp/orders" $name >"$tmp/out$i" 2>&1
	done
	cp "$tmp/out1" "$tmp/out"
	cmp -s "$tmp/out1" "$tmp/out2" && grep -q -x -F -- "$said" "$tmp/out1"
	result $? "$name: the seed repeats it"
done
"$check" --schedules 1 --seed 7 "$tmp/orders" lost_update >"$tmp/out" 2>&1
result $? "without --error-exitcode the status is the program's"
for name in sum ids lanes; do
	"$check" --schedules 12 --error-exitcode 77 "$tmp/orders" $name >"$tmp/out" 2>&1 &&
		grep -q '^ppu-check: 0 of 12 orders give another output$' "$tmp/out"
	result $? "$name: the output is always the same"
done
for program in cuda-matmul cuda-reduction sample-histogram; do
	"$check" --schedules 4 --error-exitcode 77 "$build/bin/$program" >"$tmp/out" 2>&1
	[[ $? != 77 ]] && grep -q '^ppu-check: 0 of 4 orders' "$tmp/out"
	result $? "$program: the output is always the same"
done
# a file that the program writes: its number of bytes depends on the order, or on nothing; the program prints nothing
for name in last_block sum; do
	echo before >"$tmp/file"
	"$check" --schedules 12 --compare "$tmp/file" --error-exitcode 77 sh -c '"$0" "$1" >>"$2"' "$tmp/orders" $name "$tmp/file" >"$tmp/out" 2>&1
	status=$?
	if [[ $name == sum ]]; then
		[[ $status == 0 ]] && grep -q '^ppu-check: 0 of 12 orders give another output$' "$tmp/out"
		result $? "$name: the file is always the same"
	else
		[[ $status == 77 ]] && grep -q "^ppu-check: order [0-9]*: file $tmp/file is another one, from byte [0-9]* on ([0-9]* bytes, instead of [0-9]*)$" \
			"$tmp/out" && grep -q '^  again with PPU_PROPS=' "$tmp/out" && ! grep -q 'another output$' <(head -1 "$tmp/out")
		result $? "$name: the file depends on the order"
	fi
	[[ $(head -1 "$tmp/file") == before && $(grep -c before "$tmp/file") == 1 ]] &&
		cmp -s <(tail -n +2 "$tmp/file") <(LD_LIBRARY_PATH=$build/lib/cuda PPU_BACKEND=core "$tmp/orders" $name)
	result $? "$name: the file is that of the device's own order, each run begins with the one of before"
done
rm -f "$tmp/file"
"$check" --schedules 2 --compare "$tmp/file" sh -c '[ ! -e "$0" ] && echo "$PPU_PROPS" >"$0"' "$tmp/file" >"$tmp/out" 2>&1
grep -q '^ppu-check: 2 of 2 orders give another output$' "$tmp/out" && [[ -e $tmp/file ]]
result $? "a file that was not there is not there when a run begins"
# shellcheck disable=SC2016
"$check" --schedules 3 --compare "$tmp/file" sh -c 'printf "%010d\n" "$(echo "$PPU_PROPS" | cksum | cut -d" " -f1)" >"$0"' "$tmp/file" \
	>"$tmp/out" 2>&1
grep -q '^ppu-check: 3 of 3 orders give another output$' "$tmp/out" && [[ $(grep -c '(11 bytes, instead of 11)$' "$tmp/out") == 3 ]]
result $? "a file of the same length with other bytes is another one"
"$check" --schedules 1 --compare "$tmp/none" true >"$tmp/out" 2>&1 && grep -q "^ppu-check: there is no file $tmp/none after the run$" "$tmp/out"
result $? "a file that the program does not write is told"
"$check" --schedules 2 sh -c 'exit 3' >"$tmp/out" 2>&1
[[ $? == 3 ]]
result $? "the exit status is that in the device's own order"
# shellcheck disable=SC2016
TMPDIR=$tmp/dir "$check" --schedules 2 --memory bash -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 300' "$tmp/pid" >"$tmp/out" 2>&1 &
pid=$!
for ((i = 0; i < 200; i++)); do [[ ! -e $tmp/pid ]] || break; sleep 0.05; done
kill "$pid"
wait "$pid"
[[ $? == 143 ]] || echo "the status is another one" >>"$tmp/out"
program=$(cat "$tmp/pid")
for ((i = 0; i < 100; i++)); do kill -0 "$program" 2>/dev/null || break; sleep 0.05; done
! kill -0 "$program" 2>>"$tmp/out" && ! grep -q another "$tmp/out"
result $? "who stops it stops the program, too"
[[ -z $(ls -A "$tmp/dir") ]]
result $? "and no file is left"
# all orders of small launches, and a switch at each cycle
orders() # WHAT STATUS PROGRAM FOUND OF OPTION...: so many of so many orders give another output
{
	local what=$1 status=$2 name=$3 found=$4 of=$5

	shift 5
	"$check" --schedules all "$@" --error-exitcode 77 "$tmp/orders" "$name" >"$tmp/out" 2>&1
	[[ $? == "$status" ]] && grep -q -x -- "ppu-check: $found of $of orders give another output" "$tmp/out"
	result $? "$what"
}
# of the 6 orders of three blocks those 3 in which the third comes before the first, each with both sides of branches
orders "the orders of three blocks" 77 third_first 6 12
order=$(sed -n 's/^  again with PPU_PROPS=//p' "$tmp/out" | head -1)
cp "$tmp/out" "$tmp/all"
env PPU_PROPS="$PPU_PROPS,$order" LD_LIBRARY_PATH="$build/lib/cuda" "$tmp/orders" third_first >"$tmp/out" 2>&1 &&
	[[ $order == x-order=* && $(head -1 "$tmp/out") == '7 1 0 0 0 0 0 0 0 0' ]]
result $? "the properties that are told repeat it"
grep -q '^  line 1 is   7 1 0 0 0 0 0 0 0 0$' "$tmp/all"
result $? "what it prints then is told"
orders "a warp that waits for one behind it" 0 waits 0 4
orders "one update by each of two warps: no order loses it" 0 once 0 4
orders "with a switch it is lost" 77 once '[1-9][0-9]*' 124 --switches 30
! grep -q 'x-order-switch=0,' "$tmp/out" && grep -q '^  line 1 is   1 0 ' "$tmp/out"
result $? "by the switch, and not without one"
orders "with a switch to another block it is lost" 77 once_blocks '[1-9][0-9]*' 124 --switches 30
orders "either side of a branch first" 77 sides 1 2
orders "a right program of 24 orders" 0 sum 0 48
orders "too many blocks, and warps" 0 ids 0 2
grep -q '^ppu-check: no launch has 2 to 6 blocks, or blocks of 2 to 6 warps: ' "$tmp/out"
result $? "that there are no orders is told"
# memory
"$check" --schedules all --error-exitcode 77 "$tmp/orders" hidden >"$tmp/out" 2>&1
result $? "what the program does not print is not compared"
orders "what it leaves in memory is, with --memory" 77 hidden 2 4 --memory
for what in 'variable variable, 4 bytes, differ: byte 0 is 0x03 instead of 0x04' \
	'the 80 bytes of cudaMalloc by orders in main+0x[0-9a-f]* differ: byte 12 is 0x03 instead of 0x04' \
	'the 100000 bytes of cudaMalloc by orders in main+0x[0-9a-f]* differ: in bytes 69888 to 70143'; do
	grep -q -x "ppu-check: order 3: $what" "$tmp/out"
	result $? "told: $what"
done
[[ $(grep -c '^ppu-check: order 3: ' "$tmp/out") == 3 ]]
result $? "and no more than that"
orders "memory that is always the same" 0 hidden_right 0 4 --memory
"$check" --schedules 12 --memory --error-exitcode 77 "$tmp/orders" hidden >"$tmp/out" 2>&1
[[ $? == 77 ]] && grep -q '^ppu-check: order [0-9]*: the 80 bytes of cudaMalloc by ' "$tmp/out"
result $? "memory in orders by chance"
"$check" --schedules 1 --memory true >"$tmp/out" 2>&1 && grep -q '^ppu-check: the program used no PPU' "$tmp/out"
result $? "a program without a device is told"
TMPDIR=$tmp/dir "$check" --schedules 1 --memory "$tmp/orders" hidden >"$tmp/out" 2>&1
[[ -z $(ls -A "$tmp/dir") ]]
result $? "no file is left"
for words in '--seed 3' '--memory' '--schedules all --seed 3' '--schedules 3 --switches 2' '--schedules all --switches 20000' '--schedules some' '--compare file' '--schedules 0' '--schedules 2 --tool memcheck' '--schedules 2 --strict'; do
	# shellcheck disable=SC2086
	"$check" $words true >"$tmp/out" 2>&1
	[[ $? == 2 ]]
	result $? "$words is refused"
done
exit $failed
