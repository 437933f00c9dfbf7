/* SPDX-License-Identifier: MIT */
/* How the compiler (compiler/ptx/lower/px_low_video.c) calls the device-side library's __ppu_video(). */
#ifndef PPU_VIDEO_H
#define PPU_VIDEO_H

/* Argument op: the operation, and how it is done. */
#define PPU_VIDEO_OP		15u	/* mask */
#define PPU_VIDEO_ADD		0u
#define PPU_VIDEO_SUB		1u
#define PPU_VIDEO_ABSDIFF	2u
#define PPU_VIDEO_MIN		3u
#define PPU_VIDEO_MAX		4u
#define PPU_VIDEO_AVRG		5u
#define PPU_VIDEO_SET		6u
#define PPU_VIDEO_SHL		7u
#define PPU_VIDEO_SHR		8u
#define PPU_VIDEO_MAD		9u
#define PPU_VIDEO_LANES		4u	/* shift; operands hold 0: one number, 1: two, 2: four */
#define PPU_VIDEO_THEN		6u	/* shift; what happens to the result and c */
#define PPU_VIDEO_ONLY		0u
#define PPU_VIDEO_THEN_ADD	1u
#define PPU_VIDEO_THEN_MIN	2u
#define PPU_VIDEO_THEN_MAX	3u
#define PPU_VIDEO_MERGE		4u
#define PPU_VIDEO_CMP		9u	/* shift; eq ne lt le gt ge */
#define PPU_VIDEO_D_SIGNED	(1u << 12)
#define PPU_VIDEO_A_SIGNED	(1u << 13)
#define PPU_VIDEO_B_SIGNED	(1u << 14)
#define PPU_VIDEO_SAT		(1u << 15)
#define PPU_VIDEO_WRAP		(1u << 16)
#define PPU_VIDEO_PLUS_ONE	(1u << 17)
#define PPU_VIDEO_NEG_PRODUCT	(1u << 18)
#define PPU_VIDEO_NEG_C		(1u << 19)
#define PPU_VIDEO_SCALE		20u	/* shift; 0, 7, 15 bits to the right */
/* Argument sel: the parts of the operands.  With one number: 0 all, 1 to 4 a byte, 5 and 6 a half.  With lanes: a and
 * b have three bits per lane, which name a lane of {a, b}; d has one bit per lane, set if the lane is written. */
#define PPU_VIDEO_SEL_A		0u	/* shifts */
#define PPU_VIDEO_SEL_B		12u
#define PPU_VIDEO_SEL_D		24u

#endif
