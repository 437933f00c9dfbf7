# SPDX-License-Identifier: MIT
"""Does in a sealed machine what build.py does with a student's files on the student's
own machine: the same sources, flags and results. What is not the student's
(the grader's programs for a driver, the witness) is built here as
always, or taken from a grader's package."""

import glob
import json
import os
import re
import shlex

from . import build, paths, sealed_build, sealed_pack, tree
from .build import Built
from .paths import LabError

PACKAGE = os.path.join(paths.BUILD, "grader")   # in a grader's package: what otherwise is built or installed
SEALED_SECONDS = 900    # of a whole build; generous, because each process has a limit of its own


# --- what is ours ------------------------------------------------------------------

def packaged():
    return os.path.exists(os.path.join(PACKAGE, "parts.json"))


class Parts:
    """The grader's own parts. In a source tree each is built when it is needed; a grader's package has them built."""

    def __init__(self):
        self.packaged = packaged()
        if self.packaged:
            with open(os.path.join(PACKAGE, "parts.json"), encoding="utf-8") as f:
                self.listed = json.load(f)
            self.abi = self.listed["abi"]
            self.kernel_root = os.path.realpath(os.path.join(paths.BUILD, "guest/kernel"))
        else:
            self.kernel_root = os.path.realpath(os.path.join(paths.BUILD, "guest/kernel"))
            self.abi = build.kernel_version()

    def archives(self, lab=None):
        """The compiler, and what else the lab needs: headers of the kernel, clang."""
        names = ["compiler"] + (["kernel"] if lab and lab.kind == "module" else []) + \
            (["clang"] if lab and lab.images else [])
        if self.packaged:
            return [os.path.join(PACKAGE, n + ".cpio") for n in names]
        try:
            make = {"compiler": sealed_pack.compiler, "kernel": lambda: sealed_pack.kernel(self.abi),
                    "clang": sealed_pack.clang}
            return [make[n]() for n in names]
        except OSError as err:
            raise LabError(str(err)) from None

    def compiler(self):
        """The packages of which the compiler is made, as a hash."""
        return self.listed["compiler"] if self.packaged else os.path.basename(self.archives()[0])[:-len(".cpio")]

    def image_compiler(self):
        return os.path.join(PACKAGE if self.packaged else os.path.join(paths.BUILD, "bin"), "ppu-cc")

    def witness(self):
        """The directory with witness.ko and its Module.symvers."""
        return os.path.join(PACKAGE, "witness") if self.packaged else build.witness(build.Kernel())

    def exercises(self, lab, where):
        """The grader's programs for a lab in which the student writes a module: {guest path: file}."""
        if self.packaged:
            return {"/lab/" + n: os.path.join(PACKAGE, lab.name, n) for n in lab.exercises}
        built = build.exercises(lab, None, where, "")
        if not built.ok:
            raise LabError("the grader's programs of lab %d could not be built:\n%s" % (lab.number, built.text))
        return built.puts

    def library(self, name, lab, where):
        """A static library of the project, without the units that the student writes."""
        if self.packaged:
            return os.path.join(PACKAGE, lab.name, "lib%s.a" % name)
        if lab.kind == "core" and name == "ppucore":
            return build.without_units(name, [os.path.splitext(os.path.basename(f))[0] + ".o" for f in lab.student],
                                       where)
        return os.path.join(paths.BUILD, "lib/lib%s.a" % name)

    def in_order(self, names):
        """The kernel's own modules among these names, and those that they need, in the order of loading."""
        top = os.path.join(self.kernel_root, "lib/modules", self.abi)
        depends, out = {}, []
        with open(os.path.join(top, "modules.dep"), encoding="ascii") as f:
            for line in f:
                path, _, rest = line.partition(":")
                depends[re.sub(r"\.ko.*", "", os.path.basename(path)).replace("-", "_")] = [path] + rest.split()
        for name in names:
            for path in reversed(depends.get(name.replace("-", "_"), [])):
                if path not in out:
                    out.append(path)
        return [os.path.join(top, path) for path in out]


