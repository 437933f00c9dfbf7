# SPDX-License-Identifier: MIT
"""The kernels of lab 10: what they should do, and sentences about what they did."""

import os
import re

from ppulab import child

HERE = os.path.dirname(os.path.realpath(__file__))
KERNELS = os.path.join(HERE, "kernels")
LIMIT_US = 100


def names():
    return sorted(f[:-7] for f in os.listdir(KERNELS) if f.endswith(".ppuasm"))


def pack():
    """{path in the guest: path below the source tree}"""
    return {"/lab/kernels/%s.ppuasm" % n: "tests/labs/lab10/kernels/%s.ppuasm" % n for n in names()}


def read(name):
    with open(os.path.join(KERNELS, name), encoding="utf-8") as f:
        return f.read()


class Output:
    """What `machine` printed for one kernel."""

    def __init__(self, lines):
        self.events, self.words, self.counters, self.end = [], {}, {}, ""
        self.num_events = 0
        for line in lines:
            line = " ".join(line.split())
            m = re.match(r"words (\d+): (.*)", line)
            if m:
                first = int(m.group(1))
                self.words.update((first + i, int(w)) for i, w in enumerate(m.group(2).split()))
            elif re.match(r"\d+: ", line):
                pc, _, text = line.partition(": ")
                self.events.append((int(pc), text))
            elif line.startswith("events "):
                self.num_events = int(line.split()[1])
            elif line.startswith("counters "):
                self.counters = dict(w.split("=") for w in line.split()[1:])
            elif line.startswith("end "):
                self.end = line[4:]     # the last "end" line: how the process ended comes after what it said itself


class Kernel:
    """code: pc -> text of the instruction; expect: an Output; result(lane)"""

    def __init__(self, name):
        self.name = name
        text = read(name + ".ppuasm")
        m = re.search(r"^//! result (.*)$", text, re.M)
        self.formula = m.group(1) if m else None
        self.code = []
        for line in text.split("\n"):
            line = re.sub(r"^\s*\w+:", "", line.partition("//")[0]).strip()
            if line:
                self.code.append(" ".join(line.split()))
        self._expect = None

    @property
    def expect(self):
        if self._expect is None:
            self._expect = Output(read(self.name + ".expect").split("\n"))
        return self._expect

    def result(self, lane):
        """What this lane leaves if it runs alone. eval() is safe: the formula is the grader's own."""
        names = {"t": lane, "max": max, "min": min, "sum": sum, "range": range}
        return eval(self.formula, names)        # pylint: disable=eval-used

    def at(self, pc):
        """`sync L` (pc 9)"""
        return "`%s` (pc %d)" % (self.code[pc], pc) if pc < len(self.code) else "pc %d" % pc


def pc_of(end):
    m = re.search(r"pc=(\d+)", end)
    return int(m.group(1)) if m else None


def bad_end(what, end, at=lambda pc: "pc %d" % pc):
    """A sentence if the end is one that no kernel should have; otherwise None."""
    kind, _, rest = end.partition(" ")
    pc = pc_of(end)
    where = " at " + at(pc) if pc is not None else ""
    if kind == "todo":
        return "Not written yet: %s() in %s." % (rest.split()[1], rest.split()[0])
    if kind == "stuck":
        return "%s: your unit is in an endless loop%s." % (what, where)
    if kind == "crash":
        return "%s: your unit dies of %s%s." % (what, rest.split()[0] if rest else "a signal", where)
    if kind == "hang":
        return "%s: nothing came back in time." % what
    if kind == "skipped":
        return "Not tried: two others never came back."
    if kind in ("", "refused", "stopped"):
        return "%s: the program ended before it was done." % what
    return None


def difference(kernel, got):
    """The first event that is not as it should be, as a sentence; None if all are right."""
    want = kernel.expect
    for i in range(max(len(want.events), len(got.events))):
        w = want.events[i] if i < len(want.events) else None
        g = got.events[i] if i < len(got.events) else None
        if w == g:
            continue
        if g is None:
            return "event %d, %s at %s, is missing" % (i + 1, quoted(w), kernel.at(w[0]))
        if w is None:
            return "event %d, %s at %s, is one too many" % (i + 1, quoted(g), kernel.at(g[0]))
        if g[0] == w[0]:
            return "event %d, at %s, is %s, it should be %s" % (i + 1, kernel.at(g[0]), quoted(g), quoted(w))
        return "event %d is %s at %s, it should be %s at %s" % (
            i + 1, quoted(g), kernel.at(g[0]), quoted(w), kernel.at(w[0]))
    if want.num_events != got.num_events:
        return "there are %d events, it should be %d" % (got.num_events, want.num_events)
    return None


def quoted(event):
    return '"%s"' % event[1]


