# SPDX-License-Identifier: MIT
"""Where things are, and what all parts of this Python package need."""

import os
import sys

LABS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))     # tests/labs
TOP = os.path.dirname(os.path.dirname(LABS))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
OUT = os.path.join(BUILD, "labs")
LIB = os.path.join(LABS, "lib")
DRIVER = os.path.join(LABS, "driver")
# A student's package does not have the sources with the solutions, but:
SKELETON = os.path.join(LABS, "skeleton")       # skeleton/N/: the files of lab N, without those of earlier labs
SOLVED = os.path.join(LABS, "solved")           # solved/N/: solutions that the teacher handed out
REFERENCE = os.path.join(LABS, "reference")     # reference/N/SCENARIO.trace


class LabError(Exception):
    """Something that the user must be told, in a sentence; exit status 2."""


def cache():
    """Where the results of slow steps are kept. A function, because the autograder sets the place late."""
    return os.environ.get("PPU_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ppu")


def student_root():
    """Where the student's working directories are made."""
    return os.path.join(TOP, os.environ.get("LABS") or "labs")


def shown(path):
    """A path, as short as possible from where the user is."""
    try:
        rel = os.path.relpath(path)
    except ValueError:
        return path
    return path if rel.startswith("../..") else rel


def colour(code, text, stream=sys.stdout):
    return "\033[%sm%s\033[0m" % (code, text) if stream.isatty() and "NO_COLOR" not in os.environ else text
