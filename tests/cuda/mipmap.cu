// SPDX-License-Identifier: MIT
// Mipmapped arrays: levels, fetches by level and by gradient, bias and limits.
#include <cuda_runtime.h>
#include <vector>
#include "test.h"

enum { W = 16, H = 8, LEVELS = 5 };

__global__ void fetch(cudaTextureObject_t t, float lod, float *out)
{
	float step = 4.0f / W;		// four texels of the first level

	out[0] = tex2DLod<float>(t, 0.5f, 0.5f, lod);
	out[1] = tex2D<float>(t, 0.5f, 0.5f);
	out[2] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(step, 0), make_float2(0, 0.01f));
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t m, const cudaTextureDesc &d)
{
	cudaTextureObject_t t;
	cudaResourceDesc r = {}, back;

	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	OK(cudaGetTextureObjectResourceDesc(&back, t));
	CHECK(back.resType == r.resType && back.res.mipmap.mipmap == m);
	return t;
}

// Level l is all 10 * l.
static cudaMipmappedArray_t levels()
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t m;
	cudaArray_t a;

	OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(W, H, 0), 99));
	for (int l = 0; l < LEVELS; l++) {
		cudaExtent e;

		OK(cudaGetMipmappedArrayLevel(&a, m, l));
		OK(cudaArrayGetInfo(nullptr, &e, nullptr, a));
		CHECK(e.width == (size_t)W >> l && e.height == (size_t)(H >> l ? H >> l : 1) && e.depth == 0);
		std::vector<float> data(e.width * e.height, 10.0f * l);
		OK(cudaMemcpy2DToArray(a, 0, 0, data.data(), e.width * 4, e.width * 4, e.height, cudaMemcpyHostToDevice));
		CHECK(cudaFreeArray(a) != cudaSuccess);		// it belongs to the whole
	}
	CHECK(cudaGetMipmappedArrayLevel(&a, m, LEVELS) == cudaErrorInvalidValue);
	cudaGetLastError();
	return m;
}

static void see(cudaMipmappedArray_t m, const cudaTextureDesc &d, float lod, float want, float gradient, float *out)
{
	cudaTextureObject_t t = texture_of(m, d);

	fetch<<<1, 1>>>(t, lod, out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == want && out[1] == 0 && out[2] == gradient);
	OK(cudaDestroyTextureObject(t));
}

int main()
{
	cudaMipmappedArray_t m = levels();
	cudaTextureObject_t t;
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaArray_t a;
	float *out;

	OK(cudaMallocManaged(&out, 3 * sizeof(*out)));
	d.normalizedCoords = 1;
	d.filterMode = cudaFilterModeLinear;
	see(m, d, 2, 0, 0, out);		// limits of 0: the first level only
	d.maxMipmapLevelClamp = 100;
	see(m, d, 1.25f, 10, 20, out);
	see(m, d, 1.5f, 20, 20, out);
	see(m, d, 99, 40, 20, out);
	d.mipmapFilterMode = cudaFilterModeLinear;
	see(m, d, 1.25f, 12.5f, 20, out);
	d.mipmapLevelBias = 0.5f;
	see(m, d, 1.25f, 17.5f, 25, out);
	d.minMipmapLevelClamp = 2;
	d.maxMipmapLevelClamp = 2.25f;
	see(m, d, 0, 20, 22.5f, out);
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	d.normalizedCoords = 0;
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidValue);
	OK(cudaGetMipmappedArrayLevel(&a, m, 1));
	OK(cudaFreeMipmappedArray(m));
	CHECK(cudaArrayGetInfo(nullptr, nullptr, nullptr, a) != cudaSuccess);
	CHECK(cudaFreeMipmappedArray(m) != cudaSuccess);
	cudaGetLastError();
	OK(cudaFree(out));
	puts("mipmap: ok");
	return 0;
}
