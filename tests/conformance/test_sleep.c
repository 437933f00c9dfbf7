/* SPDX-License-Identifier: MIT */
/* The machine sleeps: what is on the device is lost and says so, memory is kept. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "fence.h"
#include "harness.h"
#include "pcidev.h"

#define COPY	DRM_PPU_CHANNEL_COPY
#define M	(1u << 20)

/* All that the kernel does for a sleep but the last step: devices are put to sleep, and woken. */
static void sleep_machine(void)
{
	static const char delay[] = "/sys/module/suspend/parameters/pm_test_delay";

	if (!access(delay, W_OK))
		file_write(delay, "1");
	file_write("/sys/power/pm_test", "devices");
	file_write("/sys/power/state", "mem");
	file_write("/sys/power/pm_test", "none");
}

/* The debug kernel is built without. */
static bool can_sleep(void)
{
	if (!access("/sys/power/pm_test", W_OK))
		return true;
	printf("# this kernel cannot sleep\n");
	return false;
}

static void fill(const struct bo *bo, uint64_t seed)
{
	/* Every other page has something in it. */
	for (uint64_t i = 0; i < bo->size / 8; i++)
		((volatile uint64_t *)bo->map)[i] = i >> 9 & 1 ? 0 : seed + i * 0x9e3779b97f4a7c15ull;
}

static void check(const struct bo *bo, uint64_t seed)
{
	for (uint64_t i = 0; i < bo->size / 8; i++)
		CHECK_EQ(((volatile uint64_t *)bo->map)[i], i >> 9 & 1 ? 0 : seed + i * 0x9e3779b97f4a7c15ull);
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

static struct {
	int fd, err;
	uint32_t sem;
	atomic_int tid;
} waiter;

static void *wait_sem(void *arg)
{
	struct drm_ppu_sem_cond c = { .sem_id = waiter.sem, .value = 1 };
	struct drm_ppu_sem_wait w = { .conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = INT64_MAX };

	waiter.tid = gettid();
	/* The freezer wakes who sleeps: call again. */
	do
		waiter.err = try_ioctl(waiter.fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	while (waiter.err == EINTR);
	return arg;
}

TEST(memory, "buffer objects keep what is in them, mapped or not, and can be used afterwards")
{
	int fd = open_ppu();
	struct bo vram = bo_new(fd, 8 * M, DRM_PPU_PLACEMENT_VRAM), ram = bo_new(fd, M, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct chan c;
	struct cmds b;

	if (!can_sleep())
		return;
	fill(&vram, 1);
	fill(&ram, 2);
	for (unsigned i = 0; i < 2; i++) {
		sleep_machine();
		check(&vram, 1);
		check(&ram, 2);
		work(fd);
		CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), avail);
	}
	/* the device finds the same */
	c = chan_new(fd, vm_new(fd), COPY, 8);
	vm_map(fd, c.vm, &vram, 0x10000000);
	vm_map(fd, c.vm, &ram, 0x20000000);
	b = chan_block(&c);
	cmd_copy(&b, vram.va, ram.va, M);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	WAIT_FOR(*chan_sem(&c, 0), 20000);
	check(&ram, 1);
}

static uint64_t out_bytes(void)
{
	char *text = debugfs_text("evict"), *line = strstr(text, "\nout_bytes ");
	uint64_t n;

	CHECK(line);
	n = strtoull(line + strlen("\nout_bytes "), NULL, 10);
	free(text);
	return n;
}

TEST(moved_out, "objects that were moved out keep what is in them, and come back for a VM that never slept")
{
	struct bo a, b;
	struct cmds cmds;
	struct chan c;
	int fd = open_ppu();

	if (!can_sleep())
		return;
	a = bo_new(fd, 4 * M, DRM_PPU_PLACEMENT_VRAM);
	c = chan_new(fd, vm_new(fd), COPY, 8);
	vm_map(fd, c.vm, &a, 0x10000000);
	fill(&a, 3);
	debugfs_write("evict", "1");
	CHECK(out_bytes() >= 4 * M);
	b = bo_new(fd, 4 * M, DRM_PPU_PLACEMENT_VRAM);
	fill(&b, 4);
	sleep_machine();
	CHECK(out_bytes() >= 4 * M);
	/* the VM that was held is lost like all others */
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_LOST);
	chan_free(&c);
	check(&a, 3);
	check(&b, 4);
	c = chan_new(fd, vm_new(fd), COPY, 8);
	vm_map(fd, c.vm, &a, 0x10000000);
	vm_map(fd, c.vm, &b, 0x20000000);
	CHECK_EQ(out_bytes(), 0);
	cmds = chan_block(&c);
	cmd_copy(&cmds, a.va, b.va, 4 * M);
	cmd_release(&cmds, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &cmds);
	WAIT_FOR(*chan_sem(&c, 0), 20000);
	check(&a, 3);
	check(&b, 3);
}

