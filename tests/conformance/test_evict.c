/* SPDX-License-Identifier: MIT */
/* VRAM that is over-committed: objects are moved out and back, and nobody sees a difference. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "contents.h"
#include "copy_world.h"
#include "fence.h"
#include "gpu.h"
#include "pcidev.h"
#include "sysfile.h"

#define MIB (1ull << 20)
#define VA 0x20000000ull

/* ---- what the driver says ---- */

static uint64_t evict_stat(const char *name)
{
	return debugfs_number("evict", name);
}

static void evict_all(void)
{
	debugfs_write("evict", "1");
}

/* ---- contents ---- */

static uint32_t sem_new(int fd, const struct bo *bo)
{
	struct drm_ppu_sem_create s = { .bo_handle = bo->handle, .flags = DRM_PPU_SEM_ADOPT };

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	return s.sem_id;
}

/* Takes all of VRAM but room, for good: objects with semaphores stay. */
static struct bo ballast(int fd, uint64_t room)
{
	uint64_t avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct bo bo;

	CHECK(avail > room + MIB);
	bo = bo_new(fd, (avail - room) & ~4095ull, DRM_PPU_PLACEMENT_VRAM);
	sem_new(fd, &bo);
	return bo;
}

static pid_t child(void (*fn)(unsigned), unsigned arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	fn(arg);
	fflush(stdout);
	_exit(0);
}

static void child_ends(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* ---- one client ---- */

TEST(cpu, "the CPU's mapping of an object that is out shows its bytes, and what it stores is kept")
{
	struct world w = world_new(4 * MIB, VA);
	uint64_t *p = w.bo.map;

	fill(p, w.bo.size, 1);
	evict_all();
	CHECK(evict_stat("out_bytes") >= w.bo.size);
	check(p, w.bo.size, 1);
	fill(p, w.bo.size / 2, 2);
	/* the doorbell brings it back */
	copy(&w, VA, VA + 2 * MIB, 2 * MIB);
	CHECK_EQ(evict_stat("out_bytes"), 0);
	check(p, 2 * MIB, 2);
	check(p + 2 * MIB / 8, 2 * MIB, 2);
}

TEST(pressed, "when memory is short, pages that the CPU has touched while their object was out are given back")
{
	struct world w = world_new(4 * MIB, VA);
	uint64_t pages = w.bo.size / 4096, before = evict_stat("given_back_pages");
	uint64_t *p = w.bo.map;

	fill(p, w.bo.size, 20);
	evict_all();
	CHECK_EQ(evict_stat("cpu_pages"), 0);
	for (uint64_t round = 1; round <= 3; round++) {
		check(p, w.bo.size, 19 + round);
		fill(p, w.bo.size, 20 + round);
		CHECK_EQ(evict_stat("cpu_pages"), pages);
		memory_press();
		CHECK_EQ(evict_stat("cpu_pages"), 0);
		CHECK_EQ(evict_stat("given_back_pages"), before + round * pages);
	}
	/* Nothing of it is left when the object comes back, nor when it is freed. */
	p[0] = word(23, 0);
	CHECK_EQ(evict_stat("cpu_pages"), pages);
	copy(&w, VA, VA + 2 * MIB, 2 * MIB);
	CHECK_EQ(evict_stat("cpu_pages"), 0);
	check(p, 2 * MIB, 23);
	check(p + 2 * MIB / 8, 2 * MIB, 23);
	evict_all();
	CHECK_EQ(p[0], word(23, 0));
	CHECK_EQ(evict_stat("cpu_pages"), pages);
	munmap(w.bo.map, w.bo.size);
	vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, VA, w.bo.size, 0);
	DO(w.fd, DRM_IOCTL_GEM_CLOSE, (&(struct drm_gem_close){ .handle = w.bo.handle }));
	WAIT_FOR(evict_stat("cpu_pages") == 0, 20000);
}

static void *press(void *arg)
{
	for (; !*(atomic_bool *)arg; usleep(1000))
		memory_press();
	return NULL;
}

