/* SPDX-License-Identifier: MIT */
/*
 * Stream priorities and nesting depth through the driver, two processes at once, in the guest.  TAP.
 * Rows: SP-17, SP-23, SP-24 (two processes with depths 4 and 2 and their maps), SP-43, SP-44, SP-45; fairness
 * between contexts: one with an endless kernel of the highest priority on all SMs does not stop another.
 *
 * The processes tell each other through pipes how far they have got; nothing depends on how fast the guest is.
 */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include <ppu.h>

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# %s:%d: %s\n", __func__, __LINE__, #cond); \
		exit(1); \
	} \
} while (0)
#define RESULT(want, call) do { \
	ppuResult r_ = (call); \
	if (r_ != (want)) { \
		printf("# %s:%d: %s: %s: %s\n", __func__, __LINE__, #call, ppuGetErrorName(r_), \
		       ppuGetLastErrorDetail()); \
		exit(1); \
	} \
} while (0)
#define OK(call) RESULT(PPU_SUCCESS, call)
#include "../driver/child_tmd.h"	/* wants OK() */

#define LEVELS	16u

/* chain: launch `next`, store the result at out[depth], wait.  endless: until a word is not 0.  count: add 1. */
static const char code[] =
	".kernel chain\n"
	".param out u64\n"
	".param next u64\n"
	"s2r r6, %depth\n"
	"ld.param.u64 rd2, [out]\n"
	"ld.param.u64 rd4, [next]\n"
	"tlaunch r8, rd4\n"
	"madw.u32 rd10, r6, 4, rd2\n"
	"st.global.u32 [rd10], r8\n"
	"tsync r9\n"
	"exit\n"
	".kernel endless\n"
	".param stop u64\n"
	".param begun u64\n"
	"ld.param.u64 rd2, [stop]\n"
	"ld.param.u64 rd4, [begun]\n"
	"mov.u32 r6, 1\n"
	"st.global.u32 [rd4], r6\n"
	"top: nanosleep 2000\n"
	"ld.global.volatile.u32 r8, [rd2]\n"
	"setp.eq.u32 p0, r8, rz\n"
	"@p0 bra top\n"
	"exit\n"
	".kernel count\n"
	".param word u64\n"
	"ld.param.u64 rd2, [word]\n"
	"mov.u32 r4, 1\n"
	"atom.global.add.u32 rz, [rd2], r4\n"
	"exit\n";

static ppuModule mod;

static void start(const char *streams, uint32_t depth)
{
	ppuInitOptions o = { .backend = "drm", .stream_priorities = streams };

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, code, 0, NULL));
	if (depth)
		OK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, depth));
}

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

/* ---- processes ------------------------------------------------------------------------------- */

struct peer {
	int in, out;		/* pipes from and to the other process */
};

static void tell(const struct peer *p)
{
	CHECK(write(p->out, "x", 1) == 1);
}

static void wait_for_peer(const struct peer *p)
{
	char c;

	CHECK(read(p->in, &c, 1) == 1);
}

/* Both in processes of their own; true if both ended well. */
static int both(void (*a)(const struct peer *), void (*b)(const struct peer *))
{
	int ab[2], ba[2], status, good = 1;

	CHECK(!pipe(ab) && !pipe(ba));
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		struct peer p = { i ? ab[0] : ba[0], i ? ba[1] : ab[1] };

		switch (fork()) {
		case -1:
			return 0;
		case 0:
			/* Whoever dies must not leave the other one waiting. */
			close(i ? ab[1] : ba[1]);
			close(i ? ba[0] : ab[0]);
			(i ? b : a)(&p);
			fflush(stdout);
			_exit(0);
		}
	}
	close(ab[0]);
	close(ab[1]);
	close(ba[0]);
	close(ba[1]);
	for (int i = 0; i < 2; i++)
		good &= wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
	return good;
}

/* ---- depths ---------------------------------------------------------------------------------- */

