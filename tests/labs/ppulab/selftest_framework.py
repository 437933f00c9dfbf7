# SPDX-License-Identifier: MIT
"""The framework's own tests: cutting, working directories, and the grades for
a student's work that does not compile, hangs, dies or lies."""

import contextlib
import io
import os
import re
import shutil
import tempfile

from . import bonus, build, check, cut, model, new, paths, picture, release, selftest, slides, tree
from .paths import LabError

MARKED = """\
one
//LAB 2 given
two
//LAB end
//LAB 3 before
old
//LAB end
\t//LAB 2 write: Do it.
\t//LAB      Well.
\tdone();
\t//LAB instead
\tnothing();
\t//LAB end
#LAB 3 write: Count.
count
#LAB end
last
"""
CUTS = {
    (1, False): "one\nold\nlast\n",
    (1, True): "one\nold\nlast\n",
    (2, False): "one\ntwo\nold\n\t/*\n\t * TODO lab 2: Do it.\n\t * Well.\n\t */\n\tnothing();\nlast\n",
    (2, True): "one\ntwo\nold\n\tdone();\nlast\n",
    (3, False): "one\ntwo\n\tdone();\n# TODO lab 3: Count.\nlast\n",
    (3, True): "one\ntwo\n\tdone();\ncount\nlast\n",
    (9, False): "one\ntwo\n\tdone();\ncount\nlast\n",
}
BAD = {
    "//LAB end\n": r"^x\.c:1: `LAB end` without a region",
    "a\n//LAB 1 given\nb\n": r"^x\.c:2: the region `LAB 1 given` has no `LAB end`",
    "//LAB 1 given\n//LAB 2 given\n//LAB end\n": r"^x\.c:2: .*line 1: regions do not nest",
    "//LAB 1 given\n//LAB instead\n//LAB end\n": r"^x\.c:2: `LAB instead` outside",
    "//LAB 1 write: a\n//LAB instead\n//LAB instead\n//LAB end\n": r"^x\.c:3: a second `LAB instead`",
    "//LAB 1 write\n//LAB end\n": r"^x\.c:1: .*needs `: `",
    "//LAB 1 gievn\n": r"^x\.c:1: unknown directive `LAB 1 gievn`",
    "//LAB 1 given: text\n//LAB end\n": r"^x\.c:1: text after",
    "\n\n\n\n\n\n//LAB 1 file\n": r"^x\.c:7: .*first 5 lines",
    "//LAB 1 write: a\ncode\n//LAB more text\n//LAB end\n": r"^x\.c:3: unknown directive `LAB more text`",
}


def test_cut():
    out = []
    for (lab, solved), want in CUTS.items():
        got = cut.cut(MARKED, lab, solved)
        if got != want:
            out.append("lab %d, solved %s: %r instead of %r" % (lab, solved, got, want))
    if cut.cut("// SPDX\n//LAB 6 file\ncode\n", 5, True) is not None:
        out.append("a file of lab 6 is there in lab 5")
    if cut.cut("// SPDX\n//LAB 6 file\ncode\n", 6, True) != "// SPDX\ncode\n":
        out.append("a file of lab 6 is not right in lab 6")
    if cut.cut("a\n\n//LAB 2 given\nb\n//LAB end\n\nc\n", 1, True) != "a\n\nc\n":
        out.append("the blank lines around a region that is gone are not one")
    if cut.cut("a\n//LAB 2 given\nb\n//LAB end\n//LAB 3 before\nc\n//LAB end\n", 4, True, without={2, 3}) != "a\nc\n":
        out.append("labs that are left out are not left out")
    hidden = "//LAB 2 hidden\na\n//LAB instead\nb\n//LAB end\n"
    if (cut.cut(hidden, 2, False), cut.cut(hidden, 2, True)) != ("b\n", "a\n"):
        out.append("a hidden region is not hidden")
    if cut.cut("// SPDX\n//LAB 6 file\ncode\n", 7, True, without={6}) is not None:
        out.append("a file of a lab that is left out is there")
    return out


