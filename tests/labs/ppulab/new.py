# SPDX-License-Identifier: MIT
"""make lab: makes a working directory for the student. No file is ever overwritten."""

import os

from . import model, paths, tree
from .paths import LabError


def earlier(lab, solved, source):
    """The files of earlier labs, and where these come from: (files, sentence)."""
    names = model.earlier_files(lab)
    if not names:
        return {}, None
    before = model.load(max(names.values()))
    mine = os.path.abspath(source) if source else os.path.join(paths.student_root(), before.name)
    if source or (os.path.isdir(mine) and not solved):
        files = tree.submitted(before, mine)
        return {n: files[n] for n in names}, "from %s" % paths.shown(mine)
    files = tree.solution(before)
    if files is not None:
        return {n: files[n] for n in names}, "as they should be"
    raise LabError(
        "lab %d goes on with the files of labs 1 to %d. There is no %s with yours (FROM=DIR if they are elsewhere), and "
        "this package has no solutions. Your teacher can hand out the solved state: a file solved-%d.tar.xz, to be "
        "unpacked in %s; then SOLVED=1 works" % (lab.number, before.number, paths.shown(mine), before.number,
                                                 paths.shown(paths.SOLVED)))


def new(number, top=None, solved=False, source=None):
    lab = model.load(number)
    top = os.path.abspath(top or os.path.join(paths.student_root(), lab.name))
    old, whence = earlier(lab, solved, source)
    files = {**tree.skeleton(lab), **old}
    there = [n for n in sorted(files) if os.path.lexists(os.path.join(top, n))]
    if there:
        raise LabError("%s already has %s: nothing was changed. Work on there, move the directory away, or choose "
                       "another one with LAB=DIR" % (paths.shown(top), ", ".join(there[:4])
                                                     + (", ..." if len(there) > 4 else "")))
    for name in sorted(files):
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as f:
            f.write(files[name])
    tell(lab, top, old, whence)
    return 0


def tell(lab, top, old, whence):
    default = top == os.path.join(paths.student_root(), lab.name)
    print("Lab %d: %s" % (lab.number, lab.title))
    print("  made:   " + paths.shown(top) + "/")
    print("  read:   Documentation/labs/" + lab.page)
    print("  write:  " + ", ".join(lab.student))
    if old:
        print("  before: %s, %s" % (", ".join(sorted(old)), whence))
    print("  check:  make check-lab N=%d%s" % (lab.number, "" if default else " LAB=" + paths.shown(top)))
