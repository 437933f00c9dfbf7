# SPDX-License-Identifier: MIT
"""Grader of lab 5: channels.

Memory shows what commands did. The device's registers, which the grader reads, show how channels were programmed. The
trace tells which entries were fetched and what went wrong; the witness module knows of barriers before doorbells."""

import errno

from ppulab import Lab, hw
from ppulab.say import err, one, rows

EINVAL, ENODEV, EIO, EAGAIN, ETIME = errno.EINVAL, errno.ENODEV, errno.EIO, errno.EAGAIN, errno.ETIME
MEANS = {"PUT_RANGE": "GP_PUT was outside the ring, or past GP_GET",
         "NULL_ENTRY": "the device found an entry that had not been written yet",
         "BAD_ENTRY": "an entry has a bad length, alignment or flags",
         "BLOCK_FAULT": "an entry points to memory that is not mapped"}
BAD_OPCODE = hw.ERROR_CODES["BAD_OPCODE"]
ENTRY_BYTES = 16
LAB_VA_VRAM = 0x100000000

lab = Lab(5, "A channel", page="05-channel.md", kind="module", student=["lab_chan.c"])
lab.exercise("exercise.c", "exercise_ring.c", "exercise_wait.c", "exercise_end.c")
lab.scenario("ring", cmd=["exercise", "ring"], vram="64M", trace=True, timeout=120)
# Without these costs, and in a machine whose time counts instructions, an entry is fetched the moment the doorbell
# rings, before the CPU's next instruction.
lab.scenario("exact", cmd=["exercise", "exact"], vram="64M", timeout=120, icount=True, trace=True, debug=False,
             props={"cost-fetch-ns": 0, "cost-switch-ns": 0, "x-fault-irq-lose": 1})
lab.picture("ring")
lab.skeleton_points = 0


def stopped(number):
    """A clause about the error with which the channel stopped, if it did."""
    if not number:
        return ""
    name = hw.ERRORS[number][0] if number in hw.ERRORS else "error %d" % number
    return "; the device stopped the channel: %s%s" % (name, ", " + MEANS[name] if name in MEANS else "")


def works(c, r):
    """Without a driver that makes channels, no other criterion means anything."""
    ret, = one(c, r, "one_chan", "making a channel")
    c.require(ret == 0, "CHAN_CREATE of 16 entries gave %s: without channels nothing else can be tried." % err(ret))


@lab.criterion("configuration", 12, "A channel is programmed as it should be, and can be made again", runs=["ring"],
               partial=True)
def configuration(c, runs):
    r = runs["ring"]
    works(c, r)
    want = {"copy": (5, 2), "compute": (3, 1), "largest": (65536, 2)}
    for what, ret, chid, entries, cls, prio, ns, engines, flags, get, put, error in rows(c, r, "config",
                                                                                        "making channels"):
        c.require(ret == 0 and chid > 0, "CHAN_CREATE of %d entries gave %s%s." % (
            want[what][0], err(ret), "" if chid > 0 else ", and no channel of the device is enabled"))
        if (entries, cls) != want[what]:
            c.lose(4, "For CHAN_CREATE of %d entries, class %d, the device was told %d entries, class %d."
                   % (*want[what], entries, cls))
        old = [n for n, v in (("CH_PRIORITY", prio), ("CH_TIMESLICE_NS", ns), ("CH_ENGINE_MASK", engines),
                              ("CH_FLAGS", flags)) if v]
        if old:
            c.lose(4, "%s still had what somebody had written there before the driver came: registers keep their "
                      "values, so write all of the configuration." % " and ".join(old))
        if get or put or error:
            c.lose(4, "A new channel has GET %d, PUT %d%s; it should be empty, at 0." % (get, put, stopped(error)))
    for e in r.trace:
        if e.name == "CH_ENABLE" and e.unit > 0 and not inside(e.b, e.c):
            c.lose(4, "A channel's ring was said to be at %#x, which is not in the driver's memory." % e.b)
    left, = one(c, r, "config_left", "destroying channels")
    if left:
        c.lose(4, "After CHAN_DESTROY a channel of the device is still enabled.")
    ret, = one(c, r, "config_again", "making many channels")
    if ret:
        c.lose(4, "Of a hundred channels made and destroyed one after the other one failed: %s." % err(ret))


