/* SPDX-License-Identifier: MIT */
/* EVENT_REGISTER and EVENT_UNREGISTER. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "harness.h"

static int evfd(void)
{
	int e = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	CHECK(e >= 0);
	return e;
}

/* The count that was signalled within @ms; 0: none. */
static uint64_t count(int e, int ms)
{
	struct pollfd p = { .fd = e, .events = POLLIN };
	uint64_t v = 0;

	if (poll(&p, 1, ms) > 0)
		CHECK(read(e, &v, 8) == 8);
	return v;
}

#define COMES(e)	CHECK_EQ(count(e, PATIENCE(20000)), 1)
#define IS_SILENT(e)	CHECK_EQ(count(e, 30), 0)

static uint32_t reg(int fd, uint32_t type, uint32_t object, uint32_t op, uint64_t value, int e,
		    uint32_t flags)
{
	struct drm_ppu_event_register r = {
		.type = type, .object_id = object, .op = op, .eventfd = e, .value = value,
		.flags = flags,
	};

	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	CHECK(r.event_id);
	return r.event_id;
}

static uint32_t new_sem(int fd, uint32_t bo)
{
	struct drm_ppu_sem_create s = {
		.bo_handle = bo, .flags = bo ? DRM_PPU_SEM_ADOPT : 0,
	};

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	return s.sem_id;
}

TEST(args, "EVENT_REGISTER and _UNREGISTER refuse bad arguments")
{
	int fd = open_ppu(), e = evfd(), file = open("/dev/null", O_RDONLY);
	uint32_t sem = new_sem(fd, 0);
	struct drm_ppu_event_register r;
	struct drm_ppu_event_unregister u;

	r = (struct drm_ppu_event_register){ .type = 5, .eventfd = e, .flags = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	r = (struct drm_ppu_event_register){ .object_id = sem, .eventfd = e, .flags = 3 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	r = (struct drm_ppu_event_register){ .object_id = sem, .eventfd = e };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	r = (struct drm_ppu_event_register){ .object_id = sem, .eventfd = e, .flags = 1, .op = 6 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	r = (struct drm_ppu_event_register){ .object_id = 99, .eventfd = e, .flags = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, ENOENT);
	r = (struct drm_ppu_event_register){ .object_id = sem, .eventfd = -1, .flags = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EBADF);
	r = (struct drm_ppu_event_register){ .object_id = sem, .eventfd = file, .flags = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EBADF);
	r = (struct drm_ppu_event_register){ .type = DRM_PPU_EVENT_VM_FAULT, .object_id = 1,
					     .eventfd = e, .value = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	r = (struct drm_ppu_event_register){ .type = DRM_PPU_EVENT_DEVICE_RESET, .object_id = 1,
					     .eventfd = e };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_REGISTER, (void *)BAD_PTR, EFAULT);
	u = (struct drm_ppu_event_unregister){ .event_id = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_UNREGISTER, &u, ENOENT);
	u.pad = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_UNREGISTER, &u, EINVAL);
}

TEST(sem, "an eventfd is signalled once, by the device or the ioctl, or at once")
{
	int fd = open_ppu(), e = evfd();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	uint32_t sem = new_sem(fd, c.sems.handle);
	struct drm_ppu_sem_signal s = { .sem_id = sem, .value = 20 };
	struct cmds b = chan_block(&c);

	reg(fd, DRM_PPU_EVENT_SEM, sem, DRM_PPU_SEM_OP_GE, 10, e, DRM_PPU_EVENT_ONESHOT);
	IS_SILENT(e);
	cmd_release(&b, chan_sem_va(&c, 0), 9);
	cmd_release(&b, chan_sem_va(&c, 0), 10);
	cmd_release(&b, chan_sem_va(&c, 0), 11);
	chan_submit(&c, &b);
	COMES(e);
	IS_SILENT(e);
	reg(fd, DRM_PPU_EVENT_SEM, sem, DRM_PPU_SEM_OP_EQ, 20, e, DRM_PPU_EVENT_ONESHOT);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s);
	COMES(e);
	reg(fd, DRM_PPU_EVENT_SEM, sem, DRM_PPU_SEM_OP_EQ, 20, e, DRM_PPU_EVENT_ONESHOT);
	COMES(e);
}

TEST(unregister, "an unregistered event is silent")
{
	int fd = open_ppu(), e = evfd();
	uint32_t sem = new_sem(fd, 0);
	struct drm_ppu_event_unregister u = {
		reg(fd, DRM_PPU_EVENT_SEM, sem, DRM_PPU_SEM_OP_EQ, 1, e, DRM_PPU_EVENT_ONESHOT), 0,
	};
	struct drm_ppu_sem_signal s = { .sem_id = sem, .value = 1 };

	DO(fd, DRM_IOCTL_PPU_EVENT_UNREGISTER, &u);
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_UNREGISTER, &u, ENOENT);
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &s);
	IS_SILENT(e);
}

