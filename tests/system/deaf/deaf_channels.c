/* SPDX-License-Identifier: MIT */
/*
 * Channels that do not stop when they are told to.  Run by tests/system/host_deaf_channels.sh, in a machine whose device
 * has x-fault-stop=2: since the device was reset last, every second enabled channel that is to stop goes on.
 */
#include <signal.h>
#include <sys/wait.h>

#include "fence.h"
#include "harness.h"
#include "pcidev.h"
#include "sysfile.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define DUMPS "/sys/class/devcoredump"

/* Somebody else's: a channel that waits for ever, and a job. */
struct bystander {
	int fd;
	struct chan c;
	struct gate job;
	uint64_t resets;
};

/* The device counts from here: the first channel that is to stop does, the second does not. */
static struct bystander begin(void)
{
	struct bystander by = { .fd = open_ppu() };

	pci_write("reset");
	by.resets = get_param(by.fd, DRM_PPU_PARAM_RESET_COUNT);
	by.c = chan_new(by.fd, vm_new(by.fd), COPY, 8);
	by.job = gate_new(by.fd, 0);
	return by;
}

static uint64_t resets(const struct bystander *by)
{
	return get_param(by->fd, DRM_PPU_PARAM_RESET_COUNT) - by->resets;
}

/* All that the bystander had on the device is lost, and says so; what is made now works. */
static void check_innocent(struct bystander *by)
{
	uint32_t state;

	CHECK(!wait_sync(by->fd, by->job.sync, 20000));
	CHECK_EQ(-fence_error(by->fd, by->job.sync), EIO);
	state = chan_query(&by->c).state;
	CHECK(state & DRM_PPU_CHANNEL_STATE_LOST);
	CHECK(!(state & (DRM_PPU_CHANNEL_STATE_ENABLED | DRM_PPU_CHANNEL_STATE_TIMEDOUT)));
	CHECK_EQ(resets(by), 1);
	works_in_child();	/* which also ends one channel: the next one to be stopped would not stop */
	CHECK_EQ(resets(by), 1);
}

/* A channel that is enabled as long as it is not stopped. */
static struct chan endless(int fd, uint32_t vm)
{
	struct chan c = chan_new(fd, vm, COPY, 8);
	struct cmds b = chan_block(&c);

	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	return c;
}

TEST(destroyed, "a channel that is destroyed and does not stop: the device is reset, number and memory come back")
{
	int events = uevent_open(), log = kmsg_open();
	struct bystander by = begin();
	int fd = open_ppu();
	uint64_t avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	uint32_t vm = vm_new(fd), hw;
	struct chan c[2] = { endless(fd, vm), endless(fd, vm) };

	hw = c[1].hw;
	chan_free(&c[0]);
	CHECK_EQ(resets(&by), 0);
	chan_free(&c[1]);
	CHECK_EQ(resets(&by), 1);
	CHECK(kmsg_find(log, 1000, (const char *const[]){ "was reset", "did not stop", NULL }));
	WAIT_FOR(uevent_seen(events, "WEDGED=none"), 5000);

	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, (&(struct drm_ppu_vm_destroy){ .vm_id = vm }));
	WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == avail, 5000);
	vm = vm_new(fd);
	for (unsigned i = 0; i < 2; i++)
		c[i] = chan_new(fd, vm, COPY, 8);
	CHECK(c[0].hw == hw || c[1].hw == hw);
	check_innocent(&by);
}

/* The first of them that is to stop does, or fails with the device that is reset for the second one. */
TEST(killed, "the same when a process is killed that has such channels")
{
	struct bystander by = begin();
	uint64_t avail = get_param(by.fd, DRM_PPU_PARAM_VRAM_AVAIL);
	int ready[2], status;
	pid_t child;
	char byte;

	CHECK(!pipe(ready));
	child = fork();
	if (!child) {
		int fd = open_ppu();

		for (unsigned i = 0; i < 5; i++)
			endless(fd, vm_new(fd));
		CHECK_EQ(write(ready[1], "x", 1), 1);
		pause();
	}
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	kill(child, SIGKILL);
	CHECK_EQ(waitpid(child, &status, 0), child);
	WAIT_FOR(resets(&by) == 1, 60000);
	WAIT_FOR(get_param(by.fd, DRM_PPU_PARAM_VRAM_AVAIL) == avail, 20000);
	check_innocent(&by);
}

TEST(overdue, "a job that is overdue and does not stop: it is guilty, all others are lost")
{
	struct bystander by = begin();
	int fd = open_ppu(), log = kmsg_open();
	struct chan c = endless(fd, vm_new(fd));
	struct drm_ppu_channel_query q = { 0 };
	struct gate job;

	chan_free(&c);
	job = gate_new_timeout(fd, 50);
	CHECK(!wait_sync(fd, job.sync, 60000));
	CHECK_EQ(-fence_error(fd, job.sync), ETIME);
	WAIT_FOR(resets(&by) == 1, 20000);
	CHECK(kmsg_find(log, 20000, (const char *const[]){ "was reset", NULL }));
	q.channel_id = job.channel;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	CHECK(q.state & DRM_PPU_CHANNEL_STATE_TIMEDOUT);
	CHECK(!(q.state & DRM_PPU_CHANNEL_STATE_LOST));
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, (&(struct drm_ppu_channel_destroy){ .channel_id = job.channel }));
	check_innocent(&by);
}

/* The path of a dump's data; false: there is none. */
static bool dump_path(char *path, size_t size)
{
	for (unsigned i = 0; i < 64; i++) {
		snprintf(path, size, DUMPS "/devcd%u/data", i);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

TEST(dump, "of a channel that does not stop there is a dump, from before the reset")
{
	struct bystander by = begin();
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c[2] = { endless(fd, vm), endless(fd, vm) };
	char path[64], *text;

	modparam_set("coredump_interval_ms", 0);
	while (dump_path(path, sizeof(path))) {
		file_write(path, "1");
		WAIT_FOR(access(path, R_OK), 20000);
	}
	chan_free(&c[0]);
	chan_free(&c[1]);
	CHECK(dump_path(path, sizeof(path)));
	text = file_text(path);
	CHECK(text && strstr(text, "does not stop"));
	/* The reset would have cleared it. */
	CHECK(strstr(text, "GP_GET 0 GP_PUT 1 "));
	free(text);
	file_write(path, "1");
	check_innocent(&by);
}

TEST(unplugged, "the device goes while one waits for its reset, and comes back")
{
	struct bystander by = begin();
	int status;
	uint32_t vm = vm_new(by.fd);
	struct chan c[2] = { endless(by.fd, vm), endless(by.fd, vm) };
	pid_t child;

	chan_free(&c[0]);
	child = fork();
	if (!child) {
		sleep_ms(1000);
		pci_unbind();
		_exit(0);
	}
	/* Ends, whoever is first. */
	try_ioctl(by.fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, (&(struct drm_ppu_channel_destroy){ .channel_id = c[1].id }));
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	pci_bind();
	works_in_child();
}

HARNESS_MAIN
