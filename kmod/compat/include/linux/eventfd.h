/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/eventfd.h>
#include <ppu_have.h>

#ifndef PPU_HAVE_EVENTFD_SIGNAL_1
#define eventfd_signal(ctx) eventfd_signal(ctx, 1)
#endif