def test_cut_errors():
    out = []
    for text, says in BAD.items():
        try:
            cut.cut(text, 1, False, "x.c")
            out.append("no error for %r" % text)
        except cut.CutError as err:
            if not re.search(says, str(err)):
                out.append("%r: %r does not match %r" % (text, str(err), says))
    return out


def test_sources():
    """No cut of any lab has a marker left, and each skeleton has something to write."""
    out = []
    for n in model.numbers():
        lab = model.load(n)
        if not tree.has_source(lab):
            continue
        for solved in (False, True):
            for name, text in tree.cut_all(lab, solved).items():
                if re.search(r"(//|;|#)LAB\b", text):
                    out.append("lab %d: a marker is left in %s" % (n, name))
        missing = [f for f in lab.student if f not in tree.cut_all(lab, False)]
        out += ["lab %d: no file %s" % (n, f) for f in missing]
        skeleton = tree.cut_all(lab, False)
        out += ["lab %d: nothing to do in %s" % (n, f) for f in lab.student
                if f in skeleton and "TODO lab %d" % n not in skeleton[f]]
    return out


@contextlib.contextmanager
def dummy_labs(top):
    """Two labs of a driver that grows, with students' directories below top/labs."""
    one, two = (model.Lab(n, "Dummy %d" % n, page="index.md", source="driver", student=[f])
                for n, f in ((1, "a.c"), (2, "b.c")))
    source = os.path.join(top, "source")
    for name, text in {"a.c": "//LAB 1 write: A.\nsolved a\n//LAB end\n", "ours.h": "ours\n",
                       "b.c": "//LAB 2 file\n//LAB 2 write: B.\nsolved b\n//LAB end\n"}.items():
        tree.write_if_changed(os.path.join(source, name), text)
    one.source = two.source = source
    old = model._labs, model.numbers, paths.LABS, paths.SOLVED, os.environ.get("LABS")
    model._labs, model.numbers = {1: one, 2: two}, lambda: [1, 2]
    paths.SOLVED = os.path.join(top, "solved")
    os.environ["LABS"] = os.path.join(top, "labs")
    try:
        yield one, two
    finally:
        model._labs, model.numbers, paths.LABS, paths.SOLVED = old[:4]
        os.environ.pop("LABS")
        if old[4] is not None:
            os.environ["LABS"] = old[4]


