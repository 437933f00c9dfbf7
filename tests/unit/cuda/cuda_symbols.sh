#!/bin/bash
# SPDX-License-Identifier: MIT
#
# libcuda.so.1 as programs find it: its soname, nothing exported but the API, and every function that known
# programs link or look up.

cd "$(dirname "$0")/../../.." || exit 1
lib=${BUILD:-build}/lib/cuda/libcuda.so.1
failed=0

result()	# text, 0 when good
{
	if [[ $2 -eq 0 ]]; then echo "ok - $1"; else echo "not ok - $1"; failed=1; fi
}

have=$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sort) || exit 1
readelf -d "$lib" | grep -q 'SONAME.*\[libcuda.so.1\]'
result "the soname is libcuda.so.1" $?
strange=$(grep -vE '^(cu[A-Z].*|ppu_cuda_usage)$' <<<"$have")	# that one is for our libnvidia-ml
result "$(wc -l <<<"$have") names, all of the API${strange:+; but also: $strange}" "$([[ -z $strange ]]; echo $?)"
missing=$(comm -23 <(grep -v '^#' tests/unit/cuda/cuda_clients.txt | sort) <(echo "$have") | tr '\n' ' ')
result "what known programs ask for is there${missing:+, but not: $missing}" "$([[ -z $missing ]]; echo $?)"
# The names that programs use are macros for functions that exist.
missing=$(comm -23 <(awk '/^#define cu/ { print $3 }' include/cuda/cuda_names.h | sort -u) <(echo "$have") | tr '\n' ' ')
result "names in the header lead to functions${missing:+, but not: $missing}" "$([[ -z $missing ]]; echo $?)"
exit $failed
