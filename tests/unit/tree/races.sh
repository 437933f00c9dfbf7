#!/bin/bash
# SPDX-License-Identifier: MIT
#
# scripts/races: each verdict, with programs made for it, and the row that comes of them.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
export PPU_CACHE=$tmp/cache PPU_PROPS=gpcs=1,sms-per-gpc=1
mkdir -p "$tmp/scor/microbenchmarks/src"

program()	# NAME: the kernel's body
{
	cat >"$tmp/scor/microbenchmarks/src/$1.cu" <<END
__global__ void k(int *p) { $2 }
int main() { int *p; cudaMalloc(&p, 4); k<<<2, 1>>>(p); return cudaDeviceSynchronize(); }
END
}

program race_one_found '*p = blockIdx.x;'
program race_one_missed 'atomicAdd(p, 1);'
program race_one_endless 'for (*p = 3 + blockIdx.x; ; ) __nanosleep(100);'
program norace_two_silent 'atomicAdd(p, 1);'
program norace_two_alarm '*p = blockIdx.x;'
program norace_two_broken 'nothing;'

scripts/races "scor=$tmp/scor" --seconds 5 --only 'found|missed|silent|alarm|broken' >"$tmp/out" 2>&1
[[ $? == 1 ]] && sed 's/: race: .*//; s|: /.*error.*||' "$tmp/out" | grep -v strict | diff - <(cat <<'END'
alarm     racecheck: norace_two_alarm
alarm     racecheck --plain-volatile: norace_two_alarm
not built racecheck: norace_two_broken
not built racecheck --plain-volatile: norace_two_broken
silent    racecheck: norace_two_silent
silent    racecheck --plain-volatile: norace_two_silent
found     racecheck: race_one_found
found     racecheck --plain-volatile: race_one_found
missed    racecheck: race_one_missed
missed    racecheck --plain-volatile: race_one_missed
# scor: 3 found, 3 missed, 3 silent, 3 alarm, 3 not built
END
) >"$tmp/diff"
result $? "each verdict"

scripts/races "scor=$tmp/scor" --seconds 3 --only endless >"$tmp/out" 2>&1
! pgrep -f "$tmp.*program" >/dev/null && grep -q '^found *racecheck: race_one_endless: race: \|^no end *racecheck: race_one_endless' "$tmp/out"
result $? "a program that does not end is ended"

scripts/races "scor=$tmp/scor" --resume --only found >"$tmp/out" 2>&1
grep -q '^# scor: nothing' "$tmp/out"; result $? "what has been tried is not tried again"

! scripts/races nosuch=x >"$tmp/out" 2>&1 && grep -q "there is no suite 'nosuch'" "$tmp/out" &&
	! scripts/races "indigo=$tmp/nowhere" >"$tmp/out" 2>&1 && grep -q 'is no directory: indigo=DIR names a copy of' "$tmp/out" &&
	! scripts/races >"$tmp/out" 2>&1 && grep -q 'name a suite' "$tmp/out"
result $? "wrong command lines"

exit $failed
