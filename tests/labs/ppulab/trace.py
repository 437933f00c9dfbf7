# SPDX-License-Identifier: MIT
"""Traces of the device; include/hw/ppu_trace.h says what they contain."""

import collections
import os
import re
import struct

from . import paths

Event = collections.namedtuple("Event", "time name unit a b c d")
HEADER = struct.Struct("<QIIIIIIIIII")
RECORD = struct.Struct("<QHHIQQQ")
MAGIC = 0x3145434152545550
LIMIT = 4 << 20         # events that are read


def names():
    with open(os.path.join(paths.TOP, "include/hw/ppu_trace.h"), encoding="utf-8") as f:
        return {int(num): name for name, num in re.findall(r"^T\((\w+),\s*(\d+),", f.read(), re.M)}


def read(path):
    """The events of a trace, in order; [] if the device did not write one."""
    try:
        with open(path, "rb") as f:
            data = f.read(HEADER.size + LIMIT * RECORD.size)
    except OSError:
        return []
    if len(data) < HEADER.size or HEADER.unpack_from(data)[0] != MAGIC:
        return []
    known = names()
    body = memoryview(data)[HEADER.size:]
    body = body[:len(body) // RECORD.size * RECORD.size]
    return [Event(t, known.get(e, str(e)), u, a, b, c, d) for t, e, u, a, b, c, d in RECORD.iter_unpack(body)]