# --- a driver -------------------------------------------------------------------------

MODULE_RECIPE = """\
make -s -C /usr/src/linux-headers-%(abi)s M=/build/module KBUILD_EXTRA_SYMBOLS=/build/witness.symvers \
	KCFLAGS=-g0 -j2 modules || exit 1
strip -g -o lab.ko module/lab.ko || exit 1
objcopy -O binary --only-section=.modinfo lab.ko info || exit 1
tr '\\0' '\\n' <info | sed -n 's/^depends=//p' >needs
"""


def read(path):
    with open(path, "rb") as f:
        return f.read()


def tree_of(top, under, pattern="**/*"):
    """{under/relative path: bytes} of the files below a directory."""
    return {under + "/" + os.path.relpath(p, top): read(p)
            for p in sorted(glob.glob(os.path.join(top, pattern), recursive=True)) if os.path.isfile(p)}


def raw(files):
    return {n: t if isinstance(t, bytes) else t.encode("utf-8", "surrogateescape") for n, t in files.items()}


def module(lab, files, parts, where):
    """(outcome, Built) of lab.ko from {name: bytes}."""
    all_files = {**raw(tree.given(lab)), **files}
    uses_drm = any(b"drm/" in t for n, t in all_files.items() if n.endswith((".c", ".h")))
    flags = build.WITNESS_FLAGS % {"lib": "/build/lib", "drm": " -DLAB_WITNESS_DRM" if uses_drm else ""}
    all_files["Kbuild"] = all_files.get("Kbuild", b"") + flags.encode()
    put = {"module/" + n: t for n, t in all_files.items()}
    put.update(tree_of(os.path.join(paths.TOP, "include"), "module/include"))
    put.update(tree_of(os.path.join(paths.LIB, "witness"), "lib/witness", "*.h"))
    put["witness.symvers"] = read(os.path.join(parts.witness(), "Module.symvers"))
    recipe, names = MODULE_RECIPE % {"abi": parts.abi} + "mkdir -p obj bin\n", ["bin/" + n for n in lab.programs]
    for name, sources in lab.programs.items():
        recipe += link_recipe(name, ["module/" + s for s in sources],
                              build.CFLAGS + ["-Imodule/include", "-Imodule", *lab.program_cflags.get(name, [])], [])
    outcome = sealed_build.build(put, recipe, ["lab.ko", "needs"] + names, parts.archives(lab), SEALED_SECONDS)
    built = Built()
    built.text = outcome.log.replace("/build/module/", "")
    if outcome.ok:
        place_module(built, lab, outcome.files, parts, where)
        place_programs(built, names, outcome.files, where)
        built.puts.update(parts.exercises(lab, os.path.join(paths.OUT, lab.name + "-grader")))
    return outcome, built


def place_module(built, lab, files, parts, where):
    """As build.pack_module(). The machine says which modules lab.ko needs."""
    ko = os.path.join(where, "lab.ko")
    with open(ko, "wb") as f:
        f.write(files["lab.ko"])
    needs = files["needs"][:4096].decode("ascii", "replace")
    names = [n for n in re.split(r"[,\s]+", needs) if re.fullmatch(r"[A-Za-z0-9_-]+", n) and n != "witness"]
    built.puts["/lab/lab.ko"] = ko
    listing = []
    for path in parts.in_order(names + list(lab.modules)) + [os.path.join(parts.witness(), "witness.ko")]:
        guest = "/lab/deps/" + os.path.basename(path)
        built.puts[guest] = path
        listing.append(guest)
    at = os.path.join(where, "modules")
    with open(at, "w", encoding="ascii") as f:
        f.write("".join(n + "\n" for n in listing))
    built.puts["/lab/modules"] = at


def place_programs(built, names, files, where):
    """Keeps programs that the machine has built."""
    for name in names:
        at = os.path.join(where, os.path.basename(name))
        with open(at, "wb") as f:
            f.write(files[name])
        os.chmod(at, 0o755)
        built.puts["/lab/" + os.path.basename(name)] = at


# --- a program, a part of the core --------------------------------------------------------

