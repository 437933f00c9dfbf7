/* SPDX-License-Identifier: MIT */
/* Kernels: launches, attributes, occupancy. */
#include <stdlib.h>
#include "cudart.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- <<<>>> --------------------------------------------------------------------------------- */

/* The values between <<< and >>>, which are kept here until the kernel's stub takes them. */
struct config {
	dim3 grid, block;
	size_t shared;
	void *stream;
};
#define MAX_CONFIGS 64		/* a launch among the arguments of a launch, and so on */
static __thread struct config configs[MAX_CONFIGS];
static __thread unsigned int num_configs;

EXPORT unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
	if (num_configs == MAX_CONFIGS) {
		crt_finish(cudaErrorLaunchOutOfResources);
		return 1;	/* the program then does not call the stub */
	}
	configs[num_configs++] = (struct config){ grid, block, shared, stream };
	return 0;
}

/* clang's stubs always call cudaLaunchKernel, never its per-thread variant, so the stream is replaced here. */
EXPORT unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared, void *stream)
{
	return __cudaPushCallConfiguration(grid, block, shared, stream ? stream : cudaStreamPerThread);
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	const struct config *c;

	if (!num_configs)
		return crt_finish(cudaErrorMissingConfiguration);
	c = &configs[--num_configs];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(void **)stream = c->stream;
	return cudaSuccess;
}

/* ---- launches ------------------------------------------------------------------------------- */

static int device_attribute(CUdevice_attribute what)
{
	CUdevice dev;
	int v = 0;

	if (!cuCtxGetDevice(&dev))
		cuDeviceGetAttribute(&v, what, dev);
	return v;
}

/* Can the current device run such a grid at all? */
static cudaError_t check_shape(dim3 grid, dim3 block, CUfunction f)
{
	const unsigned int size[6] = { block.x, block.y, block.z, grid.x, grid.y, grid.z };
	unsigned long long threads = 1ull * block.x * block.y;
	int limit;

	for (unsigned int i = 0; i < 6; i++)
		if (!size[i] || size[i] > (unsigned int)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i))
			return cudaErrorInvalidConfiguration;
	threads *= block.z;
	if (threads > (unsigned int)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
		return cudaErrorInvalidConfiguration;
	/* The limit that this kernel's registers and launch bounds allow. */
	if (!cuFuncGetAttribute(&limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f) && threads > (unsigned int)limit)
		return cudaErrorLaunchOutOfResources;
	return cudaSuccess;
}

static cudaError_t prepare(const void *host, dim3 grid, dim3 block, size_t shared, CUfunction *f)
{
	cudaError_t e = crt_function(host, f);

	if (e)
		return e;
	if (shared > UINT32_MAX)
		return cudaErrorInvalidValue;
	return check_shape(grid, block, *f);
}

cudaError_t i_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
			       cudaStream_t stream)
{
	CUfunction f;
	cudaError_t e = prepare(function, grid, block, shared, &f);

	return e ? e : crt_error(cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
					       (unsigned int)shared, crt_stream(stream), args, NULL));
}

cudaError_t i_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
					  cudaStream_t stream)
{
	CUfunction f;
	cudaError_t e = prepare(function, grid, block, shared, &f);

	return e ? e : CRT_CALL(cuLaunchCooperativeKernel, f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
				(unsigned int)shared, crt_stream(stream), args);
}

/* The attributes have the Driver API's layout and numbers. */
static CUlaunchConfig driver_config(const cudaLaunchConfig_t *config)
{
	return (CUlaunchConfig){
		.gridDimX = config->gridDim.x, .gridDimY = config->gridDim.y, .gridDimZ = config->gridDim.z,
		.blockDimX = config->blockDim.x, .blockDimY = config->blockDim.y, .blockDimZ = config->blockDim.z,
		.sharedMemBytes = (unsigned int)config->dynamicSmemBytes, .hStream = crt_stream(config->stream),
		.attrs = (CUlaunchAttribute *)config->attrs, .numAttrs = config->numAttrs,
	};
}

cudaError_t i_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
	bool cooperative = false, clusters = false;
	CUlaunchConfig c;
	CUfunction f;
	cudaError_t e;

	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		cooperative |= config->attrs[i].id == cudaLaunchAttributeCooperative && config->attrs[i].val.cooperative;
		clusters |= config->attrs[i].id == cudaLaunchAttributeClusterDimension;
	}
	if (cooperative && !clusters)
		return i_cudaLaunchCooperativeKernel(function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
						     config->stream);
	e = prepare(function, config->gridDim, config->blockDim, config->dynamicSmemBytes, &f);
	if (e)
		return e;
	c = driver_config(config);
	return crt_error(cuLaunchKernelEx(&c, f, args, NULL));
}

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
				      cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
					   cudaStream_t stream)
{
	return cudaLaunchKernel_ptsz(kernel, grid, block, args, shared, stream);
}

