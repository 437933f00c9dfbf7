/* SPDX-License-Identifier: MIT */
/* Types of the Driver API: graphs and stream capture.  Included by cuda.h. */
#ifndef PPU_CUDA_GRAPH_H
#define PPU_CUDA_GRAPH_H

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;

typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE, CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_INVALIDATED
} CUstreamCaptureStatus;
typedef enum CUstreamCaptureMode_enum {
	CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED
} CUstreamCaptureMode;
typedef enum CUstreamUpdateCaptureDependencies_flags_enum {
	CU_STREAM_ADD_CAPTURE_DEPENDENCIES, CU_STREAM_SET_CAPTURE_DEPENDENCIES
} CUstreamUpdateCaptureDependencies_flags;

typedef enum CUgraphNodeType_enum {
	CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST,
	CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
	CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
	CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
	CU_GRAPH_NODE_TYPE_CONDITIONAL
} CUgraphNodeType;

/* CUDA_KERNEL_NODE_PARAMS without its last two members. */
typedef struct CUDA_KERNEL_NODE_PARAMS_v1_st {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS_v1;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
	CUkernel kern;			/* used when func is NULL */
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;		/* out */
} CUDA_MEM_ALLOC_NODE_PARAMS;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_st {
	CUcontext ctx;
	unsigned int count;
	CUstreamBatchMemOpParams *paramArray;
	unsigned int flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef cuuint64_t CUgraphConditionalHandle;
#define CU_GRAPH_COND_ASSIGN_DEFAULT	0x1	/* each launch begins with the handle's default */
typedef enum CUgraphConditionalNodeType_enum {
	CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_WHILE, CU_GRAPH_COND_TYPE_SWITCH
} CUgraphConditionalNodeType;
typedef struct CUDA_CONDITIONAL_NODE_PARAMS_st {
	CUgraphConditionalHandle handle;
	CUgraphConditionalNodeType type;
	unsigned int size;
	CUgraph *phGraph_out;		/* out: the bodies, to be filled with nodes */
	CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;
typedef struct CUgraphNodeParams_st {
	CUgraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		CUDA_KERNEL_NODE_PARAMS kernel;
		struct {
			int flags, reserved;
			CUcontext copyCtx;
			CUDA_MEMCPY3D copyParams;
		} memcpy;
		struct {
			CUdeviceptr dst;
			size_t pitch;
			unsigned int value, elementSize;
			size_t width, height;
			CUcontext ctx;
		} memset;
		CUDA_HOST_NODE_PARAMS host;
		struct {
			CUgraph graph;
		} graph;
		struct {
			CUevent event;
		} eventWait, eventRecord;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		struct {
			CUdeviceptr dptr;
		} free;
		CUDA_BATCH_MEM_OP_NODE_PARAMS memOp;
		CUDA_CONDITIONAL_NODE_PARAMS conditional;
	};
	long long reserved2;
} CUgraphNodeParams;
/* All zero: an ordinary dependency, which is the only kind here. */
typedef struct CUgraphEdgeData_st {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

#define CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH	1
#define CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD		2
#define CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH	4
#define CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY	8
typedef enum CUgraphInstantiateResult_enum {
	CUDA_GRAPH_INSTANTIATE_SUCCESS, CUDA_GRAPH_INSTANTIATE_ERROR, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
	CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED
} CUgraphInstantiateResult;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
	unsigned long long flags;
	CUstream hUploadStream;
	CUgraphNode hErrNode_out;
	CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef enum CUgraphExecUpdateResult_enum {
	CU_GRAPH_EXEC_UPDATE_SUCCESS, CU_GRAPH_EXEC_UPDATE_ERROR, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
	CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED,
	CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED
} CUgraphExecUpdateResult;
typedef struct CUgraphExecUpdateResultInfo_st {
	CUgraphExecUpdateResult result;
	CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;
typedef enum CUgraphMem_attribute_enum {
	CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
	CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
} CUgraphMem_attribute;
#define CU_USER_OBJECT_NO_DESTRUCTOR_SYNC	1
#define CU_GRAPH_USER_OBJECT_MOVE		1

#endif
