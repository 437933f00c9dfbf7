#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ppu-trace --compare: made-up traces with the difference planted, and traces of the device that are the same work."""

import copy
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trace_file as tf                                                 # noqa: E402
from trace_file import Rec, VALUE                                       # noqa: E402
from trace_tool import BUILD, check, failed, run, same                  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
OP = {"ACQUIRE": 1, "RELEASE": 2, "INC": 3, "WFI": 5, "INTR": 8, "LAUNCH": 0x10, "COPY": 0x20, "FILL": 0x22, "NOP": 0}
S0, S1, SRC, DST = 0x200000000010, 0x200000000020, 0x300000000000, 0x400000000000
TASK = 0x100000001


def cmd(t, ch, op, operand0=0, operand1=0, get=0):
    return Rec(t, "CMD", ch, get, OP[op], operand0, operand1)


def write(t, ch, addr, old, new, op="RELEASE", get=0):
    return [Rec(t, "SEM_WRITE", ch, 0, addr, old, new), cmd(t, ch, op, addr, new if op == "RELEASE" else 0, get)]


def work():
    """Channel 1 copies and releases S0; channel 3 waits for it, launches a task, and counts in S1."""
    return [
        Rec(1000, "RESET"), Rec(1000, "CH_ENABLE", 1, 2, 0x1000, 64, 0x2000),
        Rec(1000, "CH_ENABLE", 3, 1, 0x1000, 64, 0x2000),
        Rec(1100, "DOORBELL", 1, 2), Rec(1200, "ENTRY", 1, 0, 0x3000, 12),
        cmd(1300, 1, "COPY", SRC, DST), Rec(1300, "CE_START", 0, 1, 0, 4096, DST),
        Rec(1900, "CE_DONE", 0, 1, 0, 4096), *write(2000, 1, S0, 0, 1), Rec(2100, "GET", 1, 1),
        Rec(2150, "ENTRY", 1, 1, 0x3100, 12), cmd(2200, 1, "COPY", SRC + 4096, DST + 4096, 1),
        Rec(2200, "CE_START", 0, 1, 1, 4096, DST + 4096), Rec(2900, "CE_DONE", 0, 1, 1, 4096),
        *write(3000, 1, S0, 1, 2, get=1), Rec(3020, "GET", 1, 2), Rec(3020, "EMPTY", 1, 2),
        Rec(3100, "ENTRY", 3, 0, 0x3200, 20), cmd(3200, 3, "ACQUIRE", S0, 2),
        Rec(3300, "TASK_ACCEPT", 3, 1, 0x7000, TASK, 1), cmd(3300, 3, "LAUNCH", 0x7000),
        Rec(3400, "TASK_PEND", 0xffff, 0, 0x7000, TASK), Rec(3400, "TASK_SCHED", 0, 1, 0x7000, TASK, 1),
        Rec(3500, "CTA_START", 0, 0, TASK, 0, 2), Rec(3500, "WARP_START", 0, 0 << 24, 0xffffffff, 0),
        Rec(3500, "WARP_START", 0, 1 << 24, 0xff, 0), Rec(3510, "CTA_START", 1, 1, TASK, 0, 2),
        Rec(3600, "DIV_BRANCH", 0, 1 << 24 | 5, 9, 0xff, 0xf), Rec(4000, "CTA_DONE", 1, 1, TASK, 0),
        Rec(4100, "CTA_DONE", 0, 0, TASK, 0), Rec(4200, "TASK_DONE", 0, 1, 0x7000, TASK),
        *write(4300, 3, S1, 0, 1, "INC"), cmd(4400, 3, "INTR", 7), Rec(4420, "INTR", 3, 1), Rec(4450, "GET", 3, 1),
    ]


