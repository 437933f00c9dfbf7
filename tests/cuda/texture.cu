// SPDX-License-Identifier: MIT
// Textures over arrays, pitched and linear memory: modes of address, filters, normalized reads; surfaces; 3D arrays.
#include <cuda_runtime.h>
#include "test.h"

__global__ void at(cudaTextureObject_t t, const float2 *where, float *out, int n)
{
	int i = threadIdx.x;

	if (i < n)
		out[i] = tex2D<float>(t, where[i].x, where[i].y);
}

__global__ void linear(cudaTextureObject_t t, float4 *out)
{
	uchar4 c = tex1Dfetch<uchar4>(t, threadIdx.x);

	out[threadIdx.x] = make_float4(c.x, c.y, c.z, c.w);
}

__global__ void normalized(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }

__global__ void volume(cudaTextureObject_t t, int *out, int w, int h)
{
	int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;

	out[(z * h + y) * w + x] = tex3D<int>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

/* Turns a picture by a quarter. */
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n)
{
	float4 v;

	surf2Dread(&v, from, (int)threadIdx.x * (int)sizeof(v), blockIdx.x);
	v.w += 1;
	surf2Dwrite(v, to, (n - 1 - (int)blockIdx.x) * (int)sizeof(v), threadIdx.x);
}

static cudaTextureDesc describe(cudaTextureAddressMode mode, cudaTextureFilterMode filter, cudaTextureReadMode read,
				int coords)
{
	cudaTextureDesc d = {};

	d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
	d.filterMode = filter;
	d.readMode = read;
	d.normalizedCoords = coords;
	return d;
}

static void arrays()
{
	const int w = 8, h = 4, n = 6;
	float data[h][w], got[n];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), f;
	cudaTextureDesc d = describe(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0), back;
	cudaResourceDesc r = {}, rback;
	cudaTextureObject_t t;
	cudaExtent extent;
	unsigned int flags;
	float2 where[n] = { { 0.5f, 0.5f }, { 3.5f, 2.5f }, { -5, 1.5f }, { 100, 100 }, { 1.0f, 0.5f }, { 2.5f, 1.0f } }, *dw;
	float *out;

	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			data[y][x] = (float)(10 * y + x);
	r.resType = cudaResourceTypeArray;
	OK(cudaMallocArray(&r.res.array.array, &format, w, h));
	OK(cudaArrayGetInfo(&f, &extent, &flags, r.res.array.array));
	CHECK(f.x == 32 && !f.y && f.f == cudaChannelFormatKindFloat && extent.width == w && extent.height == h && !flags);
	OK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, data, sizeof(data[0]), sizeof(data[0]), h,
			       cudaMemcpyHostToDevice));
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	OK(cudaGetTextureObjectTextureDesc(&back, t));
	CHECK(back.addressMode[0] == cudaAddressModeClamp && back.filterMode == cudaFilterModePoint);
	OK(cudaGetTextureObjectResourceDesc(&rback, t));
	CHECK(rback.resType == cudaResourceTypeArray && rback.res.array.array == r.res.array.array);
	OK(cudaMalloc(&dw, sizeof(where)));
	OK(cudaMalloc(&out, sizeof(got)));
	OK(cudaMemcpy(dw, where, sizeof(where), cudaMemcpyHostToDevice));
	at<<<1, 32>>>(t, dw, out, n);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	CHECK(got[0] == 0 && got[1] == 23 && got[2] == 10 && got[3] == 37);
	OK(cudaDestroyTextureObject(t));
	d = describe(cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, 0);
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	at<<<1, 32>>>(t, dw, out, n);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	CHECK(got[0] == 0 && got[1] == 23 && got[4] == 0.5f && got[5] == 7.0f);
	OK(cudaDestroyTextureObject(t));
	d = describe(cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, 1);
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	where[0] = make_float2(1.0f + 3.5f / w, 0.5f / h);
	OK(cudaMemcpy(dw, where, sizeof(where), cudaMemcpyHostToDevice));
	at<<<1, 32>>>(t, dw, out, 1);
	OK(cudaMemcpy(got, out, sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(got[0] == 3);
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(r.res.array.array));
}

