/* SPDX-License-Identifier: MIT */
/* Memory of the system that idle clients have: the kernel gets it back when memory is short, and nobody sees a difference. */
#include <pthread.h>
#include <stdatomic.h>

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

/* What the device can reach of the system objects of a file, in KiB. */
static uint64_t resident(int fd)
{
	return fdinfo_kib(fd, "drm-resident-memory:\t");
}

static uint64_t word(uint64_t seed, uint64_t i)
{
	return (seed << 32 | i) * 0x9e3779b97f4a7c15ull;
}

static void fill(uint64_t *p, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		p[i] = word(seed, i);
}

static void check_from(const uint64_t *p, uint64_t first, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = first; i < first + bytes / 8; i++)
		if (p[i] != word(seed, i))
			FAIL("word %llu is %#llx, not %#llx", (unsigned long long)i, (unsigned long long)p[i],
			     (unsigned long long)word(seed, i));
}

static void check(const uint64_t *p, uint64_t bytes, uint64_t seed)
{
	check_from(p, 0, bytes, seed);
}

/* A VM with a copy channel, an object in VRAM at VA and one in system memory at SYS_VA. */
struct idle_world {
	struct world w;
	struct bo sys;
};

static struct idle_world idle_world(uint64_t size)
{
	struct idle_world i = { .w = world_new(size, VA) };

	i.sys = bo_new(i.w.fd, size, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(i.w.fd, i.w.vm, &i.sys, SYS_VA);
	return i;
}

/* Presses until the driver has given back everything that the file has in system memory. */
static void press_all(int fd)
{
	WAIT_FOR((memory_press(), resident(fd) == 0), 20000);
}

TEST(unbound, "an object that no VM shows is given back at once, and the CPU finds its bytes")
{
	struct bo bo;
	int fd = open_ppu();
	uint64_t out = stat_of("system_out_pages");

	bo = bo_new(fd, 2 * MIB, DRM_PPU_PLACEMENT_SYSTEM);
	fill(bo.map, bo.size, 1);
	CHECK_EQ(resident(fd), 2048);
	memory_press();
	CHECK_EQ(resident(fd), 0);
	CHECK(stat_of("system_out_pages") >= out + bo.size / 4096);
	/* Once more, after the CPU has touched it. */
	check(bo.map, bo.size, 1);
	fill(bo.map, MIB, 2);
	CHECK(stat_of("cpu_pages") >= bo.size / 4096);
	memory_press();
	check(bo.map, MIB, 2);
	check_from(bo.map, MIB / 8, MIB, 1);
}

TEST(bound, "objects of a VM that is idle are given back, and come back with its next doorbell")
{
	struct idle_world i = idle_world(2 * MIB);
	uint64_t in = stat_of("system_in_pages"), total = resident(i.w.fd);

	fill(i.sys.map, i.sys.size, 3);
	for (unsigned round = 0; round < 3; round++) {
		press_all(i.w.fd);
		copy(&i.w, SYS_VA, VA + MIB, MIB);
		CHECK_EQ(resident(i.w.fd), total);
		check((uint64_t *)i.w.bo.map + MIB / 8, MIB, 3 + round);
		/* What the CPU stores while it is out, and what the device stores afterwards. */
		press_all(i.w.fd);
		fill(i.sys.map, MIB, 4 + round);
		fill(i.w.bo.map, MIB, 40 + round);
		copy(&i.w, VA, SYS_VA + MIB, MIB);
		CHECK_EQ(resident(i.w.fd), total);
		check(i.sys.map, MIB, 4 + round);
		check((uint64_t *)i.sys.map + MIB / 8, MIB, 40 + round);
	}
	CHECK(stat_of("system_in_pages") >= in + 6 * i.sys.size / 4096);
}

TEST(no_swap, "without free swap space nothing is taken that could not be freed")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t out = stat_of("system_out_pages"), passes = stat_of("shrink_passes");
	char *swaps = file_text("/proc/swaps");