TEST(pressed_race, "the same while objects move, are touched and are freed")
{
	struct world w = world_new(2 * MIB, VA);
	atomic_bool stop = false;
	uint64_t *p = w.bo.map;
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, press, &stop));
	fill(p, MIB, 30);
	for (unsigned i = 0; i < 20; i++) {
		struct bo other = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_VRAM);

		fill(other.map, MIB, 31);
		evict_all();
		check(other.map, MIB, 31);
		check(p, MIB, 30);
		bo_free(&other);
		copy(&w, VA, VA + MIB, MIB);
		check(p + MIB / 8, MIB, 30);
	}
	stop = true;
	pthread_join(thread, NULL);
}

static void touch(void *arg)
{
	*(volatile uint64_t *)arg = 1;
}

TEST(unplugged, "the driver leaves the device while objects are out: nothing is left of them")
{
	struct world w = world_new(2 * MIB, VA);
	uint64_t *p = w.bo.map;

	fill(p, w.bo.size, 24);
	evict_all();
	check(p, w.bo.size, 24);
	pci_unbind();
	CHECK_EQ(signal_of(touch, p), SIGBUS);
	memory_press();
	CHECK_EQ(signal_of(touch, p), SIGBUS);
	close(w.fd);
	pci_bind();
	works_in_child();
}

/* USER_VA has memory of the process, which stays where it is while the VM is held. */
TEST(userptr, "a VM with memory of its process is held, and comes back")
{
	static uint64_t own[MIB / 8] __attribute__((aligned(4096)));
	struct world w = world_new(2 * MIB, VA);
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)own, .size = MIB };
	const uint64_t user_va = 0x60000000ull;

	fill(own, MIB, 25);
	DO(w.fd, DRM_IOCTL_PPU_GEM_USERPTR, &u);
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_MAP, u.handle, 0, user_va, MIB, 0), 0);
	for (unsigned i = 0; i < 3; i++) {
		evict_all();
		CHECK(evict_stat("held_vms") >= 1);
		fill(own, MIB, 25 + i);
		copy(&w, user_va, VA + MIB, MIB);
		check((uint64_t *)w.bo.map + MIB / 8, MIB, 25 + i);
		evict_all();
		fill(w.bo.map, MIB, 40 + i);
		copy(&w, VA, user_va, MIB);
		check(own, MIB, 40 + i);
	}
}

TEST(untouched, "an object that nobody touched while it was out is the same afterwards")
{
	struct world w = world_new(3 * MIB + 4096, VA);

	fill(w.bo.map, w.bo.size, 3);
	for (int i = 0; i < 4; i++) {
		evict_all();
		CHECK(evict_stat("held_vms") >= 1);
		copy(&w, VA, VA + MIB, 64);
		copy(&w, VA + MIB + 64, VA + MIB + 64, 64);
		memcpy((char *)w.bo.map + MIB, (uint64_t[]){ word(3, 131072), word(3, 131073), word(3, 131074),
			word(3, 131075), word(3, 131076), word(3, 131077), word(3, 131078), word(3, 131079) }, 64);
	}
	check(w.bo.map, w.bo.size, 3);
}

TEST(moved, "an object that comes back to another place is used there, and not where it was")
{
	struct world w = world_new(2 * MIB, VA);
	struct bo other;

	fill(w.bo.map, w.bo.size, 17);
	/* now the device has translated all addresses; nothing is bound from here on */
	copy(&w, VA, VA + MIB, MIB);
	evict_all();
	other = bo_new(w.fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);
	fill(other.map, other.size, 18);
	copy(&w, VA, VA + MIB, MIB);
	check(w.bo.map, MIB, 17);
	check((uint64_t *)w.bo.map + MIB / 8, MIB, 17);
	check(other.map, other.size, 18);
}

