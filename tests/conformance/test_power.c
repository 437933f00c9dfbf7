/* SPDX-License-Identifier: MIT */
/* Runtime power management: the device sleeps while nobody needs it, and nobody can tell but by the kernel's files. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "harness.h"
#include "pcidev.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define DELAY_MS 20
#define SLEEPING "suspended\n"
#define AWAKE "active\n"

static bool is(const char *file, const char *value)
{
	char *text = pci_text(file);
	bool same = text && !strcmp(text, value);

	free(text);
	return same;
}

/* The device falls asleep soon from now on; false: it cannot. */
static bool drowsy(void)
{
	char *text = pci_text("power/autosuspend_delay_ms");
	bool can = text != NULL;

	free(text);
	if (!can) {
		printf("# the function cannot sleep: it needs the property pm=on\n");
		return false;
	}
	pci_text_set("power/autosuspend_delay_ms", "20");
	return true;
}

static void wait_asleep_device(void)
{
	WAIT_FOR(is("power/runtime_status", SLEEPING), 20000);
	CHECK(is("power_state", "D3hot\n"));
}

/* It is awake, and does not fall asleep. */
static void stays_awake(void)
{
	sleep_ms(20 * DELAY_MS);
	CHECK(is("power/runtime_status", AWAKE));
	CHECK(is("power_state", "D0\n"));
}

static void work(int fd)
{
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);

	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 1);
	chan_free(&c);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, (&(struct drm_ppu_vm_destroy){ .vm_id = c.vm }));
}

static int query_times(int fd, struct drm_ppu_timestamps *t)
{
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_TIMESTAMPS, .size = sizeof(*t), .ptr = (uintptr_t)t };

	return try_ioctl(fd, DRM_IOCTL_PPU_QUERY, &q);
}

static uint64_t device_time(int fd)
{
	struct drm_ppu_timestamps t;
	int err = query_times(fd, &t);

	CHECK_EQ(err, 0);
	return t.gpu_ns;
}

TEST(sleeps, "nobody needs the device: it sleeps, in D3hot; what needs none of it does not wake it; the rest does")
{
	uint64_t was;
	int fd;

	if (!drowsy())
		return;
	wait_asleep_device();
	fd = open_ppu();
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) > 0);
	get_param(fd, DRM_PPU_PARAM_RESET_COUNT);
	fdinfo_kib(fd, "drm-total-vram");
	CHECK(is("power/runtime_status", SLEEPING));
	for (int i = 0; i < 5; i++) {
		was = device_time(fd);
		CHECK(was != UINT64_MAX);
		wait_asleep_device();
		CHECK(device_time(fd) > was);
		work(fd);
		wait_asleep_device();
	}
}

TEST(kept, "a VM and an object of VRAM each keep it awake; system memory and semaphores do not")
{
	struct drm_ppu_sem_create s = { 0 };
	struct bo vram, ram;
	uint32_t vm;
	int fd;

	if (!drowsy())
		return;
	fd = open_ppu();
	ram = bo_new(fd, 1 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	wait_asleep_device();
	vm = vm_new(fd);
	stays_awake();
	vram = bo_new(fd, 1 << 20, DRM_PPU_PLACEMENT_VRAM);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, (&(struct drm_ppu_vm_destroy){ .vm_id = vm }));
	memset(vram.map, 0x5a, 1 << 20);
	stays_awake();
	for (unsigned i = 0; i < 1 << 20; i += 4096)
		CHECK(((uint8_t *)vram.map)[i] == 0x5a);
	bo_free(&vram);
	wait_asleep_device();
	memset(ram.map, 1, 1 << 20);
	CHECK(is("power/runtime_status", SLEEPING));
	work(fd);
}

TEST(mapped, "a mapping of VRAM keeps it awake when its handle and its file are closed")
{
	struct drm_gem_close cl;
	struct bo vram;
	int fd;

	if (!drowsy())
		return;
	fd = open_ppu();
	vram = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	cl = (struct drm_gem_close){ .handle = vram.handle };
	DO(fd, DRM_IOCTL_GEM_CLOSE, &cl);
	close(fd);
	stays_awake();
	*(volatile uint64_t *)vram.map = 7;
	CHECK_EQ(*(volatile uint64_t *)vram.map, 7);
	munmap(vram.map, 4096);
	wait_asleep_device();
}

