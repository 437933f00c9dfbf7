/* SPDX-License-Identifier: MIT */
/*
 * Two processes with the CUDA Driver API, which together need 1.8 times the memory that their contexts leave: kernels,
 * fills and copies of both are right in every byte.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda/cuda.h>

#define CHUNK (4u << 20)
#define WORDS (CHUNK / 4)
#define STRIDE 1024u		/* words: a kernel touches one of them */
#define ROUNDS 3u
#define MEETINGS 3

/* Adds v to every STRIDE-th word; a thread for each. */
static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .entry add_some(.param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<6>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r4, %r2, %r3, %r4;\n"
	"mul.wide.u32 %rd2, %r4, 4096; add.u64 %rd3, %rd1, %rd2;\n"
	"ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, %r1; st.global.u32 [%rd3], %r5; ret;\n}\n";

#define MUST(call) do { \
	CUresult r_ = (call); \
	if (r_ != CUDA_SUCCESS) { \
		fprintf(stderr, "# %s: %d\n", #call, r_); \
		_exit(1); \
	} \
} while (0)

static unsigned int value(unsigned int id, unsigned int chunk)
{
	return id << 24 | chunk << 8 | 0x11;
}

static void add_some(CUfunction f, CUdeviceptr p, unsigned int v)
{
	void *params[] = { &p, &v };

	MUST(cuLaunchKernel(f, WORDS / STRIDE / 64, 1, 1, 64, 1, 1, 0, 0, params, NULL));
}

static bool right(const unsigned int *word, unsigned int v, unsigned int added)
{
	for (unsigned int i = 0; i < WORDS; i++)
		if (word[i] != (i % STRIDE ? v : v + added))
			return false;
	return true;
}

/* Both processes have come here. */
static void meet(int ready, int go)
{
	char c = 0;

	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
}

static int worker(unsigned int id, int ready, int go)
{
	unsigned int chunks, *host = malloc(CHUNK), added = 0;
	size_t avail, total;
	CUdeviceptr *p;
	CUcontext ctx;
	CUfunction f;
	CUmodule m;

	MUST(cuInit(0));
	MUST(cuCtxCreate(&ctx, 0, 0));
	MUST(cuModuleLoadData(&m, ptx));
	MUST(cuModuleGetFunction(&f, m, "add_some"));
	meet(ready, go);
	MUST(cuMemGetInfo(&avail, &total));
	meet(ready, go);
	chunks = (unsigned int)(avail * 9 / 10 / CHUNK);
	p = calloc(chunks, sizeof(*p));
	if (!host || !p)
		return 1;
	for (unsigned int i = 0; i < chunks; i++) {
		MUST(cuMemAlloc(&p[i], CHUNK));
		MUST(cuMemsetD32(p[i], value(id, i), WORDS));
	}
	meet(ready, go);
	for (unsigned int r = 1; r <= ROUNDS; r++) {
		for (unsigned int i = 0; i < chunks; i++)
			add_some(f, p[i], r);
		MUST(cuCtxSynchronize());
		added += r;
	}
	for (unsigned int i = 0; i < chunks; i++) {
		MUST(cuMemcpyDtoH(host, p[i], CHUNK));
		if (!right(host, value(id, i), added)) {
			fprintf(stderr, "# process %u: chunk %u is wrong\n", id, i);
			return 1;
		}
	}
	printf("# process %u: %u of %u MiB\n", id, chunks * (CHUNK >> 20), (unsigned int)(avail >> 20));
	fflush(stdout);
	return 0;
}

/* Lets both go on once both have come. */
static int let_go(int ready, int go[2][2])
{
	char c = 0;

	for (int i = 0; i < 2; i++)
		if (read(ready, &c, 1) != 1)
			return -1;
	for (int i = 0; i < 2; i++)
		if (write(go[i][1], &c, 1) != 1)
			return -1;
	return 0;
}

int main(void)
{
	int ready[2], go[2][2], status, bad = 0;

	if (pipe(ready) || pipe(go[0]) || pipe(go[1]))
		return 1;
	for (unsigned int i = 0; i < 2; i++)
		if (!fork()) {
			close(ready[0]);
			close(go[0][1]);
			close(go[1][1]);
			_exit(worker(i + 1, ready[1], go[i][0]));
		}
	/* If one dies, the reads of the other one and of this one end. */
	close(ready[1]);
	for (int i = 0; i < MEETINGS && !bad; i++)
		bad = let_go(ready[0], go) != 0;
	close(go[0][1]);
	close(go[1][1]);
	while (wait(&status) > 0)
		bad |= status != 0;
	printf("%s - two processes that share more memory than there is get right results\n", bad ? "not ok" : "ok");
	return bad;
}
