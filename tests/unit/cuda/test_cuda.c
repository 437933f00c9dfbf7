/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API through the core backend: each function well used, badly used, after destruction,
 * in the wrong context, in two threads.
 */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cuda/cuda.h>
#include "run_suite.h"

#define IS(want, call) do { \
	CUresult r_ = (call), w_ = (want); \
	const char *n_ = "?", *m_ = "?"; \
	cuGetErrorName(r_, &n_); \
	cuGetErrorName(w_, &m_); \
	ck_assert_msg(r_ == w_, "%s: %s instead of %s", #call, n_, m_); \
} while (0)
#define OK(call) IS(CUDA_SUCCESS, call)
#define BAD(call) IS(CUDA_ERROR_INVALID_VALUE, call)

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .global .align 4 .u32 counter[2] = { 7, 8 };\n"
	".extern .shared .align 4 .b8 dyn[];\n"
	/* y[i] = a * x[i] + y[i] */
	".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n{\n"
	".reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	"mad.lo.s32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];\n"
	"setp.ge.u32 %p1, %r4, %r5; @%p1 bra DONE;\n"
	"ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a];\n"
	"mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd2, %rd5;\n"
	"ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7]; fma.rn.f32 %f4, %f1, %f2, %f3;\n"
	"st.global.f32 [%rd7], %f4;\nDONE: ret;\n}\n"
	/* one block: reverses n words through dynamic shared memory */
	".visible .entry reverse(.param .u64 p, .param .u32 n)\n{\n"
	".reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
	"mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; ld.param.u64 %rd1, [p];\n"
	"mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3];\n"
	"mov.u32 %r4, dyn; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5; st.shared.u32 [%r6], %r3;\n"
	"bar.sync 0; sub.u32 %r7, %r2, %r1; sub.u32 %r7, %r7, 1; shl.b32 %r7, %r7, 2; add.u32 %r7, %r4, %r7;\n"
	"ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;\n}\n"
	".visible .entry bad(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd1, [p]; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;\n}\n"
	".visible .entry trapper()\n{ trap; ret; }\n"
	".visible .entry nothing()\n{ ret; }\n";

static CUcontext ctx;
static CUmodule mod;

static CUfunction function(const char *name)
{
	CUfunction f;

	OK(cuModuleGetFunction(&f, mod, name));
	return f;
}

static void setup(void)
{
	OK(cuInit(0));
	OK(cuCtxCreate(&ctx, 0, 0));
	OK(cuModuleLoadData(&mod, ptx));
}

START_TEST(errors_have_names)
{
	const char *s;

	OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &s));
	ck_assert_str_eq(s, "CUDA_ERROR_ILLEGAL_ADDRESS");
	OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &s));
	ck_assert_str_eq(s, "out of memory");
	BAD(cuGetErrorName((CUresult)12345, &s));
	ck_assert_ptr_null(s);
	BAD(cuGetErrorString((CUresult)12345, &s));
	ck_assert_ptr_null(s);
	BAD(cuGetErrorName(CUDA_SUCCESS, NULL));
}
END_TEST

START_TEST(nothing_before_init)
{
	CUcontext c;
	CUdevice d;
	int n;

	IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
	IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&d, 0));
	IS(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate(&c, 0, 0));
	IS(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&c));
	OK(cuDriverGetVersion(&n));
	ck_assert_int_eq(n, PPU_CUDA_DRIVER_VERSION);
	BAD(cuInit(1));
	OK(cuInit(0));
	OK(cuInit(0));
	OK(cuDeviceGetCount(&n));
	ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(devices)
{
	char name[64], id[16];
	int v, w, major, minor;
	CUuuid a, b;
	CUdevprop p;
	size_t bytes;
	CUdevice d;

	OK(cuInit(0));
	OK(cuDeviceGet(&d, 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, 1));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, -1));
	OK(cuDeviceGetName(name, sizeof(name), d));
	ck_assert(strstr(name, "PPU"));
	OK(cuDeviceGetName(name, 3, d));
	ck_assert_uint_eq(strlen(name), 2);
	BAD(cuDeviceGetName(name, 0, d));
	OK(cuDeviceComputeCapability(&major, &minor, d));
	ck_assert_int_eq(major * 10 + minor, 75);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
	ck_assert_int_eq(v, 32);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
	ck_assert_int_eq(v, 7);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, d));
	ck_assert_int_eq(v, 1);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, d));
	ck_assert_int_eq(v, 0);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, d));
	OK(cuDeviceGetProperties(&p, d));
	ck_assert_int_eq(v, p.maxThreadsPerBlock);
	ck_assert_int_ge(v, 1024);
	OK(cuDeviceGetAttribute(&w, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d));
	ck_assert_int_gt(w, 0);
	BAD(cuDeviceGetAttribute(&v, (CUdevice_attribute)0, d));
	BAD(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX, d));
	BAD(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 9));
	OK(cuDeviceTotalMem(&bytes, d));
	ck_assert_uint_ge(bytes, 16u << 20);
	OK(cuDeviceGetUuid(&a, d));
	OK(cuDeviceGetUuid(&b, d));
	ck_assert_mem_eq(&a, &b, sizeof(a));
	OK(cuDeviceGetPCIBusId(id, sizeof(id), d));
	OK(cuDeviceGetByPCIBusId(&w, id));
	ck_assert_int_eq(w, d);
	IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&w, "00ff:1e:1d.0"));
	BAD(cuDeviceGetByPCIBusId(&w, "nonsense"));
	OK(cuDeviceCanAccessPeer(&v, d, d));
	ck_assert_int_eq(v, 0);
}
END_TEST

START_TEST(context_stack)
{
	CUcontext a, b, c;
	unsigned int flags, version;
	CUdeviceptr p;
	CUdevice d;

	OK(cuInit(0));
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_null(c);
	IS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&c));
	BAD(cuCtxCreate(&a, 3, 0));
	BAD(cuCtxCreate(NULL, 0, 0));
	IS(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&a, 0, 3));
	OK(cuCtxCreate(&a, CU_CTX_SCHED_BLOCKING_SYNC, 0));
	OK(cuCtxGetFlags(&flags));
	ck_assert_uint_eq(flags, CU_CTX_SCHED_BLOCKING_SYNC);
	OK(cuCtxCreate(&b, 0, 0));
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_eq(c, b);
	OK(cuCtxGetDevice(&d));
	ck_assert_int_eq(d, 0);
	OK(cuCtxPopCurrent(&c));
	ck_assert_ptr_eq(c, b);
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_eq(c, a);
	OK(cuCtxPushCurrent(b));
	OK(cuCtxSetCurrent(a));		/* replaces the top */
	OK(cuCtxPopCurrent(&c));
	ck_assert_ptr_eq(c, a);
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_eq(c, a);
	OK(cuCtxGetApiVersion(b, &version));
	ck_assert_uint_gt(version, 0);
	/* destroyed while it is on the stack, not on top */
	OK(cuCtxPushCurrent(b));
	OK(cuCtxDestroy(a));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(a));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion(a, &version));
	OK(cuCtxDestroy(b));		/* top: popped as well */
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	OK(cuCtxSetCurrent(NULL));
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_null(c);
}
END_TEST

