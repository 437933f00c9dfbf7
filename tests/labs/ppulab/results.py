# SPDX-License-Identifier: MIT
"""scripts/lab results: what the reports of a class say together.

A table (--csv), where points are lost (--summary, --plot), and the gradebook that the school's system gave out, with
the points filled in (--gradebook)."""

import argparse
import collections
import csv
import html
import io
import os
import re
import statistics

from . import classroom, formats, submission
from .paths import LabError

SENTENCES = 3                           # so many of a criterion's most frequent ones
GRADE = ("grade", "final grade")        # columns that get the points, in small letters; Canvas: the column that is named
COMMENT = ("feedback comments", "comments")
BYTES = 16 << 20                        # of a gradebook
KEYS = ("identifier", "id", "id number", "sis login id", "login id", "username", "email address", "email", "full name",
        "student")


def read_all(folder):
    """{name: report}, by name; the reports may have been written in any order, by any machine."""
    if not os.path.isdir(folder):
        raise LabError("there is no directory %s" % folder)
    out = {}
    for file in sorted(os.listdir(folder)):
        report = classroom.read_report(os.path.join(folder, file)) if file.endswith(".json") else None
        if report:
            out[file[:-len(".json")]] = report
    if not out:
        raise LabError("there is no report in %s; scripts/lab autograde --class ... --reports %s writes them"
                       % (folder, folder))
    labs = sorted({r["lab"] for r in out.values()})
    if len(labs) > 1:
        raise LabError("%s has reports of labs %s; keep each lab's in a directory of its own"
                       % (folder, " and ".join(map(str, labs))))
    return out


# --- where points are lost --------------------------------------------------------------

class Loss:
    """A criterion over the class."""

    def __init__(self, name, text, most):
        self.name, self.text, self.max = name, text, most
        self.points, self.said = [], collections.Counter()

    def kept(self):
        """The share of the points that the class has, from 0 to 1."""
        return sum(self.points) / (self.max * len(self.points)) if self.max and self.points else 1.0


def losses(reports):
    out = {}
    for report in reports:
        for c in report["criteria"]:
            loss = out.setdefault(c["name"], Loss(c["name"], c["text"], c["max"]))
            loss.points.append(c["points"])
            # Numbers in sentences are those of one run.
            loss.said.update({re.sub(r"0x[0-9a-f]+|\d+", "N", re.sub(r"^-\d+: ", "", s)) for s in c["lost"]})
    return list(out.values())


def summary(reports):
    graded = [r for r in reports if not r["grader"]]
    points = [r["points"] for r in graded]
    first = reports[0]
    out = ["Lab %d: %s. %d submissions, %d of them graded." % (first["lab"], first["title"], len(reports), len(graded))]
    if not points:
        return out[0] + "\n"
    out.append("Points: mean %.1f, median %.1f, least %d, most %d, of %d."
               % (statistics.mean(points), statistics.median(points), min(points), max(points), first["max"]))
    nothing = [r for r in graded if r["error"]]
    if nothing:
        out.append("Nothing could be run of %d: %s" % (len(nothing), ", ".join(r["submission"] for r in nothing)))
    out += ["", "%-24s %5s %6s %6s %6s" % ("criterion", "max", "mean", "full", "none")]
    for loss in losses(graded):
        out.append("%-24s %5d %6.1f %6d %6d" % (loss.name[:24], loss.max, statistics.mean(loss.points),
                                                sum(p == loss.max for p in loss.points), sum(p == 0 for p in loss.points)))
        out += ["    %3d times: %s" % (n, s) for s, n in loss.said.most_common(SENTENCES)]
    return "\n".join(out) + "\n"


# --- a picture ----------------------------------------------------------------------------

BAR, LEFT, WIDTH = 26, 220, 760


def plot(reports):
    """Bars: which share of each criterion's points the class has."""
    graded = [r for r in reports if not r["grader"]]
    found, first = losses(graded), reports[0]
    height = 60 + BAR * len(found)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">'
           % (WIDTH, height), "<title>Lab %d: points of %d submissions by criterion</title>" % (first["lab"], len(graded)),
           '<rect width="%d" height="%d" fill="#ffffff"/>' % (WIDTH, height),
           '<text x="10" y="24" font-size="16">Lab %d: %s, %d submissions</text>'
           % (first["lab"], html.escape(first["title"]), len(graded))]
    full = WIDTH - LEFT - 130
    for i, loss in enumerate(found):
        y, width = 42 + BAR * i, full * loss.kept()
        out += ['<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, y + 14, html.escape(loss.name[:30])),
                '<rect x="%d" y="%d" width="%d" height="18" fill="#e4e4e4"/>' % (LEFT, y, full),
                '<rect x="%d" y="%d" width="%.1f" height="18" fill="#2a6fb0"/>' % (LEFT, y, width),
                '<text x="%d" y="%d">%d %% of %d points</text>' % (LEFT + full + 8, y + 14, round(100 * loss.kept()), loss.max)]
    return "\n".join(out) + "\n</svg>\n"


# --- a gradebook --------------------------------------------------------------------------

MOODLE = re.compile(r"(.+)_(\d+)_(?:assignsubmission|onlinetext)")     # "Ada Lovelace_4711_assignsubmission_file"
CANVAS = re.compile(r"([^_]+)_(?:LATE_)?(\d+)_\d+_", re.I)            # "lovelaceada_LATE_4711_99_lab3.zip": 4711 is Ada


