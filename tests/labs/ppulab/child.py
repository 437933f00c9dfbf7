# SPDX-License-Identifier: MIT
"""What lib/labchild.c passed on of a student's program that runs by itself, /lab/machine, and how the program ended."""

import re

ENDS = {
    "hang": "the program said nothing for too long, and was stopped",
    "skipped": "not tried, because earlier ones hung",
    "refused": "the program could not be run",
}


def lines(run, name):
    """The lines that the program printed; `end ...` says how it ended."""
    return [l.rstrip("; ") for row in run.rows(name) for l in " ".join(map(str, row)).split(" ; ")]


def bad_end(said, file):
    """How a program with the student's file in it ended, for a sentence; None: as it should, with "end done" alone."""
    ends = [l[4:] for l in said if l.startswith("end ")]
    if ends == ["done"]:
        return None
    kind, _, rest = next((e for e in ends if e != "done"), "").partition(" ")
    if kind == "wrong":
        return rest
    if kind == "crash":
        return "%s crashed: %s" % (file, rest)
    steps = re.fullmatch(r"steps=(\d{1,18})", rest)
    if kind == "stuck" and steps:
        return "%s never returns: it was stopped after %d million steps" % (file, int(steps.group(1)) // 10**6)
    return ENDS.get(kind, "the program ended without a word")
