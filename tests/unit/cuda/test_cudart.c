/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Runtime API through the core backend, as compilers and programs call it: fat binaries that this test
 * writes, kernels and variables registered, each group of functions well and badly used.  Programs in CUDA C++ are
 * in tests/cuda.
 */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define PPU_CUDART_NO_NAMES
#include <cuda/cuda.h>
#include <cuda/cuda_runtime_api.h>
#include "run_suite.h"

#define IS(want, call) do { \
	cudaError_t r_ = (call), w_ = (want); \
	ck_assert_msg(r_ == w_, "%s: %s instead of %s", #call, cudaGetErrorName(r_), cudaGetErrorName(w_)); \
} while (0)
#define OK(call) IS(cudaSuccess, call)
#define BAD(call) IS(cudaErrorInvalidValue, call)

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .global .align 4 .u32 counter[2] = { 7, 8 };\n"
	".visible .const .align 4 .u32 factor[1];\n"
	".visible .global .attribute(.managed) .align 4 .u32 both = 33;\n"
	/* p[i] = p[i] * factor + v */
	".visible .entry _Z3mulPji(.param .u64 p, .param .u32 v)\n{\n"
	".reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
	"mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [v];\n"
	"mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.const.u32 %r3, [factor];\n"
	"ld.global.u32 %r4, [%rd3]; mad.lo.u32 %r5, %r4, %r3, %r2; st.global.u32 [%rd3], %r5; ret;\n}\n"
	".visible .entry _Z3badPj(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;\n}\n"
	".visible .entry _Z5touchv()\n{\n.reg .b32 %r<3>;\n"
	"ld.global.u32 %r1, [both]; add.u32 %r2, %r1, 1; st.global.u32 [both], %r2; ret;\n}\n";

/* ---- a program as a compiler makes it -------------------------------------------------------- */

struct entry {
	uint16_t kind, version;
	uint32_t header;
	uint64_t bytes;
	uint32_t compressed, options;
	uint16_t minor, major;
	uint32_t arch, name, name_bytes;
	uint64_t flags, zero, plain;
};
struct container {
	uint32_t magic;
	uint16_t version, header;
	uint64_t bytes;
};
struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *pieces;
};
#define WRAPPER_MAGIC 0x466243b1u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u

/* LZ4 with the matches that a small table finds: enough to test more than literals. */
static size_t pack_lz4(uint8_t *out, const uint8_t *in, size_t n)
{
	size_t i = 0, o = 0, from = 0, last[4096] = { 0 };

	while (i + 16 < n) {
		uint32_t h = (in[i] | in[i + 1] << 8 | in[i + 2] << 16 | (uint32_t)in[i + 3] << 24) * 2654435761u >> 20;
		size_t at = last[h], len = 0, lit = i - from, rest;

		last[h] = i + 1;
		if (at && i - --at < 65536)
			while (i + len + 12 < n && in[at + len] == in[i + len])
				len++;
		if (len < 4) {
			i++;
			continue;
		}
		out[o++] = (uint8_t)((lit < 15 ? lit : 15) << 4 | (len - 4 < 15 ? len - 4 : 15));
		for (rest = lit; rest >= 15 && lit >= 15; rest -= 255) {
			out[o++] = (uint8_t)(rest - 15 < 255 ? rest - 15 : 255);
			if (rest - 15 < 255)
				break;
		}
		memcpy(out + o, in + from, lit);
		o += lit;
		out[o++] = (uint8_t)(i - at);
		out[o++] = (uint8_t)((i - at) >> 8);
		if (len - 4 >= 15) {
			for (rest = len - 19; rest >= 255; rest -= 255)
				out[o++] = 255;
			out[o++] = (uint8_t)rest;
		}
		i += len;
		from = i;
	}
	n -= from;
	out[o++] = (uint8_t)((n < 15 ? n : 15) << 4);
	if (n >= 15) {
		size_t rest = n - 15;

		for (; rest >= 255; rest -= 255)
			out[o++] = 255;
		out[o++] = (uint8_t)rest;
	}
	memcpy(out + o, in + from, n);
	return o + n;
}

/* A Zstandard frame with one raw block: the system's library accepts it, and this test needs no compressor. */
static size_t pack_zstd(uint8_t *out, const uint8_t *in, size_t n)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0 };	/* single segment, size in 4 bytes */
	uint32_t size = (uint32_t)n, block = (uint32_t)n << 3 | 1;

	memcpy(out, magic, 5);
	memcpy(out + 5, &size, 4);
	memcpy(out + 9, &block, 3);
	memcpy(out + 12, in, n);
	return n + 12;
}

/* One container with PTX for an architecture, packed as the flags say; to be freed. */
static void *make_fat(const char *text, uint32_t arch, uint64_t flags)
{
	size_t n = strlen(text) + 1, packed = n;
	uint8_t *p = calloc(1, 2 * n + 1024);
	struct container *c = (void *)p;
	struct entry *e = (void *)(c + 1);
	uint8_t *data = (void *)(e + 1);

	if (flags & FLAG_LZ4)
		packed = pack_lz4(data, (const uint8_t *)text, n);
	else if (flags & FLAG_ZSTD)
		packed = pack_zstd(data, (const uint8_t *)text, n);
	else
		memcpy(data, text, n);
	*e = (struct entry){ .kind = 1, .version = 0x101, .header = sizeof(*e), .bytes = (packed + 7) / 8 * 8, .arch = arch,
			     .flags = 0x11 | flags };
	if (flags) {
		e->compressed = (uint32_t)packed;
		e->plain = n;
	}
	*c = (struct container){ 0xba55ed50u, 1, sizeof(*c), sizeof(*e) + e->bytes };
	return p;
}

/* Host addresses that stand for kernels and variables on the device. */
static char mul, bad, touch, nowhere, counter[8], factor[4];
static uint32_t *both;
static struct wrapper wrapper;
static void **handle;

