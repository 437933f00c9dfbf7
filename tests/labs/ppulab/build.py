# SPDX-License-Identifier: MIT
"""Builds what a machine runs: lab.ko or the student's program, the grader's
programs, the witness. Each in a directory below $BUILD/labs; what has not
changed is not built again."""

import contextlib
import fcntl
import glob
import hashlib
import os
import re
import shutil
import subprocess

from . import paths, tree
from .paths import LabError

CFLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fno-strict-aliasing"]
ENV = dict(os.environ, LC_ALL="C", PATH="/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:" + os.environ.get("PATH", ""))
for _var in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
    ENV.pop(_var, None)


class Built:
    """The result of a build. puts: {path in the guest: file}; text: the compiler's messages, with the student's
    file names; module_files: the modules that lab.ko needs, in the order of loading, in the guest's /lab/modules."""

    def __init__(self):
        self.ok = True
        self.text = ""
        self.puts = {}

    def fail(self, text):
        self.ok = False
        self.text += text


@contextlib.contextmanager
def lock(where):
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, ".lock"), "w", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def kernel_version():
    try:
        with open(os.path.join(paths.cache(), "kernel-version"), encoding="ascii") as f:
            return os.environ.get("PPU_KERNEL") or f.read().strip()
    except OSError:
        raise LabError("the guest's kernel is not there; `make vm` gets it") from None


class Kernel:
    """The kernel a module is built for, and its own modules."""

    def __init__(self, debug=False):
        self.debug = debug
        if debug:
            base = os.path.join(paths.BUILD, "guest/kernel-debug")
            if not os.path.exists(os.path.join(base, "complete")):
                raise LabError("the bonus run needs the debug kernel: `make debug-kernel` builds it (long, once)")
            self.root = os.path.realpath(base)
            self.headers = os.path.join(self.root, "build")
            self.args = ["KCOV_INSTRUMENT=n", "UBSAN_SANITIZE=y"]
        else:
            self.root = os.path.realpath(os.path.join(paths.BUILD, "guest/kernel"))
            self.headers = os.environ.get("KDIR") or "/usr/src/linux-headers-" + kernel_version()
            self.args = []
        if not os.path.isdir(self.headers) or not os.path.isdir(os.path.join(self.root, "lib/modules")):
            raise LabError("the guest's kernel or its headers (%s) are not there; `make vm` gets them" % self.headers)
        self.abi = os.listdir(os.path.join(self.root, "lib/modules"))[0]

    def out(self, name):
        return os.path.join(paths.OUT, name + ("-debug" if self.debug else ""))

    def needed(self, module):
        """The kernel's own modules that a module needs, in the order of loading."""
        text = subprocess.run(["modinfo", "-F", "depends", module], capture_output=True, text=True, env=ENV,
                              check=False).stdout.strip()
        return self.in_order(filter(None, text.split(",")))

    def in_order(self, names):
        out = []
        for name in names:
            text = subprocess.run(["modprobe", "-d", self.root, "-S", self.abi, "--show-depends", name],
                                  capture_output=True, text=True, env=ENV, check=False).stdout
            out += [l.split()[1] for l in text.splitlines() if l.startswith("insmod ")]
        return list(dict.fromkeys(out))


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogateescape"))
        h.update(b"\0")
    return h.hexdigest()


def contents(files):
    return [part for path in sorted(files) for part in (path, open(path, "rb").read())]


class Stamp:
    """Remembers whether a step was done with the same input, and what the step printed then."""

    def __init__(self, path, key):
        self.path, self.key = path, key

    def done(self):
        try:
            with open(self.path, encoding="utf-8") as f:
                key, _, text = f.read().partition("\n")
        except OSError:
            return None
        return text if key == self.key else None

    def set(self, text):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(self.key + "\n" + text)


