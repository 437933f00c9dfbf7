/* SPDX-License-Identifier: MIT */
/* Unbind in use, module unload and reload. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"
#include "module.h"
#include "pcidev.h"
#include "sysfile.h"

TEST(rebind, "unbind and bind, several times; the device works after each")
{
	for (int i = 0; i < 3; i++) {
		pci_unbind();
		pci_bind();
		works_in_child();
	}
}

static int wait_fd;
static uint32_t wait_id;

static void *wait_sem(void *arg)
{
	struct drm_ppu_sem_cond c = { .sem_id = wait_id, .value = 1 };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = INT64_MAX,
	};

	*(int *)arg = try_ioctl(wait_fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	return NULL;
}

static volatile int bus_errors;

static void on_bus(int sig)
{
	(void)sig;
	bus_errors++;
	_exit(99);
}

TEST(unbind_open, "unbind in use: ENODEV, SIGBUS on the device's memory, fences and waits end")
{
	int fd, err = 0, e, status;
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_event_register r = { .type = DRM_PPU_EVENT_DEVICE_RESET };
	struct drm_ppu_get_param gp = { 0 };
	struct drm_ppu_submit sub = { 0 };
	struct drm_ppu_channel_create k = {
		.type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
	};
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL };
	struct drm_ppu_entry entry;
	struct bo vram;
	struct chan c;
	struct cmds b;
	pthread_t t;
	uint64_t n;
	pid_t pid;

	fd = open_ppu();
	c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	vram = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	vm_map(fd, c.vm, &vram, 0x10000000);
	/* a wait, an event, a user channel and a kernel channel in the middle of copies */
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	wait_fd = fd;
	wait_id = s.sem_id;
	pthread_create(&t, NULL, wait_sem, &err);
	e = eventfd(0, EFD_NONBLOCK);
	r.eventfd = e;
	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	b = chan_block(&c);
	for (int i = 0; i < 30; i++)
		cmd_copy(&b, vram.va, vram.va + (32 << 20), 32 << 20);
	chan_submit(&c, &b);
	k.vm_id = c.vm;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	CHECK(!drmSyncobjCreate(fd, 0, &sync.handle));
	entry = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	sub = (struct drm_ppu_submit){
		.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(1, &entry),
		.syncs = DRM_PPU_ARRAY(1, &sync),
	};
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	int file;

	CHECK(!drmSyncobjExportSyncFile(fd, sync.handle, &file));
	usleep(20000);

	pci_unbind();
	struct pollfd p = { .fd = file, .events = POLLIN };

	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
	pthread_join(t, NULL);
	CHECK_EQ(err, ENODEV);
	CHECK(read(e, &n, 8) == 8);
	DO_ERR(fd, DRM_IOCTL_PPU_GET_PARAM, &gp, ENODEV);
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, ENODEV);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)c.args.userd_offset) ==
	      MAP_FAILED);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGBUS, on_bus);
		_exit(*(volatile uint32_t *)vram.map);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(WEXITSTATUS(status), 99);
	/* a second driver instance lives beside the leftovers of the first */
	pci_bind();
	works_in_child();
	/* closed now, after the device is gone */
	close(fd);
	close(file);
	munmap(vram.map, vram.size);
	munmap((void *)c.userd, 4096);
	works_in_child();
}

TEST(flr, "a function level reset: channels and VMs end with EIO, waits go on, new ones work")
{
	struct drm_ppu_channel_create a = {
		.type = DRM_PPU_CHANNEL_COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sem_signal sig;
	struct chan c;
	struct cmds b;
	pthread_t t;
	uint64_t before;
	int fd, err = 1;

	fd = open_ppu();
	before = get_param(fd, DRM_PPU_PARAM_RESET_COUNT);
	c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	b = chan_block(&c);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	wait_fd = fd;
	wait_id = s.sem_id;
	pthread_create(&t, NULL, wait_sem, &err);
	sleep_ms(30);

	pci_write("reset");
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_RESET_COUNT), before + 1);
	a.vm_id = c.vm;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EIO);
	CHECK(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_LOST);
	/* the wait was not lost with the watch table: the device sees the word again */
	CHECK_EQ(err, 1);
	*(volatile uint64_t *)bo_map(fd, s.bo_handle, 4096) = 1;
	struct chan k = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);

	k.userd[PPU_REG_USERD_KICK / 4] = 1;
	pthread_join(t, NULL);
	CHECK_EQ(err, 0);
	sig = (struct drm_ppu_sem_signal){ .sem_id = s.sem_id, .value = 2 };
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	chan_free(&c);
	works_in_child();
}

/* ---- resets under traffic ---- */

static struct {
	int fd;
	atomic_bool stop;
	atomic_uint told, refused;
} busy;

