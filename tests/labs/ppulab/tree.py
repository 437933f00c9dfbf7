# SPDX-License-Identifier: MIT
"""The files of a lab: skeletons, solved states, and the student's directory.

In the source tree all of them are cut from the marked sources. A student's
package does not have those: tests/labs/skeleton/N has the skeleton of lab N
without the files of earlier labs. If the teacher handed out solutions,
tests/labs/solved/N has the files of labs up to N as they should be."""

import os

from . import cut, model, paths
from .paths import LabError

SKIP = (".o", ".ko", ".mod", ".cmd", ".orig", ".rej", "~")


def has_source(lab):
    return os.path.isdir(lab.source) and (lab.marked is None or lab.marked() is not None)


def read_dir(top):
    """{relative path: text} of a directory."""
    out = {}
    for where, dirs, files in os.walk(top):
        dirs[:] = sorted(d for d in dirs if not d.startswith("."))
        for f in sorted(files):
            if not f.endswith(SKIP) and not f.startswith("."):
                path = os.path.join(where, f)
                with open(path, encoding="utf-8") as file:
                    out[os.path.relpath(path, top)] = file.read()
    return out


def cut_all(lab, solved):
    """All files of a lab's source as they are in this lab."""
    out = {}
    files = read_dir(lab.source)
    if lab.marked is not None:
        files.update(lab.marked())
    for name, text in files.items():
        text = cut.cut(text, lab.number, solved, os.path.relpath(os.path.join(lab.source, name), paths.TOP),
                       lab.without)
        if text is not None:
            out[name] = text
    return out


def skeleton(lab):
    """The skeleton of a lab, without the files of earlier labs."""
    if has_source(lab):
        files, early = cut_all(lab, False), model.earlier_files(lab)
        return {n: t for n, t in files.items() if n not in early}
    top = os.path.join(paths.SKELETON, str(lab.number))
    if not os.path.isdir(top):
        raise LabError("neither %s nor %s is there: this package lacks lab %d"
                       % (paths.shown(lab.source), paths.shown(top), lab.number))
    return read_dir(top)


def solved_dir(number):
    return os.path.join(paths.SOLVED, str(number))


def solution(lab):
    """The files of the labs up to this one, solved, as a student should have written them. None: not here."""
    if has_source(lab):
        files = cut_all(lab, True)
        names = list(model.earlier_files(lab)) + lab.student
        return {n: files[n] for n in names if n in files}
    top = solved_dir(lab.number)
    return read_dir(top) if os.path.isdir(top) else None


def given(lab):
    """The files of the course in a build of the lab: never the student's."""
    mine = set(model.earlier_files(lab)) | set(lab.student)
    return {n: t for n, t in skeleton(lab).items() if n not in mine}


def submitted(lab, top):
    """The student's files in a directory: of this lab and, for a driver that grows, of earlier labs."""
    if not os.path.isdir(top):
        raise LabError("there is no directory %s; `make lab N=%d` makes it" % (paths.shown(top), lab.number))
    out, missing = {}, []
    for name in list(model.earlier_files(lab)) + lab.student:
        path = os.path.join(top, name)
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                out[name] = f.read()
        except OSError:
            missing.append(name)
    if missing:
        raise LabError("%s has no file %s; `make lab N=%d` in another directory (LAB=DIR) shows what it was"
                       % (paths.shown(top), " and no ".join(missing), lab.number))
    return out


def write_if_changed(path, text):
    """If the text is the same, the file keeps its time, so nothing is built twice."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            if f.read() == text:
                return False
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    return True


def read_sources(top):
    """The names of C sources and headers directly in a directory, without files that kbuild makes."""
    return [n for n in os.listdir(top) if n.endswith((".c", ".h")) and not n.endswith(".mod.c")
            and not os.path.islink(os.path.join(top, n))]
