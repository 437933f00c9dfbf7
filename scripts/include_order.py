# SPDX-License-Identifier: MIT
"""Which part of the tree may include headers of which. scripts/lint checks it; tests/unit/tree/include_order.sh
checks the check. CONTRIBUTING.md draws the same order."""

import os
import re


def chain(top, *folders):
    """Folders of which each may use those before it, and the files directly in TOP."""
    return {top + "/" + f: (top + "/" + g,) for f, g in zip(folders[1:], folders)}


# A part is a folder, or a file without its suffix. Beside it are the parts directly below it: it may include their
# headers, and those of what is below them. A file belongs to the longest name that fits.
BELOW = {
    "include/hw": (),
    "include/uapi": (),
    "include/ppu_launch": (),
    "include/cuda": ("include/ppu_launch",),
    "include": ("include/hw", "include/uapi", "include/cuda"),

    # In qemu-device/core itself are core.h and ppu_core.h; core.h explains the order.
    "qemu-device/core": ("include/hw",),
    "qemu-device/core/base": ("qemu-device/core",),
    **chain("qemu-device/core", "base", "memory", "exec", "sm", "tasks", "host", "machine"),
    "qemu-device": ("qemu-device/core",),

    # driver.h and types.h are in kmod/core itself. Its four parts know nothing of each other.
    "kmod/core": ("include/hw",),
    "kmod/core/pt": ("kmod/core",),
    "kmod/core/context": ("kmod/core",),
    "kmod/core/channel": ("kmod/core",),
    "kmod/core/fault": ("kmod/core",),
    # Headers of the kernel as newer ones have them; the driver includes these by the kernel's names.
    "kmod/compat": (),
    # kmod/README.rst explains the order. ppu_drv.c is in kmod itself, and uses all.
    "kmod/base": ("kmod/core/pt", "kmod/core/context", "kmod/core/channel", "kmod/core/fault", "include/uapi"),
    **chain("kmod", "base", "fence", "memory", "channel", "sync", "report"),
    "kmod": ("kmod/report",),
    # A module of its own, and what ppu.ko exports to it.
    "kmod/kunit": ("kmod/base",),

    "libruntime/common": ("include",),
    "libruntime/compiler/devabi": ("libruntime/common",),
    "libruntime/compiler/obj": ("libruntime/compiler/devabi",),
    "libruntime/compiler/asm": ("libruntime/compiler/obj",),
    "libruntime/compiler/ptx": ("libruntime/compiler/obj",),
    "libruntime/compiler/devlib": ("libruntime/compiler/ptx", "libruntime/compiler/asm"),
    "libruntime/backend": ("libruntime/common",),
    "libruntime/backend/core": ("libruntime/backend", "qemu-device/core",
                                "kmod/core/pt", "kmod/core/context", "kmod/core/channel", "kmod/core/fault"),
    "libruntime/hostcalls": ("include",),
    "libruntime/check": ("libruntime/compiler/obj", "libruntime/backend", "libruntime/hostcalls"),
    "libruntime/debug": ("libruntime/check",),
    "libruntime/prof": ("libruntime/check",),
    "libruntime/api": ("libruntime/compiler/devlib", "libruntime/prof", "libruntime/debug"),
    "libruntime/cuda": ("libruntime/api",),
    "libruntime/cudart": ("libruntime/cuda",),
    "libruntime/nvrtc": ("include",),
    "libruntime/nvtx": ("include",),
    "libruntime/nvjitlink": ("libruntime/cuda",),
    "libruntime/usage": ("libruntime/common",),
    "libruntime/nvml": ("libruntime/cuda", "libruntime/usage"),
    "libruntime/tools": ("libruntime/cudart", "libruntime/nvml"),
    "libruntime/samples": ("libruntime/cudart",),
}

# In these, each folder is a part: a new one needs its place in the order.
EACH_FOLDER = ("qemu-device/core", "kmod")

