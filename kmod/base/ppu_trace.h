/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: tracepoints (events/ppu in tracefs).
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ppu

#if !defined(__PPU_TRACE_H__) || defined(TRACE_HEADER_MULTI_READ)
#define __PPU_TRACE_H__

#include <linux/tracepoint.h>
#include <linux/types.h>

TRACE_EVENT(ppu_irq,
	TP_PROTO(u32 mask, u32 status),
	TP_ARGS(mask, status),
	TP_STRUCT__entry(
		__field(u32, mask)
		__field(u32, status)
	),
	TP_fast_assign(
		__entry->mask = mask;
		__entry->status = status;
	),
	TP_printk("mask=%#x status=%#x", __entry->mask, __entry->status)
);

TRACE_EVENT(ppu_channel_create,
	TP_PROTO(u32 chid, u32 context, u32 hw_class, u32 entries, bool user),
	TP_ARGS(chid, context, hw_class, entries, user),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u32, context)
		__field(u32, hw_class)
		__field(u32, entries)
		__field(bool, user)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->context = context;
		__entry->hw_class = hw_class;
		__entry->entries = entries;
		__entry->user = user;
	),
	TP_printk("channel=%u context=%u class=%u entries=%u %s-submit", __entry->chid,
		  __entry->context, __entry->hw_class, __entry->entries,
		  __entry->user ? "user" : "kernel")
);

TRACE_EVENT(ppu_devq_init,
	TP_PROTO(u32 chid, u32 get, u32 put, u64 soft, u64 shadow),
	TP_ARGS(chid, get, put, soft, shadow),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u32, get)
		__field(u32, put)
		__field(u64, soft)
		__field(u64, shadow)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->get = get;
		__entry->put = put;
		__entry->soft = soft;
		__entry->shadow = shadow;
	),
	TP_printk("channel=%u get=%u put=%u soft=%llu shadow=%llu", __entry->chid, __entry->get,
		  __entry->put, __entry->soft, __entry->shadow)
);

DECLARE_EVENT_CLASS(ppu_channel,
	TP_PROTO(u32 chid, u32 context),
	TP_ARGS(chid, context),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u32, context)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->context = context;
	),
	TP_printk("channel=%u context=%u", __entry->chid, __entry->context)
);

DEFINE_EVENT(ppu_channel, ppu_devq_refresh,
	TP_PROTO(u32 chid, u32 context),
	TP_ARGS(chid, context)
);

DEFINE_EVENT(ppu_channel, ppu_channel_destroy,
	TP_PROTO(u32 chid, u32 context),
	TP_ARGS(chid, context)
);

TRACE_EVENT(ppu_channel_fail,
	TP_PROTO(u32 chid, u32 context, int err, u32 code),
	TP_ARGS(chid, context, err, code),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u32, context)
		__field(int, err)
		__field(u32, code)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->context = context;
		__entry->err = err;
		__entry->code = code;
	),
	TP_printk("channel=%u context=%u err=%d code=%u", __entry->chid, __entry->context,
		  __entry->err, __entry->code)
);

TRACE_EVENT(ppu_submit,
	TP_PROTO(u32 chid, u64 seqno, u32 entries, u32 syncs),
	TP_ARGS(chid, seqno, entries, syncs),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u64, seqno)
		__field(u32, entries)
		__field(u32, syncs)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->seqno = seqno;
		__entry->entries = entries;
		__entry->syncs = syncs;
	),
	TP_printk("channel=%u seqno=%llu entries=%u syncs=%u", __entry->chid, __entry->seqno,
		  __entry->entries, __entry->syncs)
);

TRACE_EVENT(ppu_job_run,
	TP_PROTO(u32 chid, u64 seqno, u32 entries),
	TP_ARGS(chid, seqno, entries),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u64, seqno)
		__field(u32, entries)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->seqno = seqno;
		__entry->entries = entries;
	),
	TP_printk("channel=%u seqno=%llu entries=%u", __entry->chid, __entry->seqno,
		  __entry->entries)
);

TRACE_EVENT(ppu_job_done,
	TP_PROTO(u32 chid, u64 seqno, int err),
	TP_ARGS(chid, seqno, err),
	TP_STRUCT__entry(
		__field(u32, chid)
		__field(u64, seqno)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->chid = chid;
		__entry->seqno = seqno;
		__entry->err = err;
	),
	TP_printk("channel=%u seqno=%llu err=%d", __entry->chid, __entry->seqno, __entry->err)
);

TRACE_EVENT(ppu_vm_bind,
	TP_PROTO(u32 context, u32 op, u64 va, u64 size, u32 flags),
	TP_ARGS(context, op, va, size, flags),
	TP_STRUCT__entry(
		__field(u32, context)
		__field(u32, op)
		__field(u64, va)
		__field(u64, size)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->context = context;
		__entry->op = op;
		__entry->va = va;
		__entry->size = size;
		__entry->flags = flags;
	),
	TP_printk("context=%u %s va=%#llx size=%#llx flags=%#x", __entry->context,
		  __entry->op ? "unmap" : "map", __entry->va, __entry->size, __entry->flags)
);

