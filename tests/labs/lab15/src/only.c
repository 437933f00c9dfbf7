// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 15: while exploit n is judged, only weakness n is open, so that one exploit does not get eight secrets. You need
 * not change this file; the grader uses its own copy.
 *
 * This is no model for a fix: it takes calls away, and it looks at arguments that the program can still change.
 */
#include <asm/alternative.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>
#include "gpu.h"

/* For sections.c: how large an entry of .altinstructions is. Not in the module. */
static const char alternative[sizeof(struct alt_instr)] __used __section(".discard.alternative");

/* Held for writing while a buffer ends, so that nothing else is under way then (weakness 8). */
static DECLARE_RWSEM(ends);

/* Does an exploit of this weakness need the call? */
static bool needed(unsigned int cmd, u32 only)
{
	switch (cmd) {
	case V_COPY:
		return only == 3 || only == 4;
	case V_RUN:
		return only == 5;
	case V_INFO:
		return only == 6;
	case V_SELECT:
	case V_PEEK:
		return only == 3 || only == 7;
	}
	return true;
}

static int look_at_create(void __user *arg)
{
	struct v_create args;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	return (u64)args.count * args.size > (u64)GPU_PAGES * GPU_PAGE ? -ENOSPC : 0;
}

static int look_at_read(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_transfer args;
	int ret = 0;
	u64 bytes;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (args.id < 1 || args.id > GPU_BUFS)
		return 0;
	mutex_lock(&gpu->lock);
	bytes = gpu->bufs[args.id - 1].bytes;
	if (args.offset > bytes || args.bytes > bytes - args.offset)
		ret = -EINVAL;
	mutex_unlock(&gpu->lock);
	return ret;
}

static int look_at_copy(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_copy args;
	int ret = 0;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (args.src < 1 || args.src > GPU_BUFS)
		return 0;
	mutex_lock(&gpu->lock);
	if (gpu->bufs[args.src - 1].owner != user)
		ret = -ENOENT;
	mutex_unlock(&gpu->lock);
	return ret;
}

static int look(struct client *user, unsigned int cmd, void __user *arg, u32 only)
{
	if (!needed(cmd, only))
		return -EPERM;
	if (cmd == V_CREATE && only != 3)
		return look_at_create(arg);
	if (cmd == V_READ && only != 2)
		return look_at_read(user, arg);
	if (cmd == V_COPY && only != 4)
		return look_at_copy(user, arg);
	return 0;
}

static long end_of_buffer(struct client *user, const struct driver_ops *ops, void __user *arg, u32 only)
{
	long ret;

	down_write(&ends);
	if (only != 7) {
		mutex_lock(&user->gpu->lock);
		user->selected = NULL;
		mutex_unlock(&user->gpu->lock);
	}
	ret = ops->ioctl(user, V_DESTROY, arg);
	up_write(&ends);
	return ret;
}

long only_ioctl(struct client *user, const struct driver_ops *ops, unsigned int cmd, void __user *arg, u32 only)
{
	long ret;

	if (!only)
		return ops->ioctl(user, cmd, arg);
	if (cmd == V_DESTROY && only != 8)
		return end_of_buffer(user, ops, arg, only);
	down_read(&ends);
	ret = look(user, cmd, arg, only);
	if (!ret)
		ret = ops->ioctl(user, cmd, arg);
	up_read(&ends);
	return ret;
}
