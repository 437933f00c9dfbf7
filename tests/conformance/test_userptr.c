/* SPDX-License-Identifier: MIT */
/* GEM_USERPTR: objects of memory that the process has already. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "copy_world.h"
#include "harness.h"
#include "pcidev.h"
#include "sysfile.h"

#define USER_VA	0x50000000ull
#define BO_VA	0x58000000ull
#define PAGE	4096ull

static void *pages(uint64_t n, int prot, int flags, int fd)
{
	void *p = mmap(NULL, n * PAGE, prot, flags, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void *own_pages(uint64_t n)
{
	return pages(n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* 0 or errno */
static int try_user(int fd, const void *p, uint64_t size, uint32_t flags, uint32_t *handle)
{
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)p, .size = size, .flags = flags };
	int e = try_ioctl(fd, DRM_IOCTL_PPU_GEM_USERPTR, &u);

	*handle = u.handle;
	return e;
}

static uint32_t user(int fd, const void *p, uint64_t size, uint32_t flags)
{
	uint32_t handle;

	CHECK_EQ(try_user(fd, p, size, flags, &handle), 0);
	return handle;
}

/* Nothing is left of an object that could be made. */
static int refused(int fd, const void *p, uint64_t size, uint32_t flags)
{
	struct drm_gem_close c = { 0 };
	int e = try_user(fd, p, size, flags, &c.handle);

	if (!e)
		DO(fd, DRM_IOCTL_GEM_CLOSE, &c);
	return e;
}

static void close_handle(int fd, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	DO(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

/* Pages that the kernel says this process has pinned. */
static uint64_t pinned(void)
{
	char *text = file_text("/proc/self/status"), *line;
	uint64_t kib;

	CHECK(text);
	line = strstr(text, "VmPin:");
	CHECK(line);
	kib = strtoull(line + 6, NULL, 10);
	free(text);
	return kib / 4;
}

static uint64_t used_system(int fd)
{
	struct drm_ppu_limit l[DRM_PPU_RES_SYSTEM + 1];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(l), .ptr = (uintptr_t)l,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return l[DRM_PPU_RES_SYSTEM].used;
}

static void map_user(struct world *w, uint32_t handle, uint64_t size, uint32_t flags)
{
	CHECK_EQ(vm_try_op(w->fd, w->vm, DRM_PPU_VM_BIND_OP_MAP, handle, 0, USER_VA, size, flags), 0);
}

TEST(args, "GEM_USERPTR refuses bad arguments")
{
	int fd = open_ppu();
	char *p = own_pages(4);
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)p, .size = PAGE };

	CHECK_EQ(refused(fd, p, 0, 0), EINVAL);
	CHECK_EQ(refused(fd, p + 8, PAGE, 0), EINVAL);
	CHECK_EQ(refused(fd, p, PAGE + 1, 0), EINVAL);
	CHECK_EQ(refused(fd, p, PAGE, 2), EINVAL);
	u.pad = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_USERPTR, &u, EINVAL);
	u.pad = 0;
	u.vm_id = 4711;
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_USERPTR, &u, ENOENT);
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_USERPTR, (void *)BAD_PTR, EFAULT);
	CHECK_EQ(refused(fd, NULL, PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, (void *)(1ull << 63), PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, (void *)(~0ull << 12), PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, p, ~0ull << 12, 0), EFAULT);
	CHECK_EQ(refused(fd, (void *)PAGE, 1ull << 44, 0), ENOMEM);
	CHECK_EQ(refused(fd, p, PAGE, 0), 0);
}

TEST(rights, "memory that is not there, or that the process may not access, is refused")
{
	int fd = open_ppu();
	char *p = own_pages(4);
	uint64_t before = pinned();

	CHECK(!munmap(p + 3 * PAGE, PAGE) && !mprotect(p + 2 * PAGE, PAGE, PROT_NONE) &&
	      !mprotect(p + PAGE, PAGE, PROT_READ));
	CHECK_EQ(refused(fd, p, PAGE, 0), 0);
	CHECK_EQ(refused(fd, p, 2 * PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, p, 2 * PAGE, DRM_PPU_GEM_USERPTR_READONLY), 0);
	CHECK_EQ(refused(fd, p, 3 * PAGE, DRM_PPU_GEM_USERPTR_READONLY), EFAULT);
	CHECK_EQ(refused(fd, p + 3 * PAGE, PAGE, 0), EFAULT);
	CHECK_EQ(pinned(), before);
	CHECK_EQ(used_system(fd), 0);
}