TRACE_EVENT(ppu_bind_done,
	TP_PROTO(u32 context, u32 ops, int error),
	TP_ARGS(context, ops, error),
	TP_STRUCT__entry(
		__field(u32, context)
		__field(u32, ops)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->context = context;
		__entry->ops = ops;
		__entry->error = error;
	),
	TP_printk("context=%u ops=%u error=%d", __entry->context, __entry->ops, __entry->error)
);

TRACE_EVENT(ppu_sem_signal,
	TP_PROTO(u64 addr, u32 op, u64 value, u64 old),
	TP_ARGS(addr, op, value, old),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u32, op)
		__field(u64, value)
		__field(u64, old)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->op = op;
		__entry->value = value;
		__entry->old = old;
	),
	TP_printk("addr=%#llx op=%u value=%llu old=%llu", __entry->addr, __entry->op,
		  __entry->value, __entry->old)
);

TRACE_EVENT(ppu_sem_wait,
	TP_PROTO(u64 addr, u32 op, u64 value, u32 conds),
	TP_ARGS(addr, op, value, conds),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u32, op)
		__field(u64, value)
		__field(u32, conds)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->op = op;
		__entry->value = value;
		__entry->conds = conds;
	),
	TP_printk("addr=%#llx op=%u value=%llu conds=%u", __entry->addr, __entry->op,
		  __entry->value, __entry->conds)
);

TRACE_EVENT(ppu_sem_wake,
	TP_PROTO(u64 addr, int ret),
	TP_ARGS(addr, ret),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->ret = ret;
	),
	TP_printk("addr=%#llx ret=%d", __entry->addr, __entry->ret)
);

TRACE_EVENT(ppu_fault,
	TP_PROTO(u32 seq, u32 code, u32 chid, u32 unit, u32 index, u64 va, u32 pc),
	TP_ARGS(seq, code, chid, unit, index, va, pc),
	TP_STRUCT__entry(
		__field(u32, seq)
		__field(u32, code)
		__field(u32, chid)
		__field(u32, unit)
		__field(u32, index)
		__field(u64, va)
		__field(u32, pc)
	),
	TP_fast_assign(
		__entry->seq = seq;
		__entry->code = code;
		__entry->chid = chid;
		__entry->unit = unit;
		__entry->index = index;
		__entry->va = va;
		__entry->pc = pc;
	),
	TP_printk("seq=%u code=%u channel=%u unit=%u.%u va=%#llx pc=%u", __entry->seq,
		  __entry->code, __entry->chid, __entry->unit, __entry->index, __entry->va,
		  __entry->pc)
);

TRACE_EVENT(ppu_move,
	TP_PROTO(u64 bytes, bool out, u64 ns),
	TP_ARGS(bytes, out, ns),
	TP_STRUCT__entry(
		__field(u64, bytes)
		__field(bool, out)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->bytes = bytes;
		__entry->out = out;
		__entry->ns = ns;
	),
	TP_printk("bytes=%llu %s ns=%llu", __entry->bytes, __entry->out ? "out" : "in",
		  __entry->ns)
);

TRACE_EVENT(ppu_hold,
	TP_PROTO(u32 context, bool held, bool work),
	TP_ARGS(context, held, work),
	TP_STRUCT__entry(
		__field(u32, context)
		__field(bool, held)
		__field(bool, work)
	),
	TP_fast_assign(
		__entry->context = context;
		__entry->held = held;
		__entry->work = work;
	),
	TP_printk("context=%u %s%s", __entry->context, __entry->held ? "held" : "let go",
		  __entry->work ? " with work" : "")
);

TRACE_EVENT(ppu_resume,
	TP_PROTO(u32 context, u64 ns),
	TP_ARGS(context, ns),
	TP_STRUCT__entry(
		__field(u32, context)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->context = context;
		__entry->ns = ns;
	),
	TP_printk("context=%u held_ns=%llu", __entry->context, __entry->ns)
);

TRACE_EVENT(ppu_recentre,
	TP_PROTO(u32 warp, s32 front, s32 back, u32 done),
	TP_ARGS(warp, front, back, done),
	TP_STRUCT__entry(
		__field(u32, warp)
		__field(s32, front)
		__field(s32, back)
		__field(u32, done)
	),
	TP_fast_assign(
		__entry->warp = warp;
		__entry->front = front;
		__entry->back = back;
		__entry->done = done;
	),
	TP_printk("sm=%u warp=%u head=%d tail=%d %s", __entry->warp >> 16, __entry->warp & 0xffff,
		  __entry->front, __entry->back, __entry->done == 1 ? "retry" : "kill")
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ppu_trace
#include <trace/define_trace.h>
