/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fence.h"
#include "fuzz.h"
#include "gpu.h"
#include "harness.h"
#include "load.h"
#include "process.h"

#define WORDS	8192u		/* of an object that is copied */
#define FROM_VA	0x10000000ull
#define VRAM_VA	0x11000000ull
#define TO_VA	0x12000000ull
#define CODE_VA	0x13000000ull
#define WORD_VA	0x14000000ull
#define NEW_VA	0x15000000ull
#define PATIENCE_MS	60000	/* of the guest's time: other work on the host, a machine that is saved */
#define FORBIDDEN	9	/* exit status: nothing that happens to the device excuses it */

struct client {
	struct load_told *told;
	unsigned me;
	uint64_t rng, value;
	int fd;
	struct gpu gpu;
	uint32_t channel, sync, sem;
	struct bo from, vram, to, code, word;
};

static bool disturbed(const struct client *c)
{
	return __atomic_load_n(&c->told->disturbed, __ATOMIC_SEQ_CST);
}

static void leave_if_disturbed(const struct client *c)
{
	if (disturbed(c) && !c->told->stay)
		_exit(0);
}

static void forbidden(const char *what)
{
	printf("# %s\n", what);
	fflush(stdout);
	_exit(FORBIDDEN);
}

static struct bo object(struct client *c, uint64_t bytes, uint32_t placement, uint64_t va)
{
	struct bo bo = bo_new(c->fd, bytes, placement);

	vm_map(c->fd, c->gpu.vm, &bo, va);
	return bo;
}

