# SPDX-License-Identifier: MIT
"""A lab for the framework's own tests; it is not a part of the course."""

from ppulab import Lab

lab = Lab(1, "Dummy", page="index.md", kind="module", source="selftest/src", student=["dummy.c"])
lab.dir = lab.source[:-len("/src")]
lab.exercise("exercise.c")
lab.scenario("plain", cmd=["exercise"], trace=True, timeout=240)
lab.scenario("short", cmd=["exercise", "600"], timeout=25, debug=False)
lab.picture("plain")


@lab.criterion("value", 60, "The value is right", runs=["plain"], partial=True)
def _(c, runs):
    got = runs["plain"].obs["value"]
    c.require(got == [42], "the value is %s" % got)


@lab.criterion("memory", 30, "Nothing is left", runs=["plain"])
def _(c, runs):
    r = runs["plain"]
    for what, where in r.rows("left.held"):
        c.lose(20, "%s() at %s was never undone" % (what, where))
    c.require(r.obs["held"] == [1], "no memory was held")
    c.require(r.obs["no_memory"] == [-12], "without memory it was loaded all the same")


@lab.criterion("device", 10, "The device is seen from outside", runs=["plain"])
def _(c, runs):
    r = runs["plain"]
    c.require(r.counters["mmio_reads"] > 0 and r.counters["mmio_writes"] > 0, "no register access was counted")
    c.require(any(e.name == "RESET" for e in r.trace), "no trace")
