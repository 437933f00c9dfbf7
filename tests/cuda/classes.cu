// SPDX-License-Identifier: MIT
// C++ on the device: classes with virtual functions, operators, templates, function pointers, new and delete,
// recursion, lambdas inside kernels, functions for both sides; and the C++ library on the host.
#include <cuda_runtime.h>
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>
#include "test.h"

struct shape {
	__device__ virtual ~shape() {}
	__device__ virtual int area() const = 0;
};
struct square : shape {
	int a;
	__device__ square(int v) : a(v) {}
	__device__ int area() const override { return a * a; }
};
struct rectangle : square {
	int b;
	__device__ rectangle(int v, int w) : square(v), b(w) {}
	__device__ int area() const override { return a * b; }
};

struct vec {
	float x, y;
	__host__ __device__ vec operator+(const vec &o) const { return { x + o.x, y + o.y }; }
	__host__ __device__ float dot(const vec &o) const { return x * o.x + y * o.y; }
};

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int twice(int v) { return 2 * v; }
__device__ int square_of(int v) { return v * v; }
typedef int (*function)(int);
__device__ function functions[] = { twice, square_of };

template <class F> __device__ int apply(F f, int v) { return f(v); }

__global__ void all(int *out, vec *v)
{
	int i = threadIdx.x;
	shape *s = i % 2 ? (shape *)new rectangle(i, 3) : (shape *)new square(i);

	out[i] = s->area();
	delete s;
	out[32 + i] = functions[i % 2](i);
	out[64 + i] = fib(i % 8);
	out[96 + i] = apply([=](int w) { return w + i; }, 100);
	v[i] = v[i] + vec{ 1, 2 };
}

template <class T, int n> struct fixed {
	T v[n];
	__host__ __device__ T total() const
	{
		T s = 0;

		for (int i = 0; i < n; i++)
			s += v[i];
		return s;
	}
};

/* a struct as a parameter of a kernel */
__global__ void totals(fixed<int, 10> f, long long *out)
{
	*out = f.total();
}

/* A class without objects of its own, whose table has a function that is not there; and NaNs by name. */
struct solid {
	__device__ virtual int corners() const = 0;
	__device__ virtual ~solid() {}
};
struct cube : solid {
	__device__ int corners() const override { return 8; }
};
struct ball : solid {
	__device__ int corners() const override { return 0; }
};

__global__ void virtually(int *out, double *nans, int n)
{
	cube s;
	ball d;
	const solid *any = n > 1 ? (const solid *)&s : &d;

	out[0] = any->corners();
	nans[0] = nan("1");
	nans[1] = nanf("");
}

static void pure()
{
	double *nans, n[2];
	int *out, corners;

	OK(cudaMalloc(&out, sizeof(int)));
	OK(cudaMalloc(&nans, sizeof(n)));
	virtually<<<1, 1>>>(out, nans, 2);
	OK(cudaMemcpy(&corners, out, sizeof(int), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(n, nans, sizeof(n), cudaMemcpyDeviceToHost));
	CHECK(corners == 8 && n[0] != n[0] && n[1] != n[1]);
	virtually<<<1, 1>>>(out, nans, 1);
	OK(cudaMemcpy(&corners, out, sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(corners == 0);
}

int main()
{
	std::vector<int> got(128);
	std::vector<vec> v(32);
	auto f = std::make_unique<fixed<int, 10>>();
	static const int fibs[] = { 0, 1, 1, 2, 3, 5, 8, 13 };
	long long *total, t;
	int *out;
	vec *dv;

	for (int i = 0; i < 32; i++)
		v[i] = { (float)i, (float)-i };
	OK(cudaMalloc(&out, 128 * sizeof(int)));
	OK(cudaMalloc(&dv, 32 * sizeof(vec)));
	OK(cudaMalloc(&total, sizeof(t)));
	OK(cudaMemcpy(dv, v.data(), 32 * sizeof(vec), cudaMemcpyHostToDevice));
	all<<<1, 32>>>(out, dv);
	OK(cudaMemcpy(got.data(), out, 128 * sizeof(int), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(v.data(), dv, 32 * sizeof(vec), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++) {
		CHECK(got[i] == (i % 2 ? 3 * i : i * i));
		CHECK(got[32 + i] == (i % 2 ? i * i : 2 * i));
		CHECK(got[64 + i] == fibs[i % 8]);
		CHECK(got[96 + i] == 100 + i);
		CHECK(v[i].x == i + 1 && v[i].y == 2 - i && v[i].dot({ 1, 1 }) == 3);
	}
	std::iota(f->v, f->v + 10, 1);
	totals<<<1, 1>>>(*f, total);
	OK(cudaMemcpy(&t, total, sizeof(t), cudaMemcpyDeviceToHost));
	CHECK(t == 55 && t == f->total());
	pure();
	return 0;
}
