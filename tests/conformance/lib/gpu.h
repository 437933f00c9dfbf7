/* SPDX-License-Identifier: MIT */
/* Small programs for the SMs, without a compiler: a VM with a compute channel, code, and a page of data. */
#ifndef PPU_CONFORMANCE_GPU_H
#define PPU_CONFORMANCE_GPU_H

#include <hw/ppu_tmd.h>

#include "harness.h"

/* Instructions, as the assembler encodes them. */
#define I_BRA_SELF	0x00001fffffffef50ull, 0x00000fff00000000ull	/* bra to 0 */
#define I_NANOSLEEP(ns)	0x00001fffffffef65ull, (0x00002fff00000000ull | (ns))
#define I_EXIT		0x00001fffffffef5bull, 0x00000fff00000000ull
#define I_DEC_R2	0x0000bfffe0404f05ull, 0x00002fffffffffffull	/* add.u32 r2, r2, -1 */
#define I_SETP_P1_R2	0x0800bfffe05fef38ull, 0x00002ff100000000ull	/* setp.ne.u32 p1, r2, 0 */
#define I_P1_BRA_1	0x00001fffffffe150ull, 0x00000fff00000001ull	/* @p1 bra to 1 */
#define I_TRAP		0x00001fffffffef63ull, 0x00000fff00000000ull
#define I_MOVI64_RD2(v)	0x00001fffffe04f02ull, (v)
#define I_MOVI64_RD4(v)	0x00001fffffe08f02ull, (v)
#define I_LD32_RD2	0x0800bfffe0408f48ull, 0x00000fff00000000ull	/* ld.global.u32 r4, [rd2] */
#define I_ST64_RD2_RD4	0x0800ffe0805fef49ull, 0x00000fff00000000ull	/* st.global.u64 [rd2], rd4 */

#define GPU_CODE_VA 0x30000000ull
#define GPU_DATA_VA 0x38000000ull

/* A VM with a compute channel, a page of code and TMDs, a page of data. */
struct gpu {
	int fd;
	uint32_t vm;
	struct chan c;
	struct bo code, data;
};

struct gpu gpu_new(int fd);
struct gpu gpu_new_in(int fd, uint32_t vm);

/* Puts a program and its TMD in place; returns the TMD's address. */
uint64_t gpu_program(struct gpu *g, const uint64_t *words, unsigned insns);
#define GPU_PROGRAM(g, ...) \
	gpu_program(g, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 16)

/* Launches it, waits for its end on the device, then releases the channel's semaphore 0 to 1. */
void gpu_launch(struct gpu *g, uint64_t tmd);

#endif
