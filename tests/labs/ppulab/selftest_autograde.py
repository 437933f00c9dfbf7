# SPDX-License-Identifier: MIT
"""Tests of the autograder: submissions of all kinds, most of them hostile."""

import contextlib
import csv
import io
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import types
import xml.etree.ElementTree as xml
import zipfile

from . import (autograde, classroom, formats, model, paths, results, sealed_build, sealed_lab, similar, submission,
               tree)
from .selftest_framework import INCLUDES, dummy, hostile, init

NAMES = ["a.c", "b.c"]


# --- what is handed in --------------------------------------------------------------

def fill(top, files):
    for name, data in files.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)


def told(top, path, *patterns, good=()):
    """Problems, unless collect() takes just the good files, and says just these sentences, in any order."""
    files, wrong = submission.collect(os.path.join(top, path), 3, NAMES)
    out = [] if sorted(files) == sorted(good) else ["%s: took %s, not %s" % (path, sorted(files), sorted(good))]
    out += ["%s: nothing like %r in %s" % (path, p, wrong) for p in patterns
            if not any(re.search(p, w) for w in wrong)]
    return out + (["%s: said %s" % (path, wrong)] if len(wrong) != len(patterns) else [])


def special_files(top):
    """A link, a hard link, a pipe, a socket, a directory in a file's place, and a directory that is a link."""
    out = []
    fill(top, {"secret": b"secret\n", "one/lab3/a.c": b"int a;\n", "one/a.c": b"not this\n", "three/b.c": b"int b;\n",
               "five/x": b"x"})
    os.symlink("../../secret", os.path.join(top, "one/lab3/b.c"))
    out += told(top, "one", r"^b\.c is a symbolic link", good=["a.c"])
    os.makedirs(os.path.join(top, "two"))
    os.mkfifo(os.path.join(top, "two/a.c"))
    os.link(os.path.join(top, "secret"), os.path.join(top, "two/b.c"))
    out += told(top, "two", r"^a\.c is not a regular file", r"^b\.c is a hard link")
    os.makedirs(os.path.join(top, "three/a.c"))
    out += told(top, "three", r"^a\.c is not a regular file", good=["b.c"])
    os.makedirs(os.path.join(top, "four"))
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(os.path.join(top, "four/a.c"))
        out += told(top, "four", r"^a\.c is not a regular file")
    os.symlink("../one/lab3", os.path.join(top, "five/lab3"))
    return out + told(top, "five")


def contents_of_files(top):
    fill(top, {"empty/a.c": b" \n\n", "empty/b.c": b"\x7fELF\0\1", "large/a.c": b"x" * (300 << 10)})
    fill(top, {"file": b"int a;\n"})
    return told(top, "empty", r"^a\.c is empty", r"^b\.c is not a text") + \
        told(top, "large", r"larger than 256 KiB") + \
        told(top, "file", r"neither a directory nor an archive") + told(top, "nothing", r"neither")


def archives(top):
    out = []
    fill(top, {"src/lab2/a.c": b"no\n", "src/lab3/a.c": b"int a;\n", "src/lab3/x": b"x"})
    os.symlink("/etc/passwd", os.path.join(top, "src/lab3/b.c"))
    for ext, mode in ((".tar", "w"), (".tgz", "w:gz"), (".tar.xz", "w:xz"), (".tar.bz2", "w:bz2")):
        with tarfile.open(os.path.join(top, "s" + ext), mode) as tar:
            tar.add(os.path.join(top, "src"), "ada-lovelace")
        out += told(top, "s" + ext, r"^b\.c is not a regular file", good=["a.c"])
        if submission.collect(os.path.join(top, "s" + ext), 3, NAMES)[0].get("a.c") != b"int a;\n":
            out.append("s%s: another lab's file was taken" % ext)
    with zipfile.ZipFile(os.path.join(top, "s.zip"), "w") as z:
        z.writestr("a.c", "int a;\n")
        z.writestr("../b.c", "int b;\n")
    out += told(top, "s.zip", good=["a.c"])
    with tarfile.open(os.path.join(top, "bomb.tgz"), "w:gz") as tar:
        info = tarfile.TarInfo("zeros")
        info.size = 65 << 20
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    fill(top, {"bad.zip": b"no zip", "bad.tar.xz": b"no tar"})
    return out + told(top, "bomb.tgz", r"unpacks to more than") + told(top, "bad.zip", r"cannot be read") + \
        told(top, "bad.tar.xz", r"cannot be read")


