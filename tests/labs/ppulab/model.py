# SPDX-License-Identifier: MIT
"""What a lab is made of: the student's files, guest programs, scenarios (runs
of a machine), criteria (points)."""

import importlib.util
import os
import re
import sys

from . import paths

KINDS = ("module", "program", "core")
KERNEL = (*range(1, 9), 11, 12)     # the labs whose driver grows from one to the next


class Scenario:
    """One run of a machine.

    cmd        the guest program and its arguments; the program is one of the lab's exercises
    props      properties of the device; timeout: in seconds; append: arguments of the kernel
    trace      whether the device writes a trace; "program": the guest's program reports one, as rows "trace" with words
               h<hexadecimal bytes>
    env        environment variables of the guest program
    product    load ppu.ko, the product's driver
    bonus      this scenario runs only on the debug kernel (all other scenarios run there as well)
    debug      False: this scenario does not run on the debug kernel
    pack       more files, {path in the guest: path below the build or the source tree}
    vm         more arguments for scripts/vm"""

    def __init__(self, name, cmd, props=None, append="", trace=False, timeout=60, env=None, product=False,
                 bonus=False, debug=True, pack=None, smp=None, mem=None, sms=None, vram=None, iommu=False,
                 icount=False, vm=()):
        self.name, self.cmd, self.props, self.append = name, list(cmd), dict(props or {}), append
        self.trace, self.timeout, self.env, self.product = trace, timeout, dict(env or {}), product
        self.bonus, self.debug, self.pack = bonus, debug, dict(pack or {})
        self.smp, self.mem, self.sms, self.vram = smp, mem, sms, vram
        self.iommu, self.icount, self.vm = iommu, icount, list(vm)


class Criterion:
    """A part of the grade: func(c, runs) takes points away."""

    def __init__(self, name, points, text, func, runs, partial):
        self.name, self.points, self.text, self.func = name, points, text, func
        self.runs, self.partial = runs, partial


class Leave(Exception):
    """A criterion has seen enough."""


class Card:
    """The points of one criterion, and why some are lost."""

    def __init__(self, criterion):
        self.criterion = criterion
        self.name, self.text, self.max = criterion.name, criterion.text, criterion.points
        self.points = criterion.points
        self.lost = []          # (points, sentence)
        self.broken = False     # the grader itself made a mistake

    def lose(self, points, sentence):
        """Takes points away, at most those that are left. A sentence counts only once."""
        if any(sentence == s for _, s in self.lost):
            return
        points = min(points, self.points)
        self.points -= points
        self.lost.append((points, sentence))

    def fail(self, sentence):
        """Takes away all points that are left."""
        self.lose(self.points, sentence)

    def require(self, condition, sentence):
        """Unless the condition holds: fail(), and leave the criterion."""
        if not condition:
            self.fail(sentence)
            raise Leave


