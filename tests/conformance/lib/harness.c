/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"

static struct test *tests, **last = &tests;

void test_register(struct test *t)
{
	*last = t;
	last = &t->next;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* The test's exit status. */
static int run(const struct test *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		setpgid(0, 0);
		alarm((unsigned)t->timeout_s * time_scale());
		t->fn();
		fflush(stdout);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status)) {
		printf("# %s\n", WTERMSIG(status) == SIGALRM ? "time is up" :
		       strsignal(WTERMSIG(status)));
		return 1;
	}
	return WEXITSTATUS(status);
}

/* Free VRAM; 0: there is no device. */
static uint64_t vram_free(void)
{
	struct drm_ppu_get_param a = { .param = DRM_PPU_PARAM_VRAM_AVAIL };
	int fd = find_ppu();

	if (fd < 0)
		return 0;
	if (ioctl(fd, DRM_IOCTL_PPU_GET_PARAM, &a))
		a.value = 0;
	close(fd);
	return a.value;
}

/*
 * Workers of the kernel free the memory of an earlier test late; that test may have been in another program. A test
 * that compares free VRAM must begin after they are done. The most VRAM that was ever free in this guest counts as all
 * of it. Memory that does not become free in time is not waited for again.
 */
static void settle(void)
{
	static const char path[] = "/tmp/ppu-vram-free";
	uint64_t end = now_ns() + 5000 * MS * time_scale(), now;
	unsigned long long all = 0, was;
	FILE *f = fopen(path, "r");

	if (f) {
		if (fscanf(f, "%llu", &all) != 1)
			all = 0;
		fclose(f);
	}
	was = all;
	while ((now = vram_free()) && now < all && now_ns() < end)
		sleep_ms(10);
	if (!now || now == was)
		return;
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%llu\n", (unsigned long long)now);
		fclose(f);
	}
}

int test_main(int argc, char **argv)
{
	int n = 0, failed = 0;

	for (const struct test *t = tests; t; t = t->next) {
		uint64_t start;
		int ret;

		if (argc > 1 && !strstr(t->name, argv[1]))
			continue;
		settle();
		start = now_ns();
		ret = run(t);
		if (now_ns() - start > 2000 * MS)
			printf("# %s: %.1f s\n", t->name, (double)(now_ns() - start) / 1e9);
		n++;
		if (ret)
			failed++;
		printf("%sok %d - %s: %s\n", ret ? "not " : "", n, t->name, t->doc);
	}
	printf("1..%d\n", n);
	return failed ? 1 : 0;
}

int try_ioctl(int fd, unsigned long req, void *arg)
{
	return ioctl(fd, req, arg) ? errno : 0;
}

unsigned time_scale(void)
{
	const char *text = getenv("PPU_TIME_SCALE");
	int scale = text ? atoi(text) : 1;

	return scale > 0 ? (unsigned)scale : 1;
}

uint64_t now_ns(void)
{
	struct timespec t;

	CHECK(!clock_gettime(CLOCK_MONOTONIC, &t));
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

int64_t limit_ms(unsigned ms)
{
	return (int64_t)(now_ns() + ms * MS * time_scale());
}

void sleep_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* The kernel shows the system call of a thread only while the thread sleeps. */
static bool sleeps_in_ioctl(pid_t tid)
{
	char path[64], text[16] = "";
	int nr = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	f = fopen(path, "r");
	if (!f)
		FAIL("%s: %s", path, strerror(errno));
	if (fgets(text, sizeof(text), f) && sscanf(text, "%d", &nr) != 1)
		nr = -1;
	fclose(f);
	return nr == SYS_ioctl;
}

void wait_asleep(pid_t tid)
{
	WAIT_FOR(sleeps_in_ioctl(tid), 20000);
}

int signal_of(void (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		fn(arg);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	CHECK_EQ(WEXITSTATUS(status), 0);
	return 0;
}

/* ---- device ---- */

/* The first of the nodes with these numbers that is a PPU's, or -1. */
static int find_node(const char *prefix, int from, int to)
{
	char path[32];

	for (int i = from; i <= to; i++) {
		drmVersionPtr v;
		bool ours;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/%s%d", prefix, i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		v = drmGetVersion(fd);
		ours = v && !strcmp(v->name, "ppu");
		drmFreeVersion(v);
		if (ours)
			return fd;
		close(fd);
	}
	return -1;
}

int find_ppu(void)
{
	return find_node("renderD", 128, 191);
}

int find_primary_ppu(void)
{
	return find_node("card", 0, 63);
}

int open_ppu(void)
{
	int fd = find_ppu();

	if (fd < 0)
		FAIL("no PPU render node");
	return fd;
}

uint64_t get_param(int fd, uint32_t param)
{
	struct drm_ppu_get_param a = { .param = param };

	DO(fd, DRM_IOCTL_PPU_GET_PARAM, &a);
	return a.value;
}

void *bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_ppu_gem_mmap_offset a = { .handle = handle };
	void *p;

	DO(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &a);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)a.offset);
	if (p == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	return p;
}

