/* SPDX-License-Identifier: MIT */
/*
 * Maps of tensors and copies by them, through the CUDA Driver API: random tensors of each rank and type, against a model
 * that computes each byte of the box by itself.
 */
#define CUDA_TEST_PLAIN_NAMES
#include "cuda_test.h"

#define BOX	4096			/* most bytes of a box */
#define TENSOR	16368			/* bytes of the buffer around a tensor: whole pieces of 12 */
#define HEAD90	".version 8.6\n.target sm_90a\n.address_size 64\n"

static const char begin_of_kernel[] =
	"(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 at, .param .u32 bytes, .param .u32 off)\n{\n"
	".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %rd<8>;\n"
	".shared .align 1024 .b8 box[6144]; .shared .align 8 .b64 bar;\n"
	"mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [at]; ld.param.u32 %r9, [bytes];\n"
	"ld.param.u32 %r10, [off]; mov.u32 %r11, box; add.u32 %r11, %r11, %r10; mov.u32 %r12, bar; mov.u32 %r13, %tid.x; shl.b32 %r14, %r13, 2;\n"
	"ld.global.u32 %r1, [%rd3]; ld.global.u32 %r2, [%rd3+4]; ld.global.u32 %r3, [%rd3+8]; ld.global.u32 %r4, [%rd3+12]; ld.global.u32 %r5, [%rd3+16];\n"
	"ld.global.u16 %h1, [%rd3+20]; ld.global.u16 %h2, [%rd3+22]; ld.global.u16 %h3, [%rd3+24]; setp.ne.u32 %p1, %r13, 0;\n"
	"prefetch.tensormap [%rd1]; fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
static const char wait_and_copy_out[] =
	"$W: bar.sync 0; $X: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r12], 0; @!%p2 bra $X;\n"
	"$L: setp.ge.u32 %p3, %r14, %r9; @%p3 ret; add.u32 %r15, %r11, %r14; ld.shared.u32 %r16, [%r15]; cvt.u64.u32 %rd4, %r14;\n"
	"add.u64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r16; add.u32 %r14, %r14, 128; bra $L;\n}\n";
static const char copy_in[] =
	"$L: setp.ge.u32 %p3, %r14, %r9; @%p3 bra $W; add.u32 %r15, %r11, %r14; cvt.u64.u32 %rd4, %r14; add.u64 %rd4, %rd2, %rd4;\n"
	"ld.global.u32 %r16, [%rd4]; st.shared.u32 [%r15], %r16; add.u32 %r14, %r14, 128; bra $L;\n"
	"$W: fence.proxy.async.shared::cta; bar.sync 0; @%p1 ret;\n";

static const char *const coordinates[] = { "", "{%r1}", "{%r1, %r2}", "{%r1, %r2, %r3}", "{%r1, %r2, %r3, %r4}", "{%r1, %r2, %r3, %r4, %r5}" };
static const char *const offsets[] = { "", "", "", "{%h1}", "{%h1, %h2}", "{%h1, %h2, %h3}" };
static const char *const reductions[] = { "", "add", "min", "max", "inc", "dec", "and", "or", "xor" };

static char text[200000];