static void register_program(const void *fat)
{
	wrapper = (struct wrapper){ WRAPPER_MAGIC, 1, fat, NULL };
	handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &mul, &mul, "_Z3mulPji", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, &bad, &bad, "_Z3badPj", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, &touch, &touch, "_Z5touchv", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handle, counter, counter, "counter", 0, 8, 0, 0);
	__cudaRegisterVar(handle, factor, factor, "factor", 0, 4, 1, 0);
	__cudaRegisterManagedVar(handle, (void **)&both, "both", "both", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

static const dim3 one = { 1, 1, 1 }, four = { 4, 1, 1 };

static cudaError_t launch(uint32_t *p, int v, cudaStream_t stream)
{
	void *args[] = { &p, &v };

	return cudaLaunchKernel(&mul, one, four, args, 0, stream);
}

/* mul works on four words: write them, run it, and read the words. */
static void program_works(void)
{
	uint32_t host[4] = { 1, 2, 3, 4 }, f = 10, *p;

	OK(cudaMemcpyToSymbol(factor, &f, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaMalloc((void **)&p, sizeof(host)));
	OK(cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice));
	OK(launch(p, 5, 0));
	OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(host[i], (i + 1) * 10 + 5);
	OK(cudaFree(p));
}

START_TEST(containers)
{
	static const uint64_t flags[] = { 0, FLAG_LZ4, FLAG_ZSTD };
	void *zstd = dlopen("libzstd.so.1", RTLD_NOW);
	void *fat = make_fat(ptx, 75, flags[_i]);
	uint32_t *p = NULL;

	register_program(fat);
	if (flags[_i] == FLAG_ZSTD && !zstd) {
		IS(cudaErrorNotSupported, launch(p, 1, 0));
	} else {
		program_works();
		/* text that repeats itself is packed, so the test unpacks matches */
		if (flags[_i] == FLAG_LZ4)
			ck_assert_uint_lt(((struct entry *)((struct container *)fat + 1))->compressed, sizeof(ptx) * 3 / 4);
	}
	__cudaUnregisterFatBinary(handle);
	__cudaUnregisterFatBinary(handle);		/* once is enough */
	IS(cudaErrorInvalidDeviceFunction, launch(p, 1, 0));
	free(fat);
	if (zstd)
		dlclose(zstd);
}
END_TEST

/* A program without kernels that has a managed variable: the host gets its address. */
START_TEST(only_a_managed_variable)
{
	void *fat = make_fat(ptx, 75, 0);

	wrapper = (struct wrapper){ WRAPPER_MAGIC, 1, fat, NULL };
	handle = __cudaRegisterFatBinary(&wrapper);
	both = NULL;
	__cudaRegisterManagedVar(handle, (void **)&both, "both", "both", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	ck_assert(__cudaInitModule(handle));
	ck_assert_ptr_nonnull(both);
	ck_assert_uint_eq(*both, 33);
	__cudaUnregisterFatBinary(handle);
	free(fat);
}
END_TEST

START_TEST(bad_containers)
{
	uint8_t *fat = make_fat(ptx, 75, FLAG_LZ4);
	struct entry *e = (void *)(fat + sizeof(struct container));
	uint32_t *p = NULL;

	e->plain++;			/* not what comes out */
	register_program(fat);
	IS(cudaErrorInvalidKernelImage, launch(p, 1, 0));
	IS(cudaErrorInvalidKernelImage, launch(p, 1, 0));	/* the second use fails in the same way */
	IS(cudaErrorInvalidKernelImage, cudaGetLastError());
	__cudaUnregisterFatBinary(handle);
	e->plain--;
	e->kind = 2;			/* machine code of another GPU */
	register_program(fat);
	IS(cudaErrorNoKernelImageForDevice, launch(p, 1, 0));
	__cudaUnregisterFatBinary(handle);
	free(fat);
	fat = make_fat(".version 6.3\nnonsense\n", 75, 0);
	register_program(fat);
	IS(cudaErrorInvalidPtx, launch(p, 1, 0));
	__cudaUnregisterFatBinary(handle);
	/* a kernel that the binary does not contain */
	free(fat);
	fat = make_fat(".version 6.3\n.target sm_60\n.address_size 64\n", 75, 0);
	register_program(fat);
	IS(cudaErrorInvalidDeviceFunction, launch(p, 1, 0));
	IS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(factor, &p, 4, 0, cudaMemcpyHostToDevice));
	__cudaUnregisterFatBinary(handle);
	free(fat);
}
END_TEST

/* Code in pieces, linked when it is loaded; a piece that needs an undefined symbol is left out. */
START_TEST(pieces)
{
	static const char kernel[] = ".version 6.3\n.target sm_60\n.address_size 64\n"
		".extern .func (.param .b32 r) helper(.param .b32 a);\n"
		".visible .entry _Z3mulPji(.param .u64 p, .param .u32 v)\n{\n"
		".reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
		"mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p];\n"
		"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), helper, (a); ld.param.b32 %r3, [r]; }\n"
		"mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; ret;\n}\n";
	static const char help[] = ".version 6.3\n.target sm_60\n.address_size 64\n"
		".visible .func (.param .b32 r) helper(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
		"ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1000; st.param.b32 [r], %r2; ret;\n}\n";
	static const char foreign[] = ".version 6.3\n.target sm_60\n.address_size 64\n"
		".extern .func nobody_has_this();\n.visible .func uses_it()\n{ call nobody_has_this, (); ret; }\n";
	struct container empty = { 0xba55ed50u, 1, sizeof(empty), 0 };
	const void *list[] = { make_fat(kernel, 75, FLAG_LZ4), make_fat(help, 75, 0), make_fat(foreign, 75, 0), NULL };
	struct wrapper w = { WRAPPER_MAGIC, 2, &empty, list };
	uint32_t host[4], *p;

	handle = __cudaRegisterFatBinary(&w);
	__cudaRegisterFunction(handle, &mul, &mul, "_Z3mulPji", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
	OK(cudaMalloc((void **)&p, sizeof(host)));
	OK(launch(p, 0, 0));
	OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(host[3], 1003);
	__cudaUnregisterFatBinary(handle);
	/* an empty binary, which nvcc adds to each program, is not an error */
	w.pieces = NULL;
	handle = __cudaRegisterFatBinary(&w);
	__cudaRegisterFatBinaryEnd(handle);
	OK(cudaDeviceSynchronize());
	__cudaUnregisterFatBinary(handle);
	for (unsigned int i = 0; i < 3; i++)
		free((void *)list[i]);
}
END_TEST

static void *program;
static void setup(void)
{
	program = make_fat(ptx, 75, 0);
	register_program(program);
}

static void teardown(void)
{
	__cudaUnregisterFatBinary(handle);
	free(program);
}

START_TEST(launch_configuration)
{
	dim3 g, b, grid = { 3, 2, 1 };
	cudaStream_t stream;
	cudaKernel_t k;
	size_t shared;

	IS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &stream));
	ck_assert_uint_eq(__cudaPushCallConfiguration(grid, four, 77, (void *)0x2), 0);
	ck_assert_uint_eq(__cudaPushCallConfiguration_ptsz(one, one, 0, NULL), 0);
	OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));	/* the inner first */
	ck_assert_ptr_eq(stream, cudaStreamPerThread);
	ck_assert_uint_eq(shared, 0);
	OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
	ck_assert(g.x == 3 && g.y == 2 && b.x == 4 && shared == 77 && stream == cudaStreamPerThread);
	IS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &stream));

	OK(__cudaGetKernel(&k, &mul));
	IS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&k, &nowhere));
	BAD(cudaGetKernel(NULL, &mul));
	uint32_t host[4] = { 1, 1, 1, 1 }, *p;
	int v = 9;
	void *args[] = { &p, &v };
	OK(cudaMalloc((void **)&p, sizeof(host)));
	OK(cudaMemset(p, 0, sizeof(host)));
	OK(__cudaLaunchKernel(k, one, four, args, 0, NULL));
	OK(__cudaLaunchKernel_ptsz(k, one, one, args, 0, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(host[3], 9);
}
END_TEST

START_TEST(launches)
{
	dim3 none = { 0, 1, 1 }, wide = { 2048, 1, 1 }, deep = { 1, 1, 65 };
	cudaLaunchAttribute attr = { .id = cudaLaunchAttributeClusterDimension, .val.clusterDim = { 2, 1, 1 } };
	cudaLaunchConfig_t c = { .gridDim = one, .blockDim = four };
	struct cudaFuncAttributes a;
	uint32_t *p, host[4];
	void *args[2];
	cudaFunction_t f;
	const char *name;
	size_t offset, bytes;
	int v = 3, blocks;

	OK(cudaMalloc((void **)&p, 16));
	OK(cudaMemset(p, 0, 16));
	args[0] = &p;
	args[1] = &v;
	IS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&mul, none, four, args, 0, NULL));
	IS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&mul, one, none, args, 0, NULL));
	IS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&mul, one, wide, args, 0, NULL));
	IS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&mul, one, deep, args, 0, NULL));
	BAD(cudaLaunchKernel(&mul, one, four, args, 1 << 20, NULL));
	IS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&nowhere, one, four, args, 0, NULL));
	IS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&mul, one, four, args, 0, (cudaStream_t)0x1234));
	OK(cudaLaunchKernelExC(&c, &mul, args));
	c.attrs = &attr;
	c.numAttrs = 1;
	BAD(cudaLaunchKernelExC(&c, &mul, args));	/* the grid is one block */
	BAD(cudaLaunchKernelExC(NULL, &mul, args));
	OK(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(host[2], 3);

	memset(&a, 0xee, sizeof(a));
	OK(cudaFuncGetAttributes(&a, &mul));
	ck_assert_int_ge(a.maxThreadsPerBlock, 64);
	ck_assert_int_eq(a.binaryVersion, 75);
	ck_assert_int_eq(a.clusterDimMustBeSet, 0);
	IS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &nowhere));
	OK(cudaLaunchKernel(&mul, one, four, args, 2048, NULL));
	OK(cudaFuncSetAttribute(&mul, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
	BAD(cudaLaunchKernel(&mul, one, four, args, 2048, NULL));
	BAD(cudaFuncSetAttribute(&mul, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 28));
	OK(cudaLaunchKernel(&mul, one, four, args, 1024, NULL));
	OK(cudaFuncSetCacheConfig(&mul, cudaFuncCachePreferShared));
	OK(cudaGetFuncBySymbol(&f, &mul));
	OK(cudaFuncGetName(&name, &mul));
	ck_assert_str_eq(name, "_Z3mulPji");
	OK(cudaFuncGetParamInfo(&mul, 1, &offset, &bytes));
	ck_assert(offset == 8 && bytes == 4);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &mul, 64, 0));
	ck_assert_int_gt(blocks, 0);
	BAD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &mul, 0, 0));
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &mul, 1, 64));
	ck_assert_uint_gt(bytes, 0);
}
END_TEST

