# SPDX-License-Identifier: MIT
"""`make lab-release`: the students' package, the teacher's, and the autograder.

They are made from the files that belong to the source tree (git knows them; in a
tree without git: all files that were not built) and from what is built. The same
files always make packages with the same bytes."""

import argparse
import fnmatch
import io
import os
import re
import subprocess
import tarfile

from . import bundle, model, paths, tree
from .paths import BUILD, LabError, OUT, TOP
from .strip import stripped
from .version import version

STUDENT, TEACHER, GRADER = "ppu-labs-student", "ppu-labs-teacher", "ppu-labs-grader"
OWN = "tests/labs/package/"             # files that exist only in a package: Makefile, README.md, SOURCES.md
# What the students' package takes from the source tree: prefixes, then exceptions.
TAKEN = ("include/", "LICENSES/", "Documentation/hw/", "Documentation/uapi/", "Documentation/runtime/",
         "Documentation/spec/", "Documentation/img/", "Documentation/glossary.md", "Documentation/licences.md",
         "Documentation/limits.md", "Documentation/overview.md", "Documentation/labs/",
         "scripts/lab", "scripts/vm", "scripts/setup", "scripts/lib.sh", "scripts/ppu_script.py",
         "scripts/ppu_patience.py", "scripts/build-initramfs", "scripts/build-kmod", "scripts/extract-vmlinux.py", "scripts/guest/agent.c", "scripts/guest/init",
         "scripts/build-debug-kernel", "scripts/guest-debug.config", "mk/labs.mk", "tests/labs/")
LEFT_OUT = re.compile(r"Documentation/labs/(teachers\.md|ci/|teach/)|tests/labs/(driver/|package/|solved/|reference/|selftest/|"
                      r"lab\d+/(src/|wrong)|ppulab/(release|autograde|classroom|results|similar|slides|sealed_\w+|submission|formats|"
                      r"version|bundle|strip|selftest\w*)\.py|ppulab/slides\.css)")
GRADER_MODULES = re.compile(r"tests/labs/ppulab/(autograde|classroom|results|similar|sealed_\w+|submission|formats|"
                            r"version)\.py")
BINARIES = ("qemu/qemu-system-x86_64", "bin/ppu-trace", "bin/ppu-as", "bin/ppu-dis", "bin/ppu-cc", "bin/ppu-run",
            "bin/ppu-info", "lib/libppu-core.so.0")


def source_files():
    """The files of the source tree, relative to it."""
    if os.path.exists(os.path.join(TOP, ".git")):
        text = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--cached"],
                              capture_output=True, check=True).stdout.decode()
        names = text.split("\0")
    else:
        names = [os.path.relpath(os.path.join(where, f), TOP) for where, dirs, files in os.walk(TOP) for f in files
                 if not dirs.sort()]
        built = tuple(os.path.relpath(d, TOP) + "/" for d in (BUILD, paths.student_root()))
        names = [n for n in names if not n.startswith(built) and "__pycache__/" not in n]
    return sorted(n for n in set(names) if n and os.path.isfile(os.path.join(TOP, n)))


def mtime():
    """The time of all files: that of the last commit."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    m = re.search(r"(\d{4})-(\d\d)-(\d\d)", version())
    if not m:
        return 0
    import calendar
    return calendar.timegm((int(m.group(1)), int(m.group(2)), int(m.group(3)), 0, 0, 0))


class Package:
    """Files by name, {name: (bytes, mode)}, or {name: (None, target)} for a link."""

    def __init__(self):
        self.files = {}

    def add(self, name, data, mode=0o644):
        self.files[name] = (data.encode() if isinstance(data, str) else data, mode)

    def take(self, name, path=None):
        """A file of the source tree, or another file under a name."""
        path = path or os.path.join(TOP, name)
        if os.path.islink(path):
            self.files[name] = (None, os.readlink(path))
            return
        with open(path, "rb") as f:
            self.add(name, f.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def leave(self, unwanted):
        self.files = {n: f for n, f in self.files.items() if not unwanted(n)}

    def write(self, path, top, level=4):
        """Writes a .tar.xz: files sorted, all with one time and owner."""
        when = mtime()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tarfile.open(path + ".tmp", "w:xz", preset=level, format=tarfile.PAX_FORMAT) as tar:
            for name, (data, mode) in sorted(self.files.items()):
                info = tarfile.TarInfo(top + "/" + name)
                info.mtime = when
                if data is None:
                    info.type, info.linkname, info.mode = tarfile.SYMTYPE, mode, 0o777
                    tar.addfile(info)
                else:
                    info.size, info.mode = len(data), mode
                    tar.addfile(info, io.BytesIO(data))
        os.replace(path + ".tmp", path)


# --- what is built ------------------------------------------------------------------

def units_of_students():
    """Object files of the core that students write themselves, so the students' libraries must not have them."""
    return [os.path.splitext(os.path.basename(f))[0] + ".o" for n in model.numbers()
            for f in model.load(n).student if model.load(n).kind == "core"]


def library(path):      # as build.without_units(), and reproducible
    """A static library without the units that students write."""
    tmp = os.path.join(OUT, os.path.basename(path) + ".tmp")
    with open(path, "rb") as src, open(tmp, "wb") as dst:
        dst.write(src.read())
    units = set(units_of_students())
    have = subprocess.run(["ar", "t", tmp], capture_output=True, text=True, check=True).stdout.split()
    gone = [o for o in have if o in units or any(o.endswith(("_" + u, "-" + u)) for u in units)]
    if gone:
        subprocess.run(["ar", "dD", tmp, *gone], check=True)
    subprocess.run(["objcopy", "--strip-debug", "--enable-deterministic-archives", tmp], check=True)
    with open(tmp, "rb") as f:
        data = f.read()
    os.unlink(tmp)
    return data


