#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The PPU as QEMU and a PCI bus see it: configuration space, BARs, MSI-X, reset, properties, DMA,
doorbells. HW-3, HW-4, HW-11."""

import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import ADDR, boot, check, equal, main, run_dev                      # noqa: E402
from qtest import (BAR4, DEVFN, K, MSIX_PBA, RAM_DATA, Ppu, Qtest,              # noqa: E402
                   acquire, copy, hdr, release)


def test_ids():
    """HW-3, HW-80: identity, class 3D controller, PCI Express and MSI-X capabilities"""
    with boot() as qt:
        ppu = Ppu(qt)
        equal(qt.config(DEVFN, 0), K.PCI_DEVICE_ID << 16 | K.PCI_VENDOR_ID, "vendor and device id")
        equal(qt.config(DEVFN, 8) >> 16, K.PCI_CLASS, "class")
        equal(qt.config(DEVFN, 8) & 0xff, K.PCI_REVISION, "revision")
        check(ppu.cap(0x10), "no PCI Express capability")
        check(ppu.cap(0x11), "no MSI-X capability")
        equal(qt.config(DEVFN, ppu.cap(0x11) + 2, size=2) & 0x7ff, K.NUM_VECTORS - 1, "MSI-X table size")
        equal(qt.config(DEVFN, ppu.cap(0x10) + 4) >> 28 & 1, 1, "FLR capability")


def test_bars():
    """BAR sizes and types: registers 64-bit, VRAM 64-bit prefetchable (HW-4)"""
    with boot("channels=256") as qt:
        def size(bar):
            qt.config(DEVFN, bar, 0xffffffff)
            qt.config(DEVFN, bar + 4, 0xffffffff)
            lo, hi = qt.config(DEVFN, bar), qt.config(DEVFN, bar + 4)
            return lo & 0xf, (~((hi << 32 | lo) & ~0xf) & (1 << 64) - 1) + 1
        kind, n = size(0x10)
        equal(kind, 4, "BAR0 type")
        equal(n, 4 << 20, "BAR0 size")
        kind, n = size(0x18)
        equal(kind, 0xc, "BAR2 type")
        equal(n, 64 << 20, "BAR2 size")


def test_registers():
    """ID, version, scratch, capabilities follow the properties (HW-50)"""
    with boot("gpcs=2,sms-per-gpc=3,copy-engines=4,channels=16,device-priorities=10") as qt:
        ppu = Ppu(qt)
        equal(ppu.rd(K.REG_ID), K.ID_MAGIC, "ID")
        equal(ppu.rd(K.REG_VERSION), K.HW_VERSION, "VERSION")
        ppu.wr(K.REG_SCRATCH, 0x12345678)
        equal(ppu.rd(K.REG_SCRATCH), 0x12345678, "SCRATCH")
        ppu.wr(K.REG_ID, 0)
        equal(ppu.rd(K.REG_ID), K.ID_MAGIC, "ID after a write")
        for reg, want in ((K.REG_CAP_GPCS, 2), (K.REG_CAP_SMS_PER_GPC, 3), (K.REG_CAP_COPY_ENGINES, 4),
                          (K.REG_CAP_CHANNELS, 16), (K.REG_CAP_DEVICE_PRIORITIES, 10),
                          (K.REG_CAP_VRAM_MB, 64)):
            equal(ppu.rd(reg), want, "capability %#x" % reg)
        equal(ppu.rd(K.REG_SCRATCH, 8) & 0xffffffff, 0x12345678, "8-byte read of SCRATCH")
        for off, n in ((K.REG_SCRATCH + 1, 1), (K.REG_SCRATCH, 2), (K.REG_SCRATCH + 2, 4)):
            equal(ppu.rd(off, n), 0, "odd access")
            ppu.wr(off, 0xff, n)
        equal(ppu.rd(K.REG_SCRATCH), 0x12345678, "SCRATCH after odd writes")
        check("ppu" in qt.output(), "odd accesses are not logged as guest errors")


def test_vram():
    """BAR2 is VRAM: 64 MiB hold what was written, first and last byte (HW-11)"""
    with boot() as qt:
        ppu = Ppu(qt)
        for off in (0, 4096, (64 << 20) - 8):
            ppu.vram_write(off, struct.pack("<Q", off ^ 0xabcdef))
        for off in (0, 4096, (64 << 20) - 8):
            equal(struct.unpack("<Q", ppu.vram_read(off, 8))[0], off ^ 0xabcdef, "VRAM at %#x" % off)


def test_vram_of_1_gib():
    """1 GiB of VRAM: the BAR's size, the capability, and the last page, which a copy reaches too (HW-11)"""
    size = 1 << 30
    with boot("vram=1G") as qt:
        qt.config(DEVFN, 0x18, 0xffffffff)
        qt.config(DEVFN, 0x1c, 0xffffffff)
        bar = qt.config(DEVFN, 0x1c) << 32 | qt.config(DEVFN, 0x18)
        equal((~(bar & ~0xf) & (1 << 64) - 1) + 1, size, "BAR2 size")
        ppu = Ppu(qt)
        equal(ppu.rd(K.REG_CAP_VRAM_MB), 1024, "the capability")
        ppu.make_context()
        ppu.vram_write(ppu.PT + 3 * 4096 + 8 * 511, struct.pack("<Q", size - 4096 | K.PTE_VALID))
        ppu.make_channel(1, K.CLASS_COPY)
        for off in (1 << 20, 512 << 20, size - 8):
            ppu.vram_write(off, struct.pack("<Q", off ^ 0xabcdef))
        for off in (1 << 20, 512 << 20, size - 8):
            equal(struct.unpack("<Q", ppu.vram_read(off, 8))[0], off ^ 0xabcdef, "VRAM at %#x" % off)
        ppu.submit(1, copy(ppu.VA_VRAM + 511 * 4096 + 4088, ppu.VA_VRAM + ppu.DATA, 8), 0)
        run_dev(ppu)
        equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], size - 8 ^ 0xabcdef, "what was copied")