/* The time is printed against that of a copy in memory of the same machine, since nothing else can be compared. */
TEST(cost, "what moves is counted, in bytes and in time")
{
	struct world w = world_new(4 * MIB, VA);
	uint64_t out = evict_stat("moved_out_bytes"), in = evict_stat("moved_in_bytes");
	uint64_t out_ns = evict_stat("moved_out_ns"), in_ns = evict_stat("moved_in_ns"), start;
	volatile uint64_t *a = calloc(1, 4 * MIB), *b = calloc(1, 4 * MIB);

	CHECK(a && b);
	fill(w.bo.map, 4 * MIB, 16);
	for (unsigned i = 0; i < 4 * MIB / 8; i++)
		a[i] = i;
	start = now_ns();
	for (unsigned i = 0; i < 4 * MIB / 8; i++)
		b[i] = a[i];
	start = now_ns() - start;
	evict_all();
	copy(&w, VA, VA, 4096);
	CHECK(evict_stat("moved_out_bytes") - out >= 4 * MIB);
	CHECK(evict_stat("moved_in_bytes") - in >= 4 * MIB);
	out_ns = evict_stat("moved_out_ns") - out_ns;
	in_ns = evict_stat("moved_in_ns") - in_ns;
	printf("# 4 MiB: out %llu us, in %llu us, copied in memory %llu us\n", (unsigned long long)out_ns / 1000,
	       (unsigned long long)in_ns / 1000, (unsigned long long)start / 1000);
	CHECK(out_ns > 0 && in_ns > 0);
	check(w.bo.map, 4 * MIB, 16);
	free((void *)a);
	free((void *)b);
}

TEST(submit, "SUBMIT brings a VM back, and a VM with jobs is not held")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_group_create g = { .flags = DRM_PPU_GROUP_START_DISABLED };
	struct drm_ppu_channel_create a = {
		.vm_id = vm_new(fd), .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 16, .timeout_ms = 60000,
	};
	struct bo code = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM), data = bo_new(fd, MIB, DRM_PPU_PLACEMENT_VRAM);
	struct cmds b = { .p = code.map, .max = 64, .va = VA };
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	struct drm_ppu_entry e;
	struct drm_ppu_submit s = { .entries = DRM_PPU_ARRAY(1, &e), .syncs = DRM_PPU_ARRAY(1, &sync) };
	struct drm_ppu_group_control go = { .op = DRM_PPU_GROUP_ENABLE };
	uint64_t holds;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	a.group_id = go.group_id = g.group_id;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	s.channel_id = a.channel_id;
	vm_map(fd, a.vm_id, &code, VA);
	vm_map(fd, a.vm_id, &data, VA + MIB);
	fill(data.map, MIB / 2, 4);
	cmd_copy(&b, VA + MIB, VA + MIB + MIB / 2, MIB / 2);
	e = (struct drm_ppu_entry){ .va = VA, .length = b.n };
	evict_all();
	CHECK(evict_stat("out_bytes") >= MIB + 4096);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &s);
	holds = evict_stat("holds");
	evict_all();
	CHECK_EQ(evict_stat("holds"), holds);
	DO(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &go);
	CHECK_EQ(wait_sync(fd, sync.handle, 60000), 0);
	CHECK_EQ(fence_error(fd, sync.handle), 0);
	check((uint64_t *)data.map + MIB / 16, MIB / 2, 4);
	gate_open(&gate);
}

TEST(bind, "VM_BIND on a VM that is held: what it maps and unmaps is so when the VM is back")
{
	struct world w = world_new(4 * MIB, VA);
	struct bo other = bo_new(w.fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);

	fill(w.bo.map, w.bo.size, 5);
	fill(other.map, other.size, 6);
	evict_all();
	/* a hole in the large object, the other one in it, and the other one once more elsewhere */
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, VA + 4096, 8192, 0), 0);
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_MAP, other.handle, 4096, VA + 4096, 8192, 0), 0);
	vm_map(w.fd, w.vm, &other, VA + 64 * MIB);
	evict_all();
	copy(&w, VA + 4096, VA + 2 * MIB, 8192);
	copy(&w, VA + 64 * MIB, VA + 3 * MIB, MIB);
	for (unsigned i = 0; i < 1024; i++)
		CHECK_EQ(((uint64_t *)w.bo.map)[2 * MIB / 8 + i], word(6, 512 + i));
	check((uint64_t *)w.bo.map + 3 * MIB / 8, MIB, 6);
	check(w.bo.map, 2 * MIB, 5);
	check(other.map, other.size, 6);
}

