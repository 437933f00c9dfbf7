# SPDX-License-Identifier: MIT
"""Tests of tests/igt/run and scripts/build-igt, without IGT: output made by hand in its form, and what comes of it. TAP."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

from tap import failed, is_

TOP = os.environ.get("PPU_TOP") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "scripts"))

OUTPUT = """IGT-Version: 0 (x86_64) (Linux: 0 x86_64)
Opened device: /dev/dri/card0
Starting subtest: good
Subtest good: SUCCESS (0.012s)
Starting subtest: lacking
Test requirement not met in function lack, file made.c:1:
Test requirement: has_more(fd)
Subtest lacking: SKIP (0.000s)
Starting subtest: bad
(made:7) CRITICAL: Test assertion failure function check, file made.c:2:
(made:7) CRITICAL: Failed assertion: one == two
Subtest bad failed.
**** DEBUG ****
(made:7) CRITICAL: Failed assertion: one == two
****  END  ****
Subtest bad: FAIL (0.010s)
Starting subtest: dead
Received signal SIGSEGV.
Subtest dead: CRASH (0.010s)
Starting subtest: after
Subtest after: SUCCESS (1.002s)
Starting subtest: endless
""".split("\n")
LIST = """# made by hand
made good pass
made lacking skip: has no more
made bad fail: one is not two
made dead fail: dies
made after pass

made endless leave: takes a day
other - pass
other2 * skip@stock: not on this one
other2 one pass
other2 two fail: two is known
other2 three pass@debug
"""
# What all of a program wants is said once, before its skips.
NOTHING = """Test requirement not met in function fixture, file made.c:3:
Test requirement: has_anything()
Subtest one: SKIP (0.000s)
Subtest two: SKIP (0.000s)""".split("\n")


def load(path):
    loader = importlib.machinery.SourceFileLoader("loaded_" + os.path.basename(path), os.path.join(TOP, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def bad(run, path, text):
    """Whether the list is refused."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        run.Expected("made", "stock", path)
    except ValueError:
        return True
    return False


def parse_tests(run):
    is_(run.parse(OUTPUT), {"good": ("pass", ""), "lacking": ("skip", "has_more(fd)"), "after": ("pass", ""),
                            "bad": ("fail", "Failed assertion: one == two"), "dead": ("fail", "Received signal SIGSEGV.")},
        "results and what was said before them")
    is_(run.parse(["SUCCESS (0.007s)"]), {run.WHOLE: ("pass", "")}, "a program without subtests")
    is_(run.parse(NOTHING), {"one": ("skip", "has_anything()"), "two": ("skip", "has_anything()")}, "one reason for all skips")


def list_tests(run, path):
    with open(path, "w", encoding="utf-8") as f:
        f.write(LIST)
    is_(run.programs(path), ["made", "other", "other2"], "the programs of a list")
    is_(run.Expected("made", "stock", path).left_out(), ["endless"], "what is left out")
    is_(run.Expected("other2", "stock", path).subtests,
        {s: ("skip", "not on this one") for s in ("one", "two", "three")}, "a star for one kernel")
    is_(run.Expected("other2", "debug", path).subtests,
        {"one": ("pass", None), "two": ("fail", "two is known"), "three": ("pass", None)}, "the other kernel")
    expected = run.Expected("made", "stock", path)
    good = ["ok - made good", "ok - made lacking # SKIP has no more", "ok - made bad # SKIP fails: one is not two",
            "ok - made dead # SKIP fails: dies", "ok - made after", "ok - made endless # SKIP left out: takes a day"]
    is_(run.compare("made", expected, run.parse(OUTPUT), 98), good, "all as expected")
    is_(run.compare("made", expected, run.parse(OUTPUT), 139), good + ["not ok - made: exit status 139"], "but a bad end")

    def differs(**changed):
        results = {**run.parse(OUTPUT), **changed}
        lines = run.compare("made", expected, {k: v for k, v in results.items() if v}, 0)
        return [line for line in lines if line.startswith("not ok")]
    is_(differs(good=("skip", "has_luck()")), ["not ok - made good: skip instead of pass (has_luck())"], "a new skip")
    is_(differs(after=("fail", "")), ["not ok - made after: fail instead of pass"], "a new failure")
    is_(differs(lacking=("pass", ""), bad=("pass", "")), ["not ok - made lacking: pass instead of skip",
                                                          "not ok - made bad: pass instead of fail"], "an old reason")
    is_(differs(after=None), ["not ok - made after: no result instead of pass (exit status 0)"], "no result")
    is_(differs(more=("pass", "")), ["not ok - made more: pass, and is not in the list"], "a new subtest")
    for text in ("made good pass: it is good\n", "made good skip\n", "made good\n", "made good skip@old: why\n", "made x maybe: y\n",
                 "made x pass\nmade x skip: why\n"):
        is_(bad(run, path, text), True, "refused: %r" % text)
    is_(bad(run, path, "made x pass\nmade x skip@stock: why\n"), False, "not refused: a row for one kernel")