START_TEST(primary_context)
{
	CUcontext a, b, c;
	unsigned int flags;
	CUdeviceptr p;
	int active;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 0);
	IS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
	OK(cuDevicePrimaryCtxRetain(&a, 0));
	OK(cuDevicePrimaryCtxRetain(&b, 0));
	ck_assert_ptr_eq(a, b);
	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_null(c);		/* retaining does not make current */
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
	OK(cuCtxSetCurrent(a));
	OK(cuMemAlloc(&p, 4));
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 1);
	ck_assert_uint_eq(flags, CU_CTX_SCHED_SPIN);
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 0);
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	OK(cuDevicePrimaryCtxRetain(&b, 0));
	ck_assert_ptr_eq(a, b);
	OK(cuMemAlloc(&p, 4));		/* still on the stack: works again */
	OK(cuDevicePrimaryCtxReset(0));
	BAD(cuMemFree(p));		/* everything of the context is destroyed */
	OK(cuMemAlloc(&p, 4));
	OK(cuMemFree(p));
	OK(cuDevicePrimaryCtxRelease(0));
}
END_TEST

START_TEST(memory)
{
	CUdeviceptr p, q, base;
	size_t pitch, bytes, free0, free1, total;
	unsigned int flags;
	char host[64];
	void *h;

	setup();
	BAD(cuMemAlloc(&p, 0));
	BAD(cuMemAlloc(NULL, 4));
	IS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 50));
	OK(cuMemGetInfo(&free0, &total));
	OK(cuMemAlloc(&p, 64 << 10));
	ck_assert_uint_eq(p % 256, 0);
	OK(cuMemGetInfo(&free1, &total));
	ck_assert_uint_le(free1, free0);
	ck_assert_uint_le(free0, total);
	OK(cuMemGetAddressRange(&base, &bytes, p + 1000));
	ck_assert_uint_eq(base, p);
	ck_assert_uint_eq(bytes, 64 << 10);
	IS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &bytes, (uintptr_t)host));
	OK(cuMemAllocPitch(&q, &pitch, 100, 10, 4));
	ck_assert_uint_ge(pitch, 100);
	BAD(cuMemAllocPitch(&q, &pitch, 100, 10, 3));
	BAD(cuMemFree(p + 4));
	OK(cuMemFree(p));
	BAD(cuMemFree(p));
	OK(cuMemFree(0));
	OK(cuMemHostAlloc(&h, 4096, CU_MEMHOSTALLOC_PORTABLE));
	BAD(cuMemHostAlloc(&h, 4096, 64));
	OK(cuMemHostGetDevicePointer(&p, h, 0));
	ck_assert_uint_eq(p, (uintptr_t)h);
	OK(cuMemHostGetFlags(&flags, h));
	ck_assert_uint_eq(flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
	BAD(cuMemHostGetDevicePointer(&p, host, 0));
	memset(h, 0x5a, 4096);
	OK(cuMemFreeHost(h));
	BAD(cuMemFreeHost(h));
	OK(cuMemAllocHost(&h, 16));
	OK(cuMemFreeHost(h));
}
END_TEST

START_TEST(pointer_attributes)
{
	CUpointer_attribute what[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				       CU_POINTER_ATTRIBUTE_HOST_POINTER };
	unsigned int type;
	CUdeviceptr p, start;
	size_t size;
	CUcontext c;
	int device;
	void *host, *h, *values[] = { &type, &device, &host };

	setup();
	OK(cuMemAlloc(&p, 1000));
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_DEVICE);
	OK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	ck_assert_ptr_eq(c, ctx);
	OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
	ck_assert_uint_eq(start, p);
	OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
	ck_assert_uint_eq(size, 1000);
	BAD(cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
	BAD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&type));
	BAD(cuPointerGetAttribute(&type, (CUpointer_attribute)99, p));
	OK(cuMemHostAlloc(&h, 64, 0));
	OK(cuPointerGetAttributes(3, what, values, (uintptr_t)h));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
	ck_assert_int_eq(device, 0);
	ck_assert_ptr_eq(host, h);
	OK(cuPointerGetAttributes(3, what, values, (uintptr_t)&type));	/* not ours: zeros */
	ck_assert_uint_eq(type, 0);
	ck_assert_ptr_null(host);
}
END_TEST

START_TEST(copies)
{
	unsigned char a[3000], b[3000];
	CUdeviceptr p, q;

	setup();
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = (unsigned char)(i * 7 + i / 256);
	OK(cuMemAlloc(&p, sizeof(a)));
	OK(cuMemAlloc(&q, sizeof(a)));
	OK(cuMemcpyHtoD(p, a, sizeof(a)));
	OK(cuMemcpyDtoD(q, p, sizeof(a)));
	memset(b, 0, sizeof(b));
	OK(cuMemcpyDtoH(b, q, sizeof(b)));
	ck_assert_mem_eq(a, b, sizeof(a));
	memset(b, 0, sizeof(b));
	OK(cuMemcpy((uintptr_t)b, q + 1, 100));
	ck_assert_mem_eq(a + 1, b, 100);
	OK(cuMemcpyHtoDAsync(p + 5, a, 10, 0));
	OK(cuMemcpyDtoHAsync(b, p + 5, 10, CU_STREAM_LEGACY));
	OK(cuStreamSynchronize(0));
	ck_assert_mem_eq(a, b, 10);
	OK(cuMemcpyHtoD(p, NULL, 0));
	BAD(cuMemcpyHtoD(p, NULL, 4));
	BAD(cuMemcpyHtoD((uintptr_t)b, a, 4));		/* not device memory */
	BAD(cuMemcpyDtoH(b, (uintptr_t)a, 4));
	BAD(cuMemcpyHtoD(p + 2998, a, 4));		/* past the end */
	BAD(cuMemcpyHtoD(0xdead0000, a, 4));
	OK(cuMemcpyPeer(q, ctx, p, ctx, 100));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(q, ctx, p, (CUcontext)a, 100));
}
END_TEST

