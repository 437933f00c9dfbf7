# SPDX-License-Identifier: MIT
"""Grader of lab 3: what copies left in the program's memory and in VRAM (the exercise sees the latter through BAR2),
what the device's trace and counters say about them, and what the kernel has pinned, mapped and lent."""

import errno

from ppulab import Lab, hw

COPY, SEM_RELEASE, INTR = (hw.COMMANDS[n] for n in ("COPY", "SEM_RELEASE", "INTR"))
COMMANDS = {COPY: "COPY", SEM_RELEASE: "SEM_RELEASE", INTR: "INTR"}

lab = Lab(3, "DMA and the copy engine", page="03-dma.md", kind="module", student=["lab_dma.c"])
lab.exercise("exercise.c", "exercise_shapes.c", "exercise_rights.c", "exercise_held.c", "exercise_fail.c")
lab.skeleton_points = 0

lab.scenario("copies", cmd=["exercise", "copies"], props={"copy-engines": 1}, trace=True)
lab.scenario("messages", cmd=["exercise", "messages"], props={"x-fault-irq-lose": 2})
lab.scenario("bounce", cmd=["exercise", "bounce"], append="swiotlb=force")
lab.scenario("faults", cmd=["exercise", "faults"], props={"x-fault-dma-fail": 3})
lab.picture("copies")


def name(number):
    return "-" + errno.errorcode.get(number, str(number)) if number else "0"


def device_error(r):
    """What stopped the copy channel first, as the device says it."""
    codes = [e.a for e in r.trace if e.name == "CH_ERROR" and e.unit == 0]
    if not codes:
        return ""
    return "; the device stopped the channel: %s, %s" % hw.ERRORS.get(codes[0], ("error %d" % codes[0], "unknown"))


def need_bound(c, r):
    c.require(r.obs["bound"][0], "The driver did not take the device: see dmesg.")


def need_copies(c, r):
    """If no copy arrives, there is nothing to look at."""
    need_bound(c, r)
    err = r.obs["first"][0]
    c.require(err != errno.EOPNOTSUPP, "LAB_IOC_DMA says -EOPNOTSUPP: lab_dma_user() is not written yet.")
    c.require(r.obs["window"][0], "The first copy, a page to VRAM, returned %s, and its bytes are nowhere in VRAM%s."
              % (name(err), device_error(r)))


def complaints(c, r, points=5):
    for line in r.complaints[:1]:
        c.lose(points, "In the run %s the kernel complains: %s" % (r.name, line.strip()))


@lab.criterion("coherent memory", 10, "Command blocks lie in coherent memory, and that is given back",
               runs=["copies"], partial=True)
def coherent(c, runs):
    r = runs["copies"]
    need_bound(c, r)
    c.require(r.obs["coherent"][0], "Memory for command blocks did not come from dma_alloc_coherent(): the device "
                                    "need not see any other memory without further steps.")
    err = r.obs["probe"][0]
    if err != errno.ENOMEM:
        c.lose(4, "When dma_alloc_coherent() fails, probe() must fail with -ENOMEM; it returned %s." % name(err))
    elif r.obs["probe_again"][0]:
        c.lose(4, "After a probe() that failed the next one returned %s." % name(r.obs["probe_again"][0]))
    for prefix, when in (("removed", "After remove()"), ("probe", "After a probe() that failed"),
                         ("unloaded", "After rmmod")):
        for function, where in r.rows(prefix + ".held"):
            c.lose(5, "%s, what %s() at %s got has not been given back." % (when, function, where))
        for where, *text in r.rows(prefix + ".bad"):
            c.lose(5, "%s: %s, at %s." % (when, " ".join(map(str, text)), where))
    complaints(c, r)


def blocks(trace):
    """The commands of each ring entry of channel 0, as (opcode, operand0, operand1)."""
    out = []
    for e in trace:
        if e.name == "ENTRY" and e.unit == 0:
            out.append([])
        elif e.name == "CMD" and e.unit == 0 and out:
            out[-1].append((e.b, e.c, e.d))
    return out


@lab.criterion("commands", 10, "A block copies, then releases the semaphore, then interrupts", runs=["copies"],
               partial=True)
