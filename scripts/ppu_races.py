# SPDX-License-Identifier: MIT
"""The suites of others that scripts/races tries: which programs each has, and which mistakes its authors say they have. Nothing
of them is in this tree."""

import collections
import glob
import os
import re
import shutil
import struct
import subprocess
import sys

# A program is built from sources with options in a directory, and run with each of the inputs: (arguments, standard input).
# expects: {tool: True: it has a mistake of this kind, False: it has none}.  A tool that is not named is not judged.
Program = collections.namedtuple("Program", "name sources options inputs expects group")

# How each tool is asked, where a suite says nothing else.
WAYS = {"racecheck": ["racecheck", "racecheck --strict"], "memcheck": ["memcheck"], "initcheck": ["initcheck"],
        "synccheck": ["synccheck"]}
# Where data are volatile, which is no order for these authors.
VOLATILE = {"racecheck": ["racecheck", "racecheck --plain-volatile", "racecheck --strict --plain-volatile"]}


def graph(path, nodes, weights, both_ways=True):
    """A graph in the suites' format: each node and some others, one with many neighbours, the last node alone. Not both ways:
    to later nodes only."""
    near = [set() for _ in range(nodes)]
    for v in range(nodes - 1):
        for w in ((v + 1) % (nodes - 1), v * v % (nodes - 1), v * 7 % (nodes - 1), 0 if v % 2 else 1):
            if v < w or (both_ways and v != w):
                near[v].add(w)
            if w < v or (both_ways and v != w):
                near[w].add(v)
    index, edges = [0], []
    for v in range(nodes):
        edges += sorted(near[v])
        index.append(len(edges))
    numbers = [nodes, len(edges)] + index + edges + ([1 + e % 9 for e in range(len(edges))] if weights else [])
    with open(path, "wb") as f:
        f.write(struct.pack("<%di" % len(numbers), *numbers))


class Suite:
    """Programs of one source. `place` is the directory that the user named, `work` an empty one for all of them."""
    name = what = url = ""
    orders = 1          # in how many orders a mistake is looked for
    ways = WAYS

    def __init__(self, place, work):
        self.place, self.work = place, work
        self.prepare()

    def prepare(self):
        pass

    def programs(self):
        raise NotImplementedError


class ScoR(Suite):
    name, what, url, orders = "scor", "ScoR: small programs", "github.com/csl-iisc/ScoR", 4
    ways = VOLATILE

    def programs(self):
        for f in sorted(glob.glob(os.path.join(self.place, "microbenchmarks/src/*.cu"))):
            name = os.path.basename(f)[:-3]
            yield Program(name, [f], [], [((), "")], {"racecheck": not name.startswith("norace")}, name.split("_")[1])


