#!/bin/bash
# SPDX-License-Identifier: MIT
#
# SIMT-X1 to SIMT-X7 and their kin through QEMU and the kernel driver: for every kernel of lab 10 that ends by itself, the
# device in the machine makes the events that the device in a process makes, with the same device time between them.
# (SIMT-X3 with the driver moving tokens: host_recentre.sh.)

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

BUILD, TMP = sys.argv[1:]
KERNELS = "tests/labs/lab10/kernels"
CLASSES = "30"          # tasks, CTAs, warps, divergence, barriers
SCENARIOS = {"if_else", "five_tokens", "yield_ping_pong", "merge", "yield_opts_out", "spin_lock", "fallback_live"}
status = 0


def result(good, what):
    global status
    print("%sok - %s" % ("" if good else "not ", what))
    if not good:
        status = 1


def load():
    """{properties: {name: threads}} of the kernels that leave a result; with ".kernel" they are ppu-run's."""
    groups = {}
    for f in sorted(os.listdir(KERNELS)):
        if not f.endswith(".ppuasm"):
            continue
        with open(os.path.join(KERNELS, f), encoding="utf-8") as src:
            text = src.read()
        # Kernels without a result do not end by themselves.  A process has no driver to move tokens.
        if not re.search("^//! result", text, re.M) or "token-queue-driver" in text:
            continue
        props = tuple("%s=%s" % p for p in re.findall(r"^//! prop (\S+) (\S+)", text, re.M))
        threads = re.search(r"^//! threads (\d+)", text, re.M)
        groups.setdefault(props, {})[f[:-7]] = int(threads.group(1)) if threads else 32
        with open("%s/share/%s.ppus" % (TMP, f[:-7]), "w", encoding="utf-8") as out:
            out.write(".kernel k\n.param p u64\n" + text)
    return groups


def options(props):
    return [o for p in (*props, "trace-classes=" + CLASSES) for o in ("--prop", p)]


def events(trace):
    """One list of (time since the task came, event) for each task.  The end of a task is seen at the end of a window,
    whose phase is the machine's, and which SM takes a CTA depends on the tasks before: neither counts."""
    said = subprocess.run([BUILD + "/bin/ppu-trace", trace], capture_output=True, text=True, check=True).stdout
    tasks = []
    for line in said.splitlines():
        m = re.match(r" *(\d+) (.*)", line)
        if not m:
            continue
        if m.group(2).startswith("TASK_ACCEPT"):
            begin, sm = int(m.group(1)), None
            tasks.append([])
        time = 0 if m.group(2).startswith("TASK_DONE") else int(m.group(1)) - begin
        text = re.sub(r"\btask=0x\w+|\btmd=0x\w+|\bchannel=\d+", "", m.group(2))
        sm = sm or re.search(r"\bsm=(\d+)", text)
        if sm:
            text = re.sub(r"\bsm=%s\b" % sm.group(1), "sm", text)
        tasks[-1].append((time, text))
    return tasks


def in_machine(props, kernels, trace):
    """Runs them all in one machine."""
    with open(TMP + "/share/run", "w", encoding="utf-8") as f:
        for name, threads in kernels.items():
            f.write("ppu-run --backend drm --quiet /mnt/share/%s.ppus k 1 %d buf:256,out=/mnt/share/%s.drm || exit\n"
                    % (name, threads, name))
    res = subprocess.run(["scripts/vm", "--timeout", "400", *options(props), "--trace", trace, "--share", TMP + "/share",
                          "--", "sh", "/mnt/share/run"], check=False)
    return res.returncode == 0


def in_process(props, name, threads):
    trace, out = "%s/%s.trace" % (TMP, name), "%s/share/%s.core" % (TMP, name)
    subprocess.run([BUILD + "/bin/ppu-run", "--backend", "core", "--quiet", *options(props), "--trace", trace,
                    "%s/share/%s.ppus" % (TMP, name), "k", "1", str(threads), "buf:256,out=" + out], check=True)
    return events(trace)


def same_bytes(name):
    texts = []
    for kind in ("drm", "core"):
        with open("%s/share/%s.%s" % (TMP, name, kind), "rb") as f:
            texts.append(f.read())
    return texts[0] == texts[1] and len(texts[0]) == 256


def main():
    os.mkdir(TMP + "/share")
    seen, num_events = set(), 0
    for props, kernels in load().items():
        label = " ".join(props) or "as it comes"
        good = in_machine(props, kernels, TMP + "/drm")
        result(good, "%d kernels run in the machine, %s" % (len(kernels), label))
        tasks = events(TMP + "/drm") if good else []
        result(len(tasks) == len(kernels), "each is a task in the trace")
        for got, (name, threads) in zip(tasks, kernels.items()):
            want = in_process(props, name, threads)
            if [got] != want or not same_bytes(name):
                print("# %s: in the machine, in the process" % name)
                for g, w in zip(got, want[0]):
                    print("# %s%s\n#   %s" % ("" if g == w else "! ", g, w))
                result(False, "%s: the same events at the same device times, and the same result" % name)
            seen.add(name)
            num_events += sum("DIV_" in text for _, text in got)
    result(num_events > 2000 and len(seen) > 30, "%d kernels, %d events of divergence: the same as in a process"
           % (len(seen), num_events))
    result(SCENARIOS <= seen, "SIMT-X1 to SIMT-X7 are among them")


main()
sys.exit(status)
END_OF_PYTHON
