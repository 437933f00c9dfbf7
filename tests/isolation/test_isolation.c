/* SPDX-License-Identifier: MIT */
/*
 * Two processes, of which one is hostile: what the other one keeps, in device time. Its throughput is the device time
 * that a fixed amount of work takes, all of it submitted at once, alone and beside the hostile process. Its latency is
 * the device time from a semaphore's release in one of its channels to the end of a small piece of work in another one.
 * Documentation/reliability.md has the figures, and says what is promised.
 */
#include <signal.h>
#include <sys/wait.h>

#include <hw/ppu_config.h>

#include "gpu.h"
#include "harness.h"

#define COPY		DRM_PPU_CHANNEL_COPY
#define COMPUTE		DRM_PPU_CHANNEL_COMPUTE
#define VRAM		DRM_PPU_PLACEMENT_VRAM
#define SYSTEM		DRM_PPU_PLACEMENT_SYSTEM
#define PIECE		(1ull << 20)
#define BLOCKS		3		/* of a piece of work; copies or launches in each: */
#define COPIES		30
#define LAUNCHES	20
#define ROUNDS		5
#define VRAM_VA		0x20000000ull
#define TIMES_VA	0x28000000ull
#define PATTERN		0x5ec2e75e

/* ---- the process that is to be left alone ---- */

struct victim {
	int fd;
	struct gpu gpu;
	struct chan copy, bell;
	struct bo vram, times;
	uint64_t tmd, slice_ns, task_slice_ns;
};

static uint64_t task_slice(void)
{
#define P(field, name, type, def, min, max, doc) \
	if (!strcmp(name, "task-slice-ns")) \
		return def;
	PPU_PROPS(P)
#undef P
	return 0;
}

static struct victim victim_new(void)
{
	struct victim v = { .fd = open_ppu() };
	struct ppu_tmd *t;

	v.gpu = gpu_new(v.fd);
	v.copy = chan_new(v.fd, v.gpu.vm, COPY, 8);
	v.bell = chan_new(v.fd, v.gpu.vm, COPY, 8);
	v.vram = bo_new(v.fd, 2 * PIECE, VRAM);
	v.times = bo_new(v.fd, 4096, SYSTEM);
	vm_map(v.fd, v.gpu.vm, &v.vram, VRAM_VA);
	vm_map(v.fd, v.gpu.vm, &v.times, TIMES_VA);
	v.tmd = GPU_PROGRAM(&v.gpu, I_MOVI64_RD2(20000), I_DEC_R2, I_SETP_P1_R2, I_P1_BRA_1, I_EXIT);
	t = (struct ppu_tmd *)((char *)v.gpu.code.map + 4096);
	t->grid[0] = (uint32_t)get_param(v.fd, DRM_PPU_PARAM_NUM_SMS);
	t->block[0] = 64;
	v.slice_ns = 1000 * get_param(v.fd, DRM_PPU_PARAM_TIMESLICE_DEFAULT_US);
	v.task_slice_ns = task_slice();
	return v;
}

/* A device with much work needs long for some milliseconds of its own time. */
static void wait_end(struct chan *c)
{
	WAIT_FOR(chan_get(c) == c->put || c->userd[PPU_REG_USERD_ERROR / 4], 300000);
	CHECK_EQ(c->userd[PPU_REG_USERD_ERROR / 4], 0);
}

static void work_of(struct victim *v, struct chan *c, struct cmds *b)
{
	for (unsigned i = 0; i < COPIES && c == &v->copy; i++)
		cmd_copy(b, v->vram.va, v->vram.va + PIECE, PIECE);
	for (unsigned i = 0; i < LAUNCHES && c != &v->copy; i++)
		cmd_launch(b, v->tmd);
}

