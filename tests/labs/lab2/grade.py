# SPDX-License-Identifier: MIT
"""Lab 2: interrupts. Every event must be counted once, whatever the device does with its messages."""

import errno
import re

from ppulab import Lab

lab = Lab(2, "MSI-X interrupts", page="02-interrupts.md", student=["lab_irq.c"])
lab.exercise("exercise.c", "events.c")
lab.skeleton_points = 0

NAMES = ["CHERR", "FAULT", "CHINTR", "RINGLOW", "WATCH", "SMEXC", "PREEMPT"]
# What lab_main.c or the kernel prints if a handler sleeps.
IN_HARD_HANDLER = re.compile(r"is for interrupt threads|enabled interrupts$|scheduling while atomic|sleeping function")

lab.scenario("events", cmd=["exercise", "events"])
lab.scenario("race", cmd=["exercise", "race"], props={"x-fault-irq-race": 1})
lab.scenario("spurious", cmd=["exercise", "spurious"], props={"x-fault-irq-spurious": 1})
lab.scenario("lost", cmd=["exercise", "lost"],
             props={"x-fault-irq-lose": 2, "x-fault-irq-delay-ns": 50000000, "clock": "virtual"})


def need_vectors(c, r):
    msix, lines, _ = r.obs["vectors"]
    c.require(msix and lines, "lab_irq_init() got no interrupt vector: MSI-X is %s, /proc/interrupts has %d lines of "
                              "\"lab-\"." % ("on" if msix else "off", lines))


def listed(bits):
    return ", ".join(bits)


def wrong_counts(row, expected):
    """[(cause, times)] of the counts that are not as expected. expected: {name: times}, all others 0."""
    return [(n, times) for n, times in zip(NAMES, row) if times != expected.get(n, 0)]


