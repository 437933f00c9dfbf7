/* SPDX-License-Identifier: GPL-2.0-only */
/* Lab 15: what driver.c and device.c share. */
#ifndef GPU_H
#define GPU_H

#include <linux/bitmap.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include "lab15.h"

#define GPU_PAGE	4096u
#define GPU_PAGES	1024u		/* that buffers can have, from GPU_FIRST on */
#define GPU_FIRST	0x100000u	/* VRAM offset */
#define GPU_BUFS	64u
#define GPU_MOST	65536u		/* bytes of one transfer */

/* An open file; NULL is the kernel. */
struct client {
	struct gpu *gpu;
	struct buf *selected;
};

struct buf {
	bool used;
	struct client *owner;
	u64 start, bytes;		/* VRAM offset; what its owner may use */
	u32 pages;			/* that it has */
};

struct gpu {
	void __iomem *regs, *vram;
	struct mutex lock;		/* protects bufs, map, answer, and what users have selected */
	struct buf bufs[GPU_BUFS];	/* number id is bufs[id - 1] */
	DECLARE_BITMAP(map, GPU_PAGES);	/* pages in use */
	struct v_info answer;		/* made here before it is copied to the program */
	u8 bounce[GPU_MOST];		/* between VRAM and programs */
};

/* A driver; NAME_ops in pristine.c and in driver.c. create() and destroy() are called with gpu->lock held. */
struct driver_ops {
	long (*ioctl)(struct client *user, unsigned int cmd, void __user *arg);
	void (*close)(struct client *user);
	int (*create)(struct gpu *gpu, struct client *owner, u32 count, u32 size);	/* the number, or -errno */
	void (*destroy)(struct gpu *gpu, struct buf *buf);
};

extern const struct driver_ops driver_ops, pristine_ops;

/* only.c: a call of the driver while only weakness `only` is open; 0: all are. */
long only_ioctl(struct client *user, const struct driver_ops *ops, unsigned int cmd, void __user *arg, u32 only);

/* device.c: returns when the device has nothing to do; sleeps about 2 ms. */
void gpu_wait_idle(struct gpu *gpu);

#endif