def elsewhere(recs):
    """The same work on another machine: later, slower, other addresses, slots, numbers of tasks and copies, doorbells."""
    out = []
    for r in copy.deepcopy(recs):
        r.time = 700000 + 3 * r.time
        addresses = {"CH_ENABLE": "bd", "ENTRY": "b", "SEM_WRITE": "b", "CMD": "cd", "CE_START": "d", "BLOCK": "b",
                     "UNBLOCK": "b", "TASK_ACCEPT": "b", "FAULT": "b", "CH_ERROR": "c"}.get(r.name, "")
        for name in addresses:
            if getattr(r, name) >= 0x1000:
                setattr(r, name, getattr(r, name) ^ 0x50000000)
        if r.name in ("CE_START", "CE_DONE"):
            r.unit, r.b = 1, r.b + 9
        if r.name.startswith("TASK_"):
            r.c += 1 << 32
        if r.name in ("CTA_START", "CTA_DONE"):
            r.unit, r.b, r.c = 1 - r.unit, r.b + (1 << 32), r.c + 4
        if r.name in ("WARP_START", "DIV_BRANCH"):
            r.unit, r.a = 1 - r.unit, r.a + (4 << 24)
        if r.name in ("ENTRY", "GET", "CMD"):
            r.a += 5
        if r.name == "ENTRY":
            out.append(Rec(r.time, "DOORBELL", r.unit, r.a))
        if r.name == "CMD" and r.b == OP["ACQUIRE"]:
            out += [Rec(r.time - 2, "BLOCK", r.unit, 0, r.c, 2), Rec(r.time - 1, "UNBLOCK", r.unit, 0, r.c, 2)]
        out.append(r)
    return out


class Pair:
    def __init__(self, tmp):
        self.paths = [os.path.join(tmp, n) for n in ("reference", "run")]

    def compare(self, ref, recs, *options):
        for path, what in zip(self.paths, (ref, recs)):
            tf.write(path, what)
        return run("--compare", self.paths[0], *options, self.paths[1])

    def is_same(self, name, ref, recs, *options):
        out = self.compare(ref, recs, *options)
        check(out.returncode == 0 and out.stdout.startswith("no difference: ") and not out.stderr, "same: " + name,
              "%d %s%s" % (out.returncode, out.stdout, out.stderr))

    def differs(self, name, ref, recs, says, *options):
        out = self.compare(ref, recs, *options)
        check(out.returncode == 1 and len(out.stdout.splitlines()) == 1 and re.search(says, out.stdout),
              "different: " + name, "%d %s%s\nwant %s" % (out.returncode, out.stdout, out.stderr, says))


def find(recs, name, n=0, **args):
    return [r for r in recs if r.name == name and all(getattr(r, k) == v for k, v in args.items())][n]


def changed(change):
    recs = elsewhere(work())
    change(recs)
    return recs


