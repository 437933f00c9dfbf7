/* SPDX-License-Identifier: MIT */
/*
 * Lab 9, given: a driver in user space, without the parts that you write. It has one process and one context, and
 * everything lies in VRAM: page tables and instance block where no thread can reach them, the rest mapped at
 * HW_VA + its place in VRAM. A kernel is launched by a CPU-owned channel, number 0.
 */
#ifndef HW_H
#define HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>

#define HW_VA		0x100000000ull	/* GPU address of byte 0 of VRAM */
#define HW_MAPPED	(16ull << 20)	/* the mapped part of VRAM begins here ... */
#define HW_MAPPED_END	(64ull << 20)	/* ... and ends here */
#define HW_CPU_RING	512u		/* entries of channel 0 */

struct hw_kernel {
	char name[48];
	uint32_t entry, regs, local, barriers, param_bytes;
};

struct hw {
	volatile uint32_t *regs;	/* BAR0 */
	volatile uint8_t *vram;		/* BAR2 */
	uint64_t priv, next;		/* first free byte of the driver's part of VRAM, and of the mapped part */
	uint64_t inst;			/* address of the instance block, as registers want it */
	uint32_t channels;		/* number of channels handed out so far */
	uint64_t cpu_ring;
	uint32_t cpu_put;
	uint64_t code;
	uint32_t insns, num_kernels;
	struct hw_kernel kernels[32];
};

/* Registers: by the offset in BAR0; of a channel's configuration, by PPU_REG_CH_*; as a pair, by the offset of LO. */
uint32_t hw_read(struct hw *hw, uint32_t offset);
void hw_write(struct hw *hw, uint32_t offset, uint32_t val);
uint32_t hw_ch_read(struct hw *hw, uint32_t channel, uint32_t reg);
void hw_ch_write(struct hw *hw, uint32_t channel, uint32_t reg, uint32_t val);
void hw_ch_write64(struct hw *hw, uint32_t channel, uint32_t reg_lo, uint64_t val);

/* Allocates zeroed memory that the CPU and threads can reach: its GPU address. hw_at(): the CPU's pointer to it. */
uint64_t hw_alloc(struct hw *hw, uint64_t bytes, uint64_t align);
volatile void *hw_at(struct hw *hw, uint64_t va);

/* Writes a block of commands to new memory: returns its address. */
uint64_t hw_block(struct hw *hw, const uint32_t *words, uint32_t n);
/* Writes an entry of channel 0 and moves PUT behind it: n words at va. The words must stay unchanged. */
void hw_submit(struct hw *hw, uint64_t va, uint32_t n);

/* Writes a TMD to new memory, for a kernel of the image: returns its address. Parameters are 64 bits each. */
uint64_t hw_tmd(struct hw *hw, const char *kernel, uint32_t grid, uint32_t block, const uint64_t *params, uint32_t n);

/* Resets the device; then makes a context and channel 0, and loads an image that ppu-cc wrote. 0 or -errno. */
int hw_open(struct hw *hw, volatile void *regs, volatile void *vram, const char *image, uint64_t watchdog_ns);

/* If set, called before each write of a register, so that a grader can watch. */
extern void (*hw_watch)(struct hw *hw, uint32_t offset, uint32_t val);

#endif
