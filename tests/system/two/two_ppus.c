/* SPDX-License-Identifier: MIT */
/*
 * HW-2: two PPUs in one machine.  Run by tests/system/host_two_ppus.sh, in a
 * machine that has two, with 6 and 2 SMs.
 */
#include "harness.h"

#define JOB_BYTES (8u << 20)

struct half {
	int fd;
	struct chan c;
	uint32_t in, out;	/* handles of the shared objects */
};

/* Opens all render nodes of PPUs. */
static unsigned open_all(int *fds, unsigned max)
{
	unsigned n = 0;

	for (int i = 128; i < 192 && n < max; i++) {
		char path[32];
		drmVersionPtr v;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		v = drmGetVersion(fd);
		if (v && !strcmp(v->name, "ppu"))
			fds[n++] = fd;
		else
			close(fd);
		drmFreeVersion(v);
	}
	return n;
}

TEST(enumerated, "HW-2: two devices with different numbers of SMs are two render nodes")
{
	int fd[3];

	CHECK_EQ(open_all(fd, 3), 2);
	CHECK(get_param(fd[0], DRM_PPU_PARAM_PCI_LOCATION) !=
	      get_param(fd[1], DRM_PPU_PARAM_PCI_LOCATION));
	CHECK_EQ(get_param(fd[0], DRM_PPU_PARAM_NUM_SMS) + get_param(fd[1], DRM_PPU_PARAM_NUM_SMS),
		 8);
	CHECK(get_param(fd[0], DRM_PPU_PARAM_NUM_SMS) != get_param(fd[1], DRM_PPU_PARAM_NUM_SMS));
}

TEST(apart, "HW-2: what is on one device is not on the other, and an error stays where it is")
{
	int fd[2];
	struct chan bad, good;
	uint64_t avail;
	struct bo bo;

	CHECK_EQ(open_all(fd, 2), 2);
	avail = get_param(fd[1], DRM_PPU_PARAM_VRAM_AVAIL);
	bo = bo_new(fd[0], 4 << 20, DRM_PPU_PLACEMENT_VRAM);
	CHECK_EQ(get_param(fd[1], DRM_PPU_PARAM_VRAM_AVAIL), avail);
	bo_free(&bo);
	bad = chan_new(fd[0], vm_new(fd[0]), DRM_PPU_CHANNEL_COPY, 8);
	good = chan_new(fd[1], vm_new(fd[1]), DRM_PPU_CHANNEL_COPY, 8);
	CHECK_EQ(bad.hw, good.hw);	/* the same number on both */
	bad.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	WAIT_FOR(chan_query(&bad).state & DRM_PPU_CHANNEL_STATE_FAULTED, 10000);
	for (unsigned i = 0; i < 3; i++) {
		struct cmds b = chan_block(&good);

		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&good, 0), 0);
		chan_submit(&good, &b);
		chan_wait_idle(&good);
	}
	CHECK_EQ(*chan_sem(&good, 0), 3);
	CHECK_EQ(chan_query(&good).error, 0);
}

/* Copies part of the input to the output, in pieces, mirrored. */
static void part(struct half *h, uint32_t first, uint32_t end)
{
	const uint32_t piece = JOB_BYTES / 64;

	for (uint32_t i = first; i < end; i++) {
		struct cmds b = chan_block(&h->c);

		cmd_copy(&b, 0x20000000 + i * (uint64_t)piece,
			 0x30000000 + (63 - i) * (uint64_t)piece, piece);
		while (chan_full(&h->c))
			usleep(200);
		chan_submit(&h->c, &b);
	}
}

TEST(vram_stays, "VRAM of one device cannot be imported by the other")
{
	int fd[2], dmabuf;
	uint32_t handle;
	struct bo bo;

	CHECK_EQ(open_all(fd, 2), 2);
	bo = bo_new(fd[0], 8192, DRM_PPU_PLACEMENT_VRAM);
	CHECK(!drmPrimeHandleToFD(fd[0], bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(drmPrimeFDToHandle(fd[1], dmabuf, &handle) && errno == EOPNOTSUPP);
	CHECK(!drmPrimeFDToHandle(fd[0], dmabuf, &handle) && handle == bo.handle);
}

TEST(split, "HW-2: one job split over both devices gives the result that one device gives")
{
	int fd[2], in_file, out_file;
	struct bo in, out;
	struct half h[2];
	uint8_t *one = malloc(JOB_BYTES);

	CHECK(one);
	CHECK_EQ(open_all(fd, 2), 2);
	in = bo_new(fd[0], JOB_BYTES, DRM_PPU_PLACEMENT_SYSTEM);
	out = bo_new(fd[0], JOB_BYTES, DRM_PPU_PLACEMENT_SYSTEM);
	for (uint32_t i = 0; i < JOB_BYTES / 4; i++)
		((uint32_t *)in.map)[i] = i * 2654435761u;
	CHECK(!drmPrimeHandleToFD(fd[0], in.handle, DRM_CLOEXEC | DRM_RDWR, &in_file));
	CHECK(!drmPrimeHandleToFD(fd[0], out.handle, DRM_CLOEXEC | DRM_RDWR, &out_file));
	for (unsigned i = 0; i < 2; i++) {
		h[i].fd = fd[i];
		h[i].c = chan_new(fd[i], vm_new(fd[i]), DRM_PPU_CHANNEL_COPY, 16);
		CHECK(!drmPrimeFDToHandle(fd[i], in_file, &h[i].in));
		CHECK(!drmPrimeFDToHandle(fd[i], out_file, &h[i].out));
		CHECK_EQ(vm_try_op(fd[i], h[i].c.vm, DRM_PPU_VM_BIND_OP_MAP, h[i].in, 0, 0x20000000,
				   JOB_BYTES, DRM_PPU_VM_BIND_READONLY), 0);
		CHECK_EQ(vm_try_op(fd[i], h[i].c.vm, DRM_PPU_VM_BIND_OP_MAP, h[i].out, 0, 0x30000000,
				   JOB_BYTES, 0), 0);
	}

	part(&h[0], 0, 64);
	chan_wait_idle(&h[0].c);
	memcpy(one, out.map, JOB_BYTES);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(!memcmp(one + (63 - i) * (JOB_BYTES / 64),
			      (char *)in.map + i * (JOB_BYTES / 64), JOB_BYTES / 64));

	memset(out.map, 0, JOB_BYTES);
	part(&h[0], 0, 23);
	part(&h[1], 23, 64);
	chan_wait_idle(&h[0].c);
	chan_wait_idle(&h[1].c);
	CHECK(!memcmp(one, out.map, JOB_BYTES));
	CHECK(chan_query(&h[0].c).runtime_ns && chan_query(&h[1].c).runtime_ns);
}

HARNESS_MAIN
