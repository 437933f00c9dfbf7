#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in CUDA C++ (tests/cuda), built by ppu-nvcc, on the host with the device inside the process: each checks
# itself. Then the messages and refusals of ppu-nvcc and the tools that it calls.

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
sdk=$build/cuda
export PPU_BACKEND=core PPU_PROPS=gpcs=1,sms-per-gpc=2
unset LD_LIBRARY_PATH		# the programs know where the library is
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

result()	# STATUS NAME
{
	if [[ $1 == 0 ]]; then
		echo "ok - $2"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok - $2"
		failed=1
	fi
}

n=0
for source in tests/cuda/*.cu; do
	name=$(basename "$source" .cu)
	timeout -s KILL 500 "$build/cuda-tests/$name" >"$tmp/out" 2>&1
	result $? "$name"
	n=$((n + 1))
done
((n >= 12)); result $? "$n programs"

"$build/cuda-tests/print" >"$tmp/out" 2>&1
diff - "$tmp/out" >"$tmp/diff" <<'END'
block 0: text  3.14 x 123456789abcdef 42%
block 0: text -1.00 x 123456789abcdef 42%
END
result $? "a kernel's printf arrives, in order"

PPU_CUDA_LOG=$tmp/log "$build/cuda-tests/vector_add" >"$tmp/out" 2>&1
grep -q 'cudaMalloc(ptr=0x[0-9a-f]*, bytes=40000) = cudaSuccess' "$tmp/log" &&
	grep -q 'cudaLaunchKernel(.*grid=(40,1,1), block=(256,1,1)' "$tmp/log" &&
	grep -q 'cuLaunchKernel(' "$tmp/log"
result $? "the log has the runtime's calls and the driver's below them"

# a program of several files, one of them plain C++, an error in a kernel, options of nvcc
cat >"$tmp/a.cu" <<'END'
#include <cstdio>
__global__ void k(int *p) { *p = NUMBER; }
extern "C" int *filled() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return p; }
END
cat >"$tmp/b.cpp" <<'END'
#include <cuda_runtime.h>
extern "C" int *filled();
int main() { int v = 0; cudaMemcpy(&v, filled(), 4, cudaMemcpyDeviceToHost); return v; }
END
"$sdk/bin/ppu-nvcc" -c -O2 -arch=sm_80 -gencode arch=compute_75,code=sm_75 --expt-relaxed-constexpr -Xcompiler -Wall,-g \
	-DNUMBER=41 -o "$tmp/a.o" "$tmp/a.cu" >"$tmp/out" 2>&1 &&
	"$sdk/bin/nvcc" -o "$tmp/ab" "$tmp/a.o" "$tmp/b.cpp" -lcudart >>"$tmp/out" 2>&1
"$tmp/ab" >>"$tmp/out" 2>&1
[[ $? == 41 ]]; result $? "several files, options of nvcc that mean nothing here"

"$sdk/bin/ppu-nvcc" -c -o "$tmp/b.o" "$tmp/b.cpp" >"$tmp/out" 2>&1 &&
	"$sdk/bin/ppu-nvcc" -o "$tmp/ab" "$tmp/a.o" "$tmp/b.o" >>"$tmp/out" 2>&1 && [[ ! -s $tmp/out ]]
result $? "objects alone are linked without a warning"

"$sdk/bin/ppu-nvcc" -ptx -DNUMBER=1 -o "$tmp/a.ptx" "$tmp/a.cu" >"$tmp/out" 2>&1 && grep -q '\.entry _Z1kPi' "$tmp/a.ptx"
result $? "-ptx writes the kernels as PTX"

"${CLANGXX:-clang++}" --cuda-path="$sdk" --cuda-gpu-arch=sm_75 -Wno-unknown-cuda-version -DNUMBER=12 -o "$tmp/plain" "$tmp/a.cu" \
	"$tmp/b.cpp" -I"$sdk/include" -L"$sdk/lib64" -lcudart >"$tmp/out" 2>&1
LD_LIBRARY_PATH=$sdk/lib64 "$tmp/plain"
[[ $? == 12 ]]; result $? "clang++ alone builds with --cuda-path"

echo '__global__ void k() { asm("nonsense.u32 %r1;"); }' >"$tmp/bad.cu"
! "$sdk/bin/ppu-nvcc" -c -o "$tmp/bad.o" "$tmp/bad.cu" >"$tmp/out" 2>&1 && grep -q 'error: .*nonsense' "$tmp/out"
result $? "an error in a kernel's assembly shows when it is built"

"$sdk/bin/ppu-nvcc" -rdc=true -c "$tmp/a.cu" >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q 'include one file in the other' "$tmp/out"
result $? "what cannot be done is refused with a sentence"

"$sdk/bin/ppu-nvcc" "$tmp/a.cu" -o >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q -- '-o needs an argument' "$tmp/out" &&
	! CLANGXX=no-such-compiler "$sdk/bin/ppu-nvcc" -c "$tmp/a.cu" >"$tmp/out" 2>&1 &&
	grep -q 'no-such-compiler is not there: install clang' "$tmp/out"
result $? "so are a missing argument and a missing compiler"

PPU_PROPS=nonsense=3 "$build/cuda-tests/vector_add" >"$tmp/out" 2>&1
[[ $? != 0 ]] && [[ $(grep -c "libcuda: there is no property called 'nonsense'" "$tmp/out") == 1 ]]
result $? "variables that mean nothing are told about on standard error, once"

"$build/bin/ppu-fatbin" --create "$tmp/x" --image=profile=sm_75,file=/dev/null >"$tmp/out" 2>&1
[[ $? == 3 ]] && grep -q 'no image is PTX' "$tmp/out"
result $? "a fat binary without PTX is refused"
exit $failed
