# SPDX-License-Identifier: MIT
"""The parts of `make check` and `make check-all`: which there are, how long each may take, which share of a long
part runs at this commit. The table is in Documentation/contributing/tests.md, and only there."""

import os
import re
import subprocess

from ppu_script import CACHE, TOP

PAGE = os.path.join(TOP, "Documentation/contributing/tests.md")
ROW = re.compile(r"^\| `([\w-]+)` \| (check|check-all|on demand) \| ([\d.]+) \| ([\d.]+) \| (.*) \|$")


class Part:
    def __init__(self, name, runs, minutes, cold, what):
        self.name, self.runs, self.what = name, runs, what
        self.minutes, self.cold = float(minutes), float(cold)   # on two idle CPUs; cold: nothing is cached


def parts(page=PAGE):
    """The rows of the table, in its order; name -> Part."""
    with open(page, encoding="utf-8") as f:
        rows = [ROW.match(line.rstrip()) for line in f]
    return {p.name: p for p in (Part(*m.groups()) for m in rows if m)}


def cold():
    """No QEMU was built on this machine."""
    return not (os.path.isdir(CACHE) and any(n.startswith("qemu-") and "release" in n for n in os.listdir(CACHE)))


class Plan:
    """What is to run, and how long it will probably take."""

    def __init__(self, names, table, is_cold):
        self.names, self.table, self.cold = list(names), table, is_cold
        self.done, self.spent = 0.0, 0.0    # minutes planned and used so far

    def expected(self, name):
        part = self.table.get(name)
        return 0.0 if not part else part.cold if self.cold else part.minutes

    def heading(self, name):
        """The line before a part: its number, its minutes, the minutes left."""
        # A machine that was slower so far will be slower.
        pace = max(1.0, self.spent / self.done) if self.done >= 1 else 1.0
        left = sum(self.expected(n) for n in self.names[self.names.index(name):]) * pace
        return "part %d of %d, about %s; %s left" % (
            self.names.index(name) + 1, len(self.names), minutes(self.expected(name) * pace), minutes(left))

    def ended(self, name, seconds):
        self.done += self.expected(name)
        self.spent += seconds / 60


def minutes(n):
    return "1 minute" if round(n) == 1 else "less than a minute" if n < 1 else "%d minutes" % round(n)


def seed():
    """The number by which long parts rotate: PPU_CHECK_SEED, or the commit's."""
    given = os.environ.get("PPU_CHECK_SEED")
    if given:
        return int(given, 0)
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TOP, capture_output=True, text=True, check=True)
        return int(head.stdout[:7], 16)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 0
