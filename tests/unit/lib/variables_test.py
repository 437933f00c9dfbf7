#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""variables_test.py PPU-DBG PROGRAM SOURCE: what ppu-dbg says of the variables of variables.cu, compared with what C makes of
them.  PROGRAM-G is built with debug sections, PROGRAM-lineinfo without."""

import subprocess
import sys
import dap_client
import tap

TOOL, PROGRAM, SOURCE = sys.argv[1:]
PROMPT = "(ppu-dbg) "


def line_of(text):
    return dap_client.line_of(SOURCE, text)


def said(commands, how="-G"):
    p = subprocess.run([TOOL, "-batch", "-x", "/dev/stdin", PROGRAM + how], input="\n".join(commands + ["quit"]) + "\n", text=True,
                       capture_output=True, timeout=120, check=False)
    parts = ("\n" + p.stdout).split("\n" + PROMPT)[1:]
    return [(part + "\n").split("\n", 1)[1].rstrip("\n") for part in parts][:len(commands)]


def prints(before, wanted, name):
    """wanted: expression -> what is said, or a part of it after '...'."""
    text = said(before + ["print" + e if e[0] == "/" else "print " + e for e in wanted])[len(before):]
    for (e, want), got in zip(wanted.items(), text):
        if want.startswith("..."):
            tap.is_(want[3:] in got, True, name + ": " + e)
        else:
            tap.is_(got, want, name + ": " + e)


def at_end():
    """Each kind of type, at the last line of the kernel, of thread 2."""
    prints(["break variables.cu:%d" % line_of("the last line"), "continue", "focus thread (2,0,0)"], {
        "n": "3", "t": "2", "here.x": "5", "here.y[1]": "2.5", "here.y": "{1, 2.5, 6.5}", "here.next->y[2]": "6.5",
        "*here.next": "...{x = 5, y = {1, 2.5, 6.5}, next = 0x", "(*here.next).x + 1": "6", "&here": "...this is no expression",
        "colour": "GREEN", "colour + 1": "6", "many": "7", "yes": "true", "letter": "113 'q'", "half": "1.5", "half * 2": "3",
        "small": "-3", "/x small": "0xfffd", "grid": "{{0, 1, 2}, {3, 4, 5}}", "grid[1][2]": "5", "grid[0][t]": "2",
        "grid[1]": "...say all of its indices", "grid[1][3]": "...there is no such element", "sums": "{0, 10, 20, 30}",
        "sums[t] == 20 && t < n": "1", "total": "11", "given": "{x = 3, y = {4, 5, 6.5}, next = 0x0}", "given.y[2]": "6.5",
        "*out": "10", "out[0]": "10", "threadIdx.x": "2", "nothing": "...there is no such name", "n.x": "...this is no structure",
        "here.z": "...has no such member", "*n": "...this is no pointer", "n[0]": "...this is no array",
        "here": "...{x = 5", "here + 1": "...this is no number", "doubled": "...there is no such name",
    }, "at the end")


def in_order():
    """A function's breakpoint is behind its beginning: parameters are there.  Inner names hide outer ones."""
    text = said(["break outer", "continue", "print n", "break variables.cu:%d" % line_of("line of the inner n"), "continue", "print n",
                 "break inner", "continue", "print k", "print p->x", "step", "locals", "finish", "print k", "print t"])
    tap.is_(text[2], "3", "a parameter where its function begins")
    tap.is_(text[5], "100", "an inner variable hides it")
    tap.is_(text[8:10], ["5", "3"], "parameters of a function that is called")
    tap.is_(text[11].splitlines()[1:], ["k = 5  (int)", "doubled = 10  (int)"], "and its variable after a step")
    tap.is_("p = 0x" in text[11] and "(Point const *)" in text[11], True, "with types")
    tap.is_(["there is no such name" in text[13], text[14]], [True, "0"], "back in the caller its own are meant")


