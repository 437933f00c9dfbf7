# SPDX-License-Identifier: MIT
"""What the qtests share: a machine with one PPU, checks, migration, and the runner of a file's tests."""

import os
import sys
import time
import traceback

from qtest import DEVFN, TIMEOUT, Ppu, Qtest

ADDR = "addr=%x.%x" % (DEVFN >> 3, DEVFN & 7)


def boot(props="", **kw):
    dev = "ppu,%s,vram=64M,clock=virtual" % ADDR
    return Qtest("-device", dev + ("," + props if props else ""), **kw)


def check(cond, text):
    if not cond:
        raise AssertionError(text)


def equal(got, want, what):
    check(got == want, "%s is %#x, not %#x" % (what, got, want))


def run_dev(ppu, ns=10_000_000):
    ppu.qt.clock_step(ns)


def wait_until(cond, what):
    end = time.monotonic() + TIMEOUT
    while not cond():
        check(time.monotonic() < end, "never happened: " + what)
        time.sleep(0.001)


def migrate(src, props="", stop=True, edit=None):
    """A new QEMU with the state of src; stop: src was stopped, so the new one stays stopped. edit changes the stream."""
    file = os.path.join(src.dir, "state")
    if os.path.exists(file):
        os.remove(file)
    # "completed" is said before QEMU closes the pipe, and before the machine may go on. The file gets its name afterwards.
    src.qmp("migrate", uri="exec:cat > %s.part && mv %s.part %s" % (file, file, file))
    wait_until(lambda: os.path.exists(file) or src.qmp("query-migrate").get("status") == "failed", "end of the migration")
    status = src.qmp("query-migrate").get("status")
    check(status == "completed", "migration " + str(status))
    with open(file, "rb") as f:
        stream = f.read()
    check(b"ppu" in stream, "no device section in the stream")
    if edit:
        with open(file, "wb") as f:
            f.write(edit(stream))
    dst = boot(props, incoming="exec:cat " + file)
    try:
        wait_until(lambda: dst.qmp("query-status")["status"] == ("paused" if stop else "running"), "the new machine's start")
    except BaseException:
        dst.close()
        raise
    return dst


def moved(dst):
    """The function in dst, whose state came from elsewhere: nothing is set up again."""
    ppu = Ppu.__new__(Ppu)
    ppu.qt = dst
    return ppu


def main(names):
    """The test_ functions among names, or those that the command line names: one line for each."""
    tests = [(n, f) for n, f in sorted(names.items()) if n.startswith("test_")]
    only = sys.argv[1:]
    bad = 0
    for name, fn in tests:
        if only and name not in only:
            continue
        title = "%s: %s" % (name[5:], " ".join(fn.__doc__.split()))
        try:
            fn()
            print("ok - " + title, flush=True)
        except Exception:
            bad += 1
            print("not ok - " + title, flush=True)
            for line in traceback.format_exc().strip().splitlines()[-6:]:
                print("#   " + line, flush=True)
    return 1 if bad else 0
