/* SPDX-License-Identifier: MIT */
/* Streams that wait for a word in memory, or write one. */
#include <stdint.h>

#include <ppu.h>
#include "cuda/stream/memop.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"

static const ppuWordKind wait_kind[] = {
	[CU_STREAM_WAIT_VALUE_GEQ] = PPU_WORD_WAIT_GEQ, [CU_STREAM_WAIT_VALUE_EQ] = PPU_WORD_WAIT_EQ,
	[CU_STREAM_WAIT_VALUE_AND] = PPU_WORD_WAIT_AND, [CU_STREAM_WAIT_VALUE_NOR] = PPU_WORD_WAIT_NOR,
};

/* False: a barrier; the order of the stream is one already. */
static bool word_op(const CUstreamBatchMemOpParams *p, ppuWordOp *op)
{
	bool waits = p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;

	if (p->operation == CU_STREAM_MEM_OP_BARRIER)
		return false;
	/* Address, values and flags lie at the same places in both. */
	*op = (ppuWordOp){
		.address = p->waitValue.address,
		.kind = waits ? wait_kind[p->waitValue.flags & 3] : PPU_WORD_WRITE,
	};
	if (p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32) {
		op->bytes = 4;
		op->value = p->waitValue.value;
	} else {
		op->bytes = 8;
		op->value = p->waitValue.value64;
	}
	return true;
}

static bool word_ok(CUdeviceptr at, unsigned int bytes)
{
	return at % bytes == 0 && cu_is_ours(at, NULL);
}

static CUresult check(const CUstreamBatchMemOpParams *p)
{
	unsigned int flags = p->waitValue.flags & ~(unsigned int)CU_STREAM_WAIT_VALUE_FLUSH;

	switch (p->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return flags <= CU_STREAM_WAIT_VALUE_NOR &&
		       word_ok(p->waitValue.address, p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? 4 : 8) ?
		       CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return p->writeValue.flags <= CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER &&
		       word_ok(p->writeValue.address, p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4 : 8) ?
		       CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_STREAM_MEM_OP_BARRIER:
		return CUDA_SUCCESS;
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cu_run_mem(const struct cu_op *op, const struct cu_stream_use *u)
{
	ppuWordOp ops[CU_MEM_OPS_MOST];
	CUresult r = CUDA_SUCCESS;
	size_t n = 0;

	/* A graph's node says where the words are before there is a context. */
	for (unsigned int i = 0; !r && i < op->mem.count; i++)
		r = check(&op->mem.ops[i]);
	for (unsigned int i = 0; !r && i < op->mem.count; i++)
		n += word_op(&op->mem.ops[i], &ops[n]);
	return r ? r : cu_result(ppuStreamWordOps(u->ppu, ops, n));
}

/* ---- calls ---------------------------------------------------------------------------------- */

CUresult i_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *ops, unsigned int flags)
{
	struct CUctx_st *c;
	struct cu_op op;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!count || count > CU_MEM_OPS_MOST || !ops || flags)
		r = CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; !r && i < count; i++)
		r = check(&ops[i]);
	cu_obj_put(c);
	if (r)
		return r;
	r = cu_op_mem(&op, count, ops);
	if (!r)
		r = cu_op_submit(&op, stream, false);
	cu_op_clear(&op);
	return r;
}

#define ONE(Name, bits, TYPE, member, number) \
CUresult i_cuStream##Name##bits##_v2(CUstream stream, CUdeviceptr ptr, cuuint##bits##_t value, unsigned int flags) \
{ \
	CUstreamBatchMemOpParams p = { .operation = TYPE }; \
	p.member.address = ptr; \
	p.member.number = value; \
	p.member.flags = flags; \
	return i_cuStreamBatchMemOp_v2(stream, 1, &p, 0); \
}
ONE(WaitValue, 32, CU_STREAM_MEM_OP_WAIT_VALUE_32, waitValue, value)
ONE(WaitValue, 64, CU_STREAM_MEM_OP_WAIT_VALUE_64, waitValue, value64)
ONE(WriteValue, 32, CU_STREAM_MEM_OP_WRITE_VALUE_32, writeValue, value)
ONE(WriteValue, 64, CU_STREAM_MEM_OP_WRITE_VALUE_64, writeValue, value64)