/* A file whose pages a file system keeps in its own way. */
static int file_of_ramfs(void)
{
	char dir[] = "/tmp/ppu-XXXXXX", path[sizeof(dir) + 2];
	int fd;

	CHECK(mkdtemp(dir) && !mount("none", dir, "ramfs", 0, NULL));
	snprintf(path, sizeof(path), "%s/f", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0 && !ftruncate(fd, PAGE));
	CHECK(!umount2(dir, MNT_DETACH) && !rmdir(dir));
	return fd;
}

TEST(kinds, "which memory can be used: not what a file system writes back, nor a device's")
{
	int fd = open_ppu(), memfd = memfd_create("userptr", 0), file = file_of_ramfs();
	struct bo sys = bo_new(fd, PAGE, DRM_PPU_PLACEMENT_SYSTEM), vram = bo_new(fd, PAGE, DRM_PPU_PLACEMENT_VRAM);
	const int rw = PROT_READ | PROT_WRITE;
	const uint32_t ro = DRM_PPU_GEM_USERPTR_READONLY;

	CHECK(memfd >= 0 && file >= 0 && !ftruncate(memfd, PAGE));
	CHECK_EQ(refused(fd, pages(1, rw, MAP_SHARED | MAP_ANONYMOUS, -1), PAGE, 0), 0);
	CHECK_EQ(refused(fd, pages(1, rw, MAP_SHARED, memfd), PAGE, 0), 0);
	CHECK_EQ(refused(fd, pages(1, PROT_READ, MAP_SHARED, memfd), PAGE, ro), 0);
	CHECK_EQ(refused(fd, pages(1, PROT_READ, MAP_SHARED, memfd), PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, pages(1, rw, MAP_PRIVATE, file), PAGE, 0), 0);
	CHECK_EQ(refused(fd, pages(1, PROT_READ, MAP_PRIVATE, file), PAGE, ro), 0);
	CHECK_EQ(refused(fd, pages(1, PROT_READ, MAP_SHARED, file), PAGE, ro), EOPNOTSUPP);
	CHECK_EQ(refused(fd, pages(1, rw, MAP_SHARED, file), PAGE, 0), EOPNOTSUPP);
	CHECK_EQ(refused(fd, pages(1, rw, MAP_SHARED, file), PAGE, ro), EOPNOTSUPP);
	CHECK_EQ(refused(fd, sys.map, PAGE, 0), EFAULT);
	CHECK_EQ(refused(fd, vram.map, PAGE, 0), EFAULT);
}