static void listen_to(uint32_t type, uint32_t channel, int e)
{
	struct drm_ppu_event_register r = {
		.type = type, .object_id = channel, .eventfd = e, .flags = DRM_PPU_EVENT_ONESHOT,
	};

	DO(busy.fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
}

/* On a new channel of a new VM: an INTR command. False: a reset came before it. */
static bool interrupt_once(struct bo *code, int e)
{
	struct drm_ppu_vm_create v = { 0 };
	struct drm_ppu_vm_destroy vm;
	struct drm_ppu_channel_create a = {
		.type = DRM_PPU_CHANNEL_COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};
	struct ppu_gpfifo_entry entry = { .va = 0x10000000, .length = PPU_CMD_SIZE_INTR };
	struct pollfd p = { .fd = e, .events = POLLIN };
	volatile uint32_t *userd;
	uint64_t n;
	void *ring;
	int err;

	err = try_ioctl(busy.fd, DRM_IOCTL_PPU_VM_CREATE, &v);
	CHECK(!err || err == EIO);
	if (err)
		return false;
	vm.vm_id = a.vm_id = v.vm_id;
	vm.pad = 0;
	err = vm_try_op(busy.fd, a.vm_id, DRM_PPU_VM_BIND_OP_MAP, code->handle, 0, entry.va, code->size, 0);
	if (!err)
		err = try_ioctl(busy.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	if (!err) {
		listen_to(DRM_PPU_EVENT_CHANNEL_INTR, a.channel_id, e);
		listen_to(DRM_PPU_EVENT_CHANNEL_ERROR, a.channel_id, e);
		ring = mmap(NULL, a.ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, busy.fd, (off_t)a.ring_offset);
		userd = mmap(NULL, PPU_USERD_STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, busy.fd,
			     (off_t)a.userd_offset);
		CHECK(ring != MAP_FAILED && userd != MAP_FAILED);
		memcpy(ring, &entry, sizeof(entry));
		__sync_synchronize();
		userd[PPU_REG_USERD_GP_PUT / 4] = 1;
		/* it runs, or it is lost: either is told */
		CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
		CHECK(read(e, &n, 8) == 8);
		munmap(ring, a.ring_size);
		munmap((void *)userd, PPU_USERD_STRIDE);
		DO(busy.fd, DRM_IOCTL_PPU_CHANNEL_DESTROY,
		   &(struct drm_ppu_channel_destroy){ .channel_id = a.channel_id });
	}
	CHECK(!err || err == EIO);
	DO(busy.fd, DRM_IOCTL_PPU_VM_DESTROY, &vm);
	return !err;
}

static void *interrupt_often(void *arg)
{
	struct bo code = bo_new(busy.fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = code.map, .max = 8 };

	cmd_intr(&b, 1);
	while (!busy.stop) {
		int e = eventfd(0, 0);

		CHECK(e >= 0);
		if (interrupt_once(&code, e))
			busy.told++;
		else
			busy.refused++;
		close(e);
	}
	return arg;
}

TEST(flr_busy, "resets under traffic: every channel interrupts, or is told that it is lost, or was refused")
{
	pthread_t t[2];

	busy.fd = open_ppu();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&t[i], NULL, interrupt_often, NULL));
	for (int i = 0; i < 8; i++) {
		unsigned before = busy.told;

		pci_write("reset");
		WAIT_FOR(busy.told >= before + 4, 20000);
	}
	busy.stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("# %u told, %u refused\n", busy.told, busy.refused);
	close(busy.fd);
	works_in_child();
}

TEST(remove_rescan, "PCI remove and rescan, with a file open")
{
	int fd;

	fd = open_ppu();
	vm_new(fd);
	pci_write("remove");
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &(struct drm_ppu_vm_create){ 0 }, ENODEV);
	file_write("/sys/bus/pci/rescan", "1");
	WAIT_FOR(pci_have_node(), 20000);
	works_in_child();
	close(fd);
	works_in_child();
}

TEST(reload, "the module unloads when nobody uses it, and loads again with its parameters")
{
	uint64_t max_groups = modparam("max_groups");
	char *params, *now;
	int fd;

	modparam_set("max_groups", max_groups + 7);	/* not the default */
	params = module_params();
	for (int i = 0; i < 3; i++) {
		fd = open_ppu();
		CHECK(syscall(SYS_delete_module, "ppu", O_NONBLOCK) && errno == EWOULDBLOCK);
		close(fd);
		module_unload();
		module_load(params);
		works_in_child();
		now = module_params();
		if (strcmp(now, params))
			FAIL("loaded with %s, and has %s", params, now);
		free(now);
	}
	CHECK_EQ(modparam("max_groups"), max_groups + 7);
	modparam_set("max_groups", max_groups);
	free(params);
}

HARNESS_MAIN
