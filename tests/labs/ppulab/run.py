# SPDX-License-Identifier: MIT
"""One run of a machine, and what was observed of it."""

import collections
import contextlib
import fcntl
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time

from . import paths, trace
from .build import Kernel

OUTPUT_LIMIT = 4 << 20          # bytes of output that are read
COMPLAINT = re.compile(
    r"WARNING: |BUG: |Oops|KASAN|UBSAN|general protection|Call Trace|possible recursive|possible circular|"
    r"suspicious RCU|INFO: task|INFO: trying to register|refcount_t:|list_(?:add|del) corruption|ODEBUG:|"
    r"DMA-API:.*(?:error|leaked|pending)|Kernel panic|stack guard|irq \d+: nobody cared|"
    r"unable to handle|kernel NULL pointer")
DIED = re.compile(r"Kernel panic|BUG: |Oops|general protection|stack guard|unable to handle")
STAMP = re.compile(r"^(?:<\d+>)?\[\s*\d+\.\d+\]\s?")
WORD_INT = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)\Z")
# The debug kernel's arguments. KASAN must make every report, not only the first.
# Allocations fail for all slab caches, with two exceptions: the caches of the checkers, which would miss things
# then, and one that the kernel's buddy allocator uses: it corrupts its lists when it gets no memory for a
# block (alloc_from_freelist() of 6.1 frees a block that is free).
DEBUG_CMDLINE = ("kunit.enable=1 kasan_multi_shot no_hash_pointers "
                 "slub_debug=A;-,kmemleak_object,kmemleak_scan_area,debug_objects_cache,drm_buddy_block")
DEBUG_SCALE = 4                 # how many times slower that kernel is, for time limits
BOOT_SECONDS = 300              # until the guest's program starts: takes seconds, but longer on a busy machine


def debug_driver(build, more=""):
    """Options of scripts/vm for the debug kernel, with more arguments, and the project's own driver."""
    return ["--kernel", os.path.join(build, "guest/kernel-debug"), "--module", os.path.join(build, "debug/kmod/ppu.ko"),
            "--append", (DEBUG_CMDLINE + " " + more).strip(), "--env", "PPU_TIME_SCALE=%d" % DEBUG_SCALE,
            "--env", "PPU_KO=/ppu/debug/kmod/ppu.ko"]


class Missing(Exception):
    """An observation was not made; the text is the sentence for the student."""

    def __init__(self, sentence, broken):
        super().__init__(sentence)
        self.broken = broken


class Values(list):
    """The words of all lines with one name, one after the other; `rows` has them line by line."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def add(self, words):
        self.rows.append(words)
        self.extend(words)


class Observations(dict):
    """name -> Values; for a name that is not there it raises Missing, with the reason."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def __missing__(self, name):
        if self.run.dead:
            raise Missing(self.run.dead, False)
        raise Missing("the grader's program did not report %r in the run %r" % (name, self.run.name), True)


class Counters(dict):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def __missing__(self, name):
        raise Missing("the device's counter %r could not be read in the run %r" % (name, self.run.name), True)


def value(word):
    return int(word, 0 if "x" in word else 10) if WORD_INT.match(word) else word


class Run:
    """obs, trace, errors, counters, dmesg, status, timeout, output as in the graders' conventions; and

    dead        None, or a sentence: why the run did not reach its end
    step        what the guest's program did last
    complaints  what the kernel complained about, one line each
    broken      None, or why the machine could not be run: not the student's fault
    rows(name)  the observations of a name line by line, [] without one"""

    def __init__(self, name, where):
        self.name, self.where = name, where
        self.obs = Observations(self)
        self.counters = Counters(self)
        self.errors, self.dmesg, self.output = [], "", ""
        self.status, self.timeout, self.step, self.dead, self.broken = None, False, None, None, None
        self.complaints = []
        self._trace = None

    def file(self, suffix):
        return os.path.join(self.where, self.name + suffix)

    @property
    def trace(self):
        if self._trace is None:
            self._trace = trace.read(self.file(".trace"))
        return self._trace

    @property
    def alive(self):
        return self.dead is None and self.broken is None

    def rows(self, name):
        return self.obs[name].rows if name in self.obs else []


