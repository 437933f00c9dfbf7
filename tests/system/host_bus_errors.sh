#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Errors of the bus (AER): QEMU reports them in the name of the PPU, its driver and the kernel's recover.  They cannot
# in a second machine, where a function without a driver is behind the same port.
#
# "host_bus_errors.sh debug": with the kernel of check-debug, whose complaints fail a test, too.

cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

python3 -B - "$tmp/qmp" "${1:-stock}" <<'END_OF_PYTHON'
import subprocess
import sys

sys.path[:0] = ["scripts", "tests/labs"]
from ppu_qmp import Qmp                                 # noqa: E402
from ppu_script import BUILD                            # noqa: E402
from ppulab.run import DEBUG_SCALE, debug_driver        # noqa: E402
PATH = sys.argv[1]
KERNEL, SCALE = [], 1
if sys.argv[2] == "debug":
    SCALE = DEBUG_SCALE
    # Without ASPM it leaves errors, and hot plug, to the firmware.
    KERNEL = debug_driver(BUILD, "pcie_ports=native") + [
        "--qemu-arg=-global", "--qemu-arg=ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off"]
LIMIT = 300 * SCALE


def inject(name):
    """By the monitor's command, for which QMP has no name of its own."""
    qmp = Qmp(PATH)
    answer = qmp("human-monitor-command", command_line="pcie_aer_inject_error ppu0 " + name)
    qmp.close()
    if "OK" not in answer:
        print("# QEMU: %s" % answer, flush=True)


def run(program, options):
    """Lets the program say when which error is to come.  Returns how it ended."""
    vm = subprocess.Popen(["scripts/vm", "--timeout", str(LIMIT), "--qmp", PATH, "--prop", "aer=on", "--prop", "pm=on",
                           *KERNEL, *options, "--", "/src/scripts/guest/run-tests", str(LIMIT), program],
                          stdout=subprocess.PIPE, text=True, errors="replace")
    status = None
    for line in vm.stdout:
        if line.startswith("##"):
            if line.startswith("##end "):
                status = int(line.split()[1])
            continue
        if line.startswith("1.."):
            planned.append(int(line[3:]))
            continue
        print(line, end="", flush=True)
        words = line.split()
        if words[:2] == ["#", "inject"]:
            inject(words[2])
    return vm.wait() or status


planned = []
ended = [run("/ppu/guest/aer/bus_errors", []),
         run("/ppu/guest/aer/bus_lost", ["--prop", "multifunction=on", "--device-arg", "pci-testdev,bus=slot0,addr=0.1"])]
print("1..%d" % sum(planned))
sys.exit(any(status != 0 for status in ended))
END_OF_PYTHON
