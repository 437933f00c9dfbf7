/* SPDX-License-Identifier: MIT */
/* Contents that a program does not need: they are dropped first, and the program hears of it. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "contents.h"
#include "copy_world.h"
#include "pcidev.h"
#include "sysfile.h"

#define MIB (1ull << 20)
#define VA 0x20000000ull
#define SYS_VA 0x40000000ull

static uint64_t stat_of(const char *name)
{
	return debugfs_number("evict", name);
}

static void check_zero(const uint64_t *p, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (p[i])
			FAIL("word %llu is %#llx, not 0", (unsigned long long)i, (unsigned long long)p[i]);
}

/* Returns whether the contents were retained. */
static bool advise(int fd, const struct bo *bo, uint32_t madv)
{
	struct drm_ppu_gem_madvise m = { .handle = bo->handle, .madv = madv, .retained = 77 };

	DO(fd, DRM_IOCTL_PPU_GEM_MADVISE, &m);
	CHECK(m.retained <= 1);
	return m.retained;
}

static bool dontneed(int fd, const struct bo *bo)
{
	return advise(fd, bo, DRM_PPU_MADV_DONTNEED);
}

static bool willneed(int fd, const struct bo *bo)
{
	return advise(fd, bo, DRM_PPU_MADV_WILLNEED);
}

/* Memory is short, but there is no swap: nothing but what nobody needs can go. */
static void press(void)
{
	modparam_set("shrink_unswapped", 0);
	file_write("/proc/sys/vm/drop_caches", "2");
}

static void press_until_dropped(uint64_t pages)
{
	WAIT_FOR((press(), stat_of("dropped_pages") >= pages), 20000);
}

static void unbind(int fd, uint32_t vm, const struct bo *bo, uint64_t va)
{
	CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, va, bo->size, 0), 0);
}

static void evict_all(void)
{
	debugfs_write("evict", "1");
}

TEST(arguments, "GEM_MADVISE knows two advices, and refuses what it does not know")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_gem_madvise m = { .handle = bo.handle, .madv = 2 };

	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MADVISE, &m, EINVAL);
	m = (struct drm_ppu_gem_madvise){ .handle = bo.handle, .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MADVISE, &m, EINVAL);
	m = (struct drm_ppu_gem_madvise){ .handle = 99 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MADVISE, &m, ENOENT);
	CHECK(willneed(fd, &bo));
	CHECK(dontneed(fd, &bo));
	CHECK(dontneed(fd, &bo));
	CHECK(willneed(fd, &bo));
}

TEST(system, "contents that nobody needs are dropped without swap, others are not; who asks is told once")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 2 * MIB, DRM_PPU_PLACEMENT_SYSTEM), other = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t before = stat_of("dropped_pages");

	fill(bo.map, bo.size, 1);
	fill(other.map, other.size, 2);
	CHECK_EQ(fdinfo_kib(fd, "drm-purgeable-memory:\t"), 0);
	CHECK(dontneed(fd, &bo));
	CHECK_EQ(fdinfo_kib(fd, "drm-purgeable-memory:\t"), 2048);
	CHECK_EQ(stat_of("dontneed_pages"), bo.size / 4096);
	check(bo.map, bo.size, 1);
	press();
	CHECK_EQ(stat_of("dropped_pages"), before + bo.size / 4096);
	CHECK_EQ(stat_of("dontneed_pages"), 0);
	CHECK_EQ(fdinfo_kib(fd, "drm-purgeable-memory:\t"), 0);
	CHECK_EQ(fdinfo_kib(fd, "drm-resident-memory:\t"), 1024);
	check(other.map, other.size, 2);
	CHECK(!dontneed(fd, &bo));
	CHECK(!willneed(fd, &bo));
	CHECK(willneed(fd, &bo));
	check_zero(bo.map, bo.size);
	/* It is an object like any other. */
	fill(bo.map, bo.size, 3);
	press();
	check(bo.map, bo.size, 3);
	CHECK(willneed(fd, &bo));
	CHECK_EQ(stat_of("dropped_pages"), before + bo.size / 4096);
}

