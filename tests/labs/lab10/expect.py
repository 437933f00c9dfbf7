#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write kernels/*.expect: what `machine` prints with the device's own unit in it.

    tests/labs/lab10/expect.py build/labs/lab10-solution/bin/machine

Refuses to write a file if the kernel's results are not those of its `result` line, or if the lines are not those of
the second implementation (tests/unit/lib/simt_model.py). A changed file is shown, and written when you say so."""

import difflib
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import kernels  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../unit/lib"))
import simt_model  # noqa: E402


def wanted(name, old, new):
    """Does the person at the terminal want this change?"""
    if old == new:
        return False
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "old " + name, "new " + name))
    return input("expect: write %s? [y/N] " % name).strip().lower() == "y"


def main(machine):
    for name in kernels.names():
        path = "%s/%s" % (kernels.KERNELS, name)
        text = subprocess.run([machine, path + ".ppuasm"], capture_output=True, text=True, check=True).stdout
        kernel, got = kernels.Kernel(name), kernels.Output(text.split("\n"))
        kernel._expect = got                                            # pylint: disable=protected-access
        bad = kernels.result_sentence(kernel, got) or kernels.bad_end(name, got.end)
        if bad or not got.end.startswith(("done", "fault")) or bool(got.words) != (kernel.formula is not None):
            sys.exit("expect: %s: %s" % (name, bad or text))
        if simt_model.run(kernels.read(name + ".ppuasm")) != text:
            sys.exit("expect: %s: the model says something else (tests/unit/lib/simt_model_test.py shows where)" % name)
        old = kernels.read(name + ".expect") if os.path.exists(path + ".expect") else ""
        if wanted(name, old, text):
            with open(path + ".expect", "w", encoding="utf-8") as f:
                f.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
