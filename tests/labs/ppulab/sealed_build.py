# SPDX-License-Identifier: MIT
"""Compile what a student wrote in a machine of its own.

That machine has the compiler and headers in its initramfs (sealed_pack.py), the
student's files and the course's, and nothing else: no file system of the host, no disk,
no network, no PPU. The results come back as text over one serial line, up to a
limit. The machine that runs them is another one, started afresh.

No program of the host reads what was built: it is passed on as bytes."""

import base64
import binascii
import os
import re
import resource
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time

from . import sealed_pack
from .paths import TOP

LOG_BYTES = 64 << 10            # of the compiler's output that is kept
ARTEFACT_BYTES = 8 << 20        # of one built file
BUILD_MEMORY = 1280             # MiB of the machine; twice the size of what is unpacked in it is added
PROCESS_KIB = 900000            # of one process in the machine: a runaway compiler is refused memory before it has all
PROCESS_SECONDS = 150           # of CPU time, also of one process
FILE_BLOCKS = 65536             # of 512 bytes: the largest file that may be written in the machine
CONSOLE_BYTES = 384 << 20       # the largest file that a machine may write on the host (its initramfs is one)

SCRIPT = """\
mkdir -p /build
cd /build
# A group of its own: nothing it started goes on after its time.
echo 'ulimit -t %(cpu)d; ulimit -v %(kib)d; ulimit -f %(blocks)d; . /job-build/recipe' >/job-build/limited
setsid sh /job-build/limited >/job-build/log 2>&1 </dev/null &
pid=$!
{ sleep %(seconds)d; kill -KILL -$pid; } 2>/dev/null &
wait $pid 2>/dev/null
status=$?
kill -KILL -$pid $! 2>/dev/null
say() { echo "@%(nonce)s $*"; }
say status $status $(wc -c </job-build/log)
say log
if [ $(wc -c </job-build/log) -gt %(log)d ]; then
	{ head -c %(half)d /job-build/log; echo; echo "[the middle of the output is left out]"
	  tail -c %(half)d /job-build/log; } | base64
else
	base64 </job-build/log
fi
for f in %(outputs)s; do
	[ -f "$f" ] || continue
	size=$(wc -c <"$f")
	if [ $size -gt %(artefact)d ]; then
		say toolarge "$f" $size
	else
		say file "$f"
		base64 <"$f"
	fi
done
say end
"""


# Control characters, characters that change the direction of text, surrogates, private use.
UNSHOWN = re.compile("[^\n\t\x20-\x7e\u00a0-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff\uf900-\ufffc"
                     "\U00010000-\U0003ffff]")


class Outcome:
    """The result of a build."""

    def __init__(self):
        self.ok = False
        self.log = ""           # of the compiler, cleaned
        self.files = {}         # name -> bytes: those of the requested files that exist
        self.why = ""           # a sentence if not ok
        self.seconds = 0.0