static void set_up(struct client *c)
{
	struct drm_ppu_channel_create k = { .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8 };
	struct drm_ppu_sem_create s = { 0 };

	c->fd = open_ppu();
	c->gpu = gpu_new(c->fd);
	c->from = object(c, WORDS * 4, DRM_PPU_PLACEMENT_SYSTEM, FROM_VA);
	c->vram = object(c, WORDS * 4, DRM_PPU_PLACEMENT_VRAM, VRAM_VA);
	c->to = object(c, WORDS * 4, DRM_PPU_PLACEMENT_SYSTEM, TO_VA);
	c->code = object(c, 4096, DRM_PPU_PLACEMENT_SYSTEM, CODE_VA);
	k.vm_id = c->gpu.vm;
	DO(c->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	c->channel = k.channel_id;
	c->sync = syncobj(c->fd);
	DO(c->fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	c->sem = s.sem_id;
	c->word = (struct bo){ .fd = c->fd, .handle = s.bo_handle, .size = 4096 };
	vm_map(c->fd, c->gpu.vm, &c->word, WORD_VA);
}

/* Runs commands as a job, and sleeps until its fence signals. */
static void job(struct client *c, const struct cmds *w)
{
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = c->sync };
	struct drm_ppu_entry e = { .va = CODE_VA, .length = w->n };
	struct drm_ppu_submit sub = {
		.channel_id = c->channel, .entries = DRM_PPU_ARRAY(1, &e), .syncs = DRM_PPU_ARRAY(1, &sync),
	};
	int ret;

	DO(c->fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	ret = wait_sync(c->fd, c->sync, PATIENCE_MS);
	if (ret == -ETIME)
		forbidden("a fence never signalled");
	CHECK_EQ(ret, 0);
	leave_if_disturbed(c);
	CHECK(!fence_error(c->fd, c->sync));
}

/* To VRAM and back. */
static void copies(struct client *c)
{
	struct cmds w = { .p = c->code.map, .max = 64, .va = CODE_VA };
	uint32_t *from = c->from.map, *to = c->to.map, seed = (uint32_t)fuzz_next(&c->rng);
	uint32_t words = 1 + fuzz_below(&c->rng, WORDS);

	for (uint32_t i = 0; i < words; i++)
		from[i] = seed + i * 2654435761u;
	cmd_copy(&w, FROM_VA, VRAM_VA, words * 4);
	cmd_copy(&w, VRAM_VA, TO_VA, words * 4);
	job(c, &w);
	for (uint32_t i = 0; i < words; i++)
		CHECK_EQ(to[i], seed + i * 2654435761u);
}

/* A kernel stores a value. Its channel is one of user space: nobody is told its end. */
static void kernel(struct client *c)
{
	uint64_t value = fuzz_next(&c->rng), tmd;
	uint64_t until = now_ns() + PATIENCE_MS * MS * time_scale();

	tmd = GPU_PROGRAM(&c->gpu, I_MOVI64_RD2(GPU_DATA_VA + 8), I_MOVI64_RD4(value), I_ST64_RD2_RD4, I_EXIT);
	gpu_launch(&c->gpu, tmd);
	while (chan_get(&c->gpu.c) != c->gpu.c.put) {
		leave_if_disturbed(c);
		if (c->gpu.c.userd[PPU_REG_USERD_ERROR / 4])
			FAIL("channel error %u", c->gpu.c.userd[PPU_REG_USERD_ERROR / 4]);
		if (now_ns() > until)
			forbidden("a kernel never ended");
		usleep(100);
	}
	CHECK_EQ(((volatile uint64_t *)c->gpu.data.map)[1], value);
}

/* The device releases a semaphore that the process sleeps for. */
static void semaphore(struct client *c)
{
	struct cmds w = chan_block(&c->gpu.c);
	struct drm_ppu_sem_cond cond = { .sem_id = c->sem, .value = ++c->value };
	struct drm_ppu_sem_wait wait = { .conds = DRM_PPU_ARRAY(1, &cond), .timeout_ns = limit_ms(PATIENCE_MS) };
	int err;

	cmd_release(&w, WORD_VA, c->value);
	chan_submit(&c->gpu.c, &w);
	__atomic_store_n(&c->told->in_sem[c->me], 1, __ATOMIC_SEQ_CST);
	err = try_ioctl(c->fd, DRM_IOCTL_PPU_SEM_WAIT, &wait);
	__atomic_store_n(&c->told->in_sem[c->me], 0, __ATOMIC_SEQ_CST);
	leave_if_disturbed(c);
	if (err == ETIME)
		forbidden("a wait for a semaphore never ended");
	CHECK_EQ(err, 0);
}

/* New memory is zero, and is left dirty. */
static void memory(struct client *c)
{
	struct bo bo = bo_new(c->fd, 65536, DRM_PPU_PLACEMENT_VRAM);
	volatile uint64_t *word = bo.map;

	for (unsigned i = 0; i < 65536 / 8; i += 1 + fuzz_below(&c->rng, 4)) {
		uint64_t was = word[i];

		/* all ones: nobody answers any more */
		if (was && (was != ~0ull || !disturbed(c)))
			forbidden("new memory is not zero");
		word[i] = 0xa5c35a3c0f1e2d4bull;
	}
	vm_map(c->fd, c->gpu.vm, &bo, NEW_VA);
	CHECK_EQ(vm_try_op(c->fd, c->gpu.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, NEW_VA, bo.size, 0), 0);
	bo_free(&bo);
}

static void client_run(struct load_told *told, unsigned me, uint64_t seed)
{
	static void (*const works[])(struct client *) = { copies, kernel, semaphore, memory };
	struct client c = { .told = told, .me = me, .rng = seed + me };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_up(&c);
	for (unsigned i = me; !__atomic_load_n(&told->stop, __ATOMIC_SEQ_CST); i++) {
		leave_if_disturbed(&c);
		works[i % 4](&c);
		__atomic_fetch_add(&told->works[me], 1, __ATOMIC_SEQ_CST);
	}
	_exit(0);
}

/* ---- the process that starts them ---- */

void load_init(struct load *l)
{
	memset(l, 0, sizeof(*l));
	l->told = mmap(NULL, sizeof(*l->told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(l->told != MAP_FAILED);
	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		l->said[i] = memfd_create("said", MFD_CLOEXEC);
		CHECK(l->said[i] >= 0);
	}
}

void load_start(struct load *l, uint64_t seed)
{
	l->told->stop = l->told->disturbed = l->told->stay = 0;
	fflush(stdout);
	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		l->told->in_sem[i] = 0;
		CHECK(!ftruncate(l->said[i], 0) && !lseek(l->said[i], 0, SEEK_SET));
		l->pid[i] = fork();
		CHECK(l->pid[i] >= 0);
		if (!l->pid[i]) {
			dup2(l->said[i], 1);
			client_run(l->told, i, seed);
		}
	}
}

/* False: @what has what client @i said. */
static bool ended_badly(struct load *l, unsigned i, const char *why, char *what, size_t size)
{
	char text[512] = "";
	ssize_t n = pread(l->said[i], text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	snprintf(what, size, "client %u %s: %s", i, why, text);
	return false;
}

/* It should have ended.  False: @what has where it is, and what it said. */
static bool still_there(struct load *l, unsigned i, char *what, size_t size)
{
	char why[2100] = "does not end: ";

	process_where(l->pid[i], why + strlen(why), sizeof(why) - strlen(why));
	return process_end(l->pid[i], 0, what, size) && ended_badly(l, i, why, what, size);
}

/* Did it end, as @excused says it may? */
static bool judge(struct load *l, unsigned i, int status, bool excused, char *what, size_t size)
{
	l->pid[i] = 0;
	if (WIFSIGNALED(status)) {
		if (excused && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGBUS))
			return true;
		return ended_badly(l, i, strsignal(WTERMSIG(status)), what, size);
	}
	if (!WEXITSTATUS(status) || (excused && WEXITSTATUS(status) != FORBIDDEN))
		return true;
	return ended_badly(l, i, "failed", what, size);
}

bool load_works(struct load *l, unsigned more, char *what, size_t size)
{
	uint64_t until = now_ns() + PATIENCE_MS * MS * time_scale();
	unsigned long before[LOAD_CLIENTS];
	int status;

	for (unsigned i = 0; i < LOAD_CLIENTS; i++)
		before[i] = __atomic_load_n(&l->told->works[i], __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		while (l->pid[i] && __atomic_load_n(&l->told->works[i], __ATOMIC_SEQ_CST) < before[i] + more) {
			if (waitpid(l->pid[i], &status, WNOHANG) == l->pid[i])
				return judge(l, i, status, false, what, size) &&
				       ended_badly(l, i, "ended", what, size);
			if (now_ns() > until)
				return ended_badly(l, i, "makes no progress", what, size);
			usleep(500);
		}
	}
	return true;
}

unsigned long load_sum(const struct load *l)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < LOAD_CLIENTS; i++)
		sum += __atomic_load_n(&l->told->works[i], __ATOMIC_SEQ_CST);
	return sum;
}