TEST(copies, "the device reads and writes the process's pages, in both kinds of leaves")
{
	const uint64_t size = 5 << 20;
	struct world w = world_new(size, BO_VA);
	char *p = mmap((void *)0x7000000000, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	CHECK(p != MAP_FAILED);
	(void)madvise(p, size, MADV_HUGEPAGE);
	for (uint64_t i = 0; i < size; i += 8)
		memcpy(p + i, &i, 8);
	map_user(&w, user(w.fd, p, size, 0), size, 0);
	copy(&w, USER_VA, BO_VA, size);
	for (uint64_t i = 0; i < size; i += 4088)
		CHECK(!memcmp((char *)w.bo.map + i, p + i, 8));
	memset(w.bo.map, 0x5c, size);
	copy(&w, BO_VA, USER_VA, size);
	for (uint64_t i = 0; i < size; i++)
		CHECK_EQ(p[i], 0x5c);
}

TEST(twice, "one page may be in several objects, and several times in one")
{
	struct world w = world_new(3 * PAGE, BO_VA);
	int memfd = memfd_create("userptr", 0);
	uint32_t *p = own_pages(3), *out = w.bo.map;

	CHECK(memfd >= 0 && !ftruncate(memfd, PAGE));
	for (int i = 0; i < 3; i++)
		CHECK(mmap((char *)p + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memfd, 0) != MAP_FAILED);
	/* Kernels that check how memory is mapped for DMA complain of an eighth time. */
	for (int i = 0; i < 2; i++)
		map_user(&w, user(w.fd, p, 3 * PAGE, 0), 3 * PAGE, 0);
	p[0] = 8;
	copy(&w, USER_VA, BO_VA, 3 * PAGE);
	CHECK(out[0] == 8 && out[1024] == 8 && out[2048] == 8);
}

TEST(untouched, "pages that were never touched are the process's own all the same")
{
	struct world w = world_new(4 * PAGE, BO_VA);
	char *p = own_pages(4);
	volatile char *first = p, *last = p + 3 * PAGE;

	CHECK_EQ(*first, 0);	/* the page of zeroes that all processes share */
	map_user(&w, user(w.fd, p, 4 * PAGE, DRM_PPU_GEM_USERPTR_READONLY), 4 * PAGE,
		 DRM_PPU_VM_BIND_READONLY);
	*first = 1;
	*last = 2;
	copy(&w, USER_VA, BO_VA, 4 * PAGE);
	CHECK_EQ(*(char *)w.bo.map, 1);
	CHECK_EQ(((char *)w.bo.map)[3 * PAGE], 2);
}

TEST(readonly, "READONLY: only read-only mappings, no semaphores, no notifier")
{
	struct world w = world_new(PAGE, BO_VA);
	uint32_t *p = own_pages(1), handle;
	struct drm_ppu_sem_create s = { .flags = DRM_PPU_SEM_ADOPT };
	struct drm_ppu_channel_create n = {
		.vm_id = w.vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
	};

	p[5] = 55;
	CHECK(!mprotect(p, PAGE, PROT_READ));
	handle = user(w.fd, p, PAGE, DRM_PPU_GEM_USERPTR_READONLY);
	CHECK_EQ(vm_try_op(w.fd, w.vm, DRM_PPU_VM_BIND_OP_MAP, handle, 0, USER_VA, PAGE, 0), EACCES);
	s.bo_handle = handle;
	DO_ERR(w.fd, DRM_IOCTL_PPU_SEM_CREATE, &s, EPERM);
	n.notifier_handle = handle;
	DO_ERR(w.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &n, EPERM);
	map_user(&w, handle, PAGE, DRM_PPU_VM_BIND_READONLY);
	copy(&w, USER_VA, BO_VA, PAGE);
	CHECK_EQ(((uint32_t *)w.bo.map)[5], 55);
	start_copy(&w, BO_VA, USER_VA, PAGE);
	WAIT_FOR(chan_query(&w.c).error, 5000);
	CHECK_EQ(p[5], 55);
}

TEST(semaphores, "a semaphore and the CPU's view of its word agree")
{
	int fd = open_ppu();
	uint64_t *p = own_pages(1);
	struct drm_ppu_sem_create s = { .flags = DRM_PPU_SEM_ADOPT, .bo_offset = 64 };
	struct drm_ppu_sem_signal g = { .value = 9 };
	struct drm_ppu_sem_read r = { 0 };

	p[8] = 7;
	s.bo_handle = user(fd, p, PAGE, 0);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	r.sem_id = g.sem_id = s.sem_id;
	DO(fd, DRM_IOCTL_PPU_SEM_READ, &r);
	CHECK_EQ(r.value, 7);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &g);
	CHECK_EQ(p[8], 9);
}

TEST(info, "GEM_INFO tells of it; it cannot be mapped, exported, or bound in another VM")
{
	int fd = open_ppu(), dmabuf;
	void *p = own_pages(2);
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)p, .size = 2 * PAGE, .flags = 1, .vm_id = vm_new(fd) };
	struct drm_ppu_gem_info i = { 0 };
	struct drm_ppu_gem_mmap_offset o = { 0 };

	DO(fd, DRM_IOCTL_PPU_GEM_USERPTR, &u);
	i.handle = o.handle = u.handle;
	DO(fd, DRM_IOCTL_PPU_GEM_INFO, &i);
	CHECK_EQ(i.placement, DRM_PPU_PLACEMENT_SYSTEM);
	CHECK_EQ(i.size, 2 * PAGE);
	CHECK_EQ(i.extra, DRM_PPU_GEM_INFO_USERPTR | DRM_PPU_GEM_INFO_READONLY);
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o, EPERM);
	CHECK(drmPrimeHandleToFD(fd, u.handle, DRM_CLOEXEC, &dmabuf) && errno == EPERM);
	CHECK_EQ(vm_try_op(fd, vm_new(fd), DRM_PPU_VM_BIND_OP_MAP, u.handle, 0, USER_VA, PAGE,
			   DRM_PPU_VM_BIND_READONLY), EPERM);
	CHECK_EQ(vm_try_op(fd, u.vm_id, DRM_PPU_VM_BIND_OP_MAP, u.handle, 0, USER_VA, PAGE,
			   DRM_PPU_VM_BIND_READONLY), 0);
}