	/* Without the kernel's option there is no file; else one line is the heading. */
	if (swaps && strchr(swaps, '\n') != strrchr(swaps, '\n')) {
		printf("# there is swap space\n");
		return;
	}
	free(swaps);
	modparam_set("shrink_unswapped", 0);
	for (unsigned i = 0; i < 3; i++)
		file_write("/proc/sys/vm/drop_caches", "2");
	CHECK_EQ(resident(fd), 1024);
	CHECK_EQ(stat_of("system_out_pages"), out);
	CHECK_EQ(stat_of("shrink_passes"), passes);
	memory_press();
	CHECK_EQ(resident(fd), 0);
	bo_free(&bo);
}

TEST(bounded, "the kernel is not kept long: few objects are looked at in one go, and the next one looks at others")
{
	enum { OBJECTS = 300, LOOKS = 64 };
	struct world w = world_new(MIB, VA);
	struct cmds b = chan_block(&w.c);
	uint64_t passes, looks;
	int fd = open_ppu();
	struct bo bo;

	for (unsigned i = 0; i < OBJECTS; i++) {
		bo = bo_new(w.fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
		vm_map(w.fd, w.vm, &bo, SYS_VA + i * 4096);
	}
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&w.c, 0), 1);
	chan_submit(&w.c, &b);
	bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	passes = stat_of("shrink_passes");
	looks = stat_of("shrink_looks");
	press_all(fd);
	passes = stat_of("shrink_passes") - passes;
	looks = stat_of("shrink_looks") - looks;
	printf("# %llu objects in %llu passes\n", (unsigned long long)looks, (unsigned long long)passes);
	CHECK(looks > OBJECTS && looks <= passes * LOOKS);
	CHECK(resident(w.fd) >= OBJECTS * 4);
}

TEST(fetched, "what comes back is read before other VMs are kept from coming back")
{
	struct idle_world i = idle_world(2 * MIB);
	uint64_t pages;

	fill(i.sys.map, i.sys.size, 10);
	press_all(i.w.fd);
	pages = stat_of("fetched_pages");
	copy(&i.w, SYS_VA, VA + MIB, MIB);
	CHECK(stat_of("fetched_pages") >= pages + i.sys.size / 4096);
	check((uint64_t *)i.w.bo.map + MIB / 8, MIB, 10);
	/* And one object for itself. */
	press_all(i.w.fd);
	pages = stat_of("fetched_pages");
	DO(i.w.fd, DRM_IOCTL_PPU_SEM_CREATE, (&(struct drm_ppu_sem_create){ .bo_handle = i.sys.handle }));
	CHECK_EQ(stat_of("fetched_pages"), pages + i.sys.size / 4096);
}

