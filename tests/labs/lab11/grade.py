# SPDX-License-Identifier: MIT
"""Grader of lab 11: more buffers than VRAM has room for.

The guest shows what is in the buffers. The device's trace shows which buffer was copied to system memory, and when: the
driver's own channel, number 0, copies from LAB_VA_VRAM + place to LAB_VA_SYS + bus address."""

import errno

from ppulab import Lab, hw
from ppulab.say import err, one, rows

ENOSPC, EIO = errno.ENOSPC, errno.EIO
MB = 1 << 20
VA_VRAM, VA_SYS = 0x100000000, 0x10000000000        # lab_uapi.h, lab.h
COPY, ACQUIRE = hw.COMMANDS["COPY"], hw.COMMANDS["SEM_ACQUIRE"]

lab = Lab(11, "Eviction", page="11-eviction.md", kind="module", student=["lab_evict.c"], without=[8])
lab.exercise("exercise.c", "exercise_busy.c")
VRAM = {"vram": "32M", "copy-engines": 1}
lab.scenario("place", cmd=["exercise", "place"], props=VRAM, trace=True, timeout=180)
lab.scenario("busy", cmd=["exercise", "busy"], props=VRAM, trace=True, timeout=120)
lab.scenario("end", cmd=["exercise", "end"], props=VRAM, timeout=120)
lab.skeleton_points = 0


def moves(run):
    """(index in the trace, place in VRAM, True if the copy goes to system memory) of copies between the two."""
    for i, e in enumerate(run.trace):
        if e.name != "CMD" or e.unit != 0 or e.b != COPY:
            continue
        if e.c < VA_SYS <= e.d:
            yield i, e.c - VA_VRAM, True
        elif e.d < VA_SYS <= e.c:
            yield i, e.d - VA_VRAM, False


def works(c, runs):
    """Without buffers that move, no other criterion means anything."""
    r = runs["place"]
    _, made, ret, _ = rows(c, r, "over", "making more buffers than VRAM has room for")[0]
    c.require(ret == 0, "Of buffers for twice the VRAM only %d could be made (%s): nobody made room." % (made, err(ret)))
    c.require(any(out for _, _, out in moves(r)), "The device copied nothing from VRAM to system memory.")


