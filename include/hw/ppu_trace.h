/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Trace events: everything the device decides, in device time.
 *
 * A trace is a header (struct ppu_trace_header) and records of 40 bytes, all little-endian.
 * Addresses in arguments are GPU virtual addresses or VRAM/bus addresses, never host addresses.
 * PPU_TRACE_EVENTS(): name, number, then the names of unit, a, b, c, d ("-" = unused, 0) and
 * one sentence.  "unit" is 16 bits: channel, engine or SM number; PPU_TR_NO_UNIT: none.
 */
#ifndef PPU_HW_TRACE_H
#define PPU_HW_TRACE_H

#include <linux/types.h>

#define PPU_TRACE_MAGIC		0x3145434152545550ull	/* "PUTRACE1" */
#define PPU_TRACE_VERSION	1
#define PPU_TR_NO_UNIT		0xffffu

struct ppu_trace_header {
	__u64 magic;
	__u32 version;
	__u32 record_bytes;	/* sizeof(struct ppu_trace_rec) */
	__u32 channels, copy_engines, gpcs, sms_per_gpc;
	__u32 warps_per_sm, task_slots, device_priorities;
	__u32 priority_order;	/* property priority-order; 0 in older traces */
};

struct ppu_trace_rec {
	__u64 time;	/* device ns */
	__u16 event;	/* PPU_TR_* */
	__u16 unit;
	__u32 a;
	__u64 b, c, d;
};