TEST(channel_error, "channel error and VM fault events; a late registration fires at once")
{
	int fd = open_ppu(), err = evfd(), fault = evfd(), late = evfd();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);

	reg(fd, DRM_PPU_EVENT_CHANNEL_ERROR, c.id, 0, 0, err, DRM_PPU_EVENT_ONESHOT);
	reg(fd, DRM_PPU_EVENT_VM_FAULT, c.vm, 0, 0, fault, 0);
	IS_SILENT(err);
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 1;
	COMES(err);
	COMES(fault);
	reg(fd, DRM_PPU_EVENT_CHANNEL_ERROR, c.id, 0, 0, late, DRM_PPU_EVENT_ONESHOT);
	COMES(late);
	chan_free(&c);
}

TEST(intr, "the INTR command signals, each time or once")
{
	int fd = open_ppu(), all = evfd(), once = evfd();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);

	reg(fd, DRM_PPU_EVENT_CHANNEL_INTR, c.id, 0, 0, all, 0);
	reg(fd, DRM_PPU_EVENT_CHANNEL_INTR, c.id, 0, 0, once, DRM_PPU_EVENT_ONESHOT);
	for (unsigned i = 0; i < 3; i++) {
		struct cmds b = chan_block(&c);

		cmd_intr(&b, i);
		chan_submit(&c, &b);
		COMES(all);
		if (i == 0)
			COMES(once);
		else
			IS_SILENT(once);
	}
}

TEST(limit, "the number of events of a file is limited")
{
	int fd = open_ppu(), e = evfd(), n = 0, err = 0;

	for (; n < 1000000 && !err; n++) {
		struct drm_ppu_event_register r = {
			.type = DRM_PPU_EVENT_DEVICE_RESET, .eventfd = e,
		};

		err = try_ioctl(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	}
	CHECK_EQ(err, ENOSPC);
}

TEST(closed, "events die with their file, and with their object")
{
	int fd = open_ppu(), e = evfd();
	struct chan c = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);
	struct drm_ppu_event_unregister u = {
		reg(fd, DRM_PPU_EVENT_CHANNEL_ERROR, c.id, 0, 0, e, DRM_PPU_EVENT_ONESHOT), 0,
	};

	chan_free(&c);
	DO_ERR(fd, DRM_IOCTL_PPU_EVENT_UNREGISTER, &u, ENOENT);
	reg(fd, DRM_PPU_EVENT_DEVICE_RESET, 0, 0, 0, e, 0);
	close(fd);
	CHECK(fcntl(e, F_GETFD) >= 0);
}

/* ---- an object that is destroyed while an event is registered for it ---- */

static struct {
	int fd, eventfd;
	uint32_t type, object;
	atomic_bool stop;
} racer;

static void *register_all_the_time(void *arg)
{
	while (!racer.stop) {
		struct drm_ppu_event_register r = {
			.type = racer.type, .object_id = racer.object, .eventfd = racer.eventfd,
			.flags = DRM_PPU_EVENT_ONESHOT,
		};
		int err;

		if (racer.type == DRM_PPU_EVENT_SEM)
			r.value = ~0ull;
		err = try_ioctl(racer.fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
		CHECK(!err || err == ENOENT || err == ENOSPC);
	}
	return arg;
}

static uint64_t events_used(int fd)
{
	struct drm_ppu_limit l[DRM_PPU_RES_ENTRIES + 1];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(l), .ptr = (uintptr_t)l,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return l[DRM_PPU_RES_EVENTS].used;
}

static uint32_t make_object(int fd, uint32_t type, uint32_t vm)
{
	struct drm_ppu_channel_create c = {
		.vm_id = vm, .type = DRM_PPU_CHANNEL_COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};

	if (type == DRM_PPU_EVENT_SEM)
		return new_sem(fd, 0);
	if (type == DRM_PPU_EVENT_VM_FAULT)
		return vm_new(fd);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &c);
	return c.channel_id;
}

static void destroy_object(int fd, uint32_t type, uint32_t id)
{
	if (type == DRM_PPU_EVENT_SEM)
		DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &(struct drm_ppu_sem_destroy){ .sem_id = id });
	else if (type == DRM_PPU_EVENT_VM_FAULT)
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &(struct drm_ppu_vm_destroy){ .vm_id = id });
	else
		DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &(struct drm_ppu_channel_destroy){ .channel_id = id });
}

TEST(orphans, "an object that is destroyed while events are registered for it leaves none behind")
{
	static const uint32_t types[] = {
		DRM_PPU_EVENT_SEM, DRM_PPU_EVENT_VM_FAULT, DRM_PPU_EVENT_CHANNEL_ERROR,
	};
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);

	racer.fd = fd;
	racer.eventfd = evfd();
	for (unsigned i = 0; i < 150; i++) {
		uint32_t type = types[i % 3];
		pthread_t t;

		racer.type = type;
		racer.object = make_object(fd, type, vm);
		racer.stop = false;
		CHECK(!pthread_create(&t, NULL, register_all_the_time, NULL));
		usleep(i * 8);
		destroy_object(fd, type, racer.object);
		racer.stop = true;
		pthread_join(t, NULL);
		CHECK_EQ(events_used(fd), 0);
	}
}

HARNESS_MAIN
