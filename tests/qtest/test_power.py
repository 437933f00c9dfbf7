#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Power states of the function (property pm): D0 and D3hot, what an access finds, what is lost, and the way back."""

import os
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import boot, check, equal, main, migrate, moved, run_dev            # noqa: E402
from qtest import BAR2, BAR4, DEVFN, K, Ppu, copy, release                # noqa: E402

PM_CAP, EXP_CAP, MSIX_CAP = 0x01, 0x10, 0x11
PMC, PMCSR = 2, 4
D0, D1, D2, D3HOT = range(4)
STATE, NO_SOFT_RESET = 3, 8
ONES = 0xffffffff


def power(ppu, state):
    ppu.qt.config(DEVFN, ppu.cap(PM_CAP) + PMCSR, state, 2)


def state(ppu):
    return ppu.qt.config(DEVFN, ppu.cap(PM_CAP) + PMCSR, size=2) & STATE


def asleep(props="", **kw):
    """A machine whose function has worked, and is in D3hot now."""
    qt = boot("pm=on" + ("," + props if props else ""), **kw)
    ppu = Ppu(qt)
    ppu.msix_enable()
    ppu.make_context()
    ppu.make_channel(1, K.CLASS_COPY)
    ppu.wr(K.REG_SCRATCH, 77)
    ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
    ppu.vram_write(0x123000, b"keep")
    power(ppu, D3HOT)
    return qt, ppu


def unanswered(ppu):
    equal(ppu.rd(K.REG_ID), ONES, "ID")
    equal(ppu.rd(K.REG_ID, 8), (1 << 64) - 1, "ID, 8 bytes")
    equal(ppu.rd(K.BAR0_USERD + K.REG_USERD_GP_PUT), ONES, "a user page")
    check(ppu.vram_read(0x123000, 16) == b"\xff" * 16, "VRAM answers")
    equal(ppu.qt.read(BAR2 + (64 << 20) - 4), ONES, "the end of VRAM")
    equal(ppu.qt.read(BAR4), ONES, "the table of messages")


def works(ppu):
    """The function is as after a reset, and can be used."""
    equal(ppu.rd(K.REG_ID), K.ID_MAGIC, "ID")
    equal(ppu.rd(K.REG_SCRATCH), 0, "SCRATCH")
    equal(ppu.rd(K.REG_INTR_ENABLE), 0, "INTR_ENABLE")
    equal(ppu.rd(K.REG_INTR_STATUS), 0, "INTR_STATUS")
    equal(ppu.rd(ppu.ch(1, K.REG_CH_STATUS)), 0, "CH_STATUS")
    check(ppu.vram_read(0x123000, 4) == b"keep", "VRAM was lost")
    ppu.make_context()
    ppu.make_channel(1, K.CLASS_COPY)
    ppu.submit(1, release(ppu.VA_VRAM + ppu.DATA, 6), 0)
    run_dev(ppu)
    equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 6, "the semaphore")


def test_capability():
    """There if the property says so: version 3, D0 and D3hot only, no PME, a soft reset on the way back"""
    with boot() as qt:
        check(Ppu(qt).cap(PM_CAP) is None, "there is a capability without the property")
    with boot("pm=on") as qt:
        ppu = Ppu(qt)
        equal(qt.config(DEVFN, ppu.cap(PM_CAP) + PMC, size=2), 3, "PMC")
        equal(qt.config(DEVFN, ppu.cap(PM_CAP) + PMCSR, size=2), D0, "PMCSR")
        qt.config(DEVFN, ppu.cap(PM_CAP) + PMCSR, 0xfffc, 2)
        equal(qt.config(DEVFN, ppu.cap(PM_CAP) + PMCSR, size=2), D0, "PMCSR after a write of its other bits")
        for wrong in (D1, D2):
            power(ppu, wrong)
            equal(state(ppu), D0, "the state after D%d" % wrong)
            equal(ppu.rd(K.REG_ID), K.ID_MAGIC, "ID")
            power(ppu, D3HOT)
            power(ppu, wrong)
            equal(state(ppu), D3HOT, "the state after D3hot and D%d" % wrong)
            power(ppu, D0)
            ppu = Ppu(qt)


def test_no_answer():
    """In D3hot no access to memory space is answered, configuration space is; D0 is as after a reset, VRAM is kept"""
    qt, ppu = asleep()
    with qt:
        equal(state(ppu), D3HOT, "the state")
        equal(qt.config(DEVFN, 0), K.PCI_DEVICE_ID << 16 | K.PCI_VENDOR_ID, "configuration space")
        equal(qt.config(DEVFN, 4, size=2) & 6, 6, "the command register")
        unanswered(ppu)
        ppu.wr(K.REG_SCRATCH, 78)
        ppu.vram_write(0x123000, b"lost")
        ppu.doorbell(1, 1)
        run_dev(ppu)
        unanswered(ppu)
        power(ppu, D0)
        equal(state(ppu), D0, "the state")
        equal(qt.config(DEVFN, 4, size=2) & 6, 0, "the command register after the soft reset")
        check(not qt.config(DEVFN, ppu.cap(MSIX_CAP) + 2, size=2) & 0x8000, "MSI-X is on after the soft reset")
        works(Ppu(qt))


