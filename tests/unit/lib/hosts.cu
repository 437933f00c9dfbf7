// SPDX-License-Identifier: MIT
/*
 * The host's accesses to memory that it shares with the device, for ppu_host_races.sh: `hosts` lists them; `hosts NAME` runs one
 * with its mistake, `hosts NAME clean` without.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <unistd.h>

#define N 4096
#define OK(call) do { \
	cudaError_t error = (call); \
	if (error) { \
		printf("%s: %s\n", #call, cudaGetErrorString(error)); \
		exit(1); \
	} \
} while (0)

static bool bad;
static volatile int sum;

static int *managed(int n)
{
	int *p;

	OK(cudaMallocManaged(&p, n * sizeof(int)));
	memset(p, 0, n * sizeof(int));
	return p;
}

static int *pinned(int n)
{
	int *p;

	OK(cudaMallocHost(&p, n * sizeof(int)));
	memset(p, 0, n * sizeof(int));
	return p;
}

static void finish()
{
	OK(cudaDeviceSynchronize());
}

__global__ void fill(int *p, int v)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = v + threadIdx.x;
}

__global__ void add(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i] + 1;
}

__global__ void bytes(unsigned char *p)
{
	if (threadIdx.x % 4)
		p[threadIdx.x] = 1;
}

__global__ void counts(int *p)
{
	atomicAdd_system(p, 1);
}

__global__ void tells(int *data, volatile int *flag)
{
	data[0] = 7;
	__threadfence_system();
	*flag = 1;
}

__global__ void asks(volatile int *flag, int *data, int *out)
{
	while (!*flag)
		;
	__threadfence_system();
	*out = *data;
}

/* ---- the classes ---- */

/* The result is read before anybody has waited for it. */
static void read_early()
{
	int *p = managed(N);

	fill<<<N / 256, 256>>>(p, 1);
	if (!bad)
		finish();
	sum = p[100];
	finish();
}

/* The next input is written while the kernel may still read the last one. */
static void write_early()
{
	int *p = managed(N), *q = managed(N);

	add<<<N / 256, 256>>>(p, q);
	if (!bad)
		finish();
	p[5] = 1;
	finish();
}

/* The next input is written while a kernel is at work on the last one, and given to the next kernel. */
static void next_input()
{
	int *p = managed(N), *q = managed(N), *out = managed(N);

	add<<<N / 256, 256>>>(p, out);
	for (int i = 0; i < 16; i++)
		(bad ? p : q)[i] = i;
	add<<<N / 256, 256>>>(q, out);
	finish();
}

/* Another stream is waited for. */
static void other_stream()
{
	int *p = managed(N), *q = managed(N);
	cudaStream_t one, two;

	OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	fill<<<N / 256, 256, 0, two>>>(q, 1);
	fill<<<N / 256, 256, 0, one>>>(p, 1);
	for (int i = 0; i < 8; i++)	/* so that the other one is done by then */
		fill<<<N / 256, 256, 0, one>>>(p, 1);
	OK(cudaStreamSynchronize(bad ? one : two));
	sum = q[100];
	finish();
}

/* Pinned memory from which a copy may still read. */
static void copy_from()
{
	int *host = pinned(N), *dev;

	OK(cudaMalloc(&dev, N * sizeof(int)));
	OK(cudaMemcpyAsync(dev, host, N * sizeof(int), cudaMemcpyHostToDevice));
	if (!bad)
		finish();
	memset(host + 16, 1, 64);
	finish();
}

static void copy_to()
{
	int *host = pinned(N), *dev;

	OK(cudaMalloc(&dev, N * sizeof(int)));
	OK(cudaMemsetAsync(dev, 0, N * sizeof(int)));
	OK(cudaMemcpyAsync(host, dev, N * sizeof(int), cudaMemcpyDeviceToHost));
	if (!bad)
		finish();
	sum = host[N - 1];
	finish();
}