TEST(needed, "what is needed again in time is not dropped")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

	fill(bo.map, bo.size, 4);
	CHECK(dontneed(fd, &bo));
	CHECK(willneed(fd, &bo));
	CHECK_EQ(stat_of("dontneed_pages"), 0);
	press();
	check(bo.map, bo.size, 4);
	CHECK(willneed(fd, &bo));
}

TEST(touched, "what the CPU stores after contents were dropped can be dropped again, while nobody needs it")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t before = stat_of("dropped_pages");

	fill(bo.map, bo.size, 5);
	CHECK(dontneed(fd, &bo));
	for (unsigned round = 1; round <= 3; round++) {
		press();
		CHECK_EQ(stat_of("dropped_pages"), before + round * bo.size / 4096);
		check_zero(bo.map, bo.size);
		fill(bo.map, bo.size, 6);
		CHECK_EQ(stat_of("dontneed_pages"), bo.size / 4096);
	}
	CHECK(!willneed(fd, &bo));
	press();
	check(bo.map, bo.size, 6);
}

TEST(out, "an object whose pages the kernel has already loses its contents, too")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

	fill(bo.map, bo.size, 7);
	memory_press();
	CHECK_EQ(fdinfo_kib(fd, "drm-resident-memory:\t"), 0);
	CHECK(dontneed(fd, &bo));
	CHECK_EQ(stat_of("dontneed_pages"), bo.size / 4096);
	CHECK(willneed(fd, &bo));
	press();
	check(bo.map, bo.size, 7);
	memory_press();
	CHECK(dontneed(fd, &bo));
	press();
	CHECK_EQ(stat_of("dontneed_pages"), 0);
	CHECK(!willneed(fd, &bo));
	check_zero(bo.map, bo.size);
}

TEST(bound, "a VM that is idle loses what it does not need, and sees zeroes when it comes back")
{
	struct world w = world_new(2 * MIB, VA);
	struct bo sys = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM), keep = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t before = stat_of("dropped_pages");

	vm_map(w.fd, w.vm, &sys, SYS_VA);
	vm_map(w.fd, w.vm, &keep, SYS_VA + MIB);
	fill(sys.map, MIB, 8);
	fill(keep.map, MIB, 9);
	fill(w.bo.map, 2 * MIB, 10);
	CHECK(dontneed(w.fd, &sys));
	copy(&w, SYS_VA, VA, MIB);
	check(w.bo.map, MIB, 8);
	press_until_dropped(before + MIB / 4096);
	copy(&w, SYS_VA, VA, MIB);
	check_zero(w.bo.map, MIB);
	copy(&w, SYS_VA + MIB, VA + MIB, MIB);
	check((uint64_t *)w.bo.map + MIB / 8, MIB, 9);
	CHECK(!willneed(w.fd, &sys));
	copy(&w, VA + MIB, SYS_VA, MIB);
	check(sys.map, MIB, 9);
	press();
	check(sys.map, MIB, 9);
}

