# SPDX-License-Identifier: MIT
"""The autograder's package: what scripts/lab autograde needs on any Linux
machine of the same architecture that has Python 3, and nothing else. No
compiler, no packages, no network: QEMU comes with its libraries, the compiler
is in the archive for the sealed machine, and the guest programs are built already."""

import glob
import json
import os

from . import model, sealed_lab, sealed_pack
from .paths import BUILD, LabError, OUT
from .strip import stripped

WRAPPER = """\
#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU with the libraries it was built for.
d=$(dirname "$(readlink -f "$0")")
exec "$d/lib/ld-linux-x86-64.so.2" --library-path "$d/lib" "$d/qemu.bin" -L "$d/firmware" "$@"
"""
FIRMWARE = ("qboot.rom", "pvh.bin", "linuxboot_dma.bin", "kvmvapic.bin")
# Modules of the kernel that a lab's driver may need. The modules that these need are taken, too.
MODULES = ("kernel/drivers/gpu/drm/*.ko", "kernel/drivers/gpu/drm/ttm/*.ko", "kernel/drivers/gpu/drm/scheduler/*.ko")


def add_qemu(package):
    qemu = os.path.join(BUILD, "qemu/qemu-system-x86_64")
    package.add("build/qemu/qemu-system-x86_64", WRAPPER, 0o755)
    package.add("build/qemu/qemu.bin", stripped(qemu), 0o755)
    for lib in sealed_pack.libraries_of(qemu):
        package.take("build/qemu/lib/" + os.path.basename(lib), os.path.realpath(lib))
    for name in FIRMWARE:
        found = [p for d in ("/usr/share/qemu", "/usr/share/seabios") for p in [os.path.join(d, name)]
                 if os.path.exists(p)]
        if not found:
            raise LabError("there is no firmware %s; run scripts/setup" % name)
        package.take("build/qemu/firmware/" + name, os.path.realpath(found[0]))


def add_guest(package, parts):
    """The guest's kernel, those of its modules that labs need, and the initramfs."""
    root, abi = parts.kernel_root, parts.abi
    package.take("build/guest/initramfs.cpio", os.path.join(BUILD, "guest/initramfs.cpio"))
    package.take("build/guest/kernel/vmlinux", os.path.join(root, "vmlinux"))
    top = os.path.join(root, "lib/modules", abi)
    names = [os.path.basename(p)[:-3] for pattern in MODULES for p in glob.glob(os.path.join(top, pattern))]
    names += [m for n in model.numbers() for m in model.load(n).modules]
    wanted = {os.path.relpath(p, top) for p in parts.in_order(names)}
    under = "build/guest/kernel/lib/modules/%s/" % abi
    for path in sorted(wanted):
        package.take(under + path, os.path.join(top, path))
    with open(os.path.join(top, "modules.dep"), encoding="ascii") as f:
        package.add(under + "modules.dep", "".join(l for l in f if l.split(":")[0] in wanted))


def add_parts(package, parts):
    """The files that sealed_lab.Parts takes from a package."""
    under = "build/grader/"
    for path in {p for n in model.numbers() for p in parts.archives(model.load(n))}:
        package.take(under + os.path.basename(path).split("-")[0] + ".cpio", path)
    package.add(under + "ppu-cc", stripped(parts.image_compiler()), 0o755)
    for name in ("witness.ko", "Module.symvers"):
        package.take(under + "witness/" + name, os.path.join(parts.witness(), name))
    for lab in map(model.load, model.numbers()):
        where = os.path.join(OUT, lab.name + "-grader")
        os.makedirs(where, exist_ok=True)
        if lab.kind == "module":
            for guest, path in parts.exercises(lab, where).items():
                package.take(under + lab.name + "/" + os.path.basename(guest), path)
        else:
            for lib in lab.libs + (["ppucore"] if lab.kind == "core" else []):
                package.take("%s%s/lib%s.a" % (under, lab.name, lib), parts.library(lib, lab, where))
    package.add(under + "parts.json", json.dumps({
        "abi": parts.abi, "compiler": parts.compiler()}) + "\n")


def add(package):
    if sealed_lab.packaged():
        raise LabError("this is an autograder's package already; it is made in the source tree or teacher's package")
    parts = sealed_lab.Parts()
    add_qemu(package)
    add_guest(package, parts)
    add_parts(package, parts)
