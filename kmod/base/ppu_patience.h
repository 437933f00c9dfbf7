/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: how long the driver looks whether the device has done something.
 *
 * The clock goes on while a virtual machine, with its device, gets no time of its host's.  So time
 * alone does not show that the device does nothing: it had to have been looked at, too.
 */
#ifndef __PPU_PATIENCE_H__
#define __PPU_PATIENCE_H__

#include <linux/ktime.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Fewer looks are too few, however long they took. */
#define PPU_PATIENCE_LOOKS	100

/** struct ppu_patience - a wait in progress */
struct ppu_patience {
	/** @end: when it is over, ns, if there were enough looks. */
	u64 end;
	/** @looks: how many there were. */
	unsigned int looks;
};

/** ppu_patience_begin - wait for so many ms */
static inline struct ppu_patience ppu_patience_begin(unsigned int ms)
{
	return (struct ppu_patience){ .end = ktime_get_ns() + ms * NSEC_PER_MSEC };
}

/** ppu_patience_over - a look follows; true: it is the last one */
static inline bool ppu_patience_over(struct ppu_patience *p)
{
	return ++p->looks > PPU_PATIENCE_LOOKS && ktime_get_ns() > p->end;
}

#endif
