/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API as libcuda.so.1 of the PPU offers it: names, numbers and layouts are those of the
 * ABI that compiled programs use; the wording is ours.  With this header programs build without the
 * vendor's SDK.  Documentation/runtime/cuda.md has the table of functions and their state.
 *
 * The functions themselves are one list, cuda_calls.h, expanded to prototypes below.  As in the vendor's
 * header a plain name such as cuMemAlloc is a macro for the newest version of the function; with
 * CUDA_API_PER_THREAD_DEFAULT_STREAM defined, the functions that take the default stream mean each
 * thread's own one.
 *
 * Every function returns a CUresult and may be called from any thread.  An error of a kernel is sticky:
 * each later call in that context returns it until the context is destroyed.
 */
#ifndef PPU_CUDA_H
#define PPU_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 12080		/* 1000 * major + 10 * minor: what cuDriverGetVersion says */
#define CUDAAPI
#define CUDA_CB

/* name, code, sentence: cuGetErrorName and cuGetErrorString */
#define CU_RESULTS(R) \
R(CUDA_SUCCESS,                           0, "no error") \
R(CUDA_ERROR_INVALID_VALUE,               1, "invalid argument") \
R(CUDA_ERROR_OUT_OF_MEMORY,               2, "out of memory") \
R(CUDA_ERROR_NOT_INITIALIZED,             3, "initialization error") \
R(CUDA_ERROR_DEINITIALIZED,               4, "driver shutting down") \
R(CUDA_ERROR_PROFILER_DISABLED,           5, "profiler disabled while using external profiling tool") \
R(CUDA_ERROR_STUB_LIBRARY,               34, "CUDA driver is a stub library") \
R(CUDA_ERROR_DEVICE_UNAVAILABLE,         46, "CUDA-capable device(s) is/are busy or unavailable") \
R(CUDA_ERROR_NO_DEVICE,                 100, "no CUDA-capable device is detected") \
R(CUDA_ERROR_INVALID_DEVICE,            101, "invalid device ordinal") \
R(CUDA_ERROR_INVALID_IMAGE,             200, "device kernel image is invalid") \
R(CUDA_ERROR_INVALID_CONTEXT,           201, "invalid device context") \
R(CUDA_ERROR_CONTEXT_ALREADY_CURRENT,   202, "context already current") \
R(CUDA_ERROR_MAP_FAILED,                205, "mapping of buffer object failed") \
R(CUDA_ERROR_UNMAP_FAILED,              206, "unmapping of buffer object failed") \
R(CUDA_ERROR_ARRAY_IS_MAPPED,           207, "array is mapped") \
R(CUDA_ERROR_ALREADY_MAPPED,            208, "resource already mapped") \
R(CUDA_ERROR_NO_BINARY_FOR_GPU,         209, "no kernel image is available for execution on the device") \
R(CUDA_ERROR_ALREADY_ACQUIRED,          210, "resource already acquired") \
R(CUDA_ERROR_NOT_MAPPED,                211, "resource not mapped") \
R(CUDA_ERROR_NOT_MAPPED_AS_ARRAY,       212, "resource not mapped as array") \
R(CUDA_ERROR_NOT_MAPPED_AS_POINTER,     213, "resource not mapped as pointer") \
R(CUDA_ERROR_ECC_UNCORRECTABLE,         214, "uncorrectable ECC error encountered") \
R(CUDA_ERROR_UNSUPPORTED_LIMIT,         215, "limit is not supported on this architecture") \
R(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,    216, "exclusive-thread device already in use by a different thread") \
R(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,   217, "peer access is not supported between these two devices") \
R(CUDA_ERROR_INVALID_PTX,               218, "a PTX JIT compilation failed") \
R(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,  219, "invalid graphics context") \
R(CUDA_ERROR_NVLINK_UNCORRECTABLE,      220, "uncorrectable link error detected during the execution") \
R(CUDA_ERROR_JIT_COMPILER_NOT_FOUND,    221, "PTX JIT compiler library not found") \
R(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,   222, "the provided PTX was compiled with an unsupported toolchain") \
R(CUDA_ERROR_JIT_COMPILATION_DISABLED,  223, "PTX JIT compilation was disabled") \
R(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224, "the provided execution affinity is not supported") \
R(CUDA_ERROR_INVALID_SOURCE,            300, "device kernel image is invalid") \
R(CUDA_ERROR_FILE_NOT_FOUND,            301, "file not found") \
R(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, "shared object symbol not found") \
R(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "shared object initialization failed") \
R(CUDA_ERROR_OPERATING_SYSTEM,          304, "OS call failed or operation not supported on this OS") \
R(CUDA_ERROR_INVALID_HANDLE,            400, "invalid resource handle") \
R(CUDA_ERROR_ILLEGAL_STATE,             401, "the operation cannot be performed in the present state") \
R(CUDA_ERROR_NOT_FOUND,                 500, "named symbol not found") \
R(CUDA_ERROR_NOT_READY,                 600, "device not ready") \
R(CUDA_ERROR_ILLEGAL_ADDRESS,           700, "an illegal memory access was encountered") \
R(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,   701, "too many resources requested for launch") \
R(CUDA_ERROR_LAUNCH_TIMEOUT,            702, "the launch timed out and was terminated") \
R(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703, "launch uses incompatible texturing mode") \
R(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled") \
R(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,   705, "peer access has not been enabled") \
R(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,    708, "cannot set while device is active in this process") \
R(CUDA_ERROR_CONTEXT_IS_DESTROYED,      709, "context is destroyed") \
R(CUDA_ERROR_ASSERT,                    710, "device-side assert triggered") \
R(CUDA_ERROR_TOO_MANY_PEERS,            711, "peer mapping resources exhausted") \
R(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "part or all of the requested memory range is already mapped") \
R(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "pointer does not correspond to a registered memory region") \
R(CUDA_ERROR_HARDWARE_STACK_ERROR,      714, "hardware stack error") \
R(CUDA_ERROR_ILLEGAL_INSTRUCTION,       715, "an illegal instruction was encountered") \
R(CUDA_ERROR_MISALIGNED_ADDRESS,        716, "misaligned address") \
R(CUDA_ERROR_INVALID_ADDRESS_SPACE,     717, "operation not supported on global/shared address space") \
R(CUDA_ERROR_INVALID_PC,                718, "invalid program counter") \
R(CUDA_ERROR_LAUNCH_FAILED,             719, "unspecified launch failure") \
R(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch") \
R(CUDA_ERROR_NOT_PERMITTED,             800, "operation not permitted") \
R(CUDA_ERROR_NOT_SUPPORTED,             801, "operation not supported") \
R(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing") \
R(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture") \
R(CUDA_ERROR_TIMEOUT,                   909, "wait operation timed out") \
R(CUDA_ERROR_UNKNOWN,                   999, "unknown error")

