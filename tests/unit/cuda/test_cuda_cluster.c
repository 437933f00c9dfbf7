/* SPDX-License-Identifier: MIT */
/* Clusters of blocks through the CUDA Driver API, with PTX as compilers print it for sm_90. */
#define CUDA_TEST_PLAIN_NAMES
#include "cuda_test.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
	/* A histogram whose bins are spread over the blocks of a cluster: 64 bins in each. */
	".visible .entry histogram(.param .u64 bins, .param .u64 data, .param .u32 n)\n{\n"
	".reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<12>;\n"
	".shared .align 4 .b8 own[256];\n"
	"ld.param.u64 %rd1, [bins]; ld.param.u64 %rd2, [data]; ld.param.u32 %r1, [n];\n"
	"cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
	"mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, own; add.s32 %r5, %r4, %r3;\n"
	"mov.u32 %r6, 0; setp.gt.u32 %p1, %r2, 63; @%p1 bra $ZEROED; st.shared.u32 [%r5], %r6;\n"
	"$ZEROED: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
	"mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ntid.x; mad.lo.s32 %r9, %r7, %r8, %r2; mov.u32 %r10, %nctaid.x; mul.lo.s32 %r11, %r10, %r8;\n"
	"$LOOP: setp.ge.u32 %p2, %r9, %r1; @%p2 bra $DONE;\n"
	"mul.wide.u32 %rd3, %r9, 4; add.s64 %rd4, %rd2, %rd3; ld.global.nc.u32 %r12, [%rd4];\n"
	"shr.u32 %r13, %r12, 6; and.b32 %r14, %r12, 63; shl.b32 %r14, %r14, 2; add.s32 %r14, %r4, %r14;\n"
	"mapa.shared::cluster.u32 %r15, %r14, %r13; atom.shared::cluster.add.u32 %r16, [%r15], 1;\n"
	"add.s32 %r9, %r9, %r11; bra $LOOP;\n"
	"$DONE: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
	"@%p1 ret; ld.shared.u32 %r17, [%r5]; mov.u32 %r18, %cluster_ctarank; shl.b32 %r18, %r18, 6; add.s32 %r18, %r18, %r2;\n"
	"mul.wide.u32 %rd5, %r18, 4; add.s64 %rd6, %rd1, %rd5; red.global.add.u32 [%rd6], %r17; ret;\n}\n"

	/* Sums by generic addresses, a cluster of 2,2,1 that the kernel names itself. */
	".visible .entry reduce(.param .u64 out)\n.reqnctapercluster 2, 2, 1\n{\n"
	".reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<12>;\n"
	".shared .align 8 .u64 part;\n"
	"ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r1, %r2, %r3;\n"
	"mov.u32 %r5, %tid.x; setp.ne.u32 %p1, %r5, 0; cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, 100; @!%p1 st.shared.u64 [part], %rd2;\n"
	"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
	"mov.u64 %rd3, part; cvta.shared.u64 %rd3, %rd3; mov.u64 %rd4, 0; mov.u32 %r6, 0; mov.u32 %r7, %cluster_nctarank;\n"
	"$SUM: mapa.u64 %rd5, %rd3, %r6; ld.u64 %rd6, [%rd5]; add.u64 %rd4, %rd4, %rd6;\n"
	"getctarank.u64 %r8, %rd5; setp.ne.u32 %p2, %r8, %r6; @%p2 trap;\n"
	"add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, %r7; @%p3 bra $SUM;\n"
	"getctarank.u64 %r8, %rd3; mov.u32 %r9, %cluster_ctarank; setp.ne.u32 %p2, %r8, %r9; @%p2 trap;\n"
	"barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; @%p1 ret;\n"
	"mul.wide.u32 %rd7, %r4, 8; add.u64 %rd8, %rd1, %rd7; st.global.u64 [%rd8], %rd4; ret;\n}\n"

	/* Each block gives its neighbours what they need of it: by st.async, by red.async, by a bulk copy, by an arrival; each tells
	 * an object of the neighbour. */
	".visible .entry ring(.param .u64 out)\n{\n"
	".reg .pred %p<6>; .reg .b32 %r<40>; .reg .b64 %rd<12>; .reg .b16 %h<2>;\n"
	".shared .align 16 .b8 halo[256]; .shared .align 16 .b8 mine[64]; .shared .align 8 .b64 object;\n"
	"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, %ctaid.x;\n"
	"mov.u32 %r3, halo; mov.u32 %r4, mine; mov.u32 %r5, object; mov.u32 %r30, 0;\n"
	"shl.b32 %r6, %r1, 2; add.u32 %r7, %r4, %r6; mad.lo.u32 %r8, %r2, 100, %r1; setp.lt.u32 %p2, %r1, 16; @%p2 st.shared.u32 [%r7], %r8;\n"
	"@%p1 bra $READY; mbarrier.init.shared::cta.b64 [%r5], 2; st.shared.u32 [%r3+16], %r30; fence.mbarrier_init.release.cluster;\n"
	"mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r5], 88;\n"		/* 4 + 16 + 4 + 64 bytes, and one arrival of the neighbour */
	"$READY: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
	"mov.u32 %r9, %cluster_ctarank; mov.u32 %r10, %cluster_nctarank; add.u32 %r11, %r9, 1; rem.u32 %r11, %r11, %r10;\n"
	"mapa.shared::cluster.u32 %r12, %r3, %r11; mapa.shared::cluster.u32 %r13, %r5, %r11;\n"
	"@%p1 bra $WAIT;\n"
	"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r8, [%r13];\n"
	"add.u32 %r14, %r8, 1; add.u32 %r15, %r8, 2; add.u32 %r16, %r8, 3;\n"
	"st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r12+32], {%r8, %r14, %r15, %r16}, [%r13];\n"
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12+16], %r15, [%r13];\n"
	"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12+64], [%r4], 64, [%r13];\n"
	"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n"
	"$WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r5], 0; @!%p3 bra $WAIT;\n"
	"mad.lo.u32 %r20, %r2, 32, %r1; mul.wide.u32 %rd3, %r20, 4; add.u64 %rd4, %rd1, %rd3;\n"
	"add.u32 %r21, %r3, %r6; ld.shared.u32 %r22, [%r21]; st.global.u32 [%rd4], %r22;\n"
	"barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n"

	/* Which addresses are whose. */
	".visible .entry spaces(.param .u64 out)\n.explicitcluster\n.maxclusterrank 4\n{\n"
	".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
	".shared .align 4 .u32 word;\n"
	"ld.param.u64 %rd1, [out]; mov.u64 %rd2, word; cvta.shared.u64 %rd2, %rd2; mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;\n"
	"mapa.u64 %rd3, %rd2, %r1; mapa.u64 %rd4, %rd2, %r2;\n"
	"isspacep.shared %p0, %rd2; isspacep.shared::cta %p1, %rd3; isspacep.shared::cta %p2, %rd4; isspacep.shared::cluster %p3, %rd4;\n"
	"isspacep.shared::cluster %p4, %rd1; isspacep.shared %p5, %rd1; isspacep.global %p6, %rd1; isspacep.global %p7, %rd4;\n"
	"selp.u32 %r3, 1, 0, %p0; selp.u32 %r4, 2, 0, %p1; or.b32 %r3, %r3, %r4; selp.u32 %r4, 4, 0, %p2; or.b32 %r3, %r3, %r4;\n"
	"selp.u32 %r4, 8, 0, %p3; or.b32 %r3, %r3, %r4; selp.u32 %r4, 16, 0, %p4; or.b32 %r3, %r3, %r4; selp.u32 %r4, 32, 0, %p5;\n"
	"or.b32 %r3, %r3, %r4; selp.u32 %r4, 64, 0, %p6; or.b32 %r3, %r3, %r4; selp.u32 %r4, 128, 0, %p7; or.b32 %r3, %r3, %r4;\n"
	"mapa.shared::cluster.u32 %r5, word, %r2; mov.u32 %r6, 77; st.shared::cluster.u32 [%r5], %r6; barrier.cluster.arrive; barrier.cluster.wait;\n"
	"ld.shared.u32 %r7, [word]; mad.lo.u32 %r3, %r7, 1000, %r3; mov.u32 %r8, %is_explicit_cluster; mov.pred %p0, %is_explicit_cluster; selp.u32 %r9, 1, 0, %p0; and.b32 %r8, %r8, %r9; shl.b32 %r8, %r8, 20;\n"
	"add.u32 %r3, %r3, %r8; mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd5, %r9, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r3; ret;\n}\n"

	/* One copy for all blocks that the mask names. */
	".visible .entry multicast(.param .u64 out)\n.reqnctapercluster 4\n{\n"
	".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b16 %h<2>;\n"
	".shared .align 16 .b8 room[32]; .shared .align 8 .b64 object;\n"
	"ld.param.u64 %rd1, [out]; mov.u32 %r1, room; mov.u32 %r2, object; mov.u32 %r3, %cluster_ctarank;\n"
	"mbarrier.init.shared.b64 [%r2], 1; barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p1, %r3, 2; @%p1 bra $ON;\n"
	"mov.b16 %h1, 11; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], 32, [%r2], %h1;\n"
	"$ON: setp.eq.u32 %p2, %r3, 2; @%p2 bra $OUT; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 32;\n"
	"$W: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0; @!%p3 bra $W;\n"
	"$OUT: ld.shared.u32 %r4, [%r1+28]; add.u32 %r5, %r3, 8; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r4;\n"
	"barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static CUresult launch(CUfunction f, const unsigned int *grid, unsigned int threads, const unsigned int *cluster, void **params)
{
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	CUlaunchConfig c = { grid[0], grid[1], grid[2], threads, 1, 1, 0, NULL, &attribute, 1 };

	attribute.value.clusterDim.x = cluster[0];
	attribute.value.clusterDim.y = cluster[1];
	attribute.value.clusterDim.z = cluster[2];
	return cuLaunchKernelEx(&c, f, params, NULL);
}

