# SPDX-License-Identifier: MIT
"""Did the machine itself stand still? For scripts/check: a failed test has a second try only if so.

Two signs count. A thread that asked to sleep for a moment woke up much later, though it needs no CPU to speak of:
the machine was frozen, or its clock jumped. And time that the hypervisor took from this machine ("steal"): more than
a quarter of what all CPUs together could have done in a second. A busy machine shows neither: its programs wait for
each other, but the clock goes on, and a thread that has slept is let in soon."""

import os
import threading
import time

SLEEP = 0.2                 # seconds between two looks
LATE = 1.5                  # seconds that a look may come late
STEAL = 0.25                # share of the CPUs' time
STEAL_OVER = 1.0            # seconds over which the share is taken


def stolen():
    """Seconds of CPU time that the hypervisor has taken since the start; None where the system does not say."""
    try:
        with open("/proc/stat", encoding="ascii") as f:
            fields = f.readline().split()
        return int(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


class StallWatch(threading.Thread):
    """A thread that notes stalls, from start() on. stalled(since) is safe to call from any thread."""

    def __init__(self, clock=time.monotonic, sleep=time.sleep, steal=stolen, cpus=os.cpu_count() or 1):
        super().__init__(daemon=True)
        self.clock, self.sleep, self.steal, self.cpus = clock, sleep, steal, cpus
        self.lock = threading.Lock()
        self.stalls = []            # (from, to, what), seconds of clock(); lock
        self.steal_at, self.steal_was = clock(), steal()

    def run(self):
        while True:
            self.look()

    def look(self):
        """Sleep once and note what is to be seen then."""
        before = self.clock()
        self.sleep(SLEEP)
        now = self.clock()
        if now - before > SLEEP + LATE:
            self.note(before, now, "the machine stood still for %.1f s" % (now - before - SLEEP))
        if now - self.steal_at >= STEAL_OVER:
            self.look_at_steal(now)

    def look_at_steal(self, now):
        taken = self.steal()
        if taken is not None and self.steal_was is not None:
            span = now - self.steal_at
            share = (taken - self.steal_was) / (span * self.cpus)
            if share > STEAL:
                self.note(self.steal_at, now, "the hypervisor took %d %% of the CPUs' time for %.1f s"
                          % (round(share * 100), span))
        self.steal_at, self.steal_was = now, taken

    def note(self, start, end, what):
        with self.lock:
            self.stalls.append((start, end, what))

    def stalled(self, since):
        """What happened to the machine after that time of clock(): a sentence, or None."""
        with self.lock:
            found = [what for _, end, what in self.stalls if end >= since]
        return found[0] + (", and %d times more" % (len(found) - 1) if len(found) > 1 else "") if found else None
