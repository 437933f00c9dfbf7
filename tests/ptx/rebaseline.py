#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write tests/ptx/golden again: what build/unit/test_ptx_golden prints now.

    tests/ptx/rebaseline.py [--golden DIR] [BUILD]

Shows each changed file, and what the change means: of a listing, which instructions each kernel has more and fewer of,
and whether the kernel computes the same as before, with the same operands on the device; of messages, which are gone
and which are new. Then it asks. Nothing is written without a yes."""

import collections
import difflib
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
LIMIT_NS = "50000000"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def parts(listing):
    """The functions and kernels of a listing: name -> (header, lines)."""
    found, lines = {}, []
    for line in listing.splitlines():
        head = re.match(r"\.(?:kernel|func) (\S+) ?(.*)", line)
        if head:
            lines = []
            found[head[1]] = (head[2], lines)
        elif line.startswith("\t"):
            lines.append(line.strip())
    return found


def opcodes(lines):
    """How often each instruction is there; a guard counts, but not which one."""
    return collections.Counter(re.sub(r"^@!?p\d+ (\S+)", r"@\1", x).split()[0] for x in lines if not x.startswith("."))


def run(build, text, kernel, lines):
    """What a kernel of a listing leaves in its buffers."""
    sizes = [int(x.split()[2]) for x in lines if x.startswith(".param $")]
    args = ["buf:4096,rand=%d" % (i + 1) if size == 8 else "u32:7" for i, size in enumerate(sizes)]
    if any(size not in (4, 8) for size in sizes):
        return "parameters of a kind that is not tried"
    with tempfile.NamedTemporaryFile("w", suffix=".ppus") as f:
        f.write(text)
        f.flush()
        got = subprocess.run([build + "/bin/ppu-run", "--backend", "core", "--device-time-limit", LIMIT_NS, f.name, kernel,
                              "1", "32"] + args, capture_output=True, text=True, check=False)
    return "exit status %d\n%s" % (got.returncode, got.stdout)


def meaning_of_listing(build, old, new):
    """Sentences about the kernels and functions that are not the same in both."""
    was, now = parts(old), parts(new)
    for name in sorted(set(was) | set(now)):
        if name not in was or name not in now:
            yield "%s is %s" % (name, "new" if name in now else "gone")
            continue
        if was[name] == now[name]:
            continue
        a, b = opcodes(was[name][1]), opcodes(now[name][1])
        counts = ["%+d %s" % (b[x] - a[x], x) for x in sorted(set(a) | set(b)) if a[x] != b[x]]
        yield "%s: %s" % (name, ", ".join(counts) or "the same instructions, with other operands or in another order")
        if was[name][0] != now[name][0]:
            yield "%s: was %s, is %s" % (name, was[name][0], now[name][0])
        if ".kernel %s " % name in old and ".kernel %s " % name in new:
            before, after = (run(build, text, name, p[name][1]) for text, p in ((old, was), (new, now)))
            same = before == after
            yield "%s: computes %s" % (name, "the same (%s)" % before.split("\n", 1)[0] if same else "SOMETHING ELSE")
            if not same:
                yield from list(difflib.unified_diff(before.split("\n"), after.split("\n"), "before", "after", lineterm=""))[:12]


def meaning_of_lines(what, old, new):
    """How many lines of each kind are new and gone: messages, or operations of the IR."""
    a, b = collections.Counter(old.splitlines()), collections.Counter(new.splitlines())
    yield "%d %s new, %d gone" % (sum((b - a).values()), what, sum((a - b).values()))
    if not (a - b) and not (b - a):
        yield "the same %s in another order" % what


def meaning(build, name, old, new):
    if name.endswith(".s"):
        return meaning_of_listing(build, old, new)
    return meaning_of_lines("messages" if name.endswith(".txt") else "lines of the IR", old, new)


def main(argv):
    golden = TOP + "/tests/ptx/golden"
    if argv[:1] == ["--golden"]:
        golden, argv = argv[1], argv[2:]
    build = os.path.realpath(argv[0] if argv else os.environ.get("BUILD", TOP + "/build"))
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([build + "/unit/test_ptx_golden"], cwd=TOP, env=dict(os.environ, PPU_GOLDEN_OUT=out),
                       stdout=subprocess.DEVNULL, check=False)
        if not os.listdir(out):
            sys.exit("rebaseline: test_ptx_golden wrote nothing")
        for name in sorted(os.listdir(out)):
            path = os.path.join(golden, name)
            old, new = read(path) if os.path.exists(path) else "", read(os.path.join(out, name))
            if old == new:
                continue
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "old " + name,
                                                       "new " + name))
            print("\n%s means:" % name)
            for sentence in meaning(build, name, old, new):
                print("    " + sentence)
            if input("rebaseline: write %s? [y/N] " % name).strip().lower() == "y":
                with open(path, "w", encoding="utf-8") as f:
                    f.write(new)


if __name__ == "__main__":
    main(sys.argv[1:])