static struct {
	int fd, err;
	uint32_t sem;
	atomic_int tid;
} waiter;

static void *wait_sem(void *arg)
{
	struct drm_ppu_sem_cond c = { .sem_id = waiter.sem, .value = 1 };
	struct drm_ppu_sem_wait w = { .conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = limit_ms(30000) };

	waiter.tid = gettid();
	waiter.err = try_ioctl(waiter.fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	return arg;
}

/* An eventfd that is told once, when the semaphore has the value. */
static int watched(int fd, uint32_t sem, uint64_t value)
{
	struct drm_ppu_event_register r = {
		.type = DRM_PPU_EVENT_SEM, .object_id = sem, .flags = DRM_PPU_EVENT_ONESHOT,
		.op = DRM_PPU_SEM_OP_EQ, .value = value, .eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};

	CHECK(r.eventfd >= 0);
	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	return r.eventfd;
}

static bool signalled(int e)
{
	struct pollfd p = { .fd = e, .events = POLLIN };

	return poll(&p, 1, PATIENCE(20000)) == 1;
}

TEST(waits, "who waits for a semaphore, or has an eventfd for it, lets the device sleep, and hears when it is written after that")
{
	struct drm_ppu_sem_create s = { 0 };
	struct bo ram;
	struct cmds b;
	struct chan c;
	pthread_t t;
	int fd, e;

	if (!drowsy())
		return;
	fd = open_ppu();
	ram = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	s.bo_handle = ram.handle;
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	e = watched(fd, s.sem_id, 1);
	waiter.fd = fd;
	waiter.sem = s.sem_id;
	CHECK(!pthread_create(&t, NULL, wait_sem, NULL));
	WAIT_FOR(waiter.tid, 20000);
	wait_asleep(waiter.tid);
	wait_asleep_device();
	c = chan_new(fd, vm_new(fd), COPY, 8);
	vm_map(fd, c.vm, &ram, 0x10000000);
	b = chan_block(&c);
	cmd_release(&b, 0x10000000, 1);
	chan_submit(&c, &b);
	pthread_join(t, NULL);
	CHECK_EQ(waiter.err, 0);
	CHECK(signalled(e));
}

/* An eventfd for the semaphore's next value, which the channel releases. */
static int release_watched(struct chan *c, uint32_t sem, uint64_t value)
{
	int e = watched(c->fd, sem, value);
	struct cmds b = chan_block(c);

	cmd_release(&b, 0x10000000, value);
	chan_submit(c, &b);
	return e;
}

TEST_T(late, 120, "the device sleeps before it could tell that a watched word was written: who waits hears of it")
{
	struct drm_ppu_sem_create s = { 0 };
	uint64_t value = 0;
	struct bo ram;
	struct chan c;
	int fd, e;

	if (!drowsy())
		return;
	fd = open_ppu();
	ram = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	s.bo_handle = ram.handle;
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	c = chan_new(fd, vm_new(fd), COPY, 8);
	vm_map(fd, c.vm, &ram, 0x10000000);
	/* interrupts come late: the first ones use up the burst that is allowed at once */
	modparam_set("irq_rate", 1);
	while (++value <= 36) {
		e = release_watched(&c, s.sem_id, value);
		CHECK(signalled(e));
		close(e);
	}
	e = release_watched(&c, s.sem_id, value);
	WAIT_FOR(*(volatile uint64_t *)ram.map == value, 20000);
	chan_free(&c);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, (&(struct drm_ppu_vm_destroy){ .vm_id = c.vm }));
	wait_asleep_device();
	CHECK(signalled(e));
	CHECK(is("power/runtime_status", SLEEPING));
}