def test_paths():
    """A doorbell comes to the host interface, a register to its unit, a BAR2 access to VRAM: counted by path (HW-4)"""
    with boot() as qt:
        path = [d for d in qt.qmp("qom-list", path="/machine/peripheral-anon") if d["type"] == "child<ppu>"]
        path = "/machine/peripheral-anon/" + path[0]["name"]
        names = ("doorbells", "mmio_writes", "mmio_userd_accesses", "ring_entries", "memory_writes")

        def counters():
            return [qt.qmp("qom-get", path=path, property="counter-" + n) for n in names]

        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(1, K.CLASS_COPY)
        ppu.submit(1, release(ppu.VA_VRAM + ppu.DATA, 7), 0, ring_bell=False)
        was = counters()
        ppu.vram_write(ppu.DATA + 64, b"12345678")
        equal(int.from_bytes(ppu.vram_read(ppu.DATA + 64, 8), "little"), int.from_bytes(b"12345678", "little"), "VRAM")
        check(counters() == was, "an access to BAR2 was counted as another: %s, %s" % (was, counters()))
        ppu.wr(K.REG_SCRATCH, 5)
        now = counters()
        check([n - w for n, w in zip(now, was)] == [0, 1, 0, 0, 0], "a register: %s, %s" % (was, now))
        was = now
        ppu.doorbell(1, 1)
        run_dev(ppu)
        now = counters()
        check([n - w for n, w in zip(now, was)][:1] + [now[3] - was[3]] == [1, 1], "a doorbell: %s, %s" % (was, now))
        check(now[2] > was[2], "a doorbell is no access of a user page: %s, %s" % (was, now))
        equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 7, "the semaphore")


def test_msix():
    """An enabled cause sends its vector; masked it goes to the PBA and fires when unmasked"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.msix_enable()
        ppu.wr(K.REG_INTR_TEST, K.INTR_CHINTR)
        check(not ppu.irq(K.VEC_CHANNEL), "a disabled cause sent a message")
        equal(ppu.rd(K.REG_INTR_STATUS), K.INTR_CHINTR, "INTR_STATUS")
        ppu.wr(K.REG_INTR_ENABLE, K.INTR_CHINTR)
        check(ppu.irq(K.VEC_CHANNEL), "enabling a pending cause sent nothing")
        ppu.wr(K.REG_INTR_TEST, K.INTR_CHINTR)
        check(not ppu.irq(K.VEC_CHANNEL), "a cause that was already pending sent again")
        ppu.wr(K.REG_INTR_STATUS, K.INTR_CHINTR)
        equal(ppu.rd(K.REG_INTR_STATUS), 0, "INTR_STATUS after clearing")
        qt.write(BAR4 + 16 * K.VEC_CHANNEL + 12, 1)
        ppu.wr(K.REG_INTR_TEST, K.INTR_CHINTR)
        check(not ppu.irq(K.VEC_CHANNEL), "a masked vector sent a message")
        equal(qt.read(BAR4 + MSIX_PBA) >> K.VEC_CHANNEL & 1, 1, "pending bit")
        qt.write(BAR4 + 16 * K.VEC_CHANNEL + 12, 0)
        check(ppu.irq(K.VEC_CHANNEL), "unmasking sent nothing")
        equal(qt.read(BAR4 + MSIX_PBA) >> K.VEC_CHANNEL & 1, 0, "pending bit after unmasking")


def test_doorbell():
    """WQ-3, WQ-8: a store to GP_PUT runs the entry; GP_GET advances; INTR reaches vector 1"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.msix_enable()
        ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
        ppu.make_context()
        ppu.make_channel(3, K.CLASS_COMPUTE)
        va = ppu.VA_VRAM + ppu.DATA
        ppu.submit(3, release(va, 0x1122334455667788) + [hdr(K.CMD_INTR, 2), 7], 0, ring_bell=False)
        run_dev(ppu)
        equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 0, "semaphore before the doorbell")
        ppu.doorbell(3, 1)
        run_dev(ppu)
        equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 0x1122334455667788, "semaphore")
        equal(ppu.get(3), 1, "GP_GET")
        check(ppu.irq(K.VEC_CHANNEL), "no interrupt from INTR")
        equal(ppu.rd(K.REG_CHINTR_PENDING), 1 << 3, "CHINTR_PENDING")


