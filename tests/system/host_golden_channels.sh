#!/bin/bash
# SPDX-License-Identifier: MIT
#
# CP-X1, CP-X2 and WQ-X1 through QEMU and the kernel driver: the device in the machine does what the device in a process
# does, in the order of the specification.  (The scenarios: tests/system/golden/scenes.c.)

cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT

python3 -B - "$BUILD" "$tmp" <<'END_OF_PYTHON'
import os
import re
import subprocess
import sys

BUILD, TMP = os.path.realpath(sys.argv[1]), sys.argv[2]
PROPS = ("gpcs=1", "sms-per-gpc=1", "copy-engines=1", "window-ns=1000", "timeslice=50000")
KIB = 1024
# Copies by their sizes, as scenes.c makes them.
COPIES = {"copies2": {256: "low1", 257: "low2", 258: "low3", 1024: "high1", 259: "high2"},
          "copies3": {1024: "L0", 256: "c", 257: "b", 258: "a1"}}
ORDER = {"copies2": "low1 high1 high2 low2 low3", "copies3": "L0 c b a1"}
INCS = {"copies2": 2, "copies3": 2}
# What both channels of WQ-X1 do: as tests/unit/runtime/test_devq_timings.c, and Documentation/spec/wq-notes.md.
QUEUE = {
    "queue 1": "C:LAUNCH C1 done C:WFI C2 C:SEM_RELEASE C3 P:SEM_ACQUIRE P1 P:LAUNCH P2 P:SEM_ACQUIRE P3 P:LAUNCH done P4 "
               "P:SEM_ACQUIRE P5 done P:WFI P:SEM_RELEASE C:SEM_ACQUIRE C4",
    "queue 2": "C:LAUNCH C1 done C:WFI C2 C:SEM_RELEASE C3 P:SEM_ACQUIRE P1 P:LAUNCH P2 done P:SEM_ACQUIRE P3 P:LAUNCH P4 "
               "done P:SEM_ACQUIRE P5 P:WFI P:SEM_RELEASE C:SEM_ACQUIRE C4",
}
QUEUE["queue 3"] = QUEUE["queue 2"]
SCENES = [*COPIES, *QUEUE]
status = 0


def result(good, what):
    global status
    print("%sok - %s" % ("" if good else "not ", what))
    if not good:
        status = 1


def events(trace, said):
    """(time, name, {field: value}) of the scenario, and the numbers that the program said."""
    m = re.search(r"^scene ([\d ]+)$", said, re.M)
    numbers = [int(n) for n in m.group(1).split()]
    text = subprocess.run([BUILD + "/bin/ppu-trace", "--from", str(numbers[0]), "--to", str(numbers[1]), trace],
                          capture_output=True, text=True, check=True).stdout
    out = []
    for line in text.splitlines():
        m = re.match(r" *(\d+) (\w+) *(.*)", line)
        if m:
            out.append((int(m.group(1)), m.group(2), dict(f.split("=", 1) for f in m.group(3).split() if "=" in f)))
    return out, numbers[2:]


def copies_story(scene, evs):
    """Copies with their device times since the first one began, and the semaphores' steps between them."""
    story, began, done = [], None, []
    for time, name, f in evs:
        if name in ("CE_START", "CE_DONE"):
            which = COPIES[scene].get(int(f["bytes"]) // KIB)
            if not which:
                continue
            began = time if began is None else began
            story.append("%s(%s)@%d" % (name, which, time - began))
            if name == "CE_DONE":
                done.append(which)
        elif name == "CMD" and f["opcode"] in ("SEM_INC", "SEM_DEC"):
            story.append("%s(%s)" % (f["opcode"], f["operand0"][-2:]))
    return story, done


def queue_story(evs, numbers):
    """Commands of both channels, where their GET is, when a kernel is done: from the launch until Y is there."""
    cpu, own, first = numbers
    story, begun = [], False
    for _, name, f in evs:
        channel = int(f.get("channel", -1))
        if name == "GET" and channel == cpu and int(f["get"]) == first:
            begun = True
        elif not begun:
            continue
        elif name == "TASK_DONE":
            story.append("done")
        elif name == "GET" and channel in (cpu, own):
            story.append("C%d" % (int(f["get"]) - first) if channel == cpu else "P" + f["get"])
            if story[-1] == "C4":
                break
        elif name == "CMD" and channel in (cpu, own):
            story.append("CP"[channel == own] + ":" + f["opcode"])
    return story


def check(scene, where, trace, said):
    evs, numbers = events(trace, said)
    if scene in QUEUE:
        story = queue_story(evs, numbers)
        good = story == QUEUE[scene].split()
    else:
        story, done = copies_story(scene, evs)
        ups = [sum(s.startswith(k) for s in story) for k in ("SEM_INC", "SEM_DEC")]
        good = " ".join(done) == ORDER[scene] and ups == [INCS[scene]] * 2
    if not good:
        print("# " + " ".join(story))
    result(good, "%s %s: what the specification says" % (scene, where))
    return story


def main():
    machine = {}
    for i, scene in enumerate(SCENES):
        # A machine for each: the numbers of channels, and what memory holds, are those of a new device.
        trace = "%s/drm%d" % (TMP, i)
        res = subprocess.run(["scripts/vm", "--timeout", "300", *(o for p in PROPS for o in ("--prop", p)), "--trace",
                              trace, "--", "/ppu/guest/golden/scenes", *scene.split()], stdout=subprocess.PIPE, text=True,
                             check=False)
        result(res.returncode == 0, "%s runs in the machine" % scene)
        if not res.returncode:
            machine[scene] = check(scene, "in the machine", trace, res.stdout)
    for i, scene in enumerate(SCENES):
        trace = "%s/core%d" % (TMP, i)
        env = dict(os.environ, PPU_BACKEND="core", PPU_PROPS=",".join(PROPS), PPU_TRACE=trace,
                   PPU_CORE_LIB=BUILD + "/lib/libppu-core.so.0")
        res = subprocess.run([BUILD + "/guest/golden/scenes", *scene.split()], env=env, stdout=subprocess.PIPE, text=True,
                             check=True)
        story = check(scene, "in a process", trace, res.stdout)
        same = len(story) > 8 and story == machine.get(scene)
        if not same:
            print("# %s\n# %s" % (" ".join(story), " ".join(machine.get(scene, []))))
        result(same, "%s: the same in the machine and in a process" % scene)


main()
sys.exit(status)
END_OF_PYTHON
