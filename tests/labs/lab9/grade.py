# SPDX-License-Identifier: MIT
"""Lab 9: device-owned work queues.

The grader's program in the guest (exercise.c, test_*.c) is a driver in user space. The student's setup.c makes its
queues, and the kernels that fill them (src/work.cu) use the student's insert.h. The guest observes what is in memory
and registers; the device's trace shows the order of things."""

import os
import random

from ppulab import Lab, hw
from ppulab.say import name_of

NEEDS = ["bin/ppu-cc"]          # of the build; clang comes from the distribution

lab = Lab(9, "Work queues that the GPU owns", page="09-queues.md", kind="program", student=["setup.c", "insert.h"])
lab.exercise("exercise.c", "test_set.c", "test_many.c", "watch.c", "src/hw.c", "src/image.c", "src/alloc.c")
lab.image("work.ppub", "work.cu")
lab.skeleton_points = 0

dice = random.Random(os.environ.get("LAB_SEED"))        # None: other numbers each time
SEED = str(dice.getrandbits(30))
SMALL = {"gpcs": 1, "sms-per-gpc": 1}
CROWD = {"gpcs": 2, "sms-per-gpc": 2, "window-ns": 2000}
# Stores of SMs reach memory late and in any order. The device does not help: PUT moves only at a refresh.
LATE = {"gpcs": 2, "sms-per-gpc": 2, "window-ns": 2000, "devq-assist": 0,
        "store-delay-ns": 20000, "store-reorder": 1, "seed": dice.getrandbits(30)}
lab.scenario("steps", cmd=["exercise", SEED, "setup", "entries", "room", "alone"], props=SMALL)
lab.scenario("figures", cmd=["exercise", "1", "figures"], props=SMALL, trace=True)
lab.scenario("crowd", cmd=["exercise", SEED, "storm", "crowd"], props=CROWD)
lab.scenario("late", cmd=["exercise", SEED, "laps", "late"], props=LATE)
# Another solution's warps may have other places, and its commands may be packed into other entries.
lab.picture("figures", ignore="default,DIV_*,WARP_*,ENTRY,GET,CH_ENABLE")

DEVQ = 3
FULL, TOO_LARGE = 1, 2
RESULTS = ("QUEUE_OK", "QUEUE_FULL", "QUEUE_TOO_LARGE")


def blocks(n):
    return "one block" if n == 1 else "%d blocks" % n


def result(err):
    """The name of what queue_insert() returned."""
    return RESULTS[err] if 0 <= err < len(RESULTS) else str(err)


def stuck(c, r, test, more=""):
    """Why the test did not come to its end, as a sentence; None if it did. Without a queue the criterion is lost."""
    for row in r.rows("stuck"):
        if row[0] == test:
            text = " ".join(str(w) for w in row[1:])
            if text.startswith("the queue's") and "never written" in text:
                text += ": no thread has inserted anything there; or it is the first entry, which is setup.c's"
            if row[1] == "queue_create()":
                c.require(False, "There is no queue to look at: queue_create() returned %s." % name_of(row[-1]))
            return text[0].upper() + text[1:] + "." + (" " + more if more else "")
    return None if r.alive or [test, 1] in r.rows("through") or r.rows(test) else r.dead


def through(c, r, test, more=""):
    """Did the test come to its end? If not, the criterion is lost, with the reason."""
    why = stuck(c, r, test, more)
    c.require(not why, why)


# ---- method 400, WQ-27..WQ-35 ----------------------------------------------------------------------------------

def see_case(c, at, state, channel):
    count, get, put, soft, shadow, first, others = state
    kind, entries, _, inst, ring, _, shadow_reg = channel
    if not (kind == DEVQ and entries == count and inst and ring and shadow_reg):
        c.lose(5, "The channel's configuration is not complete: class %d, %d entries, instance block %s, ring %s, "
                  "CH_DEVQ_SHADOW %s." % (kind, entries, *("right" if x else "wrong" for x in (inst, ring, shadow_reg))))
    if not first:
        c.lose(5, "Steps 406 and 408: %s entry %d must point to a block with one Acquire, until X is 1." % (at, get))
    if others:
        c.lose(3, "%s %d entries besides the first were written: they are the threads'." % (at, others))
    if put != (get - 1) % count:
        c.lose(5, "Step 410: %s PUT must be %d, the entry before GET, so that the ring is open; it is %d." %
               (at, (get - 1) % count, put))
    if soft != get + 1:
        c.lose(5, "Step 412: %s soft must be %d, the first entry a thread may have; it is %d." % (at, get + 1, soft))
    if shadow != get + count - 1:
        c.lose(5, "Step 412: %s shadow must be %d: it counts on from GET, without wrapping; it is %d." %
               (at, get + count - 1, shadow))