/* Device time of the whole work, which the device has before the doorbell. */
static uint64_t throughput_ns(struct victim *v, struct chan *c)
{
	volatile uint64_t *times = v->times.map;

	for (unsigned i = 0; i < BLOCKS; i++) {
		struct cmds b = chan_block(c);

		if (!i)
			cmd_timestamp(&b, v->times.va);
		work_of(v, c, &b);
		if (i == BLOCKS - 1) {
			cmd_wfi(&b);
			cmd_timestamp(&b, v->times.va + 8);
		}
		chan_commit(c, &b);
	}
	chan_doorbell(c);
	wait_end(c);
	CHECK(times[1] > times[0]);
	return times[1] - times[0];
}

/* The longest of some rounds: the bell's channel releases, the other one acquires, works, and releases. */
static uint64_t latency_ns(struct victim *v, struct chan *c)
{
	volatile uint64_t *times = (volatile uint64_t *)v->times.map + 16;
	uint64_t go = chan_sem_va(&v->bell, 0), done = chan_sem_va(&v->bell, 1), worst = 0;
	struct cmds a = chan_block(&v->bell), b = chan_block(c);

	*chan_sem(&v->bell, 0) = *chan_sem(&v->bell, 1) = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		cmd_acquire(&a, PPU_SEM_OP_EQ, done, i);
		cmd_timestamp(&a, v->times.va + 128 + 16 * i);
		cmd_release(&a, go, i + 1);
		cmd_acquire(&b, PPU_SEM_OP_GE, go, i + 1);
		if (c == &v->copy)
			cmd_copy(&b, v->vram.va, v->vram.va + PIECE, 64);
		else
			cmd_launch(&b, v->tmd);
		cmd_wfi(&b);
		cmd_timestamp(&b, v->times.va + 128 + 16 * i + 8);
		cmd_release(&b, done, i + 1);
	}
	chan_submit(c, &b);
	chan_submit(&v->bell, &a);
	wait_end(c);
	wait_end(&v->bell);
	for (unsigned i = 0; i < ROUNDS; i++)
		if (times[2 * i + 1] - times[2 * i] > worst)
			worst = times[2 * i + 1] - times[2 * i];
	return worst;
}

struct figures {
	uint64_t copy, compute, latency_copy, latency_compute;
};

static struct figures measure(struct victim *v)
{
	return (struct figures){
		.copy = throughput_ns(v, &v->copy), .compute = throughput_ns(v, &v->gpu.c),
		.latency_copy = latency_ns(v, &v->copy), .latency_compute = latency_ns(v, &v->gpu.c),
	};
}

/* ---- the hostile process ---- */

static int ready_fd;

static void ready(void)
{
	CHECK(write(ready_fd, "r", 1) == 1);
}

/* Rings are filled once, with the same block in each entry; stores to GP_PUT submit them again and again. */
static void fill_ring(struct chan *c, const struct cmds *b)
{
	for (uint32_t i = 0; i < c->count; i++) {
		c->ring[i].va = b->va;
		c->ring[i].length = b->n;
		c->ring[i].flags = 0;
	}
	__sync_synchronize();
}

static void more(struct chan *c)
{
	c->userd[PPU_REG_USERD_GP_PUT / 4] = (chan_get(c) + c->count - 1) % c->count;
}

static uint32_t tasks_of(int fd)
{
	struct drm_ppu_task one;
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_TASKS, .size = sizeof(one), .ptr = (uintptr_t)&one };

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return q.size / sizeof(one);
}

/*
 * Submits for ever to rings that are full.  It is ready when the device takes no more tasks.  After that it asks no
 * more: to list the tasks takes thousands of registers, and each waits for the SMs' host time, not for device time.
 */
static void go_on(struct chan *c, unsigned n)
{
	unsigned same = 0, tasks = 0, now;

	for (bool told = false;;) {
		for (unsigned i = 0; i < n; i++)
			more(&c[i]);
		usleep(1000);
		if (told)
			continue;
		now = tasks_of(c->fd);
		same = now == tasks ? same + 1 : 0;
		tasks = now;
		if (same < 4)
			continue;
		ready();
		told = true;
	}
}

