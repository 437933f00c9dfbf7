#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/include_order.py finds what it is there to find: the tree has no include against the order of its parts, and
# each one that is planted in it is reported, once.
exec python3 -B - "$PPU_TOP" <<'END'
import os, sys

top = sys.argv[1]
sys.path.insert(0, os.path.join(top, "scripts"))
import include_order

TREE = {}
for start in ("include", "kmod", "libruntime", "qemu-device"):
    for where, _, names in os.walk(os.path.join(top, start)):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                TREE[os.path.relpath(path, top)] = f.read()
UP = "kmod/memory/ppu_vm.c"
# A file, the line that is added to it (or taken from it), and the end of what is said.
PLANTED = [
    ("qemu-device/core/memory/mem.c", '#include "core/exec/exec.h"', "core/exec/exec.h, which is not below qemu-device/core/memory"),
    ("qemu-device/core/base/io.h", '#include "../machine/regs.h"', "core/machine/regs.h, which is not below qemu-device/core/base"),
    ("qemu-device/core/sm/mem/lsu.c", '\t# include <core/tasks/tmu.h>', "core/tasks/tmu.h, which is not below qemu-device/core/sm"),
    ("qemu-device/core/core.h", '#include "core/base/io.h"', "core/base/io.h, which is not below qemu-device/core"),
    ("qemu-device/core/host/ce.c", '#include <ppu.h>', "include/ppu.h, which is not below qemu-device/core/host"),
    ("qemu-device/core/newer/x.c", '#include <stdlib.h>', "the folder has no place in the order (scripts/include_order.py)"),
    ("qemu-device/ppu_mem.c", '#include "core/memory/mem.h"', "core/memory/mem.h, which is not below qemu-device"),
    ("kmod/base/ppu_irq.c", '#include "fence/ppu_watch.h"', "fence/ppu_watch.h, which is not below kmod/base"),
    ("kmod/channel/ppu_group.c", '#include "sync/ppu_sem.h"', "sync/ppu_sem.h, which is not below kmod/channel"),
    ("kmod/newer/ppu_x.c", '#include <linux/slab.h>', "the folder has no place in the order (scripts/include_order.py)"),
    ("kmod/core/pt.c", '#include "channel.h"', "kmod/core/channel.h, which is not below kmod/core/pt"),
    ("kmod/core/fault.h", '#include <drm/ppu_drm.h>', "include/uapi/drm/ppu_drm.h, which is not below kmod/core/fault"),
    ("include/hw/ppu_regs.h", '#include <ppu_launch.h>', "include/ppu_launch.h, which is not below include/hw"),
    ("libruntime/common/handle.c", '#include "api/context/wait.h"', "api/context/wait.h, which is not below libruntime/common"),
    ("libruntime/backend/core/core.c", '#include "core/host/ce.h"', "core/host/ce.h, which is not below libruntime/backend/core"),
    ("libruntime/api/memory/mem.c", '#include <core/ppu_core.h>', "core/ppu_core.h, which is not below libruntime/api"),
    (UP, None, UP + " no longer includes kmod/sync/ppu_eventfd.h; remove the exception"),
]


def planted(name, line):
    tree = dict(TREE)
    if line is None:
        tree[name] = tree[name].replace(b'#include "sync/ppu_eventfd.h"\n', b"")
    else:
        tree[name] = tree.get(name, b"") + b"/* last */\n" + line.encode() + b"\n"
    return tree


bad = ["the tree itself: " + said for said in include_order.findings(TREE)]
for name, line, want in PLANTED:
    said = include_order.findings(planted(name, line))
    if len(said) != 1 or not said[0].endswith(want):
        bad.append("%s %s: %s" % (name, line, said))
for name in {name for name, _, _ in PLANTED if name not in TREE and "/newer/" not in name}:
    bad.append("%s is not there" % name)
for b in bad:
    print("# " + b)
print(("not ok" if bad else "ok") + " - the order of includes: %d planted mistakes are found" % len(PLANTED))
sys.exit(bool(bad))
END
