# SPDX-License-Identifier: MIT
"""Device traces, read and written without ppu-trace: the layout is include/hw/ppu_trace.h, from which
the names and numbers of events are taken."""

import os
import re
import struct
from collections import Counter

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HEAD = struct.Struct("<QII8I")
REC = struct.Struct("<QHHIQQQ")
MAGIC = 0x3145434152545550


def read_header():
    """{name: number}, {number: unit}, {PPU_TRx_NAME: value}"""
    with open(os.path.join(TOP, "include/hw/ppu_trace.h"), encoding="ascii") as f:
        text = f.read()
    events, units = {}, {}
    for name, number, unit in re.findall(r'^T\((\w+),\s*(\d+), "([^"]*)"', text, re.M):
        events[name] = int(number)
        units[int(number)] = unit
    values = {n: int(v) for n, v in re.findall(r"^#define (PPU_TR[A-Z]_\w+)\s+(\d+)", text, re.M)}
    return events, units, values


EVENT, UNIT, VALUE = read_header()
NAME = {number: name for name, number in EVENT.items()}


class Rec:
    """One record. index: its place in the file."""
    __slots__ = ("time", "event", "unit", "a", "b", "c", "d", "index")

    def __init__(self, time, event, unit=0, a=0, b=0, c=0, d=0):
        self.time, self.unit = time, unit
        self.event = EVENT[event] if isinstance(event, str) else event
        self.a, self.b, self.c, self.d = a, b, c, d
        self.index = -1

    @property
    def name(self):
        return NAME[self.event]

    def pack(self):
        return REC.pack(self.time, self.event, self.unit, self.a, self.b, self.c, self.d)


def header(channels=16, copy_engines=2, gpcs=1, sms_per_gpc=2, warps_per_sm=8, task_slots=4, priorities=4, version=1,
           record_bytes=REC.size, magic=MAGIC, priority_order=0):
    return HEAD.pack(magic, version, record_bytes, channels, copy_engines, gpcs, sms_per_gpc, warps_per_sm, task_slots,
                     priorities, priority_order)


def write(path, recs, **head):
    with open(path, "wb") as f:
        f.write(header(**head))
        for r in recs:
            f.write(r.pack())


def read(path):
    """The records in order of time; those of one time in the order of the file."""
    with open(path, "rb") as f:
        data = f.read()
    recs = []
    for values in REC.iter_unpack(data[HEAD.size:]):
        recs.append(Rec(*values))
    recs.sort(key=lambda r: r.time)
    for i, r in enumerate(recs):
        r.index = i
    return recs


def semaphores(recs):
    """Which semaphore a record is about: {index: (context, address)}.

    A context is an instance block, from a channel's enabling until no channel of it is left. A command
    writes in its channel's context, a copy engine in that of its copy, a task in that of its channel;
    what an SM or the CPU wrote was waited for by a channel."""
    context, inst_of, live, numbers = {}, {}, Counter(), {}
    waiter, copy_of, task_channel, in_slot, out, given = {}, {}, {}, {}, {}, 0

    def leave(ch):
        if ch in inst_of:
            live[inst_of.pop(ch)] -= 1

    for r in recs:
        name = r.name
        if name == "CH_ENABLE":
            leave(r.unit)
            if not live[r.d]:
                numbers[r.d] = given
                given += 1
            live[r.d] += 1
            inst_of[r.unit] = r.d
            context[r.unit] = numbers[r.d]
        elif name == "CH_DISABLE" and r.a != VALUE["PPU_TRD_PAUSE"]:
            leave(r.unit)
        elif name == "RESET":
            live.clear()
            inst_of.clear()
        elif name == "CE_START":
            copy_of[r.unit] = r.a
        elif name == "TASK_ACCEPT":
            task_channel[r.c] = r.unit
        elif name in ("TASK_SCHED", "TASK_RESUME"):
            in_slot[r.unit] = r.c
        elif name in ("BLOCK", "UNBLOCK") and r.a in (VALUE["PPU_TRB_ACQUIRE"], VALUE["PPU_TRB_GATE"]):
            if name == "BLOCK":
                waiter[r.b] = r.unit
            out[r.index] = (context.get(r.unit, 0), r.b)
        elif name == "SEM_WRITE":
            channel = r.unit if r.a == VALUE["PPU_TRW_COMMAND"] else waiter.get(r.b, r.unit)
            if r.a == VALUE["PPU_TRW_CE"]:
                channel = copy_of.get(r.unit, channel)
            elif r.a == VALUE["PPU_TRW_TASK"]:
                channel = task_channel.get(in_slot.get(r.unit), channel)
            out[r.index] = (context.get(channel, 0), r.b)
    return out


def sem_id(sem):
    """The number of a semaphore's lane."""
    return sem[0] << 48 | sem[1]