static void build(void)
{
	char *t = text;

	t += sprintf(t, HEAD90);
	for (int rank = 1; rank <= 5; rank++)
		for (int pixels = 0; pixels <= (rank >= 3); pixels++) {
			const char *c = coordinates[rank], *of = pixels ? offsets[rank] : "";

			t += sprintf(t, ".visible .entry load%d%d%s@%%p1 bra $W; mbarrier.init.shared::cta.b64 [%%r12], 1; "
				     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r12], %%r9;\n"
				     "cp.async.bulk.prefetch.tensor.%dd.L2.global%s [%%rd1, %s]%s%s;\n"
				     "cp.async.bulk.tensor.%dd.shared::cluster.global%s.mbarrier::complete_tx::bytes.L2::cache_hint "
				     "[%%r11], [%%rd1, %s], [%%r12]%s%s, %%rd3;\n%s", rank, pixels, begin_of_kernel,
				     rank, pixels ? ".im2col" : rank & 1 ? ".tile" : "", c, pixels ? ", " : "", of,
				     rank, pixels ? ".im2col" : rank & 1 ? ".tile" : "", c, pixels ? ", " : "", of, wait_and_copy_out);
			for (unsigned op = 0; op < 9; op++)
				t += sprintf(t, ".visible .entry store%d%d%s%s%scp.%sasync.bulk.tensor.%dd.global.shared::cta%s%s%s.bulk_group "
					     "[%%rd1, %s], [%%r11]; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ret;\n}\n",
					     rank, pixels, reductions[op], begin_of_kernel, copy_in, op ? "reduce." : "", rank, op ? "." : "",
					     reductions[op], pixels ? ".im2col_no_offs" : "", c);
		}
}

/* ---- the model ---- */

static uint64_t state;

static unsigned int pick(unsigned int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % n;
}

struct trial {
	unsigned int type, size, rank, swizzle, nan, pixels;	/* pixels: of im2col, or 0 */
	cuuint64_t dim[5], stride[5];		/* stride[0]: the size of an element */
	cuuint32_t box[5], step[5];
	int lower[3], upper[3];
	int32_t at[5];
	uint16_t off[3];
	unsigned int start, row, rows, bytes;
};

static const unsigned int sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

