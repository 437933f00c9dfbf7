/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Whether it pays to have others help: for whoever shares rounds of work with threads (libruntime/common/workers.c,
 * qemu-device/ppu_pool.c).
 *
 * Where other programs want the CPUs, too, a thread that was woken comes when all is done, or has no CPU in the middle
 * of its part, and everybody waits.  So what each round gains is added up, and forgotten by and by.  When help costs more
 * than it gives, rounds are done alone for a while, and then it is tried again; the while is twice as long if nothing has
 * changed.
 *
 * Times are ns of a clock that the caller has.  Results never depend on it: who helps cannot be seen.
 */
#ifndef PPU_HW_HELP_H
#define PPU_HW_HELP_H

#include <stdbool.h>
#include <stdint.h>

#define PPU_HELP_CREDIT	150000		/* what a trial may cost: to wake a thread some times */
#define PPU_HELP_PAUSE	1000000		/* the first pause */
#define PPU_HELP_LONG	64000000	/* the longest one */
#define PPU_HELP_GOOD	64		/* after so many rounds without loss the next pause is the first one again */
#define PPU_HELP_FORGET	64		/* a round's gain is forgotten in about so many rounds */
#define PPU_HELP_UNEVEN	50000		/* parts of a round may differ so much, as it cannot be cut anywhere */

struct ppu_help {
	int64_t balance;	/* what help has gained lately */
	uint64_t pause;		/* the next one */
	uint64_t until;		/* the end of the last one */
	unsigned good;		/* rounds since the last loss */
};

static inline void ppu_help_init(struct ppu_help *h)
{
	*h = (struct ppu_help){ .balance = PPU_HELP_CREDIT, .pause = PPU_HELP_PAUSE };
}

/* Is it worth to ask for help in a round that begins now? */
static inline bool ppu_help_wanted(const struct ppu_help *h, uint64_t now)
{
	return now >= h->until;
}

/*
 * What one helper saved the caller, who worked for `own`, when it worked for `theirs`.  A helper has not done much more
 * work than the caller: if it took much longer, it had no CPU.
 */
static inline int64_t ppu_help_saved(uint64_t own, uint64_t theirs)
{
	return (int64_t)(theirs < own + PPU_HELP_UNEVEN ? theirs : own + PPU_HELP_UNEVEN);
}

/* A round with help ended: it saved so much, but the caller spent `lost` on waking others and on waiting for them. */
static inline void ppu_help_round(struct ppu_help *h, uint64_t now, int64_t saved, uint64_t lost)
{
	int64_t gain = saved - (int64_t)lost;

	h->balance += gain - h->balance / PPU_HELP_FORGET;
	h->good = gain < 0 ? 0 : h->good + (gain > 0);	/* a round for which nobody came shows nothing */
	if (h->good >= PPU_HELP_GOOD)
		h->pause = PPU_HELP_PAUSE;
	if (h->balance >= 0)
		return;
	h->balance = PPU_HELP_CREDIT;
	h->good = 0;
	h->until = now + h->pause;
	if (h->pause < PPU_HELP_LONG)
		h->pause *= 2;
}

#endif
