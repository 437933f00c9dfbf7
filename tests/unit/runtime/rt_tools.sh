#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ppu-run, ppu-trace and ppu-info on the host, without a VM.
B=${BUILD:-build}
[ -d "$B" ] || B=$PPU_TOP/$B
# shellcheck disable=SC2034
RUN="$B/bin/ppu-run --backend core"
# shellcheck disable=SC2034
SAMPLES=$B/samples
# shellcheck source=tests/system/lib/ppu_run_cases.sh
. "$PPU_TOP/tests/system/lib/ppu_run_cases.sh"

# The same run writes the same trace, whatever the addresses of the process.
for i in 1 2; do
	$RUN --trace "$dir/trace$i" --quiet "$SAMPLES/reduction.ptx" reduction 4 64 buf:4000,iota32 u32:1000 buf:4 ||
		echo "not ok - run $i"
done
cmp -s "$dir/trace1" "$dir/trace2" && echo "ok - traces are byte-identical" || echo "not ok - traces are byte-identical"
"$B/bin/ppu-trace" "$dir/trace1" >"$dir/out" 2>"$dir/err"
has "opcode=LAUNCH" "ppu-trace prints the launch"
has "CTA_DONE" "and the blocks"
"$B/bin/ppu-trace" --svg "$dir/t.svg" "$dir/trace1" && grep -q "SM 0" "$dir/t.svg" &&
	echo "ok - and draws them" || echo "not ok - and draws them"

# The host code of kernels, where this host can have any.
cat >"$dir/loc.ptx" <<'END'
.version 6.3
.target sm_60
.address_size 64
.file 1 "add.cu"
.visible .entry add(.param .u64 p)
{
	.reg .u32 %r<3>;
	.reg .u64 %rd<3>;
	.reg .pred %p1;
	.loc 1 3 0
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	.loc 1 4 0
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	.loc 1 5 0
	setp.gt.u32 %p1, %r1, 9;
	@%p1 bra DONE;
	add.u32 %r2, %r2, 1;
DONE:
	.loc 1 7 0
	st.global.u32 [%rd1], %r2;
	ret;
}
END
says=$($RUN --quiet --prop engine=translate "$dir/loc.ptx" add 1 32 buf:128 2>&1)
if [ -z "$says" ]; then
	# shows NAME LINES ARG...: what is printed is right, and names these lines of the source
	shows()
	{
		shows_lines=$2
		want 0 "--dump-code of $1" --quiet --dump-code "$3" "$1" 1 64 $4
		# shellcheck disable=SC2086
		python3 "$PPU_TOP/tests/unit/lib/dump_code.py" "$dir/out" $shows_lines >"$dir/err" 2>&1 &&
			echo "ok - each instruction beside its code" || { sed 's/^/# /' "$dir/err"; echo "not ok - each instruction beside its code"; }
	}
	shows vector_add "" "$SAMPLES/vector_add.ptx" "buf:256,iota32 buf:256,iota32 buf:256 u32:64"
	shows reduction "" "$SAMPLES/reduction.ptx" "buf:4000,iota32 u32:1000 buf:4"
	shows add "add.cu:3 add.cu:4 add.cu:5 add.cu:7" "$dir/loc.ptx" buf:256
	want 1 "--dump-code of what is interpreted" --quiet --dump-code --prop engine=interpret "$dir/loc.ptx" add 1 32 buf:128
	has "loc.ptx is not host code" "says so"
	$B/bin/ppu-run --backend drm --dump-code "$dir/loc.ptx" add 1 32 buf:128 >"$dir/out" 2>"$dir/err"
	[ $? -eq 2 ] && echo "ok - --dump-code with drm: exit status" || echo "not ok - --dump-code with drm: exit status"
	has "is for the device in this process" "says where it is possible"
	# What --counters says of it: a translation in the first launch, none in the second.
	want 0 "--counters of a translated kernel" --counters --quiet --repeat 2 --prop engine=translate "$dir/loc.ptx" add 1 32 buf:128
	python3 - "$dir/out" <<'END' && echo "ok - what was translated" || echo "not ok - what was translated"
import json, sys
first, second = [json.loads(line) for line in open(sys.argv[1])]
e, (t,) = first["engine"], first["translated"]
assert second["translated"] == []
assert e["translations"] == 1 and second["engine"]["translations"] == 0 and e["refused"] == 0
for name in ("instructions", "inlined", "segments", "code_bytes", "memory_bytes", "host_ns"):
    assert e[name] == t[name] > 0, name
assert t["entry"] == 0 and t["inlined"] < t["instructions"] and t["code_bytes"] < t["memory_bytes"]
assert second["engine"]["entered"] > 0 and second["engine"]["warp_instructions"] == second["warp_instructions"]
assert second["engine"]["host_ns"] == 0
END
	want 0 "and of one that is interpreted" --counters --quiet --prop engine=interpret "$dir/loc.ptx" add 1 32 buf:128
	has '"engine": {"available": 1, "translations": 0, .*"entered": 0, "warp_instructions": 0, "host_ns": 0}, "translated": \[\]' "nothing"