START_TEST(symbols)
{
	uint32_t v[2] = { 1, 2 };
	uint64_t eight = 8;
	size_t bytes;
	void *p;

	OK(cudaMemcpyFromSymbol(v, counter, 8, 0, cudaMemcpyDeviceToHost));
	ck_assert(v[0] == 7 && v[1] == 8);
	v[1] = 99;
	OK(cudaMemcpyToSymbolAsync(counter, &v[1], 4, 4, cudaMemcpyHostToDevice, 0));
	OK(cudaMemcpyFromSymbolAsync(v, counter, 8, 0, cudaMemcpyDefault, 0));
	OK(cudaStreamSynchronize(0));
	ck_assert(v[0] == 7 && v[1] == 99);
	BAD(cudaMemcpyToSymbol(counter, v, 8, 4, cudaMemcpyHostToDevice));
	BAD(cudaMemcpyFromSymbol(v, counter, 1, 9, cudaMemcpyDeviceToHost));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(counter, v, 4, 0, cudaMemcpyDeviceToHost));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(v, counter, 4, 0, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&nowhere, v, 4, 0, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, &mul));
	OK(cudaGetSymbolSize(&bytes, counter));
	ck_assert_uint_eq(bytes, eight);
	OK(cudaGetSymbolAddress(&p, counter));
	OK(cudaMemset(p, 0, 4));
	OK(cudaMemcpyFromSymbol(v, counter, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v[0], 0);
	BAD(cudaGetSymbolAddress(NULL, counter));
	BAD(cudaGetSymbolSize(NULL, counter));
	/* a managed variable: the host has its address and both see it */
	ck_assert(__cudaInitModule(handle));
	ck_assert_ptr_nonnull(both);
	ck_assert_uint_eq(*both, 33);
	*both = 50;
	OK(cudaLaunchKernel(&touch, one, one, NULL, 0, NULL));
	OK(cudaDeviceSynchronize());
	ck_assert_uint_eq(*both, 51);
}
END_TEST

START_TEST(devices)
{
	struct cudaDeviceProp p, q;
	int n, v, w, device;
	char id[32];
	unsigned int flags;
	size_t heap;

	OK(cudaGetDeviceCount(&n));
	ck_assert_int_eq(n, 1);
	BAD(cudaGetDeviceCount(NULL));
	OK(cudaGetDevice(&device));
	ck_assert_int_eq(device, 0);
	OK(cudaSetDevice(0));
	IS(cudaErrorInvalidDevice, cudaSetDevice(1));
	IS(cudaErrorInvalidDevice, cudaSetDevice(-1));
	OK(cudaInitDevice(0, cudaDeviceScheduleSpin, 0));
	OK(cudaChooseDevice(&device, &p));
	memset(&p, 0xee, sizeof(p));
	OK(cudaGetDeviceProperties_v2(&p, 0));
	ck_assert(strstr(p.name, "PPU"));
	ck_assert(p.major == 7 && p.minor == 5 && p.warpSize == 32 && p.unifiedAddressing && p.totalGlobalMem);
	ck_assert(p.maxThreadsPerBlock >= 1024 && p.sharedMemPerBlock == 49152 && p.reserved[59] == 0);
	OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
	ck_assert_int_eq(v, p.multiProcessorCount);
	ck_assert_int_eq(v, 2);
	BAD(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)0, 0));
	IS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 9));
	/* CUDA 11's struct ends earlier: nothing is written behind it */
	memset(&q, 0xee, sizeof(q));
	OK(cudaGetDeviceProperties(&q, 0));
	ck_assert_mem_eq(&q, &p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
	ck_assert_uint_eq((unsigned int)q.hostRegisterSupported, 0xeeeeeeee);
	IS(cudaErrorInvalidDevice, cudaGetDeviceProperties_v2(&p, 5));
	OK(cudaDeviceGetPCIBusId(id, sizeof(id), 0));
	OK(cudaDeviceGetByPCIBusId(&device, id));
	ck_assert_int_eq(device, 0);
	OK(cudaDriverGetVersion(&v));
	ck_assert_int_eq(v, PPU_CUDA_DRIVER_VERSION);
	OK(cudaRuntimeGetVersion(&v));
	ck_assert_int_eq(v, CUDART_VERSION);
	OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
	OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
	ck_assert_uint_ge(heap, 4 << 20);
	BAD(cudaDeviceGetLimit(&heap, (enum cudaLimit)77));
	OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
	OK(cudaDeviceGetStreamPriorityRange(&v, &w));
	ck_assert_int_ge(v, w);
	OK(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceMapHost));
	OK(cudaGetDeviceFlags(&flags));
	ck_assert_uint_eq(flags & cudaDeviceScheduleMask, cudaDeviceScheduleYield);
	/* one device has no peers */
	OK(cudaDeviceCanAccessPeer(&v, 0, 0));
	ck_assert_int_eq(v, 0);
	IS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
	IS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(0));
	OK(cudaProfilerStart());
	OK(cudaProfilerStop());
	OK(cudaGetLastError() ? cudaSuccess : cudaErrorUnknown);	/* the last of those above */
}
END_TEST