def text_of(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


def quietly(func, *args, **options):
    with contextlib.redirect_stdout(io.StringIO()):
        return func(*args, **options)


def refused(says, func, *args, **options):
    try:
        quietly(func, *args, **options)
    except LabError as err:
        return [] if re.search(says, str(err)) else ["%r does not match %r" % (str(err), says)]
    return ["it was not refused"]


# What the linker says: of the core's objects nobody need know, of the student's the student.
LINKER = """\
/usr/bin/ld: %s: in function `some_name':
/src/a.c:28: warning: Using 'dlopen' in statically linked applications requires at runtime the shared libraries
"""


def test_linker():
    out = []
    for of, shown in (("/x/libppucore.a(encode.o)", False), ("ar/libppucore.a(encode.o)", False),
                      ("obj/machine/0-tokq.c.o", True), ("/x/libother.a(a.o)", True)):
        text = "a.c:1: before\n" + LINKER % of + "a.c:2: after\n"
        want = text if shown else "a.c:1: before\na.c:2: after\n"
        if build.NO_TRANSLATOR.sub("", text) != want:
            out.append("the linker's warning of %s is %s" % (of, "hidden" if shown else "shown"))
    return out


def test_teaching():
    """Each lab has what a teacher needs, and no student's package has it."""
    out, hours = [], slides.read(os.path.join(slides.TEACH, "index.md"))
    for lab in map(model.load, model.numbers()):
        asked, told = slides.questions(lab), slides.answers(lab)
        if not asked:
            out.append("lab %d has no questions" % lab.number)
        if len(told) != len(asked):
            out.append("lab %d has %d questions, and %d answers in %s"
                       % (lab.number, len(asked), len(told), paths.shown(slides.answers_file(lab))))
        out += ["lab %d: the answer to question %d says nothing" % (lab.number, i + 1)
                for i, a in enumerate(told) if len(a.split()) < 8]
        if not re.search(r"^\| %d: .*\(%s\)" % (lab.number, os.path.basename(slides.answers_file(lab))), hours, re.M):
            out.append("the table of hours has no line with the answers of lab %d" % lab.number)
        for heading, text in slides.deck(lab):
            text = slides.without_notes(text)
            if sum(map(slides.height, slides.blocks(text))) > 2 * slides.LINES:
                out.append("lab %d: the slide %r is too long" % (lab.number, heading))
        if any(a in slides.without_notes(slides.markdown(lab)) for a in told):
            out.append("lab %d: an answer is on a slide" % lab.number)
    out += ["the students' package has %s" % n for n in os.listdir(slides.TEACH)
            if not release.LEFT_OUT.match("Documentation/labs/teach/" + n)]
    return out


def test_new():
    out = []
    with tempfile.TemporaryDirectory() as top, dummy_labs(top) as (one, two):
        labs = os.path.join(top, "labs")
        quietly(new.new, 1)
        if text_of(labs, "lab1/a.c") != "/* TODO lab 1: A. */\n":
            out.append("the skeleton is %r" % text_of(labs, "lab1/a.c"))
        tree.write_if_changed(os.path.join(labs, "lab1/a.c"), "my work\n")
        out += refused(r"already has a\.c", new.new, 1)
        if text_of(labs, "lab1/a.c") != "my work\n":
            out.append("the student's work was overwritten")
        quietly(new.new, 2)
        if text_of(labs, "lab2/a.c") != "my work\n" or text_of(labs, "lab2/b.c") != "/* TODO lab 2: B. */\n":
            out.append("lab 2 does not go on with the student's lab 1")
        quietly(new.new, 2, os.path.join(top, "s"), solved=True)
        if text_of(top, "s/a.c") != "solved a\n":
            out.append("SOLVED=1 does not give the solved state")
        # If one file exists already, even only one, it is not overwritten, and nothing else is written either.
        tree.write_if_changed(os.path.join(top, "half/b.c"), "x\n")
        out += refused(r"already has b\.c", new.new, 2, os.path.join(top, "half"))
        if os.listdir(os.path.join(top, "half")) != ["b.c"]:
            out.append("a refused `make lab` left files")
        out += refused(r"no directory", new.new, 2, os.path.join(top, "t"), source=os.path.join(top, "nowhere"))
        out += package_without_solutions(top, one, two)
    return out


def package_without_solutions(top, one, two):
    out = []
    shutil.rmtree(os.path.join(top, "source"))
    shutil.rmtree(os.path.join(top, "labs"))
    skeleton, paths.SKELETON = paths.SKELETON, os.path.join(top, "skeleton")
    try:
        tree.write_if_changed(os.path.join(top, "skeleton/2/b.c"), "todo b\n")
        for options in ({}, {"solved": True}):
            out += refused(r"solved-1\.tar\.xz", new.new, 2, **options)
        tree.write_if_changed(os.path.join(top, "solved/1/a.c"), "handed out\n")
        quietly(new.new, 2)
        if text_of(top, "labs/lab2/a.c") != "handed out\n":
            out.append("the solved state that the teacher handed out is not used")
    finally:
        paths.SKELETON = skeleton
    return out


# --- with machines -------------------------------------------------------------------

def init(body, more=""):
    """The dummy solution with another lab_init()."""
    return ("static int lab_init(void)\n{\n\theld = kmalloc(100, GFP_KERNEL);\n",
            "%s\nstatic int lab_init(void)\n{\n\theld = kmalloc(100, GFP_KERNEL);\n%s\n" % (more, body))


INCLUDES = ("#include <linux/slab.h>\n",
            "#include <linux/slab.h>\n#include <linux/delay.h>\n#include <linux/fs.h>\n#include <linux/reboot.h>\n")
FORGED = r"""
	static const char line[] = "\n@none obs value 42\n@0123456789abcdef obs value 42\n@ obs value 42\n";
	struct file *f = filp_open("/dev/ttyS1", O_WRONLY, 0);
	loff_t pos = 0;

	pr_info("%s", line);
	if (!IS_ERR(f)) {
		kernel_write(f, line, sizeof(line) - 1, &pos);
		filp_close(f, NULL);
	}
	if (held)
		return 0;"""
# name: (replacements, criterion, what it must say)
HOSTILE = {
    "leaks": ([("\tkfree(held);\n", "")], "memory", r"^kmalloc\(\) at dummy\.c:\d+ was never undone"),
    "hangs": ([init("\tmsleep(10000000);"), INCLUDES], "value", r"^No end while: loading lab\.ko\."),
    "oopses": ([init("\t*(volatile int *)8 = 1;")], "value",
               r"^The guest's kernel died while: loading lab\.ko \(BUG: .*lab_init\(\)"),
    "panics": ([init("\tpanic(\"mine\");")], "value", r"^The guest's kernel died while: .*panic.*mine"),
    "powers off": ([init("\tkernel_power_off();"), INCLUDES], "value",
                   r"^The guest switched itself off while: loading lab\.ko\."),
    "does not load": ([init("\treturn -EIO;")], "value", r"^Lab\.ko could not be loaded: Input/output error"),
    "cannot be unloaded": ([("module_exit(lab_exit);\n", "")], "memory",
                           r"^Lab\.ko could not be unloaded: Device or resource busy"),
    "forges lines": ([init(FORGED), INCLUDES], "value", r"^the value is \[0\]$"),
}


def dummy():
    return model.load_file(os.path.join(paths.LABS, "selftest/grade.py"), "ppulab_selftest").lab


def hostile(lab, where, files, replace, criterion, says):
    wrong = {"name": "x", "file": "dummy.c", "replace": replace, "criterion": criterion, "says": says}
    result = check.grade(lab, selftest.mistake(files, wrong), where, only={criterion})
    return selftest.problems_of(result, wrong)


def spins(lab, where, files):
    """All CPUs are busy for ever: only the time limit of the whole machine ends that."""
    lab = dummy()
    lab.scenarios = {"plain": lab.scenarios["short"]}
    lab.scenarios["plain"].name = "plain"
    lab.scenarios["plain"].smp = 1
    return hostile(lab, where, files, [init("\tlocal_irq_disable();\n\tfor (;;)\n\t\tcpu_relax();")], "value",
                   r"^The guest hung while: loading lab\.ko\.")


def test_solution(lab, where, files):
    result = check.grade(lab, files, where)
    return [] if result.points == 100 and not result.broken else selftest.lost(result)


def test_skeleton(lab, where):
    result = check.grade(lab, {"dummy.c": tree.cut_all(lab, False)["dummy.c"]}, where)
    out = selftest.lost(result) if result.points not in (10,) else []
    return ["the skeleton gets %d points, not 10" % result.points] + out if out else []


def test_does_not_compile(lab, where, files):
    result = check.grade(lab, {"dummy.c": files["dummy.c"] + "int x = ;\n"}, where, "my/dir/")
    line = files["dummy.c"].count("\n") + 1
    out = [] if result.points == 0 and all(c.lost for c in result.cards) else ["it has %d points" % result.points]
    if not re.search(r"^my/dir/dummy\.c:%d:\d+: error:" % line, result.text, re.M):
        out.append("no error with the student's file and line: " + result.text)
    return out


def test_grader_mistake(lab, where, files):
    """A mistake in grade.py is not counted as the student's mistake."""
    def func(c, runs):
        raise KeyError("oops")
    broken = dummy()
    broken.criteria = [model.Criterion("value", 100, "x", func, ["plain"], False)]
    result = check.grade(broken, files, where)
    return [] if result.broken and "KeyError" in result.broken[0] else ["broken is %r" % result.broken]


def test_unnoticed():
    """A grader that does not notice a mistake fails its test; so does one with another sentence."""
    lab = dummy()
    result = check.Result(lab)
    wrong = {"name": "x", "criterion": "value", "says": "the value is", "keeps": ["memory"]}
    out = [] if selftest.problems_of(result, wrong) else ["an unnoticed mistake passed"]
    result.cards[0].lose(5, "something else")
    if not selftest.problems_of(result, wrong):
        out.append("a wrong sentence passed")
    result.cards[0].lose(5, "the value is wrong")
    out += selftest.problems_of(result, wrong)
    result.cards[1].lose(1, "x")
    if not selftest.problems_of(result, wrong):
        out.append("a criterion that lost points it should keep passed")
    return out


def test_picture(lab, where, files):
    """The picture is drawn, and if there is a difference, the first one is reported."""
    result = check.grade(lab, files, where)
    picture.reference_of(lab, "plain", os.path.join(where, "reference"), files)
    lines = picture.make(lab, result, os.path.join(where, "report"), os.path.join(where, "reference"))
    svg = os.path.join(where, "report", lab.name + ".svg")
    out = [] if os.path.exists(svg) and "<svg" in text_of(svg) else ["no picture " + svg]
    says = "in the run plain the device did what it does with the reference"
    out += [] if lines and lines[0].endswith(says + ")") else ["it says: %s" % lines]
    result.cards[0].lose(1, "x")
    lines = picture.make(lab, result, os.path.join(where, "report"), os.path.join(where, "reference"))
    return out + ([] if lines and says + "; what you lost points for does not show in it" in lines[0]
                  else ["with points lost it says: %s" % lines])


def test_bonus(where, files):
    """The debug kernel sees a leak and a use after free, and the solution gets the bonus."""
    lab, out = dummy(), []
    for name, replace, says in (
            ("solution", [], None),
            ("leak", [("\tkfree(held);\n", "")], "never freed"),
            ("use after free", [("\tkfree(held);\n", "\tkfree(held);\n\t*(volatile char *)held = 1;\n")],
             "after it was freed|use-after-free")):
        result = check.Result(lab)
        changed = selftest.mistake(files, {"name": name, "file": "dummy.c", "replace": replace})
        bonus.grade(result, changed, where, "")
        said = [s for _, s in result.bonus.lost]
        if says is None and said:
            out.append("the solution loses: %s" % said)
        if says is not None and not any(re.search(says, s) for s in said):
            out.append("%s: %r does not match %r" % (name, said, says))
    return out


def run(tap):
    for name, test in (("cutting", test_cut), ("mistakes in markers", test_cut_errors),
                       ("the marked sources", test_sources), ("make lab", test_new),
                       ("the linker's warnings", test_linker), ("what teachers need", test_teaching),
                       ("tests of graders fail when they should", test_unnoticed)):
        try:
            problems = test()
        except (LabError, cut.CutError) as err:
            problems = [str(err)]
        tap.result("framework: " + name, problems)
    lab, where = dummy(), os.path.join(paths.OUT, "test/framework")
    files = {"dummy.c": tree.cut_all(lab, True)["dummy.c"]}
    try:
        build.Kernel()
    except LabError as err:
        tap.result("framework: machines", [str(err)])
        return
    tap.result("framework: the solution", test_solution(lab, where, files))
    tap.result("framework: the skeleton", test_skeleton(lab, where))
    tap.result("framework: what does not compile", test_does_not_compile(lab, where, files))
    for name, args in HOSTILE.items():
        tap.result("framework: a module that " + name, hostile(lab, where, files, *args))
    tap.result("framework: a module that spins", spins(lab, where, files))
    tap.result("framework: a mistake in grade.py", test_grader_mistake(lab, where, files))
    tap.result("framework: the picture", test_picture(lab, where, files))
    if os.path.exists(os.path.join(paths.BUILD, "guest/kernel-debug/complete")):
        tap.result("framework: the bonus run", test_bonus(where, files))
    else:
        tap.skip("framework: the bonus run", "the debug kernel is not built (make debug-kernel)")