def breaks():
    """Variables in conditions, watchpoints and last-write."""
    text = said(["break variables.cu:%d if t == 2 && here.x > 4" % line_of("the last line"), "continue", "print t", "last-write &here.x",
                 "watch &grid[1][2]", "reverse-continue", "print i"])
    tap.is_(text[2], "2", "a condition with a variable and a member")
    tap.is_("variables.cu:%d" % line_of("here.x = n + t") in text[3] and "became 0x5" in text[3], True, "who wrote a member")
    tap.is_("variables.cu:%d" % line_of("grid[i / 3]") in text[5] and text[6] == "5", True, "a watchpoint of an element, backward")


def bit_fields():
    text = said(["break variables.cu:%d" % line_of("the last line"), "continue", "print flags", "print flags.middle * 2", "print/x flags.middle",
                 "print/x flags.wide", "print flags.last", "print flags.colour", "print flags.on", "last-write &flags.low", "watch &flags.low",
                 "print flags.low + flags.last"])
    tap.is_(text[2], "{low = 5, middle = -40, on = true, colour = GREEN, wide = 654820258320, last = 17 '\x11'}".replace(" '\x11'", ""),
            "a structure of bit fields")
    tap.is_(text[3:9], ["-80", "0x58", "0x9876543210", "17", "GREEN", "true"], "each of them")
    tap.is_([("a bit field has no address" in t) for t in text[9:11]] + text[11:], [True, True, "22"], "which have no address")


def dap():
    c = dap_client.Client([TOOL, "--dap"])
    c.body("initialize", clientID="test", adapterID="ppu")
    c.body("launch", program=PROGRAM + "-G", args=[])
    c.event("initialized")
    c.body("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": line_of("the last line")}])
    c.body("configurationDone")
    thread = c.event("stopped")["threadId"]
    frame = c.body("stackTrace", threadId=thread)["stackFrames"][0]["id"]
    ref = {s["name"]: s["variablesReference"] for s in c.body("scopes", frameId=frame)["scopes"]}["Locals"]
    v = {x["name"]: (x["value"], x["type"]) for x in c.body("variables", variablesReference=ref)["variables"]}
    tap.is_([v["half"], v["grid"], v["colour"], v["many"]], [("1.5", "double"), ("{{0, 1, 2}, {3, 4, 5}}", "int [2][3]"),
            ("GREEN", "Colour"), ("7", "Count")], "an editor gets the variables with types")
    tap.is_(c.body("evaluate", expression="here.next->y[1]", context="watch")["result"], "2.5", "and an expression of them")
    c.body("disconnect")
    c.process.wait()


def predicates():
    """A bool that the compiler keeps in a predicate: 1 for threads above 3, and then only for those above 20."""
    ask = [c for t in (2, 5, 25) for c in ("focus thread (%d,0,0)" % t, "print big")]
    text = said(["break k.cu:3", "continue", *ask, "break k.cu:4", "continue", *ask, "locals"], "-predicate")
    tap.is_([text[i] for i in (3, 5, 7)], ["false", "true", "true"], "a predicate is a variable")
    tap.is_([text[i] for i in (11, 13, 15)], ["false", "false", "true"], "also where an instruction writes its own guard")
    tap.is_("big = true  (bool)" in text[16], True, "and has its type")


def without():
    text = said(["break outer", "continue", "locals", "print n"], "-lineinfo")
    tap.is_(["-G" in text[2], "there is no such name" in text[3]], [True, True], "without debug sections it says so")
    alone = {how: subprocess.run([PROGRAM + how], text=True, capture_output=True, timeout=60, check=True).stdout
             for how in ("-G", "-lineinfo")}
    p = subprocess.run([TOOL, "-batch", "-ex", "continue", PROGRAM + "-G"], text=True, capture_output=True, timeout=60, check=True)
    tap.is_(alone["-G"] == alone["-lineinfo"] and alone["-G"] in p.stdout, True, "the program computes the same in all cases")


def main():
    for test in at_end, in_order, breaks, bit_fields, dap, predicates, without:
        test()
    return bool(tap.failed)


if __name__ == "__main__":
    sys.exit(main())