def planted():
    """name, change of the run, what the sentence says. Times in it are those of the run: 700000 + 3 * t."""
    def put(name, n, field, value, **args):
        return lambda recs: setattr(find(recs, name, n, **args), field, value)

    def drop(name, n=0, **args):
        return lambda recs: recs.remove(find(recs, name, n, **args))

    def other_command(recs):
        r = find(recs, "CMD", 1, b=OP["COPY"])
        r.b = OP["FILL"]

    def alias(recs):
        find(recs, "CMD", 1, b=OP["COPY"]).d = find(recs, "CMD", 0, b=OP["COPY"]).d

    def fresh(recs):
        find(recs, "CMD", 1, b=OP["RELEASE"]).c = find(recs, "SEM_WRITE", 1).b = 0x999990

    def cut_off(recs):
        at = recs.index(find(recs, "CMD", 1, b=OP["COPY"]))
        recs[:] = [r for r in recs[:at]]

    def swapped(recs):
        """Both channels write S1: the final value is the same, but the order of the writes is not."""
        a, b = [i for i, r in enumerate(recs) if r.name == "SEM_WRITE"][:2]
        recs[a].d, recs[b].c = 5, 5

    return [
        ("a command", other_command,
         r"^channel 1: after ENTRY 6 the reference executes COPY, this run executes FILL \(at 706600 ns\)$"),
        ("a value", put("CMD", 1, "d", 9, b=OP["RELEASE"]),
         r"^channel 1: after COPY 0x\w+, 0x\w+ at entry 6 the reference executes SEM_RELEASE 0x\w+, 2, this run "
         r"executes SEM_RELEASE 0x\w+, 9 \(at 709000 ns\)$"),
        ("a late command", put("CMD", 0, "b", OP["WFI"], b=OP["INTR"]),
         r"^channel 3: after SEM_INC .* executes INTR, this run executes WFI "),
        ("an address used twice", alias,
         r"executes COPY 0x300000001000, 0x400000001000, this run .*; that address of this run "
         r"was 0x400000000000 in the reference so far$"),
        ("another word", fresh,
         r"^channel 1: .*; that address of the reference was 0x200050000010 in this run so far$"),
        ("address 0", put("CMD", 0, "c", 0, b=OP["LAUNCH"]), r"executes LAUNCH 0x7000, this run executes LAUNCH 0x0 "),
        ("a missing command", drop("CMD", 0, b=OP["ACQUIRE"]),
         r"^channel 3: after ENTRY 5 the reference executes SEM_ACQUIRE, this run executes LAUNCH "),
        ("a missing end", drop("GET", 2),
         r"^channel 3: after INTR at entry 5 the reference completes the entry, this run does "
         r"nothing more \(it ends at 713200 ns\)$"),
        ("an additional command", lambda recs: recs.append(cmd(1000000, 3, "INTR", 1)),
         r"^channel 3: after GET 6 the reference does nothing more, this run executes INTR \(at 1000000 ns\)$"),
        ("another channel", lambda recs: recs.append(cmd(1000000, 4, "INTR", 1)),
         r"^channel 4: to begin with, the reference does nothing, this run executes INTR "),
        ("a channel that stops", cut_off,
         r"^channel 1: after ENTRY 6 the reference executes COPY, this run does nothing more"),
        ("the length of a copy", put("CE_START", 1, "c", 4000),
         r"^copies of channel 1: after CE_DONE \(bytes=4096\) the reference "
         r"starts a copy \(bytes=4096, dst=0x\w+\), this run starts a copy \(bytes=4000, "),
        ("a copy that is aborted", put("CE_DONE", 1, "event", tf.EVENT["CE_ABORT"]),
         r"finishes the copy, this run aborts the copy"),
        ("the values of a semaphore", swapped,
         r"^semaphore 0x200050000010: to begin with, the reference changes it from 0 to 1, "
         r"this run changes it from 0 to 5 "),
        ("a task's priority", put("TASK_ACCEPT", 0, "a", 0),
         r"^task 0 of channel 3: .* accepts it \(priority=1, .* \(priority=0, "),
        ("a task that is aborted", put("TASK_DONE", 0, "event", tf.EVENT["TASK_ABORT"]),
         r"completes it, this run aborts it"),
        ("a block without end", drop("CTA_DONE", 0),
         r"^task 0 of channel 3, block 1: after CTA_START .* the reference completes it, "
         r"this run does nothing more"),
        ("a warp's lanes", put("DIV_BRANCH", 0, "d", 0xe),
         r"^task 0 of channel 3, block 0, warp 1: after WARP_START .* has DIV_BRANCH "),
        ("a fault", lambda recs: recs.insert(-1, Rec(713210, "FAULT", 0, 3, 0x5000, 3)),
         r"^channel 3: after INTR at entry 5 the reference completes the entry, this run has a fault "),
        ("the class", put("CH_ENABLE", 1, "a", 2),
         r"^channel 3: to begin with, the reference enables the channel \(class=compute\), "
         r"this run enables the channel \(class=copy\) "),
    ]


def plan(wanted):
    return [change for name, change, _ in planted() if name == wanted][0]


