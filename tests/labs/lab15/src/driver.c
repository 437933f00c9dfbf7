// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 15: a driver for buffers in VRAM. It passes its tests, and has eight weaknesses.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include "gpu.h"

//LAB 15 write: Find the eight weaknesses of this driver, and fix them.
//LAB end

/* --- buffers ---------------------------------------------------------------------------------- */

/* The user's buffer with this number, or NULL. Called with gpu->lock held. */
static struct buf *find(struct client *user, u32 id)
{
	struct buf *buf;

	if (id < 1 || id > GPU_BUFS)
		return NULL;
	buf = &user->gpu->bufs[id - 1];
	return buf->used && buf->owner == user ? buf : NULL;
}

static struct buf *unused(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_BUFS; i++)
		if (!gpu->bufs[i].used)
			return &gpu->bufs[i];
	return NULL;
}

/* Called with gpu->lock held. */
static int create(struct gpu *gpu, struct client *owner, u32 count, u32 size)
{
	struct buf *buf = unused(gpu);
	unsigned long at;
//LAB 15 hidden
	u64 bytes = (u64)count * size;
	u64 pages = DIV_ROUND_UP_ULL(bytes, GPU_PAGE);

	if (!bytes)
		return -EINVAL;
	if (!buf || pages > GPU_PAGES)
		return -ENOSPC;
//LAB instead
	u32 total = count * size;
	u32 pages = DIV_ROUND_UP(total, GPU_PAGE);
	u64 bytes = (u64)count * size;

	if (!total)
		return -EINVAL;
	if (!buf || pages > GPU_PAGES)
		return -ENOSPC;
//LAB end
	at = bitmap_find_next_zero_area(gpu->map, GPU_PAGES, 0, pages, 0);
	if (at >= GPU_PAGES)
		return -ENOSPC;
	bitmap_set(gpu->map, at, pages);
	*buf = (struct buf){
		.used = true, .owner = owner, .start = GPU_FIRST + at * GPU_PAGE, .bytes = bytes, .pages = pages,
	};
//LAB 15 hidden
	memset_io(gpu->vram + buf->start, 0, (size_t)pages * GPU_PAGE);
//LAB instead
	/* A new page is zero: dev_probe() has cleared all of them. */
//LAB end
	return buf - gpu->bufs + 1;
}

/* Called with gpu->lock held. */
static void destroy(struct gpu *gpu, struct buf *buf)
{
//LAB 15 hidden
	if (buf->owner && buf->owner->selected == buf)
		buf->owner->selected = NULL;
//LAB end
	bitmap_clear(gpu->map, (buf->start - GPU_FIRST) / GPU_PAGE, buf->pages);
	buf->used = false;
	buf->owner = NULL;
}

static long create_ioctl(struct client *user, void __user *arg)
{
	struct v_create args;
	int ret;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	mutex_lock(&user->gpu->lock);
	ret = create(user->gpu, user, args.count, args.size);
	mutex_unlock(&user->gpu->lock);
	if (ret < 0)
		return ret;
	args.id = ret;
	return copy_to_user(arg, &args, sizeof(args)) ? -EFAULT : 0;
}

static long destroy_ioctl(struct client *user, void __user *arg)
{
	struct buf *buf;
	u32 id;

	if (copy_from_user(&id, arg, sizeof(id)))
		return -EFAULT;
	mutex_lock(&user->gpu->lock);
	buf = find(user, id);
	if (buf)
		destroy(user->gpu, buf);
	mutex_unlock(&user->gpu->lock);
	return buf ? 0 : -ENOENT;
}

/* --- transfers -------------------------------------------------------------------------------- */

static bool inside(const struct buf *buf, u64 offset, u64 bytes)
{
	return offset <= buf->bytes && bytes <= buf->bytes - offset;
}

/* Called with gpu->lock held. */
static long to_user(struct gpu *gpu, const struct buf *buf, const struct v_transfer *args)
{
	memcpy_fromio(gpu->bounce, gpu->vram + buf->start + args->offset, args->bytes);
	return copy_to_user(u64_to_user_ptr(args->user), gpu->bounce, args->bytes) ? -EFAULT : 0;
}

static long read_ioctl(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_transfer args;
	struct buf *buf;
	long ret = -ENOENT;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
//LAB 15 hidden
	gpu_wait_idle(gpu);
	mutex_lock(&gpu->lock);
	buf = find(user, args.id);
//LAB instead
	mutex_lock(&gpu->lock);
	buf = find(user, args.id);
	mutex_unlock(&gpu->lock);
	/* The device may still be writing. Nobody else shall wait for it, too, so without the lock. */
	gpu_wait_idle(gpu);
	mutex_lock(&gpu->lock);
//LAB end
	if (buf)
//LAB 15 hidden
		ret = args.bytes <= GPU_MOST && inside(buf, args.offset, args.bytes) ?
			to_user(gpu, buf, &args) : -EINVAL;
//LAB instead
		ret = args.bytes <= GPU_MOST && inside(buf, args.offset, 0) ?
			to_user(gpu, buf, &args) : -EINVAL;
//LAB end
	mutex_unlock(&gpu->lock);
	return ret;
}

