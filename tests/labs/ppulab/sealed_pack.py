# SPDX-License-Identifier: MIT
"""Makes what a sealed machine gets to see: cpio archives for its initramfs.

A machine that compiles what a student wrote must not see the grading machine's
files: a source could #include or .incbin any of them into the compiler's
output. So the machine gets the compiler, the linker and headers as archives. Those are
made once from the installed packages, and kept in the cache under the hash of
these packages' versions."""

import fcntl
import glob
import hashlib
import os
import stat
import subprocess

from . import paths

FORMAT = "1"            # of the contents of the archives: part of their hash, like the versions
GCC_SKIP = ("cc1plus", "cc1obj", "f951", "gnat1", "lto1", "lto-wrapper", "lto-dump", "g++-mapper-server",
            "adainclude", "adalib", "finclude", "plugin", "libasan", "libtsan", "liblsan", "libubsan", "libstdc++",
            "libsupc++", "libgfortran", "libcaf", "libobjc", "libquadmath", "libitm")
COMPILER_PACKAGES = ("libc6-dev", "linux-libc-dev", "binutils-x86-64-linux-gnu", "make")


class Cpio:
    """Writes the "newc" format, which the kernel unpacks."""

    def __init__(self, file):
        self.file = file
        self.count = 0
        self.names = set()

    def _entry(self, name, mode, data):
        self.count += 1
        raw = os.fsencode(name) + b"\0"
        head = b"070701" + b"".join(b"%08X" % v for v in (
            self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)) + raw
        self.file.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))

    def _parents(self, name):
        parts = name.split("/")
        for i in range(1, len(parts)):
            above = "/".join(parts[:i])
            if above not in self.names:
                self.names.add(above)
                self._entry(above, 0o040755, b"")

    def add(self, name, data, mode=0o100644):
        """name: relative to the root directory"""
        if name in self.names:
            return
        self._parents(name)
        self.names.add(name)
        self._entry(name, mode, data)

    def close(self):
        self._entry("TRAILER!!!", 0, b"")
        self.file.write(b"\0" * (-self.file.tell() % 512))

    def take(self, path, name=None):
        """A file or link of this machine, under its own name or another."""
        name = (name or guest_name(path)).lstrip("/")
        st = os.lstat(path)
        if stat.S_ISLNK(st.st_mode):
            self.add(name, os.fsencode(os.readlink(path)), 0o120777)
        elif stat.S_ISREG(st.st_mode):
            with open(path, "rb") as f:
                self.add(name, f.read(), 0o100755 if st.st_mode & 0o100 else 0o100644)

    def take_tree(self, top, skip=lambda path: False):
        for where, dirs, files in os.walk(top):
            dirs.sort()
            for name in sorted(files) + [d for d in dirs if os.path.islink(os.path.join(where, d))]:
                path = os.path.join(where, name)
                if not skip(path):
                    self.take(path)
            dirs[:] = [d for d in dirs if not skip(os.path.join(where, d) + "/")]


def guest_name(path):
    """The name in the initramfs of a host's file. In the initramfs /lib is a link to usr/lib."""
    head, _, rest = path.strip("/").partition("/")
    return "usr/%s/%s" % (head, rest) if head in ("lib", "lib64", "bin", "sbin") else path.strip("/")


def text_of(*argv):
    env = dict(os.environ, LC_ALL="C", PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env,
                          check=False).stdout


def write_archive(path, fill):
    """Makes the archive unless it exists. The archive that fill() makes appears at once, and complete."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(path):
            return path
        with open(path + ".tmp", "wb") as f:
            cpio = Cpio(f)
            fill(cpio)
            cpio.close()
        os.replace(path + ".tmp", path)
    return path


def archive_name(what, key):
    digest = hashlib.sha256((FORMAT + key).encode()).hexdigest()[:12]
    return os.path.join(paths.cache(), "lab-toolchain", "%s-%s.cpio" % (what, digest))


# --- the compiler --------------------------------------------------------------

def packages_of(names):
    return text_of("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names)


def libraries_of(program):
    """Shared libraries of one of the distribution's own programs."""
    for line in text_of("ldd", program).splitlines():
        words = line.split()
        lib = words[2] if "=>" in words and len(words) > 2 else words[0] if words else ""
        if lib.startswith("/"):
            yield lib


def with_links(cpio, path):
    """Takes a program under its own name, and under the names of all links on the way to it."""
    while os.path.islink(path):
        cpio.take(path)
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    cpio.take(path)
    return path