def add_programs(package, names):
    for name in names:
        path = os.path.join(BUILD, name)
        if not os.path.exists(path):
            raise LabError("%s is not there; `make` builds it" % paths.shown(path))
        package.add("build/" + name, stripped(path), 0o755)


def add_built(package, for_students=False):
    add_programs(package, BINARIES)
    for lib in sorted({lib for n in model.numbers() for lib in model.load(n).libs}):
        path = os.path.join(BUILD, "lib/lib%s.a" % lib)
        if not os.path.exists(path):
            raise LabError("%s is not there; `make` builds it" % paths.shown(path))
        package.add("build/lib/lib%s.a" % lib, library(path) if for_students else open(path, "rb").read())


def add_references(package):
    """Traces of the solutions, for the pictures. Only the traces: the solutions that made them lie beside them."""
    for lab in map(model.load, model.numbers()):
        for scenario in lab.pictures:
            name = "%d/%s.trace" % (lab.number, scenario)
            for top in (os.path.join(OUT, "reference"), paths.REFERENCE):
                if os.path.exists(os.path.join(top, name)):
                    package.take("tests/labs/reference/" + name, os.path.join(top, name))
                    break


def add_solved(package, upto):
    """The files that students write, solved, for labs up to this one."""
    for n in model.numbers():
        if n <= upto:
            for name, text in (tree.solution(model.load(n)) or {}).items():
                package.add("tests/labs/solved/%d/%s" % (n, name), text)


# --- the packages -------------------------------------------------------------------

def qemu_version():
    try:
        with open(os.path.join(paths.cache(), "qemu-version"), encoding="ascii") as f:
            return f.read().strip()
    except OSError:
        return "unknown"


def own_files():
    """The files that exist only in a package."""
    top = os.path.join(TOP, OWN)
    for name in sorted(os.listdir(top)):
        with open(os.path.join(top, name), encoding="utf-8") as f:
            yield name, f.read().replace("@VERSION@", version()).replace("@QEMU@", qemu_version())


def students_sources():
    """The files of the source tree that students get."""
    labs = [model.load(n) for n in model.numbers()]
    more = [p for lab in labs for p in lab.package]
    units = {f for lab in labs for f in lab.student}
    for name in source_files():
        if name.startswith(TAKEN) and not LEFT_OUT.match(name):
            yield name
        elif any(fnmatch.fnmatch(name, p) for p in more) and os.path.basename(name) not in units:
            yield name


def check_imports(names):
    """What the scripts of a package import from scripts/ must be in it, too."""
    for name in names:
        if not name.startswith("scripts/"):
            continue
        with open(os.path.join(TOP, name), "rb") as f:
            text = f.read()
        for module in re.findall(rb"^(?:from|import) (ppu_\w+)", text, re.M):
            wanted = "scripts/%s.py" % module.decode()
            if wanted not in names:
                raise LabError("%s imports %s, which is not in the package; add it to TAKEN in %s"
                               % (name, wanted, os.path.relpath(__file__, TOP)))


def student(upto=-1):
    """The students' package. upto: the last lab whose solution is in it."""
    package = Package()
    names = set(students_sources())
    check_imports(names)
    for name in sorted(names):
        package.take(name)
    for n in model.numbers():
        for name, text in tree.skeleton(model.load(n)).items():
            package.add("tests/labs/skeleton/%d/%s" % (n, name), text)
    for name, text in own_files():
        package.add(name, text)
    package.add("VERSION", version() + "\n")
    add_solved(package, upto)
    add_references(package)
    add_built(package, for_students=True)
    return package


def teacher():
    """The teacher's package: the whole tree, what is built, and all solutions."""
    package = Package()
    for name in source_files():
        package.take(name)
    package.add("VERSION", version() + "\n")
    add_solved(package, model.numbers()[-1])
    add_references(package)
    add_built(package)
    return package


def grader():
    """The autograder: the students' package without pages for humans, and everything that it runs (bundle.py)."""
    package = student()
    package.leave(lambda n: n.startswith(("Documentation/", "build/", "tests/labs/reference/")) or n in
                  ("Makefile", "README.md"))
    for name in source_files():
        if GRADER_MODULES.match(name):
            package.take(name)
    bundle.add(package)
    return package


def release(upto=None, only=None, level=4, say=print):
    """Writes the packages; returns their paths."""
    last = -1 if upto is None else upto
    if last > model.numbers()[-1]:
        raise LabError("UPTO=%d: there are labs up to %d" % (last, model.numbers()[-1]))
    os.makedirs(OUT, exist_ok=True)
    made = []
    for name, make in ((STUDENT, lambda: student(last)), (TEACHER, teacher), (GRADER, grader)):
        if only and name not in only:
            continue
        package = make()
        path = os.path.join(OUT, name + ".tar.xz")
        package.write(path, name, level)
        say("  %-7s %s: %d files, %.1f MB" % ("PACK", paths.shown(path), len(package.files),
                                              os.path.getsize(path) / 1e6))
        made.append(path)
    return made


def main(argv):
    ap = argparse.ArgumentParser(prog="lab release", description="Make the packages (make lab-release).")
    ap.add_argument("--upto", type=int, metavar="K", help="solutions up to lab K are in the students' package")
    ap.add_argument("--only", choices=(STUDENT, TEACHER, GRADER), action="append", help="only this one")
    ap.add_argument("--level", type=int, choices=range(10), default=4, help="how hard to compress (4)")
    args = ap.parse_args(argv)
    release(args.upto, args.only, args.level)
    return 0
