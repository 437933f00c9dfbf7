# SPDX-License-Identifier: MIT
"""Grader of lab 6: semaphores, fences, syncobjs.

The guest shows what programs see of fences. The device's trace shows what the device did, and in which order. Work that
must not be complete waits in the device for a word that the exercise has not written yet: nothing depends on time."""

import errno

from ppulab import Lab, hw
from ppulab.say import err, one

NOP, ACQUIRE, RELEASE, WFI, INTR = (hw.COMMANDS[n] for n in ("NOP", "SEM_ACQUIRE", "SEM_RELEASE", "WFI", "INTR"))
EIO = errno.EIO
LATE_NS = 3000000       # in the second run every message is late by this much

lab = Lab(6, "Semaphores, dma_fence, syncobj", page="06-fences.md", kind="module", student=["lab_fence.c"])
lab.modules = ["vgem"]
lab.exercise("exercise.c")
lab.scenario("fences", cmd=["exercise", "fences"], props={"copy-engines": 1}, trace=True, timeout=120)
lab.scenario("interrupts", cmd=["exercise", "interrupts"], timeout=120,
             props={"copy-engines": 1, "x-fault-irq-lose": 3, "x-fault-irq-spurious": 2, "x-fault-irq-delay-ns": LATE_NS})
lab.scenario("wait", cmd=["exercise", "wait"], props={"copy-engines": 1}, trace=True, timeout=120)
lab.picture("wait")
lab.skeleton_points = 0


class Submission:
    """What the device did for one submission: the events of its channel from the entry of its block to the end of the
    next block (the driver's), and the events right before."""

    def __init__(self, trace, va):
        self.at = next((i for i, e in enumerate(trace) if e.name == "ENTRY" and e.b == va), None)
        self.found = self.at is not None
        if not self.found:
            return
        self.chan = trace[self.at].unit
        ends, self.behind, self.inside = 0, [], []
        for e in trace[self.at + 1:]:
            if e.name in ("CE_START", "CE_DONE") and e.a == self.chan and not ends:
                self.inside.append(e)
            if e.unit != self.chan or e.name not in ("GET", "CMD", "SEM_WRITE", "CH_DISABLE"):
                continue
            if e.name == "CH_DISABLE":
                break
            if e.name == "GET":
                ends += 1
                if ends == 2:
                    break
            else:
                (self.behind if ends else self.inside).append(e)

    def commands(self):
        """The opcodes behind the program's block."""
        return [e.b for e in self.behind if e.name == "CMD"]


def submissions(run, name):
    return [Submission(run.trace, va) for what, va in run.rows("block") if what == name]


def works(c, run):
    """Without a fence that signals, the criteria below mean nothing."""
    ret, = one(c, run, "submit", "a submission with an out-syncobj")
    c.require(ret == 0, "SUBMIT with an out-syncobj failed: %s" % err(ret))
    ret, = one(c, run, "export", "a sync file")
    c.require(ret == 0, "after SUBMIT the out-syncobj has no fence (%s): drm_syncobj_replace_fence()" % err(ret))


