#!/bin/bash
# SPDX-License-Identifier: MIT
# Kernels whose results do not depend on the order between SMs: results, counters, device times and traces are the same
# bytes with any number of workers, on both engines.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0
echo "1..12"

# What a launch shows, without the host's times and the engine's statistics; and the trace, whose head has the properties.
show() { # FILE WORKERS ENGINE ARG...
	local file=$1 props=(--prop "workers=$2" --prop "engine=$3" --prop vram=64M)

	shift 3
	"$BUILD/bin/ppu-run" --backend core "${props[@]}" --repeat 2 --trace "$tmp/trace" "$@" >"$file" &&
		"$BUILD/bin/ppu-run" --backend core "${props[@]}" --quiet --repeat 2 --counters "$@" |
			python3 -c '
import json, sys
for line in sys.stdin:
    run = json.loads(line)
    run.pop("host_ns", None)
    run.pop("engine", None)
    run.pop("translated", None)
    print(json.dumps(run, sort_keys=True))' >>"$file" &&
		"$BUILD/bin/ppu-trace" "$tmp/trace" >>"$file"
}

same() { # KERNEL ARG...
	local name=$1 engine workers

	shift
	show "$tmp/want" 0 1 "$BUILD/samples/$name.ptx" "$name" "$@" || failed=1
	if ! grep -q CTA_DONE "$tmp/want" || ! grep -q thread_instructions "$tmp/want"; then
		echo "# $name shows nothing"
		failed=1
	fi
	for engine in 1 2; do
		for workers in 2 4; do
			[ "$engine$workers" = 14 ] && continue
			n=$((n + 1))
			if show "$tmp/got" "$workers" "$engine" "$BUILD/samples/$name.ptx" "$name" "$@" &&
				cmp "$tmp/want" "$tmp/got" >&2; then
				echo "ok $n - $name, $workers workers, engine=$engine"
			else
				echo "not ok $n - $name, $workers workers, engine=$engine"
				failed=1
			fi
		done
	done
}

same vector_add 128 256 buf:131072,rand=1 buf:131072,rand=2 buf:131072 u32:32768
same matmul 8,8 16,16 buf:65536,iota32 buf:65536,iota32 buf:65536 u32:128
same histogram 60 256 buf:100000,rand=3 u32:100000 buf:1024
same mandelbrot 8,8 16,16 buf:65536 u32:128 u32:128 f32:-2 f32:-1.5 f32:0.0234375 u32:64
exit $failed
