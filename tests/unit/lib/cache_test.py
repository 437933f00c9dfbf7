# SPDX-License-Identifier: MIT
"""Tests of scripts/cache, with caches of some small files. TAP."""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

from tap import failed, is_

TOP = os.environ.get("PPU_TOP") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
QEMU, DEBUG, KERNEL = "qemu-7.2-1-release-0123456789ab", "kernel-debug-0123456789ab", "kernel-6.1.0-1-amd64"


def cache(where, *args):
    env = dict(os.environ, PPU_CACHE=where)
    r = subprocess.run([os.path.join(TOP, "scripts/cache"), *args], env=env, capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def write(path, text="x"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def fill(where):
    for entry in (DEBUG, KERNEL):
        write("%s/%s/complete" % (where, entry))
        write("%s/%s/vmlinux" % (where, entry), "kernel " + entry)
    write("%s/%s/qemu-system-x86_64" % (where, QEMU), "qemu")
    os.symlink("qemu-system-x86_64", "%s/%s/link" % (where, QEMU))
    os.chmod("%s/%s/qemu-system-x86_64" % (where, QEMU), 0o755)
    write(where + "/kernel-version", "6.1.0-1-amd64\n")
    write(where + "/kernel-6.2.0-1-amd64/vmlinux", "half done")
    write(where + "/kernel-debug-ffffffffffff.tmp/complete")
    write(where + "/log/some.log")
    write(where + "/secret", "mine")


def archive(path, manifest, members):
    """An archive as `export` writes it, but with what the test says; and its sum."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for info, text in [(tarfile.TarInfo("ppu-cache.json"), json.dumps(manifest))] + members:
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    with open(path, "wb") as f:
        subprocess.run(["zstd", "-qc"], input=data.getvalue(), stdout=f, check=True)
    summed = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout
    write(path + ".sha256", summed)


def key_of(file):
    """The key that `export` wrote into an archive."""
    plain = subprocess.run(["zstd", "-dqc", file], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        return json.load(tar.extractfile("ppu-cache.json"))["key"]


def member(name, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def round_trip(tmp):
    a, file = tmp + "/a", tmp + "/cache.tar.zst"
    is_(cache(a, "export", file)[0], 1, "an empty cache is not exported")
    fill(a)
    status, text = cache(a, "list")
    is_((status, [line.split()[-1] for line in text.splitlines()]), (0, [KERNEL, DEBUG, "kernel-version", QEMU]),
        "only finished entries count")
    is_(cache(a, "export", file)[0], 0, "export")
    os.rename(a, tmp + "/old")
    status, text = cache(a, "import", file)
    is_((status, text.count("imported ")), (0, 4), "import into an empty cache of the same place")
    is_((read("%s/%s/vmlinux" % (a, KERNEL)), read("%s/%s/link" % (a, QEMU)), os.path.exists(a + "/secret"),
         os.access("%s/%s/qemu-system-x86_64" % (a, QEMU), os.X_OK)),
        ("kernel " + KERNEL, "qemu", False, True), "the entries are there, with links and modes; nothing else is")
    write("%s/%s/vmlinux" % (a, KERNEL), "newer")
    status, text = cache(a, "import", file)
    is_((status, text.count("have "), read("%s/%s/vmlinux" % (a, KERNEL))), (0, 4, "newer"), "what is there stays")
    status, text = cache(tmp + "/b", "import", file)
    is_((status, sorted(n for n in os.listdir(tmp + "/b") if not n.endswith(".lock"))), (0, [KERNEL, "kernel-version"]),
        "at another place: without builds that have their place in them")
    is_("PPU_CACHE=" + os.path.realpath(a) in text, True, "and how to get them is said")
    return file


def refused(tmp, file):
    key = key_of(file)

    def say(name, want, *args):
        status, text = cache(tmp + "/c", *args)
        left = [n for n in os.listdir(tmp + "/c") if not n.endswith(".lock")] if os.path.isdir(tmp + "/c") else []
        is_((status, want in text, left), (1, True, []), name if want in text else "%s (%s)" % (name, text.strip()))

    say("no such file", "there is no such file", "import", tmp + "/none")
    say("no such command", "usage: cache", "remove", file)
    say("no file named", "usage: cache", "import")
    with open(file, "r+b") as f:
        f.seek(40)
        f.write(b"\0\0\0\0")
    say("a damaged archive", "damaged, or another archive", "import", file)
    os.unlink(file + ".sha256")
    say("no sum", "belongs to the archive", "import", file)
    manifest = {"format": 1, "key": "plan9-4-mips", "cache": tmp + "/c", "entries": [KERNEL]}
    bad, good = tmp + "/bad", member("cache/%s/complete" % KERNEL)
    archive(bad, manifest, [(good, "")])
    say("another distribution", "was made on plan9-4-mips", "import", bad)
    manifest["key"] = key
    outside = tmp + "/outside"
    for name, members in (
            ("a way out", [(member("cache/%s/../../../x" % KERNEL), "")]),
            ("an absolute name", [(member("/cache/x"), "")]),
            ("a device", [(member("cache/%s/null" % KERNEL, tarfile.CHRTYPE), "")]),
            ("a hard link to elsewhere", [(member("cache/%s/p" % KERNEL, tarfile.LNKTYPE, "/etc/passwd"), "")]),
            ("one name twice", [(member("cache/%s/l" % KERNEL, tarfile.SYMTYPE, outside), ""),
                                (member("cache/%s/l" % KERNEL), "written")]),
            ("an entry that is not listed", [(member("cache/%s/complete" % QEMU), "")])):
        archive(bad, manifest, members)
        say(name, "the archive has", "import", bad)
    archive(bad, manifest, [(member("cache/%s/l" % KERNEL, tarfile.SYMTYPE, tmp), ""),
                            (member("cache/%s/l/outside" % KERNEL), "written")])
    say("a name behind a link", "writes through a link", "import", bad)
    is_(os.path.exists(outside), False, "and nothing was written there")
    archive(bad, manifest, [])
    with tarfile.open(bad + ".tar", "w"):
        pass
    os.replace(bad + ".tar", bad)
    write(bad + ".sha256", subprocess.run(["sha256sum", bad], capture_output=True, text=True, check=True).stdout)
    say("no archive of ours", "cannot be read", "import", bad)


with tempfile.TemporaryDirectory() as top:
    refused(top, round_trip(top))
sys.exit(1 if failed else 0)