static bool is_float(unsigned int type)
{
	return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

/* Where element k of the box lies in the buffer, or -1: it lies outside the tensor. */
static long where(const struct trial *t, unsigned int k)
{
	unsigned int row = k / (t->row / t->size), d;
	long byte = (long)t->start, x[5];

	x[0] = (long)t->at[0] + k % (t->row / t->size);
	if (!t->pixels) {
		for (d = 1; d < t->rank; d++) {
			unsigned int n = (t->box[d] + t->step[d] - 1) / t->step[d];

			x[d] = (long)t->at[d] + (long)(row % n) * t->step[d];
			row /= n;
		}
	} else {	/* pixel number `row` of the walk, counted from the first pixel of the box */
		for (d = 1; d < t->rank; d++)
			x[d] = t->at[d];
		for (; row; row--) {
			for (d = 1; d < t->rank - 1 && x[d] + t->step[d] > (long)t->dim[d] - 1 + t->upper[d - 1]; d++)
				x[d] = t->lower[d - 1];
			x[d] += t->step[d];
		}
		for (d = 1; d < t->rank - 1; d++)
			x[d] += t->off[d - 1];
	}
	for (d = 0; d < t->rank; d++) {
		if (x[d] < 0 || x[d] >= (long)t->dim[d])
			return -1;
		byte += x[d] * (long)t->stride[d];
	}
	return byte;
}

/* Where byte b of the box lies behind the start of the box, which is `off` bytes behind a multiple of 1024. */
static unsigned int swizzled(const struct trial *t, unsigned int off, unsigned int b)
{
	unsigned int p = off + b, line = p / 128 % 8, chunk = p / 16 % 8, chunks = 1u << t->swizzle;

	chunk = chunk / chunks * chunks + ((chunk % chunks) ^ (line % chunks));
	return (p / 128 * 128 + chunk * 16 + p % 16) - off;
}

static uint64_t loaded(const struct trial *t, const uint8_t *buffer, unsigned int k)
{
	long at = where(t, k);
	uint64_t v = 0;
	uint32_t w;

	if (at < 0)
		return t->nan ? t->size == 2 ? 0x7fff : t->size == 4 ? 0x7fffffff : 0x7fffffffffffffff : 0;
	memcpy(&v, buffer + at, t->size);
	w = (uint32_t)v;
	if ((t->type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ || t->type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ) && !(w << 1 >> 24))
		v = w & 0x80000000u;
	if (t->type >= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 && (w << 1) <= 0xff000000u)
		v = ((uint32_t)v + 0x1000) & ~0x1fffu;
	return v;
}

/* ---- trials ---- */

static void make_trial(struct trial *t, unsigned int rank, bool im2col)
{
	unsigned int units;

	memset(t, 0, sizeof(*t));
	t->type = pick(13);
	t->size = sizes[t->type];
	t->rank = rank;
	t->swizzle = pick(4);
	t->nan = is_float(t->type) && pick(2);
	units = 16 / t->size;
	t->dim[0] = 1 + pick(5 * units);
	t->stride[0] = t->size;
	t->stride[1] = (t->dim[0] * t->size + 15) / 16 * 16 + 16 * pick(2);
	for (unsigned int d = 1; d < rank; d++) {
		t->dim[d] = 1 + pick(rank > 3 ? 4 : 7);
		if (d + 1 < rank)
			t->stride[d + 1] = t->stride[d] * (t->dim[d] + pick(2));
		t->step[d] = pick(3) ? 1 : 1 + pick(3);
	}
	t->step[0] = 1;
	t->row = 16 * (1 + pick(t->swizzle && t->swizzle < 3 ? 1u << t->swizzle : 4));
	t->box[0] = t->row / t->size;
	t->rows = 1;
	t->start = 512;
	for (unsigned int d = 0; d < rank; d++)
		t->at[d] = (int32_t)pick((unsigned int)t->dim[d] + 2) - 1 - (pick(5) ? 0 : (int)pick(9));
	if (im2col) {
		t->rows = t->pixels = 1 + pick(20);
		for (unsigned int d = 0; d < rank - 2; d++) {
			t->lower[d] = (int)pick(3) - 2;
			t->upper[d] = (int)pick(3) - 1;
			while ((int)t->dim[d + 1] - 1 + t->upper[d] < t->lower[d])
				t->upper[d]++;
			t->at[d + 1] = t->lower[d] + (int)pick((unsigned int)((int)t->dim[d + 1] + t->upper[d] - t->lower[d]));
			t->off[d] = (uint16_t)pick(3);
		}
	} else {
		for (unsigned int d = 1; d < rank; d++) {
			t->box[d] = 1 + pick(rank > 3 ? 3 : 6);
			t->rows *= (t->box[d] + t->step[d] - 1) / t->step[d];
		}
	}
	t->bytes = t->row * t->rows;
}

static CUdeviceptr buffer_at, out_at, place_at;

static CUresult encode(const struct trial *t, CUtensorMap *map)
{
	void *address = (void *)(uintptr_t)(buffer_at + t->start);

	if (t->pixels)
		return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)t->type, t->rank, address, t->dim, t->stride + 1, t->lower, t->upper,
					       t->box[0], t->pixels, t->step, CU_TENSOR_MAP_INTERLEAVE_NONE,
					       (CUtensorMapSwizzle)t->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
					       (CUtensorMapFloatOOBfill)t->nan);
	return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)t->type, t->rank, address, t->dim, t->stride + 1, t->box, t->step,
				      CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)t->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
				      (CUtensorMapFloatOOBfill)t->nan);
}

static void run_trial(const struct trial *t, const char *name, unsigned int off)
{
	uint8_t place[28] = { 0 };
	CUtensorMap map;
	void *params[] = { &map, &out_at, &place_at, (void *)&t->bytes, &off };

	memset(&map, 0xaa, sizeof(map));
	OK(encode(t, &map));
	memcpy(place, t->at, sizeof(t->at));
	memcpy(place + 20, t->off, sizeof(t->off));
	OK(cuMemcpyHtoD_v2(place_at, place, sizeof(place)));
	OK(cuLaunchKernel(function(name), 1, 1, 1, 32, 1, 1, 0, 0, params, NULL));
	OK(cuCtxSynchronize());
}

static uint8_t before[TENSOR], after[TENSOR], box[BOX + 1024];

