# SPDX-License-Identifier: MIT
"""The programs of others that scripts/clients tries: how each suite finds its programs, builds and runs them, and how one
tells what came of it. Nothing of them is in this tree."""

import collections
import glob
import os
import re
import shutil
import sys
import xml.etree.ElementTree

from ppu_script import BUILD
from ppu_suites import run

SDK = os.path.join(BUILD, "cuda")

# What came of a program, in the order of the table.
RIGHT, WRONG, REFUSED, NOT_BUILT, NEEDS, SLOW = "right", "wrong", "refused", "not built", "needs", "slow"
VERDICTS = (RIGHT, WRONG, REFUSED, NOT_BUILT, NEEDS, SLOW)
# A program that was only built has no verdict.
BUILT = "built"
Result = collections.namedtuple("Result", "verdict reason")

# How programs say that a file is not there.
MISSING = (r"^.*(?i:(?:failed|unable|error|not|n't)\b.*\b(?:open|load|read|find)|(?:open|read)ing .*(?:fail|error)|no such file|"
           r"file error|failed to recognize format).*$")

# Headers and libraries of others: a program that wants them and does not find them says nothing about this project.
OUTSIDE = (
    (r"GL/|GLFW|glut|cuda_gl_interop|EGL|vulkan|X11|d3d|NvSci|nvsci|FreeImage", "graphics"),
    (r"cublas|cufft|cusparse|cusolver|curand\.h|npp|^Exceptions\.h|nvjpeg|cudnn|cuTENSOR|nccl", "the vendor's libraries"),
    (r"thrust/|cub/", "Thrust or CUB"), (r"mpi", "MPI"), (r"boost/", "Boost"), (r"omp\.h", "OpenMP"),
    (r"nvshmem|gdrapi|sycl|hip", "another system"),
)


def first(pattern, text):
    found = re.search(pattern, text, re.M)
    return found.group(0).strip()[:160] if found else ""


def of_build(text):
    """The result of a build that failed."""
    header = re.search(r"fatal error: '?([^' :]+)'? (?:file not found|No such file)", text) or \
        re.search(r"fatal error: ([^ :]+): No such file", text) or re.search(r"cannot find -l(\w+)", text)
    if header:
        for pattern, what in OUTSIDE:
            if re.search(pattern, header.group(1)):
                return Result(NEEDS, what)
    if re.search(r"\bpython3?: (?:not found|No such file)|setup\.py", text):
        return Result(NEEDS, "Python's packages")
    missing = first(r"^.*can't cd to .*$", text)
    if missing:
        return Result(NEEDS, "a file: " + missing)
    return Result(NOT_BUILT, first(r"(?:fatal error|error)[: ].*$", text) or first(r"undefined reference.*$", text) or
                  first(r".*\S.*\Z", text))


def of_run(status, text):
    """The result of a program that checks itself."""
    if status is None:
        return Result(SLOW, "")
    failed = first(r"^.*\b(?:FAILED|FAIL|Test failed|mismatch|MISMATCH)\b.*$", text)
    if status == 0:
        return Result(WRONG, failed) if failed else Result(RIGHT, "")
    missing = first(MISSING, text)
    if missing:
        return Result(NEEDS, "a file: " + missing)
    said = first(r"^.*(?i:not ?supported|not_supported|unsupported|does not support|no support|there is no link-time|waiv).*$", text)
    if status == 2 or said:
        return Result(REFUSED, said or first(r".*\S.*\Z", text))
    return Result(WRONG, failed or first(r"^.*(?i:error).*$", text) or "status %d: %s" % (status, first(r".*\S.*\Z", text)))