TEST(no_queue, "objects that are not needed, but in use, keep no others from being given back")
{
	struct world w = world_new(MIB, VA);
	int fd = open_ppu();
	struct bo busy[80], other = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

	for (unsigned i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
		busy[i] = bo_new(w.fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
		vm_map(w.fd, w.vm, &busy[i], SYS_VA + i * 4096);
		CHECK(dontneed(w.fd, &busy[i]));
	}
	fill(other.map, other.size, 30);
	/* Now the VM is not idle. */
	copy(&w, VA, VA + MIB / 2, 4096);
	memory_press();
	CHECK_EQ(fdinfo_kib(fd, "drm-resident-memory:\t"), 0);
	check(other.map, other.size, 30);
}

TEST(vram, "contents of VRAM that nobody needs are not copied out but dropped; others are kept")
{
	struct world w = world_new(4 * MIB, VA);
	struct bo tmp = bo_new(w.fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);
	uint64_t before = stat_of("dropped_pages");

	vm_map(w.fd, w.vm, &tmp, SYS_VA);
	fill((uint64_t *)w.bo.map + 2 * MIB / 8, 2 * MIB, 11);
	fill(tmp.map, tmp.size, 12);
	CHECK(dontneed(w.fd, &tmp));
	CHECK_EQ(fdinfo_kib(w.fd, "drm-purgeable-vram:\t"), 2048);
	/* Memory of the system is not in it. */
	press();
	CHECK_EQ(stat_of("dropped_pages"), before);
	check(tmp.map, tmp.size, 12);
	evict_all();
	CHECK_EQ(stat_of("dropped_pages"), before + tmp.size / 4096);
	CHECK_EQ(fdinfo_kib(w.fd, "drm-purgeable-vram:\t"), 0);
	check_zero(tmp.map, tmp.size);
	/* What the CPU stores now is in memory of the system. */
	fill(tmp.map, tmp.size, 13);
	CHECK_EQ(stat_of("dontneed_pages"), tmp.size / 4096);
	CHECK(!willneed(w.fd, &tmp));
	copy(&w, SYS_VA, VA, 2 * MIB);
	check(w.bo.map, 2 * MIB, 13);
	check((uint64_t *)w.bo.map + 2 * MIB / 8, 2 * MIB, 11);
	evict_all();
	check(tmp.map, tmp.size, 13);
	CHECK_EQ(stat_of("dropped_pages"), before + tmp.size / 4096);
}

TEST(vram_out, "an object of VRAM that was moved out before gives its pages back when it is not needed")
{
	struct world w = world_new(2 * MIB, VA);

	fill(w.bo.map, w.bo.size, 14);
	evict_all();
	CHECK(dontneed(w.fd, &w.bo));
	CHECK_EQ(stat_of("dontneed_pages"), w.bo.size / 4096);
	press();
	CHECK_EQ(stat_of("dontneed_pages"), 0);
	copy(&w, VA, VA + MIB, MIB);
	CHECK_EQ(stat_of("out_bytes"), 0);
	check_zero(w.bo.map, w.bo.size);
	CHECK(!willneed(w.fd, &w.bo));
}

/* In a process of its own, since one alone may not have more than there is. */
static void new_vram_is_zero(void)
{
	struct bo bo;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		bo = bo_new(open_ppu(), 2 * MIB, DRM_PPU_PLACEMENT_VRAM);
		check_zero(bo.map, bo.size);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* The older object would go first. */
TEST(first, "when VRAM is full, what is not needed goes before what is older")
{
	int fd = open_ppu();
	struct bo old = bo_new(fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM), tmp = bo_new(fd, 2 * MIB, DRM_PPU_PLACEMENT_VRAM);
	uint64_t moved = stat_of("moved_out_bytes"), rest = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct drm_ppu_sem_create s = { .flags = DRM_PPU_SEM_ADOPT };
	struct bo keep = bo_new(fd, (rest - MIB) & ~4095ull, DRM_PPU_PLACEMENT_VRAM);

	s.bo_handle = keep.handle;
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	fill(old.map, old.size, 15);
	fill(tmp.map, tmp.size, 16);
	CHECK(dontneed(fd, &tmp));
	new_vram_is_zero();
	CHECK_EQ(stat_of("moved_out_bytes"), moved + tmp.size);
	CHECK(!willneed(fd, &tmp));
	check(old.map, old.size, 15);
	CHECK_EQ(fdinfo_kib(fd, "drm-resident-vram:\t"), (keep.size + old.size) >> 10);
}

TEST(stays, "objects that stay where they are keep their contents, whatever is said")
{
	struct world w = world_new(MIB, VA);
	struct bo shared = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM), wc = { 0 };
	struct bo sem = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_VRAM), import = { .size = MIB }, user = { .size = MIB };
	struct drm_ppu_sem_create s = { .bo_handle = sem.handle, .flags = DRM_PPU_SEM_ADOPT };
	struct drm_ppu_gem_create c = { .size = MIB, .flags = DRM_PPU_GEM_CPU_WC };
	void *pages = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)pages, .size = MIB };
	int dmabuf, other = open_ppu();

	DO(w.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	DO(w.fd, DRM_IOCTL_PPU_GEM_CREATE, &c);
	wc = (struct bo){ .handle = c.handle, .size = MIB, .map = bo_map(w.fd, c.handle, MIB) };
	DO(w.fd, DRM_IOCTL_PPU_GEM_USERPTR, &u);
	user.handle = u.handle;
	CHECK(!drmPrimeHandleToFD(w.fd, shared.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!drmPrimeFDToHandle(other, dmabuf, &import.handle));
	fill(shared.map, MIB, 17);
	fill(sem.map, MIB, 18);
	fill(wc.map, MIB, 19);
	fill(pages, MIB, 20);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(dontneed(w.fd, &shared) && dontneed(w.fd, &sem) && dontneed(w.fd, &wc) && dontneed(w.fd, &user));
		CHECK(dontneed(other, &import));
		press();
		evict_all();
	}
	check(shared.map, MIB, 17);
	check(sem.map, MIB, 18);
	check(wc.map, MIB, 19);
	check(pages, MIB, 20);
	CHECK(willneed(w.fd, &shared) && willneed(w.fd, &sem) && willneed(w.fd, &wc) && willneed(w.fd, &user));
	CHECK(willneed(other, &import));
}

