#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in CUDA C++ (tests/cuda), built by ppu-nvcc, on the host with the device inside the process: each checks
# itself. Then the messages and refusals of ppu-nvcc and the tools that it calls.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
sdk=$build/cuda

n=0
for source in tests/cuda/*.cu; do
	name=$(basename "$source" .cu)
	timeout -s KILL 500 "$build/cuda-tests/$name" >"$tmp/out" 2>&1
	result $? "$name"
	n=$((n + 1))
done
((n >= 12)); result $? "$n programs"

for devices in 2 3; do
	PPU_DEVICES=$devices timeout -s KILL 200 "$build/cuda-tests/peers" >"$tmp/out" 2>&1 && [[ $(<"$tmp/out") == "$devices devices" ]]
	result $? "$devices devices use each other's memory"
done

# with all SMs, where the images of preempted blocks have less room for each
PPU_PROPS="" timeout -s KILL 100 "$build/cuda-tests/barrier" >"$tmp/out" 2>&1
result $? "blocks that fill the whole machine meet"

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

# kernels of several files, linked with one another: three ways to say so, and a C file that no C++ compiler would take
mkdir "$tmp/rdc"
cat >"$tmp/rdc/main.cu" <<'END'
extern "C" int *number(void);
extern __device__ int added;
__device__ int twice(int);
__global__ void k(int *p) { *p = twice(*p) + added; }
int main()
{
	int *d, r = 0;
	cudaMalloc(&d, sizeof(*d));
	cudaMemcpy(d, number(), sizeof(*d), cudaMemcpyHostToDevice);
	k<<<1, 1>>>(d);
	cudaMemcpy(&r, d, sizeof(*d), cudaMemcpyDeviceToHost);
	return r;
}
END
cat >"$tmp/rdc/other.cu" <<'END'
__device__ int added = 100;
__device__ int twice(int x) { return 2 * x; }
END
cat >"$tmp/rdc/number.c" <<'END'
#include <cuda_runtime.h>
#include <stdlib.h>
int *number(void) { int *new = malloc(sizeof(*new)); *new = 3; cudaFree(NULL); return new; }
END
(cd "$tmp/rdc" && "$sdk/bin/ppu-nvcc" -std=c++17 -rdc=true -o all main.cu other.cu number.c) >"$tmp/out" 2>&1 &&
	[[ ! -s $tmp/out ]]
result $? "-rdc=true builds, without a warning"
"$tmp/rdc/all"
[[ $? == 106 ]]; result $? "a kernel uses a function and a variable of another file"
cp "$tmp/a.cu" "$tmp/rdc/kernel.c"
(cd "$tmp/rdc" && "$sdk/bin/ppu-nvcc" -DNUMBER=1 -x cu -c -o kernel.o kernel.c && nm kernel.o) >"$tmp/out" 2>&1 &&
	grep -q cudaLaunchKernel "$tmp/out"
result $? "-x cu: a .c file is CUDA C++"
(cd "$tmp/rdc" && "$sdk/bin/ppu-nvcc" -dc main.cu other.cu && "$sdk/bin/ppu-nvcc" -std=c++14 -c number.c -o c.o &&
	"$sdk/bin/ppu-nvcc" -dlink -o link.o main.o other.o && ar rc libother.a other.o &&
	"${CXX:-c++}" -o linked link.o main.o other.o c.o -L"$sdk/lib64" -Wl,-rpath,"$sdk/lib64" -lcudart &&
	"$sdk/bin/ppu-nvcc" -rdc=true -o archive main.o c.o libother.a) >"$tmp/out" 2>&1
result $? "-dc, -dlink and another linker; an archive"
"$tmp/rdc/linked"
[[ $? == 106 ]]; result $? "what -dlink made works"
(cd "$tmp/rdc" && "$sdk/bin/ppu-nvcc" -o plain main.o c.o other.o) >"$tmp/out" 2>&1 && "$tmp/rdc/plain"
[[ $? == 106 ]]; result $? "objects of -dc are joined without -rdc=true"
"$tmp/rdc/archive"
[[ $? == 106 ]]; result $? "so do kernels in an archive"

# the runtime inside the program, as nvcc links it by default: -L alone finds ours
"$sdk/bin/ppu-nvcc" -c -DNUMBER=33 -o "$tmp/a.o" "$tmp/a.cu" >"$tmp/out" 2>&1 &&
	"${CXX:-c++}" -o "$tmp/static" "$tmp/a.o" "$tmp/b.o" -L"$sdk/lib64" -lcudart_static -lrt -lpthread -ldl >>"$tmp/out" 2>&1 &&
	! readelf -d "$tmp/static" | grep -q 'NEEDED.*libcudart'
result $? "libcudart_static.a is linked, and what it needs with it"
LD_LIBRARY_PATH=$sdk/lib64 "$tmp/static" >"$tmp/out" 2>&1
[[ $? == 33 ]]; result $? "a program with the runtime inside runs"

# the same for the other versions of the runtime
cat >"$tmp/version.cpp" <<'END'
#include <cuda_runtime.h>
int main() { int v = 0; return cudaRuntimeGetVersion(&v) ? 1 : v / 1000; }
END
for v in 11 12 13; do
	"${CXX:-c++}" -I"$sdk/include" -o "$tmp/version" "$tmp/version.cpp" -L"$sdk/lib64/${v/#12/.}" -lcudart_static -lrt \
		-lpthread -ldl >"$tmp/out" 2>&1 && ! readelf -d "$tmp/version" | grep -q 'NEEDED.*libcudart'
	LD_LIBRARY_PATH=$sdk/lib64 "$tmp/version" >>"$tmp/out" 2>&1
	[[ $? == "$v" ]]; result $? "libcudart_static.a is the runtime of CUDA $v"
done

# CUDA 11's cudaGraphExecUpdate, which writes a node and a result and not the struct of CUDA 12
cat >"$tmp/update.c" <<'END'
#define CHECK(what) do { if (!(what)) return __LINE__; } while (0)
int cudaGraphCreate(void **graph, unsigned int flags);
int cudaGraphAddEmptyNode(void **node, void *graph, void *const *after, unsigned long num);
int cudaGraphInstantiate(void **exec, void *graph, void **node, char *log, unsigned long bytes);
int cudaGraphExecUpdate(void *exec, void *graph, void **node, int *result);
int main(void)
{
	void *g, *h, *a, *exec, *node[3] = { (void *)1, (void *)2, (void *)3 };
	int result[2] = { 7, 8 };
	char log[4] = "abc";

	CHECK(!cudaGraphCreate(&g, 0) && !cudaGraphAddEmptyNode(&a, g, 0, 0));
	CHECK(!cudaGraphInstantiate(&exec, g, node, log, 4) && !node[0] && !log[0] && log[1] == 'b');
	CHECK(!cudaGraphExecUpdate(exec, g, node, result) && result[0] == 0 && result[1] == 8 && !node[0]);
	CHECK(node[1] == (void *)2 && node[2] == (void *)3);
	CHECK(!cudaGraphCreate(&h, 0));
	CHECK(cudaGraphExecUpdate(exec, h, 0, result) == 910 && result[0] == 2);
	return 0;
}
END
{ ${CC:-cc} -w -o "$tmp/update" "$tmp/update.c" "$build/lib/cuda/libcudart.so.11.0" -Wl,-rpath,"$build/lib/cuda" && "$tmp/update"; } >"$tmp/out" 2>&1
result $? "CUDA 11: a graph is updated"

# CUDA 13's functions about edges, which have one argument more than those of the same names in CUDA 12
cat >"$tmp/edges.c" <<'END'
#include <stddef.h>
#define CHECK(what) do { if (!(what)) return __LINE__; } while (0)
int cudaStreamCreate(void **stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, void *const **after,
			     const void **edges, size_t *num);
int cudaStreamGetCaptureInfo_ptsz(void *stream, int *status, unsigned long long *id, void **graph, void *const **after,
				  const void **edges, size_t *num);
int cudaStreamUpdateCaptureDependencies(void *stream, void **after, const void *edges, size_t num, unsigned int flags);
int cudaStreamUpdateCaptureDependencies_ptsz(void *stream, void **after, const void *edges, size_t num, unsigned int flags);
int cudaGraphAddEmptyNode(void **node, void *graph, void *const *after, size_t num);
int cudaGraphAddNode(void **node, void *graph, void *const *after, const void *edges, size_t num, void *params);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges, size_t num);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, const void *edges, size_t num);
int cudaGraphGetEdges(void *graph, void **from, void **to, void *edges, size_t *num);
int cudaGraphNodeGetDependencies(void *node, void **nodes, void *edges, size_t *num);
int cudaGraphNodeGetDependentNodes(void *node, void **nodes, void *edges, size_t *num);
int main(void)
{
	struct { int type, zero[3]; long long more[30]; } empty = { 5 };
	unsigned long long id, edge = 0, edges[2] = { ~0ull, ~0ull };
	void *s, *g, *seen, *a, *b, *c, *list[4], *from[4], *to[4], *const *after;
	const void *data;
	int status;
	size_t n = 9;

	CHECK(!cudaStreamCreate(&s) && !cudaStreamBeginCapture(s, 0));
	CHECK(!cudaStreamGetCaptureInfo(s, &status, &id, &g, &after, &data, &n) && status == 1 && n == 0);
	CHECK(!cudaGraphAddEmptyNode(&a, g, 0, 0) && !cudaGraphAddNode(&b, g, &a, &edge, 1, &empty));
	CHECK(!cudaGraphAddNode(&c, g, &a, 0, 1, &empty));
	CHECK(!cudaStreamUpdateCaptureDependencies(s, &b, &edge, 1, 1));
	CHECK(!cudaStreamGetCaptureInfo(s, &status, &id, &g, &after, &data, &n) && n == 1 && after[0] == b);
	CHECK(!cudaStreamGetCaptureInfo_ptsz(0, &status, &id, &g, &after, &data, &n) && status == 0);
	CHECK(cudaStreamUpdateCaptureDependencies_ptsz(0, &b, &edge, 1, 1));
	CHECK(!cudaStreamEndCapture(s, &seen));
	CHECK(!cudaGraphAddDependencies(seen, &b, &c, &edge, 1) && !cudaGraphRemoveDependencies(seen, &a, &c, &edge, 1));
	n = 4;
	CHECK(!cudaGraphGetEdges(seen, from, to, list, &n) && n == 2 && !list[0] && !list[1]);
	n = 2;
	CHECK(!cudaGraphNodeGetDependencies(c, list, edges, &n) && n == 1 && list[0] == b && !edges[0]);
	n = 2;
	CHECK(!cudaGraphNodeGetDependentNodes(a, list, edges, &n) && n == 1 && list[0] == b);
	return 0;
}
END
{ ${CC:-cc} -w -o "$tmp/edges" "$tmp/edges.c" "$build/lib/cuda/libcudart.so.13" -Wl,-rpath,"$build/lib/cuda" && "$tmp/edges"; } >"$tmp/out" 2>&1
result $? "CUDA 13: edges with data"

# libnvrtc where programs find it: nothing but the API, under each name, and the directory with clang's files beside it
cat >"$tmp/nvrtc.cpp" <<'END'
#include <nvrtc.h>
#include <cstdio>
int main(int argc, char **argv)
{
	int major, minor;
	size_t bytes = 0;
	nvrtcProgram p;
	const char *options[] = { "-arch=sm_75" };
	nvrtcVersion(&major, &minor);
	nvrtcCreateProgram(&p, "__global__ void k(int *p) { *p = 1; }", "k.cu", 0, nullptr, nullptr);
	int r = nvrtcCompileProgram(p, 1, options);
	nvrtcGetCUBINSize(p, &bytes);
	printf("%d.%d %d %d\n", major, minor, r, bytes > 0);
	return 0;
}
END
c++ -o "$tmp/nvrtc" -I"$sdk/include" "$tmp/nvrtc.cpp" -L"$sdk/lib64" -lnvrtc >"$tmp/out" 2>&1
result $? "a program is linked with -lnvrtc"
[[ $(LD_LIBRARY_PATH=$sdk/lib64 "$tmp/nvrtc" 2>&1) == "12.8 0 1" ]]; result $? "it compiles when it runs"
for v in 11.2 12 13; do
	names=$(nm -D --defined-only "$sdk/lib64/libnvrtc.so.$v" | awk '{ print $3 }' | grep -v "^libnvrtc.so.$v\$")
	[[ $names == *nvrtcCompileProgram@@libnvrtc.so.$v* ]] && ! grep -qv '^nvrtc[A-Z]' <<<"$names" &&
		readelf -d "$sdk/lib64/libnvrtc.so.$v" | grep -q "SONAME.*\[libnvrtc.so.$v\]"
	result $? "libnvrtc.so.$v exports the API and nothing else"
done

# libnvJitLink where programs find it, with objects and an archive of ppu-nvcc -rdc=true, and names of the vendor's header
cat >"$tmp/jit.c" <<'END'
#include <cuda.h>
#include <nvJitLink.h>
#include <stdio.h>
#include <stdlib.h>
nvJitLinkResult NAME(Create)(nvJitLinkHandle *handle, uint32_t num, const char **options);
int main(int argc, char **argv)
{
	const char *options[] = { "-arch=sm_75" };
	size_t bytes = 0;
	nvJitLinkHandle h;
	CUcontext c;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	void *image, *args[] = { &p };
	int v = 0;
	NAME(Create)(&h, 1, options);
	for (int i = 1; i < argc; i++)
		if (nvJitLinkAddFile(h, NVJITLINK_INPUT_ANY, argv[i]))
			return 1;
	if (nvJitLinkComplete(h) || nvJitLinkGetLinkedCubinSize(h, &bytes))
		return 2;
	image = malloc(bytes);
	nvJitLinkGetLinkedCubin(h, image);
	if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, image) || cuModuleGetFunction(&f, m, "k") ||
	    cuMemAlloc(&p, 4) || cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(&v, p, 4))
		return 3;
	printf("%d\n", v);
	return 0;
}
END
echo '__device__ int f(int); extern "C" __global__ void k(int *p) { *p = f(20); }' >"$tmp/jit_k.cu"
echo '__device__ int g(int); __device__ int f(int x) { return g(x) + 1; }' >"$tmp/jit_f.cu"
echo '__device__ int g(int x) { return 2 * x; }' >"$tmp/jit_g.cu"
{
	for f in k f g; do "$sdk/bin/ppu-nvcc" -dc -o "$tmp/jit_$f.o" "$tmp/jit_$f.cu" || exit 1; done
	ar rcs "$tmp/libjit.a" "$tmp/jit_f.o" "$tmp/jit_g.o"
} >"$tmp/out" 2>&1
for v in 12_0 12_9 13_0; do
	so=$sdk/lib64/libnvJitLink.so.${v%_*}
	${CC:-cc} "-DNAME(x)=__nvJitLink##x##_$v" -o "$tmp/jit" -I"$sdk/include" "$tmp/jit.c" "$so" "$build/lib/cuda/libcuda.so.1" \
		>>"$tmp/out" 2>&1 &&
		[[ $(LD_LIBRARY_PATH=$sdk/lib64:$build/lib/cuda "$tmp/jit" "$tmp/jit_k.o" "$tmp/libjit.a" 2>>"$tmp/out") == 41 ]] &&
		readelf -d "$so" | grep -q "SONAME.*\[libnvJitLink.so.${v%_*}\]" &&
		! nm -D --defined-only "$so" | awk '{ print $3 }' | grep -v "^libnvJitLink.so.${v%_*}\$" | grep -qv '^\(__\)\?nvJitLink[A-Z]'
	result $? "objects and an archive are linked when a program runs, version $v"
done

# what nvcc takes and clang does not: blanks in the brackets of a launch, but not in a string; names that headers ask for
cat >"$tmp/blanks.cu" <<'END'
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__VECTOR_TYPES_H__) || __CUDACC_VER_MAJOR__ < 12
#error a name is missing
#endif
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <vector>
__global__ void add(int *p, int n) { __shared__ alignas(alignof(double2)) int s[4]; s[0] = n << 1 >> 1; atomicAdd(p, s[0]); asm("mov.u32 %0, %laneid;" : "=r"(n)); }
const char *string = "a << <b >> >(c)"; // << <
const char *raw = R"x(")x" "<< <";
/* can't << < */
template <int N> struct wide { int v[N]; };
int main()
{
	std::vector<std::vector<std::vector<int>> > *none = nullptr;
	wide<(8>>1)> w;
	int *p, r = 0, separated = 1'000;
	clock_t begin = clock();
	cudaMalloc(&p, sizeof(*p));
	cudaMemset(p, 0, sizeof(*p));
	add<< <1, 32 >> >(p, 1);
	add << < dim3(1), 32, 0, 0 >> > (p, 1); add<<<1, 32>>>(p, 1);
	cudaMemcpy(&r, p, sizeof(*p), cudaMemcpyDeviceToHost);
	return r != 96 || none || sizeof(w) != 16 || string[4] != ' ' || raw[2] != '<' || raw[3] != ' ' || separated != 1000 ||
	       begin == (clock_t)-1 || __LINE__ != 25;
}
END
"$sdk/bin/ppu-nvcc" -std=c++17 -o "$tmp/blanks" "$tmp/blanks.cu" >"$tmp/out" 2>&1 && "$tmp/blanks" >>"$tmp/out" 2>&1
result $? "blanks in the brackets of launches; clock() without <time.h>; a register with one %"