class Suite:
    """Programs of one source. `place` is the directory that the user named, or None where a package has them."""
    name = what = url = ""

    def __init__(self, place, nvcc, seconds, build_only=False, keep=None):
        self.place, self.nvcc, self.seconds, self.build_only, self.keep = place, nvcc, seconds, build_only, keep
        self.env = dict(os.environ, PPU_BACKEND=os.environ.get("PPU_BACKEND", "core"),
                        LD_LIBRARY_PATH=os.path.join(BUILD, "lib/cuda"))

    def programs(self):
        raise NotImplementedError

    def one(self, name, work):
        """Tries the program in the empty directory `work`."""
        raise NotImplementedError

    def kept(self, name, text):
        """The output, which goes to a file where the user wants to read it."""
        if self.keep:
            with open(os.path.join(self.keep, name.replace("/", "-") + ".txt"), "w", encoding="utf-8") as f:
                f.write(text)
        return text

    def built(self, name, result):
        """The result of a build, (status, output): a Result if that is all there is to say."""
        status, text = result
        if status != 0:
            return of_build(self.kept(name, text))
        return Result(BUILT, "") if self.build_only else None

    def ran(self, name, result):
        return of_run(result[0], self.kept(name, result[1]))

    def compiler(self):
        """The compiler with the options without which its programs would not run here."""
        if self.nvcc:
            return [self.nvcc, "-gencode", "arch=compute_75,code=compute_75", "-cudart", "shared"]
        return [os.path.join(SDK, "bin/ppu-nvcc")]


class CudaSamples(Suite):
    name, what, url = "cuda-samples", "the vendor's samples", "github.com/NVIDIA/cuda-samples"
    extra = {"cudaOpenMP": ["-Xcompiler", "-fopenmp"], "matrixMulDynlinkJIT": ["-ldl"]}

    def programs(self):
        return sorted(os.path.relpath(os.path.dirname(f), self.place)
                      for f in glob.glob(os.path.join(self.place, "Samples/*/*/CMakeLists.txt"))
                      if "Platform_Specific" not in f and "libNVVM" not in f)

    def one(self, name, work):
        there = os.path.join(work, "s")
        shutil.copytree(os.path.join(self.place, name), there)
        program = os.path.basename(name)
        with open(os.path.join(there, "CMakeLists.txt"), encoding="utf-8", errors="replace") as f:
            text = f.read()
        added = re.search(r"add_executable\(\s*\S+([^)]*)\)", text)
        common = os.path.join(self.place, "Common")
        sources = [s.replace("../../../Common", common) for s in (added.group(1).split() if added else [])]
        sources = [s for s in sources if os.path.exists(os.path.join(there, s))]
        if not sources:
            return Result(NOT_BUILT, "no sources found in its CMakeLists.txt")
        options = ["-std=c++17", "-O2", "-I" + common, "-I.", "-Iinc"] + self.extra.get(program, [])
        # What its build puts beside the program, which compiles with it at run time.
        for header in glob.glob(os.path.join(SDK, "include/cooperative_groups*")) if "cooperative_groups" in text else ():
            (shutil.copytree if os.path.isdir(header) else shutil.copy)(header, os.path.join(there, os.path.basename(header)))
        libraries = [l for l, word in (("-lnvrtc", "nvrtc"), ("-lcuda", "cuda_driver"), ("-lnvJitLink", "NVJITLINK_LIB"))
                     if word in text]
        libraries += ["-L" + os.path.join(SDK, "lib64")]
        # Kernels that the program loads as a file.
        made = re.search(r"BINARY_DIR\}/(\S+\.(?:fatbin|ptx))", text)
        source = re.search(r"SOURCE_DIR\}/(\S+\.cu)\"", text)
        if made and source:
            kind = "-" + made.group(1).rpartition(".")[2]
            status, out = run(self.compiler() + [kind] + options + ["-o", made.group(1), source.group(1)], there, 600)
            if status:
                return of_build(out)
        build = run(self.compiler() + options + ["-o", program] + sources + libraries, there, 900)
        return self.built(name, build) or self.ran(name, run(["./" + program], there, self.seconds, self.env))


