#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs on both engines, without sanitizers (test_engines runs some with them): with all that the host has, and
# as on a host without AVX-512.  Each way has half of the programs if there are two.
evex=
if grep -q avx512_vbmi2 /proc/cpuinfo && grep -q avx512bw /proc/cpuinfo; then
	evex=1
fi
PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-${evex:+10000}}
PPU_RANDOM_PROGRAMS=${PPU_RANDOM_PROGRAMS:-20000}
export PPU_RANDOM_PROGRAMS
echo "1..2"
n=0
run() { # NAME WITHOUT
	n=$((n + 1))
	if out=$(PPU_ENGINE_WITHOUT=$2 "$BUILD/unit-fast/test_engines" 2>&1); then
		echo "ok $n - $1"
	else
		printf '%s\n' "$out" | sed 's/^/# /'
		echo "not ok $n - $1"
		failed=1
	fi
}
failed=0
run "AVX2" 1
if [ -n "$evex" ]; then
	run "AVX-512" 0
else
	echo "ok 2 - AVX-512 # SKIP this processor has no AVX-512 with VBMI2"
fi
exit $failed
