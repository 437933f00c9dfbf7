# SPDX-License-Identifier: MIT
"""A QEMU process with the PPU and no guest, spoken to in the qtest line protocol.

The machine is q35 under the qtest accelerator: no CPU runs, time moves only by clock_step(), so the
tests of the device and its glue are deterministic. There is no firmware either: class Ppu places the
BARs itself.
"""

import base64
import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.environ.get("PPU_TOP", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "scripts"))
from ppu_qmp import Gone, Qmp                           # noqa: E402

BUILD = os.environ.get("BUILD", "build")
QEMU = os.path.join(TOP, BUILD, "qemu", "qemu-system-x86_64") if not os.path.isabs(BUILD) \
    else os.path.join(BUILD, "qemu", "qemu-system-x86_64")
TIMEOUT = 120
PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)



class Qtest:
    """One QEMU. Use as a context manager; it is killed at the end whatever happened."""

    def __init__(self, *args, incoming=None, accel="qtest"):
        self.dir = tempfile.mkdtemp(prefix="ppu-qtest-")
        qt, qmp = os.path.join(self.dir, "qt"), os.path.join(self.dir, "qmp")
        listen = socket.socket(socket.AF_UNIX)
        listen.bind(qt)
        listen.listen(1)
        listen.settimeout(TIMEOUT)
        self.log = open(os.path.join(self.dir, "log"), "w+")
        argv = [QEMU, "-accel", accel, "-machine", "q35", "-m", "64", "-nodefaults",
                "-display", "none", "-L", "/usr/share/qemu", "-L", "/usr/share/seabios",
                "-bios", "qboot.rom", "-d", "guest_errors",
                "-qtest", "unix:" + qt, "-qtest-log", "/dev/null",
                "-qmp", "unix:%s,server=on,wait=off" % qmp]
        if incoming:
            argv += ["-incoming", incoming]
        argv += args
        self.proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.log,
                                     stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        self.qtest = self._accept(listen)
        listen.close()
        self.rx = b""
        self.monitor = None
        self.qmp_path = qmp
        try:
            self.cmd("endianness")      # answered only when every device is there
        except (RuntimeError, OSError):
            self.proc.wait(TIMEOUT)
            text = self.output()
            self.close()
            raise RuntimeError("QEMU did not start: " + text.strip()) from None

    def _accept(self, listen):
        listen.settimeout(0.2)
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                conn = listen.accept()[0]
                conn.settimeout(TIMEOUT)
                return conn
            except socket.timeout:
                if self.proc.poll() is not None or time.monotonic() > end:
                    text = self.output()
                    self.close()
                    raise RuntimeError("QEMU did not start: " + text.strip()) from None

    def output(self):
        self.log.flush()
        with open(self.log.name) as f:
            return f.read()

    def close(self):
        if self.proc.poll() is None:
            self.proc.kill()
        self.proc.wait()
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    # --- the qtest protocol ------------------------------------------------

    def cmd(self, text):
        self.qtest.sendall(text.encode() + b"\n")
        while True:
            while b"\n" not in self.rx:
                data = self.qtest.recv(1 << 16)
                if not data:
                    raise RuntimeError("QEMU went away: " + self.output()[-500:])
                self.rx += data
            line, self.rx = self.rx.split(b"\n", 1)
            words = line.decode().split()
            if words and words[0] == "IRQ":
                continue
            if not words or words[0] != "OK":
                raise RuntimeError("qtest: %s -> %s" % (text, line.decode()))
            return words[1:]

    def read(self, addr, size=4):
        return int(self.cmd("read%s 0x%x" % ({1: "b", 2: "w", 4: "l", 8: "q"}[size], addr))[0], 16)

    def write(self, addr, val, size=4):
        self.cmd("write%s 0x%x 0x%x" % ({1: "b", 2: "w", 4: "l", 8: "q"}[size], addr, val))

    def mem_read(self, addr, n):
        return base64.b64decode(self.cmd("b64read 0x%x %d" % (addr, n))[0])

    def mem_write(self, addr, data):
        self.cmd("b64write 0x%x %d %s" % (addr, len(data), base64.b64encode(data).decode()))

    def clock_step(self, ns):
        self.cmd("clock_step %d" % ns)

    def config(self, devfn, reg, val=None, size=4):
        self.cmd("outl 0xcf8 0x%x" % (0x80000000 | devfn << 8 | (reg & ~3)))
        letter = {1: "b", 2: "w", 4: "l"}[size]
        if val is None:
            return int(self.cmd("in%s 0x%x" % (letter, 0xcfc + (reg & 3)))[0], 16)
        self.cmd("out%s 0x%x 0x%x" % (letter, 0xcfc + (reg & 3), val))
        return None

    # --- QMP -----------------------------------------------------------------

    def qmp(self, command, **args):
        try:
            if self.monitor is None:
                self.monitor = Qmp(self.qmp_path, TIMEOUT, lambda: self.proc.poll() is None)
            return self.monitor(command, **args)
        except Gone as err:                 # QEMU may go before, while or after it is asked
            try:
                self.proc.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                raise err from None
            raise RuntimeError("QEMU went away: " + self.output()[-500:]) from None

    @property
    def events(self):
        """Those that came while a command was answered."""
        return self.monitor.events