START_TEST(fills)
{
	unsigned int w[64];
	unsigned short s[128];
	unsigned char b[256];
	CUdeviceptr p;

	setup();
	OK(cuMemAlloc(&p, 256));
	OK(cuMemsetD8(p, 0x11, 256));
	OK(cuMemsetD16(p + 2, 0x2233, 3));
	OK(cuMemsetD32(p + 128, 0x44556677, 2));
	OK(cuMemcpyDtoH(b, p, 256));
	memcpy(s, b, 256);
	memcpy(w, b, 256);
	ck_assert_uint_eq(b[0], 0x11);
	ck_assert_uint_eq(s[1], 0x2233);
	ck_assert_uint_eq(s[3], 0x2233);
	ck_assert_uint_eq(s[4], 0x1111);
	ck_assert_uint_eq(w[32], 0x44556677);
	ck_assert_uint_eq(w[34], 0x11111111);
	BAD(cuMemsetD32(p + 2, 0, 1));			/* not aligned */
	BAD(cuMemsetD8(p, 0, 257));
	BAD(cuMemsetD8((uintptr_t)b, 0, 1));
	/* 4 rows of 3 words, 32 bytes apart */
	OK(cuMemsetD2D32(p, 32, 0xabcd, 3, 4));
	OK(cuMemcpyDtoH(w, p, 256));
	for (int i = 0; i < 64; i++)
		ck_assert_msg((w[i] == 0xabcd) == (i / 8 < 4 && i % 8 < 3), "word %d", i);
	BAD(cuMemsetD2D32(p, 8, 0, 3, 4));		/* pitch smaller than a row */
	OK(cuMemsetD8Async(p, 1, 4, 0));
	OK(cuMemsetD2D8Async(p + 8, 16, 2, 4, 2, 0));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(b, p, 32));
	ck_assert_uint_eq(b[3], 1);
	ck_assert_uint_eq(b[24], 2);
}
END_TEST

/* A box out of the middle of a volume, through an array and back. */
START_TEST(boxes_and_arrays)
{
	enum { W = 13, H = 7, D = 5 };
	static float in[D][H][W], out[D][H][W];
	CUDA_ARRAY3D_DESCRIPTOR d3 = { W, H, D, CU_AD_FORMAT_FLOAT, 1, 0 }, e3;
	CUDA_ARRAY_DESCRIPTOR d2 = { W, H, CU_AD_FORMAT_FLOAT, 1 }, e2;
	CUDA_MEMCPY3D c = { 0 };
	CUDA_MEMCPY2D r = { 0 };
	CUarray a, b;

	setup();
	for (int i = 0; i < W * H * D; i++)
		in[i / (W * H)][i / W % H][i % W] = (float)i;
	OK(cuArray3DCreate(&a, &d3));
	OK(cuArray3DGetDescriptor(&e3, a));
	ck_assert_mem_eq(&d3, &e3, sizeof(d3));
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = in;
	c.srcPitch = W * 4;
	c.srcHeight = H;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = a;
	c.WidthInBytes = W * 4;
	c.Height = H;
	c.Depth = D;
	OK(cuMemcpy3D(&c));
	c = (CUDA_MEMCPY3D){ .srcXInBytes = 8, .srcY = 1, .srcZ = 2, .srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = a, .dstXInBytes = 4, .dstY = 3, .dstZ = 1,
			     .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = W * 4, .dstHeight = H,
			     .WidthInBytes = 5 * 4, .Height = 4, .Depth = 3 };
	OK(cuMemcpy3D(&c));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				bool inside = z >= 1 && z < 4 && y >= 3 && y < 7 && x >= 1 && x < 6;

				ck_assert_msg(out[z][y][x] == (inside ? in[z + 1][y - 2][x + 1] : 0), "%d,%d,%d", x, y, z);
			}
	c.Depth = 4;		/* slices 2..5 of 5 */
	BAD(cuMemcpy3D(&c));
	OK(cuArrayCreate(&b, &d2));
	OK(cuArrayGetDescriptor(&e2, b));
	ck_assert_uint_eq(e2.Height, H);
	r.srcMemoryType = CU_MEMORYTYPE_HOST;
	r.srcHost = in[1];
	r.srcPitch = W * 4;
	r.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	r.dstArray = b;
	r.WidthInBytes = W * 4;
	r.Height = H;
	OK(cuMemcpy2D(&r));
	memset(out, 0, sizeof(out));
	OK(cuMemcpyAtoH(out, b, 4, 8));
	ck_assert_float_eq(out[0][0][0], in[1][0][1]);
	ck_assert_float_eq(out[0][0][1], in[1][0][2]);
	ck_assert_float_eq(out[0][0][2], 0);
	BAD(cuMemcpyAtoH(out, b, W * 4, 1));
	r.srcPitch = W * 4 - 4;	/* smaller than a row */
	BAD(cuMemcpy2D(&r));
	/* Positions that wrap around to before the memory. */
	r = (CUDA_MEMCPY2D){ .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in[1], .srcXInBytes = SIZE_MAX - 3,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = b, .WidthInBytes = 8, .Height = 1 };
	BAD(cuMemcpy2D(&r));
	r.srcXInBytes = 0;
	r.srcPitch = W * 4;
	r.srcY = SIZE_MAX / (W * 4);
	BAD(cuMemcpy2D(&r));
	r.srcY = SIZE_MAX;
	r.Height = 2;
	BAD(cuMemcpy2D(&r));
	d2.NumChannels = 3;
	BAD(cuArrayCreate(&b, &d2));
	OK(cuArrayDestroy(a));
	IS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(a));
}
END_TEST

