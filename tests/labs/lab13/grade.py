# SPDX-License-Identifier: MIT
"""Lab 13: from the other side: copy engines.

The student's engine.c is linked with the device's core, in which a unit of the lab's (ce.c) calls it instead of the core's own
copy engines. The program, `machine`, has tests as the core's own tests are: it makes page tables and channels, submits
commands, and looks at memory, trace and fault records. It runs as a user without rights, started by `exercise`, which
contains no code of the student's.

What was seen comes from a process with the student's code in it. The library is one object that shows no names but those
that the engines need, but a submission that prints "end done" of its own making would get points, and only a reader of its
source would notice. The engines do not run in QEMU: they would be the only code of a student's that runs on the host."""

import os

from ppulab import Lab, child

NEEDS = ["lib/liblab13.a"]      # of the build
COUNT = 270             # random copies and fills
SEED = int(os.environ.get("LAB_SEED") or "1", 0)

# test, points, text
TESTS = [
    ("copy", 20, "COPY moves all bytes, and no others"),
    ("overlap", 12, "A COPY onto itself does what memmove does"),
    ("fill", 10, "FILL repeats an element of 1, 2, 4 or 8 bytes"),
    ("rows", 12, "COPY_2D and FILL_2D"),
    ("time", 14, "Chunks, each at its own time; the time of the whole"),
    ("engines", 8, "Three engines at once"),
    ("faults", 12, "A page that is not there is a fault at the right address, and what was before it has arrived"),
    ("stop", 6, "A channel that is stopped, and what comes after it"),
    ("random", 6, "%d random copies and fills of three channels" % COUNT),
]

lab = Lab(13, "From the other side: copy engines", page="13-engine.md", kind="program", student=["engine.c"], libs=["lab13"])
# The program counts steps of the student's code to find endless loops, and does not use a clock: see lib/labends.c.
lab.program("machine", "engine.c", cflags=["-fsanitize-coverage=trace-pc"])
lab.exercise("exercise.c", "lib/labchild.c", libs=[])
lab.scenario("tests", cmd=["exercise", str(SEED), str(COUNT), *[t[0] for t in TESTS]], timeout=120, smp=1)
lab.skeleton_points = 0


def criterion(test, points, text):
    def judge(c, runs):
        wrong = child.bad_end(child.lines(runs["tests"], test), "engine.c")
        if wrong:
            c.fail("Test %s: %s." % (test, wrong))
    lab.criterion(test, points, text)(judge)


for _args in TESTS:
    criterion(*_args)