TEST(two_vms, "an object of two VMs moves when both are held, and both see it afterwards")
{
	struct world w = world_new(2 * MIB, VA), v = w;

	v.vm = vm_new(w.fd);
	v.c = chan_new(w.fd, v.vm, DRM_PPU_CHANNEL_COPY, 16);
	vm_map(w.fd, v.vm, &v.bo, VA);
	fill(w.bo.map, 2 * MIB, 7);
	evict_all();
	CHECK(evict_stat("out_bytes") >= 2 * MIB);
	copy(&w, VA, VA + MIB, MIB / 2);
	copy(&v, VA, VA + MIB + MIB / 2, MIB / 2);
	check((uint64_t *)w.bo.map + MIB / 8, MIB / 2, 7);
	check((uint64_t *)w.bo.map + (MIB + MIB / 2) / 8, MIB / 2, 7);
}

TEST(stays, "objects with semaphores, and those that were exported, stay; they come back to become such")
{
	int fd = open_ppu(), other = open_ppu(), dmabuf;
	struct bo sem = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM), bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_sem_signal sig = { .op = DRM_PPU_SEM_SIGNAL_ADD, .value = 5 };
	uint64_t *shared;

	fill(bo.map, MIB, 8);
	*(uint64_t *)sem.map = 37;
	evict_all();
	CHECK(evict_stat("out_bytes") >= MIB + 4096);
	sig.sem_id = sem_new(fd, &sem);
	CHECK(!drmPrimeHandleToFD(fd, bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK_EQ(evict_stat("out_bytes"), 0);
	evict_all();
	CHECK_EQ(evict_stat("out_bytes"), 0);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	CHECK_EQ(sig.old, 37);
	CHECK_EQ(*(uint64_t *)sem.map, 42);
	shared = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	CHECK(shared != MAP_FAILED);
	check(shared, MIB, 8);
	CHECK(!drmPrimeFDToHandle(other, dmabuf, &bo.handle));
	evict_all();
	check(shared, MIB, 8);
	/* a semaphore that is gone lets it go */
	DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = sig.sem_id });
	evict_all();
	CHECK_EQ(evict_stat("out_bytes"), 4096);
	CHECK_EQ(*(uint64_t *)sem.map, 42);
}

TEST(fdinfo, "fdinfo tells what is resident, the account stays the same")
{
	struct world w = world_new(2 * MIB, VA);
	uint64_t total = fdinfo_kib(w.fd, "drm-total-vram:\t");

	CHECK(total >= 2048);
	CHECK_EQ(fdinfo_kib(w.fd, "drm-resident-vram:\t"), total);
	evict_all();
	CHECK_EQ(fdinfo_kib(w.fd, "drm-total-vram:\t"), total);
	CHECK(fdinfo_kib(w.fd, "drm-resident-vram:\t") <= total - 2048);
	copy(&w, VA, VA + MIB, 4096);
	CHECK_EQ(fdinfo_kib(w.fd, "drm-resident-vram:\t"), total);
}