START_TEST(modules)
{
	CUfunction f, g, all[8];
	unsigned int n;
	CUdeviceptr p;
	size_t bytes;
	const char *name;
	CUmodule m, m2;
	unsigned int w[2];

	setup();
	OK(cuModuleGetFunction(&f, mod, "saxpy"));
	OK(cuModuleGetFunction(&g, mod, "saxpy"));
	ck_assert_ptr_eq(f, g);
	IS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, mod, "nobody"));
	OK(cuModuleGetGlobal(&p, &bytes, mod, "counter"));
	ck_assert_uint_eq(bytes, 8);
	OK(cuMemcpyDtoH(w, p, 8));
	ck_assert_uint_eq(w[1], 8);
	IS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&p, &bytes, mod, "saxpy"));
	OK(cuModuleGetFunctionCount(&n, mod));
	ck_assert_uint_eq(n, 5);
	OK(cuModuleEnumerateFunctions(all, 8, mod));
	for (unsigned int i = 0; i < n; i++)
		OK(cuFuncGetName(&name, all[i]));
	OK(cuFuncGetModule(&m2, g));
	ck_assert_ptr_eq(m2, mod);
	IS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nowhere/at/all.ptx"));
	IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, "\177ELF\2\1\1"));
	BAD(cuModuleLoadData(&m, NULL));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, "nothing"));
	OK(cuModuleUnload(m));
	IS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(m));
	IS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&g, m, "nothing"));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
}
END_TEST

START_TEST(jit_options)
{
	char info[200] = "x", error[400] = "x";
	CUjit_option o[] = { CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
			     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS, CU_JIT_TARGET_FROM_CUCONTEXT,
			     CU_JIT_WALL_TIME };
	void *v[] = { info, (void *)sizeof(info), error, (void *)sizeof(error), (void *)32, NULL, (void *)~0ul };
	float ms;
	CUmodule m;

	setup();
	OK(cuModuleLoadDataEx(&m, ptx, 7, o, v));
	memcpy(&ms, &v[6], sizeof(ms));
	ck_assert(ms >= 0 && ms < 1e6f);
	ck_assert_str_eq(error, "");
	v[3] = (void *)sizeof(error);
	IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, ".version 6.3\n.target sm_60\n.address_size 64\n"
						      ".visible .entry k()\n{\n  add.nonsense %r1, %r2;\n}\n", 7, o, v));
	ck_assert_msg(strstr(error, ":6:"), "log: %s", error);	/* the line */
	ck_assert_uint_eq((uintptr_t)v[3], strlen(error) + 1);
	v[3] = (void *)10;
	IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, ".version 6.3\n.target sm_60\n.nonsense\n", 7, o, v));
	ck_assert_uint_eq(strlen(error), 9);
	o[0] = (CUjit_option)99;
	BAD(cuModuleLoadDataEx(&m, ptx, 7, o, v));
	BAD(cuModuleLoadDataEx(&m, ptx, 1, NULL, NULL));
}
END_TEST

static void run_saxpy(CUfunction f, CUstream s, bool extra)
{
	enum { N = 1000 };
	float x[N], y[N], a = 2.5f;
	CUdeviceptr dx, dy;
	unsigned int n = N;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = (float)(N - i);
	}
	OK(cuMemAlloc(&dx, sizeof(x)));
	OK(cuMemAlloc(&dy, sizeof(y)));
	OK(cuMemcpyHtoDAsync(dx, x, sizeof(x), s));
	OK(cuMemcpyHtoDAsync(dy, y, sizeof(y), s));
	if (extra) {
		struct {
			float a;
			CUdeviceptr x, y;
			unsigned int n;
		} p = { a, dx, dy, n };
		size_t bytes = sizeof(p);
		void *e[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			      CU_LAUNCH_PARAM_END };

		OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, s, NULL, e));
	} else {
		void *p[] = { &a, &dx, &dy, &n };

		OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, s, p, NULL));
	}
	OK(cuMemcpyDtoHAsync(y, dy, sizeof(y), s));
	OK(cuStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		ck_assert_msg(y[i] == fmaf(a, (float)i, (float)(N - i)), "y[%d] = %g", i, y[i]);
	OK(cuMemFree(dx));
	OK(cuMemFree(dy));
}

START_TEST(launches)
{
	CUfunction f, g;
	CUdeviceptr p;
	unsigned int n = 64, w[64];
	void *params[] = { &p, &n }, *extra[] = { (void *)7, NULL, CU_LAUNCH_PARAM_END };
	CUlaunchConfig conf = { 1, 1, 1, 64, 1, 1, 256, 0, NULL, 0 };

	setup();
	f = function("saxpy");
	run_saxpy(f, 0, false);
	run_saxpy(f, 0, true);
	run_saxpy(f, CU_STREAM_PER_THREAD, false);
	g = function("reverse");
	OK(cuMemAlloc(&p, sizeof(w)));
	for (unsigned int i = 0; i < 64; i++)
		w[i] = i;
	OK(cuMemcpyHtoD(p, w, sizeof(w)));
	OK(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 256, 0, params, NULL));
	OK(cuLaunchKernelEx(&conf, g, params, NULL));
	OK(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 256, 0, params, NULL));
	OK(cuMemcpyDtoH(w, p, sizeof(w)));
	for (unsigned int i = 0; i < 64; i++)
		ck_assert_uint_eq(w[i], 63 - i);
	BAD(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	BAD(cuLaunchKernel(f, 1, 1, 1, 1 << 20, 1, 1, 0, 0, params, NULL));
	BAD(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 0, 0, NULL, NULL));
	BAD(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 0, 0, NULL, extra));
	BAD(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 0, 0, params, extra));
	BAD(cuLaunchKernel(g, 1, 1, 1, 64, 1, 1, 1 << 30, 0, params, NULL));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)w, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, (CUstream)w, params, NULL));
}
END_TEST

/* More than 48 KiB of shared memory is available only after the program has asked for it. */
START_TEST(dynamic_shared_memory)
{
	int optin, now, regs;
	CUfunction g;
	CUdeviceptr p;
	unsigned int n = 32;
	void *params[] = { &p, &n };

	setup();
	g = function("reverse");
	OK(cuMemAlloc(&p, 128));
	OK(cuDeviceGetAttribute(&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
	OK(cuFuncGetAttribute(&now, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, g));
	ck_assert_int_le(now, 48 << 10);
	ck_assert_int_ge(optin, 64 << 10);	/* what compute capability 7.5 has */
	BAD(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, (unsigned int)now + 4, 0, params, NULL));
	BAD(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin + 1));
	OK(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin));
	OK(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, (unsigned int)optin, 0, params, NULL));
	OK(cuCtxSynchronize());
	OK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, g));
	ck_assert_int_gt(regs, 0);
	BAD(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_NUM_REGS, 5));
	BAD(cuFuncGetAttribute(&regs, (CUfunction_attribute)77, g));
}
END_TEST