class Consts:
    """PPU_* constants as attributes, asked of the compiler in one go."""

    def __init__(self, wanted):
        src = "".join('#include <hw/%s>\n' % h for h in
                      ("ppu_regs.h", "ppu_cmd.h", "ppu_mmu.h", "ppu_fault.h", "ppu_tmd.h"))
        src += "#include <stdio.h>\nint main(void){\n"
        src += "".join('printf("%s %%llu\\n", (unsigned long long)(PPU_%s));\n' % (w, w) for w in wanted)
        src += "return 0;}\n"
        with tempfile.TemporaryDirectory() as d:
            exe = os.path.join(d, "c")
            subprocess.run(["gcc", "-w", "-I", os.path.join(TOP, "include"), "-x", "c", "-", "-o", exe],
                           input=src, text=True, check=True)
            out = subprocess.run([exe], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            name, val = line.split()
            setattr(self, name, int(val))


K = Consts("""REG_ID REG_VERSION REG_SCRATCH REG_RESET REG_INTR_STATUS REG_INTR_ENABLE REG_INTR_TEST
REG_TIME_LO REG_TIME_HI REG_CAP_CHANNELS REG_CAP_GPCS REG_CAP_SMS_PER_GPC REG_CAP_VRAM_MB
REG_CAP_COPY_ENGINES REG_CAP_DEVICE_PRIORITIES REG_CTX_INST_LO REG_CTX_INST_HI REG_CTX_CMD
REG_CTX_STATUS REG_CHERR_PENDING REG_FAULT_PUT REG_CHINTR_PENDING
REG_CH_INST_LO REG_CH_INST_HI REG_CH_RING_LO REG_CH_RING_HI REG_CH_RING_ENTRIES REG_CH_CLASS
REG_CH_CMD REG_CH_STATUS REG_CH_ERROR REG_CH_GET REG_USERD_GP_GET REG_USERD_GP_PUT REG_USERD_KICK
CH_CMD_ENABLE CHS_FAULTED CHS_SEM_BLOCKED CLASS_COMPUTE CLASS_COPY CTX_CMD_LOAD CTX_LOADED
ID_MAGIC HW_VERSION BAR0_CHCFG CHCFG_STRIDE BAR0_USERD USERD_STRIDE
PCI_VENDOR_ID PCI_DEVICE_ID PCI_CLASS PCI_REVISION
CMD_NOP CMD_SEM_ACQUIRE CMD_SEM_RELEASE CMD_INTR CMD_COPY CMD_FILL CMD_TIMESTAMP
PTE_VALID PTE_SYS INST_MAGIC INST_VERSION INTR_CHERR INTR_CHINTR INTR_ALL
ERR_SEM_FAULT ERR_DMA_FAULT ERR_COPY_FAULT ERR_BLOCK_FAULT ERR_PUT_RANGE ERR_NULL_ENTRY
VEC_ERROR VEC_CHANNEL VEC_WATCH NUM_VECTORS
BAR0_WATCH WATCH_STRIDE REG_WATCH_ADDR_LO REG_WATCH_ADDR_HI REG_WATCH_VALUE_LO REG_WATCH_VALUE_HI REG_WATCH_CTRL
WATCH_ARM WATCH_OP_SHIFT SEM_OP_EQ""".split())

DEVFN = 0x10
BAR0, BAR2, BAR4 = 0xc0000000, 0x800000000, 0xfe000000
MSIX_TABLE, MSIX_PBA = 0x0, 0x800
RAM_IRQ = 0x100000      # guest RAM the MSI-X messages are written to
RAM_DATA = 0x200000     # guest RAM for data


class Ppu:
    """The function at `devfn` of a Qtest: BARs placed, memory and bus master on."""

    devfn = DEVFN       # with the bus number above it

    def __init__(self, qt, bus_master=True, devfn=DEVFN):
        self.qt, self.devfn = qt, devfn
        for bar, addr in ((0x10, BAR0), (0x18, BAR2), (0x20, BAR4)):
            qt.config(self.devfn, bar, addr & 0xffffffff)
            if bar != 0x20:
                qt.config(self.devfn, bar + 4, addr >> 32)
        self.bus_master(bus_master)

    def bus_master(self, on):
        self.qt.config(self.devfn, 4, 6 if on else 2, 2)

    def rd(self, off, size=4):
        return self.qt.read(BAR0 + off, size)

    def wr(self, off, val, size=4):
        self.qt.write(BAR0 + off, val, size)

    def vram_write(self, off, data):
        self.qt.mem_write(BAR2 + off, data)

    def vram_read(self, off, n):
        return self.qt.mem_read(BAR2 + off, n)

    def ch(self, chid, reg):
        return K.BAR0_CHCFG + chid * K.CHCFG_STRIDE + reg

    @staticmethod
    def cap_of(qt, devfn, cap_id):
        """Offset of a PCI capability, or None."""
        at = qt.config(devfn, 0x34, size=1)
        while at:
            if qt.config(devfn, at, size=1) == cap_id:
                return at
            at = qt.config(devfn, at + 1, size=1)
        return None

    def cap(self, cap_id):
        return self.cap_of(self.qt, self.devfn, cap_id)

    def msix_enable(self, on=True, vectors=None):
        """Vector v writes 0x5000 + v to RAM_IRQ + 4 v."""
        cap = self.cap(0x11)
        for v in range(K.NUM_VECTORS if vectors is None else vectors):
            entry = BAR4 + MSIX_TABLE + 16 * v
            self.qt.write(entry, RAM_IRQ + 4 * v)
            self.qt.write(entry + 4, 0)
            self.qt.write(entry + 8, 0x5000 + v)
            self.qt.write(entry + 12, 0)
        self.qt.config(self.devfn, cap + 2, 0x8000 if on else 0, 2)

    def irq(self, v):
        """Did vector v fire since the last call?"""
        hit = self.qt.read(RAM_IRQ + 4 * v) == 0x5000 + v
        if hit:     # else a message that comes between the read and this write would be wiped out unseen
            self.qt.write(RAM_IRQ + 4 * v, 0)
        return hit

    # --- a context with 4 KiB pages, all in VRAM, and channels in it ------------

    PT, INST, RING, BLOCK, DATA = 0x10000, 0x20000, 0x30000, 0x40000, 0x80000
    VA_VRAM, VA_SYS = 0x10000000, 0x20000000   # 512 pages each: VRAM 0.., RAM_DATA..

    def make_context(self):
        def table(n):
            return self.PT + n * 4096

        def put(t, index, pte):
            self.vram_write(table(t) + 8 * index, struct.pack("<Q", pte))

        put(0, 0, table(1) | K.PTE_VALID)
        put(1, 0, table(2) | K.PTE_VALID)
        put(2, self.VA_VRAM >> 21, table(3) | K.PTE_VALID)
        put(2, self.VA_SYS >> 21, table(4) | K.PTE_VALID)
        vram = [(i << 12) | K.PTE_VALID for i in range(512)]
        sys = [(RAM_DATA + (i << 12)) | K.PTE_VALID | K.PTE_SYS for i in range(512)]
        self.vram_write(table(3), struct.pack("<512Q", *vram))
        self.vram_write(table(4), struct.pack("<512Q", *sys))
        inst = struct.pack("<IIQIIII", K.INST_MAGIC, K.INST_VERSION, table(0), 1, 4, 11, 0)
        self.vram_write(self.INST, inst.ljust(4096, b"\0"))
        self.wr(K.REG_CTX_INST_LO, self.INST)
        self.wr(K.REG_CTX_INST_HI, 0)
        self.wr(K.REG_CTX_CMD, K.CTX_CMD_LOAD)
        assert self.rd(K.REG_CTX_STATUS) & K.CTX_LOADED, "instance block refused"

    def map_sys(self, index, bus):
        """Page `index` of VA_SYS is bus address `bus`; before its first use."""
        self.vram_write(self.PT + 4 * 4096 + 8 * index, struct.pack("<Q", bus | K.PTE_VALID | K.PTE_SYS))

    def make_channel(self, chid, klass, entries=8):
        ring = self.RING + chid * 4096
        self.vram_write(ring, bytes(16 * entries))
        for reg, val in ((K.REG_CH_INST_LO, self.INST), (K.REG_CH_INST_HI, 0),
                         (K.REG_CH_RING_LO, self.VA_VRAM + ring), (K.REG_CH_RING_HI, 0),
                         (K.REG_CH_RING_ENTRIES, entries), (K.REG_CH_CLASS, klass),
                         (K.REG_CH_CMD, K.CH_CMD_ENABLE)):
            self.wr(self.ch(chid, reg), val)

    def submit(self, chid, words, index, entries=8, ring_bell=True):
        """Put a block of command words in entry `index` and ring the doorbell."""
        block = self.BLOCK + chid * 0x4000 + index * 0x400
        self.vram_write(block, struct.pack("<%dI" % len(words), *words))
        self.vram_write(self.RING + chid * 4096 + 16 * index,
                        struct.pack("<QII", self.VA_VRAM + block, len(words), 0))
        if ring_bell:
            self.doorbell(chid, (index + 1) % entries)

    def doorbell(self, chid, put):
        self.wr(K.BAR0_USERD + chid * K.USERD_STRIDE + K.REG_USERD_GP_PUT, put)

    def get(self, chid):
        return self.rd(K.BAR0_USERD + chid * K.USERD_STRIDE + K.REG_USERD_GP_GET)


def hdr(op, size, flags=0):
    return op | size << 8 | flags << 16


def q(val):
    return [val & 0xffffffff, val >> 32]


def release(addr, val):
    return [hdr(K.CMD_SEM_RELEASE, 5)] + q(addr) + q(val)


def acquire(addr, val):
    return [hdr(K.CMD_SEM_ACQUIRE, 5)] + q(addr) + q(val)


def copy(src, dst, n):
    return [hdr(K.CMD_COPY, 7)] + q(src) + q(dst) + q(n)
