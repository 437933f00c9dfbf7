/* SPDX-License-Identifier: MIT */
/*
 * Lab 0: the device from user space, without a driver. You write regs.c; this file is given.
 *
 * Offsets and bits have names in <hw/ppu_regs.h> (PPU_REG_SCRATCH, ...) and <hw/ppu_counters.h>
 * (PPU_CTR_KICKS, ...); Documentation/hw/registers.md says what they mean. Functions that can fail return
 * 0 or a negative errno, as in the kernel: -ENODEV, -ENOENT, ...
 */
#ifndef REGS_H
#define REGS_H

#include <stddef.h>
#include <stdint.h>

#define SYSFS_DEVICES "/sys/bus/pci/devices"

/* The device, as this process sees it. */
struct ppu {
	volatile uint32_t *regs;	/* BAR0 */
	size_t regs_bytes;		/* size of the mapping: the whole BAR */
	volatile uint32_t *vram;	/* BAR2 */
	size_t vram_bytes;		/* size of the mapping; there may be less VRAM */
};

/* What a driver wants to know before it does anything. */
struct ppu_caps {
	uint32_t channels;
	uint32_t copy_engines;
	uint32_t sms;			/* of the whole device */
	uint32_t threads;		/* that can be resident at the same time, in the whole device */
	uint64_t vram_bytes;
	int device_queues;		/* 1: the device has device-owned work queues */
};

/* 1. Find and open. */
int ppu_find(const char *devices, char *dir, size_t n);
int ppu_identify(const struct ppu *p, unsigned int *major, unsigned int *minor);
int ppu_open(struct ppu *p, const char *devices);
void ppu_close(struct ppu *p);

/* 2. Registers. */
uint32_t ppu_scratch_swap(const struct ppu *p, uint32_t val);
void ppu_read_caps(const struct ppu *p, struct ppu_caps *caps);
uint64_t ppu_time(const struct ppu *p);
void ppu_set_ring(const struct ppu *p, unsigned int channel, uint64_t va, uint32_t entries);

/* 3. Counters and interrupts. */
uint64_t ppu_counter(const struct ppu *p, uint32_t counter);
uint64_t ppu_reads_made(const struct ppu *p, void (*what)(void *arg), void *arg);
uint32_t ppu_intr_take(const struct ppu *p, uint32_t mask);

/* 4. VRAM. */
int64_t ppu_vram_check(const struct ppu *p, uint64_t from, uint64_t bytes);

#endif
