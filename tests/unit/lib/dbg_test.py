#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dbg_test.py PPU-DBG PROGRAM SOURCE TWICE: what ppu-dbg says of debugged.cu, compared with the source, with what the program says
itself, and with what was said of the same moment before."""

import os
import re
import sys
import tempfile
import tap
from dbg_said import BLOCKS, SOURCE, PROGRAM, THREADS, alone, line_of, number, run, said

TWICE = sys.argv[4]


def values(text, name):
    return [int(v) for v in re.search("^" + name + "((?: -?[0-9]+)+)$", text, re.M)[1].split()]


def address(text, name):
    return int(re.search("^%s (0x.*)$" % name, text, re.M)[1], 16)


def whose_steps():
    """Steps of a warp and of a block: others than the thread in focus make them."""
    call, result = line_of("line of the call"), line_of("line of the sum")
    begin = ["break debugged.cu:%d if blockIdx.x == 0" % (call - 1), "continue", "delete", "focus thread (4,0,0)"]
    one, warp = said(begin + ["step"])[4], said(begin + ["step warp"])[4]
    tap.is_(["thread (4,0,0)" in one, "debugged.cu:%d" % (call + 2) in one], [True, True], "a step of a thread is its own")
    tap.is_(["thread (0,0,0)" in warp, "debugged.cu:%d" % call in warp], [True, True],
            "a step of a warp ends with that of the lanes whose turn it is")
    begin = ["break debugged.cu:%d if blockIdx.x == 0" % result, "continue", "delete"]
    one, block = said(begin + ["step", "step"])[4], said(begin + ["step block", "step block"])[4]
    tap.is_(["(warp 2," in one, "(warp 2," in block, "block (0,0,0)" in block], [True, False, True],
            "while a warp waits, a step of the block is another warp's")
    tap.is_(said(begin + ["stepi block 3", "print $count"])[4] != said(begin + ["stepi warp 30", "print $count"])[4], True,
            "a number may follow")


def places():
    """The address of an element, in a watch and in last-write."""
    text = said(["break debugged.cu:%d" % line_of("line of the result"), "continue", "last-write &sums[2]", "last-write shared:8",
                 "last-write &sums + 8", "last-write &sums[2] 5", "last-write &sums[2"])
    tap.is_(len({text[2], text[3], text[4]}) == 1 and "shared 0x8 was last written" in text[2], True, "an element of an array")
    tap.is_(["this is no address" in text[5], "] is missing" in text[6]], [True, True], "what is none is told")


def completion():
    """What ppu-dbg asks for when somebody presses Tab behind a command."""
    names = said(["names", "catch begin", "continue", "names"])
    tap.is_([names[0], {"bmixed", "bsteps", "bdebugged.cu:", "psums"} - set(names[3].split("\n"))], ["", set()],
            "functions, files and variables of the modules that are there")


def stops():
    text = said(["break debugged.cu:%d" % line_of("line of the result"), "continue", "print sums[0] + sums[1] + sums[2]", "continue",
                 "print blockIdx.x", "ignore 1 1", "continue", "print blockIdx.x", "delete", "break steps", "continue"])
    want = sum(9 * t + 4 if t % 3 == 0 else t + 100 if t % 3 == 1 else -t for t in range(THREADS))
    tap.is_("Breakpoint 1:\nkernel 1, block (0,0,0), thread (0,0,0)" in text[1], True, "a breakpoint by line stops, and says who")
    tap.is_(text[2], "%d\n" % want, "the block's sum is what the source says")
    tap.is_(len({text[4], text[7]}) == 2, True, "it stops in other blocks, too, and one may be ignored")
    tap.is_("Breakpoint" in text[-1], False, "a function that nobody calls any more does not stop")
    text = said(["break steps if threadIdx.x == 33 && blockIdx.x == 3", "continue", "where", "print threadIdx.x", "finish"])
    tap.is_(text[2].count("\n"), 2, "a function has its caller")
    tap.is_("steps(int, int)" in text[2] and "mixed(" in text[2], True, "and both have names")
    tap.is_(text[3], "33\n", "a condition chooses the thread")
    tap.is_("mixed(" in text[4], True, "finish leads to the caller")


def lanes():
    call, other = line_of("line of the call"), line_of("sums[t] = t + 100")
    text = said(["break debugged.cu:%d" % other, "continue", "info lanes", "info tokens", "info warps", "focus thread (0,0,0)",
                 "info barriers", "delete", "break debugged.cu:%d" % line_of("line of the sum"), "continue", "info lanes"])
    executing = sum(1 << t for t in range(32) if t % 3 == 1)
    tap.is_("* lanes 0x%08x, from thread (1,0,0) on: executes" % executing in text[2], True,
            "the lanes of one side of a branch execute")
    tap.is_("wait" in text[2] and "meet" in text[2] + text[3], True, "the others wait, and it is said why")
    tap.is_(call < other and "thread (0,0,0) (warp 0, lane 0, SM 0), waits" in text[5], True, "a lane that waits can be looked at")


def backward(options, what):
    """Steps forth and back again end at the same state; so do jumps."""
    prefix = ["interval 40", "break debugged.cu:%d if blockIdx.x == 3" % line_of("line of the result"), "continue", "info digest",
              "info position"]
    text = said(prefix + ["reverse-stepi 7", "stepi 7", "info digest", "reverse-stepi 40", "stepi 40", "info digest",
                          "reverse-step 3", "info position"], env=options)
    here, last = number(text[4], r"instruction (\d+)"), number(text[4], r"ends at instruction (\d+)")
    tap.is_(text[7] == text[3] and text[10] == text[3] and len(text[3]) == 17, True, what + ": back and forth is the same state")
    tap.is_(number(text[12], r"instruction (\d+)") < here, True, what + ": a line back is earlier")
    saves = number(text[4], r"(\d+) states? (?:is|are) saved")
    tap.is_(saves > 4 if options else saves >= 1, True, what + ": there are saved states")
    text = said(prefix + ["reverse-step", "reverse-step", "step", "step"], env=options)[len(prefix):]
    lines = [number(t, r"debugged\.cu:(\d+)") - line_of("if (t == 0)") for t in text]
    tap.is_(lines, [0, -2, 0, 1], what + ": lines back and forth are those of the source")
    places = [last, last + 1, here // 3, here // 2, here - 1, here // 5, here // 2, here // 3, last + 1, last, here - 1]
    commands = [c for n in places for c in ("goto %d" % n, "info digest", "info warps")]
    text = said(prefix + commands, env=options)[len(prefix):]
    seen, same = {}, True
    for i, n in enumerate(places):
        same &= seen.setdefault(n, text[3 * i + 1:3 * i + 3]) == text[3 * i + 1:3 * i + 3]
    tap.is_(same and len({v[0] for v in seen.values()}) == len(seen), True, what + ": the same moment is the same, others differ")


def writers():
    """The program's log says who wrote what, in which order."""
    out = alone()
    log, cells, base = values(out, "log"), values(out, "cells"), address(out, "log")
    cell, turn = address(out, "cell"), address(out, "turn")
    asked = ["last-write %#x" % (base + 4 * i) for i in range(len(log))]
    asked += ["last-write %#x" % (cell + 4 * b) for b in range(BLOCKS)] + ["last-write %#x" % turn, "last-write %#x" % (turn + 4)]
    commands = ["interval 40", "catch host", "continue", "info digest"]
    first, parts, status = run(commands + asked + ["info digest", "catch host", "continue"])
    text = [t for _, t in parts][len(commands):]
    who = [(int(m[1]), int(m[2])) if (m := re.search(r"written by kernel 1, block \((\d+),0,0\), thread \((\d+),0,0\)", t)) else None
           for t in text]
    tap.is_([b * THREADS + t for b, t in who[:len(log)]], log, "last-write knows who wrote each word of the log")
    order = {b: [n for n in log if n // THREADS == b][-1] for b in range(BLOCKS)}
    tap.is_([b * THREADS + t for b, t in who[len(log):len(log) + BLOCKS]], [order[b] for b in range(BLOCKS)],
            "and whose atomic operation was the last in each cell")
    tap.is_(cells, [order[b] for b in range(BLOCKS)], "as the program's own log says")
    tap.is_(who[len(log) + BLOCKS], divmod(log[-1], THREADS), "the last turn is that of the log's last thread")
    tap.is_("Nobody" in text[len(log) + BLOCKS + 1], True, "what nobody wrote is told")
    tap.is_(text[len(asked)], parts[3][1], "asking changes nothing")
    tap.is_(status == 0 and "out 16688 16688 16688 16688" in text[-1] + first + text[-2], True, "the program goes on as it would")
    text = said(["catch host", "continue", "last-write %#x" % (cell + 4)])
    at = number(text[2], r"instruction (\d+)")
    text = said(["catch host", "continue", "goto %d" % (at + 1), "print *%#x" % (cell + 4), "goto %d" % at, "print *%#x" % (cell + 4),
                 "stepi", "print *%#x" % (cell + 4)])
    tap.is_(text[3] == text[7] == "%d\n" % order[1] != text[5], True, "at the moment that it names the word gets its value")


def watching():
    out = alone()
    turn, log = address(out, "turn"), values(out, "log")
    text = said(["break mixed", "continue", "delete", "watch %#x" % turn] + ["continue"] * 30)
    hits = [t for t in text if re.search(r"Watchpoint \d+, .* -> ", t)]
    values_ = [number(t, "-> (0x[0-9a-f]*)") for t in hits]
    tap.is_(values_[-1] == len(log) and values_ == sorted(set(values_)), True, "a watchpoint stops at each change")
    text = said(["break mixed", "continue", "delete", "watch %#x" % turn, "continue", "continue", "continue", "reverse-continue",
                 "print *%#x" % turn, "reverse-continue", "print *%#x" % turn])
    tap.is_([int(text[8]), int(text[10])], [values_[1], values_[0]], "backward it stops before each change")


def faults():
    where = line_of("line of the fault")
    text = said(["continue", "print threadIdx.x", "info lanes", "reverse-stepi", "info position", "stepi"], "fault")
    tap.is_("Fault: " in text[0] and "debugged.cu:%d" % where in text[0] and "thread (37,0,0)" in text[0], True,
            "a fault stops at its line, with its thread")
    tap.is_(text[1], "37\n", "which is in focus")
    tap.is_("thread (37,0,0)" in text[3], True, "and can go back")
    tap.is_("Fault: " in text[5] and text[5].split("\n")[1:] == text[0].split("\n")[1:], True, "to the same fault again")


def limits():
    text = said(["reverse-stepi", "reverse-continue", "catch begin", "continue", "catch begin", "tbreak mixed", "continue",
                 "reverse-stepi", "reverse-continue", "goto 0", "frobnicate", "print nothing", "x/4xw 0x10", "break *", "step"])
    tap.is_("No thread is in focus" in text[0] and "No kernel has run" in text[1], True, "nothing is behind the beginning")
    tap.is_("There is nothing before that" in text[7] and "Nothing stops before that" in text[8], True,
            "there is no way back behind what the program did")
    tap.is_("There is no command" in text[10] and "no such name" in text[11] and "No memory" in text[12], True,
            "what is not there is told")
    text = said(["tbreak mixed", "continue", "stepi 3", "reverse-stepi"], options=("--forward-only",))
    tap.is_("forward-only" in text[3], True, "with --forward-only there is no way back")


def traces():
    """Whatever the user does, the device's trace is that of the program alone."""
    with tempfile.TemporaryDirectory() as d:
        a, b = os.path.join(d, "a"), os.path.join(d, "b")
        out = alone({"PPU_TRACE": a})
        run(["interval 40", "break debugged.cu:%d" % line_of("line of the result"), "continue", "reverse-continue", "reverse-stepi 9",
             "stepi 200", "reverse-step 4", "delete", "continue"], env={"PPU_TRACE": b})
        with open(a, "rb") as f, open(b, "rb") as g:
            tap.is_("out" in out and f.read() == g.read(), True, "the trace is that of the program alone")


def children():
    """Only one process is debugged, and the others do not notice."""
    with tempfile.TemporaryDirectory() as d:
        data = os.path.join(d, "data")
        _, parts, status = run(["continue"], "child", 'eval "exec $PPU_DEBUG>%s"; exec %s' % (data, PROGRAM))
        tap.is_(status == 0 and "out 16688" in parts[0][1], True, "a child with a file where the socket was runs without debugger")
        tap.is_(os.path.getsize(data), 0, "and nothing is written to its file")
    _, parts, status = run(["continue"], "child", 'exec "%s"' % PROGRAM)
    tap.is_(status == 0 and "out 16688" in parts[0][1], True, "so does a child without such a file")
    first, parts, status = run(["break mixed", "continue", "info kernels", "delete", "continue"], "fork")
    text = first + "".join(t for _, t in parts)
    tap.is_(status == 0 and text.count("out 16688") == 2 and "Breakpoint 1" in parts[1][1], True,
            "of two processes that open devices one is debugged")


def again():
    first, parts, status = run(["print 1", "interval 7", "continue", "print 2", "reverse-continue", "continue"], program=TWICE)
    text = [t for _, t in parts]
    tap.is_([text[0], text[3]] == ["1\n", "2\n"] and "No kernel has run" in text[4] and status == 0, True,
            "a device that is opened again is debugged again")
    tap.is_("twice" in first + "".join(text), True, "and the program comes to its end")


def gone_points():
    text = said(["break debugged.cu:%d" % line_of("line of the result"), "continue", "delete",
                 "break debugged.cu:%d" % line_of("line of the turn"), "continue 3", "info breakpoints"],
                env={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"})
    tap.is_("hit 1 time\n" in text[5], True, "continue N is not for a breakpoint that has been deleted")


def odd_values():
    for op in "u32(", "(", "s8(global:":
        first, parts, status = run(["print " + op * 50000 + "0", "print 5", "quit"])
        tap.is_(len(parts) == 3 and status == 0 and parts[1][1] == "5\n", True, "%s too often is told" % op)
    text = said(["break *-1", "break *1+", "info breakpoints"])
    tap.is_("no breakpoints" in text[2] and "0 or more" in text[0], True, "a negative pc is no place")
    text = said(["tbreak mixed", "continue"], env={"PPU_CHECK": "", "PPU_PROF": ""})
    tap.is_("kernel 1" in text[1], True, "an empty PPU_CHECK or PPU_PROF is none")


stops()
places()
whose_steps()
completion()
lanes()
backward({}, "one state saved")
backward({"PPU_PROPS": os.environ.get("PPU_PROPS", "") + ",window-ns=100"}, "many states saved")
backward({"PPU_PROPS": os.environ.get("PPU_PROPS", "") + ",window-ns=100,yield-every=3,store-delay-ns=50"}, "stores that wait")
writers()
watching()
faults()
limits()
traces()
children()
again()
gone_points()
odd_values()
sys.exit(bool(tap.failed))