#define PPU_TRACE_EVENTS(T) \
T(RESET,           1, "-", "-", "-", "-", "-", "device reset") \
T(CH_ENABLE,       2, "channel", "class", "ring_va", "entries", "inst", "a channel was enabled") \
T(CH_DISABLE,      3, "channel", "why", "-", "-", "-", "a channel was stopped, reset or paused") \
T(DOORBELL,        4, "channel", "put", "get", "-", "-", "GP_PUT was written") \
T(ENTRY,           5, "channel", "get", "block_va", "words", "-", "a ring entry was fetched") \
T(EMPTY,           6, "channel", "get", "-", "-", "-", "GET reached PUT, nothing left") \
T(GET,             7, "channel", "get", "-", "-", "-", "an entry is complete, GET advanced") \
T(CMD,             8, "channel", "get", "opcode", "operand0", "operand1", "a command was executed by the host") \
T(SEM_WRITE,       9, "writer", "kind", "addr", "old", "new", "a semaphore word was written; kind: PPU_TRW_*") \
T(BLOCK,          10, "channel", "reason", "addr", "value", "-", "a channel is blocked; reason: PPU_TRB_*") \
T(UNBLOCK,        11, "channel", "reason", "addr", "value", "-", "a channel goes on") \
T(SLICE_START,    12, "channel", "engine_class", "slice_ns", "-", "-", "a channel got its engine class for a slice") \
T(SLICE_EXPIRE,   13, "channel", "engine_class", "-", "-", "-", "its slice ended") \
T(CE_START,       14, "engine", "channel", "copy_id", "bytes", "dst", "a copy engine started a copy") \
T(CE_DONE,        15, "engine", "channel", "copy_id", "bytes", "-", "it finished") \
T(CE_ABORT,       16, "engine", "channel", "copy_id", "-", "-", "it was aborted") \
T(INTR,           17, "vector", "status", "-", "-", "-", "an interrupt vector was raised") \
T(FAULT,          18, "unit", "code", "va", "channel", "pc", "a fault was recorded") \
T(CH_ERROR,       19, "channel", "code", "get", "va", "-", "a channel stopped with an error") \
T(WATCH,          20, "watch", "-", "addr", "value", "-", "a watch entry matched") \
T(INJECT,         21, "where", "kind", "-", "-", "-", "a fault was injected; kind: PPU_TRI_*, where: vector, engine, channel or bit of a bitmap") \
T(SLICE_PASS,     22, "channel", "engine_class", "left_ns", "group", "from", "a channel took over what is left of its group's slice") \
T(GROUP_CMD,      23, "channel", "command", "group", "-", "-", "a group was paused, resumed or stopped; command: PPU_CH_CMD_GROUP_*") \
T(TASK_ACCEPT,    32, "channel", "priority", "tmd", "task", "depth", "the task unit accepted a TMD") \
T(TASK_SCHED,     33, "slot", "priority", "tmd", "task", "depth", "a task got a slot") \
T(TASK_EVICT,     34, "slot", "priority", "tmd", "task", "-", "a task lost its slot") \
T(TASK_RESUME,    35, "slot", "priority", "tmd", "task", "depth", "a task that was evicted or suspended got a slot again") \
T(TASK_DONE,      36, "slot", "priority", "tmd", "task", "-", "all CTAs and children of a task are complete") \
T(TASK_PEND,      37, "slot", "reason", "tmd", "task", "-", "a task stands in its list; reason: PPU_TRP_*") \
T(TASK_ABORT,     38, "slot", "code", "tmd", "task", "-", "a task was aborted") \
T(CHILD_LAUNCH,   39, "sm", "error", "tmd", "parent", "child", "a device-side launch") \
T(CTA_START,      40, "sm", "cta", "task", "warp_slot", "warps", "a CTA was placed on an SM") \
T(CTA_DONE,       41, "sm", "cta", "task", "warp_slot", "-", "a CTA is complete") \
T(TASK_CODE_DONE, 42, "slot", "-", "tmd", "task", "-", "a task's own CTAs are done, children run") \
T(TASK_SUSPEND,   43, "slot", "reason", "tmd", "task", "-", "a task that cannot go on gave up its slot; reason: PPU_TRS_*") \
T(CTA_SAVE,       44, "sm", "cta", "task", "warp_slot", "reason", "a CTA was saved and left its SM; reason: PPU_TRC_*") \
T(CTA_RESTORE,    45, "sm", "cta", "task", "warp_slot", "warps", "a saved CTA was placed on an SM") \
T(SLICE_TASKS,    46, "-", "context", "held_ns", "turn", "owner", "an owner of contexts held task slots for his slice while another waited; context: one of his") \
T(TASK_CEILING,   47, "channel", "priority", "tmd", "task", "depth", "a child has its parent's priority: there is no higher one for it") \
/* per-warp divergence events; unit = SM; a = warp slot << 24 | PC (22 bits) */ \
T(DIV_PUSH,       64, "sm", "warp_pc", "token", "mask", "head_tail", "a token was pushed on the front") \
T(DIV_YIELD_PUSH, 65, "sm", "warp_pc", "token", "mask", "head_tail", "a yield token was pushed on the back") \
T(DIV_MERGE,      66, "sm", "warp_pc", "token", "mask", "head_tail", "a yield merged into a waiting token") \
T(DIV_POP,        67, "sm", "warp_pc", "token", "mask", "head_tail", "a token was popped; mask = lanes activated") \
T(DIV_DISCARD,    68, "sm", "warp_pc", "token", "mask", "head_tail", "a token nobody waits for was dropped") \
T(DIV_DISABLE,    69, "sm", "warp_pc", "reason", "mask", "left", "lanes were disabled") \
T(DIV_FALLBACK,   70, "sm", "warp_pc", "target", "mask", "-", "SYNC/BRK/CONT without token: a branch") \
T(DIV_RECENTRE,   71, "sm", "warp_pc", "tokens", "old_head_tail", "head_tail", "the token queue was recentred") \
T(DIV_BRANCH,     72, "sm", "warp_pc", "target", "mask", "taken", "a branch diverged") \
T(WARP_START,     73, "sm", "warp_pc", "mask", "cta", "-", "a warp began") \
T(WARP_DONE,      74, "sm", "warp_pc", "-", "cta", "-", "a warp is finished") \
T(BAR_ARRIVE,     75, "sm", "warp_pc", "barrier", "mask", "count", "lanes arrived at a CTA barrier") \
T(BAR_RELEASE,    76, "sm", "warp_pc", "barrier", "count", "-", "a CTA barrier opened")

