/* SPDX-License-Identifier: MIT */
/*
 * Functions of the Driver API under names of our own, with the Runtime API's types where both have the same
 * layout.  They are weak: over a driver library without one of them, the runtime's function is not supported.
 */
#ifndef PPU_CUDART_DRIVER_MORE_H
#define PPU_CUDART_DRIVER_MORE_H

#define DRV(name, symbol, ...) extern CUresult name(__VA_ARGS__) __asm__(symbol) __attribute__((weak));

/* CUDA_RESOURCE_DESC */
struct drv_resource {
	int type;			/* enum cudaResourceType has the same numbers */
	union {
		void *array;
		struct {
			CUdeviceptr ptr;
			CUarray_format format;
			unsigned int channels;
			size_t bytes;
		} linear;
		struct {
			CUdeviceptr ptr;
			CUarray_format format;
			unsigned int channels;
			size_t width, height, pitch;
		} pitch;
		int room[32];
	} res;
	unsigned int flags;
};
/* CUDA_TEXTURE_DESC */
struct drv_texture {
	int address[3];			/* enum cudaTextureAddressMode, cudaTextureFilterMode: the same numbers */
	int filter;
	unsigned int flags, max_anisotropy;
	int mipmap_filter;
	float level_bias, min_level, max_level, border[4];
	int room[12];
};
#define DRV_TEXTURE_INTEGERS	1	/* read as integers */
#define DRV_TEXTURE_NORMALIZED	2	/* coordinates from 0 to 1 */
#define DRV_TEXTURE_SRGB	0x10
#define DRV_ARRAY_LAYERED	1
#define DRV_ARRAY_SURFACE	2
#define DRV_ARRAY_CUBEMAP	4
#define DRV_ARRAY_GATHER	8

DRV(drv_tex_create, "cuTexObjectCreate", cudaTextureObject_t *, const struct drv_resource *,
    const struct drv_texture *, const void *)
DRV(drv_tex_destroy, "cuTexObjectDestroy", cudaTextureObject_t)
DRV(drv_tex_resource, "cuTexObjectGetResourceDesc", struct drv_resource *, cudaTextureObject_t)
DRV(drv_tex_desc, "cuTexObjectGetTextureDesc", struct drv_texture *, cudaTextureObject_t)
DRV(drv_surf_create, "cuSurfObjectCreate", cudaSurfaceObject_t *, const struct drv_resource *)
DRV(drv_surf_destroy, "cuSurfObjectDestroy", cudaSurfaceObject_t)
DRV(drv_surf_resource, "cuSurfObjectGetResourceDesc", struct drv_resource *, cudaSurfaceObject_t)

DRV(drv_managed, "cuMemAllocManaged", CUdeviceptr *, size_t, unsigned int)
DRV(drv_advise, "cuMemAdvise", CUdeviceptr, size_t, int, int)
DRV(drv_prefetch, "cuMemPrefetchAsync", CUdeviceptr, size_t, int, CUstream)
DRV(drv_prefetch_pt, "cuMemPrefetchAsync_ptsz", CUdeviceptr, size_t, int, CUstream)
DRV(drv_range_attribute, "cuMemRangeGetAttribute", void *, size_t, int, CUdeviceptr, size_t)
DRV(drv_attach, "cuStreamAttachMemAsync", CUstream, CUdeviceptr, size_t, unsigned int)
DRV(drv_host_register, "cuMemHostRegister_v2", void *, size_t, unsigned int)
DRV(drv_host_unregister, "cuMemHostUnregister", void *)

