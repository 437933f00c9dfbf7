# SPDX-License-Identifier: MIT
"""Which version of the sources this is."""

import os
import subprocess

from .paths import TOP


def version():
    path = os.path.join(TOP, "VERSION")
    if os.path.exists(path):
        with open(path, encoding="ascii") as f:
            return f.read().strip()
    try:
        git = subprocess.run(["git", "-C", TOP, "log", "-1", "--format=%h %cs"], capture_output=True, text=True,
                             check=False)
    except OSError:
        return "unknown"
    return git.stdout.strip() or "unknown"
