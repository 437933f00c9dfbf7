# SPDX-License-Identifier: MIT
"""Grader of lab 12: a device that is reset, or goes, while it works.

The guest asks for the resets and removals, and shows what programs saw. The device's trace shows the resets."""

import errno

from ppulab import Lab
from ppulab.say import err, one, rows

EIO, ENODEV = errno.EIO, errno.ENODEV
READY = 0x4c414221      # LAB_SCRATCH_READY

lab = Lab(12, "Hot-unplug and reset", page="12-reset.md", kind="module", student=["lab_reset.c"], without=[8, 11])
lab.exercise("exercise.c", "exercise_load.c", "exercise_gone.c")
PROPS = {"vram": "64M", "copy-engines": 1}
lab.scenario("reset", cmd=["exercise", "reset"], props=PROPS, trace=True, timeout=120)
lab.scenario("load", cmd=["exercise", "load"], props=PROPS, timeout=120)
lab.scenario("gone", cmd=["exercise", "gone"], props=PROPS, timeout=120)
lab.skeleton_points = 0


def works(c, runs):
    """Without a device that works after a reset, nothing else means anything."""
    r = runs["reset"]
    ret, = one(c, r, "reset", "a reset")
    c.require(ret == 0, "The reset was not possible: %s." % err(ret))
    c.require(any(e.name == "RESET" for e in r.trace), "The device's trace shows no reset.")
    ret, *_ = one(c, r, "kept", "using the device after a reset")
    c.require(ret == 0, "GEM_COPY after a reset gives %s: the kernel's context, lab_ce_restart()." % err(ret))
    after = {row[0]: row[1:] for row in rows(c, r, "after", "using the device after a reset")}
    c.require("late" in after, r.dead)
    c.require(after["late"][0] == 0 and after["late"][1],
              "After a reset not even a file that is opened then can use the device (%s)." % err(after["late"][0]))


@lab.criterion("jobs", 15, "What was under way ends, with an error", runs=["reset"], partial=True)
def _(c, runs):
    works(c, runs)
    done, lost, done_fence, lost_fence, woken = one(c, runs["reset"], "ended", "waiting for old jobs")
    if done or done_fence != 1:
        c.lose(5, "A job that was complete before the reset: its wait gives %s, the status of its fence is %s, not 0 and 1."
               % (err(done), err(done_fence)))
    if lost != -EIO:
        c.lose(5, "The wait for a job that the reset ended gives %s, not -EIO." % err(lost))
    if lost_fence != -EIO:
        c.lose(5, "The fence of a job that the reset ended has the status %s, not -EIO (0: it never signals, 1: it pretends "
                  "to be complete)." % err(lost_fence))
    if not woken:
        c.lose(5, "A program that sleeps until a fence signals was not woken when a reset ended the job.")
    submitted, closed = one(c, runs["reset"], "old", "using the old channel")
    if submitted != -EIO or closed:
        c.lose(3, "A channel that was lost in a reset takes submissions (%s, not -EIO), or cannot be destroyed (%s)."
               % (err(submitted), err(closed)))