cudaError_t i_cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	struct CUkern_st *k = crt_kernel(function);

	if (!kernel)
		return cudaErrorInvalidValue;
	if (!k)
		return cudaErrorInvalidDeviceFunction;
	*kernel = k;
	return cudaSuccess;
}

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	return cudaGetKernel(kernel, host);
}

cudaError_t i_cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
	return function ? crt_function(symbol, function) : cudaErrorInvalidValue;
}

/* These two functions were for old devices without doubles: nothing to do. */
cudaError_t i_cudaSetDoubleForDevice(double *value)
{
	return value ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t i_cudaSetDoubleForHost(double *value)
{
	return value ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- attributes ----------------------------------------------------------------------------- */

static cudaError_t attribute(CUfunction f, CUfunction_attribute what, int *value)
{
	return crt_error(cuFuncGetAttribute(value, what, f));
}

/* CUDA 11's struct is shorter: only so many bytes of the caller's memory are written (versioned.c). */
size_t crt_func_attributes_bytes(void);

cudaError_t i_cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
	struct cudaFuncAttributes a = { 0 };
	int v[CU_FUNC_ATTRIBUTE_MAX];
	CUfunction f;
	cudaError_t e;

	if (!attributes)
		return cudaErrorInvalidValue;
	e = crt_function(function, &f);
	for (int i = 0; !e && i < CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1; i++)
		e = attribute(f, (CUfunction_attribute)i, &v[i]);
	if (e)
		return e;
	a.maxThreadsPerBlock = v[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
	a.sharedSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES];
	a.constSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES];
	a.localSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES];
	a.numRegs = v[CU_FUNC_ATTRIBUTE_NUM_REGS];
	a.ptxVersion = v[CU_FUNC_ATTRIBUTE_PTX_VERSION];
	a.binaryVersion = v[CU_FUNC_ATTRIBUTE_BINARY_VERSION];
	a.cacheModeCA = v[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA];
	a.maxDynamicSharedSizeBytes = v[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];
	a.preferredShmemCarveout = v[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &v[0]))
		a.clusterDimMustBeSet = v[0];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &v[0]))
		a.requiredClusterWidth = v[0];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &v[0]))
		a.requiredClusterHeight = v[0];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &v[0]))
		a.requiredClusterDepth = v[0];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &v[0]))
		a.nonPortableClusterSizeAllowed = v[0];
	if (!attribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &v[0]))
		a.clusterSchedulingPolicyPreference = v[0];
	__builtin_memcpy(attributes, &a, crt_func_attributes_bytes());
	return cudaSuccess;
}

cudaError_t i_cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute what, int value)
{
	CUfunction f;
	cudaError_t e = crt_function(function, &f);

	if (e)
		return e;
	return crt_error(cuFuncSetAttribute(f, (CUfunction_attribute)what, value));
}

cudaError_t i_cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
	CUfunction f;
	cudaError_t e = crt_function(function, &f);

	return e ? e : crt_error(cuFuncSetCacheConfig(f, (CUfunc_cache)config));
}

cudaError_t i_cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
	CUfunction f;
	cudaError_t e = crt_function(function, &f);

	return e ? e : crt_error(cuFuncSetSharedMemConfig(f, (CUsharedconfig)config));
}

cudaError_t i_cudaFuncGetName(const char **name, const void *function)
{
	CUfunction f;
	cudaError_t e;

	if (!name)
		return cudaErrorInvalidValue;
	e = crt_function(function, &f);
	return e ? e : crt_error(cuFuncGetName(name, f));
}

cudaError_t i_cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
	CUfunction f;
	cudaError_t e = crt_function(function, &f);

	return e ? e : crt_error(cuFuncGetParamInfo(f, index, offset, bytes));
}

/* ---- occupancy ------------------------------------------------------------------------------ */

cudaError_t i_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
								     int block_size, size_t shared,
								     unsigned int flags)
{
	CUfunction f;
	cudaError_t e;

	if (!blocks)
		return cudaErrorInvalidValue;
	e = crt_function(function, &f);
	return e ? e : crt_error(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block_size, shared,
										     flags));
}

cudaError_t i_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
							    size_t shared)
{
	return i_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}

static cudaError_t clusters(int *value, const void *function, const cudaLaunchConfig_t *config, bool size)
{
	CUlaunchConfig c;
	CUfunction f;
	cudaError_t e;

	if (!value || !config)
		return cudaErrorInvalidValue;
	e = crt_function(function, &f);
	if (e)
		return e;
	c = driver_config(config);
	return size ? CRT_CALL(cuOccupancyMaxPotentialClusterSize, value, f, &c) : CRT_CALL(cuOccupancyMaxActiveClusters, value, f, &c);
}

cudaError_t i_cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *config)
{
	return clusters(count, function, config, false);
}

cudaError_t i_cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config)
{
	return clusters(size, function, config, true);
}

cudaError_t i_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
							int block_size)
{
	CUfunction f;
	cudaError_t e;

	if (!bytes)
		return cudaErrorInvalidValue;
	e = crt_function(function, &f);
	return e ? e : crt_error(cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, block_size));
}