class HeCBench(Suite):
    name, what, url = "hecbench", "HeCBench", "github.com/zjin-lcf/HeCBench"

    def programs(self):
        return sorted(os.path.basename(os.path.dirname(f)) for f in glob.glob(os.path.join(self.place, "src/*-cuda/Makefile")))

    def one(self, name, work):
        # Programs name others' folders as ../NAME.
        for other in glob.glob(os.path.join(self.place, "src/*")):
            os.symlink(other, os.path.join(work, os.path.basename(other)))
        there = os.path.join(work, name)
        os.unlink(there)
        shutil.copytree(os.path.join(self.place, "src", name), there, ignore_dangling_symlinks=True)
        compiler = " ".join(self.compiler())
        build = run(["make", "CC=" + compiler, "NVCC=" + compiler, "ARCH=sm_75"], there, 900)
        return self.built(name, build) or self.ran_or_shorter(name, there)

    def ran_or_shorter(self, name, there):
        """Runs it as its authors do. What takes long is tried again with 1 as the last number of its command, which is how
        often most of these programs repeat their kernels: then one knows at least whether it is right."""
        lines = run(["make", "CC=true", "NVCC=true", "ARCH=sm_75", "-n", "run"], there, 60)[1].replace("\\\n", " ").splitlines()
        command = "\n".join(line for line in lines if not line.startswith("true ")).strip()
        result = run(["sh", "-ec", command], there, self.seconds, self.env)
        number = re.search(r"\s(\d+)$", command)
        if result[0]:
            absent = [f for f in self.data(there, command) if not os.path.exists(os.path.join(there, f))]
            if absent:
                self.kept(name, result[1])
                return Result(NEEDS, "a file: " + absent[0])
        if result[0] is not None or not number or number.group(1) in ("0", "1"):
            return self.ran(name, result)
        note = "with 1 instead of %s as the last argument" % number.group(1)
        found = self.ran(name, run(["sh", "-ec", command[:number.start(1)] + "1"], there, self.seconds, self.env))
        return found._replace(reason="%s: %s" % (note, found.reason) if found.reason else note)

    def data(self, there, command):
        """Files that a program reads: the paths of its command, links, and what a tool for data (DVC) would fetch."""
        links = os.listdir(os.path.join(self.place, "src", os.path.basename(there)))
        fetched = glob.glob("**/*.dvc", root_dir=there, recursive=True)
        return re.findall(r"(?:\.\./|\bdata/)[\w./+-]+", command) + links + [f[:-len(".dvc")] for f in fetched]


class Pytest(Suite):
    """Suites that are Python's: one process for a file of tests, each test a result."""
    files, modules = (), ()

    def programs(self):
        return [f for f in self.files if os.path.exists(os.path.join(self.place, f))]

    def settings(self):
        return {}

    def one(self, name, work):
        for module in ("pytest",) + self.modules:
            if run([sys.executable, "-c", "import " + module], self.place, 60)[0]:
                return {name: Result(NEEDS, "Python's " + module)}
        report = os.path.join(work, "report.xml")
        run([sys.executable, "-m", "pytest", "-q", "--junit-xml=" + report, name], self.place,
            self.seconds * 20, dict(self.env, **self.settings()))
        if not os.path.exists(report):
            return {name: Result(SLOW, "")}
        results = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            title = "%s: %s" % (name, case.get("name"))
            bad = case.find("failure") if case.find("failure") is not None else case.find("error")
            if case.find("skipped") is not None:
                continue        # its own authors left it out
            said = (bad.get("message") or "").splitlines() if bad is not None else []
            results[title] = Result(RIGHT, "") if bad is None else Result(WRONG, (said or [""])[0][:160])
        return results


class Tinygrad(Pytest):
    name, what, url = "tinygrad", "tinygrad's tests of operators", "github.com/tinygrad/tinygrad"
    files, modules = ("test/backend/test_ops.py", "test/test_ops.py"), ("numpy", "torch")

    def settings(self):
        return {"CUDA": "1", "DEV": "CUDA", "PYTHONPATH": self.place}


class PyCuda(Pytest):
    name, what, url = "pycuda", "PyCUDA's tests", "github.com/inducer/pycuda"
    files, modules = ("test/test_driver.py", "test/test_gpuarray.py", "test/test_math.py"), ("pycuda",)


SUITES = {s.name: s for s in (CudaSamples, HeCBench, Tinygrad, PyCuda)}