TEST(account, "pinned pages are counted as long as something uses the object")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), handle;
	uint64_t before = pinned();
	void *p = own_pages(100);

	handle = user(fd, p, 100 * PAGE, 0);
	CHECK_EQ(pinned(), before + 100);
	CHECK_EQ(used_system(fd), 100 * PAGE);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, handle, 0, USER_VA, 100 * PAGE, 0), 0);
	close_handle(fd, handle);
	CHECK_EQ(pinned(), before + 100);
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, USER_VA, 100 * PAGE, 0), 0);
	CHECK_EQ(pinned(), before);
	CHECK_EQ(used_system(fd), 0);
	user(fd, p, PAGE, 0);
	close(fd);
	CHECK_EQ(pinned(), before);
}

TEST(memlock, "RLIMIT_MEMLOCK limits what an unprivileged process pins")
{
	int fd = open_ppu();
	struct rlimit limit = { 10 * PAGE, 10 * PAGE };
	void *p = own_pages(16);
	uint32_t handle;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit));
	CHECK_EQ(refused(fd, p, 16 * PAGE, 0), 0);	/* CAP_IPC_LOCK */
	CHECK(!setgid(65534) && !setuid(65534));
	CHECK_EQ(refused(fd, p, 11 * PAGE, 0), ENOMEM);
	handle = user(fd, p, 10 * PAGE, 0);
	CHECK_EQ(refused(fd, p, PAGE, 0), ENOMEM);
	close_handle(fd, handle);
	CHECK_EQ(refused(fd, p, 10 * PAGE, 0), 0);
	CHECK_EQ(used_system(fd), 0);
}