static void on_end(void *data)
{
}

static size_t words(int block_size)
{
	return (size_t)block_size * 4;
}

/* Each place for a result that is missing, alone. */
START_TEST(missing)
{
	CUpointer_attribute what = CU_POINTER_ATTRIBUTE_CONTEXT;
	CUmemLocation place = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = place };
	CUmemGenericAllocationHandle handle;
	unsigned long long access;
	CUdriverProcAddressQueryResult found;
	CUdevice_attribute count = CU_DEVICE_ATTRIBUTE_WARP_SIZE;
	CUuserObject object;
	unsigned int flags;
	CUmemoryPool pool;
	CUdeviceptr p;
	CUmodule m;
	size_t pitch;
	void *value, *values[1] = { &value };
	char id[32];
	int a, b;

	setup();
	BAD(cuDeviceGetAttribute(NULL, count, 0));
	BAD(cuDeviceComputeCapability(NULL, &b, 0));
	BAD(cuDeviceComputeCapability(&a, NULL, 0));
	BAD(cuDeviceGetPCIBusId(NULL, sizeof(id), 0));
	OK(cuDeviceGetPCIBusId(id, sizeof(id), 0));
	BAD(cuDeviceGetByPCIBusId(NULL, id));
	BAD(cuDeviceGetByPCIBusId(&a, NULL));
	OK(cuDeviceGetByPCIBusId(&a, id));
	BAD(cuDevicePrimaryCtxGetState(0, NULL, &a));
	BAD(cuDevicePrimaryCtxGetState(0, &flags, NULL));
	BAD(cuGetProcAddress_v2(NULL, &value, 12000, 0, &found));
	BAD(cuGetProcAddress_v2("cuInit", NULL, 12000, 0, &found));
	BAD(cuModuleLoad(NULL, "/dev/null"));
	BAD(cuModuleLoad(&m, NULL));
	BAD(cuModuleLoadData(NULL, ""));
	BAD(cuModuleLoadData(&m, NULL));
	BAD(cuMemAlloc_v2(NULL, 4));
	BAD(cuMemAlloc_v2(&p, 0));
	BAD(cuMemAllocPitch_v2(NULL, &pitch, 4, 4, 4));
	BAD(cuMemAllocPitch_v2(&p, NULL, 4, 4, 4));
	BAD(cuMemAllocPitch_v2(&p, &pitch, 0, 4, 4));
	BAD(cuMemAllocPitch_v2(&p, &pitch, 4, 0, 4));
	BAD(cuMemAllocPitch_v2(&p, &pitch, 4, 4, 12));
	OK(cuMemAllocPitch_v2(&p, &pitch, 4, 4, 16));
	BAD(cuMemAllocManaged(NULL, 4, CU_MEM_ATTACH_GLOBAL));
	BAD(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
	BAD(cuMemHostRegister_v2(NULL, 4096, 0));
	BAD(cuMemHostRegister_v2(id, 0, 0));
	BAD(cuMemHostRegister_v2(id, SIZE_MAX, 0));
	BAD(cuPointerGetAttributes(0, &what, values, p));
	BAD(cuPointerGetAttributes(1, NULL, values, p));
	BAD(cuPointerGetAttributes(1, &what, NULL, p));
	OK(cuPointerGetAttributes(1, &what, values, p));
	BAD(cuMemPoolCreate(NULL, &props));
	BAD(cuMemPoolCreate(&pool, NULL));
	BAD(cuMemAddressReserve(NULL, 2 << 20, 0, 0, 0));
	BAD(cuMemGetAccess(NULL, &place, p));
	BAD(cuMemGetAccess(&access, NULL, p));
	BAD(cuMemCreate(NULL, 2 << 20, NULL, 0));
	BAD(cuMemCreate(&handle, 2 << 20, NULL, 0));
	BAD(cuUserObjectCreate(NULL, &a, on_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	BAD(cuUserObjectCreate(&object, &a, NULL, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	BAD(cuUserObjectCreate(&object, &a, on_end, 1, 0));
}
END_TEST

START_TEST(occupancy)
{
	int blocks, grid, size, sms, all, own, most;
	size_t bytes;
	CUfunction g;

	setup();
	g = function("reverse");
	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, g, 128, 0));
	ck_assert_int_gt(blocks, 0);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, g, words, 0, 0));
	ck_assert_int_gt(size, 0);
	ck_assert_int_eq(grid % sms, 0);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, g, NULL, 0, 100));
	ck_assert_int_le(size, 100);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, 1, 128));
	ck_assert_uint_gt(bytes, 0);
	OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &size, g, NULL, 0, 100, 1));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, g, 128, 0, 1));
	BAD(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &size, g, NULL, 0, 100, 2));
	BAD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, g, 128, 0, 2));
	BAD(cuOccupancyMaxPotentialBlockSize(NULL, &size, g, NULL, 0, 0));
	BAD(cuOccupancyMaxPotentialBlockSize(&grid, NULL, g, NULL, 0, 0));
	BAD(cuOccupancyMaxPotentialBlockSize(&grid, &size, g, NULL, 0, -1));
	BAD(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, g, 128, 0));
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(NULL, g, 1, 128));
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, 0, 128));
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, 1, 0));
	BAD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, g, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, g, INT_MAX, 0));
	ck_assert_int_eq(blocks, 0);
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, 1, INT_MAX));
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, INT_MAX, 128));
	/* As many as fit, and one more: each gets its share of the SM's shared memory, up to the function's limit. */
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, g, 128, 0));
	OK(cuDeviceGetAttribute(&all, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0));
	OK(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, g));
	OK(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, g));
	ck_assert_int_gt(blocks, 2);
	for (int n = 1; n <= blocks; n++) {
		OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, n, 128));
		ck_assert_uint_eq(bytes, (size_t)(all / n - own < most ? all / n - own : most));
	}
	BAD(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, g, blocks + 1, 128));
}
END_TEST

