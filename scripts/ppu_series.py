# SPDX-License-Identifier: MIT
"""What scripts/qemu-series and scripts/kernel-series have in common: the newest source that Debian has, a small
repository of the files that a series touches, commits in it, patches from these."""

import os
import re
import shutil

from ppu_archive import Archive, NotRun, row_of, sh

SUITES = ("sid", "trixie")          # the newest first


def say(what, text):
    print("  %-7s %s" % (what, text), flush=True)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def changed(text, pattern, new):
    """The text with the first match of the pattern replaced; there must be one."""
    out, n = re.subn(pattern, new, text, count=1, flags=re.M)
    if not n:
        raise NotRun("the source's files are not as expected: no %s" % pattern)
    return out


def c_files(root):
    for where, _, names in os.walk(root):
        for n in sorted(names):
            if n.endswith((".c", ".h", ".S", ".inc", ".def")):
                yield os.path.relpath(os.path.join(where, n), root)


def newest(get):
    """(archive, get(archive)) of the first suite from which the source can be fetched: lists may be ahead of files."""
    why = []
    for suite in SUITES:
        try:
            archive = Archive(row_of(suite))
            return archive, get(archive)
        except NotRun as err:
            why.append(str(err))
    raise NotRun("; ".join(why))


class Series:
    """A repository in PLACE/tree, whose first commit is the source's own files, as far as they are touched."""

    def __init__(self, place, src, touched, who="PPU <ppu@localhost>"):
        self.tree, self.log, self.count = os.path.join(place, "tree"), os.path.join(place, "git.log"), 0
        self.who = re.fullmatch(r"(.+) <(.+@.+)>", who)
        if not self.who:
            raise NotRun("%s: not of the form NAME <ADDRESS>" % who)
        shutil.rmtree(self.tree, ignore_errors=True)
        for name in touched:
            kept = os.path.join(src, name + ".before-ppu")
            write(self.tree, name, read(kept if os.path.exists(kept) else os.path.join(src, name)))
        self.git("init", "-q")
        self.commit("base", "The files that the series touches.")
        self.count = 0

    def git(self, *args):
        who = ["-c", "user.name=" + self.who[1], "-c", "user.email=" + self.who[2], "-c", "commit.gpgsign=false"]
        if sh(["git", *who, *args], self.log, cwd=self.tree):
            raise NotRun("git %s failed, see %s" % (args[0], self.log))

    def commit(self, subject, body):
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", subject, "-m", body)
        self.count += 1

    def patches(self, out, *options):
        shutil.rmtree(out, ignore_errors=True)
        self.git("format-patch", "-q", "-o", out, *options, "HEAD~%d" % self.count)

    def take_over(self, src, touched, owned):
        """The series' files into the source that is built; what they replace is kept. owned: its own folders."""
        for name in touched:
            kept = os.path.join(src, name + ".before-ppu")
            if not os.path.exists(kept):
                shutil.copy2(os.path.join(src, name), kept)
        for name in owned:
            os.makedirs(os.path.join(src, name), exist_ok=True)
            if sh(["rsync", "-rc", "--delete", "%s/%s/" % (self.tree, name), "%s/%s/" % (src, name)], self.log):
                raise NotRun("rsync failed, see " + self.log)
        if sh(["rsync", "-rc", "--exclude=.git", self.tree + "/", src + "/"], self.log):
            raise NotRun("rsync failed, see " + self.log)
