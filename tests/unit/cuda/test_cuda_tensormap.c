/* SPDX-License-Identifier: MIT */
/*
 * Maps of tensors through the CUDA Driver API: what is refused, and why; what a kernel changes in a map; copies to several
 * blocks; copies that reduce without a map; and what a kernel that uses a map wrongly gets.
 */
#define CUDA_TEST_PLAIN_NAMES
#include "cuda_test.h"

#define PTX_HEAD90	".version 8.5\n.target sm_90a\n.address_size 64\n"
#define BODY	"{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %rd<12>;\n.shared .align 128 .b8 box[512]; .shared .align 8 .b64 bar;\n"
#define WAIT	"$W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra $W;\n"
#define LOAD2	"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%rd1, {%r1, %r5}], [bar];\n"

static const char ptx[] = PTX_HEAD90
	/* One thread copies row y, 16 numbers, by the map at `map`. */
	".visible .entry row(.param .u64 map, .param .u64 out, .param .u32 y)\n" BODY
	"ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [out]; ld.param.u32 %r5, [y]; mov.u32 %r1, 0; mbarrier.init.shared.b64 [bar], 1;\n"
	"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" LOAD2 WAIT
	"mov.u32 %r2, 0;\n$L: mov.u32 %r3, box; add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3]; cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd3, %rd2;\n"
	"st.global.u32 [%rd3], %r4; add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, 64; @%p1 bra $L; ret;\n}\n"

	".visible .entry rank3(.param .u64 map)\n" BODY "ld.param.u64 %rd1, [map]; mov.u32 %r1, 0;\n"
	"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%rd1, {%r1, %r1, %r1}], [bar]; ret;\n}\n"
	".visible .entry misplaced(.param .u64 map)\n" BODY "ld.param.u64 %rd1, [map]; mov.u32 %r1, 0;\n"
	"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box+64], [%rd1, {%r1, %r1}], [bar]; ret;\n}\n"
	".visible .entry reduces_bytes(.param .u64 map)\n" BODY "ld.param.u64 %rd1, [map]; mov.u32 %r1, 0;\n"
	"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1, %r1}], [box]; ret;\n}\n"
	".visible .entry odd_reduction(.param .u64 p)\n" BODY "ld.param.u64 %rd1, [p]; mov.u32 %r1, 24;\n"
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [box], %r1; ret;\n}\n"

	/* A map is copied into shared memory, changed there in each field, and put back. */
	".visible .entry edit(.param .align 64 .b8 from[128], .param .u64 to, .param .u64 address, .param .u64 stride)\n" BODY
	"mov.b64 %rd1, from; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [to]; ld.param.u64 %rd3, [address]; ld.param.u64 %rd4, [stride];\n"
	"mov.u32 %r1, 0;\n$C: cvt.u64.u32 %rd5, %r1; add.u64 %rd6, %rd1, %rd5; ld.u64 %rd7, [%rd6]; mov.u32 %r2, box; add.u32 %r2, %r2, %r1;\n"
	"st.shared.u64 [%r2], %rd7; add.u32 %r1, %r1, 8; setp.lt.u32 %p1, %r1, 128; @%p1 bra $C;\n"
	"mov.u32 %r3, box; mov.u32 %r4, 1; mov.u32 %r5, 16; mov.u32 %r6, 3;\n"
	"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r3], %rd3;\n"
	"tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r3], %r4;\n"
	"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r3], 0, %r5;\n"
	"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r3], 1, 1;\n"
	"tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r3], 0, 12;\n"
	"tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r3], 1, %r6;\n"
	"tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r3], 0, %rd4;\n"
	"tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r3], 1, 1;\n"
	"tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r3], 7;\n"
	"tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r3], 0;\n"
	"tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r3], 0;\n"
	"tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r3], 1;\n"
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [box], 128;\n"
	"fence.proxy.tensormap::generic.release.gpu; ret;\n}\n"

	/* The second of four blocks copies for all but the third one. */
	".visible .entry many(.param .align 64 .b8 map[128], .param .u64 out)\n.reqnctapercluster 4\n" BODY
	"mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out]; mov.u32 %r1, 0; mov.u32 %r9, %cluster_ctarank; st.shared.u32 [box+60], %r1;\n"
	"mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n"
	"setp.ne.u32 %p1, %r9, 1; mov.b16 %h1, 11; @%p1 bra $ON; mov.u32 %r2, box; mov.u32 %r3, bar;\n"
	"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1, {%r1, %r1}], [%r3], %h1;\n"
	"$ON: setp.eq.u32 %p3, %r9, 2; @%p3 bra $OUT; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" WAIT
	"$OUT: ld.shared.u32 %r4, [box+60]; mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r4;\n"
	"barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n"

	/* 64 bytes of numbers k reduce those at p, and then those in the shared memory of the neighbour. */
	".visible .entry bulk(.param .u64 p, .param .u64 out)\n.reqnctapercluster 2\n" BODY
	"ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [out]; mov.u32 %r9, %cluster_ctarank; xor.b32 %r10, %r9, 1; mov.u32 %r2, box;\n"
	"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64; mov.u32 %r1, 0;\n"
	"$F: add.u32 %r3, %r2, %r1; shr.u32 %r4, %r1, 2; add.u32 %r5, %r4, %r9; st.shared.u32 [%r3], %r5; st.shared.u32 [%r3+128], %r4;\n"
	"add.u32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, 64; @%p1 bra $F; barrier.cluster.arrive; barrier.cluster.wait;\n"
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd1], [%r2], 64;\n"
	"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
	"mapa.shared::cluster.u32 %r6, %r2, %r10; mov.u32 %r7, bar; mapa.shared::cluster.u32 %r7, %r7, %r10;\n"
	"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r6+128], [%r2], 64, [%r7];\n" WAIT
	"ld.shared.u32 %r8, [box+188]; mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r8;\n"
	"barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static const cuuint64_t size[] = { 64, 8, 4, 3, 2 }, strides[] = { 256, 2048, 8192, 24576 };
