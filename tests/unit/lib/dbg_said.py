# SPDX-License-Identifier: MIT
"""What ppu-dbg says when it is given commands: for its tests, whose arguments are PPU-DBG PROGRAM SOURCE."""

import os
import re
import subprocess
import sys

TOOL, PROGRAM, SOURCE = sys.argv[1:4]
BLOCKS, THREADS = 4, 96
PROMPT = "(ppu-dbg) "


def line_of(text):
    with open(SOURCE) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def run(commands, *arguments, options=(), env=None, program=PROGRAM):
    """What the program says before the first command, then [(command, what was said)], then the exit status."""
    p = subprocess.run([TOOL, "-batch", *options, "-x", "/dev/stdin", program, *arguments], input="\n".join(commands) + "\n",
                       text=True, capture_output=True, env={**os.environ, **(env or {})}, timeout=120, check=False)
    first, *parts = ("\n" + p.stdout).split("\n" + PROMPT)
    return first, [tuple((part + "\n").split("\n", 1)) for part in parts], p.returncode


def said(commands, *arguments, **more):
    """What was said after each command; the program is ended then."""
    return [text for _, text in run(commands + ["quit"], *arguments, **more)[1][:len(commands)]]


def alone(env=None):
    p = subprocess.run([PROGRAM], text=True, capture_output=True, env={**os.environ, **(env or {})}, timeout=60, check=True)
    return p.stdout


def number(text, pattern):
    m = re.search(pattern, text)
    return int(m[1], 0) if m else None
