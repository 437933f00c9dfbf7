# SPDX-License-Identifier: MIT
"""scripts/lab test: tests of the graders. Prints TAP.

For each lab: the solution gets all points. The skeleton compiles and gets the points that
grade.py names. Each wrong solution of wrong.py (or wrong/*.py) loses points in
the criterion that it names, with a sentence that matches. A wrong solution is a dict: `replace`, pairs of texts, in
`file`; `also`, (file, text, text) in other files."""

import concurrent.futures
import glob
import importlib
import os
import re
import threading

from . import build, check, model, paths, run, tree
from .paths import LabError

WRONGS_AT_LEAST = 5
KERNEL_LINES = 25           # of the kernel that are printed from its first complaint on
SEED = "1"                  # a student's numbers differ from run to run; what is tested here must not
_print = threading.Lock()


class Tap:
    def __init__(self):
        self.failed = 0
        self.count = 0

    def result(self, name, problems):
        """problems: lines that say what is wrong; if there are none, the test is ok."""
        with _print:
            for text in problems:
                for line in str(text).splitlines():
                    print("# " + line)
            self.count += 1
            self.failed += bool(problems)
            print("%s - %s%s" % ("not ok" if problems else "ok", name,
                                 ": " + str(problems[0]).splitlines()[0] if problems else ""), flush=True)

    def skip(self, name, why):
        """Counted as the others are: the plan names how many there are."""
        with _print:
            self.count += 1
            print("ok - %s # SKIP %s" % (name, why), flush=True)


def wrongs(lab):
    """The seeded mistakes of a lab."""
    out = []
    files = [os.path.join(lab.dir, "wrong.py")] + sorted(glob.glob(os.path.join(lab.dir, "wrong/*.py")))
    for path in files:
        if os.path.exists(path):
            module = model.load_file(path, "ppulab_wrong_%d_%s" % (lab.number, os.path.basename(path)[:-3]))
            found = module.WRONG
            out += [found] if isinstance(found, dict) else list(found)
    return out


def share_of(text):
    """"K/N" of --share as numbers; or LabError."""
    m = re.fullmatch(r"(\d+)/([1-9]\d*)", text)
    if not m or int(m[1]) >= int(m[2]):
        raise LabError("--share wants K/N with K below N, such as 0/3, not %r" % text)
    return int(m[1]), int(m[2])


def mistake(files, wrong):
    """The files with a mistake put into them; or LabError."""
    files = dict(files)
    if wrong["file"] not in files:
        raise LabError("wrong %s: the solution has no file %s" % (wrong["name"], wrong["file"]))
    for name, old, new in [(wrong["file"], *texts) for texts in wrong["replace"]] + wrong.get("also", []):
        if files[name].count(old) != 1:
            raise LabError("wrong %s: %s has the text %r %d times, not once"
                           % (wrong["name"], name, old[:60], files[name].count(old)))
        files[name] = files[name].replace(old, new)
    return files


def lost(result):
    return ["%s: -%d %s" % (c.name, p, s) for c in result.cards for p, s in c.lost] + \
        ([result.text] if result.error else []) + result.broken


def problems_of(result, wrong):
    """In which points the result is not what the wrong solution says it should be."""
    if result.error:
        return ["it does not compile", result.text]
    cards = {c.name: c for c in result.cards}
    if wrong["criterion"] not in cards:
        return ["there is no criterion %r" % wrong["criterion"]]
    card, out = cards[wrong["criterion"]], list(result.broken)
    said = [s for _, s in card.lost]
    if card.points == card.max:
        out.append("criterion %r did not notice" % card.name)
    elif not any(re.search(wrong["says"], s) for s in said):
        out.append("criterion %r says %r, which does not match %r" % (card.name, said, wrong["says"]))
    for name in wrong.get("keeps", ()):
        if name not in cards:
            out.append("there is no criterion %r" % name)
        elif cards[name].points < cards[name].max:
            out.append("criterion %r should keep its points, but: %s" % (name, [s for _, s in cards[name].lost]))
    for name in wrong.get("loses", ()):
        if name not in cards or cards[name].points == cards[name].max:
            out.append("criterion %r should lose points as well" % name)
    return out


