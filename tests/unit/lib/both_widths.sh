# SPDX-License-Identifier: MIT
# Sourced by scripts of this folder's neighbours: both PROGRAM runs a test's program with all that the host has, and as on a host
# without AVX-512.  shared_out: whether there are two such runs, so that each may take half of the work.
shared_out=
if grep -q avx512_vbmi2 /proc/cpuinfo && grep -q avx512bw /proc/cpuinfo; then
	shared_out=1
fi

with() { # NUMBER NAME WITHOUT PROGRAM
	if out=$(PPU_ENGINE_WITHOUT=$3 "$4" 2>&1); then
		echo "ok $1 - $2"
	else
		printf '%s\n' "$out" | sed 's/^/# /'
		echo "not ok $1 - $2"
		failed=1
	fi
}

both() { # PROGRAM
	failed=0
	echo "1..2"
	with 1 AVX2 1 "$1"
	if [ -n "$shared_out" ]; then
		with 2 AVX-512 0 "$1"
	else
		echo "ok 2 - AVX-512 # SKIP this processor has no AVX-512 with VBMI2"
	fi
	exit $failed
}
