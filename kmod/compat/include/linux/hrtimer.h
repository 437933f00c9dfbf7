/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/hrtimer.h>
#include <ppu_have.h>

/* A macro, since this may be read in the middle of the kernel's own headers. */
#if !defined(PPU_HAVE_HRTIMER_SETUP) && !defined(hrtimer_setup)
#define hrtimer_setup(timer, fn, clock, mode)		\
	do {						\
		struct hrtimer *t_ = (timer);		\
							\
		hrtimer_init(t_, clock, mode);		\
		t_->function = (fn);			\
	} while (0)
#endif