class ScoRPrograms(Suite):
    """With smaller grids than its Makefiles have."""
    name, what, url, orders = "scor-programs", "ScoR: programs", "github.com/csl-iisc/ScoR", 2
    ways = VOLATILE
    # threads of a block, blocks
    sizes = {"1dconv": (64, 4), "graph-coloring": (64, 4), "graph-connectivity": (64, 4), "matrix-multiplication": (64, 6),
             "reduction": (128, 4), "rule-110": (64, 4), "uts": (64, 4)}

    def typed(self, name):
        numbers = [str(1 + i * 37 % 89) for i in range(4096)]
        edges = ["%d %d" % (v, v + 1 + i * 13 % (199 - v)) for i in range(300) for v in (i * 7 % 199,)]
        return {"1dconv": "9 600\n%s\n%s\n" % (" ".join(numbers[:9]), " ".join(numbers[:600])),
                "graph-coloring": "200 300\n" + "\n".join(edges) + "\n", "graph-connectivity": "200 300\n" + "\n".join(edges) + "\n",
                "matrix-multiplication": "12 40 32\n" + " ".join(numbers[:12 * 40 + 40 * 32]) + "\n",
                "reduction": "4096\n" + " ".join(numbers) + "\n", "uts": "3 4 3\n",
                "rule-110": "256 2\n" + " ".join(str(i * i // 3 % 2) for i in range(256)) + "\n"}[name]

    def programs(self):
        for name, (threads, blocks) in sorted(self.sizes.items()):
            there = os.path.join(self.place, "benchmarks", name)
            sources = sorted(glob.glob(os.path.join(there, "*.cu")))
            if name == "reduction":
                sources = [f for f in sources if f.endswith("main.cu")]
            for racy in (True, False):
                options = ["-std=c++11", "-I" + there, "-DNTHREADS=%d" % threads, "-DNBLOCKS=%d" % blocks] + ["-DRACEY"] * racy
                yield Program(name + (" RACEY" if racy else ""), sources, options, [((), self.typed(name))], {"racecheck": racy},
                              name)


class Indigo(Suite):
    name, what, url = "indigo", "Indigo", "github.com/burtscher/IndigoSuite"

    def prepare(self):
        shutil.copytree(os.path.join(self.place, "Generators"), os.path.join(self.work, "g/Generators"))
        there, out = os.path.join(self.work, "g/Generators"), os.path.join(self.work, "codes")
        os.mkdir(out)
        for f in sorted(glob.glob(os.path.join(there, "CUDA_sources/*.idg"))):
            subprocess.run([sys.executable, "-W", "ignore", "generate_CUDA_codes.py", f, os.path.join(self.place, "copyright.txt"),
                            out], cwd=there, check=True, stdout=subprocess.DEVNULL)
        graph(os.path.join(self.work, "graph.egr"), 40, False)
        graph(os.path.join(self.work, "later.egr"), 40, False, False)

    def programs(self):
        for f in sorted(glob.glob(os.path.join(self.work, "codes/*/*.cu"))):
            name, pattern = os.path.basename(f)[:-3], os.path.basename(os.path.dirname(f))
            tags = name[len(pattern):].split("_")
            races = bool({"atomicBug", "guardBug", "syncBug", "raceBug"} & set(tags))
            bounds = "boundsBug" in tags
            # What is read outside of an array may be what somebody writes.
            expects = {"memcheck": bounds, "synccheck": False}
            if races or not bounds:
                expects["racecheck"] = races
            blocks = "8" if "persistent" in tags else "40"
            yield Program(name, [f], ["-I" + os.path.join(self.place, "Generators/sources_include")],
                          [((os.path.join(self.work, g), "64", blocks), "") for g in ("graph.egr", "later.egr")], expects,
                          (pattern, tuple(t for t in tags if "Bug" in t or t in ("shfl", "persistent", "traverse"))))


def indigo_arguments(path, algorithm):
    source = ("0",) if algorithm in ("BFS", "SSSP") else ()
    return path, source


class Indigo2(Suite):
    name, what, url = "indigo2", "Indigo2", "github.com/burtscher/Indigo2Suite"

    def prepare(self):
        graph(os.path.join(self.work, "graph.egr"), 30, True)

    def programs(self):
        for f in sorted(glob.glob(os.path.join(self.place, "codes/cuda/*/*.cu"))):
            name = os.path.basename(f)[:-3]
            tags = name.split("_")
            path, source = indigo_arguments(os.path.join(self.work, "graph.egr"), tags[0])
            arguments = (path,) + source + (() if tags[0] == "PR" else ("1",))
            yield Program(name, [f], ["-std=c++17", "-I" + os.path.join(self.place, "include")], [(arguments, "")],
                          {"racecheck": False, "memcheck": False}, tuple(t for t in tags if t not in ("Persist", "NonPersist", "Dup", "NonDup")))


class Indigo3(Suite):
    """Its programs are generated for one kind of numbers, with at most one mistake each."""
    name, what, url = "indigo3", "Indigo3", "github.com/burtscher/Indigo3Suite"
    kinds = {"RaceBug": "racecheck", "SyncBug": "racecheck", "BoundsBug": "memcheck", "NbrBoundsBug": "memcheck",
             "NborBoundsBug": "memcheck", "ExcessThreadsBug": "memcheck", "UninitializedBug": "initcheck"}

    def prepare(self):
        there = os.path.join(self.work, "g")
        for part in ("codeGen", "scripts", "lib"):
            shutil.copytree(os.path.join(self.place, part), os.path.join(there, part))
        for one in ("copyright.txt", "generate_all_codes.py"):
            shutil.copy(os.path.join(self.place, one), there)
        configure = os.path.join(there, "codeGen/configure.txt")
        with open(configure, encoding="utf-8") as f:
            text = f.read()
        with open(configure, "w", encoding="utf-8") as f:
            f.write(re.sub(r"(bug: +)\{nobug\}", r"\1{all}", text))
        subprocess.run([sys.executable, "-W", "ignore", "generate_all_codes.py", "cuda"], cwd=there, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        graph(os.path.join(self.work, "graph.egr"), 30, True)

    def programs(self):
        for f in sorted(glob.glob(os.path.join(self.work, "g/generatedCodes/CUDA/*/*.cu"))):
            name = os.path.basename(f)[:-3]
            tags = name.split("_")
            bugs = [t for t in tags if t.endswith("Bug") and not t.startswith("No")]
            if len(bugs) > 1 or (bugs and bugs[0] not in self.kinds):
                continue
            tool = self.kinds.get(bugs[0]) if bugs else None
            expects = {tool: True} if tool else {"racecheck": False, "memcheck": False, "initcheck": False}
            path, source = indigo_arguments(os.path.join(self.work, "graph.egr"), tags[0])
            yield Program(name, [f], ["-std=c++17", "-I" + os.path.join(self.work, "g/lib")], [((path, "1") + source, "")], expects,
                          tuple(t for t in tags if t in bugs or t in ("V", "E", "Pull", "Push", "Thread", "Warp", "Block", "BFS", "CC",
                                                                      "MIS", "MST", "PR", "SSSP", "TC")))


SUITES = {s.name: s for s in (ScoR, ScoRPrograms, Indigo, Indigo2, Indigo3)}