START_TEST(streams)
{
	int least, greatest, priority;
	unsigned long long a, b;
	unsigned int flags;
	CUstream s, t;
	CUcontext c;

	setup();
	OK(cuCtxGetStreamPriorityRange(&least, &greatest));
	ck_assert_int_gt(least, greatest);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	BAD(cuStreamCreate(&t, 8));
	BAD(cuStreamCreate(NULL, 0));
	OK(cuStreamGetFlags(s, &flags));
	ck_assert_uint_eq(flags, CU_STREAM_NON_BLOCKING);
	OK(cuStreamGetPriority(s, &priority));
	ck_assert_int_eq(priority, least);
	OK(cuStreamCreateWithPriority(&t, 0, greatest - 10));	/* clamped */
	OK(cuStreamGetPriority(t, &priority));
	ck_assert_int_eq(priority, greatest);
	OK(cuStreamGetId(s, &a));
	OK(cuStreamGetId(t, &b));
	ck_assert(a != b);
	OK(cuStreamGetCtx(s, &c));
	ck_assert_ptr_eq(c, ctx);
	run_saxpy(function("saxpy"), s, false);
	run_saxpy(function("saxpy"), t, true);
	OK(cuStreamQuery(s));
	OK(cuStreamDestroy(s));
	IS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(s));
	IS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(s));
	IS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(CU_STREAM_LEGACY));
}
END_TEST

START_TEST(events)
{
	CUevent e, f, untimed;
	CUcontext other;
	CUstream s, t;
	float ms;

	setup();
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&f, CU_EVENT_BLOCKING_SYNC));
	OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	BAD(cuEventCreate(&f, 64));
	IS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, e, f));	/* not recorded */
	OK(cuEventQuery(e));
	OK(cuEventRecord(e, s));
	run_saxpy(function("saxpy"), s, false);
	OK(cuEventRecord(f, s));
	OK(cuStreamWaitEvent(t, f, 0));
	OK(cuStreamSynchronize(t));
	OK(cuEventQuery(f));
	OK(cuEventSynchronize(f));
	OK(cuEventElapsedTime(&ms, e, f));
	ck_assert(ms > 0 && ms < 1e4f);
	OK(cuEventRecord(untimed, s));
	OK(cuEventSynchronize(untimed));
	IS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, e, untimed));
	OK(cuEventDestroy(e));
	IS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(e, s));
	IS(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(e));
	BAD(cuStreamWaitEvent(t, f, 16));
	OK(cuCtxCreate(&other, 0, 0));
	IS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(f, 0));	/* of the first context */
	OK(cuCtxDestroy(other));
	OK(cuEventRecord(f, 0));
}
END_TEST

static void note(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

struct seen {
	CUstream stream;
	CUresult status;
	int before;
	int *count;
};

static void call_back(CUstream stream, CUresult status, void *data)
{
	struct seen *s = data;

	s->stream = stream;
	s->status = status;
	s->before = __atomic_load_n(s->count, __ATOMIC_SEQ_CST);
}

START_TEST(host_functions)
{
	int count = 0;
	struct seen seen = { .count = &count };
	CUstream s;

	setup();
	OK(cuStreamCreate(&s, 0));
	for (int i = 0; i < 5; i++)
		OK(cuLaunchHostFunc(s, note, &count));
	OK(cuStreamAddCallback(s, call_back, &seen, 0));
	OK(cuStreamSynchronize(s));
	ck_assert_int_eq(count, 5);
	ck_assert_ptr_eq(seen.stream, s);
	ck_assert_int_eq(seen.status, CUDA_SUCCESS);
	ck_assert_int_eq(seen.before, 5);
	BAD(cuLaunchHostFunc(s, NULL, NULL));
	BAD(cuStreamAddCallback(s, call_back, &seen, 1));
}
END_TEST

/* A fault breaks its own context for ever, and no other context. */
START_TEST(faults_are_sticky)
{
	CUdeviceptr p = 0x10, q;
	void *params[] = { &p };
	CUcontext other, c;
	CUmodule m;
	CUfunction f;

	setup();
	OK(cuCtxCreate(&other, 0, 0));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, "bad"));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&q, 4));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(0));
	OK(cuCtxPopCurrent(&c));
	run_saxpy(function("saxpy"), 0, false);		/* the first context lives on */
	OK(cuCtxDestroy(other));
	OK(cuLaunchKernel(function("trapper"), 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
	IS(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
	OK(cuCtxDestroy(ctx));
	setup();
	run_saxpy(function("saxpy"), 0, false);
}
END_TEST

START_TEST(linker)
{
	static const char a[] = ".version 6.3\n.target sm_60\n.address_size 64\n"
		".extern .func (.param .b32 r) twice(.param .b32 x);\n"
		".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
		"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
		"{ .param .b32 x0; .param .b32 r0; st.param.b32 [x0], %r1;\n"
		"call.uni (r0), twice, (x0); ld.param.b32 %r2, [r0]; }\n"
		"st.global.u32 [%rd1], %r2; ret;\n}\n";
	static const char b[] = ".version 6.3\n.target sm_60\n.address_size 64\n"
		".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
		"ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n";
	char log[300] = "";
	CUjit_option o[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *v[] = { log, (void *)sizeof(log) }, *image, *params[1];
	CUlinkState l;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	size_t bytes;
	unsigned int x = 21;

	setup();
	OK(cuLinkCreate(0, NULL, NULL, &l));
	OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)a, sizeof(a), "a", 0, NULL, NULL));
	OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)b, sizeof(b), "b", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &bytes));
	ck_assert_uint_gt(bytes, 0);
	OK(cuModuleLoadData(&m, image));
	OK(cuLinkDestroy(l));
	IS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(l));
	OK(cuModuleGetFunction(&f, m, "k"));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemcpyHtoD(p, &x, 4));
	params[0] = &p;
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(&x, p, 4));
	ck_assert_uint_eq(x, 42);
	/* something stays undefined: the log names it */
	OK(cuLinkCreate(2, o, v, &l));
	OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)a, sizeof(a), "a", 0, NULL, NULL));
	IS(CUDA_ERROR_INVALID_IMAGE, cuLinkComplete(l, &image, &bytes));
	ck_assert_msg(strstr(log, "twice"), "log: %s", log);
	OK(cuLinkDestroy(l));
	OK(cuLinkCreate(0, NULL, NULL, &l));
	IS(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(l, CU_JIT_INPUT_PTX, "/nowhere.ptx", 0, NULL, NULL));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData(l, CU_JIT_INPUT_OBJECT, (void *)a, 4, "a", 0, NULL, NULL));
	OK(cuLinkDestroy(l));
}
END_TEST

