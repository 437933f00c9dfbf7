#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-check --tool initcheck in local memory, of values that are only copied, and in pools: each mistake of unwritten.cu is
# found, as what it is; without the mistake nothing is found, also in code that was not optimised.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
check=$build/bin/ppu-check
unset PPU_CHECK

for level in 2 0; do
	"$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo "-O$level" -o "$tmp/unwritten-O$level" tests/unit/lib/unwritten.cu >"$tmp/out" 2>&1
	result $? "the program with mistakes is built, -O$level"
done

line()	# with this text
{
	grep -n -F -m1 -- "$1" tests/unit/lib/unwritten.cu | cut -d: -f1
}

# finds NAME PATTERN...: with the mistake one finding, whose text has the patterns; without it none, -O0 and -O2
finds()
{
	local name=$1 p status level
	shift
	for level in 2 0; do
		status=0
		"$check" --tool initcheck --error-exitcode 77 "$tmp/unwritten-O$level" "$name" >"$tmp/out" 2>&1
		[[ $? == 77 ]] && grep -q '^ppu-check: 1 finding' "$tmp/out" || status=1
		for p; do
			grep -q -- "$p" "$tmp/out" || status=1
		done
		result $status "$name is found, -O$level"
		"$check" --tool initcheck --error-exitcode 77 "$tmp/unwritten-O$level" "$name" clean >"$tmp/out" 2>&1
		[[ $? == 0 ]] && grep -q '^ppu-check: 0 findings$' "$tmp/out"
		result $? "$name: nothing is found where nothing is wrong, -O$level"
	done
}

finds local_array 'uninitialized: read of 4 bytes of local memory at 0x[0-9a-f]*, 4 of which the thread has not written$' \
	"unwritten.cu:$(line '/* of the table */'), pc "
finds local_frame 'uninitialized: read of 4 bytes of local memory' "unwritten.cu:$(line '/* of a frame */'), pc " ' and 31 more of its warp'
finds moved 'uninitialized: read of 1 byte of global memory at 0x[0-9a-f]*, 1 of which nobody has written$' \
	"unwritten.cu:$(line '/* of an item */'), pc " 'is 1 byte.* inside the 256 bytes at .*, allocation 2$'
finds moved_on 'uninitialized: read of 4 bytes of shared memory at 0x7c, 4 of which no thread of the block has written$' \
	"unwritten.cu:$(line '/* a result */'), pc " 'thread (0,0,0) of block (0,0,0), and 11 more of its warp$'
finds moved_later 'uninitialized: read of 4 bytes' ' and 31 more of its warp'
finds pool_again 'uninitialized: read of 4 bytes of global memory' 'is 996 bytes inside the 1000 bytes' ' in pool_again()+0x' \
	'allocated by cudaMallocAsync$'
! grep -q 'not the same memory' "$tmp/out"
result $? "the pool gives out the same memory again"
finds pool_behind 'uninitialized: read of 4 bytes of global memory' 'is 0 bytes inside the 256 bytes' ' in pool_behind()+0x'
exit $failed
