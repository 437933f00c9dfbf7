/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * GPFIFO entries and the commands of a command block (pushbuffer segment).
 *
 * A channel's ring is an array of struct ppu_gpfifo_entry.  Each points to a command block: a
 * run of 32-bit words at a GPU virtual address of the channel's own address space.  A command
 * is a header word and its operands:
 *
 *   bits  7:0  opcode (PPU_CMD_*)
 *   bits 15:8  size in words, header included (must equal the command's size; NOP: 1..255)
 *   bits 31:16 flags (unknown bits are an error)
 *
 * 64-bit operands are two words, low first.  Commands never straddle two blocks.
 * PPU_CMDS(): name, opcode, size in words, legal flags, classes, one sentence.
 */
#ifndef PPU_HW_CMD_H
#define PPU_HW_CMD_H

#include <linux/types.h>

struct ppu_gpfifo_entry {
	__u64 va;	/* GPU VA of the block, 4-byte aligned; 0 with length 0 = never written */
	__u32 length;	/* words, 1..PPU_BLOCK_MAX_WORDS */
	__u32 flags;	/* must be zero */
};
#define PPU_BLOCK_MAX_WORDS	(1u << 21)

#define PPU_CMD_CLASS_ANY	0xe	/* mask: bit PPU_CLASS_* */
#define PPU_CMD_CLASS_COMPUTE	0xa	/* COMPUTE, DEVQ */
#define PPU_CMD_CLASS_COPY	0xc	/* COPY, DEVQ */

/* Flags of the semaphore commands. */
#define PPU_SEM_OP_EQ		0	/* word == value */
#define PPU_SEM_OP_GE		1	/* word >= value, unsigned */
#define PPU_SEM_OP_ZERO		2	/* word == 0 (value operand ignored) */
#define PPU_SEM_OP_NE		3	/* word != value */
#define PPU_SEM_OP_CIRC_GE	4	/* (signed)(word - value) >= 0 */
#define PPU_SEM_OP_ANYBIT	5	/* word & value */
#define PPU_SEM_OP_NOR		6	/* ~(word | value): a bit that both lack (PPU_FEAT_SEM_NOR) */
#define PPU_SEM_OP_MAX		6
#define PPU_CMDF_SEM_OP(op)	((op) & 0x7)	/* ACQUIRE: bits 2:0 */
#define PPU_CMDF_SEM_OP_MASK	0x0007
#define PPU_CMDF_SEM_32		0x0008	/* 32-bit word (else 64-bit) */
#define PPU_CMDF_SEM_GATE	0x0010	/* ACQUIRE: re-checked at dispatch (CP-33) */
#define PPU_CMDF_SEM_TIME	0x0020	/* RELEASE: also device time, u64 at address + 8 */
#define PPU_CMDF_LAUNCH_0	0x0000
#define PPU_CMDF_FILL_SIZE(s)	((s) & 0x7)	/* log2 of the element size, 0..3 */
#define PPU_CMDF_FILL_SIZE_MASK	0x0007

#define PPU_CMDS(C) \
C(NOP,           0x00, 0, 0, PPU_CMD_CLASS_ANY, "Nothing. Any size; the rest of its words is skipped.") \
C(SEM_ACQUIRE,   0x01, 5, PPU_CMDF_SEM_OP_MASK | PPU_CMDF_SEM_32 | PPU_CMDF_SEM_GATE, PPU_CMD_CLASS_ANY, \
  "addr64, value64: hold the channel until the word compares true. No effect on the word.") \
C(SEM_RELEASE,   0x02, 5, PPU_CMDF_SEM_32 | PPU_CMDF_SEM_TIME, PPU_CMD_CLASS_ANY, "addr64, value64: store the value.") \
C(SEM_INC,       0x03, 3, PPU_CMDF_SEM_32, PPU_CMD_CLASS_ANY, "addr64: add 1, atomically.") \
C(SEM_DEC,       0x04, 3, PPU_CMDF_SEM_32, PPU_CMD_CLASS_ANY, "addr64: subtract 1, atomically.") \
C(WFI,           0x05, 1, 0, PPU_CMD_CLASS_ANY, "Hold until all tasks launched from this channel are complete and their stores visible.") \
C(MEMBAR,        0x06, 1, 0, PPU_CMD_CLASS_ANY, "Order the channel's earlier writes before its later ones.") \
C(TIMESTAMP,     0x07, 3, 0, PPU_CMD_CLASS_ANY, "addr64 (8-byte aligned): store device time, u64 ns.") \
C(INTR,          0x08, 2, 0, PPU_CMD_CLASS_ANY, "cookie32: set CHINTR_PENDING of this channel and CH_COOKIE.") \
C(LAUNCH,        0x10, 3, 0, PPU_CMD_CLASS_COMPUTE, "tmd64: hand the TMD at this address to the task unit; does not wait.") \
C(QUEUE_REFRESH, 0x11, 2, 0, PPU_CMD_CLASS_COMPUTE, "chid32: refresh PUT then shadow of a device-owned channel of the same context (WQ-59).") \
C(COPY,          0x20, 7, 0, PPU_CMD_CLASS_COPY, "src64, dst64, bytes64: linear copy.") \
C(COPY_2D,       0x21, 11, 0, PPU_CMD_CLASS_COPY, \
  "src64, dst64, src_pitch64, dst_pitch64, width_bytes32, rows32: pitched copy.") \
C(FILL,          0x22, 7, PPU_CMDF_FILL_SIZE_MASK, PPU_CMD_CLASS_COPY, "dst64, value64, count64 elements of 1 << FILL_SIZE bytes.") \
C(FILL_2D,       0x23, 9, PPU_CMDF_FILL_SIZE_MASK, PPU_CMD_CLASS_COPY, \
  "dst64, pitch64, value64, width32 elements, rows32.")

enum ppu_cmd {
#define C(name, op, size, flags, classes, doc) PPU_CMD_##name = (op),
	PPU_CMDS(C)
#undef C
};
enum ppu_cmd_size {	/* words, header included */
#define C(name, op, size, flags, classes, doc) PPU_CMD_SIZE_##name = (size),
	PPU_CMDS(C)
#undef C
};

#define PPU_CMD_HDR(op, size, flags)	((__u32)(op) | (__u32)(size) << 8 | (__u32)(flags) << 16)
#define PPU_CMD_OP(h)		((h) & 0xff)
#define PPU_CMD_SIZE(h)		(((h) >> 8) & 0xff)
#define PPU_CMD_FLAGS(h)	((h) >> 16)

#define PPU_COPY_CHUNK_BYTES	(1u << 20)	/* copies move in chunks of at most this size */

#endif