def while_(run):
    return " while: " + run.step if run.step else ""


def lines_of(console):
    return [STAMP.sub("", l) for l in console.splitlines()]


def kernel_death(run):
    """What killed the guest's kernel, or a task in it: the first line of the report, and the place in lab.ko."""
    lines = lines_of(run.dmesg)
    for i, line in enumerate(lines):
        if DIED.search(line):
            where = next((m.group(1) for l in lines[i:i + 60]
                          for m in [re.search(r"RIP: 0010:(\S+).*|^\s*(?:\? )?(\S+\+0x\S+) \[lab\]", l)]
                          if m and m.group(1)), None)
            mine = next((m.group(1) for l in lines[i:i + 60]
                         for m in [re.search(r"^\s*(\w+)\+0x\S+ \[lab\]", l)] if m), None)
            at = re.sub(r"\+.*", "()", where) if where else None
            text = line.strip()
            if at:
                text += ", in " + at
            if mine and mine + "()" != at:
                text += ", called from %s()" % mine
            return text
    return None


def read_marks(run, nonce):
    """Reads the lines that only the grader's program could write: obs, step, and how the program ended."""
    ended = None
    for m in re.finditer(r"@%s (obs|step|fatal|hang|signal|end) ?(.*)" % nonce, run.output):
        kind, text = m.groups()
        text = text.strip()
        if kind == "obs":
            words = text.split()
            if words:
                run.obs.setdefault(words[0], Values()).add([value(w) for w in words[1:]])
        elif kind == "step":
            run.step = text
        else:
            ended = ended or (kind, text)
    run.output = "\n".join(l for l in run.output.replace("@" + nonce, "@").split("\n")
                           if l and not l.startswith("@ step"))
    return ended


def sentence_of_end(run, ended, said):
    """A sentence that says why the run is dead; None if it is not."""
    death = kernel_death(run)
    kind, text = ended or (None, "")
    if kind == "end":
        return None
    if kind == "fatal":
        return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
    if death and (kind is None or kind in ("signal", "hang")):
        return "The guest's kernel died%s (%s)." % (while_(run), death)
    if kind == "hang":
        return "No end%s." % (while_(run) or " of the guest's program")
    if kind == "signal":
        number, _, name = text.partition(" ")
        return "The program died of signal %s (%s)%s." % (number, name, while_(run))
    if run.timeout:
        return "The guest hung%s." % while_(run) if run.step else "The guest did not get to the grader's program."
    if "the machine ended" in said:
        return "The guest switched itself off%s." % while_(run)
    return "The grader's program ended early%s." % while_(run)


def write_trace(run):
    """Writes a trace that the guest's program reported, as if the device had written the file."""
    data = bytes.fromhex("".join(w[1:] for w in run.obs.get("trace", []) if re.fullmatch("h([0-9a-f]{2})+", str(w))))
    if data:
        with open(run.file(".trace"), "wb") as f:
            f.write(data)


def put_args(puts):
    return [a for guest, host in sorted(puts.items()) for a in ("--put", "%s=%s" % (guest, host))]


def vm_args(scenario, run, puts, nonce, debug):
    args = [sys.executable, os.path.join(paths.TOP, "scripts/vm"), "--sealed",
            "--timeout", str(BOOT_SECONDS * (DEBUG_SCALE if debug else 1)),
            "--run-timeout", str(scenario.timeout * (DEBUG_SCALE if debug else 1)),
            "--console", run.file(".console"), "--counters", run.file(".counters"),
            "--env", "LAB_NONCE=" + nonce,
            "--append", ("iomem=relaxed %s %s" % (scenario.append, DEBUG_CMDLINE if debug else "")).strip(),
            "--qemu-arg=-d", "--qemu-arg=guest_errors", "--qemu-arg=-D", "--qemu-arg=" + run.file(".errors")]
    if not scenario.product:
        args.append("--no-module")
    elif debug:
        args += ["--module", os.path.join(paths.BUILD, "debug/kmod/ppu.ko")]
    if debug:
        args += ["--kernel", Kernel(True).root, "--env", "PPU_TIME_SCALE=%d" % DEBUG_SCALE, "--env", "LAB_DEBUG=1"]
    if scenario.trace is True:
        args += ["--trace", run.file(".trace")]
    for key, val in scenario.env.items():
        args += ["--env", "%s=%s" % (key, val)]
    for key, val in scenario.props.items():
        args += ["--prop", "%s=%s" % (key, str(val).lower() if isinstance(val, bool) else val)]
    for option in ("smp", "mem", "sms", "vram"):
        if getattr(scenario, option) is not None:
            args += ["--" + option, str(getattr(scenario, option))]
    args += [o for o, on in (("--iommu", scenario.iommu), ("--icount", scenario.icount)) if on]
    more = {g: os.path.join(paths.TOP, h) for g, h in scenario.pack.items()}
    return args + scenario.vm + put_args({**puts, **more}) + ["--", "/lab/" + scenario.cmd[0], *scenario.cmd[1:]]