def test_work_ends():
    """A copy that runs, a doorbell that nobody looked at and an interrupt that is pending end with D3hot"""
    with boot("pm=on") as qt:
        ppu = Ppu(qt)
        ppu.msix_enable()
        ppu.make_context()
        ppu.make_channel(1, K.CLASS_COPY)
        ppu.vram_write(ppu.DATA, b"\0" * 4096)
        ppu.vram_write(ppu.DATA + 4096, b"\5" * 4096)
        cap = ppu.cap(MSIX_CAP)
        qt.config(DEVFN, cap + 2, 0xc000, 2)
        ppu.wr(K.REG_INTR_ENABLE, K.INTR_CHINTR)
        ppu.wr(K.REG_INTR_TEST, K.INTR_CHINTR)
        equal(qt.read(BAR4 + 0x800) >> K.VEC_CHANNEL & 1, 1, "the pending bit")
        ppu.submit(1, copy(ppu.VA_VRAM + ppu.DATA + 4096, ppu.VA_VRAM + ppu.DATA, 4096), 0)
        power(ppu, D3HOT)
        qt.config(DEVFN, cap + 2, 0x8000, 2)
        run_dev(ppu)
        power(ppu, D0)
        ppu = Ppu(qt)
        run_dev(ppu)
        check(ppu.vram_read(ppu.DATA, 4096) == b"\0" * 4096, "the copy went on")
        check(not ppu.irq(K.VEC_CHANNEL), "a message was sent")
        equal(ppu.rd(K.REG_INTR_STATUS), 0, "INTR_STATUS")
        equal(ppu.get(1), 0, "GP_GET")


def test_thread_ends():
    """The same while the device has a thread: after D0 nothing of what was submitted is still done"""
    with boot("pm=on,clock=thread") as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        for chid in range(1, 5):
            ppu.make_channel(chid, K.CLASS_COPY)
            for i in range(7):
                ppu.submit(chid, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_VRAM + 0x100000, 0x80000) * 5, i)
        power(ppu, D3HOT)
        unanswered(ppu)
        power(ppu, D0)
        ppu = Ppu(qt)
        ppu.vram_write(0x100000, b"new!")
        time.sleep(0.05)
        check(ppu.vram_read(0x100000, 4) == b"new!", "a copy went on")
        equal(ppu.get(1), 0, "GP_GET")


def test_flr():
    """A function level reset, and one of the machine, end D3hot"""
    for how in ("flr", "machine"):
        qt, ppu = asleep()
        with qt:
            if how == "flr":
                cap = ppu.cap(EXP_CAP)
                qt.config(DEVFN, cap + 8, qt.config(DEVFN, cap + 8, size=2) | 0x8000, 2)
            else:
                qt.qmp("system_reset")
                qt.qmp("query-status")
            equal(state(ppu), D0, "the state after " + how)
            works(Ppu(qt))


def test_migration():
    """A function in D3hot is in D3hot on the other side, and wakes there; one in D0 is not"""
    qt, ppu = asleep()
    with qt:
        qt.qmp("stop")
        with migrate(qt, "pm=on") as dst:
            other = moved(dst)
            equal(state(other), D3HOT, "the state")
            unanswered(other)
            dst.qmp("cont")
            power(other, D0)
            works(Ppu(dst))
        qt.qmp("cont")
        power(ppu, D0)
        Ppu(qt).wr(K.REG_SCRATCH, 4711)
        qt.qmp("stop")
        with migrate(qt, "pm=on") as dst:
            equal(moved(dst).rd(K.REG_SCRATCH), 4711, "SCRATCH")


def test_other_property():
    """A stream with the capability needs a function that has it, and one without a function that has it not"""
    for here, there in (("pm=on", "pm=off"), ("pm=off", "pm=on")):
        with boot(here) as qt:
            qt.qmp("stop")
            try:
                with migrate(qt, there):
                    raise AssertionError("%s was taken by %s" % (here, there))
            except RuntimeError as err:
                check("config" in str(err), "no sentence about configuration space: %s" % err)


def test_running_core():
    """A stream whose function sleeps and works at the same time: the work is lost"""
    with boot("pm=on") as qt:
        ppu = Ppu(qt)
        ppu.wr(K.REG_SCRATCH, 0x5ca7c4ed)
        at = ppu.cap(PM_CAP)
        before = bytes(qt.config(DEVFN, r, size=1) for r in range(256))
        qt.qmp("stop")

        def edit(stream):
            where = stream.rindex(before)
            return stream[:where + at + PMCSR] + bytes([D3HOT]) + stream[where + at + PMCSR + 1:]
        with migrate(qt, "pm=on", edit=edit) as dst:
            other = moved(dst)
            equal(other.rd(K.REG_SCRATCH), ONES, "SCRATCH")
            power(other, D0)
            equal(Ppu(dst).rd(K.REG_SCRATCH), 0, "SCRATCH")


if __name__ == "__main__":
    sys.exit(main(globals()))
