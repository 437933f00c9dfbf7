#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The device's thread while the machine stops, goes on, and loses the device."""

import os
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import boot, check, equal, main, wait_until                         # noqa: E402
from qtest import BAR0, BAR2, BAR4, K, Ppu, Qtest, copy, hdr, release           # noqa: E402

PORT = 0x18                     # a root port, and the function behind it
BEHIND = 1 << 8
SLTCTL, SLOT_ON, SLOT_OFF = 0x18, 0x100, 0x700


class HotPpu(Ppu):
    """A PPU that is plugged into the root port."""

    def __init__(self, qt):
        qt.config(PORT, 0x18, 0x010100)                         # bus 1
        qt.config(PORT, 0x20, BAR0 >> 16 | (BAR4 & 0xffff0000) | 0xfff00000)
        qt.config(PORT, 0x24, 0x00010001 | (0xfff0 << 16))      # prefetchable, 64 bits
        qt.config(PORT, 0x28, BAR2 >> 32)
        qt.config(PORT, 0x2c, BAR2 >> 32)
        qt.config(PORT, 4, 6, 2)
        super().__init__(qt, devfn=BEHIND)


def slot(qt, state):
    cap = Ppu.cap_of(qt, PORT, 0x10)
    qt.config(PORT, cap + SLTCTL, state, 2)


def plugged(qt):
    return any(p["name"] == "hot" for p in qt.qmp("qom-list", path="/machine/peripheral"))


def freed(qt):
    """Has QEMU let go of the device that was unplugged? It says so when nothing refers to it any more."""
    qt.qmp("query-status")
    return any(e["event"] == "DEVICE_DELETED" and e["data"].get("device") == "hot" for e in qt.events)


def load(ppu, count):
    """Copies that take a while, each with an interrupt and a semaphore behind it."""
    ppu.make_context()
    ppu.make_channel(0, K.CLASS_COPY, 64)
    ppu.msix_enable()
    ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
    for i in range(count):
        ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_SYS + 64 * i, 0x80000) +
                   release(ppu.VA_VRAM + 0x60000, i + 1) + [hdr(K.CMD_INTR, 2), 7], i, 64)


def test_unplug():
    """Plugged, loaded, unplugged while copies to system memory run: the machine goes on, ten times"""
    with Qtest("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",
               "-device", "pcie-root-port,id=behind,chassis=1,slot=1,addr=%x.0" % (PORT >> 3)) as qt:
        for clock in ["thread"] * 8 + ["virtual"] * 2:
            slot(qt, SLOT_ON)
            qt.qmp("device_add", driver="ppu", bus="behind", id="hot", vram=64 << 20, clock=clock)
            ppu = HotPpu(qt)
            equal(ppu.rd(K.REG_ID), K.ID_MAGIC, "register ID behind the root port")
            load(ppu, 40)
            wait_until(lambda p=ppu, c=clock: c == "virtual" or p.vram_read(0x60000, 8) != bytes(8), "a first copy")
            qt.qmp("device_del", id="hot")
            slot(qt, SLOT_OFF)
            wait_until(lambda: not plugged(qt), "the end of the device")
            wait_until(lambda: freed(qt), "the event that says that the device was freed")
            qt.events.clear()
            equal(ppu.rd(K.REG_ID), 0, "a register of the device that is gone")


def test_trace_points():
    """QEMU's own tracing shows what the glue does; unplug ends the thread before the listener that its maps need"""
    with Qtest("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off", "-trace", "ppu_*",
               "-device", "pcie-root-port,id=behind,chassis=1,slot=1,addr=%x.0" % (PORT >> 3)) as qt:
        slot(qt, SLOT_ON)
        qt.qmp("device_add", driver="ppu", bus="behind", id="hot", vram=64 << 20, clock="thread")
        ppu = HotPpu(qt)
        load(ppu, 1)
        wait_until(lambda: "ppu_irq_sent" in qt.output(), "a message in the trace")
        ppu.wr(K.BAR0_USERD + K.REG_USERD_KICK, 1)
        qt.qmp("stop")
        qt.qmp("cont")
        slot(qt, SLOT_OFF)
        wait_until(lambda: not plugged(qt), "the end of the device")
        lines = [l.split("ppu_", 1)[1] for l in qt.output().splitlines() if "ppu_" in l]
        seen = [l.split()[0] for l in lines]
        for event in ("realize", "reset", "reg_read", "reg_write", "doorbell", "kick", "map", "maps_dropped", "irq_sent",
                      "thread_parked", "thread_goes_on", "exit", "thread_end"):
            check(event in seen, "no ppu_%s in QEMU's trace" % event)
        gone = [i for i, l in enumerate(lines) if l.startswith("listen ") and l.endswith("on 0")]
        check(gone and gone[0] > seen.index("thread_end"), "the listener went before the thread")


def test_stopped_is_silent():
    """While the machine is stopped neither messages nor memory writes come; afterwards nothing is missing"""
    with boot("clock=thread") as qt:
        ppu = Ppu(qt)

        def done():
            return struct.unpack("<Q", ppu.vram_read(0x60000, 8))[0]

        load(ppu, 60)
        seen = 0
        while seen < 60:
            wait_until(lambda: done() > seen, "copy %d" % (seen + 1))
            qt.qmp("stop")
            seen = done()
            ppu.irq(K.VEC_CHANNEL)
            time.sleep(0.005)
            check(not ppu.irq(K.VEC_CHANNEL), "a message came while the machine was stopped")
            equal(done(), seen, "semaphore while the machine is stopped")
            ppu.wr(K.REG_INTR_STATUS, K.INTR_ALL)
            qt.qmp("cont")
        wait_until(lambda: ppu.get(0) == 60, "the interrupt behind the last copy")
        ppu.wr(K.REG_INTR_STATUS, K.INTR_ALL)
        ppu.irq(K.VEC_CHANNEL)
        ppu.submit(0, [hdr(K.CMD_INTR, 2), 7], 60, 64)
        wait_until(lambda: ppu.irq(K.VEC_CHANNEL), "the last message")


def test_own_doorbell():
    """A message that is addressed to the device's own registers and raises the next: no recursion, no end of QEMU"""
    for clock in ("thread", "virtual"):
        with boot("clock=" + clock) as qt:
            ppu = Ppu(qt)
            ppu.msix_enable()
            for v in range(K.NUM_VECTORS):      # each message enables interrupts, which sends what is pending
                qt.write(BAR4 + 16 * v, BAR0 + K.REG_INTR_ENABLE)
                qt.write(BAR4 + 16 * v + 8, K.INTR_ALL)
            ppu.wr(K.REG_INTR_TEST, K.INTR_ALL)
            ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
            for _ in range(100):
                equal(ppu.rd(K.REG_INTR_STATUS), K.INTR_ALL, "INTR_STATUS in the storm")
            ppu.wr(K.REG_INTR_STATUS, K.INTR_ALL)
            equal(ppu.rd(K.REG_INTR_STATUS), 0, "INTR_STATUS after the storm")
            equal(ppu.rd(K.REG_INTR_ENABLE), K.INTR_ALL, "INTR_ENABLE")


if __name__ == "__main__":
    sys.exit(main(globals()))