def clean(data, limit=LOG_BYTES):
    """A student's text in a form that may be shown: no control characters, and limited in length."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    text = UNSHOWN.sub("?", text.replace("\r\n", "\n"))
    if len(text) > limit:
        text = text[:limit // 2] + "\n[the middle of the output is left out]\n" + text[-limit // 2:]
    return text


# --- a machine whose output is bounded -------------------------------------------

def limits(file_bytes, cpu_seconds):
    """For preexec_fn. These limits also end QEMU if it is made to write or compute for ever."""
    def apply():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 10))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def stop(proc):
    """scripts/vm stops its machine when it ends. If scripts/vm itself hangs, QEMU dies with its parent."""
    if proc.poll() is None:
        proc.send_signal(signal.SIGTERM)
        try:
            proc.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(proc.pid, signal.SIGKILL)
            proc.wait()


def bounded_run(argv, seconds, out_bytes, file_bytes=CONSOLE_BYTES, env=None):
    """Run a program that starts a machine; at most out_bytes of its output are
    read. Returns (exit status or None if stopped, output, error output, why it was stopped)."""
    deadline = time.monotonic() + seconds
    proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=limits(file_bytes, int(seconds) * 4 + 60), env=env)
    out = {proc.stdout: bytearray(), proc.stderr: bytearray()}
    room = {proc.stdout: out_bytes, proc.stderr: 1 << 20}
    why, still = "", set(out)
    try:
        while still:
            left = deadline - time.monotonic()
            if left <= 0:
                why = "time"
                break
            for pipe in select.select(list(still), [], [], min(left, 5))[0]:
                data = os.read(pipe.fileno(), 1 << 16)
                out[pipe] += data[:max(0, room[pipe] - len(out[pipe]))]
                if not data:
                    still.discard(pipe)
                elif len(out[pipe]) >= room[pipe]:
                    why = "output"
            if why:
                break
        if not why:
            proc.wait(max(1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        why = "time"
    finally:
        stop(proc)
        status = proc.returncode
        for pipe in out:
            pipe.close()
    return (None if why else status), bytes(out[proc.stdout]), bytes(out[proc.stderr]), why


# --- the build ----------------------------------------------------------------------

def submission_archive(path, files, recipe, script):
    with open(path, "wb") as f:
        cpio = sealed_pack.Cpio(f)
        for name, data in sorted(files.items()):
            cpio.add("build/" + name, data)
        cpio.add("job-build/recipe", recipe.encode())
        cpio.add("job-build/script", script.encode())
        cpio.close()


def decode(lines):
    try:
        return base64.b64decode(b"".join(lines), validate=True)
    except (binascii.Error, ValueError):
        return None


def parse(outcome, text, nonce, outputs, seconds):
    """Takes apart what the script in the machine printed."""
    mark = b"@" + nonce.encode() + b" "
    parts = []                  # [words, lines]
    for line in text.replace(b"\r", b"").split(b"\n"):
        if line.startswith(mark):
            parts.append((line[len(mark):].decode("ascii", "replace").split(), []))
        elif parts:
            parts[-1][1].append(line)
    status, toolarge = None, None
    for words, lines in parts:
        if words[0] == "status" and len(words) == 3:
            status = int(words[1])
        elif words[0] == "log":
            outcome.log = clean(decode(lines) or b"")
        elif words[0] == "file" and len(words) == 2 and words[1] in outputs:
            data = decode(lines)
            if data is not None and len(data) <= ARTEFACT_BYTES:
                outcome.files[words[1]] = data
        elif words[0] == "toolarge":
            toolarge = words[1]
    ended = bool(parts) and parts[-1][0] == ["end"]
    missing = [name for name in outputs if name not in outcome.files]
    if not ended or status is None:
        outcome.why = "The machine that compiles did not get to its end."
    elif status in (137, 143):
        outcome.why = "Compiling took longer than %d seconds and was stopped." % seconds
    elif status:
        outcome.why = "It does not compile; the compiler's output is below."
    elif toolarge:
        outcome.why = "What was built, %s, is larger than %d MiB." % (toolarge, ARTEFACT_BYTES >> 20)
    elif missing:
        outcome.why = "The build ended without an error, but there is no %s." % missing[0]
    outcome.ok = not outcome.why


def build(files, recipe, outputs, archives, seconds=240):
    """Unpack files {name: bytes} in /build of a machine, run recipe (sh) there,
    and bring back the files called outputs. archives: cpio archives with what the
    recipe needs (sealed_pack.py)."""
    outcome = Outcome()
    nonce = secrets.token_hex(16)
    script = SCRIPT % dict(cpu=PROCESS_SECONDS, kib=PROCESS_KIB, blocks=FILE_BLOCKS, seconds=seconds, nonce=nonce, log=LOG_BYTES,
                           half=LOG_BYTES // 2, outputs=" ".join(outputs), artefact=ARTEFACT_BYTES)
    before = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ppu-lab-") as tmp:
        own = os.path.join(tmp, "build.cpio")
        submission_archive(own, files, recipe, script)
        memory = BUILD_MEMORY + 2 * sum(os.path.getsize(p) for p in archives) // (1 << 20)
        argv = [sys.executable, os.path.join(TOP, "scripts/vm"), "--sealed", "--no-ppu", "--no-module",
                "--mem", str(memory), "--timeout", str(seconds + 90)]
        for pack in [*archives, own]:
            argv += ["--initrd", pack]
        room = (LOG_BYTES + ARTEFACT_BYTES * len(outputs)) * 3 // 2 + 65536
        # scripts/vm keeps the time limit and does not count waiting for a CPU; this one is for a scripts/vm that hangs.
        _, out, err, stopped = bounded_run(argv + ["--", "sh", "/job-build/script"], 4 * (seconds + 120), room)
    parse(outcome, out, nonce, outputs, seconds)
    if stopped == "output":
        outcome.ok, outcome.why = False, "The machine that compiles wrote more than it may, and was stopped."
    elif not outcome.ok and not outcome.log:
        outcome.log = clean(err, 4096)
    outcome.seconds = time.monotonic() - before
    return outcome
