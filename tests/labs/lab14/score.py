#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lab 14: what a policy is worth. The formulas of the grader, and a table of what `machine` printed on standard input."""

import re
import signal
import sys

# Mean latency of the reference solution, as a part of round robin's: over 400 traces of each family, the seeds from 1000 on.
REFERENCE = {"mixed": 0.654, "bursts": 0.847, "jobs": 0.789, "hog": 0.901, "flood": 0.710}
LEAST_GAIN, FULL_GAIN = 0.2, 0.6    # of the reference's gain: no points, all points of a family
NEAR_FROM, NEAR_TO = 0.5, 0.85      # mean gain: no points, all points of "near the reference"
SLOWER = 1.02           # all work may take so much longer than with round robin
WAIT = 3.0              # no request may wait so much longer than the worst one with round robin in the same trace
FAIR = 60               # per cent of its fair share that every client must get, in the family equal


class Result:
    """A line `result` of machine's."""

    def __init__(self, line):
        words = line.split()
        self.name = re.sub(r"\.txt$|:\d+$", "", words[1])
        self.v = {k: int(n) for k, n in (w.split("=") for w in words[2:])}

    def ratio(self, what):
        return self.v[what] / self.v["rr_" + what]

    def gain(self):
        """What part of the reference's gain over round robin this is: 0 is round robin, 1 the reference."""
        return (1 - self.ratio("mean")) / (1 - REFERENCE[self.name])


def parse(line):
    """A Result; None if the line is none."""
    if not re.fullmatch(r"result \S+( \w+=\d+){9}", line.strip()):
        return None
    result = Result(line)
    return result if all(result.v.get("rr_" + k) for k in ("mean", "max", "end")) else None


def points(most, gain):
    """The points of a family."""
    return int(most * min(1, max(0, (gain - LEAST_GAIN) / (FULL_GAIN - LEAST_GAIN))) + 1e-9)


def near(most, gains):
    """(points of `near the reference`, mean gain): more than the reference in one family does not help another."""
    mean = sum(min(1, max(0, g)) for g in gains) / len(gains)
    return int(most * min(1, max(0, (mean - NEAR_FROM) / (NEAR_TO - NEAR_FROM))) + 1e-9), mean


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)       # `| head` is no error
    print("%-10s %21s %7s %7s %16s %7s" % ("trace", "mean, ns (rr)", "of rr", "gain", "worst of rr's", "share"))
    for line in sys.stdin:
        result = parse(line)
        if not result:
            if line.strip() != "end done" and not line.startswith("seed "):
                print(line.rstrip())
            continue
        gain = "%.2f" % result.gain() if result.name in REFERENCE else "-"
        print("%-10s %10d (%8d) %7.3f %7s %16.2f %5d %%" % (
            result.name, result.v["mean"], result.v["rr_mean"], result.ratio("mean"), gain, result.ratio("max"),
            result.v["share"]))


if __name__ == "__main__":
    main()