START_TEST(memory)
{
	struct cudaPointerAttributes a;
	struct cudaPitchedPtr pp, huge;
	size_t pitch, before, free, total;
	unsigned int flags;
	void *p, *h, *d;
	int local;

	OK(cudaMemGetInfo(&before, &total));
	OK(cudaMalloc(&p, 1 << 20));
	OK(cudaMemGetInfo(&free, &total));
	ck_assert(free < total && free <= before - (1 << 20));
	OK(cudaPointerGetAttributes(&a, p));
	ck_assert(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == p && !a.hostPointer);
	OK(cudaFree(p));
	BAD(cudaFree(p));
	OK(cudaFree(NULL));
	BAD(cudaMalloc(NULL, 4));
	OK(cudaMalloc(&p, 0));
	ck_assert_ptr_null(p);
	IS(cudaErrorMemoryAllocation, cudaMalloc(&p, 1ull << 50));
	IS(cudaErrorMemoryAllocation, cudaGetLastError());
	OK(cudaMallocPitch(&p, &pitch, 100, 7));
	ck_assert(pitch >= 100 && pitch % 16 == 0);
	OK(cudaFree(p));
	OK(cudaMalloc3D(&pp, (struct cudaExtent){ 100, 7, 3 }));
	ck_assert(pp.pitch >= 100 && pp.xsize == 100 && pp.ysize == 7);
	OK(cudaMemset3D(pp, 1, (struct cudaExtent){ 100, 7, 3 }));
	/* no bytes, however many slices; slices that lie in one place; slices behind the end of all addresses */
	OK(cudaMemset3D(pp, 1, (struct cudaExtent){ 0, 7, SIZE_MAX }));
	OK(cudaMemset3D(pp, 1, (struct cudaExtent){ 100, 0, SIZE_MAX }));
	huge = (struct cudaPitchedPtr){ pp.ptr, 1ull << 32, 100, 1ull << 32 };
	BAD(cudaMemset3D(huge, 1, (struct cudaExtent){ 1, 1, 1ull << 40 }));
	huge.pitch = 0;
	BAD(cudaMemset3D(huge, 1, (struct cudaExtent){ 1, 1, SIZE_MAX }));
	huge.pitch = pp.pitch;
	huge.ysize = 7;
	BAD(cudaMemset3D(huge, 1, (struct cudaExtent){ 1, 1, SIZE_MAX }));
	OK(cudaFree(pp.ptr));
	OK(cudaHostAlloc(&h, 4096, cudaHostAllocMapped | cudaHostAllocPortable));
	OK(cudaHostGetFlags(&flags, h));
	OK(cudaHostGetDevicePointer(&d, h, 0));
	OK(cudaPointerGetAttributes(&a, h));
	ck_assert(a.type == cudaMemoryTypeHost && a.hostPointer == h && a.devicePointer == d);
	OK(cudaFreeHost(h));
	BAD(cudaFreeHost(h));
	BAD(cudaHostAlloc(&h, 4096, 0x100));
	OK(cudaPointerGetAttributes(&a, &local));
	ck_assert(a.type == cudaMemoryTypeUnregistered && a.device == cudaInvalidDeviceId && a.hostPointer == &local);
	BAD(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
	BAD(cudaMallocManaged(&p, 4, 9));
}
END_TEST

START_TEST(copies)
{
	unsigned char a[64], b[64], *p, *q;
	size_t pitch;

	for (int i = 0; i < 64; i++)
		a[i] = (unsigned char)i;
	OK(cudaMalloc((void **)&p, 64));
	OK(cudaMalloc((void **)&q, 64));
	OK(cudaMemcpy(p, a, 64, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(q, p, 64, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(b, q, 64, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(a, b, 64);
	OK(cudaMemcpy(b, a + 1, 10, cudaMemcpyHostToHost));
	ck_assert_uint_eq(b[9], 10);
	OK(cudaMemcpy(b, q, 64, cudaMemcpyDefault));
	ck_assert_mem_eq(a, b, 64);
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(b, q, 4, (enum cudaMemcpyKind)9));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(b, q, 4, (enum cudaMemcpyKind)(cudaMemcpyDefault + 1)));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpyAsync(b, q, 4, (enum cudaMemcpyKind)9, 0));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2D(b, 8, q, 8, 8, 1, (enum cudaMemcpyKind)9));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2D(b, 8, q, 8, 0, 1, (enum cudaMemcpyKind)-1));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DAsync(b, 8, q, 8, 8, 1, (enum cudaMemcpyKind)9, 0));
	IS(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&(struct cudaMemcpy3DParms){
		.dstPtr = { b, 8, 8, 1 }, .srcPtr = { q, 8, 8, 1 }, .extent = { 8, 1, 1 }, .kind = (enum cudaMemcpyKind)9 }));
	BAD(cudaMemcpy(b, a, 4, cudaMemcpyHostToDevice));
	BAD(cudaMemcpy(b, a, 4, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(b, q, 0, cudaMemcpyDeviceToHost));
	OK(cudaMemset(p, 0xab, 64));
	OK(cudaMemset2D(p + 1, 16, 0xcd, 3, 4));
	OK(cudaMemcpy2D(b, 8, p, 16, 8, 4, cudaMemcpyDeviceToHost));
	for (int y = 0; y < 4; y++)
		ck_assert(b[8 * y] == 0xab && b[8 * y + 1] == 0xcd && b[8 * y + 3] == 0xcd && b[8 * y + 4] == 0xab);
	IS(cudaErrorInvalidPitchValue, cudaMemcpy2D(b, 4, p, 16, 8, 4, cudaMemcpyDeviceToHost));
	OK(cudaMallocPitch((void **)&q, &pitch, 8, 8));
	OK(cudaMemcpy2DAsync(q, pitch, a, 8, 8, 8, cudaMemcpyHostToDevice, cudaStreamPerThread));
	OK(cudaMemcpy2DAsync_ptsz(b, 8, q, pitch, 8, 8, cudaMemcpyDeviceToHost, 0));
	OK(cudaStreamSynchronize_ptsz(0));
	ck_assert_mem_eq(a, b, 64);
	OK(cudaMemcpyPeer(p, 0, q, 0, 8));
	IS(cudaErrorInvalidDevice, cudaMemcpyPeer(p, 1, q, 0, 8));
	OK(cudaMemcpy_ptds(b, p, 8, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(a, b, 8);
}
END_TEST

START_TEST(arrays)
{
	struct cudaChannelFormatDesc d = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindUnsigned), e;
	struct cudaMemcpy3DParms c = { 0 };
	uint16_t in[3][4][2], out[3][4][2];
	struct cudaExtent x;
	cudaArray_t a, b;

	for (int i = 0; i < 24; i++)
		((uint16_t *)in)[i] = (uint16_t)(i * 7);
	OK(cudaMallocArray(&a, &d, 4, 3, 0));
	OK(cudaGetChannelDesc(&e, a));
	ck_assert_mem_eq(&d, &e, sizeof(d));
	/* from the middle of a row over two ends of rows, and back */
	OK(cudaMemcpyToArray(a, 0, 0, in, sizeof(in), cudaMemcpyHostToDevice));
	OK(cudaMemcpyToArray(a, 8, 0, in, 28, cudaMemcpyHostToDevice));
	OK(cudaMemcpyFromArray(out, a, 8, 0, 28, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(in, out, 28);
	OK(cudaMemcpy2DFromArray(out, 16, a, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(&out[0][2], in, 8);
	ck_assert_mem_eq(&out[0][0], in, 8);
	BAD(cudaMemcpyToArray(a, 0, 0, in, sizeof(in) + 1, cudaMemcpyHostToDevice));
	IS(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(a, 0, 0, in, 8, 16, 2, cudaMemcpyHostToDevice));
	OK(cudaMallocArray(&b, &d, 4, 3, 0));
	OK(cudaMemcpy2DArrayToArray(b, 4, 1, a, 0, 0, 8, 2, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy2DFromArray(out, 8, b, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(out, in, 8);
	OK(cudaFreeArray(b));
	IS(cudaErrorInvalidResourceHandle, cudaFreeArray(b));
	/* three dimensions: positions in elements */
	OK(cudaMalloc3DArray(&b, &d, (struct cudaExtent){ 4, 3, 2 }, 0));
	OK(cudaArrayGetInfo(&e, &x, NULL, b));
	ck_assert(x.width == 4 && x.height == 3 && x.depth == 2);
	c.srcPtr = (struct cudaPitchedPtr){ in, 16, 16, 3 };
	c.dstArray = b;
	c.dstPos = (struct cudaPos){ 1, 0, 1 };
	c.extent = (struct cudaExtent){ 3, 3, 1 };
	c.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&c));
	memset(&c, 0, sizeof(c));
	memset(out, 0, sizeof(out));
	c.srcArray = b;
	c.srcPos = (struct cudaPos){ 1, 1, 1 };
	c.dstPtr = (struct cudaPitchedPtr){ out, 12, 12, 3 };
	c.extent = (struct cudaExtent){ 3, 2, 1 };
	c.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&c));
	ck_assert_mem_eq(out, in[1], 12);
	c.srcPos.x = SIZE_MAX / 4 + 2;	/* times 4 bytes: the element after the first again */
	BAD(cudaMemcpy3D(&c));
	c.srcPos.x = 1;
	c.extent.width = SIZE_MAX / 4 + 2;
	BAD(cudaMemcpy3D(&c));
	c.extent.width = 3;
	c.dstArray = b;			/* two destinations */
	BAD(cudaMemcpy3D(&c));
	BAD(cudaMemcpy3D(NULL));
	OK(cudaFreeArray(b));
	OK(cudaFreeArray(a));
	d.y = 8;
	IS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &d, 4, 3, 0));
}
END_TEST

/* The calls that return at once: what they do is there when their stream has ended. */
START_TEST(asynchronous)
{
	struct cudaMemcpy3DPeerParms peer = { 0 };
	struct cudaMemcpy3DParms c = { 0 };
	unsigned char a[64], b[64], *p, *q;
	struct cudaPitchedPtr pp;
	cudaStream_t s;

	for (int i = 0; i < 64; i++)
		a[i] = (unsigned char)(i * 3);
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc((void **)&p, 64));
	OK(cudaMalloc((void **)&q, 64));
	OK(cudaMemcpyAsync(p, a, 64, cudaMemcpyHostToDevice, s));
	OK(cudaMemsetAsync(p + 8, 0x11, 8, s));
	OK(cudaMemset2DAsync(p + 16, 16, 0x22, 3, 2, s));
	OK(cudaMemcpyAsync(b, p, 64, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	memset(a + 8, 0x11, 8);
	memset(a + 16, 0x22, 3);
	memset(a + 32, 0x22, 3);
	ck_assert_mem_eq(a, b, 64);
	pp = (struct cudaPitchedPtr){ p, 8, 8, 4 };
	OK(cudaMemset3DAsync(pp, 0x33, (struct cudaExtent){ 2, 3, 2 }, s));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 3; y++)
			memset(a + 32 * z + 8 * y, 0x33, 2);
	c.srcPtr = pp;
	c.dstPtr = (struct cudaPitchedPtr){ q, 8, 8, 4 };
	c.extent = (struct cudaExtent){ 8, 4, 2 };
	c.kind = cudaMemcpyDeviceToDevice;
	OK(cudaMemcpy3DAsync(&c, s));
	OK(cudaMemcpyAsync(b, q, 64, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	ck_assert_mem_eq(a, b, 64);
	/* between devices, of which there is one */
	peer.srcPtr = (struct cudaPitchedPtr){ q, 8, 8, 4 };
	peer.dstPtr = (struct cudaPitchedPtr){ p, 8, 8, 4 };
	peer.extent = (struct cudaExtent){ 8, 4, 1 };
	OK(cudaMemset(p, 0, 64));
	OK(cudaMemcpy3DPeer(&peer));
	OK(cudaMemcpy(b, p, 64, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(a, b, 32);
	ck_assert_uint_eq(b[33], 0);
	peer.extent.depth = 2;
	OK(cudaMemcpy3DPeerAsync(&peer, s));
	OK(cudaMemcpyAsync(b, p, 64, cudaMemcpyDeviceToHost, s));
	OK(cudaStreamSynchronize(s));
	ck_assert_mem_eq(a, b, 64);
	BAD(cudaMemcpy3DPeerAsync(NULL, s));
	OK(cudaStreamDestroy(s));
}
END_TEST

/* Memory that comes and goes in the order of a stream, from the device's pool and from one of the program's. */
START_TEST(pools)
{
	struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
				   .location = { cudaMemLocationTypeDevice, 0 } };
	struct cudaMemAccessDesc access = { { cudaMemLocationTypeDevice, 0 }, cudaMemAccessFlagsProtReadWrite };
	enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
	uint64_t keep = 1 << 20, used;
	cudaMemPool_t pool, now, first;
	uint32_t *p, *q, w;

	OK(cudaDeviceGetDefaultMemPool(&first, 0));
	OK(cudaDeviceGetMemPool(&now, 0));
	ck_assert_ptr_eq(now, first);
	OK(cudaMemPoolCreate(&pool, &props));
	OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	keep = 0;
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	ck_assert_uint_eq(keep, 1 << 20);
	OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
	ck_assert_int_eq(flags, cudaMemAccessFlagsProtReadWrite);
	OK(cudaMemPoolSetAccess(pool, &access, 1));
	OK(cudaMallocFromPoolAsync((void **)&p, 256, pool, 0));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_ge(used, 256);
	OK(cudaMallocAsync((void **)&q, 256, 0));
	OK(cudaMemPoolGetAttribute(first, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_ge(used, 256);
	OK(cudaMemsetAsync(p, 0, 256, 0));
	OK(cudaMemsetAsync(q, 0x11, 256, 0));
	OK(launch(p, 5, 0));
	OK(cudaMemcpy(&w, p + 3, 4, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(w, 5);
	OK(cudaFreeAsync(p, 0));
	OK(cudaFreeAsync(q, 0));
	OK(cudaFreeAsync(NULL, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_eq(used, 0);
	OK(cudaMemPoolTrimTo(pool, 0));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &used));
	ck_assert_uint_eq(used, 0);
	OK(cudaDeviceSetMemPool(0, pool));
	OK(cudaDeviceGetMemPool(&now, 0));
	ck_assert_ptr_eq(now, pool);
	OK(cudaMallocAsync((void **)&q, 64, 0));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	ck_assert_uint_ge(used, 64);
	OK(cudaFreeAsync(q, 0));
	OK(cudaMemPoolDestroy(pool));
	BAD(cudaMallocAsync(NULL, 4, 0));
	BAD(cudaMallocFromPoolAsync(NULL, 4, first, 0));
	p = q = (uint32_t *)&w;
	OK(cudaMallocAsync((void **)&p, 0, 0));
	OK(cudaMallocFromPoolAsync((void **)&q, 0, first, 0));
	ck_assert(!p && !q);
}
END_TEST

/* Managed memory and memory that the program has: advice, prefetching, registering. */
START_TEST(managed_and_registered)
{
	struct cudaPointerAttributes a;
	uint32_t *p, *host, word = 0;
	int where = 7;
	void *d;

	OK(cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal));
	OK(cudaPointerGetAttributes(&a, p));
	ck_assert_int_eq(a.type, cudaMemoryTypeManaged);
	p[2] = 20;
	OK(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, 0));
	OK(cudaMemRangeGetAttribute(&where, sizeof(where), cudaMemRangeAttributePreferredLocation, p, 4096));
	ck_assert_int_eq(where, 0);
	OK(cudaMemPrefetchAsync(p, 4096, 0, 0));
	OK(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal));
	OK(cudaMemcpyToSymbol(factor, &(uint32_t){ 2 }, 4, 0, cudaMemcpyHostToDevice));
	OK(launch(p, 1, 0));
	OK(cudaDeviceSynchronize());
	ck_assert(p[2] == 41 && p[3] == 1);
	OK(cudaFree(p));
	host = aligned_alloc(4096, 4096);
	host[1] = 77;
	OK(cudaHostRegister(host, 4096, cudaHostRegisterMapped));
	OK(cudaHostGetDevicePointer(&d, host, 0));
	OK(cudaMemcpy(&word, (uint32_t *)d + 1, 4, cudaMemcpyDefault));
	ck_assert_uint_eq(word, 77);
	OK(cudaHostUnregister(host));
	IS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
	free(host);
	OK(cudaMallocHost((void **)&host, 64));
	OK(cudaPointerGetAttributes(&a, host));
	ck_assert_int_eq(a.type, cudaMemoryTypeHost);
	OK(cudaFreeHost(host));
}
END_TEST

/* Textures and surfaces answer with what they were made from. */
START_TEST(texture_objects)
{
	struct cudaTextureDesc t = { .addressMode = { cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeClamp },
				     .filterMode = cudaFilterModePoint, .readMode = cudaReadModeElementType,
				     .borderColor = { 1, 2, 3, 4 }, .maxAnisotropy = 1 }, u;
	struct cudaChannelFormatDesc f = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat),
				     b = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned), none = { 0 }, e;
	struct cudaResourceDesc r = { .resType = cudaResourceTypeLinear }, s;
	cudaTextureObject_t o;
	cudaSurfaceObject_t so;
	unsigned int flags;
	cudaArray_t array;
	size_t pitch;
	void *p;

	OK(cudaMalloc(&p, 4096));
	r.res.linear.devPtr = p;
	r.res.linear.desc = f;
	r.res.linear.sizeInBytes = 1024;
	OK(cudaCreateTextureObject(&o, &r, &t, NULL));
	memset(&s, 0, sizeof(s));
	OK(cudaGetTextureObjectResourceDesc(&s, o));
	ck_assert(s.resType == cudaResourceTypeLinear && s.res.linear.devPtr == p && s.res.linear.sizeInBytes == 1024);
	ck_assert_mem_eq(&s.res.linear.desc, &f, sizeof(f));
	memset(&u, 0xff, sizeof(u));
	OK(cudaGetTextureObjectTextureDesc(&u, o));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(u.addressMode[i], t.addressMode[i]);
	ck_assert_mem_eq(u.borderColor, t.borderColor, sizeof(t.borderColor));
	ck_assert(u.filterMode == t.filterMode && u.readMode == t.readMode && !u.normalizedCoords && !u.sRGB);
	BAD(cudaGetTextureObjectResourceDesc(NULL, o));
	BAD(cudaGetTextureObjectTextureDesc(NULL, o));
	OK(cudaDestroyTextureObject(o));
	OK(cudaDestroyTextureObject(0));
	BAD(cudaGetTextureObjectResourceDesc(&s, o));
	r.res.linear.desc = none;
	IS(cudaErrorInvalidChannelDescriptor, cudaCreateTextureObject(&o, &r, &t, NULL));

	/* whole numbers as fractions, in two dimensions */
	OK(cudaMallocPitch(&p, &pitch, 64, 4));
	r = (struct cudaResourceDesc){ .resType = cudaResourceTypePitch2D };
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.desc = b;
	r.res.pitch2D.width = 32;
	r.res.pitch2D.height = 4;
	r.res.pitch2D.pitchInBytes = pitch;
	t.readMode = cudaReadModeNormalizedFloat;
	t.filterMode = cudaFilterModeLinear;
	t.normalizedCoords = 1;
	OK(cudaCreateTextureObject(&o, &r, &t, NULL));
	memset(&s, 0, sizeof(s));
	OK(cudaGetTextureObjectResourceDesc(&s, o));
	ck_assert(s.resType == cudaResourceTypePitch2D && s.res.pitch2D.devPtr == p && s.res.pitch2D.width == 32 &&
		  s.res.pitch2D.height == 4 && s.res.pitch2D.pitchInBytes == pitch);
	ck_assert_mem_eq(&s.res.pitch2D.desc, &b, sizeof(b));
	OK(cudaGetTextureObjectTextureDesc(&u, o));
	ck_assert(u.filterMode == cudaFilterModeLinear && u.readMode == cudaReadModeNormalizedFloat && u.normalizedCoords == 1);
	OK(cudaDestroyTextureObject(o));
	t.readMode = cudaReadModeElementType;		/* whole numbers are not mixed */
	IS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&o, &r, &t, NULL));
	t.filterMode = cudaFilterModePoint;
	OK(cudaCreateTextureObject(&o, &r, &t, NULL));
	OK(cudaGetTextureObjectTextureDesc(&u, o));
	ck_assert_int_eq(u.readMode, cudaReadModeElementType);
	OK(cudaDestroyTextureObject(o));
	r.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
	t.readMode = cudaReadModeNormalizedFloat;
	IS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&o, &r, &t, NULL));
	t.readMode = cudaReadModeElementType;

	OK(cudaMallocArray(&array, &b, 8, 4, cudaArraySurfaceLoadStore));
	OK(cudaArrayGetInfo(&e, NULL, &flags, array));
	ck_assert_uint_eq(flags, cudaArraySurfaceLoadStore);
	ck_assert_mem_eq(&e, &b, sizeof(b));
	r = (struct cudaResourceDesc){ .resType = cudaResourceTypeArray };
	r.res.array.array = array;
	OK(cudaCreateTextureObject(&o, &r, &t, NULL));
	OK(cudaGetTextureObjectResourceDesc(&s, o));
	ck_assert(s.resType == cudaResourceTypeArray && s.res.array.array == array);
	OK(cudaGetTextureObjectTextureDesc(&u, o));
	ck_assert_int_eq(u.readMode, cudaReadModeElementType);
	OK(cudaCreateSurfaceObject(&so, &r));
	memset(&s, 0, sizeof(s));
	OK(cudaGetSurfaceObjectResourceDesc(&s, so));
	ck_assert(s.resType == cudaResourceTypeArray && s.res.array.array == array);
	BAD(cudaGetSurfaceObjectResourceDesc(NULL, so));
	OK(cudaDestroySurfaceObject(so));
	OK(cudaDestroySurfaceObject(0));
	r.resType = cudaResourceTypeLinear;
	BAD(cudaCreateSurfaceObject(&so, &r));
	BAD(cudaCreateSurfaceObject(NULL, &r));
	BAD(cudaCreateTextureObject(NULL, &r, &t, NULL));
	BAD(cudaCreateTextureObject(&o, NULL, &t, NULL));
	BAD(cudaCreateTextureObject(&o, &r, NULL, NULL));
}
END_TEST

