/* SPDX-License-Identifier: MIT */
/*
 * The device goes without a word: from some moment on nobody answers at its BARs, and the driver hears of it later, if
 * at all.  Here its memory decoding is switched off, so that all reads give what the bus gives.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "fence.h"
#include "harness.h"
#include "pcidev.h"
#include "sysfile.h"

#define PCI_COMMAND	4
#define PCI_MEMORY	2
#define COPY		DRM_PPU_CHANNEL_COPY
#define VA		0x10000000ull

/* ---- a client with everything in flight ---- */

static struct {
	int fd, event, wait_err;
	struct chan user;
	struct bo vram;
	struct gate gate;		/* a job that never runs */
	uint32_t waiting, running;	/* syncobjs: a job behind the gate, a job of long copies that does not end */
	uint32_t sem;
	pthread_t waiter;
	atomic_int tid;
} busy;

static void *wait_sem(void *arg)
{
	struct drm_ppu_sem_cond c = { .sem_id = busy.sem, .value = 1 };
	struct drm_ppu_sem_wait w = { .conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = INT64_MAX };

	busy.tid = gettid();
	busy.wait_err = try_ioctl(busy.fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	return arg;
}

static uint32_t submit(uint32_t vm, const struct cmds *b, uint32_t after)
{
	struct drm_ppu_channel_create k = { .vm_id = vm, .type = COPY, .gpfifo_entries = 8 };
	struct drm_ppu_entry e = { .va = b ? b->va : 0, .length = b ? b->n : 0 };
	struct drm_ppu_sync s[2] = { { DRM_PPU_SYNC_SIGNAL, syncobj(busy.fd), 0 }, { .handle = after } };
	struct drm_ppu_submit sub = {
		.entries = DRM_PPU_ARRAY(b ? 1 : 0, &e), .syncs = DRM_PPU_ARRAY(after ? 2 : 1, s),
	};

	DO(busy.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	sub.channel_id = k.channel_id;
	DO(busy.fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	return s[0].handle;
}

static void be_busy(void)
{
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_event_register r = { .type = DRM_PPU_EVENT_DEVICE_RESET };
	struct cmds b;

	busy.fd = open_ppu();
	busy.user = chan_new(busy.fd, vm_new(busy.fd), COPY, 8);
	busy.vram = bo_new(busy.fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	vm_map(busy.fd, busy.user.vm, &busy.vram, VA);
	b = chan_block(&busy.user);
	for (int i = 0; i < 30; i++)
		cmd_copy(&b, VA, VA + (32 << 20), 32 << 20);
	/* on a slow machine the copies may have ended before the device goes; this never does */
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&busy.user, 1), 1);
	chan_submit(&busy.user, &b);
	busy.running = submit(busy.user.vm, &b, 0);
	busy.gate = gate_new(busy.fd, 0);
	busy.waiting = submit(busy.user.vm, NULL, busy.gate.sync);
	DO(busy.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	busy.sem = s.sem_id;
	CHECK(!pthread_create(&busy.waiter, NULL, wait_sem, NULL));
	WAIT_FOR(busy.tid, 20000);
	wait_asleep(busy.tid);
	busy.event = r.eventfd = eventfd(0, EFD_NONBLOCK);
	DO(busy.fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
}

static void comes_back(void)
{
	file_write("/sys/bus/pci/rescan", "1");
	WAIT_FOR(pci_have_node(), 20000);
	works_in_child();
}

/* Whatever these answer, they answer. */
static void ask_everything(void)
{
	struct drm_ppu_channel_query c = { .channel_id = busy.user.id };
	struct drm_ppu_vm_get_state v = { .vm_id = busy.user.vm };
	struct drm_ppu_sem_signal sig = { .sem_id = busy.sem, .op = DRM_PPU_SEM_SIGNAL_KICK };
	struct drm_ppu_group_query g = { .group_id = busy.gate.group };
	uint64_t room[64];

	for (uint32_t type = 0; type <= DRM_PPU_QUERY_USER_LIMITS; type++) {
		struct drm_ppu_query q = { .type = type, .size = sizeof(room), .ptr = (uintptr_t)room };

		try_ioctl(busy.fd, DRM_IOCTL_PPU_QUERY, &q);
	}
	try_ioctl(busy.fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &c);
	try_ioctl(busy.fd, DRM_IOCTL_PPU_VM_GET_STATE, &v);
	try_ioctl(busy.fd, DRM_IOCTL_PPU_GROUP_QUERY, &g);
	try_ioctl(busy.fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
	free(debugfs_text("channels"));
	free(debugfs_text("regs"));
	free(debugfs_text("tasks"));
	free(debugfs_text("faults"));
}

TEST(pulled_out, "the device is pulled out: what the driver is asked it answers, fences and waits end with an error")
{
	struct pollfd p = { .events = POLLIN };
	uint64_t n;

	be_busy();
	pci_config(PCI_COMMAND, PCI_MEMORY, 0);
	printf("# the bus reads as %#x\n", busy.user.userd[PPU_REG_USERD_GP_GET / 4]);
	ask_everything();
	/* long enough for time-outs, and interrupts that are on their way */
	CHECK(wait_sync(busy.fd, busy.waiting, 100) == -ETIME);
	/* nothing is complete that has not been done */
	if (!wait_sync(busy.fd, busy.running, 1))
		CHECK(fence_error(busy.fd, busy.running));
	CHECK_EQ(busy.wait_err, 0);
	pci_write("remove");
	pthread_join(busy.waiter, NULL);
	CHECK_EQ(busy.wait_err, ENODEV);
	p.fd = busy.event;
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1 && read(busy.event, &n, 8) == 8);
	/* the file's own ioctls do not work any more: fences are seen by another one */
	comes_back();
	close(busy.fd);
	works_in_child();
}

TEST(reset, "nobody answers after a reset: the device is lost at once, and a new scan of the bus finds it again")
{
	struct drm_ppu_gem_create c = { .size = 4096 };

	be_busy();
	pci_config(PCI_COMMAND, PCI_MEMORY, 0);
	pci_write("reset");
	pthread_join(busy.waiter, NULL);
	CHECK_EQ(busy.wait_err, ENODEV);
	DO_ERR(busy.fd, DRM_IOCTL_PPU_GEM_CREATE, &c, ENODEV);
	CHECK(!pci_have_node());
	pci_write("remove");
	comes_back();
	close(busy.fd);
	works_in_child();
}

TEST(fences, "the fences of a device that was pulled out have an error, also seen by others")
{
	int file[2], other;
	uint32_t h;

	be_busy();
	CHECK(!drmSyncobjExportSyncFile(busy.fd, busy.waiting, &file[0]));
	CHECK(!drmSyncobjExportSyncFile(busy.fd, busy.running, &file[1]));
	pci_config(PCI_COMMAND, PCI_MEMORY, 0);
	sleep_ms(20);
	pci_write("remove");
	pthread_join(busy.waiter, NULL);
	comes_back();
	other = open_ppu();
	for (int i = 0; i < 2; i++) {
		CHECK(!drmSyncobjCreate(other, 0, &h));
		CHECK(!drmSyncobjImportSyncFile(other, h, file[i]));
		CHECK(!wait_sync(other, h, 20000));
		CHECK(fence_error(other, h) < 0);
	}
	close(busy.fd);
	works_in_child();
}

TEST(recentre, "nobody answers while channels and VMs are made and destroyed: no loop, no hang, and the device works again")
{
	struct drm_ppu_vm_create v = { 0 };
	struct drm_ppu_channel_create c = { .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT, .gpfifo_entries = 8 };
	struct drm_ppu_channel_destroy d;
	struct drm_ppu_vm_destroy vd;

	be_busy();
	pci_config(PCI_COMMAND, PCI_MEMORY, 0);
	if (!try_ioctl(busy.fd, DRM_IOCTL_PPU_VM_CREATE, &v)) {
		c.vm_id = v.vm_id;
		if (!try_ioctl(busy.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &c)) {
			d = (struct drm_ppu_channel_destroy){ .channel_id = c.channel_id };
			DO(busy.fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
		}
		vd = (struct drm_ppu_vm_destroy){ .vm_id = v.vm_id };
		DO(busy.fd, DRM_IOCTL_PPU_VM_DESTROY, &vd);
	}
	d = (struct drm_ppu_channel_destroy){ .channel_id = busy.user.id };
	DO(busy.fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	pci_write("remove");
	pthread_join(busy.waiter, NULL);
	comes_back();
	close(busy.fd);
	works_in_child();
}

/* ---- what is left of a device that is gone ---- */

static bool dump_path(char *path, size_t size)
{
	glob_t g;
	bool found = !glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &g);

	if (found)
		snprintf(path, size, "%s", g.gl_pathv[0]);
	globfree(&g);
	return found;
}

TEST(coredump, "a dump can be read when its device is gone, and given back")
{
	int fd = open_ppu();
	uint64_t interval = modparam("coredump_interval_ms");
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);
	char path[256], *text;

	while (dump_path(path, sizeof(path))) {
		file_write(path, "1");
		WAIT_FOR(access(path, F_OK), 20000);
	}
	modparam_set("coredump_interval_ms", 0);
	cmd_raw(&b, PPU_CMD_HDR(0xee, 1, 0));
	chan_submit(&c, &b);
	WAIT_FOR(dump_path(path, sizeof(path)), 20000);
	pci_write("remove");
	text = file_text(path);
	CHECK(text && !strncmp(text, "PPU coredump, version 1\n", 24));
	CHECK(strstr(text, "BAD_OPCODE"));
	free(text);
	file_write(path, "1");
	WAIT_FOR(access(path, F_OK), 20000);
	comes_back();
	modparam_set("coredump_interval_ms", interval);
	close(fd);
}

/* ---- names ---- */

TEST(names, "objects have no names that everybody can guess, on the primary node neither")
{
	struct drm_ppu_gem_create c = { .size = 4096 };
	struct drm_gem_flink f = { 0 };
	struct drm_gem_open o = { .name = 1 };
	int fd = find_primary_ppu();

	CHECK(fd >= 0);
	DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &c);
	f.handle = c.handle;
	DO_ERR(fd, DRM_IOCTL_GEM_FLINK, &f, EOPNOTSUPP);
	DO_ERR(fd, DRM_IOCTL_GEM_OPEN, &o, ENOENT);
}

HARNESS_MAIN