static CUdeviceptr zeroes(size_t words)
{
	CUdeviceptr p;

	OK(cuMemAlloc_v2(&p, 4 * words));
	OK(cuMemsetD32_v2(p, 0, words));
	return p;
}

START_TEST(histograms)
{
	enum { N = 5000 };
	static const unsigned int clusters[] = { 1, 2, 4, 8 };
	uint32_t data[N], bins[512], want[512];
	CUdeviceptr b, d;
	unsigned int n = N;
	void *params[] = { &b, &d, &n };

	begin(ptx);
	d = zeroes(N);
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int c = clusters[i];

		b = zeroes(512);
		memset(want, 0, sizeof(want));
		for (unsigned int k = 0; k < N; k++)
			want[data[k] = (k * 2654435761u >> 7) % (64 * c)]++;
		OK(cuMemcpyHtoD_v2(d, data, sizeof(data)));
		OK(launch(function("histogram"), (const unsigned int[]){ 3 * c, 1, 1 }, 128, (const unsigned int[]){ c, 1, 1 }, params));
		OK(cuMemcpyDtoH_v2(bins, b, sizeof(bins)));
		for (unsigned int k = 0; k < 512; k++)
			ck_assert_msg(bins[k] == want[k], "cluster of %u, bin %u: %u, not %u", c, k, bins[k], want[k]);
	}
}
END_TEST