class Lab:
    """number, title, page: as in Documentation/labs. student: the files that the student writes. Those of earlier labs
    come from the student's directory, too; all other files are the course's.

    kind        "module": lab.ko is made of the student's files; "program": they are linked with the guest program;
                "core": they replace units of the device's core, and are linked with the guest program
    source      directory below tests/labs of the marked source (default: driver, or labN/src)
    marked      a function that returns more marked sources, {name: marked text}, made from files elsewhere; None:
                those files are not here
    without     earlier labs of the driver that this one does not build on: the driver is as if they did not exist
    package     more files of the source tree that the students' package needs, as patterns
    libs        our static libraries that the guest programs are linked with ("ppu", "ppucore")
    cflags      more flags for the guest programs and the student's user-space files"""

    def __init__(self, number, title, page, kind="module", student=(), source=None, libs=(), cflags=(),
                 marked=None, package=(), without=()):
        assert kind in KINDS, "kind %r: one of %s" % (kind, ", ".join(KINDS))
        self.number, self.title, self.page, self.kind = number, title, page, kind
        self.student, self.libs, self.cflags = list(student), list(libs), list(cflags)
        self.cumulative = kind == "module" and source in (None, "driver")
        self.dir = os.path.join(paths.LABS, "lab%d" % number)
        self.source = os.path.join(paths.LABS, source or ("driver" if self.cumulative else "lab%d/src" % number))
        self.exercises = {}     # name -> list of sources
        self.alone = set()      # names of those without lablib
        self.marked, self.package, self.without = marked, list(package), frozenset(without)
        self.programs = {}      # name -> the student's sources
        self.images = {}        # name -> a file of device code
        self.program_cflags = {}
        self.program_libs = {}
        self.scenarios = {}
        self.criteria = []
        self.modules = []       # more modules of the guest's kernel to load first, by name
        self.pictures = []
        self.drawers = {}       # scenario -> None or a function that draws it
        self.ignored = {}       # scenario -> None or events that do not matter in its picture
        self.skeleton_points = 0
        self.bonus_points = 10

    @property
    def name(self):
        return "lab%d" % self.number

    def exercise(self, *sources, name=None, libs=None):
        """A guest program of the grader, from sources in labN/ (src/NAME: a given file of the skeleton; lib/NAME: of
        tests/labs/lib); its name is that of the first source without .c. If the student's files are no module, they are
        linked with the program."""
        self.exercises[name or os.path.splitext(os.path.basename(sources[0]))[0]] = (list(sources), libs)

    def helper(self, *sources, name, libs):
        """A program of the grader that an exercise starts: it has neither lablib nor the student's files."""
        self.exercise(*sources, name=name, libs=libs)
        self.alone.add(name)

    def program(self, name, *sources, cflags=(), libs=None):
        """The student's files are a program of their own, /lab/NAME in the guest, and with kind "module" these files are no
        part of lab.ko; main() may come from a library of the course. cflags: more flags for these files. libs: other
        libraries than the lab's."""
        self.programs[name] = list(sources)
        self.program_libs[name] = libs
        self.program_cflags[name] = list(cflags)

    def image(self, name, source):
        """Code for the GPU, /lab/NAME in the guest. clang and ppu-cc make it from a CUDA C file: the student's, or one
        of the course that includes the student's."""
        self.images[name] = source

    def scenario(self, name, cmd, **options):
        assert name not in self.scenarios, "two scenarios %r" % name
        self.scenarios[name] = Scenario(name, cmd, **options)

    def criterion(self, name, points, text, runs=None, partial=False):
        """runs: the scenarios that the criterion looks at (default: all). If one of them died, the criterion is lost,
        with a sentence; with partial=True only the points for what was not observed are lost (a missing r.obs)."""
        def add(func):
            assert name not in [c.name for c in self.criteria], "two criteria %r" % name
            self.criteria.append(Criterion(name, points, text, func, runs, partial))
            return func
        return add

    def picture(self, scenario, ignore=None, draw=None):
        """The trace of this scenario is drawn beside the reference trace. ignore: events that may well differ, for
        ppu-trace --ignore, such as "default,DIV_*". draw(reference, trace, svg): draws instead of ppu-trace."""
        self.pictures.append(scenario)
        self.ignored[scenario] = ignore
        self.drawers[scenario] = draw

    def runs_of(self, criterion):
        return list(self.scenarios) if criterion.runs is None else list(criterion.runs)

    def check(self):
        """Mistakes in the lab's own description, as sentences."""
        out = []
        total = sum(c.points for c in self.criteria)
        if total != 100:
            out.append("the criteria of lab %d add up to %d points, not 100" % (self.number, total))
        for c in self.criteria:
            out += ["criterion %r looks at %r, which is no scenario" % (c.name, r)
                    for r in self.runs_of(c) if r not in self.scenarios]
        out += ["picture %r is no scenario" % p for p in self.pictures if p not in self.scenarios]
        for s in self.scenarios.values():
            if s.cmd[0] not in self.exercises and s.cmd[0] not in self.programs:
                out.append("scenario %r runs %r, which is no exercise" % (s.name, s.cmd[0]))
        out += ["scenario %r has no trace for the picture" % p for p in self.pictures
                if p in self.scenarios and not self.scenarios[p].trace]
        return out


def load_file(path, name):
    if paths.LABS not in sys.path:
        sys.path.insert(0, paths.LABS)
    # A lab may have helpers of its own beside grade.py. Importing them must leave no __pycache__ in the tree.
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_labs = {}


def load(number):
    """The lab with this number."""
    if number not in _labs:
        path = os.path.join(paths.LABS, "lab%d/grade.py" % number)
        if not os.path.exists(path):
            raise paths.LabError("there is no lab %d (there are: %s)"
                                 % (number, ", ".join(map(str, numbers())) or "none"))
        lab = load_file(path, "ppulab_lab%d" % number).lab
        assert lab.number == number, "%s says it is lab %d" % (path, lab.number)
        _labs[number] = lab
    return _labs[number]


def numbers():
    """The numbers of all labs."""
    found = [re.fullmatch(r"lab(\d+)", d) for d in os.listdir(paths.LABS)]
    return sorted(int(m.group(1)) for m in found
                  if m and os.path.exists(os.path.join(paths.LABS, m.group(), "grade.py")))


def earlier_files(lab):
    """The files of earlier labs that this one builds on: {name: number of the lab}."""
    out = {}
    if lab.cumulative:
        for n in numbers():
            if n < lab.number and n in KERNEL and n not in lab.without:
                out.update((f, n) for f in load(n).student)
    return out