static void on_node(void *data)
{
	++*(int *)data;
}

/* A graph of each kind of node, launched, copied, changed. */
START_TEST(graphs)
{
	uint32_t in[4] = { 1, 2, 3, 4 }, out[4] = { 0 }, other[4] = { 0 }, *p;
	struct cudaMemsetParams fill = { .value = 6, .elementSize = 4, .width = 1, .height = 1 };
	int v = 5, nine = 9, called = 0;
	void *args[] = { &p, &v }, *args9[] = { &p, &nine };
	struct cudaKernelNodeParams k = { .func = &mul, .gridDim = one, .blockDim = four, .kernelParams = args };
	struct cudaHostNodeParams host = { on_node, &called };
	struct cudaMemcpy3DParms back = { 0 };
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	enum cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusActive;
	cudaGraphExecUpdateResultInfo info;
	cudaGraph_t g, child, clone;
	cudaGraphNode_t n[7];
	cudaGraphExec_t e;
	size_t num = 0;

	OK(cudaMemcpyToSymbol(factor, &(uint32_t){ 10 }, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaMalloc((void **)&p, 16));
	fill.dst = p;
	back.srcPtr = (struct cudaPitchedPtr){ p, 16, 16, 1 };
	back.dstPtr = (struct cudaPitchedPtr){ out, 16, 16, 1 };
	back.extent = (struct cudaExtent){ 16, 1, 1 };
	back.kind = cudaMemcpyDeviceToHost;
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddMemsetNode(&n[0], child, NULL, 0, &fill));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphAddMemcpyNode1D(&n[0], g, NULL, 0, p, in, 16, cudaMemcpyHostToDevice));
	OK(cudaGraphAddChildGraphNode(&n[1], g, &n[0], 1, child));
	OK(cudaGraphAddEmptyNode(&n[2], g, NULL, 0));
	OK(cudaGraphAddDependencies(g, &n[1], &n[2], 1));
	OK(cudaGraphAddKernelNode(&n[3], g, &n[2], 1, &k));
	OK(cudaGraphAddMemcpyNode(&n[4], g, &n[3], 1, &back));
	OK(cudaGraphAddHostNode(&n[5], g, &n[4], 1, &host));
	OK(cudaGraphGetNodes(g, NULL, &num));
	ck_assert_uint_eq(num, 6);
	OK(cudaGraphInstantiateWithFlags(&e, g, 0));
	OK(cudaGraphUpload(e, 0));
	OK(cudaGraphLaunch(e, 0));
	OK(cudaStreamSynchronize(0));
	ck_assert(out[0] == 65 && out[1] == 25 && out[3] == 45 && called == 1);
	k.kernelParams = args9;
	OK(cudaGraphExecKernelNodeSetParams(e, n[3], &k));
	OK(cudaGraphExecMemcpyNodeSetParams1D(e, n[4], other, p, 16, cudaMemcpyDeviceToHost));
	OK(cudaGraphLaunch(e, 0));
	OK(cudaStreamSynchronize(0));
	ck_assert(out[0] == 65 && other[0] == 69 && other[3] == 49 && called == 2);
	OK(cudaGraphClone(&clone, g));
	OK(cudaGraphExecUpdate(e, clone, &info));
	ck_assert_int_eq(info.result, cudaGraphExecUpdateSuccess);
	memset(out, 0, sizeof(out));
	OK(cudaGraphLaunch(e, 0));
	OK(cudaStreamSynchronize(0));
	ck_assert(out[0] == 65 && called == 3);
	OK(cudaGraphExecDestroy(e));
	BAD(cudaGraphLaunch(e, 0));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphInstantiate(&e, clone, 0));
	OK(cudaGraphLaunch(e, 0));
	OK(cudaStreamSynchronize(0));
	ck_assert_int_eq(called, 4);
	BAD(cudaGraphAddKernelNode(&n[6], clone, NULL, 0, NULL));
	BAD(cudaGraphAddMemsetNode(&n[6], clone, NULL, 0, NULL));
	k.func = &nowhere;
	IS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&n[6], clone, NULL, 0, &k));
	OK(cudaGraphDebugDotPrint(clone, "/dev/null", 0));
	OK(cudaStreamIsCapturing(0, &capturing));
	ck_assert_int_eq(capturing, cudaStreamCaptureStatusNone);
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	ck_assert_int_eq(mode, cudaStreamCaptureModeGlobal);
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	ck_assert_int_eq(mode, cudaStreamCaptureModeRelaxed);
	BAD(cudaThreadExchangeStreamCaptureMode(NULL));
}
END_TEST

