// SPDX-License-Identifier: MIT
// What variables_test.py looks at: variables of each kind, in a kernel and in a function that it calls.
#include <cstdio>

enum Colour { RED, GREEN = 5 };
struct Point {
	int x;
	float y[3];
	Point *next;
};
typedef unsigned long Count;
struct Flags {
	unsigned low : 3;
	int middle : 7;
	bool on : 1;
	Colour colour : 4;
	unsigned long wide : 40;
	unsigned char last : 5;
};

__device__ int total = 11;

__device__ __noinline__ int inner(const Point *p, int k)
{
	int doubled = 2 * k;
	return doubled + p->x;
}

__global__ void outer(int *out, int n, Point given)
{
	__shared__ int sums[4];
	int grid[2][3];
	Point here;
	Colour colour = GREEN;
	Count many = 7;
	bool yes = n > 1;
	char letter = 'q';
	double half = n / 2.0;
	short small = -3;
	Flags flags = {5, -40, true, GREEN, 0x9876543210, 17};
	int t = threadIdx.x;

	here.x = n + t;
	here.y[0] = 1;
	here.y[1] = 2.5f;
	here.y[2] = given.y[2];
	here.next = &here;
	sums[t] = 10 * t;
	for (int i = 0; i < 6; i++)
		grid[i / 3][i % 3] = i;
	for (int n = 100; n < 101; n++)
		out[t] = n;		// line of the inner n
	__syncthreads();
	out[t] = inner(&here, grid[1][2]) + sums[t] + small;
	out[t] += (int)colour + (int)many + yes + letter + (int)half + total + flags.low;	// the last line
}

int main()
{
	Point given = {3, {4, 5, 6.5f}, nullptr};
	int host[4], *dev;

	cudaMalloc(&dev, sizeof(host));
	outer<<<1, 4>>>(dev, 3, given);
	cudaMemcpy(host, dev, sizeof(host), cudaMemcpyDeviceToHost);
	printf("%d %d\n", host[0], host[3]);
	return 0;
}
