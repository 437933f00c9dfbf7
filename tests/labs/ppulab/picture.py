# SPDX-License-Identifier: MIT
"""The trace of the student's run beside the solution's trace: a picture, and a
sentence about the first difference."""

import contextlib
import os
import shutil
import subprocess

from . import build, model, paths, run, tree

MADE = os.path.join(paths.OUT, "reference")


def tool():
    return os.path.join(paths.BUILD, "bin/ppu-trace")


def shipped(lab, scenario):
    return os.path.join(paths.REFERENCE, str(lab.number), scenario + ".trace")


def made(lab, scenario, top=MADE):
    return os.path.join(top, str(lab.number), scenario + ".trace")


def key_of(lab, files, scenario):
    """Everything on which the reference depends."""
    parts = [n + "\0" + t for n, t in sorted({**tree.given(lab), **files}.items())]
    qemu = os.path.join(paths.BUILD, "qemu/qemu-system-x86_64")
    sources = [os.path.join(d, f) for d in (lab.dir, paths.LIB) for f in sorted(os.listdir(d))
               if f.endswith((".c", ".h"))]
    stamp = os.stat(qemu).st_mtime_ns if os.path.exists(qemu) else 0
    return build.digest(stamp, scenario.cmd, sorted(scenario.props.items()), *parts, *build.contents(
        sources + [os.path.join(paths.TOP, p) for p in scenario.pack.values()]))


def reference_of(lab, name, top=MADE, files=None):
    """The reference trace of a scenario; it is made if it is missing. None: the solution is not here."""
    if files is None:
        if os.path.exists(shipped(lab, name)):
            return shipped(lab, name)
        files = tree.solution(lab)
        if files is None:
            return None
    scenario, path = lab.scenarios[name], made(lab, name, top)
    stamp = build.Stamp(path + ".stamp", key_of(lab, files, scenario))
    if stamp.done() is None or not os.path.exists(path):
        where = os.path.join(top, str(lab.number), "build")
        built = build.build(lab, files, where)
        if not built.ok:
            return None
        done = run.scenario_run(scenario, built.puts, os.path.join(where, "runs"))
        if not done.alive or not os.path.exists(done.file(".trace")):
            return None
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(done.file(".trace"), path)
        stamp.set("")
    return path


def make_references(numbers):
    """scripts/lab reference. Returns the exit status."""
    status = 0
    for n in numbers:
        lab = model.load(n)
        for name in lab.pictures:
            path = reference_of(lab, name)
            print("lab %d, %s: %s" % (n, name, paths.shown(path) if path else "could not be made"))
            status = status if path else 1
    return status


def compare(reference, trace, svg, title, ignore=None):
    """Draws the picture; returns the sentence about the first difference."""
    more = ["--ignore", ignore] if ignore else []
    res = subprocess.run([tool(), "--compare", reference, "--svg", svg, "--title", title, *more, trace],
                         capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
    if res.returncode not in (0, 1):
        return None, res.stderr.strip() or "ppu-trace failed"
    return res.returncode == 0, " ".join(res.stdout.split())


def one(lab, result, name, report, top):
    done = result.runs[name]
    if not done.trace:
        return ["Picture: the device wrote no trace in the run %s." % name]
    reference = reference_of(lab, name, top)
    if reference is None:
        return ["Picture: there is no reference trace of the run %s." % name]
    os.makedirs(report, exist_ok=True)
    svg = os.path.join(report, lab.name + ("" if len(lab.pictures) == 1 else "-" + name) + ".svg")
    same, text = compare(reference, done.file(".trace"), svg, "Lab %d: yours beside the reference" % lab.number,
                         lab.ignored[name])
    if same is None:
        return ["Picture: %s" % text]
    if lab.drawers[name]:
        lab.drawers[name](reference, done.file(".trace"), svg)
    if same:
        more = "" if result.points == result.max else "; what you lost points for does not show in it"
        return ["Picture: %s (in the run %s the device did what it does with the reference%s)" % (paths.shown(svg), name, more)]
    return ["Picture: %s; the first difference to the reference:" % paths.shown(svg), "  " + text]


def make(lab, result, report, top=MADE):
    """Draws the pictures that the lab wants; returns lines to show."""
    out = []
    if lab.pictures and not os.path.exists(tool()):
        return ["Picture: %s is not there; `make` builds it" % paths.shown(tool())]
    for name in lab.pictures:
        if name in result.runs:
            with contextlib.suppress(OSError):
                out += one(lab, result, name, report, top)
    return out