else
	has_nothing=$($RUN --quiet --dump-code "$dir/loc.ptx" add 1 32 buf:128 2>&1)
	case $has_nothing in
	*"is not host code"*) echo "ok - no host code on this host" ;;
	*) echo "not ok - no host code on this host: $has_nothing" ;;
	esac
fi
"$B/bin/ppu-trace" "$T" 2>/dev/null && echo "not ok - ppu-trace refuses other files" ||
	echo "ok - ppu-trace refuses other files"
"$B/bin/ppu-trace" --from 99999999999999 --svg "$dir/t.svg" "$dir/trace1" >"$dir/out" 2>"$dir/err" || echo "not ok - --from"
has "nothing is there: .*trace1 is from 0 to " "and says when a choice of time has nothing in it"
for pair in "empty.ptx:is empty" "k.cu:is CUDA C++: make PTX of it first" "elf:is neither text nor an image"; do
	"$B/bin/ppu-cc" -o "$dir/x.ppub" "$dir/${pair%%:*}" >"$dir/out" 2>"$dir/err"
	[ $? -eq 3 ] || echo "not ok - ppu-cc of ${pair%%:*}: exit status"
	has "${pair%%:*} ${pair#*:}" "ppu-cc: ${pair%%:*} ${pair#*:}"
done
for tool in ppu-as ppu-cc; do
	"$B/bin/$tool" "$dir/nowhere.ptx" >"$dir/out" 2>"$dir/err"
	[ $? -eq 2 ] && echo "ok - $tool of no file: exit status 2" || echo "not ok - $tool of no file: exit status"
	has "$tool: .*nowhere.ptx: No such file" "$tool of no file says so"
done
"$B/bin/ppu-cc" --frobnicate >"$dir/out" 2>"$dir/err"
has "--frobnicate is no option" "ppu-cc names an option it does not know"
# ppu-smi shows the device of its own process, and itself as who uses it: here under a name that is an attack.
odd=$dir/$(printf 'x\033[31m\n7, PPU')
cp "$B/bin/ppu-smi" "$odd"
for page in "" -q --query-compute-apps=name; do
	PPU_BACKEND=core PPU_CORE_LIB=$(realpath "$B/lib/libppu-core.so.0") "$odd" ${page:+"$page"} >"$dir/out" 2>"$dir/err" ||
		echo "not ok - ppu-smi $page"
	has 'x?\[31m?7? PPU' "ppu-smi $page: a process cannot name itself as it likes"
done
PPU_BACKEND=core "$B/bin/ppu-smi" --query-gpu=index,memory.total,power.draw --format=csv >"$dir/out" 2>"$dir/err"
has '^0, 8192 MiB, \[N/A\]$' "ppu-smi --query-gpu: values and units"
PPU_BACKEND=core "$B/bin/ppu-smi" --query-gpu=index,memory.total --format=csv,noheader,nounits >"$dir/out" 2>"$dir/err"
[ "$(cat "$dir/out")" = "0, 8192" ] && echo "ok - ppu-smi: noheader, nounits" || echo "not ok - ppu-smi: noheader, nounits"
for pair in "-i 3:there is no device 3; there are 1" "--query-gpu=nonsense:there is no field" "--frob:what is" \
	"--format=xml:there are csv, noheader and nounits" "-L -q:only one of"; do
	# shellcheck disable=SC2086
	PPU_BACKEND=core "$B/bin/ppu-smi" ${pair%%:*} >"$dir/out" 2>"$dir/err" && echo "not ok - ppu-smi ${pair%%:*}: exit status"
	has "${pair#*:}" "ppu-smi ${pair%%:*}: ${pair#*:}"
done
PPU_BACKEND=core "$B/bin/ppu-top" -n 2 -d 0.01 >"$dir/out" 2>"$dir/err" || echo "not ok - ppu-top"
[ "$(grep -c '^0 PPU .*in process' "$dir/out")" = 2 ] && echo "ok - ppu-top: two pages" || echo "not ok - ppu-top: two pages"
for bad in "-n 0" "-d x" "-d 0" "-z" "more"; do
	# shellcheck disable=SC2086
	PPU_BACKEND=core "$B/bin/ppu-top" $bad >"$dir/out" 2>"$dir/err"
	[ $? -eq 2 ] && echo "ok - ppu-top $bad: exit status 2" || echo "not ok - ppu-top $bad: exit status"
done
PPU_BACKEND=core "$B/bin/ppu-info" >"$dir/out" 2>"$dir/err" || echo "not ok - ppu-info"
has "backend core" "ppu-info shows the in-process device"