/* The number of a device priority, counted from the lowest (SP-6: host_priority_order.sh). */
static uint32_t number_of(uint32_t place)
{
	ppuDeviceProp prop;

	OK(ppuDeviceGetProperties(&prop, 0));
	return prop.features & PPU_FEAT_PRIO_DOWN ? prop.device_priorities - 1 - place : place;
}

static void depth_and_map(const struct peer *p, const char *streams, uint32_t depth, uint32_t levels)
{
	uint32_t *out, got;
	uint64_t n;
	ppuStream s = NULL;
	void *tmd;

	start(streams, depth);
	RESULT(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 13));
	RESULT(PPU_ERROR_INVALID_VALUE, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 0));
	for (uint32_t l = 0; l < levels; l++) {
		OK(ppuStreamCreate(&s, 0, (int)l));
		OK(ppuStreamGetDevicePriority(s, &got));
		CHECK(got == number_of(l * depth));
	}
	RESULT(PPU_ERROR_BUSY, ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, 3));
	OK(ppuMallocHost((void **)&out, 4096));
	memset(out, 0x55, 4096);
	tmd = child_tmd(fn("chain"), out);
	OK(ppuCtxGetLimit(PPU_LIMIT_NESTING_DEPTH, &n));
	CHECK(n == depth);
	/* Now both have their depth. */
	tell(p);
	wait_for_peer(p);
	OK(ppuLaunchKernel(fn("chain"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, (void *[]){ &out, &tmd }, NULL, 0));
	RESULT(PPU_ERROR_LAUNCH_DEPTH, ppuStreamSynchronize(s));	/* SP-37 */
	for (uint32_t d = 1; d < LEVELS; d++)
		CHECK(out[d] == (d < depth ? (uint32_t)PPU_LAUNCH_OK : d == depth ? (uint32_t)PPU_LAUNCH_DEPTH : 0x55555555u));
	tell(p);
	wait_for_peer(p);
	OK(ppuShutdown());
}

static void depth_four(const struct peer *p)
{
	depth_and_map(p, "0:2", 4, 3);
}

static void depth_two(const struct peer *p)
{
	depth_and_map(p, "0:5", 2, 6);
}

/* ---- fairness -------------------------------------------------------------------------------- */

/* So many blocks that no SM has room for another one. */
static uint32_t all_sms(uint32_t *shared)
{
	ppuDeviceProp prop;

	OK(ppuDeviceGetProperties(&prop, 0));
	*shared = prop.shared_per_block;
	return prop.sms * (prop.shared_per_sm / prop.shared_per_block);
}

static unsigned my_tasks(ppuTaskInfo *first)
{
	ppuTaskInfo t[8];
	unsigned n = 8;

	OK(ppuCtxGetTasks(t, &n));
	if (n)
		*first = t[0];
	return n;
}

/* Is there a line for a record in debugfs? */
static int debugfs_names(uint32_t record)
{
	char path[64], line[256];
	int found = 0;

	for (int minor = 0; minor < 256 && !found; minor++) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/tasks", minor);
		f = fopen(path, "r");
		if (!f)
			continue;
		while (fgets(line, sizeof(line), f)) {
			unsigned n;
			int parent, slot;
			char state[16];

			found |= sscanf(line, "%u %d %d %15s", &n, &parent, &slot, state) == 4 && n == record &&
				 (!strcmp(state, "RUNNING") || !strcmp(state, "EVICTED"));
		}
		fclose(f);
	}
	return found;
}

