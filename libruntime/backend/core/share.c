/* SPDX-License-Identifier: MIT */
/*
 * Backend core: memory that several processes have. Pages of VRAM become pages of a file, at their place, when the first file
 * is asked for; another process maps the file, and its device has the pages as memory of that process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "common/memfile.h"

static void copy_used(uint8_t *to, const uint8_t *from, uint64_t size)
{
	static const uint8_t zero[PPU_PAGE_SIZE];

	for (uint64_t at = 0; at < size; at += PPU_PAGE_SIZE)
		if (memcmp(from + at, zero, PPU_PAGE_SIZE) != 0)
			memcpy(to + at, from + at, PPU_PAGE_SIZE);
}

/* Locked, so the device stands still.  The descriptor is never 0, which means that there is none. */
static int become_file(struct be_bo *bo)
{
	uint8_t *here = bo->dev->vram + bo->addr, *there;
	int fd = ppu_memfile_new("ppu-shared-memory", bo->size);

	if (fd < 0)
		return fd;
	there = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (there == MAP_FAILED)
		goto fail;
	copy_used(there, here, bo->size);
	if (mremap(there, bo->size, bo->size, MREMAP_MAYMOVE | MREMAP_FIXED, here) == MAP_FAILED) {
		munmap(there, bo->size);
		goto fail;
	}
	madvise(here, bo->size, MADV_DONTDUMP);
	bo->file = fd;
	return 0;
fail:
	close(fd);
	return -ENOMEM;
}

int ppu_bc_bo_export(struct be_bo *bo, int *fd)
{
	int rc = 0;

	/* A debugger that goes back in time cannot take other processes along. */
	if (bo->place != BE_VRAM || bo->dev->recorded)
		return -EOPNOTSUPP;
	ppu_bc_lock_idle(bo->dev);
	if (!bo->file)
		rc = become_file(bo);
	if (!rc) {
		*fd = fcntl(bo->file, F_DUPFD_CLOEXEC, 0);
		rc = *fd < 0 ? -errno : 0;
	}
	ppu_bc_unlock(bo->dev);
	return rc;
}

bool ppu_bc_bo_unshare(struct be_bo *bo)
{
	uint8_t *here = bo->dev->vram + bo->addr;

	if (!bo->file)
		return true;
	close(bo->file);
	if (mmap(here, bo->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	madvise(here, bo->size, MADV_DONTDUMP);		/* as all VRAM */
	return true;
}

int ppu_bc_bo_import(struct be_vm *vm, int fd, uint64_t size, struct be_bo **bo)
{
	void *p;
	int rc;

	if (vm->dev->recorded)
		return -EOPNOTSUPP;
	size = ppu_bc_page_round(size);
	if (!ppu_memfile_is(fd, size))
		return -EINVAL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	madvise(p, size, MADV_DONTDUMP);
	rc = ppu_bc_bo_user(vm, p, size, bo);
	if (rc)
		munmap(p, size);
	else
		(*bo)->mapped = true;
	return rc;
}
