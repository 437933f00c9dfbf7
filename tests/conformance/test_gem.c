/* SPDX-License-Identifier: MIT */
/* GEM_CREATE, GEM_MMAP_OFFSET, GEM_INFO, mmap, PRIME. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "harness.h"
#include "pcidev.h"

static const uint32_t placements[] = { DRM_PPU_PLACEMENT_SYSTEM, DRM_PPU_PLACEMENT_VRAM };

TEST(create_args, "GEM_CREATE refuses bad arguments")
{
	int fd = open_ppu();
	struct drm_ppu_gem_create a;

	a = (struct drm_ppu_gem_create){ .size = 0 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_gem_create){ .size = ~0ull };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_gem_create){ .size = 4096, .placement = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_gem_create){ .size = 4096, .flags = 1u << 31 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_gem_create){ .size = 4096, .vm_id = 12345 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, ENOENT);
	a = (struct drm_ppu_gem_create){ .size = 1ull << 46, .placement = DRM_PPU_PLACEMENT_VRAM };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, ENOSPC);
	a = (struct drm_ppu_gem_create){ .size = 1ull << 46 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, &a, ENOMEM);
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_CREATE, (void *)BAD_PTR, EFAULT);
}

TEST(create_zeroed, "memory is zero, also when it was used before")
{
	int fd = open_ppu();

	for (int p = 0; p < 2; p++) {
		for (int round = 0; round < 3; round++) {
			struct bo bo = bo_new(fd, 300000, placements[p]);
			uint64_t *w = bo.map;

			CHECK_EQ(bo.size, 303104);
			for (uint64_t i = 0; i < bo.size / 8; i++)
				CHECK_EQ(w[i], 0);
			memset(bo.map, 0x5a, bo.size);
			bo_free(&bo);
		}
	}
}

TEST(info, "GEM_INFO tells what was created")
{
	int fd = open_ppu();

	for (int p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 8192, placements[p]);
		struct drm_ppu_gem_info i = { .handle = bo.handle };

		DO(fd, DRM_IOCTL_PPU_GEM_INFO, &i);
		CHECK_EQ(i.placement, placements[p]);
		CHECK_EQ(i.size, 8192);
		CHECK_EQ(i.extra, 0);
		bo_free(&bo);
		DO_ERR(fd, DRM_IOCTL_PPU_GEM_INFO, &i, ENOENT);
	}
}

TEST(mmap_args, "GEM_MMAP_OFFSET and mmap refuse what is not allowed")
{
	int fd = open_ppu(), other = open_ppu();
	struct drm_ppu_gem_create a = { .size = 4096, .flags = DRM_PPU_GEM_NO_MMAP };
	struct drm_ppu_gem_mmap_offset o;

	o = (struct drm_ppu_gem_mmap_offset){ .handle = 999 };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o, ENOENT);
	DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
	o = (struct drm_ppu_gem_mmap_offset){ .handle = a.handle };
	DO_ERR(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o, EPERM);

	for (int p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 8192, placements[p]);

		o = (struct drm_ppu_gem_mmap_offset){ .handle = bo.handle, .flags = 1 };
		DO_ERR(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o, EINVAL);
		o.flags = 0;
		DO(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o);
		/* another file's object, a private mapping, a mapping longer than the object */
		CHECK(mmap(NULL, 8192, PROT_READ, MAP_SHARED, other, (off_t)o.offset) ==
		      MAP_FAILED && errno == EACCES);
		CHECK(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
			   (off_t)o.offset) == MAP_FAILED && errno == EINVAL);
		CHECK(mmap(NULL, 16384, PROT_READ, MAP_SHARED, fd, (off_t)o.offset) ==
		      MAP_FAILED && errno == EINVAL);
	}
}

TEST(mmap_shared, "two mappings show the same memory; a mapping outlives its handle")
{
	int fd = open_ppu();

	for (int p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 4 << 20, placements[p]);
		uint32_t *again = bo_map(fd, bo.handle, bo.size);
		uint32_t *w = bo.map;
		struct drm_gem_close c = { .handle = bo.handle };

		for (uint32_t i = 0; i < bo.size / 4; i += 1021)
			w[i] = i * 2654435761u;
		for (uint32_t i = 0; i < bo.size / 4; i += 1021)
			CHECK_EQ(again[i], i * 2654435761u);
		DO(fd, DRM_IOCTL_GEM_CLOSE, &c);
		again[7] = 77;
		CHECK_EQ(w[7], 77);
		munmap(again, bo.size);
		CHECK_EQ(w[7], 77);
	}
}

TEST(mmap_split, "what is left of a mapping still shows the same pages")
{
	int fd = open_ppu();

	for (int p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 16 * 4096, placements[p]);
		uint32_t *part = bo_map(fd, bo.handle, bo.size), *w = bo.map;

		/* No page of the mapping was touched before, so each access faults now. */
		munmap(part, 8 * 4096);
		for (uint32_t i = 8; i < 16; i++)
			part[i * 1024] = 100 + i;
		for (uint32_t i = 0; i < 16; i++)
			CHECK_EQ(w[i * 1024], i < 8 ? 0 : 100 + i);
		munmap(part + 8 * 1024, 8 * 4096);
		bo_free(&bo);
	}
}

TEST(vram_accounting, "VRAM comes back when objects are freed")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct bo bo = bo_new(fd, 3 << 20, DRM_PPU_PLACEMENT_VRAM);

	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before - (3 << 20));
	bo_free(&bo);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
}