static void start(void)
{
	static bool built;

	if (!built)
		build();
	built = true;
	begin(text);
	OK(cuMemAlloc_v2(&buffer_at, TENSOR));
	OK(cuMemAlloc_v2(&out_at, BOX + 1024));
	OK(cuMemAlloc_v2(&place_at, 64));
}

static void fill(uint8_t *p, unsigned int bytes)
{
	for (unsigned int k = 0; k < bytes; k++)
		p[k] = (uint8_t)pick(256);
}

#define TRIALS	16

static void loads(bool im2col)
{
	char name[32];

	start();
	for (unsigned int rank = im2col ? 3 : 1; rank <= 5; rank++)
		for (unsigned int n = 0; n < TRIALS; n++) {
			unsigned int off = 128 * pick(8);
			struct trial t;

			do {
				make_trial(&t, rank, im2col);
			} while (t.bytes > BOX || t.start + t.stride[rank - 1] * t.dim[rank - 1] > TENSOR);
			/* A box whose last line is not whole may change places with what is behind it: such boxes have whole lines here. */
			if (t.swizzle && t.bytes % 128)
				continue;
			fill(before, TENSOR);
			for (unsigned int k = 0; t.type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ && k < TENSOR; k += 12) {
				before[k + 3] &= 0x80;		/* a denormal */
				before[k + 2] &= 0x7f;
			}
			OK(cuMemcpyHtoD_v2(buffer_at, before, TENSOR));
			sprintf(name, "load%u%d", rank, im2col);
			run_trial(&t, name, off);
			OK(cuMemcpyDtoH_v2(box, out_at, t.bytes));
			for (unsigned int k = 0; k < t.bytes / t.size; k++) {
				uint64_t want = loaded(&t, before, k), got = 0;

				memcpy(&got, box + swizzled(&t, off, k * t.size), t.size);
				if (got != want && t.type >= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 && (want << 33) > 0xff000000ull << 32 &&
				    (got << 33) > 0xff000000ull << 32)
					continue;	/* NaNs */
				ck_assert_msg(got == want, "rank %u trial %u type %u swizzle %u element %u: %llx, not %llx", rank, n, t.type,
					      t.swizzle, k, (unsigned long long)got, (unsigned long long)want);
			}
		}
}

START_TEST(tiles_are_loaded)
{
	loads(false);
}
END_TEST

START_TEST(pixels_are_loaded)
{
	loads(true);
}
END_TEST

START_TEST(boxes_are_stored)
{
	char name[32];

	start();
	for (unsigned int rank = 1; rank <= 5; rank++)
		for (unsigned int n = 0; n < TRIALS; n++) {
			unsigned int off = 128 * pick(8);
			struct trial t;

			do {
				make_trial(&t, rank, rank >= 3 && pick(2));
			} while (t.bytes > BOX || t.start + t.stride[rank - 1] * t.dim[rank - 1] > TENSOR || (t.swizzle && t.bytes % 128));
			memset(t.off, 0, sizeof(t.off));
			fill(before, TENSOR);
			fill(box, t.bytes);
			OK(cuMemcpyHtoD_v2(buffer_at, before, TENSOR));
			OK(cuMemcpyHtoD_v2(out_at, box, t.bytes));
			sprintf(name, "store%u%d", rank, t.pixels != 0);
			run_trial(&t, name, off);
			OK(cuMemcpyDtoH_v2(after, buffer_at, TENSOR));
			for (unsigned int k = 0; k < t.bytes / t.size; k++) {
				long at = where(&t, k);

				if (at >= 0)
					memcpy(before + at, box + swizzled(&t, off, k * t.size), t.size);
			}
			for (unsigned int k = 0; k < TENSOR; k++)
				ck_assert_msg(before[k] == after[k], "rank %u trial %u type %u swizzle %u byte %u: %x, not %x", rank, n, t.type,
					      t.swizzle, k, after[k], before[k]);
		}
}
END_TEST

/* ---- reductions ---- */

