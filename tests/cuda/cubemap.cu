// SPDX-License-Identifier: MIT
// Cube maps, alone and in layers, gathers, and the curve of sRGB.
#include <cuda_runtime.h>
#include <cmath>
#include <vector>
#include "test.h"

enum { N = 4, CUBES = 3 };

__global__ void look(cudaTextureObject_t t, const float3 *way, float *out, int cube)
{
	float3 w = way[threadIdx.x];

	out[threadIdx.x] = cube < 0 ? texCubemap<float>(t, w.x, w.y, w.z) : texCubemapLayered<float>(t, w.x, w.y, w.z, cube);
}

__global__ void around(cudaTextureObject_t t, float x, float y, float4 *out)
{
	out[0] = tex2Dgather<float4>(t, x, y);
	out[1] = tex2Dgather<float4>(t, x, y, 1);
	out[2] = tex2Dgather<float4>(t, x, y, 3);
}

__global__ void colours(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f); }

static cudaArray_t array_of(const cudaChannelFormatDesc &f, const void *data, size_t element, cudaExtent e, unsigned flags)
{
	cudaMemcpy3DParms p = {};

	OK(cudaMalloc3DArray(&p.dstArray, &f, e, flags));
	p.srcPtr = make_cudaPitchedPtr((void *)data, e.width * element, e.width, e.height);
	p.extent = make_cudaExtent(e.width, e.height, e.depth ? e.depth : 1);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	return p.dstArray;
}

static cudaTextureObject_t texture_of(cudaArray_t a, cudaTextureReadMode read, bool linear, bool srgb)
{
	cudaTextureObject_t t;
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};

	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	for (int i = 0; i < 3; i++)
		d.addressMode[i] = cudaAddressModeWrap;
	d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	d.readMode = read;
	d.sRGB = srgb;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	return t;
}

static void cubes(int cube)
{
	// a direction to each face, a little off its middle, and the texel that it meets: column, row
	static const float3 ways[6] = { { 1, 0.1f, 0.2f }, { -1, 0.1f, 0.2f }, { 0.1f, 1, 0.2f }, { 0.1f, -1, 0.2f },
					{ 0.1f, 0.2f, 1 }, { 0.1f, 0.2f, -1 } };
	static const int column[6] = { 1, 2, 2, 2, 2, 1 }, row[6] = { 1, 1, 2, 1, 1, 1 };
	int layers = cube < 0 ? 1 : CUBES;
	std::vector<float> data(layers * 6 * N * N);
	cudaTextureObject_t t;
	float3 *way;
	float *out;

	for (size_t i = 0; i < data.size(); i++)
		data[i] = (float)i;
	cudaArray_t a = array_of(cudaCreateChannelDesc<float>(), data.data(), 4, make_cudaExtent(N, N, layers * 6),
				 cudaArrayCubemap | (cube < 0 ? 0 : cudaArrayLayered));
	t = texture_of(a, cudaReadModeElementType, false, false);
	OK(cudaMallocManaged(&way, sizeof(ways)));
	OK(cudaMallocManaged(&out, 6 * sizeof(*out)));
	memcpy(way, ways, sizeof(ways));
	look<<<1, 6>>>(t, way, out, cube);
	OK(cudaDeviceSynchronize());
	for (int f = 0; f < 6; f++)
		CHECK(out[f] == (float)((((cube < 0 ? 0 : cube) * 6 + f) * N + row[f]) * N + column[f]));
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(a));
	OK(cudaFree(way));
	OK(cudaFree(out));
}

static void gathers()
{
	float4 data[3][5], *out;
	cudaTextureObject_t t;

	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++)
			data[y][x] = make_float4(10 * y + x, 100 + 10 * y + x, 200, 300 + 10 * y + x);
	cudaArray_t a = array_of(cudaCreateChannelDesc<float4>(), data, sizeof(float4), make_cudaExtent(5, 3, 0), cudaArrayTextureGather);
	t = texture_of(a, cudaReadModeElementType, false, false);
	OK(cudaMallocManaged(&out, 3 * sizeof(*out)));
	around<<<1, 1>>>(t, 2.0f, 1.0f, out);	// between columns 1 and 2, rows 0 and 1
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++) {
		float base = i == 2 ? 300 : 100 * i;

		CHECK(out[i].x == base + 11 && out[i].y == base + 12 && out[i].z == base + 2 && out[i].w == base + 1);
	}
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(a));
	OK(cudaFree(out));
}

static void srgb()
{
	uchar4 data[1][4] = { { { 0, 10, 11, 128 }, { 255, 128, 64, 255 }, { 1, 2, 3, 4 }, { 200, 201, 202, 0 } } };
	const unsigned char *byte = &data[0][0].x;
	cudaTextureObject_t t;
	float4 *out;

	cudaArray_t a = array_of(cudaCreateChannelDesc<uchar4>(), data, 4, make_cudaExtent(4, 1, 0), 0);
	t = texture_of(a, cudaReadModeNormalizedFloat, false, true);
	OK(cudaMallocManaged(&out, 4 * sizeof(*out)));
	colours<<<1, 4>>>(t, out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 16; i++) {
		double c = byte[i] / 255.0, want = i % 4 == 3 ? c : c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);

		CHECK(fabs((&out[i / 4].x)[i % 4] - want) < 1e-6);
	}
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(a));
	OK(cudaFree(out));
}

// What is no cube and no place for gathers, and a filter across edges, which there is none of.
static void refused()
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaTextureObject_t t;
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaArray_t a;

	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap) == cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap) == cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 12), cudaArrayCubemap) == cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 9), cudaArrayCubemap | cudaArrayLayered) == cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 0, 0), cudaArrayTextureGather) == cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 4), cudaArrayTextureGather) == cudaErrorInvalidValue);
	cudaGetLastError();
	r.resType = cudaResourceTypeArray;
	OK(cudaMalloc3DArray(&r.res.array.array, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
	d.seamlessCubemap = 1;
	d.normalizedCoords = 1;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));	// without a filter there is nothing to see
	OK(cudaDestroyTextureObject(t));
	d.filterMode = cudaFilterModeLinear;
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorNotSupported);
	OK(cudaFreeArray(r.res.array.array));
}

int main()
{
	cudaDeviceProp p;
	int gather;

	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.maxTextureCubemap >= 16384 && p.maxTextureCubemapLayered[1] >= 2048 && p.maxTexture2DGather[0] >= 16384);
	OK(cudaDeviceGetAttribute(&gather, (cudaDeviceAttr)44, 0));	// CAN_TEX2D_GATHER
	CHECK(gather == 1);
	cubes(-1);
	for (int c = 0; c < CUBES; c++)
		cubes(c);
	gathers();
	srgb();
	refused();
	puts("cubemap: ok");
	return 0;
}