def inside(va, entries):
    return LAB_VA_VRAM <= va and va + entries * ENTRY_BYTES <= LAB_VA_VRAM + (16 << 20)


@lab.criterion("submit", 10, "Blocks are executed, one after the other", runs=["ring"], partial=True)
def submit(c, runs):
    r = runs["ring"]
    works(c, r)
    for i, (ret, seqno, waited, stored) in enumerate(rows(c, r, "one", "submitting")):
        c.require(ret == 0, "SUBMIT gave %s." % err(ret))
        c.require(waited == 0, "CHAN_WAIT for a submission gave %s%s." % (
            err(waited), ": chan->submitted says which seqnos there are" if waited == -EINVAL else ""))
        if seqno != i + 1:
            c.lose(3, "Submission %d of a channel got the seqno %d." % (i + 1, seqno))
        if not stored:
            c.lose(7, "CHAN_WAIT for a submission came back before its block was executed.")


@lab.criterion("wrap", 16, "Rings of any number of entries, around and around", runs=["ring"], partial=True)
def wrap(c, runs):
    r = runs["ring"]
    works(c, r)
    for entries, jobs, ret, last, wrong, count, error in rows(c, r, "wrap", "many submissions"):
        if ret or wrong or count != jobs or last != jobs:
            c.lose(8, "Of %d submissions to a ring of %d entries %s%s." % (
                jobs, entries,
                "number %d failed: %s" % (last + 1, err(ret)) if ret else
                "%d were executed (each must be, once)" % count if count != jobs else
                "%d did not store what they should" % wrong if wrong else
                "the last got seqno %d" % last, stopped(error)))
    sizes = [row[0] for row in r.obs["wrap"].rows]
    if len(sizes) < 5:
        c.lose(16, r.dead or "The exercise did not get through its rings.")


@lab.criterion("full", 14, "A full ring is full, not empty", runs=["ring"], partial=True)
def full(c, runs):
    r = runs["ring"]
    works(c, r)
    found = rows(c, r, "full", "filling rings")
    for entries, taken, ret, still, look, waited, count, more, error in found:
        c.require(taken or ret == -EAGAIN, "The first SUBMIT to a ring of %d entries gave %s." % (entries, err(ret)))
        text = "A ring of %d entries, whose first submission waits, " % entries
        want = (entries - 1) // 2
        if taken > want:
            c.lose(8, text + "took %d submissions of 2 entries each; %d entries can be outstanding%s." % (
                taken, entries - 1, stopped(error)))
        elif taken < want:
            c.lose(4, text + "took %d submissions of 2 entries each, then gave %s; it has room for %d." % (
                taken, err(ret), want))
        elif ret != -EAGAIN:
            c.lose(4, text + "and has no room gave %s, not -EAGAIN." % err(ret))
        if not still:
            c.lose(4, text + "is full: SUBMIT was refused, and still moved GP_PUT.")
        if look != -ETIME:
            c.lose(3, "CHAN_WAIT with timeout 0 for a submission that waits gave %s, not -ETIME." % err(look))
        if waited or count != taken:
            c.lose(6, text + "filled up, then let go, executed %d of %d (CHAN_WAIT: %s)%s." % (
                count, taken, err(waited), stopped(error)))
        if more:
            c.lose(4, "A ring of %d entries that was full, and is empty again, takes no more: %s%s." % (
                entries, err(more), stopped(error)))
    if len(found) < 5:
        c.lose(14, r.dead or "The exercise did not get through its rings.")


