# SPDX-License-Identifier: MIT
"""Another Debian release's packages and sources, by apt with lists of its own: nothing of this machine's is changed."""

import os
import re
import shutil
import subprocess
import types

from ppu_script import CACHE

PLACE = os.path.join(CACHE, "matrix")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class NotRun(Exception):
    """A check that could not be made: no network, not root, no tool."""


def sh(argv, log, cwd=None, env=None, stdin=subprocess.DEVNULL):
    """Run a command; what it says goes to a log."""
    with open(log, "ab") as f:
        return subprocess.run(argv, stdin=stdin, stdout=f, stderr=subprocess.STDOUT, cwd=cwd,
                              env=env or dict(os.environ, LC_ALL="C.UTF-8"), check=False).returncode


def text_of(argv, cwd=None):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=cwd,
                          env=dict(os.environ, LC_ALL="C.UTF-8"), check=False).stdout


def apt_error(log):
    """What apt complained about first, of its last run: later lines only follow from that."""
    found = []
    with open(log, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("Reading package lists"):
                found = []
            elif line.startswith("E: "):
                found.append(line[3:].strip())
    return found[0] if found else "see " + log


def row_of(suite):
    """What Archive wants to know of a release that is no row of the matrix: its main component."""
    return types.SimpleNamespace(name=suite, suite=suite, sources=["deb http://deb.debian.org/debian %s main" % suite])


class Archive:
    """apt for another release: lists of its own, nothing of this machine's."""

    def __init__(self, row):
        self.row, self.dir = row, os.path.join(PLACE, "apt-" + row.name)
        for d in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.dir, d), exist_ok=True)
        self.log = os.path.join(self.dir, "log")
        if not shutil.which("apt-get") or not os.path.exists(KEYRING):
            raise NotRun("no apt-get, or no %s" % KEYRING)
        sources = os.path.join(self.dir, "sources.list")
        with open(sources, "w", encoding="utf-8") as f:
            for line in row.sources:
                for kind in ("deb", "deb-src"):
                    f.write(re.sub(r"^deb ", "%s [signed-by=%s] " % (kind, KEYRING), line) + "\n")
        d = self.dir
        self.options = ["-o", "Dir::Etc::sourcelist=" + sources, "-o", "Dir::Etc::sourceparts=/dev/null",
                        "-o", "Dir::State::lists=%s/lists" % d, "-o", "Dir::State::status=/dev/null",
                        "-o", "Dir::Cache=%s/cache" % d, "-o", "APT::Sandbox::User=root",
                        "-o", "Acquire::Languages=none", "-o", "APT::Get::AllowUnauthenticated=false"]
        if sh(["apt-get", *self.options, "update"], self.log) or not self.show("libc6"):
            raise NotRun("the package lists of %s could not be fetched" % row.suite)

    def show(self, package):
        return text_of(["apt-cache", *self.options, "--no-all-versions", "show", package])

    def depends(self, package, pattern):
        words = re.findall(r"^(?:Pre-)?Depends: (.*)$", self.show(package), re.M)
        names = [re.sub(r"[ (:].*", "", n.strip()) for line in words for n in re.split(r"[,|]", line)]
        return [n for n in names if re.fullmatch(pattern, n)]

    def headers(self):
        """The newest kernel's headers, unpacked: the directory to build against."""
        meta = self.depends("linux-headers-amd64", r"linux-headers-\d.*")
        if not meta:
            raise NotRun("%s has no kernel headers" % self.row.suite)
        root = os.path.join(PLACE, meta[0])
        src = os.path.join(root, "usr/src")
        own = os.path.join(src, meta[0])
        if os.path.exists(os.path.join(root, "complete")):
            return own
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        names = meta + self.depends(meta[0], r"linux-(headers-.*-common|kbuild-.*)")
        if sh(["apt-get", *self.options, "download", *names], self.log, cwd=root):
            raise NotRun("%s could not be downloaded" % " ".join(names))
        for deb in [f for f in os.listdir(root) if f.endswith(".deb")]:
            if sh(["dpkg-deb", "-x", deb, "."], self.log, cwd=root):
                raise NotRun("dpkg-deb -x %s failed" % deb)
            os.unlink(os.path.join(root, deb))
        # They name the place where they would be installed.
        makefile = os.path.join(own, "Makefile")
        with open(makefile, encoding="utf-8") as f:
            text = f.read().replace("/usr/src/", src + "/")
        with open(makefile, "w", encoding="utf-8") as f:
            f.write(text)
        open(os.path.join(root, "complete"), "w", encoding="ascii").close()
        return own

    def kernel_source(self):
        """(version, archive) of the newest linux-source package that can be had: the kernel with Debian's patches."""
        names = text_of(["apt-cache", *self.options, "pkgnames", "linux-source-"]).split()
        names = [n for n in names if re.fullmatch(r"linux-source-\d+\.\d+", n)]
        for name in sorted(names, key=lambda n: [int(x) for x in n[len("linux-source-"):].split(".")], reverse=True):
            version = re.search(r"^Version: (.*)$", self.show(name), re.M)
            if not version:
                continue
            root = os.path.join(PLACE, "%s_%s" % (name, version.group(1)))
            found = os.path.join(root, name + ".tar.xz")
            if os.path.exists(found):
                return version.group(1), found
            tmp = root + ".tmp"
            shutil.rmtree(tmp, ignore_errors=True)
            os.makedirs(tmp)
            # 160 MB, and then the package is not needed any more.
            if not sh(["apt-get", *self.options, "download", name], self.log, cwd=tmp):
                deb = [f for f in os.listdir(tmp) if f.endswith(".deb")][0]
                if sh(["dpkg-deb", "-x", deb, "x"], self.log, cwd=tmp):
                    raise NotRun("dpkg-deb -x %s failed" % deb)
                os.unlink(os.path.join(tmp, deb))
                os.rename(os.path.join(tmp, "x/usr/src", name + ".tar.xz"), os.path.join(tmp, name + ".tar.xz"))
                shutil.rmtree(os.path.join(tmp, "x"))
                os.rename(tmp, root)
                return version.group(1), found
            shutil.rmtree(tmp)
        raise NotRun("%s has no kernel source that can be fetched: %s" % (self.row.suite, apt_error(self.log)))

    def qemu(self):
        """QEMU's source, unpacked."""
        versions = re.findall(r"^Version: (.*)$", text_of(["apt-cache", *self.options, "showsrc", "qemu"]), re.M)
        own = re.search(r"^Version: (.*)$", self.show("qemu-system-data"), re.M)
        if not own or own.group(1) not in versions:
            raise NotRun("%s has no QEMU source" % self.row.suite)
        return self.unpack_qemu(own.group(1))

    def newest_qemu(self):
        """The newest of QEMU's sources that can be had: the lists of a suite that moves may be ahead of the files."""
        versions = re.findall(r"^Version: (.*)$", text_of(["apt-cache", *self.options, "showsrc", "qemu"]), re.M)
        why = NotRun("%s has no QEMU source" % self.row.suite)
        while versions:
            best = versions[0]
            for v in versions[1:]:
                if subprocess.run(["dpkg", "--compare-versions", v, "gt", best], check=False).returncode == 0:
                    best = v
            try:
                return self.unpack_qemu(best)
            except NotRun as err:
                why = err
                versions = [v for v in versions if v != best]
        raise why

    def unpack_qemu(self, version):
        root = os.path.join(PLACE, "qemu-source-" + version.partition(":")[2])
        if os.path.exists(os.path.join(root, "VERSION")):
            return root
        tmp = root + ".tmp"
        shutil.rmtree(tmp, ignore_errors=True)
        os.makedirs(tmp)
        try:
            if sh(["apt-get", *self.options, "source", "--download-only", "--only-source", "qemu=" + version],
                  self.log, cwd=tmp):
                raise NotRun("QEMU %s could not be downloaded: %s" % (version, apt_error(self.log)))
            dsc = [f for f in os.listdir(tmp) if f.endswith(".dsc")]
            if not dsc or sh(["dpkg-source", "--no-check", "-x", dsc[0], "src"], self.log, cwd=tmp):
                raise NotRun("QEMU %s could not be unpacked; see %s" % (version, self.log))
            os.rename(os.path.join(tmp, "src"), root)
        finally:
            shutil.rmtree(tmp, ignore_errors=True)
        return root

    def sparse(self):
        """The release's sparse, built here from its source (one program, a minute): its path."""
        root = os.path.join(self.dir, "sparse")
        program = os.path.join(root, "src/sparse")
        if os.path.exists(program):
            return program
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        if sh(["apt-get", *self.options, "source", "--download-only", "--only-source", "sparse"], self.log, cwd=root):
            raise NotRun("sparse could not be downloaded: %s" % apt_error(self.log))
        dsc = [f for f in os.listdir(root) if f.endswith(".dsc")]
        if not dsc or sh(["dpkg-source", "--no-check", "-x", dsc[0], "src"], self.log, cwd=root) or \
                sh(["make", "-s", "-C", "src", "CC=gcc", "sparse"], self.log, cwd=root):
            raise NotRun("sparse could not be built, see " + self.log)
        return program

    def meson(self):
        """meson and pycotap of the release, which are Python and run here as well: for PYTHONPATH."""
        tools = os.path.join(self.dir, "tools")
        if not os.path.exists(tools + "/usr/lib/python3/dist-packages/mesonbuild"):
            tmp = tools + ".tmp"
            os.makedirs(tmp, exist_ok=True)
            if sh(["apt-get", *self.options, "download", "meson", "python3-pycotap"], self.log, cwd=tmp):
                raise NotRun("meson could not be downloaded, see " + self.log)
            for deb in os.listdir(tmp):
                sh(["dpkg-deb", "-x", os.path.join(tmp, deb), tools], self.log)
            shutil.rmtree(tmp)
        return tools + "/usr/lib/python3/dist-packages"