# What a file includes although it is not below, and why. kmod/README.rst has the driver's under "Calls up".
CALLS_UP = {
    ("kmod/memory/ppu_vm.c", "kmod/channel/ppu_channel.h"): "channels do not fetch while properties of their VM change",
    ("kmod/memory/ppu_vm.c", "kmod/channel/ppu_channel_hw.h"): "channels do not fetch while properties of their VM change",
    ("kmod/memory/ppu_evict.c", "kmod/channel/ppu_hold.h"): "a VM leaves the device when its channels have stopped",
    ("kmod/memory/ppu_vm.c", "kmod/sync/ppu_eventfd.h"): "the eventfds of a VM end with it",
    ("kmod/channel/ppu_channel.c", "kmod/sync/ppu_eventfd.h"): "a channel's end is told to its eventfds",
    ("kmod/channel/ppu_channel_error.c", "kmod/sync/ppu_sem.h"): "a channel's end wakes who sleeps in SEM_WAIT",
    ("kmod/channel/ppu_channel_error.c", "kmod/sync/ppu_sem_fence.h"): "a channel's end fails fences that wait for it",
    ("kmod/channel/ppu_channel_error.c", "kmod/sync/ppu_eventfd.h"): "a channel's end is told to its eventfds",
    ("kmod/channel/ppu_channel_error.c", "kmod/report/ppu_coredump.h"): "a channel's end is what a coredump shows",
    ("kmod/channel/ppu_channel_prop.c", "kmod/report/ppu_fault.h"): "the device may have stopped the channel already",
    ("kmod/channel/ppu_channel.c", "kmod/report/ppu_coredump.h"): "a channel's end is what a coredump shows",
    ("kmod/channel/ppu_channel.c", "kmod/report/ppu_fault.h"): "the device may have stopped the channel already",
    ("kmod/channel/ppu_devq.c", "kmod/report/ppu_fault.h"): "the device may have stopped the queue already",
    ("kmod/channel/ppu_group.c", "kmod/report/ppu_fault.h"): "the device may have stopped the member already",
    ("kmod/channel/ppu_submit.c", "kmod/report/ppu_fault.h"): "the device may have stopped the channel already",
}

INCLUDE_DIRS = ("include", "include/uapi", "include/cuda", "libruntime", "qemu-device", "kmod")
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def part(name):
    """The part that a file belongs to, or None."""
    return max((p for p in BELOW if name.startswith(p + "/") or os.path.splitext(name)[0] == p), key=len, default=None)


def allowed(p):
    """The part and all that is below it."""
    return {p}.union(*map(allowed, BELOW[p]))


def header(names, where, bracket, text):
    """The file of the tree that an include line in folder WHERE means, or None: a header of the system."""
    top = where.split("/")[0]
    dirs = ([where] if bracket == b'"' else []) + [d for d in INCLUDE_DIRS if d == top] + list(INCLUDE_DIRS)
    return next((f for f in (os.path.normpath(os.path.join(d, text)) for d in dirs) if f in names), None)


def findings(text):
    """TEXT: {file: bytes}. One line for each include against the order, and for each exception without need."""
    bad, needed = [], set()
    rules = {p: allowed(p) for p in BELOW}
    for name in sorted(n for n in text if n.endswith((".c", ".h", ".cu")) and part(n)):
        p, where = part(name), os.path.dirname(name)
        if p in EACH_FOLDER and where != p:
            bad.append("%s: the folder has no place in the order (scripts/include_order.py)" % name)
            continue
        for m in INCLUDE.finditer(text[name]):
            h = header(text, where, m.group(1), m.group(2).decode())
            if not h or part(h) in rules[p]:
                continue
            if (name, h) in CALLS_UP:
                needed.add((name, h))
                continue
            line = text[name].count(b"\n", 0, m.start()) + 1
            bad.append("%s:%d: includes %s, which is not below %s" % (name, line, h, p))
    bad += ["scripts/include_order.py: %s no longer includes %s; remove the exception" % pair
            for pair in sorted(set(CALLS_UP) - needed)]
    return bad