def commands(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    c.require(not device_error(r), "A command block was bad%s." % device_error(r))
    found = [b for b in blocks(r.trace) if b]
    c.require(found, "The device has executed no command of the copy channel.")
    flat = [cmd for b in found for cmd in b]
    ops = [op for op, _, _ in flat]
    c.require(COPY in ops, "The device has executed no COPY.")
    if SEM_RELEASE not in ops:
        c.lose(8, "No block has a SEM_RELEASE: nothing tells the driver that the copy is done.")
    if INTR not in ops:
        c.lose(5, "No block has an INTR: nothing wakes the driver.")
    for b in found:
        order = [op for op, _, _ in b if op in COMMANDS]
        if SEM_RELEASE in order and COPY in order[order.index(SEM_RELEASE):]:
            c.lose(8, "A block releases the semaphore before it copies: who waits for the semaphore comes too early.")
        if INTR in order and SEM_RELEASE in order[order.index(INTR):]:
            c.lose(5, "A block interrupts before it releases the semaphore: who is woken may find the old value and "
                      "sleep on.")
    values = [v for op, _, v in flat if op == SEM_RELEASE]
    if any(a >= b for a, b in zip(values, values[1:])):
        c.lose(5, "The values of SEM_RELEASE do not grow: an old value looks like the new one.")
    if len({a for op, a, _ in flat if op == SEM_RELEASE}) > 1:
        c.lose(3, "The blocks release semaphores at several addresses: ce->sem is one.")


def shapes(c, r, points, to_vram, what):
    """Each row: offset in the page, offset in the window, bytes, direction, error; wrong bytes at the target, at
    the source, and around both; bytes that the engine moved."""
    rows = [row for row in r.rows("shape") if row[3] == to_vram]
    r.obs["shapes_pinned"]
    for user, vram, size, _, err, wrong, source, around, moved in rows:
        case = "%d bytes %s VRAM, offset %d in a page, %d in the window" % (
            size, "to" if to_vram else "from", user, vram)
        if err:
            c.lose(points, "%s: %s%s%s." % (case, name(err), what, ", perhaps a segment is longer than "
                   "dma_max_mapping_size()" if what and size > 1 << 18 else ""))
        elif wrong:
            c.lose(points, "%s: %d bytes are wrong at the target%s." % (case, wrong, what))
        elif source:
            c.lose(points, "%s: the copy changed its own source%s." % (case, what))
        elif around:
            c.lose(points, "%s: %d bytes beside the target have changed%s." % (case, around, what))
        elif moved != size:
            c.lose(points, "%s: the data arrived, but the copy engine moved %d bytes." % (case, moved))
        if c.points < c.max:
            return
    for to, err, wrong in r.rows("scattered"):
        if to == to_vram and (err or wrong):
            c.lose(points, "Five pages that do not lie side by side, %s VRAM: %s: each segment of the mapping has an "
                           "address and a length of its own%s." %
                   ("to" if to else "from", name(err) if err else "%d bytes are wrong" % wrong, what))


@lab.criterion("to VRAM", 10, "What the program has arrives in VRAM, by the copy engine", runs=["copies"],
               partial=True)
def to_vram(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    shapes(c, r, 10, 1, "")


@lab.criterion("from VRAM", 10, "What VRAM has arrives in the program, by the copy engine", runs=["copies"],
               partial=True)
def from_vram(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    shapes(c, r, 8, 0, "")
    err, wrong = r.obs["dirty"]
    if err or wrong:
        c.lose(3, "The kernel dropped pages that the device had just written: when they are unpinned it must be told "
                  "that they are dirty (unpin_user_pages_dirty_lock()).")


@lab.criterion("bounce buffers", 10, "Mappings are made, used and undone by the rules of the DMA API", runs=["bounce"],
               partial=True)
def bounce(c, runs):
    r = runs["bounce"]
    need_copies(c, r)
    where = " (swiotlb=force: the device sees a copy of the memory, made when it is mapped, and taken back when it " \
            "is unmapped)"
    shapes(c, r, 8, 1, where)
    shapes(c, r, 8, 0, where)
    err, wrong = r.obs["rewritten"] if r.obs["held"][0] else (1, 0)
    if err or wrong:
        c.lose(5, "Memory that the device only read was written when it was unmapped: its direction is "
                  "DMA_TO_DEVICE%s." % where)
    for function, where in r.rows("unloaded.held")[:2]:
        c.lose(5, "What %s() at %s made is never undone." % (function, where))
    for where, *text in r.rows("unloaded.bad")[:2]:
        c.lose(5, "%s, at %s." % (" ".join(map(str, text)), where))
    complaints(c, r)


@lab.criterion("access rights", 10, "A program can only have memory copied that it may use itself", runs=["copies"],
               partial=True)
def rights(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    err, wrong = r.obs["from_readonly"]
    if err or wrong:
        c.lose(4, "Read-only memory can be copied to VRAM, but the driver said %s: FOLL_WRITE is for memory that the "
                  "device writes." % name(err))
    err, wrong = r.obs["to_readonly"]
    if wrong:
        c.lose(6, "The device wrote the program's read-only memory: pin with FOLL_WRITE what it will write.")
    elif err != errno.EFAULT:
        c.lose(4, "A copy to read-only memory returned %s, not -EFAULT." % name(err))
    err, wrong, child = r.obs["fork"]
    if err or wrong or child != 1:
        c.lose(6, "After fork() a copy to the parent's memory %s: pin with FOLL_WRITE what the device will write."
               % ("changed the child's" if child != 1 else "did not arrive there"))
    for what, to, err, _ in r.rows("refused"):
        if err != errno.EFAULT:
            c.lose(3, "A copy %s VRAM returned %s, not -EFAULT, though this is wrong: %s." %
                   ("to" if to else "from", name(err), what.replace("-", " ")))


@lab.criterion("pinning", 10, "Pages are pinned while the device works on them, and not longer", runs=["copies"],
               partial=True)
def pinning(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    c.require(r.obs["held"][0], "While a copy was with the device, no page of the program was pinned: the kernel may "
                                "move it (pin_user_pages_fast()).")
    if r.obs["shapes_pinned"][0]:
        c.fail("After %d copies %d pages are still pinned: unpin_user_pages*() for each of them." %
               (len(r.rows("shape")), r.obs["shapes_pinned"][0]))
    before = 0
    for what, _, _, left in r.rows("refused"):
        if left > before:
            c.lose(5, "After a copy that was refused (%s) %d pages stay pinned: pin_user_pages_fast() may pin fewer "
                      "than it was asked for." % (what.replace("-", " "), left - before))
        before = left
    if not r.rows("refused"):
        r.obs["refused"]


@lab.criterion("kernel errors", 5, "When something cannot be had, the copy fails and nothing is kept", runs=["copies"],
               partial=True)
def kernel_errors(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    err, wrong = r.obs["after_fails"]
    for what, where, got, held, pages in r.rows("fails"):
        call = "When %s() at %s failed" % (what, where)
        if what == "nothing":
            continue
        if not got:
            c.lose(3, "%s, the copy was reported as done." % call)
        elif got == errno.EOPNOTSUPP or got > 133:
            c.lose(2, "%s, the copy returned %s: an error is passed on." % (call, name(got)))
        if held > 0 or pages > 0:
            c.lose(3, "%s, what was acquired before was not given back (%d things, %d pinned pages)." %
                   (call, held, pages))
        elif held < 0 or pages < 0:
            c.lose(3, "%s, something was given back that had not been got." % call)
    if err or wrong:
        c.lose(5, "After things had failed a copy %s." % ("returned " + name(err) if err else "did not arrive"))


@lab.criterion("device errors", 5, "A copy that the device fails is -EIO, and the next one works", runs=["faults"],
               partial=True)
def device_errors(c, runs):
    r = runs["faults"]
    need_copies(c, r)
    r.obs["pieces"]
    singles = r.rows("single")
    failed = [row for row in singles if row[0] == errno.EIO]
    other = [row for row in singles if row[0] not in (0, errno.EIO)]
    if other:
        c.lose(3, "The device failed a copy (it stopped the channel with an error), and the driver says %s, not -EIO." %
               name(other[0][0]))
    elif not failed:
        c.lose(5, "The device failed three of nine copies, and the driver reported none of them.")
    if any(err == 0 and wrong for err, wrong, _ in singles):
        c.lose(5, "A copy was reported as done that the device had failed.")
    if len(failed) + len(other) > 3:
        c.lose(3, "After the device had failed a copy, the next ones fail, too: lab_ce_restart().")
    if any(row[-1] for row in singles + r.rows("pieces")):
        c.lose(2, "After a copy that the device failed, pages stay pinned.")
    complaints(c, r, 2)


@lab.criterion("time limit", 10, "A copy that never ends is given up, and stopped", runs=["copies"], partial=True)
def time_limit(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    r.obs["limit"]
    for to, err, touched, following, wrong, left in r.rows("limit"):
        if err == -1 or err == 1:
            c.fail("With timeout_ms = 300 a copy that the device did not begin had not returned after 8 s.")
        elif err == 0:
            c.fail("A copy that the device had not begun was reported as done.")
        elif err != errno.ETIMEDOUT:
            c.lose(3, "A copy that the device did not begin in time returned %s, not -ETIMEDOUT." % name(err))
        if touched and err:
            c.lose(6, "After -ETIMEDOUT the device still wrote %s: stop it (lab_ce_restart()) before you let go of the "
                      "memory." % ("VRAM" if to else "memory that is not pinned any more"))
        if following or wrong:
            c.lose(3, "After a copy had been given up the next one %s." % ("returned " + name(following) if following
                                                                         else "did not arrive"))
        if left:
            c.lose(2, "After a copy had been given up pages stay pinned.")


@lab.criterion("two at once", 5, "Copies of two threads do not disturb each other", runs=["copies"], partial=True)
def two(c, runs):
    r = runs["copies"]
    need_copies(c, r)
    err_a, err_b, wrong_a, wrong_b = r.obs["two"]
    if err_a or err_b:
        c.fail("Of two copies by two threads one returned %s." % name(err_a or err_b))
    elif wrong_a or wrong_b:
        c.fail("Of two copies by two threads one was never made: the second wrote its command block over the first "
               "one's (ce->lock).")


@lab.criterion("lost messages", 5, "A copy is done when the semaphore says so, whoever wakes the driver",
               runs=["messages"], partial=True)
def messages(c, runs):
    r = runs["messages"]
    need_copies(c, r)
    for err, wrong in r.rows("lost") or r.obs["lost"]:
        if err or wrong:
            c.lose(3, "When every second interrupt message gets lost, a copy %s." %
                   ("returns " + name(err) if err else "does not arrive"))
    err, wrong = r.obs["masked"]
    if err or wrong:
        c.lose(3, "With all interrupts masked a copy %s: when time is up, look at the semaphore before giving up." %
               ("returns " + name(err) if err else "does not arrive"))
    complaints(c, r, 2)
