/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 12 file
/*
 * Lab 12: resets and removal. lab_reset.c (yours) says what happens, lab_hot.c (given) calls it.
 *
 * Locks, outer first: gate, then all others.
 */
#ifndef LAB_HOT_H
#define LAB_HOT_H

#include <linux/mm.h>
#include <linux/rwsem.h>
#include "lab.h"

struct lab_chan;

/* lab_submit.c: for each channel of a program lab_reset_lost(), if the error is -EIO, and then its end with that error. */
void lab_chan_lose_all(struct lab_dev *ldev, int error);

/* lab_reset.c */
void lab_gate_enter(struct lab_dev *ldev);
void lab_gate_exit(struct lab_dev *ldev);
void lab_reset_lost(struct lab_chan *chan);
void lab_reset_tell(struct lab_file *lfile, struct lab_reset_info *out);
void lab_reset_prepare(struct lab_dev *ldev);
void lab_reset_done(struct lab_dev *ldev);
vm_fault_t lab_gone_fault(struct lab_dev *ldev, struct vm_fault *vmf);

#endif
