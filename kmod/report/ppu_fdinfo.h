/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: what /proc/PID/fdinfo says of an open file.
 */
#ifndef __PPU_FDINFO_H__
#define __PPU_FDINFO_H__

struct file;
struct seq_file;

void ppu_show_fdinfo(struct seq_file *m, struct file *f);

#endif
