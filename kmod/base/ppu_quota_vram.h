/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: VRAM in the accounts of processes.
 */
#ifndef __PPU_QUOTA_VRAM_H__
#define __PPU_QUOTA_VRAM_H__

#include <linux/types.h>

struct ppu_quota;

int ppu_quota_charge_vram(struct ppu_quota *quota, u64 bytes, bool fixed);
void ppu_quota_release_vram(struct ppu_quota *quota, u64 bytes, bool fixed);
int ppu_quota_fix_vram(struct ppu_quota *quota, u64 bytes);

#endif