def real_list_tests(run):
    names = run.programs()
    is_(names[-1], "core_hotunplug", "the program that takes the device away is the last")
    for name in names:
        for kernel in run.KERNELS:
            is_(bool(run.Expected(name, kernel).subtests), True, "%s has subtests on the %s kernel" % (name, kernel))


def check_tests(check, run):
    """What scripts/check makes of it: with the rule of the group, listed skips are skips; others are failures."""
    lines = ["# Subtest a: SKIP", "ok - made a", "ok - made b # SKIP has no b", "ok - made c # SKIP has no b", "ok - made d # SKIP no d"]
    res = check.parse("made", lines, 0)
    is_((res.passed, res.failures, len(res.skips)), (1, [], 3), "check counts")
    is_(check.skip_lines(res.skips), ["made: 2 tests: has no b", "made: made d: no d"], "one line for one reason")
    is_(check.parse("made", lines + ["not ok - made e: no result instead of pass"], 1).failures,
        ["made: made e: no result instead of pass"], "check fails")


def build_tests(tmp):
    def said(*words):
        res = subprocess.run([os.path.join(TOP, "scripts/build-igt"), *words], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, check=False, env=dict(os.environ, PPU_CACHE=os.path.join(tmp, "cache")))
        return res.returncode, (res.stdout + res.stderr).strip()
    for words, text in ((("",), "say where IGT is: IGT=DIR"), (("/nowhere",), "IGT=/nowhere is no directory"),
                        ((tmp,), "has neither IGT's sources")):
        status, out = said(*words)
        is_((status, text in out), (1, True), "build-igt says: %s" % text)
    built = os.path.join(tmp, "built")
    os.makedirs(os.path.join(built, "tests"))
    with open(os.path.join(built, "tests/core_auth"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n")
    os.chmod(f.name, 0o755)
    is_(said("--path", built), (0, built), "a built tree is taken as it is")
    status, out = said(built)
    is_((status, "is missing: this IGT is too old" in out), (1, True), "a built tree that lacks a program")
    spaced = os.path.join(tmp, "two words")
    os.rename(built, spaced)
    is_(said("--path", spaced), (1, "build-igt: IGT cannot be in a path with white space: " + spaced), "a path of two words")
    res = subprocess.run([os.path.join(TOP, "scripts/check"), "IGT=" + built], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, check=False)
    is_((res.returncode, res.stderr.strip().splitlines()[-1].split(": ")[-1]), (2, "scripts/check igt IGT=" + built),
        "IGT without the part igt")


def main():
    run = load("tests/igt/run")
    parse_tests(run)
    with tempfile.TemporaryDirectory() as tmp:
        list_tests(run, os.path.join(tmp, "list"))
        build_tests(tmp)
    real_list_tests(run)
    check_tests(load("scripts/check"), run)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
