/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/wait.h>

#include "fence.h"
#include "gpu.h"
#include "harness.h"
#include "witness.h"

#define WORDS 4096u

/* Memory to VRAM and back; new objects are zero. */
static void copies(int fd)
{
	uint32_t vm = vm_new(fd);
	struct bo a = bo_new(fd, WORDS * 4, DRM_PPU_PLACEMENT_SYSTEM);
	struct bo v = bo_new(fd, WORDS * 4, DRM_PPU_PLACEMENT_VRAM);
	struct bo b = bo_new(fd, WORDS * 4, DRM_PPU_PLACEMENT_SYSTEM);
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds w = chan_block(&c);
	uint32_t *from = a.map, *to = b.map;

	vm_map(fd, vm, &a, 0x10000000);
	vm_map(fd, vm, &v, 0x20000000);
	vm_map(fd, vm, &b, 0x30000000);
	for (unsigned i = 0; i < WORDS; i++) {
		CHECK_EQ(from[i], 0);
		CHECK_EQ(((uint32_t *)v.map)[i], 0);
		from[i] = i * 2654435761u;
	}
	cmd_copy(&w, a.va, v.va, a.size);
	cmd_copy(&w, v.va, b.va, a.size);
	chan_submit(&c, &w);
	chan_wait_idle(&c);
	WAIT_FOR(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_RUNNING), 20000);
	for (unsigned i = 0; i < WORDS; i++)
		CHECK_EQ(to[i], i * 2654435761u);
}

static void kernel(int fd)
{
	struct gpu g = gpu_new(fd);

	gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(GPU_DATA_VA + 8), I_MOVI64_RD4(0x1122334455667788ull),
				   I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&g.c);
	CHECK_EQ(*chan_sem(&g.c, 0), 1);
	CHECK_EQ(((uint64_t *)g.data.map)[1], 0x1122334455667788ull);
}

/* A job's fence, and a wait for a semaphore, both end by an interrupt. */
static void interrupts(int fd)
{
	struct drm_ppu_channel_create k = { .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8 };
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL };
	struct drm_ppu_sem_cond cond = { .value = 7 };
	struct drm_ppu_sem_wait wait = { .conds = DRM_PPU_ARRAY(1, &cond), .timeout_ns = limit_ms(20000) };
	struct bo code = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM), word;
	struct cmds w = { .p = code.map, .max = 64 };
	struct drm_ppu_entry entry = { .va = 0x10000000 };
	struct drm_ppu_submit sub = { .entries = DRM_PPU_ARRAY(1, &entry), .syncs = DRM_PPU_ARRAY(1, &sync) };

	k.vm_id = vm_new(fd);
	vm_map(fd, k.vm_id, &code, entry.va);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	word = (struct bo){ .fd = fd, .handle = s.bo_handle, .size = 4096 };
	vm_map(fd, k.vm_id, &word, 0x20000000);
	cmd_release(&w, word.va, 7);
	entry.length = w.n;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	sub.channel_id = k.channel_id;
	sync.handle = syncobj(fd);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	cond.sem_id = s.sem_id;
	DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &wait);
	CHECK(!wait_sync(fd, sync.handle, 20000));
}

static void work(void)
{
	int fd = open_ppu();

	alarm(60 * time_scale());
	copies(fd);
	kernel(fd);
	interrupts(fd);
	close(fd);
}

bool witness_works(char *what, size_t size)
{
	size_t n = (size_t)snprintf(what, size, "the device does not work: ");
	int status, said[2];
	ssize_t more;
	pid_t pid;

	fflush(stdout);
	CHECK(!pipe(said));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		dup2(said[1], 1);
		close(said[0]);
		work();
		_exit(0);
	}
	close(said[1]);
	more = read(said[0], what + n, size - n - 1);
	what[n + (more > 0 ? (size_t)more : 0)] = 0;
	close(said[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}