@lab.criterion("set-up", 15, "Method 400: a queue that is open to threads, and that the host waits at", runs=["steps"],
               partial=True)
def setup(c, runs):
    r = runs["steps"]
    c.require(r.rows("setup"), r.dead or "The queue was not made.")
    count, _, err = r.rows("setup")[0]
    c.require(len(r.rows("setup_state")) == 5, r.dead or "queue_create() with %d entries returned %s, and did not get memory "
                                                         "with queue_alloc()." % (count, name_of(err)))
    for n, state in enumerate(r.rows("setup_state")):
        see_case(c, "With %d entries and GET = %d," % tuple(state[:2]), state, r.rows("setup_channel")[n])
        entry, counters, _ = r.rows("setup_order")[n]
        if state[5] and not entry:
            c.lose(5, "The channel was enabled before its first entry was there: the host may come to it at once.")
        elif not counters:
            c.lose(3, "The channel was enabled before soft and shadow had their values.")
        x, y, published = r.rows("setup_words")[n]
        if x or y:
            c.lose(3, "X and Y must be 0 before the first launch.")
        if not published:
            c.lose(3, "Threads find nothing at q->dev: queue_publish().")
        if r.rows("setup_channel")[n][5]:
            c.lose(5, "After queue_create() the channel has an error: %d of Documentation/hw/registers.md's CH_ERROR."
                   % r.rows("setup_channel")[n][5])
        elif r.rows("setup_waits")[n] != [state[1], 1]:
            c.lose(5, "After queue_create() the host interface must stand at the first entry and wait for X.")
    for count, get, err in r.rows("setup"):
        if err:
            c.lose(5, "queue_create() with %d entries, GET = %d, returned %s." % (count, get, name_of(err)))


def tests_of(r):
    """The trace, cut where a test resets the device; each part comes with the addresses of its words."""
    parts = [[]]
    for e in r.trace:
        if e.name == "RESET":
            parts.append([])
        parts[-1].append(e)
    return list(zip(parts[-len(r.rows("words")):] if r.rows("words") else [], r.rows("words")))


NAMES = {hw.COMMANDS[n]: text for n, text in (("SEM_ACQUIRE", "acquire"), ("SEM_RELEASE", "release"), ("WFI", "wfi"),
                                              ("LAUNCH", "launch"), ("QUEUE_REFRESH", "refresh"))}


