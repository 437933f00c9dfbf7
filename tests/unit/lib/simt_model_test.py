#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Divergence, event by event, against a second implementation (simt_model.py).

Lab 10's expected outputs were made with the device; here they are computed again without it. Then random programs,
with small queues and all properties of YIELD, run on the device's own unit in lab 10's `machine` and in the model."""

import glob
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import simt_model                                                       # noqa: E402

TOP = os.environ["PPU_TOP"]
BUILD = os.environ.get("BUILD", "build")
KERNELS = os.path.join(TOP, "tests/labs/lab10/kernels")
PROGRAMS = int(os.environ.get("PPU_MODEL_PROGRAMS", "400"))
PER_RUN = 50
SEED = int(os.environ.get("PPU_MODEL_SEED", "1"))

failures, number = 0, 0


def result(good, name, text=""):
    global failures, number                                             # pylint: disable=global-statement
    number += 1
    failures += not good
    print("%s %d - %s" % ("ok" if good else "not ok", number, name))
    for line in text.split("\n") if text and not good else []:
        print("# " + line)


def difference(want, got):
    """The first line that differs, with some lines before it."""
    a, b = want.split("\n"), got.split("\n")
    for i in range(max(len(a), len(b))):
        if a[i:i + 1] != b[i:i + 1]:
            return "\n".join(a[max(0, i - 5):i] + ["model:  " + "".join(a[i:i + 1]), "device: " + "".join(b[i:i + 1])])
    return ""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def test_expected():
    paths = sorted(glob.glob(KERNELS + "/*.ppuasm"))
    result(len(paths) >= 50, "there are %d kernels" % len(paths))
    for path in paths:
        diff = difference(simt_model.run(read(path)), read(path[:-7] + ".expect"))
        result(not diff, os.path.basename(path)[:-7], diff)


# ---- random programs

def guard(r):
    return r.choice(["", "", "@p1 ", "@!p1 ", "@p2 "])


def push(r, labels):
    return "%s%s %s" % (r.choice(["", "", "", "@p1 "]), r.choice(["ssy", "ssy", "pbrk", "pcnt"]), r.choice(labels))


def disable(r, labels):
    return "%s%s %s" % (guard(r), r.choice(["sync", "sync", "brk", "cont"]), r.choice(labels))


def predicate(r, _labels):
    n = r.randrange(1, 3)
    if r.randrange(3):
        return "setp.%s.u32 p%d, r2, %d" % (r.choice(["lt", "ge", "eq", "ne"]), n, r.randrange(32))
    return "and.u32 r7, r2, %d\n\tsetp.eq.u32 p%d, r7, 0" % (1 << r.randrange(4), n)


def switch(r, labels):
    """An indirect branch to one of the next three instructions, by lane."""
    at = r.choice([1, 2, 4])
    return "s2r r8, %%activemask\n\tand.u32 r7, r2, %d\n\tadd.u32 r7, r7, HERE\n\tbrx r7%s" % (
        at, "\n\tadd.u32 r3, r3, 1" * at)


def call(r, _labels):
    return "%scal r9, f" % r.choice(["", "", "@p1 "])


OPERATIONS = (
    [push] * 5 + [disable] * 5 + [predicate] * 4 + [switch, call] +
    [lambda r, labels: "%sbra %s" % (guard(r), r.choice(labels))] * 3 +
    [lambda r, labels: "%syield" % r.choice(["", "", "", "@p1 ", "@!p2 "])] * 3 +
    [lambda r, labels: "add.u32 r3, r3, %d" % r.randrange(1, 9)] * 3 +
    [lambda r, labels: "%sexit" % r.choice(["@p1 ", "@p2 "])] +
    [lambda r, labels: "pexit %s" % r.choice(labels)] +
    [lambda r, labels: "warpsync 0x%x" % (r.choice([0xffffffff, 0xff, 3]))])


def loop(r, body):
    """At most a few rounds, for each lane by itself."""
    return ["mov.u32 r6, 0", "loop:"] + body + [
        "add.u32 r6, r6, 1", "setp.lt.u32 p3, r6, %d" % r.randrange(2, 5), "@p3 bra loop"]


def program(r):
    """Branches lead forward, but for one loop with a bound: it ends, whatever its tokens do."""
    slots = r.randrange(8, 40)
    lines = [[] for _ in range(slots)]
    places = sorted(r.randrange(1, slots + 1) for _ in range(4))
    for i in range(slots):
        ahead = ["L%d" % k for k, p in enumerate(places) if p > i] + ["End"]
        lines[i].append(r.choice(OPERATIONS)(r, ahead))
    for k, p in enumerate(places):
        if p < slots:
            lines[p].insert(0, "L%d:" % k)
    if r.randrange(2):
        first = r.randrange(slots)
        last = r.randrange(first, min(first + 8, slots))
        body = [x for group in lines[first:last + 1] for x in group]
        lines[first:last + 1] = [loop(r, body)]
    tail = ["L%d:" % k for k, p in enumerate(places) if p == slots]
    head = ["s2r r2, %tid.x", "ld.param.u64 rd10, [0]", "madw.u32 rd4, r2, 4, rd10", "mov.u32 r3, 0",
            "setp.lt.u32 p1, r2, %d" % r.randrange(1, 32), "setp.eq.u32 p2, r2, %d" % r.randrange(32)]
    end = ["End:", "st.global.u32 [rd4], r3", "exit", "f:", "add.u32 r3, r3, 100", r.choice(["yield", "nop"]),
           "@p1 ret r9", "ret r9"]
    return directives(r) + place(head + [x for group in lines for x in group] + tail + end)


def directives(r):
    props = {"branch-first": r.randrange(2), "token-queue-entries": r.choice([4, 8, 16, 256]),
             "yield-every": r.choice([1, 1, 1, 2, 3]), "yield-merge": r.choice([1, 1, 0]),
             "token-queue-driver": r.choice([0, 0, 0, 1])}
    return "//! threads %d\n" % r.choice([1, 2, 5, 8, 31, 32]) + "".join("//! prop %s %d\n" % p for p in props.items())


def place(lines):
    """Labels before their instruction; HERE is the instruction behind the BRX that uses it."""
    out, pc = [], 0
    for line in "\n\t".join(lines).split("\n\t"):
        if not line.endswith(":"):
            line, pc = line.replace("HERE", str(pc + 2)), pc + 1
        out.append(line if line.endswith(":") else "\t" + line)
    return "\n".join(out) + "\n"


def link_machine(where):
    lib = os.path.join(BUILD, "lib")
    libs = [os.path.join(lib, f) for f in ("liblab10.a", "libppucore.a", "libppu.a", "libppucore.a")]
    machine = os.path.join(where, "machine")
    subprocess.run([os.environ.get("CC", "cc"), "-o", machine, "-Wl,--start-group"] + libs +
                   ["-Wl,--end-group", "-lm", "-lpthread"], check=True)
    return machine


def outputs(machine, paths):
    """What `machine` prints for each kernel: each ends with its `end` line."""
    done = subprocess.run([machine] + paths, capture_output=True, text=True, check=False)
    out, part = [], []
    for line in done.stdout.split("\n"):
        part.append(line)
        if line.startswith("end "):
            out.append("\n".join(part) + "\n")
            part = []
    if len(out) != len(paths):
        raise SystemExit("machine: %d of %d kernels\n%s" % (len(out), len(paths), done.stderr))
    return out


def test_random():
    ends, events = {}, 0
    with tempfile.TemporaryDirectory() as where:
        machine = link_machine(where)
        for start in range(0, PROGRAMS, PER_RUN):
            seeds = range(SEED * 1000000 + start, SEED * 1000000 + min(start + PER_RUN, PROGRAMS))
            texts = [program(random.Random(s)) for s in seeds]
            paths = [os.path.join(where, "%d.ppuasm" % s) for s in seeds]
            for path, text in zip(paths, texts):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            bad = ""
            for seed, text, got in zip(seeds, texts, outputs(machine, paths)):
                want = simt_model.run(text)
                kind = " ".join(want.split("\nend ")[1].split()[:2]).partition(" pc")[0]
                ends[kind] = ends.get(kind, 0) + 1
                events += want.count("\n")
                if want != got and not bad:
                    bad = "program %d\n%s\n%s" % (seed, text, difference(want, got))
            result(not bad, "random programs %d to %d" % (seeds[0], seeds[-1]), bad)
    print("# ends: %s; %d lines" % (ends, events))
    result(ends.get("done", 0) >= PROGRAMS // 4, "a quarter of the programs or more end well")


def main():
    test_expected()
    test_random()
    print("1..%d" % number)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
