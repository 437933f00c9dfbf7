#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dbg_freeze_test.py PPU-DBG PROGRAM SOURCE: threads of debugged.cu that stand still while others run: who has moved, what is said
when they are waited for, and that all of it comes again on the way back and forth."""

import os
import re
import sys
import tap
from dbg_said import alone, line_of, number, run, said

WAITS = "waits for threads that stand still"
AT = ["break debugged.cu:%d if blockIdx.x == 1" % line_of("if (t % 3 == 0)"), "continue", "delete"]
SMALL = {"PPU_PROPS": os.environ.get("PPU_PROPS", "") + ",window-ns=100"}


def warps(text):
    """Where each warp is."""
    return {int(n): (lanes, pc) for n, lanes, pc in re.findall(r"warp (\d+): active (0x\w+).*pc (\d+)$", text, re.M)}


def others(block):
    return ["focus block (%d,0,0)" % block, "info warps"]


def positions(text):
    """Where the other two warps of the block are, and the warps of other blocks."""
    own = warps(text[0])
    return [own[1], own[2]] + [warps(t) for t in (text[2], text[4])]


def moves():
    """Who makes a step alone, and the twin without freezing."""
    look = ["info warps"] + others(0) + others(2) + ["focus block (1,0,0) warp 0"]
    n = len(look)
    for lock, step in (("step", "step 14"), ("on", "step 14"), ("off", "step 14"), ("off", "step alone 14"), ("off", "step warp alone 6")):
        text = said(AT + ["set scheduler-locking " + lock] + look + [step] + look, env=SMALL)
        before, after = text[4:4 + n], text[5 + n:]
        tap.is_([warps(before[0])[0] != warps(after[0])[0], positions(before) == positions(after)],
                [True, lock != "off" or "alone" in step], "locking %s, %s: who moves" % (lock, step))
    text = said(AT + look + ["step alone 6"] + look + ["step 9"] + look, env=SMALL)
    tap.is_(positions(text[3:3 + n]) == positions(text[4 + n:4 + 2 * n]) != positions(text[5 + 2 * n:]), True, "alone is for one command")
    text = said(AT + look + ["step block alone 80"] + look, env=SMALL)
    before, after = positions(text[3:3 + n]), positions(text[4 + n:])
    tap.is_([before[0] != after[0], before[1] != after[1], before[2:] == after[2:]], [True] * 3, "a block alone is all its warps")
    text = said(AT + ["focus warp 2", "info warps", "stepi alone 4", "info warps"])
    w = [warps(t) for t in (text[4], text[6])]
    tap.is_([w[0][0] == w[1][0], w[0][2] != w[1][2]], [True, True], "the warp whose turn it was stands still, too")
    text = said(AT + look + ["set scheduler-locking on block", "break debugged.cu:%d" % line_of("line of the result"), "continue"] + look,
                env=SMALL)
    before, after = positions(text[3:3 + n]), positions(text[6 + n:])
    tap.is_(["block (1,0,0)" in text[5 + n], before[0] != after[0], before[2:] == after[2:]], [True] * 3,
            "continue, too, lets the block alone go on")


def waits():
    """Who waits for those that stand still says so, and goes on with them."""
    want = re.search("^out.*$", alone(), re.M)[0]
    first, parts, status = run(AT + ["set scheduler-locking on", "step 20", "continue", "stepi", "info digest", "last-write shared:0",
                                     "info digest", "set scheduler-locking off", "continue"])
    text = [t for _, t in parts]
    tap.is_([WAITS in text[4], "set scheduler-locking off" in text[4], WAITS in text[5], WAITS in text[6]], [True] * 4,
            "a step, continue and a step again say that it waits")
    tap.is_(text[7] == text[9] and len(text[7]) == 17 and "was last written" in text[8], True, "who wrote a word can be asked there")
    tap.is_(status == 0 and want in first + "".join(text), True, "then all go on, and the results are right")
    text = said(AT + ["set scheduler-locking on", "continue", "set scheduler-locking off", "stepi"])
    tap.is_(WAITS in text[4] and "thread (0,0,0) (warp 0" in text[6], True, "a step with the others leads out of it")
    _, parts, status = run(AT + ["set scheduler-locking on", "continue"])
    tap.is_(status == 0 and any(want in t for _, t in parts), True, "who goes away lets all go on")
    text = said(["break debugged.cu:%d" % line_of("line of the flag"), "continue", "delete", "focus warp 1", "next alone 3", "info lanes",
                 "continue"], "flag")
    tap.is_("perhaps it waits for threads that stand still" in text[4] and "flagged" in text[5], True, "who asks again and again does")
    tap.is_("status 0" in text[6], True, "and goes on with the others")
    text = said(["break debugged.cu:%d if blockIdx.x == 1" % line_of("line of the turn"), "continue", "delete",
                 "set scheduler-locking on", "continue", "set scheduler-locking off", "continue"])
    tap.is_("has ended" in text[4] and "status 0" in text[6], True, "the end of who runs alone is told")


def again(env, what):
    """All moments are the same again, those with others standing still, and those where they go on."""
    text = said(AT + ["interval 40", "info digest", "stepi alone 9", "info digest", "reverse-stepi 9", "info digest", "stepi alone 9",
                      "info digest"], env=env)
    tap.is_([text[4] == text[8] != text[6], text[6] == text[10]], [True, True], what + ": back and the same steps again")
    commands = AT + ["interval 40", "info position", "step alone 2", "info position", "step 2", "info position", "stepi block alone 9",
                     "info position", "continue alone", "break debugged.cu:%d" % line_of("line of the result"), "continue",
                     "info position"]
    text = said(commands, env=env)
    tap.is_(WAITS in text[11] and "Breakpoint" in text[13], True, what + ": a way with all of it")
    places = [number(text[i], r"instruction (\d+)") for i in (4, 6, 8, 10, 14)]
    places += [(a + b) // 2 for a, b in zip(places, places[1:])] + [places[-1] - 1]
    asked = [c for n in places + places[::-1] + places[::2] for c in ("goto %d" % n, "info digest", "info warps")]
    text = said(commands + asked, env=env)[len(commands):]
    seen, same = {}, True
    for i, n in enumerate(places + places[::-1] + places[::2]):
        same &= seen.setdefault(n, text[3 * i + 1:3 * i + 3]) == text[3 * i + 1:3 * i + 3]
    tap.is_(same and len({v[0] for v in seen.values()}) == len(set(places)), True, what + ": each moment is the same again")
    text = said(commands + ["info digest", "reverse-continue", "goto %d" % places[4], "info digest"], env=env)[len(commands):]
    tap.is_(text[0] == text[3] and len(text[0]) == 17, True, what + ": and the last one is reached again")


def words():
    text = said(["show", "set scheduler-locking step block", "show", "set scheduler-locking", "set scheduler-locking on lane", "set x on",
                 "set scheduler-locking on", "continue"])
    tap.is_("all threads run" in text[0] and "step block" in text[2] and text[1] == text[2], True, "show says what was set")
    tap.is_([t.startswith("set scheduler-locking off | on | step") for t in text[3:6]], [True] * 3, "what cannot be set is told")
    tap.is_("No thread is in focus that could run alone" in text[7], True, "without a focus nobody can run alone")


moves()
waits()
again({}, "one state saved")
again(SMALL, "many states saved")
words()
sys.exit(bool(tap.failed))