def test_made(tmp):
    p = Pair(tmp)
    p.is_same("a trace and itself", work(), work())
    p.is_same("elsewhere", work(), elsewhere(work()))
    p.is_same("and the other way round", elsewhere(work()), work())
    p.is_same("nothing", [], [])
    for name, change, says in planted():
        p.differs(name, work(), changed(change), says)
    # The first of several differences, by the reference's time.
    late, early = plan("a late command"), plan("a command")
    p.differs("the first of two", work(), changed(lambda recs: (late(recs), early(recs))), "^channel 1: ")
    # Work that only the run does counts from the time at which it is done.
    p.differs("what the run has more, early", work(), changed(lambda recs: (
        late(recs), recs.insert(9, cmd(704000, 4, "INTR", 1)))), "^channel 4: ")
    p.differs("what the run has more, late", work(), changed(lambda recs: (
        late(recs), recs.append(cmd(1000000, 4, "INTR", 1)))), "^channel 3: ")
    # Entry numbers, NOPs and what a waiter saw do not matter.
    p.is_same("cookies", work(), changed(lambda recs: setattr(find(recs, "CMD", b=OP["INTR"]), "c", 8)))
    p.is_same("NOPs", work(), changed(lambda recs: recs.insert(6, cmd(704000, 1, "NOP", 5))))
    p.is_same("stores that are no command", work(), changed(lambda recs: recs.insert(
        6, Rec(704000, "SEM_WRITE", 0, VALUE["PPU_TRW_SM"], S0 ^ 0x50000000, 0, 77))))
    # Two contexts use one address: they may have two in the other trace.
    ref = work()
    find(ref, "CH_ENABLE", 1).d = 0x9000
    ref += write(5000, 3, DST, 0, 1, "INC")
    other = work()
    find(other, "CH_ENABLE", 1).d = 0x9000
    other += write(5000, 3, DST + 64, 0, 1, "INC")
    p.is_same("one address in two contexts", ref, other)
    p.differs("one address in one context", work() + write(5000, 3, DST, 0, 1, "INC"),
              work() + write(5000, 3, DST + 64, 0, 1, "INC"), "^channel 3: .*INC")


def test_choice(tmp):
    p = Pair(tmp)
    bells = changed(lambda recs: recs.remove(find(recs, "DOORBELL")))
    p.is_same("doorbells", work(), bells)
    p.differs("doorbells that matter", work(), work()[:3] + work()[4:], "^channel 1: .*rings the doorbell", "--ignore",
              "default,-DOORBELL")
    p.differs("all events matter", work(), work()[1:], "^device: .*resets the device", "--ignore", "none")
    no_get = changed(lambda recs: recs.remove(find(recs, "GET", 2)))
    p.is_same("ignored by name", work(), no_get, "--ignore", "default,GET")
    value = changed(plan("a value"))
    p.is_same("a channel that was not asked for", work(), value, "--lanes", "channel:3,task,sm")
    lanes = changed(plan("a warp's lanes"))
    p.differs("divergence matters", work(), lanes, "warp 1", "--ignore", "default,CTA_*")
    p.is_same("ignored by pattern", work(), lanes, "--ignore", "default,DIV_*")
    swapped = changed(plan("the values of a semaphore"))
    p.differs("only semaphores", work(), swapped, "^semaphore 0x200050000010: ", "--lanes", "sem")
    p.is_same("only semaphores that are the same", work(), elsewhere(work()), "--lanes", "sem")
    for options, says in ((["--ignore", "FOO"], '"FOO" is no event'), (["--ignore", "default,"], "is no event"),
                          (["--from", "1"], "whole traces"), (["--json", "-"], "whole traces")):
        out = p.compare(work(), work(), *options)
        check(out.returncode == 2 and says in out.stderr, "usage: " + " ".join(options), out.stderr)
    out = run("--ignore", "GET", p.paths[0])
    check(out.returncode == 2 and "--compare" in out.stderr, "usage: --ignore alone", out.stderr)
    out = run("--compare", os.path.join(tmp, "nothing"), p.paths[0])
    check(out.returncode == 2 and "No such file" in out.stderr, "usage: no such reference", out.stderr)
    with open(p.paths[0], "wb") as f:
        f.write(tf.header()[:20])
    out = run("--compare", *p.paths)
    check(out.returncode == 3 and p.paths[0] in out.stderr, "damaged reference: 3", out.stderr)


