# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# ppu-run with every kind of argument and every exit status.  Sourced with
#   RUN      the command, with its backend      SAMPLES  directory of the samples' PTX
# by the test in the guest and the one on the host.  TAP on standard output.

dir=$(mktemp -d /tmp/ppu-run-XXXXXX)
trap 'rm -rf "$dir"' EXIT

# want STATUS NAME ARG...: the exit status; output in $dir/out
want()
{
	want_status=$1
	want_name=$2
	shift 2
	$RUN "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	if [ $got -eq "$want_status" ]; then
		echo "ok - $want_name"
	else
		sed 's/^/# /' "$dir/err"
		echo "# exit status $got, wanted $want_status"
		echo "not ok - $want_name"
	fi
}
# has PATTERN NAME: the last output contains it
has()
{
	if grep -q -- "$1" "$dir/out" "$dir/err"; then
		echo "ok - $2"
	else
		sed 's/^/# /' "$dir/out" "$dir/err" | head -20
		echo "not ok - $2"
	fi
}

cat >"$dir/t.ppus" <<'END'
.kernel copy_args
.param p u64 ; .param a u8 ; .param b u16 ; .param c u32 ; .param d u64 ; .param s 12 4
ld.param.u64 rd4, [p]
ld.param.u8 r6, [a]
st.global.u32 [rd4], r6
ld.param.u16 r6, [b]
st.global.u32 [rd4+4], r6
ld.param.u32 r6, [c]
st.global.u32 [rd4+8], r6
ld.param.u64 rd6, [d]
st.global.u64 [rd4+16], rd6
ld.param.u32 r6, [s+8]
st.global.u32 [rd4+12], r6
exit
.kernel add_one
.param p u64
s2r r4, %tid.x
ld.param.u64 rd6, [p]
madw.u32 rd6, r4, 4, rd6
ld.global.u32 r8, [rd6]
add.u32 r8, r8, 1
st.global.u32 [rd6], r8
exit
.kernel wild
mov.u64 rd4, 64
st.global.u32 [rd4], r6
exit
.kernel trapping
trap
exit
.kernel endless
top: bra top
END
printf '.version 6.3\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n\tfrobnicate.u32 %%r1;\n\tret;\n}\n' >"$dir/bad.ptx"
T=$dir/t.ppus

want 0 "vector_add from PTX" "$SAMPLES/vector_add.ptx" vector_add 1 64 buf:256,iota32 buf:256,iota32 buf:256,out="$dir/sum" u32:64
want 0 "the same again, printed" "$SAMPLES/vector_add.ptx" vector_add 1 64 buf:256,iota32 buf:256,iota32 buf:256 u32:64
has "00000020: 00000010 00000012 00000014" "sums of denormal numbers are exact"
[ -f "$dir/sum" ] && [ "$(wc -c <"$dir/sum")" -eq 256 ] && echo "ok - out= is written raw" || echo "not ok - out= is written raw"
want 0 "a written buffer is read back" "$T" add_one 1 64 buf:256,file="$dir/sum"
has "00000000: 00000001 00000003 00000005" "its contents arrived"
want 0 "scalars and structures" "$T" copy_args 1 1 buf:32 u8:0x81 u16:65535 s32:-2 f64:1.5 bytes:4:000000000000000078563412
has "00000000: 00000081 0000ffff fffffffe 12345678 00000000 3ff80000" "each in its place"
want 0 "repeat on the same buffers" --repeat 5 --counters "$T" add_one 1 4 buf:16
has "00000005 00000005 00000005 00000005" "five times one"
[ "$(grep -c '^{"launch": [0-4], .*"device_ns": [0-9]*, "host_ns": [0-9]*, .*"warp_instructions": .*"thread_instructions": ' "$dir/out")" -eq 5 ] &&
	echo "ok - a line of counters per launch" || echo "not ok - a line of counters per launch"
want 0 "rand= is reproducible" "$T" add_one 1 1 buf:16,rand=7,out="$dir/r1"
want 0 "rand= is reproducible, again" "$T" add_one 1 1 buf:16,rand=7,out="$dir/r2"
cmp -s "$dir/r1" "$dir/r2" && echo "ok - same bytes" || echo "not ok - same bytes"
want 0 "quiet" --quiet "$T" add_one 1,1,1 4,2,1 buf:64
[ -s "$dir/out" ] && echo "not ok - nothing is printed" || echo "ok - nothing is printed"

want 2 "no arguments"
want 2 "unknown option" --frobnicate "$T" add_one 1 1 buf:4
want 2 "bad grid" "$T" add_one 0 1 buf:4
want 2 "bad block" "$T" add_one 1 1,1,1,1 buf:4
want 2 "block too large" "$T" add_one 1 2048 buf:4
want 2 "too few arguments" "$T" add_one 1 1
want 2 "too many arguments" "$T" add_one 1 1 buf:4 u32:1
want 2 "wrong size" "$T" add_one 1 1 u32:4
want 2 "unknown type" "$T" add_one 1 1 u128:4
want 2 "value out of range" "$T" copy_args 1 1 buf:32 u8:256 u16:1 u32:1 u64:1 bytes:4:000000000000000000000000
want 2 "no such kernel" "$T" nothing 1 1
want 2 "no such file" "$dir/nothing.ptx" k 1 1
want 2 "too much shared memory" "$T" add_one 1 1 shared=100M buf:4
want 3 "PTX that does not compile" "$dir/bad.ptx" k 1 1
has "bad.ptx:6:" "the message names line 6"
: >"$dir/empty.ptx"
want 3 "an empty file" "$dir/empty.ptx" k 1 1
has "empty.ptx is empty" "and says so"
echo '__global__ void k() {}' >"$dir/k.cu"
want 3 "CUDA C++" "$dir/k.cu" k 1 1
has "k.cu is CUDA C++: make PTX of it first" "and says what to do"
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000' >"$dir/elf"
want 3 "a program" "$dir/elf" k 1 1
has "elf is neither PTX nor PPU assembly nor an image" "and says what it wants"
want 4 "wild store" "$T" wild 1 1
has "wild.*t.ppus:22\|wild.*pc " "the message names the kernel and place"
want 4 "trap" "$T" trapping 1 1
want 5 "time limit" --device-time-limit 2000000 "$T" endless 1 32
want 0 "the device goes on after all that" "$T" add_one 1 1 buf:4
