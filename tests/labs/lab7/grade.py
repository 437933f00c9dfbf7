# SPDX-License-Identifier: MIT
"""Grader of lab 7: address spaces, seen through copies.

The guest shows what the copies did. The device's trace shows whether and where they faulted."""

import errno

from ppulab import Lab, hw
from ppulab.say import err, one

ENOENT, EIO = errno.ENOENT, errno.EIO
COPY_FAULT = hw.ERROR_CODES["COPY_FAULT"]

lab = Lab(7, "GPU virtual memory", page="07-vm.md", kind="module", student=["lab_vm.c"])
lab.exercise("exercise.c")
PROPS = {"vram": "64M", "copy-engines": 1}
lab.scenario("spaces", cmd=["exercise", "spaces"], props=PROPS, trace=True, timeout=120)
lab.scenario("memory", cmd=["exercise", "memory"], props=PROPS, timeout=180)
lab.picture("spaces")
lab.skeleton_points = 0


@lab.criterion("page tables", 20, "Pages are found wherever they are mapped", runs=["spaces"], partial=True)
def _(c, runs):
    r = runs["spaces"]
    c.require(r.obs.get("far"), r.dead or "the exercise did not get as far as mapping a buffer")
    for va, ret, bad in r.rows("far"):
        if ret:
            c.lose(6, "a buffer bound at %#x cannot be copied to: %s; is every level of the tables there, and indexed "
                      "with its own bits of the address?" % (va, err(ret)))
        elif bad != -1:
            c.lose(6, "of a copy to %#x, word %d did not arrive in the buffer that is bound there" % (va, bad))
    ret, bad = one(c, r, "pieces", "mapping pages one by one")
    if ret or bad != -1:
        c.lose(8, "a buffer whose pages were bound one by one, in reverse order, was not read in that order (%s): "
                  "does the mapping begin at `offset` of the buffer?"
               % (err(ret) if ret else "page %d is wrong" % bad))


@lab.criterion("read-only", 10, "Read-only mappings can be read, not written", runs=["spaces"], partial=True)
def _(c, runs):
    r = runs["spaces"]
    ret, bad = one(c, r, "ro_from", "a read-only mapping")
    if ret or bad != -1:
        c.lose(5, "a copy from a read-only mapping failed (%s)" % err(ret))
    ret, bad = one(c, r, "ro_to", "writing to a read-only mapping")
    if ret == 0 or bad != -1:
        c.lose(5, "a copy to a read-only mapping went through: LAB_VM_READONLY must become PPU_PTE_READONLY")
    elif ret != -EIO:
        c.lose(2, "waiting for a copy to a read-only mapping gave %s, not -EIO" % err(ret))


@lab.criterion("TLB", 20, "What was unmapped is not used any more", runs=["spaces"], partial=True)
def _(c, runs):
    r = runs["spaces"]
    ret, = one(c, r, "tlb_used", "the first copy")
    c.require(ret == 0, "a copy between two buffers failed: %s" % err(ret))
    ret, = one(c, r, "tlb_unbind", "unbinding")
    c.require(ret == 0, "unmapping a buffer failed: %s" % err(ret))
    ret, bad = one(c, r, "tlb_unmapped", "a copy to an unmapped address")
    if ret == 0 or bad != -1:
        c.lose(10, "a copy to an address that had been unmapped went through, into the old buffer: the entry must be "
                   "cleared and the device told to forget the translation (TLB_INV, TLB_INV_INST: the instance block)")
    ret, old, new = one(c, r, "tlb_again", "a copy to an address that is mapped again")
    if ret:
        c.lose(5, "an address that was unmapped and bound to another buffer cannot be used: %s" % err(ret))
    elif old != -1 or new != -1:
        c.lose(5, "an address that was unmapped and bound to another buffer still led to the old one")
    ret, bad = one(c, r, "tlb_less", "binding again read-only")
    if ret == 0 or bad != -1:
        c.lose(5, "a mapping that was replaced by a read-only one could still be written")


@lab.criterion("isolation", 15, "Files see their own buffers only, and their own faults", runs=["spaces"], partial=True)
def _(c, runs):
    r = runs["spaces"]
    r1, r2, b1, b2 = one(c, r, "same", "two files with the same addresses")
    if r1 or r2:
        c.lose(5, "two files that use the same addresses: their copies ended with %s and %s" % (err(r1), err(r2)))
    elif b1 != -1 or b2 != -1:
        c.lose(5, "two files that use the same addresses: one got the other's data")
    r1, r2 = one(c, r, "innocent", "a fault beside an innocent file")
    if r1 != -EIO:
        c.lose(3, "a copy to an address that nothing is mapped at ended with %s, not -EIO" % err(r1))
    if r2:
        c.lose(4, "after a fault in one file the copies of another failed: %s" % err(r2))
    r1, = one(c, r, "kernel_va", "reading where the kernel has VRAM")
    if r1 == 0:
        c.lose(5, "a program can read all of VRAM at LAB_VA_VRAM: its channel runs in the kernel's context, "
                  "or its tables have more than what was bound")
    r2, = one(c, r, "after_close", "closing one of two files")
    if r2:
        c.lose(3, "after one file was closed the copies of another failed: %s" % err(r2))


