#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dbg_check_test.py PPU-DBG PROGRAM SOURCE PPU-CHECK: the debugger stops where ppu-check finds something in planted.cu: at the
same findings, threads and instructions that ppu-check tells alone, also after ways back and forth."""

import os
import re
import subprocess
import sys
import tap
from dbg_said import PROGRAM, TOOL, line_of, run, said

CHECK = sys.argv[4]
WAYS = [
    ("memcheck", "overrun one_byte atomic_overrun after_free misaligned shared pool_after_free"),
    ("racecheck", "race_neighbours race_again race_flag race_by_byte"),
    ("initcheck", "init_never init_word init_copied init_shared"),
    ("synccheck", "sync_exited sync_branches sync_not_me sync_outside sync_crossed"),
    ("floatcheck", "float_divide float_root float_fused float_follow float_masked"),
]
FINDING = re.compile(r"^ppu-check: ([a-z-]+: .*)\n    in kernel .*pc (\d+)\n    thread (\(\S+\)) of block (\(\S+\))", re.M)


def findings(text):
    return FINDING.findall(text)


def stop(text):
    """What a stop says: the finding, its pc, thread and block."""
    m = re.search(r"^ppu-check: ([a-z-]+: .*)\nkernel \d+, block (\(\S+\)), thread (\(\S+\)) .*\n.*pc (\d+)\n", text, re.M)
    return m and (m[1], m[4], m[3], m[2])


def alone(tool, *arguments):
    p = subprocess.run([CHECK, "--tool", tool, PROGRAM, *arguments], text=True, capture_output=True, timeout=60, check=False)
    return findings(p.stdout + p.stderr)


def debugged(tool, commands, *arguments, env=None):
    """What was said after each command, and what the checker has told."""
    p = subprocess.run([TOOL, "-batch", "--check", tool, "-x", "/dev/stdin", PROGRAM, *arguments], input="\n".join(commands) + "\n",
                       text=True, capture_output=True, timeout=120, check=False, env={**os.environ, **(env or {})})
    return [part.split("\n", 1)[-1] for part in ("\n" + p.stdout).split("\n(ppu-dbg) ")[1:]], findings(p.stderr), p.returncode


def each():
    for tool, names in WAYS:
        for name in names.split():
            want = alone(tool, name)
            # Some fault, too, and one more ends the program.
            text, told, _ = debugged(tool, ["continue"] * (len(want) + 2), name)
            stops = [s for s in (stop(t + "\n") for t in text) if s]
            tap.is_(bool(want) and stops == want and told == want, True, name + ": a stop at each finding")
            text, told, status = debugged(tool, ["continue"], name, "clean")
            tap.is_([stop(t + "\n") for t in text] + told + [status], [None, 0], name + ": none where nothing is wrong")


def travel():
    """Back and forth over findings: nothing is told twice, and the device stops at each of them again."""
    for tool, name in ("memcheck", "overrun"), ("racecheck", "race_flag"), ("initcheck", "init_word"), ("synccheck", "sync_outside"), \
            ("floatcheck", "float_divide"):
        want = alone(tool, name)
        text, told, _ = debugged(tool, ["interval 20", "continue", "info digest", "reverse-stepi", "continue", "info digest",
                                        "reverse-stepi 3", "stepi 2", "continue", "last-write global:0x200000200000", "info digest", "delete"]
                                 + ["continue"] * len(want), name, env={"PPU_PROPS": os.environ["PPU_PROPS"] + ",window-ns=100"})
        tap.is_([stop(text[1] + "\n"), stop(text[4] + "\n"), stop(text[8] + "\n")], [want[0]] * 3, name + ": it stops there again")
        tap.is_([text[5] == text[2], text[10] == text[2], len(text[2])], [True, True, 16], name + ": where everything is the same")
        tap.is_(told, want, name + ": and the checker tells it once")
        text, _, _ = debugged(tool, ["catch host", "continue", "continue", "reverse-continue", "info position"], name)
        tap.is_("ppu-check: " + want[0][0] in text[3] if len(want) == 1 else "ppu-check: " in text[3], True,
                name + ": and stops on the way back")


def switched_off():
    want = alone("memcheck", "overrun")
    text, told, status = debugged("memcheck", ["catch checker", "continue"], "overrun")
    tap.is_([stop(text[1] + "\n"), told, status], [None, want, 0], "catch checker: no more stops, and the finding is told")
    text, told, _ = debugged("memcheck", ["catch checker off", "catch checker on", "continue"], "overrun")
    tap.is_([stop(text[2] + "\n"), told], [want[0], want], "and it can be switched on again")
    tap.is_("Nobody checks" in said(["catch checker"])[0], True, "without a checker it is told")
    text, told, status = debugged("memcheck", [], "overrun")
    tap.is_([told, status], [want, 0], "who goes away leaves the checker behind")
    text, told, status = debugged("memcheck", ["continue", "reverse-stepi 2"], "overrun")
    tap.is_([told, status], [want, 0], "also in the past")


def another_run():
    """Who lets others run than before has another run than the checker has seen."""
    text, told, status = debugged("racecheck", ["continue", "reverse-stepi", "stepi alone 3", "set scheduler-locking off", "continue"],
                                  "race_neighbours")
    tap.is_(["looks no more" in text[2], len(told), status], [True, 1, 0], "another run than the checker has seen is told")
    text, told, status = debugged("racecheck", ["continue", "reverse-stepi", "stepi 3", "continue"], "race_neighbours")
    tap.is_("looks no more" in "".join(text), False, "the same run is not")


each()
travel()
switched_off()
another_run()
sys.exit(bool(tap.failed))
