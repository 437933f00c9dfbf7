#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Snapshots and migration: what was under way goes on in the other machine, and nothing is lost between the two."""

import os
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import boot, check, equal, main, migrate, moved, run_dev, wait_until   # noqa: E402
from qtest import K, Ppu, acquire, copy, release                                # noqa: E402


def test_migration():
    """Snapshot in the middle of a copy and with a channel blocked: the restored machine goes on"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COPY)
        ppu.make_channel(1, K.CLASS_COMPUTE)
        data = bytes((i * 7 + 3) & 0xff for i in range(256 * 1024))
        ppu.vram_write(ppu.DATA, data)
        ppu.wr(K.REG_SCRATCH, 4711)
        ppu.submit(1, acquire(ppu.VA_VRAM + 0x60000, 3) + release(ppu.VA_VRAM + 0x60040, 8), 0)
        ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_VRAM + 0x100000, len(data)) +
                   release(ppu.VA_VRAM + 0x60000, 3), 0)
        qt.clock_step(2000)     # the copy has begun (set-up 1 us), not ended (about 20 us)
        equal(ppu.get(0), 0, "GP_GET in the middle of the copy")
        qt.qmp("stop")
        with migrate(qt) as dst:
            dst.qmp("cont")
            new = moved(dst)
            equal(new.rd(K.REG_SCRATCH), 4711, "SCRATCH")
            run_dev(new)
            check(new.vram_read(0x100000, len(data)) == data, "the copy did not finish right")
            equal(new.get(0), 1, "GP_GET of the copy channel")
            equal(struct.unpack("<Q", new.vram_read(0x60040, 8))[0], 8, "semaphore behind the acquire")


def test_thread():
    """The device thread: work runs by itself, through stop, cont and a snapshot under load"""
    with boot("clock=thread") as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COPY, 64)
        data = bytes((i * 11 + 5) & 0xff for i in range(192 * 1024))
        ppu.vram_write(ppu.DATA, data)

        def word(off):
            return struct.unpack("<Q", ppu.vram_read(off, 8))[0]

        put = 0
        for i in range(60):
            ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_VRAM + 0x100000 + 64 * i, len(data)) +
                       release(ppu.VA_VRAM + 0x60000, i + 1), put, 64)
            put = (put + 1) % 64
            if i % 3 == 0:
                qt.qmp("stop")
                before = word(0x60000)
                time.sleep(0.002)
                equal(word(0x60000), before, "semaphore while the machine is stopped")
                qt.qmp("cont")
        wait_until(lambda: word(0x60000) == 60, "60 copies")
        check(ppu.vram_read(0x100000 + 64 * 59, len(data)) == data, "the last copy is wrong")
        for i in range(3):
            ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_VRAM + 0x140000, len(data)) +
                       release(ppu.VA_VRAM + 0x60000, 100 + i), put, 64)
            put = (put + 1) % 64
        with migrate(qt, "clock=thread", stop=False) as dst:
            new = moved(dst)
            ppu.qt = dst
            wait_until(lambda: word(0x60000) == 102, "copies after the migration")
            check(new.vram_read(0x140000, len(data)) == data, "a copy after the migration is wrong")


def arm_watch(ppu, index, value):
    """Watch entry `index`: the word at DATA is `value`."""
    entry = K.BAR0_WATCH + index * K.WATCH_STRIDE
    for reg, val in ((K.REG_WATCH_ADDR_LO, ppu.DATA), (K.REG_WATCH_ADDR_HI, 0), (K.REG_WATCH_VALUE_LO, value),
                     (K.REG_WATCH_VALUE_HI, 0), (K.REG_WATCH_CTRL, K.WATCH_ARM | K.SEM_OP_EQ << K.WATCH_OP_SHIFT)):
        ppu.wr(entry + reg, val)


def test_latched():
    """Doorbell and kick that the device thread has not seen when the machine stops: their interrupts are not lost"""
    for clock in ("thread", "virtual"):
        with boot("clock=" + clock) as qt:
            ppu = Ppu(qt)
            ppu.msix_enable()
            ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
            ppu.make_context()
            ppu.make_channel(0, K.CLASS_COMPUTE)
            arm_watch(ppu, 0, 9)
            qt.qmp("stop")
            ppu.vram_write(ppu.DATA, struct.pack("<Q", 9))
            ppu.doorbell(0, 1000)       # not in the ring
            ppu.wr(K.BAR0_USERD + K.REG_USERD_KICK, 1)
            with migrate(qt, "clock=" + clock) as dst:
                new = moved(dst)
                for vector, what in ((K.VEC_ERROR, "doorbell"), (K.VEC_WATCH, "kick")):
                    check(not new.irq(vector), "%s: the message of the %s came while the machine was stopped" %
                          (clock, what))
                dst.qmp("cont")
                for vector, what in ((K.VEC_ERROR, "doorbell"), (K.VEC_WATCH, "kick")):
                    wait_until(lambda v=vector: new.irq(v), "%s: message of the latched %s" % (clock, what))
                check(new.rd(K.REG_INTR_STATUS) & K.INTR_CHERR, "CHERR is not pending")
                new.wr(K.REG_INTR_STATUS, K.INTR_ALL)
                dst.qmp("stop")
                dst.qmp("cont")
                check(not any(new.irq(v) for v in range(K.NUM_VECTORS)), clock + ": a message came twice")


def test_latched_and_back():
    """A migration that is given up: the machine that goes on gets the message, too"""
    with boot("clock=thread") as qt:
        ppu = Ppu(qt)
        ppu.msix_enable()
        ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COMPUTE)
        qt.qmp("stop")
        ppu.doorbell(0, 1000)
        with migrate(qt, "clock=thread"):
            pass
        qt.qmp("cont")
        wait_until(lambda: ppu.irq(K.VEC_ERROR), "the message in the first machine")


def test_messages_of_no_vector():
    """A stream with a message of a vector that the device does not have is refused; it does not end QEMU"""
    for pending in (1 << K.NUM_VECTORS, 1 << 31):
        with boot("clock=thread") as qt:
            ppu = Ppu(qt)
            ppu.msix_enable()
            ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
            ppu.make_context()
            ppu.make_channel(0, K.CLASS_COMPUTE)
            qt.qmp("stop")
            ppu.doorbell(0, 1000)
            try:
                with migrate(qt, "clock=thread", edit=lambda stream, n=pending: edited(stream, n)) as dst:
                    dst.qmp("cont")
                    time.sleep(0.1)
                    dst.qmp("query-status")
                raise AssertionError("the vectors %#x were accepted" % pending)
            except RuntimeError as err:
                check("ppu/messages" in str(err), "no sentence about the messages: %s" % err)


def edited(stream, pending):
    """The stream with other messages pending: the subsection has its name, its version, the vectors."""
    head = b"ppu/messages" + struct.pack(">I", 1)
    at = stream.rindex(head) + len(head)
    check(struct.unpack_from(">I", stream, at)[0] != 0, "no message is pending")
    return stream[:at] + struct.pack(">I", pending) + stream[at + 4:]


def test_host_side_differs():
    """Workers, engine and trace classes are the host's affair: another number there takes the state, another shape not"""
    with boot("workers=0,engine=1") as qt:
        Ppu(qt).wr(K.REG_SCRATCH, 4712)
        qt.qmp("stop")
        with migrate(qt, "workers=2,engine=0,trace-classes=1") as dst:
            equal(moved(dst).rd(K.REG_SCRATCH), 4712, "SCRATCH")
        qt.qmp("cont")      # a machine whose state went elsewhere and that did not go on is not saved again
        qt.qmp("stop")
        try:
            with migrate(qt, "gpcs=4"):
                raise AssertionError("the state of another shape was accepted")
        except RuntimeError as err:
            check("property gpcs was " in str(err), "no sentence about the shape: %s" % err)


if __name__ == "__main__":
    sys.exit(main(globals()))