#define MANY 200	/* channels; some of the device's are left */
#define MANY_VMS 60
#define COMPUTE_VMS 3	/* VRAM has room for the areas of so many, and of the victim's */

static void long_copies(struct chan *c, const struct bo *big)
{
	struct cmds b = chan_block(c);

	for (unsigned j = 0; j < COPIES; j++)
		cmd_copy(&b, big->va, big->va + big->size / 2, big->size / 2);
	fill_ring(c, &b);
}

/* Kernels without an end, as many as the device takes. */
static void fill_tasks(struct gpu *g, uint64_t tmd)
{
	struct ppu_tmd *t = (struct ppu_tmd *)((char *)g->code.map + 4096);
	struct cmds b = chan_block(&g->c);

	t->grid[0] = 1000;
	t->block[0] = 256;
	for (unsigned j = 0; j < 80; j++)
		cmd_launch(&b, tmd);
	fill_ring(&g->c, &b);
}

static void endless(struct gpu *g)
{
	fill_tasks(g, GPU_PROGRAM(g, I_NANOSLEEP(5000), I_BRA_SELF));
}

/* The same, but their warps compute all the time. */
static void busy(void)
{
	struct gpu g = gpu_new(open_ppu());

	fill_tasks(&g, GPU_PROGRAM(&g, I_BRA_SELF));
	go_on(&g.c, 1);
}

static void one_vm(void)
{
	static struct chan c[MANY];
	int fd = open_ppu();
	struct bo big = bo_new(fd, 16 << 20, VRAM);
	struct gpu g = gpu_new(fd);
	unsigned n;

	vm_map(fd, g.vm, &big, VRAM_VA);
	for (n = 0; n < 180; n++) {
		c[n] = chan_new(fd, g.vm, COPY, 8);
		long_copies(&c[n], &big);
	}
	endless(&g);
	c[n++] = g.c;
	go_on(c, n);
}

static void many_vms(void)
{
	static struct chan c[MANY];
	int fd = open_ppu();
	struct bo big = bo_new(fd, 16 << 20, VRAM);
	unsigned n = 0;

	for (unsigned i = 0; i < MANY_VMS; i++) {
		uint32_t vm = vm_new(fd);

		vm_map(fd, vm, &big, VRAM_VA);
		for (unsigned k = 0; k < 3; k++) {
			c[n] = chan_new(fd, vm, COPY, 8);
			long_copies(&c[n++], &big);
		}
	}
	go_on(c, n);
}

static void compute_vms(void)
{
	static struct chan c[COMPUTE_VMS];
	int fd = open_ppu();

	for (unsigned i = 0; i < COMPUTE_VMS; i++) {
		struct gpu g = gpu_new(fd);

		endless(&g);
		c[i] = g.c;
	}
	go_on(c, COMPUTE_VMS);
}

/* Commands that need no engine, in many channels of many VMs. */
static void many_hosts(void)
{
	static struct chan c[MANY];
	int fd = open_ppu();
	unsigned n = 0;

	for (unsigned i = 0; i < MANY_VMS; i++) {
		uint32_t vm = vm_new(fd);

		for (unsigned k = 0; k < 3; k++) {
			struct cmds b;

			c[n] = chan_new(fd, vm, COPY, 64);
			b = chan_block(&c[n]);
			for (unsigned j = 0; j < 120; j++)
				cmd_nop(&b, 1);
			fill_ring(&c[n++], &b);
		}
	}
	go_on(c, n);
}

/* Kernels with so many CTAs that they have no end, either; each CTA has one at once. */
static void short_ctas(void)
{
	static struct chan c[1];
	struct gpu g = gpu_new(open_ppu());
	uint64_t tmd = GPU_PROGRAM(&g, I_EXIT);
	struct ppu_tmd *t = (struct ppu_tmd *)((char *)g.code.map + 4096);
	struct cmds b = chan_block(&g.c);

	t->grid[0] = 1u << 30;
	t->block[0] = 1024;
	for (unsigned j = 0; j < 80; j++)
		cmd_launch(&b, tmd);
	fill_ring(&g.c, &b);
	c[0] = g.c;
	go_on(c, 1);
}