@lab.criterion("arguments", 10, "What makes no sense is refused", runs=["spaces"], partial=True)
def _(c, runs):
    r = runs["spaces"]
    c.require(r.obs.get("arg"), r.dead or "the exercise did not get as far as bad arguments")
    for what, want, got in r.rows("arg"):
        if got != want:
            c.lose(2, "VM_BIND, %s: %s, but it should be %s" % (str(what).replace("-", " "), err(got), err(want)))


@lab.criterion("faults", 10, "A file is told where it faulted", runs=["spaces", "memory"], partial=True)
def _(c, runs):
    r, flood = runs["spaces"], runs["memory"]
    seen = {f[0]: f[1:] for f in r.rows("fault") + flood.rows("fault")}
    c.require("second" in seen, r.dead or "the exercise did not get as far as looking at faults")
    c.require("oldest" in seen, flood.dead or "the exercise did not get as far as looking at many faults")
    real = [e.b for e in r.trace if e.name == "FAULT" and e.a == COPY_FAULT]

    def fault(which, want, points=3):
        ret, code, chan, va = seen[which]
        va = int(str(va), 0)
        if ret:
            c.lose(points, "VM_FAULT tells nothing (%s) of the fault at %#x%s"
                   % (err(ret), want, ", which the device did record" if want in real else ""))
        elif code != COPY_FAULT or va != want:
            c.lose(points, "VM_FAULT tells code %d at %#x; the copy should have faulted with code %d at %#x%s"
                   % (code, va, COPY_FAULT, want, ", and the device did record that" if want in real else ""))
        elif not chan:
            c.lose(1, "VM_FAULT names another channel than the one that faulted")

    fault("own", 0x7700000000)
    fault("first", 0x7100000000)
    fault("second", 0x7200000000)
    fault("oldest", 0x7300000000)
    for which, text in (("none", "before anything had gone wrong"), ("other-file", "of another file"),
                        ("read", "a second time")):
        if seen[which][0] != -ENOENT:
            c.lose(3, "VM_FAULT told a fault %s" % text)
    lost, total = one(c, flood, "ring", "many faults")
    if lost:
        c.lose(3, "the fault ring overflowed and %d faults of %d were lost: consume each record (FAULT_GET)"
               % (lost, total))


@lab.criterion("lifetime", 15, "Memory lives as long as something maps it, and no longer", runs=["memory"],
               partial=True)
def _(c, runs):
    r = runs["memory"]
    ret, bad = one(c, r, "kept", "closing the handle of a mapped buffer")
    if ret or bad != -1:
        c.lose(6, "a buffer that is mapped, but whose handle was closed, lost its memory (%s): the mapping must hold a "
                  "reference" % (err(ret) if ret else "another file got it"))
    ret, before, now = one(c, r, "freed", "freeing a mapped buffer")
    if not ret and now + 1 < before:
        c.lose(4, "after a buffer was unmapped its memory was not free again (%d MiB free, %d before)" % (now, before))
    before, now = one(c, r, "closed", "closing a file with mappings")
    if now < before:
        c.lose(5, "closing a file did not give its buffers back: %d MiB free, %d before" % (now, before))
    count, ret = one(c, r, "many", "opening many files")
    if ret:
        c.lose(6, "after %d files had been opened and closed again no other could be used: %s; closing must free the "
                  "page tables and the instance block" % (count, err(ret)))
    _, ret = one(c, r, "oom", "using up the memory for tables")
    if ret != -errno.ENOMEM:
        c.lose(3, "binding without memory for page tables ended with %s, not -ENOMEM" % err(ret))
    ret, = one(c, r, "oom_rest", "what is left of a binding that failed")
    if ret == 0:
        c.lose(3, "a binding that failed for want of memory left its first page mapped")
    ret, = one(c, r, "oom_after", "opening after page table memory had run out")
    if ret:
        c.lose(3, "after page table memory had run out, a new file cannot be used: %s" % err(ret))
    for name, what in (("unplug", "unbinding the driver while a file with mappings was open"),
                       ("rebind", "binding the driver again"), ("replug", "a copy after that")):
        ret, = one(c, r, name, what)
        if ret:
            c.lose(3, "%s failed: %s" % (what, err(ret)))
    for where in ("closed", "unloaded"):
        for held in r.rows(where + ".held")[:3]:
            c.lose(3, "%s at %s was not undone when %s" % (held[0], held[1], "all files were closed"
                                                         if where == "closed" else "the driver was unloaded"))