def test_error_channel():
    """WQ-7: an over-advanced GP_PUT stops that channel alone, with cause and interrupt"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.msix_enable()
        ppu.wr(K.REG_INTR_ENABLE, K.INTR_ALL)
        ppu.make_context()
        ppu.make_channel(1, K.CLASS_COMPUTE)
        ppu.make_channel(2, K.CLASS_COMPUTE)
        ppu.doorbell(1, 8)
        run_dev(ppu)
        equal(ppu.rd(ppu.ch(1, K.REG_CH_ERROR)), K.ERR_PUT_RANGE, "CH_ERROR")
        check(ppu.rd(ppu.ch(1, K.REG_CH_STATUS)) & K.CHS_FAULTED, "channel 1 is not faulted")
        equal(ppu.rd(K.REG_CHERR_PENDING), 1 << 1, "CHERR_PENDING")
        check(ppu.irq(K.VEC_ERROR), "no error interrupt")
        ppu.submit(2, release(ppu.VA_VRAM + ppu.DATA, 5), 0)
        run_dev(ppu)
        equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 5, "semaphore of channel 2")


def test_dma():
    """System memory by DMA; with bus mastering off the channel stops with a DMA or mapping fault"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COPY)
        data = bytes(range(256)) * 64
        qt.mem_write(RAM_DATA, data)
        ppu.submit(0, copy(ppu.VA_SYS, ppu.VA_VRAM + ppu.DATA, len(data)), 0)
        run_dev(ppu)
        check(ppu.vram_read(ppu.DATA, len(data)) == data, "copy from system memory is wrong")
        ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, ppu.VA_SYS + 0x10001, len(data)), 1)
        run_dev(ppu)
        check(qt.mem_read(RAM_DATA + 0x10001, len(data)) == data, "copy to system memory is wrong")
        ppu.bus_master(False)
        ppu.submit(0, copy(ppu.VA_SYS, ppu.VA_VRAM + ppu.DATA, 64), 2)
        run_dev(ppu)
        check(ppu.rd(ppu.ch(0, K.REG_CH_ERROR)) in (K.ERR_DMA_FAULT, K.ERR_COPY_FAULT),
              "DMA with bus master off gave error %d" % ppu.rd(ppu.ch(0, K.REG_CH_ERROR)))