TEST(state, "a channel of a VM that is held looks as before; what it waits for lets it go on")
{
	struct world w = world_new(MIB, VA);
	struct bo flag = bo_new(w.fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_sem_signal sig = { .value = 1 };
	struct cmds b = chan_block(&w.c);
	uint64_t resumes;

	vm_map(w.fd, w.vm, &flag, VA + MIB);
	sig.sem_id = sem_new(w.fd, &flag);
	fill(w.bo.map, MIB / 2, 9);
	cmd_acquire(&b, PPU_SEM_OP_EQ, flag.va, 1);
	cmd_copy(&b, VA, VA + MIB / 2, MIB / 2);
	cmd_wfi(&b);
	cmd_release(&b, chan_sem_va(&w.c, 0), 1);
	chan_submit(&w.c, &b);
	WAIT_FOR(chan_query(&w.c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	evict_all();
	CHECK(chan_query(&w.c).state & DRM_PPU_CHANNEL_STATE_ENABLED);
	/* it comes back by itself, since it has work */
	resumes = evict_stat("resumes");
	WAIT_FOR(evict_stat("resumes") > resumes || !evict_stat("held_vms"), 20000);
	/* The page tables have changed, so it looks for the word again, in its own time. */
	WAIT_FOR(chan_query(&w.c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	evict_all();
	DO(w.fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	WAIT_FOR(*chan_sem(&w.c, 0) == 1, 20000);
	check((uint64_t *)w.bo.map + MIB / 16, MIB / 2, 9);
}

/* What it leaves behind: 0: objects whose handle is closed, 1: a VM that is destroyed, 2: everything, as it is killed. */
static void leave_out(unsigned how)
{
	struct world w = world_new(2 * MIB, VA);
	struct drm_ppu_vm_destroy d = { .vm_id = w.vm };

	fill(w.bo.map, w.bo.size, 10);
	evict_all();
	/* pages of it are mapped */
	CHECK_EQ(((uint64_t *)w.bo.map)[5], word(10, 5));
	if (how == 0)
		bo_free(&w.bo);
	else if (how == 1)
		DO(w.fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	else
		kill(getpid(), SIGKILL);
}

TEST(free_out, "objects and VMs that are out can be freed, also by the end of their process")
{
	int fd = open_ppu(), status;
	uint64_t avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned how = 0; how < 3; how++) {
		pid_t pid = child(leave_out, how);

		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(status, how == 2 ? SIGKILL : 0);
		WAIT_FOR(evict_stat("out_bytes") == 0 && evict_stat("held_vms") == 0, 20000);
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) >= avail, 20000);
	}
}

/* ---- several clients ---- */

#define CHUNK (2 * MIB)
#define CHUNKS 3
#define ROUNDS 6

/* How many clients have all their chunks; shared by the processes. */
static _Atomic unsigned *filled;

/* Both clients are there with all that they need, however slow one of them was. */
static void clients_meet(void)
{
	atomic_fetch_add(filled, 1);
	WAIT_FOR(atomic_load(filled) == 2, 300000);
}

/* Moves its chunks around by copies and looks at every byte; chunks are named by what is in them. */
static void busy_client(unsigned id)
{
	int fd = open_ppu();
	struct world w = { .fd = fd, .vm = vm_new(fd) };
	struct bo bo[CHUNKS];
	unsigned what[CHUNKS];

	w.c = chan_new(fd, w.vm, DRM_PPU_CHANNEL_COPY, 16);
	for (unsigned i = 0; i < CHUNKS; i++) {
		bo[i] = bo_new(fd, CHUNK, DRM_PPU_PLACEMENT_VRAM);
		for (unsigned k = 0; k < CHUNK / 8; k += 512)
			CHECK_EQ(((uint64_t *)bo[i].map)[k], 0);
		vm_map(fd, w.vm, &bo[i], VA + i * CHUNK);
		what[i] = 100 * id + i;
		fill(bo[i].map, CHUNK, what[i]);
	}
	clients_meet();
	for (unsigned r = 0; r < ROUNDS; r++) {
		unsigned from = (r * 5 + id) % CHUNKS, to = (from + 1 + r) % CHUNKS;

		copy(&w, bo[from].va, bo[to].va, CHUNK);
		what[to] = what[from];
		for (unsigned i = 0; i < CHUNKS; i++)
			check(bo[i].map, CHUNK, what[i]);
		what[r % CHUNKS] = 100 * id + 50 + r;
		fill(bo[r % CHUNKS].map, CHUNK, what[r % CHUNKS]);
	}
}

TEST_T(overcommit, 600, "two processes that need twice the VRAM together get right results")
{
	int fd = open_ppu();
	struct bo keep = ballast(fd, CHUNKS * CHUNK + MIB);
	uint64_t moved = evict_stat("moved_out_bytes");
	pid_t a, b;

	filled = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(filled != MAP_FAILED);
	a = child(busy_client, 1);
	b = child(busy_client, 2);
	child_ends(a);
	child_ends(b);
	moved = evict_stat("moved_out_bytes") - moved;
	printf("# %llu MiB moved out\n", (unsigned long long)(moved / MIB));
	/* The clients have 12 MiB, the device has 7 for them. */
	CHECK(moved >= 2 * CHUNKS * CHUNK - (CHUNKS * CHUNK + MIB));
	CHECK(!munmap((void *)filled, 4096));
	bo_free(&keep);
}

static void must_fail(unsigned unused)
{
	struct drm_ppu_gem_create c = { .size = 8 * MIB, .placement = DRM_PPU_PLACEMENT_VRAM };
	int fd = open_ppu();

	(void)unused;
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &c, ENOSPC);
	/* VMs need VRAM, too; there is still some */
	vm_new(fd);
}

static void must_work(unsigned unused)
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8 * MIB, DRM_PPU_PLACEMENT_VRAM);

	(void)unused;
	for (unsigned i = 0; i < bo.size / 8; i++)
		CHECK_EQ(((uint64_t *)bo.map)[i], 0);
}

TEST(full, "VRAM that cannot be moved is ENOSPC, and only that")
{
	int fd = open_ppu(), other = open_ppu();
	struct bo keep = ballast(other, 6 * MIB), more = bo_new(fd, 4 * MIB, DRM_PPU_PLACEMENT_VRAM);
	uint32_t sem = sem_new(fd, &more);

	memset(more.map, 0x77, more.size);
	child_ends(child(must_fail, 0));
	DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = sem });
	/* 6 MiB are free or can move now: too few */
	child_ends(child(must_fail, 0));
	munmap(keep.map, keep.size);
	close(other);
	child_ends(child(must_work, 0));
	for (unsigned i = 0; i < more.size; i += 4096)
		CHECK_EQ(((uint8_t *)more.map)[i], 0x77);
}

