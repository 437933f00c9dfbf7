/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: channels, as the device has them.
 */
#ifndef __PPU_CHANNEL_HW_H__
#define __PPU_CHANNEL_HW_H__

#include <linux/types.h>

struct ppu_channel;

bool ppu_channel_stop(struct ppu_channel *chan, u32 cmd, int *resets);
void ppu_channel_stuck(struct ppu_channel *chan, int resets);
u32 ppu_channel_timeslice_ns(const struct ppu_channel *chan);
void ppu_channel_update_pause(struct ppu_channel *chan);
int ppu_channel_enable(struct ppu_channel *chan);
int ppu_channel_start(struct ppu_channel *chan);
int ppu_channel_program(struct ppu_channel *chan);

#endif
