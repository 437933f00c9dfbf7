/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: USERD pages of channels.
 */
#ifndef __PPU_USERD_H__
#define __PPU_USERD_H__

#include <linux/types.h>

#include <drm/drm_gem.h>

struct drm_file;
struct ppu_device;
struct ppu_vm;

/**
 * struct ppu_userd - GEM object of a channel's USERD page
 */
struct ppu_userd {
	/** @base: GEM object. */
	struct drm_gem_object base;
	/** @phys: of the page, in BAR0. */
	phys_addr_t phys;
	/** @vm: the channel's; valid until it is revoked. */
	struct ppu_vm *vm;
	/** @revoked: CPU mappings give SIGBUS. */
	bool revoked;
};

struct ppu_userd *ppu_userd_create(struct ppu_vm *vm, int chid);
void ppu_userd_revoke(struct ppu_userd *userd, struct drm_file *filp);

#endif
