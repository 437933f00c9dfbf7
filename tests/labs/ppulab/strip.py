# SPDX-License-Identifier: MIT
"""Binaries without debugging information, for packages."""

import os
import subprocess
import tempfile


def stripped(path):
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "out")
        subprocess.run(["objcopy", "--strip-debug", path, out], check=True)
        with open(out, "rb") as f:
            return f.read()