static const cuuint32_t box[] = { 16, 2, 2, 1, 1 }, steps[] = { 1, 1, 1, 1, 1 };
#define ADDRESS	((void *)0x10000)

struct arguments {
	CUtensorMapDataType type;
	cuuint32_t rank;
	void *address;
	const cuuint64_t *size, *strides;
	const cuuint32_t *box, *steps;
	int interleave, swizzle, promotion, fill;
};

static CUresult tiled(CUtensorMap *map, const struct arguments *a)
{
	return cuTensorMapEncodeTiled(map, a->type, a->rank, a->address, a->size, a->strides, a->box, a->steps,
				      (CUtensorMapInterleave)a->interleave, (CUtensorMapSwizzle)a->swizzle,
				      (CUtensorMapL2promotion)a->promotion, (CUtensorMapFloatOOBfill)a->fill);
}

#define REFUSES(error, ...) do { \
	struct arguments b = a; \
	memset(&map, 0x55, sizeof(map)); \
	before = map; \
	__VA_ARGS__; \
	IS(error, tiled(&map, &b)); \
	ck_assert(!memcmp(&map, &before, sizeof(map))); \
} while (0)
#define WRONG(...)	REFUSES(CUDA_ERROR_INVALID_VALUE, __VA_ARGS__)
#define LACKING(...)	REFUSES(CUDA_ERROR_NOT_SUPPORTED, __VA_ARGS__)