@lab.criterion("doorbell", 10, "The device hears of entries after they are written", partial=True)
def doorbell(c, runs):
    r = runs["ring"]
    works(c, r)
    null = [e for run in (runs["exact"], r) for e in run.trace if e.name == "CH_ERROR" and e.unit and e.a == 2]
    if null:
        c.lose(10, "The device found an entry that was not written yet (NULL_ENTRY at GET %d): first the entries, then "
                   "GP_PUT." % null[0].b)
    for ret, waited, error in rows(c, runs["exact"], "order", "ringing the doorbell"):
        if ret or waited:
            c.lose(5, "With a device that fetches at once SUBMIT gave %s, CHAN_WAIT %s%s."
                   % (err(ret), err(waited), stopped(error)))
    jobs, bells, unordered, error = one(c, r, "doorbell", "watching the doorbell")
    c.require(jobs == 8, "SUBMIT gave %s%s." % (err(jobs), stopped(error)))
    if bells != jobs:
        c.lose(3, "%d submissions rang the doorbell %d times: GP_PUT is written once for all entries of a submission."
               % (jobs, bells))
    if unordered:
        c.lose(7, "There was no write barrier before %d of %d doorbells: the entries are in write-combining memory, "
                  "and may leave the CPU after the store to GP_PUT (wmb())." % (unordered, bells))


@lab.criterion("threads", 8, "Threads may share a channel", runs=["ring"], partial=True)
def threads(c, runs):
    r = runs["ring"]
    works(c, r)
    jobs, ret, waited, count, distinct, unlocked = one(c, r, "threads", "submitting from several threads")
    if unlocked:
        c.lose(8, "The driver worked on a channel without holding chan->lock (lab_chan_locked() complained): two "
                  "threads write the same entry, sooner or later.")
    if ret or waited:
        c.lose(8, "When four threads submitted to one channel, SUBMIT gave %s and CHAN_WAIT %s."
               % (err(ret), err(waited)))
    elif count != jobs:
        c.lose(8, "Of %d submissions by four threads %d were executed." % (jobs, count))
    if distinct != jobs:
        c.lose(4, "Of %d submissions by four threads only %d got a seqno of their own." % (jobs, distinct))


@lab.criterion("wait", 10, "CHAN_WAIT waits for what it should, asleep", partial=True)
def wait(c, runs):
    r = runs["ring"]
    works(c, r)
    look1, look2 = one(c, r, "incomplete", "waiting")
    if look1:
        c.lose(4, "CHAN_WAIT for a submission that is complete, while the next one is not, gave %s." % err(look1))
    if look2 == 0:
        c.lose(6, "CHAN_WAIT said that a submission is complete which is not: its block waits, behind an INTR command "
                  "of its own. GP_GET tells what is done.")
    elif look2 != -ETIME:
        c.lose(3, "CHAN_WAIT with timeout 0 gave %s, not -ETIME." % err(look2))
    timed, ms, used = one(c, runs["exact"], "asleep", "waiting for what does not come")
    if look2 and timed != -ETIME:
        c.lose(3, "CHAN_WAIT for 300 ms gave %s, not -ETIME." % err(timed))
    elif look2 and ms < 250:
        c.lose(3, "CHAN_WAIT for 300 ms gave up after %d ms." % ms)
    if used > 150:
        c.lose(4, "A CHAN_WAIT of 300 ms kept the CPU busy for %d ms: sleep on chan->wait, the interrupt wakes you."
               % used)
    ret, = one(c, r, "other", "waiting for another channel")
    if ret:
        c.lose(3, "While one channel waits, CHAN_WAIT for another one's submission gave %s." % err(ret))
    ret, = one(c, r, "complete", "the end of a wait")[:1]
    if ret:
        c.lose(4, "When its block was let go, CHAN_WAIT gave %s." % err(ret))
    lost = runs["exact"]
    done, jobs, ret, bad = one(c, lost, "lost", "waiting while messages get lost")
    if done < jobs:
        c.lose(4, "With the device's messages lost CHAN_WAIT gave %s: look for yourself now and then." % err(ret))
    elif bad != -EIO:
        c.lose(2, "With the device's messages lost CHAN_WAIT for a bad block gave %s, not -EIO." % err(bad))


