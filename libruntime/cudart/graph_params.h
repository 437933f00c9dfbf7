/* SPDX-License-Identifier: MIT */
/* Parameters of nodes: from the Runtime API's structs to the Driver API's (graph_params.c). */
#ifndef PPU_CUDART_GRAPH_PARAMS_H
#define PPU_CUDART_GRAPH_PARAMS_H

#include "cudart.h"

#pragma GCC visibility push(hidden)
cudaError_t crt_kernel_params(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *p);
cudaError_t crt_fill_params(CUDA_MEMSET_NODE_PARAMS *out, const struct cudaMemsetParams *p);
/* Parameters of any node. */
cudaError_t crt_node_params(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p);

/* Copies of bytes in a row, and to and from a variable that must have them all. */
struct cudaMemcpy3DParms crt_flat_copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t crt_copy_to_symbol(struct cudaMemcpy3DParms *out, const void *symbol, const void *src, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind);
cudaError_t crt_copy_from_symbol(struct cudaMemcpy3DParms *out, void *dst, const void *symbol, size_t bytes, size_t offset,
				 enum cudaMemcpyKind kind);
#pragma GCC visibility pop

#endif