/* The kernel says how large its clusters are: a plain launch has them, one that says something else is refused. */
START_TEST(sums_with_a_size_of_its_own)
{
	const unsigned int grid[] = { 4, 6, 1 };
	uint64_t out[24];
	CUdeviceptr p;
	void *params[] = { &p };
	CUfunction f;
	int v;

	begin(ptx);
	f = function("reduce");
	p = zeroes(48);
	OK(cuLaunchKernel(f, 4, 6, 1, 50, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH_v2(out, p, sizeof(out)));
	for (unsigned int y = 0; y < 6; y++)
		for (unsigned int x = 0; x < 4; x++) {
			unsigned int corner = y / 2 * 2 * 4 + x / 2 * 2;

			ck_assert_uint_eq(out[4 * y + x], 400 + 4 * corner + 1 + 4 + 5);
		}
	OK(launch(f, grid, 50, (const unsigned int[]){ 2, 2, 1 }, params));
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(f, grid, 50, (const unsigned int[]){ 2, 1, 1 }, params));
	BAD(cuLaunchKernel(f, 3, 6, 1, 50, 1, 1, 0, 0, params, NULL));
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, f));
	ck_assert_int_eq(v, 2);
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, f));
	ck_assert_int_eq(v, 1);
	IS(CUDA_ERROR_NOT_PERMITTED, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 2));
	OK(cuCtxSynchronize());
}
END_TEST

START_TEST(rings)
{
	uint32_t out[16][32];
	CUdeviceptr p;
	void *params[] = { &p };

	begin(ptx);
	for (unsigned int c = 1; c <= 8; c *= 2) {
		p = zeroes(16 * 32);
		OK(launch(function("ring"), (const unsigned int[]){ 16, 1, 1 }, 32, (const unsigned int[]){ c, 1, 1 }, params));
		OK(cuMemcpyDtoH_v2(out, p, sizeof(out)));
		for (unsigned int i = 0; i < 16; i++) {
			unsigned int from = 100 * (i / c * c + (i % c + c - 1) % c);

			ck_assert_uint_eq(out[i][0], from);
			ck_assert_uint_eq(out[i][4], from + 2);
			for (unsigned int k = 0; k < 4; k++)
				ck_assert_uint_eq(out[i][8 + k], from + k);
			for (unsigned int k = 0; k < 16; k++)
				ck_assert_uint_eq(out[i][16 + k], from + k);
		}
	}
}
END_TEST