class Both:
    """The picture of a comparison."""

    def __init__(self, tmp, ref, recs, *options):
        self.path = os.path.join(tmp, "both.svg")
        out = Pair(tmp).compare(ref, recs, "--svg", self.path, *options)
        self.status = out.returncode
        with open(self.path, encoding="utf-8") as f:
            self.text = f.read()
        self.side = {g.get("data-side"): g for g in ET.fromstring(self.text).iter(SVG + "g") if g.get("data-side")}
        self.mark = {g.get("data-mark"): g for s in self.side.values() for g in s.iter(SVG + "g") if g.get("data-mark")}

    def lanes(self, side):
        return [g.get("data-lane") for g in self.side[side].iter(SVG + "g") if g.get("data-lane")]

    def mark_x(self, side):
        return float(re.match(r"M([0-9.]+)", self.mark[side].find(SVG + "path").get("d")).group(1))

    def bars(self, side, lane):
        g = [g for g in self.side[side].iter(SVG + "g") if g.get("data-lane") == lane][0]
        return [(float(r.get("x")), float(r.get("width"))) for r in g.iter(SVG + "rect")]

    def cut_elements(self, side):
        return [e for e in self.side[side].iter(SVG + "path") if e.get("class") == "cu"]

    def cuts(self, side):
        return [e.find(SVG + "title").text for e in self.cut_elements(side)]

    def cut_paths(self, side):
        return [e.get("d") for e in self.cut_elements(side)]


