# SPDX-License-Identifier: MIT
"""scripts/lab autograde: grade what was handed in, whatever it may try to do.

Everything of the student's is compiled in one sealed machine and run in others
(sealed_build.py, run.py). This process reads only the files that the lab names,
and text that the machines wrote, up to a limit."""

import argparse
import hashlib
import os
import random
import re
import resource
import sys
import tempfile

from . import check, classroom, formats, model, sealed_build, sealed_lab, submission
from .formats import clean_line
from .paths import LabError
from .version import version

RUN_BYTES = 256 << 20                       # the largest file that a machine may write while it runs a submission
RUN_LOG_BYTES = 16 << 10                    # of each run's output in the report


def versions(parts):
    """What graded. It is the same in every report of one installation, except for the seed."""
    out = {"ppu": version(), "kernel": parts.abi, "python": "%d.%d.%d" % sys.version_info[:3],
           "seed": os.environ.get("LAB_SEED", "")}
    out["compiler"] = parts.compiler()
    return out


def quoted(text):
    """Lines that the student may have written, so that none looks like one of ours. They are cut before that: a cut goes
    through the middle of lines."""
    return "\n".join("  | " + line for line in sealed_build.clean(text, RUN_LOG_BYTES).splitlines())


def ours(word, lines):
    """Complaints of the device or the kernel, at most so much of them."""
    letters, out = 0, []
    for line in lines:
        letters += len(line)
        if letters > RUN_LOG_BYTES:
            return out + ["  %s: (more is left out)" % word]
        out.append("  %s: %s" % (word, clean_line(line, RUN_LOG_BYTES)))
    return out


def printed(run):
    """What a run printed, without what the grader's program noted for the grader."""
    return "\n".join(l for l in run.output.splitlines() if not re.match(r"@ (obs|end|fatal|hang|signal)\b", l))


def log_of(result):
    """What the student may want to see: the compiler's messages, what the runs printed, complaints of the device
    and of the kernel."""
    text = ["Lines that begin with | are what compiler and programs printed: the student's own code can print there."]
    if result.text.strip():
        text += ["--- compiler", quoted(result.text.rstrip())]
    for run in result.runs.values():
        text.append("--- run %s: %s" % (run.name, run.dead or "ended, status %s" % run.status))
        text += filter(None, [quoted(printed(run)), *ours("device", run.errors), *ours("kernel", run.complaints)])
    return "\n".join(text)


def report_of(lab, name, result, parts):
    def card(c):
        return {"name": c.name, "text": c.text, "points": c.points, "max": c.max,
                "lost": [clean_line("-%d: %s" % lost if lost[0] else lost[1]) for lost in c.lost]}
    return {"format": 1, "lab": lab.number, "title": lab.title, "submission": clean_line(name, 200),
            "points": result.points, "max": result.max, "criteria": [card(c) for c in result.cards],
            "bonus": card(result.bonus) if result.bonus else None,
            "error": clean_line(result.error) if result.error else None,
            "grader": [clean_line(b, 2000) for b in result.broken], "log": log_of(result),
            "versions": versions(parts)}


def check_files(lab, path):
    """The student's files, or a sentence that says why some of them are missing."""
    early = model.earlier_files(lab)
    names = list(early) + lab.student
    files, wrong = submission.collect(path, lab.number, names)
    mentioned = " ".join(wrong)
    for name in names:
        if name not in files and name not in mentioned and not (wrong and not files):
            wrong.append("%s%s is missing." % (name, " (of lab %d)" % early[name] if name in early else ""))
    return files, " ".join(wrong)


def digest(lab, files, wrong):
    """Of everything that is read of a submission. The same digest: the same points, by the same grader and seed."""
    h = hashlib.sha256(repr((lab.number, wrong)).encode())
    for name, data in sorted(files.items()):
        h.update(b"%d %s\0%d\0" % (len(name), name.encode("utf-8", "surrogateescape"), len(data)) + data)
    return h.hexdigest()


def digest_of(lab, path):
    return digest(lab, *check_files(lab, path))