def link_recipe(name, sources, flags, archives):
    """Shell commands for build.program(). They try every source, so that the student sees all messages."""
    lines, objs = ["fail=0"], []
    for i, source in enumerate(sources):
        objs.append("obj/%s-%d.o" % (name, i))
        lines.append("gcc %s -c -o %s %s || fail=1"
                     % (" ".join(map(shlex.quote, flags)), objs[-1], shlex.quote(source)))
    lines.append("[ $fail = 0 ] || exit 1")
    lines.append("gcc -static -s -o bin/%s %s -Wl,--start-group %s -Wl,--end-group -lm -lpthread || exit 1"
                 % (name, " ".join(objs), " ".join(archives)))
    return "\n".join(lines) + "\n"


def image_recipe(name, source):
    """Shell commands for build.image()."""
    clang = " ".join(map(shlex.quote, build.CLANG))
    return ("%s -Iinclude -o obj/%s.ptx src/%s || exit 1\n" % (clang, name, source) +
            "chmod 755 ppu-cc\n./ppu-cc -o bin/%s obj/%s.ptx || exit 1\n" % (name, name))


def program(lab, files, parts, where):
    """(outcome, Built) of the guest programs with the student's files in them."""
    student = {**raw(tree.given(lab)), **files}
    put = {"src/" + n: t for n, t in student.items()}
    put.update(tree_of(os.path.join(paths.TOP, "include"), "include"))
    put.update(tree_of(paths.LIB, "lib", "*.[ch]"))
    put.update({n: t for n, t in tree_of(lab.dir, "lab").items() if n.endswith((".c", ".h", ".inc", ".def"))
                and not n.startswith("lab/src/")})
    flags = build.CFLAGS + ["-Iinclude", "-Ilib", "-Ilab", *lab.cflags, "-Isrc"]
    if lab.kind == "core":
        put.update(tree_of(os.path.join(paths.TOP, "qemu-device/core"), "device/core", "**/*.h"))
        put.update(tree_of(os.path.join(paths.TOP, "qemu-device/core"), "device/core", "**/*.inc"))
        put.update(tree_of(os.path.join(paths.TOP, "qemu-device/core"), "device/core", "**/*.def"))
        flags.append("-Idevice")
    libs = {l: "ar/lib%s.a" % l for l in lab.libs + (["ppucore"] if lab.kind == "core" else [])}
    for name, at in libs.items():
        put[at] = read(parts.library(name, lab, where))
    own = {s for sources in lab.programs.values() for s in sources}
    mine = ["src/" + n for n in lab.student if n.endswith(".c") and n not in own]
    recipe = "mkdir -p obj bin\n"
    for name, sources in lab.programs.items():
        other = lab.program_libs.get(name)
        recipe += link_recipe(name, ["src/" + s for s in sources], flags + lab.program_cflags.get(name, []),
                              libs.values() if other is None else [libs[l] for l in other])
    for name, (sources, more) in lab.exercises.items():
        lablib = ["lib/" + os.path.basename(s) for s in build.lib_sources(lab, name)]
        archives = libs.values() if more is None else [libs.get(l, "") for l in more]
        ours = [s if s.startswith(("src/", "lib/")) else "lab/" + s for s in sources]
        recipe += link_recipe(name, ours + lablib + ([] if name in lab.alone else mine), flags, archives)
    for name, source in lab.images.items():
        put["ppu-cc"] = read(parts.image_compiler())
        recipe += image_recipe(name, source)
    names = ["bin/" + n for n in [*lab.programs, *lab.exercises, *lab.images]]
    outcome = sealed_build.build(put, recipe, names, parts.archives(lab), SEALED_SECONDS)
    built = Built()
    built.text = build.NO_TRANSLATOR.sub("", outcome.log).replace("src/", "")
    place_programs(built, names if outcome.ok else [], outcome.files, where)
    return outcome, built


def build_sealed(lab, files, parts, where):
    """Build with the student's files {name: bytes}: (sealed_build.Outcome, Built)."""
    return (module if lab.kind == "module" else program)(lab, files, parts, where)
