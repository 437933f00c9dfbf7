# SPDX-License-Identifier: MIT
"""Grader of lab 4: buffers in VRAM.

The grader's program maps BAR2 beside the driver and looks there for what the driver did. The device's counters and
trace say what was copied, and by whom. The witness module knows what was acquired and not given back."""

import errno

from ppulab import Lab
from ppulab.say import err, one, rows

EINVAL, ENODEV, ENOENT, ENOSPC = errno.EINVAL, errno.ENODEV, errno.ENOENT, errno.ENOSPC
PAGE, MB = 4096, 1 << 20
VRAM_MB = 48
OWN = 16 * MB           # LAB_VRAM_OWN

CLEAN = (" A buffer still had its place when the allocator was taken down: was that too early, or does somebody "
         "keep a reference?")

lab = Lab(4, "A DRM driver with GEM buffers", page="04-gem.md", kind="module", student=["lab_gem.c"])
lab.exercise("exercise.c", "exercise_copy.c", "exercise_end.c")
lab.scenario("buffers", cmd=["exercise"], vram="%dM" % VRAM_MB, trace=True, timeout=120)
lab.picture("buffers")
lab.skeleton_points = 0


def works(c, r):
    """Without a driver that makes buffers, no other criterion means anything."""
    made = [row for row in rows(c, r, "size", "creating buffers") if row[0] == PAGE and row[1] == 0]
    c.require(made and made[0][2] == 0, "GEM_CREATE of 4096 bytes gave %s: without buffers nothing else can be tried."
              % err(made[0][2] if made else 0))


def mappable(c, r):
    works(c, r)
    ret, = one(c, r, "mmap_offset", "mapping a buffer")
    c.require(ret == 0, "GEM_MMAP of a buffer gave %s, not an offset." % err(ret))
    ok = {what: (ok, e) for what, ok, e in rows(c, r, "map", "mapping a buffer")}
    c.require(ok["buffer"][0], "mmap() of a buffer failed: %s." % err(-ok["buffer"][1]))
    return ok


@lab.criterion("create", 10, "Buffers of all sizes; impossible sizes are refused", partial=True)
def create(c, runs):
    r = runs["buffers"]
    works(c, r)
    for size, flags, ret, got, handle in r.obs["size"].rows:
        pages = (size + PAGE - 1) // PAGE * PAGE
        if flags:
            if ret != -EINVAL:
                c.lose(2, "GEM_CREATE with flags = 1 gave %s: flags must be 0, else -EINVAL." % err(ret))
        elif size == 0:
            if ret != -EINVAL:
                c.lose(3, "GEM_CREATE of 0 bytes gave %s, not -EINVAL." % err(ret))
        elif size > (VRAM_MB << 20) - OWN:
            if ret == 0:
                c.lose(5, "GEM_CREATE of %d bytes succeeded and says the buffer has %d; the device has %d MiB: can "
                          "rounding up overflow?" % (size, got, VRAM_MB))
            elif ret not in (-ENOSPC, -errno.ENOMEM, -EINVAL, -errno.E2BIG):
                c.lose(2, "GEM_CREATE of %d bytes gave %s, not -ENOSPC." % (size, err(ret)))
        elif ret:
            c.lose(5, "GEM_CREATE of %d bytes gave %s." % (size, err(ret)))
        elif got != pages:
            c.lose(3, "GEM_CREATE of %d bytes made the size %d, not %d: whole pages." % (size, got, pages))
        elif not handle:
            c.lose(5, "GEM_CREATE gave no handle.")


@lab.criterion("fresh", 10, "A new buffer is all zero", partial=True)
def fresh(c, runs):
    r = runs["buffers"]
    works(c, r)
    for what, ret, place, size, bad in rows(c, r, "fresh", "looking into new buffers"):
        c.require(ret == 0, "GEM_CREATE of %d bytes gave %s." % (size, err(ret)))
        where = "in memory that another buffer had" if what == "reused" else "in VRAM that nobody had yet"
        if bad == 0:
            c.lose(6, "A new buffer %s has what was there before: a program can read other programs' data." % where)
        elif bad > 0:
            c.lose(6, "Of a new buffer of %d bytes %s only the first %d bytes are 0." % (size, where, bad * 8))