# --- what is written ------------------------------------------------------------------

def a_report():
    return {"format": 1, "lab": 3, "title": "DMA", "submission": "=cmd()", "points": 7, "max": 10, "bonus": None,
            "criteria": [{"name": "a", "text": "A", "points": 5, "max": 5, "lost": []},
                         {"name": "b", "text": "B", "points": 2, "max": 5, "lost": ["-3: <b>&\u2014"]}],
            "error": None, "grader": [], "log": sealed_build.clean(b"x\x00\x1b[31m\xff ]]>"),
            "versions": {"ppu": "1"}}


def test_formats():
    report, out = a_report(), []
    scope = json.loads(formats.gradescope(report))
    tests = scope["tests"]
    if scope["score"] != 7 or [t["score"] for t in tests] != [5, 2] or "<b>" not in tests[1]["output"]:
        out.append("results.json: %s" % scope)
    suite = xml.fromstring(formats.junit(report)).find("testsuite")
    if suite.get("failures") != "1" or len(suite.findall("testcase/failure")) != 1:
        out.append("JUnit: %s" % formats.junit(report))
    rows = list(csv.reader(io.StringIO(formats.class_csv([report, dict(report, submission="b")]))))
    if len(rows) != 3 or rows[1][:3] != ["'=cmd()", "3", "7"] or rows[1][-1] != "b: -3: <b>&\u2014":
        out.append("CSV: %s" % rows)
    full = dict(report, criteria=report["criteria"][:1])
    said = [formats.remark(full), formats.remark(dict(report, error="It does not compile.")),
            formats.remark(dict(report, criteria=[dict(report["criteria"][1], points=4, name="c", lost=["-1: y"]),
                                                  dict(report["criteria"][1], points=1, name="d", lost=["z", "-1: u", "-3: v"]),
                                                  *report["criteria"]]))]
    if said != ["", "It does not compile.", "d: -3: v"]:
        out.append("remarks: %s" % said)
    return out