static void interrupts(void)
{
	static struct chan c[8];
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);

	for (unsigned i = 0; i < 8; i++) {
		struct cmds b;

		c[i] = chan_new(fd, vm, i % 2 ? COPY : COMPUTE, 64);
		b = chan_block(&c[i]);
		for (unsigned j = 0; j < 120; j++)
			cmd_intr(&b, j);
		fill_ring(&c[i], &b);
	}
	go_on(c, 8);
}

static void doorbells(void)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 64);
	struct cmds b = chan_block(&c);

	cmd_nop(&b, 1);
	fill_ring(&c, &b);
	ready();
	for (;;) {
		c.userd[PPU_REG_USERD_KICK / 4] = 1;
		more(&c);
	}
}

static void faults(void)
{
	int fd = open_ppu();

	for (unsigned n = 0;; n++) {
		struct gpu g = gpu_new(fd);
		struct cmds b;

		if (n % 2) {
			gpu_launch(&g, GPU_PROGRAM(&g, I_TRAP));
		} else {
			b = chan_block(&g.c);
			cmd_release(&b, 0x5550000000ull, 1);
			chan_submit(&g.c, &b);
		}
		WAIT_FOR(chan_query(&g.c).error, 60000);
		chan_free(&g.c);
		bo_free(&g.code);
		bo_free(&g.data);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &(struct drm_ppu_vm_destroy){ .vm_id = g.vm });
		if (n == 2)
			ready();
	}
}

static void binds(void)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 64 << 20, SYSTEM);
	struct drm_ppu_vm_bind_op op[64];
	struct drm_ppu_vm_bind a = { .vm_id = vm, .ops = DRM_PPU_ARRAY(64, op) };

	for (unsigned i = 0; i < 64; i++)
		op[i] = (struct drm_ppu_vm_bind_op){
			.op = i % 2 ? DRM_PPU_VM_BIND_OP_UNMAP : DRM_PPU_VM_BIND_OP_MAP,
			.handle = i % 2 ? 0 : bo.handle, .va = 0x40000000ull, .size = bo.size,
		};
	ready();
	for (;;)
		DO(fd, DRM_IOCTL_PPU_VM_BIND, &a);
}

/* All of VRAM, object by object; whatever is not zero was somebody else's. */
static void all_vram(void)
{
	int fd = open_ppu();
	bool told = false;

	for (;;) {
		struct bo bo[64];
		unsigned n = 0;

		for (uint64_t size = 64 << 20; size >= 65536 && n < 64;) {
			struct drm_ppu_gem_create c = { .size = size, .placement = VRAM };

			if (try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &c)) {
				size /= 2;
				continue;
			}
			bo[n] = (struct bo){ .fd = fd, .handle = c.handle, .size = c.size };
			bo[n].map = bo_map(fd, c.handle, c.size);
			for (uint64_t i = 0; i < c.size / 8; i += 64)
				if (((volatile uint64_t *)bo[n].map)[i])
					_exit(42);
			n++;
		}
		while (n)
			bo_free(&bo[--n]);
		if (!told)
			ready();
		told = true;
	}
}

/* ---- both ---- */

struct hostile {
	pid_t pid;
};

static struct hostile hostile_start(void (*fn)(void))
{
	struct hostile h;
	int fds[2];
	char c;

	CHECK(!pipe(fds));
	fflush(stdout);
	h.pid = fork();
	CHECK(h.pid >= 0);
	if (!h.pid) {
		close(fds[0]);
		ready_fd = fds[1];
		fn();
		_exit(1);
	}
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		FAIL("the hostile process did not get as far as its work");
	close(fds[0]);
	return h;
}

/* It was at it until now, and saw nothing. */
static void hostile_end(struct hostile h)
{
	int status;

	CHECK(waitpid(h.pid, &status, WNOHANG) == 0);
	kill(h.pid, SIGKILL);
	CHECK(waitpid(h.pid, &status, 0) == h.pid);
}

