/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: semaphore objects.
 */
#ifndef __PPU_SEM_H__
#define __PPU_SEM_H__

#include <linux/kref.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct ppu_bo;
struct ppu_device;
struct ppu_file;

/**
 * struct ppu_sem - semaphore object
 */
struct ppu_sem {
	/** @kref: references. */
	struct kref kref;
	/** @file: file it was created in. */
	struct ppu_file *file;
	/** @bo: object with the word; holds a reference. */
	struct ppu_bo *bo;
	/** @bo_offset: of the word. */
	u64 bo_offset;
	/** @addr: physical address | aperture, as the device names it. */
	u64 addr;
	/** @vaddr: word in system memory; NULL: VRAM. */
	void *vaddr;
	/** @vmapped: @vaddr is a mapping of its own. */
	bool vmapped;
	/** @is32: the word has 32 bits. */
	bool is32;
	/** @dead: destroyed; under ppu_watches.lock. */
	bool dead;
};

struct ppu_sem *ppu_sem_lookup(struct ppu_file *file, u32 id);
void ppu_sem_put(struct ppu_sem *sem);
bool ppu_sem_test(const struct ppu_sem *sem, u32 op, u64 value);
bool ppu_sem_op_valid(const struct ppu_sem *sem, u32 op, u64 value);
u64 ppu_sem_do_signal(struct ppu_sem *sem, u32 op, u64 value);
void ppu_sem_wake_all(struct ppu_device *ppu);
void ppu_sem_close_all(struct ppu_file *file);
int ppu_ioctl_sem_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_read(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_signal(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_sem_wait(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