enum ppu_trace_event {
#define T(name, num, u, a, b, c, d, doc) PPU_TR_##name = (num),
	PPU_TRACE_EVENTS(T)
#undef T
	PPU_TR_MAX
};

/* Class of an event: bits of the property trace-classes. */
#define PPU_TRCLASS_HOST		(1u << 0)
#define PPU_TRCLASS_TASKS		(1u << 1)
#define PPU_TRCLASS_WARPS		(1u << 2)
#define PPU_TRCLASS_DIVERGENCE	(1u << 3)
#define PPU_TRCLASS_BARRIERS	(1u << 4)
#define PPU_TRACE_CLASS(event) \
	((event) < PPU_TR_TASK_ACCEPT ? PPU_TRCLASS_HOST : (event) < PPU_TR_DIV_PUSH ? PPU_TRCLASS_TASKS : \
	 (event) < PPU_TR_WARP_START ? PPU_TRCLASS_DIVERGENCE : \
	 (event) < PPU_TR_BAR_ARRIVE ? PPU_TRCLASS_WARPS : PPU_TRCLASS_BARRIERS)

/* SEM_WRITE.kind: who wrote. */
#define PPU_TRW_COMMAND	0	/* unit = channel */
#define PPU_TRW_SM	1	/* unit = SM */
#define PPU_TRW_CE	2	/* unit = copy engine */
#define PPU_TRW_CPU	3	/* noticed at a kick; unit = channel or PPU_TR_NO_UNIT */
#define PPU_TRW_TASK	4	/* completion store of a task; unit = slot */
/* CH_DISABLE.why */
#define PPU_TRD_STOP	1
#define PPU_TRD_RESET	2
#define PPU_TRD_PAUSE	3	/* what is in progress is completed */
#define PPU_TRD_ERROR	4
/* BLOCK/UNBLOCK.reason */
#define PPU_TRB_ACQUIRE	0
#define PPU_TRB_WFI	1
#define PPU_TRB_ENGINE	2	/* waits for an engine or its turn */
#define PPU_TRB_TASKS	3	/* task record pool full */
#define PPU_TRB_GATE	4	/* re-check at dispatch failed (CP-33) */
/* TASK_PEND.reason */
#define PPU_TRP_NEW		0	/* accepted */
#define PPU_TRP_CHILDREN	1	/* was suspended: children of a CTA are complete */
#define PPU_TRP_QUEUE		2	/* was suspended: its queue has entries or was closed */
#define PPU_TRP_ORDER		3	/* tasks it had to wait for are complete (struct ppu_tmd.order) */
/* TASK_SUSPEND.reason */
#define PPU_TRS_CHILDREN	0	/* every CTA on its way waits for children */
#define PPU_TRS_QUEUE		1	/* its queue is empty */
/* INJECT.kind */
#define PPU_TRI_LOST		0	/* a message is not sent; unit = vector */
#define PPU_TRI_LATE		1	/* a message is sent later */
#define PPU_TRI_SPURIOUS	2	/* a message is sent though nothing is pending */
#define PPU_TRI_HELD		3	/* a bit of a bitmap comes after the next read; unit = bit */
#define PPU_TRI_COPY_LATE	4	/* unit = engine */
#define PPU_TRI_DMA		5
#define PPU_TRI_DEAF		6	/* a channel does not stop; unit = channel */
/* CTA_SAVE.reason */
#define PPU_TRC_EVICTED		0
#define PPU_TRC_CHILDREN	1	/* waits for its children */
/* head_tail: head in bits 31:0, tail (signed) in bits 63:32. */

#endif
