# SPDX-License-Identifier: MIT
"""Grader of lab 15: exploits of eight weaknesses, and their fixes.

The kernel has a secret for each weakness (src/device.c), which an exploit has to claim; who claimed is known to the
kernel, and stands in the device's SCRATCH register. The driver is in the module twice: as it was handed out, against which the
exploits must work, and as the student has changed it, against which they must not."""

import os

from ppulab import Lab, cut
from ppulab.say import err, rows

# What was seen when the grader itself tried a weakness of the student's driver.
OPEN = {
    1: "a new buffer is not zero",
    2: "V_READ gives bytes from behind the end of a buffer",
    3: "V_CREATE makes a buffer of more than 4 GiB",
    4: "a call takes another file's buffer",
    5: "V_RUN gives bytes of another file's buffer, when the job changes meanwhile",
    6: "V_INFO tells bytes that nobody wrote there for this program",
    7: "V_PEEK reads a buffer that another file made after the selected one had ended",
    8: "V_READ gives bytes of another file's buffer, when its own one ends meanwhile",
}
NAMES = ["missing zeroing", "bounds", "overflow", "ownership", "double fetch", "leak in a gap", "use after free", "race"]


def pristine():
    """pristine.c: driver.c as it is handed out."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "src/driver.c"), encoding="utf-8") as f:
        text = cut.cut(f.read(), 15, False, "driver.c")
    return {"pristine.c": "".join(l for l in text.splitlines(True) if "TODO lab" not in l)}


lab = Lab(15, "Break it", page="15-break-it.md", kind="module", source="lab15/src", student=["driver.c", "exploits.c"],
          marked=pristine)
lab.program("exploits", "exploits.c", "exploit_main.c")
lab.exercise("exercise.c", "exercise_closed.c", "lib/labrnd.c")
lab.scenario("pristine", cmd=["exercise", "pristine"], smp=2, timeout=150)
lab.scenario("fixed", cmd=["exercise", "fixed"], smp=2, timeout=150)
lab.skeleton_points = 0


def exploits(c, run):
    """{n: (exit status, whether it got the secret)}"""
    return {n: (status, bool(claimed and device)) for n, status, claimed, device in rows(c, run, "exploit", "the exploits")}


def works(c, run):
    """What the driver cannot do any more, as sentences."""
    return ["%s: %s, but it should be %s" % (str(what).replace("-", " "), err(got), err(want))
            for what, want, got in rows(c, run, "works", "using the driver") if want != got]


def exploit(n, name):
    @lab.criterion("exploit %d" % n, 5, "Exploit %d: %s" % (n, name), runs=["pristine"], partial=True)
    def _(c, runs):
        got = exploits(c, runs["pristine"])
        c.require(n in got, runs["pristine"].dead or "Exploit %d was not tried." % n)
        status, claimed = got[n]
        c.require(claimed, "The kernel's secret %d was not claimed%s. (While exploit %d runs, only weakness %d is open.)" % (
            n, "; the exploit was killed, or it did not end within 12 s" if status < 0 else "", n, n))


def fix(n, name):
    @lab.criterion("fix %d" % n, 6, "Fix %d: %s" % (n, name), runs=["pristine", "fixed"], partial=True)
    def _(c, runs):
        before, after = exploits(c, runs["pristine"]), exploits(c, runs["fixed"])
        c.require(n in before and before[n][1], "Without an exploit that works against the driver as it was handed out, "
                  "nothing shows that weakness %d is fixed." % n)
        c.require(n in after, runs["fixed"].dead or "Exploit %d was not tried against your driver." % n)
        c.require(not after[n][1], "Exploit %d works against your driver, too." % n)
        broken = works(c, runs["fixed"])
        c.require(not broken, "The exploit does not work any more, but neither does the driver: see conformance.")
        kept = dict(runs["fixed"].rows("closed"))
        c.require(n in kept, runs["fixed"].dead or "Weakness %d was not tried in your driver." % n)
        c.require(kept[n], "Your exploit does not work against your driver, but weakness %d is still there: %s." % (n, OPEN[n]))


for number, weakness in enumerate(NAMES, 1):
    exploit(number, weakness)
for number, weakness in enumerate(NAMES, 1):
    fix(number, weakness)


@lab.criterion("conformance", 12, "A driver that is fixed can do all that it could do", partial=True)
def _(c, runs):
    before, after = exploits(c, runs["pristine"]), exploits(c, runs["fixed"])
    fixed = [n for n in before if before[n][1] and n in after and not after[n][1]]
    c.require(fixed, "No weakness is fixed yet, so it means nothing that the driver works.")
    for sentence in works(c, runs["fixed"])[:4]:
        c.lose(4, "Your driver, %s." % sentence)
    c.require("conformance" in runs["fixed"].obs, runs["fixed"].dead or "The tests did not come to their end.")
    for run in runs.values():
        for when, *line in run.rows("complaint"):
            c.lose(6, "The kernel complains: %s" % " ".join(map(str, line)))
