#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/matrix shows as passed what has passed, and nothing else; it judges the output of a run; README has the table
# that follows from the results in the tree; every check of a push is one that can be made.
exec python3 -B - "$PPU_TOP" <<'END'
import contextlib, importlib.machinery, importlib.util, io, os, sys, tempfile

top = sys.argv[1]
sys.path.insert(0, os.path.join(top, "scripts"))
loader = importlib.machinery.SourceFileLoader("matrix", os.path.join(top, "scripts/matrix"))
matrix = importlib.util.module_from_spec(importlib.util.spec_from_loader("matrix", loader))
loader.exec_module(matrix)
archive = sys.modules["ppu_archive"]
failed = False


def ok(name, good, more=""):
    global failed
    failed |= not good
    print("%sok - %s%s" % ("" if good else "not ", name, "" if good else "\n# " + str(more)))


def raises(what, *args):
    try:
        what(*args)
    except ValueError:
        return True
    return False


CONF = """
[old]
title = Old 1
os = old 1
suite = one
kernel = 6.1
qemu = 7.2
checks = module glue run
quick = module
[paper]
title = Paper
os = paper 2
suite = two
kernel = 6.8
qemu = 8.2
checks =
note = by reading
"""
with tempfile.TemporaryDirectory() as d:
    def rows_of(text):
        path = os.path.join(d, "conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return matrix.read_rows(path)

    rows = rows_of(CONF)
    old, paper = rows
    ok("a list of releases is read", [r.title for r in rows] == ["Old 1", "Paper"] and old.checks == ["module", "glue", "run"])
    ok("a check that nobody knows is refused", raises(rows_of, CONF.replace("glue run", "glue walk")))
    ok("a check of every push must be one of the row's", raises(rows_of, CONF.replace("quick = module", "quick = conformance")))
    ok("a row without checks says why", raises(rows_of, CONF.replace("note = by reading", "")))

    path = os.path.join(d, "results")
    ok("no record: nothing has passed", matrix.read_results(path) == {})
    ok("what was not run says so", matrix.cell(old, "run", {}) == "not run")
    ok("what cannot be checked is no success", matrix.cell(paper, "run", {}) == "-")
    ok("even if somebody records one", matrix.cell(paper, "run", {("paper", "run"): ("passed", "2026-01-01", "c", "kernel 6.8, QEMU 8.2")}) == "-")
    good = ("passed", "2026-01-02", "abc", "kernel 6.1.0-9-amd64, QEMU 7.2+dfsg-7")
    results = {("old", "run"): good, ("old", "module"): ("failed", "2026-01-03", "abc", ""),
               ("old", "glue"): ("passed", "2026-01-04", "abc", "QEMU 7.2.22")}
    matrix.write_results(results, path)
    ok("a record is read as it was written", matrix.read_results(path) == results, matrix.read_results(path))
    ok("passed: the day", matrix.cell(old, "run", results) == "2026-01-02")
    ok("failed: says so, with the day", matrix.cell(old, "module", results) == "**failed** 2026-01-03")
    for what in ("kernel 6.12.1-amd64, QEMU 7.2", "kernel 6.1.0-9-amd64, QEMU 17.2", "kernel 6.10.1, QEMU 7.2", ""):
        ok("passed with something else (%s): not run" % what,
           matrix.cell(old, "run", {("old", "run"): good[:3] + (what,)}) == "not run")
    with open(path, "a", encoding="utf-8") as f:
        f.write("old glue fine 2026-01-01 abc\n")
    ok("a verdict that nobody knows is refused", raises(matrix.read_results, path))

    text = matrix.table(rows, results)
    ok("the table", "| Old 1 | 6.1 | 7.2 | **failed** 2026-01-03 | 2026-01-04 | 2026-01-02 | - |" in text and "Paper: by reading." in text, text)
    readme = "a\n" + matrix.BEGIN + "\nold\n" + matrix.END + "\nb\n"
    ok("the table is put between its marks", matrix.with_table(readme, "new\n") == readme.replace("old", "new"))
    ok("a README without marks is refused", raises(matrix.with_table, "a\n", "new\n"))

ok("quick is every row's", [(r.name, c) for r, c in matrix.chosen(["quick"], rows)] == [("old", "module")])
ok("a row, and one check of it", [c for _, c in matrix.chosen(["old", "old:run"], rows)] == ["module", "glue", "run", "run"])
ok("what there is not is refused", raises(matrix.chosen, ["new"], rows) and raises(matrix.chosen, ["paper:run"], rows))

RUN = "driver: ppu.ko is loaded; /dev/dri/renderD128 \n%s\nAll 12 samples verified their results\n"
ok("a good run", matrix.judge_run(RUN) is None)
ok("samples without the driver are no good run", matrix.judge_run(RUN.replace("is loaded", "is not loaded")))
ok("a driver without a node is none", matrix.judge_run(RUN.replace("/dev/dri/renderD128", "")))
ok("the driver without samples is none", matrix.judge_run(RUN.partition("%s")[0]))
ok("tests that passed", matrix.judge_conformance("ok - a\n215 passed, 0 failed, 0 skipped\n") is None)
ok("one that failed", matrix.judge_conformance("214 passed, 1 failed\n"))
ok("none that ran", matrix.judge_conformance("0 passed, 0 failed\n") and matrix.judge_conformance(""))

with tempfile.TemporaryDirectory() as d:
    with open(os.path.join(d, "VERSION"), "w", encoding="ascii") as f:
        f.write("7.2.22\n")
    os.environ["QEMU_SRC"] = d
    ok("a QEMU that is given is taken for the row of its series", matrix.given_qemu(old) == d)
    old.qemu = "7.20"
    ok("and for no other", matrix.given_qemu(old) is None and matrix.given_qemu(paper) is None)
    del os.environ["QEMU_SRC"]
    ok("none is given", matrix.given_qemu(old) is None)
    log = os.path.join(d, "log")
    with open(log, "w", encoding="ascii") as f:
        f.write("Reading package lists...\nE: an older one\nReading package lists...\nE: Failed to fetch a\nE: Some failed\n")
    ok("apt's reason is the first of the last run", archive.apt_error(log) == "Failed to fetch a", archive.apt_error(log))

# A check that cannot be made is not green.
def missing(row):
    raise matrix.NotRun("no network")
def broken(row):
    raise matrix.Failed("# a warning\n")
for check, word in ((missing, "not ok - Debian 12: module: not run: no network"), (broken, "not ok - Debian 12: module,")):
    matrix.check_module = check
    sys.argv = ["matrix", "debian12:module"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = matrix.main()
    ok("%s: status and words" % check.__name__, status == 1 and word in out.getvalue(), out.getvalue())

real = matrix.read_rows()
ok("every push checks two kernels and two QEMUs", sorted((r.kernel, c) for r in real for c in r.quick) == [
    ("6.1", "glue"), ("6.1", "module"), ("6.12", "glue"), ("6.12", "module")])
with open(os.path.join(top, "README.md"), encoding="utf-8") as f:
    text = f.read()
ok("README has the table of the results (scripts/matrix --readme)",
   matrix.with_table(text, matrix.table(real, matrix.read_results())) == text)
sys.exit(failed)
END