START_TEST(whose_addresses)
{
	uint32_t out[8];
	CUdeviceptr p;
	void *params[] = { &p };
	CUfunction f;
	int v;

	begin(ptx);
	p = zeroes(8);
	f = function("spaces");
	OK(launch(f, (const unsigned int[]){ 8, 1, 1 }, 1, (const unsigned int[]){ 4, 1, 1 }, params));
	OK(cuMemcpyDtoH_v2(out, p, sizeof(out)));
	for (unsigned int i = 0; i < 8; i++)
		ck_assert_uint_eq(out[i], (1 << 20) + 77000 + 1 + 2 + 8 + 64);
	/* it wants a size, and no more than 4 blocks */
	BAD(cuLaunchKernel(f, 8, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(f, (const unsigned int[]){ 8, 1, 1 }, 1, (const unsigned int[]){ 8, 1, 1 }, params));
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, f));
	ck_assert_int_eq(v, 1);
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, function("ring")));
	ck_assert_int_eq(v, 0);
}
END_TEST

START_TEST(one_copy_for_many)
{
	uint32_t data[12] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	CUdeviceptr p;
	void *params[] = { &p };

	begin(ptx);
	p = zeroes(12);
	OK(cuMemcpyHtoD_v2(p, data, sizeof(data)));
	OK(cuLaunchKernel(function("multicast"), 4, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH_v2(data, p, sizeof(data)));
	ck_assert_uint_eq(data[8], 8);
	ck_assert_uint_eq(data[9], 8);
	ck_assert_uint_eq(data[10], 0);		/* not in the mask */
	ck_assert_uint_eq(data[11], 8);
}
END_TEST

/* Sizes that can be had, and those that are refused with a reason. */
START_TEST(sizes)
{
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = { 4, 1, 1 } };
	CUlaunchConfig c = { 16, 1, 1, 128, 1, 1, 0, NULL, &attribute, 1 };
	const unsigned int grid[] = { 16, 1, 1 };
	int v, per_sm, warps;
	CUdeviceptr p;
	void *params[] = { &p };
	CUfunction f;

	begin(ptx);
	f = function("ring");
	p = zeroes(16 * 32);
	BAD(launch(f, grid, 32, (const unsigned int[]){ 0, 1, 1 }, params));
	BAD(launch(f, grid, 32, (const unsigned int[]){ 3, 1, 1 }, params));
	BAD(launch(f, grid, 32, (const unsigned int[]){ 2, 2, 1 }, params));
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(f, grid, 32, (const unsigned int[]){ 16, 1, 1 }, params));
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(f, grid, 32, (const unsigned int[]){ 1u << 31, 2, 1 }, params));
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(f, grid, 1024, (const unsigned int[]){ 8, 1, 1 }, params));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	OK(launch(f, grid, 32, (const unsigned int[]){ 16, 1, 1 }, params));
	OK(cuCtxSynchronize());
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
	OK(cuDeviceGetAttribute(&warps, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, f, 128, 0));
	OK(cuOccupancyMaxActiveClusters(&v, f, &c));
	ck_assert_int_eq(v, per_sm / 4 * 2);	/* two SMs */
	c.blockDimX = 1024;
	OK(cuOccupancyMaxActiveClusters(&v, f, &c));
	ck_assert_int_eq(v, warps / 4096 * 2);
	OK(cuOccupancyMaxPotentialClusterSize(&v, f, &c));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, f, 1024, 0));
	ck_assert_int_eq(v, per_sm);
	c.blockDimX = 32;
	OK(cuOccupancyMaxPotentialClusterSize(&v, f, &c));
	ck_assert_int_eq(v, 8);
	attribute.value.clusterDim.x = 16;
	IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuOccupancyMaxActiveClusters(&v, f, &c));
	BAD(cuOccupancyMaxActiveClusters(NULL, f, &c));
	BAD(cuOccupancyMaxPotentialClusterSize(&v, f, NULL));
	/* set for the function, for launches that say nothing */
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
	OK(cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, 0, params, NULL));
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(word_at(p), 100);
	BAD(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 1));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 1));
	BAD(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 9));
}
END_TEST

/* A captured launch, and a node to which the attribute is given. */
START_TEST(graphs)
{
	CUlaunchAttributeValue v = { .clusterDim = { 4, 1, 1 } };
	CUgraphExec exec;
	CUgraphNode node;
	CUdeviceptr p;
	void *params[] = { &p };
	CUstream s;
	CUgraph g;
	size_t n = 1;

	begin(ptx);
	p = zeroes(16 * 32);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuLaunchKernel(function("ring"), 8, 1, 1, 32, 1, 1, 0, s, params, NULL));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphGetNodes(g, &node, &n));
	OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	memset(&v, 0, sizeof(v));
	OK(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	ck_assert(v.clusterDim.x == 4 && v.clusterDim.y == 1 && v.clusterDim.z == 1);
	OK(cuGraphInstantiateWithFlags(&exec, g, 0));
	OK(cuGraphLaunch(exec, s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 300);
	ck_assert_uint_eq(word_at(p + 4 * 32 * 4), 700);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { histograms, sums_with_a_size_of_its_own, rings, whose_addresses, one_copy_for_many, sizes, graphs };

	return RUN_ALL("cuda_cluster", tests);
}