TEST(fork_keeps, "after fork() the object still has the parent's pages")
{
	struct world w = world_new(PAGE, BO_VA);
	uint32_t *p = own_pages(1);
	int status;
	pid_t pid;

	p[0] = 1;
	map_user(&w, user(w.fd, p, PAGE, 0), PAGE, 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		p[0] = 2;
		_exit(p[0] != 2);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	p[1] = 3;
	copy(&w, USER_VA, BO_VA, PAGE);
	CHECK_EQ(((uint32_t *)w.bo.map)[0], 1);
	CHECK_EQ(((uint32_t *)w.bo.map)[1], 3);
	((uint32_t *)w.bo.map)[2] = 4;
	copy(&w, BO_VA, USER_VA, PAGE);
	CHECK_EQ(p[2], 4);
}

TEST(munmap_keeps, "after munmap() the object has the old pages, whatever is mapped there")
{
	struct world w = world_new(PAGE, BO_VA);
	uint32_t *p = own_pages(1);

	p[0] = 11;
	map_user(&w, user(w.fd, p, PAGE, 0), PAGE, 0);
	CHECK(mmap(p, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
	p[0] = 12;
	copy(&w, USER_VA, BO_VA, PAGE);
	CHECK_EQ(((uint32_t *)w.bo.map)[0], 11);
}

TEST(maker_exits, "the object outlives the process that made it")
{
	struct world w = world_new(PAGE, BO_VA);
	uint32_t *shared = pages(1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		uint32_t *p = own_pages(1);

		p[0] = 33;
		_exit(try_user(w.fd, p, PAGE, 0, shared));
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	map_user(&w, *shared, PAGE, 0);
	copy(&w, USER_VA, BO_VA, PAGE);
	CHECK_EQ(((uint32_t *)w.bo.map)[0], 33);
	close_handle(w.fd, *shared);
}

static char *changing;
static atomic_bool stop;

/* What is mapped at @changing is another thing each time: nothing, memory of other kinds, read-only, copied, given up. */
static void *change(void *arg)
{
	int memfd = memfd_create("userptr", 0);

	CHECK(memfd >= 0 && !ftruncate(memfd, 64 * PAGE));
	for (unsigned i = 0; !atomic_load(&stop); i++) {
		bool shared = i % 3 == 1;
		off_t at = i % 32 * (off_t)PAGE;
		char *p = changing + at;

		CHECK(mmap(p, 32 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), shared ? memfd : -1, shared ? at : 0) == p);
		memset(p, (int)i, 8 * PAGE);
		CHECK(!mprotect(p + 3 * PAGE, PAGE, PROT_READ));
		CHECK(!madvise(p, 8 * PAGE, i % 2 ? MADV_DONTNEED : MADV_NORMAL));
		if (i % 5 == 0)
			CHECK(!ftruncate(memfd, 0) && !ftruncate(memfd, 64 * PAGE));
		if (i % 7 == 0)
			CHECK(!munmap(p + 20 * PAGE, 2 * PAGE));
		if (i % 16 == 0) {
			pid_t pid = fork();

			CHECK(pid >= 0);
			if (!pid)
				_exit(0);
			CHECK(waitpid(pid, NULL, 0) == pid);
		}
	}
	(void)arg;
	return NULL;
}

TEST(races, "memory that changes while it is pinned: each call works or is refused, and nothing is left")
{
	int fd = open_ppu();
	uint64_t before = pinned();
	unsigned worked = 0, refusals = 0;
	pthread_t t;

	changing = own_pages(64);
	CHECK(!pthread_create(&t, NULL, change, NULL));
	for (unsigned i = 0; i < 20000 && (i < 400 || !worked || !refusals); i++) {
		int e = refused(fd, changing + i % 17 * PAGE, (1 + i % 47) * PAGE, i & DRM_PPU_GEM_USERPTR_READONLY);

		CHECK(!e || e == EFAULT || e == EINTR);
		worked += !e;
		refusals += e == EFAULT;
	}
	atomic_store(&stop, true);
	CHECK(!pthread_join(t, NULL));
	CHECK(worked && refusals);
	CHECK_EQ(pinned(), before);
	CHECK_EQ(used_system(fd), 0);
}

/* A page of a file that may only be read, and memory that was never touched, in turns. */
static void *change_kind(void *arg)
{
	int memfd = memfd_create("userptr", 0);

	CHECK(memfd >= 0 && !ftruncate(memfd, PAGE));
	while (!atomic_load(&stop)) {
		CHECK(mmap(changing, PAGE, PROT_READ, MAP_FIXED | MAP_SHARED, memfd, 0) == changing);
		CHECK(mmap(changing, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0) == changing);
	}
	(void)arg;
	return NULL;
}

TEST(other_kind, "memory that becomes another kind of memory while it is pinned for reading")
{
	int fd = open_ppu();
	uint64_t before = pinned();
	pthread_t t;

	changing = own_pages(1);
	atomic_store(&stop, false);
	CHECK(!pthread_create(&t, NULL, change_kind, NULL));
	for (unsigned i = 0; i < 3000; i++) {
		int e = refused(fd, changing, PAGE, DRM_PPU_GEM_USERPTR_READONLY);

		/* EFAULT: it could be written when it was looked at, and not any more when it was pinned. */
		if (e != EFAULT)
			CHECK_EQ(e, 0);
	}
	atomic_store(&stop, true);
	CHECK(!pthread_join(t, NULL));
	CHECK_EQ(pinned(), before);
}

TEST(device_gone, "the pages are given back also when the device went first")
{
	int fd = open_ppu();
	uint64_t before = pinned();
	uint32_t handle = user(fd, own_pages(8), 8 * PAGE, 0);

	(void)handle;
	pci_unbind();
	CHECK_EQ(refused(fd, own_pages(1), PAGE, 0), ENODEV);
	CHECK_EQ(pinned(), before + 8);
	close(fd);
	CHECK_EQ(pinned(), before);
	pci_bind();
}

HARNESS_MAIN
