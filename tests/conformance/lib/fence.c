/* SPDX-License-Identifier: MIT */
#include "fence.h"

#define VA 0x10000000ull

uint32_t syncobj(int fd)
{
	uint32_t h;

	CHECK(!drmSyncobjCreate(fd, 0, &h));
	return h;
}

int wait_sync(int fd, uint32_t h, unsigned ms)
{
	return drmSyncobjWait(fd, &h, 1, (int64_t)(now_ns() + ms * MS * time_scale()), 0, NULL);
}

/* Returns 0 if the fence signalled without error, else the (negative) error of the fence. */
int fence_error(int fd, uint32_t h)
{
	struct {
		char name[32];
		int32_t status;
		uint32_t flags, num_fences, pad;
		uint64_t fences;
	} info = { .status = 0 };
	int file;

	CHECK(!drmSyncobjExportSyncFile(fd, h, &file));
	CHECK(!ioctl(file, _IOWR('>', 4, info), &info));
	close(file);
	return info.status == 1 ? 0 : info.status;
}

static struct gate make(int fd, uint64_t point, uint32_t timeout_ms)
{
	struct drm_ppu_group_create g = { .flags = DRM_PPU_GROUP_START_DISABLED };
	struct drm_ppu_channel_create k = {
		.vm_id = vm_new(fd), .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
		.timeout_ms = timeout_ms,
	};
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = bo.map, .max = 16, .va = VA };
	struct drm_ppu_sync s = {
		.flags = DRM_PPU_SYNC_SIGNAL | (point ? DRM_PPU_SYNC_TIMELINE : 0), .point = point,
	};
	struct drm_ppu_entry e;
	struct drm_ppu_submit sub;
	struct gate gate = { .fd = fd, .code = bo };

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	k.group_id = gate.group = g.group_id;
	vm_map(fd, k.vm_id, &bo, VA);
	cmd_nop(&b, 1);
	e = (struct drm_ppu_entry){ .va = VA, .length = b.n };
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	s.handle = gate.sync = syncobj(fd);
	sub = (struct drm_ppu_submit){
		.channel_id = gate.channel = k.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		.syncs = DRM_PPU_ARRAY(1, &s),
	};
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	return gate;
}

struct gate gate_new(int fd, uint64_t point)
{
	return make(fd, point, 600000);
}

struct gate gate_new_timeout(int fd, uint32_t timeout_ms)
{
	return make(fd, 0, timeout_ms);
}

void gate_open(struct gate *gate)
{
	struct drm_ppu_group_control c = { .group_id = gate->group, .op = DRM_PPU_GROUP_ENABLE };

	DO(gate->fd, DRM_IOCTL_PPU_GROUP_CONTROL, &c);
}