TEST(freed, "objects that are not needed can be freed in every state")
{
	uint64_t pages = stat_of("dontneed_pages");

	for (unsigned state = 0; state < 4; state++) {
		struct world w = world_new(MIB, VA);
		struct bo sys = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

		fill(sys.map, MIB, 21);
		fill(w.bo.map, MIB, 22);
		CHECK(dontneed(w.fd, &sys) && dontneed(w.fd, &w.bo));
		if (state & 1)
			press();
		if (state & 2) {
			evict_all();
			fill(sys.map, MIB, 23);
			fill(w.bo.map, MIB, 24);
		}
		bo_free(&sys);
		chan_free(&w.c);
		DO(w.fd, DRM_IOCTL_PPU_VM_DESTROY, &(struct drm_ppu_vm_destroy){ .vm_id = w.vm });
		bo_free(&w.bo);
		CHECK_EQ(stat_of("dontneed_pages"), pages);
	}
}

TEST(unplugged, "the driver leaves the device: contents can still be dropped, and asked for")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM), kept = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

	fill(bo.map, MIB, 25);
	fill(kept.map, MIB, 26);
	CHECK(dontneed(fd, &bo));
	pci_unbind();
	memory_press();
	check(kept.map, MIB, 26);
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MADVISE, (&(struct drm_ppu_gem_madvise){ .handle = bo.handle }), ENODEV);
	close(fd);
	pci_bind();
	works_in_child();
}

static atomic_bool stop;

static void *press_on(void *unused)
{
	(void)unused;
	for (; !stop; usleep(1000))
		memory_press();
	return NULL;
}

static void *evict_on(void *unused)
{
	(void)unused;
	for (; !stop; usleep(3000))
		evict_all();
	return NULL;
}

/* What was retained is whole, what was not is zero: never a part, and never what somebody else stored. */
static void race_round(struct world *w, struct bo *bo, uint64_t va, unsigned n, unsigned *lost)
{
	unsigned seed = 100 + n;

	fill(bo->map, bo->size, seed);
	if (n % 3 == 0)
		vm_map(w->fd, w->vm, bo, va);
	CHECK(dontneed(w->fd, bo));
	usleep(n % 7 * 500);
	if (willneed(w->fd, bo)) {
		check(bo->map, bo->size, seed);
	} else {
		++*lost;
		check_zero(bo->map, bo->size);
	}
	if (n % 3)
		return;
	fill(bo->map, bo->size, seed + 1);
	copy(w, va, VA, bo->size);
	check(w->bo.map, bo->size, seed + 1);
	unbind(w->fd, w->vm, bo, va);
}

TEST_T(race, 300, "memory is short while programs say what they need: contents are whole or zero")
{
	struct world w = world_new(MIB, VA);
	struct bo sys = bo_new(w.fd, MIB / 4, DRM_PPU_PLACEMENT_SYSTEM), vram = bo_new(w.fd, MIB / 4, DRM_PPU_PLACEMENT_VRAM);
	unsigned lost[2] = { 0 };
	pthread_t t[2];

	CHECK(!pthread_create(&t[0], NULL, press_on, NULL) && !pthread_create(&t[1], NULL, evict_on, NULL));
	for (unsigned n = 0; n < 150; n++) {
		race_round(&w, &sys, SYS_VA, n, &lost[0]);
		race_round(&w, &vram, SYS_VA + MIB, n, &lost[1]);
	}
	stop = true;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("# lost %u times in system memory, %u times in VRAM\n", lost[0], lost[1]);
}

HARNESS_MAIN