/* A small number as a value of the type: halves are exact then, and so are their sums. */
static uint64_t number(unsigned int type, unsigned int n)
{
	float f = (float)n;
	double d = n;
	uint32_t w;
	uint64_t q;

	memcpy(&w, &f, 4);
	memcpy(&q, &d, 8);
	switch (type) {
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return n ? (w - (112u << 23)) >> 13 : 0;
	case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return w >> 16;
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: return w;
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return q;
	default: return n;
	}
}

static bool reduces(unsigned int type, const char *op)
{
	bool arithmetic = !strcmp(op, "add") || !strcmp(op, "min") || !strcmp(op, "max"), wraps = !strcmp(op, "inc") || !strcmp(op, "dec");

	switch (type) {
	case CU_TENSOR_MAP_DATA_TYPE_UINT32: return true;
	case CU_TENSOR_MAP_DATA_TYPE_INT32: case CU_TENSOR_MAP_DATA_TYPE_UINT64: case CU_TENSOR_MAP_DATA_TYPE_INT64: return !wraps;
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return arithmetic;
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return !strcmp(op, "add");
	default: return false;
	}
}

static unsigned int reduced(const char *op, unsigned int a, unsigned int b)
{
	switch (op[0] << 8 | op[1]) {
	case 'a' << 8 | 'd': return a + b;
	case 'm' << 8 | 'i': return a < b ? a : b;
	case 'm' << 8 | 'a': return a > b ? a : b;
	case 'i' << 8 | 'n': return a >= b ? 0 : a + 1;
	case 'd' << 8 | 'e': return !a || a > b ? b : a - 1;
	case 'a' << 8 | 'n': return a & b;
	case 'o' << 8 | 'r': return a | b;
	default: return a ^ b;
	}
}

static void put(uint8_t *p, const struct trial *t, unsigned int n)
{
	uint64_t v = number(t->type, n);

	memcpy(p, &v, t->size);
}

START_TEST(boxes_are_reduced)
{
	static uint8_t old[TENSOR], new[BOX];	/* numbers of elements */
	char name[32];

	start();
	for (unsigned int op = 1; op <= 8; op++)
		for (unsigned int n = 0; n < TRIALS; n++) {
			unsigned int rank = 1 + n % 5;
			struct trial t;

			do {
				make_trial(&t, rank, rank >= 3 && pick(2));
				t.swizzle = 0;
			} while (t.bytes > BOX || t.start + t.stride[rank - 1] * t.dim[rank - 1] > TENSOR || !reduces(t.type, reductions[op]));
			memset(t.off, 0, sizeof(t.off));
			for (unsigned int k = 0; k < TENSOR / t.size; k++)
				put(before + k * t.size, &t, old[k] = (uint8_t)pick(100));
			for (unsigned int k = 0; k < t.bytes / t.size; k++)
				put(box + k * t.size, &t, new[k] = (uint8_t)pick(100));
			OK(cuMemcpyHtoD_v2(buffer_at, before, TENSOR));
			OK(cuMemcpyHtoD_v2(out_at, box, t.bytes));
			sprintf(name, "store%u%d%s", rank, t.pixels != 0, reductions[op]);
			run_trial(&t, name, 0);
			OK(cuMemcpyDtoH_v2(after, buffer_at, TENSOR));
			for (unsigned int k = 0; k < t.bytes / t.size; k++) {
				long at = where(&t, k);

				if (at >= 0)
					put(before + at, &t, reduced(reductions[op], old[at / t.size], new[k]));
			}
			for (unsigned int k = 0; k < TENSOR; k++)
				ck_assert_msg(before[k] == after[k], "%s rank %u trial %u type %u byte %u: %x, not %x", reductions[op], rank, n,
					      t.type, k, after[k], before[k]);
		}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { tiles_are_loaded, pixels_are_loaded, boxes_are_stored, boxes_are_reduced };

	return RUN_ALL("cuda_tensor", tests);
}