/* HW-54: two modules with static and one with dynamic shared memory; the kernel's attribute has both statics. */
START_TEST(test_link_shared)
{
	static const char head[] = ".version 6.3\n.target sm_60\n.address_size 64\n";
	static const char a[] = ".extern .func touch(.param .b32 v);\n.extern .shared .align 4 .b8 dyn[];\n"
		".visible .entry k(.param .u64 p)\n{\n.shared .b32 own;\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
		"ld.param.u64 %rd1, [p]; st.shared.u32 [own], 3; st.shared.u32 [dyn], 4; st.shared.u32 [dyn+28], 5;\n"
		"{ .param .b32 v; st.param.b32 [v], 9; call.uni touch, (v); }\n"
		"ld.shared.u32 %r1, [own]; ld.shared.u32 %r2, [dyn]; ld.shared.u32 %r3, [dyn+28];\n"
		"mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r3; st.global.u32 [%rd1], %r1; ret;\n}\n";
	static const char b[] = ".shared .b32 space[16];\n.visible .func touch(.param .b32 v)\n{\n.reg .b32 %r<2>;\n"
		"ld.param.b32 %r1, [v]; st.shared.u32 [space], %r1; st.shared.u32 [space+60], %r1; ret;\n}\n";
	const char *part[] = { a, b };
	char text[1200];
	void *image, *params[1];
	CUlinkState l;
	CUdeviceptr p;
	CUfunction f;
	size_t bytes;
	unsigned x;
	CUmodule m;
	int value;

	setup();
	OK(cuLinkCreate(0, NULL, NULL, &l));
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s%s", head, part[i ^ (unsigned)_i]);
		OK(cuLinkAddData(l, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "part", 0, NULL, NULL));
	}
	OK(cuLinkComplete(l, &image, &bytes));
	OK(cuModuleLoadData(&m, image));
	OK(cuLinkDestroy(l));
	OK(cuModuleGetFunction(&f, m, "k"));
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
	ck_assert_int_eq(value, 80);	/* 64 and 4, and the dynamic part is at a multiple of 16 */
	OK(cuMemAlloc(&p, 4));
	params[0] = &p;
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 32, 0, params, NULL));
	OK(cuMemcpyDtoH(&x, p, 4));
	ck_assert_uint_eq(x, 345);
	OK(cuMemFree(p));
	OK(cuModuleUnload(m));
}
END_TEST

/* A container like those of nvcc: one entry with machine code and two with PTX. */
struct fat_entry {
	uint16_t kind, attribute;
	uint32_t header_bytes;
	uint64_t bytes;
	uint32_t compressed_bytes, unknown;
	uint16_t minor, major;
	uint32_t arch, name_offset, name_bytes;
	uint64_t flags, zero, plain_bytes;
};

static size_t add_entry(uint8_t *at, uint16_t kind, uint32_t arch, const void *data, size_t len, size_t plain)
{
	struct fat_entry e = { .kind = kind, .header_bytes = sizeof(e), .bytes = (len + 7) & ~7ull, .arch = arch,
			       .compressed_bytes = plain ? (uint32_t)len : 0, .flags = plain ? 0x2000 : 0,
			       .plain_bytes = plain };

	memcpy(at, &e, sizeof(e));
	memset(at + sizeof(e), 0, e.bytes);
	memcpy(at + sizeof(e), data, len);
	return sizeof(e) + e.bytes;
}

/* LZ4 without any match but one: literals, a match of `twice` bytes back 1, the rest as literals. */
static size_t literals(uint8_t *out, const char *in, size_t n)
{
	size_t o = 0, rest = n - 15;

	out[o++] = 0xf0;
	for (; rest >= 255; rest -= 255)
		out[o++] = 255;
	out[o++] = (uint8_t)rest;
	memcpy(out + o, in, n);
	return o + n;
}

START_TEST(fat_binaries)
{
	static uint8_t fat[16384];
	struct {
		uint32_t magic, version;
		const void *data;
		void *more;
	} wrapper = { 0x466243b1, 1, fat, NULL };
	struct {
		uint32_t magic;
		uint16_t version, header_bytes;
		uint64_t bytes;
	} head = { 0xba55ed50, 1, 16, 0 };
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	char log[500] = "";
	void *values[] = { log, (void *)sizeof(log) };
	uint8_t packed[8192];
	CUfunction f;
	CUlibrary l;
	CUmodule m;
	size_t n = 16;

	setup();
	n += add_entry(fat + n, 2, 90, "\177ELF machine code", 17, 0);
	n += add_entry(fat + n, 1, 60, "this is no PTX", 15, 0);
	n += add_entry(fat + n, 1, 75, ptx, sizeof(ptx), 0);
	n += add_entry(fat + n, 1, 90, "nor is this", 12, 0);
	head.bytes = n - 16;
	memcpy(fat, &head, 16);
	OK(cuModuleLoadData(&m, &wrapper));
	OK(cuModuleGetFunction(&f, m, "saxpy"));
	run_saxpy(f, 0, false);
	OK(cuModuleLoadFatBinary(&m, fat));
	OK(cuModuleUnload(m));

	/* Nothing is for this device: what is newer by the least. */
	n = 16 + add_entry(fat + 16, 1, 90, "this is no PTX", 15, 0);
	n += add_entry(fat + n, 1, 80, ptx, sizeof(ptx), 0);
	n += add_entry(fat + n, 1, 86, "nor is this", 12, 0);
	head.bytes = n - 16;
	memcpy(fat, &head, 16);
	OK(cuModuleLoadData(&m, fat));
	OK(cuModuleUnload(m));

	n = 16 + add_entry(fat + 16, 1, 75, packed, literals(packed, ptx, sizeof(ptx)), sizeof(ptx));
	head.bytes = n - 16;
	memcpy(fat, &head, 16);
	OK(cuModuleLoadData(&m, fat));
	OK(cuModuleGetFunction(&f, m, "saxpy"));
	run_saxpy(f, 0, true);
	fat[16 + 64 + 1] ^= 1;		/* a wrong length of the literals */
	IS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, fat));

	n = 16 + add_entry(fat + 16, 2, 75, "\177ELF", 4, 0);
	head.bytes = n - 16;
	memcpy(fat, &head, 16);
	IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&m, fat));

	/* What to do is said, for modules and libraries. */
	IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadDataEx(&m, fat, 2, options, values));
	ck_assert_msg(strstr(log, "code for sm_75,") && strstr(log, "code=compute_75"), "%s", log);
	log[0] = 0;
	IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLibraryLoadData(&l, fat, options, values, 2, NULL, NULL, 0));
	ck_assert_msg(strstr(log, "code=compute_75"), "%s", log);
}
END_TEST