struct bo bo_new(int fd, uint64_t size, uint32_t placement)
{
	struct drm_ppu_gem_create a = { .size = size, .placement = placement };
	struct bo bo = { .fd = fd, .placement = placement };

	DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
	bo.handle = a.handle;
	bo.size = a.size;
	bo.map = bo_map(fd, a.handle, a.size);
	return bo;
}

void bo_free(struct bo *bo)
{
	struct drm_gem_close a = { .handle = bo->handle };

	munmap(bo->map, bo->size);
	DO(bo->fd, DRM_IOCTL_GEM_CLOSE, &a);
	bo->map = NULL;
}

uint32_t vm_new(int fd)
{
	struct drm_ppu_vm_create a = { 0 };

	DO(fd, DRM_IOCTL_PPU_VM_CREATE, &a);
	return a.vm_id;
}

int vm_try_op(int fd, uint32_t vm, uint32_t op, uint32_t handle, uint64_t off, uint64_t va,
	      uint64_t size, uint32_t flags)
{
	struct drm_ppu_vm_bind_op o = {
		.op = op, .flags = flags, .handle = handle, .bo_offset = off, .va = va, .size = size,
	};
	struct drm_ppu_vm_bind a = { .vm_id = vm, .ops = DRM_PPU_ARRAY(1, &o) };

	return try_ioctl(fd, DRM_IOCTL_PPU_VM_BIND, &a);
}

void vm_map(int fd, uint32_t vm, struct bo *bo, uint64_t va)
{
	int e = vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, bo->handle, 0, va, bo->size, 0);

	if (e)
		FAIL("VM_BIND: %s", strerror(e));
	bo->va = va;
}

/* ---- commands ---- */

void cmd_raw(struct cmds *c, uint32_t word)
{
	CHECK(c->n < c->max);
	((volatile uint32_t *)c->p)[c->n++] = word;
}

static void cmd_64(struct cmds *c, uint64_t v)
{
	cmd_raw(c, (uint32_t)v);
	cmd_raw(c, (uint32_t)(v >> 32));
}

void cmd_nop(struct cmds *c, unsigned words)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_NOP, words, 0));
	while (--words)
		cmd_raw(c, 0xdeadbeef);
}

void cmd_sem(struct cmds *c, unsigned op, unsigned flags, uint64_t va, uint64_t value)
{
	cmd_raw(c, PPU_CMD_HDR(op, op <= PPU_CMD_SEM_RELEASE ? 5 : 3, flags));
	cmd_64(c, va);
	if (op <= PPU_CMD_SEM_RELEASE)
		cmd_64(c, value);
}

void cmd_intr(struct cmds *c, uint32_t cookie)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0));
	cmd_raw(c, cookie);
}

void cmd_timestamp(struct cmds *c, uint64_t va)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0));
	cmd_64(c, va);
}

void cmd_wfi(struct cmds *c)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0));
}

void cmd_launch(struct cmds *c, uint64_t tmd_va)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0));
	cmd_64(c, tmd_va);
}

void cmd_copy(struct cmds *c, uint64_t src, uint64_t dst, uint64_t bytes)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0));
	cmd_64(c, src);
	cmd_64(c, dst);
	cmd_64(c, bytes);
}

void cmd_fill(struct cmds *c, unsigned log2_size, uint64_t dst, uint64_t value, uint64_t count)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_FILL, PPU_CMD_SIZE_FILL, PPU_CMDF_FILL_SIZE(log2_size)));
	cmd_64(c, dst);
	cmd_64(c, value);
	cmd_64(c, count);
}