@lab.criterion("signal", 15, "A fence signals when its submission is complete, and not before", runs=["fences"],
               partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    before, early, woken, after, ret = one(c, r, "signal", "waiting for a fence")
    if before != 0 or early != -errno.ETIME:
        c.fail("the fence of a submission that the device was still holding had signalled already (status %s)"
               % err(before))
    if not woken:
        c.lose(10, "a program that slept on a sync file was not woken: lab_fence_event() must signal the fences whose "
                   "number the word has reached")
    elif after != 1 or ret:
        c.lose(5, "a fence whose submission is complete has status %s" % err(after))
    ok, driver = one(c, r, "names", "a sync file's names")
    if not ok or driver != "lab":
        c.lose(3, "the fence's driver name is %r, not \"lab\"" % driver)


@lab.criterion("order", 15, "The word says what is true: data first, then the number, then the interrupt",
               runs=["fences"], partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    bad, silent = one(c, r, "copied", "copies with fences")
    if silent:
        c.lose(5, "the fences of %d of 3 copies never signalled, so nobody knows when the data is there" % silent)
    if bad:
        c.lose(10, "%d of 3 copies had not arrived when their fences had signalled" % bad)
    for sub in submissions(r, "copy") + submissions(r, "copy-more"):
        c.require(sub.found, "the device never came to a copy's commands")
        ops = sub.commands()
        c.require(RELEASE in ops, "the driver's block behind a submission has no SEM_RELEASE: nobody writes the word")
        if INTR not in ops:
            c.lose(5, "there is no INTR behind a submission: whoever sleeps finds out by accident")
        elif ops.index(INTR) < ops.index(RELEASE):
            c.lose(8, "INTR comes before SEM_RELEASE: when the interrupt arrives the word may still be old, and there "
                      "will be no other interrupt")
    values = [e.d for s in submissions(r, "copy") + submissions(r, "copy-more") for e in s.behind
              if e.name == "SEM_WRITE"]
    if values != sorted(set(values)):
        c.lose(5, "the numbers in a channel's word do not rise from submission to submission: %s" % values)
    for sub in submissions(r, "compute"):
        c.require(sub.found, "the device never came to the commands of a compute channel")
        ops = sub.commands()
        if WFI not in ops or RELEASE in ops and ops.index(WFI) > ops.index(RELEASE):
            c.lose(5, "on a compute channel nothing waits for the tasks that were launched (LAUNCH does not wait): "
                      "WFI before SEM_RELEASE, or the fence signals while the task is still running")


@lab.criterion("no interrupt", 10, "Late, lost and spurious interrupts do no harm", partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    ret, looked = one(c, r, "masked", "masked interrupts")
    c.require(ret == 0, "a submission did not get done while interrupts were masked: %s" % err(ret))
    if looked:
        c.lose(6, "the device has done the work and written the word, but the fence still says no (%s) when somebody "
                  "looks: lab_fence_signaled() must read the word, interrupts may be late" % err(looked))
    r = runs["interrupts"]
    woken, errors = one(c, r, "interrupts", "waiting for fences while messages are lost")
    if errors:
        c.lose(6, "with lost, late and spurious messages only %d of 12 waits ended: every call of lab_fence_event() "
                  "must signal all that is complete, whatever the reason for the call" % woken)
    if r.complaints:
        c.lose(4, "the kernel complained while messages were lost or spurious: %s" % r.complaints[0])


@lab.criterion("device waits", 20, "The device itself waits for a fence of the device", runs=["fences", "wait"],
               partial=True)
def _(c, runs):
    works(c, runs["fences"])
    r = runs["wait"]
    early, = one(c, r, "gpu_early", "a submission with an in-syncobj")
    ret, went, blocked, done = one(c, r, "gpu", "a submission with an in-syncobj")
    c.require(ret == 0, "SUBMIT with an in-syncobj failed: %s" % err(ret))
    if early == 0:
        c.fail("work that waits for a fence was complete before that fence had signalled: the in-syncobj was ignored")
    if not went:
        c.lose(15, "SUBMIT slept until the fence of another channel had signalled; the device can wait for that "
                   "itself: SEM_ACQUIRE of the other channel's word, before the user's commands")
    if done:
        c.lose(5, "work that waited for a fence did not get done after that fence had signalled: %s" % err(done))
    waits = submissions(r, "waiting")
    waited = submissions(r, "waited-for")
    c.require(waited and waited[0].found, "the device never came to the commands that were waited for")
    c.require(waits and waits[0].found,
              "work that waits for a fence stands for ever: SEM_ACQUIRE with the address of the *other* channel's word")
    wait, first = waits[0], waited[0]
    words = [e.b for e in first.behind if e.name == "SEM_WRITE"]
    if went:
        stood = [e for e in r.trace[:wait.at]
                 if e.name == "BLOCK" and e.unit == wait.chan and e.a == 0 and e.b in words]
        if not blocked or not stood:
            c.lose(10, "channel %d was not held at channel %d's word until that had its number: SEM_ACQUIRE with the "
                       "address of the *other* channel's word" % (wait.chan, first.chan))
    ret, done = one(c, r, "past", "a word that is past the number")
    if ret or done:
        c.lose(5, "work that waited for a fence did not get done (%s) when the word was one past the fence's number "
                  "before the device came to look: PPU_SEM_OP_GE" % err(ret or done))
    ret, done = one(c, runs["fences"], "chain", "submissions that wait for each other in turns")
    if ret or done:
        c.lose(5, "of twenty submissions that wait for each other in turns, the last did not get done: %s"
               % err(ret or done))


@lab.criterion("other drivers", 10, "For what the device does not know the CPU waits", runs=["fences"], partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    ret, state, done = one(c, r, "foreign", "a fence of another driver")
    c.require(ret == 0, "SUBMIT with an in-syncobj that has another driver's fence failed: %s" % err(ret))
    subs, markers = submissions(r, "foreign"), submissions(r, "foreign-marker")
    c.require(subs and subs[0].found and markers and markers[0].found,
              "work that waited for another driver's fence never got to the device")
    if state == 2:
        c.lose(5, "SUBMIT sleeps for another driver's fence so that no signal can end it: dma_fence_wait(fence, true)")
    elif state == 1 or subs[0].at < markers[0].at:
        c.fail("the device ran commands that had to wait for another driver's fence before that had signalled")
    if done:
        c.lose(5, "work that waited for another driver's fence did not get done: %s" % err(done))
    ret, done = one(c, r, "signalled", "a syncobj that the CPU has signalled")
    if ret or done:
        c.lose(5, "work that waits for a syncobj that is signalled already did not get done: %s" % err(ret or done))


@lab.criterion("errors", 15, "A failed channel's fences say so, and hold nobody up", runs=["fences"], partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    ret, = one(c, r, "error_submit", "a command that does not exist")
    c.require(r.rows("error"), "submissions of good and bad commands failed: %s" % err(ret))
    good, bad, after = one(c, r, "error", "a command that does not exist")
    if good != 1:
        c.lose(4, "the submission before the bad one was complete, but its fence has status %s: what is complete "
                  "signals as always, then the rest gets the error" % err(good))
    for status, which in ((bad, "the failed submission"), (after, "the submission behind the failed one")):
        if status == 0:
            c.lose(8, "the fence of %s never signals: whoever waits for it waits for ever" % which)
        elif status != -EIO:
            c.lose(4, "the fence of %s has status %s, not -EIO: dma_fence_set_error() before it is signalled"
                   % (which, err(status)))
    other, = one(c, r, "error_waiter", "a channel that waits for a failed one")
    if other:
        c.lose(5, "a channel that waited in the device for the failed one stands there for ever: write the word for "
                  "those that will never come, and kick")
    if ret != -EIO:
        c.lose(2, "SUBMIT to a channel that has failed: %s, not -EIO" % err(ret))
    ret, status, other = one(c, r, "destroy", "destroying a channel with pending work")
    c.require(ret == 0, "CHAN_DESTROY of a channel with pending work failed: %s" % err(ret))
    if status == 0:
        c.lose(5, "a channel was destroyed, and the fence of its pending work never signals")
    elif status > 0:
        c.lose(3, "a channel was destroyed before its work was complete, and the fence says it is: it needs an error")
    if other:
        c.lose(3, "a channel that waited in the device for one that was destroyed stands there for ever")


@lab.criterion("arguments", 5, "Wrong syncobjs are refused before anything is submitted", runs=["fences"], partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    ret, bad_in, bad_out, empty, fence, seqnos = one(c, r, "arguments", "syncobjs that do not exist")
    c.require(ret == 0, "a good submission after bad ones failed: %s" % err(ret))
    for got, want, what in ((bad_in, errno.ENOENT, "an in-syncobj that does not exist"),
                            (bad_out, errno.ENOENT, "an out-syncobj that does not exist"),
                            (empty, errno.EINVAL, "an in-syncobj without a fence")):
        if got != -want:
            c.lose(3, "SUBMIT with %s: %s, not -%s" % (what, err(got), errno.errorcode[want]))
    if seqnos != 1 or any(s.found for s in submissions(r, "never")):
        c.lose(4, "a submission that was refused got to the device: look for syncobjs first, submit then")
    if fence:
        c.lose(2, "a submission that was refused changed its out-syncobj: %s" % err(fence))
    ret, = one(c, r, "arguments_end", "a good submission after bad ones")
    if ret:
        c.lose(3, "a good submission after bad ones did not get done: %s" % err(ret))


@lab.criterion("lifetime", 10, "Fences outlive channel, file and device, and nothing outlives its use", runs=["fences"],
               partial=True)
def _(c, runs):
    r = runs["fences"]
    works(c, r)
    ret, done, pending, names = one(c, r, "outlived", "fences whose file is closed")
    c.require(ret == 0, "a submission failed: %s" % err(ret))
    if done != 1:
        c.lose(3, "the fence of complete work says %s after its channel and file are gone" % err(done))
    if pending >= 0:
        c.lose(3, "a file was closed with work that was not complete, and its fence %s"
               % ("never signals" if pending == 0 else "says that it is"))
    if not names:
        c.lose(2, "the name of a fence cannot be read after its channel is gone")
    users, left = one(c, r, "users", "the module's users")
    if users <= 0:
        c.lose(6, "the module can be unloaded while a sync file has a fence of it, whose operations are in the module: "
                  "the kernel would jump into memory that is gone (__module_get())")
    if left > 0:
        c.lose(6, "all fences are gone, but the module is still used %d times: lab_fence_release() must give back what "
                  "lab_fence_emit() took" % left)
    ret, status = one(c, r, "unbound", "unbinding the driver while a fence is pending")
    if status == 0:
        c.lose(4, "the driver was unbound and the fence of pending work never signals")
    ret, = one(c, r, "unload", "unloading the module")
    if ret:
        c.lose(4, "the module cannot be unloaded in the end: %s" % err(ret))
    for held in r.rows("unloaded.held")[:2]:
        c.lose(3, "%s at %s was not undone when the module was unloaded" % (held[0], held[1]))
    if r.complaints:
        c.lose(4, "the kernel complained: %s" % r.complaints[0])