TEST(bind, "VM_BIND, SEM_CREATE and an export bring an object back; then it is where it was before")
{
	struct world w = world_new(MIB, VA);
	struct bo sys = bo_new(w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_sem_create s = { .bo_handle = sys.handle, .flags = DRM_PPU_SEM_ADOPT };
	struct drm_ppu_sem_signal sig = { .op = DRM_PPU_SEM_SIGNAL_ADD, .value = 5 };
	int dmabuf, other = open_ppu();
	uint64_t *shared;

	fill(sys.map, MIB, 5);
	press_all(w.fd);
	vm_map(w.fd, w.vm, &sys, SYS_VA);
	copy(&w, SYS_VA, VA, MIB);
	check(w.bo.map, MIB, 5);

	*(uint64_t *)sys.map = 37;
	press_all(w.fd);
	DO(w.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	sig.sem_id = s.sem_id;
	for (unsigned i = 0; i < 3; i++, memory_press())
		CHECK_EQ(resident(w.fd), 1024);
	DO(w.fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	CHECK_EQ(*(uint64_t *)sys.map, 42);
	DO(w.fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = s.sem_id });
	press_all(w.fd);

	CHECK(!drmPrimeHandleToFD(w.fd, sys.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	for (unsigned i = 0; i < 3; i++, memory_press())
		CHECK_EQ(resident(w.fd), 1024);
	shared = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	CHECK(shared != MAP_FAILED);
	CHECK_EQ(*shared, 42);
	CHECK(!drmPrimeFDToHandle(other, dmabuf, &s.bo_handle));
	CHECK_EQ(resident(other), 1024);
}

TEST(notifier, "an object with an error notifier stays, until the channel is destroyed")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_channel_create args = { .notifier_handle = bo.handle };
	struct drm_ppu_notification *n = bo.map;
	struct chan c;

	memory_press();
	CHECK_EQ(resident(fd), 0);
	c = chan_new_args(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 16, &args);
	for (unsigned i = 0; i < 3; i++, memory_press())
		CHECK(resident(fd) >= 4);
	/* A block that nobody has mapped. */
	c.ring[0] = (struct ppu_gpfifo_entry){ 0 };
	cmd_raw(&(struct cmds){ .p = c.blocks.map, .max = 1 }, 0xffffffff);
	chan_submit(&c, &(struct cmds){ .va = c.blocks.va, .n = 1 });
	WAIT_FOR(n->state, 20000);
	chan_free(&c);
	press_all(fd);
	CHECK(n->state);
}

TEST(busy, "a VM that waits for something, or was used just now, keeps its memory")
{
	struct idle_world i = idle_world(MIB);
	struct cmds b = chan_block(&i.w.c);
	uint64_t total = resident(i.w.fd);

	fill(i.sys.map, MIB, 6);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&i.w.c, 0), 1);
	cmd_copy(&b, SYS_VA, VA, MIB);
	cmd_wfi(&b);
	chan_submit(&i.w.c, &b);
	for (unsigned n = 0; n < 30; n++, sleep_ms(100)) {
		memory_press();
		CHECK_EQ(resident(i.w.fd), total);
	}
	*chan_sem(&i.w.c, 0) = 1;
	chan_doorbell(&i.w.c);
	chan_wait_idle(&i.w.c);
	check(i.w.bo.map, MIB, 6);
}

static void *press_on(void *arg)
{
	for (; !*(atomic_bool *)arg; usleep(1000))
		memory_press();
	return NULL;
}

TEST(race, "memory is short while objects are made, touched, bound, used and freed")
{
	struct idle_world i = idle_world(MIB);
	atomic_bool stop = false;
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, press_on, &stop));
	fill(i.sys.map, MIB, 7);
	for (unsigned n = 0; n < 30; n++) {
		struct bo bo = bo_new(i.w.fd, MIB / 2, DRM_PPU_PLACEMENT_SYSTEM);
		uint64_t va = SYS_VA + MIB * (n + 1);

		fill(bo.map, MIB / 2, 100 + n);
		vm_map(i.w.fd, i.w.vm, &bo, va);
		copy(&i.w, va, VA, MIB / 2);
		check(i.w.bo.map, MIB / 2, 100 + n);
		check(i.sys.map, MIB, 7);
		/* Every third VM is left alone for so long that it is held. */
		if (n % 10 == 0)
			sleep_ms(1500);
		copy(&i.w, SYS_VA, VA + MIB / 2, MIB / 2);
		check((uint64_t *)i.w.bo.map + MIB / 16, MIB / 2, 7);
		CHECK_EQ(vm_try_op(i.w.fd, i.w.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, va, MIB / 2, 0), 0);
		bo_free(&bo);
	}
	stop = true;
	pthread_join(thread, NULL);
}

TEST(unplugged, "the driver leaves the device while objects are out: the CPU still has their bytes")
{
	struct idle_world i = idle_world(MIB);

	fill(i.sys.map, MIB, 8);
	press_all(i.w.fd);
	pci_unbind();
	memory_press();
	check(i.sys.map, MIB, 8);
	memory_press();
	check(i.sys.map, MIB, 8);
	close(i.w.fd);
	pci_bind();
	works_in_child();
}

TEST(freed, "objects that are out can be freed, with and without pages, and so can their VM")
{
	uint64_t pages = stat_of("system_pages");

	for (unsigned touch = 0; touch < 2; touch++) {
		struct idle_world i = idle_world(MIB);
		struct bo more = bo_new(i.w.fd, MIB, DRM_PPU_PLACEMENT_SYSTEM);

		press_all(i.w.fd);
		if (touch) {
			fill(i.sys.map, MIB, 9);
			fill(more.map, MIB, 9);
		}
		bo_free(&more);
		DO(i.w.fd, DRM_IOCTL_PPU_VM_DESTROY, &(struct drm_ppu_vm_destroy){ .vm_id = i.w.vm });
		bo_free(&i.sys);
		close(i.w.fd);
	}
	CHECK(stat_of("system_pages") <= pages + 64);
}

HARNESS_MAIN