@lab.criterion("errors", 8, "A bad block stops its channel, and nothing else", runs=["ring"], partial=True)
def errors(c, runs):
    r = runs["ring"]
    works(c, r)
    *waits, late, error = one(c, r, "error", "submitting a bad block")
    c.require(error == BAD_OPCODE, "A block with a command that does not exist should have been executed, up to that "
                                   "command%s." % stopped(error))
    for ret, text in zip(waits[:2], ("the block that waited before it", "the good block before it")):
        if ret:
            c.lose(3, "After a bad block, CHAN_WAIT for %s gave %s: it was complete." % (text, err(ret)))
    for ret, text in zip(waits[2:], ("the bad block", "the block behind it")):
        if ret != -EIO:
            c.lose(4, "CHAN_WAIT for %s gave %s, not -EIO." % (text, err(ret)))
    if late != -EIO:
        c.lose(3, "SUBMIT to a channel that has failed gave %s, not -EIO." % err(late))
    ret, = one(c, r, "innocent", "using another channel")
    if ret:
        c.lose(4, "After a bad block in one channel, another one did not work: %s." % err(ret))
    ret, = one(c, r, "recovered", "making a channel after an error")
    if ret:
        c.lose(4, "After a bad block, a new channel (on the same one of the device) did not work: %s. An error is only "
                  "forgotten by RESET." % err(ret))


@lab.criterion("blocks", 6, "A block is in its buffer, whatever the numbers", runs=["ring"], partial=True)
def blocks(c, runs):
    r = runs["ring"]
    works(c, r)
    for offset, words, ret in rows(c, r, "block", "submitting what is not in the buffer"):
        if ret != -EINVAL:
            c.lose(2, "SUBMIT of %d words at offset %s of a buffer of %s gave %s, not -EINVAL." % (
                words, "2^64 - %d" % -offset if offset < 0 else offset,
                "9 MiB" if words == (1 << 21) + 1 else "65536 bytes", err(ret)))
    ret, = one(c, r, "block_end", "submitting the last words of a buffer")
    if ret:
        c.lose(3, "SUBMIT of the last words of a buffer, or CHAN_WAIT for them, gave %s: they are in it." % err(ret))


@lab.criterion("removal", 6, "Channels go with their file and with the device", runs=["ring"], partial=True)
def removal(c, runs):
    r = runs["ring"]
    works(c, r)
    ret, waited, status, get, put, count, again = one(c, r, "destroy", "destroying a busy channel")
    c.require(ret == 0, "CHAN_DESTROY gave %s." % err(ret))
    if status & 1 or count > 1 or (count and status):
        c.lose(6, "A channel that was destroyed while it waited was not stopped: when what it waited for came, the "
                  "device went on with its ring, in memory that is somebody else's by now.")
    elif get or put:
        c.lose(2, "A channel that was destroyed was not RESET: GET is %d, PUT %d." % (get, put))
    if waited != -EIO:
        c.lose(2, "CHAN_WAIT for a channel that was destroyed meanwhile gave %s, not -EIO." % err(waited))
    if again:
        c.lose(4, "After a busy channel was destroyed, a new one did not work: %s." % err(again))
    before, after = one(c, r, "close", "closing a file with a busy channel")
    if after:
        c.lose(4, "After a file was closed its channel was still enabled.")
    ret, waited, late, bound, again = one(c, r, "removal", "removing a device with a busy channel")
    c.require(ret == 0 and bound == 0, "Unbinding the driver gave %s, binding it again %s." % (err(ret), err(bound)))
    if waited != -ENODEV:
        c.lose(2, "CHAN_WAIT while the device was removed gave %s, not -ENODEV." % err(waited))
    if late != -ENODEV:
        c.lose(1, "CHAN_WAIT of a file whose device is gone gave %s, not -ENODEV." % err(late))
    if again:
        c.lose(3, "After the driver was bound again a channel did not work: %s." % err(again))
    looked = [row[0] for row in r.rows("looked")]
    c.require("end" in looked, r.dead or "The exercise did not get to the end of the removal.")
    for line in r.rows("complaint"):
        if "lab_chan_locked" not in line:
            c.lose(4, "The kernel complains: %s." % " ".join(str(w) for w in line[1:]).rstrip("."))
    left = [" ".join(str(w) for w in line) for line in r.rows("left.held") + r.rows("left.bad")]
    if left:
        c.lose(3, "With the module unloaded there is still: %s." % "; ".join(left[:4]))
