/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API as libcuda.so.1 of the PPU offers it: names, numbers and layouts are those of the
 * ABI that compiled programs use; the text is our own.  With this header programs build without the
 * vendor's SDK.  Documentation/runtime/cuda.md has the table of functions and their state.
 *
 * The functions themselves are one list, cuda_calls.h, expanded to prototypes below.  As in the vendor's
 * header a plain name such as cuMemAlloc is a macro for the newest version of the function; with
 * CUDA_API_PER_THREAD_DEFAULT_STREAM defined, the default stream means each thread's own default
 * stream.
 *
 * Every function returns a CUresult and may be called from any thread.  An error of a kernel is sticky:
 * each later call in that context returns it until the context is destroyed.
 */
#ifndef PPU_CUDA_H
#define PPU_CUDA_H
#define __cuda_cuda_h__	/* programs ask for this name */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 12080		/* 1000 * major + 10 * minor: what this header declares */
#define PPU_CUDA_DRIVER_VERSION 13000	/* what cuDriverGetVersion says, unless PPU_CUDA_VERSION says otherwise */
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
R(CUDA_ERROR_PROFILER_NOT_INITIALIZED,      6, "profiler not initialized: call cuProfilerInitialize()") \
R(CUDA_ERROR_PROFILER_ALREADY_STARTED,      7, "profiler already started") \
R(CUDA_ERROR_PROFILER_ALREADY_STOPPED,      8, "profiler already stopped") \
R(CUDA_ERROR_STUB_LIBRARY,               34, "CUDA driver is a stub library") \
R(CUDA_ERROR_DEVICE_UNAVAILABLE,         46, "CUDA-capable device(s) is/are busy or unavailable") \
R(CUDA_ERROR_NO_DEVICE,                 100, "no CUDA-capable device is detected") \
R(CUDA_ERROR_INVALID_DEVICE,            101, "invalid device ordinal") \
R(CUDA_ERROR_DEVICE_NOT_LICENSED,         102, "device doesn't have a valid license") \
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
R(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,    225, "the provided PTX contains unsupported device-side synchronization") \
R(CUDA_ERROR_CONTAINED,                   226, "a contained error was encountered") \
R(CUDA_ERROR_INVALID_SOURCE,            300, "device kernel image is invalid") \
R(CUDA_ERROR_FILE_NOT_FOUND,            301, "file not found") \
R(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, "shared object symbol not found") \
R(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "shared object initialization failed") \
R(CUDA_ERROR_OPERATING_SYSTEM,          304, "OS call failed or operation not supported on this OS") \
R(CUDA_ERROR_INVALID_HANDLE,            400, "invalid resource handle") \
R(CUDA_ERROR_ILLEGAL_STATE,             401, "the operation cannot be performed in the present state") \
R(CUDA_ERROR_LOSSY_QUERY,                 402, "attempted introspection would be semantically lossy") \
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
R(CUDA_ERROR_TENSOR_MEMORY_LEAK,          721, "tensor memory not completely freed") \
R(CUDA_ERROR_NOT_PERMITTED,             800, "operation not permitted") \
R(CUDA_ERROR_NOT_SUPPORTED,             801, "operation not supported") \
R(CUDA_ERROR_SYSTEM_NOT_READY,            802, "system not yet initialized") \
R(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,      803, "system has unsupported display driver / cuda driver combination") \
R(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, "forward compatibility was attempted on non supported HW") \
R(CUDA_ERROR_MPS_CONNECTION_FAILED,       805, "MPS client failed to connect to the MPS control daemon or the MPS server") \
R(CUDA_ERROR_MPS_RPC_FAILURE,             806, "the remote procedural call between the MPS server and the MPS client failed") \
R(CUDA_ERROR_MPS_SERVER_NOT_READY,        807, "MPS server is not ready to accept new MPS client requests") \
R(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,     808, "the hardware resources required to create MPS client have been exhausted") \
R(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809, "the hardware resources required to support device connections have been exhausted") \
R(CUDA_ERROR_MPS_CLIENT_TERMINATED,       810, "the MPS client has been terminated by the server") \
R(CUDA_ERROR_CDP_NOT_SUPPORTED,           811, "is using CUDA Dynamic Parallelism, but the current configuration does not support it") \
R(CUDA_ERROR_CDP_VERSION_MISMATCH,        812, "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
R(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing") \
R(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture") \
R(CUDA_ERROR_STREAM_CAPTURE_MERGE,        902, "operation would result in a merge of separate capture sequences") \
R(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,    903, "capture was not ended in the same stream as it began") \
R(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,     904, "capturing stream has unjoined work") \
R(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,    905, "dependency created on uncaptured work in another stream") \
R(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,     906, "operation would make the legacy stream depend on a capturing blocking stream") \
R(CUDA_ERROR_CAPTURED_EVENT,              907, "operation not permitted on an event last recorded in a capturing stream") \
R(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "attempt to terminate a thread-local capture sequence from another thread") \
R(CUDA_ERROR_TIMEOUT,                   909, "wait operation timed out") \
R(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,   910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
R(CUDA_ERROR_EXTERNAL_DEVICE,             911, "an async error has occurred in external entity outside of CUDA") \
R(CUDA_ERROR_INVALID_CLUSTER_SIZE,        912, "a kernel launch error has occurred due to cluster misconfiguration") \
R(CUDA_ERROR_FUNCTION_NOT_LOADED,         913, "the function handle is not loaded") \
R(CUDA_ERROR_INVALID_RESOURCE_TYPE,       914, "the resource type is not allowed for the operation") \
R(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915, "the resource configuration is insufficient or not applicable") \
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
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUtexref_st *CUtexref;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

/* Special streams.  Stream 0 is the legacy stream, or the thread's own stream if programs are built that way. */
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

/* name, number; libruntime/cuda/context/device.c has the values for a PPU */
#define CU_DEVICE_ATTRIBUTES(A) \
A(MAX_THREADS_PER_BLOCK, 1) A(MAX_BLOCK_DIM_X, 2) A(MAX_BLOCK_DIM_Y, 3) A(MAX_BLOCK_DIM_Z, 4) \
A(MAX_GRID_DIM_X, 5) A(MAX_GRID_DIM_Y, 6) A(MAX_GRID_DIM_Z, 7) A(MAX_SHARED_MEMORY_PER_BLOCK, 8) \
A(TOTAL_CONSTANT_MEMORY, 9) A(WARP_SIZE, 10) A(MAX_PITCH, 11) A(MAX_REGISTERS_PER_BLOCK, 12) \
A(CLOCK_RATE, 13) A(TEXTURE_ALIGNMENT, 14) A(GPU_OVERLAP, 15) A(MULTIPROCESSOR_COUNT, 16) \
A(KERNEL_EXEC_TIMEOUT, 17) A(INTEGRATED, 18) A(CAN_MAP_HOST_MEMORY, 19) A(COMPUTE_MODE, 20) \
A(MAXIMUM_TEXTURE1D_WIDTH, 21) A(MAXIMUM_TEXTURE2D_WIDTH, 22) A(MAXIMUM_TEXTURE2D_HEIGHT, 23) \
A(MAXIMUM_TEXTURE3D_WIDTH, 24) A(MAXIMUM_TEXTURE3D_HEIGHT, 25) A(MAXIMUM_TEXTURE3D_DEPTH, 26) \
A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 27) A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 28) \
A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 29) A(SURFACE_ALIGNMENT, 30) A(CONCURRENT_KERNELS, 31) \
A(ECC_ENABLED, 32) A(PCI_BUS_ID, 33) A(PCI_DEVICE_ID, 34) A(TCC_DRIVER, 35) A(MEMORY_CLOCK_RATE, 36) \
A(GLOBAL_MEMORY_BUS_WIDTH, 37) A(L2_CACHE_SIZE, 38) A(MAX_THREADS_PER_MULTIPROCESSOR, 39) \
A(ASYNC_ENGINE_COUNT, 40) A(UNIFIED_ADDRESSING, 41) A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 42) \
A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 43) A(CAN_TEX2D_GATHER, 44) A(MAXIMUM_TEXTURE2D_GATHER_WIDTH, 45) \
A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 46) A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 47) \
A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 48) A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 49) A(PCI_DOMAIN_ID, 50) \
A(TEXTURE_PITCH_ALIGNMENT, 51) A(MAXIMUM_TEXTURECUBEMAP_WIDTH, 52) \
A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 53) A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 54) \
A(MAXIMUM_SURFACE1D_WIDTH, 55) A(MAXIMUM_SURFACE2D_WIDTH, 56) A(MAXIMUM_SURFACE2D_HEIGHT, 57) \
A(MAXIMUM_SURFACE3D_WIDTH, 58) A(MAXIMUM_SURFACE3D_HEIGHT, 59) A(MAXIMUM_SURFACE3D_DEPTH, 60) \
A(MAXIMUM_SURFACE1D_LAYERED_WIDTH, 61) A(MAXIMUM_SURFACE1D_LAYERED_LAYERS, 62) \
A(MAXIMUM_SURFACE2D_LAYERED_WIDTH, 63) A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 64) \
A(MAXIMUM_SURFACE2D_LAYERED_LAYERS, 65) A(MAXIMUM_SURFACECUBEMAP_WIDTH, 66) \
A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 67) A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 68) \
A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 69) A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 70) \
A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 71) A(MAXIMUM_TEXTURE2D_LINEAR_PITCH, 72) \
A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 73) A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 74) \
A(COMPUTE_CAPABILITY_MAJOR, 75) A(COMPUTE_CAPABILITY_MINOR, 76) A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 77) \
A(STREAM_PRIORITIES_SUPPORTED, 78) A(GLOBAL_L1_CACHE_SUPPORTED, 79) A(LOCAL_L1_CACHE_SUPPORTED, 80) \
A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) A(MAX_REGISTERS_PER_MULTIPROCESSOR, 82) A(MANAGED_MEMORY, 83) \
A(MULTI_GPU_BOARD, 84) A(MULTI_GPU_BOARD_GROUP_ID, 85) A(HOST_NATIVE_ATOMIC_SUPPORTED, 86) \
A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87) A(PAGEABLE_MEMORY_ACCESS, 88) A(CONCURRENT_MANAGED_ACCESS, 89) \
A(COMPUTE_PREEMPTION_SUPPORTED, 90) A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91) \
A(CAN_USE_STREAM_MEM_OPS_V1, 92) A(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 93) \
A(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 94) A(COOPERATIVE_LAUNCH, 95) A(COOPERATIVE_MULTI_DEVICE_LAUNCH, 96) \
A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) A(CAN_FLUSH_REMOTE_WRITES, 98) A(HOST_REGISTER_SUPPORTED, 99) \
A(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100) A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101) \
A(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) A(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103) \
A(HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 104) A(HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 105) \
A(MAX_BLOCKS_PER_MULTIPROCESSOR, 106) A(GENERIC_COMPRESSION_SUPPORTED, 107) \
A(MAX_PERSISTING_L2_CACHE_SIZE, 108) A(MAX_ACCESS_POLICY_WINDOW_SIZE, 109) \
A(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 110) A(RESERVED_SHARED_MEMORY_PER_BLOCK, 111) \
A(SPARSE_CUDA_ARRAY_SUPPORTED, 112) A(READ_ONLY_HOST_REGISTER_SUPPORTED, 113) \
A(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 114) A(MEMORY_POOLS_SUPPORTED, 115) \
A(GPU_DIRECT_RDMA_SUPPORTED, 116) A(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 117) \
A(GPU_DIRECT_RDMA_WRITES_ORDERING, 118) A(MEMPOOL_SUPPORTED_HANDLE_TYPES, 119) A(CLUSTER_LAUNCH, 120) \
A(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 121) A(CAN_USE_64_BIT_STREAM_MEM_OPS, 122) \
A(CAN_USE_STREAM_WAIT_VALUE_NOR, 123) A(DMA_BUF_SUPPORTED, 124) A(IPC_EVENT_SUPPORTED, 125) \
A(MEM_SYNC_DOMAIN_COUNT, 126) A(TENSOR_MAP_ACCESS_SUPPORTED, 127) A(HANDLE_TYPE_FABRIC_SUPPORTED, 128) \
A(UNIFIED_FUNCTION_POINTERS, 129) A(NUMA_CONFIG, 130) A(NUMA_ID, 131) A(MULTICAST_SUPPORTED, 132) \
A(MPS_ENABLED, 133) A(HOST_NUMA_ID, 134) A(D3D12_CIG_SUPPORTED, 135) A(MEM_DECOMPRESS_ALGORITHM_MASK, 136) \
A(MEM_DECOMPRESS_MAXIMUM_LENGTH, 137) A(VULKAN_CIG_SUPPORTED, 138) A(GPU_PCI_DEVICE_ID, 139) \
A(GPU_PCI_SUBSYSTEM_ID, 140) A(HOST_NUMA_MULTINODE_IPC_SUPPORTED, 143)
typedef enum CUdevice_attribute_enum {
#define CU_A_(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
	CU_DEVICE_ATTRIBUTES(CU_A_)
#undef CU_A_
	CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
	CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
	CU_DEVICE_ATTRIBUTE_MAX = 149
} CUdevice_attribute;

