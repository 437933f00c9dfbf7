# SPDX-License-Identifier: MIT
"""Grader of lab 8: time slices, copy priorities, hangs.

The device's trace says in which order it copied, and in which words it counted; the exercise says what programs saw.
All work is queued before the device is let go, so the device alone decides the order of everything."""

import errno

from ppulab import Lab, hw
from ppulab.say import err, one

ACQUIRE, RELEASE, INC, DEC, COPY = (
    hw.COMMANDS[n] for n in ("SEM_ACQUIRE", "SEM_RELEASE", "SEM_INC", "SEM_DEC", "COPY"))
EIO, ETIMEDOUT = errno.EIO, errno.ETIMEDOUT

lab = Lab(8, "Scheduling", page="08-scheduling.md", kind="module", student=["lab_sched.c"])
lab.exercise("exercise.c")
lab.scenario("x1", cmd=["exercise", "x1"], props={"copy-engines": 1}, trace=True, timeout=120)
lab.scenario("sched", cmd=["exercise", "sched"], props={"copy-engines": 1}, trace=True, timeout=120)
lab.scenario("hang", cmd=["exercise", "hang"], props={"copy-engines": 1}, trace=True, timeout=120)
lab.picture("x1")
lab.skeleton_points = 0


def entry(run, va):
    """The index in the trace of the event at which the device fetched this block."""
    return next((i for i, e in enumerate(run.trace) if e.name == "ENTRY" and e.b == va), None)


def blocks(run, name):
    return [va for what, va in run.rows("block") if what == name]


class Copies:
    """What the trace says about named blocks: copies, in the order in which they start and end, and the channels that
    ran the copies. A channel is (number, life), because numbers are used again."""

    def __init__(self, run):
        place = {va: what for what, va in run.rows("block")}
        self.events = []        # (index in the trace, event, name of the copy)
        self.chan = {}          # name -> channel
        self.of = {}            # channel -> the channel's events
        life, inside, current = {}, {}, {}
        for i, e in enumerate(run.trace):
            if e.name == "CH_ENABLE":
                life[e.unit] = life.get(e.unit, 0) + 1
            if e.name in ("CE_START", "CE_DONE"):
                if e.name == "CE_START":
                    current[e.a] = inside.get(e.a)
                if current.get(e.a):
                    self.events.append((i, e.name, current[e.a]))
                continue
            chan = (e.unit, life.get(e.unit, 0))
            self.of.setdefault(chan, []).append(e)
            if e.name == "ENTRY":
                inside[e.unit] = place.get(e.b)
                if e.b in place:
                    self.chan[place[e.b]] = chan

    def order(self, kind, names):
        return [n for _, k, n in self.events if k == kind and n in names]

    def at(self, kind, name):
        return next((i for i, k, n in self.events if k == kind and n == name), None)

    def all(self, name):
        """The events of the channel that ran this block."""
        return self.of.get(self.chan.get(name), [])

    def slices(self, name):
        return {e.b for e in self.all(name) if e.name == "SLICE_START"}


def commands(run, va):
    """What the host executed for a submission: (before the program's block, behind it), as CMD events."""
    at = entry(run, va)
    if at is None:
        return None
    chan, before, behind, gets = run.trace[at].unit, [], [], 0
    for e in reversed(run.trace[:at]):
        if e.unit == chan and e.name == "CMD":
            before.insert(0, e)
        # The driver's block before the program's begins at its own ENTRY; before that is another submission.
        if e.unit == chan and e.name in ("ENTRY", "CH_ENABLE"):
            break
    for e in run.trace[at + 1:]:
        if e.unit != chan:
            continue
        if e.name == "GET":
            gets += 1
            if gets == 2:
                break
        elif e.name == "CMD" and gets == 1:
            behind.append(e)
    return before, behind


def counters(run, names):
    """{priority: address of its counter}: the words that these copies, one for each priority, increment."""
    out = {}
    for p, name in enumerate(names):
        for va in blocks(run, name):
            found = commands(run, va)
            incs = [e.c for e in (found[0] if found else []) if e.b == INC]
            if incs:
                out[p] = incs[0]
    return out


