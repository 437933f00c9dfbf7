/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * Lab 15: what programs see of the driver. /dev/lab15 is open to everybody.
 *
 * A buffer belongs to the open file that made it. Its number is small and is used again after its end. The kernel has
 * buffers, too. No program may see or change what is in a buffer of somebody else, or was in one.
 */
#ifndef LAB15_H
#define LAB15_H

#include <linux/types.h>
#include <linux/ioctl.h>

/* `count` elements of `size` bytes, rounded up to pages; a new buffer is zero. -EINVAL: 0 bytes; -ENOSPC. */
struct v_create {
	__u32 count, size;
	__u32 id;		/* out */
};

/* Between a buffer and the program's memory at `user`. -EINVAL: not inside the buffer; -ENOENT: no such buffer. */
struct v_transfer {
	__u32 id;
	__u32 bytes;		/* at most 65536 */
	__u64 offset;
	__u64 user;
};

/* From the beginning of one buffer to the beginning of another. */
struct v_copy {
	__u32 src, dst;
	__u32 bytes;
};

struct v_info {
	__u32 id;		/* in */
	/* The compiler leaves a gap here, */
	__u64 bytes;		/* out */
	__u8 in_use;		/* out: 1 */
	/* and here. */
};

/* A word of the buffer that was selected last. */
struct v_peek {
	__u64 offset;		/* in bytes, multiple of 4 */
	__u32 value;		/* out */
};

#define V_CREATE	_IOWR('V', 0, struct v_create)
#define V_DESTROY	_IOW('V', 1, __u32)
#define V_READ		_IOW('V', 2, struct v_transfer)
#define V_WRITE		_IOW('V', 3, struct v_transfer)
#define V_COPY		_IOW('V', 4, struct v_copy)
#define V_INFO		_IOWR('V', 5, struct v_info)
#define V_SELECT	_IOW('V', 6, __u32)
#define V_PEEK		_IOWR('V', 7, struct v_peek)
/* As V_READ, but the argument is the address of a struct v_transfer that the driver reads when the device is idle. */
#define V_RUN		_IOW('V', 8, __u64)

/* --- the game: device.c --------------------------------------------------------------------- */

/*
 * The kernel begins to use the device for weakness n (1 .. 8), in the way that the lab's page tells. It has a
 * secret of 32 bits for each n, other ones at each start.
 */
#define V_SERVICE	_IOW('V', 20, __u32)

/* "This is the secret of n." -EACCES: no. After 64 wrong ones all are wrong. */
struct v_claim {
	__u32 n;
	__u32 secret;
};

#define V_CLAIM		_IOW('V', 21, struct v_claim)

/* For the grader: bit n is set when secret n was claimed. */
#define V_STATUS	_IOR('V', 22, __u32)

/* For the grader, and for root: only weakness n is open from now on; 0: all are. */
#define V_ONLY		_IOW('V', 23, __u32)

#define V_WEAKNESSES	8

#endif
