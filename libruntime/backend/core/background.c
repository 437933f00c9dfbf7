/* SPDX-License-Identifier: MIT */
/*
 * The device core's port for work beside it: the translation of a program, one at a time, each in a thread of its own.
 * (The same in QEMU is qemu-device/ppu_background.c.)
 */
#include <signal.h>

#include "common/clock.h"
#include "core.h"

static void *thread(void *arg)
{
	struct be_dev *dev = arg;

	dev->background.fn(dev->background.arg);
	return NULL;
}

static bool start(void *opaque, void (*fn)(void *arg), void *arg)
{
	struct be_dev *dev = opaque;
	sigset_t all, old;
	int rc;

	dev->background.fn = fn;
	dev->background.arg = arg;
	/* The program's signals are for threads that it knows. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&dev->background.thread, NULL, thread, dev);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !rc;
}

static void end(void *opaque)
{
	struct be_dev *dev = opaque;

	pthread_join(dev->background.thread, NULL);
}

static uint64_t host_ns(void *opaque)
{
	return ppu_be_now();
}

void ppu_bc_background(struct ppu_ports *ports)
{
	ports->start_background = start;
	ports->end_background = end;
	ports->host_ns = host_ns;
}