/* ---- channels ---- */

/* Where chan_new() maps things: one range for each channel of a process. */
#define CHAN_VA(n) (0x700000000000ull + (uint64_t)(n) * 0x10000000ull)

struct chan chan_new(int fd, uint32_t vm, uint32_t type, uint32_t count)
{
	static const struct drm_ppu_channel_create plain;

	return chan_new_args(fd, vm, type, count, &plain);
}

struct chan chan_new_args(int fd, uint32_t vm, uint32_t type, uint32_t count,
			  const struct drm_ppu_channel_create *args)
{
	static unsigned number;
	struct chan c = { .fd = fd, .vm = vm, .count = count, .args = *args };

	c.args.vm_id = vm;
	c.args.type = type;
	c.args.flags |= DRM_PPU_CHANNEL_USER_SUBMIT;
	c.args.gpfifo_entries = count;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &c.args);
	c.id = c.args.channel_id;
	c.hw = c.args.hw_channel;
	c.ring = mmap(NULL, c.args.ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)c.args.ring_offset);
	CHECK(c.ring != MAP_FAILED);
	c.userd = mmap(NULL, PPU_USERD_STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)c.args.userd_offset);
	CHECK(c.userd != MAP_FAILED);
	c.blocks = bo_new(fd, count * CHAN_BLOCK_WORDS * 4ull, DRM_PPU_PLACEMENT_SYSTEM);
	c.sems = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(fd, vm, &c.blocks, CHAN_VA(number));
	vm_map(fd, vm, &c.sems, CHAN_VA(number) + 0x8000000);
	number++;
	return c;
}

void chan_free(struct chan *c)
{
	struct drm_ppu_channel_destroy a = { .channel_id = c->id };

	DO(c->fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &a);
	munmap((void *)c->ring, c->args.ring_size);
	munmap((void *)c->userd, PPU_USERD_STRIDE);
	bo_free(&c->blocks);
	bo_free(&c->sems);
}

uint32_t chan_get(const struct chan *c)
{
	return c->userd[PPU_REG_USERD_GP_GET / 4];
}

bool chan_full(const struct chan *c)
{
	return chan_get(c) == (c->put + 1) % c->count;
}

struct cmds chan_block(struct chan *c)
{
	uint64_t off = c->put * CHAN_BLOCK_WORDS * 4ull;

	WAIT_FOR(!chan_full(c), 20000);
	return (struct cmds){
		.p = (uint32_t *)((char *)c->blocks.map + off), .max = CHAN_BLOCK_WORDS,
		.va = c->blocks.va + off,
	};
}

void chan_commit(struct chan *c, const struct cmds *b)
{
	volatile struct ppu_gpfifo_entry *e = &c->ring[c->put];

	e->va = b->va;
	e->length = b->n;
	e->flags = 0;
	c->put = (c->put + 1) % c->count;
}

void chan_doorbell(struct chan *c)
{
	__sync_synchronize();
	c->userd[PPU_REG_USERD_GP_PUT / 4] = c->put;
}

void chan_submit(struct chan *c, const struct cmds *b)
{
	chan_commit(c, b);
	chan_doorbell(c);
}

void chan_wait_idle(struct chan *c)
{
	WAIT_FOR(chan_get(c) == c->put || c->userd[PPU_REG_USERD_ERROR / 4], 20000);
	if (c->userd[PPU_REG_USERD_ERROR / 4])
		FAIL("channel error %u", c->userd[PPU_REG_USERD_ERROR / 4]);
}

struct drm_ppu_channel_query chan_query(const struct chan *c)
{
	struct drm_ppu_channel_query q = { .channel_id = c->id };

	DO(c->fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	return q;
}

volatile uint64_t *chan_sem(const struct chan *c, unsigned i)
{
	return (volatile uint64_t *)c->sems.map + 2 * i;
}

uint64_t chan_sem_va(const struct chan *c, unsigned i)
{
	return c->sems.va + 16 * i;
}

static void release_a_word(void *arg)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&c);

	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 1);
	(void)arg;
}

void works_in_child(void)
{
	CHECK_EQ(signal_of(release_a_word, NULL), 0);
}
