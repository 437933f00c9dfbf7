#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Errors of the bus (AER): QEMU reports them in the name of the PPU, its driver and the kernel's recover.  They cannot
# in a second machine, where a function without a driver is behind the same port.

cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

python3 -B - "$tmp/qmp" <<'END_OF_PYTHON'
import json
import socket
import subprocess
import sys

PATH = sys.argv[1]


def inject(name):
    """By the monitor's command, for which QMP has no name of its own."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(PATH)
        f = s.makefile("rw", encoding="utf-8")
        f.readline()
        for command, args in (("qmp_capabilities", {}),
                              ("human-monitor-command", {"command-line": "pcie_aer_inject_error ppu0 " + name})):
            f.write(json.dumps({"execute": command, "arguments": args}) + "\n")
            f.flush()
            while True:
                answer = json.loads(f.readline())
                if "return" in answer or "error" in answer:
                    break
        if "OK" not in answer.get("return", ""):
            print("# QEMU: %s" % json.dumps(answer), flush=True)


def run(program, options):
    """Lets the program say when which error is to come.  Returns how it ended."""
    vm = subprocess.Popen(["scripts/vm", "--timeout", "300", "--qmp", PATH, "--prop", "aer=on", *options, "--", program],
                          stdout=subprocess.PIPE, text=True, errors="replace")
    for line in vm.stdout:
        if line.startswith("1.."):
            planned.append(int(line[3:]))
            continue
        print(line, end="", flush=True)
        words = line.split()
        if words[:2] == ["#", "inject"]:
            inject(words[2])
    return vm.wait()


planned = []
ended = [run("/ppu/guest/aer/bus_errors", []),
         run("/ppu/guest/aer/bus_lost", ["--prop", "multifunction=on", "--device-arg", "pci-testdev,bus=slot0,addr=0.1"])]
print("1..%d" % sum(planned))
sys.exit(any(ended))
END_OF_PYTHON