@lab.criterion("vectors", 15, "Four MSI-X vectors, each with a handler and a thread", runs=["events"], partial=True)
def vectors(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    _, lines, threads = r.obs["vectors"]
    if lines != 4:
        c.lose(5, "/proc/interrupts has %d lines with a name that begins with \"lab-\", there are four vectors."
               % lines)
    if threads != 4:
        c.lose(5, "There are %d interrupt threads (\"irq/N-lab-...\"), there should be one for each vector." % threads)
    enabled = r.obs["enable"][0]
    if enabled != 0x7f:
        c.lose(5, "After probe() INTR_ENABLE is 0x%x: every cause should be on." % enabled)


@lab.criterion("causes", 15, "Each cause is handled once, by the vector it belongs to", runs=["events"], partial=True)
def causes(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    for i, name in enumerate(NAMES):
        row = r.obs["cause%d" % i]
        if not row[i]:
            c.fail("%s was raised with INTR_TEST and not handled: stats.causes[%d] stayed as it was." % (name, i))
        for other, times in wrong_counts(row, {name: 1}):
            c.lose(5, "%s was raised once; stats.causes counted %s %d times." % (name, other, times))
    for i, vector, messages, status, recovered in r.rows("cause"):
        if not messages:
            c.lose(5, "%s came with a message of vector %d, and stats.messages[%d] stayed as it was."
                   % (NAMES[i], vector, vector))
        if recovered:
            c.lose(5, "%s was not handled when the message of vector %d came, only by the timer, three times out of "
                      "three." % (NAMES[i], vector))
        if status >> i & 1:
            c.lose(5, "After %s was handled it is still pending in INTR_STATUS." % NAMES[i])
    lost = [n for n, times in wrong_counts(r.obs["together"], {n: 1 for n in NAMES}) if not times]
    if lost:
        c.lose(8, "All causes were pending when vector 2 sent its message; after that, %s had disappeared and nobody "
                  "had handled it. A handler clears the bits of its own vector." % listed(lost))
    elif r.obs["foreign"][0] > 0:
        c.lose(5, "All causes were pending when vector 2 sent its message, and its handler took those of other vectors "
                  "as well: each takes its own (lab_causes[]).")
    twice = [n for n, times in wrong_counts(r.obs["together"], {n: 1 for n in NAMES}) if times > 1]
    if twice:
        c.lose(5, "All causes were raised once, and %s was counted more than once." % listed(twice))


@lab.criterion("bitmaps", 15, "What is behind a cause is cleared and passed on, by a thread", runs=["events"],
               partial=True)
def bitmaps(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    if r.obs["watches"][0]:
        c.lose(5, "Bits stay set in %d words of WATCH_PENDING." % r.obs["watches"][0])
    *stopped, left = r.obs["stopped"]
    for chan, times in zip((5, 31, 40, 200), stopped):
        if times != 1:
            c.lose(5, "Channel %d stopped once, lab_on_channel_error() was called for it %d times." % (chan, times))
    if left:
        c.lose(5, "Bits stay set in %d words of CHERR_PENDING." % left)
    events, left = r.obs["channels"]
    if events != 3:
        c.lose(5, "Three channels executed an INTR command, stats.channel_events counted %d." % events)
    if left:
        c.lose(5, "Bits stay set in %d words of CHINTR_PENDING." % left)
    for line in r.dmesg.splitlines():
        if IN_HARD_HANDLER.search(line):
            c.lose(8, "A hard handler did what belongs in a thread: %s" % re.sub(r"^\[[^]]*\]\s*", "", line))
            break


@lab.criterion("order", 10, "No event is lost that comes while others are handled", runs=["race"], partial=True)
def order(c, runs):
    r = runs["race"]
    need_vectors(c, r)
    sentence = ("Two %s: the second came just after the bitmap was read, and it is still there, with nobody to look. "
                "Clear INTR_STATUS first, then read the bitmap; what comes later then sends a message of its own.")
    if r.obs["race"][1]:
        c.lose(5, sentence % "watches matched")
    stopped, left = r.obs["race.stopped"]
    if left or stopped != 2:
        c.lose(5, sentence % "channels stopped" if left else
               "Two channels stopped, lab_on_channel_error() was called %d times." % stopped)


@lab.criterion("masking", 10, "Masked, nothing is sent and nothing handled; unmasked, nothing was lost",
               runs=["events", "lost"], partial=True)
def masking(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    c.require(r.obs["masked"][0] == 0, "After lab_irq_mask(ldev, true) INTR_ENABLE is 0x%x." % r.obs["masked"][0])
    if r.obs["masked.sent"][0]:
        c.lose(5, "The device sent %d messages while all was masked." % r.obs["masked.sent"][0])
    wrong = wrong_counts(r.obs["masked.causes"], {})
    if wrong:
        c.lose(5, "%s was handled while all was masked: also the timer and a late message must leave it pending."
               % listed(n for n, _ in wrong))
    c.require(r.obs["unmasked"][0] == 0x7f, "After lab_irq_mask(ldev, false) INTR_ENABLE is 0x%x, not what it was "
                                            "before." % r.obs["unmasked"][0])
    lost = [n for n, times in wrong_counts(r.obs["unmasked.causes"], {"CHERR": 1, "WATCH": 1})]
    if lost:
        c.lose(5, "%s happened once while all was masked, and was not counted once after that." % listed(lost))
    wrong = wrong_counts(runs["lost"].obs["late.masked"], {})
    if wrong:
        c.lose(5, "%s was handled while all was masked, because of a message that was on its way." %
               listed(n for n, _ in wrong))


@lab.criterion("spurious", 10, "A message with nothing to do does nothing, is counted, and is not ours",
               runs=["spurious"], partial=True)
def spurious(c, runs):
    r = runs["spurious"]
    need_vectors(c, r)
    row = r.obs["spurious.causes"]
    for name, times in wrong_counts(row, {"CHERR": 1, "CHINTR": 1, "WATCH": 1, "SMEXC": 1}):
        c.lose(5, "Each vector had one event and one message too many; %s was counted %d times." % (name, times))
    counted, unhandled = r.obs["spurious"]
    if counted < 4:
        c.lose(5, "Each of four vectors sent one message with nothing pending, stats.spurious counted %d." % counted)
    if not unhandled:
        c.lose(5, "Every message was claimed: with nothing pending a handler returns IRQ_NONE, and the kernel counts "
                  "it in /proc/irq/N/spurious.")


@lab.criterion("lost", 10, "Late messages do no harm, lost ones are made up for", runs=["lost"], partial=True)
def lost_messages(c, runs):
    r = runs["lost"]
    need_vectors(c, r)
    want = {"CHERR": 1, "CHINTR": 1, "WATCH": 1, "SMEXC": 1}
    for name, times in wrong_counts(r.obs["late.causes"], want):
        c.lose(3, "%s, whose message was late, was counted %d times." % (name, times))
    missing = [n for n, times in wrong_counts(r.obs["lost.causes"], want) if not times]
    if missing and r.obs["recovered"][0]:
        c.require(False, "The message of %s was lost; the timer found it (stats.recovered counted %d), and no thread "
                         "handled it: irq_wake_thread() takes the number that pci_irq_vector() gave."
                  % (listed(missing), r.obs["recovered"][0]))
    if missing:
        c.require(False, "The message of %s was lost, and it was never handled: a timer has to look at INTR_STATUS."
                  % listed(missing))
    for name, times in wrong_counts(r.obs["lost.causes"], want):
        c.lose(3, "%s, whose message was lost, was counted %d times." % (name, times))
    if r.obs["recovered"][0] < 4:
        c.lose(2, "Four events were found without a message, stats.recovered counted %d." % r.obs["recovered"][0])


@lab.criterion("unwinding", 7, "Whatever fails, lab_irq_init() or a later stage, nothing is left", runs=["events"],
               partial=True)
def unwinding(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    for function, where, err, msix, lines in r.rows("failure"):
        if not err:
            c.fail("probe() went on though %s() at %s had failed." % (function, where))
        elif msix or lines:
            c.lose(4, "After %s() at %s had failed, MSI-X is %s and %d handlers are left."
                   % (function, where, "on" if msix else "off", lines))
    for function, where, kept, at in r.rows("leak"):
        c.lose(4, "When %s() at %s failed, what %s() at %s had got was kept." % (function, where, kept, at))
    for where, *text in r.rows("failed.bad"):
        c.lose(4, "When probe() failed, something was given back wrongly: %s, at %s."
               % (" ".join(map(str, text)), where))
    for function, where, err in r.rows("next"):
        c.fail("After %s() at %s had failed once, the next probe() returned -%s."
               % (function, where, errno.errorcode.get(err, err)))
    r.obs["failures"]


@lab.criterion("removal", 8, "Everything is given back, also with events coming all the time", runs=["events"],
               partial=True)
def removal(c, runs):
    r = runs["events"]
    need_vectors(c, r)
    lines, msix, threads = r.obs["unbound"]
    if lines or msix or threads:
        c.lose(4, "After remove() there are %d handlers and %d threads, and MSI-X is %s."
               % (lines, threads, "on" if msix else "off"))
    for prefix in ("unbound", "storm"):
        for function, where in r.rows(prefix + ".held"):
            c.lose(4, "After remove(), what %s() at %s got has not been given back." % (function, where))
        for where, *text in r.rows(prefix + ".bad"):
            c.lose(4, "In remove(), something was given back wrongly: %s, at %s." % (" ".join(map(str, text)), where))
    r.obs["storm"]
    others = [l for l in r.complaints if not re.search(r"lab_on_\w+\+|__handle_irq_event_percpu", l)]
    if others:
        c.lose(4, "The kernel complains: %s" % others[0].strip())
