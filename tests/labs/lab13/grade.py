# SPDX-License-Identifier: MIT
"""Lab 13: from the other side: copy engines.

The student's engine.c is linked with the device's core, in which a unit of the lab's (ce.c) calls it instead of the core's own
copy engines. The program, `machine`, has tests as the core's own tests are: it makes page tables and channels, submits
commands, and looks at memory, trace and fault records.

That is what the student runs. When it is graded, the device and the tests are in another program, `judge`, which has remote.c
for engines: it asks the program with the student's file what the engines do, call by call (wire.h). The student's program
has no device in it (serve.c), is another user's, sees no file and prints nowhere. So what was seen comes from a process
without code of the student's. The engines do not run in QEMU: they would be the only code of a student's that runs on
the host."""

import os

from ppulab import Lab, child

NEEDS = ["lib/liblab13.a", "lib/liblab13serve.a"]      # of the build
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

lab = Lab(13, "From the other side: copy engines", page="13-engine.md", kind="program", student=["engine.c"],
          libs=["lab13", "lab13serve"])
# The program counts steps of the student's code to find endless loops, and does not use a clock: see lib/labends.c.
lab.program("machine", "engine.c", cflags=["-fsanitize-coverage=trace-pc"], libs=["lab13serve"])
lab.exercise("exercise.c", "lib/labchild.c", libs=[])
lab.helper("remote.c", "lib/labremote.c", name="judge", libs=["lab13"])
lab.scenario("tests", cmd=["exercise", str(SEED), str(COUNT), *[t[0] for t in TESTS]], timeout=240, smp=1)
lab.skeleton_points = 0


def criterion(test, points, text):
    def judge(c, runs):
        wrong = child.bad_end(child.lines(runs["tests"], test), "engine.c")
        if wrong:
            c.fail("Test %s: %s." % (test, wrong))
    lab.criterion(test, points, text)(judge)


for _args in TESTS:
    criterion(*_args)
