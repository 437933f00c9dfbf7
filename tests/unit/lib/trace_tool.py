# SPDX-License-Identifier: MIT
"""Runs ppu-trace and reports the results (TAP)."""

import os
import subprocess
from collections import Counter

import trace_file as tf

BUILD = os.environ.get("BUILD", "build")
if not os.path.isabs(BUILD):
    BUILD = os.path.join(tf.TOP, BUILD)
TOOL = os.path.join(BUILD, "bin/ppu-trace")
failed = []


def check(ok, name, detail=""):
    print(("ok - " if ok else "not ok - ") + name, flush=True)
    if not ok:
        failed.append(name)
        for line in str(detail).splitlines()[:12]:
            print("# " + line)


def same(name, got, want):
    """Two counters or lists are equal; says what differs."""
    if isinstance(got, Counter):
        extra, missing = got - want, want - got
        check(got == want, name, "only in the output: %s\nonly in the trace: %s" % (
            list(extra.items())[:4], list(missing.items())[:4]))
    else:
        check(got == want, name, "got  %s\nwant %s" % (got, want))


def run(*args):
    return subprocess.run([TOOL, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=False)