# what nvcc and gcc warn of, and clang refuses
cat >"$tmp/gcc.cu" <<'END'
struct pair { float x; unsigned y; };
__global__ void k(pair *p, int n) { register int m = n; *p = { m, n }; }
int main(int argc, char **)
{
	register int a = argc;
	pair *p, r = { a, argc };
	cudaMallocManaged(&p, sizeof(*p));
	k<<<1, 1>>>(p, argc);
	return cudaDeviceSynchronize() || p->x != r.x || p->y != r.y;
}
END
"$sdk/bin/ppu-nvcc" -std=c++17 -o "$tmp/gcc" "$tmp/gcc.cu" >"$tmp/out" 2>&1 && "$tmp/gcc"
result $? "register and narrowing are no errors in a file with kernels"
echo 'struct pair { float x; unsigned y; }; int main(int c, char **) { register int a = c; pair p = { a, c }; return p.y; }' >"$tmp/gcc.cpp"
"$sdk/bin/ppu-nvcc" -std=c++17 -c -o "$tmp/gcc.o" "$tmp/gcc.cpp" >"$tmp/out" 2>&1
result $? "nor in one without"

# launches by threads: those in bodies of device functions, and no others
cat >"$tmp/before" <<'END'
namespace n { __global__ void k(int *p); } // __device__ {
#define LAUNCH(k) k<<<1, 1>>>() \
	; k<<<2, 2>>>(
#ifdef A
void host(int *p) {
#else
void host() {
#endif
	k<<<1, 1>>>(p);
}
template <class T> __global__ __launch_bounds__(128) void
t(T *p)
{
	if (p) { for (int i = 0; i < 2; i++) n::k<<<dim3(1), 32, 0, s>>>(p, "{ t<<<"); } /* k<<<1, 1>>>() } */
	const char *text = "k<<<1, 1>>>()"; t<T, (a > b)> <<<1, 1>>>(p); x = 1 <<2; a<b<c<d>>> e;
}
struct s { __device__ void f() { k<<<g < h ? 1 : 2, 1>>>(); } void h() { k<<<1, 1>>>(); } };
__host__ __device__ void both() { k<<<1, 1>>>(); }
__global__ void either() {
#if A
	for (;;) {
#else
	while (1) {
#endif
		k<<<1, 1>>>(); } }
	void host2() { k<<<1, 1>>>(); }
void operands() { asm volatile("a %0, %1;" : "=r"(x) : "r"(f(y)) "l"(z), "n"(1) : "memory"); g(")" "r", ("s")); }
void last() { auto f = [] __device__ () { k << <1, 1>> >(); }; k << <1, 1>> >(); }
END
sed -e '14s/n::k<<<dim3(1), 32, 0, s>>>/::ppu_launch<decltype(n::k), n::k>(dim3(1), 32, 0, s)/' \
    -e '15s/t<T, (a > b)> <<<1, 1>>>/::ppu_launch<decltype(t<T, (a > b)> ), t<T, (a > b)> >(1, 1)/' \
    -e '17s/f() { k<<<g < h ? 1 : 2, 1>>>/f() { ::ppu_launch<decltype(k), k>(g < h ? 1 : 2, 1)/' \
    -e '28s/() { k << <1, 1>> >(/() { ::ppu_launch<decltype(k ), k >(1, 1)(/; 28s/k << <1, 1>> >/k <<<1, 1>>>/' \
    -e '25s/k<<<1, 1>>>/::ppu_launch<decltype(k), k>(1, 1)/; 27s/"r"(f(y))/&,/' \
	"$tmp/before" >"$tmp/after"
cat >>"$tmp/before" <<'END'
void lane() { asm("mov.u32 %0, %laneid;" : "=r"(x)); asm("{ .reg .u32 %t; mov.u32 %t, %tid.x; add.u32 %0, %t, %%laneid; }" : "=r"(x)); }
void no_lane() { asm("mov.u32 %0, %tidy;"); printf("%2d %laneid", x); an_asm("%0 %laneid");
	asm("{ .reg .u32 %r; mov.u32 %r, %laneid; }"); }
END
tail -n 3 "$tmp/before" | sed -e '1s/ %laneid;"/ %%laneid;"/' -e '1s/%tid/%%tid/' >>"$tmp/after"
awk -f "$sdk/bin/launches.awk" "$tmp/before" | diff -u "$tmp/after" - >"$tmp/out" 2>&1
result $? "launches by threads are shown to clang in another way"

# a file in C++ beside kernels is not CUDA: clang's own headers for CUDA do not work in it
cat >"$tmp/host.cpp" <<'END'
#include <builtin_types.h>
#include <algorithm>
#include <iostream>
#include <new>
#include <cuda.h>
#ifdef __CUDACC__
#error this is not CUDA
#endif
extern "C" int *filled();
static_assert(CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
	      "the older name");
int main()
{
	dim3 d(1, 2, 3);
	float4 f = { 1, 2, 3, 4 };
	CUcontext ctx;
	if (cuInit(0) || cuCtxCreate(&ctx, NULL, 0, 0) || cuCtxDestroy(ctx))
		return 99;
	std::cout << std::max(d.x + d.y + d.z, (unsigned int)f.w) << std::endl;
	return filled() == nullptr;
}
END
for order in "$tmp/a.cu $tmp/host.cpp" "$tmp/host.cpp $tmp/a.cu" "-rdc=true $tmp/host.cpp $tmp/a.cu"; do
	# shellcheck disable=SC2086	# three words
	"$sdk/bin/ppu-nvcc" -std=c++17 -Wall -Werror -DNUMBER=7 -o "$tmp/host" $order >"$tmp/out" 2>&1 &&
		[[ $("$tmp/host" 2>>"$tmp/out") == 6 ]]
	result $? "C++ beside kernels (${order//$tmp\//})"
done
sed -i 's/^int main/int main wrong/' "$tmp/blanks.cu"
! "$sdk/bin/ppu-nvcc" -c -o "$tmp/blanks.o" "$tmp/blanks.cu" >"$tmp/out" 2>&1 && grep -q "^$tmp/blanks.cu:13:" "$tmp/out"
result $? "messages name the file and the line that the user knows"

# one instruction each, so no calls
cat >"$tmp/short.cu" <<'END'
__global__ void shorts(int *p, float *q)
{
	p[0] = max(__popc(p[1]), min(__clz(p[2]), __byte_perm(p[3], p[4], p[5])));
	q[0] = fmaxf(sqrtf(q[1]), __expf(q[2]));
}
END
"$sdk/bin/ppu-nvcc" -ptx -O2 -o "$tmp/short.ptx" "$tmp/short.cu" >"$tmp/out" 2>&1 &&
	grep -q popc "$tmp/short.ptx" && ! grep -w call "$tmp/short.ptx" >>"$tmp/out"
result $? "short functions of the mathematics are no calls"

# the kernels alone, as nvcc names its outputs
cat >"$tmp/load.cpp" <<'END'
#include <cuda.h>
#include <cstdio>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		CUdevice d;
		CUcontext c;
		CUmodule m;
		CUfunction f;
		CUdeviceptr p;
		int v = 0;
		if (cuInit(0) || cuDeviceGet(&d, 0) || cuCtxCreate(&c, 0, d) || cuMemAlloc(&p, 4))
			return 1;
		void *args[] = { &p };
		if (cuModuleLoad(&m, argv[i]) || cuModuleGetFunction(&f, m, "_Z1kPi") ||
		    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(&v, p, 4) || v != 7) {
			printf("%s: %d\n", argv[i], v);
			return 1;
		}
	}
	return 0;
}
END
(cd "$tmp" && for form in -ptx --cubin -fatbin; do "$sdk/bin/ppu-nvcc" $form -arch=sm_80 -DNUMBER=7 a.cu || exit; done &&
	"$sdk/bin/ppu-nvcc" -cubin -DNUMBER=7 -o other.name a.cu &&
	"$sdk/bin/ppu-nvcc" -o load load.cpp && ./load a.ptx a.cubin a.fatbin other.name) >"$tmp/out" 2>&1
result $? "-ptx, -cubin and -fatbin give modules that the Driver API loads"

"$sdk/bin/ppu-nvcc" -dlink "$tmp/a.cu" >"$tmp/out" 2>&1
[[ $? == 2 ]] && grep -q 'compile the sources with -dc first' "$tmp/out" &&
	! "$sdk/bin/ppu-nvcc" -ptx -o x "$tmp/a.cu" "$tmp/blanks.cu" >"$tmp/out" 2>&1 && grep -q '2 sources' "$tmp/out"
result $? "what cannot be done is refused with a sentence"

printf '%s\n' '__device__ __managed__ int x = 5;' 'int main() { return x - 5; }' >"$tmp/managed.cu"
! "$sdk/bin/ppu-nvcc" -o "$tmp/managed" "$tmp/managed.cu" >"$tmp/out" 2>&1 && grep -q 'use cudaMallocManaged' "$tmp/out"
result $? "__managed__ is refused with a sentence, and not taken for an ordinary variable"
printf '%s\n' 'static_assert(std::is_same<int, int>::value, "");' 'int main() { int s = 0; for (int i : { 1, 2 }) s += i; return s - 3; }' \
	>"$tmp/utility.cu"
"$sdk/bin/ppu-nvcc" -o "$tmp/utility" "$tmp/utility.cu" >"$tmp/out" 2>&1 && "$tmp/utility" >>"$tmp/out" 2>&1
result $? "<utility> comes with cuda_runtime.h, as with nvcc"

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