def read_text(path, limit=OUTPUT_LIMIT):
    try:
        with open(path, "rb") as f:
            return f.read(limit).decode("utf-8", "replace").replace("\r", "")
    except OSError:
        return ""


@contextlib.contextmanager
def slot():
    """All checks together run at most two machines for each CPU. With more, each machine would be so slow that time
    limits would mean nothing."""
    where = os.path.join(tempfile.gettempdir(), "ppu-lab-slots-%d" % os.getuid())
    os.makedirs(where, mode=0o700, exist_ok=True)
    files = [open(os.path.join(where, str(i)), "w", encoding="ascii") for i in range(2 * (os.cpu_count() or 1))]
    try:
        while True:
            for f in files:
                try:
                    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    continue
                yield
                return
            time.sleep(0.05)
    finally:
        for f in files:
            f.close()


def scenario_run(scenario, puts, where, debug=False):
    """Boots a machine for a scenario; returns a Run."""
    os.makedirs(where, exist_ok=True)
    run = Run(scenario.name, where)
    for suffix in (".console", ".counters", ".errors", ".trace", ".output", ".vm"):
        if os.path.exists(run.file(suffix)):
            os.unlink(run.file(suffix))
    nonce = secrets.token_hex(8)
    env = dict(os.environ, BUILD=paths.BUILD)
    with slot(), open(run.file(".output"), "wb") as out, open(run.file(".vm"), "wb") as err:
        proc = subprocess.run(vm_args(scenario, run, puts, nonce, debug), stdin=subprocess.DEVNULL, stdout=out,
                              stderr=err, env=env, check=False)
    run.status = proc.returncode
    run.timeout = proc.returncode == 124
    run.output = read_text(run.file(".output"))
    run.dmesg = read_text(run.file(".console"))
    said = read_text(run.file(".vm"))
    ended = read_marks(run, nonce)
    if scenario.trace == "program":
        write_trace(run)
    run.errors = [m.group(1) for m in re.finditer(r"^ppu: (.*)$", read_text(run.file(".errors")), re.M)]
    run.complaints = [l for l in lines_of(run.dmesg) if COMPLAINT.search(l) and l.strip() != "Call Trace:"]
    try:
        with open(run.file(".counters"), encoding="ascii") as f:
            run.counters.update(json.load(f))
    except (OSError, ValueError):
        pass
    # A student's program can end the machine before the grader's first word. That is no failure of the machine.
    if ended is None and run.step is None and not run.timeout and proc.returncode and not kernel_death(run) and \
            said.startswith("vm: ") and "under the command" not in said:
        run.broken = "the machine could not be run (see %s): %s" % (
            paths.shown(run.file(".vm")), said.strip().splitlines()[0] if said.strip() else "no reason given")
    wrong_clock = re.search(r"^vm: (the guest's clock was wrong: .*)$", said, re.M)
    if wrong_clock:
        run.broken = wrong_clock.group(1)
    run.dead = sentence_of_end(run, ended, said)
    return run


def all_of(scenarios, puts, where, debug=False, jobs=2):
    """{name: Run} of several scenarios, `jobs` machines at a time."""
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        todo = [(s.name, pool.submit(scenario_run, s, puts, where, debug)) for s in scenarios]
        return collections.OrderedDict((name, f.result()) for name, f in todo)
