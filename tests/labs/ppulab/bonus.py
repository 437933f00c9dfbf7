# SPDX-License-Identifier: MIT
"""The bonus run: the same scenarios on the debug kernel, whose checkers look at
memory (KASAN), locks (lockdep), arithmetic (UBSAN) and leaks (kmemleak)."""

import os
import re

from . import build, run
from .model import Card, Criterion

TEXT = "The debug kernel finds nothing: memory, locks, arithmetic, leaks"
EACH = 5                # points for each report
# (what the kernel says, a sentence; \1 ... from the match)
REPORTS = [(re.compile(pattern), text) for pattern, text in (
    (r"BUG: KASAN: (?:slab-)?use-after-free in (\w+)", r"KASAN: \1() uses memory after it was freed"),
    (r"BUG: KASAN: (\S+-out-of-bounds) in (\w+)", r"KASAN: \2() reads or writes outside of its memory (\1)"),
    (r"BUG: KASAN: (.*) in (\w+)", r"KASAN: \1 in \2()"),
    (r"possible circular locking", "lockdep: locks are taken in two orders, so two threads can wait for each other "
                                   "forever (possible circular locking dependency)"),
    (r"possible recursive locking", "lockdep: a lock is taken that is already held (possible recursive locking)"),
    (r"inconsistent lock state", "lockdep: a lock that an interrupt handler takes is held elsewhere with interrupts "
                                 "on (inconsistent lock state)"),
    (r"INFO: trying to register non-static key", "lockdep: a lock is used that was never initialised"),
    (r"sleeping function called from invalid context",
     "Something that may sleep is called where sleeping is not allowed: under a spinlock or in an interrupt handler"),
    (r"scheduling while atomic", "The driver sleeps where sleeping is not allowed"),
    (r"suspicious RCU usage", "lockdep: suspicious RCU usage"),
    (r"UBSAN: (.*) in (?:\S*/)?(\S+:\d+)", r"UBSAN: \1 at \2"),
    (r"DMA-API: (?:\S+ \S+ )?(.*)", r"DMA-API: \1"),
    (r"ODEBUG: (.*)", r"An object is destroyed while it is in use: \1"),
    (r"refcount_t: (.*)", r"A reference counter went wrong: \1"),
    (r"(list_\w+ corruption.*)", r"A list is damaged: \1"),
    (r"(WARNING: .*)", r"The kernel warns: \1"),
    (r"(BUG: .*|general protection.*|Oops.*)", r"The kernel says: \1"),
)]
FOLLOWS = re.compile(r"Call Trace|^\s*$")


def line_of(lines, at):
    """For a report without the name of a function: the innermost function of lab.ko in the lines below it."""
    for line in lines[at:at + 80]:
        m = re.search(r"(?:RIP: 0010:|^\s*)(\w+)\+0x\S+ \[lab\]", line)
        if m:
            return m.group(1)
    return None


def sentences(done):
    """What the kernel complained about in a run: a sentence for each complaint, without repetition."""
    out, lines = {}, run.lines_of(done.dmesg)
    for i, line in enumerate(lines):
        if not run.COMPLAINT.search(line) and "sleeping function" not in line and "inconsistent lock" not in line:
            continue
        for pattern, text in REPORTS:
            m = pattern.search(line)
            if m:
                said = m.expand(text)
                where = line_of(lines, i + 1)
                if where and where + "()" not in said:
                    said += ", in or below %s()" % where
                out.setdefault(said + ".")
                break
    for where, what, size in done.rows("kmemleak"):
        out.setdefault("kmemleak: %s bytes that %s() allocated were never freed%s." % (
            size, where, "" if what == "-" else " (with %s)" % what))
    return list(out)


def grade(result, files, where, shown):
    """Sets result.bonus."""
    lab = result.lab
    card = result.bonus = Card(Criterion("debug kernel", lab.bonus_points, TEXT, None, [], False))
    built = build.build(lab, files, where, shown, debug=True)
    if not built.ok:
        card.fail("It does not compile for the debug kernel.\n" + built.text)
        return
    runs = run.all_of([s for s in lab.scenarios.values() if s.debug], built.puts,
                      os.path.join(where, "runs-debug"), debug=True)
    for done in runs.values():
        if done.broken:
            result.broken.append(done.broken)
            card.fail("Not graded: " + done.broken)
        for text in sentences(done):
            card.lose(EACH, text)
        if done.dead:
            card.fail("On the debug kernel: " + done.dead)