START_TEST(tiles_are_checked)
{
	const struct arguments a = { CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 5, ADDRESS, size, strides, box, steps, 0, 0, 0, 0 };
	cuuint64_t sizes[5], gaps[4];
	cuuint32_t boxes[5], jumps[5];
	CUtensorMap map, before;
	char *p = (char *)&map;

	IS(CUDA_ERROR_NOT_INITIALIZED, tiled(&map, &a));
	OK(cuInit(0));
	for (cuuint32_t rank = 1; rank <= 5; rank++) {
		struct arguments b = a;

		b.rank = rank;
		b.promotion = (int)rank % 4;
		OK(tiled(&map, &b));
	}
	memcpy(sizes, size, sizeof(sizes));
	memcpy(gaps, strides, sizeof(gaps));
	memcpy(boxes, box, sizeof(boxes));
	memcpy(jumps, steps, sizeof(jumps));
	WRONG(b.rank = 0);
	WRONG(b.rank = 6);
	WRONG(b.type = (CUtensorMapDataType)16);
	LACKING(b.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
	WRONG(b.address = (void *)0x10008);
	WRONG(b.size = NULL);
	WRONG(b.strides = NULL);
	WRONG(b.box = NULL);
	WRONG(b.steps = NULL);
	WRONG(b.size = sizes; sizes[2] = 0);
	WRONG(b.size = sizes; sizes[2] = (1ull << 32) + 1);
	WRONG(b.strides = gaps; gaps[1] = 0);
	WRONG(b.strides = gaps; gaps[1] = 2056);
	WRONG(b.strides = gaps; gaps[1] = 1ull << 40);
	WRONG(b.box = boxes; boxes[0] = 18);
	WRONG(b.box = boxes; boxes[0] = 0);
	WRONG(b.box = boxes; boxes[0] = 260);
	WRONG(b.box = boxes; boxes[0] = 16; boxes[4] = 0);
	WRONG(b.box = boxes; boxes[4] = 257);
	WRONG(b.steps = jumps; jumps[3] = 0);
	WRONG(b.steps = jumps; jumps[3] = 9);
	WRONG(b.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);		/* 64 bytes are more than 32 */
	WRONG(b.swizzle = 7);
	LACKING(b.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
	LACKING(b.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
	WRONG(b.interleave = 3);
	WRONG(b.promotion = 4);
	WRONG(b.fill = 2);
	WRONG(b.fill = 1; b.type = CU_TENSOR_MAP_DATA_TYPE_INT32);
	REFUSES(CUDA_SUCCESS, b.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; b.fill = 1; b.steps = jumps; jumps[3] = 8; OK(tiled(&before, &b)));
	BAD(tiled((CUtensorMap *)(p + 16), &a));
	BAD(tiled(NULL, &a));
	OK(tiled(&map, &a));
	before = map;
	BAD(cuTensorMapReplaceAddress(NULL, ADDRESS));
	BAD(cuTensorMapReplaceAddress(&map, (void *)0x10008));
	ck_assert(!memcmp(&map, &before, sizeof(map)));
	OK(cuTensorMapReplaceAddress(&map, (void *)0x20000));
	ck_assert(memcmp(&map, &before, sizeof(map)) != 0);
	OK(cuTensorMapReplaceAddress(&map, ADDRESS));
	ck_assert(!memcmp(&map, &before, sizeof(map)));
	memset(&map, 0, sizeof(map));
	BAD(cuTensorMapReplaceAddress(&map, ADDRESS));
}
END_TEST

START_TEST(pixels_are_checked)
{
	static const int limits[] = { 0, 0, 0, 32768, 128, 16 };
	int lower[3] = { -1, -1, -1 }, upper[3] = { -1, -1, -1 };
	CUtensorMap map;

	OK(cuInit(0));
#define IM2COL(rank, channels, pixels) cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, ADDRESS, size, strides, lower, \
	upper, channels, pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, \
	CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
	for (cuuint32_t rank = 3; rank <= 5; rank++) {
		OK(IM2COL(rank, 16, 1024));
		for (cuuint32_t d = 0; d < rank - 2; d++) {
			lower[d] = -limits[rank];
			OK(IM2COL(rank, 16, 1));
			lower[d]--;
			BAD(IM2COL(rank, 16, 1));
			lower[d] = -1;
			upper[d] = limits[rank] - 1;
			OK(IM2COL(rank, 16, 1));
			upper[d]++;
			BAD(IM2COL(rank, 16, 1));
			upper[d] = -1 - (int)size[d + 1];
			BAD(IM2COL(rank, 16, 1));	/* empty */
			lower[d]--;
			OK(IM2COL(rank, 16, 1));	/* one place */
			lower[d] = upper[d] = -1;
		}
	}
	BAD(IM2COL(2, 16, 1));
	BAD(IM2COL(4, 16, 0));
	BAD(IM2COL(4, 16, 1025));
	BAD(IM2COL(4, 2, 4));
	BAD(IM2COL(4, 260, 4));
}
END_TEST

static CUdeviceptr upload(const void *p, size_t bytes)
{
	CUdeviceptr d;

	OK(cuMemAlloc_v2(&d, bytes));
	OK(cuMemcpyHtoD_v2(d, p, bytes));
	return d;
}

static CUdeviceptr numbers(void)
{
	static float v[64 * 8];

	for (unsigned int k = 0; k < 64 * 8; k++)
		v[k] = (float)k;
	return upload(v, sizeof(v));
}

static CUtensorMap map_of(CUdeviceptr p, CUtensorMapDataType type, cuuint32_t rank)
{
	static const cuuint32_t one_row[] = { 16, 1, 1 };
	const struct arguments a = { type, rank, (void *)(uintptr_t)p, size, strides, one_row, steps, 0, 0, 0, 0 };
	CUtensorMap m;

	OK(tiled(&m, &a));
	return m;
}

/* The map of bytes becomes one of floats, 12 in each of 3 rows, filled with NaN; the copy uses it from global memory. */
START_TEST(kernels_change_maps)
{
	CUdeviceptr data, to, out, address, stride = 512;
	float got[16], zero[32] = { 0 };
	unsigned int y = 1;
	CUtensorMap m;
	void *edit[] = { &m, &to, &address, &stride }, *row[] = { &to, &out, &y };

	begin(ptx);
	data = numbers();
	to = upload(zero, 128);
	out = upload(zero, 128);
	m = map_of(data, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3);
	address = data + 512;
	OK(cuLaunchKernel(function("edit"), 1, 1, 1, 1, 1, 1, 0, 0, edit, NULL));
	OK(cuLaunchKernel(function("row"), 1, 1, 1, 1, 1, 1, 0, 0, row, NULL));
	OK(cuMemcpyDtoH_v2(got, out, sizeof(got)));
	for (unsigned int k = 0; k < 16; k++)
		ck_assert_msg(k < 12 ? got[k] == (float)(256 + k) : got[k] != got[k], "%u: %g", k, got[k]);
}
END_TEST

START_TEST(one_copy_for_many_blocks)
{
	CUdeviceptr data, out;
	float got[4], zero[4] = { 0 };
	CUtensorMap m;
	void *params[] = { &m, &out };

	begin(ptx);
	data = numbers();
	out = upload(zero, sizeof(zero));
	m = map_of(data + 256, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2);
	OK(cuLaunchKernel(function("many"), 4, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH_v2(got, out, sizeof(got)));
	ck_assert(got[0] == 79 && got[1] == 79 && got[2] == 0 && got[3] == 79);
}
END_TEST

START_TEST(bulk_reductions)
{
	int32_t v[16], got[2];
	CUdeviceptr p, out;
	void *params[] = { &p, &out };

	begin(ptx);
	for (int k = 0; k < 16; k++)
		v[k] = k & 1 ? -1 : 9;
	p = upload(v, sizeof(v));
	out = upload(v, 8);
	OK(cuLaunchKernel(function("bulk"), 2, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH_v2(got, out, sizeof(got)));
	ck_assert(got[0] == 15 + 16 && got[1] == 15 + 15);	/* what the neighbour has there, and the own 15 */
	OK(cuMemcpyDtoH_v2(v, p, sizeof(v)));
	for (int k = 0; k < 16; k++)
		ck_assert_int_eq(v[k], k & 1 || k + 1 > 9 ? k + 1 : 9);
}
END_TEST

/* Each in a context of its own: it ends with the fault. */
static void faults(const char *kernel, CUtensorMapDataType type, cuuint32_t rank, bool spoilt)
{
	char memory[128] = { 0 };
	unsigned int y = 0;
	CUdeviceptr p, out;
	void *params[] = { &p, &out, &y };
	CUtensorMap m;

	begin(ptx);
	m = map_of(numbers(), type, rank);
	p = upload(&m, sizeof(m));
	out = upload(memory, sizeof(memory));
	if (spoilt)
		OK(cuMemcpyHtoD_v2(p, memory, 8));
	OK(cuLaunchKernel(function(kernel), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	ck_assert_int_ne(cuCtxSynchronize(), CUDA_SUCCESS);
	cuCtxDestroy_v2(ctx);
}

START_TEST(wrong_uses_are_faults)
{
	faults("row", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, true);
	faults("rank3", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, false);
	faults("misplaced", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, false);
	faults("reduces_bytes", CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, false);
	faults("odd_reduction", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, false);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { tiles_are_checked, pixels_are_checked, kernels_change_maps, one_copy_for_many_blocks, bulk_reductions,
				       wrong_uses_are_faults };

	return RUN_ALL("cuda_tensormap", tests);
}