DRV(drv_alloc_async, "cuMemAllocAsync", CUdeviceptr *, size_t, CUstream)
DRV(drv_free_async, "cuMemFreeAsync", CUdeviceptr, CUstream)
DRV(drv_alloc_pool, "cuMemAllocFromPoolAsync", CUdeviceptr *, size_t, cudaMemPool_t, CUstream)
DRV(drv_pool_create, "cuMemPoolCreate", cudaMemPool_t *, const struct cudaMemPoolProps *)
DRV(drv_pool_destroy, "cuMemPoolDestroy", cudaMemPool_t)
DRV(drv_pool_trim, "cuMemPoolTrimTo", cudaMemPool_t, size_t)
DRV(drv_pool_set, "cuMemPoolSetAttribute", cudaMemPool_t, int, void *)
DRV(drv_pool_get, "cuMemPoolGetAttribute", cudaMemPool_t, int, void *)
DRV(drv_pool_set_access, "cuMemPoolSetAccess", cudaMemPool_t, const struct cudaMemAccessDesc *, size_t)
DRV(drv_pool_get_access, "cuMemPoolGetAccess", enum cudaMemAccessFlags *, cudaMemPool_t, struct cudaMemLocation *)
DRV(drv_default_pool, "cuDeviceGetDefaultMemPool", cudaMemPool_t *, CUdevice)
DRV(drv_get_pool, "cuDeviceGetMemPool", cudaMemPool_t *, CUdevice)
DRV(drv_set_pool, "cuDeviceSetMemPool", CUdevice, cudaMemPool_t)

DRV(drv_cooperative, "cuLaunchCooperativeKernel", CUfunction, unsigned int, unsigned int, unsigned int,
    unsigned int, unsigned int, unsigned int, unsigned int, CUstream, void **)

/* CUDA_KERNEL_NODE_PARAMS, second version */
struct drv_kernel_node {
	CUfunction func;
	unsigned int grid[3], block[3], shared;
	void **params, **extra;
	void *kern, *ctx;
};
/* CUDA_MEMSET_NODE_PARAMS */
struct drv_memset_node {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, element;
	size_t width, height;
};
DRV(drv_capture, "cuStreamBeginCapture_v2", CUstream, int)
DRV(drv_capturing, "cuStreamIsCapturing", CUstream, enum cudaStreamCaptureStatus *)
DRV(drv_end_capture, "cuStreamEndCapture", CUstream, cudaGraph_t *)
DRV(drv_exchange_mode, "cuThreadExchangeStreamCaptureMode", int *)
DRV(drv_graph_create, "cuGraphCreate", cudaGraph_t *, unsigned int)
DRV(drv_graph_destroy, "cuGraphDestroy", cudaGraph_t)
DRV(drv_graph_clone, "cuGraphClone", cudaGraph_t *, cudaGraph_t)
DRV(drv_graph_kernel, "cuGraphAddKernelNode_v2", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
    const struct drv_kernel_node *)
DRV(drv_graph_copy, "cuGraphAddMemcpyNode", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
    const CUDA_MEMCPY3D *, CUcontext)
DRV(drv_graph_memset, "cuGraphAddMemsetNode", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
    const struct drv_memset_node *, CUcontext)
DRV(drv_graph_host, "cuGraphAddHostNode", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
    const struct cudaHostNodeParams *)
DRV(drv_graph_empty, "cuGraphAddEmptyNode", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t)
DRV(drv_graph_child, "cuGraphAddChildGraphNode", cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
    cudaGraph_t)
DRV(drv_graph_depend, "cuGraphAddDependencies", cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t)
DRV(drv_graph_nodes, "cuGraphGetNodes", cudaGraph_t, cudaGraphNode_t *, size_t *)
DRV(drv_graph_instantiate, "cuGraphInstantiateWithFlags", cudaGraphExec_t *, cudaGraph_t, unsigned long long)
DRV(drv_graph_upload, "cuGraphUpload", cudaGraphExec_t, CUstream)
DRV(drv_graph_launch, "cuGraphLaunch", cudaGraphExec_t, CUstream)
DRV(drv_exec_destroy, "cuGraphExecDestroy", cudaGraphExec_t)
DRV(drv_exec_update, "cuGraphExecUpdate_v2", cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *)
DRV(drv_exec_kernel, "cuGraphExecKernelNodeSetParams_v2", cudaGraphExec_t, cudaGraphNode_t,
    const struct drv_kernel_node *)
DRV(drv_exec_copy, "cuGraphExecMemcpyNodeSetParams", cudaGraphExec_t, cudaGraphNode_t, const CUDA_MEMCPY3D *,
    CUcontext)
DRV(drv_graph_dot, "cuGraphDebugDotPrint", cudaGraph_t, const char *, unsigned int)
#undef DRV

/* A weak function's result, or that there is none. */
#define DRV_CALL(name, ...) (name ? crt_error(name(__VA_ARGS__)) : cudaErrorNotSupported)

#endif
