/* SPDX-License-Identifier: MIT */
/* Devices, their properties and limits, versions. */
#include <string.h>
#include "cudart.h"

cudaError_t i_cudaDriverGetVersion(int *version)
{
	return version ? crt_error(cuDriverGetVersion(version)) : cudaErrorInvalidValue;
}

cudaError_t i_cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
					       unsigned long long flags,
					       enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult r = CU_GET_PROC_ADDRESS_SUCCESS;
	cudaError_t e;

	if (!symbol || !function)
		return cudaErrorInvalidValue;
	if (!flags && crt_per_thread)
		flags = cudaEnablePerThreadDefaultStream;
	e = crt_error(cuGetProcAddress_v2(symbol, function, (int)version, flags, &r));
	if (!e && status)
		*status = (enum cudaDriverEntryPointQueryResult)r;
	return e || status || r == CU_GET_PROC_ADDRESS_SUCCESS ? e : cudaErrorSymbolNotFound;
}

cudaError_t i_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
				      enum cudaDriverEntryPointQueryResult *status)
{
	int version;

	i_cudaRuntimeGetVersion(&version);
	return i_cudaGetDriverEntryPointByVersion(symbol, function, (unsigned int)version, flags, status);
}

cudaError_t i_cudaProfilerStart(void)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuProfilerStart());
}

cudaError_t i_cudaProfilerStop(void)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuProfilerStop());
}

cudaError_t i_cudaGetDeviceCount(int *count)
{
	cudaError_t e = crt_init();

	if (!count)
		return cudaErrorInvalidValue;
	*count = 0;
	if (!e)
		e = crt_error(cuDeviceGetCount(count));
	return e || *count ? e : cudaErrorNoDevice;
}

cudaError_t i_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	cudaError_t e = crt_init();

	if (e)
		return e;
	if (!value)
		return cudaErrorInvalidValue;
	return crt_error(cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device));
}

cudaError_t i_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int destination)
{
	cudaError_t e = crt_init();

	return e ? e : crt_error(cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attribute, source, destination));
}

/* An attribute; 0 if the Driver API does not know it. */
static int attribute(int device, enum cudaDeviceAttr what)
{
	int v;

	return cuDeviceGetAttribute(&v, (CUdevice_attribute)what, device) ? 0 : v;
}

/* Members of the structure that are each one attribute. */
#define SAME(S) \
S(regsPerBlock, MaxRegistersPerBlock) S(warpSize, WarpSize) S(memPitch, MaxPitch) \
S(maxThreadsPerBlock, MaxThreadsPerBlock) S(maxThreadsDim[0], MaxBlockDimX) S(maxThreadsDim[1], MaxBlockDimY) \
S(maxThreadsDim[2], MaxBlockDimZ) S(maxGridSize[0], MaxGridDimX) S(maxGridSize[1], MaxGridDimY) \
S(maxGridSize[2], MaxGridDimZ) S(clockRate, ClockRate) S(totalConstMem, TotalConstantMemory) \
S(sharedMemPerBlock, MaxSharedMemoryPerBlock) S(major, ComputeCapabilityMajor) S(minor, ComputeCapabilityMinor) \
S(textureAlignment, TextureAlignment) S(texturePitchAlignment, TexturePitchAlignment) S(deviceOverlap, GpuOverlap) \
S(multiProcessorCount, MultiProcessorCount) S(kernelExecTimeoutEnabled, KernelExecTimeout) \
S(integrated, Integrated) S(canMapHostMemory, CanMapHostMemory) S(computeMode, ComputeMode) \
S(maxTexture1D, MaxTexture1DWidth) S(maxTexture1DMipmap, MaxTexture1DMipmappedWidth) \
S(maxTexture1DLinear, MaxTexture1DLinearWidth) S(maxTexture2D[0], MaxTexture2DWidth) \
S(maxTexture2D[1], MaxTexture2DHeight) S(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth) \
S(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight) S(maxTexture2DLinear[0], MaxTexture2DLinearWidth) \
S(maxTexture2DLinear[1], MaxTexture2DLinearHeight) S(maxTexture2DLinear[2], MaxTexture2DLinearPitch) \
S(maxTexture2DGather[0], MaxTexture2DGatherWidth) S(maxTexture2DGather[1], MaxTexture2DGatherHeight) \
S(maxTexture3D[0], MaxTexture3DWidth) S(maxTexture3D[1], MaxTexture3DHeight) S(maxTexture3D[2], MaxTexture3DDepth) \
S(maxTexture3DAlt[0], MaxTexture3DWidthAlt) S(maxTexture3DAlt[1], MaxTexture3DHeightAlt) \
S(maxTexture3DAlt[2], MaxTexture3DDepthAlt) S(maxTextureCubemap, MaxTextureCubemapWidth) \
S(maxTexture1DLayered[0], MaxTexture1DLayeredWidth) S(maxTexture1DLayered[1], MaxTexture1DLayeredLayers) \
S(maxTexture2DLayered[0], MaxTexture2DLayeredWidth) S(maxTexture2DLayered[1], MaxTexture2DLayeredHeight) \
S(maxTexture2DLayered[2], MaxTexture2DLayeredLayers) \
S(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth) \
S(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers) S(maxSurface1D, MaxSurface1DWidth) \
S(maxSurface2D[0], MaxSurface2DWidth) S(maxSurface2D[1], MaxSurface2DHeight) S(maxSurface3D[0], MaxSurface3DWidth) \
S(maxSurface3D[1], MaxSurface3DHeight) S(maxSurface3D[2], MaxSurface3DDepth) \
S(maxSurface1DLayered[0], MaxSurface1DLayeredWidth) S(maxSurface1DLayered[1], MaxSurface1DLayeredLayers) \
S(maxSurface2DLayered[0], MaxSurface2DLayeredWidth) S(maxSurface2DLayered[1], MaxSurface2DLayeredHeight) \
S(maxSurface2DLayered[2], MaxSurface2DLayeredLayers) S(maxSurfaceCubemap, MaxSurfaceCubemapWidth) \
S(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth) \
S(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers) S(surfaceAlignment, SurfaceAlignment) \
S(concurrentKernels, ConcurrentKernels) S(ECCEnabled, EccEnabled) S(pciBusID, PciBusId) \
S(pciDeviceID, PciDeviceId) S(pciDomainID, PciDomainId) S(tccDriver, TccDriver) \
S(asyncEngineCount, AsyncEngineCount) S(unifiedAddressing, UnifiedAddressing) S(memoryClockRate, MemoryClockRate) \
S(memoryBusWidth, GlobalMemoryBusWidth) S(l2CacheSize, L2CacheSize) \
S(persistingL2CacheMaxSize, MaxPersistingL2CacheSize) S(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor) \
S(streamPrioritiesSupported, StreamPrioritiesSupported) S(globalL1CacheSupported, GlobalL1CacheSupported) \
S(localL1CacheSupported, LocalL1CacheSupported) S(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor) \
S(regsPerMultiprocessor, MaxRegistersPerMultiprocessor) S(managedMemory, ManagedMemory) \
S(isMultiGpuBoard, IsMultiGpuBoard) S(multiGpuBoardGroupID, MultiGpuBoardGroupID) \
S(hostNativeAtomicSupported, HostNativeAtomicSupported) \
S(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio) \
S(pageableMemoryAccess, PageableMemoryAccess) S(concurrentManagedAccess, ConcurrentManagedAccess) \
S(computePreemptionSupported, ComputePreemptionSupported) \
S(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem) S(cooperativeLaunch, CooperativeLaunch) \
S(cooperativeMultiDeviceLaunch, CooperativeMultiDeviceLaunch) \
S(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin) \
S(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables) \
S(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost) \
S(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor) S(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize) \
S(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock) S(hostRegisterSupported, HostRegisterSupported) \
S(sparseCudaArraySupported, SparseCudaArraySupported) \
S(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported) \
S(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported) \
S(memoryPoolsSupported, MemoryPoolsSupported) S(gpuDirectRDMASupported, GPUDirectRDMASupported) \
S(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes) \
S(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported) S(ipcEventSupported, IpcEventSupport) \
S(clusterLaunch, ClusterLaunch)

