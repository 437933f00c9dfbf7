# SPDX-License-Identifier: MIT
"""Takes the expected files out of what a student handed in, a directory or an
archive, and nothing else.

Other files are not looked at: a Makefile, a Kbuild, a .git. A file
must be a regular file of a sensible size with text in it; no link is followed,
in no part of its path. Anything wrong becomes a sentence."""

import errno
import os
import stat
import tarfile
import zipfile

FILE_BYTES = 256 << 10          # of one file
ARCHIVE_BYTES = 64 << 20        # of an archive, unpacked
ARCHIVE_MEMBERS = 10000
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip")


class Refused(Exception):
    """Why a file is not taken; a sentence."""


def checked(name, data):
    """The text of a file, or the reason why it cannot be taken."""
    if len(data) > FILE_BYTES:
        raise Refused("%s is larger than %d KiB; hand in what you wrote, not what was built."
                      % (name, FILE_BYTES >> 10))
    if not data.strip():
        raise Refused("%s is empty." % name)
    if b"\0" in data:
        raise Refused("%s is not a text: it has zero bytes in it." % name)
    return data


# --- a directory ------------------------------------------------------------------

def places(number):
    """Where in a submission the files may be, the likeliest place first."""
    lab = "lab%d" % number
    return (lab, "labs/" + lab, "", "src")


def open_below(top_fd, path):
    """Opens a file below a directory. No part of the path may be a link. Never waits (as opening a FIFO would)."""
    fd = os.dup(top_fd)
    try:
        parts = path.split("/")
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = below
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=fd)
    finally:
        os.close(fd)


def why_not_opened(name, err):
    if err.errno in (errno.ELOOP, errno.EMLINK):
        return "%s is a symbolic link; hand in the file itself." % name
    if err.errno in (errno.ENXIO, errno.ENODEV):
        return "%s is not a regular file." % name
    return "%s cannot be read: %s." % (name, os.strerror(err.errno))


def read_file(top_fd, path):
    """The bytes of a file in a submission; None if it does not exist."""
    name = os.path.basename(path)
    try:
        st = os.stat(path, dir_fd=top_fd, follow_symlinks=False)
        # Test before opening, because opening a device can have an effect by itself.
        if not (stat.S_ISREG(st.st_mode) or stat.S_ISLNK(st.st_mode)):
            raise Refused("%s is not a regular file." % name)
        fd = open_below(top_fd, path)
    except OSError as err:
        if err.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise Refused(why_not_opened(name, err)) from None
    with open(fd, "rb", buffering=0) as f:
        st = os.fstat(fd)
        if not stat.S_ISREG(st.st_mode):
            raise Refused("%s is not a regular file." % name)
        if st.st_nlink > 1:
            raise Refused("%s is a hard link: the file has other names as well, perhaps in somebody else's "
                          "directory; hand in a copy." % name)
        if st.st_size > FILE_BYTES:
            return bytes(FILE_BYTES + 1)
        data = b""
        while len(data) <= FILE_BYTES:
            more = f.read(FILE_BYTES + 1 - len(data))
            if not more:
                break
            data += more
    return data


def from_directory(top, number, names):
    """{name: bytes or Refused}. A name that is found nowhere is missing."""
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    found = {}
    try:
        for place in places(number):
            for name in names:
                try:
                    data = read_file(fd, os.path.join(place, name))
                    if data is not None:
                        found.setdefault(name, checked(name, data))
                except Refused as err:
                    found.setdefault(name, err)
            if found:           # all files from one place: never a mixture
                break
    finally:
        os.close(fd)
    return found


# --- an archive -------------------------------------------------------------------

class Counted:
    """A file of which only a limited part is read, because an archive may unpack to any size."""

    def __init__(self, file):
        self.file, self.left = file, ARCHIVE_BYTES

    def read(self, size=-1):
        data = self.file.read(self.left + 1 if size < 0 else min(size, self.left + 1))
        self.left -= len(data)
        if self.left < 0:
            raise Refused("The archive unpacks to more than %d MiB." % (ARCHIVE_BYTES >> 20))
        return data


def tar_members(path):
    """(name, is a regular file, read function) of each member, in order."""
    import bz2
    import gzip
    import lzma
    opener = {"gz": gzip.open, "gz2": gzip.open, "xz": lzma.open, "bz2": bz2.open}
    kind = "gz" if path.endswith((".tar.gz", ".tgz")) else path.rsplit(".", 1)[-1]
    with opener.get(kind, open)(path, "rb") as raw, tarfile.open(fileobj=Counted(raw), mode="r|") as tar:
        for count, member in enumerate(tar):
            if count >= ARCHIVE_MEMBERS:
                raise Refused("The archive has more than %d files." % ARCHIVE_MEMBERS)
            regular = member.isreg() and not member.issparse()
            yield member.name, regular, member.size, lambda m=member: tar.extractfile(m).read(FILE_BYTES + 1)


def zip_members(path):
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > ARCHIVE_MEMBERS:
            raise Refused("The archive has more than %d files." % ARCHIVE_MEMBERS)
        for info in archive.infolist():
            mode = info.external_attr >> 16
            regular = not info.is_dir() and (stat.S_IFMT(mode) in (0, stat.S_IFREG))

            def read(i=info):
                with archive.open(i) as f:
                    return f.read(FILE_BYTES + 1)
            yield info.filename, regular, info.file_size, read


def from_archive(path, number, names):
    """As from_directory(). The files may be below one directory of any name."""
    found = {}                  # place -> {name: bytes or Refused}
    members = zip_members if path.endswith(".zip") else tar_members
    try:
        for full, regular, size, read in members(path):
            parts = [p for p in full.split("/") if p not in ("", ".")]
            if not parts or ".." in parts or parts[-1] not in names:
                continue
            name, place = parts[-1], "/".join(parts[:-1])
            try:
                if not regular:
                    raise Refused("%s is not a regular file." % name)
                data = bytes(FILE_BYTES + 1) if size > FILE_BYTES else read()
                found.setdefault(place, {}).setdefault(name, checked(name, data))
            except Refused as err:
                found.setdefault(place, {}).setdefault(name, err)
    except Refused:
        raise
    except Exception as err:    # a damaged archive raises errors of many kinds
        raise Refused("The archive cannot be read: %s." % (str(err) or type(err).__name__)) from None
    for place in places(number):
        for where in sorted(found):
            if place in (where, where.partition("/")[2]):
                return found[where]
    return {}


def collect(path, number, names):
    """The files of a submission: ({name: bytes}, [sentences about what is wrong])."""
    try:
        if os.path.isdir(path):
            found = from_directory(path, number, names)
        elif path.endswith(ARCHIVES):
            found = from_archive(path, number, names)
        else:
            raise Refused("The submission is neither a directory nor an archive (%s)." % ", ".join(ARCHIVES))
    except (Refused, OSError) as err:
        return {}, [str(err)]
    wrong = [str(v) for v in found.values() if isinstance(v, Refused)]
    return {n: v for n, v in found.items() if not isinstance(v, Refused)}, wrong