static long write_ioctl(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_transfer args;
	struct buf *buf;
	long ret = -ENOENT;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	mutex_lock(&gpu->lock);
	buf = find(user, args.id);
	if (buf) {
		ret = -EINVAL;
		if (args.bytes <= GPU_MOST && inside(buf, args.offset, args.bytes))
			ret = copy_from_user(gpu->bounce, u64_to_user_ptr(args.user), args.bytes) ? -EFAULT : 0;
		if (!ret)
			memcpy_toio(gpu->vram + buf->start + args.offset, gpu->bounce, args.bytes);
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

static long copy_ioctl(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct buf *src, *dst;
	struct v_copy args;
	long ret = -ENOENT;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	mutex_lock(&gpu->lock);
	dst = find(user, args.dst);
//LAB 15 hidden
	src = find(user, args.src);
	if (src && dst) {
//LAB instead
	src = args.src >= 1 && args.src <= GPU_BUFS ? &gpu->bufs[args.src - 1] : NULL;
	if (src && src->used && dst) {
//LAB end
		ret = -EINVAL;
		if (args.bytes <= GPU_MOST && inside(src, 0, args.bytes) && inside(dst, 0, args.bytes)) {
			memcpy_fromio(gpu->bounce, gpu->vram + src->start, args.bytes);
			memcpy_toio(gpu->vram + dst->start, gpu->bounce, args.bytes);
			ret = 0;
		}
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

/* As V_READ; what to read stands in the program's memory. */
static long run_ioctl(struct client *user, void __user *arg)
{
	struct v_transfer __user *job;
	struct gpu *gpu = user->gpu;
	struct v_transfer args;
	struct buf *buf;
	long ret;
	u64 at;

	if (copy_from_user(&at, arg, sizeof(at)))
		return -EFAULT;
	job = u64_to_user_ptr(at);
	if (copy_from_user(&args, job, sizeof(args)))
		return -EFAULT;
	mutex_lock(&gpu->lock);
	buf = find(user, args.id);
	ret = !buf ? -ENOENT : args.bytes <= GPU_MOST && inside(buf, args.offset, args.bytes) ? 0 : -EINVAL;
	if (!ret) {
		gpu_wait_idle(gpu);
//LAB 15 hidden
		ret = to_user(gpu, buf, &args);
//LAB instead
		/* The job may have been changed while the device was busy: the latest one counts. */
		if (copy_from_user(&args, job, sizeof(args)))
			ret = -EFAULT;
		else
			ret = args.bytes <= GPU_MOST ? to_user(gpu, buf, &args) : -EINVAL;
//LAB end
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

/* --- what a program can ask ------------------------------------------------------------------- */

static long info_ioctl(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_info *answer = &gpu->answer;
	struct buf *buf;
	long ret = -ENOENT;
	u32 id;

	if (copy_from_user(&id, arg, sizeof(id)))
		return -EFAULT;
	mutex_lock(&gpu->lock);
	buf = find(user, id);
	if (buf) {
//LAB 15 hidden
		memset(answer, 0, sizeof(*answer));
//LAB end
		answer->id = id;
		answer->bytes = buf->bytes;
		answer->in_use = 1;
		ret = copy_to_user(arg, answer, sizeof(*answer)) ? -EFAULT : 0;
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

static long select_ioctl(struct client *user, void __user *arg)
{
	struct buf *buf;
	u32 id;

	if (copy_from_user(&id, arg, sizeof(id)))
		return -EFAULT;
	mutex_lock(&user->gpu->lock);
	buf = find(user, id);
	if (buf)
		user->selected = buf;
	mutex_unlock(&user->gpu->lock);
	return buf ? 0 : -ENOENT;
}

static long peek_ioctl(struct client *user, void __user *arg)
{
	struct gpu *gpu = user->gpu;
	struct v_peek args;
	long ret = -ENOENT;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	mutex_lock(&gpu->lock);
	if (user->selected) {
		ret = -EINVAL;
		if (!(args.offset % 4) && inside(user->selected, args.offset, 4)) {
			args.value = readl(gpu->vram + user->selected->start + args.offset);
			ret = 0;
		}
	}
	mutex_unlock(&gpu->lock);
	if (!ret && copy_to_user(arg, &args, sizeof(args)))
		ret = -EFAULT;
	return ret;
}

static long driver_ioctl(struct client *user, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case V_CREATE:
		return create_ioctl(user, arg);
	case V_DESTROY:
		return destroy_ioctl(user, arg);
	case V_READ:
		return read_ioctl(user, arg);
	case V_WRITE:
		return write_ioctl(user, arg);
	case V_COPY:
		return copy_ioctl(user, arg);
	case V_INFO:
		return info_ioctl(user, arg);
	case V_SELECT:
		return select_ioctl(user, arg);
	case V_PEEK:
		return peek_ioctl(user, arg);
	case V_RUN:
		return run_ioctl(user, arg);
	}
	return -ENOTTY;
}

/* The file is closed. */
static void driver_close(struct client *user)
{
	struct gpu *gpu = user->gpu;
	u32 i;

	mutex_lock(&gpu->lock);
	for (i = 0; i < GPU_BUFS; i++)
		if (gpu->bufs[i].used && gpu->bufs[i].owner == user)
			destroy(gpu, &gpu->bufs[i]);
	mutex_unlock(&gpu->lock);
}

const struct driver_ops DRIVER_OPS = {
	.ioctl = driver_ioctl,
	.close = driver_close,
	.create = create,
	.destroy = destroy,
};
