# SPDX-License-Identifier: MIT
"""Grading: build, run, judge, report."""

import json
import os
import sys
import textwrap
import traceback

from . import build, model, paths, run, tree
from .model import Card, Leave
from .paths import colour


class Result:
    """cards: a Card for each criterion; text: the compiler's messages; error: why there was nothing to run;
    broken: sentences about mistakes that are not the student's."""

    def __init__(self, lab):
        self.lab = lab
        self.cards = [Card(c) for c in lab.criteria]
        self.runs = {}
        self.text = ""
        self.error = None
        self.broken = []
        self.bonus = None       # a Card

    @property
    def points(self):
        return sum(c.points for c in self.cards)

    @property
    def max(self):
        return sum(c.max for c in self.cards)

    def fail_all(self, sentence):
        self.error = sentence
        for card in self.cards:
            card.fail(sentence)

    def as_dict(self):
        def card(c):
            return {"name": c.name, "text": c.text, "points": c.points, "max": c.max,
                    "lost": [{"points": p, "sentence": s} for p, s in c.lost]}
        return {"format": 1, "lab": self.lab.number, "title": self.lab.title, "points": self.points, "max": self.max,
                "criteria": [card(c) for c in self.cards], "bonus": card(self.bonus) if self.bonus else None,
                "error": self.error, "compiler": self.text, "broken": self.broken}


def judge_one(card, lab, runs):
    """Lets one criterion look at the runs; returns sentences about the grader's own mistakes."""
    crit, broken = card.criterion, []
    mine = {n: runs[n] for n in lab.runs_of(crit) if n in runs}
    for r in mine.values():
        if r.broken:
            card.fail("Not graded: " + r.broken)
            return [r.broken]
        if r.dead and not crit.partial:
            card.fail(r.dead)
            return []
    try:
        crit.func(card, mine)
    except Leave:
        pass
    except run.Missing as err:
        card.fail(str(err))
        if err.broken:
            broken.append("criterion %r: %s" % (crit.name, err))
    except Exception:           # a mistake in grade.py must not look like one of the student's
        card.fail("The grader itself failed here; this is not your mistake.")
        broken.append("criterion %r:\n%s" % (crit.name, traceback.format_exc()))
    return broken


def judge(result, runs, only=None):
    for card in result.cards:
        if only is None or card.name in only:
            result.broken += judge_one(card, result.lab, runs)


def grade(lab, files, where, shown="", only=None, puts=None):
    """Builds with the student's files, runs the machines, judges. only: names of criteria; then only their runs
    are made. puts: what was built already."""
    result = Result(lab)
    if puts is None:
        built = build.build(lab, files, where, shown)
        result.text = built.text
        if not built.ok:
            result.fail_all("It does not compile: see what the compiler says.")
            return result
        puts = built.puts
    needed = {n for c in lab.criteria if only is None or c.name in only for n in lab.runs_of(c)}
    scenarios = [s for s in lab.scenarios.values() if s.name in needed and not s.bonus]
    result.runs = run.all_of(scenarios, puts, os.path.join(where, "runs"))
    judge(result, result.runs, only)
    return result


# --- the table --------------------------------------------------------------------

def wrapped(text, indent):
    return textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent + "  ",
                         break_long_words=False, break_on_hyphens=False)


def show(result, out=sys.stdout):
    width = max([len(c.text) for c in result.cards] + [10])
    for card in result.cards:
        full = card.points == card.max
        points = colour("32" if full else "31" if card.points == 0 else "33",
                        "%3d / %-3d" % (card.points, card.max), out)
        print("  %s  %-*s  [%s]" % (points, width, card.text, card.name), file=out)
        if result.error is None:
            for lost, sentence in card.lost:
                print(wrapped("%s  %s" % ("-%d" % lost if lost else "and", sentence), " " * 13), file=out)
    if result.error:
        print(wrapped(result.error, " " * 13), file=out)
    print(colour("1", "  %3d / %-3d  lab %d: %s" % (result.points, result.max, result.lab.number, result.lab.title),
                 out), file=out)


def show_bonus(result, out=sys.stdout):
    card = result.bonus
    print("  %3d / %-3d  bonus: %s" % (card.points, card.max, card.text), file=out)
    for lost, sentence in card.lost:
        print(wrapped("-%d  %s" % (lost, sentence), " " * 13), file=out)


def show_details(result, out=sys.stdout):
    for r in result.runs.values():
        print("\n--- run %s: %s" % (r.name, r.dead or "ended, status %s" % r.status), file=out)
        for line in r.output.splitlines():
            print("  | " + line, file=out)
        for line in r.errors:
            print("  device: " + line, file=out)
        for line in r.complaints:
            print("  kernel: " + line, file=out)


def check(number, top=None, json_file=None, verbose=False, bonus=False):
    """make check-lab. Returns the exit status."""
    lab = model.load(number)
    top = os.path.abspath(top or os.path.join(paths.student_root(), lab.name))
    files = tree.submitted(lab, top)
    where = os.path.join(paths.OUT, lab.name)
    with build.lock(os.path.join(where, "check")):
        return check_in(lab, files, where, top, json_file, verbose, bonus)


def check_in(lab, files, where, top, json_file, verbose, bonus):
    result = grade(lab, files, where, paths.shown(top) + "/")
    if result.text:
        print(result.text.rstrip())
    if verbose:
        show_details(result)
    if result.error is None:
        from . import picture
        pictures = picture.make(lab, result, os.path.join(top, "report"))
        if bonus:
            from . import bonus as bonus_run
            bonus_run.grade(result, files, where, paths.shown(top) + "/")
    else:
        pictures = []
    show(result)
    if result.bonus:
        show_bonus(result)
    for line in pictures:
        print("  " + line)
    if result.runs:
        print("  Logs (console, output, trace, guest errors): " + paths.shown(os.path.join(where, "runs")))
    if json_file:
        with open(json_file, "w", encoding="utf-8") as f:
            f.write(json.dumps(result.as_dict(), indent=1, ensure_ascii=False) + "\n")
    for text in result.broken:
        print("lab: the grader is broken: " + text, file=sys.stderr)
    if result.broken:
        return 2
    return 0 if result.points == result.max else 3      # (1 is what Python ends with when a script is broken)