@lab.criterion("over-commit", 25, "Buffers for two and three times the VRAM keep their contents", runs=["place"],
               partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["place"]
    for factor, made, ret, bad in r.rows("over"):
        points = 10 if factor == 2 else 8
        if ret:
            c.lose(points, "Of buffers for %d times the VRAM only %d could be made (%s)." % (factor, made, err(ret)))
        elif bad:
            c.lose(points, "Of %d buffers, %d times as many as VRAM has room for, %d did not have what the program had "
                           "written." % (made, factor, bad))
    for factor, ret, bad in rows(c, r, "copied", "copying"):
        if ret:
            c.lose(5, "GEM_COPY from buffers for %d times the VRAM gave %s." % (factor, err(ret)))
        elif bad:
            c.lose(5, "GEM_COPY from %d of the buffers for %d times the VRAM gave something else than the program had "
                      "written." % (bad, factor))
    seen = [f for f, *_ in r.rows("copied")]
    if seen != [2, 3]:
        c.lose(10, r.dead or "The exercise did not get as far as three times the VRAM.")


@lab.criterion("order", 15, "The buffer that was not used for longest goes first", runs=["place"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["place"]
    ret, = one(c, r, "ordered", "making buffers when VRAM is full")
    c.require(ret == 0, "With VRAM exactly full, making or using one more buffer gave %s." % err(ret))
    place = {at: n for n, at in r.rows("place")}
    used = [n for n, in r.rows("used")]
    goes, = r.rows("goes")
    last = next((at for at, n in place.items() if n == used[-1]), None)
    marks = [i for i, e in enumerate(r.trace) if e.name == "CMD" and e.unit == 0 and e.b == COPY and last is not None
             and e.c == VA_VRAM + last + 1024 and e.d == VA_VRAM + last + 2048]
    c.require(marks, "The device's trace does not show the copies that used the buffers.")
    gone = []
    for i, at, out in moves(r):
        n = place.get(at // MB * MB)
        if out and i > marks[-1] and n is not None and n not in gone:
            gone.append(n)
    gone = gone[:len(goes)]
    if gone[:2] != goes[:2]:
        c.lose(10, "Buffers were used in the order %s. Then two more were made, and the device copied out %s, not %s."
               % (listed(used), listed(gone[:2]), listed(goes[:2])))
    if gone != goes:
        c.lose(5, "With the next buffer used once more before two others were made, the device copied out %s in all; the "
                  "right order is %s." % (listed(gone), listed(goes)))


def listed(numbers):
    return ", ".join(map(str, numbers)) or "nothing"


@lab.criterion("zero", 5, "A new buffer is zero, whoever was there before", runs=["place"], partial=True)
def _(c, runs):
    works(c, runs)
    for ret, zero in rows(c, runs["place"], "zero", "looking into new buffers"):
        c.require(ret == 0, "A buffer could not be made where another one had been: %s." % err(ret))
        c.require(zero, "A new buffer shows what another one had there before it was moved out.")


@lab.criterion("fit", 10, "What cannot fit is refused, and nothing is lost", runs=["place"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["place"]
    ret, copies = one(c, r, "large", "making a buffer that is larger than VRAM")
    if ret != -ENOSPC:
        c.lose(3, "A buffer that is larger than VRAM gave %s, not -ENOSPC." % err(ret))
    if copies:
        c.lose(3, "For a buffer that is larger than VRAM the device made %d copies: nobody should move for what can "
                  "never fit." % copies)
    made, ret, bad = one(c, r, "limit", "using up system memory")
    if made != 36 or ret != -ENOSPC:
        c.lose(4, "With room for 16 buffers in VRAM and 20 in system memory %d were made, and then came %s; it should be 36 "
                  "and -ENOSPC." % (made, err(ret)))
    if bad:
        c.lose(4, "When there was no system memory for one more buffer, %d of the others lost their contents." % bad)


@lab.criterion("busy", 15, "What a job uses does not move", runs=["place", "busy"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["busy"]
    ret, late, ms = one(c, r, "busy", "making a buffer beside a job")
    c.require(ret == 0, "A job of a file with four buffers could not be submitted: %s." % err(ret))
    if late == 0:
        c.lose(15, "While a job waited in its ring, its buffers made room for another one: the job would have used what is "
                   "not theirs any more.")
    elif late != -ENOSPC:
        c.lose(5, "A buffer for which a job's buffers would have to go gave %s, not -ENOSPC." % err(late))
    places = [before for before, _ in r.rows("stays")]
    blocked = [i for i, e in enumerate(r.trace) if e.name == "BLOCK"]
    goes_on = [i for i, e in enumerate(r.trace) if e.name == "UNBLOCK" and blocked and i > blocked[0]]
    early = [at for i, at, out in moves(r) if out and blocked and blocked[0] < i < (goes_on or [len(r.trace)])[0]
             and at // MB * MB in places]
    if early:
        c.lose(15, "While a job waited in its ring, the device copied one of its buffers (VRAM offset %#x) to system "
                   "memory." % early[0])
    beside, = one(c, r, "beside", "a second job that has no room beside the first")
    if beside != -ENOSPC:
        c.lose(5, "Beside a job with buffers of 4 MiB, a job of another file with 13 MiB gave %s, not -ENOSPC: not all of its "
                  "buffers can be in VRAM (bo->keep)." % err(beside))
    released, waited, right, late, again, right2 = one(c, r, "busy_end", "letting the job end")
    c.require(released == 0, "The submission that lets the job go on gave %s." % err(released))
    if waited or not right:
        c.lose(8, "The job that had waited ended with %s, and its copy is %s."
               % (err(waited), "right" if right else "wrong"))
    if late:
        c.lose(5, "When the job had ended, the buffer for which its buffers have to go gave %s: were its buffers still "
                  "taken to be busy?" % err(late))
    if again or not right2:
        c.lose(5, "After its buffers had gone and come back, the next job gave %s, and its copy is %s."
               % (err(again), "right" if right2 else "wrong"))


@lab.criterion("waiting", 10, "Who waits for room stands in nobody's way", runs=["place", "busy"], partial=True)
def _(c, runs):
    works(c, runs)
    ret, asleep, released, ms, waited, made, right = one(c, runs["busy"], "waiting", "waiting for room")
    c.require(ret == 0, "A job could not be submitted: %s." % err(ret))
    c.require(asleep, "A thread that needs the place of a busy buffer did not wait for the job, but got an answer at once.")
    if ms > 1500:
        c.lose(5, "While one thread waited for room, another one could not submit for %d ms, and its job was the one that "
                  "the first thread waited for: unlock place.lock for the wait." % ms)
    if made:
        c.lose(5, "The job that a new buffer waited for ended, but the buffer was not made: %s." % err(made))
    if released or waited or not right:
        c.lose(5, "The job that a new buffer waited for did not do its work (%s, %s)." % (err(released), err(waited)))


@lab.criterion("address spaces", 10, "Jobs find their buffers wherever these are", runs=["place", "busy"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["busy"]
    for which, turn, ret in rows(c, r, "turn", "jobs of two files in turn"):
        if ret:
            c.lose(6, "Job %d of file %d of two that take turns in VRAM gave %s." % (turn, which, err(ret)))
    for which, right in r.rows("turned"):
        if not right:
            c.lose(6, "After eight jobs of two files in turn, data that was copied from buffer to buffer is wrong: did a "
                      "job use the place where a buffer had been (lab_bo_repoint(), TLB)?")
    bound, source, right, to = one(c, r, "piece", "a part of a buffer")
    if bound or source or not right:
        c.lose(4, "Two pages of a buffer that are bound by themselves were not found after the buffer had moved (%s, %s): "
                  "think of `offset`, and of the TLB." % (err(bound), err(source)))
    if to != -EIO:
        c.lose(2, "A read-only mapping could be written after its buffer had moved: spot->flags.")
    ret, copies, less = one(c, r, "set", "a job with too many buffers")
    if ret != -ENOSPC:
        c.lose(3, "A job whose file has more bound than VRAM has room for gave %s, not -ENOSPC." % err(ret))
    elif copies:
        c.lose(2, "For a job whose buffers can never be in VRAM together the device made %d copies." % copies)
    if less:
        c.lose(3, "When some buffers were unbound again, so that the others have room, a job gave %s." % err(less))


@lab.criterion("books", 5, "The driver's books are right", runs=["place"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["place"]
    rows(c, r, "books", "comparing the books")
    at = {row[0]: row[1:] for row in r.rows("books")}
    c.require("closed" in at, r.dead or "The exercise did not get as far as comparing the books.")
    ret, vram, sys, out, back, copied = at["made"]
    if (ret, vram, sys, out, back) != (0, 16 * MB, 8 * MB, 8, 0):
        c.lose(3, "With 24 buffers of 1 MiB the books say %d bytes in VRAM, %d in system memory, %d evictions, %d restores."
               % (vram, sys, out, back))
    ret, vram, sys, out, back, copied = at["touched"]
    if copied != (out + back) * MB:
        c.lose(3, "The books say that %d buffers of 1 MiB moved; the device copied %d bytes." % (out + back, copied))
    if at["closed"][1:3] != [0, 0]:
        c.lose(3, "With all buffers closed the books say %d bytes in VRAM and %d in system memory." % tuple(at["closed"][1:3]))
    if one(c, r, "where", "asking where buffers are") != [0, 1, 0]:
        c.lose(2, "A buffer that was just touched is not in VRAM, or one that nobody touched is not in system memory.")


@lab.criterion("end", 5, "Where something fails, or the driver leaves, nothing is lost", runs=["place", "busy", "end"],
               partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["end"]
    for n, ret, bad in rows(c, r, "failed", "allocations that fail"):
        if bad:
            c.lose(3, "When acquisition %d of the driver failed while a buffer was made, %d buffers lost their contents."
                   % (n, bad))
    ret, = one(c, r, "after_failures", "making a buffer after all failures")
    if ret:
        c.lose(3, "After failures no buffer could be made any more: %s." % err(ret))
    ret, gone = one(c, r, "unbind", "unbinding the driver")
    if ret or gone:
        c.lose(3, "Unbinding the driver while buffers were in system memory: %s, %s." % (err(ret), err(gone)))
    ret, made = one(c, r, "rebind", "binding the driver again")
    if ret or made:
        c.lose(3, "Binding the driver again gave %s, and making buffers then %s." % (err(ret), err(made)))
    for run in runs.values():
        for what, where in run.rows("left.held")[:3]:
            c.lose(3, "%s at %s was not undone when the driver was unloaded." % (what, where))
    for when, *line in r.rows("complaint"):
        c.lose(3, "The kernel complains: %s" % " ".join(map(str, line)))
