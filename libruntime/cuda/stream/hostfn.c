/* SPDX-License-Identifier: MIT */
/* Host functions in streams. */
#include <stdlib.h>

#include <ppu.h>
#include "cuda/context/error.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/work.h"
#include "cuda/stream/stream.h"

CUresult i_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_HOST };

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	op.host = (CUDA_HOST_NODE_PARAMS){ function, data };
	return cu_op_submit(&op, stream, false);
}

struct callback {
	CUstreamCallback function;
	CUstream stream;
	void *data;
};

static void call_back(void *arg)
{
	struct callback c = *(struct callback *)arg;

	free(arg);
	c.function(c.stream, CUDA_SUCCESS, c.data);
}

CUresult i_cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned int flags)
{
	struct cu_stream_use u;
	struct callback *c;
	CUresult r;

	if (!function || flags)
		return CUDA_ERROR_INVALID_VALUE;
	c = malloc(sizeof(*c));
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*c = (struct callback){ function, stream, data };
	/* The callback is made once, so it cannot be in a graph, which may be launched often. */
	r = cu_stream_get(stream, &u);
	if (!r) {
		r = cu_capture_forbids(&u);
		if (!r)
			r = cu_result(ppuLaunchHostFunc(u.ppu, call_back, c));
		cu_stream_put(&u);
	}
	if (r)
		free(c);
	return r;
}