def test_picture(tmp):
    change = plan("a command")
    b = Both(tmp, work(), changed(change), "--title", "a < b")
    same("picture: status", b.status, 1)
    check(re.search("class=\"ti\"[^>]*>a &lt; b<", b.text), "picture: title")
    same("picture: both sides", list(b.side), ["reference", "run"])
    same("picture: marks in both", sorted(b.mark), ["reference", "run"])
    labels = ["".join(b.mark[s].find(SVG + "text").itertext()) for s in ("reference", "run")]
    check("channel 1: the reference executes COPY" in labels[0] and "channel 1: this run executes FILL" in labels[1],
          "picture: marks say what differs", labels)
    kinds = [[re.sub("[0-9]{4,}|engine:.", "", lane) for lane in b.lanes(side)] for side in ("reference", "run")]
    check(kinds[0] == kinds[1] and len(kinds[0]) == 9, "picture: same lanes", kinds)
    # The mark is where the second copy begins, and the run is three times as slow on the same scale.
    (x0, w0), (x1, w1) = b.bars("reference", "engine:0")[1], b.bars("run", "engine:1")[1]
    check(abs(b.mark_x("reference") - x0) < 0.3 and abs(b.mark_x("run") - x1) < 0.3, "picture: marks are in place",
          (b.mark_x("reference"), x0, b.mark_x("run"), x1))
    check(abs(w1 - 3 * w0) < 0.5, "picture: one scale", (w0, w1))
    same("picture: nothing is cut", (b.cuts("reference"), b.cuts("run")), ([], []))
    # Long idle times are cut, work and short pauses are not.
    idle = [copy.copy(r) for r in work()]
    for r in idle:
        r.time += 5000000 if r.time >= 3100 else 0
        r.time += 5000000 if r.time > 5004200 else 0
    b = Both(tmp, idle, work())
    same("picture: idle time is cut", (b.status, b.cuts("run")), (0, []))
    same("picture: as often as there are such times", len(b.cuts("reference")), 2)
    wide = b.bars("reference", "engine:0")[0][1]
    check(wide > 40, "picture: work is seen though the trace is long", wide)
    check("first difference" not in b.text and not b.mark, "picture: no mark without a difference")
    # Few cuts go through all lanes. Many would hide what is in the lanes: they are marks at the axis.
    few = sum(d.count("l-6 4") for d in b.cut_paths("reference"))
    check(few > 10 * len(b.cuts("reference")), "picture: a cut goes through all lanes", few)
    busy = [r for i in range(400) for r in write(1000 + 9000 * (i // 2) + 1500 * (i % 2), 1, S0, i, i + 1)]
    b = Both(tmp, busy, busy)
    marks = b.cuts("run")
    pieces = sum(int(m.group(1)) if m else 1 for m in (re.search(r"in (\d+) pieces", text) for text in marks))
    check(20 < len(marks) <= 183 and pieces == 199, "picture: many cuts are marks that do not touch", (len(marks), pieces))
    check(all(d.count("l-6 4") == 1 for d in b.cut_paths("run")), "picture: and they are short")
    # A long trace is shown around the difference.
    many = [r for i in range(500) for r in write(1000 + 100 * i, 1, S0, i, i + 1)]
    wrong = copy.deepcopy(many)
    wrong[801].d = 7
    b = Both(tmp, many, wrong)
    check("around the first difference: records 681 to 861 of 1000" in b.text, "picture: part of a long trace",
          b.text[:2000])
    # A side that does nothing more, or nothing at all, is marked, too.
    b = Both(tmp, work(), [])
    same("picture: an empty run", (b.status, sorted(b.mark)), (1, ["reference", "run"]))
    label = "".join(b.mark["run"].find(SVG + "text").itertext())
    check("this run does nothing" in label, "picture: and it says so", label)


def test_nonsense(tmp):
    """Records that make no sense cause no crash, and a trace always equals itself."""
    p, bad = Pair(tmp), []
    for seed in range(60):
        rng = random.Random(seed)
        recs = work()
        for _ in range(rng.randrange(1, 40)):
            r = rng.choice(recs)
            field = rng.choice(("time", "event", "unit", "a", "b", "c", "d"))
            setattr(r, field, {"event": rng.choice(list(tf.NAME)), "unit": rng.choice((0, 1, 65535)),
                               "a": rng.choice((0, 1, 1 << 24, 0xffffffff))}.get(
                                   field, rng.choice((0, 1, 9000, 1 << 52, (1 << 64) - 1))))
        out = p.compare(recs, recs, "--ignore", "none", "--svg", os.path.join(tmp, "x.svg"))
        if out.returncode:
            bad.append("seed %d: %d %s%s" % (seed, out.returncode, out.stdout, out.stderr))
        out = p.compare(work(), recs, "--svg", "-", "--arrows")
        try:
            ET.fromstring(out.stdout)
        except ET.ParseError as err:
            bad.append("seed %d: %s" % (seed, err))
        if out.returncode not in (0, 1):
            bad.append("seed %d: %d %s" % (seed, out.returncode, out.stderr))
    check(not bad, "nonsense: 60 traces", "\n".join(bad))


def device_trace(tmp, name, sample, props):
    path = os.path.join(tmp, name)
    env = dict(os.environ, PPU_BACKEND="core", PPU_TRACE=path, PPU_PROPS=props)
    out = subprocess.run([os.path.join(BUILD, "bin", sample)], env=env, cwd=tmp, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=200, check=False)
    check(out.returncode == 0, name + ": runs", out.stdout + out.stderr)
    return path


def test_device(tmp):
    """The same program with other time slices; then one record of it left out."""
    ref = device_trace(tmp, "one", "sample-copy-priority", "copy-engines=1")
    out = run("--compare", ref, device_trace(tmp, "two", "sample-copy-priority", "copy-engines=1 timeslice=20000"))
    check(out.returncode == 0, "device: the length of time slices does not matter", out.stdout)
    recs, rng, missed = tf.read(ref), random.Random(1), []
    path = os.path.join(tmp, "mutant")
    places = [i for i, r in enumerate(recs) if r.name in ("CMD", "CE_START", "SEM_WRITE", "GET")]
    for i in rng.sample(places, 12):
        mutant = recs[:i] + recs[i + 1:]
        tf.write(path, mutant)
        out = run("--compare", ref, path)
        if out.returncode != 1:
            missed.append("record %d, %s at %d ns" % (i, recs[i].name, recs[i].time))
    check(not missed, "device: every record left out is noticed", "\n".join(missed))


def main():
    with tempfile.TemporaryDirectory(prefix="ppu-compare-") as tmp:
        for test in (test_made, test_choice, test_picture, test_nonsense, test_device):
            test(tmp)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
