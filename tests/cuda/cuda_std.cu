/* SPDX-License-Identifier: MIT */
/* cuda::std: types, limits, tuples, functions and arrays in kernels. */
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/initializer_list>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include "test.h"

namespace cs = cuda::std;

static_assert(cs::is_same<cs::remove_reference<int &>::type, int>::value, "types");
static_assert(cs::ratio<2, 4>::den == 2, "ratios");
static_assert(cs::numeric_limits<cs::uint8_t>::max() == 255, "limits");

template <class T, class F> __host__ __device__ T fold(cs::initializer_list<T> list, F f, T v)
{
	for (const T &x : list)
		v = f(v, x);
	return v;
}

__host__ __device__ int all(int *out)
{
	cs::array<int, 4> a = { { 1, 2, 3, 4 } }, b;
	cs::tuple<int, float, char> t(7, 2.5f, 'x');
	cs::pair<int, double> p = cs::make_pair(3, 0.25);
	int x = 5, y = 6, i = 0;

	cs::swap(x, y);
	out[i++] = x * 10 + y;						/* 65 */
	out[i++] = cs::exchange(x, 9) + x;				/* 15 */
	b = a;
	b.fill(8);
	b[1] = cs::get<2>(a);
	a.swap(b);
	out[i++] = a[0] * 1000 + a[1] * 100 + b.front() * 10 + b.back();	/* 8314 */
	for (int v : b)
		out[i] += v;						/* 10 */
	i++;
	out[i++] = (a == b) + 2 * (a != b) + 4 * (b < a) + 8 * (int)a.size();	/* 38 */
	out[i++] = cs::get<0>(t) + (int)(cs::get<1>(t) * 4) + (cs::get<2>(t) == 'x');	/* 18 */
	cs::get<0>(t) = 70;
	out[i++] = cs::get<0>(t) + p.first + (int)(p.second * 8);	/* 75 */
	out[i++] = fold<int>({ 1, 2, 3 }, cs::plus<int>(), 100);	/* 106 */
	out[i++] = fold<int>({ 1, 5, 3 }, [](int m, int v) { return cs::less<int>()(m, v) ? v : m; }, 0);	/* 5 */
	out[i++] = cs::numeric_limits<float>::max() == FLT_MAX && cs::numeric_limits<int>::min() == INT_MIN;	/* 1 */
	out[i++] = (int)cs::sqrt(81.0f);				/* 9 */
	return i;
}

__global__ void kernel(int *out)
{
	out[31] = all(out);
}

int main()
{
	int *out, here[32] = { 0 };

	OK(cudaMallocManaged(&out, sizeof(here)));
	memset(out, 0, sizeof(here));
	kernel<<<1, 1>>>(out);
	OK(cudaDeviceSynchronize());
	here[31] = all(here);
	CHECK(!memcmp(here, out, sizeof(here)));
	CHECK(out[31] == 11 && out[0] == 65 && out[1] == 15 && out[2] == 8314 && out[3] == 10 && out[4] == 38 && out[5] == 18);
	CHECK(out[6] == 75 && out[7] == 106 && out[8] == 5 && out[9] == 1 && out[10] == 9);
	return 0;
}
