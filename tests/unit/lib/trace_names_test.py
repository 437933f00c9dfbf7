#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""trace_names_test.py PROGRAM SOURCE DIR: names of kernels and streams, lines, commands and comparison on the page of ppu-trace
--html, of traced.cu; children on that of sample-quicksort."""

import json
import os
import re
import subprocess
import sys

import trace_html
from trace_tool import BUILD, check, failed, run, same

PROGRAM, SOURCE, DIR = sys.argv[1:]


def traced(name, *command):
    path = os.path.join(DIR, name)
    said = named(path + ".names", *command, PPU_TRACE=path)
    same("%s: nothing is said on the way" % name, said, "")
    return path


def named(names, *command, **env):
    """What is said by a program that writes its names there."""
    return subprocess.run(command, env={**os.environ, "PPU_BACKEND": "core", "PPU_TRACE_NAMES": names, **env},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=True).stderr


def about(page, lane):
    """The kernels of a lane's spans, in their order; None: a copy."""
    s, out = trace_html.Stream(lane["d"]), []
    for _ in range(s.num()):
        for _ in range(5):
            s.num()
        text = s.num()
        for _ in range(page.texts[text].count("{}")):
            s.num()
        kernel = page.data["about"][text]
        out.append(page.data["kernels"][kernel - 1] if kernel else None)
    return out


def line_of(page, kernel):
    flat, at = page.data["modules"][kernel["m"]], None
    for pc, file, line in zip(flat[::3], flat[1::3], flat[2::3]):
        at = (page.data["files"][file], line) if pc <= kernel["pc"] else at
    return at


def one_run(path):
    page = trace_html.Page(path)
    streams = {lane["n"]: [k and k["n"].split("(")[0] for k in about(page, lane)]
               for lane in page.data["lanes"] if lane["k"] == "stream"}
    same("streams have lanes, with kernels and copies by their names", streams,
         {"default stream": ["parts"], "stream 1": [None, "parts", None], "stream 2": [None, "parts", "adds", None]})
    kernel = next(k for k in page.data["kernels"] if k["n"].startswith("parts"))
    file, line = line_of(page, kernel)
    with open(SOURCE, encoding="utf-8") as f:
        source = f.read()
    begin = source.split("\n").index("__global__ void parts(int *p)") + 1
    check(begin <= line <= begin + 8 and file["n"].endswith("traced.cu"), "a kernel's line is in its source", (file["n"], line))
    same("the source is on the page", file.get("t"), source)
    texts = [text for lane in page.lanes for _, _, text in lane.marks if text.startswith("CMD LAUNCH")]
    same("commands say stream and kernel", sorted(re.search(r"stream=(\d) (\w+)", t).groups() for t in texts),
         [("0", "parts"), ("1", "parts"), ("2", "adds"), ("2", "parts")])
    tasks = sum(len(lane.spans) for lane in page.of("task"))
    copies = sum(len(lane.spans) for lane in page.of("engine"))
    same("each task and copy has its command", sum(link[0] == 2 for link in page.links), tasks + copies)
    blocks = [text for lane in page.of("sm") for *_, text in lane.spans]
    check(all(re.match(r"(parts|adds)\b.*: block \d+ of task", t) for t in blocks), "blocks have the names of kernels", blocks[:3])


def two_runs(a, b):
    to = os.path.join(DIR, "both.html")
    out = run("--compare", a, "--html", to, b)
    same("a difference is the exit status", out.returncode, 1)
    with open(to, encoding="utf-8") as f:
        data = json.loads(re.search(r'id="data">(.*?)</script>', f.read(), re.S).group(1))
    same("the page has the sentence", data["difference"]["text"], out.stdout.strip())
    check(all(t >= 0 for t in data["difference"]["at"]), "and its time in each run", data["difference"]["at"])
    same("lanes of both runs", {lane["r"] for lane in data["lanes"]}, {0, 1})
    same("which are there twice", [lane["n"] for lane in data["lanes"] if lane["r"] == 0 and lane["k"] == "stream"],
         [lane["n"] for lane in data["lanes"] if lane["r"] == 1 and lane["k"] == "stream"])
    out = run("--compare", a, "--html", to, a)
    same("no difference", (out.returncode, '"at":[-1,-1]' in open(to, encoding="utf-8").read()), (0, True))


def tasks(path):
    page = trace_html.Page(path)
    return [k["n"] if k else None for lane in page.data["lanes"] if lane["k"] == "task" for k in about(page, lane)]


def children():
    path = traced("quicksort", os.path.join(BUILD, "bin/sample-quicksort"))
    known = tasks(path)
    check(len(known) > 300 and None not in known, "kernels that kernels launch have names", (len(known), known.count(None)))
    with open(path + ".names", encoding="utf-8") as f:
        lines = f.read().splitlines()
    kernels = [n for n, line in enumerate(lines) if line.startswith("kernel ")]
    other = ["module other"] + [" ".join(lines[n].split()[:2] + ["wrong"]) for n in kernels]
    written(path, lines[:kernels[0]] + [lines[n] for n in reversed(kernels)] + other + lines[kernels[-1] + 1:])
    same("a child's kernel is of its parent's module", tasks(path), known)
    written(path, [line for line in lines if not line.startswith("job ") or len(line.split()) < 9])
    same("a task whose launch is not in the file has no name, nor has its child", set(tasks(path)), {None})


def written(path, lines):
    with open(path + ".names", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def refused(path):
    bad = os.path.join(DIR, "bad.names")
    with open(bad, "w", encoding="utf-8") as f:
        f.write("module 1.1\nkernel 0 k\njob 1 1024 0 1\n")
    out = run("--names", bad, "--html", os.path.join(DIR, "bad.html"), path)
    same("a damaged file of names", (out.returncode, "line 3" in out.stderr), (3, True))
    out = run("--names", bad + "none", "--html", os.path.join(DIR, "bad.html"), path)
    same("a file of names that is not there", out.returncode, 2)


one = traced("a", PROGRAM)
one_run(one)
two_runs(one, traced("b", PROGRAM, "more"))
children()
refused(one)
nowhere = os.path.join(DIR, "nowhere", "names")
same("names that cannot be written", set(named(nowhere, PROGRAM).splitlines()),
     {"libppu: PPU_TRACE_NAMES: %s: No such file or directory" % nowhere})
same("no names are wanted", named("", PROGRAM), "")
sys.exit(bool(failed))