class Tester:
    """The tests of one lab. Builds run one after the other, in one directory; machines run two at a time."""

    def __init__(self, lab, tap, share=(0, 1)):
        self.lab, self.tap, self.share = lab, tap, share
        self.where = os.path.join(paths.OUT, "test", lab.name)

    def build(self, files, name):
        """Builds in the common directory, then keeps what the machines need in a place of its own."""
        built = build.build(self.lab, files, self.where)
        mine = os.path.join(self.where, "of", name)
        if built.ok:
            built.puts = {g: self.keep(h, mine) for g, h in built.puts.items()}
        return built, mine

    def keep(self, path, mine):
        if not path.startswith(self.where + "/"):
            return path
        copy = os.path.join(mine, os.path.basename(path))
        os.makedirs(mine, exist_ok=True)
        with open(path, "rb") as src, open(copy, "wb") as dst:
            dst.write(src.read())
        os.chmod(copy, 0o755)
        return copy

    def grade(self, built, mine, only=None):
        if not built.ok:
            result = check.Result(self.lab)
            result.text = built.text
            result.fail_all("It does not compile.")
            return result
        return check.grade(self.lab, {}, mine, only=only, puts=built.puts)

    def solution(self, built, mine):
        result = self.grade(built, mine)
        out = list(result.broken)
        if result.points != 100:
            out = ["the solution gets %d points" % result.points] + lost(result)
        elif built.text.strip():
            out.append("the solution compiles with warnings:\n" + built.text)
        for r in result.runs.values():
            out += ["kernel in run %s: %s" % (r.name, l) for l in r.complaints[:3]]
            if r.complaints:        # the machine is gone afterwards: its last words are all there is to find the reason by
                out += ["  " + l for l in r.dmesg[r.dmesg.find(r.complaints[0]):].splitlines()[:KERNEL_LINES]]
        return out

    def skeleton(self, built, mine):
        result = self.grade(built, mine)
        if result.points != self.lab.skeleton_points or result.broken or result.error:
            return ["the skeleton gets %d points, not %d" % (result.points, self.lab.skeleton_points)] + lost(result)
        silent = [c.name for c in result.cards if c.points < c.max and not c.lost]
        return ["no sentence for %s" % silent] if silent else []

    def jobs(self, only):
        """(name, files, function that judges the result of the build)"""
        lab, solved = self.lab, tree.cut_all(self.lab, True)
        mine = list(model.earlier_files(lab)) + lab.student
        good = {n: solved[n] for n in mine}
        bare = {n: t for n, t in tree.cut_all(lab, False).items() if n in mine}
        if not only:
            yield "solution", good, self.solution
            yield "skeleton", bare, self.skeleton
        for i, wrong in enumerate(wrongs(lab)):
            if wrong["name"] != only if only else i % self.share[1] != self.share[0]:
                continue
            watched = {wrong["criterion"], *wrong.get("keeps", ()), *wrong.get("loses", ())}
            try:
                files = mistake(good, wrong)
            except LabError as err:
                self.tap.result("%s: wrong %s" % (lab.name, wrong["name"]), [str(err)])
                continue
            yield ("wrong " + wrong["name"], files, lambda built, mine, wrong=wrong, watched=watched:
                   problems_of(self.grade(built, mine, watched), wrong))

    def run(self, only=None):
        lab = self.lab
        found = lab.check()
        if len(wrongs(lab)) < WRONGS_AT_LEAST:
            found.append("%d wrong solutions; at least %d" % (len(wrongs(lab)), WRONGS_AT_LEAST))
        if not os.path.isfile(os.path.join(paths.TOP, "Documentation/labs", lab.page)):
            found.append("there is no page Documentation/labs/%s" % lab.page)
        found += self.seams()
        self.tap.result("%s: well-formed" % lab.name, found)

        def finish(name, action, built, mine):
            self.tap.result("%s: %s" % (lab.name, name), action(built, mine))
        # The next builds run while machines run. Two jobs run at a time, with one or two machines each.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            todo = []
            for name, files, action in self.jobs(only):
                built, mine = self.build(files, re.sub(r"\W+", "-", name))
                todo.append(pool.submit(finish, name, action, built, mine))
            for job in todo:
                job.result()

    def bonus(self):
        """The solution on the debug kernel."""
        from . import bonus
        result = check.Result(self.lab)
        bonus.grade(result, tree.solution(self.lab), os.path.join(self.where, "bonus"), "")
        self.tap.result("%s: the solution on the debug kernel" % self.lab.name,
                        result.broken + [s for _, s in result.bonus.lost])

    def seams(self):
        """A student's file of this lab must be the same as the solution's file in every later lab."""
        out = []
        if self.lab.cumulative:
            for n in model.numbers():
                later = model.load(n)
                if n > self.lab.number and later.cumulative and self.lab.number not in later.without:
                    now, then = tree.cut_all(self.lab, True), tree.cut_all(later, True)
                    out += ["%s of lab %d is another one in lab %d: what a student wrote would not fit"
                            % (f, self.lab.number, n) for f in self.lab.student if now.get(f) != then.get(f)]
        return out


def main(what, only=None, bonus=False, share=None):
    tap = Tap()
    os.environ.setdefault("LAB_SEED", SEED)     # before a lab is loaded, and for the graders that are started
    share = share_of(share or "0/1")
    what = [str(w) for w in what] or ["framework"] + [str(n) for n in model.numbers()]
    for name in what:
        if name == "framework":
            from . import selftest_framework
            selftest_framework.run(tap)
            continue
        if name in ("autograde", "machines", "release"):
            importlib.import_module(".selftest_" + name, __package__).run(tap)
            continue
        lab = model.load(int(name))
        if not tree.has_source(lab):
            raise LabError("the solutions are not in this package, so the graders cannot be tested")
        if bonus:
            Tester(lab, tap).bonus()
        else:
            Tester(lab, tap, share).run(only)
    print("1..%d" % tap.count)
    return 1 if tap.failed else 0
