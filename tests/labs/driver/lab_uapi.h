/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * What programs see of the lab driver. In every structure, reserved and pad words must be 0;
 * otherwise the call fails with -EINVAL.
 */
#ifndef LAB_UAPI_H
#define LAB_UAPI_H

#include <linux/types.h>
#include <linux/ioctl.h>
//LAB 4 given
#ifdef __KERNEL__
#include <drm/drm.h>
#else
#include <drm.h>	/* libdrm's */
#endif
//LAB end

/* SCRATCH holds this value while the driver has the device, and 0 when the driver has let go of it. */
#define LAB_SCRATCH_READY	0x4c414221	/* "!BAL" */
//LAB 2 given

/* --- /dev/lab, labs 2 and 3 --------------------------------------------------------------- */

struct lab_stats {
	__u64 messages[4];	/* interrupt messages of each vector */
	__u64 causes[7];	/* events handled, by bit of INTR_STATUS */
	__u64 channel_events;	/* bits found in CHINTR_PENDING */
	__u64 spurious;		/* messages with nothing to do */
	__u64 recovered;	/* events that the timer found and that had no message */
};

#define LAB_IOC_STATS		_IOR('L', 0, struct lab_stats)
/* Mask (1) or unmask (0) all causes: while masked the device sends nothing. */
#define LAB_IOC_MASK		_IOW('L', 1, __u32)
//LAB end
//LAB 3 given

struct lab_dma {
	__u64 user;		/* address in the calling process, any alignment */
	__u64 vram;		/* offset in the window of LAB_DMA_BYTES, any alignment */
	__u64 bytes;
	__u32 to_vram;		/* 1: user -> VRAM, 0: VRAM -> user */
	__u32 pad;
};

/* Where all of VRAM lies in the address space of the kernel's context. */
#define LAB_VA_VRAM		0x0000000100000000ull
#define LAB_DMA_BYTES		(4u << 20)
#define LAB_IOC_DMA		_IOW('L', 2, struct lab_dma)
//LAB end
//LAB 4 given

/* --- the DRM device, from lab 4 ------------------------------------------------------------ */

struct lab_gem_create {
	__u64 size;		/* in: bytes; out: the same, rounded up to pages */
	__u32 handle;		/* out */
	__u32 flags;		/* 0 */
};

struct lab_gem_mmap {
	__u32 handle;
	__u32 pad;
	__u64 offset;		/* out: for mmap() of the DRM file */
};

/* Copy inside VRAM by the copy engine; done when the ioctl returns. */
struct lab_gem_copy {
	__u32 src, dst;		/* handles */
	__u64 src_offset, dst_offset, bytes;
};
//LAB end
//LAB 5 given

struct lab_chan_create {
	__u32 class;		/* PPU_CLASS_COMPUTE or PPU_CLASS_COPY */
	__u32 entries;		/* of the channel's ring, 3..65536 */
	__u32 priority;		/* lab 8: copy priority 0 (lowest) .. LAB_COPY_PRIORITIES - 1; other labs: 0 */
	__u32 timeslice_us;	/* lab 8: 0 is the device's default; other labs: 0 */
	__u32 id;		/* out: 1.. */
	__u32 pad;
};

struct lab_chan_destroy {
	__u32 id;
	__u32 pad;
};

/* Run the commands in a buffer. Does not wait for them; -EAGAIN if the ring has no room. */
struct lab_submit {
	__u32 chan;
	__u32 handle;		/* buffer with the commands; from lab 7 on the buffer must be bound (-EFAULT) */
	__u64 offset;		/* of the commands in the buffer, multiple of 4 */
	__u32 words;
	__u32 flags;		/* 0 */
	__u32 in_syncobj;	/* lab 6: the commands wait for this first; 0: for nothing */
	__u32 out_syncobj;	/* lab 6: this gets the fence of the submission; 0: none */
	__u64 seqno;		/* out: 1, 2, ... in each channel */
};

/* Wait until submission `seqno` is complete. -ETIME: not in time; -EIO: the channel has failed. */
struct lab_chan_wait {
	__u32 chan;
	__u32 pad;
	__u64 seqno;
	__s64 timeout_ns;	/* relative; 0: only look */
};
//LAB end
//LAB 7 given