TEST(vram_exhaustion, "when VRAM is full: ENOSPC, and all of it can be had again")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	uint32_t handles[4096];
	unsigned n = 0;
	int e = 0;

	for (; n < 4096; n++) {
		struct drm_ppu_gem_create a = {
			.size = 8 << 20, .placement = DRM_PPU_PLACEMENT_VRAM,
		};

		e = try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
		if (e)
			break;
		handles[n] = a.handle;
	}
	CHECK_EQ(e, ENOSPC);
	while (n--) {
		struct drm_gem_close c = { .handle = handles[n] };

		DO(fd, DRM_IOCTL_GEM_CLOSE, &c);
	}
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
}

TEST(prime_share, "a system object is shared with another file by PRIME")
{
	int a = open_ppu(), b = open_ppu(), dmabuf;
	struct bo bo = bo_new(a, 65536, DRM_PPU_PLACEMENT_SYSTEM);
	uint32_t handle, again;
	uint32_t *w;

	CHECK(!drmPrimeHandleToFD(a, bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!drmPrimeFDToHandle(b, dmabuf, &handle));
	CHECK(!drmPrimeFDToHandle(b, dmabuf, &again));
	CHECK_EQ(handle, again);
	w = bo_map(b, handle, 65536);
	((uint32_t *)bo.map)[100] = 4711;
	CHECK_EQ(w[100], 4711);
	close(a);
	close(dmabuf);
	CHECK_EQ(w[100], 4711);
}

TEST(prime_vram, "a VRAM object is shared with another file by PRIME, and is the same object")
{
	int a = open_ppu(), b = open_ppu(), dmabuf;
	uint64_t before = get_param(a, DRM_PPU_PARAM_VRAM_AVAIL);
	struct bo bo = bo_new(a, 3 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_gem_info i = { 0 };
	uint32_t own;
	uint32_t *w;

	CHECK(!drmPrimeHandleToFD(a, bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	CHECK(!drmPrimeFDToHandle(a, dmabuf, &own));
	CHECK_EQ(own, bo.handle);
	CHECK(!drmPrimeFDToHandle(b, dmabuf, &i.handle));
	DO(b, DRM_IOCTL_PPU_GEM_INFO, &i);
	CHECK_EQ(i.placement, DRM_PPU_PLACEMENT_VRAM);
	CHECK_EQ(i.size, 3 << 20);
	CHECK_EQ(i.extra, 0);
	w = bo_map(b, i.handle, 3 << 20);
	((uint32_t *)bo.map)[100000] = 4711;
	CHECK_EQ(w[100000], 4711);
	CHECK_EQ(vm_try_op(b, vm_new(b), DRM_PPU_VM_BIND_OP_MAP, i.handle, 0, 0x10000000, 3 << 20, 0), 0);
	close(a);
	CHECK(get_param(b, DRM_PPU_PARAM_VRAM_AVAIL) <= before - (3 << 20));
	CHECK_EQ(w[100000], 4711);
	close(dmabuf);
	CHECK_EQ(w[100000], 4711);
}

TEST(prime_refused, "private objects cannot be exported")
{
	int fd = open_ppu(), dmabuf;
	uint32_t vm = vm_new(fd);
	struct drm_ppu_gem_create a = { .size = 4096, .vm_id = vm };

	DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
	CHECK(drmPrimeHandleToFD(fd, a.handle, DRM_CLOEXEC, &dmabuf) && errno == EPERM);
	CHECK(drmPrimeHandleToFD(fd, 4242, DRM_CLOEXEC, &dmabuf) && errno == ENOENT);
	CHECK(drmPrimeFDToHandle(fd, 0x7ffffff, &a.handle) && errno == EBADF);
}

static uint32_t *map_dmabuf(int fd, const struct bo *bo)
{
	int dmabuf;
	void *p;

	CHECK(!drmPrimeHandleToFD(fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	CHECK(p != MAP_FAILED);
	close(dmabuf);
	return p;
}

TEST(dmabuf_mmap, "the dma-buf itself can be mapped; the mapping outlives dma-buf, handle and file")
{
	for (int p = 0; p < 2; p++) {
		int fd = open_ppu();
		struct bo bo = bo_new(fd, 8192, placements[p]);
		uint32_t *w = map_dmabuf(fd, &bo);

		w[3] = 99;
		CHECK_EQ(((uint32_t *)bo.map)[3], 99);
		((uint32_t *)bo.map)[1500] = 5;
		bo_free(&bo);
		close(fd);
		CHECK_EQ(w[1500], 5);
		munmap(w, 8192);
	}
}

static void touch(void *p)
{
	*(volatile uint32_t *)p = 1;
}

TEST(dmabuf_unplug, "a mapping of a dma-buf of VRAM gives SIGBUS when the device is gone")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_VRAM);
	uint32_t *w = map_dmabuf(fd, &bo);

	CHECK_EQ(signal_of(touch, w), 0);
	touch(w);
	pci_unbind();
	CHECK_EQ(signal_of(touch, w), SIGBUS);
	pci_bind();
}

TEST(dmabuf_reset, "a mapping of a dma-buf of VRAM shows the same memory after a reset")
{
	int fd = open_ppu();
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_VRAM);
	volatile uint32_t *w = map_dmabuf(fd, &bo);

	w[9] = 77;
	pci_write("reset");
	CHECK_EQ(w[9], 77);
}

HARNESS_MAIN