def test_kick():
    """WQ-17: a plain CPU store is noticed at a KICK, not before"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COMPUTE)
        ppu.submit(0, acquire(ppu.VA_VRAM + ppu.DATA, 9) + release(ppu.VA_VRAM + ppu.DATA + 64, 1), 0)
        run_dev(ppu)
        check(ppu.rd(ppu.ch(0, K.REG_CH_STATUS)) & K.CHS_SEM_BLOCKED, "not blocked")
        ppu.vram_write(ppu.DATA, struct.pack("<Q", 9))
        run_dev(ppu)
        equal(ppu.get(0), 0, "GP_GET before the kick")
        ppu.wr(K.BAR0_USERD + K.REG_USERD_KICK, 1)
        run_dev(ppu)
        equal(ppu.get(0), 1, "GP_GET after the kick")


def test_flr():
    """FLR and the RESET register: registers, interrupts and channels fresh, VRAM kept"""
    for how in ("flr", "register"):
        with boot() as qt:
            ppu = Ppu(qt)
            ppu.make_context()
            ppu.make_channel(0, K.CLASS_COMPUTE)
            ppu.wr(K.REG_SCRATCH, 77)
            ppu.wr(K.REG_INTR_ENABLE, K.INTR_CHINTR)
            ppu.wr(K.REG_INTR_TEST, K.INTR_ALL)
            ppu.vram_write(0x123000, b"keep")
            if how == "flr":
                cap = ppu.cap(0x10)
                qt.config(DEVFN, cap + 8, qt.config(DEVFN, cap + 8, size=2) | 0x8000, 2)
                ppu = Ppu(qt)
            else:
                ppu.wr(K.REG_RESET, 1)
            equal(ppu.rd(K.REG_SCRATCH), 0, "SCRATCH after %s" % how)
            equal(ppu.rd(K.REG_INTR_STATUS), 0, "INTR_STATUS after %s" % how)
            equal(ppu.rd(K.REG_INTR_ENABLE), 0, "INTR_ENABLE after %s" % how)
            equal(ppu.rd(ppu.ch(0, K.REG_CH_STATUS)), 0, "CH_STATUS after %s" % how)
            check(ppu.vram_read(0x123000, 4) == b"keep", "VRAM changed by %s" % how)
            ppu.make_context()
            ppu.make_channel(0, K.CLASS_COMPUTE)
            ppu.submit(0, release(ppu.VA_VRAM + ppu.DATA, 6), 0)
            run_dev(ppu)
            equal(struct.unpack("<Q", ppu.vram_read(ppu.DATA, 8))[0], 6, "semaphore after %s" % how)


def test_properties():
    """Impossible properties are refused with a sentence"""
    for props, word in (("gpcs=0", "gpcs"), ("channels=100000", "channels"), ("vram=1000000000G", "vram"),
                        ("vram=1234567", "vram"), ("clock=sundial", "clock"),
                        ("token-queue-entries=1", "token-queue-entries"),
                        ("trace-file=/nonexistent/dir/t", "trace")):
        argv = "ppu,%s,%s" % (ADDR, props)
        try:
            with Qtest("-device", argv):
                raise AssertionError(props + " was accepted")
        except RuntimeError as err:
            check(word in str(err), "no sentence about %s: %s" % (word, err))
    with Qtest("-device", "ppu,%s,vram=96M" % ADDR) as qt:
        equal(Ppu(qt).rd(K.REG_CAP_VRAM_MB), 96, "VRAM of 96 MiB, not a power of two")


def test_iommu():
    """A PPU behind an IOMMU is refused, whichever of the two comes first; on a bus that bypasses it, it works"""
    iommu, ppu = ("-device", "intel-iommu"), ("-device", "ppu," + ADDR)
    for argv in (iommu + ppu, ppu + iommu):
        try:
            with Qtest(*argv):
                raise AssertionError("a PPU behind an IOMMU was accepted: " + " ".join(argv))
        except RuntimeError as err:
            check("behind an IOMMU" in str(err), "no sentence about the IOMMU: %s" % err)
    for argv in (iommu + ppu, ppu + iommu):
        with Qtest("-machine", "default-bus-bypass-iommu=on", *argv) as qt:
            equal(Ppu(qt).rd(K.REG_ID), K.ID_MAGIC, "register ID on a bus that bypasses the IOMMU")


def test_names():
    """Properties that may change have x- before their name, and are still known without it"""
    for name in ("x-fault-id", "fault-id"):
        with boot(name + "=4711") as qt:
            equal(Ppu(qt).rd(K.REG_ID), 4711, "register ID with " + name)
            path = "/machine/peripheral-anon/device[0]"
            equal(qt.qmp("qom-get", path=path, property="x-fault-id"), 4711, "x-fault-id")


def test_named():
    """Values of engine and workers have names; auto is a number from the host; both are fixed once the device is there"""
    path = "/machine/peripheral-anon/device[0]"
    with boot("engine=translate,workers=auto,gpcs=1,sms-per-gpc=1") as qt:
        equal(qt.qmp("qom-get", path=path, property="engine"), 2, "engine=translate")
        equal(qt.qmp("qom-get", path=path, property="workers"), 1, "workers=auto with one SM")
        try:
            qt.qmp("qom-set", path=path, property="workers", value=2)
            raise AssertionError("workers changed while the device was there")
        except RuntimeError as err:
            check("cannot change" in str(err), "no sentence about the change: %s" % err)
    with Qtest("-device", "ppu,%s" % ADDR, "-global", "ppu.workers=2", "-global", "ppu.engine=interpret") as qt:
        equal(qt.qmp("qom-get", path=path, property="workers"), 2, "-global ppu.workers=2")
        equal(qt.qmp("qom-get", path=path, property="engine"), 1, "-global ppu.engine=interpret")
    with Qtest("-device", '{"driver": "ppu", "id": "json", "workers": 3, "engine": "translate"}') as qt:
        equal(qt.qmp("qom-get", path="/machine/peripheral/json", property="workers"), 3, "a number in JSON")
        equal(qt.qmp("qom-get", path="/machine/peripheral/json", property="engine"), 2, "a name in JSON")
    with boot("engine=1") as qt:
        equal(qt.qmp("qom-get", path=path, property="engine"), 1, "engine=1")
        equal(qt.qmp("qom-get", path=path, property="workers"), 0, "workers")
    for prop, says in (("engine=fast", "property engine: 'fast' is not a number"),
                       ("workers=65", "property workers: 65 is outside 0 to 64")):
        try:
            with boot(prop):
                raise AssertionError(prop + " was accepted")
        except RuntimeError as err:
            check(says in str(err), "%s: %s" % (prop, err))


def test_two():
    """HW-2: two PPUs of different shape side by side"""
    with Qtest("-device", "ppu,%s,gpcs=1,clock=virtual" % ADDR,
               "-device", "ppu,addr=%x.0,gpcs=4,clock=virtual" % ((DEVFN >> 3) + 1)) as qt:
        equal(Ppu(qt).rd(K.REG_CAP_GPCS), 1, "GPCs of the first")
        equal(qt.config(DEVFN + 8, 0), K.PCI_DEVICE_ID << 16 | K.PCI_VENDOR_ID, "id of the second")


def test_peer():
    """CP-31, HW-2: copies between two PPUs through the peer's BAR2; its registers are no memory (WQ-11)"""
    bar2 = 0x900000000
    with Qtest("-device", "ppu,%s,vram=64M,clock=virtual" % ADDR,
               "-device", "ppu,addr=%x.0,vram=64M,clock=virtual" % ((DEVFN >> 3) + 1)) as qt:
        ppu = Ppu(qt)
        for reg, val in ((0x10, 0xc8000000), (0x14, 0), (0x18, bar2 & 0xffffffff), (0x1c, bar2 >> 32)):
            qt.config(DEVFN + 8, reg, val)
        qt.config(DEVFN + 8, 4, 2, 2)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COPY)
        peer, regs = ppu.VA_SYS + (256 << 12), ppu.VA_SYS + (500 << 12)
        for i in range(64):     # pages of the peer's VRAM, last one first
            ppu.map_sys(256 + i, bar2 + 0x300000 + ((63 - i) << 12))
        ppu.map_sys(500, 0xc8000000)
        data = bytes((i * 13 + 1) & 0xff for i in range(64 << 12))
        ppu.vram_write(ppu.DATA, data)
        ppu.submit(0, copy(ppu.VA_VRAM + ppu.DATA, peer, len(data)), 0)
        run_dev(ppu)
        pages = b"".join(qt.mem_read(bar2 + 0x300000 + ((63 - i) << 12), 4096) for i in range(64))
        check(pages == data, "the copy to the peer is wrong")
        qt.mem_write(bar2 + 0x300000, b"from the peer")
        ppu.submit(0, copy(peer + (63 << 12), ppu.VA_VRAM + 0x100001, 13), 1)
        run_dev(ppu)
        check(ppu.vram_read(0x100001, 13) == b"from the peer", "the copy from the peer is wrong")
        ppu.submit(0, copy(regs, ppu.VA_VRAM + 0x100001, 4), 2)
        run_dev(ppu)
        equal(ppu.rd(ppu.ch(0, K.REG_CH_ERROR)), K.ERR_DMA_FAULT, "error of a copy from registers")


def test_counters():
    """Counters are QOM properties: the device is the witness"""
    with boot() as qt:
        ppu = Ppu(qt)
        ppu.make_context()
        ppu.make_channel(0, K.CLASS_COMPUTE)
        ppu.submit(0, release(ppu.VA_VRAM + ppu.DATA, 6), 0)
        run_dev(ppu)
        paths = [p for p in qt.qmp("qom-list", path="/machine/peripheral-anon") if p["type"] == "child<ppu>"]
        path = "/machine/peripheral-anon/" + paths[0]["name"]
        equal(qt.qmp("qom-get", path=path, property="counter-doorbells"), 1, "doorbells")
        equal(qt.qmp("qom-get", path=path, property="counter-ring_entries"), 1, "ring entries")


if __name__ == "__main__":
    sys.exit(main(globals()))
