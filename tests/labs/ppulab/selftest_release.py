# SPDX-License-Identifier: MIT
"""Tests of the packages: the students' package has no solutions, and all packages work
where they are unpacked."""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile

from . import cut, model, paths, release, tree

LAB = 1                 # the lab that is tried in a package
SHORT = 24              # characters: shorter lines may stand anywhere
ENV = {"HOME": os.environ.get("HOME", "/root"), "LC_ALL": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
for _name in ("PPU_CACHE", "XDG_CACHE_HOME", "PPU_ACCEL", "LAB_SEED"):
    if _name in os.environ:
        ENV[_name] = os.environ[_name]


# --- no solutions -----------------------------------------------------------------------

def marked_texts(lab):
    """The marked sources from which a lab is cut, {name: text}."""
    files = {} if not os.path.isdir(lab.source) else tree.read_dir(lab.source)
    if lab.marked is not None:
        files.update(lab.marked() or {})
    return files


def written(text):
    """{lab: lines} that only solutions have: those of `write` and `hidden` regions."""
    out, number, part = {}, None, None
    for line in text.split("\n"):
        m = cut.DIRECTIVE.match(line)
        rest = (m.group(3) or "") if m else None
        begin = cut.NUMBERED.match(rest) if m else None
        if begin:
            number, part = (int(begin.group(1)), "solution") if begin.group(2) in ("write", "hidden") else (None, None)
        elif m and rest in ("instead", "end"):
            part = None
        elif not m and number is not None and part:
            out.setdefault(number, set()).add(line.strip())
    return out


def telling(line):
    """A line that nobody would write by chance."""
    comment = line.startswith(("/*", "*", "//", "#include"))
    return len(line) >= SHORT and not comment and re.search(r"[A-Za-z_]{4}", line)


def solution_lines(after):
    """Lines of the solutions of labs after this one that no skeleton has, and no solution up to this one: {line: lab}."""
    secret, open_ = {}, set()
    for lab in map(model.load, model.numbers()):
        for text in marked_texts(lab).values():
            for number, lines in written(text).items():
                if number > after:
                    secret.update((l, number) for l in lines if telling(l))
                else:
                    open_.update(lines)
        # Lines that are given before they are to be written: each skeleton's whole cut, without earlier answers.
        open_ |= {l.strip() for t in tree.skeleton(lab).values() for l in t.split("\n")}
    return {l: n for l, n in secret.items() if l not in open_}


def leaks(package, after):
    """Where the package has lines of solutions. In pages and the product's headers a single line may occur by chance;
    three are an answer."""
    secret, out = solution_lines(after), []
    if len(secret) < 100:
        out.append("only %d lines of solutions are known: the search is blind" % len(secret))
    for name, (data, _) in sorted(package.files.items()):
        if data is None:
            continue
        found = [(l.strip(), i) for i, l in enumerate(data.decode("utf-8", "replace").split("\n"), 1)
                 if l.strip() in secret]
        apart = name.endswith(".md") or name.startswith(("include/", "qemu-device/"))
        if len(found) >= 3 or found and not apart:
            out += ["%s:%d has a line of lab %d's solution: %s" % (name, i, secret[l], l) for l, i in found[:3]]
    return out


FORBIDDEN = re.compile(r"kmod/|libruntime/|tests/(?!labs/)|tests/labs/(driver/|lab\d+/(src/|wrong))|"
                       r"qemu-device/(?!core/)|Documentation/labs/(teachers|ci/)")


def test_contents(package):
    out = [n for n in package.files if FORBIDDEN.match(n)]
    units = {f for n in model.numbers() if model.load(n).kind == "core" for f in model.load(n).student}
    out += [n for n in package.files if os.path.basename(n) in units and n.startswith("qemu-device/")]
    out += ["no " + n for n in ("Makefile", "README.md", "SOURCES.md", "VERSION", "scripts/lab",
                                "build/qemu/qemu-system-x86_64", "include/hw/ppu_regs.h") if n not in package.files]
    return out


def test_leaks(package):
    """The search finds a solution that is put into the package, and finds nothing in the package as it is."""
    out = leaks(package, -1)
    line = sorted(solution_lines(-1))[0]
    package.add("Documentation/planted.c", "int x;\n\t%s\n" % line)
    if not any("planted" in l for l in leaks(package, -1)):
        out.append("a planted line was not found")
    del package.files["Documentation/planted.c"]
    return out


def test_upto():
    """UPTO=K: the package has solutions up to lab K, and nothing of later ones."""
    package = release.student(LAB)
    solved = {n.split("/")[3] for n in package.files if n.startswith("tests/labs/solved/")}
    want = {str(n) for n in model.numbers() if n <= LAB}
    return ([] if solved == want else ["solved states of %s" % sorted(solved)]) + leaks(package, LAB)


def test_same_bytes(package, top):
    """The same files make the same package."""
    made = []
    for name in ("one", "two"):
        path = os.path.join(top, name + ".tar.xz")
        shuffled = release.Package()
        shuffled.files = dict(reversed(package.files.items())) if name == "two" else package.files
        shuffled.write(path, release.STUDENT, level=0)
        with open(path, "rb") as f:
            made.append(f.read())
    return [] if made[0] == made[1] else ["two packages of the same files differ"]


# --- where it is unpacked -------------------------------------------------------------------

def unpack(package, top, name):
    path = os.path.join(top, name + ".tar.xz")
    package.write(path, name, level=0)
    with tarfile.open(path) as tar:
        tar.extractall(top)
    return os.path.join(top, name)


def make(where, *args, fails=False):
    """What it printed; and a word if it failed and should not have, or the other way round."""
    proc = subprocess.run(["make", *args], cwd=where, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return proc.stdout + ("" if bool(proc.returncode) == fails else "(make: status %d)" % proc.returncode)


def points(text):
    m = re.search(r"^\s*(\d+) / 100\s+lab %d:" % LAB, text, re.M)
    return int(m.group(1)) if m else None


def test_student(where):
    """As a student: make lab, make check-lab, write the solution, make check-lab."""
    lab = model.load(LAB)
    text = make(where, "lab", "N=%d" % LAB)
    if not os.path.isdir(os.path.join(where, "labs/lab%d" % LAB)):
        return ["make lab: " + text]
    text = make(where, "check-lab", "N=%d" % LAB)
    out = [] if points(text) == lab.skeleton_points and "(make: " not in text else ["the skeleton: " + text]
    text = make(where, "check-lab", "N=99", fails=True)
    out += [] if "there is no lab 99" in text and "(make: " not in text else ["a lab that there is not: " + text]
    for name, solved in tree.solution(lab).items():
        tree.write_if_changed(os.path.join(where, "labs/lab%d" % LAB, name), solved)
    text = make(where, "check-lab", "N=%d" % LAB)
    return out + ([] if points(text) == 100 and "(make: " not in text else ["the solution: " + text]) + \
        ([] if "check-lab" in make(where, "help") else ["make help says nothing of check-lab"])


def test_teacher(top):
    """The teacher's package has everything, and makes the students' package without git."""
    package = release.teacher()
    lacking = [n for n in release.source_files() if n not in package.files]
    lacking += ["solved state of lab %d" % n for n in model.numbers()
                if not any(f.startswith("tests/labs/solved/%d/" % n) for f in package.files)]
    where = unpack(package, top, release.TEACHER)
    proc = subprocess.run([os.path.join(where, "scripts/lab"), "release", "--only", release.STUDENT, "--level", "0"],
                          env=ENV, capture_output=True, text=True, check=False)
    with tarfile.open(os.path.join(where, "build/labs", release.STUDENT + ".tar.xz")) as tar:
        names = {n.partition("/")[2] for n in tar.getnames()}
    # (Except for traces: another process may be making some at this moment.)
    mine = {n for n in release.student().files if not n.startswith("tests/labs/reference/")}
    names = {n for n in names if not n.startswith("tests/labs/reference/")}
    shutil.rmtree(where)
    return ["lacks " + n for n in lacking[:5]] + ([] if names == mine else
                                                  ["its students' package differs: %s %s" % (
                                                      sorted(names ^ mine)[:5], proc.stderr)])


# --- the autograder's package, and what calls it ----------------------------------------------

def ci_file(name):
    with open(os.path.join(paths.TOP, "Documentation/labs/ci", name), encoding="utf-8") as f:
        return f.read()


def steps_of(text, begin, end):
    """The lines of a YAML block scalar between two markers, without their indentation."""
    lines = text[text.index(begin):text.index(end)].split("\n")[1:]
    first = next(i for i, l in enumerate(lines) if l.strip() in ("- |", "run: |")) + 1
    indent = re.match(r"\s*", lines[first]).group()
    return "\n".join(l[len(indent):] for l in lines[first:]) + "\n"


def bare(where, top):
    """An environment without compilers, packages and a home directory."""
    tools = os.path.join(top, "tools")
    os.makedirs(tools, exist_ok=True)
    for name in ("sh", "bash", "env", "cat", "dirname", "readlink", "python3", "mkdir", "mv", "mktemp", "rm"):
        found = shutil.which(name, path=ENV["PATH"])
        if found and not os.path.exists(os.path.join(tools, name)):
            os.symlink(found, os.path.join(tools, name))
    return {"PATH": tools, "HOME": os.path.join(top, "home"), "PPU_CACHE": os.path.join(top, "cache"), "LC_ALL": "C",
            "LAB_SEED": ENV["LAB_SEED"]}


def submission_of(top):
    lab = model.load(LAB)
    where = os.path.join(top, "submission")
    for name, text in tree.solution(lab).items():
        tree.write_if_changed(os.path.join(where, lab.name, name), text)
    # These would run if Python, make or the shell ran anything of the student's.
    trap = os.path.join(top, "trap")
    for name in ("shutil.py", "sys.py", "json.py", "tarfile.py", "urllib/__init__.py"):
        tree.write_if_changed(os.path.join(where, name), "open(%r, 'w')\n" % trap)
    tree.write_if_changed(os.path.join(where, "Makefile"), "$(shell touch %s)\n" % trap)
    return where, trap


def test_gitlab(top, archive, packages=None):
    """The job's shell, as GitLab would run it: the grader is fetched, or (packages) it is in the image."""
    where, trap = submission_of(top)
    env = dict(bare(where, top), LAB=str(LAB), PPU_GRADER_HEADER="",
               **{"PPU_GRADER_DIR": packages, "PPU_GRADER_URL": "file:///nothing"} if packages else
               {"PPU_GRADER_DIR": os.path.join(top, "none"), "PPU_GRADER_URL": "file://" + archive})
    script = steps_of(ci_file("gitlab-ci.yml"), "# --- begin grade", "# --- end grade")
    proc = subprocess.run(["sh", "-c", script], cwd=where, env=env, capture_output=True, text=True, check=False)
    reports = [os.path.join(where, "report/lab%d.%s" % (LAB, e)) for e in ("json", "xml")]
    if proc.returncode or not all(map(os.path.exists, reports)):
        return ["status %d: %s%s" % (proc.returncode, proc.stdout, proc.stderr)]
    with open(reports[0], encoding="utf-8") as f:
        text = f.read()
    out = [] if re.search(r'"points": 100,\s*"max": 100', text) else [text[:2000]]
    shutil.rmtree(os.path.join(where, "report"))
    return out + ([] if not packages or os.path.isdir(os.path.join(packages, release.GRADER)) else
                  ["the image's grader was removed"]) + (["the student's files were run"] if os.path.exists(trap) else [])


def test_github(top, package):
    """The step that grades, as GitHub would run it, with a submission in which files are missing."""
    where = os.path.join(top, "github")
    os.makedirs(os.path.join(where, "submission"), exist_ok=True)
    env = dict(bare(where, top), LAB=str(LAB), STUDENT="course/ada", PPU_GRADER_DIR=package,
               GITHUB_STEP_SUMMARY=os.path.join(where, "summary"))
    script = steps_of(ci_file("github-workflow.yml"), "- name: Grade", "- name: Name of the artefact")
    proc = subprocess.run(["bash", "-e", "-c", script], cwd=where, env=env, capture_output=True, text=True,
                          check=False)
    if proc.returncode:
        return ["status %d: %s" % (proc.returncode, proc.stderr)]
    with open(os.path.join(where, "summary"), encoding="utf-8") as f:
        text = f.read()
    return [] if "**0 of 100 points**" in text and "is missing" in text else [text]


def test_gradescope(top, archive):
    """setup.sh and run_autograder in a directory like Gradescope's."""
    root = os.path.join(top, "autograder")
    os.makedirs(os.path.join(root, "source"))
    os.makedirs(os.path.join(root, "submission"))
    shutil.copy(archive, os.path.join(root, "source/ppu-labs-grader.tar.xz"))
    tree.write_if_changed(os.path.join(root, "source/LAB"), "%d\n" % LAB)
    env = dict(bare(root, top), AUTOGRADER_ROOT=root)
    said = ""
    for name in ("setup.sh", "run_autograder"):
        proc = subprocess.run(["bash", os.path.join(paths.TOP, "Documentation/labs/ci/gradescope", name)], cwd=root,
                              env=env, capture_output=True, text=True, check=False)
        said += proc.stdout + proc.stderr
    results = os.path.join(root, "results/results.json")
    if not os.path.exists(results):
        return [said]
    with open(results, encoding="utf-8") as f:
        text = f.read()
    return [] if '"score": 0' in text and "is missing" in text and '"max_score"' in text else [text[:1000] + said]


def gitlab_jobs(read):
    """One job for each lab, when a file of that lab changes."""
    want = {"lab%d" % n: {"extends": ".grade", "variables": {"LAB": str(n)},
                          "rules": [{"changes": ["lab%d/**/*" % n, "labs/lab%d/**/*" % n]}]} for n in model.numbers()}
    jobs = {k: v for k, v in read.items() if k.startswith("lab")}
    return [] if jobs == want else ["gitlab-ci.yml: the jobs are %s" % jobs]


def test_yaml():
    try:
        import yaml
    except ImportError:
        return []       # the steps below run nevertheless
    out = []
    for name in ("gitlab-ci.yml", "github-workflow.yml"):
        try:
            read = yaml.safe_load(ci_file(name))
            if name == "gitlab-ci.yml":
                out += gitlab_jobs(read)
        except yaml.YAMLError as err:
            out.append("%s: %s" % (name, err))
    return out


def run(tap):
    os.makedirs(paths.OUT, exist_ok=True)
    package = release.student()
    tap.result("release: what is in the students' package", test_contents(package))
    tap.result("release: no solution is in the students' package", test_leaks(package))
    tap.result("release: solved states up to a lab", test_upto())
    tap.result("release: YAML", test_yaml())
    with tempfile.TemporaryDirectory(prefix="ppu-test-") as top:
        tap.result("release: the same files, the same package", test_same_bytes(package, top))
        where = unpack(package, top, release.STUDENT)
        tap.result("release: a student's first lab", test_student(where))
        tap.result("release: the teacher's package", test_teacher(top))
        where = unpack(release.grader(), top, release.GRADER)
        archive = os.path.join(top, release.GRADER + ".tar.xz")
        tap.result("release: the job for GitLab", test_gitlab(top, archive))
        tap.result("release: the same with an image that has the grader", test_gitlab(top, archive, top))
        tap.result("release: the step for GitHub", test_github(top, where))
        tap.result("release: the scripts for Gradescope", test_gradescope(top, archive))
