/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: what it takes for granted of the machine.
 *
 * A page of the kernel is a page of the device.  The pages of a system object become leaves of a
 * page table one by one, user space maps USERD pages and VRAM by the kernel's pages, and the uAPI
 * promises that 4096 is the alignment of everything.
 *
 * The driver was written for x86-64 and has run nowhere else.  It shares rings, notifiers and
 * semaphores in cached memory with the device, stores 8 bytes to a BAR at once, and has barriers
 * where x86-64 needs them: around write-combined memory.
 */
#ifndef __PPU_PLATFORM_H__
#define __PPU_PLATFORM_H__

#include <linux/build_bug.h>

#include <asm/page.h>

#include <hw/ppu_mmu.h>

#ifndef CONFIG_X86_64
#error "the PPU driver is for x86-64 only"
#endif

static_assert(PAGE_SIZE == PPU_PAGE_SIZE, "the PPU driver needs pages of 4 KiB");

#endif