def counted(run):
    """The addresses of all words in which copies are counted."""
    return {e.c for e in run.trace if e.name == "CMD" and e.b in (INC, DEC)}


@lab.criterion("time slices", 15, "Channels share an engine by their time slices", runs=["sched"], partial=True)
def _(c, runs):
    r = runs["sched"]
    a, b = one(c, r, "slices", "two channels that share an engine")
    c.require(a == 0 and b == 0, "copies of two channels that share an engine did not get done: %s" % err(a or b))
    copies = Copies(r)
    for name, ns in (("slice-a", 60000), ("slice-b", 110000)):
        seen = copies.slices(name)
        if seen != {ns}:
            c.lose(6, "a channel that was created with timeslice_us=%d got slices of %s ns, by the device's trace"
                   % (ns // 1000, " and ".join(map(str, sorted(seen))) or "no"))
    order = "".join(n[-1] for n in copies.order("CE_START", ("slice-a", "slice-b")))
    # Both wait for the same word, and either may be woken first.
    if order not in ("aaabbbbbaaab", "bbbbbaaabaaa"):
        c.lose(3, "with copies of 23 us and slices of 60 and 110 us the channels a and b take turns of three and five "
                  "copies; here the order was %s" % order)
    ret, default = one(c, r, "slice_default", "a channel with the default slice")
    seen = copies.slices("slice-default")
    if ret or seen != {default}:
        c.lose(3, "a channel created with timeslice_us=0 must have the device's default, %d ns; it got %s"
               % (default, " and ".join(map(str, sorted(seen))) or "none"))


@lab.criterion("commands", 15, "Around a copy stand the right commands, in the right order", runs=["sched"],
               partial=True)
def _(c, runs):
    r = runs["sched"]
    ret, = one(c, r, "alone", "a copy of each priority")
    found = [commands(r, va) for p in range(3) for va in blocks(r, "alone-%d" % p)]
    c.require(any(e.b == INC for f in found if f for e in f[0]),
              "no copy of a higher priority is counted: there is no SEM_INC before its commands")
    own = counters(r, ("alone-0", "alone-1", "alone-2"))
    for p in own:
        c.require(not any(e.b == ACQUIRE and e.c == own[p] for e in found[p][0]),
                  "a copy of priority %d waits for the counter in which it is counted itself: gates are looked at "
                  "again when the copy is about to start, and by then it is 1" % p)
    c.require(len(found) == 3 and all(found) and not ret,
              "one copy of each priority, one after the other, did not get done: %s" % err(ret))
    if 0 in own:
        c.lose(5, "copies of the lowest priority are counted: nobody waits for them")
    c.require(1 in own and 2 in own and own[1] != own[2],
              "the priorities 1 and 2 need counters of their own, which SEM_INC counts before the user's commands")
    for p, (before, behind) in enumerate(found):
        gates = [e.c for e in before if e.b == ACQUIRE and e.c in own.values()]
        want = [own[k] for k in range(p + 1, 3)]
        if gates != want:
            c.lose(5, "a copy of priority %d waits for %d counters, not for those of the %d priorities above it, in "
                      "ascending order" % (p, len(gates), len(want)))
        if p == 0:
            continue
        inc = next(i for i, e in enumerate(before) if e.b == INC)
        if any(e.b == ACQUIRE for e in before[inc:]):
            c.lose(8, "a copy of priority %d is counted before it has waited for its in-fence and for higher ones: "
                      "what cannot run yet must not hold up others" % p)
        decs = [e.c for e in behind if e.b == DEC]
        if decs != [own[p]]:
            c.lose(6, "a copy of priority %d is counted with SEM_INC once, and with SEM_DEC %d times" % (p, len(decs)))
        elif not any(e.b == RELEASE for e in behind):
            c.lose(3, "the fence's SEM_RELEASE is missing behind a copy of priority %d" % p)
    ret, = one(c, r, "alone_compute", "a compute channel")
    at = [commands(r, va) for va in blocks(r, "alone-compute")]
    if ret or not at or not at[0] or any(e.c in own.values() for part in at[0] for e in part):
        c.lose(3, "a compute channel has nothing to do with copy priorities, but waits or counts all the same")


@lab.criterion("worked example", 20, "CP-X1: Mlow1, Mhigh1, Mhigh2, Mlow2, Mlow3", runs=["x1"], partial=True)
def _(c, runs):
    r = runs["x1"]
    high, low = one(c, r, "x1", "the end of the worked example")
    copies = Copies(r)
    names = ("Mlow1", "Mlow2", "Mlow3", "Mhigh1", "Mhigh2")
    order = copies.order("CE_DONE", names)
    if high or low:
        early = [e for e in r.trace if e.name == "CMD" and e.b == INC]
        c.require(order or not early, "the device stands still: a high copy that waited for its in-fence was counted "
                                      "already, so that the low copy it waits for could never start (SEM_INC after all "
                                      "waits)")
        c.fail("the worked example did not come to its end (%s); done: %s"
               % (err(high or low), ", ".join(order) or "nothing"))
        return
    want = ["Mlow1", "Mhigh1", "Mhigh2", "Mlow2", "Mlow3"]
    if order != want:
        c.lose(12, "the device copied %s; with priorities it is %s" % (", ".join(order), ", ".join(want)))
    addr = {e.c for e in copies.all("Mhigh1") if e.name == "CMD" and e.b in (INC, DEC)}
    values = [e.d for e in r.trace if e.name == "SEM_WRITE" and e.a == 0 and e.b in addr]
    c.require(addr, "the high channel counts nothing: no SEM_INC, no SEM_DEC")
    if values != [1, 0, 1, 0]:
        c.lose(6, "the counter of the high priority went 0, %s; it goes 0, 1, 0, 1, 0" % ", ".join(map(str, values)))
        return
    writes = [i for i, e in enumerate(r.trace) if e.name == "SEM_WRITE" and e.a == 0 and e.b in addr]
    first, second = copies.at("CE_START", "Mlow1"), copies.at("CE_DONE", "Mlow1")
    if not first < writes[0] < second:
        c.lose(4, "Mhigh1 was not counted while Mlow1 was on its way: commands that need no engine run at once")
    for write, name in ((1, "Mhigh1"), (3, "Mhigh2")):
        if writes[write] < copies.at("CE_DONE", name):
            c.lose(6, "%s was counted down before it was complete" % name)
    between = [e for e in r.trace[writes[1]:writes[2]]
               if e.unit == copies.chan["Mlow1"][0] and e.name in ("CMD", "BLOCK", "UNBLOCK", "CE_START")]
    if between:
        c.lose(4, "between the end of Mhigh1 and Mhigh2 the low channel had a turn: SEM_DEC and the next SEM_INC must "
                  "follow each other in one run")


@lab.criterion("gates", 10, "A copy that is about to start looks again", runs=["sched"], partial=True)
def _(c, runs):
    r = runs["sched"]
    rets = one(c, r, "three", "three priorities at once")
    copies = Copies(r)
    order = copies.order("CE_START", ("L0", "a1", "b", "c"))
    c.require(not any(rets), "copies of three priorities did not get done: %s started" % (", ".join(order) or "none"))
    c.require(len(counted(r)) >= 2, "there are no counters of two priorities to look at")
    if order == ["L0", "b", "c", "a1"]:
        c.fail("b had passed its wait for c's priority before c came; when the engine was free it started without "
               "looking again, and overtook c: PPU_CMDF_SEM_GATE")
    elif order != ["L0", "c", "b", "a1"]:
        c.fail("a1 (lowest), b, c (highest) came while L0 was copied; they must run c, b, a1, and ran %s"
               % ", ".join(order[1:] if order[:1] == ["L0"] else order))


@lab.criterion("given back", 15, "A counted copy that comes to nothing is given back, once", runs=["sched"],
               partial=True)
def _(c, runs):
    r = runs["sched"]
    blocked, free, before, ret, low = one(c, r, "destroyed", "destroying a channel in a counted copy")
    c.require(blocked and before == -errno.ETIME, "a low copy did not wait while a higher one was counted")
    if free:
        c.lose(5, "a copy in another file waited for this file's priorities (%s): counters belong to an address space"
               % err(free))
    if ret or low:
        c.lose(10, "a channel was destroyed in the middle of a counted copy, and lower copies wait for ever: "
                   "lab_sched_stop() has to give back")
    blocked, high, low = one(c, r, "again", "counting after that")
    if not blocked or high or low:
        c.lose(5, "after a counted copy was given back, priorities work no more: the next copy %s"
               % ("did not hold up a lower one" if not blocked else "or the one behind it did not get done"))
    blocked, low = one(c, r, "idle", "destroying a channel with nothing counted")
    if not blocked or low:
        c.lose(5, "after a channel was destroyed that had nothing counted, the counter is wrong: give back only what "
                  "is counted (CH_GETABS)")
    blocked, low = one(c, r, "failed", "a counted copy that fails")
    if blocked and low:
        c.lose(5, "a counted copy failed (COPY_FAULT), and lower copies wait for ever: lab_sched_give_back()")
    for held in r.rows("unloaded.held")[:2]:
        c.lose(3, "%s at %s was not undone when the module was unloaded" % (held[0], held[1]))


@lab.criterion("hangs", 15, "A channel that hangs is recovered, and its user is told", runs=["hang"], partial=True)
def _(c, runs):
    r = runs["hang"]
    hung, low, waiter, busy = one(c, r, "hang", "a channel that hangs")
    c.require(hung != 0, "a channel stood at a word that nobody writes for more than ten times hang_ms, and nothing "
                         "happened")
    if hung != -ETIMEDOUT:
        c.lose(5, "the fence of a submission that hung has status %s, not -ETIMEDOUT" % err(hung))
    wait, submit = one(c, r, "hang_wait", "asking a channel that hung")
    for got, what in ((wait, "CHAN_WAIT for"), (submit, "SUBMIT to")):
        if got != -EIO:
            c.lose(3, "%s a channel that was recovered: %s, not -EIO" % (what, err(got)))
    if not any(e.name == "CH_DISABLE" for e in Copies(r).all("hung")):
        c.lose(6, "the hardware was never told to stop the channel that hung")
    if low != 1:
        c.lose(6, "the channel that hung was counted, and when it was recovered the low copy behind it %s"
               % ("still waits" if low == 0 else "failed: %s" % err(low)))
    if waiter == 0:
        c.lose(4, "a channel that waited in the device for the fence of the one that hung still waits")
    high, low = one(c, r, "after_hang", "copies after a hang")
    if high or low:
        c.lose(4, "after a hang copies of new channels do not get done: %s" % err(high or low))


@lab.criterion("innocents", 5, "A channel that only waits, works or is slow is left alone", runs=["hang"], partial=True)
def _(c, runs):
    r = runs["hang"]
    hung, low, waiter, busy = one(c, r, "hang", "a channel that hangs")
    c.require(hung != 0, "no channel is ever recovered, so it means nothing that innocent ones are not")
    if busy:
        c.lose(3, "copies in another file failed while a channel hung: %s" % err(busy))
    if low < 0:
        c.lose(4, "a copy that waited for one of higher priority was taken for a hang (%s): that word is the driver's"
               % err(low))
    status, longest, patient = one(c, r, "progress", "a channel that is slow")
    if waiter < 0 or status == 1 and patient < 0:
        c.lose(4, "a channel that waited for a fence was taken for a hang (%s): that word is the driver's"
               % err(waiter if waiter < 0 else patient))
    if status != 1 and longest < 300:
        c.lose(4, "a channel that made a step every %d ms was taken for a hang (hang_ms=400): CH_RUNTIME_LO tells that "
                  "it goes on" % longest)


@lab.criterion("arguments", 5, "CHAN_CREATE knows what it can do", runs=["sched"], partial=True)
def _(c, runs):
    r = runs["sched"]
    c.require(r.rows("arg"), r.dead or "the exercise did not get as far as bad arguments")
    for what, want, got in r.rows("arg"):
        if got != want:
            c.lose(2, "CHAN_CREATE with %s: %s, but it should be %s" % (what.replace("-", " "), err(got), err(want)))
