# SPDX-License-Identifier: MIT
"""Lab 14: a scheduling policy.

The program `machine` is the device's core with a unit of the lab's (runlist.c), which asks the student's policy.c instead of the
core's own fair queueing. It sends requests by a trace, once with round robin and once with the policy. score.py has the
formulas; the student has both, too.

The grader's program `judge` is the same with remote.c for a policy: its device does what the student's program, started beside
it, says that its own device does (wire.h). So what was measured comes from a process without code of the student's. The
student's process is another user's, sees no file, and gets 16 requests at a time, when their time has come: neither the seed,
nor what is to come, can be found in its memory."""

import os
import sys

from ppulab import Lab, child

HERE = os.path.dirname(os.path.realpath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import score        # noqa: E402

NEEDS = ["lib/liblab14.a"]      # of the build
FAMILIES = list(score.REFERENCE) + ["equal"]
COUNT = 12              # hidden traces of each family
SEED = int(os.environ.get("LAB_SEED") or "1", 0)

lab = Lab(14, "A scheduling policy", page="14-policy.md", kind="program", student=["policy.c"], libs=["lab14"])
# The program counts steps of the student's code to find endless loops, and does not use a clock: see lib/labends.c.
lab.program("machine", "policy.c", cflags=["-fsanitize-coverage=trace-pc"])
lab.exercise("exercise.c", "lib/labchild.c", libs=[])
lab.helper("remote.c", "lib/labremote.c", name="judge", libs=["lab14"])
# Seeds that no published trace has.
lab.scenario("all", cmd=["exercise", "traces", *FAMILIES], timeout=120, smp=1,
             pack={"/lab/traces/%s.txt" % f: "tests/labs/lab14/traces/%s.txt" % f for f in FAMILIES})
lab.scenario("hidden", cmd=["exercise", "hidden", str(1000000 + SEED % 2**40 * 100), str(COUNT), *FAMILIES], timeout=120,
             smp=1)
lab.skeleton_points = 0


def outcome(r, name):
    """(Result or None, what is wrong as a sentence or None) of one trace."""
    kind, _, family = name.partition(".")
    said = child.lines(r, name)
    wrong = child.bad_end(said, "policy.c")
    found = next((x for x in map(score.parse, said) if x), None)
    if found and not wrong and found.name == family:
        return found, None
    return None, "%s %s: %s." % ("Published trace" if kind == "trace" else "Hidden traces", family,
                                 wrong or "the program printed no result")


def both(runs, family):
    """[(Result or None, sentence or None)]: of the published trace, of the hidden ones."""
    return [outcome(runs["all"], "trace." + family), outcome(runs["hidden"], "hidden." + family)]


def results(c, runs, families):
    """The results of these families. If one has none, the criterion is lost."""
    out = []
    for family in families:
        for result, sentence in both(runs, family):
            c.require(result, sentence)
            out.append(result)
    return out


def better(c, runs):
    """The bounds are worth something only to a policy that does something: the skeleton keeps them all."""
    c.require(any(r.gain() > score.LEAST_GAIN for r in results(c, runs, score.REFERENCE)),
              "Not looked at yet: in no family is the policy better than round robin.")


def latency(family, points, text):
    def judge(c, runs):
        published, hidden = results(c, runs, [family])
        for result, most, what in ((published, points // 3, "the published trace"),
                                   (hidden, points - points // 3, "%d hidden traces" % COUNT)):
            got = score.points(most, result.gain())
            if got < most:
                c.lose(most - got, "The mean latency in %s of %s is %.2f of round robin's; the reference has %.2f, and all "
                       "points need %.2f." % (what, family, result.ratio("mean"), score.REFERENCE[family],
                                              1 - score.FULL_GAIN * (1 - score.REFERENCE[family])))
    lab.criterion(family, points, text)(judge)


@lab.criterion("throughput", 10, "All work is done, no later than with round robin")
def throughput(c, runs):
    found = results(c, runs, FAMILIES)
    better(c, runs)
    for r in found:
        if r.ratio("end") > score.SLOWER:
            c.fail("In %s the last request is done %.1f %% later than with round robin: the engine was idle, or changed "
                   "over too often." % (r.name, 100 * (r.ratio("end") - 1)))


for _family, _points, _text in (
        ("mixed", 15, "Small requests do not wait for large ones"),
        ("bursts", 12, "Many at once, of any size"),
        ("jobs", 15, "The next copy is not all there is: who asks for how much?"),
        ("hog", 6, "One client fills its ring"),
        ("flood", 12, "More work than can be done, for a time")):
    latency(_family, _points, _text)


@lab.criterion("no starvation", 10, "No request waits more than %g times as long as the worst one with round robin"
               % score.WAIT)
def starvation(c, runs):
    found = results(c, runs, score.REFERENCE)
    better(c, runs)
    for r in found:
        if r.ratio("max") > score.WAIT:
            c.fail("In %s a request waited for %d us; with round robin the worst one of this trace waited for %d us. "
                   "That is %.1f times as long." % (r.name, r.v["max"] / 1000, r.v["rr_max"] / 1000, r.ratio("max")))


@lab.criterion("fair shares", 10, "Who always has work gets at least %d %% of a fair share" % score.FAIR)
def fairness(c, runs):
    found = results(c, runs, ["equal"])
    better(c, runs)
    for r in found:
        if r.v["share"] < score.FAIR:
            c.fail("In equal, where four clients always have work, one of them got %d %% of its fair share of the "
                   "engine (round robin: %d %%)." % (r.v["share"], r.v["rr_share"]))


@lab.criterion("near the reference", 10, "As good as the reference solution, over all families")
def near_reference(c, runs):
    hidden = [r for f in score.REFERENCE for r in results(c, runs, [f])[1:]]
    got, mean = score.near(c.max, [r.gain() for r in hidden])
    if got < c.max:
        c.lose(c.max - got, "Over the hidden traces of all families you have %.2f of the reference's gain over round robin; "
               "points begin at %.2f, and %.2f has them all." % (mean, score.NEAR_FROM, score.NEAR_TO))