def end_sentence(kernel, got):
    """A sentence if the kernel ends in another way than it should; otherwise None."""
    name, want = "Kernel " + kernel.name, kernel.expect.end
    if got.end == want:
        return None
    kind, _, rest = got.end.partition(" ")
    if kind == "time":
        m = re.search(r"active=(\w+) live=(\w+) tokens=(\d+)", rest)
        return "%s never ends: lanes %s are left, %s active at %s, %s tokens in the queue" % (
            name, m.group(2), m.group(1), kernel.at(pc_of(rest)), m.group(3))
    if want == "done":
        return "%s: the device stops it with the fault %s at %s, but nothing is wrong with it" % (
            name, rest.split()[0], kernel.at(pc_of(rest)))
    expected = "the fault %s at %s" % (want.split()[1], kernel.at(pc_of(want)))
    if kind == "done":
        return "%s ends as if nothing had happened, it should be %s" % (name, expected)
    return "%s: it should be %s, and it is %s at %s" % (name, expected, rest.split()[0], kernel.at(pc_of(rest)))


def result_sentence(kernel, got):
    """A sentence if a lane leaves something else than it does alone; otherwise None."""
    if kernel.formula is None:
        return None
    for lane in sorted(kernel.expect.words):
        want = kernel.result(lane) & 0xffffffff
        if got.words.get(lane) != want:
            return "Kernel %s: %s %d is %s, it should be %d" % (
                kernel.name, "the result of lane" if len(kernel.expect.words) > 2 else "word", lane,
                got.words.get(lane, "missing"), want)
    return None


def sentence(r, name):
    """What is wrong with a kernel's run, as a sentence; None: nothing."""
    kernel = Kernel(name)
    got = Output(child.lines(r, "kernel." + name))
    out = bad_end("Kernel " + name, got.end, kernel.at)
    if out:
        return out
    out = end_sentence(kernel, got) or result_sentence(kernel, got)
    diff = difference(kernel, got)
    if out:
        return out + (". First difference: %s." % diff if diff else ".")
    if diff:
        return "Kernel %s: the results are right, but %s." % (name, diff)
    for counter, want in kernel.expect.counters.items():
        if got.counters.get(counter) != want:
            return "Kernel %s: the counter of %s is %s, it should be %s." % (
                name, {"divergent": "divergent branches", "yields": "YIELDs that switched",
                       "recentres": "recentrings"}[counter], got.counters.get(counter), want)
    return None


def queue_sentence(r, group):
    """What is wrong with the test of the queue alone, as a sentence; None: nothing."""
    got = Output(child.lines(r, "queue." + group))
    if got.end == "done":
        return None
    if got.end.startswith("wrong "):
        text = got.end[6:]
        return "Queue: %s." % text
    return bad_end("Queue, group " + group, got.end) or "Queue, group %s: %s." % (group, got.end)


FAULTS = {}


def fault_name(code):
    """The name of a PPU_ERR_* number, from the header."""
    if not FAULTS:
        with open(os.path.join(HERE, "../../../include/hw/ppu_fault.h"), encoding="utf-8") as f:
            FAULTS.update((int(n), name) for name, n in re.findall(r"^E\((\w+),\s*(\d+),", f.read(), re.M))
    return FAULTS.get(code, str(code))


def random_reason(why):
    words = why.split()
    if words[0] == "fault":
        return "the device stops it with the fault %s" % fault_name(int(words[1]))
    if words[0] == "time":
        return "it never ends"
    if words[0] == "lane" and words[2].startswith("end"):
        return "thread %s came to the end %s times, it should be %s" % (words[1], words[3], words[4])
    if words[0] == "lane":
        return "thread %s has %s = %s, by itself %s" % (words[1], words[2], words[3], words[4])
    return why


def judge_random(c, r, count):
    """All 240 programs must agree; otherwise the first that does not is reported."""
    agreed = r.obs["random.agreed"][0]
    failed = r.rows("random.failed")
    if not failed:
        c.require(agreed == count, "Only %d of %d programs were run." % (agreed, count))
        return
    seed, why = failed[0][0], " ".join(map(str, failed[0][1:]))
    if why.startswith("end "):
        c.fail(bad_end("Random program %d" % seed, why[4:]) or why)
        return
    text = "%d random programs agree with each thread alone; of number %d %s." % (agreed, seed, random_reason(why))
    path = save_program(r)
    if path:
        text += " A small program in which this happens: %s." % path
    c.fail(text)


def save_program(r):
    """Saves the reduced program as a kernel that `machine` runs; returns the file's name."""
    lines = child.lines(r, "random.program")
    if not lines or not r.rows("random.settings"):
        return None
    threads, first, every, merge, random = r.rows("random.settings")[0]
    why = " ".join(map(str, r.obs["random.why"]))
    path = os.path.join(r.where, "random.ppuasm")
    with open(path, "w", encoding="utf-8") as f:
        f.write("// %s\n//! threads %d\n//! words %d\n//! regs 48\n//! limit 50000\n" % (why, threads, threads * 8))
        for name, value in (("branch-first", first), ("yield-every", every), ("yield-merge", merge),
                            ("yield-random", random), ("token-queue-entries", 1000)):
            f.write("//! prop %s %d\n" % (name, value))
        f.write("\n".join(lines) + "\n")
    return os.path.relpath(path)
