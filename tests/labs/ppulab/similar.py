# SPDX-License-Identifier: MIT
"""scripts/lab similar: which submissions of a class have much in common.

The comparison is that of SIM (sim_c, Debian's package similarity-tester): it compares what programs consist of, so other
names, comments and blanks make no difference. Before, the lines that the lab gave out are taken away. What it
finds is a reason to look, and proves nothing."""

import argparse
import csv
import io
import os
import re
import resource
import shutil
import subprocess
import tempfile

from . import classroom, formats, model, submission, tree
from .paths import LabError

SECONDS = 600
LINE = re.compile(r"^(\d+)\.c consists for (\d+) % of (\d+)\.c material$", re.M)


def own_text(lab, files, given):
    """What of the lab's files is not the course's: the lines that were not given."""
    out = []
    for name in lab.student:
        text = files.get(name, b"").decode("utf-8", "replace")
        out += [line for line in text.splitlines() if " ".join(line.split()) not in given]
    return "\n".join(out) + "\n"


def given_lines(lab):
    lines = set()
    for text in tree.skeleton(lab).values():
        lines |= {" ".join(line.split()) for line in text.splitlines()}
    # Lines of one word or brace are everybody's, and what programs consist of would fall apart without them.
    return {line for line in lines if len(line) > 4}


def limits():
    """sim_c reads what students wrote."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))


def compare(texts, least):
    """[(percent, name, other)]: so much of the first is in the second; the larger share of each pair, largest first."""
    names, best = list(texts), {}
    tool = shutil.which("sim_c")
    if not tool:
        raise LabError("sim_c is missing; Debian's package similarity-tester has it")
    with tempfile.TemporaryDirectory(prefix="ppu-similar-") as top:
        for i, name in enumerate(names):
            with open(os.path.join(top, "%d.c" % i), "w", encoding="utf-8") as f:
                f.write(texts[name])
        files = ["%d.c" % i for i in range(len(names))]
        proc = subprocess.run([tool, "-p", "-e", "-s", "-a", "-t%d" % least, *files], cwd=top, capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, preexec_fn=limits, check=False)
    if proc.returncode:
        raise LabError("sim_c failed with status %d: %s" % (proc.returncode, formats.clean_line(proc.stderr)))
    for a, percent, b in LINE.findall(proc.stdout):
        pair = tuple(sorted((int(a), int(b))))
        best[pair] = max(best.get(pair, (0,)), (int(percent), names[int(a)], names[int(b)]))
    return sorted(best.values(), key=lambda p: (-p[0], p[1], p[2]))


def of_class(lab, found):
    given, texts, wrong = given_lines(lab), {}, []
    for name, path in found.items():
        files, said = submission.collect(path, lab.number, lab.student)
        if files:
            texts[name] = own_text(lab, files, given)
        else:
            wrong.append("%s: %s" % (name, " ".join(said) or "has none of the lab's files"))
    return texts, wrong


def as_csv(pairs):
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["percent", "submission", "other"])
    table.writerows([p, formats.cell(a), formats.cell(b)] for p, a, b in pairs)
    return out.getvalue()


def main(argv):
    ap = argparse.ArgumentParser(prog="lab similar", description="Which submissions have much in common. A reason to "
                                 "look at two programs, not a proof.")
    ap.add_argument("--lab", type=int, required=True, metavar="N")
    ap.add_argument("--least", type=int, default=50, metavar="PERCENT", help="pairs with at least so much (default: 50)")
    ap.add_argument("--csv", metavar="FILE", help="the pairs as a table, too")
    ap.add_argument("whole_class", metavar="SUBMISSIONS")
    args = ap.parse_args(argv)
    if not 1 <= args.least <= 100:
        ap.error("--least: from 1 to 100")
    texts, wrong = of_class(model.load(args.lab), classroom.submissions(args.whole_class))
    pairs = compare(texts, args.least) if len(texts) > 1 else []
    for percent, name, other in pairs:
        print("  %3d %% of %s is in %s" % (percent, formats.clean_line(name, 60), formats.clean_line(other, 60)))
    print("  %d submissions compared, %d pair%s with %d %% or more"
          % (len(texts), len(pairs), "" if len(pairs) == 1 else "s", args.least))
    for line in wrong:
        print("  not compared: " + formats.clean_line(line))
    if args.csv:
        formats.write(args.csv, as_csv(pairs))
    return 0