/* An event in front of the kernel, not behind it. */
static void event()
{
	int *p = managed(N);
	cudaEvent_t e;

	OK(cudaEventCreate(&e));
	if (bad)
		OK(cudaEventRecord(e));
	fill<<<N / 256, 256>>>(p, 1);
	if (!bad)
		OK(cudaEventRecord(e));
	while (cudaEventQuery(e) == cudaErrorNotReady)
		;
	sum = p[1];
	finish();
}

/* What a system call reads and writes. */
static void read_call()
{
	int *p = managed(N), *q = managed(N), zero = open("/dev/zero", O_RDONLY);

	fill<<<N / 256, 256>>>(p, 1);
	if (read(zero, bad ? p : q, N * sizeof(int)) != (ssize_t)(N * sizeof(int)))
		exit(1);
	finish();
}

static void fwrite_call()
{
	int *p = managed(N), *q = managed(N);
	FILE *null = fopen("/dev/null", "w");

	fill<<<N / 256, 256>>>(p, 1);
	if (fwrite(bad ? p : q, sizeof(int), N, null) != N || fclose(null))
		exit(1);
	finish();
}

/* Half of the memory is the host's. */
static void halves()
{
	int *p = managed(N);

	fill<<<N / 512, 256>>>(p, 1);
	for (int i = N / 2 - bad; i < N; i++)
		p[i] = i;
	finish();
}

/* The last byte of each word is the host's. */
static void one_byte()
{
	unsigned char *p = (unsigned char *)managed(N);

	bytes<<<1, 64>>>(p);
	for (int i = 0; i < 64; i += 4)
		p[i + bad] = 2;
	finish();
}

/* The host waits for a word, or only thinks so. */
static void flag()
{
	int *data = managed(N), *word = managed(1);

	tells<<<1, 1>>>(data, word);
	if (!bad)
		while (!*(volatile int *)word)
			cudaStreamQuery(0);
	sum = data[0];
	finish();
}

/* A kernel waits for a word of the host. */
static void flag_of_host()
{
	int *data = managed(N), *word = managed(1), *out = managed(1);

	asks<<<1, 1>>>(word, data, out);
	if (!bad)
		*data = 5;
	*(volatile int *)word = 1;
	if (bad)
		*data = 5;
	finish();
}

/* A number that goes up is looked at now and then: no race.  With the mistake it is cleared by plain stores of the kernel. */
static void progress()
{
	int *p = managed(N);

	if (bad)
		fill<<<1, 32>>>(p, 0);
	counts<<<4, 32>>>(p);
	for (int i = 0; i < 3000; i++)
		sum = *(volatile int *)p;
	finish();
}

static volatile int given;

static void CUDART_CB function(void *p)
{
	while (!given)
		usleep(100);
	sum = *(int *)p;
	*(int *)p = 3;
}

/* A function in the stream is behind the kernel; the host's next access is not behind the function. */
static void callback()
{
	int *p = managed(N);

	fill<<<N / 256, 256>>>(p, 1);
	OK(cudaLaunchHostFunc(0, function, p));
	fill<<<N / 256, 256>>>(p, 2);
	given = 1;
	if (!bad)
		finish();
	sum = p[3];
	finish();
}

static const struct {
	const char *name;
	void (*run)();
} all[] = {
#define ONE(name) { #name, name },
	ONE(read_early) ONE(write_early) ONE(next_input) ONE(other_stream) ONE(copy_from) ONE(copy_to) ONE(event) ONE(read_call) ONE(fwrite_call)
	ONE(halves) ONE(one_byte) ONE(flag) ONE(flag_of_host) ONE(progress) ONE(callback)
};

int main(int argc, char **argv)
{
	bad = argc < 3;
	for (auto &one : all)
		if (argc < 2)
			puts(one.name);
		else if (!strcmp(one.name, argv[1]))
			one.run();
}
