#!/bin/bash
# SPDX-License-Identifier: MIT
#
# scripts/clients: each verdict, with programs made for it, and the table that comes of them.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
export PPU_CACHE=$tmp/cache TMPDIR=$tmp PPU_PROPS=gpcs=1,sms-per-gpc=1

program()	# NAME: the rest of main() on standard input
{
	mkdir -p "$tmp/suite/Samples/0_Made/$1"
	printf 'add_executable(%s %s.cu)\n' "$1" "$1" >"$tmp/suite/Samples/0_Made/$1/CMakeLists.txt"
	{
		echo '#include <cstdio>'
		cat
	} >"$tmp/suite/Samples/0_Made/$1/$1.cu"
}

program right <<<'__global__ void k(int *p) { *p = 7; } int main() { int *p, v; cudaMalloc(&p, 4); k<<<1, 1>>>(p);
	cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); puts("PASSED"); return v != 7; }'
program says_failed <<<'int main() { puts("Test FAILED"); return 0; }'
program status_3 <<<'int main() { puts("CUDA error 77"); return 3; }'
program waives <<<'int main() { puts("no support for that"); return 2; }'
program broken <<<'int main() { return nothing; }'
program graphics <<<'#include <GL/nowhere.h>
int main() { return 0; }'
program endless <<<'int main() { volatile int go_on = 1; while (go_on) ; }'

scripts/clients "cuda-samples=$tmp/suite" --seconds 5 >"$tmp/out" 2>&1
[[ $? == 1 ]] && diff - "$tmp/out" <<'END' >"$tmp/diff"
not built Samples/0_Made/broken: error: use of undeclared identifier 'nothing'
slow      Samples/0_Made/endless
needs     Samples/0_Made/graphics: graphics
right     Samples/0_Made/right
wrong     Samples/0_Made/says_failed: Test FAILED
wrong     Samples/0_Made/status_3: CUDA error 77
refused   Samples/0_Made/waives: no support for that
# cuda-samples, ppu-nvcc: 1 right, 2 wrong, 1 refused, 1 not built, 1 needs, 1 slow
END
result $? "each verdict"

scripts/clients "cuda-samples=$tmp/suite" --resume >"$tmp/out" 2>&1
grep -q '^# cuda-samples, ppu-nvcc: nothing' "$tmp/out"; result $? "what has been tried is not tried again"
scripts/clients "cuda-samples=$tmp/suite" --only right >"$tmp/out" 2>&1; result $? "one of them; status 0 when nothing is wrong"

hecbench()	# NAME ARGUMENTS: the same of HeCBench, with a Makefile that runs it
{
	mkdir -p "$tmp/suite/src/$1-cuda"
	printf 'program = main\nmain: main.o\n\t$(CC) main.o -o main\n%%.o: %%.cu\n\t$(CC) -c $<\nrun: main\n\t./main %s\n' "$2" \
		>"$tmp/suite/src/$1-cuda/Makefile"
	cat >"$tmp/suite/src/$1-cuda/main.cu"
}

hecbench many "2 1000" <<<'#include <cstdlib>
#include <unistd.h>
int main(int, char **v) { for (int i = 0; i < atoi(v[2]); i++) usleep(100000); return v[1][0] != 50; }'
hecbench file "../nowhere" <<<'#include <cstdio>
int main(int, char **v) { if (!fopen(v[1], "r")) { printf("Failed to open %s\n", v[1]); return 2; } return 0; }'
hecbench data "" <<<'#include <cstdlib>
int main() { abort(); }'
echo >"$tmp/suite/src/data-cuda/graph.gz.dvc"
hecbench endless "" <<<'#include <unistd.h>
int main() { for (;;) pause(); }'
scripts/clients "hecbench=$tmp/suite" --build-only --only many >"$tmp/out" 2>&1 && grep -q '^built *many-cuda$' "$tmp/out"
result $? "built and not run"
scripts/clients "hecbench=$tmp/suite" --seconds 2 --keep "$tmp/kept" --resume >"$tmp/out" 2>&1
[[ $? == 0 ]] && diff - "$tmp/out" <<'END' >"$tmp/diff" && grep -q 'Failed to open' "$tmp/kept/file-cuda.txt"
needs     data-cuda: a file: graph.gz
slow      endless-cuda
needs     file-cuda: a file: ../nowhere
right     many-cuda: with 1 instead of 1000 as the last argument
# hecbench, ppu-nvcc: 1 right, 2 needs, 1 slow
END
result $? "programs of HeCBench, one of them with fewer repetitions, their output kept"
left=$(for exe in /proc/[0-9]*/exe; do readlink "$exe"; done | grep -c "^$tmp/")
[[ $left == 0 ]]; result $? "nothing that was stopped is left running"

! scripts/clients nosuch=x >"$tmp/out" 2>&1 && grep -q "there is no suite 'nosuch'" "$tmp/out" &&
	! scripts/clients "hecbench=$tmp/nowhere" >"$tmp/out" 2>&1 && grep -q 'is no directory: hecbench=DIR names a copy of' "$tmp/out" &&
	! scripts/clients >"$tmp/out" 2>&1 && grep -q 'name a suite' "$tmp/out"
result $? "wrong command lines"

exit $failed
