/* SPDX-License-Identifier: MIT */
/*
 * The device core's port for work beside it: the translation of a program, one at a time, each in a thread of its own.
 * (The same in QEMU is qemu-device/ppu_background.c.)
 */
#include "common/clock.h"
#include "common/thread.h"
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

	dev->background.fn = fn;
	dev->background.arg = arg;
	return !ppu_thread_start(&dev->background.thread, thread, dev);
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
