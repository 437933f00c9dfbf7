# SPDX-License-Identifier: MIT
"""Where things are, and what every part of the package needs."""

import os
import sys

LABS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))     # tests/labs
TOP = os.path.dirname(os.path.dirname(LABS))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
OUT = os.path.join(BUILD, "labs")
LIB = os.path.join(LABS, "lib")
DRIVER = os.path.join(LABS, "driver")
# In a student's package the sources with the solutions are not there, but:
SKELETON = os.path.join(LABS, "skeleton")       # skeleton/N/: the files of lab N that are not of an earlier one
SOLVED = os.path.join(LABS, "solved")           # solved/N/: what the teacher handed out
REFERENCE = os.path.join(LABS, "reference")     # reference/N/SCENARIO.trace


class LabError(Exception):
    """What the user must be told, in a sentence; exit status 2."""


def cache():
    """Where what is slow to make is kept: asked for when it is needed, the autograder sets it late."""
    return os.environ.get("PPU_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ppu")


def student_root():
    """Where the student's working directories are made."""
    return os.path.join(TOP, os.environ.get("LABS") or "labs")


def shown(path):
    """A path as short as it can be said where the user is."""
    try:
        rel = os.path.relpath(path)
    except ValueError:
        return path
    return path if rel.startswith("../..") else rel


def colour(code, text, stream=sys.stdout):
    return "\033[%sm%s\033[0m" % (code, text) if stream.isatty() and "NO_COLOR" not in os.environ else text
