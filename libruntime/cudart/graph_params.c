/* SPDX-License-Identifier: MIT */
/* Parameters of nodes: from the Runtime API's structs to the Driver API's, and back for who asks a node. */
#include <string.h>
#include "cudart.h"
#include "graph_params.h"

/* ---- kernels -------------------------------------------------------------------------------- */

cudaError_t crt_kernel_params(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	*out = (CUDA_KERNEL_NODE_PARAMS){
		.gridDimX = p->gridDim.x, .gridDimY = p->gridDim.y, .gridDimZ = p->gridDim.z,
		.blockDimX = p->blockDim.x, .blockDimY = p->blockDim.y, .blockDimZ = p->blockDim.z,
		.sharedMemBytes = p->sharedMemBytes, .kernelParams = p->kernelParams, .extra = p->extra,
	};
	return crt_function(p->func, &out->func);
}

cudaError_t i_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out)
{
	CUDA_KERNEL_NODE_PARAMS k;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!out)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuGraphKernelNodeGetParams_v2, node, &k);
	if (!e)
		*out = (struct cudaKernelNodeParams){
			.func = crt_function_host(k.func), .gridDim = { k.gridDimX, k.gridDimY, k.gridDimZ },
			.blockDim = { k.blockDimX, k.blockDimY, k.blockDimZ }, .sharedMemBytes = k.sharedMemBytes,
			.kernelParams = k.kernelParams, .extra = k.extra,
		};
	return e;
}

/* ---- copies --------------------------------------------------------------------------------- */

struct cudaMemcpy3DParms crt_flat_copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	return (struct cudaMemcpy3DParms){
		.srcPtr = { (void *)(uintptr_t)src, bytes, bytes, 1 }, .dstPtr = { dst, bytes, bytes, 1 },
		.extent = { bytes, 1, 1 }, .kind = kind,
	};
}

/* Where in a variable. */
static cudaError_t in_symbol(void **out, const void *symbol, size_t bytes, size_t offset)
{
	CUdeviceptr at;
	size_t size;
	cudaError_t e = crt_variable(symbol, &at, &size);

	if (e)
		return e;
	if (offset > size || bytes > size - offset)
		return cudaErrorInvalidValue;
	*out = (void *)(uintptr_t)(at + offset);
	return cudaSuccess;
}

cudaError_t crt_copy_to_symbol(struct cudaMemcpy3DParms *out, const void *symbol, const void *src, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind)
{
	void *at;
	cudaError_t e;

	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = in_symbol(&at, symbol, bytes, offset);
	if (!e)
		*out = crt_flat_copy(at, src, bytes, kind);
	return e;
}

cudaError_t crt_copy_from_symbol(struct cudaMemcpy3DParms *out, void *dst, const void *symbol, size_t bytes, size_t offset,
				 enum cudaMemcpyKind kind)
{
	void *at;
	cudaError_t e;

	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = in_symbol(&at, symbol, bytes, offset);
	if (!e)
		*out = crt_flat_copy(dst, at, bytes, kind);
	return e;
}

static void *pointer(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
}

/* What kind of copy it was made from; one side an array: the array's memory is the device's. */
static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY3D *c)
{
	bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;

	if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (from_host)
		return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
	return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static size_t element(CUmemorytype type, CUarray array)
{
	size_t bytes = type == CU_MEMORYTYPE_ARRAY ? crt_array_element((cudaArray_t)array) : 1;

	return bytes ? bytes : 1;
}

/* The reverse of crt_copy_3d(): widths count elements if a side is an array. */
static void copy_of(struct cudaMemcpy3DParms *out, const CUDA_MEMCPY3D *c)
{
	size_t from = element(c->srcMemoryType, c->srcArray), to = element(c->dstMemoryType, c->dstArray);

	*out = (struct cudaMemcpy3DParms){
		.srcPos = { c->srcXInBytes / from, c->srcY, c->srcZ }, .dstPos = { c->dstXInBytes / to, c->dstY, c->dstZ },
		.extent = { c->WidthInBytes / (from > 1 ? from : to), c->Height, c->Depth }, .kind = kind_of(c),
	};
	if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY)
		out->srcArray = (cudaArray_t)c->srcArray;
	else
		out->srcPtr = (struct cudaPitchedPtr){ pointer(c->srcMemoryType, c->srcHost, c->srcDevice), c->srcPitch,
						       c->WidthInBytes, c->srcHeight };
	if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
		out->dstArray = (cudaArray_t)c->dstArray;
	else
		out->dstPtr = (struct cudaPitchedPtr){ pointer(c->dstMemoryType, c->dstHost, c->dstDevice), c->dstPitch,
						       c->WidthInBytes, c->dstHeight };
}

