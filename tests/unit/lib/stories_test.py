#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""stories_test.py BUILD PAGE...: runs the commands of pages and compares what they print with what the page says.

A block ```cuda FILE is a file.  In an indented block behind <!-- run -->, a line that begins with "$ " is a command; what follows
it is what it prints, standard error included.  "..." is any number of lines, or any text in a line; NUMBER is a number, and
numbers behind 0x may differ."""

import os
import re
import subprocess
import sys
import tempfile

import tap

BUILD = os.path.realpath(sys.argv[1])


def blocks(text):
    """("file", name, content), or ("run", [(command, lines)])."""
    for m in re.finditer(r"^```cuda (\S+)\n(.*?)^```$|^<!-- run -->\n\n((?:    [^\n]*\n|\n)+)", text, re.M | re.S):
        if m[1]:
            yield "file", m[1], m[2]
            continue
        commands = []
        for line in (line[4:] for line in m[3].rstrip("\n").split("\n")):
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        yield "run", commands, None


def pattern(lines):
    out = []
    for line in lines:
        if line == "...":
            out.append(r"(?:.*\n)*?")
            continue
        parts = re.escape(line).replace(re.escape("..."), ".*").replace("NUMBER", r"\d+")
        out.append(re.sub(r"0x[0-9a-f]+", "0x[0-9a-f]+", parts) + r"\n")
    return "".join(out)


def page(path):
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    env = {**os.environ, "PPU_BACKEND": "core",
           "PATH": "%s/bin:%s/cuda/bin:%s" % (BUILD, BUILD, os.environ["PATH"])}
    with tempfile.TemporaryDirectory() as tmp:
        for kind, what, content in blocks(text):
            if kind == "file":
                with open(os.path.join(tmp, what), "w", encoding="utf-8") as f:
                    f.write(content)
                continue
            for command, lines in what:
                p = subprocess.run(command, shell=True, cwd=tmp, env=env, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
                good = re.fullmatch(pattern(lines), p.stdout)
                tap.is_("" if good else p.stdout, "", "%s: %s" % (name, command[:60]))


for path in sys.argv[2:]:
    page(path)
sys.exit(bool(tap.failed))
