// SPDX-License-Identifier: MIT
/* The lab driver's DRM device. See labdrm.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lablib.h"
#include "labdrm.h"
#include "lab_uapi.h"

static int call(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, cmd, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* There is no udev: devtmpfs makes the nodes, numbered in the order in which they appear. */
const char *ld_path(void)
{
	static char path[64];
	char name[64];

	for (int i = 128; i < 192; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(name, 0, sizeof(name));
		if (!call(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, "lab")) {
			close(fd);
			return path;
		}
		close(fd);
	}
	lab_fatal("no DRM render node of a driver called \"lab\" can be opened");
}

int ld_open(void)
{
	int fd = open(ld_path(), O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ld_must_open(void)
{
	int fd = ld_open();

	if (fd < 0)
		lab_fatal("the DRM device cannot be opened: %s", strerror(-fd));
	return fd;
}

int ld_bo(int fd, uint64_t size, uint32_t *handle)
{
	struct lab_gem_create args = { .size = size };
	int ret = call(fd, DRM_IOCTL_LAB_GEM_CREATE, &args);

	*handle = ret ? 0 : args.handle;
	return ret;
}

int ld_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int ld_mmap_offset(int fd, uint32_t handle, uint64_t *offset)
{
	struct lab_gem_mmap args = { .handle = handle };
	int ret = call(fd, DRM_IOCTL_LAB_GEM_MMAP, &args);

	*offset = args.offset;
	return ret;
}

void *ld_map(int fd, uint32_t handle, size_t bytes)
{
	uint64_t offset;
	void *p;

	if (ld_mmap_offset(fd, handle, &offset))
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	return p == MAP_FAILED ? NULL : p;
}

int ld_va(int fd, uint32_t handle, uint64_t *va)
{
	struct lab_gem_va args = { .handle = handle };
	int ret = call(fd, DRM_IOCTL_LAB_GEM_VA, &args);

	*va = args.va;
	return ret;
}

int ld_copy(int fd, uint32_t src, uint64_t src_at, uint32_t dst, uint64_t dst_at, uint64_t bytes)
{
	struct lab_gem_copy args = {
		.src = src, .dst = dst, .src_offset = src_at, .dst_offset = dst_at, .bytes = bytes,
	};

	return call(fd, DRM_IOCTL_LAB_GEM_COPY, &args);
}

#ifdef DRM_IOCTL_LAB_CHAN_CREATE	/* from lab 5 on */
int ld_chan_with(int fd, uint32_t class, uint32_t entries, uint32_t priority, uint32_t slice_us, uint32_t *id)
{
	struct lab_chan_create args = {
		.class = class, .entries = entries, .priority = priority, .timeslice_us = slice_us,
	};
	int ret = call(fd, DRM_IOCTL_LAB_CHAN_CREATE, &args);

	*id = ret ? 0 : args.id;
	return ret;
}

int ld_chan(int fd, uint32_t class, uint32_t entries, uint32_t *id)
{
	return ld_chan_with(fd, class, entries, 0, 0, id);
}

int ld_chan_close(int fd, uint32_t id)
{
	struct lab_chan_destroy args = { .id = id };

	return call(fd, DRM_IOCTL_LAB_CHAN_DESTROY, &args);
}

int ld_submit_sync(int fd, uint32_t chan, uint32_t handle, uint64_t offset, uint32_t words,
		   uint32_t in_syncobj, uint32_t out_syncobj, uint64_t *seqno)
{
	struct lab_submit args = {
		.chan = chan, .handle = handle, .offset = offset, .words = words,
		.in_syncobj = in_syncobj, .out_syncobj = out_syncobj,
	};
	int ret = call(fd, DRM_IOCTL_LAB_SUBMIT, &args);

	if (seqno)
		*seqno = args.seqno;
	return ret;
}

int ld_submit(int fd, uint32_t chan, uint32_t handle, uint64_t offset, uint32_t words, uint64_t *seqno)
{
	return ld_submit_sync(fd, chan, handle, offset, words, 0, 0, seqno);
}

int ld_wait(int fd, uint32_t chan, uint64_t seqno, int64_t timeout_ns)
{
	struct lab_chan_wait args = { .chan = chan, .seqno = seqno, .timeout_ns = timeout_ns };

	return call(fd, DRM_IOCTL_LAB_CHAN_WAIT, &args);
}

#endif
#ifdef DRM_IOCTL_LAB_VM_BIND		/* from lab 7 on */
int ld_bind(int fd, uint32_t handle, uint64_t va, uint64_t offset, uint64_t bytes, uint32_t flags)
{
	struct lab_vm_bind args = {
		.handle = handle, .flags = flags, .va = va, .offset = offset, .bytes = bytes,
	};

	return call(fd, DRM_IOCTL_LAB_VM_BIND, &args);
}

int ld_unbind(int fd, uint64_t va, uint64_t bytes)
{
	return ld_bind(fd, 0, va, 0, bytes, LAB_VM_UNMAP);
}

int ld_fault(int fd, uint32_t *code, uint32_t *chan, uint64_t *va)
{
	struct lab_vm_fault args = { 0 };
	int ret = call(fd, DRM_IOCTL_LAB_VM_FAULT, &args);

	*code = args.code;
	*chan = args.chan;
	*va = args.va;
	return ret;
}

#endif
/* --- commands ---------------------------------------------------------------------------------- */

void ld_word(struct ld_block *b, uint32_t word)
{
	b->words[b->used++] = word;
}

static void word64(struct ld_block *b, uint64_t value)
{
	ld_word(b, (uint32_t)value);
	ld_word(b, (uint32_t)(value >> 32));
}

void ld_acquire(struct ld_block *b, uint64_t va, uint64_t value, unsigned int op)
{
	ld_word(b, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(op)));
	word64(b, va);
	word64(b, value);
}

void ld_release(struct ld_block *b, uint64_t va, uint64_t value)
{
	ld_word(b, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0));
	word64(b, va);
	word64(b, value);
}

void ld_copy_cmd(struct ld_block *b, uint64_t src, uint64_t dst, uint64_t bytes)
{
	ld_word(b, PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0));
	word64(b, src);
	word64(b, dst);
	word64(b, bytes);
}

void ld_fill_cmd(struct ld_block *b, uint64_t dst, uint32_t value, uint64_t count)
{
	ld_word(b, PPU_CMD_HDR(PPU_CMD_FILL, PPU_CMD_SIZE_FILL, PPU_CMDF_FILL_SIZE(2)));
	word64(b, dst);
	word64(b, value);
	word64(b, count);
}