def kbuild(kernel, where, *args):
    """Runs kbuild. Returns (whether it succeeded, what it printed)."""
    res = subprocess.run(["make", "-C", kernel.headers, "M=" + where, "-j2", *kernel.args, *args, "modules"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", env=ENV, check=False)
    noise = re.compile(r"^make|^  (CC|HOSTCC|LD|MODPOST|AR|CHECK|BTF)\b|Skipping BTF|^$")
    return res.returncode == 0, "".join(l + "\n" for l in res.stdout.splitlines() if not noise.search(l))


def witness(kernel):
    """Builds the grader's module; returns the directory."""
    where = kernel.out("witness")
    source = os.path.join(paths.LIB, "witness")
    with lock(where):
        stamp = Stamp(os.path.join(where, ".stamp"), digest(kernel.headers, *contents(glob.glob(source + "/*"))))
        if stamp.done() is None:
            for name in os.listdir(source):
                shutil.copy(os.path.join(source, name), where)
            ok, text = kbuild(kernel, where)
            if not ok:
                raise LabError("the grader's module witness.ko could not be built:\n" + text)
            stamp.set("")
    return where


WITNESS_FLAGS = """
# Added by scripts/lab: see tests/labs/lib/witness/lab_witness.h
ccflags-y += -I%(lib)s/witness -include %(lib)s/witness/lab_witness.h%(drm)s
"""


def link(target, at):
    if not os.path.islink(at) or os.readlink(at) != target:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(at)
        os.symlink(target, at)


def lay_out(where, files):
    """Makes the directory hold exactly these sources. A file whose text is the same keeps its time."""
    for name, text in files.items():
        tree.write_if_changed(os.path.join(where, name), text)
    for name in tree.read_sources(where):
        if name not in files:
            os.unlink(os.path.join(where, name))
    link(os.path.join(paths.TOP, "include"), os.path.join(where, "include"))


def name_files(text, where, shown):
    """The compiler's messages, with the file names that the student knows."""
    return text.replace(os.path.realpath(where) + "/", shown).replace(where + "/", shown)


def module(lab, files, where, kernel, shown=""):
    """Builds lab.ko, and finds the modules that it needs."""
    built = Built()
    files = dict(tree.given(lab), **files)
    uses_drm = any("drm/" in t for n, t in files.items() if n.endswith((".c", ".h")))
    files["Kbuild"] = files.get("Kbuild", "") + WITNESS_FLAGS % {
        "lib": paths.LIB, "drm": " -DLAB_WITNESS_DRM" if uses_drm else ""}
    symbols = os.path.join(witness(kernel), "Module.symvers")
    headers = glob.glob(paths.LIB + "/witness/*.h") + glob.glob(paths.TOP + "/include/hw/*.h") + [symbols]
    ko = os.path.join(where, "lab.ko")
    with lock(where):
        stamp = Stamp(os.path.join(where, ".stamp"),
                      digest(kernel.headers, *[p for n in sorted(files) for p in (n, files[n])], *contents(headers)))
        text = stamp.done()
        if text is None or not os.path.exists(ko):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(stamp.path)
            lay_out(where, files)
            built.ok, text = kbuild(kernel, where, "KBUILD_EXTRA_SYMBOLS=" + symbols)
            if built.ok:
                subprocess.run(["strip", "-g", "-o", ko + ".stripped", ko], env=ENV, check=False)
                with open(os.path.join(where, "needs"), "w", encoding="utf-8") as f:
                    f.write("".join(n + "\n" for n in kernel.needed(ko) + kernel.in_order(lab.modules)))
                stamp.set(text)
        built.text = name_files(text, where, shown)
        if built.ok:
            pack_module(built, where, kernel)
    return built


def pack_module(built, where, kernel):
    with open(os.path.join(where, "needs"), encoding="utf-8") as f:
        needed = f.read().split()
    built.puts["/lab/lab.ko"] = os.path.join(where, "lab.ko.stripped")
    names = []
    for path in needed + [os.path.join(kernel.out("witness"), "witness.ko")]:
        guest = "/lab/deps/" + os.path.basename(path)
        built.puts[guest] = path
        names.append(guest)
    listing = os.path.join(where, "modules")
    tree.write_if_changed(listing, "".join(n + "\n" for n in names))
    built.puts["/lab/modules"] = listing


def compile_c(source, obj, flags):
    os.makedirs(os.path.dirname(obj), exist_ok=True)
    return subprocess.run(["gcc", *CFLAGS, *flags, "-c", "-o", obj, source], capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, env=ENV, check=False)


# What the linker says of the device core's translator: a static program cannot open the library that the translator
# needs, and interprets.
NO_TRANSLATOR = re.compile(r"^.*\blib(?:ppucore|lab\d+)\.a\(.*in function `.*':\n.*Using 'dlopen' in statically linked.*\n?", re.M)


def program(name, sources, where, flags, libs, shown="", where_src="", archives=()):
    """Link a static guest program of C sources, into where/bin/NAME: a Built."""
    built = Built()
    out = os.path.join(where, "bin", name)
    archives = list(archives) + [os.path.join(paths.BUILD, "lib/lib%s.a" % l) for l in libs]
    for lib in archives:
        if not os.path.exists(lib):
            raise LabError("%s is not there; `make` builds it" % paths.shown(lib))
    near = {os.path.dirname(s) for s in sources} | {f[2:] for f in flags if f.startswith("-I")}
    headers = sorted({h for d in near for h in glob.glob(d + "/*.h") + glob.glob(d + "/hw/*.h")})
    key = digest(*flags, *[s for s in sources], *contents(sources + headers),
                 *["%s %d" % (l, os.stat(l).st_mtime_ns) for l in archives])
    stamp = Stamp(out + ".stamp", key)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    text = stamp.done()
    if text is None or not os.path.exists(out):
        text, objs = "", []
        for i, source in enumerate(sources):
            objs.append(os.path.join(where, "obj", name, "%d-%s.o" % (i, os.path.basename(source))))
            res = compile_c(source, objs[-1], flags)
            text += res.stderr
            built.ok = built.ok and res.returncode == 0
        if built.ok:
            res = subprocess.run(["gcc", "-static", "-s", "-o", out, *objs, "-Wl,--start-group", *archives,
                                  "-Wl,--end-group", "-lm", "-lpthread"], capture_output=True, text=True,
                                 errors="replace", stdin=subprocess.DEVNULL, env=ENV, check=False)
            text += NO_TRANSLATOR.sub("", res.stderr)
            built.ok = res.returncode == 0
        if built.ok:
            stamp.set(text)
    built.text = name_files(text, where_src, shown) if where_src else text
    built.puts["/lab/" + name] = out
    return built


# Device code: clang's NVPTX needs no SDK, and ppu-cc makes the device's instructions from clang's output.
CLANG = ["clang", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_60", "-nocudainc", "-nocudalib",
         "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-O2", "-fno-builtin", "-ffp-contract=off", "-Wall", "-S",
         "-Wno-unknown-cuda-version"]


def image(name, source, where, src, shown=""):
    """An image of device code, where/bin/NAME: a Built."""
    built = Built()
    out, ptx = os.path.join(where, "bin", name), os.path.join(where, "obj", name + ".ptx")
    compiler = os.path.join(paths.BUILD, "bin/ppu-cc")
    if not os.path.exists(compiler):
        raise LabError("%s is not there; `make` builds it" % paths.shown(compiler))
    key = digest(os.stat(compiler).st_mtime_ns, *CLANG, *contents(
        glob.glob(src + "/*.h") + glob.glob(src + "/*.cu") + glob.glob(paths.TOP + "/include/hw/*.h")))
    for path in (out, ptx):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    stamp = Stamp(out + ".stamp", key)
    text = stamp.done()
    if text is None or not os.path.exists(out):
        text = ""
        for argv in ([*CLANG, "-I" + os.path.join(paths.TOP, "include"), "-o", ptx, os.path.join(src, source)],
                     [compiler, "-o", out, ptx]):
            res = subprocess.run(argv, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                 env=ENV, check=False)
            text += res.stdout + res.stderr
            if res.returncode:
                built.ok = False
                break
        if built.ok:
            stamp.set(text)
    built.text = name_files(text, src, shown)
    built.puts["/lab/" + name] = out
    return built


def without_units(library, names, where):
    """A copy of a static library of ours without the objects that the student writes."""
    source = os.path.join(paths.BUILD, "lib/lib%s.a" % library)
    if not os.path.exists(source):
        raise LabError("%s is not there; `make` builds it" % paths.shown(source))
    copy = os.path.join(where, "lib%s.a" % library)
    stamp = Stamp(copy + ".stamp", digest(source, os.stat(source).st_mtime_ns, *names))
    if stamp.done() is None:
        os.makedirs(where, exist_ok=True)
        shutil.copy(source, copy)
        members = subprocess.run(["ar", "t", copy], capture_output=True, text=True, check=True, env=ENV).stdout.split()
        gone = [n for n in names if n in members]
        for n in set(names) - set(gone):
            # A package's library never has the unit. A tree's library without the unit is older than the unit's file.
            if glob.glob(os.path.join(paths.TOP, "qemu-device/core/**", n[:-2] + ".c"), recursive=True):
                raise LabError("%s has no %s: it is older than the sources; `make` builds it anew" %
                               (paths.shown(source), n))
        if gone:
            subprocess.run(["ar", "d", copy, *gone], check=True, env=ENV)
        subprocess.run(["ranlib", copy], check=True, env=ENV)
        stamp.set("")
    return copy


def lib_sources(lab, name):
    """The sources in tests/labs/lib that a program of a lab has without naming them: lablib, and those for drivers with
    DRM ioctls."""
    if name in lab.alone:
        return []
    drm = ["labdrm.c", "labsync.c"] if lab.cumulative and lab.number >= 4 else []
    return sorted(glob.glob(os.path.join(paths.LIB, "lablib*.c")) + [os.path.join(paths.LIB, n) for n in drm])


def exercises(lab, files, where, shown):
    """Builds the grader's programs, with the student's files unless those are a module, and the student's own programs,
    unless files is None. Our own mistakes raise."""
    total = Built()
    flags = ["-I" + os.path.join(paths.TOP, "include"), "-I" + paths.LIB, "-I" + lab.dir, "-I/usr/include/libdrm",
             *lab.cflags]
    student, archives, libs = [], [], list(lab.libs)
    src = os.path.join(where, "src")
    if lab.cumulative:
        # The driver's ioctls, as they are in this lab.
        tree.write_if_changed(os.path.join(where, "uapi/lab_uapi.h"), tree.given(lab)["lab_uapi.h"])
        flags.append("-I" + os.path.join(where, "uapi"))
    programs = lab.programs if files is not None else {}
    if lab.kind != "module" or lab.programs:
        files = dict(tree.given(lab), **(files or {}))
        os.makedirs(src, exist_ok=True)
        lay_out(src, files)
        flags.append("-I" + src)
    if lab.kind != "module":
        student = [os.path.join(src, n) for n in lab.student if n.endswith(".c")]
    if lab.kind == "core":
        flags.append("-I" + os.path.join(paths.TOP, "qemu-device"))
        units = [os.path.splitext(os.path.basename(n))[0] + ".o" for n in lab.student]
        libs = [l for l in libs if l != "ppucore"]
        archives = [without_units("ppucore", units, where)]
    for name, source in lab.images.items():
        merge(total, image(name, source, where, src, shown))
    own = {os.path.join(src, s) for sources in programs.values() for s in sources}
    for name, sources in programs.items():
        other = lab.program_libs.get(name)
        merge(total, program(name, [os.path.join(src, s) for s in sources], where, flags + lab.program_cflags.get(name, []),
                             libs if other is None else other, shown, src, archives))
    for name, (sources, more) in lab.exercises.items():
        # src/NAME: a given file that is handed out with the skeleton.  lib/NAME: of tests/labs/lib.
        paths_ = [os.path.join(where if s.startswith("src/") else paths.LABS if s.startswith("lib/") else lab.dir, s)
                  for s in sources] + lib_sources(lab, name)
        mine = [s for s in student if s not in own and name not in lab.alone]
        one = program(name, paths_ + mine, where, flags, libs if more is None else more, shown, src, archives)
        if not one.ok and lab.kind == "module":
            raise LabError("the grader's program %s could not be built:\n%s" % (name, one.text))
        merge(total, one)
    return total


def merge(total, one):
    total.ok = total.ok and one.ok
    if one.text not in total.text:
        total.text += one.text
    total.puts.update(one.puts)


def build(lab, files, where, shown="", debug=False):
    """Builds everything that the machines need for this lab, with the student's files."""
    kernel = Kernel(debug) if lab.kind == "module" or debug else None
    with lock(where):
        total = exercises(lab, files, where, shown)
    if lab.kind == "module":
        merge(total, module(lab, files, os.path.join(where, "module" + ("-debug" if debug else "")), kernel, shown))
    return total
