/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/shmem_fs.h>

#ifndef PPU_COMPAT_SHMEM_FS_H
#define PPU_COMPAT_SHMEM_FS_H

#include <ppu_have.h>

#ifdef PPU_HAVE_SHMEM_VMA_FLAGS
#define PPU_SHMEM_NORESERVE	mk_vma_flags(VMA_NORESERVE_BIT)
#else
#define PPU_SHMEM_NORESERVE	VM_NORESERVE
#endif

#endif
