/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 8 file
/* Lab 8: shared by lab_submit.c and lab_sched.c. All but lab_sched_quiet() are called with chan->lock held. */
#ifndef LAB_SCHED_H
#define LAB_SCHED_H

#include "lab.h"

struct lab_chan;

/* Ring entries of a submission that is counted: the commands before, the program's, the commands behind. */
#define LAB_PARTS_COUNTED	3

int lab_sched_check(struct lab_chan *chan, const struct lab_chan_create *args);
int lab_sched_chan_init(struct lab_chan *chan);
void lab_sched_chan_fini(struct lab_chan *chan);
u32 *lab_sched_head(struct lab_chan *chan, u32 *w);
u32 *lab_sched_tail(struct lab_chan *chan, u32 *w);
void lab_sched_give_back(struct lab_chan *chan);
void lab_sched_stop(struct lab_chan *chan);
void lab_sched_watch(struct lab_chan *chan);
void lab_sched_quiet(struct lab_chan *chan);

/* SEM_INC or SEM_DEC. */
static inline u32 *lab_cmd_count(u32 *w, u32 op, u64 va)
{
	*w++ = PPU_CMD_HDR(op, PPU_CMD_SIZE_SEM_INC, 0);
	*w++ = lower_32_bits(va);
	*w++ = upper_32_bits(va);
	return w;
}

#endif