void load_kill(struct load *l, unsigned i)
{
	int status;

	if (!l->pid[i])
		return;
	kill(l->pid[i], SIGKILL);
	if (process_ended(l->pid[i], now_ns() + PATIENCE_MS * MS * time_scale(), &status))
		l->pid[i] = 0;		/* else load_stop() tells it */
}

bool load_stop(struct load *l, char *what, size_t size)
{
	uint64_t until = now_ns() + 2 * PATIENCE_MS * MS * time_scale();
	int status;

	__atomic_store_n(&l->told->stop, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		if (!l->pid[i])
			continue;
		if (!process_ended(l->pid[i], until, &status))
			return still_there(l, i, what, size);
		if (!judge(l, i, status, false, what, size))
			return false;
	}
	return true;
}

bool load_lost(struct load *l, char *what, size_t size)
{
	uint64_t until = now_ns() + 2 * PATIENCE_MS * MS * time_scale(), soon = now_ns() + 500 * MS;
	int status;

	for (unsigned i = 0; i < LOAD_CLIENTS; i++) {
		while (l->pid[i] && !process_ended(l->pid[i], now_ns(), &status)) {
			if (now_ns() > soon && !l->told->stay && __atomic_load_n(&l->told->in_sem[i], __ATOMIC_SEQ_CST))
				kill(l->pid[i], SIGKILL);
			if (now_ns() > until)
				return still_there(l, i, what, size);
			usleep(500);
		}
		if (l->pid[i] && !judge(l, i, status, true, what, size))
			return false;
	}
	return true;
}