TEST(files, "files of sysfs and debugfs that need the device wake it, and say what they say when it is awake")
{
	char line[64], *text;

	if (!drowsy())
		return;
	snprintf(line, sizeof(line), "%04x %-22s %08x\n", PPU_REG_ID, "ID", PPU_ID_MAGIC);
	for (int i = 0; i < 3; i++) {
		wait_asleep_device();
		text = debugfs_text("regs");
		CHECK(strstr(text, line));
		free(text);
	}
	wait_asleep_device();
	free(debugfs_text("vram"));
	CHECK(pci_config(0, 0, 0) == PPU_PCI_VENDOR_ID);
}

TEST(user, "power/control and the delay are the user's: \"on\" keeps the device awake, \"auto\" lets it sleep")
{
	if (!drowsy())
		return;
	CHECK(is("power/control", "auto\n"));
	wait_asleep_device();
	pci_text_set("power/control", "on");
	stays_awake();
	pci_text_set("power/control", "auto");
	wait_asleep_device();
}

TEST(resets, "a reset wakes it, works, and it sleeps again; so do unbinding and binding")
{
	int fd;

	if (!drowsy())
		return;
	for (int i = 0; i < 3; i++) {
		uint64_t n;

		wait_asleep_device();
		fd = open_ppu();
		n = get_param(fd, DRM_PPU_PARAM_RESET_COUNT);
		pci_write("reset");
		CHECK_EQ(get_param(fd, DRM_PPU_PARAM_RESET_COUNT), n + 1);
		work(fd);
		close(fd);
		wait_asleep_device();
		pci_unbind();
		CHECK(is("power/control", "on\n"));
		pci_bind();
		CHECK(drowsy());
		fd = open_ppu();
		work(fd);
		close(fd);
	}
}

TEST(left, "the driver leaves while a VM keeps the device awake: the next one's device sleeps when that VM is gone")
{
	struct bo vram;
	int fd;

	if (!drowsy())
		return;
	fd = open_ppu();
	vm_new(fd);
	vram = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	pci_unbind();
	pci_bind();
	CHECK(drowsy());
	stays_awake();
	munmap(vram.map, 4096);
	close(fd);
	wait_asleep_device();
	works_in_child();
}

#define COMMAND 4
#define MEMORY 2

TEST(no_wake, "a device that does not wake up is lost: ENODEV, at once and for ever; the driver can leave and come back")
{
	struct drm_ppu_timestamps times;
	int fd;

	if (!drowsy())
		return;
	fd = open_ppu();
	wait_asleep_device();
	/* Its port passes no access on. */
	pci_port_config(COMMAND, MEMORY, 0);
	CHECK_EQ(query_times(fd, &times), ENODEV);
	WAIT_FOR(find_ppu() < 0, 20000);
	pci_port_config(COMMAND, 0, MEMORY);
	CHECK_EQ(query_times(fd, &times), ENODEV);
	pci_unbind();
	pci_bind();
	CHECK_EQ(query_times(fd, &times), ENODEV);
	CHECK(drowsy());
	works_in_child();
	wait_asleep_device();
}

static atomic_bool over;

static void *work_on(void *arg)
{
	int fd = open_ppu();

	for (unsigned i = 0; !over; i++) {
		if (i % 3)
			work(fd);
		else
			CHECK(device_time(fd) != UINT64_MAX);
		usleep(i * 997 % 5000);
		++*(atomic_uint *)arg;
	}
	close(fd);
	return NULL;
}

TEST(storm, "clients come and go, and the device falls asleep at once: each finds it awake")
{
	atomic_uint rounds[3] = { 0 };
	pthread_t t[3];

	if (!drowsy())
		return;
	pci_text_set("power/autosuspend_delay_ms", "0");
	for (unsigned i = 0; i < 3; i++)
		CHECK(!pthread_create(&t[i], NULL, work_on, &rounds[i]));
	for (unsigned i = 0; i < 3; i++)
		WAIT_FOR(rounds[i] >= 30, 60000);
	over = true;
	for (unsigned i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	wait_asleep_device();
}

HARNESS_MAIN