TEST(work, "channels, VMs and jobs are lost and say so; events and waits go on")
{
	struct drm_ppu_event_register r = { .type = DRM_PPU_EVENT_DEVICE_RESET };
	struct drm_ppu_channel_create k = { .type = COPY, .gpfifo_entries = 8 };
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_vm_get_state v = { 0 };
	struct drm_ppu_submit sub = { 0 };
	struct pollfd p = { .events = POLLIN };
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_sync sync = { DRM_PPU_SYNC_SIGNAL, syncobj(fd), 0 };
	struct cmds b = chan_block(&c);
	uint64_t resets = get_param(fd, DRM_PPU_PARAM_RESET_COUNT), n;
	pthread_t t;

	if (!can_sleep())
		return;
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 1), 1);
	chan_submit(&c, &b);
	k.vm_id = c.vm;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	sub = (struct drm_ppu_submit){ .channel_id = gate.channel, .syncs = DRM_PPU_ARRAY(1, &sync) };
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	waiter.fd = fd;
	waiter.sem = s.sem_id;
	CHECK(!pthread_create(&t, NULL, wait_sem, NULL));
	WAIT_FOR(waiter.tid, 20000);
	wait_asleep(waiter.tid);
	p.fd = r.eventfd = eventfd(0, EFD_NONBLOCK);
	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);

	sleep_machine();
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_RESET_COUNT), resets + 1);
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1 && read(p.fd, &n, 8) == 8);
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_LOST);
	v.vm_id = c.vm;
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &v);
	CHECK(v.state & DRM_PPU_VM_STATE_FAULTED);
	CHECK(!wait_sync(fd, sync.handle, 20000));
	CHECK_EQ(-fence_error(fd, sync.handle), EIO);
	sub.channel_id = k.channel_id;
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, EIO);
	/* the wait was not lost with the watch table */
	CHECK_EQ(waiter.err, 0);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, (&(struct drm_ppu_sem_signal){ .sem_id = s.sem_id, .value = 1 }));
	pthread_join(t, NULL);
	CHECK_EQ(waiter.err, 0);
	work(fd);
	chan_free(&c);
}

static bool device_is(const char *status)
{
	char *text = pci_text("power/runtime_status");
	bool is = text && !strncmp(text, status, strlen(status));

	free(text);
	return is;
}

TEST(asleep, "a device that sleeps already, since nobody needs it, is woken for the machine's sleep, and sleeps again")
{
	uint64_t resets;
	int fd;

	if (!can_sleep())
		return;
	fd = open_ppu();
	pci_text_set("power/autosuspend_delay_ms", "20");
	for (unsigned i = 0; i < 2; i++) {
		WAIT_FOR(device_is("suspended"), 20000);
		resets = get_param(fd, DRM_PPU_PARAM_RESET_COUNT);
		sleep_machine();
		CHECK_EQ(get_param(fd, DRM_PPU_PARAM_RESET_COUNT), resets + 1);
		WAIT_FOR(device_is("suspended"), 20000);
		work(fd);
	}
}

HARNESS_MAIN