def grade(lab, files, wrong, parts, where):
    """A check.Result for the files of one submission; wrong: why some are missing."""
    result = check.Result(lab)
    if wrong:
        result.fail_all(wrong)
        return result
    outcome, built = sealed_lab.build_sealed(lab, files, parts, where)
    if outcome.ok:
        limit_files()
        result = check.grade(lab, {}, where, puts=built.puts)
    else:
        result.fail_all(outcome.why)
    result.text = built.text
    return result


def limit_files():
    """No program started from here on may write a file larger than this; above all that is QEMU. (The machine that
    compiles has limits of its own, and has run before.)"""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (RUN_BYTES if hard < 0 else min(hard, RUN_BYTES), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def write_outputs(report, args):
    for path, shape in ((args.json, formats.as_json), (args.gradescope, formats.gradescope),
                        (args.junit, formats.junit)):
        if path:
            formats.write(path, shape(report))


def choose_seed(args):
    """The labs' random sizes: before a lab is loaded."""
    if args.seed is not None:
        os.environ["LAB_SEED"] = str(args.seed)
    os.environ.setdefault("LAB_SEED", str(random.SystemRandom().randrange(1 << 30)))


def one(args):
    choose_seed(args)
    lab = model.load(args.lab)
    parts = sealed_lab.Parts()
    with tempfile.TemporaryDirectory(prefix="ppu-autograde-") as where:
        files, wrong = check_files(lab, args.submission)
        result = grade(lab, files, wrong, parts, where)
        report = report_of(lab, args.name or os.path.basename(os.path.abspath(args.submission)), result, parts)
        report["files"] = digest(lab, files, wrong)
    write_outputs(report, args)
    if not args.quiet:
        check.show(result)
        if result.text.strip() and result.error:
            print(result.text.rstrip())
    for text in report["grader"]:
        print("lab: the grader is broken: " + text, file=sys.stderr)
    return 2 if report["grader"] else 0


def main(argv):
    ap = argparse.ArgumentParser(prog="lab autograde", description="Grade a submission (or a class of them); what it "
                                 "is worth does not change the exit status: 0 graded, 2 could not be graded.")
    add = ap.add_argument
    add("--lab", type=int, required=True, metavar="N")
    add("--submission", metavar="DIR", help="a directory or an archive with the student's files")
    add("--name", help="what the submission is called in the report")
    add("--json", metavar="FILE", help="the report")
    add("--gradescope", metavar="FILE", help="the report as Gradescope's results.json")
    add("--junit", metavar="FILE", help="the report as JUnit XML, for GitLab and others")
    add("--class", dest="whole_class", metavar="DIR", help="grade everything in DIR")
    add("--csv", metavar="FILE", help="with --class: a line for each submission (default: standard output; with --shard nowhere)")
    add("--reports", metavar="DIR", help="with --class: the reports go to DIR, NAME.json")
    add("--jobs", type=int, default=1, metavar="J", help="with --class: so many at a time (a machine uses two CPUs)")
    add("--seed", type=int, metavar="S", help="the seed of the sizes and orders that labs choose at random, as a report's "
        "\"versions\" has it (default: another one for each submission)")
    add("--resume", action="store_true", help="with --class and --reports: leave out what has a report there, unless it was "
        "not graded or other files are handed in now")
    add("--shard", metavar="K/N", help="with --class and --reports: only the share of machine K of N, from 0 on")
    add("--quiet", action="store_true", help="no table")
    args = ap.parse_args(argv)
    if sealed_lab.packaged():
        # Whatever scripts/vm notes about a grading machine must not go to a home directory.
        os.environ.setdefault("PPU_CACHE", os.path.join(tempfile.gettempdir(), "ppu-grader-%d" % os.getuid()))
    if bool(args.submission) == bool(args.whole_class):
        ap.error("either --submission or --class")
    for path in (args.json, args.gradescope, args.junit, args.csv):
        if path and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise LabError("%s: there is no directory to write it to" % path)
    if args.whole_class:
        return classroom.grade_class(args, digest_of, lambda lab: sealed_lab.Parts().archives(lab))
    return one(args)
