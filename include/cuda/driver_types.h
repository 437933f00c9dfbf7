/* SPDX-License-Identifier: MIT */
/*
 * Types of the CUDA Runtime API as libcudart of the PPU offers it: numbers and layouts are those of the ABI of
 * CUDA 12 that compiled programs use; the text is our own.  Handles are the Driver API's, so that both APIs can be
 * mixed.  Documentation/runtime/cudart.md says where CUDA 11 and 13 differ.
 */
#ifndef PPU_DRIVER_TYPES_H
#define PPU_DRIVER_TYPES_H
#define __DRIVER_TYPES_H__	/* programs and their helper headers ask for this name */

#include <stddef.h>
#include "host_defines.h"
#include "vector_types.h"
#include "surface_types.h"
#include "texture_types.h"

#define CUDART_VERSION 12080		/* 1000 * major + 10 * minor */

/* name, code, sentence: cudaGetErrorName and cudaGetErrorString */
#define CUDART_ERRORS(E) \
E(cudaSuccess,                        0, "no error") \
E(cudaErrorInvalidValue,              1, "invalid argument") \
E(cudaErrorMemoryAllocation,          2, "out of memory") \
E(cudaErrorInitializationError,       3, "initialization error") \
E(cudaErrorCudartUnloading,           4, "driver shutting down") \
E(cudaErrorProfilerDisabled,          5, "profiler disabled while using external profiling tool") \
E(cudaErrorProfilerNotInitialized,    6, "profiler not initialized: call cudaProfilerInitialize()") \
E(cudaErrorProfilerAlreadyStarted,    7, "profiler already started") \
E(cudaErrorProfilerAlreadyStopped,    8, "profiler already stopped") \
E(cudaErrorInvalidConfiguration,      9, "invalid configuration argument") \
E(cudaErrorInvalidPitchValue,        12, "invalid pitch argument") \
E(cudaErrorInvalidSymbol,            13, "invalid device symbol") \
E(cudaErrorInvalidHostPointer,       16, "invalid host pointer") \
E(cudaErrorInvalidDevicePointer,     17, "invalid device pointer") \
E(cudaErrorInvalidTexture,           18, "invalid texture reference") \
E(cudaErrorInvalidTextureBinding,    19, "texture is not bound to a pointer") \
E(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
E(cudaErrorInvalidMemcpyDirection,   21, "invalid copy direction for memcpy") \
E(cudaErrorInvalidFilterSetting,     26, "linear filtering not supported for non-float type") \
E(cudaErrorInvalidNormSetting,       27, "read as normalized float not supported for 32-bit non float type") \
E(cudaErrorStubLibrary,              34, "CUDA driver is a stub library") \
E(cudaErrorInsufficientDriver,       35, "CUDA driver version is insufficient for CUDA runtime version") \
E(cudaErrorCallRequiresNewerDriver,  36, "API call is not supported in the installed CUDA driver") \
E(cudaErrorInvalidSurface,           37, "invalid surface reference") \
E(cudaErrorDuplicateVariableName,    43, "duplicate global variable looked up by string name") \
E(cudaErrorDuplicateTextureName,     44, "duplicate texture looked up by string name") \
E(cudaErrorDuplicateSurfaceName,     45, "duplicate surface looked up by string name") \
E(cudaErrorDevicesUnavailable,       46, "CUDA-capable device(s) is/are busy or unavailable") \
E(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
E(cudaErrorMissingConfiguration,     52, "__global__ function call is not configured") \
E(cudaErrorLaunchMaxDepthExceeded,   65, "launch would exceed maximum depth of nested launches") \
E(cudaErrorSyncDepthExceeded,        68, "cudaDeviceSynchronize failed because of exceeded depth") \
E(cudaErrorLaunchPendingCountExceeded, 69, "launch would exceed the number of pending launches") \
E(cudaErrorInvalidDeviceFunction,    98, "invalid device function") \
E(cudaErrorNoDevice,                100, "no CUDA-capable device is detected") \
E(cudaErrorInvalidDevice,           101, "invalid device ordinal") \
E(cudaErrorDeviceNotLicensed,       102, "device doesn't have valid Grid license") \
E(cudaErrorStartupFailure,          127, "startup failure in cuda runtime") \
E(cudaErrorInvalidKernelImage,      200, "device kernel image is invalid") \
E(cudaErrorDeviceUninitialized,     201, "invalid device context") \
E(cudaErrorMapBufferObjectFailed,   205, "mapping of buffer object failed") \
E(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed") \
E(cudaErrorArrayIsMapped,           207, "array is mapped") \
E(cudaErrorAlreadyMapped,           208, "resource already mapped") \
E(cudaErrorNoKernelImageForDevice,  209, "no kernel image is available for execution on the device") \
E(cudaErrorAlreadyAcquired,         210, "resource already acquired") \
E(cudaErrorNotMapped,               211, "resource not mapped") \
E(cudaErrorNotMappedAsArray,        212, "resource not mapped as array") \
E(cudaErrorNotMappedAsPointer,      213, "resource not mapped as pointer") \
E(cudaErrorECCUncorrectable,        214, "uncorrectable ECC error encountered") \
E(cudaErrorUnsupportedLimit,        215, "limit is not supported on this architecture") \
E(cudaErrorDeviceAlreadyInUse,      216, "exclusive-thread device already in use by a different thread") \
E(cudaErrorPeerAccessUnsupported,   217, "peer access is not supported between these two devices") \
E(cudaErrorInvalidPtx,              218, "a PTX JIT compilation failed") \
E(cudaErrorInvalidGraphicsContext,  219, "invalid graphics context") \
E(cudaErrorNvlinkUncorrectable,     220, "uncorrectable link error detected during the execution") \
E(cudaErrorJitCompilerNotFound,     221, "PTX JIT compiler library not found") \
E(cudaErrorUnsupportedPtxVersion,   222, "the provided PTX was compiled with an unsupported toolchain") \
E(cudaErrorJitCompilationDisabled,  223, "PTX JIT compilation was disabled") \
E(cudaErrorUnsupportedExecAffinity, 224, "the provided execution affinity is not supported") \
E(cudaErrorInvalidSource,           300, "device kernel image is invalid") \
E(cudaErrorFileNotFound,            301, "file not found") \
E(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found") \
E(cudaErrorSharedObjectInitFailed,  303, "shared object initialization failed") \
E(cudaErrorOperatingSystem,         304, "OS call failed or operation not supported on this OS") \
E(cudaErrorInvalidResourceHandle,   400, "invalid resource handle") \
E(cudaErrorIllegalState,            401, "the operation cannot be performed in the present state") \
E(cudaErrorSymbolNotFound,          500, "named symbol not found") \
E(cudaErrorNotReady,                600, "device not ready") \
E(cudaErrorIllegalAddress,          700, "an illegal memory access was encountered") \
E(cudaErrorLaunchOutOfResources,    701, "too many resources requested for launch") \
E(cudaErrorLaunchTimeout,           702, "the launch timed out and was terminated") \
E(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode") \
E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
E(cudaErrorPeerAccessNotEnabled,    705, "peer access has not been enabled") \
E(cudaErrorSetOnActiveProcess,      708, "cannot set while device is active in this process") \
E(cudaErrorContextIsDestroyed,      709, "context is destroyed") \
E(cudaErrorAssert,                  710, "device-side assert triggered") \
E(cudaErrorTooManyPeers,            711, "peer mapping resources exhausted") \
E(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
E(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
E(cudaErrorHardwareStackError,      714, "hardware stack error") \
E(cudaErrorIllegalInstruction,      715, "an illegal instruction was encountered") \
E(cudaErrorMisalignedAddress,       716, "misaligned address") \
E(cudaErrorInvalidAddressSpace,     717, "operation not supported on global/shared address space") \
E(cudaErrorInvalidPc,               718, "invalid program counter") \
E(cudaErrorLaunchFailure,           719, "unspecified launch failure") \
E(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
E(cudaErrorNotPermitted,            800, "operation not permitted") \
E(cudaErrorNotSupported,            801, "operation not supported") \
E(cudaErrorSystemNotReady,          802, "system not yet initialized") \
E(cudaErrorSystemDriverMismatch,    803, "system has unsupported display driver / cuda driver combination") \
E(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
E(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
E(cudaErrorStreamCaptureMerge,      902, "operation would result in a merge of separate capture sequences") \
E(cudaErrorStreamCaptureUnmatched,  903, "capture was not ended in the same stream as it began") \
E(cudaErrorStreamCaptureUnjoined,   904, "capturing stream has unjoined work") \
E(cudaErrorStreamCaptureIsolation,  905, "dependency created on uncaptured work in another stream") \
E(cudaErrorStreamCaptureImplicit,   906, \
	"operation would make the legacy stream depend on a capturing blocking stream") \
E(cudaErrorCapturedEvent,           907, "operation not permitted on an event last recorded in a capturing stream") \
E(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
E(cudaErrorTimeout,                 909, "wait operation timed out") \
E(cudaErrorGraphExecUpdateFailure,  910, "the graph update was not performed because it included changes which " \
	"violated constraints specific to instantiated graph update") \
E(cudaErrorInvalidClusterSize,      912, "a kernel launch error has occurred due to cluster misconfiguration") \
E(cudaErrorUnknown,                 999, "unknown error") \
E(cudaErrorApiFailureBase,        10000, "api failure base")

enum cudaError {
#define CUDART_E_(name, code, text) name = code,
	CUDART_ERRORS(CUDART_E_)
#undef CUDART_E_
	cudaErrorForce32Bit_ = 0x7fffffff
};
typedef enum cudaError cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
struct CUuuid_st;
typedef struct cudaUUID_st {
	char bytes[16];
} cudaUUID_t;

/* Special streams.  Stream 0 is the legacy stream, or the thread's own stream if programs are built that way. */
#define cudaStreamLegacy		((cudaStream_t)0x1)
#define cudaStreamPerThread		((cudaStream_t)0x2)
#define cudaStreamTailLaunch		((cudaStream_t)0x3)	/* of threads that launch: behind all of the grid */
#define cudaStreamFireAndForget		((cudaStream_t)0x4)	/* the same: in no order */
#define cudaStreamDefault		0x00
#define cudaStreamNonBlocking		0x01

#define cudaEventDefault		0x00
#define cudaEventBlockingSync		0x01
#define cudaEventDisableTiming		0x02
#define cudaEventInterprocess		0x04
#define cudaEventRecordDefault		0x00
#define cudaEventRecordExternal		0x01
#define cudaEventWaitDefault		0x00
#define cudaEventWaitExternal		0x01

#define cudaHostAllocDefault		0x00
#define cudaHostAllocPortable		0x01
#define cudaHostAllocMapped		0x02
#define cudaHostAllocWriteCombined	0x04
#define cudaHostRegisterDefault		0x00
#define cudaHostRegisterPortable	0x01
#define cudaHostRegisterMapped		0x02
#define cudaHostRegisterIoMemory	0x04
#define cudaHostRegisterReadOnly	0x08
#define cudaPeerAccessDefault		0x00

#define cudaDeviceScheduleAuto		0x00
#define cudaDeviceScheduleSpin		0x01
#define cudaDeviceScheduleYield		0x02
#define cudaDeviceScheduleBlockingSync	0x04
#define cudaDeviceBlockingSync		0x04
#define cudaDeviceScheduleMask		0x07
#define cudaDeviceMapHost		0x08
#define cudaDeviceLmemResizeToMax	0x10
#define cudaDeviceSyncMemops		0x80
#define cudaDeviceMask			0xff

#define cudaArrayDefault		0x00
#define cudaArrayLayered		0x01
#define cudaArraySurfaceLoadStore	0x02
#define cudaArrayCubemap		0x04
#define cudaArrayTextureGather		0x08

#define cudaMemAttachGlobal		0x01
#define cudaMemAttachHost		0x02
#define cudaMemAttachSingle		0x04

#define cudaOccupancyDefault			0x00
#define cudaOccupancyDisableCachingOverride	0x01
#define cudaCooperativeLaunchMultiDeviceNoPreSync	0x01
#define cudaCooperativeLaunchMultiDeviceNoPostSync	0x02
#define cudaCpuDeviceId			((int)-1)
#define cudaInvalidDeviceId		((int)-2)
#define cudaInitDeviceFlagsAreValid	0x01

enum cudaMemcpyKind {
	cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaMemoryType {
	cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
enum cudaChannelFormatKind {
	cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone
};
enum cudaComputeMode {
	cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess
};
enum cudaFuncCache {
	cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
	cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
	cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100
};
enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9,
	cudaFuncAttributeClusterDimMustBeSet = 10, cudaFuncAttributeRequiredClusterWidth = 11,
	cudaFuncAttributeRequiredClusterHeight = 12, cudaFuncAttributeRequiredClusterDepth = 13,
	cudaFuncAttributeNonPortableClusterSizeAllowed = 14, cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
	cudaFuncAttributeMax = 16
};
enum cudaLimit {
	cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
	cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
	cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
	cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
	cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeAccessedBy,
	cudaMemRangeAttributeLastPrefetchLocation
};
enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaStreamUpdateCaptureDependenciesFlags {
	cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies
};
enum cudaDeviceP2PAttr {
	cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported,
	cudaDevP2PAttrCudaArrayAccessSupported
};
enum cudaGraphicsRegisterFlags {
	cudaGraphicsRegisterFlagsNone = 0, cudaGraphicsRegisterFlagsReadOnly = 1,
	cudaGraphicsRegisterFlagsWriteDiscard = 2, cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
	cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGetDriverEntryPointFlags {
	cudaEnableDefault = 0, cudaEnableLegacyStream = 1, cudaEnablePerThreadDefaultStream = 2
};
enum cudaDriverEntryPointQueryResult {
	cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound, cudaDriverEntryPointVersionNotSufficent
};

/* The numbers are the Driver API's CU_DEVICE_ATTRIBUTE_. */
#define CUDART_ATTRIBUTES(A) \
A(MaxThreadsPerBlock, 1) A(MaxBlockDimX, 2) A(MaxBlockDimY, 3) A(MaxBlockDimZ, 4) A(MaxGridDimX, 5) \
A(MaxGridDimY, 6) A(MaxGridDimZ, 7) A(MaxSharedMemoryPerBlock, 8) A(TotalConstantMemory, 9) A(WarpSize, 10) \
A(MaxPitch, 11) A(MaxRegistersPerBlock, 12) A(ClockRate, 13) A(TextureAlignment, 14) A(GpuOverlap, 15) \
A(MultiProcessorCount, 16) A(KernelExecTimeout, 17) A(Integrated, 18) A(CanMapHostMemory, 19) \
A(ComputeMode, 20) A(MaxTexture1DWidth, 21) A(MaxTexture2DWidth, 22) A(MaxTexture2DHeight, 23) \
A(MaxTexture3DWidth, 24) A(MaxTexture3DHeight, 25) A(MaxTexture3DDepth, 26) A(MaxTexture2DLayeredWidth, 27) \
A(MaxTexture2DLayeredHeight, 28) A(MaxTexture2DLayeredLayers, 29) A(SurfaceAlignment, 30) \
A(ConcurrentKernels, 31) A(EccEnabled, 32) A(PciBusId, 33) A(PciDeviceId, 34) A(TccDriver, 35) \
A(MemoryClockRate, 36) A(GlobalMemoryBusWidth, 37) A(L2CacheSize, 38) A(MaxThreadsPerMultiProcessor, 39) \
A(AsyncEngineCount, 40) A(UnifiedAddressing, 41) A(MaxTexture1DLayeredWidth, 42) \
A(MaxTexture1DLayeredLayers, 43) A(MaxTexture2DGatherWidth, 45) A(MaxTexture2DGatherHeight, 46) \
A(MaxTexture3DWidthAlt, 47) A(MaxTexture3DHeightAlt, 48) A(MaxTexture3DDepthAlt, 49) A(PciDomainId, 50) \
A(TexturePitchAlignment, 51) A(MaxTextureCubemapWidth, 52) A(MaxTextureCubemapLayeredWidth, 53) \
A(MaxTextureCubemapLayeredLayers, 54) A(MaxSurface1DWidth, 55) A(MaxSurface2DWidth, 56) \
A(MaxSurface2DHeight, 57) A(MaxSurface3DWidth, 58) A(MaxSurface3DHeight, 59) A(MaxSurface3DDepth, 60) \
A(MaxSurface1DLayeredWidth, 61) A(MaxSurface1DLayeredLayers, 62) A(MaxSurface2DLayeredWidth, 63) \
A(MaxSurface2DLayeredHeight, 64) A(MaxSurface2DLayeredLayers, 65) A(MaxSurfaceCubemapWidth, 66) \
A(MaxSurfaceCubemapLayeredWidth, 67) A(MaxSurfaceCubemapLayeredLayers, 68) A(MaxTexture1DLinearWidth, 69) \
A(MaxTexture2DLinearWidth, 70) A(MaxTexture2DLinearHeight, 71) A(MaxTexture2DLinearPitch, 72) \
A(MaxTexture2DMipmappedWidth, 73) A(MaxTexture2DMipmappedHeight, 74) A(ComputeCapabilityMajor, 75) \
A(ComputeCapabilityMinor, 76) A(MaxTexture1DMipmappedWidth, 77) A(StreamPrioritiesSupported, 78) \
A(GlobalL1CacheSupported, 79) A(LocalL1CacheSupported, 80) A(MaxSharedMemoryPerMultiprocessor, 81) \
A(MaxRegistersPerMultiprocessor, 82) A(ManagedMemory, 83) A(IsMultiGpuBoard, 84) A(MultiGpuBoardGroupID, 85) \
A(HostNativeAtomicSupported, 86) A(SingleToDoublePrecisionPerfRatio, 87) A(PageableMemoryAccess, 88) \
A(ConcurrentManagedAccess, 89) A(ComputePreemptionSupported, 90) A(CanUseHostPointerForRegisteredMem, 91) \
A(CooperativeLaunch, 95) A(CooperativeMultiDeviceLaunch, 96) A(MaxSharedMemoryPerBlockOptin, 97) \
A(CanFlushRemoteWrites, 98) A(HostRegisterSupported, 99) A(PageableMemoryAccessUsesHostPageTables, 100) \
A(DirectManagedMemAccessFromHost, 101) A(MaxBlocksPerMultiprocessor, 106) A(MaxPersistingL2CacheSize, 108) \
A(MaxAccessPolicyWindowSize, 109) A(ReservedSharedMemoryPerBlock, 111) A(SparseCudaArraySupported, 112) \
A(HostRegisterReadOnlySupported, 113) A(TimelineSemaphoreInteropSupported, 114) A(MemoryPoolsSupported, 115) \
A(GPUDirectRDMASupported, 116) A(GPUDirectRDMAFlushWritesOptions, 117) A(GPUDirectRDMAWritesOrdering, 118) \
A(MemoryPoolSupportedHandleTypes, 119) A(ClusterLaunch, 120) A(DeferredMappingCudaArraySupported, 121) \
A(IpcEventSupport, 125)
enum cudaDeviceAttr {
#define CUDART_A_(name, number) cudaDevAttr##name = number,
	CUDART_ATTRIBUTES(CUDART_A_)
#undef CUDART_A_
	cudaDevAttrMax = 149
};

struct cudaChannelFormatDesc {
	int x, y, z, w;			/* bits of each channel */
	enum cudaChannelFormatKind f;
};
struct cudaExtent {
	size_t width, height, depth;	/* width: elements if a side of the copy is an array, else bytes */
};
struct cudaPos {
	size_t x, y, z;
};
struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};
struct cudaPointerAttributes {
	enum cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
	    preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
	    requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};
enum cudaResourceType {
	cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D
};
struct cudaResourceDesc {
	enum cudaResourceType resType;
	union {
		struct {
			cudaArray_t array;
		} array;
		struct {
			cudaMipmappedArray_t mipmap;
		} mipmap;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
	} res;
};
enum cudaResourceViewFormat { cudaResViewFormatNone = 0 };
struct cudaResourceViewDesc {
	enum cudaResourceViewFormat format;
	size_t width, height, depth;
	unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

/* Properties of a GPU, as in CUDA 12.  In CUDA 11 the structure ends before hostRegisterSupported. */
struct cudaDeviceProp {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode,
	    maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
	    maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
	    maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D,
	    maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
	    maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
	    unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
	    maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
	    singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
	    computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch,
	    cooperativeMultiDeviceLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
	    accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
	    timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers,
	    reserved2[2], reserved1[1], reserved[60];
};

#define CUDA_IPC_HANDLE_SIZE 64
typedef struct cudaIpcMemHandle_st {
	char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st {
	char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;
#define cudaIpcMemLazyEnablePeerAccess 0x01

/* ---- launches with attributes --------------------------------------------------------------- */
typedef enum cudaLaunchAttributeID {
	cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow = 1, cudaLaunchAttributeCooperative = 2,
	cudaLaunchAttributeSynchronizationPolicy = 3, cudaLaunchAttributeClusterDimension = 4,
	cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
	cudaLaunchAttributeProgrammaticStreamSerialization = 6, cudaLaunchAttributeProgrammaticEvent = 7,
	cudaLaunchAttributePriority = 8, cudaLaunchAttributeDeviceUpdatableKernelNode = 13
} cudaLaunchAttributeID;
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
typedef struct cudaAccessPolicyWindow {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	enum cudaAccessProperty hitProp, missProp;
} cudaAccessPolicyWindow;
typedef enum cudaSynchronizationPolicy {
	cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync
} cudaSynchronizationPolicy;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;	/* for kernels */
typedef union cudaLaunchAttributeValue {
	char pad[64];
	cudaAccessPolicyWindow accessPolicyWindow;
	int cooperative;
	cudaSynchronizationPolicy syncPolicy;
	struct {
		unsigned int x, y, z;
	} clusterDim;
	int programmaticStreamSerializationAllowed;
	int priority;
	struct {
		int deviceUpdatable;
		cudaGraphDeviceNode_t devNode;	/* out */
	} deviceUpdatableKernelNode;
} cudaLaunchAttributeValue;
/* The same, as attributes of streams and of kernels in graphs. */
typedef cudaLaunchAttributeID cudaStreamAttrID, cudaKernelNodeAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue, cudaKernelNodeAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
typedef struct cudaLaunchAttribute_st {
	cudaLaunchAttributeID id;
	char pad[8 - sizeof(cudaLaunchAttributeID)];
	cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;

/* ---- pools ---------------------------------------------------------------------------------- */
enum cudaMemPoolAttr {
	cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
	cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent,
	cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType {
	cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1, cudaMemHandleTypeWin32 = 2,
	cudaMemHandleTypeWin32Kmt = 4, cudaMemHandleTypeFabric = 8
};
enum cudaMemLocationType {
	cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma,
	cudaMemLocationTypeHostNumaCurrent
};
enum cudaMemAccessFlags {
	cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemLocation {
	enum cudaMemLocationType type;
	int id;
};
struct cudaMemAccessDesc {
	struct cudaMemLocation location;
	enum cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
	enum cudaMemAllocationType allocType;
	enum cudaMemAllocationHandleType handleTypes;
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
};
struct cudaMemPoolPtrExportData {
	unsigned char reserved[64];
};

/* ---- graphs --------------------------------------------------------------------------------- */
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim, blockDim;
	unsigned int sharedMemBytes;
	void **kernelParams, **extra;
};
struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
};
struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};
enum cudaGraphNodeType {
	cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost,
	cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord,
	cudaGraphNodeTypeExtSemaphoreSignal, cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeTypeMemAlloc,
	cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13
};
/* What kernels change of a node. */
enum cudaGraphKernelNodeField {
	cudaGraphKernelNodeFieldInvalid, cudaGraphKernelNodeFieldGridDim, cudaGraphKernelNodeFieldParam,
	cudaGraphKernelNodeFieldEnabled
};
struct cudaGraphKernelNodeUpdate {
	cudaGraphDeviceNode_t node;
	enum cudaGraphKernelNodeField field;
	union {
		dim3 gridDim;
		struct {
			const void *pValue;
			size_t offset, size;
		} param;
		unsigned int isEnabled;
	} updateData;
};
/* All zero: an ordinary dependency, which is the only kind here. */
typedef struct cudaGraphEdgeData_st {
	unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
struct cudaMemAllocNodeParams {
	struct cudaMemPoolProps poolProps;
	const struct cudaMemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	void *dptr;			/* out */
};
/* The members that have the layout of the struct of the node's own functions have its type. */
struct cudaMemcpyNodeParams {
	int flags, reserved[3];
	struct cudaMemcpy3DParms copyParams;
};
typedef unsigned long long cudaGraphConditionalHandle;
#define cudaGraphCondAssignDefault	1
enum cudaGraphConditionalNodeType {
	cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch
};
struct cudaConditionalNodeParams {
	cudaGraphConditionalHandle handle;
	enum cudaGraphConditionalNodeType type;
	unsigned int size;
	cudaGraph_t *phGraph_out;	/* out: the bodies, to be filled with nodes */
};
struct cudaGraphNodeParams {
	enum cudaGraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		struct cudaKernelNodeParams kernel;
		struct cudaMemcpyNodeParams memcpy;
		struct cudaMemsetParams memset;
		struct cudaHostNodeParams host;
		struct {
			cudaGraph_t graph;
		} graph;
		struct {
			cudaEvent_t event;
		} eventWait, eventRecord;
		struct cudaMemAllocNodeParams alloc;
		struct {
			void *dptr;
		} free;
		struct cudaConditionalNodeParams conditional;
	};
	long long reserved2;
};
typedef enum cudaGraphInstantiateResult {
	cudaGraphInstantiateSuccess, cudaGraphInstantiateError, cudaGraphInstantiateInvalidStructure,
	cudaGraphInstantiateNodeOperationNotSupported, cudaGraphInstantiateMultipleDevicesNotSupported
} cudaGraphInstantiateResult;
typedef struct cudaGraphInstantiateParams_st {
	unsigned long long flags;
	cudaStream_t uploadStream;
	cudaGraphNode_t errNode_out;
	cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;
enum cudaGraphMemAttributeType {
	cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent,
	cudaGraphMemAttrReservedMemHigh
};
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };
enum cudaGraphExecUpdateResult {
	cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
	cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
	cudaGraphExecUpdateErrorParametersChanged, cudaGraphExecUpdateErrorNotSupported
};
typedef struct cudaGraphExecUpdateResultInfo_st {
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
enum cudaGraphInstantiateFlags {
	cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2,
	cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};

#endif