#define LAB_VM_READONLY		(1u << 0)
#define LAB_VM_UNMAP		(1u << 1)	/* handle, offset must be 0 */

/* Map a piece of a buffer at an address of this file's GPU address space, or unmap. */
struct lab_vm_bind {
	__u32 handle;
	__u32 flags;
	__u64 va, offset, bytes;	/* multiples of 4096 */
};

/* The oldest unread fault of this file; -ENOENT: none. */
struct lab_vm_fault {
	__u32 code;		/* out: PPU_ERR_* / fault code */
	__u32 chan;		/* out: channel id of this file */
	__u64 va;		/* out */
};
//LAB end
//LAB 8 given

#define LAB_COPY_PRIORITIES	3
/* Module parameter hang_ms: a channel that makes no progress for this long is recovered. */
//LAB end
//LAB 11 given

/* Where a buffer is (handle 0: no buffer), and what has moved since the driver took the device. */
struct lab_place_info {
	__u32 handle;
	__u32 in_vram;			/* out: 1; 0: in system memory */
	__u64 vram_bytes, sys_bytes;	/* out: of all buffers there */
	__u64 evictions, restores;	/* out: buffers that were moved to system memory, and back */
};

/* Module parameter sys_mb: at most so much system memory for buffers. evict_ms: how long to wait for busy ones. */
//LAB end
//LAB 12 given

/* What resets of the device did to this file. */
struct lab_reset_info {
	__u32 resets;		/* out: resets since the file was opened */
	__u32 pad;
	__u64 lost;		/* out: submissions of this file that ended in them */
};
//LAB end
//LAB 4 given

/*
 * Labs 4 to 6: a buffer lies at LAB_VA_VRAM + its place in VRAM for everybody, and this ioctl tells the
 * address. In lab 7 each file gets an address space of its own.
 */
struct lab_gem_va {
	__u32 handle;
	__u32 pad;
	__u64 va;		/* out; from lab 7 on: -EINVAL, use VM_BIND */
};

#define DRM_IOCTL_LAB_GEM_CREATE	DRM_IOWR(DRM_COMMAND_BASE + 0, struct lab_gem_create)
#define DRM_IOCTL_LAB_GEM_MMAP		DRM_IOWR(DRM_COMMAND_BASE + 1, struct lab_gem_mmap)
#define DRM_IOCTL_LAB_GEM_COPY		DRM_IOW(DRM_COMMAND_BASE + 2, struct lab_gem_copy)
#define DRM_IOCTL_LAB_GEM_VA		DRM_IOWR(DRM_COMMAND_BASE + 3, struct lab_gem_va)
//LAB end
//LAB 5 given
#define DRM_IOCTL_LAB_CHAN_CREATE	DRM_IOWR(DRM_COMMAND_BASE + 4, struct lab_chan_create)
#define DRM_IOCTL_LAB_CHAN_DESTROY	DRM_IOW(DRM_COMMAND_BASE + 5, struct lab_chan_destroy)
#define DRM_IOCTL_LAB_SUBMIT		DRM_IOWR(DRM_COMMAND_BASE + 6, struct lab_submit)
#define DRM_IOCTL_LAB_CHAN_WAIT		DRM_IOW(DRM_COMMAND_BASE + 7, struct lab_chan_wait)
//LAB end
//LAB 7 given
#define DRM_IOCTL_LAB_VM_BIND		DRM_IOW(DRM_COMMAND_BASE + 8, struct lab_vm_bind)
#define DRM_IOCTL_LAB_VM_FAULT		DRM_IOR(DRM_COMMAND_BASE + 9, struct lab_vm_fault)
//LAB end
//LAB 12 given
#define DRM_IOCTL_LAB_RESET_INFO	DRM_IOWR(DRM_COMMAND_BASE + 11, struct lab_reset_info)
//LAB end
//LAB 11 given
#define DRM_IOCTL_LAB_PLACE_INFO	DRM_IOWR(DRM_COMMAND_BASE + 10, struct lab_place_info)
//LAB end

#endif