@lab.criterion("mmap", 16, "Mappings show the buffer, and nothing else", partial=True)
def mmaps(c, runs):
    r = runs["buffers"]
    maps = mappable(c, r)
    ret, = r.obs["mmap_unknown"].rows[0]
    if ret != -ENOENT:
        c.lose(2, "GEM_MMAP of a handle that does not exist gave %s, not -ENOENT." % err(ret))
    rows(c, r, "marks", "writing through a mapping")
    for what, bad in r.obs["marks"].rows:
        if bad < 0:
            continue
        if what == "split":
            c.lose(4, "After the first half of a mapping was unmapped, page %d of the buffer was not at its place in "
                      "the other half: count pages from where the buffer begins in the DRM file (vmf->pgoff), not from "
                      "where the mapping begins." % bad)
        else:
            c.lose(10, "What a program writes into page %d of a mapping does not arrive in page %d of the buffer's "
                       "place in VRAM." % (bad, bad))
    seen, = one(c, r, "seen", "reading through a mapping")
    if not seen:
        c.lose(4, "A mapping does not show what stands in VRAM.")
    if maps.get("too_large", (0,))[0]:
        c.lose(4, "mmap() of one page more than the buffer has succeeded.")
    if maps.get("private", (0,))[0]:
        c.lose(4, "A private mapping that may be written was allowed: its first store would be a BUG in the kernel "
                  "(vmf_insert_pfn() cannot make private copies).")
    elif "private_read" in r.obs and r.obs["private_read"].rows[0][0]:
        c.lose(2, "A private mapping for reading was allowed, although the file is open for writing. mprotect() can "
                  "make the mapping writable, and even before that vmf_insert_pfn() refuses it with a BUG: look at "
                  "VM_MAYWRITE, not VM_WRITE.")
    kept, = one(c, r, "after_close", "closing the handle of a mapped buffer")
    if not kept:
        c.lose(4, "After its handle was closed a mapping no longer reached the buffer's memory: a mapping keeps it.")


@lab.criterion("copy", 12, "The copy engine copies what it is told", partial=True)
def copy(c, runs):
    r = runs["buffers"]
    works(c, r)
    for what, ret, wrong, copies, moved in rows(c, r, "copy", "copying"):
        what = what.replace("_", " ")
        c.require(ret == 0, "GEM_COPY (%s) gave %s." % (what, err(ret)))
        if wrong:
            c.lose(6, "After GEM_COPY (%s) %d bytes of the destination are not what they should be." % (what, wrong))
        if not copies or not moved:
            c.lose(12, "GEM_COPY (%s): the copy engine moved nothing; it is the device that has to copy." % what)
    ret, wrong = one(c, r, "overlapping", "copying within a buffer")
    if ret or wrong:
        c.lose(3, "GEM_COPY within a buffer, ranges overlapping: %s, %d bytes are wrong." % (err(ret), wrong))


@lab.criterion("ranges", 14, "A copy stays in its buffers, whatever the numbers", partial=True)
def ranges(c, runs):
    r = runs["buffers"]
    works(c, r)
    good = rows(c, r, "copy", "copying")
    c.require(good[0][1] == 0, "GEM_COPY of whole buffers gave %s: so it means nothing that other copies fail."
              % err(good[0][1]))
    for src, dst, size, ret, moved in rows(c, r, "range", "copying what is outside"):
        text = "GEM_COPY of %s bytes from offset %s to offset %s of buffers of 65536 bytes" % (
            number(size), number(src), number(dst))
        if moved:
            c.lose(7, "%s made the device move %d bytes: it was not refused, but not all bytes belong to "
                      "the program." % (text, moved))
        elif ret != -EINVAL:
            c.lose(3, "%s gave %s, not -EINVAL%s." % (text, err(ret), ": can the sum overflow?"
                                                   if max(abs(src), abs(dst), abs(size)) > PAGE * PAGE
                                                   or min(src, dst, size) < 0 else ""))
    for ret, which in zip(one(c, r, "nobody", "unknown handles"), ("source", "destination")):
        if ret != -ENOENT:
            c.lose(2, "GEM_COPY with an unknown handle as its %s gave %s, not -ENOENT." % (which, err(ret)))
    if one(c, r, "neighbour", "looking at a neighbour")[0] >= 0:
        c.lose(7, "Copies that should have been refused wrote into another buffer.")


def number(n):
    return "2^64 - %d" % -n if n < 0 else str(n)


@lab.criterion("allocator", 10, "VRAM can be used up, and is all there again", partial=True)
def allocator(c, runs):
    r = runs["buffers"]
    works(c, r)
    what, n, want, ret = one(c, r, "full", "using up VRAM")
    if n != want:
        c.lose(5, "Of buffers of 1 MiB %d could be made; in VRAM from LAB_VRAM_OWN on there is room for %d."
               % (n, want))
    if ret not in (-ENOSPC, -errno.ENOMEM):
        c.lose(2, "When VRAM was full GEM_CREATE gave %s, not -ENOSPC." % err(ret))
    bad, = one(c, r, "overlap", "comparing places")
    if bad:
        c.lose(10, "Of %d buffers of 1 MiB there are %d pairs that share memory, or single ones that lie outside the "
                   "buffers' part of VRAM." % (n, bad))
    ret, = one(c, r, "again", "creating and closing many buffers")
    if ret:
        c.lose(5, "After all buffers were closed GEM_CREATE gave %s again: the memory of closed buffers is lost." %
               err(ret))
    ret, = one(c, r, "whole", "a buffer as large as all of it")
    if ret:
        c.lose(5, "With all buffers closed, one as large as their whole part of VRAM could not be made: %s." % err(ret))