START_TEST(proc_address)
{
	CUdriverProcAddressQueryResult q;
	void *p, *pt;

	OK(cuGetProcAddress("cuMemAlloc", &p, 12000, 0, &q));
	ck_assert_ptr_eq(p, (void *)cuMemAlloc_v2);
	ck_assert_int_eq(q, CU_GET_PROC_ADDRESS_SUCCESS);
	OK(cuGetProcAddress("cuCtxCreate", &p, 11000, 0, &q));
	ck_assert_ptr_eq(p, (void *)cuCtxCreate_v2);
	OK(cuGetProcAddress("cuCtxCreate", &p, 11040, 0, &q));
	ck_assert_ptr_eq(p, (void *)cuCtxCreate_v3);
	OK(cuGetProcAddress("cuCtxCreate", &p, 13000, 0, &q));
	ck_assert_ptr_eq(p, (void *)cuCtxCreate_v4);
	OK(cuGetProcAddress("cuLaunchKernel", &p, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &q));
	ck_assert_ptr_eq(p, (void *)cuLaunchKernel);
	OK(cuGetProcAddress("cuLaunchKernel", &pt, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &q));
	ck_assert_ptr_eq(pt, (void *)cuLaunchKernel_ptsz);
	OK(cuGetProcAddress("cuLaunchKernelEx", &p, 9000, 0, &q));
	ck_assert_ptr_null(p);
	ck_assert_int_eq(q, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	OK(cuGetProcAddress("cuNobodyKnows", &p, 12000, 0, &q));
	ck_assert_ptr_null(p);
	ck_assert_int_eq(q, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	OK(cuGetProcAddress("cuTensorMapEncodeIm2colWide", &p, 12000, 0, &q));	/* exists, but is not supported */
	ck_assert_ptr_nonnull(p);
	IS(CUDA_ERROR_NOT_SUPPORTED, ((CUresult (*)(void))p)());
	BAD(cuGetProcAddress(NULL, &p, 12000, 0, &q));
}
END_TEST

START_TEST(limits_and_configuration)
{
	CUfunc_cache cache;
	CUsharedconfig banks;
	size_t v;

	setup();
	OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	OK(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
	ck_assert_uint_ge(v, 4096);
	IS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&v, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
	BAD(cuCtxGetLimit(&v, CU_LIMIT_MAX));
	OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	OK(cuCtxGetCacheConfig(&cache));
	ck_assert_int_eq(cache, CU_FUNC_CACHE_PREFER_L1);
	OK(cuCtxGetSharedMemConfig(&banks));
	ck_assert_int_eq(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
	OK(cuFuncSetCacheConfig(function("nothing"), CU_FUNC_CACHE_PREFER_SHARED));
	BAD(cuFuncSetCacheConfig(function("nothing"), (CUfunc_cache)9));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(ctx, 0));
}
END_TEST

static void *worker(void *arg)
{
	CUcontext c;
	CUfunction f = arg;

	OK(cuCtxGetCurrent(&c));
	ck_assert_ptr_null(c);		/* each thread has a stack of its own */
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuCtxSetCurrent(ctx));
	for (int i = 0; i < 5; i++)
		run_saxpy(f, i % 2 ? 0 : CU_STREAM_PER_THREAD, i & 2);
	return NULL;
}

START_TEST(two_threads)
{
	pthread_t t[2];
	CUfunction f;

	setup();
	f = function("saxpy");
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, worker, f), 0);
	run_saxpy(f, 0, false);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
END_TEST

/* Every call leaves a line with its arguments and result. */
START_TEST(the_log)
{
	char path[] = "/tmp/ppu-cuda-log-XXXXXX", text[65536];
	int fd = mkstemp(path);
	CUdeviceptr p;
	CUmodule m;
	FILE *f;
	size_t n;

	ck_assert_int_ge(fd, 0);
	setenv("PPU_CUDA_LOG", path, 1);
	setup();
	OK(cuMemAlloc(&p, 4096));
	IS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/nowhere/at/all.ptx"));
	IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&m, ".version 6.3\nnonsense\n"));
	BAD(cuMemAlloc(&p, 0));
	f = fdopen(fd, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	unlink(path);
	ck_assert_msg(strstr(text, "cuInit(flags=0) = CUDA_SUCCESS\n"), "%s", text);
	ck_assert_msg(strstr(text, "bytes=4096) = CUDA_SUCCESS\n"), "%s", text);
	/* why a call failed, and not why an earlier one did */
	ck_assert_msg(strstr(text, "all.ptx\") = CUDA_ERROR_FILE_NOT_FOUND: /nowhere/at/all.ptx: "), "%s", text);
	ck_assert_msg(strstr(text, ") = CUDA_ERROR_INVALID_PTX: module.ptx:2:1: error: "), "%s", text);
	ck_assert_msg(strstr(text, "bytes=0) = CUDA_ERROR_INVALID_VALUE\n"), "%s", text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cuda");
	TCase *c = tcase_create("driver API");

	setenv("PPU_BACKEND", "core", 1);
	setenv("PPU_PROPS", "gpcs=1,sms-per-gpc=2", 1);
	tcase_set_timeout(c, 300);
	tcase_add_test(c, errors_have_names);
	tcase_add_test(c, nothing_before_init);
	tcase_add_test(c, devices);
	tcase_add_test(c, context_stack);
	tcase_add_test(c, primary_context);
	tcase_add_test(c, memory);
	tcase_add_test(c, pointer_attributes);
	tcase_add_test(c, copies);
	tcase_add_test(c, fills);
	tcase_add_test(c, boxes_and_arrays);
	tcase_add_test(c, modules);
	tcase_add_test(c, jit_options);
	tcase_add_test(c, launches);
	tcase_add_test(c, dynamic_shared_memory);
	tcase_add_test(c, missing);
	tcase_add_test(c, occupancy);
	tcase_add_test(c, streams);
	tcase_add_test(c, events);
	tcase_add_test(c, host_functions);
	tcase_add_test(c, faults_are_sticky);
	tcase_add_test(c, linker);
	tcase_add_loop_test(c, test_link_shared, 0, 2);
	tcase_add_test(c, fat_binaries);
	tcase_add_test(c, proc_address);
	tcase_add_test(c, limits_and_configuration);
	tcase_add_test(c, two_threads);
	tcase_add_test(c, the_log);
	suite_add_tcase(suite, c);
	return run_suite(suite);
}