static int called;
static cudaError_t called_with = cudaErrorUnknown;
static void on_host(void *data) { called += *(int *)data; }
static void on_stream(cudaStream_t s, cudaError_t e, void *data) { called_with = e; on_host(data); }

START_TEST(streams_and_events)
{
	cudaEvent_t a, b, untimed;
	unsigned long long id, other;
	cudaStream_t s, t;
	uint32_t *p;
	int v, three = 3;
	unsigned int flags;
	float ms;

	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaStreamGetFlags(t, &flags));
	ck_assert_uint_eq(flags, cudaStreamNonBlocking);
	BAD(cudaStreamCreateWithFlags(&t, 0x80));
	OK(cudaStreamGetId(s, &id));
	OK(cudaStreamGetId(t, &other));
	ck_assert(id != other);
	OK(cudaStreamGetPriority(s, &v));
	OK(cudaStreamGetDevice(s, &v));
	ck_assert_int_eq(v, 0);
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
	BAD(cudaEventCreateWithFlags(&untimed, 0x80));
	OK(cudaMalloc((void **)&p, 16));
	OK(cudaEventRecord(a, s));
	OK(launch(p, 1, s));
	OK(cudaEventRecordWithFlags(b, s, 0));
	OK(cudaStreamWaitEvent(t, b, 0));
	OK(cudaStreamAddCallback(t, on_stream, &three, 0));
	OK(cudaLaunchHostFunc(t, on_host, &three));
	BAD(cudaStreamAddCallback(t, on_stream, &three, 1));
	OK(cudaStreamSynchronize(t));
	ck_assert_int_eq(called, 6);
	ck_assert_int_eq(called_with, cudaSuccess);
	OK(cudaEventQuery(b));
	OK(cudaStreamQuery(t));
	OK(cudaEventElapsedTime(&ms, a, b));
	ck_assert(ms > 0);
	OK(cudaEventRecord(untimed, s));
	OK(cudaEventSynchronize(untimed));
	IS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, untimed));
	OK(cudaEventDestroy(a));
	IS(cudaErrorInvalidResourceHandle, cudaEventRecord(a, s));
	OK(cudaStreamDestroy(s));
	IS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
	OK(cudaEventDestroy(b));
	OK(cudaEventDestroy(untimed));
	OK(cudaStreamDestroy(t));
}
END_TEST