@lab.criterion("failures", 8, "Where something fails, nothing is lost", partial=True)
def failures(c, runs):
    r = runs["buffers"]
    works(c, r)
    total, ret, held, what = one(c, r, "fail_base", "failing allocations")
    c.require(ret == 0, "Making a buffer and its offset gave %s." % err(ret))
    if held:
        c.lose(4, "After a buffer was made and closed %d resources are still held, the first from %s()." % (held, what))
    for n, ret, held, what, where in rows(c, r, "fail", "failing allocations"):
        if ret == 0 and n <= total:
            c.lose(3, "When acquisition %d on the way to a buffer failed the program was told that it went well." % n)
        if held:
            c.lose(4, "When acquisition %d on the way to a buffer failed, what %s() (%s) gave was not given back."
                   % (n, what, where))
    ret, = one(c, r, "fail_end", "a buffer after all failures")
    if ret:
        c.lose(4, "After failures no buffer could be made any more: %s." % err(ret))


@lab.criterion("references", 10, "A copy keeps its buffers alive", partial=True)
def references(c, runs):
    r = runs["buffers"]
    works(c, r)
    waits, ret, hits, dirty = one(c, r, "references", "closing the buffers of a copy")
    c.require(waits, "A copy did not get as far as the device (no doorbell).")
    if ret:
        c.lose(4, "A copy whose buffers were closed while it was under way ended with %s." % err(ret))
    if hits or dirty:
        c.lose(10, "While a copy was under way another thread closed its buffers, and their memory was given to new "
                   "ones%s: the copy must hold references until it is done."
               % ("; the copy then wrote into %d of these" % dirty if dirty else ""))
    if one(c, r, "whole", "a buffer as large as all of it")[0] == 0 and one(c, r, "kept", "what copies leave")[0]:
        c.lose(4, "After copies, some of which were refused, and with all buffers closed, their memory was not all "
                  "there again: each way out of GEM_COPY has to give back the references that it took.")


@lab.criterion("removal", 10, "The device can go while it is used", partial=True)
def removal(c, runs):
    r = runs["buffers"]
    mappable(c, r)
    rets = one(c, r, "rebind", "removing the device")
    c.require(rets == [0, 0], "Unbinding the driver gave %s, binding it again %s." % tuple(map(err, rets)))
    mapped, = one(c, r, "mapped", "removing the device")
    c.require(mapped, "There were no mappings to remove the device under.")
    ret, = one(c, r, "unbind", "unbinding the driver")
    c.require(ret == 0, "Unbinding the driver gave %s." % err(ret))
    if not all(one(c, r, "gone", "touching a mapping of a device that is gone")):
        c.lose(5, "With the device gone a mapping of it could still be touched: the fault handler must ask "
                  "drm_dev_enter(), and give VM_FAULT_SIGBUS.")
    ret, = one(c, r, "gone_ioctl", "an ioctl of a device that is gone")
    if ret != -ENODEV:
        c.lose(2, "GEM_CREATE of a device that is gone gave %s, not -ENODEV." % err(ret))
    ret, = one(c, r, "bind", "binding the driver again")
    c.require(ret == 0, "Binding the driver again while an old file was open gave %s." % err(ret))
    for when, made, copied, seen in rows(c, r, "used", "using the device again"):
        if made or copied or not seen:
            c.lose(4, "After the driver was bound again%s a buffer could not be used (create %s, copy %s)."
                   % (" and the old file closed" if when == "closed" else "", err(made), err(copied)))
    if not one(c, r, "gone_still", "touching an old mapping")[0]:
        c.lose(3, "A mapping of a device that was removed came to life again when the driver was bound again.")
    looked = [row[0] for row in rows(c, r, "looked", "reading the kernel's messages")]
    c.require("end" in looked, r.dead or "The exercise did not get to the end of the removal.")
    for line in r.rows("complaint"):
        text = " ".join(str(w) for w in line[1:]).rstrip(".")
        c.lose(6, "The kernel complains: %s.%s" % (text, CLEAN if "Memory manager" in text else ""))
    left = [" ".join(str(w) for w in line) for line in r.rows("left.held") + r.rows("left.bad")]
    if left:
        c.lose(4, "With the module unloaded there is still: %s." % "; ".join(left[:4]))