typedef enum cudaError_enum {
#define CU_R_(name, code, text) name = code,
	CU_RESULTS(CU_R_)
#undef CU_R_
	CUDA_RESULT_FORCE_32BIT_ = 0x7fffffff
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUarray_st *CUarray;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUtexref_st *CUtexref;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

/* Special streams: 0 is the legacy one, or the thread's own where that is the default. */
#define CU_STREAM_LEGACY	((CUstream)0x1)
#define CU_STREAM_PER_THREAD	((CUstream)0x2)

#define CU_DEVICE_INVALID	((CUdevice)-2)
#define CU_DEVICE_CPU		((CUdevice)-1)

typedef enum CUctx_flags_enum {
	CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4,
	CU_CTX_SCHED_MASK = 7, CU_CTX_MAP_HOST = 8, CU_CTX_LMEM_RESIZE_TO_MAX = 16,
	CU_CTX_COREDUMP_ENABLE = 0x20, CU_CTX_USER_COREDUMP_ENABLE = 0x40, CU_CTX_SYNC_MEMOPS = 0x80,
	CU_CTX_FLAGS_MASK = 0xff
} CUctx_flags;
typedef enum CUstream_flags_enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 } CUstream_flags;
typedef enum CUevent_flags_enum {
	CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2, CU_EVENT_INTERPROCESS = 4
} CUevent_flags;
typedef enum CUevent_record_flags_enum {
	CU_EVENT_RECORD_DEFAULT = 0, CU_EVENT_RECORD_EXTERNAL = 1
} CUevent_record_flags;
typedef enum CUevent_wait_flags_enum { CU_EVENT_WAIT_DEFAULT = 0, CU_EVENT_WAIT_EXTERNAL = 1 } CUevent_wait_flags;
#define CU_MEMHOSTALLOC_PORTABLE	1
#define CU_MEMHOSTALLOC_DEVICEMAP	2
#define CU_MEMHOSTALLOC_WRITECOMBINED	4
#define CU_MEMHOSTREGISTER_PORTABLE	1
#define CU_MEMHOSTREGISTER_DEVICEMAP	2
#define CU_MEMHOSTREGISTER_IOMEMORY	4
#define CU_MEMHOSTREGISTER_READ_ONLY	8