static void show(const char *what, uint64_t alone, uint64_t beside)
{
	printf("# %s: %llu us alone, %llu us beside the hostile process: keeps %llu %%\n", what,
	       (unsigned long long)alone / 1000, (unsigned long long)beside / 1000,
	       (unsigned long long)(100 * alone / beside));
}

/* What is kept at least: per cent of the throughput, and the time slices that a latency may be. */
#define KEPT	40
#define SLICES	3

static void keeps(const char *what, uint64_t alone, uint64_t beside)
{
	if (100 * alone < KEPT * beside)
		FAIL("%s keeps less than %u %% of its throughput", what, KEPT);
}

static void isolated(void (*fn)(void))
{
	struct victim v = victim_new();
	struct figures alone = measure(&v), beside;
	struct hostile h = hostile_start(fn);

	beside = measure(&v);
	hostile_end(h);
	show("copies", alone.copy, beside.copy);
	show("kernels", alone.compute, beside.compute);
	printf("# latency of a copy %llu us (alone %llu), of a kernel %llu us (alone %llu); slices %llu and %llu us\n",
	       (unsigned long long)beside.latency_copy / 1000, (unsigned long long)alone.latency_copy / 1000,
	       (unsigned long long)beside.latency_compute / 1000, (unsigned long long)alone.latency_compute / 1000,
	       (unsigned long long)v.slice_ns / 1000, (unsigned long long)v.task_slice_ns / 1000);
	keeps("copying", alone.copy, beside.copy);
	keeps("computing", alone.compute, beside.compute);
	CHECK(beside.latency_copy <= SLICES * v.slice_ns);
	CHECK(beside.latency_compute <= SLICES * v.task_slice_ns);
}

TEST_T(one_vm, 400, "180 channels of one VM with long copies and kernels without an end")
{
	isolated(one_vm);
}

TEST_T(many_vms, 400, "60 VMs, each with long copies in three channels")
{
	isolated(many_vms);
}

TEST_T(compute_vms, 400, "three VMs, each with kernels without an end")
{
	isolated(compute_vms);
}

TEST_T(many_hosts, 400, "60 VMs, each with commands that need no engine in three channels")
{
	isolated(many_hosts);
}

TEST_T(short_ctas, 400, "kernels with CTAs that end at once")
{
	isolated(short_ctas);
}

TEST_T(busy, 400, "kernels without an end whose warps never sleep")
{
	isolated(busy);
}

TEST(interrupts, "a storm of interrupts")
{
	isolated(interrupts);
}

TEST(doorbells, "a storm of doorbells and kicks")
{
	isolated(doorbells);
}

TEST(faults, "a storm of faults, of channels and of SMs")
{
	isolated(faults);
}

TEST(binds, "gigantic binds")
{
	isolated(binds);
}

TEST(all_vram, "all of VRAM is taken and looked at")
{
	isolated(all_vram);
}

/* Memory that the victim used and gave back, on the CPU and on the device, is what the other one gets. */
TEST(bytes, "whoever gets memory next finds zeroes")
{
	struct victim v = victim_new();
	struct hostile h = hostile_start(all_vram);

	for (unsigned i = 0; i < 200; i++) {
		struct drm_ppu_gem_create a = { .size = PIECE, .placement = VRAM };
		struct drm_gem_close gone;
		uint32_t *map;

		if (try_ioctl(v.fd, DRM_IOCTL_PPU_GEM_CREATE, &a))
			continue;
		map = bo_map(v.fd, a.handle, a.size);
		for (unsigned k = 0; k < PIECE / 4; k += 16)
			map[k] = PATTERN;
		munmap(map, a.size);
		gone = (struct drm_gem_close){ .handle = a.handle };
		DO(v.fd, DRM_IOCTL_GEM_CLOSE, &gone);
	}
	hostile_end(h);
}

HARNESS_MAIN
