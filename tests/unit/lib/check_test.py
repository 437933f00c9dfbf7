# SPDX-License-Identifier: MIT
"""Tests of scripts/check: what counts as passed, the watch for stalls with a clock of its own, second tries, the table of minutes, the
shares of the labs. TAP."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys

TOP = os.environ.get("PPU_TOP") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TOP, "scripts"), os.path.join(TOP, "tests/labs")]

import ppu_parts                            # noqa: E402
from ppu_patience import Limit, waited       # noqa: E402
from ppu_stall import SLEEP, StallWatch     # noqa: E402
from ppulab import LabError, model, selftest    # noqa: E402
from tap import failed, is_                 # noqa: E402


def load_check():
    loader = importlib.machinery.SourceFileLoader("ppu_check", os.path.join(TOP, "scripts/check"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ppu_check", loader))
    loader.exec_module(module)
    return module


class Machine:
    """A clock that only sleeping moves, by as much as the test says, and a count of stolen time."""

    def __init__(self):
        self.now, self.taken, self.extra = 100.0, 0.0, 0.0

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds + self.extra

    def steal(self):
        return self.taken


def watch_tests():
    m = Machine()
    w = StallWatch(m.clock, m.sleep, m.steal, cpus=2)
    for _ in range(20):
        w.look()
    is_(w.stalled(0), None, "a machine that goes on: no stall")
    m.extra = 1.0
    for _ in range(5):
        w.look()
    is_(w.stalled(0), None, "a busy machine, each look a second late: no stall")
    m.extra = 3.0
    w.look()
    m.extra = 0
    w.look()
    is_(w.stalled(0), "the machine stood still for 3.0 s", "a look that comes 3 s late")
    is_(w.stalled(m.now + 1), None, "the stall was before the test began")
    since = m.now
    for _ in range(10):
        m.taken += SLEEP * 2 * 0.2
        w.look()
    is_(w.stalled(since), None, "a fifth of the CPUs' time stolen: no stall")
    since = m.now + 2
    for _ in range(20):
        m.taken += SLEEP * 2 * 0.5
        w.look()
    is_((w.stalled(since) or "").startswith("the hypervisor took 50 % of the CPUs' time"), True, "half of it stolen")
    m2 = Machine()
    w = StallWatch(m2.clock, m2.sleep, lambda: None, cpus=2)
    for _ in range(20):
        w.look()
    is_(w.stalled(0), None, "a system that does not count stolen time")


def limit_tests():
    m = Machine()
    threads = {"a": 5.0, "b": 1.0}      # waited for a CPU before the limit began
    limit = Limit(1, 10, m.clock, lambda pid: dict(threads))
    m.now += 4
    is_(round(limit.left(), 3), 6.0, "a limit: seconds go by")
    threads["a"] += 3
    threads["b"] += 1
    is_(round(limit.left(), 3), 9.0, "what the thread that waited most has waited does not count")
    threads["c"] = 3.5
    is_(round(limit.left(), 3), 9.5, "a new thread: all its waiting")
    threads.clear()
    is_(round(limit.left(), 3), 9.5, "waiting stays counted when its thread has ended")
    m.now += 10
    is_(limit.left() <= 0, True, "the limit ends, though threads come and go")
    proc = subprocess.Popen(["sleep", "100"])
    try:
        real = waited(proc.pid)
    finally:
        proc.kill()
        proc.wait()
    is_(len(real) == 1 and min(real.values()) >= 0 or not os.path.exists("/proc/self/schedstat"), True,
        "a process: one thread, and what the kernel says of it")
    is_(waited(proc.pid), {}, "a process that has ended: nothing")


def parse_tests(check):
    def sums(lines, status=0, guest=False):
        res = check.parse("t", lines, status)
        res = check.in_guest(res) if guest else res
        return res.passed, res.failures, res.skips

    is_(sums(["ok - a", "ok 2 b", "1..2"]), (2, [], []), "TAP")
    is_(sums(["ok - a", "not ok - b"], 1), (1, ["t: b"], []), "TAP, one failed")
    is_(sums(["100%: Checks: 3, Failures: 0, Errors: 0"]), (3, [], []), "Check")
    is_(sums(["all is well"]), (1, [], []), "a program that prints something and ends well")
    is_(sums([]), (0, ["t: printed nothing"], []), "a program that prints nothing has not passed")
    is_(sums(["", "  "]), (0, ["t: printed nothing"], []), "empty lines are nothing")
    is_(sums(["100%: Checks: 0, Failures: 0, Errors: 0"]), (0, ["t: ran no test"], []), "Check without checks")
    is_(sums(["# t", "1..0"]), (0, ["t: ran no test"], []), "a plan of no tests")
    is_(sums(["1..3"]), (0, ["t: planned 3 tests, ran 0"], []), "a plan, and no tests")
    is_(sums(["ok - a", "1..2"]), (1, ["t: planned 2 tests, ran 1"], []), "fewer than planned")
    is_(sums(["ok - a"], 1), (1, ["t: exit status 1; last line: ok - a"], []), "all ok, but the status is not 0")
    is_(sums(["ok - a"], None), (1, ["t: did not end; last line: ok - a"], []), "no end")
    is_(sums(["ok - a # SKIP no perl"]), (0, [], ["t: a: no perl"]), "a skip with its reason")
    is_(sums(["ok - a # SKIP"]), (0, ["t: a: skipped, and does not say why"], []), "a skip without")
    is_(sums(["1..0 # SKIP no perl"]), (0, [], ["t: no perl"]), "all skipped")
    is_(sums(["1..0 # SKIP"]), (0, ["t: skipped, and does not say why"], []), "all skipped, without a reason")
    is_(sums(["no perl"], 77), (0, [], ["t: no perl"]), "status 77")
    is_(sums([], 77), (0, ["t: skipped, and does not say why"], []), "status 77 without a reason")
    must = " (skipped; in a guest it must not be missing)"
    is_(sums(["ok - a", "ok - b # SKIP no reset"], 0, True), (1, ["t: b: no reset" + must], []), "in a guest a skip is a failure")
    is_(sums(["no module"], 77, True), (0, ["t: no module" + must], []), "status 77, too")
    is_(sums(["ok - a", "ok - b # SKIP not asked for"], 0, True), (1, [], ["t: b: not asked for"]), "but for a test that was not asked for")

    def group(result):
        total = check.Result()
        with contextlib.redirect_stdout(io.StringIO()):
            check.run_group("g", lambda: result, total, plan)
        return total.failures

    plan = ppu_parts.Plan(["g"], {"g": ppu_parts.Part("g", "check", 1, 1, "")}, False)
    is_(group(check.Result()), ["g: there is no test in this part"], "a part without tests fails")
    with contextlib.redirect_stdout(io.StringIO()):
        silent = check.run_programs([["true"]], names=["true"])
    is_((silent.passed, silent.failures), (0, ["true: printed nothing"]), "/bin/true, run for real")


def again_tests(check):
    def failure(stall, text="t: it broke"):
        res = check.Result("t")
        res.failures, res.stall = [text], stall
        return res

    def total(first, second):
        group, tries = check.Result(), []

        def again():
            tries.append(1)
            return second
        with contextlib.redirect_stdout(io.StringIO()):
            group.add_failed(first, again)
        return group, len(tries)

    good = check.Result("t")
    good.passed = 3
    group, tries = total(failure(None), good)
    is_((len(group.failures), group.passed, tries), (1, 0, 0), "no stall: no second try, the failure counts")
    group, tries = total(failure("the machine stood still for 9.0 s"), good)
    is_((len(group.failures), group.passed, tries, len(group.flaky)), (0, 3, 1, 1), "a stall: the second try counts")
    is_("stood still for 9.0 s" in group.flaky[0] and "it broke" in group.flaky[0], True,
        "the summary says what the machine did, and what failed")
    good.flaky = []
    group, tries = total(failure("a stall"), failure("a stall"))
    is_((len(group.failures), tries), (1, 1), "a stall, and it fails again")
    group, tries = total(failure("a stall", "t: the kernel complained"), good)
    is_((len(group.failures), tries), (1, 0), "a complaint of the kernel has no second try, stall or not")
    with contextlib.redirect_stdout(io.StringIO()):
        group = check.run_programs([["sh", "-c", "exit 3"]], names=["three"], again=True)
    is_(group.failures, ["three: exit status 3; last line: "], "a program that fails, run for real")


def plan_tests(check):
    table = ppu_parts.parts()
    is_(sorted(table), sorted(check.GROUPS),
        "each part has a row of minutes, each row a part")
    limit = {"check": 20, "check-all": 70}
    is_(sum(p.minutes for p in table.values() if p.runs == "check") <= limit["check"], True,
        "make check, warm: at most %d minutes" % limit["check"])
    is_(sum(p.cold for p in table.values() if p.runs != "on demand") <= limit["check-all"], True,
        "make check-all, cold: at most %d minutes" % limit["check-all"])
    rows = {n: ppu_parts.Part(n, "check", m, c, "") for n, m, c in (("a", 2, 20), ("b", 3, 3), ("c", 0.2, 0.2))}
    plan = ppu_parts.Plan("abc", rows, False)
    is_(plan.heading("a"), "part 1 of 3, about 2 minutes; 5 minutes left", "the first part")
    plan.ended("a", 240)
    is_(plan.heading("b"), "part 2 of 3, about 6 minutes; 6 minutes left", "a machine half as fast as the table")
    plan.ended("b", 360)
    is_(plan.heading("c"), "part 3 of 3, about less than a minute; less than a minute left", "the last part")
    is_(ppu_parts.Plan("abc", rows, True).heading("a"), "part 1 of 3, about 20 minutes; 23 minutes left", "cold")
    os.environ["PPU_CHECK_SEED"] = "0x12"
    is_(ppu_parts.seed(), 18, "PPU_CHECK_SEED")
    del os.environ["PPU_CHECK_SEED"]
    is_(ppu_parts.seed(), ppu_parts.seed(), "the commit's seed stays")


def share_tests():
    lab = model.load(3)
    names = [w["name"] for w in selftest.wrongs(lab)]
    seen = []
    for k in range(3):
        tester = selftest.Tester(lab, None, selftest.share_of("%d/3" % k))
        seen += [name[6:] for name, _, _ in tester.jobs(None) if name.startswith("wrong ")]
    is_(sorted(seen), sorted(names), "three shares are all wrong solutions, each once")
    for text in ("3/3", "1", "a/b", "1/0", "-1/3"):
        try:
            selftest.share_of(text)
            is_("taken", "refused", "--share %s" % text)
        except LabError as err:
            is_("--share wants K/N" in str(err), True, "--share %s is refused" % text)


check = load_check()
watch_tests()
limit_tests()
parse_tests(check)
again_tests(check)
plan_tests(check)
share_tests()
sys.exit(1 if failed else 0)
