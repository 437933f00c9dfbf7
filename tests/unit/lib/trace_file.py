# SPDX-License-Identifier: MIT
"""Device traces, read and written without ppu-trace: the layout is include/hw/ppu_trace.h, from which
the names and numbers of events are taken."""

import os
import re
import struct

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
           record_bytes=REC.size, magic=MAGIC):
    return HEAD.pack(magic, version, record_bytes, channels, copy_engines, gpcs, sms_per_gpc, warps_per_sm, task_slots,
                     priorities, 0)


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
