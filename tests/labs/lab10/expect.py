#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write kernels/*.expect: what `machine` prints with the device's own unit in it.

    tests/labs/lab10/expect.py build/labs/lab10-solution/bin/machine

Refuses to write a file if the kernel's results are not those of its `result` line."""

import subprocess
import sys

sys.dont_write_bytecode = True
import kernels  # noqa: E402


def main(machine):
    for name in kernels.names():
        path = "%s/%s" % (kernels.KERNELS, name)
        text = subprocess.run([machine, path + ".ppuasm"], capture_output=True, text=True, check=True).stdout
        kernel, got = kernels.Kernel(name), kernels.Output(text.split("\n"))
        kernel._expect = got                                            # pylint: disable=protected-access
        bad = kernels.result_sentence(kernel, got) or kernels.bad_end(name, got.end)
        if bad or not got.end.startswith(("done", "fault")) or bool(got.words) != (kernel.formula is not None):
            sys.exit("expect: %s: %s" % (name, bad or text))
        with open(path + ".expect", "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