/* Every launch of the per-thread interface means the thread's stream by stream 0: a capture there gets it. */
START_TEST(per_thread_launches)
{
	cudaLaunchConfig_t config = { .gridDim = one, .blockDim = four };
	cudaLaunchAttribute cooperative = { .id = cudaLaunchAttributeCooperative, .val.cooperative = 1 };
	uint32_t *p;
	int v = 1;
	void *args[] = { &p, &v };
	cudaGraph_t g;
	size_t num;

	OK(cudaMalloc((void **)&p, 16));
	for (int i = 0; i < 4; i++) {
		OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed));
		config.attrs = i == 3 ? &cooperative : NULL;
		config.numAttrs = i == 3;
		switch (i) {
		case 0: OK(cudaLaunchKernel_ptsz(&mul, one, four, args, 0, 0)); break;
		case 1: OK(cudaLaunchCooperativeKernel_ptsz(&mul, one, four, args, 0, 0)); break;
		default: OK(cudaLaunchKernelExC_ptsz(&config, &mul, args)); break;
		}
		OK(cudaStreamEndCapture(cudaStreamPerThread, &g));
		num = 0;
		OK(cudaGraphGetNodes(g, NULL, &num));
		ck_assert_msg(num == 1, "launch %d: %u nodes", i, (unsigned)num);
		OK(cudaGraphDestroy(g));
	}
	OK(cudaFree(p));
}
END_TEST