static void endless(const struct peer *p)
{
	volatile uint32_t *word;
	uint32_t blocks, shared;
	void *stop, *begun;
	int least, greatest;
	ppuTaskInfo t;
	ppuStream s;

	start(NULL, 0);
	blocks = all_sms(&shared);
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	OK(ppuStreamCreate(&s, 0, greatest));
	OK(ppuMallocHost((void **)&word, 4096));
	stop = (void *)(uintptr_t)&word[0];
	begun = (void *)(uintptr_t)&word[16];
	OK(ppuLaunchKernel(fn("endless"), ppuDim(blocks, 1, 1), ppuDim(1, 1, 1), shared, s,
			   (void *[]){ &stop, &begun }, NULL, 0));
	while (!word[16])
		usleep(1000);
	/* The task holds a slot and has blocks on SMs, and is reported so until it is told to stop. */
	CHECK(my_tasks(&t) == 1);
	CHECK(!strcmp(t.kernel, "endless") && t.blocks == blocks && !t.blocks_done && t.depth == 1 && t.parent == -1);
	CHECK(t.blocks_running + t.blocks_saved > 0);
	CHECK(t.state == PPU_TASK_STATE_RUNNING ? t.slot >= 0 : t.state == PPU_TASK_STATE_EVICTED && t.slot == -1);
	CHECK(debugfs_names(t.number));
	tell(p);
	wait_for_peer(p);	/* the other one is through */
	CHECK(ppuStreamQuery(s) == PPU_ERROR_NOT_READY);
	word[0] = 1;
	OK(ppuStreamSynchronize(s));
	OK(ppuShutdown());
}

static void finite_kernel(const struct peer *p)
{
	uint32_t blocks, shared, *word;
	ppuTaskInfo t;
	ppuStream s;

	start(NULL, 0);
	blocks = all_sms(&shared);
	OK(ppuStreamCreate(&s, 0, 0));
	OK(ppuMallocHost((void **)&word, 4096));
	wait_for_peer(p);	/* the endless one runs */
	CHECK(my_tasks(&t) == 0);	/* other contexts do not see it */
	OK(ppuLaunchKernel(fn("count"), ppuDim(2 * blocks, 1, 1), ppuDim(1, 1, 1), shared, s, (void *[]){ &word },
			   NULL, 0));
	OK(ppuStreamSynchronize(s));
	CHECK(*word == 2 * blocks);
	tell(p);
	OK(ppuShutdown());
}

static int report(int good, const char *name)
{
	printf("%sok - %s\n", good ? "" : "not ", name);
	return !good;
}

/* ---- an error that no channel has -------------------------------------------------------------- */

static void nothing(void *arg)
{
	(void)arg;
}

static void hold(void *go)
{
	while (sem_wait(go))
		;
}

/*
 * SP-37: a launch too deep stops no channel, but the context has the error, and functions of the CPU are dropped.
 * Whoever waits for work behind such a function gets the error, too, and does not wait for ever.  The first function holds
 * the launch back until everything is in the stream: a context with an error takes nothing.
 */
static void dropped_function(const struct peer *p)
{
	uint32_t *out, *word;
	ppuStream s;
	void *tmd;
	sem_t go;

	(void)p;
	alarm(60);
	CHECK(!sem_init(&go, 0, 0));
	start(NULL, 1);
	OK(ppuMallocHost((void **)&out, 4096));
	OK(ppuMalloc((void **)&word, 4));
	OK(ppuStreamCreate(&s, 0, 0));
	tmd = child_tmd(fn("chain"), out);
	OK(ppuLaunchHostFunc(s, hold, &go));
	OK(ppuLaunchKernel(fn("chain"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, (void *[]){ &out, &tmd }, NULL, 0));
	OK(ppuLaunchHostFunc(s, nothing, NULL));
	OK(ppuLaunchKernel(fn("count"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, s, (void *[]){ &word }, NULL, 0));
	CHECK(!sem_post(&go));
	RESULT(PPU_ERROR_LAUNCH_DEPTH, ppuStreamSynchronize(s));
	OK(ppuShutdown());
}

int main(void)
{
	int bad = 0;

	bad |= report(both(depth_four, depth_two), "SP-17, SP-23, SP-24, SP-43..45: two processes, each with its depth");
	bad |= report(both(endless, finite_kernel), "a process with an endless urgent kernel on all SMs stops nobody");
	bad |= report(both(dropped_function, dropped_function), "SP-37: nobody waits for what a context in error drops");
	return bad;
}
