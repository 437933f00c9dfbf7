/* SPDX-License-Identifier: MIT */
/*
 * Streams that wait for a word in memory, or write one.  The device does not notice when the CPU changes the
 * word.  So a stream waits by a kernel of one thread that reads the word again and again.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <ppu.h>
#include "cuda/stream/memop.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards the contexts' waiting kernels */

static const char waiter[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .entry wait(.param .u64 at, .param .u64 value, .param .u32 how, .param .u32 wide)\n{\n"
	".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
	"ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [value]; ld.param.u32 %r1, [how]; ld.param.u32 %r2, [wide];\n"
	"setp.ne.u32 %p1, %r2, 0;\n"
	"setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3;\n"
	/* 32-bit values are compared in the upper half of a register, so that the sign is the highest bit */
	"@!%p1 shl.b64 %rd2, %rd2, 32;\n"
	"LOOP:\n@%p1 bra WIDE;\n"
	"ld.volatile.global.u32 %r3, [%rd1]; cvt.u64.u32 %rd3, %r3; shl.b64 %rd3, %rd3, 32; bra.uni TEST;\n"
	"WIDE: ld.volatile.global.u64 %rd3, [%rd1];\n"
	"TEST:\n@%p2 bra EQUAL;\n@%p3 bra ANY;\n@%p4 bra NOR;\n"
	"sub.s64 %rd4, %rd3, %rd2; setp.ge.s64 %p5, %rd4, 0; bra.uni SEEN;\n"
	"EQUAL: setp.eq.u64 %p5, %rd3, %rd2; bra.uni SEEN;\n"
	"ANY: and.b64 %rd4, %rd3, %rd2; setp.ne.u64 %p5, %rd4, 0; bra.uni SEEN;\n"
	"NOR: or.b64 %rd4, %rd3, %rd2; not.b64 %rd4, %rd4;\n"
	"@!%p1 shr.u64 %rd4, %rd4, 32;\n@!%p1 shl.b64 %rd4, %rd4, 32; setp.ne.u64 %p5, %rd4, 0;\n"
	"SEEN:\n@%p5 ret;\nnanosleep.u32 200;\nbra.uni LOOP;\n}\n";

/* The kernel in a context, which is loaded at its first use there. */
static CUresult waiter_in(struct CUctx_st *c, ppuFunction *f)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .name = "wait" };
	struct CUctx_st *current = NULL;
	ppuModule m;
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	if (c->waiter_id != c->id) {
		r = cu_current(&current);
		if (!r && current != c)		/* modules are loaded into the current context */
			r = CUDA_ERROR_INVALID_CONTEXT;
		if (!r)
			r = cu_result(ppuModuleLoadData(&m, waiter, sizeof(waiter) - 1, &o));
		if (!r)
			r = cu_result(ppuModuleGetFunction(&c->waiter, m, "wait"));
		if (!r)
			c->waiter_id = c->id;
		cu_obj_put(current);
	}
	*f = c->waiter;
	pthread_mutex_unlock(&lock);
	return r;
}

static CUresult wait_for(uint64_t at, uint64_t value, unsigned int flags, bool wide, const struct cu_stream_use *u)
{
	unsigned int how = flags & 3, is_wide = wide;
	void *params[] = { &at, &value, &how, &is_wide };
	ppuFunction f;
	CUresult r = waiter_in(u->ctx, &f);

	return r ? r : cu_result(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, u->ppu, params, NULL, 0));
}

static CUresult run_one(const CUstreamBatchMemOpParams *p, const struct cu_stream_use *u)
{
	void *at = (void *)(uintptr_t)p->writeValue.address;

	switch (p->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return wait_for(p->waitValue.address, p->waitValue.value, p->waitValue.flags, false, u);
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return wait_for(p->waitValue.address, p->waitValue.value64, p->waitValue.flags, true, u);
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return cu_result(ppuMemsetAsync(at, p->writeValue.value, 4, 1, u->ppu));
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return cu_result(ppuMemsetAsync(at, p->writeValue.value64, 8, 1, u->ppu));
	default:
		return CUDA_SUCCESS;	/* a barrier: the order of the stream is one already */
	}
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
	CUresult r = CUDA_SUCCESS;

	/* A graph's node says where the words are before there is a context; a kernel that reads elsewhere would end it. */
	for (unsigned int i = 0; !r && i < op->mem.count; i++)
		r = check(&op->mem.ops[i]);
	for (unsigned int i = 0; !r && i < op->mem.count; i++)
		r = run_one(&op->mem.ops[i], u);
	return r;
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
