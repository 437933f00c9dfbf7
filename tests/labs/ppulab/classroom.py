# SPDX-License-Identifier: MIT
"""A class: each submission of a directory, graded in a process of its own, by one machine or by several.

What is known of a submission is its report, REPORTS/NAME.json. It is written whole or not at all, and has the digest of the
files that were graded. So a grader may be killed at any moment: with --resume the next one goes on, and grades again only what
has no report, what could not be graded, and what was handed in anew. Several graders share a class by --shard, and
scripts/lab results makes one table of their reports, in whatever order they were written."""

import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

from . import formats, model, paths, submission
from .paths import LabError

ONE_SECONDS = 3600                          # for one submission, in total


def submissions(top):
    """{name: path}: directories and archives in a directory; links are not followed."""
    if not os.path.isdir(top):
        raise LabError("there is no directory %s" % top)
    out = {}
    for name in sorted(os.listdir(top)):
        path = os.path.join(top, name)
        if not name.startswith(".") and not os.path.islink(path) and \
                (os.path.isdir(path) or name.endswith(submission.ARCHIVES)):
            out[name] = path
    return out


def shard(text):
    """K/N, with K from 0 to N-1: one of N machines, as the index of a job array or of an Indexed Job."""
    k, slash, n = text.partition("/")
    if not slash or not re.fullmatch("[0-9]{1,6}", k) or not re.fullmatch("[0-9]{1,6}", n) or int(k) >= int(n):
        raise LabError("--shard %s: it must be K/N, with K from 0 to N-1" % text)
    return int(k), int(n)


def share_of(names, part):
    """The names that machine K of N grades. Neighbours go to different machines."""
    return names[part[0]::part[1]]


def read_report(path):
    """A report; None if there is none, or it is not whole."""
    try:
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
    except (OSError, ValueError):
        return None
    keys = {"lab", "title", "submission", "points", "max", "criteria", "bonus", "error", "grader"}
    return report if isinstance(report, dict) and report.get("format") == 1 and keys <= set(report) else None


def report_path(folder, name):
    return os.path.join(folder, name + ".json")


def is_graded(report, lab, digest):
    """Need this submission not be graded again?"""
    return bool(report) and report["lab"] == lab.number and not report["grader"] and report.get("files") == digest


def failed_report(lab, name, why):
    """The report for a submission that could not be graded: all its points are unknown."""
    return {"format": 1, "lab": lab.number, "title": lab.title, "submission": formats.clean_line(name, 200), "points": 0,
            "max": sum(c.points for c in lab.criteria), "criteria": [], "bonus": None, "error": why, "grader": [why],
            "log": "", "versions": {}}


def grade_in_process(lab, name, path, where, seed):
    """Grades one submission, in a process of its own: whatever happens there, the others are graded."""
    argv = [sys.executable, os.path.join(paths.TOP, "scripts/lab"), "autograde", "--quiet", "--lab", str(lab.number),
            "--submission=" + path, "--name=" + name, "--json=" + where]
    argv += ["--seed", str(seed)] if seed is not None else []
    proc = None
    try:
        proc = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=ONE_SECONDS, check=False)
        with open(where, encoding="utf-8") as f:
            return json.load(f)
    except subprocess.TimeoutExpired:
        why = "Not graded: the grader was stopped after %d seconds." % ONE_SECONDS
    except (OSError, ValueError):
        last = proc.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] if proc else ["it did not start"]
        why = "Not graded: the grader failed (%s)." % formats.clean_line(last[0] if last else "status %d" % proc.returncode)
    report = failed_report(lab, name, why)
    formats.write(where, formats.as_json(report))
    return report


def say_line(report):
    remark = formats.remark(report)
    print("  %-30s %3d / %d%s" % (formats.clean_line(report["submission"], 60), report["points"], report["max"],
                                  "  " + formats.clean_line(remark) if remark else ""), flush=True)


def grade_all(lab, todo, folder, args, reports):
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {}
        for name, path in todo.items():
            where = report_path(folder, name)
            with contextlib.suppress(FileNotFoundError):    # so that a grader that fails does not leave what another one found
                os.unlink(where)
            running[pool.submit(grade_in_process, lab, name, path, where, args.seed)] = name
        for done in concurrent.futures.as_completed(running):
            reports[running[done]] = done.result()
            say_line(done.result())


def grade_class(args, digest_of, prepare):
    """digest_of(lab, path): of the files that would be graded; prepare(lab): before the first one."""
    lab = model.load(args.lab)
    if (args.resume or args.shard) and not args.reports:
        raise LabError("--resume and --shard need --reports: the reports are what graders know of each other")
    found = submissions(args.whole_class)
    if args.shard:
        found = {n: found[n] for n in share_of(list(found), shard(args.shard))}
    reports = {}
    with tempfile.TemporaryDirectory(prefix="ppu-class-") as tmp:
        folder = args.reports or tmp
        os.makedirs(folder, exist_ok=True)
        if args.resume:
            old = {n: read_report(report_path(folder, n)) for n in found}
            reports = {n: old[n] for n, path in found.items() if is_graded(old[n], lab, digest_of(lab, path))}
        todo = {n: p for n, p in found.items() if n not in reports}
        if todo:
            prepare(lab)
        grade_all(lab, todo, folder, args, reports)
    text = formats.class_csv([reports[n] for n in found])
    if args.csv:
        formats.write(args.csv, text)
    elif not args.shard:        # the table of a share is nobody's: scripts/lab results makes one of all
        print(text, end="")
    broken = [n for n in found if reports[n]["grader"]]
    before = len(found) - len(todo)
    print("  %d submissions graded%s" % (len(found) - len(broken), ", %d of them before" % before if before else ""))
    if broken:
        print("  NOT graded: " + ", ".join(map(formats.clean_line, broken)))
    return 2 if broken else 0
