/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: fault records and stopped channels.
 */
#ifndef __PPU_REPORT_FAULT_H__
#define __PPU_REPORT_FAULT_H__

#include <linux/types.h>

#include <hw/ppu_fault.h>

struct drm_ppu_fault;
struct drm_printer;
struct ppu_channel;
struct ppu_device;
struct ppu_file;
struct ppu_vm;

void ppu_fault_drain(struct ppu_device *ppu);
void ppu_fault_irq(struct ppu_device *ppu);
void ppu_fault_print_all(struct drm_printer *p, struct ppu_vm *vm);
int ppu_fault_catch_up(struct ppu_channel *chan);
const char *ppu_err_name(u32 code);
const char *ppu_err_text(u32 code);
void ppu_fault_settle(struct ppu_channel *chan);
void ppu_fault_to_user(struct ppu_vm *vm, unsigned int i, struct drm_ppu_fault *out);

#endif