def commands(events, words, channels):
    """The executed commands: ["C launch", "C wfi", "C release X=1", ...]; C is channel 0, P is the queue's."""
    channel, x, y, sems = words
    out = []
    for e in events:
        if e.name == "CMD" and e.unit in channels:
            text = "%s %s" % ("C" if e.unit == 0 else "P", NAMES.get(e.b, "command %d" % e.b))
            if e.b in (1, 2):
                word = "X" if e.c == x else "Y" if e.c == y else "semaphore %d" % ((e.c - sems) // 8) \
                    if sems <= e.c < sems + 64 else "another word"
                text += " %s=%d" % (word, e.d)
            out.append(text)
    return out


@lab.criterion("request", 10, "Step 405: what a launch puts into the CPU's channel", runs=["figures"], partial=True)
def request(c, runs):
    r = runs["figures"]
    if not tests_of(r):
        through(c, r, "figures1")
    c.require(tests_of(r), r.dead or "The queue was not made.")
    events, words = tests_of(r)[0]
    done = [t[2:] for t in commands(events, words, (0,)) if "another word" not in t]
    c.require("launch" in done, "queue_launch() launched nothing: channel 0 executed %s." % (", ".join(done) or "nothing"))
    if "refresh" not in done[:done.index("launch")]:
        c.lose(4, "There is no QUEUE_REFRESH before the Launch: without the device's help the ring is used up after one lap.")
    rest = [d for d in done if d != "refresh"]
    want = ["launch", "wfi", "release X=1", "acquire Y=1"]
    if rest == want[:3]:
        # The launch waits for Y, which the GPU's part has to release. Up to there the CPU's part is right.
        if any(e.name == "BLOCK" and e.unit == 0 and (e.b, e.c) == (words[2], 1) for e in events):
            return
        through(c, r, "figures1")
    c.require(rest == want, "Channel 0 must execute %s for launch number 1; it executed %s." %
              (", ".join(want), ", ".join(rest)))


# ---- method 450, WQ-39..WQ-51 ----------------------------------------------------------------------------------

@lab.criterion("entries", 10, "Steps 458 to 466: what a group looks like in the ring", runs=["steps"], partial=True)
def entries(c, runs):
    r = runs["steps"]
    if not r.rows("group"):
        through(c, r, "entries")
    soft = 0
    for n, (group, err, now, first, there) in enumerate(r.rows("group")):
        size = n + 1
        soft += size + 1
        c.require(err == 0, "In a ring with room, queue_insert() of %s returned %s." %
                  (blocks(size), result(err)))
        if now != soft:
            c.lose(5, "A group of %d blocks takes %d entries; soft was moved on by %d in all after groups of 1 to %d, "
                      "not by %d." % (size, size + 1, now, size, soft))
        if not there:
            c.lose(5, "Entry %d and the next do not point to the %d blocks of the group (ring of 13, counters go round)." %
                   (first, size))
        _, index, right, element, gen = r.rows("acquire")[n]
        if not element:
            c.lose(5, "Behind the group, entry %d must point to a block with one Acquire, of element %d of the semaphores: "
                      "its own." % (index, index))
        elif not right:
            c.lose(5, "The Acquire in entry %d must wait for %d, the number of its lap: element %d is awaited again in each "
                      "lap." % (index, gen, index))
        _, index, released = r.rows("released")[n]
        if not released:
            c.lose(5, "The thread that wrote the group behind entry %d must release element %d, with that entry's lap: "
                      "that element holds the host back in front of the group." % (index, index))
    through(c, r, "entries")
    once, order = r.rows("ran")[0]
    c.require(once == 6 and order, "Of six blocks %d ran exactly once, %s." % (once, "in order" if order else "out of order"))


@lab.criterion("end", 10, "Step 470: what ends a launch", runs=["steps"], partial=True)
def end(c, runs):
    r = runs["steps"]
    if not r.rows("end"):
        through(c, r, "entries")
    index, there, wfi, release, acquire = r.rows("end")[0]
    c.require(there or wfi or release, "Behind the last group there must be one entry (%d) with a block of three commands, 11 "
                                       "words." % index)
    if not wfi:
        c.lose(5, "The end must begin with WFI: Y would be released while work of the queue still runs.")
    if not release:
        c.lose(5, "The end must release Y, with the number of the launch: the CPU's channel waits for that.")
    if not acquire:
        c.lose(5, "The end must acquire X with the number of the next launch: otherwise the host goes on to entries "
                  "that nobody has written.")
    why = stuck(c, r, "entries")
    if why:
        c.lose(5, why)      # either the groups before are wrong, or nobody has released the end; that is not known


@lab.criterion("room", 10, "A full ring: refused, nothing changed, and a place for the end", runs=["steps"], partial=True)
def room(c, runs):
    r = runs["steps"]
    if not r.rows("room"):
        through(c, r, "room")
    want = {6: (TOO_LARGE, 1), 5: (TOO_LARGE, 1), 4: (0, 6), 1: (FULL, 6), 2: (FULL, 6), 0xffff: (TOO_LARGE, 6)}
    for size, err, soft in r.rows("room"):
        err_want, soft_want = want[size]
        if err != err_want:
            c.lose(4, "In a ring of 8, %s, queue_insert() of %s must say %s; it says %s." % (
                "empty" if size in (6, 5, 4) else "with a group of 4", blocks(size), result(err_want), result(err)))
            if size == 4:
                break       # the other groups were to meet a full ring
        elif soft != soft_want:
            c.lose(5, "queue_insert() of %s says %s, but soft is %d then, not %d: %s." % (
                blocks(size), result(err), soft, soft_want,
                "a refusal must take its addition back" if err else "a group of n takes n + 1"))
    through(c, r, "room", "The end needs a place in the full ring, too.")
    c.require(r.rows("room_ran")[0] == [4, 1], "Of the four blocks of the only group %d ran once." % r.rows("room_ran")[0][0])


@lab.criterion("reserving", 10, "Steps 460 and 462, many at once: no entry twice, none lost", runs=["crowd"], partial=True)
def reserving(c, runs):
    r = runs["crowd"]
    if not r.rows("storm"):
        through(c, r, "storm")
    granted, twice, gaps, hole, below = r.rows("storm")[0]
    if twice:
        c.fail("%d of %d reservations got entries that somebody else had as well: only the thread that was the last "
                   "to add may take its addition back." % (twice, granted))
    if gaps or hole > 0:
        c.lose(10, "Entries were lost between reservations (%d gaps, %d at the end): what was refused must be taken back." %
               (gaps, hole))
    if hole < 0:
        c.lose(10, "When all is over, soft is %d below what was granted." % -hole)
    c.require(granted > 20, "Of many reservations %d were granted, though room came." % granted)
    if not below:
        c.lose(5, "Entries beyond shadow were granted, or none was left spare.")


@lab.criterion("laps", 10, "Twenty launches behind each other, round and round", runs=["late"], partial=True)
def laps(c, runs):
    r = runs["late"]
    more = "Twenty launches were submitted, each fills the ring of eight; the device has no devq-assist."
    through(c, r, "laps", more)
    launches, good, once, order = r.rows("laps")[0]
    c.require(good == launches, "In launch number %d there was no room, although everything before it was done. %s" %
              (good + 1, more))
    c.require(once == 3 * launches and order,
              "Of %d blocks %d ran exactly once, %s. %s" % (3 * launches, once, "in order" if order else "out of order", more))


def see_crowd(c, r, test, why):
    through(c, r, test, why)
    wanted, once, split, late = r.rows(test)[0]
    c.require(once == wanted, "Of %d blocks %d ran exactly once. %s" % (wanted, once, why))
    if split:
        c.lose(5, "Blocks of one group ran with others between them, or not in their order.")
    if late:
        c.lose(5, "A thread's second group ran before its first.")


@lab.criterion("many at once", 10, "128 threads insert, wait for room, insert", runs=["crowd"], partial=True)
def many(c, runs):
    see_crowd(c, runs["crowd"], "crowd",
              "128 threads inserted three groups each into a small ring, and tried again when it was full.")


@lab.criterion("late stores", 5, "The same when stores get to memory late and in any order", runs=["late"], partial=True)
def late_stores(c, runs):
    see_crowd(c, runs["late"], "late", "Stores got to memory up to 20 us late and in any order (store-reorder): before a "
                                       "release there must be a fence, and everything else before the fence.")


# ---- both ------------------------------------------------------------------------------------------------------

FIGURES = ["C launch", "C wfi", "C release X=1", "P acquire X=1", "P launch", "P acquire semaphore 2=1", "P launch",
           "P acquire semaphore 4=1", "P wfi", "P release Y=1", "C acquire Y=1"]
TOLD = ["the first kernel inserts everything", "PBS-1's kernel inserts PBS-2, and PBS-2's kernel inserts the end",
        "PBS-1's kernel releases PBS-2, which the first has written"]


@lab.criterion("figures", 5, "Figures 6A to 6F, in three timings", runs=["figures"], partial=True)
def figures(c, runs):
    r = runs["figures"]
    for n in (1, 2, 3):
        through(c, r, "figures%d" % n, "(Timing %d: %s.)" % (n, TOLD[n - 1]))
    c.require(len(tests_of(r)) == 3, r.dead or "The queue was not made.")
    for n, (events, words) in enumerate(tests_of(r)):
        done = [t for t in commands(events, words, (0, words[0])) if "another word" not in t and "refresh" not in t]
        for i, (got, want) in enumerate(zip(done + ["nothing more"] * len(FIGURES), FIGURES)):
            c.require(got == want, "Timing %d (%s): step %d must be \"%s\", and was \"%s\" (C: the CPU's channel, P: the "
                                   "queue)." % (n + 1, TOLD[n], i + 1, want, got))
        waits = [(e.b - words[3]) // 8 for e in events
                 if e.name == "BLOCK" and e.unit == words[0] and words[3] <= e.b < words[3] + 64]
        want = [] if n == 0 else [2, 4]
        c.require(waits == want, "Timing %d (%s): the queue must stop at entries %s; it stopped at %s." %
                  (n + 1, TOLD[n], want or "none", waits or "none"))


@lab.criterion("no CPU", 5, "Sixty kernels launch each other, and the CPU has no part in it", runs=["steps"], partial=True)
def alone(c, runs):
    r = runs["steps"]
    through(c, r, "alone", "Sixty kernels were to launch each other through a ring with room for four, and the CPU looked on.")
    want, ran, accesses, doorbells, kicks, interrupts = r.rows("alone")[0]
    c.require(ran == want, "Of %d kernels %d ran." % (want, ran))
    c.require(not (accesses or doorbells or kicks or interrupts),
              "From the first kernel to the last the device saw %d register accesses, %d doorbells, %d kicks and sent %d "
              "interrupts: there must be none." % (accesses, doorbells, kicks, interrupts))