typedef struct CUdevprop_st {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory,
	    SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

typedef enum CUlimit_enum {
	CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE,
	CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
	CU_LIMIT_MAX_L2_FETCH_GRANULARITY, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, CU_LIMIT_SHMEM_SIZE,
	CU_LIMIT_CIG_ENABLED, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED, CU_LIMIT_MAX
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
	CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
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
	CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
	CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE
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
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
	CU_LAUNCH_ATTRIBUTE_PRIORITY = 8, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
	CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
	CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14, CU_LAUNCH_ATTRIBUTE_MAX
} CUlaunchAttributeID;
typedef enum CUaccessProperty_enum {
	CU_ACCESS_PROPERTY_NORMAL, CU_ACCESS_PROPERTY_STREAMING, CU_ACCESS_PROPERTY_PERSISTING
} CUaccessProperty;
typedef struct CUaccessPolicyWindow_st {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	CUaccessProperty hitProp, missProp;
} CUaccessPolicyWindow;
typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;	/* for kernels */
typedef union CUlaunchAttributeValue_union {
	char pad[64];
	CUaccessPolicyWindow accessPolicyWindow;
	int cooperative;
	struct {
		unsigned int x, y, z;
	} clusterDim;
	int priority, syncPolicy, programmaticStreamSerializationAllowed;
	unsigned int sharedMemCarveout;
	struct {
		int deviceUpdatable;
		CUgraphDeviceNode devNode;	/* out */
	} deviceUpdatableKernelNode;
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

typedef unsigned long long cuuint64_t;
typedef unsigned int cuuint32_t;
typedef enum CUlibraryOption_enum {
	CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, CU_LIBRARY_BINARY_IS_PRESERVED, CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;
typedef enum CUfunctionLoadingState_enum {
	CU_FUNCTION_LOADING_STATE_UNLOADED, CU_FUNCTION_LOADING_STATE_LOADED, CU_FUNCTION_LOADING_STATE_MAX
} CUfunctionLoadingState;
typedef enum CUexecAffinityType_enum { CU_EXEC_AFFINITY_TYPE_SM_COUNT, CU_EXEC_AFFINITY_TYPE_MAX } CUexecAffinityType;
typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR, CU_OUT_CSV } CUoutput_mode;

#include "cuda_memory.h"
#include "cuda_texture.h"
#include "cuda_tensor.h"
#include "cuda_graph.h"
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
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#include "cuda_names.h"
#endif

#ifdef __cplusplus
}
#ifndef PPU_CUDA_NO_NAMES
/* cuCtxCreate as sources for CUDA 13 call it. */
static inline CUresult cuCtxCreate_v2(CUcontext *ctx, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
	return cuCtxCreate_v4(ctx, params, flags, device);
}
#endif
#endif
#endif