@lab.criterion("rebuilt", 20, "After a reset everything works as before", runs=["reset"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["reset"]
    ret, kept, scratch = one(c, r, "kept", "buffers after a reset")
    if ret == 0 and not kept:
        c.lose(6, "Buffers did not have their contents after a reset, although VRAM keeps them.")
    if scratch != READY:
        c.lose(2, "After a reset SCRATCH has %#x, not LAB_SCRATCH_READY." % scratch)
    text = {"user": "of a file that had lost a job", "idle": "of a file that had lost nothing",
            "late": "of a file opened after the reset", "again": "after a second reset"}
    for who, ret, right, woken in r.rows("after"):
        if ret or not right:
            c.lose(6, "After a reset the job of a new channel %s gives %s, and its copy is %s: buffers and bindings are "
                      "still there, does the device know the context?" % (text[who], err(ret), "right" if right else "wrong"))
        elif not woken:
            c.lose(5, "After a reset a program that sleeps until a fence signals is not woken: are interrupts on again?")
    if "second" not in r.obs or r.obs["second"] != [0]:
        c.lose(5, r.dead or "A second reset was not possible.")


@lab.criterion("told", 10, "Files are told what they lost", runs=["reset"], partial=True)
def _(c, runs):
    works(c, runs)
    want = {"user": (0, 1, 1), "idle": (0, 1, 0), "late": (0, 0, 0), "again": (0, 2, 0)}
    seen = {row[0]: tuple(row[1:]) for row in rows(c, runs["reset"], "told", "asking for resets")}
    text = {"user": "A file that had a job under way", "idle": "A file without a job", "late": "A file opened later",
            "again": "A file without a job, after two resets,"}
    for who, numbers in want.items():
        if who in seen and seen[who] != numbers:
            c.lose(4, "%s is told %d resets and %d lost submissions (%s); it should be %d and %d."
                   % (text[who], seen[who][1], seen[who][2], err(seen[who][0]), numbers[1], numbers[2]))
    c.require(len(seen) == len(want), runs["reset"].dead or "Not all files were asked.")


@lab.criterion("load", 25, "Resets under load: only jobs notice", runs=["reset", "load"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["load"]
    ret, = one(c, r, "load", "resets under load")
    c.require(ret == 0, "A reset under load was not possible: %s." % err(ret))
    for who, rounds, went_on, error, wrong, lost in rows(c, r, "thread", "resets under load"):
        if who == "copy" and error:
            c.lose(8, "GEM_COPY during a reset gives %s: an ioctl that uses the device waits at the gate." % err(error))
        if who == "create" and error:
            c.lose(5, "GEM_CREATE during a reset gives %s." % err(error))
        if who in ("copy", "job") and wrong:
            c.lose(8, "%d copies that were reported as done during resets were wrong." % wrong)
        if who == "store" and lost:
            c.lose(8, "%d stores through a mapping were lost during resets: without its pages a process has to fault, and "
                      "the fault waits at the gate." % lost)
        if who == "job" and error:
            c.lose(5, "During resets a job, or making a channel, gives %s; only -EIO is allowed." % err(error))
        if not went_on:
            c.lose(6, "After the last reset the thread for %s did not go on within 5 s." % who)
    for when, *line in r.rows("complaint"):
        c.lose(8, "The kernel complains: %s" % " ".join(map(str, line)))
    c.require(r.alive, r.dead)


@lab.criterion("gone", 20, "A device that is gone hurts nobody", runs=["reset", "gone"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["gone"]
    ret, made, submitted, waited, fence, woken = one(c, r, "gone", "unbinding the driver")
    c.require(ret == 0, "Unbinding the driver gives %s." % err(ret))
    for what, got in (("GEM_CREATE", made), ("SUBMIT", submitted), ("CHAN_WAIT", waited)):
        if got != -ENODEV:
            c.lose(2, "%s of a device that is gone gives %s, not -ENODEV." % (what, err(got)))
    if fence >= 0:
        c.lose(4, "The fence of a job that was under way when the driver left has the status %s, not an error." % fence)
    if not woken:
        c.lose(4, "A program that sleeps until a fence signals was not woken when the driver left.")
    pages = rows(c, r, "page", "touching mappings of a device that is gone")
    expected = {"touched": 0, "next": 0, "other-buffer": 0, "other-file": 0, "touched-again": 0, "after-rebind": 5}
    for where, lives, first, value, then in pages:
        if not lives:
            c.lose(10, "A program died of SIGBUS when it touched a mapping of a device that is gone; the rule of this lab is "
                       "a page of zeroes.")
        elif then != value:
            c.lose(4, "A store to a mapping of a device that is gone cannot be read again.")
        elif first != expected[where]:
            c.lose(8, "A mapping of a device that is gone (%s) shows %d, not %d: %s" % (
                where.replace("-", " "), first, expected[where],
                "another mapping has the same page, perhaps another program's." if where.startswith("other") or
                where == "next" else "whose page is it?"))
    if len(pages) < len(expected):
        c.lose(5, r.dead or "Not all mappings were touched.")


@lab.criterion("again", 10, "It can come back, and leaves nothing behind", runs=["reset", "load", "gone"], partial=True)
def _(c, runs):
    works(c, runs)
    r = runs["gone"]
    ret, old = one(c, r, "rebind", "binding the driver again")
    if ret:
        c.lose(5, "Binding the driver again while old files were open gives %s." % err(ret))
    if old != -ENODEV:
        c.lose(3, "A file from before the driver left gives %s, not -ENODEV, once the driver is back." % err(old))
    ret, back, *errors = one(c, r, "removed", "removing the device under load")
    if ret or back:
        c.lose(4, "Removing the device under load gives %s, and finding it again %s." % (err(ret), err(back)))
    for error in errors:
        if error != -ENODEV:
            c.lose(3, "A thread that used the device when it was removed got %s, not -ENODEV." % err(error))
    for when, made, copied in r.rows("works"):
        if made or copied:
            c.lose(4, "A new file (%s) cannot use the device: %s, %s." % (when, err(made), err(copied)))
    for run in runs.values():
        for what, where in run.rows("left.held")[:3]:
            c.lose(4, "%s at %s was not undone when the driver was unloaded." % (what, where))
        for where, *line in run.rows("complaint"):
            c.lose(5, "The kernel complains: %s" % " ".join(map(str, line)))
        c.require(run.alive, run.dead)