def fill_compiler(cpio):
    gcc_dir = os.path.dirname(os.path.realpath(text_of("gcc", "-print-file-name=crtbegin.o").strip()))
    programs = ["/usr/bin/" + n for n in ("gcc", "as", "ld", "ld.bfd", "nm", "objcopy", "objdump", "ar", "strip",
                                         "readelf", "make", "bash")]
    programs += [os.path.join(gcc_dir, n) for n in ("cc1", "collect2", "liblto_plugin.so")]
    for path in programs:
        if os.path.exists(path):
            for lib in libraries_of(with_links(cpio, path)):
                cpio.take(os.path.realpath(lib), guest_name(lib))
    cpio.take_tree(gcc_dir, lambda path: path[len(gcc_dir) + 1:].startswith(GCC_SKIP))
    files = text_of("dpkg", "-L", *COMPILER_PACKAGES).splitlines()
    for path in sorted(set(files)):
        if path.startswith(("/usr/include/", "/usr/lib/x86_64-linux-gnu/", "/lib/")) and not os.path.isdir(path):
            cpio.take(path)


def compiler():
    """The archive with gcc, binutils, make and what static C programs need."""
    gcc = os.path.basename(os.path.realpath("/usr/bin/gcc"))
    version = gcc.rsplit("-", 1)[-1]
    key = packages_of(["gcc-" + version, "libgcc-%s-dev" % version, "cpp-" + version, *COMPILER_PACKAGES])
    if not key:
        raise OSError("dpkg knows no gcc-%s: the sealed build takes the compiler from Debian's packages" % version)
    return write_archive(archive_name("compiler", key), fill_compiler)


def fill_clang(cpio):
    binary = with_links(cpio, "/usr/bin/clang")
    for lib in libraries_of(binary):
        cpio.take(os.path.realpath(lib), guest_name(lib))
    # clang is found beside its own files: in /usr/lib/llvm-N.
    llvm = os.path.dirname(os.path.dirname(binary))
    for top in glob.glob(os.path.join(llvm, "lib/clang/*")):
        if os.path.islink(top):
            cpio.take(top)
        for path in glob.glob(os.path.join(os.path.realpath(top), "include/*.h")):
            cpio.take(path)


def clang():
    """The archive with clang, which compiles code for the GPU."""
    real = os.path.realpath("/usr/bin/clang")
    if not os.path.exists(real):
        raise OSError("there is no clang; run scripts/setup packages")
    owner = text_of("dpkg", "-S", real).partition(":")[0]
    return write_archive(archive_name("clang", packages_of([owner]) or real), fill_clang)


# --- the kernel's headers ---------------------------------------------------------

def fill_kernel(cpio, abi):
    own = "/usr/src/linux-headers-" + abi
    common = own.rsplit("-", 1)[0] + "-common"
    kbuild = os.path.realpath(os.path.join(own, "scripts", ".."))

    def unneeded(path):
        # Left out: thousands of empty files, one for each option, and files that no driver reads.
        rest = path[path.find("/", len("/usr/src/")) + 1:]
        return (rest.startswith("include/config/") and os.path.isfile(path)
                and os.path.basename(path) not in ("auto.conf", "kernel.release")) \
            or rest.startswith(("include/dt-bindings/", "include/config/./")) \
            or (rest.startswith("arch/") and not "arch/x86/".startswith(rest[:9]))

    for top in (own, common, kbuild):
        cpio.take_tree(top, unneeded)
    link = "/usr/src/" + os.path.basename(kbuild)
    if os.path.islink(link):
        cpio.take(link)
    for tool in glob.glob(kbuild + "/scripts/*/*") + glob.glob(kbuild + "/tools/*/*"):
        if os.access(tool, os.X_OK) and os.path.isfile(tool):
            for lib in libraries_of(tool):
                cpio.take(os.path.realpath(lib), guest_name(lib))


def kernel(abi):
    """The archive with the headers of the guest's kernel and kbuild."""
    series = ".".join(abi.split("-")[0].split(".")[:2])
    key = packages_of(["linux-headers-" + abi, "linux-kbuild-" + series])
    if not os.path.isdir("/usr/src/linux-headers-" + abi):
        raise OSError("the headers of the guest's kernel %s are not installed; run scripts/setup kernel" % abi)
    return write_archive(archive_name("kernel-" + abi, key or abi), lambda cpio: fill_kernel(cpio, abi))