def words_of(name):
    """What a student may be called in the name of a submission: as the school's system packs them, or just the name."""
    found = MOODLE.match(name) or CANVAS.match(name)
    if found:
        return {found.group(1).lower(), found.group(2)}
    for ending in sorted(submission.ARCHIVES, key=len, reverse=True):
        name = name[:-len(ending)] if name.endswith(ending) else name
    return {name.lower()}


def keys_of(row, columns):
    """What names the student of a line."""
    out = set()
    for i in columns:
        text = row[i].strip().lower() if i < len(row) else ""
        # Moodle: "Participant 4711"; an address without what is behind the @, too.
        out |= {text, re.sub(r"^participant ", "", text), text.split("@")[0]}
    return out - {""}


def column(header, wanted, what):
    for i, title in enumerate(header):
        if title.strip().lower() in wanted:
            return i
    raise LabError("the gradebook has no column for %s (%s)" % (what, ", ".join(wanted)))


def partners(rows, keys, reports):
    """({line: submission} where each is the other's only one, sentences about the rest)."""
    mine = {i: keys_of(row, keys) for i, row in enumerate(rows)}
    of_row = {i: [n for n in reports if words_of(n) & mine[i]] for i in mine}
    of_name = {n: [i for i in mine if n in of_row[i]] for n in reports}
    pairs = {i: names[0] for i, names in of_row.items() if len(names) == 1 and len(of_name[names[0]]) == 1}
    said = ["%s: more than one submission may be this student's: %s" % (rows[i][keys[0]], ", ".join(names))
            for i, names in of_row.items() if len(names) > 1]
    for name, lines in of_name.items():
        if not lines:
            said.append("%s: no line of the gradebook is this student's" % name)
        elif len(lines) > 1:
            said.append("%s: more than one line of the gradebook may be this student's: %s"
                        % (name, ", ".join(rows[i][keys[0]] for i in lines)))
    return pairs, said


def rows_of(text):
    if len(text) > BYTES:
        raise LabError("the gradebook is larger than %d MiB" % (BYTES >> 20))
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error as err:
        raise LabError("the gradebook is no CSV: %s" % err) from None
    if not rows:
        raise LabError("the gradebook is empty")
    return rows


def fill(text, reports, assignment=None):
    """The gradebook with points. Returns it and sentences about what could not be matched."""
    header, *rows = rows_of(text)
    keys = [i for i, t in enumerate(header) if t.strip().lower() in KEYS]
    if not keys:
        raise LabError("the gradebook has no column that names students (one of %s)" % ", ".join(KEYS))
    at = column(header, (assignment.strip().lower(),) if assignment else GRADE, "the points")
    comment = next((i for i, t in enumerate(header) if t.strip().lower() in COMMENT), None)
    for row in rows:
        row += [""] * (len(header) - len(row))
    pairs, said = partners(rows, keys, reports)
    for i, name in pairs.items():
        report, row = reports[name], rows[i]
        if report["grader"]:
            said.append("%s: was not graded" % name)
            continue
        row[at] = str(report["points"])
        if comment is not None:
            row[comment] = formats.cell(formats.remark(report))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue(), said


def read_book(path):
    try:
        with open(path, encoding="utf-8-sig", newline="") as f:
            return f.read(BYTES + 1)
    except OSError as err:
        raise LabError("%s: %s" % (path, os.strerror(err.errno))) from None
    except UnicodeDecodeError:
        raise LabError("%s is not UTF-8; let the spreadsheet save it as that" % path) from None


def main(argv):
    ap = argparse.ArgumentParser(prog="lab results", description="What the reports of a class say together.")
    add = ap.add_argument
    add("reports", metavar="REPORTS", help="the directory that autograde --reports has filled")
    add("--class", dest="whole_class", metavar="DIR", help="the submissions: names those that have no report (exit status 2)")
    add("--csv", metavar="FILE", help="a line for each submission")
    add("--summary", metavar="FILE", help="where the class loses points (without any option: on the standard output)")
    add("--plot", metavar="FILE", help="the same as a picture (SVG)")
    add("--gradebook", metavar="FILE", help="the CSV that Moodle (grading worksheet) or Canvas (gradebook) exports")
    add("--assignment", metavar="TITLE", help="the gradebook's column for the points (default: Grade)")
    add("--filled", metavar="FILE", help="where the gradebook goes, with the points in it")
    args = ap.parse_args(argv)
    if bool(args.gradebook) != bool(args.filled):
        ap.error("--gradebook and --filled belong together")
    named = read_all(args.reports)
    reports = list(named.values())
    status = 0
    for path, shape in ((args.csv, formats.class_csv), (args.summary, summary), (args.plot, plot)):
        if path:
            formats.write(path, shape(reports))
    if args.gradebook:
        text, said = fill(read_book(args.gradebook), named, args.assignment)
        formats.write(args.filled, text)
        for line in said:
            print("lab: " + formats.clean_line(line))
    if not any((args.csv, args.summary, args.plot, args.gradebook)):
        print(summary(reports), end="")
    if args.whole_class:
        missing = [n for n in classroom.submissions(args.whole_class) if n not in named or named[n]["grader"]]
        if missing:
            print("lab: NOT graded: " + ", ".join(map(formats.clean_line, missing)))
            status = 2
    return status