static void leave_room(unsigned unused)
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8 * MIB, DRM_PPU_PLACEMENT_VRAM), small;
	struct drm_ppu_sem_create s = { .bo_handle = bo.handle };

	(void)unused;
	DO_ERR(fd, DRM_IOCTL_PPU_SEM_CREATE, &s, ENOSPC);
	small = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	sem_new(fd, &small);
}

TEST(promise, "what stays leaves room for all that another process has, so that it can come back")
{
	struct world w = world_new(12 * MIB, VA);
	struct bo keep = ballast(w.fd, 6 * MIB);

	fill(w.bo.map, w.bo.size, 15);
	child_ends(child(leave_room, 0));
	copy(&w, VA, VA + 6 * MIB, 6 * MIB);
	check(w.bo.map, 6 * MIB, 15);
	check((uint64_t *)w.bo.map + 6 * MIB / 8, 6 * MIB, 15);
	bo_free(&keep);
}

TEST(endless, "a VM whose task does not end keeps its memory, and goes on")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);
	struct bo big, keep;
	uint64_t let_go;

	big = bo_new(fd, 6 * MIB, DRM_PPU_PLACEMENT_VRAM);
	vm_map(fd, g.vm, &big, VA);
	memset(big.map, 0x55, big.size);
	keep = ballast(fd, 4 * MIB);
	gpu_launch(&g, GPU_PROGRAM(&g, I_BRA_SELF));
	WAIT_FOR(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_WFI, 20000);
	let_go = evict_stat("let_go");
	child_ends(child(must_fail, 0));
	CHECK(evict_stat("let_go") > let_go);
	CHECK_EQ(evict_stat("held_vms"), 0);
	CHECK(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_WFI);
	chan_free(&g.c);
	child_ends(child(must_work, 0));
	for (unsigned i = 0; i < big.size; i += 4096)
		CHECK_EQ(((uint8_t *)big.map)[i], 0x55);
	bo_free(&keep);
}

/* ---- everything at once ---- */

static struct {
	atomic_bool stop;
	atomic_uint rounds[4];
} race;

static void *race_evict(void *unused)
{
	(void)unused;
	for (; !race.stop; race.rounds[0]++) {
		evict_all();
		usleep(2000);
	}
	return NULL;
}

static void *race_copy(void *unused)
{
	struct world w = world_new(2 * MIB, VA);
	uint64_t *p = w.bo.map;

	(void)unused;
	fill(p, MIB, 11);
	for (; !race.stop; race.rounds[1]++) {
		copy(&w, VA, VA + MIB, MIB);
		check(p + MIB / 8, MIB, 11);
		memset(p + MIB / 8, 0, MIB);
	}
	check(p, MIB, 11);
	return NULL;
}