cudaError_t i_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out)
{
	CUDA_MEMCPY3D c;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!out)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuGraphMemcpyNodeGetParams, node, &c);
	if (!e)
		copy_of(out, &c);
	return e;
}

/* ---- fills ---------------------------------------------------------------------------------- */

cudaError_t crt_fill_params(CUDA_MEMSET_NODE_PARAMS *out, const struct cudaMemsetParams *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	*out = (CUDA_MEMSET_NODE_PARAMS){ (uintptr_t)p->dst, p->pitch, p->value, p->elementSize, p->width, p->height };
	return cudaSuccess;
}

cudaError_t i_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out)
{
	CUDA_MEMSET_NODE_PARAMS m;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!out)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuGraphMemsetNodeGetParams, node, &m);
	if (!e)
		*out = (struct cudaMemsetParams){ (void *)(uintptr_t)m.dst, m.pitch, m.value, m.elementSize, m.width, m.height };
	return e;
}

/* ---- any node ------------------------------------------------------------------------------- */

static cudaError_t any_kernel(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p, CUcontext ctx)
{
	out->kernel.ctx = ctx;
	return crt_kernel_params(&out->kernel, &p->kernel);
}

static cudaError_t any_copy(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p, CUcontext ctx)
{
	if (p->memcpy.flags)
		return cudaErrorInvalidValue;
	out->memcpy.copyCtx = ctx;
	return crt_copy_3d(&out->memcpy.copyParams, &p->memcpy.copyParams);
}

static cudaError_t any_fill(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p, CUcontext ctx)
{
	CUDA_MEMSET_NODE_PARAMS m;
	cudaError_t e = crt_fill_params(&m, &p->memset);

	if (e)
		return e;
	out->memset.dst = m.dst;
	out->memset.pitch = m.pitch;
	out->memset.value = m.value;
	out->memset.elementSize = m.elementSize;
	out->memset.width = m.width;
	out->memset.height = m.height;
	out->memset.ctx = ctx;
	return cudaSuccess;
}

cudaError_t crt_node_params(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p)
{
	unsigned long long id;
	CUcontext ctx;
	cudaError_t e = crt_context(&ctx, &id);

	if (e)
		return e;
	if (!p)
		return cudaErrorInvalidValue;
	memset(out, 0, sizeof(*out));
	out->type = (CUgraphNodeType)p->type;
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return any_kernel(out, p, ctx);
	case cudaGraphNodeTypeMemcpy:
		return any_copy(out, p, ctx);
	case cudaGraphNodeTypeMemset:
		return any_fill(out, p, ctx);
	case cudaGraphNodeTypeHost:
		out->host = *CRT_SAME(const CUDA_HOST_NODE_PARAMS *, &p->host);
		break;
	case cudaGraphNodeTypeGraph:
		out->graph.graph = p->graph.graph;
		break;
	case cudaGraphNodeTypeEmpty:
		break;
	case cudaGraphNodeTypeWaitEvent:
		out->eventWait.event = p->eventWait.event;
		break;
	case cudaGraphNodeTypeEventRecord:
		out->eventRecord.event = p->eventRecord.event;
		break;
	case cudaGraphNodeTypeMemAlloc:
		out->alloc = *CRT_SAME(const CUDA_MEM_ALLOC_NODE_PARAMS *, &p->alloc);
		break;
	case cudaGraphNodeTypeMemFree:
		out->free.dptr = (uintptr_t)p->free.dptr;
		break;
	case cudaGraphNodeTypeConditional:
		out->conditional.handle = p->conditional.handle;
		out->conditional.type = (CUgraphConditionalNodeType)p->conditional.type;
		out->conditional.size = p->conditional.size;
		break;
	default:
		return p->type >= 0 && p->type <= cudaGraphNodeTypeConditional ? cudaErrorNotSupported : cudaErrorInvalidValue;
	}
	return cudaSuccess;
}