/* name, number, what it says of a PPU (CU_ATTR_ values that need thought: libruntime/cuda/device.c) */
#define CU_DEVICE_ATTRIBUTES(A) \
A(MAX_THREADS_PER_BLOCK, 1) A(MAX_BLOCK_DIM_X, 2) A(MAX_BLOCK_DIM_Y, 3) A(MAX_BLOCK_DIM_Z, 4) \
A(MAX_GRID_DIM_X, 5) A(MAX_GRID_DIM_Y, 6) A(MAX_GRID_DIM_Z, 7) A(MAX_SHARED_MEMORY_PER_BLOCK, 8) \
A(TOTAL_CONSTANT_MEMORY, 9) A(WARP_SIZE, 10) A(MAX_PITCH, 11) A(MAX_REGISTERS_PER_BLOCK, 12) \
A(CLOCK_RATE, 13) A(TEXTURE_ALIGNMENT, 14) A(GPU_OVERLAP, 15) A(MULTIPROCESSOR_COUNT, 16) \
A(KERNEL_EXEC_TIMEOUT, 17) A(INTEGRATED, 18) A(CAN_MAP_HOST_MEMORY, 19) A(COMPUTE_MODE, 20) \
A(MAXIMUM_TEXTURE1D_WIDTH, 21) A(MAXIMUM_TEXTURE2D_WIDTH, 22) A(MAXIMUM_TEXTURE2D_HEIGHT, 23) \
A(MAXIMUM_TEXTURE3D_WIDTH, 24) A(MAXIMUM_TEXTURE3D_HEIGHT, 25) A(MAXIMUM_TEXTURE3D_DEPTH, 26) \
A(SURFACE_ALIGNMENT, 30) A(CONCURRENT_KERNELS, 31) A(ECC_ENABLED, 32) A(PCI_BUS_ID, 33) \
A(PCI_DEVICE_ID, 34) A(TCC_DRIVER, 35) A(MEMORY_CLOCK_RATE, 36) A(GLOBAL_MEMORY_BUS_WIDTH, 37) \
A(L2_CACHE_SIZE, 38) A(MAX_THREADS_PER_MULTIPROCESSOR, 39) A(ASYNC_ENGINE_COUNT, 40) \
A(UNIFIED_ADDRESSING, 41) A(PCI_DOMAIN_ID, 50) A(TEXTURE_PITCH_ALIGNMENT, 51) \
A(COMPUTE_CAPABILITY_MAJOR, 75) A(COMPUTE_CAPABILITY_MINOR, 76) A(STREAM_PRIORITIES_SUPPORTED, 78) \
A(GLOBAL_L1_CACHE_SUPPORTED, 79) A(LOCAL_L1_CACHE_SUPPORTED, 80) \
A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) A(MAX_REGISTERS_PER_MULTIPROCESSOR, 82) \
A(MANAGED_MEMORY, 83) A(MULTI_GPU_BOARD, 84) A(MULTI_GPU_BOARD_GROUP_ID, 85) \
A(HOST_NATIVE_ATOMIC_SUPPORTED, 86) A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87) \
A(PAGEABLE_MEMORY_ACCESS, 88) A(CONCURRENT_MANAGED_ACCESS, 89) A(COMPUTE_PREEMPTION_SUPPORTED, 90) \
A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91) A(COOPERATIVE_LAUNCH, 95) \
A(COOPERATIVE_MULTI_DEVICE_LAUNCH, 96) A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
A(CAN_FLUSH_REMOTE_WRITES, 98) A(HOST_REGISTER_SUPPORTED, 99) \
A(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100) A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101) \
A(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) A(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103) \
A(MAX_BLOCKS_PER_MULTIPROCESSOR, 106) A(GENERIC_COMPRESSION_SUPPORTED, 107) \
A(MAX_PERSISTING_L2_CACHE_SIZE, 108) A(MAX_ACCESS_POLICY_WINDOW_SIZE, 109) \
A(RESERVED_SHARED_MEMORY_PER_BLOCK, 111) A(READ_ONLY_HOST_REGISTER_SUPPORTED, 113) \
A(MEMORY_POOLS_SUPPORTED, 115) A(CLUSTER_LAUNCH, 120) A(UNIFIED_FUNCTION_POINTERS, 129)
typedef enum CUdevice_attribute_enum {
#define CU_A_(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
	CU_DEVICE_ATTRIBUTES(CU_A_)
#undef CU_A_
	CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
	CU_DEVICE_ATTRIBUTE_MAX = 149
} CUdevice_attribute;