static void linear_memory()
{
	unsigned char bytes[64];
	cudaTextureDesc d = describe(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
	cudaResourceDesc r = {};
	cudaTextureObject_t t;
	float4 got[16], *out;
	float *flat = (float *)got;

	for (int i = 0; i < 64; i++)
		bytes[i] = (unsigned char)(i * 3);
	r.resType = cudaResourceTypeLinear;
	r.res.linear.sizeInBytes = sizeof(bytes);
	r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
	OK(cudaMalloc(&r.res.linear.devPtr, sizeof(bytes)));
	OK(cudaMalloc(&out, sizeof(got)));
	OK(cudaMemcpy(r.res.linear.devPtr, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	linear<<<1, 16>>>(t, out);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++)
		CHECK(got[i].x == bytes[4 * i] && got[i].y == bytes[4 * i + 1] && got[i].w == bytes[4 * i + 3]);
	OK(cudaDestroyTextureObject(t));
	r.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
	d.readMode = cudaReadModeNormalizedFloat;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	normalized<<<1, 64>>>(t, (float *)out);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		CHECK(flat[i] == (float)bytes[i] / 255.0f);
	OK(cudaDestroyTextureObject(t));
	/* descriptions whose parts do not fit together */
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidNormSetting);
	d = describe(cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, 0);
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidFilterSetting);
	r.res.linear.desc = cudaCreateChannelDesc(32, 32, 8, 0, cudaChannelFormatKindSigned);
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidChannelDescriptor);
	cudaGetLastError();
}

static void volumes()
{
	const int w = 5, h = 3, n = 4;
	int data[n][h][w], got[n][h][w], *out;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
	cudaTextureDesc d = describe(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
	cudaMemcpy3DParms copy = {};
	cudaResourceDesc r = {};
	cudaTextureObject_t t;

	for (int i = 0; i < n * h * w; i++)
		data[0][0][i] = i * i - 50;
	r.resType = cudaResourceTypeArray;
	OK(cudaMalloc3DArray(&r.res.array.array, &format, make_cudaExtent(w, h, n)));
	copy.srcPtr = make_cudaPitchedPtr(data, w * sizeof(int), w, h);
	copy.dstArray = r.res.array.array;
	copy.extent = make_cudaExtent(w, h, n);
	copy.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&copy));
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	OK(cudaMalloc(&out, sizeof(got)));
	volume<<<n, dim3(w, h)>>>(t, out, w, h);
	OK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n * h * w; i++)
		CHECK(got[0][0][i] == data[0][0][i]);
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(r.res.array.array));
}

static void surfaces()
{
	const int n = 8;
	float4 data[n][n], got[n][n];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
	cudaResourceDesc a = {}, b = {};
	cudaSurfaceObject_t sa, sb;

	for (int i = 0; i < n * n; i++)
		data[0][i] = make_float4((float)i, 2, 3, 4);
	a.resType = b.resType = cudaResourceTypeArray;
	OK(cudaMallocArray(&a.res.array.array, &format, n, n, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&b.res.array.array, &format, n, n, cudaArraySurfaceLoadStore));
	OK(cudaMemcpyToArray(a.res.array.array, 0, 0, data, sizeof(data), cudaMemcpyHostToDevice));
	OK(cudaCreateSurfaceObject(&sa, &a));
	OK(cudaCreateSurfaceObject(&sb, &b));
	turn<<<n, n>>>(sa, sb, n);
	OK(cudaMemcpyFromArray(got, b.res.array.array, 0, 0, sizeof(got), cudaMemcpyDeviceToHost));
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			CHECK(got[x][n - 1 - y].x == data[y][x].x && got[x][n - 1 - y].w == 5);
	OK(cudaDestroySurfaceObject(sa));
	OK(cudaDestroySurfaceObject(sb));
}

int main()
{
	arrays();
	linear_memory();
	volumes();
	surfaces();
	return 0;
}
