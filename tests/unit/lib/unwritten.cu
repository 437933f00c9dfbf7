// SPDX-License-Identifier: MIT
// Memory that nobody has written, for tests of initcheck: unwritten NAME [clean] makes the mistake of that name, or not.
// planted.cu has the cases of global and shared memory; here are local memory, values that are only copied, and pools.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static bool bad;

#define OK(call) do { \
	cudaError_t e_ = (call); \
	if (e_) { \
		fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); \
		exit(1); \
	} \
} while (0)

static int *ints(int n)
{
	int *p;

	OK(cudaMalloc(&p, n * sizeof(int)));
	OK(cudaMemset(p, 0, n * sizeof(int)));
	return p;
}

static void finish()
{
	OK(cudaDeviceSynchronize());
}

/* ---- local memory ---- */

__global__ void table(const int *in, int *out, int n)
{
	int a[16];

	for (int i = 0; i < n; i++)
		a[i] = in[i];
	*out = a[in[0] + 15];	/* of the table */
}

static void local_array()
{
	table<<<1, 1>>>(ints(16), ints(1), bad ? 15 : 16);
	finish();
}

__device__ __noinline__ int sum_of(const int *in, int n, int from)
{
	volatile int a[8];

	for (int i = from; i < n; i++)
		a[i] = in[i];
	return a[0] + a[n - 1];	/* of a frame */
}

/* What the first call left on the stack is not the second one's. */
__global__ void twice(const int *in, int *out, int from)
{
	out[0] = sum_of(in, 8, 0);
	out[1] = sum_of(in, 8, from);
}

static void local_frame()
{
	twice<<<1, 32>>>(ints(8), ints(2), bad ? 1 : 0);
	finish();
}

/* ---- values that are only copied ---- */

struct item {
	char kind;		/* and three bytes that nobody writes */
	int used;
};

__global__ void set(item *p)
{
	p[threadIdx.x].kind = 'a';
	p[threadIdx.x].used = 1;
}

__global__ void move(item *q, const item *p)
{
	q[threadIdx.x] = p[threadIdx.x];
}

__global__ void take(const item *p, int *out, bool wrong)
{
	out[threadIdx.x] = 1 + ((const char *)(p + threadIdx.x))[wrong];	/* of an item */
}

static void moved()
{
	item *p, *q;

	OK(cudaMalloc(&p, 32 * sizeof(item)));
	OK(cudaMalloc(&q, 32 * sizeof(item)));
	set<<<1, 32>>>(p);
	move<<<1, 32>>>(q, p);
	take<<<1, 32>>>(q, ints(32), bad);
	finish();
}

/* Through shared memory: it is a result when it comes out of there. */
__global__ void through(int *q, const int *p)
{
	__shared__ int s[32];

	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	q[threadIdx.x] = s[31 - threadIdx.x];	/* a result */
}

__global__ void look(const int *p, int *out)
{
	*out = *p + 1;	/* one word */
}

static void moved_on()
{
	int *p;

	OK(cudaMalloc(&p, 32 * sizeof(int)));
	OK(cudaMemset(p, 1, (bad ? 20 : 32) * sizeof(int)));
	through<<<1, 32>>>(ints(32), p);
	finish();
}

/* Only those threads store that were told to: what the others loaded is not on its way when they store the next time. */
__global__ void some(int *q, const int *p, unsigned which)
{
	for (int i = 0; i < 2; i++) {
		int v = ((volatile const int *)p)[threadIdx.x + 32 * i];	/* for some */

		if (which >> i & 1)
			q[threadIdx.x] = v;
	}
}

static void moved_later()
{
	int *p;

	OK(cudaMalloc(&p, 64 * sizeof(int)));
	OK(cudaMemset(p + 32, 1, 32 * sizeof(int)));
	some<<<1, 32>>>(ints(32), p, bad ? 1 : 2);
	finish();
}

/* ---- pools ---- */

/* Memory that comes again has in it what was there before, but not for those who asked for it now. */
static void pool_again()
{
	cudaStream_t s;
	int *p, *q, *out = ints(1);

	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync(&p, 1000, s));
	OK(cudaMemsetAsync(p, 0, 1000, s));
	OK(cudaFreeAsync(p, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaMallocAsync(&q, 1000, s));
	if (p != q)
		puts("not the same memory");
	if (!bad)
		OK(cudaMemsetAsync(q, 0, 1000, s));
	look<<<1, 1, 0, s>>>(q + 249, out);
	OK(cudaFreeAsync(q, s));
	finish();
}

__global__ void fill(int *p)
{
	p[threadIdx.x] = 7;
}

/* Nobody waits: the kernel of before may still use its memory when the next asks for some. */
static void pool_behind()
{
	cudaStream_t s;
	int *p, *q, *out = ints(2);

	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync(&p, 256, s));
	fill<<<1, 64, 0, s>>>(p);
	look<<<1, 1, 0, s>>>(p, out);
	OK(cudaFreeAsync(p, s));
	OK(cudaMallocAsync(&q, 256, s));
	if (!bad)
		fill<<<1, 64, 0, s>>>(q);
	look<<<1, 1, 0, s>>>(q, out + 1);
	OK(cudaFreeAsync(q, s));
	finish();
}

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
#define C(name) { #name, name },
	C(local_array) C(local_frame) C(moved) C(moved_on) C(moved_later) C(pool_again) C(pool_behind)
};

int main(int argc, char **argv)
{
	bad = argc == 2;
	for (const auto &c : cases)
		if (argc < 2 || !strcmp(argv[1], c.name))
			c.run();
	return 0;
}
