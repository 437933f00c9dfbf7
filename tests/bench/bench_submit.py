#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The cost of a submission, in guest instructions and accesses to the device: through the doorbell and the ioctl.

Under -icount shift=0 virtual nanoseconds are instructions, whatever the host's speed and load. Accesses are
counted by QEMU, between the marks that guest_submit.c leaves."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

TOP = os.environ.get("PPU_TOP") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
ACCESS = re.compile(r"memory_region_ops_(read|write) .*addr 0x([0-9a-f]+) value 0x([0-9a-f]+) .*name 'ppu-regs'")
MARK = 0xbe000000
BAR_MASK = 0xffffff
TIMES = 200             # as in guest_submit.c


def count(log):
    """Accesses before mark 1, between marks 1 and 2, ...: a Counter of (read or write, address) each."""
    parts = [Counter()]
    for line in log:
        m = ACCESS.search(line)
        if not m:
            continue
        if m.group(1) == "write" and int(m.group(3), 16) == MARK + len(parts):
            parts.append(Counter())
        else:
            parts[-1][(m.group(1), int(m.group(2), 16))] += 1
    return parts


def main():
    with tempfile.TemporaryDirectory(prefix="ppu-bench-") as tmp:
        log = os.path.join(tmp, "accesses")
        env = dict(os.environ, BUILD=BUILD)
        out = subprocess.run([
            os.path.join(TOP, "scripts/vm"), "--icount", "--sealed", "--timeout", "600",
            "--qemu-arg=-D", "--qemu-arg=" + log, "--qemu-arg=-trace", "--qemu-arg=memory_region_ops_*",
            "--", "/ppu/bench/guest_submit"],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
        sys.stdout.write("".join("# %s\n" % line for line in out.stdout.splitlines()))
        if out.returncode:
            return out.returncode
        with open(log, encoding="ascii", errors="replace") as f:
            parts = count(f)
    v = {name: int(value) for name, value in (line.split() for line in out.stdout.splitlines())}
    if not 1000 <= v["thousand_nops"] <= 1100:
        print("a thousand instructions count as %d: the clock does not count instructions" % v["thousand_nops"])
        return 1
    # Parts 1, 3 and 5 are measured; parts 2 and 4 prepare the next one.
    if len(parts) != 7:
        print("%d parts instead of 7: marks are missing" % len(parts))
        return 1
    of = {"doorbell": parts[1], "ioctl": parts[3], "fence": parts[5]}
    accesses = {door: sum(part.values()) / TIMES for door, part in of.items()}
    for door, part in of.items():
        for (kind, address), n in part.most_common(12):
            print("# %s: %.2f times per submission: %s of BAR0 + 0x%06x" % (door, n / TIMES, kind, address & BAR_MASK))
    titles = {"doorbell": "doorbell", "ioctl": "ioctl", "fence": "ioctl with out-fence"}
    rows = [("submit, %s: the call", "insns", {k: v[k + "_call"] for k in titles}),
            ("submit, %s: one of 200, all done", "virtual ns", {k: v[k + "_all"] for k in titles}),
            ("submit, %s: device accesses", "accesses", accesses)]
    for name, unit, values in rows:
        for door, title in titles.items():
            print(json.dumps({"name": name % title, "value": values[door], "unit": unit,
                              "reference": values["doorbell"] if door != "doorbell" else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
