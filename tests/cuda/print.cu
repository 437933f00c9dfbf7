// SPDX-License-Identifier: MIT
// printf from kernels: tests/unit/cuda/cudart_programs.sh compares the output.
#include <cuda_runtime.h>
#include "test.h"

__global__ void hello(double d)
{
	if (threadIdx.x == 3)
		printf("block %d: %s %5.2f %c %llx %u%%\n", blockIdx.x, "text", d, 'x', 0x123456789abcdefull, 42u);
}

int main()
{
	hello<<<1, 32>>>(3.14159);
	OK(cudaDeviceSynchronize());
	hello<<<1, 32>>>(-1.0);
	OK(cudaDeviceSynchronize());
	return 0;
}