/* Each thread has its own last error; the fault of a kernel stays for all threads until the reset. */
static void *other_thread(void *arg)
{
	OK(cudaGetLastError());
	IS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	IS(cudaErrorIllegalAddress, cudaPeekAtLastError());
	return NULL;
}

START_TEST(errors)
{
	uint32_t *p = (uint32_t *)64;
	void *args[] = { &p }, *q;
	pthread_t t;

	ck_assert_str_eq(cudaGetErrorName(cudaErrorInvalidSymbol), "cudaErrorInvalidSymbol");
	ck_assert_str_eq(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
	ck_assert_str_eq(cudaGetErrorString((cudaError_t)54321), "unrecognized error code");
	BAD(cudaMalloc(NULL, 1));
	BAD(cudaPeekAtLastError());
	OK(cudaDeviceSynchronize());		/* a successful call does not clear the last error */
	BAD(cudaGetLastError());
	OK(cudaGetLastError());
	OK(cudaLaunchKernel(&bad, one, one, args, 0, NULL));
	IS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	IS(cudaErrorIllegalAddress, cudaGetLastError());
	IS(cudaErrorIllegalAddress, cudaGetLastError());
	IS(cudaErrorIllegalAddress, cudaMalloc(&q, 4));
	ck_assert_int_eq(pthread_create(&t, NULL, other_thread, NULL), 0);
	pthread_join(t, NULL);
	OK(cudaDeviceReset());
	OK(cudaGetLastError());
	program_works();
}
END_TEST

START_TEST(reset_and_driver)
{
	uint32_t v[2] = { 5, 5 };
	CUcontext mine, now;
	CUdeviceptr d;
	void *p;

	/* a reset puts variables back, and what was allocated is gone */
	OK(cudaMemcpyToSymbol(counter, v, 8, 0, cudaMemcpyHostToDevice));
	OK(cudaMalloc(&p, 64));
	OK(cudaDeviceReset());
	BAD(cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost));
	OK(cudaMemcpyFromSymbol(v, counter, 8, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v[0], 7);
	/* the Driver API beside it: the same memory; a context of the program's own has its own variables */
	OK(cudaMalloc(&p, 64));
	ck_assert_int_eq(cuMemsetD32_v2((uintptr_t)p, 0x1234, 4), CUDA_SUCCESS);
	OK(cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v[0], 0x1234);
	v[0] = 1;
	OK(cudaMemcpyToSymbol(counter, v, 4, 0, cudaMemcpyHostToDevice));
	ck_assert_int_eq(cuCtxCreate_v2(&mine, 0, 0), CUDA_SUCCESS);
	OK(cudaMemcpyFromSymbol(v, counter, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v[0], 7);
	ck_assert_int_eq(cuMemAlloc_v2(&d, 64), CUDA_SUCCESS);
	OK(cudaFree((void *)(uintptr_t)d));
	ck_assert_int_eq(cuCtxPopCurrent_v2(&now), CUDA_SUCCESS);
	ck_assert_ptr_eq(now, mine);
	OK(cudaMemcpyFromSymbol(v, counter, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v[0], 1);
	ck_assert_int_eq(cuCtxDestroy_v2(mine), CUDA_SUCCESS);
}
END_TEST

START_TEST(entry_points_and_refusals)
{
	enum cudaDriverEntryPointQueryResult r;
	cudaError_t (*refused)(void);
	void *f, *g, *self = dlopen("build-none", RTLD_NOW);

	ck_assert_ptr_null(self);
	OK(cudaGetDriverEntryPoint("cuMemAlloc", &f, cudaEnableDefault, &r));
	ck_assert_int_eq(r, cudaDriverEntryPointSuccess);
	ck_assert_ptr_eq(f, (void *)cuMemAlloc_v2);
	OK(cudaGetDriverEntryPoint("cuMemcpy", &f, cudaEnablePerThreadDefaultStream, &r));
	OK(cudaGetDriverEntryPoint("cuMemcpy", &g, cudaEnableLegacyStream, &r));
	ck_assert_ptr_eq(f, (void *)cuMemcpy_ptds);
	ck_assert_ptr_ne(f, g);
	OK(cudaGetDriverEntryPoint("cuNothing", &f, cudaEnableDefault, &r));
	ck_assert_int_eq(r, cudaDriverEntryPointSymbolNotFound);
	/* a function that is not supported returns its error, which becomes the last error */
	extern cudaError_t cudaMemSetMemPool(void);
	refused = cudaMemSetMemPool;
	IS(cudaErrorNotSupported, refused());
	IS(cudaErrorNotSupported, cudaGetLastError());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cudart");
	TCase *c = tcase_create("binaries"), *d = tcase_create("runtime API");

	setenv("PPU_BACKEND", "core", 1);
	setenv("PPU_PROPS", "gpcs=1,sms-per-gpc=2", 1);
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, containers, 0, 3);
	tcase_add_test(c, only_a_managed_variable);
	tcase_add_test(c, bad_containers);
	tcase_add_test(c, pieces);
	suite_add_tcase(suite, c);
	tcase_set_timeout(d, 300);
	tcase_add_checked_fixture(d, setup, teardown);
	tcase_add_test(d, launch_configuration);
	tcase_add_test(d, launches);
	tcase_add_test(d, symbols);
	tcase_add_test(d, devices);
	tcase_add_test(d, memory);
	tcase_add_test(d, copies);
	tcase_add_test(d, arrays);
	tcase_add_test(d, asynchronous);
	tcase_add_test(d, pools);
	tcase_add_test(d, managed_and_registered);
	tcase_add_test(d, texture_objects);
	tcase_add_test(d, graphs);
	tcase_add_test(d, streams_and_events);
	tcase_add_test(d, per_thread_launches);
	tcase_add_test(d, errors);
	tcase_add_test(d, reset_and_driver);
	tcase_add_test(d, entry_points_and_refusals);
	suite_add_tcase(suite, d);
	return run_suite(suite);
}
