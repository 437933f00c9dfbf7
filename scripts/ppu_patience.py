# SPDX-License-Identifier: MIT
"""A time limit for a machine, on a host that has other things to do, and whether its clock can be believed.

The clock of a limit does not run while a thread of the machine is ready to run and no CPU of the host is free: that
says something about the host, not about the guest. Linux counts that time for each thread
(/proc/PID/task/TID/schedstat, second number, in nanoseconds). Where it does not, the limit is in plain seconds."""

import glob
import time


def waited(pid):
    """Seconds that each thread of the process has waited for a CPU so far: {path of the thread: seconds}."""
    found = {}
    for path in glob.glob("/proc/%d/task/*/schedstat" % pid):
        try:
            with open(path, encoding="ascii") as f:
                found[path] = int(f.read().split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            pass        # the thread has ended, or the kernel does not count
    return found


class Limit:
    """Ends `seconds` after its creation, not counting what the process waited for a CPU."""

    def __init__(self, pid, seconds, clock=time.monotonic, waits=waited):
        self.pid, self.seconds, self.clock, self.waits = pid, seconds, clock, waits
        self.start, self.at_start, self.lost = clock(), waits(pid), 0.0

    def left(self):
        """Seconds until the limit, if no thread waits from now on; 0 or less: it is over. The thread that waited most
        counts: the guest may have stood still because of it."""
        delays = [s - self.at_start.get(path, 0.0) for path, s in self.waits(self.pid).items()]
        self.lost = max([self.lost] + delays)
        return self.seconds - (self.clock() - self.start - self.lost)


WRONG_CLOCK = "the guest's clock was wrong: "       # who reads what scripts/vm says looks for this


def fast_clock(guest, host):
    """A sentence if the guest's clock went much too fast while the command ran (in seconds of both clocks), or None. Then
    whatever the guest says about time is wrong: time-outs, "blocked for more than 120 seconds". A machine that is
    stopped, or sleeps, has a slow clock, and that is no fault."""
    if guest <= 2 * host + 3:
        return None
    return WRONG_CLOCK + "%.1f s went by in it, and %.1f s here" % (guest, host)