def test_log():
    """What a student's code prints cannot be taken for a line of the report, and shows nothing of the grader's notes."""
    run = types.SimpleNamespace(name="life", dead=None, status=0, output="100 / 100\n@ obs caps 1 2\n--- run life: ended",
                                errors=["bad entry"], complaints=["BUG: x"])
    result = types.SimpleNamespace(text="--- run all: ended\n", runs={"life": run})
    lines = autograde.log_of(result).splitlines()
    want = ["--- compiler", "  | --- run all: ended", "--- run life: ended, status 0", "  | 100 / 100",
            "  | --- run life: ended", "  device: bad entry", "  kernel: BUG: x"]
    out = [] if lines[1:] == want else ["the log is %s" % lines]
    # Whatever is cut, no part of a long line begins a line of the report.
    for length in range(19000, 21000, 7):
        run.output = ("x" * length + "--- run sizes: ended" + "y" * 8172) if length % 2 else "100 / 100 " * (length // 10)
        for line in autograde.log_of(result).splitlines()[3:]:
            if not line.startswith(("  ", "--- run life: ended, status 0")):
                return out + ["a line of %d letters breaks out: %r" % (length, line[:60])]
    return out


def test_text():
    """A student's text loses the characters that a terminal or a browser would act on, and is limited in length."""
    shown = sealed_build.clean(b"a\x1b[2Jb\r\n\0\t\xe2\x80\xae\xc3\xa4")
    out = [] if shown == "a?[2Jb\n?\t?\xe4" else ["it is shown as %r" % shown]
    return out + ([] if len(sealed_build.clean(b"x" * 10000000)) < 66000 else ["a long text stays long"])


# --- the sealed machine --------------------------------------------------------------

LOOK = """\
for f in %(secret)s %(top)s/README.md; do
	printf '#include "%%s"\\nasm(".incbin \\\\"%%s\\\\"");\\n' $f $f >x.c
	gcc -c x.c && echo COMPILED
	printf 'asm(".incbin \\\\"%%s\\\\"");\\n' $f >x.c
	gcc -c x.c && echo COMPILED
done
[ -e %(top)s ] && echo HOST
echo "net:" $(ls /sys/class/net) "disks:" $(ls /sys/block | grep -v loop) "virtio:" $(ls /sys/bus/virtio/devices)
mkdir /m && mount -t 9p -o trans=virtio,version=9p2000.L host /m && echo MOUNTED
exit 1
"""


def test_sealed(top, parts):
    """No file of the host can be compiled into anything; there is no disk, no network."""
    secret = os.path.join(top, "secret.h")
    fill(top, {"secret.h": b"#error MARK-47110815\n"})
    outcome = sealed_build.build({}, LOOK % {"secret": secret, "top": paths.TOP}, ["x.o"], parts.archives(), 60)
    out = ["%s: %s" % (w, outcome.log) for w in ("MARK-47110815", "COMPILED", "HOST", "MOUNTED") if w in outcome.log]
    if not re.search(r"^net: lo disks: virtio:$", outcome.log, re.M):
        out.append("devices: " + outcome.log)
    if outcome.ok or len(re.findall("No such file|file not found", outcome.log)) < 4:
        out.append("%s: %s" % (outcome.why, outcome.log))
    return out


def test_endless(parts):
    """Sources whose build never ends, writes without end, or makes something huge."""
    recipe = ("head -c 9000000 /dev/zero >big\nhead -c 300000 /dev/zero | tr '\\0' y\nyes >more\n"
              "while :; do :; done\n")
    outcome = sealed_build.build({}, recipe, ["big"], parts.archives(), 20)
    out = [] if re.search(r"longer than 20 seconds", outcome.why) else ["it says " + outcome.why]
    if outcome.files:
        out.append("the huge file came back")
    fits = 1000 < len(outcome.log) < 70000 and "left out" in outcome.log
    return out if fits else out + ["the log has %d characters" % len(outcome.log)]


MACROS = b"".join(b"#define M%d M%d M%d M%d M%d M%d M%d M%d M%d\n" % (i, *[i + 1] * 8) for i in range(12)) + \
    b"#define M12 int f(void);\nM0\n"


def test_macros(parts):
    """A small source that becomes 8^12 declarations: the compiler is stopped, for its time or its memory."""
    outcome = sealed_build.build({"x.c": MACROS}, "gcc -c x.c || exit 1\n", ["x.o"], parts.archives(), 20)
    return [] if re.search(r"longer than 20 seconds|does not compile", outcome.why) else [outcome.why]


# So that some of the kernel's modules must be loaded before lab.ko.
NEEDS_DRM = """
#include <drm/drm_drv.h>
void lab_put(struct drm_device *drm);
void lab_put(struct drm_device *drm)
{
	drm_dev_put(drm);
}
"""


def test_solution(top, lab, parts, files):
    """The solution gets full points through the sealed machines. Other files that are handed in are not read."""
    trap = os.path.join(top, "trap")
    files = {n: t + NEEDS_DRM for n, t in files.items()}
    makefile = ("obj-m := nothing.o\n$(shell touch %s)\nall modules:\n\ttouch %s\n" % (trap, trap)).encode()
    fill(top, {"sub/lab1/" + n: t.encode() for n, t in files.items()})
    fill(top, {"sub/lab1/" + n: makefile for n in ("Kbuild", "Makefile", "GNUmakefile", "../Makefile")})
    where = os.path.join(top, "where")
    os.makedirs(where)
    result = unlimited(autograde.grade, lab, *autograde.check_files(lab, os.path.join(top, "sub")), parts, where)
    out = ["a Makefile of the student's was run"] if os.path.exists(trap) else []
    if result.points != 100 or result.broken:
        out.append("%d points: %s %s %s" % (result.points, result.error, result.text, result.broken))
    return out


def unlimited(func, *args):
    """The autograder limits its own process. The test must go on after that."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        return func(*args)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- machines that run something ----------------------------------------------------------

CONTROL = r"""
	static const char line[] = "sent 0\nexit 0\n";
	struct file *f = filp_open("/dev/ttyS2", O_WRONLY, 0);
	loff_t pos = 0;

	if (!IS_ERR(f))
		kernel_write(f, line, sizeof(line) - 1, &pos);
	msleep(10000000);"""
FLOOD = r"""
	void __iomem *regs;
	struct pci_dev *pdev = pci_get_device(0x1b36, PCI_ANY_ID, NULL);

	while (pdev && pdev->vendor == 0x1b36 && !(pci_resource_len(pdev, 0) >= 0x100000))
		pdev = pci_get_device(0x1b36, PCI_ANY_ID, pdev);
	if (!pdev || pci_enable_device_mem(pdev))
		return -ENODEV;
	regs = ioremap(pci_resource_start(pdev, 0), 0x1000);
	for (;;) {
		readb(regs + 1);
		cond_resched();	/* or the guest's watchdog ends the run, on a fast machine */
	}"""
FLOOD_INCLUDES = "#include <linux/pci.h>\n#include <linux/sched.h>\n"
# name: (replacements, criterion, what it must say)
MODULES = {
    "resets the machine": ([init("\temergency_restart();"), INCLUDES], "value",
                           r"^The guest switched itself off while: loading lab\.ko\."),
    "says exit 0 on the control line": ([init(CONTROL), INCLUDES], "value",
                                        r"^The grader's program ended early while"),
    "floods the device's log": ([init(FLOOD), (INCLUDES[0], INCLUDES[1] + FLOOD_INCLUDES)], "value",
                                r"^No end while: loading lab\.ko\."),
}


def flooded(lab, where, files, args):
    """Runs with a limit that is reached soon: nothing may be written beyond it."""
    limit = 24 << 20            # the initramfs is smaller

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return hostile(lab, where, files, *args)
    out = unlimited(limited)
    size = os.path.getsize(os.path.join(where, "runs/plain.errors"))
    return out if size == limit else out + ["the log has %d bytes, the limit is %d" % (size, limit)]


KILLER = rb"""
#include <signal.h>
#include <fcntl.h>
static __attribute__((constructor(101))) void kill_all(void)
{
	static const char line[] = "sent 0\nexit 0\n";
	int fd = open("/dev/ttyS2", O_WRONLY);

	for (int i = 0; i < 4; i++)
		fork();
	if (write(fd, line, sizeof(line) - 1) < 0)
		for (;;)
			fork();
	for (;;)
		kill(-1, SIGKILL);
}
"""


def test_again(argv, reports, table):
    """Two graders go on where others were killed: one report is missing, one is not whole. None is made twice."""
    with open(table, encoding="utf-8") as f:
        first = f.read()
    os.unlink(os.path.join(reports, "link.json"))
    with open(os.path.join(reports, "=bad.json"), "r+b") as f:
        f.truncate(100)
    before = {n: os.stat(os.path.join(reports, n)).st_mtime_ns for n in os.listdir(reports)}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = [autograde.main(argv + ["--resume", "--shard", "%d/2" % k]) for k in range(2)]
        status.append(results.main([reports, "--class", argv[argv.index("--class") + 1], "--csv", table]))
    after = {n: os.stat(os.path.join(reports, n)).st_mtime_ns for n in os.listdir(reports)}
    out = [] if status == [0, 0, 0] else ["again: status %s: %s" % (status, said.getvalue())]
    changed = sorted(n for n in after if after[n] != before.get(n))
    if changed != ["=bad.json", "link.json"] or said.getvalue().count("of them before") != 2:
        out.append("graded again: %s: %s" % (changed, said.getvalue()))
    with open(table, encoding="utf-8") as f:
        if f.read() != first:
            out.append("the table of all reports is not that of one grader")
    return out


def test_class(top, number):
    """Four submissions: three are bad, and one of those is hostile. Each gets a line, and the good one its points."""
    lab = model.load(number)
    solved = {n: t.encode() for n, t in tree.solution(lab).items()}
    first = lab.student[0]
    fill(top, {"class/good/%s" % n: t for n, t in solved.items()})
    fill(top, {"class/killer/%s" % n: t for n, t in solved.items()})
    fill(top, {"class/killer/" + first: solved[first] + KILLER})
    fill(top, {"class/=bad/" + first: b"", "class/-x/" + first: b"", "class/alone": b"not a directory"})
    os.makedirs(os.path.join(top, "class/link"))
    os.symlink("../good/" + first, os.path.join(top, "class/link", first))
    os.symlink("good", os.path.join(top, "class/other"))
    table, said = os.path.join(top, "class.csv"), io.StringIO()
    argv = ["--lab", str(number), "--class", os.path.join(top, "class"), "--csv", table,
            "--reports", os.path.join(top, "reports"), "--jobs", "2", "--seed", "4711"]
    with contextlib.redirect_stdout(said):
        status = autograde.main(argv)
    with open(table, encoding="utf-8") as f:
        rows = {r["submission"]: r for r in csv.DictReader(f)}
    out = [] if status == 0 else ["status %d: %s" % (status, said.getvalue())]
    if sorted(rows) != ["'-x", "'=bad", "good", "killer", "link"]:
        return out + ["lines for %s" % sorted(rows)]
    if rows["good"]["points"] != rows["good"]["max"]:
        out.append("the good one: %s" % rows["good"])
    with open(os.path.join(top, "reports/good.json"), encoding="utf-8") as f:
        seed = json.load(f)["versions"]["seed"]
    if seed != "4711":
        out.append("--seed 4711: the report says %r" % seed)
    out += test_again(argv, os.path.join(top, "reports"), table)
    for name, says in (("'-x", "is empty"), ("'=bad", "is empty"), ("link", "symbolic link"), ("killer", ".")):
        if rows[name]["points"] != "0" or not re.search(says, rows[name]["remark"]) or \
                not re.search(r"^ *%s +0 / 100  .*%s" % (name.lstrip("'"), says), said.getvalue(), re.M):
            out.append("%s: %s" % (name, rows[name]))
    return out


def test_command(top):
    """One run of the command writes all formats; a submission without files is graded, with 0 points."""
    fill(top, {"empty/README": b"x"})
    files = [os.path.join(top, n) for n in ("r.json", "g.json", "j.xml")]
    proc = subprocess.run([sys.executable, os.path.join(paths.TOP, "scripts/lab"), "autograde", "--lab", "0",
                           "--submission", os.path.join(top, "empty"), "--json", files[0], "--gradescope", files[1],
                           "--junit", files[2]], capture_output=True, text=True, check=False)
    if proc.returncode:
        return ["status %d: %s" % (proc.returncode, proc.stderr)]
    with open(files[0], encoding="utf-8") as f:
        report = json.load(f)
    xml.parse(files[2])
    good = report["points"] == 0 and report["max"] == 100 and re.search(r"is missing", report["error"]) and \
        all(c["lost"] for c in report["criteria"])
    return [] if good else ["the report is %s" % report]


# --- a class's results -----------------------------------------------------------------

def put_report(folder, name, points, lost=(), **more):
    criteria = [{"name": "life", "text": "It lives.", "points": points, "max": 10, "lost": list(lost)}]
    report = {"format": 1, "lab": 3, "title": "DMA", "submission": name, "points": points, "max": 10, "bonus": None,
              "criteria": criteria, "error": None, "grader": [], "log": "", "versions": {}, "files": "0", **more}
    formats.write(os.path.join(folder, name + ".json"), formats.as_json(report))
    return report


def test_results(top):
    """One table and one summary of reports that were written one by one, whatever else lies there."""
    for name, points, lost in (("ada", 10, []), ("bob_4711_assignsubmission_file", 4, ["-6: byte 12 is lost"]),
                               ("eve.zip", 4, ["-6: byte 7 is lost"])):
        put_report(top, name, points, lost)
    put_report(top, "late", 0, grader=["Not graded."], criteria=[])
    fill(top, {"half.json": b'{"format": 1, "la', "little.json": b'{"format": 1, "lab": 3}', "notes.txt": b"x", "class/ada/x": b"", "class/zoe/x": b""})
    names = [os.path.join(top, n) for n in ("t.csv", "s.txt", "p.svg")]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = results.main([top, "--class", os.path.join(top, "class"), "--csv", names[0], "--summary", names[1],
                               "--plot", names[2]])
    out = [] if status == 2 and "NOT graded: zoe" in said.getvalue() else ["status %d: %s" % (status, said.getvalue())]
    with open(names[0], encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    if [r["submission"] for r in rows] != ["ada", "bob_4711_assignsubmission_file", "eve.zip", "late"] or rows[1]["life"] != "4":
        out.append("table: %s" % rows)
    with open(names[1], encoding="utf-8") as f:
        text = f.read()
    for part in ("4 submissions, 3 of them graded", "mean 6.0, median 4.0, least 4, most 10, of 10", "2 times: byte N is lost",
                 r"life +10 +6.0 +1 +0"):
        if not re.search(part, text):
            out.append("the summary lacks %r: %s" % (part, text))
    bars = xml.parse(names[2]).getroot().findall("{http://www.w3.org/2000/svg}rect")
    if len(bars) != 3 or abs(float(bars[2].get("width")) / float(bars[1].get("width")) - 0.6) > 0.01:
        out.append("the bar of 60 %% has %s of %s" % (bars[2].get("width"), bars[1].get("width")))
    return out


MOODLE = """\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum grade,Feedback comments
Participant 17,Ada L,ada@x.org,Submitted,,10,
Participant 4711,"Bob, M",bob@x.org,Submitted,,10,
Participant 99,Zoe,zoe@x.org,No submission,,10,
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (555)
    Points Possible,,,,,10
"Lovelace, Ada",17,s17,ada,1,
"M, Bob",4711,s18,bobby,1,
"""


def a_result(points, grader=()):
    return {"points": points, "grader": list(grader), "error": None, "criteria": [
        {"name": "a", "text": "A", "points": points, "max": 10, "lost": ["-%d: lost" % (10 - points)]}]}


def filled(header, lines, names, *args):
    """The last column of a gradebook of these lines, and how many sentences there are."""
    text = header + "\n" + "".join(line + "\n" for line in lines)
    out, said = results.fill(text, {n: a_result(9) for n in names}, *args)
    return [row[-1] for row in csv.reader(io.StringIO(out))][1:], len(said)


def test_gradebook():
    """Points get to the students of an exported gradebook; whoever cannot be matched, or might be two, is named."""
    text, said = results.fill(MOODLE.lstrip("\ufeff"), {"ada": a_result(7), "stranger": a_result(1),
                                                        "Bob M_4711_assignsubmission_file": a_result(4)})
    rows = list(csv.DictReader(io.StringIO(text)))
    out = []
    if [r["Grade"] for r in rows] != ["7", "4", ""] or rows[0]["Feedback comments"] != "a: -3: lost":
        out.append("Moodle: %s" % rows)
    if said != ["stranger: no line of the gradebook is this student's"]:
        out.append("Moodle: %s" % said)
    text, said = results.fill(CANVAS, {"lovelaceada_LATE_17_99_lab3.zip": a_result(7), "bobby": a_result(1, ["x"]),
                                       "mbob_4711_98_lab3.zip": a_result(1)}, "Lab 3 (555) ")
    rows = list(csv.reader(io.StringIO(text)))
    if rows[1][5] != "10" or rows[2][5] != "7" or rows[3][5] or len(said) != 1 or "more than one" not in said[0]:
        out.append("Canvas: %s %s" % (rows, said))
    late = "lovelaceada_LATE_4711_99_lab3.zip"
    for what, got, want in (
            ("the number of the submission", filled("Student,ID,Grade", ["A,99,", "B,4711,"], ["x_4711_99_lab3.zip"]), (["", "9"], 0)),
            ("late", filled("Student,Login ID,Grade", ["A,late,", "B,ada,"], [late]), (["", ""], 1)),
            ("file", filled("Full name,Username,Grade", ["A,file,"], ["Ada L_4711_assignsubmission_file"]), ([""], 1)),
            ("one name, two students", filled("Full name,Grade", ["John Smith,", "John Smith,"], ["John Smith_1_assignsubmission_file"]),
             (["", ""], 1)),
            ("one address, two students", filled("Email,Grade", ["ada@x,", "ada@y,"], ["ada"]), (["", ""], 1)),
            ("an archive", filled("Username,Grade", ["ada,"], ["ada.tar.gz"]), (["9"], 0))):
        if got != want:
            out.append("%s: %s" % (what, got))
    for bad, args, what in (("", (), "is empty"), ("a,b\n", (), "names students"), (CANVAS, (), "no column for the points"),
                            ("a," + "x" * 200000 + "\n", (), "is no CSV")):
        try:
            results.fill(bad, {}, *args)
            out.append("%r was taken" % bad[:20])
        except paths.LabError as err:
            if what not in str(err):
                out.append("%r: %s" % (bad[:20], err))
    return out


def test_shares():
    """Each submission belongs to one machine, whatever their number; and what need not be graded again."""
    names, out = ["n%d" % i for i in range(20)], []
    for n in (1, 2, 3, 7, 20, 25):
        parts = [classroom.share_of(names, classroom.shard("%d/%d" % (k, n))) for k in range(n)]
        if sorted(sum(parts, [])) != sorted(names) or max(map(len, parts)) - min(map(len, parts)) > 1:
            out.append("%d machines: %s" % (n, parts))
    for text in ("1", "2/2", "-1/3", "a/3", "0/0", "/", "", "\u00b2/3"):
        try:
            classroom.shard(text)
            out.append("--shard %r was taken" % text)
        except paths.LabError:
            pass
    lab = types.SimpleNamespace(number=3)
    report = {"format": 1, "lab": 3, "grader": [], "files": "d"}
    for want, args in ((True, (report, lab, "d")), (False, (report, lab, "e")), (False, (None, lab, "d")),
                       (False, (dict(report, grader=["x"]), lab, "d")), (False, (dict(report, lab=4), lab, "d")),
                       (False, ({k: report[k] for k in ("format", "lab", "grader")}, lab, "d"))):
        if classroom.is_graded(*args) != want:
            out.append("is_graded%s" % (args,))
    return out


def test_digest(top):
    """The digest of a submission changes with each file that is read, and with nothing else."""
    lab = model.load(0)
    files = {n: t.encode() for n, t in tree.solution(lab).items()}
    name = lab.student[0]
    fill(top, {"a/" + n: t for n, t in files.items()})
    fill(top, {"b/src/" + n: t for n, t in files.items()})
    fill(top, {"b/README": b"mine", "c/" + name: files[name] + b"\n", "d/x": b""})
    a, b, c, d = (autograde.digest_of(lab, os.path.join(top, n)) for n in "abcd")
    return [] if a == b and len({a, c, d}) == 3 else ["digests: %s %s %s %s" % (a, b, c, d)]


def test_similar(top):
    """A copy with other names, blanks and comments is found; the solution of somebody who wrote their own, and the skeleton
    with nothing in it, are not."""
    lab = model.load(1)
    skeleton, solved = tree.cut_all(lab, False), tree.solution(lab)
    name = lab.student[0]
    renamed = re.sub(r"\b(ret|err|dev)\b", r"my_\1", solved[name]).replace("{", "{ /* mine */")
    renamed = re.sub(r"^\t+", "  ", renamed, flags=re.M)
    other = "".join("static int part%d(int a, int *b)\n{\n\twhile (a-- > %d)\n\t\tb[a] ^= a << %d;\n\treturn *b %% %d;\n}\n"
                    % (i, i, i % 7, i + 2) for i in range(12))
    fill(top, {"c/one/" + name: solved[name].encode(), "c/two/" + name: renamed.encode(),
               "c/three/" + name: skeleton[name].encode() + other.encode(), "c/none/x": b""})
    table, said = os.path.join(top, "t.csv"), io.StringIO()
    with contextlib.redirect_stdout(said):
        status = similar.main(["--lab", "1", "--least", "60", "--csv", table, os.path.join(top, "c")])
    with open(table, encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    good = not status and len(rows) == 1 and {rows[0]["submission"], rows[0]["other"]} == {"one", "two"} and \
        int(rows[0]["percent"]) >= 80 and re.search("not compared: none", said.getvalue())
    return [] if good else ["status %d, %s: %s" % (status, rows, said.getvalue())]


def in_tmp(test, *args):
    with tempfile.TemporaryDirectory(prefix="ppu-test-") as top:
        return test(top, *args)


def run(tap):
    for name, test in (("links, pipes, sockets", special_files), ("empty, binary, huge files", contents_of_files),
                       ("archives", archives), ("the command", test_command)):
        tap.result("autograde: " + name, in_tmp(test))
    for name, test in (("results of a class", test_results), ("the digest of a submission", test_digest),
                       ("similar submissions", test_similar)):
        tap.result("autograde: " + name, in_tmp(test))
    tap.result("autograde: gradebooks", test_gradebook())
    tap.result("autograde: shares of a class", test_shares())
    tap.result("autograde: shapes of the report", test_formats())
    tap.result("autograde: the log", test_log())
    tap.result("autograde: a student's text", test_text())
    parts, lab = sealed_lab.Parts(), dummy()
    files = {"dummy.c": tree.cut_all(lab, True)["dummy.c"]}
    tap.result("autograde: nothing of the host in the machine that compiles", in_tmp(test_sealed, parts))
    tap.result("autograde: a build without end", test_endless(parts))
    tap.result("autograde: macros without end", test_macros(parts))
    tap.result("autograde: the solution, with a Makefile that is not asked for",
               in_tmp(test_solution, lab, parts, files))
    where = os.path.join(paths.OUT, "test/autograde")
    for name, args in MODULES.items():
        test = flooded if "floods" in name else lambda l, w, f, a: hostile(l, w, f, *a)
        tap.result("autograde: a module that " + name, test(lab, where, files, args))
    tap.result("autograde: a class with a program that kills", in_tmp(test_class, 0))
    shutil.rmtree(where, ignore_errors=True)