cudaError_t i_cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
	cudaError_t e = crt_init();
	CUuuid uuid;

	if (e)
		return e;
	if (!prop)
		return cudaErrorInvalidValue;
	memset(prop, 0, sizeof(*prop));
	e = crt_error(cuDeviceGetName(prop->name, sizeof(prop->name), device));
	if (!e)
		e = crt_error(cuDeviceTotalMem_v2(&prop->totalGlobalMem, device));
	if (!e)
		e = crt_error(cuDeviceGetUuid_v2(&uuid, device));
	if (e)
		return e;
	memcpy(&prop->uuid, &uuid, sizeof(prop->uuid));
#define S(member, what) prop->member = (__typeof__(prop->member))attribute(device, cudaDevAttr##what);
	SAME(S)
#undef S
	return cudaSuccess;
}

/* ---- limits and preferences ----------------------------------------------------------------- */

cudaError_t i_cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t i_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxGetLimit(value, (CUlimit)limit));
}

cudaError_t i_cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxGetCacheConfig((CUfunc_cache *)config));
}

cudaError_t i_cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxSetCacheConfig((CUfunc_cache)config));
}

cudaError_t i_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxGetSharedMemConfig((CUsharedconfig *)config));
}

cudaError_t i_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t i_cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxGetStreamPriorityRange(least, greatest));
}

/* ---- which one ------------------------------------------------------------------------------ */

cudaError_t i_cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	cudaError_t e = crt_init();

	return e ? e : crt_error(cuDeviceGetByPCIBusId(device, id));
}

cudaError_t i_cudaDeviceGetPCIBusId(char *id, int len, int device)
{
	cudaError_t e = crt_init();

	return e ? e : crt_error(cuDeviceGetPCIBusId(id, len, device));
}

cudaError_t i_cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	cudaError_t e = crt_init();

	return e ? e : crt_error(cuDeviceCanAccessPeer(can, device, peer));
}

/* The context that this library uses on another device; it is made if it is not there. */
static cudaError_t context_of(int peer, CUcontext *ctx)
{
	int n, mine;
	cudaError_t e = i_cudaGetDeviceCount(&n), back;

	if (!e)
		e = i_cudaGetDevice(&mine);
	if (!e && (peer < 0 || peer >= n || peer == mine))
		e = cudaErrorInvalidDevice;
	if (e)
		return e;
	e = i_cudaSetDevice(peer);
	if (!e)
		e = crt_error(cuCtxGetCurrent(ctx));
	back = i_cudaSetDevice(mine);
	return e ? e : back;
}

cudaError_t i_cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	CUcontext ctx;
	cudaError_t e = context_of(peer, &ctx);

	return e ? e : flags ? cudaErrorInvalidValue : crt_error(cuCtxEnablePeerAccess(ctx, 0));
}

cudaError_t i_cudaDeviceDisablePeerAccess(int peer)
{
	CUcontext ctx;
	cudaError_t e = context_of(peer, &ctx);

	return e ? e : crt_error(cuCtxDisablePeerAccess(ctx));
}
