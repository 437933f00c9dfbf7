/* SPDX-License-Identifier: MIT */
/*
 * An error of the bus from which the kernel does not recover: another function below the port has no driver that agrees.
 * Kernels before 6.18 tell nobody.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "errors.h"

struct waiter {
	int fd, err;
	uint32_t sem;
	atomic_int tid;
};

/* Waits for a semaphore that nobody signals. */
static void *wait_sem(void *arg)
{
	struct waiter *w = arg;
	struct drm_ppu_sem_cond c = { .sem_id = w->sem, .value = 1 };
	struct drm_ppu_sem_wait wait = { .conds = DRM_PPU_ARRAY(1, &c), .timeout_ns = INT64_MAX };

	w->tid = gettid();
	w->err = try_ioctl(w->fd, DRM_IOCTL_PPU_SEM_WAIT, &wait);
	return NULL;
}

/* Wants VRAM zeroed, of a device that does not answer. */
static void *want_vram(void *arg)
{
	struct waiter *w = arg;
	struct drm_ppu_gem_create c = { .size = MIB, .placement = DRM_PPU_PLACEMENT_VRAM };

	w->tid = gettid();
	w->err = try_ioctl(w->fd, DRM_IOCTL_PPU_GEM_CREATE, &c);
	return NULL;
}

static pthread_t start(void *(*fn)(void *), struct waiter *w)
{
	pthread_t t;

	CHECK(!pthread_create(&t, NULL, fn, w));
	WAIT_FOR(w->tid, 20000);
	wait_asleep(w->tid);
	return t;
}

static void lost(unsigned timeout_ms)
{
	struct errors e = begin();
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_event_register r = { .type = DRM_PPU_EVENT_DEVICE_RESET };
	struct waiter sem = { .fd = e.w.fd }, vram = { .fd = e.w.fd };
	int uevents = uevent_open(), event = r.eventfd = eventfd(0, EFD_NONBLOCK);
	struct pollfd p = { .fd = event, .events = POLLIN };
	pthread_t t[2];

	modparam_set("bus_error_timeout_ms", timeout_ms);
	DO(e.w.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	DO(e.w.fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	sem.sem = s.sem_id;
	t[0] = start(wait_sem, &sem);
	inject("DLP");
	/* Work ends with the error itself; what is not bound to the device waits for it. */
	CHECK(!wait_sync(e.w.fd, e.job.sync, 20000));
	CHECK_EQ(-fence_error(e.w.fd, e.job.sync), EIO);
	CHECK(kmsg_find(e.log, 20000, (const char *const[]){ "device recovery failed", NULL }));
	t[1] = start(want_vram, &vram);

	CHECK(kmsg_find(e.log, 20000, (const char *const[]){ "the device is lost", NULL }));
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	CHECK_EQ(sem.err, ENODEV);
	CHECK_EQ(vram.err, ENODEV);
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
	WAIT_FOR(uevent_seen(uevents, "WEDGED=bus-reset"), 5000);
	DO_ERR(e.w.fd, DRM_IOCTL_PPU_GEM_CREATE, (&(struct drm_ppu_gem_create){ .size = 4096 }), ENODEV);

	/* Who repairs the bus removes the function, and looks again. */
	pci_write("remove");
	file_write("/sys/bus/pci/rescan", "1");
	WAIT_FOR(pci_have_node(), 20000);
	works_in_child();
	close(e.w.fd);
	works_in_child();
}

TEST(lost, "no reset after a fatal error: the device is gone, all who wait return, a new scan of the bus finds it again")
{
	lost(3000);
}

TEST(again, "the same once more")
{
	lost(3000);
}

HARNESS_MAIN
