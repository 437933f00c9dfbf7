#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CP-36: the library's names are its own: every symbol it exports begins with ppu, and the header's calls are
# all there.

cd "$(dirname "$0")/../../.." || exit 1
lib=${BUILD:-build}/lib/libppu.so.0
failed=0

have=$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sort) || exit 1
strange=$(grep -v '^ppu' <<<"$have")
if [[ -z $strange && -n $have ]]; then
	echo "ok - $(wc -l <<<"$have") exported names, all begin with ppu"
else
	echo "not ok - exported: $strange"
	failed=1
fi
want=$(${CC:-gcc} -E -P -Iinclude include/ppu.h | grep -oE '\bppu[A-Z][A-Za-z0-9]*\(' | tr -d '(' | sort -u | grep -vx ppuDim)
missing=$(comm -23 <(echo "$want") <(echo "$have"))
if [[ -z $missing && -n $want ]]; then
	echo "ok - $(wc -l <<<"$want") calls of the header are exported"
else
	echo "not ok - not exported: $missing"
	failed=1
fi
for lib in "${BUILD:-build}"/lib/libppu.so.0 "${BUILD:-build}"/lib/libppu-core.so.0 \
	   "${BUILD:-build}"/lib/cuda/lib{cuda.so.1,cudart.so.12,nvrtc.so.12,nvidia-ml.so.1}; do
	if readelf -dW "$lib" | grep -q STATIC_TLS || [[ ! -e $lib ]]; then
		echo "not ok - ${lib##*/} is missing, or wants static thread memory"
		failed=1
	else
		echo "ok - ${lib##*/} can be loaded later"
	fi
done
exit $failed