typedef struct CUdevprop_st {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory,
	    SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

typedef enum CUlimit_enum {
	CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE,
	CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
	CU_LIMIT_MAX_L2_FETCH_GRANULARITY, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, CU_LIMIT_MAX
} CUlimit;
typedef enum CUfunc_cache_enum {
	CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1, CU_FUNC_CACHE_PREFER_EQUAL
} CUfunc_cache;
typedef enum CUsharedconfig_enum {
	CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE,
	CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
} CUsharedconfig;
typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
	CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS,
	CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
	CU_FUNC_ATTRIBUTE_MAX
} CUfunction_attribute;
typedef enum CUjit_option_enum {
	CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER,
	CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
	CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY,
	CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE, CU_JIT_GENERATE_LINE_INFO, CU_JIT_CACHE_MODE,
	CU_JIT_NEW_SM3X_OPT, CU_JIT_FAST_COMPILE, CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
	CU_JIT_GLOBAL_SYMBOL_COUNT, CU_JIT_LTO, CU_JIT_FTZ, CU_JIT_PREC_DIV, CU_JIT_PREC_SQRT, CU_JIT_FMA,
	CU_JIT_REFERENCED_KERNEL_NAMES, CU_JIT_REFERENCED_KERNEL_COUNT, CU_JIT_REFERENCED_VARIABLE_NAMES,
	CU_JIT_REFERENCED_VARIABLE_COUNT, CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES,
	CU_JIT_POSITION_INDEPENDENT_CODE, CU_JIT_MIN_CTA_PER_SM, CU_JIT_MAX_THREADS_PER_BLOCK,
	CU_JIT_OVERRIDE_DIRECTIVE_VALUES, CU_JIT_NUM_OPTIONS
} CUjit_option;
typedef enum CUjitInputType_enum {
	CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT, CU_JIT_INPUT_LIBRARY,
	CU_JIT_INPUT_NVVM, CU_JIT_NUM_INPUT_TYPES
} CUjitInputType;
typedef enum CUmoduleLoadingMode_enum {
	CU_MODULE_EAGER_LOADING = 1, CU_MODULE_LAZY_LOADING = 2
} CUmoduleLoadingMode;
typedef enum CUmemorytype_enum {
	CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3, CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef enum CUpointer_attribute_enum {
	CU_POINTER_ATTRIBUTE_CONTEXT = 1, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
	CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_P2P_TOKENS, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
	CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
	CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
	CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MAPPED, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
	CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
	CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
} CUpointer_attribute;
typedef enum CUarray_format_enum {
	CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_AD_FORMAT_UNSIGNED_INT16 = 2, CU_AD_FORMAT_UNSIGNED_INT32 = 3,
	CU_AD_FORMAT_SIGNED_INT8 = 8, CU_AD_FORMAT_SIGNED_INT16 = 9, CU_AD_FORMAT_SIGNED_INT32 = 10,
	CU_AD_FORMAT_HALF = 16, CU_AD_FORMAT_FLOAT = 32
} CUarray_format;
typedef enum CUdriverProcAddress_flags_enum {
	CU_GET_PROC_ADDRESS_DEFAULT = 0, CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
	CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2
} CUdriverProcAddress_flags;
typedef enum CUdriverProcAddressQueryResult_enum {
	CU_GET_PROC_ADDRESS_SUCCESS = 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
	CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} CUdriverProcAddressQueryResult;
typedef enum CUdevice_P2PAttribute_enum {
	CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
	CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3, CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4
} CUdevice_P2PAttribute;
typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE, CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_INVALIDATED
} CUstreamCaptureStatus;
typedef enum CUcomputemode_enum {
	CU_COMPUTEMODE_DEFAULT = 0, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;

/* The `extra` form of cuLaunchKernel's arguments. */
#define CU_LAUNCH_PARAM_END		((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER	((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE	((void *)0x02)

typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes, srcY;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
	size_t Width, Height;
	CUarray_format Format;
	unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
	size_t Width, Height, Depth;
	CUarray_format Format;
	unsigned int NumChannels;
	unsigned int Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef enum CUlaunchAttributeID_enum {
	CU_LAUNCH_ATTRIBUTE_IGNORE = 0, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_PRIORITY = 8
} CUlaunchAttributeID;
typedef union CUlaunchAttributeValue_union {
	char pad[64];
	int cooperative;
	struct {
		unsigned int x, y, z;
	} clusterDim;
	int priority;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[8 - sizeof(CUlaunchAttributeID)];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCreateParams_st {
	CUexecAffinityParam *execAffinityParams;
	int numExecAffinityParams;
	void *cigParams;
} CUctxCreateParams;

typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);
typedef void (*CUhostFn)(void *data);
typedef size_t (*CUoccupancyB2DSize)(int block_size);

#include "cuda_calls.h"


#define CU_PROTO_(symbol, base, since, ...) CUresult symbol(CU_PARAMS(__VA_ARGS__));
#define CU_PROTO_PT_(symbol, pt, base, since, ...) \
	CUresult symbol(CU_PARAMS(__VA_ARGS__)); \
	CUresult pt(CU_PARAMS(__VA_ARGS__));
#define CU_PROTO_V_(symbol, base, since) CUresult symbol(void);
CU_CALLS(CU_PROTO_, CU_PROTO_PT_, CU_PROTO_V_)
#undef CU_PROTO_
#undef CU_PROTO_V_
#undef CU_PROTO_PT_

#ifndef PPU_CUDA_NO_NAMES
#include "cuda_names.h"
#endif

#ifdef __cplusplus
}
#endif
#endif
