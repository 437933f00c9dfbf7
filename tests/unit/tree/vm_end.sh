#!/bin/bash
# SPDX-License-Identifier: MIT
#
# scripts/vm: what a sealed machine said before it ended counts, also if the host is so busy that it is read late.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"

# The relay's status and what it passes on, of a "machine" that writes the files of its lines and ends long before anybody
# reads them.
end()	# NAME STATUS OUTPUT CONTROL-FILE OUTPUT-FILE
{
	python3 -B - "$tmp" "$4" "$5" >"$tmp/got" 2>"$tmp/out" <<'EOF'
import importlib.machinery
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
import types

tmp, ctl, io = sys.argv[1:]
loader = importlib.machinery.SourceFileLoader("vm", "scripts/vm")
sys.path.insert(0, "scripts")
vm = importlib.util.module_from_spec(importlib.util.spec_from_loader("vm", loader))
loader.exec_module(vm)

args = types.SimpleNamespace(timeout=60, run_timeout=0, tty=False, stdin=False, verbose=False, time=False, icount=False)
proc = subprocess.Popen(["sh", "-c", 'printf "$1" >"$0/ctl"; printf "$2" >"$0/io"', tmp, ctl, io])
machine = types.SimpleNamespace(proc=proc, tmp=tmp)
open(tmp + "/console", "w").close()
io_host, io_qemu = socket.socketpair()
ctl_host, ctl_qemu = socket.socketpair()


def late():
    while not os.path.exists(tmp + "/io") or proc.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    vm.follow([tmp + "/ctl", tmp + "/io"], (ctl_qemu, io_qemu), proc)


threading.Thread(target=late, daemon=True).start()
sys.exit(vm.relay(args, machine, tmp + "/console", io_host, ctl_host, time.monotonic()))
EOF
	status=$?
	rm -f "$tmp/ctl" "$tmp/io"
	[[ $status == "$2" && $(<"$tmp/got") == "$3" ]]
	result $? "$1"
}

end "the status that came before the machine's end" 7 "all of it" 'start 1\nexit 7\n' 'all of it\n'
end "no status: the machine ended under the command" 125 "some of it" 'start 1\n' 'some of it\n'
grep -q 'ended under the command' "$tmp/out"
result $? "a sentence says so"
end "the guest's clock went by like the host's" 0 "" 'start 1\nend 2001\nexit 0\n' ''
[[ ! -s $tmp/out ]]
result $? "nothing is said about it"
end "the guest's clock was too fast" 0 "" 'start 1\nend 9001\nexit 0\n' ''
grep -q "^vm: the guest's clock was wrong: 9.0 s went by in it, and 0" "$tmp/out"
result $? "a sentence says how fast"
exit $failed
