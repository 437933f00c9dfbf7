// SPDX-License-Identifier: MIT
//
// For ppu_dbg_variables.sh: PTX with debug sections written by hand, as nvcc -G writes them, with a bool in a predicate, which
// clang never has.
#include <cstdio>
#include <cuda.h>

static const char ptx[] = R"(
.version 7.0
.target sm_70, debug
.address_size 64
.entry k(.param .u64 out, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.loc 1 1 0
begin:
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	.loc 1 2 0
	setp.gt.u32 %p1, %r2, %r1;
	.loc 1 3 0
	@%p1 setp.gt.u32 %p1, %r2, 20;
	.loc 1 4 0
	selp.u32 %r3, 1, 0, %p1;
	st.global.u32 [%rd1], %r3;
	.loc 1 5 0
	ret;
end:
}
.file 1 "k.cu"
.section .debug_abbrev
{
.b8 1,17,1,0,0
.b8 2,46,1,17,1,18,1,3,8,0,0
.b8 3,52,0,3,8,73,19,2,10,0,0
.b8 5,36,0,3,8,11,11,62,11,0,0
.b8 0
}
.section .debug_info
{
.b32 unit_end-unit_start
unit_start: .b8 2,0
.b32 .debug_abbrev
.b8 8
.b8 1
bool_type: .b8 5,98,111,111,108,0,1,2
.b8 2
.b64 begin
.b64 end
.b8 107,0
.b8 3,98,105,103,0
.b32 bool_type
.b8 5,144,177,224,149,1
.b8 0,0
unit_end:
}
)";

int main()
{
	CUdeviceptr out;
	CUcontext context;
	CUfunction k;
	CUmodule module;
	unsigned n = 3;
	void *args[] = { &out, &n };

	if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&k, module, "k") ||
	    cuMemAlloc(&out, 4) || cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr) || cuCtxSynchronize())
		return 1;
	puts("done");
	return 0;
}