static void *race_bind(void *unused)
{
	struct world w = world_new(MIB, VA);
	struct bo a = bo_new(w.fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);

	(void)unused;
	fill(a.map, a.size, 12);
	for (; !race.stop; race.rounds[2]++) {
		uint64_t off = race.rounds[2] % 256 * 4096;

		CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_MAP, a.handle, off, VA + 8 * MIB, 65536, 0), 0);
		copy(&w, VA + 8 * MIB, VA, 65536);
		for (unsigned i = 0; i < 8192; i++)
			CHECK_EQ(((uint64_t *)w.bo.map)[i], word(12, off / 8 + i));
		CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, VA + 8 * MIB, 65536, 0), 0);
	}
	check(a.map, a.size, 12);
	return NULL;
}

static void *race_create(void *unused)
{
	int fd = open_ppu();

	(void)unused;
	for (; !race.stop; race.rounds[3]++) {
		struct bo bo = bo_new(fd, 256 * 1024, DRM_PPU_PLACEMENT_VRAM);
		uint64_t *p = bo.map;

		for (unsigned i = 0; i < bo.size / 8; i++)
			CHECK_EQ(p[i], 0);
		fill(p, bo.size, race.rounds[3]);
		if (race.rounds[3] % 3 == 0)
			sem_new(fd, &bo);
		check(p, bo.size, race.rounds[3]);
		bo_free(&bo);
	}
	return NULL;
}

static void race_all(unsigned ms, void (*beside)(void))
{
	void *(*const fn[])(void *) = { race_evict, race_copy, race_bind, race_create };
	pthread_t t[4];

	for (unsigned i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, fn[i], NULL));
	if (beside)
		beside();
	sleep_ms(ms);
	for (unsigned i = 0; i < 4; i++)
		WAIT_FOR(race.rounds[i] > 2, 60000);
	race.stop = true;
	for (unsigned i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("# rounds: %u evictions, %u copies, %u binds, %u objects\n", race.rounds[0], race.rounds[1],
	       race.rounds[2], race.rounds[3]);
}

TEST_T(race, 300, "copies, binds and new objects while everything is moved out again and again")
{
	race_all(3000, NULL);
}

TEST(reset, "a reset while objects are out: their bytes are kept, and new VMs use them")
{
	struct world w = world_new(2 * MIB, VA), v;
	uint64_t *p = w.bo.map;

	fill(p, 2 * MIB, 13);
	evict_all();
	CHECK_EQ(p[7], word(13, 7));
	pci_write("reset");
	check(p, 2 * MIB, 13);
	/* the old VM never runs again; its page can be touched all the same */
	w.c.userd[PPU_REG_USERD_GP_PUT / 4] = 1;
	v = world_new(MIB, VA);
	vm_map(v.fd, v.vm, &v.bo, VA);
	evict_all();
	copy(&v, VA, VA + MIB / 2, MIB / 2);
	close(v.fd);

	v.vm = vm_new(w.fd);
	v.fd = w.fd;
	v.bo = w.bo;
	v.c = chan_new(w.fd, v.vm, DRM_PPU_CHANNEL_COPY, 16);
	vm_map(w.fd, v.vm, &v.bo, VA);
	copy(&v, VA, VA + MIB, MIB);
	check(p, MIB, 13);
	check(p + MIB / 8, MIB, 13);
}

static void *keep_object(void *arg)
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);

	fill(bo.map, bo.size, 14);
	for (; !race.stop; ++*(atomic_uint *)arg)
		check(bo.map, bo.size, 14);
	return NULL;
}

TEST_T(reset_race, 300, "resets while objects move")
{
	pthread_t e, k;

	CHECK(!pthread_create(&e, NULL, race_evict, NULL));
	CHECK(!pthread_create(&k, NULL, keep_object, &race.rounds[1]));
	for (int i = 0; i < 8; i++) {
		unsigned before = race.rounds[0];

		WAIT_FOR(race.rounds[0] > before, 60000);
		pci_write("reset");
	}
	WAIT_FOR(race.rounds[1] > 2, 60000);
	race.stop = true;
	pthread_join(e, NULL);
	pthread_join(k, NULL);
}

HARNESS_MAIN
